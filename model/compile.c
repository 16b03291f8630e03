/* From a description to a compiled model: fixed joints merged, bodies numbered depth first, frames aligned, axes
 * classified, contact slots laid out. What the result means is said in model.h. */
#include <math.h>

#include "description.h"
#include "geoms.h"
#include "inertia.h"
#include "base/memory.h"
#include "merge.h"
#include "base/rounding.h"

/* An aligned axis counts as +-x, +-y or +-z when its other components are below this: rounding of a few rotations,
 * far below what any file means by a tilt (11 digits of pi/2 are off by 5e-12 and stay general). The axis is then
 * made exact, which moves M and bias by no more than this, relatively. */
static const double axis_rounding = 1e-12;

typedef struct {
    const myr_builder *builder;
    myr_model *model;
    int *order;          /* described bodies, depth first */
    myr_carried *places; /* by described body */
    int *described;      /* by body */
    myr_texts warnings;
} compilation;

static myr_status no_memory(const myr_builder *builder) { return myr_fail(MYR_E_MEMORY, "out of memory for model `%s`", builder->name); }

/* Depth first, children in the order in which they were added. */
static myr_status find_order(compilation *c) {
    const int n = c->builder->n_bodies;
    int *first = myr_allocate_array((size_t)n + 1, sizeof *first), *next = myr_allocate_array((size_t)n + 1, sizeof *next);
    c->order = myr_allocate_array((size_t)n + 1, sizeof *c->order);
    const int ok = first && next && c->order;
    if (ok) {
        for (int i = 0; i <= n; i++) first[i] = next[i] = -1;
        for (int i = n - 1; i >= 0; i--) { /* list n holds the children of the world */
            const int parent = c->builder->bodies[i].parent < 0 ? n : c->builder->bodies[i].parent;
            next[i] = first[parent];
            first[parent] = i;
        }
        int count = 0, at = first[n];
        while (at >= 0) {
            c->order[count++] = at;
            if (first[at] >= 0) {
                at = first[at];
                continue;
            }
            while (at >= 0 && next[at] < 0) at = c->builder->bodies[at].parent;
            if (at >= 0) at = next[at];
        }
    }
    myr_release(first);
    myr_release(next);
    return ok ? MYR_OK : no_memory(c->builder);
}

static myr_status allocate_model(compilation *c) {
    const myr_builder *b = c->builder;
    myr_model *m = c->model = myr_allocate_array(1, sizeof *m);
    if (!m) return no_memory(b);
    atomic_init(&m->references, 1);
    for (int i = 0; i < b->n_bodies; i++) m->n_bodies += b->bodies[i].joint != MYR_JOINT_FIXED;
    m->n_geoms = b->n_geoms;
    m->n_frames = b->n_bodies + b->n_frames;
    m->name = myr_copy_text(b->name);
    m->bodies = myr_allocate_array((size_t)m->n_bodies, sizeof *m->bodies);
    m->tree_root = myr_allocate_array((size_t)m->n_bodies, sizeof *m->tree_root);
    m->geoms = myr_allocate_array((size_t)m->n_geoms, sizeof *m->geoms);
    m->frames = myr_allocate_array((size_t)m->n_frames, sizeof *m->frames);
    c->places = myr_allocate_array((size_t)b->n_bodies, sizeof *c->places);
    c->described = myr_allocate_array((size_t)m->n_bodies, sizeof *c->described);
    if (!m->name || !m->bodies || !m->tree_root || !m->geoms || !m->frames || !c->places || !c->described) return no_memory(b);
    return MYR_OK;
}

static void count_coordinates(myr_body *body, myr_model *m) {
    body->nq = body->joint == MYR_JOINT_FREE ? 7 : body->joint == MYR_JOINT_BALL ? 4 : 1;
    body->nv = body->joint == MYR_JOINT_FREE ? 6 : body->joint == MYR_JOINT_BALL ? 3 : 1;
    body->q = m->nq;
    body->v = m->nv;
    body->u = -1;
    m->nq += body->nq;
    m->nv += body->nv;
}

static void classify_axis(myr_body *body) {
    body->axis_class = MYR_AXIS_GENERAL;
    body->axis_sign = 1.0;
    for (int k = 0; k < 3; k++) {
        if (fabs(body->axis[(k + 1) % 3]) > axis_rounding || fabs(body->axis[(k + 2) % 3]) > axis_rounding) continue;
        body->axis_class = (myr_axis_class)k;
        body->axis_sign = body->axis[k] < 0.0 ? -1.0 : 1.0;
        body->axis[0] = body->axis[1] = body->axis[2] = 0.0;
        body->axis[k] = body->axis_sign;
    }
}

/* align = (parent's align) * (joint frame -> parent): at q = 0 the body is turned by that against the root, and the
 * joint's own motion then comes after it. */
static void align_body(myr_body *body, const myr_model *m) {
    double above[9];
    if (body->parent >= 0)
        memcpy(above, m->bodies[body->parent].align, sizeof above);
    else
        myr_identity3(above);
    myr_multiply3(body->align, above, body->rotation);
    myr_rotate(body->offset, above, body->position);
    if (body->nv != 1) {
        body->axis_class = MYR_AXIS_GENERAL;
        body->axis_sign = 1.0;
        return;
    }
    myr_rotate(body->axis, body->align, body->axis_user);
    const double length = sqrt(myr_dot3(body->axis, body->axis));
    for (int k = 0; k < 3; k++) body->axis[k] /= length;
    classify_axis(body);
}

void myr_add_inertia(const myr_described_body *from, const myr_pose *pose, double *mass, double com[3], double inertia[6]) {
    myr_inertia own = {.mass = from->mass}, sum = {.mass = *mass};
    myr_copy3(own.com, from->com);
    memcpy(own.about_com, from->inertia, sizeof own.about_com);
    myr_copy3(sum.com, com);
    memcpy(sum.about_com, inertia, sizeof sum.about_com);
    own = myr_inertia_move(&own, pose);
    sum = myr_inertia_add(&sum, &own);
    *mass = sum.mass;
    myr_copy3(com, sum.com);
    memcpy(inertia, sum.about_com, sizeof sum.about_com);
}

/* Own inertia, to which merged bodies add theirs. */
static void add_inertia(myr_body *body, const myr_described_body *from, const myr_pose *pose) {
    myr_add_inertia(from, pose, &body->mass, body->com, body->inertia);
}

/* What of a body is held against gravity; `pose`: where it is in the one that carries it. */
static void add_held(myr_body *body, const myr_described_body *from, const myr_pose *pose) {
    double com[3];
    const double held = from->gravity_held * from->mass;
    if (held == 0.0) return;
    myr_rotate(com, pose->rotation, from->com);
    for (int k = 0; k < 3; k++) com[k] += pose->position[k];
    myr_rotate(com, body->align, com);
    body->held_mass += held;
    for (int k = 0; k < 3; k++) body->held_first[k] += held * com[k];
}

static myr_status place_bodies(compilation *c) {
    myr_model *m = c->model;
    myr_body anchored = {.mass = 0};
    int placed = 0;
    for (int i = 0; i < c->builder->n_bodies; i++) {
        const int d = c->order[i];
        const myr_described_body *from = &c->builder->bodies[d];
        myr_carried place = {.body = -1, .pose = from->pose};
        if (from->parent >= 0) {
            place.body = c->places[from->parent].body;
            place.pose = myr_pose_compose(&c->places[from->parent].pose, &from->pose);
        }
        if (from->joint != MYR_JOINT_FIXED) {
            myr_body *body = &m->bodies[placed];
            body->parent = from->joint == MYR_JOINT_FREE ? -1 : place.body;
            body->joint = from->joint;
            body->tree = body->parent < 0 ? m->n_trees : m->bodies[body->parent].tree;
            if (body->parent < 0) m->tree_root[m->n_trees++] = placed;
            count_coordinates(body, m);
            if (body->joint == MYR_JOINT_FREE) place.pose = myr_pose_identity();
            myr_copy3(body->position, place.pose.position);
            memcpy(body->rotation, place.pose.rotation, sizeof body->rotation);
            myr_copy3(body->axis_user, from->axis);
            align_body(body, m);
            body->damping = from->damping;
            body->dry_friction = from->dry_friction;
            body->armature = from->armature;
            body->lower = from->lower;
            body->upper = from->upper;
            body->effort_limit = from->effort_limit;
            body->velocity_limit = from->velocity_limit;
            body->stiffness = from->stiffness;
            body->spring_rest = from->spring_rest;
            body->has_home = from->has_home;
            memcpy(body->home, from->home, sizeof body->home);
            body->name = myr_copy_text(from->name);
            body->joint_name = myr_copy_text(from->joint_name);
            if (!body->name || !body->joint_name) return no_memory(c->builder);
            c->described[placed] = d;
            place.body = placed++;
            place.pose = myr_pose_identity();
        }
        c->places[d] = place;
        if (place.body >= 0)
            add_inertia(&m->bodies[place.body], from, &place.pose), add_held(&m->bodies[place.body], from, &place.pose);
        else
            add_inertia(&anchored, from, &place.pose);
    }
    m->gravity[2] = -9.81;
    if (c->builder->has_gravity) myr_copy3(m->gravity, c->builder->gravity);
    m->timestep = c->builder->timestep;
    m->floor = c->builder->floor;
    m->mass = m->anchored_mass = anchored.mass;
    myr_copy3(m->anchored_com, anchored.com);
    for (int i = 0; i < m->n_bodies; i++) m->mass += m->bodies[i].mass;
    return MYR_OK;
}

myr_carried myr_carry(const myr_carried *places, int described, const myr_pose *pose) {
    const myr_carried world = {.body = -1, .pose = myr_pose_identity()};
    const myr_carried *place = described < 0 ? &world : &places[described];
    return (myr_carried){.body = place->body, .pose = myr_pose_compose(&place->pose, pose)};
}

myr_fixed_frame myr_fix_frame(const myr_model *m, const myr_carried *frame) {
    myr_fixed_frame fixed = {.body = frame->body};
    double align[9];
    if (frame->body < 0)
        myr_identity3(align);
    else
        memcpy(align, m->bodies[frame->body].align, sizeof align);
    myr_rotate(fixed.at, align, frame->pose.position);
    myr_multiply3(fixed.turn, align, frame->pose.rotation);
    return fixed;
}

static myr_status place_frame(compilation *c, int index, const char *name, int described, const myr_pose *pose) {
    const myr_carried whole = myr_carry(c->places, described, pose);
    myr_frame *frame = &c->model->frames[index];
    frame->body = whole.body;
    myr_copy3(frame->position, whole.pose.position);
    memcpy(frame->rotation, whole.pose.rotation, sizeof frame->rotation);
    frame->name = myr_copy_text(name);
    return frame->name ? MYR_OK : no_memory(c->builder);
}

/* Every described body, depth first, then the named frames. */
static myr_status place_frames(compilation *c) {
    const myr_builder *b = c->builder;
    const myr_pose here = myr_pose_identity();
    myr_status status = MYR_OK;
    for (int i = 0; i < b->n_bodies && !status; i++) status = place_frame(c, i, b->bodies[c->order[i]].name, c->order[i], &here);
    for (int i = 0; i < b->n_frames && !status; i++)
        status = place_frame(c, b->n_bodies + i, b->frames[i].name, b->frames[i].body, &b->frames[i].pose);
    return status;
}

/* Slot k of a geom, in the body's axes. */
static void place_slot(const myr_geom *geom, const double align[9], int k, myr_slot *slot) {
    myr_kind_of(geom)->place(geom, k, slot);
    myr_rotate(slot->center, geom->rotation, slot->center);
    for (int axis = 0; axis < 3; axis++) slot->center[axis] += geom->position[axis];
    myr_rotate(slot->center, align, slot->center);
    if (!slot->rim) return;
    myr_rotate(slot->axis, geom->rotation, slot->axis);
    myr_rotate(slot->axis, align, slot->axis);
    myr_rotate(slot->side, geom->rotation, slot->side);
    myr_rotate(slot->side, align, slot->side);
}

static myr_status place_geoms(compilation *c) {
    myr_model *m = c->model;
    for (int i = 0; i < m->n_geoms; i++) {
        const myr_described_geom *from = &c->builder->geoms[i];
        const myr_carried *place = &c->places[from->body];
        const myr_pose pose = myr_pose_compose(&place->pose, &from->pose);
        myr_geom *geom = &m->geoms[i];
        geom->body = place->body;
        geom->world = geom->body < 0 ? m->n_world++ : -1;
        geom->type = from->type;
        myr_copy3(geom->position, pose.position);
        memcpy(geom->rotation, pose.rotation, sizeof geom->rotation);
        myr_copy3(geom->size, from->size);
        geom->friction = from->friction;
        geom->slot = m->n_slots;
        if (from->n_points) {
            geom->points = myr_allocate_array(3 * (size_t)from->n_points, sizeof *geom->points);
            if (!geom->points) return no_memory(c->builder);
            memcpy(geom->points, from->points, 3 * (size_t)from->n_points * sizeof *geom->points);
            geom->n_points = from->n_points;
            geom->hull_error = from->hull_error;
        }
        const int features = myr_kind_of(geom)->n_slots ? myr_kind_of(geom)->n_slots : geom->n_points;
        geom->n_slots = geom->body < 0 || from->off_ground ? 0 : features;
        if (geom->n_slots && myr_moving_slots(geom)) geom->n_slots = myr_moving_slots(geom);
        m->n_slots += geom->n_slots;
        geom->name = myr_copy_text(from->name);
        if (!geom->name) return no_memory(c->builder);
    }
    m->slots = myr_allocate_array((size_t)m->n_slots, sizeof *m->slots);
    if (!m->slots) return no_memory(c->builder);
    for (int i = 0; i < m->n_geoms; i++) {
        const myr_geom *geom = &m->geoms[i];
        for (int k = 0; k < geom->n_slots; k++) {
            myr_slot *slot = &m->slots[geom->slot + k];
            slot->geom = i;
            slot->other = slot->other_body = -1;
            slot->feature = k;
            slot->body = geom->body;
            slot->radius = myr_geom_radius(geom);
            slot->friction = geom->friction;
            place_slot(geom, m->bodies[geom->body].align, k, slot);
        }
    }
    return MYR_OK;
}

static myr_status number_dofs(compilation *c) {
    myr_model *m = c->model;
    m->dof_body = myr_allocate_array((size_t)m->nv, sizeof *m->dof_body);
    m->dof_parent = myr_allocate_array((size_t)m->nv, sizeof *m->dof_parent);
    m->dof_depth = myr_allocate_array((size_t)m->nv, sizeof *m->dof_depth);
    m->home = myr_allocate_array((size_t)m->nq, sizeof *m->home);
    if (!m->dof_body || !m->dof_parent || !m->dof_depth || !m->home) return no_memory(c->builder);
    for (int i = 0; i < m->n_bodies; i++) {
        const myr_body *body = &m->bodies[i];
        const int above = body->parent < 0 ? -1 : m->bodies[body->parent].v + m->bodies[body->parent].nv - 1;
        for (int k = 0; k < body->nv; k++) {
            const int dof = body->v + k;
            m->dof_body[dof] = i;
            m->dof_parent[dof] = k ? dof - 1 : above;
            m->dof_depth[dof] = m->dof_parent[dof] < 0 ? 0 : m->dof_depth[m->dof_parent[dof]] + 1;
        }
    }
    return MYR_OK;
}

static int all_finite(const double *values, int count) {
    for (int i = 0; i < count; i++)
        if (!isfinite(values[i])) return 0;
    return 1;
}

/* Finite numbers can still overflow when they are put together. */
static myr_status check_finite(const compilation *c) {
    const myr_model *m = c->model;
    const myr_status wrong = c->builder->label ? MYR_E_FORMAT : MYR_E_ARG;
    char where[512];
    for (int i = 0; i < m->n_bodies; i++) {
        const myr_body *body = &m->bodies[i];
        if (!all_finite(&body->mass, 1) || !all_finite(body->com, 3) || !all_finite(body->inertia, 6) || !all_finite(body->offset, 3))
            return myr_fail(wrong, "%s: its numbers are too large: position, mass or inertia overflows",
                            myr_describe_body(c->builder, c->described[i], where, sizeof where));
    }
    if (!all_finite(&m->mass, 1) || !all_finite(m->anchored_com, 3))
        return myr_fail(wrong, "`%s`: its masses are too large: they overflow", m->name);
    for (int i = 0; i < m->n_frames; i++)
        if (!all_finite(m->frames[i].position, 3))
            return myr_fail(wrong, "frame `%s`: its numbers are too large: the position overflows", m->frames[i].name);
    for (int i = 0; i < m->n_slots; i++)
        if (!all_finite(m->slots[i].center, 3))
            return myr_fail(wrong, "geom `%s`: its numbers are too large: the position overflows", m->geoms[m->slots[i].geom].name);
    return MYR_OK;
}

static myr_status copy_warnings(compilation *c) {
    for (int i = 0; i < c->builder->warnings.count; i++) {
        const myr_status status = myr_texts_add(&c->warnings, "%s", c->builder->warnings.items[i]);
        if (status) return status;
    }
    return MYR_OK;
}

static myr_status compile(compilation *c) {
    myr_status status;
    if ((status = copy_warnings(c))) return status;
    if ((status = find_order(c))) return status;
    if ((status = allocate_model(c))) return status;
    if (!c->model->n_bodies)
        return myr_fail(c->builder->label ? MYR_E_FORMAT : MYR_E_ARG, "%s: nothing can move: every %s is fixed to the world",
                        c->builder->label ? c->builder->label : c->builder->name, c->builder->label ? "link" : "body");
    if ((status = place_bodies(c))) return status;
    if ((status = place_frames(c))) return status;
    if ((status = place_geoms(c))) return status;
    if ((status = myr_find_hulls(c->model))) return status;
    if ((status = number_dofs(c))) return status;
    if ((status = check_finite(c))) return status;
    if ((status = myr_find_actuators(c->builder, c->model, c->places))) return status;
    if ((status = myr_find_loops(c->builder, c->model, c->places))) return status;
    if ((status = myr_check_inertias(c->builder, c->model, c->described, &c->warnings))) return status;
    if ((status = myr_check_touch(c->builder, c->model, c->described, &c->warnings))) return status;
    if ((status = myr_find_quadruped(c->model, &c->warnings))) return status;
    if ((status = myr_find_home(c->builder, c->model, &c->warnings))) return status;
    if ((status = myr_find_pairs(c->builder, c->model, c->described, &c->warnings))) return status;
    myr_find_frictions(c->builder, c->model);
    if ((status = myr_keep_keyframes(c->builder, c->model, c->described))) return status;
    if ((status = myr_find_loop_lengths(c->model))) return status;
    if ((status = myr_find_rows(c->builder, c->model, c->places))) return status;
    if ((status = myr_find_gains(c->model, &c->warnings))) return status;
    if ((status = myr_find_sensors(c->builder, c->model, c->places))) return status;
    if ((status = myr_find_friction_groups(c->builder, c->model))) return status;
    if ((status = myr_find_drags(c->builder, c->model, c->places))) return status;
    c->model->description = myr_builder_copy(c->builder);
    if (!c->model->description) return no_memory(c->builder);
    myr_name_tendons(c->model, c->builder);
    return MYR_OK;
}

myr_status myr_builder_compile(const myr_builder *builder, myr_model **out) {
    MYR_OWN_ARITHMETIC;
    if (!builder || !out) return myr_fail(MYR_E_ARG, "myr_builder_compile: `%s` is NULL", builder ? "out" : "builder");
    *out = NULL;
    compilation c = {.builder = builder};
    fenv_t saved;
    myr_rounding_enter(&saved);
    const myr_status status = compile(&c);
    myr_rounding_leave(&saved);
    if (status) {
        myr_texts_clear(&c.warnings);
        myr_model_free(c.model);
    } else {
        c.model->warnings = c.warnings.items; /* handed over */
        c.model->n_warnings = c.warnings.count;
        *out = c.model;
    }
    myr_release(c.order);
    myr_release(c.places);
    myr_release(c.described);
    return status;
}

/* Asking a compiled model, and its life. */
#include <string.h>

#include "geoms.h"
#include "base/memory.h"
#include "myriapod/terrain.h"
#include "base/rotation.h"

myr_model *myr_model_retain(const myr_model *model) {
    myr_model *shared = (myr_model *)model; /* the count is the one thing in a model that changes */
    atomic_fetch_add_explicit(&shared->references, 1, memory_order_relaxed);
    return shared;
}

void myr_model_free(myr_model *m) {
    if (!m || atomic_fetch_sub_explicit(&m->references, 1, memory_order_acq_rel) != 1) return;
    if (m->shares) {
        myr_model_free(m->shares);
        myr_terrain_free(m->terrain);
        for (int i = 0; i < m->n_flats; i++) myr_release(m->flats[i].planes);
        myr_release(m->flats);
        myr_release(m->geoms), myr_release(m->slots), myr_release(m->pairs), myr_release(m);
        return;
    }
#define MYR_COMPILED(kind, array, count, owned)                                                                                            \
    for (int i = 0; m->array && i < m->count; i++) {                                                                                       \
        const myr_##kind *o = &m->array[i];                                                                                                \
        (void)o;                                                                                                                           \
        owned                                                                                                                              \
    }                                                                                                                                      \
    myr_release(m->array);
#define OWN(member) myr_release(o->member);
#include "objects.def"
    for (int i = 0; i < m->n_warnings; i++) myr_release(m->warnings[i]);
    void *const arrays[] = {m->tree_root, m->warnings, m->dof_body, m->dof_parent, m->dof_depth, m->home, m->name};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) myr_release(arrays[i]);
    myr_builder_free(m->description);
    myr_release(m);
}

void myr_model_get_info(const myr_model *m, myr_model_info *info) {
    if (!info) return;
    memset(info, 0, sizeof *info);
    if (!m) return;
    info->name = m->name;
    info->nq = m->nq;
    info->nv = m->nv;
    info->nu = m->nu;
    info->n_bodies = info->n_joints = m->n_bodies;
    info->n_geoms = m->n_geoms;
    info->n_slots = m->n_slots;
    info->n_pairs = m->n_pairs;
    info->n_world = m->n_world;
    info->self_collision = m->self_collision;
    info->n_self_candidates = m->n_self_candidates;
    info->n_self_pairs = m->n_self_pairs;
    info->n_dropped = m->n_dropped;
    for (int i = 0; i < m->n_dropped; i++) info->n_far += m->dropped[i].reason == MYR_DROPPED_FAR;
    info->n_overlapping = m->n_dropped - info->n_far;
    info->n_rows = m->n_rows;
    info->n_loops = m->n_loops;
    info->n_loop_rows = m->n_loop_rows;
    info->n_frames = m->n_frames;
    info->n_trees = m->n_trees;
    info->n_keyframes = m->n_keyframes, info->n_sensors = m->n_sensors, info->n_sensor_rows = m->n_sensor_rows;
    for (int t = 0; t < m->n_trees; t++) info->n_free += m->bodies[m->tree_root[t]].joint == MYR_JOINT_FREE;
    info->n_warnings = m->n_warnings;
    info->is_quadruped = m->quadruped.valid;
    info->mass_kg = m->mass;
    info->lowest_m = m->lowest_at_home;
    info->hangs_below = m->hangs_below;
    info->floor_m = m->floor;
    myr_copy3(info->gravity, m->gravity);
    info->timestep_s = m->timestep;
    info->fluid = m->fluid;
}

myr_status myr_model_get_joint(const myr_model *m, int joint, myr_joint_info *info) {
    MYR_OWN_ARITHMETIC;
    if (!m || !info) return myr_fail(MYR_E_ARG, "myr_model_get_joint: `%s` is NULL", m ? "info" : "model");
    if (joint < 0 || joint >= m->n_bodies)
        return myr_fail(MYR_E_ARG, "joint %d: model `%s` has joints 0..%d", joint, m->name, m->n_bodies - 1);
    const myr_body *b = &m->bodies[joint];
    *info = (myr_joint_info){
        .name = b->joint_name,
        .body = b->name,
        .type = b->joint,
        .parent = b->parent,
        .q = b->q,
        .v = b->v,
        .u = b->u,
        .nq = b->nq,
        .nv = b->nv,
        .lower = b->lower,
        .upper = b->upper,
        .effort_limit = b->effort_limit,
        .velocity_limit = b->velocity_limit,
        .damping = b->damping,
        .armature = b->armature,
        .dry_friction = b->dry_friction,
        .stiffness = b->stiffness,
        .spring_rest = b->spring_rest,
        .quaternion = {1.0},
    };
    if (b->joint == MYR_JOINT_REVOLUTE || b->joint == MYR_JOINT_PRISMATIC) myr_copy3(info->axis, b->axis_user);
    if (b->joint == MYR_JOINT_FREE) return MYR_OK;
    myr_copy3(info->position_m, b->position);
    myr_quaternion_from_rotation(info->quaternion, b->rotation);
    return MYR_OK;
}

myr_status myr_model_get_body(const myr_model *m, int body, myr_body_info *info) {
    MYR_OWN_ARITHMETIC;
    if (!m || !info) return myr_fail(MYR_E_ARG, "myr_model_get_body: `%s` is NULL", m ? "info" : "model");
    if (body < 0 || body >= m->n_bodies) return myr_fail(MYR_E_ARG, "body %d: model `%s` has bodies 0..%d", body, m->name, m->n_bodies - 1);
    const myr_body *b = &m->bodies[body];
    *info = (myr_body_info){.name = b->name, .parent = b->parent, .tree = b->tree, .mass_kg = b->mass};
    myr_copy3(info->com_m, b->com);
    memcpy(info->inertia_kgm2, b->inertia, sizeof info->inertia_kgm2);
    return MYR_OK;
}

myr_status myr_model_get_frame(const myr_model *m, int frame, myr_frame_info *info) {
    MYR_OWN_ARITHMETIC;
    if (!m || !info) return myr_fail(MYR_E_ARG, "myr_model_get_frame: `%s` is NULL", m ? "info" : "model");
    if (frame < 0 || frame >= m->n_frames) return myr_fail(MYR_E_ARG, "frame %d: model `%s` has %d frames", frame, m->name, m->n_frames);
    const myr_frame *f = &m->frames[frame];
    *info = (myr_frame_info){.name = f->name, .body = f->body};
    myr_copy3(info->position_m, f->position);
    myr_quaternion_from_rotation(info->quaternion, f->rotation);
    return MYR_OK;
}

myr_status myr_model_get_actuator(const myr_model *m, int actuator, myr_actuator_info *info) {
    MYR_OWN_ARITHMETIC;
    if (!m || !info) return myr_fail(MYR_E_ARG, "myr_model_get_actuator: `%s` is NULL", m ? "info" : "model");
    if (actuator < 0 || actuator >= m->nu) return myr_fail(MYR_E_ARG, "actuator %d: model `%s` has %d actuators", actuator, m->name, m->nu);
    const myr_actuator *a = &m->actuators[actuator];
    *info = (myr_actuator_info){.name = a->name,
                                .n = a->n,
                                .kp = a->kp,
                                .kd = a->kd,
                                .lower = a->lower,
                                .upper = a->upper,
                                .controls = a->controls,
                                .control_scale = a->scale,
                                .control_bias = a->bias,
                                .control_lower = a->control_lower,
                                .control_upper = a->control_upper,
                                .motor = a->motor,
                                .pushes = a->pushes,
                                .body = a->pushes ? a->frame.body : -1,
                                .quaternion = {1.0}};
    if (a->pushes) {
        myr_copy3(info->position_m, a->position);
        myr_quaternion_from_rotation(info->quaternion, a->rotation);
        memcpy(info->gear, a->gear, sizeof info->gear);
    }
    memcpy(info->joints, a->joint, sizeof info->joints);
    memcpy(info->moments, a->moment, sizeof info->moments);
    myr_actuator_start(m, actuator, &info->home_target, &info->home_torque);
    return MYR_OK;
}

myr_status myr_model_get_geom(const myr_model *m, int geom, myr_geom_info *info) {
    MYR_OWN_ARITHMETIC;
    if (!m || !info) return myr_fail(MYR_E_ARG, "myr_model_get_geom: `%s` is NULL", m ? "info" : "model");
    if (geom < 0 || geom >= m->n_geoms) return myr_fail(MYR_E_ARG, "geom %d: model `%s` has %d geoms", geom, m->name, m->n_geoms);
    const myr_geom *g = &m->geoms[geom];
    *info =
        (myr_geom_info){.name = g->name, .body = g->body, .type = g->type, .slot = g->slot, .n_slots = g->n_slots, .friction = g->friction};
    myr_copy3(info->position_m, g->position);
    myr_quaternion_from_rotation(info->quaternion, g->rotation);
    for (int k = 0; k < myr_geom_sizes[g->type]; k++) info->size_m[k] = g->size[k];
    info->points_m = g->points;
    info->n_points = g->n_points;
    info->hull_error_m = g->hull_error;
    return MYR_OK;
}

myr_status myr_model_get_row(const myr_model *m, int row, myr_row_info *info) {
    MYR_OWN_ARITHMETIC;
    if (!m || !info) return myr_fail(MYR_E_ARG, "myr_model_get_row: `%s` is NULL", m ? "info" : "model");
    if (row < 0 || row >= m->n_rows) return myr_fail(MYR_E_ARG, "row %d: model `%s` has %d joint rows", row, m->name, m->n_rows);
    const myr_joint_row *r = &m->rows[row];
    *info = (myr_row_info){.joint = r->body, .lower = r->lower, .upper = r->upper, .dry_friction = r->friction, .length_m = r->length};
    info->tendon = r->name, info->n_joints = r->n_terms;
    memcpy(info->joints, r->joint, sizeof r->joint);
    memcpy(info->coefficients, r->coefficient, sizeof r->coefficient);
    return MYR_OK;
}

/* The frame of a loop in that of the body which carries its end. */
static void loop_end(const myr_model *m, const myr_loop *l, int end, double position[3], double quaternion[4]) {
    double back[9], rotation[9];
    memcpy(rotation, l->turn[end], sizeof rotation);
    myr_copy3(position, l->at[end]);
    if (l->body[end] >= 0) {
        myr_transpose3(back, m->bodies[l->body[end]].align);
        myr_rotate(position, back, position);
        myr_multiply3(rotation, back, rotation);
    }
    myr_quaternion_from_rotation(quaternion, rotation);
}

myr_status myr_model_get_loop(const myr_model *m, int loop, myr_loop_info *info) {
    MYR_OWN_ARITHMETIC;
    if (!m || !info) return myr_fail(MYR_E_ARG, "myr_model_get_loop: `%s` is NULL", m ? "info" : "model");
    if (loop < 0 || loop >= m->n_loops) return myr_fail(MYR_E_ARG, "loop %d: model `%s` has %d loops", loop, m->name, m->n_loops);
    const myr_loop *l = &m->loops[loop];
    const int coupling = l->type == MYR_LOOP_COUPLING;
    *info = (myr_loop_info){.name = l->name,
                            .type = l->type,
                            .body = coupling ? l->joint[0] : l->body[0],
                            .other = coupling ? l->driver : l->body[1],
                            .row = l->row,
                            .n_rows = l->n_rows,
                            .length_m = l->length};
    if (coupling) {
        info->n_joints = l->n_terms;
        memcpy(info->joints, l->joint, sizeof info->joints);
        memcpy(info->coefficients, l->coefficient, sizeof info->coefficients);
        memcpy(info->polynomial, l->polynomial, sizeof info->polynomial);
        return MYR_OK;
    }
    loop_end(m, l, 0, info->position_m, info->quaternion);
    loop_end(m, l, 1, info->other_position_m, info->other_quaternion);
    return MYR_OK;
}

myr_status myr_model_get_pair(const myr_model *m, int pair, myr_pair_info *info) {
    MYR_OWN_ARITHMETIC;
    if (!m || !info) return myr_fail(MYR_E_ARG, "myr_model_get_pair: `%s` is NULL", m ? "info" : "model");
    if (pair < 0 || pair >= m->n_pairs) return myr_fail(MYR_E_ARG, "pair %d: model `%s` has %d pairs", pair, m->name, m->n_pairs);
    const myr_pair *p = &m->pairs[pair];
    *info = (myr_pair_info){
        .geom = p->geom[0], .other = p->geom[1], .slot = p->slot, .n_slots = p->n_slots, .friction = m->slots[p->slot].friction};
    return MYR_OK;
}

myr_status myr_model_get_dropped(const myr_model *m, int dropped, myr_dropped_info *info) {
    MYR_OWN_ARITHMETIC;
    if (!m || !info) return myr_fail(MYR_E_ARG, "myr_model_get_dropped: `%s` is NULL", m ? "info" : "model");
    if (dropped < 0 || dropped >= m->n_dropped)
        return myr_fail(MYR_E_ARG, "dropped pair %d: model `%s` has %d dropped pairs", dropped, m->name, m->n_dropped);
    const myr_dropped_pair *d = &m->dropped[dropped];
    *info = (myr_dropped_info){.geom = d->geom[0], .other = d->geom[1], .reason = d->reason, .gap_m = d->gap, .share = d->share};
    return MYR_OK;
}

myr_status myr_model_get_slot(const myr_model *m, int slot, myr_slot_info *info) {
    MYR_OWN_ARITHMETIC;
    if (!m || !info) return myr_fail(MYR_E_ARG, "myr_model_get_slot: `%s` is NULL", m ? "info" : "model");
    if (slot < 0 || slot >= m->n_slots) return myr_fail(MYR_E_ARG, "slot %d: model `%s` has %d slots", slot, m->name, m->n_slots);
    const myr_slot *s = &m->slots[slot];
    *info = (myr_slot_info){
        .geom = s->geom, .other = s->other, .body = s->body, .other_body = s->other_body, .feature = s->feature, .friction = s->friction};
    return MYR_OK;
}

const char *myr_model_frame_name(const myr_model *m, int frame) {
    return m && frame >= 0 && frame < m->n_frames ? m->frames[frame].name : NULL;
}

const char *myr_model_warning(const myr_model *m, int warning) {
    return m && warning >= 0 && warning < m->n_warnings ? m->warnings[warning] : NULL;
}

void myr_model_home(const myr_model *m, double *q) {
    if (m && q) memcpy(q, m->home, (size_t)m->nq * sizeof *q);
}

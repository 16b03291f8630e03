/* A whole model put into a builder: what it was described by, at home where the model itself is at home. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "merge.h"

myr_placement myr_placement_default(void) {
    const myr_placement placement = {.quaternion = {1.0, 0.0, 0.0, 0.0}, .body = -1};
    return placement;
}

/* ---- names and counts, before anything is changed --------------------------------------------- */

typedef const char *(*name_at)(const myr_builder *builder, int i);

static const char *body_name(const myr_builder *b, int i) {
    return i < b->n_bodies ? b->bodies[i].name : b->frames[i - b->n_bodies].name; /* frames share their names */
}
static const char *joint_name(const myr_builder *b, int i) { return b->bodies[i].joint == MYR_JOINT_FIXED ? "" : b->bodies[i].joint_name; }
#define MYR_NAMED(kind, kinds, what, most, owned, ids)                                                                                     \
    static const char *kind##_name(const myr_builder *b, int i) { return b->kinds[i].name; }
#include "objects.def"

static myr_status check_names(const myr_builder *to, const myr_model *model, const char *prefix) {
    const myr_builder *from = model->description;
    const struct {
        const char *what;
        name_at name;
        int there, come;
    } kinds[] = {{"body or frame", body_name, to->n_bodies + to->n_frames, from->n_bodies + from->n_frames},
                 {"joint", joint_name, to->n_bodies, from->n_bodies},
#define MYR_NAMED(kind, kinds, what, most, owned, ids) {#kind, kind##_name, to->n_##kinds, from->n_##kinds},
#include "objects.def"
                 {"keyframe", NULL, to->n_keyframes, model->n_keyframes}};
    const size_t length = strlen(prefix);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (int i = 0; i < kinds[k].there; i++) {
            const char *there = kinds[k].name ? kinds[k].name(to, i) : to->keyframes[i].name;
            if (!*there || strncmp(there, prefix, length) != 0) continue;
            for (int j = 0; j < kinds[k].come; j++)
                if (!strcmp(there + length, kinds[k].name ? kinds[k].name(from, j) : model->keyframes[j].name))
                    return myr_fail(MYR_E_ARG, "model `%s`: there is a %s `%s` already: give the model another prefix", model->name,
                                    kinds[k].what, there);
        }
    return MYR_OK;
}

static myr_status check_counts(const myr_builder *to, const myr_model *model) {
    const myr_builder *from = model->description;
    int rows = 0;
    for (int i = 0; i < to->n_loops; i++) rows += myr_loop_rows(to->loops[i].type);
    for (int i = 0; i < from->n_loops; i++) rows += myr_loop_rows(from->loops[i].type);
    const struct {
        const char *what;
        int count, most;
    } counts[] = {
#define MYR_OBJECT(kind, kinds, what, most, owned, ids) {what, to->n_##kinds + from->n_##kinds, most},
#include "objects.def"
        {"rows of loops", rows, MYR_MAX_LOOP_ROWS}};
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++)
        if (counts[k].count > counts[k].most)
            return myr_fail(MYR_E_LIMIT, "model `%s`: there would be %d %s; a model holds at most %d", model->name, counts[k].count,
                            counts[k].what, counts[k].most);
    return MYR_OK;
}

/* ---- keyframes -------------------------------------------------------------------------------- */

/* Those of the model: of its bodies and actuators alone, now. */
static myr_status add_keyframes(myr_builder *to, const myr_merged *first, const myr_model *m, const char *prefix) {
    const int controls = m->described_actuators ? m->nu : 0;
    for (int k = 0; k < m->n_keyframes; k++) {
        const myr_keyframe *from = &m->keyframes[k];
        const size_t bytes = strlen(prefix) + strlen(from->name) + 1;
        myr_described_keyframe key = {.name = myr_allocate_array(bytes, 1),
                                      .q = myr_allocate_array((size_t)(m->nq + controls), sizeof *key.q),
                                      .n = m->nq,
                                      .first_body = first->bodies,
                                      .n_bodies = m->description->n_bodies,
                                      .first_actuator = first->actuators,
                                      .n_actuators = controls};
        if (key.name) snprintf(key.name, bytes, "%s%s", prefix, from->name);
        if (key.q) memcpy(key.q, from->q, (size_t)m->nq * sizeof *key.q);
        if (key.q && from->control && controls) key.control = memcpy(key.q + m->nq, from->control, (size_t)controls * sizeof *key.q);
        if (!myr_push_keyframe(to, &key)) return myr_fail(MYR_E_MEMORY, "out of memory for keyframe `%s`", from->name);
    }
    return MYR_OK;
}

/* ---- how its roots are held ------------------------------------------------------------------- */

/* The one body that is fixed to the world and can be let go, -1: there is none, or there are several. */
static int only_root(const myr_builder *from) {
    int root = -1;
    for (int i = 0; i < from->n_bodies; i++) {
        if (from->bodies[i].parent >= 0) continue;
        if (root >= 0 || from->bodies[i].joint != MYR_JOINT_FIXED) return -1;
        root = i;
    }
    return root;
}

static int has_free(const myr_model *m) {
    for (int t = 0; t < m->n_trees; t++)
        if (m->bodies[m->tree_root[t]].joint == MYR_JOINT_FREE) return 1;
    return 0;
}

static myr_status check_roots(const myr_builder *to, const myr_model *model, const myr_placement *p) {
    const char *on = p->body < 0 ? NULL : to->bodies[p->body].name;
    if (on && (p->root == MYR_ROOT_FLOATING || (p->root == MYR_ROOT_AUTO && has_free(model))))
        return myr_fail(MYR_E_ARG, "model `%s`: it floats, but is to hang on body `%s`: ask for a fixed root", model->name, on);
    if (p->root == MYR_ROOT_FLOATING && !has_free(model) && only_root(model->description) < 0)
        return myr_fail(MYR_E_ARG, "model `%s`: it cannot be let go: not all of it hangs on one body that is fixed to the world",
                        model->name);
    return MYR_OK;
}

/* Numbers of a keyframe: `less` of them at `place` go away, or, if below 0, so many come in from `new`. */
static myr_status change_keyframes(myr_builder *to, int first, int place, int less, const double *new) {
    for (int k = first; k < to->n_keyframes; k++) {
        myr_described_keyframe *key = &to->keyframes[k];
        const int n = key->n - less, controls = key->control ? key->n_actuators : 0;
        double *q = myr_allocate_array((size_t)(n + controls), sizeof *q);
        if (!q) return myr_fail(MYR_E_MEMORY, "out of memory for keyframe `%s`", key->name);
        memcpy(q, key->q, (size_t)place * sizeof *q);
        if (less < 0) memcpy(q + place, new, (size_t)-less * sizeof *q);
        const int rest = place + (less > 0 ? less : 0);
        memcpy(q + place + (less < 0 ? -less : 0), key->q + rest, (size_t)(key->n + controls - rest) * sizeof *q);
        myr_release(key->q);
        key->q = q, key->n = n;
        if (key->control) key->control = q + n;
    }
    return MYR_OK;
}

static myr_status let_go(myr_builder *to, const myr_merged *first, int root) {
    myr_described_body *body = &to->bodies[first->bodies + root];
    body->joint = MYR_JOINT_FREE, body->has_home = 1;
    myr_copy3(body->home, body->pose.position);
    myr_quaternion_from_rotation(body->home + 3, body->pose.rotation);
    body->pose = myr_pose_identity();
    return change_keyframes(to, first->keyframes, 0, -7, body->home);
}

/* Free bodies stay where they are at home; `at`: of the model, which they hang on by `body`. */
static myr_status hold(myr_builder *to, const myr_merged *first, const myr_model *m, const int *described, const myr_pose *at, int on) {
    for (int i = m->n_bodies - 1; i >= 0; i--) { /* from the end: numbers of keyframes before it stay where they are */
        if (m->bodies[i].joint != MYR_JOINT_FREE) continue;
        myr_described_body *body = &to->bodies[first->bodies + described[i]];
        myr_pose pose;
        myr_copy3(pose.position, m->home + m->bodies[i].q);
        myr_rotation_from_quaternion(pose.rotation, m->home + m->bodies[i].q + 3);
        body->joint = MYR_JOINT_FIXED, body->parent = on, body->has_home = 0;
        body->pose = myr_pose_compose(at, &pose);
        const myr_status status = change_keyframes(to, first->keyframes, m->bodies[i].q, 7, NULL);
        if (status) return status;
    }
    return MYR_OK;
}

/* ---- home and actuators ----------------------------------------------------------------------- */

/* The described body of each body, by its name. */
static void find_described(const myr_model *m, int *described) {
    for (int i = 0; i < m->n_bodies; i++)
        for (int d = 0; d < m->description->n_bodies; d++)
            if (!strcmp(m->description->bodies[d].name, m->bodies[i].name)) described[i] = d;
}

/* As the model itself has it, whatever made it so: its joints, its keyframe, its standing pose. */
static void take_home(myr_builder *to, const myr_merged *first, const myr_model *m, const int *described, const myr_pose *at) {
    for (int i = 0; i < m->n_bodies; i++) {
        myr_described_body *body = &to->bodies[first->bodies + described[i]];
        body->has_home = 1;
        memcpy(body->home, m->home + m->bodies[i].q, (size_t)m->bodies[i].nq * sizeof *body->home);
        if (body->joint != MYR_JOINT_FREE) continue;
        myr_move_home(body->home, at);
        for (int k = first->keyframes; k < to->n_keyframes; k++) myr_move_home(to->keyframes[k].q + m->bodies[i].q, at);
    }
    for (int u = 0; u < m->description->n_actuators && m->described_actuators; u++) {
        myr_described_actuator *actuator = &to->actuators[first->actuators + u];
        actuator->has_home = m->actuators[u].has_home, actuator->home = m->actuators[u].home;
    }
}

/* An actuator for every joint of one degree of freedom below `parent`, depth first, of bodies from `first` on. */
static myr_status drive(myr_builder *to, int parent, int first, int end) {
    for (int i = first; i < end; i++) {
        const myr_described_body *body = &to->bodies[i];
        const int is_root = body->parent < first && parent < first;
        if (!is_root && body->parent != parent) continue;
        if (body->joint == MYR_JOINT_REVOLUTE || body->joint == MYR_JOINT_PRISMATIC) {
            myr_actuator_def def = myr_actuator_def_default();
            def.joints[0] = i;
            const myr_status status = myr_builder_actuator(to, &def);
            if (status) return status;
        }
        const myr_status status = drive(to, i, first, end);
        if (status) return status;
    }
    return MYR_OK;
}

myr_status myr_drive_joints(myr_builder *builder) {
    if (builder->passive) return MYR_OK;
    const myr_status status = drive(builder, -1, 0, builder->n_bodies);
    builder->passive = 1;
    return status;
}

/* Where one of both describes its actuators and the other one does not, the other's joints get theirs by name. */
static myr_status drive_before(myr_builder *to, const myr_builder *from) { return from->passive ? myr_drive_joints(to) : MYR_OK; }

static myr_status drive_after(myr_builder *to, const myr_merged *first, const myr_builder *from) {
    return to->passive && !from->passive ? drive(to, -1, first->bodies, to->n_bodies) : MYR_OK;
}

/* ---- gravity, ground, timestep ---------------------------------------------------------------- */

/* There is one of each. A builder without bodies takes them over; what comes later and says otherwise is told. */
static myr_status take_world(myr_builder *to, const myr_model *model) {
    const myr_builder *from = model->description;
    char what[200];
    int used = 0;
    if (!to->n_bodies) {
        to->has_gravity = from->has_gravity, to->floor = from->floor, to->timestep = from->timestep;
        if (!myr_drags(&to->fluid)) to->fluid = from->fluid; /* of these alone a builder may have said something before */
        myr_copy3(to->gravity, from->gravity);
        return MYR_OK;
    }
    static const double usual[3] = {0.0, 0.0, -9.81};
    const double *own = to->has_gravity ? to->gravity : usual, *its = from->gravity;
    if (from->has_gravity && (own[0] != its[0] || own[1] != its[1] || own[2] != its[2]))
        used += snprintf(what + used, sizeof what - (size_t)used, " gravity %g %g %g;", its[0], its[1], its[2]);
    if (from->floor != 0.0 && from->floor != to->floor)
        used += snprintf(what + used, sizeof what - (size_t)used, " the ground at %g m;", from->floor);
    if (from->timestep != 0.0 && from->timestep != to->timestep)
        used += snprintf(what + used, sizeof what - (size_t)used, " a timestep of %g s;", from->timestep);
    if (myr_drags(&from->fluid) && memcmp(&from->fluid, &to->fluid, sizeof to->fluid) != 0)
        used += snprintf(what + used, sizeof what - (size_t)used, " a fluid of %g kg/m^3;", from->fluid.density);
    if (!used) return MYR_OK;
    what[used - 1] = '\0';
    return myr_texts_add(&to->warnings, "`%s`: what its file says of the world does not count, as something else came first:%s",
                         model->name, what);
}

/* ---- the call --------------------------------------------------------------------------------- */

static myr_status add(myr_builder *to, const myr_model *model, const myr_placement *p, const myr_pose *at, const int *described) {
    const char *prefix = p->prefix ? p->prefix : "";
    const myr_merged before = myr_builder_counts(to);
    const myr_builder was = *to;
    myr_merged first = before;
    myr_status status = take_world(to, model);
    if (!status) status = drive_before(to, model->description);
    if (!status) {
        first = myr_builder_counts(to);
        status = myr_builder_merge(to, model->description, prefix, at, p->body);
    }
    if (!status) status = add_keyframes(to, &first, model, prefix);
    if (!status) {
        take_home(to, &first, model, described, at);
        if (p->root == MYR_ROOT_FLOATING && !has_free(model)) status = let_go(to, &first, only_root(model->description));
        if (p->root == MYR_ROOT_FIXED) status = hold(to, &first, model, described, at, p->body);
    }
    if (!status) status = drive_after(to, &first, model->description);
    if (!status) {
        to->no_kin_in_world |= model->description->no_kin_in_world, to->keeps_kin |= model->description->keeps_kin;
        return MYR_OK;
    }
    myr_builder_cut(to, &before);
    to->passive = was.passive, to->has_gravity = was.has_gravity, to->floor = was.floor, to->timestep = was.timestep, to->fluid = was.fluid;
    myr_copy3(to->gravity, was.gravity);
    return status;
}

myr_status myr_builder_add_model(myr_builder *builder, const myr_model *model, const myr_placement *placement) {
    MYR_OWN_ARITHMETIC;
    const myr_placement usual = myr_placement_default();
    if (!builder || !model) return myr_fail(MYR_E_ARG, "myr_builder_add_model: `%s` is NULL", builder ? "model" : "builder");
    if (!placement) placement = &usual;
    if (placement->body < -1 || placement->body >= builder->n_bodies)
        return myr_fail(MYR_E_ARG, "model `%s`: body is %d; this builder has %d bodies, the world is -1", model->name, placement->body,
                        builder->n_bodies);
    if ((int)placement->root < MYR_ROOT_AUTO || placement->root > MYR_ROOT_FIXED)
        return myr_fail(MYR_E_ARG, "model `%s`: root %d does not exist", model->name, (int)placement->root);
    myr_pose at;
    myr_status status = myr_make_pose(&at, placement->position_m, placement->quaternion, model->name);
    if (!status) status = check_roots(builder, model, placement);
    if (!status) status = check_counts(builder, model);
    if (!status) status = check_names(builder, model, placement->prefix ? placement->prefix : "");
    if (status) return status;
    int *described = myr_allocate_array((size_t)model->n_bodies, sizeof *described);
    if (!described) return myr_fail(MYR_E_MEMORY, "out of memory for model `%s`", model->name);
    find_described(model, described);
    status = add(builder, model, placement, &at, described);
    myr_release(described);
    return status;
}

/* ---- what came in, by name -------------------------------------------------------------------- */

static const char *own_body_name(const myr_builder *b, int i) { return b->bodies[i].name; }
static const char *geom_name(const myr_builder *b, int i) { return b->geoms[i].name; }

static myr_status find(const myr_builder *builder, const char *kind, name_at name_of, int n, const char *name, int *out) {
    int times = 0;
    for (int i = 0; i < n; i++)
        if (!strcmp(name_of(builder, i), name) && !times++) *out = i;
    if (times == 1) return MYR_OK;
    *out = -1;
    if (times) return myr_fail(MYR_E_ARG, "builder `%s` has %d %ss `%s`", builder->name, times, kind, name);
    return myr_fail(MYR_E_ARG, "builder `%s` has no %s `%s`", builder->name, kind, name);
}

myr_status myr_builder_find_body(const myr_builder *builder, const char *name, int *body) {
    MYR_OWN_ARITHMETIC;
    if (body) *body = -1;
    if (!builder || !name || !body) return myr_fail(MYR_E_ARG, "myr_builder_find_body: an argument is NULL");
    return find(builder, "body", own_body_name, builder->n_bodies, name, body);
}

myr_status myr_builder_find_geom(const myr_builder *builder, const char *name, int *geom) {
    MYR_OWN_ARITHMETIC;
    if (geom) *geom = -1;
    if (!builder || !name || !geom) return myr_fail(MYR_E_ARG, "myr_builder_find_geom: an argument is NULL");
    return find(builder, "geom", geom_name, builder->n_geoms, name, geom);
}

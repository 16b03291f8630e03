/* A description put into another one: arrays end to end, numbers moved on by what was there, names with a prefix. Items are copied whole
 * and then mended, so that what is added to them comes along. */
#include "merge.h"

#include <stdio.h>

#include "memory.h"

typedef struct merging {
    myr_builder *to;
    const myr_builder *from;
    const char *prefix;
    const myr_pose *at;
    int on;
    myr_merged first;
} merging;

myr_merged myr_builder_counts(const myr_builder *b) {
    return (myr_merged){b->n_bodies, b->n_geoms,   b->n_frames,    b->n_pairs,     b->n_frictions,
                        b->n_loops,  b->n_tendons, b->n_actuators, b->n_keyframes, b->warnings.count};
}

void myr_builder_cut(myr_builder *b, const myr_merged *n) {
    while (b->n_bodies > n->bodies) {
        const myr_described_body *body = &b->bodies[--b->n_bodies];
        myr_release(body->name), myr_release(body->joint_name);
    }
    while (b->n_geoms > n->geoms) b->n_geoms--, myr_release(b->geoms[b->n_geoms].name), myr_release(b->geoms[b->n_geoms].points);
    while (b->n_frames > n->frames) myr_release(b->frames[--b->n_frames].name);
    while (b->n_loops > n->loops) myr_release(b->loops[--b->n_loops].name);
    while (b->n_tendons > n->tendons) myr_release(b->tendons[--b->n_tendons].name);
    while (b->n_actuators > n->actuators) myr_release(b->actuators[--b->n_actuators].name);
    while (b->n_keyframes > n->keyframes) {
        const myr_described_keyframe *key = &b->keyframes[--b->n_keyframes];
        myr_release(key->name), myr_release(key->q);
    }
    while (b->warnings.count > n->warnings) myr_release(b->warnings.items[--b->warnings.count]);
    b->n_pairs = n->pairs, b->n_frictions = n->frictions;
}

static char *prefixed(const merging *g, const char *name) {
    const size_t bytes = strlen(g->prefix) + strlen(name) + 1;
    char *text = myr_allocate_array(bytes, 1);
    if (text) snprintf(text, bytes, "%s%s", g->prefix, name);
    return text;
}

static double *copied(const double *numbers, size_t n) {
    double *copy = myr_allocate_array(n, sizeof *copy);
    if (copy) memcpy(copy, numbers, n * sizeof *copy);
    return copy;
}

void myr_move_home(double home[7], const myr_pose *at) {
    double turn[4];
    const double q[4] = {home[3], home[4], home[5], home[6]};
    myr_quaternion_from_rotation(turn, at->rotation);
    myr_rotate(home, at->rotation, home);
    for (int k = 0; k < 3; k++) home[k] += at->position[k];
    home[3] = turn[0] * q[0] - turn[1] * q[1] - turn[2] * q[2] - turn[3] * q[3];
    home[4] = turn[0] * q[1] + turn[1] * q[0] + turn[2] * q[3] - turn[3] * q[2];
    home[5] = turn[0] * q[2] - turn[1] * q[3] + turn[2] * q[0] + turn[3] * q[1];
    home[6] = turn[0] * q[3] + turn[1] * q[2] - turn[2] * q[1] + turn[3] * q[0];
}

/* A number of the other description, where -1 means its world. */
static int body_of(const merging *g, int body) { return body < 0 ? g->on : body + g->first.bodies; }

/* Each adds one item; 0: there is no memory. What it allocates before that, and does not keep, it releases. */
static int add_body(merging *g, int i) {
    myr_described_body body = g->from->bodies[i];
    body.line = 0; /* of another file */
    body.name = prefixed(g, body.name), body.joint_name = prefixed(g, body.joint_name);
    if (body.joint == MYR_JOINT_FREE) {
        if (body.has_home) myr_move_home(body.home, g->at);
    } else {
        if (body.parent < 0) body.pose = myr_pose_compose(g->at, &body.pose);
        body.parent = body_of(g, body.parent);
    }
    if (!body.name || !body.joint_name || !myr_grow((void **)&g->to->bodies, &g->to->body_capacity, g->to->n_bodies, sizeof body)) {
        myr_release(body.name), myr_release(body.joint_name);
        return 0;
    }
    g->to->bodies[g->to->n_bodies++] = body;
    return 1;
}

static int add_geom(merging *g, int i) {
    myr_described_geom geom = g->from->geoms[i];
    geom.name = prefixed(g, geom.name);
    geom.body += g->first.bodies;
    if (geom.self == MYR_SELF_BY_FILE) geom.self = g->from->self_collision;
    if (geom.n_points) geom.points = copied(geom.points, 3 * (size_t)geom.n_points);
    if (!geom.name || (geom.n_points && !geom.points) ||
        !myr_grow((void **)&g->to->geoms, &g->to->geom_capacity, g->to->n_geoms, sizeof geom)) {
        myr_release(geom.name), myr_release(geom.n_points ? geom.points : NULL);
        return 0;
    }
    g->to->geoms[g->to->n_geoms++] = geom;
    return 1;
}

static int add_frame(merging *g, int i) {
    myr_described_frame frame = g->from->frames[i];
    frame.name = prefixed(g, frame.name);
    if (frame.body < 0) frame.pose = myr_pose_compose(g->at, &frame.pose);
    frame.body = body_of(g, frame.body);
    if (!frame.name || !myr_grow((void **)&g->to->frames, &g->to->frame_capacity, g->to->n_frames, sizeof frame)) {
        myr_release(frame.name);
        return 0;
    }
    g->to->frames[g->to->n_frames++] = frame;
    return 1;
}

static int add_pair(merging *g, int i) {
    myr_described_pair pair = g->from->pairs[i];
    for (int k = 0; k < 2; k++) pair.geom[k] += g->first.geoms;
    if (!myr_grow((void **)&g->to->pairs, &g->to->pair_capacity, g->to->n_pairs, sizeof pair)) return 0;
    g->to->pairs[g->to->n_pairs++] = pair;
    return 1;
}

static int add_friction(merging *g, int i) {
    myr_described_friction word = g->from->frictions[i];
    for (int k = 0; k < 2; k++) word.geom[k] += word.geom[k] < 0 ? 0 : g->first.geoms;
    if (!myr_grow((void **)&g->to->frictions, &g->to->friction_capacity, g->to->n_frictions, sizeof word)) return 0;
    g->to->frictions[g->to->n_frictions++] = word;
    return 1;
}

static int add_loop(merging *g, int i) {
    myr_described_loop loop = g->from->loops[i];
    loop.line = 0;
    loop.name = prefixed(g, loop.name);
    if (loop.type != MYR_LOOP_COUPLING) {
        loop.body += g->first.bodies;
        if (loop.other < 0) loop.pose[1] = myr_pose_compose(g->at, &loop.pose[1]);
        loop.other = body_of(g, loop.other);
    }
    for (int k = 0; k < loop.n; k++) loop.joints[k] += g->first.bodies;
    if (loop.driver >= 0) loop.driver += g->first.bodies;
    if (!loop.name || !myr_grow((void **)&g->to->loops, &g->to->loop_capacity, g->to->n_loops, sizeof loop)) {
        myr_release(loop.name);
        return 0;
    }
    g->to->loops[g->to->n_loops++] = loop;
    return 1;
}

static int add_tendon(merging *g, int i) {
    myr_described_tendon tendon = g->from->tendons[i];
    tendon.name = prefixed(g, tendon.name);
    for (int k = 0; k < tendon.def.n; k++) tendon.def.joints[k] += g->first.bodies;
    if (!tendon.name || !myr_grow((void **)&g->to->tendons, &g->to->tendon_capacity, g->to->n_tendons, sizeof tendon)) {
        myr_release(tendon.name);
        return 0;
    }
    g->to->tendons[g->to->n_tendons++] = tendon;
    return 1;
}

static int add_actuator(merging *g, int i) {
    myr_described_actuator actuator = g->from->actuators[i];
    actuator.name = prefixed(g, actuator.name);
    for (int k = 0; k < actuator.def.n; k++) actuator.def.joints[k] += g->first.bodies;
    if (!actuator.name || !myr_grow((void **)&g->to->actuators, &g->to->actuator_capacity, g->to->n_actuators, sizeof actuator)) {
        myr_release(actuator.name);
        return 0;
    }
    g->to->actuators[g->to->n_actuators++] = actuator;
    return 1;
}

static int add_warning(merging *g, int i) { return myr_texts_add(&g->to->warnings, "%s", g->from->warnings.items[i]) == MYR_OK; }

myr_status myr_builder_merge(myr_builder *to, const myr_builder *from, const char *prefix, const myr_pose *at, int on) {
    merging g = {to, from, prefix, at, on, myr_builder_counts(to)};
    const struct {
        int n, (*add)(merging *g, int i);
    } parts[] = {{from->n_bodies, add_body},    {from->n_geoms, add_geom},         {from->n_frames, add_frame},
                 {from->n_pairs, add_pair},     {from->n_frictions, add_friction}, {from->n_loops, add_loop},
                 {from->n_tendons, add_tendon}, {from->n_actuators, add_actuator}, {from->warnings.count, add_warning}};
    for (size_t part = 0; part < sizeof parts / sizeof *parts; part++)
        for (int i = 0; i < parts[part].n; i++)
            if (!parts[part].add(&g, i)) {
                myr_builder_cut(to, &g.first);
                return myr_fail(MYR_E_MEMORY, "out of memory for what `%s` describes", from->name);
            }
    return MYR_OK;
}

myr_builder *myr_builder_copy(const myr_builder *builder) {
    const myr_pose here = myr_pose_identity();
    myr_builder *copy = NULL;
    if (myr_builder_create(builder->name, &copy)) return NULL;
    char *name = copy->name;
    const myr_builder none = *copy;
    *copy = *builder;
    copy->name = name, copy->label = NULL;
    copy->bodies = none.bodies, copy->geoms = none.geoms, copy->frames = none.frames, copy->pairs = none.pairs;
    copy->frictions = none.frictions, copy->loops = none.loops, copy->tendons = none.tendons, copy->actuators = none.actuators,
    copy->keyframes = none.keyframes;
    copy->n_bodies = copy->n_geoms = copy->n_frames = copy->n_pairs = copy->n_frictions = copy->n_loops = copy->n_tendons =
        copy->n_actuators = copy->n_keyframes = 0;
    copy->body_capacity = copy->geom_capacity = copy->frame_capacity = copy->pair_capacity = copy->friction_capacity = copy->loop_capacity =
        copy->tendon_capacity = copy->actuator_capacity = copy->keyframe_capacity = 0;
    copy->warnings = (myr_texts){NULL, 0, 0};
    if (myr_builder_merge(copy, builder, "", &here, -1)) {
        myr_builder_free(copy);
        return NULL;
    }
    return copy;
}

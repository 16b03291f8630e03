/* A description put into another one: arrays end to end, numbers moved on by what was there, names with a prefix. Items are copied whole
 * and then mended, so that what is added to them comes along. */
#include "merge.h"

#include <stdio.h>

#include "base/memory.h"

typedef struct merging {
    myr_builder *to;
    const myr_builder *from;
    const char *prefix;
    const myr_pose *at;
    int on;
    myr_merged first;
} merging;

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

/* ---- what a line of objects.def cannot say ---------------------------------------------------- */

static void mend_body(const merging *g, myr_described_body *body) {
    body->line = 0; /* of another file */
    if (body->joint == MYR_JOINT_FREE) {
        if (body->has_home) myr_move_home(body->home, g->at);
        return;
    }
    if (body->parent < 0) body->pose = myr_pose_compose(g->at, &body->pose);
    body->parent = body_of(g, body->parent);
}

static void mend_geom(const merging *g, myr_described_geom *geom) {
    if (geom->self == MYR_SELF_BY_FILE) geom->self = g->from->self_collision;
    if (geom->friction_group) geom->friction_group += g->first.friction_groups;
}

static void mend_loop(const merging *g, myr_described_loop *loop) {
    loop->line = 0;
    if (loop->type == MYR_LOOP_COUPLING) return;
    loop->body = body_of(g, loop->body);
    if (loop->other < 0) loop->pose[1] = myr_pose_compose(g->at, &loop->pose[1]);
    loop->other = body_of(g, loop->other);
}

/* ---- all kinds -------------------------------------------------------------------------------- */

/* Each adds one item; 0: there is no memory. */
#define MYR_APART(kind, kinds, what, most, owned)
#define MYR_OBJECT(kind, kinds, what, most, owned, ids)                                                                                    \
    static int add_##kind(merging *g, int i) {                                                                                             \
        myr_described_##kind item = g->from->kinds[i], *o = &item;                                                                         \
        owned ids;                                                                                                                         \
        return myr_push_##kind(g->to, o);                                                                                                  \
    }
#define NAME(member) o->member = prefixed(g, o->member);
#define NET(member) myr_motor_net_retain(o->member);
#define NUMBERS(member, n) o->member = (n) > 0 ? copied(o->member, (size_t)(n)) : NULL;
#define ID(kinds, member) o->member += o->member < 0 ? 0 : g->first.kinds;
#define IDS(kinds, member, n)                                                                                                              \
    for (int k = 0; k < n; k++) ID(kinds, member[k])
#define PLACE(member, pose)                                                                                                                \
    if (o->member < 0) o->pose = myr_pose_compose(g->at, &o->pose);                                                                        \
    o->member = body_of(g, o->member);
#define MEND(function) function(g, o);
#include "objects.def"

static int add_warning(merging *g, int i) { return myr_texts_add(&g->to->warnings, "%s", g->from->warnings.items[i]) == MYR_OK; }

myr_status myr_builder_merge(myr_builder *to, const myr_builder *from, const char *prefix, const myr_pose *at, int on) {
    merging g = {to, from, prefix, at, on, myr_builder_counts(to)};
    const struct {
        int n, (*add)(merging *g, int i);
    } parts[] = {
#define MYR_APART(kind, kinds, what, most, owned)
#define MYR_OBJECT(kind, kinds, what, most, owned, ids) {from->n_##kinds, add_##kind},
#include "objects.def"
        {from->warnings.count, add_warning}};
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
    *copy = *builder;
    copy->name = name, copy->label = NULL;
#define MYR_OBJECT(kind, kinds, what, most, owned, ids) copy->kinds = NULL, copy->n_##kinds = copy->kind##_capacity = 0;
#include "objects.def"
    copy->warnings = (myr_texts){NULL, 0, 0};
    if (myr_builder_merge(copy, builder, "", &here, -1)) {
        myr_builder_free(copy);
        return NULL;
    }
    return copy;
}

/* Pairs of geoms: relative poses -> their slots. The world's axes, lengths from the bases of the trees, so that only the distance between
 * two bases feels how far out in the world they are. */
#ifndef MYR_COLLISION_PAIRS_LANE_H
#define MYR_COLLISION_PAIRS_LANE_H

#include "bounds.lane.h"
#include "boxes.lane.h"
#include "convex.lane.h"
#include "cylinder.lane.h"
#include "occupied.lane.h"
#include "robot/window.lane.h"
#include "working_set.lane.h"

#define PAIR_OF(a, b) (8 * (int)(a) + (int)(b))

static inline vf *solid_look(const workspace *w, size_t at) { return (vf *)(void *)((char *)w->solid_x + at); }

/* The centre of a geom of the world. Position and middle in the numbers' own precision are not their sum in double, which is what a hull
 * has where the model puts it: those that never move keep its bits. */
static inline v3 world_center(const part *p, const lane_solid *is) {
    const vf *rows = field_rows(p, MYR_ROWS_world_at) + PARTS * 3 * is->world;
    const v3 at = {rows[0], rows[PARTS], rows[2 * PARTS]};
    if (!is->hull.n) return at;
    const v3 own = v3_uniform(is->place);
    const vm unmoved = vm_and(vm_eq(at.x, own.x), vm_and(vm_eq(at.y, own.y), vm_eq(at.z, own.z)));
    return v3_select(unmoved, v3_uniform(is->at), v3_add(at, v3_uniform(is->middle)));
}

/* Of all geoms the centre in the base frame of its tree, and how far from it the geom may be touched within the step: two of one tree that
 * are farther apart than both reaches do not touch. So few geoms of a humanoid are ever turned into the world's axes. */
static void place_centers(const part *p) {
    const robot *r = p->r;
    workspace *w = p->w;
    v3_store(w->solid_x, v3_zero());
    w->solid_x[3] = vf_set(1);
    const vf half = vf_set((real)0.5) * vf_max(w->closed, w->spare);
    for (int s = 0; s < r->n_solids; s++) {
        const lane_solid *is = &r->solids[s];
        const lane_body *b = is->body < 0 ? NULL : &r->bodies[is->body];
        vf *look = solid_look(w, robot_look(s));
        vf speed = vf_zero();
        w->placed[s] = 0;
        if (!b && !is->looked) continue; /* gates know it */
        v3 center = b ? v3_uniform(is->at) : world_center(p, is);
        if (b) {
            const int root = r->tree_root[b->tree], carried = r->bodies[root].joint == MYR_JOINT_FREE;
            if (b->joint != MYR_JOINT_FREE) center = v3_add(v3_load(w->p + 3 * is->body), m3_mul(w->R + 9 * is->body, center));
            speed = carried ? w->speed[is->body] - w->speed[root] : w->speed[is->body]; /* seen from the base */
        }
        v3_store(look, center);
        look[3] = vf_fma(vf_set((real)1.001 * p->dt), speed, vf_set((real)1.001 * is->reach) + half); /* more than rounding */
    }
}

/* A geom that is looked at, in the world's axes. */
static void place_solid(const part *p, int s) {
    const robot *r = p->r;
    workspace *w = p->w;
    const lane_solid *is = &r->solids[s];
    vf *R = w->solid_R + 9 * s, *at = w->solid_at + 3 * s;
    const v3 center = is->body < 0 ? world_center(p, is) : v3_load(solid_look(w, robot_look(s)));
    w->placed[s] = 1;
    if (is->body < 0) {
        for (int k = 0; k < 9; k++) R[k] = vf_set(is->turn[k]);
        v3_store(at, center);
        return;
    }
    const lane_body *b = &r->bodies[is->body];
    const vf *R0 = w->R0 + 9 * b->tree, *own = w->R + 9 * is->body;
    v3_store(at, m3_mul(R0, center));
    for (int k = 0; k < 3; k++) {
        const real column[3] = {is->turn[k], is->turn[3 + k], is->turn[6 + k]};
        v3 axis = v3_uniform(column);
        if (b->joint != MYR_JOINT_FREE) axis = m3_mul(own, axis);
        axis = m3_mul(R0, axis);
        R[k] = axis.x, R[3 + k] = axis.y, R[6 + k] = axis.z;
    }
}

static inline v3 solid_base(const part *p, const lane_solid *s) { return s->tree < 0 ? v3_zero() : v3_load(p->w->tree_at + 3 * s->tree); }

/* `near`: lanes where the balls around the two meet; in others anything may come out. `reach`: gaps wider than that are of no interest. */
static void find_manifold(solid a, solid b, v3 d, vm near, vf reach, manifold *m) {
    switch (PAIR_OF(a.is->type, b.is->type)) {
#define MYR_PAIR(first, second, function, slots)                                                                                           \
    case PAIR_OF(MYR_GEOM_##first, MYR_GEOM_##second):                                                                                     \
        function(a, b, d, near, reach, m);                                                                                                 \
        break;
#include "model/pairs.def"
#undef MYR_PAIR
    default: m->normal = v3_zero(); /* the model has no others; gcc wants to be told */
    }
}

/* A point (world axes, from the base of a solid's tree) in that base's axes. */
static inline v3 in_base(const part *p, const lane_solid *s, v3 x) { return s->tree < 0 ? x : m3_mul_t(p->w->R0 + 9 * s->tree, x); }

/* How near two solids must be for one of the pair's slots to be asked: what carries both does not bring them nearer. Gaps of
 * a metre stand for none (manifold.lane.h): PAIR_REACH and the setting `gap` together are less. */
#define PAIR_REACH 0.4
static inline vf pair_window(const part *p, const lane_pair *pair, const lane_solid *a, const lane_solid *b) {
    const workspace *w = p->w;
    const vf zero = vf_zero(), mine = a->body < 0 ? zero : w->speed[a->body], others = b->body < 0 ? zero : w->speed[b->body];
    const vf both = pair->meet < 0 ? zero : w->speed[pair->meet];
    const vf rate = vf_max((mine - both) + (others - both), zero);
    return vf_max(w->closed, w->spare + vf_min(vf_set(p->dt) * rate, vf_set((real)PAIR_REACH)));
}

/* Where the bodies of a pair have a contact that is at `at`, from the base of b's tree in world axes: there, in the base frames of both. */
typedef struct pair_place {
    v3 first, second;
} pair_place;

static inline pair_place pair_at(const part *p, const lane_pair *pair, v3 d, v3 at) {
    const workspace *w = p->w;
    const lane_solid *a = &p->r->solids[pair->a], *b = &p->r->solids[pair->b];
    const lane_solid *first = pair->swapped ? b : a, *second = pair->swapped ? a : b;
    const v3 at_b = v3_load(w->solid_at + 3 * pair->b), at_a = v3_load(w->solid_at + 3 * pair->a), from_b = v3_add(at_b, at);
    const v3 from_a = a->tree == b->tree ? from_b : v3_add(at_a, v3_sub(at, d));
    return (pair_place){in_base(p, first, pair->swapped ? from_b : from_a), in_base(p, second, pair->swapped ? from_a : from_b)};
}

/* Slots of one pair; lanes that do not touch get a harmless frame and point, so that nothing of theirs can be infinite. */
static void pair_slots(const part *p, const lane_pair *pair, vm near, vf window, v3 d, const manifold *m) {
    workspace *w = p->w;
    const int n = pair->n_slots < MOST_FEATURES ? pair->n_slots : MOST_FEATURES; /* it is no more; gcc wants to be told */
    vm active[MOST_FEATURES], touching = vm_none();
    vf ends[MOST_FEATURES], F[9];
    const v3 z = pair->swapped ? (v3){-m->normal.x, -m->normal.y, -m->normal.z} : m->normal;
    for (int k = 0; k < n; k++) {
        active[k] = vm_and(near, vm_le(m->gap[k], w->closed)), ends[k] = m->gap[k];
        const vm may = vm_andnot(vm_and(near, vm_le(m->gap[k], window)), active[k]);
        if (vm_any(may)) {
            const pair_place at = pair_at(p, pair, d, m->at[k]);
            const vf apart = window_apart(p, &p->r->slots[pair->slot + k], z, at.first, at.second);
            ends[k] = vf_select(may, window_ends(p, m->gap[k], apart), ends[k]);
            active[k] = vm_or(active[k], vm_and(may, window_reached(p, m->gap[k], ends[k])));
        }
        touching = vm_or(touching, active[k]);
    }
    if (!vm_any(touching)) return;
    contact_axes(v3_select(touching, z, world_up()), F);
    patch f = patch_open(w);
    const int first = w->n_out, chooses = p->options->working_sets && n > FEW_SLOTS;
    for (int k = 0; k < n; k++) {
        if (!vm_any(active[k])) continue;
        if (p->r->mixed && !vm_any(active[k] = entry_fits(p, active[k]))) continue;
        const v3 at = v3_select(active[k], m->at[k], v3_zero());
        const vf gap = vf_select(active[k], m->gap[k], vf_zero());
        if (chooses)
            candidate_add(w, pair->slot + k, active[k], at, gap, vf_select(active[k], ends[k], vf_zero()), NULL);
        else
            patch_add(p, &f, pair->slot + k, active[k], at, window_rests_pair(p, gap), NULL);
    }
    if (chooses) patch_choose(p, &f, first, v3_load(F + 6));
    patch_close(w, &f);
    for (int k = first; k < w->n_out; k++) {
        const pair_place x = pair_at(p, pair, d, v3_load(w->out_x + 3 * k));
        v3_store(w->out_x + 3 * k, x.first);
        v3_store(w->out_other_x + 3 * k, x.second);
    }
    for (int entry = f.first; entry < f.end; entry++) {
        const pair_place x = pair_at(p, pair, d, v3_load(w->slot_x + 3 * entry));
        v3_store(w->slot_x + 3 * entry, x.first);
        v3_store(w->slot_other_x + 3 * entry, x.second);
        memcpy(contact_frame(p, entry), F, sizeof F);
    }
}

/* A pair that may be near. */
static void collide_pair(const part *p, const lane_pair *pair, vm alive) {
    const robot *r = p->r;
    const workspace *w = p->w;
    const lane_solid *a = &r->solids[pair->a], *b = &r->solids[pair->b];
    if (!w->placed[pair->a]) place_solid(p, pair->a);
    if (!w->placed[pair->b]) place_solid(p, pair->b);
    v3 d = v3_sub(v3_load(w->solid_at + 3 * pair->a), v3_load(w->solid_at + 3 * pair->b));
    if (a->tree != b->tree) d = v3_add(d, v3_sub(solid_base(p, a), solid_base(p, b)));
    const vf window = pair_window(p, pair, a, b);
    const vf wide = vf_set((real)1.0001 * (a->reach + b->reach)) + window; /* more than rounding can make of it */
    vm near = vm_and(alive, vm_le(v3_dot(d, d), wide * wide));
    if (!vm_any(near)) return;
    const solid first = {a, w->solid_R + 9 * pair->a}, second = {b, w->solid_R + 9 * pair->b};
    if (pair->bounded && !vm_any(near = bounds_meet(first, second, d, near, window))) return;
    manifold m;
    find_manifold(first, second, v3_select(near, d, v3_zero()), near, window, &m);
    pair_slots(p, pair, near, window, d, &m);
}

/* Which gates are open: the ball around a floating tree, about its base, may touch the geom of the world within the step. A lane goes by
 * its own gate even where another lane's lets the pair be looked at: what rounding makes of a far place is then its own, too. */
static void open_gates(const part *p) {
    const robot *r = p->r;
    workspace *w = p->w;
    const vf window = vf_max(w->closed, w->spare);
    w->gate[0] = (int)p->alive;
    int tree = -1;
    vf around = vf_zero();
    for (int g = 1; g < r->n_gates; g++) {
        const lane_gate *is = &r->gates[g];
        if (is->tree != tree) {
            vf fastest = vf_zero();
            tree = is->tree;
            const lane_body *root = &r->bodies[r->tree_root[tree]], *end = r->bodies + r->n_bodies;
            for (const lane_body *b = root; b < end && b->tree == tree; b++) fastest = vf_max(fastest, w->speed[b - r->bodies]);
            around = vf_fma(vf_set((real)1.001 * p->dt), fastest, vf_set((real)1.001 * root->sweep) + window);
        }
        const lane_solid *shape = &r->solids[is->solid];
        const vf reach = around + vf_set((real)1.001 * shape->reach);
        const v3 d = v3_sub(v3_load(w->tree_at + 3 * tree), world_center(p, shape));
        w->gate[g] = (int)(vm_bits(vm_le(v3_dot(d, d), reach * reach)) & p->alive);
    }
}

/* After the contacts with the ground. Of 416 pairs of a G1 that dances some 400 are far apart in all lanes.
 *
 * Tried: each tile keeps which pairs were near when all were measured last, and measures again when some geom has gone too far. It saves 3
 * % of a dance's instructions and no time. */
static void collide_pairs(const part *p) {
    const robot *r = p->r;
    const workspace *w = p->w;
    place_centers(p);
    open_gates(p);
    for (const lane_pair *pair = r->pairs, *end = pair + r->n_pairs; pair < end; pair++) {
        const unsigned open = (unsigned)w->gate[pair->gate];
        if (!open) continue;
        const vf *a = solid_look(w, pair->look[0]), *b = solid_look(w, pair->look[1]), reach = a[3] + b[3];
        const v3 d = v3_sub(v3_load(a), v3_load(b));
        if (vm_any(vm_le(v3_dot(d, d), reach * reach))) collide_pair(p, pair, vm_from_bits(open));
    }
}

#endif

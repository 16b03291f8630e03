/* How far two cores are apart, by directions: s(n) = the least of n x over a less the most over b. The distance is the largest s over unit
 * n, of cores that overlap too, whose overlap is minus that. Every s is therefore a bound, and what is returned is the best one seen.
 *
 * A look is that of Gilbert, Johnson & Keerthi 1988. The newest point of the simplex is in the nearest part of it, so of a tetrahedron
 * seven parts remain to be looked at. A direction comes from the part's own plane or line, not from a difference of near points: that of
 * two faces is right however small the gap is.
 *
 * First a look at cores a little smaller, which do not overlap where contacts are: its direction is nearly right. Cores apart get a second
 * one from there. Cores that touch or overlap climb: they are pushed apart along the best direction so far, to a small gap, and looked
 * at again. The nearest points then give a direction n with s(n) at least that of the push, the same only where no other nearby is
 * better; a face is found at once. What overlaps by more than rounding climbs again from three directions around the best one: the
 * overlap of a corner has several least ones, and these are the others. */
#ifndef MYR_COLLISION_GJK_LANE_H
#define MYR_COLLISION_GJK_LANE_H

#include "support.lane.h"

/* In terms of the scale: when s has come this near to the distance a lane is done. */
#define GJK_PROGRESS (MYR_DOUBLE ? 0x1p-40 : 0x1p-20)
#define GJK_TOUCHING (MYR_DOUBLE ? 0x1p-40 : 0x1p-20)
#define GJK_STEPS (MYR_DOUBLE ? 40 : 24)
#define GJK_SMALLER 0.98
/* The gap to which cores are pushed apart: small, as the direction of the push is in the answer by its share of the way. */
#define GJK_PUSH (MYR_DOUBLE ? 0x1p-16 : 0x1p-14)
#define GJK_PUSHES 8
#define GJK_TRIES 2 /* pushes from each of the directions around; then on from the best of them */
#define GJK_DEEP 0x1p-16
#define GJK_TILT 1 /* tangent of the angle to the directions around */

typedef struct convex_gap {
    v3 normal;     /* from b into a */
    vf apart;      /* s of it */
    v3 on_a, on_b; /* where the cores are nearest */
    v3 corner[3];  /* of the difference: those of the part that is nearest */
    vm has[3];
} convex_gap;

/* Up to three points of the difference and where on b they come from. */
typedef struct simplex {
    v3 x[3], on_b[3];
    vm has[3];
} simplex;

/* A part of the simplex with the new point w: its point nearest to the origin, shares of the old points in it. */
typedef struct simplex_part {
    v3 x, toward; /* toward: in the direction of x, of any length */
    vf length2, share[3];
    vm keeps[3];
} simplex_part;

static void part_take(simplex_part *best, vm valid, v3 x, v3 toward, int i, vf at_i, int j, vf at_j) {
    const vf length2 = v3_dot(x, x), zero = vf_zero();
    const vm better = vm_and(valid, vm_lt(length2, best->length2));
    best->x = v3_select(better, x, best->x);
    best->toward = v3_select(better, toward, best->toward);
    best->length2 = vf_select(better, length2, best->length2);
    for (int k = 0; k < 3; k++) {
        const int in = k == i || k == j;
        best->share[k] = vf_select(better, k == i ? at_i : k == j ? at_j : zero, best->share[k]);
        best->keeps[k] = in ? vm_or(best->keeps[k], better) : vm_andnot(best->keeps[k], better);
    }
}

/* The part of conv(w, simplex) nearest to the origin, of those that w is in; the lanes whose tetrahedron holds the origin. */
static simplex_part simplex_nearest(const simplex *s, v3 w, vm *inside) {
    const vf zero = vf_zero(), one = vf_set(1), sliver = vf_set((real)(MYR_EPSILON * MYR_EPSILON));
    simplex_part best = {.x = w, .toward = w, .length2 = v3_dot(w, w)};
    v3 e[3], cross[3];
    vf e2[3];
    vm beside = vm_and(s->has[0], vm_and(s->has[1], s->has[2]));
    for (int k = 0; k < 3; k++) best.share[k] = zero, best.keeps[k] = vm_none();
    for (int k = 0; k < 3; k++) {
        e[k] = v3_sub(s->x[k], w), e2[k] = v3_dot(e[k], e[k]), cross[k] = v3_cross(w, s->x[k]);
        const vm some = vm_and(s->has[k], vm_gt(e2[k], zero));
        const vf t = -v3_dot(w, e[k]) / vf_select(some, e2[k], one);
        const v3 x = v3_fma(t, e[k], w);
        part_take(&best, vm_and(some, vm_and(vm_gt(t, zero), vm_lt(t, one))), x, x, k, t, -1, zero);
    }
    for (int i = 0; i < 2; i++)
        for (int j = i + 1; j < 3; j++) {
            const v3 N = v3_cross(e[i], e[j]);
            const vf N2 = v3_dot(N, N), height = v3_dot(N, w);
            const vm some = vm_and(vm_and(s->has[i], s->has[j]), vm_gt(N2, sliver * (e2[i] * e2[j])));
            const vf scale = one / vf_select(some, N2, one);
            const vf at_i = -(v3_dot(cross[j], N) * scale), at_j = v3_dot(cross[i], N) * scale;
            const vm over = vm_and(vm_and(vm_gt(at_i, zero), vm_gt(at_j, zero)), vm_lt(at_i + at_j, one));
            part_take(&best, vm_and(some, over), v3_scale(height * scale, N), v3_scale(vf_sign(height), N), i, at_i, j, at_j);
            /* the origin is on the fourth corner's side */
            beside = vm_and(beside, vm_lt(height * v3_dot(e[3 - i - j], N), zero));
        }
    *inside = beside;
    return best;
}

/* The new point takes a place that is free: one is, as the origin is not inside. */
static void simplex_become(simplex *s, vm live, const simplex_part *next, v3 w, v3 on_b) {
    vm open = live;
    for (int k = 0; k < 3; k++) {
        const vm keeps = vm_and(s->has[k], next->keeps[k]), here = vm_andnot(open, keeps);
        s->x[k] = v3_select(here, w, s->x[k]);
        s->on_b[k] = v3_select(here, on_b, s->on_b[k]);
        s->has[k] = vm_or(here, vm_or(vm_and(live, keeps), vm_andnot(s->has[k], live)));
        open = vm_andnot(open, here);
    }
}

/* One look, from direction n on, at cores that are `share` as large and moved apart by `push`. What is better goes to `best`. Lanes whose s
 * exceeds `enough` are of no interest. */
static __attribute__((noinline)) void gjk_look(const convex *c, real share, v3 push, v3 n, vm live, vf enough, convex_gap *best) {
    const vf zero = vf_zero(), one = vf_set(1), tolerance = vf_set((real)GJK_PROGRESS * c->scale),
             touching = vf_set((real)(GJK_TOUCHING * GJK_TOUCHING) * c->scale * c->scale);
    simplex s = {.has = {vm_none(), vm_none(), vm_none()}};
    vf length = vf_set((real)1e18), length2 = vf_set((real)1e36);
    vm improved = vm_none();
    const vm asked = live;
    v3 x = v3_zero(), near_b = v3_zero();
    for (int k = 0; k < 3; k++) s.x[k] = s.on_b[k] = v3_zero();
    for (int step = 0; step < GJK_STEPS; step++) {
        v3 whole, on_b;
        const v3 w = v3_add(convex_least(c, n, share, &whole, &on_b), push);
        const vf bound = v3_dot(n, w), apart = v3_dot(n, whole);
        const vm better = vm_and(live, vm_gt(apart, best->apart));
        best->apart = vf_select(better, apart, best->apart);
        best->normal = v3_select(better, n, best->normal);
        improved = vm_or(improved, better);
        live = vm_andnot(live, vm_or(vm_le(length - bound, tolerance), vm_gt(best->apart, enough)));
        if (!vm_any(live)) break;
        vm inside;
        const simplex_part next = simplex_nearest(&s, w, &inside);
        live = vm_and(vm_andnot(live, inside), vm_lt(next.length2, length2)); /* not shorter: there is nothing left but rounding */
        vf rest = one;
        v3 from = v3_zero();
        for (int k = 0; k < 3; k++) rest = rest - next.share[k], from = v3_fma(next.share[k], s.on_b[k], from);
        near_b = v3_select(live, v3_fma(rest, on_b, from), near_b);
        x = v3_select(live, next.x, x);
        simplex_become(&s, live, &next, w, on_b);
        length2 = vf_select(live, next.length2, length2);
        length = vf_sqrt(length2);
        live = vm_and(live, vm_gt(length2, touching));
        const vf along2 = v3_dot(next.toward, next.toward);
        n = v3_select(live, v3_scale(one / vf_sqrt(vf_select(vm_gt(along2, zero), along2, one)), next.toward), n);
    }
    const vf whole_size = vf_set(1 / share);
    /* points of smaller cores are on none: they give way */
    const vm seen = share == 1 ? vm_and(asked, vm_lt(length2, vf_set((real)1e30))) : improved;
    best->on_b = v3_select(seen, near_b, best->on_b);
    best->on_a = v3_select(seen, v3_sub(v3_add(near_b, x), push), best->on_a);
    for (int k = 0; k < 3; k++) {
        const v3 small = v3_sub(v3_sub(s.x[k], push), c->d);
        best->corner[k] = v3_select(improved, v3_fma(whole_size, small, c->d), best->corner[k]);
        best->has[k] = vm_or(vm_and(improved, s.has[k]), vm_andnot(best->has[k], improved));
    }
}

static convex_gap gap_select(vm m, const convex_gap *a, const convex_gap *b) {
    convex_gap out = {.normal = v3_select(m, a->normal, b->normal),
                      .apart = vf_select(m, a->apart, b->apart),
                      .on_a = v3_select(m, a->on_a, b->on_a),
                      .on_b = v3_select(m, a->on_b, b->on_b)};
    for (int k = 0; k < 3; k++) {
        out.corner[k] = v3_select(m, a->corner[k], b->corner[k]);
        out.has[k] = vm_or(vm_and(m, a->has[k]), vm_andnot(b->has[k], m));
    }
    return out;
}

static void gjk_climb(const convex *c, v3 n, vm live, int pushes, convex_gap *best) {
    const vf gap = vf_set((real)GJK_PUSH * c->scale), tolerance = vf_set((real)GJK_PROGRESS * c->scale);
    v3 whole, on_b;
    convex_least(c, n, 1, &whole, &on_b);
    convex_gap here = *best;
    here.normal = n, here.apart = v3_dot(n, whole);
    for (int push = 0; push < pushes && vm_any(live); push++) {
        const vf before = here.apart;
        gjk_look(c, 1, v3_scale(gap - before, here.normal), here.normal, live, vf_set((real)1e18), &here);
        live = vm_and(live, vm_gt(here.apart, before + tolerance));
    }
    *best = gap_select(vm_ge(here.apart, best->apart), &here, best);
}

/* From around the best direction: towards each corner of the part that gave it. */
static void gjk_climb_around(const convex *c, vm live, convex_gap *best) {
    const convex_gap first = *best;
    const vf one = vf_set(1);
    for (int k = 0; k < 3; k++) {
        const v3 from = v3_fma(-first.apart, first.normal, first.corner[k]),
                 aside = v3_fma(-v3_dot(first.normal, from), first.normal, from);
        const vf aside2 = v3_dot(aside, aside);
        const vm go = vm_and(vm_and(live, first.has[k]), vm_gt(aside2, vf_set((real)1e-20)));
        if (!vm_any(go)) continue;
        const v3 n = v3_fma(vf_set(GJK_TILT) / vf_sqrt(vf_select(go, aside2, one)), aside, first.normal);
        gjk_climb(c, v3_select(go, v3_scale(one / vf_sqrt(v3_dot(n, n)), n), first.normal), go, GJK_TRIES, best);
    }
}

static void convex_nearest(const convex *c, vm live, vf enough, convex_gap *best) {
    vf length;
    *best = (convex_gap){.normal = direction(c->d, world_up(), &length), .apart = vf_set((real)-1e18)};
    best->on_a = best->on_b = v3_zero();
    for (int k = 0; k < 3; k++) best->corner[k] = v3_zero(), best->has[k] = vm_none();
    gjk_look(c, (real)GJK_SMALLER, v3_zero(), best->normal, live, enough, best);
    live = vm_andnot(live, vm_gt(best->apart, enough));
    const vm over = vm_and(live, vm_le(best->apart, vf_zero()));
    if (vm_any(over)) gjk_climb(c, best->normal, over, GJK_PUSHES, best);
    const vm clear = vm_and(live, vm_gt(best->apart, vf_zero())); /* some of these for the smaller ones alone were not */
    if (vm_any(clear)) gjk_look(c, 1, v3_zero(), best->normal, clear, enough, best);
    const vm deep = vm_and(over, vm_lt(best->apart, vf_set((real)(-GJK_DEEP * c->scale))));
    if (!vm_any(deep)) return;
    const vf before = best->apart;
    gjk_climb_around(c, deep, best);
    const vm other = vm_and(deep, vm_gt(best->apart, before));
    if (vm_any(other)) gjk_climb(c, best->normal, other, GJK_PUSHES, best);
}

#endif

/* One of Newton's steps, in lanes, for all contacts of a patch at once, the others held.
 *
 * The corners of a foot have much to say to each other: visited one by one they need tens of sweeps. As one block they need two or three
 * steps, and the block is small: four corners are 12 numbers. problem.patch says what is of one patch. The step is that of
 * whole/newton.h. What a lane's patches say to each other is left to sweeps over them.
 *
 * A lane's patches are visited in its own order, whatever the neighbours have, and so do contacts lie within them. A contact that is not of
 * a lane's patch has a row of the identity there, and moves by zero. */
#ifndef MYR_KERNELS_CONTACT_PATCH_NEWTON_LANE_H
#define MYR_KERNELS_CONTACT_PATCH_NEWTON_LANE_H

#include "law.lane.h"
#include "project.lane.h"
#include "ridge.h"

/* Contacts of a block in a lane, blocks of a lane that has any, and contacts that the lanes of a visit have between them. */
enum { PATCH_MOST = 6, PATCH_FEW = 6, PATCH_WIDE = 8, PATCH_NUMBERS = 3 * PATCH_WIDE };

#define PATCH_MEAN 1.5 /* contacts that the blocks of a lane have on average, or it has none */

/* Contacts at[0..n - 1] at once, each in the lanes whose block it is of; n = 1: a contact by itself. */
typedef struct patch_visit {
    int n;
    unsigned short at[PATCH_WIDE], lanes[PATCH_WIDE];
} patch_visit;

/* The visits of a sweep. */
typedef struct patch_plan {
    int n;
    patch_visit *visit;
    vf *block; /* of each contact: the contact that its block begins with */
} patch_plan;

/* What a plan takes of the scratch, in registers: a visit by itself for each contact, and one for each two contacts of each lane. */
static inline size_t patch_plan_room(int n) {
    return 2 * (size_t)n + ((size_t)n * (1 + VN / 2) * sizeof(patch_visit) + sizeof(vf) - 1) / sizeof(vf);
}

/* Lanes in which contact t begins a block. */
static inline unsigned patch_first(const problem *p, const vf *block, int t) {
    return vm_bits(vm_and(problem_has(p, t), vm_eq(block[t], vf_set((real)t))));
}

/* Blocks: patches, cut after so many contacts. A lane of many patches, or of such that have hardly more than one contact, lies on the
 * ground or is a hand, and what they say to each other is most of its problem: its contacts are blocks by themselves. size: n, scratch. */
static void patch_cut(const problem *p, vf *block, vf *size) {
    const vf zero = vf_zero(), one = vf_set(1);
    vf blocks = zero, contacts = zero;
    for (int t = 0; t < p->n; t++) {
        vm open = problem_has(p, t);
        contacts = contacts + vf_select(open, one, zero);
        block[t] = vf_set((real)t);
        for (int s = t - 1; s >= 0 && vm_any(open); s--) { /* the last of its patch that is not full */
            const vm same = vm_and(vm_eq(p->patch[s], p->patch[t]), vm_and(vm_gt(size[s], zero), vm_lt(size[s], vf_set(PATCH_MOST))));
            const vm joins = vm_and(open, same);
            if (!vm_any(joins)) continue;
            size[s] = size[s] + vf_select(joins, one, zero);
            block[t] = vf_select(joins, vf_set((real)s), block[t]);
            open = vm_andnot(open, joins);
        }
        size[t] = vf_select(open, one, zero); /* 0: no block begins here */
        blocks = blocks + size[t];
    }
    if (p->paired) return;
    const vm sparse = vm_or(vm_gt(blocks, vf_set(PATCH_FEW)), vm_lt(contacts, vf_set((real)PATCH_MEAN) * blocks));
    for (int t = 0; t < p->n; t++) block[t] = vf_select(sparse, vf_set((real)t), block[t]);
}

/* The visit of the blocks that begin at t in these lanes. Lanes for whose contacts there is no room left are out of it: *left. */
static patch_visit patch_gather(const problem *p, const vf *block, int t, unsigned lanes, unsigned *left) {
    patch_visit v = {1, {(unsigned short)t}, {(unsigned short)lanes}};
    const vf first = vf_set((real)t);
    *left = 0;
    while (++t < p->n) {
        const unsigned mine = lanes & ~*left & vm_bits(vm_and(problem_has(p, t), vm_eq(block[t], first)));
        if (!mine) continue;
        if (v.n == PATCH_WIDE)
            *left |= mine;
        else
            v.at[v.n] = (unsigned short)t, v.lanes[v.n++] = (unsigned short)mine;
    }
    for (int k = 0; k < v.n; k++) v.lanes[k] &= (unsigned short)~*left;
    return v;
}

static patch_plan patch_plan_of(const problem *p, vf *memory) {
    patch_plan plan = {0, (patch_visit *)(void *)(memory + 2 * p->n), memory};
    patch_cut(p, plan.block, memory + p->n);
    for (int t = 0; t < p->n; t++) {
        unsigned many = 0, left;
        const unsigned begins = patch_first(p, plan.block, t);
        if (!begins) continue;
        for (int s = t + 1; s < p->n; s++) many |= begins & vm_bits(vm_and(problem_has(p, s), vm_eq(plan.block[s], vf_set((real)t))));
        const unsigned single = begins & ~many;
        if (single) plan.visit[plan.n++] = (patch_visit){1, {(unsigned short)t}, {(unsigned short)single}};
        if (!many) continue;
        plan.visit[plan.n++] = patch_gather(p, plan.block, t, many, &left);
        for (unsigned one; left; left &= left - 1) plan.visit[plan.n++] = patch_gather(p, plan.block, t, left & -left, &one);
    }
    return plan;
}

/* A block at work: 3 n rows of 3 n + 1 numbers, the last one the right-hand side, then the step. */
typedef struct patch_system {
    int n, stride;
    vf A[PATCH_NUMBERS * (PATCH_NUMBERS + 1)], inverse[PATCH_NUMBERS];
} patch_system;

/* What a contact's rows make of those of G over its mobility: [T 0; 0 normal] times them, and what is added to its own block. */
typedef struct patch_mode {
    vf xx, xy, yy, normal;     /* T and normal, over the mobility */
    vf own_xx, own_xy, own_yy; /* I - T, or the ridge */
    vf own_zz, to_x, to_y;     /* of the normal's column */
    v3 right;
} patch_mode;

/* One over the mobility of contact i, as whole/ has it: a third of the trace. */
static inline vf patch_mass(const problem *p, int i) {
    const vf *g = problem_block(p, i, i), trace = g[0] + g[4] + g[8], three = vf_set(3);
    return three / vf_select(vm_gt(trace, vf_zero()), trace, three);
}

/* Contact i opens, sticks or slides in these lanes, as z = lambda - w / mobility says; in the others it moves by zero. */
static inline patch_mode patch_mode_of(const problem *p, int i, vm lanes, vf ridge) {
    const vf zero = vf_zero(), one = vf_set(1), inverse = patch_mass(p, i), mu = p->mu[i];
    const v3 l = v3_load(p->lambda + 3 * i), w = v3_scale(inverse, v3_load(p->w + 3 * i)), z = v3_sub(l, w);
    const vm closed = vm_and(lanes, vm_gt(z.z, zero));
    const vf reach = mu * z.z, size2 = vf_fma(z.x, z.x, z.y * z.y);
    const vm slides = vm_and(closed, vm_gt(size2, reach * reach));
    const vf size = one / vf_sqrt(vf_select(slides, size2, one)), ex = size * z.x, ey = size * z.y, part = reach * size;
    const vf ax = part * ey, ay = part * ex, held = vf_select(closed, one, zero), still = vf_select(closed, ridge, one);
    const vf xx = vf_select(slides, ax * ey, held), xy = vf_select(slides, -(ax * ex), zero), yy = vf_select(slides, ay * ex, held);
    patch_mode m = {.xx = inverse * xx, .xy = inverse * xy, .yy = inverse * yy, .normal = inverse * held};
    m.own_xx = vf_select(slides, one - xx, still), m.own_xy = -xy, m.own_yy = vf_select(slides, one - yy, still), m.own_zz = still;
    m.to_x = vf_select(slides, -(mu * ex), zero), m.to_y = vf_select(slides, -(mu * ey), zero);
    const v3 stop = v3_scale(vf_set(-1), w);
    const v3 slide = {vf_fms(mu * l.z, ex, l.x), vf_fms(mu * l.z, ey, l.y), stop.z};
    m.right = v3_select(slides, slide, v3_select(closed, stop, v3_select(lanes, v3_scale(vf_set(-1), l), v3_zero())));
    return m;
}

/* Rows of contact a of the block and columns of contact b: from G's block, which lies transposed above the diagonal. */
static inline __attribute__((always_inline)) void patch_fill(const patch_mode *m, const vf *g, vf *to, int stride, const int turned) {
    UNROLL for (int c = 0; c < 3; c++) {
        const vf x = g[turned ? 3 * c : c], y = g[turned ? 3 * c + 1 : 3 + c], z = g[turned ? 3 * c + 2 : 6 + c];
        to[c] = vf_fma(m->xx, x, m->xy * y), to[stride + c] = vf_fma(m->xy, x, m->yy * y), to[2 * stride + c] = m->normal * z;
    }
}

static void patch_rows(const problem *p, patch_system *s, const patch_visit *v, int a, const patch_mode *m) {
    const int stride = s->stride;
    vf *row = s->A + 3 * a * stride, *own = row + 3 * a, *right = row + 3 * s->n;
    for (int b = 0; b <= a; b++) patch_fill(m, problem_block(p, v->at[a], v->at[b]), row + 3 * b, stride, 0);
    for (int b = a + 1; b < s->n; b++) patch_fill(m, problem_block(p, v->at[b], v->at[a]), row + 3 * b, stride, 1);
    own[0] = own[0] + m->own_xx, own[1] = own[1] + m->own_xy, own[2] = own[2] + m->to_x;
    own += stride;
    own[0] = own[0] + m->own_xy, own[1] = own[1] + m->own_yy, own[2] = own[2] + m->to_y;
    own[stride + 2] = own[stride + 2] + m->own_zz;
    right[0] = m->right.x, right[stride] = m->right.y, right[2 * stride] = m->right.z;
}

/* Elimination by threes, without exchanges (whole/lu.h says why): a contact's pivots among themselves, then from all rows behind. */
static void patch_eliminate(patch_system *s) {
    const int stride = s->stride, d = 3 * s->n;
    const vf one = vf_set(1);
    for (int k = 0; k < d; k += 3) {
        vf *x = s->A + k * stride, *y = x + stride, *z = y + stride, *inverse = s->inverse + k;
        inverse[0] = one / x[k];
        const vf yx = inverse[0] * y[k], zx = inverse[0] * z[k];
        for (int c = k + 1; c <= d; c++) y[c] = vf_fnma(yx, x[c], y[c]), z[c] = vf_fnma(zx, x[c], z[c]);
        inverse[1] = one / y[k + 1];
        const vf zy = inverse[1] * z[k + 1];
        for (int c = k + 2; c <= d; c++) z[c] = vf_fnma(zy, y[c], z[c]);
        inverse[2] = one / z[k + 2];
        for (int i = k + 3; i < d; i += 3) {
            vf *a = s->A + i * stride, f[3][3];
            UNROLL for (int r = 0; r < 3; r++) {
                const vf *b = a + r * stride;
                f[r][0] = inverse[0] * b[k];
                f[r][1] = inverse[1] * vf_fnma(f[r][0], x[k + 1], b[k + 1]);
                f[r][2] = inverse[2] * vf_fnma(f[r][1], y[k + 2], vf_fnma(f[r][0], x[k + 2], b[k + 2]));
            }
            for (int c = k + 3; c <= d; c++) {
                UNROLL for (int r = 0; r < 3; r++) {
                    vf *b = a + r * stride + c;
                    *b = vf_fnma(f[r][2], z[c], vf_fnma(f[r][1], y[c], vf_fnma(f[r][0], x[c], *b)));
                }
            }
        }
    }
}

/* What is left for the last column: the step. */
static void patch_back(patch_system *s) {
    const int stride = s->stride, d = 3 * s->n;
    for (int i = d - 1; i >= 0; i--) {
        const vf x = s->inverse[i] * s->A[i * stride + d];
        s->A[i * stride + d] = x;
        for (int r = 0; r < i; r++) s->A[r * stride + d] = vf_fnma(s->A[r * stride + i], x, s->A[r * stride + d]);
    }
}

/* The ridge of the k-th step, of the mobility: that of ridge.h, and wider where the bound is coarse beside the load. What
 * four corners do that no motion of their body does, a rounding of their heights, is divided by the ridge: within the bound it shall move
 * no more than a part of the load from corner to corner, or what stands is carried by other corners in each step. */
static inline vf patch_ridge(const problem *p, const patch_visit *v, int k, vf bound) {
    const vf least = vf_set((real)newton_ridge(k)), zero = vf_zero();
    vf load = zero, mass = zero;
    for (int a = 0; a < v->n; a++) {
        const int i = v->at[a];
        const vf own = patch_mass(p, i), size = vf_max(p->lambda[3 * i + 2], -(own * p->w[3 * i + 2]));
        const vm mine = vm_from_bits(v->lanes[a]);
        load = vf_select(mine, vf_max(load, size), load), mass = vf_select(mine, vf_max(mass, own), mass);
    }
    const vm some = vm_gt(load, zero);
    return vf_min(vf_set((real)0.1), vf_max(least, vf_set(10) * bound * mass / vf_select(some, load, vf_set(1))));
}

/* The step of a visit's blocks in the lanes `todo`. Returns those in which it moved something; where a pivot was lost nothing moves. */
static __attribute__((noinline)) vm patch_newton(problem *p, const patch_visit *v, vm todo, int k, vf bound) {
    patch_system s;
    const vf ridge = patch_ridge(p, v, k, bound);
    vf size = vf_zero();
    vm moved = vm_none();
    s.n = v->n, s.stride = 3 * v->n + 1;
    for (int a = 0; a < v->n; a++) {
        const patch_mode m = patch_mode_of(p, v->at[a], vm_and(todo, vm_from_bits(v->lanes[a])), ridge);
        patch_rows(p, &s, v, a, &m);
    }
    patch_eliminate(&s);
    patch_back(&s);
    for (int i = 0; i < 3 * v->n; i++) size = size + vf_abs(s.A[i * s.stride + 3 * v->n]);
    todo = vm_and(todo, vm_finite(size));
    for (int a = 0; a < v->n; a++) {
        const int i = v->at[a];
        const vf *x = s.A + 3 * a * s.stride + 3 * v->n, *y = x + s.stride, *z = y + s.stride;
        const v3 old = v3_load(p->lambda + 3 * i), change = v3_select(todo, (v3){*x, *y, *z}, v3_zero()), now = v3_add(old, change);
        const v3 step = v3_sub(now, old);
        v3_store(p->lambda + 3 * i, now);
        problem_add_impulse(p, i, step);
        moved = vm_or(moved, vm_gt(v3_dot(step, step), vf_set((real)(4 * MYR_EPSILON * MYR_EPSILON)) * v3_dot(now, now)));
    }
    return moved;
}

/* Lanes in which patches are visited at once from the first sweep on: that have one of more than one contact, and no impulse yet. Mostly
 * all have some. */
static vm patch_fresh(const problem *p) {
    if (p->paired) return vm_all();
    vf most = vf_zero();
    vm has = vm_none(), many = vm_none();
    for (int i = 0; i < p->n; i++) most = vf_max(most, p->lambda[3 * i + 2]), has = vm_or(has, problem_has(p, i));
    const vm none = vm_and(has, vm_le(most, vf_zero()));
    if (!vm_any(none)) return none;
    for (int i = 0; i < p->n; i++)
        for (int k = 0; k < i; k++)
            many = vm_or(many, vm_and(vm_and(problem_has(p, i), problem_has(p, k)), vm_eq(p->patch[k], p->patch[i])));
    return vm_and(many, none);
}

/* After the last step, in lanes that made one: into the cones, straight inwards, as the law allows to be missed by its bound, and the
 * velocities anew. A step may go far and come back, and what was added up on the way has its rounding. memory: 3 n + m. */
static void patch_settle(problem *p, vm lanes, vf *memory) {
    for (int i = 0; i < p->n; i++) {
        const v3 l = v3_load(p->lambda + 3 * i);
        v3 inside = l;
        project_disc(p->mu[i] * l.z, &inside.x, &inside.y);
        inside = v3_select(vm_gt(l.z, vf_zero()), inside, v3_zero());
        v3_store(p->lambda + 3 * i, v3_select(lanes, inside, l));
    }
    problem_velocity_in(p, lanes, memory);
}

#endif

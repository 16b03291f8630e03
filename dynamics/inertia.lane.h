/* Rigid-body inertias in lanes, about the origin of the body's aligned frame, and the wrenches on bodies. */
#ifndef MYR_DYNAMICS_INERTIA_LANE_H
#define MYR_DYNAMICS_INERTIA_LANE_H

#include "kinematics.lane.h"

/* mass, mass * com, inertia (xx yy zz xy xz yz) about the body origin */
typedef struct {
    vf m;
    v3 h;
    vf xx, yy, zz, xy, xz, yz;
} inertia;

static inline inertia inertia_load(const vf *a) { return (inertia){a[0], v3_load(a + 1), a[4], a[5], a[6], a[7], a[8], a[9]}; }
/* A body's own inertia: the model's, the same in every lane, unless one was set. */
static inline inertia inertia_own(const part *p, const lane_body *b) {
    if (!(p->options->varied & MYR_VARIED_INERTIAL)) {
        const real *u = b->own;
        return (inertia){
            vf_set(u[0]), {vf_set(u[1]), vf_set(u[2]), vf_set(u[3])}, vf_set(u[4]), vf_set(u[5]), vf_set(u[6]), vf_set(u[7]), vf_set(u[8]),
            vf_set(u[9])};
    }
    const vf *a = row(p, b->inertial);
    enum { STEP = 64 / sizeof(vf) };
    return (inertia){a[0],       {a[STEP], a[2 * STEP], a[3 * STEP]}, a[4 * STEP], a[5 * STEP], a[6 * STEP], a[7 * STEP], a[8 * STEP],
                     a[9 * STEP]};
}
static inline void inertia_store(vf *a, const inertia *c) {
    a[0] = c->m;
    v3_store(a + 1, c->h);
    a[4] = c->xx, a[5] = c->yy, a[6] = c->zz, a[7] = c->xy, a[8] = c->xz, a[9] = c->yz;
}
static inline v3 inertia_mul(const inertia *c, v3 a) {
    return (v3){vf_fma(c->xx, a.x, vf_fma(c->xy, a.y, c->xz * a.z)), vf_fma(c->xy, a.x, vf_fma(c->yy, a.y, c->yz * a.z)),
                vf_fma(c->xz, a.x, vf_fma(c->yz, a.y, c->zz * a.z))};
}

/* E I E' of a symmetric matrix whose turn mixes axes 1 and 2 and leaves axis 0: the pair (01, 02) turns like a vector,
 * the block (11, 12, 22) by the square. */
static inline void turn_symmetric(vf c, vf s, vf *i01, vf *i02, vf *i11, vf *i12, vf *i22) {
    const vf a01 = *i01, a02 = *i02, a11 = *i11, a12 = *i12, a22 = *i22;
    *i01 = vf_fms(c, a01, s * a02);
    *i02 = vf_fma(s, a01, c * a02);
    const vf b11 = vf_fms(c, a11, s * a12), b12 = vf_fms(c, a12, s * a22); /* first row of E I */
    const vf b21 = vf_fma(s, a11, c * a12), b22 = vf_fma(s, a12, c * a22); /* second row */
    *i11 = vf_fms(c, b11, s * b12);
    *i12 = vf_fma(s, b11, c * b12);
    *i22 = vf_fma(s, b21, c * b22);
}

/* Turned about one axis; h is left to inertia_shift. */
static inline __attribute__((always_inline)) void inertia_turn(const turn t, vf co, vf si, inertia *c) {
    if (t == TURN_X)
        turn_symmetric(co, si, &c->xy, &c->xz, &c->yy, &c->yz, &c->zz);
    else if (t == TURN_Y)
        turn_symmetric(co, si, &c->yz, &c->xy, &c->zz, &c->xz, &c->xx); /* axes (y, z, x) */
    else
        turn_symmetric(co, si, &c->xz, &c->yz, &c->xx, &c->xy, &c->yy); /* axes (z, x, y) */
}

/* The reference moved from the joint origin by o; h: mass * com, turned already.
 * I + 2 (h.o) 1 - h o' - o h' + m (o.o 1 - o o'), with g = h + m o / 2:  I + 2 (g.o) 1 - g o' - o g' */
static inline __attribute__((always_inline)) void inertia_shift(inertia *c, v3 h, v3 o) {
    const v3 g = v3_fma(vf_set((real)0.5) * c->m, o, h);
    const vf gx = g.x * o.x, gy = g.y * o.y, gz = g.z * o.z, two = vf_set(2);
    c->xx = vf_fma(two, gy + gz, c->xx);
    c->yy = vf_fma(two, gx + gz, c->yy);
    c->zz = vf_fma(two, gx + gy, c->zz);
    c->xy = vf_fnma(g.x, o.y, vf_fnma(g.y, o.x, c->xy));
    c->xz = vf_fnma(g.x, o.z, vf_fnma(g.z, o.x, c->xz));
    c->yz = vf_fnma(g.y, o.z, vf_fnma(g.z, o.y, c->yz));
    c->h = v3_fma(c->m, o, h);
}

static inline void inertia_add(inertia *sum, const inertia *a) {
    sum->m = sum->m + a->m;
    sum->h = v3_add(sum->h, a->h);
    sum->xx = sum->xx + a->xx, sum->yy = sum->yy + a->yy, sum->zz = sum->zz + a->zz;
    sum->xy = sum->xy + a->xy, sum->xz = sum->xz + a->xz, sum->yz = sum->yz + a->yz;
}

/* Into the axes in which the body's are the columns of R: R I R'. */
static inline inertia inertia_rotated(const inertia *c, const vf R[9]) {
    const v3 x = v3_load(R), y = v3_load(R + 3), z = v3_load(R + 6);
    const v3 ix = inertia_mul(c, x), iy = inertia_mul(c, y), iz = inertia_mul(c, z);
    return (inertia){c->m, m3_mul(R, c->h), v3_dot(x, ix), v3_dot(y, iy), v3_dot(z, iz), v3_dot(x, iy), v3_dot(x, iz), v3_dot(y, iz)};
}

/* Rows of M of a floating root that carries all of c, and its bias: linear block m 1; angular rows: e_k x h, then the inertia. */
static inline void root_rows_of_mass(const inertia *c, v3 force, v3 moment, vf *M, vf *bias) {
    const vf zero = vf_zero();
    const v3 h = c->h;
    v3_store(bias, force);
    v3_store(bias + 3, moment);
    M[0] = c->m;
    M[1] = zero, M[2] = c->m;
    M[3] = zero, M[4] = zero, M[5] = c->m;
    M[6] = zero, M[7] = -h.z, M[8] = h.y, M[9] = c->xx;
    M[10] = h.z, M[11] = zero, M[12] = -h.x, M[13] = c->xy, M[14] = c->yy;
    M[15] = -h.y, M[16] = h.x, M[17] = zero, M[18] = c->xz, M[19] = c->yz, M[20] = c->zz;
}

/* The caller's wrench on body i, world axes at the body origin, taken off the force and moment that the joints must carry; these are in
 * base axes, or where R is given in those of the body. A lane without one is left untouched to the bit. */
static inline void external_wrench(const part *p, int i, const vf *R, v3 *force, v3 *moment) {
    vf x[6];
    vm some = vm_none();
    for (int k = 0; k < 6; k++) {
        x[k] = field(p, MYR_ROWS_wrench, 6 * i + k);
        some = vm_or(some, vm_not(vm_eq(x[k], vf_zero())));
    }
    if (!vm_any(some)) return;
    const vf *R0 = p->w->R0 + 9 * p->r->bodies[i].tree;
    v3 f = m3_mul_t(R0, v3_load(x)), n = m3_mul_t(R0, v3_load(x + 3));
    if (R) f = m3_mul_t(R, f), n = m3_mul_t(R, n);
    *force = v3_select(some, v3_sub(*force, f), *force);
    *moment = v3_select(some, v3_sub(*moment, n), *moment);
}

#endif

/* kinematics: q -> where every body is, seen from the base of its tree.
 *
 * Everything is computed in the base frame (the root body of a floating tree, the world for a fixed one): nothing
 * depends on where in the world the robot is, which is what float needs. Bodies use ALIGNED frames (model/model.h):
 * a joint about x, y or z mixes two columns of its parent's rotation, and no constant rotation is ever multiplied. */
#ifndef MYR_DYNAMICS_KINEMATICS_LANE_H
#define MYR_DYNAMICS_KINEMATICS_LANE_H

#include "kernels/math.lane.h"
#include "robot/place.lane.h"

/* Rotation matrix of a quaternion (w, x, y, z) of any length. */
static inline void quat_matrix(vf w, vf x, vf y, vf z, vf m[9]) {
    const vf norm2 = vf_fma(w, w, vf_fma(x, x, vf_fma(y, y, z * z)));
    const vf s = vf_set(2) / norm2, one = vf_set(1);
    const vf sx = s * x, sy = s * y, sz = s * z;
    const vf wx = sx * w, wy = sy * w, wz = sz * w, xx = sx * x, xy = sx * y, xz = sx * z, yy = sy * y, yz = sy * z, zz = sz * z;
    m[0] = one - (yy + zz), m[1] = xy - wz, m[2] = xz + wy;
    m[3] = xy + wz, m[4] = one - (xx + zz), m[5] = yz - wx;
    m[6] = xz - wy, m[7] = yz + wx, m[8] = one - (xx + yy);
}

/* Rotation about a unit axis: cos 1 + (1 - cos) a a' + sin [a]x */
static inline void axis_matrix(const real a[3], vf sine, vf cosine, vf m[9]) {
    const vf x = vf_set(a[0]), y = vf_set(a[1]), z = vf_set(a[2]), k = vf_set(1) - cosine;
    const vf kx = k * x, ky = k * y, kz = k * z, sx = sine * x, sy = sine * y, sz = sine * z;
    m[0] = vf_fma(kx, x, cosine), m[1] = vf_fms(kx, y, sz), m[2] = vf_fma(kx, z, sy);
    m[3] = vf_fma(kx, y, sz), m[4] = vf_fma(ky, y, cosine), m[5] = vf_fms(ky, z, sx);
    m[6] = vf_fms(kx, z, sy), m[7] = vf_fma(ky, z, sx), m[8] = vf_fma(kz, z, cosine);
}

/* Body components -> parent components, and back, for a turn about one axis by the angle of (c, s). */
static inline __attribute__((always_inline)) v3 turn_up_by(const turn t, vf c, vf s, v3 a) {
    if (t == TURN_X) return (v3){a.x, vf_fms(c, a.y, s * a.z), vf_fma(s, a.y, c * a.z)};
    if (t == TURN_Y) return (v3){vf_fma(c, a.x, s * a.z), a.y, vf_fms(c, a.z, s * a.x)};
    return (v3){vf_fms(c, a.x, s * a.y), vf_fma(s, a.x, c * a.y), a.z};
}
static inline __attribute__((always_inline)) v3 turn_down_by(const turn t, vf c, vf s, v3 a) {
    if (t == TURN_X) return (v3){a.x, vf_fma(c, a.y, s * a.z), vf_fms(c, a.z, s * a.y)};
    if (t == TURN_Y) return (v3){vf_fms(c, a.x, s * a.z), a.y, vf_fma(s, a.x, c * a.z)};
    return (v3){vf_fma(c, a.x, s * a.y), vf_fms(c, a.y, s * a.x), a.z};
}
static inline v3 turn_up(const workspace *w, const lane_body *b, int i, v3 a) {
    const vf c = w->cs[2 * i], s = w->cs[2 * i + 1];
    switch (b->turn) {
    case TURN_X: return turn_up_by(TURN_X, c, s, a);
    case TURN_Y: return turn_up_by(TURN_Y, c, s, a);
    case TURN_Z: return turn_up_by(TURN_Z, c, s, a);
    case TURN_FULL: return m3_mul(w->turn_m + 9 * i, a);
    default: return a;
    }
}
static inline v3 turn_down(const workspace *w, const lane_body *b, int i, v3 a) {
    const vf c = w->cs[2 * i], s = w->cs[2 * i + 1];
    switch (b->turn) {
    case TURN_X: return turn_down_by(TURN_X, c, s, a);
    case TURN_Y: return turn_down_by(TURN_Y, c, s, a);
    case TURN_Z: return turn_down_by(TURN_Z, c, s, a);
    case TURN_FULL: return m3_mul_t(w->turn_m + 9 * i, a);
    default: return a;
    }
}

/* Constants are the same in every lane; a prismatic joint moves its origin along the axis in the parent's frame. */
static inline v3 joint_offset(const part *p, const lane_body *b) {
    const v3 offset = v3_uniform(b->offset);
    if (b->joint != MYR_JOINT_PRISMATIC) return offset;
    return v3_fma(field(p, MYR_ROWS_q, b->q), v3_uniform(b->axis), offset);
}

/* Rotation of body i from its parent's, R_i = R_parent E_i: each row of the parent's, taken down into the body. */
static inline void turn_compose(const workspace *w, const lane_body *b, int i, const vf *up, vf *out) {
    for (int k = 0; k < 9; k += 3) v3_store(out + k, turn_down(w, b, i, v3_load(up + k)));
}

static void joint_turn(const part *p, const lane_body *b, int i) {
    workspace *w = p->w;
    if (b->turn == TURN_NONE) return;
    if (b->joint == MYR_JOINT_BALL) { /* E = A R(q) A': the quaternion's vector part turned into the aligned frame */
        const vf qw = field(p, MYR_ROWS_q, b->q);
        const v3 user = {field(p, MYR_ROWS_q, b->q + 1), field(p, MYR_ROWS_q, b->q + 2), field(p, MYR_ROWS_q, b->q + 3)};
        const v3 a = uniform_mul(b->align, user);
        quat_matrix(qw, a.x, a.y, a.z, w->turn_m + 9 * i);
        return;
    }
    vf sine, cosine;
    vf_sincos(field(p, MYR_ROWS_q, b->q), &sine, &cosine);
    if (b->turn == TURN_FULL) {
        axis_matrix(b->axis, sine, cosine, w->turn_m + 9 * i);
        return;
    }
    w->cs[2 * i] = cosine;
    w->cs[2 * i + 1] = vf_set(b->sign) * sine; /* an axis along -e_k turns the other way about e_k */
}

static inline void identity(vf *m) {
    for (int k = 0; k < 9; k++) m[k] = vf_set(k % 4 == 0 ? 1 : 0);
}

/* The motion axis of dof k of a body, aligned frame. */
static inline v3 dof_axis(const lane_body *b, int k) {
    if (b->joint == MYR_JOINT_BALL) { /* column k of align */
        const real a[3] = {b->align[k], b->align[3 + k], b->align[6 + k]};
        return v3_uniform(a);
    }
    if (b->joint == MYR_JOINT_FREE) {
        const real a[3] = {k % 3 == 0, k % 3 == 1, k % 3 == 2};
        return v3_uniform(a);
    }
    return v3_uniform(b->axis);
}

/* Where the balls of a body's slots are, base frame. */
static inline void slot_centers(const part *p, const lane_body *b, const vf *R, v3 origin) {
    for (int s = b->slot; s < b->slot + b->n_slots; s++) {
        const lane_slot *slot = &p->r->slots[s];
        const v3 center = slot->rim ? rim_point(slot, m3_mul_t(R, v3_load(p->w->R0 + 9 * b->tree + 6))) : v3_uniform(slot->center);
        v3_store(p->w->slot_at + 3 * s, v3_add(origin, m3_mul(R, center)));
    }
}

static inline void root_motion(const part *p, const lane_body *b) {
    workspace *w = p->w;
    vf *R0 = w->R0 + 9 * b->tree;
    quat_matrix(field(p, MYR_ROWS_q, b->q + 3), field(p, MYR_ROWS_q, b->q + 4), field(p, MYR_ROWS_q, b->q + 5),
                field(p, MYR_ROWS_q, b->q + 6), R0);
    const v3 world = {field(p, MYR_ROWS_v, b->v), field(p, MYR_ROWS_v, b->v + 1), field(p, MYR_ROWS_v, b->v + 2)};
    v3_store(w->u + b->v, m3_mul_t(R0, world));
    for (int k = 3; k < 6; k++) w->u[b->v + k] = field(p, MYR_ROWS_v, b->v + k);
}

/* One joint of a leg: R <- R E, origin <- origin + R offset. */
static inline __attribute__((always_inline)) void leg_joint(const part *p, const lane_body *b, int i, const turn t, const int first,
                                                            vf R[9], v3 *origin) {
    workspace *w = p->w;
    const vf c = w->cs[2 * i], s = w->cs[2 * i + 1];
    const v3 offset = v3_uniform(b->offset);
    if (first) {
        vf one[9];
        identity(one);
        *origin = offset;
        UNROLL for (int k = 0; k < 9; k += 3) v3_store(R + k, turn_down_by(t, c, s, v3_load(one + k)));
    } else {
        *origin = v3_add(*origin, m3_mul(R, offset));
        UNROLL for (int k = 0; k < 9; k += 3) v3_store(R + k, turn_down_by(t, c, s, v3_load(R + k)));
    }
    v3_store(w->p + 3 * i, *origin);
    v3_store(w->axis + 3 * b->v, v3_scale(vf_set(b->sign), (v3){R[t], R[3 + t], R[6 + t]}));
}

/* A leg of n joints: rotations stay in registers from the root to the tip, and are kept only for who asks. */
static inline __attribute__((always_inline)) void leg_kinematics(const part *p, const robot_leg *leg, const int keep, const int n) {
    const lane_body *b = p->r->bodies + leg->body;
    vf R[9];
    v3 origin;
    UNROLL for (int j = 0; j < n; j++) {
        const int i = leg->body + j;
        if (b[j].turn == TURN_X)
            leg_joint(p, b + j, i, TURN_X, j == 0, R, &origin);
        else if (b[j].turn == TURN_Y)
            leg_joint(p, b + j, i, TURN_Y, j == 0, R, &origin);
        else
            leg_joint(p, b + j, i, TURN_Z, j == 0, R, &origin);
        if (keep) memcpy(p->w->R + 9 * i, R, sizeof R);
        slot_centers(p, b + j, R, origin);
    }
}

/* The same for a floating root with legs. */
static void kinematics_legs(const part *p) {
    const robot *r = p->r;
    workspace *w = p->w;
    const int keep = (p->options->varied & MYR_VARIED_WRENCH) || (p->options->sense & MYR_SENSE_BODIES) || r->n_loops;
    const vf *q = field_rows(p, MYR_ROWS_q), *v = field_rows(p, MYR_ROWS_v);
    root_motion(p, &r->bodies[0]);
    if (keep) {
        identity(w->R);
        v3_store(w->p, v3_zero());
    }
    vf *cs = w->cs + 2, *u = w->u;
    for (const lane_body *b = r->bodies + 1, *end = r->bodies + r->n_bodies; b < end; b++, cs += 2) {
        /* before the legs, because a call of the math library spills every register */
        vf sine, cosine;
        vf_sincos(q[PARTS * b->q], &sine, &cosine);
        cs[0] = cosine;
        cs[1] = vf_set(b->sign) * sine; /* an axis along -e_k turns the other way about e_k */
        u[b->v] = v[PARTS * b->v];
    }
    for (const robot_leg *leg = r->legs, *end = leg + r->n_legs; leg < end; leg++) LEG_SWITCH(leg->n, leg_kinematics, p, leg, keep)
}

static void kinematics_tree(const part *p) {
    const robot *r = p->r;
    workspace *w = p->w;
    for (int i = 0; i < r->n_bodies; i++) {
        const lane_body *b = &r->bodies[i];
        vf *R = w->R + 9 * i, *origin = w->p + 3 * i;
        if (b->joint == MYR_JOINT_FREE) {
            root_motion(p, b);
            identity(R);
            v3_store(origin, v3_zero());
            continue;
        }
        if (b->parent < 0) identity(w->R0 + 9 * b->tree);
        for (int k = 0; k < b->nv; k++) w->u[b->v + k] = field(p, MYR_ROWS_v, b->v + k);
        joint_turn(p, b, i);
        const v3 offset = joint_offset(p, b);
        if (b->parent_is_base) { /* the parent's rotation is the identity: the joint's own is all there is */
            v3_store(origin, offset);
            vf one[9];
            identity(one);
            turn_compose(w, b, i, one, R);
        } else {
            const vf *up = w->R + 9 * b->parent;
            v3_store(origin, v3_add(v3_load(w->p + 3 * b->parent), m3_mul(up, offset)));
            turn_compose(w, b, i, up, R);
        }
        for (int k = 0; k < b->nv; k++) v3_store(w->axis + 3 * (b->v + k), m3_mul(R, dof_axis(b, k)));
        slot_centers(p, b, R, v3_load(origin));
    }
}

static void kinematics(const part *p) { p->r->variant->kinematics(p); }

#endif

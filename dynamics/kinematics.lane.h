/* kinematics: q -> where every body is, seen from the base of its tree.
 *
 * Everything is computed in the base frame (the root body of a floating tree, the world for a fixed one): nothing
 * depends on where in the world the robot is, which is what float needs. Bodies use ALIGNED frames (model/model.h):
 * a joint about x, y or z mixes two columns of its parent's rotation, and no constant rotation is ever multiplied. */
#ifndef MYR_DYNAMICS_KINEMATICS_LANE_H
#define MYR_DYNAMICS_KINEMATICS_LANE_H

#include "kernels/math.lane.h"
#include "workspace.lane.h"

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

/* A constant matrix (9 scalars) times a lane vector. */
static inline v3 uniform_mul(const real m[9], v3 a) {
    return (v3){vf_fma(vf_set(m[0]), a.x, vf_fma(vf_set(m[1]), a.y, vf_set(m[2]) * a.z)),
                vf_fma(vf_set(m[3]), a.x, vf_fma(vf_set(m[4]), a.y, vf_set(m[5]) * a.z)),
                vf_fma(vf_set(m[6]), a.x, vf_fma(vf_set(m[7]), a.y, vf_set(m[8]) * a.z))};
}
static inline v3 uniform_mul_t(const real m[9], v3 a) {
    return (v3){vf_fma(vf_set(m[0]), a.x, vf_fma(vf_set(m[3]), a.y, vf_set(m[6]) * a.z)),
                vf_fma(vf_set(m[1]), a.x, vf_fma(vf_set(m[4]), a.y, vf_set(m[7]) * a.z)),
                vf_fma(vf_set(m[2]), a.x, vf_fma(vf_set(m[5]), a.y, vf_set(m[8]) * a.z))};
}

/* Body components -> parent components, and back. */
static inline v3 turn_up(const workspace *w, const lane_body *b, int i, v3 a) {
    const vf c = w->cs[2 * i], s = w->cs[2 * i + 1];
    switch (b->turn) {
    case TURN_X: return (v3){a.x, vf_fms(c, a.y, s * a.z), vf_fma(s, a.y, c * a.z)};
    case TURN_Y: return (v3){vf_fma(c, a.x, s * a.z), a.y, vf_fms(c, a.z, s * a.x)};
    case TURN_Z: return (v3){vf_fms(c, a.x, s * a.y), vf_fma(s, a.x, c * a.y), a.z};
    case TURN_FULL: return m3_mul(w->turn_m + 9 * i, a);
    default: return a;
    }
}
static inline v3 turn_down(const workspace *w, const lane_body *b, int i, v3 a) {
    const vf c = w->cs[2 * i], s = w->cs[2 * i + 1];
    switch (b->turn) {
    case TURN_X: return (v3){a.x, vf_fma(c, a.y, s * a.z), vf_fms(c, a.z, s * a.y)};
    case TURN_Y: return (v3){vf_fms(c, a.x, s * a.z), a.y, vf_fma(s, a.x, c * a.z)};
    case TURN_Z: return (v3){vf_fma(c, a.x, s * a.y), vf_fms(c, a.y, s * a.x), a.z};
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

/* Rotation of body i from its parent's: R_i = R_parent E_i. */
static inline void turn_compose(const workspace *w, const lane_body *b, int i, const vf *up, vf *out) {
    const vf c = w->cs[2 * i], s = w->cs[2 * i + 1];
    for (int k = 0; k < 9; k += 3) { /* row k / 3 of the parent's rotation, taken down into the body */
        const v3 a = v3_load(up + k);
        v3 t = a;
        switch (b->turn) {
        case TURN_X: t = (v3){a.x, vf_fma(c, a.y, s * a.z), vf_fms(c, a.z, s * a.y)}; break;
        case TURN_Y: t = (v3){vf_fms(c, a.x, s * a.z), a.y, vf_fma(s, a.x, c * a.z)}; break;
        case TURN_Z: t = (v3){vf_fma(c, a.x, s * a.y), vf_fms(c, a.y, s * a.x), a.z}; break;
        case TURN_FULL: t = m3_mul_t(w->turn_m + 9 * i, a); break;
        default: break;
        }
        v3_store(out + k, t);
    }
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

static void identity(vf *m) {
    for (int k = 0; k < 9; k++) m[k] = vf_set(k % 4 == 0 ? 1 : 0);
}

static void kinematics(const part *p) {
    const robot *r = p->r;
    workspace *w = p->w;
    for (int i = 0; i < r->n_bodies; i++) {
        const lane_body *b = &r->bodies[i];
        vf *R = w->R + 9 * i, *origin = w->p + 3 * i;
        if (b->joint == MYR_JOINT_FREE) {
            quat_matrix(field(p, MYR_ROWS_q, b->q + 3), field(p, MYR_ROWS_q, b->q + 4), field(p, MYR_ROWS_q, b->q + 5),
                        field(p, MYR_ROWS_q, b->q + 6), w->R0 + 9 * b->tree);
            identity(R);
            v3_store(origin, v3_zero());
            const v3 world = {field(p, MYR_ROWS_v, b->v), field(p, MYR_ROWS_v, b->v + 1), field(p, MYR_ROWS_v, b->v + 2)};
            v3_store(w->u + b->v, m3_mul_t(w->R0 + 9 * b->tree, world));
            for (int k = 3; k < 6; k++) w->u[b->v + k] = field(p, MYR_ROWS_v, b->v + k);
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
    }
}

#endif

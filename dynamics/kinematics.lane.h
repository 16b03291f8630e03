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

static inline void identity(vf *m) {
    for (int k = 0; k < 9; k++) m[k] = vf_set(k % 4 == 0 ? 1 : 0);
}

/* Of a body with one ball: its centre, while R is in registers. What more slots need is found where they are looked at, from R in memory
 * (collision/ground_slots.lane.h). */
INLINE void lone_center(const part *p, const lane_body *b, int i, const vf *R) {
    if (b->n_places == 1) v3_store(p->w->ball_at + 3 * i, m3_mul(R, v3_uniform(p->r->slots[b->slot].center)));
}

/* What moves along a chain beside R and the origin: angular velocity, and velocity of the origin, before the step. */
typedef struct body_twist {
    v3 spin, rate;
} body_twist;

INLINE void twist_keep(const part *p, int body, body_twist t) {
    v3_store(p->w->twist + 6 * body, t.spin);
    v3_store(p->w->twist + 6 * body + 3, t.rate);
}

INLINE body_twist twist_of(const part *p, int body) {
    return (body_twist){v3_load(p->w->twist + 6 * body), v3_load(p->w->twist + 6 * body + 3)};
}

/* Across a hinge about `axis` that is `arm` away from the origin before. */
INLINE body_twist twist_hinge(body_twist t, v3 arm, v3 axis, vf speed) {
    return (body_twist){v3_fma(speed, axis, t.spin), v3_cross_add(t.spin, arm, t.rate)};
}

static inline body_twist root_motion(const part *p, const lane_body *b) {
    workspace *w = p->w;
    vf *R0 = w->R0 + 9 * b->tree;
    quat_matrix(field(p, MYR_ROWS_q, b->q + 3), field(p, MYR_ROWS_q, b->q + 4), field(p, MYR_ROWS_q, b->q + 5),
                field(p, MYR_ROWS_q, b->q + 6), R0);
    const v3 world = {field(p, MYR_ROWS_v, b->v), field(p, MYR_ROWS_v, b->v + 1), field(p, MYR_ROWS_v, b->v + 2)};
    v3_store(w->u + b->v, m3_mul_t(R0, world));
    for (int k = 3; k < 6; k++) w->u[b->v + k] = field(p, MYR_ROWS_v, b->v + k);
    return (body_twist){v3_load(w->u + b->v + 3), v3_load(w->u + b->v)};
}

/* cos, sin of every hinge: before the chains, because a call of the math library spills every register. An axis along -e_k turns the other
 * way about e_k. */
static inline void hinge_angles(const part *p, const lane_body *b, const lane_body *end) {
    const vf *q = field_rows(p, MYR_ROWS_q);
    for (vf *cs = p->w->cs + 2 * (b - p->r->bodies); b < end; b++, cs += 2) {
        if (b->joint != MYR_JOINT_REVOLUTE) continue;
        vf sine, cosine;
        vf_sincos(q[PARTS * b->q], &sine, &cosine);
        cs[0] = cosine;
        cs[1] = vf_set(b->sign) * sine;
    }
}

/* One joint of a leg: R <- R E, origin <- origin + arm, arm = R offset. */
static inline __attribute__((always_inline)) void leg_joint(const part *p, const lane_body *b, int i, const turn t, const int first,
                                                            vf R[9], v3 *origin, v3 *arm, body_twist *moves) {
    workspace *w = p->w;
    const vf c = w->cs[2 * i], s = w->cs[2 * i + 1];
    const v3 offset = v3_uniform(b->offset);
    if (first) {
        vf one[9];
        identity(one);
        *origin = *arm = offset;
        UNROLL for (int k = 0; k < 9; k += 3) v3_store(R + k, turn_down_by(t, c, s, v3_load(one + k)));
    } else {
        *arm = m3_mul(R, offset);
        *origin = v3_add(*origin, *arm);
        UNROLL for (int k = 0; k < 9; k += 3) v3_store(R + k, turn_down_by(t, c, s, v3_load(R + k)));
    }
    v3_store(w->p + 3 * i, *origin);
    const v3 axis = v3_scale(vf_set(b->sign), (v3){R[t], R[3 + t], R[6 + t]});
    v3_store(w->axis + 3 * b->v, axis);
    *moves = twist_hinge(*moves, *arm, axis, w->u[b->v]);
}

/* A leg of n joints: rotations stay in registers from the root to the tip, and are stored only where bodies are sensed. */
static inline __attribute__((always_inline)) void leg_kinematics(const part *p, const robot_leg *leg, const int keep, const int n) {
    const lane_body *b = p->r->bodies + leg->body;
    vf R[9];
    v3 origin, arm;
    body_twist moves = twist_of(p, 0); /* the root's */
    UNROLL for (int j = 0; j < n; j++) {
        const int i = leg->body + j;
        if (b[j].turn == TURN_X)
            leg_joint(p, b + j, i, TURN_X, j == 0, R, &origin, &arm, &moves);
        else if (b[j].turn == TURN_Y)
            leg_joint(p, b + j, i, TURN_Y, j == 0, R, &origin, &arm, &moves);
        else
            leg_joint(p, b + j, i, TURN_Z, j == 0, R, &origin, &arm, &moves);
        if (keep) {
            m3_copy(p->w->R + 9 * i, R);
            v3_store(p->w->arm + 3 * i, arm);
        }
        if (b[j].gated && !keep) m3_copy(p->w->R + 9 * i, R);
        if (b[j].n_slots || p->r->n_pairs) twist_keep(p, i, moves);
        lone_center(p, b + j, i, R);
    }
}

/* The same for a floating root with legs. */
static void kinematics_legs(const part *p) {
    const robot *r = p->r;
    workspace *w = p->w;
    const int keep = (p->options->varied & MYR_VARIED_WRENCH) || r->n_loops || p->options->full_poses;
    const vf *v = field_rows(p, MYR_ROWS_v);
    twist_keep(p, 0, root_motion(p, &r->bodies[0]));
    v3_store(w->p, v3_zero());
    if (keep) identity(w->R);
    for (int k = ROOT; k < r->nv; k++) w->u[k] = v[PARTS * k];
    hinge_angles(p, r->bodies + 1, r->bodies + r->n_bodies);
    for (const robot_leg *leg = r->legs, *end = leg + r->n_legs; leg < end; leg++) LEG_SWITCH(leg->n, leg_kinematics, p, leg, keep)
}

/* R <- R E for a turn by (c, s) about e_t of the body. */
static inline __attribute__((always_inline)) void turn_about(const turn t, vf c, vf s, vf R[9]) {
    UNROLL for (int k = 0; k < 9; k += 3) v3_store(R + k, turn_down_by(t, c, s, v3_load(R + k)));
}

/* The same about any unit axis a, E = c 1 + s [a]x + (1 - c) a a'; in base axes it is `axis` = R a, which the turn does not move. */
static inline void turn_about_any(v3 a, v3 axis, vf c, vf s, vf R[9]) {
    const v3 sine = v3_scale(s, a), rest = v3_scale(vf_set(1) - c, a);
    const vf along[3] = {axis.x, axis.y, axis.z};
    UNROLL for (int k = 0; k < 3; k++) {
        const v3 row = v3_load(R + 3 * k);
        v3_store(R + 3 * k, v3_cross_add(row, sine, v3_fma(along[k], rest, v3_scale(c, row))));
    }
}

/* A ball joint: E = A R(q) A', the quaternion's vector part turned into the aligned frame. */
static inline void turn_ball(const part *p, const lane_body *b, vf R[9]) {
    vf E[9];
    const vf qw = field(p, MYR_ROWS_q, b->q);
    const v3 user = {field(p, MYR_ROWS_q, b->q + 1), field(p, MYR_ROWS_q, b->q + 2), field(p, MYR_ROWS_q, b->q + 3)};
    const v3 a = uniform_mul(b->align, user);
    quat_matrix(qw, a.x, a.y, a.z, E);
    UNROLL for (int k = 0; k < 9; k += 3) v3_store(R + k, m3_mul_t(E, v3_load(R + k)));
    for (int k = 0; k < 3; k++) { /* the joint's axes are the columns of `align` */
        const real column[3] = {b->align[k], b->align[3 + k], b->align[6 + k]};
        v3_store(p->w->axis + 3 * (b->v + k), m3_mul(R, v3_uniform(column)));
    }
}

/* Across a joint of any kind but a floating root's; its axes are known. */
static inline body_twist twist_joint(const part *p, const lane_body *b, body_twist t, v3 arm) {
    const vf *speed = p->w->u + b->v, *axis = p->w->axis + 3 * b->v;
    if (b->joint == MYR_JOINT_PRISMATIC) return (body_twist){t.spin, v3_fma(*speed, v3_load(axis), v3_cross_add(t.spin, arm, t.rate))};
    t = twist_hinge(t, arm, v3_load(axis), *speed);
    for (int k = 1; k < b->nv; k++) t.spin = v3_fma(speed[k], v3_load(axis + 3 * k), t.spin);
    return t;
}

/* Bodies one after the other, parents before children. Rotation and origin stay in registers from a body to the one that follows it. */
static void kinematics_tree(const part *p) {
    const robot *r = p->r;
    workspace *w = p->w;
    const vf *v = field_rows(p, MYR_ROWS_v);
    for (int k = 0; k < r->nv; k++) w->u[k] = v[PARTS * k];
    hinge_angles(p, r->bodies, r->bodies + r->n_bodies);
    vf R[9];
    v3 origin = v3_zero();
    body_twist moves = {origin, origin};
    identity(R);
    for (int i = 0; i < r->n_bodies; i++) {
        const lane_body *b = &r->bodies[i];
        if (b->parent_is_base) {
            identity(R);
            origin = v3_zero();
        } else if (!b->follows) {
            m3_copy(R, w->R + 9 * b->parent);
            origin = v3_load(w->p + 3 * b->parent);
        }
        if (!b->follows) moves = b->parent < 0 ? (body_twist){v3_zero(), v3_zero()} : twist_of(p, b->parent);
        if (b->joint == MYR_JOINT_FREE) {
            moves = root_motion(p, b);
        } else {
            if (b->parent < 0) identity(w->R0 + 9 * b->tree);
            const vf c = w->cs[2 * i], s = w->cs[2 * i + 1], sign = vf_set(b->sign);
            v3 arm = m3_mul(R, v3_uniform(b->offset)), axis = {R[0], R[3], R[6]};
            switch (b->turn) {
            case TURN_X: turn_about(TURN_X, c, s, R); break;
            case TURN_Y:
                axis = (v3){R[1], R[4], R[7]};
                turn_about(TURN_Y, c, s, R);
                break;
            case TURN_Z:
                axis = (v3){R[2], R[5], R[8]};
                turn_about(TURN_Z, c, s, R);
                break;
            default:
                if (b->joint == MYR_JOINT_BALL) {
                    turn_ball(p, b, R);
                    break;
                }
                axis = m3_mul(R, v3_uniform(b->axis));
                if (b->joint == MYR_JOINT_PRISMATIC) /* its origin moves along the axis */
                    arm = v3_fma(field(p, MYR_ROWS_q, b->q), axis, arm);
                else
                    turn_about_any(v3_uniform(b->axis), axis, c, s, R);
            }
            if (b->nv == 1) v3_store(w->axis + 3 * b->v, b->turn <= TURN_Z ? v3_scale(sign, axis) : axis);
            v3_store(w->arm + 3 * i, arm);
            origin = v3_add(origin, arm);
            moves = twist_joint(p, b, moves, arm);
        }
        twist_keep(p, i, moves);
        m3_copy(w->R + 9 * i, R);
        v3_store(w->p + 3 * i, origin);
        lone_center(p, b, i, R);
    }
}

static void kinematics(const part *p) {
    p->r->variant->kinematics(p);
    p->w->posed = 1;
}

/* Stage: not anew where the step before was looked at by it (sensors, bodies that are shown). */
static void kinematics_of_step(const part *p) {
    if (!p->w->posed) kinematics(p);
}

#endif

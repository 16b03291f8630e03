/* dynamics for a floating root that carries nothing but legs (robot->n_legs > 0): the recursion of dynamics.lane.h, in the bodies' own
 * axes, with the count of a leg and the turn of a joint known to the compiler, one leg at a time, out and back, with what moves along the
 * leg in registers. A joint's step inwards carries everything across at once: force, moment, composite inertia, and the columns of all
 * joints further out. */
#ifndef MYR_DYNAMICS_LEGS_DYNAMICS_LANE_H
#define MYR_DYNAMICS_LEGS_DYNAMICS_LANE_H

#include "inertia.lane.h"

/* [alpha]x + [omega]x^2: what a frame's motion adds to the acceleration of a point at r is this times r. */
INLINE void motion_matrix(v3 omega, v3 alpha, vf k[9]) {
    const vf xx = omega.x * omega.x, yy = omega.y * omega.y, zz = omega.z * omega.z;
    const vf xy = omega.x * omega.y, xz = omega.x * omega.z, yz = omega.y * omega.z;
    k[0] = -(yy + zz), k[1] = xy - alpha.z, k[2] = xz + alpha.y;
    k[3] = xy + alpha.z, k[4] = -(xx + zz), k[5] = yz - alpha.x;
    k[6] = xz - alpha.y, k[7] = yz + alpha.x, k[8] = -(xx + yy);
}

typedef struct {
    v3 omega, alpha, acc;
    vf k[9];
} motion;

/* Force and moment about the origin that a body's own inertia asks for. */
INLINE void own_wrench(const inertia *c, const motion *m, v3 *force, v3 *moment) {
    *force = m3_mul_add(m->k, c->h, v3_scale(c->m, m->acc));
    *moment = v3_cross_add(c->h, m->acc, v3_cross_add(m->omega, inertia_mul(c, m->omega), inertia_mul(c, m->alpha)));
}

INLINE void leg_out(const turn t, vf c, vf s, vf rate, const real *offset, motion *m) {
    const v3 at = m3_mul_add(m->k, v3_uniform(offset), m->acc);
    v3 omega = turn_down_by(t, c, s, m->omega), alpha = turn_down_by(t, c, s, m->alpha);
    m->acc = turn_down_by(t, c, s, at);
    if (t == TURN_X)
        alpha.y = vf_fma(omega.z, rate, alpha.y), alpha.z = vf_fnma(omega.y, rate, alpha.z), omega.x = omega.x + rate;
    else if (t == TURN_Y)
        alpha.z = vf_fma(omega.x, rate, alpha.z), alpha.x = vf_fnma(omega.z, rate, alpha.x), omega.y = omega.y + rate;
    else
        alpha.x = vf_fma(omega.y, rate, alpha.x), alpha.y = vf_fnma(omega.x, rate, alpha.y), omega.z = omega.z + rate;
    m->omega = omega, m->alpha = alpha;
    motion_matrix(omega, alpha, m->k);
}

/* What a leg carries inwards. */
typedef struct {
    inertia c;
    v3 force, moment;
    v3 column_force[MAX_LEG], column_moment[MAX_LEG];
} leg_load;

INLINE vf pick(const turn t, v3 a) { return t == TURN_X ? a.x : t == TURN_Y ? a.y : a.z; }

/* Joint j of n: its entries, then everything across the joint. rows: of the leg in M; h: the leg's bias. */
INLINE void leg_in(const turn t, vf c, vf s, vf sign, const real *offset, leg_load *l, vf *rows, vf *h, const int j, const int n) {
    const inertia *a = &l->c;
    const vf zero = vf_zero();
    v3 f, m;
    if (t == TURN_X)
        f = (v3){zero, -(sign * a->h.z), sign * a->h.y}, m = (v3){sign * a->xx, sign * a->xy, sign * a->xz};
    else if (t == TURN_Y)
        f = (v3){sign * a->h.z, zero, -(sign * a->h.x)}, m = (v3){sign * a->xy, sign * a->yy, sign * a->yz};
    else
        f = (v3){-(sign * a->h.y), sign * a->h.x, zero}, m = (v3){sign * a->xz, sign * a->yz, sign * a->zz};
    l->column_force[j] = f, l->column_moment[j] = m;
    UNROLL for (int k = j; k < n; k++) rows[leg_row(k) + ROOT + j] = sign * pick(t, l->column_moment[k]);
    h[j] = sign * pick(t, l->moment);
    const v3 o = v3_uniform(offset);
    UNROLL for (int k = j; k < n; k++) {
        l->column_force[k] = turn_up_by(t, c, s, l->column_force[k]);
        l->column_moment[k] = v3_cross_add(o, l->column_force[k], turn_up_by(t, c, s, l->column_moment[k]));
    }
    l->force = turn_up_by(t, c, s, l->force);
    l->moment = v3_cross_add(o, l->force, turn_up_by(t, c, s, l->moment));
    inertia_turn(t, c, s, &l->c);
    inertia_shift(&l->c, turn_up_by(t, c, s, l->c.h), o);
}

INLINE void leg_dynamics(const part *p, const robot_leg *leg, const motion *root, inertia *sum, v3 *sum_force, v3 *sum_moment,
                         const int n) {
    workspace *w = p->w;
    const lane_body *b = p->r->bodies + leg->body;
    const int wrench = (p->options->varied & MYR_VARIED_WRENCH) != 0;
    vf *rows = w->M + p->r->m_row[leg->dof];
    v3 force[MAX_LEG], moment[MAX_LEG];
    motion m = *root;
    UNROLL for (int j = 0; j < n; j++) {
        const vf c = w->cs[2 * (leg->body + j)], s = w->cs[2 * (leg->body + j) + 1], rate = vf_set(b[j].sign) * w->u[leg->dof + j];
        if (b[j].turn == TURN_X)
            leg_out(TURN_X, c, s, rate, b[j].offset, &m);
        else if (b[j].turn == TURN_Y)
            leg_out(TURN_Y, c, s, rate, b[j].offset, &m);
        else
            leg_out(TURN_Z, c, s, rate, b[j].offset, &m);
        const inertia own = inertia_own(p, &b[j]);
        own_wrench(&own, &m, &force[j], &moment[j]);
        if (wrench) external_wrench(p, leg->body + j, w->R + 9 * (leg->body + j), &force[j], &moment[j]);
    }
    leg_load l;
    UNROLL for (int j = n - 1; j >= 0; j--) {
        const vf c = w->cs[2 * (leg->body + j)], s = w->cs[2 * (leg->body + j) + 1], sign = vf_set(b[j].sign);
        const inertia own = inertia_own(p, &b[j]);
        if (j == n - 1)
            l.c = own, l.force = force[j], l.moment = moment[j];
        else
            inertia_add(&l.c, &own), l.force = v3_add(l.force, force[j]), l.moment = v3_add(l.moment, moment[j]);
        if (b[j].turn == TURN_X)
            leg_in(TURN_X, c, s, sign, b[j].offset, &l, rows, w->h + leg->dof, j, n);
        else if (b[j].turn == TURN_Y)
            leg_in(TURN_Y, c, s, sign, b[j].offset, &l, rows, w->h + leg->dof, j, n);
        else
            leg_in(TURN_Z, c, s, sign, b[j].offset, &l, rows, w->h + leg->dof, j, n);
    }
    UNROLL for (int k = 0; k < n; k++) {
        v3_store(rows + leg_row(k), l.column_force[k]);
        v3_store(rows + leg_row(k) + 3, l.column_moment[k]);
    }
    inertia_add(sum, &l.c);
    *sum_force = v3_add(*sum_force, l.force);
    *sum_moment = v3_add(*sum_moment, l.moment);
}

static void dynamics_legs(const part *p) {
    const robot *r = p->r;
    workspace *w = p->w;
    const v3 gravity = {field(p, MYR_ROWS_gravity, 0), field(p, MYR_ROWS_gravity, 1), field(p, MYR_ROWS_gravity, 2)};
    const v3 down = m3_mul_t(w->R0, gravity);
    motion root = {.omega = v3_load(w->u + 3), .alpha = v3_zero(), .acc = {-down.x, -down.y, -down.z}};
    motion_matrix(root.omega, root.alpha, root.k);
    inertia c = inertia_own(p, &r->bodies[0]);
    v3 force, moment;
    own_wrench(&c, &root, &force, &moment);
    if (p->options->varied & MYR_VARIED_WRENCH) external_wrench(p, 0, NULL, &force, &moment);
    for (int i = 0; i < r->n_legs; i++) LEG_SWITCH(r->legs[i].n, leg_dynamics, p, &r->legs[i], &root, &c, &force, &moment)
    root_rows_of_mass(&c, force, moment, w->M, w->h);
}

#endif

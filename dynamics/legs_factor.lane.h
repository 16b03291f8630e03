/* The factorization for a floating root that carries nothing but serial legs (robot->n_legs > 0): the same arithmetic as
 * factor_tree, with every count known to the compiler. Loops over a tree of depths cost twice as much: their trip counts
 * change with every row, and each end of a loop is a guess that the processor gets wrong.
 *
 * Rows of a leg of n dofs: 6 entries of the root, then its own. The legs reach the root's block in one pass each. */
#ifndef MYR_DYNAMICS_LEGS_FACTOR_LANE_H
#define MYR_DYNAMICS_LEGS_FACTOR_LANE_H

#include "robot/workspace.lane.h"

/* Eliminate a leg of n dofs; `extra` joins its diagonal. Its rows stay in registers from the first load to the last store: x the root's
 * entries, own the leg's. A store of 512 bits takes as long as two operations. */
static inline __attribute__((always_inline)) void factor_leg(vf *S, vf *rows, vf *dinv, const vf *extra, const int n) {
    vf x[MAX_LEG][ROOT], own[MAX_LEG][MAX_LEG], inverse[MAX_LEG];
    UNROLL for (int k = 0; k < n; k++) {
        UNROLL for (int e = 0; e < ROOT; e++) x[k][e] = rows[leg_row(k) + e];
        UNROLL for (int e = 0; e <= k; e++) own[k][e] = rows[leg_row(k) + ROOT + e];
        own[k][k] = own[k][k] + extra[k];
    }
    UNROLL for (int k = n - 1; k >= 0; k--) {
        dinv[k] = inverse[k] = vf_set(1) / own[k][k];
        UNROLL for (int e = k - 1; e >= 0; e--) {
            const vf l = own[k][e] * inverse[k];
            UNROLL for (int f = 0; f < ROOT; f++) x[e][f] = vf_fnma(l, x[k][f], x[e][f]);
            UNROLL for (int f = 0; f <= e; f++) own[e][f] = vf_fnma(l, own[k][f], own[e][f]);
            rows[leg_row(k) + ROOT + e] = own[k][e] = l;
        }
    }
    UNROLL for (int e = ROOT - 1; e >= 0; e--) {
        vf scaled[MAX_LEG];
        UNROLL for (int k = 0; k < n; k++) rows[leg_row(k) + e] = scaled[k] = x[k][e] * inverse[k];
        UNROLL for (int f = 0; f <= e; f++) {
            vf sum = S[root_row(e) + f];
            UNROLL for (int k = n - 1; k >= 0; k--) sum = vf_fnma(scaled[k], x[k][f], sum);
            S[root_row(e) + f] = sum;
        }
    }
}

static inline void factor_root(vf *S, vf *dinv) {
    UNROLL for (int k = ROOT - 1; k >= 0; k--) {
        vf *mine = S + root_row(k);
        const vf inverse = vf_set(1) / mine[k];
        dinv[k] = inverse;
        UNROLL for (int e = k - 1; e >= 0; e--) {
            const vf l = mine[e] * inverse;
            UNROLL for (int f = 0; f <= e; f++) S[root_row(e) + f] = vf_fnma(l, mine[f], S[root_row(e) + f]);
            mine[e] = l;
        }
    }
}

static void factor_legs(const part *p) {
    const robot *r = p->r;
    workspace *w = p->w;
    UNROLL for (int e = 0; e < ROOT; e++) w->M[root_row(e) + e] = w->M[root_row(e) + e] + w->extra[e];
    for (int i = r->n_legs - 1; i >= 0; i--) {
        const robot_leg *l = &r->legs[i];
        vf *rows = w->M + r->m_row[l->dof], *dinv = w->dinv + l->dof;
        const vf *extra = w->extra + l->dof;
        LEG_SWITCH(l->n, factor_leg, w->M, rows, dinv, extra)
    }
    factor_root(w->M, w->dinv);
}

/* s = L^-T dt (tau - h) and z = L u + D^-1 s for one leg; the root's part of s is gathered. `damping`: the joints' rows, NULL: as the model
 * says. */
static inline __attribute__((always_inline)) void substitute_leg(const part *p, const robot_leg *leg, const vf *u0, vf *s0,
                                                                 const vf *damping, const int n) {
    const workspace *w = p->w;
    const lane_joint *joint = p->r->joints + (leg->body - 1); /* every body but the root has one dof */
    const vf *rows = w->M + p->r->m_row[leg->dof], *dinv = w->dinv + leg->dof, *u = w->u + leg->dof, dt = vf_set(p->dt);
    vf *z = w->z + leg->dof, s[MAX_LEG];
    UNROLL for (int k = 0; k < n; k++) {
        const vf d = damping ? damping[PARTS * joint[k].v] : vf_set(joint[k].damping);
        s[k] = dt * (w->tau[leg->dof + k] - vf_fma(d, u[k], w->h[leg->dof + k]));
    }
    UNROLL for (int k = n - 1; k >= 0; k--) {
        const vf *l = rows + leg_row(k);
        const vf mine = s[k];
        vf lu = u[k];
        UNROLL for (int e = 0; e < ROOT; e++) {
            s0[e] = vf_fnma(l[e], mine, s0[e]);
            lu = vf_fma(l[e], u0[e], lu);
        }
        UNROLL for (int e = 0; e < k; e++) {
            s[e] = vf_fnma(l[ROOT + e], mine, s[e]);
            lu = vf_fma(l[ROOT + e], u[e], lu);
        }
        z[k] = vf_fma(dinv[k], mine, lu);
    }
}

static void substitute_legs(const part *p) {
    const robot *r = p->r;
    workspace *w = p->w;
    const vf *damping = p->options->varied & MYR_VARIED_JOINT ? field_rows(p, MYR_ROWS_damping) : NULL, dt = vf_set(p->dt);
    vf s0[ROOT], u0[ROOT];
    UNROLL for (int e = 0; e < ROOT; e++) {
        const vf d = damping ? damping[PARTS * e] : vf_set(r->bodies[0].damping);
        u0[e] = w->u[e];
        s0[e] = dt * (w->tau[e] - vf_fma(d, u0[e], w->h[e]));
    }
    for (int i = r->n_legs - 1; i >= 0; i--) {
        const robot_leg *l = &r->legs[i];
        LEG_SWITCH(l->n, substitute_leg, p, l, u0, s0, damping)
    }
    UNROLL for (int k = ROOT - 1; k >= 0; k--) {
        const vf *l = w->M + root_row(k);
        vf lu = u0[k];
        UNROLL for (int e = 0; e < k; e++) {
            s0[e] = vf_fnma(l[e], s0[k], s0[e]);
            lu = vf_fma(l[e], u0[e], lu);
        }
        w->z[k] = vf_fma(w->dinv[k], s0[k], lu);
    }
}

/* x <- L^-1 (x + D^-1 t); t nullable */
static inline __attribute__((always_inline)) void solve_l_leg(const vf *rows, const vf *dinv, const vf *t, const vf *x0, vf *x,
                                                              const int n) {
    vf y[MAX_LEG];
    UNROLL for (int k = 0; k < n; k++) {
        const vf *l = rows + leg_row(k);
        vf sum = t ? vf_fma(dinv[k], t[k], x[k]) : x[k];
        UNROLL for (int e = 0; e < ROOT; e++) sum = vf_fnma(l[e], x0[e], sum);
        UNROLL for (int e = 0; e < k; e++) sum = vf_fnma(l[ROOT + e], y[e], sum);
        x[k] = y[k] = sum;
    }
}

static void solve_l_legs(const robot *r, const workspace *w, const vf *t, vf *x) {
    const vf *L = w->M, *dinv = w->dinv;
    vf x0[ROOT];
    UNROLL for (int k = 0; k < ROOT; k++) {
        vf sum = t ? vf_fma(dinv[k], t[k], x[k]) : x[k];
        UNROLL for (int e = 0; e < k; e++) sum = vf_fnma(L[root_row(k) + e], x0[e], sum);
        x[k] = x0[k] = sum;
    }
    for (int i = 0; i < r->n_legs; i++) {
        const robot_leg *l = &r->legs[i];
        const vf *rows = L + r->m_row[l->dof], *d = dinv + l->dof, *tn = t ? t + l->dof : 0;
        vf *mine = x + l->dof;
        LEG_SWITCH(l->n, solve_l_leg, rows, d, tn, x0, mine)
    }
}

#endif

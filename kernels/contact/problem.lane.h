/* A contact problem in lanes: w = G lambda + c, one problem per lane, contacts in the same order in every lane. The
 * solvers know nothing of robots; this is all they see. Triples are (x, y, z), z the normal. Beside the contacts lie scalar rows, one
 * impulse each: limits and dry friction of joints (rows.lane.h). Where no lane has one, nothing is computed that would not be without. */
#ifndef MYR_KERNELS_CONTACT_PROBLEM_LANE_H
#define MYR_KERNELS_CONTACT_PROBLEM_LANE_H

#include <stdint.h>

#include "kernels/lane.h"
#include "kernels/solver.h"
#include "myriapod/contact.h"

/* Of each row one vf, but for G. */
typedef struct scalar_rows {
    int n;       /* rows that some lane has */
    vf *G;       /* row k: 3 columns for each contact, then k + 1 for the rows up to it */
    vf *c;       /* free velocity [m/s] */
    vf *f;       /* dry friction >= 0 [N s] */
    vf *lo, *hi; /* lo <= hi: what the velocity may be [m/s]; infinite: no limit */
    vf *active;  /* 1 where the lane has the row, else 0; lambda must be 0 there */
    vf *lambda;  /* warm start in, impulse out */
    vf *w;       /* velocity, as of contacts */
    vf *R;       /* compliance */
} scalar_rows;

typedef struct problem {
    int n;           /* contacts that some lane has */
    vf *G;           /* blocks (i, k <= i) of 9, row-major: rows of i, columns of k */
    vf *c;           /* 3 n, free contact velocity */
    vf *mu;          /* n */
    vf *active;      /* n: 1 where the lane has the contact, else 0; lambda must be 0 there */
    vf *lambda;      /* 3 n, warm start in, impulse out */
    vf *w;           /* 3 n, contact velocity out; while a solver runs, that of the compliant system, (G + R) lambda + c */
    vf *R;           /* 3 n, compliance: the diagonal of R [1/kg]; looked at where `compliant` is set */
    const vf *patch; /* n: contacts of a lane with the same number are of one patch, what two bodies share; NULL: not known */
    int paired;      /* patches are the two contacts of a ball between a floor and a wall: at once from the first sweep, however few */
    vf *scratch;     /* myr_solver_room rows */
    vf *inverse;     /* 6 n, scratch: G_ii^-1 as xx yy zz xy xz yz */
    vf *tilt;        /* 3 n, scratch: G_zx / G_zz, G_zy / G_zz, 1 / G_zz */
    vf *ridge;       /* n, scratch: what single.lane.h adds to the tangents of a singular G_ii, else 0 */
    vf *bar;         /* 3 n, scratch: Gbar of Hwangbo 2018 (16), with the ridge: xx, xy, yy */
    scalar_rows rows;
    int ridged; /* some lane of some contact has such a ridge */
    int compliant;
    int unasked; /* 1: residuals of lanes that obey the law are not told to any caller */
    /* of lanes that a solver takes out of their tile (pause.lane.h): steps of the next pause, steps that are left of this one; how it went
     * in this step, where it was done */
    vf pause, wait;
    vm was_long, was_short;
    /* answers, one per lane */
    vf residual, residual_ncp, iterations, status;
    vf bound;                       /* what `residual` may be of a lane that converged */
    uint64_t lanes_busy, lanes_run; /* occupancy of the sweeps */
} problem;

static inline vf *problem_block(const problem *p, int i, int k) { return p->G + 9 * (i * (i + 1) / 2 + k); } /* k <= i */
static inline vm problem_has(const problem *p, int i) { return vm_gt(p->active[i], vf_zero()); }
static inline vf *problem_row_G(const problem *p, int k) { return p->rows.G + 3 * p->n * k + k * (k + 1) / 2; }
static inline vm problem_has_row(const problem *p, int k) { return vm_gt(p->rows.active[k], vf_zero()); }

/* Lanes that have anything to solve. */
static inline vm problem_lanes(const problem *p) {
    vm some = vm_none();
    for (int i = 0; i < p->n; i++) some = vm_or(some, problem_has(p, i));
    for (int k = 0; k < p->rows.n; k++) some = vm_or(some, problem_has_row(p, k));
    return some;
}

/* Of n contacts and m rows. */
static inline size_t problem_size(int n, int m) {
    return (size_t)(9 * n * (n + 1) / 2 + (3 + 1 + 1 + 3 + 3 + 6 + 3 + 1 + 3 + 3) * n + 3 * n * m + m * (m + 1) / 2 + 8 * m);
}

/* Lay the arrays of m rows beside n contacts out; what is returned lies behind them. */
static vf *scalar_rows_open(scalar_rows *r, int n, int m, vf *memory) {
    r->n = m;
    r->G = memory, memory += 3 * n * m + m * (m + 1) / 2;
    r->c = memory, memory += m;
    r->f = memory, memory += m;
    r->lo = memory, memory += m;
    r->hi = memory, memory += m;
    r->active = memory, memory += m;
    r->lambda = memory, memory += m;
    r->w = memory, memory += m;
    r->R = memory, memory += m;
    return memory;
}

/* The same of a problem; what lies behind is the solver's scratch. */
static vf *problem_open(problem *p, int n, int m, vf *memory) {
    p->n = n;
    memory = scalar_rows_open(&p->rows, n, m, memory);
    p->G = memory, memory += 9 * n * (n + 1) / 2;
    p->c = memory, memory += 3 * n;
    p->mu = memory, memory += n;
    p->active = memory, memory += n;
    p->lambda = memory, memory += 3 * n;
    p->w = memory, memory += 3 * n;
    p->inverse = memory, memory += 6 * n;
    p->tilt = memory, memory += 3 * n;
    p->ridge = memory, memory += n;
    p->bar = memory, memory += 3 * n;
    p->R = memory, memory += 3 * n;
    p->scratch = memory;
    return memory;
}

/* The impulse d on contact i: w_k += G_ki d for every contact k. */
static inline void problem_add_impulse(problem *p, int i, v3 d) {
    for (int k = 0; k <= i; k++) { /* G_ki = (block i, k)' */
        const vf *g = problem_block(p, i, k);
        vf *w = p->w + 3 * k;
        v3_store(w, m3_mul_t_add(g, d, v3_load(w)));
    }
    for (int k = i + 1; k < p->n; k++) {
        vf *w = p->w + 3 * k;
        v3_store(w, m3_mul_add(problem_block(p, k, i), d, v3_load(w)));
    }
    for (int k = 0; k < p->rows.n; k++) {
        const vf *g = problem_row_G(p, k) + 3 * i;
        p->rows.w[k] = vf_fma(g[0], d.x, vf_fma(g[1], d.y, vf_fma(g[2], d.z, p->rows.w[k])));
    }
}

/* The impulse d on row k, likewise. */
static inline void problem_add_row_impulse(problem *p, int k, vf d) {
    const vf *g = problem_row_G(p, k);
    vf *w = p->rows.w;
    for (int i = 0; i < 3 * p->n; i++, g++) p->w[i] = vf_fma(*g, d, p->w[i]);
    for (int j = 0; j <= k; j++, g++) w[j] = vf_fma(*g, d, w[j]);
    for (int j = k + 1; j < p->rows.n; j++) w[j] = vf_fma(problem_row_G(p, j)[3 * p->n + k], d, w[j]);
}

/* y += G x over the scalar rows and what they share with the contacts. x, y: 3 n numbers of contacts, then those of the rows. */
static inline void problem_multiply_rows(const problem *p, const vf *x, vf *y) {
    for (int k = 0; k < p->rows.n; k++) {
        const vf *g = problem_row_G(p, k);
        const int at = 3 * p->n + k;
        vf sum = y[at];
        for (int i = 0; i < at; i++) {
            sum = vf_fma(g[i], x[i], sum);
            y[i] = vf_fma(g[i], x[at], y[i]);
        }
        y[at] = vf_fma(g[at], x[at], sum);
    }
}

/* The rows' part of what follows, after the contacts'. By itself, as in law.lane.h. */
static __attribute__((noinline)) void problem_add_rows(problem *p) {
    for (int k = 0; k < p->rows.n; k++)
        if (vm_any(vm_not(vm_eq(p->rows.lambda[k], vf_zero())))) problem_add_row_impulse(p, k, p->rows.lambda[k]);
}

/* w = c + G lambda; contacts without impulse in any lane cost nothing. c + 0 turns -0 into +0: from then on w never holds
 * -0, and adding an impulse of zero is the identity to the bit, whatever contacts the neighbours have. */
static inline __attribute__((always_inline)) void problem_velocity(problem *p) {
    const vf zero = vf_zero();
    for (int i = 0; i < 3 * p->n; i++) p->w[i] = p->c[i] + zero;
    for (int k = 0; k < p->rows.n; k++) p->rows.w[k] = p->rows.c[k] + zero;
    for (int i = 0; i < p->n; i++) {
        const v3 l = v3_load(p->lambda + 3 * i);
        const vf size = vf_max(vf_max(vf_abs(l.x), vf_abs(l.y)), vf_abs(l.z));
        if (vm_any(vm_not(vm_eq(size, vf_zero())))) problem_add_impulse(p, i, l);
    }
    if (p->rows.n > 0) problem_add_rows(p);
}

/* The same in these lanes alone; the others keep what they have, to the bit. memory: 3 n + m. */
static inline void problem_velocity_in(problem *p, vm lanes, vf *memory) {
    const int n = 3 * p->n, m = p->rows.n;
    for (int i = 0; i < n; i++) memory[i] = p->w[i];
    for (int k = 0; k < m; k++) memory[n + k] = p->rows.w[k];
    problem_velocity(p);
    for (int i = 0; i < n; i++) p->w[i] = vf_select(lanes, p->w[i], memory[i]);
    for (int k = 0; k < m; k++) p->rows.w[k] = vf_select(lanes, p->rows.w[k], memory[n + k]);
}

/* The compliant system has G + R on the diagonal: solvers see nothing else of R. */
static inline void problem_soften(problem *p) {
    for (int i = 0; i < p->n; i++) {
        vf *g = problem_block(p, i, i);
        for (int a = 0; a < 3; a++) g[4 * a] = g[4 * a] + p->R[3 * i + a];
    }
    for (int k = 0; k < p->rows.n; k++) {
        vf *own = problem_row_G(p, k) + 3 * p->n + k;
        *own = *own + p->rows.R[k];
    }
}

/* The velocity of contact i itself, without what the compliance adds. */
static inline v3 problem_hard_velocity(const problem *p, int i) {
    const v3 w = v3_load(p->w + 3 * i);
    if (!p->compliant) return w;
    const vf *R = p->R + 3 * i, *l = p->lambda + 3 * i;
    return (v3){vf_fnma(R[0], l[0], w.x), vf_fnma(R[1], l[1], w.y), vf_fnma(R[2], l[2], w.z)};
}
static inline vf problem_hard_row_velocity(const problem *p, int k) {
    return p->compliant ? vf_fnma(p->rows.R[k], p->rows.lambda[k], p->rows.w[k]) : p->rows.w[k];
}

#endif

/* solve: G, c, mu, warm start -> impulses, residual, status. One solver per file, all of one signature; the files are
 * named in solvers.def. Also the tile of bare problems behind myr_solve_contacts. Compiled in units of its own, apart from the step,
 * which knows these functions from solve.h. */
#ifndef MYR_KERNELS_CONTACT_SOLVE_LANE_H
#define MYR_KERNELS_CONTACT_SOLVE_LANE_H

#include "solve.h"

#include "solvers.def" /* their code */

void MYR_UNIT(myr_solve)(problem *p, const myr_solve_options *o) {
    if (p->compliant) problem_soften(p);
    switch (o->solver) {
#define MYR_SOLVER(id, name, function, law, sweeps, room)                                                                                  \
    case MYR_SOLVER_##id:                                                                                                                  \
        function(p, o);                                                                                                                    \
        break;
#include "solvers.def"
#undef MYR_SOLVER
    case MYR_SOLVER_COUNT: break;
    }
}

vf MYR_UNIT(myr_solve_measure)(problem *p, const myr_solve_options *o) {
    law_measure(p, myr_solvers[o->solver].law);
    return law_bound(p, o);
}

size_t MYR_UNIT(myr_problem_workspace_bytes)(int contacts, int rows, myr_solver solver) {
    return ((size_t)contacts + problem_size(contacts, rows) + myr_solver_room(solver, contacts, rows, sizeof(vf))) * sizeof(vf) + 64;
}

static inline vf *problem_row(void *rows, int i, int part) { return (vf *)(void *)((char *)rows + 64 * (size_t)i) + part; }

/* The scalar rows of a tile's part, and their answers back. */
static void tile_rows_in(const myr_problem_tile *t, problem *p, int part) {
    const int n = 3 * t->contacts, m = n + t->rows;
    for (int k = 0; k < t->rows; k++) {
        scalar_rows *r = &p->rows;
        for (int j = 0; j <= n + k; j++) problem_row_G(p, k)[j] = *problem_row(t->G, (n + k) * m + j, part);
        r->f[k] = *problem_row(t->stairs, 3 * k, part);
        r->lo[k] = *problem_row(t->stairs, 3 * k + 1, part);
        r->hi[k] = *problem_row(t->stairs, 3 * k + 2, part);
        r->active[k] = *problem_row(t->active, t->contacts + k, part);
        r->c[k] = *problem_row(t->c, n + k, part);
        r->lambda[k] = vf_select(problem_has_row(p, k), *problem_row(t->impulse, n + k, part), vf_zero());
        if (p->compliant) r->R[k] = *problem_row(t->R, n + k, part);
    }
}

static void tile_rows_out(const myr_problem_tile *t, const problem *p, int part) {
    for (int k = 0; k < t->rows; k++) {
        *problem_row(t->velocity, 3 * t->contacts + k, part) = problem_hard_row_velocity(p, k);
        *problem_row(t->impulse, 3 * t->contacts + k, part) = p->rows.lambda[k];
    }
}

void MYR_UNIT(myr_solve_tile)(const myr_problem_tile *t, void *workspace, const myr_solve_options *o) {
    const int n = t->contacts, m = 3 * n + t->rows;
    for (int part = 0; part < PARTS; part++) {
        problem p = {0};
        vf *patch = workspace;
        problem_open(&p, n, t->rows, patch + n);
        if (t->patch) p.patch = patch;
        p.compliant = t->R != NULL;
        for (int i = 0; i < n; i++)
            for (int k = 0; k <= i; k++)
                for (int e = 0; e < 9; e++) problem_block(&p, i, k)[e] = *problem_row(t->G, (3 * i + e / 3) * m + 3 * k + e % 3, part);
        for (int i = 0; i < n; i++) {
            p.mu[i] = *problem_row(t->mu, i, part);
            p.active[i] = *problem_row(t->active, i, part);
            const vm has = problem_has(&p, i);
            if (t->patch) patch[i] = *problem_row(t->patch, i, part);
            for (int a = 3 * i; a < 3 * i + 3; a++) {
                p.c[a] = *problem_row(t->c, a, part);
                p.lambda[a] = vf_select(has, *problem_row(t->impulse, a, part), vf_zero());
                if (p.compliant) p.R[a] = *problem_row(t->R, a, part);
            }
        }
        tile_rows_in(t, &p, part);
        MYR_UNIT(myr_solve)(&p, o);
        problem_velocity(&p);
        for (int i = 0; i < n; i++) {
            const v3 w = problem_hard_velocity(&p, i);
            *problem_row(t->velocity, 3 * i, part) = w.x;
            *problem_row(t->velocity, 3 * i + 1, part) = w.y;
            *problem_row(t->velocity, 3 * i + 2, part) = w.z;
        }
        for (int a = 0; a < 3 * n; a++) *problem_row(t->impulse, a, part) = p.lambda[a];
        tile_rows_out(t, &p, part);
        *problem_row(t->residual, 0, part) = p.residual;
        *problem_row(t->residual_ncp, 0, part) = p.residual_ncp;
        *problem_row(t->iterations, 0, part) = p.iterations;
        *problem_row(t->status, 0, part) = p.status;
    }
}

#endif

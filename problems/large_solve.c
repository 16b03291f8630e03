/* myr_solve_large: problems of many contacts, one per worker, scaled to unit velocity and unit mobility, and the answers out again,
 * measured against the problem as it was given. */
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "problems/residual.h"
#include "problems/large.h"
#include "settings/resolve.h"
#include "base/threads.h"
#include "kernels/contact/large/factor.h"
#include "kernels/contact/large/law.h"
#include "base/memory.h"
#include "base/message.h"

const char *myr_solver_large_refusal(const char *solver) {
    if (!solver) return "no solver is named";
    for (int i = 0; i < MYR_SOLVER_COUNT; i++) {
        if (strcmp(solver, myr_solvers[i].name) != 0) continue;
        if (i == MYR_SOLVER_NSGS) return NULL;
        if (i != MYR_SOLVER_ADMM_NCP && i != MYR_SOLVER_ADMM_CCP) return "it works on a dense matrix";
        return myr_factor_exists() ? NULL : "this build has no sparse factorization: CXSparse was not installed";
    }
    return "there is no such solver";
}

/* ---- one problem -------------------------------------------------------------------------------- */

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* As myr_contact_scale_of. */
static myr_contact_scale scale_of(const myr_large_problem *p, const int64_t *middle) {
    myr_contact_scale scale = {0, 0, 0};
    for (size_t i = 0; i < 3 * (size_t)p->contacts; i++) scale.velocity = max2(scale.velocity, fabs(p->c[i]));
    for (int i = 0; i < p->contacts; i++) {
        const double *g = p->blocks + 9 * middle[i];
        scale.mobility = max2(scale.mobility, g[0] / 3 + g[4] / 3 + g[8] / 3);
    }
    if (!(scale.mobility > 0)) scale.mobility = 1;
    if (!(scale.velocity > 0)) scale.velocity = 1;
    scale.impulse0 = scale.velocity / scale.mobility;
    return scale;
}

/* Both residuals and the modes of result->impulse, scale-free; result->velocity by the way. */
static void measure(const myr_large *q, const double *block, const myr_contact_scale *scale, myr_law law, myr_contact_result *r) {
    const double *impulse = r->impulse;
    double largest = 0;
    for (size_t i = 0; i < 3 * (size_t)q->n; i++) largest = max2(largest, fabs(impulse[i]));
    const double ls = max2(largest, scale->impulse0), vs = scale->velocity;
    r->residual = r->residual_ncp = 0;
    for (int i = 0; i < q->n; i++) {
        const size_t at = 3 * (size_t)i;
        double l[3], w[3];
        for (size_t a = 0; a < 3; a++) r->velocity[at + a] = q->c[at + a] * vs;
        for (int64_t b = q->first[i]; b < q->first[i + 1]; b++) {
            const double *g = block + 9 * b, *other = impulse + 3 * (size_t)q->column[b];
            for (size_t a = 0; a < 3; a++)
                r->velocity[at + a] += (g[3 * a] * other[0] + g[3 * a + 1] * other[1] + g[3 * a + 2] * other[2]) * scale->mobility;
        }
        for (size_t a = 0; a < 3; a++) l[a] = impulse[at + a] / ls, w[a] = r->velocity[at + a] / vs;
        const double full = law_violation(l, w, q->mu[i]), own = law == MYR_LAW_NCP ? full : convex_violation(l, w, q->mu[i]);
        r->residual = max2(r->residual, own);
        r->residual_ncp = max2(r->residual_ncp, full);
        if (r->modes) r->modes[i] = myr_contact_mode(l, w, q->mu[i], law);
    }
}

/* Scaled by mobility, symmetrised. */
static void scale_blocks(const myr_large_problem *p, double mobility, int64_t *next, double *block) {
    for (int i = 0; i < p->contacts; i++) next[i] = p->first[i];
    for (int i = 0; i < p->contacts; i++)
        for (int64_t b = p->first[i]; b < p->first[i + 1]; b++) {
            const int64_t t = next[p->column[b]]++;
            for (int e = 0; e < 9; e++)
                block[9 * b + e] = (0.5 * p->blocks[9 * b + e] + 0.5 * p->blocks[9 * t + 3 * (e % 3) + e / 3]) / mobility;
        }
}

/* The solver's answer to what the caller reads. */
static void answer(const myr_large_problem *p, const myr_large *q, const myr_contact_scale *scale, const myr_solve_options *o,
                   myr_contact_result *r) {
    const size_t m = 3 * (size_t)p->contacts;
    const myr_law law = myr_solvers[o->solver].law;
    int finite = 1;
    for (size_t i = 0; i < m; i++) {
        r->impulse[i] = q->lambda[i] * scale->impulse0 + 0.0; /* no -0 */
        finite = finite && isfinite(r->impulse[i]);
    }
    measure(q, q->block, scale, law, r);
    for (size_t i = 0; i < m; i++) finite = finite && isfinite(r->velocity[i]);
    r->iterations = q->iterations;
    r->status = q->status == MYR_CONVERGED ? MYR_STALLED : q->status;
    if (r->residual <= o->tolerance) r->status = MYR_CONVERGED;
    if (!finite || !isfinite(r->residual) || !isfinite(r->residual_ncp)) { /* no answer: no impulse, and no figure of one */
        memset(r->impulse, 0, m * sizeof *r->impulse);
        measure(q, q->block, scale, law, r);
        r->residual = r->residual_ncp = (double)INFINITY;
        r->status = MYR_NOT_FINITE;
    }
    if (r->R) memset(r->R, 0, m * sizeof *r->R);
    r->internal = 0;
}

static myr_status solve_one(const myr_large_problem *p, int64_t index, const myr_solve_options *o, myr_contact_result *r) {
    const size_t nc = (size_t)p->contacts, m = 3 * nc, blocks = nc ? (size_t)p->first[nc] : 0;
    *r = (myr_contact_result){.impulse = r->impulse, .velocity = r->velocity, .modes = r->modes, .minimum = r->minimum, .R = r->R};
    r->status = MYR_CONVERGED;
    if (!nc) return MYR_OK;
    double *memory = myr_allocate((9 * blocks + 3 * m) * sizeof *memory, 64);
    int64_t *places = myr_allocate(2 * nc * sizeof *places, 64), *middle = places, *next = places + nc;
    myr_status status = MYR_OK;
    if (!memory || !places) status = myr_fail(MYR_E_MEMORY, "problem %lld: no memory for %zu blocks", (long long)index, blocks);
    if (status == MYR_OK) {
        double *block = memory, *c = memory + 9 * blocks, *lambda = c + m, *w = lambda + m;
        for (int i = 0; i < p->contacts; i++)
            for (int64_t b = p->first[i]; b < p->first[i + 1]; b++)
                if (p->column[b] == i) middle[i] = b;
        const myr_contact_scale scale = scale_of(p, middle);
        int moves = 0;
        for (size_t i = 0; i < m; i++) c[i] = p->c[i] / scale.velocity, moves = moves || c[i] != 0;
        for (size_t i = 0; i < m; i++) lambda[i] = p->start && moves ? p->start[i] / scale.impulse0 : 0;
        scale_blocks(p, scale.mobility, next, block);
        myr_large q = {.n = p->contacts,
                       .first = p->first,
                       .column = p->column,
                       .middle = middle,
                       .block = block,
                       .c = c,
                       .mu = p->mu,
                       .lambda = lambda,
                       .w = w};
        const double began = seconds();
        status = o->solver == MYR_SOLVER_NSGS ? myr_large_nsgs(&q, o, index) : myr_large_admm(&q, o, index);
        r->solve_s = seconds() - began;
        if (status == MYR_OK) answer(p, &q, &scale, o, r);
    }
    myr_release(memory);
    myr_release(places);
    return status;
}

/* ---- all of them -------------------------------------------------------------------------------- */

typedef struct work {
    const myr_large_problem *problems;
    const myr_solve_options *options;
    myr_contact_result *results;
    int64_t n;
    atomic_llong next;
    atomic_int failed; /* a myr_status; the first one's message */
    char message[400];
} work;

/* A worker that is free takes the next. */
static void take(void *context, int worker) {
    work *all = context;
    (void)worker;
    for (;;) {
        const int64_t i = atomic_fetch_add(&all->next, 1);
        int none = MYR_OK;
        if (i >= all->n || atomic_load(&all->failed) != MYR_OK) return;
        const myr_status status = solve_one(&all->problems[i], i, all->options, &all->results[i]);
        if (status != MYR_OK && atomic_compare_exchange_strong(&all->failed, &none, (int)status))
            snprintf(all->message, sizeof all->message, "%s", myr_message());
    }
}

myr_status myr_solve_large(const myr_large_problem *problems, int64_t n, const myr_settings *settings, myr_contact_result *results) {
    MYR_OWN_ARITHMETIC;
    myr_solve_options options;
    myr_team *team;
    if (n < 0) return myr_fail(MYR_E_ARG, "n is %lld; it may not be negative", (long long)n);
    if (n > 0 && !problems) return myr_fail(MYR_E_ARG, "problems is NULL");
    if (n > 0 && !results) return myr_fail(MYR_E_ARG, "results is NULL");
    myr_status status = myr_resolve_solve(settings, &options);
    if (status != MYR_OK) return status;
    const char *solver = myr_solvers[options.solver].name, *refusal = myr_solver_large_refusal(solver);
    if (refusal) return myr_fail(MYR_E_ARG, "the solver '%s' does not take large problems: %s", solver, refusal);
    if (strcmp(settings->precision, "f64") != 0)
        return myr_fail(MYR_E_ARG, "'precision' is '%s': large problems are solved in double, f64, alone", settings->precision);
    for (int64_t i = 0; status == MYR_OK && i < n; i++) status = myr_large_check(i, &problems[i], &results[i]);
    if (status != MYR_OK || n == 0) return status;
    status = myr_team_create((int)settings->threads, (int)settings->pin, n, &team);
    if (status != MYR_OK) return status;
    work all = {.problems = problems, .options = &options, .results = results, .n = n};
    myr_team_run(team, take, &all);
    myr_team_destroy(team);
    const int failed = atomic_load(&all.failed);
    return failed == MYR_OK ? MYR_OK : myr_fail((myr_status)failed, "%s", all.message);
}

/* nsgs of a large problem: sweeps over contacts, each solved exactly for the impulses that the others have. A contact that obeys the law is
 * left alone, and what one gives is added to the velocities of its neighbours alone: where a pile has come to rest a sweep costs little. */
#include <string.h>

#include "large.h"
#include "local.h"
#include "model/model.h"

enum {
    FULL_SWEEPS = 10, /* at full step before the relaxation sets in, as in lanes */
    RENEW = 64        /* sweeps after which velocities are computed anew: they were summed up by changes */
};

/* lambda_i += change, and what that does to all velocities */
static void give(myr_large *p, int i, const double change[3]) {
    double *l = p->lambda + 3 * (size_t)i;
    for (int a = 0; a < 3; a++) l[a] += change[a];
    for (int64_t b = p->first[i]; b < p->first[i + 1]; b++) {
        const double *g = p->block + 9 * b; /* of row i: its transpose is what column i has */
        double *w = p->w + 3 * (size_t)p->column[b];
        for (int a = 0; a < 3; a++) w[a] += g[a] * change[0] + g[3 + a] * change[1] + g[6 + a] * change[2];
    }
}

typedef struct sweep_end {
    int wrong, moved;
} sweep_end;

static sweep_end sweep(myr_large *p, const local_block *local, double inner, double scale, double alpha, int steps) {
    sweep_end end = {0, 0};
    for (int i = 0; i < p->n; i++) {
        const double *l = p->lambda + 3 * (size_t)i, *w = p->w + 3 * (size_t)i;
        if (local_obeyed(p->mu[i], l, w, inner, scale)) continue;
        double best[3], change[3], size2 = 0, change2 = 0;
        const int opens = local_solve(p->block + 9 * p->middle[i], &local[i], p->mu[i], l, w, steps, best);
        for (int a = 0; a < 3; a++) {
            change[a] = opens ? -l[a] : alpha * (best[a] - l[a]); /* what opens has no impulse, at once */
            size2 += best[a] * best[a], change2 += change[a] * change[a];
        }
        give(p, i, change);
        end.wrong = 1;
        if (change2 > 4 * DBL_EPSILON * DBL_EPSILON * size2) end.moved = 1;
    }
    return end;
}

myr_status myr_large_nsgs(myr_large *p, const myr_solve_options *o, int64_t index) {
    local_block *local = myr_allocate((size_t)p->n * sizeof *local, 64);
    if (!local) return myr_fail(MYR_E_MEMORY, "problem %lld: no memory for %d contacts", (long long)index, p->n);
    double inner = 0.45 * o->tolerance, alpha = o->alpha;
    int done = 0;
    for (int i = 0; i < p->n; i++) local_prepare(p->block + 9 * p->middle[i], &local[i]);
    myr_large_velocity(p);
    p->iterations = 0;
    done = myr_large_violation(p, MYR_LAW_NCP) <= o->tolerance; /* a start that is an answer */
    p->status = done ? MYR_CONVERGED : MYR_ITERATION_LIMIT;
    while (!done && p->iterations < o->max_sweeps) {
        const int steps = p->iterations < FULL_SWEEPS ? o->slip_steps : 4 * o->slip_steps;
        const sweep_end end = sweep(p, local, inner, myr_large_impulse_scale(p), alpha, steps);
        p->iterations++;
        if (p->iterations > FULL_SWEEPS) alpha = o->alpha_min + o->gamma * (alpha - o->alpha_min);
        if (end.wrong && end.moved && p->iterations % RENEW) continue;
        myr_large_velocity(p);
        const double violation = myr_large_violation(p, MYR_LAW_NCP);
        if (!(violation > o->tolerance)) { /* a NaN ends here, too: who asked looks at the numbers */
            p->status = MYR_CONVERGED;
            done = 1;
        } else if (end.wrong && !end.moved) {
            p->status = MYR_STALLED;
            done = 1;
        } else if (!end.wrong) { /* each obeyed when it was looked at, and all together do not */
            inner *= 0.5;
            if (inner < 1e-3 * o->tolerance) p->status = MYR_STALLED, done = 1;
        }
    }
    myr_large_velocity(p);
    myr_release(local);
    return MYR_OK;
}

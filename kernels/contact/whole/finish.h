/* A whole problem brought to the law, from where the sweeps left it: a few of Newton's steps; where those go round, steps of the smoothing
 * method; and what is left to neither, ADMM and Newton's steps in turn, longer each time. */
#ifndef MYR_KERNELS_CONTACT_WHOLE_FINISH_H
#define MYR_KERNELS_CONTACT_WHOLE_FINISH_H

#include "certificate.h"
#include "newton.h"
#include "smooth.h"

enum {
    WHOLE_STEPS = 6,   /* of Newton's at a time */
    WHOLE_TRIALS = 1,  /* of these that need not come nearer */
    WHOLE_SMOOTH = 40, /* steps of the smoothing method */
    WHOLE_FIRST = 10,  /* iterations of ADMM before the next ones; each time half as many again */
    WHOLE_DOUBT = 50   /* of these, before a proof is looked for that there is no solution */
};

/* Looks at p->x, p->w and keeps them if they are the best so far. */
static int whole_keep(whole_problem *p, double *least, double bound) {
    const double error = whole_error(p);
    if (error < *least) { /* false for NaN */
        *least = error;
        memcpy(p->best, p->x, (size_t)p->stride * sizeof *p->x);
    }
    return *least <= bound;
}

/* How a whole problem ended: steps and iterations; whether the bound was met; whether there is proof that nothing can meet it. */
typedef struct whole_end {
    int done, good, hopeless;
} whole_end;

/* The best that was found, once more. */
static void whole_back(whole_problem *p) {
    memcpy(p->x, p->best, (size_t)p->stride * sizeof *p->x);
    whole_velocity(p);
}

/* Until whole_error is within the bound, or `most` steps and iterations are done. p->x: the best that was found. */
static whole_end whole_finish(whole_problem *p, double bound, int most) {
    whole_admm admm = {0};
    double least = __builtin_inf();
    int done = 0, count = WHOLE_FIRST, hopeless = 0;
    memcpy(p->best, p->x, (size_t)p->stride * sizeof *p->x);
    whole_velocity(p);
    int good = whole_keep(p, &least, bound);
    while (!good && !hopeless && done < most) {
        for (int k = 0; k < WHOLE_STEPS && done < most && !good; k++) {
            if (!whole_newton(p)) break;
            const double before = least;
            done++;
            good = whole_keep(p, &least, bound);
            if (k >= WHOLE_TRIALS && !(least < before)) break; /* it goes round */
        }
        if (good || done >= most) break;
        if (!admm.done) {
            whole_back(p);
            whole_smooth smooth = whole_smooth_open(p);
            for (int k = 0; k < WHOLE_SMOOTH && done < most && !good; k++) {
                if (!whole_smooth_step(p, &smooth)) break;
                done++;
                good = whole_keep(p, &least, bound);
            }
            if (good && done < most && whole_newton(p)) done++, whole_keep(p, &least, bound); /* it ends where it just may: one to spare */
            if (good || done >= most) break;
            whole_back(p);
            whole_admm_open(p, &admm);
        }
        count = count < most - done ? count : most - done;
        whole_admm_run(p, &admm, count);
        done += count, count += count / 2;
        good = whole_keep(p, &least, bound);
        hopeless = !good && admm.done >= WHOLE_DOUBT && whole_unsolvable(p, &admm);
    }
    memcpy(p->x, p->best, (size_t)p->stride * sizeof *p->x);
    return (whole_end){done, good, hopeless};
}

#endif

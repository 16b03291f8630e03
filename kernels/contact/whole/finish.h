/* A whole problem brought to the law, from where the sweeps left it: a few of Newton's steps; where those go round, steps of the smoothing
 * method; Newton's from nothing; and what is left to none of these, ADMM and Newton's steps in turn, longer each time. */
#ifndef MYR_KERNELS_CONTACT_WHOLE_FINISH_H
#define MYR_KERNELS_CONTACT_WHOLE_FINISH_H

#include "certificate.h"
#include "newton.h"
#include "smooth.h"

enum {
    WHOLE_STEPS = 16,  /* of Newton's at a time */
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

/* Into the cone, straight inwards, which whole_error allows to be missed by its bound: a contact that pushes has all of its impulse, one
 * that does not has none. */
static void whole_inwards(whole_problem *p) {
    for (int i = 0; i < p->n; i++) {
        double *x = p->x + 3 * i;
        const double reach = p->mu[i] * x[2], length = whole_length(x[0], x[1]);
        const double part = !(x[2] > 0) ? 0 : length > reach ? reach / length : 1;
        x[0] *= part, x[1] *= part;
        if (!(x[2] > 0)) x[2] = 0;
    }
}

/* A whole problem on its way: what may be left, the least that was, steps and iterations done and allowed. */
typedef struct whole_run {
    double bound, least;
    int good, done, most;
} whole_run;

/* Counts what was done and measures the result. */
static void whole_count(whole_problem *p, whole_run *run, int count) {
    run->done += count;
    run->good = whole_keep(p, &run->least, run->bound);
}

static inline int whole_goes_on(const whole_run *run) { return !run->good && run->done < run->most; }

/* A step may well be farther from the law than the one before: one that gave up there left three times as many to the other methods. */
static void whole_newtons(whole_problem *p, whole_run *run) {
    for (int k = 0; k < WHOLE_STEPS && whole_goes_on(run); k++) {
        if (!whole_newton(p, newton_ridge(k))) return;
        whole_count(p, run, 1);
    }
}

/* From the best; it ends where it just may, so one of Newton's steps follows. */
static void whole_smooths(whole_problem *p, whole_run *run) {
    whole_back(p);
    whole_smooth smooth = whole_smooth_open(p);
    for (int k = 0; k < WHOLE_SMOOTH && whole_goes_on(run); k++) {
        if (!whole_smooth_step(p, &smooth)) return;
        whole_count(p, run, 1);
    }
    if (run->good && run->done < run->most && whole_newton(p, newton_narrow)) whole_count(p, run, 1);
}

/* Until whole_error is within the bound, or `most` steps and iterations are done. p->x: the best that was found, within its cones. */
static whole_end whole_finish(whole_problem *p, double bound, int most) {
    whole_run run = {.bound = bound, .least = __builtin_inf(), .most = most};
    whole_admm admm = {0};
    int count = WHOLE_FIRST, hopeless = 0;
    memcpy(p->best, p->x, (size_t)p->stride * sizeof *p->x);
    whole_velocity(p);
    whole_count(p, &run, 0);
    whole_newtons(p, &run);
    if (whole_goes_on(&run)) whole_smooths(p, &run);
    if (whole_goes_on(&run)) { /* from nothing: what goes round from here seldom does from there */
        memset(p->x, 0, (size_t)p->stride * sizeof *p->x);
        whole_velocity(p);
        whole_newtons(p, &run);
    }
    if (whole_goes_on(&run)) {
        whole_back(p);
        whole_admm_open(p, &admm);
    }
    while (whole_goes_on(&run) && !hopeless) {
        count = count < most - run.done ? count : most - run.done;
        whole_admm_run(p, &admm, count);
        whole_count(p, &run, count);
        count += count / 2;
        hopeless = !run.good && admm.done >= WHOLE_DOUBT && whole_unsolvable(p, &admm);
        if (!hopeless) whole_newtons(p, &run);
    }
    memcpy(p->x, p->best, (size_t)p->stride * sizeof *p->x);
    whole_inwards(p);
    return (whole_end){run.done, run.good, hopeless};
}

#endif

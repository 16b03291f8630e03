/* Plans by sampling, in lanes: many futures of one robot, each with other actions, judged by a task's rewards.
 *
 *     myr_planner_create(&options, batch, sigma, NULL, NULL, &planner)   the batch's environments are the samples
 *     every control step:
 *         myr_planner_start(planner, robot, 0)                           where the robot is, with all that its task remembers
 *         myr_planner_plan(planner, &report)
 *         myr_planner_control(planner, 0, action)                        which the robot does now
 *         myr_planner_shift(planner, 1)
 *
 * A plan is `knots` rows of actions of the task, and what lies between them by a spline. What a sample costs is less what its task pays: a
 * cost is a reward of negative weight (docs/tables.md), and the task's program `act` says what an action does.
 *
 * Samples know of no new command, no push and no end of an episode's time: what the robot does not know yet.
 *
 * Noise of sample i of a plan is Philox of the seed, i and the number of the draw. Plans have the same bits for every number of threads and
 * every instruction set; what a sample costs does not depend on how samples are split over batches (the setting first-env). Calls allocate
 * nothing but myr_planner_create. One call per planner, and per batch, at a time. Real arrays are row-major, float64 and the caller's
 * unless said otherwise. */
#ifndef MYRIAPOD_PLAN_H
#define MYRIAPOD_PLAN_H

#include <stdint.h>

#include "act.h"
#include "batch.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct myr_planner myr_planner;

enum { MYR_PLAN_KNOTS = 256, MYR_PLAN_STEPS = 10000, MYR_PLAN_ELITES = 4096 }; /* at most */

/* Between knots: the first holds for as long as the others, linear and cubic ones begin and end at a knot. */
typedef enum myr_spline {
    MYR_SPLINE_HOLD = 0,
    MYR_SPLINE_LINEAR,
    MYR_SPLINE_CUBIC /* Hermite's, slopes by the neighbours */
} myr_spline;

/* How samples become the next plan. */
typedef enum myr_plan_update {
    MYR_UPDATE_MPPI = 0, /* mean with weights exp(-(cost - least) / (temperature * deviation of the costs)) (Williams et al. 2017) */
    MYR_UPDATE_BEST,     /* the cheapest: predictive sampling (Howell et al. 2022) */
    MYR_UPDATE_CEM       /* mean of the `elites` cheapest, and sigma their deviation (Rubinstein 1999) */
} myr_plan_update;

/* myr_plan_options_default gives the numbers in brackets. */
typedef struct myr_plan_options {
    int steps;              /* control steps that a sample looks ahead [20] */
    int knots;              /* [6] */
    myr_spline spline;      /* [LINEAR] */
    int iterations;         /* draws of a plan, one about the result of the other [1] */
    myr_plan_update update; /* [MPPI] */
    int elites;             /* of MYR_UPDATE_CEM, at most the samples [16] */
    double temperature;     /* of MYR_UPDATE_MPPI [0.1] */
    double fade_iteration;  /* sigma times this from one iteration to the next [0.5] */
    double fade_horizon;    /* and from a knot to the one before it: what is near is known better (Xue et al. 2024); CEM: in a plan's first
                               draw alone, and not with keep_sigma [1] */
    double least_sigma;     /* of MYR_UPDATE_CEM [0.01] */
    int keep_sigma;         /* of MYR_UPDATE_CEM: 1: a plan begins with the sigma that the last one ended with, 0: with the first [0] */
    int keep_first;         /* 1: the first knot is not drawn, as what it says is being done [0] */
    uint64_t seed;          /* [1] */
} myr_plan_options;
MYR_API void myr_plan_options_default(myr_plan_options *options);

/* Of a plan's last iteration; costs are of the samples that are not lost. */
typedef struct myr_plan_report {
    double least, mean, deviation; /* NaN: all are lost */
    double kept;      /* of sample 0, which is the plan that the iteration began with; infinite: lost; NaN: it is in another batch */
    double effective; /* samples: (sum of weights)^2 over sum of squared weights */
    int64_t best;     /* the cheapest sample; -1: all are lost */
    int64_t lost;     /* whose episode ended within the horizon: it failed, had a fault, was cut short by its task, or left the map */
    double rollout_s, wall_s; /* wall clock of all iterations [s]: noise, steps and costs; and all of the plan */
} myr_plan_report;

/* batch: of a task with control steps (myr_batch_create_for); it must outlive the planner, holds the samples, and its robots end anywhere,
 * some unmoved. sigma: (knots, n_actions) standard deviations of the noise. lower, upper: (n_actions) bounds of actions; NULL: none.
 * terminal: NULL, or (n_terms) factors by which terms of the last control step, metrics too, count once more, over the length of a control
 * step: what a sample ends with costs -factor * term. Arrays are copied. The first plan is zeros within the bounds. MYR_E_ARG names what is
 * out of range; MYR_E_STATE: a batch of a task without control steps; *out is then NULL. */
MYR_API myr_status myr_planner_create(const myr_plan_options *options, myr_batch *batch, const double *sigma, const double *lower,
                                      const double *upper, const double *terminal, myr_planner **out);
MYR_API void myr_planner_destroy(myr_planner *planner); /* NULL is fine */
/* Memory of the planner; 0 for NULL. */
MYR_API size_t myr_planner_bytes(const myr_planner *planner);

/* Samples begin as environment `env` of `from` is: its state, warm start, parameters, inputs and what its task remembers. `from` may have
 * other steps of dt, another precision, and be the planner's own batch. Counts of steps of dt are taken to the samples' own. MYR_E_ARG: it
 * is of another robot, task or ground, has other steps of dt and motors or sensors that remember them, or is out of range. MYR_E_STATE: the
 * environment is quarantined, or its episode is over and it does not move until it is reset. */
MYR_API myr_status myr_planner_start(myr_planner *planner, const myr_batch *from, int64_t env);
/* Draw, roll out, judge, and take the mean, `iterations` times. report: NULL is fine. Where all samples are lost the plan stays.
 * MYR_E_STATE: myr_planner_start was not called yet. */
MYR_API myr_status myr_planner_plan(myr_planner *planner, myr_plan_report *report);
/* Action (n_actions) of the plan at a control step from now, a real number; before 0 and past the end that of there. */
MYR_API myr_status myr_planner_control(const myr_planner *planner, double control_step, double *action);
/* The plan from so many control steps on, a real number >= 0; past its end its last action goes on. */
MYR_API myr_status myr_planner_shift(myr_planner *planner, double control_steps);

/* (knots, n_actions) of the plan: the planner's memory, to be read and written between calls, while it lives. myr_planner_plan refuses a
 * number that is not finite, by its knot and action. */
MYR_API double *myr_planner_knots(myr_planner *planner);
/* The noise that the next plan begins with, likewise; it is refused below zero. */
MYR_API double *myr_planner_sigma(myr_planner *planner);
/* (samples) of the last iteration; infinite: lost. The planner's memory. */
MYR_API const double *myr_planner_costs(const myr_planner *planner);
/* Knots (knots, n_actions) of a sample of the last iteration. MYR_E_ARG: out of range; MYR_E_STATE: there was none. */
MYR_API myr_status myr_planner_sample(const myr_planner *planner, int64_t sample, double *knots);
/* States (n, steps, nq + nv) that these samples of the last iteration went through, from where the planner started, and what they cost (n);
 * each NULL: not wanted. */
MYR_API myr_status myr_planner_replay(myr_planner *planner, const int64_t *samples, int64_t n, double *states, double *costs);
/* Terms (n, steps, n_terms) of these samples, as myr_act gives them: weighted, times the length of a control step. Behind the end of a
 * sample that is lost they mean nothing. */
MYR_API myr_status myr_planner_terms(myr_planner *planner, const int64_t *samples, int64_t n, double *terms);

#ifdef __cplusplus
}
#endif
#endif

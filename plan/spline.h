/* Splines over the knots of a plan: weights of the knots at a place, linear in the knots whatever the spline. */
#ifndef MYR_PLAN_SPLINE_H
#define MYR_PLAN_SPLINE_H

#include "myriapod/plan.h"

/* Control steps from one knot to the next. A knot that holds does so for its part of the horizon; the others begin at the first step and
 * end at the last. */
double myr_spline_apart(const myr_plan_options *options);
/* Weights (knots) of the action at a control step, a real number; before 0 and past the end those of there. */
void myr_spline_at(const myr_plan_options *options, double control_step, double *weights);
/* The same at knot k, `later` control steps on. */
void myr_spline_at_knot(const myr_plan_options *options, int k, double later, double *weights);

#endif

#include "plan/spline.h"

#include <math.h>
#include <string.h>

double myr_spline_apart(const myr_plan_options *o) {
    if (o->spline == MYR_SPLINE_HOLD) return (double)o->steps / o->knots;
    return o->knots > 1 && o->steps > 1 ? (double)(o->steps - 1) / (o->knots - 1) : 1;
}

/* Place x in distances of knots. */
static void at_place(const myr_plan_options *o, double x, double *w) {
    const int last = o->knots - 1;
    memset(w, 0, (size_t)o->knots * sizeof *w);
    x = x > 0 ? x : 0;
    if (x >= last) {
        w[last] = 1;
        return;
    }
    const int k = (int)floor(x);
    const double t = x - k;
    if (o->spline == MYR_SPLINE_HOLD) {
        w[k] = 1;
    } else if (o->spline == MYR_SPLINE_LINEAR) {
        w[k] = 1 - t, w[k + 1] = t;
    } else { /* values and slopes of both ends; a slope is half of what the neighbours differ by, at the ends of the plan all of it */
        const double t2 = t * t, t3 = t2 * t, left = t3 - 2 * t2 + t, right = t3 - t2;
        w[k] = 2 * t3 - 3 * t2 + 1, w[k + 1] = -2 * t3 + 3 * t2;
        if (k > 0)
            w[k + 1] += left / 2, w[k - 1] -= left / 2;
        else
            w[1] += left, w[0] -= left;
        if (k + 2 <= last)
            w[k + 2] += right / 2, w[k] -= right / 2;
        else
            w[k + 1] += right, w[k] -= right;
    }
}

/* Divided last: a step at which a knot begins to hold is at that knot, whatever the quotients round to. */
void myr_spline_at(const myr_plan_options *o, double control_step, double *weights) {
    const double place = o->spline == MYR_SPLINE_HOLD ? control_step * o->knots / o->steps : control_step / myr_spline_apart(o);
    at_place(o, place, weights);
}

void myr_spline_at_knot(const myr_plan_options *o, int k, double later, double *weights) {
    at_place(o, k + later / myr_spline_apart(o), weights);
}

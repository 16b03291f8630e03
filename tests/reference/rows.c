#include "rows.h"

#include <math.h>

/* Some point of the curve is at or left of w and at or below l. */
static int is_above(double l, double w, const double s[3]) { return w >= s[2] || (w >= s[1] && l >= (w < 0 ? s[0] : -s[0])); }
/* Some point is at or right of w and at or above l. */
static int is_below(double l, double w, const double s[3]) { return w <= s[1] || (w <= s[2] && l <= (w > 0 ? -s[0] : s[0])); }

double reference_row_distance(double impulse, double w, const double stairs[3]) {
    double low = 0, high = fabs(impulse) + fabs(w) + stairs[0] + 1;
    if (is_above(impulse, w, stairs) && is_below(impulse, w, stairs)) return 0;
    while (!(is_above(impulse + high, w + high, stairs) && is_below(impulse - high, w - high, stairs))) high *= 2;
    for (int i = 0; i < 200 && low < high; i++) {
        const double d = 0.5 * (low + high);
        if (is_above(impulse + d, w + d, stairs) && is_below(impulse - d, w - d, stairs))
            high = d;
        else
            low = d;
    }
    return high;
}

void reference_row_alone(double g, double c, const double stairs[3], double *impulse, double *w) {
    const double slack = fabs(c) - g * stairs[0], soft = slack > 0 ? copysign(slack, c) : 0;
    *w = fmin(fmax(soft, stairs[1]), stairs[2]);
    *impulse = (*w - c) / g;
}

void reference_velocity(size_t m, const double *G, const double *c, const double *impulse, double *w) {
    for (size_t i = 0; i < m; i++) {
        w[i] = c[i];
        for (size_t k = 0; k < m; k++) w[i] += G[i * m + k] * impulse[k];
    }
}

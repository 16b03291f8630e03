/* What the solvers of large problems share. */
#include "large.h"
#include "law.h"

void myr_large_velocity(myr_large *p) {
    for (int i = 0; i < p->n; i++) {
        double *w = p->w + 3 * (size_t)i;
        for (int a = 0; a < 3; a++) w[a] = p->c[3 * (size_t)i + (size_t)a];
        for (int64_t b = p->first[i]; b < p->first[i + 1]; b++) {
            const double *g = p->block + 9 * b, *l = p->lambda + 3 * (size_t)p->column[b];
            for (int a = 0; a < 3; a++) w[a] += g[3 * a] * l[0] + g[3 * a + 1] * l[1] + g[3 * a + 2] * l[2];
        }
    }
}

double myr_large_impulse_scale(const myr_large *p) {
    double most = 1;
    for (size_t i = 0; i < 3 * (size_t)p->n; i++) most = max2(most, fabs(p->lambda[i]));
    return most;
}

double myr_large_violation(const myr_large *p, myr_law law) {
    const double scale = myr_large_impulse_scale(p);
    double worst = 0, sum = 0;
    for (int i = 0; i < p->n; i++) {
        const double *at = p->lambda + 3 * (size_t)i, *w = p->w + 3 * (size_t)i, mu = p->mu[i];
        const double l[3] = {at[0] / scale, at[1] / scale, at[2] / scale}, slip = length2(w[0], w[1]);
        const double s_N = law == MYR_LAW_NCP ? w[2] + mu * slip : w[2];
        const double own = law == MYR_LAW_NCP ? law_violation(l, w, mu) : convex_violation(l, w, mu);
        const double larger = max2(length2(length2(l[0], l[1]), l[2]), length2(slip, s_N));
        const double product = larger > 0 ? fabs(l[0] * w[0] + l[1] * w[1] + l[2] * s_N) / larger : 0;
        worst = max3(worst, own, product);
        sum += own;
    }
    return sum == sum ? worst : sum;
}

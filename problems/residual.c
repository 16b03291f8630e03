#include "residual.h"

#include <math.h>

#include "kernels/contact/large/law.h"

myr_contact_scale myr_contact_scale_of(const myr_contact_problem *problem) {
    const size_t m = myr_contact_numbers(problem), first = 3 * (size_t)problem->contacts;
    myr_contact_scale scale = {0, 0, 0};
    for (size_t i = 0; i < m; i++) scale.velocity = max2(scale.velocity, fabs(problem->c[i]));
    for (size_t i = first; i < m; i++) scale.mobility = max2(scale.mobility, problem->G[i * m + i]);
    for (size_t i = 0; i < first; i += 3) {
        double trace = 0;
        for (size_t k = i; k < i + 3; k++) trace += problem->G[k * m + k] / 3;
        scale.mobility = max2(scale.mobility, trace);
    }
    if (!(scale.mobility > 0)) scale.mobility = 1;
    if (!(scale.velocity > 0)) scale.velocity = 1;
    scale.impulse0 = scale.velocity / scale.mobility;
    return scale;
}

/* Distance of w_T from the ray that Hwangbo's slipping impulse leaves it. At the minimum of 1/2 l' G l + c' l on the cone and the
 * plane w_N = 0, w = a (row z of G) + b (l_x, l_y, -mu^2 l_z); w_N = 0 gives a = b mu^2 l_z / G_zz, so that w_T = b u with
 * u = l_T + (mu^2 l_z / G_zz) (G_zx, G_zy), and b <= 0: friction dissipates. */
static double direction_violation(const double l[3], const double w[3], const double *G_z, double mu) {
    if (!(mu > 0)) return 0; /* a frictionless contact may slip any way */
    const double coupling = G_z[2] > 0 ? mu * mu * l[2] / G_z[2] : 0;
    const double x = l[0] + coupling * G_z[0], y = l[1] + coupling * G_z[1], length = length2(x, y);
    if (!(length > 0) || w[0] * x + w[1] * y >= 0) return length2(w[0], w[1]);
    return fabs(x * w[1] - y * w[0]) / length;
}

/* Hwangbo's model: the nearest of the three modes. */
static double dissipation_violation(const double l[3], const double w[3], const double *G_z, double mu) {
    const double tangential = length2(l[0], l[1]), cone = tangential - mu * l[2], slip = length2(w[0], w[1]);
    const double open = max2(length2(tangential, l[2]), -w[2]);
    const double stick = max3(length2(slip, w[2]), cone, -l[2]);
    const double slide = max3(fabs(cone), fabs(w[2]), -l[2]);
    return min2(min2(open, stick), max2(slide, direction_violation(l, w, G_z, mu)));
}

/* The box pyramid |l_x|, |l_y| <= mu l_N. */
static double box_violation(const double l[3], const double w[3], double mu) {
    const double limit = max2(mu * l[2], 0);
    double worst = fabs(l[2] - max2(l[2] - w[2], 0));
    for (int k = 0; k < 2; k++) worst = max2(worst, fabs(l[k] - max2(-limit, min2(limit, l[k] - w[k]))));
    return worst;
}

/* The diamond |l_x| + |l_y| <= mu l_N. */
static double diamond_violation(const double l[3], const double w[3], double mu) {
    const double limit = max2(mu * l[2], 0), a[2] = {l[0] - w[0], l[1] - w[1]};
    const double over = 0.5 * max2(fabs(a[0]) + fabs(a[1]) - limit, 0);
    double worst = fabs(l[2] - max2(l[2] - w[2], 0));
    for (int k = 0; k < 2; k++) {
        const double size = max2(fabs(a[k]) - over, 0), nearest = over > 0 ? min2(size, limit) : size;
        worst = max2(worst, fabs(l[k] - copysign(nearest, a[k])));
    }
    return worst;
}

/* Distance of a scalar row from its staircase, in the larger of |d lambda| and |d w|: the nearest of its pieces, each along an axis. */
static double stairs_violation(double l, double w, double f, double lo, double hi) {
    const double out = max3(lo - w, w - hi, 0), at_lo = lo < 0 ? f : -f, at_hi = hi > 0 ? -f : f;
    double nearest = min2(max2(fabs(w - lo), at_lo - l), max2(fabs(w - hi), l - at_hi));
    if (lo < 0) nearest = min2(nearest, max3(out, w, fabs(l - f)));
    if (hi > 0) nearest = min2(nearest, max3(out, -w, fabs(l + f)));
    if (lo <= 0 && hi >= 0) nearest = min2(nearest, max2(fabs(w), fabs(l) - f));
    return nearest;
}

/* What a contact does, by the nearest mode without the direction of slip. Where a slipping contact is differs with the model: on the
 * cone or on a pyramid, and under the convex model it lifts off. */
char myr_contact_mode(const double l[3], const double w[3], double mu, myr_law law) {
    const double tangential = length2(l[0], l[1]);
    const double limited = law == MYR_LAW_BOX       ? max2(fabs(l[0]), fabs(l[1]))
                           : law == MYR_LAW_DIAMOND ? fabs(l[0]) + fabs(l[1])
                                                    : tangential;
    const double cone = limited - mu * l[2], approach = law == MYR_LAW_CCP ? max2(-w[2], 0) : fabs(w[2]);
    const double open = max2(length2(tangential, l[2]), -w[2]);
    const double stick = max3(length2(length2(w[0], w[1]), w[2]), cone, -l[2]);
    const double slide = max3(fabs(cone), approach, -l[2]);
    return open <= stick && open <= slide ? 'o' : stick <= slide ? 's' : 'd';
}

static double mean_mobility(const double *G, size_t m, size_t i) {
    return (G[i * m + i] + G[(i + 1) * m + i + 1] + G[(i + 2) * m + i + 2]) / 3;
}

int myr_contact_compliance(const myr_contact_problem *problem, const myr_solve_options *options, double *R) {
    const size_t m = myr_contact_numbers(problem), first = 3 * (size_t)problem->contacts, rows = (size_t)problem->rows;
    double most = 0;
    for (size_t i = 0; i < m; i++) R[i] = problem->R ? problem->R[i] : 0;
    if (!myr_solver_softens(options->solver)) return problem->R != NULL;
    for (size_t i = 0; i < first; i += 3) most = max2(most, mean_mobility(problem->G, m, i));
    for (size_t i = first; i < first + rows; i++) most = max2(most, problem->G[i * m + i]);
    for (size_t i = first; i < first + rows; i++) {
        const double mean = max2(problem->G[i * m + i], most > 0 ? 1e-6 * most : 1);
        R[i] = max2(R[i], (options->solver == MYR_SOLVER_NEWTON_DIAG ? options->newton_alpha : MYR_NEAR_RIGID_N) * mean);
    }
    for (size_t i = 0; i < first; i++) { /* as newton_soften does in the lanes */
        const double mean = max2(mean_mobility(problem->G, m, i - i % 3), most > 0 ? 1e-6 * most : 1), own = problem->G[i * m + i];
        const double wanted = options->solver == MYR_SOLVER_NEWTON_DIAG ? options->newton_alpha * max2(own, 1e-3 * mean)
                              : i % 3 == 2                              ? MYR_NEAR_RIGID_N * mean
                                                                        : MYR_NEAR_RIGID_T * mean;
        R[i] = max2(R[i], wanted);
    }
    return 1;
}

void myr_contact_measure(const myr_contact_problem *problem, const double *R, const myr_contact_scale *scale, myr_law law,
                         myr_contact_result *result) {
    const size_t m = myr_contact_numbers(problem), first = 3 * (size_t)problem->contacts;
    double largest = 0;
    for (size_t i = 0; i < m; i++) {
        double w = problem->c[i];
        for (size_t k = 0; k < m; k++) w += problem->G[i * m + k] * result->impulse[k];
        result->velocity[i] = w;
        largest = max2(largest, fabs(result->impulse[i]));
    }
    const double ls = max2(largest, scale->impulse0), vs = scale->velocity;
    result->residual_ncp = result->residual = 0;
    for (size_t k = 0; k < (size_t)problem->rows; k++) {
        const double *s = problem->stairs + 3 * k, l = result->impulse[first + k] / ls, w = result->velocity[first + k] / vs;
        const double soft = w + R[first + k] * result->impulse[first + k] / vs;
        result->residual = max2(result->residual, stairs_violation(l, soft, s[0] / ls, s[1] / vs, s[2] / vs));
        result->residual_ncp = max2(result->residual_ncp, stairs_violation(l, w, s[0] / ls, s[1] / vs, s[2] / vs));
    }
    for (size_t i = 0; i < first; i += 3) {
        double l[3], hard[3], w[3];
        for (size_t k = 0; k < 3; k++) {
            l[k] = result->impulse[i + k] / ls;
            hard[k] = result->velocity[i + k] / vs;
            w[k] = hard[k] + R[i + k] * result->impulse[i + k] / vs;
        }
        const double mu = problem->mu[i / 3], *G_z = problem->G + (i + 2) * m + i, G_soft[3] = {G_z[0], G_z[1], G_z[2] + R[i + 2]};
        const double own = law == MYR_LAW_NCP       ? law_violation(l, w, mu)
                           : law == MYR_LAW_CCP     ? convex_violation(l, w, mu)
                           : law == MYR_LAW_BOX     ? box_violation(l, w, mu)
                           : law == MYR_LAW_DIAMOND ? diamond_violation(l, w, mu)
                                                    : dissipation_violation(l, w, G_soft, mu);
        result->residual = max2(result->residual, own);
        result->residual_ncp = max2(result->residual_ncp, law_violation(l, hard, mu));
        if (result->modes) result->modes[i / 3] = myr_contact_mode(l, hard, mu, law);
    }
}

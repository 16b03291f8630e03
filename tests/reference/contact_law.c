#include "contact_law.h"

#include <math.h>
#include <string.h>

/* Distance of the point (t, n), t >= 0, in the half plane of a cone { a t <= b n } whose boundary ray is (b, a)
 * normalized: zero inside; to the apex where the foot on the ray would lie behind it; else to the ray. */
static double distance_to_ray_cone(double t, double n, double a, double b) {
    if (a * t <= b * n && n >= 0) return 0;
    const double length = hypot(a, b);
    const double along = (b * t + a * n) / length;
    if (along <= 0) return hypot(t, n);
    return fabs(a * t - b * n) / length;
}

double reference_distance_cone(const double impulse[3], double mu) {
    return distance_to_ray_cone(hypot(impulse[0], impulse[1]), impulse[2], 1, mu);
}

double reference_distance_dual(const double w[3], double mu) { return distance_to_ray_cone(hypot(w[0], w[1]), w[2], mu, 1); }

reference_ncp reference_law_ncp(const double impulse[3], const double w[3], double mu, int scale_free) {
    const double shifted[3] = {w[0], w[1], w[2] + mu * hypot(w[0], w[1])};
    return reference_law_ccp(impulse, shifted, mu, scale_free);
}

reference_ncp reference_law_ccp(const double impulse[3], const double w[3], double mu, int scale_free) {
    reference_ncp out;
    out.primal = reference_distance_cone(impulse, mu);
    out.dual = reference_distance_dual(w, mu);
    out.product = fabs(impulse[0] * w[0] + impulse[1] * w[1] + impulse[2] * w[2]);
    if (!scale_free) {
        const double p = hypot(hypot(impulse[0], impulse[1]), impulse[2]), d = hypot(hypot(w[0], w[1]), w[2]);
        const double larger = p > d ? p : d;
        out.product = larger > 0 ? out.product / larger : 0;
    }
    return out;
}

static double clamp(double low, double x, double high) { return x < low ? low : x > high ? high : x; }

double reference_law_box(const double impulse[3], const double w[3], double mu) {
    const double side = impulse[2] > 0 ? mu * impulse[2] : 0;
    const double normal = fabs(fmin(impulse[2], w[2]));
    const double x = fabs(impulse[0] - clamp(-side, impulse[0] - w[0], side)), y = fabs(impulse[1] - clamp(-side, impulse[1] - w[1], side));
    return fmax(normal, fmax(x, y));
}

/* The nearest point of the square with corners (+-r, 0) and (0, +-r): `a` itself, or of the side that faces it. */
static void nearest_of_diamond(double r, const double a[2], double out[2]) {
    const double sx = a[0] < 0 ? -1 : 1, sy = a[1] < 0 ? -1 : 1;
    out[0] = a[0], out[1] = a[1];
    if (fabs(a[0]) + fabs(a[1]) <= r) return;
    const double along = r > 0 ? clamp(0, 0.5 * (1 + (fabs(a[1]) - fabs(a[0])) / r), 1) : 0; /* from (sx r, 0) to (0, sy r) */
    out[0] = sx * r * (1 - along), out[1] = sy * r * along;
}

double reference_law_diamond(const double impulse[3], const double w[3], double mu) {
    const double ahead[2] = {impulse[0] - w[0], impulse[1] - w[1]};
    double at[2];
    nearest_of_diamond(impulse[2] > 0 ? mu * impulse[2] : 0, ahead, at);
    return fmax(fabs(fmin(impulse[2], w[2])), fmax(fabs(impulse[0] - at[0]), fabs(impulse[1] - at[1])));
}

/* Direction of slip at the constrained minimum. For a slipping contact Hwangbo 2018 minimizes E = 1/2 l' G l + c' l over
 * h1 = (G l + c)_z = 0 and h2 = (l_x^2 + l_y^2 - mu^2 l_z^2) / 2 = 0. With dE/dl = w, stationarity is
 * w = a grad h1 + b grad h2 = a (G_zx, G_zy, G_zz) + b (l_x, l_y, -mu^2 l_z). Its third row with w_z = 0 gives
 * a = b mu^2 l_z / G_zz, hence w_T = b (l_T + (mu^2 l_z / G_zz) (G_zx, G_zy)), and b < 0 at the minimum: friction
 * dissipates. Without coupling (G_zx = G_zy = 0) this is Coulomb's w_T opposite to l_T. */
static void slip_direction(const double impulse[3], const double G_ii[9], double mu, double e[2]) {
    const double coupling = G_ii[8] > 0 ? mu * mu * impulse[2] / G_ii[8] : 0;
    e[0] = impulse[0] + coupling * G_ii[6];
    e[1] = impulse[1] + coupling * G_ii[7];
    const double length = hypot(e[0], e[1]);
    e[0] = length > 0 ? e[0] / length : 0;
    e[1] = length > 0 ? e[1] / length : 0;
}

static double largest(const double *x, int n) {
    double m = 0;
    for (int i = 0; i < n; i++)
        if (!(x[i] <= m)) m = x[i];
    return m;
}

reference_modes reference_law_dissipation(const double impulse[3], const double w[3], const double G_ii[9], double mu) {
    const double tangential = hypot(impulse[0], impulse[1]), cone = tangential - mu * impulse[2];
    const double slip = hypot(w[0], w[1]);
    double e[2];
    slip_direction(impulse, G_ii, mu, e);
    /* Distance of w_T from the ray { -s e, s >= 0 }; without friction every slip velocity is lawful. */
    const double against = fmax(0, -(w[0] * e[0] + w[1] * e[1]));
    const double direction = mu > 0 ? hypot(w[0] + against * e[0], w[1] + against * e[1]) : 0;
    reference_modes out;
    out.open = largest((double[]){hypot(tangential, impulse[2]), -w[2]}, 2);
    out.stick = largest((double[]){hypot(slip, w[2]), cone, -impulse[2]}, 3);
    out.slide = largest((double[]){fabs(cone), fabs(w[2]), direction, -impulse[2]}, 4);
    out.mode = 'o', out.least = out.open;
    if (out.stick < out.least) out.mode = 's', out.least = out.stick;
    if (out.slide < out.least) out.mode = 'd', out.least = out.slide;
    return out;
}

reference_residuals reference_law_problem(int n, const double *G, const double *c, const double *mu, const double *impulse, double *w,
                                          int scale_free) {
    return reference_law_compliant(n, G, NULL, c, mu, impulse, w, scale_free);
}

reference_residuals reference_law_compliant(int n, const double *G, const double *R, const double *c, const double *mu,
                                            const double *impulse, double *w, int scale_free) {
    const int m = 3 * n;
    double impulse_max = 0, c_max = 0, trace_max = 0;
    for (int r = 0; r < m; r++) {
        w[r] = c[r] + (R ? R[r] * impulse[r] : 0);
        for (int k = 0; k < m; k++) w[r] += G[r * m + k] * impulse[k];
        impulse_max = fmax(impulse_max, fabs(impulse[r]));
        c_max = fmax(c_max, fabs(c[r]));
    }
    for (int i = 0; i < n; i++) {
        const int d = 3 * i;
        trace_max = fmax(trace_max, (G[d * m + d] + G[(d + 1) * m + d + 1] + G[(d + 2) * m + d + 2]) / 3);
    }
    double ls = 1, vs = 1;
    if (scale_free) {
        ls = fmax(impulse_max, c_max / (trace_max > 0 ? trace_max : 1)); /* where nothing can be moved, its mobility counts as 1 */
        vs = c_max;
        if (!(ls > 0)) ls = 1; /* nothing there to scale by */
        if (!(vs > 0)) vs = 1;
    }
    reference_residuals out = {{0}};
    for (int i = 0; i < n; i++) {
        double l[3], u[3], G_ii[9];
        for (int k = 0; k < 3; k++) {
            l[k] = impulse[3 * i + k] / ls;
            u[k] = w[3 * i + k] / vs;
            memcpy(G_ii + 3 * k, G + (size_t)(3 * i + k) * (size_t)m + 3 * i, 3 * sizeof(double));
            G_ii[4 * k] += R ? R[3 * i + k] : 0;
        }
        const reference_ncp law = reference_law_ncp(l, u, mu[i], scale_free);
        const reference_modes modes = reference_law_dissipation(l, u, G_ii, mu[i]);
        const reference_ncp convex = reference_law_ccp(l, u, mu[i], scale_free);
        double *own = out.own;
        own[MYR_LAW_NCP] = largest((double[]){own[MYR_LAW_NCP], law.primal, law.dual, law.product}, 4);
        own[MYR_LAW_DISSIPATION] = largest((double[]){own[MYR_LAW_DISSIPATION], modes.least}, 2);
        own[MYR_LAW_CCP] = largest((double[]){own[MYR_LAW_CCP], convex.primal, convex.dual, convex.product}, 4);
        own[MYR_LAW_DIAMOND] = largest((double[]){own[MYR_LAW_DIAMOND], reference_law_diamond(l, u, mu[i])}, 2);
        own[MYR_LAW_BOX] = largest((double[]){own[MYR_LAW_BOX], reference_law_box(l, u, mu[i])}, 2);
    }
    return out;
}

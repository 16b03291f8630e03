#include "contact_whole.h"

#include <math.h>
#include <string.h>

#include "rigid_body.h"

void reference_cone_project(const double x[3], double mu, double y[3]) {
    const double t = hypot(x[0], x[1]);
    if (t <= mu * x[2]) {
        memcpy(y, x, 3 * sizeof *y);
    } else if (mu * t <= -x[2]) {
        y[0] = y[1] = y[2] = 0;
    } else { /* onto the ray (mu e, 1) */
        y[2] = (mu * t + x[2]) / (mu * mu + 1);
        for (int k = 0; k < 2; k++) y[k] = mu * y[2] * x[k] / t;
    }
}

static void multiply(int m, const double *A, const double *x, double *y) {
    for (int i = 0; i < m; i++) {
        y[i] = 0;
        for (int k = 0; k < m; k++) y[i] += A[i * m + k] * x[k];
    }
}

static double normalize(int m, double *x) {
    double sum = 0;
    for (int i = 0; i < m; i++) sum += x[i] * x[i];
    for (int i = 0; i < m && sum > 0; i++) x[i] /= sqrt(sum);
    return sqrt(sum);
}

/* Twelve steps of power iteration on G (less = 0) or less I - G, from multiples of an irrational number, less the whole. */
static double power_iteration(int m, const double *G, double less, double irrational, double offset) {
    double x[REFERENCE_MOST], y[REFERENCE_MOST], length = 0;
    for (int i = 0; i < m; i++) x[i] = fmod(0.5 + (i + 1) * irrational, 1) - offset;
    normalize(m, x);
    for (int step = 0; step < 12; step++) {
        multiply(m, G, x, y);
        for (int i = 0; i < m && less > 0; i++) y[i] = less * x[i] - y[i];
        length = normalize(m, y);
        memcpy(x, y, sizeof x);
    }
    return length;
}

/* D of the ADMM: the mean diagonal entry of each contact's block, for each of its components. */
static void mobilities(int m, const double *G, double *D) {
    for (int i = 0; i < m; i++) {
        const int first = i - i % 3;
        D[i] = 0;
        for (int k = first; k < first + 3; k++) D[i] += G[k * m + k] / 3;
        if (!(D[i] > 0)) D[i] = 1;
    }
}

int reference_admm(int n, const double *G, const double *c, const double *mu, const double *start, const reference_admm_options *o,
                   double *z) {
    const int m = 3 * n;
    double lambda[REFERENCE_MOST] = {0}, gamma[REFERENCE_MOST] = {0}, A[REFERENCE_MOST * REFERENCE_MOST], rhs[REFERENCE_MOST];
    double D[REFERENCE_MOST], scaled[REFERENCE_MOST * REFERENCE_MOST];
    mobilities(m, G, D);
    for (int i = 0; i < m; i++)
        for (int k = 0; k < m; k++) scaled[i * m + k] = G[i * m + k] / sqrt(D[i] * D[k]);
    const double largest = 1.05 * power_iteration(m, scaled, 0, 0.6180339887498949, 0);
    const double least = fmax(largest - power_iteration(m, scaled, largest, 0.7548776662466927, 0.5), 1e-6 * largest),
                 eta = o->eta * largest;
    double rho = o->rho0 > 0 ? o->rho0 * largest : sqrt(largest * least);
    int changes = 0, next = 10;
    for (int i = 0; i < m; i += 3) reference_cone_project(start + i, mu[i / 3], z + i);
    memcpy(lambda, z, (size_t)m * sizeof *z);
    for (int i = 0; i < m; i += 3) { /* -gamma: the velocity's nearest point of the dual cone */
        double w[3], primal[3];
        for (int k = 0; k < 3; k++) {
            w[k] = c[i + k];
            for (int j = 0; j < m; j++) w[k] += G[(i + k) * m + j] * z[j];
        }
        w[2] += o->full ? mu[i / 3] * hypot(w[0], w[1]) : 0;
        for (int k = 0; k < 3; k++) w[k] = -w[k];
        reference_cone_project(w, mu[i / 3], primal);
        for (int k = 0; k < 3; k++) gamma[i + k] = w[k] - primal[k];
    }
    for (int iteration = 0; iteration < o->iterations; iteration++) {
        double old_lambda[REFERENCE_MOST], old_z[REFERENCE_MOST], G_lambda[REFERENCE_MOST];
        memcpy(old_lambda, lambda, sizeof lambda);
        memcpy(old_z, z, (size_t)m * sizeof *z);
        for (int i = 0; i < m; i++) {
            const double s = o->full && i % 3 == 2 ? mu[i / 3] * hypot(gamma[i - 2], gamma[i - 1]) : 0;
            rhs[i] = -(c[i] + s - D[i] * (eta * lambda[i] + rho * z[i]) + gamma[i]);
            for (int k = 0; k < m; k++) A[i * m + k] = G[i * m + k] + (i == k ? D[i] * (eta + rho) : 0);
        }
        reference_cholesky_solve(A, m, rhs, lambda);
        double primal = 0, dual = 0;
        for (int i = 0; i < m; i += 3) {
            double hat[3], x[3];
            for (int k = 0; k < 3; k++) {
                hat[k] = o->relaxation * lambda[i + k] + (1 - o->relaxation) * z[i + k];
                x[k] = hat[k] + gamma[i + k] / (rho * D[i]);
            }
            reference_cone_project(x, mu[i / 3], z + i);
            for (int k = 0; k < 3; k++) gamma[i + k] += rho * D[i] * (hat[k] - z[i + k]);
        }
        multiply(m, G, lambda, G_lambda);
        double impulse = 0, velocity = 0; /* in the metric of D, in which primal and dual are too */
        for (int i = 0; i < m; i++) {
            const double root = sqrt(D[i]);
            primal = fmax(primal, root * fabs(lambda[i] - z[i]));
            dual = fmax(dual, root * fmax(rho * fabs(z[i] - old_z[i]), eta * fabs(lambda[i] - old_lambda[i])));
            impulse = fmax(impulse, root * fmax(fabs(lambda[i]), fabs(z[i])));
            velocity = fmax(velocity, fmax(fabs(gamma[i]), fmax(fabs(G_lambda[i]), fabs(c[i]))) / root);
        }
        if (iteration + 1 != next) continue;
        next += next / 2;
        const double apart = primal / impulse / (dual / velocity), step = o->power * log(largest / least), before = rho;
        if (apart > o->ratio || 1 / apart > o->ratio)
            rho *= exp(step * nearbyint(fmax(-log(100), fmin(log(100), 0.5 * log(apart))) / step));
        rho = fmax(1e-6 * largest, fmin(1e4 * largest, rho));
        changes += rho != before;
    }
    return changes;
}

/* P(w) of one contact, Le Lidec 2024 (22), by its three regions; D (3, 3) = -dP/dw, nullable. */
static void regularized(const double w[3], double mu, const double R[3], double P[3], double D[9]) {
    const double slip = hypot(w[0], w[1]), e[2] = {slip > 0 ? w[0] / slip : 1, slip > 0 ? w[1] / slip : 0};
    const double y[3] = {-w[0] / R[0], -w[1] / R[1], -w[2] / R[2]}, yt = hypot(y[0], y[1]);
    if (D) memset(D, 0, 9 * sizeof *D);
    memset(P, 0, 3 * sizeof *P);
    if (mu * R[0] * yt <= -R[2] * y[2]) return;
    if (mu > 0 && yt <= mu * y[2]) {
        for (int k = 0; k < 3; k++) {
            P[k] = y[k];
            if (D) D[4 * k] = 1 / R[k];
        }
        return;
    }
    /* along the ray (-mu e, 1): the factor a minimises R_T (mu a - |y_T|)^2 + R_N (a - y_N)^2 */
    const double stiff = mu * mu * R[0] + R[2], a = (mu * R[0] * yt + R[2] * y[2]) / stiff, ray[3] = {-mu * e[0], -mu * e[1], 1};
    for (int k = 0; k < 3; k++) P[k] = a * ray[k];
    if (!D) return;
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) D[3 * r + c] = ray[r] * ray[c] / stiff; /* da/dw = -ray / stiff */
    const double turn[2] = {-e[1], e[0]};
    for (int r = 0; r < 2; r++)
        for (int c = 0; c < 2; c++) D[3 * r + c] += slip > 0 ? mu * a / slip * turn[r] * turn[c] : 0;
}

/* The objective at v + h step, or its slope along the step. */
static double along(int n, int nv, const double *J, const double *mu, const double *R, const double *v_free, const double *v,
                    const double *step, double h, int slope) {
    double value = 0;
    for (int k = 0; k < nv; k++) {
        const double d = v[k] + h * step[k] - v_free[k];
        value += slope ? d * step[k] : 0.5 * d * d;
    }
    for (int i = 0; i < 3 * n; i += 3) {
        double w[3] = {0}, dw[3] = {0}, P[3];
        for (int a = 0; a < 3; a++)
            for (int k = 0; k < nv; k++) w[a] += J[(i + a) * nv + k] * (v[k] + h * step[k]), dw[a] += J[(i + a) * nv + k] * step[k];
        regularized(w, mu[i / 3], R + i, P, NULL);
        for (int a = 0; a < 3; a++) value += slope ? -P[a] * dw[a] : 0.5 * R[i + a] * P[a] * P[a];
    }
    return value;
}

void reference_newton(int n, int nv, const double *J, const double *mu, const double *R, int iterations, int armijo, const double *v_free,
                      double *v) {
    double H[REFERENCE_MOST * REFERENCE_MOST], gradient[REFERENCE_MOST], step[REFERENCE_MOST];
    memcpy(v, v_free, (size_t)nv * sizeof *v);
    for (int iteration = 0; iteration < iterations; iteration++) {
        memset(H, 0, sizeof H);
        for (int k = 0; k < nv; k++) gradient[k] = v[k] - v_free[k], H[k * nv + k] = 1;
        for (int i = 0; i < 3 * n; i += 3) {
            double w[3] = {0}, P[3], D[9];
            for (int a = 0; a < 3; a++)
                for (int k = 0; k < nv; k++) w[a] += J[(i + a) * nv + k] * v[k];
            regularized(w, mu[i / 3], R + i, P, D);
            for (int k = 0; k < nv; k++) {
                for (int a = 0; a < 3; a++) gradient[k] -= J[(i + a) * nv + k] * P[a];
                for (int l = 0; l < nv; l++)
                    for (int a = 0; a < 3; a++)
                        for (int b = 0; b < 3; b++) H[k * nv + l] += J[(i + a) * nv + k] * D[3 * a + b] * J[(i + b) * nv + l];
            }
        }
        for (int k = 0; k < nv; k++) gradient[k] = -gradient[k];
        reference_cholesky_solve(H, nv, gradient, step);
        double h = 1;
        if (armijo) {
            const double begin = along(n, nv, J, mu, R, v_free, v, step, 0, 0), slope = along(n, nv, J, mu, R, v_free, v, step, 0, 1);
            while (h > 1e-4 && along(n, nv, J, mu, R, v_free, v, step, h, 0) > begin + 1e-4 * h * slope) h *= 0.8;
        } else { /* the slope grows: halve */
            double low = 0, high = 1;
            while (high < 1e6 && along(n, nv, J, mu, R, v_free, v, step, high, 1) < 0) low = high, high *= 2;
            for (int k = 0; k < 100; k++) {
                h = 0.5 * (low + high);
                if (along(n, nv, J, mu, R, v_free, v, step, h, 1) < 0)
                    low = h;
                else
                    high = h;
            }
        }
        for (int k = 0; k < nv; k++) v[k] += h * step[k];
    }
}

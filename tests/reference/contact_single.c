#include "contact_single.h"

#include <math.h>

#include "rigid_body.h"
#include "small.h"

enum { ANGLES = 20000 };

/* The point of the conic (cone boundary and w_z = 0) at angle theta; 0 where the ray misses the plane. */
static int conic(const double G[9], const double c[3], double mu, double theta, double impulse[3]) {
    const double x = mu * cos(theta), y = mu * sin(theta);
    const double slope = G[8] + G[6] * x + G[7] * y;
    if (!(slope > 0)) return 0;
    impulse[2] = -c[2] / slope;
    impulse[0] = x * impulse[2];
    impulse[1] = y * impulse[2];
    return 1;
}

static double energy_at(const double G[9], const double c[3], double mu, double theta) {
    double l[3];
    return conic(G, c, mu, theta, l) ? reference_single_energy(G, c, l) : INFINITY;
}

double reference_single_energy(const double G[9], const double c[3], const double impulse[3]) {
    double factor[9], w[3], x[3];
    mul3(G, impulse, w);
    for (int k = 0; k < 9; k++) factor[k] = G[k];
    for (int k = 0; k < 3; k++) w[k] += c[k];
    if (!reference_cholesky_solve(factor, 3, w, x)) return NAN;
    return 0.5 * dot(w, x);
}

/* d/dtheta of the energy along the conic, times a positive factor: w . (grad h1 x grad h2). */
static double slope_at(const double G[9], const double c[3], double mu, double theta) {
    double l[3], w[3], tangent[3];
    if (!conic(G, c, mu, theta, l)) return NAN;
    mul3(G, l, w);
    for (int k = 0; k < 3; k++) w[k] += c[k];
    const double plane[3] = {G[6], G[7], G[8]}, cone[3] = {l[0], l[1], -mu * mu * l[2]};
    cross(plane, cone, tangent);
    /* The tangent turns with growing theta when its component along (-sin, cos) is positive. */
    const double turn = -sin(theta) * tangent[0] + cos(theta) * tangent[1];
    return (turn < 0 ? -1 : 1) * dot(w, tangent);
}

static char slip(const double G[9], const double c[3], double mu, double impulse[3]) {
    const double step = 2 * acos(-1.0) / ANGLES;
    int best = -1;
    double least = INFINITY;
    for (int i = 0; i < ANGLES; i++) {
        const double E = energy_at(G, c, mu, i * step);
        if (E < least) least = E, best = i;
    }
    if (best < 0) return '?';
    double low = (best - 1) * step, high = (best + 1) * step;
    for (int i = 0; i < 200; i++) {
        const double middle = 0.5 * (low + high), slope = slope_at(G, c, mu, middle);
        if (slope > 0 || (isnan(slope) && middle > best * step))
            high = middle;
        else
            low = middle;
    }
    return conic(G, c, mu, 0.5 * (low + high), impulse) ? 'd' : '?';
}

char reference_single(const double G[9], const double c[3], double mu, double impulse[3]) {
    for (int k = 0; k < 3; k++) impulse[k] = 0;
    if (c[2] > 0 || (c[0] == 0 && c[1] == 0 && c[2] == 0)) return 'o';
    double factor[9], still[3];
    for (int k = 0; k < 9; k++) factor[k] = G[k];
    const double minus_c[3] = {-c[0], -c[1], -c[2]};
    if (!reference_cholesky_solve(factor, 3, minus_c, still)) return '?';
    if (hypot(still[0], still[1]) <= mu * still[2]) {
        for (int k = 0; k < 3; k++) impulse[k] = still[k];
        return 's';
    }
    if (c[2] == 0) return 'o'; /* the conic is the apex alone */
    return slip(G, c, mu, impulse);
}

/* Velocity times tangential impulse at an angle: across, and along. */
static int friction_at(const double G[9], const double c[3], double mu, double theta, double impulse[3], double *across, double *along) {
    double w[3];
    if (!conic(G, c, mu, theta, impulse)) return 0;
    mul3(G, impulse, w);
    *across = (w[0] + c[0]) * sin(theta) - (w[1] + c[1]) * cos(theta);
    *along = (w[0] + c[0]) * cos(theta) + (w[1] + c[1]) * sin(theta);
    return 1;
}

char reference_single_coulomb(const double G[9], const double c[3], double mu, double impulse[3], int *roots) {
    *roots = 1;
    for (int k = 0; k < 3; k++) impulse[k] = 0;
    if (c[2] > 0 || (c[0] == 0 && c[1] == 0 && c[2] == 0)) return 'o';
    double factor[9], still[3], at[3], before = 0, along;
    for (int k = 0; k < 9; k++) factor[k] = G[k];
    const double minus_c[3] = {-c[0], -c[1], -c[2]}, step = 2 * acos(-1) / ANGLES;
    if (!reference_cholesky_solve(factor, 3, minus_c, still)) return '?';
    if (hypot(still[0], still[1]) <= mu * still[2]) {
        for (int k = 0; k < 3; k++) impulse[k] = still[k];
        return 's';
    }
    if (mu == 0) {
        impulse[2] = -c[2] / G[8];
        return 'd';
    }
    *roots = 0;
    for (int i = 0, known = 0; i <= ANGLES; i++) {
        double across;
        const int here = friction_at(G, c, mu, i * step, at, &across, &along);
        if (here && known && (across > 0) != (before > 0)) {
            double low = (i - 1) * step, high = i * step, middle = low, value;
            for (int k = 0; k < 200; k++) {
                middle = 0.5 * (low + high);
                if (!friction_at(G, c, mu, middle, at, &value, &along)) break;
                if ((value > 0) == (before > 0))
                    low = middle;
                else
                    high = middle;
            }
            if (along <= 0) {
                for (int k = 0; k < 3; k++) impulse[k] = at[k];
                ++*roots;
            }
        }
        known = here, before = across;
    }
    return 'd';
}

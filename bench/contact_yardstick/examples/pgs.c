/* The same projected Gauss-Seidel as pgs_numpy.py, in C:
 *     cc -O2 -shared -fPIC -o pgs.so pgs.c -lm && leaderboard.py --solver pgs.so:pgs */
#include <math.h>

#include "../foreign_solver.h"

enum { SWEEPS = 20000 };

myr_foreign_solver pgs;

static double velocity(const double *G, const double *c, int m, int i, const double *impulse) {
    double w = c[i];
    for (int k = 0; k < m; k++) w += G[(long)i * m + k] * impulse[k];
    return w;
}

int pgs(int contacts, int rows, const double *G, const double *c, const double *mu, const double *stairs, double accuracy,
        double *impulse) {
    const int first = 3 * contacts, m = first + rows;
    double smallest = 0;
    for (int i = 0; i < m; i++) smallest = fmax(smallest, 1e-10 * G[(long)i * m + i]);
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        double moved = 0, largest = 0;
        for (int i = 0; i < m; i++) {
            const double before = impulse[i], g = fmax(G[(long)i * m + i], smallest);
            if (i < first && i % 3 == 0) { /* a contact: its normal, then its tangents */
                double *l = impulse + i;
                const double g_N = fmax(G[(long)(i + 2) * m + i + 2], smallest), g_T = fmax(g, G[(long)(i + 1) * m + i + 1]);
                const double old_y = l[1], old_z = l[2];
                l[2] = fmax(0, l[2] - velocity(G, c, m, i + 2, impulse) / g_N);
                const double x = l[0] - velocity(G, c, m, i, impulse) / g_T, y = l[1] - velocity(G, c, m, i + 1, impulse) / g_T;
                const double shrink = fmin(1, mu[i / 3] * l[2] / fmax(hypot(x, y), 1e-300));
                l[0] = shrink * x, l[1] = shrink * y;
                moved = fmax(moved, fmax(fabs(l[1] - old_y), fabs(l[2] - old_z)));
            } else if (i >= first) { /* a row: friction first, then its limits */
                const double *s = stairs + 3 * (i - first);
                const double free_w = velocity(G, c, m, i, impulse) - G[(long)i * m + i] * before;
                double l = fmin(fmax(-free_w / g, -s[0]), s[0]);
                const double w = free_w + g * l;
                l += (fmin(fmax(w, s[1]), s[2]) - w) / g;
                impulse[i] = l;
            }
            moved = fmax(moved, fabs(impulse[i] - before));
            largest = fmax(largest, fabs(impulse[i]));
        }
        if (moved <= 0.1 * accuracy * largest) return 0;
    }
    return 1;
}

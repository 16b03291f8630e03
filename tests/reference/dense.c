/* Dense symmetric linear algebra for the references. */
#include <math.h>

#include "rigid_body.h"

int reference_cholesky_solve(double *A, int n, const double *b, double *x) {
    for (int j = 0; j < n; j++) {
        for (int i = j; i < n; i++) {
            double s = A[i * n + j];
            for (int k = 0; k < j; k++) s -= A[i * n + k] * A[j * n + k];
            if (i == j) {
                if (!(s > 0)) return 0;
                A[j * n + j] = sqrt(s);
            } else {
                A[i * n + j] = s / A[j * n + j];
            }
        }
    }
    for (int i = 0; i < n; i++) {
        double s = b[i];
        for (int k = 0; k < i; k++) s -= A[i * n + k] * x[k];
        x[i] = s / A[i * n + i];
    }
    for (int i = n - 1; i >= 0; i--) {
        double s = x[i];
        for (int k = i + 1; k < n; k++) s -= A[k * n + i] * x[k];
        x[i] = s / A[i * n + i];
    }
    return 1;
}

double reference_condition(double *A, int n) {
    for (int sweep = 0; sweep < 60; sweep++) {
        double off = 0, all = 0;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                all += A[i * n + j] * A[i * n + j];
                if (i != j) off += A[i * n + j] * A[i * n + j];
            }
        if (off <= 1e-34 * all) break;
        for (int p = 0; p < n; p++) {
            for (int q = p + 1; q < n; q++) {
                const double apq = A[p * n + q];
                if (apq == 0) continue;
                const double theta = (A[q * n + q] - A[p * n + p]) / (2 * apq);
                const double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1));
                const double c = 1 / sqrt(t * t + 1), s = t * c;
                for (int k = 0; k < n; k++) {
                    const double kp = A[k * n + p], kq = A[k * n + q];
                    A[k * n + p] = c * kp - s * kq, A[k * n + q] = s * kp + c * kq;
                }
                for (int k = 0; k < n; k++) {
                    const double pk = A[p * n + k], qk = A[q * n + k];
                    A[p * n + k] = c * pk - s * qk, A[q * n + k] = s * pk + c * qk;
                }
            }
        }
    }
    double low = INFINITY, high = 0;
    for (int i = 0; i < n; i++) {
        low = fmin(low, A[i * n + i]);
        high = fmax(high, A[i * n + i]);
    }
    return low > 0 ? high / low : INFINITY;
}

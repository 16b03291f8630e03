/* Bilateral rows of a bare problem, eliminated before the solve. With b the bilateral rows and a what stands before them,
 *
 *     w_b = G_ba l_a + G_bb l_b + c_b = 0   gives   l_b = -B (G_ba l_a + c_b),   B the pseudo-inverse of G_bb + R_b
 *
 * and so G <- G_aa - G_ab B G_ba, c <- c_a - G_ab B c_b. Redundant rows are normal (a planar loop closed by three rows has rank two): B
 * leaves their null space out, and with it what of c_b no impulse can change. G being semidefinite, G_ba lies in the range. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "problems/residual.h"
#include "base/memory.h"
#include "base/message.h"

/* Eigenvectors of the symmetric A (n, n) by Jacobi's rotations: A becomes diagonal, V's columns are the vectors. */
static void diagonalize(double *A, double *V, size_t n) {
    enum { SWEEPS = 60 };
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++) V[i * n + k] = i == k;
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        int turned = 0;
        for (size_t i = 0; i < n; i++)
            for (size_t k = i + 1; k < n; k++) {
                const double off = A[i * n + k];
                if (!(fabs(off) > 0x1p-60 * sqrt(fabs(A[i * n + i] * A[k * n + k]))) || fabs(off) < DBL_MIN) continue;
                const double theta = (A[k * n + k] - A[i * n + i]) / (2 * off);
                const double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1)), c = 1 / sqrt(t * t + 1), s = t * c;
                turned = 1;
                for (size_t j = 0; j < n; j++) {
                    const double x = A[j * n + i], y = A[j * n + k];
                    A[j * n + i] = c * x - s * y, A[j * n + k] = s * x + c * y;
                }
                for (size_t j = 0; j < n; j++) {
                    const double x = A[i * n + j], y = A[k * n + j];
                    A[i * n + j] = c * x - s * y, A[k * n + j] = s * x + c * y;
                }
                for (size_t j = 0; j < n; j++) {
                    const double x = V[j * n + i], y = V[j * n + k];
                    V[j * n + i] = c * x - s * y, V[j * n + k] = s * x + c * y;
                }
            }
        if (!turned) return;
    }
}

/* B and the projector on the range, from the eigenvectors. An eigenvalue below rounding of the largest counts as 0. */
static void invert(const double *A, const double *V, size_t n, double *B, double *range) {
    double largest = 0;
    for (size_t e = 0; e < n; e++) largest = fmax(largest, A[e * n + e]);
    memset(B, 0, n * n * sizeof *B);
    memset(range, 0, n * n * sizeof *range);
    for (size_t e = 0; e < n; e++) {
        const double value = A[e * n + e];
        if (!(value > 1e-13 * (double)n * largest)) continue;
        for (size_t i = 0; i < n; i++)
            for (size_t k = 0; k < n; k++) {
                range[i * n + k] += V[i * n + e] * V[k * n + e];
                B[i * n + k] += V[i * n + e] * V[k * n + e] / value;
            }
    }
}

myr_status myr_contact_reduce(const myr_contact_problem *problem, const double *R, myr_contact_reduced *out) {
    const size_t m = myr_contact_numbers(problem), n = (size_t)problem->bilateral, a = m - n;
    *out = (myr_contact_reduced){.memory = NULL};
    if (!n) return MYR_OK;
    double *memory = myr_allocate((a * a + a + n * a + n + 4 * n * n) * sizeof *memory, 64);
    if (!memory) return myr_fail(MYR_E_MEMORY, "out of memory for %zu bilateral rows", n);
    out->memory = memory;
    out->G = memory, memory += a * a;
    out->c = memory, memory += a;
    out->give = memory, memory += n * a;
    out->own = memory, memory += n;
    out->range = memory, memory += n * n;
    double *A = memory, *V = A + n * n, *B = V + n * n;
    const double *G = problem->G, *c = problem->c;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++) A[i * n + k] = G[(a + i) * m + a + k] + (i == k ? R[a + i] : 0);
    diagonalize(A, V, n);
    invert(A, V, n, B, out->range);
    for (size_t i = 0; i < n; i++) {
        out->own[i] = 0;
        for (size_t k = 0; k < n; k++) out->own[i] -= B[i * n + k] * c[a + k];
        for (size_t j = 0; j < a; j++) {
            out->give[i * a + j] = 0;
            for (size_t k = 0; k < n; k++) out->give[i * a + j] -= B[i * n + k] * G[(a + k) * m + j];
        }
    }
    for (size_t i = 0; i < a; i++) {
        out->c[i] = c[i];
        for (size_t k = 0; k < n; k++) out->c[i] += G[i * m + a + k] * out->own[k];
        for (size_t j = 0; j <= i; j++) {
            double sum = G[i * m + j];
            for (size_t k = 0; k < n; k++) sum += G[i * m + a + k] * out->give[k * a + j];
            out->G[i * a + j] = out->G[j * a + i] = sum;
        }
    }
    return MYR_OK;
}

void myr_contact_reduced_free(myr_contact_reduced *reduced) {
    myr_release(reduced->memory);
    *reduced = (myr_contact_reduced){.memory = NULL};
}

void myr_contact_restore(const myr_contact_problem *problem, const myr_contact_reduced *reduced, const double *R,
                         const myr_contact_scale *scale, myr_contact_result *result) {
    const size_t m = myr_contact_numbers(problem), n = (size_t)problem->bilateral, a = m - n;
    double *l = result->impulse, *w = result->velocity;
    for (size_t i = 0; i < n; i++) {
        l[a + i] = reduced->own[i];
        for (size_t j = 0; j < a; j++) l[a + i] += reduced->give[i * a + j] * l[j];
    }
    for (size_t i = 0; i < m; i++) {
        w[i] = problem->c[i];
        for (size_t k = 0; k < m; k++) w[i] += problem->G[i * m + k] * l[k];
    }
    for (size_t i = 0; i < n; i++) {
        double hard = 0, soft = 0;
        for (size_t k = 0; k < n; k++) {
            hard += reduced->range[i * n + k] * w[a + k];
            soft += reduced->range[i * n + k] * (w[a + k] + R[a + k] * l[a + k]);
        }
        result->residual = fmax(result->residual, fabs(soft) / scale->velocity);
        result->residual_ncp = fmax(result->residual_ncp, fabs(hard) / scale->velocity);
    }
}

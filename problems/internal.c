/* Internal forces: the part of the impulses that moves nothing. Where G is singular, impulses are not unique; the one of least
 * norm with the same velocity is the projection on the range of G, and what is beside it squeezes without
 * any effect (Le Lidec 2024 Fig. 12). */
#include <math.h>
#include <string.h>

#include "problems/residual.h"
#include "base/memory.h"
#include "base/message.h"

static const double rank_rounding = 1e-14; /* times m and the largest diagonal entry: below it a pivot is rounding */

/* An orthonormal basis of the range of the symmetric G (m, m), columns one after the other in Q; returns its rank. Cholesky with
 * diagonal pivots finds independent columns, Gram and Schmidt, twice, make them orthogonal. `diagonal`: m scratch. */
static size_t range_basis(const double *G, size_t m, double *Q, double *diagonal) {
    double largest = 0;
    size_t rank = 0;
    for (size_t i = 0; i < m; i++) diagonal[i] = G[i * m + i], largest = fmax(largest, diagonal[i]);
    const double least = rank_rounding * (double)m * largest;
    while (rank < m) {
        size_t pivot = 0;
        for (size_t i = 1; i < m; i++)
            if (diagonal[i] > diagonal[pivot]) pivot = i;
        if (!(diagonal[pivot] > least)) break;
        double *q = Q + rank * m, *factor = Q + (m + rank) * m; /* the factor's columns lie behind the basis */
        for (size_t i = 0; i < m; i++) factor[i] = G[pivot * m + i];
        for (size_t k = 0; k < rank; k++) {
            const double *before = Q + (m + k) * m, at_pivot = before[pivot];
            for (size_t i = 0; i < m; i++) factor[i] -= at_pivot * before[i];
        }
        const double root = sqrt(diagonal[pivot]);
        for (size_t i = 0; i < m; i++) factor[i] /= root, diagonal[i] -= factor[i] * factor[i];
        diagonal[pivot] = 0;
        memcpy(q, factor, m * sizeof *q);
        for (int pass = 0; pass < 2; pass++) {
            for (size_t k = 0; k < rank; k++) {
                double along = 0;
                for (size_t i = 0; i < m; i++) along += Q[k * m + i] * q[i];
                for (size_t i = 0; i < m; i++) q[i] -= along * Q[k * m + i];
            }
            double length = 0;
            for (size_t i = 0; i < m; i++) length = fma(q[i], q[i], length);
            length = sqrt(length);
            if (!(length > 0)) return rank;
            for (size_t i = 0; i < m; i++) q[i] /= length;
        }
        rank++;
    }
    return rank;
}

void myr_contact_minimum(const myr_contact_problem *problem, myr_contact_result *result) {
    const size_t m = myr_contact_numbers(problem);
    result->internal = 0;
    if (m == 0) return;
    memcpy(result->minimum, result->impulse, m * sizeof *result->minimum);
    double *memory = myr_allocate((2 * m + 1) * m * sizeof *memory, 64);
    if (!memory) { /* the impulse itself is an answer, if not the least */
        result->internal = (double)NAN;
        return;
    }
    const size_t rank = range_basis(problem->G, m, memory, memory + 2 * m * m);
    memset(result->minimum, 0, m * sizeof *result->minimum);
    for (size_t k = 0; k < rank; k++) {
        const double *q = memory + k * m;
        double along = 0;
        for (size_t i = 0; i < m; i++) along += q[i] * result->impulse[i];
        for (size_t i = 0; i < m; i++) result->minimum[i] += along * q[i];
    }
    double whole = 0, beside = 0;
    for (size_t i = 0; i < m; i++) {
        const double d = result->impulse[i] - result->minimum[i];
        whole += result->impulse[i] * result->impulse[i];
        beside += d * d;
    }
    result->internal = whole > 0 ? sqrt(beside / whole) : 0;
    myr_release(memory);
}

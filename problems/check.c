/* What a bare contact problem must be before it is solved: shapes, numbers, and a G that bodies can have. */
#include <math.h>

#include "problems/residual.h"
#include "base/memory.h"
#include "base/message.h"

static const double allowed_asymmetry = 1e-3; /* of the largest entry */
static const double grain_of_G = 1e-13;       /* of the largest entry: less is rounding */

static myr_status check_finite(int64_t index, const char *name, const double *values, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (!isfinite(values[i])) return myr_fail(MYR_E_ARG, "problem %lld: %s[%zu] is not finite", (long long)index, name, i);
    return MYR_OK;
}

static myr_status check_symmetric(int64_t index, const double *G, size_t m) {
    double largest = 0, worst = 0;
    size_t row = 0, column = 0;
    for (size_t i = 0; i < m; i++) {
        for (size_t k = 0; k < m; k++) {
            if (fabs(G[i * m + k]) > largest) largest = fabs(G[i * m + k]);
            const double difference = fabs(G[i * m + k] - G[k * m + i]);
            if (difference > worst) worst = difference, row = i, column = k;
        }
    }
    if (worst <= allowed_asymmetry * largest) return MYR_OK;
    return myr_fail(MYR_E_ARG,
                    "problem %lld: G is not symmetric: G[%zu][%zu] = %g, G[%zu][%zu] = %g, apart by more than %g of its largest entry",
                    (long long)index, row, column, G[row * m + column], column, row, G[column * m + row], allowed_asymmetry);
}

/* G = J M^-1 J' has no negative entry on its diagonal, nothing beside a zero there, and no free velocity along what nothing can move. What
 * breaks this has no answer that is worth a figure. A zero with a zero row is lawful: the foot of a robot on a rail has such tangents. */
static myr_status check_diagonal(int64_t index, const myr_contact_problem *p, size_t m) {
    const long long at = index;
    const size_t first = 3 * (size_t)p->contacts, last = first + (size_t)p->rows;
    double largest = -1;
    for (size_t i = 0; i < m; i++) {
        const double own = p->G[i * m + i];
        if (own > 0) continue;
        for (size_t k = 0; k < m * m && (k || largest < 0); k++) largest = fmax(largest, fabs(p->G[k])); /* once, where it is needed */
        if (own < 0)
            return myr_fail(MYR_E_ARG, "problem %lld: G[%zu][%zu] is %g; the diagonal of a Delassus matrix may not be negative", at, i, i,
                            own);
        for (size_t k = 0; k < m; k++)
            if (0.5 * fabs(p->G[i * m + k] + p->G[k * m + i]) > grain_of_G * largest)
                return myr_fail(MYR_E_ARG, "problem %lld: G[%zu][%zu] is 0 and G[%zu][%zu] is not; no Delassus matrix has that", at, i, i,
                                i, k);
        if (p->R && p->R[i] > 0) continue;
        if (i < first && i % 3 == 2 && p->c[i] < 0)
            return myr_fail(MYR_E_ARG, "problem %lld: G[%zu][%zu] is 0 and c[%zu] is %g; no impulse can stop contact %zu", at, i, i, i,
                            p->c[i], i / 3);
        const double *s = i >= first && i < last ? p->stairs + 3 * (i - first) : NULL;
        if (s && !(s[1] <= p->c[i] && p->c[i] <= s[2]))
            return myr_fail(MYR_E_ARG, "problem %lld: G[%zu][%zu] is 0 and c[%zu] is %g; no impulse can bring row %zu into [%g, %g]", at, i,
                            i, i, p->c[i], i - first, s[1], s[2]);
    }
    return MYR_OK;
}

/* f >= 0 and lo <= hi, and limits that leave some velocity. */
static myr_status check_stairs(int64_t index, const myr_contact_problem *p) {
    static const char *const names[3] = {"f", "lo", "hi"};
    const long long at = index;
    for (int k = 0; k < p->rows; k++) {
        const double *s = p->stairs + 3 * k;
        for (int i = 0; i < 3; i++)
            if (isnan(s[i]) || (i == 0 && isinf(s[i])) || (i == 1 && s[i] == (double)INFINITY) || (i == 2 && s[i] == (double)-INFINITY))
                return myr_fail(MYR_E_ARG, "problem %lld: %s of row %d is %g", at, names[i], k, s[i]);
        if (s[0] < 0) return myr_fail(MYR_E_ARG, "problem %lld: f of row %d is %g; friction may not be negative", at, k, s[0]);
        if (s[1] > s[2]) return myr_fail(MYR_E_ARG, "problem %lld: lo of row %d is %g, above hi, %g", at, k, s[1], s[2]);
    }
    return MYR_OK;
}

myr_status myr_contact_check(int64_t index, const myr_contact_problem *p, const myr_contact_result *r) {
    const long long at = index;
    const struct {
        const char *name;
        int count;
    } counts[] = {{"contacts", p->contacts}, {"rows", p->rows}, {"bilateral", p->bilateral}};
    int64_t numbers = 0;
    for (size_t i = 0; i < 3; i++) {
        if (counts[i].count < 0)
            return myr_fail(MYR_E_ARG, "problem %lld: %s is %d; it may not be negative", at, counts[i].name, counts[i].count);
        numbers += (i ? 1 : 3) * (int64_t)counts[i].count;
    }
    if (numbers > MYR_CONTACT_NUMBERS)
        return myr_fail(MYR_E_LIMIT, "problem %lld: %lld numbers (3 for each of %d contacts, 1 for each row); at most %d fit a tile", at,
                        (long long)numbers, p->contacts, MYR_CONTACT_NUMBERS);
    if (numbers == 0) return MYR_OK;
    const struct {
        const char *name;
        const void *array;
        int wanted;
    } needed[] = {{"G", p->G, 1},
                  {"c", p->c, 1},
                  {"mu", p->mu, p->contacts},
                  {"stairs", p->stairs, p->rows},
                  {"result impulse", r->impulse, 1},
                  {"result velocity", r->velocity, 1}};
    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++)
        if (needed[i].wanted && !needed[i].array) return myr_fail(MYR_E_ARG, "problem %lld: %s is NULL", at, needed[i].name);
    const size_t nc = (size_t)p->contacts, m = myr_contact_numbers(p);
    myr_status status = check_finite(index, "G", p->G, m * m);
    if (status == MYR_OK) status = check_finite(index, "c", p->c, m);
    if (status == MYR_OK) status = check_finite(index, "mu", p->mu, nc);
    if (status == MYR_OK) status = check_stairs(index, p);
    if (status == MYR_OK && p->start) status = check_finite(index, "start", p->start, m);
    if (status == MYR_OK && p->R) status = check_finite(index, "R", p->R, m);
    for (size_t i = 0; status == MYR_OK && p->R && i < m; i++)
        if (p->R[i] < 0) status = myr_fail(MYR_E_ARG, "problem %lld: R[%zu] is %g; compliance may not be negative", at, i, p->R[i]);
    for (size_t i = 0; status == MYR_OK && i < nc; i++)
        if (p->mu[i] < 0) status = myr_fail(MYR_E_ARG, "problem %lld: mu[%zu] is %g; friction may not be negative", at, i, p->mu[i]);
    if (status == MYR_OK) status = check_symmetric(index, p->G, m);
    return status == MYR_OK ? check_diagonal(index, p, m) : status;
}

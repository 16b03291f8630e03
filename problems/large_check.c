/* What a large contact problem must be before it is solved: as problems/check.c has it for dense ones. */
#include "large.h"

#include <math.h>

#include "base/memory.h"
#include "base/message.h"

static const double allowed_asymmetry = 1e-3; /* of the largest entry */
static const double grain_of_G = 1e-13;       /* of the largest entry: less is rounding */

static myr_status check_finite(int64_t index, const char *name, const double *values, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (!isfinite(values[i])) return myr_fail(MYR_E_ARG, "problem %lld: %s[%zu] is not finite", (long long)index, name, i);
    return MYR_OK;
}

/* Rows and columns of blocks, and a diagonal block in each row. */
static myr_status check_shape(int64_t index, const myr_large_problem *p) {
    const long long at = index;
    if (p->first[0] != 0) return myr_fail(MYR_E_ARG, "problem %lld: first[0] is %lld, not 0", at, (long long)p->first[0]);
    for (int i = 0; i < p->contacts; i++) /* all of them first: they say how long the other arrays are */
        if (p->first[i + 1] < p->first[i])
            return myr_fail(MYR_E_ARG, "problem %lld: first[%d] is %lld, below first[%d], %lld", at, i + 1, (long long)p->first[i + 1], i,
                            (long long)p->first[i]);
    for (int i = 0; i < p->contacts; i++) {
        int own = 0;
        for (int64_t b = p->first[i]; b < p->first[i + 1]; b++) {
            const int k = p->column[b];
            if (k < 0 || k >= p->contacts || (b > p->first[i] && k <= p->column[b - 1]))
                return myr_fail(MYR_E_ARG, "problem %lld: column[%lld] is %d; those of row %d must lie in 0 .. %d and ascend", at,
                                (long long)b, k, i, p->contacts - 1);
            own = own || k == i;
        }
        if (!own) return myr_fail(MYR_E_ARG, "problem %lld: row %d of blocks has no diagonal block", at, i);
    }
    return MYR_OK;
}

/* Each block beside its transpose. `next`: (nc) where the search in each row goes on: rows ascend, and so do the columns in each. */
static myr_status check_symmetric(int64_t index, const myr_large_problem *p, double largest, int64_t *next) {
    const long long at = index;
    for (int i = 0; i < p->contacts; i++) next[i] = p->first[i];
    for (int i = 0; i < p->contacts; i++)
        for (int64_t b = p->first[i]; b < p->first[i + 1]; b++) {
            const int k = p->column[b];
            const int64_t t = next[k]++;
            if (t >= p->first[k + 1] || p->column[t] != i)
                return myr_fail(MYR_E_ARG, "problem %lld: block (%d, %d) is there and block (%d, %d) is not", at, i, k, k, i);
            for (int e = 0; e < 9; e++) {
                const double one = p->blocks[9 * b + e], other = p->blocks[9 * t + 3 * (e % 3) + e / 3];
                if (fabs(one - other) > allowed_asymmetry * largest)
                    return myr_fail(MYR_E_ARG,
                                    "problem %lld: G is not symmetric: entry (%d, %d) of block (%d, %d) is %g, its mirror image %g, apart "
                                    "by more than %g of the largest entry",
                                    at, e / 3, e % 3, i, k, one, other, allowed_asymmetry);
            }
        }
    return MYR_OK;
}

/* As G = J M^-1 J' has it: nothing negative on the diagonal, nothing beside a zero there, and no free velocity along a normal that nothing
 * can move. */
static myr_status check_diagonal(int64_t index, const myr_large_problem *p, double largest) {
    const long long at = index;
    for (int i = 0; i < p->contacts; i++) {
        int64_t middle = p->first[i];
        while (p->column[middle] != i) middle++;
        for (int a = 0; a < 3; a++) {
            const int row = 3 * i + a;
            const double own = p->blocks[9 * middle + 4 * a];
            if (own > 0) continue;
            if (own < 0)
                return myr_fail(MYR_E_ARG, "problem %lld: G[%d][%d] is %g; the diagonal of a Delassus matrix may not be negative", at, row,
                                row, own);
            for (int64_t b = p->first[i]; b < p->first[i + 1]; b++)
                for (int k = 0; k < 3; k++)
                    if (fabs(p->blocks[9 * b + 3 * a + k]) > grain_of_G * largest)
                        return myr_fail(MYR_E_ARG, "problem %lld: G[%d][%d] is 0 and G[%d][%d] is not; no Delassus matrix has that", at,
                                        row, row, row, 3 * p->column[b] + k);
            if (a == 2 && p->c[row] < 0)
                return myr_fail(MYR_E_ARG, "problem %lld: G[%d][%d] is 0 and c[%d] is %g; no impulse can stop contact %d", at, row, row,
                                row, p->c[row], i);
        }
    }
    return MYR_OK;
}

myr_status myr_large_check(int64_t index, const myr_large_problem *p, const myr_contact_result *r) {
    const long long at = index;
    if (p->contacts < 0) return myr_fail(MYR_E_ARG, "problem %lld: contacts is %d; it may not be negative", at, p->contacts);
    if (p->contacts > INT32_MAX / 3 - 1) return myr_fail(MYR_E_LIMIT, "problem %lld: %d contacts are too many", at, p->contacts);
    if (p->contacts == 0) return MYR_OK;
    const struct {
        const char *name;
        const void *array;
    } needed[] = {{"first", p->first}, {"column", p->column},          {"blocks", p->blocks},           {"c", p->c},
                  {"mu", p->mu},       {"result impulse", r->impulse}, {"result velocity", r->velocity}};
    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++)
        if (!needed[i].array) return myr_fail(MYR_E_ARG, "problem %lld: %s is NULL", at, needed[i].name);
    myr_status status = check_shape(index, p);
    if (status != MYR_OK) return status;
    const size_t nc = (size_t)p->contacts, numbers = 9 * (size_t)p->first[nc];
    status = check_finite(index, "blocks", p->blocks, numbers);
    if (status == MYR_OK) status = check_finite(index, "c", p->c, 3 * nc);
    if (status == MYR_OK) status = check_finite(index, "mu", p->mu, nc);
    if (status == MYR_OK && p->start) status = check_finite(index, "start", p->start, 3 * nc);
    for (size_t i = 0; status == MYR_OK && i < nc; i++)
        if (p->mu[i] < 0) status = myr_fail(MYR_E_ARG, "problem %lld: mu[%zu] is %g; friction may not be negative", at, i, p->mu[i]);
    if (status != MYR_OK) return status;
    double largest = 0;
    for (size_t k = 0; k < numbers; k++) largest = fmax(largest, fabs(p->blocks[k]));
    int64_t *next = myr_allocate(nc * sizeof *next, 64);
    if (!next) return myr_fail(MYR_E_MEMORY, "problem %lld: no memory to look at %d contacts", at, p->contacts);
    status = check_symmetric(index, p, largest, next);
    myr_release(next);
    return status == MYR_OK ? check_diagonal(index, p, largest) : status;
}

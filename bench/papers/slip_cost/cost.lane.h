/* The slip solves of the per-contact solvers on contacts packed into lanes. Blocks stay in the second cache, so that arithmetic is timed
 * and not memory; what is prepared once per solve and used in every sweep (inverse of G_ii, tilt) is prepared before the clock starts. */
#include <stdlib.h>
#include <string.h>
#include <x86intrin.h>

#include "cost.h"
#include "forms.lane.h"
#include "kernels/contact/bisection_paper.lane.h"
#include "kernels/contact/golden.lane.h"
#include "kernels/contact/quartic.lane.h"

enum { BLOCK = 256, ROWS = 39 }; /* contacts of a block; vf's of a problem of one contact, and its last impulse */

static inline v3 slip_fast(const problem *p, v3 c, v3 stop, v3 last, const myr_solve_options *o) {
    const vm all = vm_all();
    vm found;
    v3 best = slip_near(p, 0, c, stop, last, &found);
    const vm far = vm_andnot(all, found);
    if (vm_any(far)) best = v3_select(far, slip_solve(p, 0, c, stop, last, o->slip_steps), best);
    return best;
}

/* A function per method: the call through a pointer costs the same for all. */
typedef v3 slip_function(const problem *p, v3 c, v3 stop, v3 last, const myr_solve_options *o);
#define SLIP(name, call)                                                                                                                   \
    static v3 name(const problem *p, v3 c, v3 stop, v3 last, const myr_solve_options *o) {                                                 \
        (void)last;                                                                                                                        \
        return call;                                                                                                                       \
    }
SLIP(cost_paper, slip_solve_paper(p, 0, c, stop, vm_all(), o))
SLIP(cost_golden, slip_solve_golden(p, 0, c, stop, vm_all(), o))
SLIP(cost_quartic, slip_solve_quartic(p, 0, c, stop, vm_all(), o))
SLIP(cost_cold, slip_solve(p, 0, c, stop, v3_zero(), o->slip_steps))
SLIP(cost_warm, slip_fast(p, c, stop, last, o))
#define EACH_SLOPE(X) X(PLAIN) X(DIRECT) X(POLAR) X(HYBRID)
#define EACH_FORM(X) X(NOTHING) X(POINT) X(VALUE) X(VALUE_POLAR) EACH_SLOPE(X)
#define CHAINED(form) SLIP(chained_##form, ((void)o, form_evaluate(p, AS_##form, 1, c, stop)))
#define FREE(form) SLIP(free_##form, ((void)o, form_evaluate(p, AS_##form, 0, c, stop)))
#define SEARCH(form) SLIP(search_##form, form_search(p, AS_##form, c, stop, o))
EACH_FORM(CHAINED)
EACH_FORM(FREE)
EACH_SLOPE(SEARCH)
#define NAME_CHAINED(form) chained_##form,
#define NAME_FREE(form) free_##form,
#define NAME_SEARCH(form) search_##form,
static slip_function *const slip_functions[SLIP_FUNCTIONS] = {
    cost_paper, cost_golden, cost_quartic, cost_cold, cost_warm, EACH_FORM(NAME_CHAINED) EACH_FORM(NAME_FREE) EACH_SLOPE(NAME_SEARCH)};

static void fill(vf *row, int lane, double value) {
    real lanes[sizeof(vf) / sizeof(real)];
    memcpy(lanes, row, sizeof lanes);
    lanes[lane] = (real)value;
    memcpy(row, lanes, sizeof lanes);
}

static double take(vf row, int lane) { return (double)row[lane]; }

/* Contacts first .. first + BLOCK - 1, the last one again where there are no more. */
static void load(problem *problems, vf *memory, const slip_contact *contacts, int n, int first) {
    for (int k = 0; k < BLOCK / VN; k++) {
        problem *p = &problems[k];
        vf *rows = memory + (size_t)k * ROWS;
        *p = (problem){0};
        for (int i = 0; i < ROWS; i++) rows[i] = vf_set(1);
        vf *last = problem_open(p, 1, 0, rows);
        for (int lane = 0; lane < VN; lane++) {
            const int at = first + k * VN + lane;
            const slip_contact *contact = &contacts[at < n ? at : n - 1];
            for (int i = 0; i < 9; i++) fill(&p->G[i], lane, contact->G[i]);
            for (int i = 0; i < 3; i++) fill(&p->c[i], lane, contact->c[i]), fill(&last[i], lane, contact->last[i]);
            fill(p->mu, lane, contact->mu);
        }
        for (int i = 0; i < 3; i++) p->w[i] = p->c[i], p->lambda[i] = vf_zero();
        single_prepare(p);
    }
}

static uint64_t cost(int method, const double beta[3], const slip_contact *contacts, int n, int repeats, double *impulse) {
    const myr_solve_options o = {.slip_steps = 3, .beta1 = beta[0], .beta2 = beta[1], .beta3 = beta[2], .slip_tolerance = 1e-6};
    slip_function *const solve = slip_functions[method];
    problem *problems = aligned_alloc(64, (size_t)(BLOCK / VN) * sizeof *problems); /* registers lie in it */
    vf *memory = aligned_alloc(64, (size_t)(BLOCK / VN) * ROWS * sizeof(vf)), out[3 * BLOCK / VN];
    uint64_t total = 0;
    if (!problems || !memory || problem_size(1, 0) + 3 > ROWS) abort();
    for (int first = 0; first < n; first += BLOCK) {
        uint64_t least = UINT64_MAX;
        load(problems, memory, contacts, n, first);
        for (int r = 0; r < repeats; r++) {
            const uint64_t start = __rdtsc();
            for (int k = 0; k < BLOCK / VN; k++) {
                const problem *p = &problems[k];
                v3_store(out + 3 * k, solve(p, v3_load(p->c), single_stop(p, 0), v3_load(p->scratch), &o));
            }
            const uint64_t ticks = __rdtsc() - start;
            if (ticks < least) least = ticks;
        }
        total += least;
        for (int i = 0; i < BLOCK && first + i < n; i++)
            for (int a = 0; a < 3; a++) impulse[3 * (first + i) + a] = take(out[3 * (i / VN) + a], i % VN);
    }
    free(problems);
    free(memory);
    return total;
}

extern const slip_unit MYR_UNIT(slip_unit);
const slip_unit MYR_UNIT(slip_unit) = {MYR_ISA_NAME, MYR_DOUBLE ? "f64" : "f32", VN, cost};

/* Fuzzer of the JSON reader behind `myriapod solve`, and of the solvers on what it lets through.
 *
 *   scripts/fuzz.sh 600
 *
 * What it finds goes to tests/fuzz/solve/ as bad_* (refused) or good_* (solved); tests/cli/check_cli.py keeps it found. */
#include <stdint.h>
#include <stdlib.h>

#include "cli/problems.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void solve(const myr_contact_problem *problem) {
    const size_t n = problem_numbers(problem);
    double *numbers = cli_allocate(2 * n, sizeof *numbers);
    char *modes = cli_allocate((size_t)problem->contacts, 1);
    myr_contact_result result = {.impulse = numbers, .velocity = numbers + n, .modes = modes};
    myr_settings settings = myr_settings_default();
    settings.max_sweeps = 20;
    settings.threads = 1;
    for (int i = 0; myr_solver_name(i); i++) {
        if (myr_settings_set(&settings, "solver", myr_solver_name(i)) != MYR_OK) abort();
        if (myr_settings_set(&settings, "precision", i % 2 ? "f64" : "f32") != MYR_OK) abort();
        if (myr_solve_contacts(problem, 1, &settings, &result) == MYR_OK && result.iterations > settings.max_sweeps) abort();
    }
    free(modes);
    free(numbers);
}

static void solve_large(const myr_large_problem *problem) {
    const size_t n = 3 * (size_t)problem->contacts;
    double *numbers = cli_allocate(2 * n, sizeof *numbers);
    myr_contact_result result = {.impulse = numbers, .velocity = numbers + n};
    myr_settings settings = myr_settings_default();
    settings.max_sweeps = 20;
    settings.threads = 1;
    if (myr_settings_set(&settings, "precision", "f64") != MYR_OK) abort();
    for (int i = 0; myr_solver_name(i); i++) {
        if (myr_solver_large_refusal(myr_solver_name(i))) continue;
        if (myr_settings_set(&settings, "solver", myr_solver_name(i)) != MYR_OK) abort();
        if (myr_solve_large(problem, 1, &settings, &result) == MYR_OK && result.iterations > settings.max_sweeps) abort();
    }
    free(numbers);
}

static void solve_as(const uint8_t *data, size_t size, problem_set set) {
    cli_text message;
    if (problems_json((const char *)data, size, "fuzz", &set, &message) != 0) {
        if (set.n != 0 || set.numbers != 0 || !message.text[0]) abort(); /* a refusal says why and leaves nothing */
    }
    for (size_t i = 0; i < set.n; i++) {
        if (set.entry[i].problem.contacts > 4) continue;
        if (problem_is_large(&set.entry[i]))
            solve_large(&set.entry[i].large);
        else
            solve(&set.entry[i].problem);
    }
    problem_set_free(&set);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    solve_as(data, size, (problem_set){.cold = size % 2 == 0});
    solve_as(data, size, (problem_set){.cold = size % 2 == 0, .most_contacts = 1, .large = 1}); /* two contacts are many */
    return 0;
}

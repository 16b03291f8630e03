/* Fuzzer of the reader behind `myriapod solve`, and of the solvers on what it lets through.
 *
 *   clang-14 -g -O1 -fsanitize=fuzzer,address,undefined -Iinclude -I. tests/fuzz_solve.c cli/solve_parse.c cli/json.c cli/words.c
 *       -Lbuild -lmyriapod -Wl,-rpath,build -ljansson -lm -o fuzz_solve
 *   ./fuzz_solve -max_total_time=1800 -max_len=4096 corpus/ tests/fuzz/solve/
 *
 * What it finds goes to tests/fuzz/solve/ as bad_* (refused) or good_* (solved); tests/check_cli.py keeps it found. */
#include <stdint.h>
#include <stdlib.h>

#include "cli/solve_parse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void solve(const myr_contact_problem *problem) {
    static const char *const solvers[] = {"bisection", "bisection-paper", "pgs"};
    const size_t n = 3 * (size_t)problem->contacts;
    double *numbers = cli_allocate(2 * n, sizeof *numbers);
    char *modes = cli_allocate(n / 3, 1);
    myr_contact_result result = {.impulse = numbers, .velocity = numbers + n, .modes = modes};
    myr_settings settings = myr_settings_default();
    settings.max_sweeps = 20;
    settings.threads = 1;
    for (size_t i = 0; i < sizeof solvers / sizeof *solvers; i++) {
        if (myr_settings_set(&settings, "solver", solvers[i]) != MYR_OK) continue; /* a build may have fewer */
        if (myr_settings_set(&settings, "precision", i % 2 ? "f64" : "f32") != MYR_OK) abort();
        if (myr_solve_contacts(problem, 1, &settings, &result) == MYR_OK && result.iterations > settings.max_sweeps) abort();
    }
    free(modes);
    free(numbers);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    solve_problems problems;
    cli_text message;
    if (solve_parse((const char *)data, size, "fuzz", &problems, &message) != 0) {
        if (problems.n != 0 || !message.text[0]) abort(); /* a refusal says why and leaves nothing */
        return 0;
    }
    for (size_t i = 0; i < problems.n; i++) {
        if (problems.problem[i].contacts <= 4) solve(&problems.problem[i]);
    }
    solve_problems_free(&problems);
    return 0;
}

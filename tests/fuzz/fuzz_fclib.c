/* Fuzzer of the reader of FCLib's HDF5, on an image of the file in memory. What it finds in the reader goes to tests/fuzz/fclib/ as bad_*
 * (refused) or good_* (read); tests/cli/check_problems.py keeps it found. What it finds in libhdf5 is why the program reads in a process of
 * its own (cli/problems_apart.c). */
#include <stdint.h>
#include <stdlib.h>

#include "cli/problems.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* libhdf5 forgets memory when it refuses a file. */
const char *__asan_default_options(void);
const char *__asan_default_options(void) { return "detect_leaks=0"; }

static void read_as(const uint8_t *data, size_t size, problem_set set) {
    cli_text message = {{0}};
    if (problems_fclib(data, size, "fuzz", &set, &message) != 0) {
        if (set.n != 0 || set.numbers != 0 || !message.text[0]) abort(); /* a refusal says why and leaves nothing */
    } else if (set.n == 0) {
        abort();
    }
    problem_set_free(&set);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    read_as(data, size, (problem_set){0});
    read_as(data, size, (problem_set){.most_contacts = 1, .large = 1}); /* two contacts are many */
    return 0;
}

/* Fuzzer of the reader of Siconos' text. What it finds goes to tests/fuzz/siconos/ as bad_* (refused) or good_* (read);
 * tests/cli/check_problems.py keeps it found. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/problems.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_as(const char *text, size_t size, problem_set set) {
    cli_text message = {{0}};
    if (problems_siconos(text, size, "fuzz", &set, &message) != 0) {
        if (set.n != 0 || set.numbers != 0 || !message.text[0]) abort(); /* a refusal says why and leaves nothing */
    } else if (set.n != 1 || set.entry[0].problem.contacts < 1) {
        abort();
    }
    problem_set_free(&set);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = cli_allocate(size + 1, 1); /* the reader of files ends every text with a NUL */
    memcpy(text, data, size);
    read_as(text, size, (problem_set){0});
    read_as(text, size, (problem_set){.most_contacts = 1, .large = 1}); /* two contacts are many */
    free(text);
    return 0;
}

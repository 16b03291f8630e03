/* Fuzzer of the reader of programs: what is read is written and read again, and must be the same program; it runs on zeros and ones without
 * a fault.
 *
 *   scripts/fuzz.sh runs it with the others. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "programs/program.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ENVS = 3 };

static void run(const myr_program *p, const myr_program_info *info) {
    void *in[64], *out[64];
    int rows;
    if (info->inputs > 64 || info->outputs > 64 || info->rows > 4096) return;
    for (int i = 0; i < info->inputs; i++) {
        myr_program_get_input(p, i, NULL, &rows);
        double *numbers = in[i] = calloc((size_t)(rows * ENVS), sizeof *numbers);
        for (int k = 0; numbers && k < rows * ENVS; k++) numbers[k] = k % 2;
    }
    for (int o = 0; o < info->outputs; o++) {
        myr_program_get_output(p, o, NULL, &rows);
        out[o] = calloc((size_t)(rows * ENVS), sizeof(double));
    }
    if (myr_program_eval(p, NULL, 4, ENVS, (const void *const *)in, out, MYR_F64)) abort();
    for (int i = 0; i < info->inputs; i++) free(in[i]);
    for (int o = 0; o < info->outputs; o++) free(out[o]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    myr_program *p = NULL, *again = NULL;
    myr_program_info info, other;
    char *text = malloc(size + 1); /* nothing behind it, not even a 0 */
    if (!text) return 0;
    memcpy(text, data, size);
    const myr_status status = myr_program_read(text, size, "fuzz", &p);
    free(text);
    if (status) {
        if (p || !*myr_message()) abort(); /* a refusal says why and leaves nothing */
        return 0;
    }
    char *written = myr_program_text(p);
    if (!written || myr_program_read(written, strlen(written), "again", &again)) abort();
    myr_program_get_info(p, &info), myr_program_get_info(again, &other);
    if (info.hash != other.hash || info.rows != other.rows || info.instructions != other.instructions) abort();
    run(p, &info);
    myr_program_free_text(written), myr_program_free(p), myr_program_free(again);
    return 0;
}

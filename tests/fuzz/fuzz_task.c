/* Fuzzer of the reader of tasks: what is read makes a batch, or is refused by a message; a batch makes control steps without a fault of the
 * program.
 *
 *   scripts/fuzz.sh runs it with the others. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "myriapod/myriapod.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const myr_model *robot(void) {
    static myr_model *model;
    if (!model && myr_model_load("anymal", MYR_ROOT_AUTO, &model)) abort();
    return model;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    myr_task_table *table = NULL;
    myr_batch *batch = NULL;
    char *text = malloc(size + 1); /* nothing behind it, not even a 0 */
    if (!text) return 0;
    memcpy(text, data, size);
    const myr_status status = myr_task_table_read(text, size, "fuzz", &table);
    free(text);
    if (status) {
        if (table || !*myr_message()) abort(); /* a refusal says why and leaves nothing */
        return 0;
    }
    myr_settings settings = myr_settings_default();
    settings.threads = 1;
    const myr_act act = {.steps = 2, .type = MYR_F32};
    if (myr_batch_create_for(robot(), 2, &settings, table, &batch) == MYR_OK) {
        if (myr_batch_act(batch, &act)) abort();
    } else if (batch || !*myr_message())
        abort();
    myr_batch_free(batch);
    myr_task_table_free(table);
    return 0;
}

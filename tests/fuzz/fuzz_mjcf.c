/* Fuzzer of the MJCF reader and of what compiles its models. The last byte of the input chooses whether losses are errors. Files that it
 * names are not there: the label lies in a folder that does not exist.
 *
 *   scripts/fuzz.sh mjcf
 *
 * What it finds goes to tests/fuzz/mjcf/ as bad_* (refused) or good_* (loads). */
#include <stdint.h>

#include "support/model_word.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    myr_model *model = NULL;
    myr_load_options options = myr_load_options_default();
    options.meshes = MYR_MESHES_SKIP;
    options.strict = size && data[size - 1] % 2;
    const myr_status status = myr_model_open_text((const char *)data, size, "/nowhere/at/all/fuzz.xml", &options, &model);
    reader_keeps_its_word(status, model);
    return 0;
}

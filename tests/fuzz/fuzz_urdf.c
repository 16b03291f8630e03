/* Fuzzer of the URDF reader and of what compiles its models. The last byte of the input chooses the root.
 *
 *   scripts/fuzz.sh urdf, or by hand: clang-14 -g -O1 -fsanitize=fuzzer,address,undefined ... tests/fuzz/fuzz_urdf.c libmyriapod.a
 *
 * What it finds goes to tests/fuzz/urdf/ as bad_* (refused) or good_* (loads); tests/formats/test_urdf.c keeps it found. */
#include <stdint.h>

#include "support/model_word.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    myr_model *model = NULL;
    const myr_root root = size ? (myr_root)(data[size - 1] % 3) : MYR_ROOT_AUTO;
    const myr_status status = myr_model_load_text((const char *)data, size, "fuzz.urdf", root, &model);
    reader_keeps_its_word(status, model);
    return 0;
}

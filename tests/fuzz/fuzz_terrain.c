/* Fuzzer of the readers of ground maps. The first byte chooses the format; what is read is saved and read again, and must be the same map.
 * An MJCF, the seventh, is written to a file, as what it includes and names lies beside it.
 *
 *   scripts/fuzz.sh runs it with the others. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "terrain/files.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Saved and read: one hash. Few enough samples that a file is written quickly. */
static void round_trip(const myr_terrain *t) {
    char path[64];
    myr_terrain *again = NULL;
    if ((long)t->nx * t->ny > 4096) return;
    snprintf(path, sizeof path, "/tmp/myriapod_fuzz_%ld.npz", (long)getpid());
    if (myr_terrain_save(t, path) || myr_terrain_read(path, NULL, &again) || again->hash != t->hash) abort();
    myr_terrain_free(again);
    unlink(path);
}

static myr_status from_mjcf(const myr_bytes *file, myr_terrain **out) {
    char path[64], note[MYR_TERRAIN_NOTE];
    snprintf(path, sizeof path, "/tmp/myriapod_fuzz_%ld.xml", (long)getpid());
    FILE *to = fopen(path, "wb");
    if (!to || fwrite(file->at, 1, file->length, to) != file->length || fclose(to)) abort();
    const myr_status status = myr_terrain_from_mjcf(path, note, out);
    unlink(path);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const labels[] = {"fuzz.npz", "fuzz.npy", "fuzz.png", "fuzz.bin", "fuzz.obj", "fuzz.stl", "fuzz.xml"};
    myr_terrain *t = NULL;
    if (!size || size > 1 << 16) return 0;
    unsigned char *bytes = calloc(size, 1); /* a 0 behind it, and nothing behind that */
    if (!bytes) return 0;
    memcpy(bytes, data + 1, size - 1);
    const myr_bytes file = {labels[data[0] % 7], bytes, size - 1};
    myr_terrain_read_options options = myr_terrain_read_options_default();
    options.cell_m = 100, options.high_m = 1; /* large cells: a mesh of few bytes has few samples */
    const myr_status status = data[0] % 7 == 6 ? from_mjcf(&file, &t) : myr_terrain_from_bytes(&file, &options, &t);
    free(bytes);
    if (!status != !!t || (status && !strstr(myr_message(), "fuzz"))) abort();
    if (t) round_trip(t);
    myr_terrain_free(t);
    return 0;
}

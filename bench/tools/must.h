/* What the small programs here share: an error ends them, with the library's message. */
#ifndef MYRIAPOD_BENCH_MUST_H
#define MYRIAPOD_BENCH_MUST_H

#include <myriapod/myriapod.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline void must(myr_status status) {
    if (status == MYR_OK) return;
    fprintf(stderr, "%s\n", myr_message());
    exit(1);
}

static inline void *allocate(size_t count) {
    void *memory = calloc(count ? count : 1, sizeof(double));
    if (!memory) {
        fputs("out of memory\n", stderr);
        exit(1);
    }
    return memory;
}

/* The setting `root` as a model is loaded with it. */
static inline myr_root wanted_root(const myr_settings *settings) {
    return strcmp(settings->root, "fixed") == 0      ? MYR_ROOT_FIXED
           : strcmp(settings->root, "floating") == 0 ? MYR_ROOT_FLOATING
                                                     : MYR_ROOT_AUTO;
}

/* [s]: the setting dt, or where that is 0 what the model says. */
static inline double step_length(const myr_batch *batch) {
    myr_batch_info info;
    myr_batch_get_info(batch, &info);
    return info.dt_s;
}

/* KEY=VALUE: the value, and the word cut to its key. */
static inline const char *cut_word(char *word) {
    char *equals = strchr(word, '=');
    if (!equals) {
        fprintf(stderr, "\"%s\" is not KEY=VALUE\n", word);
        exit(2);
    }
    *equals = 0;
    return equals + 1;
}

#endif

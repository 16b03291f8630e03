/* What a definition may hold: the words of a refusal. */
#ifndef MYR_LEARN_WANT_H
#define MYR_LEARN_WANT_H

#include <string.h>

#include "model/model.h"

/* Returns from the function with what `check` says, unless that is MYR_OK. */
#define WANT(check)                                                                                                                        \
    do {                                                                                                                                   \
        const myr_status status = (check);                                                                                                 \
        if (status != MYR_OK) return status;                                                                                               \
    } while (0)

static inline myr_status myr_want_whole(const char *call, const char *name, int64_t value, int64_t least, int64_t most) {
    if (value >= least && value <= most) return MYR_OK;
    return myr_fail(MYR_E_ARG, "%s: %s is %lld, but must be between %lld and %lld", call, name, (long long)value, (long long)least,
                    (long long)most);
}

static inline myr_status myr_want_isa(const char *call, const char isa[16]) {
    if (memchr(isa, 0, 16)) return MYR_OK;
    return myr_fail(MYR_E_ARG, "%s: isa does not end within 16 bytes", call);
}

#endif

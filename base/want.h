/* What options and definitions may hold: the words of a refusal. */
#ifndef MYR_BASE_WANT_H
#define MYR_BASE_WANT_H

#include <stdint.h>
#include <string.h>

#include "base/message.h"

/* Returns from the function with what `check` says, unless that is MYR_OK. */
#define WANT(check)                                                                                                                        \
    do {                                                                                                                                   \
        const myr_status want_ = (check);                                                                                                  \
        if (want_ != MYR_OK) return want_;                                                                                                 \
    } while (0)

static inline myr_status myr_want_whole(const char *call, const char *name, int64_t value, int64_t least, int64_t most) {
    if (value >= least && value <= most) return MYR_OK;
    return myr_fail(MYR_E_ARG, "%s: %s is %lld, but must be between %lld and %lld", call, name, (long long)value, (long long)least,
                    (long long)most);
}

/* `open`: the least value itself is out. */
static inline myr_status myr_want_real(const char *call, const char *name, double value, double least, int open, double most) {
    if (value <= most && (open ? value > least : value >= least)) return MYR_OK; /* not a number is neither */
    return myr_fail(MYR_E_ARG, "%s: %s is %g, but must be %s %g and at most %g", call, name, value, open ? "above" : "at least", least,
                    most);
}

static inline myr_status myr_want_isa(const char *call, const char isa[16]) {
    if (memchr(isa, 0, 16)) return MYR_OK;
    return myr_fail(MYR_E_ARG, "%s: isa does not end within 16 bytes", call);
}

#endif

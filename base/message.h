/* The words that go with a status. */
#ifndef MYR_BASE_MESSAGE_H
#define MYR_BASE_MESSAGE_H

#include "myriapod/status.h"

/* Set the message of the failing call and return its status: `return myr_fail(MYR_E_ARG, "...", ...)`. */
myr_status myr_fail(myr_status status, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif

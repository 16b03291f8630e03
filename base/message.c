/* Words that go with a status, and the versions. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/message.h"

enum { MYR_MESSAGE_BYTES = 3072 };
static _Thread_local char message[MYR_MESSAGE_BYTES];

/* What a file says is quoted in messages, and messages end on terminals: no escape sequences pass. */
static void disarm(char *text) {
    for (char *c = text; *c; c++)
        if (((unsigned char)*c < 0x20 && *c != '\n' && *c != '\t') || *c == 0x7f) *c = '?';
}

myr_status myr_fail(myr_status status, const char *format, ...) {
    /* An argument may be the last message itself ("while loading X: ..."): write beside it first. */
    char text[MYR_MESSAGE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (length >= (int)sizeof text) snprintf(text + sizeof text - 4, 4, "...");
    disarm(text);
    memcpy(message, text, sizeof message);
    return status;
}

const char *myr_message(void) { return message; }

const char *myr_status_text(myr_status status) {
    switch (status) {
    case MYR_OK: return "ok";
    case MYR_E_ARG: return "wrong argument";
    case MYR_E_MEMORY: return "out of memory";
    case MYR_E_ISA: return "instruction set not available";
    case MYR_E_FILE: return "file cannot be read or written";
    case MYR_E_FORMAT: return "wrong file content";
    case MYR_E_LIMIT: return "limit exceeded";
    case MYR_E_FORK: return "used in another process";
    case MYR_E_STATE: return "call out of order";
    }
    return "unknown status";
}

const char *myr_version(void) { return MYR_VERSION; }

const char *myr_math_version(void) { return "SLEEF " MYR_SLEEF_VERSION; }

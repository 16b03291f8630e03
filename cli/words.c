/* Messages. */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

const char *cli_name = "myriapod";

__attribute__((format(printf, 2, 0))) static void speak(const char *kind, const char *format, va_list arguments) {
    char text[4096];
    vsnprintf(text, sizeof text, format, arguments);
    /* What a file or an argument says is quoted, and messages end on terminals: no escape sequences pass. */
    for (char *c = text; *c; c++) {
        if (iscntrl((unsigned char)*c) && *c != '\n' && *c != '\t') *c = '?';
    }
    fflush(stdout); /* keeps the order of the two streams when both go to one place */
    fprintf(stderr, "%s: %s%s\n", cli_name, kind, text);
}

int cli_error(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    speak("", format, arguments);
    va_end(arguments);
    return CLI_BAD_INPUT;
}

int cli_usage(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    speak("", format, arguments);
    va_end(arguments);
    fprintf(stderr, "Try `%s --help'.\n", cli_name);
    return CLI_BAD_USAGE;
}

void cli_warning(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    speak("warning: ", format, arguments);
    va_end(arguments);
}

int cli_say(cli_text *message, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message->text, sizeof message->text, format, arguments);
    va_end(arguments);
    return -1;
}

void *cli_allocate(size_t count, size_t size) {
    void *memory = calloc(count ? count : 1, size ? size : 1);
    if (!memory) exit(cli_error("out of memory (%zu x %zu bytes)", count, size));
    return memory;
}

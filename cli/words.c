/* Messages, and the word that was meant. */
#include <ctype.h>
#include <stdarg.h>
#include <stdint.h>
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

/* ---- the nearest word ------------------------------------------------------------------------- */

enum { LONGEST = 64, STEP = 2, CASE = 1 }; /* costs in halves of an edit */

static int change(char a, char b) {
    if (a == b) return 0;
    return tolower((unsigned char)a) == tolower((unsigned char)b) ? CASE : STEP;
}

static int smaller(int a, int b) { return a < b ? a : b; }

/* Optimal string alignment distance; words longer than LONGEST are never near. */
static int distance(const char *a, const char *b) {
    int cost[LONGEST + 1][LONGEST + 1];
    const size_t na = strlen(a), nb = strlen(b);
    if (na > LONGEST || nb > LONGEST) return 1000;
    for (size_t i = 0; i <= na; i++) {
        for (size_t j = 0; j <= nb; j++) {
            if (i == 0 || j == 0) {
                cost[i][j] = STEP * (int)(i + j);
                continue;
            }
            int best = smaller(cost[i - 1][j], cost[i][j - 1]) + STEP;
            best = smaller(best, cost[i - 1][j - 1] + change(a[i - 1], b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) best = smaller(best, cost[i - 2][j - 2] + STEP);
            cost[i][j] = best;
        }
    }
    return cost[na][nb];
}

const char *cli_nearest(const char *word, const char *const *words, size_t n) {
    const char *nearest = NULL;
    int best = 1000;
    for (size_t i = 0; i < n; i++) {
        if (!words[i]) continue;
        const int d = distance(word, words[i]);
        if (d < best) best = d, nearest = words[i];
    }
    /* A third of the letters may be wrong, and one always. */
    const int length = (int)strlen(word);
    return best <= STEP * (length / 3 > 1 ? length / 3 : 1) ? nearest : NULL;
}

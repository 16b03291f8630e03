/* Reading and writing JSON: jansson, plus what it leaves out. */
#include "json.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/nearest.h"

static const size_t MOST_BYTES = (size_t)1 << 33;

char *cli_read_file(const char *path, size_t *length, cli_text *message) {
    FILE *file = fopen(path, "rb");
    if (!file) {
        cli_say(message, "cannot read \"%s\": %s", path, strerror(errno));
        return NULL;
    }
    size_t room = 1 << 16, used = 0;
    char *text = malloc(room);
    while (text) {
        used += fread(text + used, 1, room - used - 1, file);
        if (feof(file) || ferror(file)) break;
        if (room >= MOST_BYTES) { /* a device that never ends would take all memory there is */
            cli_say(message, "cannot read \"%s\": it is longer than 8 GiB", path);
            free(text);
            fclose(file);
            return NULL;
        }
        room *= 2;
        char *larger = realloc(text, room);
        if (!larger) free(text);
        text = larger;
    }
    if (!text) {
        cli_say(message, "cannot read \"%s\": it does not fit into memory", path);
    } else if (ferror(file)) {
        cli_say(message, "cannot read \"%s\": %s", path, strerror(errno));
        free(text);
        text = NULL;
    } else {
        text[used] = '\0';
        *length = used;
    }
    fclose(file);
    return text;
}

/* ---- numbers that are not finite --------------------------------------------------------------- */

static int is_number_letter(char c) { return isalnum((unsigned char)c) || c == '+' || c == '-' || c == '.'; }

/* "1e999" and the words Python and C print for what is not finite. word is NUL-terminated. */
static int is_not_finite(const char *word) {
    const char *letters = word + (*word == '-' || *word == '+');
    if (isdigit((unsigned char)*letters)) {
        char *end;
        const double value = strtod(word, &end);
        return *end == '\0' && !isfinite(value);
    }
    static const char *const words[] = {"nan", "inf", "infinity"};
    char low[10];
    size_t n = 0;
    for (; letters[n] && n < sizeof low - 1; n++) low[n] = (char)tolower((unsigned char)letters[n]);
    low[n] = '\0';
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcmp(low, words[i]) == 0) return 1;
    }
    return 0;
}

/* Whole numbers beyond 64 bits are too big for jansson as integers: "e0" makes them reals. */
static int is_long_integer(const char *word) {
    const char *digits = word + (*word == '-');
    size_t n = 0;
    while (isdigit((unsigned char)digits[n])) n++;
    return n > 18 && digits[n] == '\0';
}

/* Copy text, putting every number that is not finite between quotes. The result is at most twice as long. */
static char *quote_not_finite(const char *text, size_t length, size_t *new_length) {
    char *out = malloc(2 * length + 8);
    if (!out) return NULL;
    size_t n = 0;
    int in_string = 0;
    for (size_t i = 0; i < length;) {
        const char c = text[i];
        if (in_string) {
            out[n++] = text[i++];
            if (c == '\\' && i < length) out[n++] = text[i++];
            if (c == '"') in_string = 0;
            continue;
        }
        if (!is_number_letter(c)) {
            in_string = c == '"';
            out[n++] = text[i++];
            continue;
        }
        size_t end = i;
        while (end < length && is_number_letter(text[end])) end++;
        const size_t size = end - i;
        char *word = out + n + 1; /* in place, with room for a quote before it */
        memcpy(word, text + i, size);
        word[size] = '\0';
        if (is_not_finite(word)) {
            out[n] = '"';
            out[n + 1 + size] = '"';
            n += size + 2;
        } else {
            const int lengthen = is_long_integer(word);
            memmove(out + n, word, size);
            n += size;
            if (lengthen) out[n++] = 'e', out[n++] = '0';
        }
        i = end;
    }
    *new_length = n;
    return out;
}

json_t *cli_json_parse_part(const char *text, size_t length, const char *label, int lines_before, cli_text *message) {
    size_t quoted_length = 0;
    char *quoted = quote_not_finite(text, length, &quoted_length);
    if (!quoted) {
        cli_say(message, "\"%s\" does not fit into memory", label);
        return NULL;
    }
    json_error_t error;
    json_t *root = json_loadb(quoted, quoted_length, JSON_REJECT_DUPLICATES | (lines_before < 0 ? 0 : JSON_DECODE_ANY), &error);
    free(quoted);
    const int line = (error.line > 0 ? error.line : 1) + (lines_before > 0 ? lines_before : 0);
    if (!root) cli_say(message, "\"%s\", line %d: %s", label, line, error.text);
    return root;
}

json_t *cli_json_parse(const char *text, size_t length, const char *label, cli_text *message) {
    return cli_json_parse_part(text, length, label, -1, message);
}

int cli_json_number(const json_t *value, double *number) {
    if (!json_is_number(value)) return -1;
    *number = json_number_value(value);
    return isfinite(*number) ? 0 : -1;
}

cli_quote cli_json_quote(const json_t *value) {
    cli_quote quote = {"nothing"};
    char *text = value ? json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT) : NULL;
    if (!text) return quote;
    const size_t length = strlen(text), keep = sizeof quote.text - 4;
    if (length < sizeof quote.text) {
        memcpy(quote.text, text, length + 1);
    } else {
        memcpy(quote.text, text, keep);
        memcpy(quote.text + keep, "...", 4);
    }
    free(text);
    return quote;
}

const char *cli_json_nearest_key(json_t *object, const char *key) {
    const size_t n = json_object_size(object);
    const char **words = cli_allocate(n, sizeof *words);
    size_t i = 0;
    for (void *at = json_object_iter(object); at; at = json_object_iter_next(object, at)) { words[i++] = json_object_iter_key(at); }
    const char *nearest = myr_nearest(key, words, n);
    free(words);
    return nearest;
}

/* ---- writing ----------------------------------------------------------------------------------- */

json_t *cli_json_text(const char *text) {
    json_t *string = json_string(text);
    if (string) return string;
    const size_t length = strlen(text);
    char *ascii = cli_allocate(length + 1, 1);
    for (size_t i = 0; i < length; i++) ascii[i] = (unsigned char)text[i] < 0x80 ? text[i] : '?';
    string = json_string(ascii);
    free(ascii);
    return string;
}

json_t *cli_json_real(double value) { return isfinite(value) ? json_real(value) : json_null(); }

json_t *cli_json_reals(const double *values, size_t n) {
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++) json_array_append_new(list, cli_json_real(values[i]));
    return list;
}

json_t *cli_json_matrix(const double *values, size_t rows, size_t columns) {
    json_t *list = json_array();
    for (size_t i = 0; i < rows; i++) json_array_append_new(list, cli_json_reals(values + i * columns, columns));
    return list;
}

void cli_csv_text(FILE *file, const char *text) {
    fputc('"', file);
    for (const char *c = text; *c; c++) {
        if (*c == '"') fputc('"', file);
        fputc(*c == '\n' || *c == '\r' ? ' ' : *c, file);
    }
    fputc('"', file);
}

void cli_csv_value(FILE *file, const json_t *value) {
    if (json_is_string(value))
        cli_csv_text(file, json_string_value(value));
    else
        fputs(cli_json_quote(value).text, file);
}

/* Reading and writing JSON: jansson, plus what it leaves out (numbers that are not finite, messages with the key). */
#ifndef MYRIAPOD_CLI_JSON_H
#define MYRIAPOD_CLI_JSON_H

#include <stddef.h>
#include <stdio.h>
#include <jansson.h>

#include "cli.h"

/* The whole file, NUL-terminated, owned by the caller; NULL: message says why. */
char *cli_read_file(const char *path, size_t *length, cli_text *message);

/* Parse text; label stands for the file name in messages. Numbers that are not finite (1e999, NaN, Infinity) do not end
 * the reading: they arrive as strings, so that the reader of a number can name the key and quote the word.
 * Unknown keys are ignored. Duplicate keys are errors. NULL: message says why. */
json_t *cli_json_parse(const char *text, size_t length, const char *label, cli_text *message);

/* The same of any value that is a part of a file, after so many of its lines. */
json_t *cli_json_parse_part(const char *text, size_t length, const char *label, int lines_before, cli_text *message);

/* 0 and *value, or -1 if this is not a finite number. */
int cli_json_number(const json_t *value, double *number);

/* A value as short JSON text to quote in a message: long ones are cut with "...". */
typedef struct cli_quote {
    char text[48];
} cli_quote;
cli_quote cli_json_quote(const json_t *value);

/* The key of object most likely meant by `key`, or NULL. The string belongs to the object. */
const char *cli_json_nearest_key(json_t *object, const char *key);

/* A string out; bytes that are not UTF-8 (a file name may hold any) become '?'. */
json_t *cli_json_text(const char *text);

/* Numbers out: what is not finite becomes null (JSON has nothing better), the rest prints with 17 digits. */
json_t *cli_json_real(double value);
json_t *cli_json_reals(const double *values, size_t n);
/* (rows, columns) from row-major memory as a list of lists. */
json_t *cli_json_matrix(const double *values, size_t rows, size_t columns);

/* For CSV: text between quotes, doubled inside; a JSON number as it is, anything else as text. */
void cli_csv_text(FILE *file, const char *text);
void cli_csv_value(FILE *file, const json_t *value);

/* Flags for json_dumpf: one line, or indented. */
#define CLI_JSON_LINE (JSON_COMPACT | JSON_REAL_PRECISION(17))
#define CLI_JSON_PAGE (JSON_INDENT(2) | JSON_REAL_PRECISION(17))

#endif

#define _GNU_SOURCE /* strtod_l */
#include "programs/line.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "model/model.h"

myr_status myr_lines_check(const char *text, size_t length, const char *label) {
    if (length > MYR_PROGRAM_TEXT) return myr_fail(MYR_E_LIMIT, "%s: its text is longer than %d bytes", label, MYR_PROGRAM_TEXT);
    if (memchr(text, 0, length)) return myr_fail(MYR_E_FORMAT, "%s: it is not a text: there is a byte of 0 in it", label);
    return MYR_OK;
}

const char *myr_line_take(myr_line *line, const char *text, const char *end) {
    const char *stop = memchr(text, '\n', (size_t)(end - text)), *next = stop ? stop + 1 : end;
    if (!stop) stop = end;
    const char *comment = memchr(text, '#', (size_t)(stop - text));
    *line = (myr_line){text, comment ? comment : stop};
    if (line->end > text && line->end[-1] == '\r') line->end--;
    return next;
}

void myr_line_blanks(myr_line *line) {
    while (line->at < line->end && isblank((unsigned char)*line->at)) line->at++;
}

size_t myr_line_word(myr_line *line, char word[MYR_LINE_WORD]) {
    myr_line_blanks(line);
    const char *begin = line->at;
    while (line->at < line->end && !isblank((unsigned char)*line->at)) line->at++;
    const size_t length = (size_t)(line->at - begin), kept = length < MYR_LINE_WORD ? length : MYR_LINE_WORD - 1;
    memcpy(word, begin, kept);
    word[kept] = 0;
    return length;
}

int myr_line_is_name(const char *word, size_t length) {
    if (length == 0 || length >= MYR_LINE_WORD || (!isalpha((unsigned char)word[0]) && word[0] != '_')) return 0;
    for (size_t k = 0; k < length; k++)
        if (!isalnum((unsigned char)word[k]) && !strchr("_.[]/-", word[k])) return 0;
    return 1;
}

int myr_line_is_number(const char *word, locale_t plain, double *value) {
    char *end;
    const char *digits = word + (*word == '-' || *word == '+');
    if (!isdigit((unsigned char)*digits) && *digits != '.') return 0;
    if (digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X')) return 0;
    *value = strtod_l(word, &end, plain);
    return end != word && !*end;
}

/* Texts of programs and of tasks, line by line: words between blanks; `#` begins a comment. */
#ifndef MYR_PROGRAMS_LINE_H
#define MYR_PROGRAMS_LINE_H

#include <locale.h>
#include <stddef.h>

#include "myriapod/program.h"

enum { MYR_LINE_WORD = 64 }; /* bytes of a word that is kept, its 0 included */

/* What is left of a line. */
typedef struct myr_line {
    const char *at, *end;
} myr_line;

/* Is it a text, and short enough? Else why not, by its label. */
myr_status myr_lines_check(const char *text, size_t length, const char *label);
/* The line that begins at `text`, without comment and line end; where the next one begins, `end` at the latest. */
const char *myr_line_take(myr_line *line, const char *text, const char *end);
void myr_line_blanks(myr_line *line);
/* The next word and its length; 0: there is none. What is too long is cut, and then no name. */
size_t myr_line_word(myr_line *line, char word[MYR_LINE_WORD]);

/* Letters, digits and _ . - / [ ], not a digit first; length: as `myr_line_word` gave it. */
int myr_line_is_name(const char *word, size_t length);
/* Digits, a point, an exponent; not `nan`, `inf`, nor 0x10. It may be too large, and then infinite. plain: the locale "C". */
int myr_line_is_number(const char *word, locale_t plain, double *value);

#endif

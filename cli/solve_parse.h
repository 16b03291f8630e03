/* Contact problems from JSON text. Prints nothing and never ends the program over its input: a fuzzer calls it. */
#ifndef MYRIAPOD_CLI_SOLVE_PARSE_H
#define MYRIAPOD_CLI_SOLVE_PARSE_H

#include <stddef.h>

#include <jansson.h>
#include <myriapod/myriapod.h>

#include "cli.h"

typedef struct solve_problems {
    size_t n;
    json_t **id;                  /* as in the file; the index where the file gives none */
    myr_contact_problem *problem; /* arrays owned here */
    double *asymmetry;            /* max |G_ij - G_ji| / max |G| of what the file said; G itself is symmetrised */
} solve_problems;

/* Asymmetry [relative] above which a matrix is refused, and below which it is rounding and not worth a word. */
#define SOLVE_ASYMMETRY_LIMIT 1e-3
#define SOLVE_ASYMMETRY_ROUNDING 1e-13

/* Read {"problems": [{"id", "mu": number or list, "G": (3 nc, 3 nc), "c" or "g": (3 nc)}, ..]}; other keys are ignored.
 * label stands for the file in messages. 0; or -1, a message that names the problem by id and the key, and *out empty. */
int solve_parse(const char *text, size_t length, const char *label, solve_problems *out, cli_text *message);
void solve_problems_free(solve_problems *problems);

#endif

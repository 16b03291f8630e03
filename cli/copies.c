/* Timing one contact problem: in every lane of a tile a copy of it. */
#include "copies.h"

#include <stdlib.h>
#include <string.h>

#include "cli.h"

void copies_open(copies *c, const myr_settings *settings, size_t m) {
    *c = (copies){.lanes = strcmp(settings->precision, "f32") == 0 ? 16 : 8}; /* a row of a tile is 64 bytes */
    c->impulse = cli_allocate(16 * m, sizeof(double));
    c->velocity = cli_allocate(16 * m, sizeof(double));
    for (int lane = 0; lane < c->lanes; lane++)
        c->result[lane] = (myr_contact_result){.impulse = c->impulse + (size_t)lane * m, .velocity = c->velocity + (size_t)lane * m};
}

void copies_close(copies *c) {
    free(c->impulse);
    free(c->velocity);
}

myr_status copies_solve(copies *c, const myr_contact_problem *problem, const myr_settings *settings, int repeats,
                        myr_contact_result *result) {
    double best = 0;
    for (int lane = 0; lane < c->lanes; lane++) c->problem[lane] = *problem;
    for (int i = 0; i < repeats; i++) {
        const myr_status status = myr_solve_contacts(c->problem, c->lanes, settings, c->result);
        if (status != MYR_OK) return status;
        if (i == 0 || c->result[0].solve_s < best) best = c->result[0].solve_s;
    }
    *result = c->result[0];
    result->solve_s = best;
    return MYR_OK;
}

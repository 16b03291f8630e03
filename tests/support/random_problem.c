#include "random_problem.h"

#include <stdio.h>
#include <stdlib.h>

enum { BODY = 6, LEG = 3 };

/* D is the unit matrix but for the body's share. */
static void delassus(random_source *source, const random_contacts *how, double *G) {
    const size_t nc = (size_t)how->contacts, m = 3 * nc, columns = BODY + LEG * nc;
    double *J = calloc(m * columns + 1, sizeof *J);
    if (!J) abort();
    for (size_t r = 0; r < m; r++) {
        for (size_t k = 0; k < BODY; k++) J[r * columns + k] = random_uniform(source, -1, 1);
        for (size_t k = 0; k < (how->singular ? LEG - 1 : LEG); k++)
            J[r * columns + BODY + LEG * (r / 3) + k] = random_uniform(source, -1, 1);
    }
    for (size_t r = 0; r < m; r++)
        for (size_t c = 0; c < m; c++)
            for (size_t k = 0; k < columns; k++) G[r * m + c] += (k < BODY ? how->coupling : 1) * J[r * columns + k] * J[c * columns + k];
    free(J);
}

random_problem random_problem_new(random_source *source, const random_contacts *how) {
    const size_t nc = (size_t)how->contacts, m = 3 * nc;
    random_problem p = {.memory = calloc(m * m + 3 * m + nc + nc / 8 + 2, sizeof(double))};
    if (!p.memory) abort();
    double *G = p.memory, *c = G + m * m, *mu = c + m;
    p.result.impulse = mu + nc;
    p.result.velocity = p.result.impulse + m;
    p.result.modes = (char *)(p.result.velocity + m);
    p.result_doubles = 2 * m;
    delassus(source, how, G);
    for (size_t i = 0; i < m; i++) c[i] = random_uniform(source, -1, i % 3 == 2 ? 0.3 : 1);
    for (size_t i = 0; i < nc; i++) {
        mu[i] = random_uniform(source, 0, how->mu_most);
        if (how->frictionless && random_below(source, 4) == 0) mu[i] = 0;
    }
    p.problem = (myr_contact_problem){.contacts = how->contacts, .G = G, .c = c, .mu = mu};
    return p;
}

void random_problem_free(random_problem *p) { free(p->memory); }

myr_settings random_problem_settings(const char *isa, const char *precision, const char *solver, double tolerance) {
    myr_settings s = myr_settings_default();
    char text[32];
    snprintf(text, sizeof text, "%.17g", tolerance);
    const char *const words[][2] = {
        {"isa", isa}, {"precision", precision}, {"solver", solver}, {"tolerance", text}, {"max-sweeps", "5000"}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (myr_settings_set(&s, words[i][0], words[i][1]) != MYR_OK) abort();
    return s;
}

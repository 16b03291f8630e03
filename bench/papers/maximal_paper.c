/* What the figures of Brüdigam 2021 need, from the scalar reference of the tests. reproduce_bruedigam.py reads it.
 *
 *   maximal_paper contacts [rounds=30] [most=100]     Fig. 4: seconds and iterations of 100 steps over the number of contacts
 *   maximal_paper links [rounds=30] [most=100]        Fig. 5: over the number of links
 *   maximal_paper hopper [head=1] [tolerance=1e-6]    Fig. 6: every step
 *   maximal_paper quadruped [seconds=10] [tolerance=1e-6]   Figs. 7, 8
 *
 * The first two take turns over all sizes in each round, up and down, and keep the least time of every single step: a core that is shared
 * is not the same core a minute later. One JSON object to standard output. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../tools/clock.h"
#include "maximal_robots.h"

enum { STEPS = 100, MOST_SIZES = 50 };

static double option(int words, char **word, const char *key, double otherwise) {
    for (int i = 0; i < words; i++) {
        const size_t length = strlen(key);
        if (strncmp(word[i], key, length) == 0 && word[i][length] == '=') otherwise = atof(word[i] + length + 1);
    }
    return otherwise;
}

static maximal *must_open(maximal *m) {
    if (!m) {
        fputs("out of memory\n", stderr);
        exit(1);
    }
    return m;
}

static maximal_end must_step(maximal *m, double tolerance, int at) {
    const maximal_end end = maximal_step(m, tolerance);
    if (!(end.residual < tolerance)) {
        fprintf(stderr, "step %d ends at %g, above the tolerance %g, after %d iterations\n", at, end.residual, tolerance, end.iterations);
        exit(1);
    }
    return end;
}

static void scaling(maximal *(*open)(int), int rounds, int most) {
    static double least[MOST_SIZES][STEPS];
    static int iterations[MOST_SIZES], fill_ins[MOST_SIZES], blocks[MOST_SIZES];
    int sizes = 0, size[MOST_SIZES];
    for (int n = 2; n <= most && sizes < MOST_SIZES; n += 2) size[sizes++] = n;
    for (int round = 0; round < rounds; round++)
        for (int turn = 0; turn < sizes; turn++) {
            const int s = round % 2 ? sizes - 1 - turn : turn;
            maximal *m = must_open(open(size[s]));
            iterations[s] = 0, fill_ins[s] = m->fill_ins, blocks[s] = m->blocks;
            for (int k = 0; k < STEPS; k++) {
                const double begin = thread_seconds();
                iterations[s] += must_step(m, 1e-6, k).iterations;
                const double took = thread_seconds() - begin;
                least[s][k] = round ? fmin(least[s][k], took) : took;
            }
            maximal_close(m);
        }
    printf("{\"steps\": %d, \"rounds\": %d, \"sizes\": [", STEPS, rounds);
    for (int s = 0; s < sizes; s++) {
        double seconds = 0;
        for (int k = 0; k < STEPS; k++) seconds += least[s][k];
        printf("%s{\"size\": %d, \"seconds\": %.9g, \"iterations\": %d, \"fill_ins\": %d, \"blocks\": %d}", s ? ", " : "", size[s], seconds,
               iterations[s], fill_ins[s], blocks[s]);
    }
    puts("]}");
}

static void hopper(double head_mass, double tolerance) {
    const int steps = 1100;
    maximal *m = must_open(paper_hopper(head_mass));
    hopper_control control = {0};
    printf("{\"dt\": %g, \"columns\": [\"t\", \"distance\", \"gap\", \"iterations\", \"leg\", \"x\", \"y\", \"z\", \"qw\", \"qx\", \"qy\", "
           "\"qz\", \"wx\", \"wy\", "
           "\"wz\", \"pole_x\", \"pole_y\", \"pole_z\"], \"rows\": [",
           m->dt);
    for (int k = 1; k <= steps; k++) {
        double leg, rate;
        hopper_drive(m, &control, k);
        const maximal_end end = must_step(m, tolerance, k);
        const maximal_body *head = &m->bodies[0], *pole = &m->bodies[1];
        maximal_coordinate(m, 0, &leg, &rate);
        printf("%s[%.6g, %.9g, %.3g, %d, %.9g", k > 1 ? ", " : "", k * m->dt, m->contacts[0].distance, maximal_gap(m), end.iterations, leg);
        for (int i = 0; i < 3; i++) printf(", %.9g", head->x[i]);
        for (int i = 0; i < 4; i++) printf(", %.12g", head->q[i]);
        for (int i = 0; i < 3; i++) printf(", %.9g", head->w[i]);
        for (int i = 0; i < 3; i++) printf(", %.9g", pole->x[i]);
        printf("]");
    }
    puts("]}");
    maximal_close(m);
}

static void quadruped(double seconds, double tolerance) {
    maximal *m = must_open(paper_quadruped());
    const int steps = (int)(seconds / m->dt + 0.5), tenth = steps / 10 > 0 ? steps / 10 : 1;
    double gap[10] = {0};
    long iterations = 0;
    int most = 0;
    printf("{\"dt\": %g, \"steps\": %d, \"start\": [%.12g, %.12g, %.12g], \"distances\": [", m->dt, steps, m->bodies[0].x[0],
           m->bodies[0].x[1], m->bodies[0].x[2]);
    double(*pictures)[LEGS * LEG_POINTS + 1][3] = calloc((size_t)steps / 50 + 1, sizeof *pictures);
    if (!pictures) must_open(NULL);
    int shots = 0;
    for (int k = 1; k <= steps; k++) {
        quadruped_drive(m, k);
        const maximal_end end = must_step(m, tolerance, k);
        const int part = (k - 1) / tenth < 10 ? (k - 1) / tenth : 9;
        gap[part] = fmax(gap[part], maximal_gap(m));
        iterations += end.iterations, most = end.iterations > most ? end.iterations : most;
        printf("%s[%.9g, %.9g, %.9g, %.9g]", k > 1 ? ", " : "", m->contacts[0].distance, m->contacts[1].distance, m->contacts[2].distance,
               m->contacts[3].distance);
        if (k % 50) continue;
        memcpy(pictures[shots][0], m->bodies[0].x, sizeof pictures[shots][0]);
        for (int leg = 0; leg < LEGS; leg++) quadruped_leg(m, leg, &pictures[shots][1 + LEG_POINTS * leg]);
        shots++;
    }
    printf("], \"end\": [%.12g, %.12g, %.12g], \"iterations_mean\": %.6g, \"iterations_most\": %d, \"gap_by_tenths\": [", m->bodies[0].x[0],
           m->bodies[0].x[1], m->bodies[0].x[2], (double)iterations / steps, most);
    for (int i = 0; i < 10; i++) printf("%s%.3g", i ? ", " : "", gap[i]);
    printf("], \"every\": 50, \"pictures\": [");
    for (int s = 0; s < shots; s++) {
        printf("%s[", s ? ", " : "");
        for (int p = 0; p < LEGS * LEG_POINTS + 1; p++)
            printf("%s[%.6g, %.6g, %.6g]", p ? ", " : "", pictures[s][p][0], pictures[s][p][1], pictures[s][p][2]);
        printf("]");
    }
    puts("]}");
    free(pictures);
    maximal_close(m);
}

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    const int words = argc > 2 ? argc - 2 : 0;
    char **word = argv + 2;
    if (strcmp(what, "contacts") == 0)
        scaling(paper_disc, (int)option(words, word, "rounds", 30), (int)option(words, word, "most", 100));
    else if (strcmp(what, "links") == 0)
        scaling(paper_chain, (int)option(words, word, "rounds", 30), (int)option(words, word, "most", 100));
    else if (strcmp(what, "hopper") == 0)
        hopper(option(words, word, "head", 1), option(words, word, "tolerance", 1e-6));
    else if (strcmp(what, "quadruped") == 0)
        quadruped(option(words, word, "seconds", 10), option(words, word, "tolerance", 1e-6));
    else {
        fputs("maximal_paper contacts|links|hopper|quadruped [KEY=VALUE ...]\n", stderr);
        return 2;
    }
    return 0;
}

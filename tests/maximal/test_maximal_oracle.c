/* may skip: the answers of an independent program lie in ../shared/oracles/maximal, which is not part of this tree
 * The scalar reference of Brüdigam 2021 against every mechanism there: one step (x, q, v, w) and the stored motion (x, q) to the file's
 * tolerance, and impulses of joints and contacts, distances and energy with what follows from it. */
#include <dirent.h>
#include <jansson.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "support/maximal_file.h"

#define TOLERANCE 1e-11 /* of a step; what rounding leaves above it counts as well as long as it is below FLOOR */
#define FLOOR 1e-9

enum { MOST_FILES = 64, MOST_PARTS = 64 };

static char folder[4096];

static double difference(const json_t *truth, size_t count, const double *have) {
    double worst = 0, other = 0, value[6];
    maximal_numbers(truth, count, value);
    for (size_t k = 0; k < count; k++) {
        worst = fmax(worst, fabs(value[k] - have[k]));
        other = fmax(other, fabs(value[k] + have[k]));
    }
    return count == 4 ? fmin(worst, other) : worst; /* q and -q are the same turn */
}

static double state_error(const json_t *truth, const maximal *m, int velocities) {
    double worst = 0;
    for (size_t i = 0; i < (size_t)m->n_bodies; i++) {
        const maximal_body *b = &m->bodies[i];
        worst = fmax(worst, difference(json_array_get(maximal_member(truth, "x"), i), 3, b->x));
        worst = fmax(worst, difference(json_array_get(maximal_member(truth, "q"), i), 4, b->q));
        if (!velocities) continue;
        worst = fmax(worst, difference(json_array_get(maximal_member(truth, "v"), i), 3, b->v));
        worst = fmax(worst, difference(json_array_get(maximal_member(truth, "w"), i), 3, b->w));
    }
    return worst;
}

/* Rows that every program writes alike: the three of an anchor, and a motor's. */
static double joint_impulse_error(const json_t *truth, const maximal *m) {
    double worst = 0;
    for (size_t j = 0; j < (size_t)m->n_joints; j++) {
        const maximal_joint *joint = &m->joints[j];
        const json_t *rows = json_array_get(truth, j);
        const size_t n = json_array_size(rows);
        for (size_t k = 0; k < n; k++) {
            const int anchor = k < 3 && joint->kind != MAXIMAL_PRISMATIC && joint->kind != MAXIMAL_PIN2,
                      motor = joint->driven && k == n - 1;
            if (anchor || motor) worst = fmax(worst, fabs(json_number_value(json_array_get(rows, k)) - joint->impulse[k]));
        }
    }
    return worst;
}

/* Of single contacts impulses are not unique: their sum and its moment about the origin of the world are. */
static double contact_impulse_error(const json_t *truth, const maximal *m, const maximal_body *before) {
    double sum[6] = {0}, worst = 0;
    for (size_t c = 0; c < (size_t)m->n_contacts; c++) {
        const maximal_contact *contact = &m->contacts[c];
        const maximal_body *b = &before[contact->body];
        const double *q = b->q, *p = contact->p;
        const double t[3] = {2 * (q[2] * p[2] - q[3] * p[1]), 2 * (q[3] * p[0] - q[1] * p[2]), 2 * (q[1] * p[1] - q[2] * p[0])};
        const double at[3] = {b->x[0] + p[0] + q[0] * t[0] + q[2] * t[2] - q[3] * t[1],
                              b->x[1] + p[1] + q[0] * t[1] + q[3] * t[0] - q[1] * t[2],
                              b->x[2] + p[2] + q[0] * t[2] + q[1] * t[1] - q[2] * t[0] - contact->radius};
        double off[3];
        maximal_numbers(json_array_get(truth, c), 3, off);
        for (int k = 0; k < 3; k++) off[k] -= contact->impulse[k];
        for (int k = 0; k < 3; k++) {
            const int a = (k + 1) % 3, z = (k + 2) % 3;
            sum[k] += off[k], sum[3 + k] += at[a] * off[z] - at[z] * off[a];
        }
    }
    for (int k = 0; k < 6; k++) worst = fmax(worst, fabs(sum[k]));
    return worst;
}

static double at_step(const json_t *tolerance, int step) {
    const json_t *list = maximal_member(tolerance, "at_step");
    for (size_t k = 0; k < json_array_size(list); k++) {
        const json_t *pair = json_array_get(list, k);
        if (json_integer_value(json_array_get(pair, 0)) >= step) return json_number_value(json_array_get(pair, 1));
    }
    fail_msg("no tolerance at step %d", step);
    return 0;
}

static void expect_below(const char *name, const char *what, int step, double error, double allowed) {
    if (!(error <= allowed)) fail_msg("%s: %s at step %d is off by %.3g, allowed %.3g", name, what, step, error, allowed);
}

static void compare(const char *name) {
    char path[4096 + 512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    json_error_t error;
    json_t *oracle = json_load_file(path, 0, &error);
    if (!oracle) fail_msg("%s: %s", path, error.text);
    maximal *m = maximal_file_open(oracle);
    const json_t *tolerance = maximal_member(oracle, "tolerance"), *stored = maximal_member(oracle, "after_10_steps_each");
    const double one_step = maximal_number(tolerance, "one_step", 0);
    double mass = 0, residual = 0, first = 0, used = 0, last = 0;
    int iterations = 0, at = 0;
    for (int i = 0; i < m->n_bodies; i++) mass += m->bodies[i].mass;
    expect_below(name, "energy", 0, fabs(maximal_energy(m) - json_number_value(json_array_get(maximal_member(oracle, "energy"), 0))), 1e-9);
    maximal_body before[MOST_PARTS];
    memcpy(before, m->bodies, (size_t)m->n_bodies * sizeof *before);
    for (size_t k = 0; k < json_array_size(stored); k++) {
        const json_t *truth = json_array_get(stored, k);
        const int until = (int)json_integer_value(maximal_member(truth, "step"));
        for (; at < until; at++) {
            const maximal_end end = maximal_step(m, TOLERANCE);
            iterations += end.iterations, residual = fmax(residual, end.residual);
            expect_below(name, "residual", at + 1, end.residual, FLOOR);
            expect_below(name, "joint gap", at + 1, maximal_gap(m), 1e-11);
            const json_t *distances = json_array_get(maximal_member(oracle, "signed_distance"), (size_t)at);
            for (size_t c = 0; c < (size_t)m->n_contacts; c++)
                expect_below(name, "distance", at + 1, fabs(json_number_value(json_array_get(distances, c)) - m->contacts[c].distance),
                             4 * at_step(tolerance, at + 1)); /* x, and the rotation of a lever, are off as much each */
            if (at > 0) continue;
            first = state_error(maximal_member(oracle, "after_1"), m, 1);
            expect_below(name, "state", 1, first, one_step);
            expect_below(name, "joint impulse", 1, joint_impulse_error(maximal_member(oracle, "joint_impulses_1"), m), one_step * mass);
            if (m->n_contacts)
                expect_below(name, "contact impulse", 1,
                             contact_impulse_error(json_array_get(maximal_member(oracle, "contact_impulses"), 0), m, before),
                             one_step * mass);
        }
        last = state_error(truth, m, 0);
        used = fmax(used, last / at_step(tolerance, at));
        expect_below(name, "position", at, last, at_step(tolerance, at));
    }
    print_message("%-34s one step %.1e of %.1e, step %d %.1e of %.1e (largest share %.2g), residual %.1e, %.1f iterations, %d fill-ins\n",
                  name, first, one_step, at, last, at_step(tolerance, at), used, residual, iterations / (double)at, m->fill_ins);
    maximal_close(m);
    json_decref(oracle);
}

static int by_name(const void *a, const void *b) { return strcmp(a, b); }

static void every_mechanism_agrees(void **state) {
    (void)state;
    static char names[MOST_FILES][256];
    size_t count = 0;
    DIR *directory = opendir(folder);
    assert_non_null(directory);
    for (struct dirent *entry; (entry = readdir(directory));) {
        const char *end = strrchr(entry->d_name, '.');
        if (!end || strcmp(end, ".json") != 0) continue;
        assert_true(count < MOST_FILES);
        snprintf(names[count++], sizeof *names, "%s", entry->d_name);
    }
    closedir(directory);
    assert_true(count > 0);
    qsort(names, count, sizeof *names, by_name);
    for (size_t k = 0; k < count; k++) compare(names[k]);
}

int main(void) {
    const char *source = getenv("MYRIAPOD_SOURCE");
    snprintf(folder, sizeof folder, "%s/../shared/oracles/maximal", source ? source : ".");
    DIR *there = opendir(folder);
    if (!there) {
        printf("not here: %s\n", folder);
        return 77;
    }
    closedir(there);
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_mechanism_agrees)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

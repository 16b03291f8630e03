/* may skip: truth that none of the project's code computed lies in ../shared/oracles/worlds, which is not part of this tree
 * Pairs of geoms in lanes against pairs.json there: 1500 poses of 15 kinds of pairs (those with a triangle are left out), on every
 * instruction set. By the check that needs no unique normal: the distance along the lane's normal is the largest there is. With
 * MYRIAPOD_PAIRS_TABLE set it prints the worst of each kind. */
#include <jansson.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "kernels/kernels.h"
#include "pair_lanes/pair_lanes.h"
#include "reference/rigid_body.h"

enum { KINDS = 15, GROUPS = 3 };
static const char *const group_names[GROUPS] = {"apart", "shallow", "deep"};

typedef struct kind_record {
    char name[32];
    double worst[GROUPS], gap[GROUPS]; /* of the normal; of the least gap */
    int cases[GROUPS], exact[GROUPS];  /* exact: to the tolerance */
    double deeper;                     /* shallow: the largest overlap in terms of the true one, of those that are not exact */
    int within;                        /* deep: not more than 1.5 times as deep */
} kind_record;

static void numbers(const json_t *from, double *to, size_t n) {
    for (size_t k = 0; k < n; k++) to[k] = json_number_value(json_array_get(from, k));
}

static pair_shape shape_of(const json_t *of, const json_t *hulls) {
    static const char *const names[] = {[MYR_GEOM_SPHERE] = "sphere",
                                        [MYR_GEOM_BOX] = "box",
                                        [MYR_GEOM_CAPSULE] = "capsule",
                                        [MYR_GEOM_CYLINDER] = "cylinder",
                                        [MYR_GEOM_HULL] = "hull"};
    const char *name = json_string_value(json_object_get(of, "type"));
    const json_t *size = json_object_get(of, "size");
    pair_shape s = {.geom.type = MYR_GEOM_SPHERE};
    double q[4];
    while (strcmp(names[s.geom.type], name) != 0) s.geom.type++;
    numbers(json_object_get(of, "pos"), s.position, 3);
    numbers(json_object_get(of, "quat"), q, 4);
    reference_quaternion_rotation(q, s.rotation);
    if (s.geom.type != MYR_GEOM_HULL) {
        numbers(size, s.geom.size, json_array_size(size));
        return s;
    }
    const json_t *points = json_object_get(hulls, json_string_value(size));
    double x[3 * 64];
    const size_t n = json_array_size(points);
    for (size_t i = 0; i < n; i++) numbers(json_array_get(points, i), x + 3 * i, 3);
    pair_hull(&s, x, (int)n);
    return s;
}

static void release(pair_shape *s) {
    free(s->geom.points);
    myr_release(s->geom.faces);
}

static void judge(const pair_unit *unit, const json_t *c, const json_t *hulls, kind_record *record, double tolerance) {
    pair_shape a = shape_of(json_object_get(c, "a"), hulls), b = shape_of(json_object_get(c, "b"), hulls);
    const double distance = json_number_value(json_object_get(c, "distance"));
    double poses[2][PAIR_POSE], length = 0, n[3];
    const pair_shape *shapes[2] = {&a, &b};
    pair_answer answer;
    if (!pair_slots_of(a.geom.type, b.geom.type)) fail_msg("%s: the wrong way round", record->name);
    for (int s = 0; s < 2; s++) memcpy(poses[s], shapes[s]->position, 24), memcpy(poses[s] + 3, shapes[s]->rotation, 72);
    unit->meet(&a, &b, poses[0], poses[1], 1, 10, &answer);
    for (int k = 0; k < 3; k++) length += answer.normal[k] * answer.normal[k];
    for (int k = 0; k < 3; k++) n[k] = answer.normal[k] / sqrt(length);
    const double apart = pair_apart(&a, &b, n), off = fabs(apart - distance);
    const int group = distance > 0 ? 0 : distance > -3.5e-3 ? 1 : 2;
    double least = INFINITY;
    for (int k = 0; k < answer.slots; k++)
        if (answer.gap[k] != 1) least = fmin(least, answer.gap[k]);
    if (off > tolerance && getenv("MYRIAPOD_PAIRS_CASES"))
        printf("%s %s %s: case %lld %s: distance %.9g, along the normal %.9g, least gap %.9g\n", unit->isa, unit->precision, record->name,
               json_integer_value(json_object_get(c, "id")), json_string_value(json_object_get(c, "group")), distance, apart, least);
    record->cases[group]++;
    record->worst[group] = fmax(record->worst[group], off);
    record->gap[group] = fmax(record->gap[group], fabs(least - distance));
    record->exact[group] += off <= tolerance;
    if (group == 1 && off > tolerance) record->deeper = fmax(record->deeper, apart / distance);
    if (apart > distance + 1e-9) fail_msg("%s: better than the best: %.12g, not %.12g", record->name, apart, distance);
    record->within += group == 2 && -apart <= -1.5 * distance;
    release(&a), release(&b);
}

/* Two are judged by what they promise: boxes prefer faces by a thousandth of their size and know no distance, and a capsule
 * whose axis is in a box leaves through a face. */
static void check_record(const pair_unit *unit, const kind_record *r) {
    const int doubles = unit->precision[1] == '6', boxes = strcmp(r->name, "box-box") == 0, in_box = strcmp(r->name, "capsule-box") == 0;
    const int closed =
        in_box || strcmp(r->name, "capsule-capsule") == 0 || (strncmp(r->name, "sphere-", 7) == 0 && !strstr(r->name, "hull"));
    const double tolerance = closed ? doubles ? 1e-12 : 2e-6 : doubles ? 1e-9 : 5e-6;
    if (!boxes && !(r->worst[0] <= tolerance && r->gap[0] <= tolerance))
        fail_msg("%s %s, %s apart: off by %g, the gap by %g", unit->isa, unit->precision, r->name, r->worst[0], r->gap[0]);
    if (closed && !(r->worst[1] <= tolerance && (in_box || r->worst[2] <= tolerance)))
        fail_msg("%s %s, %s: off by %g, deep %g", unit->isa, unit->precision, r->name, r->worst[1], r->worst[2]);
    /* an overlap of corners has several least ones: where it is not the least of all it is the next */
    if (!(r->exact[1] >= 0.8 * r->cases[1] && r->deeper <= 1.2) && !boxes)
        fail_msg("%s %s, %s shallow: %d of %d exact, up to %g times as deep", unit->isa, unit->precision, r->name, r->exact[1], r->cases[1],
                 r->deeper);
    if (!(r->within >= 0.95 * r->cases[2]))
        fail_msg("%s %s, %s deep: %d of %d within 1.5", unit->isa, unit->precision, r->name, r->within, r->cases[2]);
}

static void print_records(const pair_unit *unit, const kind_record *records, int n) {
    printf("%s %s\n", unit->isa, unit->precision);
    for (int i = 0; i < n; i++) {
        const kind_record *r = &records[i];
        printf("  %-18s", r->name);
        for (int g = 0; g < GROUPS; g++) printf("  %s %8.1e (gap %8.1e, %d)", group_names[g], r->worst[g], r->gap[g], r->cases[g]);
        printf("  shallow exact %d, others up to %.3f; %d of %d\n", r->exact[1], r->deeper, r->within, r->cases[2]);
    }
}

static void pairs(void **state) {
    char path[4096];
    const char *shared = getenv("MYRIAPOD_SHARED"), *source = getenv("MYRIAPOD_SOURCE");
    (void)state;
    snprintf(path, sizeof path, "%s%s/oracles/worlds/pairs.json", shared ? shared : source ? source : ".", shared ? "" : "/../shared");
    json_t *file = json_load_file(path, 0, NULL);
    if (!file) {
        fprintf(stderr, "%s is not there\n", path);
        exit(77);
    }
    const json_t *cases = json_object_get(file, "cases"), *hulls = json_object_get(file, "hulls");
    const pair_unit *unit;
    for (int u = 0; (unit = pair_unit_at(u)); u++) {
        kind_record records[KINDS];
        int n = 0;
        if (!myr_isa_present(unit->isa)) continue;
        memset(records, 0, sizeof records);
        for (size_t i = 0; i < json_array_size(cases); i++) {
            const json_t *c = json_array_get(cases, i);
            const char *name = json_string_value(json_object_get(c, "pair"));
            if (strstr(name, "triangle")) continue;
            if (!n || strcmp(records[n - 1].name, name) != 0) snprintf(records[n++].name, sizeof records[0].name, "%s", name);
            judge(unit, c, hulls, &records[n - 1], unit->precision[1] == '6' ? 1e-9 : 5e-6);
        }
        assert_int_equal(n, KINDS);
        if (getenv("MYRIAPOD_PAIRS_TABLE")) print_records(unit, records, n);
        for (int k = 0; k < n; k++) check_record(unit, &records[k]);
    }
    json_decref(file);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(pairs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* What a pair of geoms costs, by pair and by how near the two are: ns per lane of the narrow phase alone.
 *
 *   pair_cost [repeats=2000] [unit=avx512_f32]
 *
 * Four sets of random poses: apart by a fifth of their size; near, within 1 mm; overlapping by up to 2 mm; and lying face on face, as
 * things at rest do. Shapes of 0.1 to 0.2 m, the hull of 26 corners. The fastest of five passes. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/kernels.h"
#include "tests/pair_lanes/pair_lanes.h"

enum { SETS = 16, POSES = SETS * PAIR_LANES };
static const char *const set_names[] = {"apart", "near", "overlap", "lying"};
static const char *const names[] = {[MYR_GEOM_SPHERE] = "sphere",
                                    [MYR_GEOM_BOX] = "box",
                                    [MYR_GEOM_CAPSULE] = "capsule",
                                    [MYR_GEOM_CYLINDER] = "cylinder",
                                    [MYR_GEOM_HULL] = "hull"};

static uint64_t state = 7;
static double uniform(void) {
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(state >> 11) / 9007199254740992.0;
}

static void turn(double R[9]) {
    double q[4], length = 0;
    for (int k = 0; k < 4; k++) q[k] = uniform() + uniform() + uniform() - 1.5, length += q[k] * q[k];
    for (int k = 0; k < 4; k++) q[k] /= sqrt(length);
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    const double to[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                          2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                          2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
    memcpy(R, to, sizeof to);
}

static pair_shape shape(myr_geom_type type) {
    static const double sizes[][3] = {
        [MYR_GEOM_SPHERE] = {0.1}, [MYR_GEOM_BOX] = {0.15, 0.1, 0.08}, [MYR_GEOM_CAPSULE] = {0.08, 0.1}, [MYR_GEOM_CYLINDER] = {0.1, 0.12}};
    pair_shape s = {.geom.type = type};
    if (type != MYR_GEOM_HULL) {
        memcpy(s.geom.size, sizes[type], sizeof s.geom.size);
        return s;
    }
    double x[3 * 26];
    int n = 0;
    for (int i = 0; i < 8; i++) /* a sole of eight corners, rings that close above it */
        for (int ring = 0; ring < 3; ring++, n++) {
            const double r = 0.12 - 0.03 * ring * ring / 2, angle = (i + 0.5 * ring) * M_PI / 4;
            x[3 * n] = 1.3 * r * cos(angle), x[3 * n + 1] = r * sin(angle), x[3 * n + 2] = -0.08 + 0.06 * ring;
        }
    pair_hull(&s, x, n);
    return s;
}

/* b at the origin; a where a search along a random way has it at the distance that the set wants. */
static void place(pair_shape *a, pair_shape *b, const pair_unit *unit, int set, double *pose_a, double *pose_b) {
    double way[3], low = 0, high = 2, wanted = set == 0 ? 0.04 : set == 1 ? 1e-3 * uniform() : set == 2 ? -2e-3 * uniform() : -1e-6;
    const double level[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, yaw = 6 * uniform(),
                 lies[9] = {cos(yaw), -sin(yaw), 0, sin(yaw), cos(yaw), 0, 0, 0, 1}, rod[9] = {0, 0, 1, 0, 1, 0, -1, 0, 0};
    do
        for (int k = 0; k < 3; k++) way[k] = 2 * uniform() - 1;
    while (fabs(way[0]) + fabs(way[1]) + fabs(way[2]) < 0.3);
    turn(a->rotation), turn(b->rotation);
    if (set == 3) {
        memcpy(b->rotation, level, sizeof level), memcpy(a->rotation, a->geom.type == MYR_GEOM_CAPSULE ? rod : lies, sizeof lies);
        way[0] = way[1] = 0, way[2] = 1;
    }
    for (int step = 0; step < 60; step++) {
        const double t = 0.5 * (low + high);
        pair_answer answer;
        for (int k = 0; k < 3; k++) a->position[k] = t * way[k] + (set == 3 && k < 2 ? 0.01 * uniform() : 0);
        memcpy(pose_a, a->position, 24), memcpy(pose_a + 3, a->rotation, 72);
        memset(pose_b, 0, 24), memcpy(pose_b + 3, b->rotation, 72);
        unit->meet(a, b, pose_a, pose_b, 1, 10, &answer);
        *(pair_apart(a, b, answer.normal) < wanted ? &low : &high) = t;
    }
}

int main(int argc, char **argv) {
    int repeats = 2000;
    const char *only = "";
    for (int i = 1; i < argc; i++) {
        if (strncmp(argv[i], "repeats=", 8) == 0) repeats = atoi(argv[i] + 8);
        if (strncmp(argv[i], "unit=", 5) == 0) only = argv[i] + 5;
    }
    static double poses[2][4][PAIR_POSE * POSES];
    static const struct {
        myr_geom_type a, b;
    } pairs[] = {
#define MYR_PAIR(a, b, function, slots) {MYR_GEOM_##a, MYR_GEOM_##b},
#include "model/pairs.def"
#undef MYR_PAIR
    };
    const pair_unit *exact = pair_unit_at(0), *unit;
    for (int u = 0; (unit = pair_unit_at(u)); u++)
        if (myr_isa_present(unit->isa) && unit->precision[1] == '6') exact = unit;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        pair_shape a = shape(pairs[i].a), b = shape(pairs[i].b);
        state = 7;
        for (int set = 0; set < 4; set++)
            for (int p = 0; p < POSES; p++) place(&a, &b, exact, set, poses[0][set] + PAIR_POSE * p, poses[1][set] + PAIR_POSE * p);
        for (int u = 0; (unit = pair_unit_at(u)); u++) {
            char name[32];
            snprintf(name, sizeof name, "%s_%s", unit->isa, unit->precision);
            if (!myr_isa_present(unit->isa) || (*only && strcmp(only, name) != 0)) continue;
            printf("%-8s %-8s %-13s", names[pairs[i].a], names[pairs[i].b], name);
            for (int set = 0; set < 4; set++) {
                double best = 1e9;
                for (int pass = 0; pass < 5; pass++)
                    best = fmin(best, unit->time(&a, &b, poses[0][set], poses[1][set], SETS, 0, repeats / 5 + 1) / (repeats / 5 + 1));
                printf("  %s %7.1f", set_names[set], 1e9 * best / (SETS * unit->lanes));
            }
            printf("  ns per lane\n");
        }
    }
    return 0;
}

/* ctest: heavy law
 * What ends a pair before a look at it (bounds.lane.h): never one that a look finds within reach, on any instruction set, in both
 * precisions, of random and of parallel poses; and most of those that are farther apart. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "kernels/kernels.h"
#include "pair_lanes/pair_lanes.h"
#include "support/random_model.h"
#include "reference/rigid_body.h"

enum { ROUNDS = 12000 };
static const myr_geom_type types[] = {MYR_GEOM_SPHERE, MYR_GEOM_CAPSULE, MYR_GEOM_BOX, MYR_GEOM_CYLINDER, MYR_GEOM_HULL};

/* Long, flat and round ones; hulls are off their middle, too. */
static pair_shape random_shape(random_source *source, myr_geom_type type) {
    pair_shape s = {.geom.type = type};
    double half[3], x[3 * 14];
    for (int k = 0; k < 3; k++) half[k] = exp(random_uniform(source, log(0.01), log(0.3)));
    if (type != MYR_GEOM_HULL) {
        memcpy(s.geom.size, half, sizeof half);
        return s;
    }
    for (int i = 0; i < 14; i++) {
        double length = 0;
        for (int k = 0; k < 3; k++) x[3 * i + k] = random_uniform(source, -1, 1), length += x[3 * i + k] * x[3 * i + k];
        for (int k = 0; k < 3; k++) x[3 * i + k] = half[k] * (x[3 * i + k] / sqrt(length) + 0.5);
    }
    pair_hull(&s, x, 14);
    return s;
}

/* Half of them along the axes, some exactly; about where the balls around the two meet. */
static void random_pose(random_source *source, double size, double pose[PAIR_POSE]) {
    double q[4];
    const int flat = random_uniform(source, 0, 1) < 0.5;
    random_quaternion(source, q);
    if (flat) {
        const double tilt = random_uniform(source, 0, 1) < 0.5 ? 0 : 1e-5;
        const int k = (int)random_uniform(source, 0, 4);
        for (int i = 0; i < 4; i++) q[i] = (i == k || i == 0 ? 1 : 0) + tilt * q[i];
        const double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
        for (int i = 0; i < 4; i++) q[i] /= length;
    }
    for (int k = 0; k < 3; k++) pose[k] = random_uniform(source, -size, size);
    reference_quaternion_rotation(q, pose + 3);
}

static double size_of(const pair_shape *s) {
    double most = 0;
    for (int k = 0; k < 3; k++) most = fmax(most, s->geom.size[k]);
    for (int i = 0; i < 3 * s->geom.n_points; i++) most = fmax(most, fabs(s->geom.points[i]));
    return most;
}

static void of_unit(const pair_unit *unit) {
    long ended = 0, apart = 0;
    for (int pair = 0; pair < 25; pair++) {
        random_source source = {(uint64_t)pair + 3};
        if (!pair_slots_of(types[pair / 5], types[pair % 5])) continue;
        for (int round = 0; round < ROUNDS / unit->lanes; round++) {
            pair_shape a = random_shape(&source, types[pair / 5]), b = random_shape(&source, types[pair % 5]);
            const double size = 0.7 * (size_of(&a) + size_of(&b)), reach = round % 2 ? 0 : 0.01;
            double poses[2][PAIR_LANES * PAIR_POSE], gap[PAIR_LANES];
            int ends[PAIR_LANES];
            for (int lane = 0; lane < unit->lanes; lane++)
                for (int s = 0; s < 2; s++) random_pose(&source, size, poses[s] + PAIR_POSE * lane);
            unit->bounds(&a, &b, poses[0], poses[1], unit->lanes, reach, ends, gap);
            for (int lane = 0; lane < unit->lanes; lane++) {
                if (ends[lane] && !(gap[lane] > reach))
                    fail_msg("%s %s, types %d and %d: ended, but a look finds %g", unit->isa, unit->precision, (int)types[pair / 5],
                             (int)types[pair % 5], gap[lane]);
                ended += ends[lane], apart += gap[lane] > reach;
            }
            free(a.geom.points), free(b.geom.points);
            myr_release(a.geom.faces), myr_release(b.geom.faces);
        }
    }
    print_message("%s %s: %ld of %ld that are apart end\n", unit->isa, unit->precision, ended, apart);
    assert_true(apart > 5000 && ended > 0.9 * (double)apart);
}

static void no_contact_is_lost(void **state) {
    const pair_unit *unit;
    (void)state;
    for (int u = 0; (unit = pair_unit_at(u)); u++)
        if (myr_isa_present(unit->isa)) of_unit(unit);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_contact_is_lost)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

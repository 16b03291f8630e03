/* ctest: slow
 * Passive robots thrown to the ground with steps of 20 ms, as Hwangbo 2018 says of its unactuated tasks. No robot is quarantined in 10 s.
 * No robot ever has more mechanical energy than the throw gave it plus a twentieth of what falling from 1 m is worth. With joint damping
 * and without any. Undamped legs whip after the impact, and their Coriolis forces are explicit: dynamics/spin_damping.lane.h keeps them
 * stable. Without it some robots must blow up, or this test would not see what it is for. */
#include <math.h>
#include <stdlib.h>

#include "support/batch_scene.h"
#include "reference/rigid_body.h"

enum { ROBOTS = 128, STEPS = 500, EVERY = 5 };

static double energy(const myr_batch *batch, int64_t env, reference_state *state) {
    double q[19], v[18];
    const double zero[18] = {0}, gravity[3] = {0, 0, -9.81};
    MUST(myr_batch_get(batch, MYR_Q, &env, 1, MYR_F64, q));
    MUST(myr_batch_get(batch, MYR_V, &env, 1, MYR_F64, v));
    reference_compute(state, q, v, zero, gravity);
    return state->kinetic + state->potential;
}

static void throw_robots(const char *task, double damping, const char *spin_damping) {
    const myr_settings settings = scene_settings("joint-limits", "off", "precision", "f64", "task", task, "threads", "1", "dt", "0.02",
                                                 "tolerance", "1e-6", "max-sweeps", "1000", "spin-damping", spin_damping, NULL);
    myr_model *model = NULL;
    myr_batch *batch = NULL;
    reference_state state;
    double start[ROBOTS], most[ROBOTS];
    MUST(myr_model_load("anymal", MYR_ROOT_AUTO, &model));
    assert_true(reference_init(&state, model));
    MUST(myr_batch_create(model, ROBOTS, &settings, &batch));
    double joints[ROBOTS][18] = {{0}};
    for (int env = 0; env < ROBOTS; env++)
        for (int k = 6; k < 18; k++) joints[env][k] = damping;
    MUST(myr_batch_set(batch, MYR_DAMPING, NULL, ROBOTS, MYR_F64, joints));
    for (int64_t env = 0; env < ROBOTS; env++) {
        start[env] = energy(batch, env, &state);
        most[env] = -INFINITY;
    }
    for (int step = 0; step < STEPS; step += EVERY) {
        MUST(myr_batch_step(batch, EVERY));
        for (int64_t env = 0; env < ROBOTS; env++) most[env] = fmax(most[env], energy(batch, env, &state) - start[env]);
    }
    int wild = 0;
    double largest = -INFINITY;
    for (int env = 0; env < ROBOTS; env++) {
        wild += !(most[env] <= model->mass * 9.81 * 1.0 / 20);
        largest = fmax(largest, most[env]);
    }
    myr_stats stats;
    myr_batch_stats(batch, &stats);
    print_message("%s, joint damping %g N m s/rad, spin-damping %s: %d of %d robots gained energy, the wildest %.3g J above its start; "
                  "%lld quarantined; "
                  "%lld of %lld not converged\n",
                  task, damping, spin_damping, wild, ROBOTS, largest, (long long)stats.quarantined, (long long)stats.not_converged,
                  (long long)stats.active_steps);
    if (atof(spin_damping) > 0) {
        assert_int_equal(stats.quarantined, 0);
        assert_int_equal(wild, 0);
    } else {
        assert_true(stats.quarantined > 0 && stats.quarantined <= wild);
    }
    assert_true(stats.active_steps > ROBOTS * STEPS / 2);
    myr_batch_free(batch);
    reference_free(&state);
    myr_model_free(model);
}

static void robots_stay_calm(void **state) {
    (void)state;
    throw_robots("hang", 0, "0.5");
    throw_robots("drop", 0, "0.5");
    throw_robots("hang", 0.2, "0.5");
    throw_robots("drop", 0.2, "0.5");
}

static void explicit_ones_do_not(void **state) {
    (void)state;
    throw_robots("hang", 0, "0");
    throw_robots("drop", 0, "0");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(robots_stay_calm), cmocka_unit_test(explicit_ones_do_not)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

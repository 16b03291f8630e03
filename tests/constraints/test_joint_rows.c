/* ctest: law lanes
 * Joint limits and dry friction in the step: closed forms of one joint, robots whose limits all act at once, beside contacts, packed and
 * not, and the promises. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/joint_scene.h"
#include "kernels/kernels.h"

static void it_lands_on_its_limit_and_rests(void **state) {
    (void)state;
    myr_model *model = joint_slider(2, -0.5, 1, 0);
    for (int dt = 1; dt <= 5; dt += 4) {
        char step[16];
        snprintf(step, sizeof step, "%de-3", dt);
        const myr_settings settings = scene_settings("precision", "f64", "tolerance", "1e-12", "dt", step, NULL);
        myr_batch *batch = NULL;
        myr_stats stats;
        MUST(myr_batch_create(model, 3, &settings, &batch));
        double q = 0, v = 0;
        int landed = 0;
        for (int k = 1; k <= 2000; k++) { /* in the step that would pass the limit it comes to lie on it */
            v -= 9.81e-3 * dt;
            if (landed || q + 1e-3 * dt * v < -0.5) v = landed ? 0 : (-0.5 - q) / (1e-3 * dt), landed = 1;
            q += 1e-3 * dt * v;
            MUST(myr_batch_step(batch, 1));
            if (!(fabs(see(batch, MYR_Q, 1, 0) - q) < 1e-9))
                fail_msg("dt %d ms, step %d: %.12g, not %.12g", dt, k, see(batch, MYR_Q, 1, 0), q);
        }
        assert_true(fabs(see(batch, MYR_ROW_IMPULSE, 2, 0) - 9.81e-3 * dt) < 1e-9 && see(batch, MYR_V, 0, 0) < 1e-9);
        myr_batch_stats(batch, &stats);
        assert_true(stats.limit_violation_max >= 0 && stats.limit_violation_max < 1e-9 && stats.not_converged == 0);
        myr_batch_free(batch);
    }
    myr_model_free(model);
}

/* Beyond its limit it comes back by a fifth of the way in each step, or stays where the correction is 0. */
static void it_comes_back_from_beyond(void **state) {
    (void)state;
    static const char *const corrections[] = {"0.2", "0", "1"};
    myr_model *model = joint_slider(0, -0.5, 0.25, 0);
    for (int c = 0; c < 3; c++) {
        const myr_settings settings = scene_settings("precision", "f64", "tolerance", "1e-12", "limit-correction", corrections[c], NULL);
        const double start = 0.2504, far = 0.75, part = atof(corrections[c]);
        myr_batch *batch = NULL;
        MUST(myr_batch_create(model, 1, &settings, &batch));
        MUST(myr_batch_set(batch, MYR_Q, NULL, 1, MYR_F64, &start));
        double left = 4e-4;
        for (int k = 0; k < 20; k++) {
            MUST(myr_batch_step(batch, 1));
            left -= part * left;
            const double seen = see(batch, MYR_Q, 0, 0) - 0.25;
            if (part > 0 && k > 0) break; /* what was given a speed goes on with it, to the inside, once the limit asks for less */
            assert_true(fabs(seen - left) < 1e-9);
        }
        const double still = 0; /* from far beyond at 1 m/s, whatever the correction */
        MUST(myr_batch_set(batch, MYR_Q, NULL, 1, MYR_F64, &far));
        MUST(myr_batch_set(batch, MYR_V, NULL, 1, MYR_F64, &still));
        MUST(myr_batch_step(batch, 100));
        assert_true(fabs(see(batch, MYR_Q, 0, 0) - (part > 0 ? 0.65 : 0.75)) < 1e-9);
        myr_batch_free(batch);
    }
    myr_model_free(model);
}

static void friction_stops_holds_and_lets_go(void **state) {
    (void)state;
    const double force = 2.5, speed = 1, weak = 2.4, strong = 4;
    myr_model *model = joint_slider(0, 1, -1, force);
    const myr_settings settings = scene_settings("precision", "f64", "tolerance", "1e-12", NULL);
    myr_batch *batch = NULL;
    MUST(myr_batch_create(model, 1, &settings, &batch));
    MUST(myr_batch_set(batch, MYR_V, NULL, 1, MYR_F64, &speed));
    double q = 0;
    for (int k = 1; k <= 600; k++) { /* v = v0 - F k dt / m, then rest: it stops after v0^2 m / (2 F), less half a step */
        const double v = fmax(speed - force * 1e-3 * k, 0);
        q += 1e-3 * v;
        MUST(myr_batch_step(batch, 1));
        assert_true(fabs(see(batch, MYR_V, 0, 0) - v) < 1e-11 && fabs(see(batch, MYR_Q, 0, 0) - q) < 1e-11);
    }
    assert_true(fabs(q - speed * speed / (2 * force)) < 1e-3 * speed);
    MUST(myr_batch_set(batch, MYR_TORQUE, NULL, 1, MYR_F64, &weak));
    MUST(myr_batch_step(batch, 500));
    assert_true(fabs(see(batch, MYR_Q, 0, 0) - q) < 1e-11 && fabs(see(batch, MYR_ROW_IMPULSE, 0, 0) + weak * 1e-3) < 1e-11);
    MUST(myr_batch_set(batch, MYR_TORQUE, NULL, 1, MYR_F64, &strong));
    MUST(myr_batch_step(batch, 500));
    assert_true(fabs(see(batch, MYR_V, 0, 0) - (strong - force) * 0.5) < 1e-9);
    myr_batch_free(batch);
    myr_model_free(model);
}

/* ---- many at once -------------------------------------------------------------------------------- */

/* What the solver says of rows comes true: G, c and Y of rows, contacts and their couplings are those of the robot. */
static void all_limits_hold_at_once(void **state) {
    (void)state;
    static const char *const solvers[] = {"nsgs", "bisection", "admm-ncp"};
    enum { ENVS = 9 };
    for (int legs = 0; legs < 2; legs++)
        for (int s = 0; s < 3; s++) {
            cast c = cast_open(legs);
            myr_batch *batch = cast_batch(&c, "f64", "auto", "1", solvers[s], 0, ENVS);
            int acted = 0, solved = 0, lost[ENVS] = {0}; /* where a solve failed, what it left is not the law's */
            double worst = 0;
            for (int k = 0; k < 120; k++) {
                MUST(myr_batch_step(batch, 1));
                for (int64_t env = 0; env < ENVS; env++) {
                    double q[MOST_NQ], impulse[64];
                    lost[env] = lost[env] || see(batch, MYR_SOLVE_STATUS, env, 0) != MYR_CONVERGED;
                    if (lost[env]) continue;
                    MUST(myr_batch_get(batch, MYR_Q, &env, 1, MYR_F64, q));
                    MUST(myr_batch_get(batch, MYR_ROW_IMPULSE, &env, 1, MYR_F64, impulse));
                    solved++;
                    for (int r = 0; r < c.rows; r++) {
                        worst = fmax(worst, fmax(c.lower[r] - q[7 + r], q[7 + r] - c.upper[r]));
                        acted += fabs(impulse[r]) > c.friction[r] * 1e-3 * 1.01;
                    }
                }
            }
            if (!(worst < 1e-9) || acted < 400 || solved < 30 * ENVS)
                fail_msg("%s, %s: %d solved, limits acted %d times and were exceeded by %.3g", legs ? "legs" : "tree", solvers[s], solved,
                         acted, worst);
            myr_batch_free(batch);
            myr_model_free(c.model);
        }
}

static void bits_are_a_robots_own(void **state) {
    (void)state;
    for (int legs = 0; legs < 2; legs++) {
        cast c = cast_open(legs);
        cast_own_bits(&c, "f32", 60);
        cast_own_bits(&c, "f64", 60);
        myr_model_free(c.model);
    }
}

/* Wider limits and no friction: a robot is at one or two of them, others at others, so that solvers see them packed. */
static void packed_rows_are_a_robots_own(void **state) {
    (void)state;
    enum { ROBOTS = 16, STEPS = 200 };
    cast c = cast_open(1);
    for (int r = 0; r < c.rows; r++) c.lower[r] -= 0.2, c.upper[r] += 0.2, c.friction[r] = 0;
    myr_batch *batch = cast_batch(&c, "f32", "auto", "1", "nsgs", 0, ROBOTS);
    int packed = 0; /* steps in which the busiest robot has fewer rows than some robot has */
    for (int k = 0; k < STEPS; k++) {
        double impulse[ROBOTS * 12];
        int most = 0, together = 0;
        MUST(myr_batch_step(batch, 1));
        MUST(myr_batch_get(batch, MYR_ROW_IMPULSE, NULL, ROBOTS, MYR_F64, impulse));
        for (int r = 0; r < 12; r++) {
            int some = 0;
            for (int env = 0; env < ROBOTS; env++) some |= impulse[12 * env + r] != 0;
            together += some;
        }
        for (int env = 0; env < ROBOTS; env++) {
            int mine = 0;
            for (int r = 0; r < 12; r++) mine += impulse[12 * env + r] != 0;
            most = mine > most ? mine : most;
        }
        packed += together > most;
    }
    if (packed < STEPS / 4) fail_msg("%d of %d steps had rows to pack", packed, STEPS);
    myr_batch_free(batch);
    cast_own_bits(&c, "f32", STEPS);
    cast_own_bits(&c, "f64", STEPS);
    myr_model_free(c.model);
}

/* A blow that no velocity announces takes a joint past its limit unseen. It does so whether or not a neighbour is at that limit. */
static void a_neighbour_brings_no_row(void **state) {
    (void)state;
    static const char *const precisions[] = {"f32", "f64"};
    myr_model *model = joint_slider(0, -0.02, 0.02, 0);
    for (int p = 0; p < 2; p++) {
        double q[2], v[2];
        for (int beside = 0; beside < 2; beside++) {
            const double at[2] = {0, beside ? 0.02 : 0}, blow[2] = {5e4, 0};
            const myr_settings settings = scene_settings("precision", precisions[p], "threads", "1", NULL);
            myr_batch *batch = NULL;
            MUST(myr_batch_create(model, 2, &settings, &batch));
            MUST(myr_batch_set(batch, MYR_Q, NULL, 2, MYR_F64, at));
            MUST(myr_batch_set(batch, MYR_TORQUE, NULL, 2, MYR_F64, blow));
            MUST(myr_batch_step(batch, 1));
            q[beside] = see(batch, MYR_Q, 0, 0), v[beside] = see(batch, MYR_V, 0, 0);
            assert_true(see(batch, MYR_ROW_IMPULSE, 0, 0) == 0);
            myr_batch_free(batch);
        }
        if (!(q[0] > 0.049 && q[0] == q[1] && v[0] == v[1])) fail_msg("%s: %g m alone, %g m beside another", precisions[p], q[0], q[1]);
    }
    myr_model_free(model);
}

/* Limits out of reach change nothing; without rows a robot is what it would be without these settings. */
static void far_limits_change_no_bit(void **state) {
    (void)state;
    static const char *const tasks[] = {"stand", "trot", "random"};
    for (int t = 0; t < 3; t++) {
        uint64_t hash[2];
        for (int on = 0; on < 2; on++) {
            const myr_settings settings = scene_settings("joint-limits", on ? "on" : "off", "task", tasks[t], "threads", "1", NULL);
            myr_model *model = NULL;
            myr_batch *batch = NULL;
            myr_stats stats;
            MUST(myr_model_load("solo12", MYR_ROOT_AUTO, &model));
            MUST(myr_batch_create(model, 33, &settings, &batch));
            MUST(myr_batch_step(batch, 300));
            hash[on] = myr_batch_hash(batch);
            myr_batch_stats(batch, &stats);
            assert_int_equal(myr_batch_components(batch, MYR_ROW_IMPULSE), on ? 12 : 0);
            assert_true(on ? stats.limit_violation_max == 0 : isnan(stats.limit_violation_max));
            myr_batch_free(batch);
            myr_model_free(model);
        }
        assert_true(hash[0] == hash[1]);
    }
}

/* A file brings limits, friction and warm starts back; a reset forgets the warm starts. */
static void rows_are_saved_and_reset(void **state) {
    (void)state;
    cast c = cast_open(1);
    myr_batch *batch = cast_batch(&c, "f64", "auto", "1", "nsgs", 0, 5), *twin = cast_batch(&c, "f64", "auto", "1", "nsgs", 0, 5);
    char path[] = "joint-rows.bin";
    MUST(myr_batch_step(batch, 100));
    MUST(myr_batch_save(batch, path));
    MUST(myr_batch_restore(twin, path));
    remove(path);
    double impulses = 0;
    for (int r = 0; r < c.rows; r++) impulses += fabs(see(twin, MYR_ROW_IMPULSE, 3, r));
    assert_true(impulses > 0 && see(twin, MYR_LOWER, 2, 3) == c.lower[3] && see(twin, MYR_DRY_FRICTION, 1, 0) == c.friction[0]);
    MUST(myr_batch_step(batch, 50));
    MUST(myr_batch_step(twin, 50));
    assert_true(myr_batch_hash(batch) == myr_batch_hash(twin));
    MUST(myr_batch_reset(twin, NULL));
    for (int r = 0; r < c.rows; r++) assert_true(see(twin, MYR_ROW_IMPULSE, 3, r) == 0);
    myr_batch_free(batch);
    myr_batch_free(twin);
    myr_model_free(c.model);
}

/* What the next step solves, with its rows; and what a row is. */
static void the_problem_of_a_step_has_its_rows(void **state) {
    (void)state;
    enum { SLOTS = 12, ROWS = 12, M = 3 * SLOTS + ROWS };
    static double G[M * M], c[M], mu[SLOTS], start[M], R[M], stairs[3 * ROWS], impulse[M], velocity[M];
    static int slots[SLOTS], ids[ROWS];
    cast robot = cast_open(1);
    myr_batch *batch = cast_batch(&robot, "f64", "auto", "1", "admm-ncp", 0, 9);
    const myr_settings settings =
        scene_settings("precision", "f64", "solver", "admm-ncp", "tolerance", "1e-12", "max-sweeps", "50000", NULL);
    myr_row_info row;
    myr_problem_room room = {.room = SLOTS, .room_rows = ROWS, .G = G, .c = c, .mu = mu, .start = start, .R = R, .slots = slots};
    room.stairs = stairs, room.row_ids = ids;
    int rows = 0;
    for (int k = 0; k < 40; k++) {
        const int64_t env = k % 9;
        MUST(myr_batch_step(batch, 3));
        MUST(myr_batch_problem(batch, env, &room));
        const myr_contact_problem p = {
            .contacts = room.contacts, .G = G, .c = c, .mu = mu, .start = start, .rows = room.rows, .stairs = stairs};
        myr_contact_result r = {.impulse = impulse, .velocity = velocity};
        MUST(myr_solve_contacts(&p, 1, &settings, &r));
        MUST(myr_batch_step(batch, 1));
        for (int i = 0; i < room.rows; i++, rows++) {
            MUST(myr_model_get_row(robot.model, ids[i], &row));
            const double q = velocity[3 * room.contacts + i] / row.length_m, seen = see(batch, MYR_V, env, 6 + ids[i]);
            if (!(fabs(q - seen) < 1e-6)) fail_msg("step %d, row %d: the joint moves at %.9g, the problem says %.9g", k, ids[i], seen, q);
        }
    }
    assert_true(rows > 100);
    room.room_rows = 1;
    MUST_FAIL(myr_batch_problem(batch, 0, &room), MYR_E_LIMIT, "joint rows, and there is room for 1");
    room.room_rows = -1;
    MUST_FAIL(myr_batch_problem(batch, 0, &room), MYR_E_ARG, "room_rows is -1");
    MUST_FAIL(myr_model_get_row(robot.model, 12, &row), MYR_E_ARG, "has 12 joint rows");
    MUST_FAIL(myr_model_get_row(robot.model, -1, &row), MYR_E_ARG, "row -1");
    MUST_FAIL(myr_model_get_row(robot.model, 0, NULL), MYR_E_ARG, "info");
    MUST(myr_model_get_row(robot.model, 1, &row));
    assert_true(row.lower == -9.42 && row.upper == 9.42 && row.dry_friction == 0 && row.length_m > 0.2 && row.length_m < 0.7);
    myr_batch_free(batch);
    myr_model_free(robot.model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_lands_on_its_limit_and_rests),
        cmocka_unit_test(it_comes_back_from_beyond),
        cmocka_unit_test(friction_stops_holds_and_lets_go),
        cmocka_unit_test(all_limits_hold_at_once),
        cmocka_unit_test(bits_are_a_robots_own),
        cmocka_unit_test(packed_rows_are_a_robots_own),
        cmocka_unit_test(a_neighbour_brings_no_row),
        cmocka_unit_test(far_limits_change_no_bit),
        cmocka_unit_test(rows_are_saved_and_reset),
        cmocka_unit_test(the_problem_of_a_step_has_its_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* ctest: law lanes
 * joint-friction implicit: dry friction as a damper in place of rows. Closed forms of a slider, energy that only goes, robots that friction
 * holds up, the field of each environment, limits beside it, and the promises. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/joint_scene.h"
#include "support/model_scene.h"

static const double still = 0.01; /* m/s, as docs/contact.md has it */

static myr_batch *open_batch(const myr_model *model, int64_t envs, const char *precision, const char *dt, const char *mode) {
    const myr_settings settings = scene_settings("precision", precision, "tolerance", strcmp(precision, "f64") ? "1e-5" : "1e-12", "dt", dt,
                                                 "task", "none", "joint-friction", mode, "threads", "1", NULL);
    myr_batch *batch = NULL;
    MUST(myr_batch_create(model, envs, &settings, &batch));
    return batch;
}

/* It stops after v0^2 m / (2 F), less half a step, as under the law but for the creep at the end. It never turns round. */
static void it_stops_where_friction_stops_it(void **state) {
    (void)state;
    static const char *const precisions[] = {"f32", "f64"}, *const steps[] = {"1e-3", "5e-3"};
    for (int p = 0; p < 2; p++)
        for (int d = 0; d < 2; d++) {
            const double force = 2.5, start[2] = {1, -3}, dt = atof(steps[d]), round = p ? 1e-15 : 1e-7;
            myr_model *model = joint_slider(0, 1, -1, force);
            myr_batch *batch = open_batch(model, 2, precisions[p], steps[d], "implicit");
            MUST(myr_batch_set(batch, MYR_V, NULL, 2, MYR_F64, start));
            double v[2] = {1, 3}, q[2] = {0};
            for (int k = 0; k < 2000; k++) {
                const double small = round * (k + 100); /* each step rounds */
                MUST(myr_batch_step(batch, 1));
                for (int env = 0; env < 2; env++) {
                    const double sign = env ? -1 : 1, lost = dt * force;
                    v[env] = v[env] - lost > still ? v[env] - lost : v[env] / (1 + lost / still); /* 1 kg */
                    q[env] += dt * v[env];
                    if (!(fabs(sign * see(batch, MYR_V, env, 0) - v[env]) < small * (1 + v[env])))
                        fail_msg("%s, dt %s, step %d: %.9g m/s, not %.9g", precisions[p], steps[d], k, see(batch, MYR_V, env, 0), v[env]);
                    assert_true(sign * see(batch, MYR_V, env, 0) >= 0);
                    assert_true(fabs(sign * see(batch, MYR_Q, env, 0) - q[env]) < 10 * small * (1 + q[env]));
                }
            }
            for (int env = 0; env < 2; env++) {
                const double far = start[env] * start[env] / (2 * force), seen = fabs(see(batch, MYR_Q, env, 0));
                assert_true(fabs(seen - far) < dt * fabs(start[env]) && fabs(see(batch, MYR_V, env, 0)) < 1e-9);
            }
            myr_batch_free(batch);
            myr_model_free(model);
        }
}

/* Held by less than f it creeps at still F / f. Pushed by more it goes off with (F - f) / m, at once. */
static void it_creeps_and_breaks_loose(void **state) {
    (void)state;
    const double f = 2.5, push[6] = {1, -2.4, 2.51, 2.6, -4, 25}, dt = 1e-3;
    myr_model *model = joint_slider(0, 1, -1, f);
    myr_batch *batch = open_batch(model, 6, "f64", "1e-3", "implicit");
    double v[6] = {0};
    MUST(myr_batch_set(batch, MYR_TORQUE, NULL, 6, MYR_F64, push));
    for (int k = 0; k < 500; k++) {
        MUST(myr_batch_step(batch, 1));
        for (int env = 0; env < 6; env++) { /* the staircase with a slope at rest, of 1 kg */
            const double pushed = v[env] + dt * fabs(push[env]), slides = pushed - dt * f;
            v[env] = slides > still ? slides : pushed / (1 + dt * f / still);
            assert_true(fabs(copysign(1, push[env]) * see(batch, MYR_V, env, 0) - v[env]) < 1e-11);
        }
    }
    for (int env = 0; env < 6; env++) {
        const double F = fabs(push[env]), loose = (F - f) * 0.5;
        assert_true(F < f ? fabs(v[env] - still * F / f) < 1e-3 * still : v[env] > loose && v[env] < loose + still);
    }
    assert_true(see(batch, MYR_ROW_IMPULSE, 0, 0) == 0);
    myr_batch_free(batch);
    myr_model_free(model);
}

/* Three sliders on one another whose axes are not at right angles: their friction is coupled. Without gravity its work is all there is. */
static void it_never_adds_energy(void **state) {
    (void)state;
    static const double axes[3][3] = {{1, 0, 0}, {0.8, 0.6, 0}, {0.6, 0, 0.8}}, masses[3] = {1, 0.2, 3};
    static const char *const steps[] = {"1e-3", "2e-2"};
    enum { ENVS = 64 };
    myr_builder *builder = scene_builder();
    int last = -1;
    for (int k = 0; k < 3; k++) {
        char name[8];
        myr_body_def def = myr_body_def_default();
        snprintf(name, sizeof name, "cart%d", k);
        def.name = name, def.parent = last, def.joint = MYR_JOINT_PRISMATIC, def.mass_kg = masses[k], def.dry_friction = 1;
        for (int i = 0; i < 3; i++) def.inertia_kgm2[i] = 0.01, def.axis[i] = axes[k][i];
        assert_int_equal(myr_builder_body(builder, &def, &last), MYR_OK);
    }
    myr_model *model = scene_compile(builder);
    for (int d = 0; d < 2; d++) {
        myr_batch *batch = open_batch(model, ENVS, "f64", steps[d], "implicit");
        double last_energy[ENVS];
        for (int64_t env = 0; env < ENVS; env++) {
            double v[3], f[3];
            const double weightless[3] = {0};
            for (int k = 0; k < 3; k++) v[k] = 2 * sin(3 * (double)env + k), f[k] = pow(10, (double)((env + 3 * k) % 7) - 3);
            MUST(myr_batch_set(batch, MYR_GRAVITY, &env, 1, MYR_F64, weightless));
            MUST(myr_batch_set(batch, MYR_V, &env, 1, MYR_F64, v));
            MUST(myr_batch_set(batch, MYR_DRY_FRICTION, &env, 1, MYR_F64, f));
            last_energy[env] = INFINITY;
        }
        for (int step = 0; step < 300; step++) {
            for (int64_t env = 0; env < ENVS; env++) {
                double v[3], at[3] = {0}, energy = 0;
                MUST(myr_batch_get(batch, MYR_V, &env, 1, MYR_F64, v));
                for (int k = 0; k < 3; k++) {
                    for (int i = 0; i < 3; i++) at[i] += axes[k][i] * v[k];
                    energy += 0.5 * masses[k] * (at[0] * at[0] + at[1] * at[1] + at[2] * at[2]);
                }
                if (!(energy <= last_energy[env] * (1 + 1e-13)))
                    fail_msg("dt %s, step %d: %.17g J after %.17g", steps[d], step, energy, last_energy[env]);
                last_energy[env] = energy;
            }
            MUST(myr_batch_step(batch, 1));
        }
        myr_batch_free(batch);
    }
    myr_model_free(model);
    myr_builder_free(builder);
}

/* A robot pressed down by 60 kg that stands on motors with a constant torque, four fifths of what it takes. Friction does the rest. What
 * loads its joints are the contacts. */
static void robots_that_friction_holds_stand(void **state) {
    (void)state;
    static const char *const modes[] = {"hard", "implicit"};
    for (int m = 0; m < 2; m++) {
        myr_model *model = NULL;
        MUST(myr_model_load("anymal", MYR_ROOT_AUTO, &model));
        const myr_settings settings = scene_settings("joint-friction", modes[m], "task", "stand", "threads", "1", NULL);
        const int64_t env = 1;
        myr_batch *batch = NULL;
        MUST(myr_batch_create(model, 3, &settings, &batch));
        double q[MOST_NQ], target[12], kp[12], none[12] = {0}, push[12], friction[12], wrench[6 * 16] = {0};
        wrench[2] = -600;
        MUST(myr_batch_set(batch, MYR_WRENCH, &env, 1, MYR_F64, wrench));
        MUST(myr_batch_step(batch, 1000));
        MUST(myr_batch_get(batch, MYR_Q, &env, 1, MYR_F64, q));
        MUST(myr_batch_get(batch, MYR_TARGET, &env, 1, MYR_F64, target));
        MUST(myr_batch_get(batch, MYR_KP, &env, 1, MYR_F64, kp));
        double most = 0;
        for (int k = 0; k < 12; k++) {
            const double whole = kp[k] * (target[k] - q[7 + k]);
            push[k] = 0.8 * whole, most = fmax(most, fabs(whole)), friction[k] = 5;
        }
        assert_true(most > 10 && 0.2 * most < 5);
        MUST(myr_batch_set(batch, MYR_KP, &env, 1, MYR_F64, none));
        MUST(myr_batch_set(batch, MYR_KD, &env, 1, MYR_F64, none));
        MUST(myr_batch_set(batch, MYR_TORQUE, &env, 1, MYR_F64, push));
        MUST(myr_batch_set(batch, MYR_DRY_FRICTION, &env, 1, MYR_F64, friction));
        MUST(myr_batch_step(batch, 1000));
        const double sunk = q[2] - see(batch, MYR_Q, env, 2);
        if (!(fabs(sunk) < (m ? 4e-3 : 1e-3))) fail_msg("%s: sunk by %.3g m in a second, at most %.3g N m", modes[m], sunk, most);
        myr_batch_free(batch);
        myr_model_free(model);
    }
}

/* Angles of an actuated robot's joints under both modes, rms over robots, joints and steps: what docs/choosing-a-solver.md says. */
static void it_moves_robots_as_rows_do(void **state) {
    (void)state;
    enum { ENVS = 8, STEPS = 1000 };
    static const struct {
        const char *task;
        double friction, most;
    } cases[] = {{"trot", 1, 0.05}, {"trot", 5, 0.05}, {"stand", 1, 2e-3}, {"stand", 5, 1e-2}};
    myr_model *model = NULL;
    MUST(myr_model_load("anymal", MYR_ROOT_AUTO, &model));
    for (int c = 0; c < 4; c++) {
        myr_batch *batches[2];
        double friction[12], sum = 0;
        for (int k = 0; k < 12; k++) friction[k] = cases[c].friction;
        for (int m = 0; m < 2; m++) {
            const myr_settings settings = scene_settings("joint-friction", m ? "implicit" : "hard", "task", cases[c].task, "threads", "1",
                                                         "precision", "f64", "tolerance", "1e-9", "max-sweeps", "500", NULL);
            MUST(myr_batch_create(model, ENVS, &settings, &batches[m]));
            for (int64_t env = 0; env < ENVS; env++) MUST(myr_batch_set(batches[m], MYR_DRY_FRICTION, &env, 1, MYR_F64, friction));
        }
        for (int k = 0; k < STEPS; k++) {
            double q[2][ENVS][19];
            for (int m = 0; m < 2; m++) {
                MUST(myr_batch_step(batches[m], 1));
                MUST(myr_batch_get(batches[m], MYR_Q, NULL, ENVS, MYR_F64, q[m]));
            }
            for (int env = 0; env < ENVS; env++)
                for (int i = 7; i < 19; i++) sum += (q[1][env][i] - q[0][env][i]) * (q[1][env][i] - q[0][env][i]);
        }
        const double rms = sqrt(sum / (12 * ENVS * STEPS));
        if (!(rms < cases[c].most && rms > 0)) fail_msg("%s, %g N m: %.3g rad", cases[c].task, cases[c].friction, rms);
        for (int m = 0; m < 2; m++) myr_batch_free(batches[m]);
    }
    myr_model_free(model);
}

/* Each environment has its own friction, and its joints' rows their limits alone. */
static void the_field_acts_and_limits_keep_their_rows(void **state) {
    (void)state;
    enum { M = 4 };
    double G[M], c[M], mu[1], start[M], stairs[3];
    int slots[1], ids[1];
    myr_model *model = joint_slider(0, -0.5, 0.4, 0), *rough = joint_slider(0, 1, -1, 3);
    myr_batch *batch = open_batch(model, 3, "f64", "1e-3", "implicit");
    const double friction[3] = {0, 1, 4}, speed[3] = {2, 2, 2};
    MUST(myr_batch_set(batch, MYR_DRY_FRICTION, NULL, 3, MYR_F64, friction));
    MUST(myr_batch_set(batch, MYR_V, NULL, 3, MYR_F64, speed));
    MUST(myr_batch_step(batch, 100));
    for (int env = 0; env < 3; env++) assert_true(fabs(see(batch, MYR_V, env, 0) - (2 - 0.1 * friction[env])) < 1e-9);
    MUST(myr_batch_step(batch, 200)); /* 0.5 m and more: onto the limit */
    for (int env = 0; env < 3; env++) assert_true(fabs(see(batch, MYR_Q, env, 0) - 0.4) < 1e-9);
    const double push[3] = {0, 0, 9};
    MUST(myr_batch_set(batch, MYR_TORQUE, NULL, 3, MYR_F64, push));
    MUST(myr_batch_step(batch, 100));
    assert_true(fabs(see(batch, MYR_Q, 2, 0) - 0.4) < 1e-9 && fabs(see(batch, MYR_ROW_IMPULSE, 2, 0) + 9e-3) < 1e-9);
    myr_problem_room room = {.room = 1, .room_rows = 1, .G = G, .c = c, .mu = mu, .start = start, .slots = slots};
    room.stairs = stairs, room.row_ids = ids;
    MUST(myr_batch_problem(batch, 2, &room));
    assert_true(room.rows == 1 && stairs[0] == 0 && fabs(stairs[2]) < 1e-9);
    myr_batch_free(batch);
    batch = open_batch(rough, 2, "f64", "1e-3", "implicit"); /* friction alone: a field, and no row of any problem */
    assert_int_equal(myr_batch_components(batch, MYR_DRY_FRICTION), 1);
    assert_true(see(batch, MYR_DRY_FRICTION, 1, 0) == 3);
    MUST(myr_batch_set(batch, MYR_V, NULL, 2, MYR_F64, speed));
    MUST(myr_batch_step(batch, 10));
    MUST(myr_batch_problem(batch, 0, &room));
    assert_true(room.rows == 0 && fabs(see(batch, MYR_V, 0, 0) - 1.97) < 1e-9);
    myr_batch_free(batch);
    myr_model_free(model);
    myr_model_free(rough);
}

static void bits_are_a_robots_own(void **state) {
    (void)state;
    for (int legs = 0; legs < 2; legs++) {
        cast c = cast_open(legs);
        c.joint_friction = "implicit";
        cast_own_bits(&c, "f32", 60);
        cast_own_bits(&c, "f64", 60);
        myr_model_free(c.model);
    }
}

/* Robots without friction have the same bits in every mode, whatever friction a neighbour has. */
static void without_friction_nothing_changes(void **state) {
    (void)state;
    static const char *const modes[] = {"hard", "implicit", "off"}, *const precisions[] = {"f32", "f64"};
    for (int p = 0; p < 2; p++)
        for (int legs = 0; legs < 2; legs++) {
            double q[3][5][MOST_NQ] = {{{0}}};
            for (int m = 0; m < 3; m++) {
                cast c = cast_open(legs);
                memset(c.friction, 0, sizeof c.friction);
                c.joint_friction = modes[m];
                myr_batch *batch = cast_batch(&c, precisions[p], "auto", "1", "nsgs", 0, 5);
                const int64_t neighbour = 2;
                for (int r = 0; r < c.rows; r++) c.friction[r] = 0.4;
                if (m < 2) MUST(myr_batch_set(batch, MYR_DRY_FRICTION, &neighbour, 1, MYR_F64, c.friction));
                MUST(myr_batch_step(batch, 60));
                for (int64_t env = 0; env < 5; env++) MUST(myr_batch_get(batch, MYR_Q, &env, 1, MYR_F64, q[m][env]));
                myr_batch_free(batch);
                myr_model_free(c.model);
            }
            for (int env = 0; env < 5; env++) {
                const int same = !memcmp(q[0][env], q[1][env], sizeof q[0][env]) && !memcmp(q[0][env], q[2][env], sizeof q[0][env]);
                if (same != (env != 2))
                    fail_msg("%s: environment %d, %s", precisions[p], env, same ? "friction does nothing" : "other bits");
            }
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_stops_where_friction_stops_it),
        cmocka_unit_test(it_creeps_and_breaks_loose),
        cmocka_unit_test(it_never_adds_energy),
        cmocka_unit_test(robots_that_friction_holds_stand),
        cmocka_unit_test(it_moves_robots_as_rows_do),
        cmocka_unit_test(the_field_acts_and_limits_keep_their_rows),
        cmocka_unit_test(bits_are_a_robots_own),
        cmocka_unit_test(without_friction_nothing_changes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

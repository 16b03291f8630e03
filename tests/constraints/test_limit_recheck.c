/* ctest: law lanes
 * limit-recheck: a joint that a blow throws past a limit for which the solve had no row lands on that limit in the same step. A robot that
 * needs no second solve keeps every bit, whatever its neighbours need. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/joint_scene.h"
#include "support/model_scene.h"

static myr_batch *open_batch(const myr_model *model, int64_t envs, const char *precision, const char *recheck) {
    const myr_settings settings =
        scene_settings("precision", precision, "threads", "1", "task", "none", "limit-recheck", recheck, "tolerance",
                       strcmp(precision, "f64") ? "1e-5" : "1e-12", "max-sweeps", strcmp(precision, "f64") ? "0" : "2000", NULL);
    myr_batch *batch = NULL;
    MUST(myr_batch_create(model, envs, &settings, &batch));
    return batch;
}

/* 50 kN on 1 kg for 1 ms are 50 m/s, the limit 2 cm away: 5 cm without a second look. */
static void a_blow_of_torque_lands_on_the_limit(void **state) {
    (void)state;
    static const char *const precisions[] = {"f32", "f64"};
    myr_model *model = joint_slider(0, -0.02, 0.02, 0);
    for (int p = 0; p < 2; p++)
        for (int recheck = 0; recheck < 2; recheck++) {
            const double blow[3] = {5e4, -4e4, 1}, still[3] = {0};
            myr_batch *batch = open_batch(model, 3, precisions[p], recheck ? "1" : "0");
            myr_stats stats;
            MUST(myr_batch_set(batch, MYR_TORQUE, NULL, 3, MYR_F64, blow));
            MUST(myr_batch_step(batch, 1));
            MUST(myr_batch_set(batch, MYR_TORQUE, NULL, 3, MYR_F64, still));
            const double q[3] = {see(batch, MYR_Q, 0, 0), see(batch, MYR_Q, 1, 0), see(batch, MYR_Q, 2, 0)};
            if (recheck) {
                assert_true(fabs(q[0] - 0.02) < 1e-8 && fabs(q[1] + 0.02) < 1e-8 && fabs(q[2] - 1e-6) < 1e-12);
                assert_true(fabs(see(batch, MYR_ROW_IMPULSE, 0, 0) - (20 - 50)) < 1e-4);
                assert_true(see(batch, MYR_ROW_IMPULSE, 2, 0) == 0 && see(batch, MYR_ITERATIONS, 0, 0) >= 1);
                MUST(myr_batch_step(batch, 50)); /* and stays there */
                assert_true(fabs(see(batch, MYR_Q, 0, 0) - 0.02) < 1e-8);
                myr_batch_stats(batch, &stats);
                assert_true(stats.limit_violation_max < 1e-8 && stats.not_converged == 0);
            } else
                assert_true(fabs(q[0] - 0.05) < 1e-8 && fabs(q[1] + 0.04) < 1e-8);
            myr_batch_free(batch);
        }
    myr_model_free(model);
}

/* A torso that comes down flat at 20 m/s on a ball at the end of a hinged arm: it is the contact that turns the hinge. */
static void a_blow_of_a_contact_lands_on_the_limit(void **state) {
    (void)state;
    myr_builder *builder = scene_builder();
    int arm, torso = scene_body(builder, "torso", -1, MYR_JOINT_FREE, 0, 0, 0);
    myr_body_def def = myr_body_def_default();
    def.name = "arm", def.parent = torso, def.joint = MYR_JOINT_REVOLUTE, def.mass_kg = 0.3, def.lower = -0.03, def.upper = 0.03;
    def.axis[0] = 0, def.axis[1] = 1, def.axis[2] = 0, def.position_m[0] = 0.2, def.com_m[0] = 0.1;
    for (int i = 0; i < 3; i++) def.inertia_kgm2[i] = 1e-3;
    assert_int_equal(myr_builder_body(builder, &def, &arm), MYR_OK);
    myr_geom_def ball = myr_geom_def_default();
    ball.body = arm, ball.type = MYR_GEOM_SPHERE, ball.size_m[0] = 0.05, ball.position_m[0] = 0.25;
    assert_int_equal(myr_builder_geom(builder, &ball, NULL), MYR_OK);
    myr_model *model = scene_compile(builder);
    for (int recheck = 0; recheck < 2; recheck++) {
        myr_batch *batch = open_batch(model, 2, "f64", recheck ? "1" : "0");
        for (int64_t env = 0; env < 2; env++) { /* the other one is still in the air */
            const double q[8] = {0, 0, env ? 1 : 0.0499, 1, 0, 0, 0, 0}, v[7] = {0, 0, -20};
            MUST(myr_batch_set(batch, MYR_Q, &env, 1, MYR_F64, q));
            MUST(myr_batch_set(batch, MYR_V, &env, 1, MYR_F64, v));
        }
        MUST(myr_batch_step(batch, 1));
        assert_true(see(batch, MYR_SOLVE_STATUS, 0, 0) == MYR_CONVERGED && see(batch, MYR_IMPULSE, 0, 2) > 0);
        const double q = see(batch, MYR_Q, 0, 7);
        if (recheck ? !(fabs(fabs(q) - 0.03) < 1e-9) : !(fabs(q) > 0.05)) fail_msg("recheck %d: the hinge is at %.9g rad", recheck, q);
        assert_true(fabs(see(batch, MYR_V, 1, 6)) < 1e-9);
        myr_batch_free(batch);
    }
    myr_model_free(model);
    myr_builder_free(builder);
}

/* Limits that only a blow reaches in a step: the robots come down at 15 m/s. */
static cast struck(int legs, const char *recheck) {
    cast c = cast_open(legs);
    for (int r = 0; r < c.rows; r++) {
        const double middle = 0.5 * (c.lower[r] + c.upper[r]);
        c.lower[r] = middle - 0.02 - 0.01 * (r % 3), c.upper[r] = middle + 0.02 + 0.01 * (r % 4);
    }
    c.limit_recheck = recheck, c.fall = 15;
    return c;
}

static double beyond(const cast *c, const myr_batch *batch, int64_t env) {
    double q[MOST_NQ], worst = -1;
    MUST(myr_batch_get(batch, MYR_Q, &env, 1, MYR_F64, q));
    for (int r = 0; r < c->rows; r++) worst = fmax(worst, fmax(c->lower[r] - q[7 + r], q[7 + r] - c->upper[r]));
    return worst;
}

/* Step by step from the same states, with and without: robots that pass no limit unseen end in the same bits, warm starts, residuals and
 * sweeps too; of the others every limit holds, and both solves count. */
static void who_needs_none_keeps_every_bit(void **state) {
    (void)state;
    static const myr_field fields[] = {MYR_Q, MYR_V, MYR_IMPULSE, MYR_ROW_IMPULSE, MYR_RESIDUAL, MYR_ITERATIONS, MYR_SOLVE_STATUS};
    enum { ENVS = 16, FIELDS = sizeof fields / sizeof *fields };
    for (int legs = 0; legs < 2; legs++)
        for (int p = 0; p < 2; p++) {
            int passed = 0, kept = 0, beside = 0;
            for (int first = 0; first < 60 * ENVS; first += ENVS) {
                cast off = struck(legs, "0"), on = struck(legs, "1");
                const char *precision = p ? "f64" : "f32";
                myr_batch *plain = cast_batch(&off, precision, "auto", "1", "nsgs", first, ENVS),
                          *again = cast_batch(&on, precision, "auto", "1", "nsgs", first, ENVS);
                unsigned differ = 0;
                for (int k = 0; k < 6 && !differ; k++) { /* up to the first blow that anybody did not see coming */
                    MUST(myr_batch_step(plain, 1));
                    MUST(myr_batch_step(again, 1));
                    for (int64_t env = 0; env < ENVS; env++) differ |= (unsigned)(beyond(&off, plain, env) > 1e-6) << env;
                }
                for (int64_t env = 0; env < ENVS; env++) {
                    for (int f = 0; f < FIELDS && !(differ >> env & 1u); f++) {
                        double one[256] = {0}, other[256] = {0};
                        MUST(myr_batch_get(plain, fields[f], &env, 1, MYR_F64, one));
                        MUST(myr_batch_get(again, fields[f], &env, 1, MYR_F64, other));
                        if (memcmp(one, other, sizeof one) != 0) fail_msg("%s: environment %d has other bits", precision, first + (int)env);
                        kept++, beside += differ != 0;
                    }
                    if (!(differ >> env & 1u) || see(again, MYR_SOLVE_STATUS, env, 0) != MYR_CONVERGED) continue;
                    passed++;
                    if (!(beyond(&on, again, env) < (p ? 1e-9 : 1e-6)))
                        fail_msg("%s: environment %d is beyond by %g", precision, first + (int)env, beyond(&on, again, env));
                    assert_true(see(again, MYR_ITERATIONS, env, 0) > see(plain, MYR_ITERATIONS, env, 0));
                }
                myr_batch_free(plain);
                myr_batch_free(again);
                myr_model_free(off.model);
                myr_model_free(on.model);
            }
            if (passed < 20 || beside < 20) fail_msg("%d passed a limit, %d were looked at beside them", passed, beside);
        }
}

static void bits_are_a_robots_own(void **state) {
    (void)state;
    for (int legs = 0; legs < 2; legs++) {
        cast c = struck(legs, "1");
        cast_own_bits(&c, "f32", 12);
        cast_own_bits(&c, "f64", 12);
        myr_model_free(c.model);
    }
}

/* Every solver takes it, those too that soften G in place. */
static void every_solver_is_asked_again(void **state) {
    (void)state;
    for (int s = 0; myr_solver_name(s); s += SCENE_SOLVER_STRIDE) {
        cast c = struck(1, "1");
        myr_batch *batch = cast_batch(&c, "f64", "auto", "1", myr_solver_name(s), 0, 9);
        double worst = 0;
        int lost[9] = {0}; /* where a solve failed, what it left is not the law's */
        for (int k = 0; k < 6; k++) {
            MUST(myr_batch_step(batch, 1));
            for (int64_t env = 0; env < 9; env++) {
                lost[env] = lost[env] || see(batch, MYR_SOLVE_STATUS, env, 0) != MYR_CONVERGED;
                if (!lost[env]) worst = fmax(worst, beyond(&c, batch, env));
            }
        }
        const int soft = strncmp(myr_solver_name(s), "newton", 6) == 0;
        if (!(worst < (soft ? 2e-3 : 1e-8))) fail_msg("%s: beyond by %g", myr_solver_name(s), worst);
        myr_batch_free(batch);
        myr_model_free(c.model);
    }
}

/* Where no limit is passed unseen nothing changes. */
static void it_changes_no_bit_of_those_who_walk(void **state) {
    (void)state;
    uint64_t hash[2];
    for (int on = 0; on < 2; on++) {
        const myr_settings settings = scene_settings("limit-recheck", on ? "1" : "0", "task", "random", "threads", "1", NULL);
        myr_model *model = NULL;
        myr_batch *batch = NULL;
        MUST(myr_model_load("anymal", MYR_ROOT_AUTO, &model));
        MUST(myr_batch_create(model, 33, &settings, &batch));
        MUST(myr_batch_step(batch, 300));
        hash[on] = myr_batch_hash(batch);
        myr_batch_free(batch);
        myr_model_free(model);
    }
    assert_true(hash[0] == hash[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_blow_of_torque_lands_on_the_limit), cmocka_unit_test(a_blow_of_a_contact_lands_on_the_limit),
        cmocka_unit_test(who_needs_none_keeps_every_bit),      cmocka_unit_test(bits_are_a_robots_own),
        cmocka_unit_test(every_solver_is_asked_again),         cmocka_unit_test(it_changes_no_bit_of_those_who_walk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

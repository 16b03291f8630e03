/* ctest: heavy
 * What a step of maximal coordinates (dynamics=maximal) owes to contacts, joint limits and loops: friction as in the closed form, no depth
 * and no limit that is passed at the end of a step, loops that stay closed to rounding, and every term of the contact law beside every kind
 * of joint. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/law_scene.h"
#include "support/loop_scene.h"
#include "support/model_scene.h"
#include "support/random_model.h"

enum { MOST = 96 };

static const char *const precisions[] = {"f64", "f32"};

/* A cube slides and stops: by mu g dt less in every step, until it would go back. */
static void a_cube_slides_as_it_must(void **state) {
    (void)state;
    enum { ENVS = 9, STEPS = 400 };
    static const char *const solvers[] = {"nsgs", "hybrid", "admm-ncp"};
    double mu[ENVS], speed[ENVS];
    myr_model *model = law_model(LAW_CUBE);
    for (int k = 0; k < 3; k++) {
        myr_settings settings = law_settings(solvers[k]);
        double worst = 0;
        MUST(myr_settings_set(&settings, "dynamics", "maximal"));
        for (int env = 0; env < ENVS; env++) mu[env] = 0.2 + 0.05 * env, speed[env] = 1 + 0.2 * env;
        myr_batch *batch = law_batch(model, &settings, ENVS, mu, speed);
        double x[ENVS] = {0}, v[ENVS];
        memcpy(v, speed, sizeof v);
        for (int64_t env = 0; env < ENVS; env++) x[env] = law_see(batch, env, LAW_CUBE).position[0];
        for (int step = 0; step < STEPS; step++) {
            MUST(myr_batch_step(batch, 1));
            for (int env = 0; env < ENVS; env++) {
                v[env] = fmax(0, v[env] - mu[env] * LAW_GRAVITY * LAW_DT), x[env] += LAW_DT * v[env];
                const law_motion seen = law_see(batch, env, LAW_CUBE);
                worst = fmax(worst, fmax(fabs(seen.position[0] - x[env]), fabs(seen.velocity[0] - v[env])));
            }
        }
        print_message("%s: a sliding cube is off by %.2g\n", solvers[k], worst);
        if (!(worst < 1e-9)) fail_msg("%s: off by %.3g", solvers[k], worst);
        myr_batch_free(batch);
    }
    myr_model_free(model);
}

/* Deepest point of all slots at the ends of the steps [m]. */
static double deepest(const myr_model *model, const char *precision, const char *solver, const char *dt, int steps, double height,
                      double spin) {
    enum { ENVS = 9 };
    static double depth[ENVS * 256];
    myr_settings settings = scene_settings("task", "none", "dynamics", "maximal", "precision", precision, "dt", dt, "solver", solver, "gap",
                                           "0.1", "baumgarte", "1", "tolerance", strcmp(precision, "f64") ? "1e-6" : "1e-10",
                                           "newton-limit", "50", "max-sweeps", "5000", "threads", "1", "kp", "60", "kd", "2", NULL);
    myr_batch *batch = NULL;
    myr_stats stats;
    double worst = 0, q[MOST], v[MOST];
    settings.sense_contacts = 1;
    MUST(myr_batch_create(model, ENVS, &settings, &batch));
    assert_true(model->n_slots <= 256);
    for (int64_t env = 0; env < ENVS; env++) {
        MUST(myr_batch_get(batch, MYR_Q, &env, 1, MYR_F64, q));
        q[2] += height + 0.01 * (double)env;
        for (int k = 0; k < model->nv; k++) v[k] = spin * sin(1 + k + 2.0 * (double)env);
        MUST(myr_batch_set(batch, MYR_Q, &env, 1, MYR_F64, q));
        MUST(myr_batch_set(batch, MYR_V, &env, 1, MYR_F64, v));
    }
    for (int step = 0; step <= steps; step++) { /* what is sensed is how the step began: how the one before ended */
        MUST(myr_batch_step(batch, 1));
        MUST(myr_batch_get(batch, MYR_CONTACT_DEPTH, NULL, ENVS, MYR_F64, depth));
        for (int k = 0; k < ENVS * model->n_slots; k++) worst = fmax(worst, depth[k]);
    }
    myr_batch_stats(batch, &stats);
    print_message("%s, %s, dt %s, %s: %.2g m deep at most; %.2g contacts, %.3g passes, %d of %d not converged\n", model->name, precision,
                  dt, solver, worst, stats.contacts_mean, stats.solves_mean, (int)stats.not_converged, (int)stats.robot_steps);
    assert_true(stats.quarantined == 0 && stats.contacts_mean > 0.5);
    myr_batch_free(batch);
    return worst;
}

static void nothing_falls_through_the_ground(void **state) {
    (void)state;
    static const char *const names[] = {"sphere", "cube", "anymal", "solo12"}, *const steps[] = {"1e-3", "5e-3"};
    for (int m = 0; m < 4; m++) {
        myr_model *model = NULL;
        MUST(myr_model_load(names[m], MYR_ROOT_FLOATING, &model));
        for (int p = 0; p < 2; p++)
            for (int k = 0; k < 2; k++) {
                const double worst = deepest(model, precisions[p], "hybrid", steps[k], k ? 100 : 250, 0.05, 0.7);
                if (!(worst < (p ? 1e-6 : 1e-9))) fail_msg("%s: %.3g m deep", names[m], worst);
            }
        myr_model_free(model);
    }
}

/* ---- limits -------------------------------------------------------------------------------------------- */

static void limits_hold_at_the_end_of_each_step(void **state) {
    (void)state;
    enum { ENVS = 9 };
    const random_tree tree = {
        .bodies = 9, .trees = 2, .floating = 0, .joints = 1u << MYR_JOINT_REVOLUTE | 1u << MYR_JOINT_PRISMATIC, .rows = 2};
    for (uint64_t seed = 1; seed <= 3; seed++) {
        myr_model *model = random_model(seed, &tree, 0);
        myr_settings settings =
            scene_settings("task", "none", "dynamics", "maximal", "precision", "f64", "tolerance", "1e-11", "newton-limit", "50",
                           "max-sweeps", "5000", "dt", "2e-3", "limit-recheck", "1", "threads", "1", NULL);
        myr_batch *batch = NULL;
        double q[MOST], v[MOST], worst = -INFINITY;
        int met = 0;
        assert_true(model && model->nq <= MOST);
        MUST(myr_batch_create(model, ENVS, &settings, &batch));
        for (int64_t env = 0; env < ENVS; env++) {
            for (int i = 0; i < model->n_bodies; i++) {
                const myr_body *b = &model->bodies[i];
                q[b->q] = 0.5 * (b->lower + b->upper), v[b->v] = 6 * sin(1.0 + i + 3.0 * (double)env);
            }
            MUST(myr_batch_set(batch, MYR_Q, &env, 1, MYR_F64, q));
            MUST(myr_batch_set(batch, MYR_V, &env, 1, MYR_F64, v));
        }
        for (int step = 0; step < 400; step++) {
            MUST(myr_batch_step(batch, 1));
            for (int64_t env = 0; env < ENVS; env++) {
                MUST(myr_batch_get(batch, MYR_Q, &env, 1, MYR_F64, q));
                for (int i = 0; i < model->n_bodies; i++) {
                    const myr_body *b = &model->bodies[i];
                    const double past = fmax(b->lower - q[b->q], q[b->q] - b->upper);
                    worst = fmax(worst, past), met += past > -1e-9;
                }
            }
        }
        myr_stats stats;
        myr_batch_stats(batch, &stats);
        print_message("tree %d: %d times at a limit, %.2g past it at most; %.3g passes, %d not converged\n", (int)seed, met, worst,
                      stats.solves_mean, (int)stats.not_converged);
        if (!(worst < 1e-9) || met < 100 || stats.quarantined) fail_msg("tree %d: %.3g past a limit", (int)seed, worst);
        myr_batch_free(batch);
        myr_model_free(model);
    }
}

/* ---- loops --------------------------------------------------------------------------------------------- */

static void loops_stay_closed(void **state) {
    (void)state;
    static const char *const names[] = {"four-bar, ball", "four-bar, hinge, tilted", "leg", "walker", "finger", "truss"}, *const steps[] = {
                                                                                                                              "1e-3",
                                                                                                                              "5e-3"};
    for (int m = 0; m < 6; m++)
        for (int k = 0; k < 2; k++) {
            myr_model *model = m == 0   ? loop_four_bar(MYR_LOOP_BALL, 0)
                               : m == 1 ? loop_four_bar(MYR_LOOP_REVOLUTE, 1)
                               : m == 2 ? loop_leg()
                               : m == 3 ? loop_walker()
                               : m == 4 ? loop_finger()
                                        : loop_truss();
            const myr_settings settings =
                scene_settings("task", "none", "dynamics", "maximal", "precision", "f64", "tolerance", "1e-9", "dt", steps[k],
                               "loop-correction", "1", "newton-limit", "50", "threads", "1", "gap", "0.05", NULL);
            myr_batch *batch = NULL;
            myr_stats stats;
            double torque[MOST], v[MOST];
            MUST(myr_batch_create(model, 1, &settings, &batch));
            for (int i = 0; i < model->nv; i++) v[i] = m == 3 ? 0.5 * sin(1.0 + 2 * i) : 0;
            MUST(myr_batch_set(batch, MYR_V, (int64_t[]){0}, 1, MYR_F64, v));
            MUST(myr_batch_close_loops(batch, NULL, 1, NULL));
            for (int step = 0; step < 2000; step++) {
                for (int u = 0; u < model->nu && m == 4; u++) torque[u] = 0.05 * sin(0.02 * step + 1.7 * u);
                if (m == 4) MUST(myr_batch_set(batch, MYR_TORQUE, NULL, 1, MYR_F64, torque));
                MUST(myr_batch_step(batch, 1));
            }
            myr_batch_stats(batch, &stats);
            print_message("%s, %s s: open by %.2g at most; %.3g passes, at most %d; %d of %d not converged, residual %.2g\n", names[m],
                          steps[k], stats.loop_error_max, stats.solves_mean, (int)stats.solves_max, (int)stats.not_converged,
                          (int)stats.robot_steps, stats.residual_max);
            if (!(stats.loop_error_max < 1e-10) || stats.quarantined || stats.not_converged)
                fail_msg("%s: open by %.3g", names[m], stats.loop_error_max);
            myr_batch_free(batch);
            myr_model_free(model);
        }
}

/* A loop that is a little open, in swift motion: closed at the end of the step, along axes that turn with its bodies. */
static void an_open_loop_closes_in_a_step(void **state) {
    (void)state;
    for (int tilted = 0; tilted < 2; tilted++) {
        myr_model *model = loop_four_bar(tilted ? MYR_LOOP_REVOLUTE : MYR_LOOP_BALL, tilted);
        const myr_settings settings = scene_settings("task", "none", "dynamics", "maximal", "precision", "f64", "tolerance", "1e-10", "dt",
                                                     "5e-3", "loop-correction", "1", "newton-limit", "50", "threads", "1", NULL);
        const double q[3] = {0.5, -0.4, 0.3}, v[3] = {6, -3, 2}, ajar[3] = {1e-3, -2e-3, 1.5e-3};
        double at[3];
        myr_batch *batch = NULL;
        myr_stats stats;
        MUST(myr_batch_create(model, 1, &settings, &batch));
        MUST(myr_batch_set(batch, MYR_Q, NULL, 1, MYR_F64, q));
        MUST(myr_batch_close_loops(batch, NULL, 1, NULL));
        MUST(myr_batch_get(batch, MYR_Q, NULL, 1, MYR_F64, at));
        for (int k = 0; k < 3; k++) at[k] += ajar[k];
        MUST(myr_batch_set(batch, MYR_Q, NULL, 1, MYR_F64, at));
        MUST(myr_batch_set(batch, MYR_V, NULL, 1, MYR_F64, v));
        MUST(myr_batch_step(batch, 1));
        myr_batch_stats(batch, &stats);
        const double before = stats.loop_error_max;
        myr_batch_clear_stats(batch);
        MUST(myr_batch_step(batch, 1)); /* its first look is at how the last one ended */
        myr_batch_stats(batch, &stats);
        print_message("open by %.2g, a step later by %.2g\n", before, stats.loop_error_max);
        assert_true(before > 1e-4 && stats.loop_error_max < 1e-11 && stats.not_converged == 0);
        myr_batch_free(batch);
        myr_model_free(model);
    }
}

/* ---- everything at once -------------------------------------------------------------------------------- */

static void terms(myr_model *model, const char *name, const char *precision, const char *key, const char *value) {
    enum { ENVS = 8 };
    const int exact = !strcmp(precision, "f64");
    const myr_settings settings =
        scene_settings("task", "none", "dynamics", "maximal", "precision", precision, "dt", "2e-3", "gap", "0.05", "tolerance",
                       exact ? "1e-8" : "1e-5", "newton-limit", "20", "threads", "1", key, value, NULL);
    myr_batch *batch = NULL;
    myr_stats stats;
    double q[MOST], v[MOST], tau[MOST];
    random_source source = {17};
    assert_true(model && model->nq <= MOST);
    MUST(myr_batch_create(model, ENVS, &settings, &batch));
    for (int64_t env = 0; env < ENVS; env++) {
        MUST(myr_batch_get(batch, MYR_Q, &env, 1, MYR_F64, q));
        for (int k = 0; k < model->nv; k++) v[k] = random_uniform(&source, -1, 1), tau[k] = random_uniform(&source, -0.5, 0.5);
        for (int i = 0; i < model->n_bodies; i++)
            if (model->bodies[i].joint == MYR_JOINT_FREE) q[model->bodies[i].q + 2] += 0.6;
        MUST(myr_batch_set(batch, MYR_Q, &env, 1, MYR_F64, q));
        MUST(myr_batch_set(batch, MYR_V, &env, 1, MYR_F64, v));
        MUST(myr_batch_set(batch, MYR_TORQUE, &env, 1, MYR_F64, tau));
    }
    MUST(myr_batch_step(batch, 300));
    myr_batch_stats(batch, &stats);
    const double share = 1 - (double)stats.not_converged / (double)stats.robot_steps;
    print_message("%s, %s, %s %s: %.2g contacts, %.3g passes, at most %d; %.4f converged, %d quarantined\n", name, precision,
                  key ? key : "plain", value ? value : "", stats.contacts_mean, stats.solves_mean, (int)stats.solves_max, share,
                  (int)stats.quarantined);
    if (!(share > 0.99) || stats.quarantined || !(stats.contacts_mean > 0.5))
        fail_msg("%s: %.4f converged, %d quarantined", name, share, (int)stats.quarantined);
    for (int64_t env = 0; env < ENVS; env++) {
        MUST(myr_batch_get(batch, MYR_Q, &env, 1, MYR_F64, q));
        for (int k = 0; k < model->nq; k++) assert_true(isfinite(q[k]));
    }
    myr_batch_free(batch);
}

static void every_term_goes_with_every_joint(void **state) {
    (void)state;
    static const char *const pairs[][2] = {
        {NULL, NULL},           {"restitution", "0.5"}, {"compliance", "1e-4"}, {"joint-friction", "implicit"},
        {"solver", "admm-ncp"}, {"solver", "pgs"},      {"limit-recheck", "1"}};
    const random_tree tree = {.bodies = 10,
                              .trees = 2,
                              .floating = 1,
                              .joints = 1u << MYR_JOINT_REVOLUTE | 1u << MYR_JOINT_PRISMATIC | 1u << MYR_JOINT_BALL | 1u << MYR_JOINT_FIXED,
                              .rows = 1};
    const char *source = getenv("MYRIAPOD_SOURCE");
    char path[1024];
    myr_model *models[3] = {random_model(4, &tree, 1), loop_walker(), NULL};
    static const char *const names[] = {"trees", "walker", "linkage"};
    snprintf(path, sizeof path, "%s/tests/models/linkage.urdf", source ? source : ".");
    MUST(myr_model_load(path, MYR_ROOT_AUTO, &models[2]));
    for (int m = 0; m < 3; m++) {
        for (int p = 0; p < 2; p++)
            for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) terms(models[m], names[m], precisions[p], pairs[k][0], pairs[k][1]);
        myr_model_free(models[m]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cube_slides_as_it_must),
        cmocka_unit_test(nothing_falls_through_the_ground),
        cmocka_unit_test(limits_hold_at_the_end_of_each_step),
        cmocka_unit_test(loops_stay_closed),
        cmocka_unit_test(an_open_loop_closes_in_a_step),
        cmocka_unit_test(every_term_goes_with_every_joint),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

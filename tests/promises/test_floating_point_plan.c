/* test_floating_point.c of planners and of derivatives: every call of them in every environment, with the same bits. */
#include "support/floating_point.h"

enum { SAMPLES = 20, ACTIONS = 12, STEPS = 5, KNOTS = 3 };

static void use_planner(const void *context) {
    double sigma[KNOTS * ACTIONS], knots[KNOTS * ACTIONS], action[ACTIONS], states[2 * STEPS * 37], costs[2];
    const int64_t which[] = {0, SAMPLES - 1};
    myr_planner *planner = NULL;
    myr_plan_options options;
    myr_plan_report report;
    const double *mine;
    double *noise, *plan;
    size_t bytes;
    const myr_settings settings = scene_settings("task", "locomotion", "threads", "2", NULL);
    myr_batch *samples = scene_walkers(&settings, SAMPLES), *robot = scene_walkers(&settings, 1);
    const int n_terms = myr_task_reward_count("locomotion");
    double terms[2 * STEPS * 32];
    (void)context;
    assert_in_range(n_terms, 1, 32);
    for (int j = 0; j < KNOTS * ACTIONS; j++) sigma[j] = 0.1 + 0.01 * j;
    IN(myr_plan_options_default(&options));
    options.steps = STEPS, options.knots = KNOTS, options.spline = MYR_SPLINE_CUBIC;
    for (int update = MYR_UPDATE_MPPI; update <= MYR_UPDATE_CEM; update++) {
        options.update = (myr_plan_update)update;
        IN_MUST(myr_planner_create(&options, samples, sigma, NULL, NULL, NULL, &planner));
        IN(bytes = myr_planner_bytes(planner));
        assert_true(bytes > 0);
        IN_MUST(myr_planner_start(planner, robot, 0));
        IN_MUST(myr_planner_plan(planner, &report));
        saw("mean", &report.mean, sizeof report.mean), saw("effective", &report.effective, sizeof report.effective);
        IN(mine = myr_planner_costs(planner));
        saw("costs", mine, SAMPLES * sizeof *mine);
        IN_MUST(myr_planner_sample(planner, 7, knots));
        saw("sample", knots, sizeof knots);
        IN_MUST(myr_planner_replay(planner, which, 2, states, costs));
        saw("states", states, sizeof states), saw("their costs", costs, sizeof costs);
        IN_MUST(myr_planner_terms(planner, which, 2, terms));
        saw("terms", terms, 2 * STEPS * (size_t)n_terms * sizeof *terms);
        IN_MUST(myr_planner_shift(planner, 0.7));
        IN_MUST(myr_planner_control(planner, 1.3, action));
        saw("action", action, sizeof action);
        IN(plan = myr_planner_knots(planner));
        saw("plan", plan, sizeof knots);
        IN(noise = myr_planner_sigma(planner));
        saw("sigma", noise, sizeof knots);
        IN(myr_planner_destroy(planner));
    }
    myr_batch_free(samples), myr_batch_free(robot);
}

static void use_differences(const void *context) {
    double A[2 * 36 * 36], B[2 * 36 * ACTIONS], next[2 * 37], q[2 * 19], v[2 * 18];
    uint8_t kinked[2 * (36 + ACTIONS)];
    const myr_settings settings = scene_settings("task", "stand", "threads", "2", "precision", "f64", NULL);
    myr_batch *batch = scene_walkers(&settings, SAMPLES);
    (void)context;
    MUST(myr_batch_get(batch, MYR_Q, NULL, 2, MYR_F64, q));
    MUST(myr_batch_get(batch, MYR_V, NULL, 2, MYR_F64, v));
    const myr_linearization of = {.n = 2, .q = q, .v = v, .control_field = MYR_TARGET, .A = A, .B = B, .next = next, .kinked = kinked};
    IN_MUST(myr_linearize(batch, &of));
    saw("A", A, sizeof A), saw("B", B, sizeof B), saw("next", next, sizeof next), saw("kinked", kinked, sizeof kinked);
    myr_batch_free(batch);
}

static void differences(void **state) {
    (void)state;
    in_every_environment(use_differences, NULL, 5);
}

static void planners(void **state) {
    (void)state;
    in_every_environment(use_planner, NULL, 30);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(planners), cmocka_unit_test(differences)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* ctest: threads heavy lanes
 * Plans by sampling: the same bits for every instruction set, number of threads and split; what a sample costs is what control steps of a
 * batch of its own pay; updates by plain loops; samples that are lost; mistakes; and no memory but a planner's own. */
#include "support/batch_scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/failing_memory.h"
#include "support/isas.h"
#include "kernels/kernels.h"
#include "plan/spline.h"

enum { SAMPLES = 37, STEPS = 9, KNOTS = 4, ACTIONS = 12, COUNT = KNOTS * ACTIONS };

static double sigmas[COUNT];

static myr_batch *anymals(int64_t envs, const char *isa, int threads, const char *key, const char *value) {
    char count[16];
    snprintf(count, sizeof count, "%d", threads);
    const myr_settings settings =
        scene_settings("task", "locomotion", "threads", count, "isa", isa, "seed", "3", "dt", "0.005", "decimation", "4", "push-interval",
                       "1e6", "command-hold", "0", "episode", "0", key, value, NULL);
    return scene_walkers(&settings, envs);
}

static myr_plan_options options_of(myr_plan_update update) {
    myr_plan_options o;
    myr_plan_options_default(&o);
    o.steps = STEPS, o.knots = KNOTS, o.update = update, o.elites = 5, o.iterations = 2, o.seed = 11;
    return o;
}

/* A robot that has walked for a while, so that nothing of its state is what it begins with. */
static myr_batch *robot_of(const char *isa) {
    myr_batch *robot = anymals(3, isa, 1, NULL, NULL);
    float action[3 * 5 * ACTIONS];
    for (int i = 0; i < 3 * 5 * ACTIONS; i++) action[i] = 0.4f * sinf((float)i);
    const myr_act act = {.steps = 5, .type = MYR_F32, .action = action};
    MUST(myr_batch_act(robot, &act));
    return robot;
}

static myr_planner *planner_of(const myr_plan_options *o, myr_batch *samples) {
    myr_planner *planner = NULL;
    for (int j = 0; j < COUNT; j++) sigmas[j] = 0.2 + 0.01 * j;
    MUST(myr_planner_create(o, samples, sigmas, NULL, NULL, NULL, &planner));
    return planner;
}

static uint64_t mixed(uint64_t hash, const double *x, size_t n) {
    for (size_t i = 0; i < n * sizeof *x; i++) hash = (hash ^ ((const unsigned char *)x)[i]) * UINT64_C(0x100000001b3);
    return hash;
}

/* ---- bits ---------------------------------------------------------------------------------------------------------------- */

/* A closed loop of a few plans: knots and costs of all of them. */
static uint64_t closed_loop(const char *isa, int threads, myr_plan_update update) {
    const myr_plan_options o = options_of(update);
    myr_batch *robot = robot_of(isa), *samples = anymals(SAMPLES, isa, threads, NULL, NULL);
    myr_planner *planner = planner_of(&o, samples);
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (int k = 0; k < 3; k++) {
        double action[ACTIONS], all[3 * ACTIONS] = {0};
        MUST(myr_planner_start(planner, robot, 1));
        MUST(myr_planner_plan(planner, NULL));
        MUST(myr_planner_control(planner, 0, action));
        memcpy(all + ACTIONS, action, sizeof action);
        const myr_act act = {.steps = 1, .type = MYR_F64, .action = all};
        MUST(myr_batch_act(robot, &act));
        hash = mixed(hash, myr_planner_knots(planner), COUNT);
        hash = mixed(hash, myr_planner_costs(planner), SAMPLES);
        MUST(myr_planner_shift(planner, 1));
    }
    myr_planner_destroy(planner), myr_batch_free(samples), myr_batch_free(robot);
    return hash;
}

static void same_bits(void **state) {
    static const int threads[] = {1, 2, 3, 7};
    (void)state;
    for (int update = MYR_UPDATE_MPPI; update <= MYR_UPDATE_CEM; update++) {
        const uint64_t wanted = closed_loop("auto", 1, (myr_plan_update)update);
        for (int i = 0; isa_at(i); i++)
            for (int t = 0; t < 4; t++)
                if (closed_loop(isa_at(i), threads[t], (myr_plan_update)update) != wanted)
                    fail_msg("%s, %d threads, update %d: another plan", isa_at(i), threads[t], update);
    }
}

/* Samples 0 .. 19 in one batch, 20 .. 36 in another. */
static void split_samples_cost_the_same(void **state) {
    (void)state;
    myr_plan_options o = options_of(MYR_UPDATE_BEST);
    o.iterations = 1;
    myr_batch *robot = robot_of("auto");
    double cost[2][SAMPLES], sample[2][COUNT];
    for (int parts = 1; parts <= 2; parts++)
        for (int k = 0; k < parts; k++) {
            const int first = k ? 20 : 0, n = parts == 1 ? SAMPLES : k ? SAMPLES - 20 : 20;
            myr_batch *samples = anymals(n, "auto", 1, "first-env", k ? "20" : "0");
            myr_planner *planner = planner_of(&o, samples);
            myr_plan_report report;
            MUST(myr_planner_start(planner, robot, 0));
            MUST(myr_planner_plan(planner, &report));
            assert_true(isnan(report.kept) == (k == 1));
            memcpy(cost[parts - 1] + first, myr_planner_costs(planner), (size_t)n * sizeof(double));
            if (first + n == SAMPLES) MUST(myr_planner_sample(planner, 30 - first, sample[parts - 1]));
            myr_planner_destroy(planner), myr_batch_free(samples);
        }
    assert_memory_equal(cost[0], cost[1], sizeof cost[0]);
    assert_memory_equal(sample[0], sample[1], sizeof sample[0]);
    myr_batch_free(robot);
}

/* ---- what samples cost ---------------------------------------------------------------------------------------------------- */

/* Actions (steps, ACTIONS) of a sample's knots, in the floats that lanes take: a chain of fused sums over the knots. */
static void actions_of(const myr_plan_options *o, const double *knots, float *action) {
    for (int t = 0; t < o->steps; t++) {
        double w[KNOTS];
        myr_spline_at(o, t, w);
        for (int u = 0; u < ACTIONS; u++) {
            float x = 0;
            for (int k = 0; k < KNOTS; k++)
                if (w[k] != 0) x = fmaf((float)w[k], (float)knots[k * ACTIONS + u], x);
            action[t * ACTIONS + u] = x;
        }
    }
}

/* A robot of its own goes the same way and is paid the same, to the bit; pushes and commands do not come to samples. */
static void a_sample_costs_what_its_steps_pay(void **state) {
    (void)state;
    for (int spline = MYR_SPLINE_HOLD; spline <= MYR_SPLINE_CUBIC; spline++) {
        myr_plan_options o = options_of(MYR_UPDATE_MPPI);
        o.spline = (myr_spline)spline;
        myr_batch *robot = robot_of("auto"), *one = anymals(1, "auto", 1, NULL, NULL),
                  *samples = anymals(SAMPLES, "auto", 2, "push-interval", "0.02");
        myr_planner *planner = planner_of(&o, samples);
        const int64_t which[] = {0, 5, 17, SAMPLES - 1, 5};
        const size_t row = STEPS * (19 + 18), bytes = myr_batch_state_bytes(robot);
        double *states = calloc(5 * row, sizeof *states), costs[5], knots[COUNT], own[STEPS * 37], reward[STEPS];
        const size_t paid = (size_t)(STEPS * myr_task_reward_count("locomotion"));
        double *terms = calloc(5 * paid, sizeof *terms);
        float *own_terms = calloc(paid, sizeof *own_terms);
        char *place = malloc(bytes);
        assert_true(paid > STEPS && states && terms && own_terms && place);
        MUST(myr_planner_start(planner, robot, 2));
        MUST(myr_planner_plan(planner, NULL));
        MUST(myr_planner_replay(planner, which, 5, states, costs));
        MUST(myr_planner_terms(planner, which, 5, terms));
        const int64_t two = 2;
        MUST(myr_batch_get_state(robot, &two, 1, place));
        for (int i = 0; i < 5; i++) {
            float action[STEPS * ACTIONS];
            MUST(myr_planner_sample(planner, which[i], knots));
            actions_of(&o, knots, action);
            MUST(myr_batch_set_state(one, NULL, 1, place));
            uint8_t ended[STEPS];
            const myr_act act = {
                .steps = STEPS, .autoreset = MYR_AUTORESET_DISABLED, .type = MYR_F32, .action = action, .terminated = ended};
            myr_act told = act;
            float pay[STEPS], way[STEPS * 37];
            told.reward = pay, told.state = way, told.terms = own_terms;
            MUST(myr_batch_act(one, &told));
            double cost = 0;
            for (int t = 0; t < STEPS; t++) {
                assert_int_equal(ended[t], 0);
                reward[t] = (double)pay[t], cost -= reward[t];
            }
            for (int k = 0; k < STEPS * 37; k++) own[k] = (double)way[k];
            assert_memory_equal(own, states + (size_t)i * row, sizeof own);
            for (size_t k = 0; k < paid; k++) assert_true((double)own_terms[k] == terms[(size_t)i * paid + k]);
            assert_true(cost == costs[i] && cost == myr_planner_costs(planner)[which[i]]);
        }
        assert_true(costs[1] == costs[4] && costs[0] != costs[1]);
        free(states), free(terms), free(own_terms), free(place);
        myr_planner_destroy(planner), myr_batch_free(samples), myr_batch_free(one), myr_batch_free(robot);
    }
}

/* Of a robot in doubles, with steps of its own: the samples begin within a rounding of where it is. */
static void the_robot_may_compute_otherwise(void **state) {
    (void)state;
    const myr_plan_options o = options_of(MYR_UPDATE_MPPI);
    const myr_settings settings =
        scene_settings("task", "locomotion", "threads", "1", "seed", "3", "dt", "0.001", "decimation", "20", "precision", "f64", NULL);
    myr_batch *robot = scene_walkers(&settings, 2), *samples = anymals(SAMPLES, "auto", 1, NULL, NULL);
    double q[2 * 19], *states = calloc(STEPS * 37, sizeof *states), mass[2] = {1, 0.9};
    assert_non_null(states);
    MUST(myr_batch_set(robot, MYR_FRICTION, NULL, 2, MYR_F64, mass));
    const myr_act act = {.steps = 3, .type = MYR_F64};
    MUST(myr_batch_act(robot, &act));
    MUST(myr_batch_get(robot, MYR_Q, NULL, 2, MYR_F64, q));
    myr_planner *planner = planner_of(&o, samples);
    const int64_t none = 0;
    MUST(myr_planner_start(planner, robot, 1));
    MUST(myr_planner_plan(planner, NULL));
    MUST(myr_planner_replay(planner, &none, 1, states, NULL));
    for (int k = 0; k < 3; k++) assert_true(fabs(states[k] - q[19 + k]) < 0.02); /* a control step later */
    double friction[SAMPLES];
    MUST(myr_batch_get(samples, MYR_FRICTION, NULL, SAMPLES, MYR_F64, friction));
    for (int i = 0; i < 16; i++) assert_true(fabs(friction[i] - 0.9) < 1e-7); /* all go their way in the memory of the first ones */
    free(states);
    myr_planner_destroy(planner), myr_batch_free(samples), myr_batch_free(robot);
}

/* Counts of steps of dt become those of the samples, and gains that settings gave the robot are the samples'. */
static void what_the_robot_has_samples_have(void **state) {
    (void)state;
    const myr_plan_options o = options_of(MYR_UPDATE_MPPI);
    const myr_settings settings =
        scene_settings("task", "locomotion", "threads", "1", "seed", "3", "dt", "0.001", "decimation", "20", "kp", "61", NULL);
    myr_batch *robot = scene_walkers(&settings, 1), *samples = anymals(SAMPLES, "auto", 1, NULL, NULL);
    const double late = 5;
    double delay[SAMPLES], kp[SAMPLES * ACTIONS], states[2][STEPS * 37];
    const int64_t none = 0;
    MUST(myr_batch_set(robot, MYR_DELAY, NULL, 1, MYR_F64, &late));
    myr_planner *planner = planner_of(&o, samples);
    MUST(myr_planner_start(planner, robot, 0));
    MUST(myr_planner_plan(planner, NULL));
    MUST(myr_planner_replay(planner, &none, 1, states[0], NULL));
    MUST(myr_batch_get(samples, MYR_DELAY, NULL, SAMPLES, MYR_F64, delay));
    MUST(myr_batch_get(samples, MYR_KP, NULL, SAMPLES, MYR_F64, kp));
    for (int i = 0; i < 16; i++)
        assert_true(delay[i] == 1 && kp[i * ACTIONS] == 61); /* 5 ms, of steps of 5 ms; all go in the memory of the first ones */
    /* and act by them: with gains of its own, set there, a batch goes the same way */
    myr_batch *set = anymals(SAMPLES, "auto", 1, "kp", "61");
    myr_planner *again = planner_of(&o, set);
    MUST(myr_planner_start(again, robot, 0));
    MUST(myr_planner_plan(again, NULL));
    MUST(myr_planner_replay(again, &none, 1, states[1], NULL));
    assert_memory_equal(states[0], states[1], sizeof states[0]);
    assert_memory_equal(myr_planner_costs(planner), myr_planner_costs(again), SAMPLES * sizeof(double));
    myr_planner_destroy(planner), myr_planner_destroy(again);
    myr_batch_free(set), myr_batch_free(samples), myr_batch_free(robot);
}

/* A parameter that is not legal loses all samples, of the first plan and of the next. */
static void illegal_parameters_stay_so(void **state) {
    (void)state;
    const myr_plan_options o = options_of(MYR_UPDATE_MPPI);
    myr_batch *robot = robot_of("auto"), *samples = anymals(SAMPLES, "auto", 1, NULL, NULL);
    const double wrong[3] = {-1, 1, 1};
    myr_planner *planner = planner_of(&o, samples);
    myr_plan_report r;
    MUST(myr_batch_set(robot, MYR_FRICTION, NULL, 3, MYR_F64, wrong));
    MUST(myr_planner_start(planner, robot, 0));
    for (int k = 0; k < 3; k++) {
        MUST(myr_planner_plan(planner, &r));
        assert_int_equal(r.lost, SAMPLES);
    }
    myr_planner_destroy(planner), myr_batch_free(samples), myr_batch_free(robot);
}

/* CEM: the deviation of what a draw left is drawn with next, faded once; never below the least. */
static void cem_fades_once(void **state) {
    (void)state;
    myr_plan_options o = options_of(MYR_UPDATE_CEM);
    o.iterations = 3, o.elites = SAMPLES, o.fade_iteration = 0.5, o.fade_horizon = 0.8, o.least_sigma = 1e-6, o.keep_sigma = 0;
    myr_batch *robot = robot_of("auto"), *samples = anymals(SAMPLES, "auto", 1, NULL, NULL);
    myr_planner *planner = planner_of(&o, samples);
    double knots[COUNT], square = 0;
    MUST(myr_planner_start(planner, robot, 0));
    MUST(myr_planner_plan(planner, NULL));
    /* all are elite: each draw's deviation is what it was drawn with, so the third has a quarter of the first, which near knots have less
     * of */
    for (int i = 1; i < SAMPLES; i++) {
        MUST(myr_planner_sample(planner, i, knots));
        double zero[COUNT];
        MUST(myr_planner_sample(planner, 0, zero));
        for (int j = 0; j < COUNT; j++) {
            const double sigma = (0.2 + 0.01 * j) * pow(0.8, KNOTS - 1 - j / ACTIONS) * 0.25, off = (knots[j] - zero[j]) / sigma;
            square += off * off / ((SAMPLES - 1) * COUNT);
        }
    }
    assert_true(square > 0.7 && square < 1.3);
    myr_planner_destroy(planner), myr_batch_free(samples), myr_batch_free(robot);
}

/* ---- updates -------------------------------------------------------------------------------------------------------------- */

static void updates_are_those_of_plain_loops(void **state) {
    (void)state;
    for (int update = MYR_UPDATE_MPPI; update <= MYR_UPDATE_CEM; update++) {
        myr_plan_options o = options_of((myr_plan_update)update);
        o.iterations = 1, o.keep_sigma = 1, o.temperature = 0.3;
        myr_batch *robot = robot_of("auto"), *samples = anymals(SAMPLES, "auto", 2, NULL, NULL);
        myr_planner *planner = planner_of(&o, samples);
        myr_plan_report r;
        MUST(myr_planner_start(planner, robot, 0));
        MUST(myr_planner_plan(planner, &r));
        const double *cost = myr_planner_costs(planner), *plan = myr_planner_knots(planner), *sigma = myr_planner_sigma(planner);
        double knots[SAMPLES][COUNT], weight[SAMPLES], least = INFINITY, mean = 0, deviation = 0, total = 0, squares = 0;
        for (int i = 0; i < SAMPLES; i++) {
            MUST(myr_planner_sample(planner, i, knots[i]));
            least = fmin(least, cost[i]), mean += cost[i] / SAMPLES;
        }
        for (int j = 0; j < COUNT; j++) assert_true(knots[0][j] == 0 && knots[1][j] != 0); /* sample 0 is the plan that was */
        for (int i = 0; i < SAMPLES; i++) deviation += (cost[i] - mean) * (cost[i] - mean) / SAMPLES;
        deviation = sqrt(deviation);
        assert_true(r.least == least && fabs(r.mean - mean) < 1e-12 && fabs(r.deviation - deviation) < 1e-12 && r.kept == cost[0] &&
                    r.lost == 0);
        for (int i = 0; i < SAMPLES; i++) {
            int cheaper = 0;
            for (int k = 0; k < SAMPLES; k++) cheaper += cost[k] < cost[i] || (cost[k] == cost[i] && k < i);
            weight[i] =
                update == MYR_UPDATE_MPPI ? exp(-(cost[i] - least) / (0.3 * deviation)) : cheaper < (update == MYR_UPDATE_BEST ? 1 : 5);
            if (cheaper == 0) assert_int_equal(r.best, i);
            total += weight[i], squares += weight[i] * weight[i];
        }
        assert_true(fabs(r.effective - total * total / squares) < 1e-9);
        for (int j = 0; j < COUNT; j++) {
            double x = 0, variance = 0;
            for (int i = 0; i < SAMPLES; i++) x += weight[i] * knots[i][j] / total;
            for (int i = 0; i < SAMPLES; i++) variance += weight[i] * (knots[i][j] - x) * (knots[i][j] - x) / total;
            assert_true(fabs(plan[j] - x) < 1e-12);
            assert_true(fabs(sigma[j] - (update == MYR_UPDATE_CEM ? fmax(0.01, sqrt(variance)) : 0.2 + 0.01 * j)) < 1e-12);
        }
        myr_planner_destroy(planner), myr_batch_free(samples), myr_batch_free(robot);
    }
}

/* Noise of a unit normal: mean, deviation, and none where it is not wanted. */
static void noise_is_normal(void **state) {
    enum { MANY = 4096 };
    (void)state;
    myr_plan_options o = options_of(MYR_UPDATE_BEST);
    o.iterations = 1, o.steps = 1, o.keep_first = 1, o.fade_horizon = 0.5;
    myr_batch *robot = robot_of("auto"), *samples = anymals(MANY, "auto", 2, NULL, NULL);
    myr_planner *planner = planner_of(&o, samples);
    double knots[COUNT], sum[KNOTS] = {0}, square[KNOTS] = {0}, fourth[KNOTS] = {0};
    MUST(myr_planner_start(planner, robot, 0));
    MUST(myr_planner_plan(planner, NULL));
    for (int i = 1; i < MANY; i++) {
        MUST(myr_planner_sample(planner, i, knots));
        for (int j = 0; j < COUNT; j++) {
            const double x = knots[j] / (0.2 + 0.01 * j) / pow(0.5, KNOTS - 1 - j / ACTIONS);
            sum[j / ACTIONS] += x, square[j / ACTIONS] += x * x, fourth[j / ACTIONS] += x * x * x * x;
        }
    }
    const double n = (MANY - 1) * ACTIONS;
    assert_true(sum[0] == 0 && square[0] == 0);
    for (int k = 1; k < KNOTS; k++) assert_true(fabs(sum[k] / n) < 0.02 && fabs(square[k] / n - 1) < 0.03 && fabs(fourth[k] / n - 3) < 0.2);
    myr_planner_destroy(planner), myr_batch_free(samples), myr_batch_free(robot);
}

static void splines_run_through_their_knots(void **state) {
    (void)state;
    for (int spline = MYR_SPLINE_HOLD; spline <= MYR_SPLINE_CUBIC; spline++) {
        myr_plan_options o = options_of(MYR_UPDATE_MPPI);
        o.spline = (myr_spline)spline, o.steps = 13;
        myr_batch *samples = anymals(1, "auto", 1, NULL, NULL);
        myr_planner *planner = planner_of(&o, samples);
        double *knots = myr_planner_knots(planner), at[ACTIONS], before[5][ACTIONS];
        const double apart = spline == MYR_SPLINE_HOLD ? 13.0 / KNOTS : 4;
        for (int j = 0; j < COUNT; j++) knots[j] = sin(3 * j);
        for (int k = 0; k < KNOTS; k++) {
            MUST(myr_planner_control(planner, apart * k, at));
            for (int u = 0; u < ACTIONS; u++) assert_true(fabs(at[u] - knots[k * ACTIONS + u]) < 1e-12);
        }
        MUST(myr_planner_control(planner, 1e6, at));
        for (int u = 0; u < ACTIONS; u++) assert_true(at[u] == knots[(KNOTS - 1) * ACTIONS + u]);
        MUST(myr_planner_control(planner, -3, at));
        for (int u = 0; u < ACTIONS; u++) assert_true(at[u] == knots[u]);
        /* a straight line is one for every spline that is more than steps */
        for (int j = 0; j < COUNT && spline != MYR_SPLINE_HOLD; j++) knots[j] = 2.0 * (j / ACTIONS) + j % ACTIONS;
        for (int i = 0; i < 5 && spline != MYR_SPLINE_HOLD; i++) {
            MUST(myr_planner_control(planner, 2.7 * i, at));
            for (int u = 0; u < ACTIONS; u++) assert_true(fabs(at[u] - (2 * fmin(2.7 * i / 4, 3) + u)) < 1e-12);
        }
        /* by as much as knots are apart the plan moves as it is */
        for (int j = 0; j < COUNT; j++) knots[j] = sin(3 * j);
        for (int i = 0; i < 5; i++) MUST(myr_planner_control(planner, apart + i, before[i]));
        MUST(myr_planner_shift(planner, apart));
        for (int i = 0; i < 5 && spline != MYR_SPLINE_CUBIC; i++) { /* whose slopes at the end are others then */
            MUST(myr_planner_control(planner, i, at));
            for (int u = 0; u < ACTIONS; u++) assert_true(fabs(at[u] - before[i][u]) < 1e-12);
        }
        if (spline == MYR_SPLINE_HOLD) { /* step by step, it is what it was, however the steps fall between the knots */
            for (int j = 0; j < COUNT; j++) knots[j] = sin(3 * j);
            for (int i = 0; i < 5; i++) MUST(myr_planner_control(planner, i + 0.4, before[i]));
            for (int i = 0; i < 5; i++, myr_planner_shift(planner, 1)) {
                MUST(myr_planner_control(planner, 0.4, at));
                assert_memory_equal(at, before[i], sizeof at);
            }
        }
        MUST(myr_planner_shift(planner, 0.5 * apart)); /* any real number, past the end too */
        MUST(myr_planner_shift(planner, 1e8));
        for (int j = ACTIONS; j < COUNT; j++) assert_true(knots[j] == knots[j % ACTIONS]);
        myr_planner_destroy(planner), myr_batch_free(samples);
    }
}

/* ---- what is lost, and mistakes ------------------------------------------------------------------------------------------- */

/* A robot on its back is lost whatever it does: the plan stays. Some that act wildly fall, and weigh nothing. */
static void the_lost_weigh_nothing(void **state) {
    (void)state;
    myr_plan_options o = options_of(MYR_UPDATE_CEM);
    o.steps = 40, o.elites = SAMPLES, o.iterations = 1;
    const myr_settings settings =
        scene_settings("task", "locomotion", "threads", "1", "seed", "3", "dt", "0.005", "decimation", "4", "action-clip", "100", NULL);
    myr_batch *robot = robot_of("auto"), *samples = scene_walkers(&settings, SAMPLES);
    myr_planner *planner = planner_of(&o, samples);
    double *sigma = myr_planner_sigma(planner), *plan = myr_planner_knots(planner), knots[COUNT];
    myr_plan_report r;
    for (int j = 0; j < COUNT; j++) sigma[j] = 6;
    MUST(myr_planner_start(planner, robot, 0));
    MUST(myr_planner_plan(planner, &r));
    const double *cost = myr_planner_costs(planner);
    double mean[COUNT] = {0};
    int lost = 0;
    for (int i = 0; i < SAMPLES; i++) {
        MUST(myr_planner_sample(planner, i, knots));
        lost += isinf(cost[i]);
        for (int j = 0; j < COUNT && isfinite(cost[i]); j++) mean[j] += knots[j];
    }
    assert_int_equal(r.lost, lost);
    assert_true(lost > 0 && lost < SAMPLES && fabs(r.effective - (SAMPLES - lost)) < 1e-9);
    for (int j = 0; j < COUNT; j++) assert_true(fabs(plan[j] - mean[j] / (SAMPLES - lost)) < 1e-9);
    const double over[7] = {0, 0, 0.3, 0, 1, 0, 0};
    double q[3 * 19];
    MUST(myr_batch_get(robot, MYR_Q, NULL, 3, MYR_F64, q));
    memcpy(q, over, sizeof over);
    MUST(myr_batch_set(robot, MYR_Q, NULL, 3, MYR_F64, q));
    for (int j = 0; j < COUNT; j++) plan[j] = 0.01 * j;
    MUST(myr_planner_start(planner, robot, 0));
    MUST(myr_planner_plan(planner, &r));
    assert_true(r.lost == SAMPLES && r.best == -1 && isnan(r.least) && isnan(r.mean) && r.effective == 0 && isinf(r.kept));
    for (int j = 0; j < COUNT; j++) assert_true(plan[j] == 0.01 * j);
    myr_planner_destroy(planner), myr_batch_free(samples), myr_batch_free(robot);
}

static void mistakes(void **state) {
    (void)state;
    const double nan[ACTIONS] = {0, NAN}, high[ACTIONS] = {0}, low[ACTIONS] = {0, 0, 1};
    myr_batch *samples = anymals(SAMPLES, "auto", 1, NULL, NULL), *robot = robot_of("auto");
    myr_planner *planner = planner_of(&(myr_plan_options){.steps = 1, .knots = KNOTS, .iterations = 1, .temperature = 1}, samples);
    double action[ACTIONS], *knots = myr_planner_knots(planner), *sigma = myr_planner_sigma(planner);
    const int64_t one = 1, far = SAMPLES;
    MUST_FAIL(myr_planner_plan(planner, NULL), MYR_E_STATE, "myr_planner_start");
    MUST_FAIL(myr_planner_sample(planner, 0, action), MYR_E_STATE, "no plan was made yet");
    MUST_FAIL(myr_planner_start(planner, robot, 3), MYR_E_ARG, "3");
    MUST_FAIL(myr_planner_start(planner, NULL, 0), MYR_E_ARG, "NULL");
    MUST(myr_planner_start(planner, robot, 2));
    MUST(myr_planner_plan(planner, NULL));
    MUST_FAIL(myr_planner_replay(planner, &far, 1, NULL, NULL), MYR_E_ARG, "sample 37 is not one of 0 .. 36");
    MUST_FAIL(myr_planner_replay(planner, NULL, 1, NULL, NULL), MYR_E_ARG, "samples NULL");
    MUST(myr_planner_replay(planner, &one, 1, NULL, NULL));
    MUST_FAIL(myr_planner_terms(planner, &far, 1, action), MYR_E_ARG, "myr_planner_terms: sample 37 is not one of 0 .. 36");
    MUST(myr_planner_terms(planner, &one, 1, NULL));
    MUST_FAIL(myr_planner_control(planner, NAN, action), MYR_E_ARG, "the control step is");
    MUST_FAIL(myr_planner_control(planner, 0, NULL), MYR_E_ARG, "action is NULL");
    MUST_FAIL(myr_planner_shift(planner, -1), MYR_E_ARG, "the control step is -1");
    knots[ACTIONS + 2] = NAN;
    MUST_FAIL(myr_planner_plan(planner, NULL), MYR_E_ARG, "the plan's knot 1, action 2, is not finite");
    knots[ACTIONS + 2] = 0, sigma[3] = -1;
    MUST_FAIL(myr_planner_plan(planner, NULL), MYR_E_ARG, "sigma of knot 0, action 3, is -1");
    sigma[3] = 0.1;
    double v[3 * 18] = {0};
    v[2 * 18 + 4] = 1e9;
    MUST(myr_batch_set(robot, MYR_V, NULL, 3, MYR_F64, v));
    MUST(myr_batch_step(robot, 1));
    MUST_FAIL(myr_planner_start(planner, robot, 2), MYR_E_STATE, "environment 2 is quarantined");
    MUST(myr_planner_start(planner, robot, 1));
    myr_planner_destroy(planner);
    static const struct {
        const char *says;
        myr_plan_options o;
    } wrong[] = {
        {"steps is 0", {.steps = 0, .knots = KNOTS, .iterations = 1, .temperature = 1}},
        {"knots is 0", {.steps = 1, .knots = 0, .iterations = 1, .temperature = 1}},
        {"knots is 257", {.steps = 1, .knots = 257, .iterations = 1, .temperature = 1}},
        {"iterations is 0", {.steps = 1, .knots = KNOTS, .temperature = 1}},
        {"temperature is 0", {.steps = 1, .knots = KNOTS, .iterations = 1}},
        {"elites is 38, but must be between 1 and 37",
         {.steps = 1, .knots = KNOTS, .iterations = 1, .temperature = 1, .update = MYR_UPDATE_CEM, .elites = 38}},
        {"fade_horizon is -1", {.steps = 1, .knots = KNOTS, .iterations = 1, .temperature = 1, .fade_horizon = -1}},
        {"spline is 7", {.steps = 1, .knots = KNOTS, .iterations = 1, .temperature = 1, .spline = (myr_spline)7}},
        {"update is 9", {.steps = 1, .knots = KNOTS, .iterations = 1, .temperature = 1, .update = (myr_plan_update)9}},
    };
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++)
        MUST_FAIL(myr_planner_create(&wrong[k].o, samples, sigmas, NULL, NULL, NULL, &planner), MYR_E_ARG, wrong[k].says);
    const myr_plan_options o = options_of(MYR_UPDATE_MPPI);
    MUST_FAIL(myr_planner_create(&o, samples, NULL, NULL, NULL, NULL, &planner), MYR_E_ARG, "sigma is NULL");
    MUST_FAIL(myr_planner_create(&o, samples, sigmas, low, high, NULL, &planner), MYR_E_ARG, "action 2 lies between lower 1 and upper 0");
    MUST_FAIL(myr_planner_create(&o, samples, sigmas, nan, NULL, NULL, &planner), MYR_E_ARG, "action 1 lies between lower nan");
    double terminal[64] = {[5] = INFINITY};
    MUST_FAIL(myr_planner_create(&o, samples, sigmas, NULL, NULL, terminal, &planner), MYR_E_ARG, "terminal, term 5");
    assert_null(planner);
    const myr_settings stand = scene_settings("task", "stand", "threads", "1", NULL);
    myr_batch *standing = scene_walkers(&stand, 4);
    MUST_FAIL(myr_planner_create(&o, standing, sigmas, NULL, NULL, NULL, &planner), MYR_E_STATE, "stand");
    planner = planner_of(&o, samples);
    MUST_FAIL(myr_planner_start(planner, standing, 0), MYR_E_ARG, "the robot does the task 'stand', but the samples do 'locomotion'");
    myr_model *solo = NULL;
    MUST(myr_model_load("solo12", MYR_ROOT_AUTO, &solo));
    const myr_settings walk = scene_settings("task", "locomotion", "threads", "1", NULL);
    myr_batch *other = NULL;
    MUST(myr_batch_create(solo, 1, &walk, &other));
    MUST_FAIL(myr_planner_start(planner, other, 0), MYR_E_ARG, "another robot");
    myr_planner_destroy(planner), myr_planner_destroy(NULL);
    myr_batch_free(other), myr_model_free(solo), myr_batch_free(standing), myr_batch_free(robot), myr_batch_free(samples);
}

/* ---- memory --------------------------------------------------------------------------------------------------------------- */

static void no_memory_but_its_own(void **state) {
    (void)state;
    ledger l = {0};
    const myr_allocator counted = {count_allocation, count_release, &l};
    myr_batch *samples = anymals(SAMPLES, "auto", 2, NULL, NULL), *robot = robot_of("auto");
    const myr_plan_options o = options_of(MYR_UPDATE_CEM);
    myr_planner *planner = NULL;
    double action[ACTIONS];
    const int64_t which = 3;
    for (int j = 0; j < COUNT; j++) sigmas[j] = 0.1;
    myr_set_allocator(&counted);
    for (l.fails_at = 1;; l.fails_at++, l.calls = 0) { /* whichever fails, what was taken is given back */
        const myr_status status = myr_planner_create(&o, samples, sigmas, NULL, NULL, NULL, &planner);
        if (status == MYR_OK) break;
        assert_int_equal(status, MYR_E_MEMORY);
        assert_int_equal(l.live, 0);
    }
    assert_true(l.fails_at > 10 && myr_planner_bytes(planner) > 1000);
    const int calls = l.calls;
    MUST(myr_planner_start(planner, robot, 0));
    for (int k = 0; k < 3; k++) MUST(myr_planner_plan(planner, NULL));
    MUST(myr_planner_control(planner, 0.5, action));
    MUST(myr_planner_shift(planner, 0.5));
    MUST(myr_planner_replay(planner, &which, 1, NULL, action));
    assert_int_equal(l.calls, calls);
    myr_planner_destroy(planner);
    assert_int_equal(l.live, 0);
    myr_set_allocator(NULL);
    myr_batch_free(samples), myr_batch_free(robot);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_bits),
        cmocka_unit_test(split_samples_cost_the_same),
        cmocka_unit_test(a_sample_costs_what_its_steps_pay),
        cmocka_unit_test(the_robot_may_compute_otherwise),
        cmocka_unit_test(what_the_robot_has_samples_have),
        cmocka_unit_test(illegal_parameters_stay_so),
        cmocka_unit_test(cem_fades_once),
        cmocka_unit_test(updates_are_those_of_plain_loops),
        cmocka_unit_test(noise_is_normal),
        cmocka_unit_test(splines_run_through_their_knots),
        cmocka_unit_test(the_lost_weigh_nothing),
        cmocka_unit_test(mistakes),
        cmocka_unit_test(no_memory_but_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

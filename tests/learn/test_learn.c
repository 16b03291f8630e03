/* ctest: threads heavy lanes
 * The learner as a whole: the same bits for every number of threads and every instruction set, with a task of the library and with arrays;
 * going on from a checkpoint; and what it says when it is used wrongly or the training diverges.
 *
 *   MYRIAPOD_LEARN_HASHES=50 test_learn
 *
 * prints the hash of what is known after 50 iterations, for each instruction set and number of threads; check_learn_bits.py compares
 * compilers. */
#include "support/batch_scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/isas.h"
#include "kernels/kernels.h"
#include "learn/learner.h"
#include "learn/net.h"

enum { ENVS = 130, SEEN = 48, ACTIONS = 12, STEPS = 4, MOST = 200000 };

static myr_learn_options options_of(const char *isa, int threads) {
    myr_learn_options o;
    myr_learn_options_default(&o);
    o.envs = ENVS, o.observations = SEEN, o.actions = ACTIONS, o.steps = STEPS, o.epochs = 2, o.minibatches = 2, o.threads = threads,
    o.seed = 7;
    o.hidden_layers = 2, o.hidden[0] = 33, o.hidden[1] = 16;
    snprintf(o.isa, sizeof o.isa, "%s", isa);
    return o;
}

static uint64_t hash_of(const myr_learner *learner) {
    static float numbers[MOST];
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    const int64_t count = myr_learner_count(learner);
    assert_true(count <= MOST);
    for (int what = MYR_LEARNED_WEIGHTS; what <= MYR_LEARNED_AVERAGE; what++) {
        MUST(myr_learner_get(learner, (myr_learned)what, numbers));
        for (size_t i = 0; i < (size_t)count * sizeof *numbers; i++)
            hash = (hash ^ ((const unsigned char *)numbers)[i]) * UINT64_C(0x100000001b3);
    }
    return hash;
}

/* A made-up task: what is seen depends on what was done, so that every bit counts. */
static void live(myr_learner *learner, float *seen) {
    static float action[ENVS * ACTIONS], reward[ENVS];
    static uint8_t terminated[ENVS], truncated[ENVS];
    for (int t = 0; t < STEPS; t++) {
        MUST(myr_learner_act(learner, seen, action));
        for (int e = 0; e < ENVS; e++) {
            reward[e] = action[e * ACTIONS] - 0.1f * seen[e * SEEN], terminated[e] = (e + t) % 29 == 0, truncated[e] = (e + t) % 31 == 0;
            for (int i = 0; i < SEEN; i++) seen[e * SEEN + i] = 0.5f * seen[e * SEEN + i] + 0.5f * action[e * ACTIONS + i % ACTIONS];
        }
        MUST(myr_learner_reward(learner, reward, terminated, truncated));
    }
}

static void begin(float *seen) {
    for (int i = 0; i < ENVS * SEEN; i++) seen[i] = (float)(i % 89) * 0.02f - 0.9f;
}

static uint64_t learn_arrays(const char *isa, int threads, int iterations) {
    static float seen[ENVS * SEEN];
    const myr_learn_options o = options_of(isa, threads);
    myr_learner *learner = NULL;
    myr_learn_report report;
    MUST(myr_learner_create(&o, &learner));
    begin(seen);
    for (int i = 0; i < iterations; i++) {
        live(learner, seen);
        MUST(myr_learner_update(learner, seen, &report));
    }
    assert_true(report.iteration == iterations && report.samples == iterations * ENVS * STEPS && report.episodes > 0 && report.failed > 0 &&
                report.failed < report.episodes);
    const uint64_t hash = hash_of(learner);
    myr_learner_destroy(learner);
    return hash;
}

static myr_batch *walkers(const char *isa, int threads) {
    char count[16];
    snprintf(count, sizeof count, "%d", threads);
    const myr_settings settings = scene_settings("task", "locomotion", "threads", count, "isa", isa, "seed", "3", "dt", "0.005",
                                                 "decimation", "4", "episode", "0.2", NULL);
    return scene_walkers(&settings, ENVS);
}

static uint64_t learn_to_walk(const char *isa, int threads, int iterations) {
    const myr_learn_options o = options_of(isa, threads);
    myr_batch *batch = walkers(isa, threads);
    myr_learner *learner = NULL;
    myr_learn_report report;
    double returns = 0, terms = 0;
    int64_t episodes = 0;
    MUST(myr_learner_create(&o, &learner));
    for (int i = 0; i < iterations; i++) {
        MUST(myr_learner_collect(learner, batch));
        MUST(myr_learner_update(learner, NULL, &report));
        episodes += report.episodes, returns += report.episode_return;
        for (int k = 0; k < MYR_LEARN_TERMS; k++) terms += report.episode_terms[k];
    }
    /* a step's reward is not below zero, the sum of its terms may be */
    assert_true(episodes > 0 && returns >= 0 && terms < 0);
    const uint64_t hash = hash_of(learner);
    myr_learner_destroy(learner);
    myr_batch_free(batch);
    return hash;
}

static const int threads[] = {1, 2, 3, 7};

static int print_hashes(int iterations) {
    for (int i = 0; isa_at(i); i++)
        for (int t = 0; t < 4; t++)
            if (myr_learn_kernels_get(isa_at(i)))
                printf("%s %d threads: arrays %016llx, walking %016llx\n", isa_at(i), threads[t],
                       (unsigned long long)learn_arrays(isa_at(i), threads[t], iterations),
                       (unsigned long long)learn_to_walk(isa_at(i), threads[t], iterations));
    return 0;
}

static void same_bits(void **state) {
    const uint64_t arrays = learn_arrays("auto", 1, 3), walking = learn_to_walk("auto", 1, 5);
    (void)state;
    for (int i = 0; isa_at(i); i++)
        for (int t = 0; t < 4; t++) {
            if (!myr_learn_kernels_get(isa_at(i))) continue;
            if (learn_arrays(isa_at(i), threads[t], 3) != arrays || learn_to_walk(isa_at(i), threads[t], 5) != walking)
                fail_msg("%s, %d threads: other weights", isa_at(i), threads[t]);
        }
}

/* Another seed has other weights, or equal bits would say nothing. */
static void seeds_differ(void **state) {
    (void)state;
    myr_learn_options o = options_of("auto", 1);
    myr_learner *a = NULL, *b = NULL;
    MUST(myr_learner_create(&o, &a));
    o.seed++;
    MUST(myr_learner_create(&o, &b));
    assert_true(hash_of(a) != hash_of(b));
    myr_learner_destroy(a), myr_learner_destroy(b);
}

static void a_checkpoint_goes_on(void **state) {
    static float numbers[4][MOST], seen[ENVS * SEEN], kept[ENVS * SEEN];
    const myr_learn_options o = options_of("auto", 2);
    myr_learner *whole = NULL, *later = NULL;
    myr_learn_progress progress;
    (void)state;
    MUST(myr_learner_create(&o, &whole));
    begin(seen);
    for (int i = 0; i < 4; i++) {
        if (i == 2) {
            memcpy(kept, seen, sizeof seen);
            for (int w = 0; w < 4; w++) MUST(myr_learner_get(whole, (myr_learned)w, numbers[w]));
            myr_learner_progress(whole, &progress);
        }
        live(whole, seen);
        MUST(myr_learner_update(whole, seen, NULL));
    }
    MUST(myr_learner_create(&o, &later));
    for (int w = 0; w < 4; w++) MUST(myr_learner_set(later, (myr_learned)w, numbers[w]));
    MUST(myr_learner_resume(later, &progress));
    for (int i = 0; i < 2; i++) {
        live(later, kept);
        MUST(myr_learner_update(later, kept, NULL));
    }
    assert_true(hash_of(whole) == hash_of(later));
    myr_learner_destroy(whole), myr_learner_destroy(later);
}

/* Counts that a file may claim: what a training cannot have is refused, and what it can have is taken at once. Adam's powers of beta, which
 * the gradient step goes by, are those of so many products whatever the count. */
static void any_number_of_steps_resumes_at_once(void **state) {
    (void)state;
    const myr_learn_options o = options_of("auto", 1);
    const int64_t most = INT64_C(1) << 40, samples = o.envs * o.steps, steps[] = {0, 1, 900, 800000, 2000000, most};
    myr_learner *learner;
    MUST(myr_learner_create(&o, &learner));
    for (size_t k = 0; k < sizeof steps / sizeof *steps; k++) { /* one product after the other would take an hour for the last */
        const myr_learn_progress progress = {.iterations = 3, .gradient_steps = steps[k], .rate = 1e-3};
        double mean = 1, square = 1;
        MUST(myr_learner_resume(learner, &progress));
        for (int64_t n = 0; n < steps[k] && n < 3000000; n++) mean *= MYR_ADAM_MEAN, square *= MYR_ADAM_SQUARE;
        assert_memory_equal(&learner->mean_power, &mean, sizeof mean);
        assert_memory_equal(&learner->square_power, &square, sizeof square);
    }
    const int64_t last = (INT64_C(1) << 62) / samples < most ? (INT64_C(1) << 62) / samples : most;
    const struct {
        myr_learn_progress progress;
        const char *words;
    } refused[] = {{{INT64_MAX, 0, 1e-3}, "iterations is 9223372036854775807, but must be 0 to"},
                   {{last + 1, 0, 1e-3}, "samples in each"},
                   {{0, most + 1, 1e-3}, "gradient_steps is 1099511627777, but must be 0 to 1099511627776"}};
    for (size_t k = 0; k < sizeof refused / sizeof *refused; k++) {
        myr_learn_progress kept;
        MUST_FAIL(myr_learner_resume(learner, &refused[k].progress), MYR_E_ARG, refused[k].words);
        myr_learner_progress(learner, &kept);
        assert_true(kept.iterations == 3 && kept.gradient_steps == most);
    }
    const myr_learn_progress far = {.iterations = last, .gradient_steps = 0, .rate = 1e-3};
    MUST(myr_learner_resume(learner, &far));
    float *seen = calloc((size_t)(o.envs * o.observations), sizeof *seen), *action = malloc((size_t)(o.envs * o.actions) * sizeof *action);
    MUST(myr_learner_act(learner, seen, action));
    free(seen), free(action);
    myr_learner_destroy(learner);
}

/* ---- mistakes --------------------------------------------------------------------------------------------------------- */

#define REFUSED(field, value, word)                                                                                                        \
    do {                                                                                                                                   \
        myr_learn_options o = options_of("auto", 1);                                                                                       \
        myr_learner *learner = (myr_learner *)(uintptr_t)1;                                                                                \
        o.field = value;                                                                                                                   \
        MUST_FAIL(myr_learner_create(&o, &learner), MYR_E_ARG, word);                                                                      \
        assert_null(learner);                                                                                                              \
    } while (0)

static void options_are_judged(void **state) {
    (void)state;
    REFUSED(envs, 0, "envs is 0");
    REFUSED(observations, 0, "observations is 0");
    REFUSED(actions, MYR_LEARN_MOST_ACTIONS + 1, "actions is 129");
    REFUSED(hidden_layers, 5, "hidden_layers is 5");
    REFUSED(hidden[1], 513, "513");
    REFUSED(activation, (myr_activation)3, "activation is 3");
    REFUSED(steps, 0, "steps is 0");
    REFUSED(epochs, 0, "epochs is 0");
    REFUSED(minibatches, 1000, "minibatches is 1000");
    REFUSED(clip_param, 0, "clip_param is 0");
    REFUSED(gamma, 1.5, "gamma is 1.5");
    REFUSED(lam, -0.1, "lam is -0.1");
    REFUSED(learning_rate, NAN, "learning_rate is ");
    REFUSED(learning_rate, 0, "learning_rate is 0");
    REFUSED(desired_kl, -1, "desired_kl is -1");
    REFUSED(max_grad_norm, 0, "max_grad_norm is 0");
    REFUSED(deviation, INFINITY, "deviation is inf");
    REFUSED(average, 1, "average is 1");
    REFUSED(threads, -1, "threads is -1");
    myr_learn_options o = options_of("sse9", 1);
    myr_learner *learner = NULL;
    MUST_FAIL(myr_learner_create(&o, &learner), MYR_E_ARG, "sse9");
    MUST_FAIL(myr_learner_create(NULL, &learner), MYR_E_ARG, "options is NULL");
    MUST_FAIL(myr_learner_create(&o, NULL), MYR_E_ARG, "out is NULL");
    myr_learner_destroy(NULL);
    assert_true(myr_learner_count(NULL) == 0 && myr_learner_bytes(NULL) == 0);
}

static void calls_are_in_order(void **state) {
    static float seen[ENVS * SEEN], action[ENVS * ACTIONS], reward[ENVS], numbers[MOST];
    static const uint8_t no[ENVS] = {0};
    const myr_learn_options o = options_of("auto", 1);
    myr_learner *learner = NULL;
    (void)state;
    MUST(myr_learner_create(&o, &learner));
    const uint64_t before = hash_of(learner);
    MUST_FAIL(myr_learner_update(learner, seen, NULL), MYR_E_STATE, "0 of 4 control steps");
    MUST_FAIL(myr_learner_reward(learner, reward, no, no), MYR_E_STATE, "no action was asked for");
    MUST(myr_learner_act(learner, seen, action));
    MUST_FAIL(myr_learner_act(learner, seen, action), MYR_E_STATE, "reward of the last action");
    reward[3] = NAN;
    MUST_FAIL(myr_learner_reward(learner, reward, no, no), MYR_E_ARG, "environment 3");
    reward[3] = 0;
    MUST(myr_learner_reward(learner, reward, no, no));
    seen[5 * SEEN + 1] = INFINITY;
    MUST_FAIL(myr_learner_act(learner, seen, action), MYR_E_ARG, "environment 5");
    seen[5 * SEEN + 1] = 0;
    myr_batch *batch = walkers("auto", 1);
    MUST_FAIL(myr_learner_collect(learner, batch), MYR_E_STATE, "1 of 4 control steps");
    for (int t = 1; t < STEPS; t++) {
        MUST(myr_learner_act(learner, seen, action));
        MUST(myr_learner_reward(learner, reward, no, no));
    }
    MUST_FAIL(myr_learner_act(learner, seen, action), MYR_E_STATE, "myr_learner_update");
    MUST_FAIL(myr_learner_update(learner, NULL, NULL), MYR_E_ARG, "observation is NULL");
    assert_true(hash_of(learner) == before);
    MUST(myr_learner_update(learner, seen, NULL));
    MUST(myr_learner_get(learner, MYR_LEARNED_WEIGHTS, numbers));
    numbers[17] = NAN;
    MUST_FAIL(myr_learner_set(learner, MYR_LEARNED_WEIGHTS, numbers), MYR_E_ARG, "number 17");
    MUST_FAIL(myr_learner_get(learner, (myr_learned)9, numbers), MYR_E_ARG, "9");
    const myr_learn_progress progress = {-1, 0, 1e-3};
    MUST_FAIL(myr_learner_resume(learner, &progress), MYR_E_ARG, "iterations is -1");
    myr_learner_destroy(learner);
    myr_learn_options other = o;
    other.envs = ENVS - 1;
    MUST(myr_learner_create(&other, &learner));
    MUST_FAIL(myr_learner_collect(learner, batch), MYR_E_ARG, "129 environments");
    myr_learner_destroy(learner);
    myr_batch_free(batch);
}

/* Rewards near the largest float: the value's loss overflows. The weights stay those before. */
static void divergence_is_told(void **state) {
    static float seen[ENVS * SEEN], action[ENVS * ACTIONS], reward[ENVS];
    static const uint8_t no[ENVS] = {0};
    const myr_learn_options o = options_of("auto", 2);
    myr_learner *learner = NULL;
    (void)state;
    MUST(myr_learner_create(&o, &learner));
    const uint64_t before = hash_of(learner);
    begin(seen);
    for (int e = 0; e < ENVS; e++) reward[e] = 3e38f;
    for (int t = 0; t < STEPS; t++) {
        MUST(myr_learner_act(learner, seen, action));
        MUST(myr_learner_reward(learner, reward, no, no));
    }
    MUST_FAIL(myr_learner_update(learner, seen, NULL), MYR_E_STATE, "has diverged in iteration 0");
    assert_true(hash_of(learner) == before);
    live(learner, seen); /* it can go on */
    MUST(myr_learner_update(learner, seen, NULL));
    myr_learner_destroy(learner);
}

int main(void) {
    const char *hashes = getenv("MYRIAPOD_LEARN_HASHES");
    if (hashes) return print_hashes(atoi(hashes));
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_bits),
                                       cmocka_unit_test(seeds_differ),
                                       cmocka_unit_test(a_checkpoint_goes_on),
                                       cmocka_unit_test(options_are_judged),
                                       cmocka_unit_test(calls_are_in_order),
                                       cmocka_unit_test(divergence_is_told),
                                       cmocka_unit_test(any_number_of_steps_resumes_at_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

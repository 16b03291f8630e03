/* test_floating_point.c of the learner and of policies: every call of them in every environment, all weights with the same bits. */
#include "support/floating_point.h"

#include <stdlib.h>

enum { ENVS = 20, SEEN = 48, ACTIONS = 12, STEPS = 3, MOST = 100000 };

static void see_learner(myr_learner *learner) {
    static float numbers[MOST];
    myr_learn_progress progress;
    int64_t count;
    size_t bytes;
    IN(count = myr_learner_count(learner));
    IN(bytes = myr_learner_bytes(learner));
    assert_true(count > 0 && count <= MOST && bytes > 0);
    for (int what = MYR_LEARNED_WEIGHTS; what <= MYR_LEARNED_AVERAGE; what++) {
        IN_MUST(myr_learner_get(learner, (myr_learned)what, numbers));
        saw("numbers", numbers, (size_t)count * sizeof *numbers);
        IN_MUST(myr_learner_set(learner, (myr_learned)what, numbers));
    }
    IN(myr_learner_progress(learner, &progress));
    saw("progress", &progress, sizeof progress);
    IN_MUST(myr_learner_resume(learner, &progress));
}

/* The only process of a job. */
static int alone(void *context, void *data, const int64_t *begin) {
    (void)context, (void)data, (void)begin;
    return 1;
}

static void use_learner(const void *context) {
    static float seen[ENVS][SEEN], action[ENVS][ACTIONS], value[ENVS], reward[ENVS];
    static const uint8_t no[ENVS] = {0}, some[ENVS] = {1};
    myr_batch *batch = NULL;
    myr_learner *learner = NULL;
    myr_learn_options options;
    myr_learn_report report;
    const myr_settings settings = scene_settings("task", "locomotion", "threads", "2", NULL);
    (void)context;
    batch = scene_walkers(&settings, ENVS);
    IN(myr_learn_options_default(&options));
    options.envs = ENVS, options.observations = SEEN, options.actions = ACTIONS, options.steps = STEPS, options.minibatches = 1,
    options.threads = 2;
    options.hidden_layers = 1, options.hidden[0] = 24;
    const myr_exchange job = {.ranks = 1, .gather = alone};
    int64_t first = 1, count = 0, bytes = 1, calls = 1;
    double seconds = 1;
    IN_MUST(myr_learn_shard(ENVS, 0, 1, &first, &count));
    assert_true(first == 0 && count == ENVS);
    IN_MUST(myr_learner_create_shared(&options, &job, &learner));
    see_learner(learner);
    IN_MUST(myr_learner_collect(learner, batch));
    IN_MUST(myr_learner_update(learner, NULL, &report));
    saw("report", &report.value_loss, sizeof report.value_loss);
    for (int i = 0; i < ENVS * SEEN; i++) seen[i / SEEN][i % SEEN] = (float)(i % 97) * 0.01f - 0.4f;
    for (int t = 0; t < STEPS; t++) {
        IN_MUST(myr_learner_act(learner, seen[0], action[0]));
        saw("actions", action, sizeof action);
        for (int i = 0; i < ENVS; i++) reward[i] = action[i][0];
        IN_MUST(myr_learner_reward(learner, reward, no, t ? no : some));
    }
    IN_MUST(myr_learner_update(learner, seen[0], &report));
    IN_MUST(myr_learner_mean(learner, MYR_LEARNED_AVERAGE, ENVS, seen[0], action[0]));
    saw("means", action, sizeof action);
    IN_MUST(myr_learner_value(learner, ENVS, seen[0], value));
    saw("values", value, sizeof value);
    see_learner(learner);
    IN(myr_learner_exchanged(learner, &bytes, &calls, &seconds));
    assert_true(bytes == 0 && calls == 0 && seconds == 0);
    IN(myr_learner_destroy(learner));
    myr_batch_free(batch);
}

/* With all that it may have beside. */
static void use_more(const void *context) {
    enum { OWN = 5 };
    static float seen[ENVS][SEEN], own[ENVS][OWN], action[ENVS][ACTIONS], reward[ENVS];
    static const uint8_t no[ENVS] = {0};
    double mean[SEEN + OWN], variance[SEEN + OWN], count;
    int image[SEEN], acts[ACTIONS];
    myr_learner *learner = NULL;
    myr_learn_options options;
    myr_learn_report report;
    (void)context;
    for (int k = 0; k < SEEN; k++) image[k] = (k ^ 1) + 1;
    for (int k = 0; k < ACTIONS; k++) acts[k] = -(k + 1);
    IN(myr_learn_options_default(&options));
    options.envs = ENVS, options.observations = SEEN, options.critic_observations = OWN, options.actions = ACTIONS, options.steps = STEPS,
    options.minibatches = 1, options.threads = 2, options.hidden_layers = 1, options.hidden[0] = 24;
    options.obs_normalization = 1, options.mirror_loss_coef = 0.5;
    IN_MUST(myr_learner_create(&options, &learner));
    IN_MUST(myr_learner_set_mirror(learner, image, acts));
    IN_MUST(myr_learner_set_option(learner, "entropy_coef", 0.003));
    for (int i = 0; i < ENVS * SEEN; i++) seen[i / SEEN][i % SEEN] = (float)(i % 97) * 0.01f - 0.4f;
    for (int i = 0; i < ENVS * OWN; i++) own[i / OWN][i % OWN] = (float)(i % 13) * 0.3f;
    for (int t = 0; t < STEPS; t++) {
        IN_MUST(myr_learner_see(learner, own[0]));
        IN_MUST(myr_learner_act(learner, seen[0], action[0]));
        for (int i = 0; i < ENVS; i++) reward[i] = action[i][0];
        IN_MUST(myr_learner_reward(learner, reward, no, no));
    }
    IN_MUST(myr_learner_see(learner, own[0]));
    IN_MUST(myr_learner_update(learner, seen[0], &report));
    saw("report", &report.mirror_loss, sizeof report.mirror_loss);
    IN_MUST(myr_learner_get_normalization(learner, mean, variance, &count));
    saw("means", mean, sizeof mean), saw("variances", variance, sizeof variance);
    IN_MUST(myr_learner_set_normalization(learner, mean, variance, count));
    see_learner(learner);
    IN(myr_learner_destroy(learner));
}

static void use_policy(const void *context) {
    static float seen[ENVS][SEEN], action[ENVS][ACTIONS], weights[ACTIONS * SEEN], biases[ACTIONS], acted[ENVS][STEPS][ACTIONS];
    myr_batch *batch = NULL;
    myr_policy *policy = NULL;
    size_t bytes;
    const myr_settings settings = scene_settings("task", "locomotion", "threads", "2", NULL);
    const myr_act act = {.steps = STEPS, .type = MYR_F32};
    (void)context;
    for (int i = 0; i < ACTIONS * SEEN; i++) weights[i] = (float)(i % 83) * 0.003f - 0.1f;
    for (int i = 0; i < ENVS * SEEN; i++) seen[i / SEEN][i % SEEN] = (float)(i % 97) * 0.01f - 0.4f;
    const myr_policy_def def = {.observations = SEEN, .actions = ACTIONS, .weights = {weights}, .biases = {biases}, .threads = 2};
    batch = scene_walkers(&settings, ENVS);
    IN_MUST(myr_policy_create(&def, &policy));
    IN(bytes = myr_policy_bytes(policy));
    assert_true(bytes > 0);
    IN_MUST(myr_policy_actions(policy, ENVS, seen[0], action[0]));
    saw("actions of a policy", action, sizeof action);
    IN_MUST(myr_policy_act(policy, batch, &act, acted));
    saw("what it did", acted, sizeof acted);
    IN(myr_policy_destroy(policy));
    myr_batch_free(batch);
}

static void learner(void **state) {
    (void)state;
    in_every_environment(use_learner, NULL, 30);
}

static void more(void **state) {
    (void)state;
    in_every_environment(use_more, NULL, 30);
}

static void policy(void **state) {
    (void)state;
    in_every_environment(use_policy, NULL, 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(learner), cmocka_unit_test(more), cmocka_unit_test(policy)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

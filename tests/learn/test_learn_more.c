/* ctest: threads heavy lanes
 * What a learner may have beside plain PPO: a value that sees more than the policy, observations that are normalized, a mirror loss, an
 * encoder, options that change while it learns. The same bits for every number of threads and every instruction set; a checkpoint goes on;
 * mistakes. Values and gradients are beside torch in python/tests/test_learner_torch.py. */
#include "support/batch_scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/isas.h"
#include "learn/learner.h"
#include "myriapod/policy.h"

enum { ENVS = 130, SEEN = 21, OWN = 5, ACTIONS = 6, STEPS = 4, WIDE = SEEN + OWN, MOST = 20000 };
enum { FIRST = 33, SECOND = 16, ENCODER = 17, FROM = 3, ENCODED = 7 };

static int observation[SEEN], action[ACTIONS];

/* Neighbours change places, and every third pair its sign. */
static int make_mirrors(void **state) {
    (void)state;
    for (int k = 0; k < SEEN; k++) observation[k] = (k == SEEN - 1 ? k + 1 : (k ^ 1) + 1) * ((k / 2) % 3 ? 1 : -1);
    for (int k = 0; k < ACTIONS; k++) action[k] = ((k ^ 1) + 1) * (k < 2 ? -1 : 1);
    return 0;
}

static myr_learner *learner_of(const char *isa, int threads) {
    myr_learn_options o;
    myr_learner *learner = NULL;
    myr_learn_options_default(&o);
    o.envs = ENVS, o.observations = SEEN, o.critic_observations = OWN, o.actions = ACTIONS, o.steps = STEPS, o.epochs = 2,
    o.minibatches = 2;
    o.threads = threads, o.seed = 7, o.hidden_layers = 2, o.hidden[0] = FIRST, o.hidden[1] = SECOND;
    o.encoder = ENCODER, o.encoder_from = FROM, o.encoder_inputs = ENCODED;
    o.obs_normalization = 1, o.mirror_loss_coef = 0.5, o.learning_rate_max = 2e-3;
    snprintf(o.isa, sizeof o.isa, "%s", isa);
    MUST(myr_learner_create(&o, &learner));
    MUST(myr_learner_set_mirror(learner, observation, action));
    return learner;
}

/* A made-up task whose numbers have means and sizes of all kinds. */
static void own_of(const float *seen, float *own) {
    for (int e = 0; e < ENVS; e++)
        for (int k = 0; k < OWN; k++) own[e * OWN + k] = 100 * seen[e * SEEN + k] + (float)k;
}

static void live(myr_learner *learner, float *seen) {
    static float acted[ENVS * ACTIONS], reward[ENVS], own[ENVS * OWN];
    static uint8_t terminated[ENVS], truncated[ENVS];
    for (int t = 0; t < STEPS; t++) {
        own_of(seen, own);
        MUST(myr_learner_see(learner, own));
        MUST(myr_learner_act(learner, seen, acted));
        for (int e = 0; e < ENVS; e++) {
            reward[e] = acted[e * ACTIONS] - 0.1f * seen[e * SEEN], terminated[e] = (e + t) % 29 == 0, truncated[e] = (e + t) % 31 == 0;
            for (int i = 0; i < SEEN; i++)
                seen[e * SEEN + i] = 0.5f * seen[e * SEEN + i] + 0.5f * (float)(i + 1) * acted[e * ACTIONS + i % ACTIONS] + (float)(i % 3);
        }
        MUST(myr_learner_reward(learner, reward, terminated, truncated));
    }
    own_of(seen, own);
    MUST(myr_learner_see(learner, own));
}

static void begin(float *seen) {
    for (int i = 0; i < ENVS * SEEN; i++) seen[i] = (float)(i % 89) * 0.02f - 0.9f;
}

static uint64_t hash_of(const myr_learner *learner) {
    static float numbers[MOST];
    double moments[2 * WIDE], count;
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    const int64_t n = myr_learner_count(learner);
    assert_true(n <= MOST);
    for (int what = MYR_LEARNED_WEIGHTS; what <= MYR_LEARNED_AVERAGE; what++) {
        MUST(myr_learner_get(learner, (myr_learned)what, numbers));
        for (size_t i = 0; i < (size_t)n * sizeof *numbers; i++)
            hash = (hash ^ ((const unsigned char *)numbers)[i]) * UINT64_C(0x100000001b3);
    }
    MUST(myr_learner_get_normalization(learner, moments, moments + WIDE, &count));
    for (size_t i = 0; i < sizeof moments; i++) hash = (hash ^ ((const unsigned char *)moments)[i]) * UINT64_C(0x100000001b3);
    return hash;
}

static uint64_t learn(const char *isa, int threads, int iterations) {
    static float seen[ENVS * SEEN];
    myr_learner *learner = learner_of(isa, threads);
    myr_learn_report report;
    begin(seen);
    for (int i = 0; i < iterations; i++) {
        live(learner, seen);
        MUST(myr_learner_update(learner, seen, &report));
        assert_true(report.mirror_loss > 0 && report.rate <= 2e-3);
    }
    const uint64_t hash = hash_of(learner);
    myr_learner_destroy(learner);
    return hash;
}

static void same_bits(void **state) {
    static const int threads[] = {1, 2, 3, 7};
    (void)state;
    const uint64_t wanted = learn("auto", 1, 4);
    for (int i = 0; isa_at(i); i++)
        for (int t = 0; t < 4; t++)
            if (myr_learn_kernels_get(isa_at(i)) && learn(isa_at(i), threads[t], 4) != wanted)
                fail_msg("%s, %d threads: other weights", isa_at(i), threads[t]);
}

static void a_checkpoint_goes_on(void **state) {
    static float numbers[4][MOST], seen[ENVS * SEEN], kept[ENVS * SEEN];
    double mean[WIDE], variance[WIDE], count = 0;
    myr_learner *whole = learner_of("auto", 2), *later = learner_of("auto", 1);
    myr_learn_progress progress = {0};
    (void)state;
    begin(seen);
    for (int i = 0; i < 4; i++) {
        if (i == 2) {
            memcpy(kept, seen, sizeof seen);
            for (int w = 0; w < 4; w++) MUST(myr_learner_get(whole, (myr_learned)w, numbers[w]));
            MUST(myr_learner_get_normalization(whole, mean, variance, &count));
            myr_learner_progress(whole, &progress);
        }
        live(whole, seen);
        MUST(myr_learner_update(whole, seen, NULL));
    }
    for (int w = 0; w < 4; w++) MUST(myr_learner_set(later, (myr_learned)w, numbers[w]));
    MUST(myr_learner_set_normalization(later, mean, variance, count));
    MUST(myr_learner_resume(later, &progress));
    for (int i = 0; i < 2; i++) {
        live(later, kept);
        MUST(myr_learner_update(later, kept, NULL));
    }
    assert_true(hash_of(whole) == hash_of(later));
    myr_learner_destroy(whole), myr_learner_destroy(later);
}

/* What the encoder's outputs do not see, and of what it sees what the others do not, weighs nothing; and a policy of all the weights, zeros
 * too, acts as the learner does. */
static void an_encoder_sees_its_numbers_alone(void **state) {
    static float seen[ENVS * SEEN], w[MOST], mean[ENVS * ACTIONS], acted[ENVS * ACTIONS], shift[SEEN], deviation[SEEN];
    double means[WIDE], variances[WIDE], count;
    int zeros = 0, others = 0;
    myr_learner *learner = learner_of("auto", 2);
    (void)state;
    begin(seen);
    for (int i = 0; i < 3; i++) {
        live(learner, seen);
        MUST(myr_learner_update(learner, seen, NULL));
    }
    MUST(myr_learner_get(learner, MYR_LEARNED_WEIGHTS, w));
    for (int o = 0; o < FIRST; o++)
        for (int i = 0; i < SEEN; i++) {
            const int encoded = i >= FROM && i < FROM + ENCODED, encodes = o >= FIRST - ENCODER;
            if (encoded != encodes)
                assert_true(w[o * SEEN + i] == 0), zeros++;
            else
                others += w[o * SEEN + i] != 0;
        }
    assert_int_equal(zeros, (FIRST - ENCODER) * ENCODED + ENCODER * (SEEN - ENCODED));
    assert_int_equal(others, FIRST * SEEN - zeros);
    w[FROM] = 0.5f;
    MUST_FAIL(myr_learner_set(learner, MYR_LEARNED_WEIGHTS, w), MYR_E_ARG, "number 3 is 0.5");
    w[FROM] = 0;
    MUST(myr_learner_get_normalization(learner, means, variances, &count));
    for (int k = 0; k < SEEN; k++) shift[k] = (float)means[k], deviation[k] = (float)(sqrt(variances[k]) + 0.01);
    const float *bias = w + FIRST * SEEN, *second = bias + FIRST, *third = second + (FIRST + 1) * SECOND;
    const myr_policy_def def = {.observations = SEEN,
                                .actions = ACTIONS,
                                .hidden_layers = 2,
                                .hidden = {FIRST, SECOND},
                                .weights = {w, second, third},
                                .biases = {bias, second + FIRST * SECOND, third + SECOND * ACTIONS},
                                .mean = shift,
                                .std = deviation,
                                .threads = 1};
    myr_policy *policy = NULL;
    MUST(myr_policy_create(&def, &policy));
    MUST(myr_policy_actions(policy, ENVS, seen, acted));
    MUST(myr_learner_mean(learner, MYR_LEARNED_WEIGHTS, ENVS, seen, mean));
    for (int i = 0; i < ENVS * ACTIONS; i++) assert_true(fabsf(mean[i] - acted[i]) <= 2e-6f * (1 + fabsf(mean[i])));
    myr_policy_destroy(policy), myr_learner_destroy(learner);
}

/* Mean and variance of all that was observed, in doubles and at once. */
static void moments_are_right(void **state) {
    static float seen[ENVS * SEEN], all[3 * STEPS * ENVS][WIDE];
    (void)state;
    myr_learner *learner = learner_of("auto", 3);
    double mean[WIDE], variance[WIDE], count;
    int n = 0;
    begin(seen);
    float first[ENVS * SEEN], own[ENVS * OWN];
    memcpy(first, seen, sizeof first);
    for (int i = 0; i < 3; i++) {
        static float acted[ENVS * ACTIONS], reward[ENVS];
        static uint8_t ends[ENVS];
        for (int t = 0; t < STEPS; t++) {
            own_of(seen, own);
            MUST(myr_learner_see(learner, own));
            MUST(myr_learner_act(learner, seen, acted));
            for (int e = 0; e < ENVS; e++, n++) {
                memcpy(all[n], seen + e * SEEN, SEEN * sizeof(float));
                memcpy(all[n] + SEEN, own + e * OWN, OWN * sizeof(float));
                for (int k = 0; k < SEEN; k++) seen[e * SEEN + k] = 0.9f * seen[e * SEEN + k] + (float)(k % 4) * acted[e * ACTIONS];
            }
            MUST(myr_learner_reward(learner, reward, ends, ends));
        }
        own_of(seen, own);
        MUST(myr_learner_see(learner, own));
        MUST(myr_learner_update(learner, seen, NULL));
    }
    MUST(myr_learner_get_normalization(learner, mean, variance, &count));
    assert_true(count == ENVS + 3 * STEPS * ENVS); /* the first observation counts twice: it says how to begin */
    own_of(first, own);
    for (int k = 0; k < WIDE; k++) {
        double sum = 0, squares = 0;
        for (int e = 0; e < ENVS; e++) sum += (double)(k < SEEN ? first[e * SEEN + k] : own[e * OWN + k - SEEN]);
        for (int i = 0; i < n; i++) sum += (double)all[i][k];
        const double wanted = sum / count;
        for (int e = 0; e < ENVS; e++) squares += pow((double)(k < SEEN ? first[e * SEEN + k] : own[e * OWN + k - SEEN]) - wanted, 2);
        for (int i = 0; i < n; i++) squares += pow((double)all[i][k] - wanted, 2);
        const double spread = sqrt(squares / count);
        if (fabs(mean[k] - wanted) > 1e-5 * spread || fabs(sqrt(variance[k]) / spread - 1) > 1e-5)
            fail_msg("number %d: mean %.9g, not %.9g; deviation %.9g, not %.9g", k, mean[k], wanted, sqrt(variance[k]), spread);
    }
    myr_learner_destroy(learner);
}

static void mistakes(void **state) {
    static float seen[ENVS * SEEN], own[ENVS * OWN], acted[ENVS * ACTIONS];
    (void)state;
    myr_learner *learner = learner_of("auto", 1);
    MUST_FAIL(myr_learner_act(learner, seen, acted), MYR_E_STATE, "myr_learner_see");
    own[7] = NAN;
    MUST_FAIL(myr_learner_see(learner, own), MYR_E_ARG, "environment 1 is not finite");
    MUST_FAIL(myr_learner_see(learner, NULL), MYR_E_ARG, "NULL");
    own[7] = 0;
    MUST(myr_learner_see(learner, own));
    MUST(myr_learner_act(learner, seen, acted));
    MUST_FAIL(myr_learner_see(learner, own), MYR_E_STATE, "reward of the last action");
    int wrong[SEEN];
    memcpy(wrong, observation, sizeof wrong);
    wrong[0] = 1;
    MUST_FAIL(myr_learner_set_mirror(learner, wrong, action), MYR_E_ARG, "number 2 of the observation is not as it was");
    wrong[0] = 0;
    MUST_FAIL(myr_learner_set_mirror(learner, wrong, action), MYR_E_ARG, "of the observation is not as it was");
    wrong[0] = INT32_MIN;
    MUST_FAIL(myr_learner_set_mirror(learner, wrong, action), MYR_E_ARG, "number 1 of the observation is not as it was");
    MUST_FAIL(myr_learner_set_option(learner, "entropy", 0), MYR_E_ARG, "there is no option 'entropy'");
    MUST_FAIL(myr_learner_set_option(learner, "envs", 3), MYR_E_ARG, "there is no option 'envs'");
    MUST_FAIL(myr_learner_set_option(learner, "gamma", 1.5), MYR_E_ARG, "gamma is 1.5");
    MUST_FAIL(myr_learner_set_option(learner, "learning_rate_max", 1e-6), MYR_E_ARG, "learning_rate_max is 1e-06");
    MUST(myr_learner_set_option(learner, "learning_rate", 3e-4));
    MUST(myr_learner_set_option(learner, "entropy_coef", 0));
    myr_learn_progress progress;
    myr_learner_progress(learner, &progress);
    assert_true(progress.rate == 3e-4 && learner->options.entropy_coef == 0);
    double mean[WIDE] = {0}, variance[WIDE] = {0};
    variance[3] = -1;
    MUST_FAIL(myr_learner_set_normalization(learner, mean, variance, 1), MYR_E_ARG, "number 3 has mean 0 and variance -1");
    variance[3] = 1;
    MUST_FAIL(myr_learner_set_normalization(learner, mean, variance, NAN), MYR_E_ARG, "count is");
    myr_learner_destroy(learner);
    myr_learn_options o;
    myr_learn_options_default(&o);
    o.envs = 4, o.observations = SEEN, o.actions = ACTIONS, o.steps = 1, o.minibatches = 1, o.mirror_loss_coef = 1, o.threads = 1;
    MUST(myr_learner_create(&o, &learner));
    static const float reward[4];
    static const uint8_t ends[4];
    MUST_FAIL(myr_learner_see(learner, own), MYR_E_STATE, "the value sees the observation alone");
    MUST(myr_learner_act(learner, seen, acted));
    MUST(myr_learner_reward(learner, reward, ends, ends));
    MUST_FAIL(myr_learner_update(learner, seen, NULL), MYR_E_STATE, "myr_learner_set_mirror");
    myr_learner_destroy(learner);
    o.mirror_loss_coef = 0;
    static const struct {
        int layers, first, encoder, from, inputs;
        const char *says;
    } wrong_encoders[] = {
        {0, 48, 16, 0, 4, "encoder is 16, but there is no hidden layer"},
        {2, 48, 48, 0, 4, "encoder is 48, but must be between 1 and 47"},
        {2, 48, -1, 0, 4, "encoder is -1"},
        {2, 48, 20, 0, 4, "encoder is 20 of the first hidden layer's 48, but the others must be a multiple of 16"},
        {2, 48, 16, 0, 0, "encoder_inputs is 0, but must be between 1 and 20"},
        {2, 48, 16, 0, SEEN, "encoder_inputs is 21"},
        {2, 48, 16, SEEN - 3, 4, "encoder_from is 18, but must be between 0 and 17"},
        {2, 48, 16, -1, 4, "encoder_from is -1"},
    };
    for (size_t k = 0; k < sizeof wrong_encoders / sizeof *wrong_encoders; k++) {
        o.hidden_layers = wrong_encoders[k].layers, o.hidden[0] = wrong_encoders[k].first, o.encoder = wrong_encoders[k].encoder;
        o.encoder_from = wrong_encoders[k].from, o.encoder_inputs = wrong_encoders[k].inputs;
        MUST_FAIL(myr_learner_create(&o, &learner), MYR_E_ARG, wrong_encoders[k].says);
    }
    o.encoder = 0;
    o.critic_observations = MYR_LEARN_MOST_OBSERVATIONS;
    MUST_FAIL(myr_learner_create(&o, &learner), MYR_E_ARG, "critic_observations is 4096");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_bits), cmocka_unit_test(a_checkpoint_goes_on),
                                       cmocka_unit_test(an_encoder_sees_its_numbers_alone), cmocka_unit_test(moments_are_right),
                                       cmocka_unit_test(mistakes)};
    return cmocka_run_group_tests(tests, make_mirrors, NULL);
}

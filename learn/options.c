/* What a learner may be asked for. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "learn/learner.h"
#include "base/want.h"
#include "machine/machine.h"

void myr_learn_options_default(myr_learn_options *options) {
    if (!options) return;
    *options = (myr_learn_options){.envs = 1024,
                                   .hidden_layers = 3,
                                   .hidden = {128, 64, 32},
                                   .activation = MYR_ACTIVATION_ELU,
                                   .steps = 24,
                                   .epochs = 4,
                                   .minibatches = 2,
                                   .clip_param = 0.2,
                                   .gamma = 0.99,
                                   .lam = 0.95,
                                   .value_loss_coef = 1,
                                   .entropy_coef = 0.01,
                                   .learning_rate = 1e-3,
                                   .desired_kl = 0.01,
                                   .learning_rate_min = 1e-5,
                                   .learning_rate_max = 1e-2,
                                   .max_grad_norm = 1,
                                   .deviation = 0.5,
                                   .average = 0.9,
                                   .seed = 1,
                                   .pin = 1,
                                   .isa = "auto"};
}

static const char CALL[] = "myr_learner_create";

/* Part of the first hidden layer sees part of the observation, and each has another beside it. */
static myr_status encoder(const myr_learn_options *o) {
    if (o->encoder == 0) return MYR_OK;
    if (o->hidden_layers == 0) return myr_fail(MYR_E_ARG, "%s: encoder is %d, but there is no hidden layer", CALL, o->encoder);
    WANT(myr_want_whole(CALL, "encoder", o->encoder, 1, o->hidden[0] - 1));
    if ((o->hidden[0] - o->encoder) % MYR_NET_ROW)
        return myr_fail(MYR_E_ARG, "%s: encoder is %d of the first hidden layer's %d, but the others must be a multiple of %d", CALL,
                        o->encoder, o->hidden[0], (int)MYR_NET_ROW);
    WANT(myr_want_whole(CALL, "encoder_inputs", o->encoder_inputs, 1, o->observations - 1));
    return myr_want_whole(CALL, "encoder_from", o->encoder_from, 0, o->observations - o->encoder_inputs);
}

myr_status myr_learn_options_check(const myr_learn_options *o) {
    WANT(myr_want_whole(CALL, "envs", o->envs, 1, INT32_MAX));
    WANT(myr_want_whole(CALL, "observations", o->observations, 1, MYR_LEARN_MOST_OBSERVATIONS));
    WANT(myr_want_whole(CALL, "actions", o->actions, 1, MYR_LEARN_MOST_ACTIONS));
    WANT(myr_want_whole(CALL, "hidden_layers", o->hidden_layers, 0, MYR_LEARN_HIDDEN));
    for (int k = 0; k < o->hidden_layers; k++) WANT(myr_want_whole(CALL, "the width of a hidden layer", o->hidden[k], 1, MYR_LEARN_WIDEST));
    WANT(encoder(o));
    WANT(myr_want_whole(CALL, "activation", (int)o->activation, MYR_ACTIVATION_ELU, MYR_ACTIVATION_TANH));
    WANT(myr_want_whole(CALL, "steps", o->steps, 1, 1 << 20));
    WANT(myr_want_whole(CALL, "epochs", o->epochs, 1, 1000));
    WANT(myr_want_whole(CALL, "minibatches", o->minibatches, 1, 1 << 20));
    WANT(myr_want_whole(CALL, "threads", o->threads, 0, 4096));
    WANT(myr_want_real(CALL, "clip_param", o->clip_param, 0, 1, 1));
    WANT(myr_want_real(CALL, "gamma", o->gamma, 0, 0, 1));
    WANT(myr_want_real(CALL, "lam", o->lam, 0, 0, 1));
    WANT(myr_want_real(CALL, "value_loss_coef", o->value_loss_coef, 0, 0, 1e6));
    WANT(myr_want_real(CALL, "entropy_coef", o->entropy_coef, 0, 0, 1e6));
    WANT(myr_want_real(CALL, "learning_rate", o->learning_rate, 0, 1, 1));
    WANT(myr_want_real(CALL, "desired_kl", o->desired_kl, 0, 0, 1e3));
    WANT(myr_want_real(CALL, "learning_rate_min", o->learning_rate_min, 0, 1, 1));
    WANT(myr_want_real(CALL, "learning_rate_max", o->learning_rate_max, o->learning_rate_min, 0, 1));
    WANT(myr_want_real(CALL, "mirror_loss_coef", o->mirror_loss_coef, 0, 0, 1e6));
    WANT(myr_want_whole(CALL, "obs_normalization", o->obs_normalization, 0, 1));
    WANT(myr_want_whole(CALL, "critic_observations", o->critic_observations, 0, MYR_LEARN_MOST_OBSERVATIONS - o->observations));
    WANT(myr_want_real(CALL, "max_grad_norm", o->max_grad_norm, 0, 1, 1e12));
    WANT(myr_want_real(CALL, "deviation", o->deviation, 0, 1, 1e6));
    WANT(myr_want_real(CALL, "average", o->average, 0, 0, 0.999999));
    WANT(myr_want_isa(CALL, o->isa));
    const int64_t blocks = (o->envs + MYR_NET_BLOCK - 1) / MYR_NET_BLOCK * o->steps; /* below 2^51 */
    if (o->minibatches > blocks)
        return myr_fail(MYR_E_ARG,
                        "myr_learner_create: minibatches is %d, but %lld envs times %d steps are %lld blocks of up to %d samples, of which "
                        "each has one",
                        o->minibatches, (long long)o->envs, o->steps, (long long)blocks, (int)MYR_NET_BLOCK);
    if (blocks > INT32_MAX) return myr_fail(MYR_E_LIMIT, "myr_learner_create: envs times steps is too large");
    return MYR_OK;
}

/* ---- one of them, while it learns ---------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    size_t at;
} reals[] = {
#define REAL(name)                                                                                                                         \
    { #name, offsetof(myr_learn_options, name) }
    REAL(clip_param), REAL(gamma),         REAL(lam),     REAL(value_loss_coef),   REAL(entropy_coef),      REAL(learning_rate),
    REAL(desired_kl), REAL(max_grad_norm), REAL(average), REAL(learning_rate_min), REAL(learning_rate_max), REAL(mirror_loss_coef),
#undef REAL
};

myr_status myr_learner_set_option(myr_learner *l, const char *name, double value) {
    MYR_OWN_ARITHMETIC;
    if (!l || !name) return myr_fail(MYR_E_ARG, "myr_learner_set_option: learner or name is NULL");
    myr_learn_options o = l->options;
    for (size_t k = 0; k < sizeof reals / sizeof *reals; k++) {
        if (strcmp(reals[k].name, name) != 0) continue;
        memcpy((char *)&o + reals[k].at, &value, sizeof value);
        const myr_status status = myr_learn_options_check(&o);
        if (status) return status;
        l->options = o;
        if (!strcmp(name, "learning_rate")) l->rate = value;
        return MYR_OK;
    }
    return myr_fail(MYR_E_ARG, "myr_learner_set_option: there is no option '%.60s' that changes while it learns", name);
}

/* ---- of two processes ---------------------------------------------------------------------------------------------------- */

const char *myr_learn_options_other(const myr_learn_options *a, const myr_learn_options *b) {
#define OTHER(name)                                                                                                                        \
    if (a->name != b->name) return #name
    OTHER(envs);
    OTHER(observations);
    OTHER(actions);
    OTHER(critic_observations);
    OTHER(hidden_layers);
    if (memcmp(a->hidden, b->hidden, sizeof a->hidden) != 0) return "hidden";
    OTHER(encoder);
    OTHER(encoder_from);
    OTHER(encoder_inputs);
    OTHER(activation);
    OTHER(steps);
    OTHER(epochs);
    OTHER(minibatches);
    OTHER(obs_normalization);
    OTHER(deviation);
    OTHER(seed);
#undef OTHER
    for (size_t k = 0; k < sizeof reals / sizeof *reals; k++)
        if (memcmp((const char *)a + reals[k].at, (const char *)b + reals[k].at, sizeof(double)) != 0) return reals[k].name;
    return NULL;
}

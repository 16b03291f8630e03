/* What a learner may be asked for. */
#include <math.h>

#include "learn/learner.h"
#include "learn/want.h"

void myr_learn_options_default(myr_learn_options *options) {
    if (!options) return;
    *options = (myr_learn_options){.envs = 1024,
                                   .hidden_layers = 3,
                                   .hidden = {128, 64, 32},
                                   .activation = MYR_ACTIVATION_ELU,
                                   .steps = 24,
                                   .epochs = 4,
                                   .minibatches = 2,
                                   .clip = 0.2,
                                   .discount = 0.99,
                                   .lambda = 0.95,
                                   .value_weight = 1,
                                   .entropy_weight = 0.01,
                                   .rate = 1e-3,
                                   .divergence = 0.01,
                                   .gradient_norm = 1,
                                   .deviation = 0.5,
                                   .average = 0.9,
                                   .seed = 1,
                                   .pin = 1,
                                   .isa = "auto"};
}

static const char CALL[] = "myr_learner_create";

/* `open`: the least value itself is out. */
static myr_status real(const char *name, double value, double least, int open, double most) {
    if (value <= most && (open ? value > least : value >= least)) return MYR_OK; /* not a number is neither */
    return myr_fail(MYR_E_ARG, "%s: %s is %g, but must be %s %g and at most %g", CALL, name, value, open ? "above" : "at least", least,
                    most);
}

myr_status myr_learn_options_check(const myr_learn_options *o) {
    WANT(myr_want_whole(CALL, "envs", o->envs, 1, INT32_MAX));
    WANT(myr_want_whole(CALL, "observations", o->observations, 1, MYR_LEARN_MOST_OBSERVATIONS));
    WANT(myr_want_whole(CALL, "actions", o->actions, 1, MYR_LEARN_MOST_ACTIONS));
    WANT(myr_want_whole(CALL, "hidden_layers", o->hidden_layers, 0, MYR_LEARN_HIDDEN));
    for (int k = 0; k < o->hidden_layers; k++) WANT(myr_want_whole(CALL, "the width of a hidden layer", o->hidden[k], 1, MYR_LEARN_WIDEST));
    WANT(myr_want_whole(CALL, "activation", (int)o->activation, MYR_ACTIVATION_ELU, MYR_ACTIVATION_TANH));
    WANT(myr_want_whole(CALL, "steps", o->steps, 1, 1 << 20));
    WANT(myr_want_whole(CALL, "epochs", o->epochs, 1, 1000));
    WANT(myr_want_whole(CALL, "minibatches", o->minibatches, 1, 1 << 20));
    WANT(myr_want_whole(CALL, "threads", o->threads, 0, 4096));
    WANT(real("clip", o->clip, 0, 1, 1));
    WANT(real("discount", o->discount, 0, 0, 1));
    WANT(real("lambda", o->lambda, 0, 0, 1));
    WANT(real("value_weight", o->value_weight, 0, 0, 1e6));
    WANT(real("entropy_weight", o->entropy_weight, 0, 0, 1e6));
    WANT(real("rate", o->rate, 0, 1, 1));
    WANT(real("divergence", o->divergence, 0, 0, 1e3));
    WANT(real("gradient_norm", o->gradient_norm, 0, 1, 1e12));
    WANT(real("deviation", o->deviation, 0, 1, 1e6));
    WANT(real("average", o->average, 0, 0, 0.999999));
    WANT(myr_want_isa(CALL, o->isa));
    const int64_t blocks = (o->envs * o->steps + MYR_NET_BLOCK - 1) / MYR_NET_BLOCK; /* below 2^51 */
    if (o->minibatches > blocks)
        return myr_fail(
            MYR_E_ARG,
            "myr_learner_create: minibatches is %d, but %lld envs times %d steps are %lld blocks of %d samples, of which each has one",
            o->minibatches, (long long)o->envs, o->steps, (long long)blocks, (int)MYR_NET_BLOCK);
    if (blocks > INT32_MAX) return myr_fail(MYR_E_LIMIT, "myr_learner_create: envs times steps is too large");
    return MYR_OK;
}

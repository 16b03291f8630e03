/* Policies in lanes: multilayer perceptrons that act inside the parallel call with the substeps.
 *
 *     myr_policy_create(&def, &policy)
 *     myr_policy_act(policy, batch, &act, NULL)      act.steps control steps of all environments
 *
 * What an environment does has the same bits for every number of threads, every instruction set and any neighbours, and is what
 * myr_batch_observe, myr_policy_actions and myr_batch_act give one after the other. One call per policy at a time; calls allocate nothing
 * but myr_policy_create. */
#ifndef MYRIAPOD_POLICY_H
#define MYRIAPOD_POLICY_H

#include "act.h"
#include "learn.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct myr_policy myr_policy;

/* action = W_k(... f(W_0 ((observation - mean) / std) + b_0) ...) + b_k, in float32. Arrays are copied. */
typedef struct myr_policy_def {
    int observations, actions;                  /* at most MYR_LEARN_MOST_... */
    int hidden_layers;                          /* 0 .. MYR_LEARN_HIDDEN */
    int hidden[MYR_LEARN_HIDDEN];               /* their widths, at most MYR_LEARN_WIDEST */
    myr_activation activation;                  /* f, behind each hidden layer */
    const float *weights[MYR_LEARN_HIDDEN + 1]; /* of each layer, the last one too: (out, in) as torch's Linear has them */
    const float *biases[MYR_LEARN_HIDDEN + 1];  /* (out) */
    const float *mean, *std;                    /* (observations); NULL: 0 and 1 */
    int threads, pin;                           /* threads 0: one per core; batches that it acts in have as many at most */
    char isa[16];                               /* "" or "auto", or as the setting `isa` */
} myr_policy_def;

/* On failure *out is NULL. MYR_E_ARG names the size that is out of range, or layer and number that is not finite. */
MYR_API myr_status myr_policy_create(const myr_policy_def *def, myr_policy **out);
MYR_API void myr_policy_destroy(myr_policy *policy); /* NULL is fine */
/* Memory of the policy; 0 for NULL. */
MYR_API size_t myr_policy_bytes(const myr_policy *policy);

/* Actions (n, actions) of observations (n, observations), in the policy's own threads.
 * MYR_E_FORK: it has several, and was made before this process was forked. */
MYR_API myr_status myr_policy_actions(const myr_policy *policy, int64_t n, const float *observation, float *action);

/* As myr_batch_act, with actions of the policy: each is that of the observation (as float32) before the step. act->action must be NULL.
 * action: NULL, or (envs, steps, nu) of act->type, what the policy gave, not clipped. MYR_E_ARG: the batch has other numbers of
 * observations or actions, or more threads. */
MYR_API myr_status myr_policy_act(const myr_policy *policy, myr_batch *batch, const myr_act *act, void *action);

#ifdef __cplusplus
}
#endif
#endif

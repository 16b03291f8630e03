/* A learner in lanes: PPO (Schulman et al. 2017) as legged_gym and rsl_rl define it, for MLPs, on the processor.
 *
 * The weights that come out have the same bits for every number of threads and every instruction set. All arrays are row-major float32
 * and the caller's. One call per learner at a time; calls allocate nothing but myr_learner_create. MYR_E_FORK: a learner of several threads
 * is asked in a child of the process that made it.
 *
 * An iteration is `steps` control steps of `envs` robots, then `epochs` times `minibatches` gradient steps:
 *     myr_learner_collect(learner, batch)                        a task of the library, all in lanes, or
 *     steps times myr_learner_act, then myr_learner_reward       any task that is arrays
 *     myr_learner_update(learner, observation, &report)          */
#ifndef MYRIAPOD_LEARN_H
#define MYRIAPOD_LEARN_H

#include <stdint.h>

#include "batch.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct myr_learner myr_learner;

typedef enum myr_activation { MYR_ACTIVATION_ELU = 0, MYR_ACTIVATION_RELU, MYR_ACTIVATION_TANH } myr_activation;

enum {
    MYR_LEARN_HIDDEN = 4,
    MYR_LEARN_WIDEST = 512,
    MYR_LEARN_MOST_OBSERVATIONS = 4096,
    MYR_LEARN_MOST_ACTIONS = 128,
    MYR_LEARN_TERMS = 64
};

/* What to learn, and how. myr_learn_options_default gives the numbers in brackets. */
typedef struct myr_learn_options {
    int64_t envs;                 /* robots at once [1024] */
    int observations, actions;    /* numbers per robot, at most MYR_LEARN_MOST_... */
    int critic_observations;      /* numbers that the value sees behind the observation; 0: it sees that alone [0] */
    int hidden_layers;            /* of the policy and of the value alike, at most MYR_LEARN_HIDDEN [3] */
    int hidden[MYR_LEARN_HIDDEN]; /* their widths, at most MYR_LEARN_WIDEST [128 64 32] */
    int encoder;                  /* the first layer's last ones so many, which see encoded numbers alone; others see all else [0] */
    int encoder_from;             /* first encoded number of the observation, of a scan say [0] */
    int encoder_inputs;           /* how many there are [0] */
    myr_activation activation;    /* [ELU] */
    int steps;                    /* control steps of an iteration [24] */
    int epochs, minibatches;      /* [4, 2] */
    double clip_param;            /* of the probability ratio and of the value [0.2] */
    double gamma, lam;            /* discount, and decay of generalized advantages (Schulman et al. 2016) [0.99, 0.95] */
    double value_loss_coef;       /* of the value's loss [1.0] */
    double entropy_coef;          /* [0.01] */
    double learning_rate;         /* first step size of Adam [1e-3] */
    double desired_kl;            /* Kullback-Leibler divergence that the step size aims at; 0: it stays [0.01] */
    double learning_rate_min;     /* between which it then is [1e-5] */
    double learning_rate_max;     /* [1e-2] */
    double mirror_loss_coef;      /* of the mean square by which the mean action in a mirror is off (myr_learner_set_mirror) [0] */
    int obs_normalization;        /* 1: what is observed is normalized by its running mean and deviation [0] */
    double max_grad_norm;         /* most of the policy's gradient, and of the value's [1.0] */
    double deviation;             /* first standard deviation of the actions [0.5] */
    double average;               /* share of the running mean of the weights that an iteration keeps; 0: there is none [0.9] */
    uint64_t seed;                /* of first weights, noise and order [1] */
    int threads, pin;             /* of the updates; threads 0: one per core [0, 1] */
    char isa[16];                 /* "auto", or as the setting `isa` ["auto"] */
} myr_learn_options;
MYR_API void myr_learn_options_default(myr_learn_options *options);

/* Means of an iteration over its minibatches, and the episodes that ended in it. */
typedef struct myr_learn_report {
    int64_t iteration;                     /* iterations behind it, this one too */
    int64_t samples;                       /* control steps so far, those of all robots */
    double surrogate, value_loss, entropy; /* losses; the entropy [nat] */
    double divergence;                     /* old policy to new one, mean over the minibatches [nat] */
    double rate, deviation;                /* step size, mean standard deviation of the actions */
    double actor_norm, critic_norm;        /* of the gradients before they are clipped, largest */
    double mirror_loss;                    /* mean square by which the mean action in a mirror is off; 0 without a mirror */
    int64_t episodes, failed;              /* that ended, and of them by failing */
    double episode_return, episode_length; /* sums over those episodes; the length in control steps */
    double episode_terms[MYR_LEARN_TERMS]; /* sums over those episodes of the task's reward terms (myr_learner_collect) */
    double collect_s, update_s;            /* wall clock [s] */
} myr_learn_report;

/* On failure *out is NULL. MYR_E_ARG names the option that is out of range; MYR_E_LIMIT: the sizes overflow size_t. */
MYR_API myr_status myr_learner_create(const myr_learn_options *options, myr_learner **out);
MYR_API void myr_learner_destroy(myr_learner *learner); /* NULL is fine */

/* ---- several processes ---------------------------------------------------------------------------------------------- */

/* Moves bytes between processes that learn together, as MPI_Allgatherv does in place. data: an array that all have; process r has filled
 * bytes begin[r] .. begin[r + 1] - 1; on return all are filled everywhere. Not 0: it failed. It is called by the thread that calls the
 * learner, and data is gone when the call returns: what still moves then, after a timeout say, must move in memory of one's own. */
typedef struct myr_exchange {
    int rank, ranks; /* this process and how many there are */
    int (*gather)(void *context, void *data, const int64_t *begin /* (ranks + 1) */);
    void *context; /* the caller's; to outlive the learner */
} myr_exchange;

/* Which robots of `envs` a process learns from: `count` from `first` on. Its batch has as many, and that first_env. MYR_E_ARG: there is no
 * such process, or more than the robots suffice for: each but the last has 64 at least, and there are at most 256. */
MYR_API myr_status myr_learn_shard(int64_t envs, int rank, int ranks, int64_t *first, int64_t *count);

/* A learner of one process of several, each with a learner of its own. options->envs are the robots of all; arrays of myr_learner_act, _see
 * and _reward are those of this process' robots. Weights and reports have the bits of one process, for every number of them, at every
 * moment a call returns. What is exchanged: in each iteration first who they are (MYR_E_STATE names what a process has otherwise: an
 * option, weights), then what samples add up to; in each minibatch gradients. MYR_E_STATE: the exchange failed; the iteration's samples are
 * lost, the weights are those before it. exchange NULL: as myr_learner_create. */
MYR_API myr_status myr_learner_create_shared(const myr_learn_options *options, const myr_exchange *exchange, myr_learner **out);
/* Bytes of all processes' parts together, calls, and wall clock of the exchange so far; each may be NULL. */
MYR_API void myr_learner_exchanged(const myr_learner *learner, int64_t *bytes, int64_t *calls, double *seconds);

/* Memory of the learner; 0 for NULL. */
MYR_API size_t myr_learner_bytes(const myr_learner *learner);

/* ---- an iteration ------------------------------------------------------------------------------------------------- */

/* `steps` control steps of a batch of as many environments, observations and actions, from where it stands; episodes that end begin anew.
 */
MYR_API myr_status myr_learner_collect(myr_learner *learner, myr_batch *batch);

/* One control step of another task: observation (envs, observations) in, action (envs, actions) drawn from the policy out. */
MYR_API myr_status myr_learner_act(myr_learner *learner, const float *observation, float *action);
/* Before that: what the value sees beside the observation, (envs, critic_observations); and before the update, of the last observation. */
MYR_API myr_status myr_learner_see(myr_learner *learner, const float *critic);
/* The result of that action: (envs) each. MYR_E_STATE: no action was asked for. MYR_E_ARG: a reward is not finite. */
MYR_API myr_status myr_learner_reward(myr_learner *learner, const float *reward, const uint8_t *terminated, const uint8_t *truncated);

/* The gradient steps, once all control steps are taken. observation (envs, observations): after the last of them; NULL after
 * myr_learner_collect. MYR_E_STATE: steps are missing, or the training has diverged (a loss or a gradient is not finite): the weights are
 * those before that gradient step. */
MYR_API myr_status myr_learner_update(myr_learner *learner, const float *observation, myr_learn_report *report);

/* ---- the policy, and what a checkpoint holds ------------------------------------------------------------------------- */

typedef enum myr_learned { MYR_LEARNED_WEIGHTS = 0, MYR_LEARNED_MEAN, MYR_LEARNED_SQUARE, MYR_LEARNED_AVERAGE } myr_learned;
/* Mean actions (n, actions) of observations (n, observations), by MYR_LEARNED_WEIGHTS or MYR_LEARNED_AVERAGE. */
MYR_API myr_status myr_learner_mean(const myr_learner *learner, myr_learned what, int64_t n, const float *observation, float *action);
/* Values (n) of observations (n, observations + critic_observations), by the weights. */
MYR_API myr_status myr_learner_value(const myr_learner *learner, int64_t n, const float *observation, float *value);

/* Numbers of what a learner knows, in this order: layer by layer of the policy weights (out, in) and biases (out); standard deviations
 * (actions); the same of the value. With an encoder, what an output of the first layer does not see has the weight 0. */
MYR_API int64_t myr_learner_count(const myr_learner *learner);
/* The weights, Adam's running means of the gradients and of their squares, or the running mean of the weights over the iterations; (count).
 * That of the weights is the steadier policy. */
MYR_API myr_status myr_learner_get(const myr_learner *learner, myr_learned what, float *out);
/* MYR_E_ARG: a number is not finite, a standard deviation or a square below zero, or a weight of what is not seen not 0; nothing changes.
 */
MYR_API myr_status myr_learner_set(myr_learner *learner, myr_learned what, const float *in);
/* How observation and action look in a mirror, as myr_batch_get_mirror says it: numbers counted from 1, with signs. Wanted before the first
 * update where mirror_loss_coef is above 0. MYR_E_ARG: in a mirror twice they are not as they were. */
MYR_API myr_status myr_learner_set_mirror(myr_learner *learner, const int *observation, const int *action);

/* Another value for an option that is a real number, by its name, from the next update on; "learning_rate" is the step size of now.
 * MYR_E_ARG: there is no such option, or it is out of range. */
MYR_API myr_status myr_learner_set_option(myr_learner *learner, const char *name, double value);

/* By what observations are normalized, (observations + critic_observations) each, and of how many this is known; a network is given
 * (x - mean) / (sqrt(variance) + 0.01). Zeros and ones without obs_normalization. */
MYR_API myr_status myr_learner_get_normalization(const myr_learner *learner, double *mean, double *variance, double *count);
/* Go on from there. MYR_E_ARG: a number is not finite, or a variance or the count below zero. */
MYR_API myr_status myr_learner_set_normalization(myr_learner *learner, const double *mean, const double *variance, double count);

/* The rest of a checkpoint: iterations and gradient steps behind it, and the step size. */
typedef struct myr_learn_progress {
    int64_t iterations, gradient_steps;
    double rate;
} myr_learn_progress;
MYR_API void myr_learner_progress(const myr_learner *learner, myr_learn_progress *out);
/* Go on from there, at the beginning of an iteration: samples that are not learnt from are gone. MYR_E_ARG: a number that cannot
 * be: iterations beyond 2^40 or beyond 2^62 samples, gradient steps beyond 2^40, a rate that is not in (0, 1]. Nothing changes. */
MYR_API myr_status myr_learner_resume(myr_learner *learner, const myr_learn_progress *progress);

#ifdef __cplusplus
}
#endif
#endif

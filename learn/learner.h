/* A learner from within: its networks, what one iteration has seen, and the room of its workers. */
#ifndef MYR_LEARN_LEARNER_H
#define MYR_LEARN_LEARNER_H

#include "batch/threads.h"
#include "learn/net.h"

/* A minibatch is cut into so many slots, each with a gradient of its own. They are added in their order, whichever thread has filled them:
 * more threads than slots are of no use. */
enum { MYR_LEARN_SLOTS = 16 };

/* What a slot's samples add up to, by a sample's place modulo 16. */
enum {
    MYR_LEARN_SURROGATE,
    MYR_LEARN_VALUE,
    MYR_LEARN_MOVED, /* the divergence but for what all samples share */
    MYR_LEARN_MIRRORED,
    MYR_LEARN_LOSSES
};
typedef struct myr_slot_sums {
    float loss[MYR_LEARN_LOSSES][MYR_NET_ROW];
    float deviation[MYR_LEARN_MOST_ACTIONS * MYR_NET_ROW]; /* slopes by the deviations */
} myr_slot_sums;

struct myr_learner {
    myr_learn_options options;
    const myr_learn_kernels *kernels;
    myr_team *team;
    size_t bytes;

    /* What is learnt: the policy's numbers, the deviations in one row, the value's; as net.h lays them. */
    myr_net actor, critic;
    size_t deviation, parameters; /* place of the deviations, and how many numbers there are */
    float *weights, *mean, *square, *average;
    float *turned; /* weights with inputs in lanes, for the way back */
    size_t turned_count;
    double rate, mean_power, square_power; /* step size; Adam's beta^t */
    int64_t iterations, gradient_steps;

    /* What an iteration sees: sample t * envs + env. */
    int64_t samples;
    int step;                           /* control steps taken */
    int asked;                          /* an action was drawn, and its reward is not known */
    int collected;                      /* by myr_learner_collect: the last observation is there, too */
    float *observation;                 /* (steps + 1, envs, observations), normalized once an action was drawn by it */
    float *critic_seen;                 /* (steps + 1, envs, observations + critic_observations); `observation` where it sees that alone */
    float *critic_own;                  /* (envs, critic_observations) as the task gave it last */
    int sees;                           /* myr_learner_see was called for this control step */
    float *action, *old_mean;           /* (steps, envs, actions) */
    float *reward, *advantage, *wanted; /* (steps, envs) */
    float *value;                       /* (steps + 1, envs) */
    uint8_t *terminated, *truncated;    /* (steps, envs) */
    float *returns, *terms;             /* (steps, envs), (steps, envs, MYR_LEARN_TERMS): of episodes that end there */
    int64_t *lengths;                   /* (steps, envs) */
    float *old_deviation;               /* (actions) */
    float *running_return;              /* (envs): of tasks that are arrays */
    int64_t *running_length;
    myr_learn_report report; /* the part that collecting fills */

    /* How what is observed is normalized: numbers of the observation, then those of a critic alone. */
    double *seen_mean, *seen_variance, seen_count;
    float *shift, *scale; /* (x - shift) * scale */
    double *seen_sums;    /* (SLOTS, 2, numbers): sums and sums of squares of normalized numbers */
    int *mirror;          /* observation, then action; counted from 1 with signs */
    int has_mirror;

    /* Updates. */
    int blocks;
    int *order;      /* (blocks) */
    float *gradient; /* (SLOTS + 1, parameters): the sum comes last */
    myr_slot_sums *sums;
    double *squares; /* (chunks, 2) sums of squares of the policy's and of the value's gradients */

    /* Workers. */
    char *rooms;
    size_t room_bytes;
};

/* Adam (Kingma and Ba 2015). */
#define MYR_ADAM_MEAN 0.9
#define MYR_ADAM_SQUARE 0.999
#define MYR_ADAM_LEAST 1e-8

/* Least standard deviation of an action. */
#define MYR_LEARN_LEAST_DEVIATION 1e-4

/* Parameters that a worker takes at a time where they are added up and stepped. */
enum { MYR_LEARN_CHUNK = 4096 };
static inline int myr_learn_chunks(const myr_learner *l) { return (int)((l->parameters + MYR_LEARN_CHUNK - 1) / MYR_LEARN_CHUNK); }

/* A network whose numbers begin at `begin`: sizes, and where what lies. `turned` counts on. */
void myr_net_lay(myr_net *net, const myr_learn_options *options, int in, int out, size_t begin, size_t *turned);
/* 1: an output of the layer sees an input, 0: its weight is 0. */
int myr_net_sees(const myr_net_layer *layer, int input, int output);

/* Numbers that the value sees. */
static inline int64_t myr_learn_critic_wide(const myr_learner *l) { return l->options.observations + l->options.critic_observations; }
/* What a network sees of a sample. */
static inline const float *myr_learn_seen(const myr_learner *l, const myr_net *net, int64_t sample) {
    return net == &l->actor ? l->observation + sample * l->options.observations : l->critic_seen + sample * myr_learn_critic_wide(l);
}

/* What a worker needs for a block of samples, in its own memory: policy and value take turns. */
size_t myr_learn_room_bytes(const myr_learner *learner);
myr_net_room myr_learn_room_of(const myr_learner *learner, int worker);

/* learn/options.c: MYR_E_ARG names the option that is out of range. */
myr_status myr_learn_options_check(const myr_learn_options *options);

/* learn/knowledge.c: weights -> turned */
void myr_learn_turn(myr_learner *learner);
void myr_learn_average(myr_learner *learner); /* once an iteration is over */
/* First weights: as torch's Linear draws them. */
void myr_learn_begin(myr_learner *learner);

/* learn/advantage.c: rewards and values -> advantages of mean 0 and deviation 1, and the values that are wanted. */
void myr_learn_advantages(myr_learner *learner);

/* learn/random.c: words keyed by (seed, what for, number); streams besides those of tasks and of the policy's noise. */
typedef enum myr_learn_stream { MYR_LEARN_FIRST_WEIGHTS = 4, MYR_LEARN_ORDER = 5 } myr_learn_stream;
void myr_learn_words(uint64_t seed, myr_learn_stream stream, uint64_t number, uint32_t out[4]);

/* learn/normalize.c: what environments from..to of a control step observe becomes what the networks see. */
void myr_learn_take(myr_learner *learner, int64_t from, int64_t to, int step);
/* Rows of so many numbers, the first ones of what is observed. */
void myr_learn_normalize(const myr_learner *learner, const float *rows, int64_t count, int64_t wide, float *to);
/* The first of all observations says how to begin; the samples of an iteration how to go on. */
void myr_learn_normalize_first(myr_learner *learner);
void myr_learn_normalize_next(myr_learner *learner);
void myr_learn_normalize_by(myr_learner *learner);

/* learn/mirror.c: what the mirror loss of a block, whose mean actions stand in the room, adds to the gradient; times `share`. */
void myr_learn_mirror_back(const myr_learner *learner, int64_t first, int samples, double share, const myr_net_room *room, float *gradient,
                           float *sum);

/* Values of the last observations, which have been taken. */
void myr_learn_last_values(myr_learner *learner);

/* Actions about the means of the policy for environments from..to, all of one control step. */
void myr_learn_draw(myr_learner *learner, const myr_net_room *room, int64_t from, int64_t to, int step);

#endif

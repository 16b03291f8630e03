/* A learner from within: its networks, what one iteration has seen, and the room of its workers. */
#ifndef MYR_LEARN_LEARNER_H
#define MYR_LEARN_LEARNER_H

#include "base/threads.h"
#include "learn/groups.h"
#include "learn/net.h"

/* What a slot's samples add up to beside the gradient, by a sample's place modulo 16; behind these the slopes by the deviations. */
enum {
    MYR_LEARN_SURROGATE,
    MYR_LEARN_VALUE,
    MYR_LEARN_MOVED, /* the divergence but for what all samples share */
    MYR_LEARN_MIRRORED,
    MYR_LEARN_LOSSES
};

/* What a group's samples say of an iteration; behind these the sums of its reward terms, and what normalization needs. */
enum {
    MYR_LEARN_ADVANTAGE,         /* mean */
    MYR_LEARN_ADVANTAGE_SQUARES, /* about that */
    MYR_LEARN_EPISODES,
    MYR_LEARN_FAILED,
    MYR_LEARN_RETURN,
    MYR_LEARN_LENGTH,
    MYR_LEARN_TOLD_TERMS,
    MYR_LEARN_TOLD_MOMENTS = MYR_LEARN_TOLD_TERMS + MYR_LEARN_TERMS
};

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

    /* Who learns what (groups.c, exchange.c). */
    myr_learn_split split;
    myr_exchange exchange;                        /* ranks 1: alone */
    int64_t exchanged_bytes, exchanges, failures; /* so far */
    double exchange_s;
    float *parcel; /* slots of all processes as they are exchanged; NULL: alone */
    float *kept;   /* (3, parameters): weights and Adam's means where an update began; NULL: alone */

    /* What an iteration sees of this process' robots: sample t * count + robot. */
    int64_t first, count, samples;      /* robots of this process, and samples of them */
    int first_slot, slots;              /* its slots */
    int terms;                          /* reward terms that are known of the samples */
    int step;                           /* control steps taken */
    int asked;                          /* an action was drawn, and its reward is not known */
    int collected;                      /* by myr_learner_collect: the last observation is there, too */
    float *observation;                 /* (steps + 1, count, observations), normalized once an action was drawn by it */
    float *critic_seen;                 /* (steps + 1, count, observations + critic_observations); `observation` where it sees that alone */
    float *critic_own;                  /* (count, critic_observations) as the task gave it last */
    int sees;                           /* myr_learner_see was called for this control step */
    float *action, *old_mean;           /* (steps, count, actions) */
    float *reward, *advantage, *wanted; /* (steps, count) */
    float *value;                       /* (steps + 1, count) */
    uint8_t *terminated, *truncated;    /* (steps, count) */
    float *returns, *episode_terms;     /* (steps, count), (steps, count, MYR_LEARN_TERMS): of episodes that end there */
    int64_t *lengths;                   /* (steps, count) */
    float *old_deviation;               /* (actions) */
    float *running_return;              /* (count): of tasks that are arrays */
    int64_t *running_length;
    myr_learn_report report; /* the part that collecting fills */

    /* How what is observed is normalized: numbers of the observation, then those of a critic alone. */
    double *seen_mean, *seen_variance, seen_count;
    float *shift, *scale; /* (x - shift) * scale */
    int *mirror;          /* observation, then action; counted from 1 with signs */
    int has_mirror;

    /* Updates. */
    int *order;      /* (blocks of the job), slot by slot */
    float *gradient; /* (slots of this process, slot_wide) */
    double *told;    /* (groups of the job, told_wide) */
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

/* Numbers of a slot: its gradient, what its losses add up to, and slopes by the deviations. */
static inline size_t myr_learn_slot_wide(const myr_learner *l) {
    return l->parameters + (size_t)(MYR_LEARN_LOSSES + l->options.actions) * MYR_NET_ROW;
}
/* The row of a slot of this process. */
static inline float *myr_learn_slot_row(const myr_learner *l, int slot) {
    return l->gradient + (size_t)(slot - l->first_slot) * myr_learn_slot_wide(l);
}
/* Numbers that a group tells of an iteration. */
static inline int myr_learn_told_wide(const myr_learner *l) {
    return MYR_LEARN_TOLD_MOMENTS + (l->options.obs_normalization ? 2 * (l->options.observations + l->options.critic_observations) : 0);
}

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
/* The name of the first option that two have otherwise, but for threads, pin and isa; NULL: none. */
const char *myr_learn_options_other(const myr_learn_options *a, const myr_learn_options *b);

/* learn/knowledge.c: weights -> turned */
void myr_learn_turn(myr_learner *learner);
void myr_learn_average(myr_learner *learner); /* once an iteration is over */
/* First weights: as torch's Linear draws them. */
void myr_learn_begin(myr_learner *learner);

/* learn/advantage.c: rewards and values -> advantages, the values that are wanted, and what groups tell; with what all groups tell,
 * advantages of mean 0 and deviation 1. */
void myr_learn_advantages(myr_learner *learner);
void myr_learn_advantages_by(myr_learner *learner);

/* learn/exchange.c: between the processes of a job; alone they do nothing. MYR_E_STATE: it failed, or they do not learn the same, which is
 * asked at the beginning of each iteration. */
myr_status myr_learn_agree(myr_learner *learner);
size_t myr_learn_parcel_rows(const myr_learner *learner); /* slots of all processes that are left to add */
myr_status myr_learn_exchange_told(myr_learner *learner, double *told, int wide);
/* Slots lo..hi - 1 of a bunch, which a worker fills one after the other and adds up while they are in its cache, as far as the tree has
 * them together; 0: there is no bunch of this number. */
int myr_learn_bunch(const myr_learner *learner, int number, int *lo, int *hi);
void myr_learn_add_bunch(myr_learner *learner, int lo, int hi);
/* The slots of a minibatch, whose bunches are added up, all added up: slot_wide numbers; NULL: `status` says why not. */
float *myr_learn_exchange_slots(myr_learner *learner, myr_status *status);

/* learn/random.c: words keyed by (seed, what for, number); streams besides those of tasks and of the policy's noise. */
typedef enum myr_learn_stream { MYR_LEARN_FIRST_WEIGHTS = 4, MYR_LEARN_ORDER = 5 } myr_learn_stream;
void myr_learn_words(uint64_t seed, myr_learn_stream stream, uint64_t number, uint32_t out[4]);

/* learn/normalize.c: what environments from..to of a control step observe becomes what the networks see. */
void myr_learn_take(myr_learner *learner, int64_t from, int64_t to, int step);
/* Rows of so many numbers, the first ones of what is observed. */
void myr_learn_normalize(const myr_learner *learner, const float *rows, int64_t count, int64_t wide, float *to);
/* The first of all observations says how to begin; the samples of an iteration how to go on: what those of a group add up to is told. */
myr_status myr_learn_normalize_first(myr_learner *learner);
void myr_learn_normalize_tell(const myr_learner *learner, int group, double *sums);
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

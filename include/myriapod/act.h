/* Whole control steps of a task (docs/tasks.md): actions in; observations, rewards and ends of episodes out.
 *
 * For batches made with the setting task = locomotion or hold. Everything happens in lanes inside one parallel call: the substeps, the
 * reward terms, commands, pushes, terminations, resets and observations. Bits do not depend on threads, splits or instruction set. */
#ifndef MYRIAPOD_ACT_H
#define MYRIAPOD_ACT_H

#include <stdint.h>

#include "batch.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How an environment goes on whose episode ended. Gymnasium's three modes. */
typedef enum myr_autoreset {
    MYR_AUTORESET_SAME_STEP = 0, /* reset at once: `observation` is the new episode's first, `final_observation` the old one's last */
    MYR_AUTORESET_NEXT_STEP,     /* the next control step resets it, whatever the action: reward 0, not ended */
    MYR_AUTORESET_DISABLED       /* it stays where it is, ended, until myr_batch_reset */
} myr_autoreset;

/* Arrays are the caller's, row-major with leading dimensions (envs, steps); outputs are nullable.
 * An action that is not finite, or a step that the engine quarantines, ends the episode of that environment alone: terminated, reward 0
 * (`termination` aside), the reason in `fault`; with an autoreset it goes on with the next episode. */
typedef struct myr_act {
    int64_t steps; /* control steps, each settings.decimation steps of dt */
    myr_autoreset autoreset;
    myr_type type;           /* MYR_F32 or MYR_F64, of all real arrays */
    const void *action;      /* (envs, steps, n_actions): myr_batch_components(batch, MYR_ACTION); NULL: zero */
    void *observation;       /* (envs, steps, n_obs) after the step, see myr_batch_observations */
    void *critic;            /* (envs, steps, n_critic) what a critic observes at the same moment, see myr_batch_critic_observations */
    void *state;             /* (envs, steps, nq + nv) q, then v, at the same moment: of an episode that began anew its first */
    void *final_observation; /* (envs, steps, n_obs); only rows of episodes that ended are written */
    void *final_critic;      /* (envs, steps, n_critic) likewise */
    void *reward;            /* (envs, steps) */
    void *terms; /* (envs, steps, n_terms) the task's reward terms, weighted, see below; the sum of all but metrics is the reward before its
                    floor */
    void *episode_terms;     /* (envs, steps, n_terms) sums of them over the episode; only rows of episodes that ended are written */
    void *episode_return;    /* (envs, steps) likewise */
    int64_t *episode_length; /* (envs, steps) control steps, likewise */
    uint8_t *terminated;     /* (envs, steps) 1: failed (fell, say) or faulted */
    uint8_t *truncated;      /* (envs, steps) 1: the time was up */
    uint8_t *fault;          /* (envs, steps) 0 or the myr_quarantine reason for which it terminated */
} myr_act;
/* Advance every environment by act->steps control steps. MYR_E_STATE for batches of a task without control steps. Allocates nothing. */
MYR_API myr_status myr_batch_act(myr_batch *batch, const myr_act *act);

/* The observation of the present state, (envs, n_obs): bit for bit what the last myr_batch_act gave, or the first one of an episode. */
MYR_API myr_status myr_batch_observe(const myr_batch *batch, myr_type type, void *out);

/* Components of an observation: 0 for batches of a task without control steps. */
MYR_API int myr_batch_observations(const myr_batch *batch);
/* What a critic alone observes of the present state, (envs, n_critic), likewise. */
MYR_API myr_status myr_batch_observe_critic(const myr_batch *batch, myr_type type, void *out);
/* Numbers that a critic alone observes, n_critic: 0 but for tasks that are tables and say so. */
MYR_API int myr_batch_critic_observations(const myr_batch *batch);
/* A part of an observation: numbers first .. first + n - 1. */
typedef struct myr_observed_info {
    const char *name, *unit, *doc; /* unit: before the factor */
    int first, n;
    double scale, noise; /* factor; noise of +- that much, added before the factor; 0: none */
    int critic;          /* 1: of what a critic alone observes */
    int frames;          /* n are the numbers of so many control steps, the oldest first; 1: of the present alone */
} myr_observed_info;
/* Part 0, 1, .. in order; MYR_E_ARG past the last. */
MYR_API myr_status myr_batch_get_observed(const myr_batch *batch, int part, myr_observed_info *info);

/* Names of the tasks, as the setting `task` takes them; NULL past the end. */
MYR_API const char *myr_task_name(int index);
/* What a task asks of a robot, and what it does without being asked. */
typedef struct myr_task_info {
    const char *name;
    int needs_quadruped; /* four legs with a foot each on one floating base */
    int needs_actuators; /* one at least */
    int sets_targets;    /* before each control step of myr_batch_step: what the caller has set is overwritten */
    int n_rewards;       /* reward terms; 0: it has no control steps, and the settings of episodes do not act */
} myr_task_info;
/* MYR_E_ARG: there is no task of this name (`auto` is not a task). */
MYR_API myr_status myr_task_get(const char *task, myr_task_info *info);
/* Number of reward terms of the task of this name, n_terms of myr_act; 0: it has no control steps, or there is no such task. */
MYR_API int myr_task_reward_count(const char *task);
/* Name of its reward term 0, 1, ...; NULL past the end. Its weight is a number of the task, and so a key of the settings: reward-NAME of
 * locomotion, hold-NAME of hold. */
MYR_API const char *myr_task_reward_name(const char *task, int term);
/* What its reward term 0, 1, ... measures, with its unit; NULL past the end. */
MYR_API const char *myr_task_reward_doc(const char *task, int term);

/* The same of locomotion: number of reward terms. */
MYR_API int myr_reward_count(void);
/* Name of reward term 0, 1, ..., as in its key `reward-NAME`; NULL past the end. */
MYR_API const char *myr_reward_name(int term);
/* What reward term 0, 1, ... measures, with its unit; NULL past the end. */
MYR_API const char *myr_reward_doc(int term);

#ifdef __cplusplus
}
#endif
#endif

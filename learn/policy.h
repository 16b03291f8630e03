/* A policy from within: a network without a way back, and a room for each worker. */
#ifndef MYR_LEARN_POLICY_H
#define MYR_LEARN_POLICY_H

#include "base/threads.h"
#include "learn/net.h"
#include "myriapod/policy.h"

struct myr_policy {
    const myr_learn_kernels *kernels;
    myr_team *team;
    size_t bytes;
    myr_net net;
    int observations, actions;
    float *parameters; /* as net.h lays them */
    float *mean, *std; /* (observations); both NULL: there is nothing to do */
    char *rooms;
    size_t room_bytes;
};

/* What a worker needs for a block of samples, in its own memory. */
typedef struct myr_policy_room {
    float *seen;      /* (BLOCK x observations) */
    myr_net_room net; /* layers take turns with two outputs: nothing looks back */
} myr_policy_room;
myr_policy_room myr_policy_room_of(const myr_policy *policy, int worker);

/* room->seen -> actions, a row of the last layer's width each. What is seen is lost where it is normalised. */
const float *myr_policy_forward(const myr_policy *policy, const myr_policy_room *room, int samples);
static inline int myr_policy_wide(const myr_policy *policy) { return policy->net.layer[policy->net.layers - 1].wide; }

#endif

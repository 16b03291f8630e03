/* The mirror loss: what the policy does in a mirror should be the mirror image of what it does. Its slope goes through the mirrored
 * observation alone; the mirror image is what is wanted there (Yu, Turk, Liu 2018 with the target held, as rsl_rl has it). */
#include <stdlib.h>
#include <string.h>

#include "learn/learner.h"
#include "machine/machine.h"
#include "model/model.h"

static size_t seen_count(const myr_learner *l) { return MYR_NET_BLOCK * (size_t)myr_net_wide((int)myr_learn_critic_wide(l)); }
static size_t mean_count(const myr_learner *l) { return MYR_NET_BLOCK * (size_t)l->actor.layer[l->actor.layers - 1].wide; }

size_t myr_learn_mirror_bytes(const myr_learner *l) { return (seen_count(l) + mean_count(l)) * sizeof(float); }

myr_mirror_room myr_learn_mirror_room(const myr_learner *l, int worker) {
    float *at = (float *)(void *)(l->rooms + (size_t)worker * l->room_bytes + myr_learn_room_bytes(l));
    return (myr_mirror_room){at, at + seen_count(l)};
}

/* Normalized numbers are mirrored as they were observed: a mean that is not its own mirror image would go the wrong way. */
static void reflect(const myr_learner *l, const float *seen, float *to) {
    for (int k = 0; k < l->options.observations; k++) {
        const int from = abs(l->mirror[k]) - 1;
        const float x = seen[from] / l->scale[from] + l->shift[from];
        to[k] = ((l->mirror[k] < 0 ? -x : x) - l->shift[k]) * l->scale[k];
    }
}

void myr_learn_mirror_back(const myr_learner *l, int64_t first, int samples, double share, const myr_net_room *room, int worker,
                           float *gradient, float *sum) {
    const int end = l->actor.layers - 1, wide = l->actor.layer[end].wide, actions = l->options.actions;
    const int *acts = l->mirror + l->options.observations;
    const myr_mirror_room own = myr_learn_mirror_room(l, worker);
    memcpy(own.mean, room->output[end], (size_t)samples * (size_t)wide * sizeof *own.mean);
    for (int i = 0; i < samples; i++)
        reflect(l, l->observation + (first + i) * l->options.observations, own.seen + (size_t)i * (size_t)l->options.observations);
    l->kernels->forward(&l->actor, l->weights, own.seen, samples, room);
    memset(room->slope[end], 0, (size_t)samples * (size_t)wide * sizeof(float));
    for (int i = 0; i < samples; i++)
        for (int k = 0; k < actions; k++) {
            const float there = own.mean[i * wide + abs(acts[k]) - 1];
            const float off = room->output[end][i * wide + k] - (acts[k] < 0 ? -there : there);
            room->slope[end][i * wide + k] = (float)(2 * share) * off;
            sum[i % MYR_NET_ROW] += off * off / (float)actions;
        }
    l->kernels->backward(&l->actor, l->turned, own.seen, samples, room, 0, gradient);
}

static int64_t wrong_image(const int *mirror, int n) {
    for (int k = 0; k < n; k++) {
        const int known = mirror[k] && mirror[k] >= -n && mirror[k] <= n, other = known ? mirror[abs(mirror[k]) - 1] : 0;
        if (other < -n || abs(other) - 1 != k || (other < 0) != (mirror[k] < 0)) return k;
    }
    return -1;
}

myr_status myr_learner_set_mirror(myr_learner *l, const int *observation, const int *action) {
    MYR_OWN_ARITHMETIC;
    const char *call = "myr_learner_set_mirror";
    if (!l || !observation || !action) return myr_fail(MYR_E_ARG, "%s: learner, observation or action is NULL", call);
    const myr_learn_options *o = &l->options;
    const int64_t seen = wrong_image(observation, o->observations), acted = wrong_image(action, o->actions);
    if (seen >= 0 || acted >= 0)
        return myr_fail(MYR_E_ARG, "%s: number %lld of the %s is not as it was in a mirror twice", call,
                        (long long)(seen >= 0 ? seen : acted) + 1, seen >= 0 ? "observation" : "action");
    memcpy(l->mirror, observation, (size_t)o->observations * sizeof *l->mirror);
    memcpy(l->mirror + o->observations, action, (size_t)o->actions * sizeof *l->mirror);
    l->has_mirror = 1;
    return MYR_OK;
}

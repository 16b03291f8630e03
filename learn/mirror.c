/* The mirror loss: what the policy does in a mirror should be the mirror image of what it does. Its slope goes through the mirrored
 * observation alone; the mirror image is what is wanted there (Yu, Turk, Liu 2018 with the target held, as rsl_rl has it). */
#include <stdlib.h>
#include <string.h>

#include "learn/learner.h"
#include "machine/machine.h"
#include "base/memory.h"
#include "base/message.h"
#include "tasks/instance.h"

/* Normalized numbers are mirrored as they were observed: a mean that is not its own mirror image would go the wrong way. Sixteen numbers of
 * all samples at a time: where they come from and their factors are found once in a block, and they are stored side by side. Lost: sample
 * by sample with a division each (a fifth of the products' time), number by number with stores 400 bytes apart (3 % of an update). */
static void reflect(const myr_learner *l, const float *seen, int samples, float *restrict to) {
    const int wide = l->options.observations;
    for (int first = 0; first < wide; first += MYR_NET_ROW) {
        const int count = wide - first < MYR_NET_ROW ? wide - first : MYR_NET_ROW;
        ptrdiff_t from[MYR_NET_ROW];
        float by[MYR_NET_ROW], off[MYR_NET_ROW];
        for (int j = 0; j < count; j++) {
            const int k = first + j, other = abs(l->mirror[k]) - 1;
            const float sign = l->mirror[k] < 0 ? -1 : 1;
            from[j] = other, by[j] = sign * l->scale[k] / l->scale[other];
            off[j] = (sign * l->shift[other] - l->shift[k]) * l->scale[k];
        }
        const float *x = seen;
        float *y = to + first;
        if (count == MYR_NET_ROW) /* a constant, as most are */
            for (int i = 0; i < samples; i++, x += wide, y += wide)
                for (int j = 0; j < MYR_NET_ROW; j++) y[j] = by[j] * x[from[j]] + off[j];
        else
            for (int i = 0; i < samples; i++, x += wide, y += wide)
                for (int j = 0; j < count; j++) y[j] = by[j] * x[from[j]] + off[j];
    }
}

void myr_learn_mirror_back(const myr_learner *l, int64_t first, int samples, double share, const myr_net_room *room, float *gradient,
                           float *sum) {
    const int end = l->actor.layers - 1, wide = l->actor.layer[end].wide, actions = l->options.actions;
    const int *acts = l->mirror + l->options.observations;
    memcpy(room->mean, room->output[end], (size_t)samples * (size_t)wide * sizeof *room->mean);
    reflect(l, l->observation + first * l->options.observations, samples, room->seen);
    l->kernels->forward(&l->actor, l->weights, room->seen, samples, room);
    const float each = 1 / (float)actions;
    memset(room->slope[end], 0, (size_t)samples * (size_t)wide * sizeof(float));
    for (int k = 0; k < actions; k++) {
        const int there = abs(acts[k]) - 1;
        const float sign = acts[k] < 0 ? -1 : 1;
        for (int i = 0; i < samples; i++) {
            const float off = room->output[end][i * wide + k] - sign * room->mean[i * wide + there];
            room->slope[end][i * wide + k] = (float)(2 * share) * off;
            sum[i % MYR_NET_ROW] += off * off * each;
        }
    }
    l->kernels->backward(&l->actor, l->turned, room->seen, samples, room, 0, gradient);
}

myr_status myr_learner_set_mirror(myr_learner *l, const int *observation, const int *action) {
    MYR_OWN_ARITHMETIC;
    const char *call = "myr_learner_set_mirror";
    if (!l || !observation || !action) return myr_fail(MYR_E_ARG, "%s: learner, observation or action is NULL", call);
    const myr_learn_options *o = &l->options;
    const int seen = myr_mirror_wrong(observation, o->observations), acted = myr_mirror_wrong(action, o->actions);
    if (seen >= 0 || acted >= 0)
        return myr_fail(MYR_E_ARG, "%s: number %d of the %s is not as it was in a mirror twice", call, (seen >= 0 ? seen : acted) + 1,
                        seen >= 0 ? "observation" : "action");
    memcpy(l->mirror, observation, (size_t)o->observations * sizeof *l->mirror);
    memcpy(l->mirror + o->observations, action, (size_t)o->actions * sizeof *l->mirror);
    l->has_mirror = 1;
    return MYR_OK;
}

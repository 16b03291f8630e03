/* The settings and terms of the task locomotion, outside the lanes. */
#include "batch/batch.h"
#include "myriapod/act.h"

static myr_status check_range(const char *what, double low, double high) {
    if (low <= high) return MYR_OK;
    return myr_fail(MYR_E_ARG, "'%s-low' is %g and '%s-high' is %g: the range ends before it begins", what, low, what, high);
}

myr_status myr_locomotion_check(const myr_settings *s) {
    myr_status status = check_range("command-x", s->command_x_low, s->command_x_high);
    if (status == MYR_OK) status = check_range("command-y", s->command_y_low, s->command_y_high);
    if (status == MYR_OK) status = check_range("command-yaw", s->command_yaw_low, s->command_yaw_high);
    if (status == MYR_OK) status = check_range("vary-friction", s->vary_friction_low, s->vary_friction_high);
    if (status != MYR_OK) return status;
    if (s->vary_delay > s->dt_s * (double)s->decimation * (1 + 1e-9))
        return myr_fail(MYR_E_ARG, "'vary-delay' is %g s, but an action may be late by a control step of %g s at most", s->vary_delay,
                        s->dt_s * (double)s->decimation);
    return MYR_OK;
}

static const struct {
    const char *name, *doc;
} rewards[MYR_REWARD_TERMS] = {
#define MYR_REWARD(name, key, weight, doc) {key, doc},
#include "myriapod/rewards.def"
#undef MYR_REWARD
};

int myr_reward_count(void) { return MYR_REWARD_TERMS; }
const char *myr_reward_name(int term) { return term >= 0 && term < MYR_REWARD_TERMS ? rewards[term].name : NULL; }
const char *myr_reward_doc(int term) { return term >= 0 && term < MYR_REWARD_TERMS ? rewards[term].doc : NULL; }

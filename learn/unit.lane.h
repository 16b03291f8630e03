/* What a unit of the learner holds. */
#include "kernels/kernels.h"
#include "learn/loss.lane.h"
#include "learn/step.lane.h"

const myr_learn_kernels MYR_UNIT(myr_learn) = {
    .isa = MYR_ISA_NAME,
    .forward = network_forward,
    .backward = network_backward,
    .policy_loss = policy_loss,
    .value_loss = value_loss,
    .add = add_rows,
    .adam_step = adam_step,
    .draw = draw_actions,
};

/* The motors behind actuators: their names, and whether their numbers make sense. */
#include <fnmatch.h>
#include <math.h>

#include "base/nearest.h"
#include "description.h"
#include "motor_net.h"

static const struct {
    const char *name, *parameters, *doc;
} kinds[MYR_MOTOR_KINDS] = {
#define MYR_MOTOR(NAME, name, parameters, doc) {#name, parameters, doc},
#include "myriapod/motors.def"
#undef MYR_MOTOR
};

myr_motor myr_motor_default(void) { return (myr_motor){.lag_lower = -INFINITY, .lag_upper = INFINITY}; }

static int is_kind(myr_motor_kind kind) { return (int)kind >= 0 && kind < MYR_MOTOR_KINDS; }

const char *myr_motor_name(myr_motor_kind kind) { return is_kind(kind) ? kinds[kind].name : NULL; }
const char *myr_motor_parameters(myr_motor_kind kind) { return is_kind(kind) ? kinds[kind].parameters : NULL; }
const char *myr_motor_doc(myr_motor_kind kind) { return is_kind(kind) ? kinds[kind].doc : NULL; }

/* Every parameter of a kind is a size: above 0 and finite; those of a net may all be 0: not said. `number` of the words between bars,
 * and its length. */
static const char *word_of(const char *words, int number, int *length) {
    for (; number > 0; number--) {
        while (*words && *words != '|') words++;
        if (*words) words++;
    }
    *length = 0;
    while (words[*length] && words[*length] != '|') (*length)++;
    return words;
}

static myr_status check_parameters(const char *name, const myr_motor *motor) {
    const int may_lack = myr_motor_has_net(motor) && motor->parameters[0] == 0.0 && motor->parameters[1] == 0.0;
    for (int i = 0; i < MYR_MOTOR_PARAMETERS; i++) {
        int length;
        const char *word = word_of(kinds[motor->kind].parameters, i, &length);
        if (length && !may_lack && !(motor->parameters[i] > 0.0 && isfinite(motor->parameters[i])))
            return myr_fail(MYR_E_ARG, "actuator `%s`: %.*s of its %s motor is %g, but must be finite and above 0", name, length, word,
                            kinds[motor->kind].name, motor->parameters[i]);
        if (!length && motor->parameters[i] != 0.0)
            return myr_fail(MYR_E_ARG, "actuator `%s`: parameters[%d] is %g, but a %s motor has no such parameter", name, i,
                            motor->parameters[i], kinds[motor->kind].name);
    }
    return MYR_OK;
}

static myr_status check_net(const char *name, const myr_motor *motor) {
    const char *kind = kinds[motor->kind].name;
    if (!motor->net && myr_motor_has_net(motor))
        return myr_fail(MYR_E_ARG, "actuator `%s`: a %s motor needs a net, and `net` is NULL", name, kind);
    if (motor->net && motor->net->def.kind != motor->kind)
        return myr_fail(MYR_E_ARG, "actuator `%s`: its net is a %s, but its motor is of kind %s", name, kinds[motor->net->def.kind].name,
                        kind);
    return MYR_OK;
}

static myr_status check_lag(const char *name, const myr_motor *motor) {
    if ((int)motor->lag < MYR_LAG_NONE || motor->lag > MYR_LAG_INTEGRATOR)
        return myr_fail(MYR_E_ARG, "actuator `%s`: lag is %d, which does not exist", name, (int)motor->lag);
    const int has_time = motor->lag == MYR_LAG_EXACT || motor->lag == MYR_LAG_EULER;
    if (has_time && !(motor->lag_s > 0.0 && isfinite(motor->lag_s)))
        return myr_fail(MYR_E_ARG, "actuator `%s`: lag_s is %g s, but must be finite and above 0", name, motor->lag_s);
    if (!(motor->lag_lower <= motor->lag_upper))
        return myr_fail(MYR_E_ARG, "actuator `%s`: lag_lower is %g and lag_upper %g", name, motor->lag_lower, motor->lag_upper);
    return MYR_OK;
}

myr_status myr_check_motor(const char *name, const myr_actuator_def *def) {
    const myr_motor *motor = &def->motor;
    if (!is_kind(motor->kind)) return myr_fail(MYR_E_ARG, "actuator `%s`: there is no motor of kind %d", name, (int)motor->kind);
    if (motor->delay_min < 0 || motor->delay_max < motor->delay_min || motor->delay_max > MYR_MOST_DELAY)
        return myr_fail(MYR_E_ARG, "actuator `%s`: it is late by %d to %d steps, but 0 <= delay_min <= delay_max <= %d must hold", name,
                        motor->delay_min, motor->delay_max, MYR_MOST_DELAY);
    myr_status status = check_parameters(name, motor);
    if (!status) status = check_net(name, motor);
    return status ? status : check_lag(name, motor);
}

/* ---- other motors for what is there -------------------------------------------------------------- */

static myr_status refuse(const myr_builder *builder, const char *name) {
    myr_words words = {0};
    char hint[MYR_WORD_BYTES + 24];
    for (int u = 0; u < builder->n_actuators; u++) myr_words_add(&words, builder->actuators[u].name);
    myr_words_hint(&words, name, hint, sizeof hint);
    return myr_fail(MYR_E_ARG, "myr_builder_motor: no actuator is called `%s`%s `myriapod info` (Python: Model.actuators) lists them", name,
                    *hint ? hint : ";");
}

myr_status myr_builder_motor(myr_builder *builder, const char *names, const myr_motor *motor) {
    MYR_OWN_ARITHMETIC;
    if (!builder || !names || !motor)
        return myr_fail(MYR_E_ARG, "myr_builder_motor: `%s` is NULL", !builder ? "builder" : !names ? "names" : "motor");
    char name[MYR_NAME_BYTES];
    const myr_actuator_def checked = {.motor = *motor};
    myr_status status = myr_check_motor(names, &checked);
    if (!status) status = myr_drive_joints(builder);
    for (const char *rest = names; rest && !status;) { /* all names first: on failure no motor has changed */
        int found = 0;
        rest = myr_next_name(rest, name);
        for (int u = 0; u < builder->n_actuators; u++) found |= fnmatch(name, builder->actuators[u].name, 0) == 0;
        if (!found) status = refuse(builder, name);
    }
    for (const char *rest = names; rest && !status;) {
        rest = myr_next_name(rest, name);
        for (int u = 0; u < builder->n_actuators; u++)
            if (fnmatch(name, builder->actuators[u].name, 0) == 0) {
                myr_motor *now = &builder->actuators[u].def.motor;
                myr_motor_net_retain(motor->net);
                myr_motor_net_free((myr_motor_net *)now->net);
                *now = *motor;
            }
    }
    return status;
}

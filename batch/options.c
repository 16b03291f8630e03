#include <string.h>

#include "batch/batch.h"
#include "batch/resolve.h"

static const struct {
    const char *name;
    myr_task task;
} tasks[] = {{"none", MYR_TASK_NONE},
             {"stand", MYR_TASK_STAND},
             {"trot", MYR_TASK_TROT},
             {"hang", MYR_TASK_HANG},
             {"drop", MYR_TASK_DROP},
             {"random", MYR_TASK_RANDOM},
             {"locomotion", MYR_TASK_LOCOMOTION}};
enum { TASK_COUNT = sizeof tasks / sizeof *tasks };

const char *myr_task_name(myr_task task) {
    for (int i = 0; i < TASK_COUNT; i++)
        if (tasks[i].task == task) return tasks[i].name;
    return "unknown";
}

static myr_status find_task(const char *word, const myr_model *model, myr_task *task) {
    if (strcmp(word, "auto") == 0) {
        *task = model->quadruped.valid ? MYR_TASK_STAND : MYR_TASK_NONE;
        return MYR_OK;
    }
    for (int i = 0; i < TASK_COUNT; i++) {
        if (strcmp(tasks[i].name, word) != 0) continue;
        *task = tasks[i].task;
        if (*task != MYR_TASK_NONE && !model->quadruped.valid)
            return myr_fail(MYR_E_ARG,
                            "task '%s' is for quadrupeds, and the model '%s' is none (four legs with a foot each on one floating "
                            "base); use 'none'",
                            word, model->name);
        return MYR_OK;
    }
    return myr_fail(MYR_E_ARG, "'task' is '%s'", word); /* a choice that this table lacks */
}

/* Passes of the variational scheme where the settings leave it to the library: a robot that tumbles at 20 ms takes nine. */
enum { NEWTON_LIMIT = 10 };

/* What closes a contact of compliance C [m/N] and dissipation time T in an implicit step: R_N = C / (dt (dt + T)) [1/kg]. */
static myr_contact_terms contact_terms(const myr_settings *settings) {
    const double softness = 1 / (settings->dt_s * (settings->dt_s + settings->dissipation_time_s));
    myr_contact_terms terms = {
        .restitution = settings->restitution,
        .restitution_speed = settings->restitution_speed,
        .baumgarte = settings->baumgarte,
        .gap = settings->gap_m,
        .compliance_N = settings->compliance * softness,
        .compliance_T = settings->compliance_tangent * softness,
    };
    terms.on = terms.restitution > 0 || terms.baumgarte > 0 || terms.gap > 0 || terms.compliance_N > 0 || terms.compliance_T > 0;
    return terms;
}

myr_status myr_step_options_get(const myr_settings *settings, const myr_model *model, unsigned sense, myr_step_options *options) {
    const int maximal = strcmp(settings->dynamics, "maximal") == 0;
    *options = (myr_step_options){
        .dt_s = settings->dt_s,
        .speed_limit = settings->speed_limit,
        .spin_damping = maximal ? 0 : settings->spin_damping,
        .limit_correction = settings->limit_correction,
        .loop_correction = settings->loop_correction,
        .loop_projection = (int)settings->loop_projection,
        .friction_damped = strcmp(settings->joint_friction, "implicit") == 0,
        .limit_recheck = (int)settings->limit_recheck,
        .maximal = !maximal                 ? 0
                   : settings->newton_limit ? (int)settings->newton_limit
                                            : NEWTON_LIMIT,
        .decimation = (int)settings->decimation,
        .sense = sense,
        .seed = (uint64_t)settings->seed,
        .settings = settings,
    };
    options->terms = contact_terms(settings);
    const myr_status status = myr_resolve_solve(settings, &options->solve);
    if (status != MYR_OK) return status;
    /* at impacts of 10 to 100 N s an absolute 1e-6 lies below the rounding of a float */
    if (strcmp(settings->precision, "f32") == 0) options->solve.relative = 3e-6;
    const myr_status found = find_task(settings->task, model, &options->task);
    const myr_task task = options->task;
    if (task == MYR_TASK_STAND || task == MYR_TASK_TROT || task == MYR_TASK_RANDOM || task == MYR_TASK_LOCOMOTION)
        options->kp = model->quadruped.kp, options->kd = model->quadruped.kd;
    if (settings->kp >= 0) options->kp = settings->kp;
    if (settings->kd >= 0) options->kd = settings->kd;
    if (task != MYR_TASK_LOCOMOTION || found != MYR_OK) return found;
    options->sense |= MYR_SENSE_LOCOMOTION;
    if (settings->vary_mass > 0 || settings->vary_com > 0) options->varied |= MYR_VARIED_INERTIAL;
    if (settings->vary_gains > 0 || settings->vary_strength > 0) options->varied |= MYR_VARIED_GAINS;
    return myr_locomotion_check(settings);
}

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "batch/batch.h"
#include "settings/resolve.h"
#include "robot/scheme.h"
#include "tasks/task.h"

static myr_status find_task(const myr_task *const *tasks, const char *word, const myr_model *model, const myr_task *given,
                            const myr_task **task) {
    *task = given ? given : strcmp(word, "auto") == 0 ? myr_task_automatic(tasks, model) : myr_task_find(tasks, word);
    if (!*task) return myr_fail(MYR_E_ARG, "'task' is '%s'", word); /* cannot be: the setting was validated, `none` fits every robot */
    word = (*task)->name;
    if ((*task)->quadruped && !model->quadruped.valid)
        return myr_fail(MYR_E_ARG,
                        "task '%s' is for quadrupeds, and the model '%s' is not one (four legs with a foot each on one floating "
                        "base); use 'none'",
                        word, model->name);
    if ((*task)->actuated && model->nu == 0)
        return myr_fail(MYR_E_ARG, "task '%s' needs actuators, and the model '%s' has none; use 'none'", word, model->name);
    return MYR_OK;
}

/* Passes of a maximal scheme where the settings leave it to the library: a robot that tumbles at 20 ms takes nine. */
enum { NEWTON_LIMIT = 10 };

/* How much faster than before the step something may near and still be foreseen (setting landing) [m/s]. */
#define SPARE_SPEED 0.5

/* What closes a contact of compliance C [m/N] and dissipation time T in an implicit step: R_N = C / (dt (dt + T)) [1/kg]. */
static myr_contact_terms contact_terms(const myr_settings *settings) {
    const double softness = 1 / (settings->dt_s * (settings->dt_s + settings->dissipation_time_s));
    return (myr_contact_terms){
        .restitution = settings->restitution,
        .restitution_speed = settings->restitution_speed,
        .baumgarte = settings->baumgarte,
        .gap = settings->gap_m,
        .compliance_N = settings->compliance * softness,
        .compliance_T = settings->compliance_tangent * softness,
    };
}

static int model_has_tendons(const myr_model *model) {
    for (int k = 0; k < model->n_rows; k++)
        if (model->rows[k].n_terms) return 1;
    return 0;
}

static myr_status find_scheme(const myr_scheme *schemes, const myr_settings *settings, const myr_model *model, const myr_scheme **scheme) {
    const char *word = myr_setting_word(settings, "dynamics");
    for (*scheme = schemes; (*scheme)->name; (*scheme)++)
        if (strcmp((*scheme)->name, word) == 0) break;
    if ((*scheme)->name && (*scheme)->maximal && model_has_tendons(model))
        return myr_fail(MYR_E_ARG, "'dynamics' is '%s', which takes limits and friction of joints alone; the model '%s' has tendons", word,
                        model->name);
    if ((*scheme)->name && (*scheme)->maximal && model->terrain)
        return myr_fail(MYR_E_ARG, "'dynamics' is '%s', which knows no ground but a plane; the model '%s' stands on a map", word,
                        model->name);
    if ((*scheme)->name) return (*scheme)->check ? (*scheme)->check(settings, model) : MYR_OK;
    return myr_fail(MYR_E_ARG, "'dynamics' is '%s', which this build does not have", word);
}

/* A scheme without a problem asks no solver. It is judged by the full law, as nsgs is. */
static myr_status resolve_solve(const myr_settings *settings, const myr_scheme *scheme, myr_solve_options *options) {
    myr_settings own = *settings;
    if (scheme->no_problem) snprintf(own.solver, sizeof own.solver, "%s", myr_solvers[MYR_SOLVER_NSGS].name);
    return myr_resolve_solve(&own, options);
}

/* Nothing of a robot that is fixed to the world should lie in the ground by default: where it hangs lower, there is none. */
static myr_status find_ground(const myr_settings *settings, const myr_model *model, myr_step_options *options) {
    double *ground = &options->ground;
    if (strcmp(settings->ground, "auto") == 0)
        *ground = model->hangs_below && !model->terrain ? -INFINITY : model->floor;
    else if (strcmp(settings->ground, "off") == 0 && model->terrain)
        return myr_fail(MYR_E_ARG, "'ground' is 'off', but the model '%s' stands on a map: load it without", model->name);
    else if (strcmp(settings->ground, "off") == 0)
        *ground = -INFINITY;
    else if (!myr_setting_read_real(settings->ground, ground) || !(fabs(*ground) <= MYR_HIGHEST_GROUND))
        return myr_fail(MYR_E_ARG, "'ground' is '%s', but must be auto, off or a height of at most %g m", settings->ground,
                        MYR_HIGHEST_GROUND);
    options->raised = isfinite(*ground) ? *ground - model->floor : 0;
    return MYR_OK;
}

static unsigned stages_of(const myr_settings *settings, const myr_scheme *scheme, int lifts, const myr_model *model) {
    int pushed = model->n_pushing || model->n_drags;
    for (int i = 0; i < model->n_bodies; i++) pushed |= model->bodies[i].held_mass != 0;
    const int shown = settings->sense_bodies || settings->sense_contacts || (settings->loop_projection && model->n_loops);
    return (model->n_sensors ? (unsigned)MYR_WITH_SENSORS | (unsigned)MYR_WITH_SHOWN : 0) | (pushed ? MYR_WITH_PUSH : 0) |
           (scheme->no_problem ? 0 : MYR_WITH_PROBLEM) | (lifts ? MYR_WITH_LIFT : 0) | (model->n_activation ? MYR_WITH_INPUTS : 0) |
           (shown ? MYR_WITH_SHOWN : 0);
}

myr_status myr_step_options_get(const myr_settings *settings, const myr_kernels *kernels, const myr_model *model, const myr_task *given,
                                myr_step_options *options) {
    const myr_scheme *scheme;
    myr_status status = find_scheme(kernels->schemes, settings, model, &scheme);
    if (status != MYR_OK) return status;
    *options = (myr_step_options){
        .dt_s = settings->dt_s,
        .speed_limit = settings->speed_limit,
        .spin_damping = scheme->maximal ? 0 : settings->spin_damping,
        .limit_correction = settings->limit_correction,
        .loop_correction = settings->loop_correction,
        .loop_projection = (int)settings->loop_projection,
        .friction_damped = strcmp(settings->joint_friction, "implicit") == 0,
        .limit_recheck = (int)settings->limit_recheck,
        .landing = (int)settings->landing,
        .scheme = scheme,
        .rests = settings->landing && !scheme->maximal,
        .passes = !scheme->maximal         ? 0
                  : settings->newton_limit ? (int)settings->newton_limit
                                           : NEWTON_LIMIT,
        .full_poses = scheme->maximal || settings->sense_bodies || model->senses_bodies || model->n_pushing || model->n_drags,
        .decimation = (int)settings->decimation,
        .seed = (uint64_t)settings->seed,
        .settings = settings,
    };
    options->terms = contact_terms(settings);
    status = find_ground(settings, model, options);
    if (status == MYR_OK) status = resolve_solve(settings, scheme, &options->solve);
    if (status != MYR_OK) return status;
    /* The convex law pushes what slips away from a surface that it only nears, so there only what the velocity reaches is a contact. */
    options->spare_speed = myr_solvers[options->solve.solver].law == MYR_LAW_CCP ? 0 : SPARE_SPEED;
    /* A depth that the settings ask for stays: by a spring, by a correction of velocities, by a solver that makes springs of its own. */
    options->lift = options->landing && !scheme->maximal && !(settings->baumgarte > 0) && !(settings->compliance > 0) &&
                    !myr_solver_softens(options->solve.solver);
    options->stages = stages_of(settings, scheme, options->lift, model);
    /* Where each contact is a spring, each carries its part; and in maximal coordinates the points of a body do not move as one thing. */
    options->working_sets = settings->working_sets && !scheme->maximal && !(settings->compliance > 0) &&
                            !(settings->compliance_tangent > 0) && !myr_solver_softens(options->solve.solver);
    /* at impacts of 10 to 100 N s an absolute 1e-6 lies below the rounding of a float */
    if (strcmp(settings->precision, "f32") == 0) options->solve.relative = 3e-6;
    status = find_task(kernels->tasks, settings->task, model, given, &options->task);
    if (status != MYR_OK) return status;
    const myr_task *task = options->task;
    if (task->check && (status = task->check(settings, model)) != MYR_OK) return status;
    if (task->table && task->quadruped && options->ground != 0)
        return myr_fail(MYR_E_ARG, "the task '%s' needs the ground at 0, and it is at %g (-inf: off)", task->name, options->ground);
    options->own_gains = MYR_OWN_GIVEN;
    if (task->prepare) task->prepare(settings, model, options);
    if (settings->kp >= 0) options->kp = settings->kp;
    if (settings->kd >= 0) options->kd = settings->kd;
    if (model->own_gains && options->own_gains != MYR_OWN_NONE) options->varied |= MYR_VARIED_GAINS;
    for (int u = 0; u < model->nu; u++) {
        double target, torque;
        myr_actuator_start(model, u, &target, &torque);
        if (torque != 0) options->varied |= MYR_VARIED_TORQUE;
    }
    return myr_check_varied(options, model);
}

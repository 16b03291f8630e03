/* Settings that ask for a variation which would have no effect: they are errors when a batch is made, as a run that varies nothing looks
 * like one that does. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "settings/resolve.h"
#include "model/inertia.h"
#include "tasks/table.h"

/* Does anything that may touch have friction? The ground is asked for first: without it only pairs touch. */
static const char *no_friction(const myr_step_options *o, const myr_model *m) {
    const double own = o->settings->friction;
    int touches = 0;
    for (int s = 0; s < m->n_slots; s++) {
        if (m->slots[s].other < 0 && !isfinite(o->ground)) continue;
        touches = 1;
        if ((own >= 0 ? own : m->slots[s].friction) > 0) return NULL;
    }
    if (touches) return "every friction coefficient is 0, and a factor on it too: set 'friction', or leave it out";
    return isfinite(o->ground) ? "it has no shapes that may touch: give it some, or leave it out"
                               : "there is no ground ('ground'), and no two of its shapes may touch: set 'ground', or leave it out";
}

static const char *no_groups(const myr_step_options *o, const myr_model *m) {
    return m->n_friction_groups ? no_friction(o, m) : "the model has no friction groups: make some, or leave it out";
}

/* Gains with which the actuators begin; targets act by kp alone. */
static int has_gains(const myr_step_options *o, const myr_model *m, int damping) {
    for (int u = 0; u < m->nu; u++) {
        double kp, kd;
        myr_start_gains(m, u, o, &kp, &kd);
        if (kp > 0 || (damping && kd > 0)) return 1;
    }
    return 0;
}

static const char *no_gains(const myr_step_options *o, const myr_model *m) {
    return has_gains(o, m, 1) ? NULL : "kp and kd of every actuator are 0, and a part of them too: set 'kp' or 'kd', or leave it out";
}

/* Of motors other than a pd the strength counts without gains, too. */
static const char *no_strength(const myr_step_options *o, const myr_model *m) {
    for (int u = 0; u < m->nu; u++)
        if (m->actuators[u].motor.kind != MYR_MOTOR_PD) return NULL;
    return no_gains(o, m);
}

/* The loader lets moments below 0 pass that are the file's, and a factor on them would be judged as another body (batch/legal.c). */
static const char *no_body(const myr_step_options *o, const myr_model *m) {
    (void)o;
    for (int i = 0; i < m->n_bodies; i++) {
        double moments[3];
        myr_inertia_principal(m->bodies[i].inertia, moments);
        if (moments[0] < 0) return "one of its bodies has a principal moment below 0, and no change of that is a body: leave it out";
    }
    return NULL;
}

static const char *no_encoder(const myr_step_options *o, const myr_model *m) {
    (void)o;
    for (int u = 0; u < m->nu; u++)
        if (!m->actuators[u].pushes) return NULL;
    return "its actuators push at sites, and none drives a joint whose position could be measured: leave it out";
}

static const char *no_armature(const myr_step_options *o, const myr_model *m) {
    (void)o;
    for (int i = 0; i < m->n_bodies; i++)
        if (m->bodies[i].nv > 0 && m->bodies[i].armature > 0) return NULL;
    return "the armature of every joint is 0, and a factor on it too: leave it out";
}

static const char *no_damping(const myr_step_options *o, const myr_model *m) {
    (void)o;
    for (int i = 0; i < m->n_bodies; i++)
        if (m->bodies[i].nv > 0 && m->bodies[i].damping > 0) return NULL;
    return "the damping of every joint is 0, and a factor on it too: leave it out";
}

static const char *no_dry_friction(const myr_step_options *o, const myr_model *m) {
    if (strcmp(o->settings->joint_friction, "off") == 0)
        return "'joint-friction' is off, and with it what would be multiplied: leave it out";
    for (int k = 0; k < m->n_rows; k++)
        if (m->rows[k].friction > 0) return NULL;
    return "no joint has dry friction to multiply: leave it out";
}

static const char *no_turning(const myr_step_options *o, const myr_model *m) {
    const myr_body *base = &m->bodies[0];
    if (base->joint == MYR_JOINT_PRISMATIC)
        return "its base slides and never turns, so that its centre of mass does not matter: leave it out";
    return base->mass > 0 || o->settings->vary_mass > 0 ? NULL : "its base weighs nothing: set 'vary-mass' too, or leave it out";
}

static const char *no_delay(const myr_step_options *o, const myr_model *m) {
    if (!has_gains(o, m, 0)) return "kp of every actuator is 0, so that no action acts at all: set 'kp', or leave it out";
    return o->settings->vary_delay / o->dt_s < 0.5
               ? "it is less than half of a step 'dt', and delays are whole steps: make it longer, or leave it out"
               : NULL;
}

/* The tasks that draw, which are those with control steps, and do this robot. */
static void list_tasks(const myr_model *m, char *list, size_t bytes) {
    myr_task_info task;
    *list = '\0';
    for (int k = 0; myr_task_name(k); k++) {
        const size_t used = strlen(list);
        if (myr_task_get(myr_task_name(k), &task) != MYR_OK || !task.n_rewards) continue;
        if ((task.needs_quadruped && !m->quadruped.valid) || (task.needs_actuators && m->nu == 0)) continue;
        snprintf(list + used, bytes - used, "%s%s", used ? ", " : "", task.name);
    }
}

static myr_status refuse(const char *key, double value, const myr_step_options *o, const myr_model *m, const char *why) {
    return myr_fail(MYR_E_ARG, "'%s' is %g, which has no effect in the task '%s' on the model '%s': %s", key, value, o->task->name, m->name,
                    why);
}

myr_status myr_check_varied(const myr_step_options *o, const myr_model *m) {
    const myr_settings *s = o->settings;
    const struct {
        const char *key;
        double value, usual;
        const char *(*idle)(const myr_step_options *o, const myr_model *m); /* why it has no effect; NULL: it has one */
    } keys[] = {
        {"vary-friction-low", s->vary_friction_low, 1, no_friction},
        {"vary-friction-high", s->vary_friction_high, 1, no_friction},
        {"vary-mass", s->vary_mass, 0, NULL},
        {"vary-com", s->vary_com, 0, no_turning},
        {"vary-gains", s->vary_gains, 0, no_gains},
        {"vary-strength", s->vary_strength, 0, no_strength},
        {"vary-delay", s->vary_delay, 0, no_delay},
        {"vary-encoder", s->vary_encoder, 0, no_encoder},
        {"vary-armature-low", s->vary_armature_low, 1, no_armature},
        {"vary-armature-high", s->vary_armature_high, 1, no_armature},
        {"vary-damping-low", s->vary_damping_low, 1, no_damping},
        {"vary-damping-high", s->vary_damping_high, 1, no_damping},
        {"vary-dry-friction-low", s->vary_dry_friction_low, 1, no_dry_friction},
        {"vary-dry-friction-high", s->vary_dry_friction_high, 1, no_dry_friction},
        {"vary-links", s->vary_links, 0, no_body},
        {"vary-inertia", s->vary_inertia, 0, no_body},
        {"vary-group-friction-low", s->vary_group_friction_low, 1, no_groups},
        {"vary-group-friction-high", s->vary_group_friction_high, 1, no_groups},
    };
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
        char tasks[160], why[260];
        if (keys[k].value == keys[k].usual) continue;
        if (!o->task->varies) {
            if (o->task->table && !o->task->table->given)
                return refuse(keys[k].key, keys[k].value, o, m,
                              "it draws no parameters: write `uses vary`, in Python uses=(\"vary\",), or leave it out");
            list_tasks(m, tasks, sizeof tasks);
            snprintf(why, sizeof why, "it draws no parameters. %s%s%sleave it out", *tasks ? "Use a 'task' that does: " : "", tasks,
                     *tasks ? "; or " : "No task that does can do this robot; ");
            return refuse(keys[k].key, keys[k].value, o, m, why);
        }
        const char *idle = keys[k].idle ? keys[k].idle(o, m) : NULL;
        if (idle) return refuse(keys[k].key, keys[k].value, o, m, idle);
    }
    return MYR_OK;
}

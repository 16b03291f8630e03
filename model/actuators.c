/* Actuators: from C calls, where every argument is checked, to those of a compiled model. */
#include <math.h>
#include <string.h>

#include "description.h"
#include "base/memory.h"
#include "myriapod/motor_net.h"

myr_actuator_def myr_actuator_def_default(void) {
    const myr_actuator_def def = {.n = 1,
                                  .joints = {-1},
                                  .moments = {1.0},
                                  .kp = -1.0,
                                  .kd = -1.0,
                                  .lower = -INFINITY,
                                  .upper = INFINITY,
                                  .control_scale = 1.0,
                                  .control_lower = -INFINITY,
                                  .control_upper = INFINITY,
                                  .motor = myr_motor_default()};
    return def;
}

/* ---- from C calls ----------------------------------------------------------------------------- */

/* Squares of moments and gains must fit a float. */
static const double most = 1e15;

static myr_status check_numbers(const char *name, const myr_actuator_def *def) {
    const struct {
        const char *what;
        double value;
    } bounded[] = {{"kp", def->kp}, {"kd", def->kd}, {"control_scale", def->control_scale}, {"control_bias", def->control_bias}};
    for (size_t i = 0; i < sizeof bounded / sizeof *bounded; i++)
        if (!(fabs(bounded[i].value) <= most))
            return myr_fail(MYR_E_ARG, "actuator `%s`: %s is %g, but must be a number of at most %g", name, bounded[i].what,
                            bounded[i].value, most);
    if (!(def->lower <= 0.0 && def->upper >= 0.0))
        return myr_fail(MYR_E_ARG, "actuator `%s`: its force goes from %g to %g, but 0 must lie between", name, def->lower, def->upper);
    if (!(def->control_lower <= def->control_upper))
        return myr_fail(MYR_E_ARG, "actuator `%s`: control_lower is %g and control_upper %g", name, def->control_lower, def->control_upper);
    if (def->controls != MYR_CONTROLS_TARGET && def->controls != MYR_CONTROLS_TORQUE)
        return myr_fail(MYR_E_ARG, "actuator `%s`: controls is %d, which does not exist", name, (int)def->controls);
    return MYR_OK;
}

static myr_status check_joints(const myr_builder *builder, const char *name, const myr_actuator_def *def) {
    for (int i = 0; i < def->n; i++) {
        const myr_status status = myr_check_joint(builder, "actuator", name, def->joints[i], "a joint");
        if (status) return status;
        for (int k = 0; k < i; k++)
            if (def->joints[k] == def->joints[i])
                return myr_fail(MYR_E_ARG, "actuator `%s`: joint `%s` comes twice", name, builder->bodies[def->joints[i]].joint_name);
        if (!(fabs(def->moments[i]) <= most))
            return myr_fail(MYR_E_ARG, "actuator `%s`: moments[%d] is %g, but must be a number of at most %g", name, i, def->moments[i],
                            most);
    }
    return MYR_OK;
}

/* A rotor or a thruster: nothing of it goes by a length. */
static myr_status check_pushing(const char *name, const myr_actuator_def *def) {
    if (!def->frame) return MYR_OK;
    if (def->n) return myr_fail(MYR_E_ARG, "actuator `%s`: it pushes the frame `%s`, so n must be 0", name, def->frame);
    if (def->kp > 0.0 || def->kd > 0.0 || def->controls != MYR_CONTROLS_TORQUE)
        return myr_fail(MYR_E_ARG, "actuator `%s`: what pushes a frame has no length: kp and kd must be 0, controls torque", name);
    if (def->motor.kind == MYR_MOTOR_DC)
        return myr_fail(MYR_E_ARG, "actuator `%s`: what pushes a frame has no speed, and no dc motor", name);
    for (int k = 0; k < 6; k++)
        if (!(fabs(def->gear[k]) <= most))
            return myr_fail(MYR_E_ARG, "actuator `%s`: gear[%d] is %g, but must be a number of at most %g", name, k, def->gear[k], most);
    return MYR_OK;
}

myr_status myr_add_actuator(myr_builder *builder, const myr_actuator_def *def, const int *body, const myr_pose *pose) {
    const char *given = def->name ? def->name : "";
    if (def->n < !def->frame || def->n > MYR_COUPLED_JOINTS)
        return myr_fail(MYR_E_ARG, "actuator `%s`: n is %d, but must be 1 to %d", given, def->n, MYR_COUPLED_JOINTS);
    myr_status status = check_joints(builder, given, def);
    if (status) return status;
    const char *name = def->name ? def->name : def->frame ? def->frame : builder->bodies[def->joints[0]].joint_name;
    if (!*name) return myr_fail(MYR_E_ARG, "an actuator needs a name (NULL: its first joint's)");
    if ((status = check_numbers(name, def))) return status;
    if ((status = myr_check_motor(name, def))) return status;
    if (myr_has_actuator(builder, name)) return myr_fail(MYR_E_ARG, "actuator `%s`: another one has this name", name);
    if (builder->n_actuators >= MYR_MAX_ACTUATORS)
        return myr_fail(MYR_E_LIMIT, "actuator `%s`: a model holds at most %d actuators", name, MYR_MAX_ACTUATORS);
    myr_described_actuator actuator = {.def = *def, .pushes = def->frame != NULL, .body = body ? *body : -1, .pose = myr_pose_identity()};
    if ((status = check_pushing(name, def))) return status;
    if (body)
        actuator.pose = *pose;
    else if (actuator.pushes && !myr_place_of(builder, def->frame, &actuator.body, &actuator.pose))
        return myr_fail(MYR_E_ARG, "actuator `%s`: there is no body or frame `%.200s`", name, def->frame);
    actuator.name = myr_copy_text(name), actuator.def.name = actuator.def.frame = NULL;
    if (actuator.pushes) actuator.def.kp = actuator.def.kd = 0.0;
    myr_motor_net_retain(def->motor.net); /* given up with the item */
    if (!myr_push_actuator(builder, &actuator)) return myr_fail(MYR_E_MEMORY, "out of memory for actuator `%s`", name);
    builder->passive = 1;
    return MYR_OK;
}

myr_status myr_builder_actuator(myr_builder *builder, const myr_actuator_def *def) {
    MYR_OWN_ARITHMETIC;
    if (!builder || !def) return myr_fail(MYR_E_ARG, "myr_builder_actuator: `%s` is NULL", builder ? "def" : "builder");
    return myr_add_actuator(builder, def, NULL, NULL);
}

myr_status myr_builder_passive(myr_builder *builder) {
    MYR_OWN_ARITHMETIC;
    if (!builder) return myr_fail(MYR_E_ARG, "myr_builder_passive: `builder` is NULL");
    builder->passive = 1;
    return MYR_OK;
}

/* ---- compiled --------------------------------------------------------------------------------- */

static void from_described(const myr_described_actuator *from, const myr_carried *places, myr_actuator *to) {
    const myr_actuator_def *d = &from->def;
    to->n = d->n;
    for (int i = 0; i < d->n; i++) to->joint[i] = places[d->joints[i]].body, to->moment[i] = d->moments[i];
    to->kp = d->kp, to->kd = d->kd, to->lower = d->lower, to->upper = d->upper;
    to->controls = d->controls, to->scale = d->control_scale, to->bias = d->control_bias;
    to->control_lower = d->control_lower, to->control_upper = d->control_upper;
    to->has_home = from->has_home, to->home = from->home, to->motor = d->motor;
    to->pushes = from->pushes, memcpy(to->gear, d->gear, sizeof to->gear);
}

/* Where on its moving body a frame is that an actuator pushes. */
static void place_frame(myr_model *m, const myr_described_actuator *from, const myr_carried *places, myr_actuator *to) {
    const myr_carried whole = myr_carry(places, from->body, &from->pose);
    to->frame = myr_fix_frame(m, &whole);
    myr_copy3(to->position, whole.pose.position), memcpy(to->rotation, whole.pose.rotation, sizeof to->rotation);
}

static void from_joint(int body, const myr_body *joint, myr_actuator *to) {
    const myr_actuator_def d = myr_actuator_def_default();
    *to = (myr_actuator){.n = 1,
                         .joint = {body},
                         .moment = {1.0},
                         .kp = d.kp,
                         .kd = d.kd,
                         .lower = -joint->effort_limit,
                         .upper = joint->effort_limit,
                         .scale = 1.0,
                         .control_lower = d.control_lower,
                         .control_upper = d.control_upper,
                         .motor = d.motor};
}

static double reach_of(double moment, const myr_actuator *a) {
    const double force = fmax(-a->lower, a->upper);
    return moment == 0.0 || force == 0.0 ? 0.0 : fabs(moment) * force;
}

/* How many act on each joint, the first of them, and what they can give it together. A joint's own limit becomes that of the one actuator
 * that acts on it and on nothing else; where there are several the step bounds their sum. */
static myr_status meet_joints(myr_model *m) {
    int *count = myr_allocate_array((size_t)m->n_bodies, sizeof *count);
    double *reach = myr_allocate_array((size_t)m->n_bodies, sizeof *reach);
    if (!count || !reach) {
        myr_release(count), myr_release(reach);
        return myr_fail(MYR_E_MEMORY, "out of memory for model `%s`", m->name);
    }
    for (int k = m->nu - 1; k >= 0; k--)
        for (int i = 0; i < m->actuators[k].n; i++) m->bodies[m->actuators[k].joint[i]].u = k, count[m->actuators[k].joint[i]]++;
    m->own_actuators = m->plain_actuators = 1;
    for (int k = 0; k < m->nu; k++) {
        myr_actuator *a = &m->actuators[k];
        const int alone = a->n == 1 && count[a->joint[0]] == 1;
        const double limit = alone ? m->bodies[a->joint[0]].effort_limit : INFINITY;
        if (alone && a->moment[0] != 0.0)
            a->lower = fmax(a->lower, -limit / fabs(a->moment[0])), a->upper = fmin(a->upper, limit / fabs(a->moment[0]));
        a->state = m->n_activation, a->n_states = myr_motor_input_rows(&a->motor) + myr_motor_net_states(a->motor.net);
        m->n_activation += a->n_states;
        m->own_actuators &= alone && a->moment[0] == 1.0 && a->lower == -a->upper;
        m->plain_actuators &= m->own_actuators && a->motor.kind == MYR_MOTOR_PD && !a->n_states;
        for (int i = 0; i < a->n; i++) reach[a->joint[i]] += reach_of(a->moment[i], a);
        m->own_gains |= a->kp >= 0.0 || a->kd >= 0.0;
    }
    for (int i = 0; i < m->n_bodies; i++)
        if (m->bodies[i].nv == 1) {
            m->bodies[i].shared_limit = count[i] > 1 ? m->bodies[i].effort_limit : INFINITY;
            m->bodies[i].effort_limit = fmin(m->bodies[i].effort_limit, reach[i]);
        }
    myr_release(reach);
    myr_release(count);
    return MYR_OK;
}

myr_status myr_find_actuators(const myr_builder *builder, myr_model *m, const myr_carried *places) {
    m->described_actuators = builder->passive;
    if (builder->passive)
        m->nu = builder->n_actuators;
    else
        for (int i = 0; i < m->n_bodies; i++) m->nu += m->bodies[i].nv == 1;
    m->actuators = myr_allocate_array((size_t)m->nu, sizeof *m->actuators);
    if (!m->actuators) return myr_fail(MYR_E_MEMORY, "out of memory for model `%s`", m->name);
    for (int k = 0, body = 0; k < m->nu; k++) {
        const char *name;
        if (builder->passive) {
            from_described(&builder->actuators[k], places, &m->actuators[k]);
            if (builder->actuators[k].pushes) place_frame(m, &builder->actuators[k], places, &m->actuators[k]), m->n_pushing++;
            name = builder->actuators[k].name;
        } else {
            while (m->bodies[body].nv != 1) body++;
            from_joint(body, &m->bodies[body], &m->actuators[k]);
            name = m->bodies[body++].joint_name;
        }
        m->actuators[k].name = myr_copy_text(name);
        if (!m->actuators[k].name) return myr_fail(MYR_E_MEMORY, "out of memory for model `%s`", m->name);
    }
    return meet_joints(m);
}

double myr_actuator_length(const myr_model *m, int actuator, const double *q) {
    const myr_actuator *a = &m->actuators[actuator];
    double length = 0.0;
    for (int i = 0; i < a->n; i++) length += a->moment[i] * q[m->bodies[a->joint[i]].q];
    return length;
}

void myr_actuator_start(const myr_model *m, int actuator, double *target, double *torque) {
    const myr_actuator *a = &m->actuators[actuator];
    const double set = myr_actuator_set(a, a->home);
    const int torqued = a->controls == MYR_CONTROLS_TORQUE;
    *target = a->has_home && !torqued ? set : myr_actuator_length(m, actuator, m->home);
    *torque = !torqued ? 0.0 : a->has_home ? set : a->bias;
}

int myr_all_driven(const myr_model *m) {
    for (int i = 0; i < m->n_bodies; i++)
        if (m->bodies[i].nv == 1 && m->bodies[i].u < 0) return 0;
    return m->own_actuators;
}

/* Actuators of an MJCF become the builder's. MuJoCo's law force = gain ctrl + b0 + b1 length + b2 velocity is a PD with the gains -b1, -b2:
 * with a stiffness the control says where its target is, without one it is torque. Of one joint the gear goes into the gains, so that
 * targets and gains are the joint's. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "mjcf.h"

/* What the actuator turns: joints and moments. MYR_OK with n = 0: it does not act, and `dropped` says why. */
static myr_status find_joints(myr_mjcf *m, const int *links, myr_mjcf_actuator *a, myr_actuator_def *def) {
    def->n = 0;
    if (a->transmission == MYR_MJCF_TO_JOINT) {
        const int joint = myr_mjcf_find_joint(m, a->target);
        if (joint < 0) return myr_mjcf_no_joint(m, a->node, a->target);
        if (m->joints[joint].type < MYR_MJCF_SLIDE) {
            a->dropped = "its joint is neither a hinge nor a slider";
            return MYR_OK;
        }
        def->n = 1, def->joints[0] = links[joint], def->moments[0] = a->gear;
        return MYR_OK;
    }
    const myr_mjcf_tendon *t = myr_mjcf_find_tendon(m, a->target);
    if (!t) return myr_xml_fail(m->xml, a->node, "there is no tendon `%.100s`", a->target);
    if (!t->is_fixed || t->n > MYR_COUPLED_JOINTS) {
        a->dropped = t->is_fixed ? "its tendon has too many joints" : "its tendon is spatial";
        return MYR_OK;
    }
    for (int i = 0; i < t->n; i++) {
        const int joint = myr_mjcf_find_joint(m, t->joint[i]);
        int k = 0;
        if (joint < 0 || m->joints[joint].type < MYR_MJCF_SLIDE)
            return myr_xml_fail(m->xml, t->node, "there is no hinge or slider `%.100s`", t->joint[i]);
        while (k < def->n && def->joints[k] != links[joint]) k++;
        if (k == def->n) def->moments[def->n] = 0.0, def->joints[def->n++] = links[joint];
        def->moments[k] += a->gear * t->coefficient[i];
    }
    return MYR_OK;
}

/* Gains, limits and what a control is, of the actuator's own length. */
static void fill_law(myr_mjcf_actuator *a, myr_actuator_def *def) {
    def->kp = 0.0 - a->bias[1], def->kd = 0.0 - a->bias[2];
    if (def->kp < 0.0 || def->kd < 0.0) a->dropped = "its bias pushes away from rest";
    if (a->force_limited) def->lower = a->force_range[0], def->upper = a->force_range[1];
    if (a->control_limited) def->control_lower = a->control_range[0], def->control_upper = a->control_range[1];
    def->control_scale = a->gain, def->control_bias = a->bias[0];
    if (def->kp > 0.0) {
        def->controls = MYR_CONTROLS_TARGET;
        def->control_scale /= def->kp, def->control_bias /= def->kp;
        return;
    }
    def->controls = MYR_CONTROLS_TORQUE;
    if (def->kd > 0.0 || a->speed > 0.0 || !a->control_limited || a->lag == MYR_LAG_INTEGRATOR) return;
    /* a motor: the range of its control is that of its force, whatever sets the torque; 0 is always in it */
    const double one = a->gain * a->control_range[0] + a->bias[0], other = a->gain * a->control_range[1] + a->bias[0];
    if (isnan(one) || isnan(other)) return; /* a gain of 0 and no end */
    def->lower = fmax(def->lower, fmin(0.0, fmin(one, other))), def->upper = fmin(def->upper, fmax(0.0, fmax(one, other)));
}

/* What follows the control is kept in a range of its own, of controls; here it is of what they set. */
static void take_lag(const myr_mjcf_actuator *a, myr_actuator_def *def) {
    const double one = def->control_scale * a->lag_range[0] + def->control_bias,
                 other = def->control_scale * a->lag_range[1] + def->control_bias;
    def->motor.lag = a->lag, def->motor.lag_s = a->lag_s, def->motor.lag_behind = !a->lag_early;
    if (a->lag_limited) def->motor.lag_lower = fmin(one, other), def->motor.lag_upper = fmax(one, other);
}

/* The same in the joint's own position and torque. */
static void take_gear(myr_actuator_def *def) {
    const double gear = def->moments[0], lower = gear * def->lower, upper = gear * def->upper;
    const double share = def->controls == MYR_CONTROLS_TARGET ? 1.0 / gear : gear;
    def->moments[0] = 1.0;
    def->kp *= gear * gear, def->kd *= gear * gear;
    def->lower = fmin(lower, upper), def->upper = fmax(lower, upper);
    def->control_scale *= share, def->control_bias *= share;
    if (def->motor.kind == MYR_MOTOR_DC) def->motor.parameters[0] *= fabs(gear), def->motor.parameters[1] /= fabs(gear);
}

static void name_actuator(const myr_builder *builder, const myr_mjcf_actuator *a, char *name, size_t bytes) {
    snprintf(name, bytes, "%.250s", *a->name ? a->name : a->target);
    for (int i = 0, copy = 2; i < builder->n_actuators && !*a->name; i++)
        if (!strcmp(builder->actuators[i].name, name)) {
            snprintf(name, bytes, "%.250s_%d", a->target, copy++);
            i = -1;
        }
}

static myr_status add_actuator(myr_mjcf *m, myr_builder *builder, const myr_mjcf_host *hosts, const int *links, myr_mjcf_actuator *a,
                               const double *control) {
    char name[300];
    int body = -1;
    myr_pose pose = myr_pose_identity();
    const int pushes = a->transmission == MYR_MJCF_TO_SITE;
    myr_actuator_def def = myr_actuator_def_default();
    myr_status status = MYR_OK;
    if (pushes) {
        const int site = myr_mjcf_find_site(m, a->target);
        if (site < 0) return myr_xml_fail(m->xml, a->node, "there is no site `%.100s`", a->target);
        const myr_mjcf_site *s = &m->sites[site];
        myr_mjcf_hosted(hosts, s->body, s->position, s->quaternion, &body, &pose);
        def.n = 0, def.frame = a->target, memcpy(def.gear, a->gears, sizeof def.gear);
    } else
        status = find_joints(m, links, a, &def);
    if (!status && !a->dropped) fill_law(a, &def);
    if (!status && !a->dropped && !pushes && a->gear == 0.0) a->dropped = "its gear is 0";
    if (!status && !a->dropped && !(def.lower <= 0.0 && def.upper >= 0.0)) a->dropped = "its force cannot be 0";
    if (!status && a->dropped) return myr_mjcf_lose_actuator(m, a);
    if (status) return status;
    if (a->transmission == MYR_MJCF_TO_TENDON && (a->armature != 0.0 || a->damping != 0.0)) {
        status = myr_mjcf_lose(m, MYR_MJCF_LOST_ATTRIBUTES, a->node, "armature and damping of an actuator on a tendon");
        if (status) return status;
    }
    if (a->speed > 0.0) def.motor.kind = MYR_MOTOR_DC, def.motor.parameters[0] = a->stall, def.motor.parameters[1] = a->speed;
    if (def.n == 1) take_gear(&def);
    if (a->lag) take_lag(a, &def);
    name_actuator(builder, a, name, sizeof name);
    def.name = name;
    if ((status = myr_mjcf_blame(m, a->node, myr_add_actuator(builder, &def, pushes ? &body : NULL, &pose)))) return status;
    myr_described_actuator *made = &builder->actuators[builder->n_actuators - 1];
    if (control) made->has_home = 1, made->home = *control;
    return MYR_OK;
}

int myr_mjcf_controls(const myr_mjcf *m, int actuator) {
    int n = 0;
    for (int i = 0; i < actuator; i++) n += m->actuators[i].n_controls;
    return n;
}

static myr_status lose_sides(myr_mjcf *m, myr_builder *builder, const myr_mjcf_joint *j, int body) {
    builder->bodies[body].effort_limit = fmax(0.0, fmin(-j->force_range[0], j->force_range[1]));
    return myr_mjcf_lose(m, MYR_MJCF_LOST_SIDES, j->node, j->name);
}

/* A joint's limit is as much both ways. Where `actuatorfrcrange` is not, its only actuator takes it over; of several it is lost. */
static myr_status take_range(myr_mjcf *m, myr_builder *builder, const myr_mjcf_joint *j, int body) {
    myr_actuator_def *only = NULL;
    int count = 0;
    for (int i = 0; i < builder->n_actuators; i++)
        for (int k = 0; k < builder->actuators[i].def.n; k++)
            if (builder->actuators[i].def.joints[k] == body) only = &builder->actuators[i].def, count++;
    if (!count) return MYR_OK;
    if (count > 1 || only->n > 1 || j->force_range[0] > 0.0 || j->force_range[1] < 0.0) return lose_sides(m, builder, j, body);
    only->lower = fmax(only->lower, j->force_range[0]), only->upper = fmin(only->upper, j->force_range[1]);
    return MYR_OK;
}

myr_status myr_mjcf_build_actuators(myr_mjcf *m, myr_builder *builder, const myr_mjcf_host *hosts, const int *links,
                                    const myr_mjcf_key *key) {
    myr_status status = myr_builder_passive(builder);
    for (int i = 0; i < m->n_actuators && !status; i++) {
        if (m->actuators[i].dropped) continue;
        status =
            add_actuator(m, builder, hosts, links, &m->actuators[i], key && key->control ? &key->control[myr_mjcf_controls(m, i)] : NULL);
    }
    for (int i = 0; i < m->n_joints && !status; i++) {
        const myr_mjcf_joint *j = &m->joints[i];
        if (j->type >= MYR_MJCF_SLIDE && j->force_limited && j->force_range[0] != -j->force_range[1])
            status = take_range(m, builder, j, links[i]);
    }
    return status;
}

/* With the controls of the actuators that act. */
myr_status myr_mjcf_build_keyframes(myr_mjcf *m, myr_builder *builder) {
    double *control = myr_allocate_array((size_t)m->n_actuators + 1, sizeof *control);
    myr_status status = control ? MYR_OK : myr_fail(MYR_E_MEMORY, "%.300s: out of memory", m->xml->label);
    for (int k = 0; k < m->n_keys && !status; k++) {
        const myr_mjcf_key *key = &m->keys[k];
        char name[40];
        snprintf(name, sizeof name, "key_%d", k);
        for (int i = 0, n = 0; i < m->n_actuators && key->control; i++)
            if (!m->actuators[i].dropped) control[n++] = key->control[myr_mjcf_controls(m, i)];
        if (key->position)
            status = myr_add_keyframe(builder, *key->name ? key->name : name, key->position, key->n, key->control ? control : NULL);
    }
    myr_release(control);
    return status;
}

/* <actuator>: every word for one law, force = gain ctrl + b0 + b1 length + b2 velocity. What is not of this form is dropped by name. */
#include <math.h>
#include <string.h>

#include "mjcf.h"

enum { GENERAL, MOTOR, POSITION, VELOCITY, DAMPER, OTHERS };
static const char *const words[] = {"general", "motor", "position", "velocity", "damper"};

static int word_of(const myr_xml_node *node) {
    for (int k = 0; k < OTHERS; k++)
        if (myr_xml_is(node, words[k])) return k;
    return OTHERS;
}

static myr_status read_general(myr_mjcf *m, const myr_mjcf_element *e, myr_mjcf_actuator *a) {
    int gain_type = 0, bias_type = 0, dynamics = 0, found;
    double gain[10] = {1.0}, bias[10] = {0.0};
    myr_status status = myr_mjcf_word(m, e, "gaintype", "fixed|affine|muscle|user|dcmotor", &gain_type);
    if (!status) status = myr_mjcf_word(m, e, "biastype", "none|affine|muscle|user|dcmotor", &bias_type);
    if (!status) status = myr_mjcf_word(m, e, "dyntype", "none|integrator|filter|filterexact|muscle|user|dcmotor", &dynamics);
    if (!status) status = myr_mjcf_some_numbers(m, e, "gainprm", gain, 10, &found);
    if (!status) status = myr_mjcf_some_numbers(m, e, "biasprm", bias, 10, &found);
    if (status) return status;
    a->gain = gain[0];
    for (int k = 0; k < 3 && bias_type; k++) a->bias[k] = bias[k];
    if (gain_type) a->dropped = "its gain is not fixed";
    if (bias_type > 1) a->dropped = "its bias is neither none nor affine";
    if (dynamics) a->dropped = "it has dynamics of its own (dyntype)";
    return MYR_OK;
}

/* Does the first node count before the second, of which either has an attribute of the element? */
static int is_nearer(const myr_mjcf *m, const myr_mjcf_element *e, const myr_xml_node *one, const myr_xml_node *other) {
    if (one == e->node || other == e->node) return one == e->node;
    for (int c = e->class_id; c >= 0; c = m->classes[c].parent)
        for (int i = 0; i < m->n_sections; i++) {
            if (m->sections[i].class_id != c) continue;
            if (one->parent == m->sections[i].node) return 1;
            if (other->parent == m->sections[i].node) return 0;
        }
    return 1;
}

/* MuJoCo writes a damping ratio as a positive second bias: 2 ratio sqrt(kp mass) once the mass is known. */
static myr_status read_position(myr_mjcf *m, const myr_mjcf_element *e, myr_mjcf_actuator *a) {
    double kp = 1.0, kv = 0.0, lag = 0.0, inherit = 0.0;
    myr_status status = myr_mjcf_numbers(m, e, "kp", &kp, 1);
    if (!status) status = myr_mjcf_numbers(m, e, "kv", &kv, 1);
    if (!status) status = myr_mjcf_numbers(m, e, "dampratio", &a->damping_ratio, 1);
    if (!status) status = myr_mjcf_numbers(m, e, "timeconst", &lag, 1);
    if (!status) status = myr_mjcf_numbers(m, e, "inheritrange", &inherit, 1);
    if (status) return status;
    if (kp < 0.0 || kv < 0.0 || a->damping_ratio < 0.0) return myr_xml_fail(m->xml, e->node, "a gain is negative");
    if (kv > 0.0 && a->damping_ratio > 0.0) { /* the nearer one counts */
        const myr_xml_node *by_kv = myr_mjcf_who(m, e, "kv"), *by_ratio = myr_mjcf_who(m, e, "dampratio");
        if (by_kv == by_ratio) return myr_xml_fail(m->xml, by_kv, "`kv` and `dampratio` both say how it is damped");
        *(is_nearer(m, e, by_kv, by_ratio) ? &a->damping_ratio : &kv) = 0.0;
    }
    a->gain = kp, a->bias[1] = -kp, a->bias[2] = -kv;
    a->inherits_range = inherit > 0.0;
    if (lag > 0.0) a->dropped = "it has dynamics of its own (timeconst)";
    return MYR_OK;
}

static myr_status read_law(myr_mjcf *m, const myr_mjcf_element *e, myr_mjcf_actuator *a) {
    double kv = 1.0;
    myr_status status = MYR_OK;
    a->gain = 1.0;
    switch (word_of(e->node)) {
    case GENERAL: return read_general(m, e, a);
    case MOTOR: return MYR_OK;
    case POSITION: return read_position(m, e, a);
    case VELOCITY:
        if ((status = myr_mjcf_numbers(m, e, "kv", &kv, 1))) return status;
        if (kv < 0.0) return myr_xml_fail(m->xml, e->node, "kv is negative");
        a->gain = kv, a->bias[2] = -kv;
        return MYR_OK;
    default: a->dropped = "its kind is not read"; return MYR_OK;
    }
}

static myr_status read_actuator(myr_mjcf *m, const myr_xml_node *node) {
    static const struct {
        const char *attribute;
        myr_mjcf_transmission to;
    } targets[] = {{"joint", MYR_MJCF_TO_JOINT}, {"jointinparent", MYR_MJCF_TO_JOINT}, {"tendon", MYR_MJCF_TO_TENDON},
                   {"site", MYR_MJCF_TO_OTHER},  {"slidersite", MYR_MJCF_TO_OTHER},    {"cranksite", MYR_MJCF_TO_OTHER},
                   {"body", MYR_MJCF_TO_OTHER},  {"refsite", MYR_MJCF_TO_OTHER}};
    myr_mjcf_element e;
    myr_mjcf_actuator a = {.node = node, .name = myr_mjcf_name(node), .gear = 1.0, .transmission = MYR_MJCF_TO_OTHER};
    double gear[6] = {1.0};
    int found;
    m->xml->owner_kind = "actuator", m->xml->owner = *a.name ? a.name : NULL;
    myr_status status = myr_mjcf_element_of(m, node, 0, &e);
    for (size_t k = 0; k < sizeof targets / sizeof *targets && !status && !a.target; k++) {
        a.target = myr_mjcf_text(m, &e, targets[k].attribute);
        a.transmission = targets[k].to;
    }
    if (!status && !a.target) status = myr_xml_fail(m->xml, node, "it acts on nothing: `joint` or `tendon` is missing");
    if (!status) status = myr_mjcf_some_numbers(m, &e, "gear", gear, 6, &found);
    if (!status) status = myr_mjcf_limited(m, &e, "ctrllimited", "ctrlrange", a.control_range, &a.control_limited);
    if (!status) status = myr_mjcf_limited(m, &e, "forcelimited", "forcerange", a.force_range, &a.force_limited);
    if (!status) status = myr_mjcf_numbers(m, &e, "armature", &a.armature, 1);
    if (!status) status = myr_mjcf_numbers(m, &e, "damping", &a.damping, 1);
    if (!status) status = read_law(m, &e, &a);
    if (status) return status;
    a.gear = gear[0];
    if (a.transmission == MYR_MJCF_TO_OTHER && !a.dropped) a.dropped = "it acts on neither a joint nor a tendon";
    if (a.dropped && (status = myr_mjcf_lose(m, MYR_MJCF_LOST_ACTUATORS, node, a.name))) return status;
    return MYR_MJCF_ADD(m, actuators, a);
}

/* `inheritrange`: targets go as far as the joint does, times what it says, about the middle. */
static myr_status inherit_range(myr_mjcf *m, myr_mjcf_actuator *a) {
    double share = 1.0;
    myr_mjcf_element e;
    myr_status status = myr_mjcf_element_of(m, a->node, 0, &e);
    if (!status) status = myr_mjcf_numbers(m, &e, "inheritrange", &share, 1);
    if (status) return status;
    for (int k = 0; k < m->n_joints && a->transmission == MYR_MJCF_TO_JOINT; k++) {
        const myr_mjcf_joint *j = &m->joints[k];
        if (strcmp(j->name, a->target) != 0) continue;
        if (!j->limited) return myr_xml_fail(m->xml, a->node, "`inheritrange`, but joint `%.100s` has no range", j->name);
        const double middle = 0.5 * (j->range[0] + j->range[1]), half = 0.5 * (j->range[1] - j->range[0]) * share;
        a->control_range[0] = middle - half, a->control_range[1] = middle + half;
        a->control_limited = 1;
    }
    return MYR_OK;
}

myr_status myr_mjcf_read_actuators(myr_mjcf *m) {
    myr_status status = MYR_OK;
    for (const myr_xml_node *node = myr_mjcf_section(m, "actuator", NULL); node && !status; node = myr_mjcf_section(m, "actuator", node))
        for (const myr_xml_node *child = node->children; child && !status; child = child->next) status = read_actuator(m, child);
    for (int i = 0; i < m->n_actuators && !status; i++)
        if (m->actuators[i].inherits_range) status = inherit_range(m, &m->actuators[i]);
    m->xml->owner = NULL;
    return status;
}

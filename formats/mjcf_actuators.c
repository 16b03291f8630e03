/* <actuator>: every word for one law, force = gain ctrl + b0 + b1 length + b2 velocity. What is not of this form is dropped by name. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "mjcf.h"

typedef enum { GENERAL, MOTOR, POSITION, VELOCITY, DCMOTOR, OTHERS } kind;

/* What <position> and <velocity> say; bias: the second one, of velocity. */
typedef struct servo {
    double gain, bias, lag, inherit;
} servo;

/* What an element and the classes above it say of the law. In a class the last word counts. Another word goes on from the nearest class
 * around that ends with its kind, or with <general>; <general> itself from whatever was last. */
typedef struct law {
    kind kind;
    servo now, around[OTHERS];          /* of the kind that counts; by kind what the classes around say */
    int gain_type, bias_type, dynamics; /* of <general>; 0: fixed, none, none; bias 1: affine; dynamics: below */
    double gains[10], biases[10];       /* likewise */
    double dynamic[10];                 /* likewise; the first: its time constant */
    double control_range[2];            /* of it and of now.inherit the nearer one counts, the other is 0 */
    myr_mjcf_dcmotor dc;
} law;

enum { UNREAD = 99 };
enum { INTEGRATOR = 1, FILTER, FILTER_EXACT };

static kind kind_of(const myr_xml_node *node) {
    static const char *const words[] = {"general", "motor", "position", "velocity", "dcmotor"};
    for (int k = 0; k < OTHERS; k++)
        if (myr_xml_is(node, words[k])) return (kind)k;
    return OTHERS;
}

/* As <general> would say it. */
static void generalize(law *l) {
    const kind was = l->kind;
    l->kind = GENERAL;
    if (was == GENERAL) return;
    l->gain_type = l->bias_type = l->dynamics = was >= DCMOTOR ? UNREAD : 0;
    for (int k = 0; k < 10; k++) l->gains[k] = l->biases[k] = 0.0;
    l->gains[0] = was == MOTOR ? 1.0 : l->now.gain;
    if (was == MOTOR || was >= DCMOTOR) return;
    l->bias_type = 1;
    l->biases[1] = was == POSITION ? -l->now.gain : 0.0;
    l->biases[2] = l->now.bias;
    if (was == POSITION && l->now.lag > 0.0) l->dynamics = FILTER_EXACT, l->dynamic[0] = l->now.lag;
}

static myr_status read_general(const myr_mjcf *m, const myr_mjcf_element *e, law *l) {
    int found;
    myr_status status = myr_mjcf_word(m, e, "gaintype", "fixed|affine|muscle|user|dcmotor|so3|pid", &l->gain_type);
    if (!status) status = myr_mjcf_word(m, e, "biastype", "none|affine|muscle|user|dcmotor|so3", &l->bias_type);
    if (!status) status = myr_mjcf_word(m, e, "dyntype", "none|integrator|filter|filterexact|muscle|user|dcmotor|pid", &l->dynamics);
    if (!status) status = myr_mjcf_some_numbers(m, e, "gainprm", l->gains, 10, &found);
    if (!status) status = myr_mjcf_some_numbers(m, e, "dynprm", l->dynamic, 10, &found);
    return status ? status : myr_mjcf_some_numbers(m, e, "biasprm", l->biases, 10, &found);
}

/* MuJoCo writes a damping ratio as a positive second bias: 2 ratio sqrt(kp mass) once the mass is known. */
static myr_status read_position(const myr_mjcf *m, const myr_mjcf_element *e, law *l) {
    const int by_kv = myr_xml_text(e->node, "kv") != NULL, by_ratio = myr_xml_text(e->node, "dampratio") != NULL;
    double kv = 0.0, ratio = 0.0;
    myr_status status = myr_mjcf_numbers(m, e, "kp", &l->now.gain, 1);
    if (!status) status = myr_mjcf_numbers(m, e, "kv", &kv, 1);
    if (!status) status = myr_mjcf_numbers(m, e, "dampratio", &ratio, 1);
    if (!status) status = myr_mjcf_numbers(m, e, "timeconst", &l->now.lag, 1);
    if (status) return status;
    if (kv < 0.0 || ratio < 0.0) return myr_xml_fail(m->xml, e->node, "%s is negative", kv < 0.0 ? "kv" : "dampratio");
    if (by_kv && by_ratio) return myr_xml_fail(m->xml, e->node, "`kv` and `dampratio` both say how it is damped");
    if (by_kv || by_ratio) l->now.bias = by_kv ? -kv : ratio;
    return MYR_OK;
}

static myr_status read_range(const myr_mjcf *m, const myr_mjcf_element *e, law *l) {
    double range[2] = {0.0, 0.0}, inherit = 0.0;
    myr_status status = myr_mjcf_range(m, e, "ctrlrange", range);
    if (!status) status = myr_mjcf_numbers(m, e, "inheritrange", &inherit, 1);
    if (status) return status;
    const int some = range[0] != 0.0 || range[1] != 0.0;
    if (some && inherit > 0.0) return myr_xml_fail(m->xml, e->node, "`ctrlrange` and `inheritrange` both say how far it goes");
    if (myr_xml_text(e->node, "ctrlrange")) memcpy(l->control_range, range, sizeof range);
    if (myr_xml_text(e->node, "inheritrange")) l->now.inherit = inherit;
    if (some) l->now.inherit = 0.0;
    if (inherit > 0.0) l->control_range[0] = l->control_range[1] = 0.0;
    return MYR_OK;
}

/* What a <general> is as <position> or <velocity>. */
static servo servo_of(const law *l, kind its) {
    const double lag = its == POSITION && l->dynamics == FILTER_EXACT ? l->dynamic[0] : 0.0; /* of a <position> before it */
    return (servo){.gain = l->gains[0], .bias = its == POSITION ? l->biases[2] : -l->gains[0], .lag = lag, .inherit = l->now.inherit};
}

static void end_class(law *l) {
    for (kind its = POSITION; its <= VELOCITY; its++)
        if (l->kind == GENERAL || l->kind == its) l->around[its] = l->kind == its ? l->now : servo_of(l, its);
}

/* What one element says itself. */
static myr_status read_law(const myr_mjcf *m, const myr_xml_node *node, law *l) {
    const myr_mjcf_element e = {node, -1};
    const kind its = kind_of(node);
    if (its == GENERAL) generalize(l);
    if (its != l->kind && its != OTHERS) l->now = l->kind == GENERAL ? servo_of(l, its) : l->around[its];
    l->kind = its;
    double damping[3] = {l->dc.damping, 0.0, 0.0};
    int found;
    myr_status status = read_range(m, &e, l);
    if (!status) status = myr_mjcf_some_numbers(m, &e, "damping", damping, 3, &found);
    if (status) return status;
    l->dc.damping = damping[0];
    if (its == GENERAL) return read_general(m, &e, l);
    if (its == POSITION) return read_position(m, &e, l);
    if (its == DCMOTOR) return myr_mjcf_read_dcmotor(m, &e, &l->dc);
    if (its != VELOCITY) return MYR_OK;
    const myr_status kv = myr_mjcf_numbers(m, &e, "kv", &l->now.gain, 1);
    l->now.bias = -l->now.gain;
    return kv;
}

/* The classes from the outermost inwards. */
static myr_status read_class(const myr_mjcf *m, int c, law *l) {
    if (c < 0) return MYR_OK;
    myr_status status = read_class(m, m->classes[c].parent, l);
    for (int i = 0; i < m->n_sections && !status; i++) {
        if (m->sections[i].class_id != c) continue;
        for (const myr_xml_node *child = m->sections[i].node->children; child && !status; child = child->next)
            if (myr_mjcf_is_actuator(child)) status = read_law(m, child, l);
    }
    end_class(l);
    return status;
}

static myr_status find_law(const myr_mjcf *m, const myr_mjcf_element *e, myr_mjcf_actuator *a) {
    law l = {.gains = {1.0}, .dynamic = {1.0}, .dc = {.inputs = MYR_MJCF_VOLTAGE}};
    end_class(&l);
    myr_status status = read_class(m, e->class_id, &l);
    if (!status) status = read_law(m, e->node, &l);
    if (status) return status;
    memcpy(a->control_range, l.control_range, sizeof a->control_range);
    if (l.kind == DCMOTOR) return myr_mjcf_dcmotor_law(m, &l.dc, a);
    generalize(&l);
    a->gain = l.gains[0];
    for (int k = 0; k < 3 && l.bias_type; k++) a->bias[k] = l.biases[k];
    const int is_servo = l.bias_type == 1 && a->gain == -a->bias[1];
    if (is_servo && a->bias[2] > 0.0) a->damping_ratio = a->bias[2], a->bias[2] = 0.0;
    if (is_servo) a->inherited_range = l.now.inherit;
    static const myr_lag lags[] = {[INTEGRATOR] = MYR_LAG_INTEGRATOR, [FILTER] = MYR_LAG_EULER, [FILTER_EXACT] = MYR_LAG_EXACT};
    if (l.dynamics > FILTER_EXACT) a->dropped = "its dynamics are not read";
    if (l.dynamics && l.dynamics <= FILTER_EXACT) a->lag = lags[l.dynamics], a->lag_s = l.dynamic[0];
    if (a->lag && a->lag != MYR_LAG_INTEGRATOR && !(a->lag_s > 0.0)) a->lag = MYR_LAG_NONE; /* no time: it follows at once */
    if (l.bias_type > 1) a->dropped = "its bias is neither none nor affine";
    if (l.gain_type) a->dropped = "its gain is not fixed";
    if (l.gain_type == UNREAD) a->dropped = "its kind is not read";
    if (l.dc.torque > 0.0) a->force_limited = 1, a->force_range[0] = -l.dc.torque, a->force_range[1] = l.dc.torque; /* of a class */
    return MYR_OK;
}

myr_status myr_mjcf_lose_actuator(myr_mjcf *m, const myr_mjcf_actuator *a) {
    char what[200];
    snprintf(what, sizeof what, "%.100s (%.90s)", *a->name ? a->name : a->target, a->dropped);
    return myr_mjcf_lose(m, MYR_MJCF_LOST_ACTUATORS, a->node, what);
}

static myr_status read_actuator(myr_mjcf *m, const myr_xml_node *node) {
    static const struct {
        const char *attribute;
        myr_mjcf_transmission to;
    } targets[] = {{"joint", MYR_MJCF_TO_JOINT}, {"jointinparent", MYR_MJCF_TO_JOINT}, {"tendon", MYR_MJCF_TO_TENDON},
                   {"site", MYR_MJCF_TO_SITE},   {"slidersite", MYR_MJCF_TO_OTHER},    {"cranksite", MYR_MJCF_TO_OTHER},
                   {"body", MYR_MJCF_TO_OTHER},  {"refsite", MYR_MJCF_TO_OTHER}};
    myr_mjcf_element e;
    myr_mjcf_actuator a = {.node = node, .name = myr_mjcf_name(node), .gear = 1.0, .n_controls = 1, .transmission = MYR_MJCF_TO_OTHER};
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
    if (!status) status = myr_mjcf_limited(m, &e, "forcelimited", "forcerange", a.force_range, &a.force_limited);
    if (!status) status = myr_mjcf_limited(m, &e, "actlimited", "actrange", a.lag_range, &a.lag_limited);
    if (!status) status = myr_mjcf_word(m, &e, "actearly", "false|true", &a.lag_early);
    if (!status) status = myr_mjcf_numbers(m, &e, "armature", &a.armature, 1);
    if (!status) status = myr_mjcf_numbers(m, &e, "damping", &a.damping, 1);
    if (!status) status = find_law(m, &e, &a);
    if (status) return status;
    a.gear = gear[0], memcpy(a.gears, gear, sizeof gear);
    if (a.transmission == MYR_MJCF_TO_SITE && !a.dropped && myr_mjcf_text(m, &e, "refsite")) a.dropped = "it has a refsite";
    if (a.transmission == MYR_MJCF_TO_SITE && !a.dropped && (a.bias[1] != 0.0 || a.bias[2] != 0.0 || a.damping_ratio > 0.0))
        a.dropped = "a site has no length";
    if (a.transmission == MYR_MJCF_TO_OTHER && !a.dropped) a.dropped = "it acts on neither a joint, a tendon nor a site";
    if (a.lost[0] && (a.passive || !a.dropped) && (status = myr_mjcf_lose(m, MYR_MJCF_LOST_ATTRIBUTES, node, a.lost))) return status;
    if (a.dropped && !a.passive && (status = myr_mjcf_lose_actuator(m, &a))) return status;
    return MYR_MJCF_ADD(m, actuators, a);
}

/* The range of what it acts on, limited or not; NULL: it has none. */
static const double *range_of_target(const myr_mjcf *m, const myr_mjcf_actuator *a) {
    const int joint = a->transmission == MYR_MJCF_TO_JOINT ? myr_mjcf_find_joint(m, a->target) : -1;
    if (joint >= 0) return m->joints[joint].range;
    const myr_mjcf_tendon *tendon = a->transmission == MYR_MJCF_TO_TENDON ? myr_mjcf_find_tendon(m, a->target) : NULL;
    return tendon ? tendon->range : NULL;
}

/* `inheritrange`: targets go as far as the joint or the tendon does, times what it says, about the middle. */
static myr_status inherit_range(const myr_mjcf *m, myr_mjcf_actuator *a) {
    const double *range = range_of_target(m, a);
    if (!range || range[0] == range[1]) return myr_xml_fail(m->xml, a->node, "`inheritrange`, but `%.100s` has no range", a->target);
    const double middle = 0.5 * (range[0] + range[1]), half = 0.5 * (range[1] - range[0]) * a->inherited_range;
    a->control_range[0] = middle - half, a->control_range[1] = middle + half;
    return MYR_OK;
}

static myr_status limit_control(const myr_mjcf *m, myr_mjcf_actuator *a) {
    myr_mjcf_element e;
    if (a->inherited_range > 0.0 && a->dropped) return MYR_OK;
    myr_status status = a->inherited_range > 0.0 ? inherit_range(m, a) : MYR_OK;
    if (!status) status = myr_mjcf_element_of(m, a->node, 0, &e);
    return status ? status : myr_mjcf_limit(m, &e, "ctrllimited", "ctrlrange", a->control_range, &a->control_limited);
}

myr_status myr_mjcf_limit_controls(myr_mjcf *m) {
    myr_status status = MYR_OK;
    for (int i = 0; i < m->n_actuators && !status; i++) {
        m->xml->owner_kind = "actuator", m->xml->owner = *m->actuators[i].name ? m->actuators[i].name : NULL;
        status = limit_control(m, &m->actuators[i]);
    }
    m->xml->owner = NULL;
    return status;
}

myr_status myr_mjcf_read_actuators(myr_mjcf *m) {
    myr_status status = MYR_OK;
    for (const myr_xml_node *node = myr_mjcf_section(m, "actuator", NULL); node && !status; node = myr_mjcf_section(m, "actuator", node))
        for (const myr_xml_node *child = node->children; child && !status; child = child->next) status = read_actuator(m, child);
    m->xml->owner = NULL;
    return status;
}

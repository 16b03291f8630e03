/* <actuator>: what it acts on, its ranges, its law. What MuJoCo can and this library cannot is dropped by name. */
#include <math.h>
#include <string.h>

#include "mjcf.h"

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
    if (!status) status = myr_mjcf_actuator_law(m, &e, &a);
    if (status) return status;
    a.gear = gear[0];
    if (a.transmission == MYR_MJCF_TO_OTHER && !a.dropped) a.dropped = "it acts on neither a joint nor a tendon";
    if (a.dropped && (status = myr_mjcf_lose(m, MYR_MJCF_LOST_ACTUATORS, node, a.name))) return status;
    return MYR_MJCF_ADD(m, actuators, a);
}

/* `inheritrange`: targets go as far as the joint does, times what it says, about the middle. */
static myr_status inherit_range(myr_mjcf *m, myr_mjcf_actuator *a) {
    for (int k = 0; k < m->n_joints && a->transmission == MYR_MJCF_TO_JOINT; k++) {
        const myr_mjcf_joint *j = &m->joints[k];
        if (strcmp(j->name, a->target) != 0) continue;
        if (!j->limited) return myr_xml_fail(m->xml, a->node, "`inheritrange`, but joint `%.100s` has no range", j->name);
        const double middle = 0.5 * (j->range[0] + j->range[1]), half = 0.5 * (j->range[1] - j->range[0]) * a->range_share;
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
        if (m->actuators[i].range_share > 0.0) status = inherit_range(m, &m->actuators[i]);
    m->xml->owner = NULL;
    return status;
}

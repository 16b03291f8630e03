/* <equality>, <tendon>, <keyframe> of an MJCF, as they stand. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "mjcf.h"
#include "base/nearest.h"

/* ---- equality --------------------------------------------------------------------------------- */

static myr_status need(const myr_mjcf *m, const myr_xml_node *node, const char *attribute, const char **out) {
    *out = myr_xml_text(node, attribute);
    return *out ? MYR_OK : myr_xml_fail(m->xml, node, "the attribute `%s` is missing", attribute);
}

static myr_status read_ends(myr_mjcf *m, const myr_mjcf_element *e, myr_mjcf_equality *q) {
    static const char *const joints[] = {"joint1", "joint2"}, *const tendons[] = {"tendon1", "tendon2"};
    const myr_xml_node *node = e->node;
    int found;
    myr_status status;
    if (q->type == MYR_MJCF_COUPLE_JOINTS || q->type == MYR_MJCF_COUPLE_TENDONS) {
        const char *const *names = q->type == MYR_MJCF_COUPLE_JOINTS ? joints : tendons;
        q->polynomial[1] = 1.0;
        if ((status = need(m, node, names[0], &q->first))) return status;
        q->second = myr_xml_text(node, names[1]);
        return myr_mjcf_some_numbers(m, e, "polycoef", q->polynomial, 5, &found);
    }
    q->by_sites = myr_xml_text(node, "site1") != NULL;
    if (q->by_sites) {
        status = need(m, node, "site1", &q->first);
        return status ? status : need(m, node, "site2", &q->second);
    }
    if ((status = need(m, node, "body1", &q->first))) return status;
    q->second = myr_xml_text(node, "body2");
    if (q->type == MYR_MJCF_CONNECT && !myr_mjcf_who(m, e, "anchor"))
        return myr_xml_fail(m->xml, node, "the attribute `anchor` is missing");
    status = myr_mjcf_numbers(m, e, "anchor", q->anchor, 3);
    q->has_relative_pose = myr_mjcf_who(m, e, "relpose") != NULL;
    if (!status) status = myr_mjcf_numbers(m, e, "relpose", q->relative_pose, 7);
    double square = 0.0;
    for (int k = 3; k < 7; k++) square += q->relative_pose[k] * q->relative_pose[k];
    if (square == 0.0) q->has_relative_pose = 0; /* MuJoCo: as the bodies stand at first */
    return status;
}

static myr_status read_equality(myr_mjcf *m, const myr_xml_node *node) {
    static const char *const words[] = {"connect", "weld", "joint", "tendon"};
    myr_mjcf_equality q = {.node = node, .name = myr_mjcf_name(node)};
    myr_mjcf_element e;
    int active = 1, type = 0;
    while (type < 4 && !myr_xml_is(node, words[type])) type++;
    myr_status status = myr_mjcf_element_of(m, node, 0, &e);
    if (!status) status = myr_mjcf_word(m, &e, "active", "false|true", &active);
    if (status || !active) return status;
    if (type == 4) return myr_mjcf_lose(m, MYR_MJCF_LOST_EQUALITIES, node, *q.name ? q.name : node->name);
    q.type = (myr_mjcf_equality_type)type;
    if ((status = read_ends(m, &e, &q))) return status;
    return MYR_MJCF_ADD(m, equalities, q);
}

/* ---- tendons ---------------------------------------------------------------------------------- */

static myr_status read_tendon(myr_mjcf *m, const myr_xml_node *node) {
    myr_mjcf_tendon t = {.node = node, .name = myr_mjcf_name(node), .is_fixed = myr_xml_is(node, "fixed")};
    myr_mjcf_element e;
    int found;
    double stiffness[2] = {0.0, 0.0};
    myr_status status = myr_mjcf_element_of(m, node, 0, &e);
    if (!status) status = myr_mjcf_limited(m, &e, "limited", "range", t.range, &t.limited);
    if (!status) status = myr_mjcf_some_numbers(m, &e, "stiffness", stiffness, 2, &found);
    if (!status) status = myr_mjcf_numbers(m, &e, "damping", &t.damping, 1);
    if (!status) status = myr_mjcf_numbers(m, &e, "frictionloss", &t.friction, 1);
    if (!status) status = myr_mjcf_numbers(m, &e, "armature", &t.armature, 1);
    t.stiffness = stiffness[0];
    for (const myr_xml_node *child = node->children; child && t.is_fixed && !status; child = child->next) {
        if (!myr_xml_is(child, "joint")) return myr_xml_fail(m->xml, child, "a fixed tendon is made of joints");
        const int room = t.n < MYR_COUPLED_JOINTS;
        double coefficient = 0.0;
        const char *joint = NULL;
        status = need(m, child, "joint", &joint);
        if (!status) status = myr_xml_numbers(m->xml, child, "coef", MYR_XML_REQUIRED, &coefficient, 1);
        if (!status && room) t.joint[t.n] = joint, t.coefficient[t.n] = coefficient;
        t.n++;
    }
    if (status) return status;
    if (t.is_fixed && !t.n) return myr_xml_fail(m->xml, node, "a fixed tendon needs a <joint>");
    return MYR_MJCF_ADD(m, tendons, t);
}

/* ---- keyframe --------------------------------------------------------------------------------- */

static int count_positions(const myr_mjcf *m) {
    int n = 0;
    for (int i = 0; i < m->n_joints; i++) n += myr_mjcf_positions(m->joints[i].type);
    return n;
}

/* As MuJoCo does: a quaternion of zeros, which files written by hand have, is not a turn. */
static void normalize_turns(const myr_mjcf *m, double *q) {
    for (int i = 0; i < m->n_joints; i++) {
        const myr_mjcf_joint_type type = m->joints[i].type;
        if (type == MYR_MJCF_FREE) q += 3;
        if (type == MYR_MJCF_FREE || type == MYR_MJCF_BALL) {
            double length = 0.0;
            for (int k = 0; k < 4; k++) length = hypot(length, q[k]);
            for (int k = 0; k < 4; k++) q[k] = length > 1e-15 ? q[k] / length : k == 0;
            q += 4;
        } else {
            q++;
        }
    }
}

static myr_status read_key(myr_mjcf *m, const myr_xml_node *node) {
    myr_mjcf_key key = {.node = node, .name = myr_mjcf_name(node), .n = count_positions(m)};
    myr_status status = MYR_OK;
    if (myr_xml_text(node, "qpos")) {
        key.position = myr_allocate_array((size_t)key.n, sizeof *key.position);
        if (!key.position) return myr_fail(MYR_E_MEMORY, "%.300s: out of memory", m->xml->label);
        status = myr_xml_numbers(m->xml, node, "qpos", MYR_XML_REQUIRED, key.position, key.n);
    }
    if (!status && key.position) normalize_turns(m, key.position);
    if (!status && m->n_actuators && myr_xml_text(node, "ctrl")) {
        const int n = myr_mjcf_controls(m, m->n_actuators);
        key.control = myr_allocate_array((size_t)n + 1, sizeof *key.control);
        status = key.control ? myr_xml_numbers(m->xml, node, "ctrl", MYR_XML_REQUIRED, key.control, n)
                             : myr_fail(MYR_E_MEMORY, "%.300s: out of memory", m->xml->label);
    }
    if (!status) status = MYR_MJCF_ADD(m, keys, key);
    if (status) myr_release(key.position), myr_release(key.control);
    return status;
}

typedef myr_status reader(myr_mjcf *m, const myr_xml_node *node);

static myr_status read_all(myr_mjcf *m, const char *section, const char *words, reader *read) {
    for (const myr_xml_node *node = myr_mjcf_section(m, section, NULL); node; node = myr_mjcf_section(m, section, node))
        for (const myr_xml_node *child = node->children; child; child = child->next) {
            if (words && !myr_words_among(words, child->name)) continue;
            const myr_status status = read(m, child);
            if (status) return status;
        }
    return MYR_OK;
}

myr_status myr_mjcf_read_constraints(myr_mjcf *m) {
    myr_status status = read_all(m, "equality", NULL, read_equality);
    if (!status) status = read_all(m, "tendon", "fixed|spatial", read_tendon);
    return status ? status : read_all(m, "keyframe", "key", read_key);
}

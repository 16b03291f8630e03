/* <worldbody>: bodies depth first, their joints, frames and copies; what they weigh where the file says it. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "mjcf.h"

/* Where the reader of the tree is. */
typedef struct place {
    int body, class_id; /* -1: the world; class_id: childclass of what is around */
    int in_copy;        /* of a <replicate> that stands in the body */
    myr_mjcf_frame frame;
    const char *suffix; /* of copies, "" */
} place;

static const myr_mjcf_frame nowhere = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}};

/* The name of an element, of a copy its own. */
static myr_status name_of(myr_mjcf *m, const myr_xml_node *node, const char *suffix, const char **out) {
    char made[400], *kept;
    *out = myr_mjcf_name(node);
    if (!**out || !*suffix) return MYR_OK;
    snprintf(made, sizeof made, "%.250s%.100s", *out, suffix);
    if (!(kept = myr_copy_text(made))) return myr_fail(MYR_E_MEMORY, "%.300s: out of memory", m->xml->label);
    *out = kept;
    const myr_status status = MYR_MJCF_ADD(m, made, kept);
    if (status) myr_release(kept);
    return status;
}

/* ---- inertia ---------------------------------------------------------------------------------- */

static myr_status read_inertial(myr_mjcf *m, const myr_xml_node *node, const place *at) {
    const myr_mjcf_element e = {node, -1};
    myr_mjcf_body *body = &m->bodies[at->body];
    double quaternion[4], diagonal[3] = {0.0, 0.0, 0.0}, full[6] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    myr_inertia own = {.mass = 0.0};
    myr_pose pose = myr_pose_identity();
    if (body->has_inertial) return myr_xml_fail(m->xml, node, "given twice");
    if (!myr_xml_text(node, "pos")) return myr_xml_fail(m->xml, node, "the attribute `pos` is missing");
    myr_status status = myr_mjcf_pose(m, &e, pose.position, quaternion);
    if (!status) status = myr_xml_numbers(m->xml, node, "mass", MYR_XML_REQUIRED, &own.mass, 1);
    if (!status && own.mass < 0.0) status = myr_xml_fail(m->xml, node, "mass=\"%.80s\" is negative", myr_xml_text(node, "mass"));
    if (!status) status = myr_mjcf_numbers(m, &e, "diaginertia", diagonal, 3);
    if (!status) status = myr_mjcf_numbers(m, &e, "fullinertia", full, 6);
    if (status) return status;
    if (myr_xml_text(node, "fullinertia") && myr_xml_text(node, "diaginertia"))
        return myr_xml_fail(m->xml, node, "`fullinertia` and `diaginertia` both say how it turns");
    if (!myr_xml_text(node, "fullinertia")) memcpy(full, diagonal, sizeof diagonal);
    for (int k = 0; k < 3; k++)
        if (full[k] < 0.0) return myr_xml_fail(m->xml, node, "a moment of inertia is negative");
    memcpy(own.about_com, full, sizeof full); /* xx yy zz xy xz yz, as here */
    myr_mjcf_within(&at->frame, pose.position, quaternion);
    myr_rotation_from_quaternion(pose.rotation, quaternion);
    body->inertia = myr_inertia_move(&own, &pose);
    body->has_inertial = 1, body->knows_axes = !myr_xml_text(node, "fullinertia");
    memcpy(body->inertial, quaternion, sizeof quaternion);
    return MYR_OK;
}

/* ---- joints ----------------------------------------------------------------------------------- */

static void to_radians(double *x, int n) {
    for (int k = 0; k < n; k++) x[k] *= acos(-1.0) / 180.0;
}

/* The first of the coefficients that a stiffness or a damping may have; those of higher powers do not act. */
static myr_status read_linear(myr_mjcf *m, const myr_mjcf_element *e, const char *attribute, double *out) {
    double all[3] = {*out, 0.0, 0.0};
    int found;
    const myr_status status = myr_mjcf_some_numbers(m, e, attribute, all, 3, &found);
    *out = all[0];
    if (status || (all[1] == 0.0 && all[2] == 0.0)) return status;
    char what[160];
    snprintf(what, sizeof what, "higher powers in %s of `%.60s`", attribute, myr_mjcf_name(e->node));
    return myr_mjcf_lose(m, MYR_MJCF_LOST_ATTRIBUTES, e->node, what);
}

static myr_status check_joint(const myr_mjcf *m, const myr_mjcf_joint *j) {
    const double rest[] = {j->damping, j->friction, j->armature, j->stiffness};
    static const char *const names[] = {"damping", "frictionloss", "armature", "stiffness"};
    for (int k = 0; k < 4; k++)
        if (rest[k] < 0.0) return myr_xml_fail(m->xml, j->node, "%s is negative: %g", names[k], rest[k]);
    const myr_mjcf_body *b = &m->bodies[j->body];
    if (j->type == MYR_MJCF_FREE && b->parent >= 0) return myr_xml_fail(m->xml, j->node, "a free joint hangs on the world alone");
    for (int k = b->first_joint; k < b->first_joint + b->n_joints; k++)
        if (j->type == MYR_MJCF_FREE || m->joints[k].type == MYR_MJCF_FREE)
            return myr_xml_fail(m->xml, j->node, "a free joint is the only one of its body");
    return MYR_OK;
}

static myr_status read_joint(myr_mjcf *m, const myr_xml_node *node, const place *at) {
    myr_mjcf_element e;
    myr_status status = myr_mjcf_element_of(m, node, at->class_id, &e);
    if (status) return status;
    const int is_free = myr_xml_is(node, "freejoint");
    int type = is_free ? MYR_MJCF_FREE : MYR_MJCF_HINGE, align = 2;
    double axis[3] = {0.0, 0.0, 1.0}, position[3] = {0.0, 0.0, 0.0}, damper[2] = {0.0, 0.0}, turn[4] = {1.0, 0.0, 0.0, 0.0};
    myr_mjcf_joint j = {.node = node, .body = at->body};
    if ((status = name_of(m, node, at->suffix, &j.name))) return status;
    if (is_free) { /* without defaults */
        if ((status = myr_mjcf_word(m, &e, "align", "false|true|auto", &align))) return status;
        if (align == 1) return myr_xml_fail(m->xml, node, "align=\"true\" is not read");
    } else {
        status = myr_mjcf_word(m, &e, "type", "free|ball|slide|hinge", &type);
        if (!status) status = myr_mjcf_numbers(m, &e, "pos", position, 3);
        if (!status) status = myr_mjcf_numbers(m, &e, "axis", axis, 3);
        if (!status) status = read_linear(m, &e, "stiffness", &j.stiffness);
        if (!status) status = myr_mjcf_numbers(m, &e, "springref", &j.spring_reference, 1);
        if (!status) status = myr_mjcf_numbers(m, &e, "ref", &j.reference, 1);
        if (!status) status = read_linear(m, &e, "damping", &j.damping);
        if (!status) status = myr_mjcf_numbers(m, &e, "frictionloss", &j.friction, 1);
        if (!status) status = myr_mjcf_numbers(m, &e, "armature", &j.armature, 1);
        if (!status) status = myr_mjcf_limited(m, &e, "limited", "range", j.range, &j.limited);
        if (!status) status = myr_mjcf_limited(m, &e, "actuatorfrclimited", "actuatorfrcrange", j.force_range, &j.force_limited);
        if (!status) status = myr_mjcf_numbers(m, &e, "springdamper", damper, 2);
        if (damper[0] > 0.0 && damper[1] > 0.0) j.spring_time = damper[0], j.spring_ratio = damper[1];
    }
    j.type = (myr_mjcf_joint_type)type;
    if (status) return status;
    if (type == MYR_MJCF_FREE) j.limited = 0; /* whatever its class says */
    if (type < MYR_MJCF_SLIDE) j.force_limited = 0;
    if (m->degrees && type == MYR_MJCF_HINGE) to_radians(&j.spring_reference, 1), to_radians(&j.reference, 1);
    /* MuJoCo leaves ranges that do not limit as they stand; actuators may inherit them */
    if (m->degrees && j.limited && (type == MYR_MJCF_HINGE || type == MYR_MJCF_BALL)) to_radians(j.range, 2);
    const double square = myr_dot3(axis, axis);
    if ((type == MYR_MJCF_HINGE || type == MYR_MJCF_SLIDE) && !(square > 1e-28))
        return myr_xml_fail(m->xml, node, "the axis is zero and gives no direction");
    for (int k = 0; k < 3; k++) axis[k] /= sqrt(square);
    const myr_mjcf_frame turned = {{0.0, 0.0, 0.0},
                                   {at->frame.quaternion[0], at->frame.quaternion[1], at->frame.quaternion[2], at->frame.quaternion[3]}};
    double still[4] = {1.0, 0.0, 0.0, 0.0};
    myr_mjcf_within(&at->frame, position, turn);
    myr_mjcf_within(&turned, axis, still);
    if (type != MYR_MJCF_FREE) myr_copy3(j.position, position);
    myr_copy3(j.axis, axis);
    if ((status = check_joint(m, &j))) return status;
    m->bodies[at->body].n_joints++;
    return MYR_MJCF_ADD(m, joints, j);
}

/* ---- the tree --------------------------------------------------------------------------------- */

static myr_status read_children(myr_mjcf *m, const myr_xml_node *node, const place *at);

/* Copies of copies multiply: what a short file may cost is bounded by what is looked at. */
static myr_status visit(myr_mjcf *m, const myr_xml_node *node) {
    enum { MOST_VISITED = 1 << 22 };
    if (++m->visited <= MOST_VISITED) return MYR_OK;
    return myr_fail(MYR_E_LIMIT, "%.300s:%ld: <%.60s>: a model has at most %d elements, copies included", node->file, node->line,
                    node->name, MOST_VISITED);
}

static myr_status read_site(myr_mjcf *m, const myr_xml_node *node, const place *at) {
    myr_mjcf_element e;
    myr_mjcf_site site = {.node = node, .body = at->body, .size = {0.005, 0.005, 0.005}};
    int found;
    myr_status status = myr_mjcf_element_of(m, node, at->class_id, &e);
    if (!status) status = name_of(m, node, at->suffix, &site.name);
    if (!status) status = myr_mjcf_pose(m, &e, site.position, site.quaternion);
    if (!status) status = myr_mjcf_word(m, &e, "type", "sphere|capsule|ellipsoid|cylinder|box", &site.type);
    if (!status) status = myr_mjcf_some_numbers(m, &e, "size", site.size, 3, &found);
    if (status) return status;
    double length;
    if (myr_mjcf_who(m, &e, "fromto")) {
        if ((status = myr_mjcf_ends(m, &e, site.position, site.quaternion, &length))) return status;
        site.size[site.type == 1 || site.type == 3 ? 1 : 2] = 0.5 * length;
    }
    myr_mjcf_within(&at->frame, site.position, site.quaternion);
    return MYR_MJCF_ADD(m, sites, site);
}

/* Where the children of a <frame> are. */
static myr_status enter_frame(const myr_mjcf *m, const myr_xml_node *node, const place *at, place *inside) {
    const myr_mjcf_element e = {node, -1};
    *inside = *at;
    myr_status status = myr_mjcf_pose(m, &e, inside->frame.position, inside->frame.quaternion);
    if (!status) status = myr_mjcf_class_of(m, node, "childclass", at->class_id, &inside->class_id);
    if (!status) myr_mjcf_within(&at->frame, inside->frame.position, inside->frame.quaternion);
    return status;
}

/* Joints and mass of a body, those in its frames too: joints come before those of what it carries, wherever they stand. */
static myr_status read_own(myr_mjcf *m, const myr_xml_node *node, const place *at) {
    myr_status status = MYR_OK;
    for (const myr_xml_node *child = node->children; child && !status; child = child->next) {
        place inside;
        if (myr_xml_is(child, "joint") || myr_xml_is(child, "freejoint")) status = read_joint(m, child, at);
        if (myr_xml_is(child, "inertial")) status = read_inertial(m, child, at);
        if (!myr_xml_is(child, "frame")) continue;
        status = enter_frame(m, child, at, &inside);
        if (!status) status = read_own(m, child, &inside);
    }
    return status;
}

static myr_status read_body(myr_mjcf *m, const myr_xml_node *node, const place *at) {
    const myr_mjcf_element e = {node, -1};
    myr_mjcf_body body = {.node = node, .parent = at->body, .first_joint = m->n_joints, .knows_axes = 1};
    place inside = {.body = m->n_bodies, .frame = nowhere, .suffix = at->suffix};
    myr_status status = name_of(m, node, at->suffix, &body.name);
    if (!status) status = myr_mjcf_pose(m, &e, body.position, body.quaternion);
    if (!status) status = myr_mjcf_class_of(m, node, "childclass", at->class_id, &inside.class_id);
    if (!status) status = myr_mjcf_word(m, &e, "mocap", "false|true", &body.mocap);
    if (!status) status = myr_mjcf_numbers(m, &e, "gravcomp", &body.gravcomp, 1);
    if (status) return status;
    myr_copy3(body.given_position, body.position);
    memcpy(body.inertial, body.quaternion, sizeof body.inertial); /* MuJoCo's, of a body with nothing that weighs */
    myr_mjcf_within(&at->frame, body.position, body.quaternion);
    if ((status = MYR_MJCF_ADD(m, bodies, body))) return status;
    if (body.mocap && (status = myr_mjcf_lose(m, MYR_MJCF_LOST_MOCAP, node, body.name))) return status;
    m->xml->owner_kind = "body", m->xml->owner = body.name;
    status = read_own(m, node, &inside);
    return status ? status : read_children(m, node, &inside);
}

static myr_status read_frame(myr_mjcf *m, const myr_xml_node *node, const place *at) {
    place inside;
    const myr_status status = enter_frame(m, node, at, &inside);
    return status ? status : read_children(m, node, &inside);
}

/* Copies, each moved and turned against the one before. Angles are multiplied, as MuJoCo does, not turns. */
static myr_status read_copies(myr_mjcf *m, const myr_xml_node *node, const place *at) {
    const myr_mjcf_element e = {node, -1};
    myr_mjcf_frame one = nowhere;
    double offset[3] = {0.0, 0.0, 0.0}, euler[3] = {0.0, 0.0, 0.0};
    int count = 0, class_id = at->class_id;
    const char *sep = myr_xml_text(node, "sep");
    myr_status status = myr_mjcf_integer(m, &e, "count", &count);
    if (!status) status = myr_mjcf_numbers(m, &e, "offset", offset, 3);
    if (!status) status = myr_mjcf_numbers(m, &e, "euler", euler, 3);
    if (!status) status = myr_mjcf_class_of(m, node, "childclass", class_id, &class_id);
    if (!status && (count < 1 || count > MYR_MAX_LINKS))
        status = myr_xml_fail(m->xml, node, "count=\"%.80s\" is none of 1 .. %d",
                              myr_xml_text(node, "count") ? myr_xml_text(node, "count") : "", MYR_MAX_LINKS);
    const int digits = count < 10 ? 1 : count < 100 ? 2 : count < 1000 ? 3 : 4;
    for (int i = 0; i < count && !(status || (status = visit(m, node))); i++) {
        char suffix[120];
        snprintf(suffix, sizeof suffix, "%.40s%0*d%.60s", sep ? sep : "", digits, i, at->suffix);
        place inside = {.body = at->body, .class_id = class_id, .in_copy = 1, .frame = one, .suffix = suffix};
        const double angles[3] = {i * euler[0], i * euler[1], i * euler[2]};
        double step[3], still[4] = {1.0, 0.0, 0.0, 0.0};
        myr_mjcf_turn_euler(m, angles, inside.frame.quaternion);
        myr_copy3(step, offset);
        myr_mjcf_within(&inside.frame, step, still);
        myr_copy3(one.position, step); /* of the next */
        myr_mjcf_within(&at->frame, inside.frame.position, inside.frame.quaternion);
        status = read_children(m, node, &inside);
    }
    return status;
}

/* All but joints and <inertial>, which the body has read. */
static myr_status read_children(myr_mjcf *m, const myr_xml_node *node, const place *at) {
    myr_status status = MYR_OK;
    for (const myr_xml_node *child = node->children; child && !status; child = child->next) {
        if ((status = visit(m, child))) return status;
        m->xml->owner = at->body >= 0 && *m->bodies[at->body].name ? m->bodies[at->body].name : NULL;
        m->xml->owner_kind = m->xml->owner ? "body" : NULL;
        if (at->body < 0 && (myr_xml_is(child, "joint") || myr_xml_is(child, "freejoint") || myr_xml_is(child, "inertial")))
            return myr_xml_fail(m->xml, child, "the world does not move: it has neither joints nor mass");
        if (at->in_copy && (myr_xml_is(child, "joint") || myr_xml_is(child, "freejoint") || myr_xml_is(child, "inertial")))
            return myr_xml_fail(m->xml, child, "joints and masses are not copied: only what stands in a <body> of the <replicate>");
        if (myr_xml_is(child, "body")) {
            status = read_body(m, child, at);
        } else if (myr_xml_is(child, "frame")) {
            status = read_frame(m, child, at);
        } else if (myr_xml_is(child, "replicate")) {
            status = read_copies(m, child, at);
        } else if (myr_xml_is(child, "site")) {
            status = read_site(m, child, at);
        } else if (myr_xml_is(child, "geom")) {
            myr_mjcf_element e;
            const char *name;
            status = name_of(m, child, at->suffix, &name);
            if (!status) status = myr_mjcf_element_of(m, child, at->class_id, &e);
            if (!status) status = myr_mjcf_read_geom(m, e, at->body, &at->frame, name);
        }
    }
    return status;
}

myr_status myr_mjcf_read_bodies(myr_mjcf *m) {
    place world = {.body = -1, .frame = nowhere, .suffix = ""};
    myr_status status = MYR_OK;
    for (const myr_xml_node *node = myr_mjcf_section(m, "worldbody", NULL); node && !status;
         node = myr_mjcf_section(m, "worldbody", node)) {
        status = myr_mjcf_class_of(m, node, "childclass", 0, &world.class_id);
        if (!status) status = read_children(m, node, &world);
    }
    m->xml->owner = NULL;
    return status;
}

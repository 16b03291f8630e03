/* Classes of MJCF, and attributes as they count: an element's own, else its class's, else those of the classes around that one. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "mjcf.h"

/* ---- classes ---------------------------------------------------------------------------------- */

static int find_class(const myr_mjcf *m, const char *name) {
    for (int i = 0; i < m->n_classes; i++)
        if (!strcmp(m->classes[i].name, name)) return i;
    return -1;
}

static myr_status add_class(myr_mjcf *m, const char *name, int parent, int *id) {
    const myr_mjcf_class c = {name, parent};
    *id = m->n_classes;
    return MYR_MJCF_ADD(m, classes, c);
}

/* Depth is bounded by the XML reader's. */
static myr_status read_class(myr_mjcf *m, const myr_xml_node *node, int parent) {
    const char *name = myr_xml_text(node, "class");
    if (parent >= 0 && !name) return myr_xml_fail(m->xml, node, "a <default> inside another needs a `class`");
    if (!name) name = "main";
    int id = find_class(m, name);
    if (id >= 0 && (parent >= 0 || m->classes[id].parent >= 0)) return myr_xml_fail(m->xml, node, "there are two classes `%.100s`", name);
    if (id < 0 && parent < 0 && m->n_classes) return myr_xml_fail(m->xml, node, "the outermost class is called `main`, not `%.100s`", name);
    myr_status status = id < 0 ? add_class(m, name, parent, &id) : MYR_OK;
    const myr_mjcf_default section = {id, node};
    if (!status) status = MYR_MJCF_ADD(m, sections, section);
    for (const myr_xml_node *child = node->children; child && !status; child = child->next)
        if (myr_xml_is(child, "default")) status = read_class(m, child, id);
    return status;
}

myr_status myr_mjcf_read_defaults(myr_mjcf *m) {
    int id;
    myr_status status = MYR_OK;
    for (const myr_xml_node *node = myr_mjcf_section(m, "default", NULL); node && !status; node = myr_mjcf_section(m, "default", node))
        status = read_class(m, node, -1);
    return status || m->n_classes ? status : add_class(m, "main", -1, &id);
}

myr_status myr_mjcf_class_of(const myr_mjcf *m, const myr_xml_node *node, const char *attribute, int usual, int *out) {
    const char *name = myr_xml_text(node, attribute);
    *out = name ? find_class(m, name) : usual;
    return *out < 0 ? myr_xml_fail(m->xml, node, "there is no class `%.100s`", name) : MYR_OK;
}

myr_status myr_mjcf_element_of(const myr_mjcf *m, const myr_xml_node *node, int nearest, myr_mjcf_element *out) {
    out->node = node;
    return myr_mjcf_class_of(m, node, "class", nearest, &out->class_id);
}

/* ---- attributes ------------------------------------------------------------------------------- */

static int is_actuator(const char *name) {
    static const char *const kinds[] = {"general", "motor",    "position",    "velocity", "intvelocity", "damper", "cylinder",
                                        "muscle",  "adhesion", "orientation", "pid",      "dcmotor",     "plugin"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(name, kinds[i])) return 1;
    return 0;
}

int myr_mjcf_is_actuator(const myr_xml_node *node) { return is_actuator(node->name); }

/* All actuators have one set of defaults, by whatever word it is given. A <freejoint> has none. */
static int same_kind(const myr_xml_node *node, const char *name) {
    if (!strcmp(name, "fixed") || !strcmp(name, "spatial")) name = "tendon";
    if (!strcmp(name, "connect") || !strcmp(name, "weld")) name = "equality";
    return myr_xml_is(node, name) || (is_actuator(name) && is_actuator(node->name));
}

/* The node of class c alone that has the attribute. */
static const myr_xml_node *who_in(const myr_mjcf *m, const char *name, int c, const char *attribute) {
    for (int i = m->n_sections - 1; i >= 0; i--) {
        if (m->sections[i].class_id != c) continue;
        const myr_xml_node *found = NULL;
        for (const myr_xml_node *child = m->sections[i].node->children; child; child = child->next)
            if (same_kind(child, name) && myr_xml_text(child, attribute)) found = child;
        if (found) return found;
    }
    return NULL;
}

const myr_xml_node *myr_mjcf_who(const myr_mjcf *m, const myr_mjcf_element *e, const char *attribute) {
    if (myr_xml_text(e->node, attribute)) return e->node;
    for (int c = e->class_id; c >= 0; c = m->classes[c].parent) {
        const myr_xml_node *found = who_in(m, e->node->name, c, attribute);
        if (found) return found;
    }
    return NULL;
}

const char *myr_mjcf_text(const myr_mjcf *m, const myr_mjcf_element *e, const char *attribute) {
    const myr_xml_node *who = myr_mjcf_who(m, e, attribute);
    return who ? myr_xml_text(who, attribute) : NULL;
}

const char *myr_mjcf_name(const myr_xml_node *node) {
    const char *name = myr_xml_text(node, "name");
    return name ? name : "";
}

myr_status myr_mjcf_numbers(const myr_mjcf *m, const myr_mjcf_element *e, const char *attribute, double *out, int count) {
    const myr_xml_node *who = myr_mjcf_who(m, e, attribute);
    return who ? myr_xml_numbers(m->xml, who, attribute, MYR_XML_REQUIRED, out, count) : MYR_OK;
}

myr_status myr_mjcf_range(const myr_mjcf *m, const myr_mjcf_element *e, const char *attribute, double out[2]) {
    const myr_xml_node *who = myr_mjcf_who(m, e, attribute);
    return who ? myr_xml_numbers(m->xml, who, attribute, MYR_XML_REQUIRED | MYR_XML_MAY_BE_INFINITE, out, 2) : MYR_OK;
}

/* Who gives fewer numbers than there are leaves the others as the classes above have them: from the outermost inwards. */
static myr_status numbers_of_class(const myr_mjcf *m, const char *name, int c, const char *attribute, double *out, int most) {
    if (c < 0) return MYR_OK;
    int found;
    const myr_status status = numbers_of_class(m, name, m->classes[c].parent, attribute, out, most);
    const myr_xml_node *who = who_in(m, name, c, attribute);
    return status || !who ? status : myr_xml_some_numbers(m->xml, who, attribute, MYR_XML_REQUIRED, out, most, &found);
}

myr_status myr_mjcf_some_numbers(const myr_mjcf *m, const myr_mjcf_element *e, const char *attribute, double *out, int most, int *found) {
    *found = 0;
    const myr_status status = numbers_of_class(m, e->node->name, e->class_id, attribute, out, most);
    return status ? status : myr_xml_some_numbers(m->xml, e->node, attribute, MYR_XML_OPTIONAL, out, most, found);
}

myr_status myr_mjcf_integer(const myr_mjcf *m, const myr_mjcf_element *e, const char *attribute, int *out) {
    const myr_xml_node *who = myr_mjcf_who(m, e, attribute);
    double value = *out;
    const myr_status status = who ? myr_xml_numbers(m->xml, who, attribute, MYR_XML_REQUIRED, &value, 1) : MYR_OK;
    if (status) return status;
    if (value != rint(value) || fabs(value) > 2147483647.0)
        return myr_xml_fail(m->xml, who, "%s=\"%.80s\" is not a whole number", attribute, myr_xml_text(who, attribute));
    *out = (int)value;
    return MYR_OK;
}

myr_status myr_mjcf_word(const myr_mjcf *m, const myr_mjcf_element *e, const char *attribute, const char *words, int *out) {
    const myr_xml_node *who = myr_mjcf_who(m, e, attribute);
    if (!who) return MYR_OK;
    const char *text = myr_xml_text(who, attribute);
    int number = 0;
    for (const char *word = words; *word; number++) {
        const size_t length = strcspn(word, "|");
        if (strlen(text) == length && !strncmp(text, word, length)) {
            *out = number;
            return MYR_OK;
        }
        word += length + (word[length] == '|');
    }
    return myr_xml_fail(m->xml, who, "%s=\"%.80s\" is none of %s", attribute, text, words);
}

myr_status myr_mjcf_limit(const myr_mjcf *m, const myr_mjcf_element *e, const char *attribute, const char *range, const double limits[2],
                          int *limited) {
    int said = 2; /* auto */
    const int some = limits[0] != 0.0 || limits[1] != 0.0;
    const myr_status status = myr_mjcf_word(m, e, attribute, "false|true|auto", &said);
    if (status) return status;
    if (said == 2 && !m->auto_limits && some)
        return myr_xml_fail(m->xml, e->node, "`%s` without `%s`, and <compiler autolimits> is false", range, attribute);
    *limited = said == 1 || (said == 2 && some);
    if (*limited && !(limits[0] < limits[1]))
        return myr_xml_fail(m->xml, e->node, "`%s` acts as a limit, but its lower end %g is not below its upper end %g", range, limits[0],
                            limits[1]);
    return MYR_OK;
}

myr_status myr_mjcf_limited(const myr_mjcf *m, const myr_mjcf_element *e, const char *attribute, const char *range, double limits[2],
                            int *limited) {
    const myr_status status = myr_mjcf_range(m, e, range, limits);
    return status ? status : myr_mjcf_limit(m, e, attribute, range, limits, limited);
}

/* ---- poses ------------------------------------------------------------------------------------ */

static void multiply(double out[4], const double a[4], const double b[4]) {
    const double q[4] = {a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3], a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
                         a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1], a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]};
    memcpy(out, q, sizeof q);
}

static void about(double out[4], const double axis[3], double angle) {
    out[0] = cos(0.5 * angle);
    for (int k = 0; k < 3; k++) out[1 + k] = sin(0.5 * angle) * axis[k];
}

static int unit(double *x, int n) {
    double square = 0.0;
    for (int k = 0; k < n; k++) square += x[k] * x[k];
    if (!(square > 1e-28)) return 0;
    for (int k = 0; k < n; k++) x[k] /= sqrt(square);
    return 1;
}

void myr_mjcf_turn_z(const double direction[3], double quaternion[4]) {
    const double z[3] = {0.0, 0.0, 1.0};
    double axis[3];
    myr_cross3(axis, z, direction);
    const double across = sqrt(myr_dot3(axis, axis)), x[3] = {1.0, 0.0, 0.0};
    if (across < 1e-10) myr_copy3(axis, x);
    unit(axis, 3);
    about(quaternion, axis, atan2(across, direction[2]));
}

void myr_mjcf_within(const myr_mjcf_frame *outer, double position[3], double quaternion[4]) {
    double R[9];
    myr_rotation_from_quaternion(R, outer->quaternion);
    myr_rotate(position, R, position);
    for (int k = 0; k < 3; k++) position[k] += outer->position[k];
    multiply(quaternion, outer->quaternion, quaternion);
}

myr_status myr_mjcf_ends(const myr_mjcf *m, const myr_mjcf_element *e, double position[3], double quaternion[4], double *length) {
    double ends[6], direction[3];
    const myr_status status = myr_mjcf_numbers(m, e, "fromto", ends, 6);
    if (status) return status;
    for (int k = 0; k < 3; k++) position[k] = 0.5 * (ends[k] + ends[3 + k]), direction[k] = ends[k] - ends[3 + k];
    *length = sqrt(myr_dot3(direction, direction));
    if (unit(direction, 3)) myr_mjcf_turn_z(direction, quaternion);
    return MYR_OK;
}

void myr_mjcf_turn_euler(const myr_mjcf *m, const double angles[3], double out[4]) {
    const double scale = m->degrees ? acos(-1.0) / 180.0 : 1.0;
    out[0] = 1.0, out[1] = out[2] = out[3] = 0.0;
    for (int k = 0; k < 3; k++) {
        const char letter = m->euler[k];
        const int moves = letter >= 'x'; /* lower case: about axes that turn with it */
        double axis[3] = {0.0, 0.0, 0.0}, turn[4];
        axis[letter - (moves ? 'x' : 'X')] = 1.0;
        about(turn, axis, scale * angles[k]);
        multiply(out, moves ? out : turn, moves ? turn : out);
    }
}

static myr_status no_direction(const myr_mjcf *m, const myr_xml_node *node, const char *attribute) {
    return myr_xml_fail(m->xml, node, "%s=\"%.80s\" gives no direction", attribute, myr_xml_text(node, attribute));
}

/* The turn that one node gives. *found: whether it gives any. */
static myr_status read_turn(const myr_mjcf *m, const myr_xml_node *node, double q[4], int *found) {
    static const char *const names[] = {"axisangle", "xyaxes", "zaxis", "euler", "quat"};
    static const int counts[] = {4, 6, 3, 3, 4};
    double x[6];
    int which = -1;
    for (int k = 0; k < 5; k++) {
        if (!myr_xml_text(node, names[k])) continue;
        if (which >= 0) return myr_xml_fail(m->xml, node, "`%s` and `%s` both say how it is turned", names[which], names[k]);
        which = k;
    }
    *found = which >= 0;
    if (which < 0) return MYR_OK;
    const myr_status status = myr_xml_numbers(m->xml, node, names[which], MYR_XML_REQUIRED, x, counts[which]);
    if (status) return status;
    if (which == 0) {
        if (!unit(x, 3)) return no_direction(m, node, names[which]);
        about(q, x, m->degrees ? x[3] * acos(-1.0) / 180.0 : x[3]);
    } else if (which == 1) {
        double R[9], *y = x + 3, z[3];
        int ok = unit(x, 3);
        const double along = myr_dot3(x, y);
        for (int k = 0; k < 3; k++) y[k] -= along * x[k];
        ok = ok && unit(y, 3);
        myr_cross3(z, x, y);
        if (!ok) return no_direction(m, node, names[which]);
        for (int k = 0; k < 3; k++) R[3 * k] = x[k], R[3 * k + 1] = y[k], R[3 * k + 2] = z[k];
        myr_quaternion_from_rotation(q, R);
    } else if (which == 2) {
        if (!unit(x, 3)) return no_direction(m, node, names[which]);
        myr_mjcf_turn_z(x, q);
    } else if (which == 3) {
        myr_mjcf_turn_euler(m, x, q);
    } else {
        if (!unit(x, 4)) return no_direction(m, node, names[which]);
        memcpy(q, x, 4 * sizeof *q);
    }
    return MYR_OK;
}

myr_status myr_mjcf_pose(const myr_mjcf *m, const myr_mjcf_element *e, double position[3], double quaternion[4]) {
    int found;
    for (int k = 0; k < 3; k++) position[k] = 0.0;
    for (int k = 0; k < 4; k++) quaternion[k] = k == 0;
    myr_status status = myr_mjcf_numbers(m, e, "pos", position, 3);
    if (!status) status = read_turn(m, e->node, quaternion, &found);
    if (status || found) return status;
    /* of the classes the nearest that says anything */
    static const char *const names[] = {"axisangle", "xyaxes", "zaxis", "euler", "quat"};
    const myr_xml_node *who = NULL;
    for (int c = e->class_id; c >= 0 && !who; c = m->classes[c].parent) {
        const myr_mjcf_element above = {e->node, c};
        for (int k = 0; k < 5 && !who; k++) who = myr_mjcf_who(m, &above, names[k]);
    }
    return who ? read_turn(m, who, quaternion, &found) : MYR_OK;
}

/* The elements of a URDF one by one: numbers and names are checked here, where the line is known. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "urdf.h"

static void own(myr_urdf *urdf, const char *kind, const char *name) {
    urdf->xml.owner_kind = kind;
    urdf->xml.owner = name;
}

static int is_negative(double value) { return value < 0.0; }

/* ---- links ------------------------------------------------------------------------------------ */

static myr_status read_inertial(myr_urdf *urdf, myr_urdf_link *link) {
    static const char *const names[6] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
    const myr_xml *xml = &urdf->xml;
    myr_status status = MYR_OK;
    const myr_xml_node *inertial = myr_xml_child(xml, link->node, "inertial", &status);
    if (status || !inertial) return status;
    link->has_inertia = 1;
    const myr_xml_node *mass = myr_xml_child(xml, inertial, "mass", &status);
    if (status) return status;
    if (!mass) return myr_xml_fail(xml, inertial, "<mass> is missing");
    myr_inertia at_com = {.mass = 0.0};
    if ((status = myr_xml_numbers(xml, mass, "value", MYR_XML_REQUIRED, &at_com.mass, 1))) return status;
    if (is_negative(at_com.mass)) return myr_xml_fail(xml, mass, "value=\"%.80s\" is negative", myr_xml_text(mass, "value"));
    const myr_xml_node *inertia = myr_xml_child(xml, inertial, "inertia", &status);
    for (int k = 0; k < 6 && inertia && !status; k++)
        status = myr_xml_numbers(xml, inertia, names[k], k < 3 ? MYR_XML_REQUIRED : MYR_XML_OPTIONAL, &at_com.about_com[k], 1);
    myr_pose pose;
    if (!status) status = myr_xml_origin(xml, inertial, &pose);
    if (!status) link->inertia = myr_inertia_move(&at_com, &pose);
    return status;
}

static myr_status read_link(myr_urdf *urdf, const myr_xml_node *node) {
    myr_urdf_link link = {.node = node, .parent_joint = -1, .first_joint = -1, .last_joint = -1};
    own(urdf, NULL, NULL);
    myr_status status = myr_xml_name(&urdf->xml, node, "name", &link.name);
    if (status) return status;
    own(urdf, "link", link.name);
    if (urdf->n_links >= MYR_MAX_LINKS) return myr_fail(MYR_E_LIMIT, "%.300s: more than %d links", urdf->xml.label, MYR_MAX_LINKS);
    for (int i = 0; i < urdf->n_links; i++)
        if (!strcmp(urdf->links[i].name, link.name))
            return myr_xml_fail(&urdf->xml, node, "another link, in line %ld, has this name", urdf->links[i].node->line);
    if ((status = read_inertial(urdf, &link))) return status;
    if (!link.has_inertia && strcmp(link.name, "world") != 0) myr_name_list_add(&urdf->without_inertia, link.name);
    if (!myr_grow((void **)&urdf->links, &urdf->link_capacity, urdf->n_links, sizeof *urdf->links))
        return myr_fail(MYR_E_MEMORY, "%.300s: out of memory for links", urdf->xml.label);
    urdf->links[urdf->n_links++] = link;
    return MYR_OK;
}

/* ---- shapes ----------------------------------------------------------------------------------- */

static myr_status read_size(const myr_xml *xml, const myr_xml_node *shape, const char *attribute, double *out, int count) {
    const myr_status status = myr_xml_numbers(xml, shape, attribute, MYR_XML_REQUIRED, out, count);
    for (int k = 0; k < count && !status; k++)
        if (is_negative(out[k])) return myr_xml_fail(xml, shape, "%s=\"%.80s\" is negative", attribute, myr_xml_text(shape, attribute));
    return status;
}

/* *type stays -1 for what is skipped. */
static myr_status read_shape(myr_urdf *urdf, const myr_xml_node *shape, int *type, double size[3]) {
    const myr_xml *xml = &urdf->xml;
    myr_status status = MYR_OK;
    if (myr_xml_is(shape, "sphere")) {
        *type = MYR_GEOM_SPHERE;
        return read_size(xml, shape, "radius", size, 1);
    }
    if (myr_xml_is(shape, "box")) {
        *type = MYR_GEOM_BOX;
        status = read_size(xml, shape, "size", size, 3);
        for (int k = 0; k < 3; k++) size[k] *= 0.5;
        return status;
    }
    if (myr_xml_is(shape, "capsule") || myr_xml_is(shape, "cylinder")) {
        *type = myr_xml_is(shape, "capsule") ? MYR_GEOM_CAPSULE : MYR_GEOM_CYLINDER;
        status = read_size(xml, shape, "radius", &size[0], 1);
        if (!status) status = read_size(xml, shape, "length", &size[1], 1);
        size[1] *= 0.5;
        return status;
    }
    return MYR_OK;
}

static myr_status read_collision(myr_urdf *urdf, const myr_xml_node *collision, myr_builder *builder, int body, int *skipped) {
    myr_status status = MYR_OK;
    const myr_xml_node *geometry = myr_xml_child(&urdf->xml, collision, "geometry", &status), *shape = geometry ? geometry->children : NULL;
    if (status) return status;
    if (!shape) return myr_xml_warn(&urdf->xml, collision, "no shape in it; skipped");
    myr_pose pose;
    int type = -1;
    myr_geom_def def = myr_geom_def_default();
    if ((status = myr_xml_origin(&urdf->xml, collision, &pose))) return status;
    if ((status = read_shape(urdf, shape, &type, def.size_m))) return status;
    double *points = NULL;
    if (type < 0 && myr_xml_is(shape, "mesh")) {
        if ((status = myr_urdf_read_mesh(urdf, shape, &points, &def.n_points))) return status;
        if (points) type = MYR_GEOM_HULL, def.points_m = points, def.hull_corners = urdf->options->hull_corners;
    }
    if (type < 0) {
        if (urdf->options->strict) return myr_xml_fail(&urdf->xml, shape, "this shape does not act (strict)");
        urdf->skipped_meshes += myr_xml_is(shape, "mesh");
        urdf->skipped_others += !myr_xml_is(shape, "mesh");
        *skipped = 1;
        return MYR_OK;
    }
    const char *name = myr_xml_text(collision, "name");
    def.name = name && *name ? name : NULL;
    def.body = body;
    def.type = (myr_geom_type)type;
    int id = -1;
    status = myr_builder_geom(builder, &def, &id);
    myr_release(points);
    if (status == MYR_E_ARG && type == MYR_GEOM_HULL) return myr_xml_fail(&urdf->xml, shape, "%s", myr_message());
    if (status) return status;
    builder->geoms[id].pose = pose;
    if (builder->geoms[id].hull_error > 0.0) myr_name_list_add_length(&urdf->reduced, urdf->xml.owner, builder->geoms[id].hull_error);
    return MYR_OK;
}

myr_status myr_urdf_read_shapes(myr_urdf *urdf, const myr_urdf_link *link, myr_builder *builder, int body) {
    int skipped = 0;
    own(urdf, "link", link->name);
    for (const myr_xml_node *child = link->node->children; child; child = child->next) {
        const myr_status status = myr_xml_is(child, "collision") ? read_collision(urdf, child, builder, body, &skipped) : MYR_OK;
        if (status) return status;
    }
    if (skipped) myr_name_list_add(&urdf->with_skipped_shapes, link->name);
    return MYR_OK;
}

/* ---- joints ----------------------------------------------------------------------------------- */

static myr_status read_type(myr_urdf *urdf, myr_urdf_joint *joint, int *is_continuous) {
    static const struct {
        const char *name;
        myr_joint_type type;
    } known[] = {{"revolute", MYR_JOINT_REVOLUTE}, {"continuous", MYR_JOINT_REVOLUTE}, {"prismatic", MYR_JOINT_PRISMATIC},
                 {"fixed", MYR_JOINT_FIXED},       {"floating", MYR_JOINT_FREE},       {"spherical", MYR_JOINT_BALL}};
    const char *word;
    const myr_status status = myr_xml_name(&urdf->xml, joint->node, "type", &word);
    if (status) return status;
    if (!strcmp(word, "planar"))
        return myr_xml_fail(&urdf->xml, joint->node,
                            "planar joints are not supported; two prismatic joints and a revolute one move the same way");
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strcmp(word, known[i].name) != 0) continue;
        joint->type = known[i].type;
        *is_continuous = !strcmp(word, "continuous");
        if (joint->type == MYR_JOINT_FREE) urdf->has_floating_joint = 1;
        if (joint->type == MYR_JOINT_BALL) myr_name_list_add(&urdf->spherical, joint->name);
        return MYR_OK;
    }
    return myr_xml_fail(&urdf->xml, joint->node,
                        "joint type `%.80s` is unknown; known are revolute, continuous, prismatic, fixed, floating, spherical", word);
}

static myr_status find_link(myr_urdf *urdf, const myr_urdf_joint *joint, const char *element, int *out) {
    myr_status status = MYR_OK;
    const myr_xml_node *node = myr_xml_child(&urdf->xml, joint->node, element, &status);
    if (status) return status;
    if (!node) return myr_xml_fail(&urdf->xml, joint->node, "<%s> is missing", element);
    const char *name;
    if ((status = myr_xml_name(&urdf->xml, node, "link", &name))) return status;
    for (*out = 0; *out < urdf->n_links; ++*out)
        if (!strcmp(urdf->links[*out].name, name)) return MYR_OK;
    return myr_xml_fail(&urdf->xml, node, "there is no link `%.100s`", name);
}

static myr_status read_axis(const myr_xml *xml, myr_urdf_joint *joint) {
    myr_status status = MYR_OK;
    joint->axis[0] = 1.0;
    const myr_xml_node *axis = myr_xml_child(xml, joint->node, "axis", &status);
    if (status || !axis || (joint->type != MYR_JOINT_REVOLUTE && joint->type != MYR_JOINT_PRISMATIC)) return status;
    if ((status = myr_xml_numbers(xml, axis, "xyz", MYR_XML_OPTIONAL, joint->axis, 3))) return status;
    if (joint->axis[0] == 0.0 && joint->axis[1] == 0.0 && joint->axis[2] == 0.0)
        return myr_xml_fail(xml, axis, "xyz=\"0 0 0\" gives no direction");
    return MYR_OK;
}

static myr_status read_limits(myr_urdf *urdf, myr_urdf_joint *joint, int is_continuous) {
    const myr_xml *xml = &urdf->xml;
    myr_status status = MYR_OK;
    joint->lower = 1.0, joint->upper = -1.0;
    joint->effort_limit = joint->velocity_limit = INFINITY;
    const myr_xml_node *limit = myr_xml_child(xml, joint->node, "limit", &status);
    if (status || (joint->type != MYR_JOINT_REVOLUTE && joint->type != MYR_JOINT_PRISMATIC)) return status;
    if (!limit) {
        if (!is_continuous) myr_name_list_add(&urdf->without_limits, joint->name);
        return MYR_OK;
    }
    double lower = 0.0, upper = 0.0; /* URDF's defaults */
    const struct {
        const char *name;
        double *value;
    } numbers[] = {{"lower", &lower}, {"upper", &upper}, {"effort", &joint->effort_limit}, {"velocity", &joint->velocity_limit}};
    for (int i = 0; i < 4; i++) {
        status = myr_xml_numbers(xml, limit, numbers[i].name, MYR_XML_MAY_BE_INFINITE, numbers[i].value, 1);
        if (status) return status;
        if (i >= 2 && is_negative(*numbers[i].value))
            return myr_xml_fail(xml, limit, "%s=\"%.80s\" is negative", numbers[i].name, myr_xml_text(limit, numbers[i].name));
    }
    if (joint->effort_limit == 0.0) {
        joint->effort_limit = INFINITY;
        myr_name_list_add(&urdf->without_effort, joint->name);
    }
    if (is_continuous || (lower == 0.0 && upper == 0.0)) return MYR_OK;
    if (lower > upper) return myr_xml_warn(xml, limit, "lower=%g is above upper=%g: read as no position limits", lower, upper);
    joint->lower = lower;
    joint->upper = upper;
    return MYR_OK;
}

static myr_status read_dynamics(myr_urdf *urdf, myr_urdf_joint *joint) {
    const myr_xml *xml = &urdf->xml;
    myr_status status = MYR_OK;
    const myr_xml_node *dynamics = myr_xml_child(xml, joint->node, "dynamics", &status);
    if (status || !dynamics || joint->type == MYR_JOINT_FIXED) return status;
    const struct {
        const char *name;
        double *value;
    } numbers[] = {{"damping", &joint->damping}, {"friction", &joint->dry_friction}};
    for (int i = 0; i < 2; i++) {
        if ((status = myr_xml_numbers(xml, dynamics, numbers[i].name, MYR_XML_OPTIONAL, numbers[i].value, 1))) return status;
        if (is_negative(*numbers[i].value))
            return myr_xml_fail(xml, dynamics, "%s=\"%.80s\" is negative", numbers[i].name, myr_xml_text(dynamics, numbers[i].name));
    }
    return MYR_OK;
}

static myr_status read_joint(myr_urdf *urdf, const myr_xml_node *node) {
    myr_urdf_joint joint = {.node = node, .next = -1};
    int is_continuous = 0;
    own(urdf, NULL, NULL);
    myr_status status = myr_xml_name(&urdf->xml, node, "name", &joint.name);
    if (status) return status;
    own(urdf, "joint", joint.name);
    if (urdf->n_joints >= MYR_MAX_LINKS) return myr_fail(MYR_E_LIMIT, "%.300s: more than %d joints", urdf->xml.label, MYR_MAX_LINKS);
    for (int i = 0; i < urdf->n_joints; i++)
        if (!strcmp(urdf->joints[i].name, joint.name))
            return myr_xml_fail(&urdf->xml, node, "another joint, in line %ld, has this name", urdf->joints[i].node->line);
    if ((status = read_type(urdf, &joint, &is_continuous))) return status;
    if ((status = find_link(urdf, &joint, "parent", &joint.parent))) return status;
    if ((status = find_link(urdf, &joint, "child", &joint.child))) return status;
    if ((status = myr_xml_origin(&urdf->xml, node, &joint.pose))) return status;
    if ((status = read_axis(&urdf->xml, &joint))) return status;
    if ((status = read_limits(urdf, &joint, is_continuous))) return status;
    if ((status = read_dynamics(urdf, &joint))) return status;
    joint.mimic = myr_xml_child(&urdf->xml, node, "mimic", &status);
    if (status) return status;
    if (!myr_grow((void **)&urdf->joints, &urdf->joint_capacity, urdf->n_joints, sizeof *urdf->joints))
        return myr_fail(MYR_E_MEMORY, "%.300s: out of memory for joints", urdf->xml.label);
    urdf->joints[urdf->n_joints++] = joint;
    return MYR_OK;
}

/* ---- the robot -------------------------------------------------------------------------------- */

static int is_xacro(const myr_xml_node *node) { return !strncmp(node->name, "xacro:", 6); }

myr_status myr_urdf_read_elements(myr_urdf *urdf) {
    myr_status status = MYR_OK;
    for (const myr_xml_node *node = urdf->robot->children; node && !status; node = node->next) {
        own(urdf, NULL, NULL);
        if (is_xacro(node)) return myr_xml_fail(&urdf->xml, node, "xacro is not expanded here; do it first: xacro FILE.xacro > FILE.urdf");
        if (myr_xml_is(node, "link")) status = read_link(urdf, node);
    }
    for (const myr_xml_node *node = urdf->robot->children; node && !status; node = node->next)
        if (myr_xml_is(node, "joint")) status = read_joint(urdf, node);
    own(urdf, NULL, NULL);
    return status;
}

/* What a URDF says beyond its tree: <loop_joint>, a joint between two links that are on the tree already, and <mimic>.
 *
 *     <loop_joint name="tip" type="ball">          ball | revolute (or continuous) | fixed
 *       <link1 link="coupler" xyz="0 0 -1"/>       the joint's frame in each link: xyz [m], rpy [rad]; absent: the link's own
 *       <link2 link="rocker" xyz="0 0 -1"/>
 *       <axis xyz="1 0 0"/>                        revolute: in the joint's frame
 *     </loop_joint>
 *
 * The words are those of Drake's first parser. */
#include <string.h>

#include "base/trigonometry.h"
#include "urdf.h"

static myr_status own_loop(myr_urdf *urdf, const myr_xml_node *node, const char **name) {
    urdf->xml.owner = NULL;
    const myr_status status = myr_xml_name(&urdf->xml, node, "name", name);
    urdf->xml.owner_kind = node->name, urdf->xml.owner = *name;
    return status;
}

/* What the builder refuses is the file's fault, and gets its line. */
static myr_status blame(const myr_urdf *urdf, const myr_xml_node *node, myr_status status) {
    if (status != MYR_E_ARG) return status;
    return myr_fail(MYR_E_FORMAT, "%.300s:%ld: %s", urdf->xml.label, node->line, myr_message());
}

static myr_status read_type(const myr_urdf *urdf, const myr_xml_node *node, myr_loop_type *type) {
    static const struct {
        const char *name;
        myr_loop_type type;
    } known[] = {{"ball", MYR_LOOP_BALL},
                 {"spherical", MYR_LOOP_BALL},
                 {"revolute", MYR_LOOP_REVOLUTE},
                 {"continuous", MYR_LOOP_REVOLUTE},
                 {"fixed", MYR_LOOP_FIXED}};
    const char *word;
    const myr_status status = myr_xml_name(&urdf->xml, node, "type", &word);
    if (status) return status;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strcmp(word, known[i].name) != 0) continue;
        *type = known[i].type;
        return MYR_OK;
    }
    return myr_xml_fail(&urdf->xml, node, "type `%.80s` is unknown; known are ball, revolute, continuous, fixed", word);
}

/* One end: its link, and the frame as position and quaternion. */
static myr_status read_end(const myr_urdf *urdf, const myr_xml_node *node, const char *element, const int *bodies, int *body,
                           double position[3], double quaternion[4]) {
    myr_status status = MYR_OK;
    const char *name;
    double rpy[3] = {0.0, 0.0, 0.0}, turn[9];
    const myr_xml_node *end = myr_xml_child(&urdf->xml, node, element, &status);
    if (status) return status;
    if (!end) return myr_xml_fail(&urdf->xml, node, "<%s> is missing", element);
    if ((status = myr_xml_name(&urdf->xml, end, "link", &name))) return status;
    if ((status = myr_xml_numbers(&urdf->xml, end, "xyz", MYR_XML_OPTIONAL, position, 3))) return status;
    if ((status = myr_xml_numbers(&urdf->xml, end, "rpy", MYR_XML_OPTIONAL, rpy, 3))) return status;
    myr_rotation_from_rpy(turn, rpy);
    myr_quaternion_from_rotation(quaternion, turn);
    for (int i = 0; i < urdf->n_links; i++) {
        if (strcmp(urdf->links[i].name, name) != 0) continue;
        *body = bodies[i];
        return MYR_OK;
    }
    return myr_xml_fail(&urdf->xml, end, "there is no link `%.100s`", name);
}

static myr_status read_loop(myr_urdf *urdf, const myr_xml_node *node, myr_builder *builder, const int *bodies) {
    myr_loop_def def = myr_loop_def_default();
    myr_status status = own_loop(urdf, node, &def.name);
    if (!status) status = read_type(urdf, node, &def.type);
    if (!status) status = read_end(urdf, node, "link1", bodies, &def.body, def.position_m, def.quaternion);
    if (!status) status = read_end(urdf, node, "link2", bodies, &def.other, def.other_position_m, def.other_quaternion);
    const myr_xml_node *axis = status ? NULL : myr_xml_child(&urdf->xml, node, "axis", &status);
    if (!status && axis) status = myr_xml_numbers(&urdf->xml, axis, "xyz", MYR_XML_OPTIONAL, def.axis, 3);
    if (!status) status = blame(urdf, node, myr_builder_loop(builder, &def));
    if (!status) builder->loops[builder->n_loops - 1].line = (int)node->line;
    return status;
}

/* q(joint) = multiplier q(other) + offset. A joint that cannot move has the position 0. */
static myr_status read_mimic(myr_urdf *urdf, const myr_urdf_joint *joint, myr_builder *builder, const int *bodies) {
    const myr_xml *xml = &urdf->xml;
    const char *name;
    double multiplier = 1.0, offset = 0.0;
    urdf->xml.owner_kind = "joint", urdf->xml.owner = joint->name;
    myr_status status = myr_xml_name(xml, joint->mimic, "joint", &name);
    if (!status) status = myr_xml_numbers(xml, joint->mimic, "multiplier", MYR_XML_OPTIONAL, &multiplier, 1);
    if (!status) status = myr_xml_numbers(xml, joint->mimic, "offset", MYR_XML_OPTIONAL, &offset, 1);
    if (status) return status;
    if (joint->type != MYR_JOINT_REVOLUTE && joint->type != MYR_JOINT_PRISMATIC)
        return myr_xml_warn(xml, joint->mimic, "ignored: the joint is not of one degree of freedom");
    const myr_urdf_joint *other = NULL;
    for (int i = 0; i < urdf->n_joints; i++)
        if (!strcmp(urdf->joints[i].name, name)) other = &urdf->joints[i];
    if (!other) return myr_xml_fail(xml, joint->mimic, "there is no joint `%.100s`", name);
    if (other == joint) return myr_xml_fail(xml, joint->mimic, "the joint mimics itself");
    if (other->type != MYR_JOINT_REVOLUTE && other->type != MYR_JOINT_PRISMATIC && other->type != MYR_JOINT_FIXED)
        return myr_xml_fail(xml, joint->mimic, "joint `%.100s` is not of one degree of freedom", name);
    myr_coupling_def def = myr_coupling_def_default();
    def.name = joint->name;
    def.n = 1;
    def.joints[0] = bodies[joint->child];
    def.coefficients[0] = 1.0;
    def.driver = other->type == MYR_JOINT_FIXED ? -1 : bodies[other->child];
    def.polynomial[0] = offset;
    def.polynomial[1] = other->type == MYR_JOINT_FIXED ? 0.0 : multiplier;
    if ((status = blame(urdf, joint->mimic, myr_builder_coupling(builder, &def)))) return status;
    builder->loops[builder->n_loops - 1].line = (int)joint->mimic->line;
    return MYR_OK;
}

myr_status myr_urdf_read_loops(myr_urdf *urdf, myr_builder *builder, const int *bodies) {
    myr_status status = MYR_OK;
    for (const myr_xml_node *node = urdf->robot->children; node && !status; node = node->next)
        if (myr_xml_is(node, "loop_joint")) status = read_loop(urdf, node, builder, bodies);
    for (int i = 0; i < urdf->n_joints && !status; i++)
        if (urdf->joints[i].mimic) status = read_mimic(urdf, &urdf->joints[i], builder, bodies);
    urdf->xml.owner = NULL;
    return status;
}

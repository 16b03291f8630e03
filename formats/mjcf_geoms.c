/* Geoms of an MJCF as they stand, and the meshes that they name. */
#include <math.h>
#include <string.h>

#include "mjcf.h"

static const char geom_words[] = "plane|hfield|sphere|capsule|ellipsoid|cylinder|box|mesh";
static const int sizes_of[] = {3, 0, 1, 2, 3, 2, 3, 0};

/* From one end to the other: the middle, the axis, and half of the length. */
static myr_status read_ends(myr_mjcf *m, const myr_mjcf_element *e, myr_mjcf_geom *g) {
    double length = 0.0;
    const myr_status status = myr_mjcf_ends(m, e, g->position, g->quaternion, &length);
    if (status) return status;
    if (!(length > 1e-14)) return myr_xml_fail(m->xml, e->node, "the ends of `fromto` are one point");
    if (g->type == MYR_MJCF_CAPSULE || g->type == MYR_MJCF_CYLINDER) {
        g->size[1] = 0.5 * length;
    } else if (g->type == MYR_MJCF_BOX || g->type == MYR_MJCF_ELLIPSOID) {
        g->size[1] = g->size[0];
        g->size[2] = 0.5 * length;
    } else {
        return myr_xml_fail(m->xml, e->node, "`fromto` is of capsules, cylinders, boxes and ellipsoids alone");
    }
    return MYR_OK;
}

static myr_status check_size(const myr_mjcf *m, const myr_mjcf_geom *g) {
    const int sizes = g->mesh && g->type != MYR_MJCF_MESH ? 0 : sizes_of[g->type]; /* fitted to a mesh: none */
    for (int k = 0; k < sizes; k++) {
        const int may_be_zero = g->type == MYR_MJCF_PLANE;
        if (g->size[k] < 0.0 || (g->size[k] == 0.0 && !may_be_zero))
            return myr_xml_fail(m->xml, g->node, "size %d is %g; it must be positive", k + 1, g->size[k]);
    }
    return MYR_OK;
}

myr_status myr_mjcf_read_geom(myr_mjcf *m, myr_mjcf_element e, int body, const myr_mjcf_frame *frame, const char *name) {
    myr_mjcf_geom g = {.name = name,
                       .node = e.node,
                       .body = body,
                       .made = -1,
                       .contype = 1,
                       .conaffinity = 1,
                       .condim = 3,
                       .density = 1000.0,
                       .fit_scale = 1.0};
    int type = MYR_MJCF_SPHERE, found;
    g.friction[0] = 1.0, g.friction[1] = 0.005, g.friction[2] = 1e-4;
    g.mesh = myr_mjcf_text(m, &e, "mesh");
    g.hfield = myr_mjcf_text(m, &e, "hfield");
    myr_status status = myr_mjcf_word(m, &e, "type", geom_words, &type);
    g.type = (myr_mjcf_geom_type)type;
    if (!status) status = myr_mjcf_pose(m, &e, g.position, g.quaternion);
    if (!status) status = myr_mjcf_some_numbers(m, &e, "size", g.size, 3, &found);
    if (!status && myr_mjcf_who(m, &e, "fromto")) status = read_ends(m, &e, &g);
    if (!status) status = myr_mjcf_some_numbers(m, &e, "friction", g.friction, 3, &found);
    if (!status) status = myr_mjcf_integer(m, &e, "contype", &g.contype);
    if (!status) status = myr_mjcf_integer(m, &e, "conaffinity", &g.conaffinity);
    if (!status) status = myr_mjcf_integer(m, &e, "condim", &g.condim);
    if (!status) status = myr_mjcf_integer(m, &e, "priority", &g.priority);
    if (!status) status = myr_mjcf_integer(m, &e, "group", &g.group);
    if (!status) status = myr_mjcf_numbers(m, &e, "margin", &g.margin, 1);
    if (!status) status = myr_mjcf_numbers(m, &e, "density", &g.density, 1);
    if (!status) status = myr_mjcf_numbers(m, &e, "mass", &g.mass, 1);
    if (!status) status = myr_mjcf_numbers(m, &e, "fitscale", &g.fit_scale, 1);
    if (!status) status = check_size(m, &g);
    if (status) return status;
    const char *fluid = myr_mjcf_text(m, &e, "fluidshape");
    if (fluid && !strcmp(fluid, "ellipsoid") && (m->fluid.density > 0.0 || m->fluid.viscosity > 0.0))
        status = myr_mjcf_lose(m, MYR_MJCF_LOST_FLUID, e.node, myr_mjcf_name(e.node));
    if (status) return status;
    g.has_mass = myr_mjcf_who(m, &e, "mass") != NULL;
    if (g.mass < 0.0 || g.density < 0.0) return myr_xml_fail(m->xml, e.node, "mass or density is negative");
    if (g.friction[0] < 0.0) return myr_xml_fail(m->xml, e.node, "friction is negative: %g", g.friction[0]);
    if (g.condim != 1 && g.condim != 3 && g.condim != 4 && g.condim != 6)
        return myr_xml_fail(m->xml, e.node, "condim is %d, none of 1, 3, 4, 6", g.condim);
    if (g.mesh && (g.type == MYR_MJCF_PLANE || g.type == MYR_MJCF_HFIELD || myr_mjcf_who(m, &e, "fromto")))
        return myr_xml_fail(m->xml, e.node, "mesh=\"%.100s\": a plane, a height field and what has `fromto` are not fitted to a mesh",
                            g.mesh);
    if (g.type == MYR_MJCF_MESH && !g.mesh) return myr_xml_fail(m->xml, e.node, "the attribute `mesh` is missing");
    g.collides = g.contype || g.conaffinity;
    myr_mjcf_within(frame, g.position, g.quaternion);
    return MYR_MJCF_ADD(m, geoms, g);
}

static myr_status read_mesh(myr_mjcf *m, const myr_xml_node *node) {
    myr_mjcf_element e;
    myr_status status = myr_mjcf_element_of(m, node, 0, &e);
    myr_mjcf_mesh mesh = {
        .node = node, .name = myr_mjcf_name(node), .scale = {1.0, 1.0, 1.0}, .reference_quaternion = {1.0, 0.0, 0.0, 0.0}};
    int weighing = MYR_WEIGH_LEGACY;
    if (status) return status;
    mesh.file = myr_mjcf_text(m, &e, "file");
    mesh.vertex = myr_xml_text(node, "vertex"), mesh.face = myr_xml_text(node, "face");
    if (mesh.vertex && mesh.file) return myr_xml_fail(m->xml, node, "it has both a `file` and points of its own (`vertex`)");
    status = myr_mjcf_numbers(m, &e, "scale", mesh.scale, 3);
    if (!status) status = myr_mjcf_numbers(m, &e, "refpos", mesh.reference_position, 3);
    if (!status) status = myr_mjcf_numbers(m, &e, "refquat", mesh.reference_quaternion, 4);
    if (!status) status = myr_mjcf_word(m, &e, "inertia", "legacy|exact|convex|shell", &weighing);
    if (status) return status;
    mesh.weighing = (myr_mesh_weighing)weighing;
    if (!(myr_dot3(mesh.reference_quaternion + 1, mesh.reference_quaternion + 1) + fabs(mesh.reference_quaternion[0]) > 0.0))
        return myr_xml_fail(m->xml, node, "refquat is zero and gives no direction");
    return MYR_MJCF_ADD(m, meshes, mesh);
}

myr_status myr_mjcf_read_assets(myr_mjcf *m) {
    myr_status status = MYR_OK;
    for (const myr_xml_node *node = myr_mjcf_section(m, "asset", NULL); node && !status; node = myr_mjcf_section(m, "asset", node))
        for (const myr_xml_node *child = node->children; child && !status; child = child->next)
            if (myr_xml_is(child, "mesh")) status = read_mesh(m, child);
    return status;
}

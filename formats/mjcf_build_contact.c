/* Geoms of an MJCF that may touch, and which of them may. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "mjcf.h"

/* The ground and its masks: the first level plane that is fixed to the world, else the first level height field, of which the model has the
 * friction and the masks alone, else MuJoCo's default at 0. */
typedef struct ground {
    const myr_mjcf_geom *geom;
    int contype, conaffinity;
} ground;

static int is_ground(const myr_mjcf_geom *g) {
    const double up = 1.0 - 2.0 * (g->quaternion[1] * g->quaternion[1] + g->quaternion[2] * g->quaternion[2]);
    return g->body < 0 && up > 1.0 - 1e-12 && fabs(g->position[2]) <= MYR_HIGHEST_GROUND;
}

static myr_status find_ground(myr_mjcf *m, ground *out) {
    *out = (ground){NULL, 1, 1};
    for (int i = 0; i < m->n_geoms; i++) {
        const myr_mjcf_geom *g = &m->geoms[i];
        if (g->type != MYR_MJCF_PLANE || !g->collides) continue;
        if (out->geom || !is_ground(g)) {
            const myr_status status = myr_mjcf_lose(m, MYR_MJCF_LOST_PLANES, g->node, g->name);
            if (status) return status;
        } else {
            *out = (ground){g, g->contype, g->conaffinity};
        }
    }
    for (int i = 0; i < m->n_geoms && !out->geom; i++)
        if (myr_mjcf_is_ground_field(&m->geoms[i])) *out = (ground){&m->geoms[i], m->geoms[i].contype, m->geoms[i].conaffinity};
    return MYR_OK;
}

/* Friction against the ground: by priority, else the larger one. Without a plane in the file the geom's own. */
static double friction_of(const myr_mjcf_geom *g, const ground *floor) {
    const int plane_condim = floor->geom ? floor->geom->condim : 3, plane_priority = floor->geom ? floor->geom->priority : 0;
    const double plane_friction = floor->geom ? floor->geom->friction[0] : g->friction[0];
    if (g->priority > plane_priority) return g->condim == 1 ? 0.0 : g->friction[0];
    if (g->priority < plane_priority) return plane_condim == 1 ? 0.0 : plane_friction;
    return g->condim == 1 && plane_condim == 1 ? 0.0 : fmax(g->friction[0], plane_friction);
}

/* An ellipsoid as its inscribed polyhedron of 32 corners: those of an icosahedron and the middles of its faces. */
static int ellipsoid_corners(const double size[3], double points[32][3]) {
    const double golden = 0.5 * (1.0 + sqrt(5.0));
    int n = 0;
    for (int a = 0; a < 3; a++)
        for (int s = 0; s < 4; s++) { /* (0, +-1, +-golden) around */
            points[n][a] = 0.0, points[n][(a + 1) % 3] = s & 1 ? -1.0 : 1.0, points[n][(a + 2) % 3] = s & 2 ? -golden : golden;
            n++;
        }
    for (int s = 0; s < 8; s++, n++)
        for (int k = 0; k < 3; k++) points[n][k] = s >> k & 1 ? -1.0 : 1.0;
    for (int a = 0; a < 3; a++)
        for (int s = 0; s < 4; s++) { /* (0, +-golden, +-1 / golden) around */
            points[n][a] = 0.0, points[n][(a + 1) % 3] = s & 1 ? -golden : golden,
            points[n][(a + 2) % 3] = s & 2 ? -1.0 / golden : 1.0 / golden;
            n++;
        }
    for (int i = 0; i < n; i++) {
        const double length = sqrt(myr_dot3(points[i], points[i]));
        for (int k = 0; k < 3; k++) points[i][k] *= size[k] / length;
    }
    return n;
}

/* The builder's body of the world's geoms, made when the first one comes. */
static myr_status world_body(myr_builder *builder, int *id) {
    if (*id >= 0) return MYR_OK;
    myr_body_def def = myr_body_def_default();
    char name[32] = "world";
    for (int k = 0, n = 1; k < builder->n_bodies; k++)
        if (!strcmp(builder->bodies[k].name, name)) snprintf(name, sizeof name, "world_%d", ++n), k = -1;
    def.name = name;
    return myr_builder_body(builder, &def, id);
}

/* Does it touch the ground: by their masks, or by a <pair>? */
static int meets_ground(const myr_mjcf *m, const myr_mjcf_geom *g, const ground *floor) {
    if (g->body < 0) return 0;
    if (floor->geom && myr_mjcf_paired(m, g, floor->geom)) return 1;
    return !m->bodies[g->body].leaves_world && ((g->contype & floor->conaffinity) || (g->conaffinity & floor->contype));
}

/* Stairs or a bowl in one mesh are a block: of the world, on which robots stand, that is worth a line. MuJoCo has the same hull. */
static myr_status lose_hollow(myr_mjcf *m, const myr_mjcf_geom *g, const myr_mjcf_mesh *mesh, const char *name) {
    const double told = 0.01;
    double hollow;
    char text[160];
    const myr_status status = myr_mjcf_mesh_hollow(mesh, &hollow);
    if (status || hollow < told) return myr_mjcf_blame(m, g->node, status);
    snprintf(text, sizeof text, "%.120s %.2g %%", name, 100 * hollow);
    return myr_mjcf_lose(m, MYR_MJCF_LOST_HOLLOWS, g->node, text);
}

static myr_status add_geom(myr_mjcf *m, myr_builder *builder, const myr_mjcf_host *hosts, myr_mjcf_geom *g, const ground *floor,
                           int *world) {
    static const myr_geom_type types[] = {
        [MYR_MJCF_SPHERE] = MYR_GEOM_SPHERE,     [MYR_MJCF_CAPSULE] = MYR_GEOM_CAPSULE, [MYR_MJCF_ELLIPSOID] = MYR_GEOM_HULL,
        [MYR_MJCF_CYLINDER] = MYR_GEOM_CYLINDER, [MYR_MJCF_BOX] = MYR_GEOM_BOX,         [MYR_MJCF_MESH] = MYR_GEOM_HULL};
    double points[32][3];
    const myr_mjcf_mesh *mesh = NULL;
    myr_geom_def def = myr_geom_def_default();
    myr_status status = MYR_OK;
    if (g->body < 0 && (status = world_body(builder, world))) return myr_mjcf_blame(m, g->node, status);
    def.name = *g->name ? g->name : NULL;
    def.body = g->body < 0 ? *world : hosts[g->body].body;
    def.type = types[g->type];
    for (int k = 0; k < 3; k++) def.position_m[k] = g->position[k] + (g->body < 0 ? 0.0 : hosts[g->body].shift[k]);
    memcpy(def.quaternion, g->quaternion, sizeof def.quaternion);
    if (g->type == MYR_MJCF_MESH) {
        if ((status = myr_mjcf_mesh_of(m, g, &mesh))) return status;
        def.n_points = mesh->n_points, def.points_m = mesh->points, def.hull_corners = m->options->hull_corners;
    }
    if (g->type != MYR_MJCF_ELLIPSOID) myr_copy3(def.size_m, g->size);
    if (g->type == MYR_MJCF_ELLIPSOID) def.n_points = ellipsoid_corners(g->size, points), def.points_m = points[0];
    if (g->type == MYR_MJCF_ELLIPSOID &&
        (status = myr_mjcf_lose(m, MYR_MJCF_LOST_ELLIPSOIDS, g->node, def.name ? def.name : builder->bodies[def.body].name)))
        return status;
    def.friction = g->body < 0 ? g->friction[0] : friction_of(g, floor);
    if ((status = myr_mjcf_blame(m, g->node, myr_builder_geom(builder, &def, &g->made)))) return status;
    myr_described_geom *made = &builder->geoms[g->made];
    made->own_friction = g->friction[0], made->slides = g->condim == 1, made->priority = g->priority;
    made->off_ground = g->body >= 0 && !meets_ground(m, g, floor);
    made->contype = g->contype, made->conaffinity = g->conaffinity;
    made->on_world = g->body < 0;
    if (!m->lost[MYR_MJCF_LOST_CORNERS].count) m->first_lost[MYR_MJCF_LOST_CORNERS] = g->node;
    if (made->hull_error > 0.0) myr_name_list_add_length(&m->lost[MYR_MJCF_LOST_CORNERS], made->name, made->hull_error);
    return mesh && g->body < 0 ? lose_hollow(m, g, mesh, made->name) : MYR_OK;
}

static void find_leavers(myr_mjcf *m) {
    for (int i = 0; i < m->n_contacts; i++) {
        const myr_mjcf_contact *c = &m->contacts[i];
        const char *other = !strcmp(c->first, "world") ? c->second : !strcmp(c->second, "world") ? c->first : NULL;
        const int body = other && !c->is_pair ? myr_mjcf_find_body(m, other) : -1;
        if (body >= 0) m->bodies[body].leaves_world = 1;
    }
}

static int n_roots(const myr_mjcf *m) {
    int n = 0;
    for (int i = 0; i < m->n_bodies; i++) n += m->bodies[i].parent < 0;
    return n;
}

/* Is the geom on the body? -1: on the world, as the file has it. */
static int carries(const myr_builder *builder, int body, int geom) {
    return builder->geoms[geom].body == body || (body < 0 && builder->geoms[geom].on_world);
}

/* The body of the world that a body hangs on, -1: the world. */
static int tree_of(const myr_mjcf *m, int body) {
    while (body >= 0 && m->bodies[body].parent >= 0) body = m->bodies[body].parent;
    return body;
}

static int floats(const myr_mjcf *m, int root) {
    for (int k = 0; root >= 0 && k < m->bodies[root].n_joints; k++)
        if (m->joints[m->bodies[root].first_joint + k].type == MYR_MJCF_FREE) return 1;
    return 0;
}

/* Is there another geom that it may touch: of another tree, one of both being free, or of its own? */
static int meets_others(const myr_mjcf *m, const myr_mjcf_geom *g, int self) {
    for (int i = 0; i < m->n_geoms; i++) {
        const myr_mjcf_geom *h = &m->geoms[i];
        if (h->type == MYR_MJCF_PLANE || h->type == MYR_MJCF_HFIELD || !((g->contype & h->conaffinity) || (g->conaffinity & h->contype)))
            continue;
        const int one = tree_of(m, g->body), other = tree_of(m, h->body);
        if (one == other ? self && g->body != h->body : floats(m, one) || floats(m, other)) return 1;
    }
    return 0;
}

/* What a geom loses; *skip: all of it. */
static myr_status lose(myr_mjcf *m, const myr_builder *builder, const myr_mjcf_geom *g, const ground *floor, int *skip) {
    const char *name = *g->name ? g->name : g->body < 0 ? "world" : m->bodies[g->body].name;
    const int left = g->body >= 0 && m->bodies[g->body].leaves_world;
    const int meets = g->body < 0 || meets_ground(m, g, floor) || myr_mjcf_paired(m, g, NULL) ||
                      meets_others(m, g, builder->self_collision != MYR_SELF_OFF);
    myr_status status = MYR_OK;
    *skip = 1;
    if (g->type == MYR_MJCF_PLANE || !g->collides) return MYR_OK;
    if (left && !meets && n_roots(m) == 1) return MYR_OK; /* there is nothing else that it might touch */
    if (g->mesh && !myr_mjcf_mesh_acts(m, g)) return myr_mjcf_lose(m, MYR_MJCF_LOST_MESHES, g->node, name);
    if (g->type == MYR_MJCF_HFIELD) return myr_mjcf_lose(m, MYR_MJCF_LOST_FIELDS, g->node, name);
    if (!meets) return myr_mjcf_lose(m, MYR_MJCF_LOST_SHAPES, g->node, name);
    *skip = 0;
    if (g->condim > 3) status = myr_mjcf_lose(m, MYR_MJCF_LOST_TORSION, g->node, name);
    if (!status && g->margin != 0.0) status = myr_mjcf_lose(m, MYR_MJCF_LOST_MARGINS, g->node, name);
    return status;
}

/* Geoms of two bodies that an <exclude> names. */
static myr_status exclude(const myr_mjcf *m, myr_builder *builder, const myr_mjcf_host *hosts, const myr_mjcf_contact *c) {
    const char *const names[2] = {c->first, c->second};
    int body[2];
    for (int k = 0; k < 2; k++) {
        const int found = myr_mjcf_find_body(m, names[k]);
        if (found < 0 && strcmp(names[k], "world") != 0) return myr_xml_fail(m->xml, c->node, "there is no body `%.100s`", names[k]);
        body[k] = found < 0 ? -1 : hosts[found].body;
    }
    for (int a = 0; a < builder->n_geoms; a++)
        for (int b = 0; b < builder->n_geoms && carries(builder, body[0], a); b++) {
            const myr_status status = a != b && carries(builder, body[1], b) ? myr_builder_pair(builder, a, b, 0) : MYR_OK;
            if (status) return myr_mjcf_blame(m, c->node, status);
        }
    return MYR_OK;
}

myr_status myr_mjcf_build_geoms(myr_mjcf *m, myr_builder *builder, const myr_mjcf_host *hosts) {
    ground floor;
    int world = -1, skip;
    myr_status status = find_ground(m, &floor);
    for (int i = 0; i < m->n_geoms; i++) m->geoms[i].is_ground = floor.geom == &m->geoms[i];
    if (floor.geom && floor.geom->type == MYR_MJCF_PLANE) builder->floor = floor.geom->position[2];
    find_leavers(m);
    for (int i = 0; i < m->n_geoms && !status; i++) {
        status = lose(m, builder, &m->geoms[i], &floor, &skip);
        if (!status && !skip) status = add_geom(m, builder, hosts, &m->geoms[i], &floor, &world);
    }
    for (int i = 0; i < m->n_contacts && !status; i++) {
        const myr_mjcf_contact *c = &m->contacts[i];
        if (!c->is_pair) status = exclude(m, builder, hosts, c);
    }
    return status ? status : myr_mjcf_build_pairs(m, builder, floor.geom); /* later than excludes, which a pair overrules */
}

/* Meshes of an MJCF: read when a geom that touches or weighs names them, turned, moved and scaled as MuJoCo does. MuJoCo then moves them
 * into their principal axes, and the geom with them, so that it is not seen; here they stay where they are. */
#include <math.h>
#include <string.h>

#include "model/hull.h"
#include "base/memory.h"
#include "mjcf.h"

/* The name of a mesh without one is that of its file. */
static int is_called(const myr_mjcf_mesh *mesh, const char *name) {
    if (*mesh->name) return !strcmp(mesh->name, name);
    if (!mesh->file) return 0;
    const char *slash = strrchr(mesh->file, '/'), *base = slash ? slash + 1 : mesh->file, *dot = strrchr(base, '.');
    const size_t length = dot ? (size_t)(dot - base) : strlen(base);
    return strlen(name) == length && !strncmp(base, name, length);
}

static myr_mjcf_mesh *find(const myr_mjcf *m, const char *name) {
    for (int i = m->n_meshes - 1; i >= 0; i--)
        if (is_called(&m->meshes[i], name)) return &m->meshes[i];
    return NULL;
}

int myr_mjcf_mesh_acts(const myr_mjcf *m, const myr_mjcf_geom *g) {
    const myr_mjcf_mesh *mesh = g->mesh ? find(m, g->mesh) : NULL;
    if (m->options->meshes == MYR_MESHES_SKIP || !g->mesh) return 0;
    return !mesh || mesh->vertex || (mesh->file && myr_mesh_is_read(mesh->file));
}

static void place_points(myr_mjcf_mesh *mesh, const myr_mesh *from) {
    double unit[4], turn[9], length = 0.0;
    for (int k = 0; k < 4; k++) length += mesh->reference_quaternion[k] * mesh->reference_quaternion[k];
    for (int k = 0; k < 4; k++) unit[k] = mesh->reference_quaternion[k] / sqrt(length);
    myr_rotation_from_quaternion(turn, unit);
    for (int i = 0; i < from->n_points; i++) {
        double d[3], *out = mesh->points + 3 * (size_t)i;
        for (int k = 0; k < 3; k++) d[k] = from->points[3 * (size_t)i + (size_t)k] - mesh->reference_position[k];
        for (int k = 0; k < 3; k++) out[k] = mesh->scale[k] * (turn[k] * d[0] + turn[3 + k] * d[1] + turn[6 + k] * d[2]);
    }
}

/* A mirrored mesh is turned inside out, so that it stays a body. */
static void mirror(const myr_mjcf_mesh *mesh, int *triangles, int n) {
    if (mesh->scale[0] * mesh->scale[1] * mesh->scale[2] >= 0.0) return;
    for (int t = 0; t < n; t++) {
        const int second = triangles[3 * t + 1];
        triangles[3 * t + 1] = triangles[3 * t + 2], triangles[3 * t + 2] = second;
    }
}

static myr_status weigh(const myr_mjcf *m, myr_mjcf_mesh *mesh, const myr_mesh *from) {
    int *triangles = NULL, n = 0;
    myr_status status = MYR_OK;
    if (mesh->weighing == MYR_WEIGH_CONVEX || !from->n_triangles) {
        status = myr_hull_triangles(mesh->file ? mesh->file : mesh->name, mesh->points, mesh->n_points, &triangles, &n);
    } else {
        n = from->n_triangles;
        triangles = myr_allocate_array(3 * (size_t)n, sizeof *triangles);
        if (!triangles) return myr_fail(MYR_E_MEMORY, "%.300s: out of memory", m->xml->label);
        memcpy(triangles, from->triangles, 3 * (size_t)n * sizeof *triangles);
        mirror(mesh, triangles, n);
    }
    if (!status) mesh->weighs = myr_mesh_weigh(mesh->points, triangles, n, mesh->weighing, &mesh->weight);
    myr_release(triangles);
    return status;
}

/* `from` is read, or stands in the file. */
static myr_status take(const myr_mjcf *m, myr_mjcf_mesh *mesh, const myr_mesh *from) {
    if (!(mesh->points = myr_allocate_array(3 * (size_t)from->n_points, sizeof *mesh->points)))
        return myr_fail(MYR_E_MEMORY, "%.300s: out of memory", m->xml->label);
    mesh->n_points = from->n_points;
    place_points(mesh, from);
    mesh->volume = from->n_triangles ? fabs(myr_mesh_volume(mesh->points, from->triangles, from->n_triangles)) : -1.0;
    return weigh(m, mesh, from);
}

static myr_status read_inline(const myr_mjcf *m, myr_mjcf_mesh *mesh) {
    myr_mesh own = {.points = NULL};
    myr_status status = myr_mjcf_mesh_inline(m, mesh, &own);
    if (status) {
        myr_mesh_free(&own);
        return status;
    }
    status = take(m, mesh, &own);
    myr_mesh_free(&own);
    return status == MYR_OK || status == MYR_E_MEMORY ? status : myr_xml_fail(m->xml, mesh->node, "%s", myr_message());
}

static myr_status read_file(myr_mjcf *m, myr_mjcf_mesh *mesh) {
    const myr_mesh *from = NULL;
    myr_status status = myr_mesh_take(&m->shelf, m->xml->label, m->mesh_folder, m->options->mesh_path, mesh->file, &from);
    if (!status) status = take(m, mesh, from);
    return status == MYR_OK || status == MYR_E_MEMORY ? status : myr_xml_fail(m->xml, mesh->node, "%s", myr_message());
}

myr_status myr_mjcf_mesh_of(myr_mjcf *m, const myr_mjcf_geom *g, const myr_mjcf_mesh **out) {
    myr_mjcf_mesh *mesh = find(m, g->mesh);
    if (!mesh) return myr_xml_fail(m->xml, g->node, "there is no mesh `%.100s`", g->mesh);
    *out = mesh;
    if (mesh->points) return MYR_OK;
    return mesh->vertex ? read_inline(m, mesh) : read_file(m, mesh);
}

myr_status myr_mjcf_mesh_hollow(const myr_mjcf_mesh *mesh, double *hollow) {
    int *triangles = NULL, n = 0;
    *hollow = 0.0;
    if (mesh->volume < 0.0) return MYR_OK;
    const myr_status status = myr_hull_triangles(mesh->file ? mesh->file : mesh->name, mesh->points, mesh->n_points, &triangles, &n);
    if (status) return status;
    *hollow = fmax(0.0, 1.0 - mesh->volume / fabs(myr_mesh_volume(mesh->points, triangles, n)));
    myr_release(triangles);
    return MYR_OK;
}

myr_status myr_mjcf_mesh_inertia(myr_mjcf *m, const myr_mjcf_geom *g, myr_inertia *out) {
    const myr_mjcf_mesh *mesh = NULL;
    const myr_status status = myr_mjcf_mesh_of(m, g, &mesh);
    if (status) return status;
    if (!mesh->weighs)
        return myr_xml_fail(
            m->xml, mesh->node,
            "it has no volume, or it is inside out, and a body would weigh by it: say inertia=\"convex\" or \"shell\" here, or "
            "give the body an <inertial>");
    *out = mesh->weight;
    const double density = g->has_mass ? g->mass / out->mass : g->density;
    out->mass *= density;
    for (int k = 0; k < 6; k++) out->about_com[k] *= density;
    return MYR_OK;
}

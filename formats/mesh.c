/* A mesh as a list of points and triangles. */
#include "mesh.h"

#include <string.h>

#include "base/memory.h"

void myr_mesh_free(myr_mesh *mesh) {
    myr_release(mesh->points);
    myr_release(mesh->triangles);
    *mesh = (myr_mesh){.points = NULL};
}

myr_status myr_mesh_add_point(myr_mesh *mesh, const char *label, const double point[3]) {
    if (mesh->n_points >= MYR_MAX_MESH) return myr_fail(MYR_E_LIMIT, "%.1000s: more than %d points", label, MYR_MAX_MESH);
    if (!myr_grow((void **)&mesh->points, &mesh->point_capacity, mesh->n_points, 3 * sizeof *mesh->points))
        return myr_fail(MYR_E_MEMORY, "%.1000s: out of memory", label);
    memcpy(mesh->points + 3 * (size_t)mesh->n_points++, point, 3 * sizeof *point);
    return MYR_OK;
}

myr_status myr_mesh_add_triangle(myr_mesh *mesh, const char *label, int a, int b, int c) {
    const int corners[3] = {a, b, c};
    if (mesh->n_triangles >= MYR_MAX_MESH) return myr_fail(MYR_E_LIMIT, "%.1000s: more than %d triangles", label, MYR_MAX_MESH);
    if (!myr_grow((void **)&mesh->triangles, &mesh->triangle_capacity, mesh->n_triangles, sizeof corners))
        return myr_fail(MYR_E_MEMORY, "%.1000s: out of memory", label);
    memcpy(mesh->triangles + 3 * (size_t)mesh->n_triangles++, corners, sizeof corners);
    return MYR_OK;
}

/* Geoms that are fitted to a mesh, by MuJoCo's rules: as large as the box of the mesh's inertia, or as the box around it in its principal
 * axes (`fitaabb`), and where that is. Then they are shapes like any other. */
#include <math.h>

#include "mjcf.h"

/* Half the edges of the box that has these moments. */
static void inertia_box(double mass, const double moments[3], double half[3]) {
    const double sum = moments[0] + moments[1] + moments[2];
    for (int k = 0; k < 3; k++) half[k] = 0.5 * sqrt(fmax(0.0, 6.0 * (sum - 2.0 * moments[k]) / mass));
}

/* The box around the points along `axes`; its middle, as seen from the mesh. */
static void bounding_box(const myr_mjcf_mesh *mesh, const double axes[9], double middle[3], double half[3]) {
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, turned[3];
    for (int i = 0; i < mesh->n_points; i++) {
        const double *point = mesh->points + 3 * (size_t)i;
        for (int k = 0; k < 3; k++) {
            const double along = axes[k] * point[0] + axes[3 + k] * point[1] + axes[6 + k] * point[2];
            low[k] = fmin(low[k], along), high[k] = fmax(high[k], along);
        }
    }
    for (int k = 0; k < 3; k++) half[k] = 0.5 * (high[k] - low[k]), turned[k] = 0.5 * (high[k] + low[k]);
    myr_rotate(middle, axes, turned);
}

/* Sizes of the shape for a box of these half edges: of an inertia box the mean of what a radius stands for, else the largest. */
static void size_of(const myr_mjcf_geom *g, const double half[3], int around, double size[3]) {
    const double wide = around ? fmax(half[0], half[1]) : 0.5 * (half[0] + half[1]);
    for (int k = 0; k < 3; k++) size[k] = half[k];
    switch (g->type) {
    case MYR_MJCF_SPHERE: size[0] = around ? fmax(wide, half[2]) : (half[0] + half[1] + half[2]) / 3.0; break;
    case MYR_MJCF_CAPSULE: size[0] = wide, size[1] = half[2] - (around ? wide : 0.5 * wide); break;
    case MYR_MJCF_CYLINDER: size[0] = wide, size[1] = half[2]; break;
    default: break; /* box, ellipsoid */
    }
}

int myr_mjcf_is_fitted(const myr_mjcf_geom *g) { return g->mesh && g->type != MYR_MJCF_MESH; }

myr_status myr_mjcf_fit(myr_mjcf *m, myr_mjcf_geom *g) {
    const int sizes[] = {
        [MYR_MJCF_SPHERE] = 1, [MYR_MJCF_CAPSULE] = 2, [MYR_MJCF_ELLIPSOID] = 3, [MYR_MJCF_CYLINDER] = 2, [MYR_MJCF_BOX] = 3};
    const myr_mjcf_frame outer = {{g->position[0], g->position[1], g->position[2]},
                                  {g->quaternion[0], g->quaternion[1], g->quaternion[2], g->quaternion[3]}};
    const myr_mjcf_mesh *mesh;
    double moments[3], axes[9], half[3];
    const myr_status status = myr_mjcf_mesh_of(m, g, &mesh);
    if (status) return status;
    if (!mesh->weighs) return myr_xml_fail(m->xml, mesh->node, "it has no volume, or it is inside out, and a geom is fitted to it");
    myr_inertia_axes(mesh->weight.about_com, moments, axes);
    myr_copy3(g->position, mesh->weight.com);
    if (m->fits_around)
        bounding_box(mesh, axes, g->position, half);
    else
        inertia_box(mesh->weight.mass, moments, half);
    size_of(g, half, m->fits_around, g->size);
    for (int k = 0; k < sizes[g->type]; k++)
        if (!((g->size[k] *= g->fit_scale) > 0.0))
            return myr_xml_fail(m->xml, g->node, "fitted to mesh `%.100s`: size %d is %g; it must be positive", g->mesh, k + 1, g->size[k]);
    myr_quaternion_from_rotation(g->quaternion, axes);
    myr_mjcf_within(&outer, g->position, g->quaternion);
    g->mesh = NULL;
    return MYR_OK;
}

/* The <mesh> of a <collision>: its points, scaled. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "urdf.h"

static myr_status scale_points(const myr_urdf *urdf, const myr_mesh *mesh, const double scale[3], double **points) {
    const size_t n = 3 * (size_t)mesh->n_points;
    *points = myr_allocate_array(n, sizeof **points);
    if (!*points) return myr_fail(MYR_E_MEMORY, "%.300s: out of memory", urdf->xml.label);
    for (size_t i = 0; i < n; i++) (*points)[i] = mesh->points[i] * scale[i % 3];
    return MYR_OK;
}

myr_status myr_urdf_read_mesh(myr_urdf *urdf, const myr_xml_node *shape, double **points, int *n) {
    const myr_load_options *options = urdf->options;
    const myr_mesh *mesh = NULL;
    const char *name;
    double scale[3] = {1.0, 1.0, 1.0};
    *points = NULL;
    if (options->meshes == MYR_MESHES_SKIP) return MYR_OK;
    myr_status status = myr_xml_name(&urdf->xml, shape, "filename", &name);
    if (!status) status = myr_xml_numbers(&urdf->xml, shape, "scale", MYR_XML_OPTIONAL, scale, 3);
    if (status) return status;
    if (!myr_mesh_is_read(name)) {
        const char *slash = strrchr(name, '/');
        myr_name_list_add(&urdf->unread, slash ? slash + 1 : name);
        return MYR_OK;
    }
    status = myr_mesh_take(&urdf->shelf, urdf->xml.label, NULL, options->mesh_path, name, &mesh);
    if (status == MYR_E_MEMORY) return status;
    if (status) return myr_xml_fail(&urdf->xml, shape, "%s", myr_message());
    *n = mesh->n_points;
    return scale_points(urdf, mesh, scale, points);
}

/* Fuzzer of the readers of meshes, and of the hull and the weight of what they read. The first byte chooses the format.
 *
 *   scripts/fuzz.sh runs it with the others. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "model/hull.h"
#include "formats/mesh.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    myr_mesh mesh = {.n_points = 0};
    myr_inertia weight;
    double *corners = NULL, error;
    int n;
    if (!size || size > 1 << 16) return 0;
    char *text = calloc(size, 1); /* a 0 behind it, and nothing behind that */
    if (!text) return 0;
    memcpy(text, data + 1, size - 1);
    myr_status (*const readers[])(const char *, const char *, size_t, myr_mesh *) = {myr_mesh_read_obj, myr_mesh_read_stl,
                                                                                     myr_mesh_read_obj, myr_mesh_read_msh};
    const myr_status status = readers[data[0] & 3]("fuzz", text, size - 1, &mesh);
    free(text);
    for (int i = 0; i < 3 * mesh.n_triangles && !status; i++)
        if (mesh.triangles[i] < 0 || mesh.triangles[i] >= mesh.n_points) abort();
    if (!status) {
        for (int how = MYR_WEIGH_LEGACY; how <= MYR_WEIGH_SHELL; how++)
            myr_mesh_weigh(mesh.points, mesh.triangles, mesh.n_triangles, (myr_mesh_weighing)how, &weight);
        if (mesh.n_points >= 4 && !myr_convex_hull("fuzz", mesh.points, mesh.n_points, 8, &corners, &n, &error)) {
            if (n < 4 || n > 8 || !(error >= 0.0)) abort();
            myr_release(corners);
        }
    }
    myr_mesh_free(&mesh);
    return 0;
}

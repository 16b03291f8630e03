/* The meshes of one model while it is read: a leg's file is named four times and read once. */
#include <limits.h>
#include <string.h>

#include "base/memory.h"
#include "mesh.h"

enum { MOST_TRIANGLES = 16 << 20 };

typedef struct myr_shelved_mesh {
    char *path;
    myr_mesh *mesh; /* stays where it is when the shelf grows */
} myr_shelved_mesh;

static myr_status read_one(myr_mesh_shelf *shelf, const char *path, const myr_mesh **mesh) {
    if (!myr_grow((void **)&shelf->items, &shelf->capacity, shelf->n, sizeof *shelf->items))
        return myr_fail(MYR_E_MEMORY, "out of memory for `%.1000s`", path);
    myr_shelved_mesh item = {myr_copy_text(path), myr_allocate(sizeof *item.mesh, _Alignof(myr_mesh))};
    myr_status status =
        item.path && item.mesh ? myr_mesh_open(path, item.mesh) : myr_fail(MYR_E_MEMORY, "out of memory for `%.1000s`", path);
    if (!status && (shelf->triangles += item.mesh->n_triangles) > MOST_TRIANGLES) {
        myr_mesh_free(item.mesh);
        status = myr_fail(MYR_E_LIMIT, "`%.1000s`: the meshes of a model have %d triangles together at most", path, MOST_TRIANGLES);
    }
    if (status) {
        myr_release(item.path);
        myr_release(item.mesh);
        return status;
    }
    *mesh = item.mesh;
    shelf->items[shelf->n++] = item;
    return MYR_OK;
}

myr_status myr_mesh_take(myr_mesh_shelf *shelf, const char *label, const char *folder, const char *mesh_path, const char *name,
                         const myr_mesh **mesh) {
    char path[PATH_MAX];
    if (!myr_mesh_find(label, folder, mesh_path, name, path, sizeof path))
        return myr_fail(MYR_E_FILE,
                        "mesh `%.300s` is not there: looked for %.900s. Say where with `--mesh-path FOLDER:...`, or load the robot without "
                        "its meshes: `--meshes skip` (Python: mesh_path=, meshes=\"skip\")",
                        name, *path ? path : "nothing, as this name is neither a path nor package://PACKAGE/FILE");
    for (int i = 0; i < shelf->n; i++)
        if (!strcmp(shelf->items[i].path, path)) {
            *mesh = shelf->items[i].mesh;
            return MYR_OK;
        }
    return read_one(shelf, path, mesh);
}

void myr_mesh_shelf_free(myr_mesh_shelf *shelf) {
    for (int i = 0; i < shelf->n; i++) {
        myr_mesh_free(shelf->items[i].mesh);
        myr_release(shelf->items[i].mesh);
        myr_release(shelf->items[i].path);
    }
    myr_release(shelf->items);
    *shelf = (myr_mesh_shelf){.items = NULL};
}

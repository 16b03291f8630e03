/* A mesh from a file, which is read as its name ends. */
#include <string.h>
#include <strings.h>

#include "base/file.h"
#include "base/memory.h"
#include "mesh.h"

static const struct {
    const char *ending;
    myr_status (*read)(const char *label, const char *text, size_t length, myr_mesh *out);
} kinds[] = {{".stl", myr_mesh_read_stl}, {".obj", myr_mesh_read_obj}, {".msh", myr_mesh_read_msh}};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* KINDS: it ends in none of them. */
static int kind_of(const char *name) {
    int kind = 0;
    for (; kind < KINDS; kind++) {
        const size_t length = strlen(name), end = strlen(kinds[kind].ending);
        if (length > end && !strcasecmp(name + length - end, kinds[kind].ending)) break;
    }
    return kind;
}

int myr_mesh_is_read(const char *name) { return kind_of(name) < KINDS; }

myr_status myr_mesh_open(const char *path, myr_mesh *out) {
    char *text = NULL;
    size_t length = 0;
    const int kind = kind_of(path);
    *out = (myr_mesh){.points = NULL};
    myr_status status = myr_read_whole(path, &text, &length);
    if (!status) status = kinds[kind < KINDS ? kind : 0].read(path, text, length, out);
    myr_release(text);
    if (!status && !out->n_points) status = myr_fail(MYR_E_FORMAT, "%.1000s: there is no point in it", path);
    if (status) myr_mesh_free(out);
    return status;
}

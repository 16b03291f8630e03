/* Where the file of a mesh is. Unlike what a model includes it may lie outside of the model's folder: `../meshes/x.stl` is how most robots
 * are laid out, and what is read must be a regular file that is a mesh from its first to its last byte. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* realpath */
#endif
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mesh.h"

enum { MOST_FOLDERS = 32, MOST_ABOVE = 12 };

typedef struct search {
    char *path; /* the answer, or the places that did not have it */
    size_t room;
    char places[1600];
} search;

static void note(search *s, const char *candidate) {
    const size_t used = strlen(s->places);
    if (used + strlen(candidate) + 8 < sizeof s->places)
        snprintf(s->places + used, sizeof s->places - used, "%s`%s`", used ? ", " : "", candidate);
    else if (used + 6 < sizeof s->places && strcmp(s->places + used - 3, "...") != 0)
        snprintf(s->places + used, sizeof s->places - used, ", ...");
}

/* FOLDER/REST; a folder of no length: REST itself. */
static int try_place(search *s, const char *folder, size_t length, const char *rest) {
    char candidate[PATH_MAX];
    const int slash = length && folder[length - 1] != '/' && *rest != '/';
    const int n = snprintf(candidate, sizeof candidate, "%.*s%s%s", (int)length, folder, slash ? "/" : "", rest);
    if (length > PATH_MAX || n < 0 || (size_t)n >= sizeof candidate || (size_t)n >= s->room) return 0;
    if (access(candidate, F_OK) == 0) {
        memcpy(s->path, candidate, (size_t)n + 1);
        return 1;
    }
    note(s, candidate);
    return 0;
}

/* Each folder of a list separated by ':'. With a package: FOLDER/PACKAGE/REST, and FOLDER/REST where the folder is called so. */
static int try_list(search *s, const char *list, const char *package, const char *rest) {
    for (int i = 0; list && *list && i < MOST_FOLDERS; i++) {
        const size_t length = strcspn(list, ":"), name = package ? strcspn(package, "/") : 0;
        size_t bare = length;
        while (bare > 1 && list[bare - 1] == '/') bare--;
        if (length && package && try_place(s, list, length, package)) return 1;
        const int is_package =
            package && bare >= name && !strncmp(list + bare - name, package, name) && (bare == name || list[bare - name - 1] == '/');
        if (length && (!package || is_package) && try_place(s, list, length, rest)) return 1;
        list += length + (list[length] == ':');
    }
    return 0;
}

/* The folders around the model's file, from its own up: FOLDER/PACKAGE/REST, then FOLDER/REST, as clones of a package are called anything.
 */
static int try_above(search *s, const char *label, const char *package, const char *rest) {
    const char *slash = strrchr(label, '/');
    char folder[PATH_MAX];
    if (snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - label) + 1 : 1, slash ? label : ".") >= (int)sizeof folder) return 0;
    char *real = realpath(folder, NULL); /* not the allocator hook's */
    int found = 0;
    for (int pass = 0; pass < 2 && real && !found; pass++) {
        size_t length = strlen(real);
        for (int i = 0; i < MOST_ABOVE && length && !found; i++) {
            found = try_place(s, real, length, pass ? rest : package);
            while (length && real[length - 1] != '/') length--;
            while (length > 1 && real[length - 1] == '/') length--;
            if (length == 1) break;
        }
    }
    free(real);
    return found;
}

static const char *behind(const char *name, const char *scheme) {
    const size_t n = strlen(scheme);
    return strncmp(name, scheme, n) ? NULL : name + n;
}

static int find(search *s, const char *label, const char *folder, const char *mesh_path, const char *name) {
    const char *file = behind(name, "file://"), *package = behind(name, "package://");
    if (!package) package = behind(name, "model://");
    if (package) {
        const char *rest = strchr(package, '/');
        if (!rest) return 0;
        return try_list(s, mesh_path, package, rest + 1) || try_above(s, label, package, rest + 1) ||
               try_list(s, getenv("ROS_PACKAGE_PATH"), package, rest + 1);
    }
    if (!file && strstr(name, "://")) return 0; /* from a network: not read */
    if (file) name = file;
    const char *slash = strrchr(label, '/');
    const size_t own = slash ? (size_t)(slash - label) + 1 : 0;
    char below[PATH_MAX];
    if (folder && *folder && *name != '/') {
        const size_t length = strlen(folder);
        if (snprintf(below, sizeof below, "%s%s%s", folder, folder[length - 1] == '/' ? "" : "/", name) >= (int)sizeof below) return 0;
        if (try_place(s, label, *below == '/' ? 0 : own, below)) return 1;
    } else if (try_place(s, label, *name == '/' ? 0 : own, name)) {
        return 1;
    }
    return *name != '/' && try_list(s, mesh_path, NULL, name);
}

int myr_mesh_find(const char *label, const char *folder, const char *mesh_path, const char *name, char *path, size_t room) {
    search s = {.path = path, .room = room};
    if (find(&s, label, folder, mesh_path, name)) return 1;
    snprintf(path, room, "%s", s.places);
    return 0;
}

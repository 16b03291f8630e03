/* Triangle meshes: reading them, finding their files, what they weigh. They act as their convex hulls (hull.c, hull_reduce.c). */
#ifndef MYR_FORMATS_MESH_H
#define MYR_FORMATS_MESH_H

#include "model/description.h"
#include "model/inertia.h"

enum { MYR_MAX_MESH = 4 << 20 }; /* points, and triangles, of one mesh */

typedef struct myr_mesh {
    double *points; /* (n_points, 3) as the file has them */
    int *triangles; /* (n_triangles, 3) points, counterclockwise from outside */
    int n_points, n_triangles, point_capacity, triangle_capacity;
} myr_mesh;

void myr_mesh_free(myr_mesh *mesh);
/* One more of each; `label` is for messages. */
myr_status myr_mesh_add_point(myr_mesh *mesh, const char *label, const double point[3]);
myr_status myr_mesh_add_triangle(myr_mesh *mesh, const char *label, int a, int b, int c);

/* The text of a file, with a 0 behind it. What was read before an error is the caller's, too (myr_mesh_free). Messages begin with
 * "LABEL:LINE:", of binary files with "LABEL: byte N:". (mesh_obj.c, mesh_stl.c, mesh_msh.c) */
myr_status myr_mesh_read_obj(const char *label, const char *text, size_t length, myr_mesh *out);
myr_status myr_mesh_read_stl(const char *label, const char *text, size_t length, myr_mesh *out);
myr_status myr_mesh_read_msh(const char *label, const char *text, size_t length, myr_mesh *out);

/* By the end of a name: is it a format that is read here? */
int myr_mesh_is_read(const char *name);
/* A whole file (mesh_open.c); as STL where its name does not say. Only regular files are opened. */
myr_status myr_mesh_open(const char *path, myr_mesh *out);

/* ---- finding and keeping (mesh_find.c, mesh_shelf.c) ------------------------------------------------------------------------------ */

/* Where the file of `name` is: a path, `file://`, `package://NAME/...`. label: the model's file; folder: inside its folder, or absolute,
 * NULL: none; mesh_path: folders separated by ':', NULL: none. 0: nowhere, and `path` lists where it was looked for. */
int myr_mesh_find(const char *label, const char *folder, const char *mesh_path, const char *name, char *path, size_t room);

/* The meshes of a model while it is read, each file once. */
typedef struct myr_mesh_shelf {
    struct myr_shelved_mesh *items;
    int n, capacity;
    long triangles;
} myr_mesh_shelf;

/* *mesh is the shelf's. The message of an error says nothing of who names the mesh. */
myr_status myr_mesh_take(myr_mesh_shelf *shelf, const char *label, const char *folder, const char *mesh_path, const char *name,
                         const myr_mesh **mesh);
void myr_mesh_shelf_free(myr_mesh_shelf *shelf);

/* ---- weight (mesh_weight.c) --------------------------------------------------------------------------------------------------- */

/* MuJoCo's ways to weigh a mesh: with every tetrahedron from its middle counted as filled; by its signed volume; by its convex hull; as a
 * shell. */
typedef enum { MYR_WEIGH_LEGACY, MYR_WEIGH_EXACT, MYR_WEIGH_CONVEX, MYR_WEIGH_SHELL } myr_mesh_weighing;

/* Its volume [m^3] (a shell: its area [m^2]) as the mass, the centre, and moments about it. 0: it has none, or a negative one. */
int myr_mesh_weigh(const double *points, const int *triangles, int n_triangles, myr_mesh_weighing how, myr_inertia *out);

/* What closed triangles hold [m^3]; negative: they are inside out. */
double myr_mesh_volume(const double *points, const int *triangles, int n_triangles);

#endif

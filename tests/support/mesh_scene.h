/* What the tests of meshes share: a folder of files, and a robot of one mesh. */
#ifndef MYR_TESTS_SUPPORT_MESH_SCENE_H
#define MYR_TESTS_SUPPORT_MESH_SCENE_H

#include <stddef.h>

#include "myriapod/model.h"

extern const char *const mesh_cube; /* OBJ, edge 0.2 m */

const char *mesh_folder(void);           /* made when first asked for */
const char *mesh_path(const char *name); /* of a file in it; eight calls later it is another's */
void mesh_write(const char *name, const void *bytes, size_t length);
void mesh_write_text(const char *name, const char *text);
void mesh_clean(void);

/* A free link whose collision shape is this mesh; it lies in the folder. */
myr_status mesh_load(const char *mesh, const char *attributes, const myr_load_options *options, myr_model **out);

#endif

/* What the tests of ground maps in files share. Files lie in the folder of mesh_scene.h. */
#ifndef MYR_TESTS_SUPPORT_TERRAIN_FILE_SCENE_H
#define MYR_TESTS_SUPPORT_TERRAIN_FILE_SCENE_H

#include "mesh_scene.h"
#include "model_scene.h"
#include "myriapod/terrain.h"

#define MUST(call)                                                                                                                         \
    do {                                                                                                                                   \
        if (call) fail_msg("%s:%d: %s", __FILE__, __LINE__, myr_message());                                                                \
    } while (0)

/* First of all, before anything is created: terrain_refused sees how much memory a call asks for. */
void terrain_watch_memory(void);
/* The largest piece of memory that was asked for since the last beginning. */
void terrain_watch_begin(void);
size_t terrain_watch_largest(void);

/* What def says, but for its heights: level(i, k) steps, or as floats a third of that. */
enum { TERRAIN_MOST = 4096 };
myr_terrain *terrain_of_levels(myr_terrain_def def, int floats, int (*level)(int i, int k));

myr_terrain_read_options terrain_options_of(double cell, double low, double high);
/* A file that must be read. */
myr_terrain *terrain_read_map(const char *name, const myr_terrain_read_options *options);
myr_terrain_info terrain_info_of(const myr_terrain *t);
/* The file is refused, its name and the words are in the message, and no piece of memory above 1 MiB was asked for. */
void terrain_refused(const char *name, const myr_terrain_read_options *options, myr_status status, const char *words);
/* All samples, x slow. */
void terrain_samples_are(const myr_terrain *t, const double *wanted, double tolerance);

#endif

/* The height field that the world of an MJCF stands on, as a description: terrain/from_mjcf.c makes the map. */
#ifndef MYR_FORMATS_MJCF_FIELD_H
#define MYR_FORMATS_MJCF_FIELD_H

#include <limits.h>

#include "model/model.h"

typedef struct myr_mjcf_field {
    char label[400];     /* "FILE:LINE: <hfield> `NAME`", for messages */
    char file[PATH_MAX]; /* of its data, found; "": elevation */
    int is_png;
    int rows, columns;
    double *elevation;           /* (rows, columns), the first row is the largest y; as the file has it. NULL: all 0, or `file` */
    double size[3], position[3]; /* half of it along x and y, and its height; its middle, in the world [m] */
    char others[600];            /* what else there is of ground in the world, and does not come with it; "": nothing */
} myr_mjcf_field;

/* The first level one of the file at `path`. What is in *out is the caller's, whatever the status (myr_mjcf_field_free). */
myr_status myr_mjcf_find_field(const char *path, myr_mjcf_field *out);
void myr_mjcf_field_free(myr_mjcf_field *field);

#endif

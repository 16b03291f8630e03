/* A model as one JSON object, for programs to read: docs/program.md, info. */
#ifndef MYRIAPOD_CLI_INFO_JSON_H
#define MYRIAPOD_CLI_INFO_JSON_H

#include <myriapod/myriapod.h>

#include "output.h"

/* Returns an exit status. */
int info_json_write(const myr_model *model, output *json);

/* "sphere", "box", ..; "ball", "revolute", ..: in cli/info.c. */
const char *geom_type_name(myr_geom_type type);
const char *loop_type_name(myr_loop_type type);

#endif

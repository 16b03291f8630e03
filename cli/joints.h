/* Joints in the order of a file against joints in the order of the library. */
#ifndef MYRIAPOD_CLI_JOINTS_H
#define MYRIAPOD_CLI_JOINTS_H

#include <jansson.h>
#include <myriapod/myriapod.h>

#include "cli.h"

/* For each number of the library's q and v, its place in the file's. */
typedef struct joint_map {
    int nq, nv;
    int *q, *v; /* (nq), (nv); permutations */
} joint_map;

/* Read `joint_order`: [{name, type, q_index, v_index}]. Joints are matched by name; type `free` is the model's free joint
 * whatever the name. Names that only the model has, names that only the file has, types that differ, places outside or
 * taken twice are errors. order NULL: the library's own order. 0, or -1 and a message. */
int joint_map_read(joint_map *map, const myr_model *model, const json_t *order, cli_text *message);
void joint_map_free(joint_map *map);

/* The library's own order in the form of `joint_order`. */
json_t *joint_order_of(const myr_model *model);

const char *joint_type_name(myr_joint_type type);

#endif

/* What is put beside the robot of a command: --object FILE[@x,y,z]. */
#ifndef MYRIAPOD_CLI_OBJECTS_H
#define MYRIAPOD_CLI_OBJECTS_H

#include <argp.h>

#include <myriapod/myriapod.h>

enum { CLI_MOST_OBJECTS = 64 };

typedef struct cli_objects {
    const char *items[CLI_MOST_OBJECTS];
    int n;
} cli_objects;

/* A child of a command's parser; its input is a cli_objects. */
extern const struct argp cli_objects_argp;

/* *model becomes one that has the objects, too, each with the prefix NAME/ (a second one of the name: NAME_2/); nothing where there are
 * none. CLI_OK, or a status after saying what is wrong: *model is then freed. */
int cli_put_objects(const cli_objects *objects, const myr_load_options *options, myr_model **model);

#endif

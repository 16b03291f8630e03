/* How a model's meshes are treated, by the flags of the commands that load one. */
#ifndef MYRIAPOD_CLI_MESHES_H
#define MYRIAPOD_CLI_MESHES_H

#include <argp.h>

#include <myriapod/myriapod.h>

/* A child of a command's parser; its input is the options of the load, filled with myr_load_options_default() first. */
extern const struct argp cli_meshes_argp;

/* As the setting says. */
myr_root cli_root(const char *word);

#endif

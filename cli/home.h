/* Where the robots of a run begin: a keyframe of their file, or a pose from one of the user's. */
#ifndef MYRIAPOD_CLI_HOME_H
#define MYRIAPOD_CLI_HOME_H

#include <myriapod/myriapod.h>

/* The model of `argument`. home NULL: its own; a path (with a '/' or ending in .json): {"q": [nq numbers]} or
 * {"joints": {NAME: number or [numbers]}}, where joints that are not named stay; else the name of a keyframe. CLI_OK, or a status after
 * saying what is wrong. */
int cli_open_model(const char *argument, const myr_load_options *options, const char *home, myr_model **model);

#endif

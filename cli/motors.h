/* Motors of a file for the robot of a command: --motors FILE. */
#ifndef MYRIAPOD_CLI_MOTORS_H
#define MYRIAPOD_CLI_MOTORS_H

#include <myriapod/myriapod.h>

/* *model becomes one with the motors of the file, {NAMES: {"kind": .., ..}}; path NULL: it stays. CLI_OK, or a status after saying what is
 * wrong: *model is then freed. */
int cli_put_motors(const char *path, myr_model **model);

#endif

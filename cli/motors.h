/* Motors of a file for the robot of a command: --motors FILE. */
#ifndef MYRIAPOD_CLI_MOTORS_H
#define MYRIAPOD_CLI_MOTORS_H

#include <myriapod/myriapod.h>

/* Name of parameter i of a kind of motor, in `name`; NULL past the last. */
enum { CLI_MOTOR_WORD = 40 };
const char *cli_motor_parameter(myr_motor_kind kind, int i, char name[CLI_MOTOR_WORD]);
/* The words of lags, by myr_lag; NULL behind the last. */
extern const char *const cli_motor_lags[];

/* *model becomes one with the motors of the file, {NAMES: {"kind": .., ..}}; path NULL: it stays. CLI_OK, or a status after saying what is
 * wrong: *model is then freed. */
int cli_put_motors(const char *path, myr_model **model);

#endif

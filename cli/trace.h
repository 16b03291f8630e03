/* Residual against sweeps and time. */
#ifndef MYRIAPOD_CLI_TRACE_H
#define MYRIAPOD_CLI_TRACE_H

#include "output.h"
#include "problems.h"

/* Solve every problem of the set with its sweeps capped at 1, 2, 3, .. and on in steps of a tenth, until it ends otherwise than by the
 * cap or the settings' own cap is reached: what a solver does in its first sweeps does not depend on its cap, so that every line is what a
 * longer solve passes through. Rows of CSV, or JSON where the path ends in .json. CLI_OK, or CLI_BAD_INPUT after saying why not. */
int trace_write(const problem_set *set, const myr_settings *settings, output *out);

#endif

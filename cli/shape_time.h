/* What a model's shapes cost, measured: `info MODEL --time`. */
#ifndef MYRIAPOD_CLI_SHAPE_TIME_H
#define MYRIAPOD_CLI_SHAPE_TIME_H

#include <myriapod/myriapod.h>

/* Measures, about a second on one core, and prints. Returns an exit status. */
int shape_time_print(const myr_model *model, const myr_settings *settings);

#endif

/* Inputs of programs by name: what they are, and from where they come. */
#ifndef MYR_TASKS_INPUTS_H
#define MYR_TASKS_INPUTS_H

#include "kernels/step_options.h"
#include "tasks/moments.h"
#include "tasks/table.h"

/* What an input may be of. `numbers`: room for those that are the same for all. */
typedef struct myr_inputs_of {
    const myr_task_table *table;
    const myr_settings *settings;
    const myr_model *model;
    const myr_layout *layout;
    const myr_step_options *options;
    myr_moment_name moment;
    double *numbers;
} myr_inputs_of;

/* Rows of the first, floating base by their name: base_position, base_turn, base_velocity; 0: it is none of them, or does not float. */
int myr_base_rows(const myr_inputs_of *of, const char *name, myr_binding *binding);
/* Numbers that `numbers` must have room for. */
int myr_inputs_room(const myr_model *model);

/* The input `name`: where from, and how many rows, as binding->n, which is 0 before or what the text says; *fixed: it is the same for all,
 * and its numbers are in of->numbers. MYR_E_FORMAT, with label and line: there is none of this name, this robot has none, or this moment
 * does not. */
myr_status myr_input_find(const myr_inputs_of *of, const char *label, int line, const char *name, myr_binding *binding, int *fixed);

#endif

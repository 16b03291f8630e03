#include "tasks/instance.h"

#include <string.h>

#include "base/memory.h"
#include "tasks/table.h"

const myr_task *myr_task_of_table(const myr_task_table *table, const myr_kernels *kernels, myr_task_instance *to) {
    to->table = myr_task_table_retain(table);
    to->own = *kernels->table_task;
    to->own.name = table->name;
    to->own.table = table;
    to->own.quadruped = table->quadruped, to->own.actuated = table->actuated;
    to->own.varies = (table->uses & MYR_USES_VARY) != 0, to->own.holds = (table->uses & MYR_USES_TRIAL) != 0;
    if (!(table->uses & MYR_USES_PATCHES)) to->own.leave = NULL;
    if (!table->moments[MYR_MOMENT_ACT].line) to->own.act = NULL;
    if (!table->moments[MYR_MOMENT_STEP].line) to->own.step = NULL;
    return &to->own;
}

static double number(const myr_instance_of *of, const myr_task_table *t, const myr_table_number *n) {
    return myr_table_value(t, of->settings, n);
}

static int reads(const myr_moment *m, int input) {
    for (int k = 0; k < m->n_in; k++)
        if (m->in[k].to == MYR_BOUND_LANES && m->in[k].at == input) return 1;
    return 0;
}

/* One behind the other; what is optional and not there is left out. */
static myr_status place_parts(myr_task_instance *to) {
    myr_moment *observe = &to->moments[MYR_MOMENT_OBSERVE];
    int kept = 0;
    for (int k = 0; k < to->n_parts; k++) {
        int *n = to->parts[k].critic ? &to->shape.critics : &to->shape.observations;
        to->parts[k].first = *n, *n += to->parts[k].n;
        if (to->parts[k].frames == 1) continue;
        if (!to->shape.history) to->shape.history = 1; /* whether the rest is known */
        to->parts[k].kept = to->shape.history, to->shape.history += to->parts[k].n;
    }
    for (int o = 0; o < observe->n_out; o++) observe->out[o].at = myr_present_at(to, &to->parts[observe->out[o].at]);
    for (int k = 0; k < to->n_parts; k++)
        if (to->parts[k].n) to->parts[kept++] = to->parts[k];
    to->n_parts = kept;
    return to->shape.history <= MYR_TASK_HISTORY_ROWS ? MYR_OK
                                                      : myr_fail(MYR_E_LIMIT, "%s: %d numbers in histories, more than %d", to->table->label,
                                                                 to->shape.history, MYR_TASK_HISTORY_ROWS);
}

/* What may be no number has a fault of its own. */
static const myr_moment_name faulty[] = {MYR_MOMENT_JUDGE, MYR_MOMENT_OBSERVE, MYR_MOMENT_ACT, MYR_MOMENT_STEP};
enum { FAULTY = sizeof faulty / sizeof *faulty, MOST_FAULTS = 256 - MYR_QUARANTINE_OUTPUT };

static myr_status number_faults(myr_task_instance *to) {
    int n = 0;
    for (int k = 0; k < FAULTY; k++) {
        myr_moment *m = &to->moments[faulty[k]];
        int others =
            faulty[k] == MYR_MOMENT_JUDGE ? to->table->n_rewards : 0; /* terms without weight, which are not computed, have numbers too */
        for (int o = 0; o < m->n_out; o++) m->out[o].fault = m->out[o].to == MYR_BOUND_TERM ? m->out[o].at : others++;
        m->first_fault = n, n += others;
    }
    return n <= MOST_FAULTS ? MYR_OK
                            : myr_fail(MYR_E_LIMIT, "%s: %d outputs of the moments judge, observe, act and step, more than %d",
                                       to->table->label, n, MOST_FAULTS);
}

myr_status myr_task_instantiate(const myr_instance_of *of, myr_task_instance *to) {
    const myr_task_table *t = to->table;
    myr_status status = myr_table_check_numbers(t, of->settings);
    if (status || !t) return status;
    to->n_terms = to->shape.terms = t->n_rewards + 1;
    to->shape.actions = t->actions ? t->actions : of->model->nu;
    to->controls = t->controls;
    to->floored = number(of, t, &t->floor) != 0;
    to->command_hold = number(of, t, &t->command_every);
    to->shape.command = t->command, to->shape.memory = t->memory_rows;
    for (int k = 0; k < t->n_rewards; k++)
        to->terms[k] = (myr_term){t->rewards[k].name, t->rewards[k].doc, number(of, t, &t->rewards[k].weight), t->rewards[k].metric};
    const char *ends = t->ends && *t->ends ? t->ends : "1 where the episode ends by failing";
    to->terms[t->n_rewards] = (myr_term){"termination", ends, number(of, t, &t->termination), 0};
    for (int k = 0; k < t->n_observed; k++) {
        const myr_table_observed *o = &t->observed[k];
        const double scale = number(of, t, &o->scale), noise = number(of, t, &o->noise);
        to->parts[to->n_parts++] = (myr_observed_part){.name = o->name,
                                                       .unit = o->unit,
                                                       .doc = o->doc,
                                                       .critic = o->critic,
                                                       .frames = o->frames ? o->frames : 1,
                                                       .plain = !o->noisy,
                                                       .late = o->late,
                                                       .scale = scale,
                                                       .noise = noise};
    }
    if (!(to->programs = myr_program_kernels_get(of->kernels->isa, of->kernels->precision)))
        return myr_fail(MYR_E_ARG, "this build has no programs for the instruction set %s", of->kernels->isa);
    status = myr_table_set_gains(of, to);
    if (!status) status = myr_table_bind(of, to);
    if (status) return status;
    if (!(status = place_parts(to))) status = myr_table_set_mirror(to);
    if (status) return status;
    for (int k = 0; k < MYR_MOMENTS; k++)
        if (reads(&to->moments[k], MYR_INPUT_ACTUATOR_VELOCITY_BEFORE)) to->shape.scratch = of->model->nu;
    return number_faults(to);
}

void myr_task_instance_free(myr_task_instance *to) {
    if (!to) return;
    for (int k = 0; k < MYR_MOMENTS; k++) {
        myr_program_free(to->moments[k].program);
        myr_release(to->moments[k].in), myr_release(to->moments[k].out);
    }
    myr_task_table_free(to->table);
    myr_release(to->gains);
    myr_release(to->mirror);
    myr_release(to);
}

void myr_task_open_programs(const myr_task_instance *to, void *rows) {
    for (int k = 0; k < MYR_MOMENTS; k++) {
        const myr_moment *m = &to->moments[k];
        const size_t at = (size_t)m->first * (size_t)(to->programs ? to->programs->lanes * to->programs->precision : 0);
        if (m->program) to->programs->open(m->program, (char *)rows + at);
    }
}

const char *myr_task_fault_name(const myr_task_instance *to, int fault) {
    for (int k = 0; k < FAULTY; k++) {
        const myr_moment *m = &to->moments[faulty[k]];
        for (int o = 0; o < m->n_out; o++)
            if (fault == MYR_QUARANTINE_OUTPUT + m->first_fault + m->out[o].fault) return m->out[o].name;
    }
    return NULL;
}

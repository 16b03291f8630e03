/* A task that is a table: its programs, each at its moment. A batch has it with myr_batch_create_for; it has no name of its own. */
#ifndef MYR_TASKS_TABLE_LANE_H
#define MYR_TASKS_TABLE_LANE_H

#include "kernels/random.lane.h"
#include "tasks/draw_parameters.lane.h"
#include "tasks/events.lane.h"
#include "tasks/gains.h"
#include "tasks/inputs.lane.h"
#include "tasks/instance.h"
#include "tasks/table.h"
#include "tasks/task.h"

static inline vf *moment_rows(void *programs, const myr_moment *m) { return (vf *)programs + m->first; }

/* ---- all lanes of a part ---------------------------------------------------------------------------------------------------- */

/* Numbers in [0, 1) of a stream of their own: of this control step of the episode, however often they are asked for. */
static void moment_draw(const part *p, const myr_binding *b, vf *to) {
    const uint32_t blocks = (uint32_t)(b->n + 3) / 4;
    uint32_t block[VN];
    real clock[VN];
    random_words words[4];
    memcpy(clock, field_row(p, MYR_ROWS_clock, 0), sizeof clock);
    for (int i = 0; i < VN; i++) block[i] = blocks * (clock[i] >= 0 && clock[i] < 1e7 ? (uint32_t)clock[i] : 0u);
    const noise_stream stream = noise_open(p->meta, p->first_lane, (uint32_t)b->at, block);
    for (int k = 0; k < b->n; k++) {
        if (k % 4 == 0) {
            for (int i = 0; i < 4; i++) words[i] = stream.counter[i];
            UNROLL for (int h = 0; h < RANDOM_HALVES; h++) words[0].half[h] = (words[0].half[h] + (uint64_t)(k / 4)) & vq_set(0xffffffffu);
            random_blocks(words, p->options->seed);
        }
        to[k] = random_unit(&words[k % 4]);
    }
}

/* action: what the input `action` is where one takes effect. */
static void moment_run(const part *p, const myr_moment *m, const vf *action) {
    vf *rows = moment_rows(p->w->programs, m);
    input_state state; /* not to be cleared: most programs ask for none of it */
    state.p = p, state.has_base = state.has_touch = 0;
    for (int i = 0; i < m->n_in; i++) {
        const myr_binding *b = &m->in[i];
        vf *to = rows + b->row;
        if (b->to == MYR_BOUND_LANES)
            input_functions[b->at](&state, to);
        else if (b->to == MYR_BOUND_DRAW)
            moment_draw(p, b, to);
        else if (b->to == MYR_BOUND_LENGTHS)
            for (int k = 0; k < b->n; k++) to[k] = *row(p, b->at + k) + vf_zero();
        else if (b->to == MYR_BOUND_ACTION)
            for (int k = 0; k < b->n; k++) to[k] = action[k];
        else
            for (int k = 0; k < b->n; k++) to[k] = *row(p, b->at + k);
    }
    p->options->instance->programs->run(m->program, rows);
}

/* Lanes in which this output is not finite. */
static unsigned not_finite(const vf *rows, const myr_binding *b) {
    vm finite = vm_all();
    for (int k = 0; k < b->n; k++) finite = vm_and(finite, vm_finite(rows[b->row + k]));
    return ~vm_bits(finite);
}

/* Those of `lanes` that have an output without a number; w->fault is the first of each. */
static unsigned moment_faults(const part *p, const myr_moment *m, unsigned lanes) {
    const vf *rows = moment_rows(p->w->programs, m);
    vf sum = vf_zero(), other = sum; /* of nothing but finite numbers they are 0; two, as each waits for its last one */
    unsigned bad = 0;
    for (int o = 0; o < m->n_out; o++) {
        const vf *of = rows + m->out[o].row;
        const int n = m->out[o].n;
        for (int k = 1; k < n; k += 2) sum = vf_fma(vf_zero(), of[k - 1], sum), other = vf_fma(vf_zero(), of[k], other);
        if (n % 2) sum = vf_fma(vf_zero(), of[n - 1], sum);
    }
    if (!(~vm_bits(vm_eq(sum + other, vf_zero())) & lanes)) return 0;
    for (int o = 0; o < m->n_out; o++) {
        const unsigned now = not_finite(rows, &m->out[o]) & lanes & ~bad;
        for (int i = 0; i < VN; i++)
            if (now >> i & 1u) p->w->fault[i] = (uint8_t)(MYR_QUARANTINE_OUTPUT + m->first_fault + m->out[o].fault);
        bad |= now;
    }
    return bad;
}

/* Output `b` into the tile. */
static void moment_keep(const part *p, const myr_moment *m, const myr_binding *b, vm lanes) {
    const vf *from = moment_rows(p->w->programs, m) + b->row;
    for (int k = 0; k < b->n && !b->stays; k++)
        if (b->to == MYR_BOUND_CONTROL)
            control_set(p, k, from[k], lanes);
        else {
            vf *to = row(p, b->at + k);
            *to = vf_select(lanes, from[k], *to);
        }
}

/* A moment of which all outputs are kept. Returns the lanes in which one is not a number: they keep what they have. */
static unsigned moment_do(const part *p, const myr_moment *m, const vf *action, unsigned lanes) {
    moment_run(p, m, action);
    const unsigned bad = moment_faults(p, m, lanes);
    for (int o = 0; o < m->n_out; o++) moment_keep(p, m, &m->out[o], vm_from_bits(lanes & ~bad));
    return bad;
}

/* ---- one lane: where an episode or a command begins -------------------------------------------------------------------------- */

static void drawn_stream(const drawing *d, const myr_binding *b, vf *to) {
    const philox4x32_key_t key = {{(uint32_t)d->options->seed, (uint32_t)(d->options->seed >> 32)}};
    const real clock = *draw_row(d, MYR_ROWS_clock, 0);
    const uint32_t first = (uint32_t)(b->n + 3) / 4 * (clock >= 0 && clock < (real)1e7 ? (uint32_t)clock : 0u);
    philox4x32_ctr_t bits = {{0}};
    for (int k = 0; k < b->n; k++) {
        if (k % 4 == 0) {
            philox4x32_ctr_t counter;
            random_counter(d->meta, d->lane, first + (uint32_t)(k / 4), (uint32_t)b->at, counter.v);
            bits = philox4x32(counter, key);
        }
        to[k] = vf_set((real)(bits.v[k % 4] >> 8) * (real)0x1p-24);
    }
}

static void drawn_run(drawing *d, const myr_moment *m) {
    if (!m->program) return;
    vf *rows = moment_rows(d->programs, m);
    for (int i = 0; i < m->n_in; i++) {
        const myr_binding *b = &m->in[i];
        vf *to = rows + b->row;
        if (b->to == MYR_BOUND_DRAW)
            drawn_stream(d, b, to);
        else if (b->to == MYR_BOUND_TURN) {
            const MYR_SINCOS1_TYPE half = drawn_turn(d);
            to[0] = vf_set(half.y), to[1] = to[2] = vf_zero(), to[3] = vf_set(half.x);
        } else
            for (int k = 0; k < b->n; k++) to[k] = vf_set(b->to == MYR_BOUND_DRAWS ? draw(d, 0, 1) : *lane_of(d->tile, b->at + k, d->lane));
    }
    d->options->instance->programs->run(m->program, rows);
    for (int o = 0; o < m->n_out; o++) {
        const myr_binding *b = &m->out[o];
        for (int k = 0; k < b->n; k++) {
            real x[VN];
            memcpy(x, rows + b->row + k, sizeof x);
            if (b->to != MYR_BOUND_JOINTS)
                *lane_of(d->tile, b->at + k, d->lane) = x[0];
            else if (!d->model->actuators[k].pushes)
                *draw_row(d, MYR_ROWS_q, actuator_q(d->model, k)) = x[0];
        }
    }
}

static void table_command(drawing *d) { drawn_run(d, &d->options->instance->moments[MYR_MOMENT_COMMAND]); }

/* ---- what the engine calls --------------------------------------------------------------------------------------------------- */

static myr_status table_check(const myr_settings *settings, const myr_model *model) {
    (void)model;
    myr_status status = check_range("command-x", settings->command_x_low, settings->command_x_high);
    if (status == MYR_OK) status = check_range("command-y", settings->command_y_low, settings->command_y_high);
    if (status == MYR_OK) status = check_range("command-yaw", settings->command_yaw_low, settings->command_yaw_high);
    return status == MYR_OK ? check_parameters(settings) : status;
}

static void table_prepare(const myr_settings *settings, const myr_model *model, myr_step_options *options) {
    const myr_task_table *t = options->task->table;
    if (t->gains == MYR_GAINS_QUADRUPED && model->quadruped.valid)
        options->kp = model->quadruped.kp, options->kd = model->quadruped.kd, options->own_gains = MYR_OWN_NONE;
    else if (t->gains == MYR_GAINS_SAG)
        hold_gains(model, options);
    else if (t->gains == MYR_GAINS_GIVEN)
        options->kp = myr_table_value(t, settings, &t->kp), options->kd = myr_table_value(t, settings, &t->kd),
        options->own_gains = MYR_OWN_NONE;
    if (t->uses & MYR_USES_VARY) options->varied |= varied_parameters(settings);
    if (t->controls) options->varied |= controls_vary(model);
}

static void table_start(drawing *d) {
    const myr_task_instance *task = d->options->instance;
    drawn_run(d, &task->moments[MYR_MOMENT_START]);
    if (task->table->uses & MYR_USES_VARY) draw_parameters(d);
    table_command(d);
    if (task->table->uses & MYR_USES_PATCHES) ground_start(d);
}

static void table_begin(const part *p) {
    for (int u = 0; u < p->r->layout.task.scratch; u++) p->w->scratch[u] = actuator_rate(p, u);
}

static unsigned table_act(const part *p, int late, unsigned lanes) {
    return moment_do(p, &p->options->instance->moments[MYR_MOMENT_ACT], late ? p->w->before : p->w->wanted, lanes);
}

static unsigned table_step(const part *p) { return moment_do(p, &p->options->instance->moments[MYR_MOMENT_STEP], NULL, p->alive); }

static myr_verdict table_judge(const part *p) {
    const myr_task_instance *task = p->options->instance;
    const myr_moment *m = &task->moments[MYR_MOMENT_JUDGE];
    const vf *rows = moment_rows(p->w->programs, m);
    myr_verdict verdict = {0};
    for (int k = 0; k < task->n_terms; k++) p->w->terms[k] = vf_zero();
    moment_run(p, m, NULL);
    verdict.faulted = moment_faults(p, m, p->alive);
    const vm go = vm_from_bits(p->alive & ~verdict.faulted);
    for (int o = 0; o < m->n_out; o++) {
        const myr_binding *b = &m->out[o];
        const vf *from = rows + b->row;
        if (b->to == MYR_BOUND_TERM)
            p->w->terms[b->at] = *from;
        else if (b->to == MYR_BOUND_END) {
            const unsigned ends = vm_bits(vm_gt(vf_abs(*from), vf_zero()));
            *(task->ends[b->at].truncates ? &verdict.truncated : &verdict.failed) |= ends;
        } else
            moment_keep(p, m, b, go);
    }
    return verdict;
}

static void table_see(const part *p) {
    const myr_moment *m = &p->options->instance->moments[MYR_MOMENT_OBSERVE];
    const vf *rows = moment_rows(p->w->programs, m);
    moment_run(p, m, NULL);
    for (int o = 0; o < m->n_out; o++)
        for (int k = 0; k < m->out[o].n; k++) p->w->seen[m->out[o].at + k] = rows[m->out[o].row + k];
}

static unsigned table_mend(const part *p, unsigned lanes) {
    const myr_task_instance *task = p->options->instance;
    return moment_faults(p, &task->moments[MYR_MOMENT_OBSERVE], lanes);
}

static unsigned table_after(const part *p, myr_tile_meta *meta, void *tile, int first_lane, unsigned lanes) {
    const myr_task_instance *task = p->options->instance;
    const int commands = task->moments[MYR_MOMENT_COMMAND].program != NULL;
    const int pushes = (task->table->uses & MYR_USES_PUSHES) && myr_floats(p->r->model);
    const events of = {commands ? table_command : NULL, task->command_hold, pushes};
    return commands || pushes ? commands_and_pushes(p, meta, tile, first_lane, lanes, &of) : 0;
}

const myr_task MYR_UNIT(myr_table_task) = {
    .name = "table",
    .check = table_check,
    .prepare = table_prepare,
    .leave = ground_climb,
    .start = table_start,
    .begin = table_begin,
    .act = table_act,
    .step = table_step,
    .judge = table_judge,
    .see = table_see,
    .mend = table_mend,
    .after = table_after,
};

#endif

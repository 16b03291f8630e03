/* A table's programs for one batch: read with the rows that this robot has, and bound to where their numbers come from and go. */
#include <string.h>

#include "base/memory.h"
#include "tasks/gains.h"
#include "tasks/inputs.h"
#include "tasks/instance.h"

static const char *const moment_names[MYR_MOMENTS] = {
#define MYR_MOMENT(NAME, name, doc) #name,
#include "tasks/moments.def"
#undef MYR_MOMENT
};
const char *myr_moment_text(int moment) { return moment >= 0 && moment < MYR_MOMENTS ? moment_names[moment] : NULL; }

typedef struct binding_of {
    myr_inputs_of inputs;
    myr_task_instance *to;
    const char *label;
} binding_of;

/* ---- what the reader of programs asks ------------------------------------------------------------------------------------ */

static myr_status find(void *context, const char *label, int line, const char *name, int *rows, const double **numbers) {
    const binding_of *of = context;
    myr_binding b = {.n = *rows};
    int fixed;
    const myr_status status = myr_input_find(&of->inputs, label, line, name, &b, &fixed);
    if (status) return status;
    *rows = b.n, *numbers = fixed ? of->inputs.numbers : NULL;
    return MYR_OK;
}

static int term_of(const myr_task_instance *to, const char *name) {
    const int metric = !strncmp(name, "metric.", 7);
    for (int k = 0; k < to->n_terms - 1 && (metric || !strncmp(name, "reward.", 7)); k++)
        if (!strcmp(name + 7, to->terms[k].key) && to->terms[k].metric == metric) return k;
    return -1;
}

/* A term without weight is not computed. */
static int wanted(void *context, const char *name) {
    const binding_of *of = context;
    const int term = term_of(of->to, name);
    return of->inputs.moment != MYR_MOMENT_JUDGE || term < 0 || of->to->terms[term].weight != 0;
}

/* ---- outputs -------------------------------------------------------------------------------------------------------------- */

static const char *label_of(const binding_of *of) { return of->inputs.table->label; }
static int line_of(const binding_of *of, const myr_program *p, int output) {
    const int line = p->values[p->outputs[output].value].line;
    return line > 0 ? line : of->inputs.table->moments[of->inputs.moment].line;
}

static myr_status no_output(const binding_of *of, int line, const char *name) {
    return myr_fail(MYR_E_FORMAT, "%s:%d: the moment `%s` has no output `%s`: docs/tables.md lists them", label_of(of), line,
                    moment_names[of->inputs.moment], name);
}

static int memory_of(const binding_of *of, const char *name, myr_binding *b) {
    const myr_task_table *t = of->inputs.table;
    for (int k = 0; k < t->n_memories && !strncmp(name, "memory.", 7); k++) {
        if (strcmp(name + 7, t->memories[k].name) != 0) continue;
        b->to = MYR_BOUND_ROWS, b->n = t->memories[k].rows, b->at = of->inputs.layout->first[MYR_ROWS_memory] + t->memories[k].first;
        return 1;
    }
    return 0;
}

static int command_of(const binding_of *of, const char *name, myr_binding *b) {
    if (strcmp(name, "command") != 0 || !of->inputs.table->command) return 0;
    b->to = MYR_BOUND_ROWS, b->n = of->inputs.table->command, b->at = of->inputs.layout->first[MYR_ROWS_command];
    return 1;
}

/* `end.NAME`, `truncate.NAME`. */
static int end_of(const binding_of *of, const char *name, myr_binding *b) {
    myr_task_instance *to = of->to;
    const int truncates = !strncmp(name, "truncate.", 9), ends = !strncmp(name, "end.", 4);
    if (!truncates && !ends) return 0;
    b->to = MYR_BOUND_END, b->n = 1, b->at = to->n_ends < MYR_TASK_ENDS ? to->n_ends++ : MYR_TASK_ENDS;
    if (b->at < MYR_TASK_ENDS) to->ends[b->at] = (myr_end){name + (truncates ? 9 : 4), truncates};
    return 1;
}

/* What the step must read from the rows from then on. */
static unsigned varied_by(myr_rows rows) {
    switch (rows) {
    case MYR_ROWS_torque: return MYR_VARIED_TORQUE;
    case MYR_ROWS_kp:
    case MYR_ROWS_kd: return MYR_VARIED_GAINS;
    case MYR_ROWS_strength:
    case MYR_ROWS_encoder_bias: return MYR_VARIED_MOTOR;
    case MYR_ROWS_damping:
    case MYR_ROWS_armature: return MYR_VARIED_JOINT;
    case MYR_ROWS_lower:
    case MYR_ROWS_upper:
    case MYR_ROWS_dry_friction: return MYR_VARIED_ROWS;
    case MYR_ROWS_wrench: return MYR_VARIED_WRENCH;
    default: return 0;
    }
}

/* What an episode may begin with: state and parameters. Later there is what actuators do, and forces: parameters are judged
 * before a call alone, and would stay where an episode ends. */
static int may_be_set(const binding_of *of, int f) {
    if (f == MYR_ROWS_target || f == MYR_ROWS_torque || f == MYR_ROWS_wrench) return 1;
    if (of->inputs.moment != MYR_MOMENT_START || f == MYR_ROWS_inertial) return 0;
    return f == MYR_ROWS_q || f == MYR_ROWS_v || myr_fields[f].access == MYR_ACCESS_PARAM || myr_fields[f].access == MYR_ACCESS_INPUT;
}

static int field_of(const binding_of *of, const char *name, myr_binding *b, unsigned *varied) {
    const myr_layout *l = of->inputs.layout;
    for (int f = 0; f < MYR_ROWS_COUNT; f++) {
        if (strcmp(myr_fields[f].name, name) != 0 || !l->count[f] || !may_be_set(of, f)) continue;
        b->to = MYR_BOUND_ROWS, b->n = l->count[f], b->at = l->first[f];
        *varied |= varied_by((myr_rows)f);
        of->to->pushes |= f == MYR_ROWS_wrench && of->inputs.moment != MYR_MOMENT_START;
        return 1;
    }
    return 0;
}

static int part_of(const binding_of *of, const char *name, int rows, myr_binding *b) {
    myr_task_instance *to = of->to;
    const int critic = !strncmp(name, "critic.", 7);
    for (int k = 0; k < to->n_parts; k++) {
        if (to->parts[k].critic != critic || strcmp(to->parts[k].name, name + (critic ? 7 : 0)) != 0) continue;
        b->to = MYR_BOUND_SEEN, b->n = rows, b->at = k; /* of the part; its place is known when all have their rows */
        to->parts[k].n = rows * to->parts[k].frames;
        return 1;
    }
    return 0;
}

static myr_status bind_output(const binding_of *of, const myr_program *p, int output, myr_binding *b, unsigned *varied) {
    const char *name = p->outputs[output].name;
    const myr_value *value = &p->values[p->outputs[output].value];
    const int line = line_of(of, p, output), term = term_of(of->to, name);
    int known = 0;
    switch (of->inputs.moment) {
    case MYR_MOMENT_START:
        known = memory_of(of, name, b) || myr_base_rows(&of->inputs, name, b) || field_of(of, name, b, varied);
        if (!known && !strcmp(name, "actuator_position")) b->to = MYR_BOUND_JOINTS, b->n = of->inputs.model->nu, known = 1;
        break;
    case MYR_MOMENT_COMMAND: known = memory_of(of, name, b) || command_of(of, name, b); break;
    case MYR_MOMENT_ACT:
    case MYR_MOMENT_STEP:
        known = memory_of(of, name, b) || field_of(of, name, b, varied);
        if (!known && !strcmp(name, "control"))
            b->to = MYR_BOUND_CONTROL, b->n = of->inputs.model->nu, *varied |= controls_vary(of->inputs.model), known = 1;
        break;
    case MYR_MOMENT_JUDGE:
        known = term >= 0 || memory_of(of, name, b) || command_of(of, name, b) || end_of(of, name, b);
        if (term >= 0) b->to = MYR_BOUND_TERM, b->n = 1, b->at = term;
        if (b->to == MYR_BOUND_END && b->at == MYR_TASK_ENDS)
            return myr_fail(MYR_E_LIMIT, "%s:%d: more than %d ends", label_of(of), line, MYR_TASK_ENDS);
        break;
    case MYR_MOMENT_OBSERVE: known = part_of(of, name, value->n, b); break;
    case MYR_MOMENTS: break;
    }
    if (!known) return no_output(of, line, name);
    if (value->n != b->n)
        return myr_fail(MYR_E_FORMAT, "%s:%d: the output `%s` has %d row%s, but must have %d", label_of(of), line, name, value->n,
                        value->n == 1 ? "" : "s", b->n);
    b->row = value->row, b->name = name;
    return MYR_OK;
}

/* ---- a moment -------------------------------------------------------------------------------------------------------------- */

/* Rows from..to - 1 of an input are what anything takes of it: of 19 rows of q a cost may want four. */
static void rows_taken(const myr_program *p, int input, int *from, int *to) {
    const int n = p->values[input].n;
    *from = n, *to = 0;
    for (int i = input + 1; i < p->n_values; i++) {
        const myr_value *v = &p->values[i];
        for (int k = 0; k < v->n_args; k++) {
            if (p->lists[v->args + k] != input) continue;
            const int first = v->op == MYR_OP_SLICE ? p->lists[v->ints] : 0, end = v->op == MYR_OP_SLICE ? first + v->n : n;
            *from = first < *from ? first : *from, *to = end > *to ? end : *to;
        }
    }
    for (int o = 0; o < p->n_outputs; o++)
        if (p->outputs[o].value == input) *from = 0, *to = n;
}

static myr_status bind_inputs(const binding_of *of, myr_moment *m) {
    const myr_program *p = m->program;
    for (int i = 0; i < p->n_values; i++) {
        const myr_value *v = &p->values[i];
        int fixed;
        myr_binding b = {.n = v->n};
        if (v->op != MYR_OP_INPUT) continue;
        const myr_status status = myr_input_find(&of->inputs, label_of(of), v->line, v->name, &b, &fixed);
        if (status) return status;
        if (v->last_use == i && b.to != MYR_BOUND_DRAWS) continue; /* nothing takes it; draws have an order */
        int from = 0, to = v->n;
        if (b.to == MYR_BOUND_ROWS || b.to == MYR_BOUND_LENGTHS) rows_taken(p, i, &from, &to);
        b.row = v->row + from, b.n = to - from, b.at += from, b.name = v->name;
        m->in[m->n_in++] = b;
    }
    return MYR_OK;
}

/* A memory that a moment leaves as it is: it is judged as others are, and not written. No other output of the moment has its rows. */
static int stays(const binding_of *of, const myr_moment *m, const myr_binding *out) {
    myr_binding memory;
    if (!memory_of(of, out->name, &memory)) return 0;
    for (int i = 0; i < m->n_in; i++) {
        const myr_binding *in = &m->in[i];
        if (in->to == MYR_BOUND_ROWS && in->row == out->row && in->at == out->at && in->n == out->n) return 1;
    }
    return 0;
}

static myr_status bind_moment(binding_of *of, unsigned *varied) {
    const myr_task_table *t = of->inputs.table;
    const myr_table_moment *text = &t->moments[of->inputs.moment];
    myr_moment *m = &of->to->moments[of->inputs.moment];
    if (!text->line) return MYR_OK;
    const myr_program_source source = {of, find, wanted};
    myr_status status = myr_program_read_lines(t->text + text->begin, text->end - text->begin, t->label, text->line, &source, &m->program);
    if (status) return status;
    const myr_program *p = m->program;
    m->in = myr_allocate_array((size_t)p->n_values + 1, sizeof *m->in);
    m->out = myr_allocate_array((size_t)p->n_outputs + 1, sizeof *m->out);
    if (!m->in || !m->out) return myr_fail(MYR_E_MEMORY, "out of memory for a task");
    status = bind_inputs(of, m);
    for (; m->n_out < p->n_outputs && !status; m->n_out++) {
        status = bind_output(of, p, m->n_out, &m->out[m->n_out], varied);
        if (!status) m->out[m->n_out].stays = stays(of, m, &m->out[m->n_out]);
    }
    m->first = of->to->program_rows, of->to->program_rows += p->rows;
    return status;
}

/* Has the text of `judge` an output for each term, and that of `observe` for each part? Those without weight are not in the program. */
static myr_status all_there(const binding_of *of) {
    const myr_task_table *t = of->inputs.table;
    const myr_task_instance *to = of->to;
    for (int k = 0; k < to->n_parts; k++)
        if (!to->parts[k].n && !t->observed[k].optional)
            return myr_fail(MYR_E_FORMAT, "%s:%d: the moment `observe` has no output `%s%s`", t->label, t->observed[k].line,
                            t->observed[k].critic ? "critic." : "", t->observed[k].name);
    const myr_moment *judge = &to->moments[MYR_MOMENT_JUDGE];
    for (int k = 0; k < to->n_terms - 1; k++) {
        int found = to->terms[k].weight == 0;
        for (int o = 0; o < judge->n_out; o++) found |= judge->out[o].to == MYR_BOUND_TERM && judge->out[o].at == k;
        if (!found)
            return myr_fail(MYR_E_FORMAT, "%s:%d: the moment `judge` has no output `%s.%s`", t->label, t->rewards[k].line,
                            t->rewards[k].metric ? "metric" : "reward", t->rewards[k].name);
    }
    return MYR_OK;
}

myr_status myr_table_bind(const myr_instance_of *of, myr_task_instance *to) {
    myr_layout layout; /* rows of fields: the number of what is observed changes none */
    myr_layout_init(&layout, of->model, of->kernels->precision, of->settings, &to->shape);
    binding_of b = {.inputs = {.table = to->table, .settings = of->settings, .model = of->model, .layout = &layout, .options = of->options},
                    .to = to,
                    .label = to->table->label};
    if (!(b.inputs.numbers = myr_allocate_array((size_t)myr_inputs_room(of->model), sizeof(double))))
        return myr_fail(MYR_E_MEMORY, "out of memory for a task");
    myr_status status = MYR_OK;
    for (int k = 0; k < MYR_MOMENTS && !status; k++) {
        b.inputs.moment = (myr_moment_name)k;
        status = bind_moment(&b, &of->options->varied);
    }
    myr_release(b.inputs.numbers);
    return status ? status : all_there(&b);
}

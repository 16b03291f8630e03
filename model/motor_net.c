/* Nets behind motors: numbers checked, copied, and laid in the order in which lanes read them. */
#include "motor_net.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

static const double most = 1e30; /* a float can hold it */

myr_motor_net_def myr_motor_net_def_default(void) {
    return (myr_motor_net_def){
        .kind = MYR_MOTOR_NET_MLP, .n_history = 1, .position_scale = 1.0, .velocity_scale = 1.0, .torque_scale = 1.0};
}

/* ---- checks -------------------------------------------------------------------------------------- */

typedef struct checking {
    const char *label;
    myr_status status; /* with which it refuses */
    const myr_motor_net_def *def;
} checking;

static myr_status check_sizes(const checking *c) {
    const myr_motor_net_def *d = c->def;
    if (d->kind != MYR_MOTOR_NET_MLP && d->kind != MYR_MOTOR_NET_LSTM)
        return myr_fail(c->status, "%s: `kind` is %d, but nets are net_mlp and net_lstm", c->label, (int)d->kind);
    if (d->n_layers < 1 || d->n_layers > MYR_MOTOR_NET_LAYERS)
        return myr_fail(c->status, "%s: it has %d layers before the last one, but must have 1 to %d", c->label, d->n_layers,
                        MYR_MOTOR_NET_LAYERS);
    for (int l = 0; l < d->n_layers; l++)
        if (d->units[l] < 1 || d->units[l] > MYR_MOTOR_NET_UNITS)
            return myr_fail(c->status, "%s: units[%d] is %d, but must be 1 to %d", c->label, l, d->units[l], MYR_MOTOR_NET_UNITS);
    if ((int)d->activation < 0 || d->activation >= MYR_NET_ACTIVATIONS)
        return myr_fail(c->status, "%s: `activation` is %d, which does not exist", c->label, (int)d->activation);
    if (d->kind == MYR_MOTOR_NET_LSTM && d->activation != MYR_NET_TANH)
        return myr_fail(c->status, "%s: `activation` is given, but a net_lstm has its own", c->label);
    if (d->n_history < 1 || d->n_history > MYR_MOTOR_NET_HISTORY)
        return myr_fail(c->status, "%s: it looks at %d readings, but must look at 1 to %d", c->label, d->n_history, MYR_MOTOR_NET_HISTORY);
    for (int i = 0; i < d->n_history; i++)
        if (d->history[i] < 0 || d->history[i] > MYR_MOTOR_NET_BACK)
            return myr_fail(c->status, "%s: history[%d] is %d, but must be 0 to %d", c->label, i, d->history[i], MYR_MOTOR_NET_BACK);
    const double scales[] = {d->position_scale, d->velocity_scale, d->torque_scale};
    static const char *const words[] = {"position_scale", "velocity_scale", "torque_scale"};
    for (int i = 0; i < 3; i++)
        if (!(fabs(scales[i]) <= most))
            return myr_fail(c->status, "%s: `%s` is %g, but must be a number of at most %g", c->label, words[i], scales[i], most);
    return MYR_OK;
}

static myr_status check_array(const checking *c, const char *what, int layer, const double *numbers, int rows, int columns) {
    if (!numbers) return myr_fail(c->status, "%s: %s[%d] is NULL", c->label, what, layer);
    for (int i = 0; i < rows * columns; i++) {
        if (fabs(numbers[i]) <= most) continue;
        char place[32] = "";
        if (columns > 1) snprintf(place, sizeof place, "[%d]", i % columns);
        return myr_fail(c->status, "%s: %s[%d][%d]%s is %g, but must be a number of at most %g", c->label, what, layer, i / columns, place,
                        numbers[i], most);
    }
    return MYR_OK;
}

static myr_status check(const checking *c) {
    const myr_motor_net_def *d = c->def;
    myr_status status = check_sizes(c);
    for (int l = 0; l <= d->n_layers && !status; l++) {
        const int rows = myr_motor_net_rows(d, l);
        status = check_array(c, "weights", l, d->weights[l], rows, myr_motor_net_columns(d, l));
        if (!status) status = check_array(c, "biases", l, d->biases[l], rows, 1);
        if (l == d->n_layers || status) break;
        if (d->kind == MYR_MOTOR_NET_LSTM)
            status = check_array(c, "recurrent", l, d->recurrent[l], rows, d->units[l]);
        else if (d->recurrent[l])
            status = myr_fail(c->status, "%s: recurrent[%d] is given, but a net_mlp remembers nothing", c->label, l);
    }
    return status;
}

/* ---- making -------------------------------------------------------------------------------------- */

static const double *copy_array(double **cursor, const double *from, int count) {
    double *to = *cursor;
    memcpy(to, from, (size_t)count * sizeof *to);
    *cursor += count;
    return to;
}

/* Row r of block b of layer l, as the def has it; -1: it fills the block up. */
static int row_of(const myr_motor_net_def *d, int l, int b, int r) {
    if (d->kind == MYR_MOTOR_NET_MLP) return MYR_MOTOR_NET_BLOCK * b + r < d->units[l] ? MYR_MOTOR_NET_BLOCK * b + r : -1;
    const int unit = 2 * b + r / 4, gate = r % 4;
    return unit < d->units[l] ? gate * d->units[l] + unit : -1;
}

static int blocks_of(const myr_motor_net_def *d, int l) {
    const int per = d->kind == MYR_MOTOR_NET_LSTM ? 2 : MYR_MOTOR_NET_BLOCK;
    return (d->units[l] + per - 1) / per;
}

/* Weights in the lanes' order; NULL: their count alone. */
static size_t lay(const myr_motor_net_def *d, double *to) {
    size_t n = 0;
    for (int l = 0; l < d->n_layers; l++) {
        const int columns = myr_motor_net_columns(d, l), remembered = d->kind == MYR_MOTOR_NET_LSTM ? d->units[l] : 0;
        for (int b = 0; b < blocks_of(d, l); b++)
            for (int k = -1; k < columns + remembered; k++)
                for (int r = 0; r < MYR_MOTOR_NET_BLOCK; r++, n++) {
                    const int row = row_of(d, l, b, r);
                    if (!to || row < 0) continue;
                    to[n] = k < 0         ? d->biases[l][row]
                            : k < columns ? d->weights[l][row * columns + k]
                                          : d->recurrent[l][row * remembered + k - columns];
                }
    }
    for (int k = -1; k < myr_motor_net_columns(d, d->n_layers); k++, n++)
        if (to) to[n] = k < 0 ? d->biases[d->n_layers][0] : d->weights[d->n_layers][k];
    return n;
}

static void add(uint64_t *hash, const void *data, size_t bytes) {
    const unsigned char *byte = data;
    for (size_t i = 0; i < bytes; i++) *hash = (*hash ^ byte[i]) * UINT64_C(0x100000001b3);
}

static void find_hash(myr_motor_net *net, size_t n_numbers) {
    const myr_motor_net_def *d = &net->def;
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    const int64_t sizes[] = {(int64_t)d->kind, d->n_layers, (int64_t)d->activation, d->n_history};
    const double scales[] = {d->position_scale, d->velocity_scale, d->torque_scale};
    add(&hash, sizes, sizeof sizes);
    add(&hash, d->units, (size_t)d->n_layers * sizeof *d->units);
    add(&hash, d->history, (size_t)d->n_history * sizeof *d->history);
    add(&hash, scales, sizeof scales);
    add(&hash, net->numbers, n_numbers * sizeof *net->numbers);
    net->hash = hash;
}

static void find_states(myr_motor_net *net) {
    const myr_motor_net_def *d = &net->def;
    for (int i = 0; i < d->n_history; i++)
        if (d->history[i] > net->back) net->back = d->history[i];
    net->n_states = net->n_readings = net->back ? 1 + 2 * net->back : 0;
    for (int l = 0; l < d->n_layers && d->kind == MYR_MOTOR_NET_LSTM; l++) net->n_states += 2 * d->units[l];
}

/* Arrays of `from`, whose other members `to` has. */
static size_t take_arrays(myr_motor_net_def *to, const myr_motor_net_def *from, double *numbers) {
    double *cursor = numbers;
    for (int l = 0; l <= to->n_layers; l++) {
        const int rows = myr_motor_net_rows(to, l), remembers = to->kind == MYR_MOTOR_NET_LSTM && l < to->n_layers;
        to->weights[l] = copy_array(&cursor, from->weights[l], rows * myr_motor_net_columns(to, l));
        if (remembers) to->recurrent[l] = copy_array(&cursor, from->recurrent[l], rows * to->units[l]);
        to->biases[l] = copy_array(&cursor, from->biases[l], rows);
    }
    return (size_t)(cursor - numbers);
}

/* What is beyond its counts is 0. */
static void take_sizes(myr_motor_net_def *to, const myr_motor_net_def *from) {
    *to = (myr_motor_net_def){.kind = from->kind,
                              .n_layers = from->n_layers,
                              .activation = from->activation,
                              .n_history = from->n_history,
                              .position_scale = from->position_scale,
                              .velocity_scale = from->velocity_scale,
                              .torque_scale = from->torque_scale};
    memcpy(to->units, from->units, (size_t)from->n_layers * sizeof *to->units);
    memcpy(to->history, from->history, (size_t)from->n_history * sizeof *to->history);
}

myr_status myr_motor_net_make(const char *label, int is_file, const myr_motor_net_def *def, myr_motor_net **out) {
    const checking c = {label, is_file ? MYR_E_FORMAT : MYR_E_ARG, def};
    const myr_status status = check(&c);
    if (status) return status;
    size_t n = 0;
    for (int l = 0; l <= def->n_layers; l++) {
        const int remembered = def->kind == MYR_MOTOR_NET_LSTM && l < def->n_layers ? def->units[l] : 0;
        n += (size_t)myr_motor_net_rows(def, l) * (size_t)(myr_motor_net_columns(def, l) + remembered + 1);
    }
    myr_motor_net *net = myr_allocate_array(1, sizeof *net);
    if (!net) return myr_fail(MYR_E_MEMORY, "%s: out of memory", label);
    atomic_init(&net->references, 1);
    net->n_blocks = lay(def, NULL);
    net->numbers = myr_allocate_array(n, sizeof *net->numbers);
    net->blocks_f64 = myr_allocate(net->n_blocks * sizeof *net->blocks_f64, 64);
    net->blocks_f32 = myr_allocate(net->n_blocks * sizeof *net->blocks_f32, 64);
    if (!net->numbers || !net->blocks_f64 || !net->blocks_f32) {
        myr_motor_net_free(net);
        return myr_fail(MYR_E_MEMORY, "%s: out of memory for %zu numbers", label, n);
    }
    take_sizes(&net->def, def);
    take_arrays(&net->def, def, net->numbers);
    lay(&net->def, net->blocks_f64);
    for (size_t i = 0; i < net->n_blocks; i++) net->blocks_f32[i] = (float)net->blocks_f64[i];
    find_states(net);
    find_hash(net, n);
    *out = net;
    return MYR_OK;
}

myr_status myr_motor_net_create(const myr_motor_net_def *def, myr_motor_net **out) {
    MYR_OWN_ARITHMETIC;
    if (out) *out = NULL;
    if (!def || !out) return myr_fail(MYR_E_ARG, "myr_motor_net_create: `%s` is NULL", def ? "out" : "def");
    return myr_motor_net_make("motor net", 0, def, out);
}

myr_motor_net *myr_motor_net_retain(const myr_motor_net *net) {
    myr_motor_net *shared = (myr_motor_net *)net; /* the count is the one thing in a net that changes */
    if (shared) atomic_fetch_add_explicit(&shared->references, 1, memory_order_relaxed);
    return shared;
}

void myr_motor_net_free(myr_motor_net *net) {
    if (!net || atomic_fetch_sub_explicit(&net->references, 1, memory_order_acq_rel) != 1) return;
    myr_release(net->numbers), myr_release(net->blocks_f64), myr_release(net->blocks_f32);
    myr_release(net);
}

void myr_motor_net_get(const myr_motor_net *net, myr_motor_net_def *def) {
    if (def) *def = net ? net->def : (myr_motor_net_def){0};
}

uint64_t myr_motor_net_hash(const myr_motor_net *net) { return net ? net->hash : 0; }
int myr_motor_net_states(const myr_motor_net *net) { return net ? net->n_states : 0; }

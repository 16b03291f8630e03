/* Motors that are networks, against scalar doubles written down here: perceptrons of each activation and LSTMs of several sizes, late, slow
 * and with limits that fall with the speed, on every instruction set, at the edges of tiles; states that are saved, reset, and left alone
 * by a step that fails; who holds a net. ctest: lanes */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/failing_memory.h"
#include "support/isas.h"
#include "support/motor_scene.h"
#include "model/motor_net.h"

enum { MOTORS = 7, MOST_ENVS = MOTOR_ENVS, STEPS = 30, MOST_UNITS = 24, MOST_STATES = 512 };
static const double dt = motor_dt, mass = motor_mass;

/* ---- nets ---------------------------------------------------------------------------------------- */

static const myr_motor_net_def sizes[] = {
    {MYR_MOTOR_NET_MLP, 2, {19, 9}, MYR_NET_TANH, 3, {0, 1, 2}, -1, 0.2, 9, {0}, {0}, {0}},
    {MYR_MOTOR_NET_MLP, 1, {7}, MYR_NET_ELU, 2, {4, 0}, 3, 0.1, 1, {0}, {0}, {0}},
    {MYR_MOTOR_NET_MLP, 4, {8, 3, 24, 1}, MYR_NET_RELU, 1, {0}, 5, -1, 2, {0}, {0}, {0}},
    {MYR_MOTOR_NET_MLP, 2, {5, 16}, MYR_NET_SOFTSIGN, 1, {1}, 8, 0.3, -20, {0}, {0}, {0}},
    {MYR_MOTOR_NET_LSTM, 2, {8, 8}, MYR_NET_TANH, 1, {0}, 5, 0.3, 20, {0}, {0}, {0}},
    {MYR_MOTOR_NET_LSTM, 3, {5, 1, 6}, MYR_NET_TANH, 2, {0, 2}, 2, 0.5, 40, {0}, {0}, {0}},
};
enum { NETS = sizeof sizes / sizeof *sizes };

/* The motors are of nets 0 .. 5, and the last one of net 4 again. */
static int net_of(int u) { return u < NETS ? u : 4; }

static double *numbers(int *place, int count, double size) {
    double *to = calloc((size_t)count, sizeof *to);
    assert_non_null(to);
    for (int i = 0; i < count; i++) to[i] = size * motor_some((*place)++ * 7 + 3);
    return to;
}

static myr_motor_net_def def_of(int i) {
    static myr_motor_net_def made[NETS];
    myr_motor_net_def *d = &made[i];
    if (d->n_layers) return *d;
    *d = sizes[i];
    int place = 1000 * i;
    for (int l = 0; l <= d->n_layers; l++) {
        const int rows = myr_motor_net_rows(d, l);
        d->weights[l] = numbers(&place, rows * myr_motor_net_columns(d, l), 0.8);
        d->biases[l] = numbers(&place, rows, 0.4);
        if (l < d->n_layers && d->kind == MYR_MOTOR_NET_LSTM) d->recurrent[l] = numbers(&place, rows * d->units[l], 0.6);
    }
    return *d;
}

static myr_motor motor_of(int u) {
    myr_motor m = myr_motor_default();
    m.kind = sizes[net_of(u)].kind;
    if (u == 3) m.delay_min = m.delay_max = 3, m.parameters[0] = 9, m.parameters[1] = 2;
    if (u == 5) m.lag = MYR_LAG_EXACT, m.lag_s = 0.02;
    if (u == 6) m.parameters[0] = 5, m.parameters[1] = 1.5;
    return m;
}

/* Nets are given up before the model is compiled. */
static myr_model *sliders(void) {
    myr_builder *builder = motor_sliders(MOTORS);
    myr_model *model;
    myr_motor_net *nets[NETS];
    for (int i = 0; i < NETS; i++) {
        const myr_motor_net_def d = def_of(i);
        MUST(myr_motor_net_create(&d, &nets[i]));
    }
    for (int u = 0; u < MOTORS; u++) {
        myr_actuator_def def = myr_actuator_def_default();
        def.joints[0] = u, def.lower = -12, def.upper = 12, def.motor = motor_of(u), def.motor.net = nets[net_of(u)];
        MUST(myr_builder_actuator(builder, &def));
    }
    for (int i = 0; i < NETS; i++) myr_motor_net_free(nets[i]);
    MUST(myr_builder_compile(builder, &model));
    myr_builder_free(builder);
    return model;
}

static double target_of(int env, int u, int step) { return 0.4 * motor_some(97 * env + 13 * u + 5 * step); }
static double torque_of(int env, int u, int step) { return motor_some(41 * env + 7 * u + 3 * step + 1); }

/* ---- by hand ------------------------------------------------------------------------------------- */

typedef struct by_hand {
    double q, v, x, given[STEPS], read[2][STEPS], h[MYR_MOTOR_NET_LAYERS][MOST_UNITS], c[MYR_MOTOR_NET_LAYERS][MOST_UNITS];
} by_hand;

static double bend(double x, myr_net_activation kind) {
    switch (kind) {
    case MYR_NET_ELU: return x > 0 ? x : expm1(x);
    case MYR_NET_SOFTSIGN: return x / (1 + fabs(x));
    case MYR_NET_RELU: return fmax(x, 0);
    default: return tanh(x);
    }
}
static double sigmoid(double x) { return 1 / (1 + exp(-x)); }

static double row(const double *weights, int r, const double *x, int n) {
    double sum = 0;
    for (int k = 0; k < n; k++) sum += weights[r * n + k] * x[k];
    return sum;
}

static double net_by_hand(by_hand *h, const myr_motor_net_def *d, int step) {
    double x[4 * MOST_UNITS], y[4 * MOST_UNITS];
    int n = 2 * d->n_history;
    for (int kind = 0; kind < 2; kind++)
        for (int i = 0; i < d->n_history; i++) {
            const int at = step - d->history[i];
            x[kind * d->n_history + i] = (kind ? d->velocity_scale : d->position_scale) * h->read[kind][at < 0 ? 0 : at];
        }
    for (int l = 0; l < d->n_layers; l++) {
        const int units = d->units[l], is_lstm = d->kind == MYR_MOTOR_NET_LSTM;
        for (int r = 0; r < (is_lstm ? 4 : 1) * units; r++) {
            y[r] = d->biases[l][r] + row(d->weights[l], r, x, n);
            if (is_lstm) y[r] += row(d->recurrent[l], r, h->h[l], units);
        }
        for (int u = 0; u < units; u++) {
            if (is_lstm) {
                h->c[l][u] = sigmoid(y[units + u]) * h->c[l][u] + sigmoid(y[u]) * tanh(y[2 * units + u]);
                x[u] = h->h[l][u] = sigmoid(y[3 * units + u]) * tanh(h->c[l][u]);
            } else
                x[u] = bend(y[u], d->activation);
        }
        n = units;
    }
    return d->torque_scale * (row(d->weights[d->n_layers], 0, x, n) + d->biases[d->n_layers][0]);
}

static void step_by_hand(by_hand *h, int env, int u, int step) {
    const myr_motor_net_def d = def_of(net_of(u));
    const myr_motor m = motor_of(u);
    const double s = motor_strength(env, u);
    double upper = 12 * s, lower = -12 * s;
    h->given[step] = target_of(env, u, step);
    double target = h->given[step < m.delay_max ? 0 : step - m.delay_max];
    if (m.lag) target = h->x += (1 - exp(-dt / m.lag_s)) * (target - h->x);
    h->read[0][step] = target - h->q - motor_bias(env, u), h->read[1][step] = h->v;
    if (m.parameters[0] > 0) {
        const double stall = s * m.parameters[0], speed = m.parameters[1], most = speed * (1 + upper / stall);
        const double rate = fmax(fmin(h->v, most), -most);
        upper = fmin(upper, stall * (1 - rate / speed)), lower = fmax(lower, -stall * (1 + rate / speed));
    }
    const double force = s * net_by_hand(h, &d, step) + torque_of(env, u, step);
    h->v += dt * fmin(upper, fmax(lower, force)) / mass;
    h->q += dt * h->v;
}

/* ---- in lanes ------------------------------------------------------------------------------------ */

static uint64_t follow(const myr_model *model, int n, const char *isa, const char *precision) {
    const double tolerance = strcmp(precision, "f64") ? 3e-5 : 1e-12;
    myr_batch *batch = motor_batch(model, MOTORS, n, isa, precision);
    static by_hand hands[MOST_ENVS][MOTORS];
    double q[MOST_ENVS * MOTORS], v[MOST_ENVS * MOTORS], moved = 0;
    memset(hands, 0, sizeof hands);
    for (int step = 0; step < STEPS; step++) {
        motor_set_controls(batch, MOTORS, n, step, target_of, torque_of);
        MUST(myr_batch_step(batch, 1));
        MUST(myr_batch_get(batch, MYR_Q, NULL, n, MYR_F64, q));
        MUST(myr_batch_get(batch, MYR_V, NULL, n, MYR_F64, v));
        for (int i = 0; i < n * MOTORS; i++) {
            by_hand *h = &hands[i / MOTORS][i % MOTORS];
            step_by_hand(h, i / MOTORS, i % MOTORS, step);
            if (!(fabs(v[i] - h->v) < tolerance * (1 + fabs(h->v)) && fabs(q[i] - h->q) < tolerance))
                fail_msg("%s, %s, robot %d of %d, motor %d, step %d: v %.12g, by hand %.12g; q %.12g, %.12g", isa, precision, i / MOTORS, n,
                         i % MOTORS, step, v[i], h->v, q[i], h->q);
            h->q = q[i], h->v = v[i]; /* roundings of a float near a limit's corner do not add up */
            moved = fmax(moved, fabs(h->v));
        }
    }
    assert_true(moved > 0.5);
    const uint64_t hash = myr_batch_hash(batch);
    myr_batch_free(batch);
    return hash;
}

static void lanes_follow_the_nets(void **state) {
    (void)state;
    static const char *const precisions[] = {"f64", "f32"};
    static const int counts[] = {1, 7, 8, 9, 15, 16, 17, 33};
    myr_model *model = sliders();
    for (int p = 0; p < 2; p++)
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
            for (int i = 0; isa_at(i); i++) {
                static uint64_t first;
                const uint64_t hash = follow(model, counts[c], isa_at(i), precisions[p]);
                if (!i) first = hash;
                if (hash != first) fail_msg("%s, %s, %d robots: other bits", isa_at(i), precisions[p], counts[c]);
            }
    myr_model_free(model);
}

/* A robot that was reset while others go on moves as in a new batch. */
static void begins_anew(const myr_model *model, myr_batch *batch, int n, int64_t robot) {
    myr_batch *fresh = motor_batch(model, MOTORS, n, "auto", "f32");
    double a[MOTORS], b[MOTORS];
    for (int step = 0; step < 9; step++) {
        motor_set_controls(batch, MOTORS, n, step, target_of, torque_of), motor_set_controls(fresh, MOTORS, n, step, target_of, torque_of);
        MUST(myr_batch_step(batch, 1));
        MUST(myr_batch_step(fresh, 1));
        MUST(myr_batch_get(batch, MYR_Q, &robot, 1, MYR_F64, a));
        MUST(myr_batch_get(fresh, MYR_Q, &robot, 1, MYR_F64, b));
        assert_memory_equal(a, b, sizeof a);
    }
    myr_batch_free(fresh);
}

/* What nets keep is state: a batch that is saved in the middle goes on as it would have, a neighbour in quarantine changes nothing, and
 * what a step left that ended in quarantine is what was there before it. */
static void memories_are_state(void **state) {
    (void)state;
    enum { N = 19 };
    char path[64];
    snprintf(path, sizeof path, "motor-nets-%ld.bin", (long)getpid());
    myr_model *model = sliders();
    myr_batch *one = motor_batch(model, MOTORS, N, "auto", "f32"), *other = motor_batch(model, MOTORS, N, "auto", "f32");
    for (int step = 0; step < 9; step++) {
        motor_set_controls(one, MOTORS, N, step, target_of, torque_of);
        MUST(myr_batch_step(one, 1));
    }
    MUST(myr_batch_save(one, path));
    MUST(myr_batch_restore(other, path));
    remove(path);
    const int64_t sick = 3;
    double before[MOST_STATES], after[MOST_STATES];
    int states = 0;
    for (int u = 0; u < MOTORS; u++) {
        const myr_motor m = motor_of(u);
        myr_actuator_info info;
        MUST(myr_model_get_actuator(model, u, &info));
        states += myr_motor_net_states(info.motor.net) + (m.delay_max ? m.delay_max + 2 : 0) + (m.lag != MYR_LAG_NONE);
    }
    assert_in_range(states, 100, MOST_STATES);
    MUST(myr_batch_get(other, MYR_ACTIVATION, &sick, 1, MYR_F64, before));
    const double wrong[MOTORS] = {0, NAN, 0, 0, 0.1, NAN, 0}; /* a NaN as target passes every bend */
    for (int step = 9; step < STEPS; step++) {
        motor_set_controls(one, MOTORS, N, step, target_of, torque_of), motor_set_controls(other, MOTORS, N, step, target_of, torque_of);
        MUST(myr_batch_set(other, MYR_TARGET, &sick, 1, MYR_F64, wrong));
        MUST(myr_batch_step(one, 1));
        MUST(myr_batch_step(other, 1));
    }
    myr_stats stats;
    myr_batch_stats(other, &stats);
    assert_int_equal(stats.quarantined, 1);
    MUST(myr_batch_get(other, MYR_ACTIVATION, &sick, 1, MYR_F64, after));
    assert_memory_equal(before, after, (size_t)states * sizeof *before);
    double a[N * MOTORS], b[N * MOTORS];
    MUST(myr_batch_get(one, MYR_Q, NULL, N, MYR_F64, a));
    MUST(myr_batch_get(other, MYR_Q, NULL, N, MYR_F64, b));
    for (int i = 0; i < N * MOTORS; i++)
        if (i / MOTORS != sick) assert_true(a[i] == b[i]);
    uint8_t again[N] = {0};
    again[sick] = 1;
    MUST(myr_batch_reset(other, again));
    MUST(myr_batch_get(other, MYR_ACTIVATION, &sick, 1, MYR_F64, after));
    for (int i = 0; i < states; i++)
        if (after[i] != 0) assert_true(after[i] == 3); /* the delay of motor 3 */
    begins_anew(model, other, N, sick);
    myr_batch_free(one);
    myr_batch_free(other);
    myr_model_free(model);
}

/* Another number is another net, and another model; nets go from model to model. */
static void nets_are_held_and_told(void **state) {
    (void)state;
    myr_model *model = sliders(), *both;
    myr_builder *builder;
    myr_placement place = myr_placement_default();
    myr_motor_net *net, *other;
    myr_motor_net_def d = def_of(4), got;
    MUST(myr_motor_net_create(&d, &net));
    double biases[4 * MOST_UNITS];
    memcpy(biases, d.biases[1], 32 * sizeof *biases);
    biases[31] += 1e-9, d.biases[1] = biases;
    MUST(myr_motor_net_create(&d, &other));
    assert_true(myr_motor_net_hash(net) != myr_motor_net_hash(other));
    myr_motor_net_get(other, &got);
    assert_true(got.biases[1][31] == biases[31] && got.biases[1] != biases && got.units[1] == 8 && !got.units[2]);
    MUST(myr_builder_create("two", &builder));
    MUST(myr_builder_add_model(builder, model, NULL));
    place.prefix = "second/";
    MUST(myr_builder_add_model(builder, model, &place));
    MUST_FAIL(myr_builder_add_model(builder, model, &place), MYR_E_ARG, "second/");
    myr_model_free(model);
    myr_motor motor = motor_of(4);
    motor.net = other;
    MUST(myr_builder_motor(builder, "second/j4", &motor));
    motor.net = net; /* twice the same: its place is given up and taken again */
    for (int i = 0; i < 2; i++) MUST(myr_builder_motor(builder, "j4", &motor));
    MUST(myr_builder_compile(builder, &both));
    const uint64_t hash = myr_model_hash(both);
    for (int u = 0; u < 2 * MOTORS; u++) {
        myr_actuator_info info;
        MUST(myr_model_get_actuator(both, u, &info));
        const myr_motor_net *wanted = u == 4 ? net : u == MOTORS + 4 ? other : NULL;
        if (wanted) assert_ptr_equal(info.motor.net, wanted);
        assert_int_equal(info.motor.kind, sizes[net_of(u % MOTORS)].kind);
    }
    myr_model_free(both);
    MUST(myr_builder_motor(builder, "second/j4", &motor));
    MUST(myr_builder_compile(builder, &both));
    assert_true(myr_model_hash(both) != hash);
    myr_builder_free(builder);
    myr_motor_net_free(net), myr_motor_net_free(other), myr_motor_net_free(NULL);
    myr_model_free(both);
}

/* A net of a text, behind joints of a model that is put into another one twice, once behind another net. */
static myr_status use_net(void) {
    static const char text[] =
        "{\"myriapod_motor_net\": 1, \"kind\": \"net_mlp\", \"weights\": [[[1, 2], [3, 4]], [[1, 0]]], \"biases\": [[0, 1], [0]]}";
    static const double zeros[2];
    const myr_motor_net_def d = {MYR_MOTOR_NET_MLP, 1, {1}, MYR_NET_ELU, 1, {0}, 1, 1, 1, {zeros, zeros}, {0}, {zeros, zeros}};
    myr_motor_net *net = NULL, *other = NULL;
    myr_builder *builder = NULL, *both = NULL;
    myr_model *model = NULL, *out = NULL;
    myr_motor motor = myr_motor_default();
    myr_body_def body = myr_body_def_default();
    myr_placement place = myr_placement_default();
    body.name = "a", body.joint = MYR_JOINT_REVOLUTE, body.mass_kg = 1;
    body.inertia_kgm2[0] = body.inertia_kgm2[1] = body.inertia_kgm2[2] = 0.01;
    myr_status status = myr_motor_net_parse("text", text, sizeof text - 1, &net);
    if (!status) status = myr_motor_net_create(&d, &other);
    if (!status) status = myr_builder_create("one", &builder);
    if (!status) status = myr_builder_body(builder, &body, NULL);
    motor.kind = MYR_MOTOR_NET_MLP, motor.net = net;
    if (!status) status = myr_builder_motor(builder, "*", &motor);
    if (!status) status = myr_builder_compile(builder, &model);
    if (!status) status = myr_builder_create("both", &both);
    for (int i = 0; i < 2 && !status; i++) place.prefix = i ? "b/" : "a/", status = myr_builder_add_model(both, model, &place);
    motor.net = other;
    if (!status) status = myr_builder_motor(both, "b/*", &motor);
    if (!status) status = myr_builder_compile(both, &out);
    myr_motor_net_free(net), myr_motor_net_free(other), myr_builder_free(builder), myr_model_free(model), myr_builder_free(both);
    myr_model_free(out);
    return status;
}

static void memory_may_run_out_anywhere(void **state) {
    (void)state;
    ledger l = {0, 0, 1};
    const myr_allocator counting = {count_allocation, count_release, &l};
    myr_set_allocator(&counting);
    myr_status status = MYR_E_MEMORY;
    int failures = -1;
    for (; status == MYR_E_MEMORY; l.fails_at++, failures++) {
        l.calls = 0;
        status = use_net();
        if (l.live) break;
    }
    myr_set_allocator(NULL);
    if (status != MYR_OK || l.live) fail_msg("allocation %d: %d pieces stay, %s", l.fails_at, l.live, myr_message());
    assert_true(failures > 40);
}

static void nonsense_is_refused(void **state) {
    (void)state;
    myr_motor_net *net = NULL;
    double sick[4 * MOST_UNITS * MOST_UNITS] = {0};
    sick[17] = NAN;
    for (int k = 0; k < 15; k++) {
        myr_motor_net_def d = def_of(k == 13 || k == 14 ? 4 : 0);
        const char *words = "";
        switch (k) {
        case 0: d.kind = MYR_MOTOR_DC, words = "nets are net_mlp and net_lstm"; break;
        case 1: d.n_layers = 0, words = "0 layers before the last one"; break;
        case 2: d.n_layers = MYR_MOTOR_NET_LAYERS + 1, words = "5 layers before the last one"; break;
        case 3: d.units[1] = 0, words = "units[1] is 0"; break;
        case 4: d.units[0] = MYR_MOTOR_NET_UNITS + 1, words = "units[0] is 129"; break;
        case 5: d.activation = MYR_NET_ACTIVATIONS, words = "`activation` is 4"; break;
        case 6: d.n_history = 0, words = "looks at 0 readings"; break;
        case 7: d.n_history = MYR_MOTOR_NET_HISTORY + 1, words = "looks at 17 readings"; break;
        case 8: d.history[2] = MYR_MOTOR_NET_BACK + 1, words = "history[2] is 65"; break;
        case 9: d.velocity_scale = INFINITY, words = "`velocity_scale` is inf"; break;
        case 10: d.weights[1] = sick, words = "weights[1][0][17] is nan"; break;
        case 11: d.biases[0] = sick, words = "biases[0][17] is nan"; break;
        case 12: d.recurrent[1] = sick, words = "a net_mlp remembers nothing"; break;
        case 13: d.recurrent[1] = NULL, words = "recurrent[1] is NULL"; break;
        default: d.recurrent[1] = sick, words = "recurrent[1][2][1] is nan"; break;
        }
        MUST_FAIL(myr_motor_net_create(&d, &net), MYR_E_ARG, words);
        assert_null(net);
    }
    MUST_FAIL(myr_motor_net_create(NULL, &net), MYR_E_ARG, "`def` is NULL");
    MUST_FAIL(myr_motor_net_read("no such net.json", &net), MYR_E_FILE, "no such net.json");
    assert_int_equal(myr_motor_net_states(NULL), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(lanes_follow_the_nets), cmocka_unit_test(memories_are_state),
                                       cmocka_unit_test(nets_are_held_and_told), cmocka_unit_test(memory_may_run_out_anywhere),
                                       cmocka_unit_test(nonsense_is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

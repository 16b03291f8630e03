/* ctest: lanes
 * The learner's lane code against scalar double references, at the edges: one sample, widths that are not a multiple of a register's; and
 * every instruction set against the first one, bit for bit. */
#include "support/batch_scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/isas.h"
#include "kernels/kernels.h"
#include "learn/learner.h"

static const int batches[] = {1, 2, 15, 16, 17, 31, 33, 63, MYR_NET_BLOCK};
static const int widths[][6] = {{1, 1}, {5, 7, 3}, {17, 33, 15, 2}, {48, 128, 64, 32, 12}, {31, 16, 16, 48, 17, 1}, {70, 512, 130}};
enum { SHAPES = 6, MOST = 300000 };
/* Networks whose first layer's last outputs see some numbers alone: a shape, how many do, which numbers. */
static const int encoders[][4] = {{2, 1, 16, 1}, {2, 17, 0, 1}, {3, 48, 5, 31}, {3, 112, 40, 8}, {5, 16, 1, 69}, {5, 496, 0, 69}};
enum { ENCODERS = 6 };

static uint64_t seed = 1;
static float random_number(void) { /* in (-1, 1) */
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (float)(int32_t)(seed >> 32) * 0x1p-31f;
}

/* encoder: of `encoders`, NULL: none. */
static myr_net net_of(const int *width, const int *encoder, myr_activation activation, size_t *count, size_t *turned) {
    myr_learn_options o = {.activation = activation, .observations = width[0]};
    if (encoder) o.encoder = encoder[1], o.encoder_from = encoder[2], o.encoder_inputs = encoder[3];
    int n = 0, last = 1;
    while (last + 1 < 6 && width[last + 1]) last++;
    for (int k = 1; k < last; k++) o.hidden[n++] = width[k];
    o.hidden_layers = n;
    myr_net net;
    *turned = 0;
    myr_net_lay(&net, &o, width[0], width[last], 0, turned);
    *count = net.end;
    return net;
}

/* What the options say, not what the pieces do. */
static int sees(const int *encoder, const myr_net_layer *l, int first, int input, int output) {
    if (!encoder || !first) return 1;
    return (output >= l->out - encoder[1]) == (input >= encoder[2] && input < encoder[2] + encoder[3]);
}

static double act(double x, myr_activation kind) {
    return kind == MYR_ACTIVATION_ELU ? (x > 0 ? x : expm1(x)) : kind == MYR_ACTIVATION_RELU ? fmax(x, 0) : tanh(x);
}
static double act_slope(double y, myr_activation kind) {
    return kind == MYR_ACTIVATION_ELU ? (y > 0 ? 1 : y + 1) : kind == MYR_ACTIVATION_RELU ? (y > 0 ? 1 : 0) : 1 - y * y;
}

/* ---- networks ------------------------------------------------------------------------------------------------------ */

typedef struct pass {
    float *parameters, *turned, *input, *gradient, *memory;
    myr_net_room room;
} pass;

static float *floats(size_t n) {
    float *p = calloc(n + 16, sizeof *p);
    assert_non_null(p);
    return p;
}

static pass open_pass(const myr_net *net, const int *encoder, int samples, size_t count, size_t turned) {
    pass p = {floats(count), floats(turned), floats((size_t)samples * (size_t)net->layer[0].in), floats(count), NULL, {.output = {0}}};
    for (int k = 0; k < net->layers; k++) {
        p.room.output[k] = floats(MYR_NET_BLOCK * (size_t)net->layer[k].wide),
        p.room.slope[k] = floats(MYR_NET_BLOCK * (size_t)net->layer[k].wide);
        const myr_net_layer *l = &net->layer[k];
        for (int i = 0; i < l->in; i++)
            for (int o = 0; o < l->out; o++)
                p.turned[l->turned + (size_t)(o * myr_net_wide(l->in) + i)] = p.parameters[l->weight + (size_t)(i * l->wide + o)] =
                    sees(encoder, l, k == 0, i, o) ? random_number() / (float)sqrt(l->in) : 0;
        for (int o = 0; o < l->out; o++) p.parameters[l->bias + (size_t)o] = random_number();
    }
    for (int i = 0; i < samples * net->layer[0].in; i++) p.input[i] = 2 * random_number();
    const myr_net_layer *end = &net->layer[net->layers - 1];
    for (int s = 0; s < samples; s++)
        for (int o = 0; o < end->out; o++) p.room.slope[net->layers - 1][s * end->wide + o] = random_number();
    return p;
}

static void close_pass(pass *p) {
    free(p->parameters), free(p->turned), free(p->input), free(p->gradient);
    for (int k = 0; k < MYR_NET_LAYERS; k++) free(p->room.output[k]), free(p->room.slope[k]);
}

/* Double precision: outputs of the last layer (samples x out), and the gradient, as the parameters lie. */
static void reference(const myr_net *net, const int *encoder, const pass *p, int samples, double *out, double *gradient) {
    double y[MYR_NET_LAYERS + 1][512], slope[512], before[512];
    const myr_net_layer *end = &net->layer[net->layers - 1];
    for (int s = 0; s < samples; s++) {
        for (int i = 0; i < net->layer[0].in; i++) y[0][i] = (double)p->input[s * net->layer[0].in + i];
        for (int k = 0; k < net->layers; k++) {
            const myr_net_layer *l = &net->layer[k];
            for (int o = 0; o < l->out; o++) {
                double sum = (double)p->parameters[l->bias + (size_t)o];
                for (int i = 0; i < l->in; i++) sum += y[k][i] * (double)p->parameters[l->weight + (size_t)(i * l->wide + o)];
                y[k + 1][o] = k + 1 < net->layers ? act(sum, net->activation) : sum;
            }
        }
        memcpy(out + s * end->out, y[net->layers], (size_t)end->out * sizeof *out);
        for (int o = 0; o < end->out; o++) slope[o] = (double)p->room.slope[net->layers - 1][s * end->wide + o];
        for (int k = net->layers - 1; k >= 0; k--) {
            const myr_net_layer *l = &net->layer[k];
            for (int i = 0; i < l->in; i++) before[i] = 0;
            for (int o = 0; o < l->out; o++) {
                gradient[l->bias + (size_t)o] += slope[o];
                for (int i = 0; i < l->in; i++) {
                    if (sees(encoder, l, k == 0, i, o)) gradient[l->weight + (size_t)(i * l->wide + o)] += slope[o] * y[k][i];
                    before[i] += slope[o] * (double)p->parameters[l->weight + (size_t)(i * l->wide + o)];
                }
            }
            for (int i = 0; i < l->in; i++) slope[i] = k ? before[i] * act_slope(y[k][i], net->activation) : 0;
        }
    }
}

/* Largest difference over the largest of the reference. */
static double off(const float *mine, const double *wanted, size_t n) {
    double largest = 1e-12, difference = 0;
    for (size_t i = 0; i < n; i++)
        largest = fmax(largest, fabs(wanted[i])), difference = fmax(difference, fabs((double)mine[i] - wanted[i]));
    return difference / largest;
}

static void one_net(const int *width, const int *encoder, int samples, myr_activation activation) {
    size_t count, turned;
    const myr_net net = net_of(width, encoder, activation, &count, &turned);
    const myr_net_layer *end = &net.layer[net.layers - 1];
    const uint64_t first_seed = seed;
    double *out = calloc((size_t)(samples * end->out), sizeof *out), *gradient = calloc(count, sizeof *gradient);
    float *first_gradient = NULL, *dense = floats((size_t)(samples * end->out)), *first_out = floats((size_t)(samples * end->out)),
          *again = floats(count);
    for (int k = 0; isa_at(k); k++) {
        const myr_learn_kernels *kernels = myr_learn_kernels_get(isa_at(k));
        if (!kernels) continue;
        seed = first_seed;
        pass p = open_pass(&net, encoder, samples, count, turned);
        if (!first_gradient) reference(&net, encoder, &p, samples, out, gradient);
        kernels->forward(&net, p.parameters, p.input, samples, &p.room);
        for (int s = 0; s < samples; s++)
            memcpy(dense + s * end->out, p.room.output[net.layers - 1] + s * end->wide, (size_t)end->out * sizeof *dense);
        kernels->backward(&net, p.turned, p.input, samples, &p.room, 0, p.gradient);
        const double forward = off(dense, out, (size_t)(samples * end->out)), backward = off(p.gradient, gradient, count);
        memset(again, 0xff, count * sizeof *again); /* a fresh gradient is the same, whatever lay there; then it is added to */
        for (int i = 0; i < net.layer[0].in; i++)   /* but for what no piece has */
            for (int o = 0; o < net.layer[0].wide; o++)
                if (!sees(encoder, &net.layer[0], 1, i, o)) again[net.layer[0].weight + (size_t)(i * net.layer[0].wide + o)] = 0;
        kernels->backward(&net, p.turned, p.input, samples, &p.room, 1, again);
        assert_memory_equal(again, p.gradient, count * sizeof *again);
        kernels->backward(&net, p.turned, p.input, samples, &p.room, 0, again);
        for (size_t i = 0; i < count; i++) again[i] *= 0.5f;
        const double twice = off(again, gradient, count);
        if (!(forward < 3e-6 && backward < 5e-6 && twice < 5e-6))
            fail_msg("%s, %d -> %d, %d layers, %d samples: outputs off by %.3g, gradient by %.3g, of two passes by %.3g", isa_at(k),
                     width[0], end->out, net.layers, samples, forward, backward, twice);
        if (first_gradient) {
            assert_memory_equal(first_gradient, p.gradient, count * sizeof(float));
            assert_memory_equal(first_out, dense, (size_t)(samples * end->out) * sizeof(float));
        } else {
            first_gradient = floats(count);
            memcpy(first_gradient, p.gradient, count * sizeof(float));
            memcpy(first_out, dense, (size_t)(samples * end->out) * sizeof(float));
        }
        close_pass(&p);
    }
    free(out), free(gradient), free(first_gradient), free(dense), free(first_out), free(again);
}

static void networks(void **state) {
    (void)state;
    for (int shape = 0; shape < SHAPES; shape++)
        for (size_t b = 0; b < sizeof batches / sizeof *batches; b++)
            for (int a = MYR_ACTIVATION_ELU; a <= MYR_ACTIVATION_TANH; a++) one_net(widths[shape], NULL, batches[b], (myr_activation)a);
    for (int e = 0; e < ENCODERS; e++)
        for (size_t b = 0; b < sizeof batches / sizeof *batches; b++)
            one_net(widths[encoders[e][0]], encoders[e], batches[b], MYR_ACTIVATION_ELU);
}

/* Large numbers, zeros and subnormals through the activations: a network of one layer of ones and a second. */
static void activations(void **state) {
    static const float xs[] = {0,  -0.0f, 1e-45f, -1e-45f, 1e-20f, -1e-20f, -1e-4f, -0.34f, -0.35f, -0.7f, -1,
                               -5, -20,   -88,    -1e4f,   -3e38f, 0.3f,    1,      9,      20,     3e38f};
    (void)state;
    for (int a = MYR_ACTIVATION_ELU; a <= MYR_ACTIVATION_TANH; a++)
        for (int k = 0; isa_at(k); k++) {
            const int width[6] = {1, 1, 1};
            size_t count, turned;
            const myr_net net = net_of(width, NULL, (myr_activation)a, &count, &turned);
            const myr_learn_kernels *kernels = myr_learn_kernels_get(isa_at(k));
            if (!kernels) continue;
            pass p = open_pass(&net, NULL, 21, count, turned);
            memset(p.parameters, 0, count * sizeof(float));
            p.parameters[net.layer[0].weight] = p.parameters[net.layer[1].weight] = 1;
            memcpy(p.input, xs, sizeof xs);
            kernels->forward(&net, p.parameters, p.input, 21, &p.room);
            for (int i = 0; i < 21; i++) {
                const double wanted = act((double)xs[i], (myr_activation)a), mine = (double)p.room.output[1][i * net.layer[1].wide];
                if (!(fabs(mine - wanted) <= 3e-7 * fabs(wanted)))
                    fail_msg("%s, activation %d of %g: %.9g, not %.9g", isa_at(k), a, (double)xs[i], mine, wanted);
            }
            close_pass(&p);
        }
}

/* ---- losses --------------------------------------------------------------------------------------------------------- */

typedef struct losses {
    float mean[96 * 32], value[96 * 16], mean_slope[96 * 32], value_slope[96 * 16], action[96 * 20], old_mean[96 * 20], advantage[96],
        old_value[96], wanted[96], deviation[20], old_deviation[20], deviation_slope[20 * 16], sums[48];
} losses;

static void fill_losses(losses *x, int samples, int actions, int wide) {
    memset(x, 0, sizeof *x);
    for (int k = 0; k < actions; k++) x->old_deviation[k] = 0.5f, x->deviation[k] = 0.5f + 0.02f * random_number();
    for (int s = 0; s < samples; s++) {
        x->advantage[s] = 2 * random_number(), x->old_value[s] = random_number();
        x->value[s * 16] = x->old_value[s] + 0.4f * random_number(), x->wanted[s] = 2 * random_number();
        /* of other bits than the old one: the way from there to it is rounded, and leads beside it */
        if (s % 2) x->old_value[s] *= 0.1f, x->value[s * 16] = 0.07f * random_number();
        for (int k = 0; k < actions; k++) {
            x->old_mean[s * actions + k] = random_number(), x->mean[s * wide + k] = x->old_mean[s * actions + k] + 0.1f * random_number();
            x->action[s * actions + k] = x->old_mean[s * actions + k] + random_number();
        }
    }
}

static myr_policy_loss policy_losses(losses *x, int samples, int actions, int wide) {
    double narrower = 0;
    for (int k = 0; k < actions; k++) narrower += log((double)x->old_deviation[k] / (double)x->deviation[k]);
    return (myr_policy_loss){.samples = samples,
                             .actions = actions,
                             .wide = wide,
                             .mean = x->mean,
                             .slope = x->mean_slope,
                             .action = x->action,
                             .old_mean = x->old_mean,
                             .advantage = x->advantage,
                             .deviation = x->deviation,
                             .old_deviation = x->old_deviation,
                             .log_narrower = (float)narrower,
                             .share = 1.0f / 128,
                             .clip = 0.2f,
                             .sum = x->sums,
                             .moved_sum = x->sums + 32,
                             .deviation_slope = x->deviation_slope};
}

static myr_value_loss value_losses(losses *x, int samples) {
    return (myr_value_loss){.samples = samples,
                            .wide = 16,
                            .value = x->value,
                            .slope = x->value_slope,
                            .old_value = x->old_value,
                            .wanted = x->wanted,
                            .share = 1.0f / 128,
                            .clip = 0.2f,
                            .weight = 0.7f,
                            .sum = x->sums + 16};
}

/* One sample in double: its losses and slopes against what the lanes gave; its deviations' slopes are added up. */
static void one_policy_loss(const myr_policy_loss *p, int s, double *surrogate, double *divergence, double *deviation_slope,
                            double *worst) {
    double ratio = (double)p->log_narrower, moved = 0, slope = 0;
    for (int k = 0; k < p->actions; k++) {
        const double sigma = (double)p->deviation[k], mean = (double)p->mean[s * p->wide + k],
                     old = (double)p->old_mean[s * p->actions + k];
        const double a = (double)p->action[s * p->actions + k], z = (a - mean) / sigma, old_z = (a - old) / (double)p->old_deviation[k];
        ratio += 0.5 * (old_z * old_z - z * z), moved += 0.5 * (old - mean) * (old - mean) / (sigma * sigma);
    }
    ratio = exp(ratio);
    const double advantage = (double)p->advantage[s], clip = (double)p->clip, bound = -advantage * fmin(fmax(ratio, 1 - clip), 1 + clip);
    *surrogate += fmax(-advantage * ratio, bound), *divergence += moved;
    slope = -advantage * ratio >= bound ? -advantage * ratio * (double)p->share : 0;
    for (int k = 0; k < p->actions; k++) {
        const double sigma = (double)p->deviation[k],
                     z = ((double)p->action[s * p->actions + k] - (double)p->mean[s * p->wide + k]) / sigma;
        deviation_slope[k] += slope * (z * z - 1) / sigma;
        *worst = fmax(*worst, fabs(slope * z / sigma - (double)p->slope[s * p->wide + k]) / (double)p->share);
    }
    for (int k = p->actions; k < p->wide; k++) *worst = fmax(*worst, fabs((double)p->slope[s * p->wide + k]));
}

static void one_value_loss(const myr_value_loss *v, int s, double *sum, double *worst) {
    const double value = (double)v->value[s * 16], old = (double)v->old_value[s], wanted = (double)v->wanted[s], clip = (double)v->clip;
    const double near = old + fmin(fmax(value - old, -clip), clip) - wanted, away = value - wanted;
    *sum += fmax(near * near, away * away);
    const double slope = away * away >= near * near || fabs(value - old) <= clip ? 2 * (double)v->weight * (double)v->share * away : 0;
    *worst = fmax(*worst, fabs(slope - (double)v->slope[s * 16]) / (double)v->share);
    for (int k = 1; k < 16; k++) *worst = fmax(*worst, fabs((double)v->slope[s * 16 + k]));
}

static void losses_are_right(void **state) {
    static losses x, first;
    static const int counts[] = {1, 12, 15, 16, 17, 20};
    (void)state;
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
        for (size_t n = 0; n < sizeof batches / sizeof *batches; n++) {
            const uint64_t first_seed = seed;
            int seen = 0;
            for (int k = 0; isa_at(k); k++) {
                const myr_learn_kernels *kernels = myr_learn_kernels_get(isa_at(k));
                if (!kernels) continue;
                seed = first_seed;
                const int actions = counts[c], samples = batches[n], wide = myr_net_wide(actions);
                fill_losses(&x, samples, actions, wide);
                const myr_policy_loss p = policy_losses(&x, samples, actions, wide);
                const myr_value_loss v = value_losses(&x, samples);
                kernels->policy_loss(&p), kernels->value_loss(&v);
                double sums[3] = {0}, deviation_slope[20] = {0}, worst = 0;
                for (int s = 0; s < samples; s++) {
                    one_policy_loss(&p, s, &sums[0], &sums[2], deviation_slope, &worst);
                    one_value_loss(&v, s, &sums[1], &worst);
                }
                for (int t = 0; t < 3; t++) {
                    double mine = 0;
                    for (int i = 0; i < 16; i++) mine += (double)x.sums[16 * t + i];
                    worst = fmax(worst, fabs(mine - sums[t]) / (1 + fabs(sums[t])));
                }
                for (int a = 0; a < actions; a++) {
                    double mine = 0;
                    for (int i = 0; i < 16; i++) mine += (double)x.deviation_slope[16 * a + i];
                    worst = fmax(worst, fabs(mine - deviation_slope[a]) / (double)p.share / samples);
                }
                if (!(worst < 3e-5)) fail_msg("%s, %d actions, %d samples: off by %.3g", isa_at(k), actions, samples, worst);
                if (!seen++)
                    first = x;
                else
                    assert_memory_equal(&first, &x, sizeof x);
            }
        }
}

/* ---- steps ---------------------------------------------------------------------------------------------------------- */

/* Sums of slots and Adam's step, number by number: against double, and the same bits on every instruction set. What lies behind stays. */
static void steps_are_right(void **state) {
    enum { STRIDE = 112, SLOTS = 5, STEPS = 3 };
    static const size_t counts[] = {16, 32, 48, 96};
    (void)state;
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        const size_t n = counts[c];
        const uint64_t first_seed = seed;
        float first[4][STRIDE];
        int seen = 0;
        for (int k = 0; isa_at(k); k++) {
            const myr_learn_kernels *kernels = myr_learn_kernels_get(isa_at(k));
            if (!kernels) continue;
            seed = first_seed;
            float slots[SLOTS * STRIDE], mine[4][STRIDE]; /* sum, mean, square, weights */
            double wanted[4][STRIDE];
            for (int i = 0; i < SLOTS * STRIDE; i++) slots[i] = random_number();
            for (size_t i = 0; i < STRIDE; i++) {
                const float mean = random_number(), square = random_number();
                mine[0][i] = 7, mine[1][i] = mean, mine[2][i] = square * square, mine[3][i] = random_number();
                for (int t = 0; t < 4; t++) wanted[t][i] = (double)mine[t][i];
            }
            memcpy(mine[0], slots, n * sizeof *slots);
            for (int s = 1; s < SLOTS; s++) kernels->add(n, slots + s * STRIDE, mine[0]);
            for (size_t i = 0; i < n; i++) {
                wanted[0][i] = 0;
                for (int s = 0; s < SLOTS; s++) wanted[0][i] += (double)slots[s * STRIDE + (int)i];
            }
            for (int t = 0; t < STEPS; t++) {
                const myr_adam adam = {0.3f, 0.9f, 0.1f, 0.999f, 0.001f, 0.01f * (float)(t + 1), 1.7f, 1e-8f};
                kernels->adam_step(&adam, n, mine[0], mine[1], mine[2], mine[3]);
                for (size_t i = 0; i < n; i++) {
                    const double g = (double)adam.scale * wanted[0][i];
                    wanted[1][i] = (double)adam.keep_mean * wanted[1][i] + (double)adam.new_mean * g;
                    wanted[2][i] = (double)adam.keep_square * wanted[2][i] + (double)adam.new_square * g * g;
                    wanted[3][i] -= (double)adam.step * wanted[1][i] / (sqrt(wanted[2][i]) * (double)adam.root + (double)adam.least);
                }
            }
            for (int t = 0; t < 4; t++)
                for (size_t i = 0; i < STRIDE; i++)
                    if (!(fabs((double)mine[t][i] - wanted[t][i]) <= (i < n ? 1e-6 : 0)))
                        fail_msg("%s, array %d, number %zu of %zu: %.9g, not %.9g", isa_at(k), t, i, n, (double)mine[t][i], wanted[t][i]);
            if (!seen++)
                memcpy(first, mine, sizeof first);
            else
                assert_memory_equal(first, mine, sizeof first);
        }
    }
}

/* ---- noise ------------------------------------------------------------------------------------------------------------ */

/* It is normal, an environment's own, and the same however the environments are cut. */
static void noise_is_normal(void **state) {
    enum { ENVS = 96, ACTIONS = 6, TIMES = 400 };
    static float mean[ENVS * 16], deviation[ACTIONS] = {0.5f, 1, 2, 0.1f, 1, 1}, whole[ENVS * ACTIONS], part[ENVS * ACTIONS],
                                  kept[ENVS * ACTIONS], other[ENVS * ACTIONS];
    (void)state;
    for (int i = 0; i < ENVS * 16; i++) mean[i] = i % 16 < ACTIONS ? random_number() : 0;
    for (int k = 0; isa_at(k); k++) {
        const myr_learn_kernels *kernels = myr_learn_kernels_get(isa_at(k)), *first = NULL;
        if (!kernels) continue;
        for (int j = 0; !first; j++) first = myr_learn_kernels_get(isa_at(j));
        double sum[4] = {0};
        for (uint64_t t = 0; t < TIMES; t++) {
            kernels->draw(ENVS, ACTIONS, mean, 16, deviation, 77, 1000, t, whole, kept);
            kernels->draw(37, ACTIONS, mean, 16, deviation, 77, 1000, t, part, kept);
            kernels->draw(ENVS - 37, ACTIONS, mean + 37 * 16, 16, deviation, 77, 1037, t, part + 37 * ACTIONS, kept + 37 * ACTIONS);
            assert_memory_equal(whole, part, sizeof whole);
            first->draw(ENVS, ACTIONS, mean, 16, deviation, 77, 1000, t, other, kept);
            assert_memory_equal(whole, other, sizeof whole);
            for (int i = 0; i < ENVS * ACTIONS; i++) {
                const int a = i % ACTIONS;
                assert_true(kept[i] == mean[i / ACTIONS * 16 + a]);
                const double z = ((double)whole[i] - (double)kept[i]) / (double)deviation[a];
                sum[0] += z, sum[1] += z * z, sum[2] += z * z * z, sum[3] += z * z * z * z;
            }
        }
        const double n = (double)ENVS * ACTIONS * TIMES; /* 230400: five deviations of each moment */
        assert_true(fabs(sum[0] / n) < 5 * sqrt(1 / n) && fabs(sum[1] / n - 1) < 5 * sqrt(2 / n));
        assert_true(fabs(sum[2] / n) < 5 * sqrt(15 / n) && fabs(sum[3] / n - 3) < 5 * sqrt(96 / n));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(networks), cmocka_unit_test(activations), cmocka_unit_test(losses_are_right),
                                       cmocka_unit_test(steps_are_right), cmocka_unit_test(noise_is_normal)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

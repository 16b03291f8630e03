/* What motors cost: one robot and task with pd, dc, delayed, lagging, net_mlp and net_lstm motors in one run, in turns; pd is 1.
 *
 *   motor_cost [robot=anymal] [task=trot] [envs=512] [rounds=12] [KEY=VALUE of the settings ..]
 *
 * The nets are as large as those in use: 2 inputs, two layers of 8 and one sum (ANYdrive), and 6 inputs, two layers of 32 and one sum
 * (Go1). Their weights are such that what comes out is kp error - kd rate, so that robots walk with each motor and contacts cost the same;
 * a factor of 0 is a product like any other. Each batch has stepped 400 steps of dt before it is timed. Of each the fastest of all rounds.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../tools/turns.h"

enum { MOTORS = 6, MLP = 32, LSTM = 8, GATES = 4 };
static const char *const names[MOTORS] = {"pd", "dc", "late 4 steps", "lag 5 ms", "net_mlp", "net_lstm"};
static const double small = 1e-4; /* so that bends are straight */

/* The first unit of each layer hands its input on, the others give 0. */
static myr_motor_net *mlp(double kp, double kd) {
    static double first[MLP * 6], second[MLP * MLP], last[MLP], biases[MLP];
    myr_motor_net *net;
    myr_motor_net_def d = myr_motor_net_def_default();
    d.n_layers = 2, d.units[0] = d.units[1] = MLP, d.activation = MYR_NET_SOFTSIGN;
    d.n_history = 3, d.history[1] = 1, d.history[2] = 2, d.torque_scale = 1 / small;
    first[0] = small * kp, first[3] = -small * kd, second[0] = last[0] = 1;
    d.weights[0] = first, d.weights[1] = second, d.weights[2] = last;
    for (int l = 0; l < 3; l++) d.biases[l] = biases;
    must(myr_motor_net_create(&d, &net));
    return net;
}

/* Gates i and o are open, f is closed: h = tanh(tanh(g)). */
static myr_motor_net *lstm(double kp, double kd) {
    static double first[GATES * LSTM * 2], second[GATES * LSTM * LSTM], recurrent[GATES * LSTM * LSTM], last[LSTM], biases[GATES * LSTM];
    myr_motor_net *net;
    myr_motor_net_def d = myr_motor_net_def_default();
    d.kind = MYR_MOTOR_NET_LSTM, d.n_layers = 2, d.units[0] = d.units[1] = LSTM, d.torque_scale = 1 / small;
    for (int u = 0; u < LSTM; u++) biases[u] = biases[3 * LSTM + u] = 40, biases[LSTM + u] = -40;
    first[2 * 2 * LSTM] = small * kp, first[2 * 2 * LSTM + 1] = -small * kd, second[2 * LSTM * LSTM] = last[0] = 1;
    static const double none[1];
    d.weights[0] = first, d.weights[1] = second, d.weights[2] = last;
    d.recurrent[0] = d.recurrent[1] = recurrent, d.biases[0] = d.biases[1] = biases, d.biases[2] = none;
    must(myr_motor_net_create(&d, &net));
    return net;
}

static myr_model *with_motors(const myr_model *robot, int kind, double kp, double kd) {
    myr_builder *builder;
    myr_model *out;
    myr_motor_net *net = kind == 4 ? mlp(kp, kd) : kind == 5 ? lstm(kp, kd) : NULL;
    myr_motor motor = myr_motor_default();
    switch (kind) {
    case 1: motor.kind = MYR_MOTOR_DC, motor.parameters[0] = 120, motor.parameters[1] = 12; break;
    case 2: motor.delay_min = motor.delay_max = 4; break;
    case 3: motor.lag = MYR_LAG_EXACT, motor.lag_s = 0.005; break;
    case 4: motor.kind = MYR_MOTOR_NET_MLP; break;
    case 5: motor.kind = MYR_MOTOR_NET_LSTM; break;
    default: break;
    }
    motor.net = net;
    must(myr_builder_create("robot with motors", &builder));
    must(myr_builder_add_model(builder, robot, NULL));
    must(myr_builder_motor(builder, "*", &motor));
    must(myr_builder_compile(builder, &out));
    myr_builder_free(builder);
    myr_motor_net_free(net);
    return out;
}

/* Gains of the first actuator, as a batch of the robot has them. */
static void find_gains(const myr_model *model, const myr_settings *settings, double *kp, double *kd) {
    myr_model_info info;
    myr_batch *one;
    myr_model_get_info(model, &info);
    double *gains = allocate((size_t)info.nu);
    must(myr_batch_create(model, 1, settings, &one));
    must(myr_batch_get(one, MYR_KP, NULL, 1, MYR_F64, gains));
    *kp = gains[0];
    must(myr_batch_get(one, MYR_KD, NULL, 1, MYR_F64, gains));
    *kd = gains[0];
    myr_batch_free(one);
    free(gains);
}

int main(int argc, char **argv) {
    double kp, kd, best[MOTORS];
    turns t = turns_default("trot", 12);
    turns_read(&t, argc, argv, NULL);
    myr_model *model;
    myr_batch *batches[MOTORS];
    myr_model_info size;
    must(myr_model_open(t.robot, NULL, &model));
    myr_model_get_info(model, &size);
    find_gains(model, &t.settings, &kp, &kd);
    const int steps = turns_steps(&t, 200);
    for (int m = 0; m < MOTORS; m++) {
        myr_model *with = with_motors(model, m, kp, kd);
        must(myr_batch_create(with, t.envs, &t.settings, &batches[m]));
        must(myr_batch_step(batches[m], turns_steps(&t, 400)));
        myr_model_free(with);
    }
    turns_time(&t, batches, MOTORS, steps, steps, best);
    for (int m = 0; m < MOTORS; m++) {
        myr_batch_info info;
        myr_stats stats;
        myr_machine machine;
        myr_batch_get_info(batches[m], &info);
        myr_batch_stats(batches[m], &stats);
        if (!m) {
            must(myr_machine_get(&machine));
            printf("%s: %s, task %s, dt %g s, %lld robots, one thread, %s, %s, solver %s\n", machine.cpu, t.robot, t.settings.task,
                   info.dt_s, (long long)t.envs, info.isa, info.precision == 4 ? "f32" : "f64", t.settings.solver);
        }
        printf("%-13s %7.1f ns per robot-step, %5.3f of the time of pd, %5.1f ns more per motor; %.2f contacts, %.2f sweeps, %lld in "
               "quarantine\n",
               names[m], turns_ns(&t, steps, best[m]), best[m] / best[0], turns_ns(&t, steps, best[m] - best[0]) / size.nu,
               stats.contacts_mean, stats.iterations_mean, (long long)stats.quarantined);
        myr_batch_free(batches[m]);
    }
    myr_model_free(model);
    return 0;
}

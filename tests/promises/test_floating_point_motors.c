/* test_floating_point.c of motors that are networks: made, read, asked; a model with two kinds of them, and its steps. */
#include "support/floating_point.h"

#include <stdio.h>
#include <unistd.h>

static const char file[] = "{ \"myriapod_motor_net\": 1, \"kind\": \"net_lstm\", \"torque_scale\": 0.30000000000000004,\n"
                           "  \"weights\": [[[0.1, -0.7], [0.3, 0.2], [1e-3, 0.9], [0.7, 0.1]], [[1.7000000000000002]]],\n"
                           "  \"recurrent\": [[[0.2], [0.3], [-0.1], [0.9]]], \"biases\": [[0, 0.1, 0.2, 0.3], [-0.1]] }\n";

static myr_motor_net *use_files(void) {
    const char *path = strange_path("net.json");
    myr_motor_net *net = NULL, *again = NULL;
    myr_motor_net_def def;
    uint64_t hash, same;
    int states;
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fputs(file, out);
    assert_int_equal(fclose(out), 0);
    IN_MUST(myr_motor_net_read(path, &net));
    IN(hash = myr_motor_net_hash(net));
    IN(states = myr_motor_net_states(net));
    saw(strange_call, &hash, sizeof hash), saw(strange_call, &states, sizeof states);
    IN(myr_motor_net_get(net, &def));
    IN_MUST(myr_motor_net_create(&def, &again));
    IN(same = myr_motor_net_hash(again));
    assert_true(same == hash);
    IN(myr_motor_net_free(again));
    unlink(path);
    return net;
}

static myr_motor_net *use_arrays(void) {
    static const double weights[6] = {0.3, -0.1, 1.0 / 3, 0.7, 0.2, -0.9}, last[3] = {1.1, -0.3, 0.6}, biases[3] = {0.1, -1e-3, 0};
    myr_motor_net *net = NULL;
    myr_motor_net_def def;
    IN(def = myr_motor_net_def_default());
    saw(strange_call, &def, sizeof def);
    def.n_layers = 1, def.units[0] = 3, def.position_scale = 1.0 / 3, def.activation = MYR_NET_ELU;
    def.weights[0] = weights, def.weights[1] = last, def.biases[0] = biases, def.biases[1] = biases;
    IN_MUST(myr_motor_net_create(&def, &net));
    def.torque_scale = 1e300;
    myr_motor_net *none = NULL;
    IN(strange_got = myr_motor_net_create(&def, &none));
    assert_int_equal(strange_got, MYR_E_ARG);
    saw_text(myr_message());
    return net;
}

static void use_nets(const void *context) {
    const myr_settings settings = scene_settings("precision", context, "threads", "2", NULL);
    myr_model *robot = NULL, *model = NULL;
    myr_builder *builder = scene_robot_builder("robot with nets", "solo12", &robot);
    myr_motor motor = myr_motor_default();
    myr_model_free(robot);
    motor.kind = MYR_MOTOR_NET_LSTM, motor.net = use_files();
    IN_MUST(myr_builder_motor(builder, "*", &motor));
    myr_motor_net_free((myr_motor_net *)motor.net);
    motor.kind = MYR_MOTOR_NET_MLP, motor.net = use_arrays();
    IN_MUST(myr_builder_motor(builder, "*_HAA", &motor));
    IN_MUST(myr_builder_fluid(builder, &(myr_fluid){.density = 1.2, .viscosity = 1.8e-5}));
    myr_motor_net_free((myr_motor_net *)motor.net);
    IN_MUST(myr_builder_compile(builder, &model));
    myr_builder_free(builder);
    const uint64_t hash = myr_model_hash(model);
    saw("hash", &hash, sizeof hash);
    use_strange_batch(model, &settings);
    myr_model_free(model);
}

int main(void) { return strange_main(use_nets, 60); }

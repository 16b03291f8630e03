/* Motors of a file: {"*_HAA,*_HFE": {"kind": "dc", "stall": 120, "speed": 7.5, "delay": [0, 4]}, "*_KFE": {"lag": "exact", "lag_s": 0.02}}.
 */
#include "motors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "json.h"

const char *const cli_motor_lags[] = {"none", "exact", "euler", "integrator", NULL};

const char *cli_motor_parameter(myr_motor_kind kind, int i, char name[CLI_MOTOR_WORD]) {
    const char *word = myr_motor_parameters(kind);
    for (; i > 0; i--) {
        word += strcspn(word, "|");
        word += *word == '|';
    }
    snprintf(name, CLI_MOTOR_WORD, "%.*s", (int)strcspn(word, "|"), word);
    return *name ? name : NULL;
}

/* The numbers of words, -1: there is none such. */
static int kind_of(const char *word) {
    for (int k = 0; word && k < MYR_MOTOR_KINDS; k++)
        if (strcmp(myr_motor_name((myr_motor_kind)k), word) == 0) return k;
    return -1;
}
static int lag_of(const char *word) {
    for (int k = 0; word && cli_motor_lags[k]; k++)
        if (strcmp(cli_motor_lags[k], word) == 0) return k;
    return -1;
}
static int parameter_of(myr_motor_kind kind, const char *key) {
    char name[CLI_MOTOR_WORD];
    for (int i = 0; cli_motor_parameter(kind, i, name); i++)
        if (strcmp(name, key) == 0) return i;
    return -1;
}

static int read_pair(const json_t *value, double pair[2]) {
    return !json_is_array(value) || json_array_size(value) != 2 || cli_json_number(json_array_get(value, 0), &pair[0]) ||
           cli_json_number(json_array_get(value, 1), &pair[1]);
}

static int read_key(const char *names, const char *key, const json_t *value, myr_motor *motor, myr_motor_net **net, cli_text *message) {
    double pair[2];
    int bad = 0;
    const int parameter = parameter_of(motor->kind, key);
    if (strcmp(key, "kind") == 0) return 0;
    if (parameter >= 0)
        bad = cli_json_number(value, &motor->parameters[parameter]);
    else if (strcmp(key, "delay") == 0) {
        bad = read_pair(value, pair) || pair[0] != (int)pair[0] || pair[1] != (int)pair[1];
        if (!bad) motor->delay_min = (int)pair[0], motor->delay_max = (int)pair[1];
    } else if (strcmp(key, "lag") == 0) {
        bad = lag_of(json_string_value(value)) < 0;
        if (!bad) motor->lag = (myr_lag)lag_of(json_string_value(value));
    } else if (strcmp(key, "lag_s") == 0)
        bad = cli_json_number(value, &motor->lag_s);
    else if (strcmp(key, "lag_behind") == 0)
        bad = !json_is_boolean(value), motor->lag_behind = json_is_true(value);
    else if (strcmp(key, "lag_range") == 0) {
        bad = read_pair(value, pair);
        if (!bad) motor->lag_lower = pair[0], motor->lag_upper = pair[1];
    } else if (strcmp(key, "net") == 0 && json_is_string(value)) {
        if (myr_motor_net_read(json_string_value(value), net) != MYR_OK) return cli_say(message, "%s", myr_message());
        motor->net = *net;
    } else
        return cli_say(message, "\"%.100s\": a %s motor has no \"%.100s\"; docs/actuators.md has what there is", names,
                       myr_motor_name(motor->kind), key);
    return bad ? cli_say(message, "\"%.100s\": \"%.100s\" is %s", names, key, cli_json_quote(value).text) : 0;
}

static int read_motor(myr_builder *builder, const char *names, const json_t *of, cli_text *message) {
    myr_motor motor = myr_motor_default();
    myr_motor_net *net = NULL;
    const json_t *kind = json_object_get(of, "kind");
    const char *key;
    json_t *value;
    int bad = 0;
    if (!json_is_object(of)) return cli_say(message, "\"%.100s\" is %s, but must be {\"kind\": .., ..}", names, cli_json_quote(of).text);
    const int number = kind ? kind_of(json_string_value(kind)) : 0;
    if (number < 0) return cli_say(message, "\"%.100s\": there is no kind %s of motor", names, cli_json_quote(kind).text);
    motor.kind = (myr_motor_kind)number;
    json_object_foreach((json_t *)(uintptr_t)of, key, value) if (!bad) bad = read_key(names, key, value, &motor, &net, message);
    if (!bad && myr_builder_motor(builder, names, &motor) != MYR_OK) bad = cli_say(message, "%s", myr_message());
    myr_motor_net_free(net);
    return bad;
}

static int read_motors(const json_t *root, myr_builder *builder, cli_text *message) {
    const char *names;
    json_t *of;
    int bad = 0;
    if (!json_is_object(root) || !json_object_size(root)) return cli_say(message, "motors are {NAMES: {\"kind\": .., ..}}");
    json_object_foreach((json_t *)(uintptr_t)root, names, of) if (!bad) bad = read_motor(builder, names, of, message);
    return bad;
}

/* The same model with other motors: a builder has it once more. */
static int rebuild(const char *path, const json_t *root, myr_model **model) {
    myr_model_info info;
    myr_builder *builder = NULL;
    myr_model *made = NULL;
    cli_text message = {""};
    int status = CLI_OK;
    myr_model_get_info(*model, &info);
    if (myr_builder_create(info.name, &builder) != MYR_OK || myr_builder_add_model(builder, *model, NULL) != MYR_OK)
        status = cli_error("--motors: %s", myr_message());
    if (status == CLI_OK && read_motors(root, builder, &message) != 0) status = cli_error("--motors: %s: %s", path, message.text);
    if (status == CLI_OK && myr_builder_compile(builder, &made) != MYR_OK) status = cli_error("--motors: %s", myr_message());
    myr_builder_free(builder);
    myr_model_free(*model);
    *model = made;
    return status;
}

int cli_put_motors(const char *path, myr_model **model) {
    cli_text message = {""};
    size_t length = 0;
    if (!path) return CLI_OK;
    char *text = cli_read_file(path, &length, &message);
    json_t *root = text ? cli_json_parse(text, length, path, &message) : NULL;
    int status = root ? CLI_OK : cli_error("--motors: %s", message.text);
    if (status == CLI_OK)
        status = rebuild(path, root, model);
    else
        myr_model_free(*model), *model = NULL;
    json_decref(root);
    free(text);
    return status;
}

/* myriapod eval: rigid-body quantities of states from a file, in the joint order of that file. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../base/nearest.h"
#include "cli.h"
#include "joints.h"
#include "json.h"
#include "meshes.h"
#include "options.h"
#include "output.h"

static const char *const keys[] = {"precision", "isa", NULL};
/* What is written is to be compared: double unless asked otherwise. */
static const cli_assignment defaults[] = {{"precision", "f64"}, {NULL, NULL}};

typedef struct eval_line {
    cli_options *options;
    const char *model, *states, *json;
    int jacobian;
    myr_load_options load;
} eval_line;

enum { KEY_JSON = CLI_OWN, KEY_STATES, KEY_JACOBIAN };

static const struct argp_option own_options[] = {
    {"states", KEY_STATES, "FILE", 0, "the states: {\"states\": [{\"q\": [..], \"v\": [..], \"tau\": [..]}, ..]}", 1},
    {"jacobian", KEY_JACOBIAN, NULL, 0, "write the 6 x nv Jacobian J of each frame too: linear, angular velocity; world axes", 1},
    {"json", KEY_JSON, "FILE", 0, "where the answers go (default: standard output)", 1},
    {0},
};

static const char doc[] =
    "Evaluates M, bias, acc, kinetic and potential energy, com and frames of MODEL (a URDF or MJCF file, or a robot that ships) in given "
    "states, without stepping. Armature and gravity are the model's; damping, friction and limits are off."
    "\v"
    "FILE is one JSON object. Beside \"states\" it may hold\n"
    "  \"joint_order\"  [{\"name\", \"type\", \"q_index\", \"v_index\"}, ..]: where the file keeps each joint, in and out;\n"
    "                 type \"free\" is the root whatever its name. Without it: the order of `myriapod info MODEL'\n"
    "  \"floating\"     true or false: decides the root\n"
    "  \"frames\"       [\"name\", ..]: the frames to write (default: all)\n"
    "A state that has \"vdot\" is answered with \"inverse_dynamics\", the forces that give this dv/dt.\n"
    "Other keys, answers among them, are ignored.\n"
    "M dv/dt + bias = tau. A free joint has q = position, quaternion (w x y z) and v = linear velocity in world axes, angular "
    "velocity in body axes.\n"
    "\n"
    "Examples:\n"
    "  myriapod eval solo12 --states states.json --json out.json\n"
    "  myriapod eval chain-10 --states chain10.json --precision f32 --isa avx2 --json out.json\n";

static error_t parse(int key, char *argument, struct argp_state *state) {
    eval_line *line = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = line->options;
        state->child_inputs[1] = &line->load;
        return 0;
    case KEY_JSON: line->json = argument; return 0;
    case KEY_JACOBIAN: line->jacobian = 1; return 0;
    case KEY_STATES: line->states = argument; return 0;
    case ARGP_KEY_ARG:
        if (line->model) exit(cli_usage("one MODEL only: \"%s\" follows \"%s\"", argument, line->model));
        line->model = argument;
        return 0;
    case ARGP_KEY_END:
        if (!line->model) exit(cli_usage("MODEL is missing: a URDF or MJCF file, or a robot that ships (anymal, solo12, hopper, ...)"));
        if (!line->states) exit(cli_usage("--states FILE is missing"));
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

/* ---- one state ----------------------------------------------------------------------------------- */

typedef struct evaluator {
    const myr_model *model;
    const myr_settings *settings;
    joint_map map;
    int *frames, n_frames; /* those to write */
    size_t nq, nv, n_all;
    int jacobians, inverse; /* are asked for, of this state */
    double *q, *v, *tau;    /* in the library's order */
    double *vdot, *force, *frame_jacobian;
    double *M, *bias, *acc, kinetic, potential, com[3];
    double *position, *quaternion, *velocity, *jacobian;
} evaluator;

static void allocate(evaluator *e) {
    myr_model_info info;
    myr_model_get_info(e->model, &info);
    e->nq = (size_t)info.nq, e->nv = (size_t)info.nv, e->n_all = (size_t)info.n_frames;
    double **arrays[] = {&e->q,          &e->v,        &e->tau,      &e->M,    &e->bias,  &e->acc,           &e->position,
                         &e->quaternion, &e->velocity, &e->jacobian, &e->vdot, &e->force, &e->frame_jacobian};
    const size_t nq = e->nq, nv = e->nv, n = e->n_all;
    const size_t sizes[] = {nq, nv, nv, nv * nv, nv, nv, 3 * n, 4 * n, 6 * n, 3 * n * nv, nv, nv, 6 * nv};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) *arrays[i] = cli_allocate(sizes[i], sizeof(double));
}

static void release(evaluator *e) {
    double *arrays[] = {e->q,          e->v,        e->tau,      e->M,    e->bias,  e->acc,           e->position,
                        e->quaternion, e->velocity, e->jacobian, e->vdot, e->force, e->frame_jacobian};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) free(arrays[i]);
    free(e->frames);
    joint_map_free(&e->map);
}

/* Read a list of n numbers of a state into the library's order. */
static int read_numbers(json_t *state, size_t index, const char *key, const int *map, size_t n, double *numbers, cli_text *message) {
    const json_t *list = json_object_get(state, key);
    if (!list) {
        const char *nearest = cli_json_nearest_key(state, key);
        if (nearest && strlen(nearest) > 1) return cli_say(message, "state %zu: \"%s\" is missing; is \"%s\" meant?", index, key, nearest);
        return cli_say(message, "state %zu: \"%s\" is missing", index, key);
    }
    if (!json_is_array(list)) return cli_say(message, "state %zu: \"%s\" is %s, not a list", index, key, cli_json_quote(list).text);
    if (json_array_size(list) != n)
        return cli_say(message, "state %zu: \"%s\" has %zu numbers, the model needs %zu", index, key, json_array_size(list), n);
    for (size_t i = 0; i < n; i++) {
        const json_t *value = json_array_get(list, (size_t)map[i]);
        if (cli_json_number(value, &numbers[i])) {
            return cli_say(message, "state %zu: \"%s\"[%d] is %s, not a finite number", index, key, map[i], cli_json_quote(value).text);
        }
    }
    return 0;
}

static int check_quaternions(const evaluator *e, size_t index, cli_text *message) {
    myr_joint_info joint;
    for (int j = 0; myr_model_get_joint(e->model, j, &joint) == MYR_OK; j++) {
        if (joint.type != MYR_JOINT_FREE && joint.type != MYR_JOINT_BALL) continue;
        const double *quaternion = e->q + joint.q + (joint.type == MYR_JOINT_FREE ? 3 : 0);
        const double length = sqrt(quaternion[0] * quaternion[0] + quaternion[1] * quaternion[1] + quaternion[2] * quaternion[2] +
                                   quaternion[3] * quaternion[3]);
        if (fabs(length - 1) > 1e-3) {
            return cli_say(message, "state %zu: the quaternion of joint \"%s\" in \"q\" has length %g, not 1", index, joint.name, length);
        }
    }
    return 0;
}

static int read_state(evaluator *e, json_t *state, size_t index, cli_text *message) {
    if (!json_is_object(state)) return cli_say(message, "state %zu is %s, not an object", index, cli_json_quote(state).text);
    if (read_numbers(state, index, "q", e->map.q, e->nq, e->q, message)) return -1;
    if (read_numbers(state, index, "v", e->map.v, e->nv, e->v, message)) return -1;
    if (read_numbers(state, index, "tau", e->map.v, e->nv, e->tau, message)) return -1;
    e->inverse = json_object_get(state, "vdot") != NULL;
    if (e->inverse && read_numbers(state, index, "vdot", e->map.v, e->nv, e->vdot, message)) return -1;
    return check_quaternions(e, index, message);
}

static myr_status evaluate(evaluator *e) {
    const myr_evaluation evaluation = {.n = 1,
                                       .q = e->q,
                                       .v = e->v,
                                       .tau = e->tau,
                                       .M = e->M,
                                       .bias = e->bias,
                                       .acceleration = e->acc,
                                       .kinetic = &e->kinetic,
                                       .potential = &e->potential,
                                       .com = e->com,
                                       .frame_position = e->position,
                                       .frame_quaternion = e->quaternion,
                                       .frame_velocity = e->velocity,
                                       .frame_jacobian = e->jacobian};
    const myr_status status = myr_evaluate(e->model, e->settings, &evaluation);
    if (status || !e->inverse) return status;
    return myr_inverse_dynamics(e->model, e->settings, 1, e->q, e->v, e->vdot, e->force);
}

/* ---- the answers, in the order of the file ------------------------------------------------------- */

static json_t *file_order(const double *numbers, const int *map, size_t n) {
    double *sorted = cli_allocate(n, sizeof *sorted);
    for (size_t i = 0; i < n; i++) sorted[map[i]] = numbers[i];
    json_t *list = cli_json_reals(sorted, n);
    free(sorted);
    return list;
}

static json_t *file_columns(const double *rows, size_t n_rows, const int *map, size_t n) {
    json_t *list = json_array();
    for (size_t i = 0; i < n_rows; i++) json_array_append_new(list, file_order(rows + i * n, map, n));
    return list;
}

static json_t *mass_matrix(const evaluator *e) {
    double *sorted = cli_allocate(e->nv * e->nv, sizeof *sorted);
    for (size_t i = 0; i < e->nv; i++) {
        for (size_t j = 0; j < e->nv; j++) sorted[(size_t)e->map.v[i] * e->nv + (size_t)e->map.v[j]] = e->M[i * e->nv + j];
    }
    json_t *matrix = cli_json_matrix(sorted, e->nv, e->nv);
    free(sorted);
    return matrix;
}

static json_t *frames(const evaluator *e) {
    json_t *all = json_object();
    for (int i = 0; i < e->n_frames; i++) {
        const size_t f = (size_t)e->frames[i];
        json_t *frame = json_object();
        json_object_set_new(frame, "pos", cli_json_reals(e->position + 3 * f, 3));
        json_object_set_new(frame, "quat_wxyz", cli_json_reals(e->quaternion + 4 * f, 4));
        json_object_set_new(frame, "linvel_world", cli_json_reals(e->velocity + 6 * f, 3));
        json_object_set_new(frame, "angvel_world", cli_json_reals(e->velocity + 6 * f + 3, 3));
        json_object_set_new(frame, "Jpos", file_columns(e->jacobian + 3 * f * e->nv, 3, e->map.v, e->nv));
        json_object_set_new(all, myr_model_frame_name(e->model, e->frames[i]), frame);
        if (!e->jacobians) continue;
        if (myr_frame_jacobian(e->model, e->settings, e->frames[i], 1, e->q, e->frame_jacobian) == MYR_OK) {
            json_object_set_new(frame, "J", file_columns(e->frame_jacobian, 6, e->map.v, e->nv));
        } else {
            cli_warning("%s; \"J\" is null", myr_message());
            json_object_set_new(frame, "J", json_null());
        }
    }
    return all;
}

static json_t *answer(const evaluator *e) {
    json_t *state = json_object();
    json_object_set_new(state, "q", file_order(e->q, e->map.q, e->nq));
    json_object_set_new(state, "v", file_order(e->v, e->map.v, e->nv));
    json_object_set_new(state, "tau", file_order(e->tau, e->map.v, e->nv));
    json_object_set_new(state, "M", mass_matrix(e));
    json_object_set_new(state, "bias", file_order(e->bias, e->map.v, e->nv));
    json_object_set_new(state, "acc", file_order(e->acc, e->map.v, e->nv));
    if (e->inverse) {
        json_object_set_new(state, "vdot", file_order(e->vdot, e->map.v, e->nv));
        json_object_set_new(state, "inverse_dynamics", file_order(e->force, e->map.v, e->nv));
    }
    json_object_set_new(state, "kinetic", cli_json_real(e->kinetic));
    json_object_set_new(state, "potential", cli_json_real(e->potential));
    json_object_set_new(state, "com", cli_json_reals(e->com, 3));
    json_object_set_new(state, "frames", frames(e));
    return state;
}

static int all_finite(const double *numbers, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(numbers[i])) return 0;
    }
    return 1;
}

/* ---- the file ------------------------------------------------------------------------------------ */

static int choose_frames(evaluator *e, const json_t *names, cli_text *message) {
    const char **all = cli_allocate(e->n_all, sizeof *all);
    for (size_t f = 0; f < e->n_all; f++) all[f] = myr_model_frame_name(e->model, (int)f);
    int status = 0;
    const size_t n = names ? json_array_size(names) : e->n_all;
    e->frames = cli_allocate(n, sizeof *e->frames);
    if (names && !json_is_array(names)) status = cli_say(message, "\"frames\" is %s, not a list of names", cli_json_quote(names).text);
    for (size_t i = 0; i < n && status == 0; i++) {
        const json_t *name = names ? json_array_get(names, i) : NULL;
        size_t f = i;
        if (names && !json_is_string(name)) {
            status = cli_say(message, "\"frames\"[%zu] is %s, not a name", i, cli_json_quote(name).text);
            break;
        }
        for (f = names ? 0 : i; names && f < e->n_all && strcmp(all[f], json_string_value(name)) != 0; f++) {}
        if (f < e->n_all) {
            e->frames[e->n_frames++] = (int)f;
            continue;
        }
        const char *nearest = myr_nearest(json_string_value(name), all, e->n_all);
        status = nearest ? cli_say(message, "\"frames\": the model has no frame \"%s\"; is \"%s\" meant?", json_string_value(name), nearest)
                         : cli_say(message, "\"frames\": the model has no frame \"%s\"", json_string_value(name));
    }
    free(all);
    return status;
}

static int read_root(const json_t *file, myr_root *root, cli_text *message) {
    const json_t *floating = json_object_get(file, "floating");
    if (floating && !json_is_boolean(floating))
        return cli_say(message, "\"floating\" is %s, not true or false", cli_json_quote(floating).text);
    *root = !floating ? MYR_ROOT_AUTO : json_is_true(floating) ? MYR_ROOT_FLOATING : MYR_ROOT_FIXED;
    return 0;
}

static void write_head(const evaluator *e, const json_t *file, FILE *out) {
    myr_model_info info;
    myr_joint_info root;
    myr_model_get_info(e->model, &info);
    const int floating = myr_model_get_joint(e->model, 0, &root) == MYR_OK && root.type == MYR_JOINT_FREE;
    json_t *head = json_object(), *order = json_object_get(file, "joint_order"), *names = json_array();
    json_object_set_new(head, "model", cli_json_text(info.name));
    json_object_set_new(head, "version", cli_json_text(myr_version()));
    json_object_set_new(head, "precision", json_string(e->settings->precision));
    json_object_set_new(head, "floating", json_boolean(floating));
    json_object_set_new(head, "nq", json_integer(info.nq));
    json_object_set_new(head, "nv", json_integer(info.nv));
    json_object_set_new(head, "total_mass", cli_json_real(info.mass_kg));
    json_object_set_new(head, "joint_order", order ? json_incref(order) : joint_order_of(e->model));
    for (int i = 0; i < e->n_frames; i++) json_array_append_new(names, cli_json_text(myr_model_frame_name(e->model, e->frames[i])));
    json_object_set_new(head, "frames", names);
    /* The states follow one per line, so that no more than one is in memory. */
    char *text = json_dumps(head, CLI_JSON_LINE);
    if (text) fprintf(out, "%.*s,\"states\":[", (int)strlen(text) - 1, text);
    free(text);
    json_decref(head);
}

/* Returns an exit status. */
static int evaluate_all(evaluator *e, const eval_line *line, const json_t *file, output *json) {
    cli_text message;
    const json_t *states = json_object_get(file, "states");
    /* All states are read once before anything is written, so that a bad one is found at once. */
    for (size_t i = 0; i < json_array_size(states); i++) {
        if (read_state(e, json_array_get(states, i), i, &message)) return cli_error("\"%s\": %s", line->states, message.text);
    }
    write_head(e, file, json->file);
    for (size_t i = 0; i < json_array_size(states); i++) {
        if (read_state(e, json_array_get(states, i), i, &message)) return cli_error("\"%s\": %s", line->states, message.text);
        if (evaluate(e) != MYR_OK) return cli_error("\"%s\", state %zu: %s", line->states, i, myr_message());
        if (!all_finite(e->M, e->nv * e->nv) || !all_finite(e->bias, e->nv) || !all_finite(e->acc, e->nv)) {
            cli_warning("state %zu: some answers are not finite; they are written as null", i);
        }
        json_t *state = answer(e);
        fputs(i ? ",\n" : "\n", json->file);
        const int bad = json_dumpf(state, json->file, CLI_JSON_LINE) != 0;
        json_decref(state);
        if (bad) return cli_error("cannot write \"%s\"", json->path);
    }
    fputs("\n]}\n", json->file);
    if (json->file != stdout)
        printf("%zu states evaluated in %s; answers in \"%s\"\n", json_array_size(states), e->settings->precision, line->json);
    return output_commit(json) ? CLI_BAD_INPUT : CLI_OK;
}

static int eval_file(const eval_line *line, const myr_settings *settings, json_t *file, output *json) {
    cli_text message;
    myr_root root = MYR_ROOT_AUTO;
    if (!json_is_object(file)) return cli_error("\"%s\" is not a JSON object", line->states);
    const json_t *states = json_object_get(file, "states");
    if (!states) {
        const char *nearest = cli_json_nearest_key(file, "states");
        return nearest ? cli_error("\"%s\": \"states\" is missing (is \"%s\" meant?)", line->states, nearest)
                       : cli_error("\"%s\": \"states\" is missing", line->states);
    }
    if (!json_is_array(states)) return cli_error("\"%s\": \"states\" is %s, not a list", line->states, cli_json_quote(states).text);
    if (read_root(file, &root, &message)) return cli_error("\"%s\": %s", line->states, message.text);
    myr_model *model = NULL;
    myr_load_options load = line->load;
    load.root = root;
    if (myr_model_open(line->model, &load, &model) != MYR_OK) return cli_error("%s", myr_message());
    myr_model_info info;
    myr_model_get_info(model, &info);
    for (int i = 0; i < info.n_warnings; i++) cli_warning("%s", myr_model_warning(model, i));

    evaluator e = {.model = model, .settings = settings, .jacobians = line->jacobian};
    allocate(&e);
    int status;
    if (joint_map_read(&e.map, model, json_object_get(file, "joint_order"), &message) ||
        choose_frames(&e, json_object_get(file, "frames"), &message)) {
        status = cli_error("\"%s\": %s", line->states, message.text);
    } else {
        status = evaluate_all(&e, line, file, json);
    }
    release(&e);
    myr_model_free(model);
    return status;
}

int cli_eval(int argc, char **argv) {
    cli_options options = {.first = keys, .only_first = 1, .defaults = defaults};
    cli_options_begin(&options, argc);
    const struct argp_child children[] = {{&options.argp, 0, NULL, 0}, {&cli_meshes_argp, 0, NULL, 0}, {0}};
    const struct argp argp = {own_options, parse, "MODEL --states FILE", doc, children, NULL, NULL};
    eval_line line = {.options = &options, .load = myr_load_options_default()};
    cli_parse(&argp, argc, argv, &line);

    myr_settings settings;
    output json = {0};
    cli_text message;
    int status = cli_options_resolve(&options, &settings);
    if (status == CLI_OK && output_open(&json, line.json ? line.json : "-")) status = CLI_BAD_INPUT;
    size_t length = 0;
    char *text = status == CLI_OK ? cli_read_file(line.states, &length, &message) : NULL;
    json_t *file = text ? cli_json_parse(text, length, line.states, &message) : NULL;
    if (status == CLI_OK) status = file ? eval_file(&line, &settings, file, &json) : cli_error("%s", message.text);
    json_decref(file);
    free(text);
    output_discard(&json);
    cli_options_end(&options);
    return status;
}

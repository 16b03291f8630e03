/* myriapod info: this machine, the versions, a model, the settings. */
#include <gnu/libc-version.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>
#include <myriapod/myriapod.h>

#include "cli.h"
#include "ground.h"
#include "info_json.h"
#include "joints.h"
#include "machine_text.h"
#include "meshes.h"
#include "motors.h"
#include "objects.h"
#include "options.h"
#include "shape_time.h"

typedef struct info_line {
    cli_options *options;
    const char *model, *json;
    int times;
    myr_load_options load;
    cli_objects objects;
} info_line;

enum { KEY_JSON = CLI_OWN, KEY_TIME };

static const struct argp_option own_options[] = {
    {"json", KEY_JSON, "FILE", OPTION_ARG_OPTIONAL,
     "write MODEL alone, as JSON for programs to read: joints, bodies, shapes, slots, loops, frames (--json=FILE; default: standard "
     "output)",
     1},
    {"time", KEY_TIME, NULL, 0, "measure, about a second on one core, what MODEL's shapes cost", 1},
    {0},
};

static const char doc[] =
    "Says what this machine is and what would be used on it, and why; with MODEL (a URDF or MJCF file, or a robot that ships), what the "
    "library made of it; with --terrain NAME, what that map is; with --profile or any flag, the settings that result."
    "\v"
    "Examples:\n"
    "  myriapod info\n"
    "  myriapod info anymal\n"
    "  myriapod info my_robot.urdf --root fixed\n"
    "  myriapod info my_robot.urdf --json=my_robot.json\n"
    "  myriapod info my_robot.xml --self-collision auto --time\n"
    "  myriapod info --terrain legged-gym --terrain-seed 3\n"
    "  myriapod info --profile paper --tolerance 1e-9";

static error_t parse(int key, char *argument, struct argp_state *state) {
    info_line *line = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = line->options;
        state->child_inputs[1] = &line->load;
        state->child_inputs[2] = &line->objects;
        return 0;
    case KEY_JSON: line->json = argument ? argument : "-"; return 0;
    case KEY_TIME: line->times = 1; return 0;
    case ARGP_KEY_ARG:
        if (line->model && line->json)
            exit(cli_usage("one MODEL only: \"%s\" follows \"%s\"; a file for --json is --json=FILE", argument, line->model));
        if (line->model) exit(cli_usage("one MODEL only: \"%s\" follows \"%s\"", argument, line->model));
        line->model = argument;
        return 0;
    case ARGP_KEY_END:
        if (line->json && !line->model) exit(cli_usage("MODEL is missing: --json writes what a model is"));
        if (line->times && !line->model) exit(cli_usage("MODEL is missing: --time measures what its shapes cost"));
        if (line->times && line->json) exit(cli_usage("--json writes what is the same on every machine, and --time is not"));
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

/* ---- machine and versions ------------------------------------------------------------------------ */

static void print_isa(const char *name) {
    myr_isa_info isa;
    if (myr_isa_get(name, &isa) != MYR_OK) return;
    if (isa.present) {
        printf("  %-14savailable, %d floats or %d doubles per register\n", name, isa.bits / 32, isa.bits / 64);
    } else if (!isa.built) {
        printf("  %-14snot built\n", name);
    } else {
        printf("  %-14snot on this machine: it lacks %s\n", name, isa.needs);
    }
}

static int print_machine(const myr_settings *settings) {
    myr_machine m;
    if (myr_machine_get(&m) != MYR_OK) return cli_error("%s", myr_message());
    printf("Machine\n  processor     %s\n", m.cpu);
    printf("  topology      ");
    cli_print_topology(&m, stdout);
    printf("\n  usable here   ");
    cli_print_usable(&m, stdout);
    cli_print_caches(&m, stdout);
    printf("\nInstruction sets\n");
    for (int i = 0; myr_isa_name(i); i++) print_isa(myr_isa_name(i));
    printf("Would be used\n");
    printf("  isa           ");
    cli_print_isa_choice(&m, settings, stdout);
    printf("\n");
    if (settings->threads > 0) {
        printf("  threads       %lld: the settings say so\n", (long long)settings->threads);
    } else {
        printf("  threads       %d: one per core that this process may use\n", m.usable_cores);
    }
    printf("Versions\n  myriapod      %s\n  math          %s\n  jansson       %s\n  C library     %s\n", myr_version(), myr_math_version(),
           jansson_version_str(), gnu_get_libc_version());
    return CLI_OK;
}

/* ---- model --------------------------------------------------------------------------------------- */

const char *geom_type_name(myr_geom_type type) {
    static const char *const names[] = {
#define MYR_GEOM(TYPE, name, sizes, meaning) [MYR_GEOM_##TYPE] = #name,
#include "myriapod/geoms.def"
    };
    return (size_t)type < sizeof names / sizeof *names ? names[type] : "unknown";
}

static void print_joints(const myr_model *model, int n) {
    printf("  %-4s %-28s %-10s %-28s %3s %3s %3s  %s\n", "id", "joint", "type", "body", "q", "v", "u", "parent");
    for (int j = 0; j < n; j++) {
        myr_joint_info i, parent;
        if (myr_model_get_joint(model, j, &i) != MYR_OK) continue;
        const int rooted = i.parent < 0 || myr_model_get_joint(model, i.parent, &parent) != MYR_OK;
        char u[16] = "-";
        if (i.u >= 0) snprintf(u, sizeof u, "%d", i.u);
        printf("  %-4d %-28s %-10s %-28s %3d %3d %3s  %s\n", j, i.name, joint_type_name(i.type), i.body, i.q, i.v, u,
               rooted ? "(world)" : parent.body);
    }
}

static void print_bound(double value) {
    if (value == INFINITY || value == -INFINITY)
        printf(" %9s", "-");
    else
        printf(" %9.4g", value);
}

static int has_motor(const myr_motor *m) { return m->kind != MYR_MOTOR_PD || m->delay_max || m->lag; }

/* Behind the joints: "[dc stall 120 speed 7.5, late 0 .. 4 steps, lag 0.03 s]". */
static void print_motor(const myr_motor *m) {
    char name[CLI_MOTOR_WORD];
    if (!has_motor(m)) return;
    printf(" [%s", myr_motor_name(m->kind));
    for (int i = 0; cli_motor_parameter(m->kind, i, name); i++)
        if (m->parameters[i] != 0) printf(" %s %.4g", name, m->parameters[i]);
    if (m->delay_max) printf(", late %d .. %d steps", m->delay_min, m->delay_max);
    if (m->lag == MYR_LAG_INTEGRATOR)
        printf(", integrator");
    else if (m->lag)
        printf(", lag %.4g s %s%s", m->lag_s, cli_motor_lags[m->lag], m->lag_behind ? " behind" : "");
    printf("]");
}

/* Where each is its joint's own and takes its gains from the settings, the joints say it all. */
static void print_actuators(const myr_model *model, int n) {
    int told = 0;
    for (int u = 0; u < n; u++) {
        myr_actuator_info i;
        if (myr_model_get_actuator(model, u, &i) == MYR_OK)
            told |= i.pushes || i.kp >= 0 || i.kd >= 0 || i.n > 1 || i.moments[0] != 1 || has_motor(&i.motor);
    }
    if (told)
        printf("  %-4s %-28s %9s %9s %9s %9s %9s %9s  %-7s %s\n", "u", "actuator", "kp", "kd", "least", "most", "from", "to", "sets",
               "joints");
    for (int u = 0; u < n && told; u++) {
        myr_actuator_info i;
        if (myr_model_get_actuator(model, u, &i) != MYR_OK) continue;
        printf("  %-4d %-28s %9.4g %9.4g", u, i.name, i.kp, i.kd);
        print_bound(i.lower), print_bound(i.upper), print_bound(i.control_lower), print_bound(i.control_upper);
        printf("  %-7s", i.controls == MYR_CONTROLS_TORQUE ? "torque" : "target");
        for (int k = 0; k < i.n; k++) {
            myr_joint_info joint;
            if (myr_model_get_joint(model, i.joints[k], &joint) != MYR_OK) continue;
            if (i.moments[k] == 1)
                printf(" %s", joint.name);
            else
                printf(" %.4g %s", i.moments[k], joint.name);
        }
        if (i.pushes)
            printf(" pushes by %.4g %.4g %.4g, turns by %.4g %.4g %.4g", i.gear[0], i.gear[1], i.gear[2], i.gear[3], i.gear[4], i.gear[5]);
        print_motor(&i.motor);
        printf("\n");
    }
}

/* A line: what it shows, then what is done to that. */
static void print_sensor(const myr_sensor_info *s) {
    const myr_sensor_signal *o = &s->signal;
    printf("  %-4d %-28s %-18s %-4d %s", s->row, s->name, myr_sensor_kind_name(s->kind), s->n_rows, s->unit);
    if (o->every != 1) o->every ? printf("; every %d control steps", o->every) : printf("; every step of dt");
    if (o->bias > 0) printf("; bias +-%g", o->bias);
    if (o->noise > 0) printf(o->noise_kind == MYR_NOISE_NORMAL ? "; normal noise of %g" : "; noise +-%g", o->noise);
    if (o->hold > 0) printf("; misses %g", o->hold);
    if (o->delay[1] > 0) printf("; %d to %d late", o->delay[0], o->delay[1]);
    if (o->history > 1) printf("; %s of %d", (const char *const[]){"all", "mean", "max"}[o->shown], o->history);
    printf("\n");
}

static void print_sensors(const myr_model *model, int n) {
    if (n) printf("  %-4s %-28s %-18s %-4s %s\n", "row", "sensor", "kind", "n", "unit");
    for (int i = 0; i < n; i++) {
        myr_sensor_info s;
        if (myr_model_get_sensor(model, i, &s) == MYR_OK) print_sensor(&s);
    }
}

static void print_keyframes(const myr_model *model, int n) {
    if (n > 0) printf("  keyframes    ");
    for (int k = 0; k < n; k++) {
        myr_keyframe_info i;
        if (myr_model_get_keyframe(model, k, &i) == MYR_OK) printf(" %s", i.name);
    }
    if (n > 0) printf("\n");
}

/* Pairs with other shapes that a shape is of, and the slots of these. */
static int geom_pairs(const myr_model *model, int geom, int *slots) {
    myr_pair_info pair;
    int n = 0;
    *slots = 0;
    for (int k = 0; myr_model_get_pair(model, k, &pair) == MYR_OK; k++)
        if (pair.geom == geom || pair.other == geom) *slots += pair.n_slots, n++;
    return n;
}

/* What a shape costs: slots against the ground; pairs with other shapes, which are looked at whenever they come near, and their slots. */
static void print_geoms(const myr_model *model, int n) {
    if (n > 0)
        printf("  %-4s %-28s %-10s %-28s %-9s %-8s %-5s %s\n", "id", "geom", "type", "body", "slots", "friction", "pairs", "their slots");
    for (int g = 0; g < n; g++) {
        myr_geom_info i;
        myr_joint_info carrier = {.body = "(world)"};
        if (myr_model_get_geom(model, g, &i) != MYR_OK) continue;
        if (i.body >= 0 && myr_model_get_joint(model, i.body, &carrier) != MYR_OK) continue;
        char slots[32] = "none";
        if (i.n_slots > 0) snprintf(slots, sizeof slots, i.n_slots > 1 ? "%d-%d" : "%d", i.slot, i.slot + i.n_slots - 1);
        int pair_slots;
        const int pairs = geom_pairs(model, g, &pair_slots);
        printf("  %-4d %-28s %-10s %-28s %-9s %-8.4g %-5d %d\n", g, i.name, geom_type_name(i.type), carrier.body, slots, i.friction, pairs,
               pair_slots);
    }
}

static void print_rows(const myr_model *model, int n) {
    if (n > 0) printf("  %-4s %-28s %-12s %-12s %s\n", "row", "joint or tendon", "lower", "upper", "dry friction");
    for (int k = 0; k < n; k++) {
        myr_row_info i;
        myr_joint_info joint;
        if (myr_model_get_row(model, k, &i) != MYR_OK || myr_model_get_joint(model, i.joint, &joint) != MYR_OK) continue;
        printf("  %-4d %-28s %-12.6g %-12.6g %.4g\n", k, i.tendon ? i.tendon : joint.name, i.lower, i.upper, i.dry_friction);
    }
}

const char *loop_type_name(myr_loop_type type) {
    switch (type) {
    case MYR_LOOP_BALL: return "ball";
    case MYR_LOOP_REVOLUTE: return "revolute";
    case MYR_LOOP_FIXED: return "fixed";
    case MYR_LOOP_COUPLING: return "coupling";
    }
    return "unknown";
}

/* Between bodies; couplings between joints. */
static void print_loops(const myr_model *model, int n) {
    if (n > 0) printf("  %-4s %-28s %-10s %-28s %s\n", "id", "loop", "type", "between", "and");
    for (int k = 0; k < n; k++) {
        myr_loop_info i;
        myr_joint_info ends[2] = {{.name = "-", .body = "(world)"}, {.name = "-", .body = "(world)"}};
        if (myr_model_get_loop(model, k, &i) != MYR_OK) continue;
        if (i.body >= 0 && myr_model_get_joint(model, i.body, &ends[0]) != MYR_OK) continue;
        if (i.other >= 0 && myr_model_get_joint(model, i.other, &ends[1]) != MYR_OK) continue;
        const int joints = i.type == MYR_LOOP_COUPLING;
        printf("  %-4d %-28s %-10s %-28s %s\n", k, i.name, loop_type_name(i.type), joints ? ends[0].name : ends[0].body,
               joints ? ends[1].name : ends[1].body);
    }
}

/* Returns an exit status. */
static int load_model(const info_line *line, const myr_settings *settings, myr_model **model) {
    myr_load_options load = line->load;
    load.root = cli_root(settings->root);
    return myr_model_open(line->model, &load, model) == MYR_OK ? cli_put_objects(&line->objects, &load, model)
                                                               : cli_error("%s", myr_message());
}

/* The machine and the settings are not part of it: the same file gives the same text everywhere. */
static int write_json(const info_line *line, const myr_settings *settings) {
    output json;
    if (output_open(&json, line->json)) return CLI_BAD_INPUT;
    myr_model *model = NULL, *on = NULL;
    int status = load_model(line, settings, &model);
    if (status == CLI_OK) status = ground_put(model, settings, &on);
    if (status == CLI_OK) status = info_json_write(on ? on : model, &json);
    myr_model_free(on);
    myr_model_free(model);
    output_discard(&json);
    return status;
}

/* Those that this robot can do. */
static void print_tasks(const myr_model_info *m) {
    myr_task_info task;
    printf("  tasks        ");
    for (int i = 0, n = 0; myr_task_name(i); i++) {
        if (myr_task_get(myr_task_name(i), &task) != MYR_OK || (task.needs_quadruped && !m->is_quadruped)) continue;
        if (!task.needs_actuators || m->nu) printf("%s %s", n++ ? "," : "", task.name);
    }
    printf("\n");
}

static void print_self_contact(const myr_model_info *m) {
    if (m->self_collision == MYR_SELF_OFF) {
        printf("  self-contact  off (--self-collision auto)\n");
        return;
    }
    printf("  self-contact  %d of %d pairs kept", m->n_self_pairs, m->n_self_candidates);
    if (m->self_collision == MYR_SELF_AUTO) printf("; %d are never near, %d overlap by design", m->n_far, m->n_overlapping);
    printf("\n");
}

/* What is stepped: `model` itself, or that on a map. Its shapes are timed from `plain`. */
static int print_stepped(const info_line *line, const myr_settings *settings, const myr_model *plain, const myr_model *model) {
    int status = CLI_OK;
    myr_model_info m;
    myr_model_get_info(model, &m);
    printf("Model %s\n", m.name);
    printf("  size          nq %d, nv %d, %d actuators, %d bodies in %d tree%s, %.6g kg\n", m.nq, m.nv, m.nu, m.n_bodies, m.n_trees,
           m.n_trees == 1 ? "" : "s", m.mass_kg);
    printf("  contact       %d geoms, %d slots\n", m.n_geoms, m.n_slots);
    print_self_contact(&m);
    for (int i = 0; i < myr_model_friction_groups(model); i++)
        printf("%s%s%s", i ? ", " : "  friction      groups: ", myr_model_friction_group_name(model, i),
               i + 1 < myr_model_friction_groups(model) ? "" : "\n");
    if (m.fluid.density > 0 || m.fluid.viscosity > 0)
        printf("  fluid         %g kg/m^3, %g Pa s, moves by %g %g %g m/s\n", m.fluid.density, m.fluid.viscosity, m.fluid.wind[0],
               m.fluid.wind[1], m.fluid.wind[2]);
    if (m.timestep_s > 0) printf("  timestep      %g s, unless --dt says otherwise\n", m.timestep_s);
    if (m.hangs_below) printf("  ground        off by default: at home it would reach %.3g m into it\n", m.floor_m - m.lowest_m);
    if (!m.hangs_below && m.floor_m != 0) printf("  ground        at %g m, where its file has the floor\n", m.floor_m);
    print_tasks(&m);
    print_joints(model, m.n_joints);
    print_actuators(model, m.nu);
    print_sensors(model, m.n_sensors);
    print_keyframes(model, m.n_keyframes);
    print_rows(model, m.n_rows);
    print_loops(model, m.n_loops);
    print_geoms(model, m.n_geoms);
    if (line->times) status = shape_time_print(plain, settings);
    printf("  frames       ");
    for (int f = 0; f < m.n_frames; f++) printf(" %s", myr_model_frame_name(model, f));
    printf("\n  home q       ");
    double *q = cli_allocate((size_t)m.nq, sizeof *q);
    myr_model_home(model, q);
    for (int i = 0; i < m.nq; i++) printf(" %.6g", q[i]);
    free(q);
    printf("\n  warnings      %d\n", m.n_warnings);
    for (int w = 0; w < m.n_warnings; w++) printf("    %s\n", myr_model_warning(model, w));
    if (myr_model_terrain(model)) ground_print(myr_model_terrain(model), settings, stdout);
    return status;
}

static int print_model(const info_line *line, const myr_settings *settings) {
    myr_model *model = NULL, *on = NULL;
    int status = load_model(line, settings, &model);
    if (status == CLI_OK) status = ground_put(model, settings, &on);
    if (status == CLI_OK) status = print_stepped(line, settings, model, on ? on : model);
    myr_model_free(on);
    myr_model_free(model);
    return status;
}

static int print_terrain(const myr_settings *settings) {
    myr_terrain *terrain;
    const int status = ground_generate(settings, &terrain);
    if (terrain) ground_print(terrain, settings, stdout);
    myr_terrain_free(terrain);
    return status;
}

/* ---- settings ------------------------------------------------------------------------------------ */

static void print_settings(const cli_options *options, const myr_settings *settings) {
    const myr_settings plain = myr_settings_default();
    const char *key, *doc_text;
    char value[MYR_NAME_LENGTH], plain_value[MYR_NAME_LENGTH];
    printf("Settings (profile %s; * differs from the default)\n", options->profile_label);
    for (int i = 0; myr_settings_key(settings, i, &key, value, &doc_text); i++) {
        myr_settings_key(&plain, i, NULL, plain_value, NULL);
        printf("%c %-15s %-14s %s%s\n", strcmp(value, plain_value) ? '*' : ' ', key, value, doc_text,
               cli_options_is_flag(options, key) ? " (from the command line)" : "");
    }
}

int cli_info(int argc, char **argv) {
    static const char *const first_keys[] = {"root", "isa", "threads", NULL};
    cli_options options = {.first = first_keys};
    cli_options_begin(&options, argc);
    const struct argp_child children[] = {
        {&options.argp, 0, NULL, 0}, {&cli_meshes_argp, 0, NULL, 0}, {&cli_objects_argp, 0, NULL, 0}, {0}};
    const struct argp argp = {own_options, parse, "[MODEL]", doc, children, NULL, NULL};
    info_line line = {.options = &options, .load = myr_load_options_default()};
    cli_parse(&argp, argc, argv, &line);

    myr_settings settings;
    int status = cli_options_resolve(&options, &settings);
    if (status == CLI_OK && line.json) {
        status = write_json(&line, &settings);
        cli_options_end(&options);
        return status;
    }
    if (status == CLI_OK) status = print_machine(&settings);
    if (status == CLI_OK) status = line.model ? print_model(&line, &settings) : print_terrain(&settings);
    if (status == CLI_OK && (options.n_profiles || options.n_flags)) print_settings(&options, &settings);
    cli_options_end(&options);
    return status;
}

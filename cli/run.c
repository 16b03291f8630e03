/* myriapod run: load a model, step a batch of it, report. */
#include "run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "drive.h"
#include "dump.h"
#include "home.h"
#include "json.h"
#include "meshes.h"
#include "numbers.h"
#include "motors.h"
#include "objects.h"
#include "options.h"
#include "output.h"
#include "progress.h"

static const char *const first_keys[] = {"envs",      "steps", "warmup",  "dt",   "task",      "solver", "tolerance",
                                         "precision", "isa",   "threads", "seed", "first-env", "root",   NULL};

typedef struct run_line {
    cli_options *options;
    const char *model, *json, *save, *problems, *home, *restore, *record, *gains, *motors, *target;
    int64_t dump_count, dump_contacts, record_envs, record_every;
    myr_load_options load;
    cli_objects objects;
} run_line;

/* What a run writes: opened before anything is computed, committed together at the end. */
typedef struct run_outputs {
    output json, save, problems, record;
    dump dump;
} run_outputs;

/* Who looks at the batch, or has a say, before certain control steps. */
typedef struct watch {
    dump *problems;
    drive *drive;
    myr_recording *recording; /* NULL: none */
    int64_t every, driven;    /* control steps from frame to frame; the last one that was driven, -1: none */
    int64_t frames;           /* of this phase */
    int failed;
} watch;

enum {
    KEY_JSON = CLI_OWN,
    KEY_SAVE,
    KEY_PROBLEMS,
    KEY_DUMP_COUNT,
    KEY_DUMP_CONTACTS,
    KEY_HOME,
    KEY_GAINS,
    KEY_MOTORS,
    KEY_TARGET,
    KEY_RESTORE,
    KEY_RECORD,
    KEY_RECORD_ENVS,
    KEY_RECORD_EVERY
};
enum { DUMP_COUNT = 1000, DUMP_COUNT_LIMIT = 10000000, RECORD_ENVS = 16 };

static const struct argp_option own_options[] = {
    {"home", KEY_HOME, "FILE|KEYFRAME", 0,
     "where the robots begin: a keyframe of an MJCF, or FILE.json: {\"q\": [..]} or {\"joints\": {NAME: position}}", 1},
    {"gains", KEY_GAINS, "FILE", 0, "JSON: {\"kp\": x or [..], \"kd\": ..} or {\"actuators\": {NAME: {\"kp\": x, \"kd\": x}}}", 1},
    {"motors", KEY_MOTORS, "FILE", 0,
     "JSON: {NAMES: {\"kind\": \"dc\", \"stall\": 120, \"speed\": 7.5, \"delay\": [0, 4]}}; names with * and ?", 1},
    {"target", KEY_TARGET, "home|sine:A[,HZ]|FILE", 0,
     "controls of the actuators: home's, a sine about them (1 Hz unless said), or FILE: a line of them for each control step", 1},
    {"record", KEY_RECORD, "FILE", 0,
     "record q and v (on a map ground_at, too) of the timed steps, for myriapod view FILE and myriapod.Recording", 1},
    {"record-envs", KEY_RECORD_ENVS, "N", 0, "of the first so many environments (default 16)", 1},
    {"record-every", KEY_RECORD_EVERY, "N", 0, "a frame every so many control steps (default: every 20 ms)", 1},
    {"restore", KEY_RESTORE, "FILE", 0, "begin where a saved batch of this model and precision is", 1},
    {"json", KEY_JSON, "FILE", 0, "write every figure of the summary as JSON; - is standard output (the summary then goes to stderr)", 1},
    {"save", KEY_SAVE, "FILE", 0, "save the batch after the last step; restored anywhere it goes on with the same bits", 1},
    {"dump-problems", KEY_PROBLEMS, "FILE", 0,
     "write contact problems that the timed steps meet, for solve and compare: JSON, or FCLib's HDF5 where FILE ends in .h5 or .hdf5", 1},
    {"dump-count", KEY_DUMP_COUNT, "N", 0, "problems to dump, spread over steps and environments (default 1000)", 1},
    {"dump-contacts", KEY_DUMP_CONTACTS, "N", 0, "dump problems of at least so many contacts (default 1)", 1},
    {0},
};

static const char doc[] =
    "Steps many copies of MODEL and says how fast and how exactly. MODEL is a URDF or MJCF file, or a robot that ships: anymal, solo12, "
    "biped, hopper, sphere, cube, double-pendulum, chain-N (N links), stack-N, stack-N-RATIO (N cubes), hand-ball."
    "\v"
    "A setting takes its value from the default, then from the profile, then from the flag.\n"
    "Loading and warm-up are not timed. Ctrl-C ends the run with the figures so far.\n"
    "\n"
    "Examples:\n"
    "  myriapod run anymal\n"
    "      4096 ANYmals stand: float, fastest instruction set, one thread per core\n"
    "  myriapod run anymal --task trot --profile paper --envs 512 --json trot.json\n"
    "      the published settings in double; figures for a program in trot.json\n"
    "  myriapod run my_robot.urdf --root fixed --envs 1 --steps 1000 --warmup 0\n"
    "      one robot bolted to the world\n"
    "  myriapod run my_robot.xml --home crouch --target sine:0.2,0.5 --record run.rec\n"
    "      from a keyframe, joints swinging by 0.2 at 0.5 Hz; it is shown by\n"
    "      myriapod view run.rec --robot my_robot.xml\n"
    "  myriapod run anymal --task random --envs 500 --first-env 500 --seed 7\n"
    "      the second half of a batch of 1000, bit for bit as in one piece\n"
    "  myriapod run anymal --terrain legged-gym --envs 200 --record ground.rec\n"
    "      on generated ground, an environment to each of its patches or so\n"
    "  myriapod run anymal --task random --dump-problems met.json --dump-count 200\n"
    "      200 contact problems that the run met\n"
    "\n"
    "Exit status: 0 done (also with quarantined environments: they are reported), 1 bad input or an output that cannot be "
    "written (found before the first step), 2 bad usage.";

static error_t parse(int key, char *argument, struct argp_state *state) {
    run_line *line = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = line->options;
        state->child_inputs[1] = &line->load;
        state->child_inputs[2] = &line->objects;
        return 0;
    case KEY_HOME: line->home = argument; return 0;
    case KEY_GAINS: line->gains = argument; return 0;
    case KEY_MOTORS: line->motors = argument; return 0;
    case KEY_TARGET: line->target = argument; return 0;
    case KEY_RESTORE: line->restore = argument; return 0;
    case KEY_RECORD: line->record = argument; return 0;
    case KEY_RECORD_ENVS: line->record_envs = cli_whole("record-envs", argument, INT64_MAX); return 0;
    case KEY_RECORD_EVERY: line->record_every = cli_whole("record-every", argument, INT64_MAX); return 0;
    case KEY_JSON: line->json = argument; return 0;
    case KEY_SAVE: line->save = argument; return 0;
    case KEY_PROBLEMS: line->problems = argument; return 0;
    case KEY_DUMP_COUNT: line->dump_count = cli_whole("dump-count", argument, DUMP_COUNT_LIMIT); return 0;
    case KEY_DUMP_CONTACTS: line->dump_contacts = cli_whole("dump-contacts", argument, 10000); return 0;
    case ARGP_KEY_ARG:
        if (line->model) exit(cli_usage("one MODEL only: \"%s\" follows \"%s\"", argument, line->model));
        line->model = argument;
        return 0;
    case ARGP_KEY_END:
        if (!line->problems && (line->dump_count || line->dump_contacts))
            exit(cli_usage("--dump-count and --dump-contacts need --dump-problems FILE"));
        if (!line->record && (line->record_envs || line->record_every))
            exit(cli_usage("--record-envs and --record-every need --record FILE"));
        if (line->model) return 0;
        if (state->argc == 1 && isatty(STDOUT_FILENO)) {
            argp_state_help(state, stdout, ARGP_HELP_SHORT_USAGE | ARGP_HELP_LONG | ARGP_HELP_DOC);
            exit(CLI_BAD_USAGE);
        }
        exit(cli_usage("MODEL is missing: a URDF or MJCF file, or a robot that ships (anymal, solo12, hopper, ...)"));
    default: return ARGP_ERR_UNKNOWN;
    }
}

static void find_quarantined(const myr_batch *batch, run_result *result) {
    if (!result->stats.quarantined) return;
    const size_t n = (size_t)result->batch.envs;
    double *reason = cli_allocate(n, sizeof *reason);
    result->quarantined = cli_allocate((size_t)result->stats.quarantined, sizeof *result->quarantined);
    result->reason = cli_allocate((size_t)result->stats.quarantined, sizeof *result->reason);
    if (myr_batch_get(batch, MYR_QUARANTINED, NULL, (int64_t)n, MYR_F64, reason) != MYR_OK) {
        cli_warning("which environments are quarantined cannot be read: %s", myr_message());
    } else {
        for (size_t i = 0; i < n && result->n_quarantined < result->stats.quarantined; i++) {
            if (reason[i] == 0.0) continue;
            result->quarantined[result->n_quarantined] = result->settings.first_env + (int64_t)i;
            result->reason[result->n_quarantined++] = (myr_quarantine)(int)reason[i];
        }
    }
    free(reason);
}

static int64_t sooner(int64_t a, int64_t b) { return a < b ? a : b; }

/* A driven batch is asked before every control step; a frame is taken after so many. */
static int64_t watch_next(void *context) {
    const watch *w = context;
    const int64_t frame = w->recording ? w->frames * w->every : INT64_MAX;
    return sooner(sooner(dump_next(w->problems), frame), w->drive && drive_acts(w->drive) ? w->driven + 1 : INT64_MAX);
}

static int watch_look(void *context, const myr_batch *batch, int64_t done) {
    watch *w = context;
    if (drive_acts(w->drive) && w->driven < done) {
        w->driven = done;
        if ((w->failed = drive_take(w->drive, done))) return 1;
    }
    if (w->recording && w->frames * w->every <= done) {
        w->frames++;
        if (myr_recording_append(w->recording, batch) != MYR_OK) return w->failed = cli_error("--record: %s", myr_message());
    }
    if (dump_next(w->problems) <= done) w->failed = w->problems->failed = dump_take(w->problems, batch, done);
    return w->failed;
}

/* Steps of one phase under the eyes of `w`. */
static myr_status step_phase(myr_batch *batch, const char *label, int64_t steps, double *step_s, int64_t *done, watch *w) {
    const progress_pause pause = {watch_next, watch_look, w};
    const int asks = drive_acts(w->drive) || w->recording || dump_next(w->problems) < INT64_MAX;
    w->driven = -1;
    const myr_status status = progress_step(batch, label, steps, step_s, done, asks ? &pause : NULL);
    drive_next_phase(w->drive, *done);
    return status;
}

/* Warm-up, then the timed steps. */
static int step(myr_batch *batch, run_result *result, watch *timed) {
    dump nothing = {0};
    watch warm = {.problems = &nothing, .drive = timed->drive};
    double step_s = 0;
    progress_begin();
    myr_status status = step_phase(batch, "warm-up", result->settings.warmup, &step_s, &result->warmup, &warm);
    myr_batch_clear_stats(batch);
    if (status == MYR_OK && !warm.failed) status = step_phase(batch, "run", result->settings.steps, &step_s, &result->steps, timed);
    progress_end();
    if (warm.failed || timed->failed) return warm.failed ? warm.failed : timed->failed;
    if (status != MYR_OK) return cli_error("after %lld steps: %s", (long long)(result->warmup + result->steps), myr_message());
    if (progress_interrupted()) {
        cli_warning("interrupted after %lld of %lld warm-up and %lld of %lld timed steps", (long long)result->warmup,
                    (long long)result->settings.warmup, (long long)result->steps, (long long)result->settings.steps);
    }
    return CLI_OK;
}

/* The first environments, a frame every 20 ms unless told. */
static int record_open(const run_line *line, const run_result *result, const myr_batch *batch, const output *out, watch *w) {
    static const myr_field fields[] = {MYR_Q, MYR_V, MYR_GROUND_AT};
    const double step_s = result->batch.dt_s * (double)result->settings.decimation, usual = floor(0.02 / step_s + 0.5);
    if (!out->path) return CLI_OK;
    w->every = line->record_every ? line->record_every : usual < 1 ? 1 : (int64_t)usual;
    const myr_recording_plan plan = {.n = sooner(line->record_envs ? line->record_envs : RECORD_ENVS, result->settings.envs),
                                     .fields = fields,
                                     .n_fields = result->terrain ? 3 : 2,
                                     .type = MYR_F32,
                                     .frame_s = step_s * (double)w->every};
    const char *path = out->temporary ? out->temporary : out->path;
    if (myr_recording_create(batch, path, &plan, &w->recording) != MYR_OK) return cli_error("--record: %s", myr_message());
    return CLI_OK;
}

static int record_close(watch *w) {
    const myr_status status = myr_recording_close(w->recording);
    w->recording = NULL;
    return status == MYR_OK ? CLI_OK : cli_error("--record: %s", myr_message());
}

static int report(const myr_batch *batch, run_result *result, run_outputs *outputs) {
    output *json = &outputs->json, *save = &outputs->save;
    myr_machine machine;
    result->cpu = myr_machine_get(&machine) == MYR_OK ? machine.cpu : "unknown processor";
    myr_batch_stats(batch, &result->stats);
    result->state_hash = myr_batch_hash(batch);
    find_quarantined(batch, result);
    if (posture_measure(batch, &result->settings, &result->end) != MYR_OK)
        cli_warning("how the robots are at the end is not known: %s", myr_message());

    const int json_on_stdout = json->file == stdout;
    run_print(result, json_on_stdout ? stderr : stdout);
    if (json->path) {
        json_t *root = run_json(result);
        const int bad = json_dumpf(root, json->file, CLI_JSON_PAGE) != 0 || fputc('\n', json->file) == EOF;
        json_decref(root);
        if (bad) return cli_error("cannot write \"%s\"", json->path);
    }
    if (save->path) {
        const char *path = save->temporary ? save->temporary : save->path;
        if (myr_batch_save(batch, path) != MYR_OK) return cli_error("cannot save to \"%s\": %s", save->path, myr_message());
    }
    if (outputs->problems.path)
        fprintf(json_on_stdout ? stderr : stdout, "problems     %lld in \"%s\"\n", (long long)outputs->dump.written,
                outputs->problems.path);
    /* All or an error: a commit that fails says so itself. */
    int bad = output_commit(json);
    bad |= output_commit(save);
    bad |= output_commit(&outputs->problems);
    bad |= output_commit(&outputs->record);
    return bad ? CLI_BAD_INPUT : CLI_OK;
}

static int run(const run_line *line, run_result *result, run_outputs *outputs) {
    myr_model *model = NULL;
    myr_batch *batch = NULL;
    myr_load_options load = line->load;
    load.root = cli_root(result->settings.root);
    int status = cli_open_model(line->model, &load, line->home, &model);
    if (status == CLI_OK) status = cli_put_objects(&line->objects, &load, &model);
    if (status == CLI_OK) status = cli_put_motors(line->motors, &model);
    if (status != CLI_OK) return status;
    myr_model_get_info(model, &result->model);
    for (int i = 0; i < result->model.n_warnings; i++) cli_warning("%s", myr_model_warning(model, i));

    drive driven = {.gains = line->gains, .target = line->target};
    watch watched = {.problems = &outputs->dump, .drive = &driven};
    if (myr_batch_create(model, result->settings.envs, &result->settings, &batch) != MYR_OK) status = cli_error("%s", myr_message());
    if (status == CLI_OK) {
        myr_batch_get_info(batch, &result->batch);
        myr_model_get_info(myr_batch_model(batch), &result->model);
        result->terrain = myr_model_terrain(myr_batch_model(batch));
        for (int i = 0; myr_batch_warning(batch, i); i++) cli_warning("%s", myr_batch_warning(batch, i));
        cli_options_idle(line->options, result->batch.task);
    }
    if (status == CLI_OK) status = drive_open(&driven, model, batch, &result->settings);
    if (status == CLI_OK && line->restore && myr_batch_restore(batch, line->restore) != MYR_OK) status = cli_error("%s", myr_message());
    if (status == CLI_OK) status = dump_open(&outputs->dump, &outputs->problems, batch, &result->settings, &result->model);
    if (status == CLI_OK) status = record_open(line, result, batch, &outputs->record, &watched);
    if (status == CLI_OK) status = step(batch, result, &watched);
    if (status == CLI_OK) status = dump_close(&outputs->dump);
    if (status == CLI_OK) status = record_close(&watched);
    if (status == CLI_OK) status = report(batch, result, outputs);
    myr_recording_close(watched.recording);
    drive_close(&driven);
    myr_batch_free(batch);
    myr_model_free(model);
    return status;
}

int cli_run(int argc, char **argv) {
    cli_options options = {.first = first_keys};
    cli_options_begin(&options, argc);
    const struct argp_child children[] = {
        {&options.argp, 0, NULL, 0}, {&cli_meshes_argp, 0, NULL, 0}, {&cli_objects_argp, 0, NULL, 0}, {0}};
    const struct argp argp = {own_options, parse, "MODEL", doc, children, NULL, NULL};
    run_line line = {.options = &options, .load = myr_load_options_default()};
    cli_parse(&argp, argc, argv, &line);

    run_result result = {.model_argument = line.model};
    run_outputs outputs = {.dump = {.model = line.model,
                                    .count = line.dump_count ? line.dump_count : DUMP_COUNT,
                                    .contacts = line.dump_contacts ? (int)line.dump_contacts : 1}};
    output *json = &outputs.json, *save = &outputs.save, *problems = &outputs.problems, *record = &outputs.record;
    int status = cli_options_resolve(&options, &result.settings);
    result.profile = options.profile_label;
    if (status == CLI_OK && line.save && strcmp(line.save, "-") == 0) status = cli_usage("--save needs a file, not \"-\"");
    if (status == CLI_OK && line.problems && strcmp(line.problems, "-") == 0) status = cli_usage("--dump-problems needs a file, not \"-\"");
    if (status == CLI_OK && line.record && strcmp(line.record, "-") == 0) status = cli_usage("--record needs a file, not \"-\"");
    if (status == CLI_OK && (output_open(json, line.json) || output_open(save, line.save) || output_open(problems, line.problems) ||
                             output_open(record, line.record)))
        status = CLI_BAD_INPUT;
    if (status == CLI_OK && output_same(json, save)) status = cli_usage("--json and --save name the same file \"%s\"", line.json);
    if (status == CLI_OK && (output_same(json, problems) || output_same(save, problems)))
        status = cli_usage("--dump-problems names the file \"%s\" of another output", line.problems);
    if (status == CLI_OK && (output_same(json, record) || output_same(save, record) || output_same(problems, record)))
        status = cli_usage("--record names the file \"%s\" of another output", line.record);
    if (status == CLI_OK) status = run(&line, &result, &outputs);
    dump_free(&outputs.dump);
    output_discard(json);
    output_discard(save);
    output_discard(problems);
    output_discard(record);
    free(result.quarantined);
    free(result.reason);
    cli_options_end(&options);
    return status;
}

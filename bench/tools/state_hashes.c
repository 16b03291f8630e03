/* Hashes of the states that twenty-odd scenes end in, and of what their calls wrote: one line per scene and precision. Two builds of the
 * library that print the same lines make the same trajectories. Run it in the source tree, since some robots are files there:
 *
 *     build/bench/state_hashes > new;  LD_LIBRARY_PATH=OLD_BUILD build/bench/state_hashes > old;  diff old new */
#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <myriapod/myriapod.h>

enum { ENVS = 40, STEPS = 300, TOLD = 40, WORDS = 6 };

typedef struct scene {
    const char *robot, *task;
    const char *words[WORDS]; /* key, value, .. */
} scene;

/* Stepped, then rolled out under controls. */
static const scene stepped[] = {
    {"anymal", "stand", {NULL}},
    {"anymal", "trot", {NULL}},
    {"anymal", "random", {NULL}},
    {"anymal", "drop", {NULL}},
    {"anymal", "hang", {NULL}},
    {"anymal", "trot", {"decimation", "3"}},
    {"anymal", "drop", {"solver", "nsgs", "gap", "0.02"}},
    {"anymal", "trot", {"dynamics", "maximal", "dt", "2e-3"}},
    {"anymal", "drop", {"dynamics", "maximal", "dt", "5e-3"}},
    {"anymal", "drop", {"dynamics", "maximal-tree", "gap", "0.1"}},
    {"solo12", "random", {NULL}},
    {"biped", "none", {NULL}},
    {"cube", "none", {"baumgarte", "0.2"}},
    {"cube", "none", {"dynamics", "maximal", "dt", "1e-2"}},
    {"stack-3", "none", {NULL}},
    {"chain-9", "none", {"dynamics", "maximal-tree"}},
    {"double-pendulum", "none", {"dynamics", "maximal"}},
    {"hopper", "none", {"limit-recheck", "1"}},
    {"tests/models/crane.xml", "none", {NULL}},
    {"tests/models/crane.xml", "none", {"dynamics", "maximal"}},
};

/* Control steps: actions, observations, episodes that end. */
static const scene acted[] = {
    {"anymal", "locomotion", {"decimation", "4", "dt", "5e-3"}},
    {"anymal", "hold", {"decimation", "4", "dt", "5e-3", "episode", "0.5"}},
    {"biped", "hold", {"decimation", "4", "dt", "5e-3"}},
};

static uint64_t mixed(uint64_t hash, const void *data, size_t bytes) { /* FNV-1a */
    for (size_t i = 0; i < bytes; i++) hash = (hash ^ ((const unsigned char *)data)[i]) * UINT64_C(1099511628211);
    return hash;
}
static const uint64_t start = UINT64_C(14695981039346656037);

static void must(myr_status status) {
    if (status == MYR_OK) return;
    fprintf(stderr, "state_hashes: %s\n", myr_message());
    exit(1);
}

static void *room(size_t count, size_t size) {
    void *memory = calloc(count ? count : 1, size);
    if (!memory) exit(1);
    return memory;
}

static myr_batch *open_batch(const scene *s, const char *precision, myr_model_info *info) {
    myr_settings settings = myr_settings_default();
    myr_model *model = NULL;
    myr_batch *batch = NULL;
    must(myr_settings_set(&settings, "task", s->task));
    must(myr_settings_set(&settings, "precision", precision));
    must(myr_settings_set(&settings, "threads", "2"));
    for (int i = 0; i < WORDS && s->words[i]; i += 2) must(myr_settings_set(&settings, s->words[i], s->words[i + 1]));
    must(myr_model_load(s->robot, MYR_ROOT_AUTO, &model));
    myr_model_get_info(model, info);
    settings.sense_contacts = 1, settings.sense_bodies = 1;
    must(myr_batch_create(model, ENVS, &settings, &batch));
    myr_model_free(model);
    return batch;
}

/* Velocities that differ by environment, so that lanes do not all do the same. */
static void stir(myr_batch *batch, const myr_model_info *info) {
    double *v = room((size_t)(ENVS * info->nv), sizeof *v);
    for (int i = 0; i < ENVS * info->nv; i++) v[i] = 0.6 * sin(1 + 0.37 * i);
    must(myr_batch_set(batch, MYR_V, NULL, ENVS, MYR_F64, v));
    free(v);
}

static void told(const scene *s, const char *precision, const char *what, const myr_batch *batch, uint64_t arrays) {
    myr_stats stats;
    myr_batch_stats(batch, &stats);
    printf("%-24s %-10s", strrchr(s->robot, '/') ? strrchr(s->robot, '/') + 1 : s->robot, s->task);
    for (int i = 0; i < WORDS && s->words[i]; i += 2) printf(" %s=%s", s->words[i], s->words[i + 1]);
    printf(" %s %s: state %016" PRIx64 " arrays %016" PRIx64 " contacts %.6g sweeps %.6g\n", precision, what, myr_batch_hash(batch), arrays,
           stats.contacts_mean, stats.iterations_mean);
}

static uint64_t seen(const myr_batch *batch, uint64_t hash) {
    static const myr_field fields[] = {MYR_IMPULSE,     MYR_TIME,          MYR_ITERATIONS, MYR_RESIDUAL,
                                       MYR_QUARANTINED, MYR_CONTACT_POINT, MYR_BODY_POSE};
    for (size_t f = 0; f < sizeof fields / sizeof *fields; f++) {
        const size_t n = (size_t)(ENVS * myr_batch_components(batch, fields[f]));
        double *x = room(n, sizeof *x);
        if (n) must(myr_batch_get(batch, fields[f], NULL, ENVS, MYR_F64, x));
        hash = mixed(hash, x, n * sizeof *x);
        free(x);
    }
    return hash;
}

static void step(const scene *s, const char *precision) {
    myr_model_info info;
    myr_batch *batch = open_batch(s, precision, &info);
    if (!strcmp(s->task, "none")) stir(batch, &info);
    for (int k = 0; k < STEPS; k += 100) must(myr_batch_step(batch, 100));
    told(s, precision, "step", batch, seen(batch, start));
    const size_t controls = (size_t)(ENVS * TOLD * info.nu), states = (size_t)(ENVS * TOLD * (info.nq + info.nv));
    float *control = room(controls, sizeof *control), *state = room(states, sizeof *state);
    for (size_t i = 0; i < controls; i++) control[i] = (float)(0.4 * sin(2 + 0.11 * (double)i));
    const myr_rollout rollout = {.steps = TOLD, .control_field = MYR_TARGET, .type = MYR_F32, .control = control, .state = state};
    must(myr_batch_rollout(batch, &rollout));
    told(s, precision, "rollout", batch, seen(batch, mixed(start, state, states * sizeof *state)));
    free(control);
    free(state);
    myr_batch_free(batch);
}

static void act(const scene *s, const char *precision) {
    myr_model_info info;
    myr_batch *batch = open_batch(s, precision, &info);
    const int n_obs = myr_batch_observations(batch), terms = myr_task_reward_count(s->task);
    const size_t rows = (size_t)ENVS * TOLD, wide = (size_t)(n_obs + info.nq + info.nv + terms + 2);
    float *action = room(rows * (size_t)info.nu, sizeof *action), *out = room(rows * wide, sizeof *out), *next = out;
    uint8_t *ends = room(3 * rows, 1);
    for (size_t i = 0; i < rows * (size_t)info.nu; i++) action[i] = (float)(3 * sin(1 + 0.013 * (double)i));
    myr_act a = {.steps = TOLD, .type = MYR_F32, .action = action};
    a.observation = next, next += rows * (size_t)n_obs;
    a.state = next, next += rows * (size_t)(info.nq + info.nv);
    a.terms = next, next += rows * (size_t)terms;
    a.reward = next, next += rows;
    a.episode_return = next;
    a.terminated = ends, a.truncated = ends + rows, a.fault = ends + 2 * rows;
    static const myr_autoreset modes[] = {MYR_AUTORESET_SAME_STEP, MYR_AUTORESET_NEXT_STEP, MYR_AUTORESET_DISABLED};
    for (int m = 0; m < 3; m++) {
        a.autoreset = modes[m];
        must(myr_batch_act(batch, &a));
        told(s, precision,
             m == 0   ? "act"
             : m == 1 ? "act, next"
                      : "act, wait",
             batch, seen(batch, mixed(mixed(start, out, rows * wide * sizeof *out), ends, 3 * rows)));
    }
    must(myr_batch_step(batch, 5));
    told(s, precision, "step after act", batch, seen(batch, start));
    free(action);
    free(out);
    free(ends);
    myr_batch_free(batch);
}

/* A learner collects, learns and collects again; its policy plays. */
static void learn(const scene *s, const char *precision) {
    myr_model_info info;
    myr_batch *batch = open_batch(s, precision, &info);
    myr_learn_options options;
    myr_learner *learner = NULL;
    myr_learn_options_default(&options);
    options.envs = ENVS, options.observations = myr_batch_observations(batch), options.actions = info.nu, options.threads = 2;
    must(myr_learner_create(&options, &learner));
    for (int k = 0; k < 3; k++) {
        must(myr_learner_collect(learner, batch));
        must(myr_learner_update(learner, NULL, &(myr_learn_report){0}));
    }
    const size_t count = (size_t)myr_learner_count(learner);
    float *weights = room(count, sizeof *weights);
    must(myr_learner_get(learner, MYR_LEARNED_WEIGHTS, weights));
    told(s, precision, "collect", batch, seen(batch, mixed(start, weights, count * sizeof *weights)));
    myr_policy_def def = {.observations = options.observations, .actions = info.nu, .hidden_layers = options.hidden_layers, .threads = 2};
    const float *next = weights;
    for (int k = 0, in = options.observations; k <= options.hidden_layers; k++) {
        const int width = k < options.hidden_layers ? options.hidden[k] : info.nu;
        if (k < options.hidden_layers) def.hidden[k] = width;
        def.weights[k] = next, next += in * width, def.biases[k] = next, next += width, in = width;
    }
    myr_policy *policy = NULL;
    must(myr_policy_create(&def, &policy));
    const size_t actions = (size_t)(ENVS * TOLD * info.nu);
    double *action = room(actions, sizeof *action);
    const myr_act a = {.steps = TOLD, .type = MYR_F64};
    must(myr_policy_act(policy, batch, &a, action));
    told(s, precision, "play", batch, seen(batch, mixed(start, action, actions * sizeof *action)));
    myr_policy_destroy(policy);
    myr_learner_destroy(learner);
    free(weights);
    free(action);
    myr_batch_free(batch);
}

int main(void) {
    static const char *const precisions[] = {"f32", "f64"};
    for (int p = 0; p < 2; p++) {
        for (size_t i = 0; i < sizeof stepped / sizeof *stepped; i++) step(&stepped[i], precisions[p]);
        for (size_t i = 0; i < sizeof acted / sizeof *acted; i++) act(&acted[i], precisions[p]), learn(&acted[i], precisions[p]);
    }
    return 0;
}

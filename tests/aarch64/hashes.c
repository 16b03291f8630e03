/* Steps scenes in both precisions and learns for three iterations, and prints what states and weights hash to, a line each:
 *
 *   hashes FOLDER ISA       FOLDER: the source tree, whose tests/models it reads; ISA: as the setting isa
 *
 * tests/promises/check_aarch64.sh compiles it against the libraries of two processors and compares what they print. Public headers alone.
 */
#include <math.h>
#include <myriapod/myriapod.h>
#include <stdio.h>
#include <stdlib.h>

static void must(myr_status status, const char *what) {
    if (status == MYR_OK) return;
    fprintf(stderr, "%s: %s\n", what, myr_message());
    exit(1);
}

typedef struct scene {
    const char *name, *model;
    const char *keys[12]; /* key, value, ..; NULL after the last */
    int steps, acts;      /* acts: control steps of the task, driven by sines */
} scene;

static const scene scenes[] = {
    {"trot", "anymal", {"task", "trot"}, 200, 0},
    {"random", "anymal", {"task", "random"}, 200, 0},
    {"drop", "anymal", {"task", "drop"}, 300, 0},
    {"hang", "anymal", {"task", "hang"}, 200, 0},
    {"locomotion", "anymal", {"task", "locomotion"}, 0, 60},
    {"solo12", "solo12", {"task", "random", "solver", "nsgs"}, 200, 0},
    {"cube", "cube", {"task", "none", "restitution", "0.5"}, 400, 0},
    {"biped hold", "biped", {"task", "hold"}, 0, 60},
    {"biped limp", "biped", {"task", "none", "root", "floating", "solver", "admm-ncp"}, 200, 0},
    {"biped maximal", "biped", {"task", "none", "root", "floating", "dynamics", "maximal"}, 60, 0},
    {"stack", "stack-3", {"task", "none", "solver", "ipm-cone"}, 100, 0},
    {"linkage", "tests/models/linkage.urdf", {"task", "none", "loop-projection", "1", "limit-recheck", "1"}, 200, 0},
    {"crane", "tests/models/crane.xml", {"task", "none"}, 200, 0},
    {"hopper", "hopper", {"task", "none", "limit-recheck", "1"}, 200, 0},
    {"g1", "g1", {"task", "none"}, 40, 0},
    {"g1 hold", "g1", {"task", "hold"}, 0, 6},
    {"h1", "h1", {"task", "none", "tolerance", "1e-7"}, 40, 0},
    {"hand", "allegro-cube", {"task", "none"}, 100, 0},
    {"arm", "panda-wall", {"task", "none"}, 100, 0},
    {"chain", "chain-9", {"task", "none", "dynamics", "maximal-tree"}, 60, 0},
    {"ant", "gym-ant", {"task", "none"}, 100, 0},
    {"rough", "go2", {"task", "locomotion", "terrain", "rough", "terrain-seed", "3"}, 0, 10},
    {"tower", "stack-5", {"task", "none", "solver", "admm-ccp"}, 60, 0},
};

static void act(myr_batch *batch, int64_t envs, int controls, int steps) {
    float *action = malloc(sizeof *action * (size_t)(envs * controls));
    if (!action) exit(1);
    for (int step = 0; step < steps; step++) {
        for (int64_t i = 0; i < envs * controls; i++) action[i] = (float)((int)((i * 7 + step * 13) % 64) - 32) / 64;
        const myr_act control = {.steps = 1, .type = MYR_F32, .action = action};
        must(myr_batch_act(batch, &control), "act");
    }
    free(action);
}

/* ANYmal learns to walk: collect and update, both in lanes. */
static void learn(const char *isa) {
    enum { ENVS = 33, ITERATIONS = 3 };
    myr_settings settings = myr_settings_default();
    must(myr_settings_load(&settings, "anymal-flat"), "anymal-flat");
    must(myr_settings_set(&settings, "isa", isa), "anymal-flat");
    must(myr_settings_set(&settings, "threads", "1"), "anymal-flat");
    myr_model *model = NULL;
    myr_batch *batch = NULL;
    must(myr_model_load("anymal", MYR_ROOT_AUTO, &model), "anymal");
    must(myr_batch_create(model, ENVS, &settings, &batch), "anymal");
    myr_model_info info;
    myr_model_get_info(model, &info);
    myr_learn_options options;
    myr_learn_options_default(&options);
    options.envs = ENVS, options.observations = myr_batch_observations(batch), options.actions = info.nu, options.threads = 1;
    snprintf(options.isa, sizeof options.isa, "%s", isa);
    myr_learner *learner = NULL;
    must(myr_learner_create(&options, &learner), "learner");
    for (int k = 0; k < ITERATIONS; k++) {
        must(myr_learner_collect(learner, batch), "collect");
        must(myr_learner_update(learner, NULL, NULL), "update");
    }
    const size_t bytes = (size_t)myr_learner_count(learner) * sizeof(float);
    unsigned char *weights = malloc(bytes);
    if (!weights) exit(1);
    must(myr_learner_get(learner, MYR_LEARNED_WEIGHTS, (float *)(void *)weights), "weights");
    unsigned long long hash = 0xcbf29ce484222325;
    for (size_t i = 0; i < bytes; i++) hash = (hash ^ weights[i]) * 0x100000001b3;
    printf("training f32 %016llx\n", hash);
    free(weights);
    myr_learner_destroy(learner);
    myr_batch_free(batch);
    myr_model_free(model);
}

int main(int argc, char **argv) {
    enum { ENVS = 19 };
    if (argc != 3) return fputs("usage: hashes FOLDER ISA\n", stderr), 2;
    learn(argv[2]);
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++)
        for (int p = 0; p < 2; p++) {
            const scene *s = &scenes[i];
            char file[4096];
            const char *model = s->model;
            myr_settings settings = myr_settings_default();
            must(myr_settings_set(&settings, "isa", argv[2]), s->name);
            must(myr_settings_set(&settings, "threads", "1"), s->name);
            must(myr_settings_set(&settings, "precision", p ? "f64" : "f32"), s->name);
            for (int k = 0; s->keys[k]; k += 2) must(myr_settings_set(&settings, s->keys[k], s->keys[k + 1]), s->name);
            if (model[0] == 't') snprintf(file, sizeof file, "%s/%s", argv[1], model), model = file;
            myr_load_options load = myr_load_options_default();
            load.root = settings.root[0] == 'f' && settings.root[1] == 'l' ? MYR_ROOT_FLOATING : MYR_ROOT_AUTO;
            myr_model *robot = NULL;
            myr_batch *batch = NULL;
            myr_model_info info;
            must(myr_model_open(model, &load, &robot), s->name);
            must(myr_batch_create(robot, ENVS, &settings, &batch), s->name);
            myr_model_get_info(robot, &info);
            if (s->acts) act(batch, ENVS, info.nu, s->acts);
            if (s->steps) must(myr_batch_step(batch, s->steps), s->name);
            double lost[ENVS];
            must(myr_batch_get(batch, MYR_QUARANTINED, NULL, ENVS, MYR_F64, lost), s->name);
            for (int env = 0; env < ENVS; env++)
                if (lost[env] != MYR_HEALTHY) return fprintf(stderr, "%s: robot %d is quarantined\n", s->name, env), 1;
            printf("%s %s %016llx\n", s->name, p ? "f64" : "f32", (unsigned long long)myr_batch_hash(batch));
            myr_batch_free(batch);
            myr_model_free(robot);
        }
    return 0;
}

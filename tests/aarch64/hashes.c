/* Steps a dozen scenes on the portable lanes in both precisions and prints what their states hash to, a line each:
 *
 *   hashes FOLDER       FOLDER: the source tree, whose tests/models it reads
 *
 * tests/check_aarch64.sh compiles it against the libraries of two processors and compares what they print. Public headers alone. */
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

int main(int argc, char **argv) {
    enum { ENVS = 19 };
    if (argc != 2) return fputs("usage: hashes FOLDER\n", stderr), 2;
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++)
        for (int p = 0; p < 2; p++) {
            const scene *s = &scenes[i];
            char file[4096];
            const char *model = s->model;
            myr_settings settings = myr_settings_default();
            must(myr_settings_set(&settings, "isa", "portable"), s->name);
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

/* What a comparison with another engine needs and `myriapod run` does not print: how a task's robots stand, their gains, and how deep
 * their contacts lie in the ground.
 *
 *   penetration MODEL [KEY=VALUE ...]      any setting, such as task=trot envs=256 warmup=1000 steps=2000
 *
 * Prints one JSON object: home (nq), kp, kd, effort (nu), depth_m (quantiles of -gap over the active slots, every tenth step). */
#include "../tools/must.h"
#include "../tools/quantiles.h"

enum { EVERY = 10 };

static void print_list(const char *name, const double *value, int n) {
    printf("\"%s\": [", name);
    for (int i = 0; i < n; i++) printf("%s%.17g", i ? ", " : "", value[i]);
    fputs("], ", stdout);
}

static void read_settings(myr_settings *settings, int count, char **words) {
    for (int i = 0; i < count; i++) {
        const char *value = cut_word(words[i]);
        must(myr_settings_set(settings, words[i], value));
    }
}

static void print_robot(const myr_model *model, const myr_batch *batch, const myr_model_info *info) {
    double *list = allocate((size_t)info->nq), *effort = allocate((size_t)info->nu);
    myr_model_home(model, list);
    print_list("home", list, info->nq);
    const int64_t first = 0;
    must(myr_batch_get(batch, MYR_KP, &first, 1, MYR_F64, list));
    print_list("kp", list, info->nu);
    must(myr_batch_get(batch, MYR_KD, &first, 1, MYR_F64, list));
    print_list("kd", list, info->nu);
    for (int j = 0; j < info->n_joints; j++) {
        myr_joint_info joint;
        must(myr_model_get_joint(model, j, &joint));
        if (joint.u >= 0) effort[joint.u] = joint.effort_limit;
    }
    print_list("effort", effort, info->nu);
    free(list);
    free(effort);
}

/* Depths of the slots that the last step found active: their normal is not zero. */
static void sample(const myr_batch *batch, size_t slots, int64_t envs, double *point, double *normal, samples *depth) {
    must(myr_batch_get(batch, MYR_CONTACT_POINT, NULL, envs, MYR_F64, point));
    must(myr_batch_get(batch, MYR_CONTACT_NORMAL, NULL, envs, MYR_F64, normal));
    for (size_t i = 0; i < slots * (size_t)envs; i++)
        if (normal[3 * i + 2] > 0) samples_add(depth, -point[3 * i + 2]);
}

int main(int argc, char **argv) {
    if (argc < 2) {
        fputs("usage: penetration MODEL [KEY=VALUE ...]\n", stderr);
        return 2;
    }
    myr_settings settings = myr_settings_default();
    read_settings(&settings, argc - 2, argv + 2);
    myr_model *model;
    myr_batch *batch;
    myr_model_info info;
    must(myr_model_load(argv[1], MYR_ROOT_AUTO, &model));
    myr_model_get_info(model, &info);
    settings.sense_contacts = 1;
    must(myr_batch_create(model, settings.envs, &settings, &batch));
    fputs("{", stdout);
    print_robot(model, batch, &info);

    const size_t room = 3 * (size_t)info.n_slots * (size_t)settings.envs;
    double *point = allocate(room), *normal = allocate(room);
    samples depth = {0};
    must(myr_batch_step(batch, settings.warmup));
    for (int64_t step = 0; step + EVERY <= settings.steps; step += EVERY) {
        must(myr_batch_step(batch, EVERY));
        sample(batch, (size_t)info.n_slots, settings.envs, point, normal, &depth);
    }
    samples_print(&depth, "depth_m");
    puts("}");
    free(point);
    free(normal);
    myr_batch_free(batch);
    myr_model_free(model);
    return 0;
}

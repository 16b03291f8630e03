/* How deep contacts sink into the ground over time: what Fig. 7 of Hwangbo 2018 shows of its hanging robot.
 *
 *   foot_drift MODEL [seconds=200] [every=2] [KEY=VALUE ...]      any setting, such as task=hang envs=32 solver=pgs tolerance=1e-8
 *
 * Prints one JSON object: t_s, and for each time depth_m (mean of -gap over the active slots of a robot, then over the robots that
 * have one) and error_m (standard error of that mean over robots); sweeps and how many solves did not converge. */
#include <math.h>

#include "../tools/must.h"

typedef struct depths {
    double mean, error;
    int64_t robots;
} depths;

static depths measure(const myr_batch *batch, int64_t envs, int slots, double *point, double *normal) {
    double sum = 0, squares = 0;
    depths d = {0};
    must(myr_batch_get(batch, MYR_CONTACT_POINT, NULL, envs, MYR_F64, point));
    must(myr_batch_get(batch, MYR_CONTACT_NORMAL, NULL, envs, MYR_F64, normal));
    for (int64_t env = 0; env < envs; env++) {
        double depth = 0;
        int active = 0;
        for (int64_t s = env * slots; s < (env + 1) * slots; s++)
            if (normal[3 * s + 2] > 0) depth -= point[3 * s + 2], active++;
        if (!active) continue;
        depth /= active;
        sum += depth, squares += depth * depth;
        d.robots++;
    }
    if (d.robots > 0) d.mean = sum / (double)d.robots;
    if (d.robots > 1) d.error = sqrt(fmax(squares / (double)d.robots - d.mean * d.mean, 0) / (double)(d.robots - 1));
    return d;
}

/* seconds= and every= are ours, the rest are settings. */
static void read_words(myr_settings *settings, int count, char **words, double *seconds, double *every) {
    for (int i = 0; i < count; i++) {
        const char *value = cut_word(words[i]);
        char *end;
        double *own = NULL;
        if (strcmp(words[i], "seconds") == 0) own = seconds;
        if (strcmp(words[i], "every") == 0) own = every;
        if (!own) {
            must(myr_settings_set(settings, words[i], value));
            continue;
        }
        *own = strtod(value, &end);
        if (*end || !(*own > 0)) {
            fprintf(stderr, "%s: \"%s\" is not a time in seconds\n", words[i], value);
            exit(2);
        }
    }
}

int main(int argc, char **argv) {
    if (argc < 2) {
        fputs("usage: foot_drift MODEL [seconds=200] [every=2] [KEY=VALUE ...]\n", stderr);
        return 2;
    }
    myr_settings settings = myr_settings_default();
    double seconds = 200, every = 2;
    read_words(&settings, argc - 2, argv + 2, &seconds, &every);
    myr_model *model;
    myr_batch *batch;
    myr_model_info info;
    must(myr_model_load(argv[1], MYR_ROOT_AUTO, &model));
    myr_model_get_info(model, &info);
    settings.sense_contacts = 1;
    must(myr_batch_create(model, settings.envs, &settings, &batch));
    settings.dt_s = step_length(batch);
    const size_t room = 3 * (size_t)info.n_slots * (size_t)settings.envs;
    double *point = allocate(room), *normal = allocate(room);
    const int64_t steps = (int64_t)(every / settings.dt_s + 0.5), rows = (int64_t)(seconds / every + 0.5);
    printf("{\"solver\": \"%s\", \"tolerance\": %g, \"dt_s\": %g, \"envs\": %lld, \"rows\": [", settings.solver, settings.tolerance,
           settings.dt_s, (long long)settings.envs);
    for (int64_t row = 1; row <= rows; row++) {
        must(myr_batch_step(batch, steps));
        const depths d = measure(batch, settings.envs, info.n_slots, point, normal);
        printf("%s{\"t_s\": %.9g, \"robots\": %lld, \"depth_m\": %.9e, \"error_m\": %.3e}", row > 1 ? ", " : "",
               (double)(row * steps) * settings.dt_s, (long long)d.robots, d.mean, d.error);
        fflush(stdout);
    }
    myr_stats stats;
    myr_batch_stats(batch, &stats);
    printf("], \"iterations_mean\": %.3f, \"iterations_max\": %lld, \"not_converged\": %lld, \"solves\": %lld, \"quarantined\": %lld, "
           "\"ns_per_robot_step_core\": %.1f}\n",
           stats.iterations_mean, (long long)stats.iterations_max, (long long)stats.not_converged, (long long)stats.active_steps,
           (long long)stats.quarantined, stats.wall_s * 1e9 * stats.threads / (double)stats.robot_steps);
    free(point);
    free(normal);
    myr_batch_free(batch);
    myr_model_free(model);
    return 0;
}

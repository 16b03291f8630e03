/* dynamics=maximal against the oracle for maximal coordinates: one step and the stored trajectory of each file, within the file's
 * tolerance. Float: one step, velocities to 1e-4 of their scale, and to a rounding of the heights over dt where something touches: there
 * the gap is what the velocity has to close. The oracle lies beside the project, not in it. may skip: where ../shared/oracles/maximal is
 * absent, there is nothing to compare with */
#include <dirent.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/batch_scene.h"
#include "support/maximal_file.h"

static myr_batch *cast_batch(const maximal_cast *c, const char *precision, const char *solver) {
    const int exact = !strcmp(precision, "f64"); /* in float a start that is closed is open by its rounding, over dt that is too much */
    const myr_settings settings = scene_settings("task", "none", "dynamics", scheme_of(solver), "precision", precision, "solver",
                                                 solver_of(solver), "gap", "0.5", "baumgarte", "1", "tolerance", exact ? "1e-11" : "1e-7",
                                                 "loop-correction", exact ? "1" : "0", "newton-limit", "30", NULL);
    return maximal_cast_batch(c, 1, &settings);
}

static double highest(const maximal_pose *pose, int n) {
    double height = 0;
    for (int i = 0; i < n; i++) height = fmax(height, fabs(pose->x[i][2]));
    return height;
}

/* One run from the start of the file; returns how often it was too far off. */
static int check_run(const maximal_cast *c, const json_t *file, const char *name, const char *precision, const char *solver) {
    const json_t *list = json_object_get(json_object_get(file, "tolerance"), "at_step"),
                 *later = json_object_get(file, "after_10_steps_each");
    const maximal_pose start = maximal_file_pose(json_object_get(file, "start"), c->n);
    const maximal_pose after = maximal_file_pose(json_object_get(file, "after_1"), c->n);
    const double one = json_number_value(json_object_get(json_object_get(file, "tolerance"), "one_step"));
    const int exact = !strcmp(precision, "f64"),
              touches = json_array_size(json_object_get(json_object_get(file, "mechanism"), "contacts")) > 0;
    myr_batch *batch = cast_batch(c, precision, solver);
    double *q = calloc(2 * (size_t)(c->n_q + c->n_v), sizeof *q), *v = q + c->n_q, *before = v + c->n_v, place, speed, share = 0;
    int bad = 0;
    maximal_to_joints(c, &start, q, v);
    MUST(myr_batch_set(batch, MYR_Q, NULL, 1, MYR_F64, q));
    MUST(myr_batch_set(batch, MYR_V, NULL, 1, MYR_F64, v));
    for (int64_t k = 0, done = 0; k < (exact ? (int64_t)json_array_size(list) : 1); k++) {
        const int64_t step = json_integer_value(json_array_get(json_array_get(list, (size_t)k), 0));
        const double most = json_number_value(json_array_get(json_array_get(list, (size_t)k), 1));
        memcpy(before, q, (size_t)c->n_q * sizeof *q);
        MUST(myr_batch_step(batch, step - done));
        done = step;
        if (exact) {
            MUST(myr_batch_get(batch, MYR_Q, NULL, 1, MYR_F64, q));
        } else {
            MUST(myr_batch_get(batch, MYR_V, NULL, 1, MYR_F64, v));
            maximal_advance(c, before, v, q);
        }
        const maximal_pose now = maximal_from_joints(c, before, q);
        const maximal_pose truth = k ? maximal_file_pose(json_array_get(later, (size_t)k - 1), c->n) : after;
        maximal_apart(&now, &truth, c->n, &place, &speed);
        if (k == 0) {
            const double gap = touches ? FLT_EPSILON * highest(&start, c->n) / c->dt : 0;
            const double allowed = exact ? one : 1e-4 * maximal_speed(&after, c->n) + gap;
            printf("%-36s %s %-12s one step: places %.1e, velocities %.1e of %.1e\n", name, precision, solver, place, speed, allowed);
            bad += !(place <= one + (exact ? 0 : 2e-5) && speed <= allowed);
        } else {
            share = fmax(share, place / most);
            bad += !(place <= most);
        }
    }
    myr_stats stats;
    myr_batch_stats(batch, &stats);
    if (exact) printf("%-36s %s %-12s later: %.2g of the tolerance\n", name, precision, solver, share);
    bad += stats.quarantined != 0 || stats.not_converged != 0;
    myr_batch_free(batch);
    free(q);
    return bad;
}

static int check_file(const char *path, const char *name) {
    json_error_t error;
    json_t *file = json_load_file(path, 0, &error);
    assert_non_null(file);
    const json_t *mechanism = json_object_get(file, "mechanism");
    maximal *m = maximal_file_open(file);
    maximal_cast c = maximal_cast_of(m);
    const int linear = !strcmp(json_string_value(json_object_get(mechanism, "cone")), "linear");
    const int touches = json_array_size(json_object_get(mechanism, "contacts")) > 0;
    static const char *const diamond[] = {"ipm-diamond", NULL}, *const cone[] = {"nsgs", "hybrid", "ipm-cone", "maximal-tree", NULL},
                             *const none[] = {"nsgs", "maximal-tree", NULL};
    myr_model_info info;
    int bad = 0;
    myr_model_get_info(c.model, &info);
    for (const char *const *solver = !touches ? none : linear ? diamond : cone; *solver; solver++) {
        if (info.n_loops && !strcmp(*solver, "maximal-tree")) continue;
        for (int precision = 0; precision < 2; precision++) bad += check_run(&c, file, name, precision ? "f32" : "f64", *solver);
    }
    if (bad) printf("%-36s %d too far off\n", name, bad);
    maximal_cast_free(&c);
    maximal_close(m);
    json_decref(file);
    return bad;
}

int main(void) {
    const char *source = getenv("MYRIAPOD_SOURCE");
    char folder[1024], path[2048];
    struct dirent **entries;
    snprintf(folder, sizeof folder, "%s/../shared/oracles/maximal", source ? source : ".");
    const int n = scandir(folder, &entries, NULL, alphasort);
    int bad = 0;
    if (n < 0) return 77;
    for (int i = 0; i < n; i++) {
        if (strstr(entries[i]->d_name, ".json")) {
            snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
            bad += check_file(path, entries[i]->d_name);
        }
        free(entries[i]);
    }
    free(entries);
    return bad != 0;
}

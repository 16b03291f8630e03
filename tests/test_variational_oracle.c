/* dynamics=maximal against the oracle for maximal coordinates: one step and the stored trajectory of each file, within the file's
 * tolerance. Float: one step, velocities to 1e-4 of their scale. The oracle lies beside the project, not in it.
 * may skip: where ../shared/oracles/maximal is absent, there is nothing to compare with */
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "batch_scene.h"
#include "maximal_cast.h"

static double worst_of(const double *a, const double *b, int n) {
    double worst = 0;
    for (int k = 0; k < n; k++) worst = fmax(worst, fabs(a[k] - b[k]));
    return worst;
}
static double quaternion_apart(const double a[4], const double b[4]) {
    double other[4];
    for (int k = 0; k < 4; k++) other[k] = -b[k];
    return fmin(worst_of(a, b, 4), worst_of(a, other, 4));
}

/* Largest difference of places, and of velocities. */
static void apart(const maximal_cast *c, const maximal_pose *a, const maximal_pose *b, double *place, double *speed) {
    *place = *speed = 0;
    for (int i = 0; i < c->n; i++) {
        *place = fmax(*place, fmax(worst_of(a->x[i], b->x[i], 3), quaternion_apart(a->q[i], b->q[i])));
        *speed = fmax(*speed, fmax(worst_of(a->v[i], b->v[i], 3), worst_of(a->w[i], b->w[i], 3)));
    }
}

static myr_batch *cast_batch(const maximal_cast *c, const json_t *mechanism, const char *precision, const char *solver) {
    const int exact = !strcmp(precision, "f64");
    char dt[32]; /* in float a start that is closed is open by its rounding, over dt that is more than what is looked at */
    snprintf(dt, sizeof dt, "%.17g", c->dt);
    myr_settings settings =
        scene_settings("task", "none", "dynamics", "maximal", "precision", precision, "dt", dt, "solver", solver, "gap", "0.5", "baumgarte",
                       "1", "tolerance", exact ? "1e-11" : "1e-7", "loop-correction", exact ? "1" : "0", "newton-limit", "30", NULL);
    myr_batch *batch = NULL;
    myr_model_info info;
    myr_model_get_info(c->model, &info);
    MUST(myr_batch_create(c->model, 1, &settings, 0, &batch));
    double *gains = calloc((size_t)info.nu + 1, 3 * sizeof *gains), *kd = gains + info.nu, *target = kd + info.nu;
    for (int i = 0; i < c->n; i++)
        if (c->body[i].u >= 0 && (c->body[i].kind == 'h' || c->body[i].kind == 's')) {
            gains[c->body[i].u] = c->body[i].kp, kd[c->body[i].u] = c->body[i].kd, target[c->body[i].u] = c->body[i].target;
        }
    if (info.nu) {
        MUST(myr_batch_set(batch, MYR_KP, NULL, 1, MYR_F64, gains));
        MUST(myr_batch_set(batch, MYR_KD, NULL, 1, MYR_F64, kd));
        MUST(myr_batch_set(batch, MYR_TARGET, NULL, 1, MYR_F64, target));
    }
    free(gains);
    const double gravity[3] = {0, 0, -json_number_value(json_object_get(mechanism, "gravity"))};
    MUST(myr_batch_set(batch, MYR_GRAVITY, NULL, 1, MYR_F64, gravity));
    return batch;
}

/* The largest velocity of a pose. */
static double speed_of(const maximal_cast *c, const maximal_pose *a) {
    const maximal_pose still = {0};
    double speed = 0;
    for (int i = 0; i < c->n; i++) speed = fmax(speed, fmax(worst_of(a->v[i], still.v[i], 3), worst_of(a->w[i], still.w[i], 3)));
    return speed;
}

/* One run from the start of the file; returns how often it was too far off. */
static int check_run(const maximal_cast *c, const json_t *file, const char *name, const char *precision, const char *solver) {
    const json_t *list = json_object_get(json_object_get(file, "tolerance"), "at_step"),
                 *later = json_object_get(file, "after_10_steps_each");
    const maximal_pose start = maximal_pose_of(json_object_get(file, "start"), c->n);
    const maximal_pose after = maximal_pose_of(json_object_get(file, "after_1"), c->n);
    const double one = json_number_value(json_object_get(json_object_get(file, "tolerance"), "one_step"));
    const int exact = !strcmp(precision, "f64");
    myr_batch *batch = cast_batch(c, json_object_get(file, "mechanism"), precision, solver);
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
        const maximal_pose truth = k ? maximal_pose_of(json_array_get(later, (size_t)k - 1), c->n) : after;
        apart(c, &now, &truth, &place, &speed);
        if (k == 0) {
            const double allowed = exact ? one : 1e-4 * speed_of(c, &after);
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
    maximal_cast c = maximal_cast_of(mechanism);
    const int linear = !strcmp(json_string_value(json_object_get(mechanism, "cone")), "linear");
    const int touches = json_array_size(json_object_get(mechanism, "contacts")) > 0;
    static const char *const diamond[] = {"ipm-diamond", NULL}, *const cone[] = {"nsgs", "hybrid", "ipm-cone", NULL},
                             *const none[] = {"nsgs", NULL};
    int bad = 0;
    for (const char *const *solver = !touches ? none : linear ? diamond : cone; *solver; solver++)
        for (int precision = 0; precision < 2; precision++) bad += check_run(&c, file, name, precision ? "f32" : "f64", *solver);
    if (bad) printf("%-36s %d too far off\n", name, bad);
    maximal_cast_free(&c);
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

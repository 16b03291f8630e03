/* A flat map is a plane, bit for bit: positions, velocities, the impulse of every slot, residuals and how the solve ended, with every
 * solver, in both precisions, at ground heights other than 0, of robots on balls, capsules, boxes, cylinders and hulls.
 * ctest: heavy */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "batch/batch.h"
#include "batch_scene.h"
#include "isas.h"
#include "random_model.h"

enum { ENVS = 19, MOST = 4000 };

/* A map of one height, in whole steps or floats. */
static myr_terrain *flat(int level, int floats, int columns, double cell) {
    enum { N = 41 };
    static int16_t steps[N * N];
    static float heights[N * N];
    static uint8_t kinds[64];
    for (int i = 0; i < N * N; i++) steps[i] = (int16_t)level, heights[i] = (float)(0.005 * level);
    memset(kinds, columns, sizeof kinds);
    myr_terrain_def def = myr_terrain_def_default();
    def.nx = def.ny = N, def.cell_m = cell, def.columns = kinds;
    if (floats)
        def.heights_m = heights;
    else
        def.steps = steps;
    myr_terrain *t;
    MUST(myr_terrain_create(&def, &t));
    return t;
}

/* Slots of the model on the map, by those of the model on the plane: its first ones. */
static void read_impulses(const myr_batch *batch, int64_t env, double *out, int *n) {
    double all[MOST];
    MUST(myr_batch_get(batch, MYR_IMPULSE, &env, 1, MYR_F64, all));
    *n = 0;
    for (int s = 0; s < batch->model.n_slots; s++) {
        if (batch->model.slots[s].twin) {
            for (int k = 0; k < 3; k++) assert_true(all[3 * s + k] == 0);
            continue;
        }
        memcpy(out + *n, all + 3 * s, 3 * sizeof *out);
        *n += 3;
    }
}

static void same_fields(const char *what, const myr_batch *plane, const myr_batch *map, int step) {
    static const myr_field fields[] = {
        MYR_Q, MYR_V, MYR_ROW_IMPULSE, MYR_LOOP_IMPULSE, MYR_RESIDUAL, MYR_RESIDUAL_NCP, MYR_ITERATIONS, MYR_SOLVE_STATUS, MYR_QUARANTINED};
    static double a[MOST], b[MOST];
    for (int64_t env = 0; env < ENVS; env++) {
        for (size_t f = 0; f < sizeof fields / sizeof *fields; f++) {
            const int n = myr_batch_components(plane, fields[f]);
            MUST(myr_batch_get(plane, fields[f], &env, 1, MYR_F64, a));
            MUST(myr_batch_get(map, fields[f], &env, 1, MYR_F64, b));
            for (int k = 0; k < n; k++)
                if (memcmp(&a[k], &b[k], sizeof *a))
                    fail_msg("%s, environment %d, step %d: number %d of field %d is %.17g on the plane and %.17g on the map", what,
                             (int)env, step, k, (int)fields[f], a[k], b[k]);
        }
        int n, m;
        read_impulses(plane, env, a, &n), read_impulses(map, env, b, &m);
        assert_int_equal(n, m);
        for (int k = 0; k < n; k++)
            if (memcmp(&a[k], &b[k], sizeof *a))
                fail_msg("%s, environment %d, step %d: impulse %d of slot %d is %.17g on the plane and %.17g on the map", what, (int)env,
                         step, k % 3, k / 3, a[k], b[k]);
    }
}

static void push(myr_batch *batch, double speed) {
    double v[MOST];
    const int nv = myr_batch_components(batch, MYR_V);
    for (int64_t env = 0; env < ENVS; env++) {
        random_source source = {(uint64_t)(env + 1)};
        MUST(myr_batch_get(batch, MYR_V, &env, 1, MYR_F64, v));
        for (int k = 0; k < nv; k++) v[k] += random_uniform(&source, -speed, speed);
        MUST(myr_batch_set(batch, MYR_V, &env, 1, MYR_F64, v));
    }
}

typedef struct flat_case {
    int level, floats, columns; /* of the map; where its 0 is */
    int steps;
    double cell, speed; /* [m], [m/s] */
} flat_case;

static void same(const char *what, const myr_model *model, const myr_settings *settings, const flat_case *c) {
    myr_terrain *terrain = flat(c->level, c->floats, c->columns, c->cell);
    myr_model *on;
    myr_batch *plane, *map;
    MUST(myr_model_on(model, terrain, &on));
    MUST(myr_batch_make(model, ENVS, settings, 0, &plane));
    MUST(myr_batch_make(on, ENVS, settings, 0, &map));
    for (int64_t env = 0; env < ENVS; env++) {
        const double at[3] = {c->cell * (double)(env % 5), -2 * c->cell * (double)(env % 7), 0.005 * c->level};
        MUST(myr_batch_set(map, MYR_GROUND_AT, &env, 1, MYR_F64, at));
    }
    push(plane, c->speed), push(map, c->speed);
    int touched = 0;
    for (int step = 0; step < c->steps; step++) {
        double impulse[MOST];
        int n;
        MUST(myr_batch_step(plane, 1));
        MUST(myr_batch_step(map, 1));
        same_fields(what, plane, map, step);
        for (int64_t env = 0; env < ENVS; env++) {
            read_impulses(plane, env, impulse, &n);
            for (int k = 2; k < n; k += 3) touched += impulse[k] > 0;
        }
    }
    if (touched < ENVS) fail_msg("%s: only %d contacts", what, touched);
    myr_batch_free(plane), myr_batch_free(map);
    myr_model_free(on);
    myr_terrain_free(terrain);
}

static myr_model *load(const char *name) {
    char path[500];
    const char *source = getenv("MYRIAPOD_SOURCE");
    snprintf(path, sizeof path, "%s/%s", source ? source : ".", name);
    myr_model *model;
    MUST(myr_model_open(path, NULL, &model));
    return model;
}

static const char *const robots[] = {"robots/anymal.urdf", "robots/solo12.urdf", "robots/biped.urdf",
                                     "robots/hopper.urdf", "robots/cube.urdf",   "robots/sphere.urdf"};
enum { ROBOTS = sizeof robots / sizeof *robots };

static void every_robot(void **state) {
    (void)state;
    for (int r = 0; r < ROBOTS; r++) {
        myr_model *model = load(robots[r]);
        for (int i = 0; i < isa_count(); i++)
            for (int precision = 0; precision < 2; precision++)
                for (int level = 0; level < 3; level++) {
                    char what[200];
                    const char *grounds[3] = {"0", "0.371", "-1.25"};
                    const myr_settings settings = scene_settings("isa", isa_at(i), "precision", precision ? "f64" : "f32", "ground",
                                                                 grounds[level], "threads", "1", NULL);
                    const flat_case c = {.level = 137 * level,
                                         .floats = level == 1,
                                         .columns = level == 2,
                                         .steps = 120,
                                         .cell = level == 1 ? 0.06 : 0.25,
                                         .speed = 0.5};
                    snprintf(what, sizeof what, "%s, %s, %s, ground %s", robots[r], isa_at(i), precision ? "f64" : "f32", grounds[level]);
                    same(what, model, &settings, &c);
                }
        myr_model_free(model);
    }
}

static void every_solver(void **state) {
    (void)state;
    for (int r = 0; r < 5; r += 4) {
        myr_model *model = load(robots[r]);
        for (int k = 0; myr_solver_name(k); k += SCENE_SOLVER_STRIDE)
            for (int precision = 0; precision < 2; precision++) {
                char what[200];
                const char *solver = myr_solver_name(k);
                if (!strcmp(solver, "maximal-tree")) continue;
                const myr_settings settings =
                    scene_settings("solver", solver, "precision", precision ? "f64" : "f32", "threads", "1", NULL);
                const flat_case c = {.level = 55, .steps = 100, .cell = 0.1, .speed = 0.5};
                snprintf(what, sizeof what, "%s, solver %s, %s", robots[r], solver, precision ? "f64" : "f32");
                same(what, model, &settings, &c);
            }
        myr_model_free(model);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_robot), cmocka_unit_test(every_solver)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "flat_map.h"

#include <stdlib.h>

#include "batch/batch.h"
#include "random_model.h"

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

static double *room(int numbers) {
    double *at = calloc((size_t)numbers + 1, sizeof *at);
    assert_non_null(at);
    return at;
}

/* Impulses of the slots that the plane has, too. A flat map touches a ball once: the other slot stays empty. */
static int read_impulses(const myr_batch *batch, int64_t env, double *out) {
    MUST(myr_batch_get(batch, MYR_IMPULSE, &env, 1, MYR_F64, out));
    int n = 0;
    for (int s = 0; s < batch->model.n_slots; s++)
        if (batch->model.slots[s].twin) {
            for (int k = 0; k < 3; k++) assert_true(out[3 * s + k] == 0);
        } else {
            memmove(out + n, out + 3 * s, 3 * sizeof *out);
            n += 3;
        }
    return n;
}

/* Whether something of the environment touches the ground; `impulse`: of the model on the plane. */
static int on_ground(const myr_batch *plane, const double *impulse) {
    for (int s = 0; s < plane->model.n_slots; s++)
        if (plane->model.slots[s].other < 0 && impulse[3 * s + 2] > 0) return 1;
    return 0;
}

static void same_numbers(const char *what, const char *of, int64_t env, int step, int n, const double *a, const double *b) {
    for (int k = 0; k < n; k++)
        if (memcmp(&a[k], &b[k], sizeof *a))
            fail_msg("%s, environment %d, step %d: number %d of %s is %.17g on the plane and %.17g on the map", what, (int)env, step, k, of,
                     a[k], b[k]);
}

static void same_fields(const char *what, const myr_batch *plane, const myr_batch *map, int64_t env, int step, double *a, double *b) {
    static const struct {
        myr_field field;
        const char *name;
    } fields[] = {
        {MYR_Q, "q"},
        {MYR_V, "v"},
        {MYR_ROW_IMPULSE, "row_impulse"},
        {MYR_LOOP_IMPULSE, "loop_impulse"},
        {MYR_RESIDUAL, "residual"},
        {MYR_RESIDUAL_NCP, "residual_ncp"},
        {MYR_ITERATIONS, "iterations"},
        {MYR_SOLVE_STATUS, "solve_status"},
        {MYR_QUARANTINED, "quarantined"},
    };
    for (size_t f = 0; f < sizeof fields / sizeof *fields; f++) {
        MUST(myr_batch_get(plane, fields[f].field, &env, 1, MYR_F64, a));
        MUST(myr_batch_get(map, fields[f].field, &env, 1, MYR_F64, b));
        same_numbers(what, fields[f].name, env, step, myr_batch_components(plane, fields[f].field), a, b);
    }
    const int n = read_impulses(plane, env, a), m = read_impulses(map, env, b);
    assert_int_equal(n, m);
    same_numbers(what, "the impulses", env, step, n, a, b);
}

static void begin(myr_batch *batch, const flat_case *c) {
    const int nv = myr_batch_components(batch, MYR_V);
    double *v = room(nv);
    for (int64_t env = 0; env < c->envs; env++) {
        random_source source = {(uint64_t)(env + 1)};
        if (c->q) MUST(myr_batch_set(batch, MYR_Q, &env, 1, MYR_F64, c->q));
        if (c->v) MUST(myr_batch_set(batch, MYR_V, &env, 1, MYR_F64, c->v));
        MUST(myr_batch_get(batch, MYR_V, &env, 1, MYR_F64, v));
        for (int k = 0; k < nv; k++) v[k] += random_uniform(&source, -c->speed, c->speed);
        MUST(myr_batch_set(batch, MYR_V, &env, 1, MYR_F64, v));
    }
    free(v);
}

int same_on_flat_map(const char *what, const myr_model *model, const myr_settings *settings, const flat_case *c) {
    myr_terrain *terrain = flat(c->level, c->floats, c->columns, c->cell);
    myr_model *on;
    myr_batch *plane, *map;
    MUST(myr_model_on(model, terrain, &on));
    MUST(myr_batch_make(model, c->envs, settings, NULL, &plane));
    MUST(myr_batch_make(on, c->envs, settings, NULL, &map));
    for (int64_t env = 0; env < c->envs; env++) {
        const double at[3] = {c->cell * (double)(env % 5), -2 * c->cell * (double)(env % 7), 0.005 * c->level};
        MUST(myr_batch_set(map, MYR_GROUND_AT, &env, 1, MYR_F64, at));
    }
    /* tasks begin over the ground that was below when the episode began */
    MUST(myr_batch_reset(plane, NULL));
    MUST(myr_batch_reset(map, NULL));
    begin(plane, c), begin(map, c);
    const int most = 3 * map->model.n_slots + myr_batch_components(plane, MYR_Q) + myr_batch_components(plane, MYR_V) + 1024;
    double *a = room(most), *b = room(most);
    int *touched = calloc((size_t)c->envs, sizeof *touched), count = 0;
    assert_non_null(touched);
    for (int step = 0; step < c->steps; step++) {
        MUST(myr_batch_step(plane, 1));
        MUST(myr_batch_step(map, 1));
        for (int64_t env = 0; env < c->envs; env++) {
            same_fields(what, plane, map, env, step, a, b);
            touched[env] |= on_ground(plane, a);
        }
    }
    for (int env = 0; env < c->envs; env++) count += touched[env];
    free(a), free(b), free(touched);
    myr_batch_free(plane), myr_batch_free(map);
    myr_model_free(on);
    myr_terrain_free(terrain);
    return count;
}

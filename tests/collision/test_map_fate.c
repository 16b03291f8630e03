/* ctest: lanes threads
 * On a map, too, an environment has its own fate: alone, among others, on another tile and thread, on every instruction set; equal places
 * give equal bits wherever on the map they lie; and what is saved goes on as it would have. Robots that lie, stand and stumble on rough
 * ground, on stairs and on both kinds side by side. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "batch/batch.h"
#include "support/batch_scene.h"
#include "support/isas.h"
#include "support/random_model.h"

enum { N = 21, PATCH = 40, COPIES = 3, SIDE = PATCH * COPIES, STEPS = 60, MOST = 4096, LIFT = 137 };

/* A patch of ground, again and again, each time higher along x, by whole steps: rough, with stairs in its second half where `mixed`. */
static myr_terrain *repeated(int mixed) {
    static int16_t steps[SIDE * SIDE];
    static uint8_t kinds[(SIDE / 8) * (SIDE / 8)];
    for (int i = 0; i < SIDE; i++)
        for (int k = 0; k < SIDE; k++) {
            const int u = i % PATCH, v = k % PATCH;
            random_source source = {(uint64_t)(1 + u * PATCH + v)};
            const double own = mixed && u >= PATCH / 2 ? 12 * (abs(u - 3 * PATCH / 4) / 3) : 10 * random_uniform(&source, -1, 1);
            steps[i * SIDE + k] = (int16_t)(LIFT * (i / PATCH) + (int)own);
        }
    for (int i = 0; i < SIDE / 8; i++)
        for (int k = 0; k < SIDE / 8; k++) kinds[i * (SIDE / 8) + k] = mixed && i * 8 % PATCH >= PATCH / 2;
    myr_terrain_def def = myr_terrain_def_default();
    def.nx = def.ny = SIDE, def.cell_m = 0.1, def.steps = steps, def.columns = kinds;
    myr_terrain *t;
    MUST(myr_terrain_create(&def, &t));
    return t;
}

typedef struct cast {
    myr_model *model; /* on the map */
    myr_terrain *terrain;
    const char *task;
} cast;

/* One body of a capsule, a cylinder and a hull of ten corners, and a box that hangs on it. */
static const char shapes[] =
    "<mujoco><asset><mesh name='wedge' vertex='-.15 -.1 -.05 .15 -.1 -.05 -.15 .1 -.05 .15 .1 -.05 -.15 -.1 .05 .15 -.1 .05 -.15 .1 .05 "
    ".15 .1 .05 .2 0 0 -.2 0 0'/></asset><worldbody><geom type='plane' size='1 1 1'/><body pos='0 0 .3'><freejoint/>"
    "<geom type='capsule' size='.04 .2' euler='0 90 0' pos='0 .3 0'/><geom type='cylinder' size='.14 .04' pos='.3 0 0'/>"
    "<geom type='mesh' mesh='wedge' pos='-.3 0 0'/><body pos='0 -.25 0'><joint axis='0 1 0'/><geom type='box' size='.25 .12 .03'/></body>"
    "</body></worldbody></mujoco>";

static cast open_cast(const char *robot, const char *task, int mixed) {
    char path[500];
    const char *source = getenv("MYRIAPOD_SOURCE");
    cast c = {NULL, repeated(mixed), task};
    myr_model *plane;
    snprintf(path, sizeof path, "%s/robots/%s.urdf", source ? source : ".", robot);
    if (!strcmp(robot, "shapes"))
        MUST(myr_model_open_text(shapes, strlen(shapes), robot, NULL, &plane));
    else
        MUST(myr_model_open(path, NULL, &plane));
    MUST(myr_model_on(plane, c.terrain, &c.model));
    myr_model_free(plane);
    return c;
}
static void close_cast(cast *c) { myr_model_free(c->model), myr_terrain_free(c->terrain); }

/* Environment e stands somewhere on the patch, on copy `copy` of it, over the highest sample around, with velocities of its own. */
static void place(myr_batch *batch, const cast *c, int64_t at, int64_t e, int copy) {
    random_source source = {(uint64_t)(7 * e + 1)};
    /* nothing that it may touch lies on the next patch: the last one has none */
    const int u = (int)random_uniform(&source, 10, PATCH - 10), v = (int)random_uniform(&source, 10, PATCH - 10);
    const int i = u + PATCH * copy, k = v + PATCH * (COPIES - 1 - copy), middle = (SIDE - 1) / 2;
    double q[MOST], speed[MOST], highest = -1e9, where[3] = {0.1 * (i - middle), 0.1 * (k - middle), 0};
    for (int a = -5; a <= 5; a++)
        for (int b = -5; b <= 5; b++) {
            const double xy[2] = {0.1 * (u + a + PATCH - middle), 0.1 * (v + b + PATCH - middle)}; /* of the copy in the middle */
            double h;
            MUST(myr_terrain_height(c->terrain, 1, xy, &h, NULL));
            highest = fmax(highest, h);
        }
    where[2] = highest + 0.005 * LIFT * (copy - 1); /* found on copy 1 */
    MUST(myr_batch_set(batch, MYR_GROUND_AT, &at, 1, MYR_F64, where));
    MUST(myr_batch_get(batch, MYR_Q, &at, 1, MYR_F64, q));
    MUST(myr_batch_get(batch, MYR_V, &at, 1, MYR_F64, speed));
    q[0] += 0.05 * random_uniform(&source, -1, 1), q[1] += 0.05 * random_uniform(&source, -1, 1);
    for (int d = 0; d < myr_batch_components(batch, MYR_V); d++) speed[d] += random_uniform(&source, -1, 1);
    MUST(myr_batch_set(batch, MYR_Q, &at, 1, MYR_F64, q));
    MUST(myr_batch_set(batch, MYR_V, &at, 1, MYR_F64, speed));
}

static myr_settings settings_of(const cast *c, const char *isa, const char *precision, const char *threads, int64_t first) {
    myr_settings s = scene_settings("task", c->task, "isa", isa, "precision", precision, "threads", threads, "dt", "0.004", NULL);
    s.first_env = first;
    return s;
}

/* The state without where it is: what a copy elsewhere has, too. */
static void same_fields(const char *what, const myr_batch *a, int64_t i, const myr_batch *b, int64_t j) {
    static const myr_field fields[] = {MYR_Q,          MYR_V,          MYR_IMPULSE, MYR_ROW_IMPULSE, MYR_RESIDUAL, MYR_RESIDUAL_NCP,
                                       MYR_ITERATIONS, MYR_QUARANTINED};
    double x[MOST], y[MOST];
    for (size_t f = 0; f < sizeof fields / sizeof *fields; f++) {
        MUST(myr_batch_get(a, fields[f], &i, 1, MYR_F64, x));
        MUST(myr_batch_get(b, fields[f], &j, 1, MYR_F64, y));
        for (int k = 0; k < myr_batch_components(a, fields[f]); k++)
            if (memcmp(&x[k], &y[k], sizeof *x))
                fail_msg("%s, environment %d: number %d of field %d is %.17g, and %.17g", what, (int)i, k, (int)fields[f], x[k], y[k]);
    }
}

/* All together on the first copy of the patch; each alone on another one. Then all on two threads, and on every instruction set. */
static void own_fate(const char *robot, const char *task, int mixed, const char *precision) {
    cast c = open_cast(robot, task, mixed);
    myr_batch *first = NULL;
    for (int i = 0; i < isa_count(); i++) {
        char what[200];
        const myr_settings s = settings_of(&c, isa_at(i), precision, i % 2 ? "2" : "1", 0);
        myr_batch *all;
        MUST(myr_batch_make(c.model, N, &s, NULL, &all));
        for (int64_t e = 0; e < N; e++) place(all, &c, e, e, 0);
        MUST(myr_batch_step(all, STEPS));
        snprintf(what, sizeof what, "%s, %s, %s and %s", robot, precision, isa_at(i), isa_at(0));
        for (int64_t e = 0; first && e < N; e++) same_fields(what, first, e, all, e);
        for (int64_t e = 0; e < N; e += 4) {
            const myr_settings own = settings_of(&c, isa_at(i), precision, "1", e);
            myr_batch *alone;
            MUST(myr_batch_make(c.model, 1, &own, NULL, &alone));
            place(alone, &c, 0, e, 1 + (int)(e % 2));
            MUST(myr_batch_step(alone, STEPS));
            snprintf(what, sizeof what, "%s, %s, %s, alone and elsewhere", robot, precision, isa_at(i));
            same_fields(what, all, e, alone, 0);
            myr_batch_free(alone);
        }
        if (first)
            myr_batch_free(all);
        else
            first = all;
    }
    double contacts = 0;
    for (int64_t e = 0; e < N; e++) {
        double impulse[MOST];
        MUST(myr_batch_get(first, MYR_IMPULSE, &e, 1, MYR_F64, impulse));
        for (int k = 2; k < 3 * first->model.n_slots; k += 3) contacts += impulse[k] > 0;
    }
    if (contacts < N / 2) fail_msg("%s: only %g contacts", robot, contacts);
    myr_batch_free(first);
    close_cast(&c);
}

static void walkers(void **state) {
    (void)state;
    for (int mixed = 0; mixed < 2; mixed++) own_fate("anymal", "trot", mixed, "f32"), own_fate("anymal", "stand", mixed, "f64");
}
static void others(void **state) {
    (void)state;
    own_fate("biped", "none", 1, "f32"), own_fate("cube", "none", 1, "f32"), own_fate("sphere", "none", 1, "f64"),
        own_fate("solo12", "trot", 1, "f32");
    for (int mixed = 0; mixed < 2; mixed++) own_fate("shapes", "none", mixed, mixed ? "f64" : "f32");
}

/* Saved in the middle, gone on in another batch, at other numbers: the same bytes. */
static void saved_states_go_on(void **state) {
    (void)state;
    cast c = open_cast("anymal", "trot", 1);
    const myr_settings s = settings_of(&c, "auto", "f32", "1", 0);
    myr_batch *a, *b;
    MUST(myr_batch_make(c.model, N, &s, NULL, &a));
    MUST(myr_batch_make(c.model, N, &s, NULL, &b));
    for (int64_t e = 0; e < N; e++) place(a, &c, e, e, 2);
    MUST(myr_batch_step(a, 30));
    const size_t bytes = myr_batch_state_bytes(a);
    char *states = malloc(2 * N * bytes);
    assert_non_null(states);
    MUST(myr_batch_get_state(a, NULL, N, states));
    MUST(myr_batch_set_state(b, NULL, N, states));
    MUST(myr_batch_step(a, 30));
    MUST(myr_batch_step(b, 30));
    MUST(myr_batch_get_state(a, NULL, N, states));
    MUST(myr_batch_get_state(b, NULL, N, states + N * bytes));
    assert_memory_equal(states, states + N * bytes, N * bytes);
    free(states);
    /* and a state of one map is none of another */
    cast other = open_cast("anymal", "trot", 0);
    assert_true(myr_model_hash(c.model) != myr_model_hash(other.model));
    close_cast(&other);
    myr_batch_free(a), myr_batch_free(b);
    close_cast(&c);
}

/* A robot far from its origin, or on a place of NaN, stops; its neighbours go on with the bits that they have without it. */
static void who_leaves_the_map_stops(void **state) {
    (void)state;
    cast c = open_cast("anymal", "stand", 1);
    const myr_settings s = settings_of(&c, "auto", "f32", "1", 0);
    myr_batch *good, *bad;
    MUST(myr_batch_make(c.model, N, &s, NULL, &good));
    MUST(myr_batch_make(c.model, N, &s, NULL, &bad));
    const int64_t far = 5, nowhere = 11;
    const double nan[3] = {NAN, 0, 0};
    double q[MOST], reason;
    for (int64_t e = 0; e < N; e++) place(good, &c, e, e, 1), place(bad, &c, e, e, 1);
    MUST(myr_batch_get(bad, MYR_Q, &far, 1, MYR_F64, q));
    q[1] = -(MYR_TERRAIN_RANGE_M + 0.5);
    MUST(myr_batch_set(bad, MYR_Q, &far, 1, MYR_F64, q));
    MUST(myr_batch_set(bad, MYR_GROUND_AT, &nowhere, 1, MYR_F64, nan));
    MUST(myr_batch_step(good, STEPS));
    MUST(myr_batch_step(bad, STEPS));
    for (int64_t e = 0; e < N; e++) {
        MUST(myr_batch_get(bad, MYR_QUARANTINED, &e, 1, MYR_F64, &reason));
        if (e == far)
            assert_int_equal((int)reason, MYR_QUARANTINE_MAP);
        else if (e == nowhere)
            assert_int_equal((int)reason, MYR_QUARANTINE_MAP);
        else
            same_fields("beside one that stopped", good, e, bad, e);
    }
    assert_string_equal(myr_quarantine_text(MYR_QUARANTINE_MAP), "off the map");
    myr_batch_free(good), myr_batch_free(bad);
    close_cast(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(walkers),
        cmocka_unit_test(others),
        cmocka_unit_test(saved_states_go_on),
        cmocka_unit_test(who_leaves_the_map_stops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

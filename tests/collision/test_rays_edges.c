/* Rays at their edges: whatever the order of environments, threads, lanes and neighbours, the same bits; geoms that were moved; poses that
 * are not finite; no ground; closed forms; and what is refused. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "support/isas.h"
#include "support/rays_scene.h"

enum { RAYS = 24, ENVS = 19 };

typedef struct answers {
    double distance[ENVS][RAYS], normal[ENVS][RAYS][3];
    int32_t geom[ENVS][RAYS];
} answers;

static void draw(uint64_t seed, int n, double (*direction)[3]) {
    random_source random = {seed};
    for (int k = 0; k < 3 * n; k++) direction[k / 3][k % 3] = random_uniform(&random, -1, 1) - (k % 3 == 2 ? 0.3 : 0);
}

static myr_rays_options options_of(const rays_scene *s) {
    myr_rays_options o = myr_rays_options_default();
    o.frame = s->eye, o.type = MYR_F64, o.range_m = RAYS_RANGE;
    return o;
}

static void cast(myr_batch *batch, const int64_t *ids, int64_t n, const myr_rays_options *o, double direction[][3], answers *out) {
    memset(out, 0, sizeof *out);
    MUST(myr_batch_rays(batch, ids, n, RAYS, NULL, direction[0], o, out->distance, out->normal, out->geom[0]));
}

/* ---- bits -------------------------------------------------------------------------------------------- */

static void bits_are_the_same_everywhere(void **state) {
    (void)state;
    static answers first, is;
    static double direction[RAYS][3];
    static float floats[ENVS][RAYS];
    draw(3, RAYS, direction);
    for (int map = 0; map < RAYS_MAPS; map++) {
        rays_scene *s = rays_scene_make(map);
        myr_rays_options o = options_of(s);
        for (int precision = 0; precision < 2; precision++)
            for (int i = 0; isa_at(i); i++) {
                myr_batch *batch = rays_batch(s, isa_at(i), precision, ENVS, 4);
                cast(batch, NULL, ENVS, &o, direction, &is);
                if (i)
                    assert_memory_equal(&is, &first, sizeof is);
                else
                    first = is;
                o.type = MYR_F32;
                MUST(myr_batch_rays(batch, NULL, ENVS, RAYS, NULL, direction[0], &o, floats, NULL, NULL));
                o.type = MYR_F64;
                for (int n = 0; n < ENVS * RAYS; n++) assert_true(floats[n / RAYS][n % RAYS] == (float)is.distance[n / RAYS][n % RAYS]);
                myr_batch_free(batch);
            }
        rays_scene_free(s);
    }
}

/* Backwards, twice the same one, one alone; each with rays of its own. */
static void ids_in_any_order(void **state) {
    (void)state;
    static answers all, is;
    static double direction[ENVS * RAYS][3], own[ENVS * RAYS][3];
    rays_scene *s = rays_scene_make(RAYS_MIXED);
    myr_rays_options o = options_of(s);
    o.own_rays = 1;
    draw(5, ENVS * RAYS, direction);
    for (int precision = 0; precision < 2; precision++) {
        static const int64_t lists[3][ENVS] = {
            {18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0}, {7, 7, 8, 2, 3, 18}, {16}};
        static const int64_t sizes[3] = {ENVS, 6, 1};
        myr_batch *batch = rays_batch(s, "auto", precision, ENVS, 6);
        cast(batch, NULL, ENVS, &o, direction, &all);
        for (int list = 0; list < 3; list++) {
            const int64_t *ids = lists[list];
            for (int i = 0; i < sizes[list]; i++) memcpy(own[i * RAYS], direction[ids[i] * RAYS], RAYS * sizeof *own);
            cast(batch, ids, sizes[list], &o, own, &is);
            for (int i = 0; i < sizes[list]; i++) {
                assert_memory_equal(is.distance[i], all.distance[ids[i]], sizeof *is.distance);
                assert_memory_equal(is.normal[i], all.normal[ids[i]], sizeof *is.normal);
                assert_memory_equal(is.geom[i], all.geom[ids[i]], sizeof *is.geom);
            }
            assert_true(sizes[list] == ENVS || is.distance[sizes[list]][0] == 0); /* and nothing else is written */
        }
        myr_batch_free(batch);
    }
    rays_scene_free(s);
}

/* A lost neighbour changes no bit; its own rays are NaN in its frame. Far from everything there is nothing to meet. */
static void lost_environments(void **state) {
    (void)state;
    static answers all, is;
    static double direction[RAYS][3];
    draw(8, RAYS, direction);
    for (int map = 0; map < RAYS_MAPS; map++) {
        rays_scene *s = rays_scene_make(map);
        const myr_rays_options o = options_of(s);
        for (int precision = 0; precision < 2; precision++) {
            myr_batch *batch = rays_batch(s, "auto", precision, ENVS, 9);
            double q[RAYS_Q];
            cast(batch, NULL, ENVS, &o, direction, &all);
            for (int64_t env = 2; env < 5; env++) {
                MUST(myr_batch_get(batch, MYR_Q, &env, 1, MYR_F64, q));
                q[0] = env == 2 ? (double)NAN : env == 3 ? INFINITY : 1e30, q[2] = env == 4 ? 1e30 : q[2];
                MUST(myr_batch_set(batch, MYR_Q, &env, 1, MYR_F64, q));
            }
            cast(batch, NULL, ENVS, &o, direction, &is);
            for (int env = 0; env < ENVS; env++) {
                if (env < 2 || env > 4) {
                    assert_memory_equal(is.distance[env], all.distance[env], sizeof *is.distance);
                    assert_memory_equal(is.geom[env], all.geom[env], sizeof *is.geom);
                    continue;
                }
                for (int j = 0; j < RAYS; j++) {
                    assert_true(env == 4 ? is.distance[env][j] > 0 : isnan(is.distance[env][j]) && isnan(is.normal[env][j][2]));
                    assert_true(env == 4 || is.geom[env][j] == MYR_RAYS_NOTHING);
                }
            }
            myr_batch_free(batch);
        }
        rays_scene_free(s);
    }
}

/* ---- what is seen ------------------------------------------------------------------------------------ */

/* A ball of 0.1 m fixed to the world at z = 1; environment 1 has it 2 m ahead. */
static myr_model *ball_model(void) {
    static const char text[] = "<mujoco><worldbody><geom name='ball' type='sphere' size='0.1' pos='0 0 1'/>"
                               "<body name='cart' pos='5 0 1'><freejoint/><geom type='box' size='0.2 0.2 0.2' mass='1'/></body>"
                               "</worldbody></mujoco>";
    myr_model *model;
    MUST(myr_model_load_text(text, strlen(text), "ball.xml", MYR_ROOT_AUTO, &model));
    return model;
}

static void moved_geoms_and_closed_forms(void **state) {
    (void)state;
    myr_model *model = ball_model();
    for (int precision = 0; precision < 2; precision++) {
        const myr_settings settings = scene_settings("precision", rays_precisions[precision], "ground", "0", NULL);
        const double moved[3] = {2, 0, 1}, near = precision ? 1e-14 : 1e-6;
        const double origin[7][3] = {{-1, 0, 1}, {0, 0, 1}, {5, 0, 1}, {0, 0.1, 0.5}, {0, 0, 1}, {5, 0, 3}, {9, 9, -1}};
        const double direction[7][3] = {{2, 0, 0}, {0, 3, 0}, {0, 0, -1}, {0, 0, -2}, {0, 0, -9}, {0, 0, -1}, {0, 0, -1}};
        /* the ball from outside; from within; the cart from within; the ground; through the ball; the cart; from below the ground */
        const double want[2][7] = {{0.9, 0.1, 0.2, 0.5, 0.1, 1.8, INFINITY}, {2.9, INFINITY, 0.2, 0.5, 1, 1.8, INFINITY}};
        const int32_t geoms[2][7] = {{0, 0, 1, -1, 0, 1, -2}, {0, -2, 1, -1, -1, 1, -2}};
        const int64_t second = 1;
        double distance[2][7], normal[2][7][3];
        int32_t geom[2][7];
        myr_rays_options o = myr_rays_options_default();
        myr_batch *batch;
        o.type = MYR_F64;
        MUST(myr_batch_create(model, 2, &settings, &batch));
        MUST(myr_batch_set(batch, MYR_WORLD_AT, &second, 1, MYR_F64, moved));
        MUST(myr_batch_rays(batch, NULL, 2, 7, origin[0], direction[0], &o, distance, normal, geom[0]));
        for (int env = 0; env < 2; env++)
            for (int j = 0; j < 7; j++) {
                if (isinf(want[env][j]))
                    assert_true(isinf(distance[env][j]));
                else if (!(fabs(distance[env][j] - want[env][j]) <= near))
                    fail_msg("environment %d, ray %d: %.17g, should be %g", env, j, distance[env][j], want[env][j]);
                assert_int_equal(geom[env][j], geoms[env][j]);
            }
        assert_true(fabs(normal[0][0][0] + 1) <= near && fabs(normal[0][1][1] - 1) <= near && normal[0][3][2] == 1);
        o.range_m = 0.5; /* what is no nearer is not seen */
        MUST(myr_batch_rays(batch, NULL, 2, 7, origin[0], direction[0], &o, distance, NULL, geom[0]));
        assert_true(isinf(distance[0][0]) && geom[0][0] == MYR_RAYS_NOTHING && distance[0][1] <= 0.11);
        o.range_m = 100, o.shapes = 0;
        MUST(myr_batch_rays(batch, NULL, 2, 7, origin[0], direction[0], &o, distance, NULL, geom[0]));
        assert_true(isinf(distance[0][0]) && fabs(distance[0][4] - 1) <= near && geom[0][4] == MYR_RAYS_GROUND);
        o.shapes = 1, o.ground = 0;
        MUST(myr_batch_rays(batch, NULL, 2, 7, origin[0], direction[0], &o, distance, NULL, geom[0]));
        assert_true(isinf(distance[0][3]) && isinf(distance[1][4]) && geom[0][0] == 0);
        o.exclude = MYR_RAYS_EXCLUDE_BODY, o.body = -1; /* what is fixed to the world */
        MUST(myr_batch_rays(batch, NULL, 2, 7, origin[0], direction[0], &o, distance, NULL, geom[0]));
        assert_true(isinf(distance[0][1]) && geom[0][2] == 1);
        myr_batch_free(batch);
    }
    myr_model_free(model);
}

/* Level maps of each kind, from their very surface: down it is met at once, level and upwards never; from below it is not seen. */
static void on_the_surface(void **state) {
    (void)state;
    enum { SIDE = 32, BLOCKS = SIDE / MYR_TERRAIN_BLOCK };
    static const double origin[7][3] = {{0.02, 0.03, 0}, {0, 0, 0},      {0.01, 0, 0},  {0.05, 0.1, 0},
                                        {0, 0, 0},       {0.3, 0, -0.1}, {0.3, 0, -0.1}};
    static const double direction[7][3] = {{0, 0, -1}, {1, 1, -1}, {1, 0, 0}, {1, 0, 1e-42}, {0, 1, 1}, {1, 0, 3}, {1, 0, -1}};
    const int16_t steps[SIDE * SIDE] = {0};
    for (int kind = 0; kind < 3; kind++)
        for (int precision = 0; precision < 2; precision++) {
            const myr_settings settings = scene_settings("precision", rays_precisions[precision], "ground", "0", NULL);
            uint8_t columns[BLOCKS * BLOCKS];
            for (int b = 0; b < BLOCKS * BLOCKS; b++) columns[b] = kind == 1 || (kind == 2 && b % 2);
            myr_terrain_def def = myr_terrain_def_default();
            def.nx = def.ny = SIDE, def.cell_m = 0.1, def.steps = steps, def.columns = columns;
            myr_rays_options o = myr_rays_options_default();
            myr_model *model = ball_model(), *on;
            myr_terrain *terrain;
            myr_batch *batch;
            double distance[7], normal[7][3];
            o.type = MYR_F64, o.shapes = 0;
            MUST(myr_terrain_create(&def, &terrain));
            MUST(myr_model_on(model, terrain, &on));
            MUST(myr_batch_create(on, 1, &settings, &batch));
            MUST(myr_batch_rays(batch, NULL, 1, 7, origin[0], direction[0], &o, distance, normal, NULL));
            for (int j = 0; j < 7; j++) assert_true(j < 2 ? distance[j] == 0 && normal[j][2] == 1 : isinf(distance[j]));
            myr_batch_free(batch), myr_model_free(on), myr_model_free(model), myr_terrain_free(terrain);
        }
}

static void no_ground(void **state) {
    (void)state;
    myr_model *model = ball_model();
    const myr_settings settings = scene_settings("ground", "off", NULL);
    const double origin[2][3] = {{3, 3, 1}, {0, 0, 2}}, direction[2][3] = {{0, 0, -1}, {0, 0, -1}};
    const myr_rays_options o = myr_rays_options_default();
    float distance[2];
    myr_batch *batch;
    MUST(myr_batch_create(model, 1, &settings, &batch));
    MUST(myr_batch_rays(batch, NULL, 1, 2, origin[0], direction[0], &o, distance, NULL, NULL));
    assert_true(isinf(distance[0]) && fabsf(distance[1] - 0.9f) < 1e-6f);
    myr_batch_free(batch), myr_model_free(model);
}

/* ---- what is refused --------------------------------------------------------------------------------- */

static void wrong_calls(void **state) {
    (void)state;
    rays_scene *s = rays_scene_make(RAYS_FIELD);
    myr_batch *batch = rays_batch(s, "auto", 0, 3, 1);
    const myr_rays_options good = options_of(s);
    double origin[2][3] = {{0}}, direction[2][3] = {{0, 0, -1}, {1, 0, 0}}, distance[6] = {7, 7, 7, 7, 7, 7}, own[6][3] = {{0}};
    const int64_t beyond = 3;
#define REFUSED(change, word)                                                                                                              \
    do {                                                                                                                                   \
        myr_rays_options o = good;                                                                                                         \
        change;                                                                                                                            \
        MUST_FAIL(myr_batch_rays(batch, NULL, 3, 2, origin[0], direction[0], &o, distance, NULL, NULL), MYR_E_ARG, word);                  \
    } while (0)
    REFUSED(o.frame = -2, "frame is -2");
    REFUSED(o.frame = 1000, "frame is 1000");
    REFUSED(o.axes = (myr_rays_axes)3, "axes is 3");
    REFUSED(o.exclude = (myr_rays_exclude)3, "exclude is 3");
    REFUSED(o.body = RAYS_BODIES, "body is 3");
    REFUSED(o.ground = 2, "ground is 2");
    REFUSED(o.shapes = -1, "shapes is -1");
    REFUSED(o.own_rays = 2, "own_rays is 2");
    REFUSED(o.range_m = 0, "range_m is 0");
    REFUSED(o.range_m = (double)NAN, "range_m is nan");
    REFUSED(o.range_m = 1001, "range_m is 1001");
    REFUSED(o.type = MYR_I64, "type is 64");
    REFUSED(direction[1][0] = (double)NAN, "direction[1] is (nan, 0, 0), but must be finite");
    REFUSED(direction[1][0] = INFINITY, "direction[1] is (inf, 0, 0), but must be finite");
    REFUSED(direction[1][0] = 0, "direction[1] is (0, 0, 0), but must be other than zero");
    direction[1][0] = 1;
    REFUSED(origin[0][2] = (double)NAN, "origin[0] is (0, 0, nan)");
    REFUSED(origin[0][2] = -2000, "origin[0] is (0, 0, -2000)");
    origin[0][2] = 0;
    for (int k = 0; k < 6; k++) own[k][1] = k != 3;
    MUST_FAIL(myr_batch_rays(NULL, NULL, 3, 2, NULL, direction[0], &good, distance, NULL, NULL), MYR_E_ARG, "batch is NULL");
    MUST_FAIL(myr_batch_rays(batch, NULL, 3, 2, NULL, NULL, &good, distance, NULL, NULL), MYR_E_ARG, "`direction` is NULL");
    MUST_FAIL(myr_batch_rays(batch, NULL, 3, 2, NULL, direction[0], NULL, distance, NULL, NULL), MYR_E_ARG, "`options` is NULL");
    MUST_FAIL(myr_batch_rays(batch, NULL, 3, 2, NULL, direction[0], &good, NULL, NULL, NULL), MYR_E_ARG, "`distance` is NULL");
    MUST_FAIL(myr_batch_rays(batch, NULL, 3, 0, NULL, direction[0], &good, distance, NULL, NULL), MYR_E_ARG, "rays is 0");
    MUST_FAIL(myr_batch_rays(batch, NULL, 4, 2, NULL, direction[0], &good, distance, NULL, NULL), MYR_E_ARG, "n is 4");
    MUST_FAIL(myr_batch_rays(batch, &beyond, 1, 2, NULL, direction[0], &good, distance, NULL, NULL), MYR_E_ARG, "ids[0] is 3");
    myr_rays_options each = good;
    each.own_rays = 1;
    MUST_FAIL(myr_batch_rays(batch, NULL, 3, 2, NULL, own[0], &each, distance, NULL, NULL), MYR_E_ARG, "direction[1, 1] is (0, 0, 0)");
    for (int k = 0; k < 6; k++) assert_true(distance[k] == 7);
    MUST(myr_batch_rays(batch, NULL, 0, 2, NULL, direction[0], &good, distance, NULL, NULL));
    assert_true(distance[0] == 7);
    direction[0][2] = -1e-300, direction[1][0] = 1e300; /* any length */
    MUST(myr_batch_rays(batch, NULL, 3, 2, NULL, direction[0], &good, distance, NULL, NULL));
    for (int k = 0; k < 6; k++) assert_true(distance[k] > 0 && distance[k] != 7);
    myr_batch_free(batch);
    rays_scene_free(s);
}

/* ---- memory ------------------------------------------------------------------------------------------ */

static int allocations;

static void *count(size_t bytes, size_t alignment, void *user) {
    (void)user;
    allocations++;
    return aligned_alloc(alignment, bytes);
}
static void give_back(void *memory, void *user) {
    (void)user;
    free(memory);
}

/* The table is made by the first call that looks for geoms; it is counted. */
static void one_call_allocates(void **state) {
    (void)state;
    const myr_allocator counting = {count, give_back, NULL};
    static double direction[RAYS][3];
    static float distance[4][RAYS];
    draw(2, RAYS, direction);
    myr_set_allocator(&counting);
    rays_scene *s = rays_scene_make(RAYS_FIELD);
    myr_batch *batch = rays_batch(s, "auto", 0, 4, 1);
    myr_rays_options o = myr_rays_options_default();
    myr_batch_info before, after;
    myr_batch_get_info(batch, &before);
    allocations = 0, o.shapes = 0;
    MUST(myr_batch_rays(batch, NULL, 4, RAYS, NULL, direction[0], &o, distance, NULL, NULL));
    assert_int_equal(allocations, 0);
    o.shapes = 1;
    MUST(myr_batch_rays(batch, NULL, 4, RAYS, NULL, direction[0], &o, distance, NULL, NULL));
    myr_batch_get_info(batch, &after);
    assert_true(allocations > 0 && after.bytes > before.bytes);
    allocations = 0;
    for (int k = 0; k < 3; k++) MUST(myr_batch_rays(batch, NULL, 4, RAYS, NULL, direction[0], &o, distance, NULL, NULL));
    assert_int_equal(allocations, 0);
    myr_batch_free(batch);
    rays_scene_free(s);
    myr_set_allocator(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(bits_are_the_same_everywhere),
                                       cmocka_unit_test(ids_in_any_order),
                                       cmocka_unit_test(lost_environments),
                                       cmocka_unit_test(moved_geoms_and_closed_forms),
                                       cmocka_unit_test(no_ground),
                                       cmocka_unit_test(on_the_surface),
                                       cmocka_unit_test(wrong_calls),
                                       cmocka_unit_test(one_call_allocates)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

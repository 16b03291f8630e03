/* Sensors that look show what the calls of a batch do that cast rays and scan the ground, which test_rays.c and test_scan.c judge beside a
 * reference. The frame's pose is rounded in another order there, so that a ray may pass an edge on its other side. ctest: lanes */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/isas.h"
#include "support/rays_scene.h"

enum { MOST = 512, ENVS = 9 };

typedef struct looking {
    const char *name;
    myr_sensor_kind kind;
    myr_sensor_look look;
} looking;

static myr_sensor_look usual(void) { return myr_sensor_def_default().look; }

static int looks_of(looking out[]) {
    int n = 0;
    for (int kind = 0; kind < 4; kind++)
        for (int way = 0; way < 3; way++) {
            static const char *const names[4][3] = {{"s0", "s1", "s2"}, {"r0", "r1", "r2"}, {"r3", "r4", "r5"}, {"f0", "f1", "f2"}};
            looking *l = &out[n++];
            *l = (looking){names[kind][way],
                           kind == 0   ? MYR_SENSOR_HEIGHT_SCAN
                           : kind == 3 ? MYR_SENSOR_RANGEFINDER
                                       : MYR_SENSOR_RAYS,
                           usual()};
            if (kind == 0) {
                l->look.pattern = myr_ray_pattern_default(way == 1 ? MYR_RAYS_RING : MYR_RAYS_GRID);
                l->look.pattern.x_m = 0.1, l->look.pattern.radius_m = 0.2;
                l->look.scan = (myr_scan_kind)way, l->look.value = way ? MYR_SCAN_CLEARANCE : MYR_SCAN_HEIGHT, l->look.least = way == 2;
            } else {
                l->look.pattern = myr_ray_pattern_default(kind == 1 ? MYR_RAYS_LIDAR : MYR_RAYS_PINHOLE);
                l->look.pattern.rows = 5, l->look.pattern.columns = 40, l->look.pattern.elevation[0] = -1;
                l->look.pattern.width = 16, l->look.pattern.height = 12;
                l->look.axes = way == 1 ? MYR_RAYS_HEADING_AXES : MYR_RAYS_FRAME_AXES;
                l->look.exclude = (myr_rays_exclude)way, l->look.ground = way != 2, l->look.shapes = way != 1 || kind == 2;
                l->look.range_m = RAYS_RANGE, l->look.depth = kind == 2 && way == 0;
            }
        }
    return n;
}

/* The scene's model, on its map, with a sensor of each. */
static myr_model *sensed(const rays_scene *scene, const looking *looks, int n) {
    myr_builder *builder;
    myr_model *model, *on = NULL;
    MUST(myr_builder_create("looks", &builder));
    MUST(myr_builder_add_model(builder, scene->model, NULL));
    for (int i = 0; i < n; i++) {
        myr_sensor_def def = myr_sensor_def_default();
        def.name = looks[i].name, def.kind = looks[i].kind, def.of = "eye", def.look = looks[i].look;
        MUST(myr_builder_sensor(builder, &def));
    }
    MUST(myr_builder_compile(builder, &model));
    myr_builder_free(builder);
    if (!scene->terrain) return model;
    MUST(myr_model_on(model, scene->terrain, &on));
    myr_model_free(model);
    return on;
}

static void by_call(const rays_scene *scene, myr_batch *batch, const looking *l, myr_type type, double *out, int *size) {
    const myr_sensor_look *look = &l->look;
    static float single[ENVS * MOST];
    static double origin[3 * MOST], direction[3 * MOST];
    void *to = type == MYR_F32 ? (void *)single : out;
    if (l->kind == MYR_SENSOR_HEIGHT_SCAN) {
        myr_scan scan = myr_scan_default();
        const myr_ray_pattern *p = &look->pattern;
        scan.kind = look->scan, scan.value = look->value, scan.least = look->least, scan.frame = scene->eye;
        scan.shape = p->kind == MYR_RAYS_RING ? MYR_SCAN_RING : MYR_SCAN_GRID;
        scan.nx = p->nx, scan.ny = p->ny, scan.cell_m = p->cell_m, scan.x_m = p->x_m, scan.y_m = p->y_m, scan.n = p->n;
        scan.radius_m = p->radius_m;
        MUST(myr_batch_scan(batch, &scan, NULL, type, to));
        *size = look->least ? 1 : myr_scan_points(&scan);
    } else {
        myr_rays_options options = myr_rays_options_default();
        myr_frame_info eye;
        MUST(myr_model_get_frame(scene->model, scene->eye, &eye));
        options.frame = scene->eye, options.axes = look->axes, options.ground = look->ground, options.shapes = look->shapes;
        options.exclude = look->exclude, options.body = eye.body, options.range_m = look->range_m, options.type = type;
        const int one = l->kind == MYR_SENSOR_RANGEFINDER;
        *size = one ? 1 : myr_ray_pattern_count(&look->pattern);
        memset(origin, 0, sizeof origin), direction[0] = direction[1] = 0, direction[2] = 1;
        if (!one) MUST(myr_ray_pattern_rays(&look->pattern, origin, direction));
        MUST(myr_batch_rays(batch, NULL, ENVS, *size, origin, direction, &options, to, NULL, NULL));
    }
    for (int i = 0; i < ENVS * *size; i++) {
        if (type == MYR_F32) out[i] = (double)single[i];
        const double axis = -direction[3 * (i % *size) + 2];
        if (look->depth) out[i] = type == MYR_F32 ? (double)((float)out[i] * (float)axis) : out[i] * axis;
    }
}

static void sensors_show_what_calls_do(void **state) {
    (void)state;
    static looking looks[16];
    static double seen[ENVS * MOST * 16], wanted[ENVS * MOST];
    const int n = looks_of(looks);
    for (int map = 0; map < RAYS_MAPS; map++) {
        rays_scene *scene = rays_scene_make(map);
        myr_model *bare = scene->model, *model = sensed(scene, looks, n);
        int met = 0, all = 0, off[2] = {0, 0};
        for (int i = 0; isa_at(i); i++)
            for (int p = 0; p < 2; p++) {
                scene->model = model;
                myr_batch *batch = rays_batch(scene, isa_at(i), p, ENVS, 5);
                MUST(myr_batch_refresh(batch));
                const int rows = (int)myr_batch_components(batch, MYR_SENSORS);
                MUST(myr_batch_get(batch, MYR_SENSORS, NULL, ENVS, MYR_F64, seen));
                for (int k = 0; k < n; k++) {
                    int size, number;
                    myr_sensor_info info;
                    by_call(scene, batch, &looks[k], p ? MYR_F64 : MYR_F32, wanted, &size);
                    MUST(myr_model_find_sensor(model, looks[k].name, &number));
                    MUST(myr_model_get_sensor(model, number, &info));
                    assert_int_equal(info.n_rows, size);
                    for (int e = 0; e < ENVS * size; e++) {
                        const double is = seen[e / size * rows + info.row + e % size];
                        met += isfinite(is), all++;
                        off[p] += is != wanted[e] && !(fabs(is - wanted[e]) <= (p ? 1e-10 : 1e-4) * (1 + fabs(wanted[e])));
                    }
                }
                scene->model = bare;
                myr_batch_free(batch);
            }
        if (off[0] > all / 400 || off[1] > all / 4000)
            fail_msg("%s: of %d numbers %d (f32) and %d (f64) are others than by call", rays_maps[map], all, off[0], off[1]);
        if (!(met > all / 4)) fail_msg("%s: of %d numbers %d are finite", rays_maps[map], all, met);
        myr_model_free(model);
        rays_scene_free(scene);
    }
}

static void nonsense_is_refused(void **state) {
    (void)state;
    myr_model *robot;
    myr_builder *builder = scene_robot_builder("nonsense", "anymal", &robot);
#define BAD(kind_, member, value, word)                                                                                                    \
    {                                                                                                                                      \
        myr_sensor_def def = myr_sensor_def_default();                                                                                     \
        def.name = "a", def.kind = MYR_SENSOR_##kind_, def.look.member = value;                                                            \
        MUST_FAIL(myr_builder_sensor(builder, &def), MYR_E_ARG, word);                                                                     \
    }
    BAD(RAYS, axes, MYR_RAYS_WORLD_AXES, "look.axes is 2, but must be 0 to 1")
    BAD(RAYS, exclude, (myr_rays_exclude)3, "look.exclude is 3")
    BAD(RAYS, ground, 2, "look.ground is 2")
    BAD(RAYS, shapes, -1, "look.shapes is -1")
    BAD(RAYS, depth, 7, "look.depth is 7")
    BAD(RANGEFINDER, depth, 1, "look.depth is along -z")
    BAD(RAYS, range_m, 0, "look.range_m is 0")
    BAD(RANGEFINDER, range_m, NAN, "look.range_m is nan")
    BAD(RAYS, pattern.nx, 0, "1 to 4096 rays")
    BAD(RAYS, pattern.nx, 4000, "1 to 4096 rays")
    BAD(RAYS, pattern.cell_m, -1, "cell_m")
    BAD(HEIGHT_SCAN, pattern.kind, MYR_RAYS_LIDAR, "a grid or a ring")
    BAD(HEIGHT_SCAN, pattern.cell_m, 50, "farther away than 100 m")
    BAD(HEIGHT_SCAN, scan, (myr_scan_kind)4, "look.scan is 4")
    BAD(HEIGHT_SCAN, value, (myr_scan_value)2, "look.value is 2")
    BAD(HEIGHT_SCAN, least, 2, "look.least is 2")
    myr_sensor_def def = myr_sensor_def_default();
    def.name = "a", def.kind = MYR_SENSOR_TENDONPOS, def.of = "rope";
    MUST_FAIL(myr_builder_sensor(builder, &def), MYR_E_ARG, "no tendon `rope`");
    myr_builder_free(builder);
    myr_model_free(robot);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(sensors_show_what_calls_do), cmocka_unit_test(nonsense_is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_floating_point.c of maps: made, generated, read and written, asked for heights; a model on one, its steps and its scans. */
#include "support/floating_point.h"

#include <stdlib.h>
#include <unistd.h>

/* Waves and rough ground are what has numbers that are not whole on their way. */
static void use_generator(void) {
    myr_terrain_plan plan, named;
    myr_terrain *terrain = NULL;
    myr_terrain_patch patch;
    myr_terrain_info info;
    const char *name;
    IN(plan = myr_terrain_plan_default());
    IN(name = myr_terrain_profile_name(2));
    IN_MUST(myr_terrain_plan_named(name, &named));
    saw(strange_call, &plan.cell_m, sizeof plan.cell_m);
    plan.levels = 3, plan.columns = 8, plan.patch_m = 2.4, plan.border_m = 0.7, plan.spread = 0.7;
    plan.n_kinds = 5;
    memcpy(plan.kinds, named.kinds + 2, 5 * sizeof *plan.kinds);
    for (int n = 0; n < plan.n_kinds; n++) plan.kinds[n].platform_m = 0.7;
    IN_MUST(myr_terrain_generate(&plan, 3, &terrain));
    IN(myr_terrain_get_info(terrain, &info));
    saw(strange_call, &info.hash, sizeof info.hash);
    IN_MUST(myr_terrain_get_patch(terrain, 2, 7, &patch));
    saw(strange_call, patch.at_m, sizeof patch.at_m), saw(strange_call, &patch.difficulty, sizeof patch.difficulty);
    myr_terrain_free(terrain);
    IN_MUST(myr_terrain_generate_named(name, 3, &terrain));
    myr_terrain_get_info(terrain, &info);
    saw(strange_call, &info.hash, sizeof info.hash);
    myr_terrain_free(terrain);
}

/* Saved and read; with the same hash, whatever the environment. And as an MJCF. */
static void use_terrain_files(const myr_terrain *terrain, uint64_t hash) {
    const char *path = strange_path("map.npz");
    myr_terrain_read_options options;
    myr_terrain *again = NULL;
    IN(options = myr_terrain_read_options_default());
    IN_MUST(myr_terrain_save(terrain, path));
    IN_MUST(myr_terrain_read(path, &options, &again));
    myr_terrain_info info;
    myr_terrain_get_info(again, &info);
    assert_true(info.hash == hash);
    myr_terrain_free(again);
    unlink(path);
    char note[MYR_TERRAIN_NOTE];
    path = strange_path("map.xml");
    IN_MUST(myr_terrain_export_mjcf(terrain, path, note));
    saw_text(note);
    IN_MUST(myr_terrain_from_mjcf(path, note, &again));
    saw_text(note);
    myr_terrain_get_info(again, &info);
    saw(strange_call, &info.hash, sizeof info.hash);
    myr_terrain_free(again);
    unlink(path), unlink(strange_path("map.bin"));
}

static void use_scan(const myr_model *model, const myr_settings *settings) {
    myr_batch *batch = NULL;
    myr_scan scan;
    int points;
    IN(scan = myr_scan_default());
    IN(points = myr_scan_points(&scan));
    double *heights = calloc(3 * (size_t)points, sizeof *heights);
    assert_non_null(heights);
    IN_MUST(myr_batch_create(model, 3, settings, &batch));
    for (int kind = MYR_SCAN_EXACT; kind <= MYR_SCAN_NEAREST; kind++) {
        scan.kind = (myr_scan_kind)kind;
        IN_MUST(myr_batch_scan(batch, &scan, NULL, MYR_F64, heights));
        saw(strange_call, heights, 3 * (size_t)points * sizeof *heights);
    }
    scan.shape = MYR_SCAN_RING, scan.value = MYR_SCAN_CLEARANCE, scan.frame = 0, scan.least = 1;
    IN_MUST(myr_batch_scan(batch, &scan, NULL, MYR_F64, heights));
    saw(strange_call, heights, 3 * sizeof *heights);
    myr_batch_free(batch);
    free(heights);
}

static void use_rays(const myr_model *model, const myr_settings *settings) {
    enum { RAYS = 6 * 8 };
    myr_batch *batch = NULL;
    myr_ray_pattern pattern;
    myr_rays_options options;
    int rays;
    double origin[RAYS][3], direction[RAYS][3], distance[3][RAYS], normal[3][RAYS][3];
    int32_t geom[3][RAYS];
    IN(options = myr_rays_options_default());
    IN_MUST(myr_batch_create(model, 3, settings, &batch));
    for (int kind = MYR_RAYS_GRID; kind <= MYR_RAYS_PINHOLE; kind++) {
        IN(pattern = myr_ray_pattern_default((myr_ray_kind)kind));
        saw(strange_call, &pattern.elevation, sizeof pattern.elevation), saw(strange_call, &pattern.fovy, sizeof pattern.fovy);
        pattern.nx = pattern.rows = pattern.height = 6, pattern.ny = pattern.columns = pattern.width = 8, pattern.n = RAYS;
        IN(rays = myr_ray_pattern_count(&pattern));
        assert_int_equal(rays, RAYS);
        IN_MUST(myr_ray_pattern_rays(&pattern, origin[0], direction[0]));
        saw(strange_call, origin, sizeof origin), saw(strange_call, direction, sizeof direction);
        options.frame = kind % 2 ? 0 : MYR_RAYS_WORLD, options.type = MYR_F64;
        IN_MUST(myr_batch_rays(batch, NULL, 3, RAYS, origin[0], direction[0], &options, distance, normal, geom[0]));
        saw(strange_call, distance, sizeof distance), saw(strange_call, normal, sizeof normal), saw(strange_call, geom, sizeof geom);
    }
    myr_batch_free(batch);
}

static void use_terrain(const void *context) {
    const char *precision = context;
    const myr_settings settings = scene_settings("precision", precision, "threads", "2", NULL);
    enum { N = 12 };
    float heights[N * N];
    uint8_t kinds[4] = {0, 1, 0, 0};
    myr_terrain_def def;
    myr_terrain *terrain = NULL;
    myr_terrain_info info;
    myr_model *model = NULL, *on = NULL;
    const double places[4] = {0.1, 0.2, -0.37, 0.41};
    double height[2], normal[6];
    for (int i = 0; i < N * N; i++) heights[i] = 0.01f * (float)(i * i % 7);
    IN(def = myr_terrain_def_default());
    def.nx = def.ny = N, def.cell_m = 0.11, def.heights_m = heights, def.columns = kinds;
    IN_MUST(myr_terrain_create(&def, &terrain));
    IN(myr_terrain_get_info(terrain, &info));
    saw(strange_call, &info.hash, sizeof info.hash);
    IN_MUST(myr_terrain_height(terrain, 2, places, height, normal));
    saw(strange_call, height, sizeof height), saw(strange_call, normal, sizeof normal);
    IN_MUST(myr_terrain_samples(terrain, heights));
    saw(strange_call, heights, sizeof heights);
    IN_MUST(myr_terrain_kinds(terrain, kinds));
    use_terrain_files(terrain, info.hash);
    IN_MUST(myr_model_load("cube", MYR_ROOT_AUTO, &model));
    IN_MUST(myr_model_on(model, terrain, &on));
    const myr_terrain *same;
    IN(same = myr_model_terrain(on));
    assert_ptr_equal(same, terrain);
    use_generator();
    IN(myr_terrain_free(terrain));
    myr_model_free(model);
    use_strange_batch(on, &settings);
    use_scan(on, &settings);
    use_rays(on, &settings);
    myr_model_free(on);
}

int main(void) { return strange_main(use_terrain, 101); }

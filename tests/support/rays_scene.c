#include "rays_scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

const char *const rays_maps[RAYS_MAPS] = {"plane", "field", "columns", "mixed", "floats"};
const char *const rays_precisions[2] = {"f32", "f64"};

enum { CORNERS = 12, BLOCKS_X = 6, BLOCKS_Y = 5, ORIGIN_I = 20, ORIGIN_K = 15 };

static void add_geoms(myr_builder *builder, int body, random_source *random) {
    for (int type = 0; type < 5; type++) {
        myr_geom_def def = myr_geom_def_default();
        double points[3 * CORNERS];
        char name[32];
        snprintf(name, sizeof name, "geom %d of %d", type, body);
        def.name = name, def.body = body, def.type = (myr_geom_type)type;
        for (int k = 0; k < 3; k++) {
            def.position_m[k] = random_uniform(random, -0.3, 0.3) + (k == 2 && body == 0 ? 0.4 : 0);
            def.size_m[k] = random_uniform(random, 0.04, 0.2);
        }
        random_quaternion(random, def.quaternion);
        if (type == MYR_GEOM_HULL) {
            for (int k = 0; k < 3 * CORNERS; k++) points[k] = random_uniform(random, -0.2, 0.2) + 0.1 * (k % 3); /* its frame is aside */
            def.points_m = points, def.n_points = CORNERS;
        }
        MUST(myr_builder_geom(builder, &def, NULL));
    }
}

static myr_model *make_model(void) {
    static const char *const names[] = {"table", "robot", "arm", "other"};
    static const double turn[4] = {0.7, -0.3, 0.5, 0.2}, at[3] = {0.05, -0.02, 0.1};
    myr_builder *builder;
    myr_model *model;
    random_source random = {11};
    MUST(myr_builder_create("rays", &builder));
    for (int b = 0; b < 4; b++) {
        myr_body_def def = myr_body_def_default();
        def.name = names[b], def.mass_kg = b ? 1 : 0;
        def.joint = b == 0 ? MYR_JOINT_FIXED : b == 2 ? MYR_JOINT_REVOLUTE : MYR_JOINT_FREE;
        for (int k = 0; k < 3; k++) def.inertia_kgm2[k] = b ? 0.1 : 0;
        if (b == 2) {
            def.parent = 1, def.position_m[0] = 0.1, def.axis[0] = 0.6, def.axis[1] = 0, def.axis[2] = 0.8;
            memcpy(def.quaternion, turn, sizeof turn);
        }
        MUST(myr_builder_body(builder, &def, NULL));
        add_geoms(builder, b, &random);
    }
    MUST(myr_builder_frame(builder, "eye", 2, at, turn));
    MUST(myr_builder_compile(builder, &model));
    myr_builder_free(builder);
    return model;
}

static void make_map(rays_scene *s) {
    random_source random = {(uint64_t)(5 + s->map)};
    static int16_t steps[RAYS_NX * RAYS_NY];
    static float heights[RAYS_NX * RAYS_NY];
    myr_terrain_def def = myr_terrain_def_default();
    for (int n = 0; n < RAYS_NX * RAYS_NY; n++) {
        steps[n] = (int16_t)(random_below(&random, 25) - 12), heights[n] = (float)random_uniform(&random, -0.06, 0.06);
        if (n / RAYS_NY < 12) steps[n] = (int16_t)(8 * (n / RAYS_NY / 4)), heights[n] = 0.125f; /* stairs; level floats */
        s->height[n] = s->map == RAYS_FLOATS ? (double)heights[n] : 0.005 * steps[n];
    }
    for (int b = 0; b < BLOCKS_X * BLOCKS_Y; b++)
        s->columns[b] = s->map == RAYS_COLUMNS || (s->map == RAYS_MIXED && random_below(&random, 2));
    def.nx = RAYS_NX, def.ny = RAYS_NY, def.cell_m = RAYS_CELL, def.columns = s->columns, def.origin_i = ORIGIN_I, def.origin_k = ORIGIN_K;
    if (s->map == RAYS_FLOATS)
        def.heights_m = heights;
    else
        def.steps = steps;
    MUST(myr_terrain_create(&def, &s->terrain));
    s->ground = (ref_ray_map){RAYS_NX,   RAYS_NY,   MYR_TERRAIN_BLOCK, BLOCKS_Y, RAYS_CELL, -RAYS_CELL * ORIGIN_I, -RAYS_CELL * ORIGIN_K,
                              s->height, s->columns};
}

rays_scene *rays_scene_make(int map) {
    rays_scene *s = calloc(1, sizeof *s);
    myr_model_info info;
    assert_non_null(s);
    s->map = map, s->model = make_model();
    myr_model_get_info(s->model, &info);
    s->n_geoms = info.n_geoms;
    assert_true(info.n_geoms <= RAYS_GEOMS && info.nq <= RAYS_Q && info.n_bodies == RAYS_BODIES);
    s->planes = calloc((size_t)s->n_geoms, sizeof *s->planes);
    assert_non_null(s->planes);
    if (map != RAYS_PLANE) {
        myr_model *plane = s->model;
        make_map(s);
        MUST(myr_model_on(plane, s->terrain, &s->model));
        myr_model_free(plane);
    }
    for (int g = 0; g < s->n_geoms; g++) {
        MUST(myr_model_get_geom(s->model, g, &s->geom[g]));
        if (s->geom[g].type == MYR_GEOM_HULL) s->n_planes[g] = ref_ray_planes(s->geom[g].points_m, s->geom[g].n_points, s->planes[g]);
    }
    MUST(myr_model_find_frame(s->model, "eye", &s->eye));
    return s;
}

void rays_scene_free(rays_scene *s) {
    myr_model_free(s->model), myr_terrain_free(s->terrain);
    free(s->planes), free(s);
}

myr_settings rays_settings(const char *isa, int precision) {
    return scene_settings("isa", isa, "precision", rays_precisions[precision], "ground", "0.0371", "threads", "2", NULL);
}

myr_batch *rays_batch(const rays_scene *s, const char *isa, int precision, int64_t envs, uint64_t seed) {
    const myr_settings settings = rays_settings(isa, precision);
    random_source random = {seed};
    myr_batch *batch;
    MUST(myr_batch_create(s->model, envs, &settings, &batch));
    for (int64_t env = 0; env < envs; env++) {
        double q[RAYS_Q];
        MUST(myr_batch_get(batch, MYR_Q, &env, 1, MYR_F64, q));
        for (int free = 0; free < 2; free++) {
            double *at = q + 8 * free;
            for (int k = 0; k < 3; k++) at[k] = random_uniform(&random, -0.6, 0.6) + (k == 2 ? 0.8 : 0);
            random_quaternion(&random, at + 3);
        }
        q[7] = random_uniform(&random, -2, 2);
        MUST(myr_batch_set(batch, MYR_Q, &env, 1, MYR_F64, q));
        if (!s->terrain) continue;
        const double at[3] = {RAYS_CELL * (random_below(&random, RAYS_NX + 8) - ORIGIN_I - 4),
                              RAYS_CELL * (random_below(&random, RAYS_NY + 8) - ORIGIN_K - 4), 0.015};
        MUST(myr_batch_set(batch, MYR_GROUND_AT, &env, 1, MYR_F64, at));
    }
    return batch;
}

static void rotation(const double q[4], double R[9]) {
    const double w = q[0], x = q[1], y = q[2], z = q[3], n = w * w + x * x + y * y + z * z;
    const double turn[9] = {w * w + x * x - y * y - z * z, 2 * (x * y - w * z),           2 * (x * z + w * y),
                            2 * (x * y + w * z),           w * w - x * x + y * y - z * z, 2 * (y * z - w * x),
                            2 * (x * z - w * y),           2 * (y * z + w * x),           w * w - x * x - y * y + z * z};
    for (int k = 0; k < 9; k++) R[k] = turn[k] / n;
}

/* A frame within another one. */
static void within(const double at[3], const double R[9], const double inner_at[3], const double quaternion[4], double out[3],
                   double turn[9]) {
    double own[9];
    rotation(quaternion, own);
    for (int i = 0; i < 3; i++) {
        out[i] = at[i] + R[3 * i] * inner_at[0] + R[3 * i + 1] * inner_at[1] + R[3 * i + 2] * inner_at[2];
        for (int j = 0; j < 3; j++) turn[3 * i + j] = R[3 * i] * own[j] + R[3 * i + 1] * own[3 + j] + R[3 * i + 2] * own[6 + j];
    }
}

/* Poses by a batch in double at the same positions: float would round where a geom is. */
void rays_where(const rays_scene *s, const myr_batch *batch, int64_t env, rays_places *p) {
    static const ref_ray_type types[] = {[MYR_GEOM_SPHERE] = REF_RAY_SPHERE,
                                         [MYR_GEOM_BOX] = REF_RAY_BOX,
                                         [MYR_GEOM_CAPSULE] = REF_RAY_CAPSULE,
                                         [MYR_GEOM_CYLINDER] = REF_RAY_CYLINDER,
                                         [MYR_GEOM_HULL] = REF_RAY_HULL};
    myr_settings settings = scene_settings("precision", "f64", "threads", "1", NULL);
    double places[3 * RAYS_GEOMS];
    myr_batch *exact;
    int world = 0;
    MUST(myr_batch_get(batch, MYR_Q, &env, 1, MYR_F64, p->q));
    MUST(myr_batch_get(batch, MYR_WORLD_AT, &env, 1, MYR_F64, places));
    settings.sense_bodies = 1;
    MUST(myr_batch_create(s->model, 1, &settings, &exact));
    MUST(myr_batch_set(exact, MYR_Q, NULL, 1, MYR_F64, p->q));
    MUST(myr_batch_refresh(exact));
    MUST(myr_batch_get(exact, MYR_BODY_POSE, NULL, 1, MYR_F64, p->pose));
    myr_batch_free(exact);
    for (int g = 0; g < s->n_geoms; g++) {
        const myr_geom_info *is = &s->geom[g];
        const double none[3] = {0}, level[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
        ref_ray_shape *shape = &p->shape[g];
        double R[9];
        *shape = (ref_ray_shape){.type = types[is->type], .planes = (const double(*)[4])s->planes[g], .n_planes = s->n_planes[g]};
        memcpy(shape->size, is->size_m, sizeof shape->size);
        if (is->body < 0) {
            within(none, level, places + 3 * world++, is->quaternion, shape->at, shape->turn);
            continue;
        }
        rotation(p->pose[is->body] + 3, R);
        within(p->pose[is->body], R, is->position_m, is->quaternion, shape->at, shape->turn);
    }
    p->level = RAYS_GROUND_AT, p->ground = s->ground;
    if (!s->terrain) return;
    double at[3];
    MUST(myr_batch_get(batch, MYR_GROUND_AT, &env, 1, MYR_F64, at));
    p->ground.x0 -= at[0], p->ground.y0 -= at[1], p->level -= at[2];
}

void rays_eye(const rays_scene *s, const rays_places *p, double at[3], double turn[9]) {
    myr_frame_info frame;
    double R[9];
    MUST(myr_model_get_frame(s->model, s->eye, &frame));
    rotation(p->pose[frame.body] + 3, R);
    within(p->pose[frame.body], R, frame.position_m, frame.quaternion, at, turn);
}

static int is_left_out(const rays_scene *s, int body, const myr_rays_options *o) {
    if (o->exclude == MYR_RAYS_EXCLUDE_NONE) return 0;
    if (o->exclude == MYR_RAYS_EXCLUDE_BODY || o->body < 0 || body < 0) return body == o->body;
    myr_body_info mine, its;
    MUST(myr_model_get_body(s->model, o->body, &mine));
    MUST(myr_model_get_body(s->model, body, &its));
    return mine.tree == its.tree;
}

rays_answer rays_reference(const rays_scene *s, const rays_places *p, const ref_ray *ray, const myr_rays_options *o) {
    rays_answer best = {{.distance = INFINITY}, MYR_RAYS_NOTHING};
    for (int g = 0; o->shapes && g < s->n_geoms; g++) {
        if (is_left_out(s, s->geom[g].body, o)) continue;
        const ref_ray_hit hit = ref_ray_shape_hit(&p->shape[g], ray);
        if (hit.distance < best.hit.distance) best = (rays_answer){hit, g};
    }
    if (o->ground) {
        const ref_ray low = {{ray->origin[0], ray->origin[1], ray->origin[2] - p->level},
                             {ray->direction[0], ray->direction[1], ray->direction[2]}};
        const ref_ray_hit hit =
            s->terrain ? ref_ray_map_hit(&p->ground, &low, o->range_m) : ref_ray_plane_hit((double[3]){0}, (double[3]){0, 0, 1}, &low);
        if (hit.distance < best.hit.distance) best = (rays_answer){hit, MYR_RAYS_GROUND};
    }
    if (best.hit.distance > o->range_m) best = (rays_answer){{.distance = INFINITY}, MYR_RAYS_NOTHING};
    return best;
}

static int agrees(const rays_answer *is, const rays_answer *want, const ref_ray *ray, double bound) {
    const double *n = want->hit.normal, *d = ray->direction;
    if (is->geom != want->geom || isinf(is->hit.distance) != isinf(want->hit.distance)) return 0;
    if (isinf(want->hit.distance)) return is->hit.normal[0] == 0 && is->hit.normal[1] == 0 && is->hit.normal[2] == 0;
    const double steep = 1 / fabs(n[0] * d[0] + n[1] * d[1] + n[2] * d[2]);
    if (!(fabs(is->hit.distance - want->hit.distance) <= bound * steep)) return 0;
    for (int k = 0; k < 3; k++) /* of the smallest radius, 0.04 m */
        if (!(fabs(is->hit.normal[k] - n[k]) <= 25 * bound * steep)) return 0;
    return 1;
}

int rays_judge(const rays_scene *s, const rays_places *p, const ref_ray *ray, const myr_rays_options *o, double bound,
               const rays_answer *is, const char *what) {
    const rays_answer want = rays_reference(s, p, ray, o);
    if (agrees(is, &want, ray, bound)) return 0;
    for (int side = 0; side < 27; side++) {
        ref_ray beside = *ray;
        for (int k = 0, n = side; k < 3; k++, n /= 3) beside.origin[k] += bound * (n % 3 - 1);
        const rays_answer other = rays_reference(s, p, &beside, o);
        if (agrees(is, &other, ray, 4 * bound)) return 1;
    }
    fail_msg("%s: from %.17g %.17g %.17g along %.17g %.17g %.17g: %.17g of geom %d, should be %.17g of geom %d; normal %g %g %g, should be "
             "%g %g %g",
             what, ray->origin[0], ray->origin[1], ray->origin[2], ray->direction[0], ray->direction[1], ray->direction[2],
             is->hit.distance, is->geom, want.hit.distance, want.geom, is->hit.normal[0], is->hit.normal[1], is->hit.normal[2],
             want.hit.normal[0], want.hit.normal[1], want.hit.normal[2]);
    return 0;
}

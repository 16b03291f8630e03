/* Rays meet what the reference says: geoms of all types, planes, maps of triangles, of columns and of both, on every instruction set, in
 * both precisions, for any number of environments; from outside, from inside, at grazing angles and from beyond the border. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "support/isas.h"
#include "support/rays_scene.h"

enum { RAYS = 40, MOST_ENVS = 17 };

typedef struct answers {
    double distance[MOST_ENVS][RAYS], normal[MOST_ENVS][RAYS][3];
    int32_t geom[MOST_ENVS][RAYS];
} answers;

static int lanes_of(const rays_scene *s, const char *isa, int precision) {
    myr_batch *batch = rays_batch(s, isa, precision, 1, 1);
    myr_batch_info info;
    myr_batch_get_info(batch, &info);
    myr_batch_free(batch);
    return info.lanes;
}

/* In the frame: any way, level, along an axis; down at 45 degrees and grazing in the world's axes. */
static void draw(random_source *random, double origin[RAYS][3], double direction[RAYS][3]) {
    for (int j = 0; j < RAYS; j++)
        for (int k = 0; k < 3; k++) {
            origin[j][k] = random_uniform(random, -0.6, 0.6);
            direction[j][k] = j % 8 == 7 ? (k == j / 8 % 3 ? j % 16 - 8 : 0) : random_uniform(random, -3, 3);
            if (k == 2 && j % 8 == 5) direction[j][k] = -0.1;
            if (k == 2 && j % 8 == 6) direction[j][k] = -0.02;
        }
}

/* A ray as the world sees it. */
static ref_ray in_world(const double at[3], const double R[9], const double origin[3], const double direction[3]) {
    ref_ray ray;
    const double length = sqrt(direction[0] * direction[0] + direction[1] * direction[1] + direction[2] * direction[2]);
    for (int i = 0; i < 3; i++) {
        ray.origin[i] = at[i] + R[3 * i] * origin[0] + R[3 * i + 1] * origin[1] + R[3 * i + 2] * origin[2];
        ray.direction[i] = (R[3 * i] * direction[0] + R[3 * i + 1] * direction[1] + R[3 * i + 2] * direction[2]) / length;
    }
    return ray;
}

static void axes_of(const myr_rays_options *o, double at[3], double R[9]) {
    static const double level[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    if (o->frame == MYR_RAYS_WORLD) memset(at, 0, 3 * sizeof *at), memcpy(R, level, sizeof level);
    if (o->axes == MYR_RAYS_WORLD_AXES) memcpy(R, level, sizeof level);
    if (o->axes == MYR_RAYS_HEADING_AXES) {
        const double length = hypot(R[0], R[3]), turned[9] = {R[0] / length, -R[3] / length, 0, R[3] / length, R[0] / length, 0, 0, 0, 1};
        memcpy(R, turned, sizeof turned);
    }
}

typedef struct tally {
    int rays, ground, geoms, beside;
} tally;

/* Own rays in turns; every option. */
static void compare(const rays_scene *s, const char *isa, int precision, int64_t envs, tally *sum) {
    static answers is;
    static double origin[MOST_ENVS][RAYS][3], direction[MOST_ENVS][RAYS][3];
    random_source random = {(uint64_t)(31 * envs + s->map)};
    myr_batch *batch = rays_batch(s, isa, precision, envs, (uint64_t)(envs + 100 * s->map));
    myr_rays_options o = myr_rays_options_default();
    char what[120];
    const int turn = (int)envs % 3;
    snprintf(what, sizeof what, "%s, %s, %s, %d environments", isa, rays_precisions[precision], rays_maps[s->map], (int)envs);
    o.own_rays = envs % 2 == 0, o.type = MYR_F64, o.range_m = RAYS_RANGE;
    o.frame = turn == 0 ? MYR_RAYS_WORLD : s->eye, o.axes = (myr_rays_axes)(turn == 0 ? 2 : turn == 1 ? envs % 4 / 2 : 2 * (envs % 2));
    o.exclude = (myr_rays_exclude)(envs % 3), o.body = envs % 2 ? 1 : -1;
    for (int64_t env = 0; env < (o.own_rays ? envs : 1); env++) draw(&random, origin[env], direction[env]);
    for (int j = 0; turn == 0 && j < RAYS; j++) origin[0][j][2] += 0.5;
    MUST(myr_batch_rays(batch, NULL, envs, RAYS, origin[0][0], direction[0][0], &o, is.distance, is.normal, is.geom[0]));
    for (int64_t env = 0; env < envs; env++) {
        rays_places places;
        double at[3], R[9];
        rays_where(s, batch, env, &places);
        rays_eye(s, &places, at, R);
        axes_of(&o, at, R);
        for (int j = 0; j < RAYS; j++) {
            const int64_t own = o.own_rays ? env : 0;
            const ref_ray ray = in_world(at, R, origin[own][j], direction[own][j]);
            const rays_answer got = {{is.distance[env][j], {is.normal[env][j][0], is.normal[env][j][1], is.normal[env][j][2]}},
                                     is.geom[env][j]};
            sum->beside += rays_judge(s, &places, &ray, &o, precision ? 1e-12 : 1e-5, &got, what);
            sum->rays++, sum->ground += got.geom == MYR_RAYS_GROUND, sum->geoms += got.geom >= 0;
        }
    }
    myr_batch_free(batch);
}

static void rays_meet_what_they_must(void **state) {
    (void)state;
    for (int map = 0; map < RAYS_MAPS; map++) {
        rays_scene *s = rays_scene_make(map);
        for (int precision = 0; precision < 2; precision++) {
            tally sum = {0};
            for (int i = 0; isa_at(i); i++) {
                const int lanes = lanes_of(s, isa_at(i), precision), counts[4] = {1, lanes - 1, lanes, lanes + 1};
                for (int c = 0; c < 4; c++) compare(s, isa_at(i), precision, counts[c], &sum);
            }
            print_message("%s, %s: %d rays, %d meet the ground, %d a geom; %d as one beside\n", rays_maps[map], rays_precisions[precision],
                          sum.rays, sum.ground, sum.geoms, sum.beside);
            assert_true(5 * sum.ground > sum.rays && 5 * sum.geoms > sum.rays);
            assert_true(100 * sum.beside <= sum.rays);
        }
        rays_scene_free(s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(rays_meet_what_they_must)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

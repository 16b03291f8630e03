/* What a ray costs: ns, by ground and by how the rays go.
 *
 *   rays_cost [robot=anymal] [envs=512] [rounds=7] [cell=0.1] [KEY=VALUE of the settings ..]
 *
 * Grounds: the plane; a rough map of triangles, heights within 5 cm by 5 mm on a lattice of 0.2 m (legged_gym's); stairs of columns, 0.3 m
 * wide and 0.1 m high; and a map of both, block by block. Rays begin 0.5 m above the environment's origin, 64 of them all around: straight
 * down, down at 45 degrees, at 14 and at 3; and a depth image of 32 x 24 pixels, 60 degrees high, that looks ahead and down by 30 degrees.
 * `geoms`: against the robot's own geoms beside the ground, from 2 m away. Range 20 m. Distances alone, in float. Of each the fastest of
 * all rounds, and what share of the rays met something. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../tools/turns.h"

enum { SIDE = 801, BLOCKS = SIDE / 8 + 1, GROUNDS = 4, WAYS = 6, RAYS = 64, WIDTH = 32, HEIGHT = 24, MOST = WIDTH * HEIGHT };
static const char *const names[GROUNDS] = {"plane", "rough field", "stairs", "both kinds"};
static const char *const ways[WAYS] = {"down", "45 degrees", "14 degrees", "3 degrees", "depth 32 x 24", "geoms"};
static const double pi = 3.14159265358979323846;

static uint64_t state = 7;
static double uniform(void) {
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(state >> 11) / 9007199254740992.0;
}

static myr_terrain *ground(int kind, double cell) {
    static int16_t steps[SIDE][SIDE];
    static uint8_t columns[BLOCKS * BLOCKS];
    for (int i = 0; i < SIDE; i += 2)
        for (int k = 0; k < SIDE; k += 2) steps[i][k] = (int16_t)(20 * uniform() - 10);
    for (int i = 0; i < SIDE; i++)
        for (int k = 0; k < SIDE; k++) {
            const int u = i & ~1, v = k & ~1, un = u + 2 * (i & 1), vn = v + 2 * (k & 1);
            if (i & 1 || k & 1) steps[i][k] = (int16_t)((steps[u][v] + steps[un][v] + steps[u][vn] + steps[un][vn]) / 4);
        }
    for (int i = 0; kind == 2 && i < SIDE; i++)
        for (int k = 0; k < SIDE; k++) steps[i][k] = (int16_t)(20 * abs(i / 3 % 20 - 10));
    for (int b = 0; b < BLOCKS * BLOCKS; b++) columns[b] = kind == 2 || (kind == 3 && (b / BLOCKS + b) % 2);
    myr_terrain_def def = myr_terrain_def_default();
    def.nx = def.ny = SIDE, def.cell_m = cell, def.steps = &steps[0][0], def.columns = columns;
    myr_terrain *t;
    must(myr_terrain_create(&def, &t));
    return t;
}

/* Every environment is somewhere of its own, 0 the height of the map there. */
static void place(myr_batch *batch, const myr_terrain *t, int64_t envs, double cell) {
    for (int64_t e = 0; e < envs; e++) {
        double at[3] = {0.8 * cell * SIDE * (uniform() - 0.5), 0.8 * cell * SIDE * (uniform() - 0.5), 0};
        must(myr_terrain_height(t, 1, at, &at[2], NULL));
        must(myr_batch_set(batch, MYR_GROUND_AT, &e, 1, MYR_F64, at));
    }
}

/* Rays of a way, in the world's frame. Returns how many. */
static int draw(int way, double origin[MOST][3], double direction[MOST][3]) {
    static const double angles[] = {90, 45, 14, 3};
    for (int j = 0; j < RAYS && way < 4; j++) {
        const double turn = 2 * pi * (j + 0.37) / RAYS, down = angles[way] * pi / 180;
        origin[j][0] = origin[j][1] = 0, origin[j][2] = 0.5;
        direction[j][0] = way ? cos(down) * cos(turn) : 0, direction[j][1] = way ? cos(down) * sin(turn) : 0, direction[j][2] = -sin(down);
    }
    for (int j = 0; j < RAYS && way == 5; j++) { /* towards the robot */
        const double turn = 2 * pi * (j + 0.37) / RAYS;
        origin[j][0] = 2 * cos(turn), origin[j][1] = 2 * sin(turn), origin[j][2] = 0.8;
        direction[j][0] = -cos(turn), direction[j][1] = -sin(turn), direction[j][2] = -0.3 * (j % 4) / 4;
    }
    if (way != 4) return RAYS;
    myr_ray_pattern pattern = myr_ray_pattern_default(MYR_RAYS_PINHOLE);
    pattern.width = WIDTH, pattern.height = HEIGHT;
    must(myr_ray_pattern_rays(&pattern, origin[0], direction[0]));
    for (int j = 0; j < MOST; j++) { /* -z becomes ahead and down, x right, y up */
        const double *d = direction[j], c = cos(pi / 6), s = sin(pi / 6), turned[3] = {-c * d[2] + s * d[1], -d[0], c * d[1] + s * d[2]};
        memcpy(direction[j], turned, sizeof turned);
        origin[j][2] = 0.5;
    }
    return MOST;
}

int main(int argc, char **argv) {
    double cell = 0.1;
    turns t = turns_default(NULL, 7);
    turns_read(&t, argc, argv, (const turns_key[]){{"cell", NULL, &cell}, {NULL, NULL, NULL}});
    const int64_t envs = t.envs;
    static double origin[MOST][3], direction[MOST][3];
    float *distance = allocate((size_t)(envs * MOST));
    myr_model *model;
    must(myr_model_open(t.robot, NULL, &model));
    for (int g = 0; g < GROUNDS; g++) {
        myr_terrain *map = g ? ground(g, cell) : NULL;
        myr_model *on = model;
        myr_batch *batch;
        if (g) must(myr_model_on(model, map, &on));
        must(myr_batch_create(on, envs, &t.settings, &batch));
        if (g) place(batch, map, envs, cell);
        if (!g) {
            myr_batch_info info;
            myr_machine machine;
            myr_model_info robot_info;
            myr_batch_get_info(batch, &info), myr_machine_get(&machine), myr_model_get_info(model, &robot_info);
            printf("%s: %lld environments of %s (%d geoms), %s, %s, threads %d, cell %g m\n", machine.cpu, (long long)envs, t.robot,
                   robot_info.n_geoms, info.isa, info.precision == 4 ? "f32" : "f64", info.threads, cell);
        }
        for (int way = 0; way < WAYS; way++) {
            const int rays = draw(way, origin, direction);
            myr_rays_options options = myr_rays_options_default();
            double best = INFINITY;
            int64_t met = 0;
            options.range_m = 20, options.shapes = way == 5;
            for (int r = 0; r < t.rounds; r++) {
                const double begin = thread_seconds();
                must(myr_batch_rays(batch, NULL, envs, rays, origin[0], direction[0], &options, distance, NULL, NULL));
                best = fmin(best, thread_seconds() - begin);
            }
            for (int64_t i = 0; i < envs * rays; i++) met += isfinite(distance[i]) != 0;
            const double ns = 1e9 * best / (double)(envs * rays);
            printf("%-12s %-14s %7.2f ns a ray, %7.1f us an environment; %3.0f %% met something\n", names[g], ways[way], ns,
                   1e-3 * ns * rays, 100.0 * (double)met / (double)(envs * rays));
        }
        myr_batch_free(batch), myr_terrain_free(map);
        if (g) myr_model_free(on);
    }
    myr_model_free(model), free(distance);
    return 0;
}

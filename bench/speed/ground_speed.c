/* What a ground costs: one robot and task on the plane and on maps, in one run, in turns; the plane is 1.
 *
 *   ground_speed [robot=anymal] [task=trot] [envs=512] [rounds=12] [cell=0.1] [KEY=VALUE of the settings ..]
 *
 * Grounds: the plane; a flat map; a rough one, heights within 5 cm by 5 mm on a lattice of 0.2 m (legged_gym's); stairs, 0.3 m wide and 0.1
 * m high; columns that are flat. Each batch has stepped 400 steps of dt before it is timed. Of each the fastest of all rounds. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../tools/turns.h"

enum { SIDE = 801, GROUNDS = 5 };
static const char *const names[GROUNDS] = {"plane", "flat field", "rough field", "stairs", "flat columns"};

static uint64_t state = 7;
static double uniform(void) {
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(state >> 11) / 9007199254740992.0;
}

static int stair(int i) { return 20 * (abs(i - SIDE / 2) / 3 % 20 < 10 ? abs(i - SIDE / 2) / 3 % 20 : 20 - abs(i - SIDE / 2) / 3 % 20); }

static myr_terrain *ground(int kind, double cell) {
    static int16_t steps[SIDE][SIDE];
    static uint8_t columns[(SIDE / 8 + 1) * (SIDE / 8 + 1)];
    memset(steps, 0, sizeof steps);
    memset(columns, kind >= 3, sizeof columns);
    const int lattice = cell < 0.2 ? (int)(0.2 / cell + 0.5) : 1;
    for (int i = 0; kind == 2 && i < SIDE; i += lattice)
        for (int k = 0; k < SIDE; k += lattice) steps[i][k] = (int16_t)(20 * uniform() - 10);
    for (int i = 0; kind == 2 && i < SIDE; i++)
        for (int k = 0; k < SIDE; k++) {
            const int u = i / lattice * lattice, v = k / lattice * lattice, fu = i - u, fv = k - v;
            const int un = u + lattice < SIDE ? u + lattice : u, vn = v + lattice < SIDE ? v + lattice : v;
            if (fu || fv)
                steps[i][k] = (int16_t)(((lattice - fu) * (lattice - fv) * steps[u][v] + fu * (lattice - fv) * steps[un][v] +
                                         (lattice - fu) * fv * steps[u][vn] + fu * fv * steps[un][vn]) /
                                        (lattice * lattice));
        }
    for (int i = 0; kind == 3 && i < SIDE; i++)
        for (int k = 0; k < SIDE; k++) steps[i][k] = (int16_t)stair(i);
    myr_terrain_def def = myr_terrain_def_default();
    def.nx = def.ny = SIDE, def.cell_m = cell, def.steps = &steps[0][0], def.columns = columns;
    myr_terrain *t;
    must(myr_terrain_create(&def, &t));
    return t;
}

/* Environment e of n stands somewhere of its own, on the highest sample of what is around it. */
static void place(myr_batch *batch, const myr_terrain *t, int64_t envs, double cell) {
    const int across = (int)ceil(sqrt((double)envs));
    for (int64_t e = 0; e < envs; e++) {
        const double span = 0.8 * cell * SIDE;
        double at[3] = {span * ((double)(e / across) / across - 0.5), span * ((double)(e % across) / across - 0.5), -1e9};
        for (int i = -4; i <= 4; i++)
            for (int k = -4; k <= 4; k++) {
                const double xy[2] = {at[0] + 0.12 * i, at[1] + 0.12 * k};
                double h;
                must(myr_terrain_height(t, 1, xy, &h, NULL));
                at[2] = fmax(at[2], h);
            }
        must(myr_batch_set(batch, MYR_GROUND_AT, &e, 1, MYR_F64, at));
    }
}

int main(int argc, char **argv) {
    double cell = 0.1;
    turns t = turns_default("trot", 12);
    turns_read(&t, argc, argv, (const turns_key[]){{"cell", NULL, &cell}, {NULL, NULL, NULL}});
    myr_model *model, *on[GROUNDS];
    myr_batch *batches[GROUNDS];
    double best[GROUNDS];
    must(myr_model_open(t.robot, NULL, &model));
    const int steps = turns_steps(&t, 200);
    for (int g = 0; g < GROUNDS; g++) {
        on[g] = model;
        myr_terrain *map = g ? ground(g, cell) : NULL;
        if (g) must(myr_model_on(model, map, &on[g]));
        must(myr_batch_create(on[g], t.envs, &t.settings, &batches[g]));
        if (g) place(batches[g], map, t.envs, cell);
        myr_terrain_free(map);
        must(myr_batch_step(batches[g], turns_steps(&t, 400)));
    }
    turns_time(&t, batches, GROUNDS, steps, steps, best);
    for (int g = 0; g < GROUNDS; g++) {
        myr_batch_info info;
        myr_stats stats;
        myr_batch_get_info(batches[g], &info);
        myr_batch_stats(batches[g], &stats);
        if (!g)
            printf("%s, task %s, %lld robots, one thread, %s, %s, solver %s, cell %g m\n", t.robot, t.settings.task, (long long)t.envs,
                   info.isa, info.precision == 4 ? "f32" : "f64", t.settings.solver, cell);
        printf("%-13s %8.1f ns per robot-step, %5.3f of the plane's time; %.2f contacts, %.2f sweeps, %lld of %lld steps not converged, "
               "%lld in quarantine\n",
               names[g], turns_ns(&t, steps, best[g]), best[g] / best[0], stats.contacts_mean, stats.iterations_mean,
               (long long)stats.not_converged, (long long)stats.active_steps, (long long)stats.quarantined);
        printf("              sweeps p99 %lld max %lld, residual p99 %.1e max %.1e, ncp max %.1e\n", (long long)stats.iterations_p99,
               (long long)stats.iterations_max, stats.residual_p99, stats.residual_max, stats.residual_ncp_max);
        printf("             ");
        for (int k = 0; k < MYR_STAGE_COUNT; k++) printf(" %s %.0f", myr_stage_name(k), stats.stage_ns[k]);
        printf(" ns\n");
    }
    return 0;
}

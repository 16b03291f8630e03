/* What shapes of the world cost: one robot and task with 0, 1, 8 and 64 boxes around it, in one run, in turns; none is 1.
 *
 *   world_speed [robot=anymal] [task=trot] [envs=512] [rounds=12] [apart=1] [KEY=VALUE of the settings ..]
 *
 * Boxes of 0.3 m stand on a square lattice, `apart` metres from each other, without its middle, where the robots are; the nearest first.
 * Each batch has stepped 400 steps of dt before it is timed. Of each the fastest of all rounds. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../tools/turns.h"

enum { WORLDS = 4, MOST = 64, SIDE = 9 };
static const int counts[WORLDS] = {0, 1, 8, MOST};

static int nearer(const void *a, const void *b) {
    const int *x = a, *y = b, dx = x[0] * x[0] + x[1] * x[1], dy = y[0] * y[0] + y[1] * y[1];
    return dx != dy ? dx - dy : x[0] != y[0] ? y[0] - x[0] : y[1] - x[1];
}

static myr_model *with_boxes(const myr_model *robot, int boxes, double apart) {
    int cells[SIDE * SIDE][2], body;
    for (int i = 0; i < SIDE * SIDE; i++) cells[i][0] = i / SIDE - SIDE / 2, cells[i][1] = i % SIDE - SIDE / 2;
    qsort(cells, SIDE * SIDE, sizeof cells[0], nearer);
    myr_builder *builder;
    myr_model *out;
    must(myr_builder_create("robot among boxes", &builder));
    must(myr_builder_add_model(builder, robot, NULL));
    myr_body_def world = myr_body_def_default();
    world.name = "boxes";
    if (boxes) must(myr_builder_body(builder, &world, &body));
    for (int i = 0; i < boxes; i++) {
        char name[32];
        myr_geom_def box = myr_geom_def_default();
        snprintf(name, sizeof name, "box %d", i);
        box.name = name, box.body = body, box.type = MYR_GEOM_BOX;
        for (int k = 0; k < 3; k++) box.size_m[k] = 0.15;
        box.position_m[0] = apart * cells[i + 1][0], box.position_m[1] = apart * cells[i + 1][1], box.position_m[2] = 0.15;
        must(myr_builder_geom(builder, &box, NULL));
    }
    must(myr_builder_compile(builder, &out));
    myr_builder_free(builder);
    return out;
}

int main(int argc, char **argv) {
    double apart = 1;
    turns t = turns_default("trot", 12);
    turns_read(&t, argc, argv, (const turns_key[]){{"apart", NULL, &apart}, {NULL, NULL, NULL}});
    myr_model *model;
    myr_batch *batches[WORLDS];
    double best[WORLDS];
    must(myr_model_open(t.robot, NULL, &model));
    const int steps = turns_steps(&t, 200);
    for (int w = 0; w < WORLDS; w++) {
        myr_model *scene = with_boxes(model, counts[w], apart);
        must(myr_batch_create(scene, t.envs, &t.settings, &batches[w]));
        must(myr_batch_step(batches[w], turns_steps(&t, 400)));
        myr_model_free(scene);
    }
    turns_time(&t, batches, WORLDS, steps, steps, best);
    for (int w = 0; w < WORLDS; w++) {
        myr_batch_info info;
        myr_stats stats;
        myr_model_info made;
        myr_batch_get_info(batches[w], &info);
        myr_batch_stats(batches[w], &stats);
        myr_model_get_info(myr_batch_model(batches[w]), &made);
        if (!w)
            printf("%s, task %s, %lld robots, one thread, %s, %s, solver %s, boxes %g m apart\n", t.robot, t.settings.task,
                   (long long)t.envs, info.isa, info.precision == 4 ? "f32" : "f64", t.settings.solver, apart);
        printf("%2d boxes %8.1f ns per robot-step, %5.3f of the time without; %d pairs, %.2f contacts, %.2f sweeps, %lld in quarantine\n",
               counts[w], turns_ns(&t, steps, best[w]), best[w] / best[0], made.n_pairs, stats.contacts_mean, stats.iterations_mean,
               (long long)stats.quarantined);
        printf("        ");
        for (int k = 0; k < MYR_STAGE_COUNT; k++) printf(" %s %.0f", myr_stage_name(k), stats.stage_ns[k]);
        printf(" ns\n");
        myr_batch_free(batches[w]);
    }
    myr_model_free(model);
    return 0;
}

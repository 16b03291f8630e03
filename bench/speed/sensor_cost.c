/* What sensors cost: one robot and task without sensors and with more and more of them, in one run, in turns.
 *
 *   sensor_cost [robot=anymal] [feet=FOOT] [base=base] [task=trot] [envs=512] [rounds=12] [KEY=VALUE of the settings ..]
 *
 * Sets: none; an IMU (gyro, accelerometer, orientation); the force of the ground on each foot beside it; air times of each foot beside
 * those; force and torque that carry the robot's first body beside all. Then each alone: an IMU with noise, bias, delay and history; a scan
 * of 17 x 11 heights; 64 rays around the base; a depth image of 32 x 24, of the ground and the robot's own shapes. Readings are made once
 * per control step. Of each the fastest of all rounds. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../tools/turns.h"

enum { NONE, IMU, FORCES, AIR, HELD, NOISY, SCAN, RAYS, DEPTH, SETS, MOST_FEET = 8 };
static const char *const names[SETS] = {"none",      "IMU",  "+ foot forces", "+ air times",  "+ force, torque",
                                        "noisy IMU", "scan", "64 rays",       "32 x 24 depth"};

static int feet_of(const myr_model *robot, const char *word, const char *feet[MOST_FEET]) {
    myr_model_info info;
    int n = 0;
    myr_model_get_info(robot, &info);
    for (int g = 0; g < info.n_geoms && n < MOST_FEET; g++) {
        myr_geom_info geom;
        must(myr_model_get_geom(robot, g, &geom));
        if (strstr(geom.name, word)) feet[n++] = geom.name;
    }
    return n;
}

static void add(myr_builder *builder, const char *name, myr_sensor_kind kind, const char *of) {
    myr_sensor_def def = myr_sensor_def_default();
    def.name = name, def.kind = kind, def.of = of, def.from = MYR_FROM_GROUND;
    must(myr_builder_sensor(builder, &def));
}

static void add_imu(myr_builder *builder, const char *base, const myr_sensor_signal *signal) {
    static const myr_sensor_kind kinds[] = {MYR_SENSOR_GYRO, MYR_SENSOR_ACCELEROMETER, MYR_SENSOR_FRAMEQUAT};
    for (int k = 0; k < 3; k++) {
        myr_sensor_def def = myr_sensor_def_default();
        def.name = myr_sensor_kind_name(kinds[k]), def.kind = kinds[k], def.of = base;
        if (signal) def.signal = *signal;
        must(myr_builder_sensor(builder, &def));
    }
}

static void add_look(myr_builder *builder, int set, const char *base) {
    myr_sensor_def def = myr_sensor_def_default();
    def.name = names[set], def.of = base, def.kind = set == SCAN ? MYR_SENSOR_HEIGHT_SCAN : MYR_SENSOR_RAYS;
    if (set != SCAN) def.look.pattern = myr_ray_pattern_default(set == RAYS ? MYR_RAYS_LIDAR : MYR_RAYS_PINHOLE);
    def.look.pattern.rows = 4, def.look.pattern.columns = 16, def.look.depth = set == DEPTH;
    must(myr_builder_sensor(builder, &def));
}

/* The robot with the sensors of a set, and those that it is beside. */
static myr_model *sensed(const myr_model *robot, int set, const char *base, const char *word) {
    const char *feet[MOST_FEET];
    const int n = feet_of(robot, word, feet);
    myr_builder *builder;
    myr_model *model;
    must(myr_builder_create("sensed", &builder));
    must(myr_builder_add_model(builder, robot, NULL));
    const myr_sensor_signal noisy = {.every = 1, .history = 3, .noise = 0.1, .bias = 0.1, .delay = {0, 2}};
    if (set >= IMU && set <= HELD) add_imu(builder, base, NULL);
    if (set == NOISY) add_imu(builder, base, &noisy);
    if (set >= SCAN) add_look(builder, set, base);
    for (int k = 0; k < n && set <= HELD; k++) {
        char name[80];
        snprintf(name, sizeof name, "force %d", k);
        if (set >= FORCES) add(builder, name, MYR_SENSOR_CONTACT_FORCE, feet[k]);
        snprintf(name, sizeof name, "air %d", k);
        if (set >= AIR) add(builder, name, MYR_SENSOR_AIR_TIME, feet[k]);
    }
    if (set == HELD) add(builder, "force", MYR_SENSOR_FORCE, base), add(builder, "torque", MYR_SENSOR_TORQUE, base);
    must(myr_builder_compile(builder, &model));
    myr_builder_free(builder);
    return model;
}

int main(int argc, char **argv) {
    const char *feet = "FOOT", *base = "base";
    turns t = turns_default("trot", 12);
    turns_read(&t, argc, argv, (const turns_key[]){{"feet", &feet, NULL}, {"base", &base, NULL}, {NULL, NULL, NULL}});
    myr_model *robot;
    myr_batch *batches[SETS];
    double best[SETS];
    must(myr_model_open(t.robot, NULL, &robot));
    const int steps = turns_steps(&t, 200);
    for (int s = 0; s < SETS; s++) {
        myr_model *model = sensed(robot, s, base, feet);
        must(myr_batch_create(model, t.envs, &t.settings, &batches[s]));
        must(myr_batch_step(batches[s], 2 * steps));
    }
    turns_time(&t, batches, SETS, steps, 1, best); /* a call for each control step: only then is each read */
    for (int s = 0; s < SETS; s++) {
        myr_batch_info info;
        myr_stats stats;
        myr_batch_get_info(batches[s], &info);
        myr_batch_stats(batches[s], &stats);
        if (!s)
            printf("%s, task %s, %lld robots, one thread, %s, %s, solver %s, decimation %lld, residual max %.1e\n", t.robot,
                   t.settings.task, (long long)t.envs, info.isa, info.precision == 4 ? "f32" : "f64", t.settings.solver,
                   (long long)t.settings.decimation, stats.residual_max);
        printf("%-16s %8.1f ns per robot-step of dt, %5.3f of that without, %6.1f ns per reading\n", names[s], turns_ns(&t, steps, best[s]),
               best[s] / best[0], turns_ns(&t, steps, best[s] - best[0]) * (double)t.settings.decimation);
    }
    return 0;
}

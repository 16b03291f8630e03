#include "slide_scene.h"

#include <stdio.h>
#include <stdlib.h>

myr_terrain *map_of(height_law *law, int columns) {
    static float heights[SIDE * SIDE];
    static uint8_t kinds[(SIDE / 8 + 1) * (SIDE / 8 + 1)];
    for (int i = 0; i < SIDE; i++)
        for (int k = 0; k < SIDE; k++) heights[i * SIDE + k] = (float)law(CELL * (i - SIDE / 2), CELL * (k - SIDE / 2));
    memset(kinds, columns, sizeof kinds);
    myr_terrain_def def = myr_terrain_def_default();
    def.nx = def.ny = SIDE, def.cell_m = CELL, def.heights_m = heights, def.columns = kinds;
    myr_terrain *t;
    MUST(myr_terrain_create(&def, &t));
    return t;
}

static char foot_geom[100]; /* from the robot that ships */
thing things[THINGS] = {
    {"small sphere", "<geom type='sphere' size='.04' mass='1'/>", 0.04},
    {"large sphere", "<geom type='sphere' size='.15' mass='1'/>", 0.15},
    {"foot of the ANYmal", foot_geom, 0},
    {"box", "<geom type='box' size='.12 .09 .05' mass='1'/>", 0.05},
    {"cylinder", "<geom type='cylinder' size='.1 .05' mass='1'/>", 0.05},
    {"capsule", "<geom type='capsule' size='.045 .1' euler='0 90 0' mass='1'/>", 0.045},
    {"hull", "<geom type='mesh' mesh='wedge' mass='1'/>", 0},
};
enum { FOOT = 2 };

void read_foot(void) {
    static char text[65536];
    char path[500];
    const char *source = getenv("MYRIAPOD_SOURCE");
    snprintf(path, sizeof path, "%s/robots/anymal.urdf", source ? source : ".");
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    const size_t length = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[length] = 0;
    const char *link = strstr(text, "<link name=\"LF_FOOT\">");
    const char *mass = link ? strstr(link, "<mass value=\"") : NULL, *ball = link ? strstr(link, "<sphere radius=\"") : NULL;
    assert_true(mass && ball);
    const double kilograms = strtod(strchr(mass, '"') + 1, NULL), radius = strtod(strchr(ball, '"') + 1, NULL);
    assert_true(kilograms > 0 && radius > 0);
    snprintf(foot_geom, sizeof foot_geom, "<geom type='sphere' size='%.9g' mass='%.9g'/>", radius, kilograms);
    things[FOOT].height = radius;
}

static myr_model *model_of(const thing *t, double friction) {
    char text[1500];
    snprintf(
        text, sizeof text,
        "<mujoco><asset><mesh name='wedge' vertex='-.1 -.1 -.05 .1 -.1 -.05 -.1 .1 -.05 .1 .1 -.05 -.06 -.06 .05 .06 -.06 .05 -.06 .06 .05 "
        ".06 .06 .05'/></asset><default><geom friction='%g .005 .0001'/></default><worldbody><geom type='plane' size='1 1 1' "
        "friction='%g'/>"
        "<body><freejoint/>%s</body></worldbody></mujoco>",
        friction, friction, t->geom);
    myr_model *model;
    MUST(myr_model_open_text(text, strlen(text), t->name, NULL, &model));
    return model;
}

myr_batch *batch_on(const thing *t, double friction, myr_terrain *terrain, const myr_settings *settings, int64_t envs) {
    myr_model *model = model_of(t, friction), *on;
    myr_batch *batch;
    MUST(myr_model_on(model, terrain, &on));
    myr_settings shown = *settings;
    shown.sense_contacts = 1;
    MUST(myr_batch_create(on, envs, &shown, &batch));
    myr_model_free(model), myr_model_free(on);
    return batch;
}

double rest_height(const thing *t) {
    if (t->height > 0) return t->height;
    myr_settings settings = scene_settings("task", "none", "threads", "1", "dt", "0.002", "precision", "f64", NULL);
    myr_model *model = model_of(t, 1);
    myr_batch *batch;
    double q[7] = {0, 0, 0.08, 1, 0, 0, 0};
    MUST(myr_batch_create(model, 1, &settings, &batch));
    MUST(myr_batch_set(batch, MYR_Q, NULL, 1, MYR_F64, q));
    MUST(myr_batch_step(batch, 1500));
    MUST(myr_batch_get(batch, MYR_Q, NULL, 1, MYR_F64, q));
    myr_batch_free(batch), myr_model_free(model);
    return q[2];
}

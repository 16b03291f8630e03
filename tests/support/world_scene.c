#include "world_scene.h"

#include <stdio.h>
#include <string.h>

#include "random_model.h"

static const double own_place[WORLD_SHAPES][3] = {{0, 0, 0.25}, {1.5, 0, 0.3}, {3, 0, 0.25}, {4.5, 0, 0.25}, {6, 0.5, 0.125}};
static const char *const shape_words[WORLD_SHAPES] = {
    "type='box' size='.3 .3 .1' euler='5 0 20'", "type='sphere' size='.3'", "type='capsule' size='.2 .3' euler='0 90 0'",
    "type='cylinder' size='.3 .1' euler='4 0 0'", "type='mesh' mesh='block' euler='0 0 30'"};

myr_model *world_model(const double offset[WORLD_SHAPES][3]) {
    static char text[8000];
    size_t n =
        (size_t)snprintf(text, sizeof text,
                         "<mujoco><compiler angle='degree'/><asset><mesh name='block' vertex='0 0 0 .5 0 0 0 .4 0 .5 .4 0 0 0 .3 .5 0 .3 0 "
                         ".4 .3 .5 .4 .3'/></asset><worldbody><geom type='plane' size='1 1 1'/>");
    for (int i = 0; i < WORLD_SHAPES; i++) {
        double at[3];
        for (int k = 0; k < 3; k++) at[k] = own_place[i][k] + (offset ? offset[i][k] : 0);
        n += (size_t)snprintf(text + n, sizeof text - n, "<geom name='shape %d' %s pos='%.17g %.17g %.17g'/>", i, shape_words[i], at[0],
                              at[1], at[2]);
    }
    for (int i = 0; i < WORLD_SHAPES; i++)
        n += (size_t)snprintf(text + n, sizeof text - n,
                              "<body pos='%g 0 .8'><freejoint/><geom type='%s' size='.1 .12 .08' density='500'/><geom type='sphere' "
                              "size='.07' pos='.15 0 0'/><body pos='-.1 0 0'><joint axis='0 1 0' damping='.1'/><geom type='capsule' "
                              "size='.04' fromto='0 0 0 -.2 0 0'/></body></body>",
                              1.5 * i + (i == 4 ? 0.2 : 0.03), i % 2 ? "box" : "cylinder");
    snprintf(text + n, sizeof text - n,
             "<body pos='1.5 .8 .9'><joint axis='1 0 0' damping='.01'/><geom type='capsule' size='.05' fromto='0 0 0 0 0 -.6'/></body>"
             "</worldbody></mujoco>");
    myr_load_options options = myr_load_options_default();
    options.self_collision = MYR_SELF_ALL;
    myr_model *model;
    MUST(myr_model_open_text(text, strlen(text), "shapes of the world", &options, &model));
    return model;
}

void world_vary(myr_batch *batch, int64_t at, int64_t e) {
    random_source source = {(uint64_t)(11 * e + 3)};
    double v[128], place[3 * WORLD_SHAPES];
    assert_int_equal(myr_batch_components(batch, MYR_WORLD_AT), 3 * WORLD_SHAPES);
    MUST(myr_batch_get(batch, MYR_V, &at, 1, MYR_F64, v));
    MUST(myr_batch_get(batch, MYR_WORLD_AT, &at, 1, MYR_F64, place));
    for (int k = 0; k < myr_batch_components(batch, MYR_V); k++) v[k] += random_uniform(&source, -1, 1);
    for (int k = 0; k < 3 * WORLD_SHAPES; k++) place[k] += 0.1 * random_uniform(&source, -1, 1);
    MUST(myr_batch_set(batch, MYR_V, &at, 1, MYR_F64, v));
    MUST(myr_batch_set(batch, MYR_WORLD_AT, &at, 1, MYR_F64, place));
}

int world_same(const char *what, const myr_batch *a, int64_t i, const myr_batch *b, int64_t j) {
    static const myr_field fields[] = {MYR_Q, MYR_V, MYR_IMPULSE, MYR_ROW_IMPULSE, MYR_RESIDUAL, MYR_ITERATIONS, MYR_QUARANTINED};
    static double x[WORLD_MOST], y[WORLD_MOST];
    for (size_t f = 0; f < sizeof fields / sizeof *fields; f++) {
        const int n = myr_batch_components(a, fields[f]);
        assert_true(n <= WORLD_MOST);
        MUST(myr_batch_get(a, fields[f], &i, 1, MYR_F64, x));
        MUST(myr_batch_get(b, fields[f], &j, 1, MYR_F64, y));
        for (int k = 0; k < n; k++) {
            if (memcmp(&x[k], &y[k], sizeof *x) == 0) continue;
            if (what)
                fail_msg("%s, environment %d: number %d of field %d is %.17g, and %.17g", what, (int)i, k, (int)fields[f], x[k], y[k]);
            return 0;
        }
    }
    return 1;
}

int world_contacts(const myr_batch *batch, int64_t env) {
    static double impulse[WORLD_MOST];
    int n = 0;
    MUST(myr_batch_get(batch, MYR_IMPULSE, &env, 1, MYR_F64, impulse));
    for (int k = 2; k < myr_batch_components(batch, MYR_IMPULSE); k += 3) n += impulse[k] > 0;
    return n;
}

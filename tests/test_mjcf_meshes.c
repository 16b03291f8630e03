/* Meshes of MJCF: where they are found, what they weigh and that they touch. Beside MuJoCo: bench/mesh_weights.py. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "mesh_scene.h"
#include "model_scene.h"

#define MODEL(compiler, asset, geom)                                                                                                       \
    "<mujoco><compiler " compiler "/><asset>" asset "</asset>\n<worldbody><geom type='plane' size='1 1 1'/><body name='b'><freejoint/>"    \
    "\n<geom name='g' type='mesh' " geom "/></body></worldbody></mujoco>"

static myr_status open_text(const char *text, const myr_load_options *options, myr_model **out) {
    char label[200];
    snprintf(label, sizeof label, "%s/model.xml", mesh_folder());
    return myr_model_open_text(text, strlen(text), label, options, out);
}

static myr_model *load(const char *text, const myr_load_options *options) {
    myr_model *model = NULL;
    if (open_text(text, options, &model)) fail_msg("%s", myr_message());
    return model;
}

static void refuse(const char *text, const myr_load_options *options, const char *const *words) {
    myr_model *model = NULL;
    assert_true(open_text(text, options, &model) == MYR_E_FORMAT && !model);
    for (; *words; words++)
        if (!strstr(myr_message(), *words)) fail_msg("no `%s` in: %s", *words, myr_message());
}

/* A cube of 0.2 m, moved by `refpos`, then scaled, at a geom that is moved back: it weighs and touches where it is. */
static void they_weigh_and_touch(void **state) {
    (void)state;
    mesh_write_text("cube.obj", mesh_cube);
    static const char *const texts[] = {
        MODEL("", "<mesh file='cube.obj'/>", "mesh='cube'"),
        MODEL("meshdir='.'", "<mesh name='c' file='cube.obj' refpos='0.1 0 0' scale='1 -1 1'/>", "mesh='c' pos='0.1 0 0' density='1000'"),
        MODEL("assetdir='.'", "<mesh name='c' file='cube.obj' inertia='exact' refquat='0 1 0 0'/>", "mesh='c' mass='8'"),
        MODEL("", "<mesh name='c' file='cube.obj' inertia='convex' scale='0.1 0.1 0.1'/>", "mesh='c' mass='8'"),
    };
    for (int i = 0; i < 4; i++) {
        myr_model *model = load(texts[i], NULL);
        const double size = i == 3 ? 0.02 : 0.2, moment = 8 * size * size / 6;
        const double *body = model->bodies[0].inertia;
        scene_near(&model->bodies[0].mass, &(double){8}, 1, 1e-12, "mass");
        scene_near(model->bodies[0].com, (double[]){0, 0, 0}, 3, 1e-15, "centre");
        scene_near(body, (double[]){moment, moment, moment, 0, 0, 0}, 6, 1e-14, "moments");
        assert_int_equal(model->n_slots, 8);
        assert_true(model->geoms[0].hull_error == 0.0);
        myr_model_free(model);
    }
}

static void losses_and_errors_are_named(void **state) {
    (void)state;
    myr_load_options options = myr_load_options_default();
    static const char gone[] = MODEL("meshdir='parts'", "<mesh name='c' file='gone.stl'/>", "mesh='c'");
    refuse(gone, NULL, WORDS("model.xml:1:", "<mesh>", "parts/gone.stl", "--meshes skip"));
    refuse(MODEL("", "<mesh name='c' file='cube.obj'/>", "mesh='d'"), NULL, WORDS("model.xml:3:", "no mesh `d`"));
    refuse(MODEL("", "<mesh name='c' file='cube.obj' refquat='0 0 0 0'/>", "mesh='c'"), NULL, WORDS("refquat"));
    refuse(MODEL("", "<mesh name='c' file='cube.obj' inertia='heavy'/>", "mesh='c'"), NULL, WORDS("heavy"));
    refuse(MODEL("", "<mesh name='c' file='cube.obj' scale='1 1 0'/>", "mesh='c' mass='1'"), NULL, WORDS("model.xml:1:", "volume"));
    options.meshes = MYR_MESHES_SKIP;
    static const char held[] =
        "<mujoco><asset><mesh name='c' file='gone.stl'/></asset><worldbody><body name='b'><freejoint/>"
        "<inertial mass='1' diaginertia='1 1 1' pos='0 0 0'/><geom type='mesh' mesh='c'/></body></worldbody></mujoco>";
    myr_model *model = load(held, &options);
    scene_warned(model, WORDS("meshes are skipped", "b"));
    assert_int_equal(model->n_geoms, 0);
    myr_model_free(model);
    options.strict = 1;
    refuse(held, &options, WORDS("strict", "b"));
    /* what is only drawn is not even looked for */
    model = load("<mujoco><asset><mesh name='c' file='gone.stl'/></asset><worldbody><body name='b'><freejoint/><geom size='0.1'/>"
                 "<geom type='mesh' mesh='c' contype='0' conaffinity='0' mass='0'/></body></worldbody></mujoco>",
                 NULL);
    assert_int_equal(model->n_geoms, 1);
    myr_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(they_weigh_and_touch), cmocka_unit_test(losses_and_errors_are_named)};
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    mesh_clean();
    return failed;
}

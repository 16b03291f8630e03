/* Meshes of MJCF: where they are found, what they weigh and that they touch. Beside MuJoCo: bench/agree/mesh_weights.py. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/mesh_scene.h"
#include "support/model_scene.h"

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

/* A brick of 0.2 x 0.4 x 0.6 m with its middle off the origin, by points alone and by triangles. */
#define BRICK "vertex='0 0 0 .2 0 0 .2 .4 0 0 .4 0 0 0 .6 .2 0 .6 .2 .4 .6 0 .4 .6'"
#define FACES "face='0 2 1 0 3 2 4 5 6 4 6 7 0 1 5 0 5 4 1 2 6 1 6 5 2 3 7 2 7 6 3 0 4 3 4 7'"
#define FIT(compiler, asset, geom)                                                                                                         \
    "<mujoco><compiler " compiler "/><asset><mesh name='m' " asset                                                                         \
    "/></asset>\n<worldbody><body name='b'><freejoint/>\n<geom name='g' " geom " mesh='m'/></body></worldbody></mujoco>"

static void points_in_the_file_are_a_mesh(void **state) {
    (void)state;
    static const char *const texts[] = {
        FIT("", BRICK, "type='mesh'"),
        FIT("", BRICK " " FACES, "type='mesh'"),
        FIT("", BRICK " " FACES " inertia='exact'", "type='mesh'"),
        FIT("", "vertex='0 0 0 .1 0 0 .1 .4 0 0 .4 0 0 0 .3 .1 0 .3 .1 .4 .3 0 .4 .3  .05 .2 .1' scale='2 1 2'", "type='mesh'"),
    };
    for (int i = 0; i < 4; i++) {
        myr_model *model = load(texts[i], NULL);
        const double mass = 48, *J = model->bodies[0].inertia;
        const double moments[] = {mass * (0.16 + 0.36) / 12, mass * (0.04 + 0.36) / 12, mass * (0.04 + 0.16) / 12, 0, 0, 0};
        scene_near(&model->bodies[0].mass, &mass, 1, 1e-12, "mass");
        scene_near(model->bodies[0].com, (double[]){0.1, 0.2, 0.3}, 3, 1e-15, "centre");
        scene_near(J, moments, 6, 1e-13, "moments");
        assert_int_equal(model->n_slots, 8);
        myr_model_free(model);
    }
    static const struct {
        const char *asset, *says;
    } bad[] = {{"vertex='0 0 0 1'", "4 numbers"},
               {"vertex='0 0 0 1 0 0 0 1 0'", "3 points"},
               {"vertex='0 0 0 1 0 0 0 1 0 1 1 0'", "no convex hull"},
               {"vertex='0 0 x'", "value 3, `x`"},
               {"vertex='0 0 1e200'", "value 3, `1e200`"},
               {"vertex='0 0 nan'", "value 3, `nan`"},
               {"vertex=''", "0 points"},
               {BRICK " face='0 1 8'", "no point 8"},
               {BRICK " face='0 1 -1'", "no point -1"},
               {BRICK " face='0 1 1.5'", "no point 1.5"},
               {BRICK " face='0 1'", "2 numbers"},
               {BRICK " file='a.obj'", "both"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[1000];
        snprintf(text, sizeof text,
                 "<mujoco><asset>\n<mesh name='m' %s/></asset><worldbody><body><freejoint/><geom type='mesh' mesh='m'/></body>"
                 "</worldbody></mujoco>",
                 bad[i].asset);
        refuse(text, NULL, WORDS("model.xml:2:", "<mesh>", bad[i].says));
    }
}

/* Two steps of 1 m, 1 m wide, closed: 3 of the 3.5 m^3 of their hull. */
static const char steps[] = "vertex='0 0 0 2 0 0 2 0 2 1 0 2 1 0 1 0 0 1 0 1 0 2 1 0 2 1 2 1 1 2 1 1 1 0 1 1' face='4 5 0 4 0 1 4 1 2 4 2 "
                            "3 10 6 11 10 7 6 10 8 7 10 9 8 1 0 6 1 6 7 2 1 7 2 7 8 3 2 8 3 8 9 4 3 9 4 9  "
                            "10 5 4 10 5 10 11 0 5 11 0 11 6'";

/* Of the world it is told how much the hull fills, as MuJoCo's does; of bodies, and of points alone, which ask for a hull, it is not. */
static void what_hulls_of_the_world_fill_is_told(void **state) {
    (void)state;
    char text[1500];
    static const struct {
        const char *asset;
        int of_body, told;
    } cases[] = {{steps, 0, 1}, {BRICK " " FACES, 0, 0}, {BRICK, 0, 0}, {steps, 1, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *geom = "<geom name='steps' type='mesh' mesh='s'/>";
        const int body = cases[i].of_body;
        snprintf(text, sizeof text,
                 "<mujoco><asset><mesh name='s' %s/></asset><worldbody>%s<body name='b' pos='0 0 5'><freejoint/><geom "
                 "size='.1'/>%s</body></worldbody></mujoco>",
                 cases[i].asset, body ? "" : geom, body ? geom : "");
        myr_load_options options = myr_load_options_default();
        options.strict = 1; /* trajectories are MuJoCo's */
        myr_model *model = load(text, &options);
        myr_model_info info;
        myr_model_get_info(model, &info);
        assert_int_equal(info.n_warnings, cases[i].told);
        if (cases[i].told) scene_warned(model, WORDS("meshes of the world act as their convex hulls", "steps 14 %"));
        assert_true(info.n_pairs == (body ? 0 : 1));
        myr_model_free(model);
    }
}

/* What is fitted to the brick: its principal axes are its edges, the longest one z, and MuJoCo's rules give the sizes. */
static void shapes_are_fitted_to_meshes(void **state) {
    (void)state;
    static const struct {
        const char *text;
        myr_geom_type type;
        double size[3];
    } fits[] = {
        {FIT("", BRICK, "type='box'"), MYR_GEOM_BOX, {0.1, 0.2, 0.3}},
        {FIT("", BRICK " " FACES, "type='box' fitscale='0.5' size='7 7 7'"), MYR_GEOM_BOX, {0.05, 0.1, 0.15}},
        {FIT("", BRICK, "type='sphere'"), MYR_GEOM_SPHERE, {0.2}},
        {FIT("", BRICK, ""), MYR_GEOM_SPHERE, {0.2}},
        {FIT("", BRICK, "type='capsule'"), MYR_GEOM_CAPSULE, {0.15, 0.225}},
        {FIT("", BRICK, "type='cylinder'"), MYR_GEOM_CYLINDER, {0.15, 0.3}},
        {FIT("fitaabb='true'", BRICK, "type='box'"), MYR_GEOM_BOX, {0.1, 0.2, 0.3}},
        {FIT("fitaabb='true'", BRICK, "type='sphere'"), MYR_GEOM_SPHERE, {0.3}},
        {FIT("fitaabb='true'", BRICK, "type='capsule'"), MYR_GEOM_CAPSULE, {0.2, 0.1}},
        {FIT("fitaabb='true'", BRICK, "type='cylinder'"), MYR_GEOM_CYLINDER, {0.2, 0.3}},
        {FIT("", BRICK, "type='ellipsoid'"), MYR_GEOM_HULL, {0}},
        {FIT("", BRICK " scale='1 1 -1'", "type='box' pos='0 0 .6'"), MYR_GEOM_BOX, {0.1, 0.2, 0.3}},
    };
    for (size_t i = 0; i < sizeof fits / sizeof *fits; i++) {
        myr_model *model = load(fits[i].text, NULL);
        myr_geom_info geom;
        assert_int_equal(myr_model_get_geom(model, 0, &geom), MYR_OK);
        assert_int_equal(geom.type, fits[i].type);
        scene_near(geom.size_m, fits[i].size, 3, 1e-13, "size");
        scene_near(geom.position_m, (double[]){0.1, 0.2, 0.3}, 3, 1e-14, "place");
        scene_near(model->bodies[0].com, (double[]){0.1, 0.2, 0.3}, 3, 1e-14, "centre");
        myr_model_free(model);
    }
    /* it weighs as the shape, not as the mesh, and where the mesh's axes are turned it is, too */
    myr_model *model = load(FIT("", BRICK " refquat='1 1 0 0'", "type='box' density='500'"), NULL);
    const double mass = 24, moments[] = {mass * (0.16 + 0.36) / 12, mass * (0.04 + 0.16) / 12, mass * (0.04 + 0.36) / 12, 0, 0, 0};
    scene_near(&model->bodies[0].mass, &mass, 1, 1e-12, "mass");
    scene_near(model->bodies[0].inertia, moments, 6, 1e-13, "moments");
    scene_near(model->bodies[0].com, (double[]){0.1, 0.3, -0.2}, 3, 1e-14, "centre");
    myr_model_free(model);
    refuse(FIT("", BRICK, "type='box' fitscale='0'"), NULL, WORDS("model.xml:3:", "mesh `m`", "size 1"));
    refuse(FIT("", BRICK, "type='capsule' fromto='0 0 0 1 0 0' size='1'"), NULL, WORDS("model.xml:3:", "mesh=\"m\"", "fromto"));
    refuse(FIT("", "vertex='0 0 0 1 0 0 0 1 0 1 1 0' face='0 1 2'", "type='box'"), NULL, WORDS("model.xml:1:", "no volume"));
    myr_load_options options = myr_load_options_default();
    options.meshes = MYR_MESHES_SKIP, options.strict = 1;
    refuse(FIT("", BRICK, "type='box'"), &options, WORDS("strict", "b"));
}

static void old_files_of_mujoco_are_read(void **state) {
    (void)state;
    static const char asset[] = MODEL("", "<mesh name='c' file='c.msh'/>", "mesh='c'");
    struct {
        int n[4];
        float points[4][3], normals[4][3];
        int faces[4][3];
    } file = {{4, 4, 0, 4}, {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {{0}}, {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}}};
    const double mass = 1000.0 / 6;
    mesh_write("c.msh", (const char *)&file, sizeof file);
    myr_model *model = load(asset, NULL);
    scene_near(&model->bodies[0].mass, &mass, 1, 1e-12, "mass");
    scene_near(model->bodies[0].com, (double[]){0.25, 0.25, 0.25}, 3, 1e-15, "centre");
    myr_model_free(model);
    mesh_write("c.msh", (const char *)&file, sizeof file - 4);
    refuse(asset, NULL, WORDS("c.msh: byte 0:", "4 points and 4 triangles take 160 bytes, and the file has 156"));
    mesh_write("c.msh", (const char *)&file, 9);
    refuse(asset, NULL, WORDS("9 bytes"));
    file.faces[3][1] = 4;
    mesh_write("c.msh", (const char *)&file, sizeof file);
    refuse(asset, NULL, WORDS("byte 152", "no point 4"));
    file.points[1][2] = NAN;
    mesh_write("c.msh", (const char *)&file, sizeof file);
    refuse(asset, NULL, WORDS("byte 36", "not finite"));
    file.n[1] = 3;
    mesh_write("c.msh", (const char *)&file, sizeof file);
    refuse(asset, NULL, WORDS("3 normals"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(they_weigh_and_touch),          cmocka_unit_test(losses_and_errors_are_named),
        cmocka_unit_test(points_in_the_file_are_a_mesh), cmocka_unit_test(what_hulls_of_the_world_fill_is_told),
        cmocka_unit_test(shapes_are_fitted_to_meshes),   cmocka_unit_test(old_files_of_mujoco_are_read)};
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    mesh_clean();
    return failed;
}

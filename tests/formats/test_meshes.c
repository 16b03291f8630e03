/* Meshes of URDF: formats, places, hulls of them, and files that are broken. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "support/mesh_scene.h"
#include "model/description.h"
#include "formats/mesh.h"
#include "support/model_scene.h"

static myr_model *load(const char *mesh, const char *attributes, const myr_load_options *options) {
    myr_model *model = NULL;
    if (mesh_load(mesh, attributes, options, &model)) fail_msg("%s", myr_message());
    return model;
}

static void put_word(unsigned char *at, uint32_t word) {
    for (int k = 0; k < 4; k++) at[k] = (unsigned char)(word >> 8 * k);
}

static void put_float(unsigned char *at, double value) {
    const float narrow = (float)value;
    uint32_t word;
    memcpy(&word, &narrow, sizeof word);
    put_word(at, word);
}

/* A ball of n x n x 2 triangles, as binary STL. */
static unsigned char *ball_stl(int n, double radius, size_t *length) {
    const uint32_t count = 2u * (uint32_t)n * (uint32_t)n;
    unsigned char *bytes = calloc(1, *length = 84 + 50 * (size_t)count), *at = bytes + 84;
    assert_non_null(bytes);
    put_word(bytes + 80, count);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            const int corner[6][2] = {{i, j}, {i + 1, j}, {i + 1, j + 1}, {i, j}, {i + 1, j + 1}, {i, j + 1}};
            for (int c = 0; c < 6; c++) {
                const double polar = acos(-1.0) * corner[c][0] / n, around = 2 * acos(-1.0) * (corner[c][1] % n) / n;
                unsigned char *point = at + 12 + 12 * (c % 3);
                put_float(point, radius * sin(polar) * cos(around));
                put_float(point + 4, radius * sin(polar) * sin(around));
                put_float(point + 8, radius * cos(polar));
                if (c == 2 || c == 5) at += 50;
            }
        }
    return bytes;
}

static void formats_say_the_same(void **state) {
    (void)state;
    myr_mesh mesh = {.n_points = 0};
    assert_int_equal(myr_mesh_read_obj("cube.obj", mesh_cube, strlen(mesh_cube), &mesh), MYR_OK);
    assert_int_equal(mesh.n_points, 8);
    assert_int_equal(mesh.n_triangles, 12);
    char text[8000] = "solid cube\n";
    unsigned char binary[84 + 12 * 50] = "solid, and yet binary";
    put_word(binary + 80, 12);
    for (int t = 0; t < 12; t++) {
        strcat(text, " facet normal nan nan nan\n  outer loop\n");
        for (int c = 0; c < 3; c++) {
            const double *p = mesh.points + 3 * mesh.triangles[3 * t + c];
            char line[100];
            snprintf(line, sizeof line, "   vertex %.9g %.9g %.9g\r\n", p[0], p[1], p[2]);
            strcat(text, line);
            for (int k = 0; k < 3; k++) put_float(binary + 84 + 50 * t + 12 + 12 * c + 4 * k, p[k]);
        }
        strcat(text, "  endloop\n endfacet\n");
    }
    strcat(text, "endsolid cube\n");
    myr_inertia weight;
    assert_true(myr_mesh_weigh(mesh.points, mesh.triangles, mesh.n_triangles, MYR_WEIGH_EXACT, &weight));
    scene_near(&weight.mass, &(double){0.008}, 1, 1e-15, "volume");
    scene_near(weight.about_com, (double[]){0.008 * 0.04 / 6, 0.008 * 0.04 / 6, 0.008 * 0.04 / 6, 0, 0, 0}, 6, 1e-18, "moments");
    myr_mesh_free(&mesh);
    mesh_write_text("cube.obj", mesh_cube);
    mesh_write_text("text.stl", text);
    mesh_write("binary.STL", binary, sizeof binary);
    static const char *const names[] = {"cube.obj", "text.stl", "binary.STL"};
    for (int f = 0; f < 3; f++) {
        myr_model *model = load(names[f], "scale='1 2 -3'", NULL);
        double most[3] = {0};
        assert_int_equal(model->n_geoms, 1);
        assert_int_equal(model->geoms[0].n_points, 8);
        assert_int_equal(model->n_slots, 8);
        for (int i = 0; i < 24; i++) most[i % 3] = fmax(most[i % 3], fabs(model->geoms[0].points[i]));
        scene_near(most, (double[]){0.1, 0.2, 0.3}, 3, f == 2 ? 1e-8 : 1e-15, "scaled");
        assert_int_equal(model->n_warnings, 0);
        myr_model_free(model);
    }
}

static void large_ones_are_reduced_and_say_by_how_much(void **state) {
    (void)state;
    size_t length;
    myr_load_options options = myr_load_options_default();
    double before = 0.1;
    unsigned char *bytes = ball_stl(708, 0.1, &length); /* 1 002 528 triangles */
    mesh_write("large.stl", bytes, length);
    free(bytes);
    options.hull_corners = 8;
    myr_model *large = load("large.stl", "", &options);
    assert_int_equal(large->geoms[0].n_points, 8);
    myr_model_free(large);
    bytes = ball_stl(60, 0.1, &length);
    mesh_write("ball.stl", bytes, length);
    free(bytes);
    for (options.hull_corners = 8; options.hull_corners <= 64; options.hull_corners *= 2) {
        myr_model *model = load("ball.stl", "", &options);
        myr_geom_info info;
        assert_int_equal(myr_model_get_geom(model, 0, &info), MYR_OK);
        assert_int_equal(info.n_points, options.hull_corners);
        assert_true(info.hull_error_m > 0.0 && info.hull_error_m < before);
        if (options.hull_corners == 32) assert_true(info.hull_error_m < 0.02);
        scene_warned(model, WORDS("convex hulls", "base", "mm"));
        for (int i = 0; i < info.n_points; i++) {
            const double *p = info.points_m + 3 * i;
            assert_true(fabs(sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]) - 0.1) < 1e-7);
        }
        before = info.hull_error_m;
        myr_model_free(model);
    }
}

static void places_are_found(void **state) {
    (void)state;
    char uri[300];
    mkdir(mesh_path("pack"), 0700), mkdir(mesh_path("pack/meshes"), 0700), mkdir(mesh_path("elsewhere"), 0700);
    mesh_write_text("pack/meshes/a.obj", mesh_cube);
    mesh_write_text("elsewhere/b.obj", mesh_cube);
    myr_model_free(load("package://pack/meshes/a.obj", "", NULL));
    myr_model_free(load("package://called_otherwise/pack/meshes/a.obj", "", NULL)); /* a clone in a folder of another name */
    myr_model_free(load("pack/meshes/a.obj", "", NULL));
    myr_model_free(load("pack/../pack/meshes/a.obj", "", NULL));
    myr_model_free(load(mesh_path("pack/meshes/a.obj"), "", NULL));
    snprintf(uri, sizeof uri, "file://%s", mesh_path("pack/meshes/a.obj"));
    myr_model_free(load(uri, "", NULL));
    myr_load_options options = myr_load_options_default();
    snprintf(uri, sizeof uri, "/nowhere::%s", mesh_path("elsewhere"));
    options.mesh_path = uri;
    myr_model_free(load("b.obj", "", &options));
    myr_model_free(load("package://elsewhere/b.obj", "", &options));
}

static void refuse(const char *mesh, const myr_load_options *options, const char *const *words) {
    myr_model *model = NULL;
    const myr_status status = mesh_load(mesh, "", options, &model);
    assert_true(status == MYR_E_FORMAT && !model);
    for (; *words; words++)
        if (!strstr(myr_message(), *words)) fail_msg("no `%s` in: %s", *words, myr_message());
}

static void missing_ones_are_named(void **state) {
    (void)state;
    myr_load_options options = myr_load_options_default();
    refuse("gone.stl", NULL, WORDS("robot.urdf:2:", "link `base`", "gone.stl", mesh_folder(), "--meshes skip", "--mesh-path"));
    refuse("package://gone/meshes/gone.stl", NULL, WORDS("gone/meshes/gone.stl", mesh_folder()));
    refuse("https://example.org/a.stl", NULL, WORDS("https://example.org/a.stl", "neither a path"));
    refuse("package://alone.obj", NULL, WORDS("alone.obj"));
    mkdir(mesh_path("folder.stl"), 0700);
    refuse("folder.stl", NULL, WORDS("is not a file"));
    assert_int_equal(mkfifo(mesh_path("pipe.stl"), 0600), 0);
    refuse("pipe.stl", NULL, WORDS("is not a file"));
    mesh_write_text("flat.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nv 2 2 0\n");
    refuse("flat.obj", NULL, WORDS("robot.urdf:2:", "no convex hull"));
    options.meshes = MYR_MESHES_SKIP;
    myr_model *model = load("gone.stl", "", &options);
    assert_int_equal(model->n_geoms, 0);
    scene_warned(model, WORDS("skipped", "1 mesh", "base"));
    myr_model_free(model);
    model = load("gone.dae", "", NULL);
    scene_warned(model, WORDS("gone.dae", "assimp export"));
    myr_model_free(model);
    options = myr_load_options_default();
    options.strict = 1;
    refuse("gone.dae", &options, WORDS("strict", "robot.urdf:2:"));
    options.hull_corners = 3;
    assert_int_equal(mesh_load("gone.dae", "", &options, &model), MYR_E_ARG);
    options.hull_corners = 65;
    assert_int_equal(mesh_load("gone.dae", "", &options, &model), MYR_E_ARG);
}

/* Each is refused with its file, its line or byte, and the word that is wrong. */
static void broken_files_are_refused(void **state) {
    static const struct {
        const char *name, *text;
        size_t length; /* 0: up to the end */
        const char *words[3];
    } broken[] = {
        {"empty.obj", "", 0, {"no point", NULL}},
        {"empty.stl", "", 0, {"byte 0", NULL}},
        {"short.obj", "v 1 2\n", 0, {"short.obj:1:", "2 numbers", NULL}},
        {"word.obj", "#\nv 1 2 x\n", 0, {"word.obj:2:", "`x`", NULL}},
        {"nan.obj", "v 1 nan 3\n", 0, {"nan.obj:1:", "`nan`", NULL}},
        {"inf.obj", "v 1 inf 3\n", 0, {"inf.obj:1:", "too large", NULL}},
        {"huge.obj", "v 1 1e300 3\n", 0, {"huge.obj:1:", "1e300", NULL}},
        {"zero.obj", "v 1 2 3\nf 0 1 1\n", 0, {"zero.obj:2:", "no point 0", NULL}},
        {"beyond.obj", "v 1 2 3\nf 1 1 7\nv 1 1 1\n", 0, {"beyond.obj:2:", "no point 7", NULL}},
        {"before.obj", "v 1 2 3\nf 1 1 -2\n", 0, {"before.obj:2:", "no point -2", NULL}},
        {"far.obj", "v 1 2 3\nf 1 1 99999999999999999999\n", 0, {"far.obj:2:", "no point 999", NULL}},
        {"index.obj", "v 1 2 3\nf 1 a 1\n", 0, {"index.obj:2:", "`a`", NULL}},
        {"byte.obj", "v 1 2 3\n\0v 1", 12, {"byte.obj: byte 8", NULL}},
        {"short.stl", "solid a\nfacet\nvertex 1 2\n", 0, {"short.stl:3:", "2 numbers", NULL}},
        {"word.stl", "solid a\nvertex 1 2 x\n", 0, {"word.stl:2:", "coordinate 3", NULL}},
        {"fourth.stl", "solid a\nvertex 1 2 3\nvertex 1 2 4\nvertex 1 2 5\nvertex 1 2 6\n", 0, {"fourth.stl:5:", "fourth", NULL}},
        {"two.stl", "solid a\nvertex 1 2 3\nvertex 1 2 4\nendloop\n", 0, {"two.stl:4:", "2 `vertex`", NULL}},
        {"within.stl", "solid a\nvertex 1 2 3\n", 0, {"ends within", NULL}},
        {"none.stl", "solid a\nendsolid a\n", 0, {"no triangle", NULL}},
        {"html.stl", "<!DOCTYPE html>", 0, {"html.stl", "not STL", NULL}},
        {"pointer.stl", "solid\nversion https://git-lfs\n", 0, {"pointer.stl:2:", "`version`", NULL}},
        {"byte.stl", "solid a\n\0", 9, {"byte 8", NULL}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        mesh_write(broken[i].name, broken[i].text, broken[i].length ? broken[i].length : strlen(broken[i].text));
        refuse(broken[i].name, NULL, WORDS("robot.urdf:2:"));
        refuse(broken[i].name, NULL, broken[i].words);
    }
    unsigned char bytes[84 + 50] = {0};
    put_word(bytes + 80, 0xffffffffu);
    mesh_write("count.stl", bytes, sizeof bytes);
    refuse("count.stl", NULL, WORDS("byte 80", "4294967295 triangles", "134"));
    put_word(bytes + 80, 1), put_float(bytes + 84 + 12 + 16, (double)NAN);
    mesh_write("nan.stl", bytes, sizeof bytes);
    refuse("nan.stl", NULL, WORDS("byte 112", "triangle 1"));
    mesh_write("cut.stl", bytes, sizeof bytes - 1);
    refuse("cut.stl", NULL, WORDS("byte 80", "133"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formats_say_the_same),     cmocka_unit_test(large_ones_are_reduced_and_say_by_how_much),
        cmocka_unit_test(places_are_found),         cmocka_unit_test(missing_ones_are_named),
        cmocka_unit_test(broken_files_are_refused),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    mesh_clean();
    return failed;
}

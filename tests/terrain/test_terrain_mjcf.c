/* Ground maps and MJCF: written as height fields or boxes, and the height field of a world read, each way of giving its data with its own
 * order of rows. What MuJoCo says of such files was compared by hand: mj_ray finds the heights of myr_terrain_height. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "model/model.h"
#include "support/terrain_file_scene.h"

enum { NX = 11, NY = 9 };

static char *text_of(const char *name) {
    static char text[1 << 18];
    FILE *file = fopen(mesh_path(name), "rb");
    if (!file) fail_msg("there is no %s", name);
    const size_t n = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[n] = '\0';
    return text;
}

static int is_there(const char *name) { return access(mesh_path(name), F_OK) == 0; }

static int count_of(const char *text, const char *word) {
    int n = 0;
    for (; (text = strstr(text, word)); text++) n++;
    return n;
}

/* ---- written ----------------------------------------------------------------------------------------------------------------------- */

/* nx x ny samples, columns where kind is 1, by block in turn where it is 2; level(i, k) in steps of 1 cm. */
static myr_terrain *map_of(int nx, int ny, int kind, int friction, int floats, int (*level)(int, int)) {
    static uint8_t kinds[64], factors[64];
    for (int b = 0; b < 64; b++) kinds[b] = (uint8_t)(kind == 2 ? b & 1 : kind), factors[b] = (uint8_t)(b + 100);
    myr_terrain_def def = myr_terrain_def_default();
    def.nx = nx, def.ny = ny, def.cell_m = 0.25, def.step_m = 0.01, def.origin_i = 3, def.origin_k = 1, def.columns = kinds;
    if (friction) def.friction = factors;
    return terrain_of_levels(def, floats, level);
}

static int rough(int i, int k) { return 37 * i - 11 * k + i * k % 7 - 40; }
static int stairs(int i, int k) { return i < 4 ? -20 : k < 5 ? 30 : 45; }
static int cross(int i, int k) { return (i == 5 && k > 1 && k < 7) || (k == 4 && i > 1 && i < 9) ? 25 : -10; }
static int flat(int i, int k) { return 7 + 0 * i * k; }
static int all_different(int i, int k) { return 60 * i + k; }

static void fields_there_and_back(void **state) {
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        char note[MYR_TERRAIN_NOTE] = "?";
        myr_terrain *t = map_of(NX, NY, 0, 0, kind == 1, kind == 2 ? flat : rough), *again = NULL;
        MUST(myr_terrain_export_mjcf(t, mesh_path("a & b.xml"), note));
        assert_string_equal(note, "");
        assert_true(is_there("a & b.bin"));
        strcpy(note, "?");
        MUST(myr_terrain_from_mjcf(mesh_path("a & b.xml"), note, &again));
        assert_string_equal(note, "");
        const myr_terrain_info a = terrain_info_of(t), b = terrain_info_of(again);
        assert_int_equal(b.nx, NX), assert_int_equal(b.ny, NY);
        assert_int_equal(b.origin_i, 3), assert_int_equal(b.origin_k, 1);
        assert_true(fabs(a.cell_m - b.cell_m) < 1e-12 && b.has_columns == 0);
        float heights[NX * NY];
        double wanted[NX * NY];
        MUST(myr_terrain_samples(t, heights));
        for (int i = 0; i < NX * NY; i++) wanted[i] = (double)heights[i];
        terrain_samples_are(again, wanted, 2e-7 * (a.highest_m - a.lowest_m) + 1e-8);
        myr_terrain_free(t), myr_terrain_free(again);
    }
}

/* Every pillar is the top of one box, and no box has more. */
static void boxes_of(int (*level)(int, int), int boxes) {
    char note[MYR_TERRAIN_NOTE] = "?";
    myr_terrain *t = map_of(NX, NY, 1, 0, 0, level);
    MUST(myr_terrain_export_mjcf(t, mesh_path("stairs.xml"), note));
    assert_string_equal(note, "");
    assert_false(is_there("stairs.bin"));
    const char *text = text_of("stairs.xml");
    assert_int_equal(count_of(text, "<geom type=\"box\""), boxes);
    assert_int_equal(count_of(text, "hfield"), 0);
    int seen[NX][NY] = {{0}};
    for (const char *at = text; (at = strstr(at, "<geom")); at++) {
        double p[3], s[3];
        assert_int_equal(
            sscanf(at, "<geom type=\"box\" pos=\"%lf %lf %lf\" size=\"%lf %lf %lf\"/>", &p[0], &p[1], &p[2], &s[0], &s[1], &s[2]), 6);
        assert_true(p[2] - s[2] <= terrain_info_of(t).lowest_m - 1 + 1e-12);
        double covered = 0;
        for (int i = 0; i < NX; i++)
            for (int k = 0; k < NY; k++) {
                const double x = 0.25 * (i - 3) - p[0], y = 0.25 * (k - 1) - p[1];
                if (fabs(x) > s[0] || fabs(y) > s[1]) continue;
                assert_true(s[0] - fabs(x) > 0.124 && s[1] - fabs(y) > 0.124); /* pillars are not cut */
                assert_true(fabs(p[2] + s[2] - 0.01 * level(i, k)) < 1e-12);
                seen[i][k]++, covered += 0.25 * 0.25;
            }
        assert_true(fabs(4 * s[0] * s[1] - covered) < 1e-9);
    }
    for (int i = 0; i < NX; i++)
        for (int k = 0; k < NY; k++) assert_int_equal(seen[i][k], 1);
    myr_terrain_free(t);
}

static void pillars_are_boxes(void **state) {
    (void)state;
    boxes_of(stairs, 3);
    boxes_of(cross, 11); /* a bar of it is cut where the other one was taken */
    boxes_of(flat, 1);
}

static void losses_are_named(void **state) {
    (void)state;
    static const struct {
        int nx, ny, kind, friction, boxes;
        const char *walls, *factors;
    } cases[] = {
        {20, 50, 1, 0, 1000, NULL, NULL},
        {21, 50, 1, 0, 0, "vertical walls", NULL}, /* too many rectangles */
        {NX, NY, 2, 0, 0, "vertical walls", NULL}, /* columns among fields */
        {NX, NY, 2, 1, 0, "vertical walls", "friction"},
        {NX, NY, 0, 1, 0, NULL, "friction"},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        char note[MYR_TERRAIN_NOTE] = "?";
        myr_terrain *t = map_of(cases[c].nx, cases[c].ny, cases[c].kind, cases[c].friction, 0, all_different);
        MUST(myr_terrain_export_mjcf(t, mesh_path("loss.xml"), note));
        const char *text = text_of("loss.xml");
        assert_int_equal(count_of(text, "type=\"box\""), cases[c].boxes);
        assert_int_equal(count_of(text, "type=\"hfield\""), !cases[c].boxes);
        assert_int_equal(strstr(note, "vertical walls") != NULL, cases[c].walls != NULL);
        assert_int_equal(strstr(note, "friction") != NULL, cases[c].factors != NULL);
        if (*note) assert_non_null(strstr(text, note));
        MUST(myr_terrain_export_mjcf(t, mesh_path("loss.xml"), NULL));
        myr_terrain_free(t);
    }
    myr_terrain *t = map_of(NX, NY, 0, 0, 0, rough);
    assert_int_equal(myr_terrain_export_mjcf(t, mesh_path("map.bin"), NULL), MYR_E_ARG);
    assert_non_null(strstr(myr_message(), ".xml"));
    assert_int_equal(myr_terrain_export_mjcf(t, mesh_path("nowhere/map.xml"), NULL), MYR_E_FILE);
    assert_non_null(strstr(myr_message(), "nowhere/map"));
    assert_int_equal(myr_terrain_export_mjcf(NULL, "map.xml", NULL), MYR_E_ARG);
    assert_int_equal(myr_terrain_export_mjcf(t, NULL, NULL), MYR_E_ARG);
    myr_terrain_free(t);
}

/* ---- read -------------------------------------------------------------------------------------------------------------------------- */

#define FIELD(asset, geom) "<mujoco><asset><hfield name=\"h\" " asset "/></asset><worldbody>" geom "</worldbody></mujoco>"
#define GEOM(attributes) "<geom name=\"hill\" type=\"hfield\" hfield=\"h\" " attributes "/>"
#define SIZE "size=\"0.4 0.2 2 0.1\" "

/* 3 rows of 5 columns: 100 c + r, the first row being the smallest y. */
static void write_binary(const char *name) {
    unsigned char bytes[8 + 60];
    const int sizes[2] = {3, 5};
    memcpy(bytes, sizes, 8);
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 5; c++) {
            const float value = (float)(100 * c + r);
            memcpy(bytes + 8 + 4 * (5 * r + c), &value, sizeof value);
        }
    mesh_write(name, bytes, sizeof bytes);
}

static const char elevation[] = "2 102 202 302 402  1 101 201 301 401  0 100 200 300 400"; /* the first row is the largest y */

/* The same as an image of 16 bits. */
static void write_image(const char *name) {
    unsigned char raw[3 * 11], packed[200], file[400] = "\x89PNG\r\n\x1a\n";
    uLongf length = sizeof packed;
    memset(raw, 0, sizeof raw);
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 5; c++)
            raw[11 * r + 1 + 2 * c] = (unsigned char)((100 * c + 2 - r) >> 8), raw[11 * r + 2 + 2 * c] = (unsigned char)(100 * c + 2 - r);
    assert_int_equal(compress(packed, &length, raw, sizeof raw), Z_OK);
    const unsigned char header[13] = {0, 0, 0, 5, 0, 0, 0, 3, 16, 0, 0, 0, 0};
    const struct {
        const char *kind;
        const unsigned char *data;
        size_t length;
    } chunks[3] = {{"IHDR", header, 13}, {"IDAT", packed, length}, {"IEND", packed, 0}};
    size_t at = 8;
    for (int c = 0; c < 3; c++) {
        unsigned char *begin = file + at;
        begin[3] = (unsigned char)chunks[c].length, memcpy(begin + 4, chunks[c].kind, 4);
        memcpy(begin + 8, chunks[c].data, chunks[c].length);
        const uint32_t sum = (uint32_t)crc32(0, begin + 4, (uInt)(4 + chunks[c].length));
        for (int k = 0; k < 4; k++) begin[8 + chunks[c].length + (size_t)k] = (unsigned char)(sum >> 8 * (3 - k));
        at += 12 + chunks[c].length;
    }
    mesh_write(name, file, at);
}

static myr_terrain *read_world(const char *text, char note[MYR_TERRAIN_NOTE]) {
    myr_terrain *t = NULL;
    mesh_write_text("world.xml", text);
    strcpy(note, "?");
    if (myr_terrain_from_mjcf(mesh_path("world.xml"), note, &t)) fail_msg("%s", myr_message());
    return t;
}

static void each_way_of_giving_it(void **state) {
    (void)state;
    char note[MYR_TERRAIN_NOTE], inside[600];
    double wanted[15];
    write_binary("field.bin"), write_binary("odd.dat"), write_image("field.png");
    snprintf(inside, sizeof inside, FIELD("nrow=\"3\" ncol=\"5\" elevation=\"%s\" " SIZE, GEOM("pos=\"0 0 -1\"")), elevation);
    const char *const texts[] = {
        FIELD("file=\"field.bin\" " SIZE, GEOM("pos=\"0 0 -1\"")),
        FIELD("file=\"odd.dat\" " SIZE, "<frame pos=\"1 0 0\"><geom type=\"hfield\" hfield=\"h\" pos=\"-1 0 -1\"/></frame>"),
        FIELD("file=\"field.png\" content_type=\"image/png\" " SIZE, GEOM("pos=\"0 0 -1\"")),
        inside,
    };
    for (int k = 0; k < 4; k++) {
        myr_terrain *t = read_world(texts[k], note);
        const myr_terrain_info info = terrain_info_of(t);
        assert_string_equal(note, k == 2 ? "MuJoCo reads 8 of the 16 bits of its image" : "");
        assert_int_equal(info.nx, 5), assert_int_equal(info.ny, 3);
        assert_int_equal(info.origin_i, 2), assert_int_equal(info.origin_k, 1);
        assert_true(fabs(info.cell_m - 0.2) < 1e-12 && info.resampled_m == 0);
        for (int i = 0; i < 15; i++) wanted[i] = -1 + 2 * (100 * (i / 3) + i % 3) / 402.0;
        terrain_samples_are(t, wanted, 1e-6);
        myr_terrain_free(t);
    }
    myr_terrain *t = read_world(FIELD("nrow=\"3\" ncol=\"5\" " SIZE, GEOM("pos=\"0.4 -0.2 3\"")), note);
    assert_int_equal(terrain_info_of(t).origin_i, 0), assert_int_equal(terrain_info_of(t).origin_k, 2);
    for (int i = 0; i < 15; i++) wanted[i] = 3;
    terrain_samples_are(t, wanted, 0);
    myr_terrain_free(t);
}

static void differences_are_named(void **state) {
    (void)state;
    char note[MYR_TERRAIN_NOTE];
    write_binary("field.bin");
    /* its samples are 0.05 m and 0.02 m off */
    myr_terrain *t = read_world(FIELD("file=\"field.bin\" " SIZE, GEOM("pos=\"0.05 -0.02 0\"")), note);
    assert_string_equal(note, "it is moved by -0.05 m along x and 0.02 m along y, so that a sample lies at x = y = 0");
    assert_int_equal(terrain_info_of(t).origin_i, 2), assert_int_equal(terrain_info_of(t).origin_k, 1);
    myr_terrain_free(t);
    /* cells of 0.2 x 0.4: a plane stays one, and its samples lie at whole multiples of 0.2 */
    t = read_world(FIELD("nrow=\"2\" ncol=\"3\" elevation=\"1 2 3 0 1 2\" size=\"0.2 0.2 3 1\"", GEOM("")), note);
    const myr_terrain_info info = terrain_info_of(t);
    const double plane[9] = {0, 0.5, 1, 1, 1.5, 2, 2, 2.5, 3}; /* of 0 to 3 over x, then y */
    assert_non_null(strstr(note, "its cells of 0.2 m along x and 0.4 m along y are resampled at 0.2 m"));
    assert_int_equal(info.nx, 3), assert_int_equal(info.ny, 3);
    assert_true(info.resampled_m < 1e-6 && fabs(info.cell_m - 0.2) < 1e-12);
    terrain_samples_are(t, plane, 1e-6);
    myr_terrain_free(t);
    t = read_world(
        FIELD(
            "file=\"field.bin\" " SIZE,
            "<geom name=\"lean\" type=\"hfield\" hfield=\"h\" euler=\"0 5 0\"/>" GEOM(
                "") "<geom name=\"turn\" type=\"hfield\" hfield=\"h\" euler=\"0 0 90\"/><geom name=\"next\" type=\"hfield\" hfield=\"h\"/>"
                    "<geom name=\"seen\" type=\"hfield\" hfield=\"h\" contype=\"0\" conaffinity=\"0\"/>"
                    "<geom name=\"floor\" type=\"plane\" size=\"1 1 1\"/>"
                    "<body name=\"b\"><freejoint/><geom name=\"held\" type=\"hfield\" hfield=\"h\"/><geom size=\"1\"/></body>"),
        note);
    static const char *const words[] = {"tilted or turned height field `lean`", "tilted or turned height field `turn`",
                                        "second height field `next`", "plane `floor`", "height field of a body `held`"};
    for (int k = 0; k < 5; k++)
        if (!strstr(note, words[k])) fail_msg("`%s` is not in: %s", words[k], note);
    assert_null(strstr(note, "hill"));
    assert_null(strstr(note, "seen"));
    myr_terrain_free(t);
}

static void worlds_refused(void **state) {
    (void)state;
    const struct {
        const char *text, *words;
        myr_status status;
    } cases[] = {
        {FIELD(SIZE "file=\"field.bin\"", ""), "no level height field", MYR_E_FORMAT},
        {FIELD(SIZE "file=\"field.bin\"", GEOM("euler=\"0 5 0\"")), "tilted or turned height field `hill` is left out", MYR_E_FORMAT},
        {FIELD(SIZE "file=\"field.bin\"", GEOM("pos=\"5 0 0\"")), "it goes from 4.6 to 5.4 m along x", MYR_E_FORMAT},
        {FIELD(SIZE "file=\"none.bin\"", GEOM("")), "there is no file `none.bin`", MYR_E_FORMAT},
        {FIELD(SIZE "file=\"world.xml\"", GEOM("")), "world.xml", MYR_E_LIMIT}, /* its first letters are a size */
        {FIELD(SIZE "file=\"field.bin\" content_type=\"image/gif\"", GEOM("")), "image/gif", MYR_E_FORMAT},
        {FIELD(SIZE "file=\"field.bin\" elevation=\"1 2\"", GEOM("")), "both a `file` and `elevation`", MYR_E_FORMAT},
        {FIELD("size=\"1 1 0 1\" file=\"field.bin\"", GEOM("")), "size 3 is 0", MYR_E_FORMAT},
        {FIELD("file=\"field.bin\"", GEOM("")), "size", MYR_E_FORMAT},
        {FIELD("size=\"1 1 1 1\" nrow=\"3\" ncol=\"1\"", GEOM("")), "nrow and ncol are 3 and 1", MYR_E_FORMAT},
        {FIELD("size=\"1 1 1 1\" nrow=\"2\" ncol=\"2\" elevation=\"1 2 3\"", GEOM("")), "3 numbers; nrow ncol = 4", MYR_E_FORMAT},
        {FIELD("size=\"1 1 1 1\" nrow=\"2\" ncol=\"2\" elevation=\"1 2 3 x4\"", GEOM("")), "x4", MYR_E_FORMAT},
        {FIELD("size=\"1 1 1 1\" nrow=\"2\" ncol=\"2\" elevation=\"1 2 3 4 5\"", GEOM("")), "elevation", MYR_E_FORMAT},
        {FIELD("size=\"1 1 1 1\" nrow=\"9999\" ncol=\"9999\" elevation=\"1\"", GEOM("")), "fewer than nrow ncol = 99980001", MYR_E_FORMAT},
        {FIELD("size=\"1 1 1 1\" nrow=\"30000\" ncol=\"30000\"", GEOM("")), "30000 x 30000 samples", MYR_E_LIMIT},
        {FIELD("size=\"1 1 1 1\" nrow=\"2147483647\" ncol=\"2147483647\"", GEOM("")), "2147483647 x 2147483647 samples", MYR_E_LIMIT},
        {FIELD("size=\"1 1 99999 1\" nrow=\"2\" ncol=\"2\" elevation=\"0 1 2 3\"", GEOM("")), "within 10000 m", MYR_E_FORMAT},
        {FIELD("size=\"900 900 1 1\" nrow=\"2\" ncol=\"2\"", GEOM("")), "cell_m is 1800", MYR_E_FORMAT},
        {FIELD(SIZE "file=\"field.bin\"", "<geom name=\"hill\" type=\"hfield\" hfield=\"k\"/>"), "no height field `k`", MYR_E_FORMAT},
        {FIELD(SIZE "file=\"field.bin\"", "<geom name=\"hill\" type=\"hfield\"/>"), "`hfield` is missing", MYR_E_FORMAT},
        {"<robot name=\"r\"/>", "starts with <mujoco>", MYR_E_FORMAT},
        {"<mujoco", "world.xml", MYR_E_FORMAT},
    };
    write_binary("field.bin");
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        char note[MYR_TERRAIN_NOTE];
        myr_terrain *t = (myr_terrain *)note;
        mesh_write_text("world.xml", cases[c].text);
        terrain_watch_begin();
        const myr_status status = myr_terrain_from_mjcf(mesh_path("world.xml"), note, &t);
        if (status != cases[c].status || !strstr(myr_message(), cases[c].words) || !strstr(myr_message(), "world.xml"))
            fail_msg("case %zu: status %d and `%s`, not %d and `%s`", c, (int)status, status ? myr_message() : "", (int)cases[c].status,
                     cases[c].words);
        assert_null(t);
        if (terrain_watch_largest() > 1 << 20) fail_msg("case %zu: %zu bytes were asked for", c, terrain_watch_largest());
    }
    myr_terrain *t;
    assert_int_equal(myr_terrain_from_mjcf(mesh_path("nowhere.xml"), NULL, &t), MYR_E_FILE);
    assert_int_equal(myr_terrain_from_mjcf(NULL, NULL, &t), MYR_E_ARG);
    assert_int_equal(myr_terrain_from_mjcf("world.xml", NULL, NULL), MYR_E_ARG);
}

/* ---- the model of such a file ------------------------------------------------------------------------------------------------------- */

static const char world[] = FIELD(
    "file=\"field.bin\" " SIZE,
    "%s" GEOM(
        "friction=\"0.7\" pos=\"0 0 2\"") "<body pos=\"0 0 4\"><freejoint/><geom name=\"ball\" size=\"0.05\" friction=\"0.4\"/></body>");

static void models_name_it(void **state) {
    (void)state;
    char text[2000], note[MYR_TERRAIN_NOTE];
    for (int plane = 0; plane < 2; plane++) {
        myr_model *model = NULL, *on = NULL;
        myr_terrain *t = NULL;
        write_binary("field.bin");
        snprintf(text, sizeof text, world,
                 plane ? "<geom name=\"p\" type=\"plane\" size=\"1 1 1\" pos=\"0 0 0.5\" friction=\"0.2\"/>" : "");
        mesh_write_text("world.xml", text);
        MUST(myr_model_open(mesh_path("world.xml"), NULL, &model));
        int named = 0;
        for (int w = 0; myr_model_warning(model, w); w++)
            named |= strstr(myr_model_warning(model, w), "myr_terrain_from_mjcf") && strstr(myr_model_warning(model, w), "hill");
        assert_true(named);
        myr_geom_info info;
        MUST(myr_model_get_geom(model, 0, &info));
        assert_true(fabs(info.friction - (plane ? 0.4 : 0.7)) < 1e-12); /* the larger one of the two that touch */
        assert_true(model->floor == (plane ? 0.5 : 0));                 /* the map's heights are the world's */
        MUST(myr_terrain_from_mjcf(mesh_path("world.xml"), note, &t));
        assert_int_equal(strstr(note, "plane `p`") != NULL, plane);
        MUST(myr_model_on(model, t, &on));
        myr_model_free(model), myr_model_free(on);
        myr_terrain_free(t);
    }
    myr_load_options strict = myr_load_options_default();
    strict.strict = 1;
    myr_model *model;
    assert_int_equal(myr_model_open(mesh_path("world.xml"), &strict, &model), MYR_E_FORMAT);
    assert_non_null(strstr(myr_message(), "height fields are left out"));
}

int main(void) {
    terrain_watch_memory();
    const struct CMUnitTest tests[] = {cmocka_unit_test(fields_there_and_back), cmocka_unit_test(pillars_are_boxes),
                                       cmocka_unit_test(losses_are_named),      cmocka_unit_test(each_way_of_giving_it),
                                       cmocka_unit_test(differences_are_named), cmocka_unit_test(worlds_refused),
                                       cmocka_unit_test(models_name_it)};
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    mesh_clean();
    return failed;
}

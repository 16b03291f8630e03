/* Friction of two geoms, and of a geom and the ground: what the builder and MJCF say of it, and what moves by it. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/model_scene.h"
#include "myriapod/myriapod.h"

/* Of the slots of two geoms by name (other NULL: the ground); -1: there are none. All are the same. */
static double friction_of(const myr_model *model, const char *geom, const char *other) {
    int a, b = -1;
    double friction = -1;
    myr_model_info m;
    myr_model_get_info(model, &m);
    assert_int_equal(myr_model_find_geom(model, geom, &a), MYR_OK);
    if (other) assert_int_equal(myr_model_find_geom(model, other, &b), MYR_OK);
    for (int s = 0; s < m.n_slots; s++) {
        myr_slot_info slot;
        assert_int_equal(myr_model_get_slot(model, s, &slot), MYR_OK);
        if (!((slot.geom == a && slot.other == b) || (slot.geom == b && slot.other == a))) continue;
        if (friction >= 0) assert_true(friction == slot.friction);
        friction = slot.friction;
    }
    return friction;
}

static int ball(myr_builder *builder, const char *name, double friction, double z) {
    static const double straight[4] = {1, 0, 0, 0};
    const double at[3] = {0, 0, z};
    const int body = scene_body(builder, name, -1, MYR_JOINT_FREE, 0, 0, 0);
    myr_geom_def geom = myr_geom_def_default();
    geom.name = name, geom.body = body, geom.type = MYR_GEOM_BOX, geom.friction = friction;
    geom.size_m[0] = geom.size_m[1] = geom.size_m[2] = 0.1;
    int id;
    assert_int_equal(myr_builder_geom(builder, &geom, &id), MYR_OK);
    assert_int_equal(myr_builder_home(builder, body, at, straight), MYR_OK);
    return id;
}

static void builders_have_words_on_friction(void **state) {
    (void)state;
    myr_builder *builder = scene_builder();
    const int a = ball(builder, "a", 0.3, 0.1), b = ball(builder, "b", 0.6, 0.3);
    myr_model *model = scene_compile(builder);
    const uint64_t plain = myr_model_hash(model);
    assert_true(friction_of(model, "a", "b") == 0.6 && friction_of(model, "a", NULL) == 0.3 && friction_of(model, "b", NULL) == 0.6);
    myr_model_free(model);

    assert_int_equal(myr_builder_pair_friction(builder, b, a, 0.9), MYR_OK);
    assert_int_equal(myr_builder_pair_friction(builder, a, b, 0.1), MYR_OK); /* the last word */
    assert_int_equal(myr_builder_pair_friction(builder, a, -1, 0.2), MYR_OK);
    assert_int_equal(myr_builder_pair(builder, b, -1, 0), MYR_OK);
    model = scene_compile(builder);
    myr_pair_info pair;
    myr_geom_info geom;
    assert_int_equal(myr_model_get_pair(model, 0, &pair), MYR_OK);
    assert_int_equal(myr_model_get_geom(model, a, &geom), MYR_OK);
    assert_true(pair.friction == 0.1 && geom.friction == 0.2 && myr_model_hash(model) != plain);
    assert_true(friction_of(model, "a", "b") == 0.1 && friction_of(model, "a", NULL) == 0.2 && friction_of(model, "b", NULL) == -1);
    myr_model_free(model);

    assert_int_equal(myr_builder_pair(builder, b, -1, 1), MYR_OK);
    model = scene_compile(builder);
    assert_true(friction_of(model, "b", NULL) == 0.6);
    myr_model_free(model);
    myr_builder_free(builder);
}

static void wrong_words_are_refused(void **state) {
    (void)state;
    myr_builder *builder = scene_builder();
    const int a = ball(builder, "a", 0.3, 0.1), b = ball(builder, "b", 0.6, 0.3);
    const struct {
        int a, b;
        double friction;
        const char *word;
    } wrong[] = {
        {-1, b, 0.5, "geom_a is -1"},     {a, 2, 0.5, "geom_b is 2"}, {a, -2, 0.5, "the ground is -1"},         {a, a, 0.5, "both 0, `a`"},
        {a, b, -0.1, "friction is -0.1"}, {a, b, NAN, "friction"},    {a, -1, INFINITY, "`a` and `the ground`"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(myr_builder_pair_friction(builder, wrong[i].a, wrong[i].b, wrong[i].friction), MYR_E_ARG);
        if (!strstr(myr_message(), wrong[i].word)) fail_msg("`%s` does not say `%s`", myr_message(), wrong[i].word);
    }
    assert_int_equal(myr_builder_pair_friction(NULL, a, b, 0.5), MYR_E_ARG);
    assert_int_equal(myr_builder_pair(builder, a, -1, 2), MYR_E_ARG);
    assert_int_equal(myr_builder_pair(builder, 2, -1, 0), MYR_E_ARG);
    assert_int_equal(myr_builder_pair(builder, a, -2, 0), MYR_E_ARG);
    myr_model *model = scene_compile(builder);
    assert_true(friction_of(model, "a", "b") == 0.6);
    myr_model_free(model);
    myr_builder_free(builder);
}

/* Two boxes beside each other, their files' words, and a floor. */
static myr_model *boxes(const char *a, const char *b, const char *floor, const char *contact) {
    char text[1500];
    snprintf(
        text, sizeof text,
        "<mujoco><default><default class=\"ice\"><pair condim=\"1\" friction=\".4 .4\"/></default></default><worldbody>"
        "<geom name=\"floor\" type=\"plane\" size=\"1 1 1\" %s/><body name=\"a\" pos=\"0 0 1\"><freejoint/><geom name=\"a\" type=\"box\" "
        "size=\".1 .1 .1\" %s/></body><body name=\"b\" pos=\"1 0 1\"><freejoint/><geom name=\"b\" type=\"box\" size=\".1 .1 .1\" "
        "%s/></body></worldbody><contact>%s</contact></mujoco>",
        floor, a, b, contact);
    return scene_read(text);
}

/* MuJoCo's laws; each number is what its mj_collision gives (bench/agree/mjcf_friction.py compares random files). */
static void mjcf_is_read_as_mujoco_reads_it(void **state) {
    (void)state;
    static const struct {
        const char *a, *b, *floor, *contact;
        double between, first, second;
    } cases[] = {
        {"friction=\".3\"", "friction=\".5\"", "friction=\".2\"", "", .5, .3, .5},
        {"friction=\".3\"", "friction=\".5\"", "friction=\"2\"", "", .5, 2, 2}, /* the floor's is not the boxes' */
        {"friction=\".3\" condim=\"1\"", "friction=\".5\"", "", "", .5, 1, 1},
        {"friction=\".3\" condim=\"1\"", "friction=\".5\" condim=\"1\"", "condim=\"1\"", "", 0, 0, 0},
        {"friction=\".3\" condim=\"1\"", "friction=\".5\" condim=\"1\"", "", "", 0, 1, 1},
        {"friction=\".3\" condim=\"1\" priority=\"1\"", "friction=\".5\"", "", "", 0, 0, 1},
        {"friction=\".3\" priority=\"1\"", "friction=\".5\" priority=\"2\"", "priority=\"1\" friction=\".2\"", "", .5, .3, .5},
        {"friction=\".3\" priority=\"-1\"", "friction=\".5\" priority=\"-2\"", "friction=\".2\"", "", .3, .2, .2},
        {"friction=\".3\" condim=\"1\"", "friction=\".5\"", "", "<pair geom1=\"b\" geom2=\"a\"/>", 1, 1, 1},
        {"", "", "", "<pair geom1=\"a\" geom2=\"b\" friction=\".7 .7\"/><pair geom1=\"b\" geom2=\"floor\" condim=\"1\"/>", .7, 1, 0},
        {"", "", "", "<pair class=\"ice\" geom1=\"a\" geom2=\"b\"/><pair class=\"ice\" geom1=\"floor\" geom2=\"a\" condim=\"3\"/>", 0, .4,
         1},
        {"contype=\"0\" conaffinity=\"0\"", "contype=\"0\" conaffinity=\"0\"", "contype=\"0\" conaffinity=\"0\"",
         "<pair geom1=\"floor\" geom2=\"a\" friction=\".2 .2\"/><pair geom1=\"a\" geom2=\"b\" friction=\".6 .6\"/>", .6, .2, -1},
        {"", "", "", "<exclude body1=\"a\" body2=\"b\"/><exclude body1=\"world\" body2=\"a\"/>", -1, -1, 1},
        {"", "", "",
         "<pair geom1=\"a\" geom2=\"b\" friction=\".6 .6\"/><pair geom1=\"a\" geom2=\"floor\" friction=\".5 .5\"/>"
         "<exclude body1=\"a\" body2=\"b\"/><exclude body1=\"world\" body2=\"a\"/>",
         .6, .5, 1},
        {"contype=\"2\" conaffinity=\"2\"", "contype=\"2\" conaffinity=\"3\"", "", "", 1, -1, 1}, /* a never meets the floor, and stays */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        myr_model *model = boxes(cases[i].a, cases[i].b, cases[i].floor, cases[i].contact);
        const double got[] = {friction_of(model, "a", "b"), friction_of(model, "a", NULL), friction_of(model, "b", NULL)},
                     want[] = {cases[i].between, cases[i].first, cases[i].second};
        for (int k = 0; k < 3; k++)
            if (got[k] != want[k]) fail_msg("case %zu, %d: friction %g instead of %g", i, k, got[k], want[k]);
        assert_int_equal(scene_other_warnings(model), 0);
        myr_model_free(model);
    }
}

static void what_a_pair_loses_is_named(void **state) {
    (void)state;
    static const struct {
        const char *pair, *word;
    } lost[] = {{"<pair geom1=\"a\" geom2=\"b\" friction=\".6\"/>", "the first of theirs"},
                {"<pair geom1=\"a\" geom2=\"b\" condim=\"4\"/>", "condim 4, 6"},
                {"<pair geom1=\"a\" geom2=\"b\" margin=\".01\"/>", "`margin`"},
                {"<pair geom1=\"a\" geom2=\"b\"/><pair geom1=\"b\" geom2=\"a\" condim=\"1\"/>", "another one of the same two"}};
    for (size_t i = 0; i < sizeof lost / sizeof *lost; i++) {
        myr_model *model = boxes("", "", "", lost[i].pair);
        scene_warned(model, WORDS(lost[i].word));
        assert_int_equal(scene_other_warnings(model), 1);
        assert_true(friction_of(model, "a", "b") == (i == 0 ? 0.6 : i == 3 ? 0.0 : 1.0));
        myr_model_free(model);
    }
    static const char open[] = "<mujoco><worldbody><body><freejoint/><geom name=\"a\" size=\".1\"/></body></worldbody><contact>\n";
    static const struct {
        const char *pair, *word;
    } refused[] = {{"<pair geom1=\"a\" geom2=\"c\"/>", "no geom `c`"},
                   {"<pair geom1=\"a\"/>", "`geom2` is missing"},
                   {"<pair geom1=\"a\" geom2=\"a\" condim=\"2\"/>", "condim is 2"},
                   {"<pair geom1=\"a\" geom2=\"a\" friction=\"-1\"/>", "friction is negative"},
                   {"<pair geom1=\"a\" geom2=\"a\" friction=\"x\"/>", "friction"}};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        char text[500];
        snprintf(text, sizeof text, "%s%s</contact></mujoco>", open, refused[i].pair);
        scene_refuse(text, MYR_ROOT_AUTO, MYR_E_FORMAT, 2, WORDS(refused[i].word));
    }
}

/* On a slope of 0.3: a box with friction 0.5 of its pair rests, with 0.1 it slides down at g (sin - mu cos), whatever its geoms say. */
static void a_box_slides_by_the_friction_of_its_pair(void **state) {
    (void)state;
    static const double slope = 0.3, frictions[] = {0.5, 0.1, 0.0}, time = 0.5;
    for (size_t i = 0; i < sizeof frictions / sizeof *frictions; i++) {
        char text[900];
        const double x = -sin(slope) * 1.1, z = cos(slope) * 1.1;
        snprintf(
            text, sizeof text,
            "<mujoco><compiler angle=\"radian\"/><worldbody><geom name=\"slope\" type=\"box\" size=\"5 5 1\" euler=\"0 %.17g 0\" "
            "pos=\"0 0 9\"/><body pos=\"%.17g 0 %.17g\" euler=\"0 %.17g 0\"><freejoint/><geom name=\"box\" type=\"box\" size=\".1 .1 .1\" "
            "friction=\"1\"/></body></worldbody><contact><pair geom1=\"box\" geom2=\"slope\" friction=\"%g %g\"/></contact></mujoco>",
            slope, -x, 9 + z, slope, frictions[i], frictions[i]);
        myr_model *model = scene_read(text);
        myr_settings settings = myr_settings_default();
        myr_batch *batch;
        double q[7];
        assert_int_equal(myr_settings_set(&settings, "precision", "f64"), MYR_OK);
        assert_int_equal(myr_settings_set(&settings, "dt", "0.001"), MYR_OK);
        assert_int_equal(myr_batch_create(model, 1, &settings, &batch), MYR_OK);
        assert_int_equal(myr_batch_step(batch, (int)(time / 0.001)), MYR_OK);
        assert_int_equal(myr_batch_get(batch, MYR_Q, NULL, 1, MYR_F64, q), MYR_OK);
        const double down = hypot(q[0] + x, q[2] - 9 - z), a = 9.81 * fmax(0, sin(slope) - frictions[i] * cos(slope));
        if (!(fabs(down - 0.5 * a * time * (time + 0.001)) < 1e-4))
            fail_msg("mu %g: slid %g, not %g", frictions[i], down, 0.5 * a * time * time);
        myr_batch_free(batch);
        myr_model_free(model);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(builders_have_words_on_friction),          cmocka_unit_test(wrong_words_are_refused),
        cmocka_unit_test(mjcf_is_read_as_mujoco_reads_it),          cmocka_unit_test(what_a_pair_loses_is_named),
        cmocka_unit_test(a_box_slides_by_the_friction_of_its_pair),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Which shapes of a robot may touch each other: MuJoCo's filters by small files, what is dropped because it cannot meet or is drawn so. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "model/gap.h"
#include "support/model_scene.h"
#include "myriapod/myriapod.h"

#define BALL(name, at) "<geom name=\"" name "\" type=\"sphere\" size=\"0.1\" pos=\"" at "\"/>"
#define MJCF(inside) "<mujoco model=\"m\">" inside "</mujoco>"
#define WORLD(inside) "<worldbody>" inside "</worldbody>"

static myr_model *load_self(const char *text, const char *label, myr_self_collision self) {
    myr_model *model = NULL;
    myr_load_options options = myr_load_options_default();
    options.self_collision = self;
    if (myr_model_open_text(text, strlen(text), label, &options, &model)) fail_msg("%s for\n%s", myr_message(), text);
    return model;
}

static int geom_of(const myr_model *model, const char *name) {
    int geom = -1;
    if (myr_model_find_geom(model, name, &geom)) fail_msg("%s", myr_message());
    return geom;
}

static int pair_of(const myr_model *model, const char *a, const char *b) {
    const int of[2] = {geom_of(model, a), geom_of(model, b)};
    myr_pair_info pair;
    for (int i = 0; myr_model_get_pair(model, i, &pair) == MYR_OK; i++)
        if ((pair.geom == of[0] && pair.other == of[1]) || (pair.geom == of[1] && pair.other == of[0])) return i;
    return -1;
}
static int may(const myr_model *model, const char *a, const char *b) { return pair_of(model, a, b) >= 0; }

static myr_model_info info_of(const myr_model *model) {
    myr_model_info info;
    myr_model_get_info(model, &info);
    return info;
}

/* ---- filters ---------------------------------------------------------------------------------- */

/* A fixed arm a - b - c - d with a ball each, one in the world; all lie in each other's reach. */
#define ARM(before, after)                                                                                                                 \
    MJCF(before WORLD(BALL("w", "0 0.5 1") "<body name=\"a\" pos=\"0 0 1\"><joint/>" BALL(                                                 \
        "ga", "0 0 0") "<body name=\"b\" pos=\".3 0 0\"><joint/>" BALL("gb",                                                               \
                                                                       "0 0 0") "<body name=\"c\" pos=\".3 0 "                             \
                                                                                "0\"><joint/>" BALL(                                       \
                                                                                    "gc",                                                  \
                                                                                    "0 0 0") "<body "                                      \
                                                                                             "name=\"d\" "                                 \
                                                                                             "pos=\".3 0 "                                 \
                                                                                             "0\"><joint/"                                 \
                                                                                             ">" BALL("gd",                                \
                                                                                                      "0 0 "                               \
                                                                                                      "0") "</body></body></body></body>") \
             after)

static void parents_and_children_pass(void **state) {
    (void)state;
    static const char *const names[] = {"w", "ga", "gb", "gc", "gd"};
    myr_model *model = load_self(ARM("", ""), "m.xml", MYR_SELF_ALL);
    for (int a = 0; a < 5; a++) /* the world does not count as a parent: w touches ga, too */
        for (int b = a + 1; b < 5; b++) assert_int_equal(may(model, names[a], names[b]), a == 0 || b != a + 1);
    const myr_model_info info = info_of(model);
    assert_int_equal(info.n_pairs, 7);
    assert_true(info.n_self_pairs == 7 && info.n_self_candidates == 7 && !info.n_dropped && info.self_collision == MYR_SELF_ALL);
    myr_model_free(model);
    model = load_self(ARM("<option><flag filterparent=\"disable\"/></option>", ""), "m.xml", MYR_SELF_ALL);
    assert_int_equal(info_of(model).n_pairs, 10);
    myr_model_free(model);
    model = load_self(ARM("", "<contact><exclude body1=\"d\" body2=\"a\"/><exclude body1=\"world\" body2=\"c\"/></contact>"), "m.xml",
                      MYR_SELF_ALL);
    assert_true(info_of(model).n_pairs == 5 && !may(model, "ga", "gd") && !may(model, "w", "gc"));
    myr_model_free(model);
    model = load_self(ARM("", ""), "m.xml", MYR_SELF_OFF);
    assert_true(info_of(model).n_pairs == 0 && info_of(model).self_collision == MYR_SELF_OFF);
    myr_model_free(model);
}

/* What is welded is one body; what has several joints is one body, too, and its parent is the parent of the first of them. */
static void welds_and_chains_are_one_body(void **state) {
    (void)state;
    myr_model *model =
        load_self(MJCF(WORLD("<body name=\"a\" pos=\"0 0 1\"><freejoint/>" BALL("ga", "0 0 0") "<body name=\"hand\" pos=\".2 0 0\">" BALL(
                      "gh", "0 0 0") "<body name=\"b\" pos=\".3 0 0\"><joint axis=\"1 0 0\"/><joint axis=\"0 1 0\" pos=\"0 0 "
                                     ".1\"/>" BALL("gb", "0 0 0") "<body name=\"c\" pos=\".3 0 0\"><joint axis=\"0 0 1\"/><joint "
                                                                  "axis=\"0 1 0\"/>" BALL("gc", "0 0 0") "</body></body></body></body>")),
                  "m.xml", MYR_SELF_ALL);
    assert_true(!may(model, "ga", "gh") && !may(model, "ga", "gb") && !may(model, "gh", "gb") && !may(model, "gb", "gc"));
    assert_true(may(model, "ga", "gc") && may(model, "gh", "gc"));
    assert_int_equal(info_of(model).n_pairs, 2);
    myr_model_free(model);
}

/* Either's contype with the other's conaffinity. What touches no ground is there for what else it touches. */
static void masks_count(void **state) {
    (void)state;
    static const char text[] = MJCF(WORLD("<geom type=\"plane\" size=\"1 1 1\"/><body name=\"a\" pos=\"0 0 1\"><freejoint/>"
                                          "<geom name=\"ga\" type=\"sphere\" size=\".1\" contype=\"2\" conaffinity=\"4\"/>"
                                          "<body name=\"b\" pos=\".3 0 0\"><joint/><body name=\"c\" pos=\".3 0 0\"><joint/>"
                                          "<geom name=\"gc\" type=\"sphere\" size=\".1\" contype=\"1\" conaffinity=\"2\"/>"
                                          "<geom name=\"gx\" type=\"sphere\" size=\".1\" contype=\"2\" conaffinity=\"8\"/>"
                                          "<geom name=\"visual\" type=\"sphere\" size=\".1\" contype=\"0\" conaffinity=\"0\"/>"
                                          "<inertial pos=\"0 0 0\" mass=\"1\" diaginertia=\"1 1 1\"/></body><inertial pos=\"0 0 0\" "
                                          "mass=\"1\" diaginertia=\"1 1 1\"/></body></body>"));
    myr_model *model = load_self(text, "m.xml", MYR_SELF_ALL);
    myr_geom_info geom;
    assert_int_equal(info_of(model).n_geoms, 2);
    scene_warned(model,
                 (const char *const[]){"collision shapes that do not act yet are skipped", "gx", NULL}); /* it meets nothing at all */
    assert_true(may(model, "ga", "gc"));
    for (int g = 0; g < 2; g++) {
        assert_int_equal(myr_model_get_geom(model, g, &geom), MYR_OK);
        assert_int_equal(geom.n_slots, strcmp(geom.name, "gc") == 0); /* the plane has 1 and 1 */
    }
    myr_model_free(model);
    model = load_self(text, "m.xml", MYR_SELF_OFF); /* ga, which touches no ground, is then skipped, too */
    scene_warned(model, (const char *const[]){"collision shapes that do not act yet are skipped", NULL});
    assert_int_equal(info_of(model).n_geoms, 1);
    myr_model_free(model);
}

static double friction_of(const myr_model *model, const char *a, const char *b) {
    myr_pair_info pair;
    myr_slot_info slot;
    assert_int_equal(myr_model_get_pair(model, pair_of(model, a, b), &pair), MYR_OK);
    assert_int_equal(myr_model_get_slot(model, pair.slot, &slot), MYR_OK);
    return slot.friction;
}

/* <pair> acts whatever masks, parents, exclusions and the option say, with its own friction, which is 1 unless said (MuJoCo's law). */
static void pairs_that_are_asked_for(void **state) {
    (void)state;
#define GEOM(name, more) "<geom name=\"" name "\" type=\"sphere\" size=\".1\" " more "/>"
    static const char text[] = MJCF(WORLD(
        "<geom name=\"floor\" type=\"plane\" size=\"1 1 1\" friction=\".9\"/><body name=\"a\" pos=\"0 0 1\"><freejoint/>" GEOM(
            "ga", "friction=\".3\"") GEOM("high", "friction=\".2\" priority=\"1\"")
            GEOM("mute", "contype=\"0\" conaffinity=\"0\"") "<body name=\"b\" pos=\".3 0 0\"><joint/>" GEOM(
                "gb", "friction=\".5\"") "<body name=\"c\" pos=\".3 0 0\"><joint/>" GEOM("gc", "friction=\".4\"")
                GEOM("slick", "condim=\"1\" friction=\".7\"")
                    GEOM("ice",
                         "condim=\"1\" priority=\"2\"") "</body></body></body>") "<contact><pair geom1=\"gb\" geom2=\"ga\" friction=\".25 "
                                                                                 ".25\"/><exclude body1=\"a\" body2=\"c\"/>"
                                                                                 "<pair geom1=\"ga\" geom2=\"gc\"/><pair geom1=\"mute\" "
                                                                                 "geom2=\"gc\"/><pair geom1=\"high\" geom2=\"gc\"/><pair "
                                                                                 "geom1=\"ga\" geom2=\"slick\"/>"
                                                                                 "<pair geom1=\"ga\" geom2=\"ice\"/><pair geom1=\"mute\" "
                                                                                 "geom2=\"floor\"/></contact>");
    for (myr_self_collision self = MYR_SELF_OFF; self <= MYR_SELF_ALL; self++) {
        myr_model *model = load_self(text, "m.xml", self);
        myr_geom_info geom;
        assert_int_equal(info_of(model).n_pairs, 6);
        assert_int_equal(info_of(model).n_self_candidates, 0);
        assert_true(friction_of(model, "ga", "gb") == 0.25 && friction_of(model, "ga", "gc") == 1.0);
        assert_true(friction_of(model, "high", "gc") == 1.0 && friction_of(model, "ga", "slick") == 1.0);
        assert_true(friction_of(model, "ga", "ice") == 1.0 && may(model, "mute", "gc"));
        assert_int_equal(myr_model_get_geom(model, geom_of(model, "mute"), &geom), MYR_OK);
        assert_int_equal(geom.n_slots, 1);
        assert_true(geom.friction == 1.0);
        myr_model_free(model);
    }
    myr_model *model = NULL;
    static const char wrong[] =
        MJCF(WORLD("<body><joint/>" BALL("g", "0 0 0") "</body>") "<contact><pair geom1=\"g\" geom2=\"h\"/></contact>");
    assert_int_equal(myr_model_load_text(wrong, strlen(wrong), "m.xml", MYR_ROOT_AUTO, &model), MYR_E_FORMAT);
    assert_non_null(strstr(myr_message(), "no geom `h`"));
}

#define BODY(name)                                                                                                                         \
    "<link name='" name "'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>"               \
    "<collision name='g" name "'><geometry><sphere radius='0.1'/></geometry></collision></link>"
#define HINGE(type, parent, child, at)                                                                                                     \
    "<joint name='" parent child "' type='" type "'><parent link='" parent "'/><child link='" child "'/><origin xyz='" at "'/></joint>"

/* Off until asked. The base that a fixed robot stands on is the parent of what hangs on it, what is fixed to the base likewise. */
static void urdf_touches_when_asked(void **state) {
    (void)state;
    static const char text[] = "<robot name='r'>" BODY("base") BODY("plate") BODY("a") BODY("b") BODY("c")
        HINGE("fixed", "base", "plate", "0 0 -.1") HINGE("continuous", "plate", "a", "0 0 .3") HINGE("continuous", "a", "b", ".3 0 0")
            HINGE("continuous", "b", "c", ".3 0 0") "</robot>";
    const int candidates[] = {0, 0, 5, 5}; /* by self-collision, beginning with that of the file; base and plate with b and c, a with c */
    for (myr_root root = MYR_ROOT_FLOATING; root <= MYR_ROOT_FIXED; root++)
        for (int self = MYR_SELF_BY_FILE; self <= MYR_SELF_ALL; self++) {
            myr_model *model = NULL;
            myr_load_options options = myr_load_options_default();
            options.root = root, options.self_collision = (myr_self_collision)self;
            assert_int_equal(myr_model_open_text(text, strlen(text), "r.urdf", &options, &model), MYR_OK);
            const myr_model_info info = info_of(model);
            assert_int_equal(info.self_collision, self == MYR_SELF_BY_FILE ? MYR_SELF_OFF : self);
            assert_int_equal(info.n_self_candidates, candidates[self]);
            if (self == MYR_SELF_ALL)
                assert_true(!may(model, "gbase", "gplate") && !may(model, "gplate", "ga") && !may(model, "gbase", "ga") &&
                            may(model, "ga", "gc"));
            myr_model_free(model);
        }
}

/* Between trees of which one is free nothing is dropped, whatever the option; among those fixed to the world it is as within one. */
static void trees_that_are_free_keep_their_pairs(void **state) {
    (void)state;
    static const char text[] = MJCF(WORLD(BALL("w", "9 0 1") "<body name=\"a\" pos=\"0 0 1\"><joint/>" BALL(
        "ga", ".1 0 0") "</body><body name=\"b\" pos=\"5 0 1\"><joint/>" BALL("gb", ".1 0 0") "</body><body name=\"f\" pos=\"0 5 "
                                                                                              "1\"><freejoint/>" BALL("gf",
                                                                                                                      "0 0 0") "</body>"));
    const int pairs[] = {0, 3, 3, 6}; /* f with a, b and w; a with b and both with w are never near */
    for (int self = MYR_SELF_OFF; self <= MYR_SELF_ALL; self++) {
        myr_model *model = load_self(text, "m.xml", (myr_self_collision)self);
        assert_int_equal(info_of(model).n_pairs, pairs[self]);
        assert_int_equal(info_of(model).n_far, self == MYR_SELF_AUTO ? 3 : 0);
        myr_model_free(model);
    }
}

/* ---- what can meet ------------------------------------------------------------------------------ */

/* Distance of the tip from the first joint, both joints at their limit L of an arm of links 1, 1 and 0.9. */
static double folded(double first, double second) {
    return hypot(1 + cos(first) + 0.9 * cos(first + second), sin(first) + 0.9 * sin(first + second));
}

/* Nearest where both joints are at the same limit: a corner that no random pose hits. */
static void an_arm_reaches_as_far_as_it_folds(void **state) {
    (void)state;
    const double wanted[] = {0.2105, 0.2095}; /* the balls' radii, 1 cm, and half a millimetre to either side */
    for (int near = 0; near < 2; near++) {
        double low = 1.5, high = 2.05;
        for (int k = 0; k < 60; k++) {
            const double middle = 0.5 * (low + high);
            *(folded(middle, middle) > wanted[near] ? &low : &high) = middle;
        }
        for (int i = -100; i <= 100; i++) /* nowhere else is it nearer */
            for (int j = -100; j <= 100; j++) assert_true(folded(low * i / 100, low * j / 100) > wanted[near] - 1e-9);
        char text[1500];
        snprintf(
            text, sizeof text,
            MJCF("<compiler angle=\"radian\"/><default><joint axis=\"0 0 1\" range=\"%.17g %.17g\"/></default>" WORLD(
                "<body name=\"a\" pos=\"0 0 1\"><freejoint/>" BALL(
                    "ga", "0 0 0") "<body name=\"b\" pos=\"1 0 0\"><joint/>"
                                   "<inertial pos=\"0 0 0\" mass=\"1\" diaginertia=\"1 1 1\"/><body name=\"c\" pos=\"1 0 0\"><joint/>" BALL(
                                       "gc", ".9 0 0") "</body></body></body>")),
            -low, low);
        myr_model *model = load_self(text, "m.xml", MYR_SELF_AUTO);
        const myr_model_info info = info_of(model);
        assert_true(info.n_self_candidates == 1 && info.n_pairs == near && info.n_dropped == !near && info.n_far == !near);
        if (!near) {
            myr_dropped_info dropped;
            assert_int_equal(myr_model_get_dropped(model, 0, &dropped), MYR_OK);
            assert_int_equal(dropped.reason, MYR_DROPPED_FAR);
            assert_true(fabs(dropped.gap_m - 0.0105) < 1e-5);
            assert_int_equal(myr_model_get_dropped(model, 1, &dropped), MYR_E_ARG);
        }
        myr_model_free(model);
    }
}

/* A slider of a range ends where it ends; one without goes anywhere. A ball joint turns every way. */
static void sliders_and_ball_joints(void **state) {
    (void)state;
    static const struct {
        const char *joint;
        int meets;
    } cases[] = {{"type=\"slide\" axis=\"0 1 0\" range=\"-1 1.78\"", 0},
                 {"type=\"slide\" axis=\"0 1 0\" range=\"-1 1.795\"", 1},
                 {"type=\"slide\" axis=\"0 1 0\"", 1},
                 {"type=\"slide\" axis=\"1 0 0\" range=\"-2 2\"", 0},
                 {"type=\"ball\" pos=\"0 1 0\"", 1},
                 {"type=\"ball\" pos=\"0 .5 0\"", 0},
                 {"type=\"hinge\" axis=\"0 0 1\" pos=\"0 1 0\"", 1},
                 {"type=\"hinge\" axis=\"0 1 0\" pos=\"0 1 0\"", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[800];
        snprintf(text, sizeof text,
                 MJCF(WORLD(BALL("w", "0 2 1") "<body name=\"a\" pos=\"0 0 1\"><joint %s/>" BALL("g", "0 0 0") "</body>")), cases[i].joint);
        myr_model *model = load_self(text, "m.xml", MYR_SELF_AUTO);
        if (may(model, "w", "g") != cases[i].meets) fail_msg("<joint %s/>: %d pairs", cases[i].joint, info_of(model).n_pairs);
        myr_model_free(model);
    }
}

/* A shoulder that is drawn into its upper arm overlaps wherever the arm is. What overlaps as it is drawn, but can come apart, stays. */
static void what_is_drawn_so_is_dropped(void **state) {
    (void)state;
#define SHOULDER(range)                                                                                                                    \
    MJCF(WORLD("<body name=\"a\" pos=\"0 0 1\"><freejoint/><geom name=\"ga\" type=\"box\" size=\".1 .1 .1\"/><body name=\"b\"><joint/>"    \
               "<inertial pos=\"0 0 0\" mass=\"1\" diaginertia=\"1 1 1\"/><body name=\"c\"><joint axis=\"0 1 0\" " range "/>"              \
               "<geom name=\"gc\" type=\"capsule\" fromto=\".17 0 0 .8 0 0\" size=\".08\"/></body></body></body>"))
    myr_model *model = load_self(SHOULDER(""), "m.xml", MYR_SELF_AUTO);
    myr_dropped_info dropped;
    scene_warned(model, (const char *const[]){"1 pair of shapes overlaps at home, by up to 10 mm, as in all poses", "a - c", NULL});
    assert_int_equal(info_of(model).n_overlapping, 1);
    assert_int_equal(info_of(model).n_pairs, 0);
    assert_int_equal(myr_model_get_dropped(model, 0, &dropped), MYR_OK);
    assert_int_equal(dropped.reason, MYR_DROPPED_OVERLAP);
    assert_true(dropped.share == 1.0 && fabs(dropped.gap_m + 0.01) < 1e-6);
    myr_model_free(model);
    static const char apart[] = MJCF(WORLD("<body name=\"a\" pos=\"0 0 1\"><freejoint/>" BALL(
        "ga",
        "0 0 0") "<body name=\"b\"><joint axis=\"0 0 1\"/>"
                 "<inertial pos=\"0 0 0\" mass=\"1\" diaginertia=\"1 1 1\"/><body name=\"c\"><joint axis=\"1 0 0\" pos=\".17 1 0\"/>" BALL(
                     "gc", ".17 0 0") "</body></body></body>"));
    model = load_self(apart, "m.xml", MYR_SELF_AUTO);
    scene_warned(model, (const char *const[]){"1 pair of shapes overlaps at home, by up to 30 mm, and touch", "a - c", NULL});
    assert_int_equal(info_of(model).n_pairs, 1);
    myr_model_free(model);
}

/* ---- the list ------------------------------------------------------------------------------------ */

static void the_list_is_part_of_the_model(void **state) {
    (void)state;
    uint64_t hash[4];
    for (int self = MYR_SELF_BY_FILE; self <= MYR_SELF_ALL; self++) {
        myr_model *model = load_self(ARM("<default><joint range=\"-60 60\"/></default>", ""), "m.xml", (myr_self_collision)self),
                  *again = load_self(ARM("<default><joint range=\"-60 60\"/></default>", ""), "m.xml", (myr_self_collision)self);
        hash[self] = myr_model_hash(model);
        assert_true(hash[self] == myr_model_hash(again));
        const myr_model_info info = info_of(model);
        assert_int_equal(info.n_self_candidates, info.n_self_pairs + info.n_dropped);
        for (int i = 0; i < info.n_dropped; i++) {
            myr_dropped_info one, other;
            assert_int_equal(myr_model_get_dropped(model, i, &one), MYR_OK);
            assert_int_equal(myr_model_get_dropped(again, i, &other), MYR_OK);
            assert_true(one.geom == other.geom && one.other == other.other && one.gap_m == other.gap_m && one.share == other.share);
        }
        myr_model_free(model);
        myr_model_free(again);
    }
    assert_true(hash[MYR_SELF_AUTO] != hash[MYR_SELF_OFF] && hash[MYR_SELF_AUTO] != hash[MYR_SELF_ALL]);
    assert_true(hash[MYR_SELF_OFF] != hash[MYR_SELF_ALL] && (hash[0] == hash[MYR_SELF_AUTO] || hash[0] == hash[MYR_SELF_OFF]));
}

/* chain-N and robots from C calls are off until asked; a word on a pair is the last. */
static void builders_are_off_until_asked(void **state) {
    (void)state;
    static const double at[3] = {0.1, 0, 0};
    for (int self = -1; self <= MYR_SELF_ALL; self++) {
        myr_builder *builder = scene_builder();
        int body = -1, geom[4];
        for (int i = 0; i < 4; i++) {
            char name[8];
            snprintf(name, sizeof name, "b%d", i);
            myr_geom_def def = myr_geom_def_default();
            body = scene_body(builder, name, body, i ? MYR_JOINT_REVOLUTE : MYR_JOINT_FREE, 0.2, 0, 0);
            def.body = body, def.size_m[0] = 0.05;
            memcpy(def.position_m, at, sizeof at);
            assert_int_equal(myr_builder_geom(builder, &def, &geom[i]), MYR_OK);
        }
        if (self >= 0) assert_int_equal(myr_builder_self_collision(builder, (myr_self_collision)self), MYR_OK);
        assert_int_equal(myr_builder_pair(builder, geom[0], geom[2], 0), MYR_OK);
        myr_model *model = scene_compile(builder);
        assert_int_equal(info_of(model).n_self_candidates, self >= MYR_SELF_AUTO ? 2 : 0);
        myr_model_free(model);
        myr_builder_free(builder);
    }
    myr_model *model = NULL;
    myr_load_options options = myr_load_options_default();
    options.self_collision = MYR_SELF_AUTO;
    assert_int_equal(myr_model_open("chain-8", &options, &model), MYR_OK);
    assert_true(info_of(model).n_self_candidates > 0);
    myr_model_free(model);
}

static void what_does_not_exist_is_refused(void **state) {
    (void)state;
    myr_load_options options = myr_load_options_default();
    myr_model *model = NULL;
    myr_builder *builder = scene_builder();
    for (int wrong = -1; wrong <= 4; wrong += 5) {
        options.self_collision = (myr_self_collision)wrong;
        assert_int_equal(myr_model_open("anymal", &options, &model), MYR_E_ARG);
        assert_non_null(strstr(myr_message(), "self_collision"));
        assert_int_equal(myr_builder_self_collision(builder, (myr_self_collision)wrong), MYR_E_ARG);
    }
    assert_int_equal(myr_builder_self_collision(NULL, MYR_SELF_AUTO), MYR_E_ARG);
    myr_dropped_info dropped;
    assert_int_equal(myr_model_get_dropped(NULL, 0, &dropped), MYR_E_ARG);
    myr_builder_free(builder);
}

/* Nearly 500 links in a row: more pairs than are tried; the message says what to do. */
static void too_many_pairs_are_refused(void **state) {
    (void)state;
    myr_builder *builder = scene_builder();
    myr_model *model = NULL;
    int body = -1;
    for (int i = 0; i < 600; i++) {
        char name[8];
        snprintf(name, sizeof name, "b%d", i);
        myr_geom_def def = myr_geom_def_default();
        body = scene_body(builder, name, i ? 0 : -1, i ? MYR_JOINT_REVOLUTE : MYR_JOINT_FREE, 0.2 * i, 0, 0);
        def.body = body, def.size_m[0] = 0.05;
        assert_int_equal(myr_builder_geom(builder, &def, NULL), MYR_OK);
    }
    assert_int_equal(myr_builder_self_collision(builder, MYR_SELF_AUTO), MYR_OK);
    assert_int_equal(myr_builder_compile(builder, &model), MYR_E_LIMIT);
    assert_non_null(strstr(myr_message(), "pairs of geoms may touch"));
    assert_null(model);
    myr_builder_free(builder);
}

/* ---- the distance ------------------------------------------------------------------------------- */

static myr_shape shape_at(myr_geom *geom, double x, double y, double z) {
    myr_shape shape;
    myr_identity3(geom->rotation);
    myr_shape_make(geom, NULL, &shape);
    shape.pose = myr_pose_identity();
    shape.pose.position[0] = x, shape.pose.position[1] = y, shape.pose.position[2] = z;
    return shape;
}

static void distances_are_those_of_closed_forms(void **state) {
    (void)state;
    double corners[24];
    for (int k = 0; k < 24; k++) corners[k] = (k / 3 >> k % 3 & 1) ? 0.3 : -0.3;
    myr_geom ball = {.type = MYR_GEOM_SPHERE, .size = {0.2}}, box = {.type = MYR_GEOM_BOX, .size = {0.3, 0.3, 0.3}},
             hull = {.type = MYR_GEOM_HULL, .points = corners, .n_points = 8}, can = {.type = MYR_GEOM_CYLINDER, .size = {0.3, 0.5}},
             rod = {.type = MYR_GEOM_CAPSULE, .size = {0.1, 0.5}};
    const struct {
        myr_geom *a, *b;
        double at[3], gap;
    } cases[] = {{&ball, &ball, {1, 2, 2}, 2.6},
                 {&ball, &box, {1, 0.1, -0.2}, 0.5},
                 {&ball, &box, {1, 1, 1}, 0.7 * sqrt(3) - 0.2},
                 {&ball, &hull, {1, 1, 1}, 0.7 * sqrt(3) - 0.2},
                 {&box, &hull, {0.1, 0.2, 0.7}, 0.1},
                 {&box, &box, {0.1, 0.2, 0.5}, -0.1},
                 {&hull, &box, {0.1, -0.52, 0.2}, -0.08},
                 {&can, &can, {0, 0.4, 0.1}, -0.2},
                 {&can, &can, {3, 4, 0.2}, 4.4},
                 {&can, &ball, {0.1, 0, 0.65}, -0.05},
                 {&rod, &rod, {0.1, 0, 0.2}, -0.1},
                 {&rod, &can, {0, 2, 0.7}, 1.6},
                 {&rod, &box, {0.35, 0, 0}, -0.05}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const myr_shape a = shape_at(cases[i].a, cases[i].at[0], cases[i].at[1], cases[i].at[2]), b = shape_at(cases[i].b, 0, 0, 0);
        for (int swap = 0; swap < 2; swap++) {
            myr_gap found;
            myr_shape_gap(swap ? &b : &a, swap ? &a : &b, INFINITY, &found);
            const double overlap = myr_shape_overlap(swap ? &b : &a, swap ? &a : &b);
            if (cases[i].gap > 0 ? fabs(found.gap - cases[i].gap) > 1e-6 || overlap > 0
                                 : found.gap > 0 || fabs(overlap + cases[i].gap) > 1e-6)
                fail_msg("case %zu: %.9g, overlap %.9g, not %.9g", i, found.gap, overlap, cases[i].gap);
            myr_shape_gap(swap ? &b : &a, swap ? &a : &b, 0.5 * cases[i].gap, &found);
            if (cases[i].gap > 0) assert_true(found.is_bound && found.gap > 0.5 * cases[i].gap && found.gap < cases[i].gap + 1e-6);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parents_and_children_pass),
        cmocka_unit_test(welds_and_chains_are_one_body),
        cmocka_unit_test(masks_count),
        cmocka_unit_test(pairs_that_are_asked_for),
        cmocka_unit_test(urdf_touches_when_asked),
        cmocka_unit_test(trees_that_are_free_keep_their_pairs),
        cmocka_unit_test(an_arm_reaches_as_far_as_it_folds),
        cmocka_unit_test(sliders_and_ball_joints),
        cmocka_unit_test(what_is_drawn_so_is_dropped),
        cmocka_unit_test(the_list_is_part_of_the_model),
        cmocka_unit_test(builders_are_off_until_asked),
        cmocka_unit_test(what_does_not_exist_is_refused),
        cmocka_unit_test(too_many_pairs_are_refused),
        cmocka_unit_test(distances_are_those_of_closed_forms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

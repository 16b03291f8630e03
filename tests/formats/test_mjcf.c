/* MJCF: what acts, by small files whose answers are known; what is lost, by name; what is wrong, by file, line and element. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/model_scene.h"
#include "myriapod/myriapod.h"

#define WRAP(inside) "<mujoco model=\"m\"><worldbody>" inside "</worldbody></mujoco>"
#define BALL "<geom type=\"sphere\" size=\"0.1\"/>"

static myr_model *load_as(const char *text, myr_load_options options) {
    myr_model *model = NULL;
    if (myr_model_open_text(text, strlen(text), "robot.xml", &options, &model)) fail_msg("%s for\n%s", myr_message(), text);
    return model;
}
static myr_model *load(const char *text) { return scene_read(text); }

/* ---- what acts -------------------------------------------------------------------------------- */

static void classes_count_from_the_nearest(void **state) {
    (void)state;
    myr_model *model =
        load("<mujoco><default><joint damping=\"1\" armature=\"0.1\"/><geom friction=\"0.3\"/>"
             "<default class=\"a\"><joint damping=\"2\"/><default class=\"b\"><joint damping=\"3\"/></default></default></default>"
             "<worldbody><body name=\"x\" childclass=\"a\"><joint name=\"jx\"/>" BALL
             "<body name=\"y\"><joint name=\"jy\" class=\"b\"/>" BALL "<body name=\"z\" childclass=\"main\"><joint name=\"jz\" "
             "armature=\"0.5\"/>" BALL "</body></body></body></worldbody></mujoco>");
    const double damping[] = {2, 3, 1}, armature[] = {0.1, 0.1, 0.5};
    for (int i = 0; i < 3; i++) {
        myr_joint_info info;
        assert_int_equal(myr_model_get_joint(model, i, &info), MYR_OK);
        assert_true(info.damping == damping[i] && info.armature == armature[i]);
    }
    myr_geom_info geom;
    assert_int_equal(myr_model_get_geom(model, 0, &geom), MYR_OK);
    assert_true(geom.friction == 0.3);
    myr_model_free(model);
}

/* Of one body, in their order: the second turns with the first. M by hand: a point mass at (1, 0, 0) from both axes. */
static void several_joints_make_a_chain(void **state) {
    (void)state;
    myr_model *model = load(WRAP("<body name=\"b\"><joint name=\"s\" type=\"slide\" axis=\"1 0 0\"/><joint name=\"h\" axis=\"0 0 1\"/>"
                                 "<inertial pos=\"1 0 0\" mass=\"2\" diaginertia=\"0.1 0.1 0.1\"/></body>"));
    myr_model_info info;
    myr_model_get_info(model, &info);
    assert_int_equal(info.nv, 2);
    const double q[] = {0.5, acos(-1) / 2};
    double M[4];
    myr_settings settings = myr_settings_default();
    const myr_evaluation evaluation = {.n = 1, .q = q, .M = M};
    assert_int_equal(myr_settings_set(&settings, "precision", "f64"), MYR_OK);
    assert_int_equal(myr_evaluate(model, &settings, &evaluation), MYR_OK);
    assert_true(fabs(M[0] - 2) < 1e-12 && fabs(M[1] + 2) < 1e-12 && fabs(M[3] - 2.1) < 1e-12);
    myr_joint_info joint;
    assert_int_equal(myr_model_get_joint(model, 0, &joint), MYR_OK);
    assert_string_equal(joint.body, "b.s");
    assert_int_equal(myr_model_get_joint(model, 1, &joint), MYR_OK);
    assert_string_equal(joint.body, "b");
    myr_model_free(model);
}

static void frame_at(const myr_model *model, const char *name, const double *q, double at[3]) {
    myr_model_info info;
    myr_model_get_info(model, &info);
    double *places = calloc(3 * (size_t)info.n_frames, sizeof *places);
    myr_settings settings = myr_settings_default();
    assert_int_equal(myr_settings_set(&settings, "precision", "f64"), MYR_OK);
    const myr_evaluation evaluation = {.n = 1, .q = q, .frame_position = places};
    assert_int_equal(myr_evaluate(model, &settings, &evaluation), MYR_OK);
    int found = 0;
    for (int f = 0; f < info.n_frames; f++)
        if (strcmp(myr_model_frame_name(model, f), name) == 0) memcpy(at, places + 3 * f, 3 * sizeof *at), found = 1;
    assert_true(found);
    free(places);
}

/* A hinge at (0, 1, 0) of its body, `ref` of 90 degrees: drawn so at 90, and at 0 turned back about the hinge. */
static void anchors_and_references_shift_the_joint(void **state) {
    (void)state;
    myr_model *model =
        load(WRAP("<body name=\"b\" pos=\"0 0 1\"><joint name=\"h\" pos=\"0 1 0\" axis=\"0 0 1\" ref=\"90\"/>" BALL "</body>"));
    double at[3], home[1];
    const double zero[] = {0};
    myr_model_home(model, home);
    assert_true(fabs(home[0] - acos(-1) / 2) < 1e-15);
    frame_at(model, "b", home, at);
    assert_true(fabs(at[0]) < 1e-12 && fabs(at[1]) < 1e-12 && fabs(at[2] - 1) < 1e-12);
    frame_at(model, "b", zero, at);
    assert_true(fabs(at[0] + 1) < 1e-12 && fabs(at[1] - 1) < 1e-12);
    myr_model_free(model);
}

static void keyframes_say_where_home_is(void **state) {
    (void)state;
    myr_model *model =
        load("<mujoco><worldbody><body name=\"b\" pos=\"0 0 3\"><freejoint/>" BALL "<body name=\"c\"><joint name=\"h\"/>" BALL
             "</body></body></worldbody><keyframe><key name=\"one\" qpos=\"0 0 1 1 0 0 0 0.1\"/>"
             "<key name=\"home\" qpos=\"1 2 3 2 0 0 0 0.2\"/></keyframe></mujoco>");
    const double wanted[] = {1, 2, 3, 1, 0, 0, 0, 0.2};
    double home[8];
    myr_model_home(model, home);
    for (int k = 0; k < 8; k++) assert_true(fabs(home[k] - wanted[k]) < 1e-15);
    myr_model_free(model);
}

/* Principal moments are bounded and balanced, whatever axes they are given in: here 1, 2 and 9 about axes turned by 45 degrees about z. */
static void inertias_are_repaired(void **state) {
    (void)state;
    static const char text[] =
        "<mujoco><compiler %s/><worldbody><body name=\"b\" pos=\"0 0 1\"><freejoint/><inertial mass=\"1\" pos=\"0 0 0\" "
        "fullinertia=\"1.5 1.5 9 -0.5 0 0\"/></body></worldbody></mujoco>";
    static const struct {
        const char *words;
        double wanted[6]; /* xx yy zz xy xz yz */
    } cases[] = {{"", {1.5, 1.5, 9, -0.5, 0, 0}},
                 {"boundinertia=\"1.5\"", {1.75, 1.75, 9, -0.25, 0, 0}},
                 {"balanceinertia=\"true\"", {4, 4, 4, 0, 0, 0}},
                 {"balanceinertia=\"true\" boundinertia=\"8\"", {8, 8, 9, 0, 0, 0}}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char file[500];
        snprintf(file, sizeof file, text, cases[k].words);
        myr_model *model = load(file);
        myr_body_info body;
        assert_int_equal(myr_model_get_body(model, 0, &body), MYR_OK);
        for (int i = 0; i < 6; i++)
            if (!(fabs(body.inertia_kgm2[i] - cases[k].wanted[i]) < 1e-14))
                fail_msg("%s: %d is %.17g", cases[k].words, i, body.inertia_kgm2[i]);
        myr_model_free(model);
    }
}

static void frames_and_copies_are_where_they_should_be(void **state) {
    (void)state;
    myr_model *model = load(WRAP("<frame pos=\"1 0 0\" euler=\"0 0 90\"><body name=\"f\" pos=\"1 0 0\"><joint/>" BALL "</body></frame>"
                                 "<replicate count=\"3\" offset=\"0 0 1\" sep=\"-\"><body name=\"r\" pos=\"5 0 0\"><joint name=\"j\"/>" BALL
                                 "</body></replicate>"));
    double at[3];
    const double q[4] = {0, 0, 0, 0};
    frame_at(model, "f", q, at);
    assert_true(fabs(at[0] - 1) < 1e-12 && fabs(at[1] - 1) < 1e-12);
    frame_at(model, "r-2", q, at);
    assert_true(fabs(at[0] - 5) < 1e-12 && fabs(at[2] - 2) < 1e-12);
    myr_model_free(model);
}

/* A joint in a frame is the body's, and comes before those of the bodies that the body carries, though it stands behind them. */
static void joints_in_frames_are_the_bodys(void **state) {
    (void)state;
    static const char *const wanted[] = {"a", "b", "c"};
    myr_model *model = load(WRAP("<body name=\"one\"><joint name=\"a\"/>" BALL "<body name=\"two\"><joint name=\"c\"/>" BALL
                                 "</body><frame euler=\"0 90 0\"><joint name=\"b\"/></frame></body>"));
    myr_joint_info info;
    for (int i = 0; i < 3; i++) {
        assert_int_equal(myr_model_get_joint(model, i, &info), MYR_OK);
        assert_string_equal(info.name, wanted[i]);
        assert_string_equal(info.body, i == 0 ? "one.a" : i == 1 ? "one" : "two");
    }
    double M[9];
    const double q[3] = {0, 0, 0};
    myr_settings settings = myr_settings_default();
    const myr_evaluation evaluation = {.n = 1, .q = q, .M = M};
    assert_int_equal(myr_settings_set(&settings, "precision", "f64"), MYR_OK);
    assert_int_equal(myr_evaluate(model, &settings, &evaluation), MYR_OK);
    assert_true(fabs(M[1]) < 1e-12 && fabs(M[5]) < 1e-12 && M[2] > 1e-3); /* b is across a and c, which are along each other */
    myr_model_free(model);
}

/* Geoms weigh: a capsule by its volume, one by its mass; the sum of both set from outside. */
static void geoms_weigh(void **state) {
    (void)state;
    const double pi = acos(-1), volume = pi * 0.01 * (0.4 + 4.0 / 30);
    myr_model_info info;
    myr_model *model = load(WRAP("<body><joint/><geom type=\"capsule\" size=\"0.1 0.2\"/></body>"
                                 "<body><joint/><geom type=\"box\" size=\"1 1 1\" mass=\"3\" contype=\"0\" conaffinity=\"0\"/></body>"));
    myr_model_get_info(model, &info);
    assert_true(fabs(info.mass_kg - (1000 * volume + 3)) < 1e-12);
    assert_int_equal(info.n_geoms, 1);
    myr_model_free(model);
    model = load("<mujoco><compiler settotalmass=\"7\"/><worldbody><body><joint/>" BALL "</body><body><joint/>" BALL
                 "</body></worldbody></mujoco>");
    myr_model_get_info(model, &info);
    assert_true(fabs(info.mass_kg - 7) < 1e-12);
    myr_model_free(model);
}

static void equalities_become_loops_and_couplings(void **state) {
    (void)state;
    myr_model *model =
        load("<mujoco><worldbody><body name=\"a\"><joint name=\"ja\" axis=\"0 1 0\"/><geom type=\"capsule\" fromto=\"0 0 0 1 0 0\" "
             "size=\"0.05\"/>"
             "</body><body name=\"b\" pos=\"2 0 0\"><joint name=\"jb\" axis=\"0 1 0\"/><geom type=\"capsule\" fromto=\"0 0 0 -1 0 0\" "
             "size=\"0.05\"/></body>"
             "<body name=\"c\" pos=\"0 3 0\"><joint name=\"jc\"/>" BALL
             "</body></worldbody><equality><connect body1=\"a\" body2=\"b\" anchor=\"1 0 0\"/>"
             "<joint joint1=\"jc\" joint2=\"ja\" polycoef=\"0.1 2 0 0 0\"/><weld body1=\"a\" active=\"false\"/></equality></mujoco>");
    myr_model_info info;
    myr_loop_info loop;
    double home[3];
    myr_model_get_info(model, &info);
    assert_int_equal(info.n_loops, 2);
    assert_int_equal(myr_model_get_loop(model, 0, &loop), MYR_OK);
    assert_int_equal(loop.type, MYR_LOOP_BALL);
    assert_int_equal(myr_model_get_loop(model, 1, &loop), MYR_OK);
    assert_int_equal(loop.type, MYR_LOOP_COUPLING);
    myr_model_home(model, home);
    assert_true(fabs(home[2] - 0.1 - 2 * home[0]) < 1e-9);
    myr_model_free(model);
}

/* ---- what is lost ----------------------------------------------------------------------------- */

/* Two balls make a hinge, and need no names for it. */
static void equalities_need_no_names(void **state) {
    (void)state;
    myr_model *model = load("<mujoco><worldbody><body name=\"a\"><joint axis=\"0 0 1\"/>" BALL "</body>"
                            "<body name=\"b\"><joint axis=\"0 0 1\"/>" BALL "</body></worldbody><equality>"
                            "<connect body1=\"a\" body2=\"b\" anchor=\"0 0 0\"/><connect body1=\"a\" body2=\"b\" anchor=\"0 0 1\"/>"
                            "</equality></mujoco>");
    myr_loop_info loop;
    for (int k = 0; k < 2; k++) {
        assert_int_equal(myr_model_get_loop(model, k, &loop), MYR_OK);
        assert_string_equal(loop.name, k ? "a-2" : "a");
    }
    myr_model_free(model);
}

static void losses_are_named(void **state) {
    (void)state;
    static const struct {
        const char *text, *words, *name;
    } cases[] = {
        {WRAP("<body name=\"b\"><joint type=\"ball\" name=\"spring\" stiffness=\"2\"/>" BALL "</body>"), "springs", "spring"},
        {WRAP("<body name=\"b\"><joint/>" BALL "<geom name=\"g6\" type=\"sphere\" size=\"0.1\" condim=\"6\"/></body>"), "torsional", "g6"},
        {WRAP("<body name=\"b\"><joint/>" BALL "</body><geom name=\"ramp\" type=\"plane\" size=\"1 1 1\" euler=\"10 0 0\"/>"), "planes",
         "ramp"},
        {WRAP("<body name=\"b\"><joint/>" BALL "<geom name=\"shy\" type=\"box\" size=\"1 1 1\" contype=\"2\" conaffinity=\"4\"/></body>"),
         "shapes", "shy"},
        {"<mujoco><option density=\"1000\"/><worldbody><body><joint/>" BALL
         "<geom name=\"hull\" size=\"1\" fluidshape=\"ellipsoid\"/></body></worldbody></mujoco>",
         "fluid", "hull"},
        {WRAP("<body name=\"m\" mocap=\"true\"/><body><joint/>" BALL "</body>"), "mocap", "m"},
        {"<mujoco><asset><mesh name=\"far\" file=\"far.stl\"/></asset><worldbody><body name=\"b\"><joint/>" BALL
         "<geom type=\"mesh\" mesh=\"far\" mass=\"0\"/></body></worldbody></mujoco>",
         "meshes", "b"},
        {"<mujoco><worldbody><body name=\"b\"><joint/>" BALL
         "<site name=\"s\"/></body></worldbody><actuator><position name=\"jet\" site=\"s\" kp=\"3\"/></actuator></mujoco>",
         "actuators", "jet"},
        {"<mujoco><worldbody><body name=\"b\"><joint name=\"j\"/>" BALL
         "</body></worldbody><tendon><fixed name=\"t\" stiffness=\"3\"><joint joint=\"j\" "
         "coef=\"1\"/></fixed></tendon></mujoco>",
         "tendons", "t"},
        {WRAP("<body><joint dampng=\"2\"/>" BALL "</body>"), "MJCF has not", "dampng of <joint>; did you mean 'damping'?"},
        {"<mujoco><asset><mesh name=\"m\" vertex=\"0 0 0 1 0 0 0 1 0 0 0 1\" scal=\"2 2 2\"/></asset><worldbody><body><joint/>" BALL
         "</body></worldbody></mujoco>",
         "MJCF has not", "scal of <mesh>; did you mean 'scale'?"},
        {WRAP("<body><joint actuatorgravcomp=\"true\"/>" BALL "</body>"), "do not act", "actuatorgravcomp of <joint>"},
        {WRAP("<body><joint/><geom size=\"1\" surfacevel=\"1 0 0\"/></body>"), "do not act", "surfacevel of <geom>"},
        {"<mujoco><default><joint frictionlos=\"1\"/></default><worldbody><body><joint/>" BALL "</body></worldbody></mujoco>",
         "MJCF has not", "frictionlos of <joint>"},
        {WRAP("<body><joint name=\"round\" type=\"ball\" frictionloss=\"1\"/>" BALL "</body>"), "do not act", "frictionloss of `round`"},
        {WRAP("<body><joint name=\"bent\" stiffness=\"1 0 2\"/>" BALL "</body>"), "do not act", "higher powers in stiffness of `bent`"},
        {"<mujoco><worldbody><body><joint name=\"uneven\" actuatorfrcrange=\"-1 2\"/>" BALL
         "</body></worldbody><actuator><motor joint=\"uneven\"/><motor joint=\"uneven\"/></actuator></mujoco>",
         "smaller side", "uneven"},
        {"<mujoco><worldbody><body><joint name=\"j\"/>" BALL
         "</body></worldbody><tendon><fixed actuatorfrcrange=\"-1 1\"><joint joint=\"j\" coef=\"1\"/></fixed></tendon></mujoco>",
         "do not act", "actuatorfrcrange of <fixed>"},
        {"<mujoco><option><flag contact=\"disable\"/></option><worldbody><body><joint/>" BALL "</body></worldbody></mujoco>", "do not act",
         "contact of <flag>"},
        {"<mujoco><worldbody><body name=\"b\"><joint name=\"j\"/>" BALL
         "</body></worldbody><actuator><motor joint=\"j\" gear=\"0\" name=\"idle\"/></actuator></mujoco>",
         "actuators", "idle"},
        {"<mujoco><worldbody><body name=\"b\"><joint name=\"j\" type=\"ball\"/>" BALL
         "</body></worldbody><actuator><motor joint=\"j\" name=\"turns\"/></actuator></mujoco>",
         "actuators", "turns"},
        {"<mujoco><worldbody><body name=\"b\"><joint name=\"j\"/>" BALL
         "</body></worldbody><tendon><spatial name=\"t\"><site site=\"s\"/></spatial></tendon><actuator><motor tendon=\"t\" "
         "name=\"pulls\"/>"
         "</actuator></mujoco>",
         "actuators", "pulls"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        myr_load_options options = myr_load_options_default();
        options.meshes = MYR_MESHES_SKIP;
        myr_model *model = load_as(cases[i].text, options);
        scene_warned(model, WORDS(cases[i].words, cases[i].name));
        myr_model_free(model);
        options.strict = 1;
        assert_int_equal(myr_model_open_text(cases[i].text, strlen(cases[i].text), "robot.xml", &options, &model), MYR_E_FORMAT);
        if (!strstr(myr_message(), cases[i].name) || strncmp(myr_message(), "robot.xml:1:", 12) != 0) fail_msg("`%s`", myr_message());
    }
}

/* ---- what is wrong ---------------------------------------------------------------------------- */

static const struct {
    const char *text;
    int line;
    const char *words[3];
} broken[] = {
    {"<mujoco><worldbody>", 1, {"not well-formed"}},
    {"<mujoco>\n<wordbody/></mujoco>", 2, {"<wordbody>", "no such section"}},
    {"<mujoco/>", 0, {"nothing can move"}},
    {WRAP("\n<bdy/>"), 2, {"<bdy>", "no such element"}},
    {WRAP("<body>\n<composite/></body>"), 2, {"<composite>", "not read"}},
    {WRAP("<body>\n<joint type=\"hing\"/></body>"), 2, {"type=\"hing\"", "hinge"}},
    {WRAP("<body>\n<joint axis=\"0 0 0\"/></body>"), 2, {"axis", "direction"}},
    {WRAP("<body>\n<joint axis=\"0 0\"/></body>"), 2, {"2 numbers, not 3"}},
    {WRAP("<body>\n<joint damping=\"-1\"/></body>"), 2, {"damping", "negative"}},
    {WRAP("<body>\n<joint damping=\"x\"/></body>"), 2, {"damping=\"x\""}},
    {WRAP("<body><joint/>\n<joint type=\"free\"/></body>"), 2, {"free joint", "only one"}},
    {WRAP("<body><joint/><body>\n<freejoint/></body></body>"), 2, {"free joint", "world"}},
    {WRAP("\n<joint/>"), 2, {"the world", "joints"}},
    {WRAP("<body>\n<joint class=\"none\"/></body>"), 2, {"no class `none`"}},
    {WRAP("\n<body childclass=\"none\"/>"), 2, {"no class `none`"}},
    {WRAP("<body><joint/>\n<geom type=\"ball\"/></body>"), 2, {"type=\"ball\""}},
    {WRAP("<body><joint/>\n<geom type=\"box\" size=\"1 1\"/></body>"), 2, {"size 3"}},
    {WRAP("<body><joint/>\n<geom size=\"-1\"/></body>"), 2, {"size 1"}},
    {WRAP("<body><joint/>\n<geom type=\"capsule\" size=\"1\" fromto=\"0 0 0 0 0 0\"/></body>"), 2, {"fromto", "one point"}},
    {WRAP("<body><joint/>\n<geom size=\"1\" mass=\"-2\"/></body>"), 2, {"negative"}},
    {WRAP("<body><joint/>\n<geom type=\"mesh\"/></body>"), 2, {"`mesh` is missing"}},
    {WRAP("<body><joint/>\n<geom size=\"1\" quat=\"0 0 0 0\"/></body>"), 2, {"quat", "no direction"}},
    {WRAP("<body>\n<inertial pos=\"0 0 0\"/></body>"), 2, {"`mass` is missing"}},
    {WRAP("<body>\n<inertial pos=\"0 0 0\" mass=\"-1\"/></body>"), 2, {"negative"}},
    {WRAP("\n<body euler=\"0 0 1\" quat=\"1 0 0 0\"/>"), 2, {"`euler` and `quat`"}},
    {WRAP("\n<body pos=\"0 0 nan\"/>"), 2, {"pos"}},
    {WRAP("\n<body pos=\"0 0 1e999\"/>"), 2, {"not finite"}},
    {WRAP("<body name=\"a\"><joint/>" BALL "</body>\n<body name=\"a\"><joint name=\"x\"/>" BALL "</body>"), 2, {"`a`", "name"}},
    {"<mujoco>\n<compiler coordinate=\"global\"/></mujoco>", 2, {"coordinate=\"global\""}},
    {"<mujoco>\n<compiler eulerseq=\"xyw\"/></mujoco>", 2, {"eulerseq"}},
    {"<mujoco>\n<option timestep=\"0\"/></mujoco>", 2, {"timestep"}},
    {"<mujoco><default>\n<default/></default></mujoco>", 2, {"needs a `class`"}},
    {"<mujoco><default><default class=\"a\"/>\n<default class=\"a\"/></default></mujoco>", 2, {"two classes `a`"}},
    {"<mujoco>\n<include/></mujoco>", 2, {"`file` is missing"}},
    {"<mujoco>\n<include file=\"not_there.xml\"/></mujoco>", 2, {"cannot open", "not_there.xml"}},
    {"<mujoco>\n<include file=\"../../../../../../../../../../etc/passwd\"/></mujoco>", 2, {"outside"}},
    {"<mujoco>\n<include file=\"/etc/passwd\"/></mujoco>", 2, {"outside"}},
    {"<mujoco>\n<include file=\"/dev/zero\"/></mujoco>", 2, {"outside"}},
    {"<mujoco><actuator>\n<motor/></actuator></mujoco>", 2, {"acts on nothing"}},
    {"<mujoco><worldbody><body><joint/>" BALL "</body></worldbody><equality>\n<joint joint1=\"missing\"/></equality></mujoco>",
     2,
     {"no joint `missing`"}},
    {"<mujoco><worldbody><body><joint name=\"hip_joint\"/><geom size=\"1\"/></body></worldbody><actuator>\n<motor "
     "joint=\"hip\"/></actuator></mujoco>",
     2,
     {"no joint `hip`; did you mean `hip_joint`?"}},
    {"<mujoco><worldbody><body><joint/>" BALL
     "</body></worldbody><equality>\n<connect body1=\"missing\" anchor=\"0 0 0\"/></equality></mujoco>",
     2,
     {"no body `missing`"}},
    {"<mujoco><worldbody><body><joint/>" BALL "</body></worldbody><keyframe>\n<key qpos=\"1 2\"/></keyframe></mujoco>",
     2,
     {"2 numbers, not 1"}},
    {WRAP("\n<replicate count=\"0\"/>"), 2, {"count"}},
    {"<mujoco>\n<deformable/></mujoco>", 2, {"<deformable>", "not read"}},
};

static void broken_files_are_refused_by_line_and_element(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++)
        scene_refuse(broken[i].text, MYR_ROOT_AUTO, MYR_E_FORMAT, broken[i].line, broken[i].words);
}

/* Copies of copies of nothing: 4096^4 of them would take for ever. */
static void copies_of_copies_come_to_an_end(void **state) {
    (void)state;
    scene_refuse(WRAP("<replicate count=\"4096\"><replicate count=\"4096\"><replicate count=\"4096\"><replicate count=\"4096\"/>"
                      "</replicate></replicate></replicate>"),
                 MYR_ROOT_AUTO, MYR_E_LIMIT, 1, WORDS("copies included"));
    scene_refuse(WRAP("<replicate count=\"4096\"><replicate count=\"4096\"><site name=\"s\"/></replicate></replicate>"), MYR_ROOT_AUTO,
                 MYR_E_LIMIT, 0, WORDS("at most"));
}

/* ---- files ------------------------------------------------------------------------------------ */

static void write_file(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void refuse_file(const char *path, const char *words) {
    myr_model *model = NULL;
    assert_int_not_equal(myr_model_open(path, NULL, &model), MYR_OK);
    if (!strstr(myr_message(), words)) fail_msg("`%s` does not say `%s`", myr_message(), words);
}

static void included_files_stand_in_their_place(void **state) {
    (void)state;
    char folder[] = "/tmp/myriapod-mjcf-XXXXXX", main_file[64], part[64], deep[64], fifo[64];
    assert_non_null(mkdtemp(folder));
    snprintf(main_file, sizeof main_file, "%s/main.xml", folder);
    snprintf(part, sizeof part, "%s/part.xml", folder);
    snprintf(deep, sizeof deep, "%s/deep.xml", folder);
    snprintf(fifo, sizeof fifo, "%s/fifo", folder);
    write_file(
        main_file,
        "<mujoco><include file=\"part.xml\"/><worldbody>\n<body name=\"b\"><include file=\"deep.xml\"/></body></worldbody></mujoco>");
    write_file(part, "<mujocoinclude><default><geom friction=\"0.25\"/></default></mujocoinclude>");
    write_file(deep, "<mujoco>\n<joint/>\n" BALL "\n</mujoco>");
    myr_model *model = NULL;
    myr_geom_info geom;
    if (myr_model_open(main_file, NULL, &model)) fail_msg("%s", myr_message());
    assert_int_equal(myr_model_get_geom(model, 0, &geom), MYR_OK);
    assert_true(geom.friction == 0.25);
    myr_model_free(model);
    write_file(deep, "<mujoco>\n<joint/>\n<geom size=\"-1\"/>\n</mujoco>");
    refuse_file(main_file, "deep.xml:3: <geom> of body `b`: size 1");
    write_file(part, "<mujocoinclude><include file=\"part.xml\"/></mujocoinclude>");
    refuse_file(main_file, "included already");
    write_file(part, "<mujocoinclude><include file=\"main.xml\"/></mujocoinclude>");
    refuse_file(main_file, "included already");
    write_file(part, "<mujocoinclude><include file=\".\"/></mujocoinclude>");
    refuse_file(main_file, "outside");
    assert_int_equal(mkfifo(fifo, 0600), 0);
    write_file(part, "<mujocoinclude><include file=\"fifo\"/></mujocoinclude>");
    refuse_file(main_file, "is not a file");
    write_file(part, "<mujocoinclude><default></mujocoinclude>");
    refuse_file(main_file, "part.xml:1:");
    unlink(main_file), unlink(part), unlink(deep), unlink(fifo);
    rmdir(folder);
}

/* The file's own name, where it gives the model none. */
static void what_has_no_name_is_called_as_its_file(void **state) {
    (void)state;
    static const struct {
        const char *model, *label, *name;
    } cases[] = {{"", "robots/crane.v2.xml", "crane.v2"},
                 {" model=\"\"", "crane", "crane"},
                 {" model=\"m\"", "crane.xml", "m"},
                 {"", "a/.xml", ".xml"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[300];
        myr_model *model = NULL;
        myr_model_info info;
        snprintf(text, sizeof text, "<mujoco%s><worldbody><body><joint/>" BALL "</body></worldbody></mujoco>", cases[i].model);
        assert_int_equal(myr_model_open_text(text, strlen(text), cases[i].label, NULL, &model), MYR_OK);
        myr_model_get_info(model, &info);
        assert_string_equal(info.name, cases[i].name);
        myr_model_free(model);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(classes_count_from_the_nearest),
        cmocka_unit_test(several_joints_make_a_chain),
        cmocka_unit_test(anchors_and_references_shift_the_joint),
        cmocka_unit_test(keyframes_say_where_home_is),
        cmocka_unit_test(inertias_are_repaired),
        cmocka_unit_test(frames_and_copies_are_where_they_should_be),
        cmocka_unit_test(joints_in_frames_are_the_bodys),
        cmocka_unit_test(geoms_weigh),
        cmocka_unit_test(equalities_become_loops_and_couplings),
        cmocka_unit_test(equalities_need_no_names),
        cmocka_unit_test(losses_are_named),
        cmocka_unit_test(what_has_no_name_is_called_as_its_file),
        cmocka_unit_test(broken_files_are_refused_by_line_and_element),
        cmocka_unit_test(copies_of_copies_come_to_an_end),
        cmocka_unit_test(included_files_stand_in_their_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

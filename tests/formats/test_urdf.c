/* Robots from URDF: what acts, what warns, what is refused and with which words. */
#include "support/model_scene.h"

#include <dirent.h>
#include <fenv.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ARM LINK("base") LINK("arm")
#define LOOP(type, at, inside)                                                                                                             \
    "<loop_joint name='l' type='" type "'>\n<link1 link='base' " at "/>\n<link2 link='arm'/>" inside "</loop_joint>"
#define HINGE(inside) "<joint name='hinge' type='revolute'><parent link='base'/><child link='arm'/>" inside "</joint>\n"

static void everything_is_read(void **state) {
    (void)state;
    myr_model *m = scene_load(
        ROBOT("<link name='base'>\n"
              "<inertial><origin xyz='0.1 0 0' rpy='0 0 1.5707963267948966'/><mass value='2'/>"
              "<inertia ixx='0.1' iyy='0.2' izz='0.25' ixy='0.01' ixz='0.02' iyz='0.03'/></inertial>\n"
              "<collision><origin xyz='0 0 0.5'/><geometry><box size='0.2 0.4 0.6'/></geometry></collision>\n"
              "<collision name='eye'><geometry><sphere radius='0.3'/></geometry></collision>\n"
              "<collision><geometry><capsule radius='0.1' length='0.8'/></geometry></collision>\n"
              "</link>\n" LINK("arm") LINK("slide") LINK(
                  "wheel") "<joint name='hinge' type='revolute'>\n<parent link='base'/><child link='arm'/>"
                           "<origin xyz='1 2 3' rpy='0.1 0.2 0.3'/><axis xyz='0 0 -2'/>"
                           "<limit lower='-1' upper='1.5' effort='80' velocity='15'/><dynamics damping='0.5' friction='0.25'/></joint>\n"
                           "<joint name='rail' type='prismatic'><parent link='base'/><child link='slide'/><limit effort='inf' "
                           "velocity='1'/></joint>\n"
                           "<joint name='spin' type='continuous'><parent link='arm'/><child link='wheel'/></joint>\n"),
        MYR_ROOT_AUTO);
    const myr_body *base = &m->bodies[0], *arm = &m->bodies[scene_joint(m, "hinge")];
    const double com[3] = {0.1, 0, 0}, inertia[6] = {0.2, 0.1, 0.25, -0.01, -0.03, 0.02}, position[3] = {1, 2, 3}, axis[3] = {0, 0, -1};
    assert_string_equal(m->name, "r");
    assert_string_equal(base->joint_name, "root");
    assert_int_equal(base->joint, MYR_JOINT_FREE);
    scene_near(&base->mass, &(double){2}, 1, 0, "mass");
    scene_near(base->com, com, 3, 0, "com");
    scene_near(base->inertia, inertia, 6, 1e-16, "inertia");
    scene_near(arm->position, position, 3, 0, "position");
    scene_near(arm->axis_user, axis, 3, 0, "axis");
    /* rpy: fixed axes x, then y, then z */
    const double c1 = cos(0.1), s1 = sin(0.1), c2 = cos(0.2), s2 = sin(0.2), c3 = cos(0.3), s3 = sin(0.3);
    const double rotation[9] = {
        c3 * c2, c3 * s2 * s1 - s3 * c1, c3 * s2 * c1 + s3 * s1, s3 * c2, s3 * s2 * s1 + c3 * c1, s3 * s2 * c1 - c3 * s1, -s2, c2 * s1,
        c2 * c1};
    scene_near(arm->rotation, rotation, 9, 1e-15, "rotation");
    assert_true(arm->lower == -1 && arm->upper == 1.5 && arm->effort_limit == 80 && arm->velocity_limit == 15);
    assert_true(arm->damping == 0.5 && arm->dry_friction == 0.25);
    const myr_body *slide = &m->bodies[scene_joint(m, "rail")], *wheel = &m->bodies[scene_joint(m, "spin")];
    assert_true(slide->joint == MYR_JOINT_PRISMATIC && isinf(slide->effort_limit) && slide->lower > slide->upper);
    assert_true(wheel->joint == MYR_JOINT_REVOLUTE && isinf(wheel->effort_limit) && wheel->lower > wheel->upper);
    assert_int_equal(scene_joint(m, "spin"), 2); /* depth first: behind the arm, before the slide */
    assert_int_equal(m->n_geoms, 3);
    assert_true(m->geoms[0].type == MYR_GEOM_BOX && m->geoms[0].size[0] == 0.1 && m->geoms[0].size[2] == 0.3 &&
                m->geoms[0].position[2] == 0.5);
    assert_string_equal(m->geoms[1].name, "eye");
    assert_true(m->geoms[1].type == MYR_GEOM_SPHERE && m->geoms[1].size[0] == 0.3 && m->geoms[1].friction == 0.8);
    assert_true(m->geoms[2].type == MYR_GEOM_CAPSULE && m->geoms[2].size[0] == 0.1 && m->geoms[2].size[1] == 0.4);
    assert_int_equal(m->n_warnings, 0);
    myr_model_free(m);
}

/* ---- warnings --------------------------------------------------------------------------------- */

static void oddities_warn_and_load(void **state) {
    (void)state;
    const struct {
        const char *text;
        const char *words[4];
    } cases[] = {
        {ROBOT(ARM HINGE("<limit lower='1' upper='-1' effort='1' velocity='1'/>")),
         {"robot.urdf:5:", "<limit>", "lower=1 is above upper=-1"}},
        {ROBOT(ARM HINGE("<limit effort='0' velocity='1'/>")), {"effort limit of 0", "hinge"}},
        {ROBOT(ARM HINGE("")), {"without <limit>", "hinge"}},
        {ROBOT(ARM HINGE("<limit effort='1' velocity='1'/>\n<dynamics damping='1'/>\n<dynamics damping='2'/>")),
         {"robot.urdf:7:", "<dynamics>", "given twice", "line 6"}},
        {ROBOT(ARM JOINT("ball", "spherical", "base", "arm")), {"`spherical`", "ball"}},
        {ROBOT(ARM LINK("c") JOINT("j", "fixed", "arm", "c") "<joint name='f' type='spherical'><parent link='base'/><child link='arm'/>\n"
                                                             "<mimic joint='j'/></joint>"),
         {"robot.urdf:8:", "<mimic> of joint `f`", "ignored"}},
        {ROBOT(ARM LINK("c") HINGE(
             "<limit lower='0.5' upper='1' effort='1' velocity='1'/>") "<joint name='f' type='revolute'><parent link='base'/><child "
                                                                       "link='c'/><limit lower='-1' upper='0' effort='1' "
                                                                       "velocity='1'/><mimic joint='hinge'/></joint>"),
         {"beyond the position limits"}},
        {ROBOT("<link name='base'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='3'/></inertial></link>\n"),
         {"robot.urdf:3:", "`base`", "3 > 1 + 1"}},
        {ROBOT("<link name='base'><inertial><mass value='1'/></inertial></link>\n"),
         {"robot.urdf:3:", "`base`", "without rotational inertia"}},
        {ROBOT(LINK("base") "<link name='tip'/>" JOINT("tip", "fixed", "base", "tip")), {"without <inertial>", "tip"}},
        {ROBOT(LINK("base") "<link name='tip'/>" JOINT("tip", "continuous", "base", "tip")), {"robot.urdf:4:", "`tip`", "singular"}},
        {ROBOT("<link name='base'/>"), {"robot.urdf:3:", "`base`", "singular"}},
        {ROBOT("<link name='base'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial><collision><geometry><cone "
               "radius='1' length='1'/></geometry></collision></link>\n"),
         {"skipped", "1 other", "base"}},
        {ROBOT("<link name='base'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial><collision><geometry><mesh "
               "filename='x'/></geometry></collision></link>\n"),
         {"skipped", "1 mesh,", "base"}},
        {ROBOT(LINK("base") "<bones/>\n"), {"robot.urdf:4:", "<bones>", "ignored"}},
        {"<?xml version='1.0'?>\n<!-- <?xml not this one ?> -->\n<?xml version='1.0'?>\n<robot>\n" LINK("base") "</robot>",
         {"robot.urdf:3:", "stray XML declaration"}},
        {"\n<?xml version='1.0'?>\n<robot>\n" LINK("base") "</robot>", {"robot.urdf:2:", "stray XML declaration"}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        myr_model *m = scene_load(cases[i].text, MYR_ROOT_AUTO);
        scene_warned(m, (const char *const[]){cases[i].words[0], cases[i].words[1], cases[i].words[2], cases[i].words[3], NULL});
        myr_model_free(m);
    }
    myr_model *m = scene_load(
        ROBOT(LINK("base") "<material name='x'/><transmission/><gazebo/><link name='world2'/>" JOINT("x", "fixed", "base", "world2")),
        MYR_ROOT_AUTO);
    assert_int_equal(scene_other_warnings(m), 1); /* usual companions of a URDF say nothing */
    myr_model_free(m);
}

static void many_oddities_are_one_warning(void **state) {
    (void)state;
    enum { COUNT = 300 };
    char *text = malloc(COUNT * 400 + 1000), *at = text;
    at += sprintf(at, "<robot>\n" LINK("l0"));
    for (int i = 1; i < COUNT; i++)
        at += sprintf(at,
                      LINK("l%d") "<joint name='joint_with_a_name_%d' type='revolute'><parent link='l%d'/><child link='l%d'/><limit "
                                  "lower='-1' upper='1' effort='0'/></joint>\n",
                      i, i, i - 1, i);
    sprintf(at, "</robot>");
    myr_model *m = scene_load(text, MYR_ROOT_AUTO);
    assert_int_equal(scene_other_warnings(m), 1);
    scene_warned(m, WORDS("an effort limit of 0", "joint_with_a_name_1,", " more"));
    assert_true(strlen(m->warnings[0]) < 600);
    myr_model_free(m);
    free(text);
}

static void unknown_words_are_named(void **state) {
    (void)state;
    const struct {
        const char *text;
        const char *words[5];
    } cases[] = {
        {ROBOT(ARM HINGE("<limit lower='-1'\n uper='1' effort='1' velocity='1'/>")),
         {"robot.urdf:5:", "<limit> of joint `hinge`", "unknown attribute `uper`, ignored", "did you mean 'upper'?"}},
        {ROBOT(ARM HINGE("\n<limits effort='1' velocity='1'/>")),
         {"robot.urdf:6:", "<limits> of joint `hinge`", "unknown element, ignored", "did you mean 'limit'?"}},
        {ROBOT("<link name='base'>\n<inertal/><collison/><visual><anything/></visual></link>\n"),
         {"robot.urdf:4:", "<inertal> of link `base`", "did you mean 'inertial'?"}},
        {ROBOT("<link name='base'>\n<inertal/>\n<collison/><visual><anything/></visual></link>\n"),
         {"robot.urdf:5:", "<collison> of link `base`", "did you mean 'collision'?"}},
        {ROBOT(ARM HINGE("<limit effort='1' velocity='1'/><dynamics damping='1' mu_coulomb='1'/>")),
         {"<dynamics> of joint `hinge`", "unknown attribute `mu_coulomb`, ignored"}},
        {ROBOT(LINK("base") "<jiont name='x'/>\n<jiont name='y'/>"), {"robot.urdf:4:", "<jiont>", "ignored (2 times)", "'joint'?"}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        myr_model *m = scene_load(cases[i].text, MYR_ROOT_AUTO);
        scene_warned(m, cases[i].words);
        myr_model_free(m);
    }
    /* what has a prefix, is only drawn or is for other programs says nothing */
    myr_model *m = scene_load("<robot name='r' version='1.0' xmlns:x='y' x:z='1'>\n"
                              "<link name='base'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial>"
                              "<visual group='3'><bones/></visual></link><gazebo reference='base'><mu1>1</mu1></gazebo></robot>",
                              MYR_ROOT_AUTO);
    assert_int_equal(scene_other_warnings(m), 0);
    myr_model_free(m);
    /* one attribute on two kinds of elements gives two warnings, also where both kinds allow none */
    m = scene_load(ROBOT("<link name='base'><inertial odd='1'><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial>\n"
                         "<collision><geometry odd='1'><sphere radius='1'/></geometry></collision></link>\n"),
                   MYR_ROOT_AUTO);
    assert_int_equal(scene_other_warnings(m), 2);
    scene_warned(m, WORDS("<inertial> of link `base`", "unknown attribute `odd`"));
    scene_warned(m, WORDS("<geometry> of link `base`", "unknown attribute `odd`"));
    myr_model_free(m);
    /* a word in every joint is one warning; words without number are counted */
    char text[8000], *at = text;
    at += sprintf(at, "<robot><link name='base' ");
    for (int i = 0; i < 100; i++) at += sprintf(at, "a%d='1' ", i);
    sprintf(at, "><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial></link></robot>");
    m = scene_load(text, MYR_ROOT_AUTO);
    assert_int_equal(scene_other_warnings(m), 33);
    scene_warned(m, WORDS("68 more unknown elements and attributes"));
    myr_model_free(m);
}

/* ---- refusals --------------------------------------------------------------------------------- */

static void wrong_files_are_refused_by_line_and_element(void **state) {
    (void)state;
    const struct {
        const char *text;
        int line;
        const char *words[4];
    } cases[] = {
        {"", 0, {"robot.urdf"}},
        {"robot", 1, {"not well-formed"}},
        {"<robot>\n<link name='a'>\n</robot>\n", 3, {"not well-formed", "link"}},
        {"<sdf/>", 1, {"<sdf>", "<robot>"}},
        {"<sdf/>", 1, {"<sdf>", "MJCF"}},
        {ROBOT(""), 2, {"<robot>", "no <link>"}},
        {"<!DOCTYPE robot [<!ENTITY a 'b'>]>\n<robot/>", 0, {"<!DOCTYPE>", "entities"}},
        {"<!DOCTYPE robot SYSTEM 'http://localhost/x.dtd'>\n<robot/>", 0, {"<!DOCTYPE>"}},
        {"<robot>&xxe;</robot>", 1, {"not well-formed", "xxe"}},
        {"<robot xmlns:xacro='x'>\n<xacro:include filename='x'/></robot>", 2, {"xacro FILE.xacro > FILE.urdf"}},
        {"<robot>\n<xacro:include filename='x'/></robot>", 2, {"xacro"}},
        {ROBOT("<link/>"), 3, {"<link>", "`name` is missing"}},
        {ROBOT("<link name=''/>"), 3, {"<link>", "`name` is empty"}},
        {ROBOT(LINK("a") LINK("a")), 4, {"link `a`", "line 3"}},
        {ROBOT(LINK("a") LINK("b")), 4, {"two root links", "`a` (line 3)", "`b`"}},
        {ROBOT(ARM JOINT("j", "fixed", "base", "arm") JOINT("j", "fixed", "base", "arm")), 6, {"joint `j`", "line 5"}},
        {ROBOT(ARM JOINT("j", "wobbly", "base", "arm")), 5, {"joint `j`", "`wobbly`", "revolute"}},
        {ROBOT(ARM JOINT("j", "planar", "base", "arm")), 5, {"joint `j`", "planar", "not supported"}},
        {ROBOT(ARM "<joint name='j'><parent link='base'/><child link='arm'/></joint>"), 5, {"joint `j`", "`type`"}},
        {ROBOT(ARM "<joint name='j' type='fixed'><child link='arm'/></joint>"), 5, {"joint `j`", "<parent> is missing"}},
        {ROBOT(ARM "<joint name='j' type='fixed'>\n<parent link='base'/>\n<child link='leg'/></joint>"),
         7,
         {"<child> of joint `j`", "no link `leg`"}},
        {ROBOT(ARM "<joint name='j' type='fixed'>\n<parent/></joint>"), 6, {"<parent> of joint `j`", "`link` is missing"}},
        {ROBOT(LINK("a") JOINT("j", "fixed", "a", "a")), 4, {"joint `j`", "`a`", "own parent"}},
        {ROBOT(LINK("a") LINK("b") JOINT("j", "fixed", "a", "b") JOINT("k", "fixed", "b", "a")), 3, {"cycle", "`a`"}},
        {ROBOT(LINK("r") LINK("a") LINK("b") JOINT("j", "fixed", "a", "b") JOINT("k", "fixed", "b", "a")), 4, {"cycle", "`a`", "`r`"}},
        {ROBOT(LINK("r") LINK("a") LINK("b") JOINT("j", "fixed", "r", "a") JOINT("k", "fixed", "r", "b") JOINT("l", "fixed", "b", "a")),
         8,
         {"joint `l`", "`a`", "`j`", "<loop_joint>"}},
        {ROBOT(ARM JOINT("j", "fixed", "base", "arm") "<loop_joint/>"), 6, {"<loop_joint>", "`name` is missing"}},
        {ROBOT(ARM JOINT("j", "fixed", "base", "arm") "<loop_joint name='l'/>"), 6, {"loop_joint `l`", "`type` is missing"}},
        {ROBOT(ARM JOINT("j", "fixed", "base", "arm") "<loop_joint name='l' type='screw'/>"), 6, {"loop_joint `l`", "`screw`", "ball"}},
        {ROBOT(ARM JOINT("j", "fixed", "base", "arm") "<loop_joint name='l' type='ball'/>"), 6, {"loop_joint `l`", "<link1> is missing"}},
        {ROBOT(ARM JOINT("j", "fixed", "base",
                         "arm") "<loop_joint name='l' type='ball'>\n<link1 link='base'/>\n<link2 link='leg'/></loop_joint>"),
         8,
         {"<link2> of loop_joint `l`", "no link `leg`"}},
        {ROBOT(ARM JOINT("j", "fixed", "base", "arm") LOOP("ball", "xyz='1 2'", "")), 7, {"<link1> of loop_joint `l`", "2 numbers, not 3"}},
        {ROBOT(ARM JOINT("j", "fixed", "base", "arm") LOOP("ball", "", "")), 6, {"loop `l`", "both ends are on body `base`"}},
        {ROBOT(ARM JOINT("j", "continuous", "base", "arm") LOOP("ball", "xyz='1 0 0'", "")),
         6,
         {"loop `l`", "does not close", "open by 1 m"}},
        {ROBOT(ARM JOINT("j", "continuous", "base", "arm") LOOP("revolute", "", "<axis xyz='0 0 0'/>")), 6, {"`l`", "axis is zero"}},
        {ROBOT(ARM JOINT("j", "continuous", "base", "arm") LOOP("ball", "", "") LOOP("ball", "", "")), 8, {"loop `l`", "another one"}},
        {ROBOT(ARM HINGE("<limit effort='1' velocity='1'/>\n<mimic/>")), 6, {"<mimic> of joint `hinge`", "`joint` is missing"}},
        {ROBOT(ARM HINGE("<limit effort='1' velocity='1'/>\n<mimic joint='other'/>")), 6, {"<mimic> of joint `hinge`", "no joint `other`"}},
        {ROBOT(ARM HINGE("<limit effort='1' velocity='1'/>\n<mimic joint='hinge'/>")), 6, {"<mimic> of joint `hinge`", "itself"}},
        {ROBOT(ARM HINGE("<limit effort='1' velocity='1'/>\n<mimic joint='hinge' offset='x'/>")), 6, {"offset=\"x\""}},
        {ROBOT(ARM LINK("c") HINGE("<mimic joint='j'/>") JOINT("j", "spherical", "arm", "c")),
         6,
         {"<mimic> of joint `hinge`", "`j`", "degree"}},
        {ROBOT("<link name='a'>\n<inertial>\n<mass value='-1'/></inertial></link>"), 5, {"<mass> of link `a`", "\"-1\"", "negative"}},
        {ROBOT("<link name='a'>\n<inertial>\n<mass value='nan'/></inertial></link>"), 5, {"<mass> of link `a`", "\"nan\"", "not a number"}},
        {ROBOT("<link name='a'>\n<inertial>\n<mass value='inf'/></inertial></link>"), 5, {"<mass> of link `a`", "\"inf\"", "not finite"}},
        {ROBOT("<link name='a'>\n<inertial>\n<mass value='1e999'/></inertial></link>"),
         5,
         {"<mass> of link `a`", "\"1e999\"", "not finite"}},
        {ROBOT("<link name='a'>\n<inertial>\n<mass value='1,5'/></inertial></link>"), 5, {"<mass> of link `a`", "\"1,5\"", "not a number"}},
        {ROBOT("<link name='a'>\n<inertial>\n<mass value='0x10'/></inertial></link>"), 5, {"\"0x10\"", "not a number"}},
        {ROBOT("<link name='a'>\n<inertial>\n<mass value='1kg'/></inertial></link>"), 5, {"\"1kg\"", "not a number"}},
        {ROBOT("<link name='a'>\n<inertial>\n<mass value='1 2'/></inertial></link>"), 5, {"\"1 2\"", "2 numbers, not 1"}},
        {ROBOT("<link name='a'>\n<inertial>\n<mass value=''/></inertial></link>"), 5, {"0 numbers, not 1"}},
        {ROBOT("<link name='a'>\n<inertial>\n<mass/></inertial></link>"), 5, {"<mass> of link `a`", "`value` is missing"}},
        {ROBOT("<link name='a'>\n<inertial/></link>"), 4, {"<inertial> of link `a`", "<mass> is missing"}},
        {ROBOT("<link name='a'>\n<inertial><mass value='1'/>\n<inertia ixx='1' iyy='1'/></inertial></link>"),
         5,
         {"<inertia> of link `a`", "`izz` is missing"}},
        {ROBOT("<link name='a'>\n<inertial><mass value='1'/>\n<origin xyz='0 0'/></inertial></link>"),
         5,
         {"<origin> of link `a`", "\"0 0\"", "2 numbers, not 3"}},
        {ROBOT("<link name='a'>\n<collision>\n<geometry><sphere radius='-1'/></geometry></collision></link>"),
         5,
         {"<sphere> of link `a`", "negative"}},
        {ROBOT("<link name='a'>\n<collision>\n<geometry><box size='1 1'/></geometry></collision></link>"),
         5,
         {"<box> of link `a`", "not 3"}},
        {ROBOT("<link name='a'>\n<collision>\n<geometry><capsule radius='1'/></geometry></collision></link>"),
         5,
         {"<capsule> of link `a`", "`length`"}},
        {ROBOT(ARM HINGE("\n<axis xyz='0 0 0'/>")), 6, {"<axis> of joint `hinge`", "no direction"}},
        {ROBOT(ARM HINGE("\n<limit effort='-1'/>")), 6, {"<limit> of joint `hinge`", "effort", "negative"}},
        {ROBOT(ARM HINGE("\n<limit velocity='fast'/>")), 6, {"<limit> of joint `hinge`", "\"fast\""}},
        {ROBOT(ARM HINGE("\n<dynamics damping='-1'/>")), 6, {"<dynamics> of joint `hinge`", "damping", "negative"}},
        {ROBOT(ARM HINGE("\n<origin rpy='0 0 ${pi}'/>")), 6, {"<origin> of joint `hinge`", "${pi}"}},
        {ROBOT("<link name='a'><inertial><mass value='1e300'/><inertia ixx='1' iyy='1' izz='1'/></inertial></link>\n"
               "<link name='b'><inertial><mass value='1e300'/><inertia ixx='1' iyy='1' izz='1'/></inertial></link>\n"
               "<joint name='j' type='fixed'><parent link='a'/><child link='b'/><origin xyz='1e200 0 0'/></joint>"),
         3,
         {"`a`", "too large"}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        scene_refuse(cases[i].text, MYR_ROOT_AUTO, MYR_E_FORMAT, cases[i].line,
                     (const char *const[]){cases[i].words[0], cases[i].words[1], cases[i].words[2], cases[i].words[3], NULL});
}

static void arguments_are_checked(void **state) {
    (void)state;
    myr_model *m = (myr_model *)state;
    assert_int_equal(myr_model_load_text(NULL, 0, "x", MYR_ROOT_AUTO, &m), MYR_E_ARG);
    assert_null(m);
    assert_int_equal(myr_model_load_text("", 0, NULL, MYR_ROOT_AUTO, &m), MYR_E_ARG);
    assert_int_equal(myr_model_load_text("", 0, "x", MYR_ROOT_AUTO, NULL), MYR_E_ARG);
    assert_int_equal(myr_model_load_text("<robot/>", (size_t)1 << 40, "x", MYR_ROOT_AUTO, &m), MYR_E_LIMIT);
    assert_int_equal(myr_model_load(NULL, MYR_ROOT_AUTO, &m), MYR_E_ARG);
    assert_int_equal(myr_model_load("", MYR_ROOT_AUTO, &m), MYR_E_ARG);
    assert_int_equal(myr_model_load("cube", MYR_ROOT_AUTO, NULL), MYR_E_ARG);
    assert_int_equal(myr_model_load("cube", (myr_root)9, &m), MYR_E_ARG);
    assert_int_equal(myr_model_load("no/such/file.urdf", MYR_ROOT_AUTO, &m), MYR_E_FILE);
    assert_non_null(strstr(myr_message(), "no/such/file.urdf"));
    assert_int_equal(myr_model_load("/", MYR_ROOT_AUTO, &m), MYR_E_FILE);
    assert_int_equal(myr_model_load("/dev/zero", MYR_ROOT_AUTO, &m), MYR_E_LIMIT);
    assert_int_equal(myr_model_load("anymole", MYR_ROOT_AUTO, &m), MYR_E_FILE);
    assert_non_null(strstr(myr_message(), "`anymole`"));
    assert_non_null(strstr(myr_message(), "double-pendulum"));
    static const char *const chains[] = {"chain-0", "chain-129", "chain-", "chain-x", "chain-3x", "chain--1", "chain-1000000000000"};
    for (size_t i = 0; i < sizeof chains / sizeof *chains; i++) {
        assert_int_equal(myr_model_load(chains[i], MYR_ROOT_AUTO, &m), MYR_E_ARG);
        assert_non_null(strstr(myr_message(), chains[i]));
    }
    assert_int_equal(myr_model_load("chain-3", MYR_ROOT_FIXED, &m), MYR_E_ARG);
    assert_null(m);
}

/* ---- numbers ---------------------------------------------------------------------------------- */

static void numbers_are_exact_in_any_locale_and_rounding(void **state) {
    (void)state;
    static const char text[] = ROBOT("<link name='a'><inertial><origin xyz=' 0.1\t-2.5e-3\n+.7 ' rpy='0.3 0 0'/><mass value='1.1'/>"
                                     "<inertia ixx='1e0' iyy='1.' izz='1E+0'/></inertial></link>");
    static const char *const comma_locales[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_CH.UTF-8", "it_IT.UTF-8"};
    const double com[3] = {0.1, -2.5e-3, 0.7};
    myr_model *plain = scene_load(text, MYR_ROOT_AUTO);
    scene_near(plain->bodies[0].com, com, 3, 0, "com");
    scene_near(&plain->bodies[0].mass, &(double){1.1}, 1, 0, "mass");
    const uint64_t hash = myr_model_hash(plain);
    for (size_t i = 0; i < sizeof comma_locales / sizeof *comma_locales; i++) {
        if (!setlocale(LC_ALL, comma_locales[i])) continue;
        myr_model *m = scene_load(text, MYR_ROOT_AUTO);
        setlocale(LC_ALL, "C");
        assert_true(myr_model_hash(m) == hash);
        myr_model_free(m);
    }
    static const int modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        fesetround(modes[i]);
        myr_model *m = scene_load(text, MYR_ROOT_AUTO), *anymal = NULL;
        const myr_status status = myr_model_load("anymal", MYR_ROOT_AUTO, &anymal);
        const int kept = fegetround() == modes[i];
        fesetround(FE_TONEAREST);
        assert_true(kept);
        assert_int_equal(status, MYR_OK);
        assert_true(myr_model_hash(m) == hash);
        myr_model *nearest = NULL;
        assert_int_equal(myr_model_load("anymal", MYR_ROOT_AUTO, &nearest), MYR_OK);
        assert_true(myr_model_hash(anymal) == myr_model_hash(nearest));
        myr_model_free(m);
        myr_model_free(anymal);
        myr_model_free(nearest);
    }
    myr_model_free(plain);
}

/* ---- what ships ------------------------------------------------------------------------------- */

static void shipped_robots_load_without_a_word(void **state) {
    (void)state;
    const struct {
        const char *name;
        int nq, nv, slots, quadruped;
        double mass;
    } cases[] = {
        {"anymal", 19, 18, 12, 1, 30.4}, {"solo12", 19, 18, 12, 1, 2.4994},  {"hopper", 8, 7, 2, 0, 1.2}, {"sphere", 7, 6, 1, 0, 1},
        {"cube", 7, 6, 8, 0, 1},         {"double-pendulum", 2, 2, 0, 0, 2}, {"chain-1", 7, 6, 2, 0, 1},  {"chain-64", 259, 195, 65, 0, 64},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        myr_model *m = NULL;
        if (myr_model_load(cases[i].name, MYR_ROOT_AUTO, &m)) fail_msg("%s", myr_message());
        assert_string_equal(m->name, cases[i].name);
        assert_int_equal(m->n_warnings, 0);
        if (m->nq != cases[i].nq || m->nv != cases[i].nv || m->n_slots != cases[i].slots || m->quadruped.valid != cases[i].quadruped)
            fail_msg("%s: nq %d nv %d slots %d quadruped %d", m->name, m->nq, m->nv, m->n_slots, m->quadruped.valid);
        scene_near(&m->mass, &cases[i].mass, 1, 1e-12, m->name);
        for (int k = 0; k < m->n_bodies; k++)
            if (m->bodies[k].nv == 1) assert_int_not_equal(m->bodies[k].axis_class, MYR_AXIS_GENERAL); /* the fast way through the lanes */
        myr_model_free(m);
    }
}

static void a_directory_of_ones_own_comes_first(void **state) {
    (void)state;
    char directory[] = "/tmp/myriapod-robots-XXXXXX", file[64], list[128];
    assert_non_null(mkdtemp(directory));
    snprintf(file, sizeof file, "%s/cube.urdf", directory);
    snprintf(list, sizeof list, "/nowhere:%s", directory);
    FILE *out = fopen(file, "w");
    assert_non_null(out);
    fputs("<robot name='mine'>" LINK("base") "</robot>", out);
    fclose(out);
    setenv("MYRIAPOD_ROBOTS", list, 1);
    myr_model *m = NULL;
    const myr_status status = myr_model_load("cube", MYR_ROOT_AUTO, &m), other = myr_model_load("sphere", MYR_ROOT_AUTO, NULL);
    unsetenv("MYRIAPOD_ROBOTS");
    remove(file);
    remove(directory);
    assert_int_equal(status, MYR_OK);
    assert_int_equal(other, MYR_E_ARG);
    assert_string_equal(m->name, "mine");
    myr_model_free(m);
}

/* What the fuzzer starts from, and what it found: bad_* is refused with words, good_* loads. */
static void seeds_of_the_fuzzer_keep_their_promise(void **state) {
    (void)state;
    char path[4096];
    const char *source = getenv("MYRIAPOD_SOURCE");
    snprintf(path, sizeof path, "%s/tests/fuzz/urdf", source ? source : ".");
    DIR *directory = opendir(path);
    if (!directory) fail_msg("cannot open %s; MYRIAPOD_SOURCE is the source tree", path);
    int bad = 0, good = 0;
    for (const struct dirent *entry; (entry = readdir(directory));) {
        if (entry->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "%s/tests/fuzz/urdf/%s", source ? source : ".", entry->d_name);
        const int wanted_good = !strncmp(entry->d_name, "good_", 5);
        myr_model *m = NULL;
        myr_fail(MYR_OK, "%s", "");
        const myr_status status = myr_model_load(path, MYR_ROOT_AUTO, &m);
        if ((status == MYR_OK) != wanted_good) fail_msg("%s: status %d, %s", entry->d_name, status, myr_message());
        if (!wanted_good) assert_true(strlen(myr_message()) > 10);
        myr_model_free(m);
        good += wanted_good;
        bad += !wanted_good;
    }
    closedir(directory);
    assert_true(good >= 4 && bad >= 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_is_read),
        cmocka_unit_test(oddities_warn_and_load),
        cmocka_unit_test(many_oddities_are_one_warning),
        cmocka_unit_test(unknown_words_are_named),
        cmocka_unit_test(wrong_files_are_refused_by_line_and_element),
        cmocka_unit_test(arguments_are_checked),
        cmocka_unit_test(numbers_are_exact_in_any_locale_and_rounding),
        cmocka_unit_test(shipped_robots_load_without_a_word),
        cmocka_unit_test(a_directory_of_ones_own_comes_first),
        cmocka_unit_test(seeds_of_the_fuzzer_keep_their_promise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Which robots are quadrupeds, and how they stand: feet on the ground, below the hips, within limits, whatever the frames. */
#include "support/beast.h"
#include "support/model_scene.h"

#include <math.h>
#include <string.h>

#include "model/description.h"
#include "myriapod/myriapod.h"

/* Feet touch the ground near below their hips, legs are sorted, knees keep within [lower, upper]. */
static void assert_stands(const myr_model *m, const beast *p) {
    static const char *const order[] = {"LF", "RF", "LH", "RH"};
    const myr_quadruped *quadruped = &m->quadruped;
    myr_pose poses[16];
    double q[32];
    assert_int_equal(quadruped->valid, 1);
    myr_model_home(m, q);
    myr_model_poses(m, q, poses);
    for (int leg = 0; leg < 4; leg++) {
        const int *joint = quadruped->joint[leg];
        if (strncmp(m->bodies[joint[2]].joint_name, order[leg], 2) != 0) fail_msg("leg %d is %s", leg, m->bodies[joint[2]].joint_name);
        assert_int_equal(joint[0] < 0, p->two_joints);
        assert_int_equal(m->geoms[quadruped->foot_geom[leg]].body, joint[2]);
        scene_near(&(double){myr_lowest_point(m, quadruped->foot_geom[leg], poses)}, &(double){0.0}, 1, 1e-12, "height of a foot");
        double foot[3];
        myr_rotate(foot, poses[joint[2]].rotation, m->slots[m->geoms[quadruped->foot_geom[leg]].slot].center);
        for (int k = 0; k < 3; k++) foot[k] += poses[joint[2]].position[k] - poses[joint[1]].position[k];
        const double high = -foot[2], off = fabs(foot[p->heading_y ? 1 : 0]),
                     outwards = foot[p->heading_y ? 0 : 1] * (p->heading_y ? -1 : 1) * (leg % 2 ? -1 : 1);
        assert_true(high > 0.3 && off < 0.1 * high);
        if (!p->two_joints) assert_true(outwards > 0.005 && outwards < 0.15);
        const myr_body *knee = &m->bodies[joint[2]];
        const double angle = quadruped->home[leg][2];
        assert_true(knee->lower > knee->upper || (angle >= knee->lower && angle <= knee->upper));
        assert_true(q[knee->q] == angle && q[m->bodies[joint[1]].q] == quadruped->home[leg][1]);
        /* the knee stands out of the line from hip to foot: bent, not straight */
        const double bent = poses[joint[2]].position[p->heading_y ? 1 : 0] - poses[joint[1]].position[p->heading_y ? 1 : 0];
        assert_true(fabs(bent) > 0.05);
    }
    assert_int_equal(quadruped->torso_geom, 0);
}

static void legs_stand_however_they_are_drawn(void **state) {
    (void)state;
    const double angles[] = {0.0, 0.4, -1.2, 2.0, 3.1};
    for (int shape = 0; shape < 8; shape++)
        for (size_t hip = 0; hip < 5; hip++)
            for (size_t knee = 0; knee < 5; knee++) {
                beast p = beast_usual;
                p.flipped = shape & 1, p.heading_y = shape >> 1 & 1, p.two_joints = shape >> 2 & 1;
                p.drawn_hip = angles[hip], p.drawn_knee = angles[knee];
                myr_model *m = beast_build(&p);
                assert_stands(m, &p);
                myr_model_free(m);
            }
}

static void knees_bend_where_limits_let_them(void **state) {
    (void)state;
    beast p = beast_usual;
    p.limits = "<limit lower='-2.7' upper='-0.9' effort='1'/>"; /* A1's: never straight, one way for all legs */
    myr_model *m = beast_build(&p);
    assert_stands(m, &p);
    for (int leg = 0; leg < 4; leg++) assert_true(m->quadruped.home[leg][2] == -0.9 - 0.1 && m->quadruped.home[leg][1] > 0.4);
    myr_model_free(m);
    p.limits = "<limit lower='-1' upper='1' effort='1'/>";
    m = beast_build(&p);
    assert_stands(m, &p);
    for (int leg = 0; leg < 4; leg++) scene_near(&m->quadruped.home[leg][2], &(double){leg < 2 ? -0.8 : 0.8}, 1, 1e-15, "knee");
    myr_model_free(m);
    p.limits = "<limit lower='3.13' upper='3.14' effort='1'/>"; /* folded flat: feet at the height of the hips */
    m = beast_build(&p);
    assert_int_equal(m->quadruped.valid, 0);
    scene_warned(m, WORDS("`beast` has four legs", "ends in `LF_s`", "foot below its hip within the joint limits"));
    myr_model_free(m);
}

static void anymal_stands_as_published(void **state) {
    (void)state;
    static const double wanted[4][3] = {{0.03, 0.4, -0.8}, {-0.03, 0.4, -0.8}, {0.03, -0.4, 0.8}, {-0.03, -0.4, 0.8}};
    myr_model *m = NULL;
    assert_int_equal(myr_model_load("anymal", MYR_ROOT_AUTO, &m), MYR_OK);
    for (int leg = 0; leg < 4; leg++) scene_near(m->quadruped.home[leg], wanted[leg], 3, 1e-15, "home");
    scene_near(&m->quadruped.kp, &(double){80.0}, 1, 1e-12, "kp");
    scene_near(&m->quadruped.kd, &(double){2.0}, 1, 1e-12, "kd");
    assert_string_equal(m->geoms[m->quadruped.torso_geom].name, "torso");
    assert_stands(m, &beast_usual);
    myr_model_free(m);
    /* weight x length, and that x sqrt(length) */
    beast p = beast_usual;
    m = beast_build(&p);
    const double kp = 80.0 * (8.2 / 30.4) * (0.45 / 0.56);
    scene_near(&m->quadruped.kp, &kp, 1, 1e-12, "kp");
    scene_near(&m->quadruped.kd, &(double){kp / 40.0 * sqrt(0.45 / 0.56)}, 1, 1e-12, "kd");
    myr_model_free(m);
}

static void feet_may_be_boxes(void **state) {
    (void)state;
    beast p = beast_usual;
    p.foot = "<box size='0.02 0.02 0.04'/>";
    myr_model *m = beast_build(&p);
    assert_int_equal(m->quadruped.valid, 1);
    myr_pose poses[16];
    double q[32];
    myr_model_home(m, q);
    myr_model_poses(m, q, poses);
    for (int leg = 0; leg < 4; leg++)
        scene_near(&(double){myr_lowest_point(m, m->quadruped.foot_geom[leg], poses)}, &(double){0.0}, 1, 1e-12, "height of a foot");
    myr_model_free(m);
}

static void others_are_none(void **state) {
    (void)state;
    beast p = beast_usual;
    p.legs = 3;
    myr_model *m = beast_build(&p);
    assert_int_equal(m->quadruped.valid, 0);
    assert_int_equal(m->n_warnings, 0);
    myr_model_free(m);
    p.legs = 5;
    m = beast_build(&p);
    assert_int_equal(m->quadruped.valid, 0);
    myr_model_free(m);
    p = beast_usual;
    p.foot = "<mesh filename='foot'/>";
    m = beast_build(&p);
    assert_int_equal(m->quadruped.valid, 0);
    scene_warned(m, WORDS("`beast` has four legs", "ends in `RH_s` has no foot", "quadruped tasks"));
    myr_model_free(m);
    myr_model *fixed = NULL;
    assert_int_equal(myr_model_load("anymal", MYR_ROOT_FIXED, &fixed), MYR_OK);
    assert_int_equal(fixed->quadruped.valid, 0);
    assert_int_equal(fixed->n_trees, 4);
    myr_model_free(fixed);
}

/* Within a second all of them go where they head. */
static void quadrupeds_trot_forward(void **state) {
    (void)state;
    for (int shape = 0; shape < 8; shape++) {
        enum { ROBOTS = 8 };
        beast p = beast_usual;
        p.flipped = shape & 1, p.heading_y = shape >> 1 & 1, p.two_joints = shape >> 2 & 1;
        p.limits = "<limit effort='100'/>";
        myr_model *m = beast_build(&p);
        myr_batch *batch = NULL;
        myr_settings settings = myr_settings_default();
        double start[ROBOTS][2], heading[ROBOTS], ahead = 0, aside = 0;
        /* The gait is open loop and drifts; under this law the drift is the smaller part for every shape. */
        assert_true(myr_settings_set(&settings, "task", "trot") == MYR_OK && myr_settings_set(&settings, "threads", "1") == MYR_OK &&
                    myr_settings_set(&settings, "solver", "bisection") == MYR_OK);
        assert_int_equal(myr_batch_create(m, ROBOTS, &settings, &batch), MYR_OK);
        const int nq = myr_batch_components(batch, MYR_Q);
        assert_in_range(nq, 15, 19);
        double q[ROBOTS * 19];
        assert_int_equal(myr_batch_step(batch, 500), MYR_OK);
        assert_int_equal(myr_batch_get(batch, MYR_Q, NULL, ROBOTS, MYR_F64, q), MYR_OK);
        for (int env = 0; env < ROBOTS; env++) {
            memcpy(start[env], q + env * nq, sizeof start[env]);
            heading[env] = 2 * atan2(q[env * nq + 6], q[env * nq + 3]); /* about z; they have hardly turned yet */
        }
        assert_int_equal(myr_batch_step(batch, 1000), MYR_OK);
        assert_int_equal(myr_batch_get(batch, MYR_Q, NULL, ROBOTS, MYR_F64, q), MYR_OK);
        for (int env = 0; env < ROBOTS; env++) {
            const double east = q[env * nq] - start[env][0], north = q[env * nq + 1] - start[env][1];
            const double c = cos(heading[env]), s = sin(heading[env]), x = c * east + s * north, y = c * north - s * east;
            ahead += (p.heading_y ? y : x) / ROBOTS;
            aside += fabs(p.heading_y ? x : y) / ROBOTS;
        }
        print_message("shape %d: %.3f m ahead, %.3f m aside\n", shape, ahead, aside);
        if (!(ahead > 0.3 && ahead > aside)) fail_msg("shape %d goes %.3f m ahead and %.3f m aside in a second", shape, ahead, aside);
        myr_batch_free(batch);
        myr_model_free(m);
    }
}

/* Gains are found for the pose that is home: of a file that says it, that one. */
static void gains_are_those_of_the_files_home(void **state) {
    (void)state;
    myr_model *m = NULL;
    assert_int_equal(myr_model_load("go2", MYR_ROOT_AUTO, &m), MYR_OK);
    if (myr_model_warning(m, 0)) fail_msg("%s", myr_model_warning(m, 0));
    for (int leg = 0; leg < 4; leg++) {
        const double home[3] = {0, 0.9, -1.8};
        for (int k = 0; k < 3; k++) assert_true(m->quadruped.home[leg][k] == home[k]);
    }
    assert_true(m->quadruped.kp > 20 && m->quadruped.kp < 200);
    myr_model_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(legs_stand_however_they_are_drawn),
        cmocka_unit_test(knees_bend_where_limits_let_them),
        cmocka_unit_test(anymal_stands_as_published),
        cmocka_unit_test(feet_may_be_boxes),
        cmocka_unit_test(others_are_none),
        cmocka_unit_test(quadrupeds_trot_forward),
        cmocka_unit_test(gains_are_those_of_the_files_home),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

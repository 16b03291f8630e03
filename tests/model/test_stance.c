/* ctest: heavy
 * Quadrupeds stand: their gains are such that they come to rest near home, whichever way their limits force the knees. */
#include "support/beast.h"
#include "support/model_scene.h"

#include <math.h>
#include <string.h>

#include "model/description.h"
#include "myriapod/myriapod.h"

enum { ROBOTS = 16, MOST_NQ = 19 };

static const double held_sag = 0.12; /* [rad] 0.1 is what the gains are made for, were the feet held in place */

/* Of joints that never come straight, both knees of a side one way (A1), and the mirrored robot. */
static const char *const one_way[2] = {"<limit lower='-2.7' upper='-0.9' effort='100'/>", "<limit lower='0.9' upper='2.7' effort='100'/>"};

static myr_batch *stand(const myr_model *m, const char *kp) {
    myr_batch *batch = NULL;
    myr_settings settings = myr_settings_default();
    assert_true(myr_settings_set(&settings, "task", "stand") == MYR_OK && myr_settings_set(&settings, "threads", "1") == MYR_OK &&
                (!kp || myr_settings_set(&settings, "kp", kp) == MYR_OK));
    assert_int_equal(myr_batch_create(m, ROBOTS, &settings, &batch), MYR_OK);
    return batch;
}

/* How many are within 45 degrees of upright, root above the ground; *sag: the largest angle of a joint off home. */
static int count_upright(const myr_batch *batch, const myr_model *m, double *sag) {
    double q[ROBOTS * MOST_NQ], home[MOST_NQ];
    int upright = 0;
    assert_true(m->nq <= MOST_NQ);
    assert_int_equal(myr_batch_get(batch, MYR_Q, NULL, ROBOTS, MYR_F64, q), MYR_OK);
    myr_model_home(m, home);
    *sag = 0.0;
    for (int env = 0; env < ROBOTS; env++) {
        const double *at = q + env * m->nq;
        upright += 1.0 - 2.0 * (at[4] * at[4] + at[5] * at[5]) > sqrt(0.5) && at[2] > 0.0;
        for (int k = 7; k < m->nq; k++) *sag = fmax(*sag, fabs(at[k] - home[k]));
    }
    return upright;
}

static void assert_stands(const myr_model *m, const char *what, int shape, double most_sag) {
    double sag;
    myr_batch *batch = stand(m, NULL);
    assert_int_equal(myr_batch_step(batch, 10000), MYR_OK);
    const int upright = count_upright(batch, m, &sag);
    print_message("%s, shape %d: kp %.4g, %d of %d upright after 10 s, joints %.3f rad off home\n", what, shape, m->quadruped.kp, upright,
                  ROBOTS, sag);
    if (upright != ROBOTS) fail_msg("%s, shape %d: %d of %d upright", what, shape, upright, ROBOTS);
    if (!(sag < most_sag)) fail_msg("%s, shape %d: joints %.3f rad off home", what, shape, sag);
    myr_batch_free(batch);
}

static double highest_foot(const myr_model *m) {
    myr_pose poses[MOST_NQ];
    double q[MOST_NQ], highest = 0.0;
    myr_model_home(m, q);
    myr_model_poses(m, q, poses);
    for (int leg = 0; leg < 4; leg++) highest = fmax(highest, myr_lowest_point(m, m->quadruped.foot_geom[leg], poses));
    return highest;
}

static int says(const myr_model *m, const char *word) {
    int count = 0;
    for (int i = 0; i < m->n_warnings; i++) count += strstr(m->warnings[i], word) != NULL;
    return count;
}

static void knees_forced_one_way_stand(void **state) {
    (void)state;
    for (int shape = 0; shape < 16; shape++) {
        beast p = beast_usual;
        p.flipped = shape & 1, p.heading_y = shape >> 1 & 1, p.two_joints = shape >> 2 & 1;
        p.limits = one_way[shape >> 3];
        p.half = 0.2; /* hips as far apart as A1's, over the length of the legs */
        myr_model *m = beast_build(&p);
        assert_stands(m, "knees one way", shape, held_sag);
        for (int leg = 1; leg < 4; leg++) assert_true(m->quadruped.home[leg][2] * m->quadruped.home[0][2] > 0.0);
        myr_model_free(m);
    }
}

/* Far from the middle, or beyond the hips: feet that stay below the hips do not carry this. */
static void weight_far_from_the_middle_stands(void **state) {
    (void)state;
    static const double ahead[] = {0.15, 0.35, 0.5, -0.5};
    for (int shape = 0; shape < 32; shape++) {
        beast p = beast_usual;
        p.heading_y = shape & 1, p.two_joints = shape >> 1 & 1;
        p.limits = shape >> 2 & 1 ? one_way[shape & 1] : "<limit effort='100'/>";
        p.ahead = ahead[shape >> 3];
        myr_model *m = beast_build(&p);
        assert_int_equal(says(m, "stand"), 0);
        assert_stands(m, "weight ahead", shape, 0.2); /* feet that carry little slip */
        myr_model_free(m);
    }
}

static void gains_that_are_set_win(void **state) {
    (void)state;
    beast p = beast_usual;
    p.limits = one_way[0];
    myr_model *m = beast_build(&p);
    myr_batch *batch = stand(m, "7.5");
    double kp[ROBOTS * 12];
    assert_int_equal(myr_batch_get(batch, MYR_KP, NULL, ROBOTS, MYR_F64, kp), MYR_OK);
    for (int i = 0; i < ROBOTS * 12; i++) assert_true(kp[i] == 7.5 && m->quadruped.kp > 7.5);
    myr_batch_free(batch);
    myr_model_free(m);
}

static void what_cannot_stand_is_named(void **state) {
    (void)state;
    beast p = beast_usual;
    myr_model *m = beast_build(&p); /* an effort limit of 1 N m on every knee */
    assert_int_equal(m->quadruped.valid, 1);
    scene_warned(m, WORDS("`beast` will not stand", "LF_KFE", "effort limit", "1 N m"));
    myr_model_free(m);
    p.limits = "<limit effort='100'/>";
    m = beast_build(&p);
    assert_int_equal(says(m, "stand"), 0);
    myr_model_free(m);
    p.ahead = 1.0; /* far in front of all feet */
    m = beast_build(&p);
    assert_int_equal(m->quadruped.valid, 1);
    scene_warned(m, WORDS("`beast` will not stand", "no stiffness", "weight over its feet"));
    myr_model_free(m);
}

/* Those that reach farther bend more; where limits forbid it, a warning names the feet in the air. */
static void legs_of_unequal_reach_stand_level(void **state) {
    (void)state;
    for (int shape = 0; shape < 16; shape++) {
        beast p = beast_usual;
        p.flipped = shape & 1, p.heading_y = shape >> 1 & 1, p.two_joints = shape >> 2 & 1;
        p.limits = shape >> 3 ? one_way[0] : "<limit effort='100'/>";
        p.longer = 0.05;
        myr_model *m = beast_build(&p);
        const double off = highest_foot(m);
        if (!(off < 1e-3)) fail_msg("shape %d: a foot is %.4f m above the ground", shape, off);
        assert_int_equal(says(m, "will lean"), 0);
        assert_stands(m, "hind legs longer", shape, held_sag);
        myr_model_free(m);
    }
    beast p = beast_usual;
    p.longer = 0.05;
    p.limits = "<limit lower='-1.05' upper='-0.9' effort='100'/>";
    myr_model *m = beast_build(&p);
    assert_true(highest_foot(m) > 0.03);
    scene_warned(m, WORDS("`beast` will lean", "LF_KFE", "above the ground"));
    scene_warned(m, WORDS("`beast` will lean", "RF_KFE"));
    assert_int_equal(says(m, "will lean"), 2);
    myr_model_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(knees_forced_one_way_stand),        cmocka_unit_test(weight_far_from_the_middle_stands),
        cmocka_unit_test(legs_of_unequal_reach_stand_level), cmocka_unit_test(gains_that_are_set_win),
        cmocka_unit_test(what_cannot_stand_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Every quadruped of ../shared/models (robots as others publish them, not part of this project) still stands after 10 s of the task
 * `stand`: its own z axis within 45 degrees of up, its root above the ground. Those to which the task does not apply are listed.
 * ctest: heavy timeout=300
 * may skip: a clone without ../shared has none of these robots */
#include "support/model_scene.h"

#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "myriapod/myriapod.h"

enum { ROBOTS = 16, MOST_NQ = 64, SKIPPED = 77 };

static glob_t files;

/* Robots on four legs to which the tasks do not apply, and the words of the warning that says so. */
static const struct {
    const char *file, *words;
} four_legs[] = {{"solo12/solo12.urdf", "has no foot: no sphere, box or capsule there"},
                 {"solo12/solo8_erd.urdf", "has no foot: no sphere, box or capsule there"},
                 {"simbenchmark/anymal_momentum_mujoco.urdf", "floating joint is ignored"}}; /* a ball is there too: 2 trees */
/* Those that must be among the ones that stand: the test is about them. */
static const char *const wanted[] = {"a1/a1.urdf",
                                     "anymal_b/anymal.urdf",
                                     "anymal_c/anymal.urdf",
                                     "dojo/quadruped.urdf",
                                     "hyq/hyq_no_sensors.urdf",
                                     "constraineddynamics/quadruped.urdf",
                                     "newton/quadruped.urdf",
                                     "quadruped/quadruped.urdf",
                                     "laikago/laikago.urdf",
                                     "raisim_rsc/anymal.urdf",
                                     "simbenchmark/anymal_pd.urdf",
                                     "anymal_b/anymal-kinova_erd.urdf"};

/* FOLDER/FILE */
static const char *short_name(const char *path) {
    static const char folder[] = "shared/models/";
    const char *at = strstr(path, folder);
    return at ? at + strlen(folder) : path;
}

static int count_upright(const myr_model *m, const char *name) {
    double q[ROBOTS * MOST_NQ];
    myr_batch *batch = NULL;
    myr_settings settings = myr_settings_default();
    assert_true(myr_settings_set(&settings, "task", "stand") == MYR_OK && myr_settings_set(&settings, "threads", "1") == MYR_OK);
    assert_int_equal(myr_batch_create(m, ROBOTS, &settings, &batch), MYR_OK);
    const int nq = myr_batch_components(batch, MYR_Q);
    if (nq > MOST_NQ) fail_msg("%s: nq is %d", name, nq);
    assert_int_equal(myr_batch_step(batch, 10000), MYR_OK);
    assert_int_equal(myr_batch_get(batch, MYR_Q, NULL, ROBOTS, MYR_F64, q), MYR_OK);
    int upright = 0;
    for (int env = 0; env < ROBOTS; env++) {
        const double *at = q + (ptrdiff_t)env * nq;
        upright += 1.0 - 2.0 * (at[4] * at[4] + at[5] * at[5]) > sqrt(0.5) && at[2] > 0.0;
    }
    print_message("%-42s kp %6.2f: %d of %d upright, root at %.3f m\n", name, m->quadruped.kp, upright, ROBOTS, q[2]);
    myr_batch_free(batch);
    return upright;
}

static void quadrupeds_stand_for_ten_seconds(void **state) {
    (void)state;
    int fallen = 0, stood = 0;
    for (size_t i = 0; i < files.gl_pathc; i++) {
        const char *name = short_name(files.gl_pathv[i]);
        myr_model *m = NULL;
        if (myr_model_load(files.gl_pathv[i], MYR_ROOT_AUTO, &m) != MYR_OK) continue; /* check_shared_models.py knows which */
        if (m->quadruped.valid && count_upright(m, name) < ROBOTS) fallen++;
        for (size_t k = 0; k < sizeof wanted / sizeof *wanted; k++) stood += m->quadruped.valid && strcmp(name, wanted[k]) == 0;
        for (size_t k = 0; k < sizeof four_legs / sizeof *four_legs; k++)
            if (strcmp(name, four_legs[k].file) == 0) scene_warned(m, WORDS(four_legs[k].words));
        myr_model_free(m);
    }
    if (fallen) fail_msg("%d kinds of robots do not stand after 10 s", fallen);
    assert_int_equal(stood, sizeof wanted / sizeof *wanted);
}

int main(void) {
    const char *source = getenv("MYRIAPOD_SOURCE");
    char pattern[4096];
    snprintf(pattern, sizeof pattern, "%s/../shared/models/*/*.urdf", source ? source : ".");
    if (glob(pattern, 0, NULL, &files) != 0) {
        printf("skipped: there is no %s\n", pattern);
        return SKIPPED;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(quadrupeds_stand_for_ten_seconds)};
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    globfree(&files);
    return failed;
}

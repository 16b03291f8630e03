/* The setting `ground`. At another height all is as at 0, shifted, to rounding: solves are exact here. In float the ground is raised less:
 * at 3 m a height is known to 2e-7 m, which over dt is 1e-4 m/s of what lands. Without a ground everything falls. A robot that is fixed to
 * the world lies in the ground only if it is asked to. ctest: lanes */
#include <math.h>
#include <string.h>

#include "support/batch_scene.h"
#include "support/isas.h"
#include "kernels/kernels.h"

static const char *const precisions[] = {"f64", "f32"};
enum { ENVS = 17, STEPS = 400, LIMP_STEPS = 250 }; /* a limp ANYmal's fall makes 1e-8 of a rounding by step 400 */

static void run(const char *robot, const char *ground, const char *isa, const char *precision, const char *dynamics, double *q, int *nq) {
    const int steps = strcmp(robot, "anymal") == 0 ? LIMP_STEPS : STEPS;
    myr_model *model;
    MUST(myr_model_open(robot, NULL, &model));
    myr_model_info info;
    myr_model_get_info(model, &info);
    *nq = info.nq;
    const myr_settings settings =
        scene_settings("task", "none", "ground", ground, "isa", isa, "precision", precision, "dynamics", dynamics, "dt", "0.002",
                       "max-sweeps", "5000", "tolerance", precision[1] == '6' ? "1e-12" : "1e-6", NULL);
    myr_batch *batch;
    MUST(myr_batch_create(model, ENVS, &settings, &batch));
    double v[ENVS * 32] = {0};
    assert_true(info.nv <= 32 && info.nq <= 32);
    for (int env = 0; env < ENVS; env++) v[env * info.nv] = 0.05 * env, v[env * info.nv + 2] = 0.2;
    MUST(myr_batch_set(batch, MYR_V, NULL, ENVS, MYR_F64, v));
    MUST(myr_batch_step(batch, steps));
    MUST(myr_batch_get(batch, MYR_Q, NULL, ENVS, MYR_F64, q));
    myr_batch_free(batch);
    myr_model_free(model);
}

static void heights_shift_the_world(void **state) {
    (void)state;
    static const char *const robots[] = {"cube", "sphere", "anymal"}, *const schemes[] = {"generalized", "maximal"};
    double flat[ENVS * 32], raised[ENVS * 32];
    int nq;
    for (int r = 0; r < 3; r++)
        for (int i = 0; isa_at(i); i++)
            for (int p = 0; p < 2; p++)
                for (int d = 0; d < (r < 2 ? 2 : 1); d++) {
                    run(robots[r], "auto", isa_at(i), precisions[p], schemes[d], flat, &nq);
                    run(robots[r], p ? "0.5" : "2.5", isa_at(i), precisions[p], schemes[d], raised, &nq);
                    for (int k = 0; k < ENVS * nq; k++) {
                        const double less = k % nq == 2 ? p ? 0.5 : 2.5 : 0;
                        if (!(fabs(raised[k] - less - flat[k]) < (p ? 3e-3 : 1e-9)))
                            fail_msg("%s, %s, %s: q[%d] of robot %d is %g, and %g with a raised ground", robots[r], isa_at(i),
                                     precisions[p], k % nq, k / nq, flat[k], raised[k]);
                    }
                }
}

static void without_it_all_fall(void **state) {
    (void)state;
    double q[ENVS * 32];
    int nq;
    for (int i = 0; isa_at(i); i++)
        for (int p = 0; p < 2; p++) {
            const double t = 0.002 * STEPS, way = 0.2 * t - 9.81 * 0.5 * t * (t + 0.002);
            run("cube", "off", isa_at(i), precisions[p], "generalized", q, &nq);
            const double home = q[2] - way;
            assert_true(home > 0 && home < 1); /* where a cube stands */
            for (int env = 0; env < ENVS; env++) assert_true(fabs(q[env * nq + 2] - q[2]) < 1e-9 && fabs(q[env * nq + 6]) < 1e-9);
        }
}

/* A ball of 0.1 m on an arm that swings about the world at `z`, hanging straight down. */
static myr_model *swing(double z) {
    myr_builder *builder;
    myr_model *model;
    MUST(myr_builder_create("swing", &builder));
    myr_body_def body = myr_body_def_default();
    body.name = "ball", body.joint = MYR_JOINT_REVOLUTE, body.axis[0] = 0, body.axis[1] = 1, body.position_m[2] = z;
    body.mass_kg = 1, body.com_m[2] = -1;
    body.inertia_kgm2[0] = body.inertia_kgm2[1] = body.inertia_kgm2[2] = 0.004;
    int id;
    MUST(myr_builder_body(builder, &body, &id));
    myr_geom_def geom = myr_geom_def_default();
    geom.body = id, geom.size_m[0] = 0.1, geom.position_m[2] = -1;
    MUST(myr_builder_geom(builder, &geom, NULL));
    MUST(myr_builder_compile(builder, &model));
    myr_builder_free(builder);
    return model;
}

/* Thrown at 0.5 rad/s. Where the ground is a ball's depth too high it stops the ball at once; by default nothing does. */
static void fixed_robots_are_not_buried(void **state) {
    (void)state;
    static const struct {
        double z;
        const char *ground;
        int buried;
    } cases[] = {{1.0, "auto", 0}, {1.0, "0", 1}, {1.0, "off", 0}, {2.0, "auto", 0}, {2.0, "0.95", 1}, {1.0995, "auto", 1}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        myr_model *model = swing(cases[c].z);
        myr_model_info info;
        myr_model_get_info(model, &info);
        assert_true(fabs(info.lowest_m - (cases[c].z - 1.1)) < 1e-12);
        myr_settings settings = scene_settings("task", "none", "ground", cases[c].ground, "precision", "f64", NULL);
        myr_batch *batch;
        settings.sense_contacts = 1;
        MUST(myr_batch_create(model, 1, &settings, &batch));
        const double spin = 0.5;
        double depth;
        MUST(myr_batch_set(batch, MYR_V, NULL, 1, MYR_F64, &spin));
        MUST(myr_batch_step(batch, 1));
        MUST(myr_batch_get(batch, MYR_CONTACT_DEPTH, NULL, 1, MYR_F64, &depth));
        if ((depth > 0) != cases[c].buried) fail_msg("arm at %g m, ground %s: depth %g", cases[c].z, cases[c].ground, depth);
        myr_batch_free(batch);
        myr_model_free(model);
    }
}

static void other_words_are_refused(void **state) {
    (void)state;
    static const char *const bad[] = {
        "NUMBER",
        "on",
        "",
        "1e",
        "0.5 m",
        "0x",
        "1.00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"};
    myr_settings settings = myr_settings_default();
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) MUST_FAIL(myr_settings_set(&settings, "ground", bad[i]), MYR_E_ARG, "ground");
    myr_model *model;
    myr_batch *batch;
    MUST(myr_model_open("cube", NULL, &model));
    static const char *const wild[] = {"nan", "inf", "-inf", "1e9"};
    for (size_t i = 0; i < sizeof wild / sizeof *wild; i++) {
        MUST(myr_settings_set(&settings, "ground", wild[i]));
        MUST_FAIL(myr_batch_create(model, 1, &settings, &batch), MYR_E_ARG, "ground");
    }
    myr_model_free(model);
    MUST(myr_model_open("anymal", NULL, &model));
    settings = scene_settings("task", "locomotion", "ground", "1", NULL);
    MUST_FAIL(myr_batch_create(model, 1, &settings, &batch), MYR_E_ARG, "locomotion");
    myr_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heights_shift_the_world),
        cmocka_unit_test(without_it_all_fall),
        cmocka_unit_test(fixed_robots_are_not_buried),
        cmocka_unit_test(other_words_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

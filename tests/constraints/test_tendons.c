/* ctest: law lanes
 * Tendons: a limit and dry friction on a sum of joint positions, one row of the problem. In every unit a step gives what the law says by M
 * alone; friction holds below its threshold and slides past it as a closed form says; bits are a lane's own; files and calls are checked.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/isas.h"
#include "support/joint_scene.h"
#include "support/model_scene.h"
#include "support/random_model.h"

enum { ENVS = 17, NQ = 10, NV = 9 };
static const double coefficients[2] = {0.7, -1.3}, most = 0.05, dt = 1e-3;

static int limb(myr_builder *builder, const char *name, int parent, double side, int axis) {
    myr_body_def def = myr_body_def_default();
    int id;
    def.name = name, def.parent = parent, def.joint = MYR_JOINT_REVOLUTE, def.mass_kg = 0.8, def.com_m[0] = 0.1 * side,
    def.com_m[2] = -0.05;
    def.position_m[0] = 0.25 * side;
    for (int k = 0; k < 3; k++) def.axis[k] = k == axis, def.inertia_kgm2[k] = 4e-3;
    assert_int_equal(myr_builder_body(builder, &def, &id), MYR_OK);
    return id;
}

/* A floating torso with an arm of two joints and one of one: dofs 6, 7, 8. The tendon goes from the first arm's hand to the second arm.
 * touching: its arms may touch each other, so that it takes the path of mixed contacts. */
static myr_model *torso(int touching) {
    myr_builder *builder = scene_builder();
    const int root = scene_body(builder, "torso", -1, MYR_JOINT_FREE, 0, 0, 0), arm = limb(builder, "arm", root, 1, 1);
    const int hand = limb(builder, "hand", arm, 1, 0), other = limb(builder, "other", root, -1, 1);
    myr_tendon_def tendon = myr_tendon_def_default();
    tendon.name = "string", tendon.n = 2, tendon.joints[0] = hand, tendon.joints[1] = other, tendon.lower = -most, tendon.upper = most;
    memcpy(tendon.coefficients, coefficients, sizeof coefficients);
    assert_int_equal(myr_builder_tendon(builder, &tendon), MYR_OK);
    assert_int_equal(myr_builder_passive(builder), MYR_OK);
    for (int i = 0; i < 2; i++) {
        myr_geom_def ball = myr_geom_def_default();
        ball.body = i ? other : hand, ball.type = MYR_GEOM_SPHERE, ball.size_m[0] = 0.02;
        assert_int_equal(myr_builder_geom(builder, &ball, NULL), MYR_OK);
    }
    if (touching) assert_int_equal(myr_builder_self_collision(builder, MYR_SELF_ALL), MYR_OK);
    myr_model *model = scene_compile(builder);
    myr_builder_free(builder);
    return model;
}

/* Near the limits, and mostly on the way through one of them. */
static void scatter(double q[ENVS][NQ], double v[ENVS][NV]) {
    random_source source = {5};
    for (int env = 0; env < ENVS; env++) {
        const double length = random_uniform(&source, -0.99, 0.99) * most;
        memset(q[env], 0, sizeof q[env]);
        q[env][2] = 2, q[env][3] = 0.8, q[env][4] = 0.6;
        q[env][7] = random_uniform(&source, -0.5, 0.5), q[env][8] = random_uniform(&source, -0.3, 0.3);
        q[env][9] = (length - coefficients[0] * q[env][8]) / coefficients[1];
        for (int k = 0; k < NV; k++) v[env][k] = random_uniform(&source, -1, 1) * (k < 6 ? 1 : 60);
    }
}

static double length_of(const double *q) { return coefficients[0] * q[8] + coefficients[1] * q[9]; }

static myr_batch *batch_of(const myr_model *model, const char *isa, const char *precision, const char *limits, int64_t envs, double q[][NQ],
                           double v[][NV]) {
    const myr_settings settings =
        scene_settings("isa", isa, "precision", precision, "task", "none", "threads", "1", "dt", "0.001", "joint-limits", limits,
                       "spin-damping", "0", "tolerance", strcmp(precision, "f64") ? "1e-6" : "1e-12", NULL);
    myr_batch *batch = NULL;
    MUST(myr_batch_create(model, envs, &settings, &batch));
    MUST(myr_batch_set(batch, MYR_Q, NULL, envs, MYR_F64, q));
    MUST(myr_batch_set(batch, MYR_V, NULL, envs, MYR_F64, v));
    return batch;
}

/* M (v+ - v*) = J' lambda with v* of the batch that has no limits; lambda pushes inwards alone, and where it does the tendon ends on its
 * limit. */
static void a_step_obeys_the_law(void **state) {
    (void)state;
    static double q[ENVS][NQ], v[ENVS][NV], M[ENVS][NV][NV], free[ENVS][NV], after[ENVS][NV], ends[ENVS][NQ], impulse[ENVS];
    int tight = 0, slack = 0;
    double worst[2] = {0, 0};
    for (int touching = 0; touching < 2; touching++) {
        myr_model *model = torso(touching);
        const myr_settings settings = scene_settings("precision", "f64", NULL);
        scatter(q, v);
        const myr_evaluation wanted = {.n = ENVS, .q = q[0], .v = v[0], .M = M[0][0]};
        MUST(myr_evaluate(model, &settings, &wanted));
        for (int i = 0; isa_at(i); i++)
            for (int p = 0; p < 2; p++) {
                const char *precision = p ? "f64" : "f32";
                const double rounding = p ? 1e-9 : 1e-3;
                myr_batch *loose = batch_of(model, isa_at(i), precision, "off", ENVS, q, v);
                myr_batch *held = batch_of(model, isa_at(i), precision, "on", ENVS, q, v);
                MUST(myr_batch_step(loose, 1));
                MUST(myr_batch_step(held, 1));
                MUST(myr_batch_get(loose, MYR_V, NULL, ENVS, MYR_F64, free));
                MUST(myr_batch_get(held, MYR_V, NULL, ENVS, MYR_F64, after));
                MUST(myr_batch_get(held, MYR_Q, NULL, ENVS, MYR_F64, ends));
                MUST(myr_batch_get(held, MYR_ROW_IMPULSE, NULL, ENVS, MYR_F64, impulse));
                for (int env = 0; env < ENVS; env++) {
                    const double length = length_of(ends[env]);
                    double off = fmax(fabs(length) - most, 0) / dt;
                    for (int k = 0; k < NV; k++) {
                        double sum = k == 7 ? -coefficients[0] * impulse[env] : k == 8 ? -coefficients[1] * impulse[env] : 0;
                        for (int j = 0; j < NV; j++) sum += M[env][k][j] * (after[env][j] - free[env][j]);
                        off = fmax(off, fabs(sum));
                    }
                    if (impulse[env] != 0) off = fmax(off, fabs(length - (impulse[env] > 0 ? -most : most)) / dt);
                    worst[p] = fmax(worst[p], off);
                    if (!(off <= rounding))
                        fail_msg("%s %s, touching %d, environment %d: off by %g", isa_at(i), precision, touching, env, off);
                    tight += impulse[env] != 0, slack += impulse[env] == 0;
                }
                myr_batch_free(loose), myr_batch_free(held);
            }
        myr_model_free(model);
    }
    print_message("%d tendons tight, %d slack; off by %.2g (f32) and %.2g (f64) m/s, N s\n", tight, slack, worst[0], worst[1]);
    assert_true(tight > 20 && slack > 20);
}

/* Alone, and among others, in every instruction set. */
static void bits_are_its_own(void **state) {
    (void)state;
    static double q[ENVS][NQ], v[ENVS][NV], all[ENVS][NQ], alone[NQ];
    uint64_t hash = 0;
    for (int touching = 0; touching < 2; touching++) {
        myr_model *model = torso(touching);
        scatter(q, v);
        for (int i = 0; isa_at(i); i++) {
            myr_batch *batch = batch_of(model, isa_at(i), "f32", "on", ENVS, q, v);
            MUST(myr_batch_step(batch, 50));
            MUST(myr_batch_get(batch, MYR_Q, NULL, ENVS, MYR_F64, all));
            assert_true(!i || myr_batch_hash(batch) == hash);
            hash = myr_batch_hash(batch);
            myr_batch_free(batch);
            for (int env = 0; env < ENVS; env += 5) {
                batch = batch_of(model, isa_at(i), "f32", "on", 1, &q[env], &v[env]);
                MUST(myr_batch_step(batch, 50));
                MUST(myr_batch_get(batch, MYR_Q, NULL, 1, MYR_F64, alone));
                assert_memory_equal(alone, all[env], sizeof alone);
                myr_batch_free(batch);
            }
        }
        myr_model_free(model);
    }
}

/* Two weights of 1 kg on vertical rails, hung on one tendon: 9.81 N on each hold them; with 6 N both fall by a = g - 6 m/s^2. */
static void friction_holds_and_slides(void **state) {
    (void)state;
    for (int slides = 0; slides < 2; slides++) {
        myr_builder *builder = scene_builder();
        myr_tendon_def tendon = myr_tendon_def_default();
        tendon.name = "rope", tendon.n = 2, tendon.dry_friction = slides ? 6 : 9.9;
        for (int i = 0; i < 2; i++) {
            myr_body_def def = myr_body_def_default();
            def.name = i ? "right" : "left", def.joint = MYR_JOINT_PRISMATIC, def.mass_kg = 1, def.axis[0] = 0, def.axis[2] = 1;
            for (int k = 0; k < 3; k++) def.inertia_kgm2[k] = 1e-2;
            assert_int_equal(myr_builder_body(builder, &def, &tendon.joints[i]), MYR_OK);
            tendon.coefficients[i] = 1;
        }
        assert_int_equal(myr_builder_tendon(builder, &tendon), MYR_OK);
        assert_int_equal(myr_builder_passive(builder), MYR_OK);
        myr_model *model = scene_compile(builder);
        for (int implicit = 0; implicit < 2; implicit++) { /* a damper of joints is none of tendons */
            const myr_settings settings = scene_settings("precision", "f64", "task", "none", "threads", "1", "dt", "0.001", "ground", "off",
                                                         "joint-friction", implicit ? "implicit" : "hard", NULL);
            const double fall = slides ? -(9.81 - 6) * dt * dt * 1000 * 1001 / 2 : 0; /* of the step's own rule */
            myr_batch *batch = NULL;
            MUST(myr_batch_create(model, 1, &settings, &batch));
            MUST(myr_batch_step(batch, 1000));
            for (int i = 0; i < 2; i++)
                if (!(fabs(see(batch, MYR_Q, 0, i) - fall) < 1e-5))
                    fail_msg("slides %d: %.9g m, not %.9g", slides, see(batch, MYR_Q, 0, i), fall);
            assert_true(fabs(see(batch, MYR_ROW_IMPULSE, 0, 0) - (slides ? 6 : 9.81) * dt) < 1e-6);
            myr_batch_free(batch);
        }
        myr_model_free(model);
        myr_builder_free(builder);
    }
}

#define HUNG(name) "<body><joint name=\"" name "\"/><geom size=\"0.1\" mass=\"1\"/></body>"
#define FILE_OF(tendons)                                                                                                                   \
    "<mujoco><compiler angle=\"radian\"/><worldbody>" HUNG("a") HUNG("b") "</worldbody>\n<tendon>" tendons "</tendon></mujoco>"
#define TERM(name, coef) "<joint joint=\"" name "\" coef=\"" coef "\"/>"

static void files_say_them(void **state) {
    (void)state;
    static const char text[] = FILE_OF("<fixed name=\"both\" range=\"-0.1 0.3\" limited=\"true\" frictionloss=\"0.2\">" TERM("a", "2")
                                           TERM("b", "-1") "</fixed><fixed name=\"one\" range=\"-1 4\" limited=\"true\">" TERM(
                                               "b", "-2") "</fixed>"
                                                          "<fixed name=\"idle\">" TERM("a", "1") "</fixed>");
    static const struct {
        const char *text, *says;
    } bad[] = {{FILE_OF("<fixed name=\"t\" range=\"2 1\" limited=\"true\">" TERM("a", "1") "</fixed>"), "<mjcf>:2"},
               {FILE_OF("<fixed name=\"t\" frictionloss=\"-1\">" TERM("a", "1") "</fixed>"), "<mjcf>:2"},
               {FILE_OF("<fixed name=\"t\" frictionloss=\"1\">" TERM("c", "1") "</fixed>"), "<mjcf>:2"},
               {FILE_OF("<fixed name=\"t\" frictionloss=\"1\">" TERM("a", "0") "</fixed>"), "all coefficients are zero"}};
    myr_model *model = NULL;
    myr_model_info info;
    myr_row_info row;
    MUST(myr_model_open_text(text, strlen(text), "<mjcf>", NULL, &model));
    myr_model_get_info(model, &info);
    assert_int_equal(info.n_rows, 2);
    MUST(myr_model_get_row(model, 0, &row)); /* a tendon over one joint is that joint's row */
    assert_true(row.tendon == NULL && row.joint == 1 && row.lower == -2 && row.upper == 0.5);
    MUST(myr_model_get_row(model, 1, &row));
    assert_string_equal(row.tendon, "both");
    assert_true(row.n_joints == 2 && row.joints[0] == 0 && row.joints[1] == 1 && row.coefficients[0] == 2 && row.coefficients[1] == -1);
    assert_true(row.lower == -0.1 && row.upper == 0.3 && row.dry_friction == 0.2 && row.length_m > 0);
    const myr_settings maximal = scene_settings("dynamics", "maximal", "task", "none", NULL);
    myr_batch *batch = NULL;
    assert_int_equal(myr_batch_create(model, 1, &maximal, &batch), MYR_E_ARG);
    assert_non_null(strstr(myr_message(), "has tendons"));
    myr_builder *builder = scene_builder(); /* twice in one world: names and joints move on */
    myr_placement put = myr_placement_default();
    for (int i = 0; i < 2; i++) {
        put.prefix = i ? "second/" : "first/";
        assert_int_equal(myr_builder_add_model(builder, model, &put), MYR_OK);
    }
    assert_int_equal(myr_builder_add_model(builder, model, &put), MYR_E_ARG);
    myr_model *world = scene_compile(builder);
    MUST(myr_model_get_row(world, 3, &row));
    assert_string_equal(row.tendon, "second/both");
    assert_true(row.joints[0] == 2 && row.joints[1] == 3);
    myr_model_free(world), myr_model_free(model);
    myr_builder_free(builder);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        if (!myr_model_open_text(bad[i].text, strlen(bad[i].text), "<mjcf>", NULL, &model)) fail_msg("case %zu is taken", i);
        if (!strstr(myr_message(), bad[i].says)) fail_msg("case %zu says: %s", i, myr_message());
    }
}

static void calls_are_checked(void **state) {
    (void)state;
    myr_builder *builder = scene_builder();
    const int root = scene_body(builder, "root", -1, MYR_JOINT_FREE, 0, 0, 0), arm = limb(builder, "arm", root, 1, 1);
    myr_tendon_def good = myr_tendon_def_default();
    good.name = "t", good.n = 1, good.joints[0] = arm, good.coefficients[0] = 1, good.upper = 1;
    myr_tendon_def bad[8];
    for (int i = 0; i < 8; i++) bad[i] = good;
    bad[0].name = "", bad[1].n = 0, bad[2].n = MYR_COUPLED_JOINTS + 1, bad[3].joints[0] = root, bad[4].coefficients[0] = NAN;
    bad[5].lower = 2, bad[6].dry_friction = -1, bad[7].upper = INFINITY;
    for (int i = 0; i < 8; i++) assert_int_equal(myr_builder_tendon(builder, &bad[i]), MYR_E_ARG);
    assert_int_equal(myr_builder_tendon(builder, NULL), MYR_E_ARG);
    assert_int_equal(myr_builder_tendon(builder, &good), MYR_OK);
    assert_int_equal(myr_builder_tendon(builder, &good), MYR_E_ARG); /* the name is taken */
    good.name = "u", good.n = 2, good.joints[1] = arm, good.coefficients[1] = 1;
    assert_int_equal(myr_builder_tendon(builder, &good), MYR_E_ARG); /* a joint comes twice */
    myr_builder_free(builder);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_step_obeys_the_law), cmocka_unit_test(bits_are_its_own),
                                       cmocka_unit_test(friction_holds_and_slides), cmocka_unit_test(files_say_them),
                                       cmocka_unit_test(calls_are_checked)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

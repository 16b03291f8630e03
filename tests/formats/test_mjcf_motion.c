/* How robots of an MJCF move: springs, spring-dampers, joints without a motor, bodies that are held, rotors; on every instruction set.
 * ctest: lanes */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/batch_scene.h"
#include "support/isas.h"
#include "kernels/kernels.h"
#include "support/model_scene.h"

/* `n` copies of one state, one step of 2 ms with the gains of a stiff robot; v of all of them comes back. The hash of the batch. */
static uint64_t step_all(const myr_model *model, int n, const char *isa, const char *precision, const char *dynamics, const double *q,
                         double *v) {
    const char *const words[][2] = {{"task", "none"}, {"dt", "0.002"},          {"spin-damping", "0"},  {"kp", "500"},        {"kd", "20"},
                                    {"isa", isa},     {"precision", precision}, {"dynamics", dynamics}, {"tolerance", "1e-9"}};
    myr_settings settings = myr_settings_default();
    myr_batch *batch = NULL;
    myr_model_info info;
    myr_model_get_info(model, &info);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        assert_int_equal(myr_settings_set(&settings, words[i][0], words[i][1]), MYR_OK);
    if (myr_batch_create(model, n, &settings, &batch)) fail_msg("%s", myr_message());
    for (int64_t lane = 0; lane < n; lane++) {
        assert_int_equal(myr_batch_set(batch, MYR_Q, &lane, 1, MYR_F64, q), MYR_OK);
        assert_int_equal(myr_batch_set(batch, MYR_V, &lane, 1, MYR_F64, v + lane * info.nv), MYR_OK);
    }
    assert_int_equal(myr_batch_step(batch, 1), MYR_OK);
    assert_int_equal(myr_batch_get(batch, MYR_V, NULL, n, MYR_F64, v), MYR_OK);
    const uint64_t hash = myr_batch_hash(batch);
    myr_batch_free(batch);
    return hash;
}

/* From the given state; v comes back. On every instruction set, in both precisions and schemes, in batches of 1 and one more than any
 * register holds, each of which must say the same as far as it can. */
static void step_once(const myr_model *model, const double *q, double *v) {
    static const char *const precisions[] = {"f64", "f32"}, *const schemes[] = {"generalized", "maximal"};
    myr_model_info info;
    myr_model_get_info(model, &info);
    const int nv = info.nv;
    double wanted[8], all[17 * 8];
    assert_true(nv <= 8);
    memcpy(wanted, v, (size_t)nv * sizeof *v);
    step_all(model, 1, "auto", "f64", "generalized", q, wanted);
    for (int p = 0; p < 2; p++)
        for (int d = 0; d < 2; d++)
            for (int n = 1; n <= 17; n += 16) {
                uint64_t first = 0;
                for (int i = 0; isa_at(i); i++) {
                    for (int lane = 0; lane < n; lane++) memcpy(all + lane * nv, v, (size_t)nv * sizeof *v);
                    const uint64_t hash = step_all(model, n, isa_at(i), precisions[p], schemes[d], q, all);
                    if (first && hash != first) fail_msg("%s, %s, %s, %d robots: other bits", isa_at(i), precisions[p], schemes[d], n);
                    first = hash;
                    /* the schemes differ by what turns in a step, here some 1e-4 rad at 1e-2 rad/s */
                    for (int k = 0; k < n * nv; k++)
                        if (!(fabs(all[k] - wanted[k % nv]) < (p ? 2e-6 : d ? 1e-7 : 1e-15)))
                            fail_msg("%s, %s, %s: robot %d of %d, v[%d] is %.9g, not %.9g", isa_at(i), precisions[p], schemes[d], k / nv, n,
                                     k % nv, all[k], wanted[k % nv]);
                }
            }
    memcpy(v, wanted, (size_t)nv * sizeof *v);
}

/* m v+ = m v + dt k (rest - q - dt v+) */
static void springs_act_at_the_end_of_the_step(void **state) {
    (void)state;
    myr_model *model =
        scene_read("<mujoco><option gravity=\"0 0 0\"/><worldbody><body><joint type=\"slide\" stiffness=\"300\" springref=\"0.4\"/>"
                   "<inertial pos=\"0 0 0\" mass=\"2\" diaginertia=\"1 1 1\"/></body></worldbody></mujoco>");
    const double q = 0.1, dt = 0.002;
    double v = 0.7;
    const double wanted = (2 * v + dt * 300 * (0.4 - q)) / (2 + dt * dt * 300);
    step_once(model, &q, &v);
    assert_true(fabs(v - wanted) < 1e-14);
    myr_model_free(model);
}

/* A time constant of 0.1 s and a ratio of 2 on a mass of 2 kg that slides on one of 6: what moves is 1 / (1/2 + 1/6) of them. */
static void spring_dampers_know_the_mass(void **state) {
    (void)state;
    myr_model *model =
        scene_read("<mujoco><option gravity=\"0 0 0\"/><worldbody><body pos=\"0 0 5\"><joint type=\"slide\"/>"
                   "<inertial pos=\"0 0 0\" mass=\"6\" diaginertia=\"1 1 1\"/><body><joint type=\"slide\" springdamper=\"0.1 2\"/>"
                   "<inertial pos=\"0 0 0\" mass=\"2\" diaginertia=\"1 1 1\"/></body></body></worldbody></mujoco>");
    myr_joint_info info;
    const double mass = 1 / (1.0 / 2 + 1.0 / 6);
    assert_int_equal(myr_model_get_joint(model, 1, &info), MYR_OK);
    assert_true(fabs(info.damping - 2 * mass / 0.1) < 1e-12);
    const double q[] = {0, 0.1}, k = mass / (0.1 * 0.1 * 4), d = info.damping, dt = 0.002;
    double v[] = {0, 0};
    step_once(model, q, v); /* 8 a + 2 b = 0, 2 a + 2 b = dt (-k (q + dt b) - d b) */
    const double b = -dt * k * 0.1 / (1.5 + dt * dt * k + dt * d);
    assert_true(fabs(v[1] - b) < 1e-14 && fabs(v[0] + b / 4) < 1e-14);
    myr_model_free(model);
}

/* Of three sliders the first has no motor, the others a bounded force; gains of the batch try to hold all. */
static void joints_without_a_motor_are_passive(void **state) {
    (void)state;
    myr_model *model = scene_read(
        "<mujoco><worldbody><body><joint name=\"a\" type=\"slide\"/><inertial pos=\"0 0 0\" mass=\"2\" diaginertia=\"1 1 1\"/></body>"
        "<body><joint name=\"b\" type=\"slide\"/><inertial pos=\"0 0 0\" mass=\"2\" diaginertia=\"1 1 1\"/></body><body><joint name=\"c\" "
        "type=\"slide\"/><inertial pos=\"0 0 0\" mass=\"2\" diaginertia=\"1 1 1\"/></body></worldbody><actuator><motor joint=\"b\" "
        "gear=\"-3\" "
        "ctrlrange=\"-2 4\"/><position joint=\"c\" kp=\"9\" ctrlrange=\"-1 1\" forcerange=\"-50 50\"/></actuator></mujoco>");
    const double wanted[] = {0, 12, 50}, q[3] = {0};
    double v[3] = {0};
    for (int i = 0; i < 3; i++) {
        myr_joint_info info;
        assert_int_equal(myr_model_get_joint(model, i, &info), MYR_OK);
        assert_true(info.effort_limit == wanted[i]);
    }
    step_once(model, q, v); /* at rest, at the target: the first falls all the same */
    assert_true(fabs(v[0] + 0.002 * 9.81) < 1e-15);
    myr_model_free(model);
}

/* An arm on a floating base, a slider among its joints: all held, nothing moves; without one body's share, that body's weight remains. */
static void what_is_held_does_not_fall(void **state) {
    (void)state;
    static const char text[] =
        "<mujoco><worldbody><body name=\"base\" pos=\"0 0 9\" gravcomp=\"1\" euler=\"10 20 30\"><freejoint/>"
        "<inertial pos=\"0.1 0 0\" mass=\"3\" diaginertia=\"1 2 2\"/><body pos=\"0 0.3 0\" gravcomp=\"1\"><joint axis=\"1 1 0\"/>"
        "<inertial pos=\"0.1 0.2 0\" mass=\"1\" diaginertia=\"0.1 0.1 0.1\"/><body pos=\"0 0.3 0\" gravcomp=\"1\"><joint type=\"slide\"/>"
        "<inertial pos=\"0 0.2 0.1\" mass=\"2\" diaginertia=\"0.1 0.1 0.1\"/><body gravcomp=\"%s\" pos=\"0 0 1\">"
        "<inertial pos=\"0 0 0\" mass=\"0.5\" diaginertia=\"0.1 0.1 0.1\"/></body></body></body></body></worldbody></mujoco>";
    for (int held = 0; held < 2; held++) {
        char whole[2000];
        double q[9], v[8] = {0};
        snprintf(whole, sizeof whole, text, held ? "1" : "0");
        myr_model *model = scene_read(whole);
        myr_model_home(model, q);
        q[7] = 0.4, q[8] = -0.2;
        step_once(model, q, v);
        double fastest = 0;
        for (int k = 0; k < 8; k++) fastest = fmax(fastest, fabs(v[k]));
        assert_true(held ? fastest < 1e-14 : fastest > 1e-4);
        myr_model_free(model);
    }
}

/* A rotor that comes with its actuator turns with the joint: gear^2 times its inertia and damping, as in MuJoCo. */
static void rotors_come_with_actuators(void **state) {
    (void)state;
    myr_model *model =
        scene_read("<mujoco><worldbody><body><joint name=\"a\" type=\"slide\" armature=\"1\"/><inertial pos=\"0 0 0\" mass=\"2\" "
                   "diaginertia=\"1 1 1\"/></body></worldbody><actuator><motor joint=\"a\" gear=\"-3\" armature=\"2\" damping=\"5\"/>"
                   "</actuator></mujoco>");
    myr_joint_info info;
    assert_int_equal(myr_model_get_joint(model, 0, &info), MYR_OK);
    assert_true(info.armature == 19 && info.damping == 45);
    myr_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(springs_act_at_the_end_of_the_step), cmocka_unit_test(joints_without_a_motor_are_passive),
        cmocka_unit_test(spring_dampers_know_the_mass),       cmocka_unit_test(what_is_held_does_not_fall),
        cmocka_unit_test(rotors_come_with_actuators),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

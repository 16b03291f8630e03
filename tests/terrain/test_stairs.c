/* Terrain from fixed boxes: examples/stairs.xml, and a robot on a slab that a builder puts under it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "support/batch_scene.h"

static void things_rest_on_stairs(void **state) {
    (void)state;
    char path[4096];
    snprintf(path, sizeof path, "%s/examples/stairs.xml", getenv("MYRIAPOD_SOURCE") ? getenv("MYRIAPOD_SOURCE") : ".");
    static const char *const bodies[] = {"crate", "ball", "cart"};
    const double rests[] = {0.2, 0.3,
                            0.4}; /* a step of 0.1 m and half a crate, 0.2 and a ball's radius, 0.3 and a wheel that is 0.04 lower */
    const myr_settings settings = scene_settings("task", "none", "dt", "0.002", NULL);
    myr_model *model;
    myr_batch *batch;
    MUST(myr_model_open(path, NULL, &model));
    MUST(myr_batch_create(model, 2, &settings, &batch));
    MUST(myr_batch_step(batch, 1500));
    double q[2][32];
    assert_true(myr_batch_components(batch, MYR_Q) <= 32);
    for (int64_t env = 0; env < 2; env++) MUST(myr_batch_get(batch, MYR_Q, &env, 1, MYR_F64, q[env]));
    for (int k = 0; k < 3; k++) {
        int body;
        myr_joint_info joint;
        MUST(myr_model_find_body(model, bodies[k], &body));
        MUST(myr_model_get_joint(model, body, &joint));
        for (int env = 0; env < 2; env++)
            if (!(fabs(q[env][joint.q + 2] - rests[k]) < 0.01))
                fail_msg("%s rests at %g m, not at %g", bodies[k], q[env][joint.q + 2], rests[k]);
    }
    myr_batch_free(batch);
    myr_model_free(model);
}

/* In tasks in which its feet and its torso alone touch the ground, too. */
static void a_robot_stands_on_a_slab(void **state) {
    const char *task = *state;
    const double high[2] = {0, 0.3};
    double z[2];
    for (int k = 0; k < 2; k++) {
        myr_builder *builder;
        myr_model *robot, *model;
        myr_batch *batch;
        int slab;
        myr_placement place = myr_placement_default();
        place.position_m[2] = high[k];
        MUST(myr_model_open("anymal", NULL, &robot));
        MUST(myr_builder_create("scene", &builder));
        MUST(myr_builder_add_model(builder, robot, &place));
        myr_body_def fixed = myr_body_def_default();
        fixed.name = "slab", fixed.joint = MYR_JOINT_FIXED;
        MUST(myr_builder_body(builder, &fixed, &slab));
        myr_geom_def box = myr_geom_def_default();
        box.body = slab, box.type = MYR_GEOM_BOX;
        box.size_m[0] = box.size_m[1] = 1, box.size_m[2] = 0.1, box.position_m[2] = k ? high[k] - 0.1 : -0.5;
        MUST(myr_builder_geom(builder, &box, NULL));
        MUST(myr_builder_compile(builder, &model));
        const myr_settings settings =
            scene_settings("task", task, "dt", "0.002", "start-angle", "0", "start-speed", "0", "start-height", "0", NULL);
        MUST(myr_batch_create(model, 1, &settings, &batch));
        MUST(myr_batch_step(batch, 1000));
        double q[19];
        assert_int_equal(myr_batch_components(batch, MYR_Q), 19);
        MUST(myr_batch_get(batch, MYR_Q, NULL, 1, MYR_F64, q));
        z[k] = q[2];
        myr_batch_free(batch);
        myr_model_free(model), myr_model_free(robot);
        myr_builder_free(builder);
    }
    if (!(fabs(z[1] - z[0] - 0.3) < 5e-3)) fail_msg("%g m high on the ground, %g on a slab of 0.3 m", z[0], z[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(things_rest_on_stairs),
        cmocka_unit_test_prestate(a_robot_stands_on_a_slab, (void *)(uintptr_t) "hold"),
        cmocka_unit_test_prestate(a_robot_stands_on_a_slab, (void *)(uintptr_t) "stand"),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

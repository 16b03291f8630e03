/* Shapes of a compiled model: where they may touch, and what myr_model_get_geom says of them. */
#include "support/model_scene.h"

#include <math.h>
#include <stdio.h>

#include "model/description.h"

static void slots_are_where_geoms_may_touch(void **state) {
    (void)state;
    const double s = sqrt(0.5);
    myr_builder *builder = scene_builder();
    scene_body(builder, "base", -1, MYR_JOINT_FREE, 0, 0, 0);
    myr_body_def def = myr_body_def_default(); /* an arm turned a quarter about x, so that its z is the root's -y */
    def.name = "arm";
    def.parent = 0;
    def.joint = MYR_JOINT_REVOLUTE;
    def.quaternion[0] = def.quaternion[1] = s;
    def.mass_kg = 1.0;
    def.inertia_kgm2[0] = def.inertia_kgm2[1] = def.inertia_kgm2[2] = 0.01;
    assert_int_equal(myr_builder_body(builder, &def, NULL), MYR_OK);
    myr_geom_def box = {
        .body = 0, .type = MYR_GEOM_BOX, .position_m = {1, 0, 0}, .quaternion = {1, 0, 0, 0}, .size_m = {0.1, 0.2, 0.3}, .friction = 0.5};
    myr_geom_def capsule = {
        .body = 1, .type = MYR_GEOM_CAPSULE, .position_m = {0, 0, 2}, .quaternion = {2, 0, 0, 0}, .size_m = {0.05, 0.4}, .friction = 0.0};
    myr_geom_def ball = {.name = "toe",
                         .body = 0,
                         .type = MYR_GEOM_SPHERE,
                         .position_m = {0, 3, 0},
                         .quaternion = {1, 0, 0, 0},
                         .size_m = {0.07},
                         .friction = 1.5};
    assert_int_equal(myr_builder_geom(builder, &box, NULL), MYR_OK);
    assert_int_equal(myr_builder_geom(builder, &capsule, NULL), MYR_OK);
    assert_int_equal(myr_builder_geom(builder, &ball, NULL), MYR_OK);
    myr_model *m = scene_compile(builder);
    assert_int_equal(m->n_slots, 8 + 2 + 1);
    int corners = 0;
    for (int i = 0; i < 8; i++) {
        const myr_slot *slot = &m->slots[i];
        const double corner[3] = {1.0 + (i & 1 ? 0.1 : -0.1), i & 2 ? 0.2 : -0.2, i & 4 ? 0.3 : -0.3};
        scene_near(slot->center, corner, 3, 1e-15, "corner");
        assert_true(slot->radius == 0.0 && slot->friction == 0.5 && slot->feature == i && slot->geom == 0 && slot->body == 0);
        corners++;
    }
    assert_int_equal(corners, 8);
    const double upper[3] = {0, -2.4, 0}, lower[3] = {0, -1.6, 0}, toe[3] = {0, 3, 0};
    scene_near(m->slots[8].center, upper, 3, 1e-15, "upper end of the capsule, aligned");
    scene_near(m->slots[9].center, lower, 3, 1e-15, "lower end of the capsule, aligned");
    assert_true(m->slots[8].radius == 0.05 && m->slots[8].friction == 0.0 && m->slots[9].feature == 1 && m->slots[9].body == 1);
    scene_near(m->slots[10].center, toe, 3, 0.0, "sphere");
    assert_true(m->slots[10].radius == 0.07 && m->slots[10].friction == 1.5);
    myr_geom_info info;
    assert_int_equal(myr_model_get_geom(m, 2, &info), MYR_OK);
    assert_string_equal(info.name, "toe");
    assert_int_equal(info.slot, 10);
    assert_int_equal(info.n_slots, 1);
    assert_true(info.position_m[1] == 3.0 && info.size_m[0] == 0.07 && info.size_m[1] == 0.0 && info.quaternion[0] == 1.0);
    assert_int_equal(myr_model_get_geom(m, 0, &info), MYR_OK);
    assert_string_equal(info.name, "base");
    scene_near(info.size_m, box.size_m, 3, 0.0, "size of the box");
    scene_near(info.position_m, box.position_m, 3, 0.0, "centre of the box");
    assert_int_equal(myr_model_get_geom(m, 3, &info), MYR_E_ARG);
    assert_int_equal(myr_model_get_geom(m, -1, &info), MYR_E_ARG);
    myr_model_free(m);
    myr_builder_free(builder);
}

/* Turns by half a turn and nearly so, where a formula by the trace alone divides by zero, and by others. */
static void the_turn_of_a_geom_comes_back(void **state) {
    (void)state;
    static const double turns[][4] = {{1, 0, 0, 0},      {0, 1, 0, 0},    {0, 0, 1, 0},    {0, 0, 0, 1},     {0, 1, 1, 0},
                                      {0, 1, 0, -1},     {0, 0, 1, 1},    {1e-9, 0, 0, 1}, {1, 1, 1, 1},     {1, -1, 1, -1},
                                      {0.1, -0.7, 2, 1}, {3, 1, -2, 0.5}, {1, 5, -2, 1},   {1e-3, -1, 1, 1}, {0.2, 0.1, 0.3, -9}};
    myr_builder *builder = scene_builder();
    scene_body(builder, "base", -1, MYR_JOINT_FREE, 0, 0, 0);
    myr_geom_def geom = myr_geom_def_default();
    geom.body = 0;
    geom.type = MYR_GEOM_BOX;
    const int count = (int)(sizeof turns / sizeof *turns);
    for (int i = 0; i < count; i++) {
        char name[16];
        snprintf(name, sizeof name, "box %d", i);
        geom.name = name;
        for (int k = 0; k < 3; k++) geom.size_m[k] = 1.0;
        for (int k = 0; k < 4; k++) geom.quaternion[k] = turns[i][k];
        assert_int_equal(myr_builder_geom(builder, &geom, NULL), MYR_OK);
    }
    myr_model *m = scene_compile(builder);
    for (int i = 0; i < count; i++) {
        myr_geom_info info;
        assert_int_equal(myr_model_get_geom(m, i, &info), MYR_OK);
        double length = 0.0, dot = 0.0;
        for (int k = 0; k < 4; k++) length += turns[i][k] * turns[i][k], dot += turns[i][k] * info.quaternion[k];
        const double sign = dot < 0.0 ? -1.0 : 1.0; /* q and -q are the same turn */
        double wanted[4];
        for (int k = 0; k < 4; k++) wanted[k] = sign * turns[i][k] / sqrt(length);
        scene_near(info.quaternion, wanted, 4, 1e-15, "turn of a geom");
    }
    myr_model_free(m);
    myr_builder_free(builder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slots_are_where_geoms_may_touch),
        cmocka_unit_test(the_turn_of_a_geom_comes_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

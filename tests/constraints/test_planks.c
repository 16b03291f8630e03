/* Boxes whose corners share six rows (constraints/bundle.lane.h) at the edges of that: long thin planks and cubes, of which in one tile
 * some lie on all their corners, some stand on an edge or a corner, and some touch nothing. The ground carries the weight of a box that
 * lies. No box's bits depend on how many corners its neighbours have. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/batch_scene.h"
#include "support/isas.h"
#include "kernels/kernels.h"

enum { MOST = 17, STEPS = 60 };
static const double gravity = 9.81;

static myr_model *box_model(const double half[3], double mass) {
    static const double upright[4] = {1, 0, 0, 0};
    const double at[3] = {0, 0, half[2]};
    myr_builder *builder = NULL;
    myr_model *model = NULL;
    myr_body_def body = myr_body_def_default();
    myr_geom_def geom = myr_geom_def_default();
    body.name = "box", body.joint = MYR_JOINT_FREE, body.mass_kg = mass;
    for (int k = 0; k < 3; k++) {
        const double u = half[(k + 1) % 3], v = half[(k + 2) % 3];
        body.inertia_kgm2[k] = mass * (u * u + v * v) / 3;
        geom.size_m[k] = half[k];
    }
    geom.body = 0, geom.type = MYR_GEOM_BOX, geom.friction = 0.7;
    MUST(myr_builder_create("plank", &builder));
    MUST(myr_builder_body(builder, &body, NULL));
    MUST(myr_builder_geom(builder, &geom, NULL));
    MUST(myr_builder_home(builder, 0, at, upright));
    MUST(myr_builder_compile(builder, &model));
    myr_builder_free(builder);
    return model;
}

/* By id: 0 lies, 1 stands on an edge, 2 on a corner, 3 is in the air, 4 slides on its side. */
static myr_batch *boxes(const myr_model *model, const double half[3], const char *precision, const char *isa, const char *threads,
                        int64_t first, int64_t envs) {
    myr_settings settings = scene_settings("task", "none", "precision", precision, "isa", isa, "threads", threads, NULL);
    myr_batch *batch = NULL;
    settings.first_env = first;
    MUST(myr_batch_create(model, envs, &settings, &batch));
    for (int64_t env = 0; env < envs; env++) {
        const int64_t kind = (first + env) % 5;
        const double lean = kind == 1 || kind == 2 ? 0.4 : 0, turn = kind == 2 ? 0.5 : 0;
        double q[7] = {0, 0, half[2], cos(lean) * cos(turn), sin(lean) * cos(turn), cos(lean) * sin(turn), -sin(lean) * sin(turn)},
               v[6] = {0};
        if (kind == 1) q[2] = sin(2 * lean) * half[1] + cos(2 * lean) * half[2] - 1e-4;
        if (kind == 2) q[2] = sin(2 * turn) * half[0] + cos(2 * turn) * (sin(2 * lean) * half[1] + cos(2 * lean) * half[2]) - 1e-4;
        if (kind == 3) q[2] += 5;
        if (kind == 4) v[0] = 0.5, v[5] = 0.3;
        MUST(myr_batch_set(batch, MYR_Q, &env, 1, MYR_F64, q));
        MUST(myr_batch_set(batch, MYR_V, &env, 1, MYR_F64, v));
    }
    return batch;
}

static const struct {
    const char *name;
    double half[3], mass;
} shapes[] = {{"cube", {0.1, 0.1, 0.1}, 1}, {"plank", {1, 0.01, 0.01}, 0.3}, {"sheet", {0.5, 0.5, 0.002}, 4}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static void what_lies_carries_its_weight(void **state) {
    (void)state;
    for (int s = 0; s < SHAPES; s++)
        for (int p = 0; p < 2; p++) {
            myr_model *model = box_model(shapes[s].half, shapes[s].mass);
            myr_batch *batch = boxes(model, shapes[s].half, p ? "f32" : "f64", "auto", "1", 0, MOST);
            MUST(myr_batch_step(batch, STEPS));
            for (int64_t env = 0; env < MOST; env += 5) {
                double impulse[8 * 3], v[6], normal = 0, residual;
                const double weight = shapes[s].mass * gravity * 1e-3, near = p ? 3e-5 : 2e-5; /* the tolerance, and the plank's lever */
                MUST(myr_batch_get(batch, MYR_IMPULSE, &env, 1, MYR_F64, impulse));
                MUST(myr_batch_get(batch, MYR_V, &env, 1, MYR_F64, v));
                MUST(myr_batch_get(batch, MYR_RESIDUAL, &env, 1, MYR_F64, &residual));
                for (int k = 2; k < 24; k += 3) normal += impulse[k];
                if (!(fabs(normal - weight) <= 4 * near * shapes[s].mass + 1e-4 * weight) || !(residual <= 1.3e-5))
                    fail_msg("%s %s, %d: carries %.6g of %.6g N s, residual %.2g", shapes[s].name, p ? "f32" : "f64", (int)env, normal,
                             weight, residual);
                for (int k = 0; k < 3; k++) assert_true(fabs(v[k]) <= 3 * near);
            }
            myr_batch_free(batch);
            myr_model_free(model);
        }
}

static void corners_of_neighbours_change_no_bit(void **state) {
    (void)state;
    static const int counts[] = {17, 1, 7, 8, 9, 15, 16};
    for (int s = 0; s < SHAPES; s++)
        for (int p = 0; p < 2; p++) {
            const char *precision = p ? "f32" : "f64";
            myr_model *model = box_model(shapes[s].half, shapes[s].mass);
            uint64_t alone[MOST];
            for (int env = 0; env < MOST; env++) {
                myr_batch *batch = boxes(model, shapes[s].half, precision, "auto", "1", env, 1);
                MUST(myr_batch_step(batch, STEPS));
                alone[env] = myr_batch_hash(batch);
                myr_batch_free(batch);
            }
            for (int i = 0; isa_or_auto_at(i); i++)
                for (int k = 0; k < 7; k++) {
                    myr_batch *batch = boxes(model, shapes[s].half, precision, isa_or_auto_at(i), k % 2 ? "2" : "1", 0, counts[k]);
                    uint64_t wanted = 0;
                    MUST(myr_batch_step(batch, STEPS));
                    for (int env = 0; env < counts[k]; env++) wanted += alone[env];
                    if (myr_batch_hash(batch) != wanted)
                        fail_msg("%s, %s, %s, %d of them: other bits", shapes[s].name, isa_or_auto_at(i), precision, counts[k]);
                    myr_batch_free(batch);
                }
            myr_model_free(model);
        }
}

/* A slot has the impulse of the last step, be it the first of a call or a later one, and what no longer touches has none. */
static void what_has_left_has_no_impulse(void **state) {
    (void)state;
    const double *half = shapes[0].half;
    myr_model *model = box_model(half, shapes[0].mass);
    for (int i = 0; isa_or_auto_at(i / 2); i++) {
        const char *isa = isa_or_auto_at(i / 2), *precision = i % 2 ? "f32" : "f64";
        myr_batch *at_once = boxes(model, half, precision, isa, "1", 0, MOST), *by_steps = boxes(model, half, precision, isa, "1", 0, MOST);
        double impulse[MOST * 8 * 3], q[MOST * 7], worst = 0;
        MUST(myr_batch_step(at_once, 10 * STEPS)); /* some topple: other corners than before carry them */
        for (int step = 0; step < 10 * STEPS; step++) MUST(myr_batch_step(by_steps, 1));
        assert_true(myr_batch_hash(at_once) == myr_batch_hash(by_steps));
        MUST(myr_batch_get(at_once, MYR_IMPULSE, NULL, MOST, MYR_F64, impulse));
        for (int k = 0; k < MOST * 8 * 3; k++) worst = fmax(worst, fabs(impulse[k]));
        assert_true(worst > 0);
        MUST(myr_batch_get(at_once, MYR_Q, NULL, MOST, MYR_F64, q));
        for (int env = 0; env < MOST; env++) q[7 * env + 2] += 5;
        MUST(myr_batch_set(at_once, MYR_Q, NULL, MOST, MYR_F64, q));
        MUST(myr_batch_step(at_once, 1));
        MUST(myr_batch_get(at_once, MYR_IMPULSE, NULL, MOST, MYR_F64, impulse));
        for (int k = 0; k < MOST * 8 * 3; k++)
            if (impulse[k] != 0) fail_msg("%s, %s: %d, in the air, has an impulse of %.3g N s", isa, precision, k / 24, impulse[k]);
        myr_batch_free(at_once);
        myr_batch_free(by_steps);
    }
    myr_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_lies_carries_its_weight),
                                       cmocka_unit_test(corners_of_neighbours_change_no_bit),
                                       cmocka_unit_test(what_has_left_has_no_impulse)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

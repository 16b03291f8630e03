/* Two balls that meet in flight, head on and far above the ground: momentum stays, and the speed at which they part is `restitution`
 * times that at which they met; with the gap term they touch exactly. Every solver, all instruction sets, both precisions. */
#include "support/batch_scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/isas.h"
#include "kernels/kernels.h"

static const double masses[2] = {1, 3}, radius = 0.1;

static void add_ball(myr_builder *builder, const char *name, double mass) {
    myr_body_def body = myr_body_def_default();
    myr_geom_def geom = myr_geom_def_default();
    body.name = name;
    body.joint = MYR_JOINT_FREE;
    body.mass_kg = mass;
    for (int k = 0; k < 3; k++) body.inertia_kgm2[k] = 0.4 * mass * radius * radius;
    geom.size_m[0] = radius;
    MUST(myr_builder_body(builder, &body, &geom.body));
    MUST(myr_builder_geom(builder, &geom, NULL));
}

static myr_model *two_balls(void) {
    myr_builder *builder = NULL;
    myr_model *model = NULL;
    MUST(myr_builder_create("balls", &builder));
    add_ball(builder, "left", masses[0]);
    add_ball(builder, "right", masses[1]);
    MUST(myr_builder_compile(builder, &model));
    myr_builder_free(builder);
    return model;
}

/* Gap and relative speed after `steps` steps from a gap of `apart`, nearing at `speed`. */
static void meet(const myr_model *model, const myr_settings *settings, double apart, double speed, int steps, double *gap,
                 double *parting) {
    const double direction[3] = {2.0 / 3, -2.0 / 3, 1.0 / 3}, nothing[3] = {0, 0, 0}; /* of no axis */
    double q[14] = {0, 0, 5, 1, 0, 0, 0, 0, 0, 5, 1, 0, 0, 0}, v[12] = {0};
    myr_batch *batch = NULL;
    const int64_t env = 0;
    for (int k = 0; k < 3; k++) {
        q[7 + k] += (2 * radius + apart) * direction[k];
        v[k] = speed * masses[1] / (masses[0] + masses[1]) * direction[k];
        v[6 + k] = -speed * masses[0] / (masses[0] + masses[1]) * direction[k];
    }
    MUST(myr_batch_create(model, 1, settings, &batch));
    MUST(myr_batch_set(batch, MYR_GRAVITY, &env, 1, MYR_F64, nothing));
    MUST(myr_batch_set(batch, MYR_Q, &env, 1, MYR_F64, q));
    MUST(myr_batch_set(batch, MYR_V, &env, 1, MYR_F64, v));
    MUST(myr_batch_step(batch, steps));
    MUST(myr_batch_get(batch, MYR_Q, &env, 1, MYR_F64, q));
    MUST(myr_batch_get(batch, MYR_V, &env, 1, MYR_F64, v));
    myr_batch_free(batch);
    double distance2 = 0;
    const double exact = settings->precision[1] == '6' ? 1e-9 : 1e-4;
    *parting = 0;
    for (int k = 0; k < 3; k++) {
        distance2 += (q[7 + k] - q[k]) * (q[7 + k] - q[k]);
        *parting += (v[6 + k] - v[k]) * direction[k];
        assert_true(fabs(masses[0] * v[k] + masses[1] * v[6 + k]) < exact); /* it was zero */
    }
    *gap = sqrt(distance2) - 2 * radius;
}

static void balls_meet(void **state) {
    (void)state;
    myr_model *model = two_balls();
    for (int s = 0; s < MYR_SOLVER_COUNT; s++)
        for (int i = 0; isa_at(i); i++)
            for (int p = 0; p < 2; p++) {
                if (strncmp(myr_solvers[s].name, "newton", 6) == 0) continue; /* it is not rigid */
                const char *precision = p ? "f32" : "f64";
                const double exact = p ? 2e-4 : 1e-7;
                double gap, parting;
                myr_settings settings =
                    scene_settings("isa", isa_at(i), "precision", precision, "solver", myr_solvers[s].name, "task", "none", "threads", "1",
                                   "max-sweeps", "20000", "tolerance", p ? "1e-5" : "1e-9", "restitution", "0.5", NULL);
                meet(model, &settings, 0.0105, 2, 20, &gap, &parting);
                if (!(fabs(parting - 1) < exact && gap > 0))
                    fail_msg("%s, %s, %s: part at %.9g m/s, not 1", myr_solvers[s].name, isa_at(i), precision, parting);
                settings = scene_settings("isa", isa_at(i), "precision", precision, "solver", myr_solvers[s].name, "task", "none",
                                          "threads", "1", "max-sweeps", "20000", "tolerance", p ? "1e-5" : "1e-9", "gap", "0.01", NULL);
                meet(model, &settings, 0.0105, 2, 20, &gap, &parting);
                if (!(fabs(gap) < exact && fabs(parting) < exact))
                    fail_msg("%s, %s, %s: end %.3g m apart at %.3g m/s", myr_solvers[s].name, isa_at(i), precision, gap, parting);
            }
    myr_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(balls_meet)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

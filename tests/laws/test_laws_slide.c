/* ctest: heavy law
 * A cube let go at 6 m/s, mu 0.5, on the ground and on a box: Coulomb's law slows it and does not lift it, head on and turned, in
 * both precisions. A model that makes the cone convex throws it into the air; that it does so here, too, says that the test
 * looks at the right thing. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/batch_scene.h"

#define SPEED 6.0
#define MU 0.5
#define GRAVITY 9.81
#define HALF 0.1
#define DT 1e-3
enum { STEPS = 1400 }; /* it stops after 1.22 s */

typedef struct slide {
    double lift, way, aside, left; /* of its centre [m], and the speed at the end */
} slide;

static myr_model *scene(int on_box) {
    myr_builder *builder = NULL;
    myr_model *model = NULL;
    MUST(myr_builder_create("slide", &builder));
    for (int k = !on_box; k < 2; k++) {
        myr_body_def body = myr_body_def_default();
        myr_geom_def geom = myr_geom_def_default();
        body.name = k ? "cube" : "table", body.joint = k ? MYR_JOINT_FREE : MYR_JOINT_FIXED;
        if (!k) body.position_m[2] = 0.5; /* top at 1 m */
        body.mass_kg = k ? 1 : 0;
        for (int i = 0; i < 3; i++) body.inertia_kgm2[i] = k ? 2 * HALF * (2 * HALF) / 6 : 0;
        MUST(myr_builder_body(builder, &body, &geom.body));
        geom.type = MYR_GEOM_BOX;
        geom.friction = MU;
        for (int i = 0; i < 3; i++) geom.size_m[i] = k ? HALF : i == 2 ? 0.5 : 5;
        MUST(myr_builder_geom(builder, &geom, NULL));
    }
    MUST(myr_builder_compile(builder, &model));
    myr_builder_free(builder);
    return model;
}

static slide go(int on_box, const char *solver, const char *precision, double yaw) {
    const int exact = precision[1] == '6';
    const double top = on_box ? 1 : 0, c = cos(yaw / 2), s = sin(yaw / 2);
    const myr_settings settings = scene_settings("solver", solver, "precision", precision, "task", "none", "threads", "1", "dt", "0.001",
                                                 "max-sweeps", "5000", "tolerance", exact ? "1e-10" : "1e-6", NULL);
    double q[7] = {-2, 0, top + HALF - 1e-8, c, 0, 0, s}, v[6] = {SPEED};
    const double from = q[0], height = q[2];
    slide out = {0};
    myr_model *model = scene(on_box);
    myr_batch *batch = NULL;
    MUST(myr_batch_create(model, 1, &settings, &batch));
    MUST(myr_batch_set(batch, MYR_Q, NULL, 1, MYR_F64, q));
    MUST(myr_batch_set(batch, MYR_V, NULL, 1, MYR_F64, v));
    for (int step = 0; step < STEPS; step++) {
        MUST(myr_batch_step(batch, 1));
        MUST(myr_batch_get(batch, MYR_Q, NULL, 1, MYR_F64, q));
        out.lift = fmax(out.lift, q[2] - height);
        out.aside = fmax(out.aside, fabs(q[1]));
    }
    MUST(myr_batch_get(batch, MYR_V, NULL, 1, MYR_F64, v));
    out.way = q[0] - from, out.left = hypot(v[0], v[1]);
    myr_batch_free(batch);
    myr_model_free(model);
    if (getenv("MYRIAPOD_SLIDE_TABLE"))
        printf("%-6s %s %s yaw %.2f: lift %.3g mm, way %.5f m, aside %.2g mm\n", on_box ? "box" : "ground", solver, precision, yaw,
               1e3 * out.lift, out.way, 1e3 * out.aside);
    return out;
}

/* The scheme slows by mu g dt in each step, and then moves: sum over the steps. */
static double law_way(void) {
    double way = 0;
    for (double v = SPEED - MU * GRAVITY * DT; v > 0; v -= MU * GRAVITY * DT) way += v * DT;
    return way;
}

static void slides_without_lifting(void **state) {
    (void)state;
    for (int on_box = 0; on_box < 2; on_box++)
        for (int p = 0; p < 2; p++)
            for (int turned = 0; turned < 3; turned++) {
                const char *precision = p ? "f32" : "f64";
                const double yaw = 0.3 * turned;
                const slide got = go(on_box, "nsgs", precision, yaw);
                if (!(got.lift <= (p ? 1e-6 : 1e-10)) || !(fabs(got.way - law_way()) <= (p ? 1e-4 : 1e-6)) || !(got.left <= 1e-4) ||
                    !(got.aside <= (p ? 1e-4 : 1e-6)))
                    fail_msg("%s, %s, yaw %g: lifts %g m, slides %g m, not %g, aside %g m, left %g m/s", on_box ? "box" : "ground",
                             precision, yaw, got.lift, got.way, law_way(), got.aside, got.left);
            }
}

/* w_N = mu |w_T| and |w_T| = v - mu w_N leave it with w_N = mu v / (1 + mu^2) up, and it flies. */
static void a_convex_model_lifts(void **state) {
    const double up = MU * (SPEED - MU * GRAVITY * DT) / (1 + MU * MU), height = up * up / (2 * GRAVITY);
    (void)state;
    for (int on_box = 0; on_box < 2; on_box++) {
        const slide got = go(on_box, "admm-ccp", "f64", 0);
        if (!(fabs(got.lift - height) <= 2 * DT * up)) fail_msg("admm-ccp lifts by %g m, not %g", got.lift, height);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(slides_without_lifting), cmocka_unit_test(a_convex_model_lifts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* ctest: law
 * Working sets (setting working-sets): a sole of fourteen points, pushed anyhow.
 *
 * - The law holds for all points, those left out too: measured here, from poses and velocities alone, it is what `residual_ncp` says.
 * - Under the convex law velocities are those of the full set.
 * - What stands on its corners stays as it is; its weight is carried.
 * - A sole that spins is slowed by no more than its farthest points could.
 * - Each robot's bits are its own, on every instruction set. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/batch_scene.h"
#include "support/isas.h"

#define GRAVITY 9.81
#define RADIUS 0.01
#define MASS 4.0
#define FRICTION 0.6
enum { POINTS = 14, ENVS = 45, STEPS = 60 };

static const double points[POINTS][2] = {{.1, -.026}, {.05, -.027}, {-.044, -.018}, {.123, -.018}, {-.052, -.01}, {.13, -.01}, {-.054, 0},
                                         {.132, 0},   {-.052, .01}, {.13, .01},     {-.044, .018}, {.123, .018},  {.1, .026},  {.05, .026}};

static myr_model *sole(void) {
    myr_builder *builder = NULL;
    myr_model *model = NULL;
    myr_body_def body = myr_body_def_default();
    MUST(myr_builder_create("sole", &builder));
    body.name = "sole", body.joint = MYR_JOINT_FREE, body.mass_kg = MASS;
    body.com_m[0] = 0.03, body.com_m[2] = 0.05;
    for (int k = 0; k < 3; k++) body.inertia_kgm2[k] = 0.01;
    myr_geom_def geom = myr_geom_def_default();
    MUST(myr_builder_body(builder, &body, &geom.body));
    for (int i = 0; i < POINTS; i++) {
        geom.type = MYR_GEOM_SPHERE, geom.size_m[0] = RADIUS, geom.friction = FRICTION;
        geom.position_m[0] = points[i][0], geom.position_m[1] = points[i][1];
        MUST(myr_builder_geom(builder, &geom, NULL));
    }
    MUST(myr_builder_compile(builder, &model));
    myr_builder_free(builder);
    return model;
}

/* A number of -1 .. 1 out of another. */
static double stirred(uint64_t z) {
    z += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (double)((z ^ z >> 31) >> 11) * 0x1p-52 - 1;
}

/* Each near the ground in its own way. `hard`: how hard it is thrown. */
static void throw_down(myr_batch *batch, int first, int64_t envs, double hard) {
    for (int64_t env = 0; env < envs; env++) {
        const uint64_t id = 64 * (uint64_t)(first + env);
        const double tilt[] = {0.02 * stirred(id), 0.02 * stirred(id + 1)};
        double q[7] = {0, 0, RADIUS + 1e-3 * stirred(id + 2), 1, tilt[0], tilt[1], stirred(id + 3)}, v[6], size = 0;
        for (int k = 3; k < 7; k++) size += q[k] * q[k];
        for (int k = 3; k < 7; k++) q[k] /= sqrt(size);
        for (int k = 0; k < 6; k++) v[k] = hard * (k < 3 ? 0.5 : 2) * stirred(id + 4 + (uint64_t)k);
        MUST(myr_batch_set(batch, MYR_Q, &env, 1, MYR_F64, q));
        MUST(myr_batch_set(batch, MYR_V, &env, 1, MYR_F64, v));
    }
}

/* Another push for each and every step: the centre of pressure wanders, past the rim too. */
static void push(myr_batch *batch, int first, int64_t envs, int step) {
    for (int64_t env = 0; env < envs; env++) {
        double wrench[6];
        for (int k = 0; k < 6; k++)
            wrench[k] = (k < 3 ? 15 : 2) * stirred(1000003 * (uint64_t)(first + env) + 7 * (uint64_t)(step / 5) + (uint64_t)k);
        MUST(myr_batch_set(batch, MYR_WRENCH, &env, 1, MYR_F64, wrench));
    }
}

static void rotation(const double *q, double R[9]) {
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    const double m[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y), 2 * (x * y + w * z),    1 - 2 * (x * x + z * z),
                         2 * (y * z - w * x),     2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)};
    memcpy(R, m, sizeof m);
}

/* Point i of a sole at q, moving at v: height of its lowest point, velocity there. */
static double point(int i, const double *q, const double *v, double w[3]) {
    double R[9], arm[3], spin[3];
    rotation(q + 3, R);
    for (int k = 0; k < 3; k++) arm[k] = R[3 * k] * points[i][0] + R[3 * k + 1] * points[i][1];
    for (int k = 0; k < 3; k++) spin[k] = R[3 * k] * v[3] + R[3 * k + 1] * v[4] + R[3 * k + 2] * v[5];
    const double height = q[2] + arm[2] - RADIUS;
    arm[2] -= RADIUS;
    for (int k = 0; k < 3; k++) w[k] = v[k] + spin[(k + 1) % 3] * arm[(k + 2) % 3] - spin[(k + 2) % 3] * arm[(k + 1) % 3];
    return height;
}

static double cone(double mu, double t, double z) { /* distance of (t, z), t >= 0, from t <= mu z */
    if (t <= mu * z) return 0;
    return mu * t + z <= 0 ? hypot(t, z) : (t - mu * z) / sqrt(1 + mu * mu);
}

/* Coulomb's law, as docs/contact.md has it. */
static double violation(double mu, const double *l, const double *w) {
    const double t = hypot(w[0], w[1]), x = w[2] + mu * t, product = fabs(l[0] * w[0] + l[1] * w[1] + l[2] * x);
    const double larger = fmax(sqrt(l[0] * l[0] + l[1] * l[1] + l[2] * l[2]), sqrt(t * t + x * x));
    double worst = fmax(cone(mu, hypot(l[0], l[1]), l[2]), t <= x / mu ? 0 : cone(1 / mu, t, x));
    if (larger > 0) worst = fmax(worst, product / larger);
    return worst;
}

/* The largest violation over the points that the step could reach, where those within `skin` rest if all of them are; *loaded: how many
 * carry something. */
static double judge(const myr_batch *batch, int64_t env, const double *q, const double *v, double dt, double skin, int *loaded) {
    double impulse[POINTS][3], after[6], gap[POINTS], w[POINTS][3], farthest = -1, rests = 0, closes = 0;
    MUST(myr_batch_get(batch, MYR_IMPULSE, &env, 1, MYR_F64, impulse));
    MUST(myr_batch_get(batch, MYR_V, &env, 1, MYR_F64, after));
    *loaded = 0;
    for (int i = 0; i < POINTS; i++) {
        const double closed = GRAVITY * dt * dt + skin;
        gap[i] = point(i, q, v, w[i]);
        *loaded += impulse[i][2] > 0;
        if (gap[i] > closed - 1e-7 && gap[i] + dt * w[i][2] > closed + 0.5 * dt - 1e-7) gap[i] = NAN;
        farthest = fmax(farthest, gap[i]);
    }
    for (int i = 0; i < POINTS; i++) {
        if (isnan(gap[i])) continue;
        point(i, q, after, w[i]);
        rests = fmax(rests, violation(FRICTION, impulse[i], w[i]));
        w[i][2] += fmax(gap[i], 0) / dt; /* it may come down by its gap */
        closes = fmax(closes, violation(FRICTION, impulse[i], w[i]));
    }
    return farthest > skin + 1e-7 ? closes : farthest < skin - 1e-7 ? rests : fmin(rests, closes); /* as rounding saw it */
}

static void the_law_holds_for_all(void **state) {
    (void)state;
    for (int p = 0; p < 2; p++) {
        const double dt = 0.005, skin = p ? 1e-6 : 1e-10, tolerance = p ? 1e-5 : 1e-6;
        myr_settings settings = scene_settings("task", "none", "dt", "0.005", "precision", p ? "f32" : "f64", "tolerance",
                                               p ? "1e-5" : "1e-6", "threads", "1", NULL);
        myr_model *model = sole();
        myr_batch *batch = NULL;
        double q[ENVS][7], v[ENVS][6], apart = 0, worst = 0;
        int most = 0, open = 0, several = 0;
        MUST(myr_batch_create(model, ENVS, &settings, &batch));
        throw_down(batch, 0, ENVS, 1);
        for (int step = 0; step < STEPS; step++) {
            push(batch, 0, ENVS, step);
            MUST(myr_batch_get(batch, MYR_Q, NULL, ENVS, MYR_F64, q));
            MUST(myr_batch_get(batch, MYR_V, NULL, ENVS, MYR_F64, v));
            MUST(myr_batch_step(batch, 1));
            for (int64_t env = 0; env < ENVS; env++) {
                double residual;
                int loaded, status = 0;
                double number;
                MUST(myr_batch_get(batch, MYR_RESIDUAL_NCP, &env, 1, MYR_F64, &residual));
                MUST(myr_batch_get(batch, MYR_SOLVE_STATUS, &env, 1, MYR_F64, &number));
                status = (int)number;
                const double seen = judge(batch, env, q[env], v[env], dt, skin, &loaded);
                open += status != MYR_CONVERGED;
                several += loaded > 4;
                most = loaded > most ? loaded : most;
                worst = fmax(worst, seen);
                apart = fmax(apart, seen - residual);
            }
        }
        print_message(
            "%s: violated by %.2g at most, %.2g more than residual_ncp; %d not converged; up to %d points carry, more than 4 in %d\n",
            p ? "f32" : "f64", worst, apart, open, most, several);
        assert_int_equal(open, 0);
        assert_true(apart < (p ? 3e-5 : 1e-9)); /* float: a rounding of the height over dt */
        assert_true(worst < 3 * tolerance + (p ? 3e-5 : 0));
        assert_true(most >= 4);
        myr_batch_free(batch);
        myr_model_free(model);
    }
}

/* One step each from the same states, with working sets and without: velocities. */
static void the_convex_law_knows_no_difference(void **state) {
    (void)state;
    static double v[2][ENVS][6];
    double apart = 0;
    myr_model *model = sole();
    for (int sets = 0; sets < 2; sets++) {
        myr_batch *batch = NULL;
        const myr_settings settings = scene_settings("task", "none", "dt", "0.005", "precision", "f64", "solver", "admm-ccp", "tolerance",
                                                     "1e-10", "threads", "1", "working-sets", sets ? "1" : "0", NULL);
        MUST(myr_batch_create(model, ENVS, &settings, &batch));
        throw_down(batch, 0, ENVS, 0.3);
        push(batch, 0, ENVS, 0);
        MUST(myr_batch_step(batch, 1));
        MUST(myr_batch_get(batch, MYR_V, NULL, ENVS, MYR_F64, v[sets]));
        myr_batch_free(batch);
    }
    for (int env = 0; env < ENVS; env++)
        for (int k = 0; k < 6; k++) apart = fmax(apart, fabs(v[1][env][k] - v[0][env][k]));
    print_message("convex law: velocities %.2g apart\n", apart);
    assert_true(apart < 1e-6);
    myr_model_free(model);
}

/* On the flat and at rest: it stays, and the same points carry it. */
static void what_stands_stays(void **state) {
    (void)state;
    myr_model *model = sole();
    myr_batch *batch = NULL;
    const myr_settings settings = scene_settings("task", "none", "dt", "0.005", "threads", "1", NULL);
    double q[7] = {0, 0, RADIUS, 1, 0, 0, 0}, impulse[POINTS][3];
    const double dt = 0.005, drift = MASS * 1e-6 / (dt * dt); /* what has drifted to SKIN comes down in one step */
    double mean = 0;
    int touching[POINTS] = {0}, carry = 0;
    MUST(myr_batch_create(model, 1, &settings, &batch));
    MUST(myr_batch_set(batch, MYR_Q, NULL, 1, MYR_F64, q));
    MUST(myr_batch_step(batch, 20));
    for (int step = 0; step < 1000; step++) {
        double weight = 0;
        MUST(myr_batch_step(batch, 1));
        MUST(myr_batch_get(batch, MYR_IMPULSE, NULL, 1, MYR_F64, impulse));
        for (int i = 0; i < POINTS; i++) weight += impulse[i][2] / dt, touching[i] += impulse[i][2] > 0;
        mean += weight / 1000;
        if (!(fabs(weight - MASS * GRAVITY) < 0.05 + drift)) fail_msg("step %d: it weighs %g N", step, weight);
    }
    for (int i = 0; i < POINTS; i++) carry += touching[i] > 0;
    MUST(myr_batch_get(batch, MYR_Q, NULL, 1, MYR_F64, q));
    print_message("standing: %d points carried, moved %.2g m, weighs %.3g N too much\n", carry, fmax(fabs(q[0]), fabs(q[1])),
                  mean - MASS * GRAVITY);
    assert_true(fabs(mean - MASS * GRAVITY) < 1e-3);
    assert_true(carry >= 3 && carry <= 5);
    assert_true(fabs(q[0]) < 1e-4 && fabs(q[1]) < 1e-4 && fabs(q[2] - RADIUS) < 1e-5);
    myr_batch_free(batch);
    myr_model_free(model);
}

/* Spinning about the vertical through its centre of mass: the law leaves open how points share the load, and with it the torque. */
static void what_spins_is_slowed(void **state) {
    (void)state;
    double torque[2];
    myr_model *model = sole();
    for (int sets = 0; sets < 2; sets++) {
        myr_batch *batch = NULL;
        const myr_settings settings =
            scene_settings("task", "none", "dt", "0.001", "precision", "f64", "threads", "1", "working-sets", sets ? "1" : "0", NULL);
        double q[7] = {0, 0, RADIUS, 1, 0, 0, 0}, v[6] = {0, -0.03 * 5, 0, 0, 0, 5}, after[6], farthest = 0;
        for (int i = 0; i < POINTS; i++) farthest = fmax(farthest, hypot(points[i][0] - 0.03, points[i][1]));
        MUST(myr_batch_create(model, 1, &settings, &batch));
        MUST(myr_batch_set(batch, MYR_Q, NULL, 1, MYR_F64, q));
        MUST(myr_batch_step(batch, 5));
        MUST(myr_batch_set(batch, MYR_V, NULL, 1, MYR_F64, v));
        MUST(myr_batch_step(batch, 10));
        MUST(myr_batch_get(batch, MYR_V, NULL, 1, MYR_F64, after));
        torque[sets] = 0.01 * (5 - after[5]) / 0.01 / (FRICTION * MASS * GRAVITY);
        print_message("working-sets %d: a spinning sole is slowed at a lever of %.4f m, its farthest point is %.4f m away\n", sets,
                      torque[sets], farthest);
        assert_true(torque[sets] > 0.01 && torque[sets] <= farthest * 1.001);
        myr_batch_free(batch);
    }
    myr_model_free(model);
}

/* Alone, and among others, in every instruction set, by two threads. */
static void bits_are_its_own(void **state) {
    (void)state;
    static double all[ENVS][13], alone[13];
    myr_model *model = sole();
    uint64_t hash = 0;
    for (int i = 0; isa_at(i); i++)
        for (int threads = 1; threads <= 2; threads++) {
            myr_batch *batch = NULL;
            const myr_settings settings =
                scene_settings("task", "none", "dt", "0.005", "isa", isa_at(i), "threads", threads > 1 ? "2" : "1", NULL);
            MUST(myr_batch_create(model, ENVS, &settings, &batch));
            throw_down(batch, 0, ENVS, 1);
            for (int step = 0; step < STEPS; step++) push(batch, 0, ENVS, step), myr_batch_step(batch, 1);
            if (!hash) hash = myr_batch_hash(batch);
            assert_true(myr_batch_hash(batch) == hash);
            for (int64_t env = 0; env < ENVS; env++) {
                MUST(myr_batch_get(batch, MYR_Q, &env, 1, MYR_F64, all[env]));
                MUST(myr_batch_get(batch, MYR_V, &env, 1, MYR_F64, all[env] + 7));
            }
            myr_batch_free(batch);
        }
    for (int env = 0; env < ENVS; env++) {
        myr_batch *batch = NULL;
        const myr_settings settings = scene_settings("task", "none", "dt", "0.005", "threads", "1", NULL);
        MUST(myr_batch_create(model, 1, &settings, &batch));
        throw_down(batch, env, 1, 1);
        for (int step = 0; step < STEPS; step++) push(batch, env, 1, step), myr_batch_step(batch, 1);
        MUST(myr_batch_get(batch, MYR_Q, NULL, 1, MYR_F64, alone));
        MUST(myr_batch_get(batch, MYR_V, NULL, 1, MYR_F64, alone + 7));
        if (memcmp(alone, all[env], sizeof alone) != 0) fail_msg("environment %d is another alone", env);
        myr_batch_free(batch);
    }
    myr_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_law_holds_for_all), cmocka_unit_test(the_convex_law_knows_no_difference),
        cmocka_unit_test(what_stands_stays),     cmocka_unit_test(what_spins_is_slowed),
        cmocka_unit_test(bits_are_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

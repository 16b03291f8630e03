/* ctest: heavy law
 * What contacts do beyond not to penetrate, in closed form: balls that land and bounce, that come out of the ground and sink into
 * it, a particle of one step. Every solver, double precision, each step held to the scheme's own recurrence and the end to the
 * continuous law to first order. Names and parameters are those of tests/oracle/contact; check_analytic.py compares what is
 * measured here with the file. */
#include "support/law_scene.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define EXACT 1e-9

static FILE *records; /* NULL: no file was named */

static void record(const char *id, const char *solver, const char *format, ...) {
    if (!records) return;
    va_list list;
    va_start(list, format);
    fprintf(records, "{\"id\": \"%s\", \"solver\": \"%s\", \"shape\": \"ball\", ", id, solver);
    vfprintf(records, format, list);
    fputs("}\n", records);
    va_end(list);
}

#define NEAR(what, seen, wanted, allowed) near(solver, __func__, step, what, seen, wanted, allowed)
static void near(const char *solver, const char *law, int step, const char *what, double seen, double wanted, double allowed) {
    if (fabs(seen - wanted) <= allowed) return;
    fail_msg("%s, %s, step %d: %s is %.17g, expected %.17g within %.3g (off by %.3g)", law, solver, step, what, seen, wanted, allowed,
             seen - wanted);
}

/* One ball with its lowest point at `height`, and the settings key, value, ..., NULL over law_settings. */
static myr_batch *ball(const char *solver, double height, double speed, const char *key, ...) {
    va_list list;
    myr_settings settings = law_settings(solver);
    va_start(list, key);
    scene_set_settings(&settings, key, list);
    va_end(list);
    myr_model *model = law_model(LAW_BALL);
    const double mu = 0.5, none = 0, q[7] = {0, 0, LAW_HALF + height, 1}, v[6] = {0, 0, speed};
    const int64_t env = 0;
    myr_batch *batch = law_batch(model, &settings, 1, &mu, &none);
    MUST(myr_batch_set(batch, MYR_Q, &env, 1, MYR_F64, q));
    MUST(myr_batch_set(batch, MYR_V, &env, 1, MYR_F64, v));
    myr_model_free(model); /* the batch keeps it */
    return batch;
}

/* ---- falling ------------------------------------------------------------------------------------------------------- */

/* What could be reached within the step is a contact, with or without `gap`: a falling ball is stopped at the ground, at the end of the
 * step that would have gone through it. Where only touching counts (landing 0) it sinks by up to a step's way and stays there. */
static void balls_land(void **state) {
    (void)state;
    enum { STEPS = 400 };
    for (int s = 0; s < MYR_SOLVER_COUNT; s++)
        for (int with = 0; with <= 2 && law_rigid(s); with++) {
            const char *solver = myr_solvers[s].name;
            myr_batch *batch = ball(solver, 0.5, 0, "gap", with == 1 ? "0.01" : "0", "landing", with ? "1" : "0", NULL);
            int steps_to_contact = 0;
            for (int step = 1; step <= STEPS; step++) {
                const double free = 0.5 - LAW_GRAVITY * LAW_DT * LAW_DT * step * (step + 1) / 2;
                MUST(myr_batch_step(batch, 1));
                law_assert_solved(batch, solver, LAW_BALL, step);
                const law_motion seen = law_see(batch, 0, LAW_BALL);
                const double height = seen.position[2] - LAW_HALF;
                if (free > 0) {
                    NEAR("height", height, free, EXACT);
                    continue;
                }
                if (!steps_to_contact) steps_to_contact = step;
                if (with) {
                    NEAR("height", height, 0, EXACT);
                    NEAR("velocity", seen.velocity[2], step == steps_to_contact ? seen.velocity[2] : 0, EXACT);
                } else if (height > 0 || height < -3.2e-3) {
                    fail_msg("%s, step %d: the ball is at %.3g", solver, step, height);
                }
            }
            const law_motion seen = law_see(batch, 0, LAW_BALL);
            if (with < 2)
                record(
                    "drop_inelastic", solver,
                    "\"gap_term\": %d, \"final_centre_height\": %.17g, \"final_velocity\": [%.17g, %.17g, %.17g], \"steps_to_contact\": %d",
                    with, seen.position[2], seen.velocity[0], seen.velocity[1], seen.velocity[2], steps_to_contact);
            myr_batch_free(batch);
        }
}

/* ---- bouncing ------------------------------------------------------------------------------------------------------ */

enum { BOUNCES = 5 };

typedef struct flight {
    double apex[BOUNCES], impact[BOUNCES]; /* [m], [s] */
} flight;

static flight bounce(const char *solver, const char *restitution, double dt, const char *dt_word, const char *gap) {
    flight f = {.apex = {0}};
    myr_batch *batch = ball(solver, 0.5, 0, "restitution", restitution, "restitution-speed", "0.001", "dt", dt_word, "gap", gap, NULL);
    double before = 0, top = 0;
    int n = -1;
    for (int step = 1; n < BOUNCES && step * dt < 2.5; step++) {
        MUST(myr_batch_step(batch, 1));
        const law_motion seen = law_see(batch, 0, LAW_BALL);
        top = fmax(top, seen.position[2] - LAW_HALF);
        if (seen.impulse[2] > 0 && before < -0.001) {
            if (n >= 0) f.apex[n] = top;
            if (++n < BOUNCES) f.impact[n] = step * dt;
            top = 0;
            NEAR("rebound", seen.velocity[2], -atof(restitution) * before, EXACT);
        }
        before = seen.velocity[2];
    }
    assert_true(n >= 2);
    while (++n < BOUNCES) f.impact[n] = f.impact[n - 1]; /* bounces of less than a step are rest */
    myr_batch_free(batch);
    return f;
}

static void balls_bounce(void **state) {
    (void)state;
    static const char *const restitutions[] = {"0.25", "0.50", "0.80"};
    static const struct {
        const char *word;
        double dt;
    } steps[] = {{"1e-3", 1e-3}, {"1e-4", 1e-4}};
    for (int s = 0; s < MYR_SOLVER_COUNT; s++)
        for (int r = 0; r < 3 && law_rigid(s); r++)
            for (int with = 0; with <= 1; with++)
                for (int k = 0; k < 2; k++) {
                    const char *solver = myr_solvers[s].name;
                    if (k && s) continue; /* the smaller step by one solver */
                    const double e = atof(restitutions[r]), dt = steps[k].dt, speed = sqrt(2 * LAW_GRAVITY * 0.5);
                    const flight f = bounce(solver, restitutions[r], dt, steps[k].word, with ? "0.01" : "0");
                    double time = speed / LAW_GRAVITY;
                    for (int n = 0, step = 0; n < BOUNCES; n++) {
                        NEAR("impact time", f.impact[n], time, 3 * (n + 1) * dt);
                        NEAR("apex", f.apex[n], 0.5 * pow(e, 2 * (n + 1)), 2 * speed * dt);
                        time += 2 * pow(e, n + 1) * speed / LAW_GRAVITY;
                    }
                    char id[32];
                    snprintf(id, sizeof id, "bounce_e%s", restitutions[r]);
                    record(id, solver,
                           "\"gap_term\": %d, \"dt\": %.17g, \"apex_heights\": [%.17g, %.17g, %.17g, %.17g, %.17g], \"impact_times\": "
                           "[%.17g, %.17g, %.17g, %.17g, %.17g]",
                           with, dt, f.apex[0], f.apex[1], f.apex[2], f.apex[3], f.apex[4], f.impact[0], f.impact[1], f.impact[2],
                           f.impact[3], f.impact[4]);
                }
}

/* A ball that meets the ground more slowly than restitution-speed does not rebound. */
static void slow_balls_stay(void **state) {
    (void)state;
    for (int s = 0; s < MYR_SOLVER_COUNT; s++)
        for (int fast = 0; fast <= 1 && law_rigid(s); fast++) {
            const char *solver = myr_solvers[s].name;
            myr_batch *batch = ball(solver, 0, fast ? -0.51 : -0.49, "restitution", "0.8", "restitution-speed", "0.5", NULL);
            const int step = 1;
            MUST(myr_batch_step(batch, 1));
            NEAR("velocity", law_see(batch, 0, LAW_BALL).velocity[2], fast ? 0.8 * 0.51 : 0, EXACT);
            myr_batch_free(batch);
        }
}

/* ---- in the ground ------------------------------------------------------------------------------------------------- */

/* A ball found a millimetre deep comes out by a share of its depth in each step: exponentially where it is held down hard enough not
 * to fly, and else as it flies. One that hits the ground rebounds by restitution or correction, whichever is more, not by both. */
static void corrections_decay(void **state) {
    (void)state;
    for (int s = 0; s < MYR_SOLVER_COUNT; s++) {
        if (!law_rigid(s)) continue;
        const char *solver = myr_solvers[s].name;
        myr_batch *batch = NULL;
        for (int held = 0; held <= 1; held++) {
            const double load = held ? 100 : LAW_GRAVITY, pull[3] = {0, 0, -load};
            const int64_t env = 0;
            double height = -1e-3, v = 0;
            batch = ball(solver, height, 0, "baumgarte", "0.2", NULL);
            MUST(myr_batch_set(batch, MYR_GRAVITY, &env, 1, MYR_F64, pull));
            for (int step = 1; step <= 100; step++) {
                MUST(myr_batch_step(batch, 1));
                law_assert_solved(batch, solver, LAW_BALL, step);
                v -= load * LAW_DT;
                v = fmax(v, (height > 0 ? 1 : 0.2) * -height / LAW_DT); /* what is in the air lands, at height 0 */
                height += LAW_DT * v;
                NEAR("height", law_see(batch, 0, LAW_BALL).position[2] - LAW_HALF, height, EXACT);
                if (held) NEAR("depth", -height, 1e-3 * pow(0.8, step), EXACT);
            }
            myr_batch_free(batch);
        }
        batch = ball(solver, -1e-3, -1, "baumgarte", "0.2", "restitution", "0.5", NULL);
        MUST(myr_batch_step(batch, 1));
        const int step = 1;
        NEAR("rebound", law_see(batch, 0, LAW_BALL).velocity[2], fmax(0.5, 0.2e-3 / LAW_DT), EXACT);
        myr_batch_free(batch);
    }
}

/* Rigid contacts do not yield; compliant ones give way in proportion to R = C / (dt (dt + T)), in every step as 1 kg on a
 * velocity-level dashpot does, and with the correction dt / (dt + T) a ball rests C m g deep, as on a spring. */
static void compliance_yields(void **state) {
    (void)state;
    static const char *const compliances[] = {"0", "1e-6", "1e-5", "1e-4"};
    for (int s = 0; s < MYR_SOLVER_COUNT; s++)
        for (int c = law_rigid(s) ? 0 : 1; c < 4; c++) { /* Newton's method takes the compliance that it is given */
            const char *solver = myr_solvers[s].name;
            const double C = atof(compliances[c]), T = 1e-3, R = C / (LAW_DT * (LAW_DT + T));
            myr_batch *batch = ball(solver, -1e-6, -0.3, "compliance", compliances[c], "dissipation-time", "1e-3", NULL);
            double v = -0.3;
            for (int step = 1; step <= 1500; step++) {
                MUST(myr_batch_step(batch, 1));
                law_assert_solved(batch, solver, LAW_BALL, step);
                const double impulse = -(v - LAW_GRAVITY * LAW_DT) / (1 + R);
                v += impulse - LAW_GRAVITY * LAW_DT;
                const law_motion seen = law_see(batch, 0, LAW_BALL);
                NEAR("velocity", seen.velocity[2], v, EXACT);
                NEAR("impulse", seen.impulse[2], impulse, EXACT);
                if (step == 1500) NEAR("creep", seen.velocity[2], -R * LAW_GRAVITY * LAW_DT, EXACT);
            }
            myr_batch_free(batch);
            batch = ball(solver, -1e-6, 0, "compliance", compliances[c], "dissipation-time", "1e-3", "baumgarte", "0.5", NULL);
            MUST(myr_batch_step(batch, 2000));
            const int step = 2000;
            if (C > 0) NEAR("depth at rest", LAW_HALF - law_see(batch, 0, LAW_BALL).position[2], C * LAW_GRAVITY, EXACT);
            myr_batch_free(batch);
        }
}

/* A pulled point that would stick creeps at R_T times what holds it. */
static void tangential_compliance_creeps(void **state) {
    (void)state;
    static const char *const compliances[] = {"0", "1e-6", "1e-5"};
    for (int s = 0; s < MYR_SOLVER_COUNT; s++)
        for (int c = 0; c < 3 && law_rigid(s); c++) {
            const char *solver = myr_solvers[s].name;
            const double mu = 1, none = 0, R = atof(compliances[c]) / (LAW_DT * LAW_DT);
            myr_settings settings = law_settings(solver);
            MUST(myr_settings_set(&settings, "compliance-tangent", compliances[c]));
            myr_model *model = law_model(LAW_POINT);
            myr_batch *batch = law_batch(model, &settings, 1, &mu, &none);
            law_tilt(batch, 0, 0.5); /* tan 0.5 < mu: it sticks */
            const int step = 400;
            MUST(myr_batch_step(batch, step));
            law_assert_solved(batch, solver, LAW_POINT, step);
            const law_motion seen = law_see(batch, 0, LAW_POINT);
            NEAR("creep", seen.velocity[0], R * LAW_GRAVITY * sin(0.5) * LAW_DT, EXACT);
            NEAR("normal velocity", seen.velocity[2], 0, EXACT);
            myr_batch_free(batch);
            myr_model_free(model);
        }
}

/* ---- one step ------------------------------------------------------------------------------------------------------ */

/* The particle of Lu and Trinkle: 0.15 m above the ground, one step of 0.1 s, gravity of many strengths. */
static void particles_meet_the_ground(void **state) {
    (void)state;
    static const double gravities[] = {20, 30, 25, 15, 10, 7.5, 6, 5.1, 5.01, 5.001, 5, 4, 1, 0};
    for (int s = 0; s < MYR_SOLVER_COUNT; s++) {
        if (myr_solvers[s].law == MYR_LAW_CCP) continue; /* what slips leaves the ground */
        const char *solver = myr_solvers[s].name;
        myr_settings settings = law_settings(solver);
        MUST(myr_settings_set(&settings, "dt", "0.1"));
        MUST(myr_settings_set(&settings, "gap", "0.2"));
        myr_model *model = law_model(LAW_POINT);
        for (size_t i = 0; i < sizeof gravities / sizeof *gravities; i++) {
            const double mu = 0.5, none = 0, g = -gravities[i], q[3] = {1, 1, LAW_HALF + 0.15}, v[3] = {1, 0, -1}, pull[3] = {0, 0, g};
            const int64_t env = 0;
            const int step = 1;
            myr_batch *batch = law_batch(model, &settings, 1, &mu, &none);
            MUST(myr_batch_set(batch, MYR_Q, &env, 1, MYR_F64, q));
            MUST(myr_batch_set(batch, MYR_V, &env, 1, MYR_F64, v));
            MUST(myr_batch_set(batch, MYR_GRAVITY, &env, 1, MYR_F64, pull));
            MUST(myr_batch_step(batch, 1));
            law_assert_solved(batch, solver, LAW_POINT, step);
            const law_motion seen = law_see(batch, 0, LAW_POINT);
            /* without Gamma what slips is kept off by mu times its speed, also where it would not have touched the ground */
            const double closing = -0.5 - 0.1 * g;
            const int lifts = myr_solvers[s].law == MYR_LAW_CCP && mu * closing < 1;
            const double p = fmax(0, lifts ? (closing + mu * 1) / (1 + mu * mu) : closing), friction = fmin(1, mu * p);
            NEAR("normal impulse", seen.impulse[2], p, EXACT);
            NEAR("friction impulse", seen.impulse[0], -friction, EXACT);
            NEAR("velocity along", seen.velocity[0], 1 - friction, EXACT);
            NEAR("normal velocity", seen.velocity[2], -1 + 0.1 * g + p, EXACT);
            if (!lifts)
                record("particle_003", solver, "\"g\": %.17g, \"p_n\": %.17g, \"p_f\": [%.17g, %.17g], \"v_next\": [%.17g, %.17g, %.17g]",
                       g, seen.impulse[2], seen.impulse[0], seen.impulse[1], seen.velocity[0], seen.velocity[1], seen.velocity[2]);
            myr_batch_free(batch);
        }
        myr_model_free(model);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(balls_land),
        cmocka_unit_test(balls_bounce),
        cmocka_unit_test(slow_balls_stay),
        cmocka_unit_test(corrections_decay),
        cmocka_unit_test(compliance_yields),
        cmocka_unit_test(tangential_compliance_creeps),
        cmocka_unit_test(particles_meet_the_ground),
    };
    const char *path = getenv("MYRIAPOD_LAWS_OUT");
    if (path && !(records = fopen(path, "w"))) return 1;
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return records && fclose(records) != 0 ? 1 : failed;
}

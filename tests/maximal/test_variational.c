/* ctest: heavy
 * What the variational integrator of Brüdigam 2021 (dynamics=maximal) owes to motion without contacts: it is of second order, keeps
 * momentum to rounding and energy without drift, lets wheels spin, and stops a body that turns by more than it can represent. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/batch_scene.h"
#include "support/model_scene.h"
#include "support/random_model.h"
#include "reference/maximal_parts.h"
#include "reference/rigid_body.h"
#include "reference/small.h"

enum { MOST = 64 };

static const double no_gravity[3] = {0, 0, 0}, gravity[3] = {0, 0, -9.81};

static myr_batch *open_batch(const myr_model *model, int64_t envs, const char *precision, double dt, const char *tolerance) {
    myr_settings settings = scene_settings("task", "none", "dynamics", "maximal", "precision", precision, "tolerance", tolerance, "threads",
                                           "1", "newton-limit", strcmp(tolerance, "0") ? "30" : "8", NULL);
    myr_batch *batch = NULL;
    settings.dt_s = dt;
    MUST(myr_batch_create(model, envs, &settings, &batch));
    return batch;
}

static void put(myr_batch *batch, int64_t env, const double *q, const double *v) {
    MUST(myr_batch_set(batch, MYR_Q, &env, 1, MYR_F64, q));
    MUST(myr_batch_set(batch, MYR_V, &env, 1, MYR_F64, v));
}
static void get(const myr_batch *batch, int64_t env, double *q, double *v) {
    MUST(myr_batch_get(batch, MYR_Q, &env, 1, MYR_F64, q));
    MUST(myr_batch_get(batch, MYR_V, &env, 1, MYR_F64, v));
}

/* A body of 1 kg or its share, its centre of mass off its origin. */
static int add_body(myr_builder *builder, const char *name, int parent, myr_joint_type joint, const double at[3], const double axis[3],
                    const double com[3], const double inertia[3]) {
    myr_body_def def = myr_body_def_default();
    int id = -1;
    def.name = name, def.parent = parent, def.joint = joint, def.mass_kg = 1;
    for (int k = 0; k < 3; k++) {
        def.position_m[k] = at[k], def.com_m[k] = com[k], def.inertia_kgm2[k] = inertia[k];
        if (axis) def.axis[k] = axis[k];
    }
    MUST(myr_builder_body(builder, &def, &id));
    return id;
}

/* ---- order ---------------------------------------------------------------------------------------------- */

/* Hinges about crooked axes, hung from the world. */
static myr_model *chain(int links) {
    static const double axes[3][3] = {{0, 1, 0}, {0.6, 0, 0.8}, {0.48, 0.6, 0.64}}, at[3] = {0, 0.1, -0.4}, origin[3] = {0, 0, 0},
                        com[3] = {0.02, 0.03, -0.2}, inertia[3] = {0.02, 0.03, 0.015};
    static const char *const names[3] = {"first", "second", "third"};
    myr_builder *builder = scene_builder();
    for (int k = 0, last = -1; k < links; k++) {
        const double *axis = links == 1 ? axes[0] : axes[k];
        last = add_body(builder, names[k], last, MYR_JOINT_REVOLUTE, k ? at : origin, axis, com, inertia);
    }
    myr_model *model = scene_compile(builder);
    myr_builder_free(builder);
    return model;
}

static void slope(reference_state *s, const double *x, double *out) {
    static const double none[MOST];
    const int n = s->model->nv;
    reference_compute(s, x, x + n, none, gravity);
    memcpy(out, x + n, (size_t)n * sizeof *out);
    memcpy(out + n, s->acceleration, (size_t)n * sizeof *out);
}

/* Runge-Kutta's fourth order over `time`, which may be negative, in steps of 0.1 ms or less. */
static void exact(reference_state *s, double *x, double time) {
    const int n = 2 * s->model->nv, steps = (int)ceil(fabs(time) / 1e-4 - 1e-9);
    const double h = time / steps;
    double k[4][MOST], y[MOST];
    for (int i = 0; i < steps; i++) {
        slope(s, x, k[0]);
        for (int a = 1; a < 4; a++) {
            for (int j = 0; j < n; j++) y[j] = x[j] + (a == 3 ? h : h / 2) * k[a - 1][j];
            slope(s, y, k[a]);
        }
        for (int j = 0; j < n; j++) x[j] += h / 6 * (k[0][j] + 2 * k[1][j] + 2 * k[2][j] + k[3][j]);
    }
}

/* Largest error of the angles after 0.48 s from the state x; half: v is that of half a step before. */
static double error_of(const myr_model *model, reference_state *s, const double *x, double dt, int half) {
    const int n = model->nv;
    double start[MOST], end[MOST], q[MOST], v[MOST], worst = 0;
    myr_batch *batch = open_batch(model, 1, "f64", dt, "1e-12");
    memcpy(start, x, 2 * (size_t)n * sizeof *x);
    memcpy(end, start, sizeof end);
    if (half) exact(s, start, -dt / 2);
    exact(s, end, 0.48);
    put(batch, 0, x, start + n);
    MUST(myr_batch_step(batch, (int64_t)(0.48 / dt + 0.5)));
    get(batch, 0, q, v);
    for (int k = 0; k < n; k++) worst = fmax(worst, fabs(q[k] - end[k]));
    myr_batch_free(batch);
    return worst;
}

static void steps_are_of_second_order(void **state) {
    (void)state;
    for (int links = 1; links <= 3; links += 2) {
        const double x[2][6] = {{1.2, 2}, {1, -0.5, 0.7, 2, 3, -4}};
        myr_model *model = chain(links);
        reference_state s;
        assert_true(reference_init(&s, model));
        for (int half = 0; half < 2; half++) {
            double errors[3];
            for (int k = 0; k < 3; k++) errors[k] = error_of(model, &s, x[links > 1], 8e-3 / (1 << k), half);
            const double order = log2(errors[1] / errors[2]), before = log2(errors[0] / errors[1]);
            print_message("%d hinges, v %s: %.2e, %.2e, %.2e rad at 8, 4, 2 ms: order %.3f, %.3f\n", links,
                          half ? "of half a step before" : "as given", errors[0], errors[1], errors[2], before, order);
            if (!(fabs(order - (half ? 2 : 1)) < 0.1)) fail_msg("of order %.3f", order);
        }
        reference_free(&s);
        myr_model_free(model);
    }
}

/* ---- momentum ------------------------------------------------------------------------------------------- */

/* Linear momentum, and angular about the origin of the world, of the interval between two configurations, as it ends. A wheel turns with
 * what carries it, and has its spin beside that. */
static void momentum_of(reference_state *s, const double *q_before, const double *q, const double *v, double dt, double out[6]) {
    static const double none[MOST];
    const myr_model *m = s->model;
    double x[MOST][3], R[MOST][9], from[MOST];
    assert_true(m->n_bodies <= MOST && m->nq <= MOST);
    memcpy(from, q_before, (size_t)m->nq * sizeof *from);
    for (int i = 0; i < m->n_bodies; i++)
        if (myr_is_wheel(m, i)) from[m->bodies[i].q] = q[m->bodies[i].q];
    for (int k = 0; k < 6; k++) out[k] = 0;
    reference_compute(s, from, none, none, no_gravity);
    for (int i = 0; i < m->n_bodies; i++) {
        mul3(s->bodies[i].rotation, m->bodies[i].com, x[i]);
        for (int k = 0; k < 3; k++) x[i][k] += s->bodies[i].position[k];
        memcpy(R[i], s->bodies[i].rotation, sizeof R[i]);
    }
    reference_compute(s, q, none, none, no_gravity);
    for (int i = 0; i < m->n_bodies; i++) {
        const myr_body *b = &m->bodies[i];
        const double *now = s->bodies[i].rotation, *six = b->inertia;
        const double J[9] = {six[0], six[3], six[4], six[3], six[1], six[5], six[4], six[5], six[2]};
        double at[3], p[3], turn[9], back[9], eta[3], K[3], w[3], across[3], L[3], once[3];
        mul3(now, b->com, at);
        for (int k = 0; k < 3; k++) at[k] += s->bodies[i].position[k], p[k] = b->mass * (at[k] - x[i][k]) / dt;
        transpose(R[i], back);
        for (int k = 0; k < 9; k++)
            turn[k] = back[k / 3 * 3] * now[k % 3] + back[k / 3 * 3 + 1] * now[3 + k % 3] + back[k / 3 * 3 + 2] * now[6 + k % 3];
        const double c = sqrt(1 + turn[0] + turn[4] + turn[8]) / 2;
        eta[0] = (turn[7] - turn[5]) / (4 * c), eta[1] = (turn[2] - turn[6]) / (4 * c), eta[2] = (turn[3] - turn[1]) / (4 * c);
        for (int k = 0; k < 3; k++) w[k] = 2 / dt * eta[k];
        if (myr_is_wheel(m, i)) {
            double axis[3];
            transpose(b->align, turn);
            mul3(turn, b->axis, axis);
            for (int k = 0; k < 3; k++) w[k] += v[b->v] * axis[k];
        }
        mul3(J, w, K);
        cross(eta, K, across);
        for (int k = 0; k < 3; k++) L[k] = c * K[k] - across[k];
        mul3(now, L, w);
        cross(at, p, once);
        for (int k = 0; k < 3; k++) out[k] += p[k], out[3 + k] += once[k] + w[k];
    }
}

static double apart(const double *a, const double *b, int n) {
    double sum = 0;
    for (int k = 0; k < n; k++) sum += (a[k] - b[k]) * (a[k] - b[k]);
    return sqrt(sum);
}

/* Angular momentum in the world of a free body whose centre of mass is its origin, from q and v alone. */
static void body_momentum(const double *inertia, const double *q, const double *v, double dt, double out[3]) {
    const double J[9] = {inertia[0], 0, 0, 0, inertia[1], 0, 0, 0, inertia[2]}, speed = sqrt(dot(v + 3, v + 3));
    double w[3], begin[3], end[3], R[9];
    for (int k = 0; k < 3; k++) w[k] = speed > 0 ? v[3 + k] * sin(speed * dt / 2) / (speed * dt / 2) : 0;
    interval_momenta(J, w, dt, begin, end);
    reference_quaternion_rotation(q + 3, R);
    mul3(R, end, out);
}

/* To rounding at a tolerance of 0. At the default tolerance each step leaves an error, always on the same side; one more correction
 * (variational_polish) makes it small. */
static void a_tumbling_body_keeps_its_momentum(void **state) {
    (void)state;
    enum { ENVS = 16, PIECES = 10, STEPS = 10000 };
    static const double origin[3] = {0, 0, 0}, inertia[3] = {0.01, 0.02, 0.025};
    const double dt = 5e-3;
    myr_builder *builder = scene_builder();
    add_body(builder, "top", -1, MYR_JOINT_FREE, origin, NULL, origin, inertia);
    myr_model *model = scene_compile(builder);
    myr_builder_free(builder);
    for (int p = 0; p < 3; p++) {
        myr_batch *batch = open_batch(model, ENVS, p ? "f32" : "f64", dt, p == 2 ? "1e-5" : "0");
        double first[ENVS][3], L[3], q[7], v[6], drift[ENVS] = {0}, worst[PIECES] = {0};
        random_source source = {3};
        for (int64_t env = 0; env < ENVS; env++) {
            double start[7] = {1, 2, 3}, rate[6] = {0.1, -0.2, 0.3};
            MUST(myr_batch_set(batch, MYR_GRAVITY, &env, 1, MYR_F64, no_gravity));
            random_quaternion(&source, start + 3);
            for (int k = 3; k < 6; k++) rate[k] = random_uniform(&source, -5, 5);
            if (env == 0) rate[3] = 1e-3, rate[4] = 6, rate[5] = 1e-3; /* about the middle axis, which is not stable */
            put(batch, env, start, rate);
            get(batch, env, q, v);
            body_momentum(inertia, q, v, dt, first[env]);
        }
        for (int piece = 0; piece < PIECES; piece++) {
            MUST(myr_batch_step(batch, STEPS));
            for (int env = 0; env < ENVS; env++) {
                get(batch, env, q, v);
                body_momentum(inertia, q, v, dt, L);
                const double size = sqrt(dot(first[env], first[env]));
                worst[piece] = fmax(worst[piece], apart(L, first[env], 3) / size);
                drift[env] = sqrt(dot(L, L)) / size - 1;
            }
        }
        double mean = 0, spread = 0;
        for (int env = 0; env < ENVS; env++) mean += drift[env] / ENVS;
        for (int env = 0; env < ENVS; env++) spread += (drift[env] - mean) * (drift[env] - mean) / (ENVS - 1);
        spread = sqrt(spread / ENVS);
        print_message("%s%s: angular momentum off by %.2g after %d steps, %.2g after %d; its size by %.2g +- %.2g\n", p ? "f32" : "f64",
                      p == 2 ? ", tolerance 1e-5" : "", worst[0], STEPS, worst[PIECES - 1], PIECES * STEPS, mean, spread);
        for (int piece = 0; piece < PIECES; piece++)
            if (!(worst[piece] < (p == 2 ? 1e-2 : p ? 1e-3 : 1e-12)))
                fail_msg("off by %.3g after %d steps", worst[piece], (piece + 1) * STEPS);
        if (p == 1 && !(fabs(mean) < 4 * spread + 1e-6)) fail_msg("its size goes by %.3g +- %.3g", mean, spread);
        myr_batch_free(batch);
    }
    myr_model_free(model);
}

/* Steps a floating robot in which motors and joints push; the largest change of momentum over its size. */
static double momentum_lost(const myr_model *model, myr_batch *batch, const double *q, const double *v, double dt, int steps) {
    double before[MOST], now[MOST], rate[MOST], first[6], P[6], lost = 0;
    reference_state s;
    myr_stats stats;
    assert_true(reference_init(&s, model));
    MUST(myr_batch_set(batch, MYR_GRAVITY, (int64_t[]){0}, 1, MYR_F64, no_gravity));
    put(batch, 0, q, v);
    for (int k = 0; k <= steps; k++) {
        get(batch, 0, before, rate);
        MUST(myr_batch_step(batch, 1));
        get(batch, 0, now, rate);
        momentum_of(&s, before, now, rate, dt, P);
        if (k == 0) memcpy(first, P, sizeof first);
        for (int half = 0; half < 6; half += 3) lost = fmax(lost, apart(P + half, first + half, 3) / sqrt(dot(first + half, first + half)));
    }
    myr_batch_stats(batch, &stats);
    assert_true(stats.quarantined == 0 && stats.not_converged == 0);
    reference_free(&s);
    return lost;
}

static void a_robot_keeps_its_momentum(void **state) {
    (void)state;
    const double steps[] = {1e-3, 5e-3};
    myr_model *model = NULL;
    MUST(myr_model_load("anymal", MYR_ROOT_FLOATING, &model));
    for (int k = 0; k < 2; k++) {
        double q[MOST], v[MOST], gains[MOST];
        myr_batch *batch = open_batch(model, 1, "f64", steps[k], "1e-13");
        for (int i = 0; i < model->nu; i++) gains[i] = 20;
        MUST(myr_batch_set(batch, MYR_KP, (int64_t[]){0}, 1, MYR_F64, gains));
        get(batch, 0, q, v);
        q[2] += 50;
        for (int i = 0; i < model->nv; i++) v[i] = 2 * sin(1 + 1.3 * i);
        const double lost = momentum_lost(model, batch, q, v, steps[k], 1000);
        print_message("anymal, %g ms: momentum changes by %.2g\n", 1e3 * steps[k], lost);
        if (!(lost < 1e-10)) fail_msg("momentum changes by %.3g", lost);
        myr_batch_free(batch);
    }
    myr_model_free(model);
}

/* ---- wheels, and what turns too far -------------------------------------------------------------------- */

/* A free frame with a limb, whose inertia about its hinge is round or that of a box. */
static myr_model *spinner(int round) {
    static const double origin[3] = {0, 0, 0}, at[3] = {0.2, 0, 0.1}, axis[3] = {0, 0.6, 0.8}, big[3] = {0.1, 0.2, 0.15},
                        wheel[3] = {0.01, 0.01, 0.01}, box[3] = {0.004, 0.01, 0.012};
    myr_builder *builder = scene_builder();
    const int frame = add_body(builder, "frame", -1, MYR_JOINT_FREE, origin, NULL, origin, big);
    add_body(builder, "limb", frame, MYR_JOINT_REVOLUTE, at, axis, origin, round ? wheel : box);
    myr_model *model = scene_compile(builder);
    myr_builder_free(builder);
    assert_int_equal(myr_is_wheel(model, 1), round);
    return model;
}

static void wheels_spin(void **state) {
    (void)state;
    const double dt = 0.02, q[8] = {0, 0, 50, 1}, v[7] = {0, 0, 0, 0.5, 1, -0.7, 300};
    myr_model *model = spinner(1);
    myr_batch *batch = open_batch(model, 1, "f64", dt, "1e-13");
    double end[8], rate[7], turned = 0;
    const double lost = momentum_lost(model, batch, q, v, dt, 2000);
    get(batch, 0, end, rate);
    for (int k = 3; k < 6; k++) turned += rate[k] * rate[k];
    print_message("a wheel at 300 rad/s, 20 ms: momentum changes by %.2g, its spin is %.6g rad/s\n", lost, rate[6]);
    assert_true(lost < 1e-10 && fabs(rate[6] - 300) < 3 && turned > 0.1);
    myr_batch_free(batch);
    myr_model_free(model);
}

/* By the turn of one step [rad]; the paper's |w| dt, 2 sin of half of it, may be 1.9. More than whole turns look like small ones. */
static void what_turns_too_far_is_stopped(void **state) {
    (void)state;
    enum { ENVS = 19 };
    static const double turns[] = {2.3,  2.6, 3.1, 4, 5, 6.283185307179586, 7, 9, 9.6, 11, 12.566370614359172, 12.8, 20, 25.132741228718345,
                                   31.5, 1000};
    const double dt = 0.02;
    for (int p = 0; p < 2; p++)
        for (int limb = 0; limb < 2; limb++)
            for (size_t k = 0; k < sizeof turns / sizeof *turns; k++) {
                myr_model *model = spinner(0);
                myr_batch *batch = open_batch(model, ENVS, p ? "f64" : "f32", dt, "1e-5"),
                          *calm = open_batch(model, ENVS, p ? "f64" : "f32", dt, "1e-5");
                const int64_t sick = 5;
                double q[8] = {0, 0, 50, 1}, v[7] = {0}, end[8], rate[7], reason, one[8], other[8];
                for (int64_t env = 0; env < ENVS; env++) {
                    for (int i = 0; i < 7; i++) v[i] = sin(1 + i + 2.0 * (double)env);
                    put(batch, env, q, v);
                    put(calm, env, q, v);
                }
                for (int i = 0; i < 7; i++) v[i] = 0;
                v[limb ? 6 : 4] = turns[k] / dt;
                put(batch, sick, q, v);
                MUST(myr_batch_step(batch, 3));
                MUST(myr_batch_step(calm, 3));
                MUST(myr_batch_get(batch, MYR_QUARANTINED, &sick, 1, MYR_F64, &reason));
                if ((int)reason != (turns[k] < 2.5 ? MYR_HEALTHY : MYR_QUARANTINE_ROTATION))
                    fail_msg("%s, %s, %g rad in a step: %s", p ? "f64" : "f32", limb ? "limb" : "frame", turns[k],
                             myr_quarantine_text((myr_quarantine)(int)reason));
                get(batch, sick, end, rate);
                if (turns[k] > 2.5) assert_true(!memcmp(end + 7, q + 7, sizeof *q) && fabs(rate[limb ? 6 : 4] * dt / turns[k] - 1) < 1e-6);
                for (int64_t env = 0; env < ENVS; env++) {
                    MUST(myr_batch_get(batch, MYR_Q, &env, 1, MYR_F64, one));
                    MUST(myr_batch_get(calm, MYR_Q, &env, 1, MYR_F64, other));
                    if (env != sick && memcmp(one, other, sizeof one)) fail_msg("robot %d feels the sick one", (int)env);
                }
                myr_batch_free(batch);
                myr_batch_free(calm);
                myr_model_free(model);
            }
}

/* A torque that does it: of the step that would, nothing is kept. The armature makes the turn what the torque says. */
static void a_turn_too_far_is_not_taken(void **state) {
    (void)state;
    const double dt = 0.01, armature = 10;
    myr_model *model = chain(1);
    for (int p = 0; p < 2; p++)
        for (int far = 0; far < 2; far++) {
            const double torque = armature * (far ? 2.8 : 2.2) / (dt * dt), q = 0.3, v = 0;
            double end, rate, reason;
            myr_batch *batch = open_batch(model, 1, p ? "f64" : "f32", dt, "1e-5");
            MUST(myr_batch_set(batch, MYR_GRAVITY, NULL, 1, MYR_F64, no_gravity));
            MUST(myr_batch_set(batch, MYR_ARMATURE, NULL, 1, MYR_F64, &armature));
            MUST(myr_batch_set(batch, MYR_TORQUE, NULL, 1, MYR_F64, &torque));
            put(batch, 0, &q, &v);
            MUST(myr_batch_step(batch, 1));
            get(batch, 0, &end, &rate);
            MUST(myr_batch_get(batch, MYR_QUARANTINED, NULL, 1, MYR_F64, &reason));
            assert_int_equal((int)reason, far ? MYR_QUARANTINE_ROTATION : MYR_HEALTHY);
            assert_true(far ? rate == 0 && fabs(end - 0.3) < 1e-7 : fabs(rate * dt - 2.2) < 0.05);
            myr_batch_free(batch);
        }
    myr_model_free(model);
}

/* ---- energy --------------------------------------------------------------------------------------------- */

/* Of the interval that led from q to now: kinetic by the bodies' v and w, potential of its ends. Two rods in a plane. */
static double energy_of(const double *q, const double *now, double dt) {
    double x[2][2][2], height = 0, energy = 0;
    for (int e = 0; e < 2; e++) {
        const double *at = e ? now : q, a = at[0], b = at[0] + at[1];
        x[e][0][0] = -0.25 * sin(a), x[e][0][1] = -0.25 * cos(a);
        x[e][1][0] = -0.5 * sin(a) - 0.25 * sin(b), x[e][1][1] = -0.5 * cos(a) - 0.25 * cos(b);
        height += 0.5 * (x[e][0][1] + x[e][1][1]);
    }
    for (int i = 0; i < 2; i++) {
        const double w = 2 / dt * sin(0.5 * (now[0] - q[0] + (i ? now[1] - q[1] : 0)));
        const double vx = (x[1][i][0] - x[0][i][0]) / dt, vz = (x[1][i][1] - x[0][i][1]) / dt;
        energy += 0.5 * (vx * vx + vz * vz) + 0.5 * 0.02 * w * w;
    }
    return energy + 9.81 * height;
}

static void energy_does_not_drift(void **state) {
    (void)state;
    enum { PIECE = 1000, PIECES = 100 };
    static double states[PIECE][4];
    const double dt = 0.01, start[2] = {1.2, 0}, rest[2] = {0, 0};
    const double origin[3] = {0, 0, 0}, at[3] = {0, 0, -0.5}, axis[3] = {0, 1, 0}, com[3] = {0, 0, -0.25}, inertia[3] = {0.02, 0.02, 0.001};
    myr_builder *builder = scene_builder();
    const int first = add_body(builder, "upper", -1, MYR_JOINT_REVOLUTE, origin, axis, com, inertia);
    add_body(builder, "lower", first, MYR_JOINT_REVOLUTE, at, axis, com, inertia);
    myr_model *model = scene_compile(builder);
    myr_builder_free(builder);
    myr_stats stats;
    myr_batch *batch = open_batch(model, 1, "f64", dt, "1e-12");
    double last[2], mean[2] = {0, 0}, low = INFINITY, high = -INFINITY;
    put(batch, 0, start, rest);
    memcpy(last, start, sizeof last);
    for (int piece = 0; piece < PIECES; piece++) {
        const myr_rollout rollout = {.steps = PIECE, .type = MYR_F64, .state = states};
        MUST(myr_batch_rollout(batch, &rollout));
        for (int k = 0; k < PIECE; k++) {
            const double energy = energy_of(last, states[k], dt);
            low = fmin(low, energy), high = fmax(high, energy);
            mean[piece >= PIECES / 2] += energy / (PIECE * PIECES / 2);
            memcpy(last, states[k], sizeof last);
        }
    }
    myr_batch_stats(batch, &stats);
    print_message("double pendulum, 10 ms, 1e5 steps: mean energy %.6f J, then %.6f J, between %.4f and %.4f J\n", mean[0], mean[1], low,
                  high);
    assert_true(stats.not_converged == 0 && stats.quarantined == 0);
    if (!(fabs(mean[1] - mean[0]) < 1e-3 * (high - low))) fail_msg("the mean goes by %.3g of the band", (mean[1] - mean[0]) / (high - low));
    assert_true(high - low < 0.1 * fabs(mean[0]));
    myr_batch_free(batch);
    myr_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_are_of_second_order),     cmocka_unit_test(a_tumbling_body_keeps_its_momentum),
        cmocka_unit_test(a_robot_keeps_its_momentum),    cmocka_unit_test(wheels_spin),
        cmocka_unit_test(what_turns_too_far_is_stopped), cmocka_unit_test(a_turn_too_far_is_not_taken),
        cmocka_unit_test(energy_does_not_drift),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The scalar reference of Brüdigam 2021 (reference/maximal.h) by laws alone: order of the integrator, momentum, energy, sliding, joints
 * that stay closed, motors, refusals. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/maximal_scene.h"
#include "reference/small.h"

#define TIGHT 1e-12

/* ---- order ---------------------------------------------------------------------------------------------------------- */

/* theta'' = -k sin theta, classical Runge-Kutta in steps of 1e-5 s. */
static void swing(double k, double time, double *angle, double *rate) {
    const int steps = (int)(fabs(time) * 1e5 + 0.5);
    const double h = steps ? time / steps : 0;
    for (int i = 0; i < steps; i++) {
        const double a = *angle, r = *rate;
        const double r1 = -k * sin(a), a2 = r + 0.5 * h * r1, r2 = -k * sin(a + 0.5 * h * r), a3 = r + 0.5 * h * r2;
        const double r3 = -k * sin(a + 0.5 * h * a2), a4 = r + h * r3, r4 = -k * sin(a + h * a3);
        *angle += h / 6 * (r + 2 * a2 + 2 * a3 + a4);
        *rate += h / 6 * (r1 + 2 * r2 + 2 * r3 + r4);
    }
}

/* Error of the angle after one second; the velocity at the start is that of the start, or of half a step earlier. */
static double pendulum_error(double dt, int half_a_step_back) {
    const double start = 1.1, turning = 1.5, k = 9.81 * 0.5 / (maximal_rod[0] + 0.25);
    double angle = start, rate = turning;
    if (half_a_step_back) swing(k, -0.5 * dt, &angle, &rate);
    maximal_scene s = {.bodies = 0};
    put_pendulum(&s, 1, MAXIMAL_REVOLUTE);
    maximal_body *b = &s.body[0];
    const double before = start - dt * rate;
    b->q[0] = cos(start / 2), b->q[1] = sin(start / 2);
    b->x[1] = 0.5 * sin(start), b->x[2] = -0.5 * cos(start);
    b->v[1] = (b->x[1] - 0.5 * sin(before)) / dt, b->v[2] = (b->x[2] + 0.5 * cos(before)) / dt;
    b->w[0] = 2 / dt * sin(0.5 * (start - before));
    maximal *m = open_scene(&s, dt);
    for (int i = 0; i < (int)(1 / dt + 0.5); i++) must_step(m, TIGHT);
    double value, end_rate;
    maximal_coordinate(m, 0, &value, &end_rate);
    maximal_close(m);
    angle = start, rate = turning;
    swing(k, 1, &angle, &rate);
    return fabs(value - angle);
}

static void order_is_2_from_half_a_step_back_and_1_as_given(void **state) {
    (void)state;
    for (int half = 0; half < 2; half++) {
        const double errors[3] = {pendulum_error(0.01, half), pendulum_error(0.005, half), pendulum_error(0.0025, half)};
        for (int k = 0; k < 2; k++) {
            const double order = log2(errors[k] / errors[k + 1]);
            if (!(fabs(order - (1 + half)) < 0.08))
                fail_msg("order %.3f, not %d: errors %.3g, %.3g", order, 1 + half, errors[k], errors[k + 1]);
        }
    }
}

/* ---- momentum and energy -------------------------------------------------------------------------------------------- */

/* Of the last interval, in the world. */
static void momentum_of(const maximal *m, double out[3]) {
    pose z;
    double at_start[3], at_end[3];
    pose_of_body(&m->bodies[0], &z);
    interval_momenta(m->bodies[0].inertia, m->bodies[0].w, m->dt, at_start, at_end);
    mul3(z.R, at_end, out);
}

static void a_tumbling_body_keeps_its_momentum(void **state) {
    (void)state;
    maximal_scene s = {.bodies = 0};
    add_body(&s, 2, (double[3]){0.03, 0.02, 0.01}, 0, 0, 0);
    memcpy(s.body[0].w, (double[3]){0.01, 4, 0.02}, sizeof s.body[0].w); /* about the middle axis: it turns over */
    maximal *m = open_scene(&s, 0.01);
    memset(m->gravity, 0, sizeof m->gravity);
    double start[3], now[3], worst = 0, least = INFINITY;
    momentum_of(m, start);
    for (int i = 0; i < 100000; i++) {
        must_step(m, 1e-17); /* as far as rounding lets it: what is left adds up */
        momentum_of(m, now);
        for (int k = 0; k < 3; k++) worst = fmax(worst, fabs(now[k] - start[k]) / sqrt(dot(start, start)));
        least = fmin(least, m->bodies[0].w[1]);
    }
    expect_below("momentum", worst, 1e-12);
    assert_true(least < -3.9);
    maximal_close(m);
}

/* The two halves of 200 s have the same mean energy. A band is there in each: v is that of half a step earlier. */
static void a_double_pendulum_does_not_drift(void **state) {
    (void)state;
    maximal_scene s = {.bodies = 0};
    put_pendulum(&s, 2, MAXIMAL_REVOLUTE);
    const double angles[2] = {1.2, 1.9};
    double y = 0, z = 0;
    for (int i = 0; i < 2; i++) {
        maximal_body *b = &s.body[i];
        b->q[0] = cos(angles[i] / 2), b->q[1] = sin(angles[i] / 2);
        b->x[1] = y + 0.5 * sin(angles[i]), b->x[2] = z - 0.5 * cos(angles[i]);
        y += sin(angles[i]), z -= cos(angles[i]);
    }
    maximal *m = open_scene(&s, 0.01);
    double mean[2] = {0, 0}, gap = 0;
    const int half = 10000;
    for (int i = 0; i < 2 * half; i++) {
        must_step(m, TIGHT);
        mean[i / half] += maximal_energy(m) / half;
        gap = fmax(gap, maximal_gap(m));
    }
    expect_below("drift of the energy", fabs(mean[1] - mean[0]), 2e-3);
    expect_below("gap", gap, 1e-13);
    maximal_close(m);
}

/* ---- contacts ------------------------------------------------------------------------------------------------------- */

static void put_cube(maximal_scene *s, double mu) {
    add_body(s, 1, (double[3]){1 / 150., 1 / 150., 1 / 150.}, 0, 0, 0.1);
    for (int k = 0; k < 4; k++) add_contact(s, 0, k & 1 ? 0.1 : -0.1, k & 2 ? 0.1 : -0.1, -0.1, mu);
}

/* All corners stay down: v falls by mu g dt in a step until it is 0. The diamond slides as the cone does along its axes. */
static void a_cube_slides_as_coulomb_says(void **state) {
    (void)state;
    static const double along[3][2] = {{1, 0}, {0.6, 0.8}, {0, -1}};
    const double mu = 0.2, dt = 0.005, start = 1.5;
    for (int way = 0; way < 3; way++)
        for (int cone = MAXIMAL_LINEAR; cone <= MAXIMAL_SOC; cone++) {
            if (cone == MAXIMAL_LINEAR && along[way][0] * along[way][1] != 0) continue;
            maximal_scene s = {.bodies = 0};
            put_cube(&s, mu);
            for (int k = 0; k < 2; k++) s.body[0].v[k] = start * along[way][k];
            maximal *m = open_scene(&s, dt);
            m->cone = (maximal_cone)cone;
            double v = start, x = 0, lowest = INFINITY;
            for (int i = 0; i < 200; i++) {
                must_step(m, 1e-11);
                v = fmax(0, v - mu * 9.81 * dt), x += dt * v;
                for (int k = 0; k < 2; k++) expect_below("place", fabs(m->bodies[0].x[k] - x * along[way][k]), 1e-7);
                for (int c = 0; c < 4; c++) {
                    const double *l = m->contacts[c].impulse;
                    lowest = fmin(lowest, m->contacts[c].distance);
                    expect_below("cone", cone == MAXIMAL_SOC ? hypot(l[0], l[1]) - mu * l[2] : fabs(l[0]) + fabs(l[1]) - mu * l[2], 1e-10);
                }
            }
            assert_true(v == 0 && lowest > 0);
            maximal_close(m);
        }
}

/* A ball slides until it rolls, v = r w; its momentum about the contact stays m r v0 = m r v + s J w, s J w being an interval's. */
static void a_ball_ends_up_rolling(void **state) {
    (void)state;
    const double radius = 0.1, J = 0.4 * radius * radius, dt = 0.005, start = 1;
    for (int cone = MAXIMAL_LINEAR; cone <= MAXIMAL_SOC; cone++) {
        maximal_scene s = {.bodies = 0};
        add_body(&s, 1, (double[3]){J, J, J}, 0, 0, radius);
        add_contact(&s, 0, 0, 0, 0, 0.3);
        s.contact[0].radius = radius, s.body[0].v[1] = start;
        maximal *m = open_scene(&s, dt);
        m->cone = (maximal_cone)cone;
        for (int i = 0; i < 200; i++) must_step(m, 1e-11);
        double v = 5. / 7 * start;
        for (int k = 0; k < 20; k++) v = start / (1 + sqrt(1 - pow(0.5 * dt * v / radius, 2)) * J / (radius * radius));
        expect_below("speed", fabs(m->bodies[0].v[1] - v), 1e-7);
        expect_below("turning", fabs(m->bodies[0].w[0] + v / radius), 1e-6);
        maximal_close(m);
    }
}

/* Nothing rubs where mu is 0; nothing is held where the law is off. */
static void without_friction_nothing_is_lost(void **state) {
    (void)state;
    for (int cone = MAXIMAL_NONE; cone <= MAXIMAL_SOC; cone++) {
        maximal_scene s = {.bodies = 0};
        put_cube(&s, 0);
        s.body[0].v[0] = 1.5;
        maximal *m = open_scene(&s, 0.005);
        m->cone = (maximal_cone)cone;
        for (int i = 0; i < 100; i++) must_step(m, 1e-11);
        expect_below("speed", fabs(m->bodies[0].v[0] - 1.5), 1e-12);
        expect_below("height", fabs(m->bodies[0].x[2] - (cone == MAXIMAL_NONE ? 0.1 - 9.81 * 0.005 * 0.005 * 100 * 101 / 2 : 0.1)), 1e-9);
        maximal_close(m);
    }
}

static void a_falling_chain_keeps_its_joints_and_the_ground(void **state) {
    (void)state;
    maximal_scene s = {.bodies = 0};
    put_chain(&s, 5);
    maximal *m = open_scene(&s, 0.005);
    double gap = 0, lowest = INFINITY;
    for (int i = 0; i < 300; i++) {
        must_step(m, 1e-10);
        gap = fmax(gap, maximal_gap(m));
        for (int c = 0; c < m->n_contacts; c++) lowest = fmin(lowest, m->contacts[c].distance);
    }
    expect_below("gap", gap, 1e-12);
    assert_true(lowest > 0 && lowest < 1e-9);
    maximal_close(m);
}

/* ---- motors and refusals -------------------------------------------------------------------------------------------- */

/* Far from gravity a slider with PD, damping and armature is one equation: (m + a)(v3 - v2) = dt (effort - kp x3 - (kd + D) v3). */
static void a_motor_acts_on_the_coordinate_at_the_end(void **state) {
    (void)state;
    maximal_scene s = {.bodies = 0};
    add_body(&s, 2, maximal_rod, 0.3, 0, 0);
    maximal_joint *joint = add_joint(&s, MAXIMAL_PRISMATIC, -1, 0, (double[3]){0, 0, 0}, (double[3]){0, 0, 0});
    joint->driven = 1;
    joint->motor = (maximal_motor){.kp = 50, .kd = 3, .damping = 0.5, .armature = 0.7, .target = 0.1, .effort = 0.4};
    s.body[0].v[0] = -0.2;
    maximal *m = open_scene(&s, 0.01);
    double x = 0.3, v = -0.2;
    for (int i = 0; i < 100; i++) {
        must_step(m, TIGHT);
        const double before = v;
        v = (2.7 * v + 0.01 * (0.4 + 50 * (0.1 - x))) / (2.7 + 0.01 * 3.5 + 1e-4 * 50);
        x += 0.01 * v;
        expect_below("place", fabs(m->bodies[0].x[0] - x), 1e-12);
        expect_below("impulse", fabs(m->joints[0].impulse[5] - 2 * (v - before)), 1e-12);
    }
    maximal_close(m);
}

static void what_cannot_be_is_refused(void **state) {
    (void)state;
    maximal_scene s = {.bodies = 0};
    put_pendulum(&s, 2, MAXIMAL_BALL);
    s.body[1].w[2] = 201;
    maximal *m = open_scene(&s, 0.01);
    const maximal_end end = maximal_step(m, TIGHT);
    assert_true(end.residual == INFINITY && end.iterations == 0);
    assert_true(m->bodies[1].w[2] == 201 && m->bodies[1].x[2] == s.body[1].x[2]);
    maximal_close(m);
    s.joint[1].child = 2;
    assert_null(maximal_open(s.bodies, s.body, s.joints, s.joint, 0, NULL));
    s.joint[1].child = 0;
    assert_null(maximal_open(s.bodies, s.body, s.joints, s.joint, 0, NULL));
    s.joint[1].child = 1, s.joint[1].driven = 1;
    assert_null(maximal_open(s.bodies, s.body, s.joints, s.joint, 0, NULL));
    maximal_close(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order_is_2_from_half_a_step_back_and_1_as_given),
        cmocka_unit_test(a_tumbling_body_keeps_its_momentum),
        cmocka_unit_test(a_double_pendulum_does_not_drift),
        cmocka_unit_test(a_cube_slides_as_coulomb_says),
        cmocka_unit_test(a_ball_ends_up_rolling),
        cmocka_unit_test(without_friction_nothing_is_lost),
        cmocka_unit_test(a_falling_chain_keeps_its_joints_and_the_ground),
        cmocka_unit_test(a_motor_acts_on_the_coordinate_at_the_end),
        cmocka_unit_test(what_cannot_be_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The scalar reference of Brüdigam 2021 (reference/maximal.h) by laws alone: order of the integrator, momentum, energy, sliding, joints
 * that stay closed, a factor that equals a dense one, a direction that takes all residuals down at the same rate. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "reference/maximal_parts.h"
#include "reference/small.h"

#define TIGHT 1e-12

enum { MOST = 128, MOST_ROWS = 6 * 40 };

typedef struct scene {
    maximal_body body[MOST];
    maximal_joint joint[MOST];
    maximal_contact contact[MOST];
    int bodies, joints, contacts;
} scene;

static void expect_below(const char *what, double value, double limit) {
    if (!(value <= limit)) fail_msg("%s: %.3g, not below %.3g", what, value, limit);
}

static int add_body(scene *s, double mass, const double inertia[3], double x, double y, double z) {
    s->body[s->bodies] = (maximal_body){.mass = mass, .x = {x, y, z}, .q = {1, 0, 0, 0}};
    for (int k = 0; k < 3; k++) s->body[s->bodies].inertia[4 * k] = inertia[k];
    return s->bodies++;
}

static maximal_joint *add_joint(scene *s, maximal_kind kind, int parent, int child, const double p_parent[3], const double p_child[3]) {
    maximal_joint *joint = &s->joint[s->joints++];
    *joint = (maximal_joint){.kind = kind, .parent = parent, .child = child, .axis = {1, 0, 0}, .q_offset = {1, 0, 0, 0}};
    memcpy(joint->p_parent, p_parent, sizeof joint->p_parent);
    memcpy(joint->p_child, p_child, sizeof joint->p_child);
    return joint;
}

static void add_contact(scene *s, int body, double x, double y, double z, double mu) {
    s->contact[s->contacts++] = (maximal_contact){.body = body, .p = {x, y, z}, .mu = mu};
}

static maximal *open_scene(const scene *s, double dt) {
    maximal *m = maximal_open(s->bodies, s->body, s->joints, s->joint, s->contacts, s->contact);
    assert_non_null(m);
    m->dt = dt;
    return m;
}

static void step(maximal *m, double tolerance) {
    const maximal_end end = maximal_step(m, tolerance);
    if (!(end.residual < 100 * tolerance)) fail_msg("a step ends at %.3g after %d iterations", end.residual, end.iterations);
}

static const double rod[3] = {0.084, 0.084, 0.002};

/* Rods of 1 m that hang from the world's origin by hinges about x, or balls. */
static void hang(scene *s, int links, maximal_kind kind) {
    for (int i = 0; i < links; i++) {
        const int body = add_body(s, 1, rod, 0, 0, -0.5 - i);
        add_joint(s, kind, i ? i - 1 : -1, body, i ? (double[3]){0, 0, -0.5} : (double[3]){0, 0, 0}, (double[3]){0, 0, 0.5});
    }
}

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
    const double start = 1.1, turning = 1.5, k = 9.81 * 0.5 / (rod[0] + 0.25);
    double angle = start, rate = turning;
    if (half_a_step_back) swing(k, -0.5 * dt, &angle, &rate);
    scene s = {.bodies = 0};
    hang(&s, 1, MAXIMAL_REVOLUTE);
    maximal_body *b = &s.body[0];
    const double before = start - dt * rate;
    b->q[0] = cos(start / 2), b->q[1] = sin(start / 2);
    b->x[1] = 0.5 * sin(start), b->x[2] = -0.5 * cos(start);
    b->v[1] = (b->x[1] - 0.5 * sin(before)) / dt, b->v[2] = (b->x[2] + 0.5 * cos(before)) / dt;
    b->w[0] = 2 / dt * sin(0.5 * (start - before));
    maximal *m = open_scene(&s, dt);
    for (int i = 0; i < (int)(1 / dt + 0.5); i++) step(m, TIGHT);
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
    scene s = {.bodies = 0};
    add_body(&s, 2, (double[3]){0.03, 0.02, 0.01}, 0, 0, 0);
    memcpy(s.body[0].w, (double[3]){0.01, 4, 0.02}, sizeof s.body[0].w); /* about the middle axis: it turns over */
    maximal *m = open_scene(&s, 0.01);
    memset(m->gravity, 0, sizeof m->gravity);
    double start[3], now[3], worst = 0, least = INFINITY;
    momentum_of(m, start);
    for (int i = 0; i < 100000; i++) {
        step(m, 1e-17); /* as far as rounding lets it: what is left adds up */
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
    scene s = {.bodies = 0};
    hang(&s, 2, MAXIMAL_REVOLUTE);
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
        step(m, TIGHT);
        mean[i / half] += maximal_energy(m) / half;
        gap = fmax(gap, maximal_gap(m));
    }
    expect_below("drift of the energy", fabs(mean[1] - mean[0]), 2e-3);
    expect_below("gap", gap, 1e-13);
    maximal_close(m);
}

/* ---- contacts ------------------------------------------------------------------------------------------------------- */

static void put_cube(scene *s, double mu) {
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
            scene s = {.bodies = 0};
            put_cube(&s, mu);
            for (int k = 0; k < 2; k++) s.body[0].v[k] = start * along[way][k];
            maximal *m = open_scene(&s, dt);
            m->cone = (maximal_cone)cone;
            double v = start, x = 0, lowest = INFINITY;
            for (int i = 0; i < 200; i++) {
                step(m, 1e-11);
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
        scene s = {.bodies = 0};
        add_body(&s, 1, (double[3]){J, J, J}, 0, 0, radius);
        add_contact(&s, 0, 0, 0, 0, 0.3);
        s.contact[0].radius = radius, s.body[0].v[1] = start;
        maximal *m = open_scene(&s, dt);
        m->cone = (maximal_cone)cone;
        for (int i = 0; i < 200; i++) step(m, 1e-11);
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
        scene s = {.bodies = 0};
        put_cube(&s, 0);
        s.body[0].v[0] = 1.5;
        maximal *m = open_scene(&s, 0.005);
        m->cone = (maximal_cone)cone;
        for (int i = 0; i < 100; i++) step(m, 1e-11);
        expect_below("speed", fabs(m->bodies[0].v[0] - 1.5), 1e-12);
        expect_below("height", fabs(m->bodies[0].x[2] - (cone == MAXIMAL_NONE ? 0.1 - 9.81 * 0.005 * 0.005 * 100 * 101 / 2 : 0.1)), 1e-9);
        maximal_close(m);
    }
}

/* Brüdigam 2021's chain of rods on balls, a contact at each end, bent in the air. */
static void put_chain(scene *s, int links) {
    double end[3] = {0, 0, 1.5};
    for (int i = 0; i < links; i++) {
        const double angle = 1.2 + 0.4 * sin(i), way[3] = {0, sin(angle), -cos(angle)};
        const int body = add_body(s, 1, rod, end[0], end[1] + 0.5 * way[1], end[2] + 0.5 * way[2]);
        s->body[body].q[0] = cos(angle / 2), s->body[body].q[1] = sin(angle / 2);
        for (int k = 0; k < 3; k++) end[k] += way[k];
        s->body[body].v[0] = 0.5;
        if (i) add_joint(s, MAXIMAL_BALL, i - 1, body, (double[3]){0, 0, -0.5}, (double[3]){0, 0, 0.5});
        if (i == 0) add_contact(s, body, 0, 0, 0.5, 0.3);
        add_contact(s, body, 0, 0, -0.5, 0.3);
    }
}

static void a_falling_chain_keeps_its_joints_and_the_ground(void **state) {
    (void)state;
    scene s = {.bodies = 0};
    put_chain(&s, 5);
    maximal *m = open_scene(&s, 0.005);
    double gap = 0, lowest = INFINITY;
    for (int i = 0; i < 300; i++) {
        step(m, 1e-10);
        gap = fmax(gap, maximal_gap(m));
        for (int c = 0; c < m->n_contacts; c++) lowest = fmin(lowest, m->contacts[c].distance);
    }
    expect_below("gap", gap, 1e-12);
    assert_true(lowest > 0 && lowest < 1e-9);
    maximal_close(m);
}

/* ---- the factor ----------------------------------------------------------------------------------------------------- */

/* Four rods of 1 m between (0, 0, 0) and (1, 0, 0): the ground, up, across, down. The last joint closes the loop. */
static void put_fourbar(scene *s, maximal_kind closing, int floating) {
    const double from[4][2] = {{0, 0}, {-0.3, 0.9539392014169456}, {0.7, 0.9539392014169456}, {1, 0}};
    const int bars = floating ? 4 : 3;
    for (int i = 0; i < bars; i++) {
        const double *a = from[i], *b = from[(i + 1) % 4];
        const double angle = atan2(b[0] - a[0], b[1] - a[1]); /* about y, from z */
        const int body = add_body(s, 1, rod, 0.5 * (a[0] + b[0]), 0, 0.5 * (a[1] + b[1]));
        s->body[body].q[0] = cos(angle / 2), s->body[body].q[2] = sin(angle / 2);
        if (i || !floating)
            add_joint(s, MAXIMAL_REVOLUTE, i ? body - 1 : -1, body, i ? (double[3]){0, 0, 0.5} : (double[3]){0, 0, 0},
                      (double[3]){0, 0, -0.5});
    }
    add_joint(s, closing, floating ? 0 : -1, bars - 1, floating ? (double[3]){0, 0, -0.5} : (double[3]){1, 0, 0}, (double[3]){0, 0, 0.5});
    for (int j = 0; j < s->joints; j++) memcpy(s->joint[j].axis, (double[3]){0, 1, 0}, sizeof s->joint[j].axis);
    if (closing == MAXIMAL_REVOLUTE) { /* zero angle as they stand */
        maximal_joint *joint = &s->joint[s->joints - 1];
        const double *q = s->body[joint->child].q, *p = floating ? s->body[0].q : (double[4]){1, 0, 0, 0};
        joint->q_offset[0] = p[0] * q[0] + p[2] * q[2], joint->q_offset[2] = p[0] * q[2] - p[2] * q[0];
    }
}

static void turn(const double r[4], double q[4]) {
    const double p[4] = {q[0], q[1], q[2], q[3]};
    q[0] = r[0] * p[0] - r[1] * p[1] - r[2] * p[2] - r[3] * p[3], q[1] = r[0] * p[1] + r[1] * p[0] + r[2] * p[3] - r[3] * p[2];
    q[2] = r[0] * p[2] - r[1] * p[3] + r[2] * p[0] + r[3] * p[1], q[3] = r[0] * p[3] + r[1] * p[2] - r[2] * p[1] + r[3] * p[0];
}

/* All of it about an axis of no plane: no number is 0 by luck. */
static void tilt(scene *s) {
    pose z;
    maximal_body by = {.q = {0.9, 0.3, 0.1, 0.2}};
    pose_of_body(&by, &z);
    for (int i = 0; i < s->bodies; i++) {
        double x[3];
        mul3(z.R, s->body[i].x, x);
        memcpy(s->body[i].x, x, sizeof x);
        turn(z.q, s->body[i].q);
    }
    for (int j = 0; j < s->joints; j++) {
        if (s->joint[j].parent >= 0) continue;
        double p[3];
        mul3(z.R, s->joint[j].p_parent, p);
        memcpy(s->joint[j].p_parent, p, sizeof p);
        turn(z.q, s->joint[j].q_offset);
    }
}

/* Every kind of joint, both kinds with motors, crooked axes; child bodies before their parents. */
static void put_all_kinds(scene *s) {
    static const maximal_kind kinds[] = {MAXIMAL_FIXED, MAXIMAL_BALL, MAXIMAL_REVOLUTE, MAXIMAL_PRISMATIC, MAXIMAL_REVOLUTE};
    for (int i = 0; i < 6; i++) add_body(s, 1 + 0.3 * i, (double[3]){0.02 + 0.01 * i, 0.03, 0.04}, 0, 0, 1);
    for (int j = 0; j < 5; j++) {
        const int parent = j < 3 ? 5 : j - 3, child = j;
        maximal_joint *joint = add_joint(s, kinds[j], parent, child, (double[3]){0.1, 0.05 * j, -0.2}, (double[3]){0, 0.1, 0.15});
        const double angle = 0.3 * (j + 1);
        memcpy(joint->axis, (double[3]){0.6, 0, 0.8}, sizeof joint->axis);
        joint->q_offset[0] = cos(angle / 2), joint->q_offset[2] = sin(angle / 2);
        joint->driven = kinds[j] == MAXIMAL_REVOLUTE || kinds[j] == MAXIMAL_PRISMATIC;
        joint->motor = (maximal_motor){.kp = 40, .kd = 3, .damping = 0.2, .armature = 0.05, .target = 0.1 * j, .effort = 0.7};
    }
    for (int c = 0; c < 3; c++) add_contact(s, 2 * c, 0.1, -0.1 * c, -0.2, 0.4), s->contact[c].radius = 0.02;
    for (int i = 0; i < 6; i++) /* nothing fits: g != 0, as in the midst of Newton's method */
        for (int k = 0; k < 3; k++) {
            s->body[i].v[k] = 0.4 * sin(3 * i + k), s->body[i].w[k] = 3 * cos(2 * i + 5 * k);
            s->body[i].q[1 + k] = 0.2 * sin(7 * i + 2 * k), s->body[i].x[k] += 0.2 * cos(4 * i + k);
        }
}

static int dense_solve(double *A, double *b, int n) {
    for (int k = 0; k < n; k++) {
        int row = k;
        for (int i = k; i < n; i++)
            if (fabs(A[n * i + k]) > fabs(A[n * row + k])) row = i;
        if (A[n * row + k] == 0) return 0;
        for (int j = 0; j < n; j++) {
            const double x = A[n * k + j];
            A[n * k + j] = A[n * row + j], A[n * row + j] = x;
        }
        const double x = b[k];
        b[k] = b[row], b[row] = x;
        for (int i = k + 1; i < n; i++) {
            const double l = A[n * i + k] / A[n * k + k];
            for (int j = k; j < n; j++) A[n * i + j] -= l * A[n * k + j];
            b[i] -= l * b[k];
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++) b[i] -= A[n * i + k] * b[k];
        b[i] /= A[n * i + i];
    }
    return 1;
}

/* Largest difference of the two solutions at work->now, of the largest number in them. */
static double difference_from_dense(maximal *m, double mu) {
    static double A[MOST_ROWS * MOST_ROWS], b[MOST_ROWS];
    maximal_blocks(m, mu);
    ldu *f = &m->work->factor;
    int at[MOST], n = 0;
    for (int i = 0; i < f->n_nodes; i++) at[i] = n, n += f->nodes[i].size;
    assert_true(n <= MOST_ROWS);
    memset(A, 0, sizeof A);
    for (int i = 0; i < f->n_nodes; i++) {
        const int size = f->nodes[i].size;
        for (int r = 0; r < size; r++) {
            b[at[i] + r] = m->work->rhs[6 * i + r];
            for (int c = 0; c < size; c++) A[n * (at[i] + r) + at[i] + c] = f->nodes[i].pivot[6 * r + c];
        }
        for (int e = f->nodes[i].first; e < f->nodes[i].first + f->nodes[i].count; e++) {
            const int to = f->edges[e].node, other = f->nodes[to].size;
            for (int r = 0; r < size; r++)
                for (int c = 0; c < other; c++) {
                    A[n * (at[i] + r) + at[to] + c] = f->edges[e].upper[6 * r + c];
                    A[n * (at[to] + c) + at[i] + r] = f->edges[e].lower[6 * c + r];
                }
        }
    }
    assert_int_equal(ldu_factor(f), 1);
    ldu_solve(f, m->work->rhs);
    assert_int_equal(dense_solve(A, b, n), 1);
    double worst = 0, largest = 0;
    for (int i = 0; i < f->n_nodes; i++)
        for (int r = 0; r < f->nodes[i].size; r++) {
            worst = fmax(worst, fabs(m->work->rhs[6 * i + r] - b[at[i] + r]));
            largest = fmax(largest, fabs(b[at[i] + r]));
        }
    return worst / largest;
}

/* What is left of (1 - t) r after a step of t: second order in t where the direction is Newton's. */
static double off_the_line(maximal *m, double mu, double t) {
    iterate *now = &m->work->now, *trial = &m->work->trial;
    assert_int_equal(maximal_residual(m, now), 1);
    assert_int_equal(maximal_direction(m, mu), 1);
    for (int i = 0; i < m->n_bodies; i++)
        for (int k = 0; k < 6; k++) trial->body[i][k] = now->body[i][k] + t * m->work->body_step[i][k];
    for (int j = 0; j < m->n_joints; j++)
        for (int k = 0; k < 6; k++) trial->joint[j][k] = now->joint[j][k] + t * m->work->joint_step[j][k];
    for (int c = 0; c < m->n_contacts; c++) {
        const contact_unknown *u = &now->contact[c], *d = &m->work->contact_step[c];
        contact_unknown *to = &trial->contact[c];
        to->gamma = u->gamma + t * d->gamma, to->s = u->s + t * d->s;
        for (int k = 0; k < 5; k++) to->a[k] = u->a[k] + t * d->a[k], to->b[k] = u->b[k] + t * d->b[k];
    }
    assert_int_equal(maximal_residual(m, trial), 1);
    double worst = 0;
    for (int i = 0; i < m->n_bodies; i++)
        for (int k = 0; k < 6; k++) worst = fmax(worst, fabs(trial->body_residual[i][k] - (1 - t) * now->body_residual[i][k]));
    for (int j = 0; j < m->n_joints; j++)
        for (int k = 0; k < joint_size(&m->joints[j]); k++)
            worst = fmax(worst, fabs(trial->joint_residual[j][k] - (1 - t) * now->joint_residual[j][k]));
    for (int c = 0; c < m->n_contacts; c++) {
        const contact_residual *r = &trial->contact_residual[c], *was = &now->contact_residual[c];
        worst = fmax(worst, fabs(r->distance - (1 - t) * was->distance));
        worst = fmax(worst, fabs(r->distance_product - mu - (1 - t) * (was->distance_product - mu)));
        const int numbers = m->cone == MAXIMAL_LINEAR ? 5 : 3;
        for (int k = 0; k < numbers; k++) {
            const double wanted = m->cone == MAXIMAL_LINEAR || k == 0 ? mu : 0;
            worst = fmax(worst, fabs(r->linear[k] - (1 - t) * was->linear[k]));
            worst = fmax(worst, fabs(r->product[k] - wanted - (1 - t) * (was->product[k] - wanted)));
        }
    }
    return worst;
}

/* At the start of a step, and where a rough one has ended: contacts weigh more there. (At the end of a fine one they weigh 1e7 times as
 * much as bodies, and no factor knows the direction to ten digits.) */
static void check_scene(const char *name, const scene *s, int ends) {
    for (int cone = MAXIMAL_LINEAR; cone <= MAXIMAL_SOC; cone++) {
        maximal *m = open_scene(s, 0.01);
        m->cone = (maximal_cone)cone;
        for (int end = 0; end < ends; end++) {
            if (end)
                maximal_step(m, 0.3);
            else
                maximal_begin(m);
            assert_int_equal(maximal_residual(m, &m->work->now), 1);
            expect_below(name, difference_from_dense(m, 0.01), 1e-10);
            const double t = 1e-4, rough = off_the_line(m, 0.01, t), fine = off_the_line(m, 0.01, 0.1 * t);
            if (!(fine <= 0.02 * rough + 1e-11)) fail_msg("%s: of (1 - t) r is left %.3g at t, %.3g at t/10", name, rough, fine);
        }
        maximal_close(m);
    }
}

static void the_factor_is_a_dense_one_and_newton_goes_straight(void **state) {
    (void)state;
    scene s[4] = {{.bodies = 0}};
    put_chain(&s[0], 6);
    put_fourbar(&s[1], MAXIMAL_PIN2, 0);
    put_fourbar(&s[2], MAXIMAL_PIN2, 1);
    put_all_kinds(&s[3]);
    check_scene("chain", &s[0], 2);
    check_scene("four-bar", &s[1], 2);
    check_scene("floating four-bar", &s[2], 2);
    check_scene("all kinds of joints", &s[3], 1);
}

/* Trees have no fill-in. A loop has at most one for each node of it, and its transposed one. */
static void fill_ins_are_those_of_loops(void **state) {
    (void)state;
    scene chain = {.bodies = 0}, star = {.bodies = 0}, bars = {.bodies = 0}, ring = {.bodies = 0};
    put_chain(&chain, 100);
    add_body(&star, 1, rod, 0, 0, 0);
    for (int i = 1; i < 20; i++) add_joint(&star, MAXIMAL_BALL, 0, add_body(&star, 1, rod, 0, 0, 0), rod, rod);
    put_fourbar(&bars, MAXIMAL_PIN2, 0);
    put_fourbar(&ring, MAXIMAL_PIN2, 1);
    const scene *const all[4] = {&chain, &star, &bars, &ring};
    const int edges[4] = {198, 38, 6 + 5, 8 + 5}, fills[4] = {0, 0, 5, 5};
    for (int k = 0; k < 4; k++) {
        maximal *m = open_scene(all[k], 0.01);
        assert_int_equal(m->blocks, m->n_bodies + m->n_joints + 2 * edges[k]);
        assert_int_equal(m->fill_ins, 2 * fills[k]);
        maximal_close(m);
    }
}

/* The loop's last hinge says three things that the others have said. Motion is that of the loop whose rows say each thing once. */
static void a_loop_may_say_things_twice(void **state) {
    (void)state;
    for (int floating = 0; floating < 2; floating++) {
        scene once = {.bodies = 0}, twice = {.bodies = 0};
        put_fourbar(&once, MAXIMAL_PIN2, floating);
        put_fourbar(&twice, MAXIMAL_REVOLUTE, floating);
        tilt(&once), tilt(&twice);
        maximal *a = open_scene(&once, 0.005), *b = open_scene(&twice, 0.005);
        double off = 0, gap = 0, largest = 0;
        for (int i = 0; i < 200; i++) {
            step(a, 1e-11), step(b, 1e-11);
            for (int k = 0; k < 6; k++) largest = fmax(largest, fabs(b->joints[b->n_joints - 1].impulse[k]));
            gap = fmax(gap, maximal_gap(b));
            for (int k = 0; k < a->n_bodies; k++)
                for (int x = 0; x < 3; x++) off = fmax(off, fabs(a->bodies[k].x[x] - b->bodies[k].x[x]));
        }
        expect_below("difference", off, 1e-9);
        expect_below("impulse of the rows that say it again", largest, 0.5);
        expect_below("gap", gap, 1e-11);
        assert_true(fabs(a->bodies[1].x[2] - once.body[1].x[2]) > 0.05);
        maximal_close(a);
        maximal_close(b);
    }
}

/* ---- motors and refusals -------------------------------------------------------------------------------------------- */

/* Far from gravity a slider with PD, damping and armature is one equation: (m + a)(v3 - v2) = dt (effort - kp x3 - (kd + D) v3). */
static void a_motor_acts_on_the_coordinate_at_the_end(void **state) {
    (void)state;
    scene s = {.bodies = 0};
    add_body(&s, 2, rod, 0.3, 0, 0);
    maximal_joint *joint = add_joint(&s, MAXIMAL_PRISMATIC, -1, 0, (double[3]){0, 0, 0}, (double[3]){0, 0, 0});
    joint->driven = 1;
    joint->motor = (maximal_motor){.kp = 50, .kd = 3, .damping = 0.5, .armature = 0.7, .target = 0.1, .effort = 0.4};
    s.body[0].v[0] = -0.2;
    maximal *m = open_scene(&s, 0.01);
    double x = 0.3, v = -0.2;
    for (int i = 0; i < 100; i++) {
        step(m, TIGHT);
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
    scene s = {.bodies = 0};
    hang(&s, 2, MAXIMAL_BALL);
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
        cmocka_unit_test(the_factor_is_a_dense_one_and_newton_goes_straight),
        cmocka_unit_test(fill_ins_are_those_of_loops),
        cmocka_unit_test(a_loop_may_say_things_twice),
        cmocka_unit_test(a_motor_acts_on_the_coordinate_at_the_end),
        cmocka_unit_test(what_cannot_be_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

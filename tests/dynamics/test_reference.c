/* The references are judged by mechanics itself, so that they may judge the lanes where the oracle files are absent: power
 * balance, momentum, velocities as derivatives, and the least of the energy on a contact's conic. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/random_problem.h"
#include "reference/contact_law.h"
#include "reference/contact_single.h"
#include "reference/rigid_body.h"

enum { MOST = 64, JOINTS = 1 << MYR_JOINT_FIXED | 1 << MYR_JOINT_REVOLUTE | 1 << MYR_JOINT_PRISMATIC | 1 << MYR_JOINT_BALL };

static const double gravity[3] = {0, 0, -9.81};

static void assert_near(double a, double b, double allowed) {
    if (!(fabs(a - b) <= allowed)) fail_msg("%.17g and %.17g are apart by %.3g, allowed %.3g", a, b, fabs(a - b), allowed);
}

/* q after the rotation vector d in body axes: q * exp(d / 2). */
static void turn_by(const double q[4], const double d[3], double out[4]) {
    const double angle = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]), k = angle > 0 ? sin(angle / 2) / angle : 0.5;
    const double w = cos(angle / 2), x = k * d[0], y = k * d[1], z = k * d[2];
    out[0] = q[0] * w - q[1] * x - q[2] * y - q[3] * z;
    out[1] = q[0] * x + q[1] * w + q[2] * z - q[3] * y;
    out[2] = q[0] * y - q[1] * z + q[2] * w + q[3] * x;
    out[3] = q[0] * z + q[1] * y - q[2] * x + q[3] * w;
}

/* The motion with velocity v and acceleration a at time 0, at time h: right to second order. */
static void move(const myr_model *m, const double *q, const double *v, const double *a, double h, double *q_out, double *v_out) {
    double d[MOST];
    for (int i = 0; i < m->nv; i++) {
        d[i] = h * v[i] + 0.5 * h * h * a[i];
        v_out[i] = v[i] + h * a[i];
    }
    for (int i = 0; i < m->n_bodies; i++) {
        const myr_body *b = &m->bodies[i];
        if (b->joint == MYR_JOINT_FREE) {
            for (int k = 0; k < 3; k++) q_out[b->q + k] = q[b->q + k] + d[b->v + k];
            turn_by(q + b->q + 3, d + b->v + 3, q_out + b->q + 3);
        } else if (b->joint == MYR_JOINT_BALL) {
            turn_by(q + b->q, d + b->v, q_out + b->q);
        } else {
            q_out[b->q] = q[b->q] + d[b->v];
        }
    }
}

typedef struct moment { /* a state, and the same motion a little before and after */
    myr_model *model;
    reference_state now, before, after;
    double q[2 * MOST], v[MOST], tau[MOST];
} moment;

static const double h = 1e-5;

static void moment_open(moment *m, uint64_t seed, const double pull[3]) {
    double q[2 * MOST], v[MOST];
    random_source source = {seed};
    m->model = random_model(seed, &(random_tree){.bodies = 8, .trees = 1, .floating = 1, .joints = JOINTS}, 0);
    assert_non_null(m->model);
    assert_true(m->model->nv <= MOST && m->model->nq <= 2 * MOST);
    assert_true(reference_init(&m->now, m->model) && reference_init(&m->before, m->model) && reference_init(&m->after, m->model));
    random_state(&source, m->model, 2, 5, m->q, m->v, m->tau);
    reference_compute(&m->now, m->q, m->v, m->tau, pull);
    for (int sign = -1; sign <= 1; sign += 2) {
        move(m->model, m->q, m->v, m->now.acceleration, sign * h, q, v);
        reference_compute(sign < 0 ? &m->before : &m->after, q, v, m->tau, pull);
    }
}

static void moment_close(moment *m) {
    reference_free(&m->now);
    reference_free(&m->before);
    reference_free(&m->after);
    myr_model_free(m->model);
}

/* What the torques do is what the energy gains: M, bias and both energies belong together. */
static void power_balances(void **unused) {
    (void)unused;
    for (uint64_t seed = 1; seed <= 30; seed++) {
        moment m;
        moment_open(&m, seed, gravity);
        double power = 0, size = m.now.kinetic;
        for (int i = 0; i < m.model->nv; i++) {
            power += m.tau[i] * m.v[i];
            size += fabs(m.tau[i] * m.v[i]) + fabs(m.now.bias[i] * m.v[i]);
        }
        const double gain = (m.after.kinetic + m.after.potential - m.before.kinetic - m.before.potential) / (2 * h);
        assert_near(gain, power, 1e-6 * size);
        moment_close(&m);
    }
}

/* M dv/dt + bias = tau, and 1/2 v' M v is the kinetic energy. */
static void equation_of_motion_holds(void **unused) {
    (void)unused;
    for (uint64_t seed = 1; seed <= 30; seed++) {
        moment m;
        moment_open(&m, seed, gravity);
        const int nv = m.model->nv;
        double energy = 0;
        for (int i = 0; i < nv; i++) {
            double left = m.now.bias[i], size = fabs(m.now.bias[i]) + fabs(m.tau[i]);
            for (int k = 0; k < nv; k++) {
                left += m.now.M[i * nv + k] * m.now.acceleration[k];
                size += fabs(m.now.M[i * nv + k] * m.now.acceleration[k]);
                energy += 0.5 * m.v[i] * m.now.M[i * nv + k] * m.v[k];
            }
            assert_near(left, m.tau[i], 1e-10 * size);
        }
        assert_near(energy, m.now.kinetic, 1e-12 * m.now.kinetic);
        moment_close(&m);
    }
}

/* Without gravity only the force on the root changes the momentum: joints act and react. */
static void momentum_obeys_newton(void **unused) {
    (void)unused;
    const double nothing[3] = {0, 0, 0};
    for (uint64_t seed = 1; seed <= 30; seed++) {
        moment m;
        moment_open(&m, seed, nothing);
        const reference_body *root = &m.now.bodies[0];
        double size = 1, torque[3], arm[3];
        for (int k = 0; k < 3; k++) arm[k] = root->position[k] - m.now.com[k];
        for (int k = 0; k < 3; k++) {
            const double *R = root->rotation + 3 * k, *f = m.tau;
            torque[k] =
                R[0] * m.tau[3] + R[1] * m.tau[4] + R[2] * m.tau[5] + arm[(k + 1) % 3] * f[(k + 2) % 3] - arm[(k + 2) % 3] * f[(k + 1) % 3];
        }
        for (int k = 0; k < 6; k++) size = fmax(size, fabs(m.now.momentum[k]));
        for (int k = 0; k < 3; k++) {
            double along = 0;
            for (int i = 0; i < m.model->nv; i++) along += m.now.M[k * m.model->nv + i] * m.v[i];
            assert_near(m.now.momentum[k], along, 1e-12 * size);
            assert_near((m.after.momentum[k] - m.before.momentum[k]) / (2 * h), m.tau[k], 1e-5 * size);
            assert_near((m.after.momentum[3 + k] - m.before.momentum[3 + k]) / (2 * h), torque[k], 1e-5 * size);
            assert_near((m.after.com[k] - m.before.com[k]) / (2 * h) * m.now.mass, m.now.momentum[k], 1e-5 * size);
        }
        moment_close(&m);
    }
}

/* A frame's velocity is the derivative of its position, and its Jacobian times v. */
static void frames_move_as_they_say(void **unused) {
    (void)unused;
    for (uint64_t seed = 1; seed <= 30; seed++) {
        moment m;
        moment_open(&m, seed, gravity);
        for (int f = 0; f < m.model->n_frames; f++) {
            double at[3], before[3], after[3], rotation[9], velocity[6], ignored[6], jacobian[3 * MOST], other[3 * MOST];
            reference_frame(&m.before, f, before, rotation, ignored, other);
            reference_frame(&m.after, f, after, rotation, ignored, other);
            reference_frame(&m.now, f, at, rotation, velocity, jacobian);
            for (int k = 0; k < 3; k++) {
                double along = 0;
                for (int i = 0; i < m.model->nv; i++) along += jacobian[k * m.model->nv + i] * m.v[i];
                assert_near(velocity[k], along, 1e-12 * (1 + fabs(along)));
                assert_near((after[k] - before[k]) / (2 * h), velocity[k], 1e-6 * (1 + fabs(velocity[k])));
            }
        }
        moment_close(&m);
    }
}

static void condition_of_a_known_matrix(void **unused) {
    (void)unused;
    double A[9] = {2, 1, 0, 1, 2, 0, 0, 0, 30}; /* eigenvalues 1, 3, 30 */
    assert_near(reference_condition(A, 3), 30, 1e-12);
}

/* The brute-force contact obeys the law that it minimizes for, and no point nearby on the cone and the plane has less energy. */
static void single_contact_obeys_its_law(void **unused) {
    (void)unused;
    random_source source = {31};
    for (int i = 0; i < 200; i++) {
        random_problem p =
            random_problem_new(&source, &(random_contacts){.contacts = 1, .coupling = 0.2, .mu_most = 1.5, .frictionless = 1});
        const double *G = p.problem.G, *c = p.problem.c, mu = p.problem.mu[0];
        double impulse[3], w[3];
        const char mode = reference_single(G, c, mu, impulse);
        const reference_residuals residuals = reference_law_problem(1, G, c, &mu, impulse, w, 1);
        assert_near(residuals.own[MYR_LAW_DISSIPATION], 0, 1e-12);
        assert_int_equal(reference_law_dissipation(impulse, w, G, mu).mode, mode);
        for (int side = -1; mode == 'd' && side <= 1; side += 2) {
            const double turned = atan2(impulse[1], impulse[0]) + 1e-3 * side, x = mu * cos(turned), y = mu * sin(turned);
            const double slope = G[8] + G[6] * x + G[7] * y, z = -c[2] / slope, other[3] = {x * z, y * z, z};
            assert_true(mu == 0 || (slope > 0 && reference_single_energy(G, c, other) > reference_single_energy(G, c, impulse)));
        }
        random_problem_free(&p);
    }
}

/* Without coupling between normal and tangent Hwangbo's model is Coulomb's law. */
static void models_agree_without_coupling(void **unused) {
    (void)unused;
    random_source source = {32};
    for (int i = 0; i < 100; i++) {
        const double G[9] = {random_uniform(&source, 1, 2), 0.3, 0, 0.3, random_uniform(&source, 1, 2), 0, 0, 0,
                             random_uniform(&source, 1, 2)};
        const double isotropic[9] = {G[0], 0, 0, 0, G[0], 0, 0, 0, G[8]};
        const double c[3] = {random_uniform(&source, -1, 1), random_uniform(&source, -1, 1), random_uniform(&source, -1, 0.1)},
                     mu = random_uniform(&source, 0, 1);
        double impulse[3], w[3];
        for (int k = 0; k < 2; k++) {
            reference_single(k ? isotropic : G, c, mu, impulse);
            assert_near(reference_law_problem(1, k ? isotropic : G, c, &mu, impulse, w, 1).own[MYR_LAW_NCP], 0, 1e-11);
        }
    }
}

/* Distances to the two cones at points whose nearest point is known. */
static void cone_distances(void **unused) {
    (void)unused;
    const double h2 = sqrt(0.5);
    assert_near(reference_distance_cone((double[]){0.5, 0, 1}, 1), 0, 0);
    assert_near(reference_distance_cone((double[]){0, 2, 0}, 1), 2 * h2, 1e-15);
    assert_near(reference_distance_cone((double[]){1, 0, -1}, 1), 2 * h2, 1e-15); /* the apex */
    assert_near(reference_distance_cone((double[]){0.3, 0.4, 2}, 0), 0.5, 1e-15);
    assert_near(reference_distance_dual((double[]){3, 4, -2}, 0), 2, 1e-15);
    assert_near(reference_distance_dual((double[]){1, 0, 2}, 2), 0, 0);
    assert_near(reference_distance_dual((double[]){1, 0, 0}, 2), 2 / sqrt(5), 1e-15);
    assert_near(reference_distance_dual((double[]){0, 0, -1}, 2), 1, 1e-15);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(power_balances),
        cmocka_unit_test(equation_of_motion_holds),
        cmocka_unit_test(momentum_obeys_newton),
        cmocka_unit_test(frames_move_as_they_say),
        cmocka_unit_test(condition_of_a_known_matrix),
        cmocka_unit_test(single_contact_obeys_its_law),
        cmocka_unit_test(cone_distances),
        cmocka_unit_test(models_agree_without_coupling),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

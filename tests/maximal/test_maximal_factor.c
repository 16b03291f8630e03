/* The sparse factor of the scalar reference of Brüdigam 2021 (reference/maximal.h): it equals a dense one, trees have no fill-in, loops
 * close even where their rows say the same twice, and Newton's direction takes all residuals down at the same rate. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/maximal_scene.h"
#include "reference/small.h"

enum { MOST_ROWS = 6 * 40 };

/* ---- the factor ----------------------------------------------------------------------------------------------------- */

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
    int at[2 * MAXIMAL_SCENE_MOST], n = 0;
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
static void check_scene(const char *name, const maximal_scene *s, int ends) {
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
    maximal_scene s[4] = {{.bodies = 0}};
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
    maximal_scene chain = {.bodies = 0}, star = {.bodies = 0}, bars = {.bodies = 0}, ring = {.bodies = 0};
    put_chain(&chain, 100);
    add_body(&star, 1, maximal_rod, 0, 0, 0);
    for (int i = 1; i < 20; i++) add_joint(&star, MAXIMAL_BALL, 0, add_body(&star, 1, maximal_rod, 0, 0, 0), maximal_rod, maximal_rod);
    put_fourbar(&bars, MAXIMAL_PIN2, 0);
    put_fourbar(&ring, MAXIMAL_PIN2, 1);
    const maximal_scene *const all[4] = {&chain, &star, &bars, &ring};
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
        maximal_scene once = {.bodies = 0}, twice = {.bodies = 0};
        put_fourbar(&once, MAXIMAL_PIN2, floating);
        put_fourbar(&twice, MAXIMAL_REVOLUTE, floating);
        tilt_scene(&once), tilt_scene(&twice);
        maximal *a = open_scene(&once, 0.005), *b = open_scene(&twice, 0.005);
        double off = 0, gap = 0, largest = 0;
        for (int i = 0; i < 200; i++) {
            must_step(a, 1e-11), must_step(b, 1e-11);
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_factor_is_a_dense_one_and_newton_goes_straight),
        cmocka_unit_test(fill_ins_are_those_of_loops),
        cmocka_unit_test(a_loop_may_say_things_twice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

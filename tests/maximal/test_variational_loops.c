/* ctest: heavy
 * Loops in maximal coordinates (dynamics=maximal): a four-bar linkage moves as its equation of one coordinate says, to second order in the
 * step, and loops stay closed for a minute, whatever of their rows is redundant. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/batch_scene.h"
#include "support/loop_scene.h"
#include "support/model_scene.h"
#include "base/rotation.h"

enum { MOST = 32 };

/* ---- the four-bar linkage as a body of one coordinate ----------------------------------------------------- */

/* As loop_four_bar builds it: rods of 2 kg/m along -z, hinges about y, in the plane (x, z). A rod at an angle `t` ends at
 * -length (sin t, cos t) from where it hangs. */
static const double lengths[3] = {0.2, 0.5, 0.35}, base = 0.45;

/* Angles in the world of crank, coupler and rocker, and how they go with the crank's: first and second derivative. */
typedef struct linkage {
    double angle[3], slope[3], bend[3];
} linkage;

/* x, y of  x second (cos t1, -sin t1) - y third (cos t2, -sin t2) = right. */
static void two_by_two(const linkage *l, const double right[2], double *x, double *y) {
    const double a = lengths[1] * cos(l->angle[1]), b = -lengths[2] * cos(l->angle[2]), c = -lengths[1] * sin(l->angle[1]),
                 d = lengths[2] * sin(l->angle[2]), det = a * d - b * c;
    assert_true(fabs(det) > 1e-3); /* stretched out, the crank's angle would say nothing */
    *x = (right[0] * d - b * right[1]) / det, *y = (a * right[1] - right[0] * c) / det;
}

/* Closes the loop for the crank's angle, from the other two as they are. */
static void linkage_close(linkage *l, double crank) {
    l->angle[0] = crank;
    for (int k = 0; k < 20; k++) {
        double sum[2] = {0, 0}, step[2];
        for (int i = 0; i < 3; i++) {
            const double length = i == 2 ? -lengths[i] : lengths[i];
            sum[0] -= length * sin(l->angle[i]), sum[1] -= length * cos(l->angle[i]);
        }
        sum[0] -= base;
        two_by_two(l, sum, &step[0], &step[1]);
        l->angle[1] += step[0], l->angle[2] += step[1];
        if (fabs(step[0]) + fabs(step[1]) < 1e-15) break;
    }
    const double t = crank, right[2] = {-lengths[0] * cos(t), lengths[0] * sin(t)};
    l->slope[0] = 1, l->bend[0] = 0;
    two_by_two(l, right, &l->slope[1], &l->slope[2]);
    double turning[2] = {lengths[0] * sin(t), lengths[0] * cos(t)};
    for (int i = 1; i < 3; i++) {
        const double part = (i == 1 ? 1 : -1) * lengths[i] * l->slope[i] * l->slope[i];
        turning[0] += part * sin(l->angle[i]), turning[1] += part * cos(l->angle[i]);
    }
    two_by_two(l, turning, &l->bend[1], &l->bend[2]);
}

/* The crank's acceleration, by d'Alembert: what accelerates the rods does the work of gravity (in the plane) along the one way to move. */
static double linkage_acceleration(const linkage *l, double rate, const double gravity[2]) {
    double inertia = 0, centrifugal = 0, work = 0;
    for (int i = 0; i < 3; i++) {
        const double m = 2 * lengths[i], turn = m * lengths[i] * lengths[i] / 12 + 1e-4;
        double way[2] = {0, 0}, bend[2] = {0, 0};
        for (int k = i == 1 ? 0 : i; k <= i; k++) { /* the coupler hangs on the crank's end */
            const double arm = k == i ? lengths[k] / 2 : lengths[k], sk = sin(l->angle[k]), ck = cos(l->angle[k]);
            const double square = l->slope[k] * l->slope[k];
            way[0] -= arm * ck * l->slope[k], way[1] += arm * sk * l->slope[k];
            bend[0] += arm * (sk * square - ck * l->bend[k]), bend[1] += arm * (ck * square + sk * l->bend[k]);
        }
        inertia += m * (way[0] * way[0] + way[1] * way[1]) + turn * l->slope[i] * l->slope[i];
        centrifugal += m * (way[0] * bend[0] + way[1] * bend[1]) + turn * l->slope[i] * l->bend[i];
        work += m * (gravity[0] * way[0] + gravity[1] * way[1]);
    }
    return (work - centrifugal * rate * rate) / inertia;
}

/* Runge-Kutta's fourth order over `time`, which may be negative, in steps of 0.1 ms or less. x: the crank's angle and rate. */
static void linkage_move(linkage *l, double x[2], double time, const double gravity[2]) {
    const int steps = (int)ceil(fabs(time) / 1e-4 - 1e-9);
    const double h = time / steps;
    for (int n = 0; n < steps; n++) {
        double k[4][2], y[2] = {x[0], x[1]};
        for (int a = 0; a < 4; a++) {
            linkage_close(l, y[0]);
            k[a][0] = y[1], k[a][1] = linkage_acceleration(l, y[1], gravity);
            for (int j = 0; j < 2; j++) y[j] = x[j] + (a == 2 ? h : h / 2) * k[a][j];
        }
        for (int j = 0; j < 2; j++) x[j] += h / 6 * (k[0][j] + 2 * k[1][j] + 2 * k[2][j] + k[3][j]);
    }
    linkage_close(l, x[0]);
}

/* Joint angles and rates of the model at a crank's rate; the coupler's are beside the crank's. */
static void linkage_joints(const linkage *l, double rate, double q[3], double v[3]) {
    for (int i = 0; i < 3; i++) {
        q[i] = l->angle[i] - (i == 1 ? l->angle[0] : 0);
        v[i] = rate * (l->slope[i] - (i == 1 ? 1 : 0));
    }
}

/* Energy, of which an exact motion keeps all. */
static double linkage_energy(const linkage *l, double rate, const double gravity[2]) {
    double energy = 0, end[2] = {0, 0}, swing[2] = {0, 0};
    for (int i = 0; i < 3; i++) {
        const double m = 2 * lengths[i], turn = m * lengths[i] * lengths[i] / 12 + 1e-4, s = sin(l->angle[i]), c = cos(l->angle[i]);
        const double w = rate * l->slope[i], half = lengths[i] / 2;
        if (i == 2) end[0] = base, end[1] = swing[0] = swing[1] = 0;
        const double vx = swing[0] - half * c * w, vz = swing[1] + half * s * w;
        energy +=
            0.5 * (m * (vx * vx + vz * vz) + turn * w * w) - m * (gravity[0] * (end[0] - half * s) + gravity[1] * (end[1] - half * c));
        end[0] -= lengths[i] * s, end[1] -= lengths[i] * c, swing[0] -= lengths[i] * c * w, swing[1] += lengths[i] * s * w;
    }
    return energy;
}

/* ---- order ------------------------------------------------------------------------------------------------ */

static myr_batch *open_loops(const myr_model *model, double dt, const char *tolerance, const char *correction) {
    myr_settings settings = scene_settings("task", "none", "dynamics", "maximal", "precision", "f64", "tolerance", tolerance,
                                           "loop-correction", correction, "newton-limit", "50", "threads", "1", NULL);
    myr_batch *batch = NULL;
    settings.dt_s = dt;
    MUST(myr_batch_create(model, 1, &settings, &batch));
    return batch;
}

/* Gravity in the plane of the linkage. */
static void gravity_along(int tilted, double out[2]) {
    const double turned[4] = {0.8, 0.36, -0.48, 0};
    double turn[9];
    myr_rotation_from_quaternion(turn, turned);
    out[0] = tilted ? -9.81 * turn[6] : 0, out[1] = tilted ? -9.81 * turn[8] : -9.81;
}

enum { RUN_MS = 480 };

/* The joint angles after 0.48 s. half: v is that of half a step before. */
static void run_linkage(const myr_model *model, const linkage *from, double rate, const double gravity[2], double dt, int half, double *q) {
    myr_batch *batch = open_loops(model, dt, "1e-11", "1");
    myr_stats stats;
    linkage before = *from;
    double x[2] = {from->angle[0], rate}, start[3], v[3];
    linkage_joints(from, rate, start, v);
    if (half) {
        double then[3];
        linkage_move(&before, x, -dt / 2, gravity);
        linkage_joints(&before, x[1], then, v);
    }
    MUST(myr_batch_set(batch, MYR_Q, NULL, 1, MYR_F64, start));
    MUST(myr_batch_set(batch, MYR_V, NULL, 1, MYR_F64, v));
    MUST(myr_batch_step(batch, (int64_t)(1e-3 * RUN_MS / dt + 0.5)));
    MUST(myr_batch_get(batch, MYR_Q, NULL, 1, MYR_F64, q));
    myr_batch_stats(batch, &stats);
    if (stats.not_converged || stats.quarantined) fail_msg("%d steps of %g s not converged", (int)stats.not_converged, dt);
    myr_batch_free(batch);
}

static double farthest(const double *a, const double *b) { return fmax(fabs(a[0] - b[0]), fmax(fabs(a[1] - b[1]), fabs(a[2] - b[2]))); }

static void a_linkage_moves_to_second_order(void **state) {
    (void)state;
    const double rate = 4;
    for (int tilted = 0; tilted < 2; tilted++) { /* a loop of a hinge has five rows, of which a planar linkage needs two */
        myr_model *model = loop_four_bar(MYR_LOOP_REVOLUTE, tilted);
        double gravity[2], end[3], v[3];
        linkage from = {.angle = {0.5, -0.6, 0.3}};
        assert_true(model->n_loop_rows == 5 && model->nv == 3);
        gravity_along(tilted, gravity);
        linkage_close(&from, from.angle[0]);
        linkage to = from;
        double x[2] = {from.angle[0], rate};
        linkage_move(&to, x, 1e-3 * RUN_MS, gravity);
        linkage_joints(&to, x[1], end, v);
        const double energy = linkage_energy(&from, rate, gravity), kept = fabs(linkage_energy(&to, x[1], gravity) - energy);
        if (!(kept < 1e-9 * fabs(energy))) fail_msg("the equation of one coordinate loses %.2g of %.2g J", kept, energy);
        for (int half = 0; half < 2; half++) {
            double errors[3], apart[3], fine[3], q[3];
            run_linkage(model, &from, rate, gravity, 8e-3 / 64, 1, fine);
            for (int k = 0; k < 3; k++) {
                run_linkage(model, &from, rate, gravity, 8e-3 / (1 << k), half, q);
                errors[k] = farthest(q, end), apart[k] = farthest(q, fine);
            }
            const double order = log2(errors[1] / errors[2]), before = log2(errors[0] / errors[1]), own = log2(apart[1] / apart[2]);
            print_message(
                "four-bar%s, v %s: %.2e, %.2e, %.2e rad at 8, 4, 2 ms (at 0.125 ms %.2e): order %.3f, %.3f; beside 0.125 ms %.3f\n",
                tilted ? ", tilted" : "", half ? "of half a step before" : "as given", errors[0], errors[1], errors[2], farthest(fine, end),
                before, order, own);
            if (!(fabs(order - (half ? 2 : 1)) < 0.1 && farthest(fine, end) < 0.01 * errors[0])) fail_msg("of order %.3f", order);
            if (half && !(fabs(own - 2) < 0.1)) fail_msg("of order %.3f beside its own fine run", own);
        }
        myr_model_free(model);
    }
}

/* ---- a minute --------------------------------------------------------------------------------------------- */

/* Largest gap of a minute. */
static double widest(const myr_model *model, const char *name, double dt, const char *tolerance, const char *correction) {
    const double seconds = SCENE_SOLVER_STRIDE > 1 ? 3 : 60; /* instrumented code takes ten times as long */
    myr_batch *batch = open_loops(model, dt, tolerance, correction);
    myr_stats stats;
    MUST(myr_batch_close_loops(batch, NULL, 1, NULL));
    MUST(myr_batch_step(batch, (int64_t)(seconds / dt + 0.5)));
    myr_batch_stats(batch, &stats);
    print_message("%s, %g ms, %g s, loop-correction %s, tolerance %s: open by %.2g m at most; %.3g solves, at most %d; %.1f s\n", name,
                  1e3 * dt, seconds, correction, tolerance, stats.loop_error_max, stats.solves_mean, (int)stats.solves_max, stats.wall_s);
    assert_true(stats.quarantined == 0 && stats.not_converged == 0);
    myr_batch_free(batch);
    return stats.loop_error_max;
}

/* What a step leaves open is what its tolerance lets a loop move in it; where a step closes a fifth of the gap, that of five steps. */
static void loops_stay_closed_for_a_minute(void **state) {
    (void)state;
    static const char *const names[] = {"four-bar with a ball", "tilted four-bar with a hinge", "leg"};
    for (int m = 0; m < 3; m++) {
        myr_model *model = m == 2 ? loop_leg() : loop_four_bar(m ? MYR_LOOP_REVOLUTE : MYR_LOOP_BALL, m);
        for (int slow = 0; slow < 2; slow++) {
            const double dt = slow ? 5e-3 : 1e-3;
            const double whole = widest(model, names[m], dt, "1e-7", "1"), part = widest(model, names[m], dt, "2e-8", "0.2");
            if (!(whole > 0 && whole < 2 * 1e-7 * dt && whole < 1e-9)) fail_msg("%s: open by %.3g m", names[m], whole);
            if (!(part > 0 && part < 10 * 2e-8 * dt && part < 1e-9)) fail_msg("%s, closed by a fifth: open by %.3g m", names[m], part);
        }
        myr_model_free(model);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_linkage_moves_to_second_order),
        cmocka_unit_test(loops_stay_closed_for_a_minute),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

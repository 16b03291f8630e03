/* ctest: heavy law
 * Bodies on the ground under the convex model, in closed form. It drops Gamma: a contact that slips at w_T leaves the ground at
 * w_z = mu |w_T|, and the body hops. For one contact with G = diag(T, T, N) and sliding along x,
 *     lambda = (-mu, 0, 1) (mu |c_x| - c_z) / (mu^2 T + N)   where that does not stop it, else -G^-1 c, or 0
 * which every step of every solver of that law is held to, for a point (T = N = 1/m) and a ball (T = 7/2 N): sliding, on inclines,
 * dragged. */
#include <math.h>

#include "support/law_scene.h"

#define EXACT 1e-9

typedef struct convex_case {
    double mu, speed, angle, rate, cap; /* m/s along x at first; of the incline [rad]; dragging force: min(rate t, cap) [N/s, N] */
} convex_case;

static const convex_case cases[] = {{0.1, 1, 0, 0, 0},    {0.4, 1, 0, 0, 0},    {0.8, 3, 0, 0, 0},         {0, 1, 0, 0, 0},
                                    {0.5, 0, 0.35, 0, 0}, {0.3, 0, 0.52, 0, 0}, {0.4, 0, 0, 20, INFINITY}, {0.9, 0, 0, 39.24, 17.658}};
enum { CASES = sizeof cases / sizeof *cases, STEPS = 600 };

/* 1 kg in the plane y = 0. */
typedef struct convex_body {
    double x, gap, v[2], spin; /* x and z */
    int slips, stops, flies;
} convex_body;

/* One step of the scheme: velocities, contact where the gap is closed or the velocity before the step closes it, positions. What is open
 * may close. `T`: tangential mobility; a ball's radius, else 0. */
static double convex_step(convex_body *b, const convex_case *c, double force, double T, double radius) {
    double impulse = 0, friction = 0;
    const double skin = 1e-10, near = LAW_GRAVITY * LAW_DT * LAW_DT + skin, before = b->v[1];
    b->v[0] += LAW_DT * (LAW_GRAVITY * sin(c->angle) + force);
    b->v[1] -= LAW_DT * LAW_GRAVITY * cos(c->angle);
    if (fmin(b->gap, b->gap + LAW_DT * before) <= near) {
        const double open = b->gap > skin ? b->gap / LAW_DT : 0;
        const double slip = b->v[0] - b->spin * radius, normal = b->v[1] + open;
        const double stick = -slip / T, ray = (c->mu * fabs(slip) - normal) / (c->mu * c->mu * T + 1);
        if (normal <= 0 && fabs(stick) <= c->mu * -normal)
            impulse = -normal, friction = stick, b->stops++;
        else if (ray > 0)
            impulse = ray, friction = -copysign(c->mu * ray, slip), b->slips++;
        b->v[0] += friction;
        b->v[1] += impulse;
        b->spin -= radius > 0 ? friction * radius / (0.4 * radius * radius) : 0;
    } else {
        b->flies++;
    }
    b->x += LAW_DT * b->v[0];
    b->gap += LAW_DT * b->v[1];
    return impulse;
}

static void near(const char *solver, law_shape shape, int of, int step, const char *what, double seen, double wanted) {
    if (fabs(seen - wanted) <= EXACT) return;
    fail_msg("%s, %s, case %d, step %d: %s is %.17g, expected %.17g (off by %.3g)", solver, law_shapes[shape], of, step, what, seen, wanted,
             seen - wanted);
}

static void watch(const char *solver, law_shape shape) {
    double mu[CASES], speed[CASES];
    convex_body body[CASES] = {{0}};
    const double radius = shape == LAW_BALL ? LAW_HALF : 0, T = shape == LAW_BALL ? 3.5 : 1;
    for (int i = 0; i < CASES; i++) {
        mu[i] = cases[i].mu, speed[i] = body[i].v[0] = cases[i].speed;
        body[i].gap = -LAW_DEPTH;
    }
    const myr_settings settings = law_settings(solver);
    myr_model *model = law_model(shape);
    myr_batch *batch = law_batch(model, &settings, CASES, mu, speed);
    const int bodies = myr_batch_components(batch, MYR_WRENCH) / 6;
    for (int i = 0; i < CASES; i++) law_tilt(batch, i, cases[i].angle);
    for (int step = 1; step <= STEPS; step++) {
        double force[CASES];
        for (int64_t i = 0; i < CASES; i++) {
            double wrench[3][6] = {{0}};
            force[i] = wrench[bodies - 1][0] = cases[i].rate > 0 ? fmin(cases[i].rate * (step - 1) * LAW_DT, cases[i].cap) : 0;
            MUST(myr_batch_set(batch, MYR_WRENCH, &i, 1, MYR_F64, wrench));
        }
        MUST(myr_batch_step(batch, 1));
        law_assert_solved(batch, solver, shape, step);
        for (int i = 0; i < CASES; i++) {
            const double impulse = convex_step(&body[i], &cases[i], force[i], T, radius);
            const law_motion seen = law_see(batch, i, shape);
            near(solver, shape, i, step, "speed", seen.velocity[0], body[i].v[0]);
            near(solver, shape, i, step, "normal velocity", seen.velocity[2], body[i].v[1]);
            near(solver, shape, i, step, "spin", seen.spin[1] * LAW_HALF, body[i].spin * LAW_HALF);
            near(solver, shape, i, step, "normal impulse", seen.impulse[2], impulse);
            near(solver, shape, i, step, "distance", seen.position[0], body[i].x);
            near(solver, shape, i, step, "height", seen.position[2], LAW_HALF + body[i].gap);
            near(solver, shape, i, step, "sideward velocity", seen.velocity[1], 0);
            body[i].gap = seen.position[2] - LAW_HALF; /* rounding of a gap is a thousand times as much of the speed that closes it */
        }
    }
    int slips = 0, stops = 0, flies = 0;
    for (int i = 0; i < CASES; i++) slips += body[i].slips, stops += body[i].stops, flies += body[i].flies;
    assert_true(slips > 100 && stops > 100 && flies > 100);
    myr_batch_free(batch);
    myr_model_free(model);
}

static void slipping_lifts_off(void **state) {
    (void)state;
    for (int s = 0; s < MYR_SOLVER_COUNT; s++) {
        if (myr_solvers[s].law != MYR_LAW_CCP || !law_rigid(s)) continue;
        watch(myr_solvers[s].name, LAW_POINT);
        watch(myr_solvers[s].name, LAW_BALL);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(slipping_lifts_off)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* ctest: heavy law
 * A ball that bounces between all kinds, without weight and without friction, in closed form.
 *
 * - One throw at each face, side, edge, rim and corner of each kind, fixed or free, past its centre or through it: the impulse along the
 *   normal n at x is p = (1 + e) m v with 1/m = 1/m_ball + 1/m_target + |x cross n|^2 / I, which says all that moves afterwards.
 * - A row of all kinds hands a speed on, as equal masses do.
 * - In a cage whose walls stand at right angles a ball keeps each of its three speeds; with one of each kind in it, its energy.
 * - At 50 m/s a ball comes back from plates of 2 mm, as `gap` covers the way of a step.
 *
 * There is no weight because a rebound takes the speed from before the step's gravity: at each it may gain g dt e |v| per kg. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/batch_scene.h"
#include "support/isas.h"
#include "kernels/kernels.h"

#define BALL_RADIUS 0.03
#define BALL_MASS 0.7
#define MASS 1.3
#define INERTIA 0.004 /* the same about every axis: what turns keeps its angular velocity */
#define HIGH 5.0      /* above the ground */

/* ---- kinds --------------------------------------------------------------------------------------------------------- */

/* A roof: slopes along y, gables along x, a ridge of 0.12 m; about its centre. */
static const double roof[6][3] = {{-0.1, -0.06, -0.03}, {0.1, -0.06, -0.03}, {0.1, 0.06, -0.03},
                                  {-0.1, 0.06, -0.03},  {-0.06, 0, 0.05},    {0.06, 0, 0.05}};

typedef struct kind {
    const char *name;
    myr_geom_type type;
    double size[3];
} kind;
enum { BALL, CAPSULE, BOX, CYLINDER, HULL, KINDS };
static const kind kinds[KINDS] = {{"sphere", MYR_GEOM_SPHERE, {0.1}},
                                  {"capsule", MYR_GEOM_CAPSULE, {0.05, 0.1}},
                                  {"box", MYR_GEOM_BOX, {0.1, 0.08, 0.06}},
                                  {"cylinder", MYR_GEOM_CYLINDER, {0.08, 0.06}},
                                  {"hull", MYR_GEOM_HULL, {0}}};

static int add_body(myr_builder *builder, const char *name, myr_joint_type joint, double mass, const double q[7]) {
    myr_body_def body = myr_body_def_default();
    int id = -1;
    body.name = name, body.joint = joint, body.mass_kg = mass;
    for (int k = 0; k < 3; k++) body.inertia_kgm2[k] = mass > 0 ? INERTIA : 0;
    if (joint == MYR_JOINT_FIXED) {
        memcpy(body.position_m, q, sizeof body.position_m);
        memcpy(body.quaternion, q + 3, sizeof body.quaternion);
    }
    MUST(myr_builder_body(builder, &body, &id));
    return id;
}

static myr_geom_def geom_of(int body, const kind *k) {
    myr_geom_def geom = myr_geom_def_default();
    geom.body = body, geom.type = k->type, geom.friction = 0;
    memcpy(geom.size_m, k->size, sizeof geom.size_m);
    if (k->type == MYR_GEOM_HULL) geom.points_m = roof[0], geom.n_points = 6;
    return geom;
}

static void add_ball(myr_builder *builder) {
    const kind ball = {"ball", MYR_GEOM_SPHERE, {BALL_RADIUS}};
    const myr_geom_def geom = geom_of(add_body(builder, "ball", MYR_JOINT_FREE, BALL_MASS, NULL), &ball);
    MUST(myr_builder_geom(builder, &geom, NULL));
}

static myr_model *compiled(myr_builder *builder) {
    myr_model *model = NULL;
    MUST(myr_builder_compile(builder, &model));
    myr_builder_free(builder);
    return model;
}

static myr_settings weightless(const char *solver, const char *isa, const char *precision, const char *restitution, const char *gap) {
    return scene_settings("landing", strcmp(gap, "touch") ? "1" : "0", "solver", solver, "isa", isa, "precision", precision, "restitution",
                          restitution, "gap", strcmp(gap, "touch") ? gap : "0", "task", "none", "threads", "1", "dt", "0.001", "max-sweeps",
                          "20000", "tolerance", precision[1] == '6' ? "1e-11" : "1e-6", NULL);
}

static myr_batch *weightless_batch(const myr_model *model, const myr_settings *settings, int envs) {
    const double nothing[3] = {0};
    myr_batch *batch = NULL;
    MUST(myr_batch_create(model, envs, settings, &batch));
    for (int64_t env = 0; env < envs; env++) MUST(myr_batch_set(batch, MYR_GRAVITY, &env, 1, MYR_F64, nothing));
    return batch;
}

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
static void cross(const double a[3], const double b[3], double out[3]) {
    for (int k = 0; k < 3; k++) out[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}
static void turn(const double q[4], const double x[3], double out[3]) {
    double once[3], twice[3];
    cross(q + 1, x, once);
    for (int k = 0; k < 3; k++) once[k] += q[0] * x[k];
    cross(q + 1, once, twice);
    for (int k = 0; k < 3; k++) out[k] = x[k] + 2 * twice[k];
}

/* ---- one throw ----------------------------------------------------------------------------------------------------- */

/* Where the ball hits, and the normal there, in the target's axes. */
typedef struct spot {
    const char *name;
    int kind;
    double at[3], n[3];
} spot;

static const spot spots[] = {{"sphere", BALL, {0.1 / 3, 0.2 / 3, 0.2 / 3}, {1.0 / 3, 2.0 / 3, 2.0 / 3}},
                             {"capsule's side", CAPSULE, {0.03, 0.04, 0.05}, {0.6, 0.8, 0}},
                             {"capsule's end", CAPSULE, {0.1 / 3, 0.05 / 3, 0.1 + 0.1 / 3}, {2.0 / 3, 1.0 / 3, 2.0 / 3}},
                             {"box's face", BOX, {0.03, -0.02, 0.06}, {0, 0, 1}},
                             {"box's edge", BOX, {0.1, 0.01, 0.06}, {0.6, 0, 0.8}},
                             {"box's corner", BOX, {0.1, 0.08, 0.06}, {2.0 / 3, 1.0 / 3, 2.0 / 3}},
                             {"cylinder's side", CYLINDER, {0.048, 0.064, 0.02}, {0.6, 0.8, 0}},
                             {"cylinder's cap", CYLINDER, {0.02, 0.03, 0.06}, {0, 0, 1}},
                             {"cylinder's rim", CYLINDER, {0.048, 0.064, 0.06}, {0.48, 0.64, 0.6}},
                             {"hull's face", HULL, {0.02, -0.03, 0.01}, {0, -0.8, 0.6}},
                             {"hull's edge", HULL, {0.02, 0, 0.05}, {0, 0, 1}},
                             {"hull's corner", HULL, {0.06, 0, 0.05}, {M_SQRT1_2, 0, M_SQRT1_2}}};

static const double speeds[] = {0.5, 2, 7};
enum { THROWS = 3, THROW_STEPS = 40, LATER = 5 /* steps; what turns may hit the ball again after more */ };

/* gap: the setting, or "touch": a contact acts from touching on (landing 0). */
static void throw_at(const spot *s, int fixed, const char *restitution, const char *gap, const char *solver, const char *isa,
                     const char *precision) {
    const double pose[7] = {0.3, -0.2, HIGH, 0.5 / 0.9949874371, 0.3 / 0.9949874371, -0.4 / 0.9949874371, 0.7 / 0.9949874371};
    const double e = atof(restitution), exact = precision[1] == '6' ? 1e-8 : 2e-4;
    const int foreseen = strcmp(gap, "touch") != 0;
    const myr_settings settings = weightless(solver, isa, precision, restitution, gap);
    const int nq = fixed ? 7 : 14, nv = fixed ? 6 : 12, mine = fixed ? 0 : 1; /* the ball comes last */
    double n[3], at[3], arm[3], q[THROWS][14], v[THROWS][12] = {{0}}, hit[THROWS][12], later[THROWS][12];
    int since[THROWS] = {0}; /* the hit: steps, that one included */
    myr_builder *builder = NULL;
    MUST(myr_builder_create("throw", &builder));
    const myr_geom_def geom =
        geom_of(add_body(builder, "target", fixed ? MYR_JOINT_FIXED : MYR_JOINT_FREE, fixed ? 0 : MASS, pose), &kinds[s->kind]);
    MUST(myr_builder_geom(builder, &geom, NULL));
    add_ball(builder);
    myr_model *model = compiled(builder);
    myr_batch *batch = weightless_batch(model, &settings, THROWS);
    turn(pose + 3, s->n, n);
    turn(pose + 3, s->at, at);
    cross(s->at, s->n, arm);
    double packed_q[THROWS * 14], packed_v[THROWS * 12];
    for (int i = 0; i < THROWS; i++) {
        double *ball = q[i] + 7 * mine;
        memcpy(q[i], pose, sizeof pose);
        for (int k = 0; k < 3; k++) ball[k] = pose[k] + at[k] + (BALL_RADIUS + 0.0103) * n[k], v[i][6 * mine + k] = -speeds[i] * n[k];
        ball[3] = 1, ball[4] = ball[5] = ball[6] = 0;
        memcpy(packed_q + i * nq, q[i], (size_t)nq * sizeof(double));
        memcpy(packed_v + i * nv, v[i], (size_t)nv * sizeof(double));
    }
    MUST(myr_batch_set(batch, MYR_Q, NULL, THROWS, MYR_F64, packed_q));
    MUST(myr_batch_set(batch, MYR_V, NULL, THROWS, MYR_F64, packed_v));
    for (int step = 0; step < THROW_STEPS; step++) {
        MUST(myr_batch_step(batch, 1));
        MUST(myr_batch_get(batch, MYR_V, NULL, THROWS, MYR_F64, packed_v));
        for (int i = 0; i < THROWS; i++) {
            const double nears = -dot(packed_v + i * nv + 6 * mine, n);
            if (!since[i] && nears > speeds[i] - 0.01) continue;
            if (since[i]++ == (e == 0 && foreseen)) memcpy(hit[i], packed_v + i * nv, (size_t)nv * sizeof(double));
            if (since[i] <= 1 + LATER) memcpy(later[i], packed_v + i * nv, (size_t)nv * sizeof(double));
        }
    }
    for (int i = 0; i < THROWS; i++) {
        const double m = 1 / (1 / BALL_MASS + (fixed ? 0 : 1 / MASS + dot(arm, arm) / INERTIA)), p = (1 + e) * m * speeds[i];
        double off = 0, again = 0;
        /* What is foreseen and does not bounce takes one step more: that which ends exactly at the face. */
        if (since[i] <= LATER) fail_msg("%s at %g m/s: no hit", s->name, speeds[i]);
        if (e > 0 || fixed || !foreseen)
            for (int k = 0; k < 3; k++) {
                off = fmax(off, fabs(hit[i][6 * mine + k] - (p / BALL_MASS - speeds[i]) * n[k]));
                off = fmax(off, fabs(hit[i][6 * mine + 3 + k])); /* it does not spin */
                if (fixed) continue;
                off = fmax(off, fabs(hit[i][k] + p / MASS * n[k]));
                off = fmax(off, INERTIA / MASS / 0.1 * fabs(hit[i][3 + k] + p / INERTIA * arm[k]));
            }
        for (int k = 0; k < nv && e > 0; k++) again = fmax(again, fabs(later[i][k] - hit[i][k]));
        if (!(off <= exact * speeds[i] && again <= exact * speeds[i]))
            fail_msg("%s, %s, e %s, gap %s, %s, %s, %s, %g m/s: off by %.3g m/s, by %.3g later", s->name, fixed ? "fixed" : "free",
                     restitution, gap, solver, isa, precision, speeds[i], off, again);
    }
    myr_batch_free(batch);
    myr_model_free(model);
}

static const char *const restitutions[] = {"0", "0.5", "1"};

static void throws_obey_newton(void **state) {
    static const char *const gaps[] = {"touch", "0", "0.01"};
    (void)state;
    for (size_t s = 0; s < sizeof spots / sizeof *spots; s++)
        for (int fixed = 0; fixed < 2; fixed++)
            for (int r = 0; r < 3; r++)
                for (int with = 0; with < 3; with++)
                    for (int i = 0; isa_at(i); i++)
                        for (int p = 0; p < 2; p++)
                            throw_at(&spots[s], fixed, restitutions[r], gaps[with], "hybrid", isa_at(i), p ? "f32" : "f64");
}

/* Double precision, by every solver that leaves contacts rigid. */
static void every_solver_throws(void **state) {
    (void)state;
    for (int v = 0; v < MYR_SOLVER_COUNT; v++)
        for (size_t s = 0; s < sizeof spots / sizeof *spots && strncmp(myr_solvers[v].name, "newton", 6) != 0; s++)
            for (int fixed = 0; fixed < 2; fixed++) throw_at(&spots[s], fixed, "0.5", "0.01", myr_solvers[v].name, "auto", "f64");
}

/* ---- a row --------------------------------------------------------------------------------------------------------- */

/* Along x, each turned so that it meets the next with another of its features: the box by a face and the cylinder by its caps lie on each
 * other, the capsule lies on the box along a line. The hull is a cube with its corners cut. */
typedef struct member {
    kind is;
    double q[4], half; /* its attitude, and its half width along x */
} member;
static const member row[] = {{{"sphere", MYR_GEOM_SPHERE, {0.1}}, {1}, 0.1},
                             {{"capsule", MYR_GEOM_CAPSULE, {0.05, 0.1}}, {1}, 0.05},
                             {{"box", MYR_GEOM_BOX, {0.1, 0.08, 0.06}}, {1}, 0.1},
                             {{"cylinder", MYR_GEOM_CYLINDER, {0.08, 0.06}}, {M_SQRT1_2, 0, M_SQRT1_2}, 0.06},
                             {{"hull", MYR_GEOM_HULL, {0}}, {1}, 0.09},
                             {{"capsule", MYR_GEOM_CAPSULE, {0.05, 0.1}}, {M_SQRT1_2, M_SQRT1_2}, 0.05},
                             {{"cylinder", MYR_GEOM_CYLINDER, {0.08, 0.06}}, {1}, 0.08},
                             {{"sphere", MYR_GEOM_SPHERE, {0.1}}, {1}, 0.1}};
enum { ROW = sizeof row / sizeof *row, ROW_STEPS = 400 };

static myr_model *row_scene(void) {
    double cut[24][3];
    int n = 0;
    myr_builder *builder = NULL;
    MUST(myr_builder_create("row", &builder));
    for (int k = 0; k < 8; k++) /* three corners of a cut cube where it had one */
        for (int i = 0; i < 3; i++, n++)
            for (int j = 0; j < 3; j++) cut[n][j] = (k >> j & 1 ? 1 : -1) * (i == j ? 0.06 : 0.09);
    for (int k = 0; k < ROW; k++) {
        char name[16];
        snprintf(name, sizeof name, "body%d", k);
        myr_geom_def geom = geom_of(add_body(builder, name, MYR_JOINT_FREE, MASS, NULL), &row[k].is);
        if (row[k].is.type == MYR_GEOM_HULL) geom.points_m = cut[0], geom.n_points = n;
        MUST(myr_builder_geom(builder, &geom, NULL));
    }
    return compiled(builder);
}

/* The speeds of the first and of the last at the start; all others stand. */
static void run_row(const myr_model *model, double first, double last, const char *isa, const char *precision) {
    /* A search finds the normal at a cylinder's side, to 1e-8 rad or in float 1e-5: 3 N s on 0.004 kg m^2. Seen: 2e-6 and 0.02 rad/s. */
    const double exact = precision[1] == '6' ? 1e-7 : 1e-3, spin = precision[1] == '6' ? 5e-6 : 0.05;
    const myr_settings settings = weightless("hybrid", isa, precision, "1", "0.005");
    double q[7 * ROW], v[6 * ROW] = {0}, x = 0;
    for (int k = 0; k < ROW; k++) {
        if (k) x += row[k - 1].half + row[k].half + 0.0303 + 0.002 * k; /* no two gaps alike */
        q[7 * k] = x, q[7 * k + 1] = 0, q[7 * k + 2] = HIGH;
        memcpy(q + 7 * k + 3, row[k].q, sizeof row[k].q);
    }
    v[0] = first, v[6 * (ROW - 1)] = last;
    myr_batch *batch = weightless_batch(model, &settings, 1);
    MUST(myr_batch_set(batch, MYR_Q, NULL, 1, MYR_F64, q));
    MUST(myr_batch_set(batch, MYR_V, NULL, 1, MYR_F64, v));
    MUST(myr_batch_step(batch, ROW_STEPS));
    MUST(myr_batch_get(batch, MYR_V, NULL, 1, MYR_F64, v));
    v[0] -= last, v[6 * (ROW - 1)] -= first; /* speeds have gone through */
    for (int k = 0; k < 6 * ROW; k++)
        if (!(fabs(v[k]) <= (k % 6 < 3 ? exact : spin)))
            fail_msg("%s, %s: v[%d] of the %s is off by %.3g", isa, precision, k % 6, row[k / 6].is.name, v[k]);
    myr_batch_free(batch);
}

static void a_row_hands_speed_on(void **state) {
    (void)state;
    myr_model *model = row_scene();
    for (int i = 0; isa_at(i); i++)
        for (int p = 0; p < 2; p++) {
            run_row(model, 2, 0, isa_at(i), p ? "f32" : "f64");
            run_row(model, 0, -2, isa_at(i), p ? "f32" : "f64");
            run_row(model, 1.5, -2, isa_at(i), p ? "f32" : "f64");
        }
    myr_model_free(model);
}

/* ---- a cage -------------------------------------------------------------------------------------------------------- */

#define CAGE_X 0.6
#define CAGE_Y 0.5
#define CAGE_Z 0.4 /* half; its floor is the ground */

/* `inside`: one of each kind stands in it, far enough from walls and from each other that the ball never touches two things at once except
 * in a corner of the cage. */
static myr_model *cage_scene(int inside) {
    static const double still[7] = {0, 0, 0, 1};
    const kind plate_x = {"plate", MYR_GEOM_BOX, {0.1, 1, 1}}, plate_y = {"plate", MYR_GEOM_BOX, {1, 0.1, 1}},
               lid = {"lid", MYR_GEOM_BOX, {1, 1, 0.1}}, disc = {"disc", MYR_GEOM_CYLINDER, {2, 0.1}}, slab = {"slab", MYR_GEOM_HULL, {0}};
    double points[12][3]; /* a hexagon in the plane y z */
    myr_builder *builder = NULL;
    MUST(myr_builder_create("cage", &builder));
    const int cage = add_body(builder, "cage", MYR_JOINT_FIXED, 0, still);
    for (int k = 0; k < 12; k++)
        points[k][0] = k < 6 ? -0.1 : 0.1, points[k][1] = 1.5 * cos(k * M_PI / 3), points[k][2] = 1.5 * sin(k * M_PI / 3);
    for (int k = 0; k < 5; k++) {
        const kind *walls[5] = {&plate_x, &slab, &plate_y, &disc, &lid};
        const double at[5][3] = {{-CAGE_X - 0.1}, {CAGE_X + 0.1}, {0, -CAGE_Y - 0.1}, {0, CAGE_Y + 0.1}, {0, 0, CAGE_Z + 0.1}};
        myr_geom_def geom = geom_of(cage, walls[k]);
        for (int i = 0; i < 3; i++) geom.position_m[i] = at[k][i] + (i == 2 ? CAGE_Z : 0);
        if (walls[k] == &disc) geom.quaternion[0] = geom.quaternion[1] = M_SQRT1_2;
        if (walls[k] == &slab) geom.points_m = points[0], geom.n_points = 12;
        MUST(myr_builder_geom(builder, &geom, NULL));
    }
    for (int k = 0; k < KINDS && inside; k++) {
        const double at[KINDS][2] = {{0, 0}, {-0.33, 0.24}, {0.33, 0.24}, {-0.33, -0.24}, {0.33, -0.24}};
        myr_geom_def geom = geom_of(cage, &kinds[k]);
        geom.position_m[0] = at[k][0], geom.position_m[1] = at[k][1], geom.position_m[2] = CAGE_Z;
        if (k != CYLINDER) geom.quaternion[0] = 0.8, geom.quaternion[1] = 0.36, geom.quaternion[2] = -0.48;
        MUST(myr_builder_geom(builder, &geom, NULL));
    }
    add_ball(builder);
    return compiled(builder);
}

enum { CAGED = 5, CAGE_STEPS = 20000 }; /* 20 s */

static void run_cage(const myr_model *model, int inside, const char *isa, const char *precision) {
    const double half[3] = {CAGE_X, CAGE_Y, CAGE_Z}, exact = precision[1] == '6' ? 1e-7 : 1e-3;
    const myr_settings settings = weightless("hybrid", isa, precision, "1", "0");
    double q[CAGED][7] = {{0}}, v[CAGED][6] = {{0}}, first[CAGED][3];
    for (int i = 0; i < CAGED; i++) {
        q[i][0] = 0.5 - 0.01 * i, q[i][1] = 0.01 * i, q[i][2] = CAGE_Z, q[i][3] = 1;
        v[i][0] = -1.7 + 0.1 * i, v[i][1] = 1.1 + 0.13 * i, v[i][2] = -0.7 - 0.2 * i;
        memcpy(first[i], v[i], sizeof first[i]);
    }
    myr_batch *batch = weightless_batch(model, &settings, CAGED);
    MUST(myr_batch_set(batch, MYR_Q, NULL, CAGED, MYR_F64, q));
    MUST(myr_batch_set(batch, MYR_V, NULL, CAGED, MYR_F64, v));
    for (int step = 0; step < CAGE_STEPS; step += 10) {
        MUST(myr_batch_step(batch, 10));
        MUST(myr_batch_get(batch, MYR_Q, NULL, CAGED, MYR_F64, q));
        MUST(myr_batch_get(batch, MYR_V, NULL, CAGED, MYR_F64, v));
        for (int i = 0; i < CAGED; i++) {
            double off = sqrt(dot(v[i], v[i])) - sqrt(dot(first[i], first[i]));
            for (int k = 0; k < 3; k++) {
                const double middle = k == 2 ? CAGE_Z : 0, out = fabs(q[i][k] - middle) + BALL_RADIUS - half[k];
                if (out > 0.004) fail_msg("%s, %s, ball %d, step %d: out of the cage by %.3g m", isa, precision, i, step, out);
                if (!inside) off = fmax(fabs(off), fabs(fabs(v[i][k]) - fabs(first[i][k])));
            }
            if (!(fabs(off) <= exact))
                fail_msg("%s, %s, ball %d %s, step %d: its speed is off by %.3g m/s", isa, precision, i, inside ? "among things" : "alone",
                         step, off);
        }
    }
    myr_batch_free(batch);
}

static void caged_balls_keep_their_energy(void **state) {
    (void)state;
    for (int inside = 0; inside < 2; inside++) {
        myr_model *model = cage_scene(inside);
        for (int i = 0; isa_at(i); i++)
            for (int p = 0; p < 2; p++) run_cage(model, inside, isa_at(i), p ? "f32" : "f64");
        myr_model_free(model);
    }
}

/* ---- thin plates --------------------------------------------------------------------------------------------------- */

static void plates_turn_back_what_is_fast(void **state) {
    static const kind plates[3] = {
        {"box", MYR_GEOM_BOX, {0.3, 0.3, 0.001}}, {"cylinder", MYR_GEOM_CYLINDER, {0.3, 0.001}}, {"hull", MYR_GEOM_HULL, {0}}};
    const double high[7] = {0, 0, HIGH, 1}, start[7] = {0.02, 0.05, HIGH + 0.7043, 1}, speed[6] = {0, 0, -50};
    double disc[16][3];
    (void)state;
    for (int i = 0; i < 16; i++)
        disc[i][0] = 0.3 * cos(i * M_PI / 4), disc[i][1] = 0.3 * sin(i * M_PI / 4), disc[i][2] = i < 8 ? -0.001 : 0.001;
    for (int k = 0; k < 3; k++) {
        myr_builder *builder = NULL;
        MUST(myr_builder_create("plate", &builder));
        myr_geom_def geom = geom_of(add_body(builder, "plate", MYR_JOINT_FIXED, 0, high), &plates[k]);
        if (plates[k].type == MYR_GEOM_HULL) geom.points_m = disc[0], geom.n_points = 16;
        MUST(myr_builder_geom(builder, &geom, NULL));
        add_ball(builder);
        myr_model *model = compiled(builder);
        for (int p = 0; p < 2; p++)
            for (int r = 0; r < 3; r++) {
                const char *precision = p ? "f32" : "f64";
                const double e = atof(restitutions[r]), exact = p ? 1e-3 : 1e-9, face = HIGH + 0.001 + BALL_RADIUS;
                double q[7], v[6];
                const myr_settings settings = weightless("hybrid", "auto", precision, restitutions[r], "0.06");
                myr_batch *batch = weightless_batch(model, &settings, 1);
                MUST(myr_batch_set(batch, MYR_Q, NULL, 1, MYR_F64, start));
                MUST(myr_batch_set(batch, MYR_V, NULL, 1, MYR_F64, speed));
                MUST(myr_batch_step(batch, 20));
                MUST(myr_batch_get(batch, MYR_Q, NULL, 1, MYR_F64, q));
                MUST(myr_batch_get(batch, MYR_V, NULL, 1, MYR_F64, v));
                if (!(fabs(v[2] - 50 * e) <= exact && (e > 0 ? q[2] > face : fabs(q[2] - face) <= 1e-2 * exact + (p ? 1e-6 : 0))))
                    fail_msg("%s, %s, e %g: it goes at %.9g m/s, %.3g m from the face", plates[k].name, precision, e, v[2], q[2] - face);
                myr_batch_free(batch);
            }
        myr_model_free(model);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(throws_obey_newton), cmocka_unit_test(every_solver_throws),
                                       cmocka_unit_test(a_row_hands_speed_on), cmocka_unit_test(caged_balls_keep_their_energy),
                                       cmocka_unit_test(plates_turn_back_what_is_fast)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* ctest: heavy law
 * Bodies that touch each other, in steps: what the impulses do to the true M and J, momentum, closed forms of forces, stacks that stand,
 * and the promises of lanes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/bodies_scene.h"
#include "kernels/kernels.h"
#include "support/random_model.h"
#include "reference/rigid_body.h"
#include "reference/small.h"

enum { MOST_NV = 32, MOST_SLOTS = 96 };

typedef struct contact_seen {
    int slot;
    double J[3][MOST_NV], impulse[3], velocity[3];
} contact_seen;

/* x: contact point, n: normal; axes as include/myriapod/model.h has them. */
static void contact_rows(const reference_state *state, const myr_slot_info *slot, const double x[3], const double n[3],
                         double J[3][MOST_NV]) {
    const int nv = state->model->nv;
    double F[3][3] = {{0}};
    const int along = fabs(n[0]) > 0.9;
    for (int k = 0; k < 3; k++) F[0][k] = (k == along) - n[along] * n[k], F[2][k] = n[k];
    const double length = sqrt(dot(F[0], F[0]));
    for (int k = 0; k < 3; k++) F[0][k] /= length;
    cross(F[2], F[0], F[1]);
    memset(J, 0, 3 * sizeof J[0]);
    for (int side = 0; side < 2; side++) {
        const int body = side ? slot->other_body : slot->body;
        if (body < 0) continue;
        const reference_body *b = &state->bodies[body];
        const double arm[3] = {x[0] - b->position[0], x[1] - b->position[1], x[2] - b->position[2]};
        for (int c = 0; c < nv; c++) {
            const double spin[3] = {b->jacobian[3 * nv + c], b->jacobian[4 * nv + c], b->jacobian[5 * nv + c]};
            double moving[3];
            cross(spin, arm, moving);
            for (int k = 0; k < 3; k++) moving[k] += b->jacobian[k * nv + c];
            for (int a = 0; a < 3; a++) J[a][c] += (side ? -1 : 1) * dot(F[a], moving);
        }
    }
}

/* Velocities are those that the impulses make with the reference's M and J, and obey the law with the reference's J. */
static void impulses_act_as_the_reference_says(void **state) {
    enum { ENVS = 300 };
    (void)state;
    myr_model *model = bodies_tangle();
    myr_batch *batch = NULL;
    reference_state reference;
    myr_model_info size;
    myr_model_get_info(model, &size);
    assert_true(size.nv <= MOST_NV && size.n_slots <= MOST_SLOTS && size.n_pairs > 12 && reference_init(&reference, model));
    myr_settings settings = scene_settings("precision", "f64", "task", "none", "threads", "1", "spin-damping", "0", "dt", "0.001", "solver",
                                           "pgs", "tolerance", "1e-10", "max-sweeps", "20000", NULL);
    settings.sense_contacts = 1;
    MUST(myr_batch_create(model, ENVS, &settings, &batch));
    bodies_disturb_tangle(batch, model, 11);
    double before[ENVS][2][MOST_NV * 2];
    for (int64_t env = 0; env < ENVS; env++) {
        MUST(myr_batch_get(batch, MYR_Q, &env, 1, MYR_F64, before[env][0]));
        MUST(myr_batch_get(batch, MYR_V, &env, 1, MYR_F64, before[env][1]));
    }
    MUST(myr_batch_step(batch, 1));
    int solved = 0, seen_of[3][3] = {{0}}, inside = 0, with_world = 0;
    for (int64_t env = 0; env < ENVS; env++) {
        const double zero[MOST_NV] = {0}, gravity[3] = {0, 0, -9.81}, dt = settings.dt_s;
        double after[MOST_NV], impulse[MOST_SLOTS][3], point[MOST_SLOTS][3], normal[MOST_SLOTS][3], push[MOST_NV] = {0}, change[MOST_NV],
                                                                                                    residual;
        static double M[MOST_NV * MOST_NV];
        MUST(myr_batch_get(batch, MYR_V, &env, 1, MYR_F64, after));
        MUST(myr_batch_get(batch, MYR_IMPULSE, &env, 1, MYR_F64, impulse));
        MUST(myr_batch_get(batch, MYR_CONTACT_POINT, &env, 1, MYR_F64, point));
        MUST(myr_batch_get(batch, MYR_CONTACT_NORMAL, &env, 1, MYR_F64, normal));
        MUST(myr_batch_get(batch, MYR_RESIDUAL, &env, 1, MYR_F64, &residual));
        reference_compute(&reference, before[env][0], before[env][1], zero, gravity);
        double worst = 0, law = 0, speed = 1;
        for (int s = 0; s < size.n_slots; s++) {
            myr_slot_info slot;
            double J[3][MOST_NV], w[3] = {0};
            if (dot(normal[s], normal[s]) == 0) {
                assert_true(dot(impulse[s], impulse[s]) == 0);
                continue;
            }
            MUST(myr_model_get_slot(model, s, &slot));
            contact_rows(&reference, &slot, point[s], normal[s], J);
            for (int a = 0; a < 3; a++)
                for (int k = 0; k < size.nv; k++) {
                    push[k] += J[a][k] * impulse[s][a];
                    w[a] += J[a][k] * after[k];
                }
            const double *l = impulse[s], tangent = hypot(l[0], l[1]), slip = hypot(w[0], w[1]);
            law = fmax(law, fmax(-w[2], fabs(l[2] * w[2])));
            law = fmax(law, tangent - slot.friction * l[2]);
            law = fmax(law, fabs(slot.friction * l[2] * slip + l[0] * w[0] + l[1] * w[1])); /* opposed, and on the cone */
            if (slot.other >= 0) {
                seen_of[model->geoms[slot.geom].type][model->geoms[slot.other].type]++;
                inside += slot.other_body >= 0 && model->bodies[slot.body].tree == model->bodies[slot.other_body].tree;
                with_world += slot.other_body < 0;
            }
        }
        memcpy(M, reference.M, sizeof(double) * (size_t)(size.nv * size.nv));
        assert_true(reference_cholesky_solve(M, size.nv, push, change));
        for (int k = 0; k < size.nv; k++) {
            speed = fmax(speed, fabs(after[k]));
            worst = fmax(worst, fabs(after[k] - (before[env][1][k] + dt * reference.acceleration[k] + change[k])));
        }
        if (!(worst <= 1e-11 * speed)) fail_msg("environment %d: velocities are off by %g of %g", (int)env, worst, speed);
        if (residual > 1e-9) continue; /* deep in each other, some are beyond PGS */
        if (!(law <= 1e-7)) fail_msg("environment %d: the law is off by %g", (int)env, law);
        solved++;
    }
    assert_true(solved > ENVS / 2 && inside > 20 && with_world > 50);
    assert_true(seen_of[MYR_GEOM_BOX][MYR_GEOM_BOX] > 50 && seen_of[MYR_GEOM_BOX][MYR_GEOM_SPHERE] > 50);
    assert_true(seen_of[MYR_GEOM_BOX][MYR_GEOM_CAPSULE] > 50 && seen_of[MYR_GEOM_SPHERE][MYR_GEOM_CAPSULE] > 20);
    assert_true(seen_of[MYR_GEOM_CAPSULE][MYR_GEOM_SPHERE] > 20 && seen_of[MYR_GEOM_SPHERE][MYR_GEOM_SPHERE] > 20);
    reference_free(&reference);
    myr_batch_free(batch);
    myr_model_free(model);
}

/* Linear momentum, and angular about the world's origin. */
static void momentum(reference_state *state, const double *q, const double *v, double p[6]) {
    const double zero[MOST_NV] = {0}, none[3] = {0, 0, 0};
    double orbital[3];
    reference_compute(state, q, v, zero, none);
    cross(state->com, state->momentum, orbital);
    for (int k = 0; k < 3; k++) p[k] = state->momentum[k], p[3 + k] = state->momentum[3 + k] + orbital[k];
}

/* What one loses the other gets: impulses are equal, opposite, and at one point. */
static void collisions_keep_momentum(void **state) {
    static const myr_geom_type kinds[6][2] = {{MYR_GEOM_SPHERE, MYR_GEOM_SPHERE}, {MYR_GEOM_SPHERE, MYR_GEOM_CAPSULE},
                                              {MYR_GEOM_BOX, MYR_GEOM_SPHERE},    {MYR_GEOM_CAPSULE, MYR_GEOM_CAPSULE},
                                              {MYR_GEOM_CAPSULE, MYR_GEOM_BOX},   {MYR_GEOM_BOX, MYR_GEOM_BOX}};
    enum { ENVS = 40 };
    (void)state;
    for (int kind = 0; kind < 6; kind++) {
        myr_model *model = bodies_two(kinds[kind][0], kinds[kind][1]);
        myr_batch *batch = NULL;
        reference_state reference;
        random_source source = {(uint64_t)kind + 1};
        int collided = 0, spun = 0;
        assert_true(reference_init(&reference, model));
        const myr_settings settings = scene_settings("precision", "f64", "task", "none", "threads", "1", NULL);
        MUST(myr_batch_create(model, ENVS, &settings, &batch));
        for (int64_t env = 0; env < ENVS; env++) {
            double q[14], v[12], tau[12], p[6], later[6], impulse[MOST_SLOTS][3];
            const double none[3] = {0, 0, 0};
            random_state(&source, model, 2, 0, q, v, tau);
            for (int k = 3; k < 6; k++) v[k] = v[6 + k] = 0; /* no gyroscopic terms, which one explicit step does not keep */
            for (int k = 0; k < 3; k++) q[k] = 5 + random_uniform(&source, -0.1, 0.1), q[7 + k] = 5 + random_uniform(&source, -0.1, 0.1);
            MUST(myr_batch_set(batch, MYR_Q, &env, 1, MYR_F64, q));
            MUST(myr_batch_set(batch, MYR_V, &env, 1, MYR_F64, v));
            MUST(myr_batch_set(batch, MYR_GRAVITY, &env, 1, MYR_F64, none));
            MUST(myr_batch_step(batch, 1));
            MUST(myr_batch_get(batch, MYR_IMPULSE, &env, 1, MYR_F64, impulse));
            momentum(&reference, q, v, p);
            MUST(myr_batch_get(batch, MYR_V, &env, 1, MYR_F64, v));
            momentum(&reference, q, v, later); /* where the impulses acted */
            double sum = 0;
            for (int s = 0; s < model->n_slots; s++) sum += fabs(impulse[s][2]);
            if (sum == 0) continue;
            collided++;
            spun += fabs(v[3]) > 0.01;
            for (int k = 0; k < 6; k++)
                if (!(fabs(later[k] - p[k]) <= 1e-12)) fail_msg("kind %d: momentum %d changes by %g", kind, k, later[k] - p[k]);
        }
        assert_true(collided > ENVS / 3 && spun > 5);
        reference_free(&reference);
        myr_batch_free(batch);
        myr_model_free(model);
    }
}

/* A body of the world: half extents, turned by `angle` about y. */
static void add_wall(myr_builder *b, const char *name, const double at[3], const double size[3], double angle, double friction) {
    myr_body_def def = myr_body_def_default();
    myr_geom_def geom = myr_geom_def_default();
    def.name = name;
    MUST(myr_builder_body(b, &def, &geom.body));
    memcpy(geom.position_m, at, sizeof geom.position_m);
    memcpy(geom.size_m, size, sizeof geom.size_m);
    geom.quaternion[0] = cos(angle / 2), geom.quaternion[2] = sin(angle / 2);
    geom.type = MYR_GEOM_BOX;
    geom.friction = friction;
    MUST(myr_builder_geom(b, &geom, NULL));
}

static int add_ball(myr_builder *b, const char *name, double radius, double mass, const double at[3], double friction) {
    static const double upright[4] = {1, 0, 0, 0};
    myr_body_def def = myr_body_def_default();
    myr_geom_def geom = myr_geom_def_default();
    def.name = name;
    def.joint = MYR_JOINT_FREE;
    def.mass_kg = mass;
    for (int k = 0; k < 3; k++) def.inertia_kgm2[k] = 0.4 * mass * radius * radius;
    MUST(myr_builder_body(b, &def, &geom.body));
    geom.size_m[0] = radius;
    geom.friction = friction;
    MUST(myr_builder_geom(b, &geom, NULL));
    MUST(myr_builder_home(b, geom.body, at, upright));
    return geom.body;
}

static myr_batch *one(const myr_model *model, const char *solver, const char *tolerance) {
    myr_batch *batch = NULL;
    const myr_settings settings = scene_settings("precision", "f64", "task", "none", "threads", "1", "solver", solver, "tolerance",
                                                 tolerance, "max-sweeps", "100000", "sense-contacts", "1", NULL);
    MUST(myr_batch_create(model, 1, &settings, &batch));
    return batch;
}

/* Normal impulses of all pairs' slots, in slot order; how many are not zero. */
static int pair_forces(const myr_model *model, const myr_batch *batch, double dt, double *force, double (*normal)[3]) {
    double impulse[MOST_SLOTS][3], direction[MOST_SLOTS][3];
    int n = 0;
    MUST(myr_batch_get(batch, MYR_IMPULSE, NULL, 1, MYR_F64, impulse));
    MUST(myr_batch_get(batch, MYR_CONTACT_NORMAL, NULL, 1, MYR_F64, direction));
    for (int s = 0; s < model->n_slots; s++) {
        if (model->slots[s].other < 0 || impulse[s][2] == 0) continue;
        memcpy(normal[n], direction[s], sizeof normal[n]);
        force[n++] = impulse[s][2] / dt;
    }
    return n;
}

/* Without friction, a ball between two planes whose normals are 30 and 50 degrees from the vertical presses with m g sin(the other's
 * angle) / sin(their sum). */
static void a_ball_in_a_v(void **state) {
    (void)state;
    const double left = 30 * acos(-1) / 180, right = 50 * acos(-1) / 180, radius = 0.1, mass = 2, depth = 1e-6, half[3] = {1, 1, 0.05};
    myr_builder *b = NULL;
    myr_model *model = NULL;
    double force[8], normal[8][3], v[6];
    MUST(myr_builder_create("v", &b));
    const double center[3] = {0, 0, 3}, reach = radius + half[2] - depth;
    add_wall(b, "left", (const double[3]){center[0] - reach * sin(left), 0, center[2] - reach * cos(left)}, half, left, 0);
    add_wall(b, "right", (const double[3]){center[0] + reach * sin(right), 0, center[2] - reach * cos(right)}, half, -right, 0);
    add_ball(b, "ball", radius, mass, center, 0);
    MUST(myr_builder_compile(b, &model));
    for (int s = 0; s < MYR_SOLVER_COUNT; s++) {
        if (strncmp(myr_solvers[s].name, "newton", 6) == 0) continue; /* its contacts are not rigid */
        myr_batch *batch = one(model, myr_solvers[s].name, "1e-12");
        MUST(myr_batch_step(batch, 50));
        assert_int_equal(pair_forces(model, batch, 1e-3, force, normal), 2);
        for (int k = 0; k < 2; k++) {
            const double other = normal[k][0] > 0 ? right : left, wanted = mass * 9.81 * sin(other) / sin(left + right);
            if (!(fabs(force[k] - wanted) <= 1e-5)) fail_msg("%s: force %.9g N, should be %.9g", myr_solvers[s].name, force[k], wanted);
        }
        MUST(myr_batch_get(batch, MYR_V, NULL, 1, MYR_F64, v));
        for (int k = 0; k < 6; k++) assert_true(fabs(v[k]) < 1e-8);
        myr_batch_free(batch);
    }
    myr_model_free(model);
    myr_builder_free(b);
}

/* Without friction, a ball lies on another one on the ground, and both between walls: the line of centres has angle a from the vertical, so
 * that the balls press with m g / cos a and the upper one's wall with m g tan a. */
static void a_ball_on_a_ball_by_a_wall(void **state) {
    (void)state;
    const double radius = 0.1, mass = 1.5, a = 0.5, sunk = 1e-8, half[3] = {0.1, 1, 1}, side = (2 * radius - sunk) * sin(a);
    myr_builder *b = NULL;
    myr_model *model = NULL;
    double force[8], normal[8][3];
    MUST(myr_builder_create("balls", &b));
    add_wall(b, "left", (const double[3]){-radius - half[0] + sunk, 0, 1}, half, 0, 0);
    add_wall(b, "right", (const double[3]){side + radius + half[0] - sunk, 0, 1}, half, 0, 0);
    add_ball(b, "low", radius, mass, (const double[3]){0, 0, radius - sunk}, 0);
    add_ball(b, "high", radius, mass, (const double[3]){side, 0, radius - sunk + (2 * radius - sunk) * cos(a)}, 0);
    MUST(myr_builder_compile(b, &model));
    for (int s = 0; s < MYR_SOLVER_COUNT; s++) {
        if (strncmp(myr_solvers[s].name, "newton", 6) == 0) continue; /* its contacts are not rigid */
        myr_batch *batch = one(model, myr_solvers[s].name, "1e-12");
        MUST(myr_batch_step(batch, 50));
        assert_int_equal(pair_forces(model, batch, 1e-3, force, normal), 3);
        for (int k = 0; k < 3; k++) {
            const double wanted = mass * 9.81 * (fabs(normal[k][2]) > 0.1 ? 1 / cos(a) : tan(a));
            if (!(fabs(force[k] - wanted) <= 1e-4)) fail_msg("%s: force %.9g N, should be %.9g", myr_solvers[s].name, force[k], wanted);
        }
        myr_batch_free(batch);
    }
    myr_model_free(model);
    myr_builder_free(b);
}

static void stacks_stand(void **state) {
    static const char *const names[] = {"stack-2", "stack-3", "stack-2-10", "stack-3-0.1"};
    static const char *const solvers[] = {"bisection", "pgs"};
    static const char *const precisions[] = {"f64", "f32"};
    (void)state;
    for (size_t i = 0; i < 16; i++) {
        const char *name = names[i % 4], *solver = solvers[i / 4 % 2], *precision = precisions[i / 8];
        myr_model *model = NULL;
        myr_batch *batch = NULL;
        double q[21], v[18], home[21], residual, worst = 0;
        MUST(myr_model_load(name, MYR_ROOT_AUTO, &model));
        const myr_settings settings = scene_settings("precision", precision, "task", "none", "threads", "1", "solver", solver, NULL);
        MUST(myr_batch_create(model, 1, &settings, &batch));
        for (int k = 0; k < 100; k++) {
            MUST(myr_batch_step(batch, 20));
            MUST(myr_batch_get(batch, MYR_RESIDUAL, NULL, 1, MYR_F64, &residual));
            worst = fmax(worst, residual);
        }
        myr_model_home(model, home);
        MUST(myr_batch_get(batch, MYR_Q, NULL, 1, MYR_F64, q));
        MUST(myr_batch_get(batch, MYR_V, NULL, 1, MYR_F64, v));
        print_message("%s, %s, %s: residual up to %.2e\n", name, solver, precision, worst);
        for (int k = 0; k < model->nq; k++)
            if (!(fabs(q[k] - home[k]) <= 1e-4))
                fail_msg("%s, %s, %s: q[%d] has gone from %.9g to %.9g", name, solver, precision, k, home[k], q[k]);
        for (int k = 0; k < model->nv; k++) assert_true(fabs(v[k]) < 1e-3);
        myr_batch_free(batch);
        myr_model_free(model);
    }
}

/* With the gap term what falls on another body lands on it and does not sink; with restitution a ball leaves as fast as it should. */
static void bodies_land_on_each_other(void **state) {
    static const struct {
        myr_geom_type type;
        double size[3], height; /* of the centre when it lies; capsules and boxes on the side they are given */
    } falling[] = {{MYR_GEOM_SPHERE, {0.1}, 0.1}, {MYR_GEOM_CAPSULE, {0.05, 0.2}, 0.25}, {MYR_GEOM_BOX, {0.1, 0.15, 0.05}, 0.05}};
    const double top = 0.4, upright[4] = {1, 0, 0, 0}, zero[3] = {0, 0, 0};
    (void)state;
    for (size_t i = 0; i < 3; i++)
        for (int bounce = 0; bounce < 2; bounce++) {
            myr_builder *b = NULL;
            myr_model *model = NULL;
            myr_batch *batch = NULL;
            double q[7], v[6];
            const double fall = 0.05, speed = sqrt(2 * 9.81 * fall), start[3] = {0, 0, top + falling[i].height + fall};
            MUST(myr_builder_create("landing", &b));
            add_wall(b, "table", (const double[3]){0, 0, top - 0.1}, (const double[3]){0.4, 0.4, 0.1}, 0, 0.5);
            const int id = bodies_add(b, "body", -1, MYR_JOINT_FREE, zero, falling[i].type, falling[i].size, 1);
            MUST(myr_builder_home(b, id, start, upright));
            MUST(myr_builder_compile(b, &model));
            const myr_settings settings = scene_settings("precision", "f64", "task", "none", "threads", "1", "solver", "pgs", "tolerance",
                                                         "1e-10", "gap", "0.01", "restitution", bounce ? "0.5" : "0", NULL);
            MUST(myr_batch_create(model, 1, &settings, &batch));
            double fastest = 0;
            for (int step = 0; step < 200; step++) {
                MUST(myr_batch_step(batch, 1));
                MUST(myr_batch_get(batch, MYR_V, NULL, 1, MYR_F64, v));
                MUST(myr_batch_get(batch, MYR_Q, NULL, 1, MYR_F64, q));
                fastest = fmax(fastest, v[2]);
                assert_true(q[2] - top - falling[i].height > (falling[i].type == MYR_GEOM_SPHERE ? -1e-9 : -2e-3)); /* the others turn */
                if (!bounce && falling[i].type != MYR_GEOM_CAPSULE) assert_true(v[2] < 1e-6);
            }
            if (!bounce && falling[i].type != MYR_GEOM_CAPSULE) assert_true(fabs(q[2] - top - falling[i].height) < 1e-6);
            if (bounce && falling[i].type == MYR_GEOM_SPHERE) assert_true(fabs(fastest - 0.5 * speed) < 0.02 * speed);
            myr_batch_free(batch);
            myr_model_free(model);
            myr_builder_free(b);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(impulses_act_as_the_reference_says),
        cmocka_unit_test(collisions_keep_momentum),
        cmocka_unit_test(a_ball_in_a_v),
        cmocka_unit_test(a_ball_on_a_ball_by_a_wall),
        cmocka_unit_test(stacks_stand),
        cmocka_unit_test(bodies_land_on_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

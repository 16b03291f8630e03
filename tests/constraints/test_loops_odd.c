/* ctest: law lanes
 * Loops where they are odd: trees tied to each other, gram and ton in one loop, axes that point the other way, contacts and joints that
 * loops hold, poses with a NaN; and what joint rows of neighbours do to solvers that take rows by threes. */
#include <math.h>
#include <string.h>

#include "support/batch_scene.h"
#include "support/loop_scene.h"
#include "model/description.h"
#include "support/model_scene.h"

enum { ENVS = 9 };

static int add_body(myr_builder *builder, const char *name, int parent, myr_joint_type joint, double mass, double x, double z) {
    myr_body_def def = myr_body_def_default();
    int id;
    def.name = name, def.parent = parent, def.joint = joint, def.mass_kg = mass;
    def.position_m[0] = x, def.position_m[2] = z, def.axis[0] = 0, def.axis[1] = 1;
    for (int k = 0; k < 3; k++) def.inertia_kgm2[k] = 0.1;
    MUST(myr_builder_body(builder, &def, &id));
    return id;
}

static void add_ball(myr_builder *builder, int body, double radius) {
    myr_geom_def def = myr_geom_def_default();
    def.body = body, def.size_m[0] = radius;
    MUST(myr_builder_geom(builder, &def, NULL));
}

static myr_model *finish(myr_builder *builder) {
    myr_model *model = scene_compile(builder);
    myr_builder_free(builder);
    return model;
}

static myr_stats stepped(const myr_model *model, const char *precision, const char *baumgarte, int steps) {
    const myr_settings settings = scene_settings("precision", precision, "baumgarte", baumgarte, "task", "none", NULL);
    myr_batch *batch = NULL;
    myr_stats stats;
    MUST(myr_batch_create(model, 1, &settings, &batch));
    MUST(myr_batch_step(batch, steps));
    myr_batch_stats(batch, &stats);
    myr_batch_free(batch);
    return stats;
}

/* Trees that a loop ties together are put on the ground as one, and what is tied to the world stays where the loop wants it. */
static void home_of_tied_trees_is_closed(void **state) {
    (void)state;
    double q[14];
    myr_builder *builder = scene_builder();
    const int first = add_body(builder, "first", -1, MYR_JOINT_FREE, 1, 0, 0),
              second = add_body(builder, "second", -1, MYR_JOINT_FREE, 1, 0, 0);
    myr_loop_def tie = myr_loop_def_default();
    add_ball(builder, first, 0.1), add_ball(builder, second, 0.2);
    tie.name = "tie", tie.body = first, tie.other = second, tie.position_m[2] = 0.5, tie.other_position_m[2] = -0.5;
    MUST(myr_builder_loop(builder, &tie));
    myr_model *model = finish(builder);
    myr_model_home(model, q);
    assert_true(fabs(fmin(q[2] - 0.1, q[9] - 0.2)) < 1e-12 && fabs(q[9] - q[2] - 1) < 1e-9);
    assert_true(stepped(model, "f64", "0", 1).loop_error_max < 1e-9);
    myr_model_free(model);

    builder = scene_builder();
    tie.body = add_body(builder, "body", -1, MYR_JOINT_FREE, 1, 0, 0), tie.other = -1, tie.other_position_m[2] = 2;
    add_ball(builder, tie.body, 0.1);
    MUST(myr_builder_loop(builder, &tie));
    model = finish(builder);
    myr_model_home(model, q);
    assert_true(fabs(q[2] - 1.5) < 1e-9 && stepped(model, "f64", "0", 10).loop_error_max < 1e-9);
    myr_model_free(model);
}

/* Something light on a slide across something heavy on a slide that is upright, tied to the world by a ball whose axes are turned. */
static myr_model *gantry(double ratio, double turn) {
    myr_builder *builder = scene_builder();
    myr_body_def def = myr_body_def_default();
    def.name = "beam", def.joint = MYR_JOINT_PRISMATIC, def.mass_kg = 0.01 * ratio, def.axis[0] = 0, def.axis[2] = 1;
    for (int k = 0; k < 3; k++) def.inertia_kgm2[k] = 0.1;
    myr_loop_def tie = myr_loop_def_default();
    int beam;
    MUST(myr_builder_body(builder, &def, &beam));
    def.name = "hook", def.parent = beam, def.mass_kg = 0.01, def.axis[0] = 1, def.axis[2] = 0;
    MUST(myr_builder_body(builder, &def, &tie.body));
    tie.name = "tie";
    tie.quaternion[0] = tie.other_quaternion[0] = cos(turn), tie.quaternion[2] = tie.other_quaternion[2] = sin(turn);
    MUST(myr_builder_loop(builder, &tie));
    return finish(builder);
}

/* A row counts by its own size, not by that of the loop's lightest; and where rounding hides one all the same, the residual tells. */
static void light_and_heavy_are_held_or_it_is_said(void **state) {
    (void)state;
    for (int p = 0; p < 2; p++)
        for (int k = 0; k < 2; k++) {
            myr_model *model = gantry(k ? 1e7 : 1e5, 0);
            const myr_stats stats = stepped(model, p ? "f64" : "f32", "0", 200);
            assert_true(stats.loop_error_max < 1e-6 && stats.not_converged == 0);
            myr_model_free(model);
        }
    myr_model *model = gantry(1e7, 0.4);
    myr_stats stats = stepped(model, "f64", "0", 200);
    assert_true(stats.loop_error_max < 1e-6 && stats.not_converged == 0);
    stats = stepped(model, "f32", "0", 200);
    assert_true(stats.loop_error_max < 1e-6 || (stats.not_converged > 100 && stats.residual_max > 0.5));
    myr_model_free(model);
}

/* A hinge whose two axes point opposite ways is not closed. If it counted as closed, it would stand like a pencil on its tip. */
static void a_hinge_points_one_way(void **state) {
    (void)state;
    myr_builder *builder = scene_builder();
    myr_loop_def tie = myr_loop_def_default();
    double q[7];
    tie.body = add_body(builder, "body", -1, MYR_JOINT_FREE, 1, 0, 0), tie.type = MYR_LOOP_REVOLUTE;
    tie.name = "tie", tie.axis[0] = 0, tie.axis[2] = 1, tie.other_quaternion[0] = 0, tie.other_quaternion[1] = 1;
    MUST(myr_builder_loop(builder, &tie));
    myr_model *model = finish(builder);
    myr_model_home(model, q);
    assert_true(hypot(q[3], q[6]) < 1e-9); /* turned by half a turn about a level axis */
    for (int p = 0; p < 2; p++) {
        const myr_settings settings = scene_settings("precision", p ? "f64" : "f32", "task", "none", NULL);
        myr_batch *batch = NULL;
        double open, upright[7] = {0, 0, 0, 1, 0, 0, 0};
        MUST(myr_batch_create(model, 1, &settings, &batch));
        MUST(myr_batch_set(batch, MYR_Q, NULL, 1, MYR_F64, upright));
        MUST(myr_batch_close_loops(batch, NULL, 1, &open));
        MUST(myr_batch_get(batch, MYR_Q, NULL, 1, MYR_F64, q));
        assert_true(hypot(q[3], q[6]) < 1e-4 && open < 1e-4);
        myr_batch_free(batch);
    }
    myr_model_free(model);
}

/* Rods all on one line: no joint moves the open end along it. */
static void what_is_straight_closes_too(void **state) {
    (void)state;
    myr_builder *builder = scene_builder();
    const int crank = add_body(builder, "crank", -1, MYR_JOINT_REVOLUTE, 1, 0, 0),
              coupler = add_body(builder, "coupler", crank, MYR_JOINT_REVOLUTE, 1, 0.2, 0),
              rocker = add_body(builder, "rocker", -1, MYR_JOINT_REVOLUTE, 1, 0.5, 0);
    myr_loop_def tie = myr_loop_def_default();
    tie.name = "tie", tie.body = coupler, tie.other = rocker, tie.position_m[0] = 0.5, tie.other_position_m[0] = 0.4;
    MUST(myr_builder_loop(builder, &tie));
    myr_model *model = finish(builder);
    assert_true(stepped(model, "f64", "0", 10).loop_error_max < 1e-4);
    myr_model_free(model);
}

/* A rigid triangle with a ball deep in the ground: nothing can lift it, whatever the contact asks for, and the contact is in no problem. */
static void a_contact_that_loops_hold_is_none(void **state) {
    (void)state;
    static const char *const solvers[] = {"nsgs", "bisection", "pgs", "admm-ncp", "newton-diag"};
    myr_builder *builder = scene_builder();
    const int first = add_body(builder, "first", -1, MYR_JOINT_REVOLUTE, 1, 0, 0.5),
              second = add_body(builder, "second", first, MYR_JOINT_REVOLUTE, 1, 0, -0.5);
    myr_loop_def tie = myr_loop_def_default();
    builder->bodies[second].lower = -1e-5, builder->bodies[second].upper = 1e-5;
    add_ball(builder, second, 0.01);
    tie.name = "tie", tie.body = second, tie.position_m[0] = 0.3, tie.other_position_m[0] = 0.3;
    MUST(myr_builder_loop(builder, &tie));
    myr_model *model = finish(builder);
    for (int p = 0; p < 2; p++)
        for (size_t s = 0; s < sizeof solvers / sizeof *solvers; s++) {
            const myr_settings settings =
                scene_settings("precision", p ? "f64" : "f32", "solver", solvers[s], "baumgarte", "0.2", "task", "none", NULL);
            myr_problem_room room = {.room = 0, .room_rows = 0};
            myr_batch *batch = NULL;
            myr_stats stats;
            double v[2];
            MUST(myr_batch_create(model, 1, &settings, &batch));
            MUST(myr_batch_problem(batch, 0, &room));
            assert_true(room.contacts == 0 && room.rows == 0);
            MUST(myr_batch_step(batch, 300));
            MUST(myr_batch_get(batch, MYR_V, NULL, 1, MYR_F64, v));
            myr_batch_stats(batch, &stats);
            if (!(fabs(v[0]) + fabs(v[1]) < 1e-4 && stats.quarantined == 0 && stats.not_converged == 0 && stats.loop_error_max < 1e-6))
                fail_msg("%s, %s: moves at %g, %g; residual %g", solvers[s], p ? "f64" : "f32", v[0], v[1], stats.residual_max);
            myr_batch_free(batch);
        }
    myr_model_free(model);
}

/* A pose with a NaN does not close, even where the loop that is looked at last does not depend on it. */
static void what_is_no_number_does_not_close(void **state) {
    (void)state;
    static const char *const names[] = {"a", "b", "c", "d"};
    myr_builder *builder = scene_builder();
    int joints[4];
    for (int k = 0; k < 4; k++) joints[k] = add_body(builder, names[k], -1, MYR_JOINT_REVOLUTE, 1, k, 0);
    for (int k = 0; k < 2; k++) {
        myr_coupling_def mimic = myr_coupling_def_default();
        mimic.name = names[k], mimic.n = 1, mimic.joints[0] = joints[2 * k], mimic.coefficients[0] = 1, mimic.driver = joints[2 * k + 1];
        mimic.polynomial[1] = 1;
        MUST(myr_builder_coupling(builder, &mimic));
    }
    myr_model *model = finish(builder);
    for (int k = 0; k < 4; k++) {
        const myr_settings settings = scene_settings("task", "none", NULL);
        myr_batch *batch = NULL;
        double q[4] = {0};
        q[k] = (double)NAN;
        MUST(myr_batch_create(model, 1, &settings, &batch));
        MUST(myr_batch_set(batch, MYR_Q, NULL, 1, MYR_F64, q));
        MUST_FAIL(myr_batch_close_loops(batch, NULL, 1, NULL), MYR_E_STATE, "environment 0 do not close");
        myr_batch_free(batch);
    }
    myr_model_free(model);
}

/* Robots whose legs reach their limits now and then, each in its own time. */
static myr_batch *walkers(const myr_model *model, const char *solver, int64_t first, int64_t envs) {
    myr_settings settings = scene_settings("precision", "f64", "threads", "1", "solver", solver, "max-sweeps", "300", "task", "none", NULL);
    myr_batch *batch = NULL;
    settings.first_env = first;
    MUST(myr_batch_create(model, envs, &settings, &batch));
    for (int64_t env = 0; env < envs; env++) {
        double v[64];
        for (int k = 0; k < model->nv; k++)
            v[k] = k < 6 ? 0.3 * sin(1 + (double)(first + env) + k) : 3 * sin((double)(first + env) * 0.7 + k);
        MUST(myr_batch_set(batch, MYR_V, &env, 1, MYR_F64, v));
    }
    return batch;
}

static void rows_of_neighbours_do_not_show(void **state) {
    (void)state;
    static const char *const solvers[] = {
#define MYR_SOLVER(id, name, function, law, sweeps, room) name,
#include "kernels/contact/solvers.def"
#undef MYR_SOLVER
    };
    myr_model *model = loop_walker();
    for (size_t s = 0; s < sizeof solvers / sizeof *solvers; s += SCENE_SOLVER_STRIDE) {
        uint64_t alone = 0;
        for (int env = 0; env < ENVS; env++) {
            myr_batch *batch = walkers(model, solvers[s], env, 1);
            MUST(myr_batch_step(batch, 100));
            alone += myr_batch_hash(batch);
            myr_batch_free(batch);
        }
        myr_batch *batch = walkers(model, solvers[s], 0, ENVS);
        MUST(myr_batch_step(batch, 100));
        if (myr_batch_hash(batch) != alone) fail_msg("%s: a robot's bits depend on its neighbours", solvers[s]);
        myr_batch_free(batch);
    }
    myr_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(home_of_tied_trees_is_closed),
        cmocka_unit_test(light_and_heavy_are_held_or_it_is_said),
        cmocka_unit_test(a_hinge_points_one_way),
        cmocka_unit_test(what_is_straight_closes_too),
        cmocka_unit_test(a_contact_that_loops_hold_is_none),
        cmocka_unit_test(what_is_no_number_does_not_close),
        cmocka_unit_test(rows_of_neighbours_do_not_show),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

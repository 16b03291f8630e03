#include "law_scene.h"

#include <math.h>
#include <string.h>

#include "reference/rigid_body.h"
#include "reference/small.h"

const char *const law_shapes[3] = {"point", "cube", "ball"};

static int add_body(myr_builder *builder, const char *name, int parent, myr_joint_type joint, int axis, double mass, double inertia) {
    myr_body_def def = myr_body_def_default();
    int id = -1;
    def.name = name;
    def.parent = parent;
    def.joint = joint;
    for (int k = 0; k < 3; k++) {
        def.axis[k] = k == axis;
        def.inertia_kgm2[k] = inertia;
    }
    def.mass_kg = mass;
    MUST(myr_builder_body(builder, &def, &id));
    return id;
}

myr_model *law_model(law_shape shape) {
    myr_builder *builder = NULL;
    myr_model *model = NULL;
    myr_geom_def geom = myr_geom_def_default();
    MUST(myr_builder_create(law_shapes[shape], &builder));
    if (shape == LAW_POINT) {
        const int along = add_body(builder, "along", -1, MYR_JOINT_PRISMATIC, 0, 0, 0);
        const int across = add_body(builder, "across", along, MYR_JOINT_PRISMATIC, 1, 0, 0);
        geom.body = add_body(builder, "point", across, MYR_JOINT_PRISMATIC, 2, 1, 1);
    } else {
        const double inertia = shape == LAW_CUBE ? 4 * LAW_HALF * LAW_HALF / 6 : 0.4 * LAW_HALF * LAW_HALF;
        geom.body = add_body(builder, law_shapes[shape], -1, MYR_JOINT_FREE, 0, 1, inertia);
    }
    geom.type = shape == LAW_CUBE ? MYR_GEOM_BOX : MYR_GEOM_SPHERE;
    for (int k = 0; k < 3; k++) geom.size_m[k] = LAW_HALF;
    geom.friction = 1; /* what an environment's friction scales */
    MUST(myr_builder_geom(builder, &geom, NULL));
    MUST(myr_builder_compile(builder, &model));
    myr_builder_free(builder);
    return model;
}

int law_rigid(int solver) { return strncmp(myr_solvers[solver].name, "newton", 6) != 0; }

myr_settings law_settings(const char *solver) {
    const int gradual = strncmp(solver, "admm", 4) == 0; /* ends where it may: sweeps and Newton's steps end far below */
    return scene_settings("precision", "f64", "task", "none", "threads", "1", "dt", "1e-3", "tolerance", gradual ? "1e-13" : "1e-12",
                          "max-sweeps", "100000", "relaxation", "0.6", /* below 2/3 pgs-ccp descends on every block, compliant ones too */
                          "ground", "0",                               /* the point is fixed to the world, half in the ground at home */
                          "solver", solver, NULL);
}

myr_batch *law_batch(const myr_model *model, const myr_settings *settings, int envs, const double *mu, const double *speed) {
    myr_batch *batch = NULL;
    myr_model_info info;
    myr_model_get_info(model, &info);
    MUST(myr_batch_create(model, envs, settings, &batch));
    MUST(myr_batch_set(batch, MYR_FRICTION, NULL, envs, MYR_F64, mu));
    for (int64_t env = 0; env < envs; env++) {
        double q[7] = {0, 0, LAW_HALF - LAW_DEPTH, 1}, v[6] = {speed[env]};
        MUST(myr_batch_set(batch, MYR_Q, &env, 1, MYR_F64, q));
        MUST(myr_batch_set(batch, MYR_V, &env, 1, MYR_F64, v));
    }
    return batch;
}

void law_tilt(myr_batch *batch, int64_t env, double angle) {
    const double gravity[3] = {LAW_GRAVITY * sin(angle), 0, -LAW_GRAVITY * cos(angle)};
    MUST(myr_batch_set(batch, MYR_GRAVITY, &env, 1, MYR_F64, gravity));
}

law_motion law_see(const myr_batch *batch, int64_t env, law_shape shape) {
    double q[7] = {0}, v[6] = {0}, impulse[8][3] = {{0}};
    law_motion seen = {.position = {0}};
    MUST(myr_batch_get(batch, MYR_Q, &env, 1, MYR_F64, q));
    MUST(myr_batch_get(batch, MYR_V, &env, 1, MYR_F64, v));
    MUST(myr_batch_get(batch, MYR_IMPULSE, &env, 1, MYR_F64, impulse));
    memcpy(seen.position, q, sizeof seen.position);
    memcpy(seen.velocity, v, sizeof seen.velocity);
    if (shape != LAW_POINT) {
        double rotation[9];
        reference_quaternion_rotation(q + 3, rotation);
        mul3(rotation, v + 3, seen.spin);
    }
    for (int slot = 0; slot < (shape == LAW_CUBE ? 8 : 1); slot++)
        for (int k = 0; k < 3; k++) seen.impulse[k] += impulse[slot][k];
    return seen;
}

void law_assert_solved(const myr_batch *batch, const char *solver, law_shape shape, int step) {
    myr_batch_info info;
    myr_batch_get_info(batch, &info);
    for (int64_t env = 0; env < info.envs; env++) {
        double status, residual, sweeps;
        MUST(myr_batch_get(batch, MYR_SOLVE_STATUS, &env, 1, MYR_F64, &status));
        MUST(myr_batch_get(batch, MYR_RESIDUAL, &env, 1, MYR_F64, &residual));
        MUST(myr_batch_get(batch, MYR_ITERATIONS, &env, 1, MYR_F64, &sweeps));
        if (!(residual <= 1e-9))
            fail_msg("%s, %s, step %d, environment %d: %s after %g sweeps, residual %.3g", solver, law_shapes[shape], step, (int)env,
                     myr_solve_status_text((myr_solve_status)status), sweeps, residual);
    }
}

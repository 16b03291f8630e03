#include "joint_scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "isas.h"
#include "kernels/kernels.h"
#include "model_scene.h"

/* One slider of 1 kg along `axis`, fixed to the world. */
myr_model *joint_slider(int axis, double lower, double upper, double friction) {
    myr_builder *builder = scene_builder();
    myr_body_def def = myr_body_def_default();
    def.name = "cart", def.joint = MYR_JOINT_PRISMATIC, def.mass_kg = 1, def.lower = lower, def.upper = upper, def.dry_friction = friction;
    for (int k = 0; k < 3; k++) def.inertia_kgm2[k] = 0.01, def.axis[k] = k == axis;
    assert_int_equal(myr_builder_body(builder, &def, NULL), MYR_OK);
    myr_model *model = scene_compile(builder);
    myr_builder_free(builder);
    return model;
}

double see(const myr_batch *batch, myr_field field, int64_t env, int component) {
    double values[256];
    MUST(myr_batch_get(batch, field, &env, 1, MYR_F64, values));
    return values[component];
}

/* A torso with two arms of three hinges that are not about x, y or z, a ball at each end: takes the paths of any tree. */
static myr_model *armed(void) {
    myr_builder *builder = scene_builder();
    int torso = scene_body(builder, "torso", -1, MYR_JOINT_FREE, 0, 0, 0);
    for (int arm = 0; arm < 2; arm++) {
        int last = torso;
        for (int k = 0; k < 3; k++) {
            char name[16];
            myr_body_def def = myr_body_def_default();
            snprintf(name, sizeof name, "arm%d%d", arm, k);
            def.name = name, def.parent = last, def.joint = MYR_JOINT_REVOLUTE, def.mass_kg = 0.7, def.lower = -1e-3 * (k + 1),
            def.upper = 2e-3;
            def.dry_friction = k == 1 ? 0.3 : 0;
            def.position_m[0] = k ? 0.3 : 0, def.position_m[1] = k ? 0 : arm ? 0.2 : -0.2;
            def.axis[0] = 0.3 * k, def.axis[1] = 1, def.axis[2] = 0.4 - arm;
            for (int i = 0; i < 3; i++) def.inertia_kgm2[i] = 0.01, def.com_m[i] = i == 0 ? 0.15 : 0;
            assert_int_equal(myr_builder_body(builder, &def, &last), MYR_OK);
        }
        myr_geom_def ball = myr_geom_def_default();
        ball.body = last, ball.type = MYR_GEOM_SPHERE, ball.size_m[0] = 0.05, ball.position_m[0] = 0.3;
        assert_int_equal(myr_builder_geom(builder, &ball, NULL), MYR_OK);
    }
    myr_geom_def box = myr_geom_def_default();
    box.body = torso, box.type = MYR_GEOM_SPHERE, box.size_m[0] = 0.1, box.position_m[0] = -0.2;
    assert_int_equal(myr_builder_geom(builder, &box, NULL), MYR_OK);
    myr_model *model = scene_compile(builder);
    myr_builder_free(builder);
    return model;
}

/* Limits of the rows narrow enough around home for all of them to act; of ANYmal they are set, the other robot has them. */
cast cast_open(int legs) {
    cast c = {.joint_friction = "hard", .limit_recheck = "0"};
    if (legs)
        MUST(myr_model_load("anymal", MYR_ROOT_AUTO, &c.model));
    else
        c.model = armed();
    myr_model_get_info(c.model, &c.size);
    double home[MOST_NQ];
    myr_model_home(c.model, home);
    for (int j = 0; j < c.size.n_joints; j++) {
        myr_joint_info joint;
        MUST(myr_model_get_joint(c.model, j, &joint));
        if (joint.nq != 1) continue;
        c.lower[c.rows] = legs ? home[joint.q] - 1e-3 : joint.lower;
        c.upper[c.rows] = legs ? home[joint.q] + 2e-3 : joint.upper;
        c.friction[c.rows] = legs ? (j % 3 == 0) * 0.5 : (c.rows % 3 == 1) * 0.3;
        c.rows++;
    }
    return c;
}

myr_batch *cast_batch(const cast *c, const char *precision, const char *isa, const char *threads, const char *solver, int64_t first,
                      int64_t envs) {
    myr_settings settings =
        scene_settings("precision", precision, "isa", isa, "threads", threads, "solver", solver, "task", "none", "tolerance",
                       strcmp(precision, "f64") ? "1e-5" : "1e-10", "max-sweeps", strcmp(precision, "f64") ? "300" : "3000",
                       "joint-friction", c->joint_friction, "limit-recheck", c->limit_recheck, NULL);
    settings.first_env = first;
    myr_batch *batch = NULL;
    MUST(myr_batch_create(c->model, envs, &settings, &batch));
    for (int64_t env = 0; env < envs; env++) { /* each falls in its own way */
        double q[MOST_NQ], v[MOST_NQ] = {0};
        const double id = (double)(first + env);
        MUST(myr_batch_get(batch, MYR_Q, &env, 1, MYR_F64, q));
        q[2] += 0.02 + 0.01 * fmod(id, 7);
        for (int k = 0; k < 6; k++) v[k] = 0.5 * sin(1 + id + k);
        v[2] -= c->fall;
        for (int k = 6; k < c->size.nv; k++) v[k] = 3 * sin(id * 0.7 + k);
        MUST(myr_batch_set(batch, MYR_Q, &env, 1, MYR_F64, q));
        MUST(myr_batch_set(batch, MYR_V, &env, 1, MYR_F64, v));
        MUST(myr_batch_set(batch, MYR_LOWER, &env, 1, MYR_F64, c->lower));
        MUST(myr_batch_set(batch, MYR_UPPER, &env, 1, MYR_F64, c->upper));
        MUST(myr_batch_set(batch, MYR_DRY_FRICTION, &env, 1, MYR_F64, c->friction));
    }
    return batch;
}

void cast_own_bits(const cast *c, const char *precision, int64_t steps) {
    static const int counts[] = {17, 1, 7, 8, 9, 15, 16};
    uint64_t alone[17], sum = 0;
    for (int env = 0; env < 17; env++) {
        myr_batch *batch = cast_batch(c, precision, "auto", "1", "nsgs", env, 1);
        MUST(myr_batch_step(batch, steps));
        sum += alone[env] = myr_batch_hash(batch);
        myr_batch_free(batch);
    }
    for (int i = 0; isa_or_auto_at(i); i++)
        for (int k = 0; k < 7; k++) {
            myr_batch *batch = cast_batch(c, precision, isa_or_auto_at(i), k % 2 ? "2" : "1", "nsgs", 0, counts[k]);
            MUST(myr_batch_step(batch, steps));
            uint64_t wanted = 0;
            for (int env = 0; env < counts[k]; env++) wanted += alone[env];
            if (myr_batch_hash(batch) != wanted) fail_msg("%s, %s, %d robots: other bits", isa_or_auto_at(i), precision, counts[k]);
            myr_batch_free(batch);
        }
    assert_true(sum != 0);
}

/* Models from C calls: what is refused and leaves the builder as it was, what a compiled model holds. */
#include "support/model_scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/description.h"
#include "support/random_model.h"

/* ---- arguments -------------------------------------------------------------------------------- */

static void refuse_body(myr_builder *builder, const myr_body_def *def, const char *word) {
    int id = -7;
    const int before = builder->n_bodies;
    assert_int_equal(myr_builder_body(builder, def, &id), MYR_E_ARG);
    assert_int_equal(id, -7);
    assert_int_equal(builder->n_bodies, before);
    if (!strstr(myr_message(), word)) fail_msg("`%s` does not say `%s`", myr_message(), word);
}

static void wrong_bodies_are_refused(void **state) {
    (void)state;
    myr_builder *builder = scene_builder();
    const int arm = scene_body(builder, "arm", -1, MYR_JOINT_REVOLUTE, 0, 0, 0);
    myr_body_def good = myr_body_def_default();
    good.name = "hand";
    good.parent = arm;
    good.joint = MYR_JOINT_REVOLUTE;
#define REFUSE(change, word)                                                                                                               \
    do {                                                                                                                                   \
        myr_body_def def = good;                                                                                                           \
        change;                                                                                                                            \
        refuse_body(builder, &def, word);                                                                                                  \
    } while (0)
    REFUSE(def.name = NULL, "name");
    REFUSE(def.name = "", "name");
    REFUSE(def.name = "arm", "`arm`");
    REFUSE(def.joint_name = "arm", "`arm`");
    REFUSE(def.joint_name = "", "joint_name");
    REFUSE(def.parent = 1, "parent is 1");
    REFUSE(def.parent = -2, "parent is -2");
    REFUSE(def.joint = (myr_joint_type)5, "type 5");
    REFUSE(def.joint = (myr_joint_type)-1, "type -1");
    REFUSE(def.joint = MYR_JOINT_FREE, "`arm`");
    REFUSE(def.position_m[1] = NAN, "position_m");
    REFUSE(def.quaternion[0] = 0.0, "quaternion");
    REFUSE(def.quaternion[2] = INFINITY, "quaternion");
    REFUSE(def.axis[0] = 0.0, "axis");
    REFUSE(def.axis[1] = NAN, "axis");
    REFUSE(def.mass_kg = -1.0, "mass_kg");
    REFUSE(def.mass_kg = INFINITY, "mass_kg");
    REFUSE(def.com_m[2] = NAN, "com_m");
    REFUSE(def.inertia_kgm2[5] = -INFINITY, "inertia_kgm2");
    REFUSE(def.damping = -0.1, "damping");
    REFUSE(def.dry_friction = NAN, "dry_friction");
    REFUSE(def.armature = -1.0, "armature");
    REFUSE(def.effort_limit = -1.0, "effort_limit");
    REFUSE(def.velocity_limit = NAN, "velocity_limit");
    REFUSE(def.lower = NAN, "limit");
#undef REFUSE
    assert_int_equal(myr_builder_body(NULL, &good, NULL), MYR_E_ARG);
    assert_int_equal(myr_builder_body(builder, NULL, NULL), MYR_E_ARG);
    int id = -1;
    assert_int_equal(myr_builder_body(builder, &good, &id), MYR_OK);
    assert_int_equal(id, 1);
    myr_builder_free(builder);
}

static void wrong_geoms_and_frames_are_refused(void **state) {
    (void)state;
    static const double here[3] = {0, 0, 0}, straight[4] = {1, 0, 0, 0}, nowhere[3] = {NAN, 0, 0};
    myr_builder *builder = scene_builder();
    const int arm = scene_body(builder, "arm", -1, MYR_JOINT_REVOLUTE, 0, 0, 0);
    myr_geom_def good = myr_geom_def_default();
    good.body = arm;
    good.size_m[0] = 0.1;
#define REFUSE(change, word)                                                                                                               \
    do {                                                                                                                                   \
        myr_geom_def def = good;                                                                                                           \
        change;                                                                                                                            \
        assert_int_equal(myr_builder_geom(builder, &def, NULL), MYR_E_ARG);                                                                \
        if (!strstr(myr_message(), word)) fail_msg("`%s` does not say `%s`", myr_message(), word);                                         \
    } while (0)
    REFUSE(def.body = 1, "body is 1");
    REFUSE(def.body = -1, "body is -1");
    REFUSE(def.type = (myr_geom_type)5, "type 5");
    REFUSE(def.size_m[0] = -0.1, "radius");
    REFUSE((def.type = MYR_GEOM_BOX, def.size_m[2] = NAN), "size_m[2]");
    REFUSE(def.friction = -0.1, "friction");
    REFUSE(def.position_m[0] = INFINITY, "position_m");
    REFUSE(def.quaternion[0] = 0.0, "quaternion");
#undef REFUSE
    assert_int_equal(builder->n_geoms, 0);
    assert_int_equal(myr_builder_frame(builder, "arm", arm, here, straight), MYR_E_ARG);
    assert_int_equal(myr_builder_frame(builder, NULL, arm, here, straight), MYR_E_ARG);
    assert_int_equal(myr_builder_frame(builder, "tip", 1, here, straight), MYR_E_ARG);
    assert_int_equal(myr_builder_frame(builder, "tip", arm, nowhere, straight), MYR_E_ARG);
    assert_int_equal(myr_builder_frame(builder, "tip", arm, NULL, straight), MYR_E_ARG);
    assert_int_equal(myr_builder_frame(builder, "tip", arm, here, straight), MYR_OK);
    assert_int_equal(myr_builder_frame(builder, "tip", -1, here, straight), MYR_E_ARG);
    myr_body_def body = myr_body_def_default();
    body.name = "tip";
    refuse_body(builder, &body, "`tip`");
    myr_builder_free(builder);
}

static void nothing_that_moves_is_no_model(void **state) {
    (void)state;
    myr_builder *builder = scene_builder();
    myr_model *model = (myr_model *)builder;
    assert_int_equal(myr_builder_compile(builder, &model), MYR_E_ARG);
    assert_null(model);
    scene_body(builder, "post", -1, MYR_JOINT_FIXED, 0, 0, 0);
    assert_int_equal(myr_builder_compile(builder, &model), MYR_E_ARG);
    scene_body(builder, "arm", 0, MYR_JOINT_REVOLUTE, 0, 0, 1); /* the builder is still good */
    model = scene_compile(builder);
    scene_body(builder, "hand", 1, MYR_JOINT_REVOLUTE, 0, 0, 1);
    myr_model *longer = scene_compile(builder);
    assert_int_equal(model->n_bodies, 1);
    assert_int_equal(longer->n_bodies, 2);
    myr_builder_free(builder);
    assert_string_equal(longer->bodies[1].name, "hand"); /* the model has its own copies */
    myr_model_free(model);
    myr_model_free(longer);
    assert_int_equal(myr_builder_compile(NULL, &model), MYR_E_ARG);
    myr_model_free(NULL);
    myr_builder_free(NULL);
}

/* ---- the compiled model ----------------------------------------------------------------------- */

static void bodies_come_depth_first_in_order_of_calls(void **state) {
    (void)state;
    myr_builder *builder = scene_builder();
    const int base = scene_body(builder, "base", -1, MYR_JOINT_FREE, 0, 0, 0);
    const int left = scene_body(builder, "left", base, MYR_JOINT_REVOLUTE, 0, 1, 0);
    const int post = scene_body(builder, "post", base, MYR_JOINT_FIXED, 0, 0, 1);
    const int right = scene_body(builder, "right", base, MYR_JOINT_PRISMATIC, 0, -1, 0);
    const int other = scene_body(builder, "other", -1, MYR_JOINT_BALL, 5, 0, 0);
    scene_body(builder, "right2", right, MYR_JOINT_BALL, 0, 0, -1);
    scene_body(builder, "mast", post, MYR_JOINT_REVOLUTE, 0, 0, 1); /* where its fixed parent stands */
    scene_body(builder, "left2", left, MYR_JOINT_REVOLUTE, 0, 0, -1);
    scene_body(builder, "other2", other, MYR_JOINT_REVOLUTE, 0, 0, -1);
    myr_model *m = scene_compile(builder);
    static const char *const order[] = {"base", "left", "left2", "mast", "right", "right2", "other", "other2"};
    static const int parents[] = {-1, 0, 1, 0, 0, 4, -1, 6}, first_v[] = {0, 6, 7, 8, 9, 10, 13, 16},
                     first_q[] = {0, 7, 8, 9, 10, 11, 15, 19};
    static const int above[] = {-1, 0, 1, 2, 3, 4, 5, 6, 5, 5, 9, 10, 11, -1, 13, 14, 15}, actuators[] = {6, 7, 8, 9, 16};
    assert_int_equal(m->n_bodies, 8);
    for (int i = 0; i < 8; i++) {
        assert_string_equal(m->bodies[i].name, order[i]);
        assert_int_equal(m->bodies[i].parent, parents[i]);
        assert_int_equal(m->bodies[i].v, first_v[i]);
        assert_int_equal(m->bodies[i].q, first_q[i]);
        assert_int_equal(m->bodies[i].tree, i >= 6);
    }
    assert_int_equal(m->nq, 20);
    assert_int_equal(m->nv, 17);
    assert_int_equal(m->nu, 5);
    assert_int_equal(m->n_trees, 2);
    assert_int_equal(m->tree_root[1], 6);
    for (int i = 0; i < m->nv; i++) {
        assert_int_equal(m->dof_parent[i], above[i]);
        assert_int_equal(m->dof_depth[i], above[i] < 0 ? 0 : m->dof_depth[above[i]] + 1);
        assert_in_range(i, m->bodies[m->dof_body[i]].v, m->bodies[m->dof_body[i]].v + m->bodies[m->dof_body[i]].nv - 1);
    }
    for (int u = 0; u < m->nu; u++) assert_int_equal(m->bodies[m->actuators[u].joint[0]].v, actuators[u]);
    assert_int_equal(m->bodies[4].u, 3);
    assert_int_equal(m->bodies[5].u, -1);
    assert_string_equal(m->frames[3].name, "post"); /* frames: depth first too, fixed bodies included */
    assert_int_equal(m->frames[3].body, 0);
    myr_model_free(m);
    myr_builder_free(builder);
}

static void fixed_bodies_are_merged_with_their_inertia(void **state) {
    (void)state;
    myr_builder *builder = scene_builder();
    myr_body_def def = myr_body_def_default();
    def.name = "a";
    def.joint = MYR_JOINT_FREE;
    def.mass_kg = 2.0;
    def.com_m[0] = 0.1;
    for (int k = 0; k < 3; k++) def.inertia_kgm2[k] = 0.02;
    assert_int_equal(myr_builder_body(builder, &def, NULL), MYR_OK);
    /* b: a quarter turn about z, so that its x is a's y; 1 m along a's y; centre of mass 0.2 along its own x */
    def = myr_body_def_default();
    def.name = "b";
    def.parent = 0;
    def.position_m[1] = 1.0;
    def.quaternion[0] = def.quaternion[3] = sqrt(0.5);
    def.mass_kg = 1.0;
    def.com_m[0] = 0.2;
    const double about_b[6] = {0.01, 0.02, 0.025, 0.001, 0.002, 0.003};
    memcpy(def.inertia_kgm2, about_b, sizeof about_b);
    assert_int_equal(myr_builder_body(builder, &def, NULL), MYR_OK);
    scene_body(builder, "arm", 1, MYR_JOINT_REVOLUTE, 1.0, 0.0, 0.0);
    myr_model *m = scene_compile(builder);

    const myr_body *merged = &m->bodies[0];
    const double com[3] = {2.0 * 0.1 / 3.0, 1.2 / 3.0, 0.0}, d[3] = {-0.1, 1.2, 0.0}, reduced = 2.0 / 3.0;
    /* in a's axes x_a = -y_b, y_a = x_b: xx and yy change places, xy -> -xy, xz -> -yz, yz -> xz */
    const double inertia[6] = {0.02 + 0.02 + reduced * d[1] * d[1],
                               0.02 + 0.01 + reduced * d[0] * d[0],
                               0.02 + 0.025 + reduced * (d[0] * d[0] + d[1] * d[1]),
                               -0.001 - reduced * d[0] * d[1],
                               -0.003,
                               0.002};
    assert_int_equal(m->n_bodies, 2);
    scene_near(&merged->mass, &(double){3.0}, 1, 1e-15, "mass");
    scene_near(merged->com, com, 3, 1e-15, "com");
    scene_near(merged->inertia, inertia, 6, 1e-15, "inertia");
    scene_near(&m->mass, &(double){4.0}, 1, 1e-15, "mass of all");
    const double joint[3] = {0.0, 2.0, 0.0}, axis[3] = {0.0, 1.0, 0.0};
    scene_near(m->bodies[1].position, joint, 3, 1e-15, "position of the joint behind the merged body");
    scene_near(m->bodies[1].axis, axis, 3, 0.0, "aligned axis");
    const myr_frame *frame = &m->frames[scene_frame(m, "b")];
    const double b_at[3] = {0.0, 1.0, 0.0}, b_turned[9] = {0, -1, 0, 1, 0, 0, 0, 0, 1};
    assert_int_equal(frame->body, 0);
    scene_near(frame->position, b_at, 3, 1e-15, "frame");
    scene_near(frame->rotation, b_turned, 9, 1e-15, "frame rotation");
    assert_int_equal(scene_other_warnings(m), 0);
    myr_model_free(m);
    myr_builder_free(builder);
}

static void what_is_fixed_to_the_world_stays_a_frame(void **state) {
    (void)state;
    static const double up[3] = {0, 0, 0.5}, straight[4] = {1, 0, 0, 0};
    myr_builder *builder = scene_builder();
    const int wall = scene_body(builder, "wall", -1, MYR_JOINT_FIXED, 1, 2, 3);
    const int arm = scene_body(builder, "arm", wall, MYR_JOINT_REVOLUTE, 0, 0, 1);
    myr_geom_def geom = myr_geom_def_default();
    geom.body = wall;
    assert_int_equal(myr_builder_geom(builder, &geom, NULL), MYR_OK);
    geom.body = arm;
    assert_int_equal(myr_builder_geom(builder, &geom, NULL), MYR_OK);
    assert_int_equal(myr_builder_frame(builder, "mark", wall, up, straight), MYR_OK);
    assert_int_equal(myr_builder_frame(builder, "origin", -1, up, straight), MYR_OK);
    myr_model *m = scene_compile(builder);
    const double mark[3] = {1, 2, 3.5}, joint[3] = {1, 2, 4};
    assert_int_equal(m->frames[scene_frame(m, "mark")].body, -1);
    scene_near(m->frames[scene_frame(m, "mark")].position, mark, 3, 1e-15, "mark");
    scene_near(m->frames[scene_frame(m, "origin")].position, up, 3, 0.0, "origin");
    scene_near(m->bodies[0].offset, joint, 3, 1e-15, "offset");
    assert_int_equal(m->bodies[0].parent, -1);
    assert_int_equal(m->geoms[0].body, -1);
    assert_int_equal(m->geoms[0].n_slots, 0);
    assert_int_equal(m->n_slots, 1);
    assert_int_equal(m->slots[0].geom, 1);
    myr_model_free(m);
    myr_builder_free(builder);
}

/* World poses by user frames alone: what aligned frames must agree with. */
static void user_poses(const myr_model *m, const double *q, myr_pose *poses) {
    for (int i = 0; i < m->n_bodies; i++) {
        const myr_body *b = &m->bodies[i];
        myr_pose joint = myr_pose_identity(), place;
        const double *at = q + b->q;
        const double half = 0.5 * at[0],
                     turned[4] = {cos(half), sin(half) * b->axis_user[0], sin(half) * b->axis_user[1], sin(half) * b->axis_user[2]};
        if (b->joint == MYR_JOINT_FREE) myr_copy3(joint.position, at), myr_rotation_from_quaternion(joint.rotation, at + 3);
        if (b->joint == MYR_JOINT_BALL) myr_rotation_from_quaternion(joint.rotation, at);
        if (b->joint == MYR_JOINT_REVOLUTE) myr_rotation_from_quaternion(joint.rotation, turned);
        if (b->joint == MYR_JOINT_PRISMATIC)
            for (int k = 0; k < 3; k++) joint.position[k] = at[0] * b->axis_user[k];
        myr_copy3(place.position, b->position);
        memcpy(place.rotation, b->rotation, sizeof place.rotation);
        poses[i] = myr_pose_compose(&place, &joint);
        if (b->parent >= 0) poses[i] = myr_pose_compose(&poses[b->parent], &poses[i]);
    }
}

static void aligned_frames_are_the_same_robot(void **state) {
    (void)state;
    const random_tree tree = {.bodies = 14,
                              .trees = 2,
                              .floating = -1,
                              .joints =
                                  1u << MYR_JOINT_FIXED | 1u << MYR_JOINT_REVOLUTE | 1u << MYR_JOINT_PRISMATIC | 1u << MYR_JOINT_BALL};
    for (uint64_t seed = 1; seed <= 40; seed++) {
        myr_model *m = random_model(seed, &tree, 0);
        if (!m) fail_msg("%s", myr_message());
        double *q = calloc((size_t)m->nq + 2 * (size_t)m->nv, sizeof *q);
        myr_pose user[14], aligned[14];
        double identity[9], whole[9];
        myr_identity3(identity);
        random_source source = {seed};
        random_state(&source, m, 1.0, 1.0, q, q + m->nq, q + m->nq + m->nv);
        user_poses(m, q, user);
        myr_model_poses(m, q, aligned);
        for (int i = 0; i < m->n_bodies; i++) {
            scene_near(aligned[i].position, user[i].position, 3, 1e-12, "position");
            myr_multiply3(whole, aligned[i].rotation, m->bodies[i].align); /* user -> aligned -> world */
            scene_near(whole, user[i].rotation, 9, 1e-12, "rotation");
        }
        /* at q = 0 everything is parallel to the root */
        for (int i = 0; i < m->nq; i++) q[i] = 0.0;
        for (int i = 0; i < m->n_bodies; i++)
            if (m->bodies[i].nv > 1) q[m->bodies[i].q + m->bodies[i].nq - 4] = 1.0;
        myr_model_poses(m, q, aligned);
        for (int i = 0; i < m->n_bodies; i++) scene_near(aligned[i].rotation, identity, 9, 0.0, "aligned rotation at q = 0");
        for (int i = 0; i < m->n_bodies; i++)
            if (m->bodies[i].joint == MYR_JOINT_FREE) scene_near(m->bodies[i].align, identity, 9, 0.0, "align of a free root");
        free(q);
        myr_model_free(m);
    }
}

static void axes_are_classed_when_they_are_exact(void **state) {
    (void)state;
    const double s = sqrt(0.5);
    const struct {
        double quaternion[4], axis[3];
        myr_axis_class wanted;
        double sign;
    } cases[] = {
        {{1, 0, 0, 0}, {1, 0, 0}, MYR_AXIS_X, 1},       {{1, 0, 0, 0}, {0, -3, 0}, MYR_AXIS_Y, -1},
        {{1, 0, 0, 0}, {0, 0, 2}, MYR_AXIS_Z, 1},       {{s, 0, 0, s}, {1, 0, 0}, MYR_AXIS_Y, 1}, /* rounding of a quarter turn */
        {{s, s, 0, 0}, {0, 1, 0}, MYR_AXIS_Z, 1},       {{s, -s, 0, 0}, {0, 0, -1}, MYR_AXIS_Y, -1},
        {{1, 0, 0, 0}, {1, 1, 0}, MYR_AXIS_GENERAL, 1}, {{1, 0, 0, 0}, {1, 2e-12, 0}, MYR_AXIS_GENERAL, 1},
        {{1, 0, 0, 0}, {1, 0, 5e-13}, MYR_AXIS_X, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        myr_builder *builder = scene_builder();
        myr_body_def def = myr_body_def_default();
        def.name = "arm";
        def.joint = i % 2 ? MYR_JOINT_PRISMATIC : MYR_JOINT_REVOLUTE;
        memcpy(def.quaternion, cases[i].quaternion, sizeof def.quaternion);
        memcpy(def.axis, cases[i].axis, sizeof def.axis);
        assert_int_equal(myr_builder_body(builder, &def, NULL), MYR_OK);
        myr_model *m = scene_compile(builder);
        const myr_body *body = &m->bodies[0];
        assert_int_equal(body->axis_class, cases[i].wanted);
        assert_true(body->axis_sign == cases[i].sign);
        for (int k = 0; k < 3 && body->axis_class != MYR_AXIS_GENERAL; k++)
            assert_true(body->axis[k] == (k == (int)body->axis_class ? body->axis_sign : 0.0));
        scene_near(&(double){myr_dot3(body->axis, body->axis)}, &(double){1.0}, 1, 1e-15, "length of the axis");
        myr_model_free(m);
        myr_builder_free(builder);
    }
}

static void the_hash_is_of_what_moves(void **state) {
    (void)state;
    uint64_t hash[4];
    for (int variant = 0; variant < 4; variant++) {
        myr_builder *builder = scene_builder();
        scene_body(builder, variant == 1 ? "renamed" : "base", -1, MYR_JOINT_FREE, 0, 0, 0);
        scene_body(builder, "arm", 0, MYR_JOINT_REVOLUTE, 0, 0, variant == 2 ? 1.0 + 1e-15 : 1.0);
        if (variant == 3) builder->bodies[1].damping = 0.1;
        myr_model *m = scene_compile(builder);
        hash[variant] = myr_model_hash(m);
        myr_model_free(m);
        myr_builder_free(builder);
    }
    assert_true(hash[0] == hash[1]);
    assert_true(hash[0] != hash[2]);
    assert_true(hash[0] != hash[3]);
}

static void asking_answers(void **state) {
    (void)state;
    myr_builder *builder = scene_builder();
    scene_body(builder, "base", -1, MYR_JOINT_FREE, 0, 0, 0);
    scene_body(builder, "arm", 0, MYR_JOINT_REVOLUTE, 0, 0, 1);
    myr_geom_def ball = myr_geom_def_default();
    ball.body = 1;
    ball.size_m[0] = 0.25;
    assert_int_equal(myr_builder_geom(builder, &ball, NULL), MYR_OK);
    myr_model *m = scene_compile(builder);
    myr_model_info info;
    myr_joint_info joint;
    myr_model_get_info(m, &info);
    assert_string_equal(info.name, "scene");
    assert_true(info.nq == 8 && info.nv == 7 && info.nu == 1 && info.n_bodies == 2 && info.n_joints == 2 && info.mass_kg == 2.0);
    assert_int_equal(myr_model_get_joint(m, 1, &joint), MYR_OK);
    assert_string_equal(joint.name, "arm");
    assert_true(joint.parent == 0 && joint.q == 7 && joint.v == 6 && joint.u == 0 && joint.lower > joint.upper &&
                isinf(joint.effort_limit));
    assert_int_equal(myr_model_get_joint(m, 2, &joint), MYR_E_ARG);
    assert_int_equal(myr_model_get_joint(m, -1, &joint), MYR_E_ARG);
    assert_string_equal(myr_model_frame_name(m, 1), "arm");
    assert_null(myr_model_frame_name(m, 2));
    assert_null(myr_model_frame_name(m, -1));
    double home[8];
    const double standing[8] = {0, 0, -0.75, 1, 0, 0, 0, 0}; /* the ball 1 m up, of radius 0.25, just touches */
    myr_model_home(m, home);
    scene_near(home, standing, 8, 1e-15, "home");
    myr_model *shared = myr_model_retain(m);
    myr_model_free(m);
    assert_string_equal(shared->name, "scene");
    myr_model_free(shared);
    myr_builder_free(builder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_bodies_are_refused),
        cmocka_unit_test(wrong_geoms_and_frames_are_refused),
        cmocka_unit_test(nothing_that_moves_is_no_model),
        cmocka_unit_test(bodies_come_depth_first_in_order_of_calls),
        cmocka_unit_test(fixed_bodies_are_merged_with_their_inertia),
        cmocka_unit_test(what_is_fixed_to_the_world_stays_a_frame),
        cmocka_unit_test(aligned_frames_are_the_same_robot),
        cmocka_unit_test(axes_are_classed_when_they_are_exact),
        cmocka_unit_test(the_hash_is_of_what_moves),
        cmocka_unit_test(asking_answers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

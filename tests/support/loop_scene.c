#include "loop_scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "batch_scene.h"
#include "model/description.h"
#include "model_scene.h"
#include "random_model.h"
#include "reference/small.h"

enum { BODIES = 12 };

/* The tree, each body in its own way: random_tree would hide the builder. */
static void add_bodies(myr_builder *builder, random_source *source) {
    for (int i = 0; i < BODIES; i++) {
        static const myr_joint_type kinds[] = {MYR_JOINT_REVOLUTE, MYR_JOINT_REVOLUTE, MYR_JOINT_PRISMATIC, MYR_JOINT_BALL};
        myr_body_def def = myr_body_def_default();
        char name[16];
        snprintf(name, sizeof name, "body%d", i);
        def.name = name;
        def.parent = i < 2 ? -1 : random_below(source, i);
        def.joint = i == 0 ? MYR_JOINT_FREE : i < 4 ? MYR_JOINT_REVOLUTE : kinds[random_below(source, 4)];
        def.mass_kg = random_uniform(source, 0.5, 2);
        for (int k = 0; k < 3; k++) {
            def.position_m[k] = random_uniform(source, -0.4, 0.4);
            def.com_m[k] = random_uniform(source, -0.1, 0.1);
            def.axis[k] = random_uniform(source, -1, 1);
            def.inertia_kgm2[k] = random_uniform(source, 0.03, 0.05);
        }
        random_quaternion(source, def.quaternion);
        assert_int_equal(myr_builder_body(builder, &def, NULL), MYR_OK);
    }
}

static int id_of(const myr_model *model, int described) {
    char name[16];
    snprintf(name, sizeof name, "body%d", described);
    return described < 0 ? -1 : scene_joint(model, name);
}

/* The user frame of a body at the zero configuration: loops are made so that they close there. */
static myr_pose pose_of(const myr_model *model, int described) {
    myr_pose poses[BODIES], turned = myr_pose_identity();
    double q[8 * BODIES];
    if (described < 0) return turned;
    myr_model_home(model, q);
    myr_model_poses(model, q, poses);
    const int body = id_of(model, described);
    memcpy(turned.rotation, model->bodies[body].align, sizeof turned.rotation);
    return myr_pose_compose(&poses[body], &turned);
}

/* Dofs above one end and not above the other: what a loop of them can ask for. */
static int dofs_between(const myr_model *model, int a, int b) {
    int count = 0, ends[2] = {id_of(model, a), id_of(model, b)};
    while (ends[0] != ends[1]) {
        const int later = ends[1] > ends[0];
        count += model->bodies[ends[later]].nv;
        ends[later] = model->bodies[ends[later]].parent;
    }
    return count;
}

static void random_loop(random_source *source, const myr_model *tree, int first, myr_loop_type type, const char *name, myr_loop_def *def) {
    *def = myr_loop_def_default();
    def->name = name, def->type = type;
    do {
        def->body = random_below(source, BODIES);
        def->other = first ? random_below(source, BODIES + 1) - 1 : random_below(source, BODIES);
    } while (def->body == def->other || dofs_between(tree, def->body, def->other) < 7);
    for (int k = 0; k < 3; k++) def->position_m[k] = random_uniform(source, -0.2, 0.2), def->axis[k] = random_uniform(source, -1, 1);
    random_quaternion(source, def->quaternion);
    myr_pose frame = {.position = {0}}, one = pose_of(tree, def->body), other = pose_of(tree, def->other), back;
    myr_copy3(frame.position, def->position_m);
    myr_rotation_from_quaternion(frame.rotation, def->quaternion);
    frame = myr_pose_compose(&one, &frame);
    for (int k = 0; k < 3; k++) frame.position[k] -= other.position[k];
    memset(back.position, 0, sizeof back.position);
    myr_transpose3(back.rotation, other.rotation);
    frame = myr_pose_compose(&back, &frame);
    myr_copy3(def->other_position_m, frame.position);
    myr_quaternion_from_rotation(def->other_quaternion, frame.rotation);
}

loop_cast loop_cast_random(uint64_t seed) {
    loop_cast cast = {.n_loops = 2};
    random_source source = {seed};
    myr_builder *builder = scene_builder();
    add_bodies(builder, &source);
    myr_model *tree = scene_compile(builder);
    random_loop(&source, tree, 1, MYR_LOOP_BALL, "one", &cast.loops[0]);
    random_loop(&source, tree, 0, seed % 2 ? MYR_LOOP_REVOLUTE : MYR_LOOP_FIXED, "two", &cast.loops[1]);
    for (int k = 0; k < 2; k++) assert_int_equal(myr_builder_loop(builder, &cast.loops[k]), MYR_OK);
    cast.coupling = myr_coupling_def_default();
    cast.coupling.name = "three", cast.coupling.n = 2, cast.coupling.driver = 3;
    for (int k = 0; k < 2; k++) cast.coupling.joints[k] = 1 + k, cast.coupling.coefficients[k] = 1 - 0.4 * k;
    for (int k = 1; k < 5; k++) cast.coupling.polynomial[k] = random_uniform(&source, -0.3, 0.3);
    assert_int_equal(myr_builder_coupling(builder, &cast.coupling), MYR_OK);
    cast.model = scene_compile(builder);
    myr_model_free(tree);
    myr_builder_free(builder);
    return cast;
}

/* One end in the world: anchor, axes (columns), and J of the point `at` and of the turning. */
static void end_in_world(const loop_cast *cast, const reference_state *s, const myr_loop_def *def, int second, double x[3],
                         double axes[9]) {
    const int body = id_of(cast->model, second ? def->other : def->body);
    const double *position = second ? def->other_position_m : def->position_m;
    reference_quaternion_rotation(second ? def->other_quaternion : def->quaternion, axes);
    memcpy(x, position, 3 * sizeof *x);
    if (body < 0) return;
    double turned[9];
    memcpy(turned, axes, sizeof turned);
    mul33(s->bodies[body].rotation, turned, axes);
    mul3(s->bodies[body].rotation, position, x);
    for (int k = 0; k < 3; k++) x[k] += s->bodies[body].position[k];
}

static void add_end(const loop_cast *cast, const reference_state *s, int described, const double at[3], const double axis[3], int turning,
                    double scale, double *J) {
    const int body = id_of(cast->model, described), nv = cast->model->nv;
    if (body < 0) return;
    const reference_body *b = &s->bodies[body];
    double arm[3];
    for (int k = 0; k < 3; k++) arm[k] = at[k] - b->position[k];
    for (int c = 0; c < nv; c++) {
        const double spin[3] = {b->jacobian[3 * nv + c], b->jacobian[4 * nv + c], b->jacobian[5 * nv + c]};
        double moving[3];
        cross(spin, arm, moving);
        for (int k = 0; k < 3; k++) moving[k] += b->jacobian[k * nv + c];
        J[c] += scale * dot(axis, turning ? spin : moving);
    }
}

static void loop_rows(const loop_cast *cast, const reference_state *s, int k, double *J, double *open) {
    const myr_loop_def *def = &cast->loops[k];
    const myr_loop *loop = &cast->model->loops[k]; /* of it: along which axes the rows are taken, and their length */
    const int nv = cast->model->nv, swapped = loop->body[0] != id_of(cast->model, def->body);
    const double sign = swapped ? -1 : 1;
    double x[2][3], given[2][9], axes[9], relative[9], back[9], turn[3] = {0};
    assert_true(!swapped);
    for (int e = 0; e < 2; e++) end_in_world(cast, s, def, e, x[e], given[e]);
    double align[9];
    transpose(cast->model->bodies[loop->body[0]].align, align);
    mul33(align, loop->turn[0], relative);
    mul33(s->bodies[loop->body[0]].rotation, relative, axes);
    /* the turn of the one given frame against the other, world axes: of R = given0 given1' */
    transpose(given[1], back);
    mul33(given[0], back, relative);
    const double w = sqrt(fmax(0, 1 + relative[0] + relative[4] + relative[8])) / 2;
    const double vector[3] = {relative[7] - relative[5], relative[2] - relative[6], relative[3] - relative[1]};
    for (int i = 0; i < 3; i++) turn[i] = vector[i] / (2 * w); /* 2 sin(angle / 2) about its axis */
    if (def->type == MYR_LOOP_REVOLUTE) {
        double first[3], second[3], length = sqrt(dot(def->axis, def->axis)), unit[3];
        for (int i = 0; i < 3; i++) unit[i] = def->axis[i] / length;
        mul3(given[0], unit, first);
        mul3(given[1], unit, second);
        cross(second, first, turn);
        const double size = sqrt(dot(turn, turn)); /* beyond a right angle on to 2, at half a turn */
        for (int i = 0; i < 3 && dot(first, second) < 0; i++) turn[i] *= (2 - size) / size;
        for (int i = 0; i < 3; i++)
            if (fabs(axes[3 * i + 2] - first[i]) > 1e-9) fail_msg("loop %d: its third axis is not the joint's", k);
    }
    for (int row = 0; row < loop->n_rows; row++) {
        const double axis[3] = {axes[row % 3], axes[3 + row % 3], axes[6 + row % 3]}, scale = row < 3 ? 1 : loop->length;
        double *to = J + (loop->row + row) * nv, gap[3];
        for (int i = 0; i < 3; i++) gap[i] = row < 3 ? x[0][i] - x[1][i] : turn[i];
        open[loop->row + row] = sign * scale * dot(axis, gap);
        add_end(cast, s, def->body, x[1], axis, row >= 3, scale, to);
        add_end(cast, s, def->other, x[1], axis, row >= 3, -scale, to);
    }
}

void loop_cast_rows(const loop_cast *cast, const reference_state *s, const double *q, double *J, double *open) {
    const myr_model *m = cast->model;
    memset(J, 0, (size_t)(m->n_loop_rows * m->nv) * sizeof *J);
    for (int k = 0; k < cast->n_loops; k++) loop_rows(cast, s, k, J, open);
    const myr_coupling_def *def = &cast->coupling;
    const myr_loop *loop = &m->loops[cast->n_loops];
    const myr_body *driver = &m->bodies[id_of(m, def->driver)];
    double value = 0, slope = 0, power = 1;
    for (int k = 0; k < 5; k++) {
        value -= def->polynomial[k] * power;
        if (k) slope += k * def->polynomial[k] * pow(q[driver->q], k - 1);
        power *= q[driver->q];
    }
    for (int i = 0; i < def->n; i++) {
        const myr_body *b = &m->bodies[id_of(m, def->joints[i])];
        value += def->coefficients[i] * q[b->q];
        J[loop->row * m->nv + b->v] += loop->length * def->coefficients[i];
    }
    J[loop->row * m->nv + driver->v] -= loop->length * slope;
    open[loop->row] = loop->length * value;
}

void loop_cast_free(loop_cast *cast) {
    myr_model_free(cast->model);
    cast->model = NULL;
}

/* ---- mechanisms ----------------------------------------------------------------------------------- */

/* A rod along -z of its frame, hung on `parent` by `joint` at `at`; axis y for hinges. Returns its id. */
static int rod(myr_builder *builder, const char *name, int parent, myr_joint_type joint, double x, double z, double length) {
    myr_body_def def = myr_body_def_default();
    int id;
    def.name = name, def.parent = parent, def.joint = joint, def.mass_kg = 2 * length;
    def.position_m[0] = x, def.position_m[2] = z;
    def.axis[0] = 0, def.axis[1] = 1;
    def.com_m[2] = -length / 2;
    def.inertia_kgm2[0] = def.inertia_kgm2[1] = def.mass_kg * length * length / 12 + 1e-4, def.inertia_kgm2[2] = 1e-4;
    assert_int_equal(myr_builder_body(builder, &def, &id), MYR_OK);
    return id;
}

static void close_by(myr_builder *builder, const char *name, myr_loop_type type, int body, double z, int other, double x, double other_z) {
    myr_loop_def def = myr_loop_def_default();
    def.name = name, def.type = type, def.body = body, def.other = other;
    def.position_m[2] = z, def.other_position_m[0] = x, def.other_position_m[2] = other_z;
    def.axis[0] = 0, def.axis[1] = 1;
    assert_int_equal(myr_builder_loop(builder, &def), MYR_OK);
}

/* The bodies that hang on the world, turned about its origin. */
static void tilt(myr_builder *builder) {
    const double turned[4] = {0.8, 0.36, -0.48, 0};
    double turn[9];
    myr_rotation_from_quaternion(turn, turned);
    for (int i = 0; i < builder->n_bodies; i++) {
        myr_pose *pose = &builder->bodies[i].pose;
        if (builder->bodies[i].parent >= 0) continue;
        myr_rotate(pose->position, turn, pose->position);
        myr_multiply3(pose->rotation, turn, pose->rotation);
    }
}

myr_model *loop_four_bar(myr_loop_type type, int tilted) {
    myr_builder *builder = scene_builder();
    const int crank = rod(builder, "crank", -1, MYR_JOINT_REVOLUTE, 0, 0, 0.2);
    const int coupler = rod(builder, "coupler", crank, MYR_JOINT_REVOLUTE, 0, -0.2, 0.5);
    const int rocker = rod(builder, "rocker", -1, MYR_JOINT_REVOLUTE, 0.45, 0, 0.35);
    close_by(builder, "tip", type, coupler, -0.5, rocker, 0, -0.35);
    if (tilted) tilt(builder);
    myr_model *model = scene_compile(builder);
    myr_builder_free(builder);
    return model;
}

myr_model *loop_leg(void) {
    myr_builder *builder = scene_builder();
    const int roll = rod(builder, "hip-roll", -1, MYR_JOINT_REVOLUTE, 0, 0, 0.05);
    const int thigh = rod(builder, "thigh", roll, MYR_JOINT_REVOLUTE, 0, -0.05, 0.5);
    const int shin = rod(builder, "shin", thigh, MYR_JOINT_REVOLUTE, 0, -0.5, 0.45);
    const int tarsus = rod(builder, "tarsus", shin, MYR_JOINT_REVOLUTE, 0, -0.45, 0.4);
    const int achilles = rod(builder, "achilles", thigh, MYR_JOINT_BALL, 0.03, -0.1, 0.8);
    const int toe = rod(builder, "toe", tarsus, MYR_JOINT_REVOLUTE, 0, -0.4, 0.15);
    const int rod_of_toe = rod(builder, "toe-rod", shin, MYR_JOINT_BALL, 0.05, -0.4, 0.45);
    const int crank = rod(builder, "toe-crank", tarsus, MYR_JOINT_REVOLUTE, 0.05, 0, 0.06);
    builder->bodies[roll].axis[0] = 1, builder->bodies[roll].axis[1] = 0;
    close_by(builder, "heel", MYR_LOOP_BALL, achilles, -0.8, tarsus, -0.05, -0.02);
    close_by(builder, "sole", MYR_LOOP_BALL, rod_of_toe, -0.45, toe, 0.04, 0);
    (void)crank;
    myr_coupling_def def = myr_coupling_def_default();
    def.name = "crank", def.n = 1, def.joints[0] = crank, def.coefficients[0] = 1, def.driver = toe, def.polynomial[1] = -0.8;
    assert_int_equal(myr_builder_coupling(builder, &def), MYR_OK);
    myr_model *model = scene_compile(builder);
    myr_builder_free(builder);
    return model;
}

myr_model *loop_walker(void) {
    myr_builder *builder = scene_builder();
    int torso;
    myr_body_def def = myr_body_def_default();
    def.name = "torso", def.joint = MYR_JOINT_FREE, def.mass_kg = 5;
    for (int k = 0; k < 3; k++) def.inertia_kgm2[k] = 0.1;
    assert_int_equal(myr_builder_body(builder, &def, &torso), MYR_OK);
    for (int side = 0; side < 2; side++) { /* each leg a parallel crank with a shank below its coupler, and a foot */
        static const char *const names[2][4] = {{"crank0", "twin0", "coupler0", "tip0"}, {"crank1", "twin1", "coupler1", "tip1"}};
        const double y = side ? 0.2 : -0.2;
        const int crank = rod(builder, names[side][0], torso, MYR_JOINT_REVOLUTE, 0, 0, 0.3);
        const int twin = rod(builder, names[side][1], torso, MYR_JOINT_REVOLUTE, 0.1, 0, 0.3);
        const int shank = rod(builder, names[side][2], crank, MYR_JOINT_REVOLUTE, 0, -0.3, 0.3);
        builder->bodies[crank].pose.position[1] = builder->bodies[twin].pose.position[1] = y;
        builder->bodies[crank].lower = -0.3, builder->bodies[crank].upper = 0.3;
        builder->bodies[shank].dry_friction = 0.5;
        close_by(builder, names[side][3], side ? MYR_LOOP_REVOLUTE : MYR_LOOP_BALL, twin, -0.3, shank, 0.1, 0);
        for (int k = 0; k < 2; k++) {
            myr_geom_def ball = myr_geom_def_default();
            ball.body = shank, ball.size_m[0] = 0.03, ball.position_m[2] = -0.3, ball.position_m[0] = k ? 0.1 : -0.1;
            assert_int_equal(myr_builder_geom(builder, &ball, NULL), MYR_OK);
        }
    }
    myr_geom_def ball = myr_geom_def_default();
    ball.body = torso, ball.size_m[0] = 0.15;
    assert_int_equal(myr_builder_geom(builder, &ball, NULL), MYR_OK);
    myr_model *model = scene_compile(builder);
    myr_builder_free(builder);
    return model;
}

myr_model *loop_finger(void) {
    myr_builder *builder = scene_builder();
    int joints[4], last = -1;
    for (int k = 0; k < 4; k++) {
        static const char *const names[] = {"base", "middle", "tip", "slide"};
        last = joints[k] = rod(builder, names[k], last, k == 3 ? MYR_JOINT_PRISMATIC : MYR_JOINT_REVOLUTE, 0, k ? -0.05 : 0, 0.05);
    }
    myr_coupling_def mimic = myr_coupling_def_default(), tendon = myr_coupling_def_default();
    mimic.name = "mimic", mimic.n = 1, mimic.joints[0] = joints[1], mimic.coefficients[0] = 1, mimic.driver = joints[0];
    mimic.polynomial[0] = 0.1, mimic.polynomial[1] = 0.7, mimic.polynomial[3] = 0.2;
    tendon.name = "tendon", tendon.n = 3;
    for (int k = 0; k < 3; k++) tendon.joints[k] = joints[k + 1], tendon.coefficients[k] = k == 2 ? 1 : 0.02 - 0.03 * k;
    assert_int_equal(myr_builder_coupling(builder, &mimic), MYR_OK);
    assert_int_equal(myr_builder_coupling(builder, &tendon), MYR_OK);
    myr_model *model = scene_compile(builder);
    myr_builder_free(builder);
    return model;
}

myr_model *loop_truss(void) {
    myr_builder *builder = scene_builder();
    const int first = rod(builder, "first", -1, MYR_JOINT_REVOLUTE, 0, 0, 0.5),
              second = rod(builder, "second", first, MYR_JOINT_REVOLUTE, 0, -0.5, 0.5);
    builder->bodies[second].pose.rotation[0] = builder->bodies[second].pose.rotation[8] = -0.5; /* turned by 120 degrees about y */
    builder->bodies[second].pose.rotation[2] = -sqrt(0.75), builder->bodies[second].pose.rotation[6] = sqrt(0.75);
    builder->bodies[second].lower = -1e-5, builder->bodies[second].upper = 1e-5;
    builder->bodies[second].dry_friction = 0.3;
    const double turned[3] = {0.5 * sqrt(0.75), 0, -0.5 + 0.25}; /* where the second ends */
    close_by(builder, "foot", MYR_LOOP_BALL, second, -0.5, -1, turned[0], turned[2]);
    myr_model *model = scene_compile(builder);
    myr_builder_free(builder);
    return model;
}

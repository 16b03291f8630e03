#include "maximal_cast.h"

#include <math.h>
#include <string.h>

#include "batch_scene.h"

static void multiply(const double a[4], const double b[4], double out[4]) {
    const double x[4] = {a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3], a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
                         a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1], a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]};
    memcpy(out, x, sizeof x);
}
static void conjugate(const double a[4], double out[4]) {
    for (int k = 0; k < 4; k++) out[k] = k ? -a[k] : a[k];
}
static void turned(const double q[4], const double a[3], double out[3]) {
    const double pure[4] = {0, a[0], a[1], a[2]};
    double back[4], x[4];
    conjugate(q, back);
    multiply(q, pure, x);
    multiply(x, back, x);
    memcpy(out, x + 1, 3 * sizeof *out);
}
/* exp(r), of a rotation vector. */
static void exponential(const double r[3], double out[4]) {
    const double angle = sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]), k = angle > 1e-12 ? sin(angle / 2) / angle : 0.5;
    out[0] = cos(angle / 2);
    for (int i = 0; i < 3; i++) out[1 + i] = k * r[i];
}
static void logarithm(const double q[4], double out[3]) {
    const double sign = q[0] < 0 ? -1 : 1, s = sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    const double k = s > 1e-12 ? 2 * atan2(s, sign * q[0]) / s : 2;
    for (int i = 0; i < 3; i++) out[i] = sign * k * q[1 + i];
}

static double number(const json_t *object, const char *key, double otherwise) {
    const json_t *value = json_object_get(object, key);
    return value && json_is_number(value) ? json_number_value(value) : otherwise;
}
static void numbers(const json_t *list, double *out, int n) {
    assert_int_equal(json_array_size(list), n);
    for (int k = 0; k < n; k++) out[k] = json_number_value(json_array_get(list, (size_t)k));
}

static void body_def(const json_t *mechanism, int i, myr_body_def *def) {
    const json_t *rows = json_array_get(json_object_get(mechanism, "inertia_body_about_com"), (size_t)i);
    double J[3][3];
    for (int k = 0; k < 3; k++) numbers(json_array_get(rows, (size_t)k), J[k], 3);
    *def = myr_body_def_default();
    def->mass_kg = json_number_value(json_array_get(json_object_get(mechanism, "mass"), (size_t)i));
    const double six[6] = {J[0][0], J[1][1], J[2][2], J[0][1], J[0][2], J[1][2]};
    memcpy(def->inertia_kgm2, six, sizeof six);
}

static void add_loop(const maximal_cast *c, const json_t *joint, myr_builder *builder, const int *id) {
    double parent[3], child[3];
    myr_loop_def loop = myr_loop_def_default();
    const int other = (int)number(joint, "parent", -1), body = (int)number(joint, "child", -1);
    loop.name = "loop", loop.type = MYR_LOOP_REVOLUTE, loop.body = id[body], loop.other = other < 0 ? -1 : id[other];
    numbers(json_object_get(joint, "p_child"), child, 3);
    numbers(json_object_get(joint, "p_parent"), parent, 3);
    numbers(json_object_get(joint, "axis_child"), loop.axis, 3);
    for (int k = 0; k < 3; k++) loop.position_m[k] = child[k] - c->body[body].origin[k];
    for (int k = 0; k < 3; k++) loop.other_position_m[k] = parent[k] - (other < 0 ? 0 : c->body[other].origin[k]);
    MUST(myr_builder_loop(builder, &loop));
}

maximal_cast maximal_cast_of(const json_t *mechanism) {
    static const double free_origin[3] = {0.03, -0.02, 0.01}; /* not the centre of mass */
    maximal_cast c = {.n = (int)json_array_size(json_object_get(mechanism, "mass")), .dt = number(mechanism, "dt", 0)};
    const json_t *joints = json_object_get(mechanism, "joints"), *contacts = json_object_get(mechanism, "contacts");
    const json_t *carrier[MAXIMAL_BODIES] = {0};
    int id[MAXIMAL_BODIES];
    char name[MAXIMAL_BODIES][8];
    myr_builder *builder = NULL;
    assert_true(c.n <= MAXIMAL_BODIES);
    MUST(myr_builder_create("mechanism", &builder));
    for (size_t j = 0; j < json_array_size(joints); j++) {
        const json_t *joint = json_array_get(joints, j);
        if (!json_is_true(json_object_get(joint, "closes_loop"))) carrier[(int)number(joint, "child", 0)] = joint;
    }
    for (int i = 0; i < c.n; i++) {
        const json_t *joint = carrier[i];
        myr_body_def def;
        double upright[4] = {1, 0, 0, 0};
        body_def(mechanism, i, &def);
        snprintf(name[i], sizeof name[i], "b%d", i);
        def.name = name[i];
        c.body[i].parent = -1, c.body[i].kind = 'f', c.body[i].kp = c.body[i].kd = 0;
        memcpy(c.body[i].origin, free_origin, sizeof free_origin);
        memcpy(c.body[i].turn, upright, sizeof upright);
        def.joint = MYR_JOINT_FREE, def.parent = -1;
        if (joint) {
            const char *kind = json_string_value(json_object_get(joint, "kind"));
            const json_t *motor = json_object_get(joint, "motor");
            const int parent = c.body[i].parent = (int)number(joint, "parent", -1);
            def.parent = parent < 0 ? -1 : id[parent];
            c.body[i].kind = kind[0] == 'b' ? 'b' : kind[0] == 'p' ? 's' : kind[0] == 'r' ? 'h' : 'r';
            def.joint = c.body[i].kind == 'b'   ? MYR_JOINT_BALL
                        : c.body[i].kind == 's' ? MYR_JOINT_PRISMATIC
                        : c.body[i].kind == 'h' ? MYR_JOINT_REVOLUTE
                                                : MYR_JOINT_FIXED;
            numbers(json_object_get(joint, "p_parent"), c.body[i].at, 3);
            numbers(json_object_get(joint, "p_child"), c.body[i].origin, 3);
            numbers(json_object_get(joint, "axis_child"), c.body[i].axis, 3);
            numbers(json_object_get(joint, "q_offset"), c.body[i].turn, 4);
            c.body[i].kp = number(motor, "kp", 0), c.body[i].kd = number(motor, "kd", 0), c.body[i].target = number(motor, "target", 0);
            def.damping = number(motor, "damping", 0), def.armature = number(motor, "armature", 0);
            for (int k = 0; k < 3; k++) def.position_m[k] = c.body[i].at[k] - (parent < 0 ? 0 : c.body[parent].origin[k]);
            memcpy(def.quaternion, c.body[i].turn, sizeof def.quaternion);
            memcpy(def.axis, c.body[i].axis, sizeof def.axis);
        }
        for (int k = 0; k < 3; k++) def.com_m[k] = -c.body[i].origin[k];
        MUST(myr_builder_body(builder, &def, &id[i]));
    }
    for (size_t k = 0; k < json_array_size(contacts); k++) {
        const json_t *contact = json_array_get(contacts, k);
        const int body = (int)number(contact, "body", 0);
        const double radius = number(contact, "radius", 0);
        myr_geom_def geom = myr_geom_def_default();
        geom.body = id[body], geom.type = MYR_GEOM_SPHERE, geom.friction = number(contact, "mu", 0), geom.size_m[0] = fmax(radius, 1e-12);
        numbers(json_object_get(contact, "p"), geom.position_m, 3);
        for (int a = 0; a < 3; a++) geom.position_m[a] -= c.body[body].origin[a];
        MUST(myr_builder_geom(builder, &geom, NULL));
    }
    for (size_t j = 0; j < json_array_size(joints); j++)
        if (json_is_true(json_object_get(json_array_get(joints, j), "closes_loop"))) add_loop(&c, json_array_get(joints, j), builder, id);
    MUST(myr_builder_compile(builder, &c.model));
    myr_builder_free(builder);
    myr_model_info info;
    myr_model_get_info(c.model, &info);
    c.n_q = info.nq, c.n_v = info.nv;
    for (int j = 0; j < info.n_joints; j++) {
        myr_joint_info joint;
        MUST(myr_model_get_joint(c.model, j, &joint));
        for (int i = 0; i < c.n; i++)
            if (!strcmp(name[i], joint.body)) c.body[i].q = joint.q, c.body[i].v = joint.v, c.body[i].u = joint.u;
    }
    return c;
}

void maximal_cast_free(maximal_cast *cast) { myr_model_free(cast->model); }

maximal_pose maximal_pose_of(const json_t *state, int n) {
    maximal_pose pose = {0};
    for (int i = 0; i < n; i++) {
        numbers(json_array_get(json_object_get(state, "x"), (size_t)i), pose.x[i], 3);
        numbers(json_array_get(json_object_get(state, "q"), (size_t)i), pose.q[i], 4);
        numbers(json_array_get(json_object_get(state, "v"), (size_t)i), pose.v[i], 3);
        numbers(json_array_get(json_object_get(state, "w"), (size_t)i), pose.w[i], 3);
    }
    return pose;
}

/* Coordinates of the joint of body i. */
static void joint_position(const maximal_cast *c, const maximal_pose *pose, int i, double *q) {
    const int parent = c->body[i].parent;
    double relative[4], apart[3], other[3];
    static const double none[3], upright[4] = {1, 0, 0, 0};
    const double *Q = parent < 0 ? upright : pose->q[parent], *X = parent < 0 ? none : pose->x[parent];
    turned(pose->q[i], c->body[i].origin, apart);
    for (int k = 0; k < 3; k++) apart[k] += pose->x[i][k];
    if (c->body[i].kind == 'f') {
        memcpy(q, apart, sizeof apart);
        memcpy(q + 3, pose->q[i], 4 * sizeof *q);
        return;
    }
    double frame[4], back[4];
    multiply(Q, c->body[i].turn, frame);
    conjugate(frame, back);
    multiply(back, pose->q[i], relative);
    if (c->body[i].kind == 'b') memcpy(q, relative, sizeof relative);
    const double *u = c->body[i].axis;
    if (c->body[i].kind == 'h') q[0] = 2 * atan2(u[0] * relative[1] + u[1] * relative[2] + u[2] * relative[3], relative[0]);
    if (c->body[i].kind == 's') {
        turned(Q, c->body[i].at, other);
        for (int k = 0; k < 3; k++) apart[k] -= X[k] + other[k];
        turned(back, apart, other);
        q[0] = u[0] * other[0] + u[1] * other[1] + u[2] * other[2];
    }
}

static void turn_rate(const double before[4], const double now[4], double dt, double *rate) {
    double back[4], turn[4];
    conjugate(before, back);
    multiply(back, now, turn);
    logarithm(turn, rate);
    for (int k = 0; k < 3; k++) rate[k] /= dt;
}

void maximal_to_joints(const maximal_cast *c, const maximal_pose *pose, double *q, double *v) {
    maximal_pose before = *pose;
    double q1[7];
    for (int i = 0; i < c->n; i++) {
        double w2 = 0, back[4];
        for (int k = 0; k < 3; k++) {
            before.x[i][k] -= c->dt * pose->v[i][k];
            back[1 + k] = -c->dt / 2 * pose->w[i][k], w2 += back[1 + k] * back[1 + k];
        }
        back[0] = sqrt(1 - w2);
        multiply(pose->q[i], back, before.q[i]);
    }
    for (int i = 0; i < c->n; i++) {
        const char kind = c->body[i].kind;
        double *to = q + c->body[i].q, *rate = v + c->body[i].v;
        if (kind == 'r') continue;
        joint_position(c, pose, i, to);
        joint_position(c, &before, i, q1);
        if (kind == 'f') {
            for (int k = 0; k < 3; k++) rate[k] = (to[k] - q1[k]) / c->dt;
            turn_rate(q1 + 3, to + 3, c->dt, rate + 3);
        } else if (kind == 'b') {
            turn_rate(q1, to, c->dt, rate);
        } else {
            rate[0] = (kind == 'h' ? remainder(to[0] - q1[0], 2 * M_PI) : to[0] - q1[0]) / c->dt;
        }
    }
}

static maximal_pose places(const maximal_cast *c, const double *q) {
    maximal_pose pose = {0};
    for (int i = 0; i < c->n; i++) {
        const int parent = c->body[i].parent;
        const double *at = q + c->body[i].q, *u = c->body[i].axis;
        double origin[3], lever[3], joint[4] = {1, 0, 0, 0};
        if (c->body[i].kind == 'f') {
            memcpy(origin, at, sizeof origin);
            memcpy(pose.q[i], at + 3, sizeof pose.q[i]);
        } else {
            static const double none[3], upright[4] = {1, 0, 0, 0};
            const double *Q = parent < 0 ? upright : pose.q[parent], *X = parent < 0 ? none : pose.x[parent];
            double frame[4], slide[3];
            const double turn[3] = {u[0] * at[0], u[1] * at[0], u[2] * at[0]};
            multiply(Q, c->body[i].turn, frame);
            turned(Q, c->body[i].at, origin);
            turned(frame, turn, slide);
            for (int k = 0; k < 3; k++) origin[k] += X[k] + (c->body[i].kind == 's' ? slide[k] : 0);
            if (c->body[i].kind == 'h') exponential(turn, joint);
            if (c->body[i].kind == 'b') memcpy(joint, at, sizeof joint);
            multiply(frame, joint, pose.q[i]);
        }
        turned(pose.q[i], c->body[i].origin, lever);
        for (int k = 0; k < 3; k++) pose.x[i][k] = origin[k] - lever[k];
    }
    return pose;
}

maximal_pose maximal_from_joints(const maximal_cast *c, const double *before, const double *now) {
    const maximal_pose old = places(c, before);
    maximal_pose pose = places(c, now);
    for (int i = 0; i < c->n; i++) {
        double back[4], turn[4];
        conjugate(old.q[i], back);
        multiply(back, pose.q[i], turn);
        for (int k = 0; k < 3; k++) {
            pose.v[i][k] = (pose.x[i][k] - old.x[i][k]) / c->dt;
            pose.w[i][k] = 2 / c->dt * (turn[0] < 0 ? -turn[1 + k] : turn[1 + k]);
        }
    }
    return pose;
}

void maximal_advance(const maximal_cast *c, const double *q, const double *v, double *out) {
    for (int i = 0; i < c->n; i++) {
        const double *from = q + c->body[i].q, *rate = v + c->body[i].v;
        double *to = out + c->body[i].q;
        const char kind = c->body[i].kind;
        if (kind == 'h' || kind == 's') to[0] = from[0] + c->dt * rate[0];
        if (kind != 'f' && kind != 'b') continue;
        for (int k = 0; k < 3 && kind == 'f'; k++) to[k] = from[k] + c->dt * rate[k];
        if (kind == 'f') from += 3, to += 3, rate += 3;
        const double turn[3] = {c->dt * rate[0], c->dt * rate[1], c->dt * rate[2]};
        double step[4];
        exponential(turn, step);
        multiply(from, step, to);
    }
}

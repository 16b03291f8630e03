#include "maximal_cast.h"

#include <math.h>
#include <stdio.h>
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

static myr_body_def body_def(const maximal_body *body) {
    const double *J = body->inertia, six[6] = {J[0], J[4], J[8], J[1], J[2], J[5]};
    myr_body_def def = myr_body_def_default();
    def.mass_kg = body->mass;
    memcpy(def.inertia_kgm2, six, sizeof six);
    return def;
}

static void add_loop(const maximal_cast *c, const maximal_joint *joint, myr_builder *builder, const int *id) {
    myr_loop_def loop = myr_loop_def_default();
    const int other = joint->parent;
    loop.name = "loop", loop.type = MYR_LOOP_REVOLUTE, loop.body = id[joint->child], loop.other = other < 0 ? -1 : id[other];
    memcpy(loop.axis, joint->axis, sizeof loop.axis);
    for (int k = 0; k < 3; k++) loop.position_m[k] = joint->p_child[k] - c->body[joint->child].origin[k];
    for (int k = 0; k < 3; k++) loop.other_position_m[k] = joint->p_parent[k] - (other < 0 ? 0 : c->body[other].origin[k]);
    MUST(myr_builder_loop(builder, &loop));
}

static char kind_of(const maximal_joint *joint) {
    return joint->kind == MAXIMAL_BALL ? 'b' : joint->kind == MAXIMAL_PRISMATIC ? 's' : joint->kind == MAXIMAL_REVOLUTE ? 'h' : 'r';
}

/* Body i with the joint that carries it, which is NULL where it is free. */
static void add_carried(maximal_cast *c, const maximal *m, int i, const maximal_joint *joint, const char *name, myr_builder *builder,
                        int *id) {
    static const double free_origin[3] = {0.03, -0.02, 0.01}; /* not the centre of mass */
    myr_body_def def = body_def(&m->bodies[i]);
    def.name = name, def.joint = MYR_JOINT_FREE, def.parent = -1;
    c->body[i].parent = -1, c->body[i].kind = 'f', c->body[i].turn[0] = 1, c->body[i].u = -1;
    memcpy(c->body[i].origin, free_origin, sizeof free_origin);
    if (joint) {
        const int parent = c->body[i].parent = joint->parent;
        const char kind = c->body[i].kind = kind_of(joint);
        def.parent = parent < 0 ? -1 : id[parent];
        def.joint = kind == 'b' ? MYR_JOINT_BALL : kind == 's' ? MYR_JOINT_PRISMATIC : kind == 'h' ? MYR_JOINT_REVOLUTE : MYR_JOINT_FIXED;
        memcpy(c->body[i].at, joint->p_parent, sizeof joint->p_parent);
        memcpy(c->body[i].origin, joint->p_child, sizeof joint->p_child);
        memcpy(c->body[i].axis, joint->axis, sizeof joint->axis);
        memcpy(c->body[i].turn, joint->q_offset, sizeof joint->q_offset);
        if (joint->driven) c->body[i].motor = joint->motor, def.damping = joint->motor.damping, def.armature = joint->motor.armature;
        for (int k = 0; k < 3; k++) def.position_m[k] = c->body[i].at[k] - (parent < 0 ? 0 : c->body[parent].origin[k]);
        memcpy(def.quaternion, c->body[i].turn, sizeof def.quaternion);
        memcpy(def.axis, c->body[i].axis, sizeof def.axis);
    }
    for (int k = 0; k < 3; k++) def.com_m[k] = -c->body[i].origin[k];
    MUST(myr_builder_body(builder, &def, &id[i]));
}

static void add_ball(const maximal_cast *c, const maximal_contact *contact, myr_builder *builder, const int *id) {
    myr_geom_def geom = myr_geom_def_default();
    geom.body = id[contact->body], geom.type = MYR_GEOM_SPHERE, geom.friction = contact->mu, geom.size_m[0] = fmax(contact->radius, 1e-12);
    for (int a = 0; a < 3; a++) geom.position_m[a] = contact->p[a] - c->body[contact->body].origin[a];
    MUST(myr_builder_geom(builder, &geom, NULL));
}

maximal_cast maximal_cast_of(const maximal *m) {
    maximal_cast c = {.n = m->n_bodies, .dt = m->dt};
    const maximal_joint *carrier[MAXIMAL_BODIES] = {0};
    int id[MAXIMAL_BODIES];
    char name[MAXIMAL_BODIES][8];
    myr_builder *builder = NULL;
    assert_true(c.n <= MAXIMAL_BODIES);
    memcpy(c.gravity, m->gravity, sizeof c.gravity);
    MUST(myr_builder_create("mechanism", &builder));
    for (int j = m->n_joints - 1; j >= 0; j--) carrier[m->joints[j].child] = &m->joints[j];
    for (int i = 0; i < c.n; i++) {
        snprintf(name[i], sizeof name[i], "b%d", i);
        add_carried(&c, m, i, carrier[i], name[i], builder, id);
    }
    for (int k = 0; k < m->n_contacts; k++) add_ball(&c, &m->contacts[k], builder, id);
    for (int j = 0; j < m->n_joints; j++)
        if (carrier[m->joints[j].child] != &m->joints[j]) add_loop(&c, &m->joints[j], builder, id);
    MUST(myr_builder_compile(builder, &c.model));
    myr_builder_free(builder);
    myr_model_info info;
    myr_model_get_info(c.model, &info);
    c.n_q = info.nq, c.n_v = info.nv, c.n_u = info.nu;
    for (int j = 0; j < info.n_joints; j++) {
        myr_joint_info joint;
        MUST(myr_model_get_joint(c.model, j, &joint));
        for (int i = 0; i < c.n; i++)
            if (!strcmp(name[i], joint.body)) c.body[i].id = j, c.body[i].q = joint.q, c.body[i].v = joint.v, c.body[i].u = joint.u;
    }
    return c;
}

void maximal_cast_free(maximal_cast *cast) { myr_model_free(cast->model); }

myr_batch *maximal_cast_batch(const maximal_cast *c, int64_t envs, const myr_settings *settings) {
    enum { DRIVES = 4 };
    static const myr_field fields[DRIVES] = {MYR_KP, MYR_KD, MYR_TARGET, MYR_TORQUE};
    myr_batch *batch = NULL;
    double drive[DRIVES][6 * MAXIMAL_BODIES] = {{0}};
    myr_settings own = *settings;
    own.dt_s = c->dt;
    MUST(myr_batch_create(c->model, envs, &own, &batch));
    for (int i = 0; i < c->n; i++) {
        if (c->body[i].kind != 'h' && c->body[i].kind != 's') continue;
        const maximal_motor *motor = &c->body[i].motor;
        const double values[DRIVES] = {motor->kp, motor->kd, motor->target, motor->effort};
        for (int f = 0; f < DRIVES; f++) drive[f][c->body[i].u] = values[f];
    }
    for (int64_t env = 0; env < envs; env++) {
        for (int f = 0; f < DRIVES && c->n_u; f++) MUST(myr_batch_set(batch, fields[f], &env, 1, MYR_F64, drive[f]));
        MUST(myr_batch_set(batch, MYR_GRAVITY, &env, 1, MYR_F64, c->gravity));
    }
    return batch;
}

void maximal_cast_push(const maximal_cast *c, const maximal_pose *pose, int i, const double force[3], const double torque[3],
                       myr_batch *batch, int64_t env) {
    double wrench[6 * MAXIMAL_BODIES] = {0}, r[3], *at = wrench + 6 * c->body[i].id;
    turned(pose->q[i], c->body[i].origin, r);
    turned(pose->q[i], torque, at + 3);
    for (int k = 0; k < 3; k++) at[k] = force[k], at[3 + k] -= r[(k + 1) % 3] * force[(k + 2) % 3] - r[(k + 2) % 3] * force[(k + 1) % 3];
    MUST(myr_batch_set(batch, MYR_WRENCH, &env, 1, MYR_F64, wrench));
}

maximal_pose maximal_pose_of(const maximal *m) {
    maximal_pose pose = {0};
    for (int i = 0; i < m->n_bodies; i++) {
        const maximal_body *b = &m->bodies[i];
        memcpy(pose.x[i], b->x, sizeof b->x);
        memcpy(pose.q[i], b->q, sizeof b->q);
        memcpy(pose.v[i], b->v, sizeof b->v);
        memcpy(pose.w[i], b->w, sizeof b->w);
    }
    return pose;
}

void maximal_put(maximal *m, const maximal_pose *pose) {
    for (int i = 0; i < m->n_bodies; i++) {
        maximal_body *b = &m->bodies[i];
        memcpy(b->x, pose->x[i], sizeof b->x);
        memcpy(b->q, pose->q[i], sizeof b->q);
        memcpy(b->v, pose->v[i], sizeof b->v);
        memcpy(b->w, pose->w[i], sizeof b->w);
    }
}

static double worst_of(const double *a, const double *b, int n) {
    double worst = 0;
    for (int k = 0; k < n; k++) worst = fmax(worst, isfinite(a[k]) ? fabs(a[k] - b[k]) : INFINITY);
    return worst;
}
static double quaternion_apart(const double a[4], const double b[4]) {
    double other[4];
    for (int k = 0; k < 4; k++) other[k] = -b[k];
    return fmin(worst_of(a, b, 4), worst_of(a, other, 4));
}

void maximal_apart(const maximal_pose *a, const maximal_pose *b, int n, double *place, double *speed) {
    *place = *speed = 0;
    for (int i = 0; i < n; i++) {
        *place = fmax(*place, fmax(worst_of(a->x[i], b->x[i], 3), quaternion_apart(a->q[i], b->q[i])));
        *speed = fmax(*speed, fmax(worst_of(a->v[i], b->v[i], 3), worst_of(a->w[i], b->w[i], 3)));
    }
}

double maximal_speed(const maximal_pose *a, int n) {
    static const double still[3];
    double speed = 0;
    for (int i = 0; i < n; i++) speed = fmax(speed, fmax(worst_of(a->v[i], still, 3), worst_of(a->w[i], still, 3)));
    return speed;
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

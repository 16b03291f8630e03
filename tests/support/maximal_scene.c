#include "maximal_scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "reference/small.h"

void expect_below(const char *what, double value, double limit) {
    if (!(value <= limit)) fail_msg("%s: %.3g, not below %.3g", what, value, limit);
}

int add_body(maximal_scene *s, double mass, const double inertia[3], double x, double y, double z) {
    s->body[s->bodies] = (maximal_body){.mass = mass, .x = {x, y, z}, .q = {1, 0, 0, 0}};
    for (int k = 0; k < 3; k++) s->body[s->bodies].inertia[4 * k] = inertia[k];
    return s->bodies++;
}

maximal_joint *add_joint(maximal_scene *s, maximal_kind kind, int parent, int child, const double p_parent[3], const double p_child[3]) {
    maximal_joint *joint = &s->joint[s->joints++];
    *joint = (maximal_joint){.kind = kind, .parent = parent, .child = child, .axis = {1, 0, 0}, .q_offset = {1, 0, 0, 0}};
    memcpy(joint->p_parent, p_parent, sizeof joint->p_parent);
    memcpy(joint->p_child, p_child, sizeof joint->p_child);
    return joint;
}

void add_contact(maximal_scene *s, int body, double x, double y, double z, double mu) {
    s->contact[s->contacts++] = (maximal_contact){.body = body, .p = {x, y, z}, .mu = mu};
}

maximal *open_scene(const maximal_scene *s, double dt) {
    maximal *m = maximal_open(s->bodies, s->body, s->joints, s->joint, s->contacts, s->contact);
    assert_non_null(m);
    m->dt = dt;
    return m;
}

void must_step(maximal *m, double tolerance) {
    const maximal_end end = maximal_step(m, tolerance);
    if (!(end.residual < 100 * tolerance)) fail_msg("a step ends at %.3g after %d iterations", end.residual, end.iterations);
}

const double maximal_rod[3] = {0.084, 0.084, 0.002};

void put_pendulum(maximal_scene *s, int links, maximal_kind kind) {
    for (int i = 0; i < links; i++) {
        const int body = add_body(s, 1, maximal_rod, 0, 0, -0.5 - i);
        add_joint(s, kind, i ? i - 1 : -1, body, i ? (double[3]){0, 0, -0.5} : (double[3]){0, 0, 0}, (double[3]){0, 0, 0.5});
    }
}

void put_chain(maximal_scene *s, int links) {
    double end[3] = {0, 0, 1.5};
    for (int i = 0; i < links; i++) {
        const double angle = 1.2 + 0.4 * sin(i), way[3] = {0, sin(angle), -cos(angle)};
        const int body = add_body(s, 1, maximal_rod, end[0], end[1] + 0.5 * way[1], end[2] + 0.5 * way[2]);
        s->body[body].q[0] = cos(angle / 2), s->body[body].q[1] = sin(angle / 2);
        for (int k = 0; k < 3; k++) end[k] += way[k];
        s->body[body].v[0] = 0.5;
        if (i) add_joint(s, MAXIMAL_BALL, i - 1, body, (double[3]){0, 0, -0.5}, (double[3]){0, 0, 0.5});
        if (i == 0) add_contact(s, body, 0, 0, 0.5, 0.3);
        add_contact(s, body, 0, 0, -0.5, 0.3);
    }
}

void put_fourbar(maximal_scene *s, maximal_kind closing, int floating) {
    const double from[4][2] = {{0, 0}, {-0.3, 0.9539392014169456}, {0.7, 0.9539392014169456}, {1, 0}};
    const int bars = floating ? 4 : 3;
    for (int i = 0; i < bars; i++) {
        const double *a = from[i], *b = from[(i + 1) % 4];
        const double angle = atan2(b[0] - a[0], b[1] - a[1]); /* about y, from z */
        const int body = add_body(s, 1, maximal_rod, 0.5 * (a[0] + b[0]), 0, 0.5 * (a[1] + b[1]));
        s->body[body].q[0] = cos(angle / 2), s->body[body].q[2] = sin(angle / 2);
        if (i || !floating)
            add_joint(s, MAXIMAL_REVOLUTE, i ? body - 1 : -1, body, i ? (double[3]){0, 0, 0.5} : (double[3]){0, 0, 0},
                      (double[3]){0, 0, -0.5});
    }
    add_joint(s, closing, floating ? 0 : -1, bars - 1, floating ? (double[3]){0, 0, -0.5} : (double[3]){1, 0, 0}, (double[3]){0, 0, 0.5});
    for (int j = 0; j < s->joints; j++) memcpy(s->joint[j].axis, (double[3]){0, 1, 0}, sizeof s->joint[j].axis);
    if (closing == MAXIMAL_REVOLUTE) { /* zero angle as they stand */
        maximal_joint *joint = &s->joint[s->joints - 1];
        const double *q = s->body[joint->child].q, *p = floating ? s->body[0].q : (double[4]){1, 0, 0, 0};
        joint->q_offset[0] = p[0] * q[0] + p[2] * q[2], joint->q_offset[2] = p[0] * q[2] - p[2] * q[0];
    }
}

static void turn(const double r[4], double q[4]) {
    const double p[4] = {q[0], q[1], q[2], q[3]};
    q[0] = r[0] * p[0] - r[1] * p[1] - r[2] * p[2] - r[3] * p[3], q[1] = r[0] * p[1] + r[1] * p[0] + r[2] * p[3] - r[3] * p[2];
    q[2] = r[0] * p[2] - r[1] * p[3] + r[2] * p[0] + r[3] * p[1], q[3] = r[0] * p[3] + r[1] * p[2] - r[2] * p[1] + r[3] * p[0];
}

void tilt_scene(maximal_scene *s) {
    pose z;
    maximal_body by = {.q = {0.9, 0.3, 0.1, 0.2}};
    pose_of_body(&by, &z);
    for (int i = 0; i < s->bodies; i++) {
        double x[3];
        mul3(z.R, s->body[i].x, x);
        memcpy(s->body[i].x, x, sizeof x);
        turn(z.q, s->body[i].q);
    }
    for (int j = 0; j < s->joints; j++) {
        if (s->joint[j].parent >= 0) continue;
        double p[3];
        mul3(z.R, s->joint[j].p_parent, p);
        memcpy(s->joint[j].p_parent, p, sizeof p);
        turn(z.q, s->joint[j].q_offset);
    }
}

void put_all_kinds(maximal_scene *s) {
    static const maximal_kind kinds[] = {MAXIMAL_FIXED, MAXIMAL_BALL, MAXIMAL_REVOLUTE, MAXIMAL_PRISMATIC, MAXIMAL_REVOLUTE};
    for (int i = 0; i < 6; i++) add_body(s, 1 + 0.3 * i, (double[3]){0.02 + 0.01 * i, 0.03, 0.04}, 0, 0, 1);
    for (int j = 0; j < 5; j++) {
        const int parent = j < 3 ? 5 : j - 3, child = j;
        maximal_joint *joint = add_joint(s, kinds[j], parent, child, (double[3]){0.1, 0.05 * j, -0.2}, (double[3]){0, 0.1, 0.15});
        const double angle = 0.3 * (j + 1);
        memcpy(joint->axis, (double[3]){0.6, 0, 0.8}, sizeof joint->axis);
        joint->q_offset[0] = cos(angle / 2), joint->q_offset[2] = sin(angle / 2);
        joint->driven = kinds[j] == MAXIMAL_REVOLUTE || kinds[j] == MAXIMAL_PRISMATIC;
        joint->motor = (maximal_motor){.kp = 40, .kd = 3, .damping = 0.2, .armature = 0.05, .target = 0.1 * j, .effort = 0.7};
    }
    for (int c = 0; c < 3; c++) add_contact(s, 2 * c, 0.1, -0.1 * c, -0.2, 0.4), s->contact[c].radius = 0.02;
    for (int i = 0; i < 6; i++) /* nothing fits: g != 0, as in the midst of Newton's method */
        for (int k = 0; k < 3; k++) {
            s->body[i].v[k] = 0.4 * sin(3 * i + k), s->body[i].w[k] = 3 * cos(2 * i + 5 * k);
            s->body[i].q[1 + k] = 0.2 * sin(7 * i + 2 * k), s->body[i].x[k] += 0.2 * cos(4 * i + k);
        }
}

#include "maximal_robots.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

static void rotate(const double q[4], const double p[3], double out[3]) {
    const double t[3] = {2 * (q[2] * p[2] - q[3] * p[1]), 2 * (q[3] * p[0] - q[1] * p[2]), 2 * (q[1] * p[1] - q[2] * p[0])};
    out[0] = p[0] + q[0] * t[0] + q[2] * t[2] - q[3] * t[1];
    out[1] = p[1] + q[0] * t[1] + q[3] * t[0] - q[1] * t[2];
    out[2] = p[2] + q[0] * t[2] + q[1] * t[1] - q[2] * t[0];
}

static void product(const double a[4], const double b[4], double out[4]) {
    out[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
    out[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
    out[2] = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
    out[3] = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
}

/* Along z. */
static maximal_body cylinder(double mass, double radius, double length) {
    const double across = mass * (3 * radius * radius + length * length) / 12, along = 0.5 * mass * radius * radius;
    return (maximal_body){.mass = mass, .inertia = {across, 0, 0, 0, across, 0, 0, 0, along}, .q = {1, 0, 0, 0}};
}

/* Fig. 4. Where it starts is not said: flat, 5 cm above the ground, sliding and spinning. */
maximal *paper_disc(int contacts) {
    maximal_body body = cylinder(1, 0.5, 0.1);
    maximal_contact *contact = calloc((size_t)contacts, sizeof *contact);
    if (!contact) return NULL;
    body.x[2] = 0.1, body.v[0] = 1, body.v[1] = 0.5, body.w[2] = 1;
    for (int c = 0; c < contacts; c++) {
        const double angle = 2 * PI * c / contacts;
        contact[c] = (maximal_contact){.body = 0, .p = {0.5 * cos(angle), 0.5 * sin(angle), -0.05}, .mu = 0.2};
    }
    maximal *m = maximal_open(1, &body, 0, NULL, contacts, contact);
    free(contact);
    if (m) m->dt = 0.01;
    return m;
}

/* Fig. 5. Where it starts is not said: links at right angles to each other in a plane 10 cm above the ground, sliding. */
maximal *paper_chain(int links) {
    maximal_body *body = calloc((size_t)links, sizeof *body);
    maximal_joint *joint = calloc((size_t)links, sizeof *joint);
    maximal_contact *contact = calloc((size_t)links + 1, sizeof *contact);
    maximal *m = NULL;
    if (body && joint && contact) {
        const double half = sqrt(0.5), start[2][4] = {{half, half, 0, 0}, {0.5, 0.5, 0.5, 0.5}}; /* lower end towards y, and away from x */
        double end[3] = {0, 0, 0.1};
        for (int i = 0; i < links; i++) {
            double lower[3];
            body[i] = cylinder(1, 0.05, 1);
            memcpy(body[i].q, start[i % 2], sizeof body[i].q);
            rotate(body[i].q, (double[3]){0, 0, -0.5}, lower);
            for (int k = 0; k < 3; k++) body[i].x[k] = end[k] + lower[k], end[k] += 2 * lower[k];
            body[i].v[0] = 1, body[i].v[1] = 0.5;
            if (i)
                joint[i - 1] = (maximal_joint){.kind = MAXIMAL_BALL,
                                               .parent = i - 1,
                                               .child = i,
                                               .p_parent = {0, 0, -0.5},
                                               .p_child = {0, 0, 0.5},
                                               .axis = {1, 0, 0},
                                               .q_offset = {1, 0, 0, 0}};
            contact[i] = (maximal_contact){.body = i, .p = {0, 0, -0.5}, .mu = 0.2};
        }
        contact[links] = (maximal_contact){.body = 0, .p = {0, 0, 0.5}, .mu = 0.2};
        m = maximal_open(links, body, links - 1, joint, links + 1, contact);
        if (m) m->dt = 0.01;
    }
    free(body);
    free(joint);
    free(contact);
    return m;
}

/* ---- Fig. 6 ----------------------------------------------------------------------------------------------------------- */

maximal *paper_hopper(double head_mass) {
    const double J = 0.4 * head_mass * 0.01;
    maximal_body body[2] = {{.mass = head_mass, .inertia = {J, 0, 0, 0, J, 0, 0, 0, J}, .q = {1, 0, 0, 0}}, cylinder(0.2, 0.05, 0.8)};
    const maximal_joint joint = {
        .kind = MAXIMAL_PRISMATIC, .parent = 0, .child = 1, .axis = {0, 0, 1}, .q_offset = {1, 0, 0, 0}, .driven = 1};
    const maximal_contact contact = {.body = 1, .p = {0, 0, -0.4}, .mu = 0.2};
    body[0].x[2] = body[1].x[2] = 0.4;
    return maximal_open(2, body, 1, &joint, 1, &contact);
}

/* The authors' example: the leg is thrown down until it has risen by 1 cm, and one blow of torque turns the whole; nothing acts from step
 * 300 to 800; then leg and head are held. The text names torques in three dimensions and no numbers. */
void hopper_drive(maximal *m, hopper_control *control, int k) {
    double value, rate, force = 0;
    maximal_body *head = &m->bodies[0];
    maximal_coordinate(m, 0, &value, &rate);
    memset(head->torque, 0, sizeof head->torque);
    if (k < 300) {
        force = -300 * value - 10 * rate;
        if (!control->jumped && m->bodies[1].x[2] - 0.4 < 0.01) {
            force -= 125;
        } else if (!control->jumped) {
            control->jumped = 1;
            head->torque[0] = head->torque[1] = 120 * sqrt(0.5);
        }
    } else if (k > 800) {
        const double *q = head->q, side = q[0] < 0 ? -1 : 1, sine = sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
        const double scale = sine > 1e-12 ? 2 * side * atan2(sine, side * q[0]) / sine : 2 * side; /* of Vec(q): the shorter way back */
        force = -200 * value - 10 * rate;
        for (int i = 0; i < 2; i++) head->torque[i] = -10 * scale * q[1 + i] - 0.5 * head->w[i];
    }
    m->joints[0].motor.effort = force;
}

/* ---- Figs. 7, 8 --------------------------------------------------------------------------------------------------------- */

/* Unitree A1 as its maker published it, with centres of mass and inertias in the axes of the links: right legs, left ones mirror them in y;
 * hips also mirror in x behind. Order of legs: front right, front left, rear right, rear left. */
static const double trunk_com[3] = {0.012731, 0.002186, 0.000515};
static const double hip_com[3] = {-0.003311, -0.000635, 0.000031}, thigh_com[3] = {-0.003237, 0.022327, -0.027326};
static const double calf_com[3] = {0.006435, 0, -0.107388};

static maximal_body link(double mass, double xx, double xy, double xz, double yy, double yz, double zz) {
    return (maximal_body){.mass = mass, .inertia = {xx, xy, xz, xy, yy, yz, xz, yz, zz}, .q = {1, 0, 0, 0}};
}

static void mirror(maximal_body *body, double com[3], int axis) {
    com[axis] = -com[axis];
    for (int k = 0; k < 3; k++)
        if (k != axis) body->inertia[3 * k + axis] *= -1, body->inertia[3 * axis + k] *= -1;
}

/* Joint angles at the start: authors' example, where a walk of theirs has been. */
static const double first_angles[LEGS][3] = {{0, 0.9378205336153784, -1.9767045221686401},
                                             {0, 0.8411651545116884, -1.9583154751653324},
                                             {0, 0.8265886839172527, -2.0094918578851146},
                                             {0, 0.9294618666565416, -2.026072700146945}};

static void place_child(const maximal_body *parent, maximal_body *child, const maximal_joint *joint, double angle) {
    double turn[4] = {cos(angle / 2), 0, 0, 0}, at[3], lever[3];
    for (int k = 0; k < 3; k++) turn[1 + k] = sin(angle / 2) * joint->axis[k];
    product(parent->q, turn, child->q);
    rotate(parent->q, joint->p_parent, at);
    rotate(child->q, joint->p_child, lever);
    for (int k = 0; k < 3; k++) child->x[k] = parent->x[k] + at[k] - lever[k];
}

maximal *paper_quadruped(void) {
    maximal_body body[1 + 3 * LEGS] = {link(4.713, 0.01683993, 8.3902e-5, 5.97679e-4, 0.056579028, 2.5134e-5, 0.064713601)};
    maximal_joint joint[3 * LEGS];
    maximal_contact contact[LEGS];
    const double start[3] = {-0.007044513654001689, 0.0028495585299927887, 0.21575955182909478};
    const double turn[3] = {0.00102226, -0.0247454, 0.00297319}, angle = sqrt(turn[0] * turn[0] + turn[1] * turn[1] + turn[2] * turn[2]);
    body[0].q[0] = cos(angle / 2);
    for (int k = 0; k < 3; k++) body[0].q[1 + k] = sin(angle / 2) * turn[k] / angle;
    rotate(body[0].q, trunk_com, body[0].x);
    for (int k = 0; k < 3; k++) body[0].x[k] += start[k];
    for (int leg = 0; leg < LEGS; leg++) {
        const double side = leg % 2 ? 1 : -1, front = leg < 2 ? 1 : -1;
        maximal_body part[3] = {link(0.696, 4.69246e-4, 9.409e-6, -3.42e-7, 8.0749e-4, 4.66e-7, 5.52929e-4),
                                link(1.013, 5.529065e-3, -4.825e-6, 3.43869e-4, 5.139339e-3, -2.2448e-5, 1.367788e-3),
                                link(0.166, 2.997972e-3, 0, -1.41163e-4, 3.014022e-3, 0, 3.2426e-5)};
        double com[4][3];
        const double origin[3][3] = {{0.183 * front, 0.047 * side, 0}, {0, 0.08505 * side, 0}, {0, 0, -0.2}};
        memcpy(com[0], trunk_com, sizeof com[0]);
        memcpy(com[1], hip_com, sizeof com[1]);
        memcpy(com[2], thigh_com, sizeof com[2]);
        memcpy(com[3], calf_com, sizeof com[3]);
        for (int k = 0; k < 3 && side > 0; k++) mirror(&part[k], com[1 + k], 1);
        if (front < 0) mirror(&part[0], com[1], 0);
        for (int k = 0; k < 3; k++) {
            const int child = 1 + 3 * leg + k, parent = k ? child - 1 : 0;
            maximal_joint *j = &joint[3 * leg + k];
            *j = (maximal_joint){.kind = MAXIMAL_REVOLUTE, .parent = parent, .child = child, .q_offset = {1, 0, 0, 0}, .driven = 1};
            j->axis[k ? 1 : 0] = 1;
            for (int x = 0; x < 3; x++) j->p_parent[x] = origin[k][x] - com[k][x], j->p_child[x] = -com[1 + k][x];
            body[child] = part[k];
            place_child(&body[parent], &body[child], j, first_angles[leg][k]);
        }
        contact[leg] = (maximal_contact){.body = 3 + 3 * leg, .p = {0, 0, -0.1}, .mu = 0.2};
    }
    return maximal_open(1 + 3 * LEGS, body, 3 * LEGS, joint, LEGS, contact);
}

/* PD to the authors' gait: diagonal pairs half a period apart, one period per second. */
void quadruped_drive(maximal *m, int k) {
    static const double gain[3] = {100, 80, 60}, damping[3] = {5, 4, 3};
    for (int leg = 0; leg < LEGS; leg++) {
        const double phase = 2 * PI * 0.001 * k + (leg == 1 || leg == 2 ? PI : 0);
        const double target[3] = {0, 0.95 * (0.1 * cos(phase) + 0.9), -1.9 - 0.1 * sin(phase)};
        for (int i = 0; i < 3; i++) {
            double value, rate;
            maximal_coordinate(m, 3 * leg + i, &value, &rate);
            m->joints[3 * leg + i].motor.effort = gain[i] * (target[i] - value) - damping[i] * rate;
        }
    }
}

void quadruped_leg(const maximal *m, int leg, double points[LEG_POINTS][3]) {
    for (int k = 0; k < LEG_POINTS; k++) {
        const maximal_body *b = &m->bodies[k < 3 ? 1 + 3 * leg + k : 3 + 3 * leg];
        rotate(b->q, k < 3 ? m->joints[3 * leg + k].p_child : m->contacts[leg].p, points[k]);
        for (int x = 0; x < 3; x++) points[k][x] += b->x[x];
    }
}

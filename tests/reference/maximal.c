/* Bodies in maximal coordinates: memory, poses, momenta of an interval, energy. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "maximal_parts.h"
#include "small.h"

static void quaternion_product(const double a[4], const double b[4], double out[4]) {
    out[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
    out[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
    out[2] = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
    out[3] = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
}

static void quaternion_matrix(const double q[4], double R[9]) {
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    const double out[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                           2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                           2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
    memcpy(R, out, sizeof out);
}

static void normalize(double q[4]) {
    const double n = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int k = 0; k < 4; k++) q[k] /= n;
}

void pose_of_body(const maximal_body *body, pose *z) {
    memcpy(z->x, body->x, sizeof z->x);
    memcpy(z->q, body->q, sizeof z->q);
    normalize(z->q);
    quaternion_matrix(z->q, z->R);
}

/* Brüdigam 2021 (9), where (9b) lacks the vector part: w = 2/dt Vec(q2* q3). So q3 = q2 (sqrt(1 - |dt w/2|^2), dt w/2), and w has a limit.
 */
int pose_after(const pose *z2, const double velocity[6], double dt, pose *z3) {
    double turn[4] = {0, 0.5 * dt * velocity[3], 0.5 * dt * velocity[4], 0.5 * dt * velocity[5]};
    const double square = dot(turn + 1, turn + 1);
    if (!(square < 1)) return 0;
    turn[0] = sqrt(1 - square);
    for (int k = 0; k < 3; k++) z3->x[k] = z2->x[k] + dt * velocity[k];
    quaternion_product(z2->q, turn, z3->q);
    normalize(z3->q); /* rounding alone: over 1e5 steps it would grow */
    quaternion_matrix(z3->q, z3->R);
    return 1;
}

/* Rotational momentum of an interval of constant w, in the body's axes at its beginning and at its end: what (11) compares at the knot
 * between two intervals. Both are the same vector of the world. */
void interval_momenta(const double inertia[9], const double w[3], double dt, double at_start[3], double at_end[3]) {
    double eta[3], momentum[3], turned[3];
    for (int k = 0; k < 3; k++) eta[k] = 0.5 * dt * w[k];
    const double s = sqrt(1 - dot(eta, eta));
    mul3(inertia, w, momentum);
    cross(eta, momentum, turned);
    for (int k = 0; k < 3; k++) {
        at_start[k] = s * momentum[k] + turned[k];
        at_end[k] = s * momentum[k] - turned[k];
    }
}

static void *take(maximal_workspace *work, size_t count, size_t size) {
    void *memory = calloc(count ? count : 1, size);
    work->memory[work->n_memory++] = memory;
    return memory;
}

static int take_iterate(maximal_workspace *work, iterate *at, size_t bodies, size_t joints, size_t contacts) {
    at->body = take(work, bodies, sizeof *at->body);
    at->joint = take(work, joints, sizeof *at->joint);
    at->contact = take(work, contacts, sizeof *at->contact);
    at->z3 = take(work, bodies, sizeof *at->z3);
    at->body_residual = take(work, bodies, sizeof *at->body_residual);
    at->joint_residual = take(work, joints, sizeof *at->joint_residual);
    at->contact_residual = take(work, contacts, sizeof *at->contact_residual);
    return at->body && at->joint && at->contact && at->z3 && at->body_residual && at->joint_residual && at->contact_residual;
}

static int take_workspace(maximal *m) {
    maximal_workspace *work = m->work;
    const size_t bodies = (size_t)m->n_bodies, joints = (size_t)m->n_joints, contacts = (size_t)m->n_contacts;
    int all = take_iterate(work, &work->now, bodies, joints, contacts) && take_iterate(work, &work->trial, bodies, joints, contacts);
    all = (work->body_step = take(work, bodies, sizeof *work->body_step)) && all;
    all = (work->joint_step = take(work, joints, sizeof *work->joint_step)) && all;
    all = (work->contact_step = take(work, contacts, sizeof *work->contact_step)) && all;
    all = (work->contacts = take(work, contacts, sizeof *work->contacts)) && all;
    all = (work->z2 = take(work, bodies, sizeof *work->z2)) && all;
    all = (work->turn = take(work, bodies, sizeof *work->turn)) && all;
    all = (work->before = take(work, bodies, sizeof *work->before)) && all;
    all = (work->rows2 = take(work, joints, sizeof *work->rows2)) && all;
    all = (work->coordinate2 = take(work, joints, sizeof *work->coordinate2)) && all;
    all = (work->across = take(work, joints, sizeof *work->across)) && all;
    all = (work->rhs = take(work, 6 * (bodies + joints), sizeof *work->rhs)) && all;
    return all;
}

/* Two unit vectors across the axis, and the axis; how q_offset turns them. */
static void axes_of_joint(maximal_joint *joint, joint_axes *axes) {
    normalize(joint->q_offset);
    quaternion_matrix(joint->q_offset, axes->offset);
    const double *u = joint->axis;
    int least = 0;
    for (int k = 1; k < 3; k++)
        if (fabs(u[k]) < fabs(u[least])) least = k;
    double first[3] = {0, 0, 0}, second[3];
    for (int k = 0; k < 3; k++) first[k] = (k == least) - u[least] * u[k];
    const double length = sqrt(dot(first, first));
    for (int k = 0; k < 3; k++) first[k] /= length;
    cross(u, first, second);
    for (int k = 0; k < 3; k++) axes->child[0][k] = first[k], axes->child[1][k] = second[k], axes->child[2][k] = u[k];
    for (int k = 0; k < 3; k++) mul3(axes->offset, axes->child[k], axes->parent[k]);
}

static int bad_index(const maximal *m) {
    for (int j = 0; j < m->n_joints; j++) {
        const maximal_joint *joint = &m->joints[j];
        if (joint->parent < -1 || joint->parent >= m->n_bodies || joint->child < 0 || joint->child >= m->n_bodies) return 1;
        if (joint->parent == joint->child) return 1;
        if (joint->driven && joint->kind != MAXIMAL_REVOLUTE && joint->kind != MAXIMAL_PRISMATIC) return 1;
    }
    for (int c = 0; c < m->n_contacts; c++)
        if (m->contacts[c].body < 0 || m->contacts[c].body >= m->n_bodies) return 1;
    return 0;
}

maximal *maximal_open(int n_bodies, const maximal_body *bodies, int n_joints, const maximal_joint *joints, int n_contacts,
                      const maximal_contact *contacts) {
    maximal *m = calloc(1, sizeof *m);
    if (!m) return NULL;
    *m = (maximal){.dt = 1e-3, .gravity = {0, 0, -9.81}, .cone = MAXIMAL_LINEAR};
    m->n_bodies = n_bodies, m->n_joints = n_joints, m->n_contacts = n_contacts;
    m->work = calloc(1, sizeof *m->work);
    if (m->work) {
        m->bodies = take(m->work, (size_t)n_bodies, sizeof *m->bodies);
        m->joints = take(m->work, (size_t)n_joints, sizeof *m->joints);
        m->contacts = take(m->work, (size_t)n_contacts, sizeof *m->contacts);
    }
    if (!m->work || !m->bodies || !m->joints || !m->contacts || !take_workspace(m)) {
        maximal_close(m);
        return NULL;
    }
    if (n_bodies) memcpy(m->bodies, bodies, (size_t)n_bodies * sizeof *bodies);
    if (n_joints) memcpy(m->joints, joints, (size_t)n_joints * sizeof *joints);
    if (n_contacts) memcpy(m->contacts, contacts, (size_t)n_contacts * sizeof *contacts);
    if (bad_index(m) || !ldu_open(&m->work->factor, m)) {
        maximal_close(m);
        return NULL;
    }
    m->fill_ins = 2 * m->work->factor.fill_ins;
    m->blocks = m->work->factor.n_nodes + 2 * m->work->factor.n_edges;
    for (int j = 0; j < n_joints; j++) axes_of_joint(&m->joints[j], &m->work->across[j]);
    return m;
}

void maximal_close(maximal *m) {
    if (!m) return;
    if (m->work) {
        ldu_close(&m->work->factor);
        for (int k = 0; k < m->work->n_memory; k++) free(m->work->memory[k]);
        free(m->work);
    }
    free(m);
}

double maximal_energy(const maximal *m) {
    double energy = 0;
    for (int i = 0; i < m->n_bodies; i++) {
        const maximal_body *b = &m->bodies[i];
        double momentum[3];
        mul3(b->inertia, b->w, momentum);
        energy += 0.5 * b->mass * dot(b->v, b->v) + 0.5 * dot(b->w, momentum) - b->mass * dot(m->gravity, b->x);
    }
    return energy;
}

double maximal_gap(const maximal *m) {
    double gap = 0;
    for (int i = 0; i < m->n_bodies; i++) pose_of_body(&m->bodies[i], &m->work->trial.z3[i]);
    for (int j = 0; j < m->n_joints; j++) {
        joint_row rows[6];
        const int n = joint_rows(m, j, m->work->trial.z3, rows);
        for (int k = 0; k < n; k++) gap = fmax(gap, fabs(rows[k].value));
    }
    return gap;
}

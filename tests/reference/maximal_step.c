/* One step: the interior point of Brüdigam 2021 III-C on (24). All contacts' unknowns start at 1, mu at 1; mu falls by a factor of 10 while
 * what is left of (26) is below it. A step goes 0.995 of the way to the boundary at most and is halved until less is left. */
#include <math.h>
#include <string.h>

#include "maximal_parts.h"
#include "small.h"

enum { MOST_ITERATIONS = 200, MOST_HALVINGS = 25 };

static void subtract_impulse(const double row[6], double impulse, double out[6]) {
    for (int k = 0; k < 6; k++) out[k] -= row[k] * impulse;
}

/* All that z2 and z1dot determine. */
void maximal_begin(maximal *m) {
    maximal_workspace *work = m->work;
    for (int j = 0; j < m->n_joints; j++)
        if (m->joints[j].driven) maximal_coordinate(m, j, &work->coordinate2[j][0], &work->coordinate2[j][1]);
    for (int i = 0; i < m->n_bodies; i++) {
        const maximal_body *body = &m->bodies[i];
        double at_start[3], at_end[3];
        pose_of_body(body, &work->z2[i]);
        interval_momenta(body->inertia, body->w, m->dt, at_start, at_end);
        for (int k = 0; k < 3; k++) {
            work->before[i][k] = body->mass * body->v[k] + m->dt * (body->mass * m->gravity[k] + body->force[k]);
            work->before[i][3 + k] = at_end[k] + m->dt * body->torque[k];
            work->now.body[i][k] = body->v[k], work->now.body[i][3 + k] = body->w[k];
        }
    }
    for (int j = 0; j < m->n_joints; j++) {
        const int n = joint_rows(m, j, work->z2, work->rows2[j]);
        if (m->joints[j].driven) joint_coordinate(m, j, work->z2, &work->rows2[j][n]);
        memset(work->now.joint[j], 0, sizeof work->now.joint[j]);
    }
    for (int c = 0; c < m->n_contacts; c++) {
        contact_begin(m, c);
        work->now.contact[c] = contact_start(m, c);
    }
}

static int with_contacts(const maximal *m) { return m->n_contacts > 0 && m->cone != MAXIMAL_NONE; }

/* (24a): the unconstrained part of (12a), then the impulses of joints and contacts, which act at z2. */
static void dynamics_residual(const maximal *m, iterate *at) {
    const maximal_workspace *work = m->work;
    for (int i = 0; i < m->n_bodies; i++) {
        double at_start[3], at_end[3], *d = at->body_residual[i];
        interval_momenta(m->bodies[i].inertia, at->body[i] + 3, m->dt, at_start, at_end);
        for (int k = 0; k < 3; k++) {
            d[k] = m->bodies[i].mass * at->body[i][k] - work->before[i][k];
            d[3 + k] = at_start[k] - work->before[i][3 + k];
        }
    }
    for (int j = 0; j < m->n_joints; j++) {
        const maximal_joint *joint = &m->joints[j];
        const int n = joint_size(joint);
        for (int k = 0; k < n; k++) {
            const joint_row *row = &work->rows2[j][k];
            if (joint->parent >= 0) subtract_impulse(row->parent, at->joint[j][k], at->body_residual[joint->parent]);
            subtract_impulse(row->child, at->joint[j][k], at->body_residual[joint->child]);
        }
    }
    for (int c = 0; with_contacts(m) && c < m->n_contacts; c++) {
        double impulse[3];
        contact_impulse(m, c, &at->contact[c], impulse);
        for (int k = 0; k < 3; k++) subtract_impulse(work->contacts[c].C[k], impulse[k], at->body_residual[m->contacts[c].body]);
    }
}

/* (24b), of velocity's units: a gap of z3 over dt. */
static void joint_residuals(const maximal *m, iterate *at) {
    for (int j = 0; j < m->n_joints; j++) {
        joint_row rows[6];
        const int n = joint_rows(m, j, at->z3, rows);
        for (int k = 0; k < n; k++) at->joint_residual[j][k] = rows[k].value / m->dt;
        if (m->joints[j].driven) {
            joint_coordinate(m, j, at->z3, &rows[n]);
            at->joint_residual[j][n] = joint_motor_residual(m, j, rows[n].value, at->joint[j][n]);
        }
    }
}

/* phi(z3), (14) with its normal. */
static double distance_of(const maximal *m, int c, const pose *z) {
    const maximal_contact *contact = &m->contacts[c];
    const pose *at = &z[contact->body];
    return at->x[2] + dot(at->R + 6, contact->p) - contact->radius;
}

int maximal_residual(const maximal *m, iterate *at) {
    at->squares = 0;
    for (int i = 0; i < m->n_bodies; i++)
        if (!pose_after(&m->work->z2[i], at->body[i], m->dt, &at->z3[i])) return 0;
    dynamics_residual(m, at);
    joint_residuals(m, at);
    for (int i = 0; i < m->n_bodies; i++)
        for (int k = 0; k < 6; k++) at->squares += at->body_residual[i][k] * at->body_residual[i][k];
    for (int j = 0; j < m->n_joints; j++)
        for (int k = 0; k < joint_size(&m->joints[j]); k++) at->squares += at->joint_residual[j][k] * at->joint_residual[j][k];
    for (int c = 0; with_contacts(m) && c < m->n_contacts; c++) {
        const double *v = at->body[m->contacts[c].body];
        double velocity[3] = {0, 0, distance_of(m, c, at->z3) / m->dt};
        for (int k = 0; k < 2; k++)
            for (int i = 0; i < 6; i++) velocity[k] += m->work->contacts[c].C[k][i] * v[i];
        at->contact_residual[c] = contact_law(m, c, &at->contact[c], velocity, &at->squares);
    }
    return isfinite(at->squares);
}

double maximal_norm(const maximal *m, const iterate *at, double mu) {
    double squares = at->squares;
    for (int c = 0; with_contacts(m) && c < m->n_contacts; c++) squares += contact_products(m, c, &at->contact_residual[c], mu);
    return sqrt(squares);
}

/* ---- Newton's system ------------------------------------------------------------------------------------------------ */

/* Derivative by w of the body-axes rotation of z3, over dt; and of the momentum at the interval's beginning. */
static void turn_of_velocity(const double w[3], double dt, double turn[9]) {
    const double eta[3] = {0.5 * dt * w[0], 0.5 * dt * w[1], 0.5 * dt * w[2]}, s = sqrt(1 - dot(eta, eta));
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) turn[3 * i + k] = (i == k) * s + eta[i] * eta[k] / s;
    turn[1] += eta[2], turn[2] -= eta[1], turn[3] -= eta[2], turn[5] += eta[0], turn[6] += eta[1], turn[7] -= eta[0];
}

static void body_pivot(const maximal_body *body, const double w[3], double dt, double pivot[36]) {
    const double eta[3] = {0.5 * dt * w[0], 0.5 * dt * w[1], 0.5 * dt * w[2]}, s = sqrt(1 - dot(eta, eta)), *J = body->inertia;
    double momentum[3];
    mul3(J, w, momentum);
    memset(pivot, 0, 36 * sizeof *pivot);
    for (int i = 0; i < 3; i++) {
        const int after = (i + 1) % 3, last = (i + 2) % 3;
        pivot[7 * i] = body->mass;
        double *row = pivot + 6 * (3 + i) + 3;
        for (int k = 0; k < 3; k++)
            row[k] = s * J[3 * i + k] - 0.5 * dt * momentum[i] * eta[k] / s + eta[after] * J[3 * last + k] - eta[last] * J[3 * after + k];
        row[after] += 0.5 * dt * momentum[last];
        row[last] -= 0.5 * dt * momentum[after];
    }
}

static double *block_of(ldu *f, int row, int column) {
    return row < column ? ldu_between(f, row, column)->upper : ldu_between(f, column, row)->lower;
}

/* -H(z2)' and G(z3) of (12) between a joint and one of its bodies; G by (v, w). */
static void joint_blocks(maximal *m, int j, int of_child, const joint_row rows3[6], const double turn[9]) {
    ldu *f = &m->work->factor;
    const maximal_joint *joint = &m->joints[j];
    const int body = of_child ? joint->child : joint->parent, n = joint_size(joint);
    double *G = block_of(f, f->of_joint[j], f->of_body[body]), *H = block_of(f, f->of_body[body], f->of_joint[j]);
    for (int r = 0; r < n; r++) {
        const double scale = joint->driven && r == n - 1 ? joint_motor_slope(m, j) : 1;
        const double *act = of_child ? m->work->rows2[j][r].child : m->work->rows2[j][r].parent;
        const double *by = of_child ? rows3[r].child : rows3[r].parent;
        for (int k = 0; k < 3; k++) {
            G[6 * r + k] = scale * by[k];
            G[6 * r + 3 + k] = scale * (by[3] * turn[k] + by[4] * turn[3 + k] + by[5] * turn[6 + k]);
        }
        for (int k = 0; k < 6; k++) H[6 * k + r] = -act[k];
    }
}

/* D + C'K V and the right side's k0: the contact is gone from the system. */
static void contact_block(maximal *m, int c, double mu) {
    static const double still[3] = {0, 0, 0};
    maximal_workspace *work = m->work;
    const int node = work->factor.of_body[m->contacts[c].body];
    double *pivot = work->factor.nodes[node].pivot, *rhs = work->rhs + 6 * node, K[9], impulse[3];
    contact_unknown *u = &work->now.contact[c], k0 = contact_direction(m, c, u, &work->now.contact_residual[c], mu, still);
    contact_stiffness(m, c, u, K);
    contact_impulse(m, c, &k0, impulse);
    for (int a = 0; a < 3; a++) {
        const double *act = work->contacts[c].C[a];
        for (int k = 0; k < 6; k++) {
            double by = 0;
            for (int b = 0; b < 3; b++) by += K[3 * a + b] * work->contacts[c].V[b][k];
            for (int i = 0; i < 6; i++) pivot[6 * i + k] += act[i] * by;
            rhs[k] += act[k] * impulse[a];
        }
    }
}

void maximal_blocks(maximal *m, double mu) {
    maximal_workspace *work = m->work;
    ldu *f = &work->factor;
    const iterate *at = &work->now;
    for (int e = 0; e < f->n_edges; e++) {
        memset(f->edges[e].upper, 0, sizeof f->edges[e].upper);
        memset(f->edges[e].lower, 0, sizeof f->edges[e].lower);
    }
    for (int i = 0; i < m->n_bodies; i++) {
        const int node = f->of_body[i];
        body_pivot(&m->bodies[i], at->body[i] + 3, m->dt, f->nodes[node].pivot);
        turn_of_velocity(at->body[i] + 3, m->dt, work->turn[i]);
        for (int k = 0; k < 6; k++) work->rhs[6 * node + k] = -at->body_residual[i][k];
    }
    for (int j = 0; j < m->n_joints; j++) {
        const maximal_joint *joint = &m->joints[j];
        const int node = f->of_joint[j], n = joint_size(joint);
        joint_row rows[6];
        const int held = joint_rows(m, j, at->z3, rows);
        if (joint->driven) joint_coordinate(m, j, at->z3, &rows[held]);
        memset(f->nodes[node].pivot, 0, sizeof f->nodes[node].pivot);
        if (joint->driven) f->nodes[node].pivot[7 * (n - 1)] = -1;
        if (joint->parent >= 0) joint_blocks(m, j, 0, rows, work->turn[joint->parent]);
        joint_blocks(m, j, 1, rows, work->turn[joint->child]);
        for (int k = 0; k < 6; k++) work->rhs[6 * node + k] = k < n ? -at->joint_residual[j][k] : 0;
    }
    for (int c = 0; with_contacts(m) && c < m->n_contacts; c++) {
        const int body = m->contacts[c].body;
        contact_at(m, c, &at->z3[body], work->turn[body]);
        contact_block(m, c, mu);
    }
}

int maximal_direction(maximal *m, double mu) {
    maximal_workspace *work = m->work;
    ldu *f = &work->factor;
    maximal_blocks(m, mu);
    if (!ldu_factor(f)) return 0;
    ldu_solve(f, work->rhs);
    for (int i = 0; i < m->n_bodies; i++) memcpy(work->body_step[i], work->rhs + 6 * f->of_body[i], sizeof work->body_step[i]);
    for (int j = 0; j < m->n_joints; j++) memcpy(work->joint_step[j], work->rhs + 6 * f->of_joint[j], sizeof work->joint_step[j]);
    for (int c = 0; with_contacts(m) && c < m->n_contacts; c++) {
        const double *by = work->body_step[m->contacts[c].body];
        double velocity[3] = {0, 0, 0};
        for (int k = 0; k < 3; k++)
            for (int i = 0; i < 6; i++) velocity[k] += work->contacts[c].V[k][i] * by[i];
        work->contact_step[c] = contact_direction(m, c, &work->now.contact[c], &work->now.contact_residual[c], mu, velocity);
    }
    return 1;
}

/* ---- the interior point --------------------------------------------------------------------------------------------- */

/* trial = now + length * step; 0 outside of the domain. */
static int try_step(maximal *m, double length) {
    const maximal_workspace *work = m->work;
    const iterate *now = &work->now;
    iterate *trial = &m->work->trial;
    for (int i = 0; i < m->n_bodies; i++)
        for (int k = 0; k < 6; k++) trial->body[i][k] = now->body[i][k] + length * work->body_step[i][k];
    for (int j = 0; j < m->n_joints; j++)
        for (int k = 0; k < 6; k++) trial->joint[j][k] = now->joint[j][k] + length * work->joint_step[j][k];
    for (int c = 0; with_contacts(m) && c < m->n_contacts; c++) {
        const contact_unknown *u = &now->contact[c], *step = &work->contact_step[c];
        contact_unknown *to = &trial->contact[c];
        to->gamma = u->gamma + length * step->gamma, to->s = u->s + length * step->s;
        for (int k = 0; k < 5; k++) to->a[k] = u->a[k] + length * step->a[k], to->b[k] = u->b[k] + length * step->b[k];
        if (!contact_inside(m, c, to)) return 0;
    }
    return maximal_residual(m, trial);
}

static double first_length(const maximal *m) {
    double room = INFINITY;
    for (int c = 0; with_contacts(m) && c < m->n_contacts; c++)
        room = fmin(room, contact_room(m, c, &m->work->now.contact[c], &m->work->contact_step[c]));
    return fmin(1, 0.995 * room);
}

/* z2dot becomes the velocity, z3 the place. */
static void take_iterate(maximal *m) {
    const iterate *at = &m->work->now;
    for (int i = 0; i < m->n_bodies; i++) {
        maximal_body *body = &m->bodies[i];
        memcpy(body->x, at->z3[i].x, sizeof body->x);
        memcpy(body->q, at->z3[i].q, sizeof body->q);
        memcpy(body->v, at->body[i], sizeof body->v);
        memcpy(body->w, at->body[i] + 3, sizeof body->w);
    }
    for (int j = 0; j < m->n_joints; j++) memcpy(m->joints[j].impulse, at->joint[j], sizeof m->joints[j].impulse);
    for (int c = 0; c < m->n_contacts; c++) {
        memset(m->contacts[c].impulse, 0, sizeof m->contacts[c].impulse);
        if (with_contacts(m)) contact_impulse(m, c, &at->contact[c], m->contacts[c].impulse);
        m->contacts[c].distance = distance_of(m, c, at->z3);
    }
}

maximal_end maximal_step(maximal *m, double tolerance) {
    maximal_workspace *work = m->work;
    maximal_end end = {0, INFINITY};
    maximal_begin(m);
    if (!maximal_residual(m, &work->now)) return end;
    double mu = with_contacts(m) ? 1 : 0, left = maximal_norm(m, &work->now, mu);
    while (end.iterations < MOST_ITERATIONS && !(maximal_norm(m, &work->now, 0) < tolerance)) {
        while (mu > 0 && left < mu) {
            mu *= 0.1;
            left = maximal_norm(m, &work->now, mu);
        }
        end.iterations++;
        if (!maximal_direction(m, mu)) break;
        double length = first_length(m);
        int halvings = 0, less = 0;
        for (; halvings < MOST_HALVINGS && !less; halvings++, length *= 0.5)
            less = try_step(m, length) && maximal_norm(m, &work->trial, mu) < left;
        if (!less) break; /* at rounding */
        const iterate other = work->now;
        work->now = work->trial;
        work->trial = other;
        left = maximal_norm(m, &work->now, mu);
    }
    end.residual = maximal_norm(m, &work->now, 0);
    take_iterate(m);
    return end;
}

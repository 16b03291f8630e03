#include "rigid_body.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "small.h"

int reference_init(reference_state *state, const myr_model *model) {
    memset(state, 0, sizeof *state);
    const size_t nb = (size_t)model->n_bodies, nv = (size_t)model->nv;
    state->model = model;
    state->bodies = calloc(nb ? nb : 1, sizeof *state->bodies);
    state->memory = calloc(nv * nv + 2 * nv + 6 * nb * nv + 1, sizeof(double));
    if (!state->bodies || !state->memory) {
        reference_free(state);
        return 0;
    }
    double *next = state->memory;
    state->M = next, next += nv * nv;
    state->bias = next, next += nv;
    state->acceleration = next, next += nv;
    for (size_t i = 0; i < nb; i++) state->bodies[i].jacobian = next, next += 6 * nv;
    return 1;
}

void reference_free(reference_state *state) {
    free(state->bodies);
    free(state->memory);
    memset(state, 0, sizeof *state);
}

void reference_quaternion_rotation(const double quaternion[4], double rotation[9]) {
    const double n =
        sqrt(quaternion[0] * quaternion[0] + quaternion[1] * quaternion[1] + quaternion[2] * quaternion[2] + quaternion[3] * quaternion[3]);
    const double w = quaternion[0] / n, x = quaternion[1] / n, y = quaternion[2] / n, z = quaternion[3] / n;
    const double R[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y), 2 * (x * y + w * z),    1 - 2 * (x * x + z * z),
                         2 * (y * z - w * x),     2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)};
    memcpy(rotation, R, sizeof R);
}

/* Rodrigues: turn by `angle` about the unit `axis`. 1 - cos is formed without cancellation. */
static void axis_rotation(const double axis[3], double angle, double rotation[9]) {
    const double s = sin(angle), half = sin(0.5 * angle), k = 2 * half * half;
    const double *a = axis;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) rotation[3 * i + j] = k * (a[i] * a[j] - (i == j)) + (i == j);
    rotation[1] -= s * a[2], rotation[2] += s * a[1];
    rotation[3] += s * a[2], rotation[5] -= s * a[0];
    rotation[6] -= s * a[1], rotation[7] += s * a[0];
}

/* Column of the Jacobian of a body: direction of the linear and of the angular velocity that dof `k` gives it. */
static void set_column(reference_body *body, int nv, int k, const double linear[3], const double angular[3]) {
    for (int r = 0; r < 3; r++) {
        body->jacobian[r * nv + k] = linear[r];
        body->jacobian[(3 + r) * nv + k] = angular[r];
    }
}

/* Pose, Jacobian, velocity and zero-dv/dt acceleration of body i from those of its parent. */
static void move_body(reference_state *state, int i, const double *q, const double *v) {
    static const double zero[3] = {0, 0, 0};
    const myr_model *m = state->model;
    const myr_body *b = &m->bodies[i];
    const int nv = m->nv;
    reference_body *out = &state->bodies[i];
    reference_body world = {.rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    const reference_body *parent = b->parent < 0 ? &world : &state->bodies[b->parent];
    memset(out->jacobian, 0, 6 * (size_t)nv * sizeof(double));

    if (b->joint == MYR_JOINT_FREE) { /* the world moves nothing: v is the motion itself */
        reference_quaternion_rotation(q + b->q + 3, out->rotation);
        memcpy(out->position, q + b->q, sizeof out->position);
        memcpy(out->lever, zero, sizeof zero);
        memcpy(out->linear, v + b->v, sizeof out->linear);
        mul3(out->rotation, v + b->v + 3, out->angular);
        memcpy(out->bias_linear, zero, sizeof zero);
        memcpy(out->bias_angular, zero, sizeof zero); /* d/dt (R w) = R dw/dt, as w x w = 0 */
        for (int k = 0; k < 3; k++) {
            double unit[3] = {k == 0, k == 1, k == 2}, axis[3];
            set_column(out, nv, b->v + k, unit, zero);
            mul3(out->rotation, unit, axis);
            set_column(out, nv, b->v + 3 + k, zero, axis);
        }
        return;
    }

    double joint[9], r[3], axis[3]; /* joint frame in world; origin of the body from the parent's; joint axis in world */
    mul33(parent->rotation, b->rotation, joint);
    mul3(parent->rotation, b->position, r);
    mul3(joint, b->axis_user, axis);
    double rate[3] = {0, 0, 0}, slide[3] = {0, 0, 0}; /* angular and linear velocity relative to the parent */
    double turn[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    if (b->joint == MYR_JOINT_REVOLUTE) {
        axis_rotation(b->axis_user, q[b->q], turn);
        for (int k = 0; k < 3; k++) rate[k] = axis[k] * v[b->v];
    } else if (b->joint == MYR_JOINT_BALL) {
        reference_quaternion_rotation(q + b->q, turn);
    } else {
        for (int k = 0; k < 3; k++) {
            r[k] += axis[k] * q[b->q];
            slide[k] = axis[k] * v[b->v];
        }
    }
    mul33(joint, turn, out->rotation);
    if (b->joint == MYR_JOINT_BALL) mul3(out->rotation, v + b->v, rate);

    /* Levers start at the root of the tree, as the origin of the world may be far away. */
    for (int k = 0; k < 3; k++) {
        out->lever[k] = b->parent < 0 ? 0 : parent->lever[k] + r[k];
        out->position[k] = parent->position[k] + r[k];
    }

    const double *w = parent->angular;
    double wr[3], wwr[3], ar[3], ws[3], wrate[3];
    cross(w, r, wr);
    cross(w, wr, wwr);
    cross(parent->bias_angular, r, ar);
    cross(w, slide, ws);
    cross(w, rate, wrate); /* also for the ball: d/dt (R w_c) = (w + R w_c) x R w_c = w x R w_c */
    for (int k = 0; k < 3; k++) {
        out->angular[k] = w[k] + rate[k];
        out->linear[k] = parent->linear[k] + wr[k] + slide[k];
        out->bias_angular[k] = parent->bias_angular[k] + wrate[k];
        out->bias_linear[k] = parent->bias_linear[k] + ar[k] + wwr[k] + 2 * ws[k];
    }

    if (b->parent >= 0) {
        for (int c = 0; c < nv; c++) { /* what moves the parent moves this body */
            const double angular[3] = {parent->jacobian[3 * nv + c], parent->jacobian[4 * nv + c], parent->jacobian[5 * nv + c]};
            double linear[3];
            cross(angular, r, linear);
            for (int k = 0; k < 3; k++) linear[k] += parent->jacobian[k * nv + c];
            set_column(out, nv, c, linear, angular);
        }
    }
    if (b->joint == MYR_JOINT_REVOLUTE) {
        set_column(out, nv, b->v, zero, axis);
    } else if (b->joint == MYR_JOINT_PRISMATIC) {
        set_column(out, nv, b->v, axis, zero);
    } else {
        for (int k = 0; k < 3; k++) {
            const double column[3] = {out->rotation[k], out->rotation[3 + k], out->rotation[6 + k]};
            set_column(out, nv, b->v + k, zero, column);
        }
    }
}

/* Velocity and Jacobian of a point of body i at `arm` (world axes, from its origin). */
static void point_velocity(const reference_body *body, const double arm[3], double velocity[3]) {
    cross(body->angular, arm, velocity);
    for (int k = 0; k < 3; k++) velocity[k] += body->linear[k];
}

static void point_jacobian(const reference_body *body, int nv, const double arm[3], double *jacobian) {
    for (int c = 0; c < nv; c++) {
        const double angular[3] = {body->jacobian[3 * nv + c], body->jacobian[4 * nv + c], body->jacobian[5 * nv + c]};
        double linear[3];
        cross(angular, arm, linear);
        for (int k = 0; k < 3; k++) jacobian[k * nv + c] = linear[k] + body->jacobian[k * nv + c];
    }
}

/* M += J' I J and bias += J' (I dJ/dt v + w x I w - gravity) of one body, about its centre of mass. */
static void add_inertia(reference_state *state, int i, double *J, const double gravity[3]) {
    const myr_model *m = state->model;
    const myr_body *b = &m->bodies[i];
    const reference_body *body = &state->bodies[i];
    const int nv = m->nv;
    const double *s = b->inertia;
    const double local[9] = {s[0], s[3], s[4], s[3], s[1], s[5], s[4], s[5], s[2]};
    double half[9], transposed[9], inertia[9], arm[3], velocity[3];
    mul33(body->rotation, local, half);
    transpose(body->rotation, transposed);
    mul33(half, transposed, inertia);
    mul3(body->rotation, b->com, arm);
    point_velocity(body, arm, velocity);
    point_jacobian(body, nv, arm, J);
    memcpy(J + 3 * nv, body->jacobian + 3 * nv, 3 * (size_t)nv * sizeof(double));

    double wr[3], wwr[3], ar[3], Iw[3], gyroscopic[3], Ia[3], force[3], torque[3];
    cross(body->angular, arm, wr);
    cross(body->angular, wr, wwr);
    cross(body->bias_angular, arm, ar);
    mul3(inertia, body->angular, Iw);
    cross(body->angular, Iw, gyroscopic);
    mul3(inertia, body->bias_angular, Ia);
    for (int k = 0; k < 3; k++) {
        force[k] = b->mass * (body->bias_linear[k] + ar[k] + wwr[k] - gravity[k]);
        torque[k] = Ia[k] + gyroscopic[k];
        state->com[k] += b->mass * (body->position[k] + arm[k]);
        state->momentum[k] += b->mass * velocity[k];
        state->potential -= b->mass * gravity[k] * (body->position[k] + arm[k]);
    }
    state->mass += b->mass;
    state->kinetic += 0.5 * b->mass * dot(velocity, velocity) + 0.5 * dot(body->angular, Iw);

    for (int r = 0; r < nv; r++) {
        const double Jv[3] = {J[r], J[nv + r], J[2 * nv + r]}, Jw[3] = {J[3 * nv + r], J[4 * nv + r], J[5 * nv + r]};
        double IJw[3];
        mul3(inertia, Jw, IJw);
        state->bias[r] += dot(Jv, force) + dot(Jw, torque);
        for (int c = 0; c <= r; c++) {
            const double Kv[3] = {J[c], J[nv + c], J[2 * nv + c]}, Kw[3] = {J[3 * nv + c], J[4 * nv + c], J[5 * nv + c]};
            state->M[r * nv + c] += b->mass * dot(Jv, Kv) + dot(IJw, Kw);
        }
    }
}

/* Angular momentum about the centre of mass, once that is known. */
static void add_angular_momentum(reference_state *state, int i) {
    const myr_body *b = &state->model->bodies[i];
    const reference_body *body = &state->bodies[i];
    const double *s = b->inertia;
    const double local[9] = {s[0], s[3], s[4], s[3], s[1], s[5], s[4], s[5], s[2]};
    double arm[3], velocity[3], w_local[3], Iw_local[3], Iw[3], transposed[9], from_com[3], orbital[3];
    mul3(body->rotation, b->com, arm);
    point_velocity(body, arm, velocity);
    transpose(body->rotation, transposed);
    mul3(transposed, body->angular, w_local);
    mul3(local, w_local, Iw_local);
    mul3(body->rotation, Iw_local, Iw);
    for (int k = 0; k < 3; k++) from_com[k] = body->position[k] + arm[k] - state->com[k];
    cross(from_com, velocity, orbital);
    for (int k = 0; k < 3; k++) state->momentum[3 + k] += Iw[k] + b->mass * orbital[k];
}

void reference_compute(reference_state *state, const double *q, const double *v, const double *tau, const double gravity[3]) {
    const myr_model *m = state->model;
    const int nv = m->nv;
    memset(state->M, 0, (size_t)nv * (size_t)nv * sizeof(double));
    memset(state->bias, 0, (size_t)nv * sizeof(double));
    memset(state->com, 0, sizeof state->com);
    memset(state->momentum, 0, sizeof state->momentum);
    state->kinetic = state->potential = 0;
    state->mass = m->anchored_mass; /* fixed to the world: it weighs, and does not move */
    for (int k = 0; k < 3; k++) {
        state->com[k] = m->anchored_mass * m->anchored_com[k];
        state->potential -= gravity[k] * state->com[k];
    }

    double *scratch = calloc((size_t)nv * (size_t)nv + 7 * (size_t)nv + 1, sizeof(double));
    if (!scratch) abort();
    for (int i = 0; i < m->n_bodies; i++) move_body(state, i, q, v);
    for (int i = 0; i < m->n_bodies; i++) add_inertia(state, i, scratch, gravity);
    for (int k = 0; k < 3; k++) state->com[k] /= state->mass;
    for (int i = 0; i < m->n_bodies; i++) add_angular_momentum(state, i);
    for (int r = 0; r < nv; r++)
        for (int c = r + 1; c < nv; c++) state->M[r * nv + c] = state->M[c * nv + r];

    double *rhs = scratch + nv * nv;
    memcpy(scratch, state->M, (size_t)nv * (size_t)nv * sizeof(double));
    for (int k = 0; k < nv; k++) rhs[k] = tau[k] - state->bias[k];
    if (!reference_cholesky_solve(scratch, nv, rhs, state->acceleration))
        for (int k = 0; k < nv; k++) state->acceleration[k] = NAN;
    free(scratch);
}

void reference_frame(const reference_state *state, int frame, double position[3], double rotation[9], double velocity[6],
                     double *jacobian) {
    const myr_model *m = state->model;
    const myr_frame *f = &m->frames[frame];
    memset(jacobian, 0, 3 * (size_t)m->nv * sizeof(double));
    memset(velocity, 0, 6 * sizeof(double));
    if (f->body < 0) {
        memcpy(position, f->position, 3 * sizeof(double));
        memcpy(rotation, f->rotation, 9 * sizeof(double));
        return;
    }
    const reference_body *body = &state->bodies[f->body];
    double arm[3];
    mul3(body->rotation, f->position, arm);
    mul33(body->rotation, f->rotation, rotation);
    for (int k = 0; k < 3; k++) position[k] = body->position[k] + arm[k];
    point_velocity(body, arm, velocity);
    memcpy(velocity + 3, body->angular, sizeof body->angular);
    point_jacobian(body, m->nv, arm, jacobian);
}

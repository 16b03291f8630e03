#include "step_witness.h"

#include <math.h>
#include <string.h>

#include "reference/small.h"

void witness_open(step_witness *w, const myr_model *model) {
    memset(w, 0, sizeof *w);
    w->model = model;
    assert_true(model->nv <= WITNESS_NV && model->n_slots <= WITNESS_SLOTS);
    assert_true(reference_init(&w->state, model));
}

void witness_close(step_witness *w) { reference_free(&w->state); }

void witness_before(step_witness *w, const myr_batch *batch, int64_t env) {
    MUST(myr_batch_get(batch, MYR_Q, &env, 1, MYR_F64, w->q));
    MUST(myr_batch_get(batch, MYR_V, &env, 1, MYR_F64, w->v));
    MUST(myr_batch_get(batch, MYR_EPISODE, &env, 1, MYR_F64, &w->episode));
}

double witness_slot(const step_witness *w, int s, double J[3][WITNESS_NV]) {
    const myr_slot *slot = &w->model->slots[s];
    const reference_body *body = &w->state.bodies[slot->body];
    const int nv = w->model->nv;
    double user[3], back[9], arm[3];
    transpose(w->model->bodies[slot->body].align, back);
    mul3(back, slot->center, user);
    mul3(body->rotation, user, arm);
    const double gap = body->position[2] + arm[2] - slot->radius;
    arm[2] -= slot->radius;
    for (int k = 0; k < nv; k++) {
        const double spin[3] = {body->jacobian[3 * nv + k], body->jacobian[4 * nv + k], body->jacobian[5 * nv + k]};
        double turning[3];
        cross(spin, arm, turning);
        for (int r = 0; r < 3; r++) J[r][k] = body->jacobian[r * nv + k] + turning[r];
    }
    return gap;
}

void witness_solve(const step_witness *w, const double *b, double *x) {
    double factor[WITNESS_NV * WITNESS_NV];
    memcpy(factor, w->Mh, sizeof factor);
    assert_true(reference_cholesky_solve(factor, w->model->nv, b, x));
}

static double energy(const step_witness *w, const double *v) {
    const int nv = w->model->nv;
    double sum = 0;
    for (int i = 0; i < nv; i++)
        for (int k = 0; k < nv; k++) sum += 0.5 * v[i] * w->Mh[i * nv + k] * v[k];
    return sum;
}

/* Torque of a PD and what it puts on the diagonal of Mh. While not clamped it acts on the velocity after the step. */
static double actuator(double wish, double limit, double kp, double kd, double v, double dt, double *implicit) {
    if (fabs(wish) > limit) {
        *implicit = 0;
        return copysign(limit, wish);
    }
    *implicit = dt * (kd + dt * kp);
    return wish - dt * kp * v; /* wish has -kd v in it */
}

/* dynamics/spin_damping.lane.h, body by body. */
static void damp_spin(step_witness *w, double dt, double *force) {
    const myr_model *m = w->model;
    const double strength = myr_settings_default().spin_damping;
    for (int i = 0; i < m->n_bodies; i++) {
        const myr_body *own = &m->bodies[i];
        double turn2 = 0;
        for (int at = i; at >= 0; at = m->bodies[at].parent) {
            const myr_body *b = &m->bodies[at];
            for (int k = b->joint == MYR_JOINT_FREE ? 3 : 0; k < b->nv && b->joint != MYR_JOINT_PRISMATIC; k++)
                turn2 += dt * w->v[b->v + k] * dt * w->v[b->v + k];
        }
        const double share = fmin(1, fmax(0, (turn2 - 0.1 * 0.1) / (0.3 * 0.3 - 0.1 * 0.1)));
        for (int k = own->v; k < own->v + own->nv && own->joint != MYR_JOINT_FREE && !myr_is_wheel(m, i); k++) {
            const double damping = strength * turn2 * share * w->state.M[k * m->nv + k];
            w->Mh[k * m->nv + k] += damping;
            force[k] -= damping * w->v[k];
        }
    }
}

static void compute_free(step_witness *w, const myr_batch *batch, int64_t env, double dt) {
    const myr_model *m = w->model;
    const double zero[WITNESS_NV] = {0}, gravity[3] = {0, 0, -9.81};
    double kp[WITNESS_NV], kd[WITNESS_NV], target[WITNESS_NV], torque[WITNESS_NV], force[WITNESS_NV], change[WITNESS_NV];
    MUST(myr_batch_get(batch, MYR_KP, &env, 1, MYR_F64, kp));
    MUST(myr_batch_get(batch, MYR_KD, &env, 1, MYR_F64, kd));
    MUST(myr_batch_get(batch, MYR_TARGET, &env, 1, MYR_F64, target));
    MUST(myr_batch_get(batch, MYR_TORQUE, &env, 1, MYR_F64, torque));
    reference_compute(&w->state, w->q, w->v, zero, gravity);
    memcpy(w->Mh, w->state.M, (size_t)m->nv * (size_t)m->nv * sizeof(double));
    for (int i = 0; i < m->n_bodies; i++) {
        const myr_body *b = &m->bodies[i];
        for (int k = b->v; k < b->v + b->nv; k++) {
            double tau = 0, implicit = 0;
            if (b->u >= 0) {
                const double wish = kp[b->u] * (target[b->u] - w->q[b->q]) + torque[b->u] - kd[b->u] * w->v[k];
                tau = actuator(wish, b->effort_limit, kp[b->u], kd[b->u], w->v[k], dt, &implicit);
            }
            w->Mh[k * m->nv + k] += b->armature + dt * b->damping + implicit;
            force[k] = dt * (tau - w->state.bias[k] - b->damping * w->v[k]);
        }
    }
    damp_spin(w, dt, force);
    witness_solve(w, force, change);
    for (int k = 0; k < m->nv; k++) w->free_velocity[k] = w->v[k] + change[k];
}

int witness_after(step_witness *w, const myr_batch *batch, int64_t env) {
    const myr_model *m = w->model;
    double episode, push[WITNESS_NV] = {0}, change[WITNESS_NV];
    myr_batch_info info;
    myr_batch_get_info(batch, &info);
    MUST(myr_batch_get(batch, MYR_EPISODE, &env, 1, MYR_F64, &episode));
    if (episode != w->episode) return 0;
    MUST(myr_batch_get(batch, MYR_V, &env, 1, MYR_F64, w->after));
    MUST(myr_batch_get(batch, MYR_IMPULSE, &env, 1, MYR_F64, w->impulse));
    compute_free(w, batch, env, info.dt_s);
    w->contacts = 0;
    w->impulse_sum = 0;
    for (int s = 0; s < m->n_slots; s++) {
        const double *l = w->impulse + 3 * s, size = sqrt(dot(l, l));
        double J[3][WITNESS_NV], *velocity = w->velocity + 3 * s;
        velocity[0] = velocity[1] = velocity[2] = 0;
        if (size == 0) continue;
        w->contacts++;
        w->impulse_sum += size;
        witness_slot(w, s, J);
        for (int r = 0; r < 3; r++)
            for (int k = 0; k < m->nv; k++) {
                push[k] += J[r][k] * l[r];
                velocity[r] += J[r][k] * w->after[k];
            }
    }
    witness_solve(w, push, change);
    for (int k = 0; k < m->nv; k++) w->predicted[k] = w->free_velocity[k] + change[k];
    w->energy_before = energy(w, w->free_velocity);
    w->energy_after = energy(w, w->after);
    return 1;
}

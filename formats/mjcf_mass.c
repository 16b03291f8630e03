/* The mass matrix of an MJCF where no joint has moved, for what MuJoCo derives from it: `springdamper` of joints and `dampratio` of
 * actuators.
 *
 * Bodies behind a joint count as one there, seen from the world's origin. With S the motion of that origin by a dof, M_jk = S_j' I S_k, I
 * of all that the lower of both carries (Featherstone 2008, composite rigid bodies). */
#include <math.h>

#include "base/memory.h"
#include "mjcf.h"

enum { MOST_DOFS = 1024 };

/* Of a dof: its velocity of the world's origin and its rotation, in the world. */
typedef struct motion {
    double linear[3], angular[3];
    int body, joint, parent; /* parent: the next dof towards the root, -1: none */
} motion;

typedef struct masses {
    int nv;
    myr_pose *world;        /* by body */
    myr_inertia *composite; /* by body, in the world */
    motion *dofs;
    int *last_dof; /* by body: its own last one, or that of what carries it */
    double *M;     /* nv * nv, lower half; then its factor */
} masses;

static void compose(const myr_mjcf *m, masses *w) {
    for (int i = 0; i < m->n_bodies; i++) {
        const myr_mjcf_body *b = &m->bodies[i];
        myr_mjcf_place(m, i, b->parent < 0 ? NULL : &w->world[b->parent], &w->world[i]);
        w->composite[i] = myr_inertia_move(&b->inertia, &w->world[i]);
    }
    for (int i = m->n_bodies - 1; i >= 0; i--)
        if (m->bodies[i].parent >= 0) {
            myr_inertia *above = &w->composite[m->bodies[i].parent];
            *above = myr_inertia_add(above, &w->composite[i]);
        }
}

/* Dof k of joint j: a hinge or slider's own, of a ball the body's axes, of a free joint the world's axes, then the body's. */
static void fill_motion(const masses *w, const myr_mjcf_joint *j, int k, motion *out) {
    const myr_pose *pose = &w->world[j->body];
    const int translates = j->type == MYR_MJCF_SLIDE || (j->type == MYR_MJCF_FREE && k < 3);
    double axis[3] = {0.0, 0.0, 0.0}, anchor[3];
    if (j->type >= MYR_MJCF_SLIDE)
        myr_copy3(axis, j->axis);
    else
        axis[k % 3] = 1.0;
    if (j->type != MYR_MJCF_FREE || k >= 3) myr_rotate(axis, pose->rotation, axis);
    myr_rotate(anchor, pose->rotation, j->position);
    for (int e = 0; e < 3; e++) anchor[e] += pose->position[e];
    for (int e = 0; e < 3; e++) out->angular[e] = 0.0;
    myr_copy3(out->linear, axis);
    if (translates) return;
    myr_copy3(out->angular, axis);
    myr_cross3(out->linear, anchor, axis); /* of the origin: w x (0 - anchor) */
}

static void find_motions(const myr_mjcf *m, masses *w) {
    int n = 0;
    for (int i = 0; i < m->n_bodies; i++) {
        const myr_mjcf_body *b = &m->bodies[i];
        int above = b->parent < 0 ? -1 : w->last_dof[b->parent];
        for (int k = b->first_joint; k < b->first_joint + b->n_joints; k++)
            for (int e = 0; e < myr_mjcf_dofs(m->joints[k].type); e++, n++) {
                fill_motion(w, &m->joints[k], e, &w->dofs[n]);
                w->dofs[n].body = i, w->dofs[n].joint = k, w->dofs[n].parent = above;
                above = n;
            }
        w->last_dof[i] = above;
    }
}

/* Momentum of a body that moves like this: linear, and angular about the world's origin. */
static void momentum_of(const myr_inertia *I, const motion *s, double linear[3], double angular[3]) {
    double turn[3], moment[3];
    const double *J = I->about_com, *w = s->angular;
    myr_cross3(turn, w, I->com);
    for (int e = 0; e < 3; e++) linear[e] = I->mass * (s->linear[e] + turn[e]);
    myr_cross3(moment, I->com, linear);
    angular[0] = J[0] * w[0] + J[3] * w[1] + J[4] * w[2] + moment[0];
    angular[1] = J[3] * w[0] + J[1] * w[1] + J[5] * w[2] + moment[1];
    angular[2] = J[4] * w[0] + J[5] * w[1] + J[2] * w[2] + moment[2];
}

static void fill_matrix(const myr_mjcf *m, masses *w) {
    for (int j = 0; j < w->nv; j++) {
        double linear[3], angular[3];
        momentum_of(&w->composite[w->dofs[j].body], &w->dofs[j], linear, angular);
        for (int k = j; k >= 0; k = w->dofs[k].parent)
            w->M[j * w->nv + k] = myr_dot3(w->dofs[k].linear, linear) + myr_dot3(w->dofs[k].angular, angular);
        w->M[j * w->nv + j] += m->joints[w->dofs[j].joint].armature;
    }
    for (int i = 0; i < m->n_actuators; i++) { /* rotors that the file gives with what drives them */
        const myr_mjcf_actuator *a = &m->actuators[i];
        if (a->armature == 0.0) continue;
        for (int j = 0; j < w->nv; j++) {
            const double moment = a->armature * myr_mjcf_moment(m, a, w->dofs[j].joint);
            /* of a tendon between branches MuJoCo, too, leaves out what ties these in M */
            for (int k = j; k >= 0 && moment != 0.0; k = w->dofs[k].parent)
                w->M[j * w->nv + k] += moment * myr_mjcf_moment(m, a, w->dofs[k].joint);
        }
    }
}

/* J M^-1 J'; M is factored into L L'. */
static double give_of(const masses *w, const double *J) {
    double sum = 0.0, x[MOST_DOFS];
    for (int i = 0; i < w->nv; i++) { /* L x = J': the answer is x'x */
        double left = J[i];
        for (int k = 0; k < i; k++) left -= w->M[i * w->nv + k] * x[k];
        x[i] = left / w->M[i * w->nv + i];
        sum += x[i] * x[i];
    }
    return sum;
}

/* 0: not positive definite. */
static int factor(masses *w) {
    for (int i = 0; i < w->nv; i++)
        for (int j = 0; j <= i; j++) {
            double left = w->M[i * w->nv + j];
            for (int k = 0; k < j; k++) left -= w->M[i * w->nv + k] * w->M[j * w->nv + k];
            if (i == j && !(left > 0.0)) return 0;
            w->M[i * w->nv + j] = i == j ? sqrt(left) : left / w->M[j * w->nv + j];
        }
    return 1;
}

/* kv = 2 ratio sqrt(kp mass), the mass that it moves with all else free: 1 / (J M^-1 J'). */
static void damp_actuators(myr_mjcf *m, const masses *w) {
    for (int i = 0; i < m->n_actuators; i++) {
        myr_mjcf_actuator *a = &m->actuators[i];
        double J[MOST_DOFS];
        if (!(a->damping_ratio > 0.0) || a->dropped) continue;
        for (int d = 0; d < w->nv; d++) J[d] = myr_mjcf_moment(m, a, w->dofs[d].joint);
        const double give = give_of(w, J);
        a->bias[2] = give > 0.0 ? -2.0 * a->damping_ratio * sqrt(a->gain / give) : 0.0;
    }
}

/* A spring and damper of this time constant and damping ratio on what the joint moves with all else free. */
static void damp_joints(myr_mjcf *m, const masses *w) {
    for (int k = 0; k < m->n_joints; k++) {
        myr_mjcf_joint *j = &m->joints[k];
        double give = 0.0, J[MOST_DOFS] = {0.0};
        int n = 0;
        if (!(j->spring_time > 0.0)) continue;
        for (int d = 0; d < w->nv; d++) {
            if (w->dofs[d].joint != k) continue;
            J[d] = 1.0, give += give_of(w, J), n++;
            J[d] = 0.0;
        }
        const double mass = n / give, time = j->spring_time, ratio = j->spring_ratio;
        j->stiffness = mass / (time * time * ratio * ratio);
        j->damping = 2.0 * mass / time;
    }
}

/* The first element that asks for it, NULL: none. */
static const myr_xml_node *who_asks(const myr_mjcf *m) {
    for (int k = 0; k < m->n_joints; k++)
        if (m->joints[k].spring_time > 0.0) return m->joints[k].node;
    for (int i = 0; i < m->n_actuators; i++)
        if (m->actuators[i].damping_ratio > 0.0 && !m->actuators[i].dropped) return m->actuators[i].node;
    return NULL;
}

myr_status myr_mjcf_damp(myr_mjcf *m) {
    masses w = {.nv = 0};
    const myr_xml_node *asks = who_asks(m);
    if (!asks) return MYR_OK;
    for (int k = 0; k < m->n_joints; k++) w.nv += myr_mjcf_dofs(m->joints[k].type);
    if (w.nv > MOST_DOFS)
        return myr_fail(MYR_E_LIMIT, "%.300s: `springdamper` and `dampratio` are read for %d degrees of freedom at most", m->xml->label,
                        MOST_DOFS);
    w.world = myr_allocate_array((size_t)m->n_bodies + 1, sizeof *w.world);
    w.composite = myr_allocate_array((size_t)m->n_bodies + 1, sizeof *w.composite);
    w.last_dof = myr_allocate_array((size_t)m->n_bodies + 1, sizeof *w.last_dof);
    w.dofs = myr_allocate_array((size_t)w.nv + 1, sizeof *w.dofs);
    w.M = myr_allocate_array((size_t)w.nv * (size_t)w.nv + 1, sizeof *w.M);
    myr_status status = MYR_OK;
    if (w.world && w.composite && w.last_dof && w.dofs && w.M) {
        compose(m, &w);
        find_motions(m, &w);
        fill_matrix(m, &w);
        if (factor(&w))
            damp_actuators(m, &w), damp_joints(m, &w);
        else
            status = myr_mjcf_lose(m, MYR_MJCF_LOST_DAMPERS, asks, myr_mjcf_name(asks));
    } else {
        status = myr_fail(MYR_E_MEMORY, "%.300s: out of memory", m->xml->label);
    }
    myr_release(w.world);
    myr_release(w.composite);
    myr_release(w.last_dof);
    myr_release(w.dofs);
    myr_release(w.M);
    return status;
}

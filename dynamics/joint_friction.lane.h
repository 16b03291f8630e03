/* Dry friction of joints without rows (joint-friction implicit): the torque f sign(v+) is made a damper k = f / speed that acts on the
 * velocity after the step, as the PD's implicit gains do: dt k joins the diagonal of M, and its force is taken at v-.
 *
 *     speed = max(STILL, |v- + a| - b),     a = (dt (tau - h - D v-) + J' lambda) / M_kk,   b = dt f / M_kk
 *
 * A joint sticks where f would bring it below STILL: k = f / STILL, and held by less than f it creeps at STILL F / f. One that slides has
 * the k that gives the torque f at the speed which it would then have if it were alone. a is the push of what is known before the solve:
 * motor, gravity, and what contacts gave in the last step (their warm start). A joint that is alone moves as under the law with sign(v)
 * made v / STILL below STILL, exactly.
 *
 * Whatever the guess, k >= 0 and is implicit: friction takes energy out in every lane, and by itself reverses no velocity. What a wrong
 * guess costs is the torque's size, f |v+| / speed. It is wrong by what other joints and the base do to this one (M_kk takes them as if
 * they kept their velocity), and in the step in which a contact begins, ends or strikes.
 *
 * What else was tried, on an ANYmal with 1 and 5 N m against `hard`. The torque -f sign(v-), or of the guess, without a damper while it
 * slides: right in size, but it pushes where a contact turns the joint around, and it reversed joints 1.2 to 1.6 times as often as `hard`.
 * The choice by v- alone holds joints that should break loose (b is 1 rad/s and more for a light joint). A guess without the contacts takes
 * the torque of the motors of a leg that stands for acceleration: the error of a standing robot was sixty times, of a trot twice as large.
 */
#ifndef MYR_DYNAMICS_JOINT_FRICTION_LANE_H
#define MYR_DYNAMICS_JOINT_FRICTION_LANE_H

#include "robot/contact_frame.lane.h"

#define STILL_SPEED 0.01 /* [rad/s, m/s] */

/* What the impulse f at x (both in base axes) on a body gives the joints of one dof above it. */
static inline void friction_load_body(const part *p, int body, v3 x, v3 f, vf *load) {
    const robot *r = p->r;
    const workspace *w = p->w;
    for (int i = body; i >= 0; i = r->bodies[i].parent) {
        const lane_body *b = &r->bodies[i];
        if (b->nv != 1) continue;
        const v3 along = b->joint == MYR_JOINT_PRISMATIC ? f : v3_cross(v3_sub(x, v3_load(w->p + 3 * i)), f);
        load[b->v] = load[b->v] + v3_dot(v3_load(w->axis + 3 * b->v), along);
    }
}

/* J' lambda of the contacts' warm start, by dof. */
static void friction_load(const part *p, vf *load) {
    const robot *r = p->r;
    const workspace *w = p->w;
    for (int k = 0; k < r->nv; k++) load[k] = vf_zero();
    for (int n = 0; n < w->occupied; n++) {
        const lane_slot *slot = &r->slots[w->slot[n]];
        const v3 f = contact_to_world(p, n, v3_load(w->slot_lambda + 3 * n));
        friction_load_body(p, slot->body, v3_load(w->slot_x + 3 * n), m3_mul_t(w->R0 + 9 * r->bodies[slot->body].tree, f), load);
        if (slot->other_body < 0) continue;
        const v3 back = v3_scale(vf_set(-1), m3_mul_t(w->R0 + 9 * r->bodies[slot->other_body].tree, f));
        friction_load_body(p, slot->other_body, v3_load(w->slot_other_x + 3 * n), back, load);
    }
}

/* After spin_damping and before `extra` and `tau` are used. A lane without friction in a joint keeps its numbers to the bit. */
static void joint_friction(const part *p) {
    const robot *r = p->r;
    workspace *w = p->w;
    if (p->options->friction_damped == 0) return;
    const unsigned varied = p->options->varied;
    const vf zero = vf_zero(), dt = vf_set(p->dt), *damping_rows = varied & MYR_VARIED_JOINT ? field_rows(p, MYR_ROWS_damping) : NULL;
    vf *load = w->row_scaled; /* its room: rows are not there yet */
    for (int i = 0, known = 0; i < r->n_joint_rows; i++) {
        const int k = r->rows[i].dof;
        const vf f = varied & MYR_VARIED_ROWS ? field(p, MYR_ROWS_dry_friction, i) : vf_set(r->rows[i].friction);
        const vm rubs = vm_gt(f, zero);
        if (!vm_any(rubs)) continue;
        if (!known) friction_load(p, load), known = 1;
        const vf D = damping_rows ? damping_rows[PARTS * k] : vf_set(r->bodies[r->dof_body[k]].damping);
        const vf v = w->u[k], mass = w->M[r->m_row[k] + r->dof_depth[k]] + w->extra[k], least = mass * vf_set((real)STILL_SPEED);
        const vf pushed = vf_fma(mass, v, vf_fma(dt, w->tau[k] - vf_fma(D, v, w->h[k]), load[k]));
        const vf speed = vf_max(least, vf_fnma(dt, f, vf_abs(pushed))); /* times mass */
        const vf damping = f * (mass / vf_select(vm_gt(speed, zero), speed, vf_set(1)));
        w->extra[k] = vf_select(rubs, vf_fma(dt, damping, w->extra[k]), w->extra[k]);
        w->tau[k] = vf_select(rubs, vf_fnma(damping, v, w->tau[k]), w->tau[k]);
    }
}

#endif

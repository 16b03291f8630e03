/* Newton's method on a maximal step as it is, with what touches: the equation's exact derivative (articulated.lane.h), and
 * contacts and joint rows in the state in which the last solve left them (Alart and Curnier 1991): open, sticking or sliding. A contact
 * acts on one body, so its block joins that body's, and the time stays linear in bodies and contacts.
 *
 * With dw the change of its velocity, a contact's impulse changes by kappa - K dw:
 *     open       to nothing
 *     sticking   K = 1 / e, kappa = -w / e                                          e: a small part of its mobility
 *     sliding    along the normal likewise; lambda_T goes to -mu lambda_N d, d = w_T / |w_T|, and turns with d
 * e stands for zero: what it leaves, the next pass removes.
 *
 * The passes of variational.lane.h take G and M from where the step begins. Where a leg swings by half a radian in a step, they settle who
 * touches and how, and bring what is left of the equation down slowly: from then on this takes two or three steps. Contacts between bodies
 * would close loops in the tree; lanes that have one, and robots with loops, go by passes alone. */
#ifndef MYR_MAXIMAL_TOUCHED_NEWTON_LANE_H
#define MYR_MAXIMAL_TOUCHED_NEWTON_LANE_H

#include "articulated.lane.h"
#include "bend.lane.h"
#include "factor_products.lane.h"
#include "pull.lane.h"

/* e, of the mobility. */
#define NEWTON_GIVE (MYR_DOUBLE ? (real)1e-6 : (real)1e-3)

/* Number e of three of the contacts, as occupied slot n has it. */
static inline v3 slot_of_contacts(const part *p, int n, const vf *from) {
    const workspace *w = p->w;
    if (!w->packed) return v3_load(from + 3 * n);
    v3 out = v3_zero();
    for (int t = pack_from(p, n), end = pack_end(p, n); t < end; t++) out = v3_select(pack_lanes(w, n, t), v3_load(from + 3 * t), out);
    return out;
}

static inline vf slot_mobility(const part *p, int n) {
    const workspace *w = p->w;
    vf size = vf_zero();
    for (int t = pack_from(p, n), end = pack_end(p, n); t < end; t++) {
        const vf *g = problem_block(&w->contact, t, t), mean = vf_set((real)(1.0 / 3)) * (g[0] + g[4] + g[8]);
        size = w->packed ? vf_select(pack_lanes(w, n, t), mean, size) : mean;
    }
    return size;
}

/* Mobilities of slots and rows, from the assembled problem. */
static void mobilities(const part *p) {
    const workspace *w = p->w;
    const maximal_workspace *mw = maximal_of(p);
    const problem *c = &w->contact;
    for (int n = 0; n < w->occupied; n++) mw->slot_size[n] = slot_mobility(p, n);
    for (int n = 0; n < c->rows.n; n++) mw->row_size[n] = problem_row_G(c, n)[3 * c->n + n];
}

/* kappa and K of occupied slot n with this impulse and velocity, e being `give` of its mobility: 3 numbers, then a matrix by rows. */
static void slot_gain(const part *p, int n, v3 l, v3 v, real give, vf gain[12]) {
    const workspace *w = p->w;
    const maximal_workspace *mw = maximal_of(p);
    const vf zero = vf_zero(), one = vf_set(1), mu = w->slot_mu[n], size = mw->slot_size[n];
    const vm has = vm_and(vm_gt(w->slot_active[n], zero), vm_gt(size, zero));
    const vf stiff = one / vf_select(has, vf_set(give) * size, one), per = one / vf_select(has, size, one);
    const vf z = vf_fnma(per, v.z, l.z), x = vf_fnma(per, v.x, l.x), y = vf_fnma(per, v.y, l.y); /* a step towards the law */
    const vm shut = vm_and(has, vm_gt(z, zero));
    const vm slides = vm_and(shut, vm_gt(vf_fma(x, x, y * y), mu * mu * z * z)), sticks = vm_andnot(shut, slides);
    const vf speed = vf_sqrt(vf_fma(v.x, v.x, v.y * v.y)), length = vf_sqrt(vf_fma(x, x, y * y));
    const vm fast = vm_gt(speed, vf_set((real)1e-4) * length * size); /* else the wished impulse says where it would go */
    const vf inverse = one / vf_select(slides, vf_select(fast, speed, length), one);
    const vf dx = inverse * vf_select(fast, v.x, -x), dy = inverse * vf_select(fast, v.y, -y);
    const vf turns = vf_min(stiff, mu * vf_max(l.z, zero) / vf_select(fast, speed, one)), bends = vf_select(fast, turns, zero);
    const vf pull = mu * vf_select(slides, stiff, zero), kz = -(stiff * v.z), off = mu * (vf_max(l.z, zero) + kz);
    for (int e = 0; e < 12; e++) gain[e] = zero;
    gain[0] = vf_select(slides, -vf_fma(off, dx, l.x), vf_select(sticks, -(stiff * v.x), vf_select(has, -l.x, zero)));
    gain[1] = vf_select(slides, -vf_fma(off, dy, l.y), vf_select(sticks, -(stiff * v.y), vf_select(has, -l.y, zero)));
    gain[2] = vf_select(shut, kz, vf_select(has, -l.z, zero));
    gain[3] = vf_select(slides, bends * dy * dy, vf_select(sticks, stiff, zero));
    gain[4] = gain[6] = vf_select(slides, -(bends * dx * dy), zero);
    gain[7] = vf_select(slides, bends * dx * dx, vf_select(sticks, stiff, zero));
    gain[5] = vf_select(slides, -(pull * dx), zero), gain[8] = vf_select(slides, -(pull * dy), zero);
    gain[11] = vf_select(shut, stiff, zero);
}

/* What the contact's axes are in base axes, and dw of each axis for a twist T of the body's end pose: C T, rows of a 3 x 6 matrix. */
static void slot_screws(const part *p, int n, screw forces[3], screw rates[3]) {
    const workspace *w = p->w;
    const maximal_workspace *mw = maximal_of(p);
    const int i = p->r->slots[w->slot[n]].body;
    const vf *R0 = w->R0 + 9 * p->r->bodies[i].tree, radius = mw->slot_round[n], zero = vf_zero();
    const v3 at = v3_load(w->p + 3 * i), com = v3_load(mw->central + CENTRAL * i + 1), x = v3_load(w->slot_x + 3 * n);
    const v3 shift = v3_load(mw->shift + 3 * i), up = v3_load(R0 + 6), center = v3_sub(v3_fma(radius, up, x), at);
    const quat t = quat_load(mw->turned + 4 * i);
    const v3 end = v3_add(v3_add(at, com), v3_add(shift, quat_moves(t, com)));
    const v3 center_end = v3_add(v3_add(at, center), v3_add(shift, quat_moves(t, center)));
    const v3 lever = v3_sub(x, v3_add(at, com));
    for (int a = 0; a < 3; a++) {
        const v3 axis = v3_load(R0 + 3 * a), m = v3_cross(lever, axis); /* axis . (g x lever) = g . m, g = s omega + omega x eta */
        const v3 turning = v3_cross_add(t.eta, m, v3_scale(t.s, m));
        forces[a] = (screw){axis, v3_cross(x, axis)};
        rates[a] = (screw){axis, v3_add(v3_cross(end, axis), turning)};
    }
    const vm ball = vm_ge(radius, zero);
    rates[2].angular = v3_select(ball, v3_cross(center_end, up), rates[2].angular);
}

/* Block and push of occupied slot n into those of its body, in the lanes that have it: others keep even the sign of a zero. */
static void slot_block(const part *p, int n) {
    workspace *w = p->w;
    const maximal_workspace *mw = maximal_of(p);
    const int i = p->r->slots[w->slot[n]].body;
    const vf *gain = mw->gain + 12 * n;
    vf *D = mw->block + 36 * i;
    const vm has = vm_gt(w->slot_active[n], vf_zero());
    screw forces[3], rates[3], push = screw_load(w->force + 6 * i);
    slot_screws(p, n, forces, rates);
    for (int a = 0; a < 3; a++) {
        screw row = {v3_zero(), v3_zero()};
        for (int b = 0; b < 3; b++) row = screw_fma(gain[3 + 3 * a + b], rates[b], row);
        const vf f[6] = {forces[a].linear.x,  forces[a].linear.y,  forces[a].linear.z,
                         forces[a].angular.x, forces[a].angular.y, forces[a].angular.z};
        for (int e = 0; e < 6; e++) {
            const screw old = screw_load(D + 6 * e);
            screw_store(D + 6 * e, screw_select(has, screw_fma(f[e], row, old), old));
        }
        push = screw_fma(gain[a], forces[a], push);
    }
    screw_store(w->force + 6 * i, screw_select(has, push, screw_load(w->force + 6 * i)));
}

/* The same of the joint rows. A row at an end of its range, or that friction holds, keeps its velocity there. */
static void rows_block(const part *p, const scalar_rows *rows, real give, vf *x) {
    workspace *w = p->w;
    const maximal_workspace *mw = maximal_of(p);
    const vf zero = vf_zero(), one = vf_set(1);
    for (int n = 0; n < rows->n; n++) {
        const lane_row *r = &p->r->rows[w->row[n]];
        const vf length = vf_set(r->length), l = rows->lambda[n], f = rows->f[n], v = rows->w[n];
        const vf size = mw->row_size[n];
        const vm has = vm_and(vm_gt(rows->active[n], zero), vm_gt(size, zero));
        const vf stiff = one / vf_select(has, vf_set(give) * size, one);
        const vm low = vm_gt(l, f), high = vm_lt(l, -f), held = vm_or(low, vm_or(high, vm_lt(vf_abs(l), f)));
        const vf aim = vf_select(low, rows->lo[n], vf_select(high, rows->hi[n], zero));
        const vm acts = vm_and(has, held);
        mw->row_gain[2 * n] = vf_select(acts, stiff * (aim - v), zero);
        mw->row_gain[2 * n + 1] = vf_select(acts, stiff, zero);
        vf *own = &mw->diagonal[r->dof], *push = &x[r->dof];
        *own = vf_select(acts, vf_fma(length * length, mw->row_gain[2 * n + 1], *own), *own);
        *push = vf_select(acts, vf_fnma(length, mw->row_gain[2 * n], *push), *push);
    }
}

/* By how much the impulse of occupied slot n changes, w->force being the twists that articulated_solve has left there: those of -x. */
static inline v3 slot_change(const part *p, int n) {
    const workspace *w = p->w;
    const maximal_workspace *mw = maximal_of(p);
    const vf *gain = mw->gain + 12 * n;
    const screw twist = screw_load(w->force + 6 * p->r->slots[w->slot[n]].body);
    screw forces[3], rates[3];
    slot_screws(p, n, forces, rates);
    const v3 dw = {screw_dot(rates[0], twist), screw_dot(rates[1], twist), screw_dot(rates[2], twist)};
    vf change[3];
    for (int a = 0; a < 3; a++) change[a] = gain[a] + v3_dot(v3_load(gain + 3 + 3 * a), dw);
    return v3_load(change);
}

/* The same of joint row n. */
static inline vf row_change(const part *p, int n, const vf *x) {
    const workspace *w = p->w;
    const maximal_workspace *mw = maximal_of(p);
    const lane_row *r = &p->r->rows[w->row[n]];
    return vf_fma(mw->row_gain[2 * n + 1] * vf_set(r->length), x[r->dof], mw->row_gain[2 * n]);
}

/* Lanes that can: no contact between bodies in them. */
static vm newton_can(const part *p, vm lanes) {
    const workspace *w = p->w;
    if (p->r->n_loops || w->contact.compliant) return vm_none();
    for (int n = 0; n < w->occupied; n++)
        if (!p->r->slots[w->slot[n]].on_ground) lanes = vm_andnot(lanes, vm_gt(w->slot_active[n], vf_zero()));
    return lanes;
}

/* One step of the lanes `mine` from w->z and the impulses of the last solve; mw->unmet is what they leave of the equation. */
static void newton_step(const part *p, vm mine) {
    const robot *r = p->r;
    workspace *w = p->w;
    const maximal_workspace *mw = maximal_of(p);
    problem *c = &w->contact;
    vf *x = mw->unmet;
    mobilities(p);
    articulated_open(p, w->z);
    for (int n = 0; n < w->occupied; n++) {
        if (!r->slots[w->slot[n]].on_ground) continue;
        slot_gain(p, n, slot_of_contacts(p, n, c->lambda), slot_of_contacts(p, n, c->w), NEWTON_GIVE, mw->gain + 12 * n);
        slot_block(p, n);
    }
    rows_block(p, &c->rows, NEWTON_GIVE, x);
    articulated_solve(p, w->z, x);
    const vf zero = vf_zero();
    for (int n = 0; n < w->occupied; n++) {
        if (r->slots[w->slot[n]].on_ground) pack_add(p, n, mine, slot_change(p, n), c->lambda);
    }
    for (int n = 0; n < c->rows.n; n++) {
        const vf next = c->rows.lambda[n] + row_change(p, n, x);
        c->rows.lambda[n] = vf_select(vm_and(mine, problem_has_row(c, n)), next, c->rows.lambda[n]);
    }
    for (int k = 0; k < r->nv; k++) x[k] = vf_select(mine, -x[k], zero);
    factor_times(p, x, mw->Lu);
    r->variant->pull(p, mw->Lu, c->w); /* the velocities of the contacts, but for their bends */
    for (int k = 0; k < r->nv; k++) w->z[k] = vf_select(mine, w->z[k] + x[k], w->z[k]);
    pack_return(p);
    if (w->occupied || c->rows.n) {
        r->variant->push(p, w->h);
        joint_rows_push(p, w->h);
    }
}

#endif

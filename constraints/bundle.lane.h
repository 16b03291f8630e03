/* Contacts of one patch (collision/occupied.lane.h) move as one rigid thing: with the point of the first of them as reference, and xi_i
 * from there to the i-th, both in the contact's axes,
 *
 *     v_i = v + omega x xi_i
 *
 * So a bundle of them has six rows of J and of Y = L^-T J^T, whatever their number: velocity v of the reference, angular velocity omega. A
 * bundle of one needs the first three, which are those of that contact. The blocks of G between two bundles come from the 6 x 6 block W
 * that the bundles have, [1, -xi_i^] W [1, -xi_k^]', in place of a sum over all dofs for each block (the inverse inertia that a body shows
 * to forces on it; operational space, Khatib 1987).
 *
 * That the reference is each lane's own first contact keeps the numbers of a lane free of its neighbours', and its arm is zero: what
 * bundles of one leave out adds nothing. Float loses little by it: all arms are within one contact area. */
#ifndef MYR_CONSTRAINTS_BUNDLE_LANE_H
#define MYR_CONSTRAINTS_BUNDLE_LANE_H

#include "robot/contact_frame.lane.h"

/* Row `axis` of contact n's Y; the six rows of a bundle are its first two contacts'. */
static inline vf *slot_y(const part *p, int n, int axis) { return p->w->Y + (3 * n + axis) * p->r->max_path; }

static inline v3 slot_arm(const workspace *w, int n) { return v3_load(w->slot_arm + 3 * n); }

/* On a map the contacts of a patch may have axes of their own: entry n of a bundle is then turned against the bundle's axes, which are its
 * first contact's. Lanes where they are the same are left alone, zeros and their signs too: level ground is what a plane is, and no lane
 * sees what the one beside it meets. A turn: nine numbers, and whether it is one. */
enum { TURN_SIZE = 10 };
INLINE vf *slot_turn(const workspace *w, int n) { return w->slot_turn + TURN_SIZE * n; }
INLINE int slot_is_turned(const workspace *w, int n) { return w->turns && w->turned[n]; }
INLINE v3 turn_to_slot(const vf *t, v3 a) { return v3_select(vm_gt(t[9], vf_zero()), m3_mul(t, a), a); }
INLINE v3 turn_from_slot(const vf *t, v3 a) { return v3_select(vm_gt(t[9], vf_zero()), m3_mul_t(t, a), a); }
INLINE v3 bundle_to_slot(const workspace *w, int n, v3 a) { return slot_is_turned(w, n) ? turn_to_slot(slot_turn(w, n), a) : a; }
INLINE v3 bundle_from_slot(const workspace *w, int n, v3 a) { return slot_is_turned(w, n) ? turn_from_slot(slot_turn(w, n), a) : a; }

/* Which contacts of a bundle are turned against its axes, and by what. */
static void bundle_turns(const part *p, const bundle *b) {
    workspace *w = p->w;
    const vf *first = contact_frame(p, b->first);
    w->turned[b->first] = 0;
    for (int n = b->first + 1; n < b->first + b->n; n++) {
        const vf *frame = contact_frame(p, n);
        vm same = vm_eq(w->slot_active[n], vf_zero());
        same = vm_or(same, vm_and(vm_eq(frame[6], first[6]), vm_and(vm_eq(frame[7], first[7]), vm_eq(frame[8], first[8]))));
        w->turned[n] = vm_any(vm_not(same));
        if (!w->turned[n]) continue;
        w->turns = 1;
        vf *t = slot_turn(w, n);
        for (int i = 0; i < 9; i++) t[i] = v3_dot(v3_load(frame + 3 * (i / 3)), v3_load(first + 3 * (i % 3)));
        t[9] = vf_select(same, vf_zero(), vf_set(1));
    }
}

/* The block of G between contacts i and k of bundles, each in its own axes. */
static void block_turn(const workspace *w, int i, int k, vf *block) {
    if (slot_is_turned(w, i)) {
        for (int c = 0; c < 3; c++) {
            const v3 column = turn_to_slot(slot_turn(w, i), (v3){block[c], block[3 + c], block[6 + c]});
            block[c] = column.x, block[3 + c] = column.y, block[6 + c] = column.z;
        }
    }
    if (slot_is_turned(w, k))
        for (int a = 0; a < 9; a += 3) v3_store(block + a, turn_to_slot(slot_turn(w, k), v3_load(block + a)));
}

/* What x is for the contact n of a bundle, where it is `lin` for the reference and `ang` per angular velocity. */
static inline v3 bundle_at(const workspace *w, int n, v3 lin, v3 ang) {
    return bundle_to_slot(w, n, v3_cross_add(ang, slot_arm(w, n), lin));
}

/* The contacts cut into bundles; `lone`: into bundles of one, whatever they are. Patches of few slots (balls, capsules, one cylinder) are,
 * too: a lane has one or two of their contacts, for which six rows cost more than three for each. A matter of the model, never of what
 * lanes have: the two round differently. So are those that are taken in later: whether they lie next to the others of their patch is up to
 * the neighbours. */
static void bundles_open(const part *p, int lone) {
    workspace *w = p->w;
    const lane_slot *slots = p->r->slots, *last = NULL;
    w->bundles = w->turns = 0;
    for (int n = 0; n < w->occupied; n++) {
        const lane_slot *slot = &slots[w->slot[n]];
        const int joins = !lone && last && n < w->found && slot->patch == last->patch && !slot->few;
        if (!joins) w->bundle[w->bundles++] = (bundle){n, 0};
        w->bundle[w->bundles - 1].n++;
        last = slot;
    }
}

/* Force and moment about the reference of all impulses of a bundle. The moment is zero to the bit where a lane has the first alone. */
static inline void bundle_wrench(const workspace *w, const bundle *b, v3 *force, v3 *moment) {
    *force = *moment = v3_zero();
    for (int n = b->first; n < b->first + b->n; n++) {
        const v3 l = bundle_from_slot(w, n, v3_load(w->slot_lambda + 3 * n));
        *force = v3_add(*force, l);
        if (n > b->first) *moment = v3_cross_add(slot_arm(w, n), l, *moment);
    }
}

/* t += Y lambda of a bundle. The moment comes first: zeros are then added to something that is not -0. */
static inline void bundle_push(const part *p, const bundle *b, vf *t) {
    const lane_slot *slot = &p->r->slots[p->w->slot[b->first]];
    const int stride = p->r->max_path, *path = slot->path;
    const vf *y = slot_y(p, b->first, 0);
    v3 f, m;
    bundle_wrench(p->w, b, &f, &m);
    for (int j = 0; j < slot->path_length; j++, y++) {
        vf sum = t[path[j]];
        if (b->n > 1) sum = vf_fma(y[3 * stride], m.x, vf_fma(y[4 * stride], m.y, vf_fma(y[5 * stride], m.z, sum)));
        t[path[j]] = vf_fma(y[0], f.x, vf_fma(y[stride], f.y, vf_fma(y[2 * stride], f.z, sum)));
    }
}

/* Y' x of each contact of a bundle, three to each; x by dof. */
static inline void bundle_velocities(const part *p, const bundle *b, const vf *x, vf *out) {
    const lane_slot *slot = &p->r->slots[p->w->slot[b->first]];
    const int stride = p->r->max_path, *path = slot->path;
    const vf *y = slot_y(p, b->first, 0);
    v3 lin = v3_zero(), ang = v3_zero();
    for (int j = 0; j < slot->path_length; j++, y++) {
        const vf mine = x[path[j]];
        lin = v3_fma(mine, (v3){y[0], y[stride], y[2 * stride]}, lin);
        if (b->n > 1) ang = v3_fma(mine, (v3){y[3 * stride], y[4 * stride], y[5 * stride]}, ang);
    }
    v3_store(out, lin);
    for (int k = 1; k < b->n; k++) v3_store(out + 3 * k, bundle_at(p->w, b->first + k, lin, ang));
}

#endif

/* Single contacts between two groups of shapes, as MuJoCo's `contact` sensor has them. A contact is one of the step's that touched. */
#ifndef MYR_SENSORS_CONTACT_LANE_H
#define MYR_SENSORS_CONTACT_LANE_H

#include "sensors/contacts.lane.h"

/* Of each place in w->sensed, behind the number of contacts; KEY: those with lower ones go before it, infinity: nothing is there. FORCE is
 * an impulse on the second shape. */
enum { KEY = 0, DIST = 1, POS = 2, NORMAL = 5, TANGENT = 8, FORCE_ON = 11, TWIST = 14 };
_Static_assert(TWIST + 3 == MYR_CONTACT_KEPT, "the model says how much is kept");

/* Open contacts that carry no impulse do not count. */
static inline vm contact_touches(const part *p, int n, vm mine) {
    if (!(p->options->terms.gap > 0) && !p->options->landing) return mine;
    return vm_and(mine, vm_or(vm_le(p->w->slot_gap[n], vf_zero()), vm_gt(p->w->slot_lambda[3 * n + 2], vf_zero())));
}

/* Contact n seen from the sensor's first shape to the second; `order`: how many came before it. */
static void contact_seen(const part *p, const lane_sensor *s, int n, int sign, vm mine, vf order, vf out[MYR_CONTACT_KEPT]) {
    const v3 up = contact_axis(p, n, 2), side = contact_axis(p, n, 0); /* up: from the second of its shapes to the first */
    const v3 normal = sign > 0 ? v3_scale(vf_set(-1), up) : up, push = contact_impulse(p, n, mine, -sign), across = v3_cross(normal, side);
    out[DIST] = p->w->slot_gap[n];
    v3_store(out + POS, contact_place(p, n));
    v3_store(out + NORMAL, normal), v3_store(out + TANGENT, side);
    v3_store(out + FORCE_ON, (v3){v3_dot(normal, push), v3_dot(side, push), v3_dot(across, push)});
    v3_store(out + TWIST, v3_zero());
    out[KEY] = s->given->reduce == MYR_REDUCE_MINDIST ? out[DIST] : s->given->reduce == MYR_REDUCE_MAXFORCE ? -v3_dot(push, push) : order;
}

/* Into the places where it comes before what is there, which goes on to the next one. */
static void contact_sort_in(int places, vm mine, vf one[MYR_CONTACT_KEPT], vf *kept) {
    for (int k = 0; k < places; k++, kept += MYR_CONTACT_KEPT) {
        const vm before = vm_and(mine, vm_lt(one[KEY], kept[KEY]));
        for (int i = 0; i < MYR_CONTACT_KEPT; i++) {
            const vf there = kept[i];
            kept[i] = vf_select(before, one[i], there), one[i] = vf_select(before, there, one[i]);
        }
    }
}

/* All as one: sums for now, of forces in world axes, of their torques about the world's origin, of places times sizes. */
static void contact_add(vm mine, const vf one[MYR_CONTACT_KEPT], vf *kept) {
    const v3 n = v3_load(one + NORMAL), t = v3_load(one + TANGENT), at = v3_load(one + POS);
    const v3 push = v3_fma(one[FORCE_ON], n, v3_fma(one[FORCE_ON + 1], t, v3_scale(one[FORCE_ON + 2], v3_cross(n, t))));
    const vf size = vf_sqrt(v3_dot(push, push));
    v3_store(kept + FORCE_ON, v3_select(mine, v3_add(v3_load(kept + FORCE_ON), push), v3_load(kept + FORCE_ON)));
    v3_store(kept + TWIST, v3_select(mine, v3_add(v3_load(kept + TWIST), v3_cross(at, push)), v3_load(kept + TWIST)));
    v3_store(kept + POS, v3_select(mine, v3_fma(size, at, v3_load(kept + POS)), v3_load(kept + POS)));
    kept[DIST] = vf_select(mine, kept[DIST] + size, kept[DIST]);
    kept[KEY] = vf_select(mine, vf_zero(), kept[KEY]);
}

static void contact_net(vf *kept) {
    const vf zero = vf_zero(), one = vf_set(1), size = kept[DIST];
    const vm pushes = vm_gt(size, zero);
    const v3 at = v3_scale(vf_select(pushes, one / vf_select(pushes, size, one), zero), v3_load(kept + POS));
    v3_store(kept + POS, at), kept[DIST] = zero;
    v3_store(kept + TWIST, v3_sub(v3_load(kept + TWIST), v3_cross(at, v3_load(kept + FORCE_ON))));
    v3_store(kept + NORMAL, (v3){one, zero, zero}), v3_store(kept + TANGENT, (v3){zero, one, zero});
}

static void contact_look(const part *p, const lane_sensor *s, vf *kept) {
    const int places = s->given->contacts, net = s->given->reduce == MYR_REDUCE_NETFORCE;
    vf *count = kept++, one[MYR_CONTACT_KEPT];
    *count = vf_zero();
    for (int i = 0; i < places * MYR_CONTACT_KEPT; i++) kept[i] = i % MYR_CONTACT_KEPT == KEY ? vf_set((real)__builtin_inf()) : vf_zero();
    EACH_CONTACT(p, s, n, mine, sign, vm counts = contact_touches(p, n, mine);
                 if (s->volume) counts = vm_and(counts, within(s, place_in(p, &s->of, contact_place(p, n)))); if (!vm_any(counts)) continue;
                 contact_seen(p, s, n, sign, counts, *count, one); if (net) contact_add(counts, one, kept);
                 else contact_sort_in(places, counts, one, kept); *count = vf_select(counts, *count + vf_set(1), *count);)
    if (net) contact_net(kept);
}

static void contact_show(const sensing *x, const lane_sensor *s, const vf *kept, vf *out) {
    static const struct {
        unsigned bit;
        int first, n;
    } data[] = {{MYR_SHOW_FORCE, FORCE_ON, 3}, {MYR_SHOW_TORQUE, TWIST, 3},  {MYR_SHOW_DIST, DIST, 1},
                {MYR_SHOW_POS, POS, 3},        {MYR_SHOW_NORMAL, NORMAL, 3}, {MYR_SHOW_TANGENT, TANGENT, 3}};
    const vf zero = vf_zero(), per_dt = vf_set(1) / x->dt, count = *kept++;
    for (int k = 0; k < s->given->contacts; k++, kept += MYR_CONTACT_KEPT) {
        const vm there = x->moment == SENSE_SHOWN ? vm_none() : vm_lt(kept[KEY], vf_set((real)__builtin_inf()));
        if (s->given->data & MYR_SHOW_FOUND) *out++ = vf_select(there, count, zero);
        for (size_t d = 0; d < sizeof data / sizeof *data; d++)
            for (int i = 0; i < data[d].n && s->given->data & data[d].bit; i++) {
                const vf value = kept[data[d].first + i];
                *out++ = vf_select(there, data[d].first >= FORCE_ON ? per_dt * value : value, zero);
            }
    }
}

static void sensor_contact(const sensing *x, const lane_sensor *s, vf *kept, vf *out) {
    if (x->moment == SENSE_TOUCHED) contact_look(x->p, s, kept);
    if (x->moment == SENSE_AFTER || x->moment == SENSE_SHOWN) contact_show(x, s, kept, out);
}

#endif

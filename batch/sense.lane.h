/* sense: what the caller asked to see, written to the output rows. Bodies are shown after the step, contacts as they
 * were solved. Lanes in quarantine keep what they showed last. */
#ifndef MYR_BATCH_SENSE_LANE_H
#define MYR_BATCH_SENSE_LANE_H

#include "constraints/loops_project.lane.h"
#include "dynamics/integrate.lane.h"
#include "dynamics/poses.lane.h"
#include "robot/contact_frame.lane.h"
#include "robot/touch.lane.h"
#include "sensors/sensors.lane.h"

static inline void show(const part *p, int r, vm alive, vf value) {
    vf *out = row(p, r);
    *out = vf_select(alive, value, *out);
}

/* Contact n, where it is the slot whose impulse begins at row `first` of theirs. */
static void sense_contact(const part *p, int n, int first, vm touching) {
    const robot *r = p->r;
    const int point = r->layout.first[MYR_ROWS_contact_point] + first, normal = r->layout.first[MYR_ROWS_contact_normal] + first,
              depth = r->layout.first[MYR_ROWS_contact_depth] + first / 3;
    const v3 x = contact_place(p, n);
    show(p, point, touching, x.x);
    show(p, point + 1, touching, x.y);
    show(p, point + 2, touching, x.z);
    const v3 z = contact_axis(p, n, 2);
    show(p, normal, touching, z.x);
    show(p, normal + 1, touching, z.y);
    show(p, normal + 2, touching, z.z);
    show(p, depth, touching, vf_zero() - p->w->slot_gap[n]);
}

static void sense_contacts(const part *p, vm alive) {
    const robot *r = p->r;
    const workspace *w = p->w;
    const int impulse = r->layout.first[MYR_ROWS_impulse], point = r->layout.first[MYR_ROWS_contact_point],
              normal = r->layout.first[MYR_ROWS_contact_normal], depth = r->layout.first[MYR_ROWS_contact_depth];
    for (int k = 0, n = w->shown < 0 ? r->n_slots : w->shown; k < n; k++) {
        const int first = r->slots[w->shown < 0 ? k : w->shown_slot[k]].row - impulse;
        for (int e = first; e < first + 3; e++) show(p, point + e, alive, vf_zero()), show(p, normal + e, alive, vf_zero());
        show(p, depth + first / 3, alive, vf_zero());
    }
    for (int t = 0; t < w->touched; t++) {
        const slot_touch *is = &w->touch[t];
        const int first = r->slots[is->slot].row - impulse;
        for (int n = is->first; n < is->end; n++) {
            vm touching = vm_and(alive, contact_lanes(w, t, n));
            if (p->options->terms.gap > 0 || p->options->landing) /* open contacts that carry no impulse are not reported */
                touching = vm_and(touching, vm_or(vm_le(w->slot_gap[n], vf_zero()), vm_gt(w->slot_lambda[3 * n + 2], vf_zero())));
            sense_contact(p, n, first, touching);
        }
    }
}

static void sense_bodies(const part *p, vm alive) {
    const robot *r = p->r;
    workspace *w = p->w;
    kinematics(p); /* of the state after the step */
    vf *velocity = w->Y;
    body_velocities(p, velocity);
    for (int i = 0; i < r->n_bodies; i++) {
        vf pose[7];
        body_pose(p, i, pose);
        for (int k = 0; k < 7; k++) show(p, r->layout.first[MYR_ROWS_body_pose] + 7 * i + k, alive, pose[k]);
        for (int k = 0; k < 6; k += 3) {
            const v3 world = m3_mul(w->R0 + 9 * r->bodies[i].tree, v3_load(velocity + 6 * i + k));
            const int out = r->layout.first[MYR_ROWS_body_velocity] + 6 * i + k;
            show(p, out, alive, world.x);
            show(p, out + 1, alive, world.y);
            show(p, out + 2, alive, world.z);
        }
    }
}

/* Contacts first: positions that close the loops, and the bodies there, write over where the step found them. */
static void sense(const part *p) {
    const vm alive = vm_from_bits(p->alive & ~stopped_lanes(p->w->bad));
    if (p->r->n_sensors) sensors_touched(p);
    if (p->options->settings->sense_contacts) sense_contacts(p, alive);
    if (p->options->loop_projection && p->r->n_loops) loops_project(p, p->w->bad);
    if (p->options->settings->sense_bodies) sense_bodies(p, alive);
    if (p->r->n_sensors) sensors_after(p, alive);
}

/* What is shown of a state that no step led to: an episode begins, or the caller set it. `pushed`: a step did, and velocities changed
 * since. */
static void sense_state(const part *p, vm lanes, int pushed) {
    if (p->options->settings->sense_bodies) sense_bodies(p, lanes);
    if (p->r->n_sensors) sensors_show(p, lanes, pushed);
}

#endif

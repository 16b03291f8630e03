/* Sensors in a step: who is asked when. A new kind: a line in include/myriapod/sensors.def, and its function in a file that is included
 * here. */
#ifndef MYR_SENSORS_SENSORS_LANE_H
#define MYR_SENSORS_SENSORS_LANE_H

#include "sensors/accelerations.lane.h"
#include "sensors/contact.lane.h"
#include "sensors/contacts.lane.h"
#include "sensors/frames.lane.h"
#include "sensors/joints.lane.h"
#include "sensors/looks.lane.h"
#include "sensors/signal.lane.h"
#include "sensors/subtree.lane.h"

static sensor_reads *const sensor_kinds[] = {
#define MYR_SENSOR(NAME, name, rows, unit, of, when, kept, doc) sensor_##name,
#include "myriapod/sensors.def"
#undef MYR_SENSOR
};

/* Where a sensor that counts finds what it read last. */
static inline vf *sensor_counts(const part *p, const lane_sensor *s) {
    return s->memory < 0 ? row(p, s->row) : signal_row(p, s, s->kept_rows.raw);
}

/* A moment of a step for one sensor. `lanes`: those whose rows may change. */
static void sensor_sees(const sensing *x, const lane_sensor *s, vm lanes) {
    const part *p = x->p;
    const int shows = x->moment == SENSE_AFTER || x->moment == SENSE_SHOWN, counts = s->when == MYR_SENSED_EVERY;
    vf *out = p->w->reading, *kept = p->w->sensed + s->kept;
    vm due = lanes;
    if (shows && s->memory >= 0) {
        if (x->pushed) due = signal_fresh(p, s, lanes);
        if (x->moment == SENSE_AFTER) due = p->ends || s->signal->every == 0 ? signal_due(p, s, lanes) : vm_none();
        if (!counts && !vm_any(due)) return;
    }
    if (counts)
        for (int k = 0; k < s->size; k++) out[k] = sensor_counts(p, s)[PARTS * k];
    sensor_kinds[s->kind](x, s, kept, out);
    if (!shows) return;
    if (counts && s->memory >= 0) {
        for (int k = 0; k < s->size; k++) sensor_counts(p, s)[PARTS * k] = vf_select(lanes, out[k], sensor_counts(p, s)[PARTS * k]);
        if (!vm_any(due)) return;
    }
    for (int k = 0; k < s->size; k++) {
        const vf reading = s->scale == 1 ? out[k] : vf_set(s->scale) * out[k];
        out[k] = s->cutoff > 0 ? vf_max(vf_min(reading, vf_set(s->cutoff)), vf_set(-s->cutoff)) : reading;
    }
    if (s->memory >= 0) {
        signal_take(p, s, out, due, x->moment == SENSE_SHOWN);
        return;
    }
    vf *rows = row(p, s->row);
    for (int k = 0; k < s->size; k++) rows[PARTS * k] = vf_select(lanes, out[k], rows[PARTS * k]);
}

enum { WHEN_AFTER = 1u << MYR_SENSED_AFTER, WHEN_OVER = 1u << MYR_SENSED_OVER, WHEN_EVERY = 1u << MYR_SENSED_EVERY };

/* Lets every sensor of the kinds `when` (a bit each) see a moment; readings go into the tile's rows of the lanes `lanes`. */
static void sensors_see(const part *p, sense_moment moment, unsigned when, const vf *velocity, vm lanes) {
    const robot *r = p->r;
    const int pushed = moment == SENSE_SHOWN && !(when & WHEN_OVER);
    const sensing x = {.p = p, .moment = moment, .pushed = pushed, .velocity = velocity, .dt = vf_set(p->dt)};
    const int all = p->ends || moment == SENSE_SHOWN;
    if (!(r->senses_when & when)) return; /* most moments of most robots */
    for (int i = 0; i < r->n_sensors; i++) {
        const lane_sensor *s = &r->sensors[i];
        if (!(when >> s->when & 1u)) continue;
        if (all || s->when == MYR_SENSED_EVERY || s->signal->every == 0) sensor_sees(&x, s, lanes);
    }
}

static void sensors_move(const part *p) {
    if (p->r->senses_velocity) body_velocities(p, p->w->Y);
}

/* Stage: poses and velocities before the last step of a control step, or before each where some sensor asks for that. */
static void sensors_before(const part *p) {
    if (!p->ends && !p->r->senses_each) return;
    sensors_move(p);
    sensors_see(p, SENSE_BEFORE, WHEN_OVER, p->w->Y, vm_none());
}

/* The step's contacts are solved, and the poses are still those before it. */
static void sensors_touched(const part *p) { sensors_see(p, SENSE_TOUCHED, (unsigned)WHEN_EVERY | (unsigned)WHEN_OVER, NULL, vm_none()); }

/* The step is over. */
static void sensors_after(const part *p, vm good) {
    sensors_see(p, SENSE_AFTER, WHEN_EVERY, NULL, good);
    if (!p->ends && !p->r->senses_each) return;
    kinematics(p); /* of the state after the step */
    sensors_move(p);
    sensors_see(p, SENSE_AFTER, WHEN_AFTER | WHEN_OVER, p->w->Y, good);
}

/* Of a state that no step led to: an episode begins, or the caller set it. `pushed`: a step did, and then velocities were changed, so that
 * means over the step stay. */
static void sensors_show(const part *p, vm lanes, int pushed) {
    kinematics(p);
    sensors_move(p);
    sensors_see(p, SENSE_SHOWN, WHEN_AFTER | (pushed ? 0u : (unsigned)WHEN_OVER), p->w->Y, lanes);
}

#endif

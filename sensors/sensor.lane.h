/* What sensors see: frames, bodies and contacts of a part, and the moments at which a step asks them. */
#ifndef MYR_SENSORS_SENSOR_LANE_H
#define MYR_SENSORS_SENSOR_LANE_H

#include "dynamics/poses.lane.h"
#include "robot/actuator_state.lane.h"
#include "robot/contact_frame.lane.h"
#include "robot/touch.lane.h"

/* BEFORE: poses and velocities are those before the step. TOUCHED: the contacts of the step are solved. AFTER: poses and velocities are
 * those after it. A sensor that keeps nothing is asked after the step alone. SHOWN: as after, but no step was made: what is a mean over a
 * step reads as if nothing had changed in it. */
typedef enum { SENSE_BEFORE, SENSE_TOUCHED, SENSE_AFTER, SENSE_SHOWN } sense_moment;

typedef struct sensing {
    const part *p;
    sense_moment moment;
    int pushed;         /* SHOWN after a step: velocities alone changed, and what measured in it measures again */
    const vf *velocity; /* per body: linear of its origin, angular, base axes (body_velocities) */
    vf dt;
} sensing;

/* Sensor `s` reads into `out`; `kept` has its numbers from one moment of the step to the next. */
typedef void sensor_reads(const sensing *x, const lane_sensor *s, vf *kept, vf *out);

/* ---- frames ---------------------------------------------------------------------------------------- */

/* A frame in the world: origin, axes (columns of R), and their motion. */
typedef struct frame_motion {
    v3 at, linear, angular;
    vf R[9];
} frame_motion;

/* Inline: most sensors read a part of it. */
INLINE frame_motion frame_of(const sensing *x, const lane_frame *f) {
    const part *p = x->p;
    frame_motion m;
    if (f->body < 0) {
        m = (frame_motion){.at = v3_uniform(f->at), .linear = v3_zero(), .angular = v3_zero()};
        for (int k = 0; k < 9; k++) m.R[k] = vf_set(f->R[k]);
        return m;
    }
    const int tree = p->r->bodies[f->body].tree;
    const vf *R0 = p->w->R0 + 9 * tree, *body = p->w->R + 9 * f->body, *moves = x->velocity + 6 * f->body;
    const v3 arm = m3_mul(body, v3_uniform(f->at)), angular = v3_load(moves + 3);
    m.at = v3_add(tree_position(p, tree), m3_mul(R0, v3_add(v3_load(p->w->p + 3 * f->body), arm)));
    m.linear = m3_mul(R0, v3_cross_add(angular, arm, v3_load(moves)));
    m.angular = m3_mul(R0, angular);
    body_axes(p, f->body, f->R, m.R);
    return m;
}

/* World axes to the frame's. */
static inline v3 frame_in(const frame_motion *m, v3 a) { return m3_mul_t(m->R, a); }

static inline v3 gravity_of(const part *p) {
    return (v3){field(p, MYR_ROWS_gravity, 0), field(p, MYR_ROWS_gravity, 1), field(p, MYR_ROWS_gravity, 2)};
}

#endif

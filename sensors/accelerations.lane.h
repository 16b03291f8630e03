/* Accelerations of a frame: changes of its velocity over the last step, so that an impact is seen whole. */
#ifndef MYR_SENSORS_ACCELERATIONS_LANE_H
#define MYR_SENSORS_ACCELERATIONS_LANE_H

#include "sensors/sensor.lane.h"

/* Change of a velocity over the step, by time; `now`: the velocity at this moment. Zero where no step was made. */
static inline v3 mean_rate(const sensing *x, v3 now, const vf *kept) {
    return x->moment == SENSE_SHOWN ? v3_zero() : v3_scale(vf_set(1) / x->dt, v3_sub(now, v3_load(kept)));
}

/* Of the frame's origin less gravity, world axes. */
static inline v3 felt(const sensing *x, const frame_motion *is, const vf *kept) {
    return v3_sub(mean_rate(x, is->linear, kept), gravity_of(x->p));
}

static void sensor_accelerometer(const sensing *x, const lane_sensor *s, vf *kept, vf *out) {
    if (x->moment == SENSE_TOUCHED) return;
    const frame_motion is = frame_of(x, &s->of);
    if (x->moment == SENSE_BEFORE)
        v3_store(kept, is.linear);
    else
        v3_store(out, frame_in(&is, felt(x, &is, kept)));
}

static void sensor_framelinacc(const sensing *x, const lane_sensor *s, vf *kept, vf *out) {
    if (x->moment == SENSE_TOUCHED) return;
    const frame_motion is = frame_of(x, &s->of);
    if (x->moment == SENSE_BEFORE)
        v3_store(kept, is.linear);
    else
        v3_store(out, felt(x, &is, kept));
}

static void sensor_frameangacc(const sensing *x, const lane_sensor *s, vf *kept, vf *out) {
    if (x->moment == SENSE_TOUCHED) return;
    const frame_motion is = frame_of(x, &s->of);
    if (x->moment == SENSE_BEFORE)
        v3_store(kept, is.angular);
    else
        v3_store(out, mean_rate(x, is.angular, kept));
}

#endif

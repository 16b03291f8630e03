/* Sensors of a frame: where it is, how it moves, and what a direction of the world is in its axes. */
#ifndef MYR_SENSORS_FRAMES_LANE_H
#define MYR_SENSORS_FRAMES_LANE_H

#include "sensors/sensor.lane.h"

/* framepos to frameangvel are seen from `ref`; that is the world, which stands still, unless the sensor says otherwise. */
static void sensor_framepos(const sensing *x, const lane_sensor *s, vf *kept, vf *out) {
    const frame_motion is = frame_of(x, &s->of), from = frame_of(x, &s->ref);
    (void)kept;
    v3_store(out, frame_in(&from, v3_sub(is.at, from.at)));
}

static void sensor_framequat(const sensing *x, const lane_sensor *s, vf *kept, vf *out) {
    const frame_motion is = frame_of(x, &s->of), from = frame_of(x, &s->ref);
    vf turned[9];
    (void)kept;
    for (int k = 0; k < 3; k++) {
        const v3 column = frame_in(&from, (v3){is.R[k], is.R[3 + k], is.R[6 + k]});
        turned[k] = column.x, turned[3 + k] = column.y, turned[6 + k] = column.z;
    }
    matrix_quat(turned, out);
}

static inline void frame_axis(const sensing *x, const lane_sensor *s, int k, vf *out) {
    const frame_motion is = frame_of(x, &s->of), from = frame_of(x, &s->ref);
    v3_store(out, frame_in(&from, (v3){is.R[k], is.R[3 + k], is.R[6 + k]}));
}
static void sensor_framexaxis(const sensing *x, const lane_sensor *s, vf *kept, vf *out) { (void)kept, frame_axis(x, s, 0, out); }
static void sensor_frameyaxis(const sensing *x, const lane_sensor *s, vf *kept, vf *out) { (void)kept, frame_axis(x, s, 1, out); }
static void sensor_framezaxis(const sensing *x, const lane_sensor *s, vf *kept, vf *out) { (void)kept, frame_axis(x, s, 2, out); }

static void sensor_framelinvel(const sensing *x, const lane_sensor *s, vf *kept, vf *out) {
    const frame_motion is = frame_of(x, &s->of), from = frame_of(x, &s->ref);
    const v3 carried = v3_cross(from.angular, v3_sub(is.at, from.at));
    (void)kept;
    v3_store(out, frame_in(&from, v3_sub(v3_sub(is.linear, from.linear), carried)));
}

static void sensor_frameangvel(const sensing *x, const lane_sensor *s, vf *kept, vf *out) {
    const frame_motion is = frame_of(x, &s->of), from = frame_of(x, &s->ref);
    (void)kept;
    v3_store(out, frame_in(&from, v3_sub(is.angular, from.angular)));
}

static void sensor_gyro(const sensing *x, const lane_sensor *s, vf *kept, vf *out) {
    const frame_motion is = frame_of(x, &s->of);
    (void)kept;
    v3_store(out, frame_in(&is, is.angular));
}

static void sensor_velocimeter(const sensing *x, const lane_sensor *s, vf *kept, vf *out) {
    const frame_motion is = frame_of(x, &s->of);
    (void)kept;
    v3_store(out, frame_in(&is, is.linear));
}

static void sensor_magnetometer(const sensing *x, const lane_sensor *s, vf *kept, vf *out) {
    const frame_motion is = frame_of(x, &s->of);
    (void)kept;
    v3_store(out, frame_in(&is, v3_uniform(s->vector)));
}

static void sensor_height(const sensing *x, const lane_sensor *s, vf *kept, vf *out) {
    const part *p = x->p;
    const frame_motion is = frame_of(x, &s->of);
    (void)kept;
    vf ground = vf_set((real)p->options->ground);
    if (p->r->ground.map) {
        const ground_origin origin = ground_origin_of(p);
        ground = ground_height(&p->r->ground, &origin, is.at.x, is.at.y);
    }
    *out = is.at.z - ground;
}

static void sensor_projected_gravity(const sensing *x, const lane_sensor *s, vf *kept, vf *out) {
    const frame_motion is = frame_of(x, &s->of);
    (void)kept;
    v3_store(out, (v3){-is.R[6], -is.R[7], -is.R[8]});
}

#endif

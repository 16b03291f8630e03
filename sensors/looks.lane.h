/* Sensors that look: at the ground about a frame, or along rays from it. */
#ifndef MYR_SENSORS_LOOKS_LANE_H
#define MYR_SENSORS_LOOKS_LANE_H

#include "collision/rays.lane.h"
#include "dynamics/kinematics.lane.h"
#include "robot/scan.lane.h"
#include "sensors/sensor.lane.h"

static void sensor_height_scan(const sensing *x, const lane_sensor *s, vf *kept, vf *out) {
    const frame_motion is = frame_of(x, &s->of);
    const myr_sensor_look *look = &s->given->look;
    const int n = s->given->n_rays;
    (void)kept;
    if (!x->p->r->ground.map) { /* one height for all points: where they are does not matter */
        const vf level = scan_plane(x->p, is.at), value = look->value == MYR_SCAN_CLEARANCE ? is.at.z - level : level;
        for (int k = 0; k < (look->least ? 1 : n); k++) out[k] = value;
        return;
    }
    const myr_scan_pattern pattern = {s->given->rays, n, s->reach};
    const scan_pose pose = scan_pose_of(is.at, is.R[0], is.R[3]);
    scan_ground(x->p, &pose, &pattern, look->scan, out);
    for (int k = 0; k < n && look->value == MYR_SCAN_CLEARANCE; k++) out[k] = is.at.z - out[k];
    for (int k = 1; k < n && look->least; k++) out[0] = vf_min(out[0], out[k]);
}

static void sensor_rays(const sensing *x, const lane_sensor *s, vf *kept, vf *out) {
    const part *p = x->p;
    frame_motion is = frame_of(x, &s->of);
    const ray_scene scene = {p, &s->look, s->look.shapes ? p->options->ray_shapes : NULL, s->given->hidden, p->w->ray_place};
    const vf range = vf_set((real)s->look.range_m), zero = vf_zero();
    const vf pose = vf_fma(zero, ((is.at.x + is.at.y) + is.at.z) + ((is.R[0] + is.R[4]) + is.R[8]), zero); /* NaN where it is */
    (void)kept;
    if (s->look.axes == MYR_RAYS_HEADING_AXES) {
        const scan_pose heading = scan_pose_of(is.at, is.R[0], is.R[3]);
        identity(is.R);
        is.R[0] = is.R[4] = heading.c, is.R[1] = -heading.s, is.R[3] = heading.s;
    }
    ray_place(&scene);
    for (int k = 0; k < s->given->n_rays; k++) {
        const double *ray = s->given->rays + 6 * k;
        const v3 from = {vf_set((real)ray[0]), vf_set((real)ray[1]), vf_set((real)ray[2])};
        const v3 along = {vf_set((real)ray[3]), vf_set((real)ray[4]), vf_set((real)ray[5])};
        const vf distance = ray_cast(&scene, m3_mul_add(is.R, from, is.at), m3_mul(is.R, along), range).distance + pose;
        out[k] = s->given->look.depth ? distance * -along.z : distance;
    }
}

static void sensor_rangefinder(const sensing *x, const lane_sensor *s, vf *kept, vf *out) { sensor_rays(x, s, kept, out); }

#endif

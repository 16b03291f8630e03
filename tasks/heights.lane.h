/* Heights of the ground around a robot, as legged_gym observes them (Rudin 2022): 17 x 11 points about the base, 0.1 m apart, x -0.8 to 0.8
 * and y -0.5 to 0.5, y fast; how far the base is above each, less 0.5 m, within 1 m. */
#ifndef MYR_TASKS_HEIGHTS_LANE_H
#define MYR_TASKS_HEIGHTS_LANE_H

#include <string.h>

#include "robot/scan.lane.h"

enum { SCAN_X = 17, SCAN_Y = 11, SCAN_POINTS = SCAN_X * SCAN_Y };

/* The setting `scan`: a myr_scan_kind; -1: off. */
static inline int scan_wanted(const myr_settings *settings) {
    static const char *const words[] = {"exact", "bilinear", "min3", "nearest"}; /* in the order of myr_scan_kind */
    for (int k = 0; k < 4; k++)
        if (strcmp(settings->scan, words[k]) == 0) return k;
    return -1;
}

static inline void scan_heights_seen(const part *p, myr_scan_kind kind, vf *out) {
    double points[2 * SCAN_POINTS];
    for (int k = 0; k < SCAN_POINTS; k++)
        points[2 * k] = 0.1 * (k / SCAN_Y - SCAN_X / 2), points[2 * k + 1] = 0.1 * (k % SCAN_Y - SCAN_Y / 2);
    const myr_scan_pattern pattern = {points, SCAN_POINTS, 0.1 * (SCAN_X / 2)};
    const scan_pose base = scan_base(p, 0);
    const vf most = vf_set(1), over = base.at.z - vf_set((real)0.5);
    scan_ground(p, &base, &pattern, kind, out);
    for (int k = 0; k < SCAN_POINTS; k++) out[k] = vf_max(vf_min(over - out[k], most), -most);
}

#endif

/* What tasks observe that takes more than a line, whether they are in C or tables. */
#ifndef MYR_TASKS_SEEN_LANE_H
#define MYR_TASKS_SEEN_LANE_H

#include "robot/scan.lane.h"
#include "tasks/motion.lane.h"
#include "tasks/seen.h"

/* Of each actuator its length less that at home, as its encoder has it. */
static inline void lengths_seen(const part *p, vf *out) {
    for (int u = 0; u < p->r->nu; u++) out[u] = encoded(p, u, actuator_length(p, u) - vf_set(p->r->actuators[u].length));
}

static inline void heights_seen(const part *p, vf *out) {
    double points[2 * MYR_SCAN_POINTS];
    for (int k = 0; k < MYR_SCAN_POINTS; k++)
        points[2 * k] = 0.1 * (k / MYR_SCAN_Y - MYR_SCAN_X / 2), points[2 * k + 1] = 0.1 * (k % MYR_SCAN_Y - MYR_SCAN_Y / 2);
    const myr_scan_pattern pattern = {points, MYR_SCAN_POINTS, 0.1 * (MYR_SCAN_X / 2)};
    const scan_pose base = scan_base(p, 0);
    const vf most = vf_set(1), over = base.at.z - vf_set((real)0.5);
    scan_ground(p, &base, &pattern, (myr_scan_kind)myr_scan_wanted(p->options->settings), out);
    for (int k = 0; k < MYR_SCAN_POINTS; k++) out[k] = vf_max(vf_min(over - out[k], most), -most);
}

#endif

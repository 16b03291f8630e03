/* A scan of a tile: places from the present state, the ground below points about them (robot/scan.lane.h), and rows of the caller's array.
 */
#ifndef MYR_BATCH_SCAN_LANE_H
#define MYR_BATCH_SCAN_LANE_H

#include "batch/sense.lane.h"
#include "robot/scan.lane.h"

enum { SCAN_ROWS = 8 * SCAN_BLOCK }; /* points on their way to the caller's array */

/* Where a frame of the model is, after kinematics that keeps rotations. */
static scan_pose scan_frame(const part *p, int frame) {
    const myr_frame *f = &p->r->model->frames[frame];
    const double *at = f->position, *R = f->rotation;
    if (f->body < 0)
        return scan_pose_of((v3){vf_set((real)at[0]), vf_set((real)at[1]), vf_set((real)at[2])}, vf_set((real)R[0]), vf_set((real)R[3]));
    const lane_body *b = &p->r->bodies[f->body];
    const vf *R0 = p->w->R0 + 9 * b->tree, *turned = p->w->R + 9 * f->body;
    real arm[3], ahead[3]; /* in the body's aligned axes */
    for (int k = 0; k < 3; k++) {
        const real *a = b->align + 3 * k;
        arm[k] = a[0] * (real)at[0] + a[1] * (real)at[1] + a[2] * (real)at[2];
        ahead[k] = a[0] * (real)R[0] + a[1] * (real)R[3] + a[2] * (real)R[6];
    }
    const v3 origin = m3_mul_add(turned, v3_uniform(arm), v3_load(p->w->p + 3 * f->body));
    const v3 axis = m3_mul(R0, m3_mul(turned, v3_uniform(ahead)));
    return scan_pose_of(v3_add(tree_position(p, b->tree), m3_mul(R0, origin)), axis.x, axis.y);
}

/* Row of the caller's array <- n numbers of a lane. */
static void scan_write(const myr_scan_job *job, int64_t at, const vf *rows, int lane, int n) {
    const real *from = (const real *)(const void *)rows + lane;
    if (job->type == MYR_F32) {
        float *to = (float *)job->out + at;
        for (int k = 0; k < n; k++) to[k] = (float)from[k * VN];
    } else {
        double *to = (double *)job->out + at;
        for (int k = 0; k < n; k++) to[k] = (double)from[k * VN];
    }
}

/* `mine`: lanes of the part, of which the first is row `first_row`. */
static void scan_part(const part *p, const scan_pose *at, unsigned mine, const myr_scan_job *job, int64_t first_row) {
    const int n = job->pattern.n;
    vf rows[SCAN_ROWS], least = vf_zero();
    for (int j = 0; j < n; j += SCAN_ROWS) {
        const int some = n - j < SCAN_ROWS ? n - j : SCAN_ROWS;
        const myr_scan_pattern pattern = {job->pattern.points + 2 * j, some, job->pattern.reach};
        scan_ground(p, at, &pattern, job->kind, rows);
        for (int k = 0; job->value == MYR_SCAN_CLEARANCE && k < some; k++) rows[k] = at->at.z - rows[k];
        for (int k = 0; job->least && k < some; k++) least = j + k ? vf_min(least, rows[k]) : rows[k];
        for (int lane = 0; !job->least && lane < VN; lane++)
            if (mine >> lane & 1u) scan_write(job, (first_row + lane) * n + j, rows, lane, some);
    }
    for (int lane = 0; job->least && lane < VN; lane++)
        if (mine >> lane & 1u) scan_write(job, first_row + lane, &least, lane, 1);
}

static void scan_tile(const void *memory, void *space, void *tile, const myr_step_options *options, unsigned lanes, const myr_scan_job *job,
                      int64_t first_row) {
    const int of_base = job->frame == MYR_SCAN_BASE;
    workspace w = {0};
    myr_step_options all_poses = *options;
    all_poses.full_poses = 1;
    workspace_open(&w, memory, NULL, space);
    for (int k = 0; k < PARTS; k++) {
        const part p = part_open(memory, &w, tile, &all_poses, k);
        const unsigned mine = lanes >> (k * VN) & ((1u << VN) - 1);
        if (!mine) continue;
        if (!of_base) kinematics(&p);
        const scan_pose at = of_base ? scan_base(&p, 0) : scan_frame(&p, job->frame);
        scan_part(&p, &at, mine, job, first_row + k * VN);
    }
}

#endif

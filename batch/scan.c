/* Scans: what a caller asks for, checked, as points; then every worker's tiles. */
#include <math.h>

#include "batch/batch.h"
#include "base/trigonometry.h"
#include "myriapod/terrain.h"
#include "robot/scan.h"

myr_scan myr_scan_default(void) {
    return (myr_scan){.kind = MYR_SCAN_EXACT,
                      .shape = MYR_SCAN_GRID,
                      .value = MYR_SCAN_HEIGHT,
                      .frame = MYR_SCAN_BASE,
                      .nx = 17,
                      .ny = 11,
                      .cell_m = 0.1,
                      .n = 6,
                      .radius_m = 0.03};
}

int myr_scan_points(const myr_scan *scan) {
    if (!scan) return 0;
    const int grid = scan->shape == MYR_SCAN_GRID, n = grid ? scan->nx : scan->n, m = grid ? scan->ny : 1;
    if (n < 1 || m < 1 || n > MYR_SCAN_MOST || m > MYR_SCAN_MOST || n * m > MYR_SCAN_MOST) return 0;
    return n * m;
}

static myr_status check_words(const myr_scan *scan, const myr_model *model, const char *call) {
    if (scan->kind < MYR_SCAN_EXACT || scan->kind > MYR_SCAN_NEAREST)
        return myr_fail(MYR_E_ARG, "%s: kind is %d, but must be MYR_SCAN_EXACT, _BILINEAR, _MIN3 or _NEAREST", call, (int)scan->kind);
    if (scan->shape < MYR_SCAN_GRID || scan->shape > MYR_SCAN_LIST)
        return myr_fail(MYR_E_ARG, "%s: shape is %d, but must be MYR_SCAN_GRID, _RING or _LIST", call, (int)scan->shape);
    if (scan->value != MYR_SCAN_HEIGHT && scan->value != MYR_SCAN_CLEARANCE)
        return myr_fail(MYR_E_ARG, "%s: value is %d, but must be MYR_SCAN_HEIGHT or MYR_SCAN_CLEARANCE", call, (int)scan->value);
    if (scan->least != 0 && scan->least != 1) return myr_fail(MYR_E_ARG, "%s: least is %d, but must be 0 or 1", call, scan->least);
    if (scan->frame < MYR_SCAN_BASE || scan->frame >= model->n_frames)
        return myr_fail(MYR_E_ARG, "%s: frame is %d, but must be MYR_SCAN_BASE (%d) or 0 .. %d, a frame of the model `%s`", call,
                        scan->frame, MYR_SCAN_BASE, model->n_frames - 1, model->name);
    return MYR_OK;
}

static myr_status check_size(const myr_scan *scan, const char *call) {
    if (myr_scan_points(scan) == 0 && scan->shape == MYR_SCAN_GRID)
        return myr_fail(MYR_E_ARG, "%s: nx x ny is %d x %d, but must be 1 to %d points", call, scan->nx, scan->ny, MYR_SCAN_MOST);
    if (myr_scan_points(scan) == 0) return myr_fail(MYR_E_ARG, "%s: n is %d, but must be 1 to %d points", call, scan->n, MYR_SCAN_MOST);
    const double size = scan->shape == MYR_SCAN_GRID ? scan->cell_m : scan->radius_m;
    if (scan->shape != MYR_SCAN_LIST && !(size > 0 && size <= MYR_SCAN_FARTHEST))
        return myr_fail(MYR_E_ARG, "%s: %s is %g, but must be above 0 and at most %d m", call,
                        scan->shape == MYR_SCAN_GRID ? "cell_m" : "radius_m", size, MYR_SCAN_FARTHEST);
    if (scan->shape == MYR_SCAN_LIST && !scan->points) return myr_fail(MYR_E_ARG, "%s: `points` is NULL", call);
    return MYR_OK;
}

static void point_of(const myr_scan *scan, int j, double xy[2]) {
    if (scan->shape == MYR_SCAN_LIST) {
        xy[0] = scan->points[2 * j], xy[1] = scan->points[2 * j + 1];
    } else if (scan->shape == MYR_SCAN_RING) {
        double sine, cosine;
        myr_sincos(6.283185307179586 * j / scan->n, &sine, &cosine);
        xy[0] = scan->radius_m * cosine, xy[1] = scan->radius_m * sine;
    } else { /* from the middle on: whole and half cells are exact */
        const int i = j / scan->ny, k = j % scan->ny;
        xy[0] = scan->x_m + scan->cell_m * (i - 0.5 * (scan->nx - 1)), xy[1] = scan->y_m + scan->cell_m * (k - 0.5 * (scan->ny - 1));
    }
}

/* The points, and how far they reach. */
static myr_status make_points(const myr_scan *scan, const char *call, double *points, myr_scan_pattern *pattern) {
    *pattern = (myr_scan_pattern){points, myr_scan_points(scan), 0};
    for (int j = 0; j < pattern->n; j++) {
        double *xy = points + 2 * j;
        point_of(scan, j, xy);
        if (!(fabs(xy[0]) <= MYR_SCAN_FARTHEST && fabs(xy[1]) <= MYR_SCAN_FARTHEST))
            return myr_fail(MYR_E_ARG, "%s: point %d is (%g, %g), but must be within %d m along x and y", call, j, xy[0], xy[1],
                            MYR_SCAN_FARTHEST);
        pattern->reach = fmax(pattern->reach, fmax(fabs(xy[0]), fabs(xy[1])));
    }
    return MYR_OK;
}

typedef struct scan_run {
    const myr_batch *batch;
    const uint8_t *mask;
    const myr_scan_job *job;
} scan_run;

static void scan_tiles(void *context, int worker) {
    const scan_run *run = context;
    const myr_batch *batch = run->batch;
    for (int64_t t = myr_batch_first_tile(batch, worker); t < myr_batch_first_tile(batch, worker + 1); t++) {
        const int64_t first = t * batch->layout.lanes;
        unsigned lanes = 0;
        for (int lane = 0; lane < batch->metas[t].lanes_used; lane++)
            if (!run->mask || run->mask[first + lane]) lanes |= 1u << lane;
        if (lanes)
            batch->kernels->scan_tile(batch->robot, myr_batch_workspace(batch, worker), myr_batch_tile(batch, t), &batch->options, lanes,
                                      run->job, first);
    }
}

myr_status myr_batch_scan(myr_batch *batch, const myr_scan *scan, const uint8_t *mask, myr_type type, void *out) {
    MYR_OWN_ARITHMETIC;
    const char *call = "myr_batch_scan";
    myr_status status = myr_batch_check(batch, call);
    if (status != MYR_OK) return status;
    if (!scan || !out) return myr_fail(MYR_E_ARG, "%s: `%s` is NULL", call, scan ? "out" : "scan");
    if (type != MYR_F32 && type != MYR_F64) return myr_fail(MYR_E_ARG, "%s: type is %d, but must be MYR_F32 or MYR_F64", call, (int)type);
    status = check_words(scan, &batch->model, call);
    if (status == MYR_OK) status = check_size(scan, call);
    if (status != MYR_OK) return status;
    if (!isfinite(batch->options.ground))
        return myr_fail(MYR_E_STATE, "%s: there is no ground below `%s`: the setting 'ground' is '%s'", call, batch->model.name,
                        batch->settings.ground);
    double points[2 * MYR_SCAN_MOST];
    myr_scan_job job = {.kind = scan->kind, .value = scan->value, .least = scan->least, .frame = scan->frame, .type = type, .out = out};
    status = make_points(scan, call, points, &job.pattern);
    if (status != MYR_OK) return status;
    scan_run run = {batch, mask, &job};
    myr_team_run(batch->team, scan_tiles, &run);
    return MYR_OK;
}

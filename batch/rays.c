/* Rays: what a caller asks for, checked; then each worker's share of the environments, tile by tile. */
#include "myriapod/rays.h"

#include <math.h>

#include "batch/batch.h"
#include "batch/ray_table.h"

myr_rays_options myr_rays_options_default(void) {
    return (myr_rays_options){.frame = MYR_RAYS_WORLD, .ground = 1, .shapes = 1, .body = -1, .range_m = 100, .type = MYR_F32};
}

myr_status myr_batch_see_shapes(myr_batch *batch) {
    if (batch->rays) return MYR_OK;
    const myr_status status = myr_ray_table_make(&batch->model, batch->team->threads, &batch->rays);
    if (status == MYR_OK) batch->bytes += batch->rays->bytes;
    return status;
}

static myr_status check_options(const myr_rays_options *o, const myr_model *model, const char *call) {
    if (o->frame < MYR_RAYS_WORLD || o->frame >= model->n_frames)
        return myr_fail(MYR_E_ARG, "%s: frame is %d, but must be MYR_RAYS_WORLD (%d) or 0 .. %d, a frame of the model `%s`", call, o->frame,
                        MYR_RAYS_WORLD, model->n_frames - 1, model->name);
    if (o->axes < MYR_RAYS_FRAME_AXES || o->axes > MYR_RAYS_WORLD_AXES)
        return myr_fail(MYR_E_ARG, "%s: axes is %d, but must be MYR_RAYS_FRAME_AXES, _HEADING_AXES or _WORLD_AXES", call, (int)o->axes);
    if (o->exclude < MYR_RAYS_EXCLUDE_NONE || o->exclude > MYR_RAYS_EXCLUDE_TREE)
        return myr_fail(MYR_E_ARG, "%s: exclude is %d, but must be MYR_RAYS_EXCLUDE_NONE, _BODY or _TREE", call, (int)o->exclude);
    if (o->body < -1 || o->body >= model->n_bodies)
        return myr_fail(MYR_E_ARG, "%s: body is %d, but must be -1, the world, or 0 .. %d, a body of the model `%s`", call, o->body,
                        model->n_bodies - 1, model->name);
    const struct {
        const char *name;
        int is;
    } flags[] = {{"ground", o->ground}, {"shapes", o->shapes}, {"own_rays", o->own_rays}};
    for (int k = 0; k < 3; k++)
        if (flags[k].is != 0 && flags[k].is != 1)
            return myr_fail(MYR_E_ARG, "%s: %s is %d, but must be 0 or 1", call, flags[k].name, flags[k].is);
    if (!(o->range_m > 0 && o->range_m <= MYR_RAYS_FARTHEST))
        return myr_fail(MYR_E_ARG, "%s: range_m is %g, but must be above 0 and at most %d m", call, o->range_m, MYR_RAYS_FARTHEST);
    if (o->type != MYR_F32 && o->type != MYR_F64)
        return myr_fail(MYR_E_ARG, "%s: type is %d, but must be MYR_F32 or MYR_F64", call, (int)o->type);
    return MYR_OK;
}

static myr_status refuse(const char *call, const char *what, const double *x, int64_t ray, int rays, int own, const char *must) {
    if (own)
        return myr_fail(MYR_E_ARG, "%s: %s[%lld, %lld] is (%g, %g, %g), but must be %s", call, what, (long long)(ray / rays),
                        (long long)(ray % rays), x[0], x[1], x[2], must);
    return myr_fail(MYR_E_ARG, "%s: %s[%lld] is (%g, %g, %g), but must be %s", call, what, (long long)ray, x[0], x[1], x[2], must);
}

static myr_status check_rays(const double *origin, const double *direction, int64_t n, int rays, int own, const char *call) {
    const int64_t all = own ? n * rays : rays;
    for (int64_t i = 0; i < all; i++) {
        const double *d = direction + 3 * i, most = fmax(fmax(fabs(d[0]), fabs(d[1])), fabs(d[2]));
        if (!isfinite(d[0]) || !isfinite(d[1]) || !isfinite(d[2])) return refuse(call, "direction", d, i, rays, own, "finite");
        if (!(most > 0)) return refuse(call, "direction", d, i, rays, own, "other than zero");
        const double *o = origin ? origin + 3 * i : NULL;
        if (o && !(fabs(o[0]) <= MYR_RAYS_FARTHEST && fabs(o[1]) <= MYR_RAYS_FARTHEST && fabs(o[2]) <= MYR_RAYS_FARTHEST))
            return refuse(call, "origin", o, i, rays, own, "finite and within 1000 m");
    }
    return MYR_OK;
}
_Static_assert(MYR_RAYS_FARTHEST == 1000, "as the message says");

typedef struct rays_run {
    const myr_batch *batch;
    const int64_t *ids;
    int64_t n;
    const myr_ray_job *job;
} rays_run;

/* Where a worker's share of the environments begins: in whole tiles, as far as they come in order. */
static int64_t share_of(const rays_run *run, int worker) {
    const int64_t size = run->batch->team->size, W = run->batch->layout.lanes;
    return worker == size ? run->n : run->n * worker / size / W * W;
}

/* Ids that follow each other within a tile go through together. */
static void rays_share(void *context, int worker) {
    const rays_run *run = context;
    const myr_batch *batch = run->batch;
    const int64_t W = batch->layout.lanes, end = share_of(run, worker + 1);
    char *room = run->job->shapes ? batch->rays->rooms + (size_t)worker * batch->rays->room_bytes : NULL;
    for (int64_t i = share_of(run, worker); i < end;) {
        const int64_t tile = (run->ids ? run->ids[i] : i) / W;
        int64_t rows[16], last = -1;
        unsigned lanes = 0;
        for (; i < end; i++) {
            const int64_t env = run->ids ? run->ids[i] : i;
            if (env / W != tile || env % W <= last) break;
            last = env % W, rows[last] = i, lanes |= 1u << last;
        }
        batch->kernels->rays_tile(batch->robot, myr_batch_workspace(batch, worker), room, myr_batch_tile(batch, tile), &batch->options,
                                  lanes, run->job, rows);
    }
}

myr_status myr_batch_rays(myr_batch *batch, const int64_t *ids, int64_t n, int rays, const double *origin, const double *direction,
                          const myr_rays_options *options, void *distance, void *normal, int32_t *geom) {
    MYR_OWN_ARITHMETIC;
    const char *call = "myr_batch_rays";
    myr_status status = myr_batch_check(batch, call);
    if (status == MYR_OK) status = myr_batch_check_ids(batch, call, ids, n);
    if (status != MYR_OK) return status;
    if (!direction || !options || !distance)
        return myr_fail(MYR_E_ARG, "%s: `%s` is NULL", call, !direction ? "direction" : !options ? "options" : "distance");
    if (rays < 1 || rays > MYR_RAYS_MOST) return myr_fail(MYR_E_ARG, "%s: rays is %d, but must be 1 to %d", call, rays, MYR_RAYS_MOST);
    status = check_options(options, &batch->model, call);
    if (status == MYR_OK) status = check_rays(origin, direction, n, rays, options->own_rays, call);
    if (status == MYR_OK && options->shapes) status = myr_batch_see_shapes(batch);
    if (status != MYR_OK) return status;
    const myr_ray_job job = {.options = options,
                             .shapes = options->shapes ? &batch->rays->shapes : NULL,
                             .rays = rays,
                             .origin = origin,
                             .direction = direction,
                             .distance = distance,
                             .normal = normal,
                             .geom = geom};
    rays_run run = {batch, ids, n, &job};
    if (n > 0) myr_team_run(batch->team, rays_share, &run);
    return MYR_OK;
}

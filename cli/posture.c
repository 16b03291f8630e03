/* How the robots of a run are at its end. Depths are found by the library's own collision: copies of the robots, in the same places and at
 * rest, take one step of a nanosecond in a batch that keeps its contacts. The run's own batch pays nothing for it. */
#include "posture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "numbers.h"

enum { COPIES = 4096 }; /* at a time: their memory does not grow with the run's */

int posture_is_upright(const double q[7]) {
    const double w = q[3], x = q[4], y = q[5], z = q[6], size = w * w + x * x + y * y + z * z;
    return q[2] > 0 && (w * w + z * z - x * x - y * y) >= sqrt(0.5) * size;
}

/* The smallest value that half of all do not exceed; sorts them. NaN of none. */
static double median(double *values, int64_t n) {
    if (n == 0) return (double)NAN;
    qsort(values, (size_t)n, sizeof *values, cli_ascending);
    return values[(n - 1) / 2];
}

/* Place in q of the first root that floats; -1: none does. */
static int find_root(const myr_model *model, const myr_model_info *info) {
    for (int j = 0; j < info->n_joints; j++) {
        myr_joint_info joint;
        if (myr_model_get_joint(model, j, &joint) == MYR_OK && joint.type == MYR_JOINT_FREE) return joint.q;
    }
    return -1;
}

typedef struct probe {
    myr_batch *batch; /* NULL: nothing of this model can touch */
    int64_t room;
    size_t nq, nv, slots;
    const myr_terrain *terrain; /* NULL: a plane */
    double *q, *v, *depth, *lost;
    double *at; /* on a map: where on it */
} probe;

static myr_status probe_open(probe *p, const myr_model *model, const myr_model_info *info, const myr_settings *run, int64_t envs) {
    myr_settings settings = myr_settings_default();
    *p = (probe){.room = envs < COPIES ? envs : COPIES, .nq = (size_t)info->nq, .nv = (size_t)info->nv, .slots = (size_t)info->n_slots};
    p->q = cli_allocate((size_t)p->room * p->nq, sizeof *p->q);
    p->terrain = myr_model_terrain(model);
    if (p->terrain) p->at = cli_allocate((size_t)p->room * 3, sizeof *p->at);
    if (!p->slots) return MYR_OK;
    memcpy(settings.precision, run->precision, sizeof settings.precision);
    memcpy(settings.isa, run->isa, sizeof settings.isa);
    memcpy(settings.ground, run->ground, sizeof settings.ground);
    settings.threads = run->threads;
    settings.pin = run->pin;
    settings.dt_s = 1e-9;
    settings.max_sweeps = 1; /* where they touch is asked, not what pushes them */
    settings.tolerance = 1;
    settings.speed_limit = 1e30;
    myr_settings_set(&settings, "task", "none");
    p->v = cli_allocate((size_t)p->room * p->nv, sizeof *p->v);
    p->depth = cli_allocate((size_t)p->room * p->slots, sizeof *p->depth);
    p->lost = cli_allocate((size_t)p->room, sizeof *p->lost);
    settings.sense_contacts = 1;
    return myr_batch_create(model, p->room, &settings, &p->batch);
}

static void probe_close(probe *p) {
    myr_batch_free(p->batch);
    free(p->q);
    free(p->v);
    free(p->depth);
    free(p->lost);
    free(p->at);
}

/* Depths of n robots in the places of p->q, into p->depth; p->lost is not zero where the step failed. */
static myr_status probe_depths(probe *p, int64_t n) {
    myr_status status = myr_batch_reset(p->batch, NULL); /* out of a quarantine of the robots before */
    if (status == MYR_OK) status = myr_batch_set(p->batch, MYR_Q, NULL, n, MYR_F64, p->q);
    if (status == MYR_OK) status = myr_batch_set(p->batch, MYR_V, NULL, n, MYR_F64, p->v);
    if (status == MYR_OK && p->at) status = myr_batch_set(p->batch, MYR_GROUND_AT, NULL, n, MYR_F64, p->at);
    if (status == MYR_OK) status = myr_batch_step(p->batch, 1);
    if (status == MYR_OK) status = myr_batch_get(p->batch, MYR_CONTACT_DEPTH, NULL, n, MYR_F64, p->depth);
    if (status == MYR_OK) status = myr_batch_get(p->batch, MYR_QUARANTINED, NULL, n, MYR_F64, p->lost);
    return status;
}

static double deepest(const probe *p, int64_t env) {
    double depth = 0;
    for (size_t s = 0; s < p->slots; s++) depth = fmax(depth, p->depth[(size_t)env * p->slots + s]);
    return depth;
}

/* A root's pose, its z from above the map's 0 to above the ground below it. */
static myr_status above_ground(const myr_terrain *terrain, const double at[3], double q[7]) {
    const double xy[2] = {q[0] + at[0], q[1] + at[1]};
    double height;
    const myr_status status = myr_terrain_height(terrain, 1, xy, &height, NULL);
    if (status == MYR_OK) q[2] -= height - at[2];
    return status;
}

typedef struct tally {
    double *depth, *height;
    int64_t n_depth, n_height, upright;
} tally;

/* Up to p->room environments from `first` on. */
static myr_status look(const myr_batch *batch, probe *p, int root, int64_t first, int64_t n, int64_t *ids, double *reason, tally *t) {
    for (int64_t i = 0; i < n; i++) ids[i] = first + i;
    myr_status status = myr_batch_get(batch, MYR_QUARANTINED, ids, n, MYR_F64, reason);
    if (status == MYR_OK) status = myr_batch_get(batch, MYR_Q, ids, n, MYR_F64, p->q);
    if (status != MYR_OK) return status;
    if (p->at) status = myr_batch_get(batch, MYR_GROUND_AT, ids, n, MYR_F64, p->at);
    for (int64_t i = 0; i < n && root >= 0 && status == MYR_OK; i++) {
        double q[7];
        if (reason[i] != 0) continue;
        memcpy(q, p->q + (size_t)i * p->nq + root, sizeof q);
        if (p->at) status = above_ground(p->terrain, p->at + 3 * i, q);
        t->height[t->n_height++] = q[2];
        t->upright += posture_is_upright(q);
    }
    if (!p->batch || status != MYR_OK) return status;
    status = probe_depths(p, n);
    for (int64_t i = 0; i < n && status == MYR_OK; i++)
        if (reason[i] == 0 && p->lost[i] == 0) t->depth[t->n_depth++] = deepest(p, i);
    return status;
}

myr_status posture_measure(const myr_batch *batch, const myr_settings *settings, posture *out) {
    const double unknown = (double)NAN;
    const myr_model *model = myr_batch_model(batch);
    myr_model_info info;
    myr_batch_info size;
    myr_model_get_info(model, &info);
    myr_batch_get_info(batch, &size);
    *out = (posture){unknown, unknown, unknown, unknown};
    const int root = find_root(model, &info);
    probe p;
    tally t = {.depth = cli_allocate((size_t)size.envs, sizeof *t.depth), .height = cli_allocate((size_t)size.envs, sizeof *t.height)};
    myr_status status = probe_open(&p, model, &info, settings, size.envs);
    int64_t *ids = cli_allocate((size_t)p.room, sizeof *ids);
    double *reason = cli_allocate((size_t)p.room, sizeof *reason);
    for (int64_t first = 0; first < size.envs && status == MYR_OK; first += p.room) {
        const int64_t left = size.envs - first;
        status = look(batch, &p, root, first, left < p.room ? left : p.room, ids, reason, &t);
    }
    if (status == MYR_OK) {
        out->penetration_p50 = median(t.depth, t.n_depth);
        out->penetration_max = t.n_depth ? t.depth[t.n_depth - 1] : unknown; /* sorted by now */
        out->base_height_p50 = median(t.height, t.n_height);
        out->upright = t.n_height ? (double)t.upright / (double)t.n_height : unknown;
    }
    probe_close(&p);
    free(ids);
    free(reason);
    free(t.depth);
    free(t.height);
    return status;
}

#include <string.h>

#include "batch/batch.h"
#include "layouts/pack.h"
#include "tasks/task.h"
#include "terrain/terrain.h"

void myr_batch_task_geoms(const myr_model *model, const myr_task *task, uint8_t *geom_mask) {
    memset(geom_mask, !task->geoms, (size_t)model->n_geoms);
    if (task->geoms) task->geoms(model, geom_mask);
    for (int g = 0; g < model->n_geoms; g++) /* what is fixed to the world is ground to those geoms */
        if (model->geoms[g].body < 0) geom_mask[g] = 1;
}

static void fill_row(const myr_batch *batch, void *tile, myr_rows field, int row, double value) {
    for (int lane = 0; lane < batch->layout.lanes; lane++)
        myr_tile_store(&batch->layout, tile, batch->layout.first[field] + row, lane, value);
}

static void start_parameters(const myr_batch *batch, void *tile) {
    const myr_model *m = &batch->model;
    const myr_step_options *o = &batch->options;
    for (int u = 0; u < m->nu; u++) {
        double target, torque, kp, kd;
        myr_actuator_start(m, u, &target, &torque);
        myr_start_gains(m, u, o, &kp, &kd);
        fill_row(batch, tile, MYR_ROWS_kp, u, kp);
        fill_row(batch, tile, MYR_ROWS_kd, u, kd);
        fill_row(batch, tile, MYR_ROWS_target, u, target);
        fill_row(batch, tile, MYR_ROWS_strength, u, 1);
    }
    for (int i = 0; i < m->n_bodies; i++) {
        const myr_body *body = &m->bodies[i];
        double rows[MYR_INERTIAL_ROWS];
        for (int k = 0; k < body->nv; k++) {
            fill_row(batch, tile, MYR_ROWS_damping, body->v + k, body->damping);
            fill_row(batch, tile, MYR_ROWS_armature, body->v + k, body->armature);
        }
        myr_inertial_pack(body, body->mass, body->com, body->inertia, rows);
        for (int k = 0; k < MYR_INERTIAL_ROWS; k++) fill_row(batch, tile, MYR_ROWS_inertial, MYR_INERTIAL_ROWS * i + k, rows[k]);
    }
    for (int k = 0; k < m->n_rows; k++) {
        fill_row(batch, tile, MYR_ROWS_lower, k, m->rows[k].lower);
        fill_row(batch, tile, MYR_ROWS_upper, k, m->rows[k].upper);
        fill_row(batch, tile, MYR_ROWS_dry_friction, k, m->rows[k].friction);
    }
    fill_row(batch, tile, MYR_ROWS_friction, 0, 1);
    for (int g = 0; g < m->n_friction_groups; g++) fill_row(batch, tile, MYR_ROWS_group_friction, g, 1);
    for (int k = 0; k < 3; k++) fill_row(batch, tile, MYR_ROWS_gravity, k, m->gravity[k]);
    for (int g = 0; g < m->n_geoms; g++)
        for (int k = 0; k < 3 && m->geoms[g].world >= 0; k++)
            fill_row(batch, tile, MYR_ROWS_world_at, 3 * m->geoms[g].world + k, m->geoms[g].position[k] + 0.0); /* never -0 */
}

void myr_batch_put_on(const myr_batch *batch, int64_t env, int level, int column) {
    double at[3];
    myr_terrain_origin(batch->model.terrain, level, column, at);
    for (int k = 0; k < 3; k++) myr_tile_store(&batch->layout, batch->arena, batch->layout.first[MYR_ROWS_ground_at] + k, env, at[k]);
    for (int k = 0; k < 2; k++)
        myr_tile_store(&batch->layout, batch->arena, batch->layout.first[MYR_ROWS_patch] + k, env, k ? column : level);
}

/* The map's own origin, or a patch of a generated one. */
static void start_ground(const myr_batch *batch, int64_t tile) {
    const myr_terrain *t = batch->model.terrain;
    if (!t) return;
    const double at[3] = {t->origin_i, t->origin_k, 0};
    for (int k = 0; k < 3; k++) fill_row(batch, myr_batch_tile(batch, tile), MYR_ROWS_ground_at, k, at[k]);
    if (!myr_terrain_is_generated(t)) return;
    const int climbs = batch->options.task->leave && batch->settings.curriculum;
    const int levels = climbs && batch->settings.start_levels < t->levels ? (int)batch->settings.start_levels : t->levels;
    for (int lane = 0; lane < batch->layout.lanes; lane++) {
        const int64_t env = tile * batch->layout.lanes + lane;
        int level, column;
        myr_terrain_start(t, batch->settings.first_env + env, (uint64_t)batch->settings.seed, levels, &level, &column);
        myr_batch_put_on(batch, env, level, column);
    }
}

static void start_meta(myr_batch *batch, int64_t tile) {
    const int64_t first = tile * batch->layout.lanes, left = batch->envs - first;
    myr_tile_meta *meta = &batch->metas[tile];
    memset(meta, 0, sizeof *meta);
    memset(meta->episode, 0xff, sizeof meta->episode); /* the first reset makes it episode 0 */
    meta->global_id = batch->settings.first_env + first;
    meta->lanes_used = left < batch->layout.lanes ? (int)left : batch->layout.lanes;
    myr_batch_start_samples(batch, tile);
}

/* A home pose closes its loops; what a task adds to it may not. */
static void settle(const myr_batch *batch, int worker, int64_t tile, unsigned lanes) {
    if (!batch->model.n_loops || !batch->options.task->start) return;
    batch->kernels->settle_tile(batch->robot, myr_batch_workspace(batch, worker), myr_batch_tile(batch, tile), &batch->options, lanes,
                                NULL);
}

/* What is shown of the bodies, where that is kept. */
static void refresh(const myr_batch *batch, int worker, int64_t tile, unsigned lanes) {
    if (!batch->settings.sense_bodies && !batch->model.n_sensors) return;
    batch->kernels->refresh_tile(batch->robot, myr_batch_workspace(batch, worker), myr_batch_tile(batch, tile), &batch->metas[tile],
                                 &batch->options, lanes);
}

void myr_batch_start_tile(myr_batch *batch, int worker, int64_t tile) {
    void *rows = myr_batch_tile(batch, tile);
    memset(rows, 0, batch->layout.tile_bytes);
    start_meta(batch, tile);
    start_parameters(batch, rows);
    start_ground(batch, tile);
    const unsigned every = (1u << batch->layout.lanes) - 1;
    batch->kernels->reset_lanes(batch->robot, &batch->model, rows, &batch->metas[tile], &batch->options, myr_batch_programs(batch, worker),
                                every);
    settle(batch, worker, tile, every);
    refresh(batch, worker, tile, every);
}

static void refresh_tiles(void *context, int worker) {
    const myr_batch *batch = context;
    for (int64_t t = myr_batch_first_tile(batch, worker); t < myr_batch_first_tile(batch, worker + 1); t++)
        refresh(batch, worker, t, (1u << batch->layout.lanes) - 1);
}

myr_status myr_batch_refresh(myr_batch *batch) {
    MYR_OWN_ARITHMETIC;
    const myr_status status = myr_batch_check(batch, "myr_batch_refresh");
    if (status == MYR_OK) myr_team_run(batch->team, refresh_tiles, batch);
    return status;
}

typedef struct reset_job {
    myr_batch *batch;
    const uint8_t *mask;
} reset_job;

static void reset_tiles(void *context, int worker) {
    const reset_job *job = context;
    myr_batch *batch = job->batch;
    for (int64_t t = myr_batch_first_tile(batch, worker); t < myr_batch_first_tile(batch, worker + 1); t++) {
        myr_tile_meta *meta = &batch->metas[t];
        unsigned lanes = 0;
        for (int lane = 0; lane < meta->lanes_used; lane++)
            if (!job->mask || job->mask[t * batch->layout.lanes + lane]) lanes |= 1u << lane;
        if (!lanes) continue;
        batch->kernels->reset_lanes(batch->robot, &batch->model, myr_batch_tile(batch, t), meta, &batch->options,
                                    myr_batch_programs(batch, worker), lanes);
        settle(batch, worker, t, lanes);
        refresh(batch, worker, t, lanes);
    }
}

myr_status myr_batch_reset(myr_batch *batch, const uint8_t *mask) {
    MYR_OWN_ARITHMETIC;
    const myr_status status = myr_batch_check(batch, "myr_batch_reset");
    if (status != MYR_OK) return status;
    reset_job job = {batch, mask};
    myr_team_run(batch->team, reset_tiles, &job);
    return MYR_OK;
}

myr_status myr_batch_restart(myr_batch *batch, int64_t seed) {
    MYR_OWN_ARITHMETIC;
    const myr_status status = myr_batch_check(batch, "myr_batch_restart");
    if (status != MYR_OK) return status;
    if (seed < 0) return myr_fail(MYR_E_ARG, "myr_batch_restart: seed is %lld, but must not be negative", (long long)seed);
    batch->settings.seed = seed;
    batch->options.seed = (uint64_t)seed;
    for (int64_t t = 0; t < batch->tiles; t++) memset(batch->metas[t].episode, 0xff, sizeof batch->metas[t].episode);
    return myr_batch_reset(batch, NULL);
}

/* The warm starts of slots that may no longer touch would otherwise be read back, and saved, for ever. */
static void clear_slots(myr_batch *batch) {
    const int fields[] = {MYR_ROWS_impulse, MYR_ROWS_contact_point, MYR_ROWS_contact_normal, MYR_ROWS_contact_depth};
    for (int s = 0; s < batch->model.n_slots; s++) {
        const int geom = batch->slots[s].geom, other = batch->slots[s].other;
        if (batch->geom_mask[geom] && (other < 0 || batch->geom_mask[other])) continue;
        for (int f = 0; f < 4; f++) {
            if (batch->layout.count[fields[f]] == 0) continue;
            const int each = fields[f] == MYR_ROWS_contact_depth ? 1 : 3;
            const size_t row = (size_t)(batch->layout.first[fields[f]] + each * s);
            for (int64_t t = 0; t < batch->tiles; t++)
                memset((char *)myr_batch_tile(batch, t) + row * MYR_ROW_BYTES, 0, (size_t)each * MYR_ROW_BYTES);
        }
    }
}

myr_status myr_batch_set_collision(myr_batch *batch, const uint8_t *geom_mask) {
    MYR_OWN_ARITHMETIC;
    const myr_status status = myr_batch_check(batch, "myr_batch_set_collision");
    if (status != MYR_OK) return status;
    if (!geom_mask) return myr_fail(MYR_E_ARG, "myr_batch_set_collision: geom_mask is NULL");
    for (int g = 0; g < batch->model.n_geoms; g++) batch->geom_mask[g] = geom_mask[g] != 0;
    batch->kernels->robot_build(batch->robot, &batch->model, &batch->layout, batch->geom_mask, (int)batch->settings.contacts);
    clear_slots(batch);
    for (int64_t t = 0; t < batch->tiles; t++) myr_impulses_changed(&batch->metas[t]); /* slots have other numbers */
    return MYR_OK;
}

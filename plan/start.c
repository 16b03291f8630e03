/* Where samples begin: one environment of any batch of the same robot and task, out of its tile and into all lanes of others. */
#include <math.h>
#include <string.h>

#include "batch/legal.h"
#include "layouts/pack.h"
#include "plan/planner.h"
#include "tasks/instance.h"

static int is_kept(int field) { return myr_fields[field].access != MYR_ACCESS_OUTPUT; }

static myr_status alike(const myr_planner *p, const myr_batch *from, const char *call) {
    const myr_batch *mine = p->batch;
    if (myr_model_hash(from->source) != myr_model_hash(mine->source))
        return myr_fail(
            MYR_E_ARG,
            "%s: the robot is '%s', but the samples are another robot, '%s': joints, masses, shapes, or what touches what, differ", call,
            from->model.name, mine->model.name);
    const char *theirs = from->instance->table ? myr_task_table_name(from->instance->table) : from->options.task->name;
    const char *ours = mine->instance->table ? myr_task_table_name(mine->instance->table) : mine->options.task->name;
    if (strcmp(theirs, ours) != 0)
        return myr_fail(MYR_E_ARG, "%s: the robot does the task '%s', but the samples do '%s'", call, theirs, ours);
    if (from->options.ground != mine->options.ground)
        return myr_fail(MYR_E_ARG, "%s: the robot's ground is at %g m, that of the samples at %g m", call, from->options.ground,
                        mine->options.ground);
    if (from->options.dt_s != mine->options.dt_s && (mine->layout.count[MYR_ROWS_activation] || mine->layout.count[MYR_ROWS_sensor_memory]))
        return myr_fail(MYR_E_ARG, "%s: motors or sensors that remember count steps of dt: %g s of the robot, %g s of the samples", call,
                        from->options.dt_s, mine->options.dt_s);
    for (int f = 0; f < MYR_ROWS_COUNT; f++)
        if (is_kept(f) && from->layout.count[f] != mine->layout.count[f])
            return myr_fail(MYR_E_ARG, "%s: the robot has %d numbers of `%s`, but the samples have %d", call, from->layout.count[f],
                            myr_fields[f].name, mine->layout.count[f]);
    return MYR_OK;
}

static double scalar(const myr_batch *b, int row, int64_t env) {
    const void *at = myr_tile_scalar(&b->layout, b->arena, row, env);
    return b->layout.precision == 4 ? (double)*(const float *)at : *(const double *)at;
}

void myr_plan_start_take(myr_plan_start *s, const myr_batch *from, int64_t env, const myr_batch *to) {
    const myr_tile_meta *meta = &from->metas[env / from->layout.lanes];
    const int lane = (int)(env % from->layout.lanes);
    const double counts = from->options.dt_s / to->options.dt_s; /* steps of dt, in those of `to` */
    int judged = s->known && from == s->from && !(meta->changed >> lane & 1u);
    for (int f = 0; f < MYR_ROWS_COUNT; f++) {
        if (!is_kept(f)) continue;
        for (int k = 0; k < to->layout.count[f]; k++) {
            double *row = &s->rows[to->layout.first[f] + k];
            const double x = scalar(from, from->layout.first[f] + k, env) * (f == MYR_ROWS_delay ? counts : 1);
            if (myr_fields[f].access == MYR_ACCESS_PARAM && memcmp(row, &x, sizeof x) != 0) judged = 0;
            *row = x;
        }
    }
    s->from = from, s->judged = judged, s->known = 1, s->step = (int64_t)floor((double)meta->step[lane] * counts + 0.5);
    s->episode = meta->episode[lane], s->draws = meta->draws[lane];
    s->pause = meta->pause[lane], s->wait = meta->wait[lane];
}

/* Gains that settings gave the robot, and not the samples. */
static int has_other_gains(const myr_planner *p) {
    const myr_layout *layout = &p->batch->layout;
    for (int u = 0; u < p->batch->model.nu; u++) {
        double kp, kd;
        myr_start_gains(&p->batch->model, u, &p->batch->options, &kp, &kd);
        const double *rows = p->start.rows;
        if ((float)rows[layout->first[MYR_ROWS_kp] + u] != (float)kp || (float)rows[layout->first[MYR_ROWS_kd] + u] != (float)kd) return 1;
    }
    return 0;
}

myr_status myr_planner_start(myr_planner *p, const myr_batch *from, int64_t env) {
    MYR_OWN_ARITHMETIC;
    const char *call = "myr_planner_start";
    if (!p) return myr_fail(MYR_E_ARG, "%s: planner is NULL", call);
    myr_status status = myr_batch_check(from, call);
    if (status == MYR_OK) status = myr_batch_check_ids(from, call, &env, 1);
    if (status == MYR_OK) status = alike(p, from, call);
    if (status != MYR_OK) return status;
    const int quarantine = from->metas[env / from->layout.lanes].quarantine[env % from->layout.lanes];
    if (quarantine != MYR_HEALTHY)
        return myr_fail(MYR_E_STATE, "%s: environment %lld is quarantined: %s", call, (long long)env,
                        myr_quarantine_text((myr_quarantine)quarantine));
    if (from->metas[env / from->layout.lanes].ended[env % from->layout.lanes])
        return myr_fail(MYR_E_STATE, "%s: the episode of environment %lld is over: it does not move until it is reset", call,
                        (long long)env);
    myr_plan_start_take(&p->start, from, env, p->batch);
    p->batch->options.varied |= from->options.varied; /* what has been set there is no longer the model's */
    if (has_other_gains(p)) p->batch->options.varied |= MYR_VARIED_GAINS;
    myr_plan_start_rows(&p->start, p->batch, p->begin);
    return MYR_OK;
}

/* Outputs, which steps write, are zero as before any step: what another tile left there would show who had it before. */
void myr_plan_start_rows(const myr_plan_start *s, const myr_batch *b, void *rows) {
    const myr_layout *layout = &b->layout;
    for (int f = 0; f < MYR_ROWS_COUNT; f++)
        for (int r = layout->first[f]; r < layout->first[f] + layout->count[f]; r++) {
            void *at = (char *)rows + (size_t)r * MYR_ROW_BYTES;
            const double x = is_kept(f) ? s->rows[r] : 0;
            if (layout->precision == 4)
                for (int i = 0; i < 16; i++) ((float *)at)[i] = (float)x;
            else
                for (int i = 0; i < 8; i++) ((double *)at)[i] = x;
        }
}

void myr_plan_start_meta(const myr_plan_start *s, const myr_batch *b, myr_tile_meta *meta) {
    const myr_layout *layout = &b->layout;
    for (int i = 0; i < layout->lanes; i++) {
        meta->step[i] = s->step, meta->episode[i] = s->episode, meta->draws[i] = s->draws;
        meta->pause[i] = s->pause, meta->wait[i] = s->wait;
        meta->quarantine[i] = MYR_HEALTHY, meta->ended[i] = 0;
    }
    meta->changed = s->judged ? 0 : (uint16_t)((1u << layout->lanes) - 1);
    myr_impulses_changed(meta);
}

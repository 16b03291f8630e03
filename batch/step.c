/* START HERE: the whole step of one tile of robots, one line per stage.
 *
 * A tile is W environments side by side; it goes through the step part by part, a part being as many lanes as one
 * hardware register holds (AVX-512: the whole tile). Lane code is included, not linked: this file is compiled once per
 * (instruction set, precision) by units that cmake/units.cmake writes, and exports one table. */
#include <string.h>

#include "kernels/contact/solve.h"
#include "machine/machine.h"
#include "robot/workspace.lane.h"
#include "dynamics/actuate.lane.h"
#include "dynamics/kinematics.lane.h"
#include "collision/collide.lane.h"
#include "dynamics/dynamics.lane.h"
#include "dynamics/gravity_held.lane.h"
#include "dynamics/factor.lane.h"
#include "constraints/assemble.lane.h"
#include "constraints/recheck.lane.h"
#include "constraints/tree_step.lane.h"
#include "constraints/variational.lane.h"
#include "dynamics/integrate.lane.h"
#include "dynamics/evaluate.lane.h"
#include "dynamics/inverse.lane.h"
#include "batch/variants.lane.h"
#include "batch/sense.lane.h"
#include "batch/task.lane.h"
#include "batch/account.lane.h"
#include "batch/had.lane.h"
#include "batch/act.lane.h"
#include "batch/problem.lane.h"
#include "tasks/tasks.h"

static inline void solve(const part *p) { MYR_UNIT(myr_solve)(&p->w->contact, &p->options->solve); }

/* One part, one step. `ticks` (nullable) receives what each stage took; after each, a share of the next tile is asked for. Returns the
 * lanes to quarantine. */
static unsigned step_part(const part *p, uint64_t *ticks) {
    uint64_t last = ticks ? myr_ticks() : 0;
    unsigned bad;
#define TIME(stage)                                                                                                                        \
    if (p->next_tile) prefetch_share(p, MYR_STAGE_##stage);                                                                                \
    if (ticks) {                                                                                                                           \
        const uint64_t now = myr_ticks();                                                                                                  \
        ticks[MYR_STAGE_##stage] += now - last;                                                                                            \
        last = now;                                                                                                                        \
    }
    /* clang-format off */
    actuate(p);                                      TIME(actuate)    /* targets, gains, limits  -> torque, implicit gains */
    kinematics(p);                                                    /* q                       -> body poses, joint axes */
    if (p->r->holds) gravity_held(p);                                 /* poses, what is held     -> torque */
                                                     TIME(kinematics)
    collide(p);                                      TIME(collide)    /* poses, geoms, ground    -> occupied slots */
    if (p->options->tree) {
    step_tree(p);                                    TIME(solve)      /* slots, rows, v          -> impulses, new velocity, no M */
    } else {
    dynamics(p);                                     TIME(dynamics)   /* poses, v                -> M, h */
    free_velocity(p);                                TIME(free)       /* M, h, torque            -> L, D, free velocity */
    assemble(p);                                     TIME(delassus)   /* occupied slots, L       -> G, c */
    if (p->options->maximal) variational_open(p);
    solve(p);                                        TIME(solve)      /* G, c, mu, warm start    -> impulses, residual */
    apply_rechecked(p);                                               /* free velocity, impulses -> new velocity */
    if (p->options->maximal) variational(p);                          /* the same, of the end of the step */
    }
    bad = integrate(p);                                               /* new velocity            -> v+, q+ */
    keep_impulses(p, bad);                           TIME(integrate)  /* impulses                -> warm start */
    sense(p, bad);                                   TIME(sense)      /* everything above        -> what the caller asked to see */
    /* clang-format on */
#undef TIME
    return bad;
}

/* Controls of a rollout: row (lane, step) of the caller's array into the control field of the living, whatever its type. A lane that is
 * quarantined keeps the control of the step in which it was: what its neighbours do must not show in it. */
static void read_control(const part *p, const myr_tile_job *job, int64_t step, int first_lane) {
    const robot *r = p->r;
    const int by_name = job->control_field == MYR_CONTROL_ROWS, first = by_name ? 0 : r->layout.first[job->control_field];
    for (int lane = 0; lane < VN; lane++) {
        if (!(p->alive >> lane & 1u)) continue;
        const int64_t at = (first_lane + lane) * job->control_lane + step * r->nu;
        for (int k = 0; k < r->nu; k++) {
            const double given =
                job->io_bytes == 4 ? (double)((const float *)job->control)[at + k] : ((const double *)job->control)[at + k];
            const myr_actuator *a = &r->model->actuators[k];
            real *to = (real *)(void *)row(p, by_name ? myr_control_row(&r->layout, a, k) : first + k) + lane;
            *to = (real)(by_name ? myr_actuator_set(a, given) : given);
        }
    }
}

static void write_state(const part *p, const myr_tile_job *job, int64_t step, int first_lane) {
    const robot *r = p->r;
    for (int lane = 0; lane < VN && first_lane + lane < job->meta->lanes_used; lane++) {
        const int64_t at = (first_lane + lane) * job->state_lane + step * (r->nq + r->nv);
        for (int k = 0; k < r->nq + r->nv; k++) {
            const int from = k < r->nq ? r->layout.first[MYR_ROWS_q] + k : r->layout.first[MYR_ROWS_v] + k - r->nq;
            const real value = ((const real *)(const void *)row(p, from))[lane];
            if (job->io_bytes == 4)
                ((float *)job->state)[at + k] = (float)value;
            else
                ((double *)job->state)[at + k] = (double)value;
        }
    }
}

/* Lanes of a part that are environments and healthy. */
static unsigned living(const myr_tile_meta *meta, int first_lane) {
    unsigned bits = 0;
    for (int lane = 0; lane < VN && first_lane + lane < meta->lanes_used; lane++)
        if (meta->quarantine[first_lane + lane] == MYR_HEALTHY) bits |= 1u << lane;
    return bits;
}

/* Lanes that stop here, after `done` steps of dt of this job. */
static void quarantine(part *p, myr_tile_meta *meta, int first_lane, unsigned bad, int64_t done) {
    for (int lane = 0; lane < VN; lane++) {
        if (stopped_lanes(bad) >> lane & 1u) meta->step[first_lane + lane] += done;
        if (bad >> lane & 1u) meta->quarantine[first_lane + lane] = MYR_QUARANTINE_NOT_FINITE;
        if (bad >> (16 + lane) & 1u) meta->quarantine[first_lane + lane] = MYR_QUARANTINE_SPEED;
        if (stopped_lanes(bad) & p->w->crowded & 1u << lane) meta->quarantine[first_lane + lane] = MYR_QUARANTINE_CONTACTS;
        if (stopped_lanes(bad) & p->w->spun & 1u << lane) meta->quarantine[first_lane + lane] = MYR_QUARANTINE_ROTATION;
    }
    p->alive &= ~stopped_lanes(bad);
}

/* All steps of one part, then the next part: the lanes know nothing of each other. */
static void step_tile(const myr_tile_job *job) {
    workspace w = {0};
    const robot *r = job->robot;
    const myr_step_options *o = job->options;
    workspace_open(&w, r, job->workspace);
    if (job->meta->changed) myr_judge_parameters(r->model, &r->layout, o, job->tile, job->meta, ~0u);
    const myr_had_slots had = job->meta->had;
    for (int k = 0; k < PARTS; k++) {
        const int first_lane = k * VN;
        part p = part_open(r, &w, job->tile, o, k);
        had_open(&p, &had);
        p.alive = living(job->meta, first_lane);
        p.next_tile = k == 0 ? job->next_tile : NULL;
        account a = account_open();
        for (int64_t step = 0; step < job->steps && (p.alive || job->state); step++) {
            if (p.alive) task_control(&p, job->meta, job->tile, first_lane, step * o->decimation);
            if (job->control && p.alive) read_control(&p, job, step, first_lane);
            for (int sub = 0; sub < o->decimation && p.alive; sub++) {
                const int sampled = account_sampled(job, step * o->decimation + sub);
                const unsigned bad = step_part(&p, sampled ? job->tally->stage_ticks : NULL);
                p.next_tile = NULL;
                const int last = step == job->steps - 1 && sub == o->decimation - 1;
                account_step(&a, &p, job, first_lane, sampled, last ? ~0u : stopped_lanes(bad));
                if (bad) quarantine(&p, job->meta, first_lane, bad, step * o->decimation + sub);
            }
            if (job->state) write_state(&p, job, step, first_lane);
        }
        for (int lane = 0; lane < VN; lane++)
            if (p.alive >> lane & 1u) job->meta->step[first_lane + lane] += job->steps * o->decimation;
        account_close(&a, &p, job);
        had_close(&p, k, &job->meta->had);
        job->tally->lanes_busy += w.contact.lanes_busy, job->tally->lanes_run += w.contact.lanes_run;
        w.contact.lanes_busy = w.contact.lanes_run = 0;
    }
    account_advance(job->meta, job->steps, o->decimation);
}

/* Body poses and velocities of the present state. */
static void refresh_tile(const void *memory, void *space, void *tile, const myr_step_options *options, unsigned lanes) {
    workspace w = {0};
    workspace_open(&w, memory, space);
    for (int k = 0; k < PARTS; k++) {
        const part p = part_open(memory, &w, tile, options, k);
        const unsigned mine = lanes >> (k * VN) & ((1u << VN) - 1);
        if (mine) sense_bodies(&p, vm_from_bits(mine));
    }
}

static void settle_tile(const void *memory, void *space, void *tile, const myr_step_options *options, unsigned lanes, double *open) {
    workspace w = {0};
    workspace_open(&w, memory, space);
    for (int k = 0; k < PARTS; k++) {
        const part p = part_open(memory, &w, tile, options, k);
        const unsigned mine = lanes >> (k * VN) & ((1u << VN) - 1);
        if (mine) loops_settle(&p, mine);
        for (int lane = 0; open && lane < VN; lane++) open[k * VN + lane] = mine >> lane & 1u ? lane_value(&w.loop_error, lane) : 0;
    }
}

/* Of a robot that is asked and not stepped; `sense`, so that rotations are kept. */
static const myr_step_options asked = {.varied = MYR_VARIED_INERTIAL, .sense = MYR_SENSE_BODIES, .dt_s = 1};

/* The rows of the tile are read alone, but a part may write to its tile: it is the caller's own, and not const. */
static void eval_tile(const void *memory, void *space, void *tile, void *out) {
    const robot *r = memory;
    workspace w = {0};
    myr_eval_rows rows;
    workspace_open(&w, r, space);
    eval_rows(r->model, &rows);
    for (int k = 0; k < PARTS; k++) {
        part p = part_open(r, &w, tile, &asked, k);
        p.alive = (1u << VN) - 1;
        eval_part(&p, &rows, (char *)out + (size_t)k * sizeof(vf));
    }
}

static void inverse_tile(const void *memory, void *space, void *tile, void *rates, void *tau) {
    workspace w = {0};
    workspace_open(&w, memory, space);
    for (int k = 0; k < PARTS; k++) {
        const part p = part_open(memory, &w, tile, &asked, k);
        inverse_part(&p, (char *)rates + (size_t)k * sizeof(vf), (char *)tau + (size_t)k * sizeof(vf));
    }
}

static void jacobian_tile(const void *memory, void *space, void *tile, int body, const double at[3], void *out) {
    workspace w = {0};
    const real point[3] = {(real)at[0], (real)at[1], (real)at[2]};
    workspace_open(&w, memory, space);
    for (int k = 0; k < PARTS; k++) {
        const part p = part_open(memory, &w, tile, &asked, k);
        jacobian_part(&p, body, point, (char *)out + (size_t)k * sizeof(vf));
    }
}

const myr_kernels MYR_UNIT(myr_kernels) = {
    .isa = MYR_ISA_NAME,
    .precision = (int)sizeof(real),
    .tasks = MYR_UNIT(myr_tasks),
    .robot_bytes = robot_bytes,
    .robot_build = build_robot,
    .workspace_bytes = workspace_bytes,
    .step_tile = step_tile,
    .act_tile = act_tile,
    .observe_tile = observe_tile,
    .refresh_tile = refresh_tile,
    .settle_tile = settle_tile,
    .reset_lanes = reset_lanes,
    .eval_rows = eval_rows,
    .eval_tile = eval_tile,
    .inverse_tile = inverse_tile,
    .jacobian_tile = jacobian_tile,
    .problem_of_lane = problem_of_lane,
    .problem_workspace_bytes = MYR_UNIT(myr_problem_workspace_bytes),
    .solve_tile = MYR_UNIT(myr_solve_tile),
};

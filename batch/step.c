/* START HERE: the whole step of a tile of robots. The schemes, the list of stages, and who runs them.
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
#include "dynamics/drag.lane.h"
#include "dynamics/thrust.lane.h"
#include "dynamics/factor.lane.h"
#include "constraints/assemble.lane.h"
#include "constraints/lift.lane.h"
#include "constraints/recheck.lane.h"
#include "maximal/tree_step.lane.h"
#include "maximal/variational.lane.h"
#include "dynamics/integrate.lane.h"
#include "batch/variants.lane.h"
#include "batch/sense.lane.h"
#include "batch/account.lane.h"
#include "batch/had.lane.h"
#include "batch/tile.lane.h"
#include "batch/rollout.lane.h"
#include "batch/act.lane.h"
#include "batch/problem.lane.h"
#include "batch/rays.lane.h"
#include "batch/scan.lane.h"
#include "batch/entries.lane.h"
#include "tasks/tasks.h"

/* ---- the schemes: the words of the setting `dynamics` --------------------------------------------------------------- */

static void solve(const part *p) { MYR_UNIT(myr_solve)(&p->w->contact, &p->options->solve); }

static const myr_scheme schemes[] = {
    {.name = "generalized", .solve = solve, .close = apply_rechecked},
    {.name = "maximal",
     .maximal = 1,
     .own_bytes = maximal_bytes,
     .own_open = maximal_open,
     .open = variational_open,
     .again = bend_free,
     .solve = solve,
     .close = variational_close},
    {.name = "maximal-tree",
     .maximal = 1,
     .no_problem = 1,
     .check = tree_check,
     .own_bytes = maximal_bytes,
     .own_open = maximal_open,
     .solve = step_tree},
    {.name = NULL},
};

static void scheme_open(const part *p) {
    if (p->options->scheme->open) p->options->scheme->open(p);
}
static void scheme_solve(const part *p) { p->options->scheme->solve(p); }
static void scheme_close(const part *p) {
    if (p->options->scheme->close) p->options->scheme->close(p);
}

/* ---- the stages, in their order --------------------------------------------------------------------------------------- */

/* What few robots have, behind one question. */
static void push(const part *p) {
    if (p->r->holds) gravity_held(p);
    if (p->r->model->n_pushing) thrust(p);
    if (p->r->model->n_drags) drag(p);
}

typedef struct stage {
    void (*run)(const part *p);
    int timer;     /* MYR_STAGE_*: as whose its time counts */
    unsigned with; /* MYR_WITH_*, of batches that have it alone; 0: of all */
} stage;

/* clang-format off */
static const stage stages[] = {
    {actuate,        MYR_STAGE_actuate,     0},                /* targets, gains, limits  -> torque, implicit gains */
    {kinematics_of_step, MYR_STAGE_kinematics, 0},             /* q                       -> body poses, joint axes */
    {sensors_before, MYR_STAGE_kinematics,  MYR_WITH_SENSORS}, /* poses, velocity         -> what sensors keep of them */
    {push,           MYR_STAGE_kinematics,  MYR_WITH_PUSH},    /* poses, what is held, rotors, a fluid -> torque */
    {collide,        MYR_STAGE_collide,     0},                /* poses, velocity, ground -> occupied slots */
    {dynamics,       MYR_STAGE_dynamics,    MYR_WITH_PROBLEM}, /* poses, v                -> M, h */
    {free_velocity,  MYR_STAGE_free,        MYR_WITH_PROBLEM}, /* M, h, torque            -> L, D, free velocity */
    {assemble,       MYR_STAGE_delassus,    MYR_WITH_PROBLEM}, /* occupied slots, L       -> G, c */
    {scheme_open,    MYR_STAGE_solve,       0},                /* c                       -> c, as the scheme wants it */
    {scheme_solve,   MYR_STAGE_solve,       0},                /* G, c, mu, warm start    -> impulses, residual */
    {scheme_close,   MYR_STAGE_integrate,   0},                /* free velocity, impulses -> new velocity */
    {lift,           MYR_STAGE_integrate,   MYR_WITH_LIFT},    /* depth                   -> positions alone */
    {integrate,      MYR_STAGE_integrate,   0},                /* new velocity            -> v+, q+, lanes to quarantine */
    {keep_impulses,  MYR_STAGE_integrate,   0},                /* impulses                -> warm start */
    {keep_inputs,    MYR_STAGE_integrate,   MYR_WITH_INPUTS},  /* what motors were given  -> states of those that are late, lag or are nets */
    {sense,          MYR_STAGE_sense,       MYR_WITH_SHOWN},   /* everything above        -> what the caller asked to see */
};
/* clang-format on */
enum { N_STAGES = sizeof stages / sizeof *stages };

/* The stages before `end`, all where that is NULL, of one part. `ticks` (nullable) receives what each took. After each a share of the next
 * tile is asked for. */
INLINE void run_stages(const part *p, void (*end)(const part *p), uint64_t *ticks) {
    uint64_t last = ticks ? myr_ticks() : 0;
    UNROLL_LONG for (int i = 0; i < N_STAGES; i++) { /* so that each call is one by name: a loop takes 300 instructions more */
        const stage *s = &stages[i];
        if (s->run == end) return;
        if (!s->with || (p->options->stages & s->with)) s->run(p);
        if (i + 1 < N_STAGES && s->timer == stages[i + 1].timer) continue;
        if (p->next_tile) prefetch_share(p, s->timer);
        if (!ticks) continue;
        const uint64_t now = myr_ticks();
        ticks[s->timer] += now - last;
        last = now;
    }
}

/* ---- who runs them: steps, control steps, and the problem of a step that is not made ------------------------------------ */

/* Control steps of a task tell what they took. Those of a plan's samples do not: four looks at the clock are 1 % of a small robot's step.
 */
static int is_timed(const myr_tile_job *job) { return job->act && !job->cost; }

/* One step of dt of the lanes that live. `keep`: iterations and residuals are kept for the caller. */
static void step_part(tile_part *a, int sub, int keep) {
    const myr_tile_job *job = a->job;
    part *p = &a->p;
    const int sampled = account_sampled(job, a->step * p->options->decimation + sub);
    const uint64_t start = is_timed(job) ? myr_ticks() : 0;
    p->w->contact.unasked = job->cost && !sampled && !keep && job->tally->counted_steps; /* the first one is told in any case */
    run_stages(p, NULL, sampled ? job->tally->stage_ticks : NULL);
    if (is_timed(job)) a->physics += myr_ticks() - start;
    p->next_tile = NULL;
    account_step(&a->sums, p, job, a->first_lane, sampled, keep ? ~0u : stopped_lanes(p->w->bad));
    if (p->w->bad) quarantine(a, sub);
}

static void control_step(tile_part *a, const control *c) {
    const myr_tile_job *job = a->job;
    part *p = &a->p;
    const uint64_t start = is_timed(job) ? myr_ticks() : 0;
    const unsigned mine = every_lane(a) << a->first_lane;
    const int decimation = p->options->decimation, end = a->step == job->steps - 1, last = c->keeps || end;
    a->physics = 0;
    if (job->meta->changed & mine) {
        myr_judge_parameters(p->r->model, &p->r->layout, p->options, job->tile, job->meta, mine);
        p->alive = living(a);
    }
    c->begin(a);
    for (int sub = 0; sub < decimation && p->alive; sub++) {
        if (c->each) c->each(a, sub);
        if (!p->alive) break;
        p->ends = sub == decimation - 1 && (last || p->r->model->n_sensor_memory); /* who remembers measures in each control step */
        step_part(a, sub, (job->cost ? end : last) && sub == decimation - 1);      /* of a sample its last step alone is asked about */
    }
    for (int lane = 0; lane < a->lanes; lane++) job->meta->step[a->first_lane + lane] += p->alive >> lane & 1u ? decimation : 0;
    c->end(a);
    if (is_timed(job)) job->tally->task_ticks += myr_ticks() - start - a->physics;
}

/* All steps of one part, then the next part: the lanes know nothing of each other. */
static void step_tile(const myr_tile_job *job) {
    const control *c = job->act ? &act_control : &rollout_control;
    const int written = job->act || (job->rollout && job->rollout->state); /* of the dead, too */
    const myr_had_slots had = job->meta->had;
    workspace w = {0};
    workspace_open(&w, job->robot, job->options->scheme, job->workspace);
    w.programs = job->programs;
    for (int k = 0; k < PARTS; k++) {
        tile_part a = tile_part_open(job, &w, k);
        had_open(&a.p, &had);
        pauses_open(&a.p, job->meta, a.first_lane);
        for (; a.step < job->steps && a.lanes && (a.p.alive || written); a.step++) control_step(&a, c);
        account_close(&a.sums, &a.p, job);
        had_close(&a.p, k, &job->meta->had);
        pauses_close(&a.p, job->meta, a.first_lane);
        job->tally->lanes_busy += w.contact.lanes_busy, job->tally->lanes_run += w.contact.lanes_run;
        w.contact.lanes_busy = w.contact.lanes_run = 0;
    }
    account_advance(job->meta, job->steps, job->options->decimation);
}

/* What the next step solves in one lane: that lane alone goes through the stages before the solve. */
static void problem_of_lane(const myr_tile_job *job, int lane, myr_problem_room *out) {
    workspace w = {0};
    workspace_open(&w, job->robot, job->options->scheme, job->workspace);
    w.programs = job->programs;
    tile_part a = tile_part_open(job, &w, lane / VN);
    if (job->meta->changed) myr_judge_parameters(a.p.r->model, &a.p.r->layout, job->options, job->tile, job->meta, 1u << lane);
    a.p.alive = living(&a) & 1u << lane % VN;
    out->contacts = out->rows = 0;
    if (!a.p.alive) return;
    rollout_begin(&a);
    run_stages(&a.p, scheme_solve, NULL);
    lane_problem_out(&a.p, lane % VN, out);
}

const myr_kernels MYR_UNIT(myr_kernels) = {
    .isa = MYR_ISA_NAME,
    .precision = (int)sizeof(real),
    .tasks = MYR_UNIT(myr_tasks),
    .table_task = &MYR_UNIT(myr_table_task),
    .schemes = schemes,
    .robot_bytes = robot_bytes,
    .robot_build = build_robot,
    .workspace_bytes = workspace_bytes,
    .workspace_used_bytes = workspace_used_bytes,
    .step_tile = step_tile,
    .observe_tile = observe_tile,
    .refresh_tile = refresh_tile,
    .settle_tile = settle_tile,
    .reset_lanes = reset_lanes,
    .eval_rows = eval_rows,
    .eval_tile = eval_tile,
    .inverse_tile = inverse_tile,
    .jacobian_tile = jacobian_tile,
    .scan_tile = scan_tile,
    .rays_tile = rays_tile,
    .problem_of_lane = problem_of_lane,
    .problem_workspace_bytes = MYR_UNIT(myr_problem_workspace_bytes),
    .solve_tile = MYR_UNIT(myr_solve_tile),
};

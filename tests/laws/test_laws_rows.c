/* ctest: heavy law lanes
 * Joint limits and dry friction never add energy: for any robot, with any solver, and over ten thousand steps.
 *
 * The law of a step is exact. With u the velocity that the step would give without rows, and w = J u, w+ = J v+ the rows' velocities,
 *
 *     1/2 v+' Mh v+ - 1/2 u' Mh u  =  1/2 lambda' (w+ + w)  =  lambda' w+ - 1/2 lambda' G lambda
 *
 * and lambda w+ <= 0 in each row with lo <= 0 <= hi, which `limit-correction 0` makes of all. u is that of a twin batch without rows, put
 * into the same state before each step. Mh is M of myr_evaluate, with armature and damping added here.
 *
 * The law of a run is exact where the scheme makes no energy of its own. Explicit Coriolis forces do, and M that changes along the step
 * (tests/laws/test_laws_motion.c). Sliders have neither: there a step changes kinetic and potential energy together by
 * lambda' w+ - 1/2 (v+ - v)' M (v+ - v). Of other robots the books are kept: what rows took, and what the scheme made, which goes with dt.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/batch_scene.h"
#include "kernels/kernels.h"
#include "support/random_model.h"

enum { MOST = 48, ENVS = 16, HINGES = 1u << MYR_JOINT_REVOLUTE, SLIDERS = 1u << MYR_JOINT_PRISMATIC, BALLS = 1u << MYR_JOINT_BALL };
#define TOLERANCE 1e-10
#define ROUNDING 1e-12 /* of the energy */

typedef struct kind {
    const char *name;
    random_tree tree;
} kind;
static const kind kinds[] = {
    {"floating hinges", {.bodies = 8, .trees = 1, .floating = 1, .joints = HINGES, .rows = 1}},
    {"fixed hinges", {.bodies = 7, .trees = 1, .floating = 0, .joints = HINGES, .rows = 1}},
    {"straight floating hinges", {.bodies = 9, .trees = 1, .floating = 1, .straight = 1, .joints = HINGES, .rows = 1}},
    {"fixed hinges and sliders", {.bodies = 8, .trees = 1, .floating = 0, .joints = HINGES | SLIDERS, .rows = 1}},
    {"two trees of all joints", {.bodies = 10, .trees = 2, .floating = -1, .joints = HINGES | SLIDERS | BALLS, .rows = 1}},
};
static const kind sliders = {"sliders", {.bodies = 6, .trees = 1, .floating = 0, .joints = SLIDERS, .rows = 2}};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* A robot beside its twin without rows. Arrays are those of the last step, (ENVS, components). */
typedef struct twins {
    myr_model *model;
    myr_model_info size;
    myr_settings settings;
    myr_batch *with, *without;
    int dof[MOST];       /* of the rows */
    double length[MOST]; /* likewise */
    double q[ENVS * 2 * MOST], v[ENVS * MOST], u[ENVS * MOST], after[ENVS * MOST], impulse[ENVS * MOST], solved[ENVS];
    double armature[ENVS * MOST], damping[ENVS * MOST], M[ENVS * MOST * MOST];
} twins;

/* The n-th robot of a kind that has at least three rows. */
static myr_model *find_robot(const kind *k, int n, myr_model_info *info) {
    for (uint64_t seed = 1;; seed++) {
        myr_model *model = random_model(1000 + seed, &k->tree, 0);
        if (!model) fail_msg("%s: %s", k->name, myr_message());
        myr_model_get_info(model, info);
        assert_true(info->nv <= MOST && info->nq <= 2 * MOST);
        if (info->n_rows >= 3 && n-- == 0) return model;
        myr_model_free(model);
    }
}

static void read_rows(twins *t) {
    for (int r = 0; r < t->size.n_rows; r++) {
        myr_row_info row;
        myr_joint_info joint;
        MUST(myr_model_get_row(t->model, r, &row));
        MUST(myr_model_get_joint(t->model, row.joint, &joint));
        t->dof[r] = joint.v, t->length[r] = row.length_m;
    }
}

static void set_both(twins *t, myr_field field, int64_t env, const double *values) {
    MUST(myr_batch_set(t->with, field, &env, 1, MYR_F64, values));
    MUST(myr_batch_set(t->without, field, &env, 1, MYR_F64, values));
}

/* A rotor, or friction in oil, of the joints of one degree of freedom. The others count theirs along axes of their own. */
static void on_joints(const twins *t, random_source *source, double *values) {
    memset(values, 0, (size_t)t->size.nv * sizeof *values);
    for (int j = 0; j < t->size.n_joints; j++) {
        myr_joint_info joint;
        MUST(myr_model_get_joint(t->model, j, &joint));
        if (joint.nv == 1) values[joint.v] = random_uniform(source, 0, 0.1);
    }
}

/* Every environment in its own state, hinges within a radian. Driven: every second one has torques, armature and damping, every third no
 * gravity. */
static void start(twins *t, uint64_t seed, double speed, int driven) {
    random_source source = {seed};
    const double none[3] = {0, 0, 0};
    for (int64_t env = 0; env < ENVS; env++) {
        double q[2 * MOST], v[MOST], tau[MOST], joints[MOST];
        random_state(&source, t->model, speed, 2, q, v, tau);
        for (int j = 0; j < t->size.n_joints; j++) {
            myr_joint_info joint;
            MUST(myr_model_get_joint(t->model, j, &joint));
            if (joint.type == MYR_JOINT_REVOLUTE) q[joint.q] /= 3.2;
        }
        set_both(t, MYR_Q, env, q);
        set_both(t, MYR_V, env, v);
        if (driven && env % 3 == 0) set_both(t, MYR_GRAVITY, env, none);
        if (!driven || env % 2) continue;
        set_both(t, MYR_TORQUE, env, tau);
        on_joints(t, &source, joints);
        set_both(t, MYR_ARMATURE, env, joints);
        on_joints(t, &source, joints);
        set_both(t, MYR_DAMPING, env, joints);
    }
}

static twins *open_twins(const kind *k, int n, const char *solver, const char *dt, const char *sweeps) {
    twins *t = calloc(1, sizeof *t);
    assert_non_null(t);
    t->model = find_robot(k, n, &t->size);
    t->settings = scene_settings("precision", "f64", "task", "none", "threads", "1", "solver", solver, "tolerance", "1e-10", "dt", dt,
                                 "max-sweeps", sweeps, "limit-correction", "0", "spin-damping", "0", NULL);
    MUST(myr_batch_create(t->model, ENVS, &t->settings, &t->with));
    myr_settings off = t->settings;
    MUST(myr_settings_set(&off, "joint-limits", "off"));
    MUST(myr_settings_set(&off, "joint-friction", "off"));
    MUST(myr_batch_create(t->model, ENVS, &off, &t->without));
    assert_true(myr_batch_components(t->with, MYR_ROW_IMPULSE) == t->size.n_rows && myr_batch_components(t->without, MYR_ROW_IMPULSE) == 0);
    read_rows(t);
    return t;
}

static void close_twins(twins *t) {
    myr_batch_free(t->with);
    myr_batch_free(t->without);
    myr_model_free(t->model);
    free(t);
}

static void see(const myr_batch *batch, myr_field field, double *values) { MUST(myr_batch_get(batch, field, NULL, ENVS, MYR_F64, values)); }

/* One step of both, from the state of the one that has rows. */
static void step(twins *t) {
    see(t->with, MYR_Q, t->q);
    see(t->with, MYR_V, t->v);
    see(t->with, MYR_ARMATURE, t->armature);
    see(t->with, MYR_DAMPING, t->damping);
    MUST(myr_batch_set(t->without, MYR_Q, NULL, ENVS, MYR_F64, t->q));
    MUST(myr_batch_set(t->without, MYR_V, NULL, ENVS, MYR_F64, t->v));
    const myr_evaluation e = {.n = ENVS, .q = t->q, .M = t->M};
    MUST(myr_evaluate(t->model, &t->settings, &e));
    MUST(myr_batch_step(t->with, 1));
    MUST(myr_batch_step(t->without, 1));
    see(t->without, MYR_V, t->u);
    see(t->with, MYR_V, t->after);
    see(t->with, MYR_ROW_IMPULSE, t->impulse);
    see(t->with, MYR_SOLVE_STATUS, t->solved);
}

/* 1/2 a' Mh b of an environment; 1/2 (v - u)' Mh (v + u) is a difference of energies in which nothing cancels. */
static double product(const twins *t, int env, const double *a, const double *b) {
    const int nv = t->size.nv;
    const double *M = t->M + (size_t)env * (size_t)(nv * nv);
    double sum = 0;
    for (int i = 0; i < nv; i++) {
        const int at = env * nv + i;
        sum += 0.5 * (t->armature[at] + t->settings.dt_s * t->damping[at]) * a[i] * b[i];
        for (int k = 0; k < nv; k++) sum += 0.5 * M[i * nv + k] * a[i] * b[k];
    }
    return sum;
}

/* ---- the law of a step -------------------------------------------------------------------------------------------- */

typedef struct books {
    long steps, solved, acting;             /* environment-steps; rows that acted */
    double taken, worst_gain, worst_breach; /* [J]; gain over what is allowed; of the identity, over the energy */
} books;

/* The rows' impulses and velocities, summed as the solver counts them: what the tolerance is worth. */
static double reach(const twins *t, int env) {
    const double *l = t->impulse + env * t->size.n_rows, *v = t->after + env * t->size.nv;
    double sum = 0;
    for (int r = 0; r < t->size.n_rows; r++) sum += fabs(l[r]) / t->length[r] + fabs(v[t->dof[r]]) * t->length[r] + TOLERANCE;
    return sum;
}

/* What rows gave environment `env` in the last step [J]; fails where that is more than the tolerance explains. */
static double judge(const twins *t, const kind *k, const char *solver, int env, books *b) {
    const int nv = t->size.nv, rows = t->size.n_rows;
    const double *u = t->u + env * nv, *v = t->after + env * nv, *l = t->impulse + env * rows;
    double change[MOST], sum[MOST], work = 0;
    for (int i = 0; i < nv; i++) change[i] = v[i] - u[i], sum[i] = v[i] + u[i];
    for (int r = 0; r < rows; r++) {
        work += 0.5 * l[r] * sum[t->dof[r]];
        b->acting += l[r] != 0;
    }
    const double gain = product(t, env, change, sum), energy = product(t, env, u, u),
                 allowed = TOLERANCE * reach(t, env) + ROUNDING * energy;
    b->steps++;
    b->worst_breach = fmax(b->worst_breach, fabs(gain - work) / energy);
    if (!(fabs(gain - work) <= ROUNDING * (energy + 1)))
        fail_msg("%s, %s, environment %d: the energy changes by %.6g J, the rows' impulses do %.6g", k->name, solver, env, gain, work);
    if (t->solved[env] != MYR_CONVERGED) return gain;
    b->solved++;
    b->taken -= gain;
    b->worst_gain = fmax(b->worst_gain, gain / allowed);
    if (!(gain <= allowed))
        fail_msg("%s, %s, environment %d: rows add %.3g J to %.3g, allowed %.3g", k->name, solver, env, gain, energy, allowed);
    return gain;
}

static void say(const char *who, const char *solver, const books *b) {
    print_message(
        "%s, %s: %ld robot-steps, %ld solved, %ld rows acted, %.3g J taken, gain at most %.2g of what is allowed, books within %.1g\n", who,
        solver, b->steps, b->solved, b->acting, b->taken, b->worst_gain, b->worst_breach);
}

/* Each kind: four robots, 16 environments, 200 steps, thrown anew every 50. */
static void rows_only_take(void **state) {
    (void)state;
    for (int i = 0; i < KINDS; i++) {
        books b = {.worst_gain = -INFINITY};
        for (int n = 0; n < 4; n++) {
            twins *t = open_twins(&kinds[i], n, "nsgs", n % 2 ? "5e-3" : "1e-3", "2000");
            for (int k = 0; k < 200; k++) {
                if (k % 50 == 0) start(t, (uint64_t)(100 * n + k), 4, 1);
                step(t);
                for (int env = 0; env < ENVS; env++) judge(t, &kinds[i], "nsgs", env, &b);
            }
            close_twins(t);
        }
        say(kinds[i].name, "nsgs", &b);
        assert_true(b.steps >= 10000 && b.solved > b.steps * 99 / 100 && b.acting > b.steps && b.taken > 0);
    }
}

/* Newton's methods, which make limits soft, among them. */
static void with_any_solver(void **state) {
    (void)state;
    for (int s = 0; s < MYR_SOLVER_COUNT; s++) {
        const char *solver = myr_solvers[s].name;
        books b = {.worst_gain = -INFINITY};
        for (int i = 0; i < KINDS; i += 2) {
            twins *t = open_twins(&kinds[i], 1, solver, "1e-3", "10000");
            start(t, 5, 4, 1);
            for (int k = 0; k < 40; k++) {
                step(t);
                for (int env = 0; env < ENVS; env++) judge(t, &kinds[i], solver, env, &b);
            }
            close_twins(t);
        }
        say("three kinds", solver, &b);
        assert_true(b.solved > b.steps * 9 / 10 && b.acting > b.steps && b.taken > 0);
    }
}

/* ---- the law of a run --------------------------------------------------------------------------------------------- */

enum { RUN = 10000 };

static void energies(const twins *t, double *energy) {
    double q[ENVS * 2 * MOST], v[ENVS * MOST], kinetic[ENVS], potential[ENVS];
    see(t->with, MYR_Q, q);
    see(t->with, MYR_V, v);
    const myr_evaluation e = {.n = ENVS, .q = q, .v = v, .kinetic = kinetic, .potential = potential};
    MUST(myr_evaluate(t->model, &t->settings, &e));
    for (int env = 0; env < ENVS; env++) energy[env] = kinetic[env] + potential[env];
}

/* Ten thousand steps of robots of sliders under gravity, from flight to rest: the energy falls, or stays, in every single one. */
static void sliders_only_lose(void **state) {
    (void)state;
    for (int n = 0; n < 3; n++) {
        twins *t = open_twins(&sliders, n, "nsgs", n ? "1e-3" : "5e-3", "2000");
        double before[ENVS], after[ENVS], most = -INFINITY, lost = 0;
        start(t, 9, 4, 0);
        energies(t, before);
        for (int k = 0; k < RUN; k++) {
            MUST(myr_batch_step(t->with, 1));
            energies(t, after);
            see(t->with, MYR_V, t->after);
            see(t->with, MYR_ROW_IMPULSE, t->impulse);
            for (int env = 0; env < ENVS; env++) {
                const double gain = after[env] - before[env], allowed = TOLERANCE * reach(t, env) + ROUNDING * (fabs(before[env]) + 10);
                most = fmax(most, gain);
                lost -= gain;
                if (!(gain <= allowed)) fail_msg("robot %d, step %d, environment %d: the energy grows by %.3g J", n, k, env, gain);
            }
            memcpy(before, after, sizeof before);
        }
        myr_stats stats;
        myr_batch_stats(t->with, &stats);
        print_message("sliders %d: a step adds %.2g J at most, %.3g J lost in %d steps\n", n, most, lost, RUN);
        assert_true(stats.not_converged == 0 && lost > 1 && most > -1e-6);
        close_twins(t);
    }
}

/* The largest share of the start's energy that a run of a second without gravity owes to the scheme; rows may never have given any. */
static double run(const kind *what, const char *dt, int steps) {
    static const double none[3 * ENVS];
    twins *t = open_twins(what, 0, "nsgs", dt, "2000");
    double first[ENVS], now[ENVS], rows[ENVS] = {0}, share = 0, taken = 0, total = 0;
    books b = {.worst_gain = -INFINITY};
    start(t, 9, 2, 0);
    MUST(myr_batch_set(t->with, MYR_GRAVITY, NULL, ENVS, MYR_F64, none));
    MUST(myr_batch_set(t->without, MYR_GRAVITY, NULL, ENVS, MYR_F64, none));
    for (int k = 0; k < steps; k++) {
        step(t);
        for (int env = 0; env < ENVS; env++) {
            const double *v = t->v + env * t->size.nv, energy = product(t, env, v, v);
            if (k == 0) total += first[env] = energy;
            now[env] = energy; /* before this step */
            share = fmax(share, fabs(now[env] - first[env] - rows[env]) / first[env]);
            if (!(now[env] <= first[env] * (1 + share))) fail_msg("%s: %.12g J of %.12g", what->name, now[env], first[env]);
            rows[env] += judge(t, what, "nsgs", env, &b);
        }
    }
    for (int env = 0; env < ENVS; env++) taken -= rows[env];
    print_message("%s, %s s, %d steps: rows took %.3g J of %.3g, the scheme's share is %.2g\n", what->name, dt, steps, taken, total, share);
    assert_true(taken > 0.01 * total && b.solved == b.steps);
    close_twins(t);
    return share;
}

/* One robot of each kind for ten thousand steps: what it owes to the scheme halves with dt, what it owes to rows is never positive. */
static void a_run_gains_nothing_by_rows(void **state) {
    (void)state;
    for (int i = 0; i < KINDS; i++) {
        const double coarse = run(&kinds[i], "4e-4", RUN / 4), fine = run(&kinds[i], "1e-4", RUN);
        if (!(fine < 2e-3 && fine < coarse / 3.5))
            fail_msg("%s: the scheme's share is %.3g, and %.3g at 4 dt", kinds[i].name, fine, coarse);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_only_take),
        cmocka_unit_test(with_any_solver),
        cmocka_unit_test(sliders_only_lose),
        cmocka_unit_test(a_run_gains_nothing_by_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

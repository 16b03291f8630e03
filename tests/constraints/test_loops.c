/* ctest: law lanes
 * Loops and couplings of joints in the step: one step against dense algebra, planar loops whose rows are redundant, robots on their feet,
 * and the promises. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/batch_scene.h"
#include "support/isas.h"
#include "kernels/kernels.h"
#include "support/loop_scene.h"
#include "support/model_scene.h"
#include "support/random_model.h"
#include "reference/rigid_body.h"
#include "reference/small.h"

enum { MOST_NQ = 96, MOST_ROWS = 24, ENVS = 9 };

/* ---- one step ------------------------------------------------------------------------------------ */

/* v+ of the textbook: M du = J' l with J (v* + du) = c_ref, everything dense. Rows are those of the loops as described. 0 where
 * they nearly depend on each other. */
static int reference_step(const loop_cast *cast, reference_state *s, const double *q, const double *v, double dt, double *v_new) {
    const int nv = cast->model->nv, rows = cast->model->n_loop_rows;
    const double gravity[3] = {0, 0, -9.81};
    static double J[MOST_ROWS * MOST_NQ], ref[MOST_ROWS], X[MOST_ROWS * MOST_NQ], A[MOST_ROWS * MOST_ROWS], copy[MOST_ROWS * MOST_ROWS],
        M[MOST_NQ * MOST_NQ], b[MOST_ROWS], l[MOST_ROWS], none[MOST_NQ];
    reference_compute(s, q, v, none, gravity);
    loop_cast_rows(cast, s, q, J, ref);
    for (int k = 0; k < rows; k++) ref[k] = fmax(-1, fmin(1, -0.2 * ref[k] / dt));
    for (int k = 0; k < nv; k++) v_new[k] = v[k] + dt * s->acceleration[k];
    for (int r = 0; r < rows; r++) {
        memcpy(M, s->M, (size_t)(nv * nv) * sizeof *M);
        assert_true(reference_cholesky_solve(M, nv, J + r * nv, X + r * nv));
        b[r] = ref[r];
        for (int k = 0; k < nv; k++) b[r] -= J[r * nv + k] * v_new[k];
    }
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < rows; c++) {
            A[r * rows + c] = 0;
            for (int k = 0; k < nv; k++) A[r * rows + c] += J[r * nv + k] * X[c * nv + k];
        }
    memcpy(copy, A, (size_t)(rows * rows) * sizeof *A);
    if (!(reference_condition(copy, rows) < 1e5)) return 0;
    assert_true(reference_cholesky_solve(A, rows, b, l));
    for (int r = 0; r < rows; r++)
        for (int k = 0; k < nv; k++) v_new[k] += X[r * nv + k] * l[r];
    return 1;
}

static void one_step_is_the_references(void **state) {
    (void)state;
    static double wanted[ENVS][MOST_NQ];
    double worst[2] = {0, 0};
    int tried = 0, compared = 0, usable[ENVS];
    for (uint64_t seed = 1; seed <= 12; seed += SCENE_SOLVER_STRIDE) {
        loop_cast cast = loop_cast_random(seed);
        reference_state s;
        assert_true(reference_init(&s, cast.model) && cast.model->nv <= MOST_NQ && cast.model->n_loop_rows <= MOST_ROWS);
        for (int p = 0; p < 2; p++)
            for (int i = 0; isa_or_auto_at(i); i++) {
                const myr_settings settings = scene_settings("precision", p ? "f64" : "f32", "isa", isa_or_auto_at(i), "threads", "1",
                                                             "task", "none", "spin-damping", "0", "dt", "1e-3", NULL);
                myr_batch *batch = NULL;
                MUST(myr_batch_create(cast.model, ENVS, &settings, &batch));
                random_source source = {seed};
                for (int64_t env = 0; env < ENVS; env++) {
                    double q[MOST_NQ], v[MOST_NQ], tau[MOST_NQ];
                    random_state(&source, cast.model, 2, 0, q, v, tau);
                    MUST(myr_batch_set(batch, MYR_Q, &env, 1, MYR_F64, q));
                    MUST(myr_batch_set(batch, MYR_V, &env, 1, MYR_F64, v));
                    MUST(myr_batch_get(batch, MYR_Q, &env, 1, MYR_F64, q));
                    MUST(myr_batch_get(batch, MYR_V, &env, 1, MYR_F64, v));
                    tried++;
                    usable[env] = reference_step(&cast, &s, q, v, 1e-3, wanted[env]);
                }
                MUST(myr_batch_step(batch, 1));
                for (int64_t env = 0; env < ENVS; env++) {
                    if (!usable[env]) continue;
                    double *v_new = wanted[env], seen[MOST_NQ], size = 1;
                    compared++;
                    MUST(myr_batch_get(batch, MYR_V, &env, 1, MYR_F64, seen));
                    for (int k = 0; k < cast.model->nv; k++) size = fmax(size, fabs(v_new[k]));
                    for (int k = 0; k < cast.model->nv; k++) worst[p] = fmax(worst[p], fabs(seen[k] - v_new[k]) / size);
                    if (!(worst[p] < (p ? 1e-8 : 3e-3)))
                        fail_msg("seed %d, %s, environment %d: off by %.3g of %.3g", (int)seed, isa_or_auto_at(i), (int)env, worst[p],
                                 size);
                }
                myr_batch_free(batch);
            }
        reference_free(&s);
        loop_cast_free(&cast);
    }
    assert_true(compared > tried / 2);
    print_message("%d of %d states compared; largest distance from the reference: %.2g in float, %.2g in double\n", compared, tried,
                  worst[0], worst[1]);
}

/* ---- minutes of motion ------------------------------------------------------------------------------ */

/* The acceleration at which loop k tears when no joint accelerates: what a law of velocities does not see. */
static double tearing(const myr_model *m, const reference_state *s, int k) {
    const myr_loop *loop = &m->loops[k];
    double apart[3] = {0, 0, 0};
    for (int e = 0; e < 2; e++) {
        if (loop->body[e] < 0) continue;
        const reference_body *b = &s->bodies[loop->body[e]];
        double user[3], arm[3], turning[3], once[3], inward[3], align[9];
        transpose(m->bodies[loop->body[e]].align, align);
        mul3(align, loop->at[e], user);
        mul3(b->rotation, user, arm);
        cross(b->bias_angular, arm, turning);
        cross(b->angular, arm, once);
        cross(b->angular, once, inward);
        for (int i = 0; i < 3; i++) apart[i] += (e ? -1 : 1) * (b->bias_linear[i] + turning[i] + inward[i]);
    }
    return sqrt(dot(apart, apart));
}

/* Swings for a minute; the largest error of the first and the last 20 s against the bound of a law of velocities. */
static void swing(myr_model *model, const char *what, double dt, const char *projection, double *early, double *late, double *bound) {
    char step[24];
    snprintf(step, sizeof step, "%g", dt);
    const myr_settings settings = scene_settings("precision", "f64", "dt", step, "tolerance", "1e-9", "loop-projection", projection,
                                                 "threads", "1", "task", "none", NULL);
    const double seconds = SCENE_SOLVER_STRIDE > 1 ? 3 : 60; /* instrumented code takes ten times as long */
    const int64_t steps = (int64_t)(seconds / dt + 0.5), third = steps / 3, zero = 0;
    const double gravity[3] = {0, 0, -9.81};
    static double none[MOST_NQ];
    double q[MOST_NQ], v[MOST_NQ], fastest = 0;
    reference_state s;
    myr_batch *batch = NULL;
    myr_stats stats;
    MUST(myr_batch_create(model, 1, &settings, &batch));
    assert_true(reference_init(&s, model));
    *early = *late = 0;
    for (int64_t k = 0; k < steps; k++) {
        if (k == third || k == 2 * third) {
            myr_batch_stats(batch, &stats);
            if (k == third) *early = stats.loop_error_max;
            myr_batch_clear_stats(batch);
        }
        MUST(myr_batch_step(batch, 1));
        MUST(myr_batch_get(batch, MYR_Q, &zero, 1, MYR_F64, q));
        MUST(myr_batch_get(batch, MYR_V, &zero, 1, MYR_F64, v));
        reference_compute(&s, q, v, none, gravity);
        for (int i = 0; i < model->n_loops; i++)
            if (model->loops[i].type != MYR_LOOP_COUPLING) fastest = fmax(fastest, tearing(model, &s, i));
    }
    myr_batch_stats(batch, &stats);
    *late = stats.loop_error_max;
    *bound = dt * dt * fastest / (2 * 0.2);
    print_message("%s, %g ms, projection %s: open by %.2g m at first, %.2g m at last, bound %.2g; residual %.1e\n", what, 1e3 * dt,
                  projection, *early, *late, *bound, stats.residual_max);
    assert_true(stats.quarantined == 0 && stats.not_converged == 0);
    reference_free(&s);
    myr_batch_free(batch);
}

static void loops_stay_closed(void **state) {
    (void)state;
    static const char *const names[] = {"four-bar with a ball", "tilted four-bar with a hinge", "leg"};
    for (int m = 0; m < 3; m++) {
        myr_model *model = m == 2 ? loop_leg() : loop_four_bar(m ? MYR_LOOP_REVOLUTE : MYR_LOOP_BALL, m);
        for (int slow = 0; slow < 2; slow++) {
            double early, late, bound;
            swing(model, names[m], slow ? 5e-3 : 1e-3, "0", &early, &late, &bound);
            if (!(early > 0 && early < 1.05 * bound && late < 1.05 * bound)) fail_msg("%s: open by %g and %g", names[m], early, late);
            swing(model, names[m], slow ? 5e-3 : 1e-3, slow ? "3" : "2", &early, &late, &bound);
            if (!(early < 1e-6 && late < 1e-6)) fail_msg("%s, projected: open by %g and %g", names[m], early, late);
        }
        myr_model_free(model);
    }
}

/* A polynomial and a tendon, driven about; nothing is to be seen of them but rounding where they are straight, and a little where not. */
static void couplings_hold(void **state) {
    (void)state;
    myr_model *model = loop_finger();
    for (int projected = 0; projected < 2; projected++) {
        const myr_settings settings =
            scene_settings("precision", "f64", "tolerance", "1e-10", "loop-projection", projected ? "2" : "0", NULL);
        myr_batch *batch = NULL;
        myr_stats stats;
        MUST(myr_batch_create(model, ENVS, &settings, &batch));
        double torque[ENVS * 4], q[ENVS * 4], impulse[ENVS * 2], straight = 0, cubic = 0, held = 0;
        for (int k = 0; k < 1000; k++) {
            for (int i = 0; i < ENVS * 4; i++) torque[i] = 0.05 * sin(0.02 * k + 1.7 * i);
            MUST(myr_batch_set(batch, MYR_TORQUE, NULL, ENVS, MYR_F64, torque));
            MUST(myr_batch_step(batch, 10));
            MUST(myr_batch_get(batch, MYR_Q, NULL, ENVS, MYR_F64, q));
            MUST(myr_batch_get(batch, MYR_LOOP_IMPULSE, NULL, ENVS, MYR_F64, impulse));
            for (int env = 0; env < ENVS; env++) {
                const double *x = q + 4 * env;
                straight = fmax(straight, fabs(0.02 * x[1] - 0.01 * x[2] + x[3]));
                cubic = fmax(cubic, fabs(x[1] - 0.1 - 0.7 * x[0] - 0.2 * x[0] * x[0] * x[0]));
                held = fmax(held, fabs(impulse[2 * env]));
            }
        }
        myr_batch_stats(batch, &stats);
        if (!(straight < 1e-12 && cubic < (projected ? 1e-10 : 2e-3) && held > 1e-6))
            fail_msg("off by %g m and %g rad, impulses up to %g", straight, cubic, held);
        assert_true(stats.loop_error_max >= cubic && stats.loop_error_max < (projected ? 1e-10 : 2e-3) && stats.not_converged == 0);
        myr_batch_free(batch);
    }
    myr_model_free(model);
}

/* ---- robots on their feet --------------------------------------------------------------------------- */

/* Each falls in its own way onto its feet. */
static myr_batch *walkers(const myr_model *model, const char *precision, const char *isa, const char *threads, const char *solver,
                          const char *projection, int64_t first, int64_t envs) {
    const int tight = !strcmp(precision, "f64");
    myr_settings settings =
        scene_settings("precision", precision, "isa", isa, "threads", threads, "solver", solver, "tolerance", tight ? "1e-9" : "1e-5",
                       "max-sweeps", tight ? "3000" : "300", "loop-projection", projection, "kp", "40", "kd", "1", NULL);
    myr_batch *batch = NULL;
    settings.first_env = first;
    MUST(myr_batch_create(model, envs, &settings, &batch));
    for (int64_t env = 0; env < envs; env++) {
        double q[MOST_NQ], v[MOST_NQ];
        const double id = (double)(first + env);
        MUST(myr_batch_get(batch, MYR_Q, &env, 1, MYR_F64, q));
        q[2] += 0.01 + 0.01 * fmod(id, 5);
        for (int k = 0; k < model->nv; k++) v[k] = k < 6 ? 0.3 * sin(1 + id + k) : 2 * sin(id * 0.7 + k);
        MUST(myr_batch_set(batch, MYR_Q, &env, 1, MYR_F64, q));
        MUST(myr_batch_set(batch, MYR_V, &env, 1, MYR_F64, v));
    }
    return batch;
}

/* What every solver is given has the loops in it: its answer is the velocity of the robot whose loops are closed. */
static void the_problem_has_the_loops_in_it(void **state) {
    (void)state;
    enum { SLOTS = 8, ROWS = 8, M = 3 * SLOTS + ROWS };
    static double G[M * M], c[M], mu[SLOTS], start[M], R[M], stairs[3 * ROWS], impulse[M], velocity[M];
    static int slots[SLOTS], ids[ROWS];
    myr_model *model = loop_walker();
    myr_batch *batch = walkers(model, "f64", "auto", "1", "admm-ncp", "0", 0, ENVS);
    const myr_settings settings =
        scene_settings("precision", "f64", "solver", "admm-ncp", "tolerance", "1e-12", "max-sweeps", "50000", NULL);
    myr_problem_room room = {.room = SLOTS, .room_rows = ROWS, .G = G, .c = c, .mu = mu, .start = start, .R = R, .slots = slots};
    room.stairs = stairs, room.row_ids = ids;
    int rows = 0, contacts = 0;
    assert_true(model->n_slots <= SLOTS && model->n_rows <= ROWS);
    for (int k = 0; k < 60; k++) {
        const int64_t env = k % ENVS;
        myr_row_info row;
        myr_joint_info joint;
        double v[MOST_NQ];
        MUST(myr_batch_step(batch, 5));
        MUST(myr_batch_problem(batch, env, &room));
        const myr_contact_problem p = {
            .contacts = room.contacts, .G = G, .c = c, .mu = mu, .start = start, .rows = room.rows, .stairs = stairs};
        myr_contact_result r = {.impulse = impulse, .velocity = velocity};
        MUST(myr_solve_contacts(&p, 1, &settings, &r));
        MUST(myr_batch_step(batch, 1));
        MUST(myr_batch_get(batch, MYR_V, &env, 1, MYR_F64, v));
        for (int i = 0; i < room.rows; i++, rows++) {
            MUST(myr_model_get_row(model, ids[i], &row));
            MUST(myr_model_get_joint(model, row.joint, &joint));
            const double said = velocity[3 * room.contacts + i] / row.length_m;
            if (!(fabs(said - v[joint.v]) < 1e-6))
                fail_msg("step %d, row %d: the joint moves at %.9g, the problem says %.9g", k, ids[i], v[joint.v], said);
        }
        contacts += room.contacts;
    }
    assert_true(rows > 60 && contacts > 60);
    myr_batch_free(batch);
    myr_model_free(model);
}

static void every_solver_stands_on_loops(void **state) {
    (void)state;
    static const char *const solvers[] = {
#define MYR_SOLVER(id, name, function, law, sweeps, room) name,
#include "kernels/contact/solvers.def"
#undef MYR_SOLVER
    };
    myr_model *model = loop_walker();
    for (size_t s = 0; s < sizeof solvers / sizeof *solvers; s += SCENE_SOLVER_STRIDE)
        for (int p = 0; p < 2; p++) {
            myr_stats stats;
            myr_batch *batch = walkers(model, p ? "f64" : "f32", "auto", "1", solvers[s], "1", 0, ENVS);
            MUST(myr_batch_step(batch, 150));
            myr_batch_stats(batch, &stats);
            if (!(stats.quarantined == 0 && stats.loop_error_max < (p ? 1e-6 : 1e-5) && stats.contacts_mean > 0.5))
                fail_msg("%s, %s: %lld quarantined, loops open by %g, %g contacts", solvers[s], p ? "f64" : "f32",
                         (long long)stats.quarantined, stats.loop_error_max, stats.contacts_mean);
            myr_batch_free(batch);
        }
    myr_model_free(model);
}

static void bits_are_a_robots_own(void **state) {
    (void)state;
    static const char *const precisions[] = {"f32", "f64"};
    static const int counts[] = {17, 1, 7, 8, 9, 15, 16};
    myr_model *model = loop_walker();
    for (int projected = 0; projected < 2; projected++)
        for (int p = 0; p < 2; p++) {
            const char *projection = projected ? "2" : "0";
            uint64_t alone[17];
            for (int env = 0; env < 17; env++) {
                myr_batch *batch = walkers(model, precisions[p], "auto", "1", "nsgs", projection, env, 1);
                MUST(myr_batch_step(batch, 80));
                alone[env] = myr_batch_hash(batch);
                myr_batch_free(batch);
            }
            for (int i = 0; isa_or_auto_at(i); i++)
                for (int k = 0; k < 7; k++) {
                    myr_batch *batch =
                        walkers(model, precisions[p], isa_or_auto_at(i), k % 2 ? "2" : "1", "nsgs", projection, 0, counts[k]);
                    MUST(myr_batch_step(batch, k % 2 ? 80 : 30));
                    if (k % 2 == 0) MUST(myr_batch_step(batch, 50));
                    uint64_t wanted = 0;
                    for (int env = 0; env < counts[k]; env++) wanted += alone[env];
                    if (myr_batch_hash(batch) != wanted)
                        fail_msg("%s, %s, %d robots: other bits", isa_or_auto_at(i), precisions[p], counts[k]);
                    myr_batch_free(batch);
                }
        }
    myr_model_free(model);
}

/* A robot that breaks does not change its neighbours, and keeps its last good state. */
static void the_sick_stand_aside(void **state) {
    (void)state;
    myr_model *model = loop_walker();
    for (int p = 0; p < 2; p++) {
        const int64_t sick = 4;
        double torque[MOST_NQ], q[2 * MOST_NQ], reason;
        myr_batch *batch = walkers(model, p ? "f64" : "f32", "auto", "1", "nsgs", "1", 0, ENVS), *well = NULL;
        for (int u = 0; u < model->nu; u++) torque[u] = (double)INFINITY;
        MUST(myr_batch_step(batch, 40));
        MUST(myr_batch_get(batch, MYR_Q, &sick, 1, MYR_F64, q));
        MUST(myr_batch_set(batch, MYR_TORQUE, &sick, 1, MYR_F64, torque));
        MUST(myr_batch_step(batch, 40));
        MUST(myr_batch_get(batch, MYR_QUARANTINED, &sick, 1, MYR_F64, &reason));
        MUST(myr_batch_get(batch, MYR_Q, &sick, 1, MYR_F64, q + MOST_NQ));
        assert_true(reason == MYR_QUARANTINE_NOT_FINITE && !memcmp(q, q + MOST_NQ, (size_t)model->nq * sizeof *q));
        well = walkers(model, p ? "f64" : "f32", "auto", "1", "nsgs", "1", 0, ENVS);
        MUST(myr_batch_step(well, 80));
        for (int64_t env = 0; env < ENVS; env++) {
            double one[MOST_NQ], other[MOST_NQ];
            MUST(myr_batch_get(batch, MYR_Q, &env, 1, MYR_F64, one));
            MUST(myr_batch_get(well, MYR_Q, &env, 1, MYR_F64, other));
            if (env != sick && memcmp(one, other, (size_t)model->nq * sizeof *one)) fail_msg("robot %d feels the sick one", (int)env);
        }
        myr_stats stats;
        myr_batch_stats(batch, &stats);
        assert_true(stats.quarantined == 1 && stats.loop_error_max < 1e-5);
        myr_batch_free(batch);
        myr_batch_free(well);
    }
    myr_model_free(model);
}

/* ---- poses ------------------------------------------------------------------------------------------ */

static void poses_are_closed_or_refused(void **state) {
    (void)state;
    myr_model *model = loop_four_bar(MYR_LOOP_BALL, 0);
    for (int p = 0; p < 2; p++) {
        const myr_settings settings = scene_settings("precision", p ? "f64" : "f32", NULL);
        myr_batch *batch = NULL;
        double q[ENVS * 3], before[ENVS * 3], open[ENVS];
        const int64_t ids[] = {7, 2, 3};
        MUST(myr_batch_create(model, ENVS, &settings, &batch));
        MUST(myr_batch_get(batch, MYR_Q, NULL, ENVS, MYR_F64, q));
        for (int k = 0; k < ENVS * 3; k++) q[k] += 0.3 * sin(1.3 * k);
        MUST(myr_batch_set(batch, MYR_Q, NULL, ENVS, MYR_F64, q));
        MUST(myr_batch_get(batch, MYR_Q, NULL, ENVS, MYR_F64, before));
        MUST(myr_batch_close_loops(batch, ids, 3, open));
        MUST(myr_batch_get(batch, MYR_Q, NULL, ENVS, MYR_F64, q));
        for (int env = 0; env < ENVS; env++) {
            const int chosen = env == 7 || env == 2 || env == 3, same = !memcmp(q + 3 * env, before + 3 * env, 3 * sizeof *q);
            assert_true(chosen != same);
        }
        for (int k = 0; k < 3; k++) assert_true(open[k] < (p ? 1e-12 : 1e-6));
        MUST(myr_batch_close_loops(batch, NULL, ENVS, NULL));
        MUST(myr_batch_step(batch, 1));
        myr_stats stats;
        myr_batch_stats(batch, &stats);
        assert_true(stats.loop_error_max < (p ? 1e-5 : 1e-4));
        double wild[3] = {INFINITY, 0, 0};
        MUST(myr_batch_set(batch, MYR_Q, ids, 1, MYR_F64, wild));
        MUST_FAIL(myr_batch_close_loops(batch, NULL, ENVS, open), MYR_E_STATE, "environment 7 do not close");
        MUST_FAIL(myr_batch_close_loops(batch, NULL, ENVS + 1, open), MYR_E_ARG, "n is");
        MUST_FAIL(myr_batch_close_loops(NULL, NULL, 0, NULL), MYR_E_ARG, "NULL");
        myr_batch_free(batch);
    }
    myr_model_free(model);
}

/* A triangle of rods is rigid: what its joints' limits ask for is no longer a question, and nothing moves or breaks. */
static void a_locked_joint_has_no_row(void **state) {
    (void)state;
    for (int p = 0; p < 2; p++) {
        const myr_settings settings = scene_settings("precision", p ? "f64" : "f32", NULL);
        myr_model *model = loop_truss();
        myr_batch *batch = NULL;
        myr_stats stats;
        double v[2];
        MUST(myr_batch_create(model, 1, &settings, &batch));
        MUST(myr_batch_step(batch, 1000));
        MUST(myr_batch_get(batch, MYR_V, NULL, 1, MYR_F64, v));
        myr_batch_stats(batch, &stats);
        assert_true(fabs(v[0]) + fabs(v[1]) < 1e-4 && stats.quarantined == 0 && stats.not_converged == 0 && stats.loop_error_max < 1e-6);
        myr_batch_free(batch);
        myr_model_free(model);
    }
}

static void loops_are_saved_and_hashed(void **state) {
    (void)state;
    myr_model *model = loop_walker(), *other = loop_four_bar(MYR_LOOP_BALL, 0), *third = loop_four_bar(MYR_LOOP_REVOLUTE, 0);
    myr_batch *batch = walkers(model, "f64", "auto", "1", "nsgs", "1", 0, 5), *twin = walkers(model, "f64", "auto", "1", "nsgs", "1", 0, 5);
    char path[] = "loops.bin";
    assert_true(myr_model_hash(other) != myr_model_hash(third));
    MUST(myr_batch_step(batch, 100));
    MUST(myr_batch_save(batch, path));
    MUST(myr_batch_restore(twin, path));
    remove(path);
    MUST(myr_batch_step(batch, 50));
    MUST(myr_batch_step(twin, 50));
    assert_true(myr_batch_hash(batch) == myr_batch_hash(twin));
    myr_loop_info info;
    MUST(myr_model_get_loop(model, 1, &info));
    assert_true(info.type == MYR_LOOP_REVOLUTE && info.row == 3 && info.n_rows == 5 && !strcmp(info.name, "tip1") && info.length_m > 0.2);
    MUST_FAIL(myr_model_get_loop(model, 2, &info), MYR_E_ARG, "has 2 loops");
    MUST_FAIL(myr_model_get_loop(model, 0, NULL), MYR_E_ARG, "info");
    assert_int_equal(myr_batch_components(batch, MYR_LOOP_IMPULSE), 8);
    myr_batch_free(batch);
    myr_batch_free(twin);
    myr_model_free(model);
    myr_model_free(other);
    myr_model_free(third);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(couplings_hold),
        cmocka_unit_test(the_problem_has_the_loops_in_it),
        cmocka_unit_test(every_solver_stands_on_loops),
        cmocka_unit_test(bits_are_a_robots_own),
        cmocka_unit_test(the_sick_stand_aside),
        cmocka_unit_test(poses_are_closed_or_refused),
        cmocka_unit_test(a_locked_joint_has_no_row),
        cmocka_unit_test(loops_are_saved_and_hashed),
        cmocka_unit_test(loops_stay_closed),
        cmocka_unit_test(one_step_is_the_references),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* ctest: heavy
 * Restitution, the correction of penetration, the gap term and compliance, on robots: a scalar reference puts G, c - c_ref and R
 * together again from what the batch shows before and after a step, and the impulses of every solver must obey its law there.
 * Closed forms of single bodies are test_laws_impact's. */
#include "support/batch_scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/isas.h"
#include "kernels/kernels.h"
#include "support/law_scene.h"
#include "model/model.h"
#include "support/random_model.h"
#include "reference/contact_law.h"
#include "support/step_witness.h"

enum { ENVS = 20, ROWS = 3 * WITNESS_SLOTS };

/* The settings, as numbers. */
typedef struct terms {
    const char *name;
    double restitution, speed, baumgarte, gap, normal, tangent, dissipation;
    int late; /* landing 0 */
} terms;

static const terms cases[] = {{"restitution", 0.7, 0.1, 0, 0, 0, 0, 0, 0},
                              {"baumgarte", 0, 0, 0.2, 0, 0, 0, 0, 0},
                              {"gap", 0, 0, 0, 0.02, 0, 0, 0, 0},
                              {"compliance", 0, 0, 0, 0, 1e-6, 0, 0, 0},
                              {"both compliances, damped", 0, 0, 0, 0, 2e-5, 1e-5, 0.01, 0},
                              {"all", 0.5, 0.3, 0.1, 0.03, 1e-5, 1e-6, 0.002, 0},
                              {"restitution, landing 0", 0.7, 0.1, 0, 0, 0, 0, 0, 1}};

static myr_settings settings_of(const terms *t, const char *isa, const char *precision, const char *solver) {
    const struct {
        const char *key;
        double value;
    } keys[] = {{"restitution", t->restitution}, {"restitution-speed", t->speed},    {"baumgarte", t->baumgarte},         {"gap", t->gap},
                {"compliance", t->normal},       {"compliance-tangent", t->tangent}, {"dissipation-time", t->dissipation}};
    myr_settings s =
        scene_settings("isa", isa, "precision", precision, "solver", solver, "task", "none", "threads", "1", "dt", "0.001", "max-sweeps",
                       "20000", "tolerance", strcmp(precision, "f64") == 0 ? "1e-9" : "1e-5", "landing", t->late ? "0" : "1", NULL);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        char text[32];
        snprintf(text, sizeof text, "%.17g", keys[i].value);
        MUST(myr_settings_set(&s, keys[i].key, text));
    }
    return s;
}

/* docs/contact.md, in scalars. */
static double reference_velocity(const terms *t, double skin, double gap, double before, double free, double dt) {
    double wanted = gap > skin ? -gap / dt : t->baumgarte * -fmin(gap, 0) / dt;
    if (t->restitution > 0 && before < -t->speed && (gap <= skin || gap + dt * free < 0)) wanted = fmax(wanted, -t->restitution * before);
    return wanted;
}

typedef struct found {
    int contacts, open, rebounds, touched;
    double worst, open_impulse;
} found;

/* The problem of one environment, and how far the impulses of the batch are from its law. */
static double residual_of(const step_witness *w, const terms *t, myr_law law, double dt, double skin, found *f) {
    const myr_model *m = w->model;
    const double softness = 1 / (dt * (dt + t->dissipation)), closed = fmax(t->gap, 9.81 * dt * dt + skin);
    double J[ROWS][WITNESS_NV], solved[ROWS][WITNESS_NV], G[ROWS * ROWS], c[ROWS], mu[WITNESS_SLOTS], l[ROWS], out[ROWS];
    int n = 0;
    for (int s = 0; s < m->n_slots; s++) {
        const double gap = witness_slot(w, s, &J[3 * n]);
        double before = 0, normal = 0;
        for (int r = 0; r < 3; r++) {
            c[3 * n + r] = 0;
            for (int k = 0; k < m->nv; k++) c[3 * n + r] += J[3 * n + r][k] * w->free_velocity[k];
            l[3 * n + r] = w->impulse[3 * s + r];
        }
        for (int k = 0; k < m->nv; k++) before += J[3 * n + 2][k] * w->v[k];
        normal = c[3 * n + 2];
        if (gap > t->gap && (t->late || gap + dt * before > closed + (law == MYR_LAW_CCP ? 0 : 0.5 * dt))) continue; /* not foreseen */
        c[3 * n + 2] -= reference_velocity(t, skin, gap, before, normal, dt);
        mu[n++] = m->slots[s].friction;
        f->contacts++;
        f->open += gap > 0;
        f->touched += l[3 * n - 1] > 0 && gap > 0;
        f->rebounds += t->restitution > 0 && c[3 * n - 1] == normal + t->restitution * before;
    }
    for (int i = 0; i < 3 * n; i++) witness_solve(w, J[i], solved[i]);
    for (int i = 0; i < 3 * n; i++)
        for (int k = 0; k < 3 * n; k++) {
            double sum = 0;
            for (int d = 0; d < m->nv; d++) sum += J[i][d] * solved[k][d];
            G[i * 3 * n + k] = sum + (i == k ? softness * (i % 3 == 2 ? t->normal : t->tangent) : 0);
        }
    return n ? reference_law_problem(n, G, c, mu, l, out, 0).own[law] : 0;
}

/* Robots thrown down at random: some feet deep, some just above the ground, at any speed. */
static void throw_down(myr_batch *batch, const myr_model *model) {
    random_source source = {77};
    for (int64_t env = 0; env < ENVS; env++) {
        double q[2 * WITNESS_NV], v[WITNESS_NV], tau[WITNESS_NV], lowest = INFINITY, J[3][WITNESS_NV];
        step_witness w;
        random_state(&source, model, env % 4 ? 2 : 0.05, 0, q, v, tau);
        witness_open(&w, model);
        const double gravity[3] = {0};
        reference_compute(&w.state, q, v, tau, gravity);
        for (int s = 0; s < model->n_slots; s++) lowest = fmin(lowest, witness_slot(&w, s, J));
        for (int i = 0; i < model->n_bodies; i++)
            if (model->bodies[i].joint == MYR_JOINT_FREE)
                q[model->bodies[i].q + 2] -=
                    lowest + (env % 2 ? random_uniform(&source, -0.02, 0.05) : random_uniform(&source, -0.003, 0.001));
        witness_close(&w);
        MUST(myr_batch_set(batch, MYR_Q, &env, 1, MYR_F64, q));
        MUST(myr_batch_set(batch, MYR_V, &env, 1, MYR_F64, v));
    }
}

static void check(const myr_model *model, const terms *t, const char *isa, const char *precision, int solver, found *f) {
    enum { STEPS = 15 };
    const myr_settings settings = settings_of(t, isa, precision, myr_solvers[solver].name);
    const int f64 = strcmp(precision, "f64") == 0;
    myr_batch *batch = NULL;
    step_witness w[ENVS];
    MUST(myr_batch_create(model, ENVS, &settings, &batch));
    throw_down(batch, model);
    for (int env = 0; env < ENVS; env++) witness_open(&w[env], model);
    for (int step = 0; step < STEPS; step++) {
        for (int env = 0; env < ENVS; env++) witness_before(&w[env], batch, env);
        MUST(myr_batch_step(batch, 1));
        for (int64_t env = 0; env < ENVS; env++) {
            double status, residual, scale = 0;
            MUST(myr_batch_get(batch, MYR_SOLVE_STATUS, &env, 1, MYR_F64, &status));
            MUST(myr_batch_get(batch, MYR_RESIDUAL, &env, 1, MYR_F64, &residual));
            assert_int_equal(witness_after(&w[env], batch, env), 1);
            const double own = residual_of(&w[env], t, myr_solvers[solver].law, settings.dt_s, f64 ? 1e-10 : 1e-6, f);
            for (int k = 0; k < model->nv; k++) scale = fmax(scale, fabs(w[env].free_velocity[k]));
            const double allowed = residual + (f64 ? 1e-9 : 2e-4) * (1 + scale + w[env].impulse_sum);
            f->worst = fmax(f->worst, own);
            if (!(own <= allowed))
                fail_msg("%s, %s, %s, %s, %s, step %d, environment %d: the law of the reference is off by %.3g, the batch says %.3g (%s)",
                         model->name, t->name, isa, precision, myr_solvers[solver].name, step, (int)env, own, residual,
                         myr_solve_status_text((myr_solve_status)status));
        }
    }
    for (int env = 0; env < ENVS; env++) witness_close(&w[env]);
    myr_batch_free(batch);
}

/* anymal: the paths for legs, packed; the random trees: the general ones. */
static void the_reference_puts_the_same_problem_together(void **state) {
    (void)state;
    static const char *const precisions[] = {"f64", "f32"};
    /* one tree: the reference knows contacts with the ground only */
    const random_tree tree = {.bodies = 7,
                              .trees = 1,
                              .floating = 1,
                              .joints =
                                  1u << MYR_JOINT_REVOLUTE | 1u << MYR_JOINT_PRISMATIC | 1u << MYR_JOINT_BALL | 1u << MYR_JOINT_FIXED};
    myr_model *models[2] = {NULL, random_model(5, &tree, 1)};
    assert_non_null(models[1]);
    MUST(myr_model_load("anymal", MYR_ROOT_AUTO, &models[0]));
    for (int m = 0; m < 2; m++)
        for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
            found f = {0};
            for (int s = 0; s < MYR_SOLVER_COUNT; s++)
                for (int i = 0, first = 1; isa_at(i); i++) {
                    if (!first && s) continue; /* one solver on every instruction set, all on the first */
                    if (strncmp(myr_solvers[s].name, "newton", 6) == 0)
                        continue; /* a compliance of its own, which the reference does not know */
                    first = 0;
                    for (int p = 0; p < 2; p++) check(models[m], &cases[c], isa_at(i), precisions[p], s, &f);
                }
            print_message("%s, %s: %d contacts, %d open of which %d touched, %d rebounds, residual up to %.2g\n", models[m]->name,
                          cases[c].name, f.contacts, f.open, f.touched, f.rebounds, f.worst);
            assert_true(f.contacts > 100);
            assert_true(cases[c].late ? f.open == 0 : f.touched > 10 && (cases[c].gap == 0 || f.open > f.touched));
            assert_true(cases[c].restitution == 0 || f.rebounds > 10);
        }
    for (int m = 0; m < 2; m++) myr_model_free(models[m]);
}

/* The same trajectories on every instruction set, packed or not, with all terms on. */
static void same_bits_with_all_terms(void **state) {
    (void)state;
    static const char *const precisions[] = {"f64", "f32"};
    /* one tree: the reference knows contacts with the ground only */
    const random_tree tree = {.bodies = 7,
                              .trees = 1,
                              .floating = 1,
                              .joints =
                                  1u << MYR_JOINT_REVOLUTE | 1u << MYR_JOINT_PRISMATIC | 1u << MYR_JOINT_BALL | 1u << MYR_JOINT_FIXED};
    myr_model *models[2] = {NULL, random_model(5, &tree, 1)};
    assert_non_null(models[1]);
    MUST(myr_model_load("anymal", MYR_ROOT_AUTO, &models[0]));
    for (int m = 0; m < 2; m++)
        for (int p = 0; p < 2; p++) {
            uint64_t seen = 0;
            for (int i = 0; isa_at(i); i++) {
                const myr_settings settings = settings_of(&cases[5], isa_at(i), precisions[p], "bisection");
                myr_batch *batch = NULL;
                MUST(myr_batch_create(models[m], ENVS, &settings, &batch));
                throw_down(batch, models[m]);
                MUST(myr_batch_step(batch, 200));
                const uint64_t hash = myr_batch_hash(batch);
                if (seen && hash != seen) fail_msg("%s, %s, %s: other bits", models[m]->name, isa_at(i), precisions[p]);
                seen = hash;
                myr_batch_free(batch);
            }
        }
    for (int m = 0; m < 2; m++) myr_model_free(models[m]);
}

/* An environment alone does what it does among others. */
static void neighbours_do_not_matter(void **state) {
    (void)state;
    myr_model *model = NULL;
    MUST(myr_model_load("anymal", MYR_ROOT_AUTO, &model));
    const myr_settings settings = settings_of(&cases[5], "auto", "f32", "bisection");
    myr_batch *all = NULL, *one = NULL;
    double q[ENVS][2 * WITNESS_NV], v[ENVS][WITNESS_NV], among[2 * WITNESS_NV], alone[2 * WITNESS_NV];
    MUST(myr_batch_create(model, ENVS, &settings, &all));
    throw_down(all, model);
    for (int64_t env = 0; env < ENVS; env++) {
        MUST(myr_batch_get(all, MYR_Q, &env, 1, MYR_F64, q[env]));
        MUST(myr_batch_get(all, MYR_V, &env, 1, MYR_F64, v[env]));
    }
    MUST(myr_batch_step(all, 100));
    for (int64_t env = 0, there = 0; env < ENVS; env += 7) {
        MUST(myr_batch_create(model, 1, &settings, &one));
        MUST(myr_batch_set(one, MYR_Q, &there, 1, MYR_F64, q[env]));
        MUST(myr_batch_set(one, MYR_V, &there, 1, MYR_F64, v[env]));
        MUST(myr_batch_step(one, 100));
        MUST(myr_batch_get(all, MYR_Q, &env, 1, MYR_F64, among));
        MUST(myr_batch_get(one, MYR_Q, &there, 1, MYR_F64, alone));
        assert_memory_equal(among, alone, (size_t)model->nq * sizeof *among);
        myr_batch_free(one);
    }
    myr_batch_free(all);
    myr_model_free(model);
}

/* A slot that is near and takes no impulse is not shown as a contact; one that is closed, or closes in the step, is. */
static void near_is_not_touching(void **state) {
    (void)state;
    static const double heights[] = {0.01, -1e-3, 1e-3, 0.03}, speeds[] = {0, 0, -5, -5}; /* of the ball's lowest point [m], [m/s] */
    static const int touches[] = {0, 1, 1, 0}, warms[] = {0, 1, 1, 0};
    myr_model *model = law_model(LAW_BALL);
    myr_settings settings = settings_of(&cases[2], "auto", "f64", "bisection");
    myr_batch *batch = NULL;
    settings.sense_contacts = 1;
    MUST(myr_batch_create(model, 4, &settings, &batch));
    for (int64_t env = 0; env < 4; env++) {
        const double q[7] = {0, 0, LAW_HALF + heights[env], 1}, v[6] = {0, 0, speeds[env]};
        MUST(myr_batch_set(batch, MYR_Q, &env, 1, MYR_F64, q));
        MUST(myr_batch_set(batch, MYR_V, &env, 1, MYR_F64, v));
    }
    MUST(myr_batch_step(batch, 1));
    for (int64_t env = 0; env < 4; env++) {
        double point[3], normal[3], impulse[3];
        MUST(myr_batch_get(batch, MYR_CONTACT_POINT, &env, 1, MYR_F64, point));
        MUST(myr_batch_get(batch, MYR_CONTACT_NORMAL, &env, 1, MYR_F64, normal));
        MUST(myr_batch_get(batch, MYR_IMPULSE, &env, 1, MYR_F64, impulse));
        assert_int_equal(normal[2] == 1, touches[env]);
        assert_int_equal(impulse[2] > 0, warms[env]);
        assert_true(fabs(point[2] - (touches[env] ? heights[env] : 0)) < 1e-15);
    }
    myr_batch_free(batch);
    myr_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_reference_puts_the_same_problem_together),
        cmocka_unit_test(same_bits_with_all_terms),
        cmocka_unit_test(neighbours_do_not_matter),
        cmocka_unit_test(near_is_not_touching),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

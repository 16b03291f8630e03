/* ctest: threads
 * The problem that a batch shows is the one that its next step solves: given to the lanes' solver as it is, it brings the step's
 * impulses bit for bit, and given to myr_solve_contacts, the step's impulses. Of every kind of robot, on every instruction set. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/act_scene.h"
#include "batch/batch.h"
#include "support/bodies_scene.h"
#include "support/isas.h"
#include "model/model.h"

enum { ENVS = 37, SLOTS = 128 };

typedef struct seen {
    myr_problem_room room;
    double G[9 * SLOTS * SLOTS], c[3 * SLOTS], mu[SLOTS], start[3 * SLOTS], R[3 * SLOTS];
    int slots[SLOTS], patches[SLOTS];
} seen;

static seen *look(const myr_batch *batch, int64_t env, seen *s) {
    memset(s, 0, sizeof *s);
    s->room = (myr_problem_room){
        .room = SLOTS, .G = s->G, .c = s->c, .mu = s->mu, .start = s->start, .R = s->R, .slots = s->slots, .patches = s->patches};
    MUST(myr_batch_problem(batch, env, &s->room));
    return s;
}

static void put(const myr_kernels *k, void *rows, size_t row, double value) { /* in lane 0 */
    const size_t at = row * (size_t)(MYR_ROW_BYTES / k->precision);
    if (k->precision == 4)
        ((float *)rows)[at] = (float)value;
    else
        ((double *)rows)[at] = value;
}

static double get(const myr_kernels *k, const void *rows, size_t row) {
    const size_t at = row * (size_t)(MYR_ROW_BYTES / k->precision);
    return k->precision == 4 ? (double)((const float *)rows)[at] : ((const double *)rows)[at];
}

/* The batch's own solver on the problem; impulses, and the sweeps it took. */
static double replay(const myr_batch *batch, const seen *s, double *impulse) {
    const myr_kernels *k = batch->kernels;
    const size_t nc = (size_t)s->room.contacts, m = 3 * nc;
    char *rows = myr_allocate((m * m + 4 * m + 3 * nc + 4) * MYR_ROW_BYTES, MYR_ROW_BYTES), *next = rows;
    void *workspace = myr_allocate(k->problem_workspace_bytes((int)nc, 0, batch->options.solve.solver), MYR_ROW_BYTES);
    myr_problem_tile t = {.contacts = (int)nc};
    void **const parts[] = {&t.G,          &t.c,      &t.mu, &t.active, &t.impulse, &t.velocity, &t.residual, &t.residual_ncp,
                            &t.iterations, &t.status, &t.R,  &t.patch};
    const size_t counts[] = {m * m, m, nc, nc, m, m, 1, 1, 1, 1, m, nc};
    assert_true(rows && workspace);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) *parts[i] = next, next += counts[i] * MYR_ROW_BYTES;
    for (size_t i = 0; i < m * m; i++) put(k, t.G, i, s->G[i]);
    for (size_t i = 0; i < m; i++) put(k, t.c, i, s->c[i]), put(k, t.impulse, i, s->start[i]), put(k, t.R, i, s->R[i]);
    for (size_t i = 0; i < nc; i++) put(k, t.mu, i, s->mu[i]), put(k, t.active, i, 1), put(k, t.patch, i, s->patches[i]);
    int compliant = 0; /* nothing added to G would still turn its -0 into +0 */
    for (size_t i = 0; i < m; i++) compliant = compliant || s->R[i] != 0;
    if (!compliant) t.R = NULL;
    MYR_OWN_ARITHMETIC;
    k->solve_tile(&t, workspace, &batch->options.solve);
    for (size_t i = 0; i < m; i++) impulse[i] = get(k, t.impulse, i) + 0.0; /* no -0, as a step keeps none */
    const double iterations = get(k, t.iterations, 0);
    myr_release(workspace);
    myr_release(rows);
    return iterations;
}

static double distance(const double *a, const double *b, int n) {
    double worst = 0;
    for (int i = 0; i < n; i++) worst = fmax(worst, fabs(a[i] - b[i]));
    return worst;
}

/* Impulses of the slots after the step, in the order of the problem's contacts; every other slot has none. */
static void stepped(const myr_batch *batch, int64_t env, const seen *s, double *impulse) {
    double all[3 * SLOTS];
    const int n = myr_batch_components(batch, MYR_IMPULSE);
    MUST(myr_batch_get(batch, MYR_IMPULSE, &env, 1, MYR_F64, all));
    for (int i = 0; i < s->room.contacts; i++)
        for (int a = 0; a < 3; a++) {
            impulse[3 * i + a] = all[3 * s->slots[i] + a];
            all[3 * s->slots[i] + a] = 0;
        }
    for (int i = 0; i < n; i++) assert_true(all[i] == 0);
}

/* Look, then step once. Returns the contacts that were judged. */
static int judge(myr_batch *batch) {
    static seen before[ENVS];
    static double impulse[3 * SLOTS], again[3 * SLOTS];
    int contacts = 0;
    const uint64_t hash = myr_batch_hash(batch);
    for (int64_t env = 0; env < ENVS; env++) look(batch, env, &before[env]);
    assert_true(myr_batch_hash(batch) == hash);
    MUST(myr_batch_step(batch, 1));
    for (int64_t env = 0; env < ENVS; env++) {
        const int n = before[env].room.contacts;
        double iterations, quarantined;
        MUST(myr_batch_get(batch, MYR_QUARANTINED, &env, 1, MYR_F64, &quarantined));
        if (quarantined != 0) continue; /* it keeps its last good state: no impulse of this step is left */
        stepped(batch, env, &before[env], impulse);
        contacts += n;
        if (n == 0) continue;
        MUST(myr_batch_get(batch, MYR_ITERATIONS, &env, 1, MYR_F64, &iterations));
        assert_true(replay(batch, &before[env], again) == iterations);
        for (int i = 0; i < 3 * n; i++)
            if (memcmp(&again[i], &impulse[i], sizeof again[i]) != 0)
                fail_msg("environment %d, contact %d: %.17g is not %.17g", (int)env, i / 3, again[i], impulse[i]);
    }
    return contacts;
}

static void the_next_step_solves_it(void **state) {
    (void)state;
    static const struct {
        const char *model, *task;
        int steps;
    } cases[] = {
        {"anymal", "random", 400}, {"anymal", "trot", 50}, {"anymal", "drop", 600}, {"solo12", "random", 300}, {"cube", "none", 1}};
    static const char *const precisions[] = {"f32", "f64"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        myr_model *model = NULL;
        MUST(myr_model_load(cases[i].model, MYR_ROOT_AUTO, &model));
        for (int p = 0; p < 2; p++)
            for (int isa = 0; isa_at(isa); isa++) {
                const myr_settings settings =
                    scene_settings("task", cases[i].task, "precision", precisions[p], "isa", isa_at(isa), "threads", "1", NULL);
                myr_batch *batch = NULL;
                MUST(myr_batch_create(model, ENVS, &settings, &batch));
                MUST(myr_batch_step(batch, cases[i].steps));
                assert_true(judge(batch) > ENVS / 2);
                if (strcmp(cases[i].task, "random") == 0) { /* the next step begins with resets */
                    double clock[ENVS];
                    for (int env = 0; env < ENVS; env++) clock[env] = env % 2 ? 1e6 : 3;
                    MUST(myr_batch_set(batch, MYR_CLOCK, NULL, ENVS, MYR_F64, clock));
                    judge(batch);
                }
                myr_batch_free(batch);
            }
        myr_model_free(model);
    }
}

/* Two trees of all joints, or bodies that touch each other, every parameter its own in every environment, rigid contacts or such that
 * bounce, come out, land exactly and yield: the general paths. Without working sets: boxes that lie in each other take in what these leave
 * out, and the second problem is not shown. */
static void of_any_tree_and_parameters(void **state) {
    (void)state;
    static const char *const beyond[] = {"restitution", "baumgarte", "gap", "compliance"}, *const none[] = {"0", "0", "0", "0"},
                             *const some[] = {"0.5", "0.2", "0.01", "1e-4"};
    for (int touching = 0; touching < 2; touching++) {
        myr_model *model = touching ? bodies_tangle() : scene_model();
        for (int soft = 0; soft < 2; soft++)
            for (int isa = 0; isa_at(isa); isa++) {
                myr_settings settings =
                    scene_settings("task", "none", "precision", "f64", "isa", isa_at(isa), "threads", "2", "working-sets", "0", NULL);
                myr_batch *batch = NULL;
                for (int k = 0; k < 4; k++) MUST(myr_settings_set(&settings, beyond[k], (soft ? some : none)[k]));
                MUST(myr_batch_create(model, ENVS, &settings, &batch));
                if (touching)
                    bodies_disturb_tangle(batch, model, 11);
                else
                    scene_disturb(batch, model, 11);
                int contacts = 0;
                for (int k = 0; k < 3; k++) contacts += judge(batch);
                assert_true(contacts > ENVS);
                myr_batch_free(batch);
            }
        myr_model_free(model);
    }
}

/* Under dynamics=maximal a step solves several problems. With one pass alone its impulses are those of the first, which is the one that is
 * shown. Contacts of what turns bend: a cube at 12 rad/s and 10 ms differs by 0.6 % from the problem of the other scheme. */
static void of_maximal_steps_the_first(void **state) {
    (void)state;
    static const struct {
        const char *model, *task, *dt, *gap;
        int steps;
    } cases[] = {{"cube", "none", "1e-2", "0", 0},        {"cube", "none", "1e-2", "0.05", 3},    {"anymal", "trot", "2e-3", "0", 50},
                 {"anymal", "drop", "5e-3", "0.05", 150}, {"solo12", "random", "2e-3", "0", 200}, {"stack-3", "none", "5e-3", "0", 20}};
    static const char *const precisions[] = {"f32", "f64"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        myr_model *model = NULL;
        MUST(myr_model_load(cases[i].model, MYR_ROOT_AUTO, &model));
        for (int p = 0; p < 2; p++)
            for (int isa = 0; isa_at(isa); isa++) {
                const myr_settings settings =
                    scene_settings("task", cases[i].task, "precision", precisions[p], "isa", isa_at(isa), "threads", "1", "dt", cases[i].dt,
                                   "gap", cases[i].gap, "dynamics", "maximal", "newton-limit", "1", "joint-limits", "off", NULL);
                myr_batch *batch = NULL;
                int contacts = 0;
                MUST(myr_batch_create(model, ENVS, &settings, &batch));
                if (!strcmp(cases[i].task, "none"))
                    for (int64_t env = 0; env < ENVS; env++) { /* spinning, as they touch */
                        double v[64] = {0};
                        assert_true(model->nv <= 64);
                        v[0] = 0.1 * (double)env, v[3] = 12 * sin((double)env), v[4] = 12 * cos((double)env), v[5] = env % 3 ? 0 : 5;
                        MUST(myr_batch_set(batch, MYR_V, &env, 1, MYR_F64, v));
                    }
                MUST(myr_batch_step(batch, cases[i].steps));
                for (int k = 0; k < 3; k++) contacts += judge(batch);
                assert_true(contacts > ENVS / 2);
                myr_batch_free(batch);
            }
        myr_model_free(model);
    }
}

/* As a user replays a dumped problem: public calls, the same solver, tolerance and start. */
static void a_bare_solve_gives_the_impulses_of_the_step(void **state) {
    (void)state;
    myr_model *model = NULL;
    MUST(myr_model_load("anymal", MYR_ROOT_AUTO, &model));
    static seen s;
    static double impulse[3 * SLOTS], again[3 * SLOTS], velocity[3 * SLOTS];
    const myr_settings settings =
        scene_settings("task", "trot", "precision", "f64", "tolerance", "1e-12", "max-sweeps", "5000", "threads", "1", NULL);
    myr_batch *batch = NULL;
    int contacts = 0;
    MUST(myr_batch_create(model, ENVS, &settings, &batch));
    for (int k = 0; k < 20; k++) {
        const int64_t env = (7 * k) % ENVS;
        MUST(myr_batch_step(batch, 9));
        look(batch, env, &s);
        MUST(myr_batch_step(batch, 1));
        stepped(batch, env, &s, impulse);
        const myr_contact_problem problem = {.contacts = s.room.contacts, .G = s.G, .c = s.c, .mu = s.mu, .start = s.start, .R = s.R};
        myr_contact_result result = {.impulse = again, .velocity = velocity};
        MUST(myr_solve_contacts(&problem, 1, &settings, &result));
        contacts += s.room.contacts;
        assert_true(distance(impulse, again, 3 * s.room.contacts) < 1e-8); /* [N s]; a foot of ANYmal carries 0.2 */
    }
    assert_true(contacts > 20);
    myr_batch_free(batch);
    myr_model_free(model);
}

static void who_is_quarantined_or_in_the_air_has_none(void **state) {
    (void)state;
    myr_model *model = NULL;
    MUST(myr_model_load("anymal", MYR_ROOT_AUTO, &model));
    static seen s;
    const myr_settings settings = scene_settings("task", "stand", "threads", "1", NULL);
    myr_batch *batch = NULL;
    double q[19], v[18];
    const int64_t bad = 3, high = 20;
    MUST(myr_batch_create(model, ENVS, &settings, &batch));
    MUST(myr_batch_step(batch, 10));
    assert_true(look(batch, bad, &s)->room.contacts == 4 && look(batch, high, &s)->room.contacts == 4);
    MUST(myr_batch_get(batch, MYR_Q, &high, 1, MYR_F64, q));
    q[2] += 1;
    MUST(myr_batch_set(batch, MYR_Q, &high, 1, MYR_F64, q));
    MUST(myr_batch_get(batch, MYR_V, &bad, 1, MYR_F64, v));
    v[7] = NAN;
    MUST(myr_batch_set(batch, MYR_V, &bad, 1, MYR_F64, v));
    MUST(myr_batch_step(batch, 1));
    assert_true(look(batch, bad, &s)->room.contacts == 0 && look(batch, high, &s)->room.contacts == 0);
    assert_true(look(batch, bad + 1, &s)->room.contacts == 4);
    myr_batch_free(batch);
    myr_model_free(model);
}

static void mistakes_are_named(void **state) {
    (void)state;
    myr_model *model = NULL;
    MUST(myr_model_load("anymal", MYR_ROOT_AUTO, &model));
    const myr_settings settings = scene_settings("task", "stand", "threads", "1", NULL);
    myr_batch *batch = NULL;
    double mu[4] = {7, 7, 7, 7};
    MUST(myr_batch_create(model, ENVS, &settings, &batch));
    MUST(myr_batch_step(batch, 10));
    myr_problem_room room = {.room = 4, .mu = mu}; /* what is not wanted is NULL */
    MUST_FAIL(myr_batch_problem(NULL, 0, &room), MYR_E_ARG, "batch");
    MUST_FAIL(myr_batch_problem(batch, ENVS, &room), MYR_E_ARG, "37");
    MUST_FAIL(myr_batch_problem(batch, -1, &room), MYR_E_ARG, "-1");
    MUST_FAIL(myr_batch_problem(batch, 0, NULL), MYR_E_ARG, "out");
    room.room = -2;
    MUST_FAIL(myr_batch_problem(batch, 0, &room), MYR_E_ARG, "-2");
    room.room = 3, room.contacts = 99;
    MUST_FAIL(myr_batch_problem(batch, 0, &room), MYR_E_LIMIT, "4 contacts");
    assert_true(room.contacts == 99 && mu[0] == 7);
    room.room = 4;
    MUST(myr_batch_problem(batch, 0, &room));
    assert_true(room.contacts == 4 && mu[0] > 0 && mu[0] < 7);
    myr_batch_free(batch);
    myr_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_next_step_solves_it),
        cmocka_unit_test(of_any_tree_and_parameters),
        cmocka_unit_test(of_maximal_steps_the_first),
        cmocka_unit_test(a_bare_solve_gives_the_impulses_of_the_step),
        cmocka_unit_test(who_is_quarantined_or_in_the_air_has_none),
        cmocka_unit_test(mistakes_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

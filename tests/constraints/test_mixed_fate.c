/* Own fate of robots whose own links touch. A robot ends with the same bits alone or among any number of others, whatever these do, on any
 * number of threads and with any instruction set. MYRIAPOD_MODEL=file takes another model than the test's.
 * ctest: threads */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/bodies_scene.h"
#include "support/hugger.h"
#include "support/isas.h"
#include "kernels/kernels.h"
#include "support/model_scene.h"
#include "support/random_model.h"

static const char *const precisions[] = {"f32", "f64"};
static const myr_field fields[] = {
    MYR_Q,         MYR_V,           MYR_IMPULSE,    MYR_ROW_IMPULSE, MYR_CONTACT_POINT, MYR_CONTACT_NORMAL, MYR_CONTACT_DEPTH,
    MYR_BODY_POSE, MYR_QUARANTINED, MYR_ITERATIONS, MYR_RESIDUAL,    MYR_SOLVE_STATUS};
enum { FIELDS = sizeof fields / sizeof *fields, KINDS = 24 };

/* How robots are made and stepped. */
typedef struct cast {
    const char *contacts, *solver, *dynamics, *gap, *recheck;
    int steps;
} cast;

/* Robot `id`: its number decides how it is turned and bent. Three start badly: with a NaN, far away, very fast. */
static void place(myr_batch *batch, const myr_model *model, int64_t env, int id) {
    random_source source = {(uint64_t)(id + 3)};
    static double q[512], v[512], tau[512], home[512];
    assert_true(model->nq <= 512);
    random_state(&source, model, id % 3 ? 1 : 4, 0, q, v, tau);
    myr_model_home(model, home);
    for (int i = 0; i < model->n_bodies; i++) {
        const myr_body *b = &model->bodies[i];
        if (b->joint == MYR_JOINT_FREE) {
            for (int k = 0; k < 3; k++) q[b->q + k] = home[b->q + k] - (k == 2 ? 0.05 * (id % 5) : 0);
            if (id % 2) memcpy(q + b->q + 3, home + b->q + 3, 4 * sizeof *q);
        }
        if ((b->joint == MYR_JOINT_REVOLUTE || b->joint == MYR_JOINT_PRISMATIC) && b->lower <= b->upper)
            q[b->q] = random_uniform(&source, fmax(b->lower, -3), fmin(b->upper, 3));
    }
    if (id == 5) q[0] = NAN;
    if (id == 11) q[0] = q[1] = 1e7;
    if (id == 17) v[0] = v[model->nv - 1] = 1e5;
    MUST(myr_batch_set(batch, MYR_Q, &env, 1, MYR_F64, q));
    MUST(myr_batch_set(batch, MYR_V, &env, 1, MYR_F64, v));
}

/* Robots `first`, `first` + stride, ... of the KINDS after so many steps; their fields, `each` numbers a robot. */
static double *fates(const myr_model *model, const cast *c, const char *isa, const char *precision, const char *threads, int first,
                     int stride, int64_t envs, size_t *each) {
    myr_batch *batch = NULL;
    myr_settings settings =
        scene_settings("precision", precision, "isa", isa, "task", "none", "threads", threads, "contacts", c->contacts, "solver", c->solver,
                       "dynamics", c->dynamics, "gap", c->gap, "limit-recheck", c->recheck, "max-sweeps", "60", "dt", "0.002", NULL);
    settings.sense_contacts = 1, settings.sense_bodies = 1;
    MUST(myr_batch_create(model, envs, &settings, &batch));
    for (int64_t env = 0; env < envs; env++) place(batch, model, env, (first + (int)env * stride) % KINDS);
    MUST(myr_batch_step(batch, c->steps));
    MUST(myr_batch_step(batch, 1));
    *each = 0;
    for (int f = 0; f < FIELDS; f++) *each += (size_t)myr_batch_components(batch, fields[f]);
    double *all = malloc(*each * (size_t)envs * sizeof *all);
    assert_non_null(all);
    for (int64_t env = 0; env < envs; env++) {
        double *to = all + *each * (size_t)env;
        for (int f = 0; f < FIELDS; f++) {
            MUST(myr_batch_get(batch, fields[f], &env, 1, MYR_F64, to));
            to += myr_batch_components(batch, fields[f]);
        }
    }
    myr_batch_free(batch);
    return all;
}

static void own_fate(const myr_model *model, const cast *c) {
    for (int p = 0; p < 2; p++) {
        double *wanted[KINDS] = {0};
        size_t each, slots = 3 * (size_t)model->n_slots;
        int held = 0, stopped = 0;
        const int W = p ? 8 : 16;
        for (int i = 0; isa_at(i); i++) {
            for (int id = 0; id < KINDS; id++) {
                double *alone = fates(model, c, isa_at(i), precisions[p], "1", id, 1, 1, &each);
                if (!wanted[id]) {
                    wanted[id] = alone;
                    for (size_t k = 0; k < slots; k++) {
                        const double l = alone[(size_t)(model->nq + model->nv) + k];
                        held += l != 0 && model->slots[k / 3].other >= 0;
                    }
                    stopped += alone[each - 4] != MYR_HEALTHY;
                    continue;
                }
                if (memcmp(alone, wanted[id], each * sizeof *alone) != 0) fail_msg("%s: robot %d alone, %s", model->name, id, isa_at(i));
                free(alone);
            }
            const struct {
                const char *threads;
                int first, stride, envs;
            } among[] = {{"1", 3, 1, 2}, {"1", 0, 1, W - 1}, {"1", 4, 5, W}, {"2", 2, 7, W + 1}, {"3", 0, 1, 3 * W + 1}, {"2", 0, 12, W}};
            for (size_t a = 0; a < sizeof among / sizeof *among; a++) {
                double *got =
                    fates(model, c, isa_at(i), precisions[p], among[a].threads, among[a].first, among[a].stride, among[a].envs, &each);
                for (int env = 0; env < among[a].envs; env++) {
                    const int id = (among[a].first + env * among[a].stride) % KINDS;
                    for (size_t k = 0; k < each; k++)
                        if (memcmp(&got[(size_t)env * each + k], &wanted[id][k], sizeof(double)) != 0)
                            fail_msg("%s, %s, %s, %s, contacts %s: robot %d among %d, %s threads: number %zu of %zu (nq %d, nv %d) is "
                                     "%.9g, alone %.9g",
                                     model->name, isa_at(i), precisions[p], c->solver, c->contacts, id, among[a].envs, among[a].threads, k,
                                     each, model->nq, model->nv, got[(size_t)env * each + k], wanted[id][k]);
                }
                free(got);
            }
        }
        for (int id = 0; id < KINDS; id++) free(wanted[id]);
        if (getenv("MYRIAPOD_MODEL"))
            print_message("%s %s %s: held %d stopped %d\n", model->name, precisions[p], c->solver, held, stopped);
        else
            assert_true(held > 6 && stopped >= 2 && stopped < KINDS - 6);
    }
}

static const cast casts[] = {
    {"128", "pgs", "generalized", "0", "0", 25},      {"5", "pgs", "generalized", "0", "0", 25},
    {"128", "nsgs", "generalized", "0.002", "0", 15}, {"128", "hybrid", "generalized", "0", "1", 15},
    {"128", "nsgs", "maximal", "0", "0", 8},          {"1024", "pgs", "generalized", "0.001", "0", 10},
    {"9", "hybrid", "generalized", "0", "1", 15},     {"9", "nsgs", "maximal", "0", "0", 8}, /* what is put aside in them has room for 9 */
};

static void alone_and_among_others(void **state) {
    (void)state;
    const char *file = getenv("MYRIAPOD_MODEL");
    myr_model *model = NULL;
    if (file)
        MUST(myr_model_load(file, MYR_ROOT_AUTO, &model));
    else
        model = scene_read(HUGGER);
    for (size_t i = 0; i < sizeof casts / sizeof *casts; i++) own_fate(model, &casts[i]);
    myr_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(alone_and_among_others)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

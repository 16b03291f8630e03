/* Bodies that touch each other, and the promises: same bits on every instruction set, for any number of lanes and any neighbours;
 * quarantine; many contacts; what cannot be is said.
 * ctest: heavy */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/bodies_scene.h"
#include "support/isas.h"
#include "kernels/kernels.h"
#include "support/random_model.h"

/* PGS, as per-contact solvers do not get along with all that is so deep in each other. The promises hold wherever a solve ends, so it need
 * not take its 20000 sweeps. */
static myr_batch *open_tangle(const myr_model *model, int64_t envs, const char *precision, const char *isa, const char *solver) {
    myr_batch *batch = NULL;
    myr_settings settings =
        scene_settings("precision", precision, "isa", isa, "task", "none", "threads", "1", "solver", solver, "max-sweeps", "500", NULL);
    settings.sense_contacts = 1;
    MUST(myr_batch_create(model, envs, &settings, &batch));
    bodies_disturb_tangle(batch, model, 5);
    return batch;
}

static const char *const precisions[] = {"f32", "f64"};

static void same_bits(myr_model *model) {
    for (int p = 0; p < 2; p++) {
        const int W = p ? 8 : 16;
        double *wanted = NULL;
        size_t per_env = 0;
        int first = -1; /* of the instruction sets that are here */
        for (int i = 0; isa_at(i); i++) {
            if (first < 0) first = i;
            for (int envs = 3 * W; envs >= W - 1; envs = envs == 3 * W ? W + 1 : envs - 1) { /* 3 W, W + 1, W, W - 1 */
                myr_batch *batch = open_tangle(model, envs, precisions[p], isa_at(i), "pgs");
                MUST(myr_batch_step(batch, 40));
                const myr_field fields[] = {MYR_Q, MYR_V, MYR_IMPULSE, MYR_CONTACT_POINT, MYR_CONTACT_NORMAL};
                for (size_t f = 0; f < sizeof fields / sizeof *fields; f++) {
                    const size_t n = (size_t)myr_batch_components(batch, fields[f]);
                    double *got = malloc((size_t)envs * n * sizeof *got);
                    assert_non_null(got);
                    MUST(myr_batch_get(batch, fields[f], NULL, envs, MYR_F64, got));
                    if (!wanted) per_env = 4096, wanted = calloc((size_t)(3 * W) * per_env, sizeof *wanted);
                    assert_true(wanted && f * 512 + n <= per_env && n <= 512);
                    for (int env = 0; env < envs; env++) {
                        double *mine = wanted + (size_t)env * per_env + f * 512;
                        if (first == i && envs == 3 * W) memcpy(mine, got + (size_t)env * n, n * sizeof *mine);
                        if (memcmp(mine, got + (size_t)env * n, n * sizeof *mine) != 0)
                            fail_msg("%s, %s, %d environments: %d differs in field %d", precisions[p], isa_at(i), envs, env,
                                     (int)fields[f]);
                    }
                    free(got);
                }
                myr_batch_free(batch);
            }
        }
        free(wanted);
    }
    myr_model_free(model);
}

static void same_bits_everywhere(void **state) {
    (void)state;
    same_bits(bodies_tangle());
}

static void same_bits_of_bundles(void **state) {
    (void)state;
    same_bits(bodies_tangle_apart());
}

static void one_bad_scene_harms_no_other(void **state) {
    enum { ENVS = 17, BAD = 3 };
    (void)state;
    myr_model *model = bodies_tangle();
    for (int p = 0; p < 2; p++) {
        myr_batch *batch = open_tangle(model, ENVS, precisions[p], "auto", "pgs"),
                  *twin = open_tangle(model, ENVS, precisions[p], "auto", "pgs");
        const int64_t bad = BAD;
        double q[64];
        MUST(myr_batch_get(batch, MYR_Q, &bad, 1, MYR_F64, q));
        q[14] = NAN; /* the ball */
        MUST(myr_batch_set(batch, MYR_Q, &bad, 1, MYR_F64, q));
        MUST(myr_batch_step(batch, 20));
        MUST(myr_batch_step(twin, 20));
        for (int64_t env = 0; env < ENVS; env++) {
            double mine[2][64], reason;
            MUST(myr_batch_get(batch, MYR_QUARANTINED, &env, 1, MYR_F64, &reason));
            assert_int_equal((int)reason, env == BAD ? MYR_QUARANTINE_NOT_FINITE : MYR_HEALTHY);
            MUST(myr_batch_get(batch, MYR_Q, &env, 1, MYR_F64, mine[0]));
            MUST(myr_batch_get(twin, MYR_Q, &env, 1, MYR_F64, mine[1]));
            if (env != BAD) assert_memory_equal(mine[0], mine[1], (size_t)model->nq * sizeof(double));
        }
        myr_batch_free(batch);
        myr_batch_free(twin);
    }
    myr_model_free(model);
}

/* n boxes on a plate, 4 contacts each, told not to mind each other when `apart`. */
static myr_status plates(int n, int apart, myr_model **model) {
    static const double half[3] = {0.04, 0.04, 0.02}, upright[4] = {1, 0, 0, 0};
    myr_builder *b = NULL;
    MUST(myr_builder_create("plates", &b));
    bodies_add(b, "plate", -1, MYR_JOINT_FIXED, (const double[3]){0, 0, 1}, MYR_GEOM_BOX, (const double[3]){2, 2, 0.1}, 0);
    for (int i = 0; i < n; i++) {
        char name[16];
        snprintf(name, sizeof name, "box%d", i);
        const double at[3] = {0.1 * (i % 8) - 0.4, 0.1 * (i / 8) - 0.4, 1.1 + half[2] - 1e-6};
        const int id = bodies_add(b, name, -1, MYR_JOINT_FREE, (const double[3]){0, 0, 0}, MYR_GEOM_BOX, half, 0.2);
        MUST(myr_builder_home(b, id, at, upright));
        for (int k = 1; k < id && apart; k++) MUST(myr_builder_pair(b, k, id, 0));
    }
    const myr_status status = myr_builder_compile(b, model);
    myr_builder_free(b);
    return status;
}

static void too_many_pairs_are_refused(void **state) {
    (void)state;
    myr_model *model = NULL;
    assert_int_equal(plates(64, 0, &model), MYR_E_LIMIT);
    assert_null(model);
    assert_non_null(strstr(myr_message(), "myr_builder_pair"));
}

/* apart 0: of so many slots that contacts are mixed. */
static void sixty_four(int apart) {
    myr_model *model = NULL;
    assert_int_equal(plates(16, apart, &model), MYR_OK);
    myr_batch *batch = NULL;
    static double impulse[2048][3];
    double q[7 * 16], home[7 * 16];
    const myr_settings settings = scene_settings("precision", "f64", "task", "none", "threads", "1", NULL);
    assert_true(apart ? model->n_slots <= 512 : model->n_slots > 512 && model->n_slots <= 2048);
    MUST(myr_batch_create(model, 2, &settings, &batch));
    MUST(myr_batch_step(batch, 100));
    int touching = 0;
    double weight = 0;
    const int64_t env = 1;
    MUST(myr_batch_get(batch, MYR_IMPULSE, &env, 1, MYR_F64, impulse));
    for (int s = 0; s < model->n_slots; s++) touching += impulse[s][2] > 0, weight += impulse[s][2] / 1e-3;
    assert_int_equal(touching, 64);
    assert_true(fabs(weight - 16 * 0.2 * 9.81) < 0.02);
    MUST(myr_batch_get(batch, MYR_Q, &env, 1, MYR_F64, q));
    myr_model_home(model, home);
    for (int k = 0; k < model->nq; k++) assert_true(fabs(q[k] - home[k]) < 1e-4);
    myr_batch_free(batch);
    myr_model_free(model);
}

static void sixty_four_contacts(void **state) {
    (void)state;
    sixty_four(1);
    sixty_four(0);
}

static void who_may_touch(void **state) {
    (void)state;
    myr_builder *b = NULL;
    myr_model *model = NULL;
    myr_slot_info slot;
    const double zero[3] = {0, 0, 0}, size[3] = {0.1, 0.1, 0.1}, upright[4] = {1, 0, 0, 0}, none[4] = {0, 0, 0, 0};
    MUST(myr_builder_create("who", &b));
    /* geoms 0 .. 5 */
    const int table = bodies_add(b, "table", -1, MYR_JOINT_FIXED, zero, MYR_GEOM_BOX, size, 0);
    const int arm = bodies_add(b, "arm", -1, MYR_JOINT_REVOLUTE, zero, MYR_GEOM_SPHERE, size, 1);
    const int other_arm = bodies_add(b, "other arm", -1, MYR_JOINT_REVOLUTE, zero, MYR_GEOM_SPHERE, size, 1);
    const int base = bodies_add(b, "base", -1, MYR_JOINT_FREE, zero, MYR_GEOM_BOX, size, 1);
    const int link = bodies_add(b, "link", base, MYR_JOINT_REVOLUTE, zero, MYR_GEOM_CAPSULE, size, 1);
    const int lid = bodies_add(b, "lid", base, MYR_JOINT_FIXED, zero, MYR_GEOM_SPHERE, size, 1);
    MUST(myr_builder_compile(b, &model));
    assert_int_equal(model->n_pairs, 9); /* each of base, link, lid with table, arm, other arm */
    for (int i = 0; i < model->n_pairs; i++)
        assert_true(model->pairs[i].geom[0] >= 3 && model->pairs[i].geom[1] < 3 ? 1 : model->pairs[i].geom[1] >= 3);
    for (int s = 0; s < model->n_slots; s++) {
        MUST(myr_model_get_slot(model, s, &slot));
        assert_true(slot.body >= 0 && slot.geom >= 0); /* impulses act on what moves */
        if (slot.other >= 0) assert_int_equal(slot.other_body, model->geoms[slot.other].body);
    }
    MUST_FAIL(myr_model_get_slot(model, model->n_slots, &slot), MYR_E_ARG, "slots");
    MUST_FAIL(myr_model_get_slot(model, -1, &slot), MYR_E_ARG, "slot -1");
    MUST_FAIL(myr_model_get_slot(model, 0, NULL), MYR_E_ARG, "info");
    myr_model_free(model);

    MUST(myr_builder_pair(b, link, base, 1)); /* asked: parent and child */
    MUST(myr_builder_pair(b, arm, other_arm, 1));
    MUST(myr_builder_pair(b, table, arm, 1));
    MUST(myr_builder_pair(b, lid, table, 1));
    MUST(myr_builder_pair(b, table, lid, 0)); /* the last word */
    MUST(myr_builder_compile(b, &model));
    assert_int_equal(model->n_pairs, 9 + 3 - 1);
    myr_model_free(model);

    MUST_FAIL(myr_builder_pair(NULL, 0, 1, 1), MYR_E_ARG, "builder");
    MUST_FAIL(myr_builder_pair(b, 0, 6, 1), MYR_E_ARG, "geom_b is 6");
    MUST_FAIL(myr_builder_pair(b, -1, 1, 1), MYR_E_ARG, "geom_a is -1");
    MUST_FAIL(myr_builder_pair(b, 2, 2, 1), MYR_E_ARG, "both");
    MUST_FAIL(myr_builder_pair(b, 1, 2, 2), MYR_E_ARG, "touch is 2");
    MUST_FAIL(myr_builder_home(b, arm, zero, upright), MYR_E_ARG, "arm");
    MUST_FAIL(myr_builder_home(b, 6, zero, upright), MYR_E_ARG, "6");
    MUST_FAIL(myr_builder_home(b, base, zero, none), MYR_E_ARG, "base");
    MUST_FAIL(myr_builder_home(b, base, NULL, upright), MYR_E_ARG, "position_m");
    MUST(myr_builder_pair(b, base, lid, 1)); /* one body when the fixed joint is gone */
    MUST_FAIL(myr_builder_compile(b, &model), MYR_E_ARG, "one body");
    myr_builder_free(b);
}

/* A table that is a little thicker is another model, though it has no slots of its own: saved batches know. */
static void the_hash_knows_the_world(void **state) {
    uint64_t hash[3];
    (void)state;
    for (int i = 0; i < 3; i++) {
        myr_builder *b = NULL;
        myr_model *model = NULL;
        const double at[3] = {0, 0, i == 1 ? 0.5 : 0.4}, size[3] = {0.3, 0.3, i == 2 ? 0.11 : 0.1};
        MUST(myr_builder_create("table", &b));
        bodies_add(b, "table", -1, MYR_JOINT_FIXED, at, MYR_GEOM_BOX, size, 0);
        bodies_add(b, "ball", -1, MYR_JOINT_FREE, at, MYR_GEOM_SPHERE, (const double[3]){0.1, 0, 0}, 1);
        MUST(myr_builder_compile(b, &model));
        hash[i] = myr_model_hash(model);
        myr_model_free(model);
        myr_builder_free(b);
    }
    assert_true(hash[0] != hash[1] && hash[0] != hash[2] && hash[1] != hash[2]);
}

/* One free tree alone is what it was, whatever it is built of; a word on pairs that changes nothing changes nothing. */
static void a_lone_tree_has_no_pairs(void **state) {
    static const char *const names[] = {"anymal", "solo12", "chain-5", "cube", "stack-1"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        myr_model *model = NULL;
        MUST(myr_model_load(names[i], MYR_ROOT_AUTO, &model));
        assert_int_equal(model->n_pairs, 0);
        for (int s = 0; s < model->n_slots; s++) assert_int_equal(model->slots[s].other, -1);
        myr_model_free(model);
    }
}

static void scenes_by_name(void **state) {
    static const char *const wrong[] = {"stack-",     "stack-0",      "stack-11",   "stack-2x",      "stack-2-",    "stack-2-0",
                                        "stack-2--1", "stack-2-1e99", "stack-2-1e", "stack-2-1.2.3", "stack-2-nan", "stack-2-1e6 "};
    static const struct {
        const char *name;
        double mass;
    } right[] = {{"stack-1", 1},          {"stack-2", 2},       {"stack-10", 10},       {"stack-2-1e6", 1000001}, {"stack-3-2.5", 4.5},
                 {"stack-2-1e-3", 1.001}, {"stack-2-0.5", 1.5}, {"stack-2-25e+1", 251}, {"hand-ball", 0.1}};
    myr_model *model = NULL;
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        MUST_FAIL(myr_model_load(wrong[i], MYR_ROOT_AUTO, &model), MYR_E_ARG, "stack-N");
    MUST_FAIL(myr_model_load("stack-2", MYR_ROOT_FIXED, &model), MYR_E_ARG, "free");
    MUST_FAIL(myr_model_load("hand", MYR_ROOT_AUTO, &model), MYR_E_FILE, "hand-ball");
    for (size_t i = 0; i < sizeof right / sizeof *right; i++) {
        MUST(myr_model_load(right[i].name, MYR_ROOT_AUTO, &model));
        if (!(fabs(model->mass - right[i].mass) <= 1e-15 * right[i].mass)) fail_msg("%s: %.17g kg", right[i].name, model->mass);
        assert_int_equal(model->n_warnings, 0);
        myr_model_free(model);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_bits_everywhere),
        cmocka_unit_test(same_bits_of_bundles),
        cmocka_unit_test(one_bad_scene_harms_no_other),
        cmocka_unit_test(too_many_pairs_are_refused),
        cmocka_unit_test(sixty_four_contacts),
        cmocka_unit_test(the_hash_knows_the_world),
        cmocka_unit_test(who_may_touch),
        cmocka_unit_test(a_lone_tree_has_no_pairs),
        cmocka_unit_test(scenes_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* What a tile remembers of its slots from one call to the next (myr_had_slots) is there for speed alone: whatever is done to a batch, in
 * whatever order, it holds and shows what a twin does that forgets before each call.
 * ctest: threads */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/bodies_scene.h"
#include "support/hugger.h"
#include "support/isas.h"
#include "kernels/kernels.h"
#include "support/model_scene.h"
#include "support/random_model.h"

enum { ENVS = 35 };

static const char *const precisions[] = {"f32", "f64"};

/* The batch and the twin that forgets; what is done to the one is done to the other. */
typedef struct twins {
    myr_batch *batch[2];
    const myr_model *model;
    random_source source;
    char *kept[2];   /* states of all, taken at some time */
    int acts;        /* the task has control steps */
    int64_t held[2]; /* impulses seen against the ground, and between bodies of its own */
    const char *said;
} twins;

static int64_t below(twins *p, int64_t n) { return (int64_t)random_uniform(&p->source, 0, (double)n - 1e-9); }

/* Impulses written back: what the tiles knew of them is forgotten. */
static void forget(twins *p) {
    const size_t n = (size_t)myr_batch_components(p->batch[1], MYR_IMPULSE);
    double *impulse = malloc(ENVS * n * sizeof *impulse);
    assert_non_null(impulse);
    MUST(myr_batch_get(p->batch[1], MYR_IMPULSE, NULL, ENVS, MYR_F64, impulse));
    MUST(myr_batch_set(p->batch[1], MYR_IMPULSE, NULL, ENVS, MYR_F64, impulse));
    for (size_t k = 0; k < ENVS * n; k++) p->held[p->model->slots[k % n / 3].other >= 0] += impulse[k] != 0;
    free(impulse);
}

static void compare(const twins *p, const char *what, int round) {
    size_t count[2];
    double *seen[2] = {scene_snapshot(p->batch[0], &count[0]), scene_snapshot(p->batch[1], &count[1])};
    assert_int_equal(count[0], count[1]);
    for (size_t k = 0; k < count[0]; k++)
        if (memcmp(&seen[0][k], &seen[1][k], sizeof(double)) != 0)
            fail_msg("%s, call %d (%s): number %zu is %g, and %g in who forgets", what, round, p->said, k, seen[0][k], seen[1][k]);
    free(seen[0]);
    free(seen[1]);
}

/* Some environments, few or many, each once. */
static int64_t some(twins *p, int64_t *ids) {
    const double share = random_uniform(&p->source, 0.02, 0.5);
    int64_t n = 0;
    for (int64_t env = 0; env < ENVS; env++)
        if (random_uniform(&p->source, 0, 1) < share) ids[n++] = env;
    return n;
}

static void do_steps(twins *p) {
    const int64_t n = 1 + below(p, 5);
    for (int i = 0; i < 2; i++) MUST(myr_batch_step(p->batch[i], n));
}

static void do_rollout(twins *p) {
    const int64_t steps = 1 + below(p, 3);
    const int nu = p->model->nu;
    double *control = calloc((size_t)(ENVS * steps * nu) + 1, sizeof *control);
    assert_non_null(control);
    for (int64_t k = 0; k < ENVS * steps * nu; k++) control[k] = random_uniform(&p->source, -2, 2);
    const myr_rollout rollout = {.steps = steps, .control_field = MYR_TORQUE, .type = MYR_F64, .control = control};
    for (int i = 0; i < 2; i++) MUST(myr_batch_rollout(p->batch[i], &rollout));
    free(control);
}

/* About one action in fifty has a NaN. */
static void do_act(twins *p) {
    const int64_t steps = 1 + below(p, 3);
    const int nu = p->model->nu;
    if (!p->acts) return;
    double *action = malloc(((size_t)(ENVS * steps * nu) + 1) * sizeof *action);
    assert_non_null(action);
    for (int64_t k = 0; k < ENVS * steps * nu; k++)
        action[k] = random_uniform(&p->source, 0, 1) < 0.02 / nu ? NAN : random_uniform(&p->source, -3, 3);
    const myr_act act = {.steps = steps, .autoreset = (myr_autoreset)below(p, 3), .type = MYR_F64, .action = action};
    for (int i = 0; i < 2; i++) MUST(myr_batch_act(p->batch[i], &act));
    free(action);
}

static void do_reset(twins *p) {
    uint8_t mask[ENVS] = {0};
    int64_t ids[ENVS];
    const int64_t n = some(p, ids);
    for (int64_t k = 0; k < n; k++) mask[ids[k]] = 1;
    for (int i = 0; i < 2; i++) MUST(myr_batch_reset(p->batch[i], mask));
}

/* Numbers of a field changed a little, in some environments; q and v now and then to what stops a robot. */
static void do_set(twins *p) {
    static const myr_field fields[] = {MYR_IMPULSE, MYR_Q, MYR_V, MYR_FRICTION};
    const myr_field field = fields[below(p, 4)];
    const size_t each = (size_t)myr_batch_components(p->batch[0], field);
    int64_t ids[ENVS];
    const int64_t n = some(p, ids);
    double *value = malloc(ENVS * each * sizeof *value);
    assert_non_null(value);
    MUST(myr_batch_get(p->batch[0], field, ids, n, MYR_F64, value));
    for (int64_t k = 0; k < n * (int64_t)each; k++) {
        if (field == MYR_IMPULSE) value[k] = random_uniform(&p->source, 0, 1) < 0.3 ? random_uniform(&p->source, 0, 0.1) : value[k];
        if (field == MYR_Q || field == MYR_V) value[k] += random_uniform(&p->source, -0.05, 0.05);
    }
    if (below(p, 3) == 0 && n) value[0] = field == MYR_FRICTION ? -1 : field == MYR_IMPULSE ? 0 : NAN;
    for (int i = 0; i < 2; i++) MUST(myr_batch_set(p->batch[i], field, ids, n, MYR_F64, value));
    free(value);
}

static void do_copy(twins *p) {
    int64_t from[ENVS], to[ENVS];
    const int64_t n = some(p, to);
    for (int64_t k = 0; k < n; k++) from[k] = below(p, ENVS);
    for (int i = 0; i < 2; i++) MUST(myr_batch_copy(p->batch[i], from, to, n));
}

/* States are taken, or some of those taken before come back. */
static void do_states(twins *p) {
    const size_t each = myr_batch_state_bytes(p->batch[0]);
    const int take = !p->kept[0] || below(p, 2);
    int64_t ids[ENVS];
    const int64_t n = some(p, ids), from = below(p, ENVS);
    for (int i = 0; i < 2; i++) {
        if (!p->kept[i]) p->kept[i] = malloc(ENVS * each);
        assert_non_null(p->kept[i]);
        if (take) {
            MUST(myr_batch_get_state(p->batch[i], NULL, ENVS, p->kept[i]));
            continue;
        }
        for (int64_t k = 0; k < n; k++) MUST(myr_batch_set_state(p->batch[i], &ids[k], 1, p->kept[i] + (size_t)from * each));
    }
}

/* Saved, moved on, and back. */
static void do_save(twins *p) {
    for (int i = 0; i < 2; i++) {
        char path[] = "/tmp/myriapod-mixed-XXXXXX";
        const int file = mkstemp(path);
        assert_true(file >= 0);
        close(file);
        MUST(myr_batch_save(p->batch[i], path));
        MUST(myr_batch_step(p->batch[i], 2));
        MUST(myr_batch_restore(p->batch[i], path));
        unlink(path);
    }
}

static void do_collision(twins *p) {
    uint8_t *mask = malloc((size_t)p->model->n_geoms + 1);
    assert_non_null(mask);
    const double share = below(p, 3) ? 1 : random_uniform(&p->source, 0, 1);
    for (int g = 0; g < p->model->n_geoms; g++) mask[g] = random_uniform(&p->source, 0, 1) < share;
    for (int i = 0; i < 2; i++) MUST(myr_batch_set_collision(p->batch[i], mask));
    free(mask);
}

static const struct {
    const char *said;
    void (*call)(twins *p);
    int weight;
} calls[] = {
    {"step", do_steps, 8}, {"act", do_act, 8},       {"rollout", do_rollout, 2},    {"reset", do_reset, 2},        {"set", do_set, 3},
    {"copy", do_copy, 1},  {"states", do_states, 2}, {"save, restore", do_save, 1}, {"collision", do_collision, 1}};
enum { CALLS = sizeof calls / sizeof *calls };

/* `rounds` calls out of a seed. */
static void remember(const myr_model *model, const char *task, const char *bound, const char *isa, const char *precision, uint64_t seed,
                     int rounds) {
    twins p = {.model = model, .source = {seed}, .acts = strcmp(task, "none") != 0};
    char what[128];
    snprintf(what, sizeof what, "%s, %s, %s, %s, seed %d", model->name, task, isa, precision, (int)seed);
    for (int i = 0; i < 2; i++) {
        const myr_settings settings =
            scene_settings("precision", precision, "isa", isa, "task", task, "threads", seed % 2 ? "2" : "1", "contacts", bound, "solver",
                           "pgs", "max-sweeps", "60", "dt", "0.004", "sense-contacts", "1", "sense-bodies", "1", NULL);
        myr_settings own = settings;
        if (p.acts) MUST(myr_settings_set(&own, "episode", "0.3"));
        if (p.acts) MUST(myr_settings_set(&own, "start-angle", "1.5"));
        MUST(myr_batch_create(model, ENVS, &own, &p.batch[i]));
        if (!p.acts) bodies_disturb_tangle(p.batch[i], model, seed);
    }
    int weights = 0;
    for (int c = 0; c < CALLS; c++) weights += calls[c].weight;
    for (int round = 0; round < rounds; round++) {
        int c = 0;
        for (int64_t left = below(&p, weights); left >= calls[c].weight; c++) left -= calls[c].weight;
        p.said = calls[c].said;
        forget(&p);
        calls[c].call(&p);
        compare(&p, what, round);
    }
    assert_true(p.held[0] > 300 && (p.held[1] > 300 || model->n_pairs == 0));
    for (int i = 0; i < 2; i++) myr_batch_free(p.batch[i]), free(p.kept[i]);
}

static void remember_everywhere(myr_model *model, const char *task, const char *bound) {
    const char *more = getenv("MYRIAPOD_ROUNDS");
    const int seeds = more ? atoi(more) : 2;
    for (int i = 0; isa_at(i); i++)
        for (int k = 0; k < 2; k++)
            for (int seed = 1; seed <= seeds; seed++) remember(model, task, bound, isa_at(i), precisions[k], (uint64_t)seed, 60);
    myr_model_free(model);
}

static void a_robot_with_legs_remembers(void **state) {
    myr_model *model = NULL;
    (void)state;
    MUST(myr_model_load("anymal", MYR_ROOT_AUTO, &model));
    remember_everywhere(model, "hold", "128");
}

static void what_touches_itself_remembers(void **state) {
    (void)state;
    remember_everywhere(bodies_tangle(), "none", "128");
    remember_everywhere(bodies_tangle(), "none", "9");
    remember_everywhere(bodies_tangle_apart(), "none", "128");
}

static void a_robot_that_hugs_itself_remembers(void **state) {
    (void)state;
    remember_everywhere(scene_read(HUGGER), "hold", "128");
    remember_everywhere(scene_read(HUGGER), "hold", "7");
}

/* Steps by calls of one leave what one call of all of them leaves. */
static void calls_of_one_step_leave_the_same(void **state) {
    (void)state;
    myr_model *models[] = {bodies_tangle(), bodies_tangle_apart()};
    for (int m = 0; m < 2; m++) {
        for (int p = 0; p < 2; p++) {
            twins t = {.model = models[m], .said = "step"};
            const myr_settings settings = scene_settings("task", "none", "threads", "1", "solver", "pgs", "max-sweeps", "60", "precision",
                                                         precisions[p], "sense-contacts", "1", "sense-bodies", "1", NULL);
            for (int i = 0; i < 2; i++) {
                MUST(myr_batch_create(models[m], ENVS, &settings, &t.batch[i]));
                bodies_disturb_tangle(t.batch[i], models[m], 5);
            }
            MUST(myr_batch_step(t.batch[0], 20));
            for (int step = 0; step < 20; step++) MUST(myr_batch_step(t.batch[1], 1));
            compare(&t, models[m]->name, 20);
            for (int i = 0; i < 2; i++) myr_batch_free(t.batch[i]);
        }
        myr_model_free(models[m]);
    }
}

/* The largest impulse of an environment. */
static double largest(const myr_batch *batch, int64_t env) {
    double impulse[1024], most = 0;
    const int n = myr_batch_components(batch, MYR_IMPULSE);
    assert_true(n <= 1024);
    MUST(myr_batch_get(batch, MYR_IMPULSE, &env, 1, MYR_F64, impulse));
    for (int k = 0; k < n; k++) most = fmax(most, fabs(impulse[k]));
    return most;
}

/* Robots that fly touch nothing, and their tiles know it. One comes with impulses, in each way that there is: they are gone a step later.
 */
static void what_is_brought_is_known(void **state) {
    enum { WAYS = 3 };
    (void)state;
    myr_model *model = scene_read(HUGGER);
    const myr_settings settings = scene_settings("task", "none", "threads", "1", "sense-contacts", "1", "sense-bodies", "1", NULL);
    for (int way = 0; way < WAYS; way++) {
        myr_batch *batch = NULL;
        const int64_t to = 1, from = ENVS - 1; /* in different tiles */
        double impulse[1024], q[32];
        MUST(myr_batch_create(model, ENVS, &settings, &batch));
        for (int64_t env = 0; env < ENVS; env++) {
            MUST(myr_batch_get(batch, MYR_Q, &env, 1, MYR_F64, q));
            q[2] += 5;
            MUST(myr_batch_set(batch, MYR_Q, &env, 1, MYR_F64, q));
        }
        MUST(myr_batch_step(batch, 2));
        for (int k = 0; k < 1024; k++) impulse[k] = 0.25;
        MUST(myr_batch_set(batch, MYR_IMPULSE, way == 0 ? &to : &from, 1, MYR_F64, impulse));
        if (way == 1) MUST(myr_batch_copy(batch, &from, &to, 1));
        if (way == 2) {
            char *kept = malloc(myr_batch_state_bytes(batch));
            assert_non_null(kept);
            MUST(myr_batch_get_state(batch, &from, 1, kept));
            MUST(myr_batch_set_state(batch, &to, 1, kept));
            free(kept);
        }
        assert_true(largest(batch, to) == 0.25);
        MUST(myr_batch_step(batch, 1));
        if (largest(batch, to) != 0) fail_msg("way %d: an impulse of %g stays", way, largest(batch, to));
        myr_batch_free(batch);
    }
    myr_model_free(model);
}

/* A geom that may no longer touch takes the impulses of its pairs with it, whichever of the two it is. */
static void masks_take_the_impulses_of_pairs(void **state) {
    (void)state;
    myr_model *models[] = {bodies_tangle(), bodies_tangle_apart()};
    for (int m = 0; m < 2; m++) {
        const myr_model *model = models[m];
        int held = 0;
        for (int g = 0; g < model->n_geoms; g++) {
            myr_batch *batch = NULL;
            const myr_settings settings = scene_settings("task", "none", "threads", "1", "solver", "pgs", "max-sweeps", "60",
                                                         "sense-contacts", "1", "sense-bodies", "1", NULL);
            uint8_t mask[16];
            static double impulse[ENVS][1024];
            const size_t each = 3 * (size_t)model->n_slots;
            assert_true(each <= 1024 && model->n_geoms <= 16);
            memset(mask, 1, sizeof mask);
            mask[g] = 0;
            MUST(myr_batch_create(model, ENVS, &settings, &batch));
            bodies_disturb_tangle(batch, model, 5);
            MUST(myr_batch_step(batch, 3));
            for (int off = 0; off < 2; off++) {
                if (off) MUST(myr_batch_set_collision(batch, mask));
                for (int64_t env = 0; env < ENVS; env++) {
                    MUST(myr_batch_get(batch, MYR_IMPULSE, &env, 1, MYR_F64, impulse[env]));
                    for (int i = 0; i < model->n_pairs; i++) {
                        const myr_pair *pair = &model->pairs[i];
                        if (pair->geom[0] != g && pair->geom[1] != g) continue;
                        for (int k = 3 * pair->slot; k < 3 * (pair->slot + pair->n_slots); k++) {
                            if (!off && impulse[env][k] != 0) held++;
                            if (off && impulse[env][k] != 0)
                                fail_msg("geom %d is off, and slot %d of its pair %d has %g", g, k / 3, i, impulse[env][k]);
                        }
                    }
                }
            }
            myr_batch_free(batch);
        }
        assert_true(held > 50);
        myr_model_free(models[m]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_robot_with_legs_remembers),        cmocka_unit_test(what_touches_itself_remembers),
        cmocka_unit_test(a_robot_that_hugs_itself_remembers), cmocka_unit_test(calls_of_one_step_leave_the_same),
        cmocka_unit_test(what_is_brought_is_known),           cmocka_unit_test(masks_take_the_impulses_of_pairs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

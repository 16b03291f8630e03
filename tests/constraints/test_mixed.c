/* Contacts of robots whose own links touch (constraints/mixed_assemble.lane.h): a pair that never touches changes the way that contacts go
 * through the step, and nothing else; and what a robot may have at once is bounded, for each alone.
 * ctest: heavy */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/bodies_scene.h"
#include "support/model_scene.h"
#include "support/random_model.h"

#define LEG(name, side)                                                                                                                    \
    "<body name='" name " thigh' pos='0 " side " 0'><joint type='hinge' axis='1 0 0' range='-20 20' frictionloss='.2'/>"                   \
    "<joint name='" name " hip' type='hinge' axis='0 1 0' range='-60 60'/><geom type='capsule' size='.03 .1' pos='0 0 -.1' mass='1'/>"     \
    "<body name='" name " shank' pos='0 0 -.25'><joint name='" name " knee' type='hinge' axis='0 1 0' range='-90 5'/>"                     \
    "<geom type='box' size='.06 .03 .02' pos='.02 0 -.2' mass='.5'/>"                                                                      \
    "<geom name='" name " toe' type='sphere' size='.01' pos='.1 0 -.2' mass='.1'/></body></body>"
/* A torso on two legs, a rod beside one of them on two ball joints, and a crate to fall on; `pair`: what else touches. */
#define WALKER(pair, loop)                                                                                                                 \
    "<mujoco model='walker'><compiler angle='degree'/><worldbody>"                                                                         \
    "<body name='torso' pos='0 0 .55'><freejoint/><geom name='torso' type='box' size='.1 .12 .08' mass='4'/>"                              \
    "<geom name='head' type='sphere' size='.05' pos='0 0 .2' mass='.5'/>" LEG("left", ".1") LEG(                                           \
        "right", "-.1") "</body>"                                                                                                          \
                        "<body name='crate' pos='.1 .05 .1'><freejoint/><geom type='box' size='.1 .1 .1' mass='2'/></body></worldbody>"    \
                        "<contact><exclude body1='left shank' body2='right shank'/>" pair "</contact>" loop "</mujoco>"
#define HEAD "<pair geom1='head' geom2='left toe'/>" /* never meet: the toe is too far down */
#define LOOP                                                                                                                               \
    "<equality><joint joint1='left knee' joint2='right knee' polycoef='0 1 0 0 0'/>"                                                       \
    "<connect body1='left thigh' body2='torso' anchor='0 0 0'/></equality>"

typedef struct cast {
    const char *dynamics, *solver, *recheck, *gap, *friction;
} cast;

/* Falls from states out of a seed; q of all after `steps`. */
static void fall(const myr_model *model, const cast *c, const char *precision, int steps, double *q) {
    enum { ENVS = 16 };
    random_source source = {7};
    myr_batch *batch = NULL;
    const myr_settings settings = scene_settings("precision", precision, "task", "none", "threads", "1", "dynamics", c->dynamics, "solver",
                                                 c->solver, "limit-recheck", c->recheck, "gap", c->gap, "joint-friction", c->friction,
                                                 "tolerance", "1e-11", "max-sweeps", "20000", "dt", "0.001", NULL);
    MUST(myr_batch_create(model, ENVS, &settings, &batch));
    for (int64_t env = 0; env < ENVS; env++) {
        double at[64], v[64], tau[64], home[64];
        random_state(&source, model, 1, 0, at, v, tau);
        myr_model_home(model, home);
        for (int k = 7; k < 13; k++) at[k] = home[k] + (k == 9 || k == 12 ? -0.2 : 0.1) * fabs(at[k]) / 3; /* joints, in their limits */
        for (int k = 0; k < 3; k++) at[k] = home[k] + 0.02 * at[k], at[13 + k] = home[13 + k] + 0.02 * at[13 + k];
        MUST(myr_batch_set(batch, MYR_Q, &env, 1, MYR_F64, at));
        MUST(myr_batch_set(batch, MYR_V, &env, 1, MYR_F64, v));
    }
    MUST(myr_batch_step(batch, steps));
    myr_stats stats;
    myr_batch_stats(batch, &stats);
    assert_int_equal(stats.quarantined, 0);
    assert_true(stats.contacts_mean > 1.5); /* nothing is left deep, so not all corners of a fallen robot touch */
    MUST(myr_batch_get(batch, MYR_Q, NULL, ENVS, MYR_F64, q));
    myr_batch_free(batch);
}

static void a_pair_apart_changes_nothing(void **state) {
    (void)state;
    static const cast casts[] = {
        {"generalized", "nsgs", "0", "0", "hard"},     {"generalized", "hybrid", "1", "0", "hard"},
        {"generalized", "nsgs", "0", "0.001", "hard"}, {"generalized", "nsgs", "0", "0", "implicit"},
        {"maximal", "nsgs", "0", "0", "hard"},         {"generalized", "pgs", "0", "0", "hard"},
    };
    for (int looped = 0; looped < 2; looped++) {
        myr_model *plain = scene_read(looped ? WALKER("", LOOP) : WALKER("", "")),
                  *mixed = scene_read(looped ? WALKER(HEAD, LOOP) : WALKER(HEAD, ""));
        assert_int_equal(mixed->n_pairs, plain->n_pairs + 1);
        for (size_t i = 0; i < sizeof casts / sizeof *casts; i++) {
            static double wanted[16 * 64], got[16 * 64];
            fall(plain, &casts[i], "f64", 120, wanted);
            fall(mixed, &casts[i], "f64", 120, got);
            double worst = 0;
            for (int k = 0; k < 16 * plain->nq; k++) worst = fmax(worst, fabs(got[k] - wanted[k]));
            if (!(worst < 1e-7)) fail_msg("%s, %s: %g beside the same without the pair", casts[i].dynamics, casts[i].solver, worst);
        }
        myr_model_free(plain);
        myr_model_free(mixed);
    }
}

/* A robot with more contacts than fit is quarantined with that reason where it stands, and no other robot feels it. */
static void too_many_are_said(void **state) {
    enum { ENVS = 33 };
    (void)state;
    myr_model *model = bodies_tangle();
    for (int p = 0; p < 2; p++) {
        const char *precision = p ? "f64" : "f32";
        myr_batch *free = NULL, *bound = NULL, *all = NULL; /* all: without working sets, whose problems do not have all contacts */
        myr_batch **const batches[] = {&free, &bound, &all};
        int crowded = 0, calm = 0;
        for (int i = 0; i < 3; i++) {
            const myr_settings settings =
                scene_settings("precision", precision, "task", "none", "threads", "1", "solver", "pgs", "max-sweeps", "200", "contacts",
                               i == 1 ? "9" : "128", "working-sets", i == 2 ? "0" : "1", NULL);
            MUST(myr_batch_create(model, ENVS, &settings, batches[i]));
            bodies_disturb_tangle(*batches[i], model, 5);
        }
        for (int step = 0; step < 30; step++) {
            static double before[ENVS][64], was[ENVS], q[64], v[64];
            int many[ENVS];
            MUST(myr_batch_get(bound, MYR_QUARANTINED, NULL, ENVS, MYR_F64, was));
            for (int64_t env = 0; env < ENVS; env++) {
                myr_problem_room room = {.room = model->n_slots, .room_rows = model->n_rows};
                MUST(myr_batch_get(bound, MYR_Q, &env, 1, MYR_F64, before[env]));
                MUST(myr_batch_get(free, MYR_Q, &env, 1, MYR_F64, q));
                MUST(myr_batch_get(free, MYR_V, &env, 1, MYR_F64, v));
                MUST(myr_batch_set(all, MYR_Q, &env, 1, MYR_F64, q));
                MUST(myr_batch_set(all, MYR_V, &env, 1, MYR_F64, v));
                MUST(myr_batch_problem(all, env, &room));
                many[env] = room.contacts > 9;
            }
            MUST(myr_batch_step(free, 1));
            MUST(myr_batch_step(bound, 1));
            for (int64_t env = 0; env < ENVS; env++) {
                double mine[64], other[64], reason;
                MUST(myr_batch_get(bound, MYR_QUARANTINED, &env, 1, MYR_F64, &reason));
                MUST(myr_batch_get(bound, MYR_Q, &env, 1, MYR_F64, mine));
                MUST(myr_batch_get(free, MYR_Q, &env, 1, MYR_F64, other));
                const int stopped = was[env] != MYR_HEALTHY || many[env];
                assert_int_equal((int)reason, stopped ? MYR_QUARANTINE_CONTACTS : MYR_HEALTHY);
                assert_memory_equal(mine, stopped ? before[env] : other, (size_t)model->nq * sizeof *mine);
                crowded += was[env] == MYR_HEALTHY && many[env], calm += !stopped;
            }
        }
        assert_true(crowded > 3 && calm > 100);
        myr_batch_free(free);
        myr_batch_free(bound);
        myr_batch_free(all);
    }
    myr_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_pair_apart_changes_nothing), cmocka_unit_test(too_many_are_said)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

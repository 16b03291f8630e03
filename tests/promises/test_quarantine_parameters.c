/* A parameter that is not legal quarantines its own environment with that reason, whichever solver runs, before it moves. No bit of any
 * other environment changes. Every parameter field, every kind of wrong number, every instruction set and both precisions. */
#include "support/batch_scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/isas.h"
#include "kernels/kernels.h"

enum { ENVS = 19, BAD = 3, BEFORE = 6, AFTER = 4, MOST = 200 };

static const char *const precisions[] = {"f32", "f64"};

typedef struct parameter {
    const char *name;
    myr_field field;
    int component;
    double wrong;    /* a number that must not be; 0: every finite number may be */
    double infinite; /* the infinity that is legal; 0: none */
} parameter;

static const parameter parameters[] = {
    {"kp", MYR_KP, 2, -1, 0},
    {"kd", MYR_KD, 0, -1e-3, 0},
    {"strength", MYR_STRENGTH, 1, -0.1, 0},
    {"encoder_bias", MYR_ENCODER_BIAS, 3, 0, 0},
    {"damping", MYR_DAMPING, 7, -0.1, 0},
    {"armature", MYR_ARMATURE, 8, -0.1, 0},
    {"friction", MYR_FRICTION, 0, -0.5, 0},
    {"gravity", MYR_GRAVITY, 0, 0, 0},
    {"mass", MYR_MASS, 3, -1, 0},
    {"mass", MYR_MASS, 0, -1e-6, 0},
    {"com", MYR_COM, 4, 0, 0},
    {"inertia", MYR_INERTIA, 7, -1, 0},
    {"delay", MYR_DELAY, 0, -1, 0},
    {"lower", MYR_LOWER, 1, 9.5, (double)-INFINITY}, /* above the upper one */
    {"upper", MYR_UPPER, 2, -9.5, (double)INFINITY},
    {"dry_friction", MYR_DRY_FRICTION, 5, -0.1, 0},
    {"group_friction", MYR_GROUP_FRICTION, 1, -0.5, 0},
};
enum { PARAMETERS = sizeof parameters / sizeof *parameters };

/* Every field that holds parameters is among them. */
static void no_parameter_is_missing(void **state) {
    (void)state;
    for (int f = 0; f < MYR_ROWS_COUNT; f++) {
        if (myr_fields[f].access != MYR_ACCESS_PARAM) continue;
        int found = strcmp(myr_fields[f].name, "inertial") == 0 || /* mass, com, inertia */
                    strcmp(myr_fields[f].name, "world_at") == 0;   /* test_world_at.c: this robot has none */
        for (int p = 0; p < PARAMETERS; p++) found = found || strcmp(myr_fields[f].name, parameters[p].name) == 0;
        if (!found) fail_msg("the parameter '%s' is not tried here", myr_fields[f].name);
    }
}

static myr_batch *open_batch(const myr_model *model, const char *isa, const char *precision, const char *solver, const char *task) {
    myr_settings settings =
        scene_settings("isa", isa, "precision", precision, "solver", solver, "task", task, "threads", "1", "max-sweeps", "200", NULL);
    myr_batch *batch = NULL;
    settings.sense_bodies = 1, settings.sense_contacts = 1;
    MUST(myr_batch_create(model, ENVS, &settings, &batch));
    return batch;
}

static int reason_of(const myr_batch *batch, int64_t env) {
    double reason;
    MUST(myr_batch_get(batch, MYR_QUARANTINED, &env, 1, MYR_F64, &reason));
    return (int)reason;
}

static void write_value(myr_batch *batch, myr_field field, int component, double value) {
    const int64_t bad = BAD;
    double values[MOST];
    assert_in_range(myr_batch_components(batch, field), component + 1, MOST);
    MUST(myr_batch_get(batch, field, &bad, 1, MYR_F64, values));
    values[component] = value;
    MUST(myr_batch_set(batch, field, &bad, 1, MYR_F64, values));
}

static void read_motion(const myr_batch *batch, int64_t env, double motion[38]) {
    MUST(myr_batch_get(batch, MYR_Q, &env, 1, MYR_F64, motion));
    MUST(myr_batch_get(batch, MYR_V, &env, 1, MYR_F64, motion + 19));
    MUST(myr_batch_get(batch, MYR_TIME, &env, 1, MYR_F64, motion + 37));
}

/* All that the others show, field after field, equals that of a batch in which nothing is wrong. */
static void assert_others_same(const myr_batch *a, const myr_batch *b, const char *what) {
    for (int f = 0; f < MYR_FIELD_COUNT; f++) {
        double x[MOST * 4], y[MOST * 4];
        const int c = myr_batch_components(a, (myr_field)f);
        assert_true(c <= MOST * 4);
        for (int64_t env = 0; env < ENVS && c > 0; env++) {
            if (env == BAD) continue;
            MUST(myr_batch_get(a, (myr_field)f, &env, 1, MYR_F64, x));
            MUST(myr_batch_get(b, (myr_field)f, &env, 1, MYR_F64, y));
            if (memcmp(x, y, (size_t)c * sizeof *x) != 0)
                fail_msg("%s: environment %lld has other bits in field %d", what, (long long)env, f);
        }
    }
}

static void go(myr_batch *batch, int64_t steps, const char *task) {
    const myr_act act = {.steps = steps, .autoreset = MYR_AUTORESET_DISABLED, .type = MYR_F32};
    if (strcmp(task, "locomotion") == 0)
        MUST(myr_batch_act(batch, &act));
    else
        MUST(myr_batch_step(batch, steps));
}

static void try_value(const myr_model *model, const char *isa, const char *precision, const char *solver, const parameter *p,
                      double value) {
    char what[160];
    const char *task = p->field == MYR_DELAY ? "locomotion" : "stand";
    double motion[38], after[38];
    snprintf(what, sizeof what, "%s, %s, %s: %s[%d] = %g", isa, precision, solver, p->name, p->component, value);
    myr_batch *sick = open_batch(model, isa, precision, solver, task), *sound = open_batch(model, isa, precision, solver, task);
    go(sick, BEFORE, task);
    go(sound, BEFORE, task);
    read_motion(sick, BAD, motion);
    write_value(sick, p->field, p->component, value);
    assert_int_equal(reason_of(sick, BAD), MYR_HEALTHY);
    go(sick, AFTER / 2, task);
    go(sick, AFTER / 2, task);
    go(sound, AFTER / 2, task);
    go(sound, AFTER / 2, task);
    if (reason_of(sick, BAD) != MYR_QUARANTINE_PARAMETER)
        fail_msg("%s: the reason is '%s'", what, myr_quarantine_text((myr_quarantine)reason_of(sick, BAD)));
    read_motion(sick, BAD, after);
    if (memcmp(motion, after, sizeof motion) != 0) fail_msg("%s: it has moved", what);
    assert_others_same(sick, sound, what);
    myr_batch_free(sick);
    myr_batch_free(sound);
}

/* An ANYmal whose feet are a friction group, and all else another one. */
static myr_model *grouped(void) {
    myr_model *robot, *model = NULL;
    myr_builder *builder = scene_robot_builder("grouped", "anymal", &robot);
    MUST(myr_builder_friction_group(builder, "rest", "*"));
    MUST(myr_builder_friction_group(builder, "feet", "*FOOT*"));
    MUST(myr_builder_compile(builder, &model));
    myr_builder_free(builder), myr_model_free(robot);
    return model;
}

static void illegal_numbers_stop_their_own_environment(void **state) {
    (void)state;
    static const char *const solvers[] = {"nsgs", "bisection", "pgs", "admm-ncp", "newton-diag", "staggered"};
    myr_model *model = grouped();
    for (int i = 0; isa_at(i); i++)
        for (int k = 0; k < 2 * PARAMETERS; k++)
            for (int s = 0; s < 6; s++) {
                const parameter *p = &parameters[k / 2];
                /* friction is what solvers differ in; of the other fields each solver sees one kind of number */
                const double values[] = {NAN, INFINITY, -INFINITY, p->wrong};
                for (int v = 0; v < (p->wrong != 0 ? 4 : 3); v++)
                    if (p->infinite != 0 && values[v] == p->infinite)
                        continue;
                    else if (p->field == MYR_FRICTION || (s + v) % 6 == k / 2 % 6 || s == 0)
                        try_value(model, isa_at(i), precisions[k % 2], solvers[s], p, values[v]);
            }
    myr_model_free(model);
}

/* In floats 1e300 is infinite, and so it is not legal. */
static void what_overflows_is_illegal_too(void **state) {
    (void)state;
    myr_model *model = NULL;
    MUST(myr_model_load("anymal", MYR_ROOT_AUTO, &model));
    try_value(model, "auto", "f32", "nsgs", &parameters[4], 1e300);
    myr_model_free(model);
}

/* Zeros are legal but for masses; so are the ends of what a loader warns about. */
static void what_is_legal_goes_on(void **state) {
    (void)state;
    static const struct {
        myr_field field;
        double factor;
    } changes[] = {{MYR_KP, 0},       {MYR_KD, 0},     {MYR_DAMPING, 0}, {MYR_ARMATURE, 0},  {MYR_FRICTION, 0},
                   {MYR_GRAVITY, -1}, {MYR_MASS, 1.5}, {MYR_COM, 1.2},   {MYR_INERTIA, 0.5}, {MYR_INERTIA, 0}};
    static const char *const robots[] = {"anymal", "solo12", "hopper", "double-pendulum", "chain-5", "cube"};
    for (int r = 0; r < 6; r++)
        for (int p = 0; p < 2; p++) {
            myr_model *model = NULL;
            MUST(myr_model_load(robots[r], MYR_ROOT_AUTO, &model));
            for (size_t c = 0; c < sizeof changes / sizeof *changes; c++) {
                myr_batch *batch = open_batch(model, "auto", precisions[p], "nsgs", "none");
                static double values[ENVS * MOST * 4];
                const int n = myr_batch_components(batch, changes[c].field);
                assert_true(n <= MOST * 4);
                MUST(myr_batch_get(batch, changes[c].field, NULL, ENVS, MYR_F64, values));
                for (int i = 0; i < ENVS * n; i++) values[i] *= changes[c].factor;
                MUST(myr_batch_set(batch, changes[c].field, NULL, ENVS, MYR_F64, values));
                MUST(myr_batch_step(batch, 1));
                for (int64_t env = 0; env < ENVS; env++)
                    if (reason_of(batch, env) == MYR_QUARANTINE_PARAMETER)
                        fail_msg("%s, %s: change %zu is said to be illegal", robots[r], precisions[p], c);
                myr_batch_free(batch);
            }
            myr_model_free(model);
        }
}

/* A model without mass in a link, and one with a negative moment, load with a warning; what is as the model says stays legal. */
static void what_the_loader_let_pass_is_legal(void **state) {
    (void)state;
    static const char text[] =
        "<robot name='odd'><link name='a'><inertial><mass value='2'/><inertia ixx='0.1' iyy='0.1' izz='0.1'/></inertial></link>"
        "<link name='light'/><joint name='j' type='revolute'><parent link='a'/><child link='light'/><axis xyz='1 0 0'/><limit effort='1' "
        "velocity='1'/></joint>"
        "<link name='b'><inertial><origin xyz='0.1 0 0'/><mass value='1'/><inertia ixx='0.1' iyy='0.1' izz='0.1' "
        "ixy='0.12'/></inertial></link>"
        "<joint name='k' type='revolute'><parent link='light'/><child link='b'/><axis xyz='0 1 0'/><limit effort='1' "
        "velocity='1'/></joint></robot>";
    const int64_t bad = BAD;
    for (int p = 0; p < 2; p++) {
        myr_model *model = NULL;
        double mass[3];
        MUST(myr_model_load_text(text, sizeof text - 1, "odd.urdf", MYR_ROOT_AUTO, &model));
        assert_non_null(myr_model_warning(model, 0));
        myr_batch *batch = open_batch(model, "auto", precisions[p], "nsgs", "none");
        MUST(myr_batch_get(batch, MYR_MASS, &bad, 1, MYR_F64, mass));
        assert_true(mass[1] == 0);
        mass[0] = 3, mass[2] = 1.7;
        MUST(myr_batch_set(batch, MYR_MASS, &bad, 1, MYR_F64, mass));
        MUST(myr_batch_step(batch, 1));
        assert_true(reason_of(batch, BAD) != MYR_QUARANTINE_PARAMETER);
        mass[0] = 0; /* this one has mass, and may not lose it */
        MUST(myr_batch_reset(batch, NULL));
        MUST(myr_batch_set(batch, MYR_MASS, &bad, 1, MYR_F64, mass));
        MUST(myr_batch_step(batch, 1));
        assert_int_equal(reason_of(batch, BAD), MYR_QUARANTINE_PARAMETER);
        myr_batch_free(batch);
        myr_model_free(model);
    }
}

/* ---- back again ----------------------------------------------------------------------------------------------------- */

static void reset_bad(myr_batch *batch) {
    uint8_t mask[ENVS] = {[BAD] = 1};
    MUST(myr_batch_reset(batch, mask));
    assert_int_equal(reason_of(batch, BAD), MYR_HEALTHY);
    MUST(myr_batch_step(batch, 2));
}

static void reset_keeps_parameters_and_a_legal_one_brings_back(void **state) {
    (void)state;
    const int64_t bad = BAD;
    myr_model *model = NULL;
    double mass[64], com[192], inertia[384];
    MUST(myr_model_load("anymal", MYR_ROOT_AUTO, &model));
    myr_batch *batch = open_batch(model, "auto", "f32", "nsgs", "stand");
    MUST(myr_batch_get(batch, MYR_MASS, &bad, 1, MYR_F64, mass));
    MUST(myr_batch_get(batch, MYR_COM, &bad, 1, MYR_F64, com));
    MUST(myr_batch_get(batch, MYR_INERTIA, &bad, 1, MYR_F64, inertia));
    write_value(batch, MYR_FRICTION, 0, NAN);
    MUST(myr_batch_step(batch, 2));
    assert_int_equal(reason_of(batch, BAD), MYR_QUARANTINE_PARAMETER);
    assert_string_equal(myr_quarantine_text(MYR_QUARANTINE_PARAMETER), "illegal parameter");
    reset_bad(batch); /* friction is NaN still */
    assert_int_equal(reason_of(batch, BAD), MYR_QUARANTINE_PARAMETER);
    write_value(batch, MYR_FRICTION, 0, 1);
    MUST(myr_batch_step(batch, 2));
    assert_int_equal(reason_of(batch, BAD), MYR_QUARANTINE_PARAMETER); /* writing does not lift a quarantine */
    reset_bad(batch);
    assert_int_equal(reason_of(batch, BAD), MYR_HEALTHY);
    write_value(batch, MYR_MASS, 3, NAN);
    MUST(myr_batch_step(batch, 2));
    assert_int_equal(reason_of(batch, BAD), MYR_QUARANTINE_PARAMETER);
    MUST(myr_batch_set(batch, MYR_MASS, &bad, 1, MYR_F64, mass));
    MUST(myr_batch_set(batch, MYR_COM, &bad, 1, MYR_F64, com));
    MUST(myr_batch_set(batch, MYR_INERTIA, &bad, 1, MYR_F64, inertia));
    reset_bad(batch);
    assert_int_equal(reason_of(batch, BAD), MYR_HEALTHY);
    myr_batch_free(batch);
    myr_model_free(model);
}

/* By whatever way an illegal parameter comes: a copy, a file, a living state put where the parameters are not legal. */
static void every_way_in_is_judged(void **state) {
    (void)state;
    const int64_t bad = BAD, other = 5;
    char path[] = "/tmp/myriapod-parameters-XXXXXX";
    myr_model *model = NULL;
    MUST(myr_model_load("anymal", MYR_ROOT_AUTO, &model));
    myr_batch *batch = open_batch(model, "auto", "f64", "nsgs", "stand"), *second = open_batch(model, "auto", "f64", "nsgs", "stand");
    write_value(batch, MYR_FRICTION, 0, -1);
    MUST(myr_batch_copy(batch, &bad, &other, 1));
    assert_int_equal(close(mkstemp(path)), 0);
    MUST(myr_batch_save(batch, path)); /* not judged yet */
    myr_problem_room room = {.room = 64, .contacts = -1};
    MUST(myr_batch_problem(batch, BAD, &room));
    assert_int_equal(room.contacts, 0); /* it will be in quarantine when the next step comes */
    MUST(myr_batch_step(batch, 1));
    assert_int_equal(reason_of(batch, BAD), MYR_QUARANTINE_PARAMETER);
    assert_int_equal(reason_of(batch, other), MYR_QUARANTINE_PARAMETER);
    MUST(myr_batch_restore(second, path));
    MUST(myr_batch_step(second, 1));
    assert_int_equal(reason_of(second, BAD), MYR_QUARANTINE_PARAMETER);
    assert_int_equal(reason_of(second, other), MYR_QUARANTINE_PARAMETER);
    MUST(myr_batch_save(batch, path)); /* and with the quarantine */
    MUST(myr_batch_restore(second, path));
    assert_int_equal(reason_of(second, BAD), MYR_QUARANTINE_PARAMETER);
    void *living = malloc(myr_batch_state_bytes(batch));
    const int64_t healthy = 0;
    assert_non_null(living);
    MUST(myr_batch_get_state(batch, &healthy, 1, living));
    MUST(myr_batch_set_state(batch, &bad, 1, living));
    assert_int_equal(reason_of(batch, BAD), MYR_HEALTHY);
    MUST(myr_batch_step(batch, 1));
    assert_int_equal(reason_of(batch, BAD), MYR_QUARANTINE_PARAMETER);
    MUST(myr_batch_restart(batch, 4));
    MUST(myr_batch_step(batch, 1));
    assert_int_equal(reason_of(batch, BAD), MYR_QUARANTINE_PARAMETER);
    free(living);
    unlink(path);
    myr_batch_free(batch);
    myr_batch_free(second);
    myr_model_free(model);
}

/* The task locomotion: the episode ends with this fault; where the friction is drawn, the next one is legal. */
static void an_episode_ends_by_that_name(void **state) {
    (void)state;
    static uint8_t fault[ENVS * 3], terminated[ENVS * 3];
    for (int drawn = 0; drawn < 2; drawn++) {
        const myr_settings settings = scene_settings("task", "locomotion", "vary-friction-low", drawn ? "0.5" : "1", NULL);
        myr_model *model = NULL;
        myr_batch *batch = NULL;
        MUST(myr_model_load("anymal", MYR_ROOT_AUTO, &model));
        MUST(myr_batch_create(model, ENVS, &settings, &batch));
        write_value(batch, MYR_FRICTION, 0, INFINITY);
        const myr_act act = {.steps = 3, .type = MYR_F32, .fault = fault, .terminated = terminated};
        MUST(myr_batch_act(batch, &act));
        for (int env = 0; env < ENVS; env++)
            for (int step = 0; step < 3; step++) {
                const int wanted = env == BAD && (step == 0 || !drawn) ? MYR_QUARANTINE_PARAMETER : MYR_HEALTHY;
                assert_int_equal(fault[env * 3 + step], wanted);
                assert_int_equal(terminated[env * 3 + step], wanted != MYR_HEALTHY);
            }
        myr_batch_free(batch);
        myr_model_free(model);
    }
}

/* The same where a reset brings the illegal number back in the last step of a call: what is shown then, and what is saved, depends neither
 * on the environments beside it nor on how many parts a tile has. */
static void no_neighbour_hastens_the_judgement(void **state) {
    (void)state;
    const int64_t bad = BAD;
    const float friction = -1;
    myr_model *model = NULL;
    MUST(myr_model_load("anymal", MYR_ROOT_AUTO, &model));
    for (int k = 0; k < 2 * 2 * isa_count(); k++) {
        const int same_step = k / 2 % 2;
        const char *isa = isa_at(k / 4), *precision = precisions[k % 2];
        const myr_act act = {.steps = 1, .type = MYR_F32, .autoreset = same_step ? MYR_AUTORESET_SAME_STEP : MYR_AUTORESET_NEXT_STEP};
        for (int envs = BAD + 1; envs <= ENVS; envs += ENVS - BAD - 1) {
            const myr_settings settings = scene_settings("task", "locomotion", "isa", isa, "precision", precision, NULL);
            myr_batch *batch = NULL;
            MUST(myr_batch_create(model, envs, &settings, &batch));
            MUST(myr_batch_set(batch, MYR_FRICTION, &bad, 1, MYR_F32, &friction));
            for (int call = 0; call < 4; call++) { /* ended and reset; or ended, then reset */
                MUST(myr_batch_act(batch, &act));
                const int wanted = same_step || call % 2 ? MYR_HEALTHY : MYR_QUARANTINE_PARAMETER;
                if (reason_of(batch, BAD) != wanted)
                    fail_msg("%s, %s, %d environments: after call %d the reason is '%s'", isa, precision, envs, call,
                             myr_quarantine_text((myr_quarantine)reason_of(batch, BAD)));
            }
            myr_batch_free(batch);
        }
    }
    myr_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_parameter_is_missing),
        cmocka_unit_test(illegal_numbers_stop_their_own_environment),
        cmocka_unit_test(what_overflows_is_illegal_too),
        cmocka_unit_test(what_is_legal_goes_on),
        cmocka_unit_test(what_the_loader_let_pass_is_legal),
        cmocka_unit_test(reset_keeps_parameters_and_a_legal_one_brings_back),
        cmocka_unit_test(every_way_in_is_judged),
        cmocka_unit_test(an_episode_ends_by_that_name),
        cmocka_unit_test(no_neighbour_hastens_the_judgement),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* A flat map is the plane of other people's robots, too, bit for bit: quadrupeds and humanoids on balls, capsules, boxes and hulls, a hand
 * on a table, with every solver, in both precisions, at ground heights other than 0. They fall limp until they touch the
 * ground; from there on plane and map are compared. An Allegro hand is looked for in $MYRIAPOD_EXAMPLE_ROBOTS, the robots of the package
 * `example-robot-data`.
 * ctest: heavy
 * may skip: these robots lie in ../shared, which is not part of this tree */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "support/flat_map.h"
#include "support/isas.h"
#include "support/random_model.h"

#define MENAGERIE "oracles/worlds/models/menagerie/"
static const char *const robots[] = {
    MENAGERIE "unitree_go2/go2.xml",
    MENAGERIE "unitree_g1/g1.xml",                        /* four balls a foot */
    "models/mujoco_warp/unitree_g1/unitree_g1_mjlab.xml", /* capsules under each foot */
    MENAGERIE "anybotics_anymal_c/anymal_c.xml",
    MENAGERIE "boston_dynamics_spot/spot.xml",
    MENAGERIE "agility_cassie/cassie.xml",
    MENAGERIE "robotis_op3/op3.xml",
    MENAGERIE "pndbotics_adam_lite/adam_lite.xml",
    "oracles/worlds/models/gymnasium/ant.xml",
    "oracles/worlds/models/gymnasium/hopper.xml",
    "oracles/worlds/models/gymnasium/walker2d.xml",
    "models/mujoco_humanoid/humanoid.xml",
    "models/newton/nv_humanoid.xml",
    "models/h1/h1.xml",
    "models/h1/h1.urdf",
    "models/a1/a1.urdf",
    "models/anymal_b/anymal.urdf",
    "models/anymal_c/anymal.urdf",
    "models/laikago/laikago.urdf",
    "models/hyq/hyq_no_sensors.urdf",
    "models/quadruped/quadruped.urdf",
    "models/raisim_rsc/anymal.urdf",
    "models/dojo/quadruped.urdf",
    "models/newton/quadruped.urdf",
    "models/simbenchmark/anymal_pd.urdf",
};
enum { ROBOTS = sizeof robots / sizeof *robots, ENVS = 5 };
static const char *const grounds[3] = {"0", "0.371", "-1.25"}; /* free bodies begin as high above each */

static const char *shared(const char *file) {
    static char path[1000];
    const char *source = getenv("MYRIAPOD_SOURCE");
    snprintf(path, sizeof path, "%s/../shared/%s", source ? source : ".", file);
    return path;
}

/* Whether the geom is of the hand. */
static int of_hand(const myr_model *model, int geom) {
    myr_geom_info info;
    myr_joint_info joint;
    if (geom < 0) return 0;
    MUST(myr_model_get_geom(model, geom, &info));
    if (info.body < 0) return 0;
    MUST(myr_model_get_joint(model, info.body, &joint));
    return !strncmp(joint.name, "hand/", 5);
}

/* Falls limp until a step in which the ground is touched, and where there is a hand something by it; q and v are those before the step.
 * Returns whether it came down. */
static int fall(const myr_model *model, int hand, const char *ground, double *q, double *v) {
    enum { MOST_STEPS = 1000 };
    const myr_settings settings = scene_settings("task", "none", "precision", "f64", "dt", "0.002", "ground", ground, "threads", "1", NULL);
    myr_batch *batch;
    myr_model_info info;
    int down = 0;
    enum { GROUND = 1, HAND = 2 };
    const int all = hand ? GROUND | HAND : GROUND;
    myr_model_get_info(model, &info);
    double *impulse = calloc(3 * (size_t)info.n_slots + 1, sizeof *impulse);
    assert_non_null(impulse);
    MUST(myr_batch_create(model, 1, &settings, &batch));
    for (int step = 0; step < MOST_STEPS && down != all; step++) {
        down = 0;
        MUST(myr_batch_get(batch, MYR_Q, NULL, 1, MYR_F64, q));
        MUST(myr_batch_get(batch, MYR_V, NULL, 1, MYR_F64, v));
        MUST(myr_batch_step(batch, 1));
        MUST(myr_batch_get(batch, MYR_IMPULSE, NULL, 1, MYR_F64, impulse));
        for (int s = 0; s < info.n_slots; s++) {
            myr_slot_info slot;
            MUST(myr_model_get_slot(model, s, &slot));
            if (impulse[3 * s + 2] > 0)
                down |= slot.other < 0 ? GROUND : hand && (of_hand(model, slot.geom) || of_hand(model, slot.other)) ? HAND : 0;
        }
    }
    myr_batch_free(batch);
    free(impulse);
    return down == all;
}

/* Every solver, in both precisions, by turns on every instruction set, at every height of the ground: there the model of its number. */
static void compare(const char *name, myr_model *const models[3], int hand, int steps, int turn) {
    myr_model_info info;
    myr_model_get_info(models[0], &info);
    double *q[3], *v[3];
    int touched = 0, all = 0;
    for (int g = 0; g < 3; g++) {
        q[g] = calloc((size_t)info.nq + 1, sizeof **q), v[g] = calloc((size_t)info.nv + 1, sizeof **v);
        assert_true(q[g] && v[g]);
        if (!fall(models[g], hand, grounds[g], q[g], v[g])) fail_msg("%s does not come down to the ground at %s", name, grounds[g]);
    }
    for (int k = 0; myr_solver_name(k); k += SCENE_SOLVER_STRIDE) {
        const char *solver = myr_solver_name(k);
        if (!strcmp(solver, "maximal-tree")) continue;
        for (int precision = 0; precision < 2; precision++, turn++) {
            char what[300];
            const char *isa = isa_at(turn % isa_count()), *number = precision ? "f64" : "f32";
            const int ground = (turn + turn / 3) % 3;
            const myr_settings settings = scene_settings("task", "none", "isa", isa, "solver", solver, "precision", number, "dt", "0.002",
                                                         "ground", grounds[ground], "threads", "1", NULL);
            const flat_case c = {.level = 91 * ground,
                                 .floats = ground == 1,
                                 .columns = turn % 4 == 3,
                                 .envs = ENVS,
                                 .steps = steps,
                                 .cell = 0.25,
                                 .speed = 0.1,
                                 .q = q[ground],
                                 .v = v[ground]};
            snprintf(what, sizeof what, "%s, solver %s, %s, %s, ground %s", name, solver, isa, number, grounds[ground]);
            touched += same_on_flat_map(what, models[ground], &settings, &c), all += ENVS;
        }
    }
    /* a solver that has no answer may lose an environment, on the plane as on the map */
    if (4 * touched < 3 * all) fail_msg("%s: only %d of %d touch the ground", name, touched, all);
    for (int g = 0; g < 3; g++) free(q[g]), free(v[g]);
}

static void robots_that_are_brought(void **state) {
    (void)state;
    myr_load_options options = myr_load_options_default();
    options.meshes = MYR_MESHES_SKIP; /* they are not there */
    for (int r = 0; r < ROBOTS; r++) {
        myr_model *model;
        MUST(myr_model_open(shared(robots[r]), &options, &model));
        compare(robots[r], (myr_model *[3]){model, model, model}, 0, 12, 5 * r);
        myr_model_free(model);
    }
}

/* A hand on a table, a cube and a can that fall on it, and a brick and a ball that fall beside the table. */
static myr_model *table_scene(const myr_model *hand, int allegro, double ground) {
    char text[1500];
    snprintf(text, sizeof text,
             "<mujoco><worldbody><geom name='floor' type='plane' size='1 1 1'/>"
             "<geom name='table' type='box' size='.3 .3 .05' pos='0 0 %.9g'/>"
             "<body name='cube' pos='.03 0 .43'><freejoint/><geom type='box' size='.03 .03 .03' mass='.1'/></body>"
             "<body name='can' pos='-.1 .01 .43'><freejoint/><geom type='cylinder' size='.03 .035' mass='.2'/></body>"
             "<body name='brick' pos='.5 0 .2'><freejoint/><geom type='box' size='.05 .03 .03' mass='.3'/></body>"
             "<body name='ball' pos='-.5 0 .2'><freejoint/><geom type='sphere' size='.04' mass='.2'/></body></worldbody></mujoco>",
             ground + 0.25);
    myr_model *scene, *both;
    myr_builder *builder;
    myr_placement placement = myr_placement_default();
    MUST(myr_model_load_text(text, strlen(text), "table.xml", MYR_ROOT_AUTO, &scene));
    MUST(myr_builder_create("table", &builder));
    MUST(myr_builder_add_model(builder, scene, &placement));
    placement.prefix = "hand/";
    if (allegro) { /* its fingers point up as it comes: on its back */
        placement.position_m[2] = ground + 0.335, placement.quaternion[2] = -1;
    } else { /* the fingers point along x: their tips on the table */
        placement.position_m[0] = -0.17, placement.position_m[2] = ground + 0.41;
    }
    MUST(myr_builder_add_model(builder, hand, &placement));
    MUST(myr_builder_compile(builder, &both));
    myr_model_free(scene);
    myr_builder_free(builder);
    return both;
}

static void a_hand_on_a_table(void **state) {
    (void)state;
    char path[1000];
    const char *folder = getenv("MYRIAPOD_EXAMPLE_ROBOTS");
    snprintf(path, sizeof path, "%s/allegro_hand_description/urdf/allegro_right_hand.urdf", folder ? folder : "");
    const int allegro = folder && access(path, R_OK) == 0;
    if (!allegro) print_message("no %s: another hand takes its place\n", folder ? path : "$MYRIAPOD_EXAMPLE_ROBOTS");
    myr_load_options options = myr_load_options_default();
    options.root = MYR_ROOT_FIXED, options.self_collision = MYR_SELF_AUTO;
    if (!allegro) options.meshes = MYR_MESHES_SKIP;
    myr_model *hand, *scenes[3];
    MUST(myr_model_open(allegro ? path : shared(MENAGERIE "tetheria_aero_hand_open/right_hand.xml"), &options, &hand));
    for (int g = 0; g < 3; g++) scenes[g] = table_scene(hand, allegro, atof(grounds[g]));
    compare(allegro ? "an Allegro hand on a table" : "a hand on a table", scenes, 1, 8, 0);
    for (int g = 0; g < 3; g++) myr_model_free(scenes[g]);
    myr_model_free(hand);
}

int main(void) {
    if (access(shared(robots[0]), R_OK) != 0) {
        printf("skipped: there is no %s\n", shared(robots[0]));
        return 77;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(robots_that_are_brought), cmocka_unit_test(a_hand_on_a_table)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* A flat map is a plane, bit for bit: positions, velocities, the impulse of every slot, residuals and how the solve ended, with every
 * solver, in both precisions, at ground heights other than 0, of robots on balls, capsules, boxes, cylinders and hulls.
 * ctest: heavy */
#include <stdio.h>
#include <stdlib.h>

#include "support/flat_map.h"
#include "support/isas.h"

enum { ENVS = 19 };

static myr_model *load(const char *name) {
    char path[500];
    const char *source = getenv("MYRIAPOD_SOURCE");
    snprintf(path, sizeof path, "%s/%s", source ? source : ".", name);
    myr_model *model;
    MUST(myr_model_open(path, NULL, &model));
    return model;
}

static const char *const robots[] = {"robots/anymal.urdf", "robots/solo12.urdf", "robots/biped.urdf",
                                     "robots/hopper.urdf", "robots/cube.urdf",   "robots/sphere.urdf"};
enum { ROBOTS = sizeof robots / sizeof *robots };

static void touches(const char *what, int n) {
    if (2 * n < ENVS) fail_msg("%s: only %d of %d touch the ground", what, n, ENVS);
}

static void every_robot(void **state) {
    (void)state;
    for (int r = 0; r < ROBOTS; r++) {
        myr_model *model = load(robots[r]);
        for (int i = 0; i < isa_count(); i++)
            for (int precision = 0; precision < 2; precision++)
                for (int level = 0; level < 3; level++) {
                    char what[200];
                    const char *grounds[3] = {"0", "0.371", "-1.25"};
                    const myr_settings settings = scene_settings("isa", isa_at(i), "precision", precision ? "f64" : "f32", "ground",
                                                                 grounds[level], "threads", "1", NULL);
                    const flat_case c = {.level = 137 * level,
                                         .floats = level == 1,
                                         .columns = level == 2,
                                         .envs = ENVS,
                                         .steps = 120,
                                         .cell = level == 1 ? 0.06 : 0.25,
                                         .speed = 0.5};
                    snprintf(what, sizeof what, "%s, %s, %s, ground %s", robots[r], isa_at(i), precision ? "f64" : "f32", grounds[level]);
                    touches(what, same_on_flat_map(what, model, &settings, &c));
                }
        myr_model_free(model);
    }
}

static void every_solver(void **state) {
    (void)state;
    for (int r = 0; r < 5; r += 4) {
        myr_model *model = load(robots[r]);
        for (int k = 0; myr_solver_name(k); k += SCENE_SOLVER_STRIDE)
            for (int precision = 0; precision < 2; precision++) {
                char what[200];
                const char *solver = myr_solver_name(k);
                if (!strcmp(solver, "maximal-tree")) continue;
                const myr_settings settings =
                    scene_settings("solver", solver, "precision", precision ? "f64" : "f32", "threads", "1", NULL);
                const flat_case c = {.level = 55, .envs = ENVS, .steps = 100, .cell = 0.1, .speed = 0.5};
                snprintf(what, sizeof what, "%s, solver %s, %s", robots[r], solver, precision ? "f64" : "f32");
                touches(what, same_on_flat_map(what, model, &settings, &c));
            }
        myr_model_free(model);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_robot), cmocka_unit_test(every_solver)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

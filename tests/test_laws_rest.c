/* ctest: heavy law
 * What lies on something stays there: each shape on a face of a box, a cylinder and a hull; a ball on three balls; and what is round
 * between two rails, along which it lies. So all fifteen pairs are there. The same contacts in each step, no drift, and an energy that does
 * not rise.
 *
 *   MYRIAPOD_REST_TABLE=1 MYRIAPOD_REST_STEPS=100000 MYRIAPOD_REST_GAP=0.001 test_laws_rest
 *
 * prints the figures of 100 s and judges none: in float what is solved to 1e-6 m/s may go 1e-4 m. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "batch_scene.h"

#define TOP 1.0
enum { MOST_SLOTS = 64, STEPS = 2000 };

typedef struct lying {
    const char *name;
    myr_geom_type type;
    double size[3], height, tipped; /* of its centre above what it lies on; turned about y */
    int contacts;                   /* that carry it */
} lying;

static const double wedge[6][3] = {{-0.1, -0.06, 0}, {0.1, -0.06, 0}, {0.1, 0.06, 0}, {-0.1, 0.06, 0}, {-0.06, 0, 0.08}, {0.06, 0, 0.08}};

static const lying things[] = {{"sphere", MYR_GEOM_SPHERE, {0.1}, 0.1, 0, 1},
                               {"capsule", MYR_GEOM_CAPSULE, {0.05, 0.1}, 0.05, M_PI / 2, 2},
                               {"box", MYR_GEOM_BOX, {0.1, 0.08, 0.06}, 0.06, 0, 4},
                               {"cylinder, upright", MYR_GEOM_CYLINDER, {0.08, 0.06}, 0.06, 0, 4},
                               {"cylinder, lying", MYR_GEOM_CYLINDER, {0.06, 0.1}, 0.06, M_PI / 2, 2},
                               {"hull", MYR_GEOM_HULL, {0}, 0, 0, 4}};

/* Between two rails along x, or on three balls. */
typedef struct cradle {
    const char *name;
    myr_geom_type thing, part;
    int parts, contacts;
} cradle;
#define THICK 0.05   /* radius of each part, and of the thing */
#define ASIDE 0.07   /* of a rail from the middle */
#define AROUND 0.075 /* of a ball from the middle */

static const cradle cradles[] = {{"sphere on three spheres", MYR_GEOM_SPHERE, MYR_GEOM_SPHERE, 3, 3},
                                 {"sphere between capsules", MYR_GEOM_SPHERE, MYR_GEOM_CAPSULE, 2, 2},
                                 {"sphere between cylinders", MYR_GEOM_SPHERE, MYR_GEOM_CYLINDER, 2, 2},
                                 {"capsule between capsules", MYR_GEOM_CAPSULE, MYR_GEOM_CAPSULE, 2, 4},
                                 {"capsule between cylinders", MYR_GEOM_CAPSULE, MYR_GEOM_CYLINDER, 2, 4},
                                 {"cylinder between cylinders", MYR_GEOM_CYLINDER, MYR_GEOM_CYLINDER, 2, 4}};

static myr_model *cradle_scene(const cradle *c) {
    myr_builder *builder = NULL;
    myr_model *model = NULL;
    MUST(myr_builder_create("cradle", &builder));
    for (int k = 0; k <= c->parts; k++) {
        myr_body_def body = myr_body_def_default();
        myr_geom_def geom = myr_geom_def_default();
        char name[16];
        snprintf(name, sizeof name, k < c->parts ? "part%d" : "thing", k);
        body.name = name, body.joint = k < c->parts ? MYR_JOINT_FIXED : MYR_JOINT_FREE, body.mass_kg = k < c->parts ? 0 : 1;
        for (int i = 0; i < 3; i++) body.inertia_kgm2[i] = k < c->parts ? 0 : 0.004;
        body.position_m[2] = k < c->parts ? TOP : 0;
        if (k < c->parts && c->parts == 2) body.position_m[1] = k ? ASIDE : -ASIDE;
        if (k < c->parts && c->parts == 3)
            body.position_m[0] = AROUND * cos(2 * M_PI * k / 3), body.position_m[1] = AROUND * sin(2 * M_PI * k / 3);
        MUST(myr_builder_body(builder, &body, &geom.body));
        geom.type = k < c->parts ? c->part : c->thing;
        geom.size_m[0] = THICK, geom.size_m[1] = k < c->parts ? 0.4 : 0.1;
        if (geom.type != MYR_GEOM_SPHERE) geom.quaternion[0] = geom.quaternion[2] = M_SQRT1_2; /* along x */
        MUST(myr_builder_geom(builder, &geom, NULL));
    }
    MUST(myr_builder_compile(builder, &model));
    myr_builder_free(builder);
    return model;
}

/* A table of the world whose top is at TOP, and the thing on it, off its middle, turned, and just overlapping. */
static myr_model *scene(const lying *thing, myr_geom_type table) {
    myr_builder *builder = NULL;
    myr_model *model = NULL;
    double plate[16][3];
    MUST(myr_builder_create("rest", &builder));
    for (int i = 0; i < 16; i++)
        plate[i][0] = 0.3 * cos(i % 8 * M_PI / 4), plate[i][1] = 0.3 * sin(i % 8 * M_PI / 4), plate[i][2] = i < 8 ? -0.1 : 0.1;
    for (int k = 0; k < 2; k++) {
        myr_body_def body = myr_body_def_default();
        myr_geom_def geom = myr_geom_def_default();
        body.name = k ? "thing" : "table", body.joint = k ? MYR_JOINT_FREE : MYR_JOINT_FIXED;
        if (!k) body.position_m[2] = TOP - 0.1;
        body.mass_kg = k ? 1 : 0;
        for (int i = 0; i < 3; i++) body.inertia_kgm2[i] = k ? 0.004 : 0;
        if (k && thing->type == MYR_GEOM_HULL) body.com_m[2] = 0.03;
        MUST(myr_builder_body(builder, &body, &geom.body));
        geom.type = k ? thing->type : table;
        if (k)
            memcpy(geom.size_m, thing->size, sizeof geom.size_m), geom.points_m = wedge[0], geom.n_points = 6;
        else if (table == MYR_GEOM_HULL)
            geom.points_m = plate[0], geom.n_points = 16;
        else
            for (int i = 0; i < 3; i++) geom.size_m[i] = i == (table == MYR_GEOM_BOX ? 2 : 1) ? 0.1 : 0.3;
        MUST(myr_builder_geom(builder, &geom, NULL));
    }
    MUST(myr_builder_compile(builder, &model));
    myr_builder_free(builder);
    return model;
}

/* It begins at q, just overlapping, and is held by so many contacts. */
static void stay(myr_model *model, const double start[7], int contacts, const char *where, const char *precision) {
    const char *asked = getenv("MYRIAPOD_REST_STEPS");
    const char *gap = getenv("MYRIAPOD_REST_GAP");
    const int steps = asked ? atoi(asked) : STEPS, judges = !getenv("MYRIAPOD_REST_TABLE");
    int changes = 0;
    const myr_settings settings = scene_settings("precision", precision, "task", "none", "threads", "1", "max-sweeps", "2000", "tolerance",
                                                 precision[1] == '6' ? "1e-11" : "1e-6", "gap", gap ? gap : "0", NULL);
    double q[7], home[7], v[6], before = 0, highest = 0, deepest = 0;
    uint64_t first = 0;
    myr_batch *batch = NULL;
    myr_model_info info;
    myr_model_get_info(model, &info);
    assert_true(info.n_slots <= MOST_SLOTS);
    memcpy(q, start, sizeof q);
    MUST(myr_batch_create(model, 1, &settings, MYR_SENSE_CONTACTS_BIT, &batch));
    MUST(myr_batch_set(batch, MYR_Q, NULL, 1, MYR_F64, q));
    memcpy(home, q, sizeof home);
    for (int step = 0; step < steps; step++) {
        double normal[MOST_SLOTS][3], depth[MOST_SLOTS], energy = 0;
        uint64_t active = 0;
        MUST(myr_batch_step(batch, 1));
        MUST(myr_batch_get(batch, MYR_CONTACT_NORMAL, NULL, 1, MYR_F64, normal));
        MUST(myr_batch_get(batch, MYR_CONTACT_DEPTH, NULL, 1, MYR_F64, depth));
        MUST(myr_batch_get(batch, MYR_Q, NULL, 1, MYR_F64, q));
        MUST(myr_batch_get(batch, MYR_V, NULL, 1, MYR_F64, v));
        for (int k = 0; k < info.n_slots; k++) active |= (uint64_t)(normal[k][2] != 0) << k, deepest = fmax(deepest, depth[k]);
        if (!step) first = active;
        changes += active != first;
        if (judges && (active != first || __builtin_popcountll(active) != contacts))
            fail_msg("%s: contacts 0x%llx in step %d, first 0x%llx; %d carry it", where, (unsigned long long)active, step,
                     (unsigned long long)first, contacts);
        for (int k = 0; k < 3; k++) energy += 0.5 * (v[k] * v[k] + 0.004 * v[3 + k] * v[3 + k]);
        energy += 9.81 * (q[2] - home[2]);
        if (step) highest = fmax(highest, energy - before);
        before = energy;
    }
    double drift = 0;
    for (int k = 0; k < 7; k++) drift = fmax(drift, fabs(q[k] - home[k]));
    if (!judges)
        printf("%s, %s: drift %.2g m, energy rises by %.2g J, depth %.2g m, other contacts in %d steps\n", where, precision, drift, highest,
               deepest, changes);
    if (judges && !(drift <= (precision[1] == '6' ? 1e-9 : 1e-5))) fail_msg("%s, %s: it has gone by %g", where, precision, drift);
    if (judges && !(highest <= (precision[1] == '6' ? 1e-9 : 1e-5)))
        fail_msg("%s, %s: its energy rises by %g in a step", where, precision, highest);
    myr_batch_free(batch);
    myr_model_free(model);
}

static void rest(const lying *thing, myr_geom_type table, const char *precision) {
    static const char *const tables[] = {"sphere", "box", "capsule", "cylinder", "hull"};
    const double yaw = 0.3, c = cos(yaw / 2), s = sin(yaw / 2), ct = cos(thing->tipped / 2), st = sin(thing->tipped / 2);
    const double q[7] = {0.04, 0.02, TOP + thing->height - 2e-5, c * ct, -s * st, c * st, s * ct};
    char where[128];
    snprintf(where, sizeof where, "%s on a %s", thing->name, tables[table]);
    stay(scene(thing, table), q, thing->contacts, where, precision);
}

static void what_is_cradled_stays(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof cradles / sizeof *cradles; i++)
        for (int p = 0; p < 2; p++) {
            const cradle *c = &cradles[i];
            const double aside = c->parts == 2 ? ASIDE : AROUND, above = sqrt(4 * THICK * THICK - aside * aside);
            const double q[7] = {c->parts == 2 ? 0.04 : 0, 0, TOP + above - 2e-5, 1};
            stay(cradle_scene(c), q, c->contacts, c->name, p ? "f32" : "f64");
        }
}

static void things_stay(void **state) {
    static const myr_geom_type tables[] = {MYR_GEOM_BOX, MYR_GEOM_CYLINDER, MYR_GEOM_HULL};
    (void)state;
    for (size_t i = 0; i < sizeof things / sizeof *things; i++)
        for (int t = 0; t < 3; t++)
            for (int p = 0; p < 2; p++) rest(&things[i], tables[t], p ? "f32" : "f64");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(things_stay), cmocka_unit_test(what_is_cradled_stays)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

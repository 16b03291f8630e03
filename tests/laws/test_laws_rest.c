/* ctest: heavy law
 * What lies on something stays there: each shape on a face of a box, a cylinder and a hull; a ball on three balls; and what is round
 * between two rails, along which it lies. So all fifteen pairs are there. The same contacts in each step, no drift, and an energy that does
 * not rise. It begins less deep than what comes out by itself (setting landing); and deeper, then it comes out within ten steps, and stays.
 *
 *   MYRIAPOD_REST_TABLE=1 MYRIAPOD_REST_STEPS=100000 MYRIAPOD_REST_GAP=0.001 test_laws_rest
 *
 * prints the figures of 100 s and judges none: in float what is solved to 1e-6 m/s may go 1e-4 m. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/batch_scene.h"

#define TOP 1.0
enum { MOST_SLOTS = 64, STEPS = 2000, SETTLES = 10 };
#define SUNK 2e-5 /* so deep that it comes out [m] */

static double sunk(const char *precision, int comes_out) { return comes_out ? SUNK : precision[1] == '6' ? 5e-8 : 5e-6; }

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

/* ---- on three edges ------------------------------------------------------------------------------------------------ */

/* Three supports around the vertical, each with a point P and the normal n there that leans inwards. An upright cylinder's lower rim goes
 * through these points, or three edges of a cube that stands on a corner do. */
typedef enum posture {
    PLATE, /* its face looks along n */
    SPOKE, /* up and outwards */
    RAIL   /* level, around the vertical */
} posture;

typedef struct perch {
    const char *name;
    myr_geom_type thing; /* a hull: the same cube */
    myr_geom_type support;
    posture how;
    int contacts;
} perch;
#define RIM 0.08   /* radius of the cylinder, half an edge of the cube */
#define SLIM 0.02  /* of the supports */
#define REACH 0.15 /* and how far they go from P */

static const perch perches[] = {{"rim on boxes' faces", MYR_GEOM_CYLINDER, MYR_GEOM_BOX, PLATE, 3},
                                {"rim on cylinders' caps", MYR_GEOM_CYLINDER, MYR_GEOM_CYLINDER, PLATE, 3},
                                {"rim on hulls' faces", MYR_GEOM_CYLINDER, MYR_GEOM_HULL, PLATE, 3},
                                {"rim on boxes' edges", MYR_GEOM_CYLINDER, MYR_GEOM_BOX, SPOKE, 3},
                                {"rim on hulls' edges", MYR_GEOM_CYLINDER, MYR_GEOM_HULL, SPOKE, 3},
                                {"rim on capsules", MYR_GEOM_CYLINDER, MYR_GEOM_CAPSULE, SPOKE, 3},
                                {"rim on cylinders' sides", MYR_GEOM_CYLINDER, MYR_GEOM_CYLINDER, SPOKE, 3},
                                {"box's edges on boxes' edges", MYR_GEOM_BOX, MYR_GEOM_BOX, RAIL, 3},
                                {"box's edges on hulls' edges", MYR_GEOM_BOX, MYR_GEOM_HULL, RAIL, 3},
                                {"hull's edges on hulls' edges", MYR_GEOM_HULL, MYR_GEOM_HULL, RAIL, 3},
                                {"box's edges on capsules", MYR_GEOM_BOX, MYR_GEOM_CAPSULE, RAIL, 3},
                                {"box's edges on cylinders' sides", MYR_GEOM_BOX, MYR_GEOM_CYLINDER, RAIL, 3},
                                {"hull's edges on capsules", MYR_GEOM_HULL, MYR_GEOM_CAPSULE, RAIL, 3},
                                {"hull's edges on cylinders' sides", MYR_GEOM_HULL, MYR_GEOM_CYLINDER, RAIL, 3},
                                {"box's edges along boxes' faces", MYR_GEOM_BOX, MYR_GEOM_BOX, PLATE, 6},
                                {"box's edges along cylinders' caps", MYR_GEOM_BOX, MYR_GEOM_CYLINDER, PLATE, 6},
                                {"box's edges along hulls' faces", MYR_GEOM_BOX, MYR_GEOM_HULL, PLATE, 6},
                                {"hull's edges along hulls' faces", MYR_GEOM_HULL, MYR_GEOM_HULL, PLATE, 6}};

/* w x y z of the rotation whose columns are x, y, z. */
static void quaternion_of(const double x[3], const double y[3], const double z[3], double q[4]) {
    const double trace = x[0] + y[1] + z[2];
    const double w = 0.5 * sqrt(fmax(0, 1 + trace)), i = 0.5 * sqrt(fmax(0, 1 + x[0] - y[1] - z[2])),
                 j = 0.5 * sqrt(fmax(0, 1 - x[0] + y[1] - z[2])), k = 0.5 * sqrt(fmax(0, 1 - x[0] - y[1] + z[2]));
    q[0] = w, q[1] = copysign(i, y[2] - z[1]), q[2] = copysign(j, z[0] - x[2]), q[3] = copysign(k, x[1] - y[0]);
}

static void cube_points(const double half[3], double out[8][3]) {
    for (int i = 0; i < 8; i++)
        for (int k = 0; k < 3; k++) out[i][k] = i >> k & 1 ? half[k] : -half[k];
}

/* Geom axes z along n, or z along the support and x and y 45 degrees from n: an edge, or a side, looks along n. */
static void add_support(myr_builder *builder, const perch *p, int body, const double P[3], const double n[3], const double along[3]) {
    myr_geom_def geom = myr_geom_def_default();
    double across[3], x[3], y[3], points[8][3];
    const int plate = p->how == PLATE, has_edges = p->support == MYR_GEOM_BOX || p->support == MYR_GEOM_HULL;
    const double deep = plate || !has_edges ? SLIM : SLIM * M_SQRT2,
                 half[3] = {plate ? REACH : SLIM, plate ? REACH : SLIM, plate ? SLIM : REACH};
    for (int k = 0; k < 3; k++) across[k] = n[(k + 1) % 3] * along[(k + 2) % 3] - n[(k + 2) % 3] * along[(k + 1) % 3];
    for (int k = 0; k < 3; k++) { /* n, along, across and its permutations are right-handed */
        x[k] = plate ? along[k] : M_SQRT1_2 * (n[k] + across[k]), y[k] = plate ? across[k] : M_SQRT1_2 * (across[k] - n[k]);
        geom.position_m[k] = P[k] - deep * n[k];
    }
    /* x cross y: (along, across) -> n; ((n + across), (across - n)) / 2 -> n cross across = -along */
    const double back[3] = {-along[0], -along[1], -along[2]};
    quaternion_of(x, y, plate ? n : back, geom.quaternion);
    geom.body = body, geom.type = p->support;
    if (p->support == MYR_GEOM_BOX) memcpy(geom.size_m, half, sizeof half);
    if (p->support == MYR_GEOM_CYLINDER || p->support == MYR_GEOM_CAPSULE) geom.size_m[0] = half[0], geom.size_m[1] = half[2];
    if (p->support == MYR_GEOM_HULL) cube_points(half, points), geom.points_m = points[0], geom.n_points = 8;
    MUST(myr_builder_geom(builder, &geom, NULL));
}

/* Also the thing's state at the start. */
static myr_model *perch_scene(const perch *p, double deep, double q[7]) {
    const int cube = p->thing != MYR_GEOM_CYLINDER;
    const double out = cube ? sqrt(2.0 / 3) : M_SQRT1_2, up = cube ? sqrt(1.0 / 3) : M_SQRT1_2; /* of an edge, or of a spoke */
    const double half[3] = {RIM, RIM, RIM}, home[7] = {0, 0, TOP, 1};
    double points[8][3], axes[3][3]; /* where the cube's own axes point */
    myr_builder *builder = NULL;
    myr_model *model = NULL;
    memcpy(q, home, sizeof home);
    q[2] += (cube ? (sqrt(3) - up) * RIM : RIM) - deep;
    MUST(myr_builder_create("perch", &builder));
    myr_geom_def geom = myr_geom_def_default();
    myr_body_def body = myr_body_def_default();
    body.name = "supports", body.joint = MYR_JOINT_FIXED;
    MUST(myr_builder_body(builder, &body, &geom.body));
    for (int k = 0; k < 3; k++) {
        const double c = cos(2 * M_PI * k / 3), s = sin(2 * M_PI * k / 3), radius = cube ? out * RIM : RIM;
        const double P[3] = {radius * c, radius * s, TOP}, n[3] = {-up * c, -up * s, out}, around[3] = {-s, c, 0},
                     spoke[3] = {out * c, out * s, up};
        memcpy(axes[k], spoke, sizeof spoke);
        add_support(builder, p, geom.body, P, n, p->how == SPOKE ? spoke : around);
    }
    if (cube) quaternion_of(axes[0], axes[1], axes[2], q + 3);
    body.name = "thing", body.joint = MYR_JOINT_FREE, body.mass_kg = 1;
    for (int i = 0; i < 3; i++) body.inertia_kgm2[i] = 0.004;
    MUST(myr_builder_body(builder, &body, &geom.body));
    geom.type = p->thing;
    memcpy(geom.size_m, half, sizeof half);
    if (p->thing == MYR_GEOM_HULL) cube_points(half, points), geom.points_m = points[0], geom.n_points = 8;
    MUST(myr_builder_geom(builder, &geom, NULL));
    MUST(myr_builder_compile(builder, &model));
    myr_builder_free(builder);
    return model;
}

/* ---- rest ---------------------------------------------------------------------------------------------------------- */

static double deepest_of(const double *depth, int slots) {
    double most = 0;
    for (int k = 0; k < slots; k++) most = fmax(most, depth[k]);
    return most;
}

/* It begins at q, just overlapping, and is held by so many contacts. */
static void stay(myr_model *model, const double start[7], int contacts, const char *where, const char *precision, int comes_out) {
    const char *asked = getenv("MYRIAPOD_REST_STEPS");
    const char *gap = getenv("MYRIAPOD_REST_GAP");
    const int steps = asked ? atoi(asked) : STEPS, judges = !getenv("MYRIAPOD_REST_TABLE"), exact = precision[1] == '6';
    int changes = 0;
    myr_settings settings = scene_settings("precision", precision, "task", "none", "threads", "1", "max-sweeps", "2000", "tolerance",
                                           precision[1] == '6' ? "1e-11" : "1e-6", "gap", gap ? gap : "0", NULL);
    double q[7], home[7], v[6], before = 0, highest = 0, deepest = 0;
    uint64_t first = 0;
    myr_batch *batch = NULL;
    myr_model_info info;
    myr_model_get_info(model, &info);
    assert_true(info.n_slots <= MOST_SLOTS);
    memcpy(q, start, sizeof q);
    settings.sense_contacts = 1;
    MUST(myr_batch_create(model, 1, &settings, &batch));
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
        if (comes_out && step <= SETTLES) memcpy(home, q, sizeof home);
        if (judges && comes_out && step >= SETTLES && !(deepest_of(depth, info.n_slots) <= (exact ? 1e-7 : 1e-5)))
            fail_msg("%s, %s: %g m deep in step %d", where, precision, deepest_of(depth, info.n_slots), step);
        if (judges && !comes_out && (active != first || __builtin_popcountll(active) != contacts))
            fail_msg("%s: contacts 0x%llx in step %d, first 0x%llx; %d carry it", where, (unsigned long long)active, step,
                     (unsigned long long)first, contacts);
        for (int k = 0; k < 3; k++) energy += 0.5 * (v[k] * v[k] + 0.004 * v[3 + k] * v[3 + k]);
        energy += 9.81 * (q[2] - home[2]);
        if (step > (comes_out ? SETTLES : 0)) highest = fmax(highest, energy - before);
        before = energy;
    }
    double drift = 0;
    for (int k = 0; k < 7; k++) drift = fmax(drift, fabs(q[k] - home[k]));
    if (!judges)
        printf("%s, %s: drift %.2g m, energy rises by %.2g J, depth %.2g m, other contacts in %d steps\n", where, precision, drift, highest,
               deepest, changes);
    if (judges && !(drift <= (comes_out && exact ? 1e-6 : exact ? 1e-9 : 1e-5)))
        fail_msg("%s, %s: it has gone by %g", where, precision, drift);
    if (judges && !(highest <= (exact ? 1e-9 : 1e-5))) fail_msg("%s, %s: its energy rises by %g in a step", where, precision, highest);
    myr_batch_free(batch);
    myr_model_free(model);
}

static void rest(const lying *thing, myr_geom_type table, const char *precision, int comes_out) {
    static const char *const tables[] = {"sphere", "box", "capsule", "cylinder", "hull"};
    const double yaw = 0.3, c = cos(yaw / 2), s = sin(yaw / 2), ct = cos(thing->tipped / 2), st = sin(thing->tipped / 2);
    const double q[7] = {0.04, 0.02, TOP + thing->height - sunk(precision, comes_out), c * ct, -s * st, c * st, s * ct};
    char where[128];
    snprintf(where, sizeof where, "%s on a %s", thing->name, tables[table]);
    stay(scene(thing, table), q, thing->contacts, where, precision, comes_out);
}

static void what_is_cradled_stays(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof cradles / sizeof *cradles; i++)
        for (int p = 0; p < 4; p++) {
            const char *precision = p % 2 ? "f32" : "f64";
            const cradle *c = &cradles[i];
            const double aside = c->parts == 2 ? ASIDE : AROUND, above = sqrt(4 * THICK * THICK - aside * aside);
            const double q[7] = {c->parts == 2 ? 0.04 : 0, 0, TOP + above - sunk(precision, p / 2), 1};
            stay(cradle_scene(c), q, c->contacts, c->name, precision, p / 2);
        }
}

static void things_stay(void **state) {
    static const myr_geom_type tables[] = {MYR_GEOM_BOX, MYR_GEOM_CYLINDER, MYR_GEOM_HULL};
    (void)state;
    for (size_t i = 0; i < sizeof things / sizeof *things; i++)
        for (int t = 0; t < 3; t++)
            for (int p = 0; p < 4; p++) rest(&things[i], tables[t], p % 2 ? "f32" : "f64", p / 2);
}

static void what_is_perched_stays(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof perches / sizeof *perches; i++)
        for (int p = 0; p < 4; p++) {
            double q[7];
            const char *precision = p % 2 ? "f32" : "f64";
            myr_model *model = perch_scene(&perches[i], sunk(precision, p / 2), q);
            stay(model, q, perches[i].contacts, perches[i].name, precision, p / 2);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(things_stay), cmocka_unit_test(what_is_cradled_stays),
                                       cmocka_unit_test(what_is_perched_stays)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

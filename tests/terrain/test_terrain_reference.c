/* may skip: truth that none of the project's code computed lies in ../shared/oracles, which is not part of this tree
 * The scalar reference of ground maps: closed forms; 150 places and 150 spheres of worlds/terrain.json; 360 spheres on fields and 240 on
 * columns of worlds2/terrain2.json, 57 of them with a second contact; 172 capsules of both. */
#include <jansson.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "support/random_model.h"
#include "reference/terrain_solids.h"

enum { SIDE = 21 };
#define TOLERANCE 1e-12 /* of the pages that say how the oracles were made: they agree with their own check to 1e-16 */

static const double up[3] = {0, 0, 1};

/* cmocka's own compares floats. */
static void near(double is, double should, double tolerance) {
    if (fabs(is - should) <= tolerance) return;
    print_error("%.17g, should be %.17g to %g\n", is, should, tolerance);
    fail();
}

/* ---- closed forms -------------------------------------------------------------------------------- */

static ref_terrain leaning(double *height, double a, double b) {
    const ref_terrain t = {.nx = SIDE, .ny = SIDE, .cell = 0.1, .x0 = -1, .y0 = -1, .height = height};
    for (int i = 0; i < SIDE; i++)
        for (int k = 0; k < SIDE; k++) height[i * SIDE + k] = a * (t.x0 + t.cell * i) + b * (t.y0 + t.cell * k);
    return t;
}

/* A leaning plane is one wherever it is cut, above and below. */
static void test_plane(void **state) {
    (void)state;
    double height[SIDE * SIDE];
    const double a = 0.3, b = -0.7, length = sqrt(1 + a * a + b * b);
    const ref_terrain t = leaning(height, a, b);
    for (int n = 0; n < 1000; n++) {
        const double x = 0.6 * sin(n), y = 0.6 * sin(3.7 * n), z = a * x + b * y + 0.2 * sin(0.9 * n);
        double normal[3];
        near(ref_terrain_height(&t, x, y, normal), a * x + b * y, 1e-14);
        near(normal[2], 1 / length, 1e-13);
        const ref_ground_contact c = ref_terrain_sphere(&t, (double[3]){x, y, z}, 0.05);
        near(c.distance, (z - a * x - b * y) / length - 0.05, 1e-13);
        if (fabs(z - a * x - b * y) < 1e-3) continue; /* a direction of two near points */
        near(c.normal[0], -a / length, 1e-10);
        near(c.normal[1], -b / length, 1e-10);
    }
}

/* Beyond the border the nearest sample goes on: a level shelf across it. */
static void test_border(void **state) {
    (void)state;
    double height[SIDE * SIDE], normal[3];
    const ref_terrain t = leaning(height, 0.5, 0);
    near(ref_terrain_height(&t, 7, 0.33, normal), 0.5, 1e-15);
    near(normal[2], 1, 1e-15);
    const ref_ground_contact c = ref_terrain_sphere(&t, (double[3]){7, 40, 0.9}, 0.1);
    near(c.distance, 0.3, 1e-14);
}

/* A riser of pillars: a ball over the upper floor, at the edge, at the wall, in the lower floor and in the wall. */
static void test_riser(void **state) {
    (void)state;
    double height[SIDE * SIDE];
    for (int n = 0; n < SIDE * SIDE; n++) height[n] = n / SIDE >= 10 ? 0.2 : 0;
    const ref_terrain t = {
        .nx = SIDE, .ny = SIDE, .columns = 1, .cell = 0.1, .x0 = -1, .y0 = -1, .height = height}; /* the wall is at x = -0.05 */
    const struct {
        double center[3], distance, normal[3];
    } cases[] = {
        {{0.2, 0.013, 0.25}, 0.03, {0, 0, 1}},    {{-0.08, 0.013, 0.24}, 0.03, {-0.6, 0, 0.8}}, /* 3 : 4 : 5 from the edge */
        {{-0.08, 0.013, 0.1}, 0.01, {-1, 0, 0}},  {{-0.5, 0.013, -0.01}, -0.03, {0, 0, 1}},     /* in the lower floor: up */
        {{-0.02, 0.013, 0.1}, -0.05, {-1, 0, 0}},                                               /* in the wall: out of it */
    };
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        const ref_ground_contact c = ref_terrain_sphere(&t, cases[n].center, 0.02);
        near(c.distance, cases[n].distance, 1e-14);
        for (int e = 0; e < 3; e++) near(c.normal[e], cases[n].normal[e], 1e-13);
    }
}

/* A valley of slopes of 45 degrees touches a ball on both sides, as far as each other; a level floor has no second contact. */
static void test_valley(void **state) {
    (void)state;
    double height[SIDE * SIDE];
    for (int n = 0; n < SIDE * SIDE; n++) height[n] = fabs(-1 + 0.1 * (n / SIDE));
    const ref_terrain t = {.nx = SIDE, .ny = SIDE, .cell = 0.1, .x0 = -1, .y0 = -1, .height = height};
    const double center[3] = {0, 0.037, 0.1}, far = 0.1 * sqrt(0.5);
    const ref_ground_contact first = ref_terrain_sphere(&t, center, 0.08);
    ref_ground_contact second;
    near(first.distance, far - 0.08, 1e-14);
    assert_true(ref_terrain_second(&t, center, 0.08, first.normal, &second));
    near(second.distance, first.distance, 1e-14);
    near(second.normal[0], -first.normal[0], 1e-13);
    for (int n = 0; n < SIDE * SIDE; n++) height[n] = 0;
    assert_false(ref_terrain_second(&t, center, 0.12, up, &second));
}

/* ---- oracles ------------------------------------------------------------------------------------- */

typedef struct oracle_map {
    ref_terrain terrain;
    double *height;
} oracle_map;

static json_t *oracle(const char *name) {
    char path[4096];
    const char *source = getenv("MYRIAPOD_SOURCE");
    snprintf(path, sizeof path, "%s/../shared/oracles/%s", source ? source : ".", name);
    json_t *all = json_load_file(path, 0, NULL);
    if (!all) {
        print_message("%s is not there\n", path);
        skip();
    }
    return all;
}

static oracle_map map_of(const json_t *of, int columns) {
    const json_t *rows = json_object_get(of, "heights");
    const size_t nx = json_array_size(rows), ny = json_array_size(json_array_get(rows, 0));
    double *height = malloc(nx * ny * sizeof *height);
    assert_non_null(height);
    for (size_t i = 0; i < nx; i++)
        for (size_t k = 0; k < ny; k++) height[i * ny + k] = json_number_value(json_array_get(json_array_get(rows, i), k));
    return (oracle_map){{(int)nx, (int)ny, columns, json_number_value(json_object_get(of, "cell")),
                         json_number_value(json_object_get(of, "x0")), json_number_value(json_object_get(of, "y0")), height},
                        height};
}

static double number(const json_t *of, const char *key) { return json_number_value(json_object_get(of, key)); }

static void vector(const json_t *of, const char *key, double out[3]) {
    for (size_t c = 0; c < 3; c++) out[c] = json_number_value(json_array_get(json_object_get(of, key), c));
}

/* The capsule's distance from the ground by its four contacts. */
static double by_contacts(const ref_terrain *t, const double a[3], const double b[3], int *middle) {
    const double ends = fmin(ref_terrain_sphere(t, a, 0).distance, ref_terrain_sphere(t, b, 0).distance);
    double least = ends;
    for (int half = 0; half < 2; half++) {
        ref_middle between;
        if (ref_terrain_middle(t, a, b, half, &between)) least = fmin(least, between.distance);
    }
    *middle += least < ends;
    return least;
}

/* Level axes and such that lean by up to 0.5 and more, over ground as rough as legged_gym's: how often the four contacts are as far from
 * it as the capsule is, and by how much they are off else. */
static void test_capsules(void **state) {
    (void)state;
    enum { RODS = 20000 };
    double height[SIDE * SIDE];
    random_source random = {5};
    for (int n = 0; n < SIDE * SIDE; n++) height[n] = random_uniform(&random, -0.05, 0.05);
    const ref_terrain t = {.nx = SIDE, .ny = SIDE, .cell = 0.1, .x0 = -1, .y0 = -1, .height = height};
    for (int steep = 0; steep < 2; steep++) {
        int middle = 0, off = 0, n = 0;
        double worst = 0;
        for (int rod = 0; rod < RODS; rod++) {
            const double turn = random_uniform(&random, -3, 3), lean = random_uniform(&random, steep ? 0.5 : -0.5, steep ? 1.5 : 0.5);
            const double along[3] = {0.2 * cos(lean) * cos(turn), 0.2 * cos(lean) * sin(turn), 0.2 * sin(lean)};
            double a[3] = {random_uniform(&random, -0.7, 0.7), random_uniform(&random, -0.7, 0.7), 0}, b[3], most = -1;
            for (int k = 0; k <= 200; k++)
                most = fmax(most, ref_terrain_height(&t, a[0] + along[0] * k / 200, a[1] + along[1] * k / 200, NULL) - along[2] * k / 200);
            a[2] = most + random_uniform(&random, 0.002, 0.04); /* radii of feet */
            for (int k = 0; k < 3; k++) b[k] = a[k] + along[k];
            const double should = ref_terrain_rod(&t, a, b), is = by_contacts(&t, a, b, &middle);
            n++, off += is - should > 1e-12;
            worst = fmax(worst, is - should);
            assert_true(is > should - 1e-12);
        }
        print_message("%d capsules, %s: %d touch between their ends; %d are not as far as these four contacts say, by up to %.2g m\n", n,
                      steep ? "steep" : "within 0.5 of level", middle, off, worst);
        assert_true(middle > 100 && 50 * off < n && worst < 0.01);
    }
}

static void same_contact(const ref_ground_contact *c, const json_t *truth, int compares_normal) {
    double normal[3];
    near(c->distance, number(truth, "distance"), TOLERANCE);
    vector(truth, "normal", normal);
    for (int e = 0; compares_normal && e < 3; e++) near(c->normal[e], normal[e], 1e-9); /* a direction over 1e-3 m */
}

/* The spheres of a map; returns how many. */
static int same_spheres(const oracle_map *m, const json_t *spheres, int *seconds) {
    size_t n;
    const json_t *sphere;
    json_array_foreach(spheres, n, sphere) {
        double center[3];
        vector(sphere, "center", center);
        const double radius = number(sphere, "radius");
        const ref_ground_contact c = ref_terrain_sphere(&m->terrain, center, radius);
        same_contact(&c, sphere, json_is_true(json_object_get(sphere, "unique")));
        const json_t *other = json_object_get(sphere, "second");
        if (!other || !json_is_true(json_object_get(sphere, "unique"))) continue;
        ref_ground_contact second;
        const int has = ref_terrain_second(&m->terrain, center, radius, c.normal, &second);
        if (json_is_null(other)) {
            assert_false(has);
            continue;
        }
        if (!json_is_true(json_object_get(other, "sure"))) continue;
        assert_true(has);
        same_contact(&second, other, 1);
        ++*seconds;
    }
    return (int)n;
}

static void test_oracle_fields(void **state) {
    (void)state;
    json_t *all = oracle("worlds/terrain.json");
    const json_t *field, *place;
    size_t f, n;
    int spheres = 0, seconds = 0;
    json_array_foreach(json_object_get(all, "fields"), f, field) {
        const oracle_map m = map_of(field, 0);
        json_array_foreach(json_object_get(field, "samples"), n, place) {
            double is[6], normal[3];
            for (size_t c = 0; c < 6; c++) is[c] = json_number_value(json_array_get(place, c));
            near(ref_terrain_height(&m.terrain, is[0], is[1], normal), is[2], TOLERANCE);
            for (int c = 0; c < 3; c++) near(normal[c], is[3 + c], TOLERANCE);
        }
        spheres += same_spheres(&m, json_object_get(field, "spheres"), &seconds);
        free(m.height);
    }
    assert_int_equal(f, 5);
    assert_int_equal(spheres, 150);
    json_decref(all);
}

static void test_oracle_more(void **state) {
    (void)state;
    json_t *all = oracle("worlds2/terrain2.json");
    int spheres = 0, seconds = 0;
    for (int columns = 0; columns < 2; columns++) {
        const json_t *map;
        size_t n;
        json_array_foreach(json_object_get(all, columns ? "columns" : "fields"), n, map) {
            const oracle_map m = map_of(map, columns);
            spheres += same_spheres(&m, json_object_get(map, "spheres"), &seconds);
            free(m.height);
        }
    }
    print_message("%d spheres, %d with a second contact\n", spheres, seconds);
    assert_int_equal(spheres, 600);
    assert_int_equal(seconds, 57);
    json_decref(all);
}

/* The capsules of a list; returns how many. */
static int same_capsules(const oracle_map *m, const json_t *list, int *middle) {
    size_t n;
    int capsules = 0;
    const json_t *solid;
    json_array_foreach(list, n, solid) {
        const char *type = json_string_value(json_object_get(solid, "type"));
        if (type && strcmp(type, "capsule")) continue;
        double at[3], q[4], a[3], b[3];
        vector(solid, "pos", at);
        for (size_t c = 0; c < 4; c++) q[c] = json_number_value(json_array_get(json_object_get(solid, "quat"), c));
        const json_t *size = json_object_get(solid, "size");
        const double radius = type ? json_number_value(json_array_get(size, 0)) : number(solid, "radius");
        const double half = type ? json_number_value(json_array_get(size, 1)) : number(solid, "half");
        const double axis[3] = {2 * (q[1] * q[3] + q[2] * q[0]), 2 * (q[2] * q[3] - q[1] * q[0]), 1 - 2 * (q[1] * q[1] + q[2] * q[2])};
        for (int c = 0; c < 3; c++) a[c] = at[c] + half * axis[c], b[c] = at[c] - half * axis[c];
        near(by_contacts(&m->terrain, a, b, middle) - radius, number(solid, "distance"), TOLERANCE);
        capsules++;
    }
    return capsules;
}

/* The vertices near a box. */
static int same_vertices(const oracle_map *m, const json_t *solid) {
    ref_flat box = {.kind = REF_BOX};
    double q[4];
    size_t n;
    const json_t *vertex;
    vector(solid, "size", box.half), vector(solid, "pos", box.center);
    for (size_t c = 0; c < 4; c++) q[c] = json_number_value(json_array_get(json_object_get(solid, "quat"), c));
    const double w = q[0], x = q[1], y = q[2], z = q[3], length = w * w + x * x + y * y + z * z;
    const double turn[9] = {w * w + x * x - y * y - z * z, 2 * (x * y - w * z),           2 * (x * z + w * y),
                            2 * (x * y + w * z),           w * w - x * x + y * y - z * z, 2 * (y * z - w * x),
                            2 * (x * z - w * y),           2 * (y * z + w * x),           w * w - x * x - y * y + z * z};
    for (int c = 0; c < 9; c++) box.turn[c] = turn[c] / length;
    json_array_foreach(json_object_get(solid, "vertices"), n, vertex) {
        double is[6], normal[3];
        for (size_t c = 0; c < 6; c++) is[c] = json_number_value(json_array_get(vertex, c));
        const int i = (int)is[0], k = (int)is[1];
        const ref_terrain *t = &m->terrain;
        assert_true(ref_terrain_sharp(t, i, k));
        near(ref_flat_distance(&box, (double[3]){t->x0 + t->cell * i, t->y0 + t->cell * k, t->height[i * t->ny + k]}, normal), is[2],
             TOLERANCE);
        for (int c = 0; c < 3; c++) near(-normal[c], is[3 + c], 1e-9);
    }
    return (int)n;
}

static void test_oracle_vertices(void **state) {
    (void)state;
    json_t *all = oracle("worlds2/terrain2.json");
    const json_t *field, *solid;
    size_t f, n;
    int vertices = 0, sharp = 0;
    json_array_foreach(json_object_get(all, "fields"), f, field) {
        const oracle_map m = map_of(field, 0);
        const json_t *list = json_object_get(field, "sharp");
        int here = 0;
        for (int i = 1; i + 1 < m.terrain.nx; i++)
            for (int k = 1; k + 1 < m.terrain.ny; k++) here += ref_terrain_sharp(&m.terrain, i, k);
        assert_int_equal(here, (int)json_array_size(list));
        json_array_foreach(list, n, solid) assert_true(ref_terrain_sharp(&m.terrain, (int)json_integer_value(json_array_get(solid, 0)),
                                                                         (int)json_integer_value(json_array_get(solid, 1))));
        sharp += here;
        json_array_foreach(json_object_get(field, "solids"), n, solid) if (json_object_get(solid, "vertices")) vertices +=
            same_vertices(&m, solid);
        free(m.height);
    }
    print_message("%d sharp vertices, %d near boxes\n", sharp, vertices);
    assert_true(sharp == 1912 && vertices == 151);
    json_decref(all);
}

static void test_oracle_capsules(void **state) {
    (void)state;
    static const char *const names[2] = {"worlds/terrain.json", "worlds2/terrain2.json"}, *const lists[2] = {"capsules", "solids"};
    int capsules = 0, middle = 0;
    for (int k = 0; k < 2; k++) {
        json_t *all = oracle(names[k]);
        const json_t *field;
        size_t f;
        json_array_foreach(json_object_get(all, "fields"), f, field) {
            const oracle_map m = map_of(field, 0);
            capsules += same_capsules(&m, json_object_get(field, lists[k]), &middle);
            free(m.height);
        }
        json_decref(all);
    }
    print_message("%d capsules, %d nearest between their ends\n", capsules, middle);
    assert_int_equal(capsules, 172);
    assert_int_equal(middle, 28);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plane),    cmocka_unit_test(test_border),          cmocka_unit_test(test_riser),
        cmocka_unit_test(test_valley),   cmocka_unit_test(test_oracle_fields),   cmocka_unit_test(test_oracle_more),
        cmocka_unit_test(test_capsules), cmocka_unit_test(test_oracle_capsules), cmocka_unit_test(test_oracle_vertices)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

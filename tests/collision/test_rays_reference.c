/* may skip: truth that none of the project's code computed lies in ../shared/oracles, which is not part of this tree
 * The scalar reference of rays: closed forms; the planes, shapes and fields of worlds2/rays.json and its scenes (ellipsoids, which no model
 * of ours has, are left out); 120 rays on columns of worlds2/terrain2.json. Bounds grow with `steep`, 1 / |direction . normal|. */
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
#include "reference/rays.h"

enum { MOST_POINTS = 32 };
#define TOLERANCE 1e-12 /* x steep: the page of the oracle says so */
#define RANGE 50        /* [m]: the oracle looked no farther on fields beyond their border: of what lies 107 m away it has nothing */

static void near(double is, double should, double tolerance) {
    if (fabs(is - should) <= tolerance || (isinf(is) && isinf(should))) return;
    print_error("%.17g, should be %.17g to %g\n", is, should, tolerance);
    fail();
}

/* ---- closed forms -------------------------------------------------------------------------------- */

static const double level[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

/* Along the axes, from outside and from within: distances are sizes. */
static void test_sizes(void **state) {
    (void)state;
    const ref_ray_type types[] = {REF_RAY_SPHERE, REF_RAY_CAPSULE, REF_RAY_CYLINDER, REF_RAY_BOX};
    const double size[3] = {0.3, 0.5, 0.7}, extent[4][3] = {{0.3, 0.3, 0.3}, {0.3, 0.3, 0.8}, {0.3, 0.3, 0.5}, {0.3, 0.5, 0.7}};
    for (int n = 0; n < 4; n++)
        for (int axis = 0; axis < 3; axis++)
            for (int side = -1; side <= 1; side += 2) {
                ref_ray_shape s = {.type = types[n], .at = {1, 2, 3}};
                memcpy(s.size, size, sizeof size), memcpy(s.turn, level, sizeof level);
                ref_ray ray = {{1, 2, 3}, {0, 0, 0}};
                ray.direction[axis] = side;
                ref_ray_hit hit = ref_ray_shape_hit(&s, &ray);
                near(hit.distance, extent[n][axis], 1e-15);
                near(hit.normal[axis], side, 1e-15);
                ray.origin[axis] -= 2 * side;
                hit = ref_ray_shape_hit(&s, &ray);
                near(hit.distance, 2 - extent[n][axis], 1e-14);
                near(hit.normal[axis], -side, 1e-14);
                ray.direction[axis] = -side;
                near(ref_ray_shape_hit(&s, &ray).distance, INFINITY, 0);
            }
}

/* A plane that leans, as a map: from above its distance, from below nothing, also where two kinds of blocks would be. */
static void test_leaning(void **state) {
    (void)state;
    enum { N = 40 };
    double height[N * N];
    const uint8_t fields[25] = {0};
    const double a = 0.3, b = -0.2, length = sqrt(1 + a * a + b * b), normal[3] = {-a / length, -b / length, 1 / length};
    const ref_ray_map m = {N, N, 8, 5, 0.1, -2, -2, height, fields};
    random_source random = {7};
    for (int i = 0; i < N * N; i++) height[i] = a * (-2 + 0.1 * (i / N)) + b * (-2 + 0.1 * (i % N));
    for (int n = 0; n < 300; n++) {
        ref_ray ray = {{random_uniform(&random, -1, 1), random_uniform(&random, -1, 1), 0}, {0, 0, 0}};
        double length2 = 0;
        for (int k = 0; k < 3; k++) ray.direction[k] = random_uniform(&random, -1, 1), length2 += ray.direction[k] * ray.direction[k];
        for (int k = 0; k < 3; k++) ray.direction[k] /= sqrt(length2);
        ray.origin[2] = a * ray.origin[0] + b * ray.origin[1] + (n % 5 ? 0.2 : -0.2);
        const ref_ray_hit want = ref_ray_plane_hit((double[3]){0, 0, 0}, normal, &ray), is = ref_ray_map_hit(&m, &ray, 0.6);
        if (want.distance > 0.6) {
            near(is.distance, INFINITY, 0);
            continue;
        }
        near(is.distance, want.distance, 1e-12);
        for (int k = 0; k < 3; k++) near(is.normal[k], want.normal[k], 1e-12);
    }
}

/* A step of pillars at x = -0.05, and one where blocks of fields meet it: walls are seen from outside, to their full height. */
static void test_walls(void **state) {
    (void)state;
    enum { N = 24 };
    double height[N * N];
    uint8_t columns[9];
    const ref_ray_map m = {N, N, 8, 3, 0.1, -1.6, -1.2, height, columns};
    for (int i = 0; i < N * N; i++) height[i] = i / N >= 16 ? 0.5 : 0.1; /* x >= 0 */
    for (int mixed = 0; mixed < 2; mixed++) {
        for (int k = 0; k < 9; k++) columns[k] = !mixed || k / 3 == 2; /* fields up to the step, where they would be a slope */
        const double edge = 0.1 + (mixed ? 0.2 : 0);                   /* the slope has come that far at x = -0.05 */
        const ref_ray into = {{-0.5, 0.013, 0.499}, {1, 0, 0}}, over = {{-0.5, 0.013, 0.501}, {1, 0, 0}},
                      out = {{0.5, 0.013, 0.3}, {-1, 0, 0}}, down = {{-0.5, 0.013, 0.4}, {0.6, 0, -0.8}};
        ref_ray_hit hit = ref_ray_map_hit(&m, &into, 10);
        near(hit.distance, 0.45, 1e-13);
        near(hit.normal[0], -1, 1e-15);
        near(ref_ray_map_hit(&m, &over, 10).distance, INFINITY, 0);
        near(ref_ray_map_hit(&m, &out, 10).distance, INFINITY, 0); /* from within */
        hit = ref_ray_map_hit(&m, &down, 10);
        near(hit.distance, 0.375, 1e-13);
        const ref_ray low = {{-0.06, 0.013, edge + 0.05}, {1, 0, 0}};
        hit = ref_ray_map_hit(&m, &low, 10);
        near(hit.distance, 0.01, 1e-13);
    }
}

/* ---- oracles ------------------------------------------------------------------------------------- */

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

static double number(const json_t *of, const char *key) { return json_number_value(json_object_get(of, key)); }

static void numbers(const json_t *of, size_t n, double *out) {
    for (size_t c = 0; c < n; c++) out[c] = json_number_value(json_array_get(of, c));
}

/* A map of an oracle is of one kind; its block is larger than it. */
static ref_ray_map map_of(const json_t *of, const uint8_t *kind) {
    const json_t *rows = json_object_get(of, "heights");
    const size_t nx = json_array_size(rows), ny = json_array_size(json_array_get(rows, 0));
    double *height = malloc(nx * ny * sizeof *height);
    assert_non_null(height);
    for (size_t i = 0; i < nx; i++) numbers(json_array_get(rows, i), ny, height + i * ny);
    return (ref_ray_map){(int)nx, (int)ny, 1 << 20, 1, number(of, "cell"), number(of, "x0"), number(of, "y0"), height, kind};
}

static const json_t *of_kind(const json_t *fields, const char *kind) {
    size_t n;
    const json_t *field;
    json_array_foreach(fields, n, field) if (!strcmp(json_string_value(json_object_get(field, "kind")), kind)) return field;
    fail_msg("no field is called %s", kind);
    return NULL;
}

static void rotation(const json_t *quaternion, double R[9]) {
    double q[4];
    numbers(quaternion, 4, q);
    const double w = q[0], x = q[1], y = q[2], z = q[3], n = w * w + x * x + y * y + z * z;
    const double turn[9] = {w * w + x * x - y * y - z * z, 2 * (x * y - w * z),           2 * (x * z + w * y),
                            2 * (x * y + w * z),           w * w - x * x + y * y - z * z, 2 * (y * z - w * x),
                            2 * (x * z - w * y),           2 * (y * z + w * x),           w * w - x * x - y * y + z * z};
    for (int k = 0; k < 9; k++) R[k] = turn[k] / n;
}

/* What a ray meets of a shape of the oracle. */
static ref_ray_hit hit_of(const json_t *all, const json_t *shape, const ref_ray *ray) {
    static const uint8_t field_kind = 0;
    static const char *const names[] = {"sphere", "capsule", "cylinder", "box", "hull"};
    static double planes[REF_RAY_PLANES][4];
    const char *type = json_string_value(json_object_get(shape, "type"));
    const json_t *size = json_object_get(shape, "size");
    ref_ray_shape s = {.type = REF_RAY_HULL};
    numbers(json_object_get(shape, "pos"), 3, s.at);
    rotation(json_object_get(shape, "quat"), s.turn);
    if (!strcmp(type, "plane")) return ref_ray_plane_hit(s.at, (double[3]){s.turn[2], s.turn[5], s.turn[8]}, ray);
    if (!strcmp(type, "hfield")) {
        const ref_ray_map m = map_of(of_kind(json_object_get(all, "fields"), json_string_value(size)), &field_kind);
        const ref_ray_hit hit = ref_ray_map_hit(&m, ray, RANGE);
        free((void *)(uintptr_t)m.height);
        return hit;
    }
    if (!strcmp(type, "hull")) {
        double points[3 * MOST_POINTS];
        const json_t *list = json_object_get(json_object_get(all, "hulls"), json_string_value(size));
        const size_t n = json_array_size(list);
        assert_true(n <= MOST_POINTS);
        for (size_t i = 0; i < n; i++) numbers(json_array_get(list, i), 3, points + 3 * i);
        s.planes = (const double(*)[4])planes, s.n_planes = ref_ray_planes(points, (int)n, planes);
        return ref_ray_shape_hit(&s, ray);
    }
    numbers(size, json_array_size(size), s.size);
    for (int k = 0; k < 4; k++)
        if (!strcmp(type, names[k])) s.type = (ref_ray_type)k;
    assert_true(s.type != REF_RAY_HULL);
    return ref_ray_shape_hit(&s, ray);
}

static ref_ray ray_of(const json_t *origin, const json_t *direction) {
    ref_ray ray;
    numbers(origin, 3, ray.origin), numbers(direction, 3, ray.direction);
    const double *d = ray.direction, length = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    for (int k = 0; k < 3; k++) ray.direction[k] /= length;
    return ray;
}

static void same_hit(const ref_ray_hit *is, const json_t *truth) {
    const json_t *distance = json_object_get(truth, "distance");
    double normal[3];
    if (json_is_null(distance)) {
        near(is->distance, INFINITY, 0);
        return;
    }
    near(is->distance, json_number_value(distance), TOLERANCE * number(truth, "steep"));
    numbers(json_object_get(truth, "normal"), 3, normal);
    for (int k = 0; k < 3; k++) near(is->normal[k], normal[k], 1e-9 * number(truth, "steep"));
}

static void test_oracle_cases(void **state) {
    (void)state;
    json_t *all = oracle("worlds2/rays.json");
    const json_t *ray;
    size_t n;
    int rays = 0, hits = 0;
    json_array_foreach(json_object_get(all, "cases"), n, ray) {
        const json_t *shape = json_object_get(ray, "shape");
        if (!strcmp(json_string_value(json_object_get(shape, "type")), "ellipsoid")) continue;
        const ref_ray way = ray_of(json_object_get(ray, "origin"), json_object_get(ray, "direction"));
        const ref_ray_hit hit = hit_of(all, shape, &way);
        same_hit(&hit, ray);
        rays++, hits += isfinite(hit.distance);
    }
    print_message("%d rays, %d meet something\n", rays, hits);
    assert_int_equal(rays, 507);
    json_decref(all);
}

/* The nearest of a scene's shapes but those of the body left out; its ellipsoids are on that one. */
static ref_ray_hit nearest(const json_t *all, const json_t *scene, const ref_ray *ray, int *which) {
    const char *left_out = json_string_value(json_object_get(scene, "left_out"));
    ref_ray_hit best = {.distance = INFINITY};
    const json_t *shape;
    size_t n;
    *which = -1;
    json_array_foreach(json_object_get(scene, "shapes"), n, shape) {
        if (!strcmp(json_string_value(json_object_get(shape, "body")), left_out)) continue;
        const ref_ray_hit hit = hit_of(all, shape, ray);
        if (hit.distance < best.distance) best = hit, *which = (int)n;
    }
    return best;
}

static void test_oracle_scenes(void **state) {
    (void)state;
    json_t *all = oracle("worlds2/rays.json");
    const json_t *scene, *ray, *pixel;
    size_t s, n;
    int rays = 0, pixels = 0, which;
    json_array_foreach(json_object_get(all, "scenes"), s, scene) {
        const json_t *origin = json_object_get(scene, "origin"), *camera = json_object_get(scene, "camera");
        json_array_foreach(json_object_get(scene, "rays"), n, ray) {
            const ref_ray way = ray_of(origin, json_object_get(ray, "direction"));
            const ref_ray_hit hit = nearest(all, scene, &way, &which);
            const json_t *shape = json_object_get(ray, "shape");
            same_hit(&hit, ray);
            assert_int_equal(which, json_is_null(shape) ? -1 : json_integer_value(shape));
            rays++;
        }
        double R[9];
        rotation(json_object_get(camera, "quat"), R);
        const int width = (int)number(camera, "width"), height = (int)number(camera, "height");
        const double half = tan(number(camera, "fovy_deg") / 2 * 3.14159265358979323846 / 180);
        json_array_foreach(json_object_get(camera, "distance_depth"), n, pixel) {
            const double x = (2 * ((int)n % width + 0.5) - width) / height * half, y = (1 - 2 * ((int)n / width + 0.5) / height) * half;
            const double length = sqrt(x * x + y * y + 1), own[3] = {x / length, y / length, -1 / length};
            ref_ray way = ray_of(origin, json_array_get(json_object_get(scene, "rays"), 0));
            for (int k = 0; k < 3; k++) way.direction[k] = R[3 * k] * own[0] + R[3 * k + 1] * own[1] + R[3 * k + 2] * own[2];
            const ref_ray_hit hit = nearest(all, scene, &way, &which);
            pixels++;
            if (json_is_null(json_array_get(pixel, 0))) {
                near(hit.distance, INFINITY, 0);
                continue;
            }
            const double *m = hit.normal, *d = way.direction, steep = 1 / fabs(m[0] * d[0] + m[1] * d[1] + m[2] * d[2]);
            near(hit.distance, json_number_value(json_array_get(pixel, 0)), TOLERANCE * steep);
            near(hit.distance / length, json_number_value(json_array_get(pixel, 1)), TOLERANCE * steep);
        }
    }
    print_message("%d rays, %d pixels\n", rays, pixels);
    assert_int_equal(rays, 180);
    assert_int_equal(pixels, 3 * 96);
    json_decref(all);
}

static void test_oracle_columns(void **state) {
    (void)state;
    static const uint8_t kind = 1;
    json_t *all = oracle("worlds2/terrain2.json");
    const json_t *map, *ray;
    size_t n, k;
    int rays = 0, walls = 0;
    json_array_foreach(json_object_get(all, "columns"), n, map) {
        const ref_ray_map m = map_of(map, &kind);
        json_array_foreach(json_object_get(map, "rays"), k, ray) {
            double of[10];
            numbers(ray, 10, of);
            ref_ray way = {{of[0], of[1], of[2]}, {of[3], of[4], of[5]}};
            const ref_ray_hit hit = ref_ray_map_hit(&m, &way, RANGE);
            const double steep = 1 / fabs(of[3] * of[7] + of[4] * of[8] + of[5] * of[9]);
            near(hit.distance, of[6], TOLERANCE * steep);
            for (int c = 0; c < 3; c++) near(hit.normal[c], of[7 + c], 1e-15);
            rays++, walls += of[9] < 0.5;
        }
        free((void *)(uintptr_t)m.height);
    }
    print_message("%d rays, %d meet a wall\n", rays, walls);
    assert_int_equal(rays, 120);
    assert_true(walls > 5);
    json_decref(all);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sizes),         cmocka_unit_test(test_leaning),
                                       cmocka_unit_test(test_walls),         cmocka_unit_test(test_oracle_cases),
                                       cmocka_unit_test(test_oracle_scenes), cmocka_unit_test(test_oracle_columns)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

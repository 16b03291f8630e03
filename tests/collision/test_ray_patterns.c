/* Patterns of rays: how many, in which order, which way; and what is refused. */
#include <math.h>
#include <stdlib.h>

#include "support/batch_scene.h"

enum { MOST = 6000 };
static const double pi = 3.14159265358979323846;
static double origin[MOST][3], direction[MOST][3];

static int rays_of(const myr_ray_pattern *p) {
    const int n = myr_ray_pattern_count(p);
    assert_true(n > 0 && n <= MOST);
    MUST(myr_ray_pattern_rays(p, origin[0], direction[0]));
    for (int j = 0; j < n; j++) {
        const double *d = direction[j];
        assert_true(fabs(d[0] * d[0] + d[1] * d[1] + d[2] * d[2] - 1) < 1e-15);
    }
    return n;
}

static void is(const double x[3], double a, double b, double c) {
    if (fabs(x[0] - a) + fabs(x[1] - b) + fabs(x[2] - c) > 1e-14)
        fail_msg("%.17g %.17g %.17g, should be %g %g %g", x[0], x[1], x[2], a, b, c);
}

static void grids_and_rings(void **state) {
    (void)state;
    myr_ray_pattern p = myr_ray_pattern_default(MYR_RAYS_GRID);
    p.x_m = 1;
    assert_int_equal(rays_of(&p), 187);
    is(origin[0], 0.2, -0.5, 0), is(origin[1], 0.2, -0.4, 0), is(origin[186], 1.8, 0.5, 0), is(direction[17], 0, 0, -1);
    p = myr_ray_pattern_default(MYR_RAYS_RING);
    p.n = 4;
    assert_int_equal(rays_of(&p), 4);
    is(origin[0], 0.03, 0, 0), is(origin[1], 0, 0.03, 0), is(origin[2], -0.03, 0, 0), is(direction[3], 0, 0, -1);
}

static void lidars(void **state) {
    (void)state;
    const double up = pi / 12;
    myr_ray_pattern p = myr_ray_pattern_default(MYR_RAYS_LIDAR);
    assert_int_equal(rays_of(&p), 5760);
    is(direction[0], -cos(up), 0, -sin(up)), is(direction[90], 0, -cos(up), -sin(up)), is(direction[180], cos(up), 0, -sin(up));
    is(direction[270], 0, cos(up), -sin(up)), is(direction[5759], -cos(up) * cos(pi / 180), cos(up) * sin(pi / 180), sin(up));
    is(origin[77], 0, 0, 0);
    p.rows = 1, p.columns = 2, p.azimuth[0] = 0, p.azimuth[1] = pi;
    assert_int_equal(rays_of(&p), 2);
    is(direction[0], 1, 0, 0), is(direction[1], 0, 1, 0);
}

/* Depth along the axis is distance times minus z of the direction. */
static void pinholes(void **state) {
    (void)state;
    myr_ray_pattern p = myr_ray_pattern_default(MYR_RAYS_PINHOLE);
    assert_int_equal(rays_of(&p), 32 * 24);
    const double half = tan(pi / 6);
    is((double[3]){direction[0][0] / -direction[0][2], direction[0][1] / -direction[0][2], 0}, -half * 31 / 24, half * 23 / 24, 0);
    is((double[3]){direction[767][0] / -direction[767][2], direction[767][1] / -direction[767][2], 0}, half * 31 / 24, -half * 23 / 24, 0);
    p.width = 3, p.height = 1, p.fovy = pi / 2;
    assert_int_equal(rays_of(&p), 3);
    is(direction[1], 0, 0, -1), is(direction[2], 2 / sqrt(5), 0, -1 / sqrt(5));
}

static void what_is_refused(void **state) {
    (void)state;
#define REFUSED(of, change, word)                                                                                                          \
    do {                                                                                                                                   \
        myr_ray_pattern p = myr_ray_pattern_default(of);                                                                                   \
        change;                                                                                                                            \
        MUST_FAIL(myr_ray_pattern_rays(&p, NULL, direction[0]), MYR_E_ARG, word);                                                          \
    } while (0)
    REFUSED(MYR_RAYS_GRID, p.kind = (myr_ray_kind)9, "kind is 9");
    REFUSED(MYR_RAYS_GRID, p.nx = 0, "0 x 11");
    REFUSED(MYR_RAYS_GRID, p.cell_m = 0, "cell_m is 0");
    REFUSED(MYR_RAYS_GRID, p.x_m = (double)NAN, "the middle");
    REFUSED(MYR_RAYS_RING, p.n = -3, "1 x -3");
    REFUSED(MYR_RAYS_RING, p.radius_m = INFINITY, "radius_m is inf");
    REFUSED(MYR_RAYS_LIDAR, p.rows = 1 << 20, "1048576 x 360");
    REFUSED(MYR_RAYS_LIDAR, p.elevation[1] = 2, "elevation");
    REFUSED(MYR_RAYS_LIDAR, p.azimuth[0] = (double)NAN, "azimuth");
    REFUSED(MYR_RAYS_PINHOLE, p.fovy = 3.2, "fovy is 3.2");
    REFUSED(MYR_RAYS_PINHOLE, p.width = 70000, "24 x 70000");
    const myr_ray_pattern p = myr_ray_pattern_default(MYR_RAYS_RING);
    MUST_FAIL(myr_ray_pattern_rays(NULL, NULL, direction[0]), MYR_E_ARG, "pattern");
    MUST_FAIL(myr_ray_pattern_rays(&p, NULL, NULL), MYR_E_ARG, "direction");
    assert_int_equal(myr_ray_pattern_count(NULL), 0);
    MUST(myr_ray_pattern_rays(&p, NULL, direction[0]));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(grids_and_rings), cmocka_unit_test(lidars), cmocka_unit_test(pinholes),
                                       cmocka_unit_test(what_is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

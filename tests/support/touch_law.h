/* Where two geoms touch, against the scalar reference: gaps, normals and points of random and of degenerate poses. Included with
 * MYR_DOUBLE 0 and 1; the portable lanes, to which test_bodies holds the others. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#define MYR_LANE_HEADER "kernels/lane_portable.h"
#pragma GCC diagnostic ignored "-Wunused-function" /* of the step, only collision is looked at */
#include "collision/pairs.lane.h"
#include "random_model.h"
#include "reference/rigid_body.h"
#include "reference/small.h"
#include "reference/touch.h"

#define TOLERANCE (MYR_DOUBLE ? 1e-9 : 4e-6) /* lengths are below 2 */

typedef struct seen { /* of one lane */
    double normal[3], at[MOST_FEATURES][3], gap[MOST_FEATURES];
} seen;

static const int slots_of[3][3] = {[MYR_GEOM_SPHERE] = {1, 1, 1}, [MYR_GEOM_BOX] = {1, 9, 3}, [MYR_GEOM_CAPSULE] = {1, 3, 2}};

static double lane_of_vf(vf x, int lane) {
    real lanes[VN];
    memcpy(lanes, &x, sizeof lanes);
    return (double)lanes[lane];
}

/* The same pair in every lane; a is a sphere before a capsule before a box. */
static seen look(const reference_shape *a, const reference_shape *b) {
    const reference_shape *shape[2] = {a, b};
    lane_solid is[2] = {{0}};
    vf R[2][9];
    manifold m;
    for (int s = 0; s < 2; s++) {
        is[s].type = shape[s]->type;
        for (int k = 0; k < 3; k++) is[s].size[k] = (real)shape[s]->size[k];
        for (int k = 0; k < 9; k++) R[s][k] = vf_set((real)shape[s]->rotation[k]);
    }
    const v3 d = {vf_set((real)(a->position[0] - b->position[0])), vf_set((real)(a->position[1] - b->position[1])),
                  vf_set((real)(a->position[2] - b->position[2]))};
    find_manifold((solid){&is[0], R[0]}, (solid){&is[1], R[1]}, d, vm_all(), vf_zero(), &m);
    seen out = {.normal = {lane_of_vf(m.normal.x, 0), lane_of_vf(m.normal.y, 0), lane_of_vf(m.normal.z, 0)}};
    for (int k = 0; k < slots_of[a->type][b->type]; k++) {
        out.gap[k] = lane_of_vf(m.gap[k], VN - 1);
        const double at[3] = {lane_of_vf(m.at[k].x, 0), lane_of_vf(m.at[k].y, 0), lane_of_vf(m.at[k].z, 0)};
        for (int i = 0; i < 3; i++) out.at[k][i] = at[i] + b->position[i];
        assert_true(isfinite(out.gap[k]) && isfinite(at[0]) && isfinite(at[1]) && isfinite(at[2]));
    }
    assert_true(fabs(dot(out.normal, out.normal) - 1) < TOLERANCE);
    return out;
}

static reference_shape shape_at(myr_geom_type type, double s0, double s1, double s2, double x, double y, double z) {
    return (reference_shape){.type = type, .size = {s0, s1, s2}, .position = {x, y, z}, .rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
}

static void turn_shape(reference_shape *s, int axis, double angle) {
    const double c = cos(angle), d = sin(angle);
    const int i = (axis + 1) % 3, j = (axis + 2) % 3;
    double R[9] = {0}, old[9];
    R[4 * axis] = 1, R[4 * i] = R[4 * j] = c, R[3 * i + j] = -d, R[3 * j + i] = d;
    memcpy(old, s->rotation, sizeof old);
    mul33(R, old, s->rotation);
}

static reference_shape random_shape(random_source *source, myr_geom_type type) {
    reference_shape s = {.type = type};
    double q[4];
    random_quaternion(source, q);
    for (int k = 0; k < 3; k++) s.size[k] = random_uniform(source, 0.05, 0.4);
    for (int k = 0; k < 3; k++) s.position[k] = random_uniform(source, -0.4, 0.4);
    reference_quaternion_rotation(q, s.rotation);
    if (!MYR_DOUBLE) { /* what the lanes get */
        for (int k = 0; k < 9; k++) s.rotation[k] = (double)(float)s.rotation[k];
        for (int k = 0; k < 3; k++) s.position[k] = (double)(float)s.position[k], s.size[k] = (double)(float)s.size[k];
    }
    return s;
}

static int is_axis_of(const reference_shape *s, const double n[3], int *k) {
    for (*k = 0; *k < 3; ++*k)
        if (fabs(s->rotation[*k] * n[0] + s->rotation[3 + *k] * n[1] + s->rotation[6 + *k] * n[2]) > 1 - (MYR_DOUBLE ? 1e-12 : 1e-6))
            return 1;
    return 0;
}

static int least(const seen *s, int n) {
    int best = 0;
    for (int k = 1; k < n; k++)
        if (s->gap[k] < s->gap[best]) best = k;
    return best;
}

/* Points on both surfaces are where the reference has them. */
static void check_point(const reference_shape *a, const reference_shape *b, const seen *s, int k, double tolerance) {
    double on[3], nearest[3];
    for (int side = 0; side < 2; side++) {
        const reference_shape *shape = side ? b : a;
        for (int i = 0; i < 3; i++) on[i] = s->at[k][i] + (side ? -0.5 : 0.5) * s->gap[k] * s->normal[i];
        const double off = reference_core_distance(shape, on, nearest) - reference_radius(shape);
        if (!(fabs(off) <= tolerance)) fail_msg("feature %d is %g from the surface of geom %d, gap %g", k, off, side, s->gap[k]);
    }
}

static void round_shapes(void **state) {
    static const myr_geom_type kinds[5][2] = {{MYR_GEOM_SPHERE, MYR_GEOM_SPHERE},
                                              {MYR_GEOM_SPHERE, MYR_GEOM_CAPSULE},
                                              {MYR_GEOM_SPHERE, MYR_GEOM_BOX},
                                              {MYR_GEOM_CAPSULE, MYR_GEOM_CAPSULE},
                                              {MYR_GEOM_CAPSULE, MYR_GEOM_BOX}};
    random_source source = {3};
    (void)state;
    for (int kind = 0; kind < 5; kind++) {
        int touching = 0, apart = 0, axis;
        for (int i = 0; i < 4000; i++) {
            const reference_shape a = random_shape(&source, kinds[kind][0]), b = random_shape(&source, kinds[kind][1]);
            double pa[3], pb[3];
            const double cores = reference_cores_distance(&a, &b, pa, pb), wanted = cores - reference_radius(&a) - reference_radius(&b);
            const seen s = look(&a, &b);
            const int n = slots_of[a.type][b.type], k = least(&s, n);
            if (cores < 1e-3) { /* no nearest points: only that it touches */
                assert_true(s.gap[k] <= 0);
                continue;
            }
            touching += wanted<0, apart += wanted> 0;
            /* what is within 1e-3 of a face's direction has the face's, which makes the distance shorter by its square */
            const double aligned = kind == 4 ? 1e-3 : 0, off = fabs(s.gap[k] - wanted);
            if (!(off <= TOLERANCE + aligned * aligned * cores))
                fail_msg("kind %d, case %d: gap %.12g, should be %.12g", kind, i, s.gap[k], wanted);
            double along = 0;
            for (int j = 0; j < 3; j++) along += s.normal[j] * (pa[j] - pb[j]) / cores;
            if (!(along > 1 - aligned * aligned - (MYR_DOUBLE ? 1e-7 : 1e-5) / cores))
                fail_msg("kind %d, case %d: the normal is off: %.12g", kind, i, along);
            check_point(&a, &b, &s, k, 10 * TOLERANCE + (kind == 4 && is_axis_of(&b, s.normal, &axis) ? aligned * cores : 0));
        }
        assert_true(touching > 500 && apart > 100);
    }
}

static double hull_area(const seen *s, const double u[3], const double v[3]) {
    double p[8][2], area = 0, middle[2] = {0, 0};
    int n = 0;
    for (int k = 0; k < 8; k++)
        if (s->gap[k] != 1) p[n][0] = dot(s->at[k], u), p[n][1] = dot(s->at[k], v), n++;
    for (int i = 0; i < n; i++) middle[0] += p[i][0] / n, middle[1] += p[i][1] / n;
    for (int i = 0; i < n; i++) /* corners of a convex polygon, by angle */
        for (int j = i + 1; j < n; j++)
            if (atan2(p[j][1] - middle[1], p[j][0] - middle[0]) < atan2(p[i][1] - middle[1], p[i][0] - middle[0])) {
                double t[2] = {p[i][0], p[i][1]};
                memcpy(p[i], p[j], sizeof t);
                memcpy(p[j], t, sizeof t);
            }
    for (int i = 0; i < n; i++) area += p[i][0] * p[(i + 1) % n][1] - p[i][1] * p[(i + 1) % n][0];
    return 0.5 * area;
}

static void boxes(void **state) {
    random_source source = {4};
    int by_face = 0, by_edge = 0, apart = 0;
    (void)state;
    for (int i = 0; i < 20000; i++) {
        const reference_shape a = random_shape(&source, MYR_GEOM_BOX), b = random_shape(&source, MYR_GEOM_BOX);
        double all, faces, smallest = 1;
        reference_boxes(&a, &b, &all, &faces);
        for (int k = 0; k < 3; k++) smallest = fmin(smallest, fmin(a.size[k], b.size[k]));
        const double margin = 1e-3 * smallest + 4 * TOLERANCE;
        const seen s = look(&a, &b);
        const int best = least(&s, 9);
        if (all > margin) {
            assert_true(s.gap[best] > 0);
            apart++;
            continue;
        }
        if (all > -margin) continue;
        if (!(fabs(s.gap[best] - all) <= margin))
            fail_msg("case %d: gap %.9g, should be %.9g (faces alone %.9g)", i, s.gap[best], all, faces);
        if (best == 8) {
            for (int k = 0; k < 8; k++) assert_true(s.gap[k] == 1);
            check_point(&a, &b, &s, 8, margin);
            by_edge++;
            continue;
        }
        int k;
        const int of_a = is_axis_of(&a, s.normal, &k), of_b = !of_a && is_axis_of(&b, s.normal, &k);
        assert_true(of_a || of_b);
        const reference_shape *ref = of_a ? &a : &b, *other = of_a ? &b : &a;
        double u[3], v[3], towards[3], perimeter = 0;
        for (int j = 0; j < 3; j++) u[j] = ref->rotation[3 * j + (k + 1) % 3], v[j] = ref->rotation[3 * j + (k + 2) % 3];
        for (int j = 0; j < 3; j++) perimeter += 4 * ref->size[j], towards[j] = (of_a ? -1 : 1) * s.normal[j];
        const double wanted = reference_shared_area(ref, other, towards), got = fabs(hull_area(&s, u, v));
        if (!(fabs(wanted - got) <= 1e-3 * perimeter * 0.4)) fail_msg("case %d: area %.9g, should be %.9g", i, got, wanted);
        for (int j = 0; j < 8; j++) /* on the reference's face, and in the plane of the other's */
            if (s.gap[j] <= 0) {
                double on[3], nearest[3];
                for (int e = 0; e < 3; e++) on[e] = s.at[j][e] + (of_a ? 0.5 : -0.5) * s.gap[j] * s.normal[e];
                assert_true(reference_core_distance(ref, on, nearest) <= margin);
                for (int e = 0; e < 3; e++) on[e] = s.at[j][e] - (of_a ? 0.5 : -0.5) * s.gap[j] * s.normal[e];
                assert_true(reference_core_distance(other, on, nearest) <= margin + 0x1p-12 * 0.8); /* the face's own margin */
            }
        by_face++;
    }
    assert_true(by_face > 3000 && by_edge > 300 && apart > 1000);
}

/* Which features are active, as bits. */
static unsigned active(const seen *s, int n) {
    unsigned bits = 0;
    for (int k = 0; k < n; k++) bits |= (unsigned)(s->gap[k] <= 0) << k;
    return bits;
}

/* Cubes that rest on each other keep the same contacts, however rounding moves them. */
static void resting_boxes_do_not_flicker(void **state) {
    static const struct {
        double half, turned, x, y;
        int points;
    } cases[] = {{0.1, 0, 0, 0, 4},           {0.1, 0, 0.05, 0, 4},   {0.1, 0, 0.05, 0.03, 4}, {0.05, 0, 0, 0, 4},
                 {0.05, 0.3, 0.02, 0, 4},     {0.3, 0, 0, 0, 4},      {0.3, 0.7, 0, 0, 4},     {0.1, 0.785398163, 0, 0, 8},
                 {0.1, 1.570796327, 0, 0, 4}, {0.1, 0.4, 0.15, 0, 4}, {0.1, 0, 0.1, 0.1, 4}};
    random_source source = {5};
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (int order = 0; order < 2; order++) {
            unsigned first = 0;
            for (int i = 0; i < 500; i++) {
                reference_shape low = shape_at(MYR_GEOM_BOX, 0.1, 0.1, 0.1, 0, 0, 0.1),
                                high = shape_at(MYR_GEOM_BOX, cases[c].half, cases[c].half, cases[c].half, cases[c].x, cases[c].y,
                                                0.2 + cases[c].half - 2e-6);
                turn_shape(&high, 2, cases[c].turned);
                for (int k = 0; k < 3 && i; k++) { /* rounding of positions and of turns */
                    high.position[k] += random_uniform(&source, -1e-7, 1e-7);
                    turn_shape(&high, k, random_uniform(&source, -1e-7, 1e-7));
                    turn_shape(&low, k, random_uniform(&source, -1e-7, 1e-7));
                }
                const seen s = order ? look(&low, &high) : look(&high, &low);
                const unsigned bits = active(&s, 9);
                if (!i) first = bits;
                if (bits != first || __builtin_popcount(bits) != cases[c].points)
                    fail_msg("case %d, order %d, move %d: contacts 0x%x after 0x%x, should be %d", (int)c, order, i, bits, first,
                             cases[c].points);
                assert_true(fabs(fabs(s.normal[2]) - 1) < 1e-6 && s.normal[2] * (order ? -1 : 1) > 0);
            }
        }
}

static void near_point(const seen *s, int k, double x, double y, double z, double gap) {
    const double wanted[3] = {x, y, z};
    for (int i = 0; i < 3; i++)
        if (!(fabs(s->at[k][i] - wanted[i]) <= 2e-6))
            fail_msg("feature %d: coordinate %d is %g, should be %g", k, i, s->at[k][i], wanted[i]);
    if (!(fabs(s->gap[k] - gap) <= 2e-6)) fail_msg("feature %d: gap %g, should be %g", k, s->gap[k], gap);
}

static void degenerate_poses(void **state) {
    (void)state;
    /* one in the other: some normal, the whole depth */
    const reference_shape ball = shape_at(MYR_GEOM_SPHERE, 0.1, 0, 0, 0, 0, 0);
    seen s = look(&ball, &ball);
    near_point(&s, 0, 0, 0, 0, -0.2);
    reference_shape rod = shape_at(MYR_GEOM_CAPSULE, 0.1, 0.3, 0, 0, 0, 0), box = shape_at(MYR_GEOM_BOX, 0.3, 0.2, 0.25, 0, 0, 0);
    s = look(&ball, &rod);
    assert_true(fabs(s.gap[0] + 0.2) < 1e-6 && fabs(s.normal[2]) < 1e-6);
    s = look(&ball, &box);
    near_point(&s, 0, 0, 0.05 + 0.0, 0, -0.3);
    assert_true(fabs(s.normal[1]) == 1);
    s = look(&rod, &rod);
    assert_true(active(&s, 2) == 3 && fabs(s.normal[2]) < 1e-6 && fabs(s.gap[0] + 0.2) < 1e-6);
    /* a ball's centre exactly on a face, edge and corner: touching by its radius */
    for (int k = 0; k < 3; k++) {
        const reference_shape on = shape_at(MYR_GEOM_SPHERE, 0.1, 0, 0, 0.3, k > 0 ? 0.2 : 0, k > 1 ? 0.25 : 0);
        s = look(&on, &box);
        assert_true(fabs(s.gap[0] + 0.1) < 1e-6);
    }
    /* parallel capsules side by side, shifted: both ends of what they share; behind each other: one */
    reference_shape other = shape_at(MYR_GEOM_CAPSULE, 0.1, 0.3, 0, 0.199, 0, 0.2);
    s = look(&other, &rod);
    assert_true(active(&s, 2) == 3 && s.normal[0] > 1 - 1e-6);
    near_point(&s, 0, 0.0995, 0, -0.1, -0.001);
    near_point(&s, 1, 0.0995, 0, 0.3, -0.001);
    other.position[0] = 0, other.position[2] = 0.799;
    s = look(&other, &rod);
    assert_true(active(&s, 2) == 1 && s.normal[2] > 1 - 1e-6);
    near_point(&s, 0, 0, 0, 0.3995, -0.001);
    /* a capsule lying on a box: ends on it, one over the edge, both over; standing; along an edge */
    for (int c = 0; c < 3; c++) {
        static const double at[3] = {0, 0.2, 0.1}, half[3] = {0.1, 0.2, 0.5}, from[3] = {-0.1, 0, -0.3}, to[3] = {0.1, 0.3, 0.3};
        other = shape_at(MYR_GEOM_CAPSULE, 0.05, half[c], 0, at[c], 0, 0.299);
        turn_shape(&other, 1, 1.5707963267948966);
        s = look(&other, &box);
        assert_true(active(&s, 3) == 3 && s.normal[2] > 1 - 1e-6);
        const double edge = 0.3 * 0x1p-12;
        near_point(&s, 0, c < 2 ? from[c] : from[c] - edge, 0, 0.2495, -0.001);
        near_point(&s, 1, c < 1 ? to[c] : to[c] + edge, 0, 0.2495, -0.001);
    }
    other = shape_at(MYR_GEOM_CAPSULE, 0.05, 0.2, 0, 0.1, 0.1, 0.499);
    s = look(&other, &box);
    assert_true(active(&s, 3) == 1);
    near_point(&s, 0, 0.1, 0.1, 0.2495, -0.001);
    other = shape_at(MYR_GEOM_CAPSULE, 0.05, 0.2, 0, 0.3 + 0.03, 0.2 + 0.03, 0);
    s = look(&other, &box);
    assert_true(active(&s, 3) == 3);
    const double outside = 0.03 * sqrt(2) - 0.05; /* both ends of what is parallel to the edge */
    for (int k = 0; k < 2; k++) near_point(&s, k, 0.3 + outside / 2 / sqrt(2), 0.2 + outside / 2 / sqrt(2), k ? 0.2 : -0.2, outside);
    /* its axis inside: out by the nearest face, at both ends */
    other = shape_at(MYR_GEOM_CAPSULE, 0.05, 0.1, 0, 0.05, 0, 0.2);
    turn_shape(&other, 1, 1.5707963267948966);
    s = look(&other, &box);
    assert_true(active(&s, 3) == 3 && s.normal[2] > 1 - 1e-6);
    near_point(&s, 0, -0.05, 0, 0.2, -0.1);
    near_point(&s, 1, 0.15, 0, 0.2, -0.1);
    /* exactly touching is touching: numbers that are exact in binary */
    reference_shape cube = shape_at(MYR_GEOM_BOX, 0.125, 0.125, 0.125, 0, 0, 0),
                    above = shape_at(MYR_GEOM_BOX, 0.125, 0.125, 0.125, 0, 0, 0.25);
    s = look(&above, &cube);
    assert_true(__builtin_popcount(active(&s, 9)) == 4);
    /* the same box twice */
    s = look(&cube, &cube);
    assert_true(__builtin_popcount(active(&s, 9)) == 4 && fabs(s.gap[least(&s, 9)] + 0.25) < 1e-6);
    /* edge across edge */
    above = cube;
    turn_shape(&cube, 0, 0.7853981633974483);
    turn_shape(&above, 1, 0.7853981633974483);
    above.position[2] = 2 * 0.125 * sqrt(2) - 1e-3;
    s = look(&above, &cube);
    assert_true(active(&s, 9) == 1u << 8);
    near_point(&s, 8, 0, 0, 0.125 * sqrt(2) - 5e-4, -1e-3);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(round_shapes), cmocka_unit_test(boxes),
                                       cmocka_unit_test(resting_boxes_do_not_flicker), cmocka_unit_test(degenerate_poses)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* ctest: heavy law
 * Pairs with cylinders and hulls in lanes: closed forms of where they touch, a hull that is a box against boxes, random hulls against all
 * their axes in double, and the promises: a lane's answer is its own, the same on every instruction set. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "kernels/kernels.h"
#include "pair_lanes/pair_lanes.h"
#include "support/random_model.h"
#include "reference/rigid_body.h"
#include "reference/small.h"

static pair_shape shape_at(myr_geom_type type, double s0, double s1, double s2, double x, double y, double z) {
    return (pair_shape){.geom = {.type = type, .size = {s0, s1, s2}}, .position = {x, y, z}, .rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
}

static pair_shape hull_box(double hx, double hy, double hz) {
    pair_shape s = shape_at(MYR_GEOM_HULL, 0, 0, 0, 0, 0, 0);
    double x[8][3];
    for (int i = 0; i < 8; i++) x[i][0] = i & 1 ? hx : -hx, x[i][1] = i & 2 ? hy : -hy, x[i][2] = i & 4 ? hz : -hz;
    pair_hull(&s, x[0], 8);
    assert_int_equal(s.geom.n_faces, 6);
    for (int f = 0; f < 6; f++) assert_int_equal(s.geom.faces[f].n, 4);
    return s;
}

static void forget(pair_shape *s) {
    free(s->geom.points);
    myr_release(s->geom.faces);
}

static void turn(pair_shape *s, int axis, double angle) {
    const int i = (axis + 1) % 3, j = (axis + 2) % 3;
    double R[9] = {0}, old[9];
    R[4 * axis] = 1, R[4 * i] = R[4 * j] = cos(angle), R[3 * i + j] = -sin(angle), R[3 * j + i] = sin(angle);
    memcpy(old, s->rotation, sizeof old);
    mul33(R, old, s->rotation);
}

static void pose_of(const pair_shape *s, double pose[PAIR_POSE]) {
    memcpy(pose, s->position, sizeof s->position), memcpy(pose + 3, s->rotation, sizeof s->rotation);
}

static pair_answer look(const pair_unit *unit, const pair_shape *a, const pair_shape *b) {
    double poses[2][PAIR_POSE];
    pair_answer out;
    pose_of(a, poses[0]), pose_of(b, poses[1]);
    unit->meet(a, b, poses[0], poses[1], 1, 0, &out);
    return out;
}

/* So many contacts, all as deep, along z, and their middle. */
static void expect(const pair_unit *unit, const char *what, const pair_answer *s, int contacts, double gap, double x, double y, double z) {
    const double exact = unit->precision[1] == '6' ? 1e-9 : 3e-6, wanted[3] = {x, y, z};
    double middle[3] = {0};
    int n = 0;
    for (int k = 0; k < s->slots; k++) {
        if (s->gap[k] > 0) continue;
        if (!(fabs(s->gap[k] - gap) <= exact)) fail_msg("%s, %s %s: gap %g, not %g", what, unit->isa, unit->precision, s->gap[k], gap);
        for (int i = 0; i < 3; i++) middle[i] += s->at[k][i];
        n++;
    }
    if (n != contacts || !(s->normal[2] > 1 - 1e-6))
        fail_msg("%s, %s %s: %d contacts, not %d", what, unit->isa, unit->precision, n, contacts);
    for (int i = 0; i < 3; i++)
        if (!(fabs(middle[i] / n - wanted[i]) <= 30 * exact))
            fail_msg("%s: coordinate %d is %g, not %g", what, i, middle[i] / n, wanted[i]);
}

static void closed_forms(const pair_unit *unit) {
    const double deep = 1e-3, h = M_SQRT1_2;
    pair_shape box = shape_at(MYR_GEOM_BOX, 0.3, 0.3, 0.1, 0, 0, -0.1), drum = shape_at(MYR_GEOM_CYLINDER, 0.3, 0.1, 0, 0, 0, -0.1);
    pair_shape plate = hull_box(0.3, 0.3, 0.1), brick = hull_box(0.1, 0.08, 0.06);
    plate.position[2] = -0.1;
    const pair_shape *tables[] = {&box, &drum, &plate};
    for (int t = 0; t < 3; t++)
        for (int pose = 0; pose < 3; pose++) { /* upright, lying, on its rim */
            const double lean = pose == 1 ? M_PI / 2 : pose == 2 ? 0.4 : 0, height = 0.05 * fabs(cos(lean)) + 0.08 * fabs(sin(lean));
            const double rim = pose == 2 ? 0.08 * cos(lean) - 0.05 * sin(lean) : 0; /* x of its lowest point */
            pair_shape can = shape_at(MYR_GEOM_CYLINDER, 0.08, 0.05, 0, 0, 0, 0);
            pair_answer s;
            turn(&can, 1, lean);
            can.position[2] = height - deep;
            if (tables[t]->geom.type == MYR_GEOM_BOX) { /* the model has the box first: all of it upside down */
                pair_shape high = *tables[t];
                high.position[2] = 0.1, can.position[2] = deep - height;
                turn(&can, 0, M_PI);
                s = look(unit, &high, &can);
                for (int k = 0; k < s.slots; k++) s.at[k][2] = -s.at[k][2];
            } else {
                s = look(unit, &can, tables[t]);
            }
            expect(unit, "a cylinder on a face", &s, pose == 0 ? 4 : pose == 1 ? 2 : 1, -deep, rim, 0, -deep / 2);
        }
    brick.position[2] = 0.06 - deep;
    pair_answer s = look(unit, &brick, &plate);
    expect(unit, "hull on hull", &s, 4, -deep, 0, 0, -deep / 2);
    /* crossed cylinders */
    pair_shape low = shape_at(MYR_GEOM_CYLINDER, 0.1, 0.3, 0, 0, 0, -0.1),
               high = shape_at(MYR_GEOM_CYLINDER, 0.05, 0.2, 0, 0, 0, 0.05 - deep);
    turn(&low, 1, M_PI / 2), turn(&high, 0, M_PI / 2);
    s = look(unit, &high, &low);
    expect(unit, "crossed cylinders", &s, 1, -deep, 0, 0, -deep / 2);
    /* edge on edge: two bars turned up by 45 degrees, crossed */
    pair_shape bar = hull_box(0.05, 0.3, 0.05), other = hull_box(0.3, 0.04, 0.04);
    turn(&bar, 1, M_PI / 4), turn(&other, 0, M_PI / 4);
    bar.position[2] = 0.1 * h - deep, other.position[2] = -0.08 * h;
    s = look(unit, &bar, &other);
    expect(unit, "edge on edge", &s, 1, -deep, 0, 0, -deep / 2);
    forget(&plate), forget(&brick), forget(&bar), forget(&other);
}

/* The ends of what two lines along x share: so many slots, where, and the same ones when all of it is turned by less than what counts. */
static void expect_stretch(const pair_unit *unit, const char *what, const pair_shape *a, const pair_shape *b, double gap) {
    const double exact = unit->precision[1] == '6' ? 1e-9 : 5e-6, ends[2] = {-0.05, 0.3};
    /* a gap that is exact to 2^-20 of both shapes (gjk.lane.h) leaves a round one's direction to half the digits */
    const double aside = unit->precision[1] == '6' ? 1e-5 : 4e-4;
    int place[2] = {-1, -1};
    for (int tilt = 0; tilt < 27; tilt++) {
        pair_shape from = *a;
        double poses[2][PAIR_POSE];
        pair_answer s;
        for (int k = 0; k < 3; k++) turn(&from, k, 1e-5 * ((tilt / (k == 0 ? 1 : k == 1 ? 3 : 9)) % 3 - 1));
        pose_of(&from, poses[0]), pose_of(b, poses[1]);
        unit->meet(&from, b, poses[0], poses[1], 1, 1e-3, &s);
        int n = 0;
        for (int k = 0; k < s.slots; k++) {
            if (s.gap[k] > 1e-3) continue;
            const int end = fabs(s.at[k][0] - ends[1]) < 1e-3;
            if (!(fabs(s.at[k][0] - ends[end]) <= exact + 1e-5) || !(fabs(s.at[k][1]) <= aside) ||
                !(fabs(s.gap[k] - gap) <= exact + 5e-6) || (place[end] >= 0 && place[end] != k))
                fail_msg("%s, %s %s, tilt %d, gap %g: slot %d at %.7g %.7g, gap %.7g", what, unit->isa, unit->precision, tilt, gap, k,
                         s.at[k][0], s.at[k][1], s.gap[k]);
            place[end] = k, n++;
        }
        if (n != 2 || place[0] < 0 || place[1] < 0)
            fail_msg("%s, %s %s, tilt %d, gap %g: %d contacts, not 2", what, unit->isa, unit->precision, tilt, gap, n);
    }
}

static void parallel_lines(const pair_unit *unit) {
    enum { CYLINDER, CAPSULE, BOX, HULL };
    static const char *const names[] = {"cylinder", "capsule", "box", "hull"};
    for (int i = 0; i < 16; i++)
        for (int apart = 0; apart < 2; apart++) {
            const int above = i / 4, below = i % 4;
            const double gap = apart ? 1e-4 : -1e-4;
            pair_shape two[2];
            char what[64];
            if (!apart && above >= BOX && below >= BOX) continue; /* two edges that overlap part along a face */
            if (above == BOX && below == BOX) continue;           /* box_box counts nothing that is apart along no axis of theirs */
            for (int k = 0; k < 2; k++) {
                const int which = k ? below : above;
                const double r = k ? 0.1 : 0.08, half = k ? 0.3 : 0.2;
                two[k] = which == CYLINDER  ? shape_at(MYR_GEOM_CYLINDER, r, half, 0, 0, 0, 0)
                         : which == CAPSULE ? shape_at(MYR_GEOM_CAPSULE, r, half, 0, 0, 0, 0)
                         : which == BOX     ? shape_at(MYR_GEOM_BOX, half, r, r, 0, 0, 0)
                                            : hull_box(half, r, r);
                turn(&two[k], which >= BOX ? 0 : 1, which >= BOX ? M_PI / 4 : M_PI / 2);
                const double up = which >= BOX ? r * M_SQRT2 : r;
                two[k].position[0] = k ? 0 : 0.15, two[k].position[2] = k ? -up : up + gap;
            }
            snprintf(what, sizeof what, "%s along a %s", names[above], names[below]);
            if (pair_slots_of(two[0].geom.type, two[1].geom.type)) expect_stretch(unit, what, &two[0], &two[1], gap);
            for (int k = 0; k < 2; k++)
                if ((k ? below : above) == HULL) forget(&two[k]);
        }
}

static void each_unit(void (*check)(const pair_unit *)) {
    const pair_unit *unit;
    for (int u = 0; (unit = pair_unit_at(u)); u++)
        if (myr_isa_present(unit->isa)) check(unit);
}

static void touch_where_they_should(void **state) {
    (void)state;
    each_unit(closed_forms);
}

static void lines_touch_at_both_ends(void **state) {
    (void)state;
    each_unit(parallel_lines);
}

static pair_shape random_hull(random_source *source, int n) {
    pair_shape s = shape_at(MYR_GEOM_HULL, 0, 0, 0, 0, 0, 0);
    double x[3 * 16], q[4];
    for (int i = 0; i < n; i++) { /* on a sphere: all of them are corners */
        double length = 0;
        for (int k = 0; k < 3; k++) x[3 * i + k] = random_uniform(source, -1, 1), length += x[3 * i + k] * x[3 * i + k];
        for (int k = 0; k < 3; k++) x[3 * i + k] *= 0.12 / sqrt(length);
    }
    random_quaternion(source, q);
    reference_quaternion_rotation(q, s.rotation);
    pair_hull(&s, x, n);
    return s;
}

static void to_world(const pair_shape *s, const double x[3], double out[3]) {
    for (int i = 0; i < 3; i++) out[i] = s->rotation[3 * i] * x[0] + s->rotation[3 * i + 1] * x[1] + s->rotation[3 * i + 2] * x[2];
}

/* The most of s(n) over the normals of all faces and of all crossed lines between corners of a face: minus the overlap. */
static double all_axes(const pair_shape *a, const pair_shape *b) {
    const pair_shape *both[2] = {a, b};
    static double edges[2][2048][3];
    int n[2] = {0};
    double most = -INFINITY, axis[3];
    for (int side = 0; side < 2; side++)
        for (int f = 0; f < both[side]->geom.n_faces; f++) {
            const myr_face *face = &both[side]->geom.faces[f];
            to_world(both[side], face->normal, axis);
            for (int k = 0; k < 3 && !side; k++) axis[k] = -axis[k];
            most = fmax(most, pair_apart(a, b, axis));
            for (int i = 0; i < face->n; i++) {
                double d[3];
                for (int k = 0; k < 3; k++) d[k] = face->corner[(i + 1) % face->n][k] - face->corner[i][k];
                to_world(both[side], d, edges[side][n[side]++]);
            }
        }
    for (int i = 0; i < n[0]; i++)
        for (int j = 0; j < n[1]; j++) {
            cross(edges[0][i], edges[1][j], axis);
            const double length = sqrt(dot(axis, axis));
            if (length < 1e-9) continue;
            for (int k = 0; k < 3; k++) axis[k] /= length;
            most = fmax(most, pair_apart(a, b, axis));
        }
    return most;
}

/* Overlaps up to the tenth part of the hulls: the least there is in most poses, and the next where a corner has several. */
static void hulls_against_all_axes(const pair_unit *unit) {
    enum { CASES = 300 };
    const double tolerance = unit->precision[1] == '6' ? 1e-9 : 5e-6;
    random_source source = {9};
    int exact = 0, cases = 0, within = 0;
    while (cases < CASES) {
        pair_shape a = random_hull(&source, 6 + cases % 8), b = random_hull(&source, 5 + cases % 7);
        for (int k = 0; k < 3; k++) a.position[k] = random_uniform(&source, -0.15, 0.15);
        if (cases % 3 == 0) forget(&b), b = hull_box(0.08, 0.1, 0.06);
        const double truth = all_axes(&a, &b);
        if (truth < 0 && truth > -0.012) {
            const pair_answer s = look(unit, &a, &b);
            const double apart = pair_apart(&a, &b, s.normal) / sqrt(dot(s.normal, s.normal));
            cases++;
            exact += apart > truth - tolerance;
            within += apart > 1.5 * truth - tolerance;
            assert_true(apart <= truth + tolerance);
        }
        forget(&a), forget(&b);
    }
    print_message("%s %s: %d of %d overlaps are the least, %d within 1.5 times\n", unit->isa, unit->precision, exact, CASES, within);
    assert_true(exact >= 0.85 * CASES && within >= 0.98 * CASES);
}

static void overlaps_are_least(void **state) {
    (void)state;
    each_unit(hulls_against_all_axes);
}

/* Contacts; what there is of features that a lane does not have is of no interest. */
static int same(const pair_answer *a, const pair_answer *b) {
    for (int k = 0; k < a->slots; k++) {
        if ((a->gap[k] <= 0) != (b->gap[k] <= 0)) return 0;
        if (a->gap[k] <= 0 && (memcmp(a->normal, b->normal, sizeof a->normal) != 0 || memcmp(&a->gap[k], &b->gap[k], 8) != 0 ||
                               memcmp(a->at[k], b->at[k], sizeof a->at[k]) != 0))
            return 0;
    }
    return 1;
}

/* Each lane with a pose of its own, and the same pose alone, on each instruction set: the same bits. */
static void lanes_are_their_own(void **state) {
    static const myr_geom_type types[] = {MYR_GEOM_SPHERE, MYR_GEOM_CAPSULE, MYR_GEOM_BOX, MYR_GEOM_CYLINDER, MYR_GEOM_HULL};
    enum { POSES = 64 };
    (void)state;
    for (int i = 0; i < 25; i++) {
        random_source source = {(uint64_t)i + 1};
        if (!pair_slots_of(types[i / 5], types[i % 5])) continue;
        static double poses[2][POSES][PAIR_POSE];
        static pair_answer first[2][POSES], again[PAIR_LANES];
        int known[2] = {0, 0};
        pair_shape shapes[2];
        for (int s = 0; s < 2; s++) {
            const myr_geom_type type = types[s ? i % 5 : i / 5];
            shapes[s] = type == MYR_GEOM_HULL ? random_hull(&source, 12) : shape_at(type, 0.1, 0.12, 0.08, 0, 0, 0);
            for (int p = 0; p < POSES; p++) {
                double q[4];
                random_quaternion(&source, q);
                for (int k = 0; k < 3; k++) poses[s][p][k] = random_uniform(&source, -0.12, 0.12);
                reference_quaternion_rotation(q, poses[s][p] + 3);
            }
        }
        const pair_unit *unit;
        memset(first, 0, sizeof first);
        for (int u = 0; (unit = pair_unit_at(u)); u++) {
            const int p64 = unit->precision[1] == '6';
            if (!myr_isa_present(unit->isa)) continue;
            for (int p = 0; p < POSES && !known[p64]; p++)
                unit->meet(&shapes[0], &shapes[1], poses[0][p], poses[1][p], 1, 0, &first[p64][p]);
            known[p64] = 1;
            for (int p = 0; p < POSES; p += unit->lanes) {
                memset(again, 0, sizeof again);
                unit->meet(&shapes[0], &shapes[1], poses[0][p], poses[1][p], unit->lanes, 0, again);
                for (int k = 0; k < unit->lanes; k++)
                    if (!same(&again[k], &first[p64][p + k]))
                        fail_msg("%s %s, types %d and %d: pose %d is not what it is alone", unit->isa, unit->precision, (int)types[i / 5],
                                 (int)types[i % 5], p + k);
            }
        }
        for (int s = 0; s < 2; s++) forget(&shapes[s]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(touch_where_they_should), cmocka_unit_test(lines_touch_at_both_ends),
                                       cmocka_unit_test(overlaps_are_least), cmocka_unit_test(lanes_are_their_own)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

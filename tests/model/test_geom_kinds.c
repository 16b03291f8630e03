/* What each type of geom in include/myriapod/geoms.def says of itself. At load time (model/geoms.h): of random ones, that nothing of it is
 * beyond the point that it calls the farthest, nor outside of what holds it, and that its slots are on it. In lanes
 * (collision/geoms.lane.h): that they see the same farthest point, a bound that is one, and faces that are the geom's. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "kernels/kernels.h"
#include "model/geoms.h"
#include "pair_lanes/pair_lanes.h"
#include "support/random_model.h"

enum { ROUNDS = 200, DIRECTIONS = 30, CORNERS = 12 };
static const double rounding = 1e-14; /* lengths are below 1 m */

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static void random_direction(random_source *source, double n[3]) {
    double length;
    do {
        for (int k = 0; k < 3; k++) n[k] = random_uniform(source, -1, 1);
        length = sqrt(dot(n, n));
    } while (length > 1 || length < 0.1);
    for (int k = 0; k < 3; k++) n[k] /= length;
}

/* Round, long and flat ones; of points, off their middle. */
static myr_geom random_geom(random_source *source, myr_geom_type type) {
    pair_shape shape = {.geom.type = type, .geom.body = -1};
    double half[3], x[3 * CORNERS];
    for (int k = 0; k < 3; k++) half[k] = exp(random_uniform(source, log(0.01), log(0.3)));
    for (int k = 0; k < myr_geom_sizes[type]; k++) shape.geom.size[k] = half[k];
    if (myr_geom_sizes[type]) return shape.geom;
    for (int i = 0; i < CORNERS; i++) {
        random_direction(source, x + 3 * i);
        for (int k = 0; k < 3; k++) x[3 * i + k] = half[k] * (x[3 * i + k] + 0.5);
    }
    pair_hull(&shape, x, CORNERS);
    shape.geom.type = type;
    return shape.geom;
}

/* How far the geom reaches along n, and the most that what holds it does. */
static double along(const myr_geom *g, const double n[3]) {
    double at[3];
    myr_kind_of(g)->farthest(g, n, at);
    return dot(n, at) + myr_geom_radius(g);
}

static void is_held(const myr_geom *g, const myr_hold *hold, const double n[3]) {
    const double middle = dot(n, hold->center), most = along(g, n) - middle, back[3] = {-n[0], -n[1], -n[2]};
    double box = 0.0;
    for (int k = 0; k < 3; k++) box += hold->half[k] * fabs(n[k]);
    assert_true(most <= box + rounding);
    assert_true(most <= hold->reach + rounding);
    assert_true(most <= hold->rod_radius + hold->rod_half * fabs(n[hold->rod_axis]) + rounding);
    if (!g->n_points) assert_true(along(g, n) + along(g, back) >= 2 * hold->least - rounding);
}

/* The box is not wider than the geom, and some axis of it has the least extent, unless that lies between faces. */
static void box_fits(const myr_geom *g, const myr_hold *hold) {
    double least = INFINITY;
    for (int k = 0; k < 3; k++) {
        const double up[3] = {k == 0, k == 1, k == 2}, down[3] = {-up[0], -up[1], -up[2]};
        assert_true(fabs(along(g, up) - hold->center[k] - hold->half[k]) < rounding);
        assert_true(fabs(along(g, down) + hold->center[k] - hold->half[k]) < rounding);
        least = fmin(least, hold->half[k]);
    }
    if (!g->n_points) assert_true(fabs(hold->least - least) < rounding);
    assert_true(hold->rod_axis >= 0 && hold->rod_axis < 3 && hold->least > 0.0);
}

/* Balls of slots, and what the slots of a rim go around, are within the geom; each is somewhere else. */
static void slots_are_on_it(const myr_geom *g, const double n[3]) {
    const int n_slots = myr_kind_of(g)->n_slots ? myr_kind_of(g)->n_slots : g->n_points;
    double before[3] = {NAN, NAN, NAN};
    assert_true(n_slots > 0);
    for (int k = 0; k < n_slots; k++) {
        myr_slot slot = {.feature = k};
        myr_kind_of(g)->place(g, k, &slot);
        const double rim = slot.rim ? slot.rim_radius * dot(n, slot.side) : 0.0;
        assert_true(dot(n, slot.center) + rim + myr_geom_radius(g) <= along(g, n) + rounding);
        if (!slot.rim) assert_true(memcmp(before, slot.center, sizeof before) != 0);
        memcpy(before, slot.center, sizeof before);
    }
}

static void of_type(myr_geom_type type) {
    random_source source = {(uint64_t)type + 11};
    for (int round = 0; round < ROUNDS; round++) {
        myr_geom g = random_geom(&source, type);
        myr_hold hold;
        double n[3], other[3], at[3];
        myr_kind_of(&g)->hold(&g, &hold);
        box_fits(&g, &hold);
        for (int i = 0; i < DIRECTIONS; i++) {
            random_direction(&source, n), random_direction(&source, other);
            myr_kind_of(&g)->farthest(&g, other, at);
            assert_true(dot(n, at) + myr_geom_radius(&g) <= along(&g, n) + rounding);
            is_held(&g, &hold, n);
            slots_are_on_it(&g, n);
        }
        free(g.points);
        myr_release(g.faces);
    }
}

/* The face is of the geom, and nothing of the geom is before it. */
static void face_is_of_it(const myr_geom *g, const pair_view *v, const double n[3], double rounding_here) {
    for (int k = 0; k < v->corners; k++) {
        double corner[3];
        for (int i = 0; i < 3; i++) corner[i] = v->middle[i] + v->corner[k][i];
        assert_true(dot(n, corner) + myr_geom_radius(g) <= along(g, n) + rounding_here);
        if (v->is_area) assert_true(fabs(dot(v->normal, corner) - along(g, v->normal)) < rounding_here);
    }
    if (v->is_area) assert_true(fabs(dot(v->normal, v->normal) - 1) < rounding_here && dot(v->normal, n) > 0);
}

static void of_lanes(const pair_unit *unit, myr_geom_type type, int flat) {
    const double rounding_here = unit->precision[1] == '6' ? 1e-14 : 1e-6;
    random_source source = {(uint64_t)type + 5};
    int areas = 0;
    for (int round = 0; round < ROUNDS; round++) {
        pair_shape shape = {.geom = random_geom(&source, type)};
        const myr_geom *g = &shape.geom;
        double n[PAIR_LANES][3];
        pair_view views[PAIR_LANES];
        for (int lane = 0; lane < unit->lanes; lane++) random_direction(&source, n[lane]);
        unit->view(&shape, n, unit->lanes, views);
        for (int lane = 0; lane < unit->lanes; lane++) {
            const pair_view *v = &views[lane];
            const double most = along(g, n[lane]) - dot(n[lane], v->middle);
            assert_true(fabs(dot(n[lane], v->farthest) + myr_geom_radius(g) - most) < rounding_here);
            assert_true(v->along >= most - rounding_here);
            for (int k = 0; k < unit->lanes; k++) {
                const double at = dot(n[k], v->farthest) + dot(n[k], v->middle);
                assert_true(at + myr_geom_radius(g) <= along(g, n[k]) + rounding_here);
            }
            if (flat) face_is_of_it(g, v, n[lane], rounding_here);
            areas += v->is_area;
        }
        free(shape.geom.points);
        myr_release(shape.geom.faces);
    }
    assert_true(flat ? 5 * areas > ROUNDS * unit->lanes : areas == 0); /* a fifth looks at a cap, more at a box or a hull */
}

static void lanes_see_the_same(void **state) {
    (void)state;
    const pair_unit *unit;
    for (int u = 0; (unit = pair_unit_at(u)); u++) {
        if (!myr_isa_present(unit->isa)) continue;
        int flat[64] = {0};
#define MYR_FLAT_GEOM(TYPE, name, sizes, meaning) flat[MYR_GEOM_##TYPE] = 1;
#include "myriapod/geoms.def"
#define MYR_GEOM(TYPE, name, sizes, meaning) of_lanes(unit, MYR_GEOM_##TYPE, flat[MYR_GEOM_##TYPE]);
#include "myriapod/geoms.def"
    }
}

static void every_type_says_what_it_is(void **state) {
    (void)state;
    int types = 0;
#define MYR_GEOM(TYPE, name, sizes, meaning) of_type(MYR_GEOM_##TYPE), types++;
#include "myriapod/geoms.def"
    assert_true(types >= 5 && myr_geom_exists(types - 1) && !myr_geom_exists(types) && !myr_geom_exists(-1));
}

/* What has faces has vertices of a map stick into it; what has slots between its ends on a map is round. */
static void flat_ones_have_faces(void **state) {
    (void)state;
    int flat = 0, on_map = 0;
#define MYR_FLAT_GEOM(TYPE, name, sizes, meaning) flat += 1, assert_int_equal(myr_geom_kinds[MYR_GEOM_##TYPE]->on_map, MYR_SLOT_SPIKES);
#include "myriapod/geoms.def"
    for (int type = 0; myr_geom_exists(type); type++) {
        const myr_geom_kind *kind = myr_geom_kinds[type];
        on_map += kind->on_map == MYR_SLOT_SPIKES;
        assert_true(kind->first_axis >= 0 && kind->first_axis <= 3);
        if (kind->on_map == MYR_SLOT_MIDDLE) assert_true(kind->is_round && kind->n_slots == 2);
    }
    assert_true(flat > 0 && flat == on_map);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_says_what_it_is),
        cmocka_unit_test(flat_ones_have_faces),
        cmocka_unit_test(lanes_see_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

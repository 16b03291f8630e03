/* One unit of map_lanes.h. */
#include <math.h>
#include <string.h>
#include <time.h>

#pragma GCC diagnostic ignored "-Wunused-function" /* of robots, the ground alone */
#include "kernels/contact/whole/take.h"            /* before `part` is a type */

#include "collision/map.lane.h"
#include "collision/map_capsule.lane.h"
#include "collision/map_spikes.lane.h"
#include "map_lanes.h"

typedef struct map_balls {
    ground_origin origin;
    v3 center, later;
    vf reach;
} map_balls;

/* Lanes beyond n repeat the last one. */
static map_balls take_balls(const map_case *cases, int n) {
    map_balls b = {0};
    b.center = b.later = v3_zero();
    for (int lane = 0; lane < VN; lane++) {
        const map_case *c = &cases[lane < n ? lane : n - 1];
        lane_put(&b.origin.i, lane, c->origin_i), lane_put(&b.origin.k, lane, c->origin_k),
            lane_put(&b.origin.height, lane, c->origin_height);
        lane_put(&b.center.x, lane, c->center[0]), lane_put(&b.center.y, lane, c->center[1]), lane_put(&b.center.z, lane, c->center[2]);
        lane_put(&b.later.x, lane, c->later[0]), lane_put(&b.later.y, lane, c->later[1]), lane_put(&b.reach, lane, c->reach);
    }
    return b;
}

static void give(const v3 *v, int lane, double out[3]) {
    out[0] = lane_of(&v->x, lane), out[1] = lane_of(&v->y, lane), out[2] = lane_of(&v->z, lane);
}

static void run(const myr_terrain *t, map_case *cases, int n) {
    const lane_ground g = ground_of(t);
    const map_balls b = take_balls(cases, n);
    map_touch second = {0};
    vm two;
    const map_touch first = map_ball(&g, &b.origin, b.center, b.later, ground_around(cases->radius, t->cell), &second, b.reach, &two);
    const vf plane = v3_dot(first.normal, v3_sub(b.center, first.corner)), height = ground_height(&g, &b.origin, b.center.x, b.center.y);
    for (int lane = 0; lane < n; lane++) {
        map_case *c = &cases[lane];
        c->distance = lane_of(&first.distance, lane), c->two = (int)(vm_bits(two) >> lane & 1);
        c->plane = vm_bits(first.flat) >> lane & 1 ? lane_of(&plane, lane) : (double)NAN;
        c->second_distance = lane_of(&second.distance, lane), c->height = lane_of(&height, lane);
        give(&first.normal, lane, c->normal), give(&second.normal, lane, c->second_normal);
    }
}

static void run_rods(const myr_terrain *t, rod_case *cases, int n) {
    const lane_ground g = ground_of(t);
    ground_origin o = {0};
    v3 from = v3_zero(), along = v3_zero();
    for (int lane = 0; lane < VN; lane++) {
        const rod_case *c = &cases[lane < n ? lane : n - 1];
        lane_put(&o.i, lane, c->origin_i), lane_put(&o.k, lane, c->origin_k), lane_put(&o.height, lane, c->origin_height);
        lane_put(&from.x, lane, c->from[0]), lane_put(&from.y, lane, c->from[1]), lane_put(&from.z, lane, c->from[2]);
        lane_put(&along.x, lane, c->along[0]), lane_put(&along.y, lane, c->along[1]), lane_put(&along.z, lane, c->along[2]);
    }
    map_touch touch[2] = {0};
    vf share[2] = {vf_zero(), vf_zero()};
    vm has[2];
    map_rod_middle(&g, &o, from, along, (real)cases->length, vm_all(), touch, share, has);
    for (int lane = 0; lane < n; lane++)
        for (int half = 0; half < 2; half++) {
            rod_case *c = &cases[lane];
            c->half[half].has = (int)(vm_bits(has[half]) >> lane & 1);
            c->half[half].share = lane_of(&share[half], lane), c->half[half].distance = lane_of(&touch[half].distance, lane);
            give(&touch[half].normal, lane, c->half[half].normal);
        }
}

static void run_flats(const myr_terrain *t, int kind, const double half[3], const double (*planes)[4], int n_planes, double reach,
                      flat_case *cases, int n) {
    const lane_ground g = ground_of(t);
    real numbers[4 * 64];
    lane_flat is = {.type = kind == 0 ? MYR_GEOM_BOX : kind == 1 ? MYR_GEOM_CYLINDER : MYR_GEOM_HULL, .n_planes = n_planes};
    for (int k = 0; k < 4 * n_planes; k++) numbers[k] = (real)planes[k / 4][k % 4];
    for (int k = 0; k < 3; k++) is.half[k] = (real)half[k];
    is.planes = numbers, is.radius = (real)sqrt(half[0] * half[0] + half[1] * half[1] + half[2] * half[2]);
    map_flat f = {.is = &is, .center = v3_zero(), .reach = vf_set((real)reach)};
    ground_origin o = {0};
    for (int lane = 0; lane < VN; lane++) {
        const flat_case *c = &cases[lane < n ? lane : n - 1];
        lane_put(&o.i, lane, c->origin_i), lane_put(&o.k, lane, c->origin_k), lane_put(&o.height, lane, c->origin_height);
        lane_put(&f.center.x, lane, c->center[0]), lane_put(&f.center.y, lane, c->center[1]), lane_put(&f.center.z, lane, c->center[2]);
        for (int k = 0; k < 9; k++) lane_put(&f.F[k], lane, c->turn[k]);
    }
    map_flat_extent(&f);
    map_spikes s;
    const int any = map_flat_spikes(&g, &o, &f, vm_all(), &s);
    for (int lane = 0; lane < n; lane++)
        for (int k = 0; k < MYR_SPIKE_SLOTS; k++) {
            flat_case *c = &cases[lane];
            c->quarter[k].has = any && (vm_bits(s.has[k]) >> lane & 1);
            if (!c->quarter[k].has) continue;
            c->quarter[k].distance = lane_of(&s.distance[k], lane);
            give(&s.normal[k], lane, c->quarter[k].normal), give(&s.at[k], lane, c->quarter[k].at);
        }
}

static double seconds_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double time_balls(const myr_terrain *t, const map_case *cases, int n, int repeats, int seconds) {
    const lane_ground g = ground_of(t);
    map_balls b = take_balls(cases, n);
    map_touch second = {0};
    vm two = vm_none();
    vf sum = vf_zero();
    const double begin = seconds_now();
    for (int k = 0; k < repeats; k++) {
        const map_touch first =
            map_ball(&g, &b.origin, b.center, b.later, ground_around(cases->radius, t->cell), seconds ? &second : NULL, b.reach, &two);
        sum = sum + first.distance;
        b.center.x = b.center.x + vf_set((real)1e-6);
        if (seconds && vm_any(two)) sum = sum + second.distance;
    }
    const double end = seconds_now();
    volatile vf keep = sum;
    (void)keep;
    return end - begin;
}

extern const map_unit MYR_UNIT(map_lanes);
const map_unit MYR_UNIT(map_lanes) = {MYR_ISA_NAME, MYR_DOUBLE, VN, run, run_rods, run_flats, time_balls};

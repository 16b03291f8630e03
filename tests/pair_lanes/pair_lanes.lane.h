/* One unit of pair_lanes.h. */
#pragma GCC diagnostic ignored "-Wunused-function" /* of the step, only collision is looked at */
#include <time.h>

#include "collision/pairs.lane.h"
#include "pair_lanes.h"

typedef struct pair_memory {
    lane_solid solid;
    char hull[1 << 16] __attribute__((aligned(64)));
} pair_memory;

/* As the model in lanes has it: body and pose are the caller's. */
static void take_shape(const pair_shape *shape, pair_memory *memory, double middle[3]) {
    myr_geom geom = shape->geom;
    char *hull = memory->hull;
    geom.body = -1;
    memset(geom.position, 0, sizeof geom.position);
    for (int k = 0; k < 9; k++) geom.rotation[k] = k % 4 == 0;
    myr_model model = {.geoms = &geom, .n_geoms = 1};
    memory->solid = robot_solid(&model, 0, &hull);
    for (int k = 0; k < 3; k++) middle[k] = (double)memory->solid.at[k];
}

static void put_lane(vf *x, int lane, double value) {
    real lanes[VN];
    memcpy(lanes, x, sizeof lanes);
    lanes[lane] = (real)value;
    memcpy(x, lanes, sizeof lanes);
}

static double get_lane(const vf *x, int lane) {
    real lanes[VN];
    memcpy(lanes, x, sizeof lanes);
    return (double)lanes[lane];
}

static void center_of(const double *pose, const double middle[3], double out[3]) {
    for (int i = 0; i < 3; i++) {
        out[i] = pose[i];
        for (int k = 0; k < 3; k++) out[i] += pose[3 + 3 * i + k] * middle[k];
    }
}

typedef struct pair_poses {
    vf Ra[9], Rb[9], d[3];
} pair_poses;

/* Lanes beyond n repeat the last one. */
static void take_poses(const double *poses_a, const double *poses_b, const double *middle_a, const double *middle_b, int n, pair_poses *p) {
    memset(p, 0, sizeof *p);
    for (int lane = 0; lane < VN; lane++) {
        const int i = lane < n ? lane : n - 1;
        const double *a = poses_a + PAIR_POSE * i, *b = poses_b + PAIR_POSE * i;
        double from_a[3], from_b[3];
        center_of(a, middle_a, from_a), center_of(b, middle_b, from_b);
        for (int k = 0; k < 9; k++) put_lane(&p->Ra[k], lane, a[3 + k]), put_lane(&p->Rb[k], lane, b[3 + k]);
        for (int k = 0; k < 3; k++) put_lane(&p->d[k], lane, from_a[k] - from_b[k]);
    }
}

static void meet(const pair_shape *a, const pair_shape *b, const double *poses_a, const double *poses_b, int n, double reach,
                 pair_answer *answers) {
    static _Thread_local pair_memory of_a, of_b;
    double middle_a[3], middle_b[3];
    pair_poses p;
    manifold m;
    take_shape(a, &of_a, middle_a), take_shape(b, &of_b, middle_b);
    take_poses(poses_a, poses_b, middle_a, middle_b, n, &p);
    find_manifold((solid){&of_a.solid, p.Ra}, (solid){&of_b.solid, p.Rb}, v3_load(p.d), vm_all(), vf_set((real)reach), &m);
    for (int i = 0; i < n; i++) {
        pair_answer *out = &answers[i];
        double from_b[3];
        center_of(poses_b + PAIR_POSE * i, middle_b, from_b);
        out->slots = pair_slots_of(a->geom.type, b->geom.type);
        out->normal[0] = get_lane(&m.normal.x, i), out->normal[1] = get_lane(&m.normal.y, i), out->normal[2] = get_lane(&m.normal.z, i);
        for (int k = 0; k < out->slots; k++) {
            out->gap[k] = get_lane(&m.gap[k], i);
            out->at[k][0] = from_b[0] + get_lane(&m.at[k].x, i);
            out->at[k][1] = from_b[1] + get_lane(&m.at[k].y, i);
            out->at[k][2] = from_b[2] + get_lane(&m.at[k].z, i);
        }
    }
}

static void bounds(const pair_shape *a, const pair_shape *b, const double *poses_a, const double *poses_b, int n, double reach, int *ends,
                   double *apart) {
    static _Thread_local pair_memory of_a, of_b;
    double middle_a[3], middle_b[3];
    pair_poses p;
    convex_gap at;
    take_shape(a, &of_a, middle_a), take_shape(b, &of_b, middle_b);
    take_poses(poses_a, poses_b, middle_a, middle_b, n, &p);
    const solid x = {&of_a.solid, p.Ra}, y = {&of_b.solid, p.Rb};
    const vf found = vf_select(bounds_meet(x, y, v3_load(p.d), vm_all(), vf_set((real)reach)), vf_set(0), vf_set(1)),
             radius = vf_set(x.is->radius + y.is->radius);
    const convex c = convex_of(x, y, v3_load(p.d));
    convex_nearest(&c, vm_all(), vf_set((real)reach) + radius, &at);
    const vf gap = at.apart - radius;
    for (int i = 0; i < n; i++) ends[i] = get_lane(&found, i) != 0, apart[i] = get_lane(&gap, i);
}

static void get_vector(const v3 *x, int lane, double out[3]) {
    out[0] = get_lane(&x->x, lane), out[1] = get_lane(&x->y, lane), out[2] = get_lane(&x->z, lane);
}

static void view(const pair_shape *shape, const double (*directions)[3], int n, pair_view *views) {
    static _Thread_local pair_memory memory;
    double middle[3];
    v3 along = v3_zero();
    shape_face face;
    take_shape(shape, &memory, middle);
    for (int lane = 0; lane < VN; lane++) {
        const double *from = directions[lane < n ? lane : n - 1];
        put_lane(&along.x, lane, from[0]), put_lane(&along.y, lane, from[1]), put_lane(&along.z, lane, from[2]);
    }
    const vf bound = geom_along(&memory.solid, along);
    const v3 farthest = geom_farthest(&memory.solid, along);
    geom_flat(&memory.solid, along, &face);
    for (int i = 0; i < n; i++) {
        pair_view *out = &views[i];
        memcpy(out->middle, middle, sizeof middle);
        out->along = get_lane(&bound, i), out->corners = face.n, out->is_area = (int)(vm_bits(face.area) >> i & 1);
        get_vector(&farthest, i, out->farthest), get_vector(&face.normal, i, out->normal);
        for (int k = 0; k < face.n; k++) get_vector(&face.corner[k], i, out->corner[k]);
    }
}

static double meet_time(const pair_shape *a, const pair_shape *b, const double *poses_a, const double *poses_b, int n, double reach,
                        int repeats) {
    static _Thread_local pair_memory of_a, of_b;
    enum { SETS = 64 };
    static _Thread_local pair_poses p[SETS];
    double middle_a[3], middle_b[3];
    struct timespec from, to;
    manifold m;
    volatile real sink = 0;
    take_shape(a, &of_a, middle_a), take_shape(b, &of_b, middle_b);
    if (n > SETS) n = SETS;
    for (int i = 0; i < n; i++) take_poses(poses_a + PAIR_POSE * VN * i, poses_b + PAIR_POSE * VN * i, middle_a, middle_b, VN, &p[i]);
    clock_gettime(CLOCK_MONOTONIC, &from);
    for (int k = 0; k < repeats; k++)
        for (int i = 0; i < n; i++) {
            find_manifold((solid){&of_a.solid, p[i].Ra}, (solid){&of_b.solid, p[i].Rb}, v3_load(p[i].d), vm_all(), vf_set((real)reach), &m);
            sink = sink + (real)get_lane(&m.gap[0], 0);
        }
    clock_gettime(CLOCK_MONOTONIC, &to);
    return (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec);
}

extern const pair_unit MYR_UNIT(pair_unit);
const pair_unit MYR_UNIT(pair_unit) = {MYR_ISA_NAME, MYR_DOUBLE ? "f64" : "f32", VN, meet, bounds, view, meet_time};

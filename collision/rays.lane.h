/* A ray of each lane of a part against the geoms of the model and the ground. */
#ifndef MYR_COLLISION_RAYS_LANE_H
#define MYR_COLLISION_RAYS_LANE_H

#include "rays_map.lane.h"
#include "robot/place.lane.h"

/* A part whose shapes stand where its bodies are. */
typedef struct ray_scene {
    const part *p;
    const myr_rays_options *options;
    const myr_ray_shapes *shapes; /* NULL: none is looked for */
    const unsigned char *hidden;  /* by shape: 1: it is not seen, whatever the options say; NULL: none is so */
    vf *place;                    /* by shape: middle, its axes -> world; row-major */
} ray_scene;

/* What a ray meets: 1e30 m away and geom MYR_RAYS_NOTHING where that is nothing. */
typedef struct ray_answer {
    vf distance, geom;
    v3 normal;
} ray_answer;

enum { RAY_PLACE = 12 };

/* A point and axes that are constant in a body's aligned frame, in the world; after kinematics that keeps rotations. */
static void ray_on_body(const part *p, int body, const double at[3], const double axes[9], v3 *middle, vf R[9]) {
    const vf *R0 = p->w->R0 + 9 * p->r->bodies[body].tree, *own = p->w->R + 9 * body;
    const real arm[3] = {(real)at[0], (real)at[1], (real)at[2]};
    const v3 in_base = m3_mul_add(own, v3_uniform(arm), v3_load(p->w->p + 3 * body));
    *middle = v3_add(tree_position(p, p->r->bodies[body].tree), m3_mul(R0, in_base));
    for (int k = 0; k < 3; k++) {
        const real column[3] = {(real)axes[k], (real)axes[3 + k], (real)axes[6 + k]};
        const v3 axis = m3_mul(R0, m3_mul(own, v3_uniform(column)));
        R[k] = axis.x, R[3 + k] = axis.y, R[6 + k] = axis.z;
    }
}

static int ray_sees(const ray_scene *scene, int g, int tree) {
    const myr_rays_options *o = scene->options;
    const myr_ray_shape *shape = &scene->shapes->shape[g];
    if (scene->hidden && scene->hidden[g]) return 0;
    if (o->exclude == MYR_RAYS_EXCLUDE_NONE) return 1;
    return o->exclude == MYR_RAYS_EXCLUDE_BODY || o->body < 0 ? shape->body != o->body : shape->tree != tree;
}

static int ray_left_tree(const ray_scene *scene) { return scene->options->body < 0 ? -1 : scene->p->r->bodies[scene->options->body].tree; }

/* After kinematics that keeps rotations. */
static void ray_place(const ray_scene *scene) {
    const part *p = scene->p;
    const int tree = ray_left_tree(scene);
    for (int g = 0; scene->shapes && g < scene->shapes->n; g++) {
        const myr_ray_shape *shape = &scene->shapes->shape[g];
        vf *place = scene->place + RAY_PLACE * g;
        if (!ray_sees(scene, g, tree)) continue;
        if (shape->body >= 0) {
            v3 middle;
            ray_on_body(p, shape->body, shape->at, shape->turn, &middle, place + 3);
            v3_store(place, middle);
            continue;
        }
        const vf *rows = field_rows(p, MYR_ROWS_world_at) + PARTS * 3 * shape->world;
        for (int k = 0; k < 3; k++) place[k] = rows[PARTS * k] + vf_set((real)shape->middle[k]);
        for (int k = 0; k < 9; k++) place[3 + k] = vf_set((real)shape->turn[k]);
    }
}

static void ray_meet_shape(const myr_ray_shape *shape, int geom, const vf *place, v3 o, v3 d, ray_answer *best) {
    const v3 from = v3_sub(o, v3_load(place));
    const vf along = -v3_dot(from, d), reach = vf_set((real)(1.0001 * shape->reach)), zero = vf_zero();
    const v3 across = v3_fma(along, d, from);
    const vm near = vm_and(vm_le(v3_dot(across, across), vf_fma(vf_set((real)1e-10), v3_dot(from, from), reach * reach)),
                           vm_and(vm_ge(along + reach, zero), vm_le(along - reach, best->distance)));
    if (!vm_any(near)) return;
    const vf *R = place + 3;
    const ray_span s = ray_through(shape, m3_mul_t(R, across), m3_mul_t(R, d));
    const vf in = along + s.in, out = along + s.out;
    const vm enters = vm_ge(in, zero), there = vm_and(vm_le(s.in, s.out), vm_ge(out, zero));
    const vf t = vf_select(enters, in, out);
    const vm better = vm_and(vm_and(near, there), vm_lt(t, best->distance));
    if (!vm_any(better)) return;
    best->distance = vf_select(better, t, best->distance), best->geom = vf_select(better, vf_set((real)geom), best->geom);
    best->normal = v3_select(better, m3_mul(R, v3_select(enters, s.first, s.last)), best->normal);
}

static void ray_meet_ground(const part *p, v3 o, v3 d, vm alive, ray_answer *best) {
    const vf level = vf_set((real)p->options->ground), zero = vf_zero();
    v3 normal = {zero, zero, vf_set(1)};
    vf t;
    if (p->r->ground.map) {
        const ground_origin origin = ground_origin_of(p);
        t = ray_map(&p->r->ground, &origin, level, o, d, best->distance, alive, &normal);
    } else {
        const vf over = o.z - level;
        const vm falls = vm_and(vm_lt(d.z, zero), vm_ge(over, zero));
        t = vf_select(falls, over / vf_select(falls, -d.z, vf_set(1)), vf_set(RAY_FAR));
    }
    const vm better = vm_and(alive, vm_lt(t, best->distance));
    best->distance = vf_select(better, t, best->distance), best->geom = vf_select(better, vf_set(MYR_RAYS_GROUND), best->geom);
    best->normal = v3_select(better, normal, best->normal);
}

/* Rays from o along unit vectors d, world axes. One that is not finite meets nothing. */
static ray_answer ray_cast(const ray_scene *scene, v3 o, v3 d, vf range) {
    ray_answer best = {range, vf_set(MYR_RAYS_NOTHING), v3_zero()};
    const int tree = ray_left_tree(scene);
    for (int g = 0; scene->shapes && g < scene->shapes->n; g++) {
        const myr_ray_shape *shape = &scene->shapes->shape[g];
        if (ray_sees(scene, g, tree)) ray_meet_shape(shape, g, scene->place + RAY_PLACE * g, o, d, &best);
    }
    const vm alive = vm_finite(((o.x + o.y) + o.z) + ((d.x + d.y) + d.z));
    if (scene->options->ground && scene->p->options->ground > -RAY_FAR && vm_any(alive)) ray_meet_ground(scene->p, o, d, alive, &best);
    best.distance = vf_select(vm_eq(best.geom, vf_set(MYR_RAYS_NOTHING)), vf_set((real)__builtin_inf()), best.distance);
    return best;
}

#endif

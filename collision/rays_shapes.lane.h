/* What a ray meets of one shape. In the shape's own axes, from the point of the ray's line that is nearest to its middle: numbers are then
 * of the shape's size, and nothing cancels that is far away. All shapes are convex, so a line meets one in an interval. */
#ifndef MYR_COLLISION_RAYS_SHAPES_LANE_H
#define MYR_COLLISION_RAYS_SHAPES_LANE_H

#include "kernels/lane.h"
#include "robot/rays.h"

#define RAY_FAR ((real)1e30) /* [m] */

/* Where a line is within something convex: enters at `in`, leaves at `out`; not at all where in > out. Normals point out of it. */
typedef struct ray_span {
    vf in, out;
    v3 first, last;
} ray_span;

static inline ray_span ray_always(void) { return (ray_span){vf_set(-RAY_FAR), vf_set(RAY_FAR), v3_zero(), v3_zero()}; }

/* Of these lanes there is nothing. */
static inline void ray_none(ray_span *s, vm where) {
    s->in = vf_select(where, vf_set(RAY_FAR), s->in), s->out = vf_select(where, vf_set(-RAY_FAR), s->out);
}

/* The part below a plane: over: how far the line's point is above it, into: how fast that grows. */
INLINE void ray_below(ray_span *s, vf over, vf into, v3 normal) {
    const vf zero = vf_zero();
    const vm along = vm_eq(into, zero);
    const vf t = -over / vf_select(along, vf_set(1), into);
    const vm enters = vm_and(vm_lt(into, zero), vm_gt(t, s->in)), leaves = vm_and(vm_gt(into, zero), vm_lt(t, s->out));
    s->in = vf_select(enters, t, s->in), s->first = v3_select(enters, normal, s->first);
    s->out = vf_select(leaves, t, s->out), s->last = v3_select(leaves, normal, s->last);
    ray_none(s, vm_and(along, vm_gt(over, zero)));
}

/* Between -half and half of an axis. */
INLINE void ray_slab(ray_span *s, vf o, vf d, real half, const int axis) {
    for (int side = -1; side <= 1; side += 2) {
        const vf sign = vf_set((real)side), zero = vf_zero();
        ray_below(s, vf_fma(sign, o, vf_set(-half)), sign * d,
                  (v3){axis == 0 ? sign : zero, axis == 1 ? sign : zero, axis == 2 ? sign : zero});
    }
}

/* A ball about (0, 0, z). */
INLINE ray_span ray_ball(v3 o, v3 d, real radius, real z) {
    const v3 from = {o.x, o.y, o.z - vf_set(z)};
    const vf along = -v3_dot(from, d);
    const v3 across = v3_fma(along, d, from);
    const vf square = vf_fma(vf_set(radius), vf_set(radius), -v3_dot(across, across)), half = vf_sqrt(vf_max(square, vf_zero()));
    const vf per = vf_set(1 / radius);
    ray_span s = {along - half, along + half, v3_zero(), v3_zero()};
    s.first = v3_scale(per, v3_fma(-half, d, across)), s.last = v3_scale(per, v3_fma(half, d, across));
    ray_none(&s, vm_lt(square, vf_zero()));
    return s;
}

/* A tube about z without ends. A line along it is within it or not. */
INLINE ray_span ray_tube(v3 o, v3 d, real radius) {
    const vf zero = vf_zero(), one = vf_set(1), r = vf_set(radius), a = vf_fma(d.x, d.x, d.y * d.y);
    const vm along = vm_le(a, vf_set((real)(MYR_EPSILON * MYR_EPSILON)));
    const vf inverse = one / vf_select(along, one, a);
    const vf moment = vf_fms(o.x, d.y, o.y * d.x), square = vf_fma(r * r, a, -(moment * moment));
    const vf half = vf_sqrt(vf_max(square, zero)) * inverse, middle = -vf_fma(o.x, d.x, o.y * d.y) * inverse;
    /* across the direction, and along it, of length r together */
    const vf side = moment * inverse, per = vf_set(1 / radius);
    const v3 foot = {side * d.y, -(side * d.x), zero}, way = {half * d.x, half * d.y, zero};
    ray_span s = {middle - half, middle + half, v3_scale(per, v3_sub(foot, way)), v3_scale(per, v3_add(foot, way))};
    s.in = vf_select(along, vf_set(-RAY_FAR), s.in), s.out = vf_select(along, vf_set(RAY_FAR), s.out);
    ray_none(&s, vm_or(vm_andnot(vm_lt(square, zero), along), vm_and(along, vm_gt(vf_fma(o.x, o.x, o.y * o.y), r * r))));
    return s;
}

/* All of two that overlap, or of which one may be empty. */
INLINE void ray_join(ray_span *s, const ray_span *other) {
    const vm there = vm_le(other->in, other->out), none = vm_gt(s->in, s->out);
    const vm in = vm_and(there, vm_or(none, vm_le(other->in, s->in))), out = vm_and(there, vm_or(none, vm_ge(other->out, s->out)));
    s->in = vf_select(in, other->in, s->in), s->first = v3_select(in, other->first, s->first);
    s->out = vf_select(out, other->out, s->out), s->last = v3_select(out, other->last, s->last);
}

INLINE ray_span ray_cylinder(v3 o, v3 d, real radius, real half) {
    ray_span s = ray_tube(o, d, radius);
    ray_slab(&s, o.z, d.z, half, 2);
    return s;
}

static ray_span ray_capsule(v3 o, v3 d, real radius, real half) {
    ray_span s = ray_cylinder(o, d, radius, half);
    const ray_span upper = ray_ball(o, d, radius, half), lower = ray_ball(o, d, radius, -half);
    ray_join(&s, &upper), ray_join(&s, &lower);
    return s;
}

static ray_span ray_box(v3 o, v3 d, const real half[3]) {
    ray_span s = ray_always();
    ray_slab(&s, o.x, d.x, half[0], 0), ray_slab(&s, o.y, d.y, half[1], 1), ray_slab(&s, o.z, d.z, half[2], 2);
    return s;
}

static ray_span ray_hull(v3 o, v3 d, const double (*planes)[4], int n) {
    ray_span s = ray_always();
    for (int f = 0; f < n; f++) {
        const v3 normal = {vf_set((real)planes[f][0]), vf_set((real)planes[f][1]), vf_set((real)planes[f][2])};
        ray_below(&s, v3_dot(normal, o) - vf_set((real)planes[f][3]), v3_dot(normal, d), normal);
    }
    if (!n) ray_none(&s, vm_all()); /* a needle */
    return s;
}

/* The one place that knows all shapes. */
static ray_span ray_through(const myr_ray_shape *shape, v3 o, v3 d) {
    const real size[3] = {(real)shape->size[0], (real)shape->size[1], (real)shape->size[2]};
    switch (shape->type) {
    case MYR_GEOM_SPHERE: return ray_ball(o, d, size[0], 0);
    case MYR_GEOM_CAPSULE: return ray_capsule(o, d, size[0], size[1]);
    case MYR_GEOM_CYLINDER: return ray_cylinder(o, d, size[0], size[1]);
    case MYR_GEOM_BOX: return ray_box(o, d, size);
    default: return ray_hull(o, d, shape->planes, shape->n_planes);
    }
}

#endif

/* The slots of bodies against a map (collision/map.lane.h): what ground_slots.lane.h is for the plane. A flat map gives the plane's bits: a
 * gap on a face is the body's height over the face's plane, which is the same for all its slots there, and lengths within the body.
 *
 * A ball takes the closest point of the surface, and a second contact in a valley or at the foot of a wall. The first of its two slots is
 * the floor's and the second the wall's, so that a foot that rocks keeps its warm starts: a wrong guess costs a sweep, never a result. A
 * capsule is two balls, and what its axis lies across between them (map_capsule.lane.h). All else touches by points, each over the triangle
 * or pillar below it: exact wherever the foot of the perpendicular lies in there, and nothing falls through. Sharp vertices of the map may
 * stick into it (map_spikes.lane.h); its rim and corners are chosen by the ground around it (map_smooth.lane.h). */
#ifndef MYR_COLLISION_MAP_SLOTS_LANE_H
#define MYR_COLLISION_MAP_SLOTS_LANE_H

#include "ground_slots.lane.h"
#include "manifold.lane.h"
#include "map.lane.h"
#include "map_capsule.lane.h"
#include "map_smooth.lane.h"
#include "map_spikes.lane.h"

#define MAP_FLOOR 0.7                        /* a lone contact is the floor's where its normal's z is above */
#define MAP_EVEN 1e-3                        /* normals whose z differ by less are ordered by x, then y */
enum { MAP_HIGH_CELLS = MYR_TERRAIN_BLOCK }; /* the coarse map knows what is highest within so many cells */

/* What all bodies of a part are looked at with. */
typedef struct map_look {
    ground_look ground;
    ground_origin origin;
} map_look;

/* A body at work: as on the plane, and where it is on the map. */
typedef struct map_place {
    body_place body;
    v3 at; /* its origin, from the origin of the map [m]; z above the ground's 0 */
    const vf *R0;
} map_place;

/* Lanes in which a body's ball, `center` in base axes, is near enough to what is highest around it. level: the ground around it is so in
 * all of them, and that high [m]. */
static vm map_low(const part *p, const map_look *look, const lane_body *b, v3 center, vf reach, vf *level, int *is_level) {
    const lane_ground *g = &p->r->ground;
    const v3 base = v3_load(p->w->tree_at + 3 * b->tree), from = m3_mul(p->w->R0 + 9 * b->tree, center);
    const v3 at = v3_add(base, from);
    const vf wide = reach + vf_set((real)1.0001 * b->ball_radius);
    const ground_spot s = ground_spot_at(g, &look->origin, at.x, at.y, (real)0.5);
    vf lowest, highest;
    ground_pair(g->map->range, s.block, &lowest, &highest);
    const vf high = vf_set(g->step) * (highest - look->origin.height);
    const vf over = at.z - look->ground.ground - high, scale = vf_abs(at.z) + vf_abs(from.z) + vf_abs(high);
    const vm known = vm_lt(wide, vf_set(MAP_HIGH_CELLS * g->cell)), clear = vm_gt(vf_fnma(vf_set((real)1e-5), scale, over), wide);
    const vm near = vm_andnot(vm_from_bits(p->alive), vm_and(clear, known));
    *level = high, *is_level = !vm_any(vm_andnot(near, vm_and(known, vm_eq(lowest, highest))));
    return near;
}

INLINE map_place map_place_of(const part *p, const map_look *look, int body) {
    const lane_body *b = &p->r->bodies[body];
    const vf *R0 = p->w->R0 + 9 * b->tree;
    const v3 base = v3_load(p->w->tree_at + 3 * b->tree);
    const body_place at = ground_body(p, &look->ground, body, v3_load(R0 + 6));
    return (map_place){at, {base.x + v3_dot(v3_load(R0), at.origin), base.y + v3_dot(v3_load(R0 + 3), at.origin), at.height}, R0};
}

/* The factor on friction of the block below a point. */
static vf map_friction(const lane_ground *g, const ground_origin *o, const map_place *place, v3 arm) {
    const v3 at = v3_add(place->at, m3_mul(place->R0, arm));
    const ground_spot s = ground_spot_at(g, o, at.x, at.y, (real)0.5);
    return vf_set((real)(1.0 / 128)) * ground_block(g->map->friction, s.block);
}

/* Axes where the normal is n: on level ground the world's to the bit, zeros and their signs too. */
INLINE void map_axes(v3 n, vf F[9]) {
    const vm slope = vm_or(vm_not(vm_eq(n.x, vf_zero())), vm_not(vm_eq(n.y, vf_zero())));
    if (!vm_any(slope)) {
        UNROLL for (int i = 0; i < 9; i++) F[i] = vf_set(i % 4 == 0);
        return;
    }
    contact_axes(n, F);
    UNROLL for (int i = 0; i < 9; i++) F[i] = F[i] + vf_zero();
}

/* One contact: slot s in the lanes `may`, where it touches `t`, or, where `level`, ground of that height; arm: the ball's centre from the
 * body's origin, base axes. */
INLINE void map_contact_as(const part *p, const map_look *look, int s, const map_place *place, v3 arm, const map_touch *t, vf height,
                           const int level, vm may, patch *f) {
    workspace *w = p->w;
    const vf radius = vf_set(p->r->slots[s].radius);
    const v3 n = level ? world_up() : v3_select(may, t->normal, world_up()); /* of lanes without it, harmless */
    const v3 own = level ? v3_load(place->R0 + 6) : m3_mul_t(place->R0, n);
    vf gap = (level ? place->at.z - height : v3_dot(n, v3_sub(place->at, t->corner))) + (v3_dot(own, arm) - radius);
    if (!level) gap = vf_select(t->flat, gap, t->distance - radius);
    const v3 low = v3_sub(v3_add(place->body.origin, arm), v3_scale(radius, own));
    const vf ends = window_ends(p, gap, twist_along(p, p->r->slots[s].body, low, own));
    vm active = vm_and(may, window_reached(p, gap, ends));
    if (!vm_any(active)) return;
    if (p->r->mixed && !vm_any(active = entry_fits(p, active))) return;
    contact_ground on;
    if (level) {
        UNROLL for (int i = 0; i < 9; i++) on.frame[i] = vf_set(i % 4 == 0);
    } else
        map_axes(n, on.frame);
    on.rough = vf_set(1);
    if (p->r->ground.map->friction) on.rough = map_friction(&p->r->ground, &look->origin, place, arm);
    if (look->ground.chooses) {
        candidate_add(w, s, active, low, gap, ends, &on);
        return;
    }
    if (f) {
        patch_add(p, f, s, active, low, window_rests(p, gap, gap), &on);
        return;
    }
    touch_note(w, s, w->occupied, w->occupied + 1, 1);
    entry_begin(p, w->occupied, s, active, low, window_rests(p, gap, gap), &on);
}

static __attribute__((noinline)) void map_contact(const part *p, const map_look *look, int s, const map_place *place, v3 arm,
                                                  const map_touch *t, vm may, patch *f) {
    map_contact_as(p, look, s, place, arm, t, vf_zero(), 0, may, f);
}
static __attribute__((noinline)) void map_level_contact(const part *p, const map_look *look, int s, const map_place *place, v3 arm,
                                                        vf height, vm may, patch *f) {
    map_contact_as(p, look, s, place, arm, NULL, height, 1, may, f);
}

/* Where the second contact comes first: it is the floor's. */
static vm map_swaps(const map_touch *a, const map_touch *b) {
    const vf even = vf_set((real)MAP_EVEN), dz = b->normal.z - a->normal.z, dx = a->normal.x - b->normal.x, dy = a->normal.y - b->normal.y;
    const vm same_z = vm_le(vf_abs(dz), even), same_x = vm_le(vf_abs(dx), even);
    const vm by_x = vm_or(vm_andnot(vm_gt(dx, vf_zero()), same_x), vm_and(same_x, vm_gt(dy, vf_zero())));
    return vm_or(vm_andnot(vm_gt(dz, vf_zero()), same_z), vm_and(same_z, by_x));
}

/* Velocity of a slot's centre, base axes [m/s]. */
INLINE v3 map_velocity(const part *p, int s, v3 arm) {
    const vf *twist = p->w->twist + 6 * p->r->slots[s].body;
    return v3_cross_add(v3_load(twist), arm, v3_load(twist + 3));
}

/* How far from its centre a slot may touch something within the step [m]. */
INLINE vf map_reach(const part *p, int s, v3 velocity) {
    const vf speed = vf_sqrt(v3_dot(velocity, velocity));
    return vf_set(p->r->slots[s].radius) + vf_max(p->w->closed, vf_fma(vf_set(p->dt), speed, p->w->spare));
}

/* What the samples around the nearest one say of a slot at `center`: in the lanes *may it may touch the ground within the step. Where these
 * are level there, as they are most of the time on flats and stairs, the height says all that has to be said, with the bits of the long
 * way. Returns 1 where nothing is left to be done. ball: it sees half a cell around it, else what is below it. */
INLINE int map_around(const part *p, const map_look *look, int s, const map_place *place, v3 arm, v3 center, vf reach, const int ball,
                      vm *may, patch *f) {
    const lane_ground *g = &p->r->ground;
    const ground_spot at = ground_spot_at(g, &look->origin, center.x, center.y, (real)0.5);
    vf low, high;
    ground_range(g, at.at, &low, &high);
    const vf height = vf_set(g->step) * (high - look->origin.height), over = center.z - height, half = vf_set((real)0.5 * g->cell);
    const vf scale = vf_abs(center.z) + vf_abs(height);
    vm clear = vm_gt(vf_fnma(vf_set((real)1e-5), scale, over), reach);
    if (ball) clear = vm_and(clear, vm_le(reach, half));
    *may = vm_andnot(look->ground.alive, clear);
    if (!vm_any(*may)) return 1;
    const vm other = ball ? vm_or(vm_gt(high, low), vm_gt(over, half)) : vm_gt(high, low); /* what is fast comes down elsewhere */
    if (vm_any(vm_and(*may, other))) return 0;
    map_level_contact(p, look, s, place, arm, height, *may, f);
    return 1;
}

/* A ball whose slots are s and its twin. */
static void map_ball_slots(const part *p, const map_look *look, int s, const map_place *place, v3 arm, patch *f) {
    const lane_ground *g = &p->r->ground;
    const v3 center = v3_add(place->at, m3_mul(place->R0, arm)), velocity = map_velocity(p, s, arm);
    const vf reach = map_reach(p, s, velocity);
    vm two, may = look->ground.alive;
    if (p->r->slots[s].around == 1 && map_around(p, look, s, place, arm, center, reach, 1, &may, f)) return;
    map_touch other;
    const v3 later = v3_fma(vf_set(p->dt), m3_mul(place->R0, velocity), center);
    const map_touch t = map_ball(g, &look->origin, center, later, p->r->slots[s].around, &other, reach, &two);
    const vm wall = vm_andnot(vm_lt(t.normal.z, vf_set((real)MAP_FLOOR)), two);
    if (!vm_any(vm_and(may, vm_or(two, wall)))) {
        map_contact(p, look, s, place, arm, &t, may, f);
        return;
    }
    if (!vm_any(two)) other = t;
    const vm swaps = vm_and(two, map_swaps(&t, &other));
    const map_touch first = map_touch_select(swaps, other, t), second = map_touch_select(vm_andnot(two, swaps), other, t);
    map_contact(p, look, s, place, arm, &first, vm_andnot(may, wall), f);
    map_contact(p, look, s + 1, place, arm, &second, vm_and(may, vm_or(two, wall)), f);
}

/* A point of a body. */
static void map_point_slot(const part *p, const map_look *look, int s, const map_place *place, v3 arm, patch *f) {
    const v3 at = v3_add(place->at, m3_mul(place->R0, arm));
    vm may;
    if (map_around(p, look, s, place, arm, at, map_reach(p, s, map_velocity(p, s, arm)), 0, &may, f)) return;
    const map_touch t = map_below(&p->r->ground, &look->origin, at, at.x, at.y);
    map_contact(p, look, s, place, arm, &t, may, f);
}

/* A capsule between its ends, whose first slots are s - 4 and s - 2: slots s and s + 1. R: as below. */
static void map_middle_slots(const part *p, const map_look *look, int s, const map_place *place, const vf *R, patch *f) {
    const lane_slot *slots = p->r->slots;
    v3 arm = v3_uniform(slots[s - 4].center), other = v3_uniform(slots[s - 2].center);
    if (R) arm = m3_mul(R, arm), other = m3_mul(R, other);
    const v3 way = v3_sub(other, arm);
    map_touch t[2];
    vf share[2];
    vm has[2];
    const v3 from = v3_add(place->at, m3_mul(place->R0, arm)), along = m3_mul(place->R0, way);
    const vf middle = vf_set((real)0.5), reach = window_of(p, slots[s].body, v3_add(place->body.origin, v3_fma(middle, way, arm)));
    const vf lowest = from.z + vf_min(along.z, vf_zero()) - (vf_set(slots[s].radius) + reach);
    const vm low =
        ground_within(&p->r->ground, &look->origin, v3_fma(middle, along, from), (real)0.5 * slots[s].length, lowest, look->ground.alive);
    if (!vm_any(low)) return;
    map_rod_middle(&p->r->ground, &look->origin, from, along, slots[s].length, low, t, share, has);
    for (int half = 0; half < 2; half++)
        if (vm_any(has[half])) map_contact(p, look, s + half, place, v3_fma(share[half], way, arm), &t[half], has[half], f);
}

/* The middle of a flat solid, from the body's origin, base axes. R: as below. */
INLINE v3 flat_arm(const lane_flat *flat, const vf *R) {
    const v3 own = v3_uniform(flat->center);
    return R ? m3_mul(R, own) : own;
}

/* Up for the geom of slot s, in its body's axes; own_up: the world's. */
static v3 map_own_up(const part *p, const map_look *look, int s, const map_place *place, const vf *R, v3 own_up) {
    const lane_flat *flat = &p->r->flats[p->r->slots[s].flat - 1];
    const v3 at = v3_add(place->at, m3_mul(place->R0, flat_arm(flat, R)));
    vm leans;
    const v3 n = map_smooth_normal(&p->r->ground, &look->origin, at.x, at.y, flat->radius, &leans);
    if (!vm_any(leans)) return own_up;
    const v3 base = m3_mul_t(place->R0, n);
    return v3_select(leans, R ? m3_mul_t(R, base) : base, own_up);
}

/* A flat solid where it is. R: as below. */
static map_flat map_flat_of(const part *p, const lane_flat *is, int body, const map_place *place, const vf *R) {
    const v3 arm = flat_arm(is, R);
    const vf *twist = p->w->twist + 6 * body, radius = vf_set((real)1.0001 * is->radius);
    const v3 v = v3_cross_add(v3_load(twist), arm, v3_load(twist + 3));
    const vf speed = vf_fma(radius, length_of(twist, 1), vf_sqrt(v3_dot(v, v)));
    map_flat flat = {.is = is, .center = v3_add(place->at, m3_mul(place->R0, arm))};
    flat.reach = vf_max(p->w->closed, vf_fma(vf_set(p->dt), speed, p->w->spare));
    for (int axis = 0; axis < 3; axis++) {
        const real *column = is->turn + axis;
        v3 way = {vf_set(column[0]), vf_set(column[3]), vf_set(column[6])};
        if (R) way = m3_mul(R, way);
        way = m3_mul(place->R0, way);
        flat.F[axis] = way.x, flat.F[3 + axis] = way.y, flat.F[6 + axis] = way.z;
    }
    map_flat_extent(&flat);
    return flat;
}

/* Vertices of the map that stick into a flat solid: slots s to s + 3. R: as below. */
static void map_spike_slots(const part *p, const map_look *look, int s, const map_place *place, const map_flat *flat, const vf *R,
                            patch *f) {
    const v3 arm = flat_arm(flat->is, R);
    map_spikes spikes;
    if (!map_flat_spikes(&p->r->ground, &look->origin, flat, look->ground.alive, &spikes)) return;
    for (int k = 0; k < MYR_SPIKE_SLOTS; k++) {
        const map_touch t = {.normal = spikes.normal[k], .distance = spikes.distance[k], .flat = vm_none(), .corner = v3_zero()};
        if (vm_any(spikes.has[k])) map_contact(p, look, s + k, place, v3_add(arm, m3_mul_t(place->R0, spikes.at[k])), &t, spikes.has[k], f);
    }
}

/* All slots of a body. R: its axes in those of the base, NULL where they are these. */
static void map_slots(const part *p, map_look *look, int body, const vf *R) {
    workspace *w = p->w;
    const robot *r = p->r;
    const lane_body *b = &r->bodies[body];
    const v3 up = v3_load(w->R0 + 9 * b->tree + 6), ball = v3_uniform(b->ball);
    const v3 center = R ? v3_add(v3_load(w->p + 3 * body), m3_mul(R, ball)) : ball;
    /* by lane: over a slope the plane of a triangle may come nearer to a point than the ground does */
    vf level = vf_zero();
    int is_level = 0;
    look->ground.alive = b->gated ? map_low(p, look, b, center, window_of(p, body, center), &level, &is_level) : vm_from_bits(p->alive);
    if (!vm_any(look->ground.alive)) return;
    const map_place place = map_place_of(p, look, body);
    const v3 own_up = R ? m3_mul_t(R, up) : up;
    const vm alive = look->ground.alive;
    v3 corners[MYR_HULL_SLOTS], geom_up = own_up;
    map_flat flat = {0};
    vm near = alive; /* of these the lanes in which the flat solid at work is */
    patch f = patch_open(w);
    const int first = w->n_out;
    look->ground.chooses = p->options->working_sets && b->n_places > FEW_SLOTS;
    for (int s = b->slot; s < b->slot + b->n_slots; s++) {
        const lane_slot *slot = &r->slots[s];
        if (slot->flat && slot->feature == 0 && !is_level) {
            flat = map_flat_of(p, &r->flats[slot->flat - 1], body, &place, R);
            near = map_flat_near(&r->ground, &look->origin, &flat, alive);
        }
        look->ground.alive = slot->flat && !is_level ? near : alive;
        if (!vm_any(look->ground.alive)) continue;
        if (slot->twin == MYR_SLOT_MIDDLE && !is_level) map_middle_slots(p, look, s, &place, R, &f);
        if (slot->twin == MYR_SLOT_SPIKES && r->ground.map->has_sharp && !is_level) map_spike_slots(p, look, s, &place, &flat, R, &f);
        if (slot->twin) continue;
        if ((slot->hull || slot->rim) && slot->feature == 0) geom_up = is_level ? own_up : map_own_up(p, look, s, &place, R, own_up);
        if (slot->hull && slot->feature == 0) hull_points(&r->hulls[slot->hull - 1], geom_up, corners);
        const v3 own = slot->hull ? corners[slot->feature] : slot->rim ? rim_point(slot, geom_up) : v3_uniform(slot->center);
        const v3 arm = R ? m3_mul(R, own) : own;
        if (is_level)
            map_level_contact(p, look, s, &place, arm, level, look->ground.alive, &f);
        else if (slot->radius > 0)
            map_ball_slots(p, look, s, &place, arm, &f);
        else
            map_point_slot(p, look, s, &place, arm, &f);
    }
    if (look->ground.chooses) patch_choose(p, &f, first, up);
    look->ground.chooses = 0;
    patch_close(w, &f);
}

/* A body with one ball, other than a base: kinematics has its place. */
static void map_lone(const part *p, const map_look *look, int body) {
    const int s = p->r->bodies[body].slot;
    const map_place place = map_place_of(p, look, body);
    const v3 arm = v3_load(p->w->ball_at + 3 * body);
    if (p->r->slots[s].radius > 0)
        map_ball_slots(p, look, s, &place, arm, NULL);
    else
        map_point_slot(p, look, s, &place, arm, NULL);
}

#endif

/* Two boxes: the axis of least overlap (six face normals, nine crossed edges) says how they touch.
 *
 * Face: the other box's most opposed face is cut to the reference face; its corners are those that lie over the reference face, where its
 * edges enter and leave it, and the corners of the reference face that lie under it. Feature 2 i is where edge i enters (or corner i
 * itself), 2 i + 1 where it leaves; corner j of the reference face takes the first of these that is free from 2 j + 1 on. A convex
 * polygon cut to a rectangle has at most eight corners. Edge against edge: feature 8.
 *
 * Nothing depends on which of two equal numbers rounding makes the larger: the face counts as slightly larger than it is (FACE_MARGIN),
 * so that corners of equal boxes on top of each other are corners over the face and nothing else, and the first box's faces come before
 * the second's, and faces before edges, unless these overlap less by more than BOX_MARGIN. */
#ifndef MYR_COLLISION_BOXES_LANE_H
#define MYR_COLLISION_BOXES_LANE_H

#include "capsule_box.lane.h"

/* In terms of the smallest half extent of both. */
#define BOX_MARGIN 1e-3

/* An axis of a box, by lane. */
typedef struct axis_choice {
    vm y, z; /* neither: x */
} axis_choice;

static inline vf choose(axis_choice c, vf x, vf y, vf z) { return vf_select(c.z, z, vf_select(c.y, y, x)); }
static inline v3 choose3(axis_choice c, v3 x, v3 y, v3 z) { return v3_select(c.z, z, v3_select(c.y, y, x)); }
static inline axis_choice next_axis(axis_choice c) { return (axis_choice){vm_not(vm_or(c.y, c.z)), c.y}; }
static inline axis_choice take_axis(axis_choice c, vm where, int k) {
    const vm y = k == 1 ? vm_or(c.y, where) : vm_andnot(c.y, where), z = k == 2 ? vm_or(c.z, where) : vm_andnot(c.z, where);
    return (axis_choice){y, z};
}

typedef struct box_pair {
    vf C[9];         /* axis i of b times axis j of a, at 3 i + j */
    vf da[3], db[3]; /* from b's centre to a's, in a's and b's axes */
    const real *ha, *hb;
    vf margin;
} box_pair;

static vf face_overlap(const box_pair *p, int of_b, int k) {
    vf reach = vf_set(of_b ? p->hb[k] : p->ha[k]);
    for (int i = 0; i < 3; i++) reach = vf_fma(vf_set(of_b ? p->ha[i] : p->hb[i]), vf_abs(p->C[of_b ? 3 * k + i : 3 * i + k]), reach);
    return vf_abs(of_b ? p->db[k] : p->da[k]) - reach;
}

/* Edge axes: a_j x b_i. */
typedef struct edge_choice {
    vf apart;  /* distance along the normal, < 0: overlap */
    vf sine2;  /* of the angle between the edges */
    v3 normal; /* in a's axes, from b into a */
    axis_choice i, j;
} edge_choice;

/* The best of those that are more than `apart`, in the lanes that have one. Of boxes that lie flat on each other none is, in any lane. */
static edge_choice best_edges(const box_pair *p, vf apart, vm *found) {
    const vf zero = vf_zero(), one = vf_set(1);
    edge_choice best = {apart, one, {zero, zero, one}, {vm_none(), vm_none()}, {vm_none(), vm_none()}};
    *found = vm_none();
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            const int j1 = (j + 1) % 3, j2 = (j + 2) % 3, i1 = (i + 1) % 3, i2 = (i + 2) % 3;
            const vf *b = p->C + 3 * i; /* axis i of b in a's axes; e_j x b = (-b_j2 along j1, b_j1 along j2) */
            const vf length2 = vf_fma(b[j1], b[j1], b[j2] * b[j2]);
            const vm crossed = vm_gt(length2, vf_set((real)1e-6));
            if (!vm_any(crossed)) continue;
            const vf scale = one / vf_sqrt(vf_select(crossed, length2, one)), n1 = -(scale * b[j2]), n2 = scale * b[j1];
            const vf along = vf_fma(p->da[j1], n1, p->da[j2] * n2);
            vf reach = vf_fma(vf_set(p->ha[j1]), vf_abs(n1), vf_set(p->ha[j2]) * vf_abs(n2));
            reach = vf_fma(scale, vf_fma(vf_set(p->hb[i1]), vf_abs(p->C[3 * i2 + j]), vf_set(p->hb[i2]) * vf_abs(p->C[3 * i1 + j])), reach);
            const vf here = vf_abs(along) - reach;
            const vm better = vm_and(crossed, vm_gt(here, best.apart));
            if (!vm_any(better)) continue;
            const vf sign = vf_sign(along);
            vf n[3];
            *found = vm_or(*found, better);
            n[j] = zero, n[j1] = sign * n1, n[j2] = sign * n2;
            best.apart = vf_select(better, here, best.apart);
            best.sine2 = vf_select(better, length2, best.sine2);
            best.normal = v3_select(better, v3_load(n), best.normal);
            best.i = take_axis(best.i, better, i), best.j = take_axis(best.j, better, j);
        }
    return best;
}

/* The middle between the two edges that face each other. */
static void edges_touch(const box_pair *p, const edge_choice *e, const vf *Ra, v3 d, v3 *normal, v3 *at) {
    const vf zero = vf_zero(), one = vf_set(1);
    const v3 n = e->normal;
    const vf nb[3] = {vf_fma(p->C[0], n.x, vf_fma(p->C[1], n.y, p->C[2] * n.z)), vf_fma(p->C[3], n.x, vf_fma(p->C[4], n.y, p->C[5] * n.z)),
                      vf_fma(p->C[6], n.x, vf_fma(p->C[7], n.y, p->C[8] * n.z))};
    const vf na[3] = {n.x, n.y, n.z};
    vf on_a[3], on_b[3];
    for (int k = 0; k < 3; k++) {
        const vm free_a = k == 0 ? vm_not(vm_or(e->j.y, e->j.z)) : k == 1 ? e->j.y : e->j.z;
        const vm free_b = k == 0 ? vm_not(vm_or(e->i.y, e->i.z)) : k == 1 ? e->i.y : e->i.z;
        on_a[k] = vf_select(free_a, zero, -(vf_sign(na[k]) * vf_set(p->ha[k])));
        on_b[k] = vf_select(free_b, zero, vf_sign(nb[k]) * vf_set(p->hb[k]));
    }
    const v3 rows[3] = {v3_load(p->C), v3_load(p->C + 3), v3_load(p->C + 6)}; /* b's axes in a's */
    const v3 from_b = v3_fma(on_b[0], rows[0], v3_fma(on_b[1], rows[1], v3_scale(on_b[2], rows[2])));
    const v3 pa = v3_load(on_a), qb = v3_sub(from_b, v3_load(p->da));
    const v3 ua = choose3(e->j, (v3){one, zero, zero}, (v3){zero, one, zero}, (v3){zero, zero, one}),
             ub = choose3(e->i, rows[0], rows[1], rows[2]), w = v3_sub(pa, qb);
    const vf c = v3_dot(ua, ub), da = v3_dot(ua, w), db = v3_dot(ub, w);
    const vf length_a = choose(e->j, vf_set(p->ha[0]), vf_set(p->ha[1]), vf_set(p->ha[2])),
             length_b = choose(e->i, vf_set(p->hb[0]), vf_set(p->hb[1]), vf_set(p->hb[2]));
    const vf s = vf_clamp(vf_fms(c, db, da) / e->sine2, length_a), t = vf_clamp(vf_fnma(c, da, db) / e->sine2, length_b);
    const v3 middle = v3_scale(vf_set((real)0.5), v3_add(v3_fma(s, ua, pa), v3_fma(t, ub, qb)));
    *normal = m3_mul(Ra, n);
    *at = v3_add(d, m3_mul(Ra, middle));
}

/* The face of one box, by lane: outward normal, the two axes in it, half extents. */
typedef struct box_face {
    v3 normal, u, v;
    vf hu, hv, height;
} box_face;

static box_face face_of(const vf *R, const real *half, axis_choice axis, v3 towards) {
    const v3 x = {R[0], R[3], R[6]}, y = {R[1], R[4], R[7]}, z = {R[2], R[5], R[8]};
    const vf hx = vf_set(half[0]), hy = vf_set(half[1]), hz = vf_set(half[2]);
    const axis_choice next = next_axis(axis), last = next_axis(next);
    box_face f = {.normal = choose3(axis, x, y, z),
                  .u = choose3(next, x, y, z),
                  .v = choose3(last, x, y, z),
                  .hu = choose(next, hx, hy, hz),
                  .hv = choose(last, hx, hy, hz),
                  .height = choose(axis, hx, hy, hz)};
    f.normal = v3_scale(vf_sign(v3_dot(f.normal, towards)), f.normal);
    return f;
}

static box_face face_select(vm m, box_face a, box_face b) {
    return (box_face){v3_select(m, a.normal, b.normal), v3_select(m, a.u, b.u),   v3_select(m, a.v, b.v),
                      vf_select(m, a.hu, b.hu),         vf_select(m, a.hv, b.hv), vf_select(m, a.height, b.height)};
}

/* The axis of a box that is nearest to +-n. */
static axis_choice opposed_axis(const vf *R, v3 n) {
    axis_choice nearest;
    largest_axis(m3_mul_t(R, n), &nearest.y, &nearest.z);
    return nearest;
}

/* A point over the reference face: u, v in it, z above it. */
static inline void keep_point(manifold *m, int k, vm where, const box_face *f, vf u, vf v, vf z) {
    const vf height = f->height + vf_set((real)0.5) * z;
    const v3 at = v3_fma(vf_clamp(u, f->hu), f->u, v3_fma(vf_clamp(v, f->hv), f->v, v3_scale(height, f->normal)));
    m->gap[k] = vf_select(where, z, m->gap[k]);
    m->at[k] = v3_select(where, at, m->at[k]);
}

/* Features 0 .. 7, from the centre of the reference box; `to`: from there to the centre of the other. */
static void cut_face(const box_face *f, const box_face *other, v3 to, manifold *m) {
    const vf zero = vf_zero(), one = vf_set(1), two = vf_set(2), wide = vf_set((real)(1 + FACE_MARGIN));
    const vf ru = wide * f->hu, rv = wide * f->hv;
    const v3 c = v3_fma(other->height, other->normal, to), a = v3_scale(other->hu, other->u), b = v3_scale(other->hv, other->v);
    /* centre and half sides of the other face: u, v, z */
    const vf cu = v3_dot(c, f->u), cv = v3_dot(c, f->v), cz = v3_dot(c, f->normal) - f->height;
    const vf au = v3_dot(a, f->u), av = v3_dot(a, f->v), az = v3_dot(a, f->normal);
    const vf bu = v3_dot(b, f->u), bv = v3_dot(b, f->v), bz = v3_dot(b, f->normal);
    vm taken[8];
    for (int k = 0; k < 8; k++) m->gap[k] = one, m->at[k] = v3_zero(), taken[k] = vm_none();
    for (int i = 0; i < 4; i++) { /* corners - -, + -, + +, - +, each with the edge to the next */
        const vf sa = vf_set(i == 1 || i == 2 ? 1 : -1), sb = vf_set(i >= 2 ? 1 : -1);
        const vf u = vf_fma(sa, au, vf_fma(sb, bu, cu)), v = vf_fma(sa, av, vf_fma(sb, bv, cv)), z = vf_fma(sa, az, vf_fma(sb, bz, cz));
        const vf step = i < 2 ? two : -two;
        const vf du = step * (i & 1 ? bu : au), dv = step * (i & 1 ? bv : av), dz = step * (i & 1 ? bz : az);
        vf t0 = zero, t1 = one;
        cut_to_slab(ru, u, du, &t0, &t1);
        cut_to_slab(rv, v, dv, &t0, &t1);
        const vm enters = vm_le(t0, t1), leaves = vm_and(vm_lt(t0, t1), vm_lt(t1, one));
        keep_point(m, 2 * i, enters, f, vf_fma(t0, du, u), vf_fma(t0, dv, v), vf_fma(t0, dz, z));
        if (vm_any(leaves)) keep_point(m, 2 * i + 1, leaves, f, vf_fma(t1, du, u), vf_fma(t1, dv, v), vf_fma(t1, dz, z));
        taken[2 * i] = enters, taken[2 * i + 1] = leaves;
    }
    const vf area = vf_fms(au, bv, av * bu);
    const vm flat = vm_eq(area, zero);
    const vf scale = one / vf_select(flat, one, area);
    for (int j = 0; j < 4; j++) {
        const vf u = j == 1 || j == 2 ? ru : -ru, v = j >= 2 ? rv : -rv, du = u - cu, dv = v - cv;
        const vf s = scale * vf_fms(du, bv, dv * bu), t = scale * vf_fms(au, dv, av * du);
        vm open = vm_andnot(vm_and(vm_le(vf_abs(s), one), vm_le(vf_abs(t), one)), flat);
        if (!vm_any(open)) continue;
        const vf z = vf_fma(s, az, vf_fma(t, bz, cz));
        for (int n = 0; n < 8; n++) {
            const int k = (2 * j + 1 + n) % 8;
            const vm here = vm_andnot(open, taken[k]);
            keep_point(m, k, here, f, u, v, z);
            taken[k] = vm_or(taken[k], here);
            open = vm_andnot(open, here);
            if (!vm_any(open)) break;
        }
    }
}

/* `reach`: gaps wider than that are of no interest. Apart, the axis is that of least distance. */
static void box_box(solid a, solid b, v3 d, vm near, vf reach, manifold *m) {
    (void)near;
    box_pair p = {.ha = a.is->size, .hb = b.is->size};
    real least = p.ha[0];
    for (int k = 0; k < 3; k++) least = p.ha[k] < least ? p.ha[k] : least, least = p.hb[k] < least ? p.hb[k] : least;
    p.margin = vf_set((real)BOX_MARGIN * least);
    for (int j = 0; j < 3; j++) {
        v3_store(p.da, m3_mul_t(a.R, d));
        v3_store(p.db, m3_mul_t(b.R, d));
        for (int i = 0; i < 3; i++) p.C[3 * i + j] = v3_dot(solid_axis(b, i), solid_axis(a, j));
    }
    vf apart = face_overlap(&p, 0, 0);
    vm is_b = vm_none();
    axis_choice axis = {vm_none(), vm_none()};
    for (int k = 1; k < 6; k++) {
        const vf here = face_overlap(&p, k >= 3, k % 3);
        /* before the first of b's counts, a's best has the margin's advantage */
        const vm better = vm_gt(here, k < 3 ? apart : vf_select(is_b, apart, apart + p.margin));
        apart = vf_select(better, here, apart);
        axis = take_axis(axis, better, k % 3);
        if (k >= 3) is_b = vm_or(is_b, better);
    }
    const vm touching = vm_le(apart, reach);
    for (int k = 0; k < MOST_FEATURES; k++) m->gap[k] = vf_set(1), m->at[k] = v3_zero();
    m->normal = world_up();
    if (!vm_any(touching)) return;

    const v3 minus_d = {-d.x, -d.y, -d.z};
    const int some_b = vm_any(is_b);
    box_face face = face_of(a.R, p.ha, axis, minus_d);
    if (some_b) face = face_select(is_b, face_of(b.R, p.hb, axis, d), face);
    const v3 to = v3_select(is_b, d, minus_d), back = {-face.normal.x, -face.normal.y, -face.normal.z};
    box_face other = face_of(b.R, p.hb, opposed_axis(b.R, back), back);
    if (some_b) other = face_select(is_b, face_of(a.R, p.ha, opposed_axis(a.R, back), back), other);
    cut_face(&face, &other, to, m);
    m->normal = v3_select(is_b, face.normal, back);
    vm by_edge;
    const edge_choice edges = best_edges(&p, apart + p.margin, &by_edge);
    for (int k = 0; k < 8; k++) { /* of the reference box a, the centre is at d */
        m->at[k] = v3_select(is_b, m->at[k], v3_add(d, m->at[k]));
        m->gap[k] = vf_select(vm_andnot(touching, by_edge), m->gap[k], vf_set(1));
    }
    if (!vm_any(by_edge)) return;
    v3 normal;
    edges_touch(&p, &edges, a.R, d, &normal, &m->at[8]);
    m->normal = v3_select(by_edge, normal, m->normal);
    m->gap[8] = vf_select(vm_and(touching, by_edge), edges.apart, vf_set(1));
}

#endif

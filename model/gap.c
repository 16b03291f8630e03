#include "gap.h"

#include "geoms.h"

/* Gilbert, Johnson & Keerthi 1988, as in collision/gjk.lane.h: the newest point of the simplex is in the nearest part of it. */
enum { STEPS = 48, PUSHES = 8 };
static const double precise = 1e-7; /* [m] to which a gap is looked for */

void myr_shape_make(const myr_geom *g, const double *align, myr_shape *s) {
    *s = (myr_shape){.geom = g};
    myr_copy3(s->position, g->position);
    memcpy(s->R, g->rotation, sizeof s->R);
    if (align) {
        myr_rotate(s->position, align, s->position);
        myr_multiply3(s->R, align, s->R);
    }
    s->radius = myr_geom_radius(g);
    myr_hold hold;
    myr_kind_of(g)->hold(g, &hold);
    myr_copy3(s->center, hold.center);
    s->reach = hold.reach;
}

/* The point of the core that is farthest along n, in the frame of the pose. */
static void farthest(const myr_shape *s, const double n[3], double out[3]) {
    const double *R = s->pose.rotation;
    double along[3], at[3];
    for (int k = 0; k < 3; k++) along[k] = R[k] * n[0] + R[3 + k] * n[1] + R[6 + k] * n[2];
    myr_kind_of(s->geom)->farthest(s->geom, along, at);
    myr_rotate(out, R, at);
    for (int k = 0; k < 3; k++) out[k] += s->pose.position[k];
}

/* A corner of the difference of the cores, and where it comes from. */
typedef struct corner {
    double x[3], on_a[3], on_b[3];
} corner;

/* The corner that is least along n, a being moved by `push`. */
static void least(const myr_shape *a, const myr_shape *b, const double push[3], const double n[3], corner *w) {
    const double back[3] = {-n[0], -n[1], -n[2]};
    farthest(a, back, w->on_a);
    farthest(b, n, w->on_b);
    for (int k = 0; k < 3; k++) w->on_a[k] += push[k], w->x[k] = w->on_a[k] - w->on_b[k];
}

/* A part of the simplex that holds its newest corner: which others, and their shares in the point nearest to the origin. */
typedef struct part {
    double x[3], length2, share[2];
    int n, which[2];
} part;

static void take(part *best, const double x[3], int n, int i, double share_i, int j, double share_j) {
    const double length2 = myr_dot3(x, x);
    if (!(length2 < best->length2)) return;
    *best = (part){.length2 = length2, .share = {share_i, share_j}, .n = n, .which = {i, j}};
    myr_copy3(best->x, x);
}

/* 1: the origin is inside. */
static int nearest_part(const corner *old, int n, const corner *w, part *best) {
    double e[3][3], e2[3], cross[3][3], x[3];
    int inside = n == 3;
    *best = (part){.length2 = INFINITY};
    take(best, w->x, 0, 0, 0.0, 0, 0.0);
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < 3; i++) e[k][i] = old[k].x[i] - w->x[i];
        e2[k] = myr_dot3(e[k], e[k]);
        myr_cross3(cross[k], w->x, old[k].x);
        const double t = e2[k] > 0.0 ? -myr_dot3(w->x, e[k]) / e2[k] : 0.0;
        for (int i = 0; i < 3; i++) x[i] = w->x[i] + t * e[k][i];
        if (t > 0.0 && t < 1.0) take(best, x, 1, k, t, 0, 0.0);
    }
    for (int i = 0; i < n - 1; i++)
        for (int j = i + 1; j < n; j++) {
            double N[3];
            myr_cross3(N, e[i], e[j]);
            const double N2 = myr_dot3(N, N), height = myr_dot3(N, w->x);
            if (n == 3) inside &= height * myr_dot3(e[3 - i - j], N) < 0.0; /* the origin is on the fourth corner's side */
            if (!(N2 > 1e-30 * e2[i] * e2[j])) continue;
            const double at_i = -myr_dot3(cross[j], N) / N2, at_j = myr_dot3(cross[i], N) / N2;
            for (int k = 0; k < 3; k++) x[k] = height / N2 * N[k];
            if (at_i > 0.0 && at_j > 0.0 && at_i + at_j < 1.0) take(best, x, 2, i, at_i, j, at_j);
        }
    return inside;
}

/* Distance of the cores, a being moved by `push`; 0: they overlap. Ends where it is more than `enough`, or less than `touching`. */
static double look(const myr_shape *a, const myr_shape *b, const double push[3], double enough, double touching, myr_gap *out) {
    corner old[3], w;
    int n = 0;
    double v[3], length;
    for (int k = 0; k < 3; k++) v[k] = a->pose.position[k] + push[k] - b->pose.position[k];
    if (!(myr_dot3(v, v) > 1e-24)) v[0] = 1.0, v[1] = v[2] = 0.0;
    double before2 = INFINITY;
    out->is_bound = 0;
    length = sqrt(myr_dot3(v, v));
    for (int step = 0; step < STEPS; step++) {
        for (int k = 0; k < 3; k++) out->normal[k] = v[k] / length;
        least(a, b, push, out->normal, &w);
        const double bound = myr_dot3(out->normal, w.x);
        if (bound > enough) {
            out->is_bound = 1;
            return bound;
        }
        if (n && length - bound <= precise) return length;
        part p;
        if (nearest_part(old, n, &w, &p)) return 0.0;
        if (!(p.length2 < before2)) return length; /* nothing is left but rounding */
        before2 = p.length2;
        corner kept[3];
        double rest = 1.0;
        for (int k = 0; k < p.n; k++) kept[k] = old[p.which[k]], rest -= p.share[k];
        for (int k = 0; k < 3; k++) {
            out->at_a[k] = rest * w.on_a[k], out->at_b[k] = rest * w.on_b[k];
            for (int i = 0; i < p.n; i++) out->at_a[k] += p.share[i] * kept[i].on_a[k], out->at_b[k] += p.share[i] * kept[i].on_b[k];
        }
        memcpy(old, kept, (size_t)p.n * sizeof *old);
        n = p.n;
        old[n++] = w;
        myr_copy3(v, p.x);
        length = sqrt(p.length2);
        if (!(length > 1e-12) || length <= touching) return length > 1e-12 ? length : 0.0;
    }
    return length;
}

void myr_shape_gap(const myr_shape *a, const myr_shape *b, double enough, myr_gap *out) {
    static const double still[3] = {0.0, 0.0, 0.0};
    const double radius = a->radius + b->radius;
    out->gap = look(a, b, still, enough + radius, radius, out) - radius;
}

/* s(n): how far the shapes are apart along n; below 0: they overlap by so much. */
static double apart(const myr_shape *a, const myr_shape *b, const double n[3]) {
    static const double still[3] = {0.0, 0.0, 0.0};
    corner w;
    least(a, b, still, n, &w);
    return myr_dot3(n, w.x);
}

/* The cores pushed apart along n to a small gap: where they are nearest then is a direction that is no worse. */
static double climb(const myr_shape *a, const myr_shape *b, double n[3]) {
    const double small = 1e-3 * (a->reach + b->reach);
    double here = apart(a, b, n);
    for (int push = 0; push < PUSHES; push++) {
        double way[3];
        myr_gap found;
        for (int k = 0; k < 3; k++) way[k] = (small - here) * n[k];
        if (!(look(a, b, way, INFINITY, 0.0, &found) > 0.0)) break;
        const double next = apart(a, b, found.normal);
        if (!(next > here + precise)) break;
        here = next;
        myr_copy3(n, found.normal);
    }
    return here;
}

double myr_shape_overlap(const myr_shape *a, const myr_shape *b) {
    double best = -INFINITY, n[3], length;
    for (int k = 0; k < 27; k++) { /* the middle, then the directions of a grid around */
        const double grid[3] = {k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1};
        for (int i = 0; i < 3; i++) n[i] = k == 13 ? a->pose.position[i] - b->pose.position[i] : grid[i];
        if (k != 13) myr_rotate(n, k % 2 ? a->pose.rotation : b->pose.rotation, n);
        if (!((length = sqrt(myr_dot3(n, n))) > 1e-12)) continue;
        for (int i = 0; i < 3; i++) n[i] /= length;
        best = fmax(best, climb(a, b, n));
    }
    return fmax(0.0, a->radius + b->radius - best);
}

/* A robot of 30 links has hundreds of pairs of shapes, of which most can never meet, and some always overlap: a shoulder is drawn into its
 * upper arm. Both kinds are found by trying poses: the home pose, then poses of all joints at random within their limits, the same ones on
 * every machine. A pair that did not come near walks towards each other from the pose in which it was nearest.
 *
 * Nothing is dropped that was not looked at: work is bounded, and what it does not suffice for is kept. */
#include "reach.h"

#include <float.h>
#include <math.h>

#include "description.h"
#include "gap.h"
#include "base/memory.h"
#include "base/stir.h"
#include "base/trigonometry.h"

enum { POSES = 2000, FEWEST_POSES = 200, STARTS = 4, STEPS = 24, HALVINGS = 4, NUDGES = 12 };
static const double near_enough = 0.01; /* [m] */
/* Of the poses in which what is drawn into each other overlaps, at home besides. Two files of Menagerie's 143 have such a pair, and it does
 * in all of them; every other pair does in 56 % at most, and what overlaps at home alone, as hands drawn hanging into the thighs do, in 12
 * %. */
static const double design_share = 0.95;
static const double longest_turn = 0.5; /* [rad] of a joint in one step of the walk */
static const double most_work = 1.6e8;  /* looks at two balls, some nanoseconds each; poses take no more than half of it */
static const double joint_work = 20.0, gap_work = 60.0, overlap_work = 6e4;

typedef struct search {
    const myr_model *m;
    myr_candidate *pairs;
    int n, *active, n_active;
    int *best;               /* STARTS of a pair: the poses in which it was nearest, each of every STARTS-th pose */
    double *best_gap;        /* likewise */
    int *apart, *overlapped; /* poses in which it was, or was not */
    int *was_near;
    myr_shape *shapes;
    myr_pose *poses;
    double *q, *trial, *kept;
    int *path, n_path, common; /* joints between two bodies, and the body where the ways meet */
    double work;
} search;

/* SplitMix64 of a counter. Halton's points are worse here: those of 30 joints have bases up to 113, and the
 * thousands of poses that would fill them are not tried. */
static double draw(int pose, int number) {
    const uint64_t x = ((uint64_t)(unsigned)pose << 32 | (unsigned)number) * UINT64_C(0x9e3779b97f4a7c15) + UINT64_C(0x9e3779b97f4a7c15);
    return (double)(myr_stir(x) >> 11) * 0x1p-53;
}

static const double full_turn = 6.283185307179586;

static int is_limited(const myr_body *b) { return b->lower <= b->upper && isfinite(b->lower) && isfinite(b->upper); }
/* It takes what it carries anywhere. */
static int goes_anywhere(const myr_body *b) { return b->joint == MYR_JOINT_PRISMATIC && !is_limited(b); }

/* Uniform among all turns (Shoemake 1992). */
static void draw_turn(int pose, int number, double q[4]) {
    const double u = draw(pose, number), a = sqrt(1.0 - u), b = sqrt(u);
    double s, c, t, d;
    myr_sincos(full_turn * draw(pose, number + 1), &s, &c);
    myr_sincos(full_turn * draw(pose, number + 2), &t, &d);
    q[0] = a * s, q[1] = a * c, q[2] = b * t, q[3] = b * d;
}

/* Free joints stay at home: only what lies between the shapes of a pair matters. In every STARTS-th pose a third of the joints is at a
 * limit, as that is where much of what is rare touches. */
static void draw_pose(const myr_model *m, int pose, double *q) {
    for (int i = 0; i < m->n_bodies; i++) {
        const myr_body *b = &m->bodies[i];
        const double end = pose % STARTS ? 1.0 : draw(pose, m->nq + i);
        if (b->joint == MYR_JOINT_BALL) draw_turn(pose, b->q, q + b->q);
        if (b->nq == 1 && is_limited(b))
            q[b->q] = 6.0 * end < 1.0 ? b->lower : 3.0 * end < 1.0 ? b->upper : b->lower + (b->upper - b->lower) * draw(pose, b->q);
        if (b->nq == 1 && !is_limited(b)) q[b->q] = goes_anywhere(b) ? m->home[b->q] : full_turn * draw(pose, b->q);
    }
}

static void place_center(const search *s, int geom, double at[3]) {
    const myr_shape *shape = &s->shapes[geom];
    const int body = shape->geom->body;
    myr_rotate(at, shape->R, shape->center);
    for (int k = 0; k < 3; k++) at[k] += shape->position[k];
    if (body < 0) return;
    myr_rotate(at, s->poses[body].rotation, at);
    for (int k = 0; k < 3; k++) at[k] += s->poses[body].position[k];
}

static const myr_shape *place_shape(const search *s, int geom) {
    myr_shape *shape = &s->shapes[geom];
    const int body = shape->geom->body;
    myr_copy3(shape->pose.position, shape->position);
    memcpy(shape->pose.rotation, shape->R, sizeof shape->R);
    if (body >= 0) shape->pose = myr_pose_compose(&s->poses[body], &shape->pose);
    return shape;
}

/* How far the balls around them are apart. */
static double balls_apart(const search *s, const myr_candidate *c) {
    double a[3], b[3];
    place_center(s, c->geom[0], a);
    place_center(s, c->geom[1], b);
    for (int k = 0; k < 3; k++) a[k] -= b[k];
    return sqrt(myr_dot3(a, a)) - s->shapes[c->geom[0]].reach - s->shapes[c->geom[1]].reach;
}

static double gap_of(search *s, const myr_candidate *c, double enough, myr_gap *out) {
    const myr_shape *a = place_shape(s, c->geom[0]), *b = place_shape(s, c->geom[1]);
    myr_shape_gap(a, b, enough, out);
    s->work += gap_work + 0.1 * (a->geom->n_points + b->geom->n_points);
    return out->gap;
}

/* ---- home -------------------------------------------------------------------------------------- */

static void look_at_home(search *s) {
    myr_gap found;
    myr_model_poses(s->m, s->m->home, s->poses);
    for (int i = 0; i < s->n; i++) {
        myr_candidate *c = &s->pairs[i];
        c->gap = gap_of(s, c, INFINITY, &found);
        s->was_near[i] = !(c->gap > near_enough);
        if (c->gap > 0.0) continue;
        const int can_pay = s->work < 0.25 * most_work;
        s->work += can_pay ? overlap_work : 0.0;
        c->at_home =
            can_pay ? myr_shape_overlap(&s->shapes[c->geom[0]], &s->shapes[c->geom[1]]) : DBL_MIN; /* else it does, and that is all */
    }
}

/* ---- poses at random --------------------------------------------------------------------------- */

/* A pair in one pose. What was near before is asked only whether it overlaps. */
static void look_at(search *s, int i, int pose) {
    myr_candidate *c = &s->pairs[i];
    myr_gap found;
    const int start = STARTS * i + pose % STARTS;
    const double most = s->was_near[i] ? 0.0 : s->best_gap[start];
    s->work += 1.0;
    if (balls_apart(s, c) > most || (gap_of(s, c, most, &found), found.is_bound)) {
        s->apart[i]++;
        return;
    }
    if (!(found.gap > 0.0))
        s->overlapped[i]++;
    else
        s->apart[i]++;
    if (s->was_near[i]) return;
    s->best_gap[start] = found.gap, s->best[start] = pose;
    c->gap = fmin(c->gap, found.gap);
    s->was_near[i] = !(found.gap > near_enough);
}

/* Does a joint that goes anywhere lie between them? Then nothing that is tried says much. */
static int is_loose(const myr_model *m, int a, int b) {
    while (a != b) {
        int *later = a > b ? &a : &b;
        if (goes_anywhere(&m->bodies[*later])) return 1;
        *later = m->bodies[*later].parent;
    }
    return 0;
}

/* Those of which nothing is known yet that a pose could change. */
static int is_open(const search *s, int i) { return !s->was_near[i] || s->apart[i] <= (1.0 - design_share) * POSES; }

static void try_poses(search *s) {
    for (int i = 0; i < s->n; i++) {
        const myr_candidate *c = &s->pairs[i];
        for (int k = 0; k < STARTS; k++) s->best[STARTS * i + k] = -1, s->best_gap[STARTS * i + k] = INFINITY;
        if (is_loose(s->m, s->m->geoms[c->geom[0]].body, s->m->geoms[c->geom[1]].body)) continue;
        s->active[s->n_active++] = i;
    }
    for (int pose = 0; pose < POSES && s->n_active && s->work < 0.5 * most_work; pose++) {
        draw_pose(s->m, pose, s->q);
        myr_model_poses(s->m, s->q, s->poses);
        s->work += joint_work * s->m->n_bodies;
        int left = 0;
        for (int k = 0; k < s->n_active; k++) {
            look_at(s, s->active[k], pose);
            if (is_open(s, s->active[k])) s->active[left++] = s->active[k];
        }
        s->n_active = left;
    }
}

/* ---- a walk towards each other ----------------------------------------------------------------- */

/* The joints between two bodies, those of the first with sign 1: s->path, parents before children. */
static void find_path(search *s, int a, int b) {
    s->n_path = 0;
    while (a != b) {
        int *later = a > b ? &a : &b;
        s->path[s->n_path++] = *later;
        *later = s->m->bodies[*later].parent;
    }
    s->common = a;
    for (int k = 0; k < s->n_path / 2; k++) {
        const int swap = s->path[k];
        s->path[k] = s->path[s->n_path - 1 - k], s->path[s->n_path - 1 - k] = swap;
    }
}

/* Their poses alone, seen from where the ways meet. */
static void place_path(search *s, const double *q) {
    const myr_pose here = myr_pose_identity();
    if (s->common >= 0) s->poses[s->common] = here;
    for (int k = 0; k < s->n_path; k++) myr_model_place(s->m, s->path[k], q, s->poses);
    s->work += joint_work * s->n_path;
}

/* How much faster the gap grows than the joint moves. */
static double rate(const search *s, int body, const myr_candidate *c, const myr_gap *at) {
    const myr_body *b = &s->m->bodies[body];
    const int moves_a = myr_carries(s->m, body, s->m->geoms[c->geom[0]].body);
    double axis[3], arm[3];
    if (b->nv != 1) return 0.0; /* ball joints stay as they are */
    myr_rotate(axis, s->poses[body].rotation, b->axis);
    if (b->joint != MYR_JOINT_PRISMATIC) {
        for (int k = 0; k < 3; k++) arm[k] = (moves_a ? at->at_a : at->at_b)[k] - s->poses[body].position[k];
        myr_cross3(axis, axis, arm);
    }
    return (moves_a ? 1.0 : -1.0) * myr_dot3(at->normal, axis);
}

/* Along the gradient by as much as would close the gap were it a straight line, within limits. 0: no joint brings them nearer. */
static int step_from(const search *s, const myr_candidate *c, const myr_gap *at, double share) {
    double sum = 0.0;
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < s->n_path; k++) {
            const myr_body *b = &s->m->bodies[s->path[k]];
            const double g = rate(s, s->path[k], c, at), *q = s->q + b->q;
            const int held = is_limited(b) && b->nv == 1 && (g > 0.0 ? *q <= b->lower : *q >= b->upper);
            if (!pass) sum += held ? 0.0 : g * g;
            if (!pass || b->nv != 1) continue;
            const double way = held || !(sum > 1e-12) ? 0.0 : -share * (at->gap + near_enough) * g / sum;
            const double most = b->joint == MYR_JOINT_PRISMATIC ? 1.0 : longest_turn;
            double next = *q + fmin(fmax(way, -most), most);
            if (is_limited(b)) next = fmin(fmax(next, b->lower), b->upper);
            s->trial[b->q] = next;
        }
    return sum > 1e-12;
}

static void begin_at(search *s, const double *q) {
    if (q != s->q) memcpy(s->q, q, (size_t)s->m->nq * sizeof *s->q);
    memcpy(s->trial, s->q, (size_t)s->m->nq * sizeof *s->q);
}

static void keep_trial(search *s) {
    for (int k = 0; k < s->n_path; k++) {
        const myr_body *b = &s->m->bodies[s->path[k]];
        if (b->nv == 1) s->q[b->q] = s->trial[b->q];
    }
}

/* From s->q down the gradient, until it ends in a corner or near. */
static void walk(search *s, const myr_candidate *c, myr_gap *at) {
    myr_gap next;
    place_path(s, s->q);
    gap_of(s, c, INFINITY, at);
    for (int step = 0; step < STEPS && at->gap > near_enough; step++) {
        double share = 1.0;
        int better = 0;
        for (int half = 0; half < HALVINGS && !better; half++, share *= 0.5) {
            place_path(s, s->q);
            if (!step_from(s, c, at, share)) break;
            place_path(s, s->trial);
            better = gap_of(s, c, at->gap, &next) < at->gap - 1e-6 && !next.is_bound;
        }
        if (!better) return;
        *at = next;
        keep_trial(s);
    }
}

/* The best of moves of one joint alone, by a quarter and by a sixteenth of its range: what leads out of a corner. 0: none is better. */
static int nudge(search *s, const myr_candidate *c, const myr_gap *at) {
    double best = at->gap - 1e-4, best_q = 0.0;
    int joint = -1;
    myr_gap next;
    begin_at(s, s->q);
    for (int k = 0; k < s->n_path; k++) {
        const myr_body *b = &s->m->bodies[s->path[k]];
        const double range = is_limited(b) ? b->upper - b->lower : full_turn, here = s->q[b->q];
        for (int move = 0; move < 4 && b->nv == 1; move++) {
            double to = here + (move & 1 ? -1.0 : 1.0) * (move & 2 ? 0.25 : 0.0625) * range;
            if (is_limited(b)) to = fmin(fmax(to, b->lower), b->upper);
            s->trial[b->q] = to;
            place_path(s, s->trial);
            if (gap_of(s, c, best, &next) < best && !next.is_bound) best = next.gap, best_q = to, joint = b->q;
        }
        s->trial[b->q] = here;
    }
    if (joint >= 0) s->q[joint] = best_q;
    return joint >= 0;
}

/* From each start, and on from where that ended best. */
static void approach(search *s, int i) {
    myr_candidate *c = &s->pairs[i];
    double least = INFINITY;
    myr_gap at;
    find_path(s, s->m->geoms[c->geom[0]].body, s->m->geoms[c->geom[1]].body);
    for (int start = -1; start < STARTS && least > near_enough; start++) {
        const int pose = start < 0 ? -1 : s->best[STARTS * i + start];
        if (start >= 0 && pose < 0) continue;
        begin_at(s, s->m->home);
        if (pose >= 0) draw_pose(s->m, pose, s->q);
        begin_at(s, s->q);
        walk(s, c, &at);
        if (at.gap < least) least = at.gap, memcpy(s->kept, s->q, (size_t)s->m->nq * sizeof *s->kept);
    }
    begin_at(s, s->kept);
    place_path(s, s->q);
    gap_of(s, c, INFINITY, &at);
    for (int k = 0; k < NUDGES && at.gap > near_enough && nudge(s, c, &at); k++) {
        begin_at(s, s->q);
        walk(s, c, &at);
    }
    c->gap = fmin(c->gap, fmin(least, at.gap));
    s->was_near[i] = !(c->gap > near_enough);
}

/* ---- all of it ---------------------------------------------------------------------------------- */

static void judge(search *s) {
    for (int i = 0; i < s->n; i++) {
        myr_candidate *c = &s->pairs[i];
        const int poses = s->apart[i] + s->overlapped[i];
        c->share = poses ? (double)s->overlapped[i] / poses : 0.0;
        if (poses < FEWEST_POSES) continue; /* known early, or not looked at enough: it stays */
        if (!s->was_near[i] && s->work < most_work) approach(s, i);
        if (!s->was_near[i] && s->work < most_work)
            c->fate = MYR_NEVER_NEAR;
        else if (c->at_home > 0.0 && c->share > design_share)
            c->fate = MYR_ALWAYS_OVERLAPS;
    }
}

myr_status myr_find_reach(const myr_model *m, myr_candidate *candidates, int n) {
    const size_t pairs = (size_t)n, bodies = (size_t)m->n_bodies;
    search s = {.m = m, .pairs = candidates, .n = n};
    int *const ints = myr_allocate_array((4 + STARTS) * pairs + bodies, sizeof *ints);
    double *const reals = myr_allocate_array(3 * (size_t)m->nq + STARTS * pairs, sizeof *reals);
    s.shapes = myr_allocate_array((size_t)m->n_geoms, sizeof *s.shapes);
    s.poses = myr_allocate_array(bodies, sizeof *s.poses);
    const int ok = ints && reals && s.shapes && s.poses;
    if (ok) {
        s.active = ints, s.apart = ints + pairs, s.overlapped = ints + 2 * pairs, s.was_near = ints + 3 * pairs, s.best = ints + 4 * pairs;
        s.path = s.best + STARTS * pairs;
        s.q = reals, s.trial = s.q + m->nq, s.kept = s.trial + m->nq, s.best_gap = s.kept + m->nq;
        memcpy(s.q, m->home, (size_t)m->nq * sizeof *s.q);
        for (int g = 0; g < m->n_geoms; g++)
            myr_shape_make(&m->geoms[g], m->geoms[g].body < 0 ? NULL : m->bodies[m->geoms[g].body].align, &s.shapes[g]);
        look_at_home(&s);
        try_poses(&s);
        judge(&s);
    }
    myr_release(ints);
    myr_release(reals);
    myr_release(s.shapes);
    myr_release(s.poses);
    return ok ? MYR_OK : myr_fail(MYR_E_MEMORY, "out of memory for model `%s`", m->name);
}

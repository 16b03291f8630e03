/* The scalar rows of a model: every joint of one dof that has position limits or dry friction, and the length by which its row is scaled;
 * then tendons (tendons.c). */
#include <math.h>

#include "description.h"
#include "base/memory.h"

static const double least_length = 0.01; /* [m] */

static int has_row(const myr_body *body) {
    const int one = body->joint == MYR_JOINT_REVOLUTE || body->joint == MYR_JOINT_PRISMATIC;
    return one && (body->lower <= body->upper || body->dry_friction > 0.0);
}

/* Distance of a point from a body's joint axis, both in the axes of the tree's base. */
static double from_axis(const myr_body *body, const myr_pose *pose, const double point[3]) {
    double axis[3], arm[3];
    myr_rotate(axis, pose->rotation, body->axis);
    for (int k = 0; k < 3; k++) arm[k] = point[k] - pose->position[k];
    const double along = myr_dot3(axis, arm);
    for (int k = 0; k < 3; k++) arm[k] -= along * axis[k];
    return sqrt(myr_dot3(arm, arm));
}

/* Distance from the axis of a joint, at home, of a point in a body's frame. */
static double reach(const myr_model *m, int joint, int body, const double point[3], const myr_pose *poses) {
    double at[3];
    myr_rotate(at, m->bodies[body].align, point);
    myr_rotate(at, poses[body].rotation, at);
    for (int k = 0; k < 3; k++) at[k] += poses[body].position[k];
    return from_axis(&m->bodies[joint], &poses[joint], at);
}

/* How far from a hinge the farthest thing is that it moves, at home: what its row counts in metres for a radian. */
double myr_row_length(const myr_model *m, int joint, const myr_pose *poses) {
    const myr_body *hinge = &m->bodies[joint];
    double length = least_length;
    if (hinge->joint == MYR_JOINT_PRISMATIC) return 1.0;
    for (int i = joint; i < m->n_bodies; i++) {
        const myr_body *body = &m->bodies[i];
        if (myr_carries(m, joint, i) && body->mass > 0.0) length = fmax(length, reach(m, joint, i, body->com, poses));
    }
    for (int g = 0; g < m->n_geoms; g++) {
        const int body = m->geoms[g].body;
        if (body >= 0 && myr_carries(m, joint, body)) length = fmax(length, reach(m, joint, body, m->geoms[g].position, poses));
    }
    return isfinite(length) ? length : 1.0;
}

/* ---- joints that follow another --------------------------------------------------------------- */

/* A row to be: what acts on a joint, its own and what it takes over. */
typedef struct rule {
    double lower, upper, friction, length;
} rule;

/* q = a + b q(of) in every pose; of = -1: it follows none. */
typedef struct follow {
    int of, couplings;
    double a, b;
} follow;

/* The joint that a coupling of two joints along a straight line makes follow, -1: it is another coupling. */
static int follower(const myr_loop *loop, follow *as) {
    const double *c = loop->polynomial;
    if (loop->type != MYR_LOOP_COUPLING) return -1;
    const int by_driver = loop->n_terms == 1 && loop->driver >= 0 && c[2] == 0.0 && c[3] == 0.0 && c[4] == 0.0;
    const int by_term = loop->n_terms == 2 && loop->driver < 0;
    if ((!by_driver && !by_term) || loop->coefficient[0] == 0.0) return -1;
    const double slope = by_driver ? c[1] : -loop->coefficient[1];
    *as = (follow){by_driver ? loop->driver : loop->joint[1], 0, c[0] / loop->coefficient[0], slope / loop->coefficient[0]};
    return loop->joint[0];
}

static void find_followers(const myr_model *m, follow *follows) {
    for (int i = 0; i < m->n_bodies; i++) follows[i] = (follow){.of = -1};
    for (int k = 0; k < m->n_loops; k++) {
        follow as;
        const int joint = follower(&m->loops[k], &as);
        if (joint < 0) continue;
        as.couplings = follows[joint].couplings + 1;
        follows[joint] = as;
    }
    for (int i = 0; i < m->n_bodies; i++)
        if (follows[i].couplings != 1) follows[i].of = -1;
}

/* Limits and friction of a joint that follows another act on the one that it follows: the same law, as their velocities are in proportion.
 * As rows of their own they would repeat each other, and of light links what the coupling leaves of their motion is less than what a float
 * keeps of it: grippers, whose fingers all lie on their limits at home, flew apart. */
static void take_over(const myr_model *m, const follow *follows, rule *rules, int i) {
    double a = 0.0, b = 1.0;
    int to = i;
    for (int steps = 0; follows[to].of >= 0 && steps < m->n_bodies; steps++) {
        a += b * follows[to].a, b *= follows[to].b;
        to = follows[to].of;
    }
    if (to == i || follows[to].of >= 0 || b == 0.0) return; /* around in a circle; or held where it is, which no row would change */
    const rule *own = &rules[i];
    const double low = ((b > 0.0 ? own->lower : own->upper) - a) / b, high = ((b > 0.0 ? own->upper : own->lower) - a) / b;
    rule both = {fmax(rules[to].lower, low), fmin(rules[to].upper, high), rules[to].friction + fabs(b) * own->friction,
                 fmax(rules[to].length, fabs(b) * own->length)};
    if (!(both.lower <= both.upper)) return; /* they cannot both hold: each says so by itself */
    rules[to] = both;
    rules[i] = (rule){-INFINITY, INFINITY, 0.0, 0.0};
}

/* A tendon over one joint is a limit and friction of this joint: as a row of its own it would repeat the joint's. */
static int fold_tendon(const myr_tendon_def *def, const myr_carried *places, rule *rules) {
    int joint = -1;
    double c = 0.0;
    for (int i = 0; i < def->n; i++) {
        if (def->coefficients[i] == 0.0) continue;
        if (joint >= 0) return 0;
        joint = places[def->joints[i]].body, c = def->coefficients[i];
    }
    const double low = (c > 0.0 ? def->lower : def->upper) / c, high = (c > 0.0 ? def->upper : def->lower) / c;
    rule both = rules[joint];
    both.lower = fmax(both.lower, low), both.upper = fmin(both.upper, high), both.friction += fabs(c) * def->dry_friction;
    if (!(both.lower <= both.upper)) return 0; /* they cannot both hold: each says so by itself */
    rules[joint] = both;
    return 1;
}

myr_status myr_find_rows(const myr_builder *builder, myr_model *m, const myr_carried *places) {
    int count = builder->n_tendons;
    for (int i = 0; i < m->n_bodies; i++) count += has_row(&m->bodies[i]);
    if (!count) return MYR_OK;
    const size_t n = (size_t)m->n_bodies;
    myr_pose *poses = myr_allocate_array(n, sizeof *poses);
    rule *rules = myr_allocate_array(n, sizeof *rules);
    follow *follows = myr_allocate_array(n, sizeof *follows);
    unsigned char *folded = myr_allocate_array((size_t)builder->n_tendons + 1, 1);
    m->rows = myr_allocate_array((size_t)count, sizeof *m->rows);
    const int ok = poses && rules && follows && folded && m->rows;
    if (ok) {
        myr_model_poses(m, m->home, poses);
        for (int i = 0; i < m->n_bodies; i++) {
            const myr_body *b = &m->bodies[i];
            const int has = has_row(b), limited = has && b->lower <= b->upper;
            rules[i] = (rule){limited ? b->lower : -INFINITY, limited ? b->upper : INFINITY, has ? b->dry_friction : 0.0,
                              b->nv == 1 ? myr_row_length(m, i, poses) : 0.0};
        }
        for (int t = 0; t < builder->n_tendons; t++) folded[t] = (unsigned char)fold_tendon(&builder->tendons[t].def, places, rules);
        find_followers(m, follows);
        for (int i = 0; i < m->n_bodies; i++) take_over(m, follows, rules, i);
    }
    for (int i = 0; i < m->n_bodies && ok; i++) {
        const myr_body *b = &m->bodies[i];
        const rule *r = &rules[i];
        if (isfinite(r->lower) || isfinite(r->upper) || r->friction > 0.0)
            m->rows[m->n_rows++] = (myr_joint_row){
                .body = i, .q = b->q, .dof = b->v, .lower = r->lower, .upper = r->upper, .friction = r->friction, .length = r->length};
    }
    if (ok) myr_find_tendons(builder, m, places, poses, folded);
    myr_release(poses);
    myr_release(rules);
    myr_release(follows);
    myr_release(folded);
    return ok ? MYR_OK : myr_fail(MYR_E_MEMORY, "out of memory for model `%s`", m->name);
}

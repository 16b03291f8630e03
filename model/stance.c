/* Does a quadruped stand when springs of stiffness kp hold its legs at home? The place where it comes to rest says so:
 *
 *   minimize  sum of m g z + kp/2 sum of (q - home)^2 + ground/2 sum of |foot - its place|^2
 *
 * over the root's pose and the joints of the legs, feet held where they touch at home (they would not slip). Newton's method from
 * home: gradient and Hessian are exact. The Hessian carries the pull with which weight topples a pose, so a pose that the springs
 * cannot hold shows as a Hessian that is not positive definite, or as a sag that is large. Stiffer springs mend both. */
#include <math.h>

#include "description.h"
#include "base/memory.h"
#include "base/trigonometry.h"

enum { DOFS = 18, ROOT_DOFS = 6, MOST_STEPS = 40, MOST_RAISES = 16 };

static const double most_sag = 0.1;      /* of a leg's joint below its target [rad] */
static const double raise = 1.25;        /* of kp, per attempt; 16 of them: 35 times */
static const double ground_share = 1e-3; /* of a leg by which the ground gives way under the whole weight */
static const double most_above = 0.05;   /* of a foot at home, over the length of the leg, before a warning says so */
static const double most_move = 0.7;     /* of a joint in one step of Newton's method [rad]; more: it runs away */
static const double rest = 1e-10;        /* the largest step at rest [rad], [m] over the height of the root */

/* A coordinate of the robot seen from the world, at the present pose. */
typedef struct {
    double axis[3], origin[3];
    int turns;
} dof;

typedef struct {
    const myr_model *m;
    const myr_quadruped *legs;
    myr_pose *poses;
    double *q;
    double kp, ground, height;
    double place[4][3]; /* of the feet on the ground */
    double above[4];    /* the ground, of the feet at home [m] */
    double lift[4];     /* ground force on each foot [N] */
    dof dofs[DOFS];
    double gradient[DOFS], hessian[DOFS][DOFS];
} stance;

static void place_dofs(stance *s) {
    const double *root = s->poses[0].position;
    memset(s->dofs, 0, sizeof s->dofs);
    for (int k = 0; k < 3; k++) {
        s->dofs[k].axis[k] = s->dofs[3 + k].axis[k] = 1.0;
        s->dofs[3 + k].turns = 1;
        myr_copy3(s->dofs[3 + k].origin, root);
    }
    for (int leg = 0; leg < 4; leg++)
        for (int k = 0; k < 3; k++) {
            const int body = s->legs->joint[leg][k];
            dof *joint = &s->dofs[ROOT_DOFS + 3 * leg + k];
            if (body < 0) continue;
            joint->turns = 1;
            myr_rotate(joint->axis, s->poses[body].rotation, s->m->bodies[body].axis);
            myr_copy3(joint->origin, s->poses[body].position);
        }
}

/* A point that the root carries (leg -1) or the link below joint `depth` of a leg. `force` is the gradient of the energy at the
 * point, `stiffness` its second derivative in every direction. */
static void add_point(stance *s, int leg, int depth, const double point[3], const double force[3], double stiffness) {
    int at[ROOT_DOFS + 3], count = 0;
    double column[ROOT_DOFS + 3][3];
    for (int i = 0; i < ROOT_DOFS; i++) at[count++] = i;
    for (int k = 0; leg >= 0 && k <= depth; k++)
        if (s->legs->joint[leg][k] >= 0) at[count++] = ROOT_DOFS + 3 * leg + k;
    for (int i = 0; i < count; i++) {
        const dof *d = &s->dofs[at[i]];
        const double arm[3] = {point[0] - d->origin[0], point[1] - d->origin[1], point[2] - d->origin[2]};
        if (d->turns)
            myr_cross3(column[i], d->axis, arm);
        else
            myr_copy3(column[i], d->axis);
    }
    for (int i = 0; i < count; i++) {
        s->gradient[at[i]] += myr_dot3(force, column[i]);
        for (int j = i; j < count; j++) { /* j hangs on i: its column turns with i */
            double turned[3] = {0.0, 0.0, 0.0};
            if (s->dofs[at[i]].turns) myr_cross3(turned, s->dofs[at[i]].axis, column[j]);
            const double value = stiffness * myr_dot3(column[i], column[j]) + myr_dot3(force, turned);
            s->hessian[at[i]][at[j]] += value;
            if (i != j) s->hessian[at[j]][at[i]] += value;
        }
    }
}

/* Which leg and joint a body belongs to; -1: it goes with the root. */
static int leg_of(const myr_quadruped *legs, int body, int *depth) {
    for (int leg = 0; leg < 4; leg++)
        for (int k = 0; k < 3; k++)
            if (legs->joint[leg][k] == body) {
                *depth = k;
                return leg;
            }
    *depth = 0;
    return -1;
}

static void point_of(double out[3], const myr_pose *pose, const double local[3]) {
    myr_rotate(out, pose->rotation, local);
    for (int k = 0; k < 3; k++) out[k] += pose->position[k];
}

static void add_weights(stance *s) {
    const double *gravity = s->m->gravity;
    for (int body = 0; body < s->m->n_bodies; body++) {
        const myr_body *b = &s->m->bodies[body];
        const double force[3] = {-b->mass * gravity[0], -b->mass * gravity[1], -b->mass * gravity[2]};
        double com[3], point[3];
        int depth;
        const int leg = leg_of(s->legs, body, &depth);
        myr_rotate(com, b->align, b->com);
        point_of(point, &s->poses[body], com);
        add_point(s, leg, depth, point, force, 0.0);
    }
}

static void add_ground(stance *s) {
    for (int leg = 0; leg < 4; leg++) {
        double point[3], force[3];
        point_of(point, &s->poses[s->legs->joint[leg][2]], s->legs->foot_end[leg]);
        for (int k = 0; k < 3; k++) force[k] = s->ground * (point[k] - s->place[leg][k]);
        s->lift[leg] = -force[2];
        add_point(s, leg, 2, point, force, s->ground);
    }
}

static void add_springs(stance *s) {
    for (int leg = 0; leg < 4; leg++)
        for (int k = 0; k < 3; k++) {
            const int body = s->legs->joint[leg][k], i = ROOT_DOFS + 3 * leg + k;
            s->hessian[i][i] += s->kp;
            if (body >= 0) s->gradient[i] += s->kp * (s->q[s->m->bodies[body].q] - s->legs->home[leg][k]);
        }
}

/* step = -hessian^-1 gradient by Cholesky; 0: the Hessian is not positive definite, or no number. */
static int newton_step(stance *s, double step[DOFS]) {
    double(*L)[DOFS] = s->hessian;
    for (int i = 0; i < DOFS; i++) {
        for (int j = 0; j <= i; j++) {
            double sum = L[i][j];
            for (int k = 0; k < j; k++) sum -= L[i][k] * L[j][k];
            if (i == j && !(sum > 0.0 && isfinite(sum))) return 0;
            L[i][j] = i == j ? sqrt(sum) : sum / L[j][j];
        }
    }
    for (int i = 0; i < DOFS; i++) {
        step[i] = -s->gradient[i];
        for (int k = 0; k < i; k++) step[i] -= L[i][k] * step[k];
        step[i] /= L[i][i];
    }
    for (int i = DOFS - 1; i >= 0; i--) {
        for (int k = i + 1; k < DOFS; k++) step[i] -= L[k][i] * step[k];
        step[i] /= L[i][i];
        if (!isfinite(step[i])) return 0;
    }
    return 1;
}

/* The root turns by step[3..5] about the world's x, y and z, x outermost. */
static void turn_root(double quaternion[4], const double angles[3]) {
    for (int k = 2; k >= 0; k--) {
        double s, c, *v = quaternion + 1, turned[3];
        double axis[3] = {0.0, 0.0, 0.0};
        myr_sincos(0.5 * angles[k], &s, &c);
        axis[k] = s;
        myr_cross3(turned, axis, v);
        const double w = c * quaternion[0] - s * v[k];
        for (int i = 0; i < 3; i++) v[i] = c * v[i] + quaternion[0] * axis[i] + turned[i];
        quaternion[0] = w;
    }
    const double length = sqrt(quaternion[0] * quaternion[0] + myr_dot3(quaternion + 1, quaternion + 1));
    for (int i = 0; i < 4; i++) quaternion[i] /= length;
}

/* One step of Newton's method; its largest entry (lengths over the height of the root), INFINITY: it runs away. */
static double improve(stance *s) {
    double step[DOFS], largest = 0.0;
    memset(s->gradient, 0, sizeof s->gradient);
    memset(s->hessian, 0, sizeof s->hessian);
    myr_model_poses(s->m, s->q, s->poses);
    place_dofs(s);
    add_weights(s);
    add_ground(s);
    add_springs(s);
    if (!newton_step(s, step)) return INFINITY;
    for (int i = 0; i < DOFS; i++) largest = fmax(largest, fabs(step[i]) / (i < 3 ? s->height : 1.0));
    if (largest > most_move) return INFINITY;
    for (int k = 0; k < 3; k++) s->q[k] += step[k];
    turn_root(s->q + 3, step + 3);
    for (int leg = 0; leg < 4; leg++)
        for (int k = 0; k < 3; k++)
            if (s->legs->joint[leg][k] >= 0) s->q[s->m->bodies[s->legs->joint[leg][k]].q] += step[ROOT_DOFS + 3 * leg + k];
    return largest;
}

/* Home, level. Feet are held at the height at which they are, a ground as uneven as they: what they lack there is said apart. */
static void start(stance *s) {
    memcpy(s->q, s->m->home, (size_t)s->m->nq * sizeof *s->q);
    const double level[7] = {0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0};
    memcpy(s->q, level, sizeof level);
    myr_model_poses(s->m, s->q, s->poses);
    double lowest = INFINITY;
    for (int leg = 0; leg < 4; leg++) {
        s->above[leg] = myr_lowest_point(s->m, s->legs->foot_geom[leg], s->poses);
        lowest = fmin(lowest, s->above[leg]);
    }
    s->height = fabs(lowest);
    for (int leg = 0; leg < 4; leg++) {
        point_of(s->place[leg], &s->poses[s->legs->joint[leg][2]], s->legs->foot_end[leg]);
        s->above[leg] -= lowest;
    }
}

/* The largest sag of a joint of the legs at rest [rad]; INFINITY: it does not come to rest, or a foot would have to be pulled down. */
static double sag(stance *s) {
    start(s);
    double largest = INFINITY, sag = 0.0;
    for (int i = 0; i < MOST_STEPS && largest > rest; i++) {
        largest = improve(s);
        if (!isfinite(largest)) return INFINITY;
    }
    if (largest > rest) return INFINITY;
    for (int leg = 0; leg < 4; leg++) {
        if (!(s->lift[leg] > 0.0)) return INFINITY;
        for (int k = 0; k < 3; k++)
            if (s->legs->joint[leg][k] >= 0) sag = fmax(sag, fabs(s->q[s->m->bodies[s->legs->joint[leg][k]].q] - s->legs->home[leg][k]));
    }
    return sag;
}

/* Joints that their effort limits keep from carrying the robot, at rest. */
static myr_status check_effort(const stance *s, myr_texts *warnings) {
    for (int leg = 0; leg < 4; leg++)
        for (int k = 0; k < 3; k++) {
            const int body = s->legs->joint[leg][k];
            if (body < 0) continue;
            const myr_body *b = &s->m->bodies[body];
            const double torque = s->kp * fabs(s->q[b->q] - s->legs->home[leg][k]);
            if (torque <= b->effort_limit) continue;
            const myr_status status = myr_texts_add(
                warnings, "`%s` will not stand: its weight asks %.3g N m of joint `%s`, and the effort limit there is %.3g N m", s->m->name,
                torque, b->joint_name, b->effort_limit);
            if (status) return status;
        }
    return MYR_OK;
}

/* The root is level at home, so where legs differ in reach some feet are in the air. */
static myr_status check_reach(const stance *s, myr_texts *warnings) {
    for (int leg = 0; leg < 4; leg++) {
        if (s->above[leg] <= most_above * s->legs->leg_length) continue;
        const myr_status status =
            myr_texts_add(warnings, "`%s` will lean when it stands: at home the leg of joint `%s` ends %.3g m above the ground", s->m->name,
                          s->m->bodies[s->legs->joint[leg][2]].joint_name, s->above[leg]);
        if (status) return status;
    }
    return MYR_OK;
}

static myr_status settle(stance *s, myr_quadruped *quadruped, myr_texts *warnings) {
    const double least = quadruped->kp;
    s->kp = least;
    for (int i = 0; i <= MOST_RAISES; i++, s->kp *= raise) {
        if (!(sag(s) <= most_sag)) continue;
        quadruped->kp = s->kp;
        if (i > 0) quadruped->kd *= sqrt(s->kp / least); /* the same share of critical damping */
        return check_effort(s, warnings);
    }
    return myr_texts_add(
        warnings,
        "`%s` will not stand: at home no stiffness up to kp = %.3g N m/rad keeps the joints of its legs within %.3g rad of "
        "their targets with all feet on the ground: is its weight over its feet?",
        s->m->name, s->kp / raise, most_sag);
}

myr_status myr_find_gains(myr_model *m, myr_texts *warnings) {
    myr_quadruped *quadruped = &m->quadruped;
    if (!quadruped->valid || !(quadruped->kp > 0.0)) return MYR_OK; /* what weighs nothing needs none */
    stance s = {.m = m, .legs = quadruped};
    s.poses = myr_allocate_array((size_t)m->n_bodies, sizeof *s.poses);
    s.q = myr_allocate_array((size_t)m->nq, sizeof *s.q);
    s.ground = (m->mass - m->anchored_mass) * fabs(m->gravity[2]) / (ground_share * quadruped->leg_length);
    myr_status status = s.poses && s.q ? MYR_OK : myr_fail(MYR_E_MEMORY, "out of memory for model `%s`", m->name);
    if (!status) status = settle(&s, quadruped, warnings);
    if (!status) status = check_reach(&s, warnings);
    myr_release(s.poses);
    myr_release(s.q);
    return status;
}

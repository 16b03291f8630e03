/* The scalar rows of a model: every joint of one dof that has position limits or dry friction, and the length by which its row is scaled.
 */
#include <math.h>

#include "description.h"
#include "memory.h"

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

myr_status myr_find_rows(myr_model *m) {
    int count = 0;
    for (int i = 0; i < m->n_bodies; i++) count += has_row(&m->bodies[i]);
    if (!count) return MYR_OK;
    myr_pose *poses = myr_allocate_array((size_t)m->n_bodies, sizeof *poses);
    m->rows = myr_allocate_array((size_t)count, sizeof *m->rows);
    if (!poses || !m->rows) {
        myr_release(poses);
        return myr_fail(MYR_E_MEMORY, "out of memory for model `%s`", m->name);
    }
    myr_model_poses(m, m->home, poses);
    for (int i = 0; i < m->n_bodies; i++) {
        const myr_body *b = &m->bodies[i];
        if (!has_row(b)) continue;
        const int limited = b->lower <= b->upper;
        m->rows[m->n_rows++] = (myr_joint_row){.body = i,
                                               .q = b->q,
                                               .dof = b->v,
                                               .lower = limited ? b->lower : -INFINITY,
                                               .upper = limited ? b->upper : INFINITY,
                                               .friction = b->dry_friction,
                                               .length = myr_row_length(m, i, poses)};
    }
    myr_release(poses);
    return MYR_OK;
}

/* Where the bodies of a model are in a configuration, in double. */
#include <math.h>

#include "description.h"
#include "base/trigonometry.h"

/* Motion of a joint in aligned frames. */
static myr_pose joint_pose(const myr_body *body, const double *q) {
    myr_pose pose = myr_pose_identity();
    myr_copy3(pose.position, body->offset);
    switch (body->joint) {
    case MYR_JOINT_FREE:
        myr_copy3(pose.position, q);
        myr_rotation_from_quaternion(pose.rotation, q + 3);
        break;
    case MYR_JOINT_BALL: { /* the quaternion is in user axes: turn it into aligned ones */
        double aligned[4] = {q[0]};
        myr_rotate(aligned + 1, body->align, q + 1);
        myr_rotation_from_quaternion(pose.rotation, aligned);
        break;
    }
    case MYR_JOINT_PRISMATIC:
        for (int k = 0; k < 3; k++) pose.position[k] += q[0] * body->axis[k];
        break;
    default: myr_rotation_from_axis(pose.rotation, body->axis, q[0]);
    }
    return pose;
}

void myr_model_place(const myr_model *model, int body, const double *q, myr_pose *poses) {
    const myr_body *b = &model->bodies[body];
    poses[body] = joint_pose(b, q + b->q);
    if (b->parent >= 0) poses[body] = myr_pose_compose(&poses[b->parent], &poses[body]);
}

void myr_model_poses(const myr_model *model, const double *q, myr_pose *poses) {
    for (int i = 0; i < model->n_bodies; i++) myr_model_place(model, i, q, poses);
}

double myr_lowest_point(const myr_model *model, int geom, const myr_pose *poses) {
    double lowest = INFINITY;
    for (int k = 0; k < model->geoms[geom].n_slots; k++) {
        const myr_slot *slot = &model->slots[model->geoms[geom].slot + k];
        const myr_pose *body = &poses[slot->body];
        const double lean = myr_dot3(body->rotation + 6, slot->axis), across = slot->rim ? sqrt(fmax(0.0, 1.0 - lean * lean)) : 0.0;
        if (slot->hull) {
            const myr_hull *hull = &model->hulls[slot->hull - 1];
            for (int i = 0; i < hull->n; i++)
                lowest = fmin(lowest, body->position[2] + myr_dot3(body->rotation + 6, hull->corners + 3 * i));
            return lowest;
        }
        if (slot->rim > MYR_RIM_CAP) continue; /* the caps' own are no higher */
        lowest = fmin(lowest, body->position[2] + myr_dot3(body->rotation + 6, slot->center) - slot->radius - slot->rim_radius * across);
    }
    return lowest;
}

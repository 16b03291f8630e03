/* Named frames of one environment from the poses and velocities of its bodies; scalar double. */
#ifndef MYR_BATCH_FRAMES_H
#define MYR_BATCH_FRAMES_H

#include "model/model.h"

typedef struct myr_body_motion { /* user frame of a body, in world axes */
    double position[3], quaternion[4], linear[3], angular[3];
    double rotation[9]; /* body -> world, row-major; filled by myr_body_motion_rotation */
} myr_body_motion;

/* rotation from quaternion, which is normalized first. */
void myr_body_motion_rotation(myr_body_motion *motion);

/* One frame of the model; outputs nullable: position (3), quaternion (4) frame -> world, velocity (6) linear, angular in world
 * axes, jacobian (3, nv) of the position. */
void myr_frame_motion(const myr_model *model, const myr_body_motion *bodies, int frame, double *position, double *quaternion,
                      double *velocity, double *jacobian);

#endif

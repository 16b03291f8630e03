/* How the robots of a run are at its end: what the figures of its solves do not show of robots that have fallen, sunk or been buried. */
#ifndef MYRIAPOD_CLI_POSTURE_H
#define MYRIAPOD_CLI_POSTURE_H

#include <myriapod/myriapod.h>

/* Over all environments that are not quarantined; NaN: there is none, or the figure means nothing for this model. */
typedef struct posture {
    double penetration_p50, penetration_max; /* deepest point of a robot, in the ground or of one body in another [m]; NaN without geoms */
    double base_height_p50;                  /* height of the first floating root's origin above its ground [m]; NaN where no tree floats */
    double upright;                          /* share of robots whose first floating root is upright, posture_is_upright; likewise */
} posture;

/* q: position and quaternion (w, x, y, z) of a root. 1: its z axis is within 45 degrees of the world's, and its z is above 0. */
int posture_is_upright(const double q[7]);

/* The batch stays as it is. All geoms count, those too that the task lets pass through the ground. MYR_OK, or a status with its message
 * and nothing known. */
myr_status posture_measure(const myr_batch *batch, const myr_settings *settings, posture *out);

#endif

/* What a law of a motor gives. A kind of motor: include/myriapod/motors.def. */
#ifndef MYR_DYNAMICS_MOTORS_MOTOR_LANE_H
#define MYR_DYNAMICS_MOTORS_MOTOR_LANE_H

#include "robot/actuator_state.lane.h"

/* The force at v-, and what of it is implicit: force - implicit (rate+ - rate-) acts. */
typedef struct actuation {
    vf force, implicit;
} actuation;

typedef actuation motor_law(const part *p, const lane_actuator *a, const actuator_state *d);

#endif

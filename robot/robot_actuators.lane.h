/* The part of a robot that is about its actuators: which joints they drive. Included by robot.lane.h. */
#ifndef MYR_ROBOT_ROBOT_ACTUATORS_LANE_H
#define MYR_ROBOT_ROBOT_ACTUATORS_LANE_H

static size_t robot_actuators_bytes(const myr_model *m) { return robot_round((size_t)m->nu * sizeof(lane_actuator)); }

/* After the joints. */
static void robot_actuators(robot *r, char *cursor) {
    const myr_model *m = r->model;
    lane_actuator *actuators = (lane_actuator *)(void *)cursor;
    for (int u = 0; u < m->nu; u++) {
        const myr_actuator *from = &m->actuators[u];
        lane_actuator *to = &actuators[u];
        *to = (lane_actuator){.n = from->n, .lower = (real)from->lower, .upper = (real)from->upper};
        for (int i = 0; i < from->n; i++) {
            while (r->joints[to->joint[i]].v != r->bodies[from->joint[i]].v) to->joint[i]++;
            to->moment[i] = (real)from->moment[i];
            to->whole += to->moment[i] < 0 ? -to->moment[i] : to->moment[i];
        }
        double target, torque;
        myr_actuator_start(m, u, &target, &torque);
        to->home = (real)target, to->length = (real)myr_actuator_length(m, u, m->home);
    }
    r->actuators = actuators, r->plain_actuators = m->plain_actuators;
}

#endif

/* The part of a robot that is about its actuators: which joints they drive. Included by robot.lane.h. */
#ifndef MYR_ROBOT_ROBOT_ACTUATORS_LANE_H
#define MYR_ROBOT_ROBOT_ACTUATORS_LANE_H

/* dynamics/actuators.lane.h */
typedef struct lane_actuator {
    int n, joint[MYR_COUPLED_JOINTS]; /* places among the lane_joints */
    real moment[MYR_COUPLED_JOINTS], lower, upper;
    real whole;        /* sum of the moments' magnitudes */
    real home, length; /* target with which an episode begins; length in the home pose */
    const myr_motor *motor;
    int torqued;      /* a control is its torque, not its target */
    int late, lag;    /* rows of w->activation, -1: it is not late, does not lag */
    int net;          /* likewise, of what its net keeps */
    real bias;        /* what a control of 0 sets */
    int pushes, body; /* pushes: a frame of the body, by `gear` in its aligned axes, at `at`; body -1: the world */
    real at[3], gear[6];
} lane_actuator;

static size_t robot_actuators_bytes(const myr_model *m) {
    return robot_round((size_t)m->nu * sizeof(lane_actuator)) + robot_round((size_t)m->nu * sizeof(int));
}

static void robot_pushing(const myr_actuator *from, lane_actuator *to) {
    to->pushes = 1, to->body = from->frame.body;
    for (int k = 0; k < 3; k++) {
        to->at[k] = (real)from->frame.at[k];
        for (int part = 0; part < 6 && to->body >= 0; part += 3) {
            double sum = 0;
            for (int j = 0; j < 3; j++) sum += from->frame.turn[3 * k + j] * from->gear[part + j];
            to->gear[part + k] = (real)sum;
        }
    }
}

/* Have these two actuators motors of one kind, and of one net? */
static int same_law(const myr_model *m, int u, int other) {
    const myr_motor *a = &m->actuators[u].motor, *b = &m->actuators[other].motor;
    return a->kind == b->kind && a->net == b->net;
}

/* After the joints. */
static void robot_actuators(robot *r, char *cursor) {
    const myr_model *m = r->model;
    lane_actuator *actuators = (lane_actuator *)(void *)cursor;
    int *by_motor = (int *)(void *)(cursor + robot_round((size_t)m->nu * sizeof(lane_actuator)));
    for (int u = 0; u < m->nu; u++) {
        const myr_actuator *from = &m->actuators[u];
        lane_actuator *to = &actuators[u];
        *to = (lane_actuator){.n = from->n,
                              .lower = (real)from->lower,
                              .upper = (real)from->upper,
                              .motor = &from->motor,
                              .torqued = from->controls == MYR_CONTROLS_TORQUE,
                              .late = myr_motor_late_rows(&from->motor) ? from->state : -1,
                              .lag = myr_motor_lag_rows(&from->motor) ? from->state + myr_motor_late_rows(&from->motor) : -1,
                              .net = from->state + myr_motor_input_rows(&from->motor),
                              .bias = (real)from->bias};
        if (from->pushes) robot_pushing(from, to);
        for (int i = 0; i < from->n; i++) {
            while (r->joints[to->joint[i]].v != r->bodies[from->joint[i]].v) to->joint[i]++;
            to->moment[i] = (real)from->moment[i];
            to->whole += to->moment[i] < 0 ? -to->moment[i] : to->moment[i];
        }
        double target, torque;
        myr_actuator_start(m, u, &target, &torque);
        to->home = (real)target, to->length = (real)myr_actuator_length(m, u, m->home);
    }
    for (int kind = 0, n = 0; kind < MYR_MOTOR_KINDS; kind++) {
        for (int u = 0; u < m->nu; u++) { /* those of one net one behind the other: its weights stay near */
            int is_first = (int)m->actuators[u].motor.kind == kind;
            for (int k = 0; k < u && is_first; k++) is_first = !same_law(m, k, u);
            for (int k = u; k < m->nu && is_first; k++)
                if (same_law(m, u, k)) by_motor[n++] = k;
        }
        r->motor_first[kind + 1] = n;
    }
    r->by_motor = by_motor, r->n_activation = m->n_activation;
    r->actuators = actuators, r->plain_actuators = m->plain_actuators;
}

#endif

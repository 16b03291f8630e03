/* How far from a joint the things may be that it moves: what a point's speed is bounded by (window.lane.h). Included by robot.lane.h. */
#ifndef MYR_ROBOT_ROBOT_SWEEP_LANE_H
#define MYR_ROBOT_ROBOT_SWEEP_LANE_H

static real robot_length(const real x[3]) { return (real)__builtin_sqrt((double)(x[0] * x[0] + x[1] * x[1] + x[2] * x[2])); }

/* The farthest that the origin of a body may be from its parent's. A slider without limits counts as one of a metre. */
static real robot_arm(const robot *r, int i) {
    const lane_body *b = &r->bodies[i];
    const myr_body *from = &r->model->bodies[i];
    double travel = 0;
    if (b->joint == MYR_JOINT_PRISMATIC) {
        const double low = __builtin_fabs(from->lower), high = __builtin_fabs(from->upper), most = low > high ? low : high;
        travel = most < 1e3 ? most : 1;
    }
    return robot_length(b->offset) + (real)travel;
}

static void robot_sweeps(robot *r, lane_body *bodies) {
    for (int i = 0; i < r->n_bodies; i++) bodies[i].sweep = bodies[i].n_slots ? robot_length(bodies[i].ball) + bodies[i].ball_radius : 0;
    for (int s = 0; s < r->n_solids; s++) {
        const lane_solid *is = &r->solids[s];
        const real far = robot_length(is->at) + is->reach;
        if (is->body >= 0 && far > bodies[is->body].sweep) bodies[is->body].sweep = far;
    }
    for (int i = r->n_bodies - 1; i >= 0; i--) {
        const int parent = bodies[i].parent;
        const real far = robot_arm(r, i) + bodies[i].sweep;
        if (parent >= 0 && far > bodies[parent].sweep) bodies[parent].sweep = far;
        if (bodies[i].joint == MYR_JOINT_PRISMATIC) bodies[i].sweep = 1;
    }
}

#endif

/* The part of a robot that is about hulls of many corners against the ground (collision/hulls.lane.h). Included by robot.lane.h. */
#ifndef MYR_ROBOT_ROBOT_HULLS_LANE_H
#define MYR_ROBOT_ROBOT_HULLS_LANE_H

static size_t robot_hulls_bytes(const myr_model *m) {
    size_t n = robot_round((size_t)m->n_hulls * sizeof(lane_hull));
    for (int i = 0; i < m->n_hulls; i++) n += robot_round(3 * (size_t)m->hulls[i].n * sizeof(real));
    return n;
}

static void robot_hulls(robot *r, char *cursor) {
    const myr_model *m = r->model;
    lane_hull *hulls = (lane_hull *)(void *)cursor;
    cursor += robot_round((size_t)m->n_hulls * sizeof(lane_hull));
    r->hulls = hulls;
    for (int i = 0; i < m->n_hulls; i++) {
        const myr_hull *from = &m->hulls[i];
        real *corners = (real *)(void *)cursor;
        cursor += robot_round(3 * (size_t)from->n * sizeof(real));
        for (int k = 0; k < 3 * from->n; k++) corners[k] = (real)from->corners[k];
        hulls[i] = (lane_hull){.n = from->n, .corners = corners, .radius = (real)from->radius};
        for (int k = 0; k < 9; k++) hulls[i].turn[k] = (real)from->turn[k];
    }
}

#endif

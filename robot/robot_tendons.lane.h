/* The part of a robot that is about tendons: rows of more than one joint. Included by robot.lane.h. */
#ifndef MYR_ROBOT_ROBOT_TENDONS_LANE_H
#define MYR_ROBOT_ROBOT_TENDONS_LANE_H

#include <math.h>

static int robot_tendons(const myr_model *m) {
    int n = 0;
    for (int k = 0; k < m->n_rows; k++) n += m->rows[k].n_terms > 0;
    return n;
}

/* What a tendon's row takes of the robot's memory: its terms and its path, which may be every dof. */
static size_t robot_tendon_bytes(const myr_model *m) {
    return (size_t)robot_tendons(m) * (robot_round(MYR_COUPLED_JOINTS * sizeof(row_term)) + robot_round((size_t)m->nv * sizeof(int)));
}

/* A tendon's row: its terms, and the dofs that move any of its joints, in their order, so that roots come first. */
static void robot_tendon(robot *r, lane_row *row, const myr_joint_row *from, char *cursor) {
    const myr_model *m = r->model;
    row_term *terms = (row_term *)(void *)cursor;
    int *path = (int *)(void *)(cursor + robot_round(MYR_COUPLED_JOINTS * sizeof(row_term)));
    row->terms = terms, row->n_terms = from->n_terms, row->path = path, row->path_length = 0, row->reach = 0;
    for (int i = 0; i < from->n_terms; i++) {
        const myr_body *b = &m->bodies[from->joint[i]];
        terms[i] = (row_term){b->q, b->v, (real)from->coefficient[i]};
        row->reach += (real)fabs(from->coefficient[i]);
    }
    for (int k = 0; k < m->nv; k++) {
        int moves = 0;
        for (int i = 0; i < from->n_terms; i++)
            for (int e = 0; e <= r->dof_depth[terms[i].dof]; e++) moves |= r->dof_path[terms[i].dof][e] == k;
        if (moves) path[row->path_length++] = k;
    }
    if (row->path_length > r->max_path) r->max_path = row->path_length;
}

#endif

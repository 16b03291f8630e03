/* The part of a robot that is about loops and couplings of joints: where they hold on, and the dofs that move them. Included by
 * robot.lane.h. */
#ifndef MYR_ROBOT_ROBOT_LOOPS_LANE_H
#define MYR_ROBOT_ROBOT_LOOPS_LANE_H

/* A joint's part in a coupling. */
typedef struct lane_term {
    int q, dof;
    real coefficient;
} lane_term;

typedef struct lane_loop {
    myr_loop_type type;
    int first, n;              /* its rows among those of all loops */
    int body[2];               /* -1: the world */
    int across;                /* its ends are in two trees, or one is fixed to the world */
    int common;                /* dofs above both ends */
    real at[2][3], axes[2][9]; /* aligned frame of each: the anchor; the loop's axes, one after the other */
    real length;
    int path_length;
    const int *path; /* all dofs above either end, or above the joints: ascending, so that none comes before its ancestors */
    int n_terms;
    lane_term term[MYR_COUPLED_JOINTS], driver; /* driver.q -1: none */
    real polynomial[5];
} lane_loop;

/* Mark the dofs above a body, its own among them. */
static void robot_mark_path(const robot *r, int body, unsigned char *marked) {
    if (body < 0) return;
    const lane_body *b = &r->bodies[body];
    for (int k = 0; k < b->depth + b->nv; k++) marked[b->path[k]] = 1;
}

static size_t robot_loops_bytes(const myr_model *m) {
    return robot_round((size_t)m->n_loops * sizeof(lane_loop)) + robot_round((size_t)m->n_loops * (size_t)m->nv * sizeof(int)) +
           robot_round((size_t)m->nv);
}

static void robot_coupling(const robot *r, const myr_loop *from, lane_loop *to) {
    to->n_terms = from->n_terms;
    to->driver.q = -1;
    for (int i = 0; i < from->n_terms; i++) {
        const lane_body *b = &r->bodies[from->joint[i]];
        to->term[i] = (lane_term){b->q, b->v, (real)from->coefficient[i]};
    }
    if (from->driver >= 0) to->driver = (lane_term){r->bodies[from->driver].q, r->bodies[from->driver].v, 0};
    for (int k = 0; k < 5; k++) to->polynomial[k] = (real)from->polynomial[k];
}

static void robot_loops(robot *r, char *cursor) {
    const myr_model *m = r->model;
    lane_loop *loops = (lane_loop *)(void *)cursor;
    cursor += robot_round((size_t)m->n_loops * sizeof(lane_loop));
    int *paths = (int *)(void *)cursor;
    unsigned char *marked = (unsigned char *)cursor + robot_round((size_t)m->n_loops * (size_t)m->nv * sizeof(int));
    r->loops = loops, r->n_loops = m->n_loops, r->n_loop_rows = m->n_loop_rows;
    for (int i = 0; i < m->n_loops; i++) {
        const myr_loop *from = &m->loops[i];
        lane_loop *to = &loops[i];
        memset(marked, 0, (size_t)m->nv);
        *to = (lane_loop){.type = from->type, .first = from->row, .n = from->n_rows, .body = {from->body[0], from->body[1]}};
        to->length = (real)from->length;
        if (from->type == MYR_LOOP_COUPLING) {
            robot_coupling(r, from, to);
            for (int k = 0; k < from->n_terms; k++) robot_mark_path(r, from->joint[k], marked);
            robot_mark_path(r, from->driver, marked);
        } else {
            to->common = robot_prefix(r, from->body[0], from->body[1]);
            to->across = from->body[1] < 0 || r->bodies[from->body[0]].tree != r->bodies[from->body[1]].tree;
            for (int e = 0; e < 2; e++) {
                robot_mark_path(r, from->body[e], marked);
                for (int k = 0; k < 3; k++) to->at[e][k] = (real)from->at[e][k];
                for (int k = 0; k < 9; k++) to->axes[e][k] = (real)from->turn[e][3 * (k % 3) + k / 3];
            }
        }
        to->path = paths;
        for (int k = 0; k < m->nv; k++)
            if (marked[k]) paths[to->path_length++] = k;
        paths += to->path_length;
    }
}

#endif

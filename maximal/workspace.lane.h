/* What the schemes of maximal coordinates keep within a step beside the workspace of all schemes. A batch has it that was made with one of
 * them; others have no room for it. */
#ifndef MYR_MAXIMAL_WORKSPACE_LANE_H
#define MYR_MAXIMAL_WORKSPACE_LANE_H

#include "kernels/contact/ipm.lane.h"
#include "robot/workspace.lane.h"

/* What ipm_tree.lane.h holds. It takes no pairs. By the model, of which the robot may have fewer slots: the mask of geoms may change while
 * batches live. */
static inline int maximal_interior(const robot *r) {
    const int slots = r->model->n_slots, blocks = slots + r->n_rows; /* more than it takes */
    if (r->model->n_pairs) return 0;
    return (9 + 2 + 9 * 3) * blocks + (IPM_STATE + 21) * slots + (IPM_ROW + 20) * r->n_rows + 8 * r->nv;
}

/* Arrays of vf; the comment gives their shape. */
#define MAXIMAL_LIST(X)                                                                                                                    \
    X(slot_round, r->n_entries)    /* per occupied slot: radius of its ball against the ground; -1: a rim */                               \
    X(slot_bend, 3 * r->n_entries) /* per occupied slot: its velocity beyond J u, axes of the contact */                                   \
    X(central, 10 * r->n_bodies)   /* per body: mass, centre of mass from the origin, inertia about it; base axes */                       \
    X(shift, 3 * r->n_bodies)      /* per body: how far its origin goes in an interval (increments.lane.h) */                              \
    X(turned, 4 * r->n_bodies)     /* per body: the quaternion of its turn */                                                              \
    X(rest, r->nv)                 /* by dof: what the step's equation has beside the new momentum */                                      \
    X(left, r->nv)                 /* by dof: residual of the equation of motion, then L^-T times it */                                    \
    X(Lu, r->nv)                   /* by dof: L times the new velocity */                                                                  \
    X(unmet, r->nv)                /* by dof: residual of the equation of motion; scratch */                                               \
    X(block, 36 * r->n_bodies)     /* per body: derivative of the momentum and forces it carries (articulated.lane.h) */                   \
    X(diagonal, r->nv)             /* by dof: diagonal of the derivative */                                                                \
    X(gain, 12 * r->n_entries)     /* per occupied slot: change of its impulse, 3 numbers less a matrix times dw */                        \
    X(row_gain, 2 * r->n_rows)     /* per joint row: change of its impulse, a number less a factor times dw */                             \
    X(best, 2 * r->nv + 9 * r->n_entries + 2 * r->n_rows)      /* velocities and impulses of the pass with the least residual */           \
    X(own_solve, 2 * r->nv + 9 * r->n_entries + 2 * r->n_rows) /* velocities and impulses of the step's own solve */                       \
    X(screw_end, 6 * r->nv)                                    /* by dof: its axis at the end of the step */                               \
    X(screw_row, 6 * r->nv)                                    /* by dof: its row of the derivative, over the pivot */                     \
    X(screw_begin, 6 * r->nv)                                  /* by dof: its axis where the step begins */                                \
    X(screw_column, 6 * r->nv)                                 /* by dof: its column of the derivative */                                  \
    X(pivot_inverse, r->nv)                                    /* by dof: 1 / its pivot */                                                 \
    X(slot_ref, r->n_entries)                                  /* per occupied slot: the normal velocity that the contact terms ask for */ \
    X(slot_size, r->n_entries)                                 /* per occupied slot: its mobility [1/kg] */                                \
    X(row_size, r->n_rows)                                     /* per joint row: its mobility */                                           \
    X(interior, maximal_interior(r))                           /* all numbers of the interior point over the tree (ipm_tree.lane.h) */     \
    X(given, r->nv)                                            /* by dof: L^-T J' times the impulses */                                    \
    X(point, r->nv)                                            /* by dof: the velocities at which a pass began */                          \
    X(anderson, 15 * r->nv)                                    /* last passes of Anderson's mixing (mixing.lane.h) */                      \
    X(pulled, 3 * r->n_entries)                                /* scratch */                                                               \
    X(loop_opens, r->n_loop_rows)                              /* per loop row: by how much the step opens it, scaled [m] */               \
    X(loop_wish, r->n_loop_rows)                               /* per loop row: the velocity that closes it by that */

typedef struct maximal_workspace {
#define X(name, count) vf *name;
    MAXIMAL_LIST(X)
#undef X
    vf momentum;              /* largest own impulse of a body, the measure of rounding [N s] */
    vf least_turn, most_rate; /* least s of a body's turn, largest square of a joint's rate */
    vf merit, best_merit;     /* residual over tolerance of the last pass, of the best one */
} maximal_workspace;

static inline maximal_workspace *maximal_of(const part *p) { return p->w->own; }

/* The struct itself, then its arrays. */
static size_t maximal_bytes(const void *memory) {
    const robot *r = memory;
    size_t n = workspace_list(1, sizeof(maximal_workspace));
#define X(name, count) n += (size_t)(count);
    MAXIMAL_LIST(X)
#undef X
    return n * sizeof(vf);
}

static void maximal_open(void *own, const void *memory) {
    const robot *r = memory;
    maximal_workspace *mw = own;
    vf *cursor = (vf *)own + workspace_list(1, sizeof *mw);
#define X(name, count)                                                                                                                     \
    mw->name = cursor;                                                                                                                     \
    cursor += (count);
    MAXIMAL_LIST(X)
#undef X
}

#endif

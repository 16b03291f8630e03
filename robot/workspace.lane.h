/* What dies within the step: one block per worker, used again for every tile part, so that it stays in the first
 * cache. Arrays of vf; the comment gives their shape. */
#ifndef MYR_ROBOT_WORKSPACE_LANE_H
#define MYR_ROBOT_WORKSPACE_LANE_H

#include "kernels/contact/problem.lane.h"
#include "robot.lane.h"
#include "scheme.h"

/* `dynamics` puts 9 numbers by body there, `free` a run's columns. */
static inline int workspace_y(const robot *r) {
    const int slots = r->mixed ? 3 * r->nv * r->n_contacts : 3 * r->max_path * r->n_entries, bodies = 9 * r->n_bodies,
              run = MAX_RUN * r->max_path;
    const int scratch = bodies > run ? bodies : run;
    return slots > scratch ? slots : scratch;
}

/* What again.lane.h puts aside: z, five answers, per contact impulse, velocity and `active`, per joint row and loop row two numbers.
 */
static inline int workspace_kept(const robot *r) { return r->nv + 5 + 7 * r->n_contacts + 2 * r->n_rows + 2 * r->n_loop_rows; }

#define WORKSPACE_LIST(X)                                                                                                                  \
    X(cs, 2 * r->n_bodies)         /* cosine, sine of each single-axis joint */                                                            \
    X(R, 9 * r->n_bodies)          /* aligned body axes -> base axes, row-major */                                                         \
    X(p, 3 * r->n_bodies)          /* body origin in the base frame */                                                                     \
    X(arm, 3 * r->n_bodies)        /* body origin as seen from the parent's origin: a difference of two far points would have lost bits */ \
    X(axis, 3 * r->nv)             /* axis of each dof that is not a free joint's, base frame */                                           \
    X(ball_at, 3 * r->n_bodies)    /* of a body with one slot against the ground: centre of its ball from the body's origin, base axes */  \
    X(R0, 9 * r->n_trees)          /* base axes -> world, row-major */                                                                     \
    X(tree_at, 3 * r->n_trees)     /* position of the base in the world, before the step */                                                \
    X(u, r->nv)                    /* velocity in base coordinates: v with the free linear part turned into base axes */                   \
    X(tau, r->nv)                  /* applied generalized force, without what is implicit */                                               \
    X(acts, 3 * r->nu)             /* what acts of each actuator: force at the rate before the step, what of it is implicit, that rate */  \
    X(activation, r->n_activation) /* what the field of this name is after the step */                                                     \
    X(reading, r->sensor_size)     /* what a sensor reads (sensors/sensors.lane.h) */                                                      \
    X(ray_place, r->ray_places)    /* where geoms are that rays of sensors see (collision/rays.lane.h) */                                  \
    X(sensed, r->n_sensor_kept)    /* what sensors keep from moment to moment of a step (sensors/sensor.lane.h) */                         \
    X(extra, r->nv)                /* what is added to the diagonal of M: armature + dt damping + implicit gains */                        \
    X(h, r->nv)                    /* bias force */                                                                                        \
    X(M, r->n_m)                   /* mass matrix by rows of ancestors; after `free`, L of M = L^T D L */                                  \
    X(dinv, r->nv)                 /* 1 / D */                                                                                             \
    X(z, r->nv)                    /* L u + D^-1 L^-T dt (tau - h): the free velocity is L^-1 z */                                         \
    X(force, 6 * r->n_bodies) /* force and moment about the body origin, base axes; with those of children that do not follow the body */  \
    X(comp, 10 * r->n_bodies) /* mass, mass * com, inertia about the body origin, base axes; with those of children that do not follow the \
                                 body */                                                                                                   \
    X(slot_x, 3 * r->n_entries)                        /* contact point in the base frame, per occupied slot */                            \
    X(slot_other_x, r->n_pairs ? 3 * r->n_entries : 0) /* contact point in the second body's base frame, per occupied slot of a pair */    \
    X(slot_frame, r->level ? 0 : 9 * r->n_entries)     /* rows: axes of the contact frame in the world, per occupied slot */               \
    X(solid_R, 9 * r->n_solids)                        /* geoms in pairs: axes -> world, row-major */                                      \
    X(solid_at, 3 * r->n_solids)                       /* geoms in pairs: centres, world axes, from the base of their tree */              \
    X(solid_x,                                                                                                                             \
      4 * (r->n_solids + 1))      /* geoms in pairs: centre in the base frame of its tree, how far it may reach; the first is anywhere */  \
    X(slot_active, r->n_entries)  /* per occupied slot: 1 or 0, as masks do not have a size of their own on every machine */               \
    X(slot_arm, 3 * r->n_entries) /* from the first contact of a bundle to each other one, axes of the contact */                          \
    X(touch_entry, r->n_entries)  /* per touch: its contact in each lane, -1: none; not set where it is alone */                           \
    X(slot_mu, r->n_entries)      /* friction coefficient per occupied slot */                                                             \
    X(slot_lambda, 3 * r->n_entries)                         /* impulse per occupied slot: warm start, then the answer */                  \
    X(slot_rank, r->packable || r->mixed ? r->n_entries : 0) /* active slots of the lane before it (pack.lane.h) */                        \
    X(packed_y, r->packable ? 3 * ROOT * r->n_contacts : 0)  /* per contact: the root's entries of Y */                                    \
    X(Y, workspace_y(r)) /* L^-T J^T by occupied slot: (axis, path); before that, scratch of `dynamics` */                                 \
    X(scaled, r->n_legs ? 0 : r->mixed ? 3 * r->nv : 6 * r->max_path) /* D^-1 Y of one bundle */                                           \
    X(patch, r->has_patches ? r->n_contacts : 0)                      /* contacts: problem.patch */                                        \
    X(jacobian, r->mixed ? 3 * r->max_path : 0)                       /* J of one entry, by its path */                                    \
    X(row_y, r->max_path * r->n_rows)                                 /* L^-T J^T of the joint rows that exist, by row */                  \
    X(row_scaled, r->n_rows ? r->nv : 0)                              /* D^-1 Y of one joint row, by dof; 0 off its path */                \
    X(loop_Y, r->n_loop_rows * r->nv)                                 /* L^-T J^T of the loops' rows, by row; by dof */                    \
    X(loop_scaled, r->n_loop_rows * r->nv)                            /* D^-1 loop_Y */                                                    \
    X(loop_B, r->n_loop_rows *(r->n_loop_rows + 1) / 2)               /* Y' D^-1 Y of the loops' rows, factored (loops_solve.lane.h) */    \
    X(loop_pivot, r->n_loop_rows)                                     /* inverses of loop_B's pivots; 0: a redundant row */                \
    X(loop_gap, r->n_loop_rows)                                       /* per loop row: how far open it is, scaled [m] */                   \
    X(loop_ref, r->n_loop_rows)                                       /* per loop row: the velocity that the step gives it */              \
    X(loop_lambda, r->n_loop_rows)                                    /* per loop row: its impulse, scaled */                              \
    X(loop_x, r->n_loop_rows)                                         /* scratch */                                                        \
    X(loop_seen, r->n_loop_rows ? r->nv : 0)                          /* scratch: L times a velocity */                                    \
    X(loop_E, r->n_loop_rows *(3 * r->n_contacts + r->n_rows))        /* blocks of G between loop rows and contacts or joint rows */       \
    X(loop_first, r->n_loop_rows)                                     /* the part of loop_lambda that closes the loops without contacts */ \
    X(row_passed, r->n_rows)           /* 1 where a solve went past the limit of a row that the problem did not have (recheck.lane.h) */   \
    X(kept, workspace_kept(r))         /* recheck.lane.h: what lanes keep while others are solved again */                                 \
    X(wanted, r->layout.task.actions)  /* control steps of a task: the action of this one */                                               \
    X(before, r->layout.task.actions)  /* control steps of a task: the action of the one before */                                         \
    X(scratch, r->layout.task.scratch) /* control steps of a task: the task's own */                                                       \
    X(terms, r->layout.count[MYR_ROWS_reward_sum])                /* control steps of a task: weighted reward terms, then the reward */    \
    X(seen, r->layout.task.observations + r->layout.task.critics) /* control steps of a task: the observation, that of a critic */         \
    X(twist, 6 * r->n_bodies) /* angular velocity, velocity of the origin, before the step, base axes: of bodies that may touch */         \
    X(speed, r->n_pairs ? r->n_bodies : 0) /* a bound on the speed of each body's points, before the step [m/s] (pairs.lane.h) */          \
    X(swept, r->n_bodies)                  /* how far a point of each body may go in the step, by the new velocity (lift.lane.h) [m] */    \
    X(push, r->nv)                         /* what moves the positions where some depth is taken out (lift.lane.h) */                      \
    X(slot_gap, r->n_entries)              /* gap per occupied slot */                                                                     \
    X(out_x, 3 * r->n_left_out)            /* per contact left out (working_set.lane.h): its point in the base frame */                    \
    X(out_other_x, r->n_pairs ? 3 * r->n_left_out : 0)    /* of a pair: its point in the second body's base frame */                       \
    X(out_gap, r->n_left_out)                             /* its gap [m] */                                                                \
    X(out_ends, r->n_left_out)                            /* scratch: its gap at the end of the step by its own velocity [m] */            \
    X(out_active, r->n_left_out)                          /* 1 in the lanes that have it */                                                \
    X(out_chosen, r->n_left_out)                          /* scratch: 1 in the lanes that take it */                                       \
    X(out_ref, r->n_left_out)                             /* the normal velocity that the law asks of it [m/s] */                          \
    X(out_own, r->n_left_out)                             /* square of how far it is from the solver's own law */                          \
    X(out_ground, r->ground.map ? 10 * r->n_left_out : 0) /* on a map: the ground that it touches (contact_frame.lane.h) */                \
    X(slot_turn,                                                                                                                           \
      r->ground.map && !r->level ? 10 * r->n_entries : 0)           /* on a map: bundle's axes -> contact's (constraints/bundle.lane.h) */ \
    X(twin_G, r->ground.map && r->packable ? 9 * r->n_contacts : 0) /* per contact: what its leg adds to its block with its twin's */

/* A slot that some lane uses, and the contacts that it is: first..end - 1, by lane. */
typedef struct slot_touch {
    int slot, first, end;
    int alone; /* `first` is this slot and nothing else */
} slot_touch;

/* A contact that some lane has and leaves out of its problem; `entry`: the first of its patch. */
typedef struct left_out {
    int slot, entry;
} left_out;

/* Mixed robots (pack.lane.h): the contacts that an entry is, low..high - 1; no others in any lane. */
typedef struct mixed_entry {
    int low, high;
} mixed_entry;

/* Mixed robots: one packed contact. Lanes without it hold the numbers of entry `first`, with zero impulse. `runs`: where Y may not be zero
 * in some lane. */
typedef struct mixed_contact {
    uint64_t runs;
    int first;
} mixed_contact;

/* Contacts first..first + n - 1. */
typedef struct bundle {
    int first, n;
} bundle;

typedef struct workspace {
#define X(name, count) vf *name;
    WORKSPACE_LIST(X)
#undef X
    problem contact;
    void *own;         /* the arrays of the scheme alone, where it has any (scheme.h) */
    int posed;         /* kinematics were computed for the present q and v */
    int occupied;      /* contacts that some lane of the part has (collision/occupied.lane.h) */
    int found;         /* of these, those that collide found; the others were taken in later (constraints/left_out.lane.h) */
    const int *slot;   /* occupied: a slot that it is, index into robot->slots; the others of its lanes have the same bodies */
    int bundles;       /* of contacts that share their bodies (constraints/bundle.lane.h) */
    int turns;         /* on a map: some contact is turned against its bundle's axes */
    int *turned;       /* on a map, per occupied slot of a bundle: it is */
    bundle *bundle;    /* bundles */
    int touched;       /* slots that some lane uses, in slot order */
    slot_touch *touch; /* touched */
    int n_out;         /* contacts that some lane leaves out (collision/working_set.lane.h) */
    left_out *out;     /* n_out, patch by patch */
    uint8_t fault[VN]; /* control steps of a task: of lanes whose outputs are not numbers, the quarantine */
    void *programs;    /* rows of the task's programs */
    int had;           /* slots that had an impulse before the step, of the part that is on its way; -1: not known, any */
    int *had_slot;     /* had: these, in slot order */
    int shown;         /* slots that the last step may have shown as contacts */
    int *shown_slot;   /* shown: these, in slot order */
    int *gate;         /* per gate of pairs: a bit for each lane in which it is open (collision/pairs.lane.h) */
    int *placed;       /* per geom in pairs: 1 where solid_R and solid_at are of this step */
    int near;          /* joint rows that some lane may need */
    const int *row;    /* first the rows that are near, later those that exist: index into robot->rows */
    int recheck;       /* the problem is assembled once more, with the rows of row_passed */
    vf closed, spare;  /* gaps up to `closed` are contacts, and those of up to `spare` at the end of the step (window.lane.h) [m] */
    int lifted;        /* some lane's positions go by `push` */
    vf loop_error, torn, loop_bound; /* loops: largest error now and where the step begins [rad, m]; residual allowed */
    vf passes;                       /* solves that the lane's step took, where the scheme counts them */
    unsigned strayed;                /* on a map: lanes that are too far from their origin */
    unsigned spun;                   /* lanes in which a body turns too far in a step for the scheme */
    unsigned bad;                    /* lanes that this step puts in quarantine: bits 0..VN-1 not finite, bits 16..16+VN-1 too fast */
    vf beyond;                       /* how far joints are beyond their limits where the step begins, the largest [rad, m] */
    mixed_entry *entry;              /* occupied */
    mixed_contact *mix;              /* by contact */
    vf crowd;                        /* mixed robots: contacts that each lane has */
    unsigned crowded;                /* mixed robots: lanes that have more than fit */
    int twins;                       /* some lane has a ball's two contacts packed: twin_G counts */
    int packed, filled;              /* contacts are packed by lane; contacts that have their rows (pack.lane.h) */
    vf *packed_active, *packed_mu, *packed_lambda; /* the problem's own arrays, for when they are */
} workspace;

/* The lists, in whole vf's. */
static inline size_t workspace_list(size_t n, size_t size) { return (n * size + sizeof(vf) - 1) / sizeof(vf); }

/* Their types, counts and names. Bundles and mixed contacts are of different robots. */
#define WORKSPACE_LISTS(X)                                                                                                                 \
    X(int, slot, r->n_entries)                                                                                                             \
    X(int, row, r->n_rows)                                                                                                                 \
    X(int, turned, r->ground.map ? r->n_entries : 0)                                                                                       \
    X(int, gate, r->n_gates)                                                                                                               \
    X(int, placed, r->n_solids)                                                                                                            \
    X(int, shown_slot, r->n_entries)                                                                                                       \
    X(int, had_slot, r->n_entries)                                                                                                         \
    X(slot_touch, touch, r->n_entries)                                                                                                     \
    X(left_out, out, r->n_left_out)                                                                                                        \
    X(bundle, bundle, r->mixed ? 0 : r->n_entries)                                                                                         \
    X(mixed_entry, entry, r->mixed ? r->n_entries : 0)                                                                                     \
    X(mixed_contact, mix, r->mixed ? r->n_contacts : 0)

/* What every step uses. */
static size_t workspace_used(const robot *r) {
    size_t n = 0;
#define X(name, count) n += (size_t)(count);
    WORKSPACE_LIST(X)
#undef X
#define X(type, name, count) n += workspace_list((size_t)(count), sizeof(type));
    WORKSPACE_LISTS(X)
#undef X
    return n;
}

static size_t workspace_size(const robot *r) { return workspace_used(r) + problem_size(r->n_contacts, r->n_rows); }

static inline size_t workspace_used_bytes(const void *memory) { return workspace_used(memory) * sizeof(vf); }

/* What the scheme (NULL: none) has of its own, in whole vf's. */
static inline size_t workspace_own(const robot *r, const myr_scheme *scheme) {
    return scheme && scheme->own_bytes ? workspace_list(1, scheme->own_bytes(r)) : 0;
}

static inline size_t workspace_bytes(const void *memory, const myr_scheme *scheme, myr_solver solver) {
    const robot *r = memory;
    const size_t room = myr_solver_room(solver, r->n_contacts, r->n_rows, sizeof(vf));
    return (r->workspace_vf + workspace_own(r, scheme) + room) * sizeof(vf) + 64;
}

/* The scheme's own and the problem lie last: pages that no step writes to take no memory. */
static inline void workspace_open(workspace *w, const robot *r, const myr_scheme *scheme, void *memory) {
    vf *cursor = memory;
#define X(name, count)                                                                                                                     \
    w->name = cursor;                                                                                                                      \
    cursor += (count);
    WORKSPACE_LIST(X)
#undef X
#define X(type, name, count)                                                                                                               \
    w->name = (type *)cursor;                                                                                                              \
    cursor += workspace_list((size_t)(count), sizeof(type));
    WORKSPACE_LISTS(X)
#undef X
    const size_t own = workspace_own(r, scheme);
    w->own = own ? cursor : NULL;
    if (own) scheme->own_open(w->own, r);
    cursor += own;
    w->contact.scratch = problem_open(&w->contact, r->n_contacts, r->n_rows, cursor);
    w->packed_active = w->contact.active, w->packed_mu = w->contact.mu, w->packed_lambda = w->contact.lambda;
    w->contact.patch = NULL;
    w->occupied = w->touched = w->n_out = w->near = w->contact.rows.n = 0;
    w->beyond = w->torn = vf_zero();
    w->lifted = 0;
}

/* One part of a tile on its way through the step. */
typedef struct part {
    const robot *r;
    workspace *w;
    char *tile; /* first row, moved to the part's lanes */
    const myr_step_options *options;
    real dt, per_dt;           /* and 1 / dt, as a double has it */
    unsigned alive;            /* lanes that are environments and not in quarantine */
    int ends;                  /* a control step ends with this step, and sensors measure */
    const myr_tile_meta *meta; /* of the tile, whose lane first_lane is the part's lane 0; NULL: nothing is drawn */
    int first_lane;
    const void *next_tile; /* NULL: there is none, or it has been fetched */
} part;

/* Part k of a tile, with this workspace: of the part before it nothing is known any more. */
static inline part part_open(const robot *r, workspace *w, void *tile, const myr_step_options *options, int k) {
    w->had = -1;
    const double dt = options->dt_s;
    return (part){
        .r = r, .w = w, .tile = (char *)tile + (size_t)k * sizeof(vf), .options = options, .dt = (real)dt, .per_dt = (real)(1 / dt)};
}

/* The code of the stages that have more than one: a floating root with legs knows its counts, any tree looks them up. Chosen once, when the
 * robot is built (batch/variants.lane.h has the tables). */
typedef struct variant {
    void (*kinematics)(const part *p);
    void (*dynamics)(const part *p);
    void (*spin_damping)(const part *p, vf dt);
    void (*free_velocity)(const part *p);
    void (*solve_l)(const robot *r, const workspace *w, const vf *t, vf *x);
    void (*assemble)(const part *p);
    int (*joint_row)(const part *p, int k, int n);
    void (*push)(const part *p, vf *t);
    void (*pull)(const part *p, const vf *x, vf *c);
} variant;

/* What a step of the next tile begins with comes into the second cache while this one computes: a call of one step would wait for memory at
 * every row. A share after each stage, as the core has room for ten lines on their way. State lies first in a tile, up to `torque`. */
static inline void prefetch_share(const part *p, int stage) {
    const int rows = p->r->layout.first[MYR_ROWS_torque];
    for (int k = rows * stage / MYR_STAGE_COUNT; k < rows * (stage + 1) / MYR_STAGE_COUNT; k++)
        __builtin_prefetch((const char *)p->next_tile + (size_t)k * 64, 0, 2);
}

static inline vf *row(const part *p, int r) { return (vf *)(void *)(p->tile + (size_t)r * 64); }
/* First row of a field. Row k of it is rows[PARTS * k]: loops that go by it look nothing up. */
static inline vf *field_rows(const part *p, myr_rows f) { return row(p, p->r->layout.first[f]); }

/* Where on the robot's map the lanes' worlds begin. */
static inline ground_origin ground_origin_of(const part *p) {
    const vf *at = field_rows(p, MYR_ROWS_ground_at);
    return (ground_origin){at[0], at[PARTS], at[2 * PARTS]};
}
static inline vf field(const part *p, myr_rows f, int i) { return *row(p, p->r->layout.first[f] + i); }

/* Of w->bad, with a bit for each reason: the lanes that stop. */
static inline unsigned stopped_lanes(unsigned bad) { return (bad | bad >> 16) & ((1u << VN) - 1u); }

/* A row of the tile at the end of a step. `all`: every lane is good, as nearly always, and nothing old is read. */
static inline __attribute__((always_inline)) void keep_good(vf *to, vf value, vm good, const int all) {
    *to = all ? value : vf_select(good, value, *to);
}

/* An impulse, likewise. One of zero is +0, whatever its solver left: the sign of a zero may tell what the neighbours have. */
static inline __attribute__((always_inline)) void keep_impulse(vf *to, vf value, vm good, const int all) {
    keep_good(to, value + vf_zero(), good, all);
}

#endif

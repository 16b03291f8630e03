/* The model as lane code wants it: constants in the unit's precision, indices resolved to rows, the tree cut into
 * serial chains. One per batch, shared by all threads, immutable. Everything lies in one block of memory. */
#ifndef MYR_ROBOT_ROBOT_LANE_H
#define MYR_ROBOT_ROBOT_LANE_H

#include <string.h>

#include "kernels/kernels.h"
#include "kernels/lane.h"
#include "ground.lane.h"
#include "layouts/inertial.h"

/* Call a leg's function with its count as a constant. */
#define LEG_SWITCH(count, function, ...)                                                                                                   \
    switch (count) {                                                                                                                       \
        COUNT_CASES_3(function, __VA_ARGS__)                                                                                               \
    default: function(__VA_ARGS__, 4); break;                                                                                              \
    }

/* How a joint turns its body: about one axis of the aligned frame, not at all, or by a full matrix. */
typedef enum { TURN_X, TURN_Y, TURN_Z, TURN_NONE, TURN_FULL } turn;

typedef struct lane_body {
    int parent;         /* -1: the base frame itself */
    int parent_is_base; /* parent's rotation is the identity: world, or the root of a floating tree */
    int follows;        /* its parent is the body before it: what goes along a chain of such bodies stays in registers */
    int forks;          /* some child of it does not follow */
    int hinges;         /* of a hinge: it and those above it, as far as each follows the one before; 0: none */
    int above;          /* of a hinge: parent of the first of these; -1: the world */
    int only_hinges;    /* a hinge, and nothing but hinges is above it, and maybe a floating root */
    int row_end;        /* of a hinge: behind its row of M */
    int tree;
    int wheel; /* a leaf hinge that turns what is round about its axis: turning it changes nothing but its angle */
    myr_joint_type joint;
    turn turn;
    int q, v, nv, u;
    int inertial;      /* first row in the tile */
    int depth;         /* dofs above its own */
    int slot, n_slots; /* its slots among the robot's */
    int n_places;      /* of these, twins not counted */
    int gated;         /* they are looked at only where the ball around them is low enough (place.lane.h) */
    real ball[3], ball_radius;
    real sweep;      /* of a turning joint: the farthest that what it moves may be from its origin, in any pose [m]; of a slider 1 */
    const int *path; /* depth + nv dofs, root first; its own last */
    real offset[3], axis[3], sign;
    real align[9]; /* user -> aligned: ball joints, and calls that ask for user frames */
    real effort;
    real own[10]; /* the model's inertial rows */
    real damping, armature;
} lane_body;

static inline int dof_is_linear(const lane_body *b, int k) {
    return b->joint == MYR_JOINT_PRISMATIC || (b->joint == MYR_JOINT_FREE && k < 3);
}

/* The dofs that move a slot. Against the ground: the path of its body. Of a pair: the path of the first body, all `first` of it, then
 * that of the second less the `common` dofs which both begin with. */
typedef struct lane_slot {
    int body, row, path_length; /* row: first of its three impulses in the tile */
    int rubs[2];                /* factors of the friction groups of its geoms, rows of the tile, each once; 0: none */
    const int *path;
    real center[3], radius, friction;
    myr_rim rim; /* cylinders: where the ball is depends on which way is up */
    real axis[3], side[3], rim_radius, half;
    int hull;          /* from 1: it is at one of this hull's corners (hulls.lane.h); 0: its place is fixed */
    int pair, feature; /* pair -1: against the ground */
    int on_ground;
    int around;        /* on a map: samples to each side that the ball sees (collision/map.lane.h) */
    myr_map_slot twin; /* is it on maps alone, and why? */
    real length;       /* then, between a capsule's ends: of its axis [m] */
    int flat;          /* on a map: from 1: it is of this flat solid */
    int patch;         /* the same number: slots that two bodies share, or a body and the ground */
    int few;           /* its patch has no more than FEW_SLOTS */
    int other_body;    /* second body of a pair, -1: fixed to the world */
    int first, common;
    int group;     /* slots of one group have the same bodies (pairs.lane.h); not of a mixed robot */
    uint64_t runs; /* of a mixed robot: its path's runs, a bit each (run_bit) */
} lane_slot;

/* A hull of many corners against the ground. */
typedef struct lane_hull {
    int n;
    const real *corners; /* (n, 3), in the body's aligned frame */
    real turn[9], radius;
} lane_hull;

/* A serial chain of hinges about x, y or z on the floating root. Where a model is a floating root with such legs and
 * nothing else, it takes the paths with known counts (legs_*.lane.h); every other tree takes the general ones. */
enum { MAX_LEG = 4 };
typedef struct robot_leg {
    int body, dof, n; /* first body, first dof, bodies (= dofs) */
} robot_leg;

/* Rows of M in such a model: the root's six, then each leg's, six entries of the root before their own. */
enum { ROOT = 6 };
static inline int root_row(int e) { return e * (e + 1) / 2; }
static inline int leg_row(int j) { return ROOT * j + j * (j + 1) / 2; } /* of a leg's j-th dof, from the leg's first row */

/* Dofs one after the other, each the child of the one before: where M is factored their number is a constant, and the `depth` dofs above
 * the first of them are those of all. Row j of them lies in M at `row` + depth j + j (j + 1) / 2. */
enum { MAX_RUN = 7 };
typedef struct robot_run {
    int dof, n, depth, row;
    const int *path;
} robot_run;

/* A bit for each run; the last one stands for all that are too many. */
enum { RUN_BITS = 64 };
static inline int run_bit(int run) { return run < RUN_BITS ? run : RUN_BITS - 1; }

/* Call a run's function with its count as a constant. */
#define RUN_SWITCH(count, function, ...)                                                                                                   \
    switch (count) {                                                                                                                       \
        COUNT_CASES_6(function, __VA_ARGS__)                                                                                               \
    default: function(__VA_ARGS__, 7); break;                                                                                              \
    }

/* A joint of one dof, as the stages that treat all such joints alike want it. */
typedef struct lane_joint {
    int q, v, u; /* u: -1 where not actuated */
    real damping, armature, effort;
    real stiffness, rest; /* of its spring */
    real shared_limit;    /* of what several actuators give it together */
} lane_joint;

/* A joint's scalar row. Its Jacobian is `length` at the joint's dof; Y = L^-T J^T reaches along the dof's path. */
typedef struct lane_row {
    int q, dof, path_length;
    const int *path; /* root first, the dof itself last */
    int row;         /* of its impulse in the tile */
    real lower, upper, friction, length, inverse_length;
    int n_terms; /* 0: of the joint at q and dof. Else of a tendon, whose position is the sum of the terms (constraints/row_terms.lane.h) */
    const struct row_term *terms;
    real reach; /* what its position moves where each joint moves by one; 1 of a joint */
} lane_row;

typedef struct row_term {
    int q, dof;
    real coefficient;
} row_term;

struct variant; /* workspace.lane.h */

typedef struct robot {
    const struct variant *variant; /* which code it takes, where a stage has more than one */
    lane_ground ground;            /* its map, if it stands on one */
    int level;                     /* all its contacts have the world's axes */
    int n_bodies, n_trees, nq, nv, nu, n_slots, n_m;
    int n_ground;              /* slots against the ground; those of pairs follow */
    int mixed;                 /* a contact is of these bodies in one lane and of others in the next (constraints/mixed_assemble.lane.h) */
    int n_entries, n_contacts; /* room for contacts: of all lanes of a part together, and of one lane */
    int has_patches;           /* some bodies share more than one slot */
    int n_left_out;            /* room for those left out of problems (collision/working_set.lane.h) */
    int max_path;
    int n_legs;   /* 0: not such a model */
    int packable; /* such a model without loops, and no two slots have a dof in common but the root's */
    const robot_leg *legs;
    const lane_body *bodies;
    int n_joints, springs, holds;          /* some joint has a spring; something is held against gravity */
    const lane_joint *joints;              /* of one dof each */
    const struct lane_actuator *actuators; /* nu */
    const int *by_motor;                   /* nu: actuators, kind by kind of motor; of kind k motor_first[k] .. motor_first[k + 1] - 1 */
    int motor_first[MYR_MOTOR_KINDS + 1], n_activation;
    int plain_actuators;            /* each is of its joint alone, the same both ways */
    int n_rows, n_joint_rows, rubs; /* n_joint_rows: the first so many are of joints, others of tendons; rubs: some row has dry friction */
    const lane_row *rows;
    int n_sensors, n_sensor_kept, senses_actuators; /* senses_actuators: some sensor reads what they gave */
    int ray_places, sensor_size;                    /* numbers: where the geoms are that rays see; of the longest sensor */
    int senses_each, senses_velocity;               /* some reads each step of dt; some asks how bodies move */
    unsigned senses_when;                           /* a bit for each MYR_SENSED_* that some sensor has */
    const struct lane_sensor *sensors;
    int n_loops, n_loop_rows; /* couplings of joints among them; their rows together */
    const struct lane_loop *loops;
    const lane_hull *hulls;
    const struct lane_flat *flats; /* on a map */
    const lane_slot *slots;        /* only those whose geom may collide */
    const int *tree_root;          /* n_trees */
    const int *tree_floating;      /* n_trees */
    const int *m_row;              /* nv: first entry of a dof's row of M; entries: its ancestors root first, then itself */
    const int *dof_depth;
    const int *dof_body;
    const real *dof_damping; /* as the model says */
    int n_runs;
    const robot_run *runs;
    int run_dof[RUN_BITS + 1];  /* of a mixed robot: the first dof of each bit's runs, then the end of the last one's */
    const int *const *dof_path; /* nv: ancestors root first, then itself */
    const uint16_t *common;     /* n_slots x n_slots: dofs that move both slots: the first so many of their paths; without pairs */
    int n_pairs, n_solids, n_groups;
    const struct lane_pair *pairs;
    const struct lane_solid *solids; /* geoms that are in pairs */
    int n_gates;
    const struct lane_gate *gates;
    const struct lane_meet *meet; /* n_groups x n_groups: what `common` is in models without pairs, NULL there */
    myr_layout layout;
    const myr_model *model;
    size_t workspace_vf; /* vf's of a worker's workspace */
} robot;

static size_t workspace_size(const robot *r);

static inline size_t robot_round(size_t bytes) { return (bytes + 63) & ~(size_t)63; }

#include "robot_patches.lane.h"
#include "robot_pairs.lane.h"
#include "robot_loops.lane.h"
#include "robot_tendons.lane.h"
#include "robot_actuators.lane.h"
#include "robot_sensors.lane.h"
#include "robot_sweep.lane.h"
#include "robot_flats.lane.h"
#include "robot_hulls.lane.h"

static size_t robot_path_ints(const myr_model *m) {
    size_t n = 0;
    for (int i = 0; i < m->n_bodies; i++) {
        const myr_body *b = &m->bodies[i];
        n += (size_t)(m->dof_depth[b->v] + b->nv);
    }
    return n;
}

static inline size_t robot_bytes(const myr_model *m) {
    const size_t nb = (size_t)m->n_bodies, nv = (size_t)m->nv;
    return robot_round(sizeof(robot)) + robot_round(nb * sizeof(lane_body)) + robot_round((size_t)m->n_slots * sizeof(lane_slot)) +
           robot_round(2 * (size_t)m->n_trees * sizeof(int)) + robot_round(3 * nv * sizeof(int)) + robot_round(nv * sizeof(int *)) +
           robot_round(robot_path_ints(m) * sizeof(int)) + robot_round((size_t)m->n_bodies * sizeof(robot_leg)) +
           robot_round((size_t)m->n_bodies * sizeof(lane_joint)) + robot_actuators_bytes(m) + robot_sensors_bytes(m) +
           robot_round((size_t)m->n_rows * sizeof(lane_row)) + robot_tendon_bytes(m) + robot_round(nv * sizeof(real)) +
           robot_round(nv * sizeof(robot_run)) + robot_loops_bytes(m) + robot_hulls_bytes(m) + robot_flats_bytes(m) +
           (m->n_pairs ? robot_pairs_bytes(m) : robot_round((size_t)m->n_slots * (size_t)m->n_slots * sizeof(uint16_t)));
}

static turn robot_turn(const myr_body *b) {
    if (b->joint == MYR_JOINT_PRISMATIC || b->joint == MYR_JOINT_FREE) return TURN_NONE;
    if (b->joint == MYR_JOINT_BALL || b->axis_class == MYR_AXIS_GENERAL) return TURN_FULL;
    return (turn)b->axis_class; /* X, Y, Z agree */
}

/* The legs of a floating root with nothing else; 0 where the model is anything else. */
static int robot_legs(const robot *r, robot_leg *legs) {
    int n = 0;
    if (r->n_trees != 1 || r->model->n_pairs || r->bodies[0].joint != MYR_JOINT_FREE || robot_tendons(r->model)) return 0;
    for (int i = 1; i < r->n_bodies; i++) {
        const lane_body *b = &r->bodies[i];
        if (b->joint != MYR_JOINT_REVOLUTE || b->turn > TURN_Z) return 0;
        if (b->parent == 0)
            legs[n++] = (robot_leg){i, b->v, 1};
        else if (n == 0 || b->parent != i - 1 || ++legs[n - 1].n > MAX_LEG)
            return 0;
    }
    return n;
}

/* What is above a hinge, body i, whose row of M begins at `row`. */
static void robot_hinge(lane_body *bodies, int i, int row) {
    lane_body *b = &bodies[i];
    const int more = b->follows && bodies[i - 1].hinges > 0;
    b->hinges = more ? bodies[i - 1].hinges + 1 : 1;
    b->above = more ? bodies[i - 1].above : b->parent;
    b->only_hinges = b->above < 0 || bodies[b->above].joint == MYR_JOINT_FREE || bodies[b->above].only_hinges;
    b->row_end = row + b->depth + 1;
}

/* Runs of dofs, each the child of the one before. A floating root is one of its own. */
static int robot_runs(const robot *r, robot_run *runs) {
    int n = 0;
    for (int i = 0; i < r->nv; i++) {
        robot_run *last = n ? &runs[n - 1] : NULL;
        const int child = i > 0 && r->dof_depth[i] > 0 && r->dof_path[i][r->dof_depth[i] - 1] == i - 1;
        if (child && last->n < MAX_RUN && !(last->depth == 0 && last->n == ROOT && r->bodies[r->dof_body[i - 1]].joint == MYR_JOINT_FREE))
            last->n++;
        else
            runs[n++] = (robot_run){.dof = i, .n = 1, .depth = r->dof_depth[i], .row = r->m_row[i], .path = r->dof_path[i]};
    }
    return n;
}

/* A ball that holds all that a body's slots can be. One ball of one point gates nothing. */
static void robot_ball(lane_body *b, const lane_slot *slots) {
    real low[3] = {0}, high[3] = {0}, radius2 = 0;
    for (int s = 0; s < b->n_slots; s++)
        for (int k = 0; k < 3; k++) {
            const real at = slots[s].center[k];
            if (s == 0 || at < low[k]) low[k] = at;
            if (s == 0 || at > high[k]) high[k] = at;
            b->ball[k] = (real)0.5 * (low[k] + high[k]);
        }
    for (int s = 0; s < b->n_slots; s++) {
        real d2 = 0;
        for (int k = 0; k < 3; k++) d2 += (slots[s].center[k] - b->ball[k]) * (slots[s].center[k] - b->ball[k]);
        const real own = slots[s].radius + slots[s].rim_radius + slots[s].half, reach = (real)__builtin_sqrt(d2) + own;
        if (reach * reach > radius2) radius2 = reach * reach;
    }
    b->ball_radius = (real)__builtin_sqrt(radius2);
    b->gated = b->n_places > 1;
}

/* most_contacts: what one robot may have at once, where that is bounded (robot_pairs.lane.h). */
static inline void robot_build(void *memory, const myr_model *m, const myr_layout *layout, const uint8_t *geom_mask, int most_contacts) {
    char *cursor = memory;
    robot *r = (robot *)cursor;
    cursor += robot_round(sizeof(robot));
    lane_body *bodies = (lane_body *)cursor;
    cursor += robot_round((size_t)m->n_bodies * sizeof(lane_body));
    lane_slot *slots = (lane_slot *)cursor;
    cursor += robot_round((size_t)m->n_slots * sizeof(lane_slot));
    int *trees = (int *)cursor;
    cursor += robot_round(2 * (size_t)m->n_trees * sizeof(int));
    int *dofs = (int *)cursor;
    cursor += robot_round(3 * (size_t)m->nv * sizeof(int));
    const int **dof_path = (const int **)cursor;
    cursor += robot_round((size_t)m->nv * sizeof(int *));
    int *paths = (int *)cursor;

    memset(r, 0, sizeof *r);
    *r = (robot){.n_bodies = m->n_bodies,
                 .n_trees = m->n_trees,
                 .nq = m->nq,
                 .nv = m->nv,
                 .nu = m->nu,
                 .bodies = bodies,
                 .slots = slots,
                 .tree_root = trees,
                 .tree_floating = trees + m->n_trees,
                 .m_row = dofs,
                 .dof_depth = dofs + m->nv,
                 .dof_body = dofs + 2 * m->nv,
                 .dof_path = dof_path,
                 .layout = *layout,
                 .model = m};
    for (int t = 0; t < m->n_trees; t++) {
        trees[t] = m->tree_root[t];
        trees[m->n_trees + t] = m->bodies[m->tree_root[t]].joint == MYR_JOINT_FREE;
    }
    for (int i = 0; i < m->nv; i++) {
        dofs[i] = r->n_m;
        r->n_m += m->dof_depth[i] + 1;
        dofs[m->nv + i] = m->dof_depth[i];
        dofs[2 * m->nv + i] = m->dof_body[i];
    }
    for (int i = 0; i < m->n_bodies; i++) {
        const myr_body *b = &m->bodies[i];
        lane_body *l = &bodies[i];
        *l = (lane_body){.parent = b->parent,
                         .tree = b->tree,
                         .follows = b->parent >= 0 && b->parent == i - 1,
                         .joint = b->joint,
                         .turn = robot_turn(b),
                         .q = b->q,
                         .v = b->v,
                         .nv = b->nv,
                         .u = b->u,
                         .inertial = layout->first[MYR_ROWS_inertial] + 10 * i,
                         .depth = m->dof_depth[b->v],
                         .path = paths,
                         .sign = (real)b->axis_sign,
                         .effort = (real)b->effort_limit};
        l->parent_is_base = b->parent < 0 || m->bodies[b->parent].joint == MYR_JOINT_FREE;
        if (b->parent >= 0 && !l->follows) bodies[b->parent].forks = 1;
        if (b->joint == MYR_JOINT_REVOLUTE) robot_hinge(bodies, i, dofs[b->v]);
        l->wheel = myr_is_wheel(m, i);
        for (int k = 0; k < 3; k++) {
            l->offset[k] = (real)b->offset[k];
            l->axis[k] = (real)b->axis[k];
        }
        for (int k = 0; k < 9; k++) l->align[k] = (real)b->align[k];
        double own[MYR_INERTIAL_ROWS];
        myr_inertial_pack(b, b->mass, b->com, b->inertia, own);
        for (int k = 0; k < MYR_INERTIAL_ROWS; k++) l->own[k] = (real)own[k];
        l->damping = (real)b->damping, l->armature = (real)b->armature;
        const int length = l->depth + l->nv;
        for (int k = length - 1, d = b->v + b->nv - 1; k >= 0; k--, d = m->dof_parent[d]) paths[k] = d;
        for (int k = 0; k < l->nv; k++) dof_path[b->v + k] = paths;
        paths += length;
        if (length > r->max_path) r->max_path = length;
    }
    for (int body = 0; body < m->n_bodies; body++) { /* by bodies, in slot order */
        bodies[body].slot = r->n_slots;
        for (int i = 0; i < m->n_slots; i++) {
            const myr_slot *s = &m->slots[i];
            if (s->body != body || s->other >= 0 || (geom_mask && !geom_mask[s->geom])) continue;
            lane_slot *l = &slots[r->n_slots++];
            *l = (lane_slot){
                .body = s->body, .row = layout->first[MYR_ROWS_impulse] + 3 * i, .radius = (real)s->radius, .friction = (real)s->friction};
            l->path = bodies[body].path;
            l->path_length = l->first = bodies[body].depth + bodies[body].nv;
            l->pair = l->other_body = -1, l->on_ground = 1, l->patch = body, l->twin = s->twin, l->flat = s->flat;
            if (s->twin == MYR_SLOT_MIDDLE) l->length = (real)(2 * m->geoms[s->geom].size[1]);
            l->around = m->terrain ? ground_around(s->radius, m->terrain->cell) : 0;
            bodies[body].n_places += !s->twin;
            for (int k = 0; k < 3; k++) l->center[k] = (real)s->center[k], l->axis[k] = (real)s->axis[k], l->side[k] = (real)s->side[k];
            l->hull = s->hull, l->feature = s->feature;
            if (s->hull)
                l->half = (real)m->hulls[s->hull - 1].radius;
            else
                l->half = (real)s->half;
            l->rim = s->rim, l->rim_radius = (real)s->rim_radius;
        }
        bodies[body].n_slots = r->n_slots - bodies[body].slot;
        for (int s = bodies[body].slot; s < r->n_slots; s++) slots[s].few = bodies[body].n_places <= FEW_SLOTS;
        robot_ball(&bodies[body], slots + bodies[body].slot);
    }
    cursor += robot_round(robot_path_ints(m) * sizeof(int));
    robot_leg *legs = (robot_leg *)cursor;
    cursor += robot_round((size_t)m->n_bodies * sizeof(robot_leg));
    r->legs = legs;
    r->n_legs = robot_legs(r, legs);
    r->ground = ground_of(m->terrain), r->level = r->n_legs > 0 && !m->terrain;
    lane_joint *joints = (lane_joint *)cursor;
    cursor += robot_round((size_t)m->n_bodies * sizeof(lane_joint));
    real *damping = (real *)cursor;
    cursor += robot_round((size_t)m->nv * sizeof(real));
    robot_run *runs = (robot_run *)cursor;
    cursor += robot_round((size_t)m->nv * sizeof(robot_run));
    for (int i = 0; i < m->nv; i++) damping[i] = bodies[m->dof_body[i]].damping;
    r->dof_damping = damping, r->runs = runs, r->n_runs = robot_runs(r, runs);
    lane_row *rows = (lane_row *)cursor;
    cursor += robot_round((size_t)m->n_rows * sizeof(lane_row));
    r->rows = rows, r->n_rows = m->n_rows;
    for (int k = 0; k < m->n_rows; k++) {
        const myr_joint_row *from = &m->rows[k];
        r->rubs |= from->friction > 0;
        rows[k] = (lane_row){.q = from->q,
                             .dof = from->dof,
                             .path_length = r->dof_depth[from->dof] + 1,
                             .path = dof_path[from->dof],
                             .row = layout->first[MYR_ROWS_row_impulse] + k,
                             .lower = (real)from->lower,
                             .upper = (real)from->upper,
                             .friction = (real)from->friction,
                             .length = (real)from->length,
                             .inverse_length = (real)(1 / from->length),
                             .reach = 1};
        r->n_joint_rows += !from->n_terms;
        if (!from->n_terms) continue;
        robot_tendon(r, &rows[k], from, cursor);
        cursor += robot_tendon_bytes(m) / (size_t)robot_tendons(m);
    }
    if (m->n_loops) robot_loops(r, cursor);
    cursor += robot_loops_bytes(m);
    robot_hulls(r, cursor);
    cursor += robot_hulls_bytes(m);
    robot_flats(r, cursor);
    cursor += robot_flats_bytes(m);
    r->joints = joints;
    for (int i = 0; i < m->n_bodies; i++) {
        const lane_body *b = &bodies[i];
        const myr_body *from = &m->bodies[i];
        r->springs |= from->stiffness > 0;
        r->holds |= from->held_mass != 0;
        if (b->nv == 1)
            joints[r->n_joints++] = (lane_joint){b->q,
                                                 b->v,
                                                 b->u,
                                                 b->damping,
                                                 b->armature,
                                                 b->effort,
                                                 (real)from->stiffness,
                                                 (real)from->spring_rest,
                                                 (real)from->shared_limit};
    }
    robot_actuators(r, cursor);
    cursor += robot_actuators_bytes(m);
    char *sensors = cursor;
    cursor += robot_sensors_bytes(m);
    robot_count_sensors(r);
    r->n_ground = r->n_slots;
    r->n_entries = r->n_contacts = m->n_slots + robot_patches_room(m);
    r->has_patches = robot_largest_patch(m) > 1;
    r->n_left_out = robot_largest_patch(m) > FEW_SLOTS ? r->n_entries : 0;
    if (m->n_pairs) {
        robot_pairs(r, slots, cursor, geom_mask, most_contacts);
        robot_sweeps(r, bodies);
        robot_sensors(r, sensors);
        return;
    }
    robot_rubs(r, slots);
    robot_sweeps(r, bodies);
    robot_sensors(r, sensors);
    uint16_t *common = (uint16_t *)(void *)cursor;
    for (int i = 0; i < r->n_slots; i++)
        for (int k = 0; k < r->n_slots; k++) {
            const int *a = bodies[slots[i].body].path, *b = bodies[slots[k].body].path;
            int n = 0;
            while (n < slots[i].path_length && n < slots[k].path_length && a[n] == b[n]) n++;
            common[i * r->n_slots + k] = (uint16_t)n;
        }
    r->common = common;
    r->packable = r->n_legs > 0 && !m->n_loops;
    r->mixed = robot_mixed(m) && !r->n_legs;
    if (r->mixed) robot_mix(r, slots, r->n_entries);
    for (int i = 0; i < r->n_slots; i++)
        for (int k = 0; k < i; k++)
            if (common[i * r->n_slots + k] > ROOT && !(slots[i].twin && k == i - 1)) r->packable = 0;
    robot widest = *r; /* the mask may change while batches live */
    widest.n_slots = m->n_slots, widest.packable = r->n_legs > 0 && !m->n_loops;
    r->workspace_vf = workspace_size(&widest);
}

#endif

/* The part of a robot that is about geoms touching each other: what collision needs of them, the dofs of their slots, and which of those
 * two slots have in common. Included by robot.lane.h. */
#ifndef MYR_ROBOT_ROBOT_PAIRS_LANE_H
#define MYR_ROBOT_ROBOT_PAIRS_LANE_H

#include "model/geoms.h"

/* A hull in pairs, about the middle of it. Faces counterclockwise from outside; the last corner stands for those that a face lacks. */
typedef struct lane_polytope {
    int n, n_faces;
    const real *corners; /* (n, 3) */
    const real *faces;   /* (n_faces, FACE_REALS): normal, height, corners */
} lane_polytope;
enum { FACE_REALS = 4 + 3 * MYR_FACE_CORNERS };

/* A geom in pairs. */
typedef struct lane_solid {
    int body, tree; /* -1: fixed to the world */
    myr_geom_type type;
    real at[3], turn[9]; /* in the body's aligned frame: centre; geom -> body, row-major */
    int world;           /* which of those fixed to the world; -1: it moves */
    int looked;          /* some pair of it is of one frame: look[] */
    real place[3];       /* then: the model's position of it, */
    real middle[3];      /* and from there to its centre, which a hull has elsewhere */
    real size[3];
    real reach;     /* radius of the ball around its centre that holds it */
    real least;     /* the least of its half extents */
    real radius;    /* of the ball that goes along its core, 0: it is all core */
    real box[3];    /* half extents along its axes */
    int first_axis; /* of these from this one on may tell that another geom is not near (model/geoms.h) */
    int rod_axis;   /* a capsule about the centre along this axis holds it: */
    real rod_half, rod_radius;
    lane_polytope hull;
} lane_solid;

/* Collision wants the geoms in the order of model/pairs.def; the contact's first geom may be the second of these (swapped). */
typedef struct lane_pair {
    int a, b, swapped; /* solids */
    int bounded;       /* no closed form tells how far apart they are: what holds them is looked at first (collision/bounds.lane.h) */
    int slot, n_slots;
    int meet;       /* the last body that carries both; -1: none does */
    size_t look[2]; /* robot_look of the two; of different frames 0 */
    int gate;       /* 0: none */
} lane_pair;

/* A geom of the world and a floating tree: whether the ball around the whole tree is near decides about all pairs of the two at once. Fewer
 * than GATED pairs are as fast looked at one by one. Gate 0 stands open. */
typedef struct lane_gate {
    int solid, tree, n; /* n: pairs */
} lane_gate;
enum { GATED = 3 };

/* Where workspace.solid_x has a geom, in bytes; at 0 lies what is anywhere. */
static inline size_t robot_look(int s) { return 4 * sizeof(vf) * ((size_t)s + 1); }

/* Dofs that two slots have in common: up to four runs, entry `mine` + j of one path and `others` + j of the other. */
typedef struct lane_meet {
    uint16_t n, mine[4], others[4], length[4];
} lane_meet;

static int robot_max_groups(const myr_model *m) {
    const int bodies = m->n_bodies + m->n_pairs;
    return bodies < m->n_slots ? bodies : m->n_slots;
}

/* Dofs that both bodies' paths begin with. */
static int robot_prefix(const robot *r, int a, int b) {
    if (a < 0 || b < 0) return 0;
    const lane_body *x = &r->bodies[a], *y = &r->bodies[b];
    int n = 0;
    while (n < x->depth + x->nv && n < y->depth + y->nv && x->path[n] == y->path[n]) n++;
    return n;
}

/* The last body that carries both; -1: none does. */
static int robot_meeting(const robot *r, int a, int b) {
    while (a != b && a >= 0 && b >= 0) {
        if (a > b)
            a = r->bodies[a].parent;
        else
            b = r->bodies[b].parent;
    }
    return a == b ? a : -1;
}

static int robot_body_path(const robot *r, int body) { return body < 0 ? 0 : r->bodies[body].depth + r->bodies[body].nv; }

static size_t robot_pair_ints(const myr_model *m) {
    size_t n = 0;
    for (int i = 0; i < m->n_pairs; i++)
        for (int k = 0; k < 2; k++) {
            const int body = m->geoms[m->pairs[i].geom[k]].body;
            if (body >= 0) n += (size_t)(m->dof_depth[m->bodies[body].v] + m->bodies[body].nv);
        }
    return n;
}

static size_t robot_polytope_bytes(const myr_geom *g) {
    return robot_round((3 * (size_t)g->n_points + FACE_REALS * (size_t)g->n_faces) * sizeof(real));
}

/* Robots whose own links touch, worlds of so many slots that a lane has few of them at once, and robots that lie on many bodies of few
 * slots: each lane on others. A limp h1 takes 0.5 of its time so, MuJoCo's humanoid 0.6, a G1 that lies 0.75; one that stands 1.06. What
 * has the same contacts in all lanes is better off with bundles (constraints/bundle.lane.h), and both stay: mixed, stacks of boxes take 1.4
 * to 1.5 times as long, a cube 1.5, a limp biped 1.3, a ball 1.2; hopper and solo12 0.97. */
enum { PLAIN_SLOTS = 512, LONE_SLOTS = 20 };
static int robot_mixed(const myr_model *m) {
    int mixed = m->n_pairs ? robot_places(m) > PLAIN_SLOTS : robot_lone_slots(m) > LONE_SLOTS;
    for (int i = 0; i < m->n_pairs && !mixed; i++) {
        const int a = m->geoms[m->pairs[i].geom[0]].body, b = m->geoms[m->pairs[i].geom[1]].body;
        mixed = a >= 0 && b >= 0 && m->bodies[a].tree == m->bodies[b].tree;
    }
    return mixed;
}

static size_t robot_pairs_bytes(const myr_model *m) {
    const size_t groups = robot_mixed(m) ? 0 : (size_t)robot_max_groups(m);
    size_t hulls = 0;
    for (int i = 0; i < m->n_geoms; i++)
        if (m->geoms[i].n_faces) hulls += robot_polytope_bytes(&m->geoms[i]);
    return hulls + robot_round((size_t)m->n_geoms * sizeof(lane_solid)) + robot_round((size_t)m->n_pairs * sizeof(lane_pair)) +
           robot_round(((size_t)m->n_pairs + 1) * sizeof(lane_gate)) + robot_round(robot_pair_ints(m) * sizeof(int)) +
           robot_round(groups * groups * sizeof(lane_meet)) + robot_round((size_t)m->n_geoms * sizeof(int)) +
           robot_round(groups * sizeof(int));
}

static lane_polytope robot_polytope(const myr_geom *g, const double middle[3], real *memory) {
    real *corners = memory, *face = memory + 3 * g->n_points;
    const lane_polytope hull = {g->n_points, g->n_faces, corners, face};
    for (int i = 0; i < 3 * g->n_points; i++) corners[i] = (real)(g->points[i] - middle[i % 3]);
    for (int i = 0; i < g->n_faces; i++, face += FACE_REALS) {
        const myr_face *from = &g->faces[i];
        double below = 0;
        for (int k = 0; k < 3; k++) face[k] = (real)from->normal[k], below += from->normal[k] * middle[k];
        face[3] = (real)(from->offset - below);
        for (int j = 0; j < 3 * MYR_FACE_CORNERS; j++) {
            const int corner = j / 3 < from->n ? j / 3 : from->n - 1;
            face[4 + j] = (real)(from->corner[corner][j % 3] - middle[j % 3]);
        }
    }
    return hull;
}

static lane_solid robot_solid(const myr_model *m, int geom, char **memory) {
    const myr_geom *g = &m->geoms[geom];
    lane_solid s = {.body = g->body, .tree = g->body < 0 ? -1 : m->bodies[g->body].tree, .type = g->type, .world = g->world};
    double center[3] = {g->position[0], g->position[1], g->position[2]};
    myr_hold hold;
    myr_kind_of(g)->hold(g, &hold);
    if (g->n_points) {
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 3; k++) center[i] += g->rotation[3 * i + k] * hold.center[k];
        s.hull = robot_polytope(g, hold.center, (real *)(void *)*memory);
        *memory += robot_polytope_bytes(g);
    }
    for (int i = 0; i < 3; i++) { /* user -> aligned */
        const double unit[3] = {i == 0, i == 1, i == 2}, *row = g->body < 0 ? unit : m->bodies[g->body].align + 3 * i;
        double at = 0, across[3] = {0};
        for (int k = 0; k < 3; k++) {
            at += row[k] * center[k];
            for (int j = 0; j < 3; j++) across[j] += row[k] * g->rotation[3 * k + j];
        }
        s.at[i] = (real)at;
        s.place[i] = (real)g->position[i];
        s.middle[i] = (real)(center[i] - g->position[i]);
        for (int j = 0; j < 3; j++) s.turn[3 * i + j] = (real)across[j];
        s.size[i] = (real)g->size[i];
    }
    for (int k = 0; k < 3; k++) s.box[k] = (real)hold.half[k];
    s.radius = (real)myr_geom_radius(g), s.first_axis = myr_kind_of(g)->first_axis;
    s.reach = (real)hold.reach, s.least = (real)hold.least;
    s.rod_axis = hold.rod_axis, s.rod_half = (real)hold.rod_half, s.rod_radius = (real)hold.rod_radius;
    return s;
}

/* Two round things, and a ball and what has a closed form, are told apart in as many operations. */
static int robot_is_bounded(const lane_solid *a, const lane_solid *b) {
    const myr_geom_kind *first = myr_geom_kinds[a->type], *second = myr_geom_kinds[b->type];
    if (first->is_round && second->is_round) return 0;
    if (a->type == MYR_GEOM_SPHERE || b->type == MYR_GEOM_SPHERE) return !first->is_closed || !second->is_closed;
    return 1;
}

/* Whether model/pairs.def has the pair the other way round. */
static int robot_swapped(myr_geom_type a, myr_geom_type b) {
#define MYR_PAIR(first, second, function, slots)                                                                                           \
    if (a == MYR_GEOM_##first && b == MYR_GEOM_##second) return 0;
#include "model/pairs.def"
#undef MYR_PAIR
    return 1;
}

static void robot_add_run(lane_meet *meet, int mine, int others, int length) {
    if (length <= 0) return;
    meet->mine[meet->n] = (uint16_t)mine;
    meet->others[meet->n] = (uint16_t)others;
    meet->length[meet->n++] = (uint16_t)length;
}

/* First path against first, first against the other's second, and so on; each pair of paths shares what they begin with. */
static lane_meet robot_meet(const robot *r, const lane_slot *a, const lane_slot *b) {
    lane_meet meet = {0};
    robot_add_run(&meet, 0, 0, robot_prefix(r, a->body, b->body));
    robot_add_run(&meet, b->common, b->first, robot_prefix(r, a->body, b->other_body) - b->common);
    robot_add_run(&meet, a->first, a->common, robot_prefix(r, a->other_body, b->body) - a->common);
    const int from = a->common > b->common ? a->common : b->common;
    robot_add_run(&meet, a->first + from - a->common, b->first + from - b->common, robot_prefix(r, a->other_body, b->other_body) - from);
    return meet;
}

/* The groups of all slots, and what two of them have in common. `example`: room for a slot of each. */
static void robot_groups(robot *r, lane_slot *slots, lane_meet *meet, int *example) {
    r->meet = meet;
    for (int s = 0; s < r->n_slots; s++) {
        int g = 0;
        while (g < r->n_groups && (slots[example[g]].body != slots[s].body || slots[example[g]].other_body != slots[s].other_body)) g++;
        if (g == r->n_groups) example[r->n_groups++] = s;
        slots[s].group = g;
    }
    for (int i = 0; i < r->n_groups; i++)
        for (int k = 0; k < r->n_groups; k++) meet[i * r->n_groups + k] = robot_meet(r, &slots[example[i]], &slots[example[k]]);
}

/* What a mixed robot knows instead. */
static void robot_mix(robot *r, lane_slot *slots, int most_contacts) {
    const int n = r->n_entries, lanes = n / VN < most_contacts ? n : VN * most_contacts;
    r->n_contacts = most_contacts < n ? most_contacts : n;
    r->n_entries = lanes < n ? lanes : n;
    for (int i = r->n_runs - 1; i >= 0; i--) r->run_dof[run_bit(i)] = r->runs[i].dof;
    r->run_dof[run_bit(r->n_runs - 1) + 1] = r->nv;
    for (int s = 0; s < r->n_slots; s++)
        for (int j = 0; j < slots[s].path_length; j++) {
            int run = 0;
            while (r->runs[run].dof + r->runs[run].n <= slots[s].path[j]) run++;
            slots[s].runs |= (uint64_t)1 << run_bit(run);
        }
}

/* In which axes a geom's centre is: those of the tree that carries it if it floats, else the world's, -1. */
static int robot_frame(const robot *r, const lane_solid *s) { return s->tree >= 0 && r->tree_floating[s->tree] ? s->tree : -1; }

/* A tree with a slider may reach farther than any number known here. */
static int robot_slides(const robot *r, int tree) {
    int slides = 0;
    for (int i = 0; i < r->n_bodies; i++) slides |= r->bodies[i].tree == tree && r->bodies[i].joint == MYR_JOINT_PRISMATIC;
    return slides;
}

/* The gate of a pair among the `n` that there are, itself the next one if it is new. Pairs of one geom or one tree mostly follow each
 * other: the last ones are looked at first. */
static int robot_gate(lane_gate *gates, int n, int solid, int tree) {
    int g = n - 1;
    while (g > 0 && (gates[g].solid != solid || gates[g].tree != tree)) g--;
    if (g <= 0) gates[g = n] = (lane_gate){solid, tree, 0};
    return g;
}

static void robot_gates(robot *r, lane_pair *pairs, lane_gate *gates) {
    int n = 1, kept = 1;
    gates[0] = (lane_gate){-1, -1, 0};
    for (int i = 0; i < r->n_pairs; i++) {
        const int a = pairs[i].a, b = pairs[i].b, world = r->solids[a].body < 0 ? a : b, moves = world == a ? b : a;
        const int tree = r->solids[moves].tree;
        if (r->solids[world].body >= 0 || robot_frame(r, &r->solids[moves]) < 0 || robot_slides(r, tree)) continue;
        pairs[i].gate = robot_gate(gates, n, world, tree);
        if (pairs[i].gate == n) n++;
        gates[pairs[i].gate].n++;
    }
    for (int i = 0; i < r->n_pairs; i++)
        if (gates[pairs[i].gate].n < GATED) pairs[i].gate = 0;
    for (int g = 1; g < n; g++) {
        if (gates[g].n < GATED) continue;
        for (int i = 0; i < r->n_pairs && kept < g; i++)
            if (pairs[i].gate == g) pairs[i].gate = kept;
        gates[kept++] = gates[g];
    }
    r->gates = gates, r->n_gates = kept;
}

/* Slots of the pairs both of whose geoms may collide, after those against the ground. Memory is for every pair: the mask may change while
 * batches live. */
static void robot_pairs(robot *r, lane_slot *slots, char *cursor, const uint8_t *geom_mask, int most_contacts) {
    const myr_model *m = r->model;
    r->mixed = robot_mixed(m);
    const size_t groups = r->mixed ? 0 : (size_t)robot_max_groups(m);
    const int impulse = r->layout.first[MYR_ROWS_impulse];
    lane_solid *solids = (lane_solid *)(void *)cursor;
    cursor += robot_round((size_t)m->n_geoms * sizeof(lane_solid));
    lane_pair *pairs = (lane_pair *)(void *)cursor;
    cursor += robot_round((size_t)m->n_pairs * sizeof(lane_pair));
    lane_gate *gates = (lane_gate *)(void *)cursor;
    cursor += robot_round(((size_t)m->n_pairs + 1) * sizeof(lane_gate));
    int *paths = (int *)(void *)cursor;
    cursor += robot_round(robot_pair_ints(m) * sizeof(int));
    lane_meet *meet = (lane_meet *)(void *)cursor;
    cursor += robot_round(groups * groups * sizeof(lane_meet));
    int *solid_of = (int *)(void *)cursor;
    int *example = (int *)(void *)(cursor + robot_round((size_t)m->n_geoms * sizeof(int)));
    char *polytopes = (char *)example + robot_round(groups * sizeof(int));
    r->solids = solids, r->pairs = pairs;
    for (int i = 0; i < m->n_geoms; i++) solid_of[i] = -1;
    for (int i = 0; i < m->n_pairs; i++) {
        const myr_pair *from = &m->pairs[i];
        const int body = m->geoms[from->geom[0]].body, other = m->geoms[from->geom[1]].body;
        const int first = robot_body_path(r, body), common = robot_prefix(r, body, other),
                  length = first + robot_body_path(r, other) - common;
        if (length > r->max_path) r->max_path = length;
        if (geom_mask && !(geom_mask[from->geom[0]] && geom_mask[from->geom[1]])) continue;
        for (int k = 0; k < 2; k++)
            if (solid_of[from->geom[k]] < 0) {
                solid_of[from->geom[k]] = r->n_solids;
                solids[r->n_solids++] = robot_solid(m, from->geom[k], &polytopes);
            }
        const int a = solid_of[from->geom[0]], b = solid_of[from->geom[1]];
        const int one_frame = robot_frame(r, &solids[a]) == robot_frame(r, &solids[b]);
        solids[a].looked |= one_frame, solids[b].looked |= one_frame;
        const int swap = robot_swapped(solids[a].type, solids[b].type);
        pairs[r->n_pairs] = (lane_pair){swap ? b : a,
                                        swap ? a : b,
                                        swap,
                                        robot_is_bounded(&solids[a], &solids[b]),
                                        r->n_slots,
                                        from->n_slots,
                                        robot_meeting(r, body, other),
                                        {one_frame ? robot_look(a) : 0, one_frame ? robot_look(b) : 0},
                                        0};
        for (int k = 0; k < first; k++) paths[k] = r->bodies[body].path[k];
        for (int k = first; k < length; k++) paths[k] = r->bodies[other].path[k - first + common];
        for (int k = 0; k < from->n_slots; k++) {
            const myr_slot *s = &m->slots[from->slot + k];
            slots[r->n_slots++] = (lane_slot){.body = body,
                                              .row = impulse + 3 * (from->slot + k),
                                              .path_length = length,
                                              .path = paths,
                                              .friction = (real)s->friction,
                                              .pair = r->n_pairs,
                                              .feature = k,
                                              .patch = m->n_bodies + r->n_pairs,
                                              .few = from->n_slots <= FEW_SLOTS,
                                              .other_body = other,
                                              .first = first,
                                              .common = common};
        }
        paths += length;
        r->n_pairs++;
    }
    robot_gates(r, pairs, gates);
    if (r->mixed)
        robot_mix(r, slots, most_contacts);
    else
        robot_groups(r, slots, meet, example);
    robot_rubs(r, slots);
    robot widest = *r;
    widest.n_slots = m->n_slots, widest.n_pairs = m->n_pairs, widest.n_solids = m->n_geoms, widest.n_gates = m->n_pairs + 1;
    r->workspace_vf = workspace_size(&widest);
}

#endif

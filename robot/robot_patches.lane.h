/* The part of a robot that is about patches: slots that two bodies, or a body and the ground, share. How many they are says whether they
 * have working sets (collision/working_set.lane.h), how much room their contacts need, and how a robot is assembled. Included by
 * robot.lane.h. */
#ifndef MYR_ROBOT_ROBOT_PATCHES_LANE_H
#define MYR_ROBOT_ROBOT_PATCHES_LANE_H

/* A patch of so few slots has no working set. And so often a step is solved again with what its problem did not have. */
enum { FEW_SLOTS = 4, RECHECKS = 4 };

/* Geoms of one friction group, or of none. */
static int robot_rub_alike(const myr_model *m, const myr_slot *a, const myr_slot *b) {
    return a->friction == b->friction && m->geoms[a->geom].friction_group == m->geoms[b->geom].friction_group;
}

/* What the factors of friction groups are for the slots. */
static void robot_rubs(const robot *r, lane_slot *slots) {
    const myr_model *m = r->model;
    const int impulse = r->layout.first[MYR_ROWS_impulse], rows = r->layout.first[MYR_ROWS_group_friction];
    for (int i = 0; i < r->n_slots && m->n_friction_groups; i++) {
        const myr_slot *s = &m->slots[(slots[i].row - impulse) / 3];
        const int groups[2] = {m->geoms[s->geom].friction_group, s->other < 0 ? 0 : m->geoms[s->other].friction_group};
        for (int k = 0, n = 0; k < 2; k++)
            if (groups[k] && (k == 0 || groups[1] != groups[0])) slots[i].rubs[n++] = rows + groups[k] - 1;
    }
}

/* Slots of a body against the ground, twins not counted; *same: they have one friction coefficient. */
static int robot_ground_slots(const myr_model *m, int body, int *same) {
    const myr_slot *first = NULL;
    int n = 0;
    *same = 1;
    for (int i = 0; i < m->n_slots; i++) {
        const myr_slot *s = &m->slots[i];
        if (s->body != body || s->other >= 0 || s->twin) continue;
        if (!first) first = s;
        *same &= robot_rub_alike(m, s, first);
        n++;
    }
    return n;
}

/* Slots of the model, twins not counted. */
static int robot_places(const myr_model *m) {
    int n = 0;
    for (int i = 0; i < m->n_slots; i++) n += !m->slots[i].twin;
    return n;
}

/* Slots of the largest patch. */
static int robot_largest_patch(const myr_model *m) {
    int most = 0, same;
    for (int body = 0; body < m->n_bodies; body++) {
        const int n = robot_ground_slots(m, body, &same);
        most = n > most ? n : most;
    }
    for (int i = 0; i < m->n_pairs; i++) most = m->pairs[i].n_slots > most ? m->pairs[i].n_slots : most;
    return most;
}

/* Entries of a patch of n slots beyond n: where each lane has its own set and takes in its own. */
static int robot_patch_room(int n, int same) {
    const int most = (same ? FEW_SLOTS : n) + RECHECKS;
    return n > FEW_SLOTS && most > n ? most - n : 0;
}

static int robot_patches_room(const myr_model *m) {
    int room = 0, same;
    for (int body = 0; body < m->n_bodies; body++) {
        const int n = robot_ground_slots(m, body, &same);
        room += robot_patch_room(n, same);
    }
    for (int i = 0; i < m->n_pairs; i++) room += robot_patch_room(m->pairs[i].n_slots, 1);
    return room;
}

/* Slots against the ground that are few on their body. */
static int robot_lone_slots(const myr_model *m) {
    int lone = 0, same;
    for (int body = 0; body < m->n_bodies; body++) {
        const int n = robot_ground_slots(m, body, &same);
        lone += n <= FEW_SLOTS ? n : 0;
    }
    return lone;
}

#endif

/* A number for everything in a model that changes trajectories: FNV-1a-64. Names and warnings do not count. */
#include "model.h"
#include "myriapod/motor_net.h"
#include "myriapod/terrain.h"

typedef struct {
    uint64_t value;
} hash;

static void add_bytes(hash *h, const void *data, size_t bytes) {
    const unsigned char *byte = data;
    for (size_t i = 0; i < bytes; i++) h->value = (h->value ^ byte[i]) * UINT64_C(0x100000001b3);
}

static void add_int(hash *h, int value) {
    const int64_t wide = value;
    add_bytes(h, &wide, sizeof wide);
}

static void add_reals(hash *h, const double *values, int count) {
    for (int i = 0; i < count; i++) {
        const double value = values[i] + 0.0; /* -0 and 0 are the same place */
        add_bytes(h, &value, sizeof value);
    }
}

static void add_body(hash *h, const myr_body *b) {
    add_int(h, b->parent);
    add_int(h, (int)b->joint);
    add_reals(h, b->align, 9);
    add_reals(h, b->offset, 3);
    add_reals(h, b->axis, 3);
    add_reals(h, &b->mass, 1);
    add_reals(h, b->com, 3);
    add_reals(h, b->inertia, 6);
    const double rest[] = {b->damping, b->dry_friction, b->armature, b->lower, b->upper, b->effort_limit, b->velocity_limit};
    add_reals(h, rest, 7);
    const double spring[] = {b->stiffness, b->spring_rest}, held[] = {b->held_mass, b->held_first[0], b->held_first[1], b->held_first[2]};
    if (b->stiffness != 0.0) add_reals(h, spring, 2);
    if (b->held_mass != 0.0) add_reals(h, held, 4);
}

static void add_loop(hash *h, const myr_loop *l) {
    add_int(h, (int)l->type);
    for (int e = 0; e < 2; e++) {
        add_int(h, l->body[e]);
        add_reals(h, l->at[e], 3);
        add_reals(h, l->turn[e], 9);
    }
    for (int i = 0; i < l->n_terms; i++) add_int(h, l->joint[i]);
    add_reals(h, l->coefficient, l->n_terms);
    add_int(h, l->driver);
    add_reals(h, l->polynomial, 5);
}

static void add_tendon(hash *h, const myr_joint_row *row) {
    for (int i = 0; i < row->n_terms; i++) add_int(h, row->joint[i]);
    add_reals(h, row->coefficient, row->n_terms);
    const double law[] = {row->lower, row->upper, row->friction};
    add_reals(h, law, 3);
}

/* A pd at once says nothing, so that models without other motors keep their hashes. */
static void add_motor(hash *h, const myr_motor *motor) {
    if (motor->kind == MYR_MOTOR_PD && !motor->delay_max && !motor->lag) return;
    add_int(h, (int)motor->kind);
    add_reals(h, motor->parameters, MYR_MOTOR_PARAMETERS);
    add_int(h, motor->delay_min), add_int(h, motor->delay_max);
    add_int(h, (int)motor->lag), add_int(h, motor->lag_behind);
    const double lag[] = {motor->lag_s, motor->lag_lower, motor->lag_upper};
    add_reals(h, lag, 3);
    const uint64_t net = myr_motor_net_hash(motor->net);
    if (motor->net) add_bytes(h, &net, sizeof net);
}

/* Those that were described: the others are in the joints. */
static void add_actuator(hash *h, const myr_actuator *a) {
    for (int i = 0; i < a->n; i++) add_int(h, a->joint[i]);
    add_reals(h, a->moment, a->n);
    const double rest[] = {a->kp, a->kd, a->lower, a->upper, a->scale, a->bias, a->control_lower, a->control_upper, a->home};
    add_reals(h, rest, 9);
    add_int(h, (int)a->controls);
    add_int(h, a->has_home);
    add_motor(h, &a->motor);
    if (!a->pushes) return;
    add_int(h, a->frame.body);
    add_reals(h, a->frame.at, 3);
    add_reals(h, a->frame.turn, 9);
    add_reals(h, a->gear, 6);
}

static void add_quadruped(hash *h, const myr_quadruped *quadruped) {
    add_int(h, quadruped->valid);
    if (!quadruped->valid) return;
    for (int leg = 0; leg < 4; leg++) {
        for (int k = 0; k < 3; k++) add_int(h, quadruped->joint[leg][k]);
        add_int(h, quadruped->foot_geom[leg]);
        add_reals(h, quadruped->home[leg], 3);
    }
    add_int(h, quadruped->torso_geom);
    add_reals(h, &quadruped->kp, 1);
    add_reals(h, &quadruped->kd, 1);
}

uint64_t myr_sensors_hash(const myr_model *m) {
    hash h = {UINT64_C(0xcbf29ce484222325)};
    for (int i = 0; i < m->n_sensors; i++) {
        const myr_sensor *s = &m->sensors[i];
        const myr_sensor_signal *o = &s->signal;
        const int whole[] = {(int)s->kind, s->row,      s->n_rows,  s->size,       s->memory,         o->every,
                             o->delay[0],  o->delay[1], o->history, (int)o->shown, (int)o->noise_kind};
        const double reals[] = {o->bias, o->noise, o->hold};
        for (size_t k = 0; k < sizeof whole / sizeof *whole; k++) add_int(&h, whole[k]);
        add_reals(&h, reals, 3);
    }
    return h.value;
}

uint64_t myr_model_hash(const myr_model *m) {
    hash h = {UINT64_C(0xcbf29ce484222325)};
    add_int(&h, m->n_bodies);
    add_int(&h, m->n_geoms);
    add_int(&h, m->n_slots);
    for (int i = 0; i < m->n_bodies; i++) add_body(&h, &m->bodies[i]);
    for (int i = 0; i < m->n_slots; i++) {
        const myr_slot *s = &m->slots[i];
        add_int(&h, s->geom);
        if (s->other >= 0) add_int(&h, s->other);
        add_int(&h, s->body);
        add_reals(&h, s->center, 3);
        add_reals(&h, &s->radius, 1);
        add_reals(&h, &s->friction, 1);
        if (s->hull) {
            add_reals(&h, m->hulls[s->hull - 1].corners, 3 * m->hulls[s->hull - 1].n);
            add_reals(&h, m->hulls[s->hull - 1].turn, 9);
        }
        if (!s->rim) continue;
        add_int(&h, (int)s->rim);
        add_reals(&h, s->axis, 3);
        add_reals(&h, s->side, 3);
        add_reals(&h, &s->rim_radius, 1);
        add_reals(&h, &s->half, 1);
    }
    for (int i = 0; i < 2 * m->n_pairs; i++) { /* of these the shape counts, too, and those of the world have no slots */
        const myr_geom *geom = &m->geoms[m->pairs[i / 2].geom[i % 2]];
        add_int(&h, geom->body);
        add_int(&h, (int)geom->type);
        add_reals(&h, geom->position, 3);
        add_reals(&h, geom->rotation, 9);
        add_reals(&h, geom->size, 3);
        if (geom->n_faces) add_reals(&h, geom->points, 3 * geom->n_points);
    }
    for (int i = 0; i < m->n_geoms && m->n_friction_groups; i++) add_int(&h, m->geoms[i].friction_group);
    for (int i = 0; i < m->n_loops; i++) add_loop(&h, &m->loops[i]);
    for (int i = 0; i < m->n_rows; i++)
        if (m->rows[i].n_terms) add_tendon(&h, &m->rows[i]);
    for (int i = 0; i < m->nu && m->described_actuators; i++) add_actuator(&h, &m->actuators[i]);
    if (m->gravity[0] != 0.0 || m->gravity[1] != 0.0 || m->gravity[2] != -9.81) add_reals(&h, m->gravity, 3);
    if (m->n_drags) {
        const double fluid[] = {m->fluid.density, m->fluid.viscosity, m->fluid.wind[0], m->fluid.wind[1], m->fluid.wind[2]};
        add_reals(&h, fluid, 5);
        for (int i = 0; i < m->n_drags; i++) {
            add_int(&h, m->drags[i].of.body);
            add_reals(&h, m->drags[i].of.at, 3);
            add_reals(&h, m->drags[i].of.turn, 9);
            add_reals(&h, m->drags[i].side, 3);
            add_reals(&h, m->drags[i].lightness, 6);
        }
    }
    if (m->floor != 0.0) add_reals(&h, &m->floor, 1);
    add_reals(&h, m->home, m->nq);
    add_quadruped(&h, &m->quadruped);
    if (m->terrain) {
        myr_terrain_info info;
        myr_terrain_get_info(m->terrain, &info);
        add_bytes(&h, &info.hash, sizeof info.hash);
    }
    return h.value;
}

/* The part of a robot that is about its sensors (sensors/). Included by robot.lane.h. */
#ifndef MYR_ROBOT_ROBOT_SENSORS_LANE_H
#define MYR_ROBOT_ROBOT_SENSORS_LANE_H

#include <math.h>

#include "model/signal.h"

/* A frame fixed to a body, in its aligned axes; body -1: the world. */
typedef struct lane_frame {
    int body;
    real at[3], R[9];
} lane_frame;

/* Of what a sensor's body carries: a whole moving body, or a share of one, with inertial rows of its own. */
typedef struct lane_piece {
    int body, whole;
    real own[MYR_INERTIAL_ROWS];
} lane_piece;

typedef struct lane_sensor {
    myr_sensor_kind kind;
    myr_sensed when;
    int row, n, kept; /* its rows in the tile; of w->sensed */
    int id, size;     /* in the model; numbers of a reading */
    int memory;       /* a row of the tile, from which `signal` counts; -1: n is `size`, and what is read is shown */
    const myr_sensor_signal *signal;
    myr_signal_memory kept_rows;
    lane_frame of, ref;
    int q, v, actuator;
    const myr_sensor *given; /* of the model: rays, points, terms of a tendon */
    myr_rays_options look;   /* of rays */
    double reach;            /* of points [m] */
    const lane_piece *pieces;
    int n_parts;
    const signed char *slots; /* per slot of the robot: 1: it is of the sensor's shapes; -1: its second geom is; 0: none, or both */
    myr_sensed_volume volume; /* of the frame `of`, of the size `vector` */
    real vector[3], threshold, cutoff, scale;
} lane_sensor;

static size_t robot_sensors_bytes(const myr_model *m) {
    size_t bytes = robot_round((size_t)m->n_sensors * sizeof(lane_sensor));
    for (int i = 0; i < m->n_sensors; i++) {
        bytes += robot_round((size_t)m->sensors[i].n_pieces * sizeof(lane_piece));
        bytes += m->sensors[i].shapes ? robot_round((size_t)m->n_slots) : 0;
    }
    return bytes;
}

static lane_frame robot_sensed_frame(const myr_fixed_frame *from) {
    lane_frame to = {.body = from->body};
    for (int k = 0; k < 3; k++) to.at[k] = (real)from->at[k];
    for (int k = 0; k < 9; k++) to.R[k] = (real)from->turn[k];
    return to;
}

static int robot_tree(const myr_model *m, int geom) { return m->geoms[geom].body < 0 ? -1 : m->bodies[m->geoms[geom].body].tree; }

/* What is fixed to the world is ground. */
static unsigned robot_sensed_from(const myr_model *m, const myr_slot *slot) {
    const int other = slot->other;
    if (other < 0 || robot_tree(m, other) < 0 || robot_tree(m, slot->geom) < 0) return MYR_FROM_GROUND;
    return robot_tree(m, other) == robot_tree(m, slot->geom) ? MYR_FROM_SELF : MYR_FROM_OTHER;
}

/* What of a slot's impulse a sensor counts. */
static signed char robot_sensed_slot(const myr_model *m, const myr_sensor *s, const myr_slot *slot) {
    const int other = slot->other, with = other < 0 ? m->n_geoms : other;
    if (s->others) { /* first and second, either way round; where both are right the ground is the first, as in MuJoCo */
        const int forth = s->shapes[slot->geom] && s->others[with], back = s->shapes[with] && s->others[slot->geom];
        return (signed char)(s->from & robot_sensed_from(m, slot) ? (forth && !(back && other < 0) ? 1 : back ? -1 : 0) : 0);
    }
    const int first = s->shapes[slot->geom], second = other >= 0 && s->shapes[other];
    return (signed char)(s->from & robot_sensed_from(m, slot) ? first - second : 0);
}

/* May a sensor ask how bodies move? These do not. */
static int robot_senses_velocity(myr_sensor_kind kind) {
    switch (kind) {
    case MYR_SENSOR_FRAMEPOS:
    case MYR_SENSOR_FRAMEQUAT:
    case MYR_SENSOR_FRAMEXAXIS:
    case MYR_SENSOR_FRAMEYAXIS:
    case MYR_SENSOR_FRAMEZAXIS:
    case MYR_SENSOR_MAGNETOMETER:
    case MYR_SENSOR_PROJECTED_GRAVITY:
    case MYR_SENSOR_HEIGHT:
    case MYR_SENSOR_HEIGHT_SCAN:
    case MYR_SENSOR_RAYS:
    case MYR_SENSOR_RANGEFINDER:
    case MYR_SENSOR_JOINTPOS:
    case MYR_SENSOR_JOINTVEL:
    case MYR_SENSOR_ACTUATORPOS:
    case MYR_SENSOR_ACTUATORVEL:
    case MYR_SENSOR_BALLQUAT:
    case MYR_SENSOR_BALLANGVEL:
    case MYR_SENSOR_TENDONPOS:
    case MYR_SENSOR_TENDONVEL:
    case MYR_SENSOR_ACTUATORFRC:
    case MYR_SENSOR_JOINTACTUATORFRC:
    case MYR_SENSOR_CONTACT_FORCE:
    case MYR_SENSOR_CONTACT:
    case MYR_SENSOR_TOUCH:
    case MYR_SENSOR_AIR_TIME: return 0;
    default: return 1;
    }
}

/* How many there are, before anything asks for room. */
static void robot_count_sensors(robot *r) {
    const myr_model *m = r->model;
    r->n_sensors = m->n_sensors, r->n_sensor_kept = m->n_sensor_kept;
    r->ray_places = m->sees_shapes ? 12 * m->n_geoms : 0;
    for (int i = 0; i < m->n_sensors; i++) {
        r->sensor_size = m->sensors[i].n_rays > r->sensor_size ? m->sensors[i].n_rays : r->sensor_size;
        r->sensor_size = m->sensors[i].size > r->sensor_size ? m->sensors[i].size : r->sensor_size;
        r->senses_velocity |= robot_senses_velocity(m->sensors[i].kind);
        r->senses_when |= 1u << m->sensors[i].when;
        r->senses_each |= m->sensors[i].signal.every == 0 && m->sensors[i].when != MYR_SENSED_EVERY;
        r->senses_actuators |= m->sensors[i].kind == MYR_SENSOR_ACTUATORFRC || m->sensors[i].kind == MYR_SENSOR_JOINTACTUATORFRC;
    }
}

static myr_rays_options robot_rays(const myr_sensor *s) {
    const myr_sensor_look *look = &s->look;
    return (myr_rays_options){.axes = look->axes,
                              .ground = look->ground,
                              .shapes = look->shapes,
                              .exclude = s->hidden ? MYR_RAYS_EXCLUDE_NONE : look->exclude,
                              .body = s->of.body,
                              .range_m = look->range_m};
}

/* No point is farther ahead, or to a side. */
static double robot_reach(const myr_sensor *s) {
    double reach = 0;
    for (int k = 0; k < 2 * s->n_rays && s->kind == MYR_SENSOR_HEIGHT_SCAN; k++) reach = fmax(reach, fabs(s->rays[k]));
    return reach;
}

/* After the slots. */
static void robot_sensors(robot *r, char *cursor) {
    const myr_model *m = r->model;
    lane_sensor *sensors = (lane_sensor *)(void *)cursor;
    cursor += robot_round((size_t)m->n_sensors * sizeof(lane_sensor));
    for (int i = 0; i < m->n_sensors; i++) {
        const myr_sensor *from = &m->sensors[i];
        lane_sensor *to = &sensors[i];
        *to = (lane_sensor){.kind = from->kind,
                            .when = from->when,
                            .row = r->layout.first[MYR_ROWS_sensors] + from->row,
                            .n = from->n_rows,
                            .id = i,
                            .size = from->size,
                            .memory = from->memory < 0 ? -1 : r->layout.first[MYR_ROWS_sensor_memory] + from->memory,
                            .signal = &from->signal,
                            .kept_rows = myr_signal_layout(&from->signal, from->size, from->when == MYR_SENSED_EVERY),
                            .kept = from->kept,
                            .of = robot_sensed_frame(&from->of),
                            .ref = robot_sensed_frame(&from->ref),
                            .volume = from->volume,
                            .given = from,
                            .look = robot_rays(from),
                            .reach = robot_reach(from),
                            .actuator = from->actuator,
                            .threshold = (real)from->threshold,
                            .cutoff = (real)from->cutoff,
                            .scale = (real)from->scale};
        for (int k = 0; k < 3; k++) to->vector[k] = (real)from->vector[k];
        if (from->joint >= 0) to->q = m->bodies[from->joint].q, to->v = m->bodies[from->joint].v;
        lane_piece *pieces = (lane_piece *)(void *)cursor;
        cursor += robot_round((size_t)from->n_pieces * sizeof(lane_piece));
        to->pieces = pieces, to->n_parts = from->n_pieces;
        for (int k = 0; k < from->n_pieces; k++) {
            const myr_piece *piece = &from->pieces[k];
            double rows[MYR_INERTIAL_ROWS];
            pieces[k].body = piece->body, pieces[k].whole = piece->whole;
            myr_inertial_pack(&m->bodies[piece->body], piece->mass, piece->com, piece->inertia, rows);
            for (int j = 0; j < MYR_INERTIAL_ROWS; j++) pieces[k].own[j] = (real)rows[j];
        }
        if (!from->shapes) continue;
        signed char *slots = (signed char *)(void *)cursor;
        cursor += robot_round((size_t)m->n_slots);
        for (int s = 0; s < r->n_slots; s++)
            slots[s] = robot_sensed_slot(m, from, &m->slots[(r->slots[s].row - r->layout.first[MYR_ROWS_impulse]) / 3]);
        to->slots = slots;
    }
    r->sensors = sensors;
}

#endif

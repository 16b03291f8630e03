/* Sensors: what a robot feels, in rows of the field MYR_SENSORS (docs/sensors.md). They change no trajectory. */
#ifndef MYRIAPOD_SENSOR_H
#define MYRIAPOD_SENSOR_H

#include "model.h"
#include "rays.h"
#include "terrain.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum myr_sensor_kind {
#define MYR_SENSOR(NAME, name, rows, unit, of, when, kept, doc) MYR_SENSOR_##NAME,
#include "sensors.def"
#undef MYR_SENSOR
    MYR_SENSOR_KINDS
} myr_sensor_kind;

/* What touches the shapes of a contact sensor: bits. */
enum { MYR_FROM_GROUND = 1, MYR_FROM_SELF = 2 /* shapes of one tree */, MYR_FROM_OTHER = 4, MYR_FROM_ALL = 7 };

/* Noise is uniform within +-its size, or normal of that deviation. */
typedef enum myr_sensor_noise { MYR_NOISE_UNIFORM, MYR_NOISE_NORMAL } myr_sensor_noise;
/* Of the last readings each one, newest first; or of each number their mean, their largest. */
typedef enum myr_sensor_history { MYR_HISTORY_ALL, MYR_HISTORY_MEAN, MYR_HISTORY_MAX } myr_sensor_history;
enum { MYR_SENSOR_LATEST = 64 /* delay */, MYR_SENSOR_OLDEST = 256 /* history */, MYR_SENSOR_RAREST = 1000000 /* every */ };

/* On the way from what a sensor measures to what is shown, in this order (docs/sensors.md). */
typedef struct myr_sensor_signal {
    int every; /* it measures at the end of every so many control steps from the start of the episode on; 0: after each step of dt */
    double bias, noise; /* bias: +-, drawn for an episode; noise: of each measurement. In the unit of the sensor; 0: none */
    myr_sensor_noise noise_kind;
    double hold;  /* probability that a measurement is missed and the one before it comes again */
    int delay[2]; /* least and most: late by so many measurements, drawn for an episode, at most MYR_SENSOR_LATEST */
    int history;  /* so many of the last ones, 1 .. MYR_SENSOR_OLDEST, before the first of which there were such as it */
    myr_sensor_history shown;
} myr_sensor_signal;

/* Of the kinds rays, rangefinder and height_scan: where they look (docs/rays.md, docs/terrain-scan.md). */
typedef struct myr_sensor_look {
    myr_ray_pattern pattern;  /* rays; of a height_scan x and y of a grid or a ring */
    myr_rays_axes axes;       /* of rays: the frame's, or those of its heading */
    myr_rays_exclude exclude; /* of rays: what carries the frame is not seen */
    int ground, shapes;       /* of rays: 1: looked for */
    double range_m;           /* of rays */
    int depth;                /* of rays: 1: along -z of the pattern, as depth cameras have it, instead of along the ray */
    myr_scan_kind scan;       /* of a height_scan: how the map is read */
    myr_scan_value value;     /* of a height_scan: the ground's height, or by how much the frame is above it */
    int least;                /* of a height_scan: 1: of all points the least value alone */
} myr_sensor_look;

/* What a sensor of single contacts says of each, in this order. Normal and force point from the first shape to the second. */
enum {
    MYR_SHOW_FOUND = 1,    /* how many contacts there are; 0: none is in this place */
    MYR_SHOW_FORCE = 2,    /* on the second shape, along normal, tangent and their cross product [N]: the first number presses */
    MYR_SHOW_TORQUE = 4,   /* 0: contacts are points; of a net force about its point, world axes [N m] */
    MYR_SHOW_DIST = 8,     /* from surface to surface, below 0: they overlap [m] */
    MYR_SHOW_POS = 16,     /* world [m] */
    MYR_SHOW_NORMAL = 32,  /* world */
    MYR_SHOW_TANGENT = 64, /* world */
    MYR_SHOW_ALL = 127
};
/* Which of them: in no order; those with the least distance; those with the largest forces; all as one: force in world axes, pos weighted
 * by the sizes of forces, normal and tangent the world's x and y. */
typedef enum myr_sensor_reduce { MYR_REDUCE_NONE, MYR_REDUCE_MINDIST, MYR_REDUCE_MAXFORCE, MYR_REDUCE_NETFORCE } myr_sensor_reduce;
enum { MYR_CONTACTS_MOST = 32 };

/* A sensor. Fill with myr_sensor_def_default() first. Names are of what the builder has already. */
typedef struct myr_sensor_def {
    const char *name; /* unique among sensors, not empty */
    myr_sensor_kind kind;
    const char *of;  /* frame (a body's name, a site), joint, actuator or tendon; shapes: names of geoms separated by ',', `*` and `?` as in
                        a  shell; NULL: the first body */
    const char *ref; /* framepos .. frameangvel: the frame from which it is seen; NULL: the world */
    unsigned from;   /* of contacts those with these: MYR_FROM_* */
    const char *touching; /* contact: the second shapes, names as in `of`; `ground`, unless a geom is called so; NULL: all */
    int contacts;         /* contact: so many at most, 1 .. MYR_CONTACTS_MOST */
    unsigned data;        /* contact: MYR_SHOW_* */
    myr_sensor_reduce reduce;
    double vector[3]; /* magnetometer: the world's magnetic field */
    double threshold; /* air_time: the force above which the shapes are in contact [N] */
    double cutoff;    /* readings are cut to +-cutoff, before noise; 0: not */
    myr_sensor_signal signal;
    myr_sensor_look look;
} myr_sensor_def;

typedef struct myr_sensor_info {
    const char *name;
    myr_sensor_kind kind;
    int row, n_rows; /* of the field MYR_SENSORS: row .. row + n_rows - 1 */
    const char *unit;
    int size, history; /* n_rows = size history: numbers of one reading, readings that are shown, newest first */
    myr_sensor_signal signal;
    /* Of those that look (rays, rangefinder, height_scan), else 0: from where, and where to. */
    int body;                            /* -1: the world */
    double position_m[3], quaternion[4]; /* of the frame, in the body's; w x y z, frame -> body axes */
    myr_sensor_look look;
    int n_rays;
    const double *rays; /* (n_rays, 6) origin, unit direction in the frame; of a height_scan (n_rays, 2) x, y of the heading. The model's */
} myr_sensor_info;

/* Of all contacts, one, found or not, with the threshold 1 N, not cut; the last control step's reading as it is. A grid of 17 x 11, rays in
 * the frame's axes that see the ground and all geoms but those of the frame's body, 100 m far; the map read exactly, heights. */
MYR_API myr_sensor_def myr_sensor_def_default(void);
/* Add a sensor to a builder. */
MYR_API myr_status myr_builder_sensor(myr_builder *builder, const myr_sensor_def *def);
/* Sensor 0 .. n_sensors - 1 of myr_model_get_info; MYR_E_ARG past them. */
MYR_API myr_status myr_model_get_sensor(const myr_model *model, int sensor, myr_sensor_info *info);
/* From a name to a number, as myr_model_find_joint. */
MYR_API myr_status myr_model_find_sensor(const myr_model *model, const char *name, int *sensor);
/* Name of a kind; NULL past the last. */
MYR_API const char *myr_sensor_kind_name(myr_sensor_kind kind);
/* What a kind reads. */
MYR_API const char *myr_sensor_kind_doc(myr_sensor_kind kind);

#ifdef __cplusplus
}
#endif
#endif

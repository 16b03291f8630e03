/* What tasks observe, outside the lanes: the list of observed.def, and where each kind stands in an observation. */
#ifndef MYR_TASKS_OBSERVED_H
#define MYR_TASKS_OBSERVED_H

#include "model/model.h"
#include "myriapod/settings.h"

typedef enum myr_observed {
#define MYR_OBSERVED(NAME, name, count, scale, noise, unit, doc) MYR_OBSERVED_##NAME,
#include "tasks/observed.def"
#undef MYR_OBSERVED
    MYR_OBSERVED_KINDS
} myr_observed;

typedef struct myr_observed_kind {
    const char *name, *unit, *doc;
    size_t scale, noise; /* offsets in myr_settings, of doubles; 0: none */
} myr_observed_kind;

extern const myr_observed_kind myr_observed_kinds[MYR_OBSERVED_KINDS];

/* Heights of the ground around a robot, as legged_gym observes them (Rudin 2022): 0.1 m apart, x -0.8 to 0.8 and y -0.5 to 0.5, y fast. */
enum { MYR_SCAN_X = 17, MYR_SCAN_Y = 11, MYR_SCAN_POINTS = MYR_SCAN_X * MYR_SCAN_Y };

/* The setting `scan`: a myr_scan_kind; -1: off. */
int myr_scan_wanted(const myr_settings *settings);

/* How many numbers of this kind there are. */
int myr_observed_count(myr_observed kind, const myr_settings *s, const myr_model *m);

/* The base is the first body; it floats, or it is fixed to the world or on a joint like any other. */
static inline int myr_floats(const myr_model *m) { return m->bodies[0].joint == MYR_JOINT_FREE; }

/* A number of the settings by its offset; `other` where that is 0. */
static inline double myr_observed_number(const myr_settings *settings, size_t offset, double other) {
    return offset ? *(const double *)(const void *)((const char *)settings + offset) : other;
}

#endif

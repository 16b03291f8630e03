/* What tasks observe, outside the lanes. */
#ifndef MYR_TASKS_SEEN_H
#define MYR_TASKS_SEEN_H

#include "model/model.h"
#include "myriapod/settings.h"

/* Heights of the ground around a robot, as legged_gym observes them (Rudin 2022): 0.1 m apart, x -0.8 to 0.8 and y -0.5 to 0.5, y fast. */
enum { MYR_SCAN_X = 17, MYR_SCAN_Y = 11, MYR_SCAN_POINTS = MYR_SCAN_X * MYR_SCAN_Y };

/* The setting `scan`: a myr_scan_kind; -1: off. */
int myr_scan_wanted(const myr_settings *settings);

/* The base is the first body; it floats, or it is fixed to the world or on a joint like any other. */
static inline int myr_floats(const myr_model *m) { return m->bodies[0].joint == MYR_JOINT_FREE; }

#endif

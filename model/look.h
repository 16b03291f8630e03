/* Where sensors look that have rays or points of the ground. */
#ifndef MYR_MODEL_LOOK_H
#define MYR_MODEL_LOOK_H

#include "model.h"

static inline int myr_looks(myr_sensor_kind kind) {
    return kind == MYR_SENSOR_HEIGHT_SCAN || kind == MYR_SENSOR_RAYS || kind == MYR_SENSOR_RANGEFINDER;
}
/* MYR_E_ARG with a message that begins with the sensor's name. */
myr_status myr_check_look(const char *name, myr_sensor_kind kind, const myr_sensor_look *look);
/* A compiled sensor's rays or points, and so how much it reads; what its own described `body` has is not seen, where it says so. */
myr_status myr_find_look(const myr_builder *builder, int body, myr_sensor *sensor, myr_model *model);

#endif

/* What a sensor's signal may be. */
#include "signal.h"

#include <math.h>

#include "model.h"

static myr_status whole(const char *name, const char *what, int value, int least, int most) {
    if (value >= least && value <= most) return MYR_OK;
    return myr_fail(MYR_E_ARG, "sensor `%s`: signal.%s is %d, but must be %d to %d", name, what, value, least, most);
}

static myr_status size(const char *name, const char *what, double value) {
    if (isfinite(value) && value >= 0) return MYR_OK;
    return myr_fail(MYR_E_ARG, "sensor `%s`: signal.%s is %g; it must be finite and not negative", name, what, value);
}

myr_status myr_check_signal(const char *name, const myr_sensor_signal *s) {
    myr_status status = whole(name, "every", s->every, 0, MYR_SENSOR_RAREST);
    if (!status) status = whole(name, "history", s->history, 1, MYR_SENSOR_OLDEST);
    if (!status) status = whole(name, "delay[1]", s->delay[1], 0, MYR_SENSOR_LATEST);
    if (!status) status = whole(name, "delay[0]", s->delay[0], 0, s->delay[1]);
    if (!status) status = whole(name, "noise_kind", (int)s->noise_kind, 0, MYR_NOISE_NORMAL);
    if (!status) status = whole(name, "shown", (int)s->shown, 0, MYR_HISTORY_MAX);
    if (!status) status = size(name, "bias", s->bias);
    if (!status) status = size(name, "noise", s->noise);
    if (!status && !(s->hold >= 0 && s->hold < 1))
        status = myr_fail(MYR_E_ARG, "sensor `%s`: signal.hold is %g, but must be a probability below 1", name, s->hold);
    return status;
}

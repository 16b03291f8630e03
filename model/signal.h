/* What a sensor's signal keeps from step to step, in rows of the field `sensor_memory`; sensors/signal.lane.h is what it does with them. */
#ifndef MYR_MODEL_SIGNAL_H
#define MYR_MODEL_SIGNAL_H

#include "myriapod/sensor.h"

/* Rows of the memory in this order; -1: there is none. */
typedef struct myr_signal_memory {
    int count; /* measurements of this episode */
    int since; /* control steps since the last one */
    int delay; /* measurements */
    int bias;  /* per number of a reading */
    int raw;   /* what a sensor that counts has without noise, likewise */
    int list;  /* the last measurements, newest first, readings one behind the other */
    int rows;  /* all of them; 0: it shows what it measures */
    int listed;
} myr_signal_memory;

/* Readings that are shown. */
static inline int myr_signal_shown(const myr_sensor_signal *s) { return s->shown == MYR_HISTORY_ALL ? s->history : 1; }

static inline int myr_signal_take(int *rows, int n) {
    const int first = *rows;
    *rows += n;
    return n ? first : -1;
}

/* size: numbers of a reading; counts: the sensor goes on from what it read. */
static inline myr_signal_memory myr_signal_layout(const myr_sensor_signal *s, int size, int counts) {
    myr_signal_memory m = {.listed = s->delay[1] + s->history};
    const int plain = s->every == 1 && !(s->bias > 0) && !(s->noise > 0) && !(s->hold > 0) && m.listed == 1;
    if (plain) return (myr_signal_memory){-1, -1, -1, -1, -1, -1, 0, 1};
    m.count = myr_signal_take(&m.rows, 1);
    m.since = myr_signal_take(&m.rows, s->every > 1);
    m.delay = myr_signal_take(&m.rows, s->delay[1] > 0);
    m.bias = myr_signal_take(&m.rows, s->bias > 0 ? size : 0);
    m.raw = myr_signal_take(&m.rows, counts ? size : 0);
    m.list = myr_signal_take(&m.rows, m.listed * size);
    return m;
}
static inline int myr_signal_rows(const myr_sensor_signal *s, int size, int counts) { return myr_signal_layout(s, size, counts).rows; }

/* MYR_E_ARG with a message that begins with the sensor's name. */
myr_status myr_check_signal(const char *name, const myr_sensor_signal *signal);

#endif

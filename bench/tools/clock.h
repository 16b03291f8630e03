/* Processor time of this thread, the only one: what others do to the core meanwhile counts less. For programs with the library and without.
 */
#ifndef MYRIAPOD_BENCH_CLOCK_H
#define MYRIAPOD_BENCH_CLOCK_H

#include <time.h>

static inline double thread_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#endif

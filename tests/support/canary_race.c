/* Two threads and one number. `barrier`: the threads write in turn, with a barrier between. This is not a race; a thread sanitizer that
 * cannot see OpenMP's barriers would report one. `race`: both write at once, which a sanitizer at work must report. */
#include <omp.h>
#include <stdio.h>
#include <string.h>

static long shared_number;

int main(int argc, char **argv) {
    const int race = argc > 1 && !strcmp(argv[1], "race");
#pragma omp parallel num_threads(2)
    for (int round = 0; round < 1000; round++) {
        if (race || round % 2 == omp_get_thread_num()) shared_number++;
#pragma omp barrier
    }
    printf("%ld\n", shared_number);
    return 0;
}

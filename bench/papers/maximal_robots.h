/* The mechanisms of Brüdigam 2021 IV, as far as its text, and where it is silent the authors' published examples, say what they are. */
#ifndef MYRIAPOD_BENCH_MAXIMAL_ROBOTS_H
#define MYRIAPOD_BENCH_MAXIMAL_ROBOTS_H

#include "tests/reference/maximal.h"

/* NULL when out of memory. dt is set: 10 ms for the first two, 1 ms for the robots. */
maximal *paper_disc(int contacts);
maximal *paper_chain(int links);
maximal *paper_hopper(double head_mass);
maximal *paper_quadruped(void);

/* What drives them, before step `k` (1, 2, ...): forces from the state that the step begins with. */
typedef struct hopper_control {
    int jumped;
} hopper_control;
void hopper_drive(maximal *m, hopper_control *control, int k);
void quadruped_drive(maximal *m, int k);

enum { LEGS = 4, LEG_POINTS = 4 };

/* World positions of a leg's hip, thigh, knee and foot. */
void quadruped_leg(const maximal *m, int leg, double points[LEG_POINTS][3]);

#endif

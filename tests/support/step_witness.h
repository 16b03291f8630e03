/* One step of one environment, computed again by the scalar reference from what the batch shows before and after it: dense
 * Mh, J and free velocity in the user's frames, no lanes involved. */
#ifndef MYR_TESTS_SUPPORT_STEP_WITNESS_H
#define MYR_TESTS_SUPPORT_STEP_WITNESS_H

#include "batch_scene.h"
#include "reference/rigid_body.h"

enum { WITNESS_NV = 32, WITNESS_SLOTS = 16 };

typedef struct step_witness {
    const myr_model *model;
    reference_state state;
    double q[2 * WITNESS_NV], v[WITNESS_NV], episode; /* before the step */
    /* of the step */
    double Mh[WITNESS_NV * WITNESS_NV]; /* M + armature + dt (damping + implicit gains) */
    double free_velocity[WITNESS_NV];   /* u* */
    double after[WITNESS_NV];           /* v of the batch */
    double predicted[WITNESS_NV];       /* u* + Mh^-1 J' lambda */
    double impulse[3 * WITNESS_SLOTS];  /* lambda of the batch */
    double velocity[3 * WITNESS_SLOTS]; /* J v of the batch where the impulse is not zero */
    int contacts;                       /* slots with an impulse */
    double impulse_sum;                 /* of their magnitudes [N s] */
    double energy_before, energy_after; /* 1/2 u*' Mh u*, 1/2 v' Mh v [J] */
} step_witness;

void witness_open(step_witness *w, const myr_model *model);
void witness_close(step_witness *w);

/* Before the step: state of environment `env`. After it: everything else. 0 when the task has reset the environment in
 * between, so that what was read before is not where the step began. Gravity is (0, 0, -9.81), no external wrench. */
void witness_before(step_witness *w, const myr_batch *batch, int64_t env);
int witness_after(step_witness *w, const myr_batch *batch, int64_t env);

/* Of the state before the step, once witness_after has seen it: the gap of a slot [m] and its three rows of J, the velocity of the
 * contact point along the world's axes; x = Mh^-1 b. */
double witness_slot(const step_witness *w, int s, double J[3][WITNESS_NV]);
void witness_solve(const step_witness *w, const double *b, double *x);

#endif

/* What touches the ground, as tasks judge it. */
#ifndef MYR_TASKS_TOUCH_LANE_H
#define MYR_TASKS_TOUCH_LANE_H

#include "tasks/motion.lane.h"

/* Normal force of the ground on a geom in the last step of dt [N]. */
static inline vf geom_force(const part *p, const myr_geom *geom) {
    vf force = vf_zero();
    for (int s = geom->slot; s < geom->slot + geom->n_slots; s++) force = force + field(p, MYR_ROWS_impulse, 3 * s + 2);
    return force * vf_set(p->per_dt);
}

/* Normal force on each foot, and how many of the other shapes touch; of the last step of dt. */
typedef struct touch {
    vf foot[4], torso, others;
} touch;

static touch touch_get(const part *p) {
    const myr_model *m = p->r->model;
    const vf zero = vf_zero(), least = vf_set(1); /* N */
    touch t = {{zero, zero, zero, zero}, zero, zero};
    for (int g = 0; g < m->n_geoms; g++) {
        const myr_geom *geom = &m->geoms[g];
        const vf force = geom_force(p, geom);
        int foot = 0;
        while (foot < 4 && m->quadruped.foot_geom[foot] != g) foot++;
        if (foot < 4)
            t.foot[foot] = force;
        else if (geom->body == 0)
            t.torso = t.torso + force;
        else
            t.others = t.others + vf_select(vm_gt(force, least), vf_set(1), zero);
    }
    return t;
}

#endif

/* Inputs of programs in lanes: a function for each line of inputs.def that is of lanes. */
#ifndef MYR_TASKS_INPUTS_LANE_H
#define MYR_TASKS_INPUTS_LANE_H

#include "tasks/ground.lane.h"
#include "tasks/moments.h"
#include "tasks/seen.lane.h"
#include "tasks/touch.lane.h"

/* What several inputs are made of, computed when the first of them asks. */
typedef struct input_state {
    const part *p;
    int has_base, has_touch;
    rider base;
    touch touch;
} input_state;

static const rider *input_base(input_state *s) {
    if (!s->has_base) s->base = rider_get(s->p), s->has_base = 1;
    return &s->base;
}
static const touch *input_touch(input_state *s) {
    if (!s->has_touch) s->touch = touch_get(s->p), s->has_touch = 1;
    return &s->touch;
}

static void input_base_linear(input_state *s, vf *to) { v3_store(to, input_base(s)->linear); }
static void input_base_angular(input_state *s, vf *to) { v3_store(to, input_base(s)->angular); }
static void input_base_down(input_state *s, vf *to) { v3_store(to, input_base(s)->down); }
static void input_base_above(input_state *s, vf *to) { *to = field(s->p, MYR_ROWS_q, 2) - ground_below_base(s->p); }

static void input_actuator_length(input_state *s, vf *to) {
    for (int u = 0; u < s->p->r->nu; u++) to[u] = actuator_length(s->p, u);
}
static void input_actuator_velocity(input_state *s, vf *to) {
    for (int u = 0; u < s->p->r->nu; u++) to[u] = actuator_rate(s->p, u);
}
static void input_actuator_velocity_before(input_state *s, vf *to) {
    for (int u = 0; u < s->p->r->nu; u++) to[u] = s->p->w->scratch[u];
}
static void input_actuator_force(input_state *s, vf *to) {
    for (int u = 0; u < s->p->r->nu; u++) to[u] = actuator_force(s->p, u);
}
static void input_encoder(input_state *s, vf *to) { lengths_seen(s->p, to); }
static void input_action_before(input_state *s, vf *to) {
    for (int k = 0; k < s->p->r->layout.task.actions; k++) to[k] = s->p->w->before[k];
}

static void input_geom_force(input_state *s, vf *to) {
    const myr_model *m = s->p->r->model;
    for (int g = 0; g < m->n_geoms; g++) to[g] = geom_force(s->p, &m->geoms[g]);
}
static void input_foot_force(input_state *s, vf *to) {
    for (int k = 0; k < 4; k++) to[k] = input_touch(s)->foot[k];
}
static void input_torso_force(input_state *s, vf *to) { *to = input_touch(s)->torso; }
static void input_others_touch(input_state *s, vf *to) { *to = input_touch(s)->others; }
static void input_heights(input_state *s, vf *to) { heights_seen(s->p, to); }

static void (*const input_functions[MYR_LANE_INPUTS])(input_state *s, vf *to) = {
#define MYR_INPUT(NAME, name, rows, unit, doc) input_##name,
#include "tasks/inputs.def"
};

#endif

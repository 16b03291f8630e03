/* myr_evaluate: states into tiles, the lanes' answer out again, frames from the poses of the bodies. */
#include "myriapod/evaluate.h"

#include "batch/batch.h"
#include "batch/frames.h"
#include "settings/resolve.h"
#include "batch/states.h"

typedef struct evaluator {
    myr_states states;
    myr_eval_rows rows;
    myr_body_motion *bodies;
} evaluator;

static double get(const evaluator *e, int row, int lane) { return myr_states_get(&e->states, e->states.rows, row, lane); }

static void evaluator_free(evaluator *e) {
    myr_states_free(&e->states);
    myr_release(e->bodies);
}

static myr_status evaluator_init(evaluator *e, const myr_model *model, const myr_kernels *kernels) {
    *e = (evaluator){0};
    kernels->eval_rows(model, &e->rows);
    const myr_status status = myr_states_init(&e->states, model, kernels, e->rows.total);
    if (status) return status;
    e->bodies = myr_allocate(((size_t)model->n_bodies + 1) * sizeof *e->bodies, MYR_ROW_BYTES);
    if (e->bodies) return MYR_OK;
    evaluator_free(e);
    return myr_fail(MYR_E_MEMORY, "out of memory for a tile of `%s`", model->name);
}

static void put_state(evaluator *e, int lane, const double *q, const double *v, const double *tau) {
    myr_states_put_state(&e->states, lane, q, v);
    for (int i = 0; i < e->states.model->nv; i++) myr_states_put(&e->states, e->states.rows, e->rows.tau + i, lane, tau ? tau[i] : 0);
}

static void get_rows(const evaluator *e, int first, int count, int lane, double *to, int64_t state) {
    if (!to) return;
    for (int i = 0; i < count; i++) to[state * count + i] = get(e, first + i, lane);
}

static void get_frames(evaluator *e, int lane, const myr_evaluation *wanted, int64_t state) {
    const myr_model *m = e->states.model;
    for (int i = 0; i < m->n_bodies; i++) {
        myr_body_motion *body = &e->bodies[i];
        const int pose = e->rows.pose + 7 * i, velocity = e->rows.velocity + 6 * i;
        for (int k = 0; k < 3; k++) {
            body->position[k] = get(e, pose + k, lane);
            body->linear[k] = get(e, velocity + k, lane);
            body->angular[k] = get(e, velocity + 3 + k, lane);
        }
        for (int k = 0; k < 4; k++) body->quaternion[k] = get(e, pose + 3 + k, lane);
        myr_body_motion_rotation(body);
    }
    for (int f = 0; f < m->n_frames; f++) {
        const int64_t at = state * m->n_frames + f;
        myr_frame_motion(m, e->bodies, f, wanted->frame_position ? wanted->frame_position + 3 * at : NULL,
                         wanted->frame_quaternion ? wanted->frame_quaternion + 4 * at : NULL,
                         wanted->frame_velocity ? wanted->frame_velocity + 6 * at : NULL,
                         wanted->frame_jacobian ? wanted->frame_jacobian + 3 * m->nv * at : NULL);
    }
}

/* What is fixed to the world weighs too, though it is not part of a tree. */
static void add_anchored(const myr_model *m, double *potential, double *com) {
    if (potential)
        for (int k = 0; k < 3; k++) *potential -= m->anchored_mass * m->gravity[k] * m->anchored_com[k];
    if (!com) return;
    const double moving = m->mass - m->anchored_mass;
    for (int k = 0; k < 3; k++) com[k] = (moving > 0 ? moving * com[k] : 0) / m->mass + m->anchored_mass / m->mass * m->anchored_com[k];
}

static void get_state(evaluator *e, int lane, const myr_evaluation *wanted, int64_t state) {
    const int nv = e->states.model->nv;
    get_rows(e, e->rows.M, nv * nv, lane, wanted->M, state);
    get_rows(e, e->rows.bias, nv, lane, wanted->bias, state);
    get_rows(e, e->rows.acceleration, nv, lane, wanted->acceleration, state);
    get_rows(e, e->rows.kinetic, 1, lane, wanted->kinetic, state);
    get_rows(e, e->rows.potential, 1, lane, wanted->potential, state);
    get_rows(e, e->rows.com, 3, lane, wanted->com, state);
    if (e->states.model->anchored_mass > 0)
        add_anchored(e->states.model, wanted->potential ? wanted->potential + state : NULL, wanted->com ? wanted->com + 3 * state : NULL);
    if (wanted->frame_position || wanted->frame_quaternion || wanted->frame_velocity || wanted->frame_jacobian)
        get_frames(e, lane, wanted, state);
}

myr_status myr_evaluate(const myr_model *model, const myr_settings *settings, const myr_evaluation *evaluation) {
    MYR_OWN_ARITHMETIC;
    const myr_kernels *kernels;
    evaluator e;
    if (!model) return myr_fail(MYR_E_ARG, "model is NULL");
    if (!evaluation) return myr_fail(MYR_E_ARG, "evaluation is NULL");
    if (evaluation->n < 0) return myr_fail(MYR_E_ARG, "evaluation->n is %lld; it may not be negative", (long long)evaluation->n);
    if (evaluation->n > 0 && !evaluation->q) return myr_fail(MYR_E_ARG, "evaluation->q is NULL: every state needs a configuration");
    myr_status status = myr_resolve_kernels(settings, &kernels);
    if (status != MYR_OK) return status;
    status = evaluator_init(&e, model, kernels);
    if (status != MYR_OK) return status;

    const int64_t nq = model->nq, nv = model->nv;
    const int lanes = e.states.layout.lanes;
    for (int64_t first = 0; first < evaluation->n; first += lanes) {
        const int64_t left = evaluation->n - first;
        const int used = left < lanes ? (int)left : lanes;
        for (int lane = 0; lane < lanes; lane++) { /* idle lanes repeat the last state */
            const int64_t state = first + (lane < used ? lane : used - 1);
            put_state(&e, lane, evaluation->q + state * nq, evaluation->v ? evaluation->v + state * nv : NULL,
                      evaluation->tau ? evaluation->tau + state * nv : NULL);
        }
        kernels->eval_tile(e.states.robot, e.states.workspace, e.states.tile, e.states.rows);
        for (int lane = 0; lane < used; lane++) get_state(&e, lane, evaluation, first + lane);
    }
    evaluator_free(&e);
    return MYR_OK;
}

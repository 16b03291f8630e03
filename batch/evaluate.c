/* myr_evaluate: states into tiles, the lanes' answer out again, frames from the poses of the bodies. */
#include "myriapod/evaluate.h"

#include <math.h>
#include <string.h>

#include "batch/batch.h"
#include "batch/frames.h"
#include "batch/resolve.h"

typedef struct evaluator {
    const myr_model *model;
    const myr_kernels *kernels;
    myr_layout layout;
    myr_eval_rows rows;
    void *robot, *workspace, *tile, *out;
    uint8_t *no_geoms;
    myr_body_motion *bodies;
} evaluator;

static double get(const evaluator *e, const void *rows, int row, int lane) {
    const size_t at = (size_t)row * (size_t)e->layout.lanes + (size_t)lane;
    return e->layout.precision == 4 ? (double)((const float *)rows)[at] : ((const double *)rows)[at];
}

static void put(const evaluator *e, void *rows, int row, int lane, double value) {
    const size_t at = (size_t)row * (size_t)e->layout.lanes + (size_t)lane;
    if (e->layout.precision == 4)
        ((float *)rows)[at] = (float)value;
    else
        ((double *)rows)[at] = value;
}

static void evaluator_free(evaluator *e) {
    myr_release(e->robot);
    myr_release(e->workspace);
    myr_release(e->tile);
    myr_release(e->out);
    myr_release(e->no_geoms);
    myr_release(e->bodies);
}

/* The parameters that the dynamics reads: inertias and gravity. All others stay zero: damping, armature, gains, wrenches. */
static void put_parameters(evaluator *e) {
    for (int k = 0; k < 3; k++)
        for (int lane = 0; lane < e->layout.lanes; lane++)
            put(e, e->tile, e->layout.first[MYR_ROWS_gravity] + k, lane, e->model->gravity[k]);
    for (int i = 0; i < e->model->n_bodies; i++) {
        const myr_body *b = &e->model->bodies[i];
        double rows[MYR_INERTIAL_ROWS];
        myr_inertial_pack(b, b->mass, b->com, b->inertia, rows);
        for (int k = 0; k < MYR_INERTIAL_ROWS; k++)
            for (int lane = 0; lane < e->layout.lanes; lane++)
                put(e, e->tile, e->layout.first[MYR_ROWS_inertial] + MYR_INERTIAL_ROWS * i + k, lane, rows[k]);
    }
}

static myr_status evaluator_init(evaluator *e, const myr_model *model, const myr_kernels *kernels) {
    *e = (evaluator){.model = model, .kernels = kernels};
    myr_layout_init(&e->layout, model, kernels->precision, 0, &(myr_task_shape){0});
    kernels->eval_rows(model, &e->rows);
    e->robot = myr_allocate(kernels->robot_bytes(model), MYR_ROW_BYTES);
    e->no_geoms = myr_allocate((size_t)model->n_geoms + 1, MYR_ROW_BYTES);
    e->bodies = myr_allocate(((size_t)model->n_bodies + 1) * sizeof *e->bodies, MYR_ROW_BYTES);
    e->tile = myr_allocate(e->layout.tile_bytes + MYR_ROW_BYTES, MYR_ROW_BYTES);
    e->out = myr_allocate(((size_t)e->rows.total + 1) * MYR_ROW_BYTES, MYR_ROW_BYTES);
    if (e->robot && e->no_geoms) {
        kernels->robot_build(e->robot, model, &e->layout, e->no_geoms);
        e->workspace = myr_allocate(kernels->workspace_bytes(e->robot, MYR_SOLVER_BISECTION), MYR_ROW_BYTES);
    }
    if (e->workspace && e->bodies && e->tile && e->out) {
        put_parameters(e);
        return MYR_OK;
    }
    evaluator_free(e);
    return myr_fail(MYR_E_MEMORY, "out of memory for a tile of `%s`", model->name);
}

/* Quaternions are put in normalized, so that a state printed with few digits is still a rotation. */
static void put_state(evaluator *e, int lane, const double *q, const double *v, const double *tau) {
    const myr_model *m = e->model;
    const int first_q = e->layout.first[MYR_ROWS_q], first_v = e->layout.first[MYR_ROWS_v];
    for (int i = 0; i < m->nq; i++) put(e, e->tile, first_q + i, lane, q[i]);
    for (int i = 0; i < m->n_bodies; i++) {
        const myr_body *b = &m->bodies[i];
        if (b->joint != MYR_JOINT_FREE && b->joint != MYR_JOINT_BALL) continue;
        const int at = b->q + (b->joint == MYR_JOINT_FREE ? 3 : 0);
        const double *p = q + at;
        const double n = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]);
        for (int k = 0; k < 4; k++) put(e, e->tile, first_q + at + k, lane, p[k] / n);
    }
    for (int i = 0; i < m->nv; i++) {
        put(e, e->tile, first_v + i, lane, v ? v[i] : 0);
        put(e, e->out, e->rows.tau + i, lane, tau ? tau[i] : 0);
    }
}

static void get_rows(const evaluator *e, int first, int count, int lane, double *to, int64_t state) {
    if (!to) return;
    for (int i = 0; i < count; i++) to[state * count + i] = get(e, e->out, first + i, lane);
}

static void get_frames(evaluator *e, int lane, const myr_evaluation *wanted, int64_t state) {
    const myr_model *m = e->model;
    for (int i = 0; i < m->n_bodies; i++) {
        myr_body_motion *body = &e->bodies[i];
        const int pose = e->rows.pose + 7 * i, velocity = e->rows.velocity + 6 * i;
        for (int k = 0; k < 3; k++) {
            body->position[k] = get(e, e->out, pose + k, lane);
            body->linear[k] = get(e, e->out, velocity + k, lane);
            body->angular[k] = get(e, e->out, velocity + 3 + k, lane);
        }
        for (int k = 0; k < 4; k++) body->quaternion[k] = get(e, e->out, pose + 3 + k, lane);
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

/* What is fixed to the world weighs too, though it is no part of a tree. */
static void add_anchored(const myr_model *m, double *potential, double *com) {
    if (potential)
        for (int k = 0; k < 3; k++) *potential -= m->anchored_mass * m->gravity[k] * m->anchored_com[k];
    if (!com) return;
    const double moving = m->mass - m->anchored_mass;
    for (int k = 0; k < 3; k++) com[k] = (moving > 0 ? moving * com[k] : 0) / m->mass + m->anchored_mass / m->mass * m->anchored_com[k];
}

static void get_state(evaluator *e, int lane, const myr_evaluation *wanted, int64_t state) {
    const int nv = e->model->nv;
    get_rows(e, e->rows.M, nv * nv, lane, wanted->M, state);
    get_rows(e, e->rows.bias, nv, lane, wanted->bias, state);
    get_rows(e, e->rows.acceleration, nv, lane, wanted->acceleration, state);
    get_rows(e, e->rows.kinetic, 1, lane, wanted->kinetic, state);
    get_rows(e, e->rows.potential, 1, lane, wanted->potential, state);
    get_rows(e, e->rows.com, 3, lane, wanted->com, state);
    if (e->model->anchored_mass > 0)
        add_anchored(e->model, wanted->potential ? wanted->potential + state : NULL, wanted->com ? wanted->com + 3 * state : NULL);
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
    for (int64_t first = 0; first < evaluation->n; first += e.layout.lanes) {
        const int64_t left = evaluation->n - first;
        const int used = left < e.layout.lanes ? (int)left : e.layout.lanes;
        for (int lane = 0; lane < e.layout.lanes; lane++) { /* idle lanes repeat the last state */
            const int64_t state = first + (lane < used ? lane : used - 1);
            put_state(&e, lane, evaluation->q + state * nq, evaluation->v ? evaluation->v + state * nv : NULL,
                      evaluation->tau ? evaluation->tau + state * nv : NULL);
        }
        kernels->eval_tile(e.robot, e.workspace, e.tile, e.out);
        for (int lane = 0; lane < used; lane++) get_state(&e, lane, evaluation, first + lane);
    }
    evaluator_free(&e);
    return MYR_OK;
}

#include "batch/states.h"

#include <math.h>

double myr_states_get(const myr_states *s, const void *rows, int row, int lane) {
    const size_t at = (size_t)row * (size_t)s->layout.lanes + (size_t)lane;
    return s->layout.precision == 4 ? (double)((const float *)rows)[at] : ((const double *)rows)[at];
}

void myr_states_put(const myr_states *s, void *rows, int row, int lane, double value) {
    const size_t at = (size_t)row * (size_t)s->layout.lanes + (size_t)lane;
    if (s->layout.precision == 4)
        ((float *)rows)[at] = (float)value;
    else
        ((double *)rows)[at] = value;
}

void myr_states_free(myr_states *s) {
    myr_release(s->robot);
    myr_release(s->workspace);
    myr_release(s->tile);
    myr_release(s->rows);
    myr_release(s->no_geoms);
    *s = (myr_states){0};
}

/* The parameters that the dynamics reads: inertias and gravity. All others stay zero: damping, armature, gains, wrenches. */
static void put_parameters(myr_states *s) {
    for (int k = 0; k < 3; k++)
        for (int lane = 0; lane < s->layout.lanes; lane++)
            myr_states_put(s, s->tile, s->layout.first[MYR_ROWS_gravity] + k, lane, s->model->gravity[k]);
    for (int i = 0; i < s->model->n_bodies; i++) {
        const myr_body *b = &s->model->bodies[i];
        double rows[MYR_INERTIAL_ROWS];
        myr_inertial_pack(b, b->mass, b->com, b->inertia, rows);
        for (int k = 0; k < MYR_INERTIAL_ROWS; k++)
            for (int lane = 0; lane < s->layout.lanes; lane++)
                myr_states_put(s, s->tile, s->layout.first[MYR_ROWS_inertial] + MYR_INERTIAL_ROWS * i + k, lane, rows[k]);
    }
}

myr_status myr_states_init(myr_states *s, const myr_model *model, const myr_kernels *kernels, int n_rows) {
    *s = (myr_states){.model = model, .kernels = kernels};
    myr_layout_init(&s->layout, model, kernels->precision, &(myr_settings){0}, &(myr_task_shape){0});
    s->robot = myr_allocate(kernels->robot_bytes(model), MYR_ROW_BYTES);
    s->no_geoms = myr_allocate((size_t)model->n_geoms + 1, MYR_ROW_BYTES);
    s->tile = myr_allocate(s->layout.tile_bytes + MYR_ROW_BYTES, MYR_ROW_BYTES);
    s->rows = myr_allocate(((size_t)n_rows + 1) * MYR_ROW_BYTES, MYR_ROW_BYTES);
    if (s->robot && s->no_geoms) {
        kernels->robot_build(s->robot, model, &s->layout, s->no_geoms, 1);
        s->workspace = myr_allocate(kernels->workspace_bytes(s->robot, NULL, MYR_SOLVER_BISECTION), MYR_ROW_BYTES);
    }
    if (s->workspace && s->tile && s->rows) {
        put_parameters(s);
        return MYR_OK;
    }
    myr_states_free(s);
    return myr_fail(MYR_E_MEMORY, "out of memory for a tile of `%s`", model->name);
}

void myr_states_put_state(myr_states *s, int lane, const double *q, const double *v) {
    const myr_model *m = s->model;
    const int first_q = s->layout.first[MYR_ROWS_q], first_v = s->layout.first[MYR_ROWS_v];
    for (int i = 0; i < m->nq; i++) myr_states_put(s, s->tile, first_q + i, lane, q[i]);
    for (int i = 0; i < m->n_bodies; i++) {
        const myr_body *b = &m->bodies[i];
        if (b->joint != MYR_JOINT_FREE && b->joint != MYR_JOINT_BALL) continue;
        const int at = b->q + (b->joint == MYR_JOINT_FREE ? 3 : 0);
        const double *p = q + at;
        const double n = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]);
        for (int k = 0; k < 4; k++) myr_states_put(s, s->tile, first_q + at + k, lane, p[k] / n);
    }
    for (int i = 0; i < m->nv; i++) myr_states_put(s, s->tile, first_v + i, lane, v ? v[i] : 0);
}

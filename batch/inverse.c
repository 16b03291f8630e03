/* Inverse dynamics and Jacobians of many states, a tile of lanes at a time. What is not finite is refused before anything is written. */
#include <float.h>
#include <math.h>

#include "batch/batch.h"
#include "settings/resolve.h"
#include "batch/states.h"
#include "base/rotation.h"
#include "myriapod/evaluate.h"

/* (n, count) numbers that fit the precision; numbers NULL: zero. */
static myr_status check_numbers(const char *name, const double *numbers, int64_t n, int count, int precision) {
    const double most = precision == 4 ? FLT_MAX : DBL_MAX;
    for (int64_t i = 0; numbers && i < n * count; i++)
        if (!(fabs(numbers[i]) <= most))
            return myr_fail(MYR_E_ARG, "%s[%lld] of state %lld is %g; %s", name, (long long)(i % count), (long long)(i / count), numbers[i],
                            isfinite(numbers[i]) ? "it does not fit precision f32" : "it must be a finite number");
    return MYR_OK;
}

static myr_status check_rotations(const myr_model *m, const double *q, int64_t n) {
    for (int64_t i = 0; i < n; i++)
        for (int b = 0; b < m->n_bodies; b++) {
            const myr_body *body = &m->bodies[b];
            if (body->joint != MYR_JOINT_FREE && body->joint != MYR_JOINT_BALL) continue;
            const double *p = q + i * m->nq + body->q + (body->joint == MYR_JOINT_FREE ? 3 : 0);
            const double square = p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3];
            if (square < 1e-12 || !isfinite(square))
                return myr_fail(MYR_E_ARG, "q of state %lld: the quaternion of joint `%s` has length %g, which is not a rotation",
                                (long long)i, body->joint_name, sqrt(square));
        }
    return MYR_OK;
}

/* What both calls begin with. */
static myr_status check(const char *call, const myr_model *m, const myr_settings *settings, int64_t n, const double *q, const double *out,
                        const myr_kernels **kernels) {
    if (!m) return myr_fail(MYR_E_ARG, "%s: model is NULL", call);
    if (n < 0) return myr_fail(MYR_E_ARG, "%s: n is %lld; it may not be negative", call, (long long)n);
    if (n > 0 && (!q || !out)) return myr_fail(MYR_E_ARG, "%s: %s is NULL", call, q ? "the array to write to" : "q");
    myr_status status = myr_resolve_kernels(settings, kernels);
    if (!status) status = check_numbers("q", q, n, m->nq, (*kernels)->precision);
    return status ? status : check_rotations(m, q, n);
}

/* The state of a lane of the tile that begins with state `first`: idle lanes repeat the last one. */
static int64_t state_of(const myr_states *s, int64_t first, int64_t n, int lane) {
    const int64_t used = n - first < s->layout.lanes ? n - first : s->layout.lanes;
    return first + (lane < used ? lane : used - 1);
}

myr_status myr_inverse_dynamics(const myr_model *model, const myr_settings *settings, int64_t n, const double *q, const double *v,
                                const double *acceleration, double *tau) {
    MYR_OWN_ARITHMETIC;
    const myr_kernels *kernels;
    myr_states s;
    myr_status status = check("myr_inverse_dynamics", model, settings, n, q, tau, &kernels);
    if (!status) status = check_numbers("v", v, n, model->nv, kernels->precision);
    if (!status) status = check_numbers("acceleration", acceleration, n, model->nv, kernels->precision);
    const int nv = model ? model->nv : 0;
    if (!status) status = myr_states_init(&s, model, kernels, 2 * nv);
    if (status) return status;
    void *out = (char *)s.rows + (size_t)nv * MYR_ROW_BYTES;
    for (int64_t first = 0; first < n; first += s.layout.lanes) {
        for (int lane = 0; lane < s.layout.lanes; lane++) {
            const int64_t state = state_of(&s, first, n, lane);
            myr_states_put_state(&s, lane, q + state * model->nq, v ? v + state * nv : NULL);
            for (int k = 0; k < nv; k++) myr_states_put(&s, s.rows, k, lane, acceleration ? acceleration[state * nv + k] : 0);
        }
        kernels->inverse_tile(s.robot, s.workspace, s.tile, s.rows, out);
        for (int lane = 0; lane < s.layout.lanes && first + lane < n; lane++)
            for (int k = 0; k < nv; k++) tau[(first + lane) * nv + k] = myr_states_get(&s, out, k, lane);
    }
    myr_states_free(&s);
    return MYR_OK;
}

myr_status myr_frame_jacobian(const myr_model *model, const myr_settings *settings, int frame, int64_t n, const double *q,
                              double *jacobian) {
    MYR_OWN_ARITHMETIC;
    const myr_kernels *kernels;
    myr_states s;
    myr_status status = check("myr_frame_jacobian", model, settings, n, q, jacobian, &kernels);
    if (!status && (frame < 0 || frame >= model->n_frames))
        status = myr_fail(MYR_E_ARG, "frame %d: model `%s` has %d frames", frame, model->name, model->n_frames);
    const int numbers = model ? 6 * model->nv : 0;
    if (!status) status = myr_states_init(&s, model, kernels, numbers);
    if (status) return status;
    const myr_frame *f = &model->frames[frame];
    double at[3] = {0};
    if (f->body >= 0) myr_rotate(at, model->bodies[f->body].align, f->position);
    for (int64_t first = 0; first < n; first += s.layout.lanes) {
        for (int lane = 0; lane < s.layout.lanes; lane++)
            myr_states_put_state(&s, lane, q + state_of(&s, first, n, lane) * model->nq, NULL);
        kernels->jacobian_tile(s.robot, s.workspace, s.tile, f->body, at, s.rows);
        for (int lane = 0; lane < s.layout.lanes && first + lane < n; lane++)
            for (int k = 0; k < numbers; k++) jacobian[(first + lane) * numbers + k] = myr_states_get(&s, s.rows, k, lane);
    }
    myr_states_free(&s);
    return MYR_OK;
}

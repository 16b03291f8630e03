#include "batch/legal.h"

#include <float.h>
#include <math.h>

#include "layouts/inertial.h"
#include "layouts/pack.h"
#include "model/inertia.h"

/* Every parameter must be finite. Of some, a negative number has no meaning: the others are here so that a reader finds all of them. */
static const struct {
    int not_negative;
} laws[MYR_ROWS_COUNT] = {
    [MYR_ROWS_delay] = {1},          [MYR_ROWS_kp] = {1},       [MYR_ROWS_kd] = {1},       [MYR_ROWS_damping] = {1},
    [MYR_ROWS_armature] = {1},       [MYR_ROWS_friction] = {1}, [MYR_ROWS_gravity] = {0},  [MYR_ROWS_inertial] = {0} /* see below */,
    [MYR_ROWS_dry_friction] = {1},   [MYR_ROWS_world_at] = {0}, [MYR_ROWS_strength] = {1}, [MYR_ROWS_encoder_bias] = {0},
    [MYR_ROWS_group_friction] = {1},
};

/* Limits may be infinite, and the lower one not above the upper. */
static int legal_limits(const myr_layout *layout, void *tile, int lane) {
    for (int k = 0; k < layout->count[MYR_ROWS_lower]; k++) {
        const double lower = myr_tile_load(layout, tile, layout->first[MYR_ROWS_lower] + k, lane),
                     upper = myr_tile_load(layout, tile, layout->first[MYR_ROWS_upper] + k, lane);
        if (!(lower <= upper) || lower == (double)INFINITY || upper == (double)-INFINITY) return 0;
    }
    return 1;
}

static int legal_rows(const myr_layout *layout, void *tile, int lane, int field) {
    for (int k = 0; k < layout->count[field]; k++) {
        const double x = myr_tile_load(layout, tile, layout->first[field] + k, lane);
        if (!isfinite(x) || (laws[field].not_negative && x < 0)) return 0;
    }
    return 1;
}

static int is_positive_definite(const double I[6]) {
    const double minor = I[0] * I[1] - I[3] * I[3];
    const double det = I[2] * minor - I[0] * I[5] * I[5] - I[1] * I[4] * I[4] + 2 * I[3] * I[4] * I[5];
    return I[0] > 0 && minor > 0 && det > 0;
}

/* A mass is positive, and no principal moment about the centre of mass is negative. What the loader let pass with a warning stays legal: a
 * body without mass, or the negative moments of a published robot. `rounding`: of the rows, which hold moments about the body's origin. */
static int legal_inertia(const myr_body *body, const double rows[MYR_INERTIAL_ROWS], double rounding) {
    double I[6], moments[3], own[3], largest = 0;
    if (rows[0] < 0 || (rows[0] == 0 && body->mass > 0)) return 0;
    myr_inertial_inertia(body, rows, I);
    if (is_positive_definite(I)) return 1;
    for (int k = 4; k < MYR_INERTIAL_ROWS; k++) largest = fmax(largest, fabs(rows[k]));
    myr_inertia_principal(I, moments);
    myr_inertia_principal(body->inertia, own);
    return moments[0] >= fmin(own[0], 0) - rounding * largest; /* false for NaN */
}

static int legal_bodies(const myr_model *model, const myr_layout *layout, void *tile, int lane) {
    const double rounding = 64 * (layout->precision == 4 ? (double)FLT_EPSILON : DBL_EPSILON);
    for (int i = 0; i < model->n_bodies; i++) {
        double rows[MYR_INERTIAL_ROWS];
        for (int k = 0; k < MYR_INERTIAL_ROWS; k++)
            rows[k] = myr_tile_load(layout, tile, layout->first[MYR_ROWS_inertial] + MYR_INERTIAL_ROWS * i + k, lane);
        if (!legal_inertia(&model->bodies[i], rows, rounding)) return 0;
    }
    return 1;
}

/* Inertias that were never set are the model's, and legal. */
static int legal(const myr_model *model, const myr_layout *layout, const myr_step_options *options, void *tile, int lane) {
    for (int f = 0; f < MYR_ROWS_COUNT; f++)
        if (myr_fields[f].access == MYR_ACCESS_PARAM && f != MYR_ROWS_lower && f != MYR_ROWS_upper && !legal_rows(layout, tile, lane, f))
            return 0;
    if (!legal_limits(layout, tile, lane)) return 0;
    return !(options->varied & MYR_VARIED_INERTIAL) || legal_bodies(model, layout, tile, lane);
}

void myr_judge_parameters(const myr_model *model, const myr_layout *layout, const myr_step_options *options, void *tile,
                          myr_tile_meta *meta, unsigned lanes) {
    const unsigned judged = meta->changed & lanes;
    for (int lane = 0; lane < layout->lanes; lane++)
        if ((judged >> lane & 1u) && meta->quarantine[lane] == MYR_HEALTHY && !legal(model, layout, options, tile, lane))
            meta->quarantine[lane] = MYR_QUARANTINE_PARAMETER;
    meta->changed &= (uint16_t)~judged;
}

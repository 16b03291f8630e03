/* A fluid: which numbers are taken, and the boxes that it drags at, MuJoCo's model of inertia boxes (docs/fluid.md). */
#include <math.h>

#include "description.h"
#include "inertia.h"
#include "base/memory.h"

myr_status myr_builder_fluid(myr_builder *builder, const myr_fluid *fluid) {
    MYR_OWN_ARITHMETIC;
    if (!builder || !fluid) return myr_fail(MYR_E_ARG, "myr_builder_fluid: `%s` is NULL", builder ? "fluid" : "builder");
    const struct {
        const char *what;
        double value;
        int may_be_negative;
    } numbers[] = {{"density", fluid->density, 0},
                   {"viscosity", fluid->viscosity, 0},
                   {"wind[0]", fluid->wind[0], 1},
                   {"wind[1]", fluid->wind[1], 1},
                   {"wind[2]", fluid->wind[2], 1}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (!isfinite(numbers[i].value) || (numbers[i].value < 0.0 && !numbers[i].may_be_negative))
            return myr_fail(MYR_E_ARG, "fluid: %s is %g; it must be finite%s", numbers[i].what, numbers[i].value,
                            numbers[i].may_be_negative ? "" : " and not negative");
    builder->fluid = *fluid;
    return MYR_OK;
}

/* Of a moment of 0: what drags at nothing stops it at once. A float holds it times any drag. */
#define LIGHTEST 1e20

/* The sides of the box of even density that has a body's mass and principal moments. */
static void fill(const myr_model *m, const myr_described_body *from, const myr_carried *place, myr_drag *to) {
    double moment[3];
    myr_pose own = myr_pose_identity();
    myr_copy3(own.position, from->com);
    myr_inertia_axes(from->inertia, moment, own.rotation);
    const myr_carried at = {.body = place->body, .pose = myr_pose_compose(&place->pose, &own)};
    to->of = myr_fix_frame(m, &at);
    for (int k = 0; k < 3; k++) {
        const double square = 6.0 * (moment[(k + 1) % 3] + moment[(k + 2) % 3] - moment[k]) / from->mass;
        to->side[k] = square > 0.0 ? sqrt(square) : 0.0;
        to->lightness[k] = 1.0 / from->mass, to->lightness[3 + k] = moment[k] > 0.0 ? fmin(1.0 / moment[k], LIGHTEST) : LIGHTEST;
    }
}

myr_status myr_find_drags(const myr_builder *builder, myr_model *m, const myr_carried *places) {
    m->fluid = builder->fluid;
    if (!myr_drags(&m->fluid)) return MYR_OK;
    m->drags = myr_allocate_array((size_t)builder->n_bodies + 1, sizeof *m->drags);
    if (!m->drags) return myr_fail(MYR_E_MEMORY, "out of memory for model `%s`", m->name);
    for (int i = 0; i < builder->n_bodies; i++)
        if (places[i].body >= 0 && builder->bodies[i].mass > 0.0) fill(m, &builder->bodies[i], &places[i], &m->drags[m->n_drags++]);
    return MYR_OK;
}

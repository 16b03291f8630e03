/* Loops and couplings from C calls: every argument is checked here, as in builder.c. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "description.h"
#include "base/memory.h"

myr_loop_def myr_loop_def_default(void) {
    const myr_loop_def def = {.type = MYR_LOOP_BALL,
                              .body = -1,
                              .other = -1,
                              .quaternion = {1.0, 0.0, 0.0, 0.0},
                              .other_quaternion = {1.0, 0.0, 0.0, 0.0},
                              .axis = {1.0, 0.0, 0.0}};
    return def;
}

myr_coupling_def myr_coupling_def_default(void) {
    const myr_coupling_def def = {.driver = -1};
    return def;
}

const char *myr_describe_loop(const myr_builder *builder, int loop, char *buffer, size_t bytes) {
    const myr_described_loop *l = &builder->loops[loop];
    const char *kind = l->type == MYR_LOOP_COUPLING ? "coupling" : "loop";
    if (builder->label && l->line)
        snprintf(buffer, bytes, "%s:%d: %s `%s`", builder->label, l->line, kind, l->name);
    else
        snprintf(buffer, bytes, "%s `%s`", kind, l->name);
    return buffer;
}

int myr_loop_rows(myr_loop_type type) {
    static const int rows[] = {[MYR_LOOP_BALL] = 3, [MYR_LOOP_REVOLUTE] = 5, [MYR_LOOP_FIXED] = 6, [MYR_LOOP_COUPLING] = 1};
    return rows[type];
}

static myr_status check_new(const myr_builder *builder, const char *kind, const char *name, myr_loop_type type) {
    int rows = myr_loop_rows(type);
    if (!name || !*name) return myr_fail(MYR_E_ARG, "a %s needs a name", kind);
    if (myr_has_loop(builder, name)) return myr_fail(MYR_E_ARG, "%s `%s`: another one has this name", kind, name);
    for (int i = 0; i < builder->n_loops; i++) rows += myr_loop_rows(builder->loops[i].type);
    if (rows > MYR_MAX_LOOP_ROWS)
        return myr_fail(MYR_E_LIMIT, "%s `%s`: the loops of a model have at most %d rows together", kind, name, MYR_MAX_LOOP_ROWS);
    return MYR_OK;
}

static myr_status add(myr_builder *builder, const char *kind, const char *name, myr_described_loop *loop) {
    loop->name = myr_copy_text(name);
    return myr_push_loop(builder, loop) ? MYR_OK : myr_fail(MYR_E_MEMORY, "out of memory for %s `%s`", kind, name);
}

myr_status myr_builder_loop(myr_builder *builder, const myr_loop_def *def) {
    MYR_OWN_ARITHMETIC;
    if (!builder || !def) return myr_fail(MYR_E_ARG, "myr_builder_loop: `%s` is NULL", builder ? "def" : "builder");
    const char *name = def->name ? def->name : "";
    if ((int)def->type < MYR_LOOP_BALL || def->type > MYR_LOOP_FIXED)
        return myr_fail(MYR_E_ARG, "loop `%s`: type %d is not a loop of two bodies: ball, revolute or fixed", name, (int)def->type);
    myr_status status = check_new(builder, "loop", def->name, def->type);
    if (status) return status;
    if (def->body < 0 || def->body >= builder->n_bodies || def->other < -1 || def->other >= builder->n_bodies)
        return myr_fail(MYR_E_ARG,
                        "loop `%s`: body is %d and other is %d; bodies added before have ids 0..%d, the world is -1 and comes second", name,
                        def->body, def->other, builder->n_bodies - 1);
    if (def->body == def->other) return myr_fail(MYR_E_ARG, "loop `%s`: both ends are on body `%s`", name, builder->bodies[def->body].name);
    myr_described_loop loop = {.type = def->type, .body = def->body, .other = def->other, .driver = -1};
    if ((status = myr_make_pose(&loop.pose[0], def->position_m, def->quaternion, name))) return status;
    if ((status = myr_make_pose(&loop.pose[1], def->other_position_m, def->other_quaternion, name))) return status;
    if (def->type == MYR_LOOP_REVOLUTE && (status = myr_unit_vector(loop.axis, def->axis, 3, name, "axis"))) return status;
    return add(builder, "loop", def->name, &loop);
}

myr_status myr_check_joint(const myr_builder *builder, const char *kind, const char *name, int body, const char *what) {
    if (body < 0 || body >= builder->n_bodies)
        return myr_fail(MYR_E_ARG, "%s `%s`: %s is %d; bodies added before have ids 0..%d", kind, name, what, body, builder->n_bodies - 1);
    const myr_described_body *b = &builder->bodies[body];
    if (b->joint != MYR_JOINT_REVOLUTE && b->joint != MYR_JOINT_PRISMATIC)
        return myr_fail(MYR_E_ARG, "%s `%s`: joint `%s` is not of one degree of freedom", kind, name, b->joint_name);
    return MYR_OK;
}

/* Squares of what couplings count must fit a float. */
static const double most_coefficient = 1e15;

myr_status myr_builder_coupling(myr_builder *builder, const myr_coupling_def *def) {
    MYR_OWN_ARITHMETIC;
    if (!builder || !def) return myr_fail(MYR_E_ARG, "myr_builder_coupling: `%s` is NULL", builder ? "def" : "builder");
    myr_status status = check_new(builder, "coupling", def->name, MYR_LOOP_COUPLING);
    if (status) return status;
    if (def->n < 1 || def->n > MYR_COUPLED_JOINTS)
        return myr_fail(MYR_E_ARG, "coupling `%s`: n is %d, but must be 1 to %d", def->name, def->n, MYR_COUPLED_JOINTS);
    myr_described_loop loop = {.type = MYR_LOOP_COUPLING, .body = -1, .other = -1, .n = def->n, .driver = def->driver};
    double largest = 0.0;
    for (int i = 0; i < def->n; i++) {
        if ((status = myr_check_joint(builder, "coupling", def->name, def->joints[i], "a joint"))) return status;
        for (int k = 0; k < i; k++)
            if (def->joints[k] == def->joints[i])
                return myr_fail(MYR_E_ARG, "coupling `%s`: joint `%s` comes twice", def->name, builder->bodies[def->joints[i]].joint_name);
        if (!(fabs(def->coefficients[i]) <= most_coefficient))
            return myr_fail(MYR_E_ARG, "coupling `%s`: coefficients[%d] is %g, but must be a number of at most %g", def->name, i,
                            def->coefficients[i], most_coefficient);
        loop.joints[i] = def->joints[i];
        loop.coefficients[i] = def->coefficients[i];
        largest = fmax(largest, fabs(def->coefficients[i]));
        if (def->joints[i] == def->driver) return myr_fail(MYR_E_ARG, "coupling `%s`: its driver is one of its joints", def->name);
    }
    if (largest == 0.0) return myr_fail(MYR_E_ARG, "coupling `%s`: all coefficients are zero", def->name);
    if (def->driver != -1 && (status = myr_check_joint(builder, "coupling", def->name, def->driver, "driver"))) return status;
    for (int k = 0; k < 5; k++) {
        if (!(fabs(def->polynomial[k]) <= most_coefficient))
            return myr_fail(MYR_E_ARG, "coupling `%s`: polynomial[%d] is %g, but must be a number of at most %g", def->name, k,
                            def->polynomial[k], most_coefficient);
        loop.polynomial[k] = def->polynomial[k];
    }
    return add(builder, "coupling", def->name, &loop);
}

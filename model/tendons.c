/* Tendons: from C calls, where every argument is checked, to rows of a compiled model. */
#include <math.h>
#include <string.h>

#include "description.h"
#include "base/memory.h"

/* Squares of what a row counts must fit a float. */
static const double most_coefficient = 1e15;

myr_tendon_def myr_tendon_def_default(void) {
    const myr_tendon_def def = {.lower = -INFINITY, .upper = INFINITY};
    return def;
}

static myr_status check_terms(const myr_builder *builder, const myr_tendon_def *def) {
    double largest = 0.0;
    for (int i = 0; i < def->n; i++) {
        const myr_status status = myr_check_joint(builder, "tendon", def->name, def->joints[i], "a joint");
        if (status) return status;
        for (int k = 0; k < i; k++)
            if (def->joints[k] == def->joints[i])
                return myr_fail(MYR_E_ARG, "tendon `%s`: joint `%s` comes twice", def->name, builder->bodies[def->joints[i]].joint_name);
        if (!(fabs(def->coefficients[i]) <= most_coefficient))
            return myr_fail(MYR_E_ARG, "tendon `%s`: coefficients[%d] is %g, but must be a number of at most %g", def->name, i,
                            def->coefficients[i], most_coefficient);
        largest = fmax(largest, fabs(def->coefficients[i]));
    }
    return largest > 0.0 ? MYR_OK : myr_fail(MYR_E_ARG, "tendon `%s`: all coefficients are zero", def->name);
}

static myr_status check_tendon(const myr_builder *builder, const myr_tendon_def *def) {
    if (!def->name || !*def->name) return myr_fail(MYR_E_ARG, "a tendon needs a name");
    if (myr_has_tendon(builder, def->name)) return myr_fail(MYR_E_ARG, "tendon `%s`: another one has this name", def->name);
    if (def->n < 1 || def->n > MYR_COUPLED_JOINTS)
        return myr_fail(MYR_E_ARG, "tendon `%s`: n is %d, but must be 1 to %d", def->name, def->n, MYR_COUPLED_JOINTS);
    if (!(def->lower <= def->upper)) return myr_fail(MYR_E_ARG, "tendon `%s`: lower is %g and upper %g", def->name, def->lower, def->upper);
    if (!(def->dry_friction >= 0.0 && def->dry_friction <= most_coefficient))
        return myr_fail(MYR_E_ARG, "tendon `%s`: dry_friction is %g, but must be 0 to %g", def->name, def->dry_friction, most_coefficient);
    if (!isfinite(def->lower) && !isfinite(def->upper) && def->dry_friction == 0.0)
        return myr_fail(MYR_E_ARG, "tendon `%s`: it has no limit and no friction, and would do nothing", def->name);
    return check_terms(builder, def);
}

myr_status myr_builder_tendon(myr_builder *builder, const myr_tendon_def *def) {
    MYR_OWN_ARITHMETIC;
    if (!builder || !def) return myr_fail(MYR_E_ARG, "myr_builder_tendon: `%s` is NULL", builder ? "def" : "builder");
    const myr_status status = check_tendon(builder, def);
    if (status) return status;
    myr_described_tendon tendon = {myr_copy_text(def->name), *def};
    tendon.def.name = NULL;
    return myr_push_tendon(builder, &tendon) ? MYR_OK : myr_fail(MYR_E_MEMORY, "out of memory for tendon `%s`", def->name);
}

/* Of one joint the row's velocity is what the farthest thing moves; of several, that by the joint that moves most for the tendon's length.
 */
static double length_of(const myr_model *m, const myr_joint_row *row, const myr_pose *poses) {
    double moved = 0.0, square = 0.0;
    for (int i = 0; i < row->n_terms; i++) {
        moved += fabs(row->coefficient[i]) * myr_row_length(m, row->joint[i], poses);
        square += row->coefficient[i] * row->coefficient[i];
    }
    return moved / square;
}

void myr_find_tendons(const myr_builder *builder, myr_model *m, const myr_carried *places, const myr_pose *poses,
                      const unsigned char *folded) {
    for (int t = 0; t < builder->n_tendons; t++) {
        if (folded[t]) continue;
        const myr_tendon_def *def = &builder->tendons[t].def;
        myr_joint_row row = {.lower = def->lower, .upper = def->upper, .friction = def->dry_friction, .name = builder->tendons[t].name};
        for (int i = 0; i < def->n; i++) {
            if (def->coefficients[i] == 0.0) continue;
            row.joint[row.n_terms] = places[def->joints[i]].body;
            row.coefficient[row.n_terms++] = def->coefficients[i];
        }
        row.body = row.joint[0], row.q = m->bodies[row.body].q, row.dof = m->bodies[row.body].v;
        row.length = length_of(m, &row, poses);
        m->rows[m->n_rows++] = row;
    }
}

void myr_name_tendons(myr_model *m, const myr_builder *builder) {
    for (int k = 0; k < m->n_rows; k++)
        for (int t = 0; m->rows[k].n_terms && t < builder->n_tendons; t++)
            if (m->rows[k].name == builder->tendons[t].name) {
                m->rows[k].name = m->description->tendons[t].name;
                break;
            }
}

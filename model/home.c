/* Where the bodies are, and where the robot stands when nobody said otherwise. */
#include <math.h>

#include "description.h"
#include "memory.h"

static void put_on_ground(myr_model *m, int root, const myr_pose *poses) {
    double lowest = INFINITY;
    if (m->bodies[root].has_home) return;
    for (int g = 0; g < m->n_geoms; g++)
        if (m->geoms[g].body >= 0 && m->bodies[m->geoms[g].body].tree == m->bodies[root].tree)
            lowest = fmin(lowest, myr_lowest_point(m, g, poses));
    if (m->quadruped.valid) {
        lowest = INFINITY;
        for (int leg = 0; leg < 4; leg++) lowest = fmin(lowest, myr_lowest_point(m, m->quadruped.foot_geom[leg], poses));
    }
    if (isfinite(lowest)) m->home[m->bodies[root].q + 2] = 0.0 - lowest;
}

/* What the joints by themselves make of it. */
static void rest_pose(myr_model *m) {
    for (int i = 0; i < m->n_bodies; i++) {
        for (int k = 0; k < m->bodies[i].nq; k++) m->home[m->bodies[i].q + k] = 0.0;
        if (m->bodies[i].joint == MYR_JOINT_FREE) m->home[m->bodies[i].q + 3] = 1.0;
        if (m->bodies[i].has_home) memcpy(m->home + m->bodies[i].q, m->bodies[i].home, sizeof m->bodies[i].home);
        if (m->bodies[i].joint == MYR_JOINT_BALL) m->home[m->bodies[i].q] = 1.0;
        if (m->bodies[i].nq == 1) m->home[m->bodies[i].q] = myr_rest(&m->bodies[i]);
    }
    for (int leg = 0; leg < 4 && m->quadruped.valid; leg++)
        for (int k = 0; k < 3; k++)
            if (m->quadruped.joint[leg][k] >= 0) m->home[m->bodies[m->quadruped.joint[leg][k]].q] = m->quadruped.home[leg][k];
}

/* Loops and couplings closed: within the limits of the joints, or beyond them where that is the only way, with a warning. */
static myr_status close_loops(const myr_builder *builder, myr_model *m, myr_texts *warnings) {
    static const double open = 1e-9; /* [m] */
    double left = 0.0;
    int worst = 0;
    char where[512];
    if (!m->n_loops) return MYR_OK;
    myr_status status = myr_close_home(m, 1, &left, &worst);
    if (status || left <= open) return status;
    rest_pose(m);
    if ((status = myr_close_home(m, 0, &left, &worst))) return status;
    if (!(left <= open))
        return myr_fail(builder->label ? MYR_E_FORMAT : MYR_E_ARG,
                        "%s: it does not close: in the nearest pose that was found it is open by %.3g m or rad",
                        myr_describe_loop(builder, worst, where, sizeof where), left);
    return myr_texts_add(warnings, "`%s`: its loops close only beyond the position limits of joints, and so does its home pose", m->name);
}

myr_status myr_find_home(const myr_builder *builder, myr_model *m, myr_texts *warnings) {
    rest_pose(m);
    const myr_status status = close_loops(builder, m, warnings);
    if (status) return status;
    myr_pose *poses = myr_allocate_array((size_t)m->n_bodies, sizeof *poses);
    if (!poses) return myr_fail(MYR_E_MEMORY, "out of memory for model `%s`", m->name);
    myr_model_poses(m, m->home, poses);
    for (int tree = 0; tree < m->n_trees; tree++)
        if (m->bodies[m->tree_root[tree]].joint == MYR_JOINT_FREE) put_on_ground(m, m->tree_root[tree], poses);
    myr_release(poses);
    return MYR_OK;
}

/* Where the bodies are, and where the robot stands unless told otherwise. */
#include <math.h>

#include "description.h"
#include "base/memory.h"

/* Loops may tie trees to each other: those then rise and sink together, as one. `group` (n_trees) receives of each tree the first one that
 * is tied to it, -1 where it is not to be moved: a tree fixed to the world, one that was placed (unless `placed`), or one that is tied
 * to either. */
static void group_trees(const myr_model *m, int placed, int *group) {
    for (int t = 0; t < m->n_trees; t++) {
        const myr_body *root = &m->bodies[m->tree_root[t]];
        group[t] = root->joint == MYR_JOINT_FREE && (placed || !root->has_home) ? t : -1;
    }
    for (int k = 0; k < m->n_loops; k++) {
        const myr_loop *loop = &m->loops[k];
        if (loop->type == MYR_LOOP_COUPLING) continue;
        const int one = group[m->bodies[loop->body[0]].tree], other = loop->body[1] < 0 ? -1 : group[m->bodies[loop->body[1]].tree];
        const int from = one > other ? one : other, to = one > other ? other : one;
        for (int t = 0; t < m->n_trees && from >= 0; t++)
            if (group[t] == from) group[t] = to;
    }
}

static double lowest_of_group(const myr_model *m, const int *group, int which, const myr_pose *poses) {
    double lowest = INFINITY;
    for (int g = 0; g < m->n_geoms; g++)
        if (m->geoms[g].body >= 0 && group[m->bodies[m->geoms[g].body].tree] == which) lowest = fmin(lowest, myr_lowest_point(m, g, poses));
    return lowest;
}

static void raise_group(myr_model *m, const int *group, int which, double height) {
    for (int t = 0; t < m->n_trees; t++)
        if (group[t] == which) m->home[m->bodies[m->tree_root[t]].q + 2] += height;
}

static void put_on_ground(myr_model *m, const int *group, int which, const myr_pose *poses) {
    double lowest = lowest_of_group(m, group, which, poses);
    if (m->quadruped.valid) {
        lowest = INFINITY;
        for (int leg = 0; leg < 4; leg++) lowest = fmin(lowest, myr_lowest_point(m, m->quadruped.foot_geom[leg], poses));
    }
    if (isfinite(lowest)) raise_group(m, group, which, m->floor - lowest);
}

/* What the joints by themselves make of it. */
static void rest_pose(myr_model *m) {
    for (int i = 0; i < m->n_bodies; i++) {
        for (int k = 0; k < m->bodies[i].nq; k++) m->home[m->bodies[i].q + k] = 0.0;
        if (m->bodies[i].joint == MYR_JOINT_FREE) m->home[m->bodies[i].q + 3] = 1.0;
        if (m->bodies[i].joint == MYR_JOINT_BALL) m->home[m->bodies[i].q] = 1.0;
        if (m->bodies[i].nq == 1) m->home[m->bodies[i].q] = myr_rest(&m->bodies[i]);
    }
    for (int leg = 0; leg < 4 && m->quadruped.valid; leg++)
        for (int k = 0; k < 3; k++)
            if (m->quadruped.joint[leg][k] >= 0) m->home[m->bodies[m->quadruped.joint[leg][k]].q] = m->quadruped.home[leg][k];
    for (int i = 0; i < m->n_bodies; i++)
        if (m->bodies[i].has_home) memcpy(m->home + m->bodies[i].q, m->bodies[i].home, (size_t)m->bodies[i].nq * sizeof *m->home);
    for (int leg = 0; leg < 4 && m->quadruped.valid; leg++) /* gains are found for the pose that is home, the file's too */
        for (int k = 0; k < 3; k++)
            if (m->quadruped.joint[leg][k] >= 0) m->quadruped.home[leg][k] = m->home[m->bodies[m->quadruped.joint[leg][k]].q];
}

/* Every joint of one dof a little off its rest: where all lies on a straight line, no joint moves anything along it, and Newton's method
 * stands still however open a loop is. */
static void bend_pose(myr_model *m) {
    for (int i = 0; i < m->n_bodies; i++) {
        const myr_body *b = &m->bodies[i];
        if (b->nq != 1) continue;
        double *q = m->home + b->q;
        *q += 0.05 * (1 + i % 3) * (i % 2 ? -1.0 : 1.0);
        if (b->lower <= b->upper) *q = fmin(fmax(*q, b->lower), b->upper);
    }
}

/* Loops and couplings closed: within the limits of the joints, or beyond them where that is the only way, with a warning. */
static myr_status close_loops(const myr_builder *builder, myr_model *m, myr_texts *warnings) {
    static const double open = 1e-9, nearly = 1e-6; /* [m]; nearly: what numbers of six digits leave of rows that repeat each other */
    double left = 0.0;
    int worst = 0;
    char where[512];
    if (!m->n_loops) return MYR_OK;
    for (int attempt = 0; attempt < 4; attempt++) {
        const int clamp = attempt < 2, bent = attempt % 2;
        rest_pose(m);
        if (bent) bend_pose(m);
        const myr_status status = myr_close_home(m, clamp, &left, &worst);
        if (status || (clamp && left <= open)) return status;
        if (left <= open)
            return myr_texts_add(warnings, "`%s`: its loops close only beyond the position limits of joints, and so does its home pose",
                                 m->name);
        if (clamp && left <= nearly)
            return myr_texts_add(warnings, "%s: it closes but for %.3g m or rad: the numbers of its loops do not fit together",
                                 myr_describe_loop(builder, worst, where, sizeof where), left);
    }
    return myr_fail(builder->label ? MYR_E_FORMAT : MYR_E_ARG,
                    "%s: it does not close: in the nearest pose that was found it is open by %.3g m or rad",
                    myr_describe_loop(builder, worst, where, sizeof where), left);
}

static const double deepest = 1e-3; /* [m] that a shape may lie in the ground at home */

static myr_status find_lowest(myr_model *m) {
    myr_pose *poses = myr_allocate_array((size_t)m->n_bodies, sizeof *poses);
    if (!poses) return myr_fail(MYR_E_MEMORY, "out of memory for model `%s`", m->name);
    m->lowest_at_home = INFINITY;
    myr_model_poses(m, m->home, poses);
    for (int g = 0; g < m->n_geoms; g++)
        if (m->geoms[g].body >= 0) m->lowest_at_home = fmin(m->lowest_at_home, myr_lowest_point(m, g, poses));
    m->hangs_below = m->lowest_at_home < m->floor - deepest;
    for (int t = 0; t < m->n_trees; t++) m->hangs_below &= m->bodies[m->tree_root[t]].joint != MYR_JOINT_FREE;
    myr_release(poses);
    return MYR_OK;
}

static myr_status take_out(myr_model *m, myr_sunk sunk, int *group, myr_pose *poses, myr_texts *warnings) {
    const int raise = sunk == MYR_SUNK_RAISED;
    group_trees(m, 1, group);
    myr_model_poses(m, m->home, poses);
    for (int t = 0; t < m->n_trees; t++) {
        const double depth = group[t] == t ? m->floor - lowest_of_group(m, group, t, poses) : 0.0;
        if (!(depth > deepest) || sunk == MYR_SUNK_LATER) continue;
        if (raise) raise_group(m, group, t, depth);
        const myr_status status =
            myr_texts_add(warnings, "`%s`: body `%s` would begin %.3g m in the ground: %s", m->name, m->bodies[m->tree_root[t]].name, depth,
                          raise ? "its home pose is raised by that" : "contacts leave it there, unless the setting baumgarte moves it out");
        if (status) return status;
    }
    return MYR_OK;
}

myr_status myr_home_in_ground(myr_model *m, myr_sunk sunk, myr_texts *warnings) {
    myr_pose *poses = myr_allocate_array((size_t)m->n_bodies, sizeof *poses);
    int *group = myr_allocate_array((size_t)m->n_trees, sizeof *group);
    const myr_status status =
        poses && group ? take_out(m, sunk, group, poses, warnings) : myr_fail(MYR_E_MEMORY, "out of memory for model `%s`", m->name);
    myr_release(poses);
    myr_release(group);
    return status ? status : find_lowest(m);
}

myr_status myr_find_home(const myr_builder *builder, myr_model *m, myr_texts *warnings) {
    rest_pose(m);
    const myr_status status = close_loops(builder, m, warnings);
    if (status) return status;
    myr_pose *poses = myr_allocate_array((size_t)m->n_bodies, sizeof *poses);
    int *group = myr_allocate_array((size_t)m->n_trees, sizeof *group);
    if (poses && group) {
        group_trees(m, 0, group);
        myr_model_poses(m, m->home, poses);
        for (int tree = 0; tree < m->n_trees; tree++)
            if (group[tree] == tree) put_on_ground(m, group, tree, poses);
    }
    const int ok = poses && group;
    myr_release(poses);
    myr_release(group);
    if (!ok) return myr_fail(MYR_E_MEMORY, "out of memory for model `%s`", m->name);
    return myr_home_in_ground(m, builder->sunk, warnings);
}

/* The loops of a model: which moving bodies they hold, where on them, and along which axes their rows are taken. */
#include <math.h>

#include "description.h"
#include "base/memory.h"

/* Bodies of both ends; the world comes second. */
static myr_status place_ends(const myr_builder *builder, const myr_model *m, const myr_carried *places, int k, myr_loop *loop) {
    const myr_described_loop *from = &builder->loops[k];
    const myr_carried world = {.body = -1, .pose = myr_pose_identity()};
    const myr_carried *ends[2] = {&places[from->body], from->other < 0 ? &world : &places[from->other]};
    const int swap = ends[0]->body < 0;
    for (int e = 0; e < 2; e++) {
        const myr_carried *end = ends[swap ? 1 - e : e];
        const myr_pose pose = myr_pose_compose(&end->pose, &from->pose[swap ? 1 - e : e]);
        loop->body[e] = end->body;
        myr_copy3(loop->at[e], pose.position);
        memcpy(loop->turn[e], pose.rotation, sizeof loop->turn[e]);
        if (end->body < 0) continue;
        myr_rotate(loop->at[e], m->bodies[end->body].align, loop->at[e]);
        myr_multiply3(loop->turn[e], m->bodies[end->body].align, loop->turn[e]);
    }
    for (int i = 0; i < 6; i++)
        if (!isfinite(loop->at[i / 3][i % 3]))
            return myr_fail(builder->label ? MYR_E_FORMAT : MYR_E_ARG, "loop `%s`: its numbers are too large", loop->name);
    if (loop->body[0] != loop->body[1]) return MYR_OK;
    char where[512];
    return myr_fail(builder->label ? MYR_E_FORMAT : MYR_E_ARG, "%s: both ends are on %s%s%s: there is nothing to hold together",
                    myr_describe_loop(builder, k, where, sizeof where), loop->body[0] < 0 ? "the world" : "body `",
                    loop->body[0] < 0 ? "" : m->bodies[loop->body[0]].name, loop->body[0] < 0 ? "" : "`");
}

/* The direction that becomes the third axis, in the loop's frame. In a planar loop no hinge moves anything along a hinge's axis: with that
 * as the third axis the redundant rows are those of their own, zero to rounding, and the two that are left are as good as they can be. */
static void third_axis(const myr_model *m, const myr_described_loop *from, const myr_loop *loop, double z[3]) {
    z[0] = z[1] = 0.0, z[2] = 1.0;
    if (from->type == MYR_LOOP_REVOLUTE) {
        myr_copy3(z, from->axis);
        return;
    }
    for (int e = 0; e < 2; e++) {
        if (loop->body[e] < 0 || m->bodies[loop->body[e]].joint != MYR_JOINT_REVOLUTE) continue;
        double back[9];
        myr_transpose3(back, loop->turn[e]);
        myr_rotate(z, back, m->bodies[loop->body[e]].axis);
        return;
    }
}

/* Turn the loop's frame on both bodies so that its third axis is z. */
static void turn_axes(myr_loop *loop, const double z[3]) {
    int least = 0;
    for (int k = 1; k < 3; k++)
        if (fabs(z[k]) < fabs(z[least])) least = k;
    double x[3], y[3], square = 0.0, turn[9];
    for (int k = 0; k < 3; k++) x[k] = (k == least) - z[least] * z[k], square += x[k] * x[k];
    for (int k = 0; k < 3; k++) x[k] /= sqrt(square);
    for (int k = 0; k < 3; k++) y[k] = z[(k + 1) % 3] * x[(k + 2) % 3] - z[(k + 2) % 3] * x[(k + 1) % 3];
    for (int k = 0; k < 3; k++) turn[3 * k] = x[k], turn[3 * k + 1] = y[k], turn[3 * k + 2] = z[k];
    for (int e = 0; e < 2; e++) myr_multiply3(loop->turn[e], loop->turn[e], turn);
}

static void place_coupling(const myr_described_loop *from, const myr_carried *places, myr_loop *loop) {
    loop->body[0] = loop->body[1] = -1;
    loop->n_terms = from->n;
    loop->driver = from->driver < 0 ? -1 : places[from->driver].body;
    for (int i = 0; i < from->n; i++) {
        loop->joint[i] = places[from->joints[i]].body;
        loop->coefficient[i] = from->coefficients[i];
    }
    memcpy(loop->polynomial, from->polynomial, sizeof loop->polynomial);
}

myr_status myr_find_loops(const myr_builder *builder, myr_model *m, const myr_carried *places) {
    if (!builder->n_loops) return MYR_OK;
    m->loops = myr_allocate_array((size_t)builder->n_loops, sizeof *m->loops);
    if (!m->loops) return myr_fail(MYR_E_MEMORY, "out of memory for model `%s`", m->name);
    for (int k = 0; k < builder->n_loops; k++) {
        const myr_described_loop *from = &builder->loops[k];
        myr_loop *loop = &m->loops[m->n_loops++];
        *loop = (myr_loop){.type = from->type, .row = m->n_loop_rows, .n_rows = myr_loop_rows(from->type), .length = 1.0, .driver = -1};
        m->n_loop_rows += loop->n_rows;
        loop->name = myr_copy_text(from->name);
        if (!loop->name) return myr_fail(MYR_E_MEMORY, "out of memory for model `%s`", m->name);
        if (from->type == MYR_LOOP_COUPLING) {
            place_coupling(from, places, loop);
            continue;
        }
        double z[3];
        const myr_status status = place_ends(builder, m, places, k, loop);
        if (status) return status;
        third_axis(m, from, loop, z);
        turn_axes(loop, z);
    }
    return MYR_OK;
}

/* ---- lengths, at home ------------------------------------------------------------------------- */

/* The distance from a loop's anchor of the farthest joint that moves the one end and not the other. */
static double loop_length(const myr_model *m, const myr_loop *loop, const myr_pose *poses) {
    double length = 0.01, anchor[3];
    myr_rotate(anchor, poses[loop->body[0]].rotation, loop->at[0]);
    for (int k = 0; k < 3; k++) anchor[k] += poses[loop->body[0]].position[k];
    for (int e = 0; e < 2; e++)
        for (int i = loop->body[e]; i >= 0; i = m->bodies[i].parent) {
            if (loop->body[1 - e] >= 0 && myr_carries(m, i, loop->body[1 - e])) break;
            double square = 0.0;
            for (int k = 0; k < 3; k++) square += (poses[i].position[k] - anchor[k]) * (poses[i].position[k] - anchor[k]);
            length = fmax(length, sqrt(square));
        }
    return length;
}

/* So that the row counts what the joint that moves most moves at its farthest. */
static double coupling_length(const myr_model *m, const myr_loop *loop, const myr_pose *poses) {
    double farthest = 0.0, largest = 0.0;
    for (int i = 0; i < loop->n_terms; i++) {
        if (loop->coefficient[i] == 0.0) continue;
        farthest = fmax(farthest, myr_row_length(m, loop->joint[i], poses));
        largest = fmax(largest, fabs(loop->coefficient[i]));
    }
    return farthest / largest;
}

myr_status myr_find_loop_lengths(myr_model *m) {
    if (!m->n_loops) return MYR_OK;
    myr_pose *poses = myr_allocate_array((size_t)m->n_bodies, sizeof *poses);
    if (!poses) return myr_fail(MYR_E_MEMORY, "out of memory for model `%s`", m->name);
    myr_model_poses(m, m->home, poses);
    for (int k = 0; k < m->n_loops; k++) {
        myr_loop *loop = &m->loops[k];
        loop->length = loop->type == MYR_LOOP_COUPLING ? coupling_length(m, loop, poses) : loop_length(m, loop, poses);
    }
    myr_release(poses);
    return MYR_OK;
}

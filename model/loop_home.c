/* The home pose of a model with loops: from the pose that the joints alone would have, the nearest one found by Newton's method in which
 * every loop closes. */
#include <math.h>

#include "description.h"
#include "base/memory.h"

enum { MOST_STEPS = 1000, PATIENCE = 40 }; /* steps within which it must get nearer */
static const double longest_step = 0.2;    /* [rad, m] of any dof: the equations are far from straight */
static const double closed = 1e-12;        /* [m] */

typedef struct newton {
    myr_model *m;
    myr_pose *poses;
    double *J;     /* n_loop_rows x nv */
    double *phi;   /* n_loop_rows: how far open */
    double *A;     /* n_loop_rows^2 */
    double *x;     /* n_loop_rows */
    double *delta; /* nv */
} newton;

/* Axis of dof k of a body in the world, and whether it slides. */
static int dof_axis(const newton *n, int body, int k, double axis[3]) {
    const myr_body *b = &n->m->bodies[body];
    double unit[3] = {k % 3 == 0, k % 3 == 1, k % 3 == 2};
    if (b->joint == MYR_JOINT_FREE && k < 3) {
        myr_copy3(axis, unit);
        return 1;
    }
    if (b->joint == MYR_JOINT_BALL) myr_rotate(unit, b->align, unit);
    myr_rotate(axis, n->poses[body].rotation, b->nv == 1 ? b->axis : unit);
    return b->joint == MYR_JOINT_PRISMATIC;
}

/* What end e of a loop adds to its rows: `axes` (3, 3) has the loop's axes as columns, world; x: where it holds. */
static void end_rows(const newton *n, const myr_loop *loop, int e, const double axes[9], const double x[3]) {
    const myr_model *m = n->m;
    const double sign = e ? -1.0 : 1.0;
    for (int i = loop->body[e]; i >= 0; i = m->bodies[i].parent) {
        if (loop->body[1 - e] >= 0 && myr_carries(m, i, loop->body[1 - e])) return; /* moves both ends */
        for (int k = 0; k < m->bodies[i].nv; k++) {
            double axis[3], arm[3], v[3], none[3] = {0.0, 0.0, 0.0};
            const int slides = dof_axis(n, i, k, axis);
            for (int j = 0; j < 3; j++) arm[j] = x[j] - n->poses[i].position[j];
            myr_cross3(v, axis, arm);
            for (int row = 0; row < loop->n_rows; row++) {
                const double *moved = row < 3 ? (slides ? axis : v) : slides ? none : axis;
                const double along[3] = {axes[row % 3], axes[3 + row % 3], axes[6 + row % 3]};
                n->J[(loop->row + row) * m->nv + m->bodies[i].v + k] += sign * (row < 3 ? 1.0 : loop->length) * myr_dot3(moved, along);
            }
        }
    }
}

static void loop_rows(const newton *n, const myr_loop *loop) {
    double axes[2][9], x[2][3];
    for (int e = 0; e < 2; e++) {
        const myr_pose here = myr_pose_identity(), *pose = loop->body[e] < 0 ? &here : &n->poses[loop->body[e]];
        myr_multiply3(axes[e], pose->rotation, loop->turn[e]);
        myr_rotate(x[e], pose->rotation, loop->at[e]);
        for (int k = 0; k < 3; k++) x[e][k] += pose->position[k];
    }
    for (int row = 0; row < 3; row++)
        for (int k = 0; k < 3; k++) n->phi[loop->row + row] += axes[0][3 * k + row] * (x[0][k] - x[1][k]);
    double back[9], turned[9], q[4];
    myr_transpose3(back, axes[1]);
    myr_multiply3(turned, back, axes[0]); /* of the first end seen from the second */
    myr_quaternion_from_rotation(q, turned);
    double tilt[3] = {-turned[5], turned[2], 0.0}; /* z x z', z' the first end's third axis, in the second's */
    if (turned[8] < 0.0) {                         /* more than a right angle: an axis that points the other way is not closed */
        const double size = sqrt(myr_dot3(tilt, tilt)), far = size > 1e-3 ? (2.0 - size) / size : 0.0;
        for (int k = 0; k < 3; k++) tilt[k] = far > 0.0 ? far * tilt[k] : 2.0 * (k == 0);
    }
    for (int row = 3; row < loop->n_rows; row++) {
        const double *column = tilt;
        double angle = 2.0 * q[row - 2] * (q[0] < 0.0 ? -1.0 : 1.0);
        if (loop->type == MYR_LOOP_REVOLUTE) angle = turned[row - 3] * column[0] + turned[3 + row - 3] * column[1];
        n->phi[loop->row + row] = loop->length * angle;
    }
    for (int e = 0; e < 2; e++) end_rows(n, loop, e, axes[0], x[1]); /* at one point: constraints/loops.lane.h */
}

static void coupling_row(const newton *n, const myr_loop *loop) {
    const myr_model *m = n->m;
    double *J = n->J + (size_t)loop->row * (size_t)m->nv, sum = 0.0;
    for (int i = 0; i < loop->n_terms; i++) {
        const myr_body *b = &m->bodies[loop->joint[i]];
        sum += loop->coefficient[i] * m->home[b->q];
        J[b->v] = loop->length * loop->coefficient[i];
    }
    const myr_body *driver = loop->driver < 0 ? NULL : &m->bodies[loop->driver];
    const double x = driver ? m->home[driver->q] : 0.0, *p = loop->polynomial;
    sum -= p[0] + x * (p[1] + x * (p[2] + x * (p[3] + x * p[4])));
    if (driver) J[driver->v] = -loop->length * (p[1] + x * (2.0 * p[2] + x * (3.0 * p[3] + x * 4.0 * p[4])));
    n->phi[loop->row] = loop->length * sum;
}

static void look(const newton *n) {
    const myr_model *m = n->m;
    myr_model_poses(m, m->home, n->poses);
    memset(n->J, 0, (size_t)m->n_loop_rows * (size_t)m->nv * sizeof *n->J);
    memset(n->phi, 0, (size_t)m->n_loop_rows * sizeof *n->phi);
    for (int k = 0; k < m->n_loops; k++) {
        if (m->loops[k].type == MYR_LOOP_COUPLING)
            coupling_row(n, &m->loops[k]);
        else
            loop_rows(n, &m->loops[k]);
    }
}

/* x = (J J' + a little)^-1 phi by Cholesky: redundant rows are normal. */
static void solve(const newton *n) {
    const int rows = n->m->n_loop_rows, nv = n->m->nv;
    double trace = 0.0;
    for (int i = 0; i < rows; i++)
        for (int k = 0; k <= i; k++) {
            double sum = 0.0;
            for (int j = 0; j < nv; j++) sum += n->J[i * nv + j] * n->J[k * nv + j];
            n->A[i * rows + k] = sum;
            if (i == k) trace += sum;
        }
    for (int i = 0; i < rows; i++) {
        n->A[i * rows + i] += 1e-10 * trace + 1e-300;
        double sum = n->phi[i];
        for (int k = 0; k <= i; k++) {
            double entry = n->A[i * rows + k];
            for (int j = 0; j < k; j++) entry -= n->A[i * rows + j] * n->A[k * rows + j];
            n->A[i * rows + k] = i == k ? sqrt(fmax(entry, 1e-14 * trace + 1e-300)) : entry / n->A[k * rows + k];
            if (k < i) sum -= n->A[i * rows + k] * n->x[k];
        }
        n->x[i] = sum / n->A[i * rows + i];
    }
    for (int i = rows - 1; i >= 0; i--) {
        for (int k = i + 1; k < rows; k++) n->x[i] -= n->A[k * rows + i] * n->x[k];
        n->x[i] /= n->A[i * rows + i];
    }
}

/* q <- q exp(rate / 2) */
static void turn(double q[4], const double rate[3]) {
    const double angle = sqrt(myr_dot3(rate, rate)), s = angle > 0.0 ? sin(0.5 * angle) / angle : 0.5, c = cos(0.5 * angle);
    const double x = s * rate[0], y = s * rate[1], z = s * rate[2], w0 = q[0], x0 = q[1], y0 = q[2], z0 = q[3];
    q[0] = w0 * c - x0 * x - y0 * y - z0 * z;
    q[1] = w0 * x + x0 * c + y0 * z - z0 * y;
    q[2] = w0 * y - x0 * z + y0 * c + z0 * x;
    q[3] = w0 * z + x0 * y - y0 * x + z0 * c;
    const double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int k = 0; k < 4; k++) q[k] /= length;
}

static void move(const newton *n, int clamp) {
    myr_model *m = n->m;
    double largest = 0.0;
    for (int j = 0; j < m->nv; j++) {
        n->delta[j] = 0.0;
        for (int i = 0; i < m->n_loop_rows; i++) n->delta[j] -= n->J[i * m->nv + j] * n->x[i];
        largest = fmax(largest, fabs(n->delta[j]));
    }
    for (int j = 0; j < m->nv && largest > longest_step; j++) n->delta[j] *= longest_step / largest;
    for (int i = 0; i < m->n_bodies; i++) {
        const myr_body *b = &m->bodies[i];
        double *q = m->home + b->q, *d = n->delta + b->v;
        if (b->joint == MYR_JOINT_BALL) turn(q, d);
        if (b->joint == MYR_JOINT_FREE) {
            for (int k = 0; k < 3; k++) q[k] += d[k];
            turn(q + 3, d + 3);
        }
        if (b->nv > 1) continue;
        q[0] += d[0];
        if (clamp && b->lower <= b->upper) q[0] = fmin(fmax(q[0], b->lower), b->upper);
    }
}

/* The largest error of any row, and whose. */
static double left_open(const newton *n, int *worst) {
    double most = 0.0;
    for (int k = 0; k < n->m->n_loops; k++)
        for (int row = n->m->loops[k].row; row < n->m->loops[k].row + n->m->loops[k].n_rows; row++)
            if (!(fabs(n->phi[row]) <= most)) most = fabs(n->phi[row]), *worst = k;
    return most;
}

myr_status myr_close_home(myr_model *m, int clamp, double *left, int *worst) {
    const size_t rows = (size_t)m->n_loop_rows, nv = (size_t)m->nv;
    double *memory = myr_allocate_array(rows * nv + rows * rows + 2 * rows + nv, sizeof *memory);
    newton n = {.m = m, .poses = myr_allocate_array((size_t)m->n_bodies, sizeof *n.poses)};
    *worst = 0;
    if (memory && n.poses) {
        n.J = memory, n.A = n.J + rows * nv, n.phi = n.A + rows * rows, n.x = n.phi + rows, n.delta = n.x + rows;
        double before = INFINITY;
        look(&n);
        for (int step = 0; step < MOST_STEPS && (*left = left_open(&n, worst)) > closed; step++) {
            if (step % PATIENCE == 0 && !(*left < 0.9 * before)) break; /* a hostile file is large, too */
            if (step % PATIENCE == 0) before = *left;
            solve(&n);
            move(&n, clamp);
            look(&n);
        }
        *left = left_open(&n, worst);
    }
    const int ok = memory && n.poses;
    myr_release(memory);
    myr_release(n.poses);
    return ok ? MYR_OK : myr_fail(MYR_E_MEMORY, "out of memory for model `%s`", m->name);
}

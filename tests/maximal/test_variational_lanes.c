/* dynamics=maximal against the scalar reference of Brüdigam 2021 (tests/reference/maximal.h): one step of random mechanisms, trees of free
 * and fixed roots with joints of every kind about any axis, motors, pushes and contacts with the cone itself, on every instruction set, in
 * batches around the width of a tile whose environments are all in states of their own. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/batch_scene.h"
#include "support/isas.h"
#include "kernels/kernels.h"
#include "support/maximal_cast.h"
#include "model/model.h"
#include "support/random_model.h"

enum { SEEDS = 60, MOST_BODIES = 12, MOST_CONTACTS = 4, MOST_ENVS = 17, MOST_Q = 7 * MOST_BODIES };

typedef struct mechanism {
    int bodies, joints, contacts, root[MOST_BODIES]; /* root: of each body's tree */
    maximal_body body[MOST_BODIES];
    maximal_joint joint[MOST_BODIES];
    maximal_contact contact[MOST_CONTACTS];
    int pushed; /* a body that is, -1: none */
    double dt, gravity[3], least /* moment of inertia */, force[3], torque[3];
} mechanism;

/* Of a solid turned anyhow; its least moment. */
static double random_inertia(random_source *source, double mass, double *J) {
    double q[4], half[3], moment[3];
    random_quaternion(source, q);
    for (int k = 0; k < 3; k++) half[k] = random_uniform(source, 0.05, 0.2);
    for (int k = 0; k < 3; k++) moment[k] = mass / 3 * (half[(k + 1) % 3] * half[(k + 1) % 3] + half[(k + 2) % 3] * half[(k + 2) % 3]);
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    const double R[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y), 2 * (x * y + w * z),    1 - 2 * (x * x + z * z),
                         2 * (y * z - w * x),     2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            J[3 * i + j] = 0;
            for (int k = 0; k < 3; k++) J[3 * i + j] += R[3 * i + k] * moment[k] * R[3 * j + k];
        }
    return fmin(moment[0], fmin(moment[1], moment[2]));
}

static void random_joint(random_source *source, int parent, int child, maximal_joint *joint) {
    static const maximal_kind kinds[] = {MAXIMAL_REVOLUTE,  MAXIMAL_REVOLUTE,  MAXIMAL_REVOLUTE, MAXIMAL_REVOLUTE,
                                         MAXIMAL_PRISMATIC, MAXIMAL_PRISMATIC, MAXIMAL_BALL,     MAXIMAL_FIXED};
    *joint = (maximal_joint){.kind = kinds[random_below(source, 8)], .parent = parent, .child = child};
    double length = 0;
    for (int k = 0; k < 3; k++) {
        joint->p_parent[k] = random_uniform(source, -0.3, 0.3), joint->p_child[k] = random_uniform(source, -0.3, 0.3);
        joint->axis[k] = random_uniform(source, -1, 1), length += joint->axis[k] * joint->axis[k];
    }
    for (int k = 0; k < 3; k++) joint->axis[k] /= sqrt(length);
    random_quaternion(source, joint->q_offset);
    if ((joint->kind != MAXIMAL_REVOLUTE && joint->kind != MAXIMAL_PRISMATIC) || random_below(source, 4) == 0) return;
    joint->driven = 1;
    joint->motor = (maximal_motor){.kp = random_uniform(source, 0, 50), .kd = random_uniform(source, 0, 3)};
    joint->motor.target = random_uniform(source, -1, 1), joint->motor.effort = random_uniform(source, -2, 2);
    if (random_below(source, 2)) joint->motor.damping = random_uniform(source, 0, 0.5);
    if (random_below(source, 2)) joint->motor.armature = random_uniform(source, 0, 0.1);
}

/* A body that no fixed joint holds, if there is one. Of two bodies that are one for the lanes, which have a fixed joint no more, the
 * reference knows the velocities of either centre of mass, and the law of a contact takes its own body's: a difference of order dt w^2. */
static int random_body(random_source *source, const mechanism *m) {
    int body = 0, held = 1;
    for (int tries = 0; tries < 50 && held; tries++) {
        body = random_below(source, m->bodies), held = 0;
        for (int j = 0; j < m->joints; j++)
            held |= m->joint[j].kind == MAXIMAL_FIXED && (m->joint[j].child == body || m->joint[j].parent == body);
    }
    return held ? -1 : body;
}

/* Friction is such that steps have one solution: with a coefficient of 1.1 one of these bodies may lift off or jam, either of which is a
 * solution. */
static mechanism random_mechanism(uint64_t seed) {
    static const double steps[] = {1e-3, 2e-3, 5e-3, 1e-2};
    random_source source = {seed};
    mechanism m = {.bodies = 1 + random_below(&source, MOST_BODIES), .dt = steps[seed % 4], .least = INFINITY};
    const int second = random_below(&source, 3) ? -1 : random_below(&source, MOST_BODIES); /* where another tree begins */
    for (int k = 0; k < 3; k++) m.gravity[k] = (k == 2 ? -9.81 : 0) + random_uniform(&source, -2, 2);
    for (int i = 0; i < m.bodies; i++) {
        const int is_root = i == 0 || i == second, free_root = random_below(&source, 3) > 0;
        m.body[i].mass = random_uniform(&source, 0.5, 3);
        m.least = fmin(m.least, random_inertia(&source, m.body[i].mass, m.body[i].inertia));
        m.root[i] = i;
        if (is_root && free_root) continue;
        const int parent = is_root ? -1 : i > 2 && random_below(&source, 2) ? random_below(&source, i) : i - 1;
        if (parent >= 0) m.root[i] = m.root[parent];
        random_joint(&source, parent, i, &m.joint[m.joints++]);
    }
    m.contacts = seed % 4 ? 1 + random_below(&source, MOST_CONTACTS) : 0;
    for (int c = 0; c < m.contacts; c++) {
        maximal_contact *contact = &m.contact[c];
        contact->body = random_body(&source, &m);
        contact->radius = c % 2 ? 0 : random_uniform(&source, 0.01, 0.05), contact->mu = random_uniform(&source, 0, 0.6);
        for (int k = 0; k < 3; k++) contact->p[k] = random_uniform(&source, -0.3, 0.3);
        if (contact->body < 0) m.contacts = 0;
    }
    m.pushed = seed % 2 ? random_body(&source, &m) : -1;
    for (int k = 0; k < 3; k++) m.force[k] = random_uniform(&source, -10, 10), m.torque[k] = random_uniform(&source, -1, 1);
    return m;
}

/* Height of a contact above the ground. */
static double height(const maximal_contact *contact, const maximal_pose *pose) {
    const double *q = pose->q[contact->body], *p = contact->p;
    const double up[3] = {2 * (q[1] * q[3] - q[0] * q[2]), 2 * (q[2] * q[3] + q[0] * q[1]), 1 - 2 * (q[1] * q[1] + q[2] * q[2])};
    return pose->x[contact->body][2] + up[0] * p[0] + up[1] * p[1] + up[2] * p[2] - fmax(contact->radius, 1e-12);
}

/* Of the lowest contact in the tree of this root. */
static double lowest(const mechanism *m, const maximal_pose *pose, int root) {
    double least = INFINITY;
    for (int c = 0; c < m->contacts; c++)
        if (m->root[m->contact[c].body] == root) least = fmin(least, height(&m->contact[c], pose));
    return least;
}

/* With all contacts, or those that a step can reach from a pose: the interior point comes to no end from far above the ground. */
static maximal *open_reference(const mechanism *m, const maximal_pose *pose) {
    maximal_contact near[MOST_CONTACTS];
    int n = 0;
    for (int c = 0; c < m->contacts; c++)
        if (!pose || height(&m->contact[c], pose) < 20 * m->dt) near[n++] = m->contact[c];
    maximal *reference = maximal_open(m->bodies, m->body, m->joints, m->joint, n, near);
    assert_non_null(reference);
    reference->dt = m->dt, reference->cone = MAXIMAL_SOC;
    memcpy(reference->gravity, m->gravity, sizeof m->gravity);
    if (m->pushed < 0) return reference;
    memcpy(reference->bodies[m->pushed].force, m->force, sizeof m->force);
    memcpy(reference->bodies[m->pushed].torque, m->torque, sizeof m->torque);
    return reference;
}

static maximal_pose pose_at(const maximal_cast *c, const double *q, const double *v) {
    double back[MOST_Q], before[MOST_Q];
    memcpy(before, q, (size_t)c->n_q * sizeof *q);
    for (int k = 0; k < c->n_v; k++) back[k] = -v[k];
    maximal_advance(c, q, back, before);
    return maximal_from_joints(c, before, q);
}

/* Joints anywhere; what touches does so by up to half a millimetre or may in this step, except where a root is fixed. */
static void random_start(random_source *source, const mechanism *m, const maximal_cast *c, double *q, double *v) {
    const double fast = random_uniform(source, 0, 4);
    for (int k = 0; k < c->n_v; k++) v[k] = random_uniform(source, -fast, fast);
    for (int i = 0; i < c->n; i++) {
        double *at = q + c->body[i].q;
        if (c->body[i].kind == 'h' || c->body[i].kind == 's') at[0] = random_uniform(source, -1, 1) * (c->body[i].kind == 'h' ? 3 : 0.5);
        if (c->body[i].kind == 'b') random_quaternion(source, at);
        if (c->body[i].kind != 'f') continue;
        for (int k = 0; k < 3; k++) at[k] = random_uniform(source, -3, 3);
        random_quaternion(source, at + 3);
    }
    const maximal_pose pose = pose_at(c, q, v);
    for (int i = 0; i < c->n; i++) {
        const double low = lowest(m, &pose, i), gap = random_uniform(source, -5e-4, 1e-3);
        if (c->body[i].kind == 'f' && isfinite(low)) q[c->body[i].q + 2] += gap - low;
    }
}

/* Fixed roots so high that the lowest of all states touches. */
static void raise_roots(mechanism *m, const maximal_cast *c, double q[][MOST_Q], double v[][MOST_Q]) {
    for (int j = 0; j < m->joints; j++) {
        double least = INFINITY;
        if (m->joint[j].parent >= 0) continue;
        for (int env = 0; env < MOST_ENVS; env++) {
            const maximal_pose pose = pose_at(c, q[env], v[env]);
            least = fmin(least, lowest(m, &pose, m->joint[j].child));
        }
        if (isfinite(least)) m->joint[j].p_parent[2] -= least;
    }
}

typedef struct tally {
    double worst, worst_share;
    long compared, pressed, unsolved, unsettled; /* unsolved by the reference, unsettled by the lanes */
} tally;

typedef struct known_truth {
    maximal_pose pose;
    int known, pressed;
} known_truth;

/* A hundredth of the states at most is too hard for the interior point: these are not compared. */
static known_truth truth_of(const mechanism *m, const maximal_cast *c, const double *q, const double *v, tally *t) {
    const maximal_pose start = pose_at(c, q, v);
    maximal *reference = open_reference(m, &start);
    maximal_put(reference, &start);
    known_truth truth = {.known = maximal_step(reference, 1e-13).residual < 1e-10};
    truth.pose = maximal_pose_of(reference);
    for (int k = 0; k < reference->n_contacts && truth.known; k++) truth.pressed += reference->contacts[k].impulse[2] > 1e-6;
    t->pressed += truth.pressed;
    t->compared += truth.known, t->unsolved += !truth.known;
    maximal_close(reference);
    return truth;
}

/* In double 1e-8; in float a ten-thousandth of the velocities, what is left of the equation [N m s] over the inertia of the smallest limb,
 * and where something presses what places are rounded by, over dt. */
static void compare(const mechanism *m, const maximal_cast *c, myr_batch *batch, int64_t env, const double *q, const known_truth *truth,
                    int exact, tally *t, const char *what) {
    double next[MOST_Q], v[MOST_Q], status, residual, place, speed;
    MUST(myr_batch_get(batch, MYR_V, &env, 1, MYR_F64, v));
    MUST(myr_batch_get(batch, MYR_SOLVE_STATUS, &env, 1, MYR_F64, &status));
    MUST(myr_batch_get(batch, MYR_RESIDUAL, &env, 1, MYR_F64, &residual));
    memcpy(next, q, (size_t)c->n_q * sizeof *q);
    maximal_advance(c, q, v, next);
    const maximal_pose now = maximal_from_joints(c, q, next);
    maximal_apart(&now, &truth->pose, c->n, &place, &speed);
    const double scale = fmax(1, maximal_speed(&truth->pose, c->n)), place_known = truth->pressed ? 3e-7 : 0,
                 allowed = exact ? 1e-8 : 1e-4 * scale + residual / m->least + place_known / c->dt;
    t->unsettled += status != MYR_CONVERGED;
    t->worst = fmax(t->worst, speed), t->worst_share = fmax(t->worst_share, speed / scale);
    if (!(speed <= allowed))
        fail_msg("%s, environment %d: velocities off by %.3g of %.3g, residual %.3g, %s", what, (int)env, speed, scale, residual,
                 myr_solve_status_text((myr_solve_status)status));
}

static void check_mechanism(uint64_t seed, int exact, const char *solver, tally *t) {
    static double q[MOST_ENVS][MOST_Q], v[MOST_ENVS][MOST_Q];
    static known_truth truths[MOST_ENVS];
    const int W = exact ? 8 : 16, counts[] = {W + 1, 1, W - 1, W};
    int first = 1;
    mechanism m = random_mechanism(seed);
    random_source source = {seed + 1000};
    maximal *reference = open_reference(&m, NULL);
    maximal_cast c = maximal_cast_of(reference);
    for (int env = 0; env < MOST_ENVS; env++) random_start(&source, &m, &c, q[env], v[env]);
    raise_roots(&m, &c, q, v);
    maximal_close(reference);
    maximal_cast_free(&c);
    reference = open_reference(&m, NULL);
    c = maximal_cast_of(reference);
    for (int isa = 0; isa_at(isa); isa++) {
        if (c.model->n_pairs && !strcmp(solver, "maximal-tree")) continue; /* which takes the ground alone */
        const myr_settings settings =
            scene_settings("task", "none", "dynamics", scheme_of(solver), "precision", exact ? "f64" : "f32", "isa", isa_at(isa), "threads",
                           "1", "solver", solver_of(solver), "max-sweeps", "20000", "gap", "0.5", "baumgarte", "1", "tolerance",
                           exact ? "1e-11" : "1e-7", "newton-limit", "40", NULL);
        for (int k = 0; k < 4; k++) {
            myr_batch *batch = maximal_cast_batch(&c, counts[k], &settings);
            char what[80];
            snprintf(what, sizeof what, "mechanism %d, %s, %s, %d of them", (int)seed, isa_at(isa), exact ? "f64" : "f32", counts[k]);
            for (int64_t env = 0; env < counts[k] && c.n_v; env++) { /* float rounds them: what it keeps is the state */
                MUST(myr_batch_set(batch, MYR_Q, &env, 1, MYR_F64, q[env]));
                MUST(myr_batch_set(batch, MYR_V, &env, 1, MYR_F64, v[env]));
                MUST(myr_batch_get(batch, MYR_Q, &env, 1, MYR_F64, q[env]));
                MUST(myr_batch_get(batch, MYR_V, &env, 1, MYR_F64, v[env]));
                const maximal_pose pose = pose_at(&c, q[env], v[env]);
                if (m.pushed >= 0) maximal_cast_push(&c, &pose, m.pushed, m.force, m.torque, batch, env);
                if (first) truths[env] = truth_of(&m, &c, q[env], v[env], t);
            }
            first = 0;
            MUST(myr_batch_step(batch, 1));
            for (int64_t env = 0; env < counts[k] && c.n_v; env++)
                if (truths[env].known) compare(&m, &c, batch, env, q[env], &truths[env], exact, t, what);
            myr_batch_free(batch);
        }
    }
    maximal_cast_free(&c);
    maximal_close(reference);
}

static void one_step_is_the_references(void **state) {
    static const char *const solvers[] = {"nsgs", "maximal-tree"};
    (void)state;
    for (int k = 0; k < 4; k++) {
        const int p = k % 2;
        tally t = {0};
        for (uint64_t seed = 1; seed <= SEEDS; seed++) check_mechanism(seed, p == 0, solvers[k / 2], &t);
        print_message(
            "%s, %s: %ld states, %ld contacts that press, %ld unsolved by the reference, %ld by the lanes; velocities to %.2g, %.2g "
            "of their scale\n",
            solvers[k / 2], p ? "f32" : "f64", t.compared, t.pressed, t.unsolved, t.unsettled, t.worst, t.worst_share);
        assert_true(t.compared > (p ? 800 : 400) && t.pressed > t.compared / 5 && 100 * t.unsolved <= t.compared && t.unsettled == 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_step_is_the_references)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

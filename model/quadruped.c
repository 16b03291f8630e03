/* Is this robot a quadruped, how does it stand, and with which gains? The answer comes from the tree alone, no names:
 *
 *   one tree with a free root; exactly four of the chains that hang on the root are legs: serial, 3 revolute joints
 *   (abduction about the forward axis, flexion and knee about the sideward one; within about 25 degrees) or 2 (flexion, knee),
 *   a geom that can touch the ground on the last link. Forward is +x of the root, left +y; where the joints say otherwise,
 *   forward is +y and left -x. Legs are sorted LF RF LH RH by where their first joint is on the root.
 *
 * Standing: thigh 0.4 rad from the vertical, shank 0.4 rad to the other side, front and hind knees bent towards each
 * other (ANYmal's stance), abduction 0.03 rad outwards. Where joint limits do not allow it, the knee that costs less,
 * as far as its limits admit, and the hip so that the foot is under it. Legs that reach farther than others bend more. Where the weight
 * is far ahead of the middle of the feet or behind it, they go under it. The angles are
 * measured between links, so it does not matter how the legs are drawn at q = 0. */
#include <math.h>

#include "description.h"
#include "base/memory.h"
#include "base/trigonometry.h"

static const double abduction = 0.03, bend = 0.4;
static const double least_alignment = 0.9;   /* |axis . forward| or |axis . left| */
static const double limit_margin = 0.1;      /* kept from a position limit [rad] */
static const double least_height = 0.4;      /* of a hip over its foot, over the length of the leg */
static const double most_offset = 0.35;      /* of a foot from below its hip, over the height of the hip */
static const double least_unevenness = 0.01; /* of the feet at home that is worth bending knees for, over the length of the leg */
static const double reference_kp = 80.0, reference_kd = 2.0, reference_mass = 30.4, reference_leg = 0.56; /* ANYmal */

/* The root's forward and left. */
typedef struct {
    double forward[3], left[3];
} heading;
static const heading headings[2] = {{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}}, {{0.0, 1.0, 0.0}, {-1.0, 0.0, 0.0}}};

typedef struct {
    int joint[3];              /* bodies; [0] = -1 for two joints */
    double sign[3];            /* of each joint's axis along forward, left, left */
    int foot;                  /* geom */
    double hip[2];             /* forward, left: the first joint on the root */
    double ahead, up;          /* of the flexion joint, on the root */
    double thigh[2], shank[2]; /* forward, up: flexion -> knee -> foot at q = 0 */
    double end[3];             /* of the shank, ALIGNED */
    double home[3];
} leg;

/* +1 or -1: a revolute joint whose axis lies along `direction` or against it; 0: not. */
static double hinge_sign(const myr_body *body, const double direction[3]) {
    const double along = myr_dot3(body->axis, direction);
    if (body->joint != MYR_JOINT_REVOLUTE || fabs(along) < least_alignment) return 0.0;
    return along < 0.0 ? -1.0 : 1.0;
}

/* The body that alone hangs on `body`, -1: none, -2: several. */
static int only_child(const myr_model *m, int body) {
    int child = -1;
    for (int i = body + 1; i < m->n_bodies; i++) {
        if (m->bodies[i].parent != body) continue;
        if (child >= 0) return -2;
        child = i;
    }
    return child;
}

/* The end of the shank: the middle of the foot's slots that are at least as far from the knee as its centre is. */
static void find_end(const myr_model *m, int foot, double end[3]) {
    const myr_geom *geom = &m->geoms[foot];
    double center[3];
    int count = 0;
    myr_rotate(center, m->bodies[geom->body].align, geom->position);
    end[0] = end[1] = end[2] = 0.0;
    for (int i = geom->slot; i < geom->slot + geom->n_slots; i++) {
        const double *far = myr_slot_far(m, &m->slots[i]);
        if (myr_dot3(far, far) < (1.0 - 1e-9) * myr_dot3(center, center)) continue;
        for (int k = 0; k < 3; k++) end[k] += far[k];
        count++;
    }
    for (int k = 0; k < 3 && count; k++) end[k] /= count;
}

/* The foot is the geom with the slot farthest from the knee, spheres before all others; -1: nothing can touch. */
static int find_foot(const myr_model *m, int body) {
    int best = -1, best_is_sphere = 0;
    double best_reach = 0.0;
    for (int i = 0; i < m->n_slots; i++) {
        const myr_slot *slot = &m->slots[i];
        if (slot->body != body || slot->other >= 0) continue;
        const int is_sphere = m->geoms[slot->geom].type == MYR_GEOM_SPHERE;
        const double *far = myr_slot_far(m, slot), reach = myr_dot3(far, far);
        if (best >= 0 && (is_sphere < best_is_sphere || (is_sphere == best_is_sphere && reach <= best_reach))) continue;
        best = slot->geom;
        best_is_sphere = is_sphere;
        best_reach = reach;
    }
    return best;
}

/* 1: bodies from `first` on have the joints of a leg; the foot may still be missing (-1). */
static int read_leg(const myr_model *m, int first, const heading *h, leg *l) {
    int chain[3] = {first, -1, -1}, count = 1;
    for (int next = only_child(m, first); next != -1; next = only_child(m, next)) {
        if (next < 0 || count == 3) return 0;
        chain[count++] = next;
    }
    if (count < 2) return 0;
    l->joint[0] = count == 3 ? chain[0] : -1;
    l->joint[1] = chain[count - 2];
    l->joint[2] = chain[count - 1];
    for (int k = 0; k < 3; k++) {
        if (l->joint[k] < 0) continue;
        l->sign[k] = hinge_sign(&m->bodies[l->joint[k]], k ? h->left : h->forward);
        if (l->sign[k] == 0.0) return 0;
    }
    const double *hip = m->bodies[first].offset, *knee = m->bodies[l->joint[2]].offset;
    l->foot = find_foot(m, l->joint[2]);
    if (l->foot >= 0) find_end(m, l->foot, l->end);
    l->hip[0] = myr_dot3(hip, h->forward), l->hip[1] = myr_dot3(hip, h->left);
    l->ahead = l->hip[0] + (count == 3 ? myr_dot3(m->bodies[chain[1]].offset, h->forward) : 0.0);
    l->up = hip[2] + (count == 3 ? m->bodies[chain[1]].offset[2] : 0.0);
    l->thigh[0] = myr_dot3(knee, h->forward), l->thigh[1] = knee[2];
    l->shank[0] = myr_dot3(l->end, h->forward), l->shank[1] = l->end[2];
    return 1;
}

/* (forward, up) turned about left */
static void turn(double out[2], const double a[2], double angle) {
    double s, c;
    myr_sincos(angle, &s, &c);
    out[0] = c * a[0] + s * a[1];
    out[1] = c * a[1] - s * a[0];
}

static double length2(const double a[2]) { return sqrt(a[0] * a[0] + a[1] * a[1]); }

/* The turn about left after which `a` hangs straight down. */
static double hang_down(const double a[2]) { return myr_atan2(a[0], -a[1]); }

/* The same turn within (-pi, pi]. */
static double within_turn(double angle) {
    const double pi = 3.14159265358979323846;
    while (angle > pi) angle -= 2.0 * pi;
    while (angle <= -pi) angle += 2.0 * pi;
    return angle;
}

static double into_limits(const myr_body *body, double angle) {
    if (body->lower > body->upper) return angle;
    const double margin = fmin(limit_margin, 0.25 * (body->upper - body->lower));
    return fmin(fmax(angle, body->lower + margin), body->upper - margin);
}

/* Stand with the thigh turned `direction` * bend about left. Returns how far this is from what was wanted [rad]; INFINITY: the
 * foot is not below the hip. */
static double stand(const myr_model *m, const leg *l, double direction, double home[3]) {
    const myr_body *flexion = &m->bodies[l->joint[1]], *knee = &m->bodies[l->joint[2]];
    const double thigh_turn = within_turn(hang_down(l->thigh) + direction * bend);
    const double wanted_knee = within_turn(hang_down(l->shank) - direction * bend - thigh_turn);
    const double knee_turn = l->sign[2] * into_limits(knee, l->sign[2] * wanted_knee);
    double shank[2], whole[2], foot[2];
    turn(shank, l->shank, knee_turn);
    whole[0] = l->thigh[0] + shank[0], whole[1] = l->thigh[1] + shank[1];
    const double wanted_hip = knee_turn == wanted_knee ? thigh_turn : hang_down(whole);
    const double hip_turn = l->sign[1] * into_limits(flexion, l->sign[1] * wanted_hip);
    turn(foot, whole, hip_turn);
    home[1] = l->sign[1] * hip_turn;
    home[2] = l->sign[2] * knee_turn;
    const double high = -foot[1], length = length2(l->thigh) + length2(l->shank);
    if (!(high >= least_height * length && fabs(foot[0]) <= most_offset * high)) return INFINITY; /* also what overflowed */
    return fabs(knee_turn - wanted_knee) + fabs(hip_turn - wanted_hip);
}

static int find_stance(const myr_model *m, leg *l, int is_front, int is_left) {
    double inward[3], outward[3];
    const double direction = is_front ? 1.0 : -1.0;
    const double inward_cost = stand(m, l, direction, inward), outward_cost = stand(m, l, -direction, outward);
    if (!isfinite(inward_cost) && !isfinite(outward_cost)) return 0;
    const double *best = outward_cost < inward_cost ? outward : inward;
    l->home[0] = 0.0, l->home[1] = best[1], l->home[2] = best[2];
    if (l->joint[0] >= 0) {
        const myr_body *hip = &m->bodies[l->joint[0]];
        const double outwards = (is_left ? abduction : -abduction) * l->sign[0];
        l->home[0] = hip->lower > hip->upper ? outwards : fmin(fmax(outwards, hip->lower), hip->upper);
    }
    return 1;
}

/* Where the foot is at home, from the flexion joint: forward, up. */
static void find_foot_at_home(const leg *l, double foot[2]) {
    double shank[2];
    turn(shank, l->shank, l->sign[2] * l->home[2]);
    const double whole[2] = {l->thigh[0] + shank[0], l->thigh[1] + shank[1]};
    turn(foot, whole, l->sign[1] * l->home[1]);
}

/* Turn hip and knee so that the foot is at `target` (forward, up, from the flexion joint); as far as limits allow. */
static void put_foot(const myr_model *m, leg *l, const double target[2]) {
    double shank[2];
    const double thigh = length2(l->thigh), knee_turn = l->sign[2] * l->home[2], length = length2(l->shank), reach = length2(target);
    const double cosine = (reach * reach - thigh * thigh - length * length) / (2.0 * thigh * length);
    if (!(fabs(cosine) < 1.0) || !(-target[1] >= least_height * (thigh + length))) return;
    turn(shank, l->shank, knee_turn);
    const double bent = myr_atan2(l->thigh[0] * shank[1] - l->thigh[1] * shank[0], l->thigh[0] * shank[0] + l->thigh[1] * shank[1]);
    const double wanted = copysign(myr_atan2(sqrt(1.0 - cosine * cosine), cosine), bent);
    l->home[2] = into_limits(&m->bodies[l->joint[2]], l->sign[2] * (knee_turn + bent - wanted));
    turn(shank, l->shank, l->sign[2] * l->home[2]);
    const double whole[2] = {l->thigh[0] + shank[0], l->thigh[1] + shank[1]};
    l->home[1] = into_limits(&m->bodies[l->joint[1]], l->sign[1] * within_turn(hang_down(whole) - hang_down(target)));
}

/* Legs that reach farther down than others bend more, or the robot would lean. Less than a hundredth of a leg is left as it is. */
static void level_feet(const myr_model *m, leg legs[4]) {
    double foot[4][2], below[4], least = INFINITY;
    for (int i = 0; i < 4; i++) {
        find_foot_at_home(&legs[i], foot[i]);
        below[i] = m->slots[m->geoms[legs[i].foot].slot].radius - legs[i].up - foot[i][1];
        least = fmin(least, below[i]);
    }
    for (int i = 0; i < 4; i++) {
        if (!(below[i] - least > least_unevenness * (length2(legs[i].thigh) + length2(legs[i].shank)))) continue;
        foot[i][1] += below[i] - least;
        put_foot(m, &legs[i], foot[i]);
    }
}

/* How far the centre of mass is ahead of the root, legs at home and all else at rest. */
static myr_status find_weight(const myr_model *m, const heading *h, const leg legs[4], double *ahead) {
    double *q = myr_allocate_array((size_t)m->nq, sizeof *q), moment = 0.0, mass = 0.0;
    myr_pose *poses = myr_allocate_array((size_t)m->n_bodies, sizeof *poses);
    const myr_status status = q && poses ? MYR_OK : myr_fail(MYR_E_MEMORY, "out of memory for model `%s`", m->name);
    for (int i = 0; !status && i < m->n_bodies; i++) {
        if (m->bodies[i].joint == MYR_JOINT_FREE) q[m->bodies[i].q + 3] = 1.0;
        if (m->bodies[i].joint == MYR_JOINT_BALL) q[m->bodies[i].q] = 1.0;
        if (m->bodies[i].nq == 1) q[m->bodies[i].q] = myr_rest(&m->bodies[i]);
    }
    for (int i = 0; !status && i < 12; i++)
        if (legs[i / 3].joint[i % 3] >= 0) q[m->bodies[legs[i / 3].joint[i % 3]].q] = legs[i / 3].home[i % 3];
    if (!status) myr_model_poses(m, q, poses);
    for (int i = 0; !status && i < m->n_bodies; i++) {
        double com[3];
        myr_rotate(com, m->bodies[i].align, m->bodies[i].com);
        myr_rotate(com, poses[i].rotation, com);
        mass += m->bodies[i].mass;
        moment += m->bodies[i].mass * (myr_dot3(com, h->forward) + myr_dot3(poses[i].position, h->forward));
    }
    *ahead = mass > 0.0 ? moment / mass : 0.0;
    myr_release(q);
    myr_release(poses);
    return status;
}

/* Weight that is not over the middle half of the feet's stretch, hind to front: feet go under it, as far as their offset may be. */
static void shift_feet(const myr_model *m, leg legs[4], double weight) {
    double foot[4][2], front = 0.0, hind = 0.0, least = -INFINITY, most = INFINITY;
    for (int i = 0; i < 4; i++) {
        find_foot_at_home(&legs[i], foot[i]);
        *(i < 2 ? &front : &hind) += 0.5 * (legs[i].ahead + foot[i][0]);
        most = fmin(most, -most_offset * foot[i][1] - foot[i][0]);
        least = fmax(least, most_offset * foot[i][1] - foot[i][0]);
    }
    const double off = weight - 0.5 * (front + hind), half = 0.25 * (front - hind);
    if (!(fabs(off) > half && half > 0.0 && least <= most)) return;
    const double shift = fmin(fmax(copysign(fabs(off) - half, off), least), most);
    for (int i = 0; i < 4; i++) {
        foot[i][0] += shift;
        put_foot(m, &legs[i], foot[i]);
    }
}

/* LF RF LH RH; 0 if front and hind or left and right cannot be told apart. */
static int sort_legs(leg legs[4]) {
    const double apart = 1e-6;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3 - i; k++)
            if (legs[k].hip[0] < legs[k + 1].hip[0]) {
                const leg behind = legs[k];
                legs[k] = legs[k + 1], legs[k + 1] = behind;
            }
    if (legs[1].hip[0] - legs[2].hip[0] < apart) return 0;
    for (int pair = 0; pair < 4; pair += 2) {
        if (legs[pair].hip[1] < legs[pair + 1].hip[1]) {
            const leg right = legs[pair];
            legs[pair] = legs[pair + 1], legs[pair + 1] = right;
        }
        if (legs[pair].hip[1] - legs[pair + 1].hip[1] < apart) return 0;
    }
    return 1;
}

/* Torque over angle goes as weight times leg length; damping as that times the time of a fall, sqrt(length / g). */
static void scale_gains(const myr_model *m, const leg legs[4], myr_quadruped *quadruped) {
    double length = 0.0;
    for (int i = 0; i < 4; i++) length += 0.25 * (length2(legs[i].thigh) + length2(legs[i].shank));
    const double weight = (m->mass - m->anchored_mass) / reference_mass, leg_ratio = length / reference_leg;
    quadruped->leg_length = length;
    quadruped->kp = reference_kp * weight * leg_ratio;
    quadruped->kd = reference_kd * weight * leg_ratio * sqrt(leg_ratio);
}

static int find_torso(const myr_model *m) {
    int torso = -1;
    double largest = 0.0;
    for (int g = 0; g < m->n_geoms; g++) {
        const myr_geom *geom = &m->geoms[g];
        const double volume = geom->size[0] * geom->size[1] * geom->size[2];
        if (geom->body != 0 || geom->type != MYR_GEOM_BOX || volume <= largest) continue;
        largest = volume;
        torso = g;
    }
    return torso;
}

/* How many of the root's chains are legs when it heads this way; the first four are kept. */
static int count_legs(const myr_model *m, const heading *h, leg legs[4]) {
    int count = 0;
    for (int i = 1; i < m->n_bodies && count < 5; i++) {
        leg found = {.foot = -1};
        if (m->bodies[i].parent != 0 || !read_leg(m, i, h, &found)) continue;
        if (count < 4) legs[count] = found;
        count++;
    }
    return count;
}

/* `which` NULL: it is about all four. */
static myr_status almost(const myr_model *m, myr_texts *warnings, const leg *which, const char *why) {
    return myr_texts_add(warnings, "`%s` has four legs, but %s%s%s%s: the quadruped tasks do not apply", m->name,
                         which ? "the one that ends in `" : "", which ? m->bodies[which->joint[2]].name : "", which ? "` " : "", why);
}

/* Does a loop or a coupling hold a joint of the legs? */
static int is_held(const myr_model *m, const leg legs[4]) {
    for (int i = 0; i < 12 * m->n_loops; i++) {
        const myr_loop *loop = &m->loops[i / 12];
        const int joint = legs[i % 12 / 3].joint[i % 3];
        if (joint < 0) continue;
        if (joint == loop->driver || myr_carries(m, joint, loop->body[0]) != myr_carries(m, joint, loop->body[1])) return 1;
        for (int k = 0; k < loop->n_terms; k++)
            if (loop->joint[k] == joint) return 1;
    }
    return 0;
}

myr_status myr_find_quadruped(myr_model *m, myr_texts *warnings) {
    leg legs[4];
    m->quadruped = (myr_quadruped){.torso_geom = -1};
    if (m->n_trees != 1 || m->bodies[0].joint != MYR_JOINT_FREE) return MYR_OK;
    const int heading_y = count_legs(m, &headings[0], legs) != 4;
    if (heading_y && count_legs(m, &headings[1], legs) != 4) return MYR_OK;
    for (int i = 0; i < 4; i++)
        if (legs[i].foot < 0) return almost(m, warnings, &legs[i], "has no foot: no sphere, box or capsule there could touch the ground");
    if (is_held(m, legs)) return almost(m, warnings, NULL, "are held by loops: they are not serial");
    if (!myr_all_driven(m)) return almost(m, warnings, NULL, "are not driven by one actuator for each joint, as strong both ways");
    if (!sort_legs(legs)) return almost(m, warnings, NULL, "where they are on the root does not tell front from hind and left from right");
    for (int i = 0; i < 4; i++)
        if (!find_stance(m, &legs[i], i < 2, i % 2 == 0))
            return almost(m, warnings, &legs[i], "does not get its foot below its hip within the joint limits");

    double weight;
    const myr_status status = find_weight(m, &headings[heading_y], legs, &weight);
    if (status) return status;
    shift_feet(m, legs, weight);
    level_feet(m, legs);
    myr_quadruped *quadruped = &m->quadruped;
    for (int i = 0; i < 4; i++) {
        memcpy(quadruped->joint[i], legs[i].joint, sizeof legs[i].joint);
        memcpy(quadruped->home[i], legs[i].home, sizeof legs[i].home);
        memcpy(quadruped->foot_end[i], legs[i].end, sizeof legs[i].end);
        quadruped->foot_geom[i] = legs[i].foot;
        quadruped->backwards[i] = legs[i].sign[1];
    }
    quadruped->torso_geom = find_torso(m);
    quadruped->heading_y = heading_y;
    scale_gains(m, legs, quadruped);
    quadruped->valid = 1;
    return MYR_OK;
}

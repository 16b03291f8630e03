#include "locomotion.h"

#include <Random123/philox.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "rigid_body.h"
#include "setting.h"
#include "small.h"

/* "touches": legged_gym counts a contact from a force of 1 N on. "Standing is commanded": |command| <= 0.1 (its stand_still). */
static const double least_force = 1.0, least_command = 0.1;

static double control_s(const myr_settings *s) { return s->dt_s * (double)s->decimation; }

/* Joint velocity and angle of an actuator. */
static int dof_of(const myr_model *model, int u) { return model->bodies[model->actuators[u].joint[0]].v; }
static int coordinate_of(const myr_model *model, int u) { return model->bodies[model->actuators[u].joint[0]].q; }
static const myr_body *body_of(const myr_model *model, int u) { return &model->bodies[model->actuators[u].joint[0]]; }

/* ---- the base as its rider sees it ---------------------------------------------------------------------------------- */

typedef struct view {
    double linear[3], angular[3], down[3];
} view;

/* World (or body) vector into axes forward, left, up. */
static void to_rider(const myr_model *model, const double body[3], double out[3]) {
    double forward[3] = {1, 0, 0}, left[3] = {0, 1, 0};
    const double up[3] = {0, 0, 1};
    if (model->quadruped.heading_y) {
        forward[0] = 0, forward[1] = 1;
        left[0] = -1, left[1] = 0;
    }
    out[0] = dot(forward, body);
    out[1] = dot(left, body);
    out[2] = dot(up, body);
}

static view look(const myr_model *model, const reference_shown *shown) {
    double to_world[9], to_body[9], linear[3], down[3];
    const double falling[3] = {0, 0, -1};
    view seen;
    reference_quaternion_rotation(shown->q + 3, to_world);
    transpose(to_world, to_body);
    mul3(to_body, shown->v, linear); /* linear velocity of a free joint is in world axes, the angular one in its own: model.h */
    mul3(to_body, falling, down);
    to_rider(model, linear, seen.linear);
    to_rider(model, shown->v + 3, seen.angular);
    to_rider(model, down, seen.down);
    return seen;
}

/* ---- forces of the last step of dt ---------------------------------------------------------------------------------- */

static double normal_force(const myr_model *model, const myr_settings *s, const reference_shown *shown, int geom) {
    double sum = 0;
    for (int slot = 0; slot < model->n_slots; slot++)
        if (model->slots[slot].geom == geom) sum += shown->impulse[3 * slot + 2] / s->dt_s;
    return sum;
}

static int is_foot(const myr_model *model, int geom) {
    for (int leg = 0; leg < 4; leg++)
        if (model->quadruped.foot_geom[leg] == geom) return 1;
    return 0;
}

/* Force on the shapes of the base, and the number of other shapes that touch. */
static double torso_force(const myr_model *model, const myr_settings *s, const reference_shown *shown, int *others) {
    double torso = 0;
    *others = 0;
    for (int g = 0; g < model->n_geoms; g++) {
        if (is_foot(model, g)) continue;
        const double force = normal_force(model, s, shown, g);
        if (model->geoms[g].body == 0)
            torso += force;
        else
            *others += force > least_force;
    }
    return torso;
}

/* ---- a control step ------------------------------------------------------------------------------------------------- */

void reference_walk_start(reference_walk *walk) { memset(walk, 0, sizeof *walk); }

void reference_walk_before(reference_walk *walk, const reference_shown *shown) {
    memcpy(walk->speeds, shown->v, sizeof walk->speeds);
    memcpy(walk->command, shown->command, sizeof walk->command);
}

static int standing_commanded(const reference_walk *w) { return sqrt(dot(w->command, w->command)) <= least_command; }

static double positive(double x) { return x > 0 ? x : 0; }

static void joint_terms(reference_walk *w, const myr_model *m, const myr_settings *s, double soft_limit, const reference_shown *shown,
                        double *term) {
    for (int u = 0; u < m->nu; u++) {
        const myr_body *body = body_of(m, u);
        const double angle = shown->q[coordinate_of(m, u)], speed = shown->v[dof_of(m, u)], home = m->home[coordinate_of(m, u)];
        const double strength = shown->strength[u], measured = angle + shown->encoder_bias[u], most = strength * body->effort_limit;
        const double wish = strength * (shown->kp[u] * (w->target[u] - measured) - shown->kd[u] * speed) + shown->torque[u];
        const double torque = fmin(fmax(wish, -most), most);
        const double acceleration = (speed - w->speeds[dof_of(m, u)]) / control_s(s);
        term[REFERENCE_torque] += torque * torque;
        term[REFERENCE_joint_speed] += speed * speed;
        term[REFERENCE_joint_acceleration] += acceleration * acceleration;
        term[REFERENCE_torque_limit] += positive(fabs(torque) - soft_limit * body->effort_limit);
        if (standing_commanded(w)) term[REFERENCE_stand_still] += fabs(angle - home);
        if (body->lower > body->upper) continue;
        const double middle = (body->lower + body->upper) / 2, range = body->upper - body->lower;
        term[REFERENCE_joint_limit] += positive(middle - range * soft_limit / 2 - angle);
        term[REFERENCE_joint_limit] += positive(angle - middle - range * soft_limit / 2);
    }
}

static void foot_terms(reference_walk *w, const myr_model *m, const myr_settings *s, const reference_numbers *n,
                       const reference_shown *shown, double *term) {
    for (int leg = 0; leg < 4; leg++) {
        const double force = normal_force(m, s, shown, m->quadruped.foot_geom[leg]);
        const int touches = force > least_force, down = touches || w->touched[leg];
        const int lands = down && w->air[leg] > 0;
        w->air[leg] += control_s(s);
        if (lands && !standing_commanded(w)) term[REFERENCE_air_time] += w->air[leg] - n->air_time_wanted;
        if (down) w->air[leg] = 0;
        w->touched[leg] = touches;
        term[REFERENCE_foot_force] += positive(force - n->foot_force_limit);
    }
}

const char *const reference_terms[REFERENCE_TERMS] = {
    [REFERENCE_tracking_linear] = "tracking-linear",
    [REFERENCE_tracking_angular] = "tracking-angular",
    [REFERENCE_linear_z] = "linear-z",
    [REFERENCE_angular_xy] = "angular-xy",
    [REFERENCE_orientation] = "orientation",
    [REFERENCE_height] = "height",
    [REFERENCE_torque] = "torque",
    [REFERENCE_joint_speed] = "joint-speed",
    [REFERENCE_joint_acceleration] = "joint-acceleration",
    [REFERENCE_action_rate] = "action-rate",
    [REFERENCE_collision] = "collision",
    [REFERENCE_air_time] = "air-time",
    [REFERENCE_stand_still] = "stand-still",
    [REFERENCE_foot_force] = "foot-force",
    [REFERENCE_joint_limit] = "joint-limit",
    [REFERENCE_torque_limit] = "torque-limit",
    [REFERENCE_termination] = "termination",
};

reference_numbers reference_numbers_of(const myr_settings *s) {
    reference_numbers n = {.tracking_width = reference_setting(s, "tracking-width"),
                           .base_height = reference_setting(s, "base-height"),
                           .air_time_wanted = reference_setting(s, "air-time-wanted"),
                           .foot_force_limit = reference_setting(s, "foot-force-limit"),
                           .soft_limit = reference_setting(s, "soft-limit")};
    for (int k = 0; k < REFERENCE_TERMS; k++) {
        char key[MYR_NAME_LENGTH];
        snprintf(key, sizeof key, "reward-%s", reference_terms[k]);
        n.weight[k] = reference_setting(s, key);
    }
    return n;
}

static void weigh(reference_walk *w, const myr_settings *s, const reference_numbers *n, const double *term) {
    w->reward = 0;
    for (int k = 0; k < REFERENCE_TERMS; k++) {
        w->terms[k] = n->weight[k] == 0 ? 0 : n->weight[k] * control_s(s) * term[k];
        if (k != REFERENCE_termination) w->reward += w->terms[k];
    }
    if (s->reward_floor) w->reward = positive(w->reward);
    w->reward += w->terms[REFERENCE_termination];
}

void reference_walk_after(reference_walk *w, const myr_model *m, const myr_settings *s, const reference_numbers *n,
                          const reference_shown *shown, const double *action) {
    double term[REFERENCE_TERMS] = {0}, error = 0;
    const view seen = look(m, shown);
    int others;
    w->torso = torso_force(m, s, shown, &others) > least_force;
    w->tilted = -seen.down[2] < cos(s->fall_tilt) && s->fall_tilt < 3.14;
    w->length++;
    w->terminated = w->torso || w->tilted;
    w->truncated = !w->terminated && s->episode_s > 0 && (double)w->length > s->episode_s / control_s(s) - 0.5;
    for (int u = 0; u < m->nu; u++) {
        const double clipped = fmin(fmax(action[u], -s->action_clip), s->action_clip);
        const double acts = shown->delay < (double)s->decimation ? clipped : w->action[u]; /* or with the next control step */
        w->target[u] = m->home[coordinate_of(m, u)] + s->action_scale * acts;
        term[REFERENCE_action_rate] += (clipped - w->action[u]) * (clipped - w->action[u]);
        w->action[u] = clipped;
    }
    for (int k = 0; k < 2; k++) error += (w->command[k] - seen.linear[k]) * (w->command[k] - seen.linear[k]);
    const double turning = w->command[2] - seen.angular[2], height = n->base_height > 0 ? n->base_height : m->home[2];
    term[REFERENCE_tracking_linear] = exp(-error / n->tracking_width);
    term[REFERENCE_tracking_angular] = exp(-turning * turning / n->tracking_width);
    term[REFERENCE_linear_z] = seen.linear[2] * seen.linear[2];
    term[REFERENCE_angular_xy] = seen.angular[0] * seen.angular[0] + seen.angular[1] * seen.angular[1];
    term[REFERENCE_orientation] = seen.down[0] * seen.down[0] + seen.down[1] * seen.down[1];
    term[REFERENCE_height] = (shown->q[2] - height) * (shown->q[2] - height);
    term[REFERENCE_collision] = others;
    term[REFERENCE_termination] = w->terminated;
    joint_terms(w, m, s, n->soft_limit, shown, term);
    foot_terms(w, m, s, n, shown, term);
    weigh(w, s, n, term);
    for (int k = 0; k < REFERENCE_TERMS; k++) w->sums[k] += w->terms[k];
    w->total += w->reward;
}

/* ---- observation ---------------------------------------------------------------------------------------------------- */

/* Number `index` of the noise at a time of an episode, within (-1, 1): the middle of one of 2^16 equal parts. A block of Philox has
 * eight, the low half of a word before the high one; a control step takes whole blocks. */
static double noise(const myr_model *m, const myr_settings *s, const reference_shown *shown, int index) {
    const uint64_t seed = (uint64_t)s->seed, id = (uint64_t)shown->id, episode = (uint64_t)shown->episode;
    const uint32_t blocks = (uint32_t)(9 + 2 * m->nu + 7) / 8;
    const philox4x32_key_t key = {{(uint32_t)seed, (uint32_t)(seed >> 32)}};
    const philox4x32_ctr_t counter = {{blocks * (uint32_t)shown->clock + (uint32_t)index / 8, (uint32_t)id,
                                       (uint32_t)(id >> 32) << 24 | (uint32_t)(episode & 0xffffff), 1}};
    const philox4x32_ctr_t bits = philox4x32(counter, key);
    const uint32_t word = bits.v[index % 8 / 2], half = index % 2 ? word >> 16 : word & 0xffff;
    return ((double)half + 0.5) / 32768 - 1;
}

void reference_observe(const myr_model *m, const myr_settings *s, const reference_shown *shown, double *seen) {
    const view base = look(m, shown);
    double *angles = seen + 12, *speeds = angles + m->nu, *actions = speeds + m->nu;
    int index = 0; /* of the noise */
    for (int k = 0; k < 3; k++) seen[k] = s->scale_linear * (base.linear[k] + s->noise_linear * noise(m, s, shown, index++));
    for (int k = 0; k < 3; k++) seen[3 + k] = s->scale_angular * (base.angular[k] + s->noise_angular * noise(m, s, shown, index++));
    for (int k = 0; k < 3; k++) seen[6 + k] = base.down[k] + s->noise_gravity * noise(m, s, shown, index++);
    for (int k = 0; k < 3; k++) seen[9 + k] = shown->command[k] * (k < 2 ? s->scale_linear : s->scale_angular);
    for (int u = 0; u < m->nu; u++) {
        const int q = coordinate_of(m, u);
        angles[u] = s->scale_angle * (shown->q[q] + shown->encoder_bias[u] - m->home[q] + s->noise_angle * noise(m, s, shown, index++));
    }
    for (int u = 0; u < m->nu; u++) speeds[u] = s->scale_speed * (shown->v[dof_of(m, u)] + s->noise_speed * noise(m, s, shown, index++));
    for (int u = 0; u < m->nu; u++) actions[u] = shown->action[u];
}

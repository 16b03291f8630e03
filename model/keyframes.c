/* Keyframes: poses that a file names; and the home pose that is chosen instead of the model's own. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "description.h"
#include "base/memory.h"
#include "base/nearest.h"

myr_status myr_add_keyframe(myr_builder *builder, const char *name, const double *q, int n, const double *control) {
    const size_t numbers = (size_t)n + (control ? (size_t)builder->n_actuators : 0);
    myr_described_keyframe key = {.name = myr_copy_text(name), .q = myr_allocate_array(numbers, sizeof *key.q), .n = n, .n_bodies = -1};
    if (key.q) memcpy(key.q, q, (size_t)n * sizeof *q);
    if (key.q && control) key.control = memcpy(key.q + n, control, (size_t)builder->n_actuators * sizeof *control);
    return myr_push_keyframe(builder, &key) ? MYR_OK : myr_fail(MYR_E_MEMORY, "out of memory for keyframe `%s`", name);
}

/* The control with which an episode begins: as it was given, or the one that holds the home pose. */
static double home_control(const myr_model *m, int u) {
    const myr_actuator *a = &m->actuators[u];
    if (a->has_home) return a->home;
    if (a->controls == MYR_CONTROLS_TORQUE || a->scale == 0.0) return 0.0;
    return (myr_actuator_length(m, u, m->home) - a->bias) / a->scale;
}

static int is_of(const myr_described_keyframe *key, int described) {
    return key->n_bodies < 0 || (described >= key->first_body && described < key->first_body + key->n_bodies);
}

/* Numbers of it, -1: bodies or actuators were added since. */
static int count_numbers(const myr_model *m, const myr_described_keyframe *key, const int *described) {
    int n = 0;
    for (int i = 0; i < m->n_bodies; i++) n += is_of(key, described[i]) ? m->bodies[i].nq : 0;
    return n == key->n && (key->n_bodies < 0 || key->first_actuator + key->n_actuators <= m->nu) ? n : -1;
}

static void fill(const myr_model *m, const myr_described_keyframe *from, const int *described, myr_keyframe *to) {
    memcpy(to->q, m->home, (size_t)m->nq * sizeof *to->q);
    for (int i = 0, at = 0; i < m->n_bodies; i++) {
        const myr_body *b = &m->bodies[i];
        if (!is_of(from, described[i])) continue;
        memcpy(to->q + b->q, from->q + at, (size_t)b->nq * sizeof *to->q);
        at += b->nq;
    }
    to->control = from->control ? to->q + m->nq : NULL;
    if (!to->control) return;
    const int whole = from->n_bodies < 0;
    for (int u = 0; u < m->nu; u++) to->control[u] = home_control(m, u);
    memcpy(to->control + (whole ? 0 : from->first_actuator), from->control, (size_t)(whole ? m->nu : from->n_actuators) * sizeof *to->q);
}

/* Copies, so that the builder may go; after the home pose, which others than those of a keyframe keep. */
myr_status myr_keep_keyframes(const myr_builder *builder, myr_model *m, const int *described) {
    m->keyframes = myr_allocate_array((size_t)builder->n_keyframes, sizeof *m->keyframes);
    if (!m->keyframes) return myr_fail(MYR_E_MEMORY, "out of memory for model `%s`", m->name);
    for (int k = 0; k < builder->n_keyframes; k++) {
        const myr_described_keyframe *from = &builder->keyframes[k];
        myr_keyframe *to = &m->keyframes[m->n_keyframes];
        if (count_numbers(m, from, described) < 0) continue;
        to->name = myr_copy_text(from->name);
        to->q = myr_allocate_array((size_t)(m->nq + m->nu), sizeof *to->q);
        if (!to->name || !to->q) {
            myr_release(to->name), myr_release(to->q);
            return myr_fail(MYR_E_MEMORY, "out of memory for model `%s`", m->name);
        }
        fill(m, from, described, to);
        m->n_keyframes++;
    }
    return MYR_OK;
}

myr_status myr_model_get_keyframe(const myr_model *m, int keyframe, myr_keyframe_info *info) {
    MYR_OWN_ARITHMETIC;
    if (!m || !info) return myr_fail(MYR_E_ARG, "myr_model_get_keyframe: `%s` is NULL", m ? "info" : "model");
    if (keyframe < 0 || keyframe >= m->n_keyframes)
        return myr_fail(MYR_E_ARG, "keyframe %d: model `%s` has %d keyframes", keyframe, m->name, m->n_keyframes);
    const myr_keyframe *k = &m->keyframes[keyframe];
    *info = (myr_keyframe_info){.name = k->name, .q = k->q, .control = k->control};
    return MYR_OK;
}

/* ---- another home ----------------------------------------------------------------------------- */

/* Loops whose home is open by more than this [m, rad] would be torn shut in the first step. */
static const double nearly_closed = 1e-6;

static myr_status put_home(myr_model *m, const double *q) {
    for (int i = 0; i < m->n_bodies; i++) {
        const myr_body *b = &m->bodies[i];
        const int turned = b->joint == MYR_JOINT_FREE ? 3 : 0;
        double size = 0.0;
        for (int k = 0; k < b->nq; k++)
            if (!isfinite(q[b->q + k]))
                return myr_fail(MYR_E_ARG, "home: number %d, of joint `%s`, is %g", b->q + k, b->joint_name, q[b->q + k]);
        if (b->nq == 1) {
            m->home[b->q] = q[b->q];
            continue;
        }
        for (int k = 0; k < turned; k++) m->home[b->q + k] = q[b->q + k];
        for (int k = turned; k < b->nq; k++) size = hypot(size, q[b->q + k]);
        if (!(size > 1e-9)) return myr_fail(MYR_E_ARG, "home: the quaternion of joint `%s` gives no direction", b->joint_name);
        for (int k = turned; k < b->nq; k++) m->home[b->q + k] = q[b->q + k] / size;
    }
    for (int leg = 0; leg < 4 && m->quadruped.valid; leg++)
        for (int k = 0; k < 3; k++)
            if (m->quadruped.joint[leg][k] >= 0) m->quadruped.home[leg][k] = m->home[m->bodies[m->quadruped.joint[leg][k]].q];
    if (!m->n_loops) return MYR_OK;
    double left = 0.0;
    int worst = 0;
    const myr_status status = myr_close_home(m, 0, &left, &worst);
    if (status || left <= nearly_closed) return status;
    return myr_fail(MYR_E_ARG, "home: loop `%s` of model `%s` does not close near this pose: it is open by %.3g m or rad",
                    m->loops[worst].name, m->name, left);
}

static myr_status find_keyframe(const myr_model *m, const char *name, const myr_keyframe **out) {
    myr_words words = {0};
    char hint[MYR_WORD_BYTES + 24], list[600];
    for (int k = 0; k < m->n_keyframes; k++) {
        myr_words_add(&words, m->keyframes[k].name);
        *out = &m->keyframes[k];
        if (!strcmp(m->keyframes[k].name, name)) return MYR_OK;
    }
    if (!m->n_keyframes) return myr_fail(MYR_E_ARG, "there is no keyframe `%.100s`: model `%s` has none", name, m->name);
    myr_words_hint(&words, name, hint, sizeof hint);
    myr_words_list(&words, list, sizeof list);
    return myr_fail(MYR_E_ARG, "there is no keyframe `%.100s`%s Model `%s` has: %s", name, *hint ? hint : ".", m->name, list);
}

myr_status myr_choose_home(myr_model *m, const myr_load_options *options) {
    const myr_keyframe *key = NULL;
    if (options->keyframe) {
        const myr_status status = find_keyframe(m, options->keyframe, &key);
        if (status) return status;
    }
    if (options->home && options->n_home != m->nq)
        return myr_fail(MYR_E_ARG, "home has %d numbers, but model `%s` has nq = %d", options->n_home, m->name, m->nq);
    for (int u = 0; u < m->nu && key; u++) {
        m->actuators[u].has_home = key->control != NULL;
        if (key->control) m->actuators[u].home = key->control[u];
    }
    for (int u = 0; u < m->nu && options->home; u++) m->actuators[u].has_home = 0; /* the pose itself is held */
    const double *q = options->home ? options->home : key ? key->q : NULL;
    const myr_status status = q ? put_home(m, q) : MYR_OK;
    if (status || !q) return status;
    myr_texts warnings = {m->warnings, m->n_warnings, m->n_warnings};
    const myr_status after = myr_home_in_ground(m, options->home ? MYR_SUNK_TOLD : MYR_SUNK_RAISED, &warnings);
    m->warnings = warnings.items, m->n_warnings = warnings.count;
    return after;
}

/* From the name of a joint, body, geom, frame or actuator to its number, and what is said where there is none. */
#include <stdio.h>
#include <string.h>

#include "model.h"
#include "base/nearest.h"

enum { MYR_MOST_SHOWN = 12 };

typedef const char *(*name_at)(const myr_model *model, int index);

static const char *joint_name(const myr_model *m, int i) { return m->bodies[i].joint_name; }
static const char *body_name(const myr_model *m, int i) { return m->bodies[i].name; }
static const char *geom_name(const myr_model *m, int i) { return m->geoms[i].name; }
static const char *frame_name(const myr_model *m, int i) { return m->frames[i].name; }

static const char *actuator_name(const myr_model *m, int i) { return m->actuators[i].name; }
static const char *sensor_name(const myr_model *m, int i) { return m->sensors[i].name; }

/* "; did you mean 'NEAREST'?" or "": the nearest of those that were nearest among a hundred each, for a model may have thousands. */
static void hint(const myr_model *m, name_at name, int count, const char *wrong, char *text, size_t room) {
    myr_words some = {0}, best = {0};
    for (int i = 0; i < count; i++) {
        myr_words_add(&some, name(m, i));
        if (some.n < MYR_MOST_WORDS && i + 1 < count) continue;
        const char *near = myr_words_nearest(&some, wrong);
        if (near) myr_words_add(&best, near);
        some.n = 0;
    }
    myr_words_hint(&best, wrong, text, room);
}

/* "; there are: a, b, c and 4 more" of what is called `wanted`, NULL: of all. */
static void list(const myr_model *m, name_at name, int count, const char *wanted, char *text, size_t room) {
    int shown = 0, more = 0;
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < count; i++) {
        if (wanted && strcmp(name(m, i), wanted) != 0) continue;
        if (shown == MYR_MOST_SHOWN) {
            more++;
            continue;
        }
        const char *before = shown++ ? ", " : wanted ? "" : "; there are: ";
        used += (size_t)(wanted ? snprintf(text + used, room - used, "%s%d", before, i)
                                : snprintf(text + used, room - used, "%s%.64s", before, name(m, i)));
    }
    if (more) snprintf(text + used, room - used, " and %d more", more);
}

static myr_status find(const myr_model *m, const char *kind, name_at name, int count, const char *wanted, int *out) {
    char near[MYR_WORD_BYTES + 24], all[16 + MYR_MOST_SHOWN * 68 + 24];
    int found = -1, times = 0;
    for (int i = 0; i < count; i++)
        if (!strcmp(name(m, i), wanted) && times++ == 0) found = i;
    if (times == 1) {
        *out = found;
        return MYR_OK;
    }
    if (times > 1) {
        list(m, name, count, wanted, all, sizeof all);
        return myr_fail(MYR_E_ARG, "model `%.64s` has %d %ss `%.64s`: ask by number, which is one of %s", m->name, times, kind, wanted,
                        all);
    }
    hint(m, name, count, wanted, near, sizeof near);
    if (!*near) list(m, name, count, NULL, all, sizeof all);
    return myr_fail(MYR_E_ARG, "model `%.64s` has no %s `%.64s`%s", m->name, kind, wanted, *near ? near : all);
}

/* What every search begins with; *out is -1 from there on. */
static myr_status check(const char *call, const myr_model *m, const char *name, int *out) {
    if (out) *out = -1;
    if (!m || !name || !out) return myr_fail(MYR_E_ARG, "%s: `%s` is NULL", call, !m ? "model" : !name ? "name" : "out");
    return MYR_OK;
}

myr_status myr_model_find_joint(const myr_model *m, const char *name, int *joint) {
    MYR_OWN_ARITHMETIC;
    const myr_status status = check("myr_model_find_joint", m, name, joint);
    return status ? status : find(m, "joint", joint_name, m->n_bodies, name, joint);
}

myr_status myr_model_find_body(const myr_model *m, const char *name, int *body) {
    MYR_OWN_ARITHMETIC;
    const myr_status status = check("myr_model_find_body", m, name, body);
    if (status) return status;
    for (int i = 0; i < m->n_bodies; i++)
        if (!strcmp(body_name(m, i), name)) return *body = i, MYR_OK;
    for (int f = 0; f < m->n_frames; f++) {
        const int carrier = m->frames[f].body;
        if (strcmp(frame_name(m, f), name) != 0) continue;
        return myr_fail(MYR_E_ARG, "`%.64s` of model `%.64s` does not move by itself: it is frame %d, fixed to %s%.64s%s", name, m->name, f,
                        carrier < 0 ? "the world" : "body `", carrier < 0 ? "" : body_name(m, carrier), carrier < 0 ? "" : "`");
    }
    return find(m, "body", body_name, m->n_bodies, name, body);
}

myr_status myr_model_find_geom(const myr_model *m, const char *name, int *geom) {
    MYR_OWN_ARITHMETIC;
    const myr_status status = check("myr_model_find_geom", m, name, geom);
    return status ? status : find(m, "geom", geom_name, m->n_geoms, name, geom);
}

myr_status myr_model_find_frame(const myr_model *m, const char *name, int *frame) {
    MYR_OWN_ARITHMETIC;
    const myr_status status = check("myr_model_find_frame", m, name, frame);
    return status ? status : find(m, "frame", frame_name, m->n_frames, name, frame);
}

myr_status myr_model_find_actuator(const myr_model *m, const char *name, int *actuator) {
    MYR_OWN_ARITHMETIC;
    const myr_status status = check("myr_model_find_actuator", m, name, actuator);
    return status ? status : find(m, "actuator", actuator_name, m->nu, name, actuator);
}

myr_status myr_model_find_sensor(const myr_model *m, const char *name, int *sensor) {
    MYR_OWN_ARITHMETIC;
    const myr_status status = check("myr_model_find_sensor", m, name, sensor);
    return status ? status : find(m, "sensor", sensor_name, m->n_sensors, name, sensor);
}

/* Sensors: from C calls, where every name is found, to those of a compiled model. */
#include <fnmatch.h>
#include <math.h>
#include <string.h>

#include "base/nearest.h"
#include "description.h"
#include "look.h"
#include "base/memory.h"
#include "base/rotation.h"
#include "signal.h"

typedef enum { FRAME, JOINT, BALL, ACTUATOR, TENDON, SHAPES } sensed_object;
enum { AFTER = MYR_SENSED_AFTER, OVER = MYR_SENSED_OVER, EVERY = MYR_SENSED_EVERY };

static const struct {
    const char *name, *unit, *doc;
    int rows, kept;
    sensed_object of;
    int when;
} kinds[MYR_SENSOR_KINDS] = {
#define MYR_SENSOR(NAME, name, rows, unit, of, when, kept, doc) {#name, unit, doc, rows, kept, of, when},
#include "myriapod/sensors.def"
#undef MYR_SENSOR
};

static int is_kind(myr_sensor_kind kind) { return (int)kind >= 0 && kind < MYR_SENSOR_KINDS; }
const char *myr_sensor_kind_name(myr_sensor_kind kind) { return is_kind(kind) ? kinds[kind].name : NULL; }
const char *myr_sensor_kind_doc(myr_sensor_kind kind) { return is_kind(kind) ? kinds[kind].doc : NULL; }

myr_sensor_def myr_sensor_def_default(void) {
    return (myr_sensor_def){.from = MYR_FROM_ALL,
                            .contacts = 1,
                            .data = MYR_SHOW_FOUND,
                            .threshold = 1.0,
                            .signal = {.every = 1, .history = 1},
                            .look = {.pattern = myr_ray_pattern_default(MYR_RAYS_GRID),
                                     .exclude = MYR_RAYS_EXCLUDE_BODY,
                                     .ground = 1,
                                     .shapes = 1,
                                     .range_m = 100.0}};
}

/* Those that need what the frame's body carries, and those that can be seen from another frame. */
static int needs_pieces(myr_sensor_kind kind) {
    return kind == MYR_SENSOR_FORCE || kind == MYR_SENSOR_TORQUE || kind == MYR_SENSOR_SUBTREECOM || kind == MYR_SENSOR_SUBTREELINVEL ||
           kind == MYR_SENSOR_SUBTREEANGMOM;
}
static int may_have_ref(myr_sensor_kind kind) { return kind <= MYR_SENSOR_FRAMEANGVEL; }

/* ---- from C calls ----------------------------------------------------------------------------- */

/* The message for a name that nothing has, with the nearest one that something has. */
static myr_status unknown(const myr_sensor_def *def, const char *what, const char *name, const myr_words *words) {
    char hint[MYR_WORD_BYTES + 24];
    myr_words_hint(words, name, hint, sizeof hint);
    return myr_fail(MYR_E_ARG, "sensor `%s`: there is no %s `%.200s`%s", def->name, what, name, hint);
}

static myr_status find_frame(const myr_builder *b, const myr_sensor_def *def, const char *name, int *body, myr_pose *pose) {
    myr_words words = {0};
    *pose = myr_pose_identity();
    *body = 0;
    if (!name) return b->n_bodies ? MYR_OK : myr_fail(MYR_E_ARG, "sensor `%s`: there is no body yet", def->name);
    if (myr_place_of(b, name, body, pose)) return MYR_OK;
    for (int i = 0; i < b->n_geoms; i++) { /* a foot may be a shape and nothing else; a hull has no axes that a file gives it */
        const myr_described_geom *g = &b->geoms[i];
        if (!g->n_points && !strcmp(g->name, name)) return *body = g->on_world ? -1 : g->body, *pose = g->pose, MYR_OK;
    }
    for (int i = 0; i < b->n_bodies; i++) myr_words_add(&words, b->bodies[i].name);
    for (int i = 0; i < b->n_frames; i++) myr_words_add(&words, b->frames[i].name);
    for (int i = 0; i < b->n_geoms; i++) myr_words_add(&words, b->geoms[i].name);
    return unknown(def, "body, site, frame or shape", name, &words);
}

static myr_status find_joint(const myr_builder *b, const myr_sensor_def *def, int ball, int *joint) {
    myr_words words = {0};
    const char *name = def->of ? def->of : "";
    for (int i = 0; i < b->n_bodies; i++) {
        const myr_joint_type type = b->bodies[i].joint;
        if (ball ? type != MYR_JOINT_BALL : type != MYR_JOINT_REVOLUTE && type != MYR_JOINT_PRISMATIC) continue;
        if (!strcmp(b->bodies[i].joint_name, name)) return *joint = i, MYR_OK;
        myr_words_add(&words, b->bodies[i].joint_name);
    }
    return unknown(def, ball ? "ball joint" : "joint of one degree of freedom", name, &words);
}

/* Joints that have actuators of their own without a word are actuators by their names. */
static myr_status find_actuator(const myr_builder *b, const myr_sensor_def *def, myr_described_sensor *to) {
    myr_words words = {0};
    const char *name = def->of ? def->of : "";
    if (!b->passive) return find_joint(b, def, 0, &to->joint);
    for (int u = 0; u < b->n_actuators; u++) {
        if (!strcmp(b->actuators[u].name, name)) return to->actuator = u, MYR_OK;
        myr_words_add(&words, b->actuators[u].name);
    }
    return unknown(def, "actuator", name, &words);
}

static myr_status find_tendon(const myr_builder *b, const myr_sensor_def *def, myr_described_sensor *to) {
    myr_words words = {0};
    const char *name = def->of ? def->of : "";
    for (int i = 0; i < b->n_tendons; i++) {
        const myr_tendon_def *tendon = &b->tendons[i].def;
        myr_words_add(&words, b->tendons[i].name);
        if (strcmp(b->tendons[i].name, name) != 0) continue;
        to->n_terms = tendon->n;
        for (int k = 0; k < tendon->n; k++) to->joints[k] = tendon->joints[k], to->coefficients[k] = tendon->coefficients[k];
        return MYR_OK;
    }
    return unknown(def, "tendon", name, &words);
}

/* Geoms of these names into a list; `ground` (nullable): may the ground be among them? */
static myr_status find_geoms(const myr_builder *b, const myr_sensor_def *def, const char *names, int *geoms, int *n, int *ground) {
    char name[MYR_NAME_BYTES];
    myr_words words = {0};
    for (int i = 0; i < b->n_geoms; i++) myr_words_add(&words, b->geoms[i].name);
    for (const char *rest = names; rest;) {
        int found = 0;
        rest = myr_next_name(rest, name);
        for (int i = 0; i < b->n_geoms; i++) {
            if (fnmatch(name, b->geoms[i].name, 0) != 0) continue;
            found = 1;
            for (int k = 0; k < *n; k++) found |= geoms[k] == i ? 2 : 0;
            if (found & 2) continue;
            if (*n == MYR_SENSED_GEOMS)
                return myr_fail(MYR_E_LIMIT, "sensor `%s`: `%.200s` are more than %d shapes", def->name, names, MYR_SENSED_GEOMS);
            geoms[(*n)++] = i;
        }
        if (!found && ground && !strcmp(name, "ground")) found = *ground = 1;
        if (!found) return unknown(def, "shape", name, &words);
    }
    return MYR_OK;
}

static myr_status find_shapes(const myr_builder *b, const myr_sensor_def *def, myr_described_sensor *to) {
    const int single = def->kind == MYR_SENSOR_CONTACT;
    const myr_status status = find_geoms(b, def, def->of ? def->of : "", to->geoms, &to->n_geoms, single ? &to->ground : NULL);
    to->any_other = !def->touching;
    if (status || !single || !def->touching) return status;
    return find_geoms(b, def, def->touching, to->others, &to->n_others, &to->other_ground);
}

static myr_status find_object(const myr_builder *b, const myr_sensor_def *def, myr_described_sensor *to) {
    switch (kinds[def->kind].of) {
    case FRAME: return find_frame(b, def, def->of, &to->body, &to->pose);
    case JOINT: return find_joint(b, def, 0, &to->joint);
    case BALL: return find_joint(b, def, 1, &to->joint);
    case ACTUATOR: return find_actuator(b, def, to);
    case TENDON: return find_tendon(b, def, to);
    default: return find_shapes(b, def, to);
    }
}

static myr_status check_def(const myr_builder *b, const myr_sensor_def *def) {
    if (!def->name || !*def->name) return myr_fail(MYR_E_ARG, "a sensor needs a name");
    if (myr_has_sensor(b, def->name)) return myr_fail(MYR_E_ARG, "sensor `%s`: another one has this name", def->name);
    if (b->n_sensors >= MYR_MOST_SENSORS)
        return myr_fail(MYR_E_LIMIT, "sensor `%s`: a model holds at most %d sensors", def->name, MYR_MOST_SENSORS);
    if (!is_kind(def->kind)) return myr_fail(MYR_E_ARG, "sensor `%s`: there is no kind %d", def->name, (int)def->kind);
    if (def->ref && !may_have_ref(def->kind))
        return myr_fail(MYR_E_ARG, "sensor `%s`: a %s is not seen from a frame: ref must be NULL", def->name, kinds[def->kind].name);
    if (def->kind == MYR_SENSOR_CONTACT && (def->contacts < 1 || def->contacts > MYR_CONTACTS_MOST))
        return myr_fail(MYR_E_ARG, "sensor `%s`: contacts is %d, but must be 1 to %d", def->name, def->contacts, MYR_CONTACTS_MOST);
    if (def->kind == MYR_SENSOR_CONTACT && (def->data < 1 || def->data > MYR_SHOW_ALL))
        return myr_fail(MYR_E_ARG, "sensor `%s`: data is %u, but must be bits of MYR_SHOW_*", def->name, def->data);
    if ((int)def->reduce < 0 || def->reduce > MYR_REDUCE_NETFORCE)
        return myr_fail(MYR_E_ARG, "sensor `%s`: there is no way %d to reduce", def->name, (int)def->reduce);
    if (def->from > MYR_FROM_ALL)
        return myr_fail(MYR_E_ARG, "sensor `%s`: from is %u, but must be bits of MYR_FROM_*", def->name, def->from);
    const struct {
        const char *what;
        double value;
        int may_be_negative;
    } numbers[] = {{"vector[0]", def->vector[0], 1},
                   {"vector[1]", def->vector[1], 1},
                   {"vector[2]", def->vector[2], 1},
                   {"threshold", def->threshold, 0},
                   {"cutoff", def->cutoff, 0}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (!isfinite(numbers[i].value) || (numbers[i].value < 0.0 && !numbers[i].may_be_negative))
            return myr_fail(MYR_E_ARG, "sensor `%s`: %s is %g; it must be finite%s", def->name, numbers[i].what, numbers[i].value,
                            numbers[i].may_be_negative ? "" : " and not negative");
    const myr_status status = myr_check_look(def->name, def->kind, &def->look);
    return status ? status : myr_check_signal(def->name, &def->signal);
}

myr_status myr_builder_sensor(myr_builder *builder, const myr_sensor_def *def) {
    MYR_OWN_ARITHMETIC;
    if (!builder || !def) return myr_fail(MYR_E_ARG, "myr_builder_sensor: `%s` is NULL", builder ? "def" : "builder");
    myr_described_sensor sensor = {.kind = def->kind,
                                   .body = -1,
                                   .ref = -1,
                                   .has_ref = def->ref != NULL,
                                   .pose = myr_pose_identity(),
                                   .ref_pose = myr_pose_identity(),
                                   .joint = -1,
                                   .actuator = -1,
                                   .from = def->from,
                                   .contacts = def->contacts,
                                   .data = def->data,
                                   .reduce = def->reduce,
                                   .threshold = def->threshold,
                                   .cutoff = def->cutoff,
                                   .signal = def->signal,
                                   .look = def->look,
                                   .scale = 1.0};
    myr_status status = check_def(builder, def);
    if (!status) status = find_object(builder, def, &sensor);
    if (!status && def->ref) status = find_frame(builder, def, def->ref, &sensor.ref, &sensor.ref_pose);
    if (status) return status;
    if (needs_pieces(def->kind) && sensor.body < 0)
        return myr_fail(MYR_E_ARG, "sensor `%s`: `%.200s` is fixed to the world, which nothing holds", def->name, def->of ? def->of : "");
    myr_copy3(sensor.vector, def->vector);
    sensor.name = myr_copy_text(def->name);
    if (!myr_push_sensor(builder, &sensor)) return myr_fail(MYR_E_MEMORY, "out of memory for sensor `%s`", def->name);
    return MYR_OK;
}

/* ---- compiled --------------------------------------------------------------------------------- */

static myr_fixed_frame fixed_frame(const myr_model *m, const myr_carried *places, int described, const myr_pose *pose) {
    const myr_carried whole = myr_carry(places, described, pose);
    return myr_fix_frame(m, &whole);
}

/* Is described body i the body `above`, or carried by it? */
static int is_below(const myr_builder *b, int i, int above) {
    while (i >= 0 && i != above) i = b->bodies[i].parent;
    return i == above;
}

/* What the described body carries: whole moving bodies, and, where it is fixed to one that it does not carry, its own share of that one. */
static myr_status find_pieces(const myr_builder *b, myr_model *m, const myr_carried *places, int above, myr_sensor *to) {
    double mass = 0.0;
    to->pieces = myr_allocate_array((size_t)m->n_bodies + 1, sizeof *to->pieces);
    to->shapes = myr_allocate_array((size_t)m->n_geoms + 1, sizeof *to->shapes);
    if (!to->pieces || !to->shapes) return myr_fail(MYR_E_MEMORY, "out of memory for sensor `%s`", to->name);
    const int shared = b->bodies[above].joint == MYR_JOINT_FIXED ? places[above].body : -1;
    if (shared >= 0) to->pieces[to->n_pieces++] = (myr_piece){.body = shared};
    for (int i = 0; i < b->n_bodies; i++) {
        if (!is_below(b, i, above)) continue;
        mass += b->bodies[i].mass;
        if (b->bodies[i].joint != MYR_JOINT_FIXED)
            to->pieces[to->n_pieces++] = (myr_piece){.body = places[i].body, .whole = 1};
        else if (shared >= 0 && places[i].body == shared)
            myr_add_inertia(&b->bodies[i], &places[i].pose, &to->pieces[0].mass, to->pieces[0].com, to->pieces[0].inertia);
    }
    for (int g = 0; g < b->n_geoms; g++) to->shapes[g] = (unsigned char)is_below(b, b->geoms[g].body, above);
    if (mass > 0.0 && places[above].body >= 0) return MYR_OK;
    return myr_fail(b->label ? MYR_E_FORMAT : MYR_E_ARG, "%s%ssensor `%s`: `%s` and what it carries %s", b->label ? b->label : "",
                    b->label ? ": " : "", to->name, b->bodies[above].name, mass > 0.0 ? "does not move" : "weigh nothing");
}

/* Of single contacts: the ground among the shapes, the second shapes, how much is read and kept. */
static myr_status find_contacts(const myr_model *m, const myr_described_sensor *from, myr_sensor *to) {
    static const int sizes[] = {1, 3, 3, 1, 3, 3, 3}; /* in the order of MYR_SHOW_* */
    int each = 0;
    to->others = myr_allocate_array((size_t)m->n_geoms + 1, sizeof *to->others);
    if (!to->others) return myr_fail(MYR_E_MEMORY, "out of memory for sensor `%s`", from->name);
    if (from->any_first) memset(to->shapes, 1, (size_t)m->n_geoms + 1);
    memset(to->others, from->any_other, (size_t)m->n_geoms + 1);
    for (int k = 0; k < from->n_others; k++) to->others[from->others[k]] = 1;
    to->shapes[m->n_geoms] |= (unsigned char)from->ground, to->others[m->n_geoms] |= (unsigned char)from->other_ground;
    for (int k = 0; k < 7; k++) each += from->data >> k & 1u ? sizes[k] : 0;
    to->contacts = from->contacts, to->data = from->data, to->reduce = from->reduce;
    to->size = to->contacts * each, to->n_kept = 1 + to->contacts * MYR_CONTACT_KEPT;
    return MYR_OK;
}

static myr_status compile_sensor(const myr_builder *b, myr_model *m, const myr_carried *places, const myr_described_sensor *from,
                                 myr_sensor *to) {
    const sensed_object of = kinds[from->kind].of;
    const myr_pose here = myr_pose_identity();
    to->name = myr_copy_text(from->name);
    to->kind = from->kind, to->when = (myr_sensed)kinds[from->kind].when;
    to->size = kinds[from->kind].rows, to->signal = from->signal, to->n_kept = kinds[from->kind].kept;
    to->of = fixed_frame(m, places, from->body, &from->pose);
    to->ref = from->has_ref ? fixed_frame(m, places, from->ref, &from->ref_pose) : fixed_frame(m, places, -1, &here);
    to->from = from->from, to->threshold = from->threshold, to->cutoff = from->cutoff, to->scale = from->scale;
    myr_copy3(to->vector, from->vector);
    to->look = from->look, to->n_terms = from->n_terms;
    for (int k = 0; k < from->n_terms; k++) to->joints[k] = places[from->joints[k]].body, to->coefficients[k] = from->coefficients[k];
    to->joint = from->joint >= 0 ? places[from->joint].body : -1, to->actuator = from->actuator;
    if (of == ACTUATOR && from->actuator < 0) to->actuator = m->bodies[to->joint].u;
    if (!to->name) return myr_fail(MYR_E_MEMORY, "out of memory for sensor `%s`", from->name);
    to->volume = from->volume;
    m->senses_bodies |= of == FRAME || from->volume;
    if (myr_looks(from->kind)) return myr_find_look(b, from->body, to, m);
    if (needs_pieces(from->kind)) return find_pieces(b, m, places, from->body, to);
    if (of != SHAPES) return MYR_OK;
    to->shapes = myr_allocate_array((size_t)m->n_geoms + 1, sizeof *to->shapes);
    if (!to->shapes) return myr_fail(MYR_E_MEMORY, "out of memory for sensor `%s`", from->name);
    for (int k = 0; k < from->n_geoms; k++) to->shapes[from->geoms[k]] = 1;
    return from->kind == MYR_SENSOR_CONTACT ? find_contacts(m, from, to) : MYR_OK;
}

myr_status myr_find_sensors(const myr_builder *builder, myr_model *m, const myr_carried *places) {
    m->sensors = myr_allocate_array((size_t)builder->n_sensors + 1, sizeof *m->sensors);
    if (!m->sensors) return myr_fail(MYR_E_MEMORY, "out of memory for model `%s`", m->name);
    for (int i = 0; i < builder->n_sensors; i++) {
        myr_sensor *to = &m->sensors[m->n_sensors++];
        const myr_status status = compile_sensor(builder, m, places, &builder->sensors[i], to);
        if (status) return status;
        to->n_rows = to->size * myr_signal_shown(&to->signal);
        to->row = m->n_sensor_rows, to->kept = m->n_sensor_kept;
        m->n_sensor_rows += to->n_rows, m->n_sensor_kept += to->n_kept;
        const int memory = myr_signal_rows(&to->signal, to->size, to->when == MYR_SENSED_EVERY);
        to->memory = memory ? m->n_sensor_memory : -1;
        m->n_sensor_memory += memory;
        if (m->n_sensor_rows + m->n_sensor_memory > MYR_MOST_SENSOR_ROWS)
            return myr_fail(MYR_E_LIMIT,
                            "sensor `%s`: with what they remember, the sensors up to this one take %d rows; a model has at most %d",
                            to->name, m->n_sensor_rows + m->n_sensor_memory, MYR_MOST_SENSOR_ROWS);
    }
    return MYR_OK;
}

myr_status myr_model_get_sensor(const myr_model *model, int sensor, myr_sensor_info *info) {
    MYR_OWN_ARITHMETIC;
    if (!model || !info) return myr_fail(MYR_E_ARG, "myr_model_get_sensor: `%s` is NULL", model ? "info" : "model");
    if (sensor < 0 || sensor >= model->n_sensors)
        return myr_fail(MYR_E_ARG, "sensor %d: model `%s` has %d sensors", sensor, model->name, model->n_sensors);
    const myr_sensor *s = &model->sensors[sensor];
    *info = (myr_sensor_info){.name = s->name,
                              .kind = s->kind,
                              .row = s->row,
                              .n_rows = s->n_rows,
                              .unit = kinds[s->kind].unit,
                              .size = s->size,
                              .history = myr_signal_shown(&s->signal),
                              .signal = s->signal};
    if (!myr_looks(s->kind)) return MYR_OK;
    double align[9], back[9], turn[9]; /* align: user -> aligned */
    if (s->of.body < 0)
        myr_identity3(align);
    else
        memcpy(align, model->bodies[s->of.body].align, sizeof align);
    myr_transpose3(back, align);
    myr_rotate(info->position_m, back, s->of.at);
    myr_multiply3(turn, back, s->of.turn);
    myr_quaternion_from_rotation(info->quaternion, turn);
    info->body = s->of.body, info->look = s->look, info->n_rays = s->n_rays, info->rays = s->rays;
    return MYR_OK;
}

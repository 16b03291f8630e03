/* <sensor> of an MJCF: kinds that are here by MuJoCo's words; every other one is named as lost, and so is one of what the file does not
 * have: MuJoCo refuses such a file, but the robot moves as well without. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "mjcf.h"

/* MJCF does not have the kinds that are our own, but they are read as well. */
static int kind_of(const char *word) {
    for (int k = 0; k < MYR_SENSOR_KINDS; k++)
        if (!strcmp(myr_sensor_kind_name((myr_sensor_kind)k), word)) return k;
    return -1;
}

typedef struct building {
    myr_mjcf *m;
    myr_builder *builder;
    const myr_mjcf_host *hosts;
    const int *links;
    const myr_xml_node *node;
    const char *lost; /* why it is left out, NULL: it is not */
} building;

/* objtype `body` is the frame of the inertia. Where its axes are MuJoCo's to choose, only what needs no axes is read of it. */
static myr_status find_object(building *b, const char *type, const char *name, int axes, int *link, myr_pose *pose) {
    static const double none[3] = {0.0, 0.0, 0.0}, still[4] = {1.0, 0.0, 0.0, 0.0};
    if (!strcmp(type, "site")) {
        const int i = myr_mjcf_find_site(b->m, name);
        if (i < 0) return b->lost = "no such site", MYR_OK;
        myr_mjcf_hosted(b->hosts, b->m->sites[i].body, b->m->sites[i].position, b->m->sites[i].quaternion, link, pose);
        return MYR_OK;
    }
    if (!strcmp(type, "body") || !strcmp(type, "xbody")) {
        const int i = !strcmp(name, "world") ? -1 : myr_mjcf_find_body(b->m, name), inertial = !strcmp(type, "body") && i >= 0;
        if (i < 0 && strcmp(name, "world") != 0) return b->lost = "no such body", MYR_OK;
        const myr_mjcf_body *is = inertial ? &b->m->bodies[i] : NULL;
        const double *at = !is ? none : is->has_inertial || is->n_axes ? is->inertia.com : is->given_position; /* as MuJoCo's */
        myr_mjcf_hosted(b->hosts, i, at, is && is->knows_axes ? is->inertial : still, link, pose);
        if (is && axes && !is->knows_axes) b->lost = "inertial axes";
        return MYR_OK;
    }
    if (!strcmp(type, "geom"))
        for (int i = 0; i < b->m->n_geoms; i++)
            if (!strcmp(b->m->geoms[i].name, name)) {
                myr_mjcf_hosted(b->hosts, b->m->geoms[i].body, b->m->geoms[i].position, b->m->geoms[i].quaternion, link, pose);
                if (b->m->geoms[i].mesh) b->lost = "a mesh's axes";
                return MYR_OK;
            }
    b->lost = "what it is of";
    return MYR_OK;
}

static myr_status find_frames(building *b, myr_described_sensor *to) {
    const myr_xml_node *node = b->node;
    const char *site = myr_xml_text(node, "site"), *body = myr_xml_text(node, "body");
    const char *type = site ? "site" : body ? "xbody" : myr_xml_text(node, "objtype");
    const char *name = site ? site : body ? body : myr_xml_text(node, "objname");
    const char *ref_type = myr_xml_text(node, "reftype"), *ref = myr_xml_text(node, "refname");
    const int turned = to->kind >= MYR_SENSOR_FRAMEQUAT && to->kind <= MYR_SENSOR_FRAMEZAXIS;
    if (!type || !name) return b->lost = "it is of nothing", MYR_OK;
    myr_status status = find_object(b, type, name, turned, &to->body, &to->pose);
    if (status || b->lost || !ref_type || !ref || to->kind > MYR_SENSOR_FRAMEANGVEL) return status;
    to->has_ref = 1;
    return find_object(b, ref_type, ref, 1, &to->ref, &to->ref_pose);
}

static myr_status find_joint(building *b, myr_described_sensor *to) {
    const char *name = myr_xml_text(b->node, "joint");
    const int joint = name ? myr_mjcf_find_joint(b->m, name) : -1;
    if (joint < 0) return b->lost = "no such joint", MYR_OK;
    const int ball = to->kind == MYR_SENSOR_BALLQUAT || to->kind == MYR_SENSOR_BALLANGVEL, type = (int)b->m->joints[joint].type;
    if (ball ? type != MYR_MJCF_BALL : type < MYR_MJCF_SLIDE) b->lost = "its joint";
    to->joint = b->links[joint];
    return MYR_OK;
}

static myr_status find_actuator(building *b, myr_described_sensor *to) {
    const char *name = myr_xml_text(b->node, "actuator");
    for (int u = 0; u < b->builder->n_actuators && name; u++)
        if (!strcmp(b->builder->actuators[u].name, name)) to->actuator = u;
    for (int i = 0; i < b->m->n_actuators && name; i++)
        if (!strcmp(b->m->actuators[i].name, name)) {
            if (to->actuator < 0)
                b->lost = "its actuator";
            else if (b->builder->actuators[to->actuator].def.n == 1) /* the gear went into the gains (mjcf_build_actuators.c) */
                to->scale = to->kind == MYR_SENSOR_ACTUATORFRC ? 1.0 / b->m->actuators[i].gear : b->m->actuators[i].gear;
            return MYR_OK;
        }
    if (to->actuator < 0) b->lost = "no such actuator";
    return MYR_OK;
}

static myr_status find_tendon(building *b, myr_described_sensor *to) {
    const char *name = myr_xml_text(b->node, "tendon");
    const myr_mjcf_tendon *t = name ? myr_mjcf_find_tendon(b->m, name) : NULL;
    if (!t) return b->lost = "no such tendon", MYR_OK;
    if (!t->is_fixed || t->n > MYR_COUPLED_JOINTS)
        return b->lost = t->is_fixed ? "its tendon has too many joints" : "a spatial tendon", MYR_OK;
    for (int i = 0; i < t->n; i++) {
        const int joint = myr_mjcf_find_joint(b->m, t->joint[i]);
        if (joint < 0 || (int)b->m->joints[joint].type < MYR_MJCF_SLIDE) return b->lost = "a joint of its tendon", MYR_OK;
        to->joints[to->n_terms] = b->links[joint], to->coefficients[to->n_terms++] = t->coefficient[i];
    }
    return MYR_OK;
}

/* Contacts of the site's body within the site. */
static myr_status find_touched(building *b, myr_described_sensor *to) {
    const char *name = myr_xml_text(b->node, "site");
    const int site = name ? myr_mjcf_find_site(b->m, name) : -1;
    if (site < 0) return b->lost = "no such site", MYR_OK;
    const myr_mjcf_site *s = &b->m->sites[site];
    myr_mjcf_hosted(b->hosts, s->body, s->position, s->quaternion, &to->body, &to->pose);
    to->volume = (myr_sensed_volume)(s->type + 1);
    myr_copy3(to->vector, s->size);
    for (int i = 0; i < b->m->n_geoms; i++) {
        if (b->m->geoms[i].body != s->body || b->m->geoms[i].made < 0) continue;
        if (to->n_geoms == MYR_SENSED_GEOMS) return b->lost = "too many shapes", MYR_OK;
        to->geoms[to->n_geoms++] = b->m->geoms[i].made;
    }
    return MYR_OK;
}

static myr_status find_of(building *b, myr_described_sensor *to) {
    switch (to->kind) {
    case MYR_SENSOR_TOUCH: return find_touched(b, to);
    case MYR_SENSOR_CONTACT: return myr_mjcf_find_contacts(b->m, b->hosts, b->node, to, &b->lost);
    case MYR_SENSOR_CONTACT_FORCE:
    case MYR_SENSOR_HEIGHT_SCAN:
    case MYR_SENSOR_RAYS:
    case MYR_SENSOR_AIR_TIME: return b->lost = "its kind", MYR_OK; /* no element says of which shapes, or where they look */
    case MYR_SENSOR_JOINTPOS:
    case MYR_SENSOR_JOINTVEL:
    case MYR_SENSOR_BALLQUAT:
    case MYR_SENSOR_BALLANGVEL:
    case MYR_SENSOR_JOINTACTUATORFRC: return find_joint(b, to);
    case MYR_SENSOR_TENDONPOS:
    case MYR_SENSOR_TENDONVEL: return find_tendon(b, to);
    case MYR_SENSOR_ACTUATORPOS:
    case MYR_SENSOR_ACTUATORVEL:
    case MYR_SENSOR_ACTUATORFRC: return find_actuator(b, to);
    default: return find_frames(b, to);
    }
}

static myr_status name_sensor(const building *b, int number, char *name, size_t bytes) {
    const char *own = myr_mjcf_name(b->node);
    if (*own)
        snprintf(name, bytes, "%.250s", own);
    else
        snprintf(name, bytes, "%s_%d", b->node->name, number);
    return myr_has_sensor(b->builder, name) ? myr_xml_fail(b->m->xml, b->node, "another sensor is called `%.100s`", name) : MYR_OK;
}

/* Is the body held by a joint, its own or of one that carries it? */
static int moves(const myr_builder *builder, int body) {
    while (body >= 0 && builder->bodies[body].joint == MYR_JOINT_FIXED) body = builder->bodies[body].parent;
    return body >= 0;
}

/* Does the body weigh anything, with all that it carries? */
static int weighs(const myr_builder *builder, int body) {
    for (int i = 0; i < builder->n_bodies; i++) {
        int above = i;
        while (above >= 0 && above != body) above = builder->bodies[above].parent;
        if (above == body && builder->bodies[i].mass > 0.0) return 1;
    }
    return 0;
}

static myr_status add_sensor(building *b, int number) {
    const int kind = kind_of(b->node->name);
    char name[300];
    myr_described_sensor to = {.kind = (myr_sensor_kind)kind,
                               .body = -1,
                               .ref = -1,
                               .pose = myr_pose_identity(),
                               .ref_pose = myr_pose_identity(),
                               .joint = -1,
                               .actuator = -1,
                               .from = MYR_FROM_ALL,
                               .contacts = 1,
                               .data = MYR_SHOW_FOUND,
                               .signal = myr_sensor_def_default().signal,
                               .look = myr_sensor_def_default().look,
                               .scale = 1.0};
    const myr_mjcf_element e = {b->node, -1};
    to.look.range_m = MYR_RAYS_FARTHEST; /* MuJoCo's have no end */
    b->lost = kind < 0 ? "its kind" : NULL;
    myr_status status = kind < 0 ? MYR_OK : find_of(b, &to);
    if (!status && kind != MYR_SENSOR_CONTACT) status = myr_mjcf_numbers(b->m, &e, "cutoff", &to.cutoff, 1); /* MuJoCo cuts none either */
    const char *data = kind == MYR_SENSOR_RANGEFINDER ? myr_xml_text(b->node, "data") : NULL;
    if (data && strcmp(data, "dist") != 0) b->lost = "its data";
    if (!status && kind == MYR_SENSOR_MAGNETOMETER) myr_copy3(to.vector, b->m->magnetic);
    const int held =
        kind == MYR_SENSOR_FORCE || kind == MYR_SENSOR_TORQUE || (kind >= MYR_SENSOR_SUBTREECOM && kind <= MYR_SENSOR_SUBTREEANGMOM);
    if (!status && !b->lost && held && !moves(b->builder, to.body)) b->lost = "what does not move";
    if (!status && !b->lost && held && !weighs(b->builder, to.body)) b->lost = "what weighs nothing";
    if (!status && b->lost) {
        snprintf(name, sizeof name, "%.60s %.100s (%s)", b->node->name, myr_mjcf_name(b->node), b->lost);
        return myr_mjcf_lose(b->m, MYR_MJCF_LOST_SENSORS, b->node, name);
    }
    if (!status) status = name_sensor(b, number, name, sizeof name);
    if (status) return status;
    to.name = myr_copy_text(name);
    return myr_push_sensor(b->builder, &to) ? MYR_OK : myr_fail(MYR_E_MEMORY, "%.300s: out of memory", b->m->xml->label);
}

myr_status myr_mjcf_build_sensors(myr_mjcf *m, myr_builder *builder, const myr_mjcf_host *hosts, const int *links) {
    building b = {.m = m, .builder = builder, .hosts = hosts, .links = links};
    myr_status status = MYR_OK;
    int number = 0;
    for (const myr_xml_node *node = myr_mjcf_section(m, "sensor", NULL); node && !status; node = myr_mjcf_section(m, "sensor", node))
        for (const myr_xml_node *child = node->children; child && !status; child = child->next) {
            if (builder->n_sensors >= MYR_MOST_SENSORS)
                return myr_xml_fail(m->xml, child, "a model has at most %d sensors", MYR_MOST_SENSORS);
            b.node = child;
            status = add_sensor(&b, number++);
        }
    return status;
}

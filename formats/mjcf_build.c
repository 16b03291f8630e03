/* From the table of an MJCF to the builder's calls. A body with several joints becomes a chain of bodies, of which the last one weighs
 * something; a joint away from its body's origin moves the origin: MJCF's frames stay by name. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/nearest.h"
#include "mjcf.h"

int myr_mjcf_find_body(const myr_mjcf *m, const char *name) {
    for (int i = 0; i < m->n_bodies && *name; i++)
        if (!strcmp(m->bodies[i].name, name)) return i;
    return -1;
}

int myr_mjcf_find_site(const myr_mjcf *m, const char *name) {
    for (int i = 0; i < m->n_sites && *name; i++)
        if (!strcmp(m->sites[i].name, name)) return i;
    return -1;
}

int myr_mjcf_find_joint(const myr_mjcf *m, const char *name) {
    for (int i = 0; i < m->n_joints && *name; i++)
        if (!strcmp(m->joints[i].name, name)) return i;
    return -1;
}

myr_status myr_mjcf_no_joint(const myr_mjcf *m, const myr_xml_node *node, const char *name) {
    const char *near = NULL;
    const char **names = myr_allocate_array((size_t)m->n_joints + 1, sizeof *names);
    for (int i = 0; names && i < m->n_joints; i++) names[i] = m->joints[i].name;
    if (names) near = myr_nearest(name, names, (size_t)m->n_joints);
    myr_release(names);
    return near && *near ? myr_xml_fail(m->xml, node, "there is no joint `%.100s`; did you mean `%.100s`?", name, near)
                         : myr_xml_fail(m->xml, node, "there is no joint `%.100s`", name);
}

myr_status myr_mjcf_blame(const myr_mjcf *m, const myr_xml_node *node, myr_status status) {
    if (status != MYR_E_ARG) return status;
    char said[1024];
    snprintf(said, sizeof said, "%s", myr_message());
    return myr_xml_fail(m->xml, node, "%s", said);
}

/* ---- names ------------------------------------------------------------------------------------ */

/* What bodies are called that have no name, or whose name is their frame's. */
typedef struct names {
    char body[320], joint[320];
} names;

static void body_name(const myr_mjcf *m, int i, char *name, size_t bytes) {
    if (*m->bodies[i].name)
        snprintf(name, bytes, "%.250s", m->bodies[i].name);
    else
        snprintf(name, bytes, "body_%d", i + 1);
}

/* Joint k of body i, which is the last one and in the origin, or not. */
static void name_link(const myr_mjcf *m, int i, int k, int is_body, names *out) {
    char own[256];
    body_name(m, i, own, sizeof own);
    const char *joint = k < 0 ? "" : m->joints[k].name;
    if (k >= 0 && *joint)
        snprintf(out->joint, sizeof out->joint, "%.250s", joint);
    else
        snprintf(out->joint, sizeof out->joint, k >= 0 && m->bodies[i].n_joints > 1 ? "%.250s_joint_%d" : "%.250s", own,
                 k - m->bodies[i].first_joint + 1);
    if (is_body)
        snprintf(out->body, sizeof out->body, "%s", own);
    else
        snprintf(out->body, sizeof out->body, "%.150s.%.150s", own, out->joint);
}

/* ---- joints ----------------------------------------------------------------------------------- */

/* The pose of the joint where its position is 0: MJCF's bodies stand as they are drawn where it is `ref`. */
static void joint_pose(const myr_mjcf_joint *j, const double at[3], const double turn[4], myr_body_def *def) {
    myr_mjcf_frame pose = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}};
    memcpy(pose.quaternion, turn, sizeof pose.quaternion);
    myr_copy3(pose.position, at);
    double back[3] = {0.0, 0.0, 0.0}, still[4] = {1.0, 0.0, 0.0, 0.0};
    if (j->type == MYR_MJCF_SLIDE)
        for (int k = 0; k < 3; k++) back[k] = -j->reference * j->axis[k];
    if (j->type == MYR_MJCF_HINGE) {
        still[0] = cos(0.5 * j->reference);
        for (int k = 0; k < 3; k++) still[1 + k] = -sin(0.5 * j->reference) * j->axis[k];
    }
    myr_mjcf_within(&pose, back, still);
    myr_copy3(def->position_m, back);
    memcpy(def->quaternion, still, sizeof still);
}

double myr_mjcf_moment(const myr_mjcf *m, const myr_mjcf_actuator *a, int k) {
    const char *joint = m->joints[k].name;
    double moment = a->transmission == MYR_MJCF_TO_JOINT && !strcmp(a->target, joint) ? a->gear : 0.0;
    for (int t = 0; t < m->n_tendons && a->transmission == MYR_MJCF_TO_TENDON; t++) {
        const myr_mjcf_tendon *tendon = &m->tendons[t];
        if (strcmp(tendon->name, a->target) != 0) continue;
        for (int n = 0; n < tendon->n && n < MYR_COUPLED_JOINTS; n++)
            if (!strcmp(tendon->joint[n], joint)) moment += a->gear * tendon->coefficient[n];
    }
    return moment;
}

static myr_status lose_friction(myr_mjcf *m, const myr_mjcf_joint *j) {
    char what[160];
    snprintf(what, sizeof what, "frictionloss of `%.60s`, which is neither a hinge nor a slider", j->name);
    return myr_mjcf_lose(m, MYR_MJCF_LOST_ATTRIBUTES, j->node, what);
}

static myr_status fill_joint(myr_mjcf *m, const myr_mjcf_joint *j, myr_body_def *def) {
    static const myr_joint_type types[] = {MYR_JOINT_FREE, MYR_JOINT_BALL, MYR_JOINT_PRISMATIC, MYR_JOINT_REVOLUTE};
    const int one = j->type == MYR_MJCF_SLIDE || j->type == MYR_MJCF_HINGE;
    def->joint = types[j->type];
    myr_copy3(def->axis, j->axis);
    def->damping = j->damping;
    def->armature = j->armature;
    if (one) {
        def->dry_friction = j->friction;
        def->stiffness = j->stiffness, def->spring_rest = j->spring_reference;
        if (j->limited) def->lower = j->range[0], def->upper = j->range[1];
        if (j->force_limited) def->effort_limit = fmax(0.0, fmax(-j->force_range[0], j->force_range[1])); /* else: its actuator's */
    }
    for (int i = 0; i < m->n_actuators && one; i++) { /* rotors that the file gives with what drives them */
        const myr_mjcf_actuator *a = &m->actuators[i];
        if (a->transmission != MYR_MJCF_TO_JOINT || strcmp(a->target, j->name) != 0) continue;
        if (a->armature != 0.0) def->armature += a->gear * a->gear * a->armature;
        if (a->damping != 0.0) def->damping += a->gear * a->gear * a->damping;
    }
    myr_status status = j->friction > 0.0 && !one ? lose_friction(m, j) : MYR_OK;
    if (!status && j->limited && !one) status = myr_mjcf_lose(m, MYR_MJCF_LOST_LIMITS, j->node, j->name);
    if (!status && j->stiffness > 0.0 && !one) status = myr_mjcf_lose(m, MYR_MJCF_LOST_SPRINGS, j->node, j->name);
    return status;
}

/* ---- bodies ----------------------------------------------------------------------------------- */

static myr_status add_home(const myr_mjcf *m, myr_builder *builder, const myr_mjcf_joint *j, int id, const myr_mjcf_key *key, int at) {
    myr_described_body *d = &builder->bodies[id];
    const myr_mjcf_body *b = &m->bodies[j->body];
    d->has_home = 1;
    if (j->type == MYR_MJCF_FREE) {
        const double *given = key ? key->position + at : NULL;
        return myr_builder_home(builder, id, given ? given : b->position, given ? given + 3 : b->quaternion);
    }
    if (j->type == MYR_MJCF_BALL) {
        d->home[0] = 1.0;
        if (key) memcpy(d->home, key->position + at, 4 * sizeof *d->home);
        return MYR_OK;
    }
    d->home[0] = key ? key->position[at] : j->reference;
    return MYR_OK;
}

static myr_status add_link(myr_mjcf *m, myr_builder *builder, const myr_xml_node *node, const myr_body_def *def, int *id) {
    const myr_status status = myr_builder_body(builder, def, id);
    if (!status && node->file == m->xml->label) builder->bodies[*id].line = (int)node->line; /* a line of the builder's own file */
    return myr_mjcf_blame(m, node, status);
}

static void fill_inertia(const myr_mjcf_body *b, const double shift[3], myr_body_def *def) {
    def->mass_kg = b->inertia.mass;
    def->gravity_held = b->gravcomp;
    for (int k = 0; k < 3; k++) def->com_m[k] = b->inertia.com[k] + shift[k];
    memcpy(def->inertia_kgm2, b->inertia.about_com, sizeof def->inertia_kgm2);
}

/* Body i and its joints. *q: where its positions begin in a keyframe. */
static myr_status add_body(myr_mjcf *m, myr_builder *builder, int i, myr_mjcf_host *hosts, int *links, const myr_mjcf_key *key, int *q) {
    const myr_mjcf_body *b = &m->bodies[i];
    const double none[3] = {0.0, 0.0, 0.0};
    myr_mjcf_host *host = &hosts[i];
    double at[3], turn[4], last[3] = {0.0, 0.0, 0.0};
    int parent = b->parent < 0 ? -1 : hosts[b->parent].body;
    for (int k = 0; k < 3; k++) at[k] = b->position[k] + (b->parent < 0 ? 0.0 : hosts[b->parent].shift[k]);
    memcpy(turn, b->quaternion, sizeof turn);
    names name;
    myr_status status = MYR_OK;
    for (int n = 0; n < (b->n_joints ? b->n_joints : 1) && !status; n++) {
        const int k = b->n_joints ? b->first_joint + n : -1, is_last = n + 1 >= b->n_joints;
        const myr_mjcf_joint *j = k < 0 ? NULL : &m->joints[k];
        myr_body_def def = myr_body_def_default();
        def.parent = parent;
        if (j) {
            double anchor[3] = {j->position[0] - last[0], j->position[1] - last[1], j->position[2] - last[2]},
                   still[4] = {1.0, 0.0, 0.0, 0.0};
            const myr_mjcf_frame frame = {{at[0], at[1], at[2]}, {turn[0], turn[1], turn[2], turn[3]}};
            /* the first joint is seen from the parent, the others from the one before */
            myr_mjcf_within(&frame, anchor, still);
            joint_pose(j, anchor, still, &def);
            myr_copy3(last, j->position);
            if ((status = fill_joint(m, j, &def))) return status;
        } else {
            myr_copy3(def.position_m, at);
            memcpy(def.quaternion, turn, sizeof turn);
        }
        const int moved = last[0] != 0.0 || last[1] != 0.0 || last[2] != 0.0;
        for (int e = 0; e < 3; e++) host->shift[e] = 0.0 - last[e];
        name_link(m, i, k, is_last && !moved, &name);
        def.name = name.body, def.joint_name = name.joint;
        if (is_last) fill_inertia(b, host->shift, &def);
        status = add_link(m, builder, j ? j->node : b->node, &def, &host->body);
        if (status) return status;
        builder->bodies[host->body].has_inertia = is_last, builder->bodies[host->body].is_part = !is_last;
        if (j) {
            links[k] = host->body;
            if ((status = myr_mjcf_blame(m, j->node, add_home(m, builder, j, host->body, key, *q)))) return status;
            *q += myr_mjcf_positions(j->type);
        }
        parent = host->body;
        myr_copy3(at, none);
        turn[0] = 1.0, turn[1] = turn[2] = turn[3] = 0.0;
        if (is_last && moved) {
            body_name(m, i, name.body, sizeof name.body);
            status = myr_mjcf_blame(m, b->node, myr_builder_frame(builder, name.body, host->body, host->shift, turn));
        }
    }
    return status;
}

void myr_mjcf_place(const myr_mjcf *m, int i, const myr_pose *parent, myr_pose *out) {
    const myr_mjcf_body *b = &m->bodies[i];
    myr_pose own;
    myr_copy3(own.position, b->position);
    myr_rotation_from_quaternion(own.rotation, b->quaternion);
    *out = b->parent < 0 ? own : myr_pose_compose(parent, &own);
}

void myr_mjcf_hosted(const myr_mjcf_host *hosts, int i, const double position[3], const double quaternion[4], int *link, myr_pose *pose) {
    myr_copy3(pose->position, position);
    myr_rotation_from_quaternion(pose->rotation, quaternion);
    *link = i < 0 ? -1 : hosts[i].body;
    for (int k = 0; k < 3 && i >= 0; k++) pose->position[k] += hosts[i].shift[k];
}

/* The keyframe that is home: of that name, else the first. */
static const myr_mjcf_key *home_key(const myr_mjcf *m) {
    const myr_mjcf_key *first = NULL;
    for (int i = 0; i < m->n_keys; i++) {
        if (!m->keys[i].position) continue;
        if (!strcmp(m->keys[i].name, "home")) return &m->keys[i];
        if (!first) first = &m->keys[i];
    }
    return first;
}

static myr_status add_sites(myr_mjcf *m, myr_builder *builder, const myr_mjcf_host *hosts) {
    for (int i = 0; i < m->n_sites; i++) {
        const myr_mjcf_site *s = &m->sites[i];
        if (!*s->name) continue;
        double at[3];
        char name[300];
        int taken = 0; /* sites may be called as bodies are */
        for (int k = 0; k < builder->n_bodies && !taken; k++) taken = !strcmp(builder->bodies[k].name, s->name);
        for (int k = 0; k < builder->n_frames && !taken; k++) taken = !strcmp(builder->frames[k].name, s->name);
        snprintf(name, sizeof name, taken ? "%.250s (site)" : "%.250s", s->name);
        for (int k = 0; k < 3; k++) at[k] = s->position[k] + (s->body < 0 ? 0.0 : hosts[s->body].shift[k]);
        const myr_status status = myr_builder_frame(builder, name, s->body < 0 ? -1 : hosts[s->body].body, at, s->quaternion);
        if (status) return myr_mjcf_blame(m, s->node, status);
    }
    return MYR_OK;
}

static myr_status build(myr_mjcf *m, myr_builder *builder, myr_mjcf_host *hosts, int *links) {
    const myr_mjcf_key *key = home_key(m);
    int q = 0;
    myr_status status = MYR_OK;
    for (int i = 0; i < m->n_bodies && !status; i++) {
        myr_mjcf_place(m, i, m->bodies[i].parent < 0 ? NULL : &hosts[m->bodies[i].parent].world, &hosts[i].world);
        status = add_body(m, builder, i, hosts, links, key, &q);
    }
    if (!status) status = add_sites(m, builder, hosts);
    if (!status) status = myr_mjcf_build_actuators(m, builder, hosts, links, key);
    if (!status) status = myr_mjcf_build_keyframes(m, builder);
    if (!status) status = myr_mjcf_build_geoms(m, builder, hosts);
    if (!status) status = myr_mjcf_build_loops(m, builder, hosts, links);
    return status ? status : myr_mjcf_build_sensors(m, builder, hosts, links);
}

myr_status myr_mjcf_build(myr_mjcf *m, myr_builder *builder) {
    myr_mjcf_host *hosts = myr_allocate_array((size_t)m->n_bodies + 1, sizeof *hosts);
    int *links = myr_allocate_array((size_t)m->n_joints + 1, sizeof *links);
    builder->has_gravity = 1;
    builder->no_kin_in_world = 1, builder->keeps_kin = m->keeps_kin;
    builder->sunk = m->options->keyframe || m->options->home ? MYR_SUNK_LATER : MYR_SUNK_RAISED;
    myr_copy3(builder->gravity, m->gravity);
    builder->timestep = m->timestep;
    myr_status status = myr_builder_fluid(builder, &m->fluid);
    if (status) status = myr_mjcf_blame(m, myr_mjcf_section(m, "option", NULL), status);
    if (!status) status = hosts && links ? build(m, builder, hosts, links) : myr_fail(MYR_E_MEMORY, "%.300s: out of memory", m->xml->label);
    myr_release(hosts);
    myr_release(links);
    return status;
}

/* Equalities and fixed tendons of an MJCF become loops and couplings. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "mjcf.h"

/* A pose in the frame of an MJCF body becomes one in the builder's body; -1: the world. */
static int place(const myr_mjcf_host *hosts, int body, double position[3]) {
    if (body < 0) return -1;
    for (int k = 0; k < 3; k++) position[k] += hosts[body].shift[k];
    return hosts[body].body;
}

static int is_taken(const myr_builder *builder, const char *name) {
    for (int i = 0; i < builder->n_loops; i++)
        if (!strcmp(builder->loops[i].name, name)) return 1;
    return 0;
}

/* Its own, or else that of what it holds; two balls without names may make a hinge of the same two bodies. */
static const char *equality_name(const myr_builder *builder, const myr_mjcf_equality *q, char *name, size_t bytes) {
    if (*q->name) return q->name;
    snprintf(name, bytes, "%s", q->first);
    for (int k = 2; is_taken(builder, name); k++) snprintf(name, bytes, "%.200s-%d", q->first, k);
    return name;
}

/* `point` of body a, seen from body b (-1: the world), while no joint has moved. */
static void seen_from(const myr_mjcf_host *hosts, int a, int b, const myr_pose *in_a, myr_pose *in_b) {
    myr_pose world = a < 0 ? *in_a : myr_pose_compose(&hosts[a].world, in_a);
    if (b < 0) {
        *in_b = world;
        return;
    }
    double back[9], away[3];
    myr_transpose3(back, hosts[b].world.rotation);
    for (int k = 0; k < 3; k++) away[k] = world.position[k] - hosts[b].world.position[k];
    myr_rotate(in_b->position, back, away);
    myr_multiply3(in_b->rotation, back, world.rotation);
}

static myr_status find_end(const myr_mjcf *m, const myr_mjcf_equality *q, const char *name, int *body, myr_pose *pose) {
    *body = -1;
    *pose = myr_pose_identity();
    if (!name || !strcmp(name, "world")) return MYR_OK;
    if (q->by_sites) {
        const int site = myr_mjcf_find_site(m, name);
        if (site < 0) return myr_xml_fail(m->xml, q->node, "there is no site `%.100s`", name);
        *body = m->sites[site].body;
        myr_copy3(pose->position, m->sites[site].position);
        myr_rotation_from_quaternion(pose->rotation, m->sites[site].quaternion);
        return MYR_OK;
    }
    *body = myr_mjcf_find_body(m, name);
    return *body < 0 ? myr_xml_fail(m->xml, q->node, "there is no body `%.100s`", name) : MYR_OK;
}

/* What moves the builder's body, -1: nothing. */
static int carrier_of(const myr_builder *builder, int body) {
    while (body >= 0 && builder->bodies[body].joint == MYR_JOINT_FIXED) body = builder->bodies[body].parent;
    return body;
}

static myr_status add_loop(myr_mjcf *m, myr_builder *builder, const myr_mjcf_host *hosts, const myr_mjcf_equality *q) {
    char name[256];
    int body[2];
    myr_pose pose[2];
    myr_loop_def def = myr_loop_def_default();
    myr_status status = find_end(m, q, q->first, &body[0], &pose[0]);
    if (!status) status = find_end(m, q, q->second, &body[1], &pose[1]);
    if (status) return status;
    if (!q->by_sites && q->type == MYR_MJCF_WELD && q->has_relative_pose) { /* of the second body, seen from the first */
        double unit[4];
        status = myr_unit_vector(unit, q->relative_pose + 3, 4, "relpose", "quaternion");
        if (status) return myr_mjcf_blame(m, q->node, status);
        myr_copy3(pose[0].position, q->relative_pose);
        myr_rotation_from_quaternion(pose[0].rotation, unit);
    } else if (!q->by_sites) {
        if (q->type == MYR_MJCF_CONNECT) myr_copy3(pose[0].position, q->anchor);
        seen_from(hosts, body[0], body[1], &pose[0], &pose[1]);
    }
    const int first = body[0] < 0 ? 1 : 0; /* the world is the other one */
    def.name = equality_name(builder, q, name, sizeof name);
    def.type = q->type == MYR_MJCF_WELD ? MYR_LOOP_FIXED : MYR_LOOP_BALL;
    myr_copy3(def.position_m, pose[first].position);
    myr_copy3(def.other_position_m, pose[1 - first].position);
    myr_quaternion_from_rotation(def.quaternion, pose[first].rotation);
    myr_quaternion_from_rotation(def.other_quaternion, pose[1 - first].rotation);
    def.body = place(hosts, body[first], def.position_m);
    def.other = place(hosts, body[1 - first], def.other_position_m);
    if (carrier_of(builder, def.body) == carrier_of(builder, def.other)) return MYR_OK; /* nothing moves between them */
    return myr_mjcf_blame(m, q->node, myr_builder_loop(builder, &def));
}

/* ---- couplings -------------------------------------------------------------------------------- */

static myr_status need_joint(const myr_mjcf *m, const myr_xml_node *node, const char *name, int *joint) {
    *joint = myr_mjcf_find_joint(m, name);
    if (*joint < 0) return myr_mjcf_no_joint(m, node, name);
    if (m->joints[*joint].type < MYR_MJCF_SLIDE) return myr_xml_fail(m->xml, node, "joint `%.100s` is neither a hinge nor a slider", name);
    return MYR_OK;
}

/* y - y0 = p(x - x0): the polynomial of x itself, y0 added. */
static void shift_polynomial(const double p[5], double x0, double y0, double out[5]) {
    static const double binomial[5][5] = {{1}, {1, 1}, {1, 2, 1}, {1, 3, 3, 1}, {1, 4, 6, 4, 1}};
    for (int k = 0; k < 5; k++) out[k] = 0.0;
    for (int n = 0; n < 5; n++)
        for (int k = 0; k <= n; k++) {
            double power = 1.0;
            for (int e = 0; e < n - k; e++) power *= -x0;
            out[k] += p[n] * binomial[n][k] * power;
        }
    out[0] += y0;
}

static myr_status couple_joints(myr_mjcf *m, myr_builder *builder, const int *links, const myr_mjcf_equality *q) {
    char name[256];
    int first, second = -1;
    myr_coupling_def def = myr_coupling_def_default();
    myr_status status = need_joint(m, q->node, q->first, &first);
    if (!status && q->second) status = need_joint(m, q->node, q->second, &second);
    if (status) return status;
    def.name = equality_name(builder, q, name, sizeof name);
    def.n = 1, def.joints[0] = links[first], def.coefficients[0] = 1.0;
    def.driver = second < 0 ? -1 : links[second];
    shift_polynomial(q->polynomial, second < 0 ? 0.0 : m->joints[second].reference, m->joints[first].reference, def.polynomial);
    if (second < 0)
        for (int k = 1; k < 5; k++) def.polynomial[k] = 0.0;
    return myr_mjcf_blame(m, q->node, myr_builder_coupling(builder, &def));
}

const myr_mjcf_tendon *myr_mjcf_find_tendon(const myr_mjcf *m, const char *name) {
    for (int i = 0; i < m->n_tendons && name && *name; i++)
        if (!strcmp(m->tendons[i].name, name)) return &m->tendons[i];
    return NULL;
}

/* Terms of a fixed tendon, times `share`, and its length where no joint has moved, likewise. */
static myr_status add_terms(myr_mjcf *m, const int *links, const myr_mjcf_tendon *t, double share, myr_coupling_def *def, double *length) {
    for (int i = 0; i < t->n; i++) {
        int joint, k = 0;
        const myr_status status = need_joint(m, t->node, t->joint[i], &joint);
        if (status) return status;
        while (k < def->n && def->joints[k] != links[joint]) k++;
        if (k == MYR_COUPLED_JOINTS)
            return myr_xml_fail(m->xml, t->node, "more than %d joints in one coupling are not read", MYR_COUPLED_JOINTS);
        if (k == def->n) def->joints[def->n++] = links[joint];
        def->coefficients[k] += share * t->coefficient[i];
        *length += share * t->coefficient[i] * m->joints[joint].reference;
    }
    return MYR_OK;
}

/* L1 - its length at first = p(L2 - its): linear in L2, or L2 is of one joint; else it is left out. */
static myr_status couple_tendons(myr_mjcf *m, myr_builder *builder, const int *links, const myr_mjcf_equality *q) {
    char name[256];
    const myr_mjcf_tendon *one = myr_mjcf_find_tendon(m, q->first), *other = myr_mjcf_find_tendon(m, q->second);
    myr_coupling_def def = myr_coupling_def_default();
    double length = 0.0;
    if (!one || (q->second && !other)) return myr_xml_fail(m->xml, q->node, "there is no tendon `%.100s`", one ? q->second : q->first);
    const int linear = q->polynomial[2] == 0.0 && q->polynomial[3] == 0.0 && q->polynomial[4] == 0.0;
    if (!one->is_fixed || one->n > MYR_COUPLED_JOINTS || (other && (!other->is_fixed || other->n > MYR_COUPLED_JOINTS || !linear)))
        return myr_mjcf_lose(m, MYR_MJCF_LOST_EQUALITIES, q->node, *q->name ? q->name : q->first);
    def.name = equality_name(builder, q, name, sizeof name);
    myr_status status = add_terms(m, links, one, 1.0, &def, &length);
    if (!status && other) status = add_terms(m, links, other, -q->polynomial[1], &def, &length);
    def.polynomial[0] = q->polynomial[0] + length;
    return status ? status : myr_mjcf_blame(m, q->node, myr_builder_coupling(builder, &def));
}

/* Limits and friction of a fixed tendon. */
static myr_status add_tendon(myr_mjcf *m, myr_builder *builder, const int *links, const myr_mjcf_tendon *t) {
    char name[64];
    double at_rest = 0.0; /* lengths are of joint positions as the file counts them, and so are ours */
    myr_coupling_def terms = myr_coupling_def_default();
    myr_tendon_def def = myr_tendon_def_default();
    const myr_status status = add_terms(m, links, t, 1.0, &terms, &at_rest);
    if (status) return status;
    snprintf(name, sizeof name, "tendon_%d", builder->n_tendons);
    def.name = *t->name ? t->name : name, def.n = terms.n, def.dry_friction = t->friction;
    memcpy(def.joints, terms.joints, sizeof def.joints);
    memcpy(def.coefficients, terms.coefficients, sizeof def.coefficients);
    if (t->limited) def.lower = t->range[0], def.upper = t->range[1];
    return myr_mjcf_blame(m, t->node, myr_builder_tendon(builder, &def));
}

/* What tendons do by themselves: limits and friction of fixed ones. The rest is lost here. */
static myr_status add_tendons(myr_mjcf *m, myr_builder *builder, const int *links) {
    for (int i = 0; i < m->n_tendons; i++) {
        const myr_mjcf_tendon *t = &m->tendons[i];
        const int moves = t->stiffness > 0.0 || t->damping > 0.0 || t->armature > 0.0, holds = t->limited || t->friction != 0.0;
        const int adds = t->is_fixed && t->n <= MYR_COUPLED_JOINTS && holds;
        myr_status status = adds ? add_tendon(m, builder, links, t) : MYR_OK;
        if (!status && (!t->is_fixed || moves || (holds && !adds))) status = myr_mjcf_lose(m, MYR_MJCF_LOST_TENDONS, t->node, t->name);
        if (status) return status;
    }
    return MYR_OK;
}

myr_status myr_mjcf_build_loops(myr_mjcf *m, myr_builder *builder, const myr_mjcf_host *hosts, const int *links) {
    myr_status status = MYR_OK;
    for (int i = 0; i < m->n_equalities && !status; i++) {
        const myr_mjcf_equality *q = &m->equalities[i];
        if (q->type == MYR_MJCF_COUPLE_JOINTS)
            status = couple_joints(m, builder, links, q);
        else if (q->type == MYR_MJCF_COUPLE_TENDONS)
            status = couple_tendons(m, builder, links, q);
        else
            status = add_loop(m, builder, hosts, q);
    }
    return status ? status : add_tendons(m, builder, links);
}

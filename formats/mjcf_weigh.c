/* What bodies weigh by their geoms, and what <compiler> says about masses. MuJoCo's rules: a geom has the mass that it says, else that of
 * its volume; an <inertial> counts instead unless `inertiafromgeom` says otherwise. */
#include <math.h>
#include <string.h>

#include "mjcf.h"

static double volume_of(const myr_mjcf_geom *g) {
    const double pi = acos(-1.0), *s = g->size;
    switch (g->type) {
    case MYR_MJCF_SPHERE: return 4.0 / 3.0 * pi * s[0] * s[0] * s[0];
    case MYR_MJCF_CAPSULE: return pi * s[0] * s[0] * (2.0 * s[1] + 4.0 / 3.0 * s[0]);
    case MYR_MJCF_CYLINDER: return 2.0 * pi * s[0] * s[0] * s[1];
    case MYR_MJCF_ELLIPSOID: return 4.0 / 3.0 * pi * s[0] * s[1] * s[2];
    case MYR_MJCF_BOX: return 8.0 * s[0] * s[1] * s[2];
    default: return 0.0;
    }
}

/* Moments about the centre, over the mass. */
static void moments_of(const myr_mjcf_geom *g, double moment[3]) {
    const double *s = g->size, r2 = s[0] * s[0];
    switch (g->type) {
    case MYR_MJCF_SPHERE: moment[0] = moment[1] = moment[2] = 0.4 * r2; break;
    case MYR_MJCF_CAPSULE: { /* a cylinder and two halves of a ball, each by its share of the volume */
        const double length = 2.0 * s[1], ball = 4.0 / 3.0 * s[0], share = length / (length + ball), rest = ball / (length + ball);
        moment[2] = share * 0.5 * r2 + rest * 0.4 * r2;
        moment[0] = share * (r2 / 4.0 + length * length / 12.0) + rest * (0.4 * r2 + length * length / 4.0 + 0.375 * s[0] * length);
        moment[1] = moment[0];
        break;
    }
    case MYR_MJCF_CYLINDER:
        moment[2] = 0.5 * r2;
        moment[0] = moment[1] = r2 / 4.0 + s[1] * s[1] / 3.0;
        break;
    case MYR_MJCF_ELLIPSOID:
        for (int k = 0; k < 3; k++) moment[k] = 0.2 * (s[(k + 1) % 3] * s[(k + 1) % 3] + s[(k + 2) % 3] * s[(k + 2) % 3]);
        break;
    case MYR_MJCF_BOX:
        for (int k = 0; k < 3; k++) moment[k] = (s[(k + 1) % 3] * s[(k + 1) % 3] + s[(k + 2) % 3] * s[(k + 2) % 3]) / 3.0;
        break;
    default: moment[0] = moment[1] = moment[2] = 0.0;
    }
}

static myr_status inertia_of(myr_mjcf *m, const myr_mjcf_geom *g, myr_inertia *out) {
    myr_inertia own = {.mass = g->has_mass ? g->mass : g->density * volume_of(g)};
    myr_pose pose = myr_pose_identity();
    if (g->type == MYR_MJCF_MESH) {
        const myr_status status = myr_mjcf_mesh_inertia(m, g, &own);
        if (status) return status;
    } else {
        moments_of(g, own.about_com);
        for (int k = 0; k < 3; k++) own.about_com[k] *= own.mass;
    }
    myr_copy3(pose.position, g->position);
    myr_rotation_from_quaternion(pose.rotation, g->quaternion);
    *out = myr_inertia_move(&own, &pose);
    return MYR_OK;
}

static int weighs(const myr_mjcf *m, const myr_mjcf_geom *g) {
    return g->type != MYR_MJCF_PLANE && g->type != MYR_MJCF_HFIELD && g->group >= m->inertia_groups[0] &&
           g->group <= m->inertia_groups[1] && (g->has_mass ? g->mass > 0.0 : g->density > 0.0);
}

/* Of a body of one geom that weighs MuJoCo takes the geom's axes, a mesh's being its own choice; of one of several it chooses. */
static void find_axes(const myr_mjcf *m, const myr_mjcf_geom *g) {
    myr_mjcf_body *b = g->body < 0 ? NULL : &m->bodies[g->body];
    if (!b || !weighs(m, g) || m->inertia_from_geoms == 0 || (b->has_inertial && m->inertia_from_geoms != 2)) return;
    b->knows_axes = b->n_axes++ == 0 && !g->mesh;
    memcpy(b->inertial, g->quaternion, sizeof b->inertial);
}

/* `boundmass`; of principal moments `boundinertia`, and `balanceinertia`, which makes a ball of what no body has. */
static void bound(const myr_mjcf *m, const myr_mjcf_body *b, myr_inertia *own) {
    double moment[3], axes[9];
    /* MuJoCo puts what a body gets that has nothing there, in the body's own frame */
    if (!b->has_inertial && own->mass == 0.0 && m->least_mass > 0.0) myr_copy3(own->com, b->given_position);
    own->mass = fmax(own->mass, m->least_mass);
    if (!(m->least_inertia > 0.0) && !m->balance_inertia) return;
    myr_inertia_axes(own->about_com, moment, axes);
    int changed = 0;
    for (int k = 0; k < 3; k++)
        if (moment[k] < m->least_inertia) moment[k] = m->least_inertia, changed = 1;
    const double sum = moment[0] + moment[1] + moment[2];
    if (m->balance_inertia && 2.0 * fmax(moment[0], fmax(moment[1], moment[2])) > sum * (1.0 + 1e-12))
        moment[0] = moment[1] = moment[2] = sum / 3.0, changed = 1;
    if (changed) myr_inertia_turn(moment, axes, own->about_com);
}

/* Does the body weigh by this geom? */
static int counts(const myr_mjcf *m, const myr_mjcf_geom *g) {
    if (g->body < 0 || !weighs(m, g) || m->inertia_from_geoms == 0) return 0;
    return !m->bodies[g->body].has_inertial || m->inertia_from_geoms == 2;
}

myr_status myr_mjcf_weigh(myr_mjcf *m) {
    double sum = 0.0;
    for (int i = 0; i < m->n_geoms; i++) {
        myr_mjcf_geom *g = &m->geoms[i];
        const int adds = counts(m, g);
        find_axes(m, g);
        if (myr_mjcf_is_fitted(g) && myr_mjcf_mesh_acts(m, g) && (adds || g->collides)) {
            const myr_status status = myr_mjcf_fit(m, g);
            if (status) return status;
        }
        if (!adds) continue;
        myr_mjcf_body *b = &m->bodies[g->body];
        if (g->mesh && !myr_mjcf_mesh_acts(m, g)) {
            b->without_mesh++;
            continue;
        }
        if (b->has_inertial) b->has_inertial = 0, b->inertia = (myr_inertia){.mass = 0.0}; /* inertiafromgeom="true" */
        myr_inertia own;
        const myr_status status = inertia_of(m, g, &own);
        if (status) return status;
        b->inertia = myr_inertia_add(&b->inertia, &own);
    }
    for (int i = 0; i < m->n_bodies; i++) {
        myr_mjcf_body *b = &m->bodies[i];
        if (b->without_mesh && !b->has_inertial) {
            const myr_status status = myr_mjcf_lose(m, MYR_MJCF_LOST_MASSES, b->node, b->name);
            if (status) return status;
        }
        bound(m, b, &b->inertia);
        sum += b->inertia.mass;
    }
    if (m->total_mass > 0.0 && sum > 0.0)
        for (int i = 0; i < m->n_bodies; i++) {
            m->bodies[i].inertia.mass *= m->total_mass / sum;
            for (int k = 0; k < 6; k++) m->bodies[i].inertia.about_com[k] *= m->total_mass / sum;
        }
    return MYR_OK;
}

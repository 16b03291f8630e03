/* Is every mass something that can exist and move, and can what floats come to rest on something? Oddities are warnings: the model still
 * loads. */
#include <math.h>
#include <stdio.h>

#include "description.h"
#include "inertia.h"
#include "base/memory.h"
#include "name_list.h"

/* Relative rounding that published inertias carry. */
static const double physical_rounding = 1e-9;

static myr_status warn_not_physical(const myr_builder *builder, int d, myr_texts *warnings) {
    const myr_described_body *body = &builder->bodies[d];
    char where[512];
    double moment[3], largest = 0.0;
    for (int k = 0; k < 6; k++) largest = fmax(largest, fabs(body->inertia[k]));
    if (largest == 0.0 && (body->mass == 0.0 || !body->has_inertia)) return MYR_OK;
    myr_describe_body(builder, d, where, sizeof where);
    if (largest == 0.0) return myr_texts_add(warnings, "%s: a mass of %g kg without rotational inertia (a point)", where, body->mass);
    if (body->mass == 0.0) return myr_texts_add(warnings, "%s: rotational inertia without mass is not physical", where);
    myr_inertia_principal(body->inertia, moment);
    if (!(moment[0] > 0.0))
        return myr_texts_add(warnings, "%s: the inertia is not positive definite (principal moments %.4g, %.4g, %.4g kg m^2)", where,
                             moment[0], moment[1], moment[2]);
    if (moment[2] > (moment[0] + moment[1]) * (1.0 + physical_rounding))
        return myr_texts_add(warnings, "%s: no body has these principal moments, %.4g > %.4g + %.4g kg m^2", where, moment[2], moment[0],
                             moment[1]);
    return MYR_OK;
}

/* The least that an acceleration of this joint alone has to move, at q = 0 with everything behind the joint held still
 * [kg | kg m^2]: M is singular there where it is zero. */
static double least_moved(const myr_body *body, const myr_inertia *behind, const double origin[3]) {
    double six[6], moment[3];
    if (body->joint == MYR_JOINT_PRISMATIC) return behind->mass + body->armature;
    /* a free body: about its centre of mass, where the rest of its block is the mass alone */
    myr_inertia_about_point(behind, body->joint == MYR_JOINT_FREE ? behind->com : origin, six);
    if (body->joint == MYR_JOINT_REVOLUTE) {
        const double *a = body->axis;
        const double across = 2.0 * (six[3] * a[0] * a[1] + six[4] * a[0] * a[2] + six[5] * a[1] * a[2]);
        return six[0] * a[0] * a[0] + six[1] * a[1] * a[1] + six[2] * a[2] * a[2] + across + body->armature;
    }
    myr_inertia_principal(six, moment);
    return body->joint == MYR_JOINT_FREE ? fmin(behind->mass, moment[0]) : moment[0];
}

/* Below this nothing is left to move [kg | kg m^2]. */
static const double nothing = 1e-15;

/* Joints that move nothing, by what that means: a file may have a hundred of a kind, which is one warning. */
enum { SINGULAR_KINDS = 5 };
typedef struct singular {
    char first[900];
    myr_name_list others;
} singular;

static void note_singular(const myr_builder *builder, int d, const myr_body *body, int is_leaf, const myr_inertia *behind,
                          singular *kinds) {
    const int no_mass = behind->mass == 0.0, held = body->damping > 0.0, always = is_leaf || no_mass;
    singular *kind = &kinds[always ? 2 * held + no_mass : 4];
    char where[512];
    if (*kind->first) {
        myr_name_list_add(&kind->others, body->joint_name);
        return;
    }
    myr_describe_body(builder, d, where, sizeof where);
    const int used = snprintf(kind->first, sizeof kind->first, "%s: joint `%.100s` moves %s", where, body->joint_name,
                              no_mass  ? "no mass"
                              : always ? "no inertia about its axis"
                                       : "no inertia at the zero configuration; the mass matrix is singular there");
    if (always && used < (int)sizeof kind->first)
        snprintf(kind->first + used, sizeof kind->first - (size_t)used, "%s",
                 held ? ": its damping alone holds it, and `eval` has no answer; give the link inertia"
                      : ", so the mass matrix is singular and every environment will be quarantined at its first step: give the link "
                        "inertia, or make the joint fixed");
}

static myr_status warn_singular(const singular *kinds, myr_texts *warnings) {
    for (int k = 0; k < SINGULAR_KINDS; k++) {
        const myr_name_list *others = &kinds[k].others;
        char more[32] = "";
        if (!*kinds[k].first) continue;
        if (others->left_out) snprintf(more, sizeof more, " and %d more", others->left_out);
        const myr_status status = others->count ? myr_texts_add(warnings, "%s. So do %s%s", kinds[k].first, others->text, more)
                                                : myr_texts_add(warnings, "%s", kinds[k].first);
        if (status) return status;
    }
    return MYR_OK;
}

/* A floating body that weighs nothing and carries one joint: it may go the joint's way unnoticed. */
static int floats_on_nothing(const myr_model *m, int i) {
    const myr_body *body = &m->bodies[i];
    double own = body->mass + body->armature;
    for (int k = 0; k < 6; k++) own += fabs(body->inertia[k]);
    if (body->joint != MYR_JOINT_FREE || own != 0.0) return 0;
    int children = 0;
    for (int k = i + 1; k < m->n_bodies; k++) children += m->bodies[k].parent == i && m->bodies[k].armature == 0.0;
    return children == 1;
}

static myr_status check_moved(const myr_builder *builder, const myr_model *m, const int *described, myr_inertia *behind,
                              double (*origin)[3], myr_texts *warnings) {
    singular kinds[SINGULAR_KINDS] = {0};
    for (int i = 0; i < m->n_bodies; i++) {
        const myr_body *body = &m->bodies[i];
        myr_pose pose = {.position = {0.0, 0.0, 0.0}};
        memcpy(pose.rotation, body->align, sizeof pose.rotation);
        for (int k = 0; k < 3; k++) pose.position[k] = origin[i][k] = body->offset[k] + (body->parent < 0 ? 0.0 : origin[body->parent][k]);
        myr_inertia own = {.mass = body->mass};
        myr_copy3(own.com, body->com);
        memcpy(own.about_com, body->inertia, sizeof own.about_com);
        behind[i] = myr_inertia_move(&own, &pose);
    }
    for (int i = m->n_bodies - 1; i >= 0; i--) {
        const int parent = m->bodies[i].parent;
        if (parent >= 0) behind[parent] = myr_inertia_add(&behind[parent], &behind[i]);
    }
    for (int i = 0; i < m->n_bodies; i++) {
        const myr_body *body = &m->bodies[i];
        const int is_leaf = i + 1 == m->n_bodies || m->bodies[i + 1].parent != i;
        if (floats_on_nothing(m, i) && behind[i].mass > 0.0) {
            char where[512];
            myr_describe_body(builder, described[i], where, sizeof where);
            const myr_status status = myr_texts_add(
                warnings,
                "%s: a free root that weighs nothing and carries one joint makes the mass matrix singular, so every environment will be "
                "quarantined: give it mass, or fix it to the world (--root fixed)",
                where);
            if (status) return status;
        }
        const double least = least_moved(body, &behind[i], origin[i]);
        if (fabs(least) > nothing) continue;
        note_singular(builder, described[i], body, is_leaf, &behind[i], kinds);
    }
    return warn_singular(kinds, warnings);
}

myr_status myr_check_inertias(const myr_builder *builder, const myr_model *m, const int *described, myr_texts *warnings) {
    for (int d = 0; d < builder->n_bodies; d++) {
        const myr_status status = warn_not_physical(builder, d, warnings);
        if (status) return status;
    }
    myr_inertia *behind = myr_allocate_array((size_t)m->n_bodies, sizeof *behind);
    double(*origin)[3] = myr_allocate_array((size_t)m->n_bodies, sizeof *origin);
    const myr_status status = behind && origin ? check_moved(builder, m, described, behind, origin, warnings)
                                               : myr_fail(MYR_E_MEMORY, "out of memory for model `%s`", m->name);
    myr_release(behind);
    myr_release(origin);
    return status;
}

/* A tree on a free joint that carries no geom falls through the ground, with figures that look perfect. What is fixed to the world cannot
 * fall. One warning names the first such tree. */
myr_status myr_check_touch(const myr_builder *builder, const myr_model *m, const int *described, myr_texts *warnings) {
    int first = -1, more = 0;
    for (int t = 0; t < m->n_trees; t++) {
        const int root = m->tree_root[t];
        int geoms = 0;
        for (int k = 0; k < m->n_loops; k++) /* what a loop holds to the world does not fall */
            geoms += m->loops[k].type != MYR_LOOP_COUPLING && m->loops[k].body[1] < 0 && m->bodies[m->loops[k].body[0]].tree == t;
        for (int g = 0; g < m->n_geoms; g++) geoms += m->geoms[g].body >= 0 && m->bodies[m->geoms[g].body].tree == t;
        if (geoms || m->bodies[root].joint != MYR_JOINT_FREE) continue;
        more += first >= 0;
        if (first < 0) first = root;
    }
    if (first < 0) return MYR_OK;
    char where[512], others[64] = "";
    myr_describe_body(builder, described[first], where, sizeof where);
    if (more) snprintf(others, sizeof others, " (and %d more)", more);
    return myr_texts_add(
        warnings,
        "%s%s: it floats and nothing that it carries can touch anything, so it will fall through the ground: give it collision "
        "shapes (box, sphere, capsule, cylinder), or fix it to the world (--root fixed)",
        where, others);
}

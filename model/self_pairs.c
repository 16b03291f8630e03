#include "self_pairs.h"

#include <math.h>
#include <stdio.h>

#include "base/memory.h"
#include "name_list.h"

static int tree_of(const myr_model *m, int geom) { return m->geoms[geom].body < 0 ? -1 : m->bodies[m->geoms[geom].body].tree; }

static int is_free(const myr_model *m, int tree) { return tree >= 0 && m->bodies[m->tree_root[tree]].joint == MYR_JOINT_FREE; }

/* What was asked for a geom and the others of its robot. */
static myr_self_collision self_of(const myr_builder *builder, int geom) {
    const myr_self_collision own = builder->geoms[geom].self;
    return own == MYR_SELF_BY_FILE ? builder->self_collision : own;
}

myr_self_collision myr_self_of_all(const myr_builder *builder) {
    int seen[MYR_SELF_ALL + 1] = {0};
    seen[builder->self_collision] = 1;
    for (int g = 0; g < builder->n_geoms; g++) seen[self_of(builder, g)] = 1;
    return seen[MYR_SELF_AUTO] ? MYR_SELF_AUTO : seen[MYR_SELF_ALL] ? MYR_SELF_ALL : MYR_SELF_OFF;
}

int myr_is_alone(const myr_builder *builder, const myr_model *m) {
    int free = 0, others = m->n_trees - 1; /* trees besides one, and geoms of the world */
    if (myr_self_of_all(builder) != MYR_SELF_OFF || builder->n_pairs) return 0;
    for (int t = 0; t < m->n_trees; t++) free += is_free(m, t);
    for (int g = 0; g < m->n_geoms; g++) others += m->geoms[g].body < 0;
    return !free || !others;
}

/* The described body that a body hangs on in the end, through what is fixed; -1: the world itself. */
static int base_of(const myr_builder *builder, int described) {
    while (described >= 0 && builder->bodies[described].parent >= 0) described = builder->bodies[described].parent;
    return described;
}

myr_status myr_find_kinship(const myr_builder *builder, const myr_model *m, const int *described, myr_kinship *kin) {
    kin->parent = myr_allocate_array(2 * (size_t)m->n_bodies + (size_t)m->n_geoms, sizeof *kin->parent);
    if (!kin->parent) return myr_fail(MYR_E_MEMORY, "out of memory for model `%s`", m->name);
    kin->base = kin->parent + m->n_bodies;
    kin->part = kin->base + m->n_bodies;
    for (int i = 0; i < m->n_bodies; i++) {
        int parent = m->bodies[i].parent;
        while (parent >= 0 && builder->bodies[described[parent]].is_part) parent = m->bodies[parent].parent;
        kin->parent[i] = parent;
        const int above = builder->bodies[described[i]].parent;
        kin->base[i] = parent < 0 && above >= 0 ? base_of(builder, described[i]) : -1;
    }
    for (int g = 0; g < m->n_geoms; g++) kin->part[g] = m->geoms[g].body < 0 ? base_of(builder, builder->geoms[g].body) : -1;
    return MYR_OK;
}

int myr_is_own_pair(const myr_model *m, int a, int b) {
    const int of_a = tree_of(m, a), of_b = tree_of(m, b);
    return of_a == of_b || (!is_free(m, of_a) && !is_free(m, of_b));
}

/* Does the one hang on the other? In MJCF nothing hangs on the world: an arm touches the table that it is screwed to. Elsewhere that part
 * of the world counts which its own file or root body brought along. */
static int are_kin(const myr_builder *builder, const myr_kinship *kin, const myr_model *m, int a, int b) {
    const int of_a = m->geoms[a].body, of_b = m->geoms[b].body;
    if (of_a >= 0 && of_b >= 0) return kin->parent[of_a] == of_b || kin->parent[of_b] == of_a;
    const int moves = of_a >= 0 ? of_a : of_b, part = kin->part[of_a >= 0 ? b : a];
    return !builder->no_kin_in_world && kin->parent[moves] < 0 && kin->base[moves] == part;
}

int myr_may_meet(const myr_builder *builder, const myr_kinship *kin, const myr_model *m, int a, int b) {
    const myr_described_geom *one = &builder->geoms[a], *other = &builder->geoms[b];
    if (!(one->contype & other->conaffinity) && !(other->contype & one->conaffinity)) return 0;
    if (m->geoms[a].body == m->geoms[b].body) return 0;
    if (!myr_is_own_pair(m, a, b)) return 1;
    if (self_of(builder, a) == MYR_SELF_OFF || self_of(builder, b) == MYR_SELF_OFF) return 0;
    return builder->keeps_kin || !are_kin(builder, kin, m, a, b);
}

/* ---- pruning ----------------------------------------------------------------------------------- */

static const char *carrier(const myr_model *m, int geom) { return m->geoms[geom].body < 0 ? "world" : m->bodies[m->geoms[geom].body].name; }

static const double told = 1e-3; /* [m] of overlap at home from which on it is worth a line */

/* Of what overlaps: those of one fate, or that do so at home, in one line by pairs of bodies: the shapes of two links mostly do so
 * together. */
static myr_status warn_overlaps(const myr_model *m, const myr_candidate *c, int n, myr_fate fate, const char *what, myr_texts *warnings) {
    myr_name_list list = {0};
    char where[300], between[160], last[160] = "", words[200];
    int pairs = 0;
    double most = 0.0;
    for (int i = 0; i < n; i++) {
        if (c[i].fate != fate || c[i].at_home <= (fate == MYR_CAN_MEET ? told : 0.0)) continue;
        pairs++, most = fmax(most, c[i].at_home);
        snprintf(between, sizeof between, "%.60s - %.60s", carrier(m, c[i].geom[0]), carrier(m, c[i].geom[1]));
        if (strcmp(between, last) != 0) myr_name_list_add(&list, between);
        memcpy(last, between, sizeof last);
    }
    snprintf(where, sizeof where, "`%.250s`", m->name);
    snprintf(words, sizeof words, "%d pair%s of shapes overlap%s at home, by up to %.2g mm, %s; of bodies", pairs, pairs == 1 ? "" : "s",
             pairs == 1 ? "s" : "", 1e3 * most, what);
    return myr_name_list_warn(&list, warnings, where, words);
}

myr_status myr_prune(myr_model *m, myr_candidate *all, int n, myr_texts *warnings) {
    for (int i = 0; i < n; i++) m->n_self_candidates += all[i].own;
    m->n_self_pairs = m->n_self_candidates;
    if (m->self_collision != MYR_SELF_AUTO || !m->n_self_candidates) return MYR_OK;
    const size_t own = (size_t)m->n_self_candidates;
    myr_candidate *some = myr_allocate_array(own, sizeof *some);
    m->dropped = myr_allocate_array(own, sizeof *m->dropped);
    myr_status status = some && m->dropped ? MYR_OK : myr_fail(MYR_E_MEMORY, "out of memory for model `%s`", m->name);
    for (int i = 0, k = 0; i < n && !status; i++)
        if (all[i].own) some[k++] = all[i];
    if (!status) status = myr_find_reach(m, some, m->n_self_candidates);
    for (int i = 0, k = 0; i < n && !status; i++) {
        if (!all[i].own) continue;
        const myr_candidate *c = &some[k++];
        all[i] = *c;
        if (c->fate == MYR_CAN_MEET) continue;
        m->n_self_pairs--;
        for (int side = 0; side < 2; side++) m->geoms[c->geom[side]].pinned |= m->geoms[c->geom[side]].world >= 0;
        m->dropped[m->n_dropped++] = (myr_dropped_pair){{c->geom[0], c->geom[1]},
                                                        c->fate == MYR_NEVER_NEAR ? MYR_DROPPED_FAR : MYR_DROPPED_OVERLAP,
                                                        c->fate == MYR_NEVER_NEAR ? c->gap : -c->at_home,
                                                        c->share};
    }
    if (!status)
        status = warn_overlaps(m, some, m->n_self_candidates, MYR_ALWAYS_OVERLAPS, "as in all poses: they are drawn so and do not touch",
                               warnings);
    if (!status) status = warn_overlaps(m, some, m->n_self_candidates, MYR_CAN_MEET, "and touch from the start", warnings);
    myr_release(some);
    return status;
}

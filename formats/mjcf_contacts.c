/* <contact> of an MJCF: bodies that do not touch, and pairs of geoms that do whatever masks and excludes say, with numbers of their own. */
#include <math.h>
#include <string.h>

#include "mjcf.h"
#include "base/nearest.h"

static myr_status need(const myr_mjcf *m, const myr_xml_node *node, const char *attribute, const char **out) {
    *out = myr_xml_text(node, attribute);
    return *out ? MYR_OK : myr_xml_fail(m->xml, node, "the attribute `%s` is missing", attribute);
}

static myr_status find_geom(myr_mjcf *m, const myr_xml_node *node, const char *name, int *out) {
    for (*out = 0; *out < m->n_geoms; ++*out)
        if (!strcmp(m->geoms[*out].name, name) && *name) return MYR_OK;
    return myr_xml_fail(m->xml, node, "there is no geom `%.100s`", name);
}

/* What a pair does not say is MJCF's own, not that of its geoms. */
static myr_status read_pair(myr_mjcf *m, const myr_xml_node *node, myr_mjcf_contact *c) {
    myr_mjcf_element e;
    int found;
    myr_status status = myr_mjcf_element_of(m, node, 0, &e);
    c->condim = 3;
    c->friction[0] = c->friction[1] = 1.0, c->friction[2] = 0.005, c->friction[3] = c->friction[4] = 1e-4;
    if (!status) status = find_geom(m, node, c->first, &c->geom[0]);
    if (!status) status = find_geom(m, node, c->second, &c->geom[1]);
    if (!status) status = myr_mjcf_integer(m, &e, "condim", &c->condim);
    if (!status) status = myr_mjcf_some_numbers(m, &e, "friction", c->friction, 5, &found);
    if (!status) status = myr_mjcf_numbers(m, &e, "margin", &c->margin, 1);
    if (!status) status = myr_mjcf_numbers(m, &e, "gap", &c->gap, 1);
    if (status) return status;
    if (c->condim != 1 && c->condim != 3 && c->condim != 4 && c->condim != 6)
        return myr_xml_fail(m->xml, node, "condim is %d, none of 1, 3, 4, 6", c->condim);
    if (!(c->friction[0] >= 0.0)) return myr_xml_fail(m->xml, node, "friction is negative: %g", c->friction[0]);
    for (int k = 0; k < 2; k++) m->geoms[c->geom[k]].collides = 1;
    return MYR_OK;
}

static myr_status read_contact(myr_mjcf *m, const myr_xml_node *node) {
    myr_mjcf_contact c = {.node = node, .is_pair = myr_xml_is(node, "pair"), .geom = {-1, -1}};
    myr_status status = need(m, node, c.is_pair ? "geom1" : "body1", &c.first);
    if (!status) status = need(m, node, c.is_pair ? "geom2" : "body2", &c.second);
    if (!status && c.is_pair) status = read_pair(m, node, &c);
    if (status) return status;
    return MYR_MJCF_ADD(m, contacts, c);
}

myr_status myr_mjcf_read_contacts(myr_mjcf *m) {
    for (const myr_xml_node *node = myr_mjcf_section(m, "contact", NULL); node; node = myr_mjcf_section(m, "contact", node))
        for (const myr_xml_node *child = node->children; child; child = child->next) {
            const myr_status status = myr_words_among("exclude|pair", child->name) ? read_contact(m, child) : MYR_OK;
            if (status) return status;
        }
    return MYR_OK;
}

/* ---- the description -------------------------------------------------------------------------- */

int myr_mjcf_paired(const myr_mjcf *m, const myr_mjcf_geom *g, const myr_mjcf_geom *other) {
    for (int i = 0; i < m->n_contacts; i++) {
        const myr_mjcf_contact *c = &m->contacts[i];
        for (int k = 0; k < 2 && c->is_pair; k++)
            if (&m->geoms[c->geom[k]] == g && (!other || &m->geoms[c->geom[!k]] == other)) return 1;
    }
    return 0;
}

static int same_geoms(const myr_mjcf_contact *a, const myr_mjcf_contact *b) {
    return (a->geom[0] == b->geom[0] && a->geom[1] == b->geom[1]) || (a->geom[0] == b->geom[1] && a->geom[1] == b->geom[0]);
}

/* Both on one moving body, or both fixed to the world: a contact moves nothing, in MuJoCo neither. */
static int is_idle(const myr_builder *builder, int a, int b) {
    int body[2] = {builder->geoms[a].body, b < 0 ? -1 : builder->geoms[b].body};
    for (int k = 0; k < 2; k++)
        while (body[k] >= 0 && builder->bodies[body[k]].joint == MYR_JOINT_FIXED) body[k] = builder->bodies[body[k]].parent;
    return body[0] == body[1];
}

/* What of a pair does not act as it does in MuJoCo. */
static myr_status lose_parts(myr_mjcf *m, const myr_mjcf_contact *c) {
    myr_status status = MYR_OK;
    if (c->condim > 3) status = myr_mjcf_lose(m, MYR_MJCF_LOST_TORSION, c->node, c->first);
    if (!status && c->margin != 0.0) status = myr_mjcf_lose(m, MYR_MJCF_LOST_MARGINS, c->node, c->first);
    if (!status && c->condim > 1 && c->friction[0] != c->friction[1])
        status = myr_mjcf_lose(m, MYR_MJCF_LOST_DIRECTIONS, c->node, c->first);
    return status;
}

myr_status myr_mjcf_build_pairs(myr_mjcf *m, myr_builder *builder, const myr_mjcf_geom *floor) {
    for (int i = 0; i < m->n_contacts; i++) {
        const myr_mjcf_contact *c = &m->contacts[i];
        if (!c->is_pair) continue;
        const myr_mjcf_geom *first = &m->geoms[c->geom[0]], *second = &m->geoms[c->geom[1]];
        if (first == floor) first = second, second = floor;
        int again = 0;
        for (int k = i + 1; k < m->n_contacts && !again; k++) again = m->contacts[k].is_pair && same_geoms(c, &m->contacts[k]);
        const int b = second == floor ? -1 : second->made;
        myr_status status = MYR_OK;
        if (first == second) continue;
        if (again || first->made < 0 || (b < 0 && second != floor)) {
            status = myr_mjcf_lose(m, MYR_MJCF_LOST_PAIRS, c->node, c->first);
        } else if (!is_idle(builder, first->made, b)) {
            status = lose_parts(m, c);
            if (!status) status = myr_builder_pair(builder, first->made, b, 1);
            if (!status) status = myr_builder_pair_friction(builder, first->made, b, c->condim == 1 ? 0.0 : c->friction[0]);
        }
        if (status) return myr_mjcf_blame(m, c->node, status);
    }
    return MYR_OK;
}

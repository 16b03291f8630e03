/* <contact> of an MJCF's <sensor>: which shapes, how many contacts, and what is said of each. */
#include <stdio.h>
#include <string.h>

#include "mjcf.h"

static int is_below(const myr_mjcf *m, int body, int above) {
    while (body >= 0 && body != above) body = m->bodies[body].parent;
    return body == above;
}

/* One geom, the ground or what is made. */
static void take(const myr_mjcf *m, int geom, int *geoms, int *n, int *ground, const char **lost) {
    const myr_mjcf_geom *g = &m->geoms[geom];
    if (g->is_ground)
        *ground = 1;
    else if (g->made >= 0 && *n == MYR_SENSED_GEOMS)
        *lost = "too many shapes";
    else if (g->made >= 0)
        geoms[(*n)++] = g->made;
}

/* geom1, body1, subtree1 or those of 2: the shapes. *said: there is such a word. */
static void find_side(const myr_mjcf *m, const myr_xml_node *node, int side, int *said, int *geoms, int *n, int *ground,
                      const char **lost) {
    static const char *const words[] = {"geom", "body", "subtree"};
    for (int w = 0; w < 3; w++) {
        char word[16];
        snprintf(word, sizeof word, "%s%d", words[w], side);
        const char *name = myr_xml_text(node, word);
        if (!name) continue;
        *said = 1;
        const int body = w == 0 ? -2 : !strcmp(name, "world") ? -1 : myr_mjcf_find_body(m, name);
        if (body == -1 && strcmp(name, "world") != 0) {
            *lost = "no such body";
            return;
        }
        for (int g = 0; g < m->n_geoms; g++)
            if (w == 0 ? !strcmp(m->geoms[g].name, name) : w == 1 ? m->geoms[g].body == body : is_below(m, m->geoms[g].body, body))
                take(m, g, geoms, n, ground, lost);
        if (!*n && !*ground && !*lost) *lost = "none of its shapes may touch";
    }
}

static myr_status find_words(myr_mjcf *m, const myr_xml_node *node, myr_described_sensor *to, const char **lost) {
    static const char *const data[] = {"found", "force", "torque", "dist", "pos", "normal", "tangent"};
    const myr_mjcf_element e = {node, -1};
    const char *words = myr_xml_text(node, "data");
    int reduce = 0;
    myr_status status = myr_mjcf_word(m, &e, "reduce", "none|mindist|maxforce|netforce", &reduce);
    to->reduce = (myr_sensor_reduce)reduce;
    if (!status) status = myr_mjcf_integer(m, &e, "num", &to->contacts);
    if (status) return status;
    if (to->contacts < 1) return myr_xml_fail(m->xml, node, "num is %d, but must be 1 or more", to->contacts);
    if (to->contacts > MYR_CONTACTS_MOST) *lost = "more contacts than are kept";
    if (words) to->data = 0;
    while (words && *(words += strspn(words, " \t\r\n"))) {
        const size_t length = strcspn(words, " \t\r\n");
        int found = 0;
        for (int k = 0; k < 7; k++)
            if (strlen(data[k]) == length && !strncmp(words, data[k], length)) to->data |= 1u << k, found = 1;
        if (!found) *lost = "its data";
        words += length;
    }
    return to->data || *lost ? MYR_OK : myr_xml_fail(m->xml, node, "data is empty");
}

myr_status myr_mjcf_find_contacts(myr_mjcf *m, const myr_mjcf_host *hosts, const myr_xml_node *node, myr_described_sensor *to,
                                  const char **lost) {
    const char *site = myr_xml_text(node, "site");
    int first = 0, second = 0;
    const myr_status status = find_words(m, node, to, lost);
    if (status) return status;
    if (!*lost) find_side(m, node, 1, &first, to->geoms, &to->n_geoms, &to->ground, lost);
    if (!*lost) find_side(m, node, 2, &second, to->others, &to->n_others, &to->other_ground, lost);
    to->any_other = !second;
    to->any_first = !first;
    if (site && !*lost) { /* instead of the first shapes: whatever touches in it */
        const int i = myr_mjcf_find_site(m, site);
        if (i < 0) return *lost = "no such site", MYR_OK;
        myr_mjcf_hosted(hosts, m->sites[i].body, m->sites[i].position, m->sites[i].quaternion, &to->body, &to->pose);
        to->volume = (myr_sensed_volume)(m->sites[i].type + 1);
        myr_copy3(to->vector, m->sites[i].size);
    }
    return MYR_OK;
}

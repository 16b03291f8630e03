/* An MJCF becomes a description: first a table of what the file says, in MuJoCo's order and by its rules, then the builder's calls. What of
 * MJCF acts, what is lost and what is refused: docs/mjcf.md. */
#include "mjcf.h"

#include <string.h>

#include "base/memory.h"

myr_status myr_mjcf_add(const myr_mjcf *m, void **items, int *count, int *capacity, const void *item, size_t size) {
    enum { MOST_ITEMS = 1 << 16 };
    if (*count >= MOST_ITEMS)
        return myr_fail(MYR_E_LIMIT, "%.300s: a model has at most %d elements of one kind", m->xml->label, MOST_ITEMS);
    if (!myr_grow(items, capacity, *count, size)) return myr_fail(MYR_E_MEMORY, "%.300s: out of memory", m->xml->label);
    memcpy((char *)*items + (size_t)*count * size, item, size);
    ++*count;
    return MYR_OK;
}

const myr_xml_node *myr_mjcf_section(const myr_mjcf *m, const char *name, const myr_xml_node *last) {
    const myr_xml_node *node = last ? last->next : m->xml->root->children;
    while (node && !myr_xml_is(node, name)) node = node->next;
    return node;
}

myr_status myr_mjcf_table(myr_mjcf *m, myr_xml *xml, const myr_load_options *options) {
    static myr_status (*const readers[])(myr_mjcf *) = {
        myr_mjcf_include,       myr_mjcf_check_words,    myr_mjcf_check_attributes, myr_mjcf_read_settings,
        myr_mjcf_read_defaults, myr_mjcf_read_assets,    myr_mjcf_read_bodies,      myr_mjcf_read_contacts,
        myr_mjcf_weigh,         myr_mjcf_read_actuators, myr_mjcf_read_constraints, myr_mjcf_limit_controls,
        myr_mjcf_damp,
    };
    *m = (myr_mjcf){.xml = xml, .options = options};
    myr_status status = MYR_OK;
    for (size_t k = 0; k < sizeof readers / sizeof *readers && !status; k++) status = readers[k](m);
    return status;
}

void myr_mjcf_free(myr_mjcf *m) {
    for (int i = 0; i < m->n_keys; i++) myr_release(m->keys[i].position), myr_release(m->keys[i].control);
    for (int i = 0; i < m->n_made; i++) myr_release(m->made[i]);
    for (int i = 0; i < m->n_meshes; i++) myr_release(m->meshes[i].points);
    myr_mesh_shelf_free(&m->shelf);
    void *const arrays[] = {m->made,      m->classes,    m->sections, m->bodies,   m->joints, m->geoms, m->sites,
                            m->actuators, m->equalities, m->tendons,  m->contacts, m->keys,   m->meshes};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) myr_release(arrays[k]);
    myr_texts_clear(&m->files);
}

myr_status myr_mjcf_read(myr_xml *xml, const myr_load_options *options, myr_builder *builder) {
    myr_mjcf m;
    myr_status status = myr_mjcf_table(&m, xml, options);
    if (!status) status = myr_mjcf_build(&m, builder);
    if (!status) status = myr_mjcf_warn(&m);
    myr_mjcf_free(&m);
    return status;
}

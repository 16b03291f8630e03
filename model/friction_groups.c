/* Groups of geoms whose friction has a factor of its own in each environment. */
#include "myriapod/friction.h"

#include <fnmatch.h>
#include <string.h>

#include "base/nearest.h"
#include "description.h"
#include "base/memory.h"

static int number_of(const myr_builder *builder, const char *name) {
    for (int i = 0; i < builder->n_friction_groups; i++)
        if (!strcmp(builder->friction_groups[i].name, name)) return i;
    return -1;
}

/* Each name of the list is that of a geom. */
static myr_status check_names(const myr_builder *builder, const char *group, const char *geoms) {
    char name[MYR_NAME_BYTES], hint[MYR_WORD_BYTES + 24];
    for (const char *rest = geoms; rest;) {
        int found = 0;
        rest = myr_next_name(rest, name);
        for (int i = 0; i < builder->n_geoms && !found; i++) found = fnmatch(name, builder->geoms[i].name, 0) == 0;
        if (found) continue;
        myr_words words = {0};
        for (int i = 0; i < builder->n_geoms; i++) myr_words_add(&words, builder->geoms[i].name);
        myr_words_hint(&words, name, hint, sizeof hint);
        return myr_fail(MYR_E_ARG, "friction group `%.100s`: there is no geom `%.200s`%s", group, name, hint);
    }
    return MYR_OK;
}

myr_status myr_builder_friction_group(myr_builder *builder, const char *name, const char *geoms) {
    MYR_OWN_ARITHMETIC;
    if (!builder || !name || !geoms)
        return myr_fail(MYR_E_ARG, "myr_builder_friction_group: `%s` is NULL", !builder ? "builder" : !name ? "name" : "geoms");
    if (!*name) return myr_fail(MYR_E_ARG, "myr_builder_friction_group: the group has no name");
    const myr_status status = check_names(builder, name, geoms);
    if (status) return status;
    int group = number_of(builder, name);
    if (group < 0) {
        myr_described_friction_group made = {.name = myr_copy_text(name)};
        if (builder->n_friction_groups >= MYR_MAX_GEOMS) {
            myr_release(made.name);
            return myr_fail(MYR_E_LIMIT, "friction group `%.100s`: a model has at most %d", name, MYR_MAX_GEOMS);
        }
        group = builder->n_friction_groups;
        if (!made.name || !myr_push_friction_group(builder, &made)) return myr_fail(MYR_E_MEMORY, "out of memory for a friction group");
    }
    for (const char *rest = geoms; rest;) {
        char word[MYR_NAME_BYTES];
        rest = myr_next_name(rest, word);
        for (int i = 0; i < builder->n_geoms; i++)
            if (fnmatch(word, builder->geoms[i].name, 0) == 0) builder->geoms[i].friction_group = group + 1;
    }
    return MYR_OK;
}

myr_status myr_find_friction_groups(const myr_builder *builder, myr_model *m) {
    m->friction_groups = myr_allocate_array((size_t)builder->n_friction_groups + 1, sizeof *m->friction_groups);
    if (!m->friction_groups) return myr_fail(MYR_E_MEMORY, "out of memory for model `%s`", m->name);
    for (int i = 0; i < builder->n_friction_groups; i++) {
        m->friction_groups[i].name = myr_copy_text(builder->friction_groups[i].name);
        if (!m->friction_groups[i].name) return myr_fail(MYR_E_MEMORY, "out of memory for model `%s`", m->name);
        m->n_friction_groups++;
    }
    for (int i = 0; i < m->n_geoms; i++) m->geoms[i].friction_group = builder->geoms[i].friction_group;
    return MYR_OK;
}

int myr_model_friction_groups(const myr_model *model) { return model ? model->n_friction_groups : 0; }

const char *myr_model_friction_group_name(const myr_model *model, int group) {
    return model && group >= 0 && group < model->n_friction_groups ? model->friction_groups[group].name : NULL;
}

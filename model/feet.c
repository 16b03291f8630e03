/* The load option `feet`: of a robot's shapes those that are named touch, the others are there without touching anything. */
#include <fnmatch.h>
#include <string.h>

#include "base/nearest.h"
#include "description.h"
#include "base/memory.h"

/* What is fixed to the world stays as it is: it is the ground of those that are named. */
static int moves(const myr_builder *builder, const myr_described_geom *geom) {
    int body = geom->on_world ? -1 : geom->body;
    while (body >= 0 && builder->bodies[body].joint == MYR_JOINT_FIXED) body = builder->bodies[body].parent;
    return body >= 0;
}

static myr_status refuse(const myr_builder *builder, const char *name) {
    myr_words words = {0};
    char hint[MYR_WORD_BYTES + 24];
    for (int i = 0; i < builder->n_geoms; i++)
        if (moves(builder, &builder->geoms[i])) myr_words_add(&words, builder->geoms[i].name);
    myr_words_hint(&words, name, hint, sizeof hint);
    return myr_fail(MYR_E_ARG, "%.200s: feet: no shape of the robot is called `%s`%s `myriapod info` (Python: Model.geoms) lists them",
                    builder->label ? builder->label : builder->name, name, *hint ? hint : ";");
}

/* It touches neither the ground nor another shape, whatever the description says of pairs. */
static void let_go(myr_builder *builder, int geom) {
    builder->geoms[geom].off_ground = 1;
    builder->geoms[geom].contype = builder->geoms[geom].conaffinity = 0;
    for (int i = 0; i < builder->n_pairs; i++)
        if (builder->pairs[i].geom[0] == geom || builder->pairs[i].geom[1] == geom) builder->pairs[i].touch = 0;
}

myr_status myr_keep_feet(myr_builder *builder, const char *feet) {
    char name[MYR_NAME_BYTES];
    unsigned char *kept = myr_allocate_array((size_t)builder->n_geoms + 1, sizeof *kept);
    myr_status status = MYR_OK;
    if (!kept) return myr_fail(MYR_E_MEMORY, "out of memory for the names of %d shapes", builder->n_geoms);
    for (const char *rest = feet; rest && !status;) {
        int found = 0;
        rest = myr_next_name(rest, name);
        for (int i = 0; i < builder->n_geoms; i++)
            if (moves(builder, &builder->geoms[i]) && fnmatch(name, builder->geoms[i].name, 0) == 0) kept[i] = 1, found = 1;
        if (!found) status = refuse(builder, name);
    }
    for (int i = 0; i < builder->n_geoms && !status; i++)
        if (!kept[i] && moves(builder, &builder->geoms[i])) let_go(builder, i);
    myr_release(kept);
    return status;
}

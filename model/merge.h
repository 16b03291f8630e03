/* A description put into another one. */
#ifndef MYR_MODEL_MERGE_H
#define MYR_MODEL_MERGE_H

#include "description.h"

/* Where what is put in begins: counts of what was there. */
typedef struct myr_merged {
#define MYR_OBJECT(kind, kinds, what, most, owned, ids) int kinds;
#include "objects.def"
    int warnings;
} myr_merged;

myr_merged myr_builder_counts(const myr_builder *builder);
/* Take out again what came after. */
void myr_builder_cut(myr_builder *builder, const myr_merged *counts);
/* All that `from` describes, with the prefix before every name, its world being `at` in body `on` of `to` (-1: in the world). But for
 * keyframes, and names are not looked at. On failure `to` is as it was. */
myr_status myr_builder_merge(myr_builder *to, const myr_builder *from, const char *prefix, const myr_pose *at, int on);
/* A copy without keyframes, which a model has of its own; NULL: there is no memory. */
myr_builder *myr_builder_copy(const myr_builder *builder);
/* position and quaternion of what was seen from `at`, now from where `at` is seen from. */
void myr_move_home(double home[7], const myr_pose *at);

#endif

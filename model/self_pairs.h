/* Which geoms of a robot may touch each other, as MuJoCo's filters have it. */
#ifndef MYR_MODEL_SELF_PAIRS_H
#define MYR_MODEL_SELF_PAIRS_H

#include "description.h"
#include "reach.h"

/* The body that each hangs on as the description has it, where a file's body of several joints is one body. Part of the world that it hangs
 * on, by the described body that this begins with. */
typedef struct myr_kinship {
    int *parent; /* n_bodies; the rest is in its memory */
    int *base;   /* n_bodies: of those on the world */
    int *part;   /* n_geoms: of those fixed to the world, else -1 */
} myr_kinship;

/* described[i]: what became body i. The caller releases kinship->parent. */
myr_status myr_find_kinship(const myr_builder *builder, const myr_model *model, const int *described, myr_kinship *kinship);

/* What was asked for, of models that were put into one the most that asks for something: AUTO prunes, and so goes before ALL. */
myr_self_collision myr_self_of_all(const myr_builder *builder);
/* 1: no pair can come of it, whatever the geoms are. */
int myr_is_alone(const myr_builder *builder, const myr_model *model);
/* Of two geoms between which no free joint lies. */
int myr_is_own_pair(const myr_model *model, int a, int b);
/* Of two geoms of which nothing is said. */
int myr_may_meet(const myr_builder *builder, const myr_kinship *kinship, const myr_model *model, int a, int b);

/* With self-collision `auto` the fates of those that are own, a record of those dropped and a warning of those that overlap by design.
 * Counts them in any case. */
myr_status myr_prune(myr_model *model, myr_candidate *candidates, int n, myr_texts *warnings);

#endif

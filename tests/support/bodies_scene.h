/* Models of bodies that touch each other, for the tests of them. */
#ifndef MYR_TESTS_SUPPORT_BODIES_SCENE_H
#define MYR_TESTS_SUPPORT_BODIES_SCENE_H

#include "batch_scene.h"
#include "model/model.h"

/* A body with one geom: mass 1 kg unless said, a round inertia, hung on `parent` by `joint` at (x, y, z). Returns both ids (the same, as
 * every body has one). */
int bodies_add(myr_builder *builder, const char *name, int parent, myr_joint_type joint, const double at[3], myr_geom_type type,
               const double size[3], double mass);

/* A free tree with every joint (asked to touch itself in two places), an arm fixed to the world, a free ball, a plate of the world:
 * all kinds of pairs, within a tree and between trees. */
myr_model *bodies_tangle(void);
/* The same, but nothing of it touches itself: its contacts are bundled and not mixed. */
myr_model *bodies_tangle_apart(void);
/* Random state in which much of it overlaps. */
void bodies_disturb_tangle(myr_batch *batch, const myr_model *model, uint64_t seed);

/* Two free boxes (or a box and a ball) that float. */
myr_model *bodies_two(myr_geom_type first, myr_geom_type second);

#endif

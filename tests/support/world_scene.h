/* Bodies that fall on shapes of the world, and what is done with such batches. */
#ifndef MYR_TESTS_SUPPORT_WORLD_SCENE_H
#define MYR_TESTS_SUPPORT_WORLD_SCENE_H

#include "batch_scene.h"

/* A box, a sphere, a capsule, a cylinder and a mesh that is a box whose middle is not its origin; over each a free body of two shapes, and
 * a hinged arm that swings against the sphere. Each shape's position is the scene's own plus offset[i], NULL: none. Double precision in
 * text is exact. */
enum { WORLD_SHAPES = 5, WORLD_MOST = 8192 };
myr_model *world_model(const double offset[WORLD_SHAPES][3]);

/* Environment e of the batch, at number `at`: its bodies' velocities, and where its shapes are. */
void world_vary(myr_batch *batch, int64_t at, int64_t e);

/* All that a step leaves; 1: each number has the same bits. With `what` a difference ends the test. */
int world_same(const char *what, const myr_batch *a, int64_t i, const myr_batch *b, int64_t j);

/* Contacts with an impulse. */
int world_contacts(const myr_batch *batch, int64_t env);

#endif

/* Mechanisms for the tests of the scalar reference in maximal coordinates. */
#ifndef MYR_TESTS_SUPPORT_MAXIMAL_SCENE_H
#define MYR_TESTS_SUPPORT_MAXIMAL_SCENE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "reference/maximal_parts.h"

enum { MAXIMAL_SCENE_MOST = 128 };

typedef struct maximal_scene {
    maximal_body body[MAXIMAL_SCENE_MOST];
    maximal_joint joint[MAXIMAL_SCENE_MOST];
    maximal_contact contact[MAXIMAL_SCENE_MOST];
    int bodies, joints, contacts;
} maximal_scene;

extern const double maximal_rod[3]; /* inertia of a rod of 1 kg and 1 m along z */

void expect_below(const char *what, double value, double limit);

/* Diagonal inertia, axes of the world; its index. */
int add_body(maximal_scene *s, double mass, const double inertia[3], double x, double y, double z);
maximal_joint *add_joint(maximal_scene *s, maximal_kind kind, int parent, int child, const double p_parent[3], const double p_child[3]);
void add_contact(maximal_scene *s, int body, double x, double y, double z, double mu);

/* Rods that hang from the world's origin by hinges about x, or balls. */
void put_pendulum(maximal_scene *s, int links, maximal_kind kind);

/* Brüdigam 2021's chain of rods on balls, a contact at each end, bent in the air. */
void put_chain(maximal_scene *s, int links);

/* Four rods of 1 m between (0, 0, 0) and (1, 0, 0): the ground (or a rod, floating), up, across, down. The last joint closes the loop. */
void put_fourbar(maximal_scene *s, maximal_kind closing, int floating);

/* Every kind of joint, both kinds with motors, crooked axes; child bodies before their parents; nothing fits yet. */
void put_all_kinds(maximal_scene *s);

/* All of it about an axis of no plane: no number is 0 by luck. */
void tilt_scene(maximal_scene *s);

/* Not NULL. */
maximal *open_scene(const maximal_scene *s, double dt);

/* Ends within a hundred times the tolerance. */
void must_step(maximal *m, double tolerance);

#endif

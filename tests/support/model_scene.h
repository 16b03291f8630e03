/* What the tests of the room model/ share: building bodies in a line, loading text, and saying what went wrong. */
#ifndef MYR_TESTS_SUPPORT_MODEL_SCENE_H
#define MYR_TESTS_SUPPORT_MODEL_SCENE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "model/model.h"

/* Bodies of a simple kind: 1 kg, a round inertia of 0.01 kg m^2, joint axis x at `position`; returns the id. */
int scene_body(myr_builder *builder, const char *name, int parent, myr_joint_type joint, double x, double y, double z);
myr_builder *scene_builder(void);
myr_model *scene_compile(const myr_builder *builder);

/* A model from the text of a URDF; the test fails with the message where it does not load. */
myr_model *scene_load(const char *text, myr_root root);

/* The same of an MJCF. */
myr_model *scene_read(const char *text);

/* The text is refused with `status`, the message starts with "robot.urdf:LINE:" (line > 0) and holds every word of the
 * list, which ends with NULL; no model comes out. */
void scene_refuse(const char *text, myr_root root, myr_status status, int line, const char *const *words);

/* Warnings but the one that says that something floats and cannot touch: many models of the tests are made so. */
int scene_other_warnings(const myr_model *model);
/* A warning of the model holds all words of the list, which ends with NULL. */
void scene_warned(const myr_model *model, const char *const *words);

int scene_joint(const myr_model *model, const char *name); /* body id of a joint */
int scene_frame(const myr_model *model, const char *name);

void scene_near(const double *got, const double *wanted, int count, double tolerance, const char *what);

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})
#define ROBOT(inside) "<?xml version='1.0'?>\n<robot name='r'>\n" inside "</robot>\n"
#define LINK(name) "<link name='" name "'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial></link>\n"
#define JOINT(name, type, parent, child)                                                                                                   \
    "<joint name='" name "' type='" type "'><parent link='" parent "'/><child link='" child "'/></joint>\n"

#endif

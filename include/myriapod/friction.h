/* Groups of geoms whose friction has a factor of its own in each environment: the field MYR_GROUP_FRICTION, a number per group. */
#ifndef MYRIAPOD_FRICTION_H
#define MYRIAPOD_FRICTION_H

#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

struct myr_builder; /* model.h */
struct myr_model;

/* Put geoms into the group of this name, which is made where there is none. geoms: names separated by ',', `*` and `?` as in a shell. A
 * geom is in one group at most: the last word counts. The coefficient of a contact is its own, times MYR_FRICTION, times the factors of the
 * groups of its geoms, each group once. MYR_E_ARG: there is no such geom. */
MYR_API myr_status myr_builder_friction_group(struct myr_builder *builder, const char *name, const char *geoms);
/* How many there are; 0: model is NULL. */
MYR_API int myr_model_friction_groups(const struct myr_model *model);
/* Name of group 0 .. n - 1; NULL past them. */
MYR_API const char *myr_model_friction_group_name(const struct myr_model *model, int group);

#ifdef __cplusplus
}
#endif
#endif

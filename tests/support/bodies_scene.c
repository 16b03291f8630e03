#include "bodies_scene.h"

#include <stdlib.h>
#include <string.h>

#include "random_model.h"

int bodies_add(myr_builder *builder, const char *name, int parent, myr_joint_type joint, const double at[3], myr_geom_type type,
               const double size[3], double mass) {
    myr_body_def def = myr_body_def_default();
    myr_geom_def geom = myr_geom_def_default();
    int id = -1;
    def.name = name;
    def.parent = parent;
    def.joint = joint;
    def.mass_kg = mass;
    def.axis[0] = 0.3, def.axis[1] = 0.9, def.axis[2] = -0.2;
    for (int k = 0; k < 3; k++) def.position_m[k] = at[k], def.inertia_kgm2[k] = mass * (0.004 + 0.001 * k), def.com_m[k] = 0.01 * k;
    MUST(myr_builder_body(builder, &def, &id));
    geom.body = id;
    geom.type = type;
    memcpy(geom.size_m, size, sizeof geom.size_m);
    MUST(myr_builder_geom(builder, &geom, NULL));
    return id;
}

#define AT(x, y, z) ((const double[3]){x, y, z})

static myr_model *tangle(int itself) {
    myr_builder *b = NULL;
    myr_model *model = NULL;
    MUST(myr_builder_create("tangle", &b));
    const int base = bodies_add(b, "base", -1, MYR_JOINT_FREE, AT(0, 0, 0), MYR_GEOM_BOX, AT(0.1, 0.08, 0.06), 2);
    const int arm = bodies_add(b, "arm", base, MYR_JOINT_REVOLUTE, AT(0.1, 0.05, 0), MYR_GEOM_CAPSULE, AT(0.04, 0.1, 0), 0.5);
    const int hand = bodies_add(b, "hand", arm, MYR_JOINT_BALL, AT(0, 0, 0.15), MYR_GEOM_SPHERE, AT(0.09, 0, 0), 0.3);
    const int leg = bodies_add(b, "leg", base, MYR_JOINT_PRISMATIC, AT(0.1, -0.05, 0), MYR_GEOM_SPHERE, AT(0.07, 0, 0), 0.4);
    bodies_add(b, "post", -1, MYR_JOINT_REVOLUTE, AT(-0.1, 0, 0.1), MYR_GEOM_BOX, AT(0.05, 0.15, 0.1), 1);
    bodies_add(b, "ball", -1, MYR_JOINT_FREE, AT(0, 0, 0), MYR_GEOM_SPHERE, AT(0.1, 0, 0), 0.7);
    bodies_add(b, "rod", -1, MYR_JOINT_FREE, AT(0, 0, 0), MYR_GEOM_CAPSULE, AT(0.05, 0.2, 0), 0.6);
    bodies_add(b, "plate", -1, MYR_JOINT_FIXED, AT(0.1, 0.1, -0.05), MYR_GEOM_BOX, AT(0.2, 0.2, 0.1), 0);
    MUST(myr_builder_pair(b, arm, leg, itself));
    MUST(myr_builder_pair(b, hand, base, itself));
    MUST(myr_builder_compile(b, &model));
    myr_builder_free(b);
    return model;
}

myr_model *bodies_tangle(void) { return tangle(1); }
myr_model *bodies_tangle_apart(void) { return tangle(0); }

void bodies_disturb_tangle(myr_batch *batch, const myr_model *model, uint64_t seed) {
    random_source source = {seed};
    myr_batch_info info;
    myr_batch_get_info(batch, &info);
    for (int64_t env = 0; env < info.envs; env++) {
        double q[64], v[64], tau[64];
        random_state(&source, model, 0.5, 0, q, v, tau);
        for (int i = 0; i < 3; i++) /* base, ball and rod start their q with a position */
            for (int k = 0; k < 3; k++) {
                static const int first[3] = {0, 14, 21};
                q[first[i] + k] = random_uniform(&source, -0.25, 0.25) + (k == 2 ? 0.1 : 0);
            }
        MUST(myr_batch_set(batch, MYR_Q, &env, 1, MYR_F64, q));
        MUST(myr_batch_set(batch, MYR_V, &env, 1, MYR_F64, v));
    }
}

myr_model *bodies_two(myr_geom_type first, myr_geom_type second) {
    myr_builder *b = NULL;
    myr_model *model = NULL;
    MUST(myr_builder_create("two", &b));
    bodies_add(b, "one", -1, MYR_JOINT_FREE, AT(0, 0, 0), first, AT(0.1, 0.12, 0.08), 1);
    bodies_add(b, "other", -1, MYR_JOINT_FREE, AT(0, 0, 0), second, AT(0.09, 0.1, 0.11), 2.5);
    MUST(myr_builder_compile(b, &model));
    myr_builder_free(b);
    return model;
}

/* chain-N: N cylinders of 1 kg, 1 m, radius 0.05 m, joined by ball joints, the first one free. Link frames at the upper
 * ends, centres of mass at (0, 0, -0.5). A sphere of radius 0.05 m at every lower end and one at the first upper end:
 * N + 1 slots. The mechanism of Brüdigam 2021 Fig. 5. */
#include <stdio.h>

#include "description.h"

static myr_status add_link(myr_builder *builder, int index) {
    static const double radius = 0.05, length = 1.0;
    char name[16];
    snprintf(name, sizeof name, "link%d", index);
    myr_body_def body = myr_body_def_default();
    body.name = name;
    body.parent = index - 1;
    body.joint = index ? MYR_JOINT_BALL : MYR_JOINT_FREE;
    body.position_m[2] = index ? -length : 0.0;
    body.mass_kg = 1.0;
    body.com_m[2] = -0.5 * length;
    body.inertia_kgm2[0] = body.inertia_kgm2[1] = body.mass_kg * (3.0 * radius * radius + length * length) / 12.0;
    body.inertia_kgm2[2] = 0.5 * body.mass_kg * radius * radius;
    myr_status status = myr_builder_body(builder, &body, NULL);
    myr_geom_def end = myr_geom_def_default();
    end.body = index;
    end.size_m[0] = radius;
    if (!status && index == 0) status = myr_builder_geom(builder, &end, NULL);
    end.position_m[2] = -length;
    return status ? status : myr_builder_geom(builder, &end, NULL);
}

myr_status myr_chain_build(int n, myr_self_collision self_collision, myr_model **out) {
    char name[16];
    snprintf(name, sizeof name, "chain-%d", n);
    myr_builder *builder = NULL;
    myr_status status = myr_builder_create(name, &builder);
    for (int i = 0; i < n && !status; i++) status = add_link(builder, i);
    if (!status) status = myr_builder_self_collision(builder, self_collision);
    if (!status) status = myr_builder_compile(builder, out);
    myr_builder_free(builder);
    return status;
}

/* ctest: heavy lanes
 * Boxes around geoms rule out what is apart, and nothing that touches (collision/pairs.lane.h); the portable lanes in float, looked at from
 * inside a step. */
#define MYR_ISA 128
#define MYR_DOUBLE 0
#pragma GCC diagnostic ignored "-Wunused-function"
#include <string.h>

#include "kernels/contact/solve.h"
#include "robot/workspace.lane.h"
#include "dynamics/kinematics.lane.h"
#include "collision/collide.lane.h"

#include <math.h>
#include <stdlib.h>

#include "batch/batch.h"
#include "batch_scene.h"
#include "random_model.h"

enum { ENVS = 16, CORNERS = 14 };

static int add(myr_builder *builder, const char *name, myr_geom_type type, random_source *source) {
    myr_body_def def = myr_body_def_default();
    myr_geom_def geom = myr_geom_def_default();
    double corners[CORNERS][3];
    int id = -1;
    def.name = name, def.parent = -1, def.joint = MYR_JOINT_FREE, def.mass_kg = 1;
    for (int k = 0; k < 3; k++) def.inertia_kgm2[k] = 0.01;
    MUST(myr_builder_body(builder, &def, &id));
    geom.body = id, geom.type = type;
    for (int k = 0; k < 3; k++) geom.size_m[k] = random_uniform(source, 0.01, 0.3), geom.position_m[k] = random_uniform(source, -0.2, 0.2);
    random_quaternion(source, geom.quaternion);
    for (int i = 0; i < CORNERS; i++)
        for (int k = 0; k < 3; k++) corners[i][k] = geom.size_m[k] * random_uniform(source, -1, 1);
    if (type == MYR_GEOM_HULL) geom.points_m = corners[0], geom.n_points = CORNERS;
    MUST(myr_builder_geom(builder, &geom, NULL));
    return id;
}

static void nothing_that_touches_is_ruled_out(void **state) {
    (void)state;
    static const myr_geom_type types[] = {MYR_GEOM_SPHERE, MYR_GEOM_CAPSULE, MYR_GEOM_BOX, MYR_GEOM_CYLINDER, MYR_GEOM_HULL};
    const myr_settings settings = scene_settings("isa", "portable", "task", "none", "threads", "1", "ground", "off", NULL);
    const vf reach = vf_set((real)0.002);
    long looked = 0, apart = 0, out = 0, touch = 0;
    for (int first = 0; first < 5; first++)
        for (int second = first; second < 5; second++)
            for (uint64_t seed = 1; seed <= 10; seed++) {
                random_source source = {100 * seed + (uint64_t)(10 * first + second)};
                myr_builder *builder = NULL;
                myr_model *model = NULL;
                myr_batch *batch = NULL;
                MUST(myr_builder_create("two", &builder));
                add(builder, "one", types[first], &source);
                add(builder, "other", types[second], &source);
                MUST(myr_builder_compile(builder, &model));
                myr_builder_free(builder);
                MUST(myr_batch_create(model, ENVS, &settings, 0, &batch));
                workspace w = {0};
                void *space = aligned_alloc(64, (workspace_bytes(batch->robot, batch->options.solve.solver) + 127) & ~(size_t)63);
                assert_non_null(space);
                workspace_open(&w, batch->robot, space);
                for (int draw = 0; draw < 20; draw++) {
                    double q[ENVS][14];
                    for (int env = 0; env < ENVS; env++)
                        for (int k = 0; k < 14; k += 7) {
                            for (int e = 0; e < 3; e++) q[env][k + e] = 10 + random_uniform(&source, -0.25, 0.25);
                            random_quaternion(&source, q[env] + k + 3);
                        }
                    MUST(myr_batch_set(batch, MYR_Q, NULL, ENVS, MYR_F64, q[0]));
                    for (int k = 0; k < PARTS; k++) {
                        const part p = {.r = batch->robot,
                                        .w = &w,
                                        .tile = (char *)batch->arena + (size_t)k * sizeof(vf),
                                        .options = &batch->options,
                                        .alive = (1u << VN) - 1};
                        const lane_pair *pair = p.r->pairs;
                        const lane_solid *a = &p.r->solids[pair->a], *b = &p.r->solids[pair->b];
                        manifold m;
                        kinematics(&p);
                        for (int t = 0; t < p.r->n_trees; t++) v3_store(w.tree_at + 3 * t, tree_position(&p, t));
                        place_solids(&p);
                        const v3 d = v3_add(v3_sub(v3_load(w.solid_at + 3 * pair->a), v3_load(w.solid_at + 3 * pair->b)),
                                            v3_sub(solid_base(&p, a), solid_base(&p, b)));
                        const solid one = {a, w.solid_R + 9 * pair->a}, other = {b, w.solid_R + 9 * pair->b};
                        const vm balls = vm_le(v3_dot(d, d), vf_set((a->reach + b->reach) * (a->reach + b->reach)));
                        const vm near = boxes_near(one, other, d, vm_all(), reach);
                        find_manifold(one, other, d, vm_all(), reach, &m);
                        vm touches = vm_none();
                        for (int s = 0; s < pair->n_slots; s++) touches = vm_or(touches, vm_le(m.gap[s], reach));
                        if (vm_any(vm_andnot(touches, near)))
                            fail_msg("types %d and %d, seed %d, draw %d: what touches is ruled out", types[first], types[second], (int)seed,
                                     draw);
                        looked += __builtin_popcount(vm_bits(balls)), touch += __builtin_popcount(vm_bits(vm_and(balls, touches)));
                        apart += __builtin_popcount(vm_bits(vm_andnot(balls, touches)));
                        out += __builtin_popcount(vm_bits(vm_andnot(balls, near)));
                    }
                }
                free(space);
                myr_batch_free(batch);
                myr_model_free(model);
            }
    print_message("of %ld poses with balls that meet %ld touch; of %ld others boxes rule out %ld\n", looked, touch, apart, out);
    assert_true(touch > 2000 && out > apart / 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_that_touches_is_ruled_out)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "random_model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

uint64_t random_bits(random_source *source) { /* splitmix64 */
    uint64_t z = (source->state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

double random_uniform(random_source *source, double low, double high) {
    return low + (high - low) * ((double)(random_bits(source) >> 11) * 0x1p-53);
}

int random_below(random_source *source, int n) { return (int)(random_bits(source) % (uint64_t)n); }

void random_quaternion(random_source *source, double quaternion[4]) {
    double n;
    do {
        n = 0;
        for (int k = 0; k < 4; k++) {
            quaternion[k] = random_uniform(source, -1, 1);
            n += quaternion[k] * quaternion[k];
        }
    } while (n > 1 || n < 1e-2);
    for (int k = 0; k < 4; k++) quaternion[k] /= sqrt(n);
}

static void quarter_turn(random_source *source, double quaternion[4]) {
    const int axis = random_below(source, 3), quarters = random_below(source, 4);
    const double h = sqrt(0.5), cosines[4] = {1, h, 0, h}, sines[4] = {0, h, 1, -h};
    memset(quaternion, 0, 4 * sizeof *quaternion);
    quaternion[0] = cosines[quarters];
    quaternion[1 + axis] = sines[quarters];
}

/* Five point masses: every inertia made of points can exist. */
static void random_inertia(random_source *source, myr_body_def *def) {
    enum { POINTS = 5 };
    double mass[POINTS], at[POINTS][3], com[3] = {0, 0, 0}, total = 0;
    const double weight = exp(random_uniform(source, log(0.1), log(5.0)));
    for (int i = 0; i < POINTS; i++) {
        mass[i] = weight * random_uniform(source, 0.5, 1.5) / POINTS;
        total += mass[i];
        for (int k = 0; k < 3; k++) {
            at[i][k] = random_uniform(source, -0.3, 0.3);
            com[k] += mass[i] * at[i][k];
        }
    }
    def->mass_kg = total;
    memset(def->inertia_kgm2, 0, sizeof def->inertia_kgm2);
    for (int k = 0; k < 3; k++) def->com_m[k] = com[k] / total;
    for (int i = 0; i < POINTS; i++) {
        const double x = at[i][0] - def->com_m[0], y = at[i][1] - def->com_m[1], z = at[i][2] - def->com_m[2];
        const double part[6] = {y * y + z * z, x * x + z * z, x * x + y * y, -x * y, -x * z, -y * z};
        for (int k = 0; k < 6; k++) def->inertia_kgm2[k] += mass[i] * part[k];
    }
}

static myr_joint_type random_joint(random_source *source, unsigned joints) {
    for (;;) {
        const int type = random_below(source, MYR_JOINT_FREE);
        if (joints >> type & 1u) return (myr_joint_type)type;
    }
}

static void random_rows(random_source *source, int rows, myr_body_def *def) {
    if (def->joint != MYR_JOINT_REVOLUTE && def->joint != MYR_JOINT_PRISMATIC) return;
    const int has = random_below(source, 4) | (rows == 2);
    if (has & 1) def->lower = random_uniform(source, -1.2, -0.01), def->upper = random_uniform(source, 0.01, 1.2);
    if (has & 2) def->dry_friction = random_uniform(source, 0.01, 0.5);
}

static myr_status add_body(myr_builder *builder, random_source *source, const random_tree *tree, int i, int geoms) {
    myr_body_def def = myr_body_def_default();
    char name[32];
    snprintf(name, sizeof name, "body_%d", i);
    def.name = name;
    def.parent = i < tree->trees ? -1 : tree->limbs && random_below(source, 8) > 0 ? i - 1 : random_below(source, i);
    if (def.parent < 0)
        def.joint = (tree->floating < 0 ? random_below(source, 2) : tree->floating) ? MYR_JOINT_FREE : random_joint(source, tree->joints);
    else
        def.joint = random_joint(source, tree->joints);
    for (int k = 0; k < 3; k++) {
        def.position_m[k] = random_uniform(source, -0.5, 0.5);
        def.axis[k] = random_uniform(source, -1, 1);
    }
    if (tree->straight) {
        const int along = random_below(source, 3);
        const double sign = random_below(source, 2) ? 1 : -1;
        for (int k = 0; k < 3; k++) def.axis[k] = k == along ? sign : 0;
        quarter_turn(source, def.quaternion);
    } else {
        random_quaternion(source, def.quaternion);
    }
    random_inertia(source, &def);
    if (tree->rows) random_rows(source, tree->rows, &def);
    int id;
    myr_status status = myr_builder_body(builder, &def, &id);
    if (status != MYR_OK || !geoms) return status;
    myr_geom_def geom = myr_geom_def_default();
    geom.body = id;
    for (int k = 0; k < 3; k++) geom.position_m[k] = random_uniform(source, -0.3, 0.3);
    geom.size_m[0] = random_uniform(source, 0.02, 0.1);
    return myr_builder_geom(builder, &geom, NULL);
}

myr_model *random_model(uint64_t seed, const random_tree *tree, int geoms) {
    random_source source = {seed};
    myr_builder *builder = NULL;
    myr_model *model = NULL;
    char name[32];
    snprintf(name, sizeof name, "random-%llu", (unsigned long long)seed);
    if (myr_builder_create(name, &builder) != MYR_OK) return NULL;
    myr_status status = MYR_OK;
    for (int i = 0; status == MYR_OK && i < tree->bodies; i++) status = add_body(builder, &source, tree, i, geoms);
    if (status == MYR_OK) {
        const double at[3] = {0.1, -0.2, 0.3};
        double turned[4];
        random_quaternion(&source, turned);
        status = myr_builder_frame(builder, "somewhere", random_below(&source, tree->bodies), at, turned);
    }
    if (status == MYR_OK) myr_builder_compile(builder, &model);
    myr_builder_free(builder);
    return model;
}

void random_state(random_source *source, const myr_model *model, double speed, double effort, double *q, double *v, double *tau) {
    myr_model_info info;
    myr_model_get_info(model, &info);
    const double pi = acos(-1.0);
    for (int i = 0; i < info.n_joints; i++) {
        myr_joint_info joint;
        if (myr_model_get_joint(model, i, &joint) != MYR_OK) return;
        double *at = q + joint.q;
        switch (joint.type) {
        case MYR_JOINT_FREE:
            for (int k = 0; k < 3; k++) at[k] = random_uniform(source, -1, 1);
            random_quaternion(source, at + 3);
            break;
        case MYR_JOINT_BALL: random_quaternion(source, at); break;
        case MYR_JOINT_REVOLUTE: at[0] = random_uniform(source, -pi, pi); break;
        case MYR_JOINT_PRISMATIC: at[0] = random_uniform(source, -1, 1); break;
        case MYR_JOINT_FIXED: break;
        }
    }
    for (int i = 0; i < info.nv; i++) {
        v[i] = random_uniform(source, -speed, speed);
        tau[i] = random_uniform(source, -effort, effort);
    }
}

void random_models(int first, int count, const random_tree *tree, void (*check)(const myr_model *model, const char *what, uint64_t seed)) {
    for (int i = 0; i < count; i++) {
        char what[96];
        snprintf(what, sizeof what, "random tree, seed %d, %d bodies in %d trees", first + i, tree->bodies, tree->trees);
        myr_model *model = random_model((uint64_t)(first + i), tree, 0);
        check(model, what, (uint64_t)(1000 + first + i));
        myr_model_free(model);
    }
}

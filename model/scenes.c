/* Scenes of bodies that touch each other.
 *
 * stack-N, stack-N-RATIO: N cubes of 0.2 m on top of each other, each one sunk by 2 micrometres into what carries it, so that no contact
 * waits for rounding. The lowest weighs 1 kg, the uppermost RATIO kg, those between 1 kg. Friction 0.9 on the floor, 0.95 between
 * cubes. Le Lidec 2024 Fig. 13 has N = 2.
 *
 * hand-ball: a ball of 0.1 kg and 40 mm in a palm and three fingers of two capsules each, all fixed to the world. */
#include <stdio.h>
#include <stdlib.h>

#include "description.h"
#include "base/trigonometry.h"

enum { MOST_CUBES = 10 };

static myr_status add_cube(myr_builder *builder, int index, double mass) {
    static const double half = 0.1, sunk = 2e-6, upright[4] = {1, 0, 0, 0};
    const double at[3] = {0, 0, half - sunk + index * (2 * half - sunk)};
    char name[16];
    snprintf(name, sizeof name, "cube%d", index);
    myr_body_def body = myr_body_def_default();
    body.name = name;
    body.joint = MYR_JOINT_FREE;
    body.mass_kg = mass;
    for (int k = 0; k < 3; k++) body.inertia_kgm2[k] = mass * (2 * half) * (2 * half) / 6;
    myr_geom_def geom = myr_geom_def_default();
    geom.body = index;
    geom.type = MYR_GEOM_BOX;
    for (int k = 0; k < 3; k++) geom.size_m[k] = half;
    geom.friction = index ? 0.95 : 0.9;
    myr_status status = myr_builder_body(builder, &body, NULL);
    if (!status) status = myr_builder_geom(builder, &geom, NULL);
    return status ? status : myr_builder_home(builder, index, at, upright);
}

static myr_status build_stack(myr_builder *builder, int cubes, double ratio) {
    myr_status status = MYR_OK;
    for (int i = 0; i < cubes && !status; i++) status = add_cube(builder, i, i == cubes - 1 && cubes > 1 ? ratio : 1.0);
    return status;
}

/* A capsule of the world's between two points. */
static myr_status add_phalanx(myr_builder *builder, const double from[3], const double to[3], double radius) {
    double along[3], length = 0;
    for (int k = 0; k < 3; k++) along[k] = to[k] - from[k], length += along[k] * along[k];
    length = sqrt(length);
    myr_geom_def geom = myr_geom_def_default();
    geom.body = 0;
    geom.type = MYR_GEOM_CAPSULE;
    geom.size_m[0] = radius;
    geom.size_m[1] = 0.5 * length;
    for (int k = 0; k < 3; k++) geom.position_m[k] = 0.5 * (from[k] + to[k]);
    /* the half turn about the middle of z and `along` takes one to the other, both ways */
    geom.quaternion[0] = 0;
    for (int k = 0; k < 3; k++) geom.quaternion[1 + k] = along[k] / length + (k == 2);
    return myr_builder_geom(builder, &geom, NULL);
}

static myr_status build_hand(myr_builder *builder) {
    static const double height = 0.3, upright[4] = {1, 0, 0, 0}, radius = 0.04;
    myr_body_def palm = myr_body_def_default(), ball = myr_body_def_default();
    palm.name = "hand";
    ball.name = "ball";
    ball.joint = MYR_JOINT_FREE;
    ball.mass_kg = 0.1;
    for (int k = 0; k < 3; k++) ball.inertia_kgm2[k] = 0.4 * ball.mass_kg * radius * radius;
    myr_geom_def plate = myr_geom_def_default(), round = myr_geom_def_default();
    plate.body = 0;
    plate.type = MYR_GEOM_BOX;
    plate.size_m[0] = plate.size_m[1] = 0.03;
    plate.size_m[2] = 0.01;
    plate.position_m[2] = height;
    round.body = 1;
    round.size_m[0] = radius;
    const double at[3] = {0.004, 0, height + 0.01 + radius + 0.02}; /* dropped from 20 mm, off the middle */
    myr_status status = myr_builder_body(builder, &palm, NULL);
    if (!status) status = myr_builder_body(builder, &ball, NULL);
    if (!status) status = myr_builder_geom(builder, &plate, NULL);
    for (int finger = 0; finger < 3 && !status; finger++) {
        double s, c;
        myr_sincos(finger * (2.0 / 3.0) * 3.141592653589793, &s, &c);
        const double root[3] = {0.03 * c, 0.03 * s, height}, knuckle[3] = {0.055 * c, 0.055 * s, height + 0.05},
                     tip[3] = {0.045 * c, 0.045 * s, height + 0.1};
        status = add_phalanx(builder, root, knuckle, 0.008);
        if (!status) status = add_phalanx(builder, knuckle, tip, 0.008);
    }
    if (!status) status = myr_builder_geom(builder, &round, NULL);
    return status ? status : myr_builder_home(builder, 1, at, upright);
}

/* A decimal number > 0 like 1e6 or 2.5, whatever the locale; 0 where it is not such a number. */
static double read_ratio(const char *word) {
    char mantissa[24] = {0};
    double value = 0;
    int scale = 0, digits = 0;
    const size_t length = strspn(word, "0123456789.");
    if (!length || length >= sizeof mantissa) return 0;
    for (size_t i = 0, dots = 0; i < length; i++) {
        if (word[i] == '.') {
            if (dots++) return 0;
            continue;
        }
        value = 10 * value + (word[i] - '0');
        scale -= dots > 0;
        digits++;
    }
    const char *rest = word + length;
    if (*rest == 'e') {
        rest++;
        const int down = *rest == '-';
        rest += *rest == '-' || *rest == '+';
        const size_t count = strspn(rest, "0123456789");
        if (count < 1 || count > 3) return 0;
        scale += down ? -atoi(rest) : atoi(rest);
        rest += count;
    }
    if (*rest || !digits || scale > 30 || scale < -30) return 0;
    double power = 1;
    for (int i = 0; i < (scale < 0 ? -scale : scale); i++) power *= 10;
    return scale < 0 ? value / power : value * power;
}

int myr_scene_load(const char *name, const myr_load_options *options, myr_model **out, myr_status *status) {
    const int hand = !strcmp(name, "hand-ball");
    int cubes = 0;
    double ratio = 1;
    if (!hand) {
        if (strncmp(name, "stack-", 6) != 0) return 0;
        const char *digits = name + 6;
        const size_t count = strspn(digits, "0123456789");
        cubes = count && count <= 2 ? atoi(digits) : 0;
        if (digits[count] == '-')
            ratio = read_ratio(digits + count + 1);
        else if (digits[count])
            cubes = 0;
        if (cubes < 1 || cubes > MOST_CUBES || !(ratio >= 1e-9 && ratio <= 1e9)) {
            *status =
                myr_fail(MYR_E_ARG,
                         "`%.100s`: stack-N has N in 1..%d cubes; stack-N-RATIO also says, in 1e-9..1e9, what the uppermost weighs in "
                         "weights of the lowest",
                         name, MOST_CUBES);
            return 1;
        }
    }
    if (options->root == MYR_ROOT_FIXED) {
        *status = myr_fail(MYR_E_ARG, "`%.100s`: its bodies are free; root `fixed` does not apply", name);
        return 1;
    }
    myr_builder *builder = NULL;
    *status = myr_builder_create(name, &builder);
    if (!*status) *status = hand ? build_hand(builder) : build_stack(builder, cubes, ratio);
    if (!*status) *status = myr_builder_self_collision(builder, options->self_collision);
    if (!*status) *status = myr_builder_compile(builder, out);
    myr_builder_free(builder);
    return 1;
}

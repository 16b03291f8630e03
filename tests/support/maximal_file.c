#include "maximal_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { MOST_PARTS = 64 };

json_t *maximal_member(const json_t *object, const char *key) {
    json_t *value = json_object_get(object, key);
    if (!value) fail_msg("no \"%s\"", key);
    return value;
}

double maximal_number(const json_t *object, const char *key, double otherwise) {
    const json_t *value = json_object_get(object, key);
    return value ? json_number_value(value) : otherwise;
}

void maximal_numbers(const json_t *array, size_t count, double *out) {
    assert_int_equal(json_array_size(array), count);
    for (size_t k = 0; k < count; k++) out[k] = json_number_value(json_array_get(array, k));
}

static maximal_kind kind_of(const char *name) {
    static const char *const names[] = {"fixed", "ball", "revolute", "prismatic", "pin2"};
    for (int k = 0; k < 5; k++)
        if (strcmp(name, names[k]) == 0) return (maximal_kind)k;
    fail_msg("no joint is called %s", name);
    return MAXIMAL_FIXED;
}

static maximal_joint read_joint(const json_t *from) {
    maximal_joint joint = {.kind = kind_of(json_string_value(maximal_member(from, "kind"))),
                           .parent = (int)json_integer_value(maximal_member(from, "parent")),
                           .child = (int)json_integer_value(maximal_member(from, "child"))};
    maximal_numbers(maximal_member(from, "p_parent"), 3, joint.p_parent);
    maximal_numbers(maximal_member(from, "p_child"), 3, joint.p_child);
    maximal_numbers(maximal_member(from, "axis_child"), 3, joint.axis);
    maximal_numbers(maximal_member(from, "q_offset"), 4, joint.q_offset);
    const json_t *motor = json_object_get(from, "motor");
    if (json_is_object(motor)) {
        joint.driven = 1;
        joint.motor = (maximal_motor){.kp = maximal_number(motor, "kp", 0),
                                      .kd = maximal_number(motor, "kd", 0),
                                      .damping = maximal_number(motor, "damping", 0),
                                      .armature = maximal_number(motor, "armature", 0),
                                      .target = maximal_number(motor, "target", 0)};
    }
    return joint;
}

maximal *maximal_file_open(const json_t *oracle) {
    const json_t *from = maximal_member(oracle, "mechanism"), *start = maximal_member(oracle, "start");
    const size_t bodies = json_array_size(maximal_member(from, "mass")), joints = json_array_size(maximal_member(from, "joints")),
                 contacts = json_array_size(maximal_member(from, "contacts"));
    maximal_body body[MOST_PARTS] = {0};
    maximal_joint joint[MOST_PARTS];
    maximal_contact contact[MOST_PARTS] = {0};
    assert_true(bodies <= MOST_PARTS && joints <= MOST_PARTS && contacts <= MOST_PARTS);
    for (size_t i = 0; i < bodies; i++) {
        const json_t *inertia = json_array_get(maximal_member(from, "inertia_body_about_com"), i);
        body[i].mass = json_number_value(json_array_get(maximal_member(from, "mass"), i));
        for (size_t k = 0; k < 3; k++) maximal_numbers(json_array_get(inertia, k), 3, body[i].inertia + 3 * k);
        maximal_numbers(json_array_get(maximal_member(start, "x"), i), 3, body[i].x);
        maximal_numbers(json_array_get(maximal_member(start, "q"), i), 4, body[i].q);
        maximal_numbers(json_array_get(maximal_member(start, "v"), i), 3, body[i].v);
        maximal_numbers(json_array_get(maximal_member(start, "w"), i), 3, body[i].w);
    }
    for (size_t j = 0; j < joints; j++) joint[j] = read_joint(json_array_get(maximal_member(from, "joints"), j));
    for (size_t c = 0; c < contacts; c++) {
        const json_t *one = json_array_get(maximal_member(from, "contacts"), c);
        contact[c].body = (int)json_integer_value(maximal_member(one, "body"));
        contact[c].radius = maximal_number(one, "radius", 0), contact[c].mu = maximal_number(one, "mu", 0);
        maximal_numbers(maximal_member(one, "p"), 3, contact[c].p);
    }
    maximal *m = maximal_open((int)bodies, body, (int)joints, joint, (int)contacts, contact);
    assert_non_null(m);
    m->dt = maximal_number(from, "dt", 0), m->gravity[2] = -maximal_number(from, "gravity", 0);
    m->cone = strcmp(json_string_value(maximal_member(from, "cone")), "soc") == 0 ? MAXIMAL_SOC : MAXIMAL_LINEAR;
    return m;
}

maximal_pose maximal_file_pose(const json_t *state, int n) {
    maximal_pose pose = {0};
    for (int i = 0; i < n; i++) {
        maximal_numbers(json_array_get(maximal_member(state, "x"), (size_t)i), 3, pose.x[i]);
        maximal_numbers(json_array_get(maximal_member(state, "q"), (size_t)i), 4, pose.q[i]);
        maximal_numbers(json_array_get(maximal_member(state, "v"), (size_t)i), 3, pose.v[i]);
        maximal_numbers(json_array_get(maximal_member(state, "w"), (size_t)i), 3, pose.w[i]);
    }
    return pose;
}

/* Joints in the order of a file against joints in the order of the library. */
#include "joints.h"

#include <stdlib.h>
#include <string.h>

#include "../base/nearest.h"
#include "json.h"

const char *joint_type_name(myr_joint_type type) {
    switch (type) {
    case MYR_JOINT_FIXED: return "fixed";
    case MYR_JOINT_REVOLUTE: return "revolute";
    case MYR_JOINT_PRISMATIC: return "prismatic";
    case MYR_JOINT_BALL: return "ball";
    case MYR_JOINT_FREE: return "free";
    }
    return "unknown";
}

/* "continuous" is URDF's name for a revolute joint without limits, "floating" its name for a free one. */
static int type_fits(const char *word, myr_joint_type type) {
    if (strcmp(word, "continuous") == 0) return type == MYR_JOINT_REVOLUTE;
    if (strcmp(word, "floating") == 0) return type == MYR_JOINT_FREE;
    return strcmp(word, joint_type_name(type)) == 0;
}

static int is_free(const char *type) { return strcmp(type, "free") == 0 || strcmp(type, "floating") == 0; }

static int find_free(const myr_model *model, const myr_joint_info *joints, int n, const char *name, cli_text *message) {
    int found = -1, count = 0;
    for (int i = 0; i < n; i++) {
        if (joints[i].type != MYR_JOINT_FREE) continue;
        if (strcmp(joints[i].name, name) == 0) return i;
        found = i;
        count++;
    }
    if (count == 1) return found;
    myr_model_info info;
    myr_model_get_info(model, &info);
    if (count == 0) return cli_say(message, "joint_order has the free joint \"%s\", the model \"%s\" has a fixed root", name, info.name);
    return cli_say(message, "joint_order has the free joint \"%s\"; the model \"%s\" has %d, none of that name", name, info.name, count);
}

static int find_joint(const myr_model *model, const myr_joint_info *joints, int n, const char *name, const char *type, cli_text *message) {
    if (is_free(type)) return find_free(model, joints, n, name, message);
    for (int i = 0; i < n; i++) {
        if (strcmp(joints[i].name, name) == 0) return i;
    }
    const char **names = cli_allocate((size_t)n, sizeof *names);
    for (int i = 0; i < n; i++) names[i] = joints[i].name;
    const char *nearest = myr_nearest(name, names, (size_t)n);
    free(names);
    myr_model_info info;
    myr_model_get_info(model, &info);
    if (nearest)
        return cli_say(message, "joint_order: the model \"%s\" has no joint \"%s\"; did the file mean \"%s\"?", info.name, name, nearest);
    return cli_say(message, "joint_order: the model \"%s\" has no joint \"%s\"", info.name, name);
}

/* Give the width places from `first` on of the file to the joint's own, from `own` on. */
static int take(int *map, char *taken, int n, json_int_t first, int own, int width, const char *name, const char *key, cli_text *message) {
    if (first < 0 || first + width > n) {
        return cli_say(message, "joint_order: %s %lld of \"%s\" lies outside 0..%d", key, (long long)first, name, n - width);
    }
    for (int i = 0; i < width; i++) {
        const int place = (int)first + i;
        if (taken[place]) return cli_say(message, "joint_order: %s %lld of \"%s\" overlaps another joint", key, (long long)first, name);
        taken[place] = 1;
        map[own + i] = place;
    }
    return 0;
}

typedef struct reader {
    const myr_model *model;
    myr_joint_info *joints;
    int n;
    char *seen, *taken_q, *taken_v;
} reader;

static int read_entry(reader *r, joint_map *map, const json_t *entry, size_t index, cli_text *message) {
    const json_t *name = json_object_get(entry, "name"), *type = json_object_get(entry, "type");
    const json_t *q = json_object_get(entry, "q_index"), *v = json_object_get(entry, "v_index");
    if (!json_is_string(name)) return cli_say(message, "joint_order[%zu]: \"name\" is %s, not a string", index, cli_json_quote(name).text);
    const char *word = json_string_value(name);
    if (!json_is_string(type))
        return cli_say(message, "joint_order: \"type\" of \"%s\" is %s, not a string", word, cli_json_quote(type).text);
    if (!json_is_integer(q))
        return cli_say(message, "joint_order: \"q_index\" of \"%s\" is %s, not a whole number", word, cli_json_quote(q).text);
    if (!json_is_integer(v))
        return cli_say(message, "joint_order: \"v_index\" of \"%s\" is %s, not a whole number", word, cli_json_quote(v).text);

    const int j = find_joint(r->model, r->joints, r->n, word, json_string_value(type), message);
    if (j < 0) return -1;
    const myr_joint_info *joint = &r->joints[j];
    if (!type_fits(json_string_value(type), joint->type)) {
        return cli_say(message, "joint_order: \"%s\" is of type \"%s\", in the model it is %s", word, json_string_value(type),
                       joint_type_name(joint->type));
    }
    if (r->seen[j]) return cli_say(message, "joint_order: \"%s\" is there twice", word);
    r->seen[j] = 1;
    if (take(map->q, r->taken_q, map->nq, json_integer_value(q), joint->q, joint->nq, word, "q_index", message)) return -1;
    return take(map->v, r->taken_v, map->nv, json_integer_value(v), joint->v, joint->nv, word, "v_index", message);
}

static int read_order(reader *r, joint_map *map, const json_t *order, cli_text *message) {
    if (!json_is_array(order)) return cli_say(message, "\"joint_order\" is %s, not a list", cli_json_quote(order).text);
    for (size_t i = 0; i < json_array_size(order); i++) {
        if (read_entry(r, map, json_array_get(order, i), i, message)) return -1;
    }
    for (int j = 0; j < r->n; j++) {
        if (!r->seen[j]) return cli_say(message, "joint_order: the joint \"%s\" of the model is missing", r->joints[j].name);
    }
    return 0;
}

int joint_map_read(joint_map *map, const myr_model *model, const json_t *order, cli_text *message) {
    myr_model_info info;
    myr_model_get_info(model, &info);
    const size_t n = (size_t)info.n_joints, nq = (size_t)info.nq, nv = (size_t)info.nv;
    *map = (joint_map){info.nq, info.nv, cli_allocate(nq, sizeof(int)), cli_allocate(nv, sizeof(int))};
    for (int i = 0; i < info.nq; i++) map->q[i] = i;
    for (int i = 0; i < info.nv; i++) map->v[i] = i;
    if (!order) return 0;

    reader r = {model, cli_allocate(n, sizeof *r.joints), info.n_joints, cli_allocate(n, 1), cli_allocate(nq, 1), cli_allocate(nv, 1)};
    for (int j = 0; j < info.n_joints; j++) myr_model_get_joint(model, j, &r.joints[j]);
    const int status = read_order(&r, map, order, message);
    free(r.joints);
    free(r.seen);
    free(r.taken_q);
    free(r.taken_v);
    if (status) joint_map_free(map);
    return status;
}

void joint_map_free(joint_map *map) {
    free(map->q);
    free(map->v);
    *map = (joint_map){0};
}

json_t *joint_order_of(const myr_model *model) {
    myr_model_info info;
    myr_model_get_info(model, &info);
    json_t *order = json_array();
    for (int j = 0; j < info.n_joints; j++) {
        myr_joint_info joint;
        if (myr_model_get_joint(model, j, &joint) != MYR_OK) continue;
        json_t *entry = json_object();
        json_object_set_new(entry, "name", cli_json_text(joint.name));
        json_object_set_new(entry, "type", json_string(joint_type_name(joint.type)));
        json_object_set_new(entry, "q_index", json_integer(joint.q));
        json_object_set_new(entry, "v_index", json_integer(joint.v));
        json_array_append_new(order, entry);
    }
    return order;
}

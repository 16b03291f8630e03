/* myriapod info MODEL --json: everything that the library made of a description, numbers as they will act. */
#include "info_json.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <stdlib.h>

#include "cli.h"
#include "ground.h"
#include "joints.h"
#include "json.h"
#include "motors.h"

static void put(json_t *to, const char *key, json_t *value) { json_object_set_new(to, key, value); }
static void put_real(json_t *to, const char *key, double value) { put(to, key, cli_json_real(value)); }
static void put_whole(json_t *to, const char *key, int value) { put(to, key, json_integer(value)); }
static void put_name(json_t *to, const char *key, const char *name) { put(to, key, name ? cli_json_text(name) : json_null()); }
static void put_vector(json_t *to, const char *key, const double *values, size_t n) { put(to, key, cli_json_reals(values, n)); }

/* Names instead of numbers, so that a reader need not count; NULL: the world, or none. */
static const char *body_name(const myr_model *model, int body) {
    myr_body_info info;
    return body >= 0 && myr_model_get_body(model, body, &info) == MYR_OK ? info.name : NULL;
}
static const char *joint_name(const myr_model *model, int joint) {
    myr_joint_info info;
    return joint >= 0 && myr_model_get_joint(model, joint, &info) == MYR_OK ? info.name : NULL;
}
static const char *geom_name(const myr_model *model, int geom) {
    myr_geom_info info;
    return geom >= 0 && myr_model_get_geom(model, geom, &info) == MYR_OK ? info.name : NULL;
}

static json_t *joints(const myr_model *model, int n) {
    json_t *list = json_array();
    for (int j = 0; j < n; j++) {
        myr_joint_info i;
        if (myr_model_get_joint(model, j, &i) != MYR_OK) continue;
        const int limited = i.lower <= i.upper;
        json_t *joint = json_object();
        put_name(joint, "name", i.name);
        put_name(joint, "type", joint_type_name(i.type));
        put_name(joint, "body", i.body);
        put_name(joint, "parent", joint_name(model, i.parent));
        put_whole(joint, "q", i.q);
        put_whole(joint, "v", i.v);
        put(joint, "u", i.u < 0 ? json_null() : json_integer(i.u));
        put_whole(joint, "nq", i.nq);
        put_whole(joint, "nv", i.nv);
        put_vector(joint, "position", i.position_m, 3);
        put_vector(joint, "quaternion", i.quaternion, 4);
        put(joint, "axis", i.nv == 1 ? cli_json_reals(i.axis, 3) : json_null());
        put(joint, "range", limited ? cli_json_reals((const double[2]){i.lower, i.upper}, 2) : json_null());
        put_real(joint, "effort", i.effort_limit); /* infinity is null: none */
        put_real(joint, "velocity_limit", i.velocity_limit);
        put_real(joint, "damping", i.damping);
        put_real(joint, "friction", i.dry_friction);
        put_real(joint, "armature", i.armature);
        put_real(joint, "stiffness", i.stiffness);
        put_real(joint, "spring_rest", i.spring_rest);
        json_array_append_new(list, joint);
    }
    return list;
}

static json_t *friction_groups(const myr_model *model) {
    json_t *list = json_array();
    for (int i = 0; i < myr_model_friction_groups(model); i++) {
        json_t *group = json_object();
        put_name(group, "name", myr_model_friction_group_name(model, i));
        json_array_append_new(list, group);
    }
    return list;
}

static json_t *sensors(const myr_model *model, int n) {
    json_t *list = json_array();
    for (int i = 0; i < n; i++) {
        myr_sensor_info s;
        if (myr_model_get_sensor(model, i, &s) != MYR_OK) continue;
        json_t *sensor = json_object();
        put_name(sensor, "name", s.name);
        put_name(sensor, "kind", myr_sensor_kind_name(s.kind));
        put(sensor, "row", json_integer(s.row));
        put(sensor, "size", json_integer(s.size));
        put(sensor, "history", json_integer(s.history));
        put_name(sensor, "unit", s.unit);
        json_array_append_new(list, sensor);
    }
    return list;
}

static json_t *motor(const myr_motor *m) {
    char name[CLI_MOTOR_WORD];
    json_t *all = json_object(), *parameters = json_object();
    put_name(all, "kind", myr_motor_name(m->kind));
    for (int i = 0; cli_motor_parameter(m->kind, i, name); i++) put_real(parameters, name, m->parameters[i]);
    put(all, "parameters", parameters);
    put(all, "delay", json_pack("[i,i]", m->delay_min, m->delay_max));
    put_name(all, "lag", cli_motor_lags[m->lag]);
    put_real(all, "lag_s", m->lag_s);
    put(all, "lag_behind", json_boolean(m->lag_behind));
    put(all, "lag_range", cli_json_reals((const double[2]){m->lag_lower, m->lag_upper}, 2));
    return all;
}

static json_t *actuators(const myr_model *model, int n) {
    json_t *list = json_array();
    for (int u = 0; u < n; u++) {
        myr_actuator_info i;
        if (myr_model_get_actuator(model, u, &i) != MYR_OK) continue;
        json_t *actuator = json_object(), *terms = json_array();
        for (int k = 0; k < i.n; k++) {
            json_t *term = json_object();
            put_name(term, "joint", joint_name(model, i.joints[k]));
            put_real(term, "moment", i.moments[k]);
            json_array_append_new(terms, term);
        }
        put_name(actuator, "name", i.name);
        put(actuator, "terms", terms);
        put(actuator, "kp", i.kp < 0 ? json_null() : cli_json_real(i.kp));
        put(actuator, "kd", i.kd < 0 ? json_null() : cli_json_real(i.kd));
        put(actuator, "force", cli_json_reals((const double[2]){i.lower, i.upper}, 2));
        put_name(actuator, "controls", i.controls == MYR_CONTROLS_TORQUE ? "torque" : "target");
        put_real(actuator, "control_scale", i.control_scale);
        put_real(actuator, "control_bias", i.control_bias);
        put(actuator, "control_range", cli_json_reals((const double[2]){i.control_lower, i.control_upper}, 2));
        put_real(actuator, "home_target", i.home_target);
        put_real(actuator, "home_torque", i.home_torque);
        put(actuator, "motor", motor(&i.motor));
        json_array_append_new(list, actuator);
    }
    return list;
}

static json_t *keyframes(const myr_model *model, const myr_model_info *m) {
    json_t *list = json_array();
    for (int k = 0; k < m->n_keyframes; k++) {
        myr_keyframe_info i;
        if (myr_model_get_keyframe(model, k, &i) != MYR_OK) continue;
        json_t *key = json_object();
        put_name(key, "name", i.name);
        put_vector(key, "q", i.q, (size_t)m->nq);
        put(key, "control", i.control ? cli_json_reals(i.control, (size_t)m->nu) : json_null());
        json_array_append_new(list, key);
    }
    return list;
}

static json_t *bodies(const myr_model *model, int n) {
    json_t *list = json_array();
    for (int b = 0; b < n; b++) {
        myr_body_info i;
        if (myr_model_get_body(model, b, &i) != MYR_OK) continue;
        json_t *body = json_object();
        put_name(body, "name", i.name);
        put_name(body, "parent", body_name(model, i.parent));
        put_name(body, "joint", joint_name(model, b));
        put_whole(body, "tree", i.tree);
        put_real(body, "mass", i.mass_kg);
        put_vector(body, "com", i.com_m, 3);
        put_vector(body, "inertia", i.inertia_kgm2, 6);
        json_array_append_new(list, body);
    }
    return list;
}

static json_t *geoms(const myr_model *model, int n) {
    static const size_t sizes[] = {
#define MYR_GEOM(TYPE, name, sizes, meaning) [MYR_GEOM_##TYPE] = sizes,
#include "myriapod/geoms.def"
    };
    json_t *list = json_array();
    for (int g = 0; g < n; g++) {
        myr_geom_info i;
        if (myr_model_get_geom(model, g, &i) != MYR_OK) continue;
        json_t *geom = json_object();
        put_name(geom, "name", i.name);
        put_name(geom, "type", geom_type_name(i.type));
        put_name(geom, "body", body_name(model, i.body));
        put_vector(geom, "position", i.position_m, 3);
        put_vector(geom, "quaternion", i.quaternion, 4);
        put_vector(geom, "size", i.size_m, (size_t)i.type < sizeof sizes / sizeof *sizes ? sizes[i.type] : 3);
        put(geom, "points", i.points_m ? cli_json_matrix(i.points_m, (size_t)i.n_points, 3) : json_null());
        put_real(geom, "friction", i.friction);
        put(geom, "slot", i.n_slots ? json_integer(i.slot) : json_null());
        put_whole(geom, "n_slots", i.n_slots);
        json_array_append_new(list, geom);
    }
    return list;
}

static json_t *pairs(const myr_model *model, int n) {
    json_t *list = json_array();
    for (int k = 0; k < n; k++) {
        myr_pair_info i;
        if (myr_model_get_pair(model, k, &i) != MYR_OK) continue;
        json_t *pair = json_object(), *both = json_array();
        put_whole(pair, "slot", i.slot);
        put_whole(pair, "n_slots", i.n_slots);
        json_array_append_new(both, json_integer(i.geom));
        json_array_append_new(both, json_integer(i.other));
        put(pair, "geoms", both);
        put_real(pair, "friction", i.friction);
        json_array_append_new(list, pair);
    }
    return list;
}

/* Of the robot's own pairs that the filters let through: those that do not touch, and why. */
static json_t *self_contact(const myr_model *model, const myr_model_info *m) {
    static const char *const words[] = {[MYR_SELF_OFF] = "off", [MYR_SELF_AUTO] = "auto", [MYR_SELF_ALL] = "all"};
    json_t *all = json_object(), *list = json_array();
    put_name(all, "self_collision", words[m->self_collision]);
    put_whole(all, "filtered", m->n_self_candidates);
    put_whole(all, "kept", m->n_self_pairs);
    for (int k = 0; k < m->n_dropped; k++) {
        myr_dropped_info i;
        if (myr_model_get_dropped(model, k, &i) != MYR_OK) continue;
        json_t *pair = json_object(), *both = json_array();
        put_name(pair, "reason", i.reason == MYR_DROPPED_FAR ? "never near" : "overlaps by design");
        json_array_append_new(both, json_integer(i.geom));
        json_array_append_new(both, json_integer(i.other));
        put(pair, "geoms", both);
        put_real(pair, "gap", i.gap_m);
        put_real(pair, "share", i.share);
        json_array_append_new(list, pair);
    }
    put(all, "dropped", list);
    return all;
}

static json_t *slots(const myr_model *model, int n) {
    json_t *list = json_array();
    for (int s = 0; s < n; s++) {
        myr_slot_info i;
        if (myr_model_get_slot(model, s, &i) != MYR_OK) continue;
        json_t *slot = json_object();
        put_whole(slot, "geom", i.geom);
        put_name(slot, "name", geom_name(model, i.geom));
        put(slot, "other", i.other < 0 ? json_null() : json_integer(i.other));
        put_name(slot, "body", body_name(model, i.body));
        put_name(slot, "other_body", body_name(model, i.other_body));
        put_whole(slot, "feature", i.feature);
        put_real(slot, "friction", i.friction);
        json_array_append_new(list, slot);
    }
    return list;
}

static json_t *terms(const myr_model *model, int n, const int *joints, const double *coefficients) {
    json_t *list = json_array();
    for (int t = 0; t < n; t++) {
        json_t *term = json_object();
        put_name(term, "joint", joint_name(model, joints[t]));
        put_real(term, "coefficient", coefficients[t]);
        json_array_append_new(list, term);
    }
    return list;
}

static json_t *rows(const myr_model *model, int n) {
    json_t *list = json_array();
    for (int k = 0; k < n; k++) {
        myr_row_info i;
        if (myr_model_get_row(model, k, &i) != MYR_OK) continue;
        json_t *row = json_object();
        put_name(row, i.tendon ? "tendon" : "joint", i.tendon ? i.tendon : joint_name(model, i.joint));
        if (i.tendon) put(row, "terms", terms(model, i.n_joints, i.joints, i.coefficients));
        put_real(row, "lower", i.lower);
        put_real(row, "upper", i.upper);
        put_real(row, "friction", i.dry_friction);
        put_real(row, "length", i.length_m);
        json_array_append_new(list, row);
    }
    return list;
}

static void put_coupling(const myr_model *model, const myr_loop_info *i, json_t *loop) {
    put(loop, "terms", terms(model, i->n_joints, i->joints, i->coefficients));
    put_name(loop, "driver", joint_name(model, i->other));
    put_vector(loop, "polynomial", i->polynomial, 5);
}

static json_t *loops(const myr_model *model, int n) {
    json_t *list = json_array();
    for (int k = 0; k < n; k++) {
        myr_loop_info i;
        if (myr_model_get_loop(model, k, &i) != MYR_OK) continue;
        json_t *loop = json_object();
        put_name(loop, "name", i.name);
        put_name(loop, "type", loop_type_name(i.type));
        put_whole(loop, "row", i.row);
        put_whole(loop, "n_rows", i.n_rows);
        put_real(loop, "length", i.length_m);
        if (i.type == MYR_LOOP_COUPLING) {
            put_coupling(model, &i, loop);
        } else {
            put_name(loop, "body", body_name(model, i.body));
            put_vector(loop, "position", i.position_m, 3);
            put_vector(loop, "quaternion", i.quaternion, 4);
            put_name(loop, "other", body_name(model, i.other));
            put_vector(loop, "other_position", i.other_position_m, 3);
            put_vector(loop, "other_quaternion", i.other_quaternion, 4);
        }
        json_array_append_new(list, loop);
    }
    return list;
}

static json_t *frames(const myr_model *model, int n) {
    json_t *list = json_array();
    for (int f = 0; f < n; f++) {
        myr_frame_info i;
        if (myr_model_get_frame(model, f, &i) != MYR_OK) continue;
        json_t *frame = json_object();
        put_name(frame, "name", i.name);
        put_name(frame, "body", body_name(model, i.body));
        put_vector(frame, "position", i.position_m, 3);
        put_vector(frame, "quaternion", i.quaternion, 4);
        json_array_append_new(list, frame);
    }
    return list;
}

static json_t *warnings(const myr_model *model, int n) {
    json_t *list = json_array();
    for (int w = 0; w < n; w++) json_array_append_new(list, cli_json_text(myr_model_warning(model, w)));
    return list;
}

static json_t *home(const myr_model *model, int nq) {
    double *q = cli_allocate((size_t)nq, sizeof *q);
    myr_model_home(model, q);
    json_t *list = cli_json_reals(q, (size_t)nq);
    free(q);
    return list;
}

int info_json_write(const myr_model *model, output *json) {
    myr_model_info m;
    char hash[17];
    myr_model_get_info(model, &m);
    snprintf(hash, sizeof hash, "%016" PRIx64, myr_model_hash(model));
    json_t *all = json_object();
    put_name(all, "model", m.name);
    put_name(all, "version", myr_version());
    put_name(all, "hash", hash);
    put_whole(all, "nq", m.nq);
    put_whole(all, "nv", m.nv);
    put_whole(all, "nu", m.nu);
    put_whole(all, "trees", m.n_trees);
    put_whole(all, "free_trees", m.n_free);
    put_real(all, "mass", m.mass_kg);
    put_vector(all, "gravity", m.gravity, 3);
    json_t *fluid = json_object(), *wind = json_array();
    put_real(fluid, "density", m.fluid.density);
    put_real(fluid, "viscosity", m.fluid.viscosity);
    for (int k = 0; k < 3; k++) json_array_append_new(wind, json_real(m.fluid.wind[k]));
    put(fluid, "wind", wind);
    put(all, "fluid", fluid);
    put_real(all, "timestep", m.timestep_s); /* 0: its file says nothing */
    put(all, "quadruped", json_boolean(m.is_quadruped));
    put(all, "home", home(model, m.nq));
    put_real(all, "floor", m.floor_m);
    put_real(all, "lowest", m.lowest_m); /* infinity is null: nothing can touch */
    put(all, "keyframes", keyframes(model, &m));
    put(all, "actuators", actuators(model, m.nu));
    put(all, "sensors", sensors(model, m.n_sensors));
    put(all, "friction_groups", friction_groups(model));
    put(all, "joints", joints(model, m.n_joints));
    put(all, "bodies", bodies(model, m.n_bodies));
    put(all, "geoms", geoms(model, m.n_geoms));
    put(all, "pairs", pairs(model, m.n_pairs));
    put(all, "self_contact", self_contact(model, &m));
    put(all, "slots", slots(model, m.n_slots));
    put(all, "rows", rows(model, m.n_rows));
    put(all, "loops", loops(model, m.n_loops));
    put(all, "frames", frames(model, m.n_frames));
    put(all, "terrain", ground_json(myr_model_terrain(model)));
    put(all, "warnings", warnings(model, m.n_warnings));
    const int bad = json_dumpf(all, json->file, CLI_JSON_PAGE) != 0 || fputc('\n', json->file) == EOF;
    json_decref(all);
    if (bad) return cli_error("cannot write \"%s\"", json->path);
    return output_commit(json) ? CLI_BAD_INPUT : CLI_OK;
}

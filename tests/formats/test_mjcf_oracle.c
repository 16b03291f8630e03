/* may skip: the models and MuJoCo's tables of them lie in ../shared/oracles/worlds, which is not part of this tree
 *
 * MJCF files of Gymnasium and Menagerie against what MuJoCo 4.0.0 makes of them: names, tables of bodies, joints, geoms, actuators,
 * equalities, tendons, excludes and keyframes to 1e-12; M, bias and the poses of bodies at stored states, to 1e-10 in double. Masses that
 * come from meshes, which are not there, are taken from the table. */
#include <dirent.h>
#include <jansson.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/memory.h"
#include "formats/mjcf.h"
#include "myriapod/myriapod.h"

static const char *robot; /* for messages */
static int wrong;
static double worst_mass, worst_bias, worst_pose;

static void off(const char *table, int i, const char *what, double ours, double truth) {
    if (wrong++ < 40) printf("%s: %s %d: %s is %.17g, not %.17g\n", robot, table, i, what, ours, truth);
}

static void near(const char *table, int i, const char *what, double ours, double truth, double scale) {
    if (!(fabs(ours - truth) <= 1e-12 * fmax(1.0, scale))) off(table, i, what, ours, truth);
}

static double number(const json_t *object, const char *key) { return json_number_value(json_object_get(object, key)); }
static const json_t *table(const json_t *oracle, const char *name) { return json_object_get(json_object_get(oracle, "table"), name); }

static void numbers(const char *name, int i, const char *what, const double *ours, const json_t *truth, int n) {
    for (int k = 0; k < n; k++) {
        const double is = json_number_value(json_array_get(truth, (size_t)k));
        near(name, i, what, ours[k], is, fabs(is));
    }
}

/* Up to its sign. */
static void turns(const char *name, int i, const double *ours, const json_t *truth) {
    double along = 0.0;
    for (int k = 0; k < 4; k++) along += ours[k] * json_number_value(json_array_get(truth, (size_t)k));
    double turned[4];
    for (int k = 0; k < 4; k++) turned[k] = along < 0.0 ? -ours[k] : ours[k];
    numbers(name, i, "quaternion", turned, truth, 4);
}

static void named(const char *name, int i, const char *ours, const json_t *truth, const char *key) {
    const char *is = json_string_value(json_object_get(truth, key));
    if (is && strcmp(ours, is) != 0) {
        printf("%s: %s %d is called `%s`, not `%s`\n", robot, name, i, ours, is);
        wrong++;
    }
}

static int counted(const char *name, int ours, const json_t *truth) {
    if (ours == (int)json_array_size(truth)) return 1;
    printf("%s: %d %s, not %zu\n", robot, ours, name, json_array_size(truth));
    wrong++;
    return 0;
}

/* ---- tables ----------------------------------------------------------------------------------- */

/* Inertia in the body's axes from MuJoCo's: principal moments and the turn to them. */
static void table_inertia(const json_t *b, myr_inertia *out) {
    double q[4], R[9], moment[3];
    out->mass = number(b, "mass");
    for (int k = 0; k < 3; k++) {
        out->com[k] = json_number_value(json_array_get(json_object_get(b, "com"), (size_t)k));
        moment[k] = json_number_value(json_array_get(json_object_get(b, "inertia"), (size_t)k));
    }
    for (int k = 0; k < 4; k++) q[k] = json_number_value(json_array_get(json_object_get(b, "iquat"), (size_t)k));
    myr_rotation_from_quaternion(R, q);
    for (int k = 0; k < 6; k++) {
        static const int row[] = {0, 1, 2, 0, 0, 1}, column[] = {0, 1, 2, 1, 2, 2};
        out->about_com[k] = 0.0;
        for (int e = 0; e < 3; e++) out->about_com[k] += R[3 * row[k] + e] * moment[e] * R[3 * column[k] + e];
    }
}

static void check_bodies(myr_mjcf *m, const json_t *truth) {
    if (!counted("bodies", m->n_bodies, truth)) return;
    for (int i = 0; i < m->n_bodies; i++) {
        const json_t *b = json_array_get(truth, (size_t)i);
        myr_mjcf_body *own = &m->bodies[i];
        myr_inertia is;
        named("body", i, own->name, b, "name");
        if (own->parent + 1 != (int)number(b, "parent")) off("body", i, "parent", own->parent + 1, number(b, "parent"));
        numbers("body", i, "position", own->position, json_object_get(b, "pos"), 3);
        turns("body", i, own->quaternion, json_object_get(b, "quat"));
        table_inertia(b, &is);
        if (own->without_mesh && !own->has_inertial) {
            own->inertia = is;
            continue;
        }
        double largest = fmax(fmax(is.about_com[0], is.about_com[1]), is.about_com[2]);
        near("body", i, "mass", own->inertia.mass, is.mass, is.mass);
        for (int k = 0; k < 3 && is.mass > 0.0; k++) near("body", i, "com", own->inertia.com[k], is.com[k], 1.0);
        for (int k = 0; k < 6; k++)
            if (!(fabs(own->inertia.about_com[k] - is.about_com[k]) <= 1e-12 * fmax(largest, 1e-6)))
                off("body", i, "inertia", own->inertia.about_com[k], is.about_com[k]);
    }
}

static void check_joints(const myr_mjcf *m, const json_t *truth) {
    static const char *const types[] = {"free", "ball", "slide", "hinge"};
    if (!counted("joints", m->n_joints, truth)) return;
    for (int i = 0; i < m->n_joints; i++) {
        const json_t *j = json_array_get(truth, (size_t)i), *force = json_object_get(j, "actfrcrange");
        const myr_mjcf_joint *own = &m->joints[i];
        named("joint", i, own->name, j, "name");
        if (strcmp(types[own->type], json_string_value(json_object_get(j, "type"))) != 0) off("joint", i, "type", own->type, -1);
        if (own->body + 1 != (int)number(j, "body")) off("joint", i, "body", own->body + 1, number(j, "body"));
        if (own->limited != (int)number(j, "limited")) off("joint", i, "limited", own->limited, number(j, "limited"));
        if (own->type != MYR_MJCF_FREE) numbers("joint", i, "position", own->position, json_object_get(j, "pos"), 3);
        if (own->type >= MYR_MJCF_SLIDE) numbers("joint", i, "axis", own->axis, json_object_get(j, "axis"), 3);
        if (own->limited) numbers("joint", i, "range", own->range, json_object_get(j, "range"), 2);
        if (own->force_limited != json_is_array(force)) off("joint", i, "has a force range", own->force_limited, json_is_array(force));
        if (own->force_limited) numbers("joint", i, "force range", own->force_range, force, 2);
        const char *const keys[] = {"stiffness", "ref", "springref", "damping", "frictionloss", "armature"};
        const double values[] = {own->stiffness, own->reference, own->spring_reference, own->damping, own->friction, own->armature};
        for (int k = 0; k < 6; k++) near("joint", i, keys[k], values[k], number(j, keys[k]), fabs(number(j, keys[k])));
    }
}

/* The table has the geoms that collide and are not meshes, by body. */
static void check_geoms(const myr_mjcf *m, const json_t *truth) {
    static const char *const types[] = {"plane", "hfield", "sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh"};
    static const int sizes[] = {0, 0, 1, 2, 3, 2, 3, 0};
    size_t at = 0;
    for (int body = -1; body < m->n_bodies; body++)
        for (int i = 0; i < m->n_geoms; i++) {
            const myr_mjcf_geom *own = &m->geoms[i];
            if (own->body != body || !(own->contype || own->conaffinity) || own->type == MYR_MJCF_MESH) continue;
            const json_t *g = json_array_get(truth, at);
            if (!g || own->mesh) {
                at++;
                continue;
            }
            named("geom", (int)at, own->name, g, "name");
            if (strcmp(types[own->type], json_string_value(json_object_get(g, "type"))) != 0) off("geom", (int)at, "type", own->type, -1);
            if (own->body + 1 != (int)number(g, "body")) off("geom", (int)at, "body", own->body + 1, number(g, "body"));
            numbers("geom", (int)at, "size", own->size, json_object_get(g, "size"), sizes[own->type]);
            numbers("geom", (int)at, "position", own->position, json_object_get(g, "pos"), 3);
            turns("geom", (int)at, own->quaternion, json_object_get(g, "quat"));
            numbers("geom", (int)at, "friction", own->friction, json_object_get(g, "friction"), 3);
            const char *const keys[] = {"contype", "conaffinity", "condim", "priority", "margin"};
            const double values[] = {own->contype, own->conaffinity, own->condim, own->priority, own->margin};
            for (int k = 0; k < 5; k++) near("geom", (int)at, keys[k], values[k], number(g, keys[k]), 1.0);
            at++;
        }
    counted("geoms", (int)at, truth);
}

static void check_actuators(const myr_mjcf *m, const json_t *truth) {
    if (!counted("actuators", m->n_actuators, truth)) return;
    for (int i = 0; i < m->n_actuators; i++) {
        const json_t *a = json_array_get(truth, (size_t)i), *control = json_object_get(a, "ctrlrange"),
                     *force = json_object_get(a, "forcerange");
        const myr_mjcf_actuator *own = &m->actuators[i];
        named("actuator", i, own->name, a, "name");
        if (own->dropped) continue;
        named("target of actuator", i, own->target, a, "target");
        near("actuator", i, "gear", own->gear, number(a, "gear"), 1.0);
        near("actuator", i, "gain", own->gain, json_number_value(json_array_get(json_object_get(a, "gainprm"), 0)), 1.0);
        numbers("actuator", i, "bias", own->bias, json_object_get(a, "biasprm"), 3);
        if (own->control_limited != json_is_array(control)) off("actuator", i, "is limited", own->control_limited, json_is_array(control));
        if (own->control_limited && json_is_array(control)) numbers("actuator", i, "control range", own->control_range, control, 2);
        if (own->force_limited != json_is_array(force)) off("actuator", i, "has a force range", own->force_limited, json_is_array(force));
        if (own->force_limited && json_is_array(force)) numbers("actuator", i, "force range", own->force_range, force, 2);
    }
}

static void check_rest(const myr_mjcf *m, const json_t *oracle) {
    const json_t *tendons = table(oracle, "tendons"), *keys = table(oracle, "keys"), *equalities = table(oracle, "equality");
    static const char *const types[] = {"connect", "weld", "joint", "tendon"};
    int pairs = 0;
    for (int i = 0; i < m->n_contacts; i++) pairs += m->contacts[i].is_pair;
    counted("pairs", pairs, table(oracle, "pairs"));
    counted("excludes", m->n_contacts - pairs, table(oracle, "excludes"));
    if (counted("tendons", m->n_tendons, tendons))
        for (int i = 0; i < m->n_tendons; i++) {
            const json_t *t = json_array_get(tendons, (size_t)i), *joints = json_object_get(t, "joints");
            named("tendon", i, m->tendons[i].name, t, "name");
            if (!m->tendons[i].is_fixed) continue;
            counted("joints of a tendon", m->tendons[i].n, joints);
            for (int k = 0; k < m->tendons[i].n && k < MYR_COUPLED_JOINTS; k++) {
                const json_t *term = json_array_get(joints, (size_t)k);
                if (strcmp(m->tendons[i].joint[k], json_string_value(json_array_get(term, 0))) != 0) off("tendon", i, "joint", k, -1);
                near("tendon", i, "coefficient", m->tendons[i].coefficient[k], json_number_value(json_array_get(term, 1)), 1.0);
            }
        }
    if (counted("equalities", m->n_equalities, equalities))
        for (int i = 0; i < m->n_equalities; i++) {
            const json_t *q = json_array_get(equalities, (size_t)i);
            if (strcmp(types[m->equalities[i].type], json_string_value(json_object_get(q, "type"))) != 0)
                off("equality", i, "type", m->equalities[i].type, -1);
            if (m->equalities[i].type == MYR_MJCF_CONNECT && !m->equalities[i].by_sites)
                numbers("equality", i, "anchor", m->equalities[i].anchor, json_object_get(q, "data"), 3);
            if (m->equalities[i].type >= MYR_MJCF_COUPLE_JOINTS)
                numbers("equality", i, "polynomial", m->equalities[i].polynomial, json_object_get(q, "data"), 5);
        }
    assert_true(m->n_keys <= (int)json_array_size(keys)); /* <size nkey> makes room for more */
    for (int i = 0; i < m->n_keys; i++)
        if (m->keys[i].position) numbers("key", i, "position", m->keys[i].position, json_array_get(keys, (size_t)i), m->keys[i].n);
    numbers("option", 0, "gravity", m->gravity, json_object_get(oracle, "gravity"), 3);
    near("option", 0, "timestep", m->timestep, number(oracle, "timestep"), 1.0);
}

/* ---- dynamics --------------------------------------------------------------------------------- */

static void fill(const json_t *from, double *to, size_t n) {
    assert_int_equal(json_array_size(from), n);
    for (size_t k = 0; k < n; k++) to[k] = json_number_value(json_array_get(from, k));
}

static void check_state(const myr_mjcf *m, const myr_model *model, const json_t *state, const char *precision) {
    const double allowed = strcmp(precision, "f32") == 0 ? 2e-4 : 1e-10;
    myr_model_info info;
    myr_model_get_info(model, &info);
    const size_t nq = (size_t)info.nq, nv = (size_t)info.nv, frames = (size_t)info.n_frames;
    double *memory = calloc(nq + 3 * nv + 2 * nv * nv + 3 * frames, sizeof *memory);
    double *q = memory, *v = q + nq, *bias = v + nv, *M = bias + nv, *truth = M + nv * nv, *b = truth + nv * nv, *at = b + nv;
    fill(json_object_get(state, "q"), q, nq);
    fill(json_object_get(state, "v"), v, nv);
    fill(json_object_get(state, "bias"), b, nv);
    fill(json_object_get(state, "M_lower"), truth, nv * (nv + 1) / 2);
    myr_settings settings = myr_settings_default();
    assert_int_equal(myr_settings_set(&settings, "precision", precision), MYR_OK);
    const myr_evaluation evaluation = {.n = 1, .q = q, .v = v, .M = M, .bias = bias, .frame_position = at};
    if (myr_evaluate(model, &settings, &evaluation)) fail_msg("%s: %s", robot, myr_message());
    double largest = 0.0, mass = 0.0, most = 0.0, drift = 0.0, pose = 0.0;
    for (size_t i = 0, k = 0; i < nv; i++)
        for (size_t j = 0; j <= i; j++, k++) {
            largest = fmax(largest, fabs(truth[k]));
            mass = fmax(mass, fabs(M[i * nv + j] - truth[k]));
        }
    for (size_t i = 0; i < nv; i++) most = fmax(most, fabs(b[i])), drift = fmax(drift, fabs(bias[i] - b[i]));
    const json_t *places = json_object_get(state, "xpos"); /* without the world */
    assert_int_equal(json_array_size(places), 3 * (size_t)m->n_bodies);
    for (int i = 0; i < m->n_bodies; i++)
        for (size_t f = 0; f < frames; f++) {
            if (!*m->bodies[i].name || strcmp(myr_model_frame_name(model, (int)f), m->bodies[i].name) != 0) continue;
            for (size_t k = 0; k < 3; k++)
                pose = fmax(pose, fabs(at[3 * f + k] - json_number_value(json_array_get(places, 3 * (size_t)i + k))));
        }
    mass /= largest, drift /= fmax(most, 1.0);
    if (!(mass <= allowed)) off(precision, 0, "M", mass, 0);
    if (!(drift <= allowed)) off(precision, 0, "bias", drift, 0);
    if (!(pose <= (allowed < 1e-6 ? 1e-12 : 1e-4))) off(precision, 0, "a body's place", pose, 0);
    if (allowed < 1e-6) worst_mass = fmax(worst_mass, mass), worst_bias = fmax(worst_bias, drift), worst_pose = fmax(worst_pose, pose);
    free(memory);
}

static void check_dynamics(myr_mjcf *m, myr_builder *builder, const json_t *oracle) {
    myr_model *model = NULL;
    if (myr_mjcf_build(m, builder) || myr_builder_compile(builder, &model)) {
        printf("%s: %s\n", robot, myr_message());
        wrong++;
        return;
    }
    myr_model_info info;
    myr_model_get_info(model, &info);
    if (info.nq != (int)number(oracle, "nq") || info.nv != (int)number(oracle, "nv")) off("model", 0, "nq", info.nq, number(oracle, "nq"));
    size_t i;
    json_t *state;
    json_array_foreach(json_object_get(oracle, "states"), i, state) {
        check_state(m, model, state, "f64");
        check_state(m, model, state, "f32");
    }
    myr_model_free(model);
}

static void check_file(const char *folder, const char *file) {
    char path[1200], source[1400];
    snprintf(path, sizeof path, "%s/mjcf/%s", folder, file);
    json_error_t error;
    json_t *oracle = json_load_file(path, 0, &error);
    if (!oracle) fail_msg("%s: %s", path, error.text);
    snprintf(source, sizeof source, "%s/models/%s", folder, json_string_value(json_array_get(json_object_get(oracle, "files"), 0)));
    robot = file;
    char *text = NULL;
    size_t length = 0;
    myr_builder *builder = NULL;
    myr_mjcf m;
    if (myr_read_file(source, &text, &length) || myr_builder_create(file, &builder)) fail_msg("%s", myr_message());
    myr_xml xml = {.label = source, .warnings = &builder->warnings};
    myr_load_options options = myr_load_options_default();
    options.meshes = MYR_MESHES_SKIP;
    if (myr_xml_parse(&xml, text, length)) fail_msg("%s", myr_message());
    if (myr_mjcf_table(&m, &xml, &options)) {
        printf("%s: %s\n", robot, myr_message());
        wrong++;
    } else {
        check_bodies(&m, table(oracle, "bodies"));
        assert_int_equal(myr_mjcf_damp(&m), MYR_OK); /* again, by the masses of meshes that the table has */
        check_joints(&m, table(oracle, "joints"));
        check_geoms(&m, table(oracle, "geoms"));
        check_actuators(&m, table(oracle, "actuators"));
        check_rest(&m, oracle);
        check_dynamics(&m, builder, oracle);
    }
    myr_mjcf_free(&m);
    myr_xml_free(&xml);
    myr_builder_free(builder);
    myr_release(text);
    json_decref(oracle);
}

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static void tables_and_dynamics_are_mujocos(void **state) {
    (void)state;
    const char *source = getenv("MYRIAPOD_SOURCE");
    char folder[1000], path[1100], *names[512];
    int n = 0;
    snprintf(folder, sizeof folder, "%s/../shared/oracles/worlds", source ? source : ".");
    snprintf(path, sizeof path, "%s/mjcf", folder);
    DIR *files = opendir(path);
    if (!files) skip();
    for (const struct dirent *file = readdir(files); file && n < 512; file = readdir(files))
        if (strstr(file->d_name, ".json")) names[n++] = strdup(file->d_name);
    closedir(files);
    qsort(names, (size_t)n, sizeof *names, by_name);
    for (int i = 0; i < n; i++) {
        check_file(folder, names[i]);
        free(names[i]);
    }
    printf("%d models; M is off by %.1e of its largest entry at most, bias by %.1e, a body's place by %.1e m\n", n, worst_mass, worst_bias,
           worst_pose);
    assert_true(n > 30);
    assert_int_equal(wrong, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(tables_and_dynamics_are_mujocos)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "model_scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

myr_builder *scene_builder(void) {
    myr_builder *builder = NULL;
    if (myr_builder_create("scene", &builder)) fail_msg("%s", myr_message());
    return builder;
}

int scene_body(myr_builder *builder, const char *name, int parent, myr_joint_type joint, double x, double y, double z) {
    int id = -1;
    myr_body_def def = myr_body_def_default();
    def.name = name;
    def.parent = parent;
    def.joint = joint;
    def.position_m[0] = x, def.position_m[1] = y, def.position_m[2] = z;
    def.mass_kg = 1.0;
    def.inertia_kgm2[0] = def.inertia_kgm2[1] = def.inertia_kgm2[2] = 0.01;
    if (myr_builder_body(builder, &def, &id)) fail_msg("%s", myr_message());
    return id;
}

myr_model *scene_compile(const myr_builder *builder) {
    myr_model *model = NULL;
    if (myr_builder_compile(builder, &model)) fail_msg("%s", myr_message());
    assert_non_null(model);
    return model;
}

myr_model *scene_load(const char *text, myr_root root) {
    myr_model *model = NULL;
    if (myr_model_load_text(text, strlen(text), "robot.urdf", root, &model)) fail_msg("%s", myr_message());
    assert_non_null(model);
    return model;
}

myr_model *scene_read(const char *text) {
    myr_model *model = NULL;
    if (myr_model_open_text(text, strlen(text), "robot.xml", NULL, &model)) fail_msg("%s for\n%s", myr_message(), text);
    return model;
}

static int holds(const char *text, const char *const *words) {
    for (; *words; words++)
        if (!strstr(text, *words)) return 0;
    return 1;
}

void scene_refuse(const char *text, myr_root root, myr_status status, int line, const char *const *words) {
    myr_model *model = (myr_model *)&model;
    char start[64];
    const myr_status got = myr_model_load_text(text, strlen(text), "robot.urdf", root, &model);
    if (got != status) fail_msg("status %d instead of %d (%s) for\n%s", got, status, myr_message(), text);
    assert_null(model);
    snprintf(start, sizeof start, "robot.urdf:%d:", line);
    if (line && strncmp(myr_message(), start, strlen(start)) != 0) fail_msg("`%s` does not start with `%s`", myr_message(), start);
    for (; *words; words++)
        if (!strstr(myr_message(), *words)) fail_msg("`%s` does not say `%s`", myr_message(), *words);
}

int scene_other_warnings(const myr_model *model) {
    int n = 0;
    for (int i = 0; myr_model_warning(model, i); i++) n += !strstr(myr_model_warning(model, i), "fall through the ground");
    return n;
}

void scene_warned(const myr_model *model, const char *const *words) {
    myr_model_info info;
    myr_model_get_info(model, &info);
    for (int i = 0; i < info.n_warnings; i++)
        if (holds(myr_model_warning(model, i), words)) return;
    for (int i = 0; i < info.n_warnings; i++) print_message("  warning: %s\n", myr_model_warning(model, i));
    fail_msg("none of %d warnings says `%s`", info.n_warnings, words[0]);
}

int scene_joint(const myr_model *model, const char *name) {
    for (int i = 0; i < model->n_bodies; i++)
        if (!strcmp(model->bodies[i].joint_name, name)) return i;
    fail_msg("there is no joint `%s`", name);
    return -1;
}

int scene_frame(const myr_model *model, const char *name) {
    for (int i = 0; i < model->n_frames; i++)
        if (!strcmp(model->frames[i].name, name)) return i;
    fail_msg("there is no frame `%s`", name);
    return -1;
}

void scene_near(const double *got, const double *wanted, int count, double tolerance, const char *what) {
    for (int i = 0; i < count; i++)
        if (!(fabs(got[i] - wanted[i]) <= tolerance)) fail_msg("%s[%d] is %.17g instead of %.17g", what, i, got[i], wanted[i]);
}

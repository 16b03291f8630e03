/* A text becomes a model: XML, then what its root element says it is, then the description compiled. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "mjcf.h"
#include "base/rounding.h"
#include "urdf.h"

enum { MYR_MAX_FILE_BYTES = 32 << 20 };

static myr_status name_builder(myr_builder *builder, const char *label, const char *name) {
    myr_release(builder->name);
    builder->name = myr_copy_text(name ? name : "");
    return builder->name ? MYR_OK : myr_fail(MYR_E_MEMORY, "%.300s: out of memory", label);
}

/* Of an MJCF that gives none: its file's, without folder and ending. */
static myr_status name_by_label(myr_builder *builder, const char *label) {
    const char *slash = strrchr(label, '/'), *base = slash ? slash + 1 : label, *dot = strrchr(base, '.');
    char name[256];
    snprintf(name, sizeof name, "%.*s", dot && dot > base ? (int)(dot - base) : 255, base);
    return name_builder(builder, label, name);
}

static myr_status describe(myr_xml *xml, const myr_load_options *options, myr_builder *builder) {
    const int is_mjcf = myr_xml_is(xml->root, "mujoco");
    if (!is_mjcf && !myr_xml_is(xml->root, "robot"))
        return myr_xml_fail(xml, xml->root, "a URDF starts with <robot>, an MJCF with <mujoco>");
    const char *name = myr_xml_text(xml->root, is_mjcf ? "model" : "name");
    const myr_status status = is_mjcf && (!name || !*name) ? name_by_label(builder, xml->label) : name_builder(builder, xml->label, name);
    if (status) return status;
    builder->self_collision = is_mjcf ? myr_self_of_mjcf : myr_self_of_urdf;
    if (options->self_collision != MYR_SELF_BY_FILE) builder->self_collision = options->self_collision;
    return is_mjcf ? myr_mjcf_read(xml, options, builder) : myr_urdf_read(xml, options, builder);
}

static myr_status read(const char *text, size_t length, const char *label, const myr_load_options *options, myr_model **out) {
    myr_builder *builder = NULL;
    myr_status status = myr_builder_create("", &builder);
    if (status) return status;
    myr_xml xml = {.label = label, .warnings = &builder->warnings};
    builder->label = myr_copy_text(label);
    status = builder->label ? myr_xml_parse(&xml, text, length) : myr_fail(MYR_E_MEMORY, "%.300s: out of memory", label);
    if (!status) status = describe(&xml, options, builder);
    if (!status && options->feet) status = myr_keep_feet(builder, options->feet);
    if (!status) status = myr_builder_compile(builder, out);
    if (!status && (status = myr_choose_home(*out, options))) {
        myr_model_free(*out);
        *out = NULL;
    }
    myr_xml_free(&xml);
    myr_builder_free(builder);
    return status;
}

myr_status myr_model_open_text(const char *text, size_t length, const char *label, const myr_load_options *options, myr_model **out) {
    MYR_OWN_ARITHMETIC;
    if (!out) return myr_fail(MYR_E_ARG, "myr_model_open_text: `out` is NULL");
    *out = NULL;
    if (!text || !label) return myr_fail(MYR_E_ARG, "myr_model_open_text: `%s` is NULL", text ? "label" : "text");
    const myr_load_options usual = myr_load_options_default();
    if (!options) options = &usual;
    myr_status status = myr_check_load_options(options);
    if (status) return status;
    if (length > MYR_MAX_FILE_BYTES) return myr_fail(MYR_E_LIMIT, "%.300s: more than %d MiB of text", label, MYR_MAX_FILE_BYTES >> 20);
    fenv_t saved;
    myr_rounding_enter(&saved);
    status = read(text, length, label, options, out);
    myr_rounding_leave(&saved);
    return status;
}

myr_status myr_model_load_text(const char *text, size_t length, const char *label, myr_root root, myr_model **out) {
    MYR_OWN_ARITHMETIC;
    myr_load_options options = myr_load_options_default();
    options.root = root;
    return myr_model_open_text(text, length, label, &options, out);
}

/* From a path or a shipped name to a model. */
#include <stdlib.h>
#include <string.h>

#include "base/data.h"
#include "description.h"
#include "base/file.h"
#include "base/memory.h"

static myr_status load_file(const char *path, const myr_load_options *options, myr_model **out) {
    char *text = NULL;
    size_t length = 0;
    myr_status status = myr_read_file(path, &text, &length);
    if (!status) status = myr_model_open_text(text, length, path, options, out);
    myr_release(text);
    return status;
}

static myr_status load_chain(const char *name, const myr_load_options *options, myr_model **out) {
    const char *digits = name + strlen("chain-");
    const size_t count = strspn(digits, "0123456789");
    const int n = count && count <= 3 && !digits[count] ? atoi(digits) : 0;
    if (n < 1 || n > 128) return myr_fail(MYR_E_ARG, "`%.100s`: chain-N has N in 1..128 links", name);
    if (options->root == MYR_ROOT_FIXED)
        return myr_fail(MYR_E_ARG, "`%.100s`: the first link of a chain is free; root `fixed` does not apply", name);
    return myr_chain_build(n, options->self_collision, out);
}

static myr_status no_robot(const char *name, const char *places) {
    myr_words robots = {0};
    char hint[MYR_WORD_BYTES + 24], list[600];
    myr_data_names("MYRIAPOD_ROBOTS", "robots", ".urdf", &robots);
    myr_data_names("MYRIAPOD_ROBOTS", "robots", ".xml", &robots);
    myr_words_add_choices(&robots, "chain-N|stack-N|stack-N-RATIO|hand-ball");
    myr_words_hint(&robots, name, hint, sizeof hint);
    myr_words_list(&robots, list, sizeof list);
    return myr_fail(MYR_E_FILE,
                    "there is no shipped robot `%.100s`%s There are: %s; a file is given as a path with a `/` or by its name ending in "
                    ".urdf or .xml (looked in %.1000s)",
                    name, *hint ? hint : ".", list, places);
}

static int ends_in(const char *text, const char *suffix) {
    const size_t length = strlen(text), end = strlen(suffix);
    return length >= end && !strcmp(text + length - end, suffix);
}

myr_load_options myr_load_options_default(void) {
    return (myr_load_options){.root = MYR_ROOT_AUTO, .meshes = MYR_MESHES_LOAD, .hull_corners = 32, .self_collision = MYR_SELF_BY_FILE};
}

myr_status myr_check_load_options(const myr_load_options *options) {
    if ((int)options->root < MYR_ROOT_AUTO || options->root > MYR_ROOT_FIXED)
        return myr_fail(MYR_E_ARG, "root %d does not exist", (int)options->root);
    if ((int)options->meshes < MYR_MESHES_LOAD || options->meshes > MYR_MESHES_SKIP)
        return myr_fail(MYR_E_ARG, "meshes %d does not exist", (int)options->meshes);
    if (options->hull_corners < 4 || options->hull_corners > MYR_MAX_CORNERS)
        return myr_fail(MYR_E_ARG, "hull_corners is %d; it must be 4 .. %d", options->hull_corners, MYR_MAX_CORNERS);
    if ((int)options->self_collision < MYR_SELF_BY_FILE || options->self_collision > MYR_SELF_ALL)
        return myr_fail(MYR_E_ARG, "self_collision %d does not exist", (int)options->self_collision);
    return MYR_OK;
}

myr_status myr_model_open(const char *path_or_name, const myr_load_options *options, myr_model **out) {
    MYR_OWN_ARITHMETIC;
    if (!out) return myr_fail(MYR_E_ARG, "myr_model_open: `out` is NULL");
    *out = NULL;
    if (!path_or_name || !*path_or_name)
        return myr_fail(MYR_E_ARG, "myr_model_open: `path_or_name` is %s", path_or_name ? "empty" : "NULL");
    const myr_load_options usual = myr_load_options_default();
    if (!options) options = &usual;
    myr_status status = myr_check_load_options(options);
    if (status) return status;
    if (strchr(path_or_name, '/') || ends_in(path_or_name, ".urdf") || ends_in(path_or_name, ".xml"))
        return load_file(path_or_name, options, out);
    const int is_chain = !strncmp(path_or_name, "chain-", 6);
    if (is_chain) status = load_chain(path_or_name, options, out);
    if (is_chain || myr_scene_load(path_or_name, options, out, &status)) {
        if (!status && options->feet)
            status = myr_fail(MYR_E_ARG, "`%.100s`: feet: no file describes it, all of its shapes touch", path_or_name);
        if (!status) status = myr_choose_home(*out, options);
        if (status) {
            myr_model_free(*out);
            *out = NULL;
        }
        return status;
    }
    char path[4400];
    if (!myr_data_find("MYRIAPOD_ROBOTS", "robots", path_or_name, ".xml", path, sizeof path) &&
        !myr_data_find("MYRIAPOD_ROBOTS", "robots", path_or_name, ".urdf", path, sizeof path))
        return no_robot(path_or_name, path);
    return load_file(path, options, out);
}

myr_status myr_model_load(const char *path_or_name, myr_root root, myr_model **out) {
    MYR_OWN_ARITHMETIC;
    myr_load_options options = myr_load_options_default();
    options.root = root;
    return myr_model_open(path_or_name, &options, out);
}

/* Where the robots of a run begin: a keyframe of their file, or a pose from one of the user's. */
#include "home.h"

#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "json.h"

static int is_path(const char *word) {
    const size_t length = strlen(word);
    return strchr(word, '/') || (length > 5 && strcmp(word + length - 5, ".json") == 0);
}

static int read_numbers(const json_t *value, const char *what, double *out, size_t n, cli_text *message) {
    if (n == 1 && !json_is_array(value)) {
        if (cli_json_number(value, out) == 0) return 0;
        return cli_say(message, "%s is %s, but must be a number", what, cli_json_quote(value).text);
    }
    if (!json_is_array(value) || json_array_size(value) != n)
        return cli_say(message, "%s is %s, but must be a list of %zu number%s", what, cli_json_quote(value).text, n, n == 1 ? "" : "s");
    for (size_t i = 0; i < n; i++)
        if (cli_json_number(json_array_get(value, i), &out[i]) != 0)
            return cli_say(message, "%s[%zu] is %s, but must be a number", what, i, cli_json_quote(json_array_get(value, i)).text);
    return 0;
}

static int read_joint(const myr_model *model, const char *name, const json_t *value, double *q, cli_text *message) {
    int found;
    myr_joint_info joint;
    if (myr_model_find_joint(model, name, &found) != MYR_OK || myr_model_get_joint(model, found, &joint) != MYR_OK)
        return cli_say(message, "%s", myr_message());
    cli_text what = {""};
    (void)cli_say(&what, "\"joints\": \"%.100s\"", name);
    return read_numbers(value, what.text, q + joint.q, (size_t)joint.nq, message);
}

static int read_pose(const json_t *root, const myr_model *model, const myr_model_info *size, double *q, cli_text *message) {
    const json_t *all = json_object_get(root, "q"), *joints = json_object_get(root, "joints");
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)root, name, value) if (strcmp(name, "q") != 0 && strcmp(name, "joints") != 0) return cli_say(
        message, "there is no \"%.100s\": a pose has q or joints", name);
    if (json_is_object(root) && all && !joints) return read_numbers(all, "\"q\"", q, (size_t)size->nq, message);
    if (!json_is_object(root) || !json_is_object(joints) || all)
        return cli_say(message, "a pose is {\"q\": [%d numbers]} or {\"joints\": {NAME: number}}", size->nq);
    json_object_foreach((json_t *)(uintptr_t)joints, name, value) if (read_joint(model, name, value, q, message) != 0) return -1;
    return 0;
}

/* Degrees, say: the limits' rows would throw the robot back. */
static void warn_of_limits(const char *path, const myr_model *model, const myr_model_info *size, const double *q) {
    for (int j = 0; j < size->n_joints; j++) {
        myr_joint_info i;
        if (myr_model_get_joint(model, j, &i) != MYR_OK || i.nq != 1 || !(i.lower <= i.upper)) continue;
        const double slack = 1e-6 + 1e-3 * (i.upper - i.lower);
        if (q[i.q] < i.lower - slack || q[i.q] > i.upper + slack)
            cli_warning("--home: %s: joint \"%s\" begins at %g, outside of its limits %g to %g", path, i.name, q[i.q], i.lower, i.upper);
    }
}

/* The pose of a file for this model; the caller frees it. NULL after saying what is wrong. */
static double *pose_of(const char *path, const myr_model *model, const myr_model_info *size) {
    cli_text message = {""};
    size_t length = 0;
    char *text = cli_read_file(path, &length, &message);
    json_t *root = text ? cli_json_parse(text, length, path, &message) : NULL;
    free(text);
    double *q = cli_allocate((size_t)size->nq, sizeof *q);
    myr_model_home(model, q);
    const int known = root != NULL, bad = !known || read_pose(root, model, size, q, &message) != 0;
    json_decref(root);
    if (!bad) warn_of_limits(path, model, size, q);
    if (!bad) return q;
    if (known)
        cli_error("--home: %s: %s", path, message.text);
    else
        cli_error("--home: %s", message.text);
    free(q);
    return NULL;
}

int cli_open_model(const char *argument, const myr_load_options *options, const char *home, myr_model **model) {
    myr_load_options chosen = *options;
    if (home && !is_path(home)) chosen.keyframe = home;
    if (myr_model_open(argument, &chosen, model) != MYR_OK) return cli_error("%s", myr_message());
    if (!home || !is_path(home)) return CLI_OK;
    myr_model_info size; /* which joints there are only the model knows */
    myr_model_get_info(*model, &size);
    double *q = pose_of(home, *model, &size);
    chosen.home = q, chosen.n_home = size.nq;
    myr_model_free(*model);
    *model = NULL;
    const int status = !q ? CLI_BAD_INPUT : myr_model_open(argument, &chosen, model) != MYR_OK ? cli_error("%s", myr_message()) : CLI_OK;
    free(q);
    return status;
}

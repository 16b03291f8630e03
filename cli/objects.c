#include "objects.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "options.h"

enum { OPTION_OBJECT = CLI_OWN + 0xa00 };

static error_t parse(int key, char *argument, struct argp_state *state) {
    cli_objects *objects = state->input;
    if (key != OPTION_OBJECT) return ARGP_ERR_UNKNOWN;
    if (objects->n == CLI_MOST_OBJECTS) exit(cli_usage("--object: at most %d of them", CLI_MOST_OBJECTS));
    objects->items[objects->n++] = argument;
    return 0;
}

static const struct argp_option own_options[] = {
    {"object", OPTION_OBJECT, "MODEL[@x,y,z[,w,i,j,k]]", 0,
     "put this model beside the robot, its origin there (default 0,0,0), turned by that quaternion, its names behind NAME/; may be given "
     "several times",
     1},
    {0}};

const struct argp cli_objects_argp = {own_options, parse, NULL, NULL, NULL, NULL, NULL};

/* What stands behind the last '@', if that is numbers: files may have one in their name. Three of them, or seven with the turn. */
static int read_place(const char *item, char *name, size_t bytes, myr_placement *place) {
    const char *at = strrchr(item, '@');
    const size_t length = at ? (size_t)(at - item) : strlen(item);
    if (length >= bytes || !length) return cli_usage("--object: \"%.60s\" names no model", item);
    memcpy(name, item, length);
    name[length] = '\0';
    if (!at) return CLI_OK;
    const char *cursor = at + 1;
    for (int k = 0; k < 7; k++) {
        char *end;
        const double value = strtod(cursor, &end);
        const int last = k == 6 || (k == 2 && *end == '\0');
        if (end == cursor || !isfinite(value) || *end != (last ? '\0' : ','))
            return cli_usage("--object: \"%.160s\" is not a place x,y,z, nor one with a quaternion, x,y,z,w,i,j,k", at + 1);
        *(k < 3 ? &place->position_m[k] : &place->quaternion[k - 3]) = value;
        if (last) break;
        cursor = end + 1;
    }
    return CLI_OK;
}

/* NAME/, or NAME_2/ where a model of the name was put there before: the names of all are kept in `names`. */
static void choose_prefix(const char *name, char names[][80], int n, char *prefix, size_t bytes) {
    int before = 0;
    snprintf(names[n], 80, "%s", name);
    for (int k = 0; k < n; k++) before += !strcmp(names[k], names[n]);
    if (before)
        snprintf(prefix, bytes, "%.79s_%d/", names[n], before + 1);
    else
        snprintf(prefix, bytes, "%.79s/", names[n]);
}

static int put(myr_builder *builder, const char *item, const myr_load_options *options, char names[][80], int n) {
    char path[4096], prefix[96];
    myr_placement placement = myr_placement_default();
    myr_load_options plain = *options;
    plain.root = MYR_ROOT_AUTO, plain.keyframe = NULL, plain.home = NULL;
    int status = read_place(item, path, sizeof path, &placement);
    if (status != CLI_OK) return status;
    myr_model *object = NULL;
    if (myr_model_open(path, &plain, &object) != MYR_OK) return cli_error("--object: %s", myr_message());
    myr_model_info info;
    myr_model_get_info(object, &info);
    choose_prefix(*info.name ? info.name : "object", names, n, prefix, sizeof prefix);
    placement.prefix = prefix;
    if (myr_builder_add_model(builder, object, &placement) != MYR_OK) status = cli_error("--object %s: %s", path, myr_message());
    myr_model_free(object);
    return status;
}

int cli_put_objects(const cli_objects *objects, const myr_load_options *options, myr_model **model) {
    if (!objects->n) return CLI_OK;
    char names[CLI_MOST_OBJECTS][80];
    myr_model_info info;
    myr_builder *builder = NULL;
    int status = CLI_OK;
    myr_model_get_info(*model, &info);
    if (myr_builder_create(info.name, &builder) != MYR_OK || myr_builder_add_model(builder, *model, NULL) != MYR_OK)
        status = cli_error("%s", myr_message());
    for (int k = 0; k < objects->n && status == CLI_OK; k++) status = put(builder, objects->items[k], options, names, k);
    myr_model_free(*model);
    *model = NULL;
    if (status == CLI_OK && myr_builder_compile(builder, model) != MYR_OK) status = cli_error("%s", myr_message());
    myr_builder_free(builder);
    return status;
}

#include "meshes.h"

#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "options.h"

enum { OPTION_MESHES = CLI_OWN + 0x800, OPTION_STRICT, OPTION_MESH_PATH, OPTION_CORNERS, OPTION_SELF, OPTION_FEET };

static error_t parse(int key, char *argument, struct argp_state *state) {
    myr_load_options *load = state->input;
    switch (key) {
    case OPTION_MESHES:
        if (strcmp(argument, "load") != 0 && strcmp(argument, "skip") != 0)
            exit(cli_usage("--meshes: \"%s\" is neither load nor skip", argument));
        load->meshes = strcmp(argument, "skip") == 0 ? MYR_MESHES_SKIP : MYR_MESHES_LOAD;
        return 0;
    case OPTION_STRICT: load->strict = 1; return 0;
    case OPTION_MESH_PATH: load->mesh_path = argument; return 0;
    case OPTION_FEET: load->feet = argument; return 0;
    case OPTION_CORNERS: {
        char *end;
        const long corners = strtol(argument, &end, 10);
        if (end == argument || *end || corners < 4 || corners > 64)
            exit(cli_usage("--hull-corners is \"%s\"; it may be 4 to 64", argument));
        load->hull_corners = (int)corners;
        return 0;
    }
    case OPTION_SELF:
        if (strcmp(argument, "off") != 0 && strcmp(argument, "auto") != 0 && strcmp(argument, "all") != 0)
            exit(cli_usage("--self-collision: \"%s\" is none of off, auto, all", argument));
        load->self_collision = strcmp(argument, "off") == 0 ? MYR_SELF_OFF : strcmp(argument, "all") == 0 ? MYR_SELF_ALL : MYR_SELF_AUTO;
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option own_options[] = {
    {"meshes", OPTION_MESHES, "WORD", 0, "whether the robot's meshes are used: load, skip (default load)", 1},
    {"strict", OPTION_STRICT, NULL, 0, "anything in the file that would be left out is an error, not a warning", 1},
    {"mesh-path", OPTION_MESH_PATH, "DIRS", 0, "where else meshes are looked for, and packages of package://: folders separated by `:'", 1},
    {"feet", OPTION_FEET, "NAMES", 0,
     "of the robot's shapes these alone touch: names separated by `,', with * and ? (`info' lists what each costs)", 1},
    {"hull-corners", OPTION_CORNERS, "N", 0, "to how many corners the hull of a mesh is reduced, 4 to 64 (default 32)", 1},
    {"self-collision", OPTION_SELF, "WORD", 0,
     "whether links of the robot touch each other: off, auto (all pairs that can meet and do not overlap by design), all (default auto for "
     "an MJCF, off for a URDF)",
     1},
    {0}};

const struct argp cli_meshes_argp = {own_options, parse, NULL, NULL, NULL, NULL, NULL};

myr_root cli_root(const char *word) {
    return strcmp(word, "floating") == 0 ? MYR_ROOT_FLOATING : strcmp(word, "fixed") == 0 ? MYR_ROOT_FIXED : MYR_ROOT_AUTO;
}

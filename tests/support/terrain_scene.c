#include <stdio.h>
#include <stdlib.h>

#include "terrain_scene.h"

myr_terrain *generated(const char *profile, uint64_t seed) {
    myr_terrain_plan plan;
    myr_terrain *t;
    MUST(myr_terrain_plan_named(profile, &plan));
    MUST(myr_terrain_generate(&plan, seed, &t));
    return t;
}

myr_terrain_patch patch_of(const myr_terrain *t, int level, int column) {
    myr_terrain_patch p;
    MUST(myr_terrain_get_patch(t, level, column, &p));
    return p;
}

json_t *laws_of_worlds(void) {
    char path[4096];
    const char *source = getenv("MYRIAPOD_SOURCE");
    snprintf(path, sizeof path, "%s/../shared/oracles/worlds2/laws.json", source ? source : ".");
    json_t *all = json_load_file(path, 0, NULL);
    if (!all) {
        print_message("%s is not there\n", path);
        skip();
    }
    return all;
}

double law_number(const json_t *of, const char *key) { return json_number_value(json_object_get(of, key)); }

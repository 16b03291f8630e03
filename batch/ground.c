/* The setting `terrain`: the model on a generated map. */
#include "settings/resolve.h"

#include <string.h>

#include "terrain/terrain.h"

myr_status myr_resolve_ground(const myr_settings *settings, const myr_model *model, myr_model **on) {
    *on = NULL;
    if (strcmp(settings->terrain, "plane") == 0) {
        *on = myr_model_retain(model);
        return MYR_OK;
    }
    if (model->terrain)
        return myr_fail(MYR_E_ARG, "'terrain' is '%s', but the model '%s' stands on a map already", settings->terrain, model->name);
    myr_terrain *terrain;
    myr_status status = myr_terrain_generate_named(settings->terrain, (uint64_t)settings->terrain_seed, &terrain);
    if (status != MYR_OK) return status;
    status = myr_model_on(model, terrain, on);
    myr_terrain_free(terrain);
    return status;
}

#include "ground.h"

#include <inttypes.h>
#include <string.h>

#include "cli.h"
#include "json.h"

int ground_generate(const myr_settings *settings, myr_terrain **terrain) {
    *terrain = NULL;
    if (strcmp(settings->terrain, "plane") == 0) return CLI_OK;
    if (myr_terrain_generate_named(settings->terrain, (uint64_t)settings->terrain_seed, terrain) != MYR_OK)
        return cli_error("%s", myr_message());
    return CLI_OK;
}

int ground_put(const myr_model *model, const myr_settings *settings, myr_model **on) {
    myr_terrain *terrain;
    *on = NULL;
    int status = ground_generate(settings, &terrain);
    if (terrain && myr_model_on(model, terrain, on) != MYR_OK) status = cli_error("%s", myr_message());
    myr_terrain_free(terrain);
    return status;
}

/* A map that no setting named came with the model. */
static void print_name(const myr_settings *settings, FILE *stream) {
    if (strcmp(settings->terrain, "plane") == 0)
        fputs("of the model", stream);
    else
        fprintf(stream, "%s, seed %lld", settings->terrain, (long long)settings->terrain_seed);
}

void ground_print_line(const myr_terrain *terrain, const myr_settings *settings, FILE *stream) {
    myr_terrain_info i;
    myr_terrain_get_info(terrain, &i);
    print_name(settings, stream);
    fprintf(stream, ": %d x %d samples, %.4g m apart, %.4g to %.4g m high", i.nx, i.ny, i.cell_m, i.lowest_m, i.highest_m);
    if (i.patch_levels) fprintf(stream, ", %d levels x %d columns of patches", i.patch_levels, i.patch_columns);
}

/* "slope 0-1, rough 2-3, ..": columns of one kind side by side. */
static void print_kinds(const myr_terrain *terrain, int columns, FILE *stream) {
    myr_terrain_patch first = {0}, next;
    for (int from = 0, to; from < columns; from = to) {
        if (myr_terrain_get_patch(terrain, 0, from, &first) != MYR_OK) return;
        for (to = from + 1; to < columns; to++)
            if (myr_terrain_get_patch(terrain, 0, to, &next) != MYR_OK || strcmp(next.kind, first.kind) != 0) break;
        fprintf(stream, to > from + 1 ? "%s%s %d-%d" : "%s%s %d", from ? ", " : "", first.kind, from, to - 1);
    }
}

void ground_print(const myr_terrain *terrain, const myr_settings *settings, FILE *stream) {
    myr_terrain_info i;
    myr_terrain_patch patch;
    myr_terrain_get_info(terrain, &i);
    fputs("Terrain ", stream);
    print_name(settings, stream);
    fprintf(stream, "\n  samples       %d x %d, %.6g m apart; x = y = 0 at sample (%d, %d)\n", i.nx, i.ny, i.cell_m, i.origin_i,
            i.origin_k);
    fprintf(stream, "  heights       %.6g to %.6g m, ", i.lowest_m, i.highest_m);
    if (i.is_whole)
        fprintf(stream, "whole steps of %.6g m\n", i.step_m);
    else
        fputs("floats\n", stream);
    fprintf(stream, "  blocks        %s\n", !i.has_columns ? "fields" : i.has_fields ? "fields and columns" : "columns");
    if (i.patch_levels && myr_terrain_get_patch(terrain, 0, 0, &patch) == MYR_OK) {
        fprintf(stream, "  patches       %d levels x %d columns of %.6g m\n  kinds         ", i.patch_levels, i.patch_columns,
                patch.size_m);
        print_kinds(terrain, i.patch_columns, stream);
        fputc('\n', stream);
    }
    fprintf(stream, "  memory        %.3g MB\n  hash          %016" PRIx64 "\n", 1e-6 * (double)i.bytes, i.hash);
}

json_t *ground_json(const myr_terrain *terrain) {
    myr_terrain_info i;
    if (!terrain) return json_null();
    myr_terrain_get_info(terrain, &i);
    char hash[17];
    snprintf(hash, sizeof hash, "%016" PRIx64, i.hash);
    json_t *map = json_object(), *kinds = json_array();
    for (int column = 0; column < i.patch_columns; column++) {
        myr_terrain_patch patch;
        if (myr_terrain_get_patch(terrain, 0, column, &patch) == MYR_OK) json_array_append_new(kinds, cli_json_text(patch.kind));
    }
    json_object_set_new(map, "samples", json_pack("[ii]", i.nx, i.ny));
    json_object_set_new(map, "origin", json_pack("[ii]", i.origin_i, i.origin_k));
    json_object_set_new(map, "cell", cli_json_real(i.cell_m));
    json_object_set_new(map, "step", i.is_whole ? cli_json_real(i.step_m) : json_null());
    json_object_set_new(map, "lowest", cli_json_real(i.lowest_m));
    json_object_set_new(map, "highest", cli_json_real(i.highest_m));
    json_object_set_new(map, "fields", json_boolean(i.has_fields));
    json_object_set_new(map, "columns", json_boolean(i.has_columns));
    json_object_set_new(map, "levels", json_integer(i.patch_levels));
    json_object_set_new(map, "kinds", kinds);
    json_object_set_new(map, "bytes", json_integer((json_int_t)i.bytes));
    json_object_set_new(map, "hash", json_string(hash));
    return map;
}

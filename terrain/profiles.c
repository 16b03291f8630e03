/* Plans by name: the ground of three sources of walkers, in their numbers, and of single kinds. docs/terrain.md has them as a table. */
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "base/memory.h"
#include "base/message.h"
#include "machine/machine.h"
#include "myriapod/terrain.h"

#define SLOPE(part, to_slope, platform, border)                                                                                            \
    { .kind = "slope", .share = part, .to = to_slope, .platform_m = platform, .border_m = border }
#define STAIRS(part, least, most, width, border)                                                                                           \
    { .kind = "stairs", .share = part, .from = least, .to = most, .platform_m = 3, .border_m = border, .width_m = width }
/* legged_gym's kinds, which its list of shares chooses from (Rudin 2022) */
#define ROUGH_SLOPE(part)                                                                                                                  \
    { .kind = "rough", .share = part, .to = 0.4, .platform_m = 3, .range_m = {-0.05, 0.05}, .noise_step_m = 0.005, .lattice_m = 0.2 }
#define STONES(part)                                                                                                                       \
    { .kind = "stones", .share = part, .from = 1.575, .to = 0.075, .platform_m = 4, .width_m = 0.1, .depth_m = 10 }
/* Isaac Lab's, with every sample a place of the noise */
#define ROUGH(part)                                                                                                                        \
    { .kind = "rough", .share = part, .border_m = 0.25, .range_m = {0.02, 0.1}, .noise_step_m = 0.02, .lattice_m = 0.1 }

static const struct profile {
    const char *name;
    int columns;
    double border, spread;
    myr_terrain_kind kinds[8]; /* as many as have a share */
} profiles[] = {
    {"legged-gym",
     20,
     25,
     0,
     {SLOPE(0.05, -0.4, 3, 0),
      SLOPE(0.05, 0.4, 3, 0),
      ROUGH_SLOPE(0.1),
      STAIRS(0.35, -0.05, -0.23, 0.31, 0),
      STAIRS(0.25, 0.05, 0.23, 0.31, 0),
      {.kind = "obstacles", .share = 0.2, .from = 0.05, .to = 0.25, .platform_m = 3, .range_m = {1, 2}, .count = 20}}},
    {"isaac-lab",
     20,
     20,
     1,
     {STAIRS(0.2, 0.05, 0.23, 0.3, 1),
      STAIRS(0.2, -0.05, -0.23, 0.3, 1),
      {.kind = "boxes", .share = 0.2, .from = 0.05, .to = 0.2, .platform_m = 2, .width_m = 0.45},
      ROUGH(0.2),
      SLOPE(0.1, 0.4, 2, 0.25),
      SLOPE(0.1, -0.4, 2, 0.25)}},
    {"mjlab",
     20,
     20,
     1,
     {{.kind = "flat", .share = 0.2},
      STAIRS(0.2, 0, 0.1, 0.3, 1),
      STAIRS(0.2, 0, -0.1, 0.3, 1),
      SLOPE(0.1, 1, 2, 0.25),
      SLOPE(0.1, -1, 2, 0.25),
      ROUGH(0.1),
      {.kind = "waves", .share = 0.1, .to = 0.2, .border_m = 0.25, .count = 4}}},
    {"flat", 4, 8, 0, {{.kind = "flat", .share = 1}}},
    {"stairs", 4, 8, 0, {STAIRS(0.5, -0.05, -0.23, 0.31, 0), STAIRS(0.5, 0.05, 0.23, 0.31, 0)}},
    {"rough", 4, 8, 0, {ROUGH(1)}},
    {"slopes", 4, 8, 0, {SLOPE(0.5, -0.4, 3, 0), SLOPE(0.5, 0.4, 3, 0)}},
    {"stones", 4, 8, 0, {STONES(1)}},
};
enum { PROFILES = sizeof profiles / sizeof *profiles };

const char *myr_terrain_profile_name(int index) { return index >= 0 && index < PROFILES ? profiles[index].name : NULL; }

myr_terrain_plan myr_terrain_plan_default(void) {
    const myr_terrain_plan plan = {.levels = 10, .columns = 20, .patch_m = 8, .cell_m = 0.1, .step_m = 0.005, .border_m = 8};
    return plan;
}

static myr_status unknown(const char *name) {
    myr_words words = {0};
    char hint[MYR_WORD_BYTES + 24], list[600];
    for (int i = 0; i < PROFILES; i++) myr_words_add(&words, profiles[i].name);
    myr_words_hint(&words, name, hint, sizeof hint);
    myr_words_list(&words, list, sizeof list);
    return myr_fail(MYR_E_ARG, "there is no plan of a terrain '%.100s'%s There are: %s", name, *hint ? hint : ".", list);
}

myr_status myr_terrain_plan_named(const char *profile, myr_terrain_plan *plan) {
    MYR_OWN_ARITHMETIC;
    if (!profile || !plan) return myr_fail(MYR_E_ARG, "myr_terrain_plan_named: `%s` is NULL", profile ? "plan" : "profile");
    for (int i = 0; i < PROFILES; i++) {
        const struct profile *named = &profiles[i];
        if (strcmp(named->name, profile) != 0) continue;
        *plan = myr_terrain_plan_default();
        plan->columns = named->columns, plan->border_m = named->border, plan->spread = named->spread;
        for (; plan->n_kinds < 8 && named->kinds[plan->n_kinds].share > 0; plan->n_kinds++)
            plan->kinds[plan->n_kinds] = named->kinds[plan->n_kinds];
        return MYR_OK;
    }
    return unknown(profile);
}

myr_status myr_terrain_generate_named(const char *profile, uint64_t seed, myr_terrain **out) {
    MYR_OWN_ARITHMETIC;
    myr_terrain_plan plan;
    if (out) *out = NULL;
    const myr_status status = myr_terrain_plan_named(profile, &plan);
    return status == MYR_OK ? myr_terrain_generate(&plan, seed, out) : status;
}

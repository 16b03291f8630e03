/* may skip: truth that none of the project's code computed lies in ../shared/oracles, which is not part of this tree
 * Generated maps: the hash of each profile, origins of patches, where environments begin, the level after an episode, of which
 * worlds2/laws.json has decisions; what may not be in a plan. */
#include <math.h>
#include <stdlib.h>

#include "terrain/curriculum.h"
#include "support/terrain_scene.h"

/* ---- the curriculum, and where it begins --------------------------------------------------------------------- */

static void curriculum_at_its_edges(void **unused) {
    (void)unused;
    assert_int_equal(myr_terrain_next_level(3, 10, 8, 4, 0.1, 20, 0.5), 3);     /* not more than half */
    assert_int_equal(myr_terrain_next_level(3, 10, 8, 4.001, 9, 20, 0.5), 4);   /* up, although less than commanded */
    assert_int_equal(myr_terrain_next_level(3, 10, 8, 3.999, 0.4, 20, 0.5), 2); /* 4 m are half of what was commanded */
    assert_int_equal(myr_terrain_next_level(0, 10, 8, 0, 1, 20, 0.5), 0);
    assert_int_equal(myr_terrain_next_level(0, 1, 8, 5, 1, 20, 0.999), 0);
    assert_int_equal(myr_terrain_next_level(9, 10, 8, 5, 1, 20, 0), 0);
    assert_int_equal(myr_terrain_next_level(9, 10, 8, 5, 1, 20, 0.9999), 9);
}

static void environments_begin_in_turns(void **unused) {
    (void)unused;
    enum { ENVS = 6000 };
    myr_terrain *t = generated("legged-gym", SEED);
    int in_column[20] = {0}, in_level[10] = {0}, others = 0;
    for (int env = 0; env < ENVS; env++) {
        int level, column, other, same;
        myr_terrain_start(t, env, SEED, 6, &level, &column);
        assert_true(column == env % 20 && level >= 0 && level <= 5);
        in_column[column]++, in_level[level]++;
        myr_terrain_start(t, env, SEED, 6, &same, &column);
        myr_terrain_start(t, env, SEED + 1, 6, &other, &column);
        assert_int_equal(same, level);
        others += other != level;
        myr_terrain_start(t, env, SEED, 1, &level, &column);
        assert_int_equal(level, 0);
    }
    for (int c = 0; c < 20; c++) assert_int_equal(in_column[c], ENVS / 20);
    for (int l = 0; l < 6; l++) assert_true(abs(in_level[l] - ENVS / 6) < 150); /* 5 sigma of a binomial */
    assert_true(abs(others - ENVS * 5 / 6) < 150);
    int most = 0;
    for (int env = 0; env < ENVS; env++) { /* more levels than there are */
        int level, column;
        myr_terrain_start(t, env, SEED, 101, &level, &column);
        assert_true(level < 10);
        most = level > most ? level : most;
    }
    assert_int_equal(most, 9);
    myr_terrain_free(t);
}

static void curriculum_is_that_of_the_source(void **unused) {
    (void)unused;
    json_t *all = laws_of_worlds();
    const json_t *is;
    size_t n;
    int drawn = 0;
    json_array_foreach(json_object_get(all, "curriculum"), n, is) {
        const json_t *command = json_object_get(is, "command"), *after = json_object_get(is, "after");
        const double x = json_number_value(json_array_get(command, 0)), y = json_number_value(json_array_get(command, 1));
        for (int draw = 0; draw < 4; draw++) {
            const int levels = (int)law_number(is, "levels");
            const int level = myr_terrain_next_level((int)law_number(is, "level"), levels, law_number(is, "size"), law_number(is, "walked"),
                                                     sqrt(x * x + y * y), law_number(is, "episode"), draw / 4.0);
            assert_int_equal(level, json_is_integer(after) ? (int)json_integer_value(after) : draw * levels / 4);
        }
        drawn += json_is_string(after);
    }
    assert_true(n >= 20 && drawn >= 1);
    json_decref(all);
}

/* ---- the map ------------------------------------------------------------------------------------------------------ */

static void maps_are_the_same_everywhere(void **unused) {
    (void)unused;
    static const struct {
        const char *profile;
        int is_drawn; /* does the seed change it? */
        uint64_t hash;
    } wanted[] = {{"legged-gym", 1, UINT64_C(0x8d5ce5d19352be83)}, {"isaac-lab", 1, UINT64_C(0x5e78166428dc6016)},
                  {"mjlab", 1, UINT64_C(0x05d085b13e21456a)},      {"flat", 0, UINT64_C(0x200ff6a3f0c003a1)},
                  {"stairs", 0, UINT64_C(0xc51502833da85acc)},     {"rough", 1, UINT64_C(0x95381c2ffbf7fea6)},
                  {"slopes", 0, UINT64_C(0x5b648a35a0d4fc2b)},     {"stones", 1, UINT64_C(0xf707baa88aee8bed)}};
    int n = 0, wrong = 0;
    for (; myr_terrain_profile_name(n); n++) {
        assert_string_equal(myr_terrain_profile_name(n), wanted[n].profile);
        myr_terrain *t = generated(wanted[n].profile, SEED), *again, *other = generated(wanted[n].profile, SEED + 1);
        MUST(myr_terrain_generate_named(wanted[n].profile, SEED, &again));
        if (t->hash != wanted[n].hash) print_error("%s: hash 0x%016llx\n", wanted[n].profile, (unsigned long long)t->hash), wrong++;
        assert_true(t->hash == again->hash);
        assert_true(t->levels > 0 && t->levels == again->levels && t->patch_columns == again->patch_columns);
        for (int p = 0; p < t->levels * t->patch_columns; p++) assert_memory_equal(&t->patches[p], &again->patches[p], sizeof *t->patches);
        assert_int_equal(t->hash != other->hash, wanted[n].is_drawn);
        myr_terrain_free(t), myr_terrain_free(again), myr_terrain_free(other);
    }
    assert_int_equal(n, sizeof wanted / sizeof *wanted);
    assert_null(myr_terrain_profile_name(-1));
    assert_int_equal(wrong, 0);
}

static void patches_have_origins(void **unused) {
    (void)unused;
    for (int profile = 0; myr_terrain_profile_name(profile); profile++) {
        myr_terrain *t = generated(myr_terrain_profile_name(profile), SEED);
        int border = 0;
        for (int level = 0; level < t->levels; level++)
            for (int column = 0; column < t->patch_columns; column++) {
                const myr_terrain_patch p = patch_of(t, level, column);
                assert_true(p.level == level && p.column == column && p.size_m == 8);
                double place[3] = {p.at_m[0], p.at_m[1], p.at_m[2]}, height;
                myr_terrain_place(t, place);
                assert_true(place[0] == p.i && place[1] == p.k);
                assert_true(fabs(p.at_m[0] - 8 * (level + 0.5 - t->levels / 2.0)) < 1e-9);
                assert_true(fabs(p.at_m[1] - 8 * (column + 0.5 - t->patch_columns / 2.0)) < 1e-9);
                int highest = -99999;
                for (int i = 30; i <= 50; i++)
                    for (int k = 30; k <= 50; k++) highest = at(t, &p, i, k) > highest ? at(t, &p, i, k) : highest;
                assert_true(place[2] == highest && p.at_m[2] == highest * STEP);
                MUST(myr_terrain_height(t, 1, p.at_m, &height, NULL));
                assert_true(fabs(height - at(t, &p, 40, 40) * STEP) < 1e-9);
            }
        const myr_terrain_patch first = patch_of(t, 0, 0), last = patch_of(t, t->levels - 1, t->patch_columns - 1);
        for (int i = 0; i < t->nx; i++)
            for (int k = 0; k < t->ny; k++) {
                if (i >= first.i - 40 && i < last.i + 40 && k >= first.k - 40 && k < last.k + 40) continue;
                assert_true(t->steps[myr_terrain_at(t, i, k)] == 0 && !t->columns[myr_terrain_block(t, i, k)]);
                border++;
            }
        assert_true(border > 0 && first.i == t->nx - last.i && first.k == t->ny - last.k);
        myr_terrain_free(t);
    }
}

static void borders_are_whole_blocks(void **unused) {
    (void)unused;
    myr_terrain_plan plan = myr_terrain_plan_default();
    plan.levels = plan.columns = 1, plan.n_kinds = 1, plan.kinds[0] = (myr_terrain_kind){.kind = "pit", .share = 3, .from = 1, .to = 1};
    plan.patch_m = 4, plan.cell_m = 0.25, plan.kinds[0].platform_m = 1; /* 16 samples */
    static const struct {
        double border;
        int samples;
    } cases[] = {{0, 0}, {0.01, 8}, {2, 8}, {2.01, 16}};
    for (size_t n = 0; n < 4; n++) {
        myr_terrain *t;
        plan.border_m = cases[n].border;
        MUST(myr_terrain_generate(&plan, 0, &t));
        const myr_terrain_patch p = patch_of(t, 0, 0);
        assert_int_equal(t->nx, 16 + 2 * cases[n].samples);
        assert_int_equal(p.i, cases[n].samples + 8);
        assert_int_equal(t->steps[myr_terrain_at(t, p.i + 1, p.k - 2)], -200);
        assert_int_equal(t->steps[myr_terrain_at(t, p.i + 2, p.k - 2)], 0);
        myr_terrain_free(t);
    }
}

/* ---- what may not be ---------------------------------------------------------------------------------------------- */

static void refuse(const myr_terrain_plan *plan, myr_status status, const char *word) {
    myr_terrain *t = (myr_terrain *)&t;
    MUST_FAIL(myr_terrain_generate(plan, 1, &t), status, word);
    assert_null(t);
}

static void bad_plans_are_refused(void **unused) {
    (void)unused;
    const double bad[] = {NAN, INFINITY, -INFINITY, -1, 1e9};
    myr_terrain_plan good, plan;
    myr_terrain *t = NULL;
    MUST(myr_terrain_plan_named("stairs", &good));
#define WITH(change, status, word) (plan = good, change, refuse(&plan, status, word))
    WITH(plan.levels = 0, MYR_E_ARG, "levels is 0; it must be from 1");
    WITH(plan.levels = -3, MYR_E_ARG, "levels is -3");
    WITH(plan.columns = 0, MYR_E_ARG, "columns is 0");
    WITH(plan.patch_m = 0, MYR_E_ARG, "patch_m is 0; it must be from 0.8");
    WITH(plan.patch_m = 8.1, MYR_E_ARG,
         "patch_m is 8.1, which is 81 samples of 0.1 m; a patch has a multiple of 8 on a side: 8 m would do");
    WITH(plan.n_kinds = 0, MYR_E_ARG, "n_kinds is 0; it must be from 1 to 16");
    WITH(plan.n_kinds = 17, MYR_E_ARG, "n_kinds is 17");
    WITH(plan.levels = plan.columns = 103, MYR_E_LIMIT, "8400 x 8400 samples; a map has at most 67108864"); /* 2^26 */
    WITH(plan.levels = 205, MYR_E_LIMIT, "16560 x 480 samples");
    WITH((plan.kinds[0].share = 0, plan.kinds[1].share = 0), MYR_E_ARG, "all shares are 0");
    WITH(strcpy(plan.kinds[1].kind, "stares"), MYR_E_ARG, "kinds[1] is 'stares'; did you mean 'stairs'?");
    WITH(strcpy(plan.kinds[0].kind, ""), MYR_E_ARG, "kinds[0] is '', no kind. There are: flat, slope, rough, waves");
    WITH(memset(plan.kinds[0].kind, 'x', MYR_TERRAIN_NAME), MYR_E_ARG, "kinds[0] is 'xxxxxxxxxxxxxxxx'");
    for (size_t n = 0; n < sizeof bad / sizeof *bad; n++) {
        WITH(plan.patch_m = bad[n], MYR_E_ARG, "patch_m");
        WITH(plan.cell_m = bad[n], MYR_E_ARG, "cell_m");
        WITH(plan.step_m = bad[n], MYR_E_ARG, "step_m");
        WITH(plan.border_m = bad[n], MYR_E_ARG, "border_m");
        WITH(plan.spread = bad[n], MYR_E_ARG, "spread");
        WITH(plan.kinds[1].share = bad[n], MYR_E_ARG, "the share of kinds[1], `stairs`, is");
        WITH(plan.kinds[0].platform_m = bad[n], MYR_E_ARG, "platform_m of the kind `stairs` is");
        WITH(plan.kinds[0].width_m = bad[n], MYR_E_ARG, "width_m of the kind `stairs` is");
        WITH(plan.kinds[0].border_m = bad[n], MYR_E_ARG, "border_m of the kind `stairs` is");
        if (bad[n] != -1) WITH(plan.kinds[0].to = bad[n], MYR_E_ARG, "stairs");
    }
    WITH(plan.kinds[0].width_m = 0, MYR_E_ARG, "width_m of the kind `stairs` is 0; it must be from 0.1 to 8 here");
    WITH(plan.kinds[0].to = -30, MYR_E_ARG, "are 163.835 m"); /* nine risers of less than that are more */
    good.kinds[0].share = 0, good.kinds[0].width_m = NAN;     /* a kind without a share is not looked at */
    MUST(myr_terrain_generate(&good, 1, &t));
    myr_terrain_free(t);
#undef WITH
}

static void bad_kinds_are_refused(void **unused) {
    (void)unused;
    static const struct {
        myr_terrain_kind kind;
        const char *words;
    } cases[] = {
        {{.kind = "rough", .range_m = {0.1, 0.02}, .noise_step_m = 0.02, .lattice_m = 0.1}, "range_m[1] of the kind `rough` is 0.02"},
        {{.kind = "rough", .range_m = {0, 0.02}, .noise_step_m = 0.001, .lattice_m = 0.1}, "noise_step_m of the kind `rough` is 0.001"},
        {{.kind = "rough", .range_m = {0, 0.02}, .noise_step_m = 0.02, .lattice_m = 0.01}, "lattice_m of the kind `rough` is 0.01"},
        {{.kind = "rough", .range_m = {0, NAN}, .noise_step_m = 0.02, .lattice_m = 0.1}, "range_m[1] of the kind `rough` is nan"},
        {{.kind = "slope", .border_m = 4}, "border_m of the kind `slope` is 4; it must be from 0 to 3.8"},
        {{.kind = "slope", .from = 11, .to = 11}, "the slope of the kind `slope` is 11"},
        {{.kind = "waves"}, "count of the kind `waves` is 0"},
        {{.kind = "obstacles", .range_m = {1, 8}}, "range_m[1] of the kind `obstacles` is 8"},
        {{.kind = "obstacles", .range_m = {2, 1}}, "range_m[0] of the kind `obstacles` is 2"},
        {{.kind = "obstacles", .range_m = {1, 2}, .count = -1}, "count of the kind `obstacles` is -1"},
        {{.kind = "boxes", .width_m = 0.05}, "width_m of the kind `boxes` is 0.05"},
        {{.kind = "stones", .depth_m = 1000}, "depth_m of the kind `stones` is 1000"},
        {{.kind = "gap", .from = -1}, "the width of the kind `gap` is -1"},
        {{.kind = "pit", .platform_m = 9}, "platform_m of the kind `pit` is 9"},
    };
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        myr_terrain_plan plan = myr_terrain_plan_default();
        plan.n_kinds = 1, plan.kinds[0] = cases[n].kind, plan.kinds[0].share = 1;
        refuse(&plan, MYR_E_ARG, cases[n].words);
    }
}

static void bad_arguments_are_refused(void **unused) {
    (void)unused;
    myr_terrain_plan plan = myr_terrain_plan_default();
    myr_terrain_patch patch = {.level = 5};
    myr_terrain *t;
    plan.levels = 77;
    MUST_FAIL(myr_terrain_plan_named("leged-gym", &plan), MYR_E_ARG,
              "'leged-gym'; did you mean 'legged-gym'? There are: legged-gym, isaac-lab");
    MUST_FAIL(myr_terrain_plan_named("", &plan), MYR_E_ARG, "There are: legged-gym");
    MUST_FAIL(myr_terrain_plan_named(NULL, &plan), MYR_E_ARG, "`profile` is NULL");
    MUST_FAIL(myr_terrain_plan_named("flat", NULL), MYR_E_ARG, "`plan` is NULL");
    assert_int_equal(plan.levels, 77);
    MUST_FAIL(myr_terrain_generate(NULL, 1, &t), MYR_E_ARG, "`plan` is NULL");
    MUST_FAIL(myr_terrain_generate(&plan, 1, NULL), MYR_E_ARG, "`out` is NULL");
    t = (myr_terrain *)&plan; /* not NULL: on failure it is */
    MUST_FAIL(myr_terrain_generate_named("leged-gym", 1, &t), MYR_E_ARG, "did you mean 'legged-gym'?");
    assert_null(t);
    MUST_FAIL(myr_terrain_generate_named(NULL, 1, &t), MYR_E_ARG, "`profile` is NULL");
    MUST_FAIL(myr_terrain_generate_named("flat", 1, NULL), MYR_E_ARG, "`out` is NULL");
    t = generated("flat", 1);
    MUST_FAIL(myr_terrain_get_patch(NULL, 0, 0, &patch), MYR_E_ARG, "`terrain` is NULL");
    MUST_FAIL(myr_terrain_get_patch(t, 0, 0, NULL), MYR_E_ARG, "`out` is NULL");
    MUST_FAIL(myr_terrain_get_patch(t, 10, 0, &patch), MYR_E_ARG, "level is 10; it must be from 0 to 9");
    MUST_FAIL(myr_terrain_get_patch(t, -1, 0, &patch), MYR_E_ARG, "level is -1");
    MUST_FAIL(myr_terrain_get_patch(t, 0, 4, &patch), MYR_E_ARG, "column is 4; it must be from 0 to 3");
    MUST_FAIL(myr_terrain_get_patch(t, 0, -1, &patch), MYR_E_ARG, "column is -1");
    myr_terrain_free(t);
    const int16_t steps[4] = {1, 2, 3, 4};
    myr_terrain_def def = myr_terrain_def_default();
    myr_terrain_info info;
    def.nx = def.ny = 2, def.cell_m = 1, def.steps = steps;
    MUST(myr_terrain_create(&def, &t));
    myr_terrain_get_info(t, &info);
    assert_true(info.patch_levels == 0 && info.patch_columns == 0);
    MUST_FAIL(myr_terrain_get_patch(t, 0, 0, &patch), MYR_E_ARG, "not generated");
    myr_terrain_free(t);
    assert_int_equal(patch.level, 5);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(curriculum_is_that_of_the_source),
                                       cmocka_unit_test(curriculum_at_its_edges),
                                       cmocka_unit_test(environments_begin_in_turns),
                                       cmocka_unit_test(maps_are_the_same_everywhere),
                                       cmocka_unit_test(patches_have_origins),
                                       cmocka_unit_test(borders_are_whole_blocks),
                                       cmocka_unit_test(bad_plans_are_refused),
                                       cmocka_unit_test(bad_kinds_are_refused),
                                       cmocka_unit_test(bad_arguments_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

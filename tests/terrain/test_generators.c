/* may skip: truth that none of the project's code computed lies in ../shared/oracles, which is not part of this tree
 * Kinds of patches: what each profile says is measured in the samples, and patches of legged_gym are those of worlds2/laws.json. */
#include <math.h>
#include <stdlib.h>

#include "support/terrain_scene.h"

/* A map of one kind: `levels` patches of it. */
static myr_terrain *make_one(myr_terrain_kind kind, int levels) {
    myr_terrain_plan plan = myr_terrain_plan_default();
    myr_terrain *t;
    plan.levels = levels, plan.columns = 1, plan.border_m = 0, plan.n_kinds = 1, plan.kinds[0] = kind;
    plan.kinds[0].share = 1;
    MUST(myr_terrain_generate(&plan, SEED, &t));
    return t;
}

/* What a length or height becomes: the fraction is cut off. */
static int cut(double value) { return (int)(value + copysign(1e-9, value)); }

static int is_columns(const myr_terrain *t, const myr_terrain_patch *p) {
    int columns = 0;
    for (int i = 0; i < N; i++)
        for (int k = 0; k < N; k++) columns += t->columns[myr_terrain_block(t, p->i - N / 2 + i, p->k - N / 2 + k)];
    assert_true(columns == 0 || columns == N * N);
    return columns > 0;
}

/* Is the square of samples from `first` to before `end` of one height? */
static int is_level(const myr_terrain *t, const myr_terrain_patch *p, int first, int end, int height) {
    for (int i = first; i < end; i++)
        for (int k = first; k < end; k++)
            if (at(t, p, i, k) != height) return 0;
    return 1;
}

static int whole_at(const json_t *of, const char *key, int n) {
    return (int)json_integer_value(json_array_get(json_object_get(of, key), (size_t)n));
}

static void patches_are_those_of_the_source(void **unused) {
    (void)unused;
    json_t *all = laws_of_worlds();
    const json_t *want;
    size_t n;
    myr_terrain *t = generated("legged-gym", SEED);
    json_array_foreach(json_object_get(all, "generators"), n, want) {
        assert_string_equal(json_string_value(json_object_get(want, "profile")), "legged-gym");
        const char *kind = json_string_value(json_object_get(want, "kind"));
        const int level = (int)lrint(10 * law_number(want, "difficulty"));
        const myr_terrain_patch p = patch_of(t, level, strcmp(kind, "slope") == 0 ? 1 : 11);
        assert_string_equal(p.kind, kind);
        int sum = 0, highest = -99999, lowest = 99999;
        for (int i = 0; i < N; i++) {
            assert_int_equal(at(t, &p, i, 40), whole_at(want, "row_40", i));
            assert_int_equal(at(t, &p, i, i), whole_at(want, "diagonal", i));
            for (int k = 0; k < N; k++) {
                const int h = at(t, &p, i, k);
                sum += h, highest = h > highest ? h : highest, lowest = h < lowest ? h : lowest;
            }
        }
        assert_int_equal(sum, (int)law_number(want, "sum"));
        assert_int_equal(highest, (int)law_number(want, "highest"));
        assert_int_equal(lowest, (int)law_number(want, "lowest"));
    }
    assert_true(n >= 6);
    myr_terrain_free(t);
    json_decref(all);
}

/* Kinds of the 20 columns, by letter: flat, rough, waves, obstacles, boxes; slopes are s, or d where the way to the middle goes down, and
 * stairs S or D. */
static void columns_have_their_kinds(void **unused) {
    (void)unused;
    static const struct {
        const char *profile, *columns;
        double spread, border;
    } wanted[] = {{"legged-gym", "dsrrDDDDDDDSSSSSoooo", 0, 25.6},
                  {"isaac-lab", "SSSSDDDDbbbbrrrrssdd", 1, 20},
                  {"mjlab", "ffffSSSSDDDDssddrrww", 1, 20}};
    for (size_t n = 0; n < sizeof wanted / sizeof *wanted; n++) {
        myr_terrain *t = generated(wanted[n].profile, SEED);
        myr_terrain_info info;
        myr_terrain_get_info(t, &info);
        assert_int_equal(info.patch_levels, 10);
        assert_int_equal(info.patch_columns, 20);
        assert_int_equal(info.nx, 800 + 2 * (int)lrint(wanted[n].border / 0.1));
        assert_int_equal(info.ny, 1600 + 2 * (int)lrint(wanted[n].border / 0.1));
        assert_true(info.is_whole && info.step_m == STEP && info.cell_m == 0.1);
        for (int level = 0; level < 10; level++)
            for (int column = 0; column < 20; column++) {
                const myr_terrain_patch p = patch_of(t, level, column);
                char letter = p.kind[0];
                if (strcmp(p.kind, "stairs") == 0 || strcmp(p.kind, "slope") == 0) {
                    const int down =
                        level > 0 ? at(t, &p, 40, 40) < 0 : wanted[n].columns[column] == 'd' || wanted[n].columns[column] == 'D';
                    letter = p.kind[1] == 't' ? (down ? 'D' : 'S') : (down ? 'd' : 's');
                }
                assert_int_equal(letter, wanted[n].columns[column]);
                assert_int_equal(is_columns(t, &p), strchr("SDob", letter) != NULL);
                if (wanted[n].spread == 0)
                    assert_true(p.difficulty == level / 10.0);
                else
                    assert_true(p.difficulty >= level / 10.0 && p.difficulty < (level + 1) / 10.0);
            }
        myr_terrain_free(t);
    }
}

static void shares_are_divided_by_their_sum(void **unused) {
    (void)unused;
    myr_terrain_plan plan = myr_terrain_plan_default();
    myr_terrain *t;
    plan.levels = 1, plan.columns = 4, plan.n_kinds = 4;
    plan.kinds[0] = (myr_terrain_kind){.kind = "stones"}; /* no share: no column, and its measures are not looked at */
    plan.kinds[1] = (myr_terrain_kind){.kind = "flat", .share = 6};
    plan.kinds[2] = (myr_terrain_kind){.kind = "stairs", .width_m = -1};
    plan.kinds[3] = (myr_terrain_kind){.kind = "pit", .share = 2};
    MUST(myr_terrain_generate(&plan, SEED, &t));
    for (int column = 0; column < 4; column++) assert_string_equal(patch_of(t, 0, column).kind, column < 3 ? "flat" : "pit");
    myr_terrain_free(t);
}

/* From the border inwards: where the first riser is, all of one height and three cells apart, and the platform between the last two. */
static void see_stairs(const myr_terrain *t, int column, double least, double most, int first, int risers, int platform) {
    for (int level = 0; level < 10; level++) {
        const myr_terrain_patch p = patch_of(t, level, column);
        assert_string_equal(p.kind, "stairs");
        const int riser = cut((least + (most - least) * p.difficulty) / STEP);
        for (int i = 0; i < N; i++) {
            const int from_edge = i < N / 2 ? i : N - 1 - i, steps = from_edge < first ? 0 : (from_edge - first) / 3 + 1;
            const int height = riser * (steps < risers ? steps : risers);
            for (int k = from_edge; k < N - from_edge; k++) { /* the whole ring is as high */
                assert_int_equal(at(t, &p, i, k), height);
                assert_int_equal(at(t, &p, k, i), height);
            }
        }
        assert_true(is_level(t, &p, (N - platform) / 2, (N + platform) / 2, riser * risers));
        assert_true(riser == 0 || at(t, &p, (N - platform) / 2 - 1, 40) != riser * risers);
        assert_true(p.at_m[2] == riser * risers * STEP);
    }
}

static void stairs_are_as_high_and_wide(void **unused) {
    (void)unused;
    myr_terrain *t = generated("legged-gym", SEED);
    see_stairs(t, 4, -0.05, -0.23, 3, 9, 26), see_stairs(t, 15, 0.05, 0.23, 3, 9, 26);
    myr_terrain_free(t);
    t = generated("isaac-lab", SEED);
    see_stairs(t, 0, 0.05, 0.23, 10, 7, 24), see_stairs(t, 7, -0.05, -0.23, 10, 7, 24);
    myr_terrain_free(t);
    t = generated("mjlab", SEED);
    see_stairs(t, 4, 0, 0.1, 10, 7, 24), see_stairs(t, 8, 0, -0.1, 10, 7, 24);
    myr_terrain_free(t);
}

/* On the middle row a height is the slope times the way, to a step by either cut; the platform is level, and as high as its corner. */
static void see_slope(const myr_terrain *t, int column, double most, int rim, int half) {
    for (int level = 0; level < 10; level++) {
        const myr_terrain_patch p = patch_of(t, level, column);
        const int corner = N / 2 - half, middle = N / 2 - rim, top = at(t, &p, corner, corner);
        const double slope = most * p.difficulty;
        assert_string_equal(p.kind, "slope");
        assert_true(is_level(t, &p, corner, N / 2 + half + 1, top));
        assert_true(fabs(top * STEP - slope * 0.1 * middle * pow((double)(middle - half) / middle, 2)) < 2 * STEP);
        int sloped = 0;
        for (int i = rim; i < N / 2; i++) {
            const double way = slope * 0.1 * (i - rim);
            if (abs(at(t, &p, i, 40)) >= abs(top)) break;
            const double less = (fabs(way) - fabs(at(t, &p, i, 40) * STEP)) / STEP; /* two cuts, towards 0 */
            assert_true(less > -1e-6 && less < 2);
            assert_true(at(t, &p, i, 40) * slope >= 0);
            sloped++;
        }
        assert_true(level == 0 || sloped > 5);
        for (int i = 0; i < rim; i++)
            for (int k = 0; k < N; k++) assert_true(at(t, &p, i, k) == 0 && at(t, &p, k, N - 1 - i) == 0);
    }
}

static void slopes_are_as_steep(void **unused) {
    (void)unused;
    myr_terrain *t = generated("legged-gym", SEED);
    see_slope(t, 0, -0.4, 0, 15), see_slope(t, 1, 0.4, 0, 15);
    myr_terrain_free(t);
    t = generated("isaac-lab", SEED);
    see_slope(t, 16, 0.4, 2, 10), see_slope(t, 19, -0.4, 2, 10);
    myr_terrain_free(t);
    t = generated("mjlab", SEED);
    see_slope(t, 12, 1, 2, 10), see_slope(t, 15, -1, 2, 10);
    myr_terrain_free(t);
}

/* Levels of 20, 40 .. 100 mm, equally often, inside a rim of two cells. */
static void noise_on_every_sample(void **unused) {
    (void)unused;
    myr_terrain *t = generated("isaac-lab", SEED);
    long count[5] = {0}, all = 0, same = 0;
    for (int level = 0; level < 10; level++)
        for (int column = 12; column < 16; column++) {
            const myr_terrain_patch p = patch_of(t, level, column), other = patch_of(t, (level + 1) % 10, column);
            for (int i = 0; i < N; i++)
                for (int k = 0; k < N; k++) {
                    const int h = at(t, &p, i, k);
                    if (i < 2 || k < 2 || i >= N - 2 || k >= N - 2) {
                        assert_int_equal(h, 0);
                        continue;
                    }
                    assert_true(h >= 4 && h <= 20 && h % 4 == 0);
                    count[h / 4 - 1]++, all++;
                    same += h == at(t, &other, i, k);
                }
        }
    assert_int_equal(all, 40 * 76 * 76);
    for (int n = 0; n < 5; n++) assert_true(fabs((double)count[n] / (double)all - 0.2) < 0.005); /* 6 sigma */
    assert_true(fabs((double)same / (double)all - 0.2) < 0.005);                                 /* patches know nothing of each other */
    myr_terrain_free(t);
}

/* Levels of 5 mm within 50 mm, on 40 x 40 places, linear between: the mean square is 4/9 of theirs, (21^2 - 1) / 12 steps^2, and 1/12
 * of rounding. Samples are s = 39/79 of a lattice's cell apart, and their mean squared difference is 4/3 (s^2 - s^3/2) of the places', as
 * that of linear interpolation is, and 2/12 of rounding. */
static void noise_on_a_lattice(void **unused) {
    (void)unused;
    myr_terrain *t = generated("legged-gym", SEED);
    double sum = 0, square = 0, all = 0, difference = 0, pairs = 0;
    int least = 99, most = -99;
    for (int level = 0; level < 10; level++)
        for (int column = 2; column < 4; column++) {
            const myr_terrain_patch p = patch_of(t, level, column), slope = patch_of(t, level, 1);
            for (int i = 0; i < N; i++)
                for (int k = 0; k < N; k++) {
                    const int noise = at(t, &p, i, k) - at(t, &slope, i, k);
                    sum += noise, square += noise * noise, all++;
                    least = noise < least ? noise : least, most = noise > most ? noise : most;
                    if (i == 0) continue;
                    const int change = noise - (at(t, &p, i - 1, k) - at(t, &slope, i - 1, k));
                    assert_true(abs(change) <= 11);
                    difference += change * change, pairs++;
                }
        }
    assert_true(least == -10 && most == 10);
    assert_true(fabs(sum / all) < 0.2);
    const double of_places = (21 * 21 - 1) / 12.0, apart = 39.0 / 79;
    const double wanted = 4.0 / 9 * of_places + 1.0 / 12, changes = 4.0 / 3 * of_places * apart * apart * (1 - apart / 2) + 2.0 / 12;
    assert_true(fabs(square / all - wanted) < 0.04 * wanted);
    assert_true(fabs(difference / pairs - changes) < 0.04 * changes);
    myr_terrain_free(t);
}

static void obstacles_are_as_high_and_wide(void **unused) {
    (void)unused;
    myr_terrain *t = generated("legged-gym", SEED);
    int seen[4] = {0};
    for (int level = 0; level < 10; level++)
        for (int column = 16; column < 20; column++) {
            const myr_terrain_patch p = patch_of(t, level, column);
            const int h = cut((0.05 + 0.2 * p.difficulty) / STEP), heights[4] = {-h, (int)floor(-h / 2.0), h / 2, h};
            assert_true(is_level(t, &p, 25, 55, 0));
            for (int i = 0; i < N; i++)
                for (int k = 0; k < N; k++) {
                    const int is = at(t, &p, i, k);
                    int known = is == 0;
                    for (int n = 0; n < 4; n++)
                        if (is == heights[n]) known = 1, seen[n]++;
                    assert_true(known);
                    /* sides of 10, 14, 18 cells at places in fours: walls are at even samples, or around the platform */
                    if (i > 0 && is != at(t, &p, i - 1, k)) assert_true(i % 2 == 0 || i == 25 || i == 55);
                    if (k > 0 && is != at(t, &p, i, k - 1)) assert_true(k % 2 == 0 || k == 25 || k == 55);
                }
        }
    for (int n = 0; n < 4; n++) assert_true(seen[n] > 10000); /* of 256 000 samples, 20 rectangles of 2 m^2 in each 64 m^2 */
    myr_terrain_free(t);
    t = make_one((myr_terrain_kind){.kind = "obstacles", .from = 0.075, .to = 0.075, .range_m = {1, 2}, .count = 20}, 1);
    const myr_terrain_patch odd = patch_of(t, 0, 0); /* 15 steps: half of them rounds down, below 0 too */
    int lower = 0, upper = 0;
    for (int i = 0; i < N; i++)
        for (int k = 0; k < N; k++) {
            const int is = at(t, &odd, i, k);
            assert_true(is == 0 || abs(is) == 15 || is == -8 || is == 7);
            lower += is == -8, upper += is == 7;
        }
    assert_true(lower > 0 && upper > 0);
    myr_terrain_free(t);
}

static void boxes_are_as_high_and_wide(void **unused) {
    (void)unused;
    myr_terrain *t = generated("isaac-lab", SEED);
    double square = 0;
    int all = 0, lowest = 0, highest = 0;
    for (int level = 0; level < 10; level++)
        for (int column = 8; column < 12; column++) {
            const myr_terrain_patch p = patch_of(t, level, column);
            const int h = cut((0.05 + 0.15 * p.difficulty) / STEP);
            assert_true(is_level(t, &p, 30, 50, h));
            assert_true(p.at_m[2] == h * STEP);
            for (int i = 0; i < N; i++)
                for (int k = 0; k < N; k++) {
                    if (i >= 30 && i < 50 && k >= 30 && k < 50) continue;
                    const int a = (int)floor((i + 0.5 - 1.75) / 4.5), b = (int)floor((k + 0.5 - 1.75) / 4.5); /* 17 of 4.5 cells */
                    const int is = at(t, &p, i, k);
                    if (a < 0 || b < 0 || a > 16 || b > 16) {
                        assert_int_equal(is, 0);
                        continue;
                    }
                    assert_true(abs(is) <= h);
                    if (i > 0 && (i < 30 || i > 50 || k < 30 || k >= 50) && (int)floor((i - 0.5 - 1.75) / 4.5) == a)
                        assert_int_equal(is, at(t, &p, i - 1, k));
                    square += (double)is * is / (h * (h + 1) / 3.0), all++;
                    if (level == 0) lowest += is == -h, highest += is == h; /* 10 .. 13 steps: each height a dozen times in 270 boxes */
                }
        }
    assert_true(lowest > 0 && highest > 0);
    assert_true(fabs(square / all - 1) < 0.05); /* uniform in whole numbers -h .. h */
    myr_terrain_free(t);
}

static void stones_over_a_chasm(void **unused) {
    (void)unused;
    myr_terrain *t = generated("stones", SEED);
    for (int level = 0; level < 10; level++)
        for (int column = 0; column < 4; column++) {
            const myr_terrain_patch p = patch_of(t, level, column);
            const int side = cut(1.5 * (1.05 - p.difficulty) / 0.1), apart = level > 0;
            assert_true(is_columns(t, &p));
            assert_true(is_level(t, &p, 20, 60, 0));
            for (int k = 0; k < 20; k++) { /* rows that do not meet the platform */
                int run = 0, row = k % (side + apart) < side, first = 1;
                for (int i = 0; i < N; i++) {
                    const int is = at(t, &p, i, k);
                    assert_true(is == 0 || is == -2000);
                    if (!row || !apart) assert_int_equal(is, row ? 0 : -2000);
                    if (!row || !apart) continue;
                    if (is == 0) {
                        run++;
                        continue;
                    }
                    assert_true(first ? run <= side : run == side); /* every gap is one cell wide */
                    first = run = 0;
                }
                assert_true(run <= side || !apart);
            }
        }
    myr_terrain_free(t);
}

static void gaps_and_pits(void **unused) {
    (void)unused;
    myr_terrain *gap = make_one((myr_terrain_kind){.kind = "gap", .to = 1, .platform_m = 3, .depth_m = 5}, 10);
    myr_terrain *pit = make_one((myr_terrain_kind){.kind = "pit", .to = 1, .platform_m = 4}, 10);
    for (int level = 0; level < 10; level++) {
        const myr_terrain_patch p = patch_of(gap, level, 0), q = patch_of(pit, level, 0);
        for (int i = 0; i < N; i++)
            for (int k = 0; k < N; k++) {
                const int x = i < 40 ? 39 - i : i - 40, y = k < 40 ? 39 - k : k - 40, far = x > y ? x : y;
                assert_int_equal(at(gap, &p, i, k), far >= 25 && far < 25 + level ? -1000 : 0);
                assert_int_equal(at(pit, &q, i, k), far < 20 ? -20 * level : 0);
            }
        assert_true(is_columns(gap, &p) && is_columns(pit, &q));
    }
    myr_terrain_free(gap), myr_terrain_free(pit);
}

static void waves_are_as_high_and_long(void **unused) {
    (void)unused;
    myr_terrain *t = generated("mjlab", SEED);
    for (int level = 0; level < 10; level++) {
        const myr_terrain_patch p = patch_of(t, level, 18);
        const int amplitude = cut(0.2 * p.difficulty / 2 / STEP);
        assert_string_equal(p.kind, "waves");
        for (int i = 0; i < 76; i++)
            for (int k = 0; k < 76; k++) {
                const double turn = 2 * acos(-1) * 4 / 76, wanted = amplitude * (cos(turn * k) + sin(turn * i));
                assert_true(fabs(at(t, &p, i + 2, k + 2) - wanted) <= 0.5 + 1e-9);
            }
    }
    myr_terrain_free(t);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(patches_are_those_of_the_source),
                                       cmocka_unit_test(columns_have_their_kinds),
                                       cmocka_unit_test(shares_are_divided_by_their_sum),
                                       cmocka_unit_test(stairs_are_as_high_and_wide),
                                       cmocka_unit_test(slopes_are_as_steep),
                                       cmocka_unit_test(noise_on_every_sample),
                                       cmocka_unit_test(noise_on_a_lattice),
                                       cmocka_unit_test(obstacles_are_as_high_and_wide),
                                       cmocka_unit_test(boxes_are_as_high_and_wide),
                                       cmocka_unit_test(stones_over_a_chasm),
                                       cmocka_unit_test(gaps_and_pits),
                                       cmocka_unit_test(waves_are_as_high_and_long)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

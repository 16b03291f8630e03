/* A map from a plan: which kind each column has, the patches one after the other, and where an environment begins on them. */
#include <math.h>
#include <string.h>

#include "base/nearest.h"
#include "draw.h"
#include "heights.h"
#include "base/memory.h"
#include "terrain.h"

enum { BLOCK = MYR_TERRAIN_BLOCK };

static const struct kind {
    const char *word;
    int columns;
    myr_status (*raise)(myr_heights *p);
} kinds[] = {
#define MYR_KIND(word, columns) {#word, columns, myr_raise_##word},
#include "kinds.def"
};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* What is being made. Samples of a patch's side and of the border; sizes of the map; its arrays. */
typedef struct sizes {
    int n, border, nx, ny;
    int by; /* blocks along y */
    int16_t *steps;
    uint8_t *columns;
} sizes;

static myr_status out_of_range(const char *what, double value, double least, double most) {
    return myr_fail(MYR_E_ARG, "myr_terrain_generate: %s is %g; it must be from %g to %g", what, value, least, most);
}

static const struct kind *find_kind(const char *word) {
    for (int i = 0; i < KINDS; i++)
        if (strncmp(kinds[i].word, word, MYR_TERRAIN_NAME) == 0) return &kinds[i];
    return NULL;
}

static myr_status unknown(int n, const char *word) {
    myr_words words = {0};
    char hint[MYR_WORD_BYTES + 24], list[600];
    for (int i = 0; i < KINDS; i++) myr_words_add(&words, kinds[i].word);
    char ended[MYR_TERRAIN_NAME + 1] = "";
    memcpy(ended, word, MYR_TERRAIN_NAME);
    myr_words_hint(&words, ended, hint, sizeof hint);
    myr_words_list(&words, list, sizeof list);
    return myr_fail(MYR_E_ARG, "myr_terrain_generate: kinds[%d] is '%s'%s There are: %s", n, ended, *hint ? hint : ", no kind.", list);
}

static myr_status check_kinds(const myr_terrain_plan *plan) {
    if (plan->n_kinds < 1 || plan->n_kinds > MYR_TERRAIN_KINDS) return out_of_range("n_kinds", plan->n_kinds, 1, MYR_TERRAIN_KINDS);
    double sum = 0;
    for (int n = 0; n < plan->n_kinds; n++) {
        const myr_terrain_kind *kind = &plan->kinds[n];
        if (!find_kind(kind->kind)) return unknown(n, kind->kind);
        if (!(kind->share >= 0 && kind->share <= 1e6))
            return myr_fail(MYR_E_ARG, "myr_terrain_generate: the share of kinds[%d], `%s`, is %g; it must be from 0 to 1e6", n, kind->kind,
                            kind->share);
        if (!(fabs(kind->from) <= 1e6 && fabs(kind->to) <= 1e6))
            return myr_fail(MYR_E_ARG, "myr_terrain_generate: `from` and `to` of kinds[%d], `%s`, are %g and %g; they must be within 1e6",
                            n, kind->kind, kind->from, kind->to);
        sum += kind->share;
    }
    return sum > 0 ? MYR_OK : myr_fail(MYR_E_ARG, "myr_terrain_generate: all shares are 0; one kind at least must have one");
}

static myr_status check(const myr_terrain_plan *plan, sizes *s) {
    if (plan->levels < 1 || plan->levels > MYR_TERRAIN_SIDE) return out_of_range("levels", plan->levels, 1, MYR_TERRAIN_SIDE);
    if (plan->columns < 1 || plan->columns > MYR_TERRAIN_SIDE) return out_of_range("columns", plan->columns, 1, MYR_TERRAIN_SIDE);
    if (!(plan->cell_m >= 1e-3 && plan->cell_m <= 100)) return out_of_range("cell_m", plan->cell_m, 1e-3, 100);
    if (!(plan->step_m >= 1e-6 && plan->step_m <= 1)) return out_of_range("step_m", plan->step_m, 1e-6, 1);
    if (!(plan->spread >= 0 && plan->spread <= 1)) return out_of_range("spread", plan->spread, 0, 1);
    const double least = BLOCK * plan->cell_m, most = MYR_TERRAIN_SIDE * plan->cell_m;
    if (!(plan->patch_m >= least * (1 - 1e-9) && plan->patch_m <= most)) return out_of_range("patch_m", plan->patch_m, least, most);
    if (!(plan->border_m >= 0 && plan->border_m <= most)) return out_of_range("border_m", plan->border_m, 0, most);
    const double blocks = plan->patch_m / least, whole = floor(blocks + 0.5);
    if (fabs(blocks - whole) > 1e-6)
        return myr_fail(MYR_E_ARG,
                        "myr_terrain_generate: patch_m is %g, which is %g samples of %g m; a patch has a multiple of %d on a side: %g m "
                        "would do",
                        plan->patch_m, plan->patch_m / plan->cell_m, plan->cell_m, BLOCK, (whole < 1 ? 1 : whole) * least);
    s->n = BLOCK * (int)whole, s->border = BLOCK * (int)ceil(plan->border_m / least - 1e-9);
    const int64_t nx = (int64_t)plan->levels * s->n + 2 * s->border, ny = (int64_t)plan->columns * s->n + 2 * s->border;
    if (nx > MYR_TERRAIN_SIDE || ny > MYR_TERRAIN_SIDE || nx * ny > MYR_TERRAIN_SAMPLES)
        return myr_fail(MYR_E_LIMIT, "myr_terrain_generate: %lld x %lld samples; a map has at most %d, and %d along each axis",
                        (long long)nx, (long long)ny, MYR_TERRAIN_SAMPLES, MYR_TERRAIN_SIDE);
    s->nx = (int)nx, s->ny = (int)ny, s->by = s->ny / BLOCK;
    return check_kinds(plan);
}

/* By the sums of the shares: the 0.001 keeps a column off the edge between two kinds, as legged_gym has it. */
static const myr_terrain_kind *kind_of_column(const myr_terrain_plan *plan, int column) {
    double all = 0, sum = 0;
    for (int n = 0; n < plan->n_kinds; n++) all += plan->kinds[n].share;
    const myr_terrain_kind *last = NULL;
    for (int n = 0; n < plan->n_kinds; n++) {
        if (plan->kinds[n].share > 0) last = &plan->kinds[n];
        sum += plan->kinds[n].share;
        if ((double)column / plan->columns + 0.001 < sum / all) return last;
    }
    return last;
}

/* A finished patch into the map, and what the map remembers of it. */
static myr_status keep(const myr_heights *p, const struct kind *kind, sizes *s, int column, myr_terrain_patch *out) {
    const int n = s->n, first_i = s->border + out->level * n, first_k = s->border + column * n;
    const int near = myr_whole(1 / p->cell);
    int32_t highest = INT32_MIN;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) {
            const int32_t h = p->h[i * n + k];
            if (h < -MYR_HIGHEST || h > MYR_HIGHEST)
                return myr_fail(MYR_E_ARG,
                                "myr_terrain_generate: a patch of the kind `%s` at level %d is %g m high; %d steps of %g m are %g m",
                                kind->word, out->level, h * p->step, MYR_HIGHEST, p->step, MYR_HIGHEST * p->step);
            s->steps[(size_t)(first_i + i) * (size_t)s->ny + (size_t)(first_k + k)] = (int16_t)h;
            if (i >= n / 2 - near && i <= n / 2 + near && k >= n / 2 - near && k <= n / 2 + near && h > highest) highest = h;
        }
    for (int i = first_i / BLOCK; i < (first_i + n) / BLOCK; i++)
        memset(&s->columns[(size_t)i * (size_t)s->by + (size_t)(first_k / BLOCK)], kind->columns, (size_t)(n / BLOCK));
    strcpy(out->kind, kind->word);
    out->i = first_i + n / 2, out->k = first_k + n / 2;
    out->at_m[0] = (out->i - s->nx / 2) * p->cell, out->at_m[1] = (out->k - s->ny / 2) * p->cell, out->at_m[2] = highest * p->step;
    return MYR_OK;
}

static myr_status raise_all(const myr_terrain_plan *plan, uint64_t seed, sizes *s, int32_t *scratch, myr_terrain_patch *patches) {
    for (int level = 0; level < plan->levels; level++)
        for (int column = 0; column < plan->columns; column++) {
            const myr_terrain_kind *of = kind_of_column(plan, column);
            const struct kind *kind = find_kind(of->kind);
            const uint64_t number = (uint64_t)level * (uint64_t)plan->columns + (uint64_t)column;
            myr_terrain_patch *out = &patches[number];
            const double chance = plan->spread * myr_draw_unit(myr_draw_word(seed, MYR_DRAW_DIFFICULTY, number, 0));
            out->level = level, out->column = column;
            out->size_m = s->n * plan->cell_m, out->difficulty = (level + chance) / plan->levels;
            memset(scratch, 0, (size_t)s->n * (size_t)s->n * sizeof *scratch);
            myr_heights p = {.kind = of, .n = s->n, .cell = plan->cell_m, .step = plan->step_m, .difficulty = out->difficulty};
            p.measure = of->from + (of->to - of->from) * out->difficulty;
            p.seed = seed, p.patch = number, p.h = scratch;
            myr_status status = kind->raise(&p);
            if (!status) status = keep(&p, kind, s, column, out);
            if (status) return status;
        }
    return MYR_OK;
}

static myr_status make(const myr_terrain_plan *plan, uint64_t seed, sizes *s, int32_t *scratch, myr_terrain_patch *patches,
                       myr_terrain **out) {
    const myr_status status = raise_all(plan, seed, s, scratch, patches);
    if (status) return status;
    myr_terrain_def def = myr_terrain_def_default();
    def.nx = s->nx, def.ny = s->ny, def.cell_m = plan->cell_m, def.step_m = plan->step_m;
    def.steps = s->steps, def.columns = s->columns;
    def.origin_i = s->nx / 2, def.origin_k = s->ny / 2;
    return myr_terrain_create(&def, out);
}

myr_status myr_terrain_generate(const myr_terrain_plan *plan, uint64_t seed, myr_terrain **out) {
    MYR_OWN_ARITHMETIC;
    if (out) *out = NULL;
    if (!plan || !out) return myr_fail(MYR_E_ARG, "myr_terrain_generate: `%s` is NULL", plan ? "out" : "plan");
    sizes s = {0};
    myr_status status = check(plan, &s);
    if (status) return status;
    const size_t n_patches = (size_t)plan->levels * (size_t)plan->columns;
    s.steps = myr_allocate_array((size_t)s.nx * (size_t)s.ny, sizeof *s.steps);
    s.columns = myr_allocate_array((size_t)(s.nx / BLOCK) * (size_t)s.by, 1);
    int32_t *scratch = myr_allocate_array((size_t)s.n * (size_t)s.n, sizeof *scratch);
    myr_terrain_patch *patches = myr_allocate_array(n_patches, sizeof *patches);
    status = s.steps && s.columns && scratch && patches ? make(plan, seed, &s, scratch, patches, out)
                                                        : myr_fail(MYR_E_MEMORY, "out of memory for a map of %d x %d samples", s.nx, s.ny);
    myr_release(s.steps), myr_release(s.columns), myr_release(scratch);
    if (status) {
        myr_release(patches);
        return status;
    }
    (*out)->levels = plan->levels, (*out)->patch_columns = plan->columns, (*out)->patches = patches;
    (*out)->bytes += n_patches * sizeof *patches;
    return MYR_OK;
}

myr_status myr_terrain_get_patch(const myr_terrain *t, int level, int column, myr_terrain_patch *out) {
    MYR_OWN_ARITHMETIC;
    if (!t || !out) return myr_fail(MYR_E_ARG, "myr_terrain_get_patch: `%s` is NULL", t ? "out" : "terrain");
    if (!t->levels) return myr_fail(MYR_E_ARG, "myr_terrain_get_patch: the map has no patches: it was not generated");
    if (level < 0 || level >= t->levels)
        return myr_fail(MYR_E_ARG, "myr_terrain_get_patch: level is %d; it must be from 0 to %d", level, t->levels - 1);
    if (column < 0 || column >= t->patch_columns)
        return myr_fail(MYR_E_ARG, "myr_terrain_get_patch: column is %d; it must be from 0 to %d", column, t->patch_columns - 1);
    *out = t->patches[level * t->patch_columns + column];
    return MYR_OK;
}

void myr_terrain_start(const myr_terrain *t, int64_t env, uint64_t seed, int first_levels, int *level, int *column) {
    *column = (int)(env % t->patch_columns);
    *level = myr_draw_below(myr_draw_word(seed, MYR_DRAW_START, (uint64_t)env, 0), first_levels < t->levels ? first_levels : t->levels);
}

void myr_terrain_origin(const myr_terrain *t, int level, int column, double at[3]) {
    memcpy(at, myr_terrain_patch_at(t, level, column)->at_m, 3 * sizeof *at);
    myr_terrain_place(t, at);
}

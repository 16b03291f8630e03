/* Which geoms may touch each other, and the slots this takes. A tree that a free joint carries touches everything outside of it
 * unless told otherwise. Within a tree, and among trees fixed to the world, which are parts of one thing, it depends on what was asked for
 * (model/self_pairs.c): a finger overlaps the palm that it is hinged to. */
#include <math.h>

#include "description.h"
#include "hull.h"
#include "base/memory.h"
#include "self_pairs.h"

/* Slots of a pair by the types of its geoms; 0: there is no such pair. */
static int features(myr_geom_type a, myr_geom_type b) {
    static const struct {
        myr_geom_type a, b;
        int slots;
    } pairs[] = {
#define MYR_PAIR(a, b, function, slots) {MYR_GEOM_##a, MYR_GEOM_##b, slots},
#include "pairs.def"
#undef MYR_PAIR
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if ((pairs[i].a == a && pairs[i].b == b) || (pairs[i].a == b && pairs[i].b == a)) return pairs[i].slots;
    return 0;
}

/* The last word on a pair a < b, -1: nothing was said. Words lie in lists by their lower geom, the last one first. */
typedef struct words {
    int *first, *next;
} words;

static int said(const myr_builder *builder, const words *w, int a, int b) {
    for (int i = w->first ? w->first[a] : -1; i >= 0; i = w->next[i])
        if (builder->pairs[i].geom[1] == b) return i;
    return -1;
}

static myr_status list_words(const myr_builder *builder, words *w) {
    if (!builder->n_pairs) return MYR_OK;
    w->first = myr_allocate_array((size_t)builder->n_geoms, sizeof *w->first);
    w->next = myr_allocate_array((size_t)builder->n_pairs, sizeof *w->next);
    if (!w->first || !w->next) return myr_fail(MYR_E_MEMORY, "out of memory for model `%s`", builder->name);
    for (int g = 0; g < builder->n_geoms; g++) w->first[g] = -1;
    for (int i = 0; i < builder->n_pairs; i++) {
        int *list = &w->first[builder->pairs[i].geom[0]];
        w->next[i] = *list;
        *list = i;
    }
    return MYR_OK;
}

static myr_status check_asked(const myr_builder *builder, const words *w, const myr_model *m) {
    const myr_status wrong = builder->label ? MYR_E_FORMAT : MYR_E_ARG;
    for (int i = 0; i < builder->n_pairs; i++) {
        const int a = builder->pairs[i].geom[0], b = builder->pairs[i].geom[1];
        if (!builder->pairs[said(builder, w, a, b)].touch || m->geoms[a].body != m->geoms[b].body) continue;
        return myr_fail(wrong, "geoms `%s` and `%s` cannot be asked to touch: both %s", m->geoms[a].name, m->geoms[b].name,
                        m->geoms[a].body < 0 ? "are fixed to the world" : "are on one body");
    }
    return MYR_OK;
}

/* Their friction comes later (model/pair_words.c). */
static void fill(myr_model *m, myr_pair *pair) {
    const myr_geom *first = &m->geoms[pair->geom[0]], *second = &m->geoms[pair->geom[1]];
    for (int k = 0; k < pair->n_slots; k++)
        m->slots[pair->slot + k] =
            (myr_slot){.geom = pair->geom[0], .other = pair->geom[1], .feature = k, .body = first->body, .other_body = second->body};
}

/* What a hull shows to those that it touches. */
static myr_status find_faces(myr_model *m) {
    for (int i = 0; i < 2 * m->n_pairs; i++) {
        myr_geom *g = &m->geoms[m->pairs[i / 2].geom[i % 2]];
        if (!g->n_points || g->faces) continue;
        const myr_status status = myr_hull_faces(g->name, g->points, g->n_points, &g->faces, &g->n_faces);
        if (status) return status;
    }
    return MYR_OK;
}

/* All pairs that may touch, by the number of the lower geom, then of the higher. */
typedef struct pair_list {
    myr_candidate *items;
    int n, capacity;
} pair_list;

static myr_status add(const myr_model *m, pair_list *list, int a, int b, int own) {
    if (list->n >= MYR_MAX_PAIRS)
        return myr_fail(MYR_E_LIMIT, "`%s`: more than %d pairs of geoms may touch: say of some that they do not (docs/models.md, Pairs)",
                        m->name, MYR_MAX_PAIRS);
    if (!myr_grow((void **)&list->items, &list->capacity, list->n, sizeof *list->items))
        return myr_fail(MYR_E_MEMORY, "out of memory for the pairs of model `%s`", m->name);
    list->items[list->n++] = (myr_candidate){.geom = {a, b}, .own = own};
    return MYR_OK;
}

static myr_status list_pairs(const myr_builder *builder, const words *w, const myr_kinship *kin, const myr_model *m, pair_list *list) {
    myr_status status = MYR_OK;
    for (int a = 0; a < m->n_geoms; a++)
        for (int b = a + 1; b < m->n_geoms && !status; b++) {
            const int word = said(builder, w, a, b);
            const int meet = word < 0 ? myr_may_meet(builder, kin, m, a, b) : builder->pairs[word].touch;
            if (meet) status = add(m, list, a, b, word < 0 && myr_is_own_pair(m, a, b));
        }
    return status;
}

static myr_status make_pairs(myr_model *m, const pair_list *list) {
    int64_t slots = 0;
    int pairs = 0;
    for (int i = 0; i < list->n; i++) {
        if (list->items[i].fate != MYR_CAN_MEET) continue;
        pairs++, slots += features(m->geoms[list->items[i].geom[0]].type, m->geoms[list->items[i].geom[1]].type);
    }
    if (!pairs) return MYR_OK;
    if (slots + m->n_slots > MYR_MAX_SLOTS)
        return myr_fail(
            MYR_E_LIMIT,
            "`%s`: %d pairs of geoms may touch and take %lld contact slots, the ground %d more; at most %d together: say of pairs "
            "that need not touch that they do not (myr_builder_pair; in MJCF <exclude>, contype and conaffinity), or take self-contact out "
            "(self-collision off)",
            m->name, pairs, (long long)slots, m->n_slots, MYR_MAX_SLOTS);
    const int before = m->n_slots;
    myr_slot *longer = myr_allocate_array((size_t)(before + slots), sizeof *longer);
    m->pairs = myr_allocate_array((size_t)pairs, sizeof *m->pairs);
    if (!longer || !m->pairs) {
        myr_release(longer);
        return myr_fail(MYR_E_MEMORY, "out of memory for model `%s`", m->name);
    }
    if (before) memcpy(longer, m->slots, (size_t)before * sizeof *longer);
    myr_release(m->slots);
    m->slots = longer;
    for (int i = 0; i < list->n; i++) {
        const int a = list->items[i].geom[0], b = list->items[i].geom[1];
        if (list->items[i].fate != MYR_CAN_MEET) continue;
        const int swap = m->geoms[a].body < 0; /* the first one moves */
        myr_pair *pair = &m->pairs[m->n_pairs++];
        *pair = (myr_pair){{swap ? b : a, swap ? a : b}, m->n_slots, features(m->geoms[a].type, m->geoms[b].type)};
        m->n_slots += pair->n_slots;
        fill(m, pair);
    }
    return find_faces(m);
}

static int all_finite(const myr_geom *g) { return isfinite(g->position[0]) && isfinite(g->position[1]) && isfinite(g->position[2]); }

/* Finite numbers can still overflow when they are put together; shapes that touch nothing may. */
static myr_status check_finite(const myr_builder *builder, const myr_model *m, const pair_list *list) {
    for (int i = 0; i < 2 * list->n; i++) {
        const myr_geom *geom = &m->geoms[list->items[i / 2].geom[i % 2]];
        if (!all_finite(geom))
            return myr_fail(builder->label ? MYR_E_FORMAT : MYR_E_ARG, "geom `%s`: its numbers are too large: the position overflows",
                            geom->name);
    }
    return MYR_OK;
}

myr_status myr_find_pairs(const myr_builder *builder, myr_model *m, const int *described, myr_texts *warnings) {
    pair_list list = {.items = NULL};
    words w = {NULL, NULL};
    myr_kinship kin = {.parent = NULL};
    m->self_collision = myr_self_of_all(builder);
    myr_status status = list_words(builder, &w);
    if (!status) status = check_asked(builder, &w, m);
    if (!status && !myr_is_alone(builder, m)) {
        status = myr_find_kinship(builder, m, described, &kin);
        if (!status) status = list_pairs(builder, &w, &kin, m, &list);
        if (!status) status = check_finite(builder, m, &list);
        if (!status) status = myr_prune(m, list.items, list.n, warnings);
        if (!status) status = make_pairs(m, &list);
    }
    myr_release(list.items);
    myr_release(w.first);
    myr_release(w.next);
    myr_release(kin.parent);
    return status;
}

myr_status myr_builder_pair(myr_builder *builder, int geom_a, int geom_b, int touch) {
    MYR_OWN_ARITHMETIC;
    if (!builder) return myr_fail(MYR_E_ARG, "myr_builder_pair: `builder` is NULL");
    const int asked[2] = {geom_a, geom_b};
    if (geom_b == -1) return myr_say_of_ground(builder, geom_a, touch);
    for (int k = 0; k < 2; k++)
        if (asked[k] < 0 || asked[k] >= builder->n_geoms)
            return myr_fail(MYR_E_ARG, "myr_builder_pair: geom_%c is %d; this builder has %d geoms", "ab"[k], asked[k], builder -> n_geoms);
    const myr_described_geom *a = &builder->geoms[geom_a], *b = &builder->geoms[geom_b];
    if (geom_a == geom_b) return myr_fail(MYR_E_ARG, "myr_builder_pair: geom_a and geom_b are both %d, `%s`", geom_a, a->name);
    if (touch != 0 && touch != 1)
        return myr_fail(MYR_E_ARG, "geoms `%s` and `%s`: touch is %d, but must be 0 or 1", a->name, b->name, touch);
    if (builder->n_pairs >= MYR_MAX_ASKED) return myr_fail(MYR_E_LIMIT, "a builder keeps at most %d words on pairs", MYR_MAX_ASKED);
    const myr_described_pair pair = {{geom_a < geom_b ? geom_a : geom_b, geom_a < geom_b ? geom_b : geom_a}, touch};
    if (myr_push_pair(builder, &pair)) return MYR_OK;
    return myr_fail(MYR_E_MEMORY, "out of memory for the pair of `%s` and `%s`", a->name, b->name);
}

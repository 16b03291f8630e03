/* Which geoms may touch each other, and the slots this takes. A tree that a free joint carries touches everything outside of it
 * unless told otherwise. Trees fixed to the world are parts of one thing, as are the links of a tree: a finger overlaps the palm that it
 * is hinged to, so there only those touch that somebody names. */
#include "description.h"
#include "hull.h"
#include "memory.h"

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

static int tree_of(const myr_model *m, int geom) { return m->geoms[geom].body < 0 ? -1 : m->bodies[m->geoms[geom].body].tree; }

static int is_free(const myr_model *m, int tree) { return tree >= 0 && m->bodies[m->tree_root[tree]].joint == MYR_JOINT_FREE; }

static int touch_unless_said(const myr_builder *builder, const myr_model *m, int a, int b) {
    const int of_a = tree_of(m, a), of_b = tree_of(m, b);
    const myr_described_geom *one = &builder->geoms[a], *other = &builder->geoms[b];
    if (!(one->contype & other->conaffinity) && !(other->contype & one->conaffinity)) return 0;
    return of_a != of_b && (is_free(m, of_a) || is_free(m, of_b)) && features(m->geoms[a].type, m->geoms[b].type) > 0;
}

/* What was said of every pair a < b: 0 nothing, 1 touch, 2 not. */
static int said(const myr_builder *builder, int a, int b) {
    for (int i = builder->n_pairs - 1; i >= 0; i--)
        if (builder->pairs[i].geom[0] == a && builder->pairs[i].geom[1] == b) return builder->pairs[i].touch ? 1 : 2;
    return 0;
}

static myr_status check_asked(const myr_builder *builder, const myr_model *m) {
    const myr_status wrong = builder->label ? MYR_E_FORMAT : MYR_E_ARG;
    for (int i = 0; i < builder->n_pairs; i++) {
        const int a = builder->pairs[i].geom[0], b = builder->pairs[i].geom[1];
        if (said(builder, a, b) != 1 || m->geoms[a].body != m->geoms[b].body) continue;
        return myr_fail(wrong, "geoms `%s` and `%s` cannot be asked to touch: both %s", m->geoms[a].name, m->geoms[b].name,
                        m->geoms[a].body < 0 ? "are fixed to the world" : "are on one body");
    }
    return MYR_OK;
}

static int touch(const myr_builder *builder, const myr_model *m, int a, int b) {
    const int word = said(builder, a, b);
    return word ? word == 1 : touch_unless_said(builder, m, a, b);
}

/* 1: no pair can come of it, whatever the geoms are. */
static int is_alone(const myr_builder *builder, const myr_model *m) {
    int free = 0, others = m->n_trees - 1; /* trees besides one, and geoms of the world */
    for (int t = 0; t < m->n_trees; t++) free += is_free(m, t);
    for (int g = 0; g < m->n_geoms; g++) others += m->geoms[g].body < 0;
    return builder->n_pairs == 0 && (!free || !others);
}

static void fill(myr_model *m, myr_pair *pair) {
    const myr_geom *first = &m->geoms[pair->geom[0]], *second = &m->geoms[pair->geom[1]];
    for (int k = 0; k < pair->n_slots; k++)
        m->slots[pair->slot + k] = (myr_slot){.geom = pair->geom[0],
                                              .other = pair->geom[1],
                                              .feature = k,
                                              .body = first->body,
                                              .other_body = second->body,
                                              .friction = first->friction > second->friction ? first->friction : second->friction};
}

/* What a hull shows to those that it touches. */
static myr_status find_faces(myr_model *m) {
    for (int i = 0; i < 2 * m->n_pairs; i++) {
        myr_geom *g = &m->geoms[m->pairs[i / 2].geom[i % 2]];
        if (g->type != MYR_GEOM_HULL || g->faces) continue;
        const myr_status status = myr_hull_faces(g->name, g->points, g->n_points, &g->faces, &g->n_faces);
        if (status) return status;
    }
    return MYR_OK;
}

myr_status myr_find_pairs(const myr_builder *builder, myr_model *m) {
    const myr_status status = check_asked(builder, m);
    if (status || is_alone(builder, m)) return status;
    int pairs = 0;
    int64_t slots = 0;
    for (int a = 0; a < m->n_geoms; a++)
        for (int b = a + 1; b < m->n_geoms; b++)
            if (touch(builder, m, a, b)) pairs++, slots += features(m->geoms[a].type, m->geoms[b].type);
    if (!pairs) return MYR_OK;
    if (slots + m->n_slots > MYR_MAX_PAIR_SLOTS)
        return myr_fail(
            MYR_E_LIMIT,
            "`%s`: %d pairs of geoms may touch and take %lld contact slots, the ground %d more; at most %d together: say of pairs "
            "that need not touch that they do not (myr_builder_pair; in MJCF <exclude>, contype and conaffinity)",
            m->name, pairs, (long long)slots, m->n_slots, MYR_MAX_PAIR_SLOTS);
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
    for (int a = 0; a < m->n_geoms; a++)
        for (int b = a + 1; b < m->n_geoms; b++) {
            if (!touch(builder, m, a, b)) continue;
            const int swap = m->geoms[a].body < 0; /* the first one moves */
            myr_pair *pair = &m->pairs[m->n_pairs++];
            *pair = (myr_pair){{swap ? b : a, swap ? a : b}, m->n_slots, features(m->geoms[a].type, m->geoms[b].type)};
            m->n_slots += pair->n_slots;
            fill(m, pair);
        }
    return find_faces(m);
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
    if (!myr_grow((void **)&builder->pairs, &builder->pair_capacity, builder->n_pairs, sizeof *builder->pairs))
        return myr_fail(MYR_E_MEMORY, "out of memory for the pair of `%s` and `%s`", a->name, b->name);
    builder->pairs[builder->n_pairs++] =
        (myr_described_pair){{geom_a < geom_b ? geom_a : geom_b, geom_a < geom_b ? geom_b : geom_a}, touch};
    return MYR_OK;
}

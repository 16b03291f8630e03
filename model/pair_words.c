/* What is said of two geoms beyond whether they may touch: their friction. And what is said of a geom and the ground. */
#include <math.h>

#include "description.h"
#include "base/memory.h"

myr_status myr_say_of_ground(myr_builder *builder, int geom, int touch) {
    if (geom < 0 || geom >= builder->n_geoms)
        return myr_fail(MYR_E_ARG, "myr_builder_pair: geom_a is %d; this builder has %d geoms", geom, builder->n_geoms);
    if (touch != 0 && touch != 1)
        return myr_fail(MYR_E_ARG, "geom `%s` and the ground: touch is %d, but must be 0 or 1", builder->geoms[geom].name, touch);
    builder->geoms[geom].off_ground = !touch;
    return MYR_OK;
}

myr_status myr_builder_pair_friction(myr_builder *builder, int geom_a, int geom_b, double friction) {
    MYR_OWN_ARITHMETIC;
    if (!builder) return myr_fail(MYR_E_ARG, "myr_builder_pair_friction: `builder` is NULL");
    const int asked[2] = {geom_a, geom_b}, least[2] = {0, -1};
    for (int k = 0; k < 2; k++)
        if (asked[k] < least[k] || asked[k] >= builder->n_geoms)
            return myr_fail(MYR_E_ARG, "myr_builder_pair_friction: geom_%c is %d; this builder has %d geoms%s", "ab"[k], asked[k],
                            builder -> n_geoms, k ? ", the ground is -1" : "");
    const char *a = builder->geoms[geom_a].name, *b = geom_b < 0 ? "the ground" : builder->geoms[geom_b].name;
    if (geom_a == geom_b) return myr_fail(MYR_E_ARG, "myr_builder_pair_friction: geom_a and geom_b are both %d, `%s`", geom_a, a);
    if (!isfinite(friction) || friction < 0.0)
        return myr_fail(MYR_E_ARG, "geoms `%s` and `%s`: friction is %g; it must be finite and >= 0", a, b, friction);
    if (builder->n_frictions >= MYR_MAX_ASKED) return myr_fail(MYR_E_LIMIT, "a builder keeps at most %d words on friction", MYR_MAX_ASKED);
    const int swap = geom_b < geom_a;
    const myr_described_friction word = {{swap ? geom_b : geom_a, swap ? geom_a : geom_b}, friction};
    if (myr_push_friction(builder, &word)) return MYR_OK;
    return myr_fail(MYR_E_MEMORY, "out of memory for the friction of `%s` and `%s`", a, b);
}

/* By priority, else the larger one; a geom that slides has none, unless the other one has and as much priority (MuJoCo's law). */
static double friction_between(const myr_described_geom *a, const myr_described_geom *b) {
    if (a->priority != b->priority) {
        const myr_described_geom *first = a->priority > b->priority ? a : b;
        return first->slides ? 0.0 : first->own_friction;
    }
    return a->slides && b->slides ? 0.0 : fmax(a->own_friction, b->own_friction);
}

static void set(myr_model *m, int slot, int n_slots, double friction) {
    for (int s = slot; s < slot + n_slots; s++) m->slots[s].friction = friction;
}

static int of_word(const myr_pair *pair, const myr_described_friction *word) {
    return (pair->geom[0] == word->geom[0] && pair->geom[1] == word->geom[1]) ||
           (pair->geom[1] == word->geom[0] && pair->geom[0] == word->geom[1]);
}

void myr_find_frictions(const myr_builder *builder, myr_model *m) {
    for (int k = 0; k < builder->n_frictions; k++) {
        const myr_described_friction *word = &builder->frictions[k];
        myr_geom *geom = &m->geoms[word->geom[1]];
        if (word->geom[0] < 0) set(m, geom->slot, geom->n_slots, geom->friction = word->friction);
    }
    for (int p = 0; p < m->n_pairs; p++) {
        const myr_pair *pair = &m->pairs[p];
        double friction = friction_between(&builder->geoms[pair->geom[0]], &builder->geoms[pair->geom[1]]);
        for (int k = builder->n_frictions - 1, said = 0; k >= 0 && !said; k--)
            if ((said = of_word(pair, &builder->frictions[k]))) friction = builder->frictions[k].friction;
        set(m, pair->slot, pair->n_slots, friction);
    }
}

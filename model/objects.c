/* The lists of a builder, as model/objects.def has them: adding an item, taking items away. */
#include "base/memory.h"
#include "merge.h"
#include "myriapod/motor_net.h"

/* ---- adding ----------------------------------------------------------------------------------- */

#define MYR_OBJECT(kind, kinds, what, most, owned, ids)                                                                                    \
    static void release_##kind(const myr_described_##kind *o) {                                                                            \
        (void)o;                                                                                                                           \
        owned                                                                                                                              \
    }
#define NAME(member) myr_release(o->member);
#define NUMBERS(member, n) myr_release(o->member);
#define NET(member) myr_motor_net_free((myr_motor_net *)o->member);
#include "objects.def"

#define MYR_OBJECT(kind, kinds, what, most, owned, ids)                                                                                    \
    static int is_whole_##kind(const myr_described_##kind *o) {                                                                            \
        (void)o;                                                                                                                           \
        return 1 owned;                                                                                                                    \
    }
#define NAME(member) &&o->member
#define NUMBERS(member, n) &&(o->member || (n) == 0)
#define NET(member)
#include "objects.def"

#define MYR_OBJECT(kind, kinds, what, most, owned, ids)                                                                                    \
    int myr_push_##kind(myr_builder *b, const myr_described_##kind *item) {                                                                \
        if (is_whole_##kind(item) && myr_grow((void **)&b->kinds, &b->kind##_capacity, b->n_##kinds, sizeof *b->kinds))                    \
            return b->kinds[b->n_##kinds++] = *item, 1;                                                                                    \
        release_##kind(item);                                                                                                              \
        return 0;                                                                                                                          \
    }
#include "objects.def"

#define MYR_NAMED(kind, kinds, what, most, owned, ids)                                                                                     \
    int myr_has_##kind(const myr_builder *b, const char *name) {                                                                           \
        for (int i = 0; i < b->n_##kinds; i++)                                                                                             \
            if (!strcmp(b->kinds[i].name, name)) return 1;                                                                                 \
        return 0;                                                                                                                          \
    }
#include "objects.def"

/* ---- taking away ------------------------------------------------------------------------------ */

myr_merged myr_builder_counts(const myr_builder *b) {
    return (myr_merged){
#define MYR_OBJECT(kind, kinds, what, most, owned, ids) .kinds = b->n_##kinds,
#include "objects.def"
        .warnings = b->warnings.count};
}

void myr_builder_cut(myr_builder *b, const myr_merged *n) {
#define MYR_OBJECT(kind, kinds, what, most, owned, ids)                                                                                    \
    while (b->n_##kinds > n->kinds) release_##kind(&b->kinds[--b->n_##kinds]);
#include "objects.def"
    while (b->warnings.count > n->warnings) myr_release(b->warnings.items[--b->warnings.count]);
}

void myr_builder_free(myr_builder *builder) {
    if (!builder) return;
    const myr_merged nothing = {0};
    myr_builder_cut(builder, &nothing);
#define MYR_OBJECT(kind, kinds, what, most, owned, ids) myr_release(builder->kinds);
#include "objects.def"
    myr_release(builder->warnings.items);
    myr_release(builder->label);
    myr_release(builder->name);
    myr_release(builder);
}

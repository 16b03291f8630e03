#include "learn/groups.h"

#include "learn/net.h"

myr_learn_split myr_learn_split_of(int64_t envs, int steps) {
    myr_learn_split s = {.envs = envs, .steps = steps, .columns = (envs + MYR_NET_BLOCK - 1) / MYR_NET_BLOCK};
    s.groups = s.columns < MYR_LEARN_SLOTS ? (int)s.columns : MYR_LEARN_SLOTS;
    s.blocks = s.columns * steps;
    for (s.parts = 1; 2 * s.parts <= steps; s.parts *= 2) {
        const int64_t slots = 2 * s.parts * (int64_t)s.groups;
        if (slots > MYR_LEARN_SLOTS || (slots > MYR_LEARN_FEW_SLOTS && slots * MYR_LEARN_SLOT_BLOCKS > s.blocks)) break;
    }
    s.slots = s.groups * s.parts;
    return s;
}

int64_t myr_learn_group_env(const myr_learn_split *s, int group) {
    const int64_t env = myr_learn_group_column(s, group) * MYR_NET_BLOCK;
    return env < s->envs ? env : s->envs;
}

myr_learn_slot myr_learn_slot_of(const myr_learn_split *s, int slot) {
    const int group = slot / s->parts, part = slot % s->parts;
    const int64_t column = myr_learn_group_column(s, group), end = myr_learn_group_column(s, group + 1);
    const int step = (int)((int64_t)s->steps * part / s->parts), steps = (int)((int64_t)s->steps * (part + 1) / s->parts) - step;
    return (myr_learn_slot){.column = column,
                            .end = end,
                            .step = step,
                            .steps = steps,
                            .first = column * s->steps + (end - column) * step,
                            .blocks = (int)((end - column) * steps)};
}

void myr_learn_tree(int lo, int hi, int all, char *left, myr_learn_add *add, void *context) {
    for (int w = 1; w < all && w < hi - lo; w *= 2)
        for (int s = lo / (2 * w) * (2 * w); s + w < hi; s += 2 * w) {
            const int whole = s + 2 * w < all ? s + 2 * w : all; /* where the part of the tree ends */
            if (s < lo || whole > hi || !left[s] || !left[s + w]) continue;
            add(context, s, s + w);
            left[s + w] = 0;
        }
}

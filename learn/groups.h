/* How the samples of an iteration are cut, so that neither threads nor processes show in what is learnt.
 *
 * Robots stand in columns of MYR_NET_BLOCK; a block is a column at one control step, what goes through the networks together. Columns are
 * dealt to groups, a group is the least that a process has. Its samples are cut by time into parts: a slot is a part of a group's samples,
 * with a gradient of its own. Each epoch shuffles the blocks of a slot and deals them to the minibatches. So samples stay where they were
 * collected; sums of slots travel, added up as a tree whose shape is that of the job. */
#ifndef MYR_LEARN_GROUPS_H
#define MYR_LEARN_GROUPS_H

#include <stdint.h>

/* More processes than groups cannot learn together, more threads than slots are of no use. A slot has a gradient of its own to be added up:
 * 128 slots in the place of 64 make updates of 2048 robots 2.5 % slower, 256 slots 6 %. So there are up to 64, and more where each has six
 * blocks at least. */
enum { MYR_LEARN_SLOTS = 256, MYR_LEARN_FEW_SLOTS = 64, MYR_LEARN_SLOT_BLOCKS = 6 };

typedef struct myr_learn_split {
    int64_t envs, columns;
    int steps, groups, parts, slots; /* parts: of a group, a power of two; slots: groups times parts */
    int64_t blocks;                  /* columns times steps */
} myr_learn_split;

typedef struct myr_learn_slot {
    int64_t column, end; /* columns */
    int step, steps;     /* control steps from `step` on */
    int64_t first;       /* number of its first block among those of the job */
    int blocks;
} myr_learn_slot;

myr_learn_split myr_learn_split_of(int64_t envs, int steps);
myr_learn_slot myr_learn_slot_of(const myr_learn_split *split, int slot);
/* First column of a group; of group `groups`, how many there are. */
static inline int64_t myr_learn_group_column(const myr_learn_split *s, int group) { return s->columns * group / s->groups; }
/* First robot of a group. */
int64_t myr_learn_group_env(const myr_learn_split *split, int group);
/* First group of a process. */
static inline int myr_learn_rank_group(const myr_learn_split *s, int rank, int ranks) { return (int)((int64_t)s->groups * rank / ranks); }

/* Adds rows of slots lo..hi - 1 up as the tree of all has them, as far as it goes without the others: row s + w comes to row s wherever
 * both are whole parts of the tree. What is left is in the rows for which left[s] is 1; of all slots row 0. add(context, to, from): rows
 * counted from slot 0. */
typedef void myr_learn_add(void *context, int to, int from);
void myr_learn_tree(int lo, int hi, int all, char *left, myr_learn_add *add, void *context);

#endif

/* Processes that learn together. The exchange moves bytes and nothing is added on the way: what each process computes is what one process
 * would, so that weights have the same bits for every number of them. */
#include <stdio.h>
#include <string.h>

#include "batch/batch.h"
#include "learn/learner.h"
#include "machine/machine.h"
#include "base/memory.h"
#include "base/message.h"
#include "myriapod/myriapod.h"

myr_status myr_learn_shard(int64_t envs, int rank, int ranks, int64_t *first, int64_t *count) {
    MYR_OWN_ARITHMETIC;
    const char *call = "myr_learn_shard";
    if (!first || !count) return myr_fail(MYR_E_ARG, "%s: first or count is NULL", call);
    if (envs < 1) return myr_fail(MYR_E_ARG, "%s: envs is %lld, but must be 1 at least", call, (long long)envs);
    const myr_learn_split split = myr_learn_split_of(envs, 1);
    if (ranks < 1 || rank < 0 || rank >= ranks) return myr_fail(MYR_E_ARG, "%s: there is no process %d of %d", call, rank, ranks);
    if (ranks > split.groups)
        return myr_fail(MYR_E_ARG, "%s: %lld robots are learnt from by at most %d processes, not by %d: each has %d robots at least", call,
                        (long long)envs, split.groups, ranks, (int)MYR_NET_BLOCK);
    *first = myr_learn_group_env(&split, myr_learn_rank_group(&split, rank, ranks));
    *count = myr_learn_group_env(&split, myr_learn_rank_group(&split, rank + 1, ranks)) - *first;
    return MYR_OK;
}

void myr_learner_exchanged(const myr_learner *l, int64_t *bytes, int64_t *calls, double *seconds) {
    if (bytes) *bytes = l ? l->exchanged_bytes : 0;
    if (calls) *calls = l ? l->exchanges : 0;
    if (seconds) *seconds = l ? l->exchange_s : 0;
}

/* The caller's code may round as it likes: the library's way is back when it returns. */
static int moved(myr_learner *l, void *data, const int64_t *begin) {
    MYR_OWN_ARITHMETIC;
    return l->exchange.gather(l->exchange.context, data, begin);
}

static myr_status gather(myr_learner *l, void *data, const int64_t *begin) {
    const int ranks = l->exchange.ranks;
    const double start = myr_now_s();
    const int failed = moved(l, data, begin);
    l->exchange_s += myr_now_s() - start, l->exchanges++, l->exchanged_bytes += begin[ranks];
    if (!failed) return MYR_OK;
    l->failures++;
    return myr_fail(MYR_E_STATE, "the exchange between the %d processes failed (%d): the samples of this iteration are lost", ranks,
                    failed);
}

/* ---- do all learn the same? -------------------------------------------------------------------------------------------- */

typedef struct identity {
    myr_learn_options options; /* but for what may differ */
    char version[32];
    int64_t parameters, iterations, gradient_steps;
    double rate;
    uint64_t weights, means, seen, mirror; /* hashes: sums that lanes made are in them */
} identity;

/* FNV-1a, four bytes at a time. */
static uint64_t hash_of(uint64_t h, const void *data, size_t bytes) {
    for (size_t i = 0; i + sizeof(uint32_t) <= bytes; i += sizeof(uint32_t)) {
        uint32_t word;
        memcpy(&word, (const char *)data + i, sizeof word);
        h = (h ^ word) * UINT64_C(0x100000001b3);
    }
    return h;
}

static identity identity_of(const myr_learner *l) {
    identity me;
    memset(&me, 0, sizeof me);
    me.options = l->options;
    me.options.threads = me.options.pin = 0;
    memset(me.options.isa, 0, sizeof me.options.isa);
    snprintf(me.version, sizeof me.version, "%s", myr_version());
    me.parameters = (int64_t)l->parameters, me.iterations = l->iterations, me.gradient_steps = l->gradient_steps, me.rate = l->rate;
    const uint64_t begin = UINT64_C(0xcbf29ce484222325);
    const size_t weights = l->parameters * sizeof *l->weights, wide = (size_t)myr_learn_critic_wide(l);
    me.weights = hash_of(begin, l->weights, weights);
    me.means = hash_of(hash_of(hash_of(begin, l->mean, weights), l->square, weights), l->average, weights);
    me.seen = hash_of(hash_of(begin, l->seen_mean, wide * sizeof(double)), l->seen_variance, wide * sizeof(double));
    me.seen = hash_of(me.seen, &l->seen_count, sizeof l->seen_count);
    if (l->has_mirror) me.mirror = hash_of(begin, l->mirror, (size_t)(l->options.observations + l->options.actions) * sizeof *l->mirror);
    return me;
}

/* What the first process has otherwise than this one; NULL: nothing. */
static const char *other(const identity *a, const identity *b) {
    if (strcmp(a->version, b->version) != 0) return "version of the library";
    const char *option = myr_learn_options_other(&a->options, &b->options);
    if (option) return option;
    if (a->parameters != b->parameters) return "number of weights";
    if (a->iterations != b->iterations || a->gradient_steps != b->gradient_steps || a->rate != b->rate) return "progress";
    if (a->weights != b->weights) return "weights";
    if (a->means != b->means) return "means of the weights or of Adam";
    if (a->seen != b->seen) return "normalization";
    return a->mirror != b->mirror ? "mirror" : NULL;
}

myr_status myr_learn_agree(myr_learner *l) {
    const int ranks = l->exchange.ranks;
    int64_t begin[MYR_LEARN_SLOTS + 1];
    identity all[MYR_LEARN_SLOTS];
    if (ranks == 1) return MYR_OK;
    memset(all, 0, sizeof all);
    all[l->exchange.rank] = identity_of(l);
    for (int r = 0; r <= ranks; r++) begin[r] = r * (int64_t)sizeof *all;
    const myr_status status = gather(l, all, begin);
    if (status != MYR_OK) return status;
    for (int r = 1; r < ranks; r++) {
        const char *what = other(&all[0], &all[r]);
        if (what) return myr_fail(MYR_E_STATE, "process %d of %d does not learn what process 0 does: it has another %s", r, ranks, what);
    }
    return MYR_OK;
}

/* ---- sums --------------------------------------------------------------------------------------------------------------- */

myr_status myr_learn_exchange_told(myr_learner *l, double *told, int wide) {
    const int ranks = l->exchange.ranks;
    int64_t begin[MYR_LEARN_SLOTS + 1];
    if (ranks == 1) return MYR_OK;
    for (int r = 0; r <= ranks; r++) begin[r] = myr_learn_rank_group(&l->split, r, ranks) * (int64_t)wide * (int64_t)sizeof *told;
    return gather(l, told, begin);
}

typedef struct adding {
    myr_learner *learner;
    float *rows[MYR_LEARN_SLOTS]; /* of each slot of the job, or where its sum is; NULL: it is elsewhere */
    int to[MYR_LEARN_SLOTS], from[MYR_LEARN_SLOTS], n;
} adding;

static void note(void *context, int to, int from) {
    adding *a = context;
    a->to[a->n] = to, a->from[a->n++] = from;
}

/* Pieces of the rows, all additions of each. */
static void add_pieces(void *context, int worker) {
    const adding *a = context;
    const myr_learner *l = a->learner;
    const size_t rows = myr_learn_slot_wide(l) / MYR_NET_ROW, threads = (size_t)l->team->threads, piece = 64;
    const size_t end = rows * ((size_t)worker + 1) / threads;
    for (size_t at = rows * (size_t)worker / threads; at < end; at += piece) {
        const size_t first = at * MYR_NET_ROW, count = (end - at < piece ? end - at : piece) * MYR_NET_ROW;
        for (int k = 0; k < a->n; k++) l->kernels->add(count, a->rows[a->from[k]] + first, a->rows[a->to[k]] + first);
    }
}

static void add_tree(adding *a, int lo, int hi, char *left) {
    a->n = 0;
    myr_learn_tree(lo, hi, a->learner->split.slots, left, note, a);
    if (a->n) myr_team_run(a->learner->team, add_pieces, a);
}

static int first_slot(const myr_learner *l, int rank) { return myr_learn_rank_group(&l->split, rank, l->exchange.ranks) * l->split.parts; }

/* What is left of the slots of each process once it has added up what it can; their rows in the parcel. Returns how many. */
static int parcel_rows(const myr_learner *l, char *left, int *row, int64_t *begin) {
    int n = 0;
    memset(left, 1, (size_t)l->split.slots);
    for (int r = 0; r < l->exchange.ranks; r++) {
        adding none = {.n = 0};
        const int lo = first_slot(l, r), hi = first_slot(l, r + 1);
        myr_learn_tree(lo, hi, l->split.slots, left, note, &none);
        begin[r] = n * (int64_t)(myr_learn_slot_wide(l) * sizeof(float));
        for (int s = lo; s < hi; s++) row[s] = left[s] ? n++ : -1;
    }
    begin[l->exchange.ranks] = n * (int64_t)(myr_learn_slot_wide(l) * sizeof(float));
    return n;
}

size_t myr_learn_parcel_rows(const myr_learner *l) {
    char left[MYR_LEARN_SLOTS];
    int row[MYR_LEARN_SLOTS];
    int64_t begin[MYR_LEARN_SLOTS + 1];
    return (size_t)parcel_rows(l, left, row, begin);
}

/* As many slots as leave a few bunches for each thread. What is added first does not show: the tree stays. */
int myr_learn_bunch(const myr_learner *l, int number, int *lo, int *hi) {
    int slots = 8;
    while (slots > 1 && l->slots < 4 * slots * l->team->threads) slots /= 2;
    const int end = l->first_slot + l->slots, first = (l->first_slot / slots + number) * slots;
    *lo = first < l->first_slot ? l->first_slot : first, *hi = first + slots < end ? first + slots : end;
    return first < end;
}

static void add_rows(void *context, int to, int from) {
    const myr_learner *l = context;
    l->kernels->add(myr_learn_slot_wide(l), myr_learn_slot_row(l, from), myr_learn_slot_row(l, to));
}

void myr_learn_add_bunch(myr_learner *l, int lo, int hi) {
    char left[MYR_LEARN_SLOTS];
    memset(left, 1, sizeof left);
    myr_learn_tree(lo, hi, l->split.slots, left, add_rows, l);
}

float *myr_learn_exchange_slots(myr_learner *l, myr_status *status) {
    const size_t wide = myr_learn_slot_wide(l);
    const int lo = first_slot(l, l->exchange.rank), hi = first_slot(l, l->exchange.rank + 1);
    char left[MYR_LEARN_SLOTS];
    adding a = {.learner = l};
    *status = MYR_OK;
    for (int s = lo; s < hi; s++) a.rows[s] = myr_learn_slot_row(l, s);
    memset(left, 1, sizeof left);
    for (int b = 0, from, to; myr_learn_bunch(l, b, &from, &to); b++) myr_learn_tree(from, to, l->split.slots, left, note, &a);
    add_tree(&a, lo, hi, left); /* what the bunches have left */
    if (l->exchange.ranks == 1) return a.rows[0];
    int row[MYR_LEARN_SLOTS];
    int64_t begin[MYR_LEARN_SLOTS + 1];
    parcel_rows(l, left, row, begin);
    for (int s = lo; s < hi; s++)
        if (left[s]) memcpy(l->parcel + (size_t)row[s] * wide, a.rows[s], wide * sizeof *l->parcel);
    *status = gather(l, l->parcel, begin);
    if (*status != MYR_OK) return NULL;
    for (int s = 0; s < l->split.slots; s++) a.rows[s] = row[s] < 0 ? NULL : l->parcel + (size_t)row[s] * wide;
    add_tree(&a, 0, l->split.slots, left);
    return a.rows[0];
}

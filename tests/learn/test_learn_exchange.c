/* ctest: threads heavy lanes
 * Processes that learn together, played by threads of this one: the same bits for every number of them, with a task of the library and with
 * arrays; who learns something else is told; an exchange that fails leaves the weights of the iteration's beginning; nothing hangs. */
#include "support/batch_scene.h"

#include <fenv.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "learn/groups.h"
#include "learn/learner.h"

enum { ENVS = 500, SEEN = 20, OWN = 3, ACTIONS = 4, STEPS = 6, RANKS = 8, ITERATIONS = 3, MOST = 40000 };

/* ---- a job of threads ------------------------------------------------------------------------------------------------ */

typedef struct job {
    int ranks, calls_until; /* the call of the exchange that fails, -1: none */
    pthread_mutex_t lock;
    pthread_cond_t all;
    int waiting, turn, calls;
    char *data[RANKS];
} job;

typedef struct member {
    job *job;
    int rank, calls;
    myr_exchange exchange;
    myr_status status;
    char words[200];
    uint64_t hash;
    myr_learn_report report;
    int64_t bytes, exchanges;
    void (*before)(struct member *, myr_learn_options *); /* NULL: all learn the same */
    int turned, shifted;                                  /* it has another mirror, or normalization */
    int threads, changes;                                 /* 1: one of them learns otherwise from the second iteration on */
    uint64_t held;                                        /* weights where a failed update began, and after it */
    uint64_t after;
} member;

static void meet(job *j) {
    pthread_mutex_lock(&j->lock);
    const int turn = j->turn;
    if (++j->waiting == j->ranks) {
        j->waiting = 0, j->turn++;
        pthread_cond_broadcast(&j->all);
    }
    while (turn == j->turn) pthread_cond_wait(&j->all, &j->lock);
    pthread_mutex_unlock(&j->lock);
}

static int gather(void *context, void *data, const int64_t *begin) {
    member *m = context;
    job *j = m->job;
    if (m->calls++ == j->calls_until) return 17;
    j->data[m->rank] = data;
    meet(j);
    for (int r = 0; r < j->ranks; r++)
        if (r != m->rank) memcpy((char *)data + begin[r], j->data[r] + begin[r], (size_t)(begin[r + 1] - begin[r]));
    meet(j);
    fesetround(FE_UPWARD); /* which does not matter to the learner */
    return 0;
}

/* ---- what they learn ------------------------------------------------------------------------------------------------- */

static myr_learn_options options_of(int threads) {
    myr_learn_options o;
    myr_learn_options_default(&o);
    o.envs = ENVS, o.observations = SEEN, o.critic_observations = OWN, o.actions = ACTIONS, o.steps = STEPS;
    o.epochs = 2, o.minibatches = 3, o.threads = threads, o.seed = 7, o.obs_normalization = 1, o.mirror_loss_coef = 0.5;
    o.hidden_layers = 2, o.hidden[0] = 48, o.hidden[1] = 16, o.encoder = 16, o.encoder_from = 5, o.encoder_inputs = 9;
    return o;
}

static uint64_t hash_of(const myr_learner *learner) {
    float *numbers = malloc(MOST * sizeof *numbers);
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    const int64_t count = myr_learner_count(learner);
    assert_true(count <= MOST);
    for (int what = MYR_LEARNED_WEIGHTS; what <= MYR_LEARNED_AVERAGE; what++) {
        MUST(myr_learner_get(learner, (myr_learned)what, numbers));
        for (size_t i = 0; i < (size_t)count * sizeof *numbers; i++)
            hash = (hash ^ ((const unsigned char *)numbers)[i]) * UINT64_C(0x100000001b3);
    }
    double mean[SEEN + OWN], variance[SEEN + OWN], seen;
    MUST(myr_learner_get_normalization(learner, mean, variance, &seen));
    for (size_t i = 0; i < sizeof mean; i++)
        hash = (hash ^ ((const unsigned char *)mean)[i] ^ ((const unsigned char *)variance)[i]) * UINT64_C(0x100000001b3);
    myr_learn_progress progress;
    myr_learner_progress(learner, &progress);
    for (size_t i = 0; i < sizeof progress; i++) hash = (hash ^ ((const unsigned char *)&progress)[i]) * UINT64_C(0x100000001b3);
    free(numbers);
    return hash ^ (uint64_t)seen;
}

/* A made-up task: what a robot sees depends on who it is and on what it did. */
typedef struct life {
    int64_t first, count;
    float *seen, *own, *action, *reward;
    uint8_t *terminated, *truncated;
} life;

static life life_of(int64_t first, int64_t count) {
    const size_t n = (size_t)count;
    life l = {first, count, malloc(n * SEEN * 4), malloc(n * OWN * 4), malloc(n * ACTIONS * 4), malloc(n * 4), malloc(n), malloc(n)};
    for (int64_t i = 0; i < count * SEEN; i++) l.seen[i] = (float)((i + first * SEEN) % 89) * 0.02f - 0.9f;
    for (int64_t i = 0; i < count * OWN; i++) l.own[i] = (float)((i + first * OWN) % 7) * 0.3f;
    return l;
}

static void life_end(life *l) { free(l->seen), free(l->own), free(l->action), free(l->reward), free(l->terminated), free(l->truncated); }

static myr_status live(myr_learner *learner, life *l) {
    for (int t = 0; t < STEPS; t++) {
        myr_status status = myr_learner_see(learner, l->own);
        if (status == MYR_OK) status = myr_learner_act(learner, l->seen, l->action);
        if (status != MYR_OK) return status;
        for (int64_t e = 0; e < l->count; e++) {
            const int64_t who = l->first + e;
            float *seen = l->seen + e * SEEN, *action = l->action + e * ACTIONS;
            l->reward[e] = action[0] - 0.1f * seen[0], l->terminated[e] = (who + t) % 29 == 0, l->truncated[e] = (who + t) % 31 == 0;
            for (int i = 0; i < SEEN; i++) seen[i] = 0.5f * seen[i] + 0.5f * action[i % ACTIONS];
            for (int i = 0; i < OWN; i++) l->own[e * OWN + i] = seen[i] * 2;
        }
        status = myr_learner_reward(learner, l->reward, l->terminated, l->truncated);
        if (status != MYR_OK) return status;
    }
    return myr_learner_see(learner, l->own);
}

static void mirror(myr_learner *learner, int turned) {
    int seen[SEEN], acts[ACTIONS];
    for (int k = 0; k < SEEN; k++) seen[k] = k % 2 && !turned ? -(k + 1) : k + 1;
    for (int k = 0; k < ACTIONS; k++) acts[k] = (k ^ 1) + 1;
    MUST(myr_learner_set_mirror(learner, seen, acts));
}

static void *learn(void *context) {
    member *m = context;
    myr_learn_options o = options_of(m->threads);
    if (m->before) m->before(m, &o);
    myr_learner *learner = NULL;
    m->exchange = (myr_exchange){m->rank, m->job->ranks, gather, m};
    int64_t first = 0, count = 0;
    MUST(myr_learn_shard(o.envs, m->rank, m->job->ranks, &first, &count));
    MUST(myr_learner_create_shared(&o, &m->exchange, &learner));
    mirror(learner, m->turned);
    double mean[SEEN + OWN] = {0.5}, variance[SEEN + OWN];
    for (int i = 0; i < SEEN + OWN; i++) variance[i] = 1;
    if (m->shifted) MUST(myr_learner_set_normalization(learner, mean, variance, 100));
    life l = life_of(first, count);
    for (int i = 0; i < ITERATIONS && (m->status == MYR_OK || m->job->calls_until >= 0); i++) { /* an exchange fails once */
        if (m->changes && i == 1) MUST(myr_learner_set_option(learner, "entropy_coef", m->rank == 1 ? 0.02 : 0.01));
        uint64_t held = hash_of(learner);
        myr_status status = live(learner, &l);
        if (status == MYR_OK) held = hash_of(learner); /* the first observations say how to normalize */
        if (status == MYR_OK) status = myr_learner_update(learner, l.seen, &m->report);
        if (status == MYR_OK) continue;
        assert_int_equal(m->status, MYR_OK);
        m->status = status, m->held = held, m->after = hash_of(learner);
        snprintf(m->words, sizeof m->words, "%s", myr_message());
    }
    m->hash = hash_of(learner);
    myr_learner_exchanged(learner, &m->bytes, &m->exchanges, NULL);
    life_end(&l);
    myr_learner_destroy(learner);
    return NULL;
}

static void run(job *j, member *members, int ranks, int fails, int threads, void (*before)(member *, myr_learn_options *)) {
    pthread_t thread[RANKS];
    *j = (job){.ranks = ranks, .calls_until = fails};
    pthread_mutex_init(&j->lock, NULL), pthread_cond_init(&j->all, NULL);
    for (int r = 0; r < ranks; r++) {
        members[r] = (member){.job = j, .rank = r, .before = before, .threads = threads};
        assert_int_equal(pthread_create(&thread[r], NULL, learn, &members[r]), 0);
    }
    for (int r = 0; r < ranks; r++) pthread_join(thread[r], NULL);
    pthread_mutex_destroy(&j->lock), pthread_cond_destroy(&j->all);
}

/* ---- tests ------------------------------------------------------------------------------------------------------------- */

static void processes_do_not_show(void **state) {
    (void)state;
    job j;
    member alone[RANKS], some[RANKS];
    run(&j, alone, 1, -1, 2, NULL);
    assert_int_equal(alone[0].status, MYR_OK);
    assert_true(alone[0].bytes == 0 && alone[0].exchanges == 0 && alone[0].report.episodes > 0);
    for (int ranks = 2; ranks <= RANKS; ranks++) {
        run(&j, some, ranks, -1, 1 + ranks % 2, NULL);
        for (int r = 0; r < ranks; r++) {
            assert_int_equal(some[r].status, MYR_OK);
            assert_true(some[r].hash == alone[0].hash);
            myr_learn_report a = alone[0].report, b = some[r].report;
            a.collect_s = a.update_s = b.collect_s = b.update_s = 0;
            assert_memory_equal(&a, &b, sizeof a);
            assert_true(some[r].bytes > 0 && some[r].bytes == some[0].bytes);
            /* the first observations, and in each iteration who they are, what samples add up to, and two epochs of three minibatches */
            assert_int_equal(some[r].exchanges, 1 + ITERATIONS * (1 + 1 + 2 * 3));
        }
    }
}

static void another_seed(member *m, myr_learn_options *o) { o->seed += m->rank == 2; }
static void another_rate(member *m, myr_learn_options *o) { o->learning_rate *= m->rank == 1 ? 2 : 1; }
static void another_mirror(member *m, myr_learn_options *o) { m->turned = m->rank == 2, (void)o; }
static void another_normalization(member *m, myr_learn_options *o) { m->shifted = m->rank == 1, (void)o; }
static void another_stage(member *m, myr_learn_options *o) { m->changes = 1, (void)o; }
static void more_threads(member *m, myr_learn_options *o) { o->threads = 1 + m->rank, o->pin = 0; }

static void who_learns_something_else_is_told(void **state) {
    (void)state;
    job j;
    member m[RANKS];
    run(&j, m, 3, -1, 1, another_seed);
    for (int r = 0; r < 3; r++) {
        assert_int_equal(m[r].status, MYR_E_STATE);
        assert_string_equal(m[r].words, "process 2 of 3 does not learn what process 0 does: it has another seed");
    }
    run(&j, m, 2, -1, 1, another_rate);
    assert_non_null(strstr(m[0].words, "it has another learning_rate"));
    run(&j, m, 3, -1, 1, another_mirror);
    assert_string_equal(m[1].words, "process 2 of 3 does not learn what process 0 does: it has another mirror");
    run(&j, m, 2, -1, 1, another_normalization);
    assert_string_equal(m[1].words, "process 1 of 2 does not learn what process 0 does: it has another normalization");
    run(&j, m, 3, -1, 1, another_stage);
    for (int r = 0; r < 3; r++) {
        assert_string_equal(m[r].words, "process 1 of 3 does not learn what process 0 does: it has another entropy_coef");
        assert_int_equal(m[r].report.iteration, 1);
    }
    run(&j, m, 2, -1, 1, more_threads);
    assert_int_equal(m[0].status, MYR_OK);
}

/* Each call of a training fails once, for all at the same time. What is learnt afterwards does not depend on which minibatch it was. */
static void a_failed_exchange_leaves_what_was(void **state) {
    (void)state;
    uint64_t after[2] = {0, 0};
    for (int call = 0; call < 1 + 2 * 8; call++) {
        job j;
        member m[RANKS];
        run(&j, m, 3, call, 1, NULL);
        for (int r = 0; r < 3; r++) {
            assert_int_equal(m[r].status, MYR_E_STATE);
            assert_non_null(strstr(m[r].words, "the exchange between the 3 processes failed (17)"));
            assert_true(m[r].after == m[r].held);
            assert_true(m[r].after == m[0].after && m[r].hash == m[0].hash);
        }
        const int iteration = call / 9, step = iteration ? call - 8 : call; /* calls 2.. of an iteration: sums, and its minibatches */
        if (step < 2) continue;
        if (!after[iteration]) after[iteration] = m[0].hash;
        assert_true(m[0].hash == after[iteration]);
    }
}

static void shards_are_whole(void **state) {
    (void)state;
    static const int64_t envs[] = {1, 63, 64, 65, 500, 4096, 5000, 100000};
    for (size_t k = 0; k < sizeof envs / sizeof *envs; k++) {
        const myr_learn_split split = myr_learn_split_of(envs[k], 24);
        assert_true(split.slots <= MYR_LEARN_SLOTS && split.groups <= split.columns);
        int64_t blocks = 0;
        for (int s = 0; s < split.slots; s++) {
            const myr_learn_slot slot = myr_learn_slot_of(&split, s);
            assert_true(slot.first == blocks && slot.blocks > 0);
            blocks += slot.blocks;
        }
        assert_true(blocks == split.blocks);
        for (int ranks = 1; ranks <= split.groups; ranks++) {
            int64_t next = 0, first, count;
            for (int r = 0; r < ranks; r++, next += count) {
                MUST(myr_learn_shard(envs[k], r, ranks, &first, &count));
                assert_true(first == next && count > 0 && first % 64 == 0);
            }
            assert_true(next == envs[k]);
        }
        int64_t first, count;
        assert_int_equal(myr_learn_shard(envs[k], 0, split.groups + 1, &first, &count), MYR_E_ARG);
    }
    int64_t first, count;
    assert_int_equal(myr_learn_shard(64, 1, 1, &first, &count), MYR_E_ARG);
    assert_int_equal(myr_learn_shard(64, -1, 1, &first, &count), MYR_E_ARG);
    assert_int_equal(myr_learn_shard(0, 0, 1, &first, &count), MYR_E_ARG);
    assert_int_equal(myr_learn_shard(64, 0, 1, NULL, &count), MYR_E_ARG);
}

/* Rows are numbers that say which tree they are: however the leaves are cut, the same one comes out. */
static void add_leaves(void *context, int to, int from) {
    uint64_t *tree = context;
    tree[to] = (tree[to] * UINT64_C(0x9e3779b97f4a7c15) ^ (tree[from] >> 7 | tree[from] << 57)) * UINT64_C(0x100000001b3) + 1;
}

static void trees_are_the_jobs(void **state) {
    (void)state;
    uint64_t whole[MYR_LEARN_SLOTS], parts[MYR_LEARN_SLOTS];
    for (int all = 1; all <= MYR_LEARN_SLOTS; all++) {
        char left[MYR_LEARN_SLOTS];
        memset(left, 1, sizeof left);
        for (int s = 0; s < all; s++) whole[s] = (uint64_t)s;
        myr_learn_tree(0, all, all, left, add_leaves, whole);
        for (int s = 1; s < all; s++) assert_int_equal(left[s], 0);
        for (int a = 0; a <= all; a += 1 + all / 7)
            for (int b = a; b <= all; b += 1 + all / 5) {
                memset(left, 1, sizeof left);
                for (int s = 0; s < all; s++) parts[s] = (uint64_t)s;
                myr_learn_tree(0, a, all, left, add_leaves, parts);
                myr_learn_tree(a, b, all, left, add_leaves, parts);
                myr_learn_tree(b, all, all, left, add_leaves, parts);
                myr_learn_tree(0, all, all, left, add_leaves, parts);
                assert_true(parts[0] == whole[0]);
            }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shards_are_whole),
        cmocka_unit_test(trees_are_the_jobs),
        cmocka_unit_test(processes_do_not_show),
        cmocka_unit_test(who_learns_something_else_is_told),
        cmocka_unit_test(a_failed_exchange_leaves_what_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* A good guest: the caller's affinity and floating-point state are as before, the process's processors are respected, a
 * forked child gets an error and does not hang, and a step allocates nothing. */
#define _GNU_SOURCE
#include "support/batch_scene.h"
#include "support/loop_scene.h"

#include <dirent.h>
#include <math.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xmmintrin.h>

enum { ENVS = 100 };

static myr_batch *open_batch(const myr_model *model, const char *threads, const char *pin) {
    myr_settings settings = scene_settings("threads", threads, "pin", pin, NULL);
    myr_batch *batch = NULL;
    settings.sense_bodies = 1;
    MUST(myr_batch_create(model, ENVS, &settings, &batch));
    return batch;
}

/* One of every call that runs workers. */
static void use(myr_batch *batch) {
    const myr_rollout rollout = {.steps = 2};
    MUST(myr_batch_step(batch, 2));
    MUST(myr_batch_rollout(batch, &rollout));
    MUST(myr_batch_reset(batch, NULL));
    MUST(myr_batch_step(batch, 2));
}

static void affinity_is_as_before(void **state) {
    (void)state;
    myr_model *model = scene_model();
    const char *const threads[] = {"1", "2", "5", "0"};
    cpu_set_t before, after;
    assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
    for (int t = 0; t < 4; t++)
        for (int pin = 0; pin < 2; pin++) {
            myr_batch *batch = open_batch(model, threads[t], pin ? "1" : "0");
            use(batch);
            assert_int_equal(sched_getaffinity(0, sizeof after, &after), 0);
            assert_true(CPU_EQUAL(&before, &after));
            myr_batch_free(batch);
        }
    myr_model_free(model);
}

/* The affinities of all threads of this process must lie within `allowed`; returns how many threads there are. */
static int check_threads(const cpu_set_t *allowed) {
    DIR *tasks = opendir("/proc/self/task");
    assert_non_null(tasks);
    int n = 0;
    for (struct dirent *task = readdir(tasks); task; task = readdir(tasks)) {
        cpu_set_t set, both;
        const int id = atoi(task->d_name);
        if (id <= 0 || sched_getaffinity(id, sizeof set, &set) != 0) continue;
        CPU_AND(&both, &set, allowed);
        assert_true(CPU_EQUAL(&both, &set));
        n++;
    }
    closedir(tasks);
    return n;
}

static int nth_cpu(const cpu_set_t *set, int n) {
    for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, set) && n-- == 0) return (int)cpu;
    return -1;
}

/* A process that may use the last of its processors only, as under `taskset`. Threads made before keep what they had, so
 * this runs in a child that has none yet: main calls it first. */
static int in_one_processor(void) {
    cpu_set_t all, one;
    if (sched_getaffinity(0, sizeof all, &all) != 0) return 1;
    const int cpu = nth_cpu(&all, CPU_COUNT(&all) - 1);
    CPU_ZERO(&one);
    CPU_SET((size_t)cpu, &one);
    if (sched_setaffinity(0, sizeof one, &one) != 0) return 2;
    myr_model *model = scene_model();
    myr_batch_info info;
    myr_batch *batch = open_batch(model, "0", "1");
    myr_batch_get_info(batch, &info);
    if (info.threads != 1 || info.cpus[0] != cpu) return 3;
    use(batch);
    myr_batch_free(batch);
    batch = open_batch(model, "3", "1");
    myr_batch_get_info(batch, &info);
    for (int w = 0; w < 3; w++)
        if (info.cpus[w] != cpu) return 4;
    use(batch);
    if (check_threads(&one) < 3) return 5;
    myr_batch_free(batch);
    myr_machine machine;
    MUST(myr_machine_get(&machine));
    if (machine.usable != 1 || machine.usable_cores != 1) return 6;
    myr_model_free(model);
    return 0;
}

static int status_in_child;

static void the_processors_of_the_process_are_respected(void **state) {
    (void)state;
    assert_int_equal(status_in_child, 0);
}

static void workers_sit_on_processors_of_their_own(void **state) {
    (void)state;
    myr_model *model = scene_model();
    myr_machine machine;
    cpu_set_t all;
    myr_batch_info info;
    MUST(myr_machine_get(&machine));
    assert_int_equal(sched_getaffinity(0, sizeof all, &all), 0);
    assert_int_equal(machine.usable, CPU_COUNT(&all));
    assert_true(machine.usable_cores >= 1 && machine.usable_cores <= machine.usable && machine.usable <= machine.logical);
    assert_true(strlen(machine.cpu) > 0 && strlen(machine.isa) > 0 && strlen(machine.why) > 0);
    myr_batch *batch = open_batch(model, "0", "1");
    myr_batch_get_info(batch, &info);
    const int tiles = (ENVS + info.lanes - 1) / info.lanes;
    assert_int_equal(info.threads, machine.usable_cores < tiles ? machine.usable_cores : tiles);
    for (int a = 0; a < info.threads; a++) {
        assert_true(CPU_ISSET((size_t)info.cpus[a], &all));
        for (int b = 0; b < a; b++) assert_true(info.cpus[a] != info.cpus[b]);
    }
    use(batch);
    check_threads(&all);
    myr_batch_free(batch);
    batch = open_batch(model, "2", "0");
    myr_batch_get_info(batch, &info);
    assert_true(info.cpus[0] == -1 && info.cpus[1] == -1);
    use(batch);
    myr_batch_free(batch);
    MUST_FAIL(myr_machine_get(NULL), MYR_E_ARG, "NULL");
    myr_model_free(model);
}

/* Different batches from different threads at once, where OpenMP gives each of them no second thread. */
static void batches_live_in_parallel_regions(void **state) {
    (void)state;
    myr_model *model = scene_model();
    uint64_t hashes[3];
#pragma omp parallel for num_threads(2)
    for (int i = 0; i < 2; i++) {
        myr_batch *batch = open_batch(model, "3", "1");
        use(batch);
        hashes[i] = myr_batch_hash(batch);
        myr_batch_free(batch);
    }
    myr_batch *batch = open_batch(model, "1", "0");
    use(batch);
    hashes[2] = myr_batch_hash(batch);
    myr_batch_free(batch);
    assert_int_equal(hashes[0], hashes[2]);
    assert_int_equal(hashes[1], hashes[2]);
    myr_model_free(model);
}

/* ---- floating point ------------------------------------------------------------------------------------------------- */

/* Rounding up, subnormals flushed, division by zero and invalid operations trapped: whatever the caller has set, the bits of a step are the
 * same. */
static void floating_point_state_is_as_before_and_changes_nothing(void **state) {
    (void)state;
    const unsigned strange = _MM_ROUND_UP | 0x8000 | 0x40 | (0x1f80 & ~0x0280u);
    myr_model *model = scene_model();
    uint64_t hashes[2];
    for (int i = 0; i < 2; i++) {
        const unsigned normal = _mm_getcsr();
        if (i == 1) _mm_setcsr(strange);
        myr_batch *batch = NULL;
        const myr_settings settings = scene_settings("threads", "2", NULL);
        const myr_status created = myr_batch_create(model, ENVS, &settings, &batch);
        const unsigned after_create = _mm_getcsr();
        const double gravity[3] = {0.1, NAN, 1e-310}; /* to be rounded, to trap, to be flushed */
        const int64_t env = 7;
        const myr_status set = myr_batch_set(batch, MYR_GRAVITY, &env, 1, MYR_F64, gravity);
        _mm_setcsr(normal);
        MUST(created);
        MUST(set);
        float seen[3];
        MUST(myr_batch_get(batch, MYR_GRAVITY, &env, 1, MYR_F32, seen));
        assert_true(seen[0] == 0.1f && isnan(seen[1]));
        scene_disturb(batch, model, 6);
        if (i == 1) _mm_setcsr(strange);
        const myr_status stepped = myr_batch_step(batch, 10);
        const unsigned after_step = _mm_getcsr();
        _mm_setcsr(normal);
        MUST(stepped);
        if (i == 1) {
            assert_int_equal(after_create & ~0x3fu, strange); /* but for the sticky flags of exceptions */
            assert_int_equal(after_step & ~0x3fu, strange);
        }
        hashes[i] = myr_batch_hash(batch);
        myr_batch_free(batch);
    }
    assert_int_equal(hashes[0], hashes[1]);
    myr_model_free(model);
}

/* A policy of one layer for the ANYmal. */
static myr_status make_policy(int threads, myr_policy **out) {
    static const float weights[12 * 48], biases[12], std[48] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
                                                                1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    const myr_policy_def def = {
        .observations = 48, .actions = 12, .weights = {weights}, .biases = {biases}, .std = std, .threads = threads, .pin = 1};
    return myr_policy_create(&def, out);
}

static myr_status make_learner(int threads, myr_learner **out) {
    myr_learn_options options;
    myr_learn_options_default(&options);
    options.envs = ENVS, options.observations = 48, options.actions = 12, options.hidden_layers = 1, options.hidden[0] = 16;
    options.steps = 2, options.minibatches = 1, options.threads = threads;
    return myr_learner_create(&options, out);
}

/* ---- fork ----------------------------------------------------------------------------------------------------------- */

/* What a child may and may not do with its parent's batch; the number says where it went wrong. */
static int in_child(const myr_model *model, myr_batch *batch, const myr_policy *policy, myr_learner *learner) {
    static float seen[ENVS * 48], action[ENVS * 12];
    double q[100];
    myr_batch *own = NULL;
    alarm(20); /* a hang would be the worst answer */
    if (myr_batch_step(batch, 1) != MYR_E_FORK) return 1;
    if (!strstr(myr_message(), "myr_batch_step")) return 2;
    if (myr_batch_reset(batch, NULL) != MYR_E_FORK) return 3;
    if (myr_batch_get(batch, MYR_Q, NULL, 1, MYR_F64, q) != MYR_E_FORK) return 4;
    if (myr_batch_refresh(batch) != MYR_E_FORK || myr_batch_act(batch, NULL) != MYR_E_FORK) return 9;
    if (myr_batch_save(batch, "/dev/null") != MYR_E_FORK) return 5;
    if (myr_policy_actions(policy, 1, seen, action) != MYR_E_FORK || !strstr(myr_message(), "make it anew")) return 10;
    if (myr_learner_act(learner, seen, action) != MYR_E_FORK || !strstr(myr_message(), "the learner belongs to process")) return 11;
    if (myr_learner_update(learner, seen, NULL) != MYR_E_FORK || myr_learner_value(learner, 1, seen, action) != MYR_E_FORK) return 12;
    myr_batch_free(batch);
    myr_settings settings = scene_settings("threads", "2", NULL);
    if (myr_batch_create(model, ENVS, &settings, &own) != MYR_E_FORK || own) return 6;
    settings = scene_settings("threads", "1", NULL);
    if (myr_batch_create(model, ENVS, &settings, &own) != MYR_OK) return 7;
    if (myr_batch_step(own, 3) != MYR_OK) return 8;
    myr_batch_free(own);
    return 0;
}

static int wait_for(pid_t child) {
    int status;
    if (child < 0 || waitpid(child, &status, 0) != child) return -1;
    if (WIFSIGNALED(status)) return -WTERMSIG(status) - 100;
    return WEXITSTATUS(status);
}

static void a_forked_child_gets_an_error(void **state) {
    (void)state;
    myr_model *model = scene_model();
    myr_batch *batch = open_batch(model, "2", "1");
    use(batch);
    myr_policy *policy = NULL;
    MUST(make_policy(2, &policy));
    myr_learner *learner = NULL;
    MUST(make_learner(2, &learner));
    const uint64_t hash = myr_batch_hash(batch);
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) _exit(in_child(model, batch, policy, learner));
    assert_int_equal(wait_for(child), 0);
    assert_int_equal(myr_batch_hash(batch), hash);
    MUST(myr_batch_step(batch, 1)); /* the parent goes on */
    myr_policy_destroy(policy);
    myr_learner_destroy(learner);
    myr_batch_free(batch);
    myr_model_free(model);
}

/* ---- memory --------------------------------------------------------------------------------------------------------- */

static atomic_long taken, held;

static void *count_allocate(size_t bytes, size_t alignment, void *user) {
    atomic_fetch_add(&taken, 1);
    atomic_fetch_add(&held, 1);
    assert_ptr_equal(user, &taken);
    return aligned_alloc(alignment, bytes);
}

static void count_release(void *memory, void *user) {
    (void)user;
    atomic_fetch_sub(&held, 1);
    free(memory);
}

#if defined(__has_feature)
#define HAS_FEATURE(name) __has_feature(name)
#else
#define HAS_FEATURE(name) 0
#endif

/* Every malloc of the process goes through here, also those of other libraries. Sanitizers bring their own. */
static atomic_long mallocs;
#if defined(__SANITIZE_ADDRESS__) || HAS_FEATURE(address_sanitizer) || HAS_FEATURE(thread_sanitizer)
enum { SEES_MALLOC = 0 };
#else
enum { SEES_MALLOC = 1 };
void *__libc_malloc(size_t bytes);
void *malloc(size_t bytes);
void *malloc(size_t bytes) {
    atomic_fetch_add(&mallocs, 1);
    return __libc_malloc(bytes);
}
#endif

/* Of motors that are late and slow, whose controls and lags a batch keeps, and of sensors that ask for each stage. */
static myr_model *sensing_model(void) {
    myr_model *robot, *model;
    myr_builder *builder = scene_robot_builder("sensing", "anymal", &robot);
    myr_motor motor = myr_motor_default();
    motor.delay_max = 3, motor.lag = MYR_LAG_EXACT, motor.lag_s = 0.02;
    MUST(myr_builder_motor(builder, "*", &motor));
    const myr_sensor_signal noisy = {.history = 3, .noise = 0.1, .delay = {0, 2}}; /* after each step of dt */
    MUST(myr_builder_sensor(builder, &(myr_sensor_def){.name = "felt", .kind = MYR_SENSOR_FORCE, .of = "base", .signal = noisy}));
    MUST(myr_builder_sensor(builder,
                            &(myr_sensor_def){.name = "ground", .kind = MYR_SENSOR_CONTACT_FORCE, .of = "LF_FOOT", .signal = noisy}));
    MUST(myr_builder_compile(builder, &model));
    myr_builder_free(builder);
    myr_model_free(robot);
    return model;
}

static void a_step_allocates_nothing(void **state) {
    (void)state;
    const myr_allocator counting = {count_allocate, count_release, &taken};
    myr_set_allocator(&counting);
    for (int way = 0; way < 5; way++) { /* a robot whose limits, friction and loops act at once, too; both schemes; motors and sensors */
        const int loops = way % 2;
        myr_settings settings = scene_settings("threads", "2", "pin", "1", "loop-projection", "1", "limit-recheck", "1", "dynamics",
                                               way / 2 == 1 ? "maximal" : "generalized", NULL);
        myr_model *model = way == 4 ? sensing_model() : loops ? loop_walker() : scene_model();
        myr_batch *batch = NULL;
        settings.sense_bodies = 1;
        MUST(myr_batch_create(model, ENVS, &settings, &batch));
        use(batch); /* the first run makes the threads */
        const long before = atomic_load(&taken), mallocs_before = atomic_load(&mallocs);
        use(batch);
        assert_int_equal(atomic_load(&taken), before);
        if (SEES_MALLOC) assert_int_equal(atomic_load(&mallocs), mallocs_before);
        assert_true(before > 5);
        myr_batch_free(batch);
        myr_model_free(model);
        assert_int_equal(atomic_load(&held), 0); /* and everything is given back */
    }
    myr_set_allocator(NULL);
}

/* On the plane; and on a map, where levels change as all begin anew, and heights are observed. */
static void a_control_step_allocates_nothing(void **state) {
    (void)state;
    const myr_allocator counting = {count_allocate, count_release, &taken};
    static double action[ENVS * 5 * 12], seen[ENVS * 5 * (48 + 187)], reward[ENVS * 5];
    const myr_act act = {.steps = 5, .type = MYR_F64, .action = action, .observation = seen, .final_observation = seen, .reward = reward};
    for (int map = 0; map < 2; map++) {
        myr_settings settings =
            scene_settings("threads", "2", "task", "locomotion", "episode", "0.003", "terrain", map ? "stairs" : "plane", "curriculum",
                           map ? "1" : "0", "scan", map ? "exact" : "off", NULL);
        myr_model *model = NULL;
        myr_batch *batch = NULL;
        MUST(myr_model_load("anymal", MYR_ROOT_AUTO, &model));
        myr_set_allocator(&counting);
        settings.sense_bodies = 1;
        MUST(myr_batch_create(model, ENVS, &settings, &batch));
        assert_true(myr_batch_observations(batch) == (map ? 48 + 187 : 48));
        MUST(myr_batch_act(batch, &act)); /* the first run makes the threads */
        const long before = atomic_load(&taken), mallocs_before = atomic_load(&mallocs);
        MUST(myr_batch_act(batch, &act));
        MUST(myr_batch_observe(batch, MYR_F64, seen));
        MUST(myr_batch_refresh(batch));
        MUST(myr_batch_step(batch, 3));
        assert_int_equal(atomic_load(&taken), before);
        if (SEES_MALLOC) assert_int_equal(atomic_load(&mallocs), mallocs_before);
        myr_batch_free(batch);
        myr_set_allocator(NULL);
        myr_model_free(model);
    }
}

static void policies_and_learners_allocate_nothing_in_a_call(void **state) {
    (void)state;
    const myr_allocator counting = {count_allocate, count_release, &taken};
    static float action[ENVS * 5 * 12], seen[ENVS * 48];
    static const uint8_t no[ENVS];
    const myr_act act = {.steps = 5, .type = MYR_F32};
    const myr_settings settings = scene_settings("threads", "2", "task", "locomotion", "episode", "0.003", NULL);
    myr_model *model = NULL;
    myr_batch *batch = NULL;
    myr_policy *policy = NULL;
    myr_learner *learner = NULL;
    MUST(myr_model_load("anymal", MYR_ROOT_AUTO, &model));
    MUST(myr_batch_create(model, ENVS, &settings, &batch));
    myr_set_allocator(&counting);
    const long held_before = atomic_load(&held);
    MUST(make_policy(2, &policy));
    MUST(make_learner(2, &learner));
    MUST(myr_policy_act(policy, batch, &act, action)); /* the first run makes the threads */
    const long before = atomic_load(&taken), mallocs_before = atomic_load(&mallocs);
    MUST(myr_policy_act(policy, batch, &act, action));
    MUST(myr_policy_actions(policy, ENVS, seen, action));
    MUST(myr_learner_collect(learner, batch));
    MUST(myr_learner_update(learner, NULL, NULL));
    for (int t = 0; t < 2; t++) {
        MUST(myr_learner_act(learner, seen, action));
        MUST(myr_learner_reward(learner, seen, no, no));
    }
    MUST(myr_learner_update(learner, seen, NULL));
    MUST(myr_learner_mean(learner, MYR_LEARNED_AVERAGE, ENVS, seen, action));
    assert_int_equal(atomic_load(&taken), before);
    if (SEES_MALLOC) assert_int_equal(atomic_load(&mallocs), mallocs_before);
    myr_policy_destroy(policy);
    myr_learner_destroy(learner);
    assert_int_equal(atomic_load(&held), held_before);
    myr_set_allocator(NULL);
    myr_batch_free(batch);
    myr_model_free(model);
}

/* Out of memory, one allocation later each time: an error, nothing leaked. */
static long failing;

static void *fail_allocate(size_t bytes, size_t alignment, void *user) {
    (void)user;
    if (failing-- == 0) return NULL;
    atomic_fetch_add(&held, 1);
    return aligned_alloc(alignment, bytes);
}

static myr_model *made_of; /* by batch_maker */

static myr_status batch_maker(void **out) {
    const myr_settings settings = scene_settings("threads", "2", NULL);
    return myr_batch_create(made_of, ENVS, &settings, (myr_batch **)out);
}
static void batch_free(void *made) { myr_batch_free(made); }
static myr_status policy_maker(void **out) { return make_policy(2, (myr_policy **)out); }
static void policy_free(void *made) { myr_policy_destroy(made); }
static myr_status learner_maker(void **out) { return make_learner(2, (myr_learner **)out); }
static void learner_free(void *made) { myr_learner_destroy(made); }

/* How many allocations of a maker can fail, each of which it survives. */
static int failures_of(myr_status (*maker)(void **out), void (*free_it)(void *made)) {
    const long held_before = atomic_load(&held);
    for (int after = 0;; after++) {
        void *made = NULL;
        failing = after;
        const myr_status status = maker(&made);
        failing = -1;
        if (status == MYR_OK) {
            free_it(made);
            return after;
        }
        assert_int_equal(status, MYR_E_MEMORY);
        assert_null(made);
        assert_int_equal(atomic_load(&held), held_before);
    }
}

static void running_out_of_memory_is_an_error(void **state) {
    (void)state;
    const myr_allocator stingy = {fail_allocate, count_release, NULL};
    myr_set_allocator(&stingy);
    failing = -1;
    made_of = scene_model();
    assert_true(failures_of(batch_maker, batch_free) > 5);
    assert_true(failures_of(policy_maker, policy_free) > 4);
    assert_true(failures_of(learner_maker, learner_free) > 20);
    myr_model_free(made_of);
    assert_int_equal(atomic_load(&held), 0);
    myr_set_allocator(NULL);
}

int main(void) {
    fflush(NULL);
    const pid_t child = fork(); /* before OpenMP has any threads */
    if (child == 0) _exit(in_one_processor());
    status_in_child = wait_for(child);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_processors_of_the_process_are_respected),
        cmocka_unit_test(affinity_is_as_before),
        cmocka_unit_test(workers_sit_on_processors_of_their_own),
        cmocka_unit_test(batches_live_in_parallel_regions),
        cmocka_unit_test(floating_point_state_is_as_before_and_changes_nothing),
        cmocka_unit_test(a_forked_child_gets_an_error),
        cmocka_unit_test(a_step_allocates_nothing),
        cmocka_unit_test(a_control_step_allocates_nothing),
        cmocka_unit_test(policies_and_learners_allocate_nothing_in_a_call),
        cmocka_unit_test(running_out_of_memory_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

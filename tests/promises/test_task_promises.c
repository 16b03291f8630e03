/* ctest: threads
 * What every batch promises, of tasks that are tables: an environment's numbers are its own, whatever its neighbours, threads and
 * instruction set; an output that is not a number stops that environment alone, by name; memories are saved, restored and begin anew;
 * a step allocates nothing, and memory that runs out is a status. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/act_scene.h"
#include "support/failing_memory.h"
#include "support/isas.h"

enum { ENVS = 19, STEPS = 30 };

/* A filter, a clock with noise, draws where it begins; the logarithm of what may be negative. */
static const char text[] = "myriapod_task 1\n"
                           "name fragile\n"
                           "uses pushes\n"
                           "command 2 every 0.1\n"
                           "actions 4\n"
                           "memory slow 12\n"
                           "memory count 1\n"
                           "memory hardest 1\n"
                           "memory asked 12\n"
                           "reward still -0.1 squares of filtered velocities\n"
                           "reward brittle 0.1 not a number where the first action is below -0.97\n"
                           "reward idle 0 without weight: whatever it is, it counts nothing\n"
                           "reward termination -2\n"
                           "observe joints noise 0.01 history 4 where they are\n"
                           "observe command what is asked\n"
                           "observe count how long, and noise\n"
                           "observe hardest of all steps of dt\n"
                           "observe asked what is asked of joints\n"
                           "observe joints group critic noise 0.02 where they are\n"
                           "observe force group critic scale 0.01 history 2 of each geom\n"
                           "moment start\n"
                           "input draws.a 12\n"
                           "input draw.b 1\n"
                           "off = sub draws.a 0.5\n"
                           "output actuator_position off\n"
                           "output memory.count draw.b\n"
                           "input draws.late 1\n"
                           "delay = mul draws.late 6\n"
                           "output delay delay\n"
                           "moment command\n"
                           "input draws.c 1\n"
                           "input draw.d 1\n"
                           "both = concat draws.c draw.d\n"
                           "output command both\n"
                           "moment act\n"
                           "input action\n"
                           "input home_length\n"
                           "input draw.f 1\n"
                           "input memory.asked\n"
                           "each = gather action 0 1 2 0 1 2 3 1 2 3 0 1\n"
                           "size = add draw.f 0.5\n"
                           "steps = mul size each\n"
                           "wanted = add home_length steps\n"
                           "mixed = fma memory.asked 0.5 steps\n"
                           "output target wanted\n"
                           "output memory.asked mixed\n"
                           "moment step\n"
                           "input geom_force\n"
                           "input memory.hardest\n"
                           "input wrench\n"
                           "input base_linear\n"
                           "most = most geom_force\n"
                           "more = max most memory.hardest\n"
                           "output memory.hardest more\n"
                           "drag = mul -30 base_linear\n"
                           "others = slice wrench 3 75\n"
                           "winds = concat drag others\n"
                           "output wrench winds\n"
                           "moment judge\n"
                           "input actuator_velocity\n"
                           "input memory.slow\n"
                           "input memory.count\n"
                           "input draw.e 5\n"
                           "input action\n"
                           "input base_down\n"
                           "input action_before\n"
                           "slower = fma memory.slow 0.9 actuator_velocity\n"
                           "output memory.slow slower\n"
                           "noise = sum draw.e\n"
                           "more = add memory.count noise\n"
                           "output memory.count more\n"
                           "changed = sub action action_before\n"
                           "change = dot changed changed\n"
                           "slow2 = dot slower slower\n"
                           "sum = add slow2 change\n"
                           "output reward.still sum\n"
                           "first = slice action 0 1\n"
                           "above = add first 0.97\n"
                           "log = log above\n"
                           "output reward.brittle log\n"
                           "nothing = div 0 0\n"
                           "output reward.idle nothing\n"
                           "z = slice base_down 2 1\n"
                           "over = gt z -0.6\n"
                           "output end.tilt over\n"
                           "late = gt more 60\n"
                           "output truncate.late late\n"
                           "moment observe\n"
                           "input actuator_length\n"
                           "input command\n"
                           "input memory.count\n"
                           "input memory.hardest\n"
                           "input memory.asked\n"
                           "output joints actuator_length\n"
                           "output command command\n"
                           "output count memory.count\n"
                           "output hardest memory.hardest\n"
                           "output asked memory.asked\n"
                           "input geom_force\n"
                           "output critic.joints actuator_length\n"
                           "output critic.force geom_force\n";

static myr_model *anymal;
static myr_task_table *table;

static int open_model(void **state) {
    (void)state;
    return myr_model_load("anymal", MYR_ROOT_AUTO, &anymal) || myr_task_table_read(text, sizeof text - 1, "fragile", &table);
}

static int close_model(void **state) {
    (void)state;
    myr_task_table_free(table);
    myr_model_free(anymal);
    return 0;
}

static myr_settings settings_of(const char *isa, const char *precision) {
    return act_settings("isa", isa, "precision", precision, "push-interval", "0.2", "episode", "0", "first-env", "300", NULL);
}

static myr_batch *batch_of(int64_t envs, const myr_settings *settings) {
    myr_batch *batch = NULL;
    MUST(myr_batch_create_for(anymal, envs, settings, table, &batch));
    return batch;
}

static act_arrays run(const myr_settings *settings, int64_t envs, int64_t chunk, myr_autoreset autoreset) {
    myr_batch *batch = batch_of(envs, settings);
    act_arrays out = act_open(batch, envs, STEPS);
    act_actions(&out, settings->first_env, 1);
    act_run(batch, &out, 0, 0, STEPS, chunk, autoreset);
    myr_batch_free(batch);
    return out;
}

static void fates_are_their_own(void **state) {
    (void)state;
    for (int p = 0; p < 2; p++)
        for (int mode = 0; mode < 3; mode++) {
            myr_settings settings = settings_of(isa_at(0), p ? "f64" : "f32");
            act_arrays all = run(&settings, ENVS, STEPS, (myr_autoreset)mode);
            int faults = 0, failed = 0, late = 0;
            for (int row = 0; row < ENVS * STEPS; row++)
                faults += all.fault[row] >= MYR_QUARANTINE_OUTPUT, failed += all.terminated[row], late += all.truncated[row];
            if (!(faults && failed > faults && (late || mode)))
                fail_msg("mode %d: %d faults, %d failed, %d late", mode, faults, failed, late);
            for (int i = 0; isa_at(i); i++) {
                snprintf(settings.isa, sizeof settings.isa, "%s", isa_at(i));
                settings.threads = 1 + i;
                act_arrays other = run(&settings, ENVS, 7, (myr_autoreset)mode);
                act_assert_same(isa_at(i), &other, &all);
                act_close(&other);
            }
            for (int env = 0; env < ENVS; env++) {
                myr_settings own = settings;
                own.first_env = settings.first_env + env;
                act_arrays alone = run(&own, 1, STEPS, (myr_autoreset)mode);
                for (int64_t row = 0; row < STEPS; row++) {
                    const int64_t there = act_at(&all, env, row);
                    if (memcmp(alone.observation + row * all.n_obs, all.observation + there * all.n_obs,
                               sizeof(double) * (size_t)all.n_obs) != 0 ||
                        memcmp(alone.critic + row * all.n_critic, all.critic + there * all.n_critic,
                               sizeof(double) * (size_t)all.n_critic) != 0 ||
                        memcmp(alone.terms + row * all.n_terms, all.terms + there * all.n_terms, sizeof(double) * (size_t)all.n_terms) !=
                            0 ||
                        alone.fault[row] != all.fault[there])
                        fail_msg("environment %d differs alone in step %lld", env, (long long)row);
                }
                act_close(&alone);
            }
            act_close(&all);
        }
}

/* The term by its name, the reward `termination` alone, and the next episode healthy; terms without weight are not judged. */
static void faults_have_names(void **state) {
    (void)state;
    const myr_settings settings = settings_of("auto", "f32");
    myr_batch *batch = batch_of(ENVS, &settings);
    act_arrays out = act_open(batch, ENVS, 3);
    out.action[act_at(&out, 4, 1) * out.nu] = -0.99;
    act_run(batch, &out, 0, 0, 3, 1, MYR_AUTORESET_SAME_STEP);
    for (int env = 0; env < ENVS; env++)
        for (int step = 0; step < 3; step++) {
            const int64_t row = act_at(&out, env, step);
            if (env != 4 || step != 1) {
                if (out.fault[row]) fail_msg("environment %d has fault %d in step %d", env, out.fault[row], step);
                continue;
            }
            assert_string_equal(myr_batch_fault_name(batch, out.fault[row]), "reward.brittle");
            assert_true(out.terminated[row] && fabs(out.reward[row] + 2 * 0.02) < 1e-7);
            for (int k = 0; k < out.n_obs; k++) assert_true(isfinite(out.observation[row * out.n_obs + k]));
        }
    assert_null(myr_batch_fault_name(batch, MYR_QUARANTINE_SPEED));
    assert_null(myr_batch_fault_name(batch, 255));
    act_close(&out);
    myr_batch_free(batch);
}

/* What a critic sees has its own noise, takes none of the actor's, and is the same when it is asked for alone. */
static void critics_take_nothing(void **state) {
    (void)state;
    char without[sizeof text];
    size_t used = 0;
    for (const char *line = text; *line; line = strchr(line, '\n') + 1)
        if (!strstr(line, "critic") || strstr(line, "critic") > strchr(line, '\n'))
            used += (size_t)snprintf(without + used, sizeof without - used, "%.*s", (int)(strchr(line, '\n') + 1 - line), line);
    const myr_settings settings = settings_of("auto", "f64");
    myr_task_table *plain = NULL;
    MUST(myr_task_table_read(without, used, "fragile", &plain));
    myr_batch *with = batch_of(ENVS, &settings), *own = NULL;
    MUST(myr_batch_create_for(anymal, ENVS, &settings, plain, &own));
    myr_task_table_free(plain);
    act_arrays a = act_open(with, ENVS, STEPS), b = act_open(own, ENVS, STEPS);
    const size_t n = (size_t)a.n_critic;
    assert_true(n > 12 && b.n_critic == 0 && a.n_obs == b.n_obs);
    act_actions(&a, settings.first_env, 1), act_actions(&b, settings.first_env, 1);
    act_run(with, &a, 0, 0, STEPS, STEPS, MYR_AUTORESET_SAME_STEP), act_run(own, &b, 0, 0, STEPS, STEPS, MYR_AUTORESET_SAME_STEP);
    assert_memory_equal(a.observation, b.observation, sizeof(double) * (size_t)(ENVS * STEPS * a.n_obs));
    double seen[ENVS * 64], joints = 0;
    assert_true(n <= 64);
    MUST(myr_batch_observe_critic(with, MYR_F64, seen));
    for (int env = 0; env < ENVS; env++) {
        const int64_t row = act_at(&a, env, STEPS - 1);
        assert_memory_equal(seen + (size_t)env * n, a.critic + (size_t)row * n, sizeof(double) * n);
        for (int k = 0; k < 12; k++) { /* two noises about one length: +-0.01 and +-0.02; the actor's is the last of four */
            const double off = fabs(a.critic[row * a.n_critic + k] - a.observation[row * a.n_obs + 36 + k]);
            if (off > joints) joints = off;
        }
    }
    assert_true(joints > 0.01 && joints < 0.03 && myr_batch_critic_observations(with) == a.n_critic);
    act_close(&a), act_close(&b);
    myr_batch_free(with), myr_batch_free(own);
}

/* An observation without a number is 0, and the environment ends in the next control step, by the part's name. */
static void observations_have_names(void **state) {
    (void)state;
    static const char own[] =
        "myriapod_task 1\nname seer\nreward none 1 nothing\nobserve far the inverse\nmoment judge\noutput reward.none 0\n"
        "moment observe\ninput action\nfirst = slice action 0 1\nleft = sub 0.5 first\nfar = div 1 left\noutput far far\n";
    myr_task_table *seer = NULL;
    myr_batch *batch = NULL;
    const myr_settings settings = settings_of("auto", "f32");
    MUST(myr_task_table_read(own, sizeof own - 1, "seer", &seer));
    MUST(myr_batch_create_for(anymal, ENVS, &settings, seer, &batch));
    myr_task_table_free(seer);
    double action[ENVS * 12] = {0}, far[ENVS];
    uint8_t fault[ENVS], ended[ENVS];
    const myr_act act = {.steps = 1, .type = MYR_F64, .action = action, .observation = far, .fault = fault, .terminated = ended};
    action[7 * 12] = 0.5;
    MUST(myr_batch_act(batch, &act));
    for (int env = 0; env < ENVS; env++) assert_true(far[env] == (env == 7 ? 0 : 2) && !ended[env]);
    MUST(myr_batch_act(batch, &act));
    for (int env = 0; env < ENVS; env++) assert_true(ended[env] == (env == 7) && !fault[env] == (env != 7));
    assert_string_equal(myr_batch_fault_name(batch, fault[7]), "far");
    myr_batch_free(batch);
}

/* `act` and `step` stop an environment where they give what is not a number, and the others go on. */
static void targets_have_names(void **state) {
    (void)state;
    static const char *const moments[] = {"act", "step"}, *const names[] = {"target", "torque"};
    for (int m = 0; m < 2; m++) {
        char own[900];
        snprintf(own, sizeof own,
                 "myriapod_task 1\nname actor\nactions 1\nobserve action the action\nmoment act\ninput action\n%s%s%s\n"
                 "moment judge\noutput end.never 0\nmoment observe\ninput action\noutput action action\n",
                 m ? "input target\noutput target target\nmoment step\ninput action\n" : "",
                 "left = sub 0.5 action\nfar = div 1 left\nall = repeat far 12\noutput ", m ? "torque all" : "target all");
        myr_task_table *actor = NULL;
        myr_batch *batch = NULL;
        const myr_settings settings = settings_of("auto", "f32");
        MUST(myr_task_table_read(own, strlen(own), "actor", &actor));
        MUST(myr_batch_create_for(anymal, ENVS, &settings, actor, &batch));
        myr_task_table_free(actor);
        double action[ENVS] = {0};
        uint8_t fault[ENVS], ended[ENVS];
        const myr_act act = {.steps = 1, .type = MYR_F64, .action = action, .fault = fault, .terminated = ended};
        action[7] = 0.5;
        MUST(myr_batch_act(batch, &act));
        for (int env = 0; env < ENVS; env++)
            if (ended[env] != (env == 7) || !fault[env] != (env != 7))
                fail_msg("%s: environment %d has fault %d", moments[m], env, fault[env]);
        assert_string_equal(myr_batch_fault_name(batch, fault[7]), names[m]);
        action[7] = 0;
        MUST(myr_batch_act(batch, &act));
        for (int env = 0; env < ENVS; env++) assert_true(!ended[env]);
        myr_batch_free(batch);
    }
}

/* Targets about home, written as a program, are those of the library: the same bits at every delay, later than a control step, too. */
static void programs_act_as_the_library_does(void **state) {
    (void)state;
    static const char *const heads[] = {"", "actions 12\nmoment act\ninput action\ninput home_length\ninput setting.action-scale\n"
                                            "to = fma setting.action-scale action home_length\noutput target to\n"};
    for (int p = 0; p < 2; p++)
        for (int delay = 0; delay < 6; delay++) {
            act_arrays out[2];
            for (int m = 0; m < 2; m++) {
                char own[900];
                snprintf(own, sizeof own,
                         "myriapod_task 1\nname actor\nreward a 1\nobserve q joints\n%smoment start\noutput delay %d\n"
                         "moment judge\ninput q\na = sum q\noutput reward.a a\nmoment observe\ninput q\noutput q q\n",
                         heads[m], delay);
                myr_task_table *actor = NULL;
                myr_batch *batch = NULL;
                const myr_settings settings = settings_of("auto", p ? "f64" : "f32");
                MUST(myr_task_table_read(own, strlen(own), "actor", &actor));
                MUST(myr_batch_create_for(anymal, ENVS, &settings, actor, &batch));
                myr_task_table_free(actor);
                out[m] = act_open(batch, ENVS, STEPS);
                act_actions(&out[m], settings.first_env, 1);
                act_run(batch, &out[m], 0, 0, STEPS, 7, MYR_AUTORESET_SAME_STEP);
                myr_batch_free(batch);
            }
            act_assert_same("as a program", &out[1], &out[0]);
            act_close(&out[0]), act_close(&out[1]);
        }
}

static void memories_are_saved(void **state) {
    (void)state;
    for (int p = 0; p < 2; p++) {
        const myr_settings settings = settings_of("auto", p ? "f64" : "f32");
        char path[] = "/tmp/myriapod-task-XXXXXX";
        const int file = mkstemp(path);
        assert_true(file >= 0);
        close(file);
        act_arrays whole = run(&settings, ENVS, STEPS, MYR_AUTORESET_SAME_STEP);
        myr_batch *first = batch_of(ENVS, &settings), *second = batch_of(ENVS, &settings), *other = NULL;
        act_arrays out = act_open(first, ENVS, STEPS);
        act_actions(&out, settings.first_env, 1);
        act_run(first, &out, 0, 0, 11, 11, MYR_AUTORESET_SAME_STEP);
        MUST(myr_batch_save(first, path));
        MUST(myr_batch_restore(second, path));
        act_run(second, &out, 0, 11, STEPS, 5, MYR_AUTORESET_SAME_STEP);
        act_assert_same("saved", &out, &whole);
        /* A table of other programs keeps other things, whatever its name. */
        char changed[sizeof text];
        memcpy(changed, text, sizeof text);
        memcpy(strstr(changed, "0.9 act"), "0.8", 3);
        myr_task_table *off = NULL;
        MUST(myr_task_table_read(changed, sizeof changed - 1, "fragile", &off));
        MUST(myr_batch_create_for(anymal, ENVS, &settings, off, &other));
        MUST_FAIL(myr_batch_restore(other, path), MYR_E_FORMAT, "task");
        remove(path);
        myr_task_table_free(off);
        myr_batch_free(first), myr_batch_free(second), myr_batch_free(other);
        act_close(&out), act_close(&whole);
    }
}

static void steps_allocate_nothing(void **state) {
    (void)state;
    ledger l = {0};
    const myr_allocator counting = {count_allocation, count_release, &l};
    myr_set_allocator(&counting);
    const myr_settings settings = settings_of("auto", "f32");
    myr_batch *batch = batch_of(ENVS, &settings);
    act_arrays out = act_open(batch, ENVS, STEPS);
    act_actions(&out, settings.first_env, 1);
    const int before = l.calls;
    act_run(batch, &out, 0, 0, STEPS, 3, MYR_AUTORESET_SAME_STEP);
    MUST(myr_batch_reset(batch, NULL));
    assert_int_equal(l.calls, before);
    myr_batch_free(batch);
    act_close(&out);
    assert_int_equal(l.live, 0);
    myr_set_allocator(NULL);
}

static void memory_may_run_out(void **state) {
    (void)state;
    const myr_settings settings = settings_of("auto", "f32");
    for (int call = 1;; call++) {
        ledger l = {.fails_at = call};
        const myr_allocator counting = {count_allocation, count_release, &l};
        myr_set_allocator(&counting);
        myr_task_table *own = NULL;
        myr_batch *batch = NULL;
        myr_status status = myr_task_table_read(text, sizeof text - 1, "fragile", &own);
        if (!status) status = myr_batch_create_for(anymal, 3, &settings, own, &batch);
        myr_batch_free(batch);
        myr_task_table_free(own);
        myr_set_allocator(NULL);
        assert_int_equal(l.live, 0);
        if (status == MYR_OK) return;
        if (status != MYR_E_MEMORY) fail_msg("call %d: %s", call, myr_message());
        assert_true(call < 1000);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(fates_are_their_own),     cmocka_unit_test(faults_have_names),
                                       cmocka_unit_test(observations_have_names), cmocka_unit_test(critics_take_nothing),
                                       cmocka_unit_test(targets_have_names),      cmocka_unit_test(programs_act_as_the_library_does),
                                       cmocka_unit_test(memories_are_saved),      cmocka_unit_test(steps_allocate_nothing),
                                       cmocka_unit_test(memory_may_run_out)};
    return cmocka_run_group_tests(tests, open_model, close_model);
}

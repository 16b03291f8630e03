/* What a batch promises holds on a map, too: the problem that it shows is the one that its next step solves, with the normals of faces and
 * walls; and a recording has where on the map each robot is, as levels change.
 * ctest: heavy */
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "support/act_scene.h"

enum { ENVS = 21, SLOTS = 64, FRAMES = 6 };

static void problems_are_those_of_the_next_step(void **state) {
    (void)state;
    static const char *const maps[2] = {"rough", "stairs"};
    static double G[9 * SLOTS * SLOTS], c[3 * SLOTS], mu[SLOTS], start[3 * SLOTS], R[3 * SLOTS], impulse[3 * SLOTS], velocity[3 * SLOTS],
        minimum[3 * SLOTS], stepped[3 * 256];
    for (int map = 0; map < 2; map++) {
        const myr_settings settings = scene_settings("task", "trot", "terrain", maps[map], "precision", "f64", "tolerance", "1e-12",
                                                     "max-sweeps", "5000", "threads", "1", NULL);
        myr_batch *batch = scene_walkers(&settings, ENVS);
        int contacts = 0, slots[SLOTS];
        MUST(myr_batch_step(batch, 300));
        for (int64_t env = 0; env < ENVS; env++) {
            myr_problem_room room = {.room = SLOTS, .G = G, .c = c, .mu = mu, .start = start, .R = R, .slots = slots};
            myr_batch *copy = scene_walkers(&settings, ENVS);
            void *saved = malloc(myr_batch_state_bytes(batch));
            assert_non_null(saved);
            MUST(myr_batch_problem(batch, env, &room));
            contacts += room.contacts;
            const myr_contact_problem problem = {.contacts = room.contacts, .G = G, .c = c, .mu = mu, .start = start};
            myr_contact_result result = {.impulse = impulse, .velocity = velocity, .minimum = minimum};
            if (room.contacts) MUST(myr_solve_contacts(&problem, 1, &settings, &result));
            MUST(myr_batch_get_state(batch, &env, 1, saved));
            MUST(myr_batch_set_state(copy, &env, 1, saved));
            MUST(myr_batch_step(copy, 1));
            assert_true(myr_batch_components(copy, MYR_IMPULSE) <= (int)(sizeof stepped / sizeof *stepped));
            MUST(myr_batch_get(copy, MYR_IMPULSE, &env, 1, MYR_F64, stepped));
            for (int k = 0; k < 3 * room.contacts; k++) {
                const double got = stepped[3 * slots[k / 3] + k % 3];
                if (fabs(got - impulse[k]) > 1e-8)
                    fail_msg("%s, environment %d: number %d of the impulse at slot %d is %.12g in the step, and %.12g of the problem",
                             maps[map], (int)env, k % 3, slots[k / 3], got, impulse[k]);
            }
            free(saved);
            myr_batch_free(copy);
        }
        if (contacts < ENVS) fail_msg("%s: only %d contacts", maps[map], contacts);
        myr_batch_free(batch);
    }
}

/* Episodes of 0.1 s. Right before the end of each, every other robot is put beside its patch: its next one begins elsewhere. */
static void recordings_know_where_on_the_map(void **state) {
    (void)state;
    char path[] = "/tmp/myriapod-map-XXXXXX";
    static double seen[FRAMES][ENVS * 3], read[FRAMES * ENVS * 3];
    const myr_field fields[] = {MYR_Q, MYR_GROUND_AT};
    const myr_recording_plan plan = {.n = ENVS, .fields = fields, .n_fields = 2, .type = MYR_F64, .frame_s = 0.1};
    myr_settings settings =
        act_settings("task", "locomotion", "terrain", "stairs", "curriculum", "1", "episode", "0.1", "precision", "f64", NULL);
    myr_batch *batch = scene_walkers(&settings, ENVS);
    myr_recording *recording = NULL;
    const char *name;
    int components, moved = 0;
    const int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    MUST(myr_recording_create(batch, path, &plan, &recording));
    for (int frame = 0; frame < FRAMES; frame++) {
        act_arrays arrays = act_open(batch, ENVS, 5);
        act_run(batch, &arrays, 0, 0, 4, 4, MYR_AUTORESET_SAME_STEP);
        for (int64_t e = 0; e < ENVS; e += 2) {
            double q[19];
            MUST(myr_batch_get(batch, MYR_Q, &e, 1, MYR_F64, q));
            q[0] = 5;
            MUST(myr_batch_set(batch, MYR_Q, &e, 1, MYR_F64, q));
        }
        act_run(batch, &arrays, 0, 4, 5, 1, MYR_AUTORESET_SAME_STEP);
        act_close(&arrays);
        MUST(myr_recording_append(recording, batch));
        MUST(myr_batch_get(batch, MYR_GROUND_AT, NULL, ENVS, MYR_F64, seen[frame]));
        for (int k = 0; frame && k < 3 * ENVS; k++) moved += seen[frame][k] != seen[frame - 1][k];
    }
    MUST(myr_recording_close(recording));
    if (moved < ENVS) fail_msg("only %d numbers of ground_at changed", moved);
    MUST(myr_recording_open(path, &recording));
    MUST(myr_recording_get_field(recording, 1, &name, &components));
    assert_string_equal(name, "ground_at");
    assert_int_equal(components, 3);
    MUST(myr_recording_read(recording, 1, 0, FRAMES, MYR_F64, read));
    for (int frame = 0; frame < FRAMES; frame++) assert_memory_equal(read + (size_t)frame * ENVS * 3, seen[frame], sizeof seen[frame]);
    MUST(myr_recording_close(recording));
    myr_batch_free(batch);
    unlink(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(problems_are_those_of_the_next_step),
                                       cmocka_unit_test(recordings_know_where_on_the_map)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "floating_point.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "large_scene.h"

static char folder[] = "/tmp/myriapod-floating-XXXXXX";
static const char *const files[] = {"p.json", "r.rec", "b.batch", "map.npz", "map.xml", "map.bin"};

void strange_folder_make(void) { assert_non_null(mkdtemp(folder)); }

void strange_folder_remove(void) {
    for (size_t n = 0; n < sizeof files / sizeof *files; n++) unlink(strange_path(files[n]));
    rmdir(folder);
}

const char *strange_path(const char *name) {
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

void saw_batch(const myr_batch *batch) {
    static double values[STRANGE_ENVS * 2048];
    uint64_t hash;
    int components;
    for (int f = 0; f < MYR_FIELD_COUNT; f++) {
        IN(components = myr_batch_components(batch, (myr_field)f));
        if (components == 0) continue;
        IN_MUST(myr_batch_get(batch, (myr_field)f, NULL, STRANGE_ENVS, MYR_F64, values));
        saw("myr_batch_get", values, STRANGE_ENVS * (size_t)components * sizeof *values);
    }
    IN(hash = myr_batch_hash(batch));
    int64_t first, count;
    IN(myr_shard(1000, 1, 3, &first, &count));
    saw("shard", &first, sizeof first), saw("of it", &count, sizeof count);
    saw(strange_call, &hash, sizeof hash);
}

/* The contacts alone of that problem, in blocks. */
static void use_large(int contacts, const double *G, size_t stride, const double *c, const double *mu, const myr_settings *settings) {
    static double dense[300 * 300];
    const size_t m = 3 * (size_t)contacts;
    if (m > 300) return;
    for (size_t i = 0; i < m; i++) memcpy(dense + i * m, G + i * stride, m * sizeof *dense);
    large_scene s = large_scene_of(&(myr_contact_problem){.contacts = contacts, .G = dense, .c = c, .mu = mu});
    myr_settings mine = *settings;
    const char *name = "", *refusal;
    snprintf(mine.precision, sizeof mine.precision, "f64");
    mine.max_sweeps = 100;
    for (int i = 0; name; i++) {
        name = myr_solver_name(i);
        IN(refusal = myr_solver_large_refusal(name));
        if (!name || refusal) continue;
        snprintf(mine.solver, sizeof mine.solver, "%s", name);
        IN_MUST(myr_solve_large(&s.problem, 1, &mine, &s.result));
        saw(name, s.result.impulse, m * sizeof *dense), saw(name, s.result.velocity, m * sizeof *dense);
        saw(name, &s.result.residual, sizeof s.result.residual);
    }
    large_scene_free(&s);
}

static void use_problem(const myr_batch *batch, const myr_settings *settings) {
    enum { ROOM = 256, ROWS = 32, MOST = 3 * ROOM + ROWS };
    static double G[MOST * MOST], c[MOST], mu[ROOM], start[MOST], R[MOST], impulse[MOST], velocity[MOST], minimum[MOST], stairs[3 * ROWS];
    myr_problem_room room = {.room = ROOM, .room_rows = ROWS, .G = G, .c = c, .mu = mu, .start = start, .R = R, .stairs = stairs};
    for (int64_t env = 0; env < STRANGE_ENVS && room.contacts == 0; env++) IN_MUST(myr_batch_problem(batch, env, &room));
    const size_t m = 3 * (size_t)room.contacts + (size_t)room.rows;
    assert_true(room.contacts > 0);
    saw(strange_call, G, m * m * sizeof *G), saw(strange_call, c, m * sizeof *c),
        saw(strange_call, stairs, 3 * (size_t)room.rows * sizeof *stairs);
    myr_settings s = *settings;
    const char *name = "";
    for (int solver = 0; name; solver++) {
        IN(name = myr_solver_name(solver));
        if (!name) break;
        snprintf(s.solver, sizeof s.solver, "%s", name);
        s.max_sweeps = 100;
        const myr_contact_problem problem = {
            .contacts = room.contacts, .G = G, .c = c, .mu = mu, .start = start, .rows = room.rows, .stairs = stairs};
        myr_contact_result result = {.impulse = impulse, .velocity = velocity, .minimum = minimum};
        IN_MUST(myr_solve_contacts(&problem, 1, &s, &result));
        saw(name, impulse, m * sizeof *impulse), saw(name, velocity, m * sizeof *velocity), saw(name, minimum, m * sizeof *minimum);
        saw(name, &result.residual, sizeof result.residual), saw(name, &result.internal, sizeof result.internal);
    }
    use_large(room.contacts, G, m, c, mu, settings);
}

static void use_recording(myr_batch *batch) {
    static float values[STRANGE_ENVS * 64];
    const myr_field fields[] = {MYR_Q, MYR_RESIDUAL};
    const myr_recording_plan plan = {.n = STRANGE_ENVS, .fields = fields, .n_fields = 2, .type = MYR_F64, .frame_s = 0.1};
    const char *path = strange_path("r.rec"), *name;
    myr_recording *recording = NULL;
    myr_recording_info info;
    int components;
    IN_MUST(myr_recording_create(batch, path, &plan, &recording));
    IN_MUST(myr_recording_append(recording, batch));
    IN_MUST(myr_recording_close(recording));
    IN_MUST(myr_recording_open(path, &recording));
    IN(myr_recording_get_info(recording, &info));
    saw(strange_call, &info.frame_s, sizeof info.frame_s);
    IN_MUST(myr_recording_get_field(recording, 0, &name, &components));
    IN_MUST(myr_recording_read(recording, 0, 0, 1, MYR_F32, values));
    saw(strange_call, values, STRANGE_ENVS * (size_t)components * sizeof *values);
    IN_MUST(myr_recording_close(recording));
}

void use_strange_batch(const myr_model *model, const myr_settings *settings) {
    static double state[STRANGE_ENVS * 64 * 3], control[STRANGE_ENVS * 64 * 3];
    const double gravity[3] = {0.1, NAN, 1e-310}; /* to be rounded, to trap, to be flushed */
    const int64_t env = 7, other = 8;
    myr_settings seen = *settings;
    uint8_t mask[STRANGE_ENVS] = {[3] = 1}, geoms[256];
    myr_batch *batch = NULL;
    myr_batch_info info;
    myr_view view;
    size_t bytes;
    memset(geoms, 1, sizeof geoms), memset(state, 0, sizeof state);
    seen.sense_acceleration = seen.sense_bodies = seen.sense_contacts = 1;
    IN_MUST(myr_batch_create(model, STRANGE_ENVS, &seen, &batch));
    const myr_model *stepped;
    IN(stepped = myr_batch_model(batch));
    assert_ptr_equal(stepped, model);
    double open = 1;
    IN_MUST(myr_batch_close_loops(batch, &env, 1, &open));
    saw(strange_call, &open, sizeof open);
    scene_disturb(batch, model, 6);
    IN_MUST(myr_batch_refresh(batch));
    IN_MUST(myr_batch_set(batch, MYR_GRAVITY, &env, 1, MYR_F64, gravity));
    IN_MUST(myr_batch_step(batch, 3));
    saw_batch(batch);
    IN_MUST(myr_batch_set_collision(batch, geoms));
    for (int i = 0; i < STRANGE_ENVS * 64 * 3; i++) control[i] = 0.01 * (i % 11);
    const myr_rollout rollout = {.steps = 3, .control_field = MYR_TARGET, .type = MYR_F64, .control = control, .state = state};
    IN_MUST(myr_batch_rollout(batch, &rollout));
    saw(strange_call, state, sizeof state);
    IN_MUST(myr_batch_reset(batch, mask));
    IN_MUST(myr_batch_copy(batch, &other, &env, 1));
    IN_MUST(myr_batch_view(batch, MYR_Q, &view));
    IN(bytes = myr_batch_state_bytes(batch));
    void *states = malloc(bytes);
    assert_non_null(states);
    IN_MUST(myr_batch_get_state(batch, &other, 1, states));
    saw(strange_call, states, bytes);
    IN_MUST(myr_batch_set_state(batch, &env, 1, states));
    free(states);
    const char *path = strange_path("b.batch");
    IN_MUST(myr_batch_save(batch, path));
    IN_MUST(myr_batch_step(batch, 2));
    IN_MUST(myr_batch_restore(batch, path));
    IN_MUST(myr_batch_restore_part(batch, path));
    IN_MUST(myr_batch_step(batch, 2));
    saw_batch(batch);
    myr_stats stats;
    IN(myr_batch_stats(batch, &stats));
    saw(strange_call, &stats.contacts_mean, sizeof stats.contacts_mean),
        saw(strange_call, &stats.iterations_mean, sizeof stats.iterations_mean);
    saw(strange_call, &stats.residual_p99, sizeof stats.residual_p99),
        saw(strange_call, &stats.lane_occupancy, sizeof stats.lane_occupancy);
    IN(myr_batch_clear_stats(batch));
    IN(myr_batch_get_info(batch, &info));
    saw(strange_call, &info.bytes_per_env, sizeof info.bytes_per_env);
    IN(myr_batch_warning(batch, 0));
    use_recording(batch);
    use_problem(batch, settings);
    IN_MUST(myr_batch_restart(batch, 9));
    IN_MUST(myr_batch_step(batch, 2));
    saw_batch(batch);
    IN(myr_batch_free(batch));
}

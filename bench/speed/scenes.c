/* What many contacts are like in a simulation: a robot stands, sways, lies limp or falls; how its solves end and what a step takes.
 *
 *   scenes MODEL [scene=stand] [gain=10] [seconds=2] [settle=0] [height=1] [move=JOINT:AMPLITUDE:HZ:TURNS ...]
 *          [place=JOINT:X:Y:Z] [dump=FILE] [count=100] [KEY=VALUE ...]                                   any setting, such as dt=0.002
 * envs=256
 *
 * - stand: every actuator holds home by PD; the robots begin with joint velocities of up to 0.1 rad/s
 * - sway: the same, and the targets swing about home by 0.1 rad at 1 Hz, each joint at a phase of its own
 * - limp: nothing drives them; they collapse
 * - fall: nothing drives them; free bodies begin `height` [m] higher, turned any way, joints up to 0.3 rad from home
 *
 * `gain`: kp is this times the robot's mass in [N m/rad], kd a tenth of kp; `kp=`, `kd=` win. `move` swings the target of one joint by
 * AMPLITUDE [rad], from TURNS of a turn on, beside what the scene does. The first `settle` seconds do not count. `dump` writes `count`
 * problems of those with a contact or a row, evenly over steps and robots, as `myriapod solve` reads them. Targets change every 10 ms. One
 * JSON object; ns_per_step is processor time, of one thread. */
#include <math.h>

#include "../tools/clock.h"
#include "../tools/draw.h"
#include "../tools/must.h"

enum { MOST_MOVES = 32 };

typedef struct move {
    int u;
    double amplitude, hz, turns;
} move;

typedef struct scene {
    const char *name, *model_name, *dump;
    double gain, seconds, settle, height;
    int n_moves, count;
    const char *place;
    const char *moves[MOST_MOVES];
    move move[MOST_MOVES];
    myr_model *model;
    myr_model_info size;
    myr_settings settings;
    myr_batch *batch;
    double *home, *target, *q, *v;
    uint64_t random;
} scene;

/* In (-1, 1]. */
static double either_way(scene *s) { return 2 * uniform(&s->random) - 1; }

/* Home as targets, by actuator; and the joints that are to move. */
static void find_targets(scene *s) {
    for (int j = 0; j < s->size.n_joints; j++) {
        myr_joint_info joint;
        must(myr_model_get_joint(s->model, j, &joint));
        if (joint.u < 0) continue;
        s->target[joint.u] = s->home[joint.q];
        for (int i = 0; i < s->n_moves; i++) {
            move *m = &s->move[i];
            const size_t length = strlen(joint.name);
            if (strncmp(s->moves[i], joint.name, length) || s->moves[i][length] != ':') continue;
            if (sscanf(s->moves[i] + length, ":%lf:%lf:%lf", &m->amplitude, &m->hz, &m->turns) == 3) m->u = joint.u;
        }
    }
    for (int i = 0; i < s->n_moves; i++)
        if (s->move[i].u < 0) {
            fprintf(stderr, "scenes: move=%s: no such joint that is actuated, or not JOINT:AMPLITUDE:HZ:TURNS\n", s->moves[i]);
            exit(2);
        }
}

/* A free body's pose: higher, and turned any way (a normal draw in four dimensions, near enough). */
static void toss(scene *s, double *q) {
    double length = 0;
    q[2] += s->height;
    for (int k = 3; k < 7; k++) q[k] = either_way(s) + either_way(s) + either_way(s), length += q[k] * q[k];
    for (int k = 3; k < 7; k++) q[k] /= sqrt(length);
}

/* Home with the body that is to be somewhere else there. */
static void find_home(scene *s) {
    myr_model_home(s->model, s->home);
    int found = !s->place;
    for (int j = 0; j < s->size.n_joints && !found; j++) {
        myr_joint_info joint;
        must(myr_model_get_joint(s->model, j, &joint));
        const size_t length = strlen(joint.name);
        double *q = s->home + joint.q;
        if (joint.nv == 6 && !strncmp(s->place, joint.name, length) && s->place[length] == ':')
            found = sscanf(s->place + length, ":%lf:%lf:%lf", q, q + 1, q + 2) == 3;
    }
    if (found) return;
    fprintf(stderr, "scenes: place=%s: no such free joint, or not JOINT:X:Y:Z\n", s->place);
    exit(2);
}

static void begin(scene *s) {
    const size_t nq = (size_t)s->size.nq, nv = (size_t)s->size.nv;
    const int falls = !strcmp(s->name, "fall"), limp = falls || !strcmp(s->name, "limp");
    for (size_t env = 0; env < (size_t)s->settings.envs; env++)
        for (int j = 0; j < s->size.n_joints; j++) {
            myr_joint_info joint;
            must(myr_model_get_joint(s->model, j, &joint));
            double *q = s->q + env * nq + (size_t)joint.q, *v = s->v + env * nv + (size_t)joint.v;
            memcpy(q, s->home + joint.q, (size_t)joint.nq * sizeof *q);
            if (joint.nv == 6 && falls) toss(s, q);
            if (joint.nv != 1) continue;
            if (falls) *q = fmin(fmax(*q + 0.3 * either_way(s), joint.lower), joint.upper);
            *v = (limp ? 1 : 0.1) * either_way(s);
        }
    must(myr_batch_set(s->batch, MYR_Q, NULL, s->settings.envs, MYR_F64, s->q));
    must(myr_batch_set(s->batch, MYR_V, NULL, s->settings.envs, MYR_F64, s->v));
    must(myr_batch_close_loops(s->batch, NULL, s->settings.envs, NULL));
}

/* The targets of all robots at `time`. */
static void drive(scene *s, double *targets, double time) {
    const size_t nu = (size_t)s->size.nu;
    const double turn = 6.283185307179586;
    const int sways = !strcmp(s->name, "sway");
    for (size_t env = 0; env < (size_t)s->settings.envs; env++) {
        double *to = targets + env * nu;
        for (size_t u = 0; u < nu; u++)
            to[u] = s->target[u] + (sways ? 0.1 * sin(turn * (time + 0.37 * (double)u + 0.61 * (double)env)) * fmin(1, time) : 0);
        for (int i = 0; i < s->n_moves; i++) {
            const move *m = &s->move[i];
            to[m->u] += m->amplitude * sin(turn * (m->hz * time + m->turns)) * fmin(1, time);
        }
    }
    if (nu) must(myr_batch_set(s->batch, MYR_TARGET, NULL, s->settings.envs, MYR_F64, targets));
}

static void write_list(FILE *file, const double *value, size_t n) {
    fputc('[', file);
    for (size_t i = 0; i < n; i++) {
        if (i) fputs(", ", file);
        if (isinf(value[i]))
            fputs("null", file);
        else
            fprintf(file, "%.17g", value[i]);
    }
    fputc(']', file);
}

static void write_numbers(FILE *file, const char *name, const double *value, size_t n) {
    fprintf(file, ", \"%s\": ", name);
    write_list(file, value, n);
}

static void write_matrix(FILE *file, const char *name, const double *value, size_t rows, size_t columns) {
    fprintf(file, ", \"%s\": [", name);
    for (size_t i = 0; i < rows; i++) {
        if (i) fputs(", ", file);
        write_list(file, value + i * columns, columns);
    }
    fputc(']', file);
}

/* The problem that environment `env` is about to solve; 0 where it has none. */
static int dump_problem(scene *s, FILE *file, myr_problem_room *room, int64_t env, double time, int first) {
    must(myr_batch_problem(s->batch, env, room));
    const size_t nc = (size_t)room->contacts, nr = (size_t)room->rows, m = 3 * nc + nr;
    if (!m) return 0;
    fprintf(file, "%s{\"id\": \"%s-%s-%lld-%g\"", first ? "" : ",\n", s->model_name, s->name, (long long)env, time);
    write_numbers(file, "mu", room->mu, nc);
    write_numbers(file, "c", room->c, m);
    write_numbers(file, "start", room->start, m);
    write_matrix(file, "rows", room->stairs, nr, 3);
    write_matrix(file, "G", room->G, m, m);
    fputs("}", file);
    return 1;
}

static void run(scene *s, double *ns) {
    const double dt = s->settings.dt_s;
    const int64_t chunk = (int64_t)fmax(1, round(0.01 / dt)), chunks = (int64_t)(s->seconds / (dt * (double)chunk) + 0.5),
                  settled = (int64_t)(s->settle / (dt * (double)chunk) + 0.5);
    const size_t n = (size_t)s->size.n_slots, rows = (size_t)s->size.n_rows, m = 3 * n + rows;
    double *targets = allocate((size_t)s->settings.envs * (size_t)s->size.nu), spent = 0;
    myr_problem_room room = {.room = s->size.n_slots,
                             .room_rows = s->size.n_rows,
                             .G = allocate(m * m),
                             .c = allocate(m),
                             .mu = allocate(n),
                             .start = allocate(m),
                             .R = allocate(m),
                             .slots = allocate(n),
                             .stairs = allocate(3 * rows),
                             .row_ids = allocate(rows)};
    FILE *file = s->dump ? fopen(s->dump, "w") : NULL;
    int written = 0;
    if (file) fputs("{\"problems\": [\n", file);
    for (int64_t k = 0; k < settled + chunks; k++) {
        drive(s, targets, (double)k * dt * (double)chunk);
        if (k == settled) myr_batch_clear_stats(s->batch);
        /* as many as are due by now, from robots a golden section apart */
        for (int64_t tries = 0;
             file && k >= settled && tries < 8 && (double)written * (double)chunks < (double)(k - settled + 1) * s->count; tries++) {
            const int64_t env = (int64_t)(0.6180339887498949 * (double)(written + tries + k) * (double)s->settings.envs) % s->settings.envs;
            written += dump_problem(s, file, &room, env, (double)k * dt * (double)chunk, written == 0);
        }
        const double start = thread_seconds();
        must(myr_batch_step(s->batch, chunk));
        if (k >= settled) spent += thread_seconds() - start;
    }
    if (file) fputs("]}\n", file), fclose(file);
    *ns = 1e9 * spent / ((double)(chunks * chunk) * (double)s->settings.envs);
    double *lists[] = {room.G, room.c, room.mu, room.start, room.R, room.stairs, targets};
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++) free(lists[k]);
    free(room.slots);
    free(room.row_ids);
}

static void report(const scene *s, double ns) {
    myr_stats stats;
    myr_batch_stats(s->batch, &stats);
    const double solves = (double)(stats.active_steps ? stats.active_steps : 1);
    const double figures[] = {stats.residual_p99, stats.residual_max, stats.residual_ncp_p99, stats.residual_ncp_max};
    const char *const names[] = {"residual_p99", "residual_max", "law_p99", "law_max"};
    printf("{\"model\": \"%s\", \"scene\": \"%s\", \"dt\": %g, \"precision\": \"%s\", \"solver\": \"%s\", \"robot_steps\": %lld, "
           "\"solves\": %lld, "
           "\"not_converged\": %lld, \"share\": %.3e, \"contacts\": %.2f, \"sweeps\": %.2f, \"sweeps_p99\": %lld, ",
           s->model_name, s->name, s->settings.dt_s, s->settings.precision, s->settings.solver, (long long)stats.robot_steps,
           (long long)stats.active_steps, (long long)stats.not_converged, (double)stats.not_converged / solves, stats.contacts_mean,
           stats.iterations_mean, (long long)stats.iterations_p99);
    for (int k = 0; k < 4; k++) printf("\"%s\": %.2e, ", names[k], isnan(figures[k]) ? 0 : figures[k]);
    printf("\"ns_per_step\": %.0f, \"quarantined\": %lld}\n", ns, (long long)stats.quarantined);
}

static void read_word(scene *s, char *word) {
    const char *value = cut_word(word);
    const struct {
        const char *key;
        double *to;
    } numbers[] = {{"gain", &s->gain}, {"seconds", &s->seconds}, {"settle", &s->settle}, {"height", &s->height}};
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
        if (!strcmp(word, numbers[k].key)) {
            *numbers[k].to = strtod(value, NULL);
            return;
        }
    if (!strcmp(word, "scene"))
        s->name = value;
    else if (!strcmp(word, "dump"))
        s->dump = value;
    else if (!strcmp(word, "place"))
        s->place = value;
    else if (!strcmp(word, "count"))
        s->count = atoi(value);
    else if (!strcmp(word, "move") && s->n_moves < MOST_MOVES)
        s->move[s->n_moves].u = -1, s->moves[s->n_moves++] = value;
    else
        must(myr_settings_set(&s->settings, word, value));
}

int main(int argc, char **argv) {
    scene s = {.name = "stand", .gain = 10, .seconds = 2, .height = 1, .count = 100, .random = 7, .settings = myr_settings_default()};
    if (argc < 2) {
        fputs("usage: scenes MODEL [scene=stand|sway|limp|fall] [gain=10] [seconds=2] [settle=0] [height=1] [move=JOINT:AMPLITUDE:HZ:TURNS "
              "...]\n"
              "              [dump=FILE] [count=100] [KEY=VALUE ...]\n",
              stderr);
        return 2;
    }
    s.settings.envs = 256;
    must(myr_settings_set(&s.settings, "task", "none"));
    must(myr_settings_set(&s.settings, "threads", "1"));
    for (int i = 2; i < argc; i++) read_word(&s, argv[i]);
    const char *slash = strrchr(argv[1], '/');
    s.model_name = slash ? slash + 1 : argv[1];
    must(myr_model_load(argv[1], wanted_root(&s.settings), &s.model));
    myr_model_get_info(s.model, &s.size);
    const int driven = !strcmp(s.name, "stand") || !strcmp(s.name, "sway");
    if (driven && s.settings.kp < 0) s.settings.kp = s.gain * s.size.mass_kg;
    if (driven && s.settings.kd < 0) s.settings.kd = 0.1 * s.settings.kp;
    must(myr_batch_create(s.model, s.settings.envs, &s.settings, &s.batch));
    s.settings.dt_s = step_length(s.batch);
    const size_t envs = (size_t)s.settings.envs;
    s.home = allocate((size_t)s.size.nq), s.target = allocate((size_t)s.size.nu);
    s.q = allocate(envs * (size_t)s.size.nq), s.v = allocate(envs * (size_t)s.size.nv);
    find_home(&s);
    find_targets(&s);
    begin(&s);
    double ns;
    run(&s, &ns);
    report(&s, ns);
    double *lists[] = {s.home, s.target, s.q, s.v};
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++) free(lists[k]);
    myr_batch_free(s.batch);
    myr_model_free(s.model);
    return 0;
}

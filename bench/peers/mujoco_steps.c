/* MuJoCo on a task of ours, one robot after the other on one thread: nanoseconds per mj_step, contacts, solver iterations, and how far
 * the contacts are from the law.
 *
 *   mujoco_steps MODEL.xml TASK ENVS WARMUP STEPS SEED
 *
 * TASK: stand, trot, hang, drop, random. The model has one keyframe (home, lowest foot on the ground), 12 position actuators (none for hang
 * and drop) and dt in it. The tasks' numbers are tasks/hwangbo.h, included from the command line, and what they mean is batch/reset.lane.h
 * and tasks/hwangbo.lane.h in scalar. Controls are computed before the clock starts; a robot stays in cache for its whole episode.
 * First all robots are timed; then the first quarter goes again with a look at its contacts every tenth step. */
#include <math.h>
#include <mujoco/mujoco.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include "../tools/draw.h"
#include "../tools/quantiles.h"

enum { NU = 12, EVERY = 10 };

typedef struct task {
    const char *name;
    int thrown, driven;
    double height;
} task;
static const task tasks[] = {{"stand", 0, 1, 0},
                             {"trot", 0, 1, 0},
                             {"hang", 1, 0, MYR_THROW_HEIGHT_M},
                             {"drop", 1, 0, MYR_THROW_HEIGHT_M},
                             {"random", 1, 1, MYR_RANDOM_HEIGHT_M}};

typedef struct run {
    const mjModel *m;
    mjData *d;
    const task *task;
    double *control; /* (steps of warm-up and timed, NU) */
    double phase;
    uint64_t random;
    int at_rest, clock;
} run;

typedef struct figures {
    double seconds;
    int64_t steps, contacts, active, iterations, bad;
    samples iteration, depth, ncp, slip;
} figures;

static double now_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double normal(uint64_t *state) { return sqrt(-2 * log(uniform(state))) * cos(2 * mjPI * uniform(state)); }

static void reset(run *r) {
    mj_resetDataKeyframe(r->m, r->d, 0);
    double *q = r->d->qpos;
    const double heading = 2 * mjPI * uniform(&r->random);
    q[3] = cos(heading / 2), q[6] = sin(heading / 2), q[4] = q[5] = 0;
    q[2] += r->task->height;
    for (int k = 0; k < NU && r->task->thrown; k++) q[7 + k] += MYR_JITTER * (2 * uniform(&r->random) - 1);
    if (strcmp(r->task->name, "drop") == 0) r->d->qvel[0] = MYR_DROP_SPEED * cos(heading), r->d->qvel[1] = MYR_DROP_SPEED * sin(heading);
    r->at_rest = r->clock = 0;
}

/* References of one robot for all its steps. */
static void plan(run *r, int64_t steps) {
    const double *home = r->m->key_qpos + 7, dt = r->m->opt.timestep;
    const int64_t hold = (int64_t)(MYR_RANDOM_HOLD_S / dt + 0.5);
    for (int64_t step = 0; step < steps; step++) {
        double *u = r->control + NU * step;
        memcpy(u, step && strcmp(r->task->name, "random") == 0 ? u - NU : home, NU * sizeof *u);
        if (strcmp(r->task->name, "random") == 0 && step % hold == 0)
            for (int k = 0; k < NU; k++) u[k] = home[k] + MYR_RANDOM_DEVIATION * normal(&r->random);
        if (strcmp(r->task->name, "trot") == 0) {
            r->phase = fmod(r->phase + dt / MYR_TROT_PERIOD_S, 1);
            const double angle = 2 * mjPI * r->phase;
            for (int leg = 0; leg < 4; leg++) {
                const double sign = leg == 0 || leg == 3 ? 1 : -1, fold = home[3 * leg + 2] < 0 ? -1 : 1;
                u[3 * leg + 1] += sign * MYR_TROT_HIP * cos(angle);
                u[3 * leg + 2] += fold * MYR_TROT_KNEE * fmax(sign * sin(angle), 0);
            }
        }
    }
}

/* Drop: at rest long enough; random: after its time. */
static int is_over(run *r) {
    const double dt = r->m->opt.timestep;
    r->clock++;
    if (strcmp(r->task->name, "random") == 0) return r->clock >= (int)(MYR_RANDOM_EPISODE_S / dt + 0.5);
    if (strcmp(r->task->name, "drop") != 0) return 0;
    double fastest = 0;
    for (int k = 0; k < r->m->nv; k++) fastest = fmax(fastest, fabs(r->d->qvel[k]));
    r->at_rest = fastest < MYR_REST_SPEED ? r->at_rest + 1 : 0;
    return r->at_rest >= (int)(MYR_REST_S / dt + 0.5);
}

/* CONTACT.md's residual_ncp of one contact, absolute: distance from the cone, from the dual cone, complementarity over its larger factor.
 */
static double ncp_violation(const double l[3], const double w[3], double mu) { /* tangential x, y, normal */
    const double lt = hypot(l[0], l[1]), wt = hypot(w[0], w[1]), secant = 1 / sqrt(1 + mu * mu), x = w[2] + mu * wt;
    const double to_cone = mu * lt + l[2] <= 0 ? hypot(lt, l[2]) : fmax(lt - mu * l[2], 0) * secant;
    const double to_dual = mu * x + wt <= 0 ? hypot(x, wt) : fmax(-w[2], 0) * secant;
    const double larger = fmax(hypot(lt, l[2]), hypot(x, wt)), product = fabs(l[0] * w[0] + l[1] * w[1] + l[2] * x);
    return fmax(fmax(to_cone, to_dual), larger > 0 ? product / larger : 0);
}

/* After a step: the forces and Jacobians are still those that it used, the velocity is the new one. */
static void look(const run *r, figures *f, double *velocity) {
    const mjModel *m = r->m;
    mjData *d = r->d;
    double worst = 0;
    int active = 0;
    if (d->nefc) mj_mulJacVec(m, d, velocity, d->qvel);
    for (int i = 0; i < d->ncon; i++) {
        const mjContact *contact = &d->contact[i];
        if (contact->efc_address < 0) continue;
        const double mu = contact->friction[0], *rows = velocity + contact->efc_address;
        double force[6], l[3], w[3] = {rows[1], rows[2], rows[0]};
        if (mj_isPyramidal(m)) /* rows are normal +- mu tangent */
            w[0] = (rows[0] - rows[1]) / (2 * mu), w[1] = (rows[2] - rows[3]) / (2 * mu), w[2] = (rows[0] + rows[1]) / 2;
        mj_contactForce(m, d, i, force);
        for (int k = 0; k < 3; k++) l[k] = m->opt.timestep * force[(k + 1) % 3];
        samples_add(&f->depth, fmax(0, -contact->dist));
        if (hypot(l[0], l[1]) < 0.99 * mu * l[2]) samples_add(&f->slip, hypot(w[0], w[1]));
        worst = fmax(worst, ncp_violation(l, w, mu));
        active = 1;
    }
    if (active) samples_add(&f->ncp, worst);
}

static void count(const mjData *d, figures *f) {
    int iterations = 0;
    for (int k = 0; k < d->nisland && k < mjNISLAND; k++) iterations += d->solver_niter[k];
    f->contacts += d->ncon;
    if (!d->ncon) return;
    f->active++;
    f->iterations += iterations;
    samples_add(&f->iteration, iterations);
}

static void step(run *r, const double *control) {
    if (r->m->nu) memcpy(r->d->ctrl, control, NU * sizeof *control);
    mj_step(r->m, r->d);
    if (is_over(r)) reset(r);
}

static void go(run *r, int64_t warmup, int64_t steps, int looking, figures *f, double *velocity) {
    reset(r);
    r->phase = uniform(&r->random);
    plan(r, warmup + steps);
    const double *control = r->control;
    for (int64_t s = 0; s < warmup; s++, control += NU) step(r, control);
    const double start = now_s();
    for (int64_t s = 0; s < steps; s++, control += NU) {
        step(r, control);
        if (looking && s % EVERY == 0) look(r, f, velocity);
        if (looking) count(r->d, f);
    }
    f->seconds += now_s() - start;
    f->steps += steps;
    for (int k = 0; k < mjNWARNING; k++) f->bad += r->d->warning[k].number;
}

static int64_t number(const char *word) {
    char *end;
    const long long value = strtoll(word, &end, 10);
    if (*end || value < 0) {
        fprintf(stderr, "\"%s\" is not a count\n", word);
        exit(2);
    }
    return value;
}

int main(int argc, char **argv) {
    char message[1000] = "";
    const task *chosen = NULL;
    for (size_t k = 0; k < sizeof tasks / sizeof *tasks; k++)
        if (argc == 7 && strcmp(argv[2], tasks[k].name) == 0) chosen = &tasks[k];
    if (!chosen) {
        fputs("usage: mujoco_steps MODEL.xml stand|trot|hang|drop|random ENVS WARMUP STEPS SEED\n", stderr);
        return 2;
    }
    const int64_t envs = number(argv[3]), warmup = number(argv[4]), steps = number(argv[5]), seed = number(argv[6]);
    mjModel *m = mj_loadXML(argv[1], NULL, message, sizeof message);
    if (!m || m->nkey != 1 || m->nq != 7 + NU || m->nu != (chosen->driven ? NU : 0)) {
        fprintf(stderr, "%s: %s\n", argv[1], m ? "not a model written for this task" : message);
        return 1;
    }
    run r = {.m = m, .d = mj_makeData(m), .task = chosen, .control = calloc((size_t)(warmup + steps) + 1, NU * sizeof(double))};
    double *velocity = calloc(1000, sizeof *velocity);
    if (!r.d || !r.control || !velocity) {
        fputs("out of memory\n", stderr);
        return 1;
    }
    figures timed = {0}, seen = {0};
    for (int64_t env = 0; env < envs; env++) {
        r.random = (uint64_t)(seed * 1000003 + env);
        go(&r, warmup, steps, 0, &timed, velocity);
    }
    for (int64_t env = 0; env < (envs + 3) / 4; env++) {
        r.random = (uint64_t)(seed * 1000003 + env);
        go(&r, warmup, steps, 1, &seen, velocity);
    }
    printf("{\"version\": \"%s\", \"ns_per_step\": %.1f, \"envs\": %lld, \"contacts_mean\": %.4f, \"iterations_mean\": %.4f, \"warnings\": "
           "%lld, ",
           mj_versionString(), 1e9 * timed.seconds / (double)timed.steps, (long long)envs, (double)seen.contacts / (double)seen.steps,
           seen.active ? (double)seen.iterations / (double)seen.active : 0, (long long)(timed.bad + seen.bad));
    samples_print(&seen.iteration, "iterations"), fputs(", ", stdout);
    samples_print(&seen.depth, "depth_m"), fputs(", ", stdout);
    samples_print(&seen.ncp, "residual_ncp"), fputs(", ", stdout);
    samples_print(&seen.slip, "creep_m_per_s"), puts("}");
    free(velocity);
    free(r.control);
    mj_deleteData(r.d);
    mj_deleteModel(m);
    return 0;
}

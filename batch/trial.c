/* A task that is to keep a pose, tried when its batch is made: do the gains keep it without actions? Nothing simpler than the step itself
 * knows: contacts, limits of torque and loops all have a say. So the first environments begin as their episodes do, in a batch of their
 * own, and where most of them end by failing a warning says so before anybody waits for it. */
#include <math.h>
#include <stdio.h>

#include "batch/batch.h"
#include "base/memory.h"
#include "myriapod/act.h"
#include "tasks/task.h"

enum { TRIED = 16, CHUNK = 16, MOST_STEPS = 4000 };
static const double nudge = 0.02; /* [rad], [m/s], [rad/s]: what balances on an edge is not held */
static const double tried_s = 2;  /* twice as long where some have fallen by then; MOST_STEPS at most */

typedef struct trial {
    int fell;          /* of TRIED, by failing and not by time */
    int64_t one;       /* the first of them */
    double first_s, s; /* when that was; how long it was tried, or until more than half had fallen */
    char limit[160];   /* of the first: ", with .. at its limit" */
} trial;

/* An actuator that wants more than it may give. */
static myr_status find_limit(const myr_batch *b, trial *t) {
    const myr_model *m = &b->model;
    const size_t n = (size_t)(m->nq + m->nv + 3 * m->nu);
    double *q = myr_allocate_array(n, sizeof *q), *v = q + m->nq, *kp = v + m->nv, *kd = kp + m->nu, *target = kd + m->nu;
    if (!q) return myr_fail(MYR_E_MEMORY, "no memory for a trial of '%s'", m->name);
    const struct {
        myr_field field;
        double *to;
    } reads[] = {{MYR_Q, q}, {MYR_V, v}, {MYR_KP, kp}, {MYR_KD, kd}, {MYR_TARGET, target}};
    myr_status status = MYR_OK;
    for (size_t k = 0; k < sizeof reads / sizeof *reads && !status; k++)
        status = myr_batch_get(b, reads[k].field, &t->one, 1, MYR_F64, reads[k].to);
    for (int u = 0; u < m->nu && !status && !t->limit[0]; u++) {
        const myr_actuator *a = &m->actuators[u];
        double rate = 0;
        for (int i = 0; i < a->n; i++) rate += a->moment[i] * v[m->bodies[a->joint[i]].v];
        const double wish = kp[u] * (target[u] - myr_actuator_length(m, u, q)) - kd[u] * rate, limit = wish < 0 ? -a->lower : a->upper;
        if (fabs(wish) > limit) snprintf(t->limit, sizeof t->limit, ", with actuator `%.80s` at its limit of %.3g N m", a->name, limit);
    }
    myr_release(q);
    return status;
}

static myr_status run(const myr_batch *of, const myr_settings *settings, trial *t) {
    const double control_s = of->options.dt_s * of->options.decimation;
    const double room = (double)MOST_STEPS / of->options.decimation, steps = tried_s / control_s + 0.5;
    const int most = (int)fmin(steps, room), doubt = (int)fmin(2 * steps, room);
    uint8_t ended[TRIED * CHUNK];
    const myr_act act = {.steps = CHUNK, .autoreset = MYR_AUTORESET_DISABLED, .type = MYR_F32, .terminated = ended};
    myr_batch *batch = NULL;
    myr_status status = myr_batch_make(of->source, TRIED, settings, of->options.task->table, &batch);
    *t = (trial){0};
    for (int step = 0; step < (t->fell ? doubt : most) && 2 * t->fell <= TRIED && !status; step += CHUNK) {
        if ((status = myr_batch_act(batch, &act))) break;
        for (int k = 0; k < CHUNK; k++)
            for (int env = 0; env < TRIED; env++) {
                if (!ended[env * CHUNK + k]) continue;
                if (!t->fell++) t->one = env, t->first_s = (step + k + 1) * control_s;
            }
        t->s = (step + CHUNK) * control_s;
    }
    if (!status && t->fell) status = find_limit(batch, t);
    myr_batch_free(batch);
    return status;
}

static int most(const trial *t) { return 2 * t->fell > TRIED; }

static void say(myr_batch *batch, const trial *drawn, const trial *quiet) {
    const char *name = batch->model.name;
    if (most(quiet))
        snprintf(
            batch->warning, sizeof batch->warning,
            "`%.100s` falls: its gains do not hold its home pose. From within %g rad of it, nearly at rest, %d of %d robots fall within "
            "%.2g s without action, the first after %.2g s%s. Set 'kp' and 'kd', or another home pose",
            name, nudge, quiet->fell, TRIED, quiet->s, quiet->first_s, quiet->limit);
    else
        snprintf(
            batch->warning, sizeof batch->warning,
            "`%.100s` falls: its gains hold its home pose, but not as episodes begin: with 'start-height', 'start-angle' and 'start-speed' "
            "as they are %d of %d robots fall within %.2g s without action. Lower these, set 'kp' and 'kd', or teach it",
            name, drawn->fell, TRIED, drawn->s);
}

myr_status myr_batch_try(myr_batch *batch) {
    myr_settings settings = batch->settings;
    trial drawn, quiet;
    if (!batch->options.task->holds) return MYR_OK;
    settings.threads = 1, settings.pin = 0;
    settings.sense_acceleration = settings.sense_bodies = settings.sense_contacts = 0;
    settings.episode_s = settings.push_interval = 0;
    myr_status status = run(batch, &settings, &drawn);
    if (status || !most(&drawn)) return status;
    settings.start_height = 0;
    settings.start_angle = fmin(settings.start_angle, nudge), settings.start_speed = fmin(settings.start_speed, nudge);
    status = run(batch, &settings, &quiet);
    if (!status) say(batch, &drawn, &quiet);
    return status;
}

const char *myr_batch_warning(const myr_batch *batch, int warning) {
    return batch && warning == 0 && batch->warning[0] ? batch->warning : NULL;
}

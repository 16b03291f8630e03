/* Energy of the robot double-pendulum, let go at rest, over many steps: mean, lowest and highest of each window of them, as CSV, and a last
 * line "halves" with the same of both halves of the run.
 *
 *     maximal_energy ANGLE1 ANGLE2 STEPS WINDOWS [KEY=VALUE ...]
 *
 * Settings are those of the program: dt, dynamics, spin-damping and so on. The energy of a step is kinetic by the velocities of its
 * interval, v and w of Brüdigam 2021, and half the potential of either end: what follows from places alone is the same for every scheme. A
 * run that is quarantined ends there. */
#include <math.h>

#include "../tools/must.h"

static const double gravity = 9.81, half = 0.5, inertia = 1.0 / 12; /* rods of 1 kg and 1 m */

static double energy_of(const double *before, const double *now, double dt) {
    double x[2][2][2], height = 0, energy = 0;
    for (int e = 0; e < 2; e++) {
        const double a = e ? now[0] : before[0], b = a + (e ? now[1] : before[1]);
        x[e][0][0] = half * sin(a), x[e][0][1] = -half * cos(a);
        x[e][1][0] = sin(a) + half * sin(b), x[e][1][1] = -cos(a) - half * cos(b);
        height += half * (x[e][0][1] + x[e][1][1]);
    }
    for (int i = 0; i < 2; i++) {
        const double turn = now[0] - before[0] + (i ? now[1] - before[1] : 0), w = 2 / dt * sin(turn / 2);
        const double vx = (x[1][i][0] - x[0][i][0]) / dt, vz = (x[1][i][1] - x[0][i][1]) / dt;
        energy += 0.5 * (vx * vx + vz * vz + inertia * w * w);
    }
    return energy + gravity * height;
}

typedef struct band {
    double sum, low, high;
    long n;
} band;

static void widen(band *b, double energy) {
    b->low = b->n == 0 || energy < b->low ? energy : b->low, b->high = b->n == 0 || energy > b->high ? energy : b->high;
    b->sum += energy, b->n++;
}
static void say(const band *b) { printf(",%.9g,%.9g,%.9g", b->sum / (double)b->n, b->low, b->high); }

int main(int count, char **words) {
    if (count < 5) {
        fputs("usage: maximal_energy ANGLE1 ANGLE2 STEPS WINDOWS [KEY=VALUE ...]\n", stderr);
        return 2;
    }
    const double angle[2] = {strtod(words[1], NULL), strtod(words[2], NULL)}, rest[2] = {0, 0};
    const long windows = strtol(words[4], NULL, 10), window = strtol(words[3], NULL, 10) / (windows > 0 ? windows : 1);
    if (windows < 2 || window < 1) {
        fputs("fewer than two windows, or none of a step\n", stderr);
        return 2;
    }
    myr_settings settings = myr_settings_default();
    must(myr_settings_set(&settings, "task", "none"));
    must(myr_settings_set(&settings, "precision", "f64"));
    must(myr_settings_set(&settings, "threads", "1"));
    for (int k = 5; k < count; k++) {
        const char *value = cut_word(words[k]);
        must(myr_settings_set(&settings, words[k], value));
    }
    myr_model *model = NULL;
    myr_batch *batch = NULL;
    must(myr_model_load("double-pendulum", MYR_ROOT_FIXED, &model));
    must(myr_batch_create(model, 1, &settings, &batch));
    settings.dt_s = step_length(batch);
    must(myr_batch_set(batch, MYR_Q, NULL, 1, MYR_F64, angle));
    must(myr_batch_set(batch, MYR_V, NULL, 1, MYR_F64, rest));
    double *states = allocate(4 * (size_t)window), last[2] = {angle[0], angle[1]}, stopped = 0;
    band halves[2] = {{.n = 0}, {.n = 0}};
    puts("time,mean,low,high");
    for (long k = 0; k < windows && stopped == 0; k++) {
        const myr_rollout rollout = {.steps = window, .type = MYR_F64, .state = states};
        band own = {.n = 0};
        must(myr_batch_rollout(batch, &rollout));
        must(myr_batch_get(batch, MYR_QUARANTINED, NULL, 1, MYR_F64, &stopped));
        for (long i = 0; i < window && stopped == 0; i++) {
            const double energy = energy_of(last, states + 4 * i, settings.dt_s);
            widen(&own, energy);
            widen(&halves[2 * k >= windows], energy);
            memcpy(last, states + 4 * i, sizeof last);
        }
        if (stopped != 0) break;
        printf("%.9g", (double)((k + 1) * window) * settings.dt_s);
        say(&own);
        putchar('\n');
    }
    if (stopped == 0) {
        printf("halves");
        for (int k = 0; k < 2; k++) say(&halves[k]);
        putchar('\n');
    }
    myr_stats stats;
    myr_batch_stats(batch, &stats);
    fprintf(stderr, "%s; %lld of %lld steps not converged; %.3g passes each; %.1f s\n", myr_quarantine_text((myr_quarantine)(int)stopped),
            (long long)stats.not_converged, (long long)stats.robot_steps, stats.solves_mean, stats.wall_s);
    free(states);
    myr_batch_free(batch);
    myr_model_free(model);
    return 0;
}

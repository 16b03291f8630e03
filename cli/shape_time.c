/* What shapes cost. Robots that fall, without shapes and with them: the difference is what it takes to see that nothing touches. Then
 * robots that have stood on their ground for a while: the difference to those that fall is what contacts cost. Windows of the three follow
 * each other in turn, so that a machine that is busy for a while slows all of them. */
#include "shape_time.h"

#include <stdio.h>
#include <stdlib.h>

#include "cli.h"
#include "numbers.h"
#include "progress.h"

enum { ENVS = 256, STEPS = 16, WINDOWS = 31 };
static const double settle_s = 1;

typedef enum { FALLS_BARE, FALLS, STANDS, CASES } shape_case;

typedef struct shape_time {
    myr_batch *batch[CASES];
    double ns[CASES][WINDOWS]; /* of a robot and step */
    double contacts[CASES];    /* of a robot */
} shape_time;

/* Settings of one case. A task would stand robots up again, and needs a ground. */
static myr_settings case_settings(const myr_settings *settings, shape_case c) {
    myr_settings s = *settings;
    s.threads = 1;
    snprintf(s.task, sizeof s.task, "none");
    if (c != STANDS) snprintf(s.ground, sizeof s.ground, "off"), snprintf(s.terrain, sizeof s.terrain, "plane");
    return s;
}

static myr_status make(shape_time *t, const myr_model *model, const myr_settings *settings) {
    myr_model_info m;
    myr_model_get_info(model, &m);
    uint8_t *none = cli_allocate((size_t)m.n_geoms, 1); /* zeros */
    myr_status status = MYR_OK;
    for (int c = 0; c < CASES && status == MYR_OK; c++) {
        const myr_settings s = case_settings(settings, (shape_case)c);
        status = myr_batch_create(model, ENVS, &s, &t->batch[c]);
    }
    if (status == MYR_OK) status = myr_batch_set_collision(t->batch[FALLS_BARE], none);
    free(none);
    return status;
}

static myr_status settle(myr_batch *batch) {
    myr_batch_info info;
    myr_batch_get_info(batch, &info);
    const double steps = settle_s / info.dt_s;
    return myr_batch_step(batch, steps < 1e6 ? (int64_t)steps + 1 : 1000000);
}

static myr_status measure(shape_time *t) {
    myr_status status = settle(t->batch[STANDS]);
    for (int c = 0; c < CASES; c++) myr_batch_clear_stats(t->batch[c]);
    const double began_s = progress_now();
    for (int k = 0; k < WINDOWS && status == MYR_OK && !progress_interrupted(); k++) {
        for (int c = 0; c < CASES && status == MYR_OK; c++) {
            if (c != STANDS) status = myr_batch_restart(t->batch[c], 0); /* each window falls from home */
            const double start_s = progress_now();
            if (status == MYR_OK) status = myr_batch_step(t->batch[c], STEPS);
            t->ns[c][k] = 1e9 * (progress_now() - start_s) / ((double)ENVS * STEPS);
        }
        progress_show("shapes", k + 1, WINDOWS, began_s);
    }
    for (int c = 0; c < CASES; c++) {
        myr_stats stats;
        myr_batch_stats(t->batch[c], &stats);
        t->contacts[c] = stats.contacts_mean;
        qsort(t->ns[c], WINDOWS, sizeof t->ns[c][0], cli_ascending);
    }
    return status;
}

static void print(const shape_time *t, const myr_model *model) {
    myr_model_info m;
    myr_batch_info info;
    myr_model_get_info(model, &m);
    myr_batch_get_info(t->batch[STANDS], &info);
    const double bare = t->ns[FALLS_BARE][WINDOWS / 2], falls = t->ns[FALLS][WINDOWS / 2], stands = t->ns[STANDS][WINDOWS / 2];
    printf("  time          ns of a robot and step; %d robots, one core, %s f%d, medians of %d windows\n", ENVS, info.isa,
           8 * info.precision, WINDOWS);
    printf("    falls, nothing can touch   %7.0f\n", bare);
    printf("    falls, all shapes          %7.0f   %.1f contacts", falls, t->contacts[FALLS]);
    if (m.n_pairs) printf(", %+.2f for each of %d pairs", (falls - bare) / m.n_pairs, m.n_pairs);
    printf("\n    after %g s from home        %7.0f   %.1f contacts", settle_s, stands, t->contacts[STANDS]);
    const double more = t->contacts[STANDS] - t->contacts[FALLS];
    if (more >= 0.05) printf(", %+.0f for each of %.1f more", (stands - falls) / more, more);
    printf("\n");
}

int shape_time_print(const myr_model *model, const myr_settings *settings) {
    shape_time t = {0};
    myr_status status = make(&t, model, settings);
    if (status == MYR_OK) status = measure(&t);
    if (status == MYR_OK && !progress_interrupted()) print(&t, model);
    for (int c = 0; c < CASES; c++) myr_batch_free(t.batch[c]);
    return status == MYR_OK ? CLI_OK : cli_error("%s", myr_message());
}

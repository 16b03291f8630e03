/* Figs. 4 and 5 of Brüdigam 2021 in lanes: the same disc and chain as maximal_paper's, by dynamics=maximal-tree, one lane group of robots
 * in one thread. Contacts of the chain are balls of 5 cm here, those of its model.
 *
 *   maximal_lanes contacts|links [rounds=10] [most=100] [step=2] [precision=f64]
 *
 * Prints what maximal_paper prints of these. `seconds`: of all lanes, the least of every step over all rounds. */
#include <math.h>
#include <string.h>

#include "../tools/clock.h"
#include "../tools/must.h"

enum { STEPS = 100, MOST_SIZES = 64, LANES = 16 };

static const char *precision = "f64";

static myr_model *disc(int contacts) {
    myr_model *model = NULL;
    myr_builder *builder = NULL;
    must(myr_builder_create("disc", &builder));
    myr_body_def body = myr_body_def_default();
    body.name = "disc", body.joint = MYR_JOINT_FREE, body.mass_kg = 1;
    body.inertia_kgm2[0] = body.inertia_kgm2[1] = (3 * 0.25 + 0.01) / 12, body.inertia_kgm2[2] = 0.125;
    must(myr_builder_body(builder, &body, NULL));
    for (int c = 0; c < contacts; c++) {
        const double angle = 2 * acos(-1) * c / contacts;
        myr_geom_def geom = myr_geom_def_default();
        geom.body = 0, geom.size_m[0] = 1e-12;
        geom.position_m[0] = 0.5 * cos(angle), geom.position_m[1] = 0.5 * sin(angle), geom.position_m[2] = -0.05;
        must(myr_builder_geom(builder, &geom, NULL));
    }
    must(myr_builder_compile(builder, &model));
    myr_builder_free(builder);
    return model;
}

static myr_model *chain(int links) {
    char name[16];
    myr_model *model = NULL;
    snprintf(name, sizeof name, "chain-%d", links);
    must(myr_model_load(name, MYR_ROOT_AUTO, &model));
    return model;
}

/* Flat, 5 cm above the ground, at 1.1 m/s sideways and 1 rad/s about the axis; or in a plane 10 cm above the ground, each link at a right
 * angle to the next, at 1.1 m/s sideways. */
static void start(double *q, double *v, int links) {
    const double half = sqrt(0.5), first[4] = {half, half, 0, 0}, turn[4] = {half, 0, half, 0};
    v[0] = 1, v[1] = 0.5;
    if (!links) {
        q[2] = 0.1, q[3] = 1, v[5] = 1;
        return;
    }
    q[2] = 0.15;
    memcpy(q + 3, first, sizeof first);
    for (int i = 1; i < links; i++) {
        memcpy(q + 7 + 4 * (i - 1), turn, sizeof turn);
        q[7 + 4 * (i - 1) + 2] *= i % 2 ? 1 : -1;
    }
}

static myr_batch *open_batch(const myr_model *model, int links) {
    static const char *const words[][2] = {{"task", "none"},   {"dynamics", "maximal-tree"}, {"dt", "0.01"},        {"gap", "0.5"},
                                           {"baumgarte", "1"}, {"friction", "0.2"},          {"tolerance", "1e-6"}, {"threads", "1"},
                                           {"warm-start", "0"}}; /* the authors' solver starts every step from none */
    myr_settings settings = myr_settings_default();
    myr_model_info info;
    myr_batch *batch = NULL;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) must(myr_settings_set(&settings, words[i][0], words[i][1]));
    must(myr_settings_set(&settings, "precision", precision));
    if (strcmp(precision, "f32") == 0) must(myr_settings_set(&settings, "tolerance", "1e-5")); /* what float can show */
    must(myr_batch_create(model, LANES, &settings, &batch));
    myr_model_get_info(model, &info);
    double *q = allocate((size_t)(info.nq + info.nv)), *v = q + info.nq;
    start(q, v, links);
    for (int64_t lane = 0; lane < LANES; lane++) {
        must(myr_batch_set(batch, MYR_Q, &lane, 1, MYR_F64, q));
        must(myr_batch_set(batch, MYR_V, &lane, 1, MYR_F64, v));
    }
    free(q);
    return batch;
}

static void scaling(int of_links, int rounds, int most, int by) {
    static double least[MOST_SIZES][STEPS];
    static long long iterations[MOST_SIZES], open[MOST_SIZES];
    int sizes = 0, size[MOST_SIZES];
    for (int n = 2; n <= most && sizes < MOST_SIZES; n += by) size[sizes++] = n;
    for (int round = 0; round < rounds; round++)
        for (int turn = 0; turn < sizes; turn++) {
            const int s = round % 2 ? sizes - 1 - turn : turn;
            myr_model *model = of_links ? chain(size[s]) : disc(size[s]);
            myr_batch *batch = open_batch(model, of_links ? size[s] : 0);
            myr_stats stats;
            iterations[s] = 0;
            for (int k = 0; k < STEPS; k++) {
                const int64_t lane = 0;
                double sweeps;
                const double begin = thread_seconds();
                must(myr_batch_step(batch, 1));
                const double took = thread_seconds() - begin;
                least[s][k] = round ? fmin(least[s][k], took) : took;
                must(myr_batch_get(batch, MYR_ITERATIONS, &lane, 1, MYR_F64, &sweeps));
                iterations[s] += (long long)sweeps;
            }
            myr_batch_stats(batch, &stats);
            open[s] = (long long)(stats.not_converged / LANES + stats.quarantined);
            myr_batch_free(batch);
            myr_model_free(model);
        }
    printf("{\"steps\": %d, \"rounds\": %d, \"lanes\": %d, \"sizes\": [", STEPS, rounds, LANES);
    for (int s = 0; s < sizes; s++) {
        double seconds = 0;
        for (int k = 0; k < STEPS; k++) seconds += least[s][k];
        printf("%s{\"size\": %d, \"seconds\": %.9g, \"iterations\": %lld, \"open\": %lld}", s ? ", " : "", size[s], seconds, iterations[s],
               open[s]);
    }
    puts("]}");
}

int main(int words, char **word) {
    int rounds = 10, most = 100, by = 2;
    for (int i = 2; i < words; i++) {
        const char *value = cut_word(word[i]);
        if (!strcmp(word[i], "rounds")) rounds = atoi(value);
        if (!strcmp(word[i], "most")) most = atoi(value);
        if (!strcmp(word[i], "step")) by = atoi(value);
        if (!strcmp(word[i], "precision")) precision = value;
    }
    if (words < 2 || (strcmp(word[1], "contacts") && strcmp(word[1], "links")) || rounds < 1 || by < 1) {
        fputs("usage: maximal_lanes contacts|links [rounds=10] [most=100] [step=2] [precision=f64]\n", stderr);
        return 2;
    }
    scaling(!strcmp(word[1], "links"), rounds, most, by);
    return 0;
}

/* How well joint limits hold where nothing drives the joints: robots are let go, swing or fall for a while, then come to rest in oil.
 *
 *   limp MODEL [root=fixed] [ground=off] [meshes=skip] [spin=1] [seconds=10] [envs=8] [KEY=VALUE ...]     any setting, such as dt=0.005
 *
 * All that is measured comes from q and v as they are read after each step, and from the limits of the model rounded to the batch's
 * precision. The joints begin up to 0.3 rad from home and turn at up to `spin` [rad/s]. One JSON object:
 *
 * - rows, envs, steps, dt
 * - beyond_max: farthest that a joint was beyond a limit while moving [rad, m]; reported: the library's own `limit_violation_max`
 * - change_max: largest change of a limited joint's velocity in one step [rad/s, m/s]; allowed: dt times that
 * - rest_beyond: farthest in the last 100 steps, when damping has brought all to rest; rest_speed: how much to rest [rad/s, m/s]
 * - rest_share: rest_beyond over dt tolerance / length + 4 ulp(q), the largest of all joints
 * - solves, not_converged (in motion), rest_not_converged, residual_max (at rest), quarantined */
#include <math.h>

#include "../tools/draw.h"
#include "../tools/must.h"

typedef struct joints {
    int rows, *q, *v;
    double *lower, *upper, *length;
} joints;

typedef struct run {
    myr_model *model;
    myr_model_info size;
    myr_settings settings;
    myr_batch *batch;
    joints j;
    double *q, *v, *before;
} run;

typedef struct figures {
    double beyond, change, speed, share;
} figures;

/* Rounded as a batch of this precision holds it. */
static double held(double limit, int single) { return single ? (double)(float)limit : limit; }

static joints find_joints(const myr_model *model, int single) {
    myr_model_info size;
    myr_model_get_info(model, &size);
    const size_t n = (size_t)size.n_rows;
    joints j = {.q = allocate(n), .v = allocate(n), .lower = allocate(n), .upper = allocate(n), .length = allocate(n)};
    for (int k = 0; k < size.n_rows; k++) {
        myr_row_info row;
        myr_joint_info joint;
        must(myr_model_get_row(model, k, &row));
        must(myr_model_get_joint(model, row.joint, &joint));
        j.q[k] = joint.q, j.v[k] = joint.v, j.length[k] = row.length_m;
        j.lower[k] = held(row.lower, single), j.upper[k] = held(row.upper, single);
    }
    j.rows = size.n_rows;
    return j;
}

/* Joints up to 0.3 rad (0.01 m) from home, within their limits. */
static void let_go(run *r, double spin) {
    const size_t nq = (size_t)r->size.nq, nv = (size_t)r->size.nv;
    uint64_t source = 11;
    must(myr_batch_get(r->batch, MYR_Q, NULL, r->settings.envs, MYR_F64, r->q));
    must(myr_batch_get(r->batch, MYR_V, NULL, r->settings.envs, MYR_F64, r->v));
    for (size_t env = 0; env < (size_t)r->settings.envs; env++)
        for (int k = 0; k < r->j.rows; k++) {
            double *q = r->q + env * nq + (size_t)r->j.q[k], *v = r->v + env * nv + (size_t)r->j.v[k];
            const double part = r->j.upper[k] - r->j.lower[k] < 0.2 ? 0.03 : 1; /* a slider of a gripper */
            *q = fmin(fmax(*q + 0.3 * part * (2 * uniform(&source) - 1), r->j.lower[k]), r->j.upper[k]);
            *v = spin * part * (2 * uniform(&source) - 1);
        }
    must(myr_batch_set(r->batch, MYR_Q, NULL, r->settings.envs, MYR_F64, r->q));
    must(myr_batch_set(r->batch, MYR_V, NULL, r->settings.envs, MYR_F64, r->v));
}

/* Steps one by one and looks at every joint after each. */
static figures go(run *r, int64_t steps) {
    const int single = strcmp(r->settings.precision, "f32") == 0;
    const size_t nq = (size_t)r->size.nq, nv = (size_t)r->size.nv, envs = (size_t)r->settings.envs;
    figures f = {.beyond = -INFINITY};
    must(myr_batch_get(r->batch, MYR_V, NULL, r->settings.envs, MYR_F64, r->v));
    for (int64_t step = 0; step < steps; step++) {
        double *old = r->before;
        r->before = r->v, r->v = old;
        must(myr_batch_step(r->batch, 1));
        must(myr_batch_get(r->batch, MYR_Q, NULL, r->settings.envs, MYR_F64, r->q));
        must(myr_batch_get(r->batch, MYR_V, NULL, r->settings.envs, MYR_F64, r->v));
        for (size_t env = 0; env < envs; env++) {
            for (int k = 0; k < r->j.rows; k++) {
                const size_t dof = env * nv + (size_t)r->j.v[k];
                const double q = r->q[env * nq + (size_t)r->j.q[k]], beyond = fmax(r->j.lower[k] - q, q - r->j.upper[k]);
                const double ulp = single ? (double)nextafterf((float)fabs(q), INFINITY) - fabs(q) : nextafter(fabs(q), INFINITY) - fabs(q);
                f.beyond = fmax(f.beyond, beyond);
                f.change = fmax(f.change, fabs(r->v[dof] - r->before[dof]));
                f.share = fmax(f.share, beyond / (r->settings.dt_s * r->settings.tolerance / r->j.length[k] + 4 * ulp));
            }
            for (size_t k = 0; k < nv; k++) f.speed = fmax(f.speed, fabs(r->v[env * nv + k]));
        }
    }
    return f;
}

/* Oil in the joints: each would by itself lose its velocity within a third of a second. */
static void oil(run *r) {
    const size_t nq = (size_t)r->size.nq, nv = (size_t)r->size.nv, envs = (size_t)r->settings.envs;
    double *q = allocate(nq), *M = allocate(nv * nv), *damping = allocate(envs * nv);
    must(myr_batch_get(r->batch, MYR_DAMPING, NULL, r->settings.envs, MYR_F64, damping));
    myr_model_home(r->model, q);
    const myr_evaluation e = {.n = 1, .q = q, .M = M};
    must(myr_evaluate(r->model, &r->settings, &e));
    for (size_t env = 0; env < envs; env++)
        for (int j = 0; j < r->size.n_joints; j++) {
            myr_joint_info joint;
            must(myr_model_get_joint(r->model, j, &joint));
            if (joint.nv == 1) damping[env * nv + (size_t)joint.v] += M[(size_t)joint.v * (nv + 1)] / 0.3;
        }
    must(myr_batch_set(r->batch, MYR_DAMPING, NULL, r->settings.envs, MYR_F64, damping));
    free(q);
    free(M);
    free(damping);
}

static void close_run(run *r) {
    double *lists[] = {r->j.lower, r->j.upper, r->j.length, r->q, r->v, r->before};
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++) free(lists[k]);
    free(r->j.q);
    free(r->j.v);
    myr_batch_free(r->batch);
    myr_model_free(r->model);
}

static void print_figures(run *r, double seconds) {
    const int64_t steps = (int64_t)(seconds / r->settings.dt_s + 0.5), last = 100;
    myr_stats moving, resting;
    const figures motion = go(r, steps);
    myr_batch_stats(r->batch, &moving);
    oil(r);
    must(myr_batch_step(r->batch, 2 * steps));
    myr_batch_clear_stats(r->batch);
    const figures rest = go(r, last);
    myr_batch_stats(r->batch, &resting);
    printf("{\"rows\": %d, \"envs\": %lld, \"steps\": %lld, \"dt\": %g, \"beyond_max\": %.6e, \"reported\": %.6e, \"change_max\": %.6e, "
           "\"allowed\": %.6e, ",
           r->j.rows, (long long)r->settings.envs, (long long)steps, r->settings.dt_s, motion.beyond,
           isnan(moving.limit_violation_max) ? -1 : moving.limit_violation_max, motion.change, r->settings.dt_s * motion.change);
    printf("\"solves\": %lld, \"not_converged\": %lld, \"rest_beyond\": %.6e, \"rest_speed\": %.6e, \"rest_share\": %.6e, "
           "\"residual_max\": %.6e, "
           "\"rest_not_converged\": %lld, \"quarantined\": %lld}\n",
           (long long)moving.active_steps, (long long)moving.not_converged, rest.beyond, rest.speed, rest.share,
           isnan(resting.residual_max) ? 0 : resting.residual_max, (long long)resting.not_converged, (long long)resting.quarantined);
}

int main(int argc, char **argv) {
    if (argc < 2) {
        fputs("usage: limp MODEL [root=fixed] [ground=off] [meshes=skip] [spin=1] [seconds=10] [envs=8] [KEY=VALUE ...]\n", stderr);
        return 2;
    }
    run r = {.settings = myr_settings_default()};
    myr_load_options options = myr_load_options_default();
    double seconds = 10, spin = 1;
    int ground = 1;
    r.settings.envs = 8;
    must(myr_settings_set(&r.settings, "task", "none"));
    for (int i = 2; i < argc; i++) {
        const char *value = cut_word(argv[i]);
        if (strcmp(argv[i], "seconds") == 0)
            seconds = strtod(value, NULL);
        else if (strcmp(argv[i], "spin") == 0)
            spin = strtod(value, NULL);
        else if (strcmp(argv[i], "ground") == 0)
            ground = strcmp(value, "off") != 0;
        else if (strcmp(argv[i], "meshes") == 0)
            options.meshes = strcmp(value, "skip") == 0 ? MYR_MESHES_SKIP : MYR_MESHES_LOAD;
        else
            must(myr_settings_set(&r.settings, argv[i], value));
    }
    options.root = wanted_root(&r.settings);
    must(myr_model_open(argv[1], &options, &r.model));
    myr_model_get_info(r.model, &r.size);
    must(myr_batch_create(r.model, r.settings.envs, &r.settings, &r.batch));
    r.settings.dt_s = step_length(r.batch);
    const size_t envs = (size_t)r.settings.envs;
    r.j = find_joints(r.model, strcmp(r.settings.precision, "f32") == 0);
    r.q = allocate(envs * (size_t)r.size.nq), r.v = allocate(envs * (size_t)r.size.nv), r.before = allocate(envs * (size_t)r.size.nv);
    uint8_t *none = allocate((size_t)r.size.n_geoms);
    if (!ground) must(myr_batch_set_collision(r.batch, none));
    free(none);
    let_go(&r, spin);
    print_figures(&r, seconds);
    close_run(&r);
    return 0;
}

/* Siconos and Myriapod on the same contact problems to the same residual, on one core.
 *
 *     siconos_side PROBLEMS.json TOLERANCE PASSES
 *
 * One JSON line per solver on standard output. Both sides are judged by the violation of the full law written below (the scale-free
 * residual_ncp of docs/contact.md), from impulses alone. Siconos stops by a figure of its own, so each problem is given the loosest of
 * its tolerances 1e-3, 1e-4, ... 1e-15 that reaches TOLERANCE here, and only that run is timed. What is timed: fc3d_driver, problem by
 * problem, its matrix and options made before; ours, the solver on tiles of problems, laid out before (solve_s), and beside it the whole of
 * myr_solve_contacts with its checks, copies and measures. The fastest of PASSES each. From a TOLERANCE of 1e-5 on, ours also in float. */
#include <NonSmoothDrivers.h>
#include <FrictionContactProblem.h>
#include <Friction_cst.h>
#include <NumericsMatrix.h>
#include <SolverOptions.h>
#include <fc3d_Solvers.h>
#include <jansson.h>
#include <math.h>
#include <time.h>
#include <unistd.h>

#include "../tools/must.h"

typedef struct side_problem {
    myr_contact_problem ours;
    double *G, *c, *mu;       /* (x, y, z), row-major */
    double *M, *q;            /* the same as (N, T1, T2), column-major */
    double *reaction, *speed; /* theirs */
} side_problem;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* theirs[theirs_of(i)] is ours[i] */
static size_t theirs_of(size_t i) { return i - i % 3 + (i % 3 + 1) % 3; }

static double positive(double x) { return x > 0 ? x : 0; }

/* Distance of a point at radius t and height z from the cone { t <= mu z }. */
static double beside_cone(double t, double z, double mu) {
    if (t <= mu * z) return 0;
    return mu * t <= -z ? hypot(t, z) : (t - mu * z) / sqrt(1 + mu * mu);
}

static double residual(const side_problem *p, const double *impulse) {
    const size_t m = 3 * (size_t)p->ours.contacts;
    double c_max = 0, mobility = 0, l_max = 0, worst = 0;
    for (size_t i = 0; i < m; i++) c_max = fmax(c_max, fabs(p->c[i])), l_max = fmax(l_max, fabs(impulse[i]));
    for (size_t i = 0; i < m; i += 3) mobility = fmax(mobility, (p->G[i * m + i] + p->G[(i + 1) * (m + 1)] + p->G[(i + 2) * (m + 1)]) / 3);
    const double vs = c_max > 0 ? c_max : 1, ls = fmax(l_max, mobility > 0 ? vs / mobility : 1);
    for (size_t i = 0; i < m; i += 3) {
        double l[3], w[3];
        for (size_t a = 0; a < 3; a++) {
            double sum = p->c[i + a];
            for (size_t k = 0; k < m; k++) sum += p->G[(i + a) * m + k] * impulse[k];
            l[a] = impulse[i + a] / ls, w[a] = sum / vs;
        }
        const double mu = p->mu[i / 3], slip = hypot(w[0], w[1]), s = w[2] + mu * slip;
        const double dual = w[2] >= 0 ? 0 : slip <= -mu * s ? hypot(slip, s) : positive(-w[2]) / sqrt(1 + mu * mu);
        const double product = fabs(l[0] * w[0] + l[1] * w[1] + l[2] * s);
        worst = fmax(worst, fmax(beside_cone(hypot(l[0], l[1]), l[2], mu), fmax(dual, product)));
        if (!isfinite(slip + s + product)) return (double)INFINITY;
    }
    return worst;
}

static side_problem read_problem(json_t *entry) {
    side_problem p;
    json_t *mu = json_object_get(entry, "mu"), *c = json_object_get(entry, "c"), *G = json_object_get(entry, "G");
    if (!c) c = json_object_get(entry, "g");
    const size_t m = json_array_size(c), nc = m / 3;
    p.G = allocate(m * m), p.c = allocate(m), p.mu = allocate(nc);
    p.M = allocate(m * m), p.q = allocate(m), p.reaction = allocate(m), p.speed = allocate(m);
    for (size_t i = 0; i < nc; i++) p.mu[i] = json_number_value(json_is_array(mu) ? json_array_get(mu, i) : mu);
    for (size_t i = 0; i < m; i++) {
        p.c[i] = json_number_value(json_array_get(c, i));
        p.q[theirs_of(i)] = p.c[i];
        for (size_t k = 0; k < m; k++) {
            p.G[i * m + k] = json_number_value(json_array_get(json_array_get(G, i), k));
            p.M[theirs_of(k) * m + theirs_of(i)] = p.G[i * m + k];
        }
    }
    p.ours = (myr_contact_problem){.contacts = (int)nc, .G = p.G, .c = p.c, .mu = p.mu};
    return p;
}

/* ---- Siconos ------------------------------------------------------------------------------------ */

/* One call, from zero; the time it took. */
static double call(const side_problem *p, int id, int local, double tolerance) {
    const int nc = p->ours.contacts;
    const size_t m = 3 * (size_t)nc;
    SolverOptions *o = solver_options_create(id);
    o->dparam[SICONOS_DPARAM_TOL] = tolerance;
    o->iparam[SICONOS_IPARAM_MAX_ITER] = 10000;
    if (local) solver_options_update_internal(o, 0, local);
    double *copy = allocate(m * m), *q = allocate(m), *mu = allocate((size_t)nc); /* some solvers change them */
    memcpy(copy, p->M, m * m * sizeof *copy);
    memcpy(q, p->q, m * sizeof *q);
    memcpy(mu, p->mu, (size_t)nc * sizeof *mu);
    FrictionContactProblem *problem =
        frictionContactProblem_new_with_data(3, nc, NM_create_from_data(NM_DENSE, (int)m, (int)m, copy), q, mu);
    memset(p->reaction, 0, m * sizeof *p->reaction);
    memset(p->speed, 0, m * sizeof *p->speed);
    const double began = now();
    fc3d_driver(problem, p->reaction, p->speed, o);
    const double took = now() - began;
    frictionContactProblem_free(problem);
    solver_options_delete(o);
    return took;
}

static double their_residual(const side_problem *p) {
    const size_t m = 3 * (size_t)p->ours.contacts;
    double *impulse = allocate(m);
    for (size_t i = 0; i < m; i++) impulse[i] = p->reaction[theirs_of(i)];
    const double r = residual(p, impulse);
    free(impulse);
    return r;
}

/* time_s, residual_of: per problem; time_s is negative where no tolerance reached the target. */
static void run_theirs(const side_problem *set, size_t n, int id, int local, double target, int passes, double *time_s,
                       double *residual_of) {
    for (size_t i = 0; i < n; i++) {
        double tolerance = 1e-3, reached = (double)INFINITY;
        time_s[i] = -1, residual_of[i] = (double)INFINITY;
        for (int k = 0; k < 13 && reached > target; k++, tolerance *= 0.1) {
            call(&set[i], id, local, tolerance);
            reached = their_residual(&set[i]);
            residual_of[i] = fmin(residual_of[i], reached);
            if (reached > target) continue;
            for (int pass = 0; pass < passes; pass++) {
                const double took = call(&set[i], id, local, tolerance);
                time_s[i] = time_s[i] < 0 ? took : fmin(time_s[i], took);
            }
        }
    }
}

/* ---- ours --------------------------------------------------------------------------------------- */

typedef struct cost {
    double call_s, solver_s;
} cost;

static cost run_ours(const side_problem *set, const size_t *chosen, size_t n, const char *solver, const char *precision, double target,
                     int passes, double *residual_of) {
    myr_settings settings = myr_settings_default();
    myr_contact_problem *problems = calloc(n + 1, sizeof *problems);
    myr_contact_result *results = calloc(n + 1, sizeof *results);
    char tolerance[32];
    cost fastest = {(double)INFINITY, (double)INFINITY};
    if (!problems || !results) exit(1);
    snprintf(tolerance, sizeof tolerance, "%.17g", target);
    must(myr_settings_set(&settings, "solver", solver));
    must(myr_settings_set(&settings, "precision", precision));
    must(myr_settings_set(&settings, "tolerance", tolerance));
    must(myr_settings_set(&settings, "max-sweeps", "20000"));
    for (size_t i = 0; i < n; i++) {
        problems[i] = set[chosen[i]].ours;
        results[i].impulse = allocate(3 * (size_t)problems[i].contacts);
        results[i].velocity = allocate(3 * (size_t)problems[i].contacts);
    }
    for (int pass = 0; pass < passes; pass++) {
        const double began = now();
        must(myr_solve_contacts(problems, (int64_t)n, &settings, results));
        double solver_s = 0;
        fastest.call_s = fmin(fastest.call_s, now() - began);
        for (size_t i = 0; i < n; i++) solver_s += results[i].solve_s;
        fastest.solver_s = fmin(fastest.solver_s, solver_s);
    }
    for (size_t i = 0; i < n; i++) {
        residual_of[chosen[i]] = residual(&set[chosen[i]], results[i].impulse);
        free(results[i].impulse);
        free(results[i].velocity);
    }
    free(problems);
    free(results);
    return fastest;
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        int id, local;
    } theirs[] = {{"NSGS", SICONOS_FRICTION_3D_NSGS, 0},
                  {"NSGS, quartic", SICONOS_FRICTION_3D_NSGS, SICONOS_FRICTION_3D_ONECONTACT_QUARTIC},
                  {"NSGS, projection", SICONOS_FRICTION_3D_NSGS, SICONOS_FRICTION_3D_ONECONTACT_ProjectionOnConeWithLocalIteration},
                  {"NSN_AC", SICONOS_FRICTION_3D_NSN_AC, 0},
                  {"ADMM", SICONOS_FRICTION_3D_ADMM, 0}};
    static const char *const ours[] = {"nsgs", "pgs", "pgs-lelidec", "prox", "staggered", "admm-ncp"};
    if (argc != 4) {
        fputs("usage: siconos_side PROBLEMS.json TOLERANCE PASSES\n", stderr);
        return 2;
    }
    FILE *out = fdopen(dup(STDOUT_FILENO), "w"); /* Siconos prints what it thinks of a matrix */
    if (!out || !freopen("/dev/null", "w", stdout)) return 1;
    json_error_t error;
    json_t *root = json_load_file(argv[1], 0, &error), *list = json_object_get(root, "problems");
    if (!json_is_array(list)) {
        fprintf(stderr, "%s: no \"problems\" (%s)\n", argv[1], error.text);
        return 1;
    }
    const double target = atof(argv[2]);
    const int passes = atoi(argv[3]);
    const size_t n = json_array_size(list);
    side_problem *set = calloc(n + 1, sizeof *set);
    size_t *chosen = calloc(n + 1, sizeof *chosen);
    if (!set || !chosen) return 1;
    double *time_s = allocate(n), *their = allocate(n), *our = allocate(n);
    for (size_t i = 0; i < n; i++) set[i] = read_problem(json_array_get(list, i));
    for (size_t t = 0; t < sizeof theirs / sizeof *theirs; t++) {
        run_theirs(set, n, theirs[t].id, theirs[t].local, target, passes, time_s, their);
        for (size_t s = 0; s < sizeof ours / sizeof *ours; s++)
            for (int single = 0; single <= (target >= 1e-5); single++) {
                const char *precision = single ? "f32" : "f64";
                myr_settings settings = myr_settings_default();
                if (myr_settings_set(&settings, "solver", ours[s]) != MYR_OK) continue;
                size_t all = 0, both = 0, solved_theirs = 0, solved_ours = 0;
                double seconds = 0, worst_theirs = 0, worst_ours = 0;
                for (size_t i = 0; i < n; i++) chosen[all++] = i;
                run_ours(set, chosen, all, ours[s], precision, target, 1, our);
                for (size_t i = 0; i < n; i++) {
                    solved_theirs += time_s[i] >= 0;
                    solved_ours += our[i] <= target;
                    if (time_s[i] < 0 || !(our[i] <= target)) continue;
                    chosen[both++] = i;
                    seconds += time_s[i];
                    worst_theirs = fmax(worst_theirs, their[i]);
                }
                const cost mine = run_ours(set, chosen, both, ours[s], precision, target, passes, our);
                for (size_t i = 0; i < both; i++) worst_ours = fmax(worst_ours, our[chosen[i]]);
                fprintf(out,
                        "{\"theirs\": \"%s\", \"ours\": \"%s\", \"precision\": \"%s\", \"problems\": %zu, \"both\": %zu, "
                        "\"solved_theirs\": %zu, "
                        "\"solved_ours\": %zu, \"theirs_per_s\": %.6g, \"ours_per_s\": %.6g, \"ours_call_per_s\": %.6g, \"ratio\": %.4g, "
                        "\"ratio_call\": %.4g, \"worst_theirs\": %.3g, \"worst_ours\": %.3g}\n",
                        theirs[t].name, ours[s], precision, n, both, solved_theirs, solved_ours, (double)both / seconds,
                        (double)both / mine.solver_s, (double)both / mine.call_s, seconds / mine.solver_s, seconds / mine.call_s,
                        worst_theirs, worst_ours);
                fflush(out);
            }
    }
    return 0;
}

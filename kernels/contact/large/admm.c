/* admm-ccp and admm-ncp of a large problem: the iteration of admm.lane.h, which has the formulas and the reasons, for one problem in scalar
 * double, by a sparse factor of G + (eta + rho) D. rho changes seldom, and with it the factor. */
#include <float.h>
#include <string.h>

#include "factor.h"
#include "law.h"
#include "model/model.h"
#include "base/trigonometry.h"

enum {
    POWER_STEPS = 12, /* these are those of admm.lane.h */
    FIRST = 10,
    ADAPTIONS = 50000,
    PATIENCE = 1000,
    TRIES = 4,
    PATIENCE_REST = 600,
    ROUNDING = 32,
    ATTAINED = 4,
    LOOK = 64
};

typedef struct admm {
    myr_large *p; /* its lambda is z */
    myr_factor *factor;
    double *D, *root, *shift;       /* (n): D, D^1/2, (eta + rho) D */
    double *gamma, *last, *x, *rhs; /* (3 n); last: lambda of the iteration before */
    double rho, eta, step, largest, alpha;
    int full;
} admm;

/* What an iteration found, as in the lanes. */
typedef struct errors {
    double primal, dual, impulse, velocity, miss, slip, check;
} errors;

static double size3(const double *v) { return max3(fabs(v[0]), fabs(v[1]), fabs(v[2])); }

static void project(double mu, const double x[3], double out[3]) {
    const double t = length2(x[0], x[1]);
    double k = 1, z = x[2];
    if (!(t <= mu * x[2])) {
        z = max2((mu * t + x[2]) / (mu * mu + 1), 0); /* 0: in the polar cone */
        k = t > 0 ? mu * z / t : 0;
    }
    out[0] = k * x[0] + 0.0, out[1] = k * x[1] + 0.0, out[2] = z + 0.0;
}

/* y = G x, or |G| |x| */
static void multiply(const myr_large *p, const double *x, int sizes, double *y) {
    for (int i = 0; i < p->n; i++) {
        double sum[3] = {0, 0, 0};
        for (int64_t b = p->first[i]; b < p->first[i + 1]; b++) {
            const double *g = p->block + 9 * b, *v = x + 3 * (size_t)p->column[b];
            for (int a = 0; a < 3; a++)
                for (int e = 0; e < 3; e++) sum[a] += sizes ? fabs(g[3 * a + e]) * fabs(v[e]) : g[3 * a + e] * v[e];
        }
        memcpy(y + 3 * (size_t)i, sum, sizeof sum);
    }
}

static double normalize(double *x, size_t m) {
    double sum = 0;
    for (size_t i = 0; i < m; i++) sum += x[i] * x[i];
    const double length = sqrt(sum), scale = length > 0 ? 1 / length : 1;
    for (size_t i = 0; i < m; i++) x[i] *= scale;
    return length;
}

/* Both ends of the spectrum of D^-1/2 G D^-1/2. */
static void spectrum(admm *a, double *least) {
    const size_t m = 3 * (size_t)a->p->n;
    for (int end = 0; end < 2; end++) {
        const double turn = end ? 0.7548776662466927 : 0.6180339887498949; /* any sequence without a pattern */
        double draw = 0.5, length = 0;
        for (size_t i = 0; i < m; i++) {
            draw += turn;
            draw -= draw >= 1;
            a->x[i] = end ? draw - 0.5 : draw;
        }
        normalize(a->x, m);
        for (int step = 0; step < POWER_STEPS; step++) {
            for (size_t i = 0; i < m; i++) a->last[i] = a->x[i] / a->root[i / 3];
            multiply(a->p, a->last, 0, a->rhs);
            for (size_t i = 0; i < m; i++) a->rhs[i] /= a->root[i / 3];
            for (size_t i = 0; end && i < m; i++) a->rhs[i] = a->largest * a->x[i] - a->rhs[i];
            length = normalize(a->rhs, m);
            memcpy(a->x, a->rhs, m * sizeof *a->x);
        }
        if (!end)
            a->largest = length > 0 ? 1.05 * length : 1; /* from below: a little more */
        else
            *least = max2(a->largest - length, 1e-6 * a->largest);
    }
}

static void start(admm *a, const myr_solve_options *o) {
    const myr_large *p = a->p;
    double least;
    for (int i = 0; i < p->n; i++) {
        const double *g = p->block + 9 * p->middle[i], mean = (g[0] + g[4] + g[8]) / 3;
        a->D[i] = mean > 0 ? mean : 1, a->root[i] = sqrt(a->D[i]);
    }
    spectrum(a, &least);
    a->alpha = o->admm_relaxation;
    a->step = o->admm_power * myr_log(a->largest / least);
    a->rho = o->admm_rho > 0 ? o->admm_rho * a->largest : sqrt(a->largest * least);
    a->eta = o->admm_eta * a->largest;
    for (int i = 0; i < p->n; i++) { /* gamma: minus the velocity, so far as it is in the dual cone */
        const double *w = p->w + 3 * (size_t)i, lift = a->full ? p->mu[i] * length2(w[0], w[1]) : 0;
        const double back[3] = {-w[0], -w[1], -(w[2] + lift)};
        double in[3];
        project(p->mu[i], back, in);
        for (int e = 0; e < 3; e++) a->gamma[3 * i + e] = back[e] - in[e];
    }
    memcpy(a->last, p->lambda, 3 * (size_t)p->n * sizeof *a->last);
}

static errors iterate(admm *a) {
    myr_large *p = a->p;
    errors e = {0, 0, 0, 0, 0, 0, 0};
    for (int i = 0; i < p->n; i++) {
        const size_t at = 3 * (size_t)i;
        const double lift = a->full ? p->mu[i] * length2(a->gamma[at], a->gamma[at + 1]) : 0;
        for (size_t k = at; k < at + 3; k++) {
            const double pull = a->D[i] * (a->eta * a->last[k] + a->rho * p->lambda[k]);
            a->x[k] = a->rhs[k] = pull - a->gamma[k] - (p->c[k] + (k == at + 2 ? lift : 0));
        }
    }
    myr_factor_solve(a->factor, a->x);
    for (int i = 0; i < p->n; i++) {
        const size_t at = 3 * (size_t)i;
        const double D = a->D[i], root = a->root[i], weight = a->rho * D;
        double *z = p->lambda + at, *gamma = a->gamma + at, *last = a->last + at, *l = a->x + at;
        double hat[3], pushed[3], next[3], off[3], moved[3], turned[3], G_l[3];
        for (int k = 0; k < 3; k++) hat[k] = a->alpha * l[k] + (1 - a->alpha) * z[k], pushed[k] = hat[k] + gamma[k] / weight;
        project(p->mu[i], pushed, next);
        for (int k = 0; k < 3; k++) {
            off[k] = l[k] - next[k], moved[k] = next[k] - z[k], turned[k] = l[k] - last[k];
            G_l[k] = a->rhs[at + (size_t)k] - a->shift[i] * l[k];
            gamma[k] += weight * (hat[k] - next[k]);
            e.check += l[k] + gamma[k];
            e.impulse = max2(e.impulse, root * max2(fabs(l[k]), fabs(next[k])));
        }
        const double miss = root * size3(off), slip = root * max2(a->rho * size3(moved), a->eta * size3(turned));
        e.velocity = max2(e.velocity, max3(size3(gamma), size3(G_l), size3(p->c + at)) / root);
        e.primal = max2(e.primal, miss), e.dual = max2(e.dual, slip);
        e.miss = max2(e.miss, root * miss), e.slip = max2(e.slip, root * slip);
        memcpy(z, next, sizeof next);
        memcpy(last, l, sizeof next);
    }
    return e;
}

/* rho where one residual is out of proportion; 1: it changed. */
static int adapt(admm *a, const errors *e, double ratio) {
    const double tiny = 1e-30, most = 4.605170185988091; /* at once by 100 at most */
    const double primal = max2(e->primal * e->velocity, tiny), dual = max2(e->dual * e->impulse, tiny);
    if (!(primal > ratio * dual || dual > ratio * primal) || !(a->step > 0)) return 0;
    const double wanted = max2(-most, min2(most, 0.5 * myr_log(primal / dual))), steps = rint(wanted / a->step);
    const double rho = max2(1e-6 * a->largest, min2(1e4 * a->largest, a->rho * myr_exp(steps * a->step)));
    const int changed = rho != a->rho;
    a->rho = rho;
    return changed;
}

/* Is the violation no more than rounding makes of G lambda + c? Overwrites x and rhs. */
static int attained(admm *a, myr_law law) {
    myr_large *p = a->p;
    double terms = 0;
    multiply(p, p->lambda, 1, a->rhs);
    for (size_t i = 0; i < 3 * (size_t)p->n; i++) terms = max2(terms, a->rhs[i] + fabs(p->c[i]));
    myr_large_velocity(p);
    return myr_large_violation(p, law) <= ATTAINED * DBL_EPSILON * terms;
}

static myr_status refactor(admm *a, int64_t index) {
    for (int i = 0; i < a->p->n; i++) a->shift[i] = (a->eta + a->rho) * a->D[i];
    return myr_factor_compute(a->factor, a->p, a->shift, index);
}

/* Progress, by the two residuals relative to what they compare. */
typedef struct progress {
    double primal, dual;
    int since, tries;
} progress;

static myr_status run(admm *a, const myr_solve_options *o, myr_law law, int64_t index) {
    myr_large *p = a->p;
    progress best = {(double)INFINITY, (double)INFINITY, 0, 0};
    const double nearly = 2 * o->tolerance;
    int wait = 0, changed = 1, next = FIRST;
    for (int k = 1; k <= o->max_sweeps; k++) {
        const myr_status status = changed ? refactor(a, index) : MYR_OK;
        if (status != MYR_OK) return status;
        const errors e = iterate(a);
        p->iterations = k;
        if (!isfinite(e.check)) return MYR_OK;
        if (e.slip <= nearly && e.miss * a->largest <= nearly && --wait <= 0) {
            myr_large_velocity(p);
            if (myr_large_violation(p, law) <= o->tolerance) return p->status = MYR_CONVERGED, MYR_OK;
            wait = 4;
        }
        const double primal = e.primal / (e.impulse > 0 ? e.impulse : 1), dual = e.dual / (e.velocity > 0 ? e.velocity : 1);
        best.since++;
        if (primal < 0.99 * best.primal) best.primal = primal, best.since = 0;
        if (dual < 0.99 * best.dual) best.dual = dual, best.since = 0;
        if (best.since > PATIENCE_REST) {
            const double rest = ROUNDING * DBL_EPSILON;
            if ((primal <= rest && dual <= rest) || (k % LOOK == 0 && attained(a, law))) return p->status = MYR_STALLED, MYR_OK;
        }
        changed = a->full && best.since > PATIENCE; /* the convex law: only slow going */
        if (changed) {
            if (best.tries >= TRIES) return MYR_OK;
            a->rho *= 0.1, best.tries++;
        }
        if (k == next && k <= ADAPTIONS) {
            next += next / 2;
            if (best.tries == 0) changed |= adapt(a, &e, o->admm_ratio);
        }
        if (changed) best.primal = best.dual = (double)INFINITY, best.since = 0;
    }
    return MYR_OK;
}

myr_status myr_large_admm(myr_large *p, const myr_solve_options *o, int64_t index) {
    const myr_law law = o->solver == MYR_SOLVER_ADMM_NCP ? MYR_LAW_NCP : MYR_LAW_CCP;
    const size_t n = (size_t)p->n;
    double *memory = myr_allocate(15 * n * sizeof *memory, 64);
    if (!memory) return myr_fail(MYR_E_MEMORY, "problem %lld: no memory for %d contacts", (long long)index, p->n);
    admm a = {.p = p,
              .D = memory,
              .root = memory + n,
              .shift = memory + 2 * n,
              .gamma = memory + 3 * n,
              .last = memory + 6 * n,
              .x = memory + 9 * n,
              .rhs = memory + 12 * n,
              .full = law == MYR_LAW_NCP};
    myr_status status = MYR_OK;
    for (size_t i = 0; i < n; i++) {
        double in[3];
        project(p->mu[i], p->lambda + 3 * i, in);
        memcpy(p->lambda + 3 * i, in, sizeof in);
    }
    myr_large_velocity(p);
    p->iterations = 0;
    p->status = myr_large_violation(p, law) <= o->tolerance ? MYR_CONVERGED : MYR_ITERATION_LIMIT;
    if (p->status != MYR_CONVERGED) {
        status = myr_factor_open(p, index, &a.factor);
        if (status == MYR_OK) start(&a, o);
        if (status == MYR_OK) status = run(&a, o, law, index);
        if (status == MYR_OK) myr_large_velocity(p);
    }
    myr_factor_free(a.factor);
    myr_release(memory);
    return status;
}

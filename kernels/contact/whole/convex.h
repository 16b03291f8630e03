/* An interior point for the convex model, K contains x _|_ w in K*, on a whole problem: primal and dual, scaled as Nesterov and Todd (1997)
 * have it (convex_cone.h), predictor and corrector as in Mehrotra (1992).
 *
 *     G dx - dz = -f (G x + c - z),   dz = q - W^-2 dx   makes it   (G + W^-2) dx = q - f (G x + c - z)
 *
 * The matrix is symmetric and definite whatever G is. Each contact turns its three numbers so that W^-2 is next to diagonal: along the edge
 * of the cone that it is at, out of that edge, and across. */
#ifndef MYR_KERNELS_CONTACT_WHOLE_CONVEX_H
#define MYR_KERNELS_CONTACT_WHOLE_CONVEX_H

#include "convex_cone.h"
#include "convex_newton.h"
#include "convex_row.h"
#include "factor.h"

enum {
    CONVEX_STARTS = 3,  /* each from farther away */
    CONVEX_STEPS = 100, /* from each */
    CONVEX_NEWTON = 4,  /* of Newton's at a time */
    CONVEX_REFINE = 1   /* of a step's solution */
};

/* What a step costs beside the model, of a diagonal of G of 1: it is that of a proximal point. Where bodies are jammed between contacts
 * that could grip them ever harder no impulse is the least, and without this the path to the middle of all of them goes to infinity. G in
 * float is indefinite by its own rounding; this makes up for it. */
static const double convex_ridge = MYR_DOUBLE ? 1e-12 : 1e-6;

/* Newton's steps are tried from where the law is met to this on. */
static const double convex_near = 1e-2;

/* A contact with less friction has only its normal. */
static const double convex_rough = 1e-10;

typedef struct convex_run {
    cone_state *cones; /* one for each contact, */
    pair_state *rays;  /* or one of these: a normal without friction */
    row_state *rows;
    double *basis, *block;      /* 9 for each contact, by rows: out of the edge, along it, across; W^-2 between these: 4 */
    double *right, *dx, *least; /* vectors */
} convex_run;

static inline int convex_is_rough(const whole_problem *p, int i) { return p->mu[i] > convex_rough; }

/* How far p->x, p->w are from the convex law, as law_ccp has it, in impulses [N s] and velocities [m/s]. */
static double convex_error(const whole_problem *p) {
    double worst = 0, check = 0;
    for (int i = 0; i < p->n; i++) {
        const double *x = p->x + 3 * i, *w = p->w + 3 * i, root = p->root[3 * i], scale = p->scale[3 * i], mu = p->mu[i];
        const double flank = 1 / __builtin_sqrt(__builtin_fma(mu, mu, 1));
        const double lt = scale * whole_length(x[0], x[1]), ln = scale * x[2], wt = root * whole_length(w[0], w[1]), wn = root * w[2];
        const double l = whole_length(lt, ln), v = whole_length(wt, wn);
        const double from = __builtin_fma(mu, lt, ln) <= 0 ? l : whole_most(__builtin_fma(-mu, ln, lt), 0) * flank;
        const double under = __builtin_fma(mu, wn, wt) < 0 ? v : whole_most(__builtin_fma(mu, wt, -wn), 0) * flank;
        const double larger = whole_most(l, v), product = __builtin_fma(x[0], w[0], __builtin_fma(x[1], w[1], x[2] * w[2]));
        const double off = whole_most(from, whole_most(under, larger > 0 ? __builtin_fabs(product) / larger : 0));
        worst = whole_most(worst, off);
        check += l + v; /* a maximum may lose a NaN */
    }
    for (int k = 0; k < p->m; k++) {
        const int i = 3 * p->n + k;
        int held;
        double at;
        const double off = __builtin_fabs(p->x[i] - whole_row(p, k, p->x[i] - p->w[i], 1, &held, &at)), root = p->root[i];
        worst = whole_most(worst, off * whole_most(root, 1 / root));
        check += off;
    }
    return worst + 0 * check;
}

/* The room that myr_convex_room leaves behind a whole problem's. */
_Static_assert(sizeof(cone_state) + sizeof(pair_state) + 13 * sizeof(double) == MYR_CONVEX_CONTACT * sizeof(double), "room of a contact");
_Static_assert(sizeof(row_state) == MYR_CONVEX_ROW * sizeof(double), "room of a row");

/* From impulses and velocities of `from` times the size of c. */
static convex_run convex_open(const whole_problem *p, void *memory, double from) {
    convex_run a = {.cones = memory, .right = p->scratch[0], .dx = p->scratch[1], .least = p->scratch[2]};
    a.rays = (pair_state *)(void *)(a.cones + p->n);
    a.rows = (row_state *)(void *)(a.rays + p->n);
    a.basis = (double *)(void *)(a.rows + p->m);
    a.block = a.basis + 9 * p->n;
    double scale = 0;
    for (int i = 0; i < p->d; i++) scale = whole_most(scale, __builtin_fabs(p->c[i]));
    scale = scale > 0 ? from * scale : from;
    for (int i = 0; i < p->n; i++) {
        const double mu = p->mu[i];
        a.cones[i] = (cone_state){.X = {0, 0, mu * scale}, .Z = {0, 0, scale / mu}};
        a.rays[i] = (pair_state){scale, scale, 0, 0};
    }
    for (int k = 0; k < p->m; k++) a.rows[k] = row_open(p, k, scale);
    return a;
}

/* p->x of the state, p->w with it. */
static void convex_impulses(whole_problem *p, const convex_run *a) {
    for (int i = 0; i < p->n; i++) {
        double *x = p->x + 3 * i;
        const cone_state *c = &a->cones[i];
        if (convex_is_rough(p, i))
            x[0] = c->X.x, x[1] = c->X.y, x[2] = cone_height(c->X) / p->mu[i];
        else
            x[0] = x[1] = 0, x[2] = a->rays[i].x;
    }
    for (int k = 0; k < p->m; k++) p->x[3 * p->n + k] = row_impulse(&a->rows[k]);
    whole_velocity(p);
}

/* Scalings; the mean of the products. */
static double convex_scale(const whole_problem *p, convex_run *a) {
    double sum = 0;
    int count = 0;
    for (int i = 0; i < p->n; i++, count++) {
        if (!convex_is_rough(p, i)) {
            sum = __builtin_fma(a->rays[i].x, a->rays[i].z, sum);
            continue;
        }
        cone_scale(&a->cones[i]);
        sum += light_product(a->cones[i].x, a->cones[i].z);
    }
    for (int k = 0; k < p->m; k++) count += row_products(&a->rows[k], &sum);
    return count ? sum / count : 0;
}

/* The coordinates of each contact, and W^-2 in these. */
static void convex_blocks(const whole_problem *p, convex_run *a) {
    for (int i = 0; i < p->n; i++) {
        double *B = a->basis + 9 * i, *P = a->block + 4 * i;
        if (!convex_is_rough(p, i)) {
            memset(B, 0, 9 * sizeof *B);
            B[2] = 1; /* the normal first; the others are not there */
            P[0] = a->rays[i].z / a->rays[i].x, P[1] = 0, P[2] = P[3] = 1;
            continue;
        }
        const cone_state *c = &a->cones[i];
        const double mu = p->mu[i], h2 = __builtin_fma(mu, mu, 1), h = 1 / __builtin_sqrt(h2);
        const double more = 1 / ((c->size * c->turn) * (c->size * c->turn)), less = (c->turn / c->size) * (c->turn / c->size);
        const double out = 1 - mu * mu;
        B[0] = h * c->ex, B[1] = h * c->ey, B[2] = -h * mu;
        B[3] = h * mu * c->ex, B[4] = h * mu * c->ey, B[5] = h;
        B[6] = -c->ey, B[7] = c->ex, B[8] = 0;
        P[0] = __builtin_fma(less * h2, 0.5, 0.5 * more * out * out / h2);
        P[1] = more * out * mu / h2, P[2] = 2 * more * mu * mu / h2, P[3] = 1 / (c->size * c->size);
    }
}

/* B' G B + W^-2, factored. */
static void convex_factor(whole_problem *p, convex_run *a) {
    const int n = p->n, d = p->d;
    const size_t stride = (size_t)p->stride;
    for (int j = 0; j < d; j += j < 3 * n ? 3 : 1) { /* columns j.. */
        const int own = j < 3 * n, columns = own ? 3 : 1;
        const double *G = p->G + (size_t)j * stride, *Bj = a->basis + 3 * j;
        double *M = p->matrix + (size_t)j * stride;
        for (int i = 0; i < n; i++) {
            const double *B = a->basis + 9 * i;
            double T[9];
            for (int c = 0; c < columns; c++)
                for (int r = 0; r < 3; r++) {
                    const double *g = G + (size_t)c * stride + 3 * i;
                    T[3 * c + r] = __builtin_fma(B[3 * r], g[0], __builtin_fma(B[3 * r + 1], g[1], B[3 * r + 2] * g[2]));
                }
            for (int r = 0; r < 3; r++) {
                if (own)
                    for (int c = 0; c < 3; c++)
                        M[(size_t)c * stride + (size_t)(3 * i + r)] =
                            __builtin_fma(Bj[3 * c], T[r], __builtin_fma(Bj[3 * c + 1], T[3 + r], Bj[3 * c + 2] * T[6 + r]));
                else
                    M[3 * i + r] = T[r];
            }
        }
        for (int k = 3 * n; k < d; k++) /* rows k of G by the columns' basis: G is symmetric */
            for (int c = 0; c < columns; c++)
                M[(size_t)c * stride + (size_t)k] =
                    own ? __builtin_fma(Bj[3 * c], G[k],
                                        __builtin_fma(Bj[3 * c + 1], G[stride + (size_t)k], Bj[3 * c + 2] * G[2 * stride + (size_t)k]))
                        : G[k];
        for (int c = 0; c < columns; c++)
            for (int k = d; k < p->stride; k++) M[(size_t)c * stride + (size_t)k] = 0;
    }
    for (int i = 0; i < n; i++) {
        const double *P = a->block + 4 * i;
        double *M = p->matrix + (size_t)(3 * i) * stride + (size_t)(3 * i);
        M[0] += P[0] + convex_ridge, M[1] += P[1], M[stride] += P[1], M[stride + 1] += P[2] + convex_ridge,
            M[2 * stride + 2] += P[3] + convex_ridge;
    }
    for (int k = 0; k < p->m; k++) {
        const int i = 3 * n + k;
        double *column = p->matrix + (size_t)i * stride;
        if (row_moves(&a->rows[k])) {
            column[i] += 1 / a->rows[k].sum + convex_ridge;
            continue;
        }
        for (int j = 0; j < d; j++) column[j] = p->matrix[(size_t)j * stride + (size_t)i] = 0;
        column[i] = 1;
    }
    factor_ldl(d, p->stride, p->matrix, a->least);
}

/* to += by (B' G B + W^-2) y in the turned coordinates; moved, pushed: vectors of scratch. */
static void convex_multiply(const whole_problem *p, const convex_run *a, const double *y, double by, double *to, double *moved,
                            double *pushed) {
    memset(moved, 0, (size_t)p->stride * sizeof *moved);
    memset(pushed, 0, (size_t)p->stride * sizeof *pushed);
    for (int i = 0; i < 3 * p->n; i += 3)
        for (int e = 0; e < 3; e++) {
            const double *B = a->basis + 3 * i + e;
            moved[i + e] = __builtin_fma(B[0], y[i], __builtin_fma(B[3], y[i + 1], B[6] * y[i + 2]));
        }
    for (int i = 3 * p->n; i < p->d; i++) moved[i] = y[i];
    dense_multiply(p->G, p->stride, p->d, moved, pushed);
    for (int i = 0; i < 3 * p->n; i += 3) {
        const double *P = a->block + 4 * (i / 3), *g = pushed + i;
        const double own[3] = {__builtin_fma(P[0] + convex_ridge, y[i], P[1] * y[i + 1]),
                               __builtin_fma(P[1], y[i], (P[2] + convex_ridge) * y[i + 1]), (P[3] + convex_ridge) * y[i + 2]};
        for (int r = 0; r < 3; r++) {
            const double *B = a->basis + 3 * (i + r);
            to[i + r] += by * (own[r] + __builtin_fma(B[0], g[0], __builtin_fma(B[1], g[1], B[2] * g[2])));
        }
    }
    for (int k = 0; k < p->m; k++) {
        const int i = 3 * p->n + k;
        const row_state *r = &a->rows[k];
        to[i] += by * (row_moves(r) ? __builtin_fma(y[i], 1 / r->sum + convex_ridge, pushed[i]) : y[i]);
    }
}

/* The step to the products sigma, with `part` of what z misses of w made up. Returns how much of it stays inside. */
static double convex_direction(whole_problem *p, convex_run *a, double sigma, double part, double second) {
    const double half = 0.70710678118654752440, whole = 1.41421356237309504880;
    double *u = a->right, step = __builtin_inf();
    for (int i = 0; i < p->n; i++) {
        const double *B = a->basis + 9 * i, *w = p->w + 3 * i, mu = p->mu[i];
        double *to = u + 3 * i;
        if (!convex_is_rough(p, i)) {
            const pair_state *s = &a->rays[i];
            to[0] = pair_off(s, sigma, second) / s->x - part * (w[2] - s->z);
            to[1] = to[2] = 0;
            continue;
        }
        cone_state *c = &a->cones[i];
        cone_target(c, sigma, second);
        const double h = __builtin_sqrt(__builtin_fma(mu, mu, 1));
        const double miss[3] = {part * (w[0] - c->Z.x), part * (w[1] - c->Z.y), part * (w[2] - mu * cone_height(c->Z))};
        const double q[3] = {c->q.more * (1 - mu * mu) * half / h - c->q.less * h * half, c->q.more * whole * mu / h, c->q.across};
        for (int r = 0; r < 3; r++)
            to[r] = q[r] - __builtin_fma(B[3 * r], miss[0], __builtin_fma(B[3 * r + 1], miss[1], B[3 * r + 2] * miss[2]));
    }
    for (int k = 0; k < p->m; k++) {
        const int i = 3 * p->n + k;
        row_state *r = &a->rows[k];
        row_target(r, p->w[i], part, sigma, second);
        u[i] = row_moves(r) ? row_alpha(r) / r->sum : 0;
    }
    double *rest = p->scratch[3];
    memcpy(rest, u, (size_t)p->d * sizeof *u);
    factor_solve(p->d, p->stride, p->matrix, u);
    for (int turn = 0; turn < CONVEX_REFINE; turn++) { /* rest: of the right side */
        memcpy(a->dx, rest, (size_t)p->d * sizeof *u);
        convex_multiply(p, a, u, -1, a->dx, p->scratch[4], p->scratch[5]);
        factor_solve(p->d, p->stride, p->matrix, a->dx);
        for (int i = 0; i < p->d; i++) u[i] += a->dx[i];
    }
    for (int i = 0; i < p->n; i++) {
        const double *B = a->basis + 9 * i, *y = u + 3 * i, mu = p->mu[i];
        double *dx = a->dx + 3 * i;
        if (!convex_is_rough(p, i)) {
            pair_state *s = &a->rays[i];
            const double off = pair_off(s, sigma, second);
            dx[0] = dx[1] = 0, dx[2] = s->dx = y[0];
            s->dz = (off - s->z * s->dx) / s->x;
            step = __builtin_fmin(step, pair_step(s));
            continue;
        }
        cone_state *c = &a->cones[i];
        const double h = __builtin_sqrt(__builtin_fma(mu, mu, 1));
        for (int e = 0; e < 3; e++) dx[e] = __builtin_fma(B[e], y[0], __builtin_fma(B[3 + e], y[1], B[6 + e] * y[2]));
        c->dx = (light){(y[0] * (1 - mu * mu) * half + y[1] * whole * mu) / h, -h * half * y[0], y[2]};
        cone_dual(c);
        step = __builtin_fmin(step, cone_step(c));
    }
    for (int k = 0; k < p->m; k++) {
        const int i = 3 * p->n + k;
        row_state *r = &a->rows[k];
        a->dx[i] = u[i];
        if (row_moves(r)) row_back(r, p->w[i], (row_alpha(r) - u[i]) / r->sum, part, sigma, second);
        step = __builtin_fmin(step, row_step(r));
    }
    return step;
}

static void convex_move(const whole_problem *p, convex_run *a, double step) {
    for (int i = 0; i < p->n; i++) {
        if (convex_is_rough(p, i))
            cone_move(&a->cones[i], step);
        else
            pair_move(&a->rays[i], step);
    }
    for (int k = 0; k < p->m; k++) row_move(&a->rows[k], step);
}

/* What was found on the way. */
typedef struct convex_best {
    double bound, least; /* least: the distance of p->best, in parts of the bound */
    int done;            /* steps */
} convex_best;

/* Looks at p->x, p->w and keeps them if they are the best so far. Returns their distance. */
static double convex_keep(whole_problem *p, convex_best *b) {
    const double now = whole_most(convex_error(p), 0.5 * convex_off(p));
    if (now < b->least) {
        b->least = now;
        memcpy(p->best, p->x, (size_t)p->stride * sizeof *p->x);
    }
    return now;
}

/* A few of Newton's steps from p->x, while they get nearer. */
static void convex_newtons(whole_problem *p, convex_best *b, int most) {
    double before = __builtin_inf();
    for (int k = 0; k < CONVEX_NEWTON && b->least > b->bound && b->done < most; k++) {
        if (!convex_newton(p)) return;
        b->done++;
        convex_inside(p);
        const double now = convex_keep(p, b);
        if (!(now < before)) return;
        before = now;
    }
}

/* From one start, until the law is met or steps do not get on. */
static void convex_descend(whole_problem *p, convex_run *a, convex_best *b, int most) {
    double polish = __builtin_inf();
    for (int k = 0; k < CONVEX_STEPS; k++) {
        convex_impulses(p, a);
        const double sigma = convex_scale(p, a), now = convex_keep(p, b);
        if (b->least <= b->bound || b->done >= most || !(sigma > 1e-60)) return;
        if (now < convex_near && sigma <= polish) {
            polish = 0.05 * sigma;
            convex_newtons(p, b, most);
            if (b->least <= b->bound || b->done >= most) return;
            convex_impulses(p, a);
        }
        for (int r = 0; r < p->m; r++) row_target(&a->rows[r], p->w[3 * p->n + r], 1, 0, 0);
        convex_blocks(p, a);
        convex_factor(p, a);
        b->done++;
        const double affine = __builtin_fmin(1, convex_direction(p, a, 0, 1, 0));
        const double left = 1 - affine, centre = left * left * left;
        double step = __builtin_fmin(1, 0.99 * convex_direction(p, a, centre * sigma, 1 - centre, affine));
        if (step < 0.2) /* some products are far behind the others: more to the middle */
            step = __builtin_fmin(1, 0.9 * convex_direction(p, a, 0.5 * sigma, 0.5, 0));
        if (!(step > 1e-7)) return;
        convex_move(p, a, step);
    }
}

/* Until the law is met to `bound`, or `most` steps are done: how many, and how near. p->x, p->w: the best that was found. */
static convex_best convex_solve(whole_problem *p, void *memory, double bound, int most) {
    convex_best b = {bound, __builtin_inf(), 0};
    double from = 1;
    for (int start = 0; start < CONVEX_STARTS && b.least > bound && b.done < most; start++, from *= 100) {
        convex_run a = convex_open(p, memory, from);
        convex_descend(p, &a, &b, most);
    }
    memcpy(p->x, p->best, (size_t)p->stride * sizeof *p->x);
    whole_velocity(p);
    return b;
}

#endif

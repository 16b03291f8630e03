/* The interior point of Brüdigam 2021 on the equation of the step as it is, contacts and all, over the tree: nothing is taken
 * from where the step begins, and neither M nor G is needed (tree_point.lane.h, tree_direction.lane.h). The cone is the second-order cone.
 *
 * A lane first tries Newton's steps on the states of its contacts (touched_newton.lane.h), from where the last step ended: what rolls,
 * rests or flies ends so. The others start cold: the velocities of the step before, and slacks and impulses of the size of the problem. The
 * first start goes by predictor and corrector (Mehrotra 1992), and a step is halved until the equations or the products have become better.
 * The next ones go by the authors' rule: sigma falls to a tenth where what is left of the relaxed equations is less than half of it, and a
 * step is halved until less of these is left. The law is not convex, and steps get stuck at the edge of a cone. A lane that does goes back
 * to the last point near the path, and sigma falls by less from there. No step ends where a body turns too far for the equation to have a
 * solution.
 *
 * From a sigma of a hundredth on a lane tries to end by Newton's steps on the contacts' states that it sees, and goes on from where it was
 * if these do not end at the law. The answer that leaves least is kept. */
#ifndef MYR_MAXIMAL_IPM_TREE_LANE_H
#define MYR_MAXIMAL_IPM_TREE_LANE_H

#include "kernels/contact/solve.h"
#include "tree_direction.lane.h"

enum { TREE_STARTS = 4, TREE_MOST = 300, TREE_HALVES = 12, TREE_POLISH = 12, TREE_PATIENCE = 20 };

/* What differs between the lanes. */
typedef struct tree_course {
    vf iterations, start, age, last; /* start: number of the present one; age: iterations of it; last: its last step */
    vf target, polish, lowest, since;
    vf share, centre; /* what sigma falls to next; that of the last point near the path, 0 for none */
    vf bound;
    vm running, fresh, plain, lost;
} tree_course;

static void tree_open(const part *p, tree_ipm *t, vm todo, vf bound) {
    const robot *r = p->r;
    workspace *w = p->w;
    const maximal_workspace *mw = maximal_of(p);
    const int n = w->occupied, m = w->contact.rows.n, blocks = n + (m + 2) / 3, numbers = 3 * blocks;
    const vf one = vf_set(1), zero = vf_zero();
    *t = (tree_ipm){.q = w->contact};
    vf *at = mw->interior;
    for (int i = 0; i < maximal_interior(r); i++) at[i] = zero;
    ipm *a = &t->a;
    a->blocks = blocks, a->bound = bound, a->second = vm_none(), a->sigma = zero, a->speed = one;
    a->local = at, at += 9 * blocks;
    a->turn = at, at += 2 * blocks;
    a->x = at, at += numbers, a->w = at, at += numbers, a->u = at, at += numbers, a->dx = at, at += numbers, a->dw = at, at += numbers;
    a->keep = at, at += numbers, a->mobility = at, at += numbers, t->h = at, at += numbers, t->q.w = at, at += numbers;
    a->state = at, at += IPM_STATE * n;
    a->rows = at, at += IPM_ROW * m;
    t->u = at, at += r->nv, t->du = at, at += r->nv, t->weight = at, at += r->nv;
    t->best = at, at += r->nv + 3 * n + m;
    t->was = at, at += r->nv + (3 + TREE_SLACKS) * n + (1 + ROW_STEPS) * m;
    t->centre = at, at += r->nv + (3 + TREE_SLACKS) * n + (1 + ROW_STEPS) * m;
    t->q.active = at, at += n;
    t->q.lambda = at, at += 3 * n;
    t->q.rows.lambda = at, at += m, t->q.rows.w = at;
    t->q.n = n, t->q.mu = w->slot_mu, a->p = &t->q;
    t->best_left = vf_set((real)__builtin_inf());
    for (int i = 0; i < n; i++) {
        t->q.active[i] = vf_select(todo, w->slot_active[i], zero);
        const vm has = vm_and(problem_has(&t->q, i), vm_gt(mw->slot_size[i], zero));
        for (int e = 0; e < 3; e++) a->mobility[3 * i + e] = vf_select(has, mw->slot_size[i], one);
    }
    for (int k = 0; k < numbers - 3 * n; k++) {
        const vm has = k < m ? vm_and(problem_has_row(&t->q, k), vm_gt(mw->row_size[k], zero)) : vm_none();
        a->mobility[3 * n + k] = k < m ? vf_select(has, mw->row_size[k], one) : one;
    }
    for (int i = 0; i < blocks; i++) a->turn[2 * i] = one;
}

/* The scales of the problem: the velocities with which contacts and rows come into the step; of the equation's rows, what moves a body
 * that fast. */
static void tree_scales(const part *p, tree_ipm *t) {
    const robot *r = p->r;
    workspace *w = p->w;
    const maximal_workspace *mw = maximal_of(p);
    const vf zero = vf_zero(), per = vf_set((real)1 / (real)r->n_bodies);
    vf speed = vf_set(p->dt), mass = zero; /* of a metre per second squared at the least */
    tree_evaluate(p, t, w->u, t->a.x, t->a.x + 3 * t->q.n, t->a.w);
    for (int n = 0; n < t->q.n; n++) {
        const v3 v = v3_load(t->a.w + 3 * n);
        speed = vf_select(problem_has(&t->q, n), vf_max(speed, vf_max(vf_max(vf_abs(v.x), vf_abs(v.y)), vf_abs(v.z))), speed);
    }
    for (int k = 0; k < t->q.rows.n; k++)
        speed = vf_select(problem_has_row(&t->q, k), vf_max(speed, vf_abs(t->a.w[3 * t->q.n + k])), speed);
    for (int i = 0; i < r->n_bodies; i++) mass = vf_fma(per, mw->central[CENTRAL * i], mass);
    t->a.speed = speed, t->begins = t->left;
    for (int k = 0; k < r->nv; k++) t->weight[k] = vf_abs(mw->pivot_inverse[k]) / (mass * speed * speed);
}

static vf tree_depth(vf start) {
    static const real depths[TREE_STARTS] = {1, 1, 10, (real)0.1};
    vf depth = vf_set(depths[0]);
    for (int e = 1; e < TREE_STARTS; e++) depth = vf_select(vm_eq(start, vf_set((real)e)), vf_set(depths[e]), depth);
    return depth;
}

static void tree_start(const part *p, tree_ipm *t, tree_course *s) {
    workspace *w = p->w;
    ipm *a = &t->a;
    const vf zero = vf_zero(), depth = tree_depth(s->start);
    for (int k = 0; k < p->r->nv; k++) ipm_put(&t->u[k], s->fresh, w->u[k]);
    for (int i = 0; i < 3 * t->q.n; i++) ipm_put(&t->q.lambda[i], s->fresh, zero);
    for (int k = 0; k < t->q.rows.n; k++) ipm_put(&t->q.rows.lambda[k], s->fresh, zero);
    for (int i = 0; i < 3 * a->blocks; i++) {
        ipm_put(&a->u[i], s->fresh, zero);
        ipm_put(&a->dx[i], s->fresh, zero);
        ipm_put(&a->dw[i], s->fresh, zero);
    }
    for (int n = 0; n < t->q.n; n++) ipm_cone_start(a, n, s->fresh, depth);
    ipm_rows_start(a, s->fresh, depth);
    tree_evaluate(p, t, t->u, a->x, a->x + 3 * t->q.n, a->w);
    for (int n = 0; n < t->q.n; n++) ipm_cone_begin(a, n, s->fresh, depth);
    ipm_rows_begin(a, s->fresh, depth);
    ipm_put(&s->age, s->fresh, zero);
    ipm_put(&s->since, s->fresh, zero);
    ipm_put(&s->last, s->fresh, vf_set(1));
    ipm_put(&s->share, s->fresh, vf_set((real)0.1));
    ipm_put(&s->centre, s->fresh, zero);
    ipm_put(&s->lowest, s->fresh, vf_set((real)__builtin_inf()));
    ipm_put(&s->polish, s->fresh, vf_set((real)0.01));
    s->plain = vm_gt(s->start, zero);
    s->lost = vm_andnot(s->lost, s->fresh);
}

/* Residual over tolerance of u and the impulses of t->q, kept where it is the least so far. */
static vf tree_judge(const part *p, tree_ipm *t, const tree_course *s, const vf *u, vm todo) {
    const maximal_workspace *mw = maximal_of(p);
    const myr_solve_options *o = &p->options->solve;
    const int n = 3 * t->q.n, m = t->q.rows.n, nv = p->r->nv;
    MYR_UNIT(myr_solve_measure)(&t->q, o);
    const vf equation = vf_fma(vf_set((real)o->relative), mw->momentum, vf_set((real)o->tolerance));
    const vf merit = vf_select(t->inside, vf_max(t->q.residual / s->bound, t->left / equation), vf_set((real)__builtin_inf()));
    const vm better = vm_and(todo, vm_lt(merit, t->best_left));
    t->best_left = vf_select(better, merit, t->best_left);
    for (int k = 0; k < nv; k++) ipm_put(&t->best[k], better, u[k]);
    for (int i = 0; i < n; i++) ipm_put(&t->best[nv + i], better, t->q.lambda[i]);
    for (int k = 0; k < m; k++) ipm_put(&t->best[nv + n + k], better, t->q.rows.lambda[k]);
    return merit;
}

/* What u and the impulses of t->q leave, and their velocities. */
static void tree_answer(const part *p, tree_ipm *t, const vf *u) {
    vf *velocity = t->q.w;
    tree_evaluate(p, t, u, t->q.lambda, t->q.rows.lambda, velocity);
    for (int k = 0; k < t->q.rows.n; k++) t->q.rows.w[k] = velocity[3 * t->q.n + k];
}

/* A step of Newton's method on the states of the contacts, from u and the impulses of t->q. */
static void tree_newton(const part *p, tree_ipm *t, vf *u, vm todo) {
    const robot *r = p->r;
    const maximal_workspace *mw = maximal_of(p);
    vf *x = mw->unmet;
    articulated_open(p, u);
    for (int n = 0; n < t->q.n; n++) {
        slot_gain(p, n, v3_load(t->q.lambda + 3 * n), v3_load(t->q.w + 3 * n), TREE_GIVE, mw->gain + 12 * n);
        slot_block(p, n);
    }
    rows_block(p, &t->q.rows, TREE_GIVE, x);
    articulated_solve(p, u, x);
    for (int n = 0; n < t->q.n; n++) {
        const vm has = vm_and(todo, problem_has(&t->q, n));
        vf *l = t->q.lambda + 3 * n;
        const v3 old = v3_load(l);
        v3_store(l, v3_select(has, v3_add(old, slot_change(p, n)), old));
    }
    for (int k = 0; k < t->q.rows.n; k++) {
        ipm_put(&t->q.rows.lambda[k], vm_and(todo, problem_has_row(&t->q, k)), t->q.rows.lambda[k] + row_change(p, k, x));
    }
    for (int k = 0; k < r->nv; k++) ipm_put(&u[k], todo, u[k] - x[k]);
}

/* Newton's steps from t->du and the impulses of t->q. Lanes that meet the law run no more. */
static void tree_end(const part *p, tree_ipm *t, tree_course *s, vm todo) {
    vf *u = t->du, before = vf_set((real)__builtin_inf());
    for (int step = 0; vm_any(todo); step++) {
        tree_answer(p, t, u);
        const vf merit = tree_judge(p, t, s, u, todo);
        s->running = vm_andnot(s->running, vm_and(todo, vm_le(merit, vf_set((real)0.5))));
        todo = vm_and(todo, s->running);
        if (step >= 3) todo = vm_and(todo, vm_lt(merit, vf_set(4) * before)); /* the first steps find the states */
        before = merit;
        if (step == TREE_POLISH) break;
        tree_newton(p, t, u, todo);
        s->iterations = vf_select(todo, s->iterations + vf_set(1), s->iterations);
    }
}

/* The same from the answer that the interior point stands for. */
static void tree_polish(const part *p, tree_ipm *t, tree_course *s, vm todo) {
    ipm *a = &t->a;
    const vf zero = vf_zero();
    vf *u = t->du;
    for (int i = 0; i < 3 * t->q.n; i++) { /* as it is, for lanes that come to no end */
        ipm_put(&t->q.lambda[i], vm_and(todo, problem_has(&t->q, i / 3)), a->x[i]);
        t->q.w[i] = a->w[i];
    }
    for (int k = 0; k < t->q.rows.n; k++) {
        ipm_put(&t->q.rows.lambda[k], vm_and(todo, problem_has_row(&t->q, k)), a->x[3 * t->q.n + k]);
        t->q.rows.w[k] = a->w[3 * t->q.n + k];
    }
    tree_judge(p, t, s, t->u, todo);
    for (int k = 0; k < p->r->nv; k++) u[k] = t->u[k];
    for (int n = 0; n < t->q.n; n++) {
        const vm shut = vm_gt(a->x[3 * n + 2] * a->mobility[3 * n], a->w[3 * n + 2]), mine = vm_and(todo, problem_has(&t->q, n));
        for (int e = 0; e < 3; e++) ipm_put(&t->q.lambda[3 * n + e], mine, vf_select(shut, a->x[3 * n + e] + zero, zero));
    }
    for (int k = 0; k < t->q.rows.n; k++) t->q.rows.w[k] = a->w[3 * t->q.n + k];
    ipm_rows_answer(a, todo);
    tree_end(p, t, s, todo);
}

/* Newton's steps from where the last step ended: what stays as it was has its answer in two or three. */
static void tree_warm(const part *p, tree_ipm *t, tree_course *s) {
    const problem *c = &p->w->contact;
    for (int k = 0; k < p->r->nv; k++) t->du[k] = p->w->u[k];
    for (int i = 0; i < 3 * t->q.n; i++) t->q.lambda[i] = vf_select(problem_has(&t->q, i / 3), c->lambda[i], vf_zero());
    for (int k = 0; k < t->q.rows.n; k++) t->q.rows.lambda[k] = c->rows.lambda[k];
    tree_end(p, t, s, s->running);
    s->fresh = s->running;
}

/* One step of the lanes that run; s->last is its length, 0 where there was none. */
static void tree_step(const part *p, tree_ipm *t, tree_course *s, vf sigma) {
    ipm *a = &t->a;
    const int nv = p->r->nv;
    const vf zero = vf_zero(), one = vf_set(1), tenth = vf_set((real)0.1), half = vf_set((real)0.5), share = vf_set((real)0.995);
    ipm_put(&s->target, vm_eq(s->age, zero), sigma);
    const vf rest = vf_sqrt(t->off2 + tree_pairs(t, s->target).off2);
    const vm near = vm_and(vm_and(s->running, s->plain), vm_lt(rest, half * s->target));
    if (vm_any(near)) {
        tree_keep(t, nv, near, t->centre);
        ipm_put(&s->centre, near, s->target);
        ipm_put(&s->target, near, s->share * s->target);
        ipm_put(&s->share, near, vf_max(tenth, s->share * s->share));
    }
    tree_factor(p, t);
    a->second = vm_none(), a->sigma = zero;
    const vf affine = one / vf_max(one, tree_direction(p, t));
    const vf left = vf_min(one, tree_ahead(t, affine) / sigma), centre = left * left * left;
    a->second = vm_not(s->plain);
    const vf mild = vf_select(vm_lt(s->last, vf_set((real)0.3)), sigma, vf_max(centre, vf_set((real)1e-3)) * sigma);
    const vf aim = vf_select(s->plain, s->target, mild);
    a->sigma = aim;
    vf step = share / vf_max(share, tree_direction(p, t));
    const vf equation = t->off2, products = tree_pairs(t, aim).off2; /* tree_pairs leaves the directions as they are */
    vm open = s->running;
    vf check = step;
    for (int k = 0; k < nv; k++) check = check + t->du[k];
    for (int i = 0; i < 3 * t->q.n + t->q.rows.n; i++) check = check + a->dx[i];
    step = vf_select(vm_finite(check), step, zero);
    tree_keep(t, nv, s->running, t->was);
    for (int k = 0;; k++) {
        tree_move(t, nv, open, t->was, step);
        tree_look(p, t);
        const vf off = tree_pairs(t, aim).off2;
        const vm less = vm_lt(t->off2 + off, equation + products), either = vm_or(vm_lt(t->off2, equation), vm_lt(off, products));
        open = vm_andnot(open, vm_and(t->inside, vm_or(less, vm_andnot(either, s->plain))));
        if (!vm_any(open)) break;
        step = vf_select(open, k < TREE_HALVES ? half * step : zero, step);
        if (k > TREE_HALVES) break;
    }
    s->last = vf_select(open, zero, step);
    s->iterations = vf_select(s->running, s->iterations + one, s->iterations);
    const vm jammed = vm_and(vm_and(s->running, s->plain), vm_and(vm_lt(s->last, tenth), vm_gt(s->centre, zero)));
    if (!vm_any(jammed)) return;
    tree_move(t, nv, jammed, t->centre, zero);
    ipm_put(&s->share, jammed, vf_sqrt(s->share));
    ipm_put(&s->target, jammed, s->share * s->centre);
    s->last = vf_select(jammed, vf_select(vm_lt(s->share, vf_set((real)0.95)), one, zero), s->last);
}

/* Lanes `todo` from a cold start; the others keep all that they have. `bound`: what the law's residual may be. In these lanes t->best
 * gets the best velocities and their impulses, t->best_left their residual over tolerance. */
static void ipm_tree(const part *p, tree_ipm *t, vm todo, vf bound) {
    const vf zero = vf_zero(), one = vf_set(1);
    tree_open(p, t, todo, bound);
    tree_course s = {
        .iterations = zero, .start = zero, .age = zero, .last = one, .target = one, .polish = zero, .lowest = one, .since = zero};
    s.share = one, s.centre = zero;
    s.bound = bound, s.running = s.fresh = todo, s.plain = s.lost = vm_none();
    tree_scales(p, t);
    tree_warm(p, t, &s);
    while (vm_any(s.running)) {
        if (vm_any(s.fresh)) tree_start(p, t, &s);
        tree_look(p, t);
        const ipm_pairs now = tree_pairs(t, zero);
        const vf sigma = vf_max(now.sum, vf_set((real)1e-30)) / vf_max(now.count, one);
        const vm wanted = vm_and(s.running, vm_or(s.lost, vm_and(vm_le(sigma, s.polish), vm_gt(s.age, zero))));
        if (vm_any(wanted)) {
            tree_polish(p, t, &s, wanted);
            ipm_put(&s.polish, wanted, vf_set((real)0.05) * sigma);
            if (!vm_any(s.running)) break;
            tree_look(p, t);
        }
        s.fresh = vm_and(s.running, s.lost);
        s.start = vf_select(s.fresh, s.start + one, s.start);
        s.running = vm_and(s.running, vm_and(vm_lt(s.start, vf_set(TREE_STARTS)), vm_lt(s.iterations, vf_set(TREE_MOST))));
        s.fresh = vm_and(s.fresh, s.running);
        if (vm_any(s.fresh)) continue;
        tree_step(p, t, &s, sigma);
        s.age = s.age + one;
        const vm lower = vm_lt(sigma, vf_set((real)0.9) * s.lowest);
        s.lowest = vf_select(lower, sigma, s.lowest);
        s.since = vf_select(lower, zero, s.since + one);
        s.lost = vm_and(s.running, vm_or(vm_eq(s.last, zero), vm_ge(s.since, vf_set(TREE_PATIENCE))));
    }
    t->iterations = s.iterations;
}

#endif

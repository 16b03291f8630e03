/* The step of maximal coordinates (setting dynamics=maximal): the equation of momentum.lane.h, the contact law and the loops, all of them
 * at the end of the step, by the chord iteration.
 *
 * The stages before have made a step of generalized coordinates. Its M is what the equation's derivative is, to order dt w, and its G what
 * contacts do to each other. So with what is left of the equation at the new velocity u, r, and with impulses taken anew,
 *
 *     z <- L u - D^-1 L^-T r,     c <- Y' z + bend(u),     c_loops <- Y_b' L u - (g(z3) - g_wanted) / dt
 *
 * is a contact problem of the same G, solved by the same solver from the impulses that it gave before, and so on until nothing is left. A
 * pass brings what is left down by a factor of order dt w. Position limits are linear in u and need nothing.
 *
 * A lane is done, and frozen, where its own residuals are within the tolerance. Its residual is the largest of: the contact law's, with the
 * velocities of the end of the step; the equation's, along each dof [N s, N m s]; the loops' [m/s]. */
#ifndef MYR_CONSTRAINTS_VARIATIONAL_LANE_H
#define MYR_CONSTRAINTS_VARIATIONAL_LANE_H

#include "again.lane.h"
#include "bend.lane.h"
#include "loops_ahead.lane.h"
#include "mixing.lane.h"
#include "dynamics/articulated.lane.h"
#include "dynamics/factor_products.lane.h"

/* Passes by M, before the exact derivative is worth its price. */
enum { EXACT_FROM = 3 };

/* s of a body that turns by |w| dt = 1.9 in a step: at 2 it is half a turn, and the equation has no solution. */
#define TURN_MOST 0.31224989991991992
#define TURN_WHOLE 6.283185307179586 /* [rad] */

/* Square of the rate at which a body turns about what carries it; of a wheel none. */
static inline vf turn_rate2(const lane_body *b, const vf *u) {
    const int first = b->joint == MYR_JOINT_FREE ? 3 : 0, turns = b->joint != MYR_JOINT_PRISMATIC && !b->wheel;
    vf sum = vf_zero();
    for (int k = first; k < b->nv && turns; k++) sum = vf_fma(u[b->v + k], u[b->v + k], sum);
    return sum;
}

/* Lanes in which some body turns too far in the present increments, those of the velocities u. A turn of more than 3 pi looks like a small
 * one; between two bodies that do not turn too far it is less than 2 pi. */
static unsigned variational_spun(const part *p, const vf *u) {
    const real whole = (real)(TURN_WHOLE / p->options->dt_s);
    vf least = vf_set(1), most = vf_zero();
    for (int i = 0; i < p->r->n_bodies; i++) {
        least = vf_min(least, p->w->turned[4 * i]);
        most = vf_max(most, turn_rate2(&p->r->bodies[i], u));
    }
    return vm_bits(vm_or(vm_lt(least, vf_set((real)TURN_MOST)), vm_gt(most, vf_set(whole * whole))));
}

/* What is left of the equation of motion, with the impulses of the last solve: w->unmet along each dof, and the largest of these. w->left
 * gets L^-T times it, w->given what the impulses are in it. */
static vf equation_left(const part *p, const vf *u) {
    const robot *r = p->r;
    workspace *w = p->w;
    const int pushed = w->occupied || w->contact.rows.n || r->n_loops; /* else t was not made (apply.lane.h) */
    vf most = vf_zero(), all = vf_zero();
    momentum_residual(p, u, w->left);
    factor_solve_t(p, w->left);
    for (int k = 0; k < r->nv; k++) w->given[k] = pushed ? w->h[k] : vf_zero();
    if (r->n_loops) loops_push(p, w->loop_Y, w->loop_first, w->given); /* what closed z */
    for (int k = 0; k < r->nv; k++) w->unmet[k] = w->left[k] = w->left[k] - w->given[k];
    factor_times_t(p, w->unmet);
    for (int k = 0; k < r->nv; k++) most = vf_max(most, vf_abs(w->unmet[k])), all = all + w->unmet[k];
    return vf_select(vm_eq(all, all), most, vf_set((real)__builtin_inf())); /* a maximum may lose a NaN, a sum does not */
}

/* What is left of the loops at the end of the step. w->loop_x gets what their rows are to do in the next pass. */
static vf loops_left(const part *p, const vf *u) {
    workspace *w = p->w;
    const vf per_dt = vf_set((real)(1 / p->options->dt_s));
    vf left = vf_zero();
    loops_open_by(p, u, w->loop_opens);
    loops_velocity(p, w->Lu, w->loop_x);
    for (int k = 0; k < p->r->n_loop_rows; k++) {
        const vf off = vf_fms(per_dt, w->loop_opens[k], w->loop_wish[k]);
        w->loop_x[k] = w->loop_x[k] - off;
        left = vf_max(left, vf_abs(off));
    }
    return left;
}

/* z of the lanes `open` closed by the velocities in w->loop_x; the others keep theirs to the bit. */
static void loops_aim(const part *p, vm open, vf *z) {
    workspace *w = p->w;
    const int n = p->r->n_loop_rows;
    for (int k = 0; k < n; k++) w->loop_ref[k] = vf_select(open, w->loop_x[k], w->loop_ref[k]);
    loops_close_free(p);
    for (int k = 0; k < n; k++) w->loop_first[k] = vf_select(open, w->loop_x[k], w->loop_first[k]);
    for (int i = 0; i < p->r->nv; i++) z[i] = vf_select(open, w->z[i], z[i]);
    aside_copy(w->z, z, p->r->nv);
}

/* z of the next pass in the lanes `open`; what it changes, into w->unmet. By M; in the lanes `exact` by the equation's own derivative. */
static void variational_free(const part *p, vm open, vm exact, vf *z) {
    workspace *w = p->w;
    const int nv = p->r->nv;
    for (int i = 0; i < nv; i++) w->left[i] = vf_fnma(w->dinv[i], w->left[i], w->Lu[i]);
    if (vm_any(exact)) {
        articulated_solve(p, w->z, w->unmet);
        for (int i = 0; i < nv; i++) w->unmet[i] = w->z[i] - w->unmet[i];
        factor_times(p, w->unmet, w->Lu);
        for (int i = 0; i < nv; i++) w->left[i] = vf_select(exact, w->Lu[i], w->left[i]);
    }
    for (int i = 0; i < nv; i++) {
        const vf next = vf_fnma(w->dinv[i], w->given[i], w->left[i]);
        w->unmet[i] = next - z[i];
        z[i] = vf_select(open, next, z[i]);
    }
    aside_copy(w->z, z, nv);
    if (p->r->n_loops) loops_aim(p, open, z);
}

/* Lanes for which M has not done after a few passes, and which nothing touches: what contacts do to each other goes by M, and two
 * derivatives do not go together. */
static inline vm variational_exact(const part *p, vm open, int pass) {
    return pass < EXACT_FROM || p->r->n_loops ? vm_none() : vm_andnot(open, problem_lanes(&p->w->contact));
}

/* Lanes that have a joint row, of those in the aside. */
static vm variational_rowed(const part *p, const aside *k) {
    vm any = vm_none();
    for (int i = 0; i < p->r->n_rows; i++) any = vm_or(any, vm_gt(k->row_active[i], vf_zero()));
    return any;
}

/* The problem of the next pass. Mostly nothing but its free velocities changes. That rows are near is a matter of some lane, and what is
 * added rounds otherwise than what is assembled: of the contacts' free velocities those lanes alone that have rows get the assembled ones.
 */
static void variational_assemble(const part *p, const aside *k, vm open) {
    workspace *w = p->w;
    problem *c = &w->contact;
    const int anew = c->compliant || p->r->n_loops || p->options->terms.restitution > 0;
    aside_rows(p, k);
    if (!anew) p->r->variant->pull(p, w->unmet, c->c);
    if (!anew && !w->near) {
        aside_put(p, k, open);
        return;
    }
    vm rowed = variational_rowed(p, k);
    aside_copy(w->row_passed, k->row_active, p->r->n_rows);
    if (!anew) aside_copy(w->pulled, c->c, 3 * c->n);
    assemble_again(p, k, open);
    bend_free(p);
    if (anew) return;
    rowed = vm_or(rowed, variational_rowed(p, k));
    for (int i = 0; i < 3 * c->n; i++) c->c[i] = vf_select(rowed, c->c[i], w->pulled[i]);
}

/* Residuals at the present velocities. Of the lanes `open` those are returned that are not done. */
static vm variational_measure(const part *p, const aside *k, vm open) {
    workspace *w = p->w;
    problem *c = &w->contact;
    const myr_solve_options *o = &p->options->solve;
    const vf left = equation_left(p, w->z), zero = vf_zero();
    vf loops = zero;
    factor_times(p, w->z, w->Lu);
    if (p->r->n_loops) loops = loops_left(p, w->z);
    aside_answers(p, k);
    bend_contacts(p, w->z);
    const vf bound = MYR_UNIT(myr_solve_measure)(c, o), status = k->answers[2];
    const vf equation_bound = vf_fma(vf_set((real)o->relative), w->momentum, vf_set((real)o->tolerance));
    vm done = vm_and(vm_le(c->residual, bound), vm_le(left, equation_bound));
    if (p->r->n_loops) done = vm_and(done, vm_le(loops, w->loop_bound));
    const vf unfinished = vf_select(vm_gt(status, zero), status, vf_set(MYR_ITERATION_LIMIT));
    c->residual = vf_select(open, vf_max(vf_max(c->residual, left), loops), k->answers[0]);
    c->residual_ncp = vf_select(open, vf_max(c->residual_ncp, loops), k->answers[1]);
    c->status = vf_select(open, vf_select(done, vf_set(MYR_CONVERGED), unfinished), k->answers[2]);
    return vm_andnot(open, done);
}

/* Before the first solve: what the step begins with, and a first guess of the contacts' bends. */
static void variational_open(const part *p) {
    workspace *w = p->w;
    momentum_before(p);
    w->spun = variational_spun(p, w->u);
    w->passes = vf_set(1);
    bend_begin(p);
    bend_free(p);
}

static void variational(const part *p) {
    workspace *w = p->w;
    const aside k = aside_open(p);
    mixing m = mixing_open(p);
    vm open = vm_from_bits(p->alive);
    if (p->r->n_loops) aside_copy(w->loop_wish, w->loop_ref, p->r->n_loop_rows); /* what the loops are to do on the whole */
    for (int pass = 1;; pass++) {
        open = variational_measure(p, &k, open);
        if (!vm_any(open) || pass == p->options->maximal) break;
        w->passes = vf_select(open, vf_set((real)(pass + 1)), w->passes);
        aside_copy(w->point, w->z, p->r->nv);
        const vm exact = variational_exact(p, open, pass);
        variational_free(p, open, exact, k.z);
        aside_answers(p, &k);
        variational_assemble(p, &k, open);
        MYR_UNIT(myr_solve)(&w->contact, &p->options->solve);
        aside_return(p, &k, open);
        apply(p);
        for (int i = 0; i < p->r->nv; i++) w->z[i] = vf_select(open, w->z[i], w->point[i]);
        mix(p, &m, w->point, vm_andnot(open, exact), w->z);
    }
    w->spun = (w->spun | variational_spun(p, w->z)) & p->alive;
}

#endif

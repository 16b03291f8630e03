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
 * Where two passes have not done, Newton's method on the exact equation takes over (touched_newton.lane.h), from the contacts' states that
 * the last solve found. A step of it that leaves more than the best so far is taken back, and another pass follows. (Tried: Newton's step
 * shortened where it left more. At 20 ms as many steps ended open, at 5 ms ten times as many.)
 *
 * A lane that no pass brings near takes the step's first solve (unsolved.lane.h).
 *
 * A lane is done, and frozen, where its own residuals are within the tolerance. Its residual is the largest of: the contact law's, with the
 * velocities of the end of the step; the equation's, along each dof [N s, N m s]; the loops' [m/s]. */
#ifndef MYR_MAXIMAL_VARIATIONAL_LANE_H
#define MYR_MAXIMAL_VARIATIONAL_LANE_H

#include "bend.lane.h"
#include "loops_ahead.lane.h"
#include "mixing.lane.h"
#include "touched_newton.lane.h"
#include "unsolved.lane.h"
#include "constraints/recheck.lane.h"

/* Passes by M, before the exact derivative is worth its price. */
enum { EXACT_FROM = 3 };
/* A pass is worse only if its residual is over WORSE times the best one's; below that the difference is rounding. To take the smaller of
 * two rounded residuals would in float always err to one side. */
#define WORSE 2
/* If the best residual exceeds FAR times the tolerance the step is discarded: its energy is unbounded. */
#define FAR 10
/* s of the half turn of a body up to which a step is corrected once more. */
#define POLISH_TURN 0.95

/* What is left of the equation of motion, with the impulses of the last solve: mw->unmet and mw->left along each dof, and the largest of
 * these. mw->given gets what the impulses are in L^-T times it. */
static vf equation_left(const part *p, const vf *u) {
    const robot *r = p->r;
    workspace *w = p->w;
    const maximal_workspace *mw = maximal_of(p);
    const int pushed = w->occupied || w->contact.rows.n || r->n_loops; /* else t was not made (apply.lane.h) */
    vf most = vf_zero(), all = vf_zero();
    momentum_residual(p, u, mw->unmet);
    for (int k = 0; k < r->nv; k++) mw->given[k] = pushed ? w->h[k] : vf_zero();
    if (r->n_loops) loops_push(p, w->loop_Y, w->loop_first, mw->given); /* what closed z */
    if (pushed) {
        aside_copy(mw->left, mw->given, r->nv);
        factor_times_t(p, mw->left);
        for (int k = 0; k < r->nv; k++) mw->unmet[k] = mw->unmet[k] - mw->left[k];
    }
    aside_copy(mw->left, mw->unmet, r->nv); /* Newton's step takes the one, a pass by M the other: some lanes may make each */
    for (int k = 0; k < r->nv; k++) most = vf_max(most, vf_abs(mw->unmet[k])), all = all + mw->unmet[k];
    return vf_select(vm_eq(all, all), most, vf_set((real)__builtin_inf())); /* a maximum may lose a NaN, a sum does not */
}

/* What is left of the loops at the end of the step. w->loop_x gets what their rows are to do in the next pass. */
static vf loops_left(const part *p, const vf *u) {
    workspace *w = p->w;
    const maximal_workspace *mw = maximal_of(p);
    const vf per_dt = vf_set(p->per_dt);
    vf left = vf_zero();
    loops_open_by(p, u, mw->loop_opens);
    factor_times(p, u, mw->Lu);
    loops_velocity(p, mw->Lu, w->loop_x);
    for (int k = 0; k < p->r->n_loop_rows; k++) {
        const vf off = vf_fms(per_dt, mw->loop_opens[k], mw->loop_wish[k]);
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

/* z of the next pass in the lanes `open`, from mw->left; what it changes, into mw->unmet. The first time u is where z and the impulses
 * lead, and L u need not be asked for. */
static void variational_free(const part *p, int first, vm open, vf *z) {
    workspace *w = p->w;
    const maximal_workspace *mw = maximal_of(p);
    const int nv = p->r->nv;
    factor_solve_t(p, mw->left);
    if (!first) factor_times(p, w->z, mw->Lu);
    for (int i = 0; i < nv; i++) {
        const vf from = first ? z[i] : vf_fnma(w->dinv[i], mw->given[i], mw->Lu[i]), next = vf_fnma(w->dinv[i], mw->left[i], from);
        mw->unmet[i] = vf_select(open, next - z[i], vf_zero());
        z[i] = vf_select(open, next, z[i]);
    }
    aside_copy(w->z, z, nv);
    if (p->r->n_loops) loops_aim(p, open, z);
}

/* The problem of the next pass. Mostly nothing but its free velocities changes: rows that exist stay, and a lane has others only where it
 * is assembled anew. Which of both it is goes by model and settings, never by what some lane has: the two round differently. */
static void variational_assemble(const part *p, const aside *k, vm open) {
    workspace *w = p->w;
    const maximal_workspace *mw = maximal_of(p);
    aside_rows(p, k);
    if (w->contact.compliant || p->r->n_loops || p->options->terms.restitution > 0) {
        aside_copy(w->row_passed, k->row_active, p->r->n_rows);
        assemble_again(p, k, open);
        return;
    }
    p->r->variant->pull(p, mw->unmet, w->contact.c);
    joint_rows_pull(p, mw->unmet, w->contact.rows.c);
    aside_put(p, k, open);
}

/* Residuals at the present velocities. Of the lanes `open` those are returned that are not done. */
static vm variational_measure(const part *p, const aside *k, vm open) {
    workspace *w = p->w;
    maximal_workspace *mw = maximal_of(p);
    problem *c = &w->contact;
    const myr_solve_options *o = &p->options->solve;
    const vf left = equation_left(p, w->z), zero = vf_zero();
    vf loops = zero;
    if (p->r->n_loops) loops = loops_left(p, w->z);
    aside_answers(p, k);
    bend_contacts(p, w->z);
    for (int n = 0; n < c->rows.n; n++) c->rows.w[n] = vf_set(p->r->rows[w->row[n]].length) * w->z[p->r->rows[w->row[n]].dof];
    const vf bound = MYR_UNIT(myr_solve_measure)(c, o), status = k->answers[2];
    const vf equation_bound = vf_fma(vf_set((real)o->relative), mw->momentum, vf_set((real)o->tolerance));
    vm done = vm_and(vm_le(c->residual, bound), vm_le(left, equation_bound));
    if (p->r->n_loops) done = vm_and(done, vm_le(loops, w->loop_bound));
    const vm spun = vm_from_bits(increments_spun(p)); /* behind half a turn the equation has other roots: none is a step */
    done = vm_andnot(done, spun);
    const vf tiny = vf_set(MYR_DOUBLE ? (real)1e-10 : (real)1e-5); /* a tolerance of 0 is one, too, but what it leaves is not FAR */
    mw->merit = vf_max(c->residual / vf_max(bound, tiny), left / vf_max(equation_bound, tiny));
    if (p->r->n_loops) mw->merit = vf_max(mw->merit, loops / vf_max(w->loop_bound, tiny));
    mw->merit = vf_select(spun, vf_set((real)__builtin_inf()), mw->merit);
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
    w->spun = increments_spun(p);
    w->passes = vf_set(1);
    bend_rounds(p);
    bend_begin(p);
    bend_free(p);
}

/* A pass by M and G, from w->z; the first follows the step's own solve. */
static void chord_pass(const part *p, const aside *k, mixing *m, int first, vm open) {
    workspace *w = p->w;
    const maximal_workspace *mw = maximal_of(p);
    aside_copy(mw->point, w->z, p->r->nv);
    variational_free(p, first && !p->r->n_loops, open, k->z);
    aside_answers(p, k);
    variational_assemble(p, k, open);
    MYR_UNIT(myr_solve)(&w->contact, &p->options->solve);
    aside_apply(p, k, open);
    for (int i = 0; i < p->r->nv; i++) w->z[i] = vf_select(open, w->z[i], mw->point[i]);
    aside_copy(mw->unmet, w->z, p->r->nv);
    if (!mix(p, m, mw->point, open, w->z)) return;
    for (int i = 0; i < p->r->nv; i++) mw->unmet[i] = w->z[i] - mw->unmet[i];
    factor_times(p, mw->unmet, mw->Lu);
    p->r->variant->pull(p, mw->Lu, w->contact.w); /* the solver's velocities are those of where it led */
}

/* to <- from in these lanes; returns what is behind both. */
INLINE vf *best_copy(vf *kept, vf *now, int n, vm lanes, int back) {
    for (int i = 0; i < n; i++) {
        vf *to = back ? &now[i] : &kept[i];
        *to = vf_select(lanes, back ? kept[i] : now[i], *to);
    }
    return kept + n;
}

/* Velocities, impulses and what follows from them, of these lanes, into `kept` or back. */
static void best_exchange(const part *p, vf *kept, vm lanes, int back) {
    workspace *w = p->w;
    const maximal_workspace *mw = maximal_of(p);
    problem *c = &w->contact;
    vf *at = best_copy(kept, w->z, p->r->nv, lanes, back);
    at = best_copy(at, w->h, p->r->nv, lanes, back);
    at = best_copy(at, c->lambda, 3 * c->n, lanes, back);
    at = best_copy(at, c->w, 3 * c->n, lanes, back);
    for (int n = 0; n < w->occupied && back; n++) { /* free velocities have their bends in them */
        const v3 change = v3_sub(v3_load(at + 3 * n), v3_load(mw->slot_bend + 3 * n));
        pack_add(p, n, lanes, change, c->c);
    }
    at = best_copy(at, mw->slot_bend, 3 * w->occupied, lanes, back);
    for (int k = 0; k < 2 * p->r->n_rows && !back; k++) at[k] = vf_select(lanes, vf_zero(), at[k]);
    for (int n = 0; n < c->rows.n; n++) { /* by row of the robot: a pass may have made the list of rows longer */
        best_copy(at + w->row[n], c->rows.lambda + n, 1, lanes, back);
        best_copy(at + p->r->n_rows + w->row[n], c->rows.w + n, 1, lanes, back);
    }
    if (back) pack_return(p);
}

/* Keeps what is better than all before. */
static void best_look(const part *p, vm open) {
    maximal_workspace *mw = maximal_of(p);
    const vm better = vm_and(open, vm_lt(mw->merit, mw->best_merit));
    if (!vm_any(better)) return;
    mw->best_merit = vf_select(better, mw->merit, mw->best_merit);
    best_exchange(p, mw->best, better, 0);
}

/* One more correction by M of the lanes that are done and touch nothing, without looking again. What a lane may leave it leaves on one
 * side: a body that tumbles for ten thousand steps of 5 ms would lose half of its angular momentum at the default tolerance in float. The
 * residual is that before the correction, which brings it down by the turn of a step, so only small turns are taken. */
static void variational_polish(const part *p, vm open) {
    workspace *w = p->w;
    const maximal_workspace *mw = maximal_of(p);
    vm mine = vm_andnot(vm_andnot(vm_from_bits(p->alive), open), vm_lt(mw->least_turn, vf_set((real)POLISH_TURN)));
    if (p->r->n_loops) return;
    for (int n = 0; n < w->occupied; n++) mine = vm_andnot(mine, vm_gt(w->slot_active[n], vf_zero()));
    for (int n = 0; n < w->contact.rows.n; n++) mine = vm_andnot(mine, vm_gt(w->contact.rows.active[n], vf_zero()));
    if (!vm_any(mine)) return;
    factor_solve_t(p, mw->left);
    for (int i = 0; i < p->r->nv; i++) mw->left[i] = w->dinv[i] * mw->left[i];
    solve_l(p->r, w, NULL, mw->left);
    for (int i = 0; i < p->r->nv; i++) w->z[i] = vf_select(mine, w->z[i] - mw->left[i], w->z[i]);
}

/* Passes until the equation holds, from the step's own solve. */
static void variational(const part *p) {
    workspace *w = p->w;
    maximal_workspace *mw = maximal_of(p);
    const aside k = aside_open(p);
    mixing m = mixing_open(p);
    vm open = vm_from_bits(p->alive), exact = vm_none();
    mw->best_merit = vf_set((real)__builtin_inf());
    if (p->r->n_loops) aside_copy(mw->loop_wish, w->loop_ref, p->r->n_loop_rows); /* what the loops are to do on the whole */
    for (int pass = 1;; pass++) {
        open = variational_measure(p, &k, open);
        if (!vm_any(open)) break;
        if (pass == 1) best_exchange(p, mw->own_solve, open, 0);
        const vm kept = vm_finite(mw->best_merit), worse = vm_andnot(kept, vm_le(mw->merit, vf_set(WORSE) * mw->best_merit));
        const vm lost = vm_and(open, vm_and(exact, worse)); /* a step too far */
        if (pass >= EXACT_FROM) best_look(p, open);
        if (pass == p->options->passes) break;
        if (vm_any(lost)) {
            best_exchange(p, mw->best, lost, 1);
            variational_measure(p, &k, lost);
        }
        w->passes = vf_select(open, vf_set((real)(pass + 1)), w->passes);
        exact = pass < EXACT_FROM ? vm_none() : vm_andnot(newton_can(p, open), lost);
        const vm chord = vm_andnot(open, exact);
        if (vm_any(exact)) newton_step(p, exact);
        if (vm_any(chord))
            chord_pass(p, &k, &m, pass == 1, chord);
        else
            mix_nothing(p, &m);
    }
    const vm worse = vm_andnot(vm_and(open, vm_finite(mw->best_merit)), vm_le(mw->merit, vf_set(WORSE) * mw->best_merit));
    if (vm_any(worse)) {
        best_exchange(p, mw->best, worse, 1);
        variational_measure(p, &k, worse);
    }
    const vm far = vm_andnot(open, vm_le(vf_min(mw->merit, mw->best_merit), vf_set(FAR)));
    if (vm_any(far)) {
        best_exchange(p, mw->own_solve, far, 1);
        unsolved_hold(p, far);
        variational_measure(p, &k, far);
    }
    w->spun = (w->spun | increments_spun(p)) & p->alive;
    variational_polish(p, open);
}

/* The new velocity: by the step's own solve, of which the passes need z as it was, and then by the passes. */
static void variational_close(const part *p) {
    const aside k = aside_open(p);
    aside_copy(k.z, p->w->z, p->r->nv);
    apply_rechecked(p);
    variational(p);
}

#endif

/* Positions that close the loops, by Newton's method: after a step where `loop-projection` asks for it, and of poses that a reset or the
 * caller made. A lane stops where it is closed to rounding, so that what its neighbours still do leaves it alone. */
#ifndef MYR_CONSTRAINTS_LOOPS_PROJECT_LANE_H
#define MYR_CONSTRAINTS_LOOPS_PROJECT_LANE_H

#include "dynamics/integrate.lane.h"
#include "dynamics/factor.lane.h"
#include "loops_solve.lane.h"

#define LOOP_CLOSED (MYR_DOUBLE ? 1e-13 : 1e-7) /* [m, rad] */
#define LOOP_STRIDE 0.2                         /* the farthest that a dof goes in one step of the method [m, rad] */

/* One step of the method in the metric of the present M: q moves by -M^-1 J' B^-1 gap, in lanes that are open. Returns those lanes. */
static vm loops_newton(const part *p, vm lanes) {
    const robot *r = p->r;
    workspace *w = p->w;
    kinematics(p);
    loops_look(p, 1);
    const vm open = vm_and(lanes, vm_gt(w->loop_error, vf_set((real)LOOP_CLOSED)));
    if (!vm_any(open)) return open;
    loops_factor(p);
    for (int k = 0; k < r->n_loop_rows; k++) w->loop_x[k] = -w->loop_gap[k];
    loops_divide(p, w->loop_x);
    for (int k = 0; k < r->nv; k++) w->z[k] = vf_zero();
    loops_push(p, w->loop_scaled, w->loop_x, w->z);
    solve_l(r, w, NULL, w->z);
    vf far = vf_zero();
    for (int k = 0; k < r->nv; k++) far = vf_max(far, vf_abs(w->z[k]));
    const vf stride = vf_set((real)LOOP_STRIDE), scale = vf_select(vm_gt(far, stride), stride / far, vf_set(1));
    for (int k = 0; k < r->nv; k++) w->z[k] = scale * w->z[k];
    for (int t = 0; t < r->n_trees; t++) {
        if (!r->tree_floating[t]) continue;
        vf *linear = w->z + r->bodies[r->tree_root[t]].v;
        v3_store(linear, m3_mul(w->R0 + 9 * t, v3_load(linear)));
    }
    const vm moved = vm_and(open, vm_finite(far));
    part whole = *p;
    whole.dt = 1;
    integrate_position(&whole, moved, 0);
    w->posed = 0;
    return moved;
}

/* After a step, of lanes that this step did not stop. M is that of the step. */
static void loops_project(const part *p, unsigned bad) {
    const vm good = vm_from_bits(p->alive & ~stopped_lanes(bad));
    for (int time = 0; time < p->options->loop_projection; time++)
        if (!vm_any(loops_newton(p, good))) return;
}

/* Poses from outside a step: every dof moves as easily as the others, within MOST steps. w->loop_error says what is left. */
static void loops_settle(const part *p, unsigned lanes) {
    enum { MOST = 100 };
    const robot *r = p->r;
    if (!lanes) return;
    part some = *p;
    some.alive = lanes;
    for (int k = 0; k < r->n_m; k++) p->w->M[k] = vf_zero();
    for (int k = 0; k < r->nv; k++) p->w->dinv[k] = vf_set(1);
    for (int time = 0; time < MOST; time++)
        if (!vm_any(loops_newton(&some, vm_from_bits(lanes)))) break;
    kinematics(&some);
    loops_look(&some, 0);
    const vf *q = field_rows(p, MYR_ROWS_q);
    vf broken = vf_zero(); /* NaN where a position is NaN: a loop that does not see it may be closed all the same */
    for (int k = 0; k < r->nq; k++) broken = vf_fma(vf_zero(), q[PARTS * k], broken);
    p->w->loop_error = vf_select(vm_eq(broken, vf_zero()), p->w->loop_error, vf_set((real)__builtin_inf()));
}

#endif

/* What a scalar row is about: the position of a joint of one dof, or of a tendon, the sum of coefficient times position over some of them.
 * The law is the same, a staircase (kernels/contact/rows.lane.h): a kind of row is what makes its terms, its limits and its friction where
 * the model is compiled (model/rows.c, model/tendons.c). Most are joints, and these cost what one dof costs. */
#ifndef MYR_CONSTRAINTS_ROW_TERMS_LANE_H
#define MYR_CONSTRAINTS_ROW_TERMS_LANE_H

#include "robot/workspace.lane.h"

/* Where it is: [rad | m] of a joint. */
static inline vf row_position(const part *p, const lane_row *r) {
    if (!r->n_terms) return field(p, MYR_ROWS_q, r->q);
    vf sum = vf_zero();
    for (int i = 0; i < r->n_terms; i++) sum = vf_fma(vf_set(r->terms[i].coefficient), field(p, MYR_ROWS_q, r->terms[i].q), sum);
    return sum;
}

/* How fast it moves by the velocities v, by dof and `stride` apart. */
static inline vf row_rate(const lane_row *r, const vf *v, int stride) {
    if (!r->n_terms) return v[stride * r->dof];
    vf sum = vf_zero();
    for (int i = 0; i < r->n_terms; i++) sum = vf_fma(vf_set(r->terms[i].coefficient), v[stride * r->terms[i].dof], sum);
    return sum;
}

/* Y = L^-T J^T of a tendon's row, by its path, and its free velocity. `work`: by dof. */
static inline vf row_terms_y(const part *p, const lane_row *r, vf *y, vf *work) {
    const robot *robot_of = p->r;
    const vf *M = p->w->M;
    vf free = vf_zero();
    for (int j = 0; j < r->path_length; j++) work[r->path[j]] = vf_zero();
    for (int i = 0; i < r->n_terms; i++) {
        const vf moment = vf_set(r->length * r->terms[i].coefficient);
        work[r->terms[i].dof] = work[r->terms[i].dof] + moment;
    }
    for (int j = r->path_length - 1; j >= 0; j--) {
        const int k = r->path[j], *above = robot_of->dof_path[k];
        const vf mine = y[j] = work[k], *row_k = M + robot_of->m_row[k];
        for (int e = 0; e < robot_of->dof_depth[k]; e++) work[above[e]] = vf_fnma(row_k[e], mine, work[above[e]]);
        free = vf_fma(mine, p->w->z[k], free);
    }
    return free;
}

#endif

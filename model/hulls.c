/* Hulls of many corners against the ground: as many slots as touch at once on flat ground, not one for each corner. Which corners they are
 * the step says (collision/hulls.lane.h). */
#include <math.h>
#include <string.h>

#include "description.h"
#include "base/memory.h"

static myr_status fill(myr_model *m, int geom, myr_hull *hull) {
    const myr_geom *g = &m->geoms[geom];
    const double *align = m->bodies[g->body].align;
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, farthest = -1.0;
    hull->n = g->n_points;
    hull->corners = myr_allocate_array(3 * (size_t)hull->n, sizeof *hull->corners);
    if (!hull->corners) return myr_fail(MYR_E_MEMORY, "out of memory for geom `%s`", g->name);
    for (int i = 0; i < hull->n; i++) {
        double *at = hull->corners + 3 * i;
        myr_rotate(at, g->rotation, g->points + 3 * i);
        for (int k = 0; k < 3; k++) at[k] += g->position[k];
        myr_rotate(at, align, at);
        for (int k = 0; k < 3; k++) low[k] = fmin(low[k], at[k]), high[k] = fmax(high[k], at[k]);
        if (myr_dot3(at, at) > farthest) farthest = myr_dot3(at, at), myr_copy3(hull->far, at);
    }
    for (int k = 0; k < 3; k++) hull->center[k] = 0.5 * (low[k] + high[k]);
    for (int i = 0; i < hull->n; i++) {
        double d[3];
        for (int k = 0; k < 3; k++) d[k] = hull->corners[3 * i + k] - hull->center[k];
        hull->radius = fmax(hull->radius, sqrt(myr_dot3(d, d)));
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++) hull->turn[3 * i + j] += align[3 * i + k] * g->rotation[3 * k + j];
    return MYR_OK;
}

myr_status myr_find_hulls(myr_model *m) {
    int n = 0;
    for (int i = 0; i < m->n_geoms; i++) n += m->geoms[i].n_slots ? myr_moving_slots(&m->geoms[i]) : 0;
    if (!n) return MYR_OK;
    m->hulls = myr_allocate_array((size_t)n, sizeof *m->hulls);
    if (!m->hulls) return myr_fail(MYR_E_MEMORY, "out of memory for model `%s`", m->name);
    for (int i = 0; i < m->n_geoms; i++) {
        const myr_geom *g = &m->geoms[i];
        if (!g->n_slots || !myr_moving_slots(g)) continue;
        const myr_status status = fill(m, i, &m->hulls[m->n_hulls++]);
        if (status) return status;
        for (int k = g->slot; k < g->slot + g->n_slots; k++) {
            m->slots[k].hull = m->n_hulls;
            myr_copy3(m->slots[k].center, m->hulls[m->n_hulls - 1].center);
        }
    }
    return MYR_OK;
}

/* Flat solids of a model on a map, as vertices of the map meet them. */
#include <math.h>
#include <string.h>

#include "model/geoms.h"
#include "model/hull.h"
#include "base/memory.h"
#include "terrain.h"

int myr_is_flat(const myr_geom *g) { return g->n_slots && myr_kind_of(g)->on_map == MYR_SLOT_SPIKES; }

static myr_status fill(const myr_model *m, int geom, myr_flat *flat) {
    const myr_geom *g = &m->geoms[geom];
    const double *align = m->bodies[g->body].align;
    myr_hold hold;
    myr_kind_of(g)->hold(g, &hold);
    flat->geom = geom;
    myr_copy3(flat->half, hold.half);
    myr_rotate(flat->center, g->rotation, hold.center);
    for (int k = 0; k < 3; k++) flat->center[k] += g->position[k];
    myr_rotate(flat->center, align, flat->center);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++) flat->turn[3 * i + j] += align[3 * i + k] * g->rotation[3 * k + j];
    return g->n_points ? myr_hull_planes(g, hold.center, &flat->planes, &flat->n_planes) : MYR_OK;
}

myr_status myr_find_flats(myr_model *m) {
    int n = 0;
    for (int g = 0; g < m->n_geoms; g++) n += myr_is_flat(&m->geoms[g]);
    if (!n) return MYR_OK;
    m->flats = myr_allocate_array((size_t)n, sizeof *m->flats);
    if (!m->flats) return myr_fail(MYR_E_MEMORY, "out of memory for the model `%s` on a map", m->name);
    for (int g = 0; g < m->n_geoms; g++) {
        if (!myr_is_flat(&m->geoms[g])) continue;
        const myr_status status = fill(m, g, &m->flats[m->n_flats++]);
        if (status) return status;
    }
    for (int s = 0; s < m->n_slots; s++)
        for (int k = 0; k < n; k++)
            if (m->slots[s].other < 0 && m->slots[s].geom == m->flats[k].geom) m->slots[s].flat = k + 1;
    return MYR_OK;
}

/* Flat solids of a model on a map, as vertices of the map meet them. */
#include <math.h>
#include <string.h>

#include "model/geoms.h"
#include "model/hull.h"
#include "model/memory.h"
#include "terrain.h"

int myr_is_flat(const myr_geom *g) { return g->n_slots && myr_kind_of(g)->on_map == MYR_SLOT_SPIKES; }

/* A hull has no faces yet where it is in no pair; a needle has none that count, and no vertex sticks into it. */
static myr_status take_planes(const myr_geom *g, const double middle[3], myr_flat *flat) {
    myr_face *faces = g->faces, *own = NULL;
    int n = g->n_faces;
    if (!faces) {
        const myr_status status = myr_hull_faces(g->name, g->points, g->n_points, &own, &n);
        if (status == MYR_E_ARG) return MYR_OK;
        if (status) return status;
        faces = own;
    }
    flat->planes = myr_allocate_array((size_t)n, sizeof *flat->planes);
    for (int i = 0; i < n && flat->planes; i++) {
        memcpy(flat->planes[i], faces[i].normal, sizeof faces[i].normal);
        flat->planes[i][3] = faces[i].offset - myr_dot3(faces[i].normal, middle);
    }
    flat->n_planes = n;
    myr_release(own);
    return flat->planes ? MYR_OK : myr_fail(MYR_E_MEMORY, "out of memory for geom `%s`", g->name);
}

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
    return g->n_points ? take_planes(g, hold.center, flat) : MYR_OK;
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

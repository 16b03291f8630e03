/* A model on a map: it shares all that a ground does not change. */
#include <string.h>

#include "model/geoms.h"
#include "base/memory.h"
#include "terrain.h"

/* A ball that may touch in two places at once. */
static int is_ball(const myr_slot *slot) { return slot->other < 0 && slot->radius > 0; }

/* The largest ball of it, by its slot; -1: there is none. */
static int largest_ball(const myr_model *m) {
    int largest = -1;
    for (int s = 0; s < m->n_slots; s++)
        if (is_ball(&m->slots[s]) && (largest < 0 || m->slots[s].radius > m->slots[largest].radius)) largest = s;
    return largest;
}

static myr_status check_size(const myr_model *m, const myr_terrain *t) {
    const int ball = largest_ball(m);
    if (ball < 0 || m->slots[ball].radius <= MYR_TERRAIN_REACH * t->cell) return MYR_OK;
    const double radius = m->slots[ball].radius;
    return myr_fail(
        MYR_E_ARG,
        "myr_model_on: a ball of geom `%s` of the model `%s` has a radius of %g m, and cells of the map are %g m; balls may be %g "
        "cells at most: cells of %.3g m would do",
        m->geoms[m->slots[ball].geom].name, m->name, radius, t->cell, MYR_TERRAIN_REACH, radius / MYR_TERRAIN_REACH);
}

/* So many slots has a geom on a map. */
static int slots_on_map(const myr_model *m, const myr_geom *geom) {
    int n = geom->n_slots;
    if (!n) return 0;
    for (int s = geom->slot; s < geom->slot + geom->n_slots; s++) n += is_ball(&m->slots[s]);
    switch (myr_kind_of(geom)->on_map) {
    case MYR_SLOT_MIDDLE: return n + MYR_MIDDLE_SLOTS;
    case MYR_SLOT_SPIKES: return n + MYR_SPIKE_SLOTS;
    default: return n;
    }
}

/* A slot like the one before it. */
static void add_slot(myr_slot *slots, int *n, myr_map_slot twin, int feature) {
    slots[*n] = slots[*n - 1];
    slots[*n].twin = twin, slots[*n].feature = feature;
    ++*n;
}

/* The slots: behind each ball's the one of its second contact; behind a capsule's those between its ends; behind a flat solid's those of
 * vertices. */
static void take_slots(myr_model *m, const myr_model *from) {
    int n = 0;
    for (int g = 0; g < from->n_geoms; g++) {
        const myr_geom *geom = &from->geoms[g];
        m->geoms[g].slot = n;
        for (int s = geom->slot; s < geom->slot + geom->n_slots; s++) {
            m->slots[n++] = from->slots[s];
            if (is_ball(&from->slots[s])) add_slot(m->slots, &n, MYR_SLOT_SECOND, from->slots[s].feature);
        }
        const int more = slots_on_map(from, geom) - (n - m->geoms[g].slot);
        for (int k = 0; k < more; k++) add_slot(m->slots, &n, k ? MYR_SLOT_MORE : myr_kind_of(geom)->on_map, geom->n_slots + k);
        m->geoms[g].n_slots = n - m->geoms[g].slot;
    }
    for (int i = 0; i < from->n_pairs; i++) {
        const myr_pair *pair = &from->pairs[i];
        m->pairs[i].slot = n;
        for (int s = pair->slot; s < pair->slot + pair->n_slots; s++) m->slots[n++] = from->slots[s];
    }
}

myr_status myr_model_on(const myr_model *model, const myr_terrain *terrain, myr_model **out) {
    MYR_OWN_ARITHMETIC;
    if (out) *out = NULL;
    if (!model || !terrain || !out)
        return myr_fail(MYR_E_ARG, "myr_model_on: `%s` is NULL", !model ? "model" : !terrain ? "terrain" : "out");
    if (model->shares) model = model->shares;
    const myr_status status = check_size(model, terrain);
    if (status) return status;
    int n_slots = 0;
    for (int g = 0; g < model->n_geoms; g++) n_slots += slots_on_map(model, &model->geoms[g]);
    for (int i = 0; i < model->n_pairs; i++) n_slots += model->pairs[i].n_slots;
    myr_model *m = myr_allocate_array(1, sizeof *m);
    myr_geom *geoms = myr_allocate_array((size_t)model->n_geoms, sizeof *geoms);
    myr_slot *slots = myr_allocate_array((size_t)n_slots, sizeof *slots);
    myr_pair *pairs = myr_allocate_array((size_t)model->n_pairs, sizeof *pairs);
    if (!m || !geoms || !slots || !pairs) {
        myr_release(m), myr_release(geoms), myr_release(slots), myr_release(pairs);
        return myr_fail(MYR_E_MEMORY, "out of memory for the model `%s` on a map", model->name);
    }
    memcpy((void *)m, model, sizeof *m);
    atomic_init(&m->references, 1);
    memcpy(geoms, model->geoms, (size_t)model->n_geoms * sizeof *geoms);
    if (model->n_pairs) memcpy(pairs, model->pairs, (size_t)model->n_pairs * sizeof *pairs);
    m->geoms = geoms, m->slots = slots, m->pairs = pairs;
    m->n_slots = n_slots;
    take_slots(m, model);
    m->shares = myr_model_retain(model), m->terrain = myr_terrain_retain(terrain);
    const myr_status flats = myr_find_flats(m);
    if (flats) {
        myr_model_free(m);
        return flats;
    }
    *out = m;
    return MYR_OK;
}

const myr_terrain *myr_model_terrain(const myr_model *model) { return model ? model->terrain : NULL; }

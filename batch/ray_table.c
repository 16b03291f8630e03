/* The geoms of a model as rays see them. */
#include "batch/ray_table.h"

#include <string.h>

#include "model/geoms.h"
#include "model/hull.h"
#include "base/memory.h"
#include "base/rotation.h"

static myr_status fill(const myr_model *m, const myr_geom *g, myr_ray_shape *shape, double (**planes)[4]) {
    myr_hold hold;
    myr_kind_of(g)->hold(g, &hold);
    *shape = (myr_ray_shape){.body = g->body, .tree = g->body < 0 ? -1 : m->bodies[g->body].tree, .world = g->world, .type = g->type};
    memcpy(shape->size, g->size, sizeof shape->size);
    shape->reach = hold.reach;
    myr_rotate(shape->middle, g->rotation, hold.center);
    for (int k = 0; k < 3; k++) shape->at[k] = g->position[k] + shape->middle[k];
    memcpy(shape->turn, g->rotation, sizeof shape->turn);
    if (g->body >= 0) {
        const double *align = m->bodies[g->body].align;
        myr_rotate(shape->at, align, shape->at);
        myr_multiply3(shape->turn, align, shape->turn);
    }
    if (!g->n_points) return MYR_OK;
    const myr_status status = myr_hull_planes(g, hold.center, planes, &shape->n_planes);
    shape->planes = (const double(*)[4]) * planes;
    return status;
}

myr_status myr_ray_table_make(const myr_model *model, int workers, myr_ray_table **out) {
    const size_t n = (size_t)model->n_geoms;
    myr_status status = MYR_OK;
    *out = NULL;
    myr_ray_table *t = myr_allocate_array(1, sizeof *t);
    if (!t) return myr_fail(MYR_E_MEMORY, "out of memory for rays");
    t->room_bytes = myr_ray_room(model->n_geoms);
    t->shape = myr_allocate_array(n, sizeof *t->shape);
    t->planes = myr_allocate_array(n, sizeof *t->planes);
    t->rooms = myr_allocate((size_t)workers * t->room_bytes, 64);
    if (!t->shape || !t->planes || !t->rooms) status = myr_fail(MYR_E_MEMORY, "out of memory for rays");
    t->bytes = sizeof *t + n * (sizeof *t->shape + sizeof *t->planes) + (size_t)workers * t->room_bytes;
    for (int g = 0; g < model->n_geoms && status == MYR_OK; g++) {
        status = fill(model, &model->geoms[g], &t->shape[g], &t->planes[g]);
        t->shapes.n++, t->bytes += (size_t)t->shape[g].n_planes * sizeof **t->planes;
    }
    t->shapes.shape = t->shape;
    if (status == MYR_OK)
        *out = t;
    else
        myr_ray_table_free(t);
    return status;
}

void myr_ray_table_free(myr_ray_table *t) {
    if (!t) return;
    for (int g = 0; t->planes && g < t->shapes.n; g++) myr_release(t->planes[g]);
    myr_release(t->planes);
    myr_release(t->shape);
    myr_release(t->rooms);
    myr_release(t);
}

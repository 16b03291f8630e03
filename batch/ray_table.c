/* The geoms of a model as rays see them. */
#include "batch/ray_table.h"

#include <math.h>
#include <string.h>

#include "model/hull.h"
#include "model/memory.h"
#include "model/rotation.h"

/* The middle of a hull's extent along its axes, and how far from there its corners are. */
static void hull_size(const myr_geom *g, double middle[3], double *reach) {
    for (int k = 0; k < 3; k++) {
        double low = INFINITY, high = -INFINITY;
        for (int i = 0; i < g->n_points; i++) low = fmin(low, g->points[3 * i + k]), high = fmax(high, g->points[3 * i + k]);
        middle[k] = 0.5 * (low + high);
    }
    for (int i = 0; i < g->n_points; i++) {
        double d[3];
        for (int k = 0; k < 3; k++) d[k] = g->points[3 * i + k] - middle[k];
        *reach = fmax(*reach, sqrt(myr_dot3(d, d)));
    }
}

/* A hull that is in no pair has no faces yet; a needle has none that count, and no ray meets it. */
static myr_status take_planes(const myr_geom *g, const double middle[3], myr_ray_shape *shape, double (**planes)[4]) {
    myr_face *faces = g->faces, *own = NULL;
    int n = g->n_faces;
    if (!faces) {
        const myr_status status = myr_hull_faces(g->name, g->points, g->n_points, &own, &n);
        if (status == MYR_E_ARG) return MYR_OK;
        if (status != MYR_OK) return status;
        faces = own;
    }
    *planes = myr_allocate_array((size_t)n, sizeof **planes);
    for (int i = 0; i < n && *planes; i++) {
        memcpy((*planes)[i], faces[i].normal, sizeof faces[i].normal);
        (*planes)[i][3] = faces[i].offset - myr_dot3(faces[i].normal, middle);
    }
    shape->planes = (const double(*)[4]) * planes, shape->n_planes = n;
    myr_release(own);
    return *planes ? MYR_OK : myr_fail(MYR_E_MEMORY, "out of memory for geom `%s`", g->name);
}

static double reach_of(const myr_geom *g) {
    const double *size = g->size;
    switch (g->type) {
    case MYR_GEOM_SPHERE: return size[0];
    case MYR_GEOM_CAPSULE: return size[0] + size[1];
    case MYR_GEOM_CYLINDER: return hypot(size[0], size[1]);
    default: return sqrt(myr_dot3(size, size));
    }
}

static myr_status fill(const myr_model *m, const myr_geom *g, myr_ray_shape *shape, double (**planes)[4]) {
    double middle[3] = {0};
    *shape = (myr_ray_shape){.body = g->body, .tree = g->body < 0 ? -1 : m->bodies[g->body].tree, .world = g->world, .type = g->type};
    memcpy(shape->size, g->size, sizeof shape->size);
    if (g->type == MYR_GEOM_HULL)
        hull_size(g, middle, &shape->reach);
    else
        shape->reach = reach_of(g);
    myr_rotate(shape->middle, g->rotation, middle);
    for (int k = 0; k < 3; k++) shape->at[k] = g->position[k] + shape->middle[k];
    memcpy(shape->turn, g->rotation, sizeof shape->turn);
    if (g->body >= 0) {
        const double *align = m->bodies[g->body].align;
        myr_rotate(shape->at, align, shape->at);
        myr_multiply3(shape->turn, align, shape->turn);
    }
    return g->type == MYR_GEOM_HULL ? take_planes(g, middle, shape, planes) : MYR_OK;
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

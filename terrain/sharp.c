/* Vertices of a map that stick into what lies over them: one whose edge is convex by more than 5 degrees; of columns, a corner of pillars
 * of more than one height. */
#include <math.h>

#include "terrain.h"

enum { BLOCK = MYR_TERRAIN_BLOCK };
#define CONVEX 0.99619469809174555 /* cosine of the angle between faces */

/* Faces with slopes a[], b[] fold by more than that. */
static int folds(const double a[2], const double b[2]) {
    const double n[2] = {1 + a[0] * a[0] + b[0] * b[0], 1 + a[1] * a[1] + b[1] * b[1]}, dot = 1 + a[0] * a[1] + b[0] * b[1];
    return dot < 0 || dot * dot < CONVEX * CONVEX * n[0] * n[1];
}

static double slope(const myr_terrain *t, int from, int to) {
    return (myr_terrain_unit(t, to) - myr_terrain_unit(t, from)) * t->step / t->cell;
}

static void mark(myr_terrain *t, int at) {
    const int rows = t->block_stride;
    t->sharp[at / 8] |= (uint8_t)(1 << at % 8);
    t->spiky[at / t->stride / BLOCK * rows + at % t->stride / BLOCK] = 1;
    t->has_sharp = 1;
}

/* The three edges of a field from sample number `at` on: along x, along y, along both. */
static void mark_edges(myr_terrain *t, int at) {
    const int x = t->stride, y = 1;
    const double east = slope(t, at, at + x), north = slope(t, at, at + y), west = slope(t, at - x, at), south = slope(t, at - y, at);
    const double far_x = slope(t, at + y, at + x + y), far_y = slope(t, at + x, at + x + y);
    /* faces to the left and right of each; convex where the slope across falls */
    const struct {
        double a[2], b[2], across[2];
        int to;
    } edges[3] = {{{east, east}, {far_y, south}, {far_y, south}, at + x},
                  {{far_x, west}, {north, north}, {far_x, west}, at + y},
                  {{east, far_x}, {far_y, north}, {east - far_y, far_x - north}, at + x + y}};
    for (int e = 0; e < 3; e++)
        if (edges[e].across[0] < edges[e].across[1] && folds(edges[e].a, edges[e].b)) mark(t, at), mark(t, edges[e].to);
}

/* The corner between four pillars goes by the number of the first of them. */
static void mark_corner(myr_terrain *t, int at) {
    const double h = myr_terrain_unit(t, at);
    const int others[3] = {at + 1, at + t->stride, at + t->stride + 1};
    for (int k = 0; k < 3; k++)
        if (myr_terrain_unit(t, others[k]) != h) {
            mark(t, at);
            return;
        }
}

void myr_terrain_find_sharp(myr_terrain *t, int rows) {
    for (int i = 1; i + 1 < rows; i++)
        for (int k = 1; k + 1 < t->stride; k++) {
            const int at = i * t->stride + k, block = i / BLOCK * t->block_stride + k / BLOCK;
            if (t->range[block][0] == t->range[block][1]) continue;
            if (t->columns[block])
                mark_corner(t, at);
            else
                mark_edges(t, at);
        }
}

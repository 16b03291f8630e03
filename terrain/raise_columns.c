/* Kinds of patches that are pillars with vertical walls. */
#include <math.h>

#include "heights.h"

static myr_status need_platform(const myr_heights *p) { return myr_need(p, "platform_m", p->kind->platform_m, 0, p->n * p->cell); }

/* Up by a riser, and a step inwards, until the platform. The last step may reach into it by less than its width: legged_gym's 3 m platform
 * is 2.6 m wide, and Isaac Lab's 2.4 m. With a rim the first riser is at it, without one a step in. */
myr_status myr_raise_stairs(myr_heights *p) {
    myr_status status = need_platform(p);
    if (!status) status = myr_need(p, "border_m", p->kind->border_m, 0, (p->n / 2 - 2) * p->cell);
    if (!status) status = myr_need(p, "width_m", p->kind->width_m, p->cell, p->n * p->cell);
    if (!status) status = myr_need(p, "the riser", p->measure, -MYR_HIGHEST * p->step, MYR_HIGHEST * p->step);
    if (status) return status;
    const int width = myr_in_cells(p, p->kind->width_m), riser = myr_in_steps(p, p->measure), rim = myr_in_cells(p, p->kind->border_m);
    const int platform = myr_in_cells(p, p->kind->platform_m);
    int from = rim ? rim - width : 0, height = 0;
    /* legged_gym stops at a square as large as the platform, Isaac Lab and mjlab, which have a rim, at a smaller one */
    while (p->n - 2 * from > platform - (rim > 0) && p->n - 2 * (from + width) > 0) {
        from += width, height += riser;
        myr_fill(p, from, from, p->n - from, p->n - from, height);
    }
    return MYR_OK;
}

/* Rectangles one over the other; sides and places in fours, as legged_gym has them. */
myr_status myr_raise_obstacles(myr_heights *p) {
    const double *sides = p->kind->range_m;
    myr_status status = need_platform(p);
    if (!status) status = myr_need(p, "count", p->kind->count, 0, 100000);
    if (!status) status = myr_need(p, "range_m[1]", sides[1], p->cell, (p->n - 1) * p->cell);
    if (!status) status = myr_need(p, "range_m[0]", sides[0], p->cell, sides[1]);
    if (!status) status = myr_need(p, "the height", p->measure, 0, MYR_HIGHEST * p->step);
    if (status) return status;
    const int h = myr_in_steps(p, p->measure), heights[4] = {-h, -(h + 1) / 2, h / 2, h};
    const int least = myr_in_cells(p, sides[0]), most = myr_in_cells(p, sides[1]), lengths = most > least ? (most - least + 3) / 4 : 1;
    for (int n = 0; n < p->kind->count; n++) {
        const int nx = least + 4 * myr_next_below(p, lengths), ny = least + 4 * myr_next_below(p, lengths);
        const int i = 4 * myr_next_below(p, (p->n - nx + 3) / 4), k = 4 * myr_next_below(p, (p->n - ny + 3) / 4);
        myr_fill(p, i, k, i + nx, k + ny, heights[myr_next_below(p, 4)]);
    }
    myr_fill_middle(p, myr_in_cells(p, p->kind->platform_m) / 2, 0);
    return MYR_OK;
}

/* Squares of random height around a platform that is as high as the highest may be. What does not hold a whole square is rim. */
myr_status myr_raise_boxes(myr_heights *p) {
    const double width = p->kind->width_m / p->cell;
    myr_status status = need_platform(p);
    if (!status) status = myr_need(p, "width_m", p->kind->width_m, p->cell, p->n * p->cell);
    if (!status) status = myr_need(p, "the height", p->measure, 0, MYR_HIGHEST * p->step);
    if (status) return status;
    const int count = myr_whole(p->n / width), top = myr_in_steps(p, p->measure);
    const double rim = (p->n - count * width) / 2;
    for (int a = 0; a < count; a++)
        for (int b = 0; b < count; b++) { /* a sample is in the square that its middle is in */
            const int i = (int)ceil(rim + a * width - 0.5), k = (int)ceil(rim + b * width - 0.5);
            const int i_end = (int)ceil(rim + (a + 1) * width - 0.5), k_end = (int)ceil(rim + (b + 1) * width - 0.5);
            myr_fill(p, i, k, i_end, k_end, myr_next_below(p, 2 * top + 1) - top);
        }
    myr_fill_middle(p, myr_in_cells(p, p->kind->platform_m) / 2, top);
    return MYR_OK;
}

/* Squares in rows, each row begun at random, over a chasm. The gap at difficulty 0 is half as wide, as legged_gym has it: below a cell. */
myr_status myr_raise_stones(myr_heights *p) {
    myr_status status = need_platform(p);
    if (!status) status = myr_need(p, "the side", p->measure, 0, p->n * p->cell);
    if (!status) status = myr_need(p, "width_m", p->kind->width_m, 0, p->n * p->cell);
    if (!status) status = myr_need(p, "depth_m", p->kind->depth_m, 0, MYR_HIGHEST * p->step);
    if (status) return status;
    const int whole = myr_in_cells(p, p->measure), side = whole < 1 ? 1 : whole;
    const int apart = myr_in_cells(p, p->difficulty > 0 ? p->kind->width_m : p->kind->width_m / 2);
    myr_fill(p, 0, 0, p->n, p->n, -myr_in_steps(p, p->kind->depth_m));
    for (int k = 0; k < p->n; k += side + apart) {
        const int first = myr_next_below(p, side);
        myr_fill(p, 0, k, first - apart, k + side, 0);
        for (int i = first; i < p->n; i += side + apart) myr_fill(p, i, k, i + side, k + side, 0);
    }
    myr_fill_middle(p, myr_in_cells(p, p->kind->platform_m) / 2, 0);
    return MYR_OK;
}

/* A moat around a square of half side (side - platform) / 2, which is legged_gym's. */
myr_status myr_raise_gap(myr_heights *p) {
    myr_status status = need_platform(p);
    if (!status) status = myr_need(p, "the width", p->measure, 0, p->n * p->cell);
    if (!status) status = myr_need(p, "depth_m", p->kind->depth_m, 0, MYR_HIGHEST * p->step);
    if (status) return status;
    const int half = (p->n - myr_in_cells(p, p->kind->platform_m)) / 2;
    myr_fill_middle(p, half + myr_in_cells(p, p->measure), -myr_in_steps(p, p->kind->depth_m));
    myr_fill_middle(p, half, 0);
    return MYR_OK;
}

myr_status myr_raise_pit(myr_heights *p) {
    myr_status status = need_platform(p);
    if (!status) status = myr_need(p, "the depth", p->measure, 0, MYR_HIGHEST * p->step);
    if (!status) myr_fill_middle(p, myr_whole(p->kind->platform_m / p->cell / 2), -myr_in_steps(p, p->measure));
    return status;
}

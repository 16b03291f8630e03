/* A contact's cone in the interior point of the convex model (convex.h), scaled as Nesterov and Todd (1997) have it.
 *
 * Both cones become one: X = (x_T, mu x_N) and Z = (w_T, w_N / mu) lie in the cone |X_T| <= X_0, and X.Z = x.w. With W the scaling that
 * brings both to the same point, W Z = W^-1 X = s, the two meet  s o (W^-1 dX + W dZ) = target, which is  dZ = W^-1 (t - W^-1 dX).
 *
 * Near the end X and Z lie at the edges of their cones, and what counts, X_0 - |X_T|, is lost in the rounding of its terms. So the gap is a
 * number of its own, kept through det X = X_0^2 - |X_T|^2 by its products with the step. And as W is diagonal in the coordinates of light
 * cones along its own tangent e, X+- = (X_0 +- X_e) / sqrt 2 and X_p across, all is done in these: nothing cancels there. */
#ifndef MYR_KERNELS_CONTACT_WHOLE_CONVEX_CONE_H
#define MYR_KERNELS_CONTACT_WHOLE_CONVEX_CONE_H

#include "whole.h"

/* Light coordinates: along both edges of the cone in the plane of e, and across. */
typedef struct light {
    double more, less, across;
} light;

static inline double light_product(light a, light b) {
    return __builtin_fma(a.more, b.more, __builtin_fma(a.less, b.less, a.across * b.across));
}
/* The cone's form X_0^2 - |X_T|^2, of two vectors. */
static inline double light_form(light a, light b) {
    return __builtin_fma(a.more, b.less, __builtin_fma(a.less, b.more, -(a.across * b.across)));
}

/* A point inside of the cone: tangent, X_0 - |X_T|. */
typedef struct cone_point {
    double x, y, gap;
} cone_point;

static inline double cone_height(cone_point a) { return whole_length(a.x, a.y) + a.gap; }
static inline double cone_form(cone_point a) { return a.gap * __builtin_fma(2, whole_length(a.x, a.y), a.gap); }

/* In the light coordinates of e; `turned`: e points the other way, as for the dual. */
static inline light cone_light(cone_point a, double ex, double ey) {
    const double root = 0.70710678118654752440, length = whole_length(a.x, a.y);
    const double along = __builtin_fma(ex, a.x, ey * a.y), across = __builtin_fma(ex, a.y, -(ey * a.x));
    /* length -+ along, without cancellation where they are nearly the same */
    const double sum = length + __builtin_fabs(along), rest = sum > 0 ? across * across / sum : 0;
    const double more = along < 0 ? a.gap + rest : a.gap + sum, less = along < 0 ? a.gap + sum : a.gap + rest;
    return (light){root * more, root * less, across};
}

/* The way back: a point moved by `step` of d. */
static cone_point cone_moved(cone_point a, double ex, double ey, light at, light d, double step) {
    const double root = 0.70710678118654752440, along = root * (d.more - d.less) * step, across = d.across * step;
    const double old = cone_form(a), now = __builtin_fma(step * step, light_form(d, d), __builtin_fma(2 * step, light_form(at, d), old));
    const double form = whole_most(now, 1e-4 * old); /* its root is concave along the step, and steps end at 0.99 of the way */
    const double height = cone_height(a) + root * (d.more + d.less) * step;
    cone_point to = {a.x + (ex * along - ey * across), a.y + (ey * along + ex * across), 0};
    const double length = whole_length(to.x, to.y), most = height > length ? height : length;
    to.gap = form / (most + length);
    return to;
}

/* The largest step from a point with this form, along d, that stays inside; `both`: their common form. */
static double cone_reach(double form, double both, double own, double height, double d_height) {
    double reach = __builtin_inf();
    const double inside = __builtin_fma(both, both, -(own * form));
    if (inside >= 0) { /* own t^2 + 2 both t + form = 0 */
        const double root = __builtin_sqrt(inside), q = both < 0 ? -both + root : -both - root;
        const double first = own != 0 ? q / own : -1, second = q != 0 ? form / q : -1;
        if (first > 0) reach = first;
        if (second > 0 && second < reach) reach = second;
    }
    if (d_height < 0 && -height / d_height < reach) reach = -height / d_height;
    return reach;
}

/* A contact on its way: both points, its scaling, both in its light coordinates, and their step. */
typedef struct cone_state {
    cone_point X, Z;
    double ex, ey, turn, size; /* W: size times turn along more, 1 / turn along less, 1 across */
    double form;               /* of s */
    light s, x, z, dx, dz, q;  /* s: what both are scaled to; q: dz is q less what dx makes of it */
} cone_state;

/* The scaling of the points. */
static void cone_scale(cone_state *c) {
    const double fx = cone_form(c->X), fz = cone_form(c->Z), rx = __builtin_sqrt(fx), rz = __builtin_sqrt(fz);
    const double x0 = cone_height(c->X) / rx, z0 = cone_height(c->Z) / rz;
    /* of both points, each by its own size, the Lorentz mean, Z mirrored */
    const double tx = c->X.x / rx - c->Z.x / rz, ty = c->X.y / rx - c->Z.y / rz, t = whole_length(tx, ty), h = x0 + z0;
    c->ex = t > 0 ? tx / t : 1, c->ey = t > 0 ? ty / t : 0;
    c->size = __builtin_sqrt(rx / rz);
    c->x = cone_light(c->X, c->ex, c->ey);
    c->z = cone_light(c->Z, c->ex, c->ey);
    /* (h + t) / sqrt(h^2 - t^2): h^2 - t^2 = 2 + 2 (x0 z0 + X_T.Z_T) of the unit points, a sum of what is positive */
    const double product = light_product(c->x, c->z) / (rx * rz);
    c->turn = (h + t) / __builtin_sqrt(2 + 2 * product);
    c->s = (light){c->x.more / (c->size * c->turn), c->x.less * c->turn / c->size, c->x.across / c->size};
    c->form = rx * rz;
}

static inline light cone_unscaled(const cone_state *c, light t) { /* W^-1 t */
    return (light){t.more / (c->size * c->turn), t.less * c->turn / c->size, t.across / c->size};
}

/* s o t = d */
static light cone_divided(const cone_state *c, light d) {
    const double root = 1.41421356237309504880;
    const light s = c->s;
    const double both = s.more * s.less, right = __builtin_fma(root, d.across, -(s.across / root) * (d.more / s.more + d.less / s.less));
    const double across = right * (2 * both / ((s.more + s.less) * c->form)), pull = s.across * across;
    return (light){(root * d.more - pull) / (2 * s.more), (root * d.less - pull) / (2 * s.less), across};
}

/* The right side of a step to the products sigma; `second`: less what the products of the last one come to. */
static void cone_target(cone_state *c, double sigma, double second) {
    const double share = sigma / c->form, root = 0.70710678118654752440;
    light t = {share * c->s.less, share * c->s.more, -share * c->s.across};
    if (second > 0) {
        const light u = cone_unscaled(c, c->dx);
        const light v = {c->dz.more * (c->size * c->turn), c->dz.less * c->size / c->turn, c->dz.across * c->size};
        const double side = u.across * v.across;
        const light bend = {root * __builtin_fma(2 * u.more, v.more, side), root * __builtin_fma(2 * u.less, v.less, side),
                            root * __builtin_fma(u.more + u.less, v.across, (v.more + v.less) * u.across)};
        const light back = cone_divided(c, bend);
        t.more -= second * back.more, t.less -= second * back.less, t.across -= second * back.across;
    }
    c->q = cone_unscaled(c, t);
    c->q.more -= c->z.more, c->q.less -= c->z.less, c->q.across -= c->z.across;
}

/* dz of the step dx. */
static void cone_dual(cone_state *c) {
    const double edge = 1 / (c->size * c->turn), other = c->turn / c->size, side = 1 / c->size;
    c->dz.more = __builtin_fma(-edge * edge, c->dx.more, c->q.more);
    c->dz.less = __builtin_fma(-other * other, c->dx.less, c->q.less);
    c->dz.across = __builtin_fma(-side * side, c->dx.across, c->q.across);
}

static double cone_step(const cone_state *c) {
    const double root = 0.70710678118654752440;
    const double first =
        cone_reach(cone_form(c->X), light_form(c->x, c->dx), light_form(c->dx, c->dx), cone_height(c->X), root * (c->dx.more + c->dx.less));
    const double other =
        cone_reach(cone_form(c->Z), light_form(c->z, c->dz), light_form(c->dz, c->dz), cone_height(c->Z), root * (c->dz.more + c->dz.less));
    return first < other ? first : other;
}

static void cone_move(cone_state *c, double step) {
    c->X = cone_moved(c->X, c->ex, c->ey, c->x, c->dx, step);
    c->Z = cone_moved(c->Z, c->ex, c->ey, c->z, c->dz, step);
}

#endif

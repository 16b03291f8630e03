/* bisection: the per-contact method of Hwangbo 2018 (Algorithm 2) with a slip solve that needs neither
 * trigonometry nor a stepping phase.
 *
 * A slipping impulse is (r e, lambda_z) with e a unit vector and r = -mu c_z / n(e), n(e) = A + B.e, A = G_zz,
 * B = mu (G_zx, G_zy). With Gbar, cbar of Hwangbo 2018 (16), w_T n = A cbar + (cbar B' - mu c_z Gbar) e =: u(e), and the sign of
 * the energy's slope along the conic is that of
 *     psi(e) = u(e) . rot90(A e + B),    rot90(x, y) = (-y, x)
 * quadratic in e, so a quartic in t = tan(delta / 2) with delta the angle from the tangential part of lambda_v0. On the
 * part of the conic in sight of lambda_v0, {e.l_T > mu l_z} and {n(e) > 0}, psi changes sign exactly once, from - to +:
 * one Halley step from the last direction finds it (slip_near), or else safeguarded Newton steps (slip_solve). Where the sign changes
 * beyond +-90 degrees, 1/t is the unknown. Nothing is divided by mu. */
#if defined(MYR_SOLVER)
MYR_SOLVER(BISECTION, "bisection", solve_bisection, DISSIPATION, 50, 3 * n * m + m * (m + 1) / 2 + 9 * m)
#elif !defined(MYR_KERNELS_CONTACT_BISECTION_LANE_H)
#define MYR_KERNELS_CONTACT_BISECTION_LANE_H

#include "checked_sweeps.lane.h"

/* psi (1 + t^2)^2 = a0 + a1 t + ... + a4 t^4 with t = tan(delta / 2), delta measured from d; A, B as above, B along and
 * across d. */
typedef struct {
    vf a[5], A, B1, B2;
} slip_quartic;

static inline __attribute__((always_inline)) slip_quartic slip_psi(const vf *g, vf ridge, vf mu, v3 c, vf dx, vf dy) {
    const vf one = vf_set(1), two = vf_set(2);
    const vf A = g[8], inv = one / A;
    /* Gbar and cbar, in axes along and across d */
    const vf gx = g[2], gy = g[5], cz = c.z * inv;
    const vf bx = vf_fnma(gx, cz, c.x), by = vf_fnma(gy, cz, c.y);
    const vf xx = vf_fnma(gx * inv, gx, g[0]) + ridge, xy = vf_fnma(gx * inv, gy, g[1]), yy = vf_fnma(gy * inv, gy, g[4]) + ridge;
    const vf dxx = dx * dx, dyy = dy * dy, dxy = dx * dy;
    const vf c1 = vf_fma(bx, dx, by * dy), c2 = vf_fms(by, dx, bx * dy);
    const vf G11 = vf_fma(dxx, xx, vf_fma(two * dxy, xy, dyy * yy));
    const vf G22 = vf_fma(dyy, xx, vf_fma(dxx, yy, -(two * dxy * xy)));
    const vf G12 = vf_fma(dxy, yy - xx, (dxx - dyy) * xy);
    const vf B1 = mu * vf_fma(gx, dx, gy * dy), B2 = mu * vf_fms(gy, dx, gx * dy);
    const vf m = -(mu * c.z);
    /* u(e) = u0 + U e */
    const vf u1 = A * c1, u2 = A * c2;
    const vf U11 = vf_fma(m, G11, c1 * B1), U12 = vf_fma(m, G12, c1 * B2), U21 = vf_fma(m, G12, c2 * B1), U22 = vf_fma(m, G22, c2 * B2);
    /* psi = k1 + kc cos + ks sin + kcc cos^2 + kss sin^2 + kcs cos sin */
    const vf k1 = vf_fms(u2, B1, u1 * B2);
    const vf kc = vf_fma(A, u2, vf_fms(U21, B1, U11 * B2));
    const vf ks = vf_fms(U22, B1, vf_fma(A, u1, U12 * B2));
    const vf kcc = A * U21, kss = -(A * U12), kcs = A * (U22 - U11);
    return (slip_quartic){{k1 + kc + kcc, two * (ks + kcs), two * vf_fma(two, kss, k1 - kcc), two * (ks - kcs), k1 - kc + kcc}, A, B1, B2};
}

static inline vf quartic_value(const vf *a, vf t) { return vf_fma(vf_fma(vf_fma(vf_fma(a[4], t, a[3]), t, a[2]), t, a[1]), t, a[0]); }
static inline vf quartic_slope(const vf *a, vf t) {
    return vf_fma(vf_fma(vf_fma(vf_set(4) * a[4], t, vf_set(3) * a[3]), t, vf_set(2) * a[2]), t, a[1]);
}

/* The impulse in direction e: r by (14), lambda_z by (13). */
static inline v3 slip_impulse(const vf *g, vf mu, v3 c, vf ex, vf ey) {
    const vf zero = vf_zero(), n = vf_fma(mu, vf_fma(g[2], ex, g[5] * ey), g[8]);
    const vf r = vf_max(-(mu * c.z) / n, zero), x = r * ex, y = r * ey;
    return (v3){x, y, vf_max(-vf_fma(g[2], x, vf_fma(g[5], y, c.z)) / g[8], zero)};
}

/* One Halley step on psi from the last direction d, of third order. psi has one zero in sight, so a zero found there is the
 * answer whatever the way to it. `found`: lanes where the step is short (t < 1/4, 28 degrees), psi rises and its end is in sight;
 * elsewhere slip_solve's answer counts. What the step leaves, the next sweep corrects.
 *
 * What counts here is the way from c' to the impulse, for a sweep is a chain of such ways. With b = mu (G_zx, G_zy) / G_zz,
 * cbar, Gbar of Hwangbo 2018 (16), n = 1 + b.e, v = rot90(e + b) and m = -mu c_z / G_zz,
 *     psi(e) / G_zz^2 = n cbar.v + m (Gbar e).v
 * and its derivatives along the turn of e are linear in c': all but c' is known before. The step t = P / Q, t the tangent of
 * half the turn, is not divided out either: cosine, sine and n are taken times Q^2 + P^2. */
static inline v3 slip_near(const problem *p, int i, v3 c, v3 stop, v3 last, vm *found) {
    const vf one = vf_set(1), two = vf_set(2), three = vf_set(3), zero = vf_zero();
    const vf *tilt = p->tilt + 3 * i, *bar = p->bar + 3 * i;
    const vf mu = p->mu[i], size2 = vf_fma(last.x, last.x, last.y * last.y);
    const vm known = vm_gt(size2, zero);
    const vf scale = one / vf_sqrt(vf_select(known, size2, one)), dx = last.x * scale, dy = last.y * scale;
    const vf tx = tilt[0], ty = tilt[1], bx = mu * tx, by = mu * ty;
    /* along d and across it */
    const vf ahead = vf_fma(bx, dx, by * dy), aside = vf_fms(by, dx, bx * dy), n0 = one + ahead;
    const vf vx = -(dy + by), vy = dx + bx;
    const vf gxx = bar[0], gxy = bar[1], gyy = bar[2];
    const vf px = vf_fma(gxx, dx, gxy * dy), py = vf_fma(gxy, dx, gyy * dy), ox = vf_fms(gxy, dx, gxx * dy), oy = vf_fms(gyy, dx, gxy * dy);
    const vf k0 = vf_fma(px, vx, py * vy), k1 = vf_fma(ox, vx, vf_fnma(px, dx, vf_fnma(py, dy, oy * vy)));
    const vf k2 = -vf_fma(three, vf_fma(ox, dx, oy * dy), k0);
    const vf x1 = vf_fnma(n0, dx, aside * vx), y1 = vf_fnma(n0, dy, aside * vy);
    const vf x2 = vf_fma(n0, dy, vf_fnma(two * aside, dx, -(ahead * vx))), y2 = vf_fnma(n0, dx, vf_fnma(two * aside, dy, -(ahead * vy)));
    /* from here on with c' */
    const vf cx = vf_fnma(tx, c.z, c.x), cy = vf_fnma(ty, c.z, c.y), closing = -(c.z * tilt[2]), m = mu * closing;
    const vf value = vf_fma(cx, n0 * vx, vf_fma(cy, n0 * vy, m * k0));
    const vf slope = vf_fma(cx, x1, vf_fma(cy, y1, m * k1)), bend = vf_fma(cx, x2, vf_fma(cy, y2, m * k2));
    const vf P = -(value * slope), Q = vf_fms(two * slope, slope, value * bend);
    const vf PP = P * P, QQ = Q * Q, cosine = QQ - PP, sine = two * (P * Q), length = QQ + PP;
    const vf n = vf_fma(ahead, cosine, vf_fma(aside, sine, length)), k = vf_max(closing / n, zero);
    const vf ex = vf_fms(cosine, dx, sine * dy), ey = vf_fma(cosine, dy, sine * dx);
    const vm seen = vm_gt(vf_fma(ex, stop.x, ey * stop.y), mu * stop.z * length);
    const vf least = vf_set(MYR_DOUBLE ? (real)1e-290 : (real)1e-30), most = vf_set(MYR_DOUBLE ? (real)1e290 : (real)1e30);
    const vm forward = vm_and(vm_gt(n, least), vm_lt(length, most)); /* of the fourth order in c', they may vanish or overflow */
    const vm rising = vm_and(vm_gt(slope, zero), vm_gt(vf_set((real)0.25) * Q, vf_abs(P)));
    *found = vm_and(vm_and(known, rising), vm_and(seen, forward));
    return (v3){mu * k * ex, mu * k * ey, k * length};
}

typedef struct {
    vf low, high;
    vm reversed; /* the unknown is 1/t */
} slip_bracket;

/* Where on the conic the zero is. Turns the quartic into one in 1/t where that is the unknown. */
static inline slip_bracket slip_setup(slip_quartic *quartic, vf mu, v3 stop, vf length) {
    const vf one = vf_set(1), zero = vf_zero(), A = quartic->A, B1 = quartic->B1, B2 = quartic->B2;
    vf *a = quartic->a;
    slip_bracket q;
    /* line of sight */
    const vf big = vf_set((real)1e15), reach = mu * stop.z, sum = length + reach;
    const vm whole = vm_le(sum, zero);
    q.high = vf_select(whole, big, vf_min(big, vf_sqrt(vf_max(length - reach, zero) / vf_select(whole, one, sum))));
    q.low = -q.high;
    /* n(e) > 0: cuts a hyperbola's far branch off */
    const vf disc = vf_fma(B1, B1, vf_fms(B2, B2, A * A));
    if (vm_any(vm_gt(disc, zero))) {
        const vf root = vf_sqrt(vf_max(disc, zero)), n0 = A + B1;
        const vm hyperbola = vm_gt(disc, zero);
        const vm up = vm_and(hyperbola, vm_gt(root - B2, zero)), down = vm_and(hyperbola, vm_gt(root + B2, zero));
        q.high = vf_select(up, vf_min(q.high, n0 / vf_select(up, root - B2, one)), q.high);
        q.low = vf_select(down, vf_max(q.low, -(n0 / vf_select(down, root + B2, one))), q.low);
    }
    /* beyond 90 degrees */
    q.reversed = vm_none(); /* below: a NaN second in min and max stays, whatever the other lanes need */
    const vm beyond = vm_or(vm_gt(q.high, one), vm_lt(q.low, -one));
    if (vm_any(beyond)) {
        const vf even = a[0] + a[2] + a[4], odd = a[1] + a[3];
        const vm right = vm_and(vm_gt(q.high, one), vm_lt(even + odd, zero));
        const vm left = vm_andnot(vm_and(vm_lt(q.low, -one), vm_gt(even - odd, zero)), right);
        q.reversed = vm_or(right, left);
        const vf a0 = a[0], a1 = a[1];
        a[0] = vf_select(q.reversed, -a[4], a0);
        a[1] = vf_select(q.reversed, -a[3], a1);
        a[2] = vf_select(q.reversed, -a[2], a[2]);
        a[3] = vf_select(q.reversed, -a1, a[3]);
        a[4] = vf_select(q.reversed, -a0, a[4]);
        const vf inverse_high = one / q.high, inverse_low = one / q.low;
        q.high = vf_select(right, one, vf_select(left, inverse_low, vf_min(one, q.high)));
        q.low = vf_select(right, inverse_high, vf_select(left, -one, vf_max(-one, q.low)));
    }
    return q;
}

/* Slip impulse of contact i given c' and the stopping impulse; `last` is where the search starts. */
static inline v3 slip_solve(const problem *p, int i, v3 c, v3 stop, v3 last, int steps) {
    const vf one = vf_set(1), two = vf_set(2), zero = vf_zero(), half = vf_set((real)0.5);
    const vf *g = problem_block(p, i, i);
    const vf mu = p->mu[i];
    const vf length = vf_sqrt(vf_fma(stop.x, stop.x, stop.y * stop.y));
    const vm pointed = vm_gt(length, zero);
    const vf inverse = one / vf_select(pointed, length, one);
    const vf dx = vf_select(pointed, stop.x * inverse, one), dy = vf_select(pointed, stop.y * inverse, zero);
    slip_quartic quartic = slip_psi(g, p->ridge[i], mu, c, dx, dy);
    slip_bracket q = slip_setup(&quartic, mu, stop, length);

    /* start at the last direction where it is in sight, else at lambda_v0's, else in the middle */
    const vf f1 = vf_fma(last.x, dx, last.y * dy), f2 = vf_fms(last.y, dx, last.x * dy);
    const vf f = vf_sqrt(vf_fma(f1, f1, f2 * f2));
    vf top = f2, bottom = f + f1;
    top = vf_select(q.reversed, f + f1, top);
    bottom = vf_select(q.reversed, f2, bottom);
    vf t = top / vf_select(vm_eq(bottom, zero), one, bottom);
    const vf fallback = vf_select(vm_and(vm_lt(q.low, zero), vm_gt(q.high, zero)), zero, half * (q.low + q.high));
    t = vf_select(vm_and(vm_gt(f, zero), vm_and(vm_gt(t, q.low), vm_lt(t, q.high))), t, fallback);

    for (int step = 0; step < steps; step++) {
        const vf value = quartic_value(quartic.a, t);
        const vm right = vm_gt(value, zero);
        q.high = vf_select(right, t, q.high);
        q.low = vf_select(right, q.low, t);
        const vf next = t - value / quartic_slope(quartic.a, t);
        const vm inside = vm_and(vm_ge(next, q.low), vm_le(next, q.high)); /* false for NaN: slope 0 */
        t = vf_select(inside, next, half * (q.low + q.high));
    }
    const vf t2 = t * t, scale = one / (one + t2);
    const vf cosine = vf_select(q.reversed, t2 - one, one - t2) * scale, sine = two * t * scale;
    const vf ex = vf_fms(cosine, dx, sine * dy), ey = vf_fma(cosine, dy, sine * dx);
    return slip_impulse(g, mu, c, ex, ey);
}

/* The slip of one visit: near the last direction, and from far where that does not reach. */
static inline v3 slip_bisection(const problem *p, int i, v3 c, v3 stop, v3 old, vm slip, int steps) {
    vm found;
    const v3 near = slip_near(p, i, c, stop, old, &found);
    const vm far = vm_andnot(slip, found);
    return vm_any(far) ? v3_select(far, slip_solve(p, i, c, stop, old, steps), near) : near;
}

static void solve_bisection(problem *p, const myr_solve_options *o) {
    checked_sweeps(p, o, slip_bisection, law_obeyed, vf_set((real)0.9), MYR_LAW_DISSIPATION, 0);
}

#endif

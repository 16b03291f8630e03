/* quartic: Hwangbo 2018 Algorithm 2 with a slip contact solved in closed form, the other baseline of its Table I.
 *
 * The stationary directions of the energy on the conic are the zeros of
 *     psi = m + a cos + b sin + p cos 2 + q sin 2     of the angle delta from lambda_v0's direction
 * (bisection.lane.h has psi). This is a quartic in t = tan(delta' / 2). delta' is counted from where its leading coefficient, psi at
 * delta' = pi, is largest of five directions: not all five are zero unless psi is. Ferrari's formula gives the four roots. Of these
 * directions with r > 0 the one of least energy counts. Closed forms lose digits where roots lie close together, so three Newton steps
 * on psi polish the direction chosen. A pair of complex roots enters with its real part, a feasible direction like any. */
#if defined(MYR_SOLVER)
MYR_SOLVER(QUARTIC, "quartic", solve_quartic, DISSIPATION, 10000, 0)
#elif !defined(MYR_KERNELS_CONTACT_QUARTIC_LANE_H)
#define MYR_KERNELS_CONTACT_QUARTIC_LANE_H

#include "block_sweeps.lane.h"
#include "kernels/math.lane.h"

typedef struct {
    vf m, a, b, p, q;
} quartic_wave;

/* From the coefficients in t, where delta = 0 is d. */
static inline quartic_wave quartic_wave_of(const slip_quartic *s) {
    const vf half = vf_set((real)0.5), quarter = vf_set((real)0.25);
    const vf sum = half * (s->a[0] + s->a[4]);               /* m + p */
    const vf difference = half * vf_fma(half, s->a[2], sum); /* m - p */
    return (quartic_wave){half * (sum + difference), half * (s->a[0] - s->a[4]), quarter * (s->a[1] + s->a[3]), half * (sum - difference),
                          vf_set((real)0.125) * (s->a[1] - s->a[3])};
}

static inline vf quartic_wave_at(const quartic_wave *w, vf c, vf s, vf c2, vf s2) {
    return vf_fma(w->a, c, vf_fma(w->b, s, vf_fma(w->p, c2, vf_fma(w->q, s2, w->m))));
}

/* x > 0 to the power of 1/3; 0 gives 0. */
static inline vf quartic_cube_root(vf x) { return vf_exp(vf_log(x) * vf_set((real)(1.0 / 3.0))); }

/* Real parts of the roots of t^4 + b3 t^3 + b2 t^2 + b1 t + b0: with t = y - b3 / 4, y^4 + p y^2 + q y + r splits into
 * (y^2 + s y + u) (y^2 - s y + v), M = s^2 the largest root of M^3 + 2 p M^2 + (p^2 - 4 r) M - q^2. */
static inline void quartic_roots(vf b3, vf b2, vf b1, vf b0, vf root[4]) {
    const vf zero = vf_zero(), one = vf_set(1), two = vf_set(2), half = vf_set((real)0.5), third = vf_set((real)(1.0 / 3.0));
    const vf h = vf_set((real)0.25) * b3, h2 = h * h;
    const vf p = vf_fnma(vf_set(6), h2, b2), q = vf_fma(vf_fms(vf_set(8), h2, two * b2), h, b1);
    const vf r = vf_fma(vf_fma(vf_fnma(vf_set(3), h2, b2), h, -b1), h, b0);
    const vf linear = vf_fms(p, p, vf_set(4) * r);
    /* z = M + 2 p / 3: z^3 + 3 P z + 2 Q */
    const vf p3 = p * third, P = vf_fnma(p3, p3, -(vf_set((real)(4.0 / 3.0)) * r));
    const vf Q = vf_fma(p3, vf_fnma(p3, p3, vf_set(4) * r), -(half * (q * q)));
    const vf disc = vf_fma(Q, Q, P * P * P), wide = vf_sqrt(vf_abs(disc));
    const vf u = quartic_cube_root(vf_abs(Q) + wide), single = u - P / vf_select(vm_gt(u, zero), u, one);
    vf sine, cosine;
    vf_sincos(third * vf_atan2(wide, -Q), &sine, &cosine);
    const vf of_three = two * vf_sqrt(vf_max(-P, zero)) * cosine;
    const vf z = vf_select(vm_gt(disc, zero), vf_select(vm_gt(Q, zero), -single, single), of_three);
    vf M = vf_max(vf_fnma(two, p3, z), zero);
    for (int k = 0; k < 2; k++) {
        const vf value = vf_fms(vf_fma(vf_fma(two, p, M), M, linear), M, q * q);
        const vf slope = vf_fma(vf_fma(vf_set(3), M, vf_set(4) * p), M, linear), next = M - value / slope;
        M = vf_select(vm_and(vm_gt(slope, zero), vm_ge(next, zero)), next, M);
    }
    const vf s = vf_sqrt(M), size = vf_abs(p) + vf_sqrt(vf_abs(r));
    const vm split = vm_gt(M, vf_set((real)(4 * MYR_EPSILON)) * size); /* else q is 0 and the quartic one in y^2 */
    const vf skew = vf_select(split, q / vf_select(split, s, one), vf_sqrt(vf_max(linear, zero)));
    for (int side = 0; side < 2; side++) {
        const vf centre = side ? half * s : -(half * s), rest = side ? p + M + skew : p + M - skew;
        const vf reach = half * vf_sqrt(vf_max(vf_fnma(two, rest, M), zero));
        root[2 * side] = centre - reach - h;
        root[2 * side + 1] = centre + reach - h;
    }
}

/* Of the four directions, by angle from `turn`ed d, the one of least energy: cosine and sine of delta. */
static inline void quartic_least(const slip_conic *s, const vf root[4], vf fx, vf fy, vf *cosine, vf *sine) {
    const vf zero = vf_zero(), one = vf_set(1), half = vf_set((real)0.5), never = vf_set((real)__builtin_inf());
    vf least = never;
    *cosine = one, *sine = zero;
    for (int k = 0; k < 4; k++) {
        const vf t = root[k], scale = one / vf_fma(t, t, one), co = vf_fnma(t, t, one) * scale, si = (t + t) * scale;
        const vf ex = vf_fms(co, fx, si * fy), ey = vf_fma(co, fy, si * fx);
        const vf n = vf_fma(s->mu, vf_fma(s->gx, ex, s->gy * ey), s->gzz), radius = -(s->mu * s->cz) / n, x = radius * ex, y = radius * ey;
        const vf gx = vf_fma(half, vf_fma(s->xx, x, s->xy * y), s->bx), gy = vf_fma(half, vf_fma(s->yx, x, s->yy * y), s->by);
        const vf energy = vf_select(vm_gt(n, zero), vf_fma(gx, x, gy * y), never);
        const vm better = vm_lt(energy, least);
        least = vf_select(better, energy, least);
        *cosine = vf_select(better, co, *cosine);
        *sine = vf_select(better, si, *sine);
    }
}

static v3 slip_solve_quartic(const problem *p, int i, v3 c, v3 stop, vm todo, const myr_solve_options *o) {
    enum { POLISH = 3, DIRECTIONS = 5 };
    (void)todo, (void)o;
    static const real circle[DIRECTIONS][2] = {{1, 0},
                                               {(real)0.30901699437494742, (real)0.95105651629515357},
                                               {(real)-0.80901699437494742, (real)0.58778525229247313},
                                               {(real)-0.80901699437494742, (real)-0.58778525229247313},
                                               {(real)0.30901699437494742, (real)-0.95105651629515357}};
    const vf zero = vf_zero(), one = vf_set(1), two = vf_set(2), half = vf_set((real)0.5);
    const vf *g = problem_block(p, i, i);
    const slip_conic s = slip_conic_of(p, i, c, stop);
    const vf length = vf_sqrt(vf_fma(stop.x, stop.x, stop.y * stop.y));
    const vm pointed = vm_gt(length, zero);
    const vf inverse = one / vf_select(pointed, length, one);
    const vf dx = vf_select(pointed, stop.x * inverse, one), dy = vf_select(pointed, stop.y * inverse, zero);
    const slip_quartic psi = slip_psi(g, p->ridge[i], p->mu[i], c, dx, dy);
    quartic_wave w = quartic_wave_of(&psi);
    vf most = zero, fc = -one, fs = zero; /* the opposite of the direction found: where delta' is 0 */
    for (int k = 0; k < DIRECTIONS; k++) {
        const real *e = circle[k], *e2 = circle[2 * k % DIRECTIONS];
        const vf size = vf_abs(quartic_wave_at(&w, vf_set(e[0]), vf_set(e[1]), vf_set(e2[0]), vf_set(e2[1])));
        const vm more = vm_gt(size, most);
        most = vf_select(more, size, most);
        fc = vf_select(more, vf_set(-e[0]), fc);
        fs = vf_select(more, vf_set(-e[1]), fs);
    }
    const vf f2c = vf_fms(fc, fc, fs * fs), f2s = two * (fc * fs);
    w = (quartic_wave){w.m, vf_fma(w.a, fc, w.b * fs), vf_fms(w.b, fc, w.a * fs), vf_fma(w.p, f2c, w.q * f2s), vf_fms(w.q, f2c, w.p * f2s)};
    const vf lead = w.m - w.a + w.p;
    const vf scale = one / vf_select(vm_eq(lead, zero), one, lead); /* zero: psi vanishes, every direction is as good */
    vf root[4];
    quartic_roots(two * scale * vf_fnma(two, w.q, w.b), two * scale * vf_fnma(vf_set(3), w.p, w.m), two * scale * vf_fma(two, w.q, w.b),
                  scale * (w.m + w.a + w.p), root);
    const vf fx = vf_fms(fc, dx, fs * dy), fy = vf_fma(fc, dy, fs * dx);
    vf cosine, sine;
    quartic_least(&s, root, fx, fy, &cosine, &sine);
    for (int k = 0; k < POLISH; k++) {
        const vf c2 = vf_fms(cosine, cosine, sine * sine), s2 = two * (cosine * sine);
        const vf value = quartic_wave_at(&w, cosine, sine, c2, s2);
        const vf slope = vf_fma(w.b, cosine, vf_fnma(w.a, sine, two * vf_fms(w.q, c2, w.p * s2)));
        const vf h = -(half * value) / slope;
        const vm short_step = vm_and(vm_gt(slope, zero), vm_lt(vf_abs(h), vf_set((real)0.25)));
        const vf t = vf_select(short_step, h, zero), shrink = one / vf_fma(t, t, one), co = vf_fnma(t, t, one) * shrink,
                 si = two * t * shrink;
        const vf turned = vf_fms(cosine, co, sine * si);
        sine = vf_fma(sine, co, cosine * si);
        cosine = turned;
    }
    return slip_impulse(g, p->mu[i], c, vf_fms(cosine, fx, sine * fy), vf_fma(cosine, fy, sine * fx));
}

static void solve_quartic(problem *p, const myr_solve_options *o) { block_sweeps(p, o, slip_solve_quartic); }

#endif

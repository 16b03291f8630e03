/* golden: Hwangbo 2018 Algorithm 2 with a slip contact solved by golden-section search on the energy (12) over the polar angle, as Preclik
 * does it: Hwangbo's baseline of Table I. The interval is the part of the conic in sight of lambda_v0 and with r >= 0, where the energy has
 * one minimum; it is measured out first, which is the method's overhead. Each step takes 38 % off; the search ends when the impulses at the
 * ends of the interval are closer than slip-tolerance.
 *
 * Near the minimum energies differ by the square of the distance, and values compared as they stand would find it to half the digits
 * only. The comparison is of their difference, written so that nothing cancels: with two directions a, b on the conic, k = -mu c_z > 0,
 * n(e) = A + B.e, A = G_zz, B = mu (G_zx, G_zy), and Delta the angle from a to b,
 *     lambda_T = k e / n(e),    E(b) - E(a) = 1/2 (lambda_T(b) - lambda_T(a)) . (g(a) + g(b)),   g = Gbar lambda_T + cbar
 *     lambda_T(b) - lambda_T(a) = k tan(Delta / 2) / (n(a) n(b)) rot90(A (a + b) + (1 + a.b) B) */
#if defined(MYR_SOLVER)
MYR_SOLVER(GOLDEN, "golden", solve_golden, DISSIPATION, 10000, 0)
#elif !defined(MYR_KERNELS_CONTACT_GOLDEN_LANE_H)
#define MYR_KERNELS_CONTACT_GOLDEN_LANE_H

#include "block_sweeps.lane.h"
#include "kernels/math.lane.h"

typedef struct {
    vf turn, ex, ey; /* from lambda_v0's direction [rad]; the direction */
    vf x, y;         /* lambda_T */
    vf gx, gy;       /* gradient of the energy there */
} golden_point;

static inline golden_point golden_at(const slip_conic *s, vf dx, vf dy, vf turn) {
    golden_point at;
    vf sine, cosine;
    vf_sincos(turn, &sine, &cosine);
    at.turn = turn;
    at.ex = vf_fms(cosine, dx, sine * dy), at.ey = vf_fma(cosine, dy, sine * dx);
    const vf r = -(s->mu * s->cz) / vf_fma(s->mu, vf_fma(s->gx, at.ex, s->gy * at.ey), s->gzz);
    at.x = r * at.ex, at.y = r * at.ey;
    at.gx = vf_fma(s->xx, at.x, vf_fma(s->xy, at.y, s->bx)), at.gy = vf_fma(s->yx, at.x, vf_fma(s->yy, at.y, s->by));
    return at;
}

static inline golden_point golden_select(vm m, golden_point a, golden_point b) {
    return (golden_point){vf_select(m, a.turn, b.turn), vf_select(m, a.ex, b.ex), vf_select(m, a.ey, b.ey), vf_select(m, a.x, b.x),
                          vf_select(m, a.y, b.y),       vf_select(m, a.gx, b.gx), vf_select(m, a.gy, b.gy)};
}

/* E(b) < E(a), b ahead of a by less than half a turn. */
static inline vm golden_falls(const slip_conic *s, golden_point a, golden_point b) {
    const vf bend = (vf_set(1) + vf_fma(a.ex, b.ex, a.ey * b.ey)) * s->mu;
    const vf x = vf_fma(s->gzz, a.ex + b.ex, bend * s->gx), y = vf_fma(s->gzz, a.ey + b.ey, bend * s->gy);
    return vm_lt(vf_fms(x, a.gy + b.gy, y * (a.gx + b.gx)), vf_zero());
}

/* Normal impulse that goes with lambda_T, (13). */
static inline vf golden_normal(const slip_conic *s, vf x, vf y) { return -vf_fma(s->gx, x, vf_fma(s->gy, y, s->cz)) / s->gzz; }

/* Squared distance of the impulses at two points. */
static inline vf golden_gap2(const slip_conic *s, golden_point a, golden_point b) {
    const vf x = b.x - a.x, y = b.y - a.y, z = vf_fma(s->gx, x, s->gy * y) / s->gzz;
    return vf_fma(x, x, vf_fma(y, y, z * z));
}

/* How far the search may turn from lambda_v0's direction (dx, dy) to either side: lambda_v0 sees e.l_T > mu l_z, and where the conic is a
 * hyperbola its branch r > 0 ends at n(e) = 0. Both as twice the angle whose tangent bisection's bracket has. */
static inline void golden_interval(const slip_conic *s, vf dx, vf dy, vf length, vf *low, vf *high) {
    const vf zero = vf_zero(), two = vf_set(2), reach = s->mu * s->stop.z;
    *high = two * vf_atan2(vf_sqrt(vf_max(length - reach, zero)), vf_sqrt(vf_max(length + reach, zero)));
    *low = -*high;
    const vf B1 = s->mu * vf_fma(s->gx, dx, s->gy * dy), B2 = s->mu * vf_fms(s->gy, dx, s->gx * dy);
    const vf disc = vf_fma(B1, B1, vf_fms(B2, B2, s->gzz * s->gzz));
    const vm hyperbola = vm_gt(disc, zero);
    if (vm_any(hyperbola)) {
        const vf root = vf_sqrt(vf_max(disc, zero)), n0 = vf_max(s->gzz + B1, zero);
        *high = vf_select(hyperbola, vf_min(*high, two * vf_atan2(n0, root - B2)), *high);
        *low = vf_select(hyperbola, vf_max(*low, -(two * vf_atan2(n0, root + B2))), *low);
    }
}

static v3 slip_solve_golden(const problem *p, int i, v3 c, v3 stop, vm todo, const myr_solve_options *o) {
    enum { MOST_STEPS = 100 };
    const vf zero = vf_zero(), one = vf_set(1), ratio = vf_set((real)0.61803398874989485), rest = vf_set((real)0.38196601125010515);
    const slip_conic s = slip_conic_of(p, i, c, stop);
    const vf length = vf_sqrt(vf_fma(stop.x, stop.x, stop.y * stop.y));
    const vm pointed = vm_gt(length, zero);
    const vf inverse = one / vf_select(pointed, length, one);
    const vf dx = vf_select(pointed, stop.x * inverse, one), dy = vf_select(pointed, stop.y * inverse, zero);
    vf first, last;
    golden_interval(&s, dx, dy, length, &first, &last);
    golden_point low = golden_at(&s, dx, dy, first), high = golden_at(&s, dx, dy, last);
    golden_point left = golden_at(&s, dx, dy, vf_fma(rest, last - first, first));
    golden_point right = golden_at(&s, dx, dy, vf_fma(ratio, last - first, first));
    const vf rounding = vf_set((real)(4 * MYR_EPSILON)), width = vf_set((real)o->slip_tolerance);
    vm searching = todo;
    for (int k = 0; k < MOST_STEPS; k++) {
        const vf size = vf_abs(left.x) + vf_abs(left.y) + vf_abs(golden_normal(&s, left.x, left.y));
        const vm closed = vm_le(vf_sqrt(golden_gap2(&s, low, high)), vf_fma(rounding, size, width));
        /* a hyperbola's ends lie at infinity: as long as they do, the width is NaN */
        const vm met = vm_le(high.turn - low.turn, vf_set((real)MYR_EPSILON));
        searching = vm_andnot(searching, vm_or(closed, met));
        if (!vm_any(searching)) break;
        const vm falls = golden_falls(&s, left, right), up = vm_and(searching, falls), down = vm_andnot(searching, falls);
        low = golden_select(up, left, low);
        high = golden_select(down, right, high);
        const vf span = high.turn - low.turn, turn = vf_fma(vf_select(falls, ratio, rest), span, low.turn);
        const golden_point next = golden_at(&s, dx, dy, turn);
        const golden_point was_left = left;
        left = golden_select(up, right, golden_select(down, next, left));
        right = golden_select(down, was_left, golden_select(up, next, right));
    }
    const golden_point best = golden_select(golden_falls(&s, left, right), right, left);
    return (v3){best.x, best.y, golden_normal(&s, best.x, best.y)};
}

static void solve_golden(problem *p, const myr_solve_options *o) { block_sweeps(p, o, slip_solve_golden); }

#endif

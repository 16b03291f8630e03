/* vf_sincos against the C library's long double: within 1.6 ulp where angles are reduced here, 3.5 beyond; symmetric; NaN out of
 * what has no sine. Included with MYR_DOUBLE 0 and 1; the portable lanes, to which test_same_bits holds the others. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define MYR_LANE_HEADER "kernels/lane_portable.h"
#include "kernels/math.lane.h"
#include "random_model.h"

static long double ulps(real got, long double want) {
    int exponent;
    frexpl(want, &exponent);
    const int least = MYR_DOUBLE ? DBL_MIN_EXP : FLT_MIN_EXP, digits = MYR_DOUBLE ? DBL_MANT_DIG : FLT_MANT_DIG;
    if (want == 0 || exponent < least) exponent = least;
    return fabsl((long double)got - want) / ldexpl(1, exponent - digits);
}

/* The largest error among so many angles within +-reach, and at the multiples of a quarter turn in it. */
static long double worst(double reach, int count) {
    random_source source = {7};
    long double most = 0;
    for (int i = 0; i < count; i++) {
        vf angle, sine, cosine;
        for (int lane = 0; lane < VN; lane++) {
            double a = random_uniform(&source, -reach, reach);
            if (i % 3 == 1) a = ldexp(a, -(i % 97)); /* tiny ones */
            if (i % 3 == 2) a = 1.5707963267948966 * round(a / 1.5707963267948966) * (1 + 1e-7 * (i % 5 - 2));
            angle[lane] = (real)a;
        }
        vf_sincos(angle, &sine, &cosine);
        for (int lane = 0; lane < VN; lane++) {
            const long double a = (long double)angle[lane];
            most = fmaxl(most, fmaxl(ulps(sine[lane], sinl(a)), ulps(cosine[lane], cosl(a))));
        }
    }
    return most;
}

static void within_ulps(void **state) {
    (void)state;
    const double reaches[] = {0.8, 3.2, 100, SINCOS_REACH};
    for (int i = 0; i < 4; i++) {
        const long double most = worst(reaches[i], 400000);
        print_message("within +-%g rad: %.3Lf ulp\n", reaches[i], most);
        if (!(most <= 1.6L)) fail_msg("%.3Lf ulp within +-%g rad", most, reaches[i]);
    }
    assert_true(worst(100 * SINCOS_REACH, 100000) <= 3.5L);
}

static void ends_of_the_line(void **state) {
    (void)state;
    const real angles[] = {0, (real)-0.0, (real)INFINITY, (real)-INFINITY, (real)NAN, (real)SINCOS_REACH, (real)1e30, (real)1e-40};
    for (int i = 0; i < 8; i++) {
        vf sine, cosine, back_sine, back_cosine;
        vf_sincos(vf_set(angles[i]), &sine, &cosine);
        vf_sincos(vf_set(-angles[i]), &back_sine, &back_cosine);
        if (!isfinite(angles[i])) {
            assert_true(isnan(sine[0]) && isnan(cosine[0]));
            continue;
        }
        assert_true(sine[0] == -back_sine[0] && cosine[0] == back_cosine[0]);
        assert_true(fabs((double)sine[0]) <= 1 && fabs((double)cosine[0]) <= 1);
        if (i < 2) assert_true(sine[0] == 0 && cosine[0] == 1);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(within_ulps), cmocka_unit_test(ends_of_the_line)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

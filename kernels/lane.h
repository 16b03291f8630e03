/* Lane arithmetic: `vf` is one hardware register of `real`, one environment per lane; `vm` is a mask. A unit (cmake/units.cmake) defines
 * MYR_LANE_HEADER ("kernels/lane_avx2.h") and MYR_DOUBLE (0 or 1) and includes the lane code. Whatever is the instruction set's own stands
 * in that header: operations, names, and the properties that other lane code asks for. */
#ifndef MYR_KERNELS_LANE_H
#define MYR_KERNELS_LANE_H

#if MYR_DOUBLE
typedef double real;
#define MYR_EPSILON 2.220446049250313e-16
#else
typedef float real;
#define MYR_EPSILON 1.1920929e-07f
#endif

/* Loops of a constant count, written out; LONG: of more than 16. */
#if defined(__clang__)
#define UNROLL _Pragma("clang loop unroll(full)")
#define UNROLL_LONG UNROLL
#else
#define UNROLL _Pragma("GCC unroll 16")
#define UNROLL_LONG _Pragma("GCC unroll 64")
#endif

#define INLINE static inline __attribute__((always_inline))

#include MYR_LANE_HEADER

/* Name of a function that one unit defines and another calls: name_avx2_f32. */
#define MYR_UNIT_PASTE(name, isa, precision) name##_##isa##_##precision
#define MYR_UNIT_NAME(name, isa, precision) MYR_UNIT_PASTE(name, isa, precision)
#if MYR_DOUBLE
#define MYR_UNIT(name) MYR_UNIT_NAME(name, MYR_ISA, f64)
#else
#define MYR_UNIT(name) MYR_UNIT_NAME(name, MYR_ISA, f32)
#endif
#define MYR_ISA_TEXT(isa) #isa
#define MYR_ISA_WORD(isa) MYR_ISA_TEXT(isa)
#define MYR_ISA_NAME MYR_ISA_WORD(MYR_ISA) /* in quotation marks */

/* the bits of a vf, for shifts and signs */
#if MYR_DOUBLE
typedef unsigned long long vu __attribute__((vector_size(sizeof(vf))));
#else
typedef unsigned vu __attribute__((vector_size(sizeof(vf))));
#endif

/* Cases of a switch that calls a function with its count as a constant; the caller adds the last. */
#define COUNT_CASES_3(function, ...)                                                                                                       \
    case 1: function(__VA_ARGS__, 1); break;                                                                                               \
    case 2: function(__VA_ARGS__, 2); break;                                                                                               \
    case 3:                                                                                                                                \
        function(__VA_ARGS__, 3);                                                                                                          \
        break;
#define COUNT_CASES_6(function, ...)                                                                                                       \
    COUNT_CASES_3(function, __VA_ARGS__)                                                                                                   \
    case 4: function(__VA_ARGS__, 4); break;                                                                                               \
    case 5: function(__VA_ARGS__, 5); break;                                                                                               \
    case 6:                                                                                                                                \
        function(__VA_ARGS__, 6);                                                                                                          \
        break;

#ifndef MYR_LANES
#define MYR_LANES (sizeof(vf) / sizeof(real))
#endif
enum {
    VN = (int)MYR_LANES,          /* lanes of a register */
    W = (int)(64 / sizeof(real)), /* lanes of a tile */
    PARTS = W / VN                /* registers of a row */
};

static inline vf vf_zero(void) { return vf_set(0); }
static inline vm vm_none(void) { return vm_from_bits(0); }
static inline vm vm_all(void) { return vm_from_bits((1u << VN) - 1u); }
static inline vm vm_not(vm a) { return vm_andnot(vm_all(), a); }
/* |x| < infinity, false for NaN */
static inline vm vm_finite(vf a) { return vm_lt(vf_abs(a), vf_set((real)__builtin_inf())); }

/* ---- three-vectors in lanes -------------------------------------------------------------------- */

typedef struct {
    vf x, y, z;
} v3;

static inline v3 v3_add(v3 a, v3 b) { return (v3){a.x + b.x, a.y + b.y, a.z + b.z}; }
static inline v3 v3_sub(v3 a, v3 b) { return (v3){a.x - b.x, a.y - b.y, a.z - b.z}; }
static inline v3 v3_scale(vf s, v3 a) { return (v3){s * a.x, s * a.y, s * a.z}; }
static inline v3 v3_fma(vf s, v3 a, v3 b) { return (v3){vf_fma(s, a.x, b.x), vf_fma(s, a.y, b.y), vf_fma(s, a.z, b.z)}; } /* s a + b */
static inline vf v3_dot(v3 a, v3 b) { return vf_fma(a.x, b.x, vf_fma(a.y, b.y, a.z * b.z)); }
static inline v3 v3_cross(v3 a, v3 b) {
    return (v3){vf_fms(a.y, b.z, a.z * b.y), vf_fms(a.z, b.x, a.x * b.z), vf_fms(a.x, b.y, a.y * b.x)};
}
static inline v3 v3_cross_add(v3 a, v3 b, v3 c) { /* a x b + c */
    return (v3){vf_fma(a.y, b.z, vf_fnma(a.z, b.y, c.x)), vf_fma(a.z, b.x, vf_fnma(a.x, b.z, c.y)),
                vf_fma(a.x, b.y, vf_fnma(a.y, b.x, c.z))};
}
static inline v3 v3_uniform(const real a[3]) { return (v3){vf_set(a[0]), vf_set(a[1]), vf_set(a[2])}; }
static inline v3 v3_zero(void) { return (v3){vf_zero(), vf_zero(), vf_zero()}; }
static inline v3 v3_load(const vf *a) { return (v3){a[0], a[1], a[2]}; }
static inline void v3_store(vf *a, v3 b) {
    a[0] = b.x;
    a[1] = b.y;
    a[2] = b.z;
}
static inline v3 v3_select(vm m, v3 a, v3 b) { return (v3){vf_select(m, a.x, b.x), vf_select(m, a.y, b.y), vf_select(m, a.z, b.z)}; }
/* memcpy would keep a matrix of registers in memory */
static inline void m3_copy(vf to[9], const vf from[9]) { UNROLL for (int k = 0; k < 9; k++) to[k] = from[k]; }
/* matrix of 9, row-major, times vector; and its transpose */
static inline v3 m3_mul(const vf *m, v3 a) {
    return (v3){vf_fma(m[0], a.x, vf_fma(m[1], a.y, m[2] * a.z)), vf_fma(m[3], a.x, vf_fma(m[4], a.y, m[5] * a.z)),
                vf_fma(m[6], a.x, vf_fma(m[7], a.y, m[8] * a.z))};
}
static inline v3 m3_mul_t(const vf *m, v3 a) {
    return (v3){vf_fma(m[0], a.x, vf_fma(m[3], a.y, m[6] * a.z)), vf_fma(m[1], a.x, vf_fma(m[4], a.y, m[7] * a.z)),
                vf_fma(m[2], a.x, vf_fma(m[5], a.y, m[8] * a.z))};
}

/* the same, plus b */
static inline v3 m3_mul_add(const vf *m, v3 a, v3 b) {
    return (v3){vf_fma(m[0], a.x, vf_fma(m[1], a.y, vf_fma(m[2], a.z, b.x))), vf_fma(m[3], a.x, vf_fma(m[4], a.y, vf_fma(m[5], a.z, b.y))),
                vf_fma(m[6], a.x, vf_fma(m[7], a.y, vf_fma(m[8], a.z, b.z)))};
}
static inline v3 m3_mul_t_add(const vf *m, v3 a, v3 b) {
    return (v3){vf_fma(m[0], a.x, vf_fma(m[3], a.y, vf_fma(m[6], a.z, b.x))), vf_fma(m[1], a.x, vf_fma(m[4], a.y, vf_fma(m[7], a.z, b.y))),
                vf_fma(m[2], a.x, vf_fma(m[5], a.y, vf_fma(m[8], a.z, b.z)))};
}

#endif

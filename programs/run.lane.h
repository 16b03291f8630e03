/* run: the instructions of a program, one after the other, on rows of lanes. One switch: an instruction costs its rows and a few cycles. */
#ifndef MYR_PROGRAMS_RUN_LANE_H
#define MYR_PROGRAMS_RUN_LANE_H

#include "kernels/bends.lane.h"
#include "kernels/math.lane.h"
#include "programs/program.h"

/* ---- what single instructions are made of --------------------------------------------------------------------------------- */

static inline vm is_true(vf a) { return vm_gt(vf_abs(a), vf_zero()); }
static inline vf as_number(vm m) { return vf_select(m, vf_set(1), vf_zero()); }

/* Beyond 2^23 (2^52) all numbers are whole. */
static inline vf lane_floor(vf a) {
    const vf whole = vf_whole(a), below = whole - vf_select(vm_gt(whole, a), vf_set(1), vf_zero());
    return vf_select(vm_lt(vf_abs(a), vf_set(MYR_DOUBLE ? (real)0x1p51 : (real)0x1p22)), below, a);
}

static inline vf lane_sign(vf a) {
    const vf one = vf_set(1);
    return vf_select(vm_gt(a, vf_zero()), one, vf_select(vm_lt(a, vf_zero()), -one, a));
}

static inline vf lane_sin(vf a) {
    vf s, c;
    vf_sincos(a, &s, &c);
    return s;
}
static inline vf lane_cos(vf a) {
    vf s, c;
    vf_sincos(a, &s, &c);
    return c;
}
static inline vf lane_tan(vf a) {
    vf s, c;
    vf_sincos(a, &s, &c);
    return s / c;
}

/* The other side of a right triangle of hypotenuse 1. */
static inline vf other_side(vf a) { return vf_sqrt((vf_set(1) - a) * (vf_set(1) + a)); }

static inline vf lane_wrap(vf a) {
    const vf k = vf_whole(a * vf_set((real)0.15915494309189535));
    return vf_fnma(k, vf_set((real)6.283185307179586), a);
}

typedef struct quat {
    vf w;
    v3 u;
} quat;
static inline quat quat_load(const vf *a) { return (quat){a[0], v3_load(a + 1)}; }
static inline void quat_store(vf *to, quat q) { to[0] = q.w, v3_store(to + 1, q.u); }
static inline quat quat_back(quat q) { return (quat){q.w, {-q.u.x, -q.u.y, -q.u.z}}; }
static inline quat quat_times(quat a, quat b) {
    const v3 u = v3_cross_add(a.u, b.u, v3_fma(a.w, b.u, v3_scale(b.w, a.u)));
    /* not w less a dot: a compiler may negate the sum of a product otherwise than its number, and zeros would differ in sign */
    return (quat){vf_fnma(a.u.x, b.u.x, vf_fnma(a.u.y, b.u.y, vf_fnma(a.u.z, b.u.z, a.w * b.w))), u};
}
static inline v3 quat_turned(quat q, v3 x) {
    const v3 t = v3_scale(vf_set(2), v3_cross(q.u, x));
    return v3_cross_add(q.u, t, v3_fma(q.w, t, x));
}

static inline void quat_to_axes(quat q, vf *to) {
    const vf one = vf_set(1), two = vf_set(2), w = q.w, x = q.u.x, y = q.u.y, z = q.u.z;
    to[0] = vf_fnma(two, vf_fma(y, y, z * z), one), to[1] = two * vf_fms(x, y, w * z), to[2] = two * vf_fma(x, z, w * y);
    to[3] = two * vf_fma(x, y, w * z), to[4] = vf_fnma(two, vf_fma(x, x, z * z), one), to[5] = two * vf_fms(y, z, w * x);
    to[6] = two * vf_fms(x, z, w * y), to[7] = two * vf_fma(y, z, w * x), to[8] = vf_fnma(two, vf_fma(x, x, y * y), one);
}

/* Half the angle of the x axis, seen from above. */
static inline quat quat_heading(quat q) {
    const vf y = vf_set(2) * vf_fma(q.u.x, q.u.y, q.w * q.u.z), x = vf_fnma(vf_set(2), vf_fma(q.u.y, q.u.y, q.u.z * q.u.z), vf_set(1));
    vf s, c;
    vf_sincos(vf_set((real)0.5) * vf_atan2(y, x), &s, &c);
    return (quat){c, {vf_zero(), vf_zero(), s}};
}

/* 2 atan2(|u|, w) along u, the short way; of next to no turn 2 u. */
static inline v3 quat_vector(quat q) {
    const vm far = vm_lt(q.w, vf_zero());
    const vf w = vf_select(far, -q.w, q.w), length = vf_sqrt(v3_dot(q.u, q.u));
    const v3 u = v3_select(far, (v3){-q.u.x, -q.u.y, -q.u.z}, q.u);
    const vm tiny = vm_lt(length, vf_set(MYR_DOUBLE ? (real)1e-12 : (real)1e-6));
    const vf factor = vf_select(tiny, vf_set(2), vf_set(2) * vf_atan2(length, w) / vf_select(tiny, vf_set(1), length));
    return v3_scale(factor, u);
}

/* Rows of a table, each lane's own. */
static void table_row(const myr_code *o, const vf *index, vf *to) {
    real at[VN], *out = (real *)(void *)to;
    memcpy(at, index, sizeof at);
    for (int lane = 0; lane < VN; lane++) {
        const real last = (real)(o->height - 1);
        const double *from = o->numbers + (size_t)(at[lane] > 0 ? at[lane] < last ? (int)at[lane] : o->height - 1 : 0) * (size_t)o->width;
        for (int k = 0; k < o->n; k++) out[k * VN + lane] = (real)from[k];
    }
}

/* A matrix times b. Of one that is mostly 0 the zeros are left out; the sum begins with +0, as if one of them had been there. */
static void matrix_times(const myr_code *o, const vf *b, vf *to) {
    const double *numbers = o->numbers;
    const int *place = o->rows;
    for (int k = 0; k < o->n; k++, numbers += o->width) {
        vf r = place ? vf_zero() : vf_set((real)numbers[0]) * b[0];
        if (place)
            for (int count = *place++; count > 0; count--, place++) r = vf_fma(vf_set((real)numbers[*place]), b[*place], r);
        else
            for (int i = 1; i < o->width; i++) r = vf_fma(vf_set((real)numbers[i]), b[i], r);
        to[k] = r;
    }
}

/* How many of an ascending list are at most that: by halves. */
static vf list_search(const myr_code *o, vf a) {
    real x[VN], found[VN];
    memcpy(x, &a, sizeof x);
    for (int lane = 0; lane < VN; lane++) {
        int below = 0, over = o->width; /* numbers before `below` are at most x, those from `over` on are not */
        while (below < over) {
            const int middle = below + (over - below) / 2;
            if ((real)o->numbers[middle] <= x[lane])
                below = middle + 1;
            else
                over = middle;
        }
        found[lane] = (real)below;
    }
    vf r;
    memcpy(&r, found, sizeof r);
    return r;
}

/* ---- all of them ------------------------------------------------------------------------------------------------------------ */

#define EACH(NAME, expression)                                                                                                             \
    case MYR_OP_##NAME:                                                                                                                    \
        for (int k = n;; to++, a += sa, b += sb, c += sc) { /* one row mostly */                                                           \
            const vf x = *a, y = *b, z = *c;                                                                                               \
            (void)x, (void)y, (void)z;                                                                                                     \
            *to = (expression);                                                                                                            \
            if (--k <= 0) break;                                                                                                           \
        }                                                                                                                                  \
        break;
#define FOLD(NAME, first, next)                                                                                                            \
    case MYR_OP_##NAME: {                                                                                                                  \
        vf x = a[0], y = b[0], r = (first);                                                                                                \
        for (int k = 1; k < n; k++) {                                                                                                      \
            x = a[k * sa], y = b[k * sb];                                                                                                  \
            (void)y;                                                                                                                       \
            r = (next);                                                                                                                    \
        }                                                                                                                                  \
        *to = r;                                                                                                                           \
        break;                                                                                                                             \
    }

/* Those that are dear by themselves, or rare. */
static __attribute__((noinline)) void run_dear(const myr_code *o, vf *rows) {
    vf *to = rows + o->to;
    const vf *a = rows + o->from[0], *b = rows + o->from[1], *c = rows + o->from[2];
    const int n = o->n, sa = o->step[0], sb = o->step[1], sc = o->step[2];
    switch ((myr_op)o->op) {
        EACH(FLOOR, lane_floor(x))
        EACH(SIGN, lane_sign(x))
        EACH(EXP, vf_exp(x))
        EACH(LOG, vf_log(x))
        EACH(SIN, lane_sin(x))
        EACH(COS, lane_cos(x))
        EACH(TAN, lane_tan(x))
        EACH(ASIN, vf_atan2(x, other_side(x)))
        EACH(ACOS, vf_atan2(other_side(x), x))
        EACH(ATAN2, vf_atan2(x, y))
        EACH(TANH, vf_tanh(x))
        EACH(WRAP, lane_wrap(x))
    case MYR_OP_NORM: {
        vf r = a[0] * a[0];
        for (int k = 1; k < n; k++) r = vf_fma(a[k], a[k], r);
        *to = vf_sqrt(r);
        break;
    }
    case MYR_OP_CROSS: v3_store(to, v3_cross(v3_load(a), v3_load(b))); break;
    case MYR_OP_QUAT_MUL: quat_store(to, quat_times(quat_load(a), quat_load(b))); break;
    case MYR_OP_QUAT_CONJ: quat_store(to, quat_back(quat_load(a))); break;
    case MYR_OP_QUAT_ROTATE: v3_store(to, quat_turned(quat_load(a), v3_load(b))); break;
    case MYR_OP_QUAT_ROTATE_BACK: v3_store(to, quat_turned(quat_back(quat_load(a)), v3_load(b))); break;
    case MYR_OP_QUAT_AXES: quat_to_axes(quat_load(a), to); break;
    case MYR_OP_QUAT_YAW: quat_store(to, quat_heading(quat_load(a))); break;
    case MYR_OP_QUAT_DIFF: v3_store(to, quat_vector(quat_times(quat_back(quat_load(a)), quat_load(b)))); break;
    case MYR_OP_GATHER:
        for (int k = 0; k < n; k++) to[k] = a[o->rows[k]];
        break;
    case MYR_OP_MATVEC: matrix_times(o, b, to); break;
    case MYR_OP_ROW:
        table_row(o, b, to);
        break;
        EACH(SEARCH, list_search(o, y))
    case MYR_OP_COPY:
    case MYR_OP_PRODUCTS:
    case MYR_OP_MUL_ADD:
    case MYR_OP_MUL_SUB:
    case MYR_OP_SUB_MUL:
    case MYR_OP_SUB_SQUARE:
    case MYR_OP_ADD:
    case MYR_OP_SUB:
    case MYR_OP_MUL:
    case MYR_OP_DIV:
    case MYR_OP_FMA:
    case MYR_OP_NEG:
    case MYR_OP_ABS:
    case MYR_OP_MIN:
    case MYR_OP_MAX:
    case MYR_OP_CLIP:
    case MYR_OP_SQRT:
    case MYR_OP_LT:
    case MYR_OP_LE:
    case MYR_OP_GT:
    case MYR_OP_GE:
    case MYR_OP_EQ:
    case MYR_OP_AND:
    case MYR_OP_OR:
    case MYR_OP_NOT:
    case MYR_OP_WHERE:
    case MYR_OP_SUM:
    case MYR_OP_DOT:
    case MYR_OP_LEAST:
    case MYR_OP_MOST:
    case MYR_OP_ANY:
    case MYR_OP_ALL: break; /* program_run's own */
    case MYR_OP_INPUT:
    case MYR_OP_CONSTANT:
    case MYR_OP_SLICE:
    case MYR_OP_CONCAT:
    case MYR_OP_REPEAT:
    case MYR_OPS: break; /* not in code */
    }
}

/* The cheap ones, in the loop itself: the call of a function with room for all that a sine or a quaternion needs took as long as one of
 * these. */
static void program_run(const myr_program *p, void *room) {
    vf *rows = room;
    for (const myr_code *o = p->code, *end = o + p->n_code; o < end; o++) {
        vf *to = rows + o->to;
        const vf *a = rows + o->from[0], *b = rows + o->from[1], *c = rows + o->from[2];
        const int n = o->n, sa = o->step[0], sb = o->step[1], sc = o->step[2];
        switch ((myr_op)o->op) {
            EACH(COPY, x)
            EACH(ADD, x + y)
            EACH(SUB, x - y)
            EACH(MUL, x * y)
            EACH(DIV, x / y)
            EACH(FMA, vf_fma(x, y, z))
            EACH(NEG, -x)
            EACH(ABS, vf_abs(x))
            EACH(MIN, vf_min(x, y))
            EACH(MAX, vf_max(x, y))
            EACH(MUL_ADD, x * y + z)
            EACH(MUL_SUB, x * y - z)
            EACH(SUB_MUL, z - x * y)
            EACH(SUB_SQUARE, (x - y) * (x - y))
            EACH(CLIP, vf_min(vf_max(x, y), z))
            EACH(SQRT, vf_sqrt(x))
            EACH(LT, as_number(vm_lt(x, y)))
            EACH(LE, as_number(vm_le(x, y)))
            EACH(GT, as_number(vm_gt(x, y)))
            EACH(GE, as_number(vm_ge(x, y)))
            EACH(EQ, as_number(vm_eq(x, y)))
            EACH(AND, as_number(vm_and(is_true(x), is_true(y))))
            EACH(OR, as_number(vm_or(is_true(x), is_true(y))))
            EACH(NOT, as_number(vm_not(is_true(x))))
            EACH(WHERE, vf_select(is_true(x), y, z))
            FOLD(SUM, x, r + x)
            FOLD(DOT, x * y, vf_fma(x, y, r))
            FOLD(PRODUCTS, x * y, r + x * y)
            FOLD(LEAST, x, vf_min(r, x))
            FOLD(MOST, x, vf_max(r, x))
            FOLD(ANY, as_number(is_true(x)), as_number(vm_or(is_true(r), is_true(x))))
            FOLD(ALL, as_number(is_true(x)), as_number(vm_and(is_true(r), is_true(x))))
        default: run_dear(o, rows);
        }
    }
}

#undef EACH
#undef FOLD

static void program_open(const myr_program *p, void *rows) {
    for (int i = 0; i < p->n_values; i++) {
        const myr_value *v = &p->values[i];
        for (int k = 0; v->op == MYR_OP_CONSTANT && v->row >= 0 && k < v->n; k++)
            ((vf *)rows)[v->row + k] = vf_set((real)p->numbers[v->ints + k]);
    }
}

static void program_load(void *rows, int first, int n, const void *array, int count, int is_f64) {
    for (int k = 0; k < n; k++) {
        real lanes[VN] = {0};
        for (int lane = 0; lane < count; lane++)
            lanes[lane] = is_f64 ? (real)((const double *)array)[(size_t)lane * (size_t)n + (size_t)k]
                                 : (real)((const float *)array)[(size_t)lane * (size_t)n + (size_t)k];
        memcpy((vf *)rows + first + k, lanes, sizeof lanes);
    }
}

static void program_store(const void *rows, int first, int n, void *array, int count, int is_f64) {
    for (int k = 0; k < n; k++) {
        real lanes[VN];
        memcpy(lanes, (const vf *)rows + first + k, sizeof lanes);
        for (int lane = 0; lane < count; lane++)
            if (is_f64)
                ((double *)array)[(size_t)lane * (size_t)n + (size_t)k] = (double)lanes[lane];
            else
                ((float *)array)[(size_t)lane * (size_t)n + (size_t)k] = (float)lanes[lane];
    }
}

#endif

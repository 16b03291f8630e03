#include "program_reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int is_true(double a) { return fabs(a) > 0; }
static double least(double a, double b) { return a < b ? a : b; }
static double most(double a, double b) { return a > b ? a : b; }

static void cross(const double *a, const double *b, double *to) {
    for (int k = 0; k < 3; k++) to[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

static void quat_mul(const double *a, const double *b, double *to) {
    double u[3];
    cross(a + 1, b + 1, u);
    to[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
    for (int k = 0; k < 3; k++) to[k + 1] = a[0] * b[k + 1] + b[0] * a[k + 1] + u[k];
}

static void axes_of(const double *q, double *R) {
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    const double to[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                          2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                          2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
    memcpy(R, to, sizeof to);
}

static void quat_rotate(const double *q, const double *x, int back, double *to) {
    double conj[4] = {q[0], -q[1], -q[2], -q[3]}, t[3], s[3];
    const double *p = back ? conj : q;
    cross(p + 1, x, t);
    for (int k = 0; k < 3; k++) t[k] *= 2;
    cross(p + 1, t, s);
    for (int k = 0; k < 3; k++) to[k] = x[k] + p[0] * t[k] + s[k];
}

static void quat_yaw(const double *q, double *to) {
    double R[9];
    axes_of(q, R);
    const double half = atan2(R[3], R[0]) / 2;
    to[0] = cos(half), to[1] = to[2] = 0, to[3] = sin(half);
}

static void quat_diff(const double *a, const double *b, double *to) {
    const double back[4] = {a[0], -a[1], -a[2], -a[3]};
    double d[4];
    quat_mul(back, b, d);
    if (d[0] < 0)
        for (int k = 0; k < 4; k++) d[k] = -d[k];
    const double length = sqrt(d[1] * d[1] + d[2] * d[2] + d[3] * d[3]), factor = length < 1e-12 ? 2 : 2 * atan2(length, d[0]) / length;
    for (int k = 0; k < 3; k++) to[k] = factor * d[k + 1];
}

static double each(myr_op op, double x, double y, double z) {
    switch (op) {
    case MYR_OP_ADD: return x + y;
    case MYR_OP_SUB: return x - y;
    case MYR_OP_MUL: return x * y;
    case MYR_OP_DIV: return x / y;
    case MYR_OP_FMA: return fma(x, y, z);
    case MYR_OP_NEG: return -x;
    case MYR_OP_ABS: return fabs(x);
    case MYR_OP_MIN: return least(x, y);
    case MYR_OP_MAX: return most(x, y);
    case MYR_OP_CLIP: return least(most(x, y), z);
    case MYR_OP_SQRT: return sqrt(x);
    case MYR_OP_FLOOR: return floor(x);
    case MYR_OP_SIGN: return x > 0 ? 1 : x < 0 ? -1 : x;
    case MYR_OP_EXP: return exp(x);
    case MYR_OP_LOG: return log(x);
    case MYR_OP_SIN: return sin(x);
    case MYR_OP_COS: return cos(x);
    case MYR_OP_TAN: return tan(x);
    case MYR_OP_ASIN: return asin(x);
    case MYR_OP_ACOS: return acos(x);
    case MYR_OP_ATAN2: return atan2(x, y);
    case MYR_OP_TANH: return tanh(x);
    case MYR_OP_WRAP: return remainder(x, 6.283185307179586);
    case MYR_OP_LT: return x < y;
    case MYR_OP_LE: return x <= y;
    case MYR_OP_GT: return x > y;
    case MYR_OP_GE: return x >= y;
    case MYR_OP_EQ: return x == y;
    case MYR_OP_AND: return is_true(x) && is_true(y);
    case MYR_OP_OR: return is_true(x) || is_true(y);
    case MYR_OP_NOT: return !is_true(x);
    case MYR_OP_WHERE: return is_true(x) ? y : z;
    default: abort();
    }
}

static double folded(myr_op op, int n, const double *a, int sa, const double *b, int sb) {
    double r = 0;
    for (int k = 0; k < n; k++) {
        const double x = a[k * sa], y = b[k * sb];
        switch (op) {
        case MYR_OP_SUM: r = k ? r + x : x; break;
        case MYR_OP_DOT:
        case MYR_OP_NORM: r = k ? fma(x, y, r) : x * y; break;
        case MYR_OP_LEAST: r = k ? least(r, x) : x; break;
        case MYR_OP_MOST: r = k ? most(r, x) : x; break;
        case MYR_OP_ANY: r = (k && is_true(r)) || is_true(x); break;
        case MYR_OP_ALL: r = (!k || is_true(r)) && is_true(x); break;
        default: abort();
        }
    }
    return op == MYR_OP_NORM ? sqrt(r) : r;
}

static void shaped(const myr_program *p, const myr_value *v, double *const *of, double *to) {
    const int *args = p->lists + v->args, *ints = p->lists + v->ints, n = p->values[args[0]].n;
    const double *a = of[args[0]], *b = v->n_args > 1 ? of[args[1]] : a;
    switch (v->op) {
    case MYR_OP_CROSS: cross(a, b, to); break;
    case MYR_OP_QUAT_MUL: quat_mul(a, b, to); break;
    case MYR_OP_QUAT_CONJ:
        for (int k = 0; k < 4; k++) to[k] = k ? -a[k] : a[k];
        break;
    case MYR_OP_QUAT_ROTATE: quat_rotate(a, b, 0, to); break;
    case MYR_OP_QUAT_ROTATE_BACK: quat_rotate(a, b, 1, to); break;
    case MYR_OP_QUAT_AXES: axes_of(a, to); break;
    case MYR_OP_QUAT_YAW: quat_yaw(a, to); break;
    case MYR_OP_QUAT_DIFF: quat_diff(a, b, to); break;
    case MYR_OP_SLICE: memcpy(to, a + ints[0], (size_t)v->n * sizeof *to); break;
    case MYR_OP_GATHER:
        for (int k = 0; k < v->n; k++) to[k] = a[ints[k]];
        break;
    case MYR_OP_CONCAT:
        for (int i = 0; i < v->n_args; i++)
            for (int k = 0; k < p->values[args[i]].n; k++) *to++ = of[args[i]][k];
        break;
    case MYR_OP_REPEAT:
        for (int k = 0; k < v->n; k++) to[k] = a[k % n];
        break;
    case MYR_OP_MATVEC:
        for (int i = 0, m = p->values[args[1]].n; i < v->n; i++) {
            int zeros = 0;
            for (int k = 0; k < v->n * m; k++) zeros += a[k] == 0;
            const int sparse = 2 * zeros >= v->n * m;
            to[i] = sparse ? 0 : a[i * m] * b[0];
            for (int k = !sparse; k < m; k++)
                if (!sparse || a[i * m + k] != 0) to[i] = fma(a[i * m + k], b[k], to[i]);
        }
        break;
    case MYR_OP_ROW: {
        const int rows = n / v->n, i = b[0] >= rows - 1 ? rows - 1 : b[0] > 0 ? (int)floor(b[0]) : 0;
        memcpy(to, a + i * v->n, (size_t)v->n * sizeof *to);
        break;
    }
    case MYR_OP_SEARCH:
        for (int i = 0; i < v->n; i++) {
            to[i] = 0;
            for (int k = 0; k < n; k++) to[i] += a[k] <= b[i];
        }
        break;
    default: abort();
    }
}

void reference_program(const myr_program *p, const double *const *inputs, double *const *outputs) {
    double **of = calloc((size_t)p->n_values + 1, sizeof *of);
    for (int i = 0, input = 0; i < p->n_values; i++) {
        const myr_value *v = &p->values[i];
        const int *args = p->lists + v->args;
        double *to = of[i] = calloc((size_t)v->n + 1, sizeof *to);
        const double *a[3] = {to, to, to};
        int step[3] = {0}, n = 1;
        for (int k = 0; k < v->n_args && k < 3; k++) {
            a[k] = of[args[k]], step[k] = p->values[args[k]].n > 1;
            if (p->values[args[k]].n > n) n = p->values[args[k]].n;
        }
        if (v->op == MYR_OP_INPUT)
            memcpy(to, inputs[input++], (size_t)v->n * sizeof *to);
        else if (v->op == MYR_OP_CONSTANT)
            memcpy(to, p->numbers + v->ints, (size_t)v->n * sizeof *to);
        else if (myr_op_kinds[v->op].rule == MYR_RULE_EACH)
            for (int k = 0; k < v->n; k++) to[k] = each(v->op, a[0][k * step[0]], a[1][k * step[1]], a[2][k * step[2]]);
        else if (myr_op_kinds[v->op].rule == MYR_RULE_FOLD)
            *to = folded(v->op, n, a[0], step[0], v->op == MYR_OP_NORM ? a[0] : a[1], v->op == MYR_OP_NORM ? step[0] : step[1]);
        else
            shaped(p, v, of, to);
    }
    for (int o = 0; o < p->n_outputs; o++)
        memcpy(outputs[o], of[p->outputs[o].value], (size_t)p->values[p->outputs[o].value].n * sizeof **outputs);
    for (int i = 0; i < p->n_values; i++) free(of[i]);
    free(of);
}

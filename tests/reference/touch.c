#include "touch.h"

#include <math.h>
#include <string.h>

#include "small.h"

static void axis_of(const reference_shape *s, int k, double out[3]) {
    for (int i = 0; i < 3; i++) out[i] = s->rotation[3 * i + k];
}

double reference_radius(const reference_shape *s) { return s->type == MYR_GEOM_BOX ? 0 : s->size[0]; }

double reference_core_distance(const reference_shape *s, const double point[3], double nearest[3]) {
    double d[3], square = 0;
    for (int i = 0; i < 3; i++) d[i] = point[i] - s->position[i];
    memcpy(nearest, s->position, 3 * sizeof *nearest);
    for (int k = 0; k < 3; k++) {
        double axis[3];
        const double half = s->type == MYR_GEOM_BOX ? s->size[k] : s->type == MYR_GEOM_CAPSULE && k == 2 ? s->size[1] : 0;
        axis_of(s, k, axis);
        const double along = fmin(half, fmax(-half, dot(d, axis)));
        for (int i = 0; i < 3; i++) nearest[i] += along * axis[i];
    }
    for (int i = 0; i < 3; i++) square += (point[i] - nearest[i]) * (point[i] - nearest[i]);
    return sqrt(square);
}

/* From a's point at t of its axis; golden section, the distance being convex. */
double reference_cores_distance(const reference_shape *a, const reference_shape *b, double nearest_a[3], double nearest_b[3]) {
    if (a->type == MYR_GEOM_BOX) return reference_cores_distance(b, a, nearest_b, nearest_a);
    double axis[3], low = -(a->type == MYR_GEOM_CAPSULE ? a->size[1] : 0), high = -low;
    axis_of(a, 2, axis);
    for (int step = 0; step < 200; step++) {
        const double t[2] = {low + (high - low) * 0.38, low + (high - low) * 0.62};
        double distance[2];
        for (int k = 0; k < 2; k++) {
            for (int i = 0; i < 3; i++) nearest_a[i] = a->position[i] + t[k] * axis[i];
            distance[k] = reference_core_distance(b, nearest_a, nearest_b);
        }
        if (distance[0] < distance[1])
            high = t[1];
        else
            low = t[0];
    }
    for (int i = 0; i < 3; i++) nearest_a[i] = a->position[i] + 0.5 * (low + high) * axis[i];
    return reference_core_distance(b, nearest_a, nearest_b);
}

static double overlap(const reference_shape *a, const reference_shape *b, const double unit[3]) {
    double apart = 0, axis[3];
    for (int i = 0; i < 3; i++) apart += unit[i] * (a->position[i] - b->position[i]);
    apart = fabs(apart);
    for (int k = 0; k < 3; k++) {
        axis_of(a, k, axis);
        apart -= a->size[k] * fabs(dot(axis, unit));
        axis_of(b, k, axis);
        apart -= b->size[k] * fabs(dot(axis, unit));
    }
    return apart;
}

void reference_boxes(const reference_shape *a, const reference_shape *b, double *all, double *faces) {
    double u[3], v[3], w[3];
    *faces = -INFINITY;
    for (int k = 0; k < 3; k++) {
        axis_of(a, k, u);
        axis_of(b, k, v);
        *faces = fmax(*faces, fmax(overlap(a, b, u), overlap(a, b, v)));
    }
    *all = *faces;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            axis_of(a, i, u);
            axis_of(b, j, v);
            cross(u, v, w);
            const double length = sqrt(dot(w, w));
            if (length < 1e-4) continue;
            for (int k = 0; k < 3; k++) w[k] /= length;
            *all = fmax(*all, overlap(a, b, w));
        }
}

/* The part of the polygon with side * coordinate k <= bound. */
static int cut(double (*polygon)[2], int n, int k, double side, double bound) {
    double out[16][2];
    int count = 0;
    for (int i = 0; i < n; i++) {
        const double *p = polygon[i], *q = polygon[(i + 1) % n], dp = bound - side * p[k], dq = bound - side * q[k];
        if (dp >= 0) memcpy(out[count++], p, sizeof out[0]);
        if ((dp > 0 && dq < 0) || (dp < 0 && dq > 0)) {
            for (int j = 0; j < 2; j++) out[count][j] = p[j] + (q[j] - p[j]) * (dp / (dp - dq));
            count++;
        }
    }
    memcpy(polygon, out, sizeof out[0] * (size_t)count);
    return count;
}

double reference_shared_area(const reference_shape *a, const reference_shape *b, const double normal[3]) {
    double axis[3], most = -1, polygon[16][2];
    int face = 0, n = 4, up = 0;
    for (int k = 0; k < 3; k++) { /* a's axis along the normal, b's most opposed */
        axis_of(a, k, axis);
        if (fabs(dot(axis, normal)) > 0.9) up = k;
        axis_of(b, k, axis);
        if (fabs(dot(axis, normal)) > most) most = fabs(dot(axis, normal)), face = k;
    }
    double out[3], u[3], v[3], e[2][3];
    axis_of(b, face, out);
    axis_of(b, (face + 1) % 3, u);
    axis_of(b, (face + 2) % 3, v);
    axis_of(a, (up + 1) % 3, e[0]);
    axis_of(a, (up + 2) % 3, e[1]);
    const double side = dot(out, normal) > 0 ? -1 : 1;
    for (int i = 0; i < 4; i++) {
        const double su = i == 1 || i == 2 ? 1 : -1, sv = i >= 2 ? 1 : -1;
        double corner[3];
        for (int k = 0; k < 3; k++)
            corner[k] = b->position[k] - a->position[k] + side * b->size[face] * out[k] + su * b->size[(face + 1) % 3] * u[k] +
                        sv * b->size[(face + 2) % 3] * v[k];
        for (int k = 0; k < 2; k++) polygon[i][k] = dot(corner, e[k]);
    }
    for (int k = 0; k < 2; k++)
        for (int s = -1; s <= 1; s += 2) n = cut(polygon, n, k, s, a->size[(up + 1 + k) % 3]);
    double area = 0;
    for (int i = 0; i < n; i++) area += polygon[i][0] * polygon[(i + 1) % n][1] - polygon[i][1] * polygon[(i + 1) % n][0];
    return 0.5 * fabs(area);
}

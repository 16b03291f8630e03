/* The sparse factor of Brüdigam 2021 (25). Bodies and joints are the nodes of a graph. A depth-first search orders them, the first found
 * last. A tree then has no fill-in: every node that leaves has one neighbour left. F is not symmetric (impulses act at z2, distances are
 * those of z3), so the factor is LDU and not LDL'.
 *
 * Joints that close a loop would come first as leaves, with a zero pivot. In a depth-first search such a joint leads back to a body that is
 * above in the tree: it leaves just before that body (or last, where that is the world), when the bodies between have given it a pivot. It
 * then stays a neighbour of every node of its loop: those blocks are its fill-ins. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "maximal_parts.h"

/* ---- order -------------------------------------------------------------------------------------------------------- */

typedef struct search {
    const maximal *m;
    ldu *f;
    int *begin, *incident; /* joints of body i - 1 (0: the world) are incident[begin[i] .. begin[i + 1] - 1] */
    int *next;             /* first of them that is not looked at */
    int *entered, *left;   /* of bodies; of joints: used */
    int *by;               /* tree joint that led to a body; -1: none */
    int *above;            /* body above a body */
    int *closing, *closing_at;
    int n_closing;
    int *memory;
} search;

static int open_search(search *s, const maximal *m, ldu *f) {
    const size_t bodies = (size_t)m->n_bodies + 1, joints = (size_t)m->n_joints;
    memset(s, 0, sizeof *s);
    s->m = m, s->f = f;
    s->memory = calloc(6 * bodies + 5 * joints + 2, sizeof(int));
    if (!s->memory) return 0;
    s->begin = s->memory, s->next = s->begin + bodies + 1, s->entered = s->next + bodies, s->by = s->entered + bodies;
    s->above = s->by + bodies, s->incident = s->above + bodies, s->left = s->incident + 2 * joints;
    s->closing = s->left + joints, s->closing_at = s->closing + joints;
    for (int j = 0; j < m->n_joints; j++) s->begin[m->joints[j].parent + 2]++, s->begin[m->joints[j].child + 2]++;
    for (size_t i = 0; i < bodies; i++) s->begin[i + 1] += s->begin[i];
    for (size_t i = 0; i < bodies; i++) s->next[i] = s->begin[i];
    for (int j = 0; j < m->n_joints; j++) {
        s->incident[s->next[m->joints[j].parent + 1]++] = j;
        s->incident[s->next[m->joints[j].child + 1]++] = j;
    }
    for (size_t i = 0; i < bodies; i++) s->next[i] = s->begin[i], s->by[i] = -1, s->above[i] = -2;
    return 1;
}

static void add_joint(ldu *f, const maximal *m, int j, int droppable) {
    f->of_joint[j] = f->n_nodes;
    f->nodes[f->n_nodes++] = (ldu_node){.size = joint_size(&m->joints[j]), .body = -1, .joint = j, .droppable = droppable};
}

/* All that hangs on `root` (-1: the world), children before parents, without recursion: chains are long. */
static void descend(search *s, int root) {
    ldu *f = s->f;
    int at = root;
    s->entered[root + 1] = 1;
    for (;;) {
        if (s->next[at + 1] < s->begin[at + 2]) {
            const int j = s->incident[s->next[at + 1]++];
            if (s->left[j]) continue;
            s->left[j] = 1;
            const int parent = s->m->joints[j].parent, child = s->m->joints[j].child, to = parent == at ? child : parent;
            if (s->entered[to + 1]) { /* back to a body above */
                s->closing[s->n_closing] = j, s->closing_at[s->n_closing++] = to;
            } else {
                s->entered[to + 1] = 1, s->by[to + 1] = j, s->above[to + 1] = at;
                at = to;
            }
            continue;
        }
        for (int k = 0; k < s->n_closing; k++)
            if (s->closing_at[k] == at) add_joint(f, s->m, s->closing[k], 1);
        if (at >= 0) {
            f->of_body[at] = f->n_nodes;
            f->nodes[f->n_nodes++] = (ldu_node){.size = 6, .body = at, .joint = -1};
        }
        if (at == root) return;
        add_joint(f, s->m, s->by[at + 1], 0);
        at = s->above[at + 1];
    }
}

/* ---- neighbours --------------------------------------------------------------------------------------------------- */

typedef struct later {
    int *nodes, count, room;
} later;

static int add_later(later *l, int node) {
    int at = 0;
    while (at < l->count && l->nodes[at] < node) at++;
    if (at < l->count && l->nodes[at] == node) return 1;
    if (l->count == l->room) {
        int *more = realloc(l->nodes, (size_t)(2 * l->room + 4) * sizeof *more);
        if (!more) return 0;
        l->nodes = more, l->room = 2 * l->room + 4;
    }
    memmove(l->nodes + at + 1, l->nodes + at, (size_t)(l->count - at) * sizeof *l->nodes);
    l->nodes[at] = node;
    l->count++;
    return 1;
}

static int in_matrix(const ldu *f, const maximal *m, int a, int b) {
    const ldu_node *joint = f->nodes[a].joint >= 0 ? &f->nodes[a] : &f->nodes[b];
    const ldu_node *body = f->nodes[a].joint >= 0 ? &f->nodes[b] : &f->nodes[a];
    if (joint->joint < 0 || body->body < 0) return 0;
    return m->joints[joint->joint].parent == body->body || m->joints[joint->joint].child == body->body;
}

/* What leaves makes its neighbours neighbours of each other: all of them must be known to the first of them. */
static int add_edges(ldu *f, const maximal *m) {
    later *lists = calloc((size_t)f->n_nodes + 1, sizeof *lists);
    int fine = lists != NULL;
    for (int j = 0; fine && j < m->n_joints; j++) {
        const int both[2] = {m->joints[j].parent, m->joints[j].child};
        for (int k = 0; k < 2; k++) {
            if (both[k] < 0) continue;
            const int a = f->of_joint[j], b = f->of_body[both[k]];
            fine = add_later(&lists[a < b ? a : b], a < b ? b : a) && fine;
        }
    }
    for (int i = 0; fine && i < f->n_nodes; i++) {
        for (int k = 1; k < lists[i].count; k++) fine = add_later(&lists[lists[i].nodes[0]], lists[i].nodes[k]) && fine;
        f->nodes[i].first = f->n_edges, f->nodes[i].count = lists[i].count;
        f->n_edges += lists[i].count;
    }
    if (fine) {
        f->edges = calloc((size_t)f->n_edges + 1, sizeof *f->edges);
        fine = f->edges != NULL;
    }
    for (int i = 0; fine && i < f->n_nodes; i++)
        for (int k = 0; k < lists[i].count; k++) {
            ldu_edge *edge = &f->edges[f->nodes[i].first + k];
            edge->node = lists[i].nodes[k];
            edge->fill = !in_matrix(f, m, i, edge->node);
            f->fill_ins += edge->fill;
        }
    for (int i = 0; lists && i < f->n_nodes; i++) free(lists[i].nodes);
    free(lists);
    return fine;
}

int ldu_open(ldu *f, const maximal *m) {
    search s;
    f->nodes = calloc((size_t)(m->n_bodies + m->n_joints) + 1, sizeof *f->nodes);
    f->of_body = calloc((size_t)m->n_bodies + 1, sizeof *f->of_body);
    f->of_joint = calloc((size_t)m->n_joints + 1, sizeof *f->of_joint);
    if (!f->nodes || !f->of_body || !f->of_joint || !open_search(&s, m, f)) return 0;
    for (int root = -1; root < m->n_bodies; root++)
        if (!s.entered[root + 1]) descend(&s, root);
    free(s.memory);
    return add_edges(f, m);
}

void ldu_close(ldu *f) {
    free(f->nodes);
    free(f->edges);
    free(f->of_body);
    free(f->of_joint);
}

ldu_edge *ldu_between(ldu *f, int node, int to) {
    for (int k = 0; k < f->nodes[node].count; k++)
        if (f->edges[f->nodes[node].first + k].node == to) return &f->edges[f->nodes[node].first + k];
    return NULL;
}

/* ---- numbers: blocks have rows of 6, what a node does not use is 0 ---------------------------------------------------- */

static void exchange(double *a, double *b, int stride) {
    for (int k = 0; k < 6; k++) {
        const double x = a[stride * k];
        a[stride * k] = b[stride * k], b[stride * k] = x;
    }
}

/* A = LU of a node's pivot, with rows exchanged so that the largest number of a column is next. Where rows may say the same twice, columns
 * are exchanged too: what is left at last is 0 then. */
static int factor_pivot(ldu_node *node) {
    const int n = node->size;
    double *A = node->pivot, largest = 0;
    for (int k = 0; k < n; k++) node->row_of[k] = node->column_of[k] = k;
    for (node->rank = 0; node->rank < n; node->rank++) {
        const int k = node->rank;
        int row = k, column = k;
        for (int i = k; i < n; i++)
            for (int j = k; j < (node->droppable ? n : k + 1); j++)
                if (fabs(A[6 * i + j]) > fabs(A[6 * row + column])) row = i, column = j;
        const double pivot = A[6 * row + column];
        largest = fmax(largest, fabs(pivot));
        if (!isfinite(pivot) || pivot == 0 || (node->droppable && fabs(pivot) < 1e-10 * largest)) break;
        if (row != k) exchange(A + 6 * k, A + 6 * row, 1);
        if (column != k) exchange(A + k, A + column, 6);
        const int r = node->row_of[k], c = node->column_of[k];
        node->row_of[k] = node->row_of[row], node->row_of[row] = r;
        node->column_of[k] = node->column_of[column], node->column_of[column] = c;
        node->inverse[k] = 1 / pivot;
        for (int i = k + 1; i < n; i++) {
            const double l = A[6 * i + k] *= node->inverse[k];
            for (int j = k + 1; j < n; j++) A[6 * i + j] -= l * A[6 * k + j];
        }
    }
    return node->rank == n || node->droppable;
}

/* X = pivot^-1 X. What a dropped row says is left out, and its unknown is 0. */
static void solve_pivot(const ldu_node *node, double X[36]) {
    const int n = node->size, rank = node->rank;
    const double *A = node->pivot;
    double Y[6][6];
    for (int i = 0; i < rank; i++) {
        memcpy(Y[i], X + 6 * node->row_of[i], sizeof Y[i]);
        for (int k = 0; k < i; k++)
            for (int j = 0; j < 6; j++) Y[i][j] -= A[6 * i + k] * Y[k][j];
    }
    for (int i = n - 1; i >= 0; i--) {
        double *x = X + 6 * node->column_of[i];
        if (i >= rank) {
            memset(x, 0, sizeof Y[i]);
            continue;
        }
        for (int k = i + 1; k < rank; k++)
            for (int j = 0; j < 6; j++) Y[i][j] -= A[6 * i + k] * Y[k][j];
        for (int j = 0; j < 6; j++) Y[i][j] *= node->inverse[i];
        memcpy(x, Y[i], sizeof Y[i]);
    }
}

static void solve_pivot_once(const ldu_node *node, double x[6]) {
    const int n = node->size, rank = node->rank;
    const double *A = node->pivot;
    double y[6];
    for (int i = 0; i < rank; i++) {
        y[i] = x[node->row_of[i]];
        for (int k = 0; k < i; k++) y[i] -= A[6 * i + k] * y[k];
    }
    for (int i = rank - 1; i >= 0; i--) {
        for (int k = i + 1; k < rank; k++) y[i] -= A[6 * i + k] * y[k];
        y[i] *= node->inverse[i];
    }
    for (int i = 0; i < n; i++) x[node->column_of[i]] = i < rank ? y[i] : 0;
}

/* out -= A B, of `rows` rows and `inner` columns of A. */
static void subtract_product(const double A[36], const double B[36], int rows, int inner, double out[36]) {
    for (int i = 0; i < rows; i++) {
        double row[6];
        memcpy(row, out + 6 * i, sizeof row);
        for (int k = 0; k < inner; k++)
            for (int j = 0; j < 6; j++) row[j] -= A[6 * i + k] * B[6 * k + j];
        memcpy(out + 6 * i, row, sizeof row);
    }
}

static void subtract_applied(const double A[36], const double x[6], int rows, double out[6]) {
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < 6; k++) out[i] -= A[6 * i + k] * x[k];
}

int ldu_factor(ldu *f) {
    for (int i = 0; i < f->n_nodes; i++) {
        ldu_node *node = &f->nodes[i];
        ldu_edge *edges = &f->edges[node->first];
        if (!factor_pivot(node)) return 0;
        for (int k = 0; k < node->count; k++) solve_pivot(node, edges[k].upper);
        for (int a = 0; a < node->count; a++)
            for (int b = 0; b < node->count; b++) {
                const int row = edges[a].node, column = edges[b].node;
                double *block = row == column  ? f->nodes[row].pivot
                                : row < column ? ldu_between(f, row, column)->upper
                                               : ldu_between(f, column, row)->lower;
                subtract_product(edges[a].lower, edges[b].upper, f->nodes[row].size, node->size, block);
            }
    }
    return 1;
}

void ldu_solve(const ldu *f, double *rhs) {
    for (int i = 0; i < f->n_nodes; i++) {
        const ldu_node *node = &f->nodes[i];
        solve_pivot_once(node, rhs + 6 * i);
        for (int k = 0; k < node->count; k++) {
            const ldu_edge *edge = &f->edges[node->first + k];
            subtract_applied(edge->lower, rhs + 6 * i, f->nodes[edge->node].size, rhs + 6 * edge->node);
        }
    }
    for (int i = f->n_nodes - 1; i >= 0; i--) {
        const ldu_node *node = &f->nodes[i];
        for (int k = 0; k < node->count; k++) {
            const ldu_edge *edge = &f->edges[node->first + k];
            subtract_applied(edge->upper, rhs + 6 * edge->node, node->size, rhs + 6 * i);
        }
    }
}

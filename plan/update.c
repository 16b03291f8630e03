/* What samples make of the plan. Sums run over the tiles lane by lane, then over the lanes, in order: who rolled out what does not show. */
#include <math.h>
#include <string.h>

#include "base/trigonometry.h"
#include "plan/planner.h"

static int64_t tile_lanes(const myr_planner *p) { return p->batch->layout.lanes; }

/* Costs of the samples that are not lost: how many, least, mean, deviation. */
static int64_t look(const myr_planner *p, myr_plan_report *r) {
    double sum = 0, squares = 0;
    int64_t found = 0;
    r->least = INFINITY, r->best = -1;
    for (int64_t i = 0; i < p->samples; i++) {
        const double cost = p->cost[i];
        if (!isfinite(cost)) continue;
        found++, sum += cost;
        if (cost < r->least) r->least = cost, r->best = i;
    }
    r->lost = p->samples - found;
    if (!found) {
        r->least = r->mean = r->deviation = NAN;
        return 0;
    }
    r->mean = sum / (double)found;
    for (int64_t i = 0; i < p->samples; i++)
        if (isfinite(p->cost[i])) squares += (p->cost[i] - r->mean) * (p->cost[i] - r->mean);
    r->deviation = sqrt(squares / (double)found);
    return found;
}

/* The k cheapest, of equal ones those of lower numbers: a heap whose first one is the dearest. */
static int dearer(const myr_planner *p, int64_t a, int64_t b) { return p->cost[a] > p->cost[b] || (p->cost[a] == p->cost[b] && a > b); }

static void sink(const myr_planner *p, int64_t *heap, int n, int at) {
    for (;;) {
        int most = at;
        for (int child = 2 * at + 1; child <= 2 * at + 2 && child < n; child++)
            if (dearer(p, heap[child], heap[most])) most = child;
        if (most == at) return;
        const int64_t kept = heap[at];
        heap[at] = heap[most], heap[most] = kept;
        at = most;
    }
}

static int find_elites(const myr_planner *p) {
    int n = 0;
    for (int64_t i = 0; i < p->samples; i++) {
        if (!isfinite(p->cost[i])) continue;
        if (n < p->options.elites) {
            p->elite[n++] = i;
            if (n == p->options.elites)
                for (int at = n / 2; at >= 0; at--) sink(p, p->elite, n, at);
        } else if (dearer(p, p->elite[0], i)) {
            p->elite[0] = i;
            sink(p, p->elite, n, 0);
        }
    }
    return n;
}

static void weigh(const myr_planner *p, const myr_plan_report *r) {
    memset(p->weight, 0, (size_t)(p->batch->tiles * tile_lanes(p)) * sizeof *p->weight);
    if (p->options.update == MYR_UPDATE_BEST) {
        p->weight[r->best] = 1;
    } else if (p->options.update == MYR_UPDATE_CEM) {
        const int n = find_elites(p);
        for (int k = 0; k < n; k++) p->weight[p->elite[k]] = 1;
    } else {
        const double of = p->options.temperature * r->deviation; /* 0: all cost alike */
        for (int64_t i = 0; i < p->samples; i++)
            if (isfinite(p->cost[i])) p->weight[i] = of > 0 ? myr_exp(-(p->cost[i] - r->least) / of) : 1;
    }
}

/* Weighted sums of the knots and, where asked for, of their squares about the plan: (2, count). */
static void add_up(const myr_planner *p, int squares) {
    enum { W = MYR_PLAN_LANES };
    const int lanes = (int)tile_lanes(p);
    memset(p->sums, 0, 2 * (size_t)p->count * W * sizeof *p->sums);
    for (int64_t t = 0; t < p->batch->tiles; t++) {
        double w[W] = {0}, any = 0;
        for (int i = 0; i < lanes; i++) any += w[i] = p->weight[t * lanes + i];
        if (any == 0) continue;
        const float *knots = p->knots + (size_t)t * (size_t)p->count * W;
        for (int j = 0; j < p->count; j++) {
            double *sum = p->sums + j * W, *square = p->sums + (p->count + j) * W;
            for (int i = 0; i < W; i++) sum[i] += w[i] * (double)knots[j * W + i];
            if (!squares) continue;
            for (int i = 0; i < W; i++) {
                const double off = (double)knots[j * W + i] - p->plan[j];
                square[i] += w[i] * off * off;
            }
        }
    }
    for (int j = 0; j < 2 * p->count; j++)
        for (int i = 1; i < W; i++) p->sums[j * W] += p->sums[j * W + i];
}

void myr_plan_update_by(myr_planner *p, myr_plan_report *r) {
    enum { W = MYR_PLAN_LANES };
    r->kept = p->batch->metas[0].global_id == 0 ? p->cost[0] : NAN;
    r->effective = 0;
    if (!look(p, r)) return;
    weigh(p, r);
    double total = 0, squares = 0;
    for (int64_t i = 0; i < p->samples; i++) total += p->weight[i], squares += p->weight[i] * p->weight[i];
    r->effective = total * total / squares;
    const int cem = p->options.update == MYR_UPDATE_CEM;
    add_up(p, cem);
    for (int j = 0; j < p->count; j++) {
        const double mean = p->sums[j * W] / total, moved = mean - p->plan[j];
        if (cem) { /* about the mean, by what it is about the old plan */
            const double variance = p->sums[(p->count + j) * W] / total - moved * moved;
            p->spread[j] = fmax(p->options.least_sigma, variance > 0 ? sqrt(variance) : 0);
        }
        p->plan[j] = mean;
    }
}

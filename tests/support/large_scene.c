#include "large_scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void *room(size_t n, size_t size) {
    void *memory = calloc(n + 1, size);
    if (!memory) abort();
    return memory;
}

static large_scene scene_new(int contacts, size_t blocks) {
    const size_t nc = (size_t)contacts;
    large_scene s = {.first = room(nc + 1, sizeof(int64_t)),
                     .column = room(blocks, sizeof(int)),
                     .block = room(9 * blocks, sizeof(double)),
                     .c = room(3 * nc, sizeof(double)),
                     .mu = room(nc, sizeof(double))};
    s.problem = (myr_large_problem){.contacts = contacts, .first = s.first, .column = s.column, .blocks = s.block, .c = s.c, .mu = s.mu};
    s.result =
        (myr_contact_result){.impulse = room(3 * nc, sizeof(double)), .velocity = room(3 * nc, sizeof(double)), .modes = room(nc, 1)};
    return s;
}

void large_scene_free(large_scene *s) {
    free(s->first), free(s->column), free(s->block), free(s->c), free(s->mu);
    free(s->result.impulse), free(s->result.velocity), free(s->result.modes);
}

large_scene large_scene_of(const myr_contact_problem *p) {
    const size_t nc = (size_t)p->contacts, m = 3 * nc;
    large_scene s = scene_new(p->contacts, nc * nc);
    size_t at = 0;
    for (size_t i = 0; i < nc; i++) {
        for (size_t k = 0; k < nc; k++, at++) {
            s.column[at] = (int)k;
            for (size_t e = 0; e < 9; e++) s.block[9 * at + e] = p->G[(3 * i + e / 3) * m + 3 * k + e % 3];
        }
        s.first[i + 1] = (int64_t)at;
    }
    memcpy(s.c, p->c, m * sizeof *s.c);
    memcpy(s.mu, p->mu, nc * sizeof *s.mu);
    return s;
}

static double mass_of(int k) { return 1 + 0.25 * k; }

double large_pile_above(const large_pile *how, int i) {
    double mass = 0;
    for (int k = i % how->height; k < how->height; k++) mass += mass_of(k);
    return LARGE_GRAVITY_DT * mass;
}

/* A contact moves one body up its normal, and another, -1: none, the other way. R's rows: its tangents and normal in the world. */
typedef struct touching {
    int body, other;
    double axes[9];
} touching;

static void add(const touching *a, const touching *b, const double *inverse_mass, double *block) {
    double sum = 0;
    const int mine[2] = {a->body, a->other}, its[2] = {b->body, b->other};
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++)
            if (mine[i] >= 0 && mine[i] == its[k]) sum += (i == k ? 1 : -1) * inverse_mass[mine[i]];
    for (int e = 0; e < 9; e++)
        for (int j = 0; j < 3; j++) block[e] += sum * a->axes[3 * (e / 3) + j] * b->axes[3 * (e % 3) + j];
}

large_scene large_scene_pile(const large_pile *how) {
    static const double upright[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, sideways[9] = {0, 0, 1, 1, 0, 0, 0, 1, 0}; /* normals z and y */
    const int bodies = how->columns * how->height, walls = how->tied ? (how->columns - 1) * how->height : 0, n = bodies + walls;
    touching *contact = room((size_t)n, sizeof *contact);
    double *inverse_mass = room((size_t)bodies, sizeof *inverse_mass);
    for (int i = 0; i < bodies; i++) {
        const int k = i % how->height;
        inverse_mass[i] = 1 / mass_of(k);
        contact[i] = (touching){.body = i, .other = k ? i - 1 : -1};
        memcpy(contact[i].axes, upright, sizeof upright);
    }
    for (int i = 0; i < walls; i++) {
        contact[bodies + i] = (touching){.body = i + how->height, .other = i};
        memcpy(contact[bodies + i].axes, sideways, sizeof sideways);
    }
    size_t blocks = 0;
    large_scene s = {.first = NULL};
    for (int pass = 0; pass < 2; pass++) { /* few enough to look at all pairs: some hundreds */
        if (pass) s = scene_new(n, blocks);
        blocks = 0;
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                double g[9] = {0}, size = 0;
                add(&contact[i], &contact[j], inverse_mass, g);
                for (int e = 0; e < 9; e++) size += fabs(g[e]);
                if (!(size > 0) && i != j) continue;
                if (pass) s.column[blocks] = j, memcpy(s.block + 9 * blocks, g, sizeof g);
                blocks++;
            }
            if (!pass) continue;
            s.first[i + 1] = (int64_t)blocks;
            s.mu[i] = i >= bodies || i % how->height ? how->mu : how->mu_floor;
            if (i < bodies && i % how->height == 0)
                s.c[3 * i] = LARGE_GRAVITY_DT * sin(how->slope), s.c[3 * i + 2] = -LARGE_GRAVITY_DT * cos(how->slope);
            if (i >= bodies) s.c[3 * i + 2] = -0.001 * ((i * 7) % 5); /* pressed together */
        }
    }
    free(contact), free(inverse_mass);
    return s;
}

/* What fuzzers ask of every model that loads. */
#ifndef MYR_TESTS_SUPPORT_MODEL_WORD_H
#define MYR_TESTS_SUPPORT_MODEL_WORD_H

#include <stdlib.h>
#include <string.h>

#include "model/model.h"

/* A model that loads keeps its own word: everything finite, every index in range. */
static void model_keeps_its_word(const myr_model *m) {
    double sum = 0.0;
    for (int i = 0; i < m->n_bodies; i++) {
        const myr_body *b = &m->bodies[i];
        if (b->parent >= i || b->joint == MYR_JOINT_FIXED || b->v + b->nv > m->nv || b->q + b->nq > m->nq || b->tree >= m->n_trees) abort();
        sum += b->mass * 0.0 + b->com[0] * 0.0 + b->offset[0] * 0.0 + b->axis[0] * 0.0 + b->align[0] * 0.0 + b->inertia[0] * 0.0;
    }
    for (int i = 0; i < m->n_slots; i++) {
        const myr_slot *s = &m->slots[i];
        if (s->body < 0 || s->body >= m->n_bodies || s->geom >= m->n_geoms) abort();
        sum += s->center[0] * 0.0 + s->radius * 0.0;
    }
    for (int i = 0; i < m->n_frames; i++)
        if (m->frames[i].body >= m->n_bodies) abort();
    for (int i = 0; i < m->nq; i++) sum += m->home[i] * 0.0;
    if (sum != 0.0) abort(); /* 0 * infinity and 0 * NaN are NaN */
    (void)myr_model_hash(m);
}

/* What a reader gave back: a model that keeps its word, or a refusal that says why and leaves nothing. Frees the model. */
static void reader_keeps_its_word(myr_status status, myr_model *model) {
    if (status == MYR_OK)
        model_keeps_its_word(model);
    else if (model || strlen(myr_message()) < 10)
        abort();
    myr_model_free(model);
}

#endif

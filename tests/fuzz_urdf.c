/* Fuzzer of the URDF reader and of what compiles its models. The last byte of the input chooses the root.
 *
 *   scripts/fuzz.sh urdf, or by hand: clang-14 -g -O1 -fsanitize=fuzzer,address,undefined ... tests/fuzz_urdf.c libmyriapod.a
 *
 * What it finds goes to tests/fuzz/urdf/ as bad_* (refused) or good_* (loads); tests/test_urdf.c keeps it found. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "model/model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A model that loads keeps its own word: everything finite, every index in range. */
static void check(const myr_model *m) {
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    myr_model *model = NULL;
    const myr_root root = size ? (myr_root)(data[size - 1] % 3) : MYR_ROOT_AUTO;
    const myr_status status = myr_model_load_text((const char *)data, size, "fuzz.urdf", root, &model);
    if (status == MYR_OK)
        check(model);
    else if (model || strlen(myr_message()) < 10)
        abort(); /* a refusal says why and leaves nothing */
    myr_model_free(model);
    return 0;
}

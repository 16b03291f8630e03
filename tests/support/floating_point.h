/* Calls in strange floating-point environments, and what comes out of them (tests/promises/test_floating_point*.c). */
#ifndef MYR_TESTS_SUPPORT_FLOATING_POINT_H
#define MYR_TESTS_SUPPORT_FLOATING_POINT_H

#include "batch_scene.h"

extern myr_status strange_got; /* by the last IN_MUST */
extern const char *volatile strange_call;

void strange_begin(const char *text);
void strange_end(void);
/* Bytes that came out: they must be those that came out at this place under the default environment. */
void saw(const char *what, const void *bytes, size_t n);
void saw_text(const char *text);
void strange_must(myr_status status);

/* One call in the strange environment. */
#define IN(expression) (strange_begin(#expression), (expression), strange_end())
#define IN_MUST(expression) IN(strange_got = (expression)), saw(strange_call, &strange_got, sizeof strange_got), strange_must(strange_got)

/* Runs `use(context)` under the default environment, then under each strange one. At least so much must be seen: what is not cannot differ.
 */
void in_every_environment(void (*use)(const void *context), const void *context, int least_seen);

/* A program's main: the tests `floats` and `doubles`, with the context "f32" and "f64", and a folder for their files. */
int strange_main(void (*use)(const void *precision), int least_seen);

/* A folder for this process's files, and a path in it: good until the next call. */
void strange_folder_make(void);
void strange_folder_remove(void);
const char *strange_path(const char *name);

enum { STRANGE_ENVS = 37 };
/* All that can be read from so many environments. */
void saw_batch(const myr_batch *batch);
/* What can be done with a batch of a model, apart from acting: stepped, rolled out, copied, saved, recorded, its problems solved. */
void use_strange_batch(const myr_model *model, const myr_settings *settings);

#endif

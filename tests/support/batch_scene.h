/* What the tests of the batch start from: a model in which nothing is special, and batches of it. */
#ifndef MYR_TESTS_SUPPORT_BATCH_SCENE_H
#define MYR_TESTS_SUPPORT_BATCH_SCENE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "myriapod/myriapod.h"

#define MUST(call)                                                                                                                         \
    do {                                                                                                                                   \
        if ((call) != MYR_OK) fail_msg("%s: %s", #call, myr_message());                                                                    \
    } while (0)

/* The call must end with this status, and its message must hold the word (NULL: any message). */
#define MUST_FAIL(call, wanted, word) scene_must_fail((call), (wanted), (word), #call, __FILE__, __LINE__)
void scene_must_fail(myr_status got, myr_status wanted, const char *word, const char *call, const char *file, int line);

/* Two trees with joints of every kind in frames turned anyhow, a sphere on every body. */
myr_model *scene_model(void);

/* A builder called `name` that has a shipped robot in it, and the robot, the caller's. */
myr_builder *scene_robot_builder(const char *name, const char *shipped, myr_model **robot);

/* So many ANYmals. */
myr_batch *scene_walkers(const myr_settings *settings, int64_t envs);

/* key, value, key, value, ..., NULL over the default settings. */
myr_settings scene_settings(const char *key, ...);
/* The same over settings that are there already. */
void scene_set_settings(myr_settings *settings, const char *key, va_list list);

/* Gives every environment its own state and its own value of every parameter, input and warm start. */
void scene_disturb(myr_batch *batch, const myr_model *model, uint64_t seed);

/* All that can be read from the batch, in doubles, to see whether anything changed; free() it. */
double *scene_snapshot(const myr_batch *batch, size_t *count);
void scene_assert_unchanged(const myr_batch *batch, const double *snapshot, size_t count);

/* Instrumented code takes ten times as long: there one solver in four stands for the others. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { SCENE_SOLVER_STRIDE = 4 };
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
enum { SCENE_SOLVER_STRIDE = 4 };
#else
enum { SCENE_SOLVER_STRIDE = 1 };
#endif
#else
enum { SCENE_SOLVER_STRIDE = 1 };
#endif

/* Of a solver's name, or the scheme's that has its own: the scheme in maximal coordinates that takes it, and the setting `solver`. */
static inline const char *scheme_of(const char *word) { return strcmp(word, "maximal-tree") ? "maximal" : word; }
static inline const char *solver_of(const char *word) { return strcmp(word, "maximal-tree") ? word : "hybrid"; }

#endif

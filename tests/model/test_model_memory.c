/* What the room model/ owes to everyone: memory that may run out anywhere, and words for what went wrong. */
#include "support/failing_memory.h"
#include "support/model_scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/description.h"
#include "myriapod/friction.h"

static myr_status load(const char *model_file, myr_model **out) { return myr_model_load(model_file, MYR_ROOT_AUTO, out); }

/* What no file says: friction groups, of a model put into another one. */
static myr_status build(const char *model_file, myr_model **out) {
    myr_model *part = NULL;
    myr_builder *builder = NULL;
    myr_status status = load(model_file, &part);
    if (!status) status = myr_builder_create("built", &builder);
    if (!status) status = myr_builder_add_model(builder, part, NULL);
    if (!status) status = myr_builder_friction_group(builder, "all", "*");
    if (!status) status = myr_builder_compile(builder, out);
    myr_model_free(part), myr_builder_free(builder);
    return status;
}

/* Every allocation fails once: the call says so, nothing comes out, nothing stays. */
static void memory_may_run_out_anywhere_in(myr_status (*make)(const char *model_file, myr_model **out), const char *model_file) {
    ledger l = {0};
    const myr_allocator counting = {count_allocation, count_release, &l};
    myr_set_allocator(&counting);
    myr_model *model = NULL;
    myr_status status = MYR_E_MEMORY;
    int failures = 0;
    for (l.fails_at = 1; status == MYR_E_MEMORY; l.fails_at++) {
        l.calls = 0;
        status = make(model_file, &model);
        if (status == MYR_E_MEMORY) {
            if (model || l.live || !strstr(myr_message(), "memory")) {
                myr_set_allocator(NULL);
                fail_msg("allocation %d: %d left, message `%s`", l.fails_at, l.live, myr_message());
            }
            failures++;
        }
    }
    const int held = l.live;
    myr_model_free(model);
    const int left = l.live;
    myr_set_allocator(NULL);
    assert_int_equal(status, MYR_OK);
    assert_true(failures > 100);
    assert_true(held > 50);
    assert_int_equal(left, 0);
    assert_int_equal(myr_model_load("cube", MYR_ROOT_AUTO, &model), MYR_OK);
    assert_int_equal(l.live, 0); /* the hook is off */
    myr_model_free(model);
}

static void memory_may_run_out_anywhere(void **state) {
    (void)state;
    memory_may_run_out_anywhere_in(load, "anymal");
    memory_may_run_out_anywhere_in(build, "anymal");
    char path[1024];
    const char *source = getenv("MYRIAPOD_SOURCE");
    snprintf(path, sizeof path, "%s/tests/models/linkage.urdf", source ? source : ".");
    memory_may_run_out_anywhere_in(load, path);
    snprintf(path, sizeof path, "%s/tests/fuzz/mjcf/good_self.xml", source ? source : "."); /* its links touch, or are dropped */
    memory_may_run_out_anywhere_in(load, path);
    snprintf(path, sizeof path, "%s/tests/fuzz/mjcf/good_classes.xml", source ? source : "."); /* it has a keyframe */
    memory_may_run_out_anywhere_in(load, path);
}

static void words_for_every_status(void **state) {
    (void)state;
    for (int s = MYR_OK; s >= MYR_E_STATE; s--) {
        assert_true(strlen(myr_status_text((myr_status)s)) > 1);
        assert_string_not_equal(myr_status_text((myr_status)s), myr_status_text((myr_status)-99));
    }
    assert_int_equal(myr_fail(MYR_E_ARG, "first `%s`", "\x1b[31mred"), MYR_E_ARG);
    assert_string_equal(myr_message(), "first `?[31mred`"); /* no escape sequence reaches a terminal */
    assert_int_equal(myr_fail(MYR_E_FILE, "second: %s", myr_message()), MYR_E_FILE);
    assert_string_equal(myr_message(), "second: first `?[31mred`");
    char *huge = malloc(100001);
    memset(huge, 'x', 100000);
    huge[100000] = '\0';
    myr_fail(MYR_E_ARG, "%s", huge);
    assert_in_range(strlen(myr_message()), 500, 5000);
    assert_string_equal(myr_message() + strlen(myr_message()) - 3, "...");
    free(huge);
    assert_true(strchr(myr_version(), '.') != NULL);
    assert_int_equal(strncmp(myr_math_version(), "SLEEF ", 6), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_may_run_out_anywhere),
        cmocka_unit_test(words_for_every_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

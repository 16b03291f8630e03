/* The list of instruction sets: what it says is what a batch finds. */
#include "support/batch_scene.h"

#include <stdlib.h>
#include <string.h>

#include "support/isas.h"

/* `auto` is the first that runs here, and what does not run is refused. */
static void instruction_sets_are_what_they_are_said_to_be(void **state) {
    (void)state;
    int present = 0;
    myr_machine machine;
    myr_isa_info isa;
    MUST(myr_machine_get(&machine));
    for (int i = 0; myr_isa_name(i); i++) {
        const char *name = myr_isa_name(i);
        MUST(myr_isa_get(name, &isa));
        assert_string_equal(isa.name, name);
        assert_true(strlen(isa.needs) > 0 && isa.bits >= 128 && isa.built >= isa.present);
        if (isa.present) assert_string_equal(isa_at(present), name);
        if (isa.present && !present && !getenv("MYRIAPOD_ISA")) assert_string_equal(machine.isa, name);
        present += isa.present;
        myr_model *model = NULL;
        MUST(myr_model_load("cube", MYR_ROOT_AUTO, &model));
        const myr_settings settings = scene_settings("isa", name, NULL);
        myr_batch *batch = NULL;
        const myr_status status = myr_batch_create(model, 3, &settings, &batch);
        assert_int_equal(status, isa.present ? MYR_OK : MYR_E_ISA);
        if (status == MYR_OK) {
            myr_batch_info info;
            myr_batch_get_info(batch, &info);
            assert_string_equal(info.isa, name);
        } else {
            assert_non_null(strstr(myr_message(), isa.built ? isa.needs : "MYRIAPOD_UNITS"));
        }
        myr_batch_free(batch);
        myr_model_free(model);
    }
    assert_true(present >= 1 && present == isa_count() && !isa_at(present));
    assert_string_equal(isa_or_auto_at(0), "auto");
    assert_string_equal(isa_or_auto_at(1), isa_at(0));
    assert_null(myr_isa_name(-1));
    MUST_FAIL(myr_isa_get("sse9", &isa), MYR_E_ARG, "sse9");
    MUST_FAIL(myr_isa_get("auto", &isa), MYR_E_ARG, "portable");
    MUST_FAIL(myr_isa_get(NULL, &isa), MYR_E_ARG, "name is NULL");
    MUST_FAIL(myr_isa_get("portable", NULL), MYR_E_ARG, "info is NULL");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(instruction_sets_are_what_they_are_said_to_be)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Settings vary-* that would have no effect are errors that say why, and what to do. */
#include <string.h>

#include "support/batch_scene.h"

/* On a rail, without ground in reach; on a hinge; and a cart whose shapes have no friction on the ground. */
#define SLIDER                                                                                                                             \
    "<body pos=\"0 0 2\"><joint name=\"s\" type=\"slide\" axis=\"1 0 0\"/><geom size=\".1\" contype=\"0\" conaffinity=\"0\"/></body>"
#define HINGE "<body pos=\"0 0 2\"><joint name=\"s\"/><geom size=\".1\" pos=\".2 0 0\"/></body>"
#define OILED                                                                                                                              \
    "<body pos=\"0 0 2\"><joint name=\"s\" armature=\".1\" damping=\".1\" frictionloss=\".1\"/><geom size=\".1\" pos=\".2 0 0\"/></body>"
#define PLANE "<geom type=\"plane\" size=\"1 1 1\" friction=\"0\" condim=\"1\"/>"
#define SMOOTH                                                                                                                             \
    PLANE "<body pos=\"0 0 .1\"><freejoint/><geom size=\".1\" condim=\"1\"/>"                                                              \
          "<body><joint name=\"s\"/><geom size=\".1\" pos=\".3 0 0\" condim=\"1\"/></body></body>"
#define DRIVEN(bodies) "<mujoco model=\"m\"><worldbody>" bodies "</worldbody><actuator><motor joint=\"s\"/></actuator></mujoco>"

static myr_status create(const char *file, const char *task, const char *const *settings, myr_batch **batch) {
    myr_model *model = NULL;
    *batch = NULL;
    if (*file == '<')
        MUST(myr_model_open_text(file, strlen(file), "m", NULL, &model));
    else
        MUST(myr_model_open(file, NULL, &model));
    myr_settings all = scene_settings("task", task, "dt", "0.002", NULL);
    for (; *settings; settings += 2) MUST(myr_settings_set(&all, settings[0], settings[1]));
    const myr_status status = myr_batch_create(model, 1, &all, batch);
    myr_model_free(model);
    return status;
}

#define SET(...)                                                                                                                           \
    { __VA_ARGS__, NULL }

static void what_nothing_comes_of_is_refused(void **state) {
    (void)state;
    const struct {
        const char *file, *task, *settings[9], *words[4];
    } cases[] = {
        {"anymal", "trot", SET("vary-mass", "1"), SET("'vary-mass' is 1", "task 'trot'", "locomotion, hold")},
        {"anymal", "none", SET("vary-friction-high", "1.5"), SET("'vary-friction-high' is 1.5", "model 'anymal'", "locomotion, hold")},
        {"anymal", "stand", SET("vary-delay", "0.002"), SET("vary-delay", "draws no parameters")},
        {"biped", "none", SET("vary-gains", "0.1"), SET("'vary-gains' is 0.1", "a 'task' that does: hold;")},
        {"cube", "none", SET("vary-strength", "0.1"), SET("'vary-strength'", "can do this robot")},
        {"anymal", "hold", SET("ground", "off", "vary-friction-low", "0.5"), SET("vary-friction-low", "there is no ground")},
        {"anymal", "locomotion", SET("friction", "0", "vary-friction-high", "2"), SET("vary-friction-high", "set 'friction'")},
        {"anymal", "hold", SET("kp", "0", "kd", "0", "vary-gains", "0.1"), SET("vary-gains", "set 'kp' or 'kd'")},
        {"anymal", "hold", SET("kp", "0", "kd", "0", "vary-strength", "0.1"), SET("vary-strength", "set 'kp' or 'kd'")},
        {"anymal", "hold", SET("kp", "0", "vary-delay", "0.002"), SET("vary-delay", "no action acts")},
        {"anymal", "hold", SET("vary-delay", "0.0009"), SET("vary-delay", "half of a step")},
        {"anymal", "hold", SET("vary-armature-high", "1.05"), SET("vary-armature-high", "armature of every joint is 0")},
        {"anymal", "hold", SET("vary-damping-low", "0.5"), SET("vary-damping-low", "damping of every joint is 0")},
        {"anymal", "hold", SET("vary-dry-friction-high", "2"), SET("vary-dry-friction-high", "no joint has dry friction")},
        {DRIVEN(OILED), "hold", SET("joint-friction", "off", "vary-dry-friction-high", "2"), SET("vary-dry-friction-high", "is off")},
        {"anymal", "trot", SET("vary-links", "0.1"), SET("vary-links", "locomotion, hold")},
        {"anymal", "stand", SET("vary-inertia", "0.1"), SET("vary-inertia", "draws no parameters")},
        {"anymal", "none", SET("vary-encoder", "0.01"), SET("vary-encoder", "draws no parameters")},
        {DRIVEN(SLIDER), "hold", SET("vary-com", "0.01"), SET("vary-com", "never turns")},
        {DRIVEN(SLIDER), "hold", SET("vary-friction-low", "0.5"), SET("vary-friction-low", "may touch")},
        {DRIVEN(SMOOTH), "hold", SET("vary-friction-low", "0.5"), SET("vary-friction-low", "every friction coefficient is 0")},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        myr_batch *batch;
        const myr_status status = create(cases[k].file, cases[k].task, cases[k].settings, &batch);
        if (status != MYR_E_ARG)
            fail_msg("%s in %s: `%s`, %s", cases[k].settings[0], cases[k].task, myr_status_text(status), myr_message());
        assert_null(batch);
        for (int w = 0; w < 4 && cases[k].words[w]; w++)
            if (!strstr(myr_message(), cases[k].words[w])) fail_msg("`%s` lacks `%s`", myr_message(), cases[k].words[w]);
        if (!strstr(myr_message(), "leave it out")) fail_msg("`%s` says nothing to do", myr_message());
    }
}

static void what_has_an_effect_is_not(void **state) {
    (void)state;
    const struct {
        const char *file, *task, *settings[9];
    } cases[] = {
        {"anymal", "locomotion", SET("vary-mass", "1", "vary-friction-low", "0.5", "vary-delay", "0.001")},
        {"anymal", "hold", SET("vary-com", "0.01", "vary-gains", "0.1", "vary-strength", "0.1")},
        {"anymal", "hold", SET("kp", "0", "kd", "1", "vary-gains", "0.1")},
        {"anymal", "trot", SET("vary-mass", "0", "vary-friction-low", "1", "vary-friction-high", "1")},
        {DRIVEN(SLIDER), "hold", SET("vary-mass", "0.1")},
        {DRIVEN(SLIDER), "hold", SET("vary-encoder", "0.1", "vary-links", "0.1", "vary-inertia", "0.1")},
        {DRIVEN(OILED), "hold", SET("vary-armature-high", "1.05", "vary-damping-low", "0.5", "vary-dry-friction-high", "2")},
        {DRIVEN(HINGE), "hold", SET("vary-com", "0.01")},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        myr_batch *batch;
        MUST(create(cases[k].file, cases[k].task, cases[k].settings, &batch));
        myr_batch_free(batch);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_nothing_comes_of_is_refused), cmocka_unit_test(what_has_an_effect_is_not)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Texts of tasks that are refused, when they are read or when a batch is made of them: each with its label, line and what was meant. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/act_scene.h"

#define HEAD "myriapod_task 1\n"
#define OBSERVE "moment observe\ninput action\noutput o action\n"
#define JUDGE "moment judge\noutput reward.a 1\n"

typedef struct refused {
    const char *text, *message;
    myr_status status;
} refused;

static const refused texts[] = {
    {"", "task:1: a task begins with `myriapod_task 1`", MYR_E_FORMAT},
    {"myriapod_task 2\n", "task:1: a task begins with `myriapod_task 1`", MYR_E_FORMAT},
    {"myriapod_program 1\n", "task:1: a task begins with", MYR_E_FORMAT},
    {HEAD "rewrad a 1\n", "task:2: a task has no line `rewrad`; did you mean 'reward'?", MYR_E_FORMAT},
    {HEAD "reward 1\n", "task:2: `1` is not a name of a reward term", MYR_E_FORMAT},
    {HEAD "reward a\n", "task:2: its weight is missing", MYR_E_FORMAT},
    {HEAD "reward a nan\n", "task:2: its weight is `nan`, but must be a finite number", MYR_E_FORMAT},
    {HEAD "reward a 0x10\n", "task:2: its weight is `0x10`, but must be a finite number", MYR_E_FORMAT},
    {HEAD "reward a setting.push-sped\n",
     "task:2: its weight is `setting.push-sped`, but must be a finite number, setting.KEY or number.NAME of a line above; did you mean "
     "'setting.push-speed'?",
     MYR_E_FORMAT},
    {HEAD "number width 1\nreward a number.widht\n", "did you mean 'number.width'?", MYR_E_FORMAT},
    {HEAD "number width one\n", "task:2: its value is `one`, but must be a finite number", MYR_E_FORMAT},
    {HEAD "number a 1\nnumber b number.a\n", "task:3: the number `b` must be given as a number", MYR_E_FORMAT},
    {HEAD "number width 2 0 1 how wide [m]\n", "task:2: the number `width` is 2, but must lie in 0 .. 1", MYR_E_FORMAT},
    {HEAD "number width -0.1 0 inf\n", "task:2: the number `width` is -0.1, but must lie in 0 .. inf", MYR_E_FORMAT},
    {HEAD "number width 0.5 0\n", "task:2: the range of `width` is `0 `, but must be its lowest and its highest number", MYR_E_FORMAT},
    {HEAD "number width 0.5 1 0\n", "task:2: the range of `width` is `1 0`, but must be", MYR_E_FORMAT},
    {HEAD "number width 0.5 how wide\n", "task:2: the range of `width` is `how wide`, but must be", MYR_E_FORMAT},
    {HEAD "number width 0.5 inf inf\n", "task:2: the range of `width` is `inf inf`, but must be", MYR_E_FORMAT},
    {HEAD "number a 1 0 2\nnumber a 1 0 2\n", "task:3: there is a number `a` already", MYR_E_FORMAT},
    {HEAD "number soft-limit 1.5\n", "task:2: the number `soft-limit` is 1.5, but must lie in 0 .. 1, as the setting of this name",
     MYR_E_FORMAT},
    {HEAD "gains quad\n", "task:2: gains may be own, quadruped, sag or KP KD, not `quad`", MYR_E_FORMAT},
    {HEAD "reward a number.b\nnumber b 1\n",
     "task:2: its weight is `number.b`, but must be a finite number, setting.KEY or number.NAME of a line above", MYR_E_FORMAT},
    {HEAD "reward a 1\nreward a 2\n", "task:3: there is a reward term `a` already", MYR_E_FORMAT},
    {HEAD "memory a 0\n", "task:2: how many numbers a memory has must be a whole number, 1 to 1024", MYR_E_FORMAT},
    {HEAD "memory a 1.5\n", "task:2: how many numbers a memory has", MYR_E_FORMAT},
    {HEAD "memory a 600\nmemory b 600\n", "task:3: more than 1024 numbers in memories", MYR_E_LIMIT},
    {HEAD "needs wheels\n", "task:2: a task may need `quadruped` or `actuators`, not `wheels`", MYR_E_FORMAT},
    {HEAD "gain *knee* 10\n", "task:2: kd is missing", MYR_E_FORMAT},
    {HEAD "observe o group critics\n", "task:2: a group of observations is `actor` or `critic`, not `critics`", MYR_E_FORMAT},
    {HEAD "gain\n", "task:2: names of actuators, a kp and a kd are wanted", MYR_E_FORMAT},
    {HEAD "uses magic\n", "task:2: a task may use vary, pushes, patches and trial, not `magic`", MYR_E_FORMAT},
    {HEAD "actions torques\n",
     "task:2: actions: `targets`, `controls`, or how many numbers they have, which must be a whole number, 1 to 256", MYR_E_FORMAT},
    {HEAD "actions 3\n" JUDGE OBSERVE, "task: it has `actions 3`, but no moment `act`, which says what they do", MYR_E_FORMAT},
    {HEAD JUDGE OBSERVE "moment act\n", "the moment `act` wants a line `actions ROWS`: how many numbers they have", MYR_E_FORMAT},
    {HEAD "gains 5\n", "task:2: kd is missing", MYR_E_FORMAT},
    {HEAD "command 3 ever 5\n", "task:2: `every SECONDS` may follow, not `ever`", MYR_E_FORMAT},
    {HEAD "setting push-sped 1\n", "task:2: there is no setting 'push-sped'", MYR_E_FORMAT},
    {HEAD "setting push-speed -1\n", "task:2: 'push-speed'", MYR_E_FORMAT},
    {HEAD "setting task none\n", "task:2: the task is this one", MYR_E_FORMAT},
    {HEAD "setting dt\n", "task:2: a setting is a key and a value", MYR_E_FORMAT},
    {HEAD "mirror o 1\nmirror o 1\n", "task:3: there is a mirror image of `o` already", MYR_E_FORMAT},
    {HEAD "name a b\n", "task:2: `b` is more than this line takes", MYR_E_FORMAT},
    {HEAD "moment jugde\n", "task:2: there is no moment `jugde`; did you mean 'judge'?", MYR_E_FORMAT},
    {HEAD "moment judge\nmoment judge\n", "task:3: there is a moment `judge` already", MYR_E_FORMAT},
    {HEAD "observe o\n" OBSERVE, "task: it has no moment `judge`", MYR_E_FORMAT},
    {HEAD "reward a 1\n" JUDGE, "task: it has no moment `observe`", MYR_E_FORMAT},
    {HEAD "command 3\n" JUDGE OBSERVE, "task: it has a command, but no moment `command`", MYR_E_FORMAT},
};

/* Behind HEAD, `reward a 1`, `observe o`: what programs get wrong is said when the robot is known. */
static const refused programs[] = {
    {"moment judge\ninput base_dwon\noutput reward.a base_dwon\n" OBSERVE,
     "task:5: there is no input `base_dwon`; did you mean 'base_down'?", MYR_E_FORMAT},
    {"moment judge\ninput body_velocty\noutput reward.a 1\n" OBSERVE, "there is no input `body_velocty`; did you mean 'base_velocity'?",
     MYR_E_FORMAT},
    {"moment start\ninput base_lineer\noutput v base_lineer\n" JUDGE OBSERVE, "there is no input `base_lineer`", MYR_E_FORMAT},
    {"moment judge\ninput setting.push-sped\noutput reward.a 1\n" OBSERVE, "did you mean 'setting.push-speed'?", MYR_E_FORMAT},
    {"moment judge\ninput command\noutput reward.a 1\n" OBSERVE, "task:5: the input `command`: the task has no command: declare one",
     MYR_E_FORMAT},
    {"moment judge\ninput joint_pos\noutput reward.a 1\n" OBSERVE,
     "task:5: there is no input `joint_pos`: it is `actuator_length` here, or `encoder`, which is less that at home", MYR_E_FORMAT},
    {"moment judge\ninput sensor.gyro\noutput reward.a 1\n" OBSERVE, "task:5: there is no input `sensor.gyro`", MYR_E_FORMAT},
    {"moment judge\ninput body_pose\noutput reward.a 1\n" OBSERVE,
     "task:5: the input `body_pose`: this batch keeps no such field without sense-bodies 1", MYR_E_FORMAT},
    {"moment judge\ninput q 4\noutput reward.a 1\n" OBSERVE, "task:5: the input `q` has 19 rows here, not 4", MYR_E_FORMAT},
    {"moment judge\ninput q\noutput reward.a q\n" OBSERVE, "task:5: the output `reward.a` has 19 rows, but must have 1", MYR_E_FORMAT},
    {"moment judge\noutput reward.b 1\n" OBSERVE, "the moment `judge` has no output `reward.b`", MYR_E_FORMAT},
    {"moment step\noutput friction 1\nmoment judge\noutput reward.a 1\n" OBSERVE, "the moment `step` has no output `friction`",
     MYR_E_FORMAT},
    {"moment step\noutput q 1\n" JUDGE OBSERVE, "the moment `step` has no output `q`", MYR_E_FORMAT},
    {"actions 1\nmoment act\ninput action_before\noutput target action_before\nmoment judge\noutput reward.a 1\n" OBSERVE,
     "the input `action_before`: a late action does not know the one before: keep what you need in a memory", MYR_E_FORMAT},
    {"moment judge\noutput q 1\n" OBSERVE, "the moment `judge` has no output `q`", MYR_E_FORMAT},
    {"moment judge\noutput end.x 1\n" OBSERVE, "task:2: the moment `judge` has no output `reward.a`", MYR_E_FORMAT},
    {"moment observe\ninput q\noutput seen q\n" JUDGE, "the moment `observe` has no output `seen`", MYR_E_FORMAT},
    {JUDGE "moment observe\ninput action_before\noutput o action_before\n",
     "the input `action_before`: it is known within a control step alone: keep what you need in a memory", MYR_E_FORMAT},
    {JUDGE "moment observe\ninput actuator_velocity_before\noutput o actuator_velocity_before\n", "it is known within a control step alone",
     MYR_E_FORMAT},
    {"mirror o 1 2\n" JUDGE OBSERVE, "task:4: `o` has 12 numbers, and its mirror image fewer", MYR_E_FORMAT},
    {"mirror o 1 2 3 4 5 6 7 8 9 10 11 12 1\n" JUDGE OBSERVE, "task:4: `o` has 12 numbers, and its mirror image more", MYR_E_FORMAT},
    {"mirror o 13\n" JUDGE OBSERVE, "task:4: `13` is not one of the 12 numbers of `o`", MYR_E_FORMAT},
    {"mirror o 1.5\n" JUDGE OBSERVE, "task:4: `1.5` is not one of the 12 numbers", MYR_E_FORMAT},
    {"mirror o 0\n" JUDGE OBSERVE, "task:4: `0` is not one of the 12 numbers", MYR_E_FORMAT},
    {"mirror o -99999999999999999999\n" JUDGE OBSERVE, "is not one of the 12 numbers", MYR_E_FORMAT},
    {"mirror o 99999999999999999999\n" JUDGE OBSERVE, "is not one of the 12 numbers", MYR_E_FORMAT},
    {"mirror o 2 3 1 4 5 6 7 8 9 10 11 12\n" JUDGE OBSERVE, "task:4: number 1 of `o` is not as it was in a mirror twice", MYR_E_FORMAT},
    {"mirror o -2 1 3 4 5 6 7 8 9 10 11 12\n" JUDGE OBSERVE, "task:4: number 1 of `o` is not as it was in a mirror twice", MYR_E_FORMAT},
    {"mirror o 1 1 3 4 5 6 7 8 9 10 11 12\n" JUDGE OBSERVE, "task:4: number 2 of `o` is not as it was in a mirror twice", MYR_E_FORMAT},
    {"mirror o -2 -1 3 4 5 6 7 8 9 10 11 12\n" JUDGE OBSERVE, "but no line `mirror action ..`", MYR_E_FORMAT},
    {"mirror action 1 2 3 4 5 6 7 8 9 10 11 12\n" JUDGE OBSERVE, "but no line `mirror o ..`", MYR_E_FORMAT},
    {"mirror p 1\n" JUDGE OBSERVE, "task:4: the mirror image is of `p`, which is neither observed nor `action`", MYR_E_FORMAT},
    {"moment judge\ninput draws.x 3\noutput reward.a 1\n" OBSERVE, "task:5: the input `draws.x`: it is for the moments", MYR_E_FORMAT},
    {"moment judge\ninput draw.x\noutput reward.a 1\n" OBSERVE, "task:5: the input `draw.x`: say how many numbers are drawn", MYR_E_FORMAT},
    {"moment judge\ninput draw.x like plenty\noutput reward.a 1\n" OBSERVE, "task:5: there is no input `plenty`", MYR_E_FORMAT},
    {"moment start\ninput base_down\noutput v base_down\n" JUDGE OBSERVE,
     "task:5: the input `base_down`: it is not known where an episode begins", MYR_E_FORMAT},
    {"moment start\ninput q\noutput clock q\n" JUDGE OBSERVE, "the moment `start` has no output `clock`", MYR_E_FORMAT},
    {"moment judge\nx = ad 1 2\noutput reward.a x\n" OBSERVE, "task:5: there is no instruction `ad`; did you mean 'add'?", MYR_E_FORMAT},
    {"moment judge\ninput setting.solver\noutput reward.a 1\n" OBSERVE, "task:5: there is no input `setting.solver`", MYR_E_FORMAT},
    {"moment judge\ninput heights\noutput reward.a 1\n" OBSERVE, "task:5: the input `heights`: there is none here", MYR_E_FORMAT},
    {"moment judge\ninput heights optional\noutput reward.a heights\n" OBSERVE, "task:2: the moment `judge` has no output `reward.a`",
     MYR_E_FORMAT},
    {"moment judge\ninput heights optional\nx = sum heights\noutput reward.a x\n" OBSERVE,
     "task:6: the optional input `heights` is not there", MYR_E_FORMAT},
    {"moment judge\ninput base_down optional\nz = slice base_down 2 1\noutput reward.a z\n" OBSERVE, "", MYR_OK},
    {"moment judge\n# nothing\n" OBSERVE, "task: it has no output", MYR_E_FORMAT},
};

static void texts_are_refused(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        myr_task_table *table = NULL;
        MUST_FAIL(myr_task_table_read(texts[k].text, strlen(texts[k].text), NULL, &table), texts[k].status, texts[k].message);
        assert_null(table);
    }
    myr_task_table *table = NULL;
    MUST_FAIL(myr_task_table_read(HEAD "\0", sizeof HEAD, "own", &table), MYR_E_FORMAT, "own: it is not a text");
    MUST_FAIL(myr_task_table_read(NULL, 0, NULL, &table), MYR_E_ARG, "text is NULL");
    MUST_FAIL(myr_task_table_read(HEAD, (size_t)1 << 30, NULL, &table), MYR_E_LIMIT, "longer than");
    MUST_FAIL(myr_task_table_load("/nowhere/at.task", &table), MYR_E_FILE, "/nowhere/at.task");
}

static void programs_are_refused(void **state) {
    (void)state;
    myr_model *anymal = NULL;
    MUST(myr_model_load("anymal", MYR_ROOT_AUTO, &anymal));
    const myr_settings settings = scene_settings("threads", "1", NULL);
    for (size_t k = 0; k < sizeof programs / sizeof *programs; k++) {
        char text[1000];
        myr_task_table *table = NULL;
        myr_batch *batch = NULL;
        const int n = snprintf(text, sizeof text, HEAD "reward a 1\nobserve o\n%s", programs[k].text);
        MUST(myr_task_table_read(text, (size_t)n, NULL, &table));
        if (programs[k].status)
            MUST_FAIL(myr_batch_create_for(anymal, 1, &settings, table, &batch), programs[k].status, programs[k].message);
        else
            MUST(myr_batch_create_for(anymal, 1, &settings, table, &batch));
        myr_batch_free(batch);
        myr_task_table_free(table);
    }
    myr_model_free(anymal);
}

/* What a robot does not have. */
static void robots_are_refused(void **state) {
    (void)state;
    static const char quadruped[] = HEAD "name gallop\nneeds quadruped\nreward a 1\nobserve o\n" JUDGE OBSERVE;
    static const char floating[] = HEAD "reward a 1\nobserve o\nmoment judge\ninput base_down\noutput reward.a 1\n" OBSERVE;
    myr_model *pendulum = NULL;
    myr_task_table *table = NULL;
    myr_batch *batch = NULL;
    MUST(myr_model_load("double-pendulum", MYR_ROOT_AUTO, &pendulum));
    const myr_settings settings = scene_settings("threads", "1", NULL);
    MUST(myr_task_table_read(quadruped, sizeof quadruped - 1, NULL, &table));
    MUST_FAIL(myr_batch_create_for(pendulum, 1, &settings, table, &batch), MYR_E_ARG, "task 'gallop' is for quadrupeds");
    myr_task_table_free(table);
    MUST(myr_task_table_read(floating, sizeof floating - 1, NULL, &table));
    MUST_FAIL(myr_batch_create_for(pendulum, 1, &settings, table, &batch), MYR_E_FORMAT,
              "task:5: the input `base_down`: there is none here");
    myr_task_table_free(table);
    myr_model_free(pendulum);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(texts_are_refused), cmocka_unit_test(programs_are_refused),
                                       cmocka_unit_test(robots_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

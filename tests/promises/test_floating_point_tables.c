/* ctest: later
 * Tasks that are tables under strange floating-point environments of the caller (floating_point.h). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/act_scene.h"
#include "support/floating_point.h"

static const char text[] = "myriapod_task 1\n"
                           "name leap\n"
                           "memory slow 12\n"
                           "number tilt 0.7 0.1 3.2 how far it may lean [rad]\n"
                           "robot anymal\n"
                           "about it leaps\n"
                           "setting push-speed 0.25\n"
                           "reward still -0.1 squares of velocities\n"
                           "observe joints scale 0.5 noise 0.01 where they are\n"
                           "observe joints group critic where they are\n"
                           "mirror joints -4 5 6 -1 2 3 -10 11 12 -7 8 9\n"
                           "mirror action -4 5 6 -1 2 3 -10 11 12 -7 8 9\n"
                           "moment start\n"
                           "input draws.a 12\n"
                           "off = sub draws.a 0.5\n"
                           "output actuator_position off\n"
                           "moment judge\n"
                           "input actuator_velocity\n"
                           "input memory.slow\n"
                           "input base_down\n"
                           "input number.tilt\n"
                           "slower = fma memory.slow 0.9 actuator_velocity\n"
                           "output memory.slow slower\n"
                           "sum = dot slower slower\n"
                           "output reward.still sum\n"
                           "z = slice base_down 2 1\n"
                           "steep = cos number.tilt\n"
                           "low = neg steep\n"
                           "over = gt z low\n"
                           "output end.tilt over\n"
                           "moment observe\n"
                           "input actuator_length\n"
                           "waves = sin actuator_length\n"
                           "output joints waves\n"
                           "output critic.joints waves\n";

static void use_table(const void *context) {
    static double action[STRANGE_ENVS * 2 * 12], seen[STRANGE_ENVS * 2 * 12], reward[STRANGE_ENVS * 2];
    myr_task_table *table = NULL, *same = NULL;
    const char *path = strange_path("leap.task"), *name;
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fputs(text, file) < 0, 0);
    assert_int_equal(fclose(file), 0);
    myr_model *model = NULL;
    myr_batch *batch = NULL;
    myr_reward_info term;
    myr_end_info end;
    myr_memory_info memory;
    int rows, image[12];
    myr_number_info number;
    IN_MUST(myr_model_load("anymal", MYR_ROOT_AUTO, &model));
    myr_settings settings = scene_settings("threads", "2", "precision", (const char *)context, NULL);
    IN_MUST(myr_task_table_read(text, sizeof text - 1, "leap", &table));
    IN_MUST(myr_task_table_load(path, &same));
    IN(name = myr_task_table_name(same)), saw_text(name);
    IN(name = myr_task_table_text(same)), saw_text(name);
    IN(name = myr_task_table_robot(same)), saw_text(name);
    IN(name = myr_task_table_about(same)), saw_text(name);
    IN_MUST(myr_task_table_apply(table, &settings));
    IN_MUST(myr_batch_create_for(model, STRANGE_ENVS, &settings, table, &batch));
    IN(myr_task_table_free(table));
    IN(myr_task_table_free(same));
    IN_MUST(myr_batch_get_reward(batch, 0, &term)), saw_text(term.name);
    IN_MUST(myr_batch_get_end(batch, 0, &end)), saw_text(end.name);
    IN_MUST(myr_batch_get_memory(batch, 0, &memory)), saw_text(memory.name);
    IN_MUST(myr_batch_get_mirror(batch, image, NULL)), saw(strange_call, image, sizeof image);
    const char *const tuned[] = {"tilt"};
    const double tilt[] = {0.75};
    IN_MUST(myr_batch_set_numbers(batch, 1, tuned, tilt));
    IN_MUST(myr_batch_get_number(batch, 0, &number)), saw_text(number.name), saw(strange_call, &number.value, sizeof number.value);
    IN_MUST(myr_batch_input_rows(batch, "judge", "q", &rows)), saw(strange_call, &rows, sizeof rows);
    IN(rows = myr_batch_critic_observations(batch)), saw(strange_call, &rows, sizeof rows);
    IN_MUST(myr_batch_observe_critic(batch, MYR_F64, seen)), saw(strange_call, seen, sizeof seen / 2);
    IN(name = myr_batch_fault_name(batch, MYR_QUARANTINE_OUTPUT)), saw_text(name);
    IN(name = myr_task_input_name(0)), saw_text(name);
    IN(name = myr_task_input_doc(0)), saw_text(name);
    for (int i = 0; i < STRANGE_ENVS * 2 * 12; i++) action[i] = 0.07 * (i % 13) - 0.4;
    const myr_act act = {.steps = 2, .type = MYR_F64, .action = action, .observation = seen, .reward = reward};
    for (int k = 0; k < 12; k++) IN_MUST(myr_batch_act(batch, &act));
    saw(strange_call, seen, sizeof seen), saw(strange_call, reward, sizeof reward);
    saw_batch(batch);
    IN(myr_batch_free(batch));
    myr_model_free(model);
}

int main(void) { return strange_main(use_table, 23); }

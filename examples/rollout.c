/* Sampling-based control in one file: from the state of robot 0, try 255 random target sequences on copies of it, with friction and
 * mass that differ from copy to copy, and say which keeps the base highest.
 *
 * Shows: sensing, parameters per environment, copying, a rollout from an array of controls, who was quarantined. */
#include <myriapod/myriapod.h>
#include <stdio.h>
#include <stdlib.h>

enum { ENVS = 256, STEPS = 50, NU = 12, NQ = 19, NV = 18 };
static float control[ENVS][STEPS][NU], state[ENVS][STEPS][NQ + NV];

static void must(myr_status status) {
    if (status == MYR_OK) return;
    fprintf(stderr, "%s\n", myr_message());
    exit(1);
}

int main(void) {
    myr_settings settings = myr_settings_default();
    must(myr_settings_set(&settings, "task", "stand")); /* PD gains and a home pose of the robot */
    must(myr_settings_set(&settings, "dt", "0.002"));
    must(myr_settings_set(&settings, "decimation", "10")); /* a control step of 20 ms */
    myr_model *robot = NULL;
    myr_batch *batch = NULL;
    must(myr_model_load("anymal", MYR_ROOT_AUTO, &robot));
    settings.sense_contacts = 1;
    must(myr_batch_create(robot, ENVS, &settings, &batch));
    must(myr_batch_step(batch, 50));

    /* everybody becomes robot 0 ... */
    int64_t from[ENVS - 1] = {0}, to[ENVS - 1];
    for (int i = 0; i < ENVS - 1; i++) to[i] = i + 1;
    must(myr_batch_copy(batch, from, to, ENVS - 1));

    /* ... but for what we are not sure of: friction 0.7 to 1.3 of the model's, a load of up to 5 kg on the base */
    myr_model_info info;
    myr_model_get_info(robot, &info);
    double friction[ENVS], *mass = malloc(sizeof *mass * ENVS * (size_t)info.n_bodies);
    if (!mass) return 1;
    must(myr_batch_get(batch, MYR_MASS, NULL, ENVS, MYR_F64, mass));
    for (int i = 0; i < ENVS; i++) {
        friction[i] = i ? 0.7 + 0.6 * rand() / RAND_MAX : 1;
        mass[i * info.n_bodies] += i ? 5.0 * rand() / RAND_MAX : 0;
    }
    must(myr_batch_set(batch, MYR_FRICTION, NULL, ENVS, MYR_F64, friction));
    must(myr_batch_set(batch, MYR_MASS, NULL, ENVS, MYR_F64, mass));

    /* joint targets around where they are, one second ahead */
    float target[ENVS][NU];
    must(myr_batch_get(batch, MYR_TARGET, NULL, ENVS, MYR_F32, target));
    for (int i = 0; i < ENVS; i++)
        for (int k = 0; k < STEPS; k++)
            for (int j = 0; j < NU; j++) control[i][k][j] = target[i][j] + (i ? 0.2F * ((float)rand() / (float)RAND_MAX - 0.5F) : 0);
    const myr_rollout rollout = {.steps = STEPS, .control_field = MYR_TARGET, .type = MYR_F32, .control = control, .state = state};
    must(myr_batch_rollout(batch, &rollout));

    int best = 0, lost = 0;
    double quarantined[ENVS];
    must(myr_batch_get(batch, MYR_QUARANTINED, NULL, ENVS, MYR_F64, quarantined));
    for (int i = 0; i < ENVS; i++) {
        if (quarantined[i] != MYR_HEALTHY)
            lost++; /* its rows repeat its last good state */
        else if (state[i][STEPS - 1][2] > state[best][STEPS - 1][2])
            best = i;
    }
    printf("robot %d ends highest: %.3f m, the undisturbed one %.3f m; %d of %d quarantined\n", best, (double)state[best][STEPS - 1][2],
           (double)state[0][STEPS - 1][2], lost, ENVS);
    free(mass);
    myr_batch_free(batch);
    myr_model_free(robot);
}

/* A thousand ANYmals standing for one second. */
#include <myriapod/myriapod.h>
#include <stdio.h>

int main(void) {
    enum { ENVS = 1024, NQ = 19 };
    static double q[ENVS][NQ];
    myr_settings settings = myr_settings_default();
    myr_model *robot = NULL;
    myr_batch *batch = NULL;
    if (myr_model_load("anymal", MYR_ROOT_AUTO, &robot) || myr_batch_create(robot, ENVS, &settings, 0, &batch) ||
        myr_batch_step(batch, 1000) || myr_batch_get(batch, MYR_Q, NULL, ENVS, MYR_F64, q)) {
        fprintf(stderr, "%s\n", myr_message());
        return 1;
    }
    myr_stats stats;
    myr_batch_stats(batch, &stats);
    printf("robot 0 stands %.3f m high; %.1f contacts per robot, worst residual %.1e\n", q[0][2], stats.contacts_mean, stats.residual_max);
    printf("%.2e robot-steps/s on %d threads\n", (double)stats.robot_steps / stats.wall_s, stats.threads);
    myr_batch_free(batch);
    myr_model_free(robot);
}

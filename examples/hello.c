/* A thousand ANYmals standing for one second. */
#include <myriapod/myriapod.h>
#include <stdio.h>

int main(void) {
    static double q[1024][19]; /* of each robot: position, quaternion, 12 joint angles */
    myr_settings settings = myr_settings_default();
    myr_model *robot = NULL;
    myr_batch *batch = NULL;
    if (myr_model_load("anymal", MYR_ROOT_AUTO, &robot) || myr_batch_create(robot, 1024, &settings, &batch) ||
        myr_batch_step(batch, 1000) || myr_batch_get(batch, MYR_Q, NULL, 1024, MYR_F64, q))
        return fprintf(stderr, "%s\n", myr_message()), 1;
    printf("robot 0 stands %.3f m high\n", q[0][2]);
    myr_batch_free(batch);
    myr_model_free(robot);
}

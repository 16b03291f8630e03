/* The numbers of the tasks, chosen once: docs/tasks.md is this table in words. Hwangbo 2018 section V, and standing. Angles in rad,
 * lengths in m, times in s. Gains and home angles belong to the robot (model/quadruped.c). */
#ifndef MYR_TASKS_HWANGBO_H
#define MYR_TASKS_HWANGBO_H

#define MYR_TROT_PERIOD_S 0.25   /* of a full gait cycle; diagonal pairs half a cycle apart */
#define MYR_TROT_HIP 0.55        /* amplitude of the hip flexion about home */
#define MYR_TROT_KNEE 1.4        /* how far the knee folds in the middle of the swing */
#define MYR_THROW_HEIGHT_M 1.0   /* hang, drop: height of the lowest foot at the start */
#define MYR_RANDOM_HEIGHT_M 0.1  /* random: the same */
#define MYR_DROP_SPEED 1.0       /* drop: horizontal speed at the start [m/s], along the robot's heading */
#define MYR_JITTER 0.1           /* hang, drop, random: joint angles start within +- this of home */
#define MYR_RANDOM_DEVIATION 1.0 /* random: standard deviation of the references about home */
#define MYR_RANDOM_HOLD_S 0.2    /* random: a reference is held this long */
#define MYR_RANDOM_EPISODE_S 5.0 /* random: reset after */
#define MYR_REST_SPEED 0.02      /* drop: no entry of v larger than this ... */
#define MYR_REST_S 0.25          /* ... for this long means: no significant motion, reset */

#endif

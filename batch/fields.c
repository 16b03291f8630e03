#include "batch/fields.h"

#define ROWS(name_) .name = #name_, .place = MYR_PLACE_ROWS, .rows = MYR_ROWS_##name_
#define SENSED(name_, what) ROWS(name_), .read_only = 1, .sense = offsetof(myr_settings, sense_##what), .sense_name = "sense-" #what " 1"
#define TASK(name_) ROWS(name_), .of_task = 1, .sense_name = "a task that has it, such as locomotion"
#define INERTIAL(name_, each_) .name = #name_, .place = MYR_PLACE_INERTIAL, .rows = MYR_ROWS_inertial, .each = each_
#define META(name_, whole_) .name = #name_, .place = MYR_PLACE_META, .read_only = 1, .whole = whole_

static const myr_field_map fields[MYR_FIELD_COUNT] = {
    [MYR_Q] = {ROWS(q)},
    [MYR_V] = {ROWS(v)},
    [MYR_IMPULSE] = {ROWS(impulse)},
    [MYR_ROW_IMPULSE] = {ROWS(row_impulse)},
    [MYR_LOOP_IMPULSE] = {ROWS(loop_impulse), .read_only = 1},
    [MYR_LOWER] = {ROWS(lower)},
    [MYR_UPPER] = {ROWS(upper)},
    [MYR_DRY_FRICTION] = {ROWS(dry_friction)},
    [MYR_TARGET] = {ROWS(target)},
    [MYR_TORQUE] = {ROWS(torque)},
    [MYR_KP] = {ROWS(kp)},
    [MYR_KD] = {ROWS(kd)},
    [MYR_STRENGTH] = {ROWS(strength)},
    [MYR_ENCODER_BIAS] = {ROWS(encoder_bias)},
    [MYR_ACTIVATION] = {ROWS(activation), .of_task = 1, .sense_name = "a model with a motor that is late, lags or is a net"},
    [MYR_CONTROL] = {.name = "control", .place = MYR_PLACE_CONTROL, .rows = MYR_ROWS_target},
    [MYR_GROUND_AT] =
        {.name = "ground_at", .place = MYR_PLACE_GROUND, .rows = MYR_ROWS_ground_at, .of_task = 1, .sense_name = "a model on a map"},
    [MYR_WORLD_AT] = {ROWS(world_at), .of_task = 1, .sense_name = "a model with geoms fixed to the world"},
    [MYR_PATCH] = {.name = "patch",
                   .place = MYR_PLACE_PATCH,
                   .rows = MYR_ROWS_patch,
                   .whole = 1,
                   .of_task = 1,
                   .sense_name = "a model on a generated map"},
    [MYR_SENSORS] = {ROWS(sensors), .read_only = 1, .of_task = 1, .sense_name = "a model with sensors"},
    [MYR_DAMPING] = {ROWS(damping)},
    [MYR_ARMATURE] = {ROWS(armature)},
    [MYR_FRICTION] = {ROWS(friction)},
    [MYR_GROUP_FRICTION] = {ROWS(group_friction), .of_task = 1, .sense_name = "a model with friction groups"},
    [MYR_GRAVITY] = {ROWS(gravity)},
    [MYR_MASS] = {INERTIAL(mass, 1)},
    [MYR_COM] = {INERTIAL(com, 3)},
    [MYR_INERTIA] = {INERTIAL(inertia, 6)},
    [MYR_WRENCH] = {ROWS(wrench)},
    [MYR_ACCELERATION] = {SENSED(acceleration, acceleration)},
    [MYR_BODY_POSE] = {SENSED(body_pose, bodies)},
    [MYR_BODY_VELOCITY] = {SENSED(body_velocity, bodies)},
    [MYR_CONTACT_POINT] = {SENSED(contact_point, contacts)},
    [MYR_CONTACT_NORMAL] = {SENSED(contact_normal, contacts)},
    [MYR_CONTACT_DEPTH] = {SENSED(contact_depth, contacts)},
    [MYR_ITERATIONS] = {META(iterations, 1)},
    [MYR_RESIDUAL] = {META(residual, 0)},
    [MYR_RESIDUAL_NCP] = {META(residual_ncp, 0)},
    [MYR_SOLVE_STATUS] = {META(solve_status, 1)},
    [MYR_CLOCK] = {ROWS(clock)},
    [MYR_COMMAND] = {TASK(command)},
    [MYR_ACTION] = {TASK(action)},
    [MYR_DELAY] = {TASK(delay)},
    [MYR_TIME] = {META(time, 0)},
    [MYR_EPISODE] = {META(episode, 1)},
    [MYR_QUARANTINED] = {META(quarantined, 1)},
    [MYR_MEMORY] = {ROWS(memory), .of_task = 1, .sense_name = "a task with memories"},
    [MYR_HISTORY] = {ROWS(history), .of_task = 1, .sense_name = "a task with histories"},
};

const myr_field_map *myr_field_map_get(myr_field field) {
    return (int)field >= 0 && (int)field < MYR_FIELD_COUNT && fields[field].name ? &fields[field] : NULL;
}

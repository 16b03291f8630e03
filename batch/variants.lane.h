/* The variants of the stages, and which of them a robot takes: legs, any tree, and mixed ones. */
#ifndef MYR_BATCH_VARIANTS_LANE_H
#define MYR_BATCH_VARIANTS_LANE_H

#include "constraints/apply.lane.h"
#include "constraints/assemble.lane.h"
#include "constraints/legs_rows.lane.h"
#include "maximal/pull.lane.h"

static const variant legs_variant = {
    .kinematics = kinematics_legs,
    .dynamics = dynamics_legs,
    .spin_damping = spin_damping_legs,
    .free_velocity = free_velocity_legs,
    .solve_l = solve_l_legs,
    .assemble = assemble_legs,
    .joint_row = joint_row_legs,
    .push = push_legs,
    .pull = pull_legs,
};

static const variant tree_variant = {
    .kinematics = kinematics_tree,
    .dynamics = dynamics_tree,
    .spin_damping = spin_damping_tree,
    .free_velocity = free_velocity_tree,
    .solve_l = solve_l_tree,
    .assemble = assemble_tree,
    .joint_row = joint_row_tree,
    .push = push_tree,
    .pull = pull_tree,
};

static const variant mixed_variant = {
    .kinematics = kinematics_tree,
    .dynamics = dynamics_tree,
    .spin_damping = spin_damping_tree,
    .free_velocity = free_velocity_tree,
    .solve_l = solve_l_tree,
    .assemble = assemble_mixed,
    .joint_row = joint_row_mixed,
    .push = push_mixed,
    .pull = pull_mixed,
};

static void build_robot(void *memory, const myr_model *model, const myr_layout *layout, const uint8_t *geom_mask, int most_contacts) {
    robot *r = memory;
    robot_build(r, model, layout, geom_mask, most_contacts);
    r->variant = r->mixed ? &mixed_variant : r->n_legs ? &legs_variant : &tree_variant;
}

#endif

"""Words of other engines and front ends for what a batch has, and how it is called here: what a message says to who comes from there."""
from __future__ import annotations

_IMPULSE = "batch.impulse, (envs, slots, 3) in N s: over dt it is a force. model.slots says which geom a slot is of; of one body: with_sensors(kind=\"contact_force\")"
_JOINTS = "of batch.q, which begins with the position and quaternion of a free root; model.joints says where each joint is"

#: By the word of theirs.
_WORDS = {
    "qpos": "MuJoCo's qpos is 'q' here", "qvel": "MuJoCo's qvel is 'v' here", "ctrl": "MuJoCo's ctrl is 'control' here",
    "qacc": "MuJoCo's qacc is 'acceleration' here", "xpos": "MuJoCo's xpos is 'body_pose' here", "xquat": "MuJoCo's xquat is 'body_pose' here",
    "contact": _IMPULSE, "contacts": _IMPULSE, "contact_force": _IMPULSE, "contact_forces": _IMPULSE, "net_contact_forces": _IMPULSE, "net_forces_w": _IMPULSE,
    "joint_pos": _JOINTS, "dof_pos": _JOINTS, "joint_vel": _JOINTS.replace(".q, which begins with the position and quaternion", ".v, which begins with the velocities"),
    "root_state": "batch.q and batch.v begin with the root's", "root_states": "batch.q and batch.v begin with the root's",
    "num_envs": "it is batch.envs", "reset_idx": "it is batch.reset([0, 3])", "render": "it is batch.picture(\"now.png\")",
    "joint_pos_target": "it is batch.target", "set_joint_position_target": "batch.target = positions",
}


def told(name: str) -> str | None:
    """How something is called here; None: no word of others."""
    return _WORDS.get(name)

"""Plan the motion that ships for a G1, robots/clips/g1-exercise.csv: squat, arms up, each knee up, turn of the trunk, bow.

    python scripts/plan_clip.py robots/clips/g1-exercise.csv        (needs mujoco)

Between key poses places of feet and pelvis, angles of trunk and arms move with a minimum of jerk. In each frame the legs' angles and the pelvis' x, y are those
for which the feet are where they should be, and the centre of mass is above the point that bears: between the feet, or above the inner side of one sole. So it
is slow enough to be followed, and has times on one leg. The file is that of Unitree's retargeted motions: rows of base x y z [m], quaternion x y z w, angles [rad] in the order of the
robot's joints, 30 a second."""
import argparse
import pathlib

import mujoco
import numpy as np

FPS = 30
ROBOT = pathlib.Path(__file__).parent.parent / "robots" / "g1.xml"

#: What is kept from one key pose to the next unless it is said anew. height [m] of the pelvis, bears: 0 left foot, 1 right foot, 0.5 both; lift [m] and
#: ahead [m] of each foot; yaw and bow (pitch) of the waist; lean (pitch) of the pelvis; of both arms pitch, out, elbow [rad].
BEGIN = {"height": 0.76, "bears": 0.5, "left_lift": 0.0, "right_lift": 0.0, "left_ahead": 0.0, "right_ahead": 0.0, "yaw": 0.0, "bow": 0.0, "lean": 0.0,
         "left_pitch": 0.2, "right_pitch": 0.2, "left_out": 0.2, "right_out": 0.2, "left_elbow": 1.0, "right_elbow": 1.0}
KEYS = [
    (0.5, {}),
    (1.8, {"height": 0.60, "lean": 0.25, "left_pitch": -1.4, "right_pitch": -1.4, "left_elbow": 1.4, "right_elbow": 1.4}),  # squat, arms ahead
    (2.1, {}),
    (3.2, {"height": 0.76, "lean": 0.0, "left_pitch": 0.0, "right_pitch": 0.0, "left_out": 1.4, "right_out": 1.4}),  # up, arms out
    (4.2, {"bears": 0.15, "left_out": 0.9, "right_out": 0.9}),  # onto the left foot
    (5.0, {"right_lift": 0.18, "right_ahead": 0.12, "left_pitch": -0.8, "left_out": 0.3}),  # right knee up, left arm ahead
    (5.3, {}),
    (6.1, {"right_lift": 0.0, "right_ahead": 0.0, "left_pitch": 0.0, "left_out": 0.9}),
    (7.6, {"bears": 0.85}),  # onto the right foot
    (8.4, {"left_lift": 0.18, "left_ahead": 0.12, "right_pitch": -0.8, "right_out": 0.3}),  # left knee up, right arm ahead
    (8.7, {}),
    (9.5, {"left_lift": 0.0, "left_ahead": 0.0, "right_pitch": 0.0, "right_out": 0.9}),
    (10.5, {"bears": 0.5, "left_out": 0.3, "right_out": 0.3, "left_pitch": -0.6, "right_pitch": -0.6}),
    (11.2, {"yaw": 0.6}),  # turns of the trunk
    (12.4, {"yaw": -0.6}),
    (13.1, {"yaw": 0.0}),
    (14.1, {"bow": 0.45, "lean": 0.35, "height": 0.73, "left_pitch": 0.2, "right_pitch": 0.2, "left_out": 0.2, "right_out": 0.2}),
    (14.4, {}),
    (15.4, dict(BEGIN)),
    (16.0, {}),
]


def wanted(t):
    """Of a time [s] all of BEGIN, between the key poses about it."""
    before, at = dict(BEGIN), 0.0
    for until, change in KEYS:
        after = {**before, **change}
        if t < until:
            x = (t - at) / (until - at)
            x = x**3 * (10 - 15 * x + 6 * x * x)
            return {name: (1 - x) * before[name] + x * after[name] for name in before}
        before, at = after, until
    return before


def turn_of(model, data, site):
    """The quaternion of a site."""
    quat = np.zeros(4)
    mujoco.mju_mat2Quat(quat, data.site_xmat[site])
    return quat


def plan():
    model = mujoco.MjModel.from_xml_path(str(ROBOT))
    data = mujoco.MjData(model)
    names = [model.joint(j).name for j in range(1, model.njnt)]
    at = {name: model.joint(name).qposadr[0] for name in names}
    legs = [at[name] for name in names if any(part in name for part in ("hip", "knee", "ankle"))]
    mujoco.mj_resetDataKeyframe(model, data, 0)
    mujoco.mj_forward(model, data)
    sites = [model.site(f"{side}_foot").id for side in ("left", "right")]
    home = [data.site_xpos[k].copy() for k in sites]  # the feet stand where they do at home, their soles on the ground
    facing = [turn_of(model, data, k) for k in sites]
    q = data.qpos.copy()
    low, high = model.jnt_range[1:, 0], model.jnt_range[1:, 1]
    frames = []
    for k in range(round(KEYS[-1][0] * FPS) + 1):
        w = wanted(k / FPS)
        feet = [home[side] + [w[f"{name}_ahead"], 0.0, w[f"{name}_lift"]] for side, name in enumerate(("left", "right"))]
        bears = (1 - w["bears"]) * home[0] + w["bears"] * home[1]
        q[2], q[3:7] = w["height"], [np.cos(w["lean"] / 2), 0.0, np.sin(w["lean"] / 2), 0.0]
        q[at["waist_yaw_joint"]], q[at["waist_pitch_joint"]] = w["yaw"], w["bow"]
        for side, sign in (("left", 1.0), ("right", -1.0)):
            q[at[f"{side}_shoulder_pitch_joint"]], q[at[f"{side}_shoulder_roll_joint"]] = w[f"{side}_pitch"], sign * w[f"{side}_out"]
            q[at[f"{side}_elbow_joint"]] = w[f"{side}_elbow"]

        def off(x):
            """How far feet and centre of mass are from where they should be."""
            q[:2], q[legs] = x[:2], x[2:]
            data.qpos[:] = q
            mujoco.mj_kinematics(model, data)
            mujoco.mj_comPos(model, data)
            turned = [np.zeros(3), np.zeros(3)]
            for side in (0, 1):
                mujoco.mju_subQuat(turned[side], turn_of(model, data, sites[side]), facing[side])
            return np.concatenate([*(data.site_xpos[sites[side]] - feet[side] for side in (0, 1)), *turned, data.subtree_com[1][:2] - bears[:2]])

        x = np.concatenate([q[:2], q[legs]])
        for _ in range(30):  # Newton's method, as many equations as unknowns
            here = off(x)
            if np.abs(here).max() < 1e-10:
                break
            slope = np.stack([(off(x + step) - here) / 1e-7 for step in 1e-7 * np.eye(len(x))], axis=1)
            x = x - np.linalg.solve(slope, here)
        if not np.abs(off(x)).max() < 1e-8:
            raise SystemExit(f"frame {k}: no pose of the legs: {w}")
        beyond = np.maximum(low - q[7:], q[7:] - high)
        if beyond.max() > 0:
            raise SystemExit(f"frame {k}: {names[int(beyond.argmax())]} is {beyond.max():.3f} rad beyond its range")
        frames.append(np.concatenate([q[:3], q[[4, 5, 6, 3]], q[7:]]))
    return np.array(frames)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file")
    args = parser.parse_args()
    frames = plan()
    np.savetxt(args.file, frames, fmt="%.6g", delimiter=",")
    print(f"{args.file}: {len(frames)} frames, {len(frames) / FPS:.1f} s; fastest joint {np.abs(np.diff(frames[:, 7:], axis=0)).max() * FPS:.2f} rad/s")


if __name__ == "__main__":
    main()

"""`g1-tracking`: a Unitree G1 follows a clip, as BeyondMimic has it (Liao et al. 2025; MIT): rewards, ends, observations, starts along the clip, more often
where it fails. A robot of your own, or a clip of your own: `follower`.

What differs: actions are added to the clip's angles, not to home's. Gains are `g1-flat`'s. Terms for contacts of other shapes than the feet are left out, as
these alone touch. A fall has a cost. Frames are read between those of the clip. An episode ends where the clip does, and is scored from its first frame on."""
from __future__ import annotations

import functools
from typing import Any

import numpy as np

from ..._library import ArgumentError
from ...clip import Clip, body_numbers
from ...learn.curriculum import Progress
from ...lookups import lerp, slerp
from ...terms import legged_gym
from ...terms import tracking as terms
from ..term_task import TermTask
from .humanoids import G1_FEET, G1_GAINS, VARIED, joint_limit

#: The bodies whose places, turns and speeds are followed, and of these those at the ends of arms and legs.
_SIDES = ("hip_roll", "knee", "ankle_roll", "shoulder_roll", "elbow", "wrist_yaw")
G1_BODIES = ("pelvis", "torso_link", *(f"{side}_{part}_link" for part in _SIDES for side in ("left", "right")))
G1_ENDS = tuple(name for name in G1_BODIES if "ankle" in name or "wrist" in name)
#: How many parts the clip is cut into, to begin more often in those that fail; this part of the starts is spread evenly; how fast a count forgets; and
#: after so many iterations they are counted anew, as a clip is a large constant of programs that are made anew then.
BINS, EVENLY, FORGETS, SELDOM = 16, 0.3, 0.1, 8


def follower(name: str, about: str, robot: str, clip: Clip, *, bodies: tuple[str, ...], ends: tuple[str, ...], anchor: str, feet: tuple[str, ...],
             gains: dict[str, tuple[float, float]], acts: int, learner: dict[str, Any] | None = None, training: dict[str, Any] | None = None) -> TermTask:
    """The task of following a clip; for a clip of your own `follower(.., clip=Clip.read("dance.csv"))`.

    bodies: whose places, turns and speeds are followed; `ends` among them those whose heights may not be off, `anchor` the one that says where the robot is. feet:
    names of the only shapes that touch. gains: (kp, kd) by names of actuators. acts: how many actuators there are, each of one joint. learner, training: options
    over those that followers have. ArgumentError: an end or the anchor is not among the bodies; where it is recorded, the robot has other joints or actuators."""
    task = TermTask(name, robot=robot, about=about, feet=feet, needs=("actuators",), uses=("vary", "pushes"), gains=gains, actions=acts,
                    settings={"solver": "hybrid", "dt": 0.005, "decimation": 4, "sense_bodies": 1, "episode": clip.seconds + 1.0, "push_speed": 0.5, **VARIED},
                    training={"push_interval": 3.0, "tolerance": 1e-3, **(training or {})},
                    learner={"num_envs": 512, "desired_kl": 0.05, "hidden": (64, 32), "deviation": 0.3, "average": 0.9, "entropy_coef": 0.0005, **(learner or {})})
    task.number("spread", 0.0, 0.0, 1.0, "1: episodes begin along the clip, as in training; 0: at its first frame")
    for k in range(BINS):
        task.number(f"bin-{k}", 1.0 / BINS, 0.0, 1.0, "of the starts, which begin in this part of the clip")
        task.number(f"fails-{k}", 0.0, 0.0, 1e6, "falls there, of late")
    task.stage(0, spread=1.0)
    lost = [name for name in (anchor, *ends) if name not in bodies]
    if lost:
        raise ArgumentError(f"{name}: the anchor and the ends are among the bodies, and {lost[0]!r} is not")
    at, of_ends = bodies.index(anchor), [bodies.index(name) for name in ends]
    joints = clip.q.shape[1] - 7
    last, n, sizes = len(clip.q) - 1.0, len(bodies), (acts, acts, 3 * len(bodies), 4 * len(bodies), 3 * len(bodies), 3 * len(bodies))
    columns = [slice(int(sum(sizes[:k])), int(sum(sizes[:k + 1]))) for k in range(len(sizes))]

    @functools.lru_cache(maxsize=4)
    def table(model: Any) -> np.ndarray:
        """What is followed, frame by frame: angles and rates of the actuators' joints, then places, turns, speeds and spins of the bodies."""
        of, driven = clip.bodies(model, bodies), {joint.u: joint for joint in model.joints if joint.u >= 0}
        if acts != model.nu or sorted(driven) != list(range(acts)):
            raise ArgumentError(f"{name}: the robot {model.name!r} has {model.nu} actuators, of them {len(driven)} of a joint each; wanted are {acts}")
        moves = np.array([driven[k].q for k in range(acts)])  # a robot's actuators may have another order than its joints
        return np.round(np.concatenate([clip.q[:, moves], clip.v[:, moves - 1], of.places, of.turns, of.speeds, of.spins], axis=1), 7)

    def pick(of: list[int], rows: int) -> list[int]:
        return [rows * k + j for k in of for j in range(rows)]

    def ahead(s: Any) -> Any:
        """by so many frames the clip goes on in a control step"""
        return clip.fps * s.control_dt

    def wanted(s: Any) -> tuple[Any, Any, Any, Any]:
        """places, turns, speeds, spins at the end of the control step that is judged; where it is observed, of the next one"""
        places, turns, speeds, spins = (s.memory.clip[..., part] for part in columns[2:])
        return places, turns, speeds, spins

    def found(s: Any) -> tuple[Any, Any, Any, Any]:
        of = body_numbers(s.model, bodies)
        pose, rate = s.body_pose, s.body_velocity
        return (pose[..., [7 * k + j for k in of for j in range(3)]], pose[..., [7 * k + 3 + j for k in of for j in range(4)]],
                rate[..., [6 * k + j for k in of for j in range(3)]], rate[..., [6 * k + 3 + j for k in of for j in range(3)]])

    def anchors(s: Any) -> tuple[Any, Any, Any, Any]:
        """place and turn of the clip's, then of the robot's"""
        (x, turns, _, _), (mine, my_turns, _, _) = wanted(s), found(s)
        return x[..., pick([at], 3)], turns[..., pick([at], 4)], mine[..., pick([at], 3)], my_turns[..., pick([at], 4)]

    def beside(s: Any) -> tuple[Any, Any]:
        """the clip's places and turns where the robot stands and heads"""
        (x, turns, _, _), (a, a_turn, b, b_turn) = wanted(s), anchors(s)
        return terms.body_pos_relative_w(x, b, b_turn, a, a_turn), terms.body_quat_relative_w(turns, b_turn, a_turn)

    @task.start
    def start(s: Any) -> Any:
        """in a part of the clip that is drawn by how often it failed, anywhere in it; angles within 0.1 rad of the clip's, velocities within 0.2"""
        weights = [s.number[f"bin-{k}"] for k in range(BINS)]
        drawn = s.draw("part") * sum(weights)
        part = sum(np.where(drawn > sum(weights[:k]), 1.0, 0.0) for k in range(1, BINS))
        frame = s.number.spread * (part + s.draw("within")) * (last / BINS)
        q, v = lerp(np.concatenate([clip.q[:, :3], clip.q[:, 7:]], axis=1), frame), lerp(clip.v, frame)
        turn = slerp(clip.q[:, 3:7], frame)
        off = 0.1 * s.number.spread * (2.0 * s.draw("angles", joints) - 1.0)
        rate = 0.2 * s.number.spread * (2.0 * s.draw("velocity", 6 + joints) - 1.0)
        return {"q": np.concatenate([q[..., :3], turn, q[..., 3:] + off], axis=-1), "v": v + rate, "memory.frame": frame,
                "memory.clip": lerp(table(s.model), frame + ahead(s))}

    @task.act
    def targets(s: Any) -> Any:
        """the clip's angles and 0.25 of effort over stiffness"""
        return {"target": s.memory.clip[..., :acts] + 0.25 * s.effort / s.stiffness * s.action, "memory.asked": s.action, "memory.before": s.memory.asked}

    task.memory(acts, name="asked")(lambda s: s.memory.asked)
    task.memory(acts, name="before")(lambda s: s.memory.before)
    task.memory(1, name="frame")(lambda s: s.memory.frame + ahead(s))
    task.memory(sum(sizes), name="clip")(lambda s: lerp(table(s.model), s.memory.frame + 2.0 * ahead(s)))

    @task.reward(0.5, name="anchor-place")
    def anchor_place(s: Any) -> Any:
        """exp(-|x - wanted|^2 / (0.3 m)^2) of the anchor"""
        a, _, b, _ = anchors(s)
        return terms.motion_global_anchor_position_error_exp(b, a)

    @task.reward(0.5, name="anchor-turn")
    def anchor_turn(s: Any) -> Any:
        """exp(-angle^2 / (0.4 rad)^2) of the anchor"""
        _, a_turn, _, b_turn = anchors(s)
        return terms.motion_global_anchor_orientation_error_exp(b_turn, a_turn)

    @task.reward(1.0, name="places")
    def places(s: Any) -> Any:
        """exp(-mean over the bodies of |x - wanted|^2 / (0.3 m)^2), beside the anchor"""
        return terms.motion_relative_body_position_error_exp(found(s)[0], beside(s)[0])

    @task.reward(1.0, name="turns")
    def turns(s: Any) -> Any:
        """exp(-mean over the bodies of angle^2 / (0.4 rad)^2), beside the anchor"""
        return terms.motion_relative_body_orientation_error_exp(found(s)[1], beside(s)[1])

    @task.reward(1.0, name="speeds")
    def speeds(s: Any) -> Any:
        """exp(-mean over the bodies of |v - wanted|^2 / (1 m/s)^2)"""
        return terms.motion_global_body_linear_velocity_error_exp(found(s)[2], wanted(s)[2])

    @task.reward(1.0, name="spins")
    def spins(s: Any) -> Any:
        """exp(-mean over the bodies of |w - wanted|^2 / (3.14 rad/s)^2)"""
        return terms.motion_global_body_angular_velocity_error_exp(found(s)[3], wanted(s)[3])

    @task.reward(-0.05, name="action-rate")  # BeyondMimic -0.1, of actions in another unit
    def action_rate(s: Any) -> Any:
        """squares of the change of the action"""
        return legged_gym.action_rate(s.memory.asked, s.memory.before)

    task.reward(-10.0, name="joint-limit")(joint_limit)
    task.termination(-100.0)

    @task.end
    def low(s: Any) -> Any:
        """the anchor's height is off by more than 0.25 m"""
        a, _, b, _ = anchors(s)
        return terms.bad_anchor_pos_z_only(b, a, 0.25)

    @task.end
    def leans(s: Any) -> Any:
        """z of down in the anchor's axes is off by more than 0.8"""
        _, a_turn, _, b_turn = anchors(s)
        return terms.bad_anchor_ori(b_turn, a_turn, 0.8)

    @task.end
    def strays(s: Any) -> Any:
        """the height of a hand or a foot is off by more than 0.25 m"""
        return terms.bad_motion_body_pos_z_only(found(s)[0][..., pick(of_ends, 3)], beside(s)[0][..., pick(of_ends, 3)], 0.25)

    @task.truncate
    def over(s: Any) -> Any:
        """the clip is at its end"""
        return s.memory.frame + 2.0 * ahead(s) > last

    def part_of_fall(k: int) -> Any:
        def falls(s: Any) -> Any:
            part = np.floor(s.memory.frame * (BINS / last))
            return np.where(low(s) | leans(s) | strays(s), np.where(part == float(k), 1.0, 0.0), 0.0)
        falls.__doc__ = f"1 where it fails in part {k} of {BINS}"
        return falls

    for k in range(BINS):
        task.metric(part_of_fall(k), name=f"falls-{k}")

    @task.metric
    def off(s: Any) -> Any:
        """how far the bodies are from where they should be beside the anchor, mean over them [m]"""
        apart = found(s)[0] - beside(s)[0]
        return sum(np.linalg.norm(apart[..., pick([k], 3)], axis=-1) for k in range(n)) / n

    @task.metric
    def drift(s: Any) -> Any:
        """how far the anchor is from where it should be [m]"""
        a, _, b, _ = anchors(s)
        return np.linalg.norm(b - a, axis=-1)

    @task.curriculum
    def more_where_it_fails(progress: Progress) -> dict[str, float] | None:
        """Starts by falls: counts that forget, and a part that is spread evenly."""
        if progress.iteration % SELDOM:
            return None
        fails = [progress.numbers.get(f"fails-{k}", 0.0) for k in range(BINS)]
        new = [progress.terms[f"falls-{k}"] for k in range(BINS)]
        fails = [(1.0 - FORGETS) * old + FORGETS * (now if now == now else 0.0) for old, now in zip(fails, new)]
        total = sum(fails)
        return {name: value for k in range(BINS) for name, value in (
            (f"fails-{k}", fails[k]), (f"bin-{k}", EVENLY / BINS + (1.0 - EVENLY) * (fails[k] / total if total > 0 else 1.0 / BINS)))}

    @task.observe()
    def angles(s: Any) -> Any:
        """of the clip's joints at the end of this control step [rad]"""
        return s.memory.clip[..., :acts]

    @task.observe(scale=0.05)
    def rates(s: Any) -> Any:
        """of the clip's joints then [rad/s]"""
        return s.memory.clip[..., columns[1]]

    @task.observe(name="anchor-place", noise=0.05)
    def anchor_ahead(s: Any) -> Any:
        """where the clip's anchor is then, in the axes of the robot's [m]"""
        a, _, b, b_turn = anchors(s)
        return terms.motion_anchor_pos_b(b, b_turn, a)

    @task.observe(name="anchor-turn", noise=0.02)
    def anchor_turned(s: Any) -> Any:
        """how the clip's anchor is turned then to the robot's: two columns of the rotation, row by row"""
        _, a_turn, _, b_turn = anchors(s)
        return terms.motion_anchor_ori_b(b_turn, a_turn)

    task.observe("base_linear", noise=0.05)
    task.observe("base_angular", scale=0.5, noise=0.1)
    task.observe("encoder", noise=0.01)
    task.observe("actuator_velocity", scale=0.05, noise=0.5)
    task.observe(name="asked")(lambda s: s.memory.asked)
    return task


g1_tracking = follower(
    "g1-tracking", "Unitree G1 (33 kg), all 29 joints, follows a clip: squats, stands on each leg, turns, bows", "g1", Clip.read("g1-exercise"), bodies=G1_BODIES,
    ends=G1_ENDS, anchor="torso_link", feet=G1_FEET, gains=G1_GAINS, acts=29)

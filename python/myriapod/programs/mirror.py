"""Left and right: how a robot, what is observed of it and what it does look in a mirror (its xz plane).

    sides = Sides(Model("g1"))
    x = sides.actuators(x)                 # of each actuator the number of the one on the other side, with its sign
    print(walk.mirror())                   # of a TermTask: each part of the observation, and the action

Joints find their counterparts by where they are and how they turn where all joints are at zero, so that names do not matter. A mirror image is always a
permutation and signs: it is exact, and in a mirror twice everything is as it was."""
from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from .._library import ArgumentError
from ..model import Model
from ..rotations import quat_mul, quat_rotate
from .recording import Function, State, Term

#: How far a joint may be from the mirror image of its counterpart: metres, and the sine of the angle between the axes.
NEAR = 0.005


class Signed(NamedTuple):
    """A permutation with signs: number k of the mirror image is sign[k] times number order[k]."""

    order: tuple[int, ...]
    sign: tuple[float, ...]

    def __call__(self, x: Any) -> Any:
        """The mirror image of (n, rows), or (n,) of one number: of arrays, and of what is recorded."""
        if x.ndim == 1:
            return x * self.sign[0]
        stays = self.order == tuple(range(len(self.order)))
        return (x if stays else x[..., list(self.order)]) * np.array(self.sign)

    def among(self, numbers: Sequence[int]) -> Signed:
        """Of some of them, which must contain the counterparts of each. ArgumentError: one is missing."""
        place = {number: k for k, number in enumerate(numbers)}
        lost = [number for number in numbers if self.order[number] not in place]
        if lost:
            raise ArgumentError(f"number {lost[0]} is chosen, and its counterpart {self.order[lost[0]]} is not")
        return Signed(tuple(place[self.order[number]] for number in numbers), tuple(self.sign[number] for number in numbers))

    def then(self, other: Signed) -> Signed:
        """Behind these numbers others."""
        return Signed((*self.order, *(len(self.order) + k for k in other.order)), (*self.sign, *other.sign))

    @property
    def words(self) -> str:
        """As a table has it: counted from 1, with its sign."""
        return " ".join(str(int(s) * (k + 1)) for k, s in zip(self.order, self.sign))


def _plain(*sign: float) -> Signed:
    return Signed(tuple(range(len(sign))), tuple(float(s) for s in sign))


VECTOR = _plain(1, -1, 1)  #: a place, a velocity, a force
TURN = _plain(-1, 1, -1)  #: an angular velocity, a moment
ATTITUDE = _plain(1, -1, 1, -1)  #: a quaternion
COMMAND = _plain(1, -1, -1)  #: forward, to the left, yaw rate
HEIGHTS = Signed(tuple(11 * (k // 11) + 10 - k % 11 for k in range(187)), (1.0,) * 187)  #: of the ground at 17 x 11 points, those to the side fast


def _poses(model: Model) -> list[tuple[np.ndarray, np.ndarray]]:
    """Of each joint its place and attitude in the world, where the first body is as at home and all other joints are at zero."""
    poses: list[tuple[np.ndarray, np.ndarray]] = []
    for joint in model.joints:
        at, turn = (np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0])) if joint.parent < 0 else poses[joint.parent]
        at, turn = at + quat_rotate(turn, np.array(joint.position)), quat_mul(turn, np.array(joint.quaternion))
        if joint.type == "free":
            home = np.asarray(model.home[joint.q : joint.q + 7])
            at, turn = at + quat_rotate(turn, home[:3]), quat_mul(turn, home[3:7])
        poses.append((at, turn))
    return poses


class Sides:
    """The mirror image of a robot. ArgumentError: a joint has no counterpart, by its name."""

    def __init__(self, model: Model) -> None:
        self.model = model
        poses = _poses(model)
        plane = poses[0][0][1] if model.joints[0].type == "free" else 0.0
        #: Of each joint its counterpart, and the sign of a hinge's angle or a slider's way there.
        self.joints = self._counterparts(poses, 2.0 * plane)
        self.q, self.v = self._coordinates()
        #: Of each actuator, such as targets and torques.
        self.actuators = self._driven()

    def _counterparts(self, poses: list[tuple[np.ndarray, np.ndarray]], across: float) -> Signed:
        joints, index, sign = self.model.joints, [], []
        places = np.array([at for at, _ in poses])
        axes = [quat_rotate(turn, np.array(joint.axis)) for joint, (_, turn) in zip(joints, poses)]
        for joint, (at, _), own in zip(joints, poses, axes):
            image, axis = np.array([at[0], across - at[1], at[2]]), own * (TURN.sign if joint.type == "revolute" else VECTOR.sign)
            best, found = NEAR, (-1, 1.0)
            away = np.linalg.norm(image - places, axis=-1)
            for k in np.flatnonzero(away < NEAR).tolist():
                turned = np.linalg.norm(np.cross(axis, axes[k])) if joint.axis != (0.0, 0.0, 0.0) else 0.0
                off = max(float(away[k]), float(turned))
                if joints[k].type == joint.type and off < best:
                    best, found = off, (k, 1.0 if float(axis @ axes[k]) >= 0 else -1.0)
            if found[0] < 0:
                raise ArgumentError(f"the joint {joint.name!r} of {self.model.name!r} has no counterpart in a mirror: none is within {NEAR} m with such an axis")
            index.append(found[0])
            sign.append(found[1])
        if any(index[k] != j for j, k in enumerate(index)):
            odd = next(j for j, k in enumerate(index) if index[k] != j)
            raise ArgumentError(f"the joint {joints[odd].name!r} has the counterpart {joints[index[odd]].name!r}, whose own is another one")
        return Signed(tuple(index), tuple(sign))

    def _coordinates(self) -> tuple[Signed, Signed]:
        joints, (across, signs) = self.model.joints, self.joints
        q, v = ([0] * self.model.nq, [1.0] * self.model.nq), ([0] * self.model.nv, [1.0] * self.model.nv)
        for joint, other, sign in zip(joints, across, signs):
            free, ball = joint.type == "free", joint.type == "ball"
            of_q = VECTOR.then(ATTITUDE) if free else ATTITUDE if ball else _plain(sign)
            of_v = VECTOR.then(TURN) if free else TURN if ball else _plain(sign)
            for part, own, at, theirs in ((q, of_q, joint.q, joints[other].q), (v, of_v, joint.v, joints[other].v)):
                for k in range(len(own.order)):
                    part[0][at + k], part[1][at + k] = theirs + own.order[k], own.sign[k]
        return Signed(tuple(q[0]), tuple(q[1])), Signed(tuple(v[0]), tuple(v[1]))

    def _driven(self) -> Signed:
        actuators, (across, signs) = self.model.actuators, self.joints
        index, sign = [], []
        for actuator in actuators:
            want = {across[j]: signs[j] * m for j, m in zip(actuator.joints, actuator.moments)}
            for k, other in enumerate(actuators):
                has = dict(zip(other.joints, other.moments))
                ratio = [want[j] / has[j] for j in want if has.get(j)] if want.keys() == has.keys() else []
                if ratio and len(ratio) == len(want) and all(abs(abs(r) - 1) < 1e-6 and r * ratio[0] > 0 for r in ratio):
                    index.append(k)
                    sign.append(1.0 if ratio[0] > 0 else -1.0)
                    break
            else:
                raise ArgumentError(f"the actuator {actuator.name!r} of {self.model.name!r} has no counterpart in a mirror")
        return Signed(tuple(index), tuple(sign))

    @property
    def feet(self) -> Signed:
        """LF RF LH RH of a quadruped."""
        return Signed((1, 0, 3, 2), (1.0, 1.0, 1.0, 1.0))

    def __repr__(self) -> str:
        pairs = [f"{a.name} {'+-'[s < 0]}{self.model.actuators[k].name}" for a, k, s in zip(self.model.actuators, *self.actuators)]
        return f"<Sides of {self.model.name}: {', '.join(pairs)}>"


#: How a part is mirrored: a word of `WORDS`, numbers from 1 with their signs, or what gives either for a model.
How = str | Sequence[int] | Signed | Callable[[Model], "str | Sequence[int] | Signed"]
WORDS: dict[str, Callable[[Sides], Signed]] = {
    "vector": lambda sides: VECTOR, "turn": lambda sides: TURN, "attitude": lambda sides: ATTITUDE, "command": lambda sides: COMMAND,
    "actuators": lambda sides: sides.actuators, "feet": lambda sides: sides.feet, "q": lambda sides: sides.q, "v": lambda sides: sides.v,
    "heights": lambda sides: HEIGHTS}
#: Of inputs that are observed as they are.
_INPUTS = {"base_linear": "vector", "base_angular": "turn", "base_down": "vector", "command": "command", "base_position": "vector", "base_turn": "attitude",
           "foot_force": "feet", "q": "q", "v": "v", "heights": "heights"} | dict.fromkeys(
               ("actuator_length", "actuator_velocity", "actuator_velocity_before", "actuator_force", "encoder", "target", "torque", "home_length"), "actuators")


def signed(how: How | None, rows: int | None, sides: Sides, what: str, input: str = "", acts: Signed | None = None) -> Signed:
    """The mirror image of `rows` numbers, None: of as many as it says. acts: of an action. ArgumentError: it is not known, or not of so many numbers, by what it is called."""
    if how is None and input in ("action", "action_before") and acts is not None:
        how = acts
    how = _INPUTS.get(input) if how is None else how(sides.model) if callable(how) and not isinstance(how, (Signed, str)) else how
    if how is None and rows == 1:
        raise ArgumentError(f"{what}: it is not known how this looks in a mirror: mirror=[1] if it stays, [-1] if its sign changes")
    if how is None:
        raise ArgumentError(f"{what}: it is not known how this looks in a mirror: mirror= one of {', '.join(WORDS)}, or the numbers that take the places of "
                            "the first, second, .. one, counted from 1, below 0 where the sign changes")
    if isinstance(how, str):
        if how not in WORDS:
            raise ArgumentError(f"{what}: mirror is {how!r}, but must be one of {', '.join(WORDS)}, or numbers")
        made = WORDS[how](sides)
    elif isinstance(how, Signed):
        made = how
    else:
        made = Signed(tuple(abs(int(k)) - 1 for k in how), tuple(1.0 if int(k) > 0 else -1.0 for k in how))
    rows = len(made.order) if rows is None else rows
    if sorted(made.order) != list(range(rows)):
        raise ArgumentError(f"{what}: it has {rows} numbers, and its mirror image must be all of them, from 1 to {rows}")
    if any(made.order[made.order[k]] != k or made.sign[k] != made.sign[made.order[k]] for k in range(rows)):
        raise ArgumentError(f"{what}: in a mirror twice it is not as it was")
    return made


class Mirror(NamedTuple):
    """A task in a mirror. Printed, it is a line for each part."""

    parts: dict[str, Signed]  #: of the observation, by name; "critic.NAME": of a critic's own
    action: Signed
    sides: Sides

    @property
    def observation(self) -> Signed:
        """Of the whole observation of an actor."""
        made = Signed((), ())
        for name, part in self.parts.items():
            made = made if name.startswith("critic.") else made.then(part)
        return made

    def __str__(self) -> str:
        return "\n".join(f"{name:24}{part.words}" for name, part in {**self.parts, "action": self.action}.items())


class _Reflected(State):
    """A state whose action is the mirror image of the policy's, where `when` is true."""

    def __init__(self, state: State, when: Function, image: Signed) -> None:
        super().__init__(state.model)
        self._state, self._when, self._image = state, when, image

    def __getitem__(self, name: str) -> Any:
        x = self._state[name]
        return _either(self._when(self._state), x, self._image) if name == "action" else x

    def draw(self, name: str, rows: int = 1) -> Any:
        return self._state.draw(name, rows)


def _either(when: Any, x: Any, image: Signed) -> Any:
    return np.where(when if x.ndim == 1 else when[..., None], image(x), x)


def reflected(term: Term, when: Function, image: Signed) -> Function:
    """The function of an observed part, or of `act`, for a policy that looks into a mirror where `when` is true: Abdolhosseini et al. 2019, phase method."""
    @functools.wraps(term.function)
    def function(s: State) -> Any:
        return term.function(_Reflected(s, when, image)) if term.kind == "act" else _either(when(s), term.function(s), image)

    return function


def mirror_of(model: Model, acts: How, rows: int | None, terms: Sequence[Term]) -> Mirror:
    """Of a task whose action is mirrored as `acts` says, of `rows` numbers. ArgumentError: of a part it is not known how it is mirrored."""
    sides = Sides(model)
    action = signed(acts, rows, sides, "the action")
    return Mirror({term.outputs + term.name: signed(term.mirror, None, sides, f"observe {term.name}", term.input, action)
                   for term in terms if term.moment == "observe" and (term.kind == "observe" or term.mirror is not None)}, action, sides)

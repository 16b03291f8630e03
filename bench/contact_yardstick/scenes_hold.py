"""Scenes in which nothing may move: a grip, a joint held by its own dry friction, a block on a slope, a stack of unequal weights."""
from __future__ import annotations

import math

import measures
import numpy as np
from track import Track
from world import WORLD, Body, Figure, Geom, Joint, Motor, Scene

G = 9.81


def solid_box(mass: float, half: tuple[float, float, float]) -> tuple[float, float, float]:
    x, y, z = (h * h for h in half)
    return mass * (y + z) / 3, mass * (x + z) / 3, mass * (x + y) / 3


def solid_capsule(mass: float, radius: float, half: float) -> tuple[float, float, float]:
    """About its middle, its axis the third."""
    cylinder, ball = 2 * half, 4 / 3 * radius
    rod, caps = mass * cylinder / (cylinder + ball), mass * ball / (cylinder + ball)
    across = rod * (radius**2 / 4 + half**2 / 3) + caps * (0.4 * radius**2 + half**2 + 0.75 * half * radius)
    return across, across, rod * radius**2 / 2 + caps * 0.4 * radius**2


def grip(margin: float) -> Scene:
    """The model of the thread: pads, masses, damping, friction and squeeze are its own; the spring of the pads is chosen so that their load is `margin`
    times what one of them needs to hold the capsule. The length of the capsule is not in the part of the thread that is public here; 40 mm."""
    mass, radius, mu, squeeze = 0.045, 0.004, 0.7, 0.002
    load = margin * mass * G / mu
    pad = Geom("box", (0.008, 0.030, 0.020))
    inertia = solid_box(0.2, pad.size)
    along_y = (math.sqrt(0.5), -math.sqrt(0.5), 0, 0)  # the capsule's z along the world's y
    bodies = (Body("left", 0.2, inertia, Joint("slide", (1, 0, 0), damping=100, motor=Motor(load / squeeze, 0.0005 + squeeze)), position=(-0.0125, 0, 0), geoms=(pad,)),
              Body("right", 0.2, inertia, Joint("slide", (1, 0, 0), damping=100, motor=Motor(load / squeeze, -0.0005 - squeeze)), position=(0.0125, 0, 0), geoms=(pad,)),
              Body("rod", mass, solid_capsule(mass, radius, 0.016), Joint("free"), quaternion=along_y, geoms=(Geom("capsule", (radius, 0.016)),)))

    def judge(track: Track) -> list[Figure]:
        rod = 2
        sunk = track.position[0, rod, 2] - track.position[:, rod, 2]
        held = track.time[np.argmax(sunk > 0.01)] if np.any(sunk > 0.01) else track.time[-1]
        return [Figure("creep", 1e6 * measures.creep(track, rod, 0.5, axis=2), "um/s", 0.0), Figure("held for", float(held), "s", float(track.time[-1]))]

    return Scene(f"grip-{margin:g}", f"A capsule of 45 g, gripped {margin:g} times as hard as one pad would need",
                 "Below the edge of the cone nothing slips: the capsule keeps its place.", "MuJoCo #3328", 60.0, bodies, (("rod", "left"), ("rod", "right")), judge,
                 friction=mu, mass=mass, look=0.5)


def dry_joint(percent: float) -> Scene:
    """An arm of 1 kg at 0.5 m, let go level, on a joint with dry friction."""
    mass, arm = 1.0, 0.5
    weight = mass * G * arm
    friction = weight / (percent / 100)
    body = Body("arm", mass, (1e-3, 1e-3, 1e-3), Joint("hinge", (0, 1, 0), dry_friction=friction), position=(0, 0, 1), com=(arm, 0, 0))
    stop = _where_it_stops(percent / 100)
    law = "Below its threshold friction holds the joint where it is." if percent <= 100 else \
        f"Past its threshold the arm turns until friction has taken what gravity gave: sin q = q / {percent / 100:g}, q = {stop:.4f} rad."

    def judge(track: Track) -> list[Figure]:
        q = track.joint[:, 0, 0]
        late = track.time >= 0.5
        speed = abs(q[-1] - q[late][0]) / (track.time[-1] - track.time[late][0])
        if percent <= 100:
            return [Figure("creep", float(speed), "rad/s", 0.0), Figure("turned", float(abs(q[-1])), "rad", 0.0)]
        at = track.time >= 10.0
        return [Figure("turned", float(abs(q[-1])), "rad", stop, 5), Figure("creep at the end", float(abs(q[-1] - q[at][0])) / (track.time[-1] - 10.0), "rad/s", 0.0)]

    return Scene(f"dry-{percent:g}", f"A joint with dry friction, loaded to {percent:g} % of it", law, "IsaacLab #7412 (0.21 rad/s at 30 %)", 60.0, (body,), (), judge)


def _where_it_stops(ratio: float) -> float:
    """The least q > 0 with ratio sin q = q; 0 up to the threshold."""
    if ratio <= 1:
        return 0.0
    low, high = 1e-6, math.pi
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if ratio * math.sin(middle) > middle else (low, middle)
    return low


def slope(percent: float) -> Scene:
    """A block on a slope whose tangent is so much of the coefficient of friction. The slope is level here, and gravity leans."""
    mu, half, seconds = 0.5, 0.1, 10.0
    angle = math.atan(mu * percent / 100)
    body = Body("block", 1.0, solid_box(1.0, (half, half, half)), Joint("free"), position=(0, 0, half), geoms=(Geom("box", (half, half, half)),))
    pull = G * (math.sin(angle) - mu * math.cos(angle))

    def judge(track: Track) -> list[Figure]:
        way = float(track.position[-1, 0, 0] - track.position[0, 0, 0])
        if percent <= 100:
            return [Figure("creep", 1e6 * abs(way) / seconds, "um/s", 0.0), Figure("lift", 1e6 * _lift(track, 0), "um", 0.0)]
        return [Figure("slid", way, "m", pull * seconds**2 / 2, 5), Figure("lift", 1e6 * _lift(track, 0), "um", 0.0)]

    law = "It stays." if percent <= 100 else f"It slides g (sin a - mu cos a) t^2 / 2 = {pull * seconds**2 / 2:.4f} m down."
    return Scene(f"slope-{percent:g}", f"A block on a slope at {percent:g} % of the friction angle's tangent", law, "Coulomb 1785; MuJoCo #3349", seconds, (body,),
                 (("block", WORLD),), judge, friction=mu, gravity=(G * math.sin(angle), 0, -G * math.cos(angle)), look=0.1)


def _lift(track: Track, body: int) -> float:
    return float(np.max(track.position[:, body, 2]) - track.position[0, body, 2])


def stack(ratio: float) -> Scene:
    """Three cubes; the second is the square root of `ratio` times as heavy as the lowest, the third `ratio` times."""
    half, masses = 0.1, (1.0, math.sqrt(ratio), ratio)
    bodies = tuple(Body(f"cube{k}", mass, solid_box(mass, (half,) * 3), Joint("free"), position=(0, 0, (2 * k + 1) * half), geoms=(Geom("box", (half,) * 3),))
                   for k, mass in enumerate(masses))

    def judge(track: Track) -> list[Figure]:
        moved = np.linalg.norm(track.position[-1] - track.position[0], axis=1)
        sunk = float(np.max(track.position[0, :, 2] - track.position[-1, :, 2]))
        return [Figure("moved", 1e6 * float(np.max(moved)), "um", 0.0), Figure("sunk", 1e6 * sunk, "um", 0.0)]

    return Scene(f"stack-{ratio:g}", f"Three cubes, the topmost {ratio:g} times as heavy as the lowest", "Nothing moves.", "Le Lidec 2024, Fig. 13 (mass ratios)", 10.0,
                 bodies, (("cube0", WORLD), ("cube0", "cube1"), ("cube1", "cube2")), judge, mass=ratio, look=1.0)

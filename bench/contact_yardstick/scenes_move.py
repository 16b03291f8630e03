"""Scenes in which things move as a closed form says: a cube that slides, Painleve's rod, a cylinder that spins, a ball that rolls between plates, a four-bar
with one row too many, a row of balls."""
from __future__ import annotations

import math

import numpy as np
import poses
from scenes_hold import G, _lift, solid_box, solid_capsule
from track import Track
from world import WORLD, Body, Figure, Geom, Joint, Loop, Scene


def slide() -> Scene:
    half, mu, speed = 0.1, 0.5, 6.0
    way = speed**2 / (2 * mu * G)
    body = Body("cube", 1.0, solid_box(1.0, (half,) * 3), Joint("free"), position=(0, 0, half), geoms=(Geom("box", (half,) * 3),), velocity=(speed, 0, 0, 0, 0, 0))

    def judge(track: Track) -> list[Figure]:
        return [Figure("slid", float(track.position[-1, 0, 0]), "m", way, 5), Figure("lift", 1e3 * _lift(track, 0), "mm", 0.0)]

    return Scene("slide", "A cube let go at 6 m/s", f"No lift; it stops after v^2 / (2 mu g) = {way:.4f} m.", "Genesis, signorini against convex: 318 mm of lift", 3.0,
                 (body,), (("cube", WORLD),), judge, friction=mu)


def rod() -> Scene:
    """Its lower end slides ahead of it, at the angle and friction at which no force can keep it on the ground: tan q = 2, mu = 2 > 4/3."""
    half, mass, mu, speed, radius = 0.5, 1.0, 2.0, 2.0, 0.002
    angle = math.atan(2.0)
    inertia = solid_capsule(mass, radius, half)
    lean = math.pi / 2 - angle  # from upright, the upper end towards +x
    quaternion = (math.cos(lean / 2), 0, math.sin(lean / 2), 0)
    middle = (half * math.cos(angle), 0, half * math.sin(angle) + radius)
    body = Body("rod", mass, inertia, Joint("free"), position=middle, quaternion=quaternion, geoms=(Geom("capsule", (radius, half)),), velocity=(-speed, 0, 0, 0, 0, 0))
    height = half * math.sin(angle) + radius
    left = (mass * speed * height) ** 2 / (2 * (inertia[0] + mass * (half**2 * math.cos(angle) ** 2 + height**2)))

    def energy(track: Track, frame: int) -> float:
        v = track.velocity[frame, 0]
        return 0.5 * mass * float(v[:3] @ v[:3]) + 0.5 * inertia[0] * float(v[3:] @ v[3:])

    def judge(track: Track) -> list[Figure]:
        first = 1  # of the frames: a step is one here
        gained = max(energy(track, k) + mass * G * track.position[k, 0, 2] for k in range(len(track.position))) - energy(track, 0) - mass * G * middle[2]
        return [Figure("energy left after the jam", energy(track, first), "J", left, 4), Figure("energy gained, most", max(0.0, float(gained)), "J", 0.0)]

    return Scene("rod", "Painleve's rod", f"No force keeps it on the ground: in the first step its end jams, and it turns about it with {left:.4f} J of 2 J.",
                 "Painleve 1895; Stewart 2000", 0.1, (body,), (("rod", WORLD),), judge, friction=mu)


def spin() -> Scene:
    """A cylinder on its flat end. A rim that carries it evenly brakes it by mu m g R, an even pressure by two thirds of that."""
    radius, half, mass, mu, rate = 0.1, 0.05, 1.0, 0.3, 20.0
    inertia = (mass * (3 * radius**2 + 4 * half**2) / 12,) * 2 + (mass * radius**2 / 2,)
    rim, even = rate * radius / (2 * mu * G), 3 * rate * radius / (4 * mu * G)
    body = Body("cylinder", mass, inertia, Joint("free"), position=(0, 0, half), geoms=(Geom("cylinder", (radius, half)),), velocity=(0, 0, 0, 0, 0, rate))

    def judge(track: Track) -> list[Figure]:
        turning = np.flatnonzero(np.abs(track.velocity[:, 0, 5]) > 0.01)
        return [Figure("stops after", float(track.time[min(turning[-1] + 1, len(track.time) - 1)]), "s", rim, 4),
                Figure("wandered", 1e3 * float(np.max(np.linalg.norm(track.position[:, 0, :2], axis=1))), "mm", 0.0), Figure("lift", 1e6 * _lift(track, 0), "um", 0.0)]

    return Scene("spin", "A cylinder that spins on its flat end at 20 rad/s",
                 f"Its axis stays. Carried by its rim it stops after w R / (2 mu g) = {rim:.4f} s (by an even pressure after {even:.4f} s).", "closed form", 2.0, (body,),
                 (("cylinder", WORLD),), judge, friction=mu)


def roll() -> Scene:
    """A ball on the ground, a plate on the ball, a cart that carries the plate along at 0.5 m/s. All start as they go on."""
    radius, speed, mass = 0.1, 0.5, 0.5
    inertia = (0.4 * mass * radius**2,) * 3
    plate = (1.5, 0.3, 0.02)
    bodies = (Body("ball", mass, inertia, Joint("free"), position=(0, 0, radius), geoms=(Geom("sphere", (radius,)),), velocity=(speed / 2, 0, 0, 0, speed / 2 / radius, 0)),
              Body("cart", 1.0, (0.1, 0.1, 0.1), Joint("slide", (1, 0, 0)), position=(0, 0, 2 * radius + plate[2]), velocity=(speed,)),
              Body("plate", 1.0, solid_box(1.0, plate), Joint("slide", (0, 0, 1)), parent="cart", geoms=(Geom("box", plate),)))

    def judge(track: Track) -> list[Figure]:
        way = speed / 2 * track.time[-1]
        return [Figure("ball's way", float(track.position[-1, 0, 0]), "m", way, 6), Figure("plate's way", float(track.position[-1, 2, 0]), "m", 2 * way, 6),
                Figure("aside", 1e6 * float(np.max(np.abs(track.position[:, 0, 1]))), "um", 0.0)]

    return Scene("roll", "A ball that rolls between the ground and a plate", "It rolls at half of the plate's speed, for ever: no slip, no work.", "closed form", 4.0,
                 bodies, (("ball", WORLD), ("ball", "plate")), judge, mass=mass)


def four_bar() -> Scene:
    """A parallelogram of three bars; the ball that closes it asks for three rows where two are free."""
    length, mass, tilt = 0.4, 1.0, 0.5
    inertia = (1e-4, mass * length**2 / 12, mass * length**2 / 12)
    hinge = Joint("hinge", (0, 1, 0))
    drop = (length * math.cos(math.pi / 2 - tilt), 0, -length * math.sin(math.pi / 2 - tilt))
    moments = (mass * length**2 / 12,) * 3  # bars are said untilted: their frames keep the world's axes, so their moments are those of a rod that may lie any way
    bodies = (Body("left", mass, moments, hinge, position=(0, 0, 1), com=tuple(0.5 * x for x in drop)),
              Body("coupler", mass, inertia, hinge, parent="left", position=drop, com=(length / 2, 0, 0)),
              Body("right", mass, moments, hinge, position=(length, 0, 1), com=tuple(0.5 * x for x in drop)))
    corner = (length + drop[0], 0, 1 + drop[2])

    def energy(track: Track, frame: int) -> float:
        total = 0.0
        for k, body in enumerate(bodies):
            arm = poses.rotate(track.quaternion[frame, k], body.com)
            v, w = track.velocity[frame, k, :3] + np.cross(track.velocity[frame, k, 3:], arm), track.velocity[frame, k, 3:]
            total += 0.5 * mass * float(v @ v) + 0.5 * body.inertia[1] * float(w @ w) + mass * G * float(track.position[frame, k, 2] + arm[2])
        return total

    def judge(track: Track) -> list[Figure]:
        open_ = max(float(np.linalg.norm(track.position[k, 1] + poses.rotate(track.quaternion[k, 1], (length, 0, 0)) - track.position[k, 2] - poses.rotate(track.quaternion[k, 2], drop))) for k in range(len(track.position)))
        energies = np.array([energy(track, k) for k in range(len(track.position))])
        swing = mass * G * length * 2 * (1 - math.cos(tilt))  # what the swing has: two bars' worth by half, and the coupler's
        return [Figure("opened, most", 1e6 * open_, "um", 0.0), Figure("energy, drift of the swing's", 100 * float(energies[-1] - energies[0]) / swing, "%", 0.0)]

    return Scene("four-bar", "A four-bar that a redundant ball joint closes", "It stays closed, and swings for ever.", "closed form; Bruedigam 2021", 10.0, bodies, (), judge,
                 loops=(Loop("coupler", "right", corner),))


def cradle() -> Scene:
    """Five balls with 5 mm between them: each impact is one of two balls, so that Newton's law has one answer."""
    radius, gap, n = 0.05, 0.005, 5
    bodies = tuple(Body(f"ball{k}", 1.0, (1e-3,) * 3, Joint("slide", (1, 0, 0)), position=(k * (2 * radius + gap), 0, 1), geoms=(Geom("sphere", (radius,)),),
                        velocity=(1.0,) if k == 0 else ()) for k in range(n))
    after = np.array([0.0] * (n - 1) + [1.0])

    def judge(track: Track) -> list[Figure]:
        v = track.joint[-1, :, 1]
        return [Figure("the last ball's speed", float(v[-1]), "m/s", 1.0, 5), Figure("off by, most", float(np.max(np.abs(v - after))), "m/s", 0.0),
                Figure("energy kept", 100 * float(v @ v), "%", 100.0, 5)]

    return Scene("cradle", "A row of five balls, restitution 1", "The last one leaves with all the speed; the others rest.", "Newton's law, one impact after the other", 0.5,
                 bodies, tuple((f"ball{k}", f"ball{k + 1}") for k in range(n - 1)), judge, friction=0.0, restitution=1.0, gravity=(0, 0, 0))

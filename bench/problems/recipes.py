"""What the problems of myriapod-problems-1 are made of: which robots, where they begin, what drives them, how many problems are kept.

Only robots and scenes that ship with this repository, so that everything may be published again."""
from __future__ import annotations

from dataclasses import dataclass

OURS = "Apache-2.0, this project's own description"
UNITREE = "BSD-3-Clause, Unitree Robotics (unitree_ros)"
GYM = "MIT, Farama Foundation and OpenAI (Gymnasium)"
#: model: (the word for `myriapod run`, whose description it is and under which licence)
ROBOTS = {
    "anymal": ("anymal", OURS + ", after published figures of ANYmal B"),
    "solo12": ("solo12", OURS + ", after published figures of Solo-12"),
    "biped": ("biped", OURS),
    "hopper": ("hopper", OURS + ", after Brüdigam 2021"),
    "cube": ("cube", OURS),
    "sphere": ("sphere", OURS),
    "hand-ball": ("hand-ball", OURS),
    "chain": ("chain-12", OURS),
    "stack": ("stack-N-RATIO", OURS),
    "hexapod-dry": ("bench/problems/scenes/hexapod-dry.xml", OURS),
    "five-bar": ("bench/problems/scenes/five-bar.xml", OURS),
    "rings": ("bench/problems/scenes/rings.xml", OURS),
    "go1": ("robots/go1.xml", UNITREE + " and MuJoCo Menagerie (BSD-3-Clause)"),
    "go2": ("robots/go2.xml", UNITREE + " and MuJoCo Menagerie (BSD-3-Clause)"),
    "h1": ("robots/h1.xml", UNITREE),
    "g1": ("robots/g1.xml", "Apache-2.0, Google DeepMind (MuJoCo Warp) after mjlab; " + UNITREE),
    "g1-12dof": ("robots/g1-12dof.xml", "Apache-2.0, Google DeepMind (MuJoCo Warp) after mjlab; " + UNITREE),
    "allegro-cube": ("robots/allegro-cube.xml", "BSD-2-Clause, SimLab (MuJoCo Menagerie's wonik_allegro); BSD-3-Clause, Drake"),
    "panda-wall": ("robots/panda-wall.xml", "Apache-2.0, Franka Emika (franka_description)"),
    "gym-ant": ("robots/gym-ant.xml", GYM),
    "gym-humanoid": ("robots/gym-humanoid.xml", GYM),
    "gym-walker2d": ("robots/gym-walker2d.xml", GYM),
}


@dataclass(frozen=True)
class Case:
    """Runs of one robot, or of several in one scene. Each of `runs` runs begins somewhere else."""

    name: str
    robots: tuple[str, ...]  #: names of ROBOTS; all but the first are put beside it
    options: str = ""  #: words for `myriapod run`
    start: str = "home"  #: home; bend: joints elsewhere; toss: free bodies higher and turned any way, too
    height: float = 0.3  #: of a toss, of the first robot [m]
    layer: float = 1.0  #: each further robot begins so much higher [m]
    spread: float = 0.2  #: and so far aside, at most [m]
    angle: float = 0.3  #: joints begin so far from home, at most [rad]
    runs: int = 6
    dump: int = 24  #: problems of a run that are looked at
    dt: float = 0.002
    seconds: float = 1.5
    warmup: float = 0.0  #: seconds before problems count
    model: str = ""  #: instead of the first robot's word


@dataclass(frozen=True)
class Recipe:
    """A file of the set."""

    file: str
    family: str
    what: str
    keep: int  #: problems, at most
    kilobytes: int  #: of the file, at most
    cases: tuple[Case, ...]
    least: int = 1  #: contacts of a problem that is kept


LIMP, HELD = "--kp 0 --kd 0", ""  # HELD: the robot's own gains


def stack(n: int, ratio: str, **more: object) -> Case:
    return Case(f"{n}-{ratio}", ("stack",), model=f"stack-{n}" + ("" if ratio == "1" else f"-{ratio}"), **more)


RATIOS = ("1", "10", "100", "1e3", "1e4", "1e5", "1e6")

RECIPES = (
    Recipe("anymal", "quadrupeds", "trots, falls, lies; random targets", 60, 160, (
        Case("trot", ("anymal",), "--task trot --envs 64", runs=1, dump=80, dt=0.001, warmup=1.5),
        Case("random", ("anymal",), "--task random --envs 64", runs=1, dump=120, dt=0.001, warmup=0.5, seconds=2),
        Case("drop", ("anymal",), "--task drop --envs 64", runs=1, dump=120, dt=0.001, warmup=0.5),
        Case("limp", ("anymal",), LIMP, "toss", runs=8))),
    Recipe("solo12", "quadrupeds", "trots, falls; random targets", 40, 100, (
        Case("trot", ("solo12",), "--task trot --envs 64", runs=1, dump=60, dt=0.001, warmup=1.5),
        Case("random", ("solo12",), "--task random --envs 64", runs=1, dump=80, dt=0.001, warmup=0.5, seconds=2),
        Case("limp", ("solo12",), LIMP, "toss", runs=8))),
    Recipe("go1", "quadrupeds", "stands, sways, falls, lies", 40, 160, (
        Case("sway", ("go1",), "--target sine:0.3,1 --envs 16", runs=1, dump=60, warmup=0.5),
        Case("limp", ("go1",), LIMP, "toss", runs=8),
        Case("held", ("go1",), HELD, "toss", runs=6))),
    Recipe("go2", "quadrupeds", "stands, sways, falls, lies", 40, 160, (
        Case("sway", ("go2",), "--target sine:0.3,1 --envs 16", runs=1, dump=60, warmup=0.5),
        Case("limp", ("go2",), LIMP, "toss", runs=8),
        Case("held", ("go2",), HELD, "toss", runs=6))),
    Recipe("gym-ant", "quadrupeds", "random gaits, falls", 24, 80, (
        Case("sway", ("gym-ant",), "--target sine:0.5,1 --envs 16", "bend", runs=2, dump=40, dt=0.01),
        Case("limp", ("gym-ant",), "", "toss", runs=6, dt=0.01))),
    Recipe("quadruped-heap", "heaps", "three quadrupeds fall on each other", 24, 300, (
        Case("anymal", ("anymal", "anymal", "solo12"), LIMP, "toss", layer=0.7, runs=5),
        Case("go", ("go1", "go2", "go1"), LIMP, "toss", layer=0.5, runs=5)), least=6),
    Recipe("biped", "humanoids", "stands, sways, falls, lies", 50, 300, (
        Case("sway", ("biped",), "--kp 510 --kd 51 --target sine:0.1,1 --envs 16", runs=1, dump=60, dt=0.001),
        Case("limp", ("biped",), LIMP, "bend", runs=8, seconds=2),
        Case("fall", ("biped",), LIMP, "toss", height=1, runs=8, seconds=2))),
    Recipe("h1", "humanoids", "stands, sways, falls, lies", 50, 360, (
        Case("sway", ("h1",), "--target sine:0.1,1 --envs 16", runs=1, dump=60),
        Case("limp", ("h1",), LIMP, "bend", runs=8, seconds=2),
        Case("fall", ("h1",), LIMP, "toss", height=1, runs=8, seconds=2))),
    Recipe("g1", "humanoids", "29 joints: stands, sways, falls, lies", 60, 500, (
        Case("sway", ("g1",), "--target sine:0.1,1 --envs 16", runs=1, dump=60),
        Case("limp", ("g1",), LIMP, "bend", runs=8, seconds=2),
        Case("fall", ("g1",), LIMP, "toss", height=0.6, runs=8, seconds=2))),
    Recipe("gym-walkers", "humanoids", "Gymnasium's humanoid and walker fall", 30, 100, (
        Case("humanoid", ("gym-humanoid",), "", "toss", runs=8, dt=0.003, seconds=2),
        Case("walker2d", ("gym-walker2d",), "--target sine:0.5,2 --envs 8", "bend", runs=3))),
    Recipe("g1-heap", "heaps", "two and three humanoids of 29 joints fall on each other", 24, 1000, (
        Case("two", ("g1", "g1"), LIMP, "toss", height=0.3, layer=1.2, runs=4, seconds=2),
        Case("three", ("g1", "g1", "g1"), LIMP, "toss", height=0.3, layer=1.0, runs=3, dump=16, seconds=3)), least=12),
    Recipe("humanoid-heap", "heaps", "humanoids of different kinds fall on each other", 30, 600, (
        Case("bipeds", ("biped", "biped", "biped"), LIMP, "toss", layer=1.6, runs=5, seconds=3),
        Case("mixed", ("h1", "biped", "g1-12dof"), LIMP, "toss", layer=1.7, runs=4, seconds=3),
        Case("g1-12dof", ("g1-12dof", "g1-12dof", "g1-12dof"), LIMP, "toss", layer=1.2, runs=3, seconds=2)), least=8),
    Recipe("allegro-cube", "hands", "a hand turns, drops and catches a cube; joint limits", 60, 360, (
        Case("turn", ("allegro-cube",), "--target sine:0.4,1 --envs 16", runs=1, dump=80),
        Case("fist", ("allegro-cube",), "--target sine:1.2,0.5 --envs 16", runs=1, dump=80),
        Case("toss", ("allegro-cube",), HELD, "toss", height=0.02, angle=0.5, runs=8, seconds=1),
        Case("limp", ("allegro-cube",), LIMP, "bend", angle=1, runs=6, seconds=1))),
    Recipe("grips", "hands", "an arm against a wall; a ball in a hand; what a hand holds falls on it", 40, 160, (
        Case("panda", ("panda-wall",), "--target sine:0.6,0.7 --envs 16", "bend", angle=1, runs=3),
        Case("ball", ("hand-ball",), "", "toss", height=0.05, angle=0, runs=8, dt=0.001, seconds=1),
        Case("cubes", ("allegro-cube", "cube"), HELD, "toss", height=0.02, layer=0.5, spread=0.03, runs=4, seconds=1))),
    Recipe("stack-2", "stacks", "two cubes, the upper one 1 to 1e6 kg, at rest and falling", 42, 300,
           tuple(stack(2, r, start=s, height=0.1, angle=0, layer=0, runs=n, dt=0.001, seconds=0.6) for r in RATIOS for s, n in (("home", 1), ("nudge", 4)))),
    Recipe("stack-3", "stacks", "three cubes, the uppermost 1 to 1e6 kg, at rest and falling", 42, 360,
           tuple(stack(3, r, start=s, height=0.1, angle=0, layer=0, runs=n, dt=0.001, seconds=0.6) for r in RATIOS for s, n in (("home", 1), ("nudge", 4)))),
    Recipe("stack-tall", "stacks", "five, eight and ten cubes", 20, 500, (
        stack(5, "1", start="nudge", runs=3, dt=0.001, seconds=0.8), stack(5, "1e3", start="nudge", runs=3, dt=0.001, seconds=0.8),
        stack(5, "1e6", start="nudge", runs=3, dt=0.001, seconds=0.8), stack(8, "1", start="nudge", runs=2, dt=0.001, seconds=0.8),
        stack(8, "100", start="nudge", runs=2, dt=0.001, seconds=0.8), stack(10, "1", start="nudge", runs=2, dt=0.001, seconds=0.8)), least=6),
    Recipe("pile", "stacks", "cubes and balls fall into a pile", 36, 420, (
        Case("cubes", ("cube",) * 6, "", "toss", layer=0.35, spread=0.1, runs=4, dt=0.001),
        Case("mixed", ("cube", "sphere") * 4, "", "toss", layer=0.3, spread=0.1, runs=4, dt=0.001)), least=4),
    Recipe("hexapod-dry", "joints", "six legs with dry friction and limits in every joint: walks in place, falls, lies", 40, 420, (
        Case("sway", ("hexapod-dry",), "--target sine:0.4,1 --envs 16", runs=1, dump=60),
        Case("limp", ("hexapod-dry",), LIMP, "toss", angle=0.8, runs=8))),
    Recipe("limits", "joints", "limp robots with joints at their limits", 30, 160, (
        Case("go2", ("go2",), LIMP, "toss", height=0.1, angle=2, runs=6),
        Case("hopper", ("hopper",), LIMP, "toss", height=0.2, runs=6),
        Case("panda", ("panda-wall",), LIMP, "bend", angle=2, runs=6))),
    Recipe("five-bar", "loops", "a robot on four five-bar legs, two loop rows of three count: stands, sways, falls", 40, 200, (
        Case("sway", ("five-bar",), "--target sine:0.4,1 --envs 16", runs=1, dump=60),
        Case("limp", ("five-bar",), LIMP, "toss", angle=0, runs=8))),
    Recipe("rings", "loops", "two closed chains fall on each other; an open one beside", 30, 420, (
        Case("rings", ("rings",), "", "toss", height=0.1, angle=0, layer=0, spread=0.05, runs=5),
        Case("chain", ("chain",), "", "toss", height=0.2, angle=0, runs=4))),
)

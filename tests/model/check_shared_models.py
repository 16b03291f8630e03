#!/usr/bin/env python3
"""Every URDF of tests/models (our own, each odd in its way) and, where it is, of ../shared/models (robots as others publish them, not part of this
project) loads, or is refused with a message that names file and line and says what to do. Which are refused, and why, is listed here. Without
../shared/models the own ones alone are checked, and the test says so.
ctest: later timeout=300"""
import os
import pathlib
import subprocess
import sys

# Of a folder: which are refused with what words; and what a stranger would look for in the summary: mass [kg], degrees of freedom, whether the
# quadruped tasks apply, a warning.
OWN = {
    "refused": {
        "odd-axes.urdf --root floating": ["odd-axes.urdf:5:", "`world`", "needs one body to float"],
        "planar.urdf": ["planar.urdf:11:", "`glides`", "planar"],
        "two-roots.urdf": ["two-roots.urdf:10:", "two root links", "`left`", "`right`"],
        "wrong-number.urdf": ["wrong-number.urdf:6:", "<mass>", "`body`", "1,5"],
    },
    "said": {
        "gripper.urdf": ["nv 13", "0.79 kg", "coupling", "slide_right", "spherical", "gripper.urdf:56:", "`turned_round`", "without_limit"],
        "linkage.urdf": ["nv 19", "8.8 kg", "left_tip", "right_tip", "revolute", "wag", "coupling"],
        "massless.urdf": ["nv 8", "5.15 kg", "footprint, cross, camera", "massless.urdf:40:", "without rotational inertia"],
        "meshes.urdf": ["nv 7", "5.5 kg", "meshes.urdf:2:", "stray XML declaration", "strut", "ball", "2 meshes", "no body has these principal moments"],
        "odd-axes.urdf": ["nv 4", "5.95 kg", "backwards", "1 tree"],
        "two-trees.urdf": ["nv 14", "3.4 kg", "2 trees", "box_floats", "ball_floats"],
    },
    "least": 8,
}
SHARED = {
    "refused": {
        "dojo/hopper.urdf": ["hopper.urdf:92:", "`floating_joint`", "`planaraxis`"],
        "simbenchmark/anymal_energy_mujoco.urdf": ["anymal_energy_mujoco.urdf:59:", "two root links", "`world`", "`ground`"],
    },
    "said": {
        "anymal_b/anymal.urdf": ["nv 18", "30.4", "stand, trot", "cylinder"],
        "raisim_rsc/anymal.urdf": ["nv 18", "anymal.urdf:6:", "stray XML declaration"],
        "panda/panda.urdf": ["coupling", "panda_finger_joint2"],
        "constraineddynamics/fourbar.urdf": ["joint24", "revolute", "link4"],
        "anymal_c/anymal.urdf": ["nv 18", "no body has these principal moments", "stand, trot"],
        "hyq/hyq_no_sensors.urdf": ["not positive definite", "stand, trot"],
        "quadruped/quadruped.urdf": ["nv 14", "without rotational inertia", "stand, trot"],
        "raisim_rsc/chain.urdf": ["nv 9", "spherical"],
        "ur5/ur5_robot.urdf": ["nv 6"],
        "simbenchmark/anymal_momentum_mujoco.urdf": ["nv 24", "2 trees"],
    },
    "least": 30,
}

source = pathlib.Path(os.environ["MYRIAPOD_SOURCE"]).resolve()
program = os.environ["MYRIAPOD_PROGRAM"]


def check(models, known):
    """What is wrong with the answers to the files of a folder."""
    problems, files = [], sorted(models.rglob("*.urdf"))
    for file in files:
        name = str(file.relative_to(models))
        for root in ("auto", "floating", "fixed"):
            done = subprocess.run([program, "info", "--meshes", "skip", str(file), "--root", root], capture_output=True, text=True, timeout=60)
            said = done.stdout + done.stderr
            refused = known["refused"].get(name) or known["refused"].get(f"{name} --root {root}")
            wanted = refused or (known["said"].get(name, []) if root == "auto" else [])
            if done.returncode != (1 if refused else 0):
                problems.append(f"{name} --root {root}: exit status {done.returncode}: {said.strip()[-300:]}")
            problems += [f"{name} --root {root}: does not say `{word}`" for word in wanted if word not in said]
    problems += [f"{name}: not in {models}" for name in [*known["refused"], *known["said"]] if not (models / name.split()[0]).is_file()]
    if len(files) < known["least"]:
        problems.append(f"{models}: {len(files)} files, {known['least']} are known")
    print(f"{models}: {len(files)} files, refused as listed: {len(known['refused'])}, each with file, line and reason")
    return problems


found = check(source / "tests" / "models", OWN)
shared = source.parent / "shared" / "models"
if shared.is_dir():
    found += check(shared, SHARED)
else:
    print(f"shared models: not here ({shared})")
for problem in found:
    print("  " + problem)
sys.exit(1 if found else 0)

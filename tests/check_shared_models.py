#!/usr/bin/env python3
"""Every URDF of ../shared/models (robots as others publish them, not part of this project) loads, or is refused with a
message that names file and line and says what to do. Which are refused, and why, is listed here.
ctest: timeout=300"""
import os
import pathlib
import subprocess
import sys

REFUSED = {
    "dojo/hopper.urdf": ["hopper.urdf:92:", "`floating_joint`", "`planaraxis`"],
    "simbenchmark/anymal_energy_mujoco.urdf": ["anymal_energy_mujoco.urdf:59:", "two root links", "`world`", "`ground`"],
}
# What a stranger would look for in the summary: mass [kg], degrees of freedom, whether the quadruped tasks apply, a warning.
SAID = {
    "anymal_b/anymal.urdf": ["nv 18", "30.4", "stand, trot", "cylinder"],
    "raisim_rsc/anymal.urdf": ["nv 18", "anymal.urdf:6:", "stray XML declaration"],
    "panda/panda.urdf": ["mimic", "panda_finger_joint2"],
    "constraineddynamics/fourbar.urdf": ["loop_joint", "left open"],
    "anymal_c/anymal.urdf": ["nv 18", "no body has these principal moments", "stand, trot"],
    "hyq/hyq_no_sensors.urdf": ["not positive definite", "stand, trot"],
    "quadruped/quadruped.urdf": ["nv 14", "without rotational inertia", "stand, trot"],
    "raisim_rsc/chain.urdf": ["nv 9", "spherical"],
    "ur5/ur5_robot.urdf": ["nv 6"],
    "simbenchmark/anymal_momentum_mujoco.urdf": ["nv 24", "2 trees"],
}

models = pathlib.Path(os.environ["MYRIAPOD_SOURCE"]).resolve().parent / "shared" / "models"
program = os.environ["MYRIAPOD_PROGRAM"]
if not models.is_dir():
    print(f"skipped: {models} is not here")
    sys.exit(77)
problems = []
files = sorted(models.rglob("*.urdf"))
for file in files:
    name = str(file.relative_to(models))
    for root in ("auto", "floating", "fixed"):
        done = subprocess.run([program, "info", str(file), "--root", root], capture_output=True, text=True, timeout=60)
        said = done.stdout + done.stderr
        wanted = REFUSED.get(name) or (SAID.get(name, []) if root == "auto" else [])
        if done.returncode != (1 if name in REFUSED else 0):
            problems.append(f"{name} --root {root}: exit status {done.returncode}: {said.strip()[-300:]}")
        problems += [f"{name} --root {root}: does not say `{word}`" for word in wanted if word not in said]
missing = [name for name in list(REFUSED) + list(SAID) if not (models / name).is_file()]
problems += [f"{name}: not in {models}" for name in missing]
print("\n".join(problems) or f"{len(files)} files, {len(REFUSED)} of them refused, each with file, line and reason")
sys.exit(1 if problems or len(files) < 30 else 0)

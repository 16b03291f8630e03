#!/usr/bin/env python3
# ctest: slow needs=clang needs=python timeout=300
"""A humanoid's whole training, physics, task, policy and learner, has the same weights with this build's library and with clang's, and with each on every
instruction set that the machine has. python/tests/test_humanoid_bits.py has threads, stops and kills."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

BUILD, VENV = pathlib.Path(os.environ["MYRIAPOD_BUILD"]), pathlib.Path(os.environ["MYRIAPOD_VENV"])
#: Prints `ISA HASH` of each instruction set; its word: a folder.
TRAIN = """
import hashlib, sys
import numpy as np
from myriapod.settings import instruction_sets
from myriapod.train import main
for isa in instruction_sets():
    folder = f"{sys.argv[1]}/{isa}"
    if main(["g1-legs", "--envs", "48", "--seed", "5", "--quiet", "--set", "episode=1", "--iterations", "4", "--threads", "1", "--set", f"isa={isa}",
             "--learn", f"isa={isa}", "--log", folder]):
        sys.exit(1)
    with np.load(f"{folder}/model_3.npz") as file:
        print(isa, hashlib.sha256(b"".join(file[part].tobytes() for part in ("weights", "average", "mean", "square"))).hexdigest()[:16])
"""

installed = subprocess.run([VENV / "bin" / "python", "-c", "import myriapod; print(myriapod.__path__[0])"], capture_output=True, text=True, check=True)
found: dict[str, str] = {}
with tempfile.TemporaryDirectory() as made:
    for compiler, library in (("this build", BUILD / "libmyriapod.so"), ("clang", BUILD / "sub" / "clang" / "libmyriapod.so")):
        package = pathlib.Path(made) / compiler
        shutil.copytree(installed.stdout.strip(), package / "myriapod")
        shutil.copy(library, package / "myriapod" / "lib" / "libmyriapod.so")
        done = subprocess.run([VENV / "bin" / "python", "-c", TRAIN, package], env={**os.environ, "PYTHONPATH": str(package)}, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"{compiler}: {done.stderr}")
        found |= {f"{compiler}, {line.split()[0]}": line.split()[1] for line in done.stdout.splitlines() if len(line.split()) == 2}
print("\n".join(f"{way}: {hash}" for way, hash in found.items()))
if len(set(found.values())) != 1 or len(found) < 2 or len(found) % 2:
    sys.exit("not one hash of both compilers on every instruction set")

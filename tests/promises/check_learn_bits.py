# ctest: slow needs=clang
# Weights that gcc's build and clang's build learn are the same, on every instruction set, for every number of threads.
import os
import subprocess
import sys

BUILD = os.environ["MYRIAPOD_BUILD"]
ITERATIONS = os.environ.get("MYRIAPOD_LEARN_HASHES", "3")


def hashes(program):
    done = subprocess.run([program], env={**os.environ, "MYRIAPOD_LEARN_HASHES": ITERATIONS}, check=True, capture_output=True, text=True)
    return dict(line.split(": ") for line in done.stdout.splitlines())


mine = hashes(os.path.join(BUILD, "tests", "test_learn"))
theirs = hashes(os.path.join(BUILD, "sub", "clang", "tests", "test_learn"))
if not mine or mine.keys() != theirs.keys():
    sys.exit(f"the builds have other instruction sets: {sorted(mine)} and {sorted(theirs)}")
if len({*mine.values(), *theirs.values()}) != 1:
    sys.exit("\n".join(f"{name}: {mine[name]}, clang {theirs[name]}" for name in mine))
print(f"{len(mine)} ways, two compilers, {ITERATIONS} iterations: {next(iter(mine.values()))}")

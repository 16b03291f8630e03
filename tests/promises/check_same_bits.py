#!/usr/bin/env python3
# ctest: heavy timeout=600
"""One hash per precision for 1003 robots of the random task over 500 steps, for a linkage with limits, friction, loops, a coupling and pairs of
geoms, and for robots in maximal coordinates, whatever computes them: instruction set, number of threads, one batch or
two that continue each other by --first-env (their hashes are added modulo 2^64).

MYRIAPOD_FULL=1: every combination (the portable code, which takes five times as long, is otherwise sampled). MYRIAPOD_OTHER_PROGRAM: a program
built otherwise that must give the same; check_same_bits_clang.py brings the one that clang made.
"""
import os
import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import oracle

# Robots, steps, where they are cut in two: neither whole tiles nor, with 2 or 3 threads, equal shares; the cut is within a tile.
ANYMAL = (["anymal", "--task", "random"], 1003, 500, 421)
LINKAGE = ([str(oracle.SOURCE / "tests" / "models" / "linkage.urdf"), "--loop-projection", 1, "--limit-recheck", 1], 21, 500, 13)
MAXIMAL = (["anymal", "--task", "random", "--dynamics", "maximal", "--dt", "2e-3", "--gap", "0.05"], 103, 200, 41)
THREADS, PIECES = (1, 2, 3), (1, 2)


def piece(program, scene, precision, isa, threads, first, envs):
    """The program's report of one batch."""
    oracle.PROGRAM = program
    return oracle.run(["run", *scene[0], "--envs", envs, "--steps", scene[2], "--warmup", 0, "--precision", precision, "--isa", isa, "--threads", threads,
                       "--first-env", first])


def state_hash(program, scene, precision, isa, threads, pieces):
    envs, cut = scene[1], scene[3]
    cuts = (0, envs) if pieces == 1 else (0, cut, envs)
    total = 0
    for first, end in zip(cuts, cuts[1:]):
        report = piece(program, scene, precision, isa, threads, first, end - first)
        if report["isa"] != isa or report["threads"] != threads or report["precision"] != precision or report["envs"] != end - first:
            sys.exit(f"asked for {isa}, {threads} threads, {precision}, {end - first} robots; the report says {report}")
        if not report["contacts_mean"] > 0.5 or report["quarantined"]:
            sys.exit(f"{report['contacts_mean']} contacts, {report['quarantined']} quarantined: not what should be compared")
        if scene is LINKAGE and not (report["loop_error_max"] > 0 and report["limit_violation_max"] is not None):
            sys.exit("the linkage has no loops and limits")
        total = (total + int(report["state_hash"], 16)) % 2**64
    return total


def combinations(isas, full):
    for isa in isas:
        for threads in THREADS:
            for pieces in PIECES:
                if isa != "portable" or full or (threads, pieces) in ((1, 1), (3, 2)):
                    yield isa, threads, pieces


def check(programs, witness=None):
    """All combinations by each program; `witness`, a program whose own combinations are another test's, says once what must come out."""
    full = bool(os.environ.get("MYRIAPOD_FULL"))
    isas = oracle.instruction_sets()
    failures, runs = [], 0
    for scene, precision in [(scene, precision) for scene in (ANYMAL, LINKAGE, MAXIMAL) for precision in ("f32", "f64")]:
        seen = {}
        if witness:
            seen[state_hash(witness, scene, precision, isas[0], 1, 1)] = [f"{witness}, {isas[0]}"]
        for program in programs:
            for isa, threads, pieces in combinations(isas, full):
                value = state_hash(program, scene, precision, isa, threads, pieces)
                seen.setdefault(value, []).append(f"{program}, {isa}, {threads} threads, {pieces} pieces")
                runs += 1
        if len(seen) > 1:
            failures += [f"{scene[0][0]}, {precision}: {value:016x} by\n  " + "\n  ".join(who) for value, who in seen.items()]
        print(f"{os.path.basename(scene[0][0])}, {precision}: {', '.join(f'{value:016x}' for value in seen)}")
    if len({piece(programs[0], ANYMAL, "f32", isas[0], 1, first, 16)["state_hash"] for first in (0, 16)}) != 2:
        failures.append("different robots have the same hash: it says nothing")
    print(f"{runs} runs on {', '.join(isas)}, {'all' if full else 'a choice of'} combinations: {len(failures)} failures")
    if failures:
        sys.exit("\n".join(failures))


if __name__ == "__main__":
    other = os.environ.get("MYRIAPOD_OTHER_PROGRAM")
    if not oracle.PROGRAM:
        sys.exit("MYRIAPOD_PROGRAM is not set: the path of the program `myriapod`")
    check([oracle.PROGRAM] + ([other] if other else []))

"""Shared by the check_oracle_*.py scripts: where the truth lies, how to run the program on it, how a table is printed.
Standard library only."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(os.environ.get("MYRIAPOD_SOURCE", pathlib.Path(__file__).resolve().parents[2]))
OWN = SOURCE / "tests" / "oracle"  # made by this project (tests/oracle/README.md): always there
SHARED = SOURCE.parent / "shared"  # larger ones made by others, where they lie beside this tree
PROGRAM = os.environ.get("MYRIAPOD_PROGRAM", "")


def begin(kind):
    """The folders of that kind (`contact` or `rbd`), the own one first, each with the directory that its `source` entries start from."""
    if not PROGRAM:
        sys.exit("MYRIAPOD_PROGRAM is not set: the path of the program `myriapod`")
    if not (OWN / kind).is_dir():
        sys.exit(f"{OWN / kind} is not there: it belongs to this tree")
    folders = [(OWN / kind, SOURCE)]
    path = SHARED / "oracles" / kind
    if path.is_dir():
        folders.append((path, SHARED))
    else:
        print(f"shared oracles: not here ({path})")
    return folders


def run(arguments):
    """Run the program with --json into a temporary file; its contents, or None with the message in `refused`."""
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out.json")
        environment = {k: v for k, v in os.environ.items() if k != "MYRIAPOD_ISA"}
        done = subprocess.run([PROGRAM, *map(str, arguments), "--json", out], capture_output=True, text=True, env=environment)
        if done.returncode != 0:
            raise Refused(f"myriapod {' '.join(map(str, arguments))}: exit {done.returncode}: {done.stderr.strip()}")
        with open(out, encoding="utf-8") as file:
            return json.load(file)


class Refused(Exception):
    pass


def instruction_sets():
    """Those that the program says it can use here, the widest first."""
    info = subprocess.run([PROGRAM, "info"], capture_output=True, text=True, check=True).stdout
    listed = re.findall(r"^  (\S+) +(.+)$", info.split("\nInstruction sets\n")[1].split("\nWould be used")[0], re.M)
    present = [name for name, words in listed if words.startswith("available")]
    for name, words in listed:
        if name not in present:
            print(f"{name}: {words}")
    if not present:
        sys.exit("no instruction set of this machine is accepted")
    return present


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def answers_of(document):
    """What `solve` answers, with numbers for its null residuals: infinite where there is no answer, whose impulse must be zero then, and 0
    without contacts. Null anywhere else ends the test."""
    for answer in document["problems"]:
        nothing, empty = answer["status"] == "not finite", not answer["impulse"]
        if {answer["residual"] is None, answer["residual_ncp"] is None} != {nothing or empty} or (nothing and any(answer["impulse"])):
            sys.exit(f"status and residual disagree: {answer}")
        if nothing or empty:
            answer["residual"] = answer["residual_ncp"] = 0.0 if empty else float("inf")
    return document["problems"]


def flat(values):
    if isinstance(values, list):
        return [x for value in values for x in flat(value)]
    return [values]


def relative(ours, truth, floor=0.0):
    """Largest difference relative to the largest entry of the truth, or to `floor` where that is larger."""
    ours, truth = flat(ours), flat(truth)
    if len(ours) != len(truth):
        return float("inf")
    scale = max([abs(x) for x in truth] + [floor])
    worst = 0.0
    for a, b in zip(ours, truth):
        d = abs(a - b)
        if not d <= worst:
            worst = d if d == d else float("inf")
    return worst / scale if scale > 0 else worst


def condition(matrix):
    """Largest over smallest eigenvalue of a symmetric positive definite matrix, by Jacobi rotations."""
    a = [row[:] for row in matrix]
    n = len(a)
    for _ in range(60):
        off = sum(a[i][j] ** 2 for i in range(n) for j in range(n) if i != j)
        if off <= 1e-34 * sum(x * x for row in a for x in row):
            break
        for p in range(n):
            for q in range(p + 1, n):
                if a[p][q] == 0:
                    continue
                theta = (a[q][q] - a[p][p]) / (2 * a[p][q])
                t = (1 if theta >= 0 else -1) / (abs(theta) + (theta * theta + 1) ** 0.5)
                c = 1 / (t * t + 1) ** 0.5
                s = t * c
                for k in range(n):
                    a[k][p], a[k][q] = c * a[k][p] - s * a[k][q], s * a[k][p] + c * a[k][q]
                for k in range(n):
                    a[p][k], a[q][k] = c * a[p][k] - s * a[q][k], s * a[p][k] + c * a[q][k]
    values = [a[i][i] for i in range(n)]
    return max(values) / min(values) if min(values) > 0 else float("inf")

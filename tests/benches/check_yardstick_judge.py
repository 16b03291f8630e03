#!/usr/bin/env python3
# ctest: slow needs=python timeout=120
"""The judge of the contact yardstick: right, wrong, nearly right, NaN, of the wrong shape and late answers; profiles by hand; distances of all models beside
the engine's own residuals; solvers of a user that cannot be one, each refused with its file, its function and what came back."""
import os
import pathlib
import subprocess
import sys

if not os.environ.get("MYRIAPOD_YARDSTICK_INSIDE"):  # NumPy and the package are in the tests' virtual environment
    python = pathlib.Path(os.environ["MYRIAPOD_VENV"]) / "bin" / "python"
    sys.exit(subprocess.run([python, "-B", __file__], env={**os.environ, "MYRIAPOD_YARDSTICK_INSIDE": "1"}).returncode)

import json
import shutil
import tempfile
import time

import numpy as np

YARDSTICK = pathlib.Path(os.environ["MYRIAPOD_SOURCE"]) / "bench" / "contact_yardstick"
sys.path.insert(0, str(YARDSTICK))
import judge  # noqa: E402
import json_problems  # noqa: E402
import law_models  # noqa: E402
import leaderboard  # noqa: E402
import solver as solver_module  # noqa: E402
from problem import Problem, violation  # noqa: E402
from solver import Answer, Failed, ladder  # noqa: E402
from worker import TooLate, Worker, pack, unpack  # noqa: E402

from myriapod import contact  # noqa: E402

NO_ROWS = np.zeros((0, 3))
#: A point of 1 kg that lands and slides: it stops falling, and friction takes 0.5 of what the normal does.
SLIDES = Problem("hand", "slides", np.eye(3), np.array([3.0, 0.0, -2.0]), np.array([0.5]), NO_ROWS)
SLIDE = np.array([-1.0, 0.0, 2.0])
CONVEX = np.array([-1.4, 0.0, 2.8])  # the convex law's: onto the cone's edge along its normal, (c + l) . l = 0: it lifts off with 0.8
#: A row alone: dry friction 0.25 brakes 1 m/s to 0.75, and its limit at 0.5 takes the rest.
ROW = Problem("hand", "row", np.eye(1), np.array([1.0]), np.zeros(0), np.array([[0.25, -np.inf, 0.5]]))


def answers() -> None:

    def said(impulse: object, converged: bool | None = True, problem: Problem = SLIDES, accuracy: float = 1e-6, model: str = "full") -> judge.Verdict:
        return judge.judge(problem, Answer(np.asarray(impulse, dtype=float), 1.0, converged), accuracy, model)

    assert said(SLIDE).verdict == "solved" and said(SLIDE).distance < 1e-15
    assert said(SLIDE, None).verdict == "solved", "an answer that the law confirms needs no word"
    for axis in range(3):  # every component counts, either way
        for sign in (-1, 1):
            off = SLIDE + sign * 0.02 * np.eye(3)[axis]  # along y the law is flat: friction turned by an angle costs its square
            assert said(off).verdict == "wrong", (axis, sign, said(off))
            assert said(off, False).verdict == said(off, None).verdict == "not solved"
    near = said(SLIDE + [0, 0, 1e-5], accuracy=1e-6)
    assert near.verdict == "not solved" and 1e-6 < near.distance < 1e-5, near  # said converged, within ten times: no lie
    assert said([np.nan, 0, 2]).verdict == said([np.inf, 0, 2]).verdict == said(np.zeros(4)).verdict == said(np.zeros((1, 3))).verdict == "failed"
    assert said(np.zeros(3)).verdict == "wrong" and said(-SLIDE).verdict == "wrong"
    assert said(CONVEX, model="convex").verdict == "solved" and said(CONVEX).verdict == "wrong" and said(SLIDE, model="convex").verdict == "wrong"
    assert said(CONVEX, model="convex").full > 0.1, "the full law is measured, too"
    assert said([-0.5], problem=ROW).verdict == "solved" and said([-0.25], problem=ROW).verdict == said([-0.6], problem=ROW).verdict == "wrong"
    rows = judge.figures([said(SLIDE), said(np.zeros(3)), near, said([np.nan, 0, 2])], 1e-6)
    assert [rows[key] for key in ("problems", "solved", "wrong", "not solved", "failed", "near", "full law")] == [4, 1, 1, 1, 1, 1, 1], rows
    assert rows["median_s"] == np.inf and rows["total_solved_s"] == 1.0, "what is not solved costs more than anything"


def profile_numbers() -> None:
    inf = float("inf")
    curves = judge.profiles({"a": [1.0, 2.0, inf, inf], "b": [2.0, 1.0, 4.0, inf], "c": [inf, 6.0, 4.0, inf]})
    assert curves == {"a": [(1.0, 0.25), (2.0, 0.5)], "b": [(1.0, 0.5), (2.0, 0.75)], "c": [(1.0, 0.25), (6.0, 0.5)]}, curves
    assert judge.profiles({"a": [inf]}) == {"a": []} and judge.quantile([1.0, inf, 2.0], 0.5) == 2.0 and judge.quantile([1.0, inf], 0.95) == inf


def models() -> None:
    """On random problems, at the end of solves and after two sweeps: our distances are the engine's residuals."""
    import solver_myriapod

    rng = np.random.default_rng(5)
    worst, seen = {}, 0
    for _ in range(12):
        nc, nr = int(rng.integers(1, 5)), int(rng.integers(0, 3))
        A = rng.normal(size=(3 * nc + nr, int(rng.integers(3, 3 * nc + nr + 2))))
        lo, hi = -rng.exponential(1, nr), rng.exponential(1, nr)
        rows = np.stack([rng.exponential(1, nr), np.where(rng.random(nr) < 0.3, -np.inf, lo), np.where(rng.random(nr) < 0.3, np.inf, hi)], axis=1)
        p = Problem("random", "", A @ A.T, 3 * rng.normal(size=3 * nc + nr), rng.uniform(0, 1, nc), rows)
        R = rng.exponential(1, 3 * nc) if rng.random() < 0.5 else None  # compliance, of which Hwangbo's law sees the normal's
        for name, solver in solver_myriapod.solvers().items():
            for sweeps in (2, 2000):
                solved = contact.solve(**solver_myriapod._arguments(p), R=R, solver=name, tolerance=1e-8, max_sweeps=sweeps)
                if solved.status == "not finite":
                    continue
                a = solver_myriapod._answer(solved, 1e-8)
                own, full = law_models.distance(p, a.impulse, solver.model, a.R, divided=False), law_models.distance(p, a.impulse, "full", divided=False)
                seen += solved.residual > 1e-3
                terms = 1 + np.max(np.abs(p.G) @ np.abs(a.impulse)) / np.max(np.abs(p.c))  # what is rounded: solves that diverge have large ones
                worst[solver.model] = max(worst.get(solver.model, 0), abs(own - solved.residual) / terms, abs(full - solved.residual_ncp) / terms)
    assert set(worst) == set(law_models.MODELS) and max(worst.values()) < 1e-13, worst
    assert seen > 50, "some answers must be far from their laws, or this compares zeros"


def one_ladder() -> None:
    calls = []

    def call(tolerance: float) -> Answer:  # converges always, as it says, and is a hundred times as far off as it was asked to be
        calls.append(tolerance)
        return Answer(SLIDE + [0, 0, 100 * tolerance], 1e-3, True)

    assert judge.judge(SLIDES, ladder(SLIDES, 1e-6, "full", call), 1e-6, "full").verdict == "solved" and min(calls) < 1.1e-8 and max(calls) > 0.9e-3
    liar = ladder(SLIDES, 1e-6, "full", lambda tolerance: Answer(SLIDE + 0.1, 1e-3, True))
    assert judge.judge(SLIDES, liar, 1e-6, "full").verdict == "wrong"
    honest = ladder(SLIDES, 1e-6, "full", lambda tolerance: Answer(SLIDE + 0.1, 1e-3, tolerance > 1e-5))
    assert judge.judge(SLIDES, honest, 1e-6, "full").verdict == "not solved", "its word was for another accuracy"
    solver_module.LADDER_S = -1.0  # only the first call, whose tolerance is 1000 times the accuracy
    cut = ladder(SLIDES, 1e-6, "full", lambda tolerance: Answer(SLIDE + 0.1, 1e-3, True))
    solver_module.LADDER_S = 4.0
    assert judge.judge(SLIDES, cut, 1e-6, "full").verdict == "not solved", "it was not asked for this accuracy"


def failing() -> None:
    """No impulses keep a contact from closing whose body a limit pulls down at 0.5 m/s: one of the two is 0.25 m/s beyond.
    The point that slides has a solution."""
    import failures

    G = np.diag([1.0, 1.0, 1.0, 1.0])
    G[2, 3] = G[3, 2] = 1.0  # the row moves what the normal moves
    pulled = Problem("hand", "pulled", G, np.array([1.0, 0.0, 0.0, 0.0]), np.array([0.5]), np.array([[0.0, -np.inf, -0.5]]))
    assert abs(failures.escape(pulled) - 0.25) < 1e-6 and failures.escape(SLIDES) < 1e-7 and failures.escape(ROW) < 1e-7
    assert failures.classify(pulled, 1e-8, 1.0)["kind"] == "inconsistent" and failures.spectrum(pulled)[0] == 3
    found = failures.classify(SLIDES, 1e-8, 1.0)
    assert found["kind"] == "slow" and "hybrid closes it" in found["why"], found


FOREIGN = """
import ctypes, os, time
import numpy as np
def zero(G, c, mu, rows): return np.zeros(len(c))
def claims(G, c, mu, rows): print("noise"); return np.zeros(len(c)), True
def shape(G, c, mu, rows): return np.zeros(2)
def nan(G, c, mu, rows): return np.full(len(c), np.nan)
def word(G, c, mu, rows): return "five"
def raises(G, c, mu, rows): raise RuntimeError("no idea")
def dies(G, c, mu, rows): ctypes.string_at(0)
def late(G, c, mu, rows): time.sleep(60)
def scribbles(G, c, mu, rows):
    impulse = np.array([0.5 * c[2], 0, -c[2]])
    G[:] = c[:] = mu[:] = 0
    return impulse, True
def sometimes(G, c, mu, rows): return np.zeros(len(c)) if len(rows) else ctypes.string_at(0)
"""


def refusals(folder: pathlib.Path) -> None:
    (folder / "mine.py").write_text(FOREIGN)
    (folder / "broken.py").write_text("import nowhere_at_all\n")
    (folder / "noise.so").write_text("no library")
    expected = {"mine.py:shape": "mine.py:shape returns impulses of shape (2,), not (3,)", "mine.py:nan": "mine.py:nan returns nan as impulse 0 of 3",
                "mine.py:word": "mine.py:word returns str", "mine.py:raises": "mine.py:raises raises RuntimeError: no idea",
                "mine.py:dies": "mine.py:dies: its process died of SIGSEGV",
                "mine.py:late": "mine.py:late: no answer within 3 s", "mine.py:gone": "mine.py has no function gone",
                "broken.py:f": "broken.py: its import raises ModuleNotFoundError", "noise.so:f": "noise.so cannot be loaded",
                "nothing.py:f": "there is no file",
                "mine.py": "must be FILE.py:function"}
    for given, words in expected.items():
        try:
            leaderboard.entrants([str(folder / given)], adapters=(), limit=3)
        except Failed as failed:
            assert words in str(failed), (given, str(failed))
        else:
            raise AssertionError(f"{given} was let in")
    found, _ = leaderboard.entrants([str(folder / f"mine.py:{name}") for name in ("zero", "claims", "scribbles")], adapters=())
    data = leaderboard.run({"hand": [SLIDES, SLIDES]}, [1e-4, 1e-6], found, 5, log=lambda text: None)
    assert [(row["solved"], row["wrong"], row["not solved"]) for row in data["rows"]] == 2 * [(0, 0, 2), (0, 2, 0), (2, 0, 0)], data["rows"]
    given = str(folder / "mine.py:sometimes")
    with Worker("solver_foreign", [ROW, SLIDES, ROW], [given]) as worker:  # one that dies on the way takes no other problem with it
        verdicts = judge.one_at_a_time(next(iter(__import__("solver_foreign").solvers(given).values())), worker, 1e-6, 5, 60, range(3))
    assert [v.verdict for v in verdicts] == ["not solved", "failed", "not solved"] and "SIGSEGV" in verdicts[1].word, verdicts
    began = time.monotonic()
    with Worker("solver_foreign", [SLIDES], [str(folder / "mine.py:late")]) as worker:
        try:
            worker.solve("mine.py:late", 0, 1e-6, 0.5)
            raise AssertionError("it was waited for")
        except TooLate:
            assert time.monotonic() - began < 30


def examples(folder: pathlib.Path) -> None:
    """The two that ship solve what a textbook's sweeps can, and the program prints them in its table."""
    cc = shutil.which("cc") or shutil.which("gcc")
    assert cc, "no C compiler"
    command = [cc, "-O2", "-shared", "-fPIC", "-Wall", "-Werror", f"-I{YARDSTICK}", "-o", folder / "pgs.so", YARDSTICK / "examples" / "pgs.c", "-lm"]
    subprocess.run(command, check=True)
    both = Problem("hand", "both", np.diag([1.0, 1.0, 1.0, 1.0]), np.array([3.0, 0.0, -2.0, 1.0]), np.array([0.5]), ROW.rows)
    json_problems.write(folder / "hand.json", [SLIDES, both], [{}, {}])
    again, left = json_problems.read(folder / "hand.json")
    assert not left and np.array_equal(again[1].rows, both.rows) and np.array_equal(unpack(pack(again))[1].G, both.G)
    run = subprocess.run([sys.executable, "-B", YARDSTICK / "leaderboard.py", "--only", "hybrid", "--sets", folder / "hand.json", "--out", folder / "out",
                          "--solver", f"{YARDSTICK}/examples/pgs_numpy.py:pgs", "--solver", folder / "pgs.so:pgs"], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    data = json.loads((folder / "out" / "leaderboard.json").read_text())
    assert len(data["rows"]) == 2 * 2 * 3 and all(row["solved"] == row["problems"] == 1 for row in data["rows"]), data["rows"]
    assert "pgs_numpy.py:pgs" in run.stdout and "pgs.so:pgs" in run.stdout and "| hybrid" in run.stdout
    assert len((folder / "out" / "leaderboard.csv").read_text().splitlines()) == 1 + 12
    assert violation(both, np.append(SLIDE, -0.5)) < 1e-15


with tempfile.TemporaryDirectory() as made:
    answers()
    profile_numbers()
    models()
    one_ladder()
    failing()
    refusals(pathlib.Path(made))
    examples(pathlib.Path(made))
print("answers, profiles, models and refusals are judged as they must be")

"""The contact yardstick: every engine that can be installed on scenes with an exact answer, every solver that can be had on problems of others and ours.

    make yardstick                                             # all of it; 20 minutes on two cores
    make yardstick YARDSTICK=--quick                           # one minute
    make yardstick YARDSTICK='--parts problems --solver mine.py:solve'

Writes a folder: index.html with its pictures, scenes.csv, leaderboard.csv, yardstick.json, failures.json."""
from __future__ import annotations

import argparse
import html
import os
import pathlib
import sys
import time
import warnings

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parents[1]
sys.path.insert(0, str(HERE.parent / "tools"))
EXAMPLE = str(HERE / "examples" / "pgs_numpy.py") + ":pgs"
LIMITS = {False: {"time_limit": 2.0, "budget": 6.0, "most": 100}, True: {"time_limit": 0.5, "budget": 1.0, "most": 8}}  # by --quick: [s], [s], problems of a set


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="yardstick", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=SOURCE / "build", help="build directory of Myriapod")
    parser.add_argument("--out", type=pathlib.Path, help="folder of the report; default: yardstick in the build directory")
    parser.add_argument("--parts", default="scenes,problems", help="scenes, problems, or both")
    parser.add_argument("--quick", action="store_true", help="few scenes, few problems: shows that it works")
    parser.add_argument("--sets", default="", help="names of sets, files or folders of problems, by commas; default: all that are there")
    parser.add_argument("--solver", action="append", default=[], metavar="FILE:FUNCTION", help="a solver of yours, FILE.py or FILE.so (foreign_solver.h); again for more")
    args = parser.parse_args()
    args.parts = args.parts.split(",")
    for part in args.parts:
        if part not in ("scenes", "problems"):
            parser.error(f"--parts {part}: there are scenes and problems")
    args.build = args.build.resolve()
    args.solver = list(dict.fromkeys([EXAMPLE, *args.solver]))  # a textbook's solver, told as anybody's own
    args.out = args.out or args.build / "yardstick"
    return args


def machine(versions: list[str]) -> str:
    import subprocess

    import measure

    commit = subprocess.run(["git", "-C", SOURCE, "describe", "--always", "--dirty"], capture_output=True, text=True).stdout.strip() or "unknown"
    return (f"{measure.cpu_name()}, {os.cpu_count()} cores, load average {os.getloadavg()[0]:.1f} at the end; one core at a time is timed.\n"
            f"Myriapod at commit {commit}, {time.strftime('%Y-%m-%d')}. {'; '.join(versions)}.")


def leaders(data: dict) -> list[list[str]]:
    """Of each set and accuracy: who solves most by the full law and is the quickest of these, of rivals and of ours; a rival that leads is named first."""
    import report

    lines = []
    for name, accuracy in dict.fromkeys((row["set"], row["accuracy"]) for row in data["rows"]):
        rows = [row for row in data["rows"] if (row["set"], row["accuracy"], row["model"]) == (name, accuracy, "full")]
        order = lambda row: (-row["solved"], row["median_s"])
        told = lambda row: f"{row['solver']}: {row['solved']} of {row['problems']}, {report.number(1e6 * row['median_s'])} us"
        two = [min((row for row in rows if (row["engine"] == "Myriapod") == mine), key=order, default=None) for mine in (False, True)]
        if all(two):
            lines.append(["another" if order(two[0]) < order(two[1]) else "Myriapod", name, f"{accuracy:.0e}", *map(told, two)])
    return sorted(lines, key=lambda line: line[0] == "Myriapod")


def problems_part(data: dict) -> list[str]:
    import leaderboard
    import pictures
    import report

    parts = ["<h2 id=problems>Solvers on problems</h2>",
             f"<p>Every answer is judged from outside (<code>judge.py</code>). <b>Solved</b>: the solver's own law, measured by us, holds to the accuracy. <b>Wrong</b>: the solver said so, "
             f"and it does not hold within {data['wrong factor']:g} times. <b>Full law</b>: how many obey the hard law of Coulomb, whatever the solver's own is. A problem has "
             f"{data['time_limit_s']:g} s, a solver {data['budget_s']:g} s for a set at one accuracy; {leaderboard.LARGER:g} times "
             f"that where problems are large; what is not reached counts as failed. Times are of the solver's own call.</p>"]
    parts += ["<h3>Who leads</h3><p>By the full law: who solves most, of these the quickest by the median.</p>",
              report.table(["leads", "set", "accuracy", "the best of the others", "the best of Myriapod"], leaders(data))]
    engine_of = {row["solver"]: row["engine"] for row in data["rows"]}
    for made in leaderboard.tables(data):
        parts += [f"<h3>{html.escape(made['title'])}</h3>", report.table(made["head"], made["rows"], ["ours" if row[1] == "Myriapod" else "" for row in made["rows"]])]
    parts += ["<h2 id=profiles>Performance profiles</h2><p>After Dolan and Mor&eacute; 2002; solvers of the full law.</p>"]
    parts += [pictures.profile(of["curves"], engine_of, f"{of['set']}, {of['accuracy']:.0e}, {of['problems']} {of['which']}") for of in data["profiles"]]
    parts += ["<h2 id=failures>Problems that no solver closes</h2>"]
    if data["failures"]:
        keys = list(dict.fromkeys(key for of in data["failures"] for key, value in of.items() if not isinstance(value, (list, dict))))
        parts += [report.table(keys, [[str(of.get(key, "")) for key in keys] for of in data["failures"]]), "<p>They are in <code>failures.json</code>.</p>"]
    else:
        parts += ["<p>None.</p>"]
    return parts


def on_core(number: int) -> None:
    """What is timed stays on one core, beside what is timed on another."""
    cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {cores[number % len(cores)]})


def scenes_job(args: argparse.Namespace) -> tuple[dict, list[str]]:
    on_core(0)
    import quality
    import report

    data = quality.run(args.quick)
    report.scene_csv(data["rows"], args.out / "scenes.csv")
    return data, [report.rivals_part(data), report.quality_part(data)]


def problems_job(args: argparse.Namespace) -> tuple[dict, list[str]]:
    on_core(1)
    import leaderboard

    log = lambda text: print(text, file=sys.stderr, flush=True)
    found, missing = leaderboard.entrants(args.solver)
    names, gone = (args.sets.split(","), []) if args.sets else leaderboard.present(args.build, log)
    board = leaderboard.run(leaderboard.load_sets(names, log), solvers=found, quick=args.quick, log=log, **LIMITS[args.quick])
    board["missing"] += missing + gone
    leaderboard.save(board, args.out)
    return {key: value for key, value in board.items() if key not in ("unsolved", "records")}, problems_part(board)


def main() -> int:
    args, began = arguments(), time.perf_counter()
    import concurrent.futures
    import multiprocessing

    import build_package

    build_package.put_on_path(args.build)
    os.environ["PYTHONPATH"] = os.pathsep.join([sys.path[0], *filter(None, [os.environ.get("PYTHONPATH")])])  # of the processes that solvers run in
    warnings.simplefilter("ignore")
    import report

    args.out.mkdir(parents=True, exist_ok=True)
    jobs = {"scenes": scenes_job, "problems": problems_job}
    with concurrent.futures.ProcessPoolExecutor(2, multiprocessing.get_context("fork")) as pool:
        going = {part: pool.submit(jobs[part], args) for part in args.parts}
        done = {part: job.result() for part, job in going.items()}
    data = {part: made[0] for part, made in done.items()}
    parts = [text for made in done.values() for text in made[1]]
    gone = sorted({why for part in data.values() for why in part.get("missing", [])})
    if gone:
        parts.append("<h2>What is not here</h2><ul>" + "".join(f"<li>{html.escape(why)}</li>" for why in gone) + "</ul>")
    minutes = (time.perf_counter() - began) / 60
    versions = data["scenes"]["versions"] if "scenes" in data else []
    page = report.write(args.out, parts, data, machine(versions) + f"\nMade in {minutes:.1f} minutes.", ["make yardstick" + (" YARDSTICK=--quick" if args.quick else "")])
    print(f"{minutes:.1f} minutes; the page is {page}")
    for why in gone:
        print(f"left out: {why}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

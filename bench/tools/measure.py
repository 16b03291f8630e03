"""What the benches share: the program and the probe, timings gated by it, the machine's description, tables and result files.

Standard library only. A timing counts when the probe on the same core, right before and right after it, reaches 90 % of the best figures
ever seen from this build directory, and when the process had the core for at least 90 % of its time (bench/README.md says why)."""
import argparse
import csv
import datetime
import json
import os
import pathlib
import re
import shlex
import statistics
import subprocess
import sys
import tempfile
import time

SOURCE = pathlib.Path(__file__).resolve().parents[2]
QUIET = 0.9  # of the best probe; of the wall time


def arguments(description, repeats=3):
    """The options that every bench has; the caller may add its own."""
    usable = sorted(os.sched_getaffinity(0))
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=SOURCE / "build", help="build directory with `myriapod` and `bench/fma_probe`")
    parser.add_argument("--cpu", type=int, default=usable[-1], help="logical processor for one-thread timings")
    parser.add_argument("--under", default="", metavar="COMMAND", help="prefix of all timed processes, such as \"chrt -f 50\" (root) on a shared machine")
    parser.add_argument("--gate", choices=("all", "fma"), default="all", help="probe figures that must be quiet; fma: without the scalar one")
    parser.add_argument("--patience", type=float, default=20.0, help="seconds to wait for a quiet core before a timing")
    parser.add_argument("--repeats", type=int, default=repeats, help="good timings per figure; the median is quoted")
    parser.add_argument("--rounds", type=int, default=4, help="tries per good timing wanted; where the core is never quiet more tell little")
    parser.add_argument("--quick", action="store_true", help="small and rough: shows that the bench works")
    parser.add_argument("--results", type=pathlib.Path, default=SOURCE / "bench" / "results", help="folder for JSON and CSV")
    parser.add_argument("--date", default=datetime.date.today().isoformat(), help="date in the names of result files")
    return parser


class Bench:
    """Programs, prefix and gate of one session."""

    def __init__(self, args):
        self.args = args
        self.program = args.build / "myriapod"
        self.prober = args.build / "bench" / "fma_probe"
        for path in (self.program, self.prober):
            if not path.exists():
                sys.exit(f"{path} is not there: build first (make build), or say where with --build")
        self.prefix = shlex.split(args.under)
        self.patience = min(args.patience, 1.0) if args.quick else args.patience
        self.memory = args.build / "bench" / "probe_best.json"
        self.best = json.loads(self.memory.read_text(encoding="utf-8")) if self.memory.exists() else {}
        for _ in range(5):
            rates = self.probe()[0]
        self.best = {key: self.best[key] for key in rates}
        self.isas = [key for key in rates if key != "scalar"]
        self.gate = [key for key in rates if key != "scalar" or args.gate == "all"]

    def command(self, command, cpus):
        return [*self.prefix, "taskset", "-c", ",".join(map(str, cpus)), *map(str, command)]

    def probe(self, cpus=None, milliseconds=30):
        """Instructions per second by kind, one dictionary per core of `cpus` (default: the core of the timings), all probed at the same time.
        Raises the best figures seen and keeps them for other sessions."""
        started = [subprocess.Popen(self.command([self.prober, milliseconds], [cpu]), stdout=subprocess.PIPE, text=True) for cpu in cpus or [self.args.cpu]]
        cores = [json.loads(process.communicate()[0]) for process in started]
        best = {key: max(self.best.get(key, 0), *(core[key] for core in cores)) for key in cores[0]}
        if best != self.best:
            self.best = best
            self.memory.write_text(json.dumps(best), encoding="utf-8")
        return cores

    def quietness(self, cores):
        """Lowest of the gating figures of a probe over the best of its kind."""
        return min(rates[key] / self.best[key] for rates in cores for key in self.gate)

    def quiet_probe(self, cpus=None):
        """A quiet probe, or the last one when patience is over."""
        end = time.monotonic() + self.patience
        while self.quietness(cores := self.probe(cpus)) < QUIET and time.monotonic() < end:
            time.sleep(0.3)
        return cores

    def run(self, arguments, cpus=None):
        """`myriapod run` pinned to `cpus`: its figures, with `cpu_share` and `peak_rss_bytes` of the process."""
        cpus = cpus or [self.args.cpu]
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "out.json")
            share, rss = self.timed_process([self.program, "run", *arguments, "--threads", len(cpus), "--json", out], cpus)[1:]
            with open(out, encoding="utf-8") as file:
                return {**json.load(file), "cpu_share": share, "peak_rss_bytes": rss}

    def timed_process(self, command, cpus):
        """Runs to the end; (standard output, processor time over wall time and processors, peak resident bytes)."""
        with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as errors:
            start = time.monotonic()
            process = subprocess.Popen(self.command(command, cpus), stdout=out, stderr=errors)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            wall = time.monotonic() - start
            out.seek(0), errors.seek(0)
            if process.returncode != 0:
                raise Failed(f"{shlex.join(map(str, command))}: exit {process.returncode}: {errors.read().strip()}")
            return out.read(), (usage.ru_utime + usage.ru_stime) / (wall * len(cpus)), usage.ru_maxrss * 1024

    def gated(self, measure, cpus=None):
        """measure() between two probes of `cpus`: {"figures", "probes", "share"}."""
        before = self.quiet_probe(cpus)
        figures = measure()
        return {"figures": figures, "probes": [before, self.probe(cpus)], "share": figures.get("cpu_share", 1.0)}

    def is_good(self, timing):
        return min(map(self.quietness, timing["probes"])) >= QUIET and timing["share"] >= QUIET

    def collect(self, cases):
        """Times `cases` {name: measure, or (measure, cpus)} in rounds, so that a noisy minute does not hit one case alone, until each has
        enough good timings or `--rounds` times as many were tried. {name: timings}"""
        wanted = 1 if self.args.quick else self.args.repeats
        timings = {name: [] for name in cases}
        for _ in range(self.args.rounds * wanted):
            for name, case in cases.items():
                if sum(map(self.is_good, timings[name])) < wanted:
                    timings[name].append(self.gated(*case) if isinstance(case, tuple) else self.gated(case))
                    sys.stderr.write("." if self.is_good(timings[name][-1]) else "x")
                    sys.stderr.flush()
        sys.stderr.write("\n")
        return timings

    def summary(self, timings, key):
        """The timing of median `key` among the good ones (among all, marked noisy, when none is good)."""
        good = [t for t in timings if self.is_good(t)]
        chosen = sorted(good or timings, key=lambda t: t["figures"][key])
        values = [t["figures"][key] for t in chosen]
        middle = chosen[(len(chosen) - 1) // 2]
        return {**middle["figures"], key: statistics.median(values), "fastest": values[0], "slowest": values[-1],
                "good": len(good), "tried": len(timings), "noisy": not good, "quietness": min(map(self.quietness, middle["probes"]))}


class Failed(Exception):
    """A process that was to be measured ended with an error."""


def answer(*command):
    """What a program says as JSON; where it fails its message ends the bench."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(done.stderr)
    return json.loads(done.stdout)


def has_solver(bench, name):
    """None, or why this build cannot solve with `name`."""
    try:
        bench.run(["anymal", "--solver", name, "--envs", 1, "--steps", 1, "--warmup", 0])
        return None
    except Failed as failed:
        return str(failed).splitlines()[0].rsplit(": ", 1)[-1]


def cpu_name():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        return next((line.split(":", 1)[1].strip() for line in file if line.startswith("model name")), "unknown")


def fma_rate(build):
    """The widest vector FMAs of this processor: instructions per second of one core right now, and the floats of each; nan: no probe is built."""
    try:
        rates = json.loads(subprocess.run([build / "bench" / "fma_probe"], check=True, capture_output=True, text=True).stdout)
    except OSError:
        return float("nan"), 0
    return next(((rates[isa], floats) for isa, floats in (("avx512", 16), ("avx2", 8)) if isa in rates), (float("nan"), 0))


def machine(bench):
    """What the figures were measured on: quoted with every table and kept in every result file."""
    cpu = cpu_name()
    commit = subprocess.run(["git", "-C", SOURCE, "describe", "--always", "--dirty"], capture_output=True, text=True).stdout.strip()
    cache = next(iter(re.findall(r"usable here\s+(.*)", subprocess.run([bench.program, "info"], capture_output=True, text=True).stdout)), "")
    return {"cpu": cpu, "usable": cache, "commit": commit or "unknown", "date": bench.args.date, "probe_best": dict(bench.best),
            "timed_on_cpu": bench.args.cpu, "under": bench.args.under, "gate": bench.gate, "load_average": os.getloadavg()[0]}


def machine_text(m):
    probes = ", ".join(f"{rate / 1e9:.2f} G {key} {'additions' if key == 'scalar' else 'FMA'}/s" for key, rate in m["probe_best"].items())
    return f"{m['cpu']}; {m['usable']}; best probe {probes}; commit {m['commit']}, {m['date']}, load average {m['load_average']:.1f}"


def table(head, rows):
    """A Markdown table that is aligned for reading; numbers are formatted by the caller."""
    cells = [head, *rows]
    widths = [max(len(str(row[i])) for row in cells) for i in range(len(head))]
    line = lambda row: "| " + " | ".join(str(cell).ljust(w) if i == 0 else str(cell).rjust(w) for i, (cell, w) in enumerate(zip(row, widths))) + " |"
    return "\n".join([line(head), "|" + "|".join("-" * (w + 2) for w in widths) + "|", *map(line, rows)])


def write_results(bench, name, document, rows):
    """results/CPU_DATE_NAME.json and .csv; `rows` are dictionaries with the same keys."""
    slug = re.sub(r"[^a-z0-9.]+", "-", re.sub(r"\(r\)|\(tm\)|processor|cpu", "", document["machine"]["cpu"].lower())).strip("-")
    bench.args.results.mkdir(parents=True, exist_ok=True)
    path = bench.args.results / f"{slug}_{bench.args.date}_{name}"
    with open(f"{path}.json", "w", encoding="utf-8") as file:
        json.dump(document, file, indent=1)
        file.write("\n")
    with open(f"{path}.csv", "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), extrasaction="ignore")
        writer.writeheader()
        writer.writerows(rows)
    print(f"written: {path}.json, {path}.csv")

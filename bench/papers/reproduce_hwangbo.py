#!/usr/bin/env python3
"""Tables I, II and Figs. 4 to 7 of Hwangbo, Lee, Hutter 2018, by the solvers here.

    python bench/papers/reproduce_hwangbo.py [--only table1 forms fig4 fig6] [--quick]

Needs matplotlib (`bench/setup_venv.sh`) and a build with `bench/` in it. Plots and tables go to bench/results/hwangbo, a sentence per claim to the
terminal; a claim that does not hold is the exit status, and no claim depends on time: times are printed beside the paper's. Table II and Fig. 5
come from bench/papers/table2.py, Fig. 7 from bench/papers/fig7.py. docs/reproductions.md says what comes out and where it differs from the paper."""
import json
import math
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "tools"))
import fig7
import figures

TASKS = ("trot", "hang", "drop", "random")
METHODS = ("bisection-paper", "golden", "quartic", "bisection", "bisection-warm")
TABLE1_US = {"bisection-paper": 0.58, "golden": 1.2, "quartic": 1.6}  # of the paper
FORMS = ("point", "value", "value-polar", "plain", "direct", "polar", "hybrid")  # of bench/papers/slip_cost/forms.lane.h
SLOPES = FORMS[3:]
EVALUATIONS = 16  # in one reading
SOLVERS = ("bisection-paper", "pgs", "bisection")


def program(report, name, *words):
    """What a program of bench/ prints, from JSON."""
    done = subprocess.run([str(report.build / "bench" / name), *map(str, words)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{name} {' '.join(map(str, words))}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def slip_contacts(path, most):
    """(G, c, mu) of a file of `paper_hwangbo record`."""
    data = path.read_bytes()
    for at in range(0, min(len(data), most * 128), 128):
        numbers = struct.unpack("16d", data[at : at + 128])
        yield numbers[:9], numbers[9:12], numbers[12]


def stopping(G, c):
    """-G^-1 c."""
    minor = [G[3 * ((i + 1) % 3) + (k + 1) % 3] * G[3 * ((i + 2) % 3) + (k + 2) % 3] - G[3 * ((i + 1) % 3) + (k + 2) % 3] * G[3 * ((i + 2) % 3) + (k + 1) % 3]
             for i in range(3) for k in range(3)]
    det = sum(G[k] * minor[k] for k in range(3))
    return [-sum(minor[3 * r + i] * c[r] for r in range(3)) / det for i in range(3)]


def algorithm1(G, c, mu, betas=(0.1, 0.5, 2.0), width=1e-6):
    """Algorithm 1 in scalars: (steps until the sign changes, halvings, impulse). Line 13 with the sign that works."""
    stop = stopping(G, c)

    def point(theta):
        co, si = math.cos(theta), math.sin(theta)
        r = -c[2] / (G[8] / mu + G[6] * co + G[7] * si)
        return r * co, r * si, r / mu

    def gradient(l):
        ex, ey = G[7] * -mu * mu * l[2] - G[8] * l[1], G[8] * l[0] + mu * mu * G[6] * l[2]
        w = [sum(G[3 * i + k] * l[k] for k in range(3)) + c[i] for i in range(2)]
        return w[0] * ex + w[1] * ey

    theta = before = math.atan2(stop[1], stop[0])
    here = past = point(theta)
    first, steps, halvings = gradient(here), 0, 0
    if first == 0:
        return 0, 0, here
    step = -math.copysign(betas[0], first)
    while steps < 200:
        steps += 1
        there = point(theta + step)
        d = [a - b for a, b in zip(there, stop)]
        if there[2] < 0 or there[0] * d[0] + there[1] * d[1] - mu * mu * there[2] * d[2] > 0:
            step *= betas[1]
            continue
        before, past, theta, here = theta, here, theta + step, there
        if gradient(here) * first <= 0:
            break
        step *= betas[2]
    while math.dist(past, here) > width and halvings < 100:
        halvings += 1
        middle = 0.5 * (theta + before)
        at = point(middle)
        if gradient(at) * first > 0:
            before, past = middle, at
        else:
            theta, here = middle, at
    return steps, halvings, here


def table1(report):
    """Table I: the cost of one slipping contact, by the slip solve, in registers of one lane and of many"""
    quick = report.quick
    count, repeats = (2000, 3) if quick else (100000, 15)
    rows, histogram, checked, off = [], {}, 0, 0.0
    with tempfile.TemporaryDirectory() as folder:
        for task in TASKS:
            path = pathlib.Path(folder) / task
            met = program(report, "paper_hwangbo", "record", task, path, f"count={count}")
            report.say(f"  {task}: {met['slipping']} slipping contacts of {met['contacts']} met")
            rows += [{"task": task, **row} for row in program(report, "slip_cost", path, f"repeats={repeats}")["rows"]]
            for G, c, mu in slip_contacts(path, 500 if quick else 5000):
                steps, halvings, _ = algorithm1(G, c, mu)
                histogram.setdefault(task, []).append((steps, halvings))
    header = ("unit", "lanes", "method", "paper_us", "ns", "ticks", "ratio_to_bisection", *(f"ns_{t}" for t in TASKS), "off_max")
    table, base = [], {}
    for unit in dict.fromkeys(row["unit"] for row in rows):
        for method in METHODS:
            mine = [row for row in rows if row["unit"] == unit and row["method"] == method]
            ns = sum(row["ns"] for row in mine) / len(mine)
            base.setdefault(unit, ns)
            table.append((unit, mine[0]["lanes"], method, TABLE1_US.get(method, ""), f"{ns:.2f}", f"{sum(r['ticks'] for r in mine) / len(mine):.1f}", f"{ns / base[unit]:.2f}",
                          *(f"{row['ns']:.2f}" for row in mine), f"{max(row['off_max'] for row in mine):.2g}"))
            report.say(f"  {unit:10} {method:16} {ns:8.1f} ns per contact = {ns / base[unit]:.2f} of bisection-paper" +
                       (f" (the paper: {TABLE1_US[method]} us = {TABLE1_US[method] / TABLE1_US['bisection-paper']:.2f})" if method in TABLE1_US else ""))
    report.table("table1", header, table)
    steps = {task: [s for s, _ in found] for task, found in histogram.items()}
    report.table("table1_steps", ("task", "steps to the sign change", "halvings", "contacts"),
                 [(task, s, h, found.count((s, h))) for task, found in histogram.items() for s, h in sorted(set(found))])
    everything = [s for found in steps.values() for s in found]
    report.say(f"  steps until the sign changes: 1 in {everything.count(1) / len(everything):.0%}, at most 2 in {sum(s <= 2 for s in everything) / len(everything):.0%}; then "
               f"{sum(h for found in histogram.values() for _, h in found) / len(everything):.1f} halvings on the mean to an interval of 1e-6 N s")
    report.differs(sum(h for found in histogram.values() for _, h in found) > 10 * len(everything),
                   "\"in most cases the bisection method converges in just two steps\" cannot be with an interval of 1e-6 N s, which alone takes 15 halvings")
    wide = [row for row in rows if row["unit"] == "one_f64"]
    report.claim(all(row["off_max"] <= 1e-6 for row in wide if row["method"] in ("bisection-paper", "golden")),
                 "bisection, golden section and quartic end in the same impulse, to 1e-6 N s, on all of them")
    report.claim(all(len({(r["off_p50"], r["off_p99"], r["off_max"]) for r in rows if r["task"] == task and r["method"] == m and r["unit"].endswith("f64")}) == 1 for task in TASKS for m in METHODS),
                 "one lane and many give the same impulses")
    report.claim(sum(s <= 3 for s in everything) > 0.5 * len(everything), "in most cases the sign changes within three steps of 0.1, 0.2, 0.4 rad: the first guess is near")

    figure, axes = report.plots(2, "Table I: one slipping contact")
    units = list(base)
    for k, method in enumerate(METHODS):
        axes[0].bar([u + 0.16 * (k - 2) for u in range(len(units))], [float(r[4]) for r in table if r[2] == method], 0.15, label=method)
    axes[0].set(yscale="log", ylabel="ns", xticks=range(len(units)))
    axes[0].set_xticklabels(units, fontsize=7)
    axes[0].legend(fontsize=6)
    axes[1].hist([[s for s in steps[task]] for task in TASKS], bins=[0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5], label=TASKS, density=True)
    axes[1].set(xlabel="steps until the gradient's sign changes", ylabel="share of contacts")
    axes[1].legend(fontsize=7)
    report.save("table1", figure)


def counted(report, path, unit, method):
    """Instructions of a register of contacts, exactly: what two more repeats take (callgrind)."""
    total = []
    for repeats in (1, 3):
        command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", "--toggle-collect=cost", report.build / "bench" / "slip_cost",
                   path, "forms=1", f"repeats={repeats}", f"unit={unit}", f"method={method}"]
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"callgrind: {done.stderr.strip()}")
        total.append(int(re.search(r"Collected : (\d+)", done.stderr).group(1)))
    row = json.loads(done.stdout)
    return (total[1] - total[0]) / 2 * row["rows"][0]["lanes"] / row["contacts"]


def per_evaluation(rows, key, kind):
    """{form: cost of one evaluation, the loop around it taken off}."""
    return {form: (rows[kind + form][key] - rows[kind + "nothing"][key]) / EVALUATIONS for form in FORMS}


def forms(report):
    """III-A and V-B: what the sign of the energy's slope costs beside its value, and by which form"""
    count, repeats, table = (256, 3, []) if report.quick else (20000, 25, [])
    lanes = {"one_f64": {}, "one_f32": {}, "avx2_f64": {}, "avx2_f32": {}, "avx512_f64": {}, "avx512_f32": {}}
    off = 0.0
    with tempfile.TemporaryDirectory() as folder:
        for task in TASKS:
            path = pathlib.Path(folder) / task
            program(report, "paper_hwangbo", "record", task, path, f"count={count}")
            for row in program(report, "slip_cost", path, "forms=1", f"repeats={repeats}")["rows"]:
                mine = lanes[row["unit"]].setdefault(row["method"], {"ticks": 0.0, "lanes": row["lanes"]})
                mine["ticks"] += row["ticks"] * row["lanes"] / len(TASKS)  # of a register
                if row["method"].startswith("search-") and row["unit"].endswith("f64"):
                    off = max(off, row["off_max"])
        few = pathlib.Path(folder) / "few"  # of each task as many
        few.write_bytes(b"".join((pathlib.Path(folder) / task).read_bytes()[: 128 * 256 * (1 if report.quick else 2)] for task in TASKS))
        counting = ("one_f64", "avx2_f32") if shutil.which("valgrind") else ()  # valgrind has no AVX-512
        for unit in counting[:1] if report.quick else counting:
            for method, row in lanes[unit].items():
                row["instructions"] = counted(report, few, unit, method)
    report.claim(off <= 1e-6, "the bisection ends in the impulse of the quartic by each of the four forms, to 1e-6 N s")
    for unit, rows in lanes.items():
        for key in ("instructions", "ticks"):
            if not rows or key not in rows["search-plain"]:
                continue
            for kind in ("chained-", "free-"):
                cost = per_evaluation(rows, key, kind)
                table += [(unit, key, kind[:-1], form, f"{cost[form]:.2f}") for form in FORMS]
                report.say(f"  {unit:10} {key:12} {kind[:-1]:7}: " + ", ".join(f"{form} {cost[form]:.1f}" for form in FORMS) +
                           f"; hybrid {cost['hybrid'] / cost['value']:.2f} of value, {cost['hybrid'] / cost['plain']:.2f} of plain, "
                           f"{cost['hybrid'] / cost['direct']:.2f} of direct, {cost['hybrid'] / cost['polar']:.2f} of polar")
            solve = {form: rows["search-" + form][key] for form in SLOPES}
            table += [(unit, key, "solve", form, f"{solve[form]:.1f}") for form in SLOPES]
            report.say(f"  {unit:10} {key:12} solve  : " + ", ".join(f"{form} {solve[form]:.0f}" for form in SLOPES) +
                       "; hybrid " + ", ".join(f"{solve['hybrid'] / solve[form]:.2f} of {form}" for form in SLOPES[:3]))
    report.table("forms", ("unit", "what", "how", "form", "per register"), table)
    if "instructions" not in lanes["one_f64"]["search-plain"]:
        report.say("  no valgrind here: instructions are not counted")
        return
    cost = per_evaluation(lanes["one_f64"], "instructions", "chained-")
    bare = {form: cost[form] - cost["point"] for form in FORMS}
    less = {form: 1 - cost["hybrid"] / cost[form] for form in FORMS}
    report.claim(1.05 < cost["hybrid"] / cost["value"] < 1.2,
                 f"the sign of the slope costs about 10 % more than the value: {-less['value']:.0%} in instructions")
    report.claim(cost["hybrid"] < cost["polar"] < cost["direct"] < cost["plain"],
                 "in instructions hybrid is the cheapest slope, then polar, then the plain one")
    report.claim(0.05 < less["polar"] < 0.15, f"hybrid costs about 10 % less than polar: {less['polar']:.0%} in instructions")
    report.differs(0.15 < less["plain"] < 0.25 and less["direct"] < 0.2,
                   f"hybrid is 30 % less than the plain form in time, not in instructions: there {less['plain']:.0%}, and {less['direct']:.0%} "
                   f"where the plain one does not normalize eta either; beside sine, cosine and r, which both need, "
                   f"{1 - bare['hybrid'] / bare['plain']:.0%} and {1 - bare['hybrid'] / bare['direct']:.0%}")


def fig4(report):
    """Fig. 4: sweeps per step, in bins of powers of two"""
    rows = []
    steps = {True: 200, False: 3000}[report.quick]
    figure, axes = report.plots(4, "Fig. 4: sweeps per step, percent of steps; bins by powers of two", width=3.2)
    mean, most = {}, {}
    for ax, task in zip(axes, TASKS):
        for k, solver in enumerate(SOLVERS):
            found = program(report, "paper_hwangbo", "sweeps", task, f"steps={steps}", f"solver={solver}")
            mean[task, solver], most[task, solver] = found["mean"], found["max"]
            percent = [100 * n / found["steps"] for n in found["bins"]]
            rows += [(task, solver, 0 if i == 0 else 2 ** (i - 1), f"{p:.4f}", found["mean"], found["max"]) for i, p in enumerate(percent) if i < 17]
            ax.bar([i + 0.27 * (k - 1) for i in range(17)], percent[:17], 0.26, label=solver)
        ax.set(title=task, xticks=range(0, 17, 4))
        ax.set_xticklabels([0, 8, 128, 2048, 32768])
        report.say(f"  {task}: sweeps per solve, mean (most): " + ", ".join(f"{s} {mean[task, s]:.1f} ({most[task, s]:.0f})" for s in SOLVERS))
    axes[0].legend(fontsize=7)
    report.save("fig4", figure)
    report.table("fig4", ("task", "solver", "sweeps from", "percent of steps", "mean", "most"), rows)
    report.claim(all(mean[task, "pgs"] > 5 * mean[task, "bisection-paper"] for task in ("hang", "drop")), "PGS takes about ten times the iterations in hang and drop (here more than five times)")
    report.claim(max(most[task, "pgs"] for task in TASKS) >= 20000 or report.quick, "at impacts PGS takes 20,000 iterations, our cap, and does not end")
    report.differs(mean["trot", "pgs"] > 5 * mean["trot", "bisection-paper"],
                   f"in trot PGS takes {mean['trot', 'pgs'] / mean['trot', 'bisection-paper']:.0f} times the sweeps, where the paper's difference nearly vanishes: there "
                   "feet do not slip, here half of them do; and PGS goes on until the full law holds, not until impulses stop changing")


def fig6(report):
    """Fig. 6: how far Coulomb's law and maximum dissipation are apart, |lambda_b - lambda_p| / |lambda_p| of the same problems"""
    rows = []
    figure, axes = report.plots(4, "Fig. 6: relative difference of the impulses of bisection and PGS on the same problems", width=3.2)
    below = {}
    for ax, task in zip(axes, TASKS):
        found = program(report, "paper_hwangbo", "models", task, f"steps={100 if report.quick else 1500}", *(["warmup=1000"] if task in ("hang", "drop") else []))
        modes, solves = found["modes"], max(found["solves"], 1)
        below[task] = found["below_1_percent"] / solves
        still = (found["below_1_percent"] - found["sliding_below_1_percent"]) / max(solves - found["sliding"], 1)
        share = {mode: n / max(sum(modes.values()), 1) for mode, n in modes.items()}
        report.say(f"  {task}: {below[task]:.1%} of {found['solves']} solves differ by less than 1 % (the paper: 99.6 %); of those without a sliding contact {still:.1%}, with one "
                   f"{found['sliding_below_1_percent'] / max(found['sliding'], 1):.1%}; contacts stick {share['stick']:.0%}, slide {share['slide']:.0%}, open {share['open']:.0%}")
        rows.append((task, found["solves"], f"{below[task]:.4f}", f"{still:.4f}", found["sliding"], f"{share['stick']:.4f}", f"{share['slide']:.4f}", f"{share['open']:.4f}", found["unsolved"], *found["bins"]))
        ax.bar(range(18), [100 * n / solves for n in found["bins"]])
        ax.set(title=f"{task}: {share['slide']:.0%} slide", xticks=(0, 6, 12, 16))
        ax.set_xticklabels(["<1e-16", "1e-11", "1e-5", "0.1"], fontsize=7)
        report.claim(still > 0.9, f"{task}: where nothing slides, both models are one")
        report.claim(found["unsolved"] <= 0.02 * solves, f"{task}: both solves reach their own law")
    report.save("fig6", figure)
    report.table("fig6", ("task", "solves", "below 1 %", "below 1 % without sliding", "with sliding", "stick", "slide", "open", "unsolved", *("<1e-16", *(f"1e{k}" for k in range(-16, 0)), ">=1")), rows)
    report.differs(max(below.values()) < 0.9, "the 99.6 % is the share of steps without sliding, a property of the motion: a sliding foot of ANYmal couples normal and tangent, and there the two models differ by far more than 1 %")


def fig7_curves(report):
    """Fig. 7: how deep the feet of hanging robots sink"""
    quick = report.quick
    seconds, envs = (4, 8) if quick else (200, 128)
    figure, axes = report.plots(1, f"Fig. 7: depth of the feet, hang, mean over robots, from {fig7.FROM_S} s on")
    rows, end = [], {}
    for name, (solver, _, dt) in fig7.CURVES.items():
        if quick and (dt < 1e-3 or "own" in name):
            continue
        curve = fig7.curve(report.build / "bench" / "foot_drift", name, seconds, envs // (4 if solver == "pgs" and not quick else 1), every=1 if quick else 2)
        axes[0].plot([r["t_s"] for r in curve["rows"]], [-r["drift_m"] for r in curve["rows"]], label=name)
        rows += [(name, r["t_s"], r["drift_m"], r["drift_error_m"]) for r in curve["rows"]]
        last = curve["rows"][-1]
        end[name] = (last["drift_m"], last["drift_error_m"])
        report.say(f"  {name}: {1e3 * last['drift_m']:.1f} +- {1e3 * last['drift_error_m']:.1f} mm after {last['t_s']:.0f} s, {curve['iterations_mean']:.1f} sweeps per solve")
        report.claim(curve["quarantined"] == 0, f"{name}: no robot is lost")
    axes[0].set(xlabel="s", ylabel="m")
    axes[0].legend(fontsize=7)
    report.save("fig7", figure)
    report.table("fig7", ("curve", "t_s", "drift_m", "drift_error_m"), rows)
    for better, worse in (("bisection 1e-6", "pgs 1e-8"), ("bisection 1e-6", "pgs 1e-6"), ("pgs 1e-8", "pgs 1e-6")):
        noise = 2 * (end[better][1] ** 2 + end[worse][1] ** 2) ** 0.5
        report.claim(end[better][0] < end[worse][0] + noise, f"{better} sinks no more than {worse}, within two standard errors")


def table2(report):
    """Table II and Fig. 5: seconds per 100k steps and where they go (bench/papers/table2.py)"""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-B", figures.SOURCE / "bench" / "papers" / "table2.py", "--build", report.build, "--results", folder,
                   *(["--quick", "--patience", "0", "--tasks", "hang,random", "--envs", "64"] if report.quick else [])]
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"table2.py: {done.stderr.strip()}")
        document = json.loads(next(pathlib.Path(folder).glob("*.json")).read_text(encoding="utf-8"))
    for line in done.stdout.split("\nwritten:")[0].splitlines():
        report.say(f"  {line}")
    rows, parts = document["rows"], ("dynamics", "delassus", "solve")
    report.table("table2", list(rows[0]), [list(row.values()) for row in rows])
    tasks = list(dict.fromkeys(row["task"] for row in rows))
    figure, axes = report.plots(len(tasks), "Fig. 5: ns per robot-step", width=3.2)
    for ax, task in zip(axes, tasks):
        mine, bottom = [row for row in rows if row["task"] == task], [0.0] * 9
        for part in parts:
            heights = [row[f"{part}_ns"] for row in mine]
            ax.bar(range(len(mine)), heights, bottom=bottom[: len(mine)], label=part)
            bottom = [b + h for b, h in zip(bottom, heights)]
        ax.set(title=task, xticks=range(len(mine)))
        ax.set_xticklabels([row["solver"] for row in mine], fontsize=6)
    axes[0].legend(fontsize=7)
    report.save("fig5", figure)
    report.claim(all(row["residual_max"] >= 0 and row["solve_ns"] > 0 for row in rows), "every solver is timed with what it reached")


if __name__ == "__main__":
    figures.run(__doc__.splitlines()[0], "hwangbo", {"table1": table1, "forms": forms, "table2": table2, "fig4": fig4, "fig6": fig6, "fig7": fig7_curves})

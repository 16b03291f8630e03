#!/usr/bin/env python3
"""Figs. 4 to 8 of Brüdigam, Janeva, Sosnowski, Hirche 2021: contacts and friction in maximal coordinates, in linear time.

The equations of the paper, one after the other in scalar double precision, are `tests/reference/maximal.h`; `bench/papers/maximal_paper.c` runs them.
Beside them in Figs. 4 and 5 stands the library itself, `dynamics=maximal-tree` in lanes (`bench/papers/maximal_lanes.c`): time of one robot of 16.
The text gives time steps of "0.01 ms" and "0.001 ms": 10 ms and 1 ms here, for so the robots walk as it says and its distance comes out.

    python bench/papers/reproduce_bruedigam.py [--only fig4 fig5 fig6 fig78] [--quick]

Needs matplotlib (`bench/setup_venv.sh`); about five minutes, most of them rounds of Figs. 4 and 5. Plots and tables go to
bench/results/bruedigam, a sentence per claim to the terminal. No claim depends on time: how straight the lines are is printed beside it."""
import json
import math
import pathlib
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "tools"))
import figures

EPSILON = 1e-6  # of the residual, the paper's
AXES = ("x", "y", "z")


def program(report, *words, name="maximal_paper"):
    """What bench/maximal_paper, or another, answers."""
    print(f"  {name} " + " ".join(map(str, words)), flush=True)
    done = subprocess.run([report.build / "bench" / name, *map(str, words)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{name} {' '.join(map(str, words))}: {done.stderr.strip()}")
    return json.loads(done.stdout)


# ---- Figs. 4, 5 -----------------------------------------------------------------------------------------------------------


def line(x, y):
    """Least squares: intercept, slope, R^2."""
    n, mx, my = len(x), sum(x) / len(x), sum(y) / len(y)
    across = sum((a - mx) ** 2 for a in x)
    slope = sum((a - mx) * (b - my) for a, b in zip(x, y)) / across
    left = sum((b - my - slope * (a - mx)) ** 2 for a, b in zip(x, y))
    return my - slope * mx, slope, 1 - left / sum((b - my) ** 2 for b in y) if n > 2 else 1.0


def say_how_straight(report, what, sizes, values, unit):
    """How near to a line through the sizes, and the exponent of the size where the constant part no longer counts."""
    _, slope, r2 = line(sizes, values)
    large = [(math.log(n), math.log(v)) for n, v in zip(sizes, values) if n >= 20]
    exponent = f"{line(*zip(*large))[1]:.3f}" if len(large) > 2 else "-"
    report.say(f"  {what}: R^2 {r2:.5f}, exponent from 20 on {exponent}, {slope * 1e6:.3g} us per {unit}")


def scaling(report, name, title, which, unit, statement):
    """One curve per program: {name: rows of size, seconds of all steps, iterations of all steps}."""
    words = ["rounds=3", "most=20"] if report.quick else ["rounds=40" if which == "contacts" else "rounds=12"]
    answer = program(report, which, *words)
    lanes = program(report, which, "rounds=1" if report.quick else "rounds=12", "most=20" if report.quick else "most=100", name="maximal_lanes")
    for row in lanes["sizes"]:
        row["seconds"] /= lanes["lanes"]
    curves = {"scalar reference, double": answer["sizes"], "lanes, double": lanes["sizes"]}
    steps = answer["steps"]
    report.say(f"  \"{statement}\": least time of every step in {answer['rounds']} rounds over all sizes, {steps} steps of 10 ms to ||r|| < {EPSILON:g}")
    for curve, rows in curves.items():
        sizes = [row["size"] for row in rows]
        say_how_straight(report, f"{curve}, time of a step", sizes, [row["seconds"] / steps for row in rows], unit)
        say_how_straight(report, f"{curve}, time of an iteration", sizes, [row["seconds"] / row["iterations"] for row in rows], unit)
        each = [row["iterations"] / steps for row in rows]
        report.say(f"  iterations of a step: {each[0]:.1f} at {sizes[0]}, {each[-1]:.1f} at {sizes[-1]}, which bends the line of times as much")
    report.claim(not any(row["open"] for row in lanes["sizes"]), "in lanes every step of every size ends within the tolerance")
    report.claim(all(row["fill_ins"] == 0 for row in answer["sizes"]), "\"no fill-ins will be created for a reordered matrix\": none at any size")
    blocks = [row["blocks"] for row in answer["sizes"]]
    steps_of_blocks = {b - a for a, b in zip(blocks, blocks[1:])}
    report.claim(len(steps_of_blocks) == 1, f"blocks of the factor, whose number is on a line: {blocks[0]} at {sizes[0]}, {blocks[-1]} at {answer['sizes'][-1]['size']}")
    report.claim(all(row["iterations"] <= 30 * steps for row in answer["sizes"]), "no size needs more than 30 iterations a step in the mean")

    columns = [*answer["sizes"][0], "open"]
    report.table(name, ["curve", *columns], [[curve, *(row.get(key, "") for key in columns)] for curve, rows in curves.items() for row in rows])
    figure, axes = report.plots(2, title)
    for curve, rows in curves.items():
        sizes, seconds = [row["size"] for row in rows], [row["seconds"] for row in rows]
        start, slope, r2 = line(sizes, seconds)
        axes[0].plot(sizes, seconds, "o", ms=3, label=curve)
        axes[0].plot(sizes, [start + slope * n for n in sizes], lw=1, label=f"least squares, R^2 {r2:.5f}")
        axes[1].plot(sizes, [row["seconds"] / row["iterations"] * 1e6 for row in rows], "o", ms=3, label=curve)
    axes[0].set(xlabel=f"{unit}s", ylabel=f"seconds of {steps} steps of one robot")
    axes[1].set(xlabel=f"{unit}s", ylabel="us of an iteration of Newton's method")
    axes[0].legend(fontsize=7)
    report.save(name, figure)


def fig4(report):
    """Fig. 4: time over contacts of one body"""
    report.say("  not in the text: where the cylinder starts. Here flat, 5 cm above the ground, at 1.1 m/s sideways and 1 rad/s about its axis")
    scaling(report, "fig4", "Fig. 4: one cylinder with c contacts", "contacts", "contact", "The O(c) computational complexity is clearly visible")


def fig5(report):
    """Fig. 5: time over links of a chain, a contact each and one more"""
    report.say("  not in the text: how the chain starts. Here in a plane 10 cm above the ground, each link at a right angle to the next, at 1.1 m/s sideways")
    scaling(report, "fig5", "Fig. 5: a chain of n links with n + 1 contacts", "links", "link", "the O(n + c) computational complexity can be clearly seen")


# ---- Fig. 6 ---------------------------------------------------------------------------------------------------------------


def turned(rows, dt):
    """Turns about [1 1 0] after every step: the axis stays where it is in body and world."""
    angles, angle = [], 0.0
    for row in rows:
        eta = [0.5 * dt * row[key] for key in ("wx", "wy", "wz")]
        size = math.sqrt(sum(e * e for e in eta))
        angle += math.copysign(2 * math.asin(size), eta[0] + eta[1]) / (2 * math.pi)
        angles.append(angle)
    return angles


def fig6(report):
    """Fig. 6: the hopper's full turn"""
    report.say("  not in the text: forces. Here those of the authors' example, whose head weighs 0.5 kg and not the text's 1 kg: both are run")
    runs = {}
    for mass in (1, 0.5):
        answer = program(report, "hopper", f"head={mass}", f"tolerance={EPSILON}")
        rows = [dict(zip(answer["columns"], row)) for row in answer["rows"]]
        angles = turned(rows, answer["dt"])
        top = max(range(len(rows)), key=lambda k: rows[k]["distance"])
        landed = next((k for k in range(top, len(rows)) if rows[k]["distance"] < 1e-6), None)
        runs[mass] = (rows, angles)
        least = min(row["distance"] for row in rows)
        report.say(f"  head of {mass} kg: in the air until {rows[landed or -1]['t']:.3f} s, {angles[landed or -1]:.4f} turns by then; joint gap {max(r['gap'] for r in rows):.1e} m")
        report.claim(landed is not None and abs(angles[landed] - 1) < 0.02, f"\"does a full turn around the [1 1 0] axis while in the air\": {angles[landed or -1]:.4f}, head of {mass} kg")
        report.claim(0 <= least < 1e-8, f"\"The minimum signed distance of the pole's contact point was 0.0 m\": {least:.1e} m")
        last = rows[-1]
        tilt = 2 * math.degrees(math.atan2(math.hypot(last["qx"], last["qy"]), math.hypot(last["qw"], last["qz"])))
        tilt = min(tilt, 360 - tilt)
        report.claim(tilt < 15, f"it stands at the end: tilted by {tilt:.1f} degrees")
        report.table(f"fig6_head_{mass:g}", [*answer["columns"], "turns"], [[*row.values(), angle] for row, angle in zip(rows, angles)])

    rows, angles = runs[1]
    figure, axes = report.plots(3, "Fig. 6: hopper, a jump with a full turn about [1 1 0] (head of 1 kg)")
    every = max(1, len(rows) // 18)
    for k in range(0, len(rows), every):
        row = rows[k]
        pole = upper_end(row)
        base = k / every * 0.12
        shade = str(0.75 - 0.75 * k / len(rows))
        axes[0].plot([base + pole[0] * 0.4, base - pole[0] * 0.4], [row["pole_z"] + pole[2] * 0.4, row["pole_z"] - pole[2] * 0.4], color=shade, lw=2)
        axes[0].plot([base], [row["z"]], "o", color=shade, ms=6)
    axes[0].set(title="seen along [1 1 0], moved sideways with time", ylabel="z / m", aspect="equal")
    axes[1].plot([row["t"] for row in rows], [row["distance"] for row in rows], lw=1)
    axes[1].set(xlabel="t / s", ylabel="distance of the pole's lower end / m")
    axes[2].plot([row["t"] for row in rows], angles, lw=1)
    axes[2].set(xlabel="t / s", ylabel="turns about [1 1 0]")
    report.save("fig6", figure)


def upper_end(row):
    """Direction of the pole: along [1 -1 0], across it, up."""
    w, x, y, z = (row[key] for key in ("qw", "qx", "qy", "qz"))
    up = [2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)]
    return [(up[0] - up[1]) / math.sqrt(2), (up[0] + up[1]) / math.sqrt(2), up[2]]


# ---- Figs. 7, 8 -----------------------------------------------------------------------------------------------------------


def figs78(report):
    """Figs. 7, 8: the quadruped walks"""
    report.say("  not in the text: gait, gains, first pose, friction of the feet. Here those of the authors' example; the gait's PD takes the state before the step, as theirs does")
    answer = program(report, "quadruped", f"seconds={1 if report.quick else 10}", f"tolerance={EPSILON}")
    finer = program(report, "quadruped", f"seconds={0.3 if report.quick else 3}", "tolerance=1e-9")
    distances, gaps = answer["distances"], answer["gap_by_tenths"]
    least = min(map(min, distances))
    report.claim(0 < least < 1e-8, f"\"The minimum signed distance of the contact points of all feet was 1.5e-9 m\": {least:.2e} m")
    report.claim(all(d > 0 for row in distances for d in row), "\"No penetration of the ground occurred\", by any foot in any step")
    below = min(map(min, finer["distances"]))
    report.claim(0 < below < 0.01 * least, f"that distance is the interior point's, not the robot's: to ||r|| < 1e-9 it is {below:.1e} m, joint gap {max(finer['gap_by_tenths']):.1e} m")
    report.claim(gaps[-1] <= gaps[0] * 1.1, f"\"no constraint drift occurs\": joint gap {gaps[0]:.1e} in the first tenth of the time, {gaps[-1]:.1e} in the last")
    way = math.dist(answer["start"][:2], answer["end"][:2])
    report.claim(way > 0.04 * answer["steps"] * answer["dt"] and answer["end"][2] > 0.15, f"it walks: {way:.2f} m in {answer['steps'] * answer['dt']:g} s, trunk {answer['end'][2]:.2f} m high at the end")
    report.say(f"  iterations of a step: {answer['iterations_mean']:.1f} in the mean, {answer['iterations_most']} at most")
    report.table("fig8", ["t", "front right", "front left", "rear right", "rear left"], [[(k + 1) * answer["dt"], *row] for k, row in enumerate(distances)])
    report.table("fig78_gap", ["tenth", "joint_gap"], list(enumerate(gaps, 1)))

    figure, axes = report.plots(2, "Fig. 8: signed distance of the front right foot")
    times = [(k + 1) * answer["dt"] for k in range(len(distances))]
    axes[0].plot(times, [row[0] for row in distances], lw=0.8)
    axes[0].set(xlabel="t / s", ylabel="distance / m")
    axes[1].semilogy(times, [max(row[0], 1e-12) for row in distances], lw=0.5)
    axes[1].axhline(least, color="k", lw=0.5)
    axes[1].set(xlabel="t / s", ylabel="distance / m", title=f"smallest of all feet: {least:.1e} m")
    report.save("fig8", figure)
    draw_walk(report, answer)


def draw_walk(report, answer):
    """Fig. 7: the legs at some moments, from the side; a colour per diagonal pair."""
    figure, axes = report.plots(1, "Fig. 7: the quadruped walks (from the side; moments moved apart)", width=12, height=2.4)
    pictures, rows = answer["pictures"], []
    every = max(1, len(pictures) // 6)
    for shown, points in enumerate(pictures[::every]):
        shift = 0.65 * shown
        hips = []
        for leg in range(4):
            line_of = points[1 + 4 * leg:5 + 4 * leg]
            hips.append(line_of[0])
            axes[0].plot([p[0] + shift for p in line_of], [p[2] for p in line_of], "-o", ms=2, lw=1, color="C0" if leg in (0, 3) else "C1")
        axes[0].plot([hips[0][0] + shift, hips[2][0] + shift], [hips[0][2], hips[2][2]], color="k", lw=3)
        axes[0].text(points[0][0] + shift, 0.27, f"{(shown * every + 1) * answer['every'] * answer['dt']:.2f} s", fontsize=7, ha="center")
    for shot, points in enumerate(pictures):
        rows += [[(shot + 1) * answer["every"] * answer["dt"], number, *point] for number, point in enumerate(points)]
    axes[0].axhline(0, color="0.5", lw=0.5)
    axes[0].set(xlabel="x / m", ylabel="z / m", ylim=(-0.03, 0.33), aspect="equal")
    report.table("fig7", ["t", "point", *AXES], rows)
    report.save("fig7", figure)


if __name__ == "__main__":
    figures.run(__doc__.splitlines()[0], "bruedigam", {"fig4": fig4, "fig5": fig5, "fig6": fig6, "fig78": figs78})

#!/usr/bin/env python3
"""Energy of a double pendulum over 1e6 steps of 10 ms: the variational integrator of Brüdigam 2021 (dynamics=maximal) and the semi-implicit Euler of
generalized coordinates, with and without spin-damping. An integrator that is symplectic keeps the mean; nothing here drives or brakes.

    python bench/papers/maximal_energy.py [--quick]

Needs matplotlib (`bench/setup_venv.sh`); seconds. A table and a plot go to bench/results/energy."""
import pathlib
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "tools"))
import figures

STARTS = ((0.8, 0.4), (1.2, 0.0), (1.0, 1.0))  # angles [rad], at rest
SCHEMES = {
    "maximal": ("dynamics=maximal", "tolerance=1e-10"),
    "generalized, spin-damping 0": ("dynamics=generalized", "spin-damping=0"),
    "generalized, spin-damping 0.5": ("dynamics=generalized", "spin-damping=0.5"),
}
DT = 0.01
REST = -9.81 * 2  # energy where it hangs down [J]


def run(report, start, words):
    """Windows (time, mean, low, high), and of both halves the same: None where the run ended before."""
    steps = 20_000 if report.quick else 1_000_000
    command = [report.build / "bench" / "maximal_energy", *map(str, start), str(steps), "100", f"dt={DT}", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"maximal_energy: {done.stderr.strip()}")
    lines = [line.split(",") for line in done.stdout.split()[1:]]
    halves = [float(x) for x in lines.pop()[1:]] if lines and lines[-1][0] == "halves" else None
    return [[float(x) for x in line] for line in lines], halves, done.stderr.strip()


def energy(report):
    """means of the energy over both halves of the run agree to 1e-4 of its range."""
    figure, axes = report.plots(len(STARTS), "Energy of a double pendulum, dt 10 ms: means of windows, and their ranges")
    rows = []
    for start, axis in zip(STARTS, axes):
        for scheme, words in SCHEMES.items():
            windows, halves, how = run(report, start, words)
            name = f"from {start[0]}, {start[1]} rad, {scheme}"
            if halves:
                low, high = min(halves[1], halves[4]), max(halves[2], halves[5])
                apart = abs(halves[3] - halves[0]) / (high - low)
                text = f"{name}: {halves[0]:.7f}, then {halves[3]:.7f} J, between {low:.5f} and {high:.5f}: apart by {apart:.1e} of the range ({how})"
            else:
                text = f"{name}: ends after {len(windows)} of 100 windows ({how})"
            if scheme == "maximal":
                report.claim(halves is not None and (apart < 1e-4 or report.quick), text)
            else:
                report.say(f"         {text}")
            rows += [[*start, scheme, *window] for window in windows]
            (drawn,) = axis.plot([w[0] for w in windows], [w[1] for w in windows], label=scheme, linewidth=1)
            axis.fill_between([w[0] for w in windows], [w[2] for w in windows], [w[3] for w in windows], alpha=0.2, color=drawn.get_color())
        axis.set(title=f"let go at {start[0]}, {start[1]} rad", xlabel="time [s]", ylabel="energy [J]", ylim=(REST - 1, 5))
    axes[0].legend(fontsize=7)
    report.save("energy", figure)
    report.table("energy", ["angle 1 [rad]", "angle 2 [rad]", "scheme", "time [s]", "mean [J]", "lowest [J]", "highest [J]"], rows)


if __name__ == "__main__":
    figures.run(__doc__, "energy", {"energy": energy})

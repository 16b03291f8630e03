#!/usr/bin/env python3
# ctest: long timeout=900
"""Fig. 7 of Hwangbo 2018 over its first 12 s (bench/papers/fig7.py draws all 200): the feet of hanging robots sink by what the scheme itself does, with the
bisection no more than that, and half as fast with half the time step.

Hanging robots are chaotic, so all of these are means over robots, and a difference only counts beyond two standard errors. That is not enough to
tell PGS at 1e-8 from PGS at 1e-6, nor in 12 s from the bisection: test_laws_drift compares solvers on equal motions, bench/papers/fig7.py over 200 s."""
import os
import pathlib
import sys

sys.path.insert(0, os.path.join(os.environ["MYRIAPOD_SOURCE"], "bench", "papers"))
import fig7

PROGRAM = pathlib.Path(os.environ["MYRIAPOD_BUILD"]) / "bench" / "foot_drift"
SECONDS, ROBOTS, ROBOTS_PGS = 12, 512, 64

drift, error = {}, {}
for name, (solver, _, _) in fig7.CURVES.items():
    curve = fig7.curve(PROGRAM, name, SECONDS, ROBOTS_PGS if solver == "pgs" else ROBOTS)
    last = curve["rows"][-1]
    drift[name], error[name] = last["drift_m"], last["drift_error_m"]
    print(f"{name:24} {1e3 * drift[name]:.2f} +- {1e3 * error[name]:.2f} mm after {last['t_s']:.0f} s, {curve['iterations_mean']:.1f} sweeps, "
          f"{curve['not_converged']} of {curve['solves']} not converged, {curve['quarantined']} quarantined")
    if curve["quarantined"] or last["robots"] < curve["envs"]:
        sys.exit(f"{name}: {curve['quarantined']} robots in quarantine, {last['robots']} of {curve['envs']} on their feet")

failures = []


def noise(*names):
    """Two standard errors of a difference of drifts [m]."""
    return 2 * sum(error[name] ** 2 for name in names) ** 0.5


own = "the scheme's own"
for ours, scheme in (("bisection 1e-6", own), ("bisection 1e-6, dt/2", own + ", dt/2")):
    if not drift[ours] > 0:
        failures.append(f"{ours}: no drift")
    if not abs(drift[ours] - drift[scheme]) < 0.1 * drift[scheme] + noise(ours, scheme):
        failures.append(f"{ours} is not within 10 % of {scheme}: {drift[ours] / drift[scheme]:.3f}")
full, half = "bisection 1e-6", "bisection 1e-6, dt/2"
if not abs(drift[half] - drift[full] / 2) < 0.1 * drift[full] + noise(half, full):
    failures.append(f"half the time step does not sink half as fast: {drift[half] / drift[full]:.3f}")
for better, worse in (("bisection 1e-6", "pgs 1e-8"), ("bisection 1e-6", "pgs 1e-6"), ("pgs 1e-8", "pgs 1e-6")):
    if not drift[better] < drift[worse] + noise(better, worse):
        failures.append(f"{better} sinks significantly more than {worse}")
if failures:
    sys.exit("\n".join(failures))

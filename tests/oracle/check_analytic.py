#!/usr/bin/env python3
# ctest: heavy
"""The closed forms of tests/oracle/contact/analytic.json, and where it is of ../shared/oracles, against what test_laws_contact and test_laws_impact
measure: each of its cases of contact exists there under the same name, has the file's parameters, and ends where the file says, within its tolerance.

A cube's corners couple normal and tangential directions, so the solvers of Hwangbo's model are not expected to follow Coulomb there
(docs/contact.md); how far they are is printed. test_laws_contact holds them to their own model's closed form.
"""
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import oracle

FAMILIES = {"test_laws_contact": ("slide_", "incline_", "sphere_", "dragged_", "lcp_bias_"), "test_laws_impact": ("drop_", "bounce_", "particle_")}
EXACT = 1e-9
DISSIPATION = ("bisection", "bisection-paper", "golden", "quartic")  # the solvers of Hwangbo's model


def measured(test):
    """Records of a C test: one per case, solver and shape. Under ctest the test has just run, and left them; else it runs here."""
    left = os.environ.get("MYRIAPOD_LAWS")
    if left:
        with open(os.path.join(left, f"{test}.records"), encoding="utf-8") as file:
            return [json.loads(line) for line in file]
    program = pathlib.Path(os.environ.get("MYRIAPOD_BUILD", "")) / "tests" / test
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "records")
        done = subprocess.run([program], env={**os.environ, "MYRIAPOD_LAWS_OUT": out}, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"{program} fails by itself:\n{done.stdout}{done.stderr}")
        with open(out, encoding="utf-8") as file:
            return [json.loads(line) for line in file]


def parameters(case):
    """What the C test must have been given: mu, speed, angle, rate, cap of the dragging force."""
    setup = case["setup"]
    rate, cap = 0, 0
    if "force" in setup:  # "min(20*t, inf) N along x at the CoM"
        words = setup["force"].removeprefix("min(").split(")")[0].split("*t, ")
        rate, cap = float(words[0]), float(words[1])
    speed = setup.get("v0", 0)
    angle = setup.get("angle_rad", math.radians(setup.get("angle_deg", setup.get("contact_frame_rotated_by_deg", 0))))
    return {"mu": setup["mu"], "speed": speed[0] if isinstance(speed, list) else speed, "angle": angle, "rate": rate, "cap": cap}


def comparisons(case, seen):
    """(what, measured, expected, allowed)"""
    name, setup, expected = case["id"], case["setup"], case["expected"]
    dt = setup.get("dt", 1e-3)
    if name.startswith("slide_"):
        yield "distance", seen["distance"], expected["distance_discrete_semi_implicit"], EXACT
        yield "distance, continuous", seen["distance"], expected["distance_continuous"], setup["v0"][0] * dt
        yield "first step at rest", seen["first_step_at_rest"], expected["first_step_at_rest"], 0
        yield "lateral displacement", seen["lateral"], expected["lateral_displacement"], EXACT
        yield "normal velocity", seen["normal_velocity"], expected["normal_velocity"], EXACT
        yield "normal impulse", seen["normal_impulse"], expected["total_normal_impulse_per_step"], EXACT
    elif name.startswith("incline_"):
        load = setup["mass"] * 9.81 * dt
        allowed = 1e-6 if name == "incline_at" else EXACT  # "at the exact friction angle accept |v|<1e-6"
        yield "speed", seen["speed_after"], expected["speed_after_steps"], allowed
        yield "distance", seen["distance"], expected["distance_discrete_semi_implicit"], allowed
        yield "normal impulse", seen["normal_impulse"], load * math.cos(setup["angle_rad"]), EXACT
        if expected["sticks"]:
            yield "friction impulse", seen["friction_impulse"], -load * math.sin(setup["angle_rad"]), EXACT
    elif name.startswith("sphere_slide"):
        for key in ("final_speed", "energy_lost"):
            yield key, seen[key], expected[key], EXACT
        yield "final_spin", seen["final_spin"], expected["final_spin"], EXACT / setup["radius"]
        yield "time_to_roll", seen["time_to_roll"], expected["time_to_roll"], dt
        yield "distance_to_roll", seen["distance_to_roll"], expected["distance_to_roll"], setup["v0"] * dt
    elif name.startswith("sphere_incline"):
        yield "acceleration", seen["acceleration"], expected["acceleration"], EXACT
        yield "angular acceleration", seen["angular_acceleration"], expected["angular_acceleration"], EXACT / setup["radius"]
        yield "friction force", seen["friction_force"], expected["friction_force"], EXACT
    elif name.startswith("lcp_bias"):
        for k, axis in enumerate("xy"):
            yield f"{axis}, continuous", seen[axis], expected["displacement_in_contact_axes"][k], 2 * setup["v0"][0] * dt
            yield f"stop along {axis}", seen[f"stop_{axis}"], expected["stop_times_per_axis"][k], dt
    else:
        force = min(seen["rate"], seen["cap"] if seen["cap"] is not None else math.inf)
        yield "first slip", seen["slip_starts_at_t"], expected["slip_starts_at_t"], 2 * dt
        yield "velocity", seen["velocity_at_t1"], expected["velocity_at_t1"], dt * force
        yield "position", seen["position_at_t1"], expected["position_at_t1"], dt * expected["velocity_at_t1"]


def impact_comparisons(case, seen):
    """The same for what lands, bounces and meets the ground in one step."""
    expected = case["expected"]
    if case["id"] == "drop_inelastic":
        sink = 0 if seen["gap_term"] else 3.2e-3  # "1e-9 with the gap/dt term; <=|v|dt=3.2e-3 m penetration without it"
        yield "final centre height", seen["final_centre_height"], expected["final_centre_height"], sink + EXACT
        for axis in range(3):
            yield "final velocity", seen["final_velocity"][axis], expected["final_velocity"][axis], EXACT
        yield "steps to contact", seen["steps_to_contact"], expected["gap_form_steps_to_contact"], 0
    elif case["id"].startswith("bounce_"):  # "first order in dt": the speed at the first impact times dt, and dt per bounce so far
        speed = math.sqrt(2 * 9.81 * case["setup"]["height"])
        for n, (apex, time) in enumerate(zip(expected["apex_heights"], expected["impact_times"])):
            yield f"apex {n}", seen["apex_heights"][n], apex, 2 * speed * seen["dt"]
            yield f"impact {n}", seen["impact_times"][n], time, 3 * (n + 1) * seen["dt"]
    else:
        truth = next(c for c in expected["cases"] if c["g"] == seen["g"])
        yield "normal impulse", seen["p_n"], truth["p_n"], EXACT
        for axis in range(2):
            yield "friction impulse", seen["p_f"][axis], truth["p_f"][axis], EXACT
        for axis in range(3):
            yield "velocity", seen["v_next"][axis], truth["v_next"][axis], EXACT


def check_impacts(records, cases):
    """Failures and the number of comparisons."""
    failures, compared = [], 0
    for name, case in cases.items():
        wanted = [{"gap_term": 0}, {"gap_term": 1}] if not name.startswith("particle_") else [{"g": c["g"]} for c in case["expected"]["cases"]]
        for part in wanted:
            if not any(r["id"] == name and part.items() <= r.items() for r in records):
                failures.append(f"{name}: test_laws_impact has no case {part}")
    for seen in records:
        if seen["id"] not in cases:
            failures.append(f"{seen['id']}: not in the file")
            continue
        for what, ours, truth, allowed in impact_comparisons(cases[seen["id"]], seen):
            compared += 1
            if not abs(ours - truth) <= allowed:
                failures.append(f"{seen}: {what} is {ours!r}, the file says {truth!r}, allowed {allowed:.3g}")
    return failures, compared


def check_contacts(records, cases):
    """Failures, the number of comparisons, and how far Hwangbo's model is from Coulomb's on a cube."""
    failures, compared, apart = [], 0, {}
    for name, shape in ((name, shape) for name in cases for shape in ("point or ball", "cube")):
        wanted = ("point", "ball") if shape != "cube" else ("cube",)
        if not any(r["id"] == name and r["shape"] in wanted for r in records) and not (shape == "cube" and name.startswith(("sphere_", "lcp_bias_"))):
            failures.append(f"{name}: not among the {shape} cases of test_laws_contact")
    for seen in records:
        where = f"{seen['id']}, {seen['solver']}, {seen['shape']}"
        case = cases.get(seen["id"])
        if case is None:
            failures.append(f"{where}: not in the file")
            continue
        for key, value in parameters(case).items():
            ours = math.inf if seen[key] is None else seen[key]
            if ours != value and not abs(ours - value) <= 1e-15:
                failures.append(f"{where}: {key} is {ours!r} in the test and {value!r} in the file")
        for what, ours, truth, allowed in comparisons(case, seen):
            off = abs(ours - truth)
            if seen["shape"] == "cube" and seen["solver"] in DISSIPATION:
                apart[what] = max(apart.get(what, 0), off)
                continue
            compared += 1
            if not off <= allowed:
                failures.append(f"{where}: {what} is {ours!r}, the file says {truth!r}, off by {off:.3g}, allowed {allowed:.3g}")
    return failures, compared, apart


def main():
    folders = oracle.begin("contact")
    records = {test: measured(test) for test in FAMILIES}
    failures = []
    for folder, _ in folders:
        everything = oracle.load(folder / "analytic.json")["cases"]
        cases, impacts = ({c["id"]: c for c in everything if c["id"].startswith(FAMILIES[test])} for test in FAMILIES)
        wrong, compared, apart = check_contacts(records["test_laws_contact"], cases)
        more, others = check_impacts(records["test_laws_impact"], impacts)
        runs = sum(map(len, records.values()))
        print(f"{folder}: {len(cases) + len(impacts)} cases, {runs} runs, {compared + others} comparisons, {len(wrong) + len(more)} failures")
        print("largest distance of Hwangbo's model from Coulomb's on a cube:", ", ".join(f"{k} {v:.3g}" for k, v in apart.items()))
        failures += wrong + more
    if failures:
        sys.exit("\n".join(failures))


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""`myriapod eval` against the rigid-body oracle: M, bias, acc, energies, com and frames of every robot whose source is a
URDF, and of the chains, on every instruction set present and in both precisions. The oracle's accelerations go back to its torques
(inverse dynamics), and the whole Jacobians to its velocities.
ctest: heavy timeout=600

Bounds: M and bias 1e-11 of their largest entry (float 2e-4); acc max(1e-11, 1e-14 x condition number of M) (float
max(2e-4, 1e-7 x)); frames 1e-10 m. Where numpy is at hand it computes the condition numbers, else Jacobi rotations do."""
import pathlib
import sys
import tempfile
import json

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import oracle

try:
    import numpy

    def condition(matrix):
        values = numpy.linalg.eigvalsh(numpy.array(matrix))
        return values[-1] / values[0] if values[0] > 0 else float("inf")
except ImportError:
    condition = oracle.condition

BOUNDS = {
    "f64": {"M": 1e-11, "bias": 1e-11, "acc": (1e-11, 1e-14), "energy": 1e-11, "com": 1e-11, "pos": 1e-10, "rot": 1e-10, "vel": 1e-10, "Jpos": 1e-10, "id": 1e-11, "J": 1e-10},
    "f32": {"M": 2e-4, "bias": 2e-4, "acc": (2e-4, 1e-7), "energy": 2e-4, "com": 2e-4, "pos": 2e-4, "rot": 2e-4, "vel": 2e-4, "Jpos": 2e-4, "id": 2e-4, "J": 2e-4},
}


def rotation(q):
    w, x, y, z = q
    return [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
            2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
            2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]


def errors_of(ours, truth, mass):
    """Error of each quantity of one state."""
    e = {key: oracle.relative(ours[key], truth[key]) for key in ("M", "bias", "acc")}
    e["energy"] = max(oracle.relative(ours["kinetic"], truth["kinetic"]), oracle.relative(ours["potential"], truth["potential"], mass * 9.81))
    e["com"] = oracle.relative(ours["com"], truth["com"], 1.0)
    forces = max(sum(abs(m * a) for m, a in zip(row, truth["acc"])) + abs(b) for row, b in zip(truth["M"], truth["bias"]))  # that nearly cancel
    e["id"] = oracle.relative(ours["inverse_dynamics"], truth["tau"], forces)
    e.update(pos=0.0, rot=0.0, vel=0.0, Jpos=0.0, J=0.0)
    for name, frame in truth["frames"].items():
        mine = ours["frames"][name]
        e["pos"] = max(e["pos"], oracle.relative(mine["pos"], frame["pos"], 1.0))
        e["rot"] = max(e["rot"], oracle.relative(rotation(mine["quat_wxyz"]), rotation(frame["quat_wxyz"]), 1.0))
        e["vel"] = max(e["vel"], oracle.relative(mine["linvel_world"], frame["linvel_world"], 1.0), oracle.relative(mine["angvel_world"], frame["angvel_world"], 1.0))
        e["Jpos"] = max(e["Jpos"], oracle.relative(mine["Jpos"], frame["Jpos"], 1.0))
        velocity = [sum(j * v for j, v in zip(row, truth["v"])) for row in mine["J"]]
        e["J"] = max(e["J"], oracle.relative(mine["J"][:3], frame["Jpos"], 1.0), oracle.relative(velocity, frame["linvel_world"] + frame["angvel_world"], 1.0))
    return e


def check(path, data, model, isa, precision, conditions, failures):
    """One oracle file on one instruction set and precision; the worst errors, for the table."""
    with tempfile.TemporaryDirectory() as folder:
        asked = {key: data[key] for key in ("joint_order", "floating") if key in data}
        asked["states"] = [{key: state[key] for key in ("q", "v", "tau")} for state in data["states"]]
        for to, state in zip(asked["states"], data["states"]):
            to["vdot"] = state["acc"]
        states = pathlib.Path(folder) / "states.json"
        states.write_text(json.dumps(asked), encoding="utf-8")
        answer = oracle.run(["eval", model, "--meshes", "skip", "--states", states, "--jacobian", "--precision", precision, "--isa", isa])
    if len(answer["states"]) != len(data["states"]):
        failures.append(f"{path.stem} {isa} {precision}: {len(answer['states'])} states instead of {len(data['states'])}")
        return answer, None
    worst = {}
    for i, (ours, truth) in enumerate(zip(answer["states"], data["states"])):
        for key, error in errors_of(ours, truth, data["total_mass"]).items():
            bound = BOUNDS[precision][key]
            if isinstance(bound, tuple):
                bound = max(bound[0], bound[1] * conditions[i])
            if not error <= bound:
                failures.append(f"{path.stem} {isa} {precision} state {i}: {key} is off by {error:.3g}, allowed {bound:.3g}")
            worst[key] = max(worst.get(key, 0.0), error)
            if key == "acc":
                worst["acc/allowed"] = max(worst.get("acc/allowed", 0.0), error / bound)
    return answer, worst


def model_of(path, base, data):
    """What to give `eval`: the URDF the oracle was made from, chain-N, or None (an MJCF file)."""
    if path.stem.startswith("chain"):
        return "chain-" + path.stem[len("chain"):]
    source = data["source"].split()[0]
    return base / source if source.endswith(".urdf") else None


def main():
    folders = oracle.begin("rbd")
    isas = oracle.instruction_sets()
    columns = ["M", "bias", "acc", "acc/allowed", "energy", "com", "pos", "rot", "vel", "Jpos", "id", "J"]
    print(f"{'robot':24} {'isa':9} {'':4} {'cond M':>9} " + " ".join(f"{c:>11}" for c in columns))
    failures, checked = [], 0
    for path, base in ((path, base) for folder, base in folders for path in sorted(folder.glob("*.json"))):
        data = oracle.load(path)
        model = model_of(path, base, data)
        if model is None:
            print(f"{path.stem:24} not a URDF: {data['source'].split()[0]}")
            continue
        conditions = [condition(state["M"]) for state in data["states"]]
        for precision in ("f64", "f32"):
            first = None
            for isa in isas:
                try:
                    answer, worst = check(path, data, model, isa, precision, conditions, failures)
                except oracle.Refused as refused:
                    failures.append(str(refused))
                    continue
                if worst is None:
                    continue
                print(f"{path.stem:24} {isa:9} {precision:4} {max(conditions):9.1e} " + " ".join(f"{worst[c]:11.1e}" for c in columns))
                if first is not None and answer["states"] != first:
                    failures.append(f"{path.stem} {precision}: {isa} does not give the numbers of {isas[0]}")
                first = answer["states"] if first is None else first
                checked += 1
    print(f"{checked} runs, {len(failures)} failures")
    for failure in failures[:50]:
        print("  " + failure)
    if not any((oracle.OWN / "rbd").glob("*.json")):
        failures.append(f"{oracle.OWN / 'rbd'} is empty")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

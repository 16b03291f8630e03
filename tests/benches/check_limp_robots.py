#!/usr/bin/env python3
"""Limits of other people's robots, let go: h1, anymal_c and panda of ../shared/models, g1 and an Allegro hand of the package `example-robot-data`
(130 MB, fetched with pip into a folder that is thrown away, unless MYRIAPOD_EXAMPLE_ROBOTS names a folder that has them), and the ANYmal that
ships. They swing or fall for 10 s at 1 and 5 ms, in float and double, then come to rest; what is measured is bench/agree/limp.c's.

In motion no joint is farther beyond its limit than dt times the largest change of a joint's velocity in a step. At rest none is farther than
dt tolerance / length + 4 ulp(q), over limit-correction: that part of an error goes in a step, and the next step may make another one.
ctest: long timeout=1800
may skip: the program bench/limp is not built where MYRIAPOD_BENCH is off"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

SOURCE, BUILD = pathlib.Path(os.environ["MYRIAPOD_SOURCE"]).resolve(), pathlib.Path(os.environ["MYRIAPOD_BUILD"])
SHARED = SOURCE.parent / "shared" / "models"
PROGRAM = BUILD / "bench" / "limp"
CORRECTION = 0.2  # the setting's default
HUNG = ("root=fixed", "ground=off")
# who; file, of which folder; how it is put up
ROBOTS = [
    ("anymal, hung", None, "anymal", (*HUNG, "spin=30")),  # its limits are at 9.42 rad
    ("h1", "shared", "h1/h1.urdf", ()),
    ("h1, hung", "shared", "h1/h1.urdf", HUNG),
    ("anymal_c", "shared", "anymal_c/anymal.urdf", ()),
    ("anymal_c, hung", "shared", "anymal_c/anymal.urdf", (*HUNG, "spin=10")),
    ("panda", "shared", "panda/panda.urdf", (*HUNG, "meshes=skip")),  # its meshes are not beside it
    ("g1", "registry", "g1_description/urdf/g1_29dof_rev_1_0.urdf", HUNG),
    ("allegro", "registry", "allegro_hand_description/urdf/allegro_right_hand.urdf", HUNG),
]
CASES = [(dt, precision) for dt in ("1e-3", "5e-3") for precision in ("f32", "f64")]


def registry(folder):
    """The folder of the package's robots, or None and why not."""
    own = os.environ.get("MYRIAPOD_EXAMPLE_ROBOTS")
    if own:
        return pathlib.Path(own), ""
    done = subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--no-compile", "--target", folder,
                           "example-robot-data"], capture_output=True, text=True)
    found = next(pathlib.Path(folder).rglob("g1_description"), None)
    return (found.parent, "") if found else (None, f"example-robot-data: {(done.stderr.strip().splitlines() or ['no g1_description in it'])[-1]}")


def limp(path, *words):
    done = subprocess.run([PROGRAM, path, *words], capture_output=True, text=True, timeout=600)
    if done.returncode:
        sys.exit(f"limp {path} {' '.join(words)}: exit {done.returncode}: {done.stderr.strip()[-500:]}")
    return json.loads(done.stdout)


def settings(dt, precision):
    return [f"dt={dt}", f"precision={precision}", *(["tolerance=1e-10"] if precision == "f64" else [])]


def judge(who, path, put_up):
    """Lines of the table, and what is wrong."""
    lines, faults = [], []
    off = limp(path, *put_up, "joint-limits=off")
    for dt, precision in CASES:
        words = [*put_up, *settings(dt, precision)]
        on = limp(path, *words)
        said = f"{who}, dt {dt} s, {precision}"
        lines.append(f"| {who} | {1e3 * float(dt):g} | {precision} | {on['rows']} | {off['beyond_max']:.2g} | {on['beyond_max']:.1e} | {on['allowed']:.1e} | "
                     f"{100 * on['not_converged'] / max(1, on['solves']):.2f} % | {on['rest_beyond']:.1e} | {on['rest_share']:.2f} |")
        if not on["beyond_max"] <= on["allowed"]:
            faults.append(f"{said}: {on['beyond_max']:.3g} beyond a limit in motion, allowed {on['allowed']:.3g}")
        if not on["rest_share"] <= 1 / CORRECTION or (precision == "f64" and not on["rest_beyond"] <= 1e-9):
            faults.append(f"{said}: {on['rest_beyond']:.3g} beyond a limit at rest, {on['rest_share']:.3g} of dt tolerance / length + 4 ulp(q)")
        if abs(on["reported"] - max(0, on["beyond_max"])) > 1e-12:
            faults.append(f"{said}: limit_violation_max is {on['reported']:.6g}, seen were {on['beyond_max']:.6g}")
        if on["quarantined"] or on["rest_speed"] > 0.1:
            faults.append(f"{said}: {on['quarantined']} quarantined, {on['rest_speed']:.3g} rad/s at rest")
    return lines, faults


def main():
    if not PROGRAM.exists():
        print(f"{PROGRAM} is not there")
        sys.exit(77)
    table, faults = [], []
    with tempfile.TemporaryDirectory() as folder:
        folders, why = {None: None, "shared": SHARED if SHARED.is_dir() else None}, {"shared": f"{SHARED} is not there"}
        folders["registry"], why["registry"] = registry(folder)
        for who, where, file, put_up in ROBOTS:
            if where and not folders[where]:
                print(f"left out: {who}: {why[where]}")
                continue
            lines, wrong = judge(who, str(folders[where] / file) if where else file, put_up)
            table, faults = table + lines, faults + wrong
    print("| robot | dt [ms] | | rows | limits off: beyond [rad] | in motion | allowed | not converged | at rest | of its bound |")
    print("\n".join(["|---" * 10 + "|", *table, *faults]))
    sys.exit(1 if faults else 0)


main()

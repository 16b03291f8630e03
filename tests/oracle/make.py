#!/usr/bin/env python3
"""Makes the files of tests/oracle from seeds and formulas, with numpy and mpmath and without the library; README.md says what they hold.

    tests/oracle/make.py               all of them, some minutes
    tests/oracle/make.py single rbd    some of them: single, multi, analytic, rbd
    tests/oracle/make.py --verify      check what is stored: verify.py, with numpy alone"""
import json
import os
import pathlib
import sys

os.environ.setdefault("OMP_NUM_THREADS", "1")  # matrices of 18 x 18
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
HERE = pathlib.Path(__file__).resolve().parent
sys.dont_write_bytecode = True


def write(name, data, rows):
    """One line for the head, one for each of `rows`: a change shows where it is."""
    path = HERE / name
    path.parent.mkdir(exist_ok=True)
    head = json.dumps({k: v for k, v in data.items() if k != rows}, separators=(", ", ": "))
    lines = ",\n".join(json.dumps(row, separators=(",", ":")) for row in data[rows])
    path.write_text(f'{head[:-1]},\n"{rows}": [\n{lines}\n]}}\n', encoding="utf-8")
    print(f"{name}: {len(data[rows])} {rows}, {path.stat().st_size} bytes", flush=True)


def main(asked):
    if "--verify" in asked:
        import verify
        return verify.main()
    known = ("single", "multi", "analytic", "rbd")
    unknown = [word for word in asked if word not in known]
    if unknown:
        sys.exit(f"{unknown[0]}: not one of {', '.join(known)}, --verify")
    wanted = asked or known
    if "single" in wanted or "multi" in wanted:
        import contact_files
        if "single" in wanted:
            write("contact/single.json", contact_files.single(), "problems")
        if "multi" in wanted:
            write("contact/multi.json", contact_files.multi(), "problems")
    if "analytic" in wanted:
        import motions
        write("contact/analytic.json", motions.file(), "cases")
    if "rbd" in wanted:
        import bodies
        for name, data in bodies.files().items():
            write(f"rbd/{name}.json", data, "states")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

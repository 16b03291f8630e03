# ctest: long needs=python timeout=900
# The reproductions of Hwangbo 2018, Brüdigam 2021, Lu 2015 and Le Lidec 2024 run in their quick mode, every claim holds (none depends on time), and what is known to differ from the
# papers still does. It runs with the Python that check_python made; bench/setup_venv.sh makes another below the build directory.
import os
import pathlib
import subprocess
import sys
import tempfile

SOURCE, BUILD = pathlib.Path(os.environ["MYRIAPOD_SOURCE"]), pathlib.Path(os.environ["MYRIAPOD_BUILD"])
SCRIPTS = {"reproduce_hwangbo.py": (["--only", "table1", "forms", "fig4", "fig6", "fig7"], {"table1", "table1_steps", "forms", "fig4", "fig6", "fig7"}),
           "reproduce_bruedigam.py": ([], {"fig4", "fig5", "fig6_head_1", "fig7", "fig8"}),
           "reproduce_lu.py": ([], {"fig2", "fig345", "solver"}),
           "reproduce_lelidec.py": ([], {*(f"fig{k}" for k in range(9, 20)), "fig13_simulated", "fig14_cube", "fig17_bumps", "fig19_grip", "tables"})}


def python():
    for program in (pathlib.Path(os.environ["MYRIAPOD_VENV"]) / "bin" / "python", BUILD / "bench" / "venv" / "bin" / "python", sys.executable):
        if os.path.exists(program) and subprocess.run([program, "-c", "import matplotlib, numpy, cffi"], capture_output=True, check=False).returncode == 0:
            return program
    print("no Python with matplotlib, NumPy and cffi here; bench/setup_venv.sh installs one")
    sys.exit(77)


# Units of lane code for this alone, so that no other build waits for them.
subprocess.run(["cmake", "--build", BUILD, "--parallel", str(os.cpu_count()), "--target", "slip_cost"], check=True, stdout=subprocess.DEVNULL)
interpreter, failures = python(), []
for script, (options, tables) in SCRIPTS.items():
    with tempfile.TemporaryDirectory() as folder:
        command = [interpreter, "-B", SOURCE / "bench" / "papers" / script, "--build", BUILD, "--results", folder, "--quick", *options]
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
        print(done.stdout)
        if done.returncode != 0 or "DIFFERS" in done.stdout:
            failures.append(f"{script}: exit {done.returncode} {done.stderr}")
        if done.stdout.count("\n  holds") < 8:
            failures.append(f"{script}: few claims were looked at")
        written = {path.stem for path in pathlib.Path(folder).rglob("*.csv")}
        if not tables <= written:
            failures.append(f"{script}: wrote {sorted(written)}, not {sorted(tables - written)}")
        if not list(pathlib.Path(folder).rglob("*.png")):
            failures.append(f"{script}: no figures")
if failures:
    sys.exit("\n".join(failures))

"""What the tests of the program share: a folder to work in, a run of the program with what it must say, and the list of what was wrong."""
import json
import os
import pty
import re
import subprocess
import sys
import tempfile

PROGRAM = os.environ["MYRIAPOD_PROGRAM"]
SOURCE = os.environ["MYRIAPOD_SOURCE"]
OK, INPUT, USAGE = 0, 1, 2
WORK = tempfile.mkdtemp(prefix="myriapod-cli-")
QUICK = ["--envs", "20", "--steps", "5", "--warmup", "3"]
# A run that would not end before the test's time limit: what returns from it has not stepped.
FOREVER = ["--envs", "4096", "--steps", "1000000000"]
problems = []


def path(name):
    return os.path.join(WORK, name)


def write(name, content):
    with open(path(name), "w", encoding="utf-8") as file:
        file.write(content if isinstance(content, str) else json.dumps(content))
    return path(name)


def read(name):
    with open(path(name), encoding="utf-8") as file:
        return json.load(file)


def check(condition, what):
    if not condition:
        problems.append(what)
    return condition


def run(*words, status=OK, says=(), env=None):
    """Run the program; its exit status must be `status` and stderr must hold each string of `says`."""
    done = subprocess.run([PROGRAM, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=250, env=env)
    shown = "myriapod " + " ".join(words).replace(WORK + "/", "")
    check(done.returncode == status, f"{shown}: exit {done.returncode}, not {status}: {done.stderr.strip()[:400]}")
    for word in says:
        check(word in done.stderr, f"{shown}: stderr lacks `{word}`: {done.stderr.strip()[:400]}")
    return done


def near(a, b, scale=1.0):
    return abs(a - b) <= 1e-10 * max(1.0, scale)


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def solver_names():
    """The table of solvers, as the program refuses a name that is not in it."""
    refusal = run("compare", path("none.json"), "--solvers", "no-such-solver", status=USAGE, says=["no-such-solver", "there are "]).stderr
    return re.findall(r"[a-z][a-z0-9-]*", refusal.split("there are ")[1].split("\n")[0])


def terminal(purpose):
    """Both ends of a new terminal; a system without /dev/pts (a bare chroot, some containers) has none to give."""
    try:
        return pty.openpty()
    except OSError as error:
        print(f"not looked at: {purpose}: {error}")
        return None, None


def finish(*parts):
    """Run the parts of a test, print what was wrong, end the process. What a part returns is a note beside its `ok`."""
    for part in parts:
        before, note = len(problems), None
        try:
            note = part()
        except Exception as error:  # a part that breaks must not hide the others
            problems.append(f"{part.__name__}: {type(error).__name__}: {error}")
        print(f"{part.__name__}: {'ok' if len(problems) == before else 'FAILED'}{f' ({note})' if note else ''}", flush=True)
    subprocess.run(["rm", "-rf", WORK], check=True)
    print("\n".join(problems))
    sys.exit(1 if problems else 0)

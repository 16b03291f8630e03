#!/usr/bin/env python3
"""Words: papers go by author and year, never by a number, and no line of a page is longer than 160 characters.

A number that was a paper's name is 000, 002, 003 or 004 as a word, in a name (`step_` and the number) or in a file's name. The lines
that carry a solver's old name are the only ones that may have it, and they are listed here."""
import os
import re
import subprocess
import sys

SOURCE = os.environ.get("MYRIAPOD_SOURCE", os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
LONGEST = 160  # characters

# A paper's number: not part of a longer number, of a decimal, of a list of digits ("100 000", "1_000", "0,002") or of a date.
NUMBER = re.compile(r"(?<![0-9A-Za-z.])(?<![0-9][ _,])(?<![0-9]-)(?<![0-9][eE]-)00[0-4](?![0-9A-Za-z]|[.,][0-9])|[A-Za-z]_00[0-4](?![0-9])")
NAME = re.compile(r"(^|[/_-])00[0-4](?![0-9])")  # in a file's name
NOT_OURS = (".urdf", ".obj", ".dat", ".svg")  # other people's words, and data
OLD_NAME = "pgs-004"  # the alias: its table, and what is said about it
MAY_SAY_OLD_NAME = {"batch/settings.c", "include/myriapod/settings.h", "docs/api.md", "CHANGELOG.md", "python/tests/test_batch.py", "tests/check_cli_solve.py",
                    "tests/check_words.py", "tests/test_batch_state.c", "tests/test_settings.c"}
ORACLE_CASE = "particle_003"  # what a file of reference answers calls it, and so must all that is held beside it
MAY_SAY_CASE = {"tests/test_laws_impact.c", "tests/oracle/motions.py", "tests/oracle/contact/analytic.json"}


def tracked():
    """Paths of the files of the project, from git; of a source tree without git, all but what a build makes."""
    asked = subprocess.run(["git", "-C", SOURCE, "ls-files", "-z"], capture_output=True)
    if asked.returncode == 0 and asked.stdout:
        return [name for name in asked.stdout.decode().split("\0") if name and os.path.isfile(os.path.join(SOURCE, name))]
    found = []
    for folder, folders, files in os.walk(SOURCE):
        folders[:] = [f for f in folders if f not in ("build", ".git", "__pycache__") and not f.startswith(".")]
        found += [os.path.relpath(os.path.join(folder, f), SOURCE) for f in files]
    return found


def faults_of_line(name, line):
    """What is wrong with a line, in words."""
    rest = line
    if name in MAY_SAY_OLD_NAME:
        rest = rest.replace(OLD_NAME, "").replace('strlen("004")', "")
    if name in MAY_SAY_CASE:
        rest = rest.replace(ORACLE_CASE, "")
    if name != "tests/check_words.py" and NUMBER.search(rest):
        yield f"a paper's number, `{NUMBER.search(rest).group(0)}`; author and year, please"
    if name.endswith(".md") and len(line) > LONGEST:
        yield f"{len(line)} characters, more than {LONGEST}"


def selftest():
    """The patterns find what they are for, and nothing else."""
    for text in ("000's law", "(004 Algorithm 6)", "step_004(x)", "the pgs-004 solver", "of 003", '"004 Fig. 9"', "004-fig9.png", "see 002."):
        assert NUMBER.search(text), text
    for text in ("1.000", "0.004", "100 000 steps", "100_000", "0,002", "2000", "x004", "1e-004", "0.002 0.003", "2024-004", "000.5"):
        assert not NUMBER.search(text), text
    assert NAME.search("docs/images/004-fig9.png") and NAME.search("bench/paper_000.c") and not NAME.search("robots/x1000.urdf")


def main():
    selftest()
    names, faults = tracked(), []
    for name in names:
        if NAME.search(name):
            faults.append(f"{name}: a paper's number in a file's name")
        if name.endswith(NOT_OURS) or name.startswith("tests/fuzz/"):
            continue
        with open(os.path.join(SOURCE, name), "rb") as file:
            content = file.read()
        if b"\0" in content:
            continue
        for number, line in enumerate(content.decode("utf-8", "replace").splitlines(), 1):
            faults += [f"{name}:{number}: {fault}" for fault in faults_of_line(name, line)]
    if faults:
        print("\n".join(faults[:50] + ([f"and {len(faults) - 50} more"] if len(faults) > 50 else [])))
        return 1
    print(f"{len(names)} files: no paper goes by a number, no line of a page has more than {LONGEST} characters")
    return 0


if __name__ == "__main__":
    sys.exit(main())

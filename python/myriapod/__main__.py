"""`python -m myriapod COMMAND`: demo, train, score, play, ...; what a wheel installs as `myriapod`."""
from __future__ import annotations

import os
import runpy
import sys
from pathlib import Path

from . import __version__

COMMANDS = {
    "demo": "a robot learns to walk, here and now, and is shown",
    "train": "teach a robot a task",
    "score": "how well a policy does its task",
    "play": "watch a policy",
    "export": "a policy as C, ONNX or TorchScript, for the robot",
    "view": "a robot, a trajectory or a policy in the browser, or as picture and film",
    "plan": "a robot plans while it moves",
    "docs": "the pages about all of this, by name",
    "where": "paths of robots that people know",
}
#: Those of the program, which is written in C.
PROGRAM = ("run", "eval", "solve", "compare", "bench", "info")


def _usage() -> str:
    lines = "\n".join(f"  {name:7}{about}" for name, about in COMMANDS.items())
    return f"usage: myriapod COMMAND ...    (or python -m myriapod COMMAND)\n\n{lines}\n\n`COMMAND --help` has its options. Of the program in C, which `make build` makes in a clone: {', '.join(PROGRAM)}."


def _start_program(arguments: list[str]) -> int:
    """Become the program in C, where there is one; else 2, and words."""
    for folder in os.get_exec_path():
        path = Path(folder) / "myriapod"
        if os.access(path, os.X_OK) and path.is_file() and path.open("rb").read(2) != b"#!":  # not a script such as this
            os.execv(path, ["myriapod", *arguments])
    print(f"myriapod: {arguments[0]} is a command of the program in C, which is not on the path: `make build` makes build/myriapod of a clone", file=sys.stderr)
    return 2


def main() -> int:
    """The command line."""
    arguments = sys.argv[1:]
    word = arguments[0] if arguments else ""
    if word in PROGRAM:
        return _start_program(arguments)
    if word in COMMANDS:
        sys.argv = [f"myriapod.{word}", *arguments[1:]]
        runpy.run_module(f"myriapod.{word}", run_name="__main__", alter_sys=True)  # which exits
        return 0
    if word in ("-V", "--version"):
        print(f"myriapod {__version__}")
        return 0
    wanted = word in ("-h", "--help", "help")
    unknown = f"myriapod: there is no command {word!r}\n\n" if word and not wanted else ""
    print(unknown + _usage(), file=sys.stdout if wanted else sys.stderr)
    return 0 if wanted else 2


if __name__ == "__main__":
    sys.exit(main())

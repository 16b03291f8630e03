"""Starts processes of one job on this machine.

    python -m myriapod.distributed --processes 4 script.py [arguments]
    python -m myriapod.distributed --processes 4 -m module [arguments]

Each process finds the others by `myriapod.distributed.init()`. When one ends with an error, or is killed, the others are ended within a second."""
from __future__ import annotations

import argparse
import sys

from .._library import ArgumentError
from .launch import launch


def main() -> int:
    """The exit code: of the first process that did not end well, else 0."""
    parser = argparse.ArgumentParser(prog="python -m myriapod.distributed", usage="%(prog)s --processes N (script.py | -m module) [arguments]", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--processes", type=int, required=True, help="how many")
    words = sys.argv[1:]
    own = 2 if words[:1] == ["--processes"] else 1  # what follows is the command's, its options, too, which argparse's REMAINDER does not allow at its beginning
    args, command = parser.parse_args(words[:own]), words[own:]
    if not command:
        parser.error("what is to be run? script.py or -m module")
    try:
        return launch([sys.executable, *command], args.processes)
    except ArgumentError as error:
        parser.error(str(error))


if __name__ == "__main__":
    sys.exit(main())

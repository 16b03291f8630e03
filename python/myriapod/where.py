"""Print the paths of robots that people know, for the program; without a name, all names that there are (myriapod.known).

    myriapod info "$(python3 -m myriapod.where menagerie:unitree_g1)" """
from __future__ import annotations

import argparse
import sys

from ._library import ArgumentError, FileError
from .known import find, names


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser("python3 -m myriapod.where", description="Print the path of each robot; without a name, all names that there are.")
    parser.add_argument("name", nargs="*", help="menagerie:FOLDER[/FILE], robot_descriptions:NAME or example-robot-data:NAME")
    parser.add_argument("--menagerie", metavar="FOLDER", help="a checkout of MuJoCo Menagerie (default: $MENAGERIE_PATH)")
    line = parser.parse_args(arguments)
    try:
        found = [find(name, menagerie=line.menagerie) for name in line.name] if line.name else names(line.menagerie)
        if not found:
            raise FileError("no collection of robots is here: set MENAGERIE_PATH, or pip install robot_descriptions")
        print("\n".join(found))
    except (ArgumentError, FileError) as error:
        print(f"myriapod.where: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

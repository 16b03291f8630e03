"""`python -m myriapod.play TASK POLICY`: watch a trained policy. The same as `python -m myriapod.view --policy POLICY TASK`."""
from __future__ import annotations

import sys


def main(arguments: list[str] | None = None) -> int:
    """The command line: task and policy in this order, then any option of the viewer."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if len(given) < 2 or given[0].startswith("-") or given[1].startswith("-"):
        print("usage: python -m myriapod.play TASK POLICY [options of python -m myriapod.view]", file=sys.stderr)
        return 0 if given[:1] in (["-h"], ["--help"]) else 2
    from .view.__main__ import main as view

    return view(["--policy", given[1], given[0], *given[2:]])


if __name__ == "__main__":
    sys.exit(main())

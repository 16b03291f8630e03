"""`python -m myriapod.play TASK POLICY`: watch a trained policy. The same as `python -m myriapod.view --policy POLICY TASK`."""
from __future__ import annotations

import sys


def main(arguments: list[str] | None = None) -> int:
    """The command line: task and policy, and the viewer's options."""
    from .view.__main__ import main as view

    return view(arguments, play=True)


if __name__ == "__main__":
    sys.exit(main())

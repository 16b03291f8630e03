"""Long calls in short pieces, so that Ctrl-C interrupts thousands of steps."""
from __future__ import annotations

import time
from collections.abc import Callable

PIECE_S = 0.1  #: a piece lasts about this long: a call more or less per piece is not felt, a tenth of a second neither
_FIRST_GUESS_S = 1e-6  # per robot-step; only the length of a batch's very first piece depends on it


class Pace:
    """How long a step of one batch takes, learnt from its calls."""

    def __init__(self, robot_steps_per_step: int) -> None:
        self._step_s = _FIRST_GUESS_S * robot_steps_per_step

    def run(self, steps: int, piece: Callable[[int, int], None]) -> None:
        """Call piece(first, count) until `steps` are done. Between two calls Python looks after signals; the bits do not depend on the cuts."""
        done = 0
        while done < steps:
            count = min(steps - done, max(1, int(PIECE_S / self._step_s)))
            start = time.perf_counter()
            piece(done, count)
            step_s = max((time.perf_counter() - start) / count, 1e-9)
            # the mean over a few calls; a single short call says little, and a first guess may be far off
            self._step_s = step_s if count * step_s > PIECE_S / 10 else 0.5 * (self._step_s + step_s)
            done += count

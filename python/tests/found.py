"""What is found on this machine, for tests that need it."""
from collections.abc import Callable

import pytest
from myriapod.view import ViewError, offscreen


def is_found(find: Callable[[], object]) -> bool:
    """find: a search that raises ViewError where there is nothing."""
    try:
        find()
    except ViewError:
        return False
    return True


needs_ffmpeg = pytest.mark.skipif(not is_found(offscreen.find_ffmpeg), reason="ffmpeg is not installed: pip install imageio-ffmpeg")

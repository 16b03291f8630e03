"""Whether films can be made here."""
import pytest
from myriapod.view import ViewError, offscreen


def _found() -> bool:
    try:
        offscreen.find_ffmpeg()
    except ViewError:
        return False
    return True


needs_ffmpeg = pytest.mark.skipif(not _found(), reason="ffmpeg is not installed: pip install imageio-ffmpeg")

"""Pictures (PNG) and films (mp4) of a source, without a window, drawn on the processor."""
from __future__ import annotations

import contextlib
import os
import shutil
import struct
import subprocess
import time
import zlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from .._library import FileError
from .._whole import whole
from . import ViewError
from .frame import Frame, Source, one_of
from .painter import Painter
from .shapes import Look
from .stage import Placed, Stage


class Studio:
    """Draws the environments `ids` of a source, side by side; the camera stands so that it sees all of them."""

    def __init__(self, source: Source, ids: np.ndarray, width: int = 1280, height: int = 720, shadows: bool = True,
                 look: Look | None = None) -> None:
        self.source, self.ids = source, np.asarray(ids)
        self.stage = Stage(source.model, look, getattr(source, "away", 1.0))
        self.stage.in_place = len(self.ids) > 1
        if self.stage.ground is not None:
            self.stage.settle(source.frame(self.ids))
        self._painter = Painter(self.stage, len(self.ids), width, height, shadows)

    def placed(self) -> Placed:
        """The source's present moment, for `paint`."""
        return self.stage.place(self.source.frame(self.ids))

    def paint(self, placed: Placed) -> np.ndarray:
        """An image (height, width, 3) uint8. Several threads may paint at once."""
        return self._painter.paint(placed)

    def picture(self) -> np.ndarray:
        """The present moment as an image."""
        return self.paint(self.placed())

    def of_each(self, ids: np.ndarray) -> Sequence[np.ndarray]:
        """Images of the present moment, one of each of these environments by itself; painted when they are looked at."""
        return _Pictures(self, self.source.frame(ids))

    def film(self, moments: Iterable[int]) -> Iterator[np.ndarray]:
        """Images of so many moments from now on, in their order; painted by as many threads as there are cores, while the source goes on."""
        threads = os.cpu_count() or 1
        with ThreadPoolExecutor(threads) as painters:
            waiting: deque[Future[np.ndarray]] = deque()
            done = 0
            for due in moments:
                if due > done:
                    self.source.advance(due - done)
                done = due
                waiting.append(painters.submit(self.paint, self.placed()))
                if len(waiting) > threads:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()


class _Pictures(Sequence[np.ndarray]):
    """Images of single environments at one moment."""

    def __init__(self, studio: Studio, frame: Frame) -> None:
        self._studio, self._frame = studio, frame

    def __len__(self) -> int:
        return len(self._frame.poses)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        i, frame = range(len(self))[index], self._frame
        return self._studio.paint(self._studio.stage.place(one_of(frame, i)))


def _png(image: np.ndarray) -> bytes:
    """An image (h, w, 3) uint8 in the format PNG."""
    height, width, _ = image.shape

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    lines = np.concatenate([np.zeros((height, 1), np.uint8), np.ascontiguousarray(image).reshape(height, -1)], 1)  # 0: a line that is not filtered
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(lines.tobytes(), 6)) + chunk(b"IEND", b"")


def write_png(path: str | os.PathLike[str], image: np.ndarray) -> None:
    """An image (h, w, 3) uint8 as a file, which is whole or absent. FileError."""
    with whole(path) as partial:
        partial.write_bytes(_png(image))


def find_ffmpeg() -> str:
    """The program that makes films of pictures. ViewError says how to install it."""
    found = shutil.which("ffmpeg")
    if found is None:
        try:
            import imageio_ffmpeg

            found = imageio_ffmpeg.get_ffmpeg_exe()
        except (ImportError, RuntimeError):
            raise ViewError("films need ffmpeg: pip install imageio-ffmpeg, or apt-get install ffmpeg") from None
    return found


class Film:
    """An mp4 file (H.264) that grows by pictures. Leaving its `with` block finishes it; after an error there is no file."""

    def __init__(self, path: str | os.PathLike[str], width: int, height: int, rate: float) -> None:
        self._path = Path(path)
        self._partial = self._path.with_name(self._path.name + ".part")
        if not os.path.isdir(self._path.parent):
            raise FileError(f"{path}: there is no such folder")
        arguments = [
            find_ffmpeg(), "-y", "-loglevel", "error", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{width}x{height}", "-r", f"{rate:g}", "-i", "-",
            "-vf", "crop=trunc(iw/2)*2:trunc(ih/2)*2", "-c:v", "libx264", "-preset", "veryfast", "-crf", "20", "-pix_fmt", "yuv420p",
            "-movflags", "+faststart", "-f", "mp4", str(self._partial),
        ]
        self._process = subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)

    def add(self, image: np.ndarray) -> None:
        """One more picture (h, w, 3) uint8."""
        try:
            self._process.stdin.write(image.tobytes())  # type: ignore[union-attr]
        except (BrokenPipeError, OSError):
            raise ViewError(f"{self._path}: {self._complaint()}") from None

    def _complaint(self) -> str:
        _, words = self._process.communicate()
        return (words or b"").decode("utf-8", "replace").strip() or f"ffmpeg ended with {self._process.returncode}"

    def __enter__(self) -> Film:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        words = self._complaint() if self._process.returncode is None else ""
        if kind is None and self._process.returncode == 0:
            os.replace(self._partial, self._path)
            return
        with contextlib.suppress(OSError):  # of a name that no file can have
            self._partial.unlink(missing_ok=True)
        if kind is None:
            raise ViewError(f"{self._path}: {words}")


def shoot(
    source: Source,
    ids: np.ndarray,
    *,
    png: str | os.PathLike[str] | None = None,
    mp4: str | os.PathLike[str] | None = None,
    seconds: float = 2.0,
    rate: float = 30.0,
    speed: float = 1.0,
    width: int = 1280,
    height: int = 720,
    shadows: bool = True,
    look: Look | None = None,
    tell: Callable[[str], None] = lambda line: None,
    progress: Callable[[int, int], None] = lambda done, wanted: None,
) -> None:
    """A film of `seconds` of the source's time from now on, and a picture of the moment after them.

    speed: of the film over real time. A recording ends with its last moment. tell: is told what was made, in lines. progress: is told after each
    picture of a film how many there are, and how many there will be."""
    if mp4 is not None:
        find_ffmpeg()
    start = time.perf_counter()
    studio = Studio(source, ids, width, height, shadows, look)
    moments = round(seconds / source.dt)
    if source.frames is not None:
        moments = min(moments, source.frames - 1)
    if mp4 is not None:
        pictures = max(1, round(moments * source.dt * rate / speed)) + 1
        with Film(mp4, width, height, rate) as film:
            for k, image in enumerate(studio.film(min(round(k * speed / rate / source.dt), moments) for k in range(pictures))):
                film.add(image)
                progress(k + 1, pictures)
        took = time.perf_counter() - start
        tell(f"{mp4}: {pictures} pictures in {took:.1f} s ({pictures / took:.1f} per second)")
    elif moments:
        source.advance(moments)
    if png is not None:
        write_png(png, studio.picture())
        tell(f"{png}: {width} x {height}, {time.perf_counter() - start:.1f} s")

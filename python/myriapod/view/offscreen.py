"""Pictures (PNG) and films (mp4) of a source, without a window: the viewer's own page, drawn by a Chromium that is started for it."""
from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from .._library import FileError
from . import ViewError, serve
from .browser import Browser
from .frame import Source
from .scene import FIELD_OF_VIEW, Scene
from .shapes import Look

CONNECT_S = 90.0  #: until the page has loaded and drawn
PAGE = (64, 36)  #: pixels of the page itself: its own drawing costs time too, and nobody looks at it
RENDER_S = 120.0  #: for one picture; software drawing on a busy machine is slow


class Studio:
    """A scene and a browser that draws it. A context manager.

    shown: environments side by side; the camera stands so that it sees all of them."""

    def __init__(self, source: Source, ids: np.ndarray, width: int = 1280, height: int = 720, shadows: bool = True,
                 look: Look | None = None) -> None:
        self.source, self.ids, self.width, self.height = source, np.asarray(ids), width, height
        self._server = serve("127.0.0.1", 0)
        self._browser: Browser | None = None
        try:
            self.scene = Scene(self._server, source.model, look)
            self._server.scene.configure_default_lights(True, cast_shadow=shadows)
            self.scene.in_place = len(self.ids) > 1
            self.scene.draw(source.frame(self.ids), self.ids)
            position, target = self.scene.frame_camera(len(self.ids))
            self._server.initial_camera.position, self._server.initial_camera.look_at = tuple(position), tuple(target)
            self._browser = Browser(*PAGE)
            self._browser.open(f"http://127.0.0.1:{self._server.get_port()}/?hideViserLogo")
            self._client = self._connect()
            self._pose = {"position": position, "wxyz": _looking(position, target), "fov": FIELD_OF_VIEW}
            self.picture()  # the first one waits for shaders
        except BaseException:
            self.close()
            raise

    def _connect(self) -> Any:
        until = time.monotonic() + CONNECT_S
        while time.monotonic() < until:
            clients = self._server.get_clients()
            if clients:
                return next(iter(clients.values()))
            time.sleep(0.05)
        raise ViewError(f"the browser did not show the page within {CONNECT_S:.0f} s")

    def picture(self) -> np.ndarray:
        """The source's present moment as an image (height, width, 3) uint8."""
        self.scene.draw(self.source.frame(self.ids), self.ids)
        self._server.flush()
        try:
            image = self._client.get_render(self.height, self.width, transport_format="jpeg", timeout=RENDER_S, **self._pose)
        except Exception as error:  # viser's: the client is gone, or slow
            raise ViewError(f"the browser gave no picture: {error}") from None
        return np.ascontiguousarray(image[..., :3])

    def close(self) -> None:
        """End browser and server."""
        if self._browser is not None:
            self._browser.close()
            self._browser = None
        with contextlib.redirect_stdout(None):  # viser says that it stopped
            self._server.stop()

    def __enter__(self) -> Studio:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _looking(position: np.ndarray, target: np.ndarray) -> np.ndarray:
    """Quaternion of a camera (z ahead, y down) at `position` that looks at `target`, upright."""
    ahead = (target - position) / np.linalg.norm(target - position)
    right = np.cross(ahead, [0.0, 0.0, 1.0])
    right /= np.linalg.norm(right)
    r = np.stack([right, np.cross(ahead, right), ahead], axis=1)
    k = np.array([  # Bar-Itzhack: the quaternion is the eigenvector of the largest eigenvalue
        [r[0, 0] - r[1, 1] - r[2, 2], r[1, 0] + r[0, 1], r[2, 0] + r[0, 2], r[2, 1] - r[1, 2]],
        [r[1, 0] + r[0, 1], r[1, 1] - r[0, 0] - r[2, 2], r[2, 1] + r[1, 2], r[0, 2] - r[2, 0]],
        [r[2, 0] + r[0, 2], r[2, 1] + r[1, 2], r[2, 2] - r[0, 0] - r[1, 1], r[1, 0] - r[0, 1]],
        [r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1], r.trace()],
    ])
    x, y, z, w = np.linalg.eigh(k)[1][:, -1]
    return np.array([w, x, y, z])


def write_png(path: str | os.PathLike[str], image: np.ndarray) -> None:
    """An image (h, w, 3) uint8 as a file, which is whole or absent. FileError."""
    import imageio.v3 as imageio

    path = Path(path)
    partial = path.with_name(path.name + ".part")
    try:
        partial.write_bytes(imageio.imwrite("<bytes>", image, extension=".png"))
        os.replace(partial, path)
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise FileError(f"{path}: {error.strerror or error}") from None


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
        if not self._path.parent.is_dir():
            raise FileError(f"{path}: there is no such folder")
        arguments = [
            find_ffmpeg(), "-y", "-loglevel", "error", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{width}x{height}", "-r", f"{rate:g}", "-i", "-",
            "-vf", "crop=trunc(iw/2)*2:trunc(ih/2)*2", "-c:v", "libx264", "-preset", "medium", "-crf", "20", "-pix_fmt", "yuv420p",
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
) -> None:
    """A film of `seconds` of the source's time from now on, and a picture of the moment after them.

    speed: of the film over real time. A recording ends with its last moment. tell: is told how it goes, in lines."""
    if mp4 is not None:
        find_ffmpeg()
    start = time.perf_counter()
    with Studio(source, ids, width, height, shadows, look) as studio:
        ready = time.perf_counter()
        moments = round(seconds / source.dt)
        if source.frames is not None:
            moments = min(moments, source.frames - 1)
        if mp4 is not None:
            pictures = max(1, round(moments * source.dt * rate / speed)) + 1
            done = 0
            with Film(mp4, width, height, rate) as film:
                for k in range(pictures):
                    due = min(round(k * speed / rate / source.dt), moments)
                    if due > done:
                        source.advance(due - done)
                    done = due
                    film.add(studio.picture())
            took = time.perf_counter() - ready
            tell(f"{mp4}: {pictures} pictures in {took:.1f} s ({pictures / took:.1f} per second), {ready - start:.1f} s to start")
        elif moments:
            source.advance(moments)
        if png is not None:
            write_png(png, studio.picture())
            tell(f"{png}: {width} x {height}, {time.perf_counter() - start:.1f} s")

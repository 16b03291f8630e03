"""Looking at robots: live batches, trajectories and policies in the browser, and pictures and films of them without one.

    python -m myriapod.view anymal --task trot --envs 16
    python -m myriapod.view trajectory.npz
    python -m myriapod.view anymal-flat --policy policy.npz
    python -m myriapod.view anymal --task trot --png trot.png

docs/viewer.md says more. The browser needs viser and trimesh. Pictures need nothing, films ffmpeg."""
from __future__ import annotations

import contextlib
import io
import logging
import socket
from typing import Any

from .._library import Error, StateError

INSTALL = "the viewer needs viser: pip install viser trimesh"


class ViewError(Error, RuntimeError):
    """The viewer cannot start or go on; the message says why, and what to do."""


def serve(host: str = "127.0.0.1", port: int = 8080) -> Any:
    """A viser server; port 0: any free one. StateError: viser is missing. ViewError: the port is taken or the address is not this machine's."""
    try:
        import viser
    except ImportError as error:
        raise StateError(f"{INSTALL} ({error})") from None
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((host, port))
            port = probe.getsockname()[1]
    except OSError as error:
        raise ViewError(f"cannot listen on {host}, port {port}: {error.strerror or error}; choose another with --port, or --port 0 for any free one") from None
    except OverflowError:
        raise ViewError(f"port {port}: must be 0..65535") from None
    logging.getLogger("websockets").setLevel(logging.CRITICAL)
    with contextlib.redirect_stdout(io.StringIO()):
        return viser.ViserServer(host=host, port=port, verbose=False)

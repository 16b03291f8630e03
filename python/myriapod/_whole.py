"""Files that are whole or absent: written beside their place, then moved there."""
from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from ._library import FileError


@contextlib.contextmanager
def whole(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Where to write what becomes `path` once the block has ended well; else what was there stays. FileError for an OSError, by the file's name."""
    path = Path(path)
    if "\0" in str(path):
        raise FileError(f"{str(path)!r}: no file can be called so")
    partial = path.with_name(path.name + ".part")
    try:
        yield partial
        os.replace(partial, path)
    except BaseException as error:
        with contextlib.suppress(OSError):  # of a name that no file can have
            partial.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise FileError(f"{path}: {error.strerror or error}") from None
        raise

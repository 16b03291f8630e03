"""Files that are written whole or not at all, beside their place and then moved there; and texts that are read whole."""
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


def read_text(path: str | os.PathLike[str]) -> str:
    """A file in UTF-8, with or without the mark at its beginning that some editors write. FileError: it cannot be read, or is not such a text."""
    try:
        return Path(path).read_text(encoding="utf-8-sig")
    except OSError as error:
        raise FileError(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise FileError(f"{path}: it is not a text in UTF-8") from None
    except ValueError:  # a name with a NUL
        raise FileError(f"{str(path)!r}: no file can be called so") from None

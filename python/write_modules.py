"""Write the three modules of the package that follow the public headers (run by cmake/python.cmake).

    write_modules.py DECLARATIONS BATCH_H OUT_DIRECTORY

_myriapod_ffi.py: every declaration, for cffi's ABI mode (a pure Python module: no compiler at the user's).
_fields.py: for every `myr_field` its shape and its words, from the comment beside it in batch.h, and a property each.
_geoms.py: the types of geoms, from geoms.def beside it."""
import os
import re
import sys
import textwrap

FIELD_LINE = re.compile(r"^ {4}MYR_(\w+)(?: = 0)?, */\* *\(([^)]*)\)((?:[^*]|\*(?!/))*)\*/$", re.M)
FIELD_ENUM = re.compile(r"typedef enum myr_field \{(.*?)\} myr_field;", re.S)


def write_ffi(declarations, path):
    import cffi  # the fields are written without it

    ffi = cffi.FFI()
    ffi.cdef(declarations)
    ffi.set_source("myriapod._myriapod_ffi", None)
    ffi.emit_python_code(path)


def inner_shape(shape):
    """What follows the first dimension: `n_slots, 3` has (3,), `nq` has (); `1` is one number per environment: None."""
    first, *rest = (d.strip() for d in shape.split(","))
    if not all(d.isdigit() for d in rest):
        sys.exit(f"batch.h: ({shape}): only the first dimension of a field may differ from model to model")
    return "None" if first == "1" and not rest else repr(tuple(map(int, rest)))


def property_text(name, shape, words):
    read_only = re.match(r"\s*R\b", words) is not None
    words = " ".join(re.sub(r"^\s*R\b,?\s*", "", words).split()).strip(" ,").replace("myr_quarantine_text", "myriapod.quarantine_text")
    outer = "(envs,)" if shape.strip() == "1" else f"(envs, {shape})"
    doc = f"{outer} {words}".strip() + ("." if not words.endswith(".") else "") + (" Read only." if read_only else "")
    doc = textwrap.fill(doc, 130, subsequent_indent=" " * 8, break_long_words=False)
    text = f'''
    @property
    def {name}(self) -> Array:
        """{doc}"""
        return reading(self.get("{name}"), "{name}")
'''
    if not read_only:
        text += f'''
    @{name}.setter
    def {name}(self, values: Any) -> None:
        self.set("{name}", values)
'''
    return text


def fields_text(header):
    """The module `_fields` from the text of batch.h."""
    body = FIELD_ENUM.search(header).group(1)
    names = [n for n in re.findall(r"^ {4}MYR_(\w+)", body, re.M) if n != "FIELD_COUNT"]
    fields = FIELD_LINE.findall(body)
    if [n for n, _, _ in fields] != names:
        missing = sorted(set(names) - {n for n, _, _ in fields})
        sys.exit(f"batch.h: no `/* (shape) words */` on the line of: {', '.join(missing) or names}")
    text = '''"""Fields of a batch. Written by python/write_modules.py from include/myriapod/batch.h; do not edit."""
from __future__ import annotations

from typing import Any

import numpy as np

from ._arrays import reading

Array = np.ndarray

#: What follows (envs, ...) in a field's shape: None is nothing, () one dimension, (3,) rows of three.
INNER = {
'''
    text += "".join(f'    "{name.lower()}": {inner_shape(shape)},\n' for name, shape, _ in fields)
    text += '''}


class FieldProperties:
    """Reading `batch.NAME` gives a read-only copy in the batch's precision; assigning, `batch.NAME += x` too, sets the field of all environments.

    `batch.NAME[i] = x`, which would change the copy alone, raises; `get` gives a copy to be changed."""

    def get(self, field: str) -> Array:
        raise NotImplementedError

    def set(self, field: str, values: Any) -> None:
        raise NotImplementedError
'''
    text += "".join(property_text(name.lower(), shape, words) for name, shape, words in fields)
    return text


def geoms_text(lines):
    """The module `_geoms` from the text of geoms.def."""
    geoms = re.findall(r"^MYR_(?:FLAT_)?GEOM\(\w+, (\w+), (\d)", lines, re.M)
    if not geoms:
        sys.exit("geoms.def: it lists no type")
    return f'''"""Types of geoms. Written by python/write_modules.py from include/myriapod/geoms.def; do not edit."""

#: The number of each, a myr_geom_type.
GEOMS = {{{", ".join(f'"{name}": {number}' for number, (name, _) in enumerate(geoms))}}}
#: How many numbers say how large one is.
SIZES = {{{", ".join(f'"{name}": {sizes}' for name, sizes in geoms)}}}
'''


def main():
    declarations, header, out = sys.argv[1:]
    with open(declarations, encoding="utf-8") as file:
        write_ffi(file.read(), os.path.join(out, "_myriapod_ffi.py"))
    with open(header, encoding="utf-8") as file:
        text = fields_text(file.read())
    with open(os.path.join(out, "_fields.py"), "w", encoding="utf-8") as file:
        file.write(text)
    with open(os.path.join(os.path.dirname(header), "geoms.def"), encoding="utf-8") as file:
        text = geoms_text(file.read())
    with open(os.path.join(out, "_geoms.py"), "w", encoding="utf-8") as file:
        file.write(text)


if __name__ == "__main__":
    main()

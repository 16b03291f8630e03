"""Programs: arithmetic over named arrays, checked once and run in lanes; docs/programs.md.

    upright = Program('''myriapod_program 1
        input q 19
        constant down 0 0 -1
        turn = slice q 3 4
        seen = quat_rotate_back turn down
        level = dot seen down
        output level level''')
    upright(q=batch.q)["level"]                      # (envs, 1)"""
from __future__ import annotations

import os
from typing import Any

import numpy as np

from .. import _arrays as arrays
from .._library import ArgumentError, check, encode, ffi, lib, text
from .._whole import read_text

#: Instructions: name -> what it gives.
INSTRUCTIONS: dict[str, str] = {}
while lib.myr_program_op_name(len(INSTRUCTIONS)) != ffi.NULL:
    INSTRUCTIONS[text(lib.myr_program_op_name(len(INSTRUCTIONS)))] = text(lib.myr_program_op_doc(len(INSTRUCTIONS)))


class Program:
    """A program, of its text; `label` stands for its file in messages. Immutable. Raises FormatError, LimitError: what is wrong, with label and line."""

    def __init__(self, words: str, label: str = "program") -> None:
        data, out = encode(words, "words"), ffi.new("myr_program **")
        check(lib.myr_program_read(data, len(data), encode(label, "label"), out))
        self._c = ffi.gc(out[0], lib.myr_program_free)
        info, name, rows = ffi.new("myr_program_info *"), ffi.new("char **"), ffi.new("int *")
        lib.myr_program_get_info(self._c, info)
        self.name: str = text(info.name)
        #: Instructions that a run executes, and rows that it works in.
        self.instructions, self.rows = int(info.instructions), int(info.rows)
        #: Of what it computes: names of registers do not count.
        self.hash = int(info.hash)
        inputs, outputs = {}, {}
        for i in range(info.inputs):
            lib.myr_program_get_input(self._c, i, name, rows)
            inputs[text(name[0])] = rows[0]
        for i in range(info.outputs):
            lib.myr_program_get_output(self._c, i, name, rows)
            outputs[text(name[0])] = rows[0]
        self._inputs, self._outputs = inputs, outputs

    @property
    def inputs(self) -> dict[str, int]:
        """Rows of each, in order."""
        return dict(self._inputs)

    @property
    def outputs(self) -> dict[str, int]:
        """Rows of each, in order."""
        return dict(self._outputs)

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Program:
        """From a file. FileError: it cannot be read."""
        return cls(read_text(path), os.fspath(path))

    def __str__(self) -> str:
        """Its text, which reads as the same program."""
        written = lib.myr_program_text(self._c)
        if written == ffi.NULL:
            raise MemoryError("no memory for the text of a program")
        words = text(written)
        lib.myr_program_free_text(written)
        return words

    def __repr__(self) -> str:
        return f"<Program {self.name or '(no name)'}: {', '.join(self.inputs)} -> {', '.join(self.outputs)}; {self.instructions} instructions>"

    def __reduce__(self) -> Any:
        return Program, (str(self),)

    def __call__(self, *, isa: str = "auto", precision: str = "f32", **inputs: Any) -> dict[str, np.ndarray]:
        """Run it for n environments: each input (n, rows), or (n,) where it has one row; each output is (n, rows).

        precision: "f32" or "f64", of what it computes with and of what comes out. ArgumentError: an input is missing, unknown or of another shape."""
        if precision not in ("f32", "f64"):
            raise ArgumentError(f"precision is {precision!r}, but must be f32 or f64")
        if set(inputs) != set(self._inputs):
            raise ArgumentError(f"the program has the inputs {', '.join(self.inputs) or '(none)'}, but was given {', '.join(inputs) or '(none)'}")
        dtype = np.dtype(np.float32 if precision == "f32" else np.float64)
        given, n = {}, None
        for name, rows in self._inputs.items():
            if np.asarray(inputs[name]).dtype.kind not in "biuf":
                raise ArgumentError(f"{name} holds {np.asarray(inputs[name]).dtype}, but must hold numbers")
            array = np.ascontiguousarray(inputs[name], dtype)
            array = array[:, None] if array.ndim == 1 and rows == 1 else array
            if array.ndim != 2 or array.shape[1] != rows or (n is not None and len(array) != n):
                raise ArgumentError(f"{name} has shape {np.shape(inputs[name])}, but must be ({'n' if n is None else n}, {rows})")
            given[name], n = array, len(array)
        n = 1 if n is None else n
        made = {name: np.zeros((n, rows), dtype) for name, rows in self._outputs.items()}
        c_in = ffi.new("const void *[]", [arrays.pointer(a) for a in given.values()] or 1)
        c_out = ffi.new("void *[]", [arrays.pointer(a) for a in made.values()])
        check(lib.myr_program_eval(self._c, encode(isa, "isa"), dtype.itemsize, n, c_in, c_out, arrays.myr_type(dtype)))
        return made

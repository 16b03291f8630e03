"""A control step of thousands of robots inside `jax.jit` and `lax.scan`, on the processor, by jax.ffi.

    pip install jax                     # and a C++ compiler; from a clone, whose headers it reads
    python jax_step.py [--robot anymal] [--envs 1024] [--steps 200]

`Step(model, envs)` compiles jax_step.cc once, beside it in a folder of the caller's. `q, v = step(q, v, control)` is a function of its arguments: contact
impulses are forgotten between calls, so that solves begin without a guess. There is no derivative (`myriapod.linearize` has A and B), no vmap (robots are the
first dimension already), no GPU."""
from __future__ import annotations

import argparse
import ctypes
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import myriapod
import numpy as np
from myriapod._library import ffi

try:
    import jax
    import jax.numpy as jnp
except ImportError:
    sys.exit("jax_step.py needs JAX: pip install jax")

HERE = Path(__file__).resolve().parent
_registered: set[str] = set()


def compiled(folder: Path) -> Path:
    """The function as a library, compiled unless it is there."""
    library, lib = folder / "jax_step.so", Path(myriapod.__file__).parent / "lib"
    if not library.exists() and shutil.which("c++") is None:
        sys.exit("jax_step.py needs a C++ compiler (Debian: g++)")
    if not library.exists():
        made = subprocess.run(["c++", "-std=c++17", "-O2", "-shared", "-fPIC", f"-I{jax.ffi.include_dir()}", f"-I{HERE.parent / 'include'}", str(HERE / "jax_step.cc"),
                               "-o", str(library), f"-L{lib}", "-lmyriapod", f"-Wl,-rpath,{lib}"], capture_output=True, text=True)
        if made.returncode:
            raise RuntimeError(f"jax_step.cc does not compile: {made.stderr.strip().splitlines()[-1]}")
    return library


class Step:
    """q (envs, nq), v (envs, nv), control (envs, nu), float32 -> q and v a control step later. settings: of the batch, which lives as long as this does."""

    def __init__(self, model: Any, envs: int, folder: Path, **settings: Any) -> None:
        if "step" not in _registered:
            library = ctypes.cdll.LoadLibrary(str(compiled(folder)))
            jax.ffi.register_ffi_target("myriapod_step", jax.ffi.pycapsule(library.myriapod_step), platform="cpu")
            _registered.add("step")
        self.batch = myriapod.Batch(model, envs, **{"task": "none", **settings})
        nq, nv, nu = (getattr(self.batch.model, name) for name in ("nq", "nv", "nu"))
        self._shapes = [(envs, nq), (envs, nv), (envs, nu)]
        self._call = jax.ffi.ffi_call("myriapod_step", [jax.ShapeDtypeStruct(shape, jnp.float32) for shape in self._shapes[:2]])
        with self.batch._open() as pointer:
            self._address = int(ffi.cast("intptr_t", pointer))

    def __call__(self, q: Any, v: Any, control: Any) -> Any:
        for name, given, shape in zip(("q", "v", "control"), (q, v, control), self._shapes):
            if given.shape != shape or given.dtype != jnp.float32:
                raise ValueError(f"{name} is {given.dtype} {given.shape}, but must be float32 {shape}")
        q, v = self._call(q, v, control, batch=np.int64(self._address), steps=np.int64(1))
        return q, v


def rollout(step: Step, q: Any, v: Any, target: Any, steps: int) -> Any:
    """q and v after so many steps, the height of each robot's root after each; control is target plus noise, drawn inside."""
    def body(state: Any, key: Any) -> Any:
        q, v = state
        q, v = step(q, v, target + 0.05 * jax.random.normal(key, target.shape))
        return (q, v), q[:, 2]

    return jax.lax.scan(body, (q, v), jax.random.split(jax.random.key(0), steps))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--robot", default="anymal")
    for name, number in (("envs", 1024), ("steps", 200), ("threads", 0)):
        parser.add_argument(f"--{name}", type=int, default=number)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        step = Step(args.robot, args.envs, Path(folder), threads=args.threads, kp=80.0, kd=2.0, decimation=10)
        model = step.batch.model
        q, v = jnp.tile(jnp.float32(model.home), (args.envs, 1)), jnp.zeros((args.envs, model.nv), jnp.float32)
        target = q[:, -model.nu :]
        run = jax.jit(lambda q, v: rollout(step, q, v, target, args.steps))
        jax.block_until_ready(run(q, v))
        begin = time.perf_counter()
        _, height = jax.block_until_ready(run(q, v))
        seconds = time.perf_counter() - begin
    print(f"{args.envs} robots, {args.steps} control steps in {seconds:.2f} s; heights {height[-1].min():.2f} to {height[-1].max():.2f} m")

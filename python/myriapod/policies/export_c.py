"""A `Policy` as a C file without dependencies, for the robot: the same bits as the library's lanes give."""
from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .._library import ArgumentError
from .._whole import whole
from .networks import Policy

#: Of each activation between layers; `below` is e^x - 1 for x up to 0, the series of kernels/bends.lane.h in the same order.
_BENDS = {"elu": "x > 0 ? x : below(x < 0 ? x : 0.0f)", "relu": "x > 0 ? x : 0.0f", "tanh": "x < 0 ? -half_tanh(x) : half_tanh(-x)", "identity": "x"}

#: No function can be called so, in C or C++, nor as what the file has.
_TAKEN = frozenset("""auto bend below bool break case catch char class const continue default delete do double else enum explicit export extern false float fmaf for
friend goto half_tanh if inline int layer long main mean memcpy mutable namespace new operator private protected public register restrict return short signed sizeof
static struct switch template this throw true try typedef typename union unsigned using virtual void volatile while home scale deviation action_of
mirror_observation mirror_action march marching acos asin atan atan2 cbrt ceil cos cosh erf exp exp2 expm1 fabs fdim floor fma fmax fmin fmod frexp hypot j0 j1 jn
ldexp lgamma log log10 log1p log2 logb lrint lround modf nan nearbyint pow remainder rint round scalbn sin sinh sqrt tan tanh tgamma trunc y0 y1 yn
memchr memcmp memmove memset strcat strchr strcmp strcpy strlen strstr strtok sum series bits rest power""".split())

_BELOW = """
/* e^x - 1 for x <= 0: x = k ln 2 + r, e^r - 1 by its series, 2^k by its exponent. */
static float below(float x) {
    static const float series[6] = {1.0f / 5040, 1.0f / 720, 1.0f / 120, 1.0f / 24, 1.0f / 6, 0.5f};
    const float round = 12582912.0f;
    float sum, k, r, p, rest, power;
    int32_t bits;
    if (x < -87.0f) x = -87.0f;
    sum = fmaf(x, 1.44269502f, round);
    k = sum - round;
    r = fmaf(-k, 1.42860677e-06f, fmaf(-k, 0.693145752f, x));
    p = series[0];
    for (int i = 1; i < 6; i++) p = fmaf(p, r, series[i]);
    rest = r * r;
    rest = fmaf(rest, p, r);
    bits = ((int32_t)k + 127) * 8388608;
    memcpy(&power, &bits, sizeof power);
    return fmaf(power, rest, power - 1.0f);
}
"""
_HALF_TANH = """
/* tanh |x| of x <= 0 */
static float half_tanh(float x) {
    const float e = below(2.0f * x);
    return -e / (e + 2.0f);
}
"""


@dataclass(frozen=True)
class Targets:
    """What a task makes of an action: target = home + scale * action[of]. Each of one length, that of the actuators."""

    names: Sequence[str]  #: of the actuators
    home: Sequence[float]  #: where an action of 0 holds it [rad, m]
    scale: Sequence[float]  #: [rad, m]; 0: no action moves it
    of: Sequence[int]  #: number of its action, -1: none
    kp: Sequence[float]  #: torque = kp (target - position) - kd velocity [N m/rad, N/m]
    kd: Sequence[float]  #: [N m s/rad, N s/m]
    clip: float = float("inf")  #: actions are clipped to +- this
    march: np.ndarray | None = None  #: what a clock adds while the robot walks, (so many places in a cycle, actuators) [rad, m]; None: nothing


def save_c(policy: Policy, path: str | os.PathLike[str], *, words: Sequence[str] = (), targets: Targets | None = None,
           mirror: tuple[np.ndarray, np.ndarray] | None = None) -> Path:
    """PATH.c, C99 that needs nothing but `fmaf` of the C library, and beside it PATH.h: `void NAME(const float *observation, float *action)`, and with
    targets `void NAME_targets(const float *action, float *target)` and gains, where a clock adds to them `void NAME_march(float phase, float *target)`, with a
    mirror `NAME_mirror_observation` and `NAME_mirror_action`. NAME is the file's. words: lines of comment in the header, of what is observed. mirror: as
    `LaneTask.mirror`. Actions have the bits that the library gives on every machine, where the compiler keeps to the letter of C (not with -ffast-math). The
    path of the header. ArgumentError: the file is not called NAME.c; FileError."""
    source = Path(path)
    name = source.stem
    if source.suffix != ".c" or not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name) or name in _TAKEN or re.fullmatch(r"(weights|biases)[0-9]+", name):
        raise ArgumentError(f"{path}: a file of C is called NAME.c, of letters, digits and _ and no word of C, as its function is called NAME")
    header = source.with_suffix(".h")
    with whole(header) as partial:
        partial.write_text(_header(policy, name, words, targets, mirror is not None))
    with whole(source) as partial:
        partial.write_text(_source(policy, name, targets, mirror))
    return header


def _number(x: float) -> str:
    text = f"{float(x):.9g}"
    return text + ("f" if re.search("[.e]", text) else ".0f")


def _array(kind: str, name: str, values: Any, write: type | None = None) -> str:
    words = [str(int(v)) if write is int else f'"{v}"' if write is str else _number(v) for v in values]
    lines, line = [], "   "
    for word in words:
        if len(line) + len(word) > 150:
            lines.append(line)
            line = "   "
        line += f" {word},"
    return f"{kind}{name}[{len(words)}] = {{\n" + "\n".join([*lines, line]).rstrip(",") + "\n};\n"


def _clip(most: float) -> str:
    return f"        x = x < -{_number(most)} ? -{_number(most)} : x > {_number(most)} ? {_number(most)} : x;\n" if most < float("inf") else ""


def _header(policy: Policy, name: str, words: Sequence[str], targets: Targets | None, mirrored: bool) -> str:
    big = name.upper()
    of = f" of the task {policy.task}" if policy.task else ""
    comment = [f"A policy{of}, by myriapod {policy.version}.".replace(" .", "."), *words]
    lines = "\n".join(f" * {line}".rstrip() for line in comment).replace("*/", "* /").removeprefix(" * ")
    parts = [f"/* {lines} */\n#ifndef {big}_H\n#define {big}_H\n",
             f"#define {big}_OBSERVATIONS {policy.n_obs}\n#define {big}_ACTIONS {policy.n_act}\n"]
    if targets:
        parts.append(f"#define {big}_ACTUATORS {len(targets.names)}\n")
    parts.append(f'\n#ifdef __cplusplus\nextern "C" {{\n#endif\n\n/* The mean action of an observation. Keeps nothing, so that threads may call it at once. */\n'
                 f"void {name}(const float observation[{big}_OBSERVATIONS], float action[{big}_ACTIONS]);\n")
    if targets:
        parts.append(f"\n/* What the actuators are to hold [rad, m] by torque = kp (target - position) - kd velocity, of which these are names and gains. Actions are clipped\n"
                     f" * to +- {targets.clip:g}, and so is a last action that is observed. */\n"
                     f"void {name}_targets(const float action[{big}_ACTIONS], float target[{big}_ACTUATORS]);\n"
                     f"extern const char *const {name}_actuator[{big}_ACTUATORS];\nextern const float {name}_kp[{big}_ACTUATORS], {name}_kd[{big}_ACTUATORS];\n")
    if targets and targets.march is not None:
        parts.append(f"\n/* Where the clock that is observed is not 0: adds to the targets what it adds. phase: of that clock, in cycles, from 0 to 1; it is linear\n"
                     f" * between {len(targets.march)} places of a cycle. */\nvoid {name}_march(float phase, float target[{big}_ACTUATORS]);\n")
    if mirrored:
        parts.append(f"\n/* How both look in a mirror, left for right. `image` is another array. */\n"
                     f"void {name}_mirror_observation(const float observation[{big}_OBSERVATIONS], float image[{big}_OBSERVATIONS]);\n"
                     f"void {name}_mirror_action(const float action[{big}_ACTIONS], float image[{big}_ACTIONS]);\n")
    parts.append("\n#ifdef __cplusplus\n}\n#endif\n#endif\n")
    return "".join(parts)


def _source(policy: Policy, name: str, targets: Targets | None, mirror: tuple[np.ndarray, np.ndarray] | None) -> str:
    big = name.upper()
    plain = not policy.mean.any() and bool((policy.std == 1).all())
    parts = [f'/* Made by myriapod: see {name}.h. */\n#include "{name}.h"\n\n#include <math.h>\n#include <stdint.h>\n#include <string.h>\n\n']
    if not plain:
        parts += [_array("static const float ", "mean", policy.mean), _array("static const float ", "deviation", policy.std)]
    for i, (w, b) in enumerate(zip(policy.weights, policy.biases)):
        parts += [_array("static const float ", f"weights{i}", w.ravel()), _array("static const float ", f"biases{i}", b)]
    if targets:
        parts += [_array("static const float ", "home", targets.home), _array("static const float ", "scale", targets.scale),
                  _array("static const int ", "action_of", targets.of, int), _array("const char *const ", f"{name}_actuator", targets.names, str),
                  _array("const float ", f"{name}_kp", targets.kp), _array("const float ", f"{name}_kd", targets.kd)]
    layers = len(policy.weights)
    if layers > 1:
        parts += [_BELOW if policy.activation in ("elu", "tanh") else "", _HALF_TANH if policy.activation == "tanh" else "",
                  f"\nstatic float bend(float x) {{ return {_BENDS[policy.activation]}; }}\n"]
    parts.append("""
/* y = biases + weights x, of each number one chain of fused sums. */
static void layer(int out, int in, const float *weights, const float *biases, const float *x, float *y) {
    for (int i = 0; i < out; i++) {
        float sum = biases[i];
        for (int k = 0; k < in; k++) sum = fmaf(x[k], weights[i * in + k], sum);
        y[i] = sum;
    }
}
""")
    widest = max([len(b) for b in policy.biases[:-1]], default=1)
    body = []
    if layers > 1:
        body.append(f"    float a[{widest}], b[{widest}];")
    x = "observation"
    if not plain:
        body += [f"    float seen[{big}_OBSERVATIONS];", f"    for (int k = 0; k < {big}_OBSERVATIONS; k++) seen[k] = (observation[k] - mean[k]) / deviation[k];"]
        x = "seen"
    for i, w in enumerate(policy.weights):
        y = "action" if i + 1 == layers else "ab"[i % 2]
        body.append(f"    layer({w.shape[0]}, {w.shape[1]}, weights{i}, biases{i}, {x}, {y});")
        if y != "action":
            body.append(f"    for (int k = 0; k < {w.shape[0]}; k++) {y}[k] = bend({y}[k]);")
        x = y
    if layers == 2:
        body[0] = f"    float a[{widest}];"
    parts.append(f"\nvoid {name}(const float observation[{big}_OBSERVATIONS], float action[{big}_ACTIONS]) {{\n" + "\n".join(body) + "\n}\n")
    if targets:
        parts.append(f"\nvoid {name}_targets(const float action[{big}_ACTIONS], float target[{big}_ACTUATORS]) {{\n"
                     f"    for (int k = 0; k < {big}_ACTUATORS; k++) {{\n"
                     f"        float x = action_of[k] < 0 ? 0.0f : action[action_of[k]];\n{_clip(targets.clip)}        target[k] = home[k] + scale[k] * x;\n    }}\n}}\n")
    if targets and targets.march is not None:
        places, moved = len(targets.march), np.flatnonzero(np.abs(targets.march).max(axis=0))
        parts.append("\n" + _array("static const int ", "marching", moved, int) + _array("static const float ", "march", targets.march[:, moved].ravel()) +
                     f"\nvoid {name}_march(float phase, float target[{big}_ACTUATORS]) {{\n"
                     f"    const float at = {places}.0f * phase;\n    const int from = (int)at % {places}, to = (from + 1) % {places};\n    const float part = at - (float)(int)at;\n"
                     f"    for (int k = 0; k < {len(moved)}; k++) {{\n        const float a = march[{len(moved)} * from + k], b = march[{len(moved)} * to + k];\n"
                     f"        target[marching[k]] += a + part * (b - a);\n    }}\n}}\n")
    for what, size, numbers in zip(("observation", "action"), ("OBSERVATIONS", "ACTIONS"), mirror or ()):
        parts.append("\n" + _array("static const int ", f"mirror_{what}", numbers, int) +
                     f"\nvoid {name}_mirror_{what}(const float {what}[{big}_{size}], float image[{big}_{size}]) {{\n    for (int k = 0; k < {big}_{size}; k++)\n"
                     f"        image[k] = mirror_{what}[k] < 0 ? -{what}[-mirror_{what}[k] - 1] : {what}[mirror_{what}[k] - 1];\n}}\n")
    return "".join(parts)

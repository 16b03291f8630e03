"""Motors: what makes an actuator's force of its gains and target, and how a control reaches it."""
from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ._library import ArgumentError, ffi, lib, text
from .motor_nets import MotorNet

KINDS: tuple[str, ...] = tuple(text(lib.myr_motor_name(k)) for k in range(lib.MYR_MOTOR_KINDS))
_LAGS = {"none": lib.MYR_LAG_NONE, "exact": lib.MYR_LAG_EXACT, "euler": lib.MYR_LAG_EULER, "integrator": lib.MYR_LAG_INTEGRATOR}


def _parameters(kind: int) -> list[str]:
    """Names of a kind's parameters, in the order of the C array."""
    return [word for word in text(lib.myr_motor_parameters(kind)).split("|") if word]


@dataclass(frozen=True)
class Motor:
    """What makes an actuator's force, and how a control reaches it: first late, then slowly, then by the law. docs/actuators.md has the laws.

    Motor("dc", {"stall": 120, "speed": 7.5}, delay=(0, 4))"""

    kind: str = "pd"  #: one of myriapod.motors.KINDS
    #: Of the kind, by name. dc: stall [N m | N], speed [rad/s | m/s]; of a net both may be left out.
    parameters: Mapping[str, float] = field(default_factory=dict)
    delay: tuple[int, int] = (0, 0)  #: steps of dt by which controls come late, drawn between the two when an episode begins
    lag: str = "none"  #: how what is set is followed: none, exact (by 1 - exp(-dt / lag_s)), euler (by dt / lag_s), integrator
    lag_s: float = 0.0  #: time constant [s]
    lag_behind: bool = False  #: a step acts by what was followed before it
    lag_range: tuple[float, float] = (-math.inf, math.inf)  #: in which what follows stays
    net: MotorNet | None = None  #: of a net_mlp or net_lstm

    def __post_init__(self) -> None:
        for what, word, words in (("kind", self.kind, KINDS), ("lag", self.lag, tuple(_LAGS))):
            if word not in words:
                raise ArgumentError(f"{what} of a motor is {word!r}, but must be one of {', '.join(words)}")
        known = _parameters(KINDS.index(self.kind))
        for name in self.parameters:
            if name not in known:
                raise ArgumentError(f"a {self.kind} motor has no {name!r}; it has {', '.join(known) or 'no parameters'}")


def write(c: Any, motor: Motor) -> None:
    """Into a C struct."""
    c.kind = KINDS.index(motor.kind)
    for i, name in enumerate(_parameters(c.kind)):
        c.parameters[i] = motor.parameters.get(name, 0.0)  # the library says what is missing
    c.delay_min, c.delay_max = motor.delay
    c.lag, c.lag_s, c.lag_behind = _LAGS[motor.lag], motor.lag_s, int(motor.lag_behind)
    c.lag_lower, c.lag_upper = motor.lag_range
    if motor.net is not None:
        if not isinstance(motor.net, MotorNet):
            raise ArgumentError(f"net of a motor is {type(motor.net).__name__}, but must be a MotorNet")
        c.net = motor.net._c  # the builder that it is given to holds a reference of its own


def make(motor: Motor) -> Any:
    """A C struct of its own."""
    c = ffi.new("myr_motor *", lib.myr_motor_default())
    write(c, motor)
    return c


def read(c: Any) -> Motor:
    """From a C struct."""
    parameters = {name: c.parameters[i] for i, name in enumerate(_parameters(c.kind)) if c.parameters[i] != 0}
    return Motor(KINDS[c.kind], parameters, (c.delay_min, c.delay_max), next(word for word, number in _LAGS.items() if number == c.lag), c.lag_s,
                 bool(c.lag_behind), (c.lag_lower, c.lag_upper), MotorNet._copy_of(c.net))

"""Models made of a model: with other motors, with more sensors, in a fluid."""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ._library import lib, text
from .motors import Motor
from .parts import Fluid
from .sensors import Sensor
from .sensors import read as read_sensor

if TYPE_CHECKING:
    from .model import Model


class Other:
    """The part of a `Model` that makes others of it."""

    _c: Any
    _info: Any
    _plane: Any
    _terrain: Any
    name: Any
    _number: Any
    source: Any
    _made_of: str | None
    _maker: Any  #: `ModelBuilder`, which says so itself (builder.py): it is made of models

    def _again(self, tell: Any) -> Model:
        """What it was described by, and what `tell` says to a builder of it; on the same map."""
        builder = self._maker(self.name)
        builder.add_model(self._plane or self)
        tell(builder)
        made = builder.compile()
        made = made if self._terrain is None else made.on(self._terrain)
        made._made_of = self.source or self._made_of
        return made

    def with_motors(self, motor: Motor | Mapping[str, Motor]) -> Model:
        """This model with other motors behind its actuators: a new model. One motor for all, or {names: motor}, names separated by commas,
        `*` and `?` as in a shell; the last word on an actuator counts.

            model.with_motors({"*_HAA,*_HFE": Motor("dc", {"stall": 120, "speed": 7.5}), "*_KFE": Motor(delay=(2, 6))})"""
        def tell(builder: Any) -> None:
            for names, its in (motor.items() if isinstance(motor, Mapping) else [("*", motor)]):
                builder.motor(names, its)

        return self._again(tell)

    def with_sensors(self, *sensors: Mapping[str, Any]) -> Model:
        """This model with more sensors: a new model, whose robots move as this one's do. Each is what `ModelBuilder.sensor` takes, as a dict.

            model.with_sensors({"name": "imu.gyro", "kind": "gyro", "of": "base"}, {"name": "feet", "kind": "air_time", "of": "*_FOOT"})"""
        def tell(builder: Any) -> None:
            for sensor in sensors:
                builder.sensor(**sensor)

        return self._again(tell)

    def with_friction_groups(self, groups: Mapping[str, str]) -> Model:
        """This model with groups of geoms whose friction has a factor of its own in each environment (`Batch.group_friction`): a new model. groups:
        {name: geoms}, names of geoms separated by commas, `*` and `?` as in a shell. A geom is in one group at most: the last word counts.

            model.with_friction_groups({"feet": "*_FOOT"})"""
        def tell(builder: Any) -> None:
            for name, geoms in groups.items():
                builder.friction_group(name, geoms)

        return self._again(tell)

    @property
    def friction_groups(self) -> list[str]:
        """Names of the columns of `Batch.group_friction`."""
        return [text(lib.myr_model_friction_group_name(self._c, i)) for i in range(lib.myr_model_friction_groups(self._c))]

    def in_fluid(self, density: float = 0.0, viscosity: float = 0.0, wind: Sequence[float] = (0, 0, 0)) -> Model:
        """This model in a fluid, which drags at every body by the box of its inertia (docs/fluid.md): a new model. density [kg/m^3], viscosity
        [Pa s], wind: how the fluid moves, world [m/s]. Water: 1000 and 1e-3; air: 1.2 and 1.8e-5; 0 and 0: none."""
        return self._again(lambda builder: builder.fluid(density, viscosity, wind))

    @property
    def fluid(self) -> Fluid:
        """What the robot moves in."""
        fluid = self._info.fluid
        return Fluid(fluid.density, fluid.viscosity, tuple(fluid.wind))

    @property
    def sensors(self) -> list[Sensor]:
        """What the robot feels: `Batch.sensor(name)`."""
        return [read_sensor(self._c, i) for i in range(self._info.n_sensors)]

    def sensor(self, name: str) -> Sensor:
        """The sensor of this name; ArgumentError names the nearest one."""
        return read_sensor(self._c, self._number("sensor", name))

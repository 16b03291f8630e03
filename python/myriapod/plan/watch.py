"""A robot that does what is planned, as something to look at: with ways of samples, and the cost by its terms."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .._library import ArgumentError, Error
from ..envs.lane_task import LaneTask
from ..view.frame import Frame, Lines
from ..view.live import SENSE, BatchSource
from ..view.panel import Panel
from .planner import Planner, Report
from .shown import CHEAP, LOST, Shown, colors, cost_terms

PUSH_S = 3.0  #: time between pushes
FINE_S = 0.002  #: a step of the robot takes at most so long


def plant(planner: Planner, **settings: Any) -> LaneTask:
    """A robot to look at: in float64, with steps of 2 ms or less; as the samples compute, where it has motors or sensors that count steps."""
    fine = max(1, int(np.ceil(planner.dt / FINE_S - 1e-9)))
    chosen = {"dt": planner.dt / fine, "decimation": fine, "precision": "f64"}
    if float(planner.task.settings["dt"]) <= FINE_S:
        chosen |= {"dt": planner.task.settings["dt"], "decimation": planner.task.settings["decimation"]}

    def made(**way: Any) -> LaneTask:
        robot = planner.robot(sense=SENSE, **{"threads": 1, **way, **settings})
        try:
            planner.start(robot)
        except BaseException:
            robot.close()
            raise
        return robot

    try:
        return made(**chosen)
    except ArgumentError:  # who counts steps wants the samples'
        return made()


class PlanSource(BatchSource):
    """The closed loop, one control step at a moment: the robot does what is planned, the plan shifts, and is made anew from where the robot is.

    planner, robot: closed with the source. of: whose ways are drawn (`Shown`); ghosts: samples that are drawn, the plan among them, thicker; command: of the field
    `command`; push: a horizontal speed [m/s] that the robot gets every 3 s, 0: none; away: how far the camera is (`Stage`).
    ArgumentError: the task has no commands, or of another number."""

    def __init__(self, planner: Planner, robot: LaneTask, *, of: Sequence[str] = (), ghosts: int = 8, command: Any = None, push: float = 0.0,
                 away: float = 1.0) -> None:
        super().__init__(robot.batch, f"{robot.task}, planned: {planner.num_samples} samples of {planner.num_steps} steps of {1e3 * planner.dt:g} ms, {planner.options['update']}")
        self.planner, self.robot, self.ghosts = planner, robot, ghosts
        self.random = np.random.default_rng(planner.options["seed"])
        self._shown, self.away = Shown(planner, *of), away
        self._wanted: np.ndarray | None = None  # a command; None: as the task has it
        self._is_new = False
        if command is not None:
            self.tell(command)
        self._numbers: dict[str, float] = {}  # that the panel asks for
        self._said = ""
        if not np.isfinite(push):
            raise ArgumentError(f"a push is {push:g} m/s, but must be finite")
        self._push, self._moments, self._largest = push, 0, 1e-9
        self.falls = 0  #: episodes that ended by themselves
        self._plan()

    @property
    def command(self) -> np.ndarray | None:
        """What the robot is told now; None: the task has no commands."""
        return self.batch.get("command", [0], dtype=np.float64)[0] if "command" in self.batch.fields else None

    def tell(self, command: Any) -> None:
        """A command from the next control step on, and of every episode from its beginning. ArgumentError: the task has none, or of another number."""
        given, now = np.asarray(command, float).reshape(-1), self.command
        if now is None:
            raise ArgumentError(f"the task {self.robot.task!r} has no commands")
        if given.shape != now.shape or not np.isfinite(given).all():
            raise ArgumentError(f"a command of the task {self.robot.task!r} is {len(now)} finite numbers, got {', '.join(f'{x:g}' for x in given)}")
        self._wanted, self._is_new = given, True

    # ---- the loop ------------------------------------------------------------------------------------------------------

    def _plan(self) -> None:
        if self._is_new and self._wanted is not None:
            self._is_new = False
            self.batch.set("command", self._wanted[None])
        self.report: Report = self.planner.plan(self.robot)
        self._looked: tuple[Lines, Panel] | None = None

    def advance(self, moments: int) -> None:
        """So many control steps."""
        for _ in range(moments):
            self._renumber()
            out = self.robot.act(self.planner.control()[None])
            self.planner.shift(1.0)
            self._moments += 1
            if out.terminated[0] or out.truncated[0]:
                self.falls += 1
                self._begin()
            elif self._push and self._moments % round(PUSH_S / self.dt) == 0:
                self.push(np.array([0]), self._push)
            self._plan()

    def _begin(self) -> None:
        self.robot.reset()
        self._is_new = True
        self.planner.knots = np.clip(0.0, self.planner.lower, self.planner.upper)

    def seek(self, moment: int) -> None:
        """The robot begins anew, with an empty plan."""
        self._begin()
        self._plan()

    def push(self, ids: np.ndarray, speed: float) -> None:
        """Add a horizontal speed [m/s], in a random direction; to a robot on a fixed base a speed of its first joint, to either side."""
        if any(joint.type == "free" for joint in self.model.joints):
            return super().push(ids, speed)
        v = self.batch.get("v", ids)
        v[:, 0] += speed * self.random.choice([-1.0, 1.0])
        return self.batch.set("v", v, ids)

    def _renumber(self) -> None:
        """Numbers that the panel asks for, for robot and samples."""
        asked, self._numbers = self._numbers, {}
        try:
            if asked:
                self.robot.batch.set_numbers(asked)
                self.planner.task.batch.set_numbers(asked)
                self._said = ""
        except Error as error:
            self._said = f"**{error}**"

    # ---- what is seen --------------------------------------------------------------------------------------------------

    def _look(self) -> tuple[Lines, Panel]:
        """Ways and figures of the last plan."""
        if self._looked is None:
            ids = self._shown.samples(self.ghosts)
            ways, costs = self._shown.lines(ids), self.planner.costs[ids]
            here = self._shown.places(self.batch.get("body_pose", [0], dtype=np.float64))[:, :, None]
            ways, ink = np.concatenate([np.broadcast_to(here, (len(ids), *here.shape[1:])), ways], 2), colors(costs)
            if len(ids):
                ink[0] = CHEAP if np.isfinite(costs[0]) else LOST
            each = ways.shape[1]
            self._looked = Lines(ways.reshape(-1, *ways.shape[2:]), np.repeat(ink, each, 0), np.repeat(np.arange(len(ids)) == 0, each)), self._panel()
        return self._looked

    def _panel(self) -> Panel:
        report = self.report
        bars = [(name, float(term.sum())) for name, term in cost_terms(self.planner).items() if term.any()]
        self._largest = max(0.98 * self._largest, *(abs(value) for _, value in bars if np.isfinite(value)), 1e-9)  # so that bars do not jump
        kept = "lost" if np.isinf(report.kept) else f"{report.kept:.4f}"
        command = self.command
        words = [f"{float(self.batch.get('time', [0], dtype=np.float64).reshape(-1)[0]):.2f} s" + ("" if command is None else ", command " + ", ".join(f"{x:+.2f}" for x in command)),
                 f"a plan: {1e3 * report.wall_s:.1f} ms, {report.lost} of {self.planner.num_samples} lost{report.why and f' ({report.why})'}", f"it costs {kept}, the best {report.least:.4f}"]
        if self.falls:
            words.append(f"it began anew {self.falls} times")
        return Panel(words, bars, self._largest)

    def frame(self, ids: np.ndarray) -> Frame:
        """The present moment."""
        frame = super().frame(ids)
        frame.lines, frame.panel = self._look()
        return frame

    def about(self, env: int) -> str:
        """Figures on the plan, and its cost by terms as bars."""
        return f"{super().about(env)}\n\n{self._look()[1].markdown()}" + (f"\n\n{self._said}" if self._said else "")

    def add_controls(self, gui: Any) -> None:
        """Command, ghost lines, and the numbers of the task, weights of its terms among them."""
        command = self.command
        if command is not None:
            named = (("forward [m/s]", 2.0), ("left [m/s]", 1.0), ("yaw rate [rad/s]", 1.5))
            with gui.add_folder("Command"):
                sliders = [gui.add_slider(label, -max(limit, abs(value)), max(limit, abs(value)), 0.05, float(value))
                           for (label, limit), value in zip(named if len(command) == 3 else [(f"number {k}", 2.0) for k in range(len(command))], command)]
            for slider in sliders:
                slider.on_update(lambda _: self.tell([s.value for s in sliders]))
        with gui.add_folder("Plan"):
            ghosts = gui.add_slider("lines", 0, min(32, self.planner.num_samples), 1, min(self.ghosts, 32, self.planner.num_samples), hint="samples whose way is drawn; the plan's is thick")
        ghosts.on_update(lambda _: setattr(self, "ghosts", int(ghosts.value)))
        numbers = self.batch.task_numbers
        if numbers:
            with gui.add_folder("Numbers", expand_by_default=False):
                for name, value in numbers.items():
                    box = gui.add_number(name, float(value))
                    box.on_update(lambda event, name=name: self._numbers.update({name: float(event.target.value)}))

    def close(self) -> None:
        """Free planner, robot and lines."""
        self._shown.close()
        self.planner.close()
        super().close()

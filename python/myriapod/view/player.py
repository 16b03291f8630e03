"""The panel in the browser and the loop that moves time: pause, step, speed, slider, choice of environments."""
from __future__ import annotations

import math
import threading
import time
from typing import Any

import numpy as np

from .frame import Source
from .scene import Scene

FRAMES_PER_S = 30.0
BUDGET_S = 0.8 / FRAMES_PER_S  #: of a drawn frame's time that stepping may take
MOST_SHOWN = 64


class Player:
    """Shows a source on a viser server until `stop`. All work on the source is done by the thread that calls `run`; the panel's
    controls are only read there."""

    def __init__(self, server: Any, source: Source, shown: int = 1, env: int = 0) -> None:
        self.server, self.source = server, source
        self.scene = Scene(server, source.model, away=getattr(source, "away", 1.0))
        self._stop = threading.Event()
        self._single = self._reset = self._push = False
        self._due = 0.0  # moments that are due but not yet made
        self._rate = 0.0  # achieved speed over real time
        self._shown_moment = 0
        self._panel(max(1, min(shown, source.envs, MOST_SHOWN)), min(max(env, 0), source.envs - 1))

    # ---- the panel --------------------------------------------------------------------------------------------------

    def _panel(self, shown: int, env: int) -> None:
        gui, source, scene = self.server.gui, self.source, self.scene
        gui.set_panel_label(f"Myriapod: {source.model.name}")
        gui.configure_theme(control_layout="floating", control_width="medium", show_logo=False, show_share_button=False, brand_color=(176, 32, 38))
        gui.add_markdown(source.title)
        with gui.add_folder("Time"):
            self._paused = gui.add_checkbox("pause", False)
            self._speed = gui.add_slider("speed [x real time]", 0.05, 4.0, 0.05, 1.0)
            if source.frames is None:
                self._slider = self._loop = None
            else:
                end = (source.frames - 1) * source.dt
                self._slider = gui.add_slider("time [s]", 0.0, max(end, source.dt), source.dt, 0.0, disabled=source.frames == 1)
                self._loop = gui.add_checkbox("repeat", True)
            buttons = gui.add_button_group(" ", ("step", "reset") if source.frames is None else ("back", "step", "start"))
            buttons.on_click(lambda event: self._button(event.target.value))
        with gui.add_folder("Environments"):
            self._env = gui.add_slider(f"k of {source.envs}", 0, max(source.envs - 1, 1), 1, env, disabled=source.envs == 1)
            self._shown = gui.add_slider("side by side", 1, max(min(source.envs, MOST_SHOWN), 2), 1, shown, disabled=source.envs == 1)
            self._in_place = gui.add_checkbox("keep each on its place", shown > 1, hint="draw every robot where it started, wherever it went")
            self._follow = gui.add_checkbox("follow", True, hint="keep the robots in the middle of the picture")
        if hasattr(source, "push"):
            with gui.add_folder("Push"):
                self._push_speed = gui.add_slider("speed [m/s]", 0.1, 3.0, 0.1, 1.0, hint="is added to those that are shown, in a random direction")
                gui.add_button("push").on_click(lambda _: self._button("push"))
        source.add_controls(gui)
        with gui.add_folder("Drawing", expand_by_default=False):
            self._forces = gui.add_checkbox("contact forces", True)
            self._arrows = gui.add_slider("arrow [mm/N]", 0.0, 8000 * scene.arrow_scale, 80 * scene.arrow_scale, 1000 * scene.arrow_scale)
            self._collision = gui.add_checkbox("what collides", False)
            self._sight = gui.add_checkbox("what sensors see", True, hint="ends of rays, points of scans")
        self._status = gui.add_markdown("")
        if scene.look.warnings:
            gui.add_markdown("**Not drawn:** " + "; ".join(scene.look.warnings[:5]))
        if scene.ground is not None:
            scene.settle(source.frame(self.ids))
        position, target = scene.frame_camera(shown)
        self.server.initial_camera.position, self.server.initial_camera.look_at = tuple(position), tuple(target)

    def _button(self, word: str) -> None:
        if word == "push":
            self._push = True
        elif word in ("reset", "start"):
            self._reset = True
        else:
            self._single = True
            self._back = word == "back"

    _back = False

    # ---- time -------------------------------------------------------------------------------------------------------

    @property
    def ids(self) -> np.ndarray:
        """The environments that are shown: k and those after it, round to 0."""
        count = min(int(self._shown.value), self.source.envs)
        return (min(int(self._env.value), self.source.envs - 1) + np.arange(count)) % self.source.envs

    def _advance(self, elapsed: float) -> None:
        """What the controls ask for, for so much real time [s]."""
        source = self.source
        if self._push:
            self._push = False
            source.push(self.ids, float(self._push_speed.value))  # type: ignore[attr-defined]
        if self._reset:
            self._reset, self._due = False, 0.0
            source.seek(0)
            self._shown_moment = 0
        if self._slider is not None and abs(self._slider.value - self._shown_moment * source.dt) > 0.5 * source.dt:
            self._shown_moment, self._due = round(self._slider.value / source.dt), 0.0  # the user's hand
            source.seek(self._shown_moment)
        if self._single:
            self._single, self._due = False, 0.0
            self._paused.value = True
            self._go(-1 if self._back else 1)
        elif not self._paused.value:
            self._due += elapsed * float(self._speed.value) / source.dt
            whole, start, done = math.floor(self._due), time.perf_counter(), 0
            while done < whole and (done == 0 or time.perf_counter() - start < BUDGET_S):
                count = max(1, min(whole - done, (whole + 7) // 8))
                self._go(count)
                done += count
            self._due -= done
            if self._due > 1.0:
                self._due = 0.0  # too slow for that speed: time is late, and not made up for
            made = done * source.dt / max(elapsed, 1e-6)
            self._rate += 0.1 * (made - self._rate)

    def _go(self, moments: int) -> None:
        source = self.source
        if source.frames is None:
            source.advance(moments)
            return
        moment = self._shown_moment + moments
        if moment >= source.frames and self._loop is not None and self._loop.value:
            moment %= source.frames
        self._shown_moment = min(max(moment, 0), source.frames - 1)
        source.seek(self._shown_moment)

    def _draw(self) -> float:
        scene, ids = self.scene, self.ids
        scene.in_place, scene.follow = bool(self._in_place.value), bool(self._follow.value)
        scene.show_forces, scene.show_collision = bool(self._forces.value), bool(self._collision.value)
        scene.show_sight = bool(self._sight.value)
        scene.arrow_scale = float(self._arrows.value) / 1000.0
        frame = self.source.frame(ids)
        scene.draw(frame, ids)
        self._frame = frame
        return frame.time

    def _tell(self) -> None:
        ids, frame = self.ids, self._frame
        force = frame.forces[0]
        text = f"**env {int(ids[0])}**: t = {frame.time:.3f} s; {self.source.about(int(ids[0]))}"
        if force.shape[0]:
            lengths = np.linalg.norm(force, axis=-1)
            text += f"\n\nground force {force[:, 2].sum():.0f} N up, {int((lengths > 0).sum())} contacts, largest {lengths.max():.0f} N"
            text += f" (weight {9.81 * self.source.model.mass:.0f} N)"
        if not self._paused.value:
            text += f"\n\n{self._rate:.2f} x real time"
        self._status.content = text

    def tick(self, elapsed: float) -> None:
        """One drawn frame, after so much real time [s] since the last."""
        self._advance(elapsed)
        self._draw()
        if self._slider is not None:
            value = self._shown_moment * self.source.dt
            if abs(self._slider.value - value) > 1e-9:
                self._slider.value = value

    def run(self, seconds: float | None = None) -> None:
        """Until `stop` is called from another thread, or for so many seconds of real time."""
        start = last = time.perf_counter()
        told = -1.0
        while not self._stop.is_set():
            now = time.perf_counter()
            if seconds is not None and now - start >= seconds:
                return
            self.tick(min(now - last, 0.25))
            last = now
            if now - told > 0.25:
                told = now
                self._tell()
            self._stop.wait(max(0.0, 1.0 / FRAMES_PER_S - (time.perf_counter() - now)))

    def stop(self) -> None:
        """End `run`, from any thread."""
        self._stop.set()

"""A Chromium without a window, which shows the viewer's page to a test: started, asked through its DevTools protocol, ended. It draws on the processor (SwiftShader)."""
from __future__ import annotations

import base64
import itertools
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import Any

from myriapod.view import ViewError

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge")
INSTALL = "there is no Chromium: apt-get install chromium (or name one in $MYRIAPOD_CHROMIUM)"
START_S = 60.0  #: a cold start on a busy machine takes seconds


def find() -> str:
    """The program. ViewError says how to install one."""
    named = os.environ.get("MYRIAPOD_CHROMIUM")
    found = shutil.which(named) if named else next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        raise ViewError(f"$MYRIAPOD_CHROMIUM names {named!r}, which is not a program" if named else INSTALL)
    return found


class Browser:
    """A page of `width` x `height` [pixels] without a window. A context manager: leaving it ends the browser and removes its files."""

    def __init__(self, width: int, height: int) -> None:
        program = find()
        self._folder = tempfile.TemporaryDirectory(prefix="myriapod-view-", ignore_cleanup_errors=True)
        profile = Path(self._folder.name)
        flags = [
            "--headless=new", "--remote-debugging-port=0", f"--user-data-dir={profile}", f"--window-size={width},{height}", "--hide-scrollbars",
            "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist", "--no-first-run", "--disable-extensions",
            "--disable-dev-shm-usage", "--mute-audio", "--disable-background-timer-throttling", "--disable-renderer-backgrounding",
            "--disable-backgrounding-occluded-windows", "--force-device-scale-factor=1", "--disable-sync", "--disable-component-update",
        ]
        if os.geteuid() == 0:
            flags.append("--no-sandbox")  # Chromium refuses root with it; the page is our own, on this machine
        self._log = open(profile / "log", "wb")
        self._process = subprocess.Popen(
            [program, *flags, "about:blank"], stdin=subprocess.DEVNULL, stdout=self._log, stderr=self._log, start_new_session=True
        )
        self._socket: Any = None
        self._numbers = itertools.count(1)
        try:
            self._connect(profile)
            self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        except BaseException:
            self.close()
            raise

    def _connect(self, profile: Path) -> None:
        from websockets.sync.client import connect

        port_file, until = profile / "DevToolsActivePort", time.monotonic() + START_S
        while not (port_file.exists() and port_file.read_text().count("\n")):
            if self._process.poll() is not None or time.monotonic() > until:
                last = (profile / "log").read_text("utf-8", "replace").strip().splitlines()[-1:] or ["it says nothing"]
                raise ViewError(f"{self._process.args[0]} does not start: {last[0][:300]}")  # type: ignore[index]
            time.sleep(0.05)
        port = int(port_file.read_text().split()[0])
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/json/list", timeout=START_S) as answer:
            page = next(p for p in json.load(answer) if p["type"] == "page")
        self._socket = connect(page["webSocketDebuggerUrl"], max_size=None, open_timeout=START_S, proxy=None)

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """One DevTools call and its answer. ViewError: the browser refuses, or is gone."""
        number = next(self._numbers)
        try:
            self._socket.send(json.dumps({"id": number, "method": method, "params": parameters}))
            while True:
                answer = json.loads(self._socket.recv(timeout=START_S))
                if answer.get("id") == number:
                    break
        except (OSError, TimeoutError, EOFError) as error:
            raise ViewError(f"the browser does not answer: {error or type(error).__name__}") from None
        except Exception as error:  # websockets' own
            raise ViewError(f"the browser is gone: {error}") from None
        if "error" in answer:
            raise ViewError(f"the browser refuses {method}: {answer['error'].get('message')}")
        return answer["result"]

    def open(self, url: str) -> None:
        """Show a page; it may not be loaded yet on return."""
        self.call("Page.navigate", url=url)

    def evaluate(self, expression: str) -> Any:
        """The value of a JavaScript expression in the page."""
        return self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)["result"].get("value")

    def screenshot(self) -> bytes:
        """The page as PNG."""
        return base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])

    def close(self) -> None:
        """End the browser. Twice is fine."""
        if self._socket is not None:
            self._socket.close()
            self._socket = None
        if self._process.poll() is None:
            for number, patience in ((signal.SIGTERM, 5.0), (signal.SIGKILL, 5.0)):
                try:
                    os.killpg(self._process.pid, number)
                    self._process.wait(patience)
                    break
                except (ProcessLookupError, subprocess.TimeoutExpired):
                    continue
        self._log.close()
        self._folder.cleanup()

    def __enter__(self) -> Browser:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

"""A headless Chromium without network, driven by the DevTools protocol over a pair of pipes: nothing to install but the browser."""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

CHROMIUM = next((p for name in ("chromium", "chromium-browser", "google-chrome") if (p := shutil.which(name))), None)
_FLAGS = (
    *(
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu-sandbox",
        "--use-angle=swiftshader",
        "--enable-unsafe-swiftshader",
    ),
    *("--no-first-run", "--disable-dev-shm-usage", "--disable-background-networking", "--disable-component-update"),
    *(
        "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
        "--force-device-scale-factor=1",
        "--window-size=1100,640",
    ),
    "--disable-features=NetworkTimeServiceQuerying",  # it asks for the time once it has run for a while
    "--max-active-webgl-contexts=4",  # 16 by default, each of which takes half a second without a graphics card
    *("--remote-debugging-pipe", "--hide-scrollbars", "about:blank"),
)


def needs_browser(test: Callable[..., None]) -> Callable[..., None]:
    """A test of what a browser makes of a page."""
    where = pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium")
    return pytest.mark.other_programs(where(test))


class Browser:
    """One tab."""

    def __init__(self, write: int, read: int) -> None:
        self._write, self._read, self._rest, self._number = write, read, b"", 0
        self.events: list[dict[str, Any]] = []
        self._session: str | None = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._message()
            if answer.get("id") == self._number:
                assert "error" not in answer, answer["error"]
                result: dict[str, Any] = answer["result"]
                return result
            self.events.append(answer)

    def _message(self, seconds: float = 60.0) -> dict[str, Any]:
        while b"\0" not in self._rest:
            ready, _, _ = select.select([self._read], [], [], seconds)
            assert ready, "the browser does not answer"
            data = os.read(self._read, 1 << 20)
            assert data, "the browser has ended"
            self._rest += data
        text, _, self._rest = self._rest.partition(b"\0")
        found: dict[str, Any] = json.loads(text)
        return found

    def open(self, path: Path) -> None:
        """A file, until it is loaded."""
        self.events.clear()
        self.call("Page.navigate", url=path.as_uri())
        self.wait("document.readyState === 'complete' && location.href.startsWith('file:')")

    def js(self, expression: str) -> Any:
        """The value of an expression, promises awaited."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def js_in(self, target: str, expression: str) -> Any:
        """The value of an expression in another target: a frame, a worker."""
        own = self._session
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        try:
            return self.js(expression)
        finally:
            self._session = own

    def wait(self, condition: str, seconds: float = 30.0) -> None:
        """Until an expression holds."""
        end = time.monotonic() + seconds
        while not self.js(f"Boolean({condition})"):
            assert time.monotonic() < end, f"not within {seconds} s: {condition}"
            time.sleep(0.05)

    def click(self, x: float, y: float) -> None:
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", buttons=1, clickCount=1)

    def screenshot(self) -> bytes:
        """PNG of the window."""
        return base64.b64decode(self.call("Page.captureScreenshot")["data"])

    def complaints(self) -> list[str]:
        """Errors and warnings on the console, exceptions, and requests for anything but the page itself."""
        found = []
        for event in self.events:
            method, params = event.get("method"), event.get("params", {})
            if method == "Runtime.exceptionThrown":
                found.append(str(params["exceptionDetails"]))
            elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning", "assert"):
                found.append(str(params["args"]))
            elif method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
                found.append(params["entry"]["text"])
            elif method == "Network.requestWillBeSent" and not params["request"]["url"].startswith(
                ("file:", "data:", "blob:")
            ):
                found.append(f"request: {params['request']['url']}")
        return found


@contextmanager
def browser(*flags: str) -> Iterator[Browser]:
    """A browser with a profile of its own, ended afterwards."""
    to_child, our_write = os.pipe()
    our_read, from_child = os.pipe()
    with TemporaryDirectory(ignore_cleanup_errors=True) as profile:  # it writes until it has ended
        words = [str(CHROMIUM), f"--user-data-dir={profile}", *flags, *_FLAGS]
        # the protocol's pipes are descriptors 3 and 4
        script = f'exec 3<&{to_child} 4>&{from_child}; exec "$@"'
        child = subprocess.Popen(
            ["bash", "-c", script, "bash", *words],
            pass_fds=(to_child, from_child),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        os.close(to_child)
        os.close(from_child)
        try:
            yield Browser(our_write, our_read)
        finally:
            os.close(our_write)
            os.close(our_read)
            child.terminate()
            try:
                child.wait(10)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()

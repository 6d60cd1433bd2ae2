"""The program as a web page: its folder served on this machine, and the page driven as a user does."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from browser import Browser


class _Handler(SimpleHTTPRequestHandler):
    """Files of a folder, also for a browser whose proxy this is: then it sees every request, wherever that goes."""

    def __init__(self, *args: Any, requests: list[str], **others: Any) -> None:
        self._requests = requests
        super().__init__(*args, **others)

    def send_head(self) -> Any:
        self._requests.append(self.path)
        self.path = self.path.removeprefix(f"http://{self.headers['Host']}")
        return super().send_head()

    def do_CONNECT(self) -> None:
        self._requests.append(self.path)
        self.send_error(403)

    def log_message(self, *_: Any) -> None:
        pass

    def handle(self) -> None:
        with suppress(ConnectionError):  # the browser has ended
            super().handle()


@contextmanager
def served(folder: Path) -> Iterator[tuple[str, list[str]]]:
    """The address of a folder, as `python -m http.server` serves it, and the addresses that were asked for."""
    requests: list[str] = []
    handler = partial(_Handler, directory=str(folder), requests=requests)
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}", requests
        server.shutdown()


class WebPage:
    """The page in a tab."""

    def __init__(self, tab: Browser, address: str, requests: list[str]) -> None:
        self.tab, self.address, self.requests = tab, address, requests
        tab.events.clear()
        requests.clear()
        tab.call("Page.navigate", url=f"{address}/")
        self.wait("document.getElementById('status')?.textContent === 'Ready.'")

    def wait(self, condition: str, seconds: float = 300.0) -> None:
        self.tab.wait(condition, seconds)

    def said(self, name: str) -> str:
        """The text of an element."""
        return str(self.tab.js(f"document.getElementById({name!r}).textContent"))

    def choose(self, *files: Path, by: str = "files") -> list[str]:
        """Choose files; the names of those that are ticked."""
        root = self.tab.call("DOM.getDocument")["root"]["nodeId"]
        node = self.tab.call("DOM.querySelector", nodeId=root, selector=f"#{by}")["nodeId"]
        self.tab.js("document.querySelectorAll('#inputs label').forEach(label => label.remove())")
        self.tab.call("DOM.setFileInputFiles", nodeId=node, files=[str(f) for f in files])
        self.wait("document.querySelector('#inputs label, #messages:not([hidden])')")
        self.wait("document.getElementById('stop').disabled")
        return self.ticked()

    def ticked(self) -> list[str]:
        """The names of the files that are to be measured."""
        return list(self.tab.js("[...document.querySelectorAll('#inputs :checked')].map(box => box.value)"))

    def tick(self, *names: str) -> None:
        """Tick these files alone."""
        self.tab.js(
            f"document.querySelectorAll('#inputs input').forEach(b => b.checked = {[*names]!r}.includes(b.value))"
        )

    def begin(self, **fields: str) -> None:
        """Fill in the form, and press its button; what is not named is emptied."""
        for name in ("units", "density", "material", "about", "more", "command"):
            self.tab.js(f"document.getElementById({name!r}).value = {fields.get(name, '')!r}")
        self.tab.js(f"document.getElementById('format').value = {fields.get('format', 'table')!r}")
        self.tab.js("document.getElementById('measure').click()")

    def measure(self, **fields: str) -> tuple[str, str, int]:
        """The text, the messages and the exit code of a command, once its report is there too."""
        self.begin(**fields)
        self.wait("document.getElementById('stop').disabled")
        code = self.said("status").partition("exit code ")[2].rstrip(".")
        return self.said("text"), self.said("messages"), int(code or 0)

    def in_view(self, expression: str) -> Any:
        """The value of an expression in the frame of the report, which has a process of its own."""
        targets = self.tab.call("Target.getTargets")["targetInfos"]
        frame = next(t["targetId"] for t in targets if t["type"] == "iframe")
        return self.tab.js_in(frame, expression)

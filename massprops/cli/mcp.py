"""`massprops mcp`: commands as tools of the Model Context Protocol, for agents; tested by `tests/agents/test_server.py`."""

from __future__ import annotations

import base64
import io
import json
import os
import sys
import time
import tomllib
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

from massprops.access import Spelling, access, allowing
from massprops.agents.server import Server, failure
from massprops.cli import streams
from massprops.cli.app import COMMANDS, prepare
from massprops.cli.groups import CommandParameter, declarations
from massprops.declarations import option
from massprops.errors import InvalidInput, as_error
from massprops.formats.bodies.json_results import objects
from massprops.formats.escaping import json_line
from massprops.formats.files import check_within_roots, confined_to, within_limits
from massprops.scheduling import end_with_parent

Table = Mapping[str, Any]


def mcp(
    *,
    root: list[str] | None = option(
        "Files",
        "Folder that tools may read and write, and nothing outside; repeatable. [default: those that the client opens]",
        metavar="FOLDER",
    ),
    timeout: int = option(None, "Seconds after which a call is stopped.", metavar="S", default=120, min=1),
) -> None:
    """Serve agents by the Model Context Protocol: measure, check, explain, fill, diff and plot, over standard input and output."""
    import asyncio

    roots = [os.path.realpath(folder) for folder in root or ()]
    for folder in (folder for folder in roots if not Path(folder).is_dir()):
        raise InvalidInput(f"--root {folder} is not a folder", hint="name a folder that exists")
    asyncio.run(_server(roots, timeout).serve())


def _server(roots: list[str], timeout: int) -> Server:
    """Server that runs each call in a process of this program."""
    table = _table()
    tools = [_tool(name, entry) for name, entry in table.items() if name != "instructions"]
    # -P: no module is imported from the folder that is served
    command = [sys.executable, "-P", "-c", "from massprops.cli.mcp import answer; answer()", str(os.getpid())]
    return Server(table["instructions"], tools, command, roots, timeout, access().max_bytes, streams.cores(0))


def _table() -> dict[str, Any]:
    return tomllib.loads(files("massprops.agents").joinpath("tools.toml").read_text("utf-8"))


def _tool(name: str, entry: Table) -> Table:
    """A tool as the protocol spells it."""
    function, places = COMMANDS[entry["command"]].load()[0], entry["places"].split()
    known, writes = {d.name: d for d in declarations(function)}, entry.get("writes", False)
    properties = {p: _schema(known.get(p) or known["files"], p == "files") for p in places}
    properties |= {p: _schema(known[p], known[p].is_repeatable) for p in entry["options"].split()}
    if writes:
        properties["write"] = {"type": "boolean", "description": "Write the file; else the result has a diff."}
    required = [p for p in places if p not in known or known[p].field.default is not None]
    schema = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
    text = " ".join([*(function.__doc__ or "").splitlines()[:1], entry["advice"]])
    hints = {"readOnlyHint": not writes, "openWorldHint": False}
    return {"name": name, "description": text, "inputSchema": schema, "annotations": hints}


def _schema(d: CommandParameter, is_list: bool) -> Table:
    """JSON Schema of an option or argument."""
    rules, kind = d.field.metadata, {bool: "boolean", int: "integer", float: "number"}.get(d.type, "string")
    one = {"type": kind} | ({"enum": list(d.words)} if d.words else {})
    form = "" if d.is_argument else rules.get("metavar") or ""
    several = {"type": "array", "items": one} if is_list else one
    return several | {"description": f"{rules['help']} {form}".strip()}


def _words(entry: Table, given: Table) -> list[str]:
    """The options of a call as words of the command line."""
    words, known = [*entry["words"]], {d.name: d for d in declarations(COMMANDS[entry["command"]].load()[0])}
    if entry.get("writes"):
        words.append("--in-place" if given.get("write") else "--diff")
    for name in (name for name in entry["options"].split() if given.get(name) not in (None, False)):
        values, spelled = given[name] if isinstance(given[name], list) else [given[name]], known[name].spellings[0]
        words += [spelled if value is True else f"{spelled}={value}" for value in values]
    return words


class _Arguments(Spelling):
    """Spelling of messages with the arguments of one tool."""

    def __init__(self, known: str) -> None:
        self._known = known.split()

    def has(self, name: str) -> bool:
        """Whether the tool has the argument."""
        return name in self._known


def answer() -> None:
    """Answer a call, read as JSON from standard input, in lines of JSON; nothing else is written to standard output."""
    end_with_parent(int(sys.argv[1]))
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    wire, due = os.dup(1), 0.0
    os.dup2(2, 1)

    def send(message: Table) -> None:
        with os.fdopen(os.dup(wire), "wb") as stream:
            stream.write(json_line(message))

    def progress(done: int, total: int, note: str = "") -> None:
        nonlocal due
        if time.monotonic() >= due:
            due = time.monotonic() + streams.EVERY
            send({"progress": [done, total, note.strip() or None]})

    call = json.load(sys.stdin)
    with confined_to(call["roots"]), within_limits(call["max_bytes"], watcher=progress):
        send(_outcome(_table()[call["tool"]], call["arguments"]))


def _outcome(entry: Table, given: Table) -> Table:
    """The result of a command, or its error, what it says on stderr, and its picture."""
    out, said = io.BytesIO(), io.StringIO()
    sys.stdout, sys.stderr = io.TextIOWrapper(out, "utf-8", write_through=True), said
    named = [given[place] for place in entry["places"].split() if place in given]
    paths = [path for each in named for path in (each if isinstance(each, list) else [each])]
    folders = (text.partition("=")[2] for text in given.get("package") or ())
    try:
        with allowing(spelling=_Arguments(entry["options"])):
            for path in (*paths, *folders):
                check_within_roots(path)
            run = prepare([entry["command"], *_words(entry, given), "--", *paths])
            status = (run and run()) or 0
    except Exception as error:
        found = as_error(error, "".join(paths[:1]))
        return failure(found, "".join(paths[:1])) | {"messages": getattr(found, "__notes__", [])}
    data, pictures = out.getvalue(), []
    if entry["command"] == "plot":
        kind = "image/png" if data.startswith(b"\x89PNG") else "image/svg+xml"
        pictures = [{"data": base64.b64encode(data).decode(), "mimeType": kind}]
        result: Any = {"bytes": len(data), "type": kind}
    else:
        results = [value for value, _ in objects(data.decode("utf-8"), "the result")]
        is_list = len(results) != 1 or (entry.get("list") and "error" not in results[0])
        result = {"results": results} if is_list else results[0]
    messages = [said.getvalue().strip()] * bool(said.getvalue())
    return {"result": result, "is_error": status > 1, "messages": messages, "picture": pictures}

"""The server of tools, as a client of the protocol's own package meets it over standard input and output."""

from __future__ import annotations

import base64
import contextlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from console import OUTWARD, PROGRAM, TIMEOUT, VALIDATOR, VOLUME, ascii_stl, environment, run
from places import ROOT

from massprops.cli.mcp import _outcome, _server, _table
from massprops.formats.files import confined_to, within_limits

anyio = pytest.importorskip("anyio")
mcp = pytest.importorskip("mcp")
types = pytest.importorskip("mcp.types")

Call = Callable[..., Awaitable[Any]]
needs_pipes = pytest.mark.skipif(sys.platform == "win32", reason="a named pipe is what a call waits for")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The sample robot, a tetrahedron, and beside the folder that is served a secret with links to it."""
    served = tmp_path / "served"
    shutil.copytree(ROOT / "samples" / "robots", served)
    (served / "part.stl").write_text(ascii_stl())
    (served / "open.stl").write_text(ascii_stl(OUTWARD[:3]))
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "part.stl").write_text(ascii_stl())
    mesh = '<visual><geometry><mesh filename="../secret/absent.stl"/></geometry></visual>'
    (served / "layers.usda").write_text("#usda 1.0\n(subLayers = [@../secret/layer.usda@])\n")
    (tmp_path / "secret" / "layer.usda").write_text("#usda 1.0\n")
    (served / "thief.urdf").write_text(f'<robot name="r"><link name="a">{mesh}</link></robot>')
    (tmp_path / "package.xml").write_text("<package/>")  # the robot's tree is more than what is served
    (tmp_path / "massprops.toml").write_text("not = 'a key'\n")  # above the root: not for the server
    if sys.platform != "win32":
        (served / "link.stl").symlink_to(tmp_path / "secret" / "part.stl")
        (served / "linked").symlink_to(tmp_path / "secret")
    return served


def client(*args: str | Path, **options: Any) -> Any:
    words = [*PROGRAM[1:], "mcp", *map(str, args)]
    return mcp.Client(mcp.StdioServerParameters(command=PROGRAM[0], args=words, env=environment()), **options)


def in_memory(*roots: Path, **options: Any) -> Any:
    """A client of a server in this process, which runs each call in another one."""
    return mcp.Client(_server([*map(str, roots)], int(TIMEOUT)).protocol(), **options)


def connect(work: Callable[[Any], Awaitable[None]], unconnected: Any) -> None:
    async def connected() -> None:
        with anyio.fail_after(TIMEOUT):
            async with unconnected as connection:
                await work(connection)

    anyio.run(connected)


def test_every_tool_answers_in_the_schema(folder: Path) -> None:
    """One session: of six tools one writes; a number is that of geometry, the planted error is found, and a diff writes nothing."""
    robot = (folder / "arm.urdf").read_bytes()
    seen: list[tuple[float, float]] = []

    async def work(connection: Any) -> None:
        async def call(tool: str, **arguments: Any) -> Any:
            found = await connection.call_tool(tool, arguments, progress_callback=progress)
            assert not found.is_error, found
            content = found.structured_content
            assert tool == "plot" or json.loads(found.content[0].text) == content
            for each in [] if tool == "plot" else content.get("results", [content]):
                VALIDATOR.validate(each)
            return found if tool == "plot" else content

        async def progress(done: float, total: float | None, _note: str | None) -> None:
            seen.append((done, total or 0))

        tools = {tool.name: tool for tool in (await connection.list_tools()).tools}
        assert list(tools) == ["measure", "check", "explain", "fill", "diff", "plot"]
        assert [name for name, tool in tools.items() if not tool.annotations.read_only_hint] == ["fill"]
        for tool in tools.values():
            VALIDATOR.check_schema(tool.input_schema)
            assert all(p["description"] for p in tool.input_schema["properties"].values())
        assert tools["diff"].input_schema["required"] == ["before", "after"]

        measured = await call("measure", file="part.stl", density="2")
        assert measured["grade"] == "proved"
        assert abs(measured["volume"] - VOLUME) <= min(1e-14, measured["uncertainty"]["volume"])
        assert measured["mass"] == 2 * measured["volume"]
        (folder / "two").mkdir()
        for name in ("a.stl", "b.stl"):
            shutil.copy(folder / "part.stl", folder / "two" / name)
        assert [each["volume"] for each in (await call("measure", file="two"))["results"]] == [measured["volume"]] * 2
        checked = await call("check", files=["arm.urdf", "part.stl"], fail_on="error")
        codes = {c["place"]: [f["code"] for f in c["findings"]] for c in checked["checked"] if c["kind"] == "link"}
        assert codes == {"upper_arm": [], "forearm": ["products-sign"]}
        documented = json.loads(
            re.findall(r"```json\n(.*?)```", (ROOT / "docs/agents.md").read_text("utf-8"), re.DOTALL)[2]
        )
        (forearm,) = (c for c in checked["checked"] if c["place"] == "forearm")
        assert {key: forearm[key] for key in documented} == documented
        (explained,) = (await call("explain", file="arm.urdf#forearm"))["results"]
        assert explained["explanation"]["hypotheses"][0]["kind"] == "products-sign"
        (changed,) = (await call("diff", before="part.stl", after="part.stl"))["results"]
        assert changed["diff"]["verdict"] == "equal"
        picture = await call("plot", file="part.stl", size="200x150")
        (image,) = (c for c in picture.content if c.type == "image")
        from PIL import Image

        assert Image.open(io.BytesIO(base64.b64decode(image.data))).size == (200, 150)
        assert image.mime_type == "image/png"

        filling = {"robot": "arm.urdf", "links": ["forearm"], "density": "2700"}
        shown = await call("fill", **filling)
        assert shown["diff"].startswith("--- arm.urdf\n+++ arm.urdf (filled)\n")
        assert {link["grade"] for link in shown["filled"]} == {"proved"}
        assert (folder / "arm.urdf").read_bytes() == robot
        assert "diff" not in await call("fill", **filling, write=True)

    connect(work, client("--root", folder))
    assert seen
    assert all(done <= total for done, total in seen)
    assert run("check", "arm.urdf", "--no-config", cwd=folder).returncode == 0


@pytest.mark.skipif(sys.platform == "win32", reason="links need a permission there")
def test_what_is_refused_has_a_code_a_place_and_a_remedy(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    outside = folder.parent / "secret"
    cases = [
        ("measure", {"file": "../secret/part.stl"}, "outside-roots", "../secret/part.stl"),
        ("measure", {"file": f"{outside}/part.stl"}, "outside-roots", f"{outside}/part.stl"),
        ("measure", {"file": f"{outside}/absent.stl"}, "outside-roots", f"{outside}/absent.stl"),
        ("check", {"files": ["linked"]}, "outside-roots", "linked"),
        ("check", {"files": ["../secret/*.stl"]}, "outside-roots", "../secret/*.stl"),
        ("explain", {"file": "arm.urdf#forearm", "against": "link.stl"}, "outside-roots", "link.stl"),
        ("explain", {"file": "arm.urdf#none"}, "no-link", "arm.urdf#none"),
        ("check", {"files": ["arm.urdf"], "package": [f"p={outside}"]}, "outside-roots", f"{outside}"),
        ("measure", {"file": "open.stl"}, "open-edges", "open.stl"),
        ("measure", {"file": "part.stl", "density": "2", "mass": "3"}, "invalid-input", "part.stl"),
        ("measure", {"file": "part.stl\0"}, "missing-file", r"'part.stl\x00'"),
        ("check", {"files": ["\0*.stl"]}, "missing-file", r"'\x00*.stl'"),
    ]
    by_server = [
        ("measure", {"file": "link.stl"}, "outside-roots", "link.stl"),
        ("measure", {"file": "big.stl"}, "too-large", "big.stl"),
        ("measure", {"file": "part.stl", "densty": "2"}, "invalid-input", ""),
        ("sing", {}, "no-such-tool", ""),
    ]
    (folder / "big.stl").write_text(ascii_stl() * 20)

    def refused(result: Any, code: str, place: str) -> None:
        VALIDATOR.validate(result)
        assert (result["error"]["code"], result["error"]["place"]) == (code, place), result
        assert result["error"]["hint"], result

    def answered(tool: str, arguments: Any) -> Any:
        """What the process of a call answers."""
        with monkeypatch.context() as patch, confined_to([str(folder)]):
            patch.chdir(folder)
            for name in ("stdout", "stderr"):  # it takes them for itself
                patch.setattr(sys, name, getattr(sys, name))
            return _outcome(_table()[tool], arguments)

    for tool, arguments, code, place in cases:
        answer = answered(tool, arguments)
        assert answer["is_error"]
        refused(answer["result"], code, place)
    # a link in a folder, and what a file names, are not read either, and whether it is there is not told
    assert "outside the folders that may be read" in json.dumps(answered("check", {"files": ["thief.urdf"]}))
    for name in (".", "layers.usda"):
        errors = [c["error"] for c in answered("check", {"files": [name]})["result"]["checked"]]
        assert "outside-roots" in [error["code"] for error in errors if error]
    assert "linked/part.stl" not in json.dumps(answered("check", {"files": ["l*/*.stl"]}))

    async def work(connection: Any) -> None:
        for tool, arguments, code, place in by_server:
            found = await connection.call_tool(tool, arguments)
            assert found.is_error
            refused(found.structured_content, code, place)

    with within_limits(8000):
        connect(work, in_memory(folder))


@needs_pipes
def test_a_call_that_is_cancelled_or_too_slow_ends_its_process(folder: Path) -> None:
    """The file is a pipe that nobody writes to: its reader is gone when writing to it fails."""
    os.mkfifo(folder / "slow.stl")

    def opened() -> int:
        deadline = time.monotonic() + TIMEOUT
        while True:
            try:
                return os.open(folder / "slow.stl", os.O_WRONLY | os.O_NONBLOCK)
            except OSError:  # nobody reads it yet
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.02)

    async def gone(pipe: int) -> None:
        with contextlib.suppress(BrokenPipeError):
            while True:
                os.write(pipe, b" ")
                await anyio.sleep(0.05)
        os.close(pipe)

    async def work(connection: Any) -> None:
        pipe = -1
        async with anyio.create_task_group() as group:
            group.start_soon(connection.call_tool, "measure", {"file": "slow.stl"})
            pipe = await anyio.to_thread.run_sync(opened)
            group.cancel_scope.cancel()
        await gone(pipe)
        assert not (await connection.call_tool("measure", {"file": "part.stl"})).is_error

    async def slow(connection: Any) -> None:
        async with anyio.create_task_group() as group:
            group.start_soon(timed_out, connection)
            pipe = await anyio.to_thread.run_sync(opened)
        await gone(pipe)

    async def timed_out(connection: Any) -> None:
        found = await connection.call_tool("measure", {"file": "slow.stl"})
        assert found.structured_content["error"]["code"] == "timed-out"

    connect(work, client("--root", folder))
    connect(slow, client("--root", folder, "--timeout", "1"))


@pytest.mark.skipif(sys.platform != "linux", reason="names of files are bytes on Linux only")
def test_a_name_that_is_no_text_is_shown_and_the_server_goes_on(folder: Path) -> None:
    """Half of a surrogate pair is no UTF-8: the server died of it, and its client waited forever."""
    (folder / "odd").mkdir()
    (folder / "odd" / os.fsdecode(b"part\xff.stl")).write_text(ascii_stl())

    async def work(connection: Any) -> None:
        for tool, arguments in (("measure", {"file": "odd"}), ("check", {"files": ["odd"]})):
            found = await connection.call_tool(tool, arguments)
            assert "part\\udcff.stl" in json.dumps(found.structured_content).replace("\\\\", "\\"), tool
            assert json.loads(found.content[0].text) == found.structured_content
        assert (await connection.call_tool("measure", {"file": "part.stl"})).structured_content["volume"] == VOLUME

    connect(work, client("--root", folder))


def test_two_clients_at_once_have_their_own_roots(folder: Path) -> None:
    other = folder.parent / "secret"

    async def both() -> None:
        with anyio.fail_after(TIMEOUT):
            async with (
                in_memory(folder) as one,
                in_memory(other) as two,
                anyio.create_task_group() as group,
            ):
                found: list[tuple[bool, str]] = []

                async def measure(connection: Any, name: str) -> None:
                    answer = await connection.call_tool("measure", {"file": str(name)})
                    found.append((answer.is_error, answer.structured_content["input"]["path"]))

                for connection, path in ((one, folder), (two, other), (one, other), (two, folder)):
                    group.start_soon(measure, connection, path / "part.stl")
        mine, others = str(folder / "part.stl"), str(other / "part.stl")
        assert sorted(found) == sorted([(False, mine), (False, others), (True, mine), (True, others)])

    anyio.run(both)


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_the_client_opens_folders_in_both_protocols(folder: Path, mode: str) -> None:
    async def roots(_context: Any) -> Any:
        return types.ListRootsResult(roots=[types.Root(uri=folder.as_uri())])

    async def work(connection: Any) -> None:
        found = [await connection.call_tool("measure", {"file": name}) for name in ("part.stl", "../secret/part.stl")]
        assert [f.is_error for f in found] == [False, True]

    async def nothing(connection: Any) -> None:
        found = await connection.call_tool("measure", {"file": str(folder / "part.stl")})
        assert found.structured_content["error"]["code"] == "no-roots"

    connected = in_memory if mode == "legacy" else client  # requests of the other one are different in memory
    connect(work, connected(mode=mode, list_roots_callback=roots))
    connect(nothing, in_memory(mode=mode))


def test_standard_output_has_nothing_but_the_protocol(folder: Path) -> None:
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    lines = [
        {"id": 1, "method": "initialize", "params": hello},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/call", "params": {"name": "fill", "arguments": {"robot": "arm.urdf"}}},
    ]
    process = subprocess.Popen(
        [*PROGRAM, "mcp", "--root", folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment()
    )
    assert process.stdin
    assert process.stdout
    process.stdin.write(b"".join(json.dumps({"jsonrpc": "2.0", **line}).encode() + b"\n" for line in lines))
    process.stdin.flush()
    answers = [json.loads(process.stdout.readline()) for _ in range(2)]
    rest, _ = process.communicate(timeout=TIMEOUT)
    assert ([answer["id"] for answer in answers], rest, process.returncode) == ([1, 2], b"", 0)

"""Progress: from two seconds on, on a terminal only, with an estimate of what is left, in every command.

Modules tested: `cli/streams`, `mesh/integration`.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from console import ascii_stl
from cores import compiled
from oracles import bumpy_torus

from massprops.access import allowing, follow
from massprops.cli import main, streams
from massprops.formats.mesh.arrays import from_soup
from massprops.mesh import integration
from massprops.mesh.indexed_mesh import IndexedMesh
from massprops.mesh.proof import tiles
from massprops.mesh.proof.embedding import embedding_of


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class Clock:
    """Seconds that pass when they are told to."""

    def __init__(self, step: float = 0.0) -> None:
        self.now, self.step = 100.0, step

    def __call__(self) -> float:
        self.now += self.step
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    found = Clock()
    monkeypatch.setattr(streams.time, "monotonic", found)
    monkeypatch.setenv("COLUMNS", "60")
    return found


def terminal_of(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Standard error as a terminal, from here on: pytest sets its own between fixtures and test."""
    monkeypatch.setattr(sys, "stderr", found := Terminal())
    return found


def shown(terminal: Terminal) -> list[str]:
    return terminal.getvalue().split("\r\x1b[K")[1:]


def test_a_quarter_after_three_seconds_leaves_nine(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = terminal_of(monkeypatch)
    report = streams.progress("part.stl")
    for seconds, done in ((1.9, 10), (1.1, 25), (0.1, 26), (9.0, 100)):
        clock.now += seconds
        report(done, 100)
    assert shown(terminal) == [
        "part.stl:  25%, 0:09 left",
        "",
    ]  # nothing before 2 s, nor twice in 0.2 s; cleared


def test_files_are_counted_and_what_is_read_meanwhile_is_silent(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = terminal_of(monkeypatch)
    with allowing(progress=streams.Progress()):
        report, of_one = streams.progress(files=True), streams.access().progress
        assert of_one is not None
        report(0, 40)
        clock.now += 10.0
        report(4, 40, ", 1 failed")
        of_one(5, 10)
        assert shown(terminal) == ["4 of 40 files, 0.4/s, 1:30 left, 1 failed"]
        streams.log("a message")
    assert terminal.getvalue().endswith("\r\x1b[Kmassprops: a message\n")


def test_another_program_has_no_end_that_is_known(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = terminal_of(monkeypatch)
    report = streams.progress("part.step")
    clock.now += 5.0
    report(5.0, float("inf"))
    assert shown(terminal) == ["part.step: 5 s"]


def test_links_are_counted_round_the_passes_over_their_meshes(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = terminal_of(monkeypatch)

    def measured() -> Iterator[int]:
        for k in range(3):
            clock.now += 5.0
            for _ in follow([50, 50], 100, float):  # two chunks of a mesh
                clock.now += 5.0
            yield k

    with allowing(progress=streams.Progress("arm.urdf")):
        assert [*follow(measured(), 3, noun="links")] == [0, 1, 2]
    assert (
        [text for text in shown(terminal) if text]
        == [
            f"arm.urdf: {k} of 3 links, {share}, {left} left"  # of the mesh: the links were just shown, and not again in 0.2 s
            for k in range(3)
            for share, left in ((" 50%", "0:10"), ("100%", "0:00"))
        ]
    )
    assert shown(terminal)[-1] == ""


@compiled
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_proof_is_followed_tile_by_tile(jobs: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every facet is in one tile at least: the last call of each pass has its total, and there are several before it."""
    monkeypatch.setattr(tiles, "SIZE", 60)
    body, told = bumpy_torus(40, 30), list[tuple[float, float]]()
    with allowing(progress=lambda *call: told.append(call)):
        embedding_of(IndexedMesh.of(from_soup(np.asarray(body, float))), jobs=jobs)
    done, totals = zip(*told, strict=True)
    assert len(told) > 10
    assert list(done) == sorted(done)
    assert {*totals} == {done[-1]}
    assert done[-1] >= len(body)


@pytest.mark.parametrize(
    "words",
    [
        ["compute", "a.stl"],
        ["check", "a.stl"],
        ["diff", "a.stl", "a.stl"],
        ["plot", "a.stl", "--output", "a.png", "--size=300x225"],
        ["report", "a.stl", "--output", "a.html"],
        ["repair", "a.stl", "--output", "b.ply"],
        ["fill", "robot.urdf", "--density", "1000", "--diff", "--jobs", "1"],
        ["explain", "robot.urdf#a", "--against", "a.stl"],
        ["combine", "assembly.toml"],
    ],
    ids=lambda words: words[0],
)
@pytest.mark.parametrize("kind", ["terminal", "quiet", "pipe"])
def test_every_command_that_reads_meshes(
    words: list[str], kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    terminal = terminal_of(monkeypatch)
    Path("a.stl").write_text(ascii_stl(), encoding="utf-8")
    mesh = '<link name="a"><visual><geometry><mesh filename="a.stl"/></geometry></visual>{}</link>'
    stated = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    text = mesh.format(stated if words[0] == "explain" else "")
    Path("robot.urdf").write_text(f'<robot name="r">{text}</robot>', encoding="utf-8")
    Path("assembly.toml").write_text('[[part]]\nname = "a"\nmesh = "a.stl"\ndensity = 1\n', encoding="utf-8")
    whole: Callable[..., object] = integration.follow

    def slowly(parts: object, facets: int, size: object) -> object:
        # the file is read in one chunk: half of it is reported before, as of a file of two
        if told := streams.access().progress:
            told(facets / 2, facets)
        return whole(parts, facets, size)

    monkeypatch.setattr(integration, "follow", slowly)
    monkeypatch.setattr(streams.time, "monotonic", Clock(step=3.0))
    if kind == "pipe":
        monkeypatch.setattr(terminal, "isatty", lambda: False)
    main([*words, *["--quiet"] * (kind == "quiet")])
    is_shown = any(words in terminal.getvalue() for words in (" left", "0 of 1 files", "50%"))
    assert is_shown == (kind == "terminal"), terminal.getvalue()
    if is_shown:
        assert terminal.getvalue().rpartition("left")[2].startswith(("\r\x1b[K", ", "))

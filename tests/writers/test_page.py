"""The page of `report`: its numbers, its size, what it does with hostile names, and what a real browser makes of it.

Modules tested: `report/page/entries`, `report/page/geometry`, `report/page/viewer`, `report/template`.
"""

from __future__ import annotations

import base64
import itertools
import json
import math
import re
from pathlib import Path
from typing import Any

import html5lib
import numpy as np
import pytest
from browser import Browser, needs_browser
from console import run
from html_text import Html
from oracles import write_binary_stl
from places import ROOT

import massprops

BRACKET, OPEN = (ROOT / "sample_meshes" / name for name in ("bracket.stl", "open_bracket.stl"))
ARM, ANGLE = ROOT / "samples/robots/arm.urdf", ROOT / "samples/sections/angle.csv"
SIZE = "(c => [c.clientWidth, c.clientHeight])(document.querySelector('canvas'))"
VIEWER = "document.querySelector('figure').viewer"
ATTACK = '"><script>window.owned=1</script><img src=x onerror="window.owned=1">'
#: Bytes that the page of a mesh of so many facets may take.
BUDGETS = {20_000: 110_000, 50_000: 300_000}


def torus(major: int, minor: int, noise: float = 0.0, squash: float = 1.0) -> np.ndarray:
    """Triangles of a torus about z, outward, shape (2 · major · minor, 3, 3)."""
    u, v = np.meshgrid(np.arange(major) * 2 * np.pi / major, np.arange(minor) * 2 * np.pi / minor, indexing="ij")
    r = 1 + 0.4 * np.cos(v) + noise * np.random.default_rng(7).normal(size=u.shape)
    p = np.stack([r * np.cos(u), squash * r * np.sin(u), 0.4 * np.sin(v)], axis=-1)
    right, up = np.roll(p, -1, axis=0), np.roll(p, -1, axis=1)
    both = np.roll(right, -1, axis=1)
    return np.concatenate([np.stack([p, right, both], axis=2), np.stack([p, both, up], axis=2)]).reshape(-1, 3, 3)


def page(*words: object, code: int = 0, output: Path) -> str:
    done = run("report", *words, "-o", output)
    assert done.returncode == code, done.err
    return output.read_text(encoding="utf-8")


def scene(text: str) -> Any:
    found = re.search(r'<script type="application/json" id="scene-1">(.*?)</script>', text)
    assert found
    return json.loads(found[1])


class Text(Html):
    """A page by the names of its numbers."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        # the table of all numbers says more than the short one
        self.numbers = {name: cells for name, *cells in sorted(self.rows, key=len)}

    def si(self, name: str) -> float:
        return float(self.numbers[name][3])


def view(tab: Browser, *words: object, code: int = 0, output: Path) -> str:
    """The page, opened in the browser."""
    text = page(*words, code=code, output=output)
    tab.open(output)
    tab.wait("[...document.querySelectorAll('figure[data-scene]')].every(f => f.viewer)")
    return text


def test_the_text_has_the_numbers_of_the_measurement_in_both_units(tmp_path: Path) -> None:
    text = page(BRACKET, "--units", "mm", "--density", "7800", output=tmp_path / "a.html")
    m = massprops.measure(BRACKET, units="mm", density=7800, hash=True)
    read = Text(text)
    value, off, unit, si, si_unit = read.numbers["Mass"]
    assert (float(si), si_unit, unit) == (pytest.approx(m.mass, rel=1e-8), "kg", "g")
    assert float(value) == pytest.approx(m.mass * 1e3, rel=1e-5)
    bound = m.uncertainty.mass * 1e3 + abs(
        float(value) - m.mass * 1e3
    )  # from the number that is shown; two digits, rounded up
    assert bound <= float(off) < 1.1 * bound
    for i, name in enumerate("xyz"):
        assert read.si(f"Centre of mass {name}") == pytest.approx(m.com[i], rel=1e-8)
    for i, j in itertools.combinations_with_replacement(range(3), 2):
        name = f"Inertia about the centre of mass I{'xyz'[i]}{'xyz'[j]}"
        assert read.si(name) == pytest.approx(m.inertia[i, j], rel=1e-8)
        assert read.numbers[name][2] == "g mm²"
    assert m.input.sha256 in read.words
    assert massprops.__version__ in read.words
    assert f"--units mm --density 7800 -o {tmp_path / 'a.html'}" in read.words


def test_a_robot_without_a_link_is_no_verdict(tmp_path: Path) -> None:
    (tmp_path / "r.urdf").write_text('<robot name="r"/>')
    text = page(tmp_path / "r.urdf", code=3, output=tmp_path / "a.html")
    assert "holds no link, body or result" in text
    assert "nothing-checked" in text


def test_a_robot_has_a_row_for_each_link_and_its_total(tmp_path: Path) -> None:
    text = page(ARM, "--output-units", "mm,g", code=1, output=tmp_path / "a.html")
    read = Text(text)
    links = Text("<table>" + text[text.index("<caption>Links<") : text.index("<caption>Links,")]).numbers
    assert links["forearm"][0].startswith("failed: products-sign")
    assert links["upper_arm"][0] == "ok"
    assert [float(links[name][1]) for name in ("upper_arm", "forearm")] == [75.918, 75.918]
    assert float(links["Total"][1]) == pytest.approx(151.836)
    total = massprops.combine(str(ARM)).body.properties
    assert read.si("Centre of mass x") == pytest.approx(total.com[0], rel=1e-8)
    assert [part["mesh"] for part in scene(text)["parts"]] == [0, 0]  # a mesh that two links share is there once
    moved = page(ARM, "--joint", "elbow=90deg", code=1, output=tmp_path / "b.html")
    first, second = (np.reshape(part["matrix"], (3, 4)) for part in scene(text)["parts"])
    assert (second - first)[:, 3] == pytest.approx(0.08 / radius(text) * np.array([1, 0, 0]), rel=1e-5)
    first, second = (np.reshape(part["matrix"], (3, 4))[:, :3] for part in scene(moved)["parts"])
    assert second == pytest.approx(np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1]]) @ first, abs=1e-9)


def test_the_masses_of_all_inputs_are_in_one_unit_and_are_not_added(tmp_path: Path) -> None:
    # by themselves the one in g, the other in kg
    text = page(BRACKET, ARM, "--units", "mm", "--density", "7800", code=1, output=tmp_path / "a.html")
    rows = Text(text[: text.index("<h2>")]).numbers
    bracket = massprops.measure(BRACKET, units="mm", density=7800).mass
    masses = {str(BRACKET): 1e3 * bracket, str(ARM): 151.836}
    assert {name: float(row[1]) for name, row in rows.items() if name != "Input"} == pytest.approx(masses, rel=1e-5)


def test_a_finding_of_a_link_leads_to_its_centre(tmp_path: Path) -> None:
    text = page(ARM, code=1, output=tmp_path / "a.html")
    found = re.findall(r'<a href="#view-1" data-view="view-1" data-at="(.*?)">show forearm</a>', text)
    marked = {label["text"]: label["at"] for label in scene(text)["labels"]}
    assert [json.loads(at) for at in found] == [pytest.approx(marked["forearm"], abs=1e-4)]


def test_the_configuration_sets_what_it_sets_for_compute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "part.stl").write_bytes(BRACKET.read_bytes())
    (tmp_path / "arm.urdf").write_text(ARM.read_text())
    (tmp_path / "massprops.toml").write_text(
        'output-units = "cm"\nunits = "mm"\n[files."part.stl"]\nmaterial = "steel"\n[files."arm.urdf"]\nignore = ["missing-mesh"]\n'
    )
    monkeypatch.chdir(tmp_path)
    done = run("compute", "part.stl", "--format", "json")
    stated = json.loads(done.out)
    read = Text(page("part.stl", output=tmp_path / "a.html"))
    assert read.si("Mass") == pytest.approx(stated["mass"], rel=1e-8)
    assert read.numbers["Centre of mass x"][2] == "cm"
    without = page("part.stl", "--no-config", "--density", "1", "--units", "mm", output=tmp_path / "b.html")
    assert Text(without).si("Mass") == pytest.approx(stated["volume"], rel=1e-8)
    assert run("plot", "part.stl", "-o", tmp_path / "a.png").returncode == 0
    # rules of the configuration hold for robots, too
    assert "missing-mesh" not in page("arm.urdf", output=tmp_path / "c.html")


def radius(text: str) -> float:
    """Radius of a scene, m: its bounds have a diagonal of two radii; the places of the scene are in this unit."""
    points = np.array([line["points"] for line in scene(text)["lines"]["bounds"]]).reshape(-1, 3)
    assert np.linalg.norm(np.ptp(points, axis=0)) == pytest.approx(2.0, rel=1e-4)
    read = Text(text)
    if "Size x" in read.numbers:
        return math.hypot(*(read.si(f"Size {a}") for a in "xyz")) / 2
    step = np.linalg.norm(np.reshape(scene(text)["parts"][0]["matrix"], (3, 4))[:, 0])
    return float(0.08 / (0xFFFF * step))  # the bracket is 80 mm long


def test_sections_and_unreadable_files_are_on_the_page(tmp_path: Path) -> None:
    text = page(ANGLE, tmp_path / "none.stl", "--density", "7800", code=3, output=tmp_path / "a.html")
    read = Text(text)
    m = massprops.measure(ANGLE)
    assert read.si("Area") == pytest.approx(m.section.area, rel=1e-8)
    assert read.si("Second moments about the centroid Ixy") == pytest.approx(m.section.about_centroid.Ixy, rel=1e-8)
    assert "missing-file" in read.words
    assert "No numbers: no such file" in read.words


def test_advice_is_for_the_caller_of_the_page(tmp_path: Path) -> None:
    robot = tmp_path / "a.stl"
    robot.write_text('<robot name="r"><link name="a"/></robot>', encoding="utf-8")
    assert "'massprops fill'" in Text(page(robot, code=3, output=tmp_path / "a.html")).words
    assert "'massprops fill'" not in (said := Text(massprops.report(robot)).words)
    assert "massprops.fill" in said


def test_a_refused_section_names_its_places_once_in_the_unit_of_its_drawing(tmp_path: Path) -> None:
    (tmp_path / "tie.csv").write_text("0,0\n80,80\n80,0\n0,80\n")
    text = page(tmp_path / "tie.csv", "--units", "mm", code=4, output=tmp_path / "a.html")
    assert re.search(r"self-crossing[^<]* near \(40, 40\) mm", text)
    assert "(0.04, 0.04)" not in text


def test_a_refused_mesh_is_shown_with_its_findings_and_without_numbers(tmp_path: Path) -> None:
    # a facet is missing: three edges
    text = page(OPEN, "--units", "mm", "--repair", "none", code=4, output=tmp_path / "a.html")
    assert "Mass" not in Text(text).numbers
    assert re.search(r"open-edges.* near \([\d., ]+\) mm", Text(text).words)  # the unit of the numbers, not metres
    assert scene(text)["parts"]
    # the edges, and the middle
    assert [len(line["points"]) for line in scene(text)["lines"]["defects"]] == [6, 6, 6, 3]
    assert 'data-view="view-1"' in text


@pytest.mark.parametrize("facets", BUDGETS)
def test_a_page_keeps_to_its_budget(tmp_path: Path, facets: int) -> None:
    major = {20_000: 100, 50_000: 250}[facets]
    write_binary_stl(tmp_path / "part.stl", torus(major, 100, 0.003))
    text = page(tmp_path / "part.stl", "--density", "1000", "--repair", "none", output=tmp_path / "a.html")
    assert scene(text)["meshes"][0]["faces"] == facets
    assert len(text.encode()) <= BUDGETS[facets]


def test_a_larger_mesh_is_thinned_and_the_page_says_so(tmp_path: Path) -> None:
    write_binary_stl(tmp_path / "part.stl", torus(300, 200))
    text = page(tmp_path / "part.stl", output=tmp_path / "a.html")
    faces = scene(text)["meshes"][0]["faces"]
    assert 10_000 < faces <= 50_000
    assert f"shows {faces:,} facets instead of 120,000" in Text(text).words
    assert len(text.encode()) <= 300_000


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """A robot whose names are markup, and a mesh whose name is."""
    write_binary_stl(tmp_path / "part.stl", torus(12, 8))
    name = ATTACK.replace("/", "&#47;").replace("<", "&lt;").replace('"', "&quot;")
    (tmp_path / "robot.urdf").write_text(
        f'<robot name="r"><link name="{name}&lt;!-- {name}"><visual><geometry><mesh filename="part.stl"/></geometry></visual>'
        '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="9"/></inertial></link></robot>'
    )
    return tmp_path


def test_names_are_text_and_the_page_is_valid(hostile: Path) -> None:
    mesh = hostile / (ATTACK.replace("/", "∕") + "'&amp;.stl")
    mesh.write_bytes((hostile / "part.stl").read_bytes())
    text = page(mesh, hostile / "robot.urdf", hostile / "gone<b>.stl", code=3, output=hostile / "a.html")
    document = html5lib.HTMLParser(strict=True, namespaceHTMLElements=False).parse(text)  # raises at the first error
    assert [s.get("type") for s in document.iter("script")] == ["application/json", "application/json", None]
    assert {img.get("src")[:22] for img in document.iter("img")} == {"data:image/png;base64,"}
    assert all(img.get("alt") for img in document.iter("img"))
    assert ATTACK in "".join(document.itertext())
    attributes = {key for element in document.iter() for key in element.attrib}
    assert [key for key in attributes if key.startswith("on") or key == "style"] == []
    ids = [element.get("id") for element in document.iter() if element.get("id")]
    assert len(ids) == len(set(ids))
    regions = [section.get("aria-label") or section.get("aria-labelledby") for section in document.iter("section")]
    assert len(regions) == len(set(regions)) > 6  # a screen reader lists them
    assert all(group[0].tag == "legend" for group in document.iter("fieldset"))
    assert {a.get("href")[1:] for a in document.iter("a")} <= set(ids)


@needs_browser
def test_no_name_runs_in_a_browser(chromium: Browser, hostile: Path) -> None:
    view(chromium, hostile / "robot.urdf", code=1, output=hostile / "a.html")
    assert chromium.js("window.owned") is None
    assert ATTACK in chromium.js("document.querySelector('.labels').textContent")


@needs_browser
def test_the_browser_unpacks_the_triangles_of_the_file(chromium: Browser, tmp_path: Path) -> None:
    triangles = torus(40, 30, 0.01)
    # a hole, and facets twice, wound the other way
    triangles = np.concatenate([triangles[7:], triangles[200:210, ::-1]])
    write_binary_stl(tmp_path / "part.stl", triangles)
    text = view(chromium, tmp_path / "part.stl", "--on-open", "integrate", output=tmp_path / "a.html")
    mesh = chromium.js(
        "meshOf(JSON.parse(document.getElementById('scene-1').textContent).meshes[0])"
        ".then(m => ({places: [...m.places], faces: [...m.faces]}))"
    )
    places, faces = np.array(mesh["places"]).reshape(-1, 3), np.array(mesh["faces"]).reshape(-1, 3)
    stored = triangles.astype(np.float32).astype(np.float64)
    low, size = stored.min(axis=(0, 1)), np.ptp(stored, axis=(0, 1)).max()
    wanted = np.rint((stored - low) * (0xFFFF / size))
    assert _as_set(places[faces]) == _as_set(wanted.astype(int))
    assert scene(text)["meshes"][0]["vertices"] == len(places)


def _as_set(corners: np.ndarray) -> set[tuple[int, ...]]:
    """Triangles with their orientation, whichever corner is first."""
    turned = (np.roll(t, -int(np.lexsort(t.T[::-1])[0]), axis=0) for t in corners)
    return {tuple(t.ravel().tolist()) for t in turned}


@needs_browser
def test_the_picture_shows_the_axes_where_the_numbers_are(chromium: Browser, tmp_path: Path) -> None:
    write_binary_stl(tmp_path / "part.stl", torus(60, 40, squash=1.7) + np.array([3.0, -2.0, 5.0]))
    text = view(chromium, tmp_path / "part.stl", "--density", "1000", output=tmp_path / "a.html")
    m = massprops.measure(tmp_path / "part.stl", density=1000)
    half = radius(text)
    chromium.js("document.querySelector('canvas').scrollIntoView()")
    for turn, lift in ((-math.pi / 4, 0.6), (1.1, -0.4), (2.8, 1.2)):
        chromium.js(f"(v => {{ v.state.turn = {turn}; v.state.lift = {lift}; v.draw(); }})({VIEWER})")
        size = np.array(chromium.js(SIZE))
        right = np.array([-math.sin(turn), math.cos(turn), 0])
        toward = np.array([math.cos(lift) * math.cos(turn), math.cos(lift) * math.sin(turn), math.sin(lift)])
        plane = np.array([right, -np.cross(toward, right)]) * size.min() / 2.1 / half
        ends = [m.com + s * 0.59 * half * axis for axis in m.principal.axes for s in (1, -1)]
        places = (np.array([m.com, *ends]) - m.bounds.mean(axis=0)) @ plane.T + size / 2
        toggle(chromium, False, "axes", "com")
        without, beside = colours(chromium, places), colours(chromium, places + 9)
        toggle(chromium, True, "axes", "com")
        shown, unchanged = colours(chromium, places), colours(chromium, places + 9)
        assert (np.abs(shown - without).max(axis=1) > 20).all()
        same = np.abs(unchanged[1:] - beside[1:]).max(axis=1) < 20
        assert same.sum() >= 4  # an axis seen nearly end on covers both
        assert without[:, 3].max() == 255  # not blank: something is behind an axis


def colours(tab: Browser, places: np.ndarray) -> np.ndarray:
    """Colours of the canvas at these CSS pixels, shape (n, 4)."""
    return np.array(
        tab.js(f"""(() => {{
        const gl = document.querySelector('canvas').getContext('webgl2'), one = new Uint8Array(4);
        return {json.dumps(places.tolist())}.map(([x, y]) => {{
            gl.readPixels(Math.floor(x), gl.drawingBufferHeight - 1 - Math.floor(y), 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, one);
            return [...one]; }}); }})()""")
    )


def toggle(tab: Browser, shown: bool, *layers: str) -> None:
    for layer in layers:
        box = f"document.querySelector('[data-group={layer}]')"
        tab.js(f"(b => {{ if (b.checked !== {json.dumps(shown)}) b.click(); }})({box})")


@needs_browser
def test_the_mark_of_the_centre_is_a_quartered_disc_in_front(chromium: Browser, tmp_path: Path) -> None:
    view(chromium, BRACKET, "--units", "mm", output=tmp_path / "a.html")
    com = massprops.measure(BRACKET, units="mm").com
    at = (com - [0.04, 0.02, 0.01]) / math.hypot(0.04, 0.02, 0.01)
    x, y = chromium.js(f"{VIEWER}.project({at.tolist()})")
    angles = np.arange(8) * math.pi / 4 + math.pi / 8
    places = np.array([x, y]) + np.concatenate(
        [r * np.stack([np.cos(angles), np.sin(angles)], axis=1) for r in (3, 11)]
    )
    toggle(chromium, False, "axes", "com")
    without = colours(chromium, places)
    toggle(chromium, True, "com")
    shown = colours(chromium, places)
    bright = shown[:8, :3].mean(axis=1) > 128  # two of each quarter; to the right and downward first
    assert bright.tolist() in ([True, True, False, False] * 2, [False, False, True, True] * 2)
    assert (abs(shown - without)[8:].max(axis=1) < 20).all()


@needs_browser
def test_the_scale_of_the_view_is_as_long_as_it_says(chromium: Browser, tmp_path: Path) -> None:
    view(chromium, BRACKET, "--units", "mm", output=tmp_path / "a.html")
    for zoom in (1, 0.3, 7):
        chromium.js(f"(v => {{ v.state.zoom = {zoom}; v.draw(); }})({VIEWER})")
        bar = "document.querySelector('.bar')"
        words, wide = chromium.js(f"(b => [b.textContent, b.getBoundingClientRect().width])({bar})")
        length, unit = words.split()
        assert unit == "mm"
        pixels = chromium.js(f"{VIEWER}.scale()") * float(length) / (1000 * math.hypot(0.04, 0.02, 0.01))
        assert wide == pytest.approx(pixels, abs=0.5)


@needs_browser
def test_a_click_on_a_finding_flies_to_its_place(chromium: Browser, tmp_path: Path) -> None:
    text = view(chromium, OPEN, "--units", "mm", output=tmp_path / "a.html")
    m = massprops.measure(OPEN, units="mm")
    where = next(f.where for f in m.findings if f.where is not None)
    goal = (np.array(where) - m.bounds.mean(axis=0)) / radius(text)
    before = chromium.js(f"{VIEWER}.state")
    assert (before["target"], before["zoom"]) == ([0, 0, 0], 1)
    chromium.js("document.querySelector('a[data-view]').scrollIntoView({block: 'center'})")
    x, y = chromium.js(
        "(r => [r.x + 5, r.y + r.height / 2])(document.querySelector('a[data-view]').getBoundingClientRect())"
    )
    chromium.click(x, y)
    chromium.wait(f"{VIEWER}.state.zoom === 4")
    assert chromium.js(f"{VIEWER}.state.target") == pytest.approx(goal, abs=1e-4)
    middle = chromium.js(f"(v => v.project(v.state.target))({VIEWER})")
    assert middle == pytest.approx(np.array(chromium.js(SIZE)) / 2)


@needs_browser
def test_the_view_turns_zooms_and_cuts(chromium: Browser, tmp_path: Path) -> None:
    write_binary_stl(tmp_path / "part.stl", torus(30, 20))
    view(chromium, tmp_path / "part.stl", output=tmp_path / "a.html")
    chromium.js("document.querySelector('canvas').focus()")
    for key, name, sign in (("ArrowRight", "turn", -1), ("ArrowDown", "lift", 1), ("+", "zoom", 1)):
        before = chromium.js(f"{VIEWER}.state")[name]
        chromium.call("Input.dispatchKeyEvent", type="keyDown", key=key)
        assert sign * (chromium.js(f"{VIEWER}.state")[name] - before) != 0
    chromium.js("document.querySelector('button[data-view=front]').click()")
    chromium.wait(f"{VIEWER}.state.zoom === 1 && {VIEWER}.state.lift === 0")
    arms = chromium.js(
        "[...document.querySelectorAll('.triad line')].map(e => [e.x2, e.y2].map(v => Math.round(v.baseVal.value)))"
    )
    assert arms == [[26, 0], [0, 0], [0, -26]]  # from the front, x to the right and z upward

    def covered() -> list[int]:
        """Opaque pixels of the surface on the left and the right half; from the front x points to the right."""
        return chromium.js("""(() => {
            const gl = document.querySelector('canvas').getContext('webgl2'), w = gl.drawingBufferWidth, h = gl.drawingBufferHeight;
            const all = new Uint8Array(4 * w * h), sums = [0, 0];
            gl.readPixels(0, 0, w, h, gl.RGBA, gl.UNSIGNED_BYTE, all);
            for (let i = 0; i < w * h; i++) if (all[4 * i + 3] > 200) sums[i % w < w / 2 ? 0 : 1]++;
            return sums; })()""")

    toggle(chromium, False, "axes", "com")
    left, right = covered()
    assert left == pytest.approx(right, rel=0.02)
    chromium.js("(s => { s.value = '0'; s.dispatchEvent(new Event('input')); })(document.querySelector('select.cut'))")
    cut_left, cut_right = covered()
    assert cut_left == pytest.approx(left, rel=0.01)
    assert cut_right < 0.02 * right
    chromium.js("document.querySelector('.flip').click()")
    assert covered() == pytest.approx([0, right], abs=0.02 * right)
    for turn in (0, math.pi):  # from +x and from −x the cut is seen: its inside, which is reddish
        chromium.js(f"(v => {{ v.state.turn = {turn}; v.draw(); }})({VIEWER})")
        chromium.js("(s => s.dispatchEvent(new Event('input')))(document.querySelector('select.cut'))")
        red, _, blue, _ = colours(chromium, chromium.js(f"{VIEWER}.project([0, 0.495, 0])") + np.zeros((1, 2)))[0]
        assert red > 1.5 * blue
        chromium.js(
            "(s => { s.value = s.max / 2; s.dispatchEvent(new Event('input')); })(document.querySelector('input.cut'))"
        )
        # the torus reaches from −1.4 m to 1.4 m
        assert float(chromium.js("document.querySelector('output').textContent").removesuffix(" m")) == pytest.approx(
            0.7, abs=1e-3
        )
    toggle(chromium, False, "surface")
    assert covered() == [0, 0]


@needs_browser
def test_the_wheel_scrolls_the_page_until_the_view_is_clicked(chromium: Browser, tmp_path: Path) -> None:
    view(chromium, BRACKET, "--units", "mm", output=tmp_path / "a.html")
    chromium.js("document.querySelector('canvas').scrollIntoView({block: 'center'})")
    x, y = chromium.js(
        "(r => [r.x + r.width / 2, r.y + r.height / 2])(document.querySelector('canvas').getBoundingClientRect())"
    )

    def turn_wheel() -> tuple[float, float]:
        chromium.call("Input.dispatchMouseEvent", type="mouseWheel", x=x, y=y, deltaX=0, deltaY=60)
        chromium.js("new Promise(done => setTimeout(done, 300))")
        return chromium.js("scrollY"), chromium.js(f"{VIEWER}.state.zoom")

    start = chromium.js("scrollY")
    scrolled, zoom = turn_wheel()
    assert (scrolled > start, zoom) == (True, 1)
    chromium.click(x, y - 60)
    assert turn_wheel() == (scrolled, pytest.approx(math.exp(-60 / 500)))


@needs_browser
def test_a_narrow_page_is_short_and_nothing_is_cut_off_and_all_of_it_has_names(
    chromium: Browser, tmp_path: Path
) -> None:
    page(BRACKET, ARM, ANGLE, OPEN, BRACKET, "--units", "mm", "--density", "7800", code=1, output=tmp_path / "a.html")
    chromium.call("Emulation.setDeviceMetricsOverride", width=400, height=800, deviceScaleFactor=1, mobile=False)
    chromium.call("Accessibility.enable")
    try:
        chromium.open(tmp_path / "a.html")
        chromium.wait("document.querySelector('figure').viewer")
        assert chromium.js("document.documentElement.scrollHeight") <= 8 * 800
        outside = "e => e.checkVisibility() && !e.closest('.labels') && e.getBoundingClientRect().right > 400"
        assert chromium.js(f"[...document.querySelectorAll('main *')].filter({outside}).map(e => e.outerHTML)") == []
        chromium.js(
            "(s => { s.value = '0'; s.dispatchEvent(new Event('input')); })(document.querySelector('select.cut'))"
        )
        nodes = chromium.call("Accessibility.getFullAXTree")["nodes"]
    finally:
        chromium.call("Accessibility.disable")
        chromium.call("Emulation.clearDeviceMetricsOverride")
    names: dict[str, list[str]] = {}
    for node in (n for n in nodes if not n["ignored"]):
        focusable = any(p["name"] == "focusable" and p["value"]["value"] for p in node.get("properties", ()))
        if focusable or node["role"]["value"] == "image":
            names.setdefault(node["role"]["value"], []).append(node.get("name", {}).get("value", ""))
    assert all(name for found in names.values() for name in found)
    assert any(name.startswith(f"View of {BRACKET}, proved: its surface") for name in names["image"])
    assert {"Section plane", "Place of the section plane"} <= {name for found in names.values() for name in found}
    assert (
        chromium.js("document.querySelectorAll('[tabindex]:not([tabindex=\"0\"])').length") == 0
    )  # focus in the order of reading


@needs_browser
def test_without_javascript_the_text_is_complete(chromium: Browser, tmp_path: Path) -> None:
    page(BRACKET, "--units", "mm", "--density", "7800", output=tmp_path / "a.html")
    chromium.call("Emulation.setScriptExecutionDisabled", value=True)
    try:
        chromium.call("Page.navigate", url=(tmp_path / "a.html").as_uri())
        chromium.wait("document.readyState === 'complete' && document.querySelector('table')")
        words = chromium.js("document.body.innerText")
        assert "219.319" in words
        assert not chromium.js("document.querySelector('figure').classList.contains('live')")
        chromium.wait("document.querySelector('figure img').naturalWidth > 0")  # the picture stands in for the view
        assert chromium.js("document.querySelector('figure img').getBoundingClientRect().height") > 100
    finally:
        chromium.call("Emulation.setScriptExecutionDisabled", value=False)


@needs_browser
def test_views_open_as_one_scrolls_to_them(chromium: Browser, tmp_path: Path) -> None:
    page(*[ROOT / "sample_meshes/tetrahedron.stl"] * 6, output=tmp_path / "a.html")
    chromium.call("Emulation.setDeviceMetricsOverride", width=400, height=300, deviceScaleFactor=1, mobile=False)
    try:  # in a small window, so that few are near
        chromium.open(tmp_path / "a.html")
        for number in range(1, 7):
            assert number > 2 or not chromium.js("document.querySelector('#view-6').viewer")
            chromium.js(f"document.querySelector('#view-{number}').scrollIntoView()")
            chromium.wait(f"document.querySelector('#view-{number}').viewer")
        chromium.wait("!document.querySelector('#view-1').classList.contains('live')")  # too many: its picture is back
        assert chromium.js("document.querySelector('#view-1 img').getBoundingClientRect().height") > 100
        assert "too many are open" in chromium.js("document.querySelector('#view-1 .note').textContent")
    finally:
        chromium.call("Emulation.clearDeviceMetricsOverride")
    assert all("Too many active WebGL contexts" in words for words in chromium.complaints())
    chromium.events.clear()


@needs_browser
def test_paper_has_the_picture_and_no_controls(chromium: Browser, tmp_path: Path) -> None:
    view(chromium, OPEN, ANGLE, "--units", "mm", output=tmp_path / "a.html")

    def heights() -> list[bool]:
        words = ["canvas", ".controls", "a[data-view]", "figure img", "figure > svg"]
        shown = f"{words}.map(s => document.querySelector(s).getBoundingClientRect().height > 5)"
        found: list[bool] = chromium.js(shown)
        return found

    assert heights() == [True, True, True, False, True]
    chromium.call("Emulation.setEmulatedMedia", media="print")
    try:
        assert heights() == [False, False, False, True, True]
    finally:
        chromium.call("Emulation.setEmulatedMedia", media="")
    assert len(base64.b64decode(chromium.call("Page.printToPDF")["data"])) > 10_000


def test_torsion_is_that_of_the_sections(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beside a mesh, which has none; alone a mesh is refused."""
    pytest.importorskip("scipy")
    monkeypatch.setattr("massprops.section.torsion.AGREEMENT", 0.5)  # two coarse meshes are enough
    done = run("report", ANGLE, BRACKET, "--units", "mm", "--torsion", "-o", tmp_path / "a.html")
    assert done.returncode == 0
    assert "Torsion J" in (tmp_path / "a.html").read_text(encoding="utf-8")
    assert run("report", BRACKET, "--torsion", "-o", tmp_path / "b.html").returncode == 2


def test_where_the_page_goes(tmp_path: Path) -> None:
    part = tmp_path / "part.stl"
    write_binary_stl(part, torus(12, 8))
    assert run("report", part, "-o", part).returncode == 2
    assert run("report", "-", "-o", tmp_path / "a.html").returncode == 2
    assert run("report", part, "-o", tmp_path / "a.txt").err == (
        f"massprops: {tmp_path / 'a.txt'}: a report is written as HTML; choose a .html file\n"
    )
    done = run("report", part, "-o", "-")
    assert (done.returncode, done.err) == (0, "")
    assert done.out.startswith("<!DOCTYPE html>")
    assert done.out == run("report", part, "-o", "-").out  # the same input, the same bytes


def test_without_letters_the_page_says_that_it_has_no_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pillow without FreeType: the view and the numbers need none; `plot` is refused with the reason."""
    from PIL import features

    from massprops.writers.picture import pillow

    pillow._font.cache_clear()
    monkeypatch.setattr(features, "check", lambda name: name != "freetype2")
    for path in (BRACKET, ARM):
        read = Html(massprops.report(path))
        assert "No picture for paper: Pillow draws no letters here: it was built without FreeType." in read.words
        assert scene(massprops.report(path))["meshes"]
    with pytest.raises(massprops.InvalidInput, match=r"built without FreeType; install another build of Pillow"):
        massprops.plot(BRACKET)
    assert not pillow._font.cache_info().currsize

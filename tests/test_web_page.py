"""The program as a web page: the bytes of the command line, nothing that leaves the page, foreign names as text, and a page that lives.

Modules tested: `integrations/browser`. Loading the page takes longer than all that is asked of it, so its laws are one test.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from browser import browser, needs_browser
from console import environment
from places import ROOT, script
from test_house import code_lines
from web_page import WebPage, served

HERE = ROOT / "integrations" / "browser"
BUILD = script(HERE / "build.py")
SAMPLES = [
    p
    for folder in ("sample_meshes", "samples/sections", "samples/parts")
    for p in (ROOT / folder).iterdir()
    if p.is_file()
]
ALONE = """
import sys
sys.modules |= dict.fromkeys(("scipy", "manifold3d", "shapely", "sectionproperties", "lxml"))
from massprops.cli import main
sys.exit(main(sys.argv[1:]))
"""
ATTACK = "<img src=x onerror='window.owned=1'>"


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebPage]:
    folder = tmp_path_factory.mktemp("web")
    try:
        packages = BUILD.fetch(folder)
    except SystemExit as error:
        pytest.skip(f"the packages cannot be had: {error}")
    BUILD.build(folder / "site", packages)
    with served(folder / "site") as (address, requests), browser(f"--proxy-server={address}") as tab:
        yield WebPage(tab, address, requests)


def on_the_command_line(folder: Path, *words: str) -> tuple[str, str, int]:
    """What the program prints with the numpy core and the packages that the page has, without times, and its exit code."""
    env = {**environment(), "MASSPROPS_CORE": "numpy"}
    done = subprocess.run([sys.executable, "-c", ALONE, *words], cwd=folder, env=env, capture_output=True, check=False)
    return done.stdout.decode(), timeless(done.stderr.decode()), done.returncode


def numbers_of(line: str) -> tuple[list[str], list[float]]:
    """Words and numbers of the JSON of a section, without its ±."""
    result = json.loads(line)
    del result["uncertainty"], result["section"]["uncertainty"]
    text, number = json.dumps(result), re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?")
    return number.split(text), [float(x) for x in number.findall(text)]


def are_alike(here: str, there: str) -> bool:
    """Libraries of C round a sine or an arctangent, which sections need, to other last digits."""
    (words, numbers), (others, right) = numbers_of(here), numbers_of(there)
    return words == others and numbers == pytest.approx(right, rel=1e-12, abs=1e-15)


def timeless(text: str) -> str:
    return re.sub(r"\d+\.\d s\b", "T s", text)


def every_sample_has_the_bytes_of_the_command_line(page: WebPage, folder: Path) -> None:
    files = [Path(shutil.copy(p, folder)) for p in SAMPLES if p.suffix not in (".md", ".py")]
    names = page.choose(*files)
    assert names == sorted(p.name for p in files)
    assert len(names) > 40
    page.tick("bracket.stl", "plate_and_posts.3mf", "open_bracket.obj")
    for ticked, form in ((page.ticked(), "table"), (names, "table"), (names, "json")):
        page.tick(*ticked)
        words = ["compute", *ticked, "--units=mm", *([f"--format={form}"] if form != "table" else [])]
        out, err, code = page.measure(units="mm", format=form)
        native = on_the_command_line(folder, *words)
        assert (timeless(err), code) == native[1:]
        for here, there in zip(out.splitlines(), native[0].splitlines(), strict=True):
            assert here == there or (form == "json" and '"section"' in there and are_alike(here, there))


def a_robot_in_an_archive_is_checked_and_shown(page: WebPage, folder: Path) -> None:
    shutil.copytree(ROOT / "samples" / "robots", folder / "robots")
    with zipfile.ZipFile(folder / "arm.zip", "w") as archive:
        for file in (folder / "robots").rglob("*"):
            archive.write(file, file.relative_to(folder))
    assert page.choose(folder / "arm.zip") == ["robots/arm.urdf", "robots/bare.xml"]
    page.tick("robots/arm.urdf")
    for form in ("table", "json"):
        words = ["check", "robots/arm.urdf", *([f"--format={form}"] if form != "table" else [])]
        out, err, code = page.measure(format=form)
        native = on_the_command_line(folder, *words)
        assert (timeless(out), timeless(err), code) == (timeless(native[0]), *native[1:])
        assert page.in_view("document.querySelector('h1').textContent") == "Mass properties"
        page.tab.js("document.getElementById('view').scrollIntoView()")
        page.in_view("document.querySelector('figure').scrollIntoView()")
        viewer = "new Promise(r => setInterval(() => document.querySelector('figure').viewer && r(self.origin), 50))"
        assert page.in_view(viewer) == "null"


def a_refusal_has_the_words_of_the_command_line(page: WebPage, folder: Path) -> None:
    bad = folder / f"{ATTACK.replace('/', '')} [b].stl"
    bad.write_text(f"solid {ATTACK}\nfacet normal 0 0 0\n{ATTACK}\n")
    assert page.choose(bad) == [bad.name]
    out, err, code = page.measure(density="7800")
    assert (out, err, code) == on_the_command_line(folder, "compute", bad.name, "--density=7800")
    assert code == 3
    for more in ("--unit", "--on-open fill", "'--verbose", "--help-all"):
        out, err, code = page.measure(more=more)
        assert (code, bool(err)) == ((0, False) if more == "--help-all" else (2, True)), (more, out, err)
        assert "Traceback" not in out + err
    (folder / "not.zip").write_bytes(b"PK no archive")
    assert page.choose(folder / "not.zip") == ["not.zip"]  # it is a file as any other
    assert "not.zip: not a zip archive" in page.said("messages")
    assert page.tab.js("document.images.length") == 0
    assert page.tab.js("window.owned") is None


def the_page_lives_while_it_measures_and_can_stop(page: WebPage, folder: Path) -> None:
    part = ROOT / "sample_meshes" / "bracket.stl"
    page.choose(*(Path(shutil.copy(part, folder / f"{i:03}.stl")) for i in range(100)))
    page.begin(units="mm")
    assert page.said("status").startswith("Measuring")
    assert page.tab.js("document.getElementById('progress').hidden") is False
    page.tab.js("document.getElementById('stop').click()")
    page.wait("document.querySelectorAll('#inputs label').length === 100 && document.getElementById('stop').disabled")
    assert page.said("text") == ""
    page.choose(part)
    assert page.measure(units="mm") == on_the_command_line(part.parent, "compute", part.name, "--units=mm")


def everything_has_a_name_and_fits_a_phone(page: WebPage, _: Path) -> None:
    tree = page.tab.call("Accessibility.getFullAXTree")["nodes"]
    named = [(n["role"]["value"], n.get("name", {}).get("value")) for n in tree if not n["ignored"]]
    roles = {"button", "textbox", "combobox", "checkbox", "progressbar", "Iframe"}
    asked = [(role, name) for role, name in named if role in roles]
    assert len(asked) > 10
    assert [role for role, name in asked if not name] == []
    page.tab.call("Emulation.setDeviceMetricsOverride", width=400, height=800, deviceScaleFactor=1, mobile=False)
    assert page.tab.js("document.documentElement.scrollWidth") <= 400
    page.tab.call("Emulation.clearDeviceMetricsOverride")


#: What Chromium asks for by itself, with any page.
ITS_OWN = (".google.com:443", ".googleapis.com:443", ".gvt1.com:443")


def nothing_leaves_the_page(page: WebPage, _: Path) -> None:
    site = {"/", "/page.css", "/page.js", "/worker.js", "/view.html", "/python.bin", "/library.zip", "/program.zip"}
    assert {r for r in page.requests if not r.endswith(ITS_OWN) and not r.startswith("/wasi/")} == site
    assert [c for c in page.tab.complaints() if not c.startswith(f"request: {page.address}/")] == []


LAWS = (
    every_sample_has_the_bytes_of_the_command_line,
    a_robot_in_an_archive_is_checked_and_shown,
    a_refusal_has_the_words_of_the_command_line,
    the_page_lives_while_it_measures_and_can_stop,
    everything_has_a_name_and_fits_a_phone,
    nothing_leaves_the_page,
)


@needs_browser
def test_the_page(page: WebPage, tmp_path: Path) -> None:
    for law in LAWS:
        folder = tmp_path / law.__name__
        folder.mkdir()
        try:
            law(page, folder)
        except BaseException as error:
            error.add_note(f"law: {law.__name__}")
            raise


def test_a_folder_with_files_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine").write_text("mine")
    for words in ([str(tmp_path)], [], [str(tmp_path / "mine")]):
        monkeypatch.setattr("sys.argv", ["build.py", *words])
        with pytest.raises(SystemExit, match=r"is there already|usage: python integrations/browser/build\.py FOLDER"):
            BUILD.main()
    assert [p.name for p in tmp_path.iterdir()] == ["mine"]


def test_packages_are_named_with_their_hashes_and_without_an_address() -> None:
    lines = [x for x in (HERE / "packages.txt").read_text(encoding="utf-8").splitlines() if x[:1] != "#"]
    assert [x for x in lines if not re.fullmatch(r"[a-z-]+==[\d.]+ --hash=sha256:[0-9a-f]{64}", x)] == []
    address = re.compile(r"https?://|\.org\b|\.com\b")
    assert [p.name for p in HERE.iterdir() if p.is_file() and address.search(p.read_text(encoding="utf-8"))] == []


def test_the_page_is_small() -> None:
    """Lines of Python and JavaScript without blanks, comments and docstrings."""
    python = sum(map(code_lines, HERE.glob("*.py")))
    scripts = [line.strip() for p in HERE.glob("*.js") for line in p.read_text(encoding="utf-8").splitlines()]
    print(python, sum(line[:2] != "//" for line in scripts if line))
    assert python + sum(line[:2] != "//" for line in scripts if line) <= 350

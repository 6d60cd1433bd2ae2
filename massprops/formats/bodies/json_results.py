"""JSON, `massprops/1`: results of `compute` and of the commands that need no geometry, one object or several.

Tests: `tests/formats/bodies/test_opening.py`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any, Self, get_args

import numpy as np

from massprops._version import __version__
from massprops.access import access
from massprops.errors import InvalidInput, ReadError, Remedy, as_read_error
from massprops.findings import SEVERITIES, Finding, Severity
from massprops.formats.address import files_together
from massprops.formats.files import read_bytes
from massprops.formats.inertial.inertial import FileBodies, NamedBody
from massprops.formats.strict_json import objects as objects
from massprops.formats.text import decode
from massprops.frames import finite_array
from massprops.json_values import json_object, json_value
from massprops.mesh.stored_values import STORED
from massprops.moments.arrays import Array
from massprops.rigid_body import as_json
from massprops.rigid_body.as_json import CERTIFICATE_SCHEMA, SCHEMA, Products
from massprops.rigid_body.mass_properties import MassProperties
from massprops.rigid_body.uncertain import ErrorKind, Source, from_vector10
from massprops.values import dataclass

#: Grades of results that nothing certifies.
_WEAK = ("unverified", "closed", "estimated")
#: Findings that the numbers of a body give by themselves, wherever it is judged.
_SHOWN = ("non-positive-mass", "not-positive-definite", "triangle-inequality", "pseudo-inertia", "degenerate-rank")
#: Grades of what was not measured: they say nothing about a finding.
_UNMEASURED = ("stated", "exact", None)
#: Method and grade of a body without a mesh; where none is listed, a file states it.
_METHODS = {"assembly": ("sum", "stated"), "shape": ("closed-form", "exact")}


def body_dict(body: NamedBody, *, about: Any = "com", products: Products = "tensor") -> dict[str, object]:
    """A body without geometry as the JSON schema `massprops/1` spells it; what only a surface or a section has is null.

    Parameters
    ----------
    body : NamedBody
        Its findings and those about its physics are listed, worst first.
    about, products
        As `Measurement.to_dict`.
    """
    p = body.properties
    method, grade = _METHODS.get(body.dialect, ("stated", "stated"))
    source = {"path": body.path or None, "format": body.dialect, "encoding": None, "units": "m"}
    return {
        "schema": SCHEMA,
        "massprops": __version__,
        "name": body.name,
        "input": source | dict.fromkeys(("facets", "rings", "bodies", "sha256")),
        "method": method,
        "grade": grade,
        "repairs": [],
        **dict.fromkeys(("density", "volume", "area")),
        **json_object(mass=p.mass, center_of_mass=p.com),
        "inertia": as_json.inertia_dict(p, about, products, "file"),
        "principal": as_json.principal_dict(p),
        **json_object(p, "radii_of_gyration"),
        "bounds": None,
        "pseudo_inertia": p.pseudo_inertia().tolist(),
        **dict.fromkeys(("perimeter", "centroid", "section")),
        "uncertainty": _uncertainty_dict(p, about),
        "findings": json_value(body.all_findings),
    }


def _uncertainty_dict(p: MassProperties, about: Any) -> dict[str, object] | None:
    views = p.uncertainty
    if not p.sources or not views.mass_is_certain:
        return None
    bounds = {name: views.only(name).bounds for name, s in p.sources.items() if s.kind == "bound"}
    return as_json.errors_dict(views, "bound", about) | (as_json.uncertainty_dict(views.bounds, bounds, p, about) or {})


def read(text: str, path: str) -> FileBodies:
    """The bodies of one or several result objects, one after the other or one per line.

    Raises
    ------
    ReadError
        If it is no JSON, an object is no result of `massprops`, an error, or without a mass.
    """
    return FileBodies([_with_doubts(stored) for stored in read_results(path, text)])


def _array(name: str, shape: tuple[int, ...]) -> cached_property[Array | None]:
    """Numbers of a body of this shape, those of the bounds in two rows; ReadError if they are others."""

    def read(body: Body) -> Array | None:
        value = body.value.get(name)
        if isinstance(value, Mapping):
            value = [value.get("min"), value.get("max")]
        with as_read_error(body.place, "bad-inertial"):
            return None if value is None else finite_array(value, shape, name)

    return cached_property(read)


def _number(name: str) -> cached_property[float | None]:
    """One number of a body; ReadError if it is none."""
    array = _array(name, ())
    return cached_property(lambda body: None if (value := array.func(body)) is None else float(value))


@dataclass(frozen=True, eq=False)
class Body:
    """A body as a result states it: each number is read, and refused, where it is asked for, and None where the result has none. SI.

    Attributes
    ----------
    value : mapping
        The result, as JSON has it.
    place : str
        ``results.json:3``, where it begins; messages begin with it.
    path : str
        The file.
    findings : tuple of Finding
    error : str or None
        ``code: message`` of the report of an error.
    """

    value: Mapping[str, Any]
    place: str
    path: str
    findings: tuple[Finding, ...] = ()
    error: str | None = None

    @classmethod
    def of(cls, value: Any, place: str, path: str) -> Self:
        """A JSON value; ReadError, beginning with `place`, if it is no result."""
        if not (isinstance(value, dict) and value.get("schema") == SCHEMA and isinstance(value.get("input", {}), dict)):
            hint = Remedy("make one with --format json", python="make one of Measurement.to_dict()")
            if isinstance(value, dict) and value.get("schema") == CERTIFICATE_SCHEMA:
                text = "it is a certificate: give the mesh, and this file as --certificate"
                hint = Remedy(text, python="give the mesh that it certifies")
            raise ReadError(f"{place}: is not a {SCHEMA} object", code="not-a-result", hint=hint)
        listed, error = value.get("findings"), value.get("error")
        if isinstance(error, dict):
            error = ": ".join(str(error[key]) for key in ("code", "message") if error.get(key))
        findings = tuple(_finding(f, place) for f in (listed if isinstance(listed, list) else ()))
        return cls(value, place, path, findings, error)

    volume, area, mass, density = _number("volume"), _number("area"), _number("mass"), _number("density")
    center_of_mass, bounds = _array("center_of_mass", (3,)), _array("bounds", (2, 3))

    @property
    def input(self) -> Mapping[str, Any]:
        """Description of the file that was measured: its path, unit and counts."""
        return self.value.get("input") or {}

    @property
    def grade(self) -> str | None:
        """How far the integral is known to be that of the body."""
        return self.value.get("grade")

    @property
    def axes(self) -> str:
        """Whose coordinates these are: ``file``, ``parent`` or ``frame``."""
        return (self.value.get("inertia") or self.value).get("axes") or "file"

    @property
    def stored(self) -> tuple[Mapping[str, Any], ...]:
        """Values that the file states of its bodies, those that can be used; see `StoredValue`."""
        values = self.value.get("stored")
        known = [v for v in values if isinstance(v, dict)] if isinstance(values, list) else []
        return tuple(v for v in known if v.get("quantity") in STORED and isinstance(v.get("stored"), list))

    @property
    def title(self) -> str | None:
        """Name of the body, else of the file that was measured."""
        name = self.value.get("name") or self.input.get("path")
        return None if name is None else str(name)

    @property
    def unit(self) -> str:
        """The length unit that the file was read in."""
        return self.input.get("units") or "m"

    @cached_property
    def properties(self) -> MassProperties | None:
        """Mass, centre and inertia with their errors; ReadError if they are not those of a body, or it is the report of an error."""
        return self.named().properties if self.has_inertia or self.error is not None else None

    @property
    def inertia(self) -> Array | None:
        """Inertia tensor about the centre of mass, shape (3, 3), kg m²."""
        return None if self.properties is None else self.properties.inertia

    @property
    def principal(self) -> Array | None:
        """Principal moments, ascending, shape (3,), kg m²."""
        return None if self.properties is None else self.properties.principal().moments

    def numbers(self, name: str) -> list[float]:
        """Numbers of a quantity by its name in results: one, three of a point, six of the bounds; none where it is not known."""
        value = getattr(self, name)
        return [] if value is None else np.ravel(value).tolist()

    @property
    def has_inertia(self) -> bool:
        """Whether there is a mass with its inertia."""
        return self.value.get("mass") is not None and isinstance(self.value.get("inertia"), dict)

    def named(self) -> NamedBody:
        """The body by its name, without the findings; ReadError if there is none, or its numbers are not those of one."""
        if self.error is not None:
            raise ReadError(f"{self.place}: is the report of an error: {self.error}", code="not-a-result")
        if not self.has_inertia:
            hint = Remedy("compute it with {}, {} or {}", "density", "material", "mass")
            raise ReadError(f"{self.place}: the result has no mass, only geometry", code="no-mass", hint=hint)
        with as_read_error(self.place, "bad-inertial"):
            files = files_together(self.title or self.path)
            name = str(self.value.get("name") or " + ".join(file.stem for file in files))
            properties = _with_uncertainty(_properties(self.value), self.value.get("uncertainty"))
            return NamedBody(name, properties, self.place, "json")


def _finding(value: Any, place: str) -> Finding:
    try:
        severity = next(s for s in SEVERITIES if s == value["severity"])
        where = value.get("where")
        point = tuple(where) if isinstance(where, list) else where
        code, message = str(value["code"]), str(value["message"])
        return Finding(code, severity, message, value.get("value"), value.get("limit"), point)
    except (KeyError, TypeError, StopIteration) as error:
        raise ReadError(f"{place}: not a finding: {value!r:.60}", code="not-a-result") from error


def read_results(path: str, text: str | None = None, *, name: str | None = None) -> list[Body]:
    """The results of a file, whose `text` may have been read already, or those of one name; ReadError if there are none."""
    known = access().objects.get(path)
    if known is not None:
        return [Body.of(known[1], path, path)]
    values = objects(decode(read_bytes(path)) if text is None else text, path)
    found = [Body.of(value, place, path) for value, place in values]
    if not found:
        raise ReadError(f"{path}: no JSON object in it", code="bad-json")
    chosen = [r for r in found if name in (None, r.title)]
    if not chosen:
        raise ReadError(f"{path}: no result named {name!r}", code="no-link")
    return chosen


def _with_doubts(stored: Body) -> NamedBody:
    """The body with the warnings of its result, but those that its numbers alone give again."""
    body, grade = stored.named(), stored.grade
    found = []
    if grade in _WEAK:
        found.append(Finding("weak-result", "warning", f"the result that was read is graded {grade}", where=body.place))
    stated = [f for f in stored.findings if f.code not in _SHOWN]
    if grade in _WEAK or any(f.severity != "info" for f in stated):
        found += [_carry_over(f, grade) for f in stated]
    return replace(body, findings=(*body.findings, *found))


def _carry_over(stated: Finding, grade: Any) -> Finding:
    """A finding of a result, about the body that is made of it; an error that was accepted there is a warning here."""
    severity: Severity = "info" if stated.severity == "info" else "warning"
    says = "" if grade in _UNMEASURED else f"the result that was read, graded {grade}, says: "
    return replace(stated, severity=severity, message=says + stated.marked)


def _properties(value: Mapping[str, Any]) -> MassProperties:
    stated = value["inertia"]
    products = stated.get("products", "tensor")
    tensor = as_json.with_sign(finite_array(stated.get("tensor"), (3, 3), "inertia tensor"), products)
    mass, com = value["mass"], value.get("center_of_mass")
    about = stated.get("about", "com")
    central = MassProperties(mass, com, tensor)  # type: ignore[arg-type]  # it checks what it is given
    if about == "com":
        return central
    point = finite_array(np.zeros(3) if about == "origin" else about, (3,), "inertia about")
    # parallel axes, backwards: the difference loses what the distance had added
    shift = MassProperties(mass, com, np.zeros((3, 3))).inertia_about(point)  # type: ignore[arg-type]
    return MassProperties(mass, com, tensor - shift)  # type: ignore[arg-type]


def _with_uncertainty(body: MassProperties, value: Any) -> MassProperties:
    """The body with the errors of its result; InvalidInput if they are not those of a body."""
    if value is None or body.mass == 0.0:
        return body
    if not isinstance(value, dict):
        raise InvalidInput(f"uncertainty is not an object: {value!r:.60}")
    stated = value.get("stated", {})
    for name, source in stated.items() if isinstance(stated, dict) else ():
        try:
            kind = next(k for k in get_args(ErrorKind) if k == source["kind"])
            changes, shared = source["changes"], source["shared"] is True
        except (KeyError, TypeError, StopIteration) as error:
            raise InvalidInput(f"not a stated error: {source!r:.60}") from error
        ten = finite_array(changes, (1 if shared else -1, 10), "changes")
        body = body.with_source(name, Source(kind, from_vector10(ten), shared))
    bounds: list[Any] = [value.get(key) for key in ("mass", "center_of_mass", "inertia")]
    # of a sheet whose geometry has no bounds, only the standard deviations that were stated are known
    return body if bounds == [None] * 3 else body.with_errors(*bounds, of_all=True)


def write(bodies: list[NamedBody], *, about: Any = "com", products: Products = "tensor") -> str:
    """Bodies as JSON: one indented object for one body, one line each for several."""
    indent = 2 if len(bodies) == 1 else None
    objects = (body_dict(body, about=about, products=products) for body in bodies)
    return "".join(json.dumps(o, indent=indent, allow_nan=False) + "\n" for o in objects)

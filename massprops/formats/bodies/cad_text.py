"""Mass properties as CAD programs show, copy or report them: one reader of labelled numbers, and a table of programs.

A line is a heading, which says what the numbers below are about, or labels with numbers. `docs/cad.md` has the words of each program and
the source of its convention. Tests: `tests/formats/bodies/test_cad_text.py`.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Literal, NamedTuple

import numpy as np

from massprops.errors import InvalidInput, ReadError, Remedy
from massprops.findings import Finding
from massprops.formats.inertial.inertial import FileBodies, Inertial, NamedBody
from massprops.frames import Pose
from massprops.moments.arrays import symmetric_eigen
from massprops.rigid_body.tensors import Array, inertia_of, point_inertia
from massprops.units import Dimension, factor_of
from massprops.values import regex
from massprops.wording import either

#: Where the numbers below a heading are taken: the centre of mass or the origin; second moments; the centre itself; or nothing of use.
Section = Literal["com", "origin", "second", "centre", ""]


class Program(NamedTuple):
    """A CAD program.

    Attributes
    ----------
    title : str
    layout : str
        A pattern of how only its texts lay out numbers: no name, which any text can hold.
    products : {"tensor", "positive"}
        Its sign of products where nothing else says it.
    length : str
        The length unit of texts that state none.
    of_volume : bool
        Whether its tensor is that of the volume, at unit density.
    """

    title: str
    layout: str
    products: Literal["tensor", "positive"]
    length: str = ""
    of_volume: bool = False


_ROW = r"\s*[-+|]?[ \t]*[-+.\d]"
#: By the name for `--cad`.
PROGRAMS = {
    "solidworks": Program("SolidWorks", r"^\s*taken at the (?:center of mass|output coordinate system)", "positive"),
    "inventor": Program(
        "Inventor", rf"\((?:calculated using )?(?:negative|positive) integral|^\s*Iyx\s+Iyy{_ROW}", "tensor"
    ),
    "fusion": Program("Fusion", r"^\s*moment of inertia at (?:center of mass|origin)\b", "tensor"),
    "creo": Program("Creo", r"^\s*inertia tensor:", "tensor"),
    "catia": Program("CATIA", r"^\s*IoxG\b|^\s*inertia matrix / [go]\b", "tensor"),
    "nx": Program("NX", r"^\s*moments of inertia \((?:wcs|centroidal)\)", "positive"),
    "rhino": Program("Rhino", r"^\s*(?:volume moments|second moments|product moments)\b:?\s*$", "positive", "", True),
    "freecad": Program("FreeCAD", r"^\s*MatrixOfInertia\b", "tensor", "mm", True),
    "meshlab": Program("MeshLab", r"^.*\binertia tensor is\b", "tensor", "m", True),
    "onshape": Program("Onshape", rf"^\s*Lxx\s*:{_ROW}", "tensor"),
}
_AUTO = "auto"
_SCALARS: dict[str, tuple[str, Dimension]] = {
    "mass": (r"(?:total )?mass\b(?! *(?:moment|prop|dens))", (1, 0)),
    "volume": (r"(?:mesh )?volume\b(?! *(?:cent|mom|rad|prin))", (0, 3)),
    "density": (r"(?:average |mass )?density\b", (1, -3)),
}
_CENTRE = r"cent(?:er|re) ?of ?(?:mass|gravity)|centroid"
#: What the numbers below a heading are; the first that matches, "" for what is not read.
_HEADINGS: tuple[tuple[str, Section], ...] = (
    (r"principal|gyration|spherical|rotat|first moments|bounding|world *x, *y", ""),
    (r"second moments|product moments", "second"),
    (r"taken at the cent(?:er|re) of mass", "com"),
    (r"taken at the output", "origin"),
    (r"inertia tensor is", "com"),
    (rf"inertia.*(?:{_CENTRE}|centroidal|/ *G\b)|MatrixOfInertia", "com"),
    (r"inertia.*(?:origin|global|world|wcs|coordinate (?:frame|system)|/ *O\b)", "origin"),
    (rf"^\W*(?:volume )?(?:{_CENTRE})", "centre"),
)
_NUMBER = regex(r"(?<![\w.^*])[+-]?(?:\d{1,40}\.?\d{0,40}|\.\d{1,40})(?:[eE][+-]?\d{1,3}(?!\d))?")
_NAMES: dict[Section, str] = {
    "com": r"\b[ILPJ]o?([xyz])([xyz]?)[cgow]*\b",
    "second": r"\b([xyz])([xyz])\b",
    "centre": r"\bG?([xyz])(?:cbar)?\b()",
}
_NAMES["origin"] = _NAMES["com"]
#: Bounds and relative errors behind a number, which are no quantity.
_ERRORS = regex(r"\((?:\+/-|relative error)[^)]*\)", re.IGNORECASE)
_NOTHING: Section = ""
#: Two numbers of one quantity, in two units or printed twice, differ by less than this share.
_SAME = Fraction(1, 1000)
#: A principal moment: of SolidWorks, of Inventor and Creo, of CATIA.
#: Roundings of the printed numbers, by which moments of the right sign can be off.
_ROUNDINGS = 5
#: A principal axis and its moment, as SolidWorks prints them.
_AXES = regex(rf"\bI[xyz]\s*=\s*\(([^()]*)\)\s*P[xyz]\s*=\s*({_NUMBER.pattern})")
_PRINCIPAL = regex(rf"\b(?:P[xyz]|[IM][123])\s*[=:]?\s*({_NUMBER.pattern})")
_THOUSANDS = regex(r"(?<![\d.,])\d{1,3}(?:,\d{3})+\.\d")
#: A number that may have thousands separators or a decimal comma; and any that has a comma inside.
_COMMAS, _DECIMALS = regex(r"(?<![\d.,])\d{1,3}(?:,\d{3})+(?![\d,eE])"), regex(r"(?<![\d.,])\d+(?:,\d+)+")


def is_cad_text(text: str) -> bool:
    """Whether a text is that of a CAD program: a label of a mass or a volume at the start of a line, and the layout of a tensor."""
    labels = "|".join(label for label, _ in _SCALARS.values())
    tensor = r"(?im)^\W*[ILJ]o?xx\b|^\W*Ix\b.*\d"
    return bool(re.search(rf"(?im)^\W*(?:{labels})", text) and (programs_of(text) or re.search(tensor, text)))


def programs_of(text: str) -> list[str]:
    """Names of the programs whose layout of numbers a text has."""
    return [name for name, p in PROGRAMS.items() if re.search(p.layout, text, re.IGNORECASE | re.MULTILINE)]


def read(text: str, path: str, program: str = _AUTO) -> FileBodies:
    """The body that a CAD program describes.

    Raises
    ------
    InvalidInput
        If the program is unknown.
    ReadError
        If mass, centre or inertia is missing, stated twice or without a unit, or its products of inertia may have either sign.
    """
    if program not in (_AUTO, *PROGRAMS):
        raise InvalidInput(f"unknown program {program!r}; known: auto, {', '.join(PROGRAMS)}", argument="cad")
    found = _Text(text, path, programs_of(text) if program == _AUTO else [program])
    with np.errstate(all="ignore"):  # what is not finite is refused with the inertial
        tensor, signs = found.tensor()
    stated = Inertial(found.mass, Pose.from_xyz_rpy(found.centre), tensor)
    note = Finding("products-convention", "info", f"{found.title}: the products of inertia are read as {signs}")
    return FileBodies([replace(NamedBody.of(None, stated, path, "cad", (note,)), volume=found.volume)])


class _Value(NamedTuple):
    """A number with the unit behind it, or that of its heading, where there is one."""

    number: Fraction
    unit: str


_NONE = _Value(Fraction(0), "")


class _Text:
    """The labelled numbers of a text."""

    def __init__(self, text: str, path: str, programs: Sequence[str]) -> None:
        self.path = path
        self.programs = [PROGRAMS[name] for name in programs]
        self.is_typed = not programs_of(text)
        self.scalars: dict[str, _Value] = {}
        self.entries: dict[tuple[Section, str], _Value] = {}
        self.unit, self.waits, self.section, self.rows = "", False, _NOTHING, 0
        if match := _THOUSANDS.search(text):
            raise self.error(f"{match[0]!r} has thousands separators", "bad-number", "write the numbers without them")
        if not re.search(r"\d\.\d", text):  # a decimal comma, where no number has a point
            text = self._with_points(text)
        self.whole = _ERRORS.sub("", text.replace("−", "-"))
        for line in self.whole.splitlines():
            self._read(line.strip())

    @property
    def title(self) -> str:
        """Names of the programs that it can be of."""
        return either([p.title for p in self.programs]) or "a text of no known layout"

    def _with_points(self, text: str) -> str:
        """Text whose decimal commas are points; refused where all commas may as well separate thousands."""
        commas = [m for m in _COMMAS.finditer(text) if not m[0].startswith("0")]
        if (several := next((m for m in commas if m[0].count(",") > 1), None)) is not None:
            raise self.error(f"{several[0]!r} has thousands separators", "bad-number", "write the numbers without them")
        if commas and len(commas) == len(_DECIMALS.findall(text)):
            what = f"{commas[0][0]!r} can be {commas[0][0].replace(',', '')} or {commas[0][0].replace(',', '.')}"
            raise self.error(what, "bad-number", "write the numbers with a decimal point, and without separators")
        return re.sub(r"(?<=\d),(?=\d)", ".", text)

    def error(self, what: str, code: str = "bad-inertial", hint: str | Remedy = "") -> ReadError:
        """The error about this text."""
        return ReadError(f"{self.path}: {what}", code=code, hint=hint)

    def _read(self, line: str) -> None:
        for name, (label, _) in _SCALARS.items():
            if re.match(rf"\W*{label}", line, re.IGNORECASE) and (match := _NUMBER.search(line)):
                self._add_scalar(name, _Value(Fraction(match[0]), _unit(line[match.end() :])))
                return
        heading = next((s for words, s in _HEADINGS if re.search(words, line, re.IGNORECASE)), None)
        bracket = re.search(r"\(([^()=/]*[a-z][^()=]*)\)", line, re.IGNORECASE)
        if re.match("taken", line, re.IGNORECASE):  # SolidWorks: below the heading with the unit
            self.section, self.waits = heading or _NOTHING if self.waits else _NOTHING, False
        elif heading is not None:
            self.rows = 0
            self.section, self.unit, self.waits = heading, _unit(bracket[1]) if bracket else "", False
        elif re.match(r"(?:mass )?moments? of inertia|inertia\b(?! tensor)", line, re.IGNORECASE):
            self.section = "com" if self._may_be("Onshape") else _NOTHING
            self.unit, self.waits = _unit(bracket[1]) if bracket else "", True
        if self.section:
            self._add_entries(line, self.section)

    def _may_be(self, title: str) -> bool:
        """Whether the text can be of a program: also one of no known layout, which is typed as of Onshape."""
        return self.is_typed or any(p.title == title for p in self.programs)

    def _add_scalar(self, name: str, value: _Value) -> None:
        """A mass, volume or density, once: a second one that differs is that of another report."""
        before = self.scalars.setdefault(name, value)
        dimension = _SCALARS[name][1]
        with contextlib.suppress(InvalidInput, OverflowError):
            one, other = (float(v.number * factor_of(v.unit or before.unit, dimension)) for v in (before, value))
            if abs(one - other) > _SAME * abs(one):
                self._refuse_twice(name, before, value)

    def _refuse_twice(self, name: str, before: _Value, value: _Value) -> None:
        a, b = (f"{float(v.number):g} {v.unit}".strip() for v in (before, value))
        what = f"states its {name} twice, {a} and {b}: two reports, or a total above one of its parts"
        raise self.error(what, "ambiguous-report", "copy the report of one body")

    def _add_entries(self, line: str, section: Section) -> None:
        """Numbers with the labels before them, as many as there are numbers; a centre or a matrix may have none."""
        numbers, names = list(_NUMBER.finditer(line)), list(re.finditer(_NAMES[section], line, re.IGNORECASE))
        keys = ["".join(sorted((n[1] + (n[2] or n[1] * (section != "centre"))).lower())) for n in names]
        if section == "centre" and len(numbers) == 3:
            keys = [*"xyz"]
        if (
            len(numbers) == 3 and not names and section == "com" and self._may_be("MeshLab") and self.rows < 3
        ):  # a row of it
            keys, self.rows = ["".join(sorted("xyz"[self.rows] + axis)) for axis in "xyz"], self.rows + 1
        if len(numbers) == 16 and not keys:  # FreeCAD: with the row and the column of a translation
            keys = [min(a + b, b + a) if "w" not in (a, b) else "" for a in "xyzw" for b in "xyzw"]
        if not 0 < len(numbers) == len(keys) <= 16:
            return
        starts = sorted([m.start() for m in (*numbers, *names)] + [len(line)])
        behind = (line[n.end() : next(start for start in starts if start >= n.end())] for n in numbers)
        own = next(filter(None, map(_unit, behind)), self.unit)
        for key, n in zip(keys, numbers, strict=True):
            value = _Value(Fraction(n[0]), own)
            before = self.entries.setdefault((section, key), value)
            if abs(before.number - value.number) > _SAME * abs(before.number) and key:
                of = "centre of mass" if section == "centre" else "moments of inertia"
                self._refuse_twice(of, before, value)

    def _si(self, value: _Value, unit: str, dimension: Dimension) -> float:
        """A value in SI; `unit` is that of a text that states it elsewhere."""
        if not (value.unit or unit):
            raise self.error(f"{float(value.number)!r} has no unit", "no-unit", "write it behind the number")
        try:
            return float(value.number * factor_of(value.unit or unit, dimension))
        except InvalidInput as error:
            raise self.error(error.message, "unknown-unit", error.hint) from None
        except OverflowError:
            raise self.error("a number is outside the range of double-precision numbers", "bad-number") from None

    @property
    def _length(self) -> str:
        """Length unit of numbers without one: that of the centre or of the volume."""
        centre, volume = self.entries.get(("centre", "x"), _NONE).unit, self.scalars.get("volume", _NONE).unit
        stated = next((p.length for p in self.programs if p.length), "")
        return centre or re.sub(r"(?i)^cubic +|\W*3$", "", volume) or stated

    @property
    def density(self) -> float:
        """kg/m³, of a text that states moments of the volume."""
        if "density" not in self.scalars and "mass" in self.scalars and self.volume:
            return self.mass / self.volume
        if "density" not in self.scalars:
            hint = "add a line with its density (Density = 7.85 g/cm^3)"
            raise self.error("states no mass and no density", "no-mass", hint)
        return self._si(self.scalars["density"], "", (1, -3))

    @property
    def mass(self) -> float:
        """kg: as it is stated, or that of the volume."""
        if "mass" in self.scalars:
            return self._si(self.scalars["mass"], "", (1, 0))
        if self.volume is None:
            raise self.error("states no mass", "no-mass", "copy the whole report")
        return self.density * self.volume

    @property
    def volume(self) -> float | None:
        """m³, where it is stated."""
        return self._si(self.scalars["volume"], f"{self._length}^3", (0, 3)) if "volume" in self.scalars else None

    @property
    def centre(self) -> Array:
        """m, shape (3,)."""
        if any(("centre", axis) not in self.entries for axis in "xyz"):
            raise self.error("states no centre of mass", "no-centre", "copy the whole report")
        return np.array([self._si(self.entries["centre", axis], self._length, (0, 1)) for axis in "xyz"])

    def tensor(self) -> tuple[Array, str]:
        """About the centre of mass, Ixy = −∫ρxy, kg m², and in words how the sign of the products was known."""
        shift = point_inertia(self.mass, self.centre)
        known: dict[str, Array] = {s: t for s in ("com", "origin") if (t := self._matrix(s)) is not None}
        if (second := self._matrix("second")) is not None:
            return inertia_of(second) - shift, "+∫ρxy, and negated: second moments"
        if not known:
            raise self.error("states no whole tensor of inertia", "no-inertia", "copy its moments and its products")
        sign = self._sign(known, shift)
        tensor = known["com"] if "com" in known else known["origin"]
        tensor = np.where(np.eye(3), tensor, sign[0] * tensor)
        return (tensor if "com" in known else tensor - shift), sign[1]

    def _matrix(self, section: Section) -> Array | None:
        keys = [min(a + b, b + a) for a in "xyz" for b in "xyz"]
        if any((section, key) not in self.entries for key in keys):
            return None
        values = [self.entries[section, key] for key in keys]
        if "mass" in self.scalars and not any(p.of_volume for p in self.programs):
            mass_unit = f"{self.scalars['mass'].unit} {self._length}^2"
            found = [self._si(value, mass_unit, (1, 2)) for value in values]
        else:
            found = [self.density * self._si(value, f"{self._length}^5", (0, 5)) for value in values]
        return np.reshape(found, (3, 3))

    def _sign(self, known: dict[str, Array], shift: Array) -> tuple[int, str]:
        """Factor of the products to −∫ρxy, and how it is known.

        From both tensors, which differ by m r rᵀ; from the principal moments, where no product is 0; a note; the program.
        """
        words = {1: "−∫ρxy", -1: "+∫ρxy, and negated"}
        if len(known) == 2:
            gap, off = known["origin"] - known["com"], ~np.eye(3, dtype=bool)
            apart = {sign: float(np.abs(sign * gap - shift)[off].max()) for sign in (1, -1)}
            best, worst = sorted(apart, key=lambda sign: apart[sign])
            if apart[best] < 0.1 * apart[worst]:
                return best, f"{words[best]}: the two tensors differ so"
        for decided in (self._sign_by_axes, self._sign_by_moments):
            if (sign := decided(known, shift)) is not None:
                return sign[0], f"{words[sign[0]]}: {sign[1]}"
        note = re.search(r"(positive|negative) (?:tensor notation|integral)", self.whole, re.IGNORECASE)
        conventions = {p.products for p in self.programs}
        if note is None and len(conventions) != 1 and any(t[~np.eye(3, dtype=bool)].any() for t in known.values()):
            what = f"the sign of its products of inertia is not known: the layout is that of {self.title}"
            names = [name for name, p in PROGRAMS.items() if p in self.programs] or list(PROGRAMS)
            hint = Remedy(f"say which program it is of: {{}}, of {', '.join(names)}", f"cad={names[0]}")
            raise self.error(what, "ambiguous-report", hint)
        positive = note[1].lower() == "positive" if note else conventions == {"positive"}
        own = -1 if positive else 1
        return own, f"{words[own]}: {'the text says so' if note else f'the convention of {self.title}'}"

    def _sign_by_axes(self, known: dict[str, Array], _shift: Array) -> tuple[int, str] | None:
        """The sign with which the tensor about the centre of mass is that of the stated principal axes and moments."""
        found = [(*m[1].replace(",", " ").split(), m[2]) for m in _AXES.finditer(self.whole)]
        if len(found) < 3 or "com" not in known or any(len(row) != 4 for row in found):
            return None
        *axes, moments = np.array(found[:3], dtype=float).T
        stated = sum(p * np.outer(a, a) for p, a in zip(moments, np.array(axes).T, strict=True)) / moments.sum()
        tensor = known["com"] / np.trace(known["com"])
        off = ~np.eye(3, dtype=bool)
        apart = {s: float(np.abs(s * tensor - stated)[off].max()) for s in (1, -1)}
        best, worst = sorted(apart, key=lambda sign: apart[sign])
        return (best, "the principal axes are those") if apart[best] < 0.2 * apart[worst] else None

    def _sign_by_moments(self, known: dict[str, Array], shift: Array) -> tuple[int, str] | None:
        """The sign with which the tensor has the stated principal moments, as far as their digits can say it."""
        texts = _PRINCIPAL.findall(self.whole)[:3]
        principal = np.array(texts, dtype=float)
        if len(principal) < 3 or not (principal > 0).all():
            return None
        digits = max(
            10.0 ** -len(x.partition("e")[0].partition(".")[2]) * 10.0 ** int(x.lower().partition("e")[2] or 0)
            for x in texts
        )
        stated = np.sort(principal) / principal.sum()
        t, at = (known["com"], 0) if "com" in known else (known["origin"], 1)
        about = {s: np.where(np.eye(3), t, s * t) - shift * at for s in (1, -1)}
        apart = {s: float(np.abs(symmetric_eigen(t)[0] / np.trace(t) - stated).max()) for s, t in about.items()}
        best, worst = sorted(apart, key=lambda sign: apart[sign])
        if apart[best] < 0.1 * apart[worst] and apart[worst] > _ROUNDINGS * digits / principal.sum():
            return best, "the principal moments are those"
        return None


def _unit(text: str) -> str:
    """A unit in our spelling: CATIA writes kgxm2 and kg_m3, SolidWorks kilograms x square meters."""
    plain = text[:60].partition("(")[0].replace("_", "/")
    return re.sub(r"(?<=g)x(?=[a-z])|(?<=s) x (?=[a-z])", " ", plain, flags=re.IGNORECASE).strip(" \t,;:=|)")

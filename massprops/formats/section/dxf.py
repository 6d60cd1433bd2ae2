"""DXF drawings through ezdxf: the outlines in model space, ASCII and binary, every release.

ezdxf parses the file and its tables; entities become curves in `dxf_entities`. Block references are followed through any scale,
rotation, mirror and array.
"""

from __future__ import annotations

import io
import itertools
import logging
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from massprops.errors import MasspropsError, ReadError, Remedy, needing, spell
from massprops.findings import Finding, Severity, count_finding
from massprops.formats.section.dxf_entities import FILLED, OUTLINES, BadEntity, pieces_of, width_of
from massprops.formats.text import quote
from massprops.mesh.source import InputFile
from massprops.moments.arrays import Array, product
from massprops.section.rings import PlanarSource, Request, Ring
from massprops.wording import plural

_SENTINEL = b"AutoCAD Binary DXF\r\n\x1a\x00"
_EXPORT_AGAIN = "the file is damaged, or not written by the rules of DXF; export it again"
#: $INSUNITS by number.
_UNITS = {1: "in", 2: "ft", 4: "mm", 5: "cm", 6: "m", 7: "km", 9: "mil", 10: "yd", 12: "nm", 13: "um", 14: "dm"}
#: They have no outline that could be measured, and may stand for a part.
_BODIES = frozenset(
    {"3DFACE", "3DSOLID", "BODY", "REGION", "SURFACE", "MESH", "MLINE", "WIPEOUT", "IMAGE", "ACAD_PROXY_ENTITY"}
)
#: Entities of a drawing, with those that block references make, and curves in them; how deep blocks may stand in each other.
_MOST, _DEEPEST = 50_000, 64
#: An edge of a fill lies on an outline within this share of the drawing's size; so many edges of a fill are looked at.
_BESIDE, _PROBES = 1e-3, 16
#: A matrix tilts the plane if it takes this share of a vector out of it.
_TILT = 1e-9


def read(file: InputFile, request: Request) -> PlanarSource:
    """The outlines of a drawing.

    Outlines that are closed by themselves are rings; lines, arcs and open polylines are loose pieces, for others to chain. Hatches and
    solids are the figure where there are no outlines, and are left out beside them. What is hidden (a layer that is off or frozen,
    an invisible entity) is left out, unless its layer is asked for by name.

    Raises
    ------
    ReadError
        Codes ``bad-dxf``, ``truncated-file``, ``bad-entity``, ``no-outlines``, ``unknown-units``.
    MissingExtra
        ezdxf is not installed.
    """
    document, encoding, states_unit = _load(file)
    drawing = _Drawing(file.name, document, request)
    with _translated(file.name):  # attributes of damaged entities may be missing, or of another type
        drawing.collect(document.modelspace(), _Place(np.eye(3)[:2]))
    kinds = OUTLINES if any(kind in OUTLINES for kind, _ in drawing.found) else FILLED
    rings = [ring for kind, own in drawing.found if kind in kinds for ring in own]
    if not rings:
        raise _nothing(file.name, document, request)
    left = [own for kind, own in drawing.found if kind not in kinds]
    findings = drawing.findings(left=len(left)) + _stray(left, rings)
    unit = _unit(file.name, document, request) if states_unit else None
    return PlanarSource(file.name, "dxf", encoding, rings, unit, findings)


def _load(file: InputFile) -> tuple[Any, str, bool]:
    """The drawing, its encoding, and whether it states a unit: where it does not, ezdxf would say metres."""
    with needing("dxf", f"{file.name}: reading DXF needs ezdxf", ", or export the drawing as SVG"):
        import ezdxf.document
        import ezdxf.filemanagement
        import ezdxf.lldxf.tagger
    file.stream.seek(0)
    data = file.stream.read()
    states_unit = b"$INSUNITS" in data
    with _translated(file.name):
        if data.startswith(_SENTINEL):
            return ezdxf.document.Drawing.load(ezdxf.lldxf.tagger.binary_tags_loader(data)), "binary", states_unit
        _check_end(file.name, data)
        encoding = ezdxf.filemanagement.dxf_stream_info(io.StringIO(data.decode("latin-1"))).encoding
        text = io.StringIO(data.decode(encoding, errors="surrogateescape"), newline=None)
        return ezdxf.filemanagement.read(text), "ascii", states_unit


def _check_end(name: str, data: bytes) -> None:
    """Every DXF file ends with the group 0 EOF; ezdxf reads one without as far as it goes."""
    lines = data.rstrip().rsplit(b"\n", 2)[-2:]
    if [line.strip() for line in lines] != [b"0", b"EOF"]:
        message = f"{name}: the file does not end with 'EOF', as a DXF file does; it looks truncated"
        raise ReadError(message, code="truncated-file", hint="export or copy it again")


@contextmanager
def _translated(name: str) -> Iterator[None]:
    """Context in which exceptions of ezdxf become ReadErrors, and nothing that it logs is printed."""
    logger = logging.getLogger("ezdxf")
    was, logger.disabled = logger.disabled, True
    try:
        yield
    except (MasspropsError, BadEntity, MemoryError):
        raise
    except Exception as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        raise ReadError(f"{name}: no DXF drawing: {reason}", code="bad-dxf", hint=_EXPORT_AGAIN) from error
    finally:
        logger.disabled = was


def _unit(name: str, document: Any, request: Request) -> str | None:
    number = document.header.get("$INSUNITS", 0)
    if number in _UNITS or number == 0 or request.units is not None:
        return _UNITS.get(number)
    message = f"{name}: $INSUNITS is {number!r}, a unit that is not known here"
    raise ReadError(message, code="unknown-units", hint=Remedy("say {}", "units"))


@dataclass(frozen=True)
class _Place:
    """Placement of a block: its map to the model, the layer of what lies on layer 0 in it, and the blocks around it."""

    matrix: Array
    layer: str | None = None
    blocks: tuple[str, ...] = ()


@dataclass
class _Drawing:
    name: str
    document: Any
    request: Request
    #: The kind of each entity, and what it draws, in the coordinates of the model.
    found: list[tuple[str, list[Ring]]] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    hidden: Counter[str] = field(default_factory=Counter)
    wide: int = 0
    visited: int = 0
    curves: int = 0

    def collect(self, entities: Iterable[Any], place: _Place) -> None:
        """Gathers the outlines of a layout or a block."""
        for entity in entities:
            self.visited += 1
            if self.visited > _MOST:
                what = f"the drawing has more than {_MOST:,} entities, those of block references counted each time"
                raise self.error(entity, what)
            kind = entity.dxftype()
            layer = _layer(entity, place)
            if self._is_hidden(entity, layer):
                self.hidden[layer] += 1
            elif kind == "INSERT":
                self._insert(entity, replace(place, layer=layer))
            elif not self.request.layers or layer.lower() in {name.lower() for name in self.request.layers}:
                self._add(entity, kind, layer, place)

    def error(self, entity: Any, what: str) -> ReadError:
        """The error for an entity."""
        message = f"{self.name}: {_name(entity)} on layer {quote(entity.dxf.get('layer', '0'))}: {what}"
        hint = Remedy("correct it in the drawing, or leave it out with {}", "layers")
        return ReadError(message, code="bad-entity", hint=hint)

    def findings(self, left: int) -> list[Finding]:
        """Findings about entities that are not measured."""
        fills = f"{plural(left, 'hatch or solid was', 'hatches and solids were')} left out beside the outlines"
        hidden = f"left out, because hidden: {_by_layer(self.hidden)}; see {spell('layers')}"
        severity: Severity = "warning" if self.left_out.keys() & _BODIES else "info"
        wide = f"{plural(self.wide, 'polyline has', 'polylines have')} a width that varies, which is not measured"
        wide += ": the middle lines are the outlines"
        return [
            *count_finding(left, "skipped-fills", "info", fills),
            *count_finding(self.hidden.total(), "hidden-entities", "warning", hidden),
            *count_finding(self.left_out.total(), "skipped-elements", severity, f"left out: {_listed(self.left_out)}"),
            *count_finding(self.wide, "wide-polylines", "warning", wide),
        ]

    def _is_hidden(self, entity: Any, layer: str) -> bool:
        if self.request.layers:
            return False
        if entity.dxf.get("invisible", 0):
            return True
        table = self.document.layers
        entry = table.get(layer) if layer in table else None
        return entry is not None and (entry.is_off() or entry.is_frozen())

    def _add(self, entity: Any, kind: str, layer: str, place: _Place) -> None:
        if kind not in OUTLINES and kind not in FILLED:
            self.left_out[kind] += 1
            return
        if kind == "POLYLINE" and not (entity.is_2d_polyline or entity.is_3d_polyline):
            self.left_out["mesh POLYLINE"] += 1
            return
        is_wide = kind in ("LWPOLYLINE", "POLYLINE") and bool(getattr(entity, "has_width", False))
        width = width_of(entity) * _scale(place.matrix[:, :2]) if is_wide else 0.0
        self.wide += is_wide and not width
        try:
            pieces = pieces_of(entity)
        except BadEntity as error:
            raise self.error(entity, str(error)) from error
        self.curves += sum(len(piece.curves) - 1 for piece in pieces)
        if self.curves > _MOST:
            raise self.error(entity, f"splines and polylines have more than {_MOST:,} curves")
        drawn = [piece for piece in pieces if not piece.is_line_and_back()]
        if len(drawn) < len(pieces) or not pieces:
            self.left_out[f"{kind} without area" if pieces else f"{kind} without length"] += 1
        where = _name(entity) + (f" in block {quote(place.blocks[-1])}" if place.blocks else "")
        rings = []
        for piece in drawn:
            curves = tuple(c.transformed(place.matrix) for c in piece.curves) if place.blocks else piece.curves
            rings.append(Ring(curves, where, "closed" if piece.closed else "open", layer, width=width))
        self.found.append((kind, rings))

    def _insert(self, entity: Any, place: _Place) -> None:
        name = entity.dxf.get("name", "")
        block = entity.block()
        if block is None:
            raise self.error(entity, f"the block {quote(name)} is not in the file")
        if name.lower() in (b.lower() for b in place.blocks) or len(place.blocks) >= _DEEPEST:
            raise self.error(entity, f"the block {quote(name)} stands in itself")
        for matrix in self._copies(entity):
            joined = product(place.matrix[:, :2], matrix)
            joined[:, 2] += place.matrix[:, 2]
            self.collect(block, replace(place, matrix=joined, blocks=(*place.blocks, name)))

    def _copies(self, entity: Any) -> Iterator[Array]:
        """The maps of the copies of an array, shape (2, 3); one, if it is none."""
        first, dxf = _in_plane(self, entity), entity.dxf
        # copies in one place are one
        steps = {axis: dxf.get(f"{axis}_spacing", 0.0) for axis in ("row", "column")}
        rows, columns = (max(int(dxf.get(f"{a}_count", 1)), 1) if step else 1 for a, step in steps.items())
        if rows * columns > _MOST:
            raise self.error(entity, f"the array has {rows} × {columns} copies")
        turn = np.radians(dxf.get("rotation", 0.0))
        side = -1.0 if dxf.get("extrusion", None) is not None and dxf.extrusion.z < 0 else 1.0
        for i, j in itertools.product(range(rows), range(columns)):
            row, column = i * steps["row"], j * steps["column"]
            x, y = column * np.cos(turn) - row * np.sin(turn), column * np.sin(turn) + row * np.cos(turn)
            copy = first.copy()
            copy[:, 2] += (side * x, y)
            yield copy


def _in_plane(drawing: _Drawing, entity: Any) -> Array:
    """The map of a block reference in the plane, shape (2, 3)."""
    rows = np.array(list(entity.matrix44().rows()), dtype=np.float64)  # one row vector times the matrix
    if not np.isfinite(rows).all():
        raise drawing.error(entity, "a coordinate is not finite")
    linear = rows[:2, :3]
    if np.abs(linear[:, 2]).max() > _TILT * max(np.abs(linear).max(), 1e-300):
        raise drawing.error(entity, "the block is tilted out of the plane")
    return np.column_stack([rows[:2, :2].T, rows[3, :2]])


def _scale(matrix: Array) -> float:
    """The factor by which a map scales all lengths; 0 if it does not scale all alike."""
    (a, b), (c, d) = matrix.tolist()
    scale = np.hypot(a, c)
    return float(scale) if abs(a * b + c * d) + abs(np.hypot(b, d) - scale) * scale <= _TILT * scale**2 else 0.0


def _stray(fills: list[list[Ring]], rings: list[Ring]) -> list[Finding]:
    """The fills whose edges lie on no outline: they fill something that is not measured."""
    if not any(fills):
        return []
    size = float(np.ptp(np.concatenate([c.bounds() for ring in rings for c in ring.curves]), axis=0).max())
    lines = [_edges(ring, size) for ring in rings]
    starts, ends = (np.concatenate([pair[k] for pair in lines]) for k in (0, 1))
    stray = []
    for fill in fills:
        edges = (_edges(ring, size) for ring in fill)
        probes = (p for a, b in edges for p in ((a + b) / 2)[:: max(1, len(a) // _PROBES)])
        off = next((p for p in probes if _distance(p, starts, ends) > _BESIDE * size), None)
        stray += [(fill[0].place, off)] if off is not None else []
    if not stray:
        return []
    place, (x, y) = stray[0]
    more = f" (and {len(stray) - 1} more)" if len(stray) > 1 else ""
    what = f"{place} fills an area that no outline bounds, near ({x:.6g}, {y:.6g}) in units of the drawing{more}; it is left out"
    return [Finding("stray-fills", "warning", what, value=float(len(stray)))]


def _edges(ring: Ring, size: float) -> tuple[Array, Array]:
    """Starts and ends of the chords of a ring or a loose piece, shape (n, 2) each."""
    points = [curve.flattened(_BESIDE / 10 * size) for curve in ring.curves]
    back = [np.array([points[-1][-1], points[0][0]])] if ring.closing == "closed" else []
    return np.concatenate([p[:-1] for p in (*points, *back)]), np.concatenate([p[1:] for p in (*points, *back)])


def _distance(point: Array, a: Array, b: Array) -> float:
    """Distance from a point to the nearest of the segments from `a` to `b`."""
    along, away = b - a, point - a
    square = (along * along).sum(axis=1)
    share = np.clip((along * away).sum(axis=1) / np.where(square > 0, square, 1.0), 0.0, 1.0)
    rest = away - share[:, np.newaxis] * along
    return float(np.hypot(rest[:, 0], rest[:, 1]).min())


def _layer(entity: Any, place: _Place) -> str:
    """Layer of an entity; of what lies on layer 0 of a block, that of the reference."""
    layer = str(entity.dxf.get("layer", "0"))
    return place.layer if layer == "0" and place.layer is not None else layer


def _name(entity: Any) -> str:
    handle = entity.dxf.get("handle", None)
    return f"{entity.dxftype()} #{handle}" if handle else str(entity.dxftype())


def _listed(counts: Counter[str]) -> str:
    return ", ".join(f"{count} {name}" for name, count in sorted(counts.items()))


def _by_layer(counts: Counter[str]) -> str:
    return ", ".join(
        f"{plural(count, 'entity', 'entities')} on {quote(name)}" for name, count in sorted(counts.items())
    )


def _nothing(name: str, document: Any, request: Request) -> ReadError:
    layers: Counter[str] = Counter(str(e.dxf.get("layer", "0")) for e in document.modelspace())
    if request.layers and layers:
        asked = ", ".join(map(quote, request.layers))
        message = f"{name}: no outlines on the layers {asked}; model space has {_by_layer(layers)}"
        return ReadError(message, code="no-outlines", hint=Remedy("name another {}", "layers"))
    kinds = _listed(Counter(e.dxftype() for e in document.modelspace()))
    found = f"model space has only {kinds}" if kinds else "model space is empty"
    papers = [layout for layout in document.layouts if layout.name != "Model"]
    counts = [(p.name, Counter(e.dxftype() for e in p if e.dxftype() != "VIEWPORT")) for p in papers]
    listed = "; ".join(f"layout {quote(each)} has {_listed(held)}" for each, held in counts if held)
    message = f"{name}: no outlines: {found}" + (f"; {listed}" if listed else "")
    return ReadError(message, code="no-outlines", hint="draw the outlines in model space")

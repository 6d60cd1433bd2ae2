"""The bodies that MuJoCo makes of a `<flexcomp>`, as one: point masses at the vertices of a grid or mesh, each with the moments of a cube.

mjCFlexcomp::Make, MuJoCo 4.0: vertices have equal masses; one that is pinned belongs to the body around it and has none. A rigid
flexcomp has no mass.

Tests: `tests/formats/robot/test_mjcf_model.py`.
"""

from __future__ import annotations

import itertools
import posixpath

import numpy as np

from massprops.errors import ReadError
from massprops.findings import Finding
from massprops.formats import load
from massprops.formats.inertial.inertial import Inertial, NamedBody
from massprops.formats.inertial.numbers import integer, number, numbers, rows_of
from massprops.formats.robot.mjcf import Compiler, pose_of
from massprops.formats.search_path import SearchPath
from massprops.formats.text import quote
from massprops.formats.xml import Node
from massprops.frames import Pose
from massprops.moments.arrays import Array, product

#: Vertices of one grid.
_MOST_VERTICES = 1_000_000
#: Degrees of freedom by which each vertex is a body; else nodes around them are.
_OF_VERTICES = ("full", "radial", "2d")


def body_of_flexcomp(name: str, node: Node, compiler: Compiler, folder: str, search: SearchPath) -> NamedBody:
    """The bodies of a `<flexcomp>` as one, in the frame around it.

    Raises
    ------
    ReadError
        If an attribute is no number, or the kind of flexcomp is not read (``unread-element``).
    """
    stated, place = node.attributes, node.place
    if stated.get("dof", "full") not in _OF_VERTICES:
        raise _unread(node, f"with dof {quote(stated['dof'])}")
    mass = number(stated.get("mass", "1"), place, "mass")
    edge = number(stated.get("inertiabox", "0.005"), place, "inertiabox")
    points = _vertices(node, folder, compiler, search)
    free = np.logical_not(_pinned(node, points))
    pose = pose_of(node, compiler)
    points = product(points, pose.rotation.T) + pose.translation
    weights = np.full(len(points), 1 / max(len(points), 1))[free]
    points = points[free]
    if stated.get("rigid") == "true":
        weights, points = weights[:0], points[:0]
    masses = mass * weights
    total = float(masses.sum())
    centre = masses @ points / total if total else pose.translation
    away = points - centre
    spread = np.einsum("n,ni,nj->ij", masses, away, away)
    tensor = (np.trace(spread) + total * 2 * edge**2 / 3) * np.eye(3) - spread
    text = f"{place}: MuJoCo makes {len(points)} bodies of this <flexcomp>, which are read as one that is rigid"
    found = Finding("flexible-body", "info", text, where=place)
    return NamedBody.of(name, Inertial(total, Pose(np.eye(3), centre), tensor, False), place, "mjcf", (found,))


def _dimension(node: Node) -> int:
    """Dimension of the cells of a flexcomp: 1, 2 or 3."""
    dim = integer(node.attributes.get("dim", "2"), node.place, "dim")
    if dim not in (1, 2, 3):
        raise ReadError(f"{node.place}: dim must be 1, 2 or 3, got {dim}", code="bad-attribute")
    return dim


def _unread(node: Node, what: str) -> ReadError:
    hint = "save the model from MuJoCo, which expands it"
    return ReadError(f"{node.place}: <flexcomp> {what} is not read", code="unread-element", hint=hint)


def _vertices(node: Node, folder: str, compiler: Compiler, search: SearchPath) -> Array:
    """The vertices in the frame of the flexcomp, shape (n, 3)."""
    stated, place = node.attributes, node.place
    kind, dim = stated.get("type", "grid"), _dimension(node)
    if kind == "grid":
        return _grid(node, dim)
    if kind == "direct":
        points = rows_of(node.attribute("point"), 3, place, "point")
        used = rows_of(node.attribute("element"), dim + 1, place, "element", of_integers=True)
        if not 0 <= used.min() <= used.max() < len(points):
            raise ReadError(f"{place}: element names a point that is not there", code="bad-attribute")
        points = points[np.unique(used)]
    elif kind == "mesh" and stated.get("file"):
        points = _mesh_points(node, dim, posixpath.join(folder, compiler.stripped(stated["file"])), search)
    else:
        raise _unread(node, f"of type {quote(kind)}")
    return np.asarray(points * np.array(numbers(stated.get("scale", "1 1 1"), 3, place, "scale")))


def _grid(node: Node, dim: int) -> Array:
    """The points of a grid about its middle, the last axis the fastest."""
    stated, place = node.attributes, node.place
    counts = [integer(word, place, "count") for word in stated.get("count", "10 10 10").split()][:dim]
    spacing = numbers(stated.get("spacing", "0.02 0.02 0.02"), 3, place, "spacing")
    if len(counts) != dim or min(counts) < 1 or np.prod(counts, dtype=float) > _MOST_VERTICES:
        raise ReadError(f"{place}: count must be three numbers from 1, of {_MOST_VERTICES:,} points", code="bad-number")
    axes = [step * (np.arange(n) - (n - 1) / 2) for n, step in zip(counts, spacing, strict=False)]
    points = np.array(list(itertools.product(*axes)))
    return np.hstack([points, np.zeros((len(points), 3 - dim))])


def _mesh_points(node: Node, dim: int, path: str, search: SearchPath) -> Array:
    """The vertices of the faces of a mesh file, in single precision, and the origin of a solid."""
    with search.reading_meshes(), load("registry:open_mesh")(search.mesh_file(path)) as mesh:
        corners = np.concatenate([np.asarray(chunk) for chunk in mesh.chunks()]).astype(np.float32)
    if dim != 3:
        return np.unique(corners.reshape(-1, 3), axis=0).astype(np.float64)
    origin = np.array(numbers(node.attribute("origin"), 3, node.place, "origin"))
    edges = corners.astype(np.float64) - origin
    seen = np.einsum("ni,ni->n", np.cross(edges[:, 0], edges[:, 1]), edges[:, 2]) >= 1e-15  # mjMINVAL
    points = np.unique(corners[seen].reshape(-1, 3), axis=0)
    return np.vstack([origin, points])


def _pinned(node: Node, points: Array) -> Array:
    """Mask of the vertices that belong to the body around the flexcomp, shape (n,)."""
    found, dim = np.zeros(len(points), bool), _dimension(node)
    widths = {"id": 1, "range": 2, "grid": dim, "gridrange": 2 * dim}
    stated = [(pin, name) for pin in node.all("pin") for name in widths if name in pin.attributes]
    if stated and node.attributes.get("type", "grid") != "grid":
        raise _unread(node, "with pins of a mesh")
    counts = [int(word) for word in node.attributes.get("count", "10 10 10").split()][:dim]
    for pin, name in stated:
        mask = found.reshape(counts) if name.startswith("grid") else found
        for row in rows_of(pin.attributes[name], widths[name], pin.place, name, of_integers=True):
            first, last = np.split(row, 2) if name.endswith("range") else (row, row)
            if (first < 0).any() or (last >= mask.shape).any():
                raise ReadError(f"{pin.place}: {name} names a point that is not there", code="bad-attribute")
            mask[tuple(slice(a, b + 1) for a, b in zip(first, last, strict=True))] = True
    if node.attributes.get("dof") == "radial":
        found[:1] = True
    return found

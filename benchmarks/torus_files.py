"""The bumpy torus in every layout that readers meet: the same body, its coordinates printed as exporters print them.

python benchmarks/torus_files.py "OBJ" 1000000 torus.obj
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TextIO

import numpy as np
from bumpy_torus import grid, row_of_points, write_stl
from usage import words

Writer = Callable[[Path, int], object]


def rows_of_quads(rows: int, columns: int) -> Iterator[np.ndarray]:
    """Vertex numbers from 0 of the quads of each row, shape (columns, 4), outward."""
    j = np.arange(columns)
    for i in range(rows):
        a, b = i * columns, (i + 1) % rows * columns
        yield np.stack([a + j, b + j, b + (j + 1) % columns, a + (j + 1) % columns], axis=1)


def halves(quads: np.ndarray) -> np.ndarray:
    """Two triangles of each quad."""
    return quads[:, [0, 1, 2, 0, 2, 3]].reshape(-1, 3)


def _print(stream: TextIO, form: str, rows: np.ndarray) -> None:
    stream.write((form * len(rows)) % tuple(rows.reshape(-1).tolist()))


def obj(number: str = "%.6f", corner: str = "%d", extra: tuple[str, ...] = (), quads: bool = False) -> Writer:
    """An OBJ file: `corner` says how a face names vertex, texture and normal; `extra` are more lines, one for each vertex."""
    point = "v " + " ".join([number] * 3) + "\n"

    def write(path: Path, triangles: int) -> None:
        rows, columns = grid(triangles)
        with path.open("w") as stream:
            stream.write("# bumpy torus\no torus\n")
            for i in range(rows):
                _print(stream, point, row_of_points(i, rows, columns).astype(float))
            for line in extra:
                stream.writelines(line * columns for _ in range(rows))
            for square in rows_of_quads(rows, columns):
                faces = 1 + (square if quads else halves(square))
                parts = corner.count("%d")
                form = "f " + " ".join([corner] * faces.shape[1]) + "\n"
                _print(stream, form, np.repeat(faces, parts, axis=1))

    return write


def ply_text(number: str = "%.6f", quads: bool = False) -> Writer:
    """An ASCII PLY file."""

    def write(path: Path, triangles: int) -> None:
        rows, columns = grid(triangles)
        with path.open("w") as stream:
            stream.write(_ply_header("ascii", rows, columns, quads))
            for i in range(rows):
                _print(stream, " ".join([number] * 3) + "\n", row_of_points(i, rows, columns).astype(float))
            for square in rows_of_quads(rows, columns):
                faces = square if quads else halves(square)
                size = faces.shape[1]
                _print(stream, " ".join([str(size)] + ["%d"] * size) + "\n", faces)

    return write


def off(number: str = "%.6f") -> Writer:
    """An OFF file."""
    ply = ply_text(number)

    def write(path: Path, triangles: int) -> None:
        rows, columns = grid(triangles)
        ply(path, triangles)
        _, _, lines = path.read_text().partition("end_header\n")
        path.write_text(f"OFF\n{rows * columns} {2 * rows * columns} 0\n{lines}")

    return write


def ply_binary(order: str = "<", quads: bool = False, mixed: bool = False) -> Writer:
    """A binary PLY file; `mixed` makes every second row of quads triangles."""

    def write(path: Path, triangles: int) -> None:
        rows, columns = grid(triangles)
        encoding = "binary_little_endian" if order == "<" else "binary_big_endian"
        with path.open("wb") as stream:
            stream.write(_ply_header(encoding, rows, columns, quads, mixed).encode())
            for i in range(rows):
                stream.write(row_of_points(i, rows, columns).astype(order + "f4").tobytes())
            for i, square in enumerate(rows_of_quads(rows, columns)):
                faces = square if quads or (mixed and i % 2) else halves(square)
                record = np.zeros(len(faces), [("n", "u1"), ("i", order + "i4", faces.shape[1])])
                record["n"], record["i"] = faces.shape[1], faces
                stream.write(record.tobytes())

    return write


def _ply_header(encoding: str, rows: int, columns: int, quads: bool, mixed: bool = False) -> str:
    faces = (1 if quads else 2) * rows * columns - (rows // 2 * columns if mixed else 0)
    coordinates = "".join(f"property float {axis}\n" for axis in "xyz")
    return (
        f"ply\nformat {encoding} 1.0\nelement vertex {rows * columns}\n{coordinates}"
        f"element face {faces}\nproperty list uchar int vertex_indices\nend_header\n"
    )


def stl_text(number: str = "%e") -> Writer:
    """An ASCII STL file, laid out as most programs do."""
    three = " ".join([number] * 3)
    vertex = f"      vertex {three}\n"
    facet = f"  facet normal {three}\n    outer loop\n{vertex * 3}    endloop\n  endfacet\n"

    def write(path: Path, triangles: int) -> None:
        rows, columns = grid(triangles)
        with path.open("w") as stream:
            stream.write("solid torus\n")
            for i in range(rows):
                pair = [row_of_points(r, rows, columns).astype(float) for r in (i, i + 1)]
                ahead = [np.roll(p, -1, axis=0) for p in pair]
                corners = np.stack([pair[0], pair[1], ahead[1], ahead[0]], axis=1)[:, [0, 1, 2, 0, 2, 3]].reshape(
                    -1, 3, 3
                )
                _print(stream, facet, np.concatenate([_normals(corners), corners], axis=1).reshape(-1, 12))
            stream.write("endsolid torus\n")

    return write


def _normals(corners: np.ndarray) -> np.ndarray:
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    return (normal / np.linalg.norm(normal, axis=1, keepdims=True))[:, None]


#: Layout: its suffix, and who writes it.
LAYOUTS: dict[str, tuple[str, Writer]] = {
    "STL binary": (".stl", write_stl),
    "STL ASCII %e": (".stl", stl_text()),
    "STL ASCII %f": (".stl", stl_text("%f")),
    "STL ASCII %.9g": (".stl", stl_text("%.9g")),
    "OBJ": (".obj", obj()),
    "OBJ %.17g": (".obj", obj("%.17g")),
    "OBJ v/vt/vn": (".obj", obj(corner="%d/%d/%d", extra=("vt 0.500000 0.250000\n", "vn 0.0000 0.0000 1.0000\n"))),
    "OBJ v//vn": (".obj", obj(corner="%d//%d", extra=("vn 0.0000 0.0000 1.0000\n",))),
    "OBJ quads": (".obj", obj(quads=True)),
    "PLY ASCII": (".ply", ply_text()),
    "PLY ASCII %.9g": (".ply", ply_text("%.9g")),
    "PLY ASCII quads": (".ply", ply_text(quads=True)),
    "OFF": (".off", off()),
    "PLY binary": (".ply", ply_binary()),
    "PLY big-endian": (".ply", ply_binary(">")),
    "PLY binary quads": (".ply", ply_binary(quads=True)),
    "PLY binary mixed": (".ply", ply_binary(mixed=True)),
}


if __name__ == "__main__":
    layout, triangles, path = words(__doc__)
    LAYOUTS[layout][1](Path(path), int(triangles))

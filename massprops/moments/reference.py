"""The kernel on one page, for reading and as a reference: `massprops.moments.integrals` computes the same in blocks, the compiled core
in one pass.

Works with floats and, without rounding, with `fractions.Fraction`. Source: the second moment of a simplex (Lee 2011, Eberly, *Polyhedral
Mass Properties (Revisited)*, term by term), with the divergence theorem.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import TypeAlias

Number: TypeAlias = float | Fraction
Point: TypeAlias = Sequence[Number]


def solid_moments(triangles: Iterable[tuple[Point, Point, Point]], reference: Point) -> list[list[Number]]:
    """J = ∫ x̃ x̃ᵀ over the solid inside a closed surface, shape (4, 4), with x̃ = [x − reference; 1].

    J[i][j] are the second moments, J[i][3] the first ones and J[3][3] the volume, in the length unit of the coordinates. Each triangle and
    the reference point bound a tetrahedron of signed volume det[a b c] / 6; the parts outside the solid cancel.

    Parameters
    ----------
    triangles : iterable of three points
        Corners in counter-clockwise order seen from outside.
    reference : point
        Any point for a closed surface; one near the body keeps the rounding small.
    """
    moments: list[list[Number]] = [[0] * 4 for _ in range(4)]
    for corners in triangles:
        a, b, c = ([x - r for x, r in zip(p, reference, strict=True)] for p in corners)
        determinant = (
            a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0])
        )
        vertices: list[list[Number]] = [[*a, 1], [*b, 1], [*c, 1], [0, 0, 0, 1]]
        total = [sum(column) for column in zip(*vertices, strict=True)]
        for i in range(4):
            for j in range(4):
                squares = sum(v[i] * v[j] for v in vertices)
                moments[i][j] += determinant * (squares + total[i] * total[j]) / 120  # 6 · 4 · 5
    return moments

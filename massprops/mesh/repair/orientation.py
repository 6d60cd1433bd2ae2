"""Consistent orientation: which facets to turn round so that neighbours agree."""

from __future__ import annotations

import numpy as np

from massprops.mesh.edge_defects import components
from massprops.mesh.repair.bounds import Bound, Step, place
from massprops.mesh.repair.indexed import IndexedMesh


def flipped(mesh: IndexedMesh) -> tuple[IndexedMesh, list[Step]]:
    """With as few facets turned round as make all neighbours across an edge of two facets agree.

    One labelling of connected components on the graph of facet × {as it is, turned round}: two facets that share an edge and run through it
    in opposite directions agree, so that equal states are joined, else opposite ones. A patch in which a facet is connected with
    its own reverse is not orientable (a Möbius strip) and stays as it is.
    """
    count = len(mesh.faces)
    key, sign, facet = mesh.edges()
    order = np.argsort(key, kind="stable")
    key, sign, facet = key[order], sign[order], facet[order]
    heads = np.flatnonzero(np.append(True, key[1:] != key[:-1])) if len(key) else np.empty(0, np.intp)
    pairs = heads[np.diff(heads, append=len(key)) == 2]
    one, other, agree = facet[pairs], facet[pairs + 1], sign[pairs] != sign[pairs + 1]
    if agree.all():
        return mesh, []
    u = np.concatenate([one, one + count])
    v = np.where(
        np.concatenate([agree, agree]), np.concatenate([other, other + count]), np.concatenate([other + count, other])
    )
    label = components(2 * count, u, v)
    kept, turned = label[:count], label[count:]
    as_they_are = np.bincount(kept, minlength=2 * count)
    # the state in which more facets stay as they are; of equal ones that of the lower label, so that a patch decides as one
    more, less = as_they_are[turned], as_they_are[kept]
    turn = (kept != turned) & ((more > less) | ((more == less) & (turned < kept)))
    if not turn.any():
        return mesh, []
    faces = mesh.faces.copy()
    faces[turn] = faces[turn][:, ::-1]
    where = place(mesh.corners[int(np.flatnonzero(turn)[0])].mean(axis=0))
    n = int(turn.sum())
    return IndexedMesh(mesh.points, faces), [Step("flip", n, where, Bound.none(), f"turned {n} facets round")]

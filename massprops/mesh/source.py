"""Mesh files as readers return them: facets in chunks, with the coordinates of the file."""

from __future__ import annotations

import io
import itertools
import os
from collections.abc import Callable, Iterable, Iterator, Sequence, Sized
from functools import cache, cached_property, partial
from typing import TYPE_CHECKING, BinaryIO, TypeVar, Union

import numpy as np
from numpy.typing import NDArray

from massprops import native
from massprops.errors import ReadError
from massprops.findings import Finding
from massprops.mesh import boundary
from massprops.values import dataclass

if TYPE_CHECKING:
    from massprops.mesh.exact_solid import ExactSolid
    from massprops.mesh.stated_masses import StatedMasses
    from massprops.mesh.stored_values import StoredValue

T = TypeVar("T")
C = TypeVar("C")
N = TypeVar("N", bound=np.generic)
L = TypeVar("L", bound=Sized)

Array = NDArray[np.floating]
#: Some triangles: their corners, or numbers of these.
Chunk = Union[Array, "IndexedFacets"]
#: Starts a pass over triangles, shape (n, 3, 3) [facet, corner, xyz].
ReadChunks = Callable[[], Iterable[NDArray[np.floating]]]

#: The parts of a file, each with its own triangles.
Division = Sequence[tuple["PartLabel", "MeshFile"]]

#: Triangles that are summed at a time: arrays of this length stay in the processor's cache. The sums are added up in pairs.
SUMMED = 8192
#: Triangles handed on at a time.
CHUNK = 4 * SUMMED
#: Triangles that several threads work on, and how many there are at most.
_MANY, _MOST_THREADS = 1_000_000, 16


@dataclass(frozen=True)
class InputFile:
    """An open file: what readers are given.

    Attributes
    ----------
    name : str
        As the user wrote it; messages begin with it.
    stream : BinaryIO
        Readable, seekable, at its start.
    size : int
        Bytes.
    part : str
        What of it is meant, of formats whose parts have names; empty for all of it.
    format : str
        The name of the format by which its reader was chosen: several formats may have one.
    """

    name: str
    stream: BinaryIO
    size: int
    part: str = ""
    format: str = ""

    @property
    def is_in_memory(self) -> bool:
        """Whether it came through a pipe, which gives its bytes once: by its name it cannot be opened again."""
        return isinstance(self.stream, io.BytesIO)

    def digest(self) -> str:
        """SHA-256 of its bytes, in hexadecimal."""
        import hashlib

        self.stream.seek(0)
        found = hashlib.sha256()
        # `hashlib.file_digest` has a buffer that takes longer than a small file
        while part := self.stream.read(1 << 16):
            found.update(part)
        return found.hexdigest()


@dataclass(frozen=True)
class PartLabel:
    """Name, material and density that a file states of one of its parts.

    Attributes
    ----------
    name : str
        Its own; several parts may have the same.
    path : str
        The names of the groups or assemblies that it is in and its own, joined by ``/``.
    material : str or None
        By name, where all of it has the same.
    density : float or None
        kg/m³.
    """

    name: str
    path: str = ""
    material: str | None = None
    density: float | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """All names that refer to it."""
        return tuple(name for name in (self.name, self.path, self.material) if name)

    def __str__(self) -> str:
        """Its path, and its material in brackets."""
        name = self.path or self.name
        return f"{name} ({self.material})" if self.material not in (None, self.name) else name


@dataclass(frozen=True, eq=False)
class Triangles:
    """Triangles, readable any number of times, a chunk at a time.

    Attributes
    ----------
    name : str
        The file as the user wrote it.
    facets : int
        Number of triangles that `chunks` yields.
    read_chunks : callable
        Starts a fresh pass. Yields arrays of shape (n, 3, 3), [facet, corner, xyz], float32 or float64,
        n ≤ `CHUNK`, in the file's own units, every coordinate finite and bit for bit the file's.
        Raises ReadError where the file is bad.
    jobs : int
        Threads that `map` works with.
    """

    name: str
    facets: int
    read_chunks: Callable[[], Iterator[Array]]
    jobs: int = 1

    def map(self, work: Callable[[Chunk, int], T]) -> Iterator[T]:
        """Results of `work` for every chunk and the number of triangles before it, in the order of the file."""
        chunks = enumerate_chunks(self._blocks())
        return in_threads(work, chunks, self.jobs if self.facets > SUMMED else 1)

    def _blocks(self) -> Iterator[Chunk]:
        if isinstance(self.read_chunks, IndexedChunks) and self.facets > SUMMED:
            return self.read_chunks.facets()
        return self.chunks()

    def altered(self, read_chunks: Callable[[], Iterator[Array]], facets: int | None = None) -> Triangles:
        """Other triangles in place of these, which may be made of them as they are read."""
        return Triangles(self.name, self.facets if facets is None else facets, read_chunks, self.jobs)

    def chunks(self) -> Iterator[Array]:
        """A pass over the triangles: those of a small file are read once and kept, and nobody may change them."""
        return iter(self._kept) if self.facets <= SUMMED else self.read_chunks()

    @cached_property
    def _kept(self) -> list[Array]:
        return list(self.read_chunks())


@dataclass(frozen=True, eq=False)
class SetDifference:
    """Volumes with the roles that a file states: the solid is what lies in any of the bodies and in none of the cutters.

    All of them look outward, and each is closed by itself.
    """

    bodies: tuple[MeshFile, ...]
    cutters: tuple[MeshFile, ...] = ()


@dataclass(frozen=True, eq=False, kw_only=True)
class MeshFile(Triangles):
    """Triangles of one file, with what the file says of them.

    Attributes
    ----------
    format : str
        `stl`, `obj`, `ply` …
    encoding : str
        `binary`, `ascii`, `binary_little_endian` …: for the result and for the resolution of the coordinates.
    unit : str or None
        The length unit that the file itself states (`mm`), where it states one.
    converted : str
        The length that the file states as its unit, if the coordinates are not in it, but in `unit`: ``0.37 m``, ``cm``.
    findings : tuple of Finding
        What the reader noticed.
    file : InputFile or None
        What it was read from; None for arrays.
    half_unit : float or None
        By how much a coordinate may be off for having been rounded when the file was written, or when its meshes were placed; in
        the file's units. None where the coordinates themselves show it.
    is_rounded : callable
        Whether the coordinates are those of the file after a transform that rounds.
    divisions : callable or None
        The parts of the file, in the ways that it can be divided: by object, by material …; None where the format has no parts.
    is_divided : bool
        Whether the parts are bodies of their own by definition of the format.
    exact : ExactSolid or None
        The integrals over exact surfaces, where the file has those, and the triangles are only near them.
    stored : tuple of StoredValue
        Volumes, areas and centres that the file states.
    stated : tuple of SetDifference
        The solids of the file where it states which volumes are bodies and which are cut out of them; else empty. The triangles of the
        file are then those of all volumes, cutters turned round, and are not measured as one surface.
    masses : StatedMasses or None
        Densities and masses without a volume in a unit of mass that the file does not state.
    pieces : sequence of MeshFile
        The open files of one surface, if it has several.
    """

    format: str
    encoding: str
    unit: str | None = None
    converted: str = ""
    findings: tuple[Finding, ...] = ()
    file: InputFile | None = None
    half_unit: float | None = None
    is_rounded: Callable[[], bool] = bool
    divisions: Callable[[], Iterable[Division]] | None = None
    is_divided: bool = False
    exact: ExactSolid | None = None
    stored: tuple[StoredValue, ...] = ()
    stated: tuple[SetDifference, ...] = ()
    masses: StatedMasses | None = None
    pieces: Sequence[MeshFile] = ()

    def digest(self) -> str | None:
        """SHA-256 of the bytes that were read, in hexadecimal: not of what the name leads to now. None for arrays."""
        if self.pieces:
            return digest_of_several([piece.digest() for piece in self.pieces])
        return None if self.file is None else self.file.digest()


def digest_of_several(digests: Sequence[str | None]) -> str | None:
    """SHA-256 of the digests of the files that are one body, as a text; that of a single file; None if one is not known."""
    import hashlib

    known = [digest for digest in digests if digest is not None]
    if len(known) < len(digests):
        return None
    return known[0] if len(known) == 1 else hashlib.sha256("".join(known).encode()).hexdigest()


def slices(facets: NDArray[N], size: int = CHUNK) -> Iterator[NDArray[N]]:
    """Views of an array of facets, `size` at a time."""
    return (facets[first : first + size] for first in range(0, len(facets), size))


def enumerate_chunks(chunks: Iterable[L]) -> Iterator[tuple[L, int]]:
    """Each chunk with the number of triangles before it."""
    first = 0
    for chunk in chunks:
        yield chunk, first
        first += len(chunk)


def processors() -> int:
    """The number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def threads_for(facets: int) -> int:
    """The number of threads that work on so many triangles unless the user says how many: each needs memory of its own."""
    return min(processors(), _MOST_THREADS) if facets > _MANY else 1


def in_threads(work: Callable[[C, int], T], tasks: Iterator[tuple[C, int]], jobs: int) -> Iterator[T]:
    """Results of work for some tasks, in their order; `jobs` is the number of threads."""
    if jobs == 1:
        yield from itertools.starmap(work, tasks)
        return
    from concurrent.futures import ThreadPoolExecutor

    from massprops.scheduling import results  # imported lazily

    with ThreadPoolExecutor(jobs) as pool:
        yield from results(lambda task: work(*task), tasks, pool, window=2)


def read_into(name: str, stream: BinaryIO, target: NDArray[np.uint8]) -> None:
    """Fills an array with the next bytes of a file; ReadError if there are fewer than there were."""
    view = target.data
    while view:
        got = stream.readinto(view)  # type: ignore[attr-defined]  # typing.BinaryIO forgets it; every binary stream has it
        if not got:
            raise ReadError(f"{name}: the file became shorter while it was read", code="truncated-file")
        view = view[got:]


@dataclass(frozen=True, eq=False)
class IndexedFacets:
    """Triangles by `points`, shape (V, 3), and the numbers of their corners, uint32, shape (n, 3), three side by side, all valid.

    The compiled core takes them so: their corners are never written out. `hashes` is a function that gives those of the points.
    """

    points: Array
    numbers: NDArray[np.uint32]
    hashes: Callable[[], boundary.Words] | None = None

    def __len__(self) -> int:
        return len(self.numbers)

    def corners(self) -> Array:
        """Shape (n, 3, 3), as they are without numbers."""
        return self.points.take(self.numbers, axis=0)  # three times as fast as points[...]


@dataclass(frozen=True, eq=False)
class IndexedChunks:
    """Starts passes over an indexed mesh: `Triangles` read its chunks with it.

    Attributes
    ----------
    points : ndarray, shape (V, 3)
        Contiguous.
    read_numbers : callable
        Those of the corners, all of them valid: arrays of shape (n, 3), n ≤ `CHUNK`.
    """

    points: Array
    read_numbers: Callable[[], Iterator[NDArray[np.integer]]]

    def __call__(self) -> Iterator[Array]:
        """Chunks of corners."""
        return (facets.corners() for facets in self.facets())

    def facets(self) -> Iterator[IndexedFacets]:
        """Chunks of numbered corners."""
        points = np.require(self.points, requirements=["C", "A"])
        hashes = cache(partial(_hashes_of, points))  # when first asked for, and for one pass
        return (IndexedFacets(points, n.astype(np.uint32, copy=False), hashes) for n in self.read_numbers())


def _hashes_of(points: Array) -> boundary.Words:
    """Hashes of points, shape (V, 3), by the compiled core: those of `boundary.hash_positions`."""
    hashes = np.empty(len(points), np.uint64)
    native.core().hashes(points, boundary.KEYS, hashes)  # type: ignore[union-attr]  # who asks for them has it
    return hashes


def indexed_chunks(vertices: Array, faces: NDArray[np.integer]) -> IndexedChunks:
    """Passes over vertices (V, 3) and faces (F, 3), every index known to be valid."""
    side_by_side = np.ascontiguousarray(faces)  # arrays of other libraries have them in columns
    return IndexedChunks(vertices, lambda: slices(side_by_side))


def corners_of(chunk: Chunk) -> Array:
    """Corners of a chunk in either form."""
    return chunk.corners() if isinstance(chunk, IndexedFacets) else chunk


def for_core(chunk: Chunk) -> tuple[Array, NDArray[np.uint8] | None]:
    """A chunk as functions of the compiled core take it: corners; or points and the bytes of numbers, shape (n, 3, 4)."""
    if not isinstance(chunk, IndexedFacets):
        return np.ascontiguousarray(chunk), None
    return chunk.points, chunk.numbers[..., np.newaxis].view(np.uint8)


@cache
def keep_freed_memory() -> None:
    """Let the C library keep freed memory for the next chunk instead of giving it back to the system each time.

    glibc raises its limits for that when a large block is freed; else every temporary of a chunk is mapped anew, which costs three
    times as much as the arithmetic (benchmarks/kernel.py). The block is never touched, so it takes no memory.
    """
    np.empty(1 << 24, dtype=np.uint8)

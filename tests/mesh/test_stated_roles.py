"""Files that state which volumes are parts and which are subtracted: what lies in any part and in none of the others, no guess."""

from __future__ import annotations

import zipfile
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from cases import each, raised, refused, seeds
from console import run
from oracles import NOTHING, box, box_moments, cells_of, central, floats, rotation

import massprops
import massprops.mesh.stated_roles
from massprops.errors import InvalidGeometry, InvalidInput, MissingExtra, ReadError
from massprops.formats.registry import open_mesh
from massprops.measurement.output_units import OutputUnits
from massprops.writers.picture.plotting import mesh_scene

SPACE, OPC = "http://schemas.microsoft.com/3dmanufacturing", "http://schemas.openxmlformats.org/package/2006"
KIND = "application/vnd.ms-package.3dmanufacturing-3dmodel+xml"
PART, NEGATIVE, MODIFIER = "normal_part", "negative_part", "modifier_part"
CUBE = ((0, 0, 0), (10, 10, 10))
ONE = '<item objectid="99"/>'
Box = tuple[tuple[float, ...], tuple[float, ...]]


def mesh_text(triangles: np.ndarray) -> str:
    corners = "".join(f'<vertex x="{x!r}" y="{y!r}" z="{z!r}"/>' for x, y, z in triangles.reshape(-1, 3).tolist())
    faces = "".join(f'<triangle v1="{3 * i}" v2="{3 * i + 1}" v3="{3 * i + 2}"/>' for i in range(len(triangles)))
    return f"<mesh><vertices>{corners}</vertices><triangles>{faces}</triangles></mesh>"


def write(path: Path, objects: str, build: str, settings: str, name: str) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(
            "[Content_Types].xml",
            f'<Types xmlns="{OPC}/content-types"><Default Extension="model" ContentType="{KIND}"/></Types>',
        )
        content = f"<resources>{objects}</resources><build>{build}</build>"
        relation = f'<Relationship Id="r" Target="/3D/a.model" Type="{SPACE}/2013/01/3dmodel"/>'
        archive.writestr("_rels/.rels", f'<Relationships xmlns="{OPC}/relationships">{relation}</Relationships>')
        archive.writestr(
            "3D/a.model",
            f'<model xmlns="{SPACE}/core/2015/02">{content}</model>',
        )
        archive.writestr(f"Metadata/{name}", f"<config>{settings}</config>")
    return path


def bambu(path: Path, volumes: list[tuple[str, np.ndarray, str]], build: str = ONE) -> Path:
    """Roles, triangles and transforms as components of the object 99, which Bambu Studio names `p1`, `p2` …"""
    objects = "".join(f'<object id="{i}" name="p{i}">{mesh_text(t)}</object>' for i, (_, t, _) in enumerate(volumes, 1))
    placed = "".join(f'<component objectid="{i}" transform="{at}"/>' for i, (_, _, at) in enumerate(volumes, 1))
    roles = "".join(f'<part id="{i}" subtype="{role}"/>' for i, (role, _, _) in enumerate(volumes, 1))
    whole = f'<object id="99" name="whole"><components>{placed}</components></object>'
    return write(path, objects + whole, build, f'<object id="99">{roles}</object>', "model_settings.config")


def prusa(path: Path, volumes: list[tuple[str, np.ndarray]]) -> Path:
    """Roles and triangles as ranges of one mesh, as PrusaSlicer keeps them."""
    ranges, first = "", 0
    for role, triangles in volumes:
        last = first + len(triangles) - 1
        ranges += f'<volume firstid="{first}" lastid="{last}"><metadata key="volume_type" value="{role}"/></volume>'
        first = last + 1
    text = mesh_text(np.concatenate([t for _, t in volumes]))
    return write(
        path, f'<object id="99">{text}</object>', ONE, f'<object id="99">{ranges}</object>', "Slic3r_PE_model.config"
    )


def of_boxes(path: Path, parts: list[Box], cut: list[Box]) -> Path:
    return prusa(path, [("ModelPart", box(*b)) for b in parts] + [("NegativeVolume", box(*b)) for b in cut])


def by_cells(parts: list[Box], cut: list[Box]) -> tuple[float, np.ndarray, np.ndarray, float]:
    """Volume, centre, inertia and area of what is in any part and not cut out: walls are the sides that no two cells share."""
    around, n = cells_of([*parts, *cut]), len(parts)
    filled = [(low, high) for low, high, holds in around if any(holds[:n]) and not any(holds[n:])]
    if not filled:
        return 0.0, np.zeros(3), np.zeros((3, 3)), 0.0
    others = [(1, 2), (0, 2), (0, 1)]
    sides = Counter(
        (k, cell[end][k], *(cell[e][i] for i in others[k] for e in (0, 1)))
        for cell in filled
        for k in range(3)
        for end in (0, 1)
    )
    area = sum((b - a) * (d - c) for (_, _, a, b, c, d), count in sides.items() if count == 1)
    body = central(sum((box_moments(*cell) for cell in filled), NOTHING))
    return float(body.volume), floats(body.centroid), floats(body.inertia), float(area)


def random_boxes(seed: int) -> tuple[list[Box], list[Box]]:
    """One to three parts and as many cutters, on a coarse grid, where faces lie on each other, or a fine one; in some a cutter inside."""
    random, size = np.random.default_rng(seed), (6, 60, 1000)[seed % 3]

    def one() -> Box:
        ends = random.integers(0, size, (2, 3))
        return tuple(ends.min(axis=0).tolist()), tuple((ends.max(axis=0) + 1).tolist())

    parts, cut = [one() for _ in range(random.integers(1, 4))], [one() for _ in range(random.integers(1, 4))]
    low, high = np.array(parts[0])
    if seed % 4 == 0 and (high - low > 2).all():
        ends = np.array([random.integers(low + 1, high - 1) for _ in range(2)])
        cut = [(tuple(ends.min(axis=0).tolist()), tuple((ends.max(axis=0) + 1).tolist()))]
    return parts, cut


def check_law(path: Path, seed: int) -> None:
    parts, cut = random_boxes(seed)
    volume, centre, inertia, area = by_cells(parts, cut)
    of_boxes(path, parts, cut)
    if not volume:
        assert raised(InvalidGeometry, massprops.measure, path).code == "zero-volume"
        return
    m = massprops.measure(path, density=1.0, override_units="m", repair="none")
    assert abs(m.volume - volume) <= m.uncertainty.volume, seed
    assert (np.abs(m.center_of_mass - centre) <= m.uncertainty.center_of_mass).all(), seed
    assert (np.abs(m.properties.inertia - inertia) <= m.uncertainty.inertia).all(), seed
    assert m.area is None or m.area == pytest.approx(area, rel=1e-9), seed


def test_random_boxes_without_random_boxes(tmp_path: Path) -> None:
    """Volume, centre and inertia are those of the cells that are left, within the ±; and so is the area."""
    pytest.importorskip("manifold3d")
    for seed in seeds(4):
        check_law(tmp_path / "a.3mf", seed)


def test_without_the_library_it_is_an_estimate_within_its_bound(tmp_path: Path, monkeypatch) -> None:
    def missing(*_: object) -> None:
        raise MissingExtra("an exact difference needs manifold3d", hint="")

    monkeypatch.setattr(massprops.mesh.stated_roles, "exact_difference", missing)
    for seed in seeds(3):
        check_law(tmp_path / "a.3mf", seed)
    m = massprops.measure(of_boxes(tmp_path / "a.3mf", [CUBE], [((5, -5, -5), (30, 30, 30))]))
    assert m.grade == "estimated"
    assert any("needs manifold3d" in f.message for f in m.findings)
    assert m.bounds.tolist() == [[0, 0, 0], [0.01, 0.01, 0.01]]  # those of the part, and not of what is cut out


@each(
    ("parts", "cut", "volume", "grade"),
    [
        ([CUBE], [((-5, -5, 4), (15, 15, 30))], 400, "repaired"),  # larger than the part
        ([CUBE], [((20, 0, 0), (30, 10, 10))], 1000, "proved"),  # apart
        ([CUBE], [((10, 0, 0), (30, 10, 10))], 1000, "proved"),  # touches from outside
        ([CUBE], [((2, 2, 2), (7, 7, 7))], 875, "proved"),  # inside
        ([CUBE], [((2, 2, 5), (7, 7, 10))], 875, "repaired"),  # flush with a face
        (
            [CUBE],
            [((2, 2, 2), (8, 8, 8)), ((4, 4, 4), (6, 6, 6))],
            784,
            "repaired",
        ),  # one in the other: still subtracted
        ([CUBE], [((2, 2, 2), (6, 6, 6)), ((4, 4, 4), (8, 8, 8))], 880, "repaired"),  # they overlap each other
        ([CUBE, ((5, 0, 0), (15, 10, 10))], [((6, 2, 2), (9, 8, 8))], 1392, "repaired"),  # where two parts overlap
        ([CUBE, ((2, 2, 2), (8, 8, 8))], [((1, 1, 1), (9, 9, 9))], 488, "repaired"),  # of a part in a part
        ([CUBE, ((2, 2, 2), (8, 8, 8))], [], 1000, "repaired"),  # a part in a part is material, whatever surrounds it
        ([CUBE, ((20, 0, 0), (25, 5, 5))], [((21, 1, 1), (22, 2, 2))], 1124, "proved"),
    ],
)
def test_what_is_cut_out_is_cut_out_of_what_is_there(tmp_path: Path, parts, cut, volume, grade) -> None:
    """No repair is asked for: a role that the file states is not a defect."""
    m = massprops.measure(of_boxes(tmp_path / "a.3mf", parts, cut), repair="none")
    assert (m.volume, m.grade) == (pytest.approx(volume * 1e-9, rel=1e-12), grade)
    assert m.bounds[1, 2] == pytest.approx(0.004 if volume == 400 else 0.01)


@each("cut", [CUBE, ((-1, -1, -1), (11, 11, 11)), ((0, 0, 0), (10, 10, 11))])
def test_nothing_left_is_refused(tmp_path: Path, cut) -> None:
    text = refused(InvalidGeometry, massprops.measure, of_boxes(tmp_path / "a.3mf", [CUBE], [cut]))
    assert "zero-volume: the volumes to subtract leave nothing of the part" in text
    with pytest.raises(ReadError, match="holds no part, only volumes to subtract"):
        massprops.measure(prusa(tmp_path / "b.3mf", [("NegativeVolume", box(*cut))]))


def test_modifiers_and_supports_take_no_part(tmp_path: Path) -> None:
    """Neither do they add to the body, nor does a volume that is subtracted cut them."""
    others = [(t, box((20, 0, 0), (30, 10, 10))) for t in ("ParameterModifier", "SupportBlocker", "SupportEnforcer")]
    volumes = [("ModelPart", box(*CUBE)), *others, ("NegativeVolume", box((5, -1, -1), (40, 11, 11)))]
    assert massprops.measure(prusa(tmp_path / "a.3mf", volumes)).volume == pytest.approx(500e-9)


SHIFT, MIRROR = "1 0 0 0 1 0 0 0 1 {} 0 0", "-1 0 0 0 1 0 0 0 1 {} 0 0"


@each("at, mirrored", [(SHIFT.format(6), False), (MIRROR.format(10), True)])
def test_transforms_place_parts_and_what_is_cut_out_of_them(tmp_path: Path, at, mirrored) -> None:
    """A bar from x = 6 on in the object: half of it is in the part; and the item mirrors both."""
    bar = box((0, 2, 2), (8, 8, 8)) if not mirrored else box((-8 + 4, 2, 2), (4, 8, 8))
    build = f'<item objectid="99" transform="{MIRROR.format(50)}"/>'
    m = massprops.measure(bambu(tmp_path / "a.3mf", [(PART, box(*CUBE), SHIFT.format(0)), (NEGATIVE, bar, at)], build))
    volume = 1000 - 36 * 4
    assert m.volume == pytest.approx(volume * 1e-9)
    assert m.center_of_mass[0] == pytest.approx((50 - (5000 - 144 * 8) / volume) * 1e-3)


def two_halves(path: Path, build: str = ONE) -> Path:
    """Two cubes side by side, with one box that is cut out of both."""
    cut = box((5, 2, 2), (15, 8, 8))
    halves = [box(*CUBE), box((10, 0, 0), (20, 10, 10))]
    return bambu(
        path,
        [(PART, halves[0], SHIFT.format(0)), (PART, halves[1], SHIFT.format(0)), (NEGATIVE, cut, SHIFT.format(0))],
        build,
    )


def test_parts_of_their_own_densities_are_cut_each(tmp_path: Path) -> None:
    path = two_halves(tmp_path / "a.3mf")
    m = massprops.measure(path, densities={"p1": 1000, "p2": 2000})
    assert [p.measurement.volume for p in m.parts] == pytest.approx([820e-9, 820e-9])
    assert m.mass == pytest.approx(820e-9 * 3000)
    whole = massprops.measure(path, list_parts=True)
    assert [(p.label.name, p.measurement.volume) for p in whole.parts] == [("whole", pytest.approx(1640e-9))]
    with pytest.raises(InvalidInput, match="there is no part 'p3'"):
        massprops.measure(path, densities={"p3": 1000})


def test_objects_cut_their_own_parts_only(tmp_path: Path) -> None:
    """A slicer cuts each object by its own negative volumes: a second item stands where the first is cut, and keeps its own."""
    volumes = [(PART, box(*CUBE), SHIFT.format(0)), (NEGATIVE, box((8, -1, -1), (20, 11, 11)), SHIFT.format(0))]
    build = ONE + f'<item objectid="99" transform="{SHIFT.format(10)}"/>'
    path = bambu(tmp_path / "a.3mf", volumes, build)
    for options in ({}, {"mass": 1.0}, {"on_overlap": "union"}):
        assert massprops.measure(path, **options).volume == pytest.approx(1600e-9)


def test_each_volume_is_repaired_by_itself(tmp_path: Path) -> None:
    """A part that is inside out and a cutter that is are turned, one by one, where that is allowed."""
    for turned in (0, 1):
        volumes = [["ModelPart", box(*CUBE)], ["NegativeVolume", box((5, -5, -5), (30, 30, 30))]]
        volumes[turned][1] = volumes[turned][1][:, ::-1]
        path = prusa(tmp_path / "a.3mf", [tuple(v) for v in volumes])
        m = massprops.measure(path)
        assert (m.volume, [r.step for r in m.repairs]) == (pytest.approx(500e-9), ["turn", "cut"])
        what = "a volume to subtract: inverted-surface" if turned else "inverted-surface"
        assert f"a.3mf: {what}" in refused(InvalidGeometry, massprops.measure, path, repair="none")


def test_every_command_sees_the_same_body(tmp_path: Path) -> None:
    path, mesh = of_boxes(tmp_path / "a.3mf", [CUBE], [((-5, -5, 4), (15, 15, 30))]), tmp_path / "a.ply"
    assert run("repair", path, "-o", mesh).returncode == 0
    written = massprops.measure(mesh, units="mm", repair="none")
    assert (written.volume, written.grade) == (pytest.approx(400e-9), "proved")
    assert run("check", path).returncode == 0
    assert "15 numbers: 15 equal" in run("diff", path, mesh, "--units", "mm").out
    for options, volume in (({"kind": "sheet", "area_density": 1.0}, None), ({"verify": "none"}, 400e-9)):
        m = massprops.measure(path, **options)
        assert (m.volume, m.area) == (pytest.approx(volume) if volume else None, pytest.approx(360e-6))
        assert m.bounds[1].tolist() == pytest.approx([0.01, 0.01, 0.004])
    with open_mesh(path) as opened:
        scene = mesh_scene(opened, "mm", massprops.measure(path), OutputUnits.suited("mm", None))
    assert np.allclose(scene.bounds, m.bounds)
    link = f'<link name="a"><collision><geometry><mesh filename="{path.name}"/></geometry></collision></link>'
    robot = tmp_path / "r.urdf"
    robot.write_text(f'<robot name="r">{link}</robot>')
    filled = massprops.fill(robot, density=1000)
    assert filled.links[0].after.mass == pytest.approx(400e-6)


def test_a_wall_is_inside_the_body_that_is_left(tmp_path: Path) -> None:
    """A box of 10 × 10 × 4 mm with walls of 1 mm: 400 − 8 · 8 · 2."""
    path = of_boxes(tmp_path / "a.3mf", [CUBE], [((-5, -5, 4), (15, 15, 30))])
    m = massprops.measure(path, kind="wall", thickness="1mm", density=1000)
    assert m.mass == pytest.approx((400 - 128) * 1e-6)


def test_exact_sums_are_of_the_coordinates_of_the_file(tmp_path: Path) -> None:
    """A cutter inside: the sum is exact. One through the surface: corners are computed, and there are no exact sums of those."""
    inside = massprops.measure(of_boxes(tmp_path / "a.3mf", [CUBE], [((2, 2, 2), (7, 7, 7))]), exact=True)
    assert inside.volume == 875e-9
    through = of_boxes(tmp_path / "a.3mf", [CUBE], [((2, 2, 2), (7, 7, 70))])
    assert "exact results" in refused(InvalidInput, massprops.measure, through, exact=True)


def test_balls_agree_with_the_library(tmp_path: Path) -> None:
    """Round volumes in general position: manifold3d's own difference of the same triangles, by the sum of its tetrahedra."""
    manifold = pytest.importorskip("manifold3d")
    for seed in seeds(3):
        random, volumes, solids = np.random.default_rng(seed), [], []
        for role in ("ModelPart", "ModelPart", "NegativeVolume"):
            ball = manifold.Manifold.sphere(float(random.uniform(2, 9)), 24).to_mesh()
            points = np.asarray(ball.vert_properties, float) @ np.array(floats(rotation(seed + 1))).T + random.uniform(
                -5, 5, 3
            )
            volumes.append((role, points[np.asarray(ball.tri_verts)]))
            solids.append(manifold.Manifold(manifold.Mesh64(points, np.asarray(ball.tri_verts).astype(np.uint64))))
        left = (solids[0] + solids[1] - solids[2]).volume()
        m = massprops.measure(prusa(tmp_path / "a.3mf", volumes), override_units="m")
        assert abs(m.volume - left) <= m.uncertainty.volume + 1e-12 * left

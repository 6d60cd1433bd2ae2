"""How many planted mistakes `check` notices and names: CAD-true links of real robots, each with every kind of mistake in turn.

    python benchmarks/slips.py FOLDER… [--package-path FOLDER] [--simcheck PROGRAM] [--show]

Links are taken whose inertial is that of their own mesh (tensor within 0.05, centre within 0.02, no mistake named), each once, and are
shown with the other links of their robots. A mistake is planted if it changes a number by more than the correct link differs from its mesh;
the last column is of those that change it by more than twice that.

It is *named* if the first mistake that the findings name, or one that they name as giving the same numbers (as one wrong sign and all signs
do where two products are 0), is of its kind and gives the right numbers back; *same numbers* if it is of no named kind and gives
them; *second* if it is the alternative that the finding mentions; a *false name* otherwise. Half of the links, chosen by a hash of their
names, were not looked at while the method was made. Nothing here passes or fails.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
import zlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

import numpy as np

from massprops.diagnosis.common_mistakes import Mistake, entries_of
from massprops.diagnosis.evidence import AGREES, CENTRE_AGREES, alternatives, likely_mistakes
from massprops.diagnosis.geometry_comparison import NOTICED, findings_of
from massprops.diagnosis.link_geometry import Measurer
from massprops.diagnosis.reference import Reference
from massprops.diagnosis.robot_links import LinkOptions, reference_of_link
from massprops.diagnosis.twins import OtherLink
from massprops.errors import MasspropsError
from massprops.formats.inertial.inertial import Inertial, symmetric
from massprops.formats.robot.links import LinkMesh
from massprops.formats.robot.opening import read_robot
from massprops.formats.search_path import SearchPath
from massprops.frames import Pose
from massprops.rigid_body.plausibility import properties_findings
from massprops.rigid_body.tensors import point_inertia

SUFFIXES = (".urdf", ".sdf", ".mjcf")
#: simcheck takes a second for a link: only every so many are shown to it.
SIMCHECKED = 8
#: Findings that state a mistake; all others state a fact.
NAMES = {
    *(
        "products-sign",
        "one-sign",
        "about-origin",
        "shifted-twice",
        "permuted-axes",
        "missing-axes",
        "wrong-axes",
        "wrong-unit",
    ),
    *(
        "mass-is-density",
        "decimal-point",
        "swapped-entries",
        "entry-order",
        "missing-products",
        "mesh-scale",
        "mesh-frame",
    ),
    *("other-link", "centre-sign", "centre-axes"),
}


@dataclass(frozen=True, eq=False)
class Link:
    """A correct link: its inertial, its geometry, those of the other links, and its mesh with what URDF needs to place it."""

    robot: str
    name: str
    stated: Inertial
    reference: Reference
    others: dict[str | None, OtherLink] = field(default_factory=dict)
    mesh: str = ""

    @property
    def held_out(self) -> bool:
        return bool(zlib.crc32(f"{self.robot}/{self.name}".encode()) & 1)

    @property
    def uncertainty(self) -> tuple[float, float]:
        """Largest difference of an entry over the norm, and of the centre over the size."""
        uniform = self.stated.mass * self.reference.inertia
        return (
            float(np.abs(self.stated.properties.inertia - uniform).max() / np.linalg.norm(uniform)),
            self.reference.centre_distance(self.stated),
        )


def links_below(folders: Sequence[Path], package_path: Sequence[str]) -> Iterator[Link]:
    """All links with an inertial and a geometry, each pair once."""
    seen = set()
    options = LinkOptions(search=SearchPath(package_path=package_path))
    known: dict = {}
    for path in sorted(p for folder in folders for p in folder.rglob("*") if p.suffix in SUFFIXES):
        search = options.search.beside(path)
        measurer = Measurer(search, known=known)
        try:
            found = [
                (link, measurer.measure(link))
                for link in read_robot(str(path), search=search)
                if link.error is None and link.automatic is None
            ]
        except MasspropsError:
            continue
        robot = {
            link.name: OtherLink(link.body and link.body.stated, reference)
            for link, geometry in found
            if (reference := reference_of_link(geometry)) is not None and reference.moments.measure > 0
        }
        for link, geometry in found:
            stated, reference = robot.get(link.name, (None, None))
            if reference is None or stated is None or stated.mass <= 0 or reference.is_simpler:
                continue
            key = (
                round(stated.mass, 9),
                *np.round(entries_of(stated.tensor), 12),
                round(reference.moments.measure, 12),
            )
            if key not in seen:
                seen.add(key)
                others = {name: other for name, other in robot.items() if name != link.name}
                yield Link(
                    path.stem,
                    link.name or "",
                    stated,
                    reference,
                    others,
                    _element(link.geometry(geometry.which), search),
                )


def _element(geometry, search) -> str:
    """The only mesh of a link as URDF with an absolute path; empty for anything else."""
    if len(geometry) != 1 or not isinstance(geometry[0].solid, LinkMesh):
        return ""
    solid = geometry[0].solid
    scale = " ".join(map(repr, solid.scale))
    return f"<geometry><mesh filename={quoteattr(str(search.mesh_file(solid.uri).resolve()))} scale={quoteattr(scale)}/></geometry>"


# ---- slips --------------------------------------------------------------------------------------------------------------

#: One wrong link: what is stated, the geometry beside it, and the kinds that name the mistake.
Planted = tuple[Inertial, Reference, set[str]]


def with_entries(stated: Inertial, changed: dict[int, float]) -> Inertial:
    return replace(stated, tensor=symmetric(*(changed.get(k, x) for k, x in enumerate(entries_of(stated.tensor)))))


def one_sign(link: Link) -> Iterator[Planted]:
    entries = entries_of(link.stated.tensor)
    for k in (3, 4, 5):
        if entries[k]:
            yield with_entries(link.stated, {k: -entries[k]}), link.reference, {"one-sign"}


def all_signs(link: Link) -> Iterator[Planted]:
    tensor = link.stated.tensor
    yield replace(link.stated, tensor=2 * np.diag(tensor.diagonal()) - tensor), link.reference, {"products-sign"}


def about_origin(link: Link) -> Iterator[Planted]:
    stated = link.stated
    turn = stated.frame.rotation
    shift = turn.T @ point_inertia(stated.mass, stated.frame.translation) @ turn
    yield replace(stated, tensor=stated.tensor + shift), link.reference, {"about-origin"}


def subtracted_twice(link: Link) -> Iterator[Planted]:
    stated = link.stated
    turn = stated.frame.rotation
    shift = turn.T @ point_inertia(stated.mass, stated.frame.translation) @ turn
    yield replace(stated, tensor=stated.tensor - shift), link.reference, {"shifted-twice"}


def permuted_axes(link: Link) -> Iterator[Planted]:
    for turn in (
        np.array([[0.0, 1, 0], [0, 0, 1], [1, 0, 0]]),
        np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]]),
        np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]]),
    ):
        yield replace(link.stated, tensor=turn @ link.stated.tensor @ turn.T), link.reference, {"permuted-axes"}


def missing_axes(link: Link) -> Iterator[Planted]:
    moments = [float(f"{x:.6g}") for x in np.linalg.eigvalsh(link.stated.tensor)]
    yield replace(link.stated, tensor=np.diag(moments)), link.reference, {"missing-axes"}


def missing_rotation(link: Link) -> Iterator[Planted]:
    """The mesh has a rotation in the link, and the tensor is along the axes of the mesh."""
    pose = Pose.from_xyz_rpy([0, 0, 0], [0.3, -0.5, 1.1])
    frame = Pose(link.stated.frame.rotation, pose.apply(link.stated.frame.translation))
    yield replace(link.stated, frame=frame), moved(link.reference, pose), {"mesh-frame"}


def moved(reference: Reference, pose: Pose) -> Reference:
    """A geometry whose mesh has another place in the link."""
    moments = reference.moments.moved(pose.rotation, pose.translation)
    return Reference(
        moments, lambda: reference.extent().mapped(pose.rotation, pose.translation), reference.doubts, pose
    )


def left_out(link: Link) -> Iterator[Planted]:
    yield replace(link.stated, tensor=np.diag(link.stated.tensor.diagonal())), link.reference, {"missing-products"}


def centre_sign(link: Link) -> Iterator[Planted]:
    for k in range(3):
        centre = link.stated.frame.translation.copy()
        centre[k] *= -1
        yield replace(link.stated, frame=Pose(link.stated.frame.rotation, centre)), link.reference, {"centre-sign"}


def centre_mm(link: Link) -> Iterator[Planted]:
    frame = Pose(link.stated.frame.rotation, 1000 * link.stated.frame.translation)
    yield replace(link.stated, frame=frame), link.reference, {"wrong-unit"}


def centre_frame(link: Link) -> Iterator[Planted]:
    """The mesh stands 5 cm up and to the side in the link, and the inertial is in the frame of the mesh."""
    pose = Pose(np.eye(3), np.array([0.03, 0.0, 0.04]))
    yield link.stated, moved(link.reference, pose), {"mesh-frame"}


def mass_in_grams(link: Link) -> Iterator[Planted]:
    yield replace(link.stated, mass=link.stated.mass * 1000), link.reference, {"wrong-unit"}


def mass_of_ten(link: Link) -> Iterator[Planted]:
    for factor in (10, 0.1):
        yield replace(link.stated, mass=link.stated.mass * factor), link.reference, {"decimal-point"}


def inertia_of_ten(link: Link) -> Iterator[Planted]:
    for factor in (10, 0.1, 100, 0.01):
        yield replace(link.stated, tensor=link.stated.tensor * factor), link.reference, {"decimal-point"}


def inertia_unit(link: Link) -> Iterator[Planted]:
    for factor in (1e9, 1e6):
        yield replace(link.stated, tensor=link.stated.tensor * factor), link.reference, {"wrong-unit"}


def decimal_point(link: Link) -> Iterator[Planted]:
    entries = entries_of(link.stated.tensor)
    for k in range(6):
        for factor in (10, 0.1):
            if entries[k]:
                yield (
                    with_entries(link.stated, {k: float(f"{entries[k] * factor:.12g}")}),
                    link.reference,
                    {"decimal-point"},
                )


def swapped_moments(link: Link) -> Iterator[Planted]:
    entries = entries_of(link.stated.tensor)
    for i, j in ((0, 1), (1, 2), (0, 2)):
        yield with_entries(link.stated, {i: entries[j], j: entries[i]}), link.reference, {"swapped-entries"}


def mesh_in_mm(link: Link) -> Iterator[Planted]:
    pose = link.reference.pose
    if not link.reference.is_meshes:  # which have no scale
        return
    yield link.stated, replace(link.reference, pose=pose or Pose.identity()).scaled(1000), {"mesh-scale"}


def of_another_link(link: Link) -> Iterator[Planted]:
    """Its own numbers beside the geometry of up to three other links: it is that link's inertial which is wrong."""
    for other in list(link.others.values())[:3]:
        yield link.stated, other.reference, {"other-link"}


def other_density(link: Link) -> Iterator[Planted]:
    """g/cm³ for kg/m³."""
    stated = replace(link.stated, mass=link.stated.mass / 1000, tensor=link.stated.tensor / 1000)
    yield stated, link.reference, {"implied-density"}


def doubled_moment(link: Link) -> Iterator[Planted]:
    entries = entries_of(link.stated.tensor)
    k = int(np.argmax(entries[:3]))
    yield with_entries(link.stated, {k: 2.5 * entries[k]}), link.reference, {"triangle-inequality"}


SLIPS: dict[str, Callable[[Link], Iterator[Planted]]] = {
    "one product has the wrong sign": one_sign,
    "all products have the wrong sign": all_signs,
    "principal moments without their axes": missing_axes,
    "axes permuted": permuted_axes,
    "rotation of the mesh (rpy) missing": missing_rotation,
    "products left out": left_out,
    "tensor about the origin of the link": about_origin,
    "parallel-axis term subtracted twice": subtracted_twice,
    "mass in grams": mass_in_grams,
    "mass ten times too large or small": mass_of_ten,
    "inertia 10 or 100 times too large or small": inertia_of_ten,
    "inertia in g mm² or kg mm²": inertia_unit,
    "decimal point of one entry": decimal_point,
    "two moments swapped": swapped_moments,
    "one moment 2.5 times as large": doubled_moment,
    "sign of one coordinate of the centre": centre_sign,
    "centre in mm": centre_mm,
    "centre in the frame of the mesh": centre_frame,
    "mesh in mm without a scale": mesh_in_mm,
    "inertial of another link": of_another_link,
    "density 1000 times too small": other_density,
}


# ---- judging ------------------------------------------------------------------------------------------------------------


def size_of(link: Link, wrong: Inertial, reference: Reference) -> float:
    """How much a mistake changes the tensor or the centre, over what the link was off; infinite of a changed mass."""
    tensor, centre = (max(x, 1e-4) for x in link.uncertainty)
    if wrong.mass != link.stated.mass:
        return float("inf")
    if reference is not link.reference:  # the geometry was changed instead
        return max(reference.tensor_distance(wrong) / tensor, reference.centre_distance(wrong) / centre) / 2
    change = np.abs(wrong.tensor - link.stated.tensor).max() / np.linalg.norm(wrong.mass * reference.inertia)
    moved = np.linalg.norm(wrong.frame.translation - link.stated.frame.translation) / reference.size
    return float(max(change / tensor, moved / centre))


def outcome(link: Link, wrong: Inertial, reference: Reference, kinds: set[str]) -> tuple[bool, str, str]:
    """Whether it is noticed; how it is named: ``named``, ``same`` (numbers), ``second``, ``other`` or ``none``; and what was said."""
    # beside the geometry of another link, only the geometries are shown: that link's own inertial would be the answer
    alone = {name: OtherLink(None, other.reference) for name, other in link.others.items()}
    robot = {**alone, "its own": OtherLink(None, link.reference)} if "other-link" in kinds else link.others
    findings = [*properties_findings(wrong.properties), *findings_of(wrong, reference, robot)]
    noticed = any(f.severity != "info" for f in findings)
    named = [f for f in findings if f.code in NAMES | kinds]
    if not named:
        return noticed, "none", "; ".join(f.code for f in findings)
    if named[0].code not in NAMES:  # a finding about the inertial alone
        return noticed, "named", named[0].message
    likely = likely_mistakes(wrong, reference, robot)
    about_centre = next(one for one in likely if one.mistake.kind == named[0].code).mistake.about == "centre"
    likely = [one for one in likely if (one.mistake.about == "centre") == about_centre]
    for place, one in enumerate(alternatives(likely, NOTICED / 4)[:2]):
        if is_right(link, one.mistake, reference):
            mentioned = {one.mistake.kind, *(m.kind for m in one.same)}
            return noticed, "second" if place else "named" if mentioned & kinds else "same", named[0].message
    return noticed, "other", named[0].message


def is_right(link: Link, mistake: Mistake, reference: Reference) -> bool:
    """Whether undoing a mistake gives the right numbers, to twice what they were off; or names the right geometry."""
    if mistake.geometry is not None:
        one, two = mistake.geometry.moments, link.reference.moments
        return bool(
            np.allclose(
                [one.measure, *one.centroid], [two.measure, *two.centroid], rtol=0.05, atol=0.01 * link.reference.size
            )
        )
    tensor, centre = link.uncertainty
    corrected = mistake.corrected
    if reference is not link.reference:  # the geometry was moved, and with it the right numbers
        near = reference.tensor_distance(corrected) < 2 * tensor + 0.01
        return near and reference.centre_distance(corrected) < 2 * centre + 0.01
    gap = np.abs(corrected.properties.inertia - link.stated.properties.inertia).max()
    moved = np.linalg.norm(corrected.frame.translation - link.stated.frame.translation)
    return bool(
        gap <= 2 * max(tensor, 0.001) * np.linalg.norm(link.stated.tensor)
        and moved <= 2 * max(centre, 0.001) * reference.size
        and abs(corrected.mass - link.stated.mass) < 1e-6 * link.stated.mass
    )


def counted(links: Sequence[Link], show: bool) -> dict[str, Counter[str]]:
    rows: dict[str, Counter[str]] = defaultdict(Counter)
    for name, slip in SLIPS.items():
        for link in links:
            for wrong, reference, kinds in slip(link):
                if wrong.mass > 0 and (size := size_of(link, wrong, reference)) > 1:
                    noticed, what, said = outcome(link, wrong, reference, kinds)
                    rows[name].update(["all", what, *(["noticed"] if noticed else [])])
                    if size > 2:
                        rows[name].update(["large", *(["large named"] if what in ("named", "same", "second") else [])])
                    if show and what in ("other", "none"):
                        print(f"{name}: {link.robot} {link.name}: {what}: {said}")
    return rows


def table(links: Sequence[Link], show: bool = False) -> str:
    lines = [
        "| mistake | planted | noticed | named | same numbers | second | none named | false name | larger ones named |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for name, row in counted(links, show).items():
        cells = (f"{100 * row[k] / row['all']:.0f} %" for k in ("noticed", "named", "same", "second", "none", "other"))
        large = f"{100 * row['large named'] / row['large']:.0f} %" if row["large"] else ""
        lines.append(f"| {name} | {row['all']} | {' | '.join(cells)} | {large} |")
    return "\n".join(lines)


def simcheck_table(links: Sequence[Link], program: str) -> str:
    """What simcheck notices of the same mistakes: one link in a URDF; what it says of the correct link does not count."""
    noticed, planted = Counter[str](), Counter[str]()
    with tempfile.TemporaryDirectory() as folder:
        cases: dict[str, str] = {}
        for number, link in enumerate(link for link in links if link.mesh):
            Path(folder, f"{number}-clean.urdf").write_text(urdf(link, link.stated))
            for name, slip in SLIPS.items():
                for k, (wrong, reference, _) in enumerate(slip(link)):
                    if reference is link.reference and wrong.mass > 0 and size_of(link, wrong, reference) > 1:
                        cases[f"{number}-{len(cases)}-{k}"] = name
                        Path(folder, f"{list(cases)[-1]}.urdf").write_text(urdf(link, wrong))
        done = subprocess.run(
            [program, "check", "--static-only", "--json", "-", "-j", "2", "--no-cache", folder],
            capture_output=True,
            check=False,
        )
        said = {Path(one["asset"]).stem: _not_passed(one) for one in json.loads(done.stdout)}
    for stem, name in cases.items():
        planted[name] += 1
        noticed[name] += bool(said.get(stem, set()) - said.get(f"{stem.partition('-')[0]}-clean", set()))
    rows = [
        f"| {name} | {planted[name]} | {100 * noticed[name] / planted[name]:.0f} % |" for name in SLIPS if planted[name]
    ]
    return "\n".join(["| mistake | planted | noticed by simcheck |", "|---|---:|---:|", *rows])


def urdf(link: Link, stated: Inertial) -> str:
    body = stated.properties
    entries = dict(zip(("ixx", "iyy", "izz", "ixy", "ixz", "iyz"), entries_of(body.inertia), strict=True))
    inertia = " ".join(f'{name}="{value!r}"' for name, value in entries.items())
    origin = f'<origin xyz="{" ".join(map(repr, body.com.tolist()))}"/>'
    inertial = f'<inertial>{origin}<mass value="{body.mass!r}"/><inertia {inertia}/></inertial>'
    shapes = f"<visual>{link.mesh}</visual><collision>{link.mesh}</collision>"
    return f'<robot name="r"><link name="a">{inertial}{shapes}</link></robot>'


def _not_passed(report: dict[str, Any]) -> set[str]:
    return {f"{one['id']}" for one in report["results"] if one["status"] != "pass" and one["findings"]}


def is_true(link: Link) -> bool:
    return (
        link.reference.tensor_distance(link.stated) <= AGREES
        and link.reference.centre_distance(link.stated) <= CENTRE_AGREES
    )


def report(links: Sequence[Link], show: bool) -> list[Link]:
    near = [link for link in links if is_true(link)]
    true = []
    for link in near:
        likely = likely_mistakes(link.stated, link.reference, link.others)
        if likely:
            print(f"not taken: {link.robot} {link.name}: {likely[0].mistake.words}")
        else:
            true.append(link)
    clean = sum(
        any(f.severity != "info" for f in findings_of(link.stated, link.reference, link.others)) for link in true
    )
    print(
        f"{len(links)} links with a geometry, {len(near)} agree with it, {len(true)} are taken; a finding about {clean} of them"
    )
    for title, held in (("Links that were looked at", False), ("Links held out", True)):
        half = [link for link in true if link.held_out is held]
        print(f"\n{title}: {len(half)}\n\n{table(half, show)}")
    return true


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--package-path", action="append", default=[])
    parser.add_argument("--simcheck", help="the program, to count what it notices")
    parser.add_argument("--show", action="store_true", help="print every case that is not named")
    given = parser.parse_args()
    true = report(list(links_below(given.folders, given.package_path)), given.show)
    if given.simcheck:
        some = [link for link in true if link.mesh][::SIMCHECKED]
        print(f"\n`simcheck check --static-only`, {len(some)} of the links\n\n{simcheck_table(some, given.simcheck)}")


if __name__ == "__main__":
    main()

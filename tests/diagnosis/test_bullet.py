"""What Bullet holds of random robots of its own elements is what is predicted, or not known."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from cases import seeds
from simulated import RandomInertial, compare_random, in_bullet, lengths, numbers

pytestmark = pytest.mark.other_programs


@pytest.fixture(scope="module", autouse=True)
def bullet() -> Any:
    return pytest.importorskip("pybullet", reason="pybullet is not installed")


def shape(rng: random.Random) -> str:
    a, b, c = lengths(rng, 3)
    kinds = [f'<box size="{a} {b} {c}"/>', f'<sphere radius="{a}"/>', f'<cylinder radius="{a}" length="{b}"/>']
    return rng.choice([*kinds, f'<capsule radius="{a}" length="{b}"/>', '<mesh filename="l.obj" scale="1 1 1"/>'])


def urdf_link(rng: random.Random, name: str) -> str:
    inertial = RandomInertial(rng)
    odd = rng.choice([inertial.impossible, lambda: inertial.weightless(0), lambda: inertial])
    parts = [rng.choice(["", "", inertial.urdf(), inertial.urdf(), odd().urdf()])]
    for tag in ("visual", "collision"):
        if rng.random() < 0.4:
            origin = f'<origin xyz="{numbers(rng, 3)}" rpy="{numbers(rng, 3, 3.0)}"/>'
            parts.append(f"<{tag}>{origin}<geometry>{shape(rng)}</geometry></{tag}>")
    return f'<link name="{name}">{"".join(parts)}</link>'


def random_urdf(rng: random.Random) -> str:
    root = rng.choice(["l0", "l0", "world"])
    texts, names = ['<robot name="r">', urdf_link(rng, root)], [root]
    for k in range(1, rng.randrange(2, 6)):
        kind = rng.choice(["fixed", "continuous", "prismatic", "floating"])
        ends = f'<parent link="{rng.choice(names)}"/><child link="l{k}"/>'
        limit = rng.choice([*['<limit lower="-1" upper="1" effort="1" velocity="1"/>'] * 9, ""]) + '<axis xyz="0 0 1"/>'
        texts.append(f'{urdf_link(rng, f"l{k}")}<joint name="j{k}" type="{kind}">{ends}{limit}</joint>')
        names.append(f"l{k}")
    return "".join([*texts, "</robot>"])


def test_bullet_holds_what_is_predicted_of_random_urdf(tmp_path: Path) -> None:
    count = compare_random(tmp_path / "r.urdf", random_urdf, seeds(40), "bullet", in_bullet)
    assert count["unknown"] < 0.1 * count.total()


def sdf_link(rng: random.Random, name: str) -> str:
    inertial = RandomInertial(rng)
    odd = rng.choice([inertial.impossible, lambda: inertial.weightless(0), lambda: inertial])
    parts = [rng.choice(["", "", inertial.sdf(), inertial.sdf(), odd().sdf()])]
    if rng.random() < 0.1:
        parts = [rng.choice([RandomInertial(rng).sdf(' auto="true"'), "<inertial><mass>2</mass></inertial>"])]
    for tag in ("visual", "collision"):
        if rng.random() < 0.4:
            a, b, c = lengths(rng, 3)
            kinds = [f"<box><size>{a} {b} {c}</size></box>", f"<sphere><radius>{a}</radius></sphere>"]
            kinds.append(f"<cylinder><radius>{a}</radius><length>{b}</length></cylinder>")
            pose = f"<pose>{numbers(rng, 6)}</pose>"
            parts.append(f'<{tag} name="{tag}">{pose}<geometry>{rng.choice(kinds)}</geometry></{tag}>')
    return f'<link name="{name}"><pose>{numbers(rng, 6)}</pose>{"".join(parts)}</link>'


def random_sdf(rng: random.Random) -> str:
    texts = [sdf_link(rng, "l0")]
    for k in range(1, rng.randrange(1, 5)):
        kind = rng.choice(["fixed", "revolute", "prismatic", *(["ball"] if rng.random() < 0.1 else [])])
        limit = rng.choice([*["<limit><lower>-1</lower><upper>1</upper></limit>"] * 5, "<limit/>", ""])
        axis = rng.choice(["", *[f"<axis><xyz>0 0 1</xyz>{limit}</axis>"] * 5])
        ends = f"<parent>l{rng.randrange(k)}</parent><child>l{k}</child>"
        texts.append(f'{sdf_link(rng, f"l{k}")}<joint name="j{k}" type="{kind}">{ends}{axis}</joint>')
    static = rng.choice(["", "", "<static>true</static>", "<static>1</static>"])
    return f'<sdf version="1.7"><model name="m">{static}{"".join(texts)}</model></sdf>'


def test_bullet_holds_what_is_predicted_of_random_sdf(tmp_path: Path) -> None:
    count = compare_random(tmp_path / "r.sdf", random_sdf, seeds(40), "bullet", in_bullet)
    assert count["unknown"] < 0.1 * count.total()

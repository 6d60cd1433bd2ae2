"""Masses of USD stages, each number by itself: against OpenUSD's `ComputeMassProperties`, and what does not count or is not read."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from massprops.diagnosis.robot_links import LinkOptions, link_findings
from massprops.formats.robot.partial_inertial import mass_space

pytest.importorskip("pxr", reason="usd-core is not installable everywhere")
pytestmark = pytest.mark.xdist_group("usd")

COUNT = 60


# ---- bodies drawn at random -------------------------------------------------------------------------------------------


class Draw:
    """A body, of which each feature is there or not."""

    def __init__(self, seed: int, name: str) -> None:
        self.random, self.name = random.Random(seed), name  # noqa: S311  # numbers of a test

    def maybe(self, text: str, share: float = 0.5) -> str:
        return text + "\n" if self.random.random() < share else ""

    def vector(self, low: float, high: float) -> str:
        return f"({', '.join(f'{self.random.uniform(low, high):.6f}' for _ in range(3))})"

    def quaternion(self) -> str:
        q = np.array([self.random.gauss(0, 1) for _ in range(4)])
        return f"({', '.join(f'{x:.9f}' for x in q / np.linalg.norm(q))})"

    def masses(self, share: float, density: bool = True) -> str:
        """Attributes of the mass schema; moments of the size that the geometry has, which keep the triangle inequality."""
        moments = ", ".join(f"{self.random.uniform(2e5, 3e5):.2f}" for _ in range(3))
        return (
            self.maybe(f"float physics:mass = {self.random.uniform(1, 9):.5f}", share)
            + self.maybe(f"float physics:density = {self.random.uniform(0.5, 3):.5f}", share if density else 0)
            + self.maybe(f"point3f physics:centerOfMass = {self.vector(-3, 3)}", share)
            + self.maybe(f"float3 physics:diagonalInertia = ({moments})", share)
            + self.maybe(f"quatf physics:principalAxes = {self.quaternion()}", share)
        )

    def place(self, turned: bool, scale: str) -> str:
        ops = {"double3 xformOp:translate": self.vector(-5, 5)}
        ops |= {"quatd xformOp:orient": self.quaternion()} if turned else {}
        ops |= {"double3 xformOp:scale": scale} if scale else {}
        order = ", ".join(f'"{name.partition(" ")[2]}"' for name in ops)
        listed = "\n".join(f"{name} = {value}" for name, value in ops.items())
        return f"{listed}\nuniform token[] xformOpOrder = [{order}]\n"

    def bound(self) -> str:
        return self.maybe(f"rel material:binding:physics = </{self.random.choice(('stuff', 'plain'))}>", 0.3)

    def collider(self, name: str, turned: bool) -> str:
        schemas = '"PhysicsCollisionAPI", "MaterialBindingAPI"' + self.random.choice((', "PhysicsMassAPI"', ""))
        off = self.maybe("bool physics:collisionEnabled = 0", 0.15)
        inside = f"double size = 2\n{self.masses(0.35)}{self.bound()}{off}{self.place(turned, self.vector(0.5, 3))}"
        return f'def Cube "{name}" (prepend apiSchemas = [{schemas}])\n{{\n{inside}}}\n'

    def text(self) -> str:
        uniform = self.random.random() < 0.6
        s = self.random.uniform(0.5, 2)
        scale = f"({s:.6f}, {s:.6f}, {s:.6f})" if uniform else self.vector(0.5, 2)
        colliders = [self.collider(f"c{i}", uniform) for i in range(self.random.randint(1, 3))]
        sure = f'def Cube "sure" (prepend apiSchemas = ["PhysicsCollisionAPI"])\n{{\n{self.place(uniform, "(1, 2, 3)")}}}\n'
        off = '(prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"])\n{\nbool physics:rigidBodyEnabled = 0\n'
        inner = f'def Xform "inner" {off}{self.masses(0.5)}{colliders.pop()}}}\n'
        schemas = '"PhysicsRigidBodyAPI", "MaterialBindingAPI"' + self.random.choice(
            (', "PhysicsMassAPI"',) * 4 + ("",)
        )
        own = self.masses(self.random.choice((0.2, 0.5, 0.9))) + self.bound() + self.place(True, scale)
        name = f'def Xform "{self.name}" (prepend apiSchemas = [{schemas}])'
        return f"{name}\n{{\n{own}{sure}{''.join(colliders)}{inner}}}\n"


MATERIAL = "{\nfloat physics:density = 0.7\n}\n"
MATERIALS = (
    f'def Material "stuff" (prepend apiSchemas = ["PhysicsMaterialAPI"])\n{MATERIAL}def Material "plain"\n{MATERIAL}'
)


@pytest.fixture(scope="module", params=[(1.0, 1.0), (0.01, 1.0), (1.0, 0.001), (0.01, 0.001)])
def drawn(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, float, float, Any]:
    """A stage in some units, these, and its bodies as they are found by name."""
    metre, kilogram = request.param
    file = tmp_path_factory.mktemp("drawn") / "robot.usda"
    bodies = "".join(Draw(seed, f"b{seed}").text() for seed in range(COUNT))
    head = f"#usda 1.0\n(\nmetersPerUnit = {metre}\nkilogramsPerUnit = {kilogram}\n)\n"
    file.write_text(f"{head}{MATERIALS}{bodies}", encoding="ascii")
    return str(file), metre, kilogram, {f.name: f for f in link_findings(str(file), None, LinkOptions())}


def of_openusd(file: str, path: str) -> tuple[float, Any, Any, Any]:
    """Mass, centre, principal moments and axes as OpenUSD computes them, in units of the stage; cubes by their closed forms."""
    from pxr import Gf, Usd, UsdGeom, UsdPhysics

    stage = Usd.Stage.Open(file)
    prim = stage.GetPrimAtPath(path)
    cache = UsdGeom.XformCache()
    here = Gf.Transform(cache.GetLocalToWorldTransform(prim))
    rigid = Gf.Matrix4d().SetTransform(here.GetRotation(), here.GetTranslation())

    def cube(collider: Any) -> Any:
        found = UsdPhysics.RigidBodyAPI.MassInformation()
        placed = Gf.Transform(cache.GetLocalToWorldTransform(collider))
        a, b, c = (2 * abs(s) for s in placed.GetScale())
        found.volume = a * b * c
        found.inertia = Gf.Matrix3f(1).SetDiagonal(
            Gf.Vec3f(*(found.volume / 12 * x for x in (b * b + c * c, a * a + c * c, a * a + b * b)))
        )
        found.centerOfMass = Gf.Vec3f(0)
        found.localPos = Gf.Vec3f(rigid.GetInverse().Transform(placed.GetTranslation()))
        turn = placed.GetRotation() * here.GetRotation().GetInverse()
        found.localRot = Gf.Quatf(turn.GetQuat())
        return found

    mass, moments, com, axes = UsdPhysics.RigidBodyAPI(prim).ComputeMassProperties(cube)
    w, (x, y, z) = axes.GetReal(), axes.GetImaginary()
    return mass, np.array(moments), np.array(com), (w, x, y, z)


def rotation(w: float, x: float, y: float, z: float) -> Any:
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


@pytest.mark.parametrize("seed", range(COUNT))
def test_numbers_are_those_of_openusd(seed: int, drawn: tuple[str, float, float, Any]) -> None:
    file, metre, kilogram, every = drawn
    found = every[f"b{seed}"]
    mass, moments, com, axes = of_openusd(file, f"/b{seed}")
    assert found.link.error is None
    body = found.link.body
    assert body is not None
    assert body.properties.mass / kilogram == pytest.approx(mass, rel=1e-5)
    np.testing.assert_allclose(body.properties.com / metre, com, rtol=1e-4, atol=1e-4)
    # where all is stated but the axes, OpenUSD leaves them undefined: Newton takes those of the prim
    turn = rotation(*axes) if abs(sum(q * q for q in axes) - 1) < 1e-4 else np.eye(3)
    tensor = turn @ np.diag(moments) @ turn.T
    np.testing.assert_allclose(
        body.properties.inertia / (kilogram * metre**2), tensor, rtol=0, atol=1e-4 * np.abs(tensor).max()
    )


def test_axes_stand_in_the_order_of_the_prim() -> None:
    """Q diag Qᵀ of a small turn comes apart into the moments at their places, also where they are not in order of size."""
    turn = rotation(*(np.array([1, 0.02, 0.05, -0.03]) / np.linalg.norm([1, 0.02, 0.05, -0.03])))
    moments, axes = mass_space(turn @ np.diag([3.0, 1.0, 2.0]) @ turn.T)
    np.testing.assert_allclose(moments, [3, 1, 2], rtol=1e-12)
    np.testing.assert_allclose(axes, turn, atol=1e-12)

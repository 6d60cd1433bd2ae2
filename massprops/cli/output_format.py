"""How a result is written: the format and what shapes it, checked against each other before any file is read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from massprops.cli.options import Consumer, Format, Order, Rotation
from massprops.errors import InvalidInput

if TYPE_CHECKING:
    from massprops.formats.inertial import Form

#: Formats that are not dialects: they hold more than ten numbers.
_OWN = (Format.table, Format.json)
#: Dialects in which an inertial stands in something that has a name.
_NAMED = (Format.urdf, Format.sdf, Format.mjcf, Format.usd, Format.csv, Format.markdown, Format.ten_vector)


@dataclass(frozen=True)
class Style:
    """The format and the options that belong to it."""

    format: Format
    principal: bool = False
    digits: int | None = None
    consumer: Consumer | None = None
    rotation: Rotation = Rotation.rpy
    order: Order = Order.pinocchio
    link: str | None = None

    @classmethod
    def parse(
        cls,
        format: Format,
        *,
        principal: bool,
        digits: int | None,
        consumer: Consumer | None,
        rotation: Rotation,
        order: Order,
        link: str | None,
    ) -> Style:
        """The style of these options.

        Raises
        ------
        InvalidInput
            If an option does not belong to the format.
        """
        style = cls(format, principal, digits, consumer, rotation, order, link)
        for option, given, allowed in (
            ("--principal", principal, (Format.urdf, Format.sdf, Format.mjcf, Format.usd)),
            ("--digits", digits is not None, _NAMED),
            ("--rotation", rotation is not Rotation.rpy, (Format.sdf,)),
            ("--order", order is not Order.pinocchio, (Format.ten_vector,)),
            ("--link", link is not None, _NAMED),
            ("--for", consumer is not None, (Format.urdf, Format.sdf, Format.mjcf)),
        ):
            if given and format not in allowed:
                able = ", ".join(f.value for f in allowed)
                raise InvalidInput(f"{option} has no meaning for --format {format.value}", hint=f"it is for {able}")
        _check_consumer(style)
        return style

    @property
    def is_dialect(self) -> bool:
        """Whether the format is one of `massprops.formats.inertial`."""
        return self.format not in _OWN

    @property
    def form(self) -> Form:
        """What the writers are told."""
        from massprops.formats.inertial import Form

        return Form(self.principal, self.rotation is Rotation.quat, self.digits, self.order.value)


def _check_consumer(style: Style) -> None:
    """Raise where the simulator does not read the format: its rule would be applied to a text that it never sees."""
    if style.consumer is None:
        return
    from massprops.formats.inertial.simulator_rules import consumer

    chosen = consumer(style.consumer.value)
    if style.format.value not in chosen.dialects:
        raise InvalidInput(
            f"{chosen.title} does not read --format {style.format.value}", hint=f"choose {', '.join(chosen.dialects)}"
        )

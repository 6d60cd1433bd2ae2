"""The dialects that a measurement is written in: a registry from name to writer, each one file."""

from __future__ import annotations

from collections.abc import Callable

from massprops.measurement import Measurement
from massprops.writers import urdf

#: Dialects that hold one body of known mass: name → function of the measurement and the link's name, if it is to be wrapped.
BODY_WRITERS: dict[str, Callable[[Measurement, str | None], str]] = {"urdf": urdf.write}

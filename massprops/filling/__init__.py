"""Right inertials in whole robot files: what is written, from which geometry and mass, and not one byte elsewhere."""

from massprops.filling.masses import MassRule
from massprops.filling.robot import Filled, FilledLink, fill

__all__ = ["Filled", "FilledLink", "MassRule", "fill"]

"""Inertials for whole robot files, from geometry and mass; no byte outside the inertials changes."""

from massprops.filling.masses import MassRule
from massprops.filling.robot import Filled, FilledLink, fill

__all__ = ["Filled", "FilledLink", "MassRule", "fill"]

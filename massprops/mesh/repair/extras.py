"""The packages that repairing needs, named when one is missing."""

from __future__ import annotations

from typing import Any

from massprops.errors import MissingExtra


def scipy_spatial(purpose: str = "repairing this mesh", *, extra: str = "repair") -> Any:
    """`scipy.spatial`; MissingExtra where scipy is not installed."""
    try:
        import scipy.spatial
    except ImportError as error:
        raise MissingExtra(f"{purpose} needs scipy", hint=f"pip install 'massprops[{extra}]'") from error
    return scipy.spatial

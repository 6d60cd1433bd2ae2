"""Where things stand that tests read: the checkout, and the corpus, which may be absent."""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
#: Real robots, meshes and sections; tests that need them skip where it is not there.
CORPUS = Path(os.environ.get("MASSPROPS_CORPUS") or ROOT.parent / "shared" / "corpus")

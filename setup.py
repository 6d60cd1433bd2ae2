"""The compiled core. It is optional: where it cannot be built, the installation succeeds and numpy does its work."""

from __future__ import annotations

import sys
from pathlib import Path

from setuptools import Extension, setup

# No fused multiply-add: it gives other bits than the same operations of numpy.
FLAGS = ["/std:c11", "/O2", "/fp:precise"]
if sys.platform != "win32":
    FLAGS = ["-std=c11", "-O3", "-ffp-contract=off", "-fno-math-errno", "-fvisibility=hidden"]

folder = Path("massprops/native")
setup(
    ext_modules=[
        Extension(
            "massprops._native",
            sources=sorted(path.as_posix() for path in folder.glob("*.c")),
            depends=sorted(path.as_posix() for path in folder.glob("*.h")),
            extra_compile_args=FLAGS,
            py_limited_api=True,
            optional=True,
        )
    ],
    options={"bdist_wheel": {"py_limited_api": "cp311"}},  # one build for every Python from 3.11 on
)

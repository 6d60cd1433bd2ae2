"""The compiled core. It is optional: where it cannot be built, the installation succeeds and numpy does its work."""

from __future__ import annotations

import sys
import sysconfig
from pathlib import Path

from setuptools import Extension, setup

# No fused multiply-add: it gives other bits than the same operations of numpy.
FLAGS = ["/std:c11", "/O2", "/fp:precise"]
if sys.platform != "win32":
    FLAGS = ["-std=c11", "-O3", "-ffp-contract=off", "-fno-math-errno", "-fvisibility=hidden"]

# The stable ABI: one build for every Python from 3.11 on, but for free-threaded ones, where numpy does the work.
free_threaded = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))
folder = Path("massprops/native")
setup(
    ext_modules=[
        Extension(
            "massprops._native",
            sources=sorted(path.as_posix() for path in folder.glob("*.c")),
            depends=sorted(path.as_posix() for path in folder.glob("*.h")),
            extra_compile_args=FLAGS,
            py_limited_api=not free_threaded,
            optional=True,
        )
    ],
    options={} if free_threaded else {"bdist_wheel": {"py_limited_api": "cp311"}},
)

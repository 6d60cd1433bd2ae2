"""Where the packages of robot files are: what the user says, and what ROS and Gazebo have in the environment."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from massprops.errors import InvalidInput

_PATHS = ("ROS_PACKAGE_PATH", "GZ_SIM_RESOURCE_PATH", "GAZEBO_MODEL_PATH", "SDF_PATH")


def parse_packages(given: Sequence[str]) -> dict[str, str]:
    """``NAME=FOLDER`` of every --package.

    Raises
    ------
    InvalidInput
        If one is not of that form, names no folder, or a name is given twice.
    """
    packages: dict[str, str] = {}
    for text in given:
        name, mark, folder = text.partition("=")
        if not (name and mark and folder):
            raise InvalidInput(
                f"--package {text!r} is not NAME=FOLDER", hint="for example --package my_robot=../my_robot"
            )
        if name in packages:
            raise InvalidInput(f"--package {name} is given twice", hint="give it once")
        if not Path(folder).is_dir():
            raise InvalidInput(f"--package {name}: {folder} is no folder")
        packages[name] = folder
    return packages


def package_path() -> tuple[str, ...]:
    """The folders of ROS_PACKAGE_PATH and of Gazebo's paths."""
    return tuple(folder for name in _PATHS for folder in os.environ.get(name, "").split(os.pathsep) if folder)

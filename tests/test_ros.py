"""The CMake function for ROS 2, by plain cmake and ctest: a test per robot file, with its JUnit file where colcon looks for it."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from console import environment, in_script, run
from places import ROOT

junitparser = pytest.importorskip("junitparser")
PACKAGE = ROOT / "extras" / "integrations" / "ros2" / "ament_massprops"
PROJECT = f"""\
cmake_minimum_required(VERSION 3.16)
project(my_robot NONE)
enable_testing()
include({PACKAGE.as_posix()}/cmake/ament_massprops.cmake)
add_custom_command(OUTPUT made.urdf COMMAND ${{CMAKE_COMMAND}} -E copy "${{CMAKE_CURRENT_SOURCE_DIR}}/a robot.urdf" made.urdf)
add_custom_target(robot ALL DEPENDS made.urdf)
ament_massprops()
ament_massprops(${{CMAKE_CURRENT_BINARY_DIR}}/made.urdf TESTNAME made OPTIONS --geometry none)
"""

#: The function of ament that a workspace has, with the arguments that ament_cmake_test declares.
AMENT = """\
set(AMENT_TEST_RESULTS_DIR "${CMAKE_BINARY_DIR}/test_results")
function(ament_add_test name)
  cmake_parse_arguments(ARG "" "OUTPUT_FILE;RESULT_FILE;TIMEOUT;WORKING_DIRECTORY" "COMMAND" ${ARGN})
  if(ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "${ARG_UNPARSED_ARGUMENTS}")
  endif()
  add_test(NAME "${name}" COMMAND ${ARG_COMMAND} WORKING_DIRECTORY "${ARG_WORKING_DIRECTORY}")
endfunction()
"""


@pytest.mark.parametrize("before", ["", AMENT], ids=["plain", "ament"])
@pytest.mark.skipif(not (shutil.which("cmake") and shutil.which("ctest")), reason="needs cmake")
def test_a_robot_with_an_error_fails_and_passes_when_it_is_filled(tmp_path: Path, before: str) -> None:
    source, build = tmp_path / "source", tmp_path / "build"
    shutil.copytree(ROOT / "samples" / "robots", source)
    (source / "arm.urdf").rename(source / "a robot.urdf")
    (source / "CMakeLists.txt").write_text(PROJECT.replace("ament_massprops()", f"{before}ament_massprops()", 1))
    program = tmp_path / "massprops"
    program.write_text(f"#!/bin/sh\n{in_script()}\n")
    program.chmod(0o755)

    def cmake(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(words, cwd=tmp_path, env=environment(), capture_output=True, text=True, check=False)

    made = cmake("cmake", "-S", "source", "-B", "build", f"-DMASSPROPS_EXECUTABLE={program}", "-G", "Unix Makefiles")
    assert made.returncode == 0, made.stderr
    assert cmake("cmake", "--build", "build").returncode == 0
    done = cmake("ctest", "--test-dir", "build")
    assert "1 tests failed out of 2" in done.stdout, done.stdout
    results = build / "test_results" / "my_robot"
    assert sorted(p.name for p in results.iterdir()) == [
        f"{name}.xunit.xml"
        for name in (f"made_{re.sub(r'[^0-9A-Za-z]', '_', str(build / 'made.urdf'))}", "massprops_a_robot_urdf")
    ]
    suites = junitparser.JUnitXml.fromfile(str(results / "massprops_a_robot_urdf.xunit.xml"))
    assert (suites.failures, suites.errors) == (1, 0)
    assert (
        run("fill", "a robot.urdf", "--links", "forearm", "--density", "2700", "--in-place", cwd=source).returncode == 0
    )
    assert cmake("ctest", "--test-dir", "build").returncode == 0


def test_the_package_has_the_version_of_the_program() -> None:
    from massprops._version import __version__

    assert f"<version>{__version__}</version>" in (PACKAGE / "package.xml").read_text(encoding="utf-8")

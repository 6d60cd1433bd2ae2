#
# Add a test of the inertials of every robot file.
#
# ament_massprops([FILE...] [TESTNAME name] [TIMEOUT seconds] [OPTIONS word...])
#
# FILE: URDF, SDF or MJCF files, relative to the current source folder; without one, all *.urdf and *.sdf files below it. Of xacro files name what
#   a target of the build makes of them.
# TESTNAME: beginning of the names of the tests; by default "massprops".
# TIMEOUT: of each test; by default 120 s.
# OPTIONS: further options of `massprops check`, such as --require certified.
#
# The program is the one on the PATH, or MASSPROPS_EXECUTABLE. It finds files of package://PROJECT_NAME in the source folder.
#
function(ament_massprops)
  cmake_parse_arguments(ARG "" "TESTNAME;TIMEOUT" "OPTIONS" ${ARGN})
  if(NOT ARG_TESTNAME)
    set(ARG_TESTNAME "massprops")
  endif()
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 120)
  endif()

  find_program(MASSPROPS_EXECUTABLE NAMES massprops)
  if(NOT MASSPROPS_EXECUTABLE)
    message(FATAL_ERROR "ament_massprops() could not find the program 'massprops': pip install massprops")
  endif()

  set(files ${ARG_UNPARSED_ARGUMENTS})
  if(NOT files)
    file(GLOB_RECURSE files RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}" CONFIGURE_DEPENDS *.urdf *.sdf)
  endif()
  if(NOT files)
    message(FATAL_ERROR "ament_massprops() found no robot file below ${CMAKE_CURRENT_SOURCE_DIR}: name one")
  endif()

  if(AMENT_TEST_RESULTS_DIR)
    set(results "${AMENT_TEST_RESULTS_DIR}/${PROJECT_NAME}")
  else()
    set(results "${CMAKE_BINARY_DIR}/test_results/${PROJECT_NAME}") # where colcon looks for results
  endif()
  file(MAKE_DIRECTORY "${results}")

  foreach(file ${files})
    string(MAKE_C_IDENTIFIER "${file}" word)
    set(name "${ARG_TESTNAME}_${word}")
    set(result "${results}/${name}.xunit.xml")
    set(command "${MASSPROPS_EXECUTABLE}" check --package "${PROJECT_NAME}=${CMAKE_CURRENT_SOURCE_DIR}"
      --format table --format "junit=${result}" ${ARG_OPTIONS} -- "${file}")
    if(COMMAND ament_add_test)
      ament_add_test("${name}" COMMAND ${command} RESULT_FILE "${result}" TIMEOUT "${ARG_TIMEOUT}"
        OUTPUT_FILE "${CMAKE_BINARY_DIR}/ament_massprops/${name}.txt" WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}")
    else()
      add_test(NAME "${name}" COMMAND ${command} WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}")
      set_tests_properties("${name}" PROPERTIES TIMEOUT "${ARG_TIMEOUT}")
    endif()
    set_tests_properties("${name}" PROPERTIES LABELS "massprops;linter")
  endforeach()
endfunction()

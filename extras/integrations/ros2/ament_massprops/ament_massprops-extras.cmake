find_package(ament_cmake_test QUIET REQUIRED)

include("${ament_massprops_DIR}/ament_massprops.cmake")

# cnsched_unity(TARGET): compiles neighbouring sources of the target as one. A unit has files of one folder, of at most
# CNSCHED_UNITY_SIZE together, so that a new file moves no other folder's units (docs/decisions/0006-unity-builds.md).
# The size is a balance: larger units read headers less often, but two of them must fit in 4 GB of memory, and the last
# ones should keep both cores busy.
set(CNSCHED_UNITY_SIZE 200000 CACHE STRING "Bytes of sources that are compiled as one, at most")
function(cnsched_unity target)
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.cpp$")
  list(SORT sources)
  set(last "")
  set(number 0)
  set(size 0)
  foreach(source IN LISTS sources)
    cmake_path(GET source PARENT_PATH folder)
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" OUTPUT_VARIABLE path)
    set(own 0)  # of a file that the build writes
    if(EXISTS "${path}")
      file(SIZE "${path}" own)
    endif()
    math(EXPR size "${size} + ${own}")
    if(NOT folder STREQUAL last OR size GREATER CNSCHED_UNITY_SIZE)
      math(EXPR number "${number} + 1")
      set(size ${own})
    endif()
    set(last "${folder}")
    set_source_files_properties("${source}" PROPERTIES UNITY_GROUP "${number}")
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
endfunction()

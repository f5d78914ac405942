# Read by cpack, for each kind of package.
if(NOT DEFINED ENV{SOURCE_DATE_EPOCH})
  execute_process(COMMAND git -C "${CPACK_CNSCHED_SOURCE}" log -1 --format=%ct
    OUTPUT_VARIABLE date OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(date)
    set(ENV{SOURCE_DATE_EPOCH} ${date})
  endif()
endif()

if(CPACK_GENERATOR STREQUAL DEB)
  if(CPACK_CNSCHED_STATIC)
    message(FATAL_ERROR "A .deb is linked dynamically: cmake --workflow --preset deb")
  endif()
  set(CPACK_PRE_BUILD_SCRIPTS "${CPACK_CNSCHED_SOURCE}/cmake/deb.cmake")
  set(CPACK_STRIP_FILES ON)
endif()

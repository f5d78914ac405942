# cpack reads this for each kind of package.
# The files of a package have the date of the release, not of the build.
if(NOT DEFINED ENV{SOURCE_DATE_EPOCH})
  execute_process(COMMAND date -u -d "${CPACK_CNSCHED_DATE}" +%s
    OUTPUT_VARIABLE seconds OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  set(ENV{SOURCE_DATE_EPOCH} ${seconds})
endif()

if(CPACK_GENERATOR STREQUAL DEB)
  if(CPACK_CNSCHED_STATIC)
    message(FATAL_ERROR "A .deb is linked dynamically: cmake --workflow --preset deb")
  endif()
  set(CPACK_PRE_BUILD_SCRIPTS "${CPACK_CNSCHED_SOURCE}/tools/cmake/deb.cmake")
  set(CPACK_STRIP_FILES ON)
endif()

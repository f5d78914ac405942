# cnsched_embed(TARGET FUNCTION FILE...): adds to TARGET the function `cnsched::embedded::FUNCTION`, which returns the
# files with their paths from the root of the project, sorted (core/base/embedded_file.h). Text is data: a page, a
# template or a manual needs no string literal.
if(CMAKE_SCRIPT_MODE_FILE)
  set(rows "")
  foreach(path IN LISTS FILES)
    file(READ "${ROOT}/${path}" text)
    string(APPEND rows "    {\"${path}\", R\"~~~(${text})~~~\"},\n")
  endforeach()
  file(WRITE "${OUTPUT}" "// Written by tools/cmake/embed.cmake.
#include \"core/base/embedded_file.h\"

#include <array>
#include <span>

namespace cnsched::embedded {

static constexpr auto k_${FUNCTION} = std::to_array<EmbeddedFile>({
${rows}});

std::span<const EmbeddedFile> ${FUNCTION}() { return k_${FUNCTION}; }

}  // namespace cnsched::embedded
")
  return()
endif()

set(cnsched_embed_script "${CMAKE_CURRENT_LIST_FILE}")
function(cnsched_embed target function)
  set(paths "")
  foreach(file IN LISTS ARGN)
    cmake_path(ABSOLUTE_PATH file NORMALIZE)
    cmake_path(RELATIVE_PATH file BASE_DIRECTORY "${PROJECT_SOURCE_DIR}")
    list(APPEND paths "${file}")
  endforeach()
  list(SORT paths)
  set(output "${CMAKE_CURRENT_BINARY_DIR}/${function}.cpp")
  list(TRANSFORM paths PREPEND "${PROJECT_SOURCE_DIR}/" OUTPUT_VARIABLE inputs)
  add_custom_command(OUTPUT "${output}"
    COMMAND "${CMAKE_COMMAND}" "-DROOT=${PROJECT_SOURCE_DIR}" "-DFUNCTION=${function}" "-DFILES=${paths}"
            "-DOUTPUT=${output}" -P "${cnsched_embed_script}"
    DEPENDS ${inputs} "${cnsched_embed_script}"
    VERBATIM)
  target_sources(${target} PRIVATE "${output}")
endfunction()

# Writes OUTPUT: the YAML files of DIRECTORY as string literals. A literal may be no longer than
# 64 KiB, and templates are far from it.
file(GLOB templates RELATIVE "${DIRECTORY}" "${DIRECTORY}/*.yaml")
list(SORT templates)

function(literal path result)
  file(READ "${DIRECTORY}/${path}" text)
  set(${result} "{\"templates/${path}\", R\"~~~(${text})~~~\"}" PARENT_SCOPE)
endfunction()

set(rows "")
foreach(template IN LISTS templates)
  literal("${template}" row)
  string(APPEND rows "    ${row},\n")
endforeach()
literal("common/parameters.yaml" parameters)

file(WRITE "${OUTPUT}" "// Written by templates/embed.cmake.
#include \"templates/builtin.h\"

#include <array>

namespace cnsched::templates {

namespace {

constexpr auto kTemplates = std::to_array<Builtin>({
${rows}});

}  // namespace

std::span<const Builtin> builtin_templates() { return kTemplates; }

Builtin builtin_parameters() {
  return ${parameters};
}

}  // namespace cnsched::templates
")

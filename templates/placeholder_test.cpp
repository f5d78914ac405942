#include "templates/placeholder.h"
#include "testdata/support.h"

namespace cnsched::templates::placeholder_test {

std::string shown(std::string_view text) {
  const auto pieces = pieces_of(text);
  if (!pieces) return "error: " + pieces.error().message;
  std::string result;
  for (const Piece& piece : *pieces) {
    result += piece.is_parameter ? "<" + piece.text + ">" : "[" + piece.text + "]";
  }
  return result;
}

TEST_CASE("splits a string at its placeholders") {
  CHECK(shown("") == "");
  CHECK(shown("llama") == "[llama]");
  CHECK(shown("${{ name }}") == "<name>");
  CHECK(shown("${{name}}") == "<name>");
  CHECK(shown("gs://${{ bucket }}/${{ name }}-x") == "[gs://]<bucket>[/]<name>[-x]");
  CHECK(shown("${{ accelerator.resource }}") == "<accelerator.resource>");
}

TEST_CASE("a doubled dollar sign escapes a placeholder") {
  CHECK(shown("$${{ name }}") == "[${{ name }}]");
  CHECK(shown("a $${{ b ${{ c }}") == "[a ${{ b ]<c>");
  CHECK_FALSE(has_placeholders("$(NAME) {{.Name}} ${NAME}"));
  CHECK(has_placeholders("$${{"));
}

TEST_CASE("rejects a placeholder that is not closed or has no name") {
  CHECK(shown("${{ name") ==
        "error: '${{' is not closed by '}}'; write '$${{' if it is meant literally");
  CHECK(shown("${{ }}") == "error: '${{ }}' names no parameter: write '${{ name }}'");
  CHECK(shown("${{ a b }}") == "error: '${{ a b }}' names no parameter: write '${{ name }}'");
}

}  // namespace cnsched::templates::placeholder_test

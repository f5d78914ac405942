#include "cli/lsp/requests.h"
#include "testdata/support.h"

namespace cnsched::cli::lsp::code_actions_test {

/// "3-5 text": the edit that changes one text into the other, which it does.
std::string edit_to(const std::string& before, const std::string& after) {
  const SourceFile file(0, "m.yaml", before);
  const Edit edit = edit_between(file, after);
  CHECK(apply(before, {edit}) == after);
  return std::to_string(edit.where.begin) + "-" + std::to_string(edit.where.end) + " " + edit.text;
}

TEST_CASE("an edit between two texts has whole lines") {
  CHECK(edit_to("a: 1\nb: 2\nc: 3\n", "a: 1\nb: 4\nc: 3\n") == "5-10 b: 4\n");
  CHECK(edit_to("a: 1\nb: 2\n", "a: 1\na: 1\nb: 2\n") == "5-5 a: 1\n");
  CHECK(edit_to("a: 1\nb: 2\n", "b: 2\n") == "0-5 ");
  CHECK(edit_to("a: 1\r\nb: 2\r\n", "a: 1\r\nb: 3\r\n") == "6-12 b: 3\r\n");
  CHECK(edit_to("a: 1", "a: 2") == "0-4 a: 2");
  CHECK(edit_to("", "a: 1\n") == "0-0 a: 1\n");
  CHECK(edit_to("a\n", "a\n") == "2-2 ");
}

TEST_CASE("an edit between two texts cuts no character") {
  CHECK(edit_to("\xC3\xA4\n", "\xC3\xB6\n") == "0-3 \xC3\xB6\n");
}

}  // namespace cnsched::cli::lsp::code_actions_test

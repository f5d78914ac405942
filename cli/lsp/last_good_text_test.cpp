#include "cli/lsp/documents.h"
#include "testdata/support.h"

namespace cnsched::cli::lsp::stand_in_test {

TEST_CASE("offsets outside of an edit correspond in the text before it") {
  const StandIn text(SourceFile(0, "m.yaml", "a: 1\nb: [\nc: 3\n"), "a: 1\nb: 2\nc: 3\n");
  CHECK(text.from_current(0) == 0);
  CHECK(text.from_current(8) == 8);
  CHECK(text.from_current(10) == 10);
  CHECK(text.to_current(12) == 12);
}

TEST_CASE("offsets within an edit correspond to nothing") {
  const StandIn text(SourceFile(0, "m.yaml", "a: {{{{\nb: 1\n"), "a: 1\nb: 1\n");
  CHECK(text.from_current(3) == 3);
  CHECK_FALSE(text.from_current(5));
  CHECK(text.from_current(8) == 5);
  CHECK(text.to_current(3) == 3);
  CHECK(text.to_current(5) == 8);
  CHECK(text.to_current(10) == 13);
}

TEST_CASE("a text that is a part of the other one corresponds to it") {
  const StandIn shorter(SourceFile(0, "m.yaml", "aa"), "aaaa");
  CHECK(shorter.from_current(2) == 2);
  CHECK(shorter.to_current(4) == 2);
  const StandIn longer(SourceFile(0, "m.yaml", "aaaa"), "aa");
  CHECK(longer.from_current(4) == 2);
  CHECK(longer.to_current(2) == 2);
}

}  // namespace cnsched::cli::lsp::stand_in_test

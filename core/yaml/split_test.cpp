#include "core/yaml/split.h"

#include <iterator>

#include "testdata/chance.h"
#include "testdata/support.h"

namespace cnsched::yaml::split_test {

std::vector<std::string> pieces(std::string text) {
  const SourceFile file(0, "test.yaml", std::move(text));
  std::vector<std::string> result;
  for (const Span document : split(file)) result.emplace_back(file.text(document));
  return result;
}

using Pieces = std::vector<std::string>;

TEST_CASE("a file without separators is one document") {
  CHECK(pieces("a: b\nc: d\n") == Pieces{"a: b\nc: d\n"});
  CHECK(pieces("a: b") == Pieces{"a: b"});
}

TEST_CASE("documents begin at lines of three dashes") {
  CHECK(pieces("a: 1\n---\nb: 2\n") == Pieces{"a: 1\n", "---\nb: 2\n"});
  CHECK(pieces("---\na: 1\n--- # two\nb: 2\n") == Pieces{"---\na: 1\n", "--- # two\nb: 2\n"});
  CHECK(pieces("a: 1\r\n---\r\nb: 2\r\n") == Pieces{"a: 1\r\n", "---\r\nb: 2\r\n"});
  CHECK(pieces("a: 1\n---\tx\n") == Pieces{"a: 1\n", "---\tx\n"});
}

TEST_CASE("ignores text that resembles a separator") {
  CHECK(pieces("a: 1\n ---\nb: 2\n").size() == 1);
  CHECK(pieces("----BEGIN\nb: 2\n").size() == 1);
  CHECK(pieces("---x: 1\n").size() == 1);
}

TEST_CASE("omits documents without content") {
  CHECK(pieces("").empty());
  CHECK(pieces("\n# nothing\n").empty());
  CHECK(pieces("---\n---\n---\na: 1\n---\n# end\n") == Pieces{"---\na: 1\n"});
  CHECK(pieces("--- # comment only\n...\n").empty());
  CHECK(pieces("--- {a: 1}\n") == Pieces{"--- {a: 1}\n"});
}

TEST_CASE("comments and directives above the first separator belong to its document") {
  CHECK(pieces("# top\n%YAML 1.1\n---\na: 1\n") == Pieces{"# top\n%YAML 1.1\n---\na: 1\n"});
}

TEST_CASE("a byte order mark belongs to no document") {
  CHECK(pieces("\xEF\xBB\xBF"
               "a: 1\n") == Pieces{"a: 1\n"});
  CHECK(pieces("\xEF\xBB\xBF---\na: 1\n---\nb: 2\n") == Pieces{"---\na: 1\n", "---\nb: 2\n"});
}

TEST_CASE("the parts have the same documents as the file") {
  Chance chance(4);
  for (int i = 0; i < 2000; ++i) {
    std::string text = chance.one_in(8) ? "\xEF\xBB\xBF" : "";
    for (std::size_t line = chance.below(30); line > 0; --line) {
      text +=
          chance.any_of({"---", "---", "--- # x", "a: 1", "# x", "", "...", "%YAML 1.1", "----"});
      text += chance.any_of({"\n", "\n", "\r\n", "\r"});
    }
    const SourceFile file(0, "test.yaml", std::move(text));
    for (const std::size_t bytes : {1U, 5U, 20U, 100U}) {
      std::vector<Span> documents;
      for (const Span part : parts_of(file, bytes)) {
        CHECK(part.end - part.begin >= std::min(bytes, file.bytes().size() - part.begin));
        std::ranges::copy(split(file, part), std::back_inserter(documents));
      }
      CAPTURE(file.bytes());
      CAPTURE(bytes);
      CHECK(documents == split(file));
    }
  }
}

}  // namespace cnsched::yaml::split_test

#include "core/yaml/extent.h"
#include "testdata/support.h"

namespace cnsched::yaml::extent_test {

std::vector<std::string> comments(const std::string& text) {
  const Parsed parsed(text);
  REQUIRE(parsed.document.problems.empty());
  std::vector<std::string> result;
  for (const Comment& comment : parsed.document.comments) {
    result.push_back((comment.own_line ? "own: " : "trailing: ") +
                     std::string(parsed.at(comment.span)));
  }
  return result;
}

using Found = std::vector<std::string>;

TEST_CASE("finds comments on their own line and after a value") {
  CHECK(comments("# top\na: b # behind\n  # indented\nc: d\n") ==
        Found{"own: # top", "trailing: # behind", "own: # indented"});
  CHECK(comments("a: b #") == Found{"trailing: #"});
}

TEST_CASE("a '#' within a value is not a comment") {
  CHECK(comments("a: x#y\nb: \"p # q\"\nc: 'r # s'\nd: \"one\n  # two\"\n").empty());
  CHECK(comments("a: |\n  # text\n  more # text\nb: c # yes\n") == Found{"trailing: # yes"});
}

TEST_CASE("comments are found in flow collections, after block headers and keys") {
  CHECK(comments("a: [b, # one\n    c] # two\n") == Found{"trailing: # one", "trailing: # two"});
  CHECK(comments("a: {b: c # one\n}\n") == Found{"trailing: # one"});
  CHECK(comments("a: # one\n  b: c\n") == Found{"trailing: # one"});
}

TEST_CASE("a comment ends with its line, CRLF or not") {
  CHECK(comments("a: b # one\r\n# two\r\n") == Found{"trailing: # one", "own: # two"});
}

TEST_CASE("finds a comment below a block scalar with less indentation") {
  CHECK(comments("a: |\n    x\n  # out\nb: c\n") == Found{"own: # out"});
}

}  // namespace cnsched::yaml::extent_test

#include "core/yaml/node.h"
#include "testdata/support.h"

namespace cnsched::yaml::node_test {

TEST_CASE("a pointer has the keys and indices from the root") {
  const Parsed parsed("a:\n  b:\n  - x\n  - c: [y]\n");
  const Node& root = parsed.root();
  CHECK(pointer_to(root, root).empty());
  CHECK(pointer_to(root.under("a").under("b").at(0), root) == "/a/b/0");
  CHECK(pointer_to(root.under("a").under("b").at(1).under("c").at(0), root) == "/a/b/1/c/0");
  CHECK(pointer_to(root.under("a").under("b").at(1).under("c"), root.under("a")) == "/b/1/c");
}

TEST_CASE("a pointer escapes slashes and tildes in keys") {
  const Parsed parsed("nvidia.com/gpu: {a~b: x}\n");
  CHECK(pointer_to(parsed.root().under("nvidia.com/gpu").under("a~b"), parsed.root()) ==
        "/nvidia.com~1gpu/a~0b");
}

TEST_CASE("a pointer to an alias is that of its use") {
  const Parsed parsed("a: &x {k: v}\nb: [1, *x]\n");
  CHECK(pointer_to(parsed.root().under("b").at(1), parsed.root()) == "/b/1");
}

TEST_CASE("an absent value is a missing node at any depth") {
  const Parsed parsed("a: x\n");
  CHECK(parsed.root().under("b").under("c").at(3).under("d").is_missing());
  CHECK(parsed.root().under("a").under("b").is_missing());
  CHECK_FALSE(parsed.root().under("b"));
  CHECK(parsed.root().under("a"));
  CHECK(parsed.root().under("b").text().empty());
}

TEST_CASE("null, {} and [] are empty, an empty string is not") {
  const Parsed parsed("a:\nb: {}\nc: []\nd: ''\ne: [x]\n");
  CHECK(parsed.root().under("a").is_empty());
  CHECK(parsed.root().under("b").is_empty());
  CHECK(parsed.root().under("c").is_empty());
  CHECK_FALSE(parsed.root().under("d").is_empty());
  CHECK_FALSE(parsed.root().under("e").is_empty());
}

TEST_CASE("every value has its key and parent") {
  const Parsed parsed("a:\n  b: c\n");
  const Node& value = parsed.root().under("a").under("b");
  REQUIRE(value.key() != nullptr);
  CHECK(value.key()->text() == "b");
  CHECK(value.parent() == &parsed.root().under("a"));
}

}  // namespace cnsched::yaml::node_test

#include "core/yaml/node.h"
#include "testdata/support.h"

namespace cnsched::yaml::node_test {

TEST_CASE("a pointer has the keys and indices from the root") {
  const Parsed parsed("a:\n  b:\n  - x\n  - c: [y]\n");
  const Node& root = parsed.root();
  CHECK(pointer_to(root, root).empty());
  CHECK(pointer_to(root["a"]["b"].at(0), root) == "/a/b/0");
  CHECK(pointer_to(root["a"]["b"].at(1)["c"].at(0), root) == "/a/b/1/c/0");
  CHECK(pointer_to(root["a"]["b"].at(1)["c"], root["a"]) == "/b/1/c");
}

TEST_CASE("a pointer escapes slashes and tildes in keys") {
  const Parsed parsed("nvidia.com/gpu: {a~b: x}\n");
  CHECK(pointer_to(parsed.root()["nvidia.com/gpu"]["a~b"], parsed.root()) ==
        "/nvidia.com~1gpu/a~0b");
}

TEST_CASE("a pointer to an alias is that of its use") {
  const Parsed parsed("a: &x {k: v}\nb: [1, *x]\n");
  CHECK(pointer_to(parsed.root()["b"].at(1), parsed.root()) == "/b/1");
}

TEST_CASE("an absent value is a missing node at any depth") {
  const Parsed parsed("a: x\n");
  CHECK(parsed.root()["b"]["c"].at(3)["d"].is_missing());
  CHECK(parsed.root()["a"]["b"].is_missing());
  CHECK_FALSE(parsed.root()["b"]);
  CHECK(parsed.root()["a"]);
  CHECK(parsed.root()["b"].text().empty());
}

TEST_CASE("null, {} and [] are empty, an empty string is not") {
  const Parsed parsed("a:\nb: {}\nc: []\nd: ''\ne: [x]\n");
  CHECK(parsed.root()["a"].is_empty());
  CHECK(parsed.root()["b"].is_empty());
  CHECK(parsed.root()["c"].is_empty());
  CHECK_FALSE(parsed.root()["d"].is_empty());
  CHECK_FALSE(parsed.root()["e"].is_empty());
}

TEST_CASE("every value has its key and parent") {
  const Parsed parsed("a:\n  b: c\n");
  const Node& value = parsed.root()["a"]["b"];
  REQUIRE(value.key() != nullptr);
  CHECK(value.key()->text() == "b");
  CHECK(value.parent() == &parsed.root()["a"]);
}

}  // namespace cnsched::yaml::node_test

#include "core/kserve/filled_tree.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "testdata/support.h"

namespace cnsched::kserve {

namespace {

struct Filled {
  explicit Filled(const std::string& spec)
      : parsed("metadata: {name: llama}\nspec: " + spec + "\n"),
        service(k8s::objects_in(parsed.document).front()),
        node(filled(service.spec(), {service, false}, arena)) {}

  test::Parsed parsed;
  k8s::Object service;
  Arena arena;
  const yaml::Node& node;
};

}  // namespace

TEST_CASE("a value that was filled in is made, and knows its expression's place") {
  const Filled tree("{a: ['{{ .Name }}', plain], b: {c: '{{ unknown }}'}}");
  const yaml::Node& name = tree.node["a"].at(0);
  CHECK(name.text() == "llama");
  CHECK(name.made);
  CHECK(tree.parsed.at(name.span) == "'{{ .Name }}'");
  CHECK_FALSE(tree.node["a"].at(1).made);
  CHECK(tree.node["b"]["c"].text() == "{{ unknown }}");
}

TEST_CASE("a tree without expressions stays the tree that it is") {
  const Filled tree("{a: [1, {b: c}]}");
  CHECK(&tree.node == &tree.service.spec());
}

TEST_CASE("aliases that nest deeper than any manifest do no harm") {
  std::string spec = "\n  a0: &a0 ['{{ .Name }}']\n";
  for (int i = 1; i < 300; ++i) spec += fmt::format("  a{0}: &a{0} [*a{1}]\n", i, i - 1);
  const Filled tree(spec);
  CHECK(tree.node["a1"].at(0).at(0).text() == "llama");
  CHECK(tree.node["a299"].at(0).items().size() == 1);
}

}  // namespace cnsched::kserve

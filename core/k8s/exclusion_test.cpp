#include "core/k8s/exclusion.h"
#include "testdata/support.h"

namespace cnsched::k8s::exclusion_test {

/// Whether two requirements on the label `gpu`, written without their key, exclude each other;
/// checks that their order does not matter.
bool exclude(const std::string& a, const std::string& b, const std::string& key = "gpu") {
  const Parsed list("[{key: gpu, " + a + "}, {key: " + key + ", " + b + "}]");
  const auto requirements = requirements_in(list.root());
  REQUIRE(requirements.size() == 2);
  const bool result = exclude_each_other(requirements[0], requirements[1]);
  CHECK(result == exclude_each_other(requirements[1], requirements[0]));
  return result;
}

/// Adds requirements on the label `gpu`, written without their key, the first `base_count` to a
/// base. Returns the indices of the first ones found to conflict; empty if none do.
std::vector<std::size_t> contradiction(const std::vector<std::string>& requirements,
                                       std::size_t base_count = 0) {
  std::string text = "[";
  for (const std::string& r : requirements) text += "{key: gpu, " + r + "}, ";
  const Parsed list(text + "]");
  const auto all = requirements_in(list.root());
  Conjunction base;
  for (std::size_t i = 0; i < base_count; ++i) REQUIRE(base.add(all[i]).empty());
  Conjunction conjunction(&base);
  for (std::size_t i = base_count; i < all.size(); ++i) {
    std::vector<std::size_t> indices;
    for (const Requirement& found : conjunction.add(all[i])) {
      indices.push_back(static_cast<std::size_t>(
          std::ranges::find(all, found.node, &Requirement::node) - all.begin()));
    }
    if (!indices.empty()) return indices;
  }
  return {};
}

using Indices = std::vector<std::size_t>;

TEST_CASE("value sets without a common value exclude each other") {
  CHECK(exclude("operator: In, values: [a]", "operator: In, values: [b, c]"));
  CHECK_FALSE(exclude("operator: In, values: [a, b]", "operator: In, values: [b, c]"));
  CHECK(exclude("operator: In, values: [a, b]", "operator: NotIn, values: [a, b, c]"));
  CHECK_FALSE(exclude("operator: In, values: [a, d]", "operator: NotIn, values: [a, b, c]"));
  CHECK_FALSE(exclude("operator: NotIn, values: [a]", "operator: NotIn, values: [b]"));
}

TEST_CASE("a requirement for a label and one against it exclude each other") {
  CHECK(exclude("operator: DoesNotExist", "operator: Exists"));
  CHECK(exclude("operator: DoesNotExist", "operator: In, values: [a]"));
  CHECK(exclude("operator: DoesNotExist", "operator: Gt, values: ['3']"));
  CHECK_FALSE(exclude("operator: DoesNotExist", "operator: NotIn, values: [a]"));
  CHECK_FALSE(exclude("operator: DoesNotExist", "operator: DoesNotExist"));
  CHECK_FALSE(exclude("operator: Exists", "operator: NotIn, values: [a]"));
  CHECK_FALSE(exclude("operator: Exists", "operator: In, values: [a]"));
}

TEST_CASE("intervals without a common whole number exclude each other") {
  CHECK(exclude("operator: Gt, values: ['4']", "operator: Lt, values: ['5']"));
  CHECK_FALSE(exclude("operator: Gt, values: ['3']", "operator: Lt, values: ['5']"));
  CHECK(exclude("operator: In, values: ['2', a]", "operator: Gt, values: ['2']"));
  CHECK_FALSE(exclude("operator: In, values: ['2', '8']", "operator: Gt, values: ['2']"));
  CHECK_FALSE(exclude("operator: Gt, values: ['2']", "operator: NotIn, values: ['3']"));
  CHECK_FALSE(exclude("operator: Gt, values: ['2']", "operator: Gt, values: ['9']"));
}

TEST_CASE("a requirement that no node satisfies excludes no other") {
  CHECK_FALSE(exclude("operator: In, values: []", "operator: In, values: [a]"));
  CHECK_FALSE(exclude("operator: Gt, values: [many]", "operator: In, values: [a]"));
  CHECK_FALSE(exclude("operator: Lt, values: ['0']", "operator: Gt, values: ['3']"));
  CHECK_FALSE(
      exclude("operator: Gt, values: ['9223372036854775807']", "operator: Lt, values: ['3']"));
  CHECK_FALSE(exclude("operator: in, values: [b]", "operator: In, values: [a]"));
}

TEST_CASE("placeholders and different labels are ignored") {
  CHECK_FALSE(exclude("operator: In, values: ['${GPU}']", "operator: In, values: [a]"));
  CHECK_FALSE(exclude("operator: In, values: [a]", "operator: In, values: [b]", "cpu"));
}

TEST_CASE("a deprecated label and its replacement are one label") {
  const Parsed labels("{beta.kubernetes.io/arch: amd64, kubernetes.io/arch: arm64}");
  const auto selector = labels_in(labels.root());
  CHECK(exclude_each_other(requirement_of(selector[0]), requirement_of(selector[1])));
  CHECK_FALSE(exclude_each_other(requirement_of(selector[0]), requirement_of(selector[0])));
}

TEST_CASE("names the two of many requirements that exclude each other") {
  CHECK(contradiction({"operator: Exists", "operator: In, values: [a]",
                       "operator: NotIn, values: [b]", "operator: In, values: [c]"}) ==
        Indices{1, 3});
  CHECK(contradiction({"operator: Gt, values: ['2']", "operator: Gt, values: ['7']",
                       "operator: Lt, values: ['5']"}) == Indices{1, 2});
  CHECK(contradiction({"operator: NotIn, values: [a]", "operator: DoesNotExist",
                       "operator: Exists"}) == Indices{1, 2});
}

TEST_CASE("names exactly the requirements that only together admit no node") {
  CHECK(contradiction({"operator: In, values: [a, b]", "operator: NotIn, values: [a]",
                       "operator: Exists", "operator: NotIn, values: [b]"}) == Indices{0, 1, 3});
  CHECK(contradiction({"operator: NotIn, values: [a]", "operator: NotIn, values: [b]",
                       "operator: In, values: [a, b]"}) == Indices{0, 1, 2});
  CHECK(contradiction({"operator: In, values: ['1', '5']", "operator: Lt, values: ['100']",
                       "operator: Gt, values: ['3']", "operator: NotIn, values: ['5']"}) ==
        Indices{0, 2, 3});
}

TEST_CASE("accepts requirements that some node satisfies") {
  CHECK(contradiction({"operator: In, values: [a, b, c]", "operator: NotIn, values: [a]",
                       "operator: In, values: [b, d]", "operator: Exists"})
            .empty());
  CHECK(contradiction({"operator: Gt, values: ['3']", "operator: Lt, values: ['5']",
                       "operator: NotIn, values: ['4']"})
            .empty());
  CHECK(contradiction({"operator: NotIn, values: [a]", "operator: DoesNotExist"}).empty());
  CHECK(contradiction({"operator: In, values: ['${GPU}']", "operator: In, values: [a]"}).empty());
}

TEST_CASE("base requirements count and are not changed by later ones") {
  CHECK(contradiction({"operator: In, values: [a]", "operator: NotIn, values: [a]"}, 1) ==
        Indices{0, 1});
  const Parsed list(
      "[{key: gpu, operator: In, values: [a, b]}, {key: gpu, operator: In, values: [a]}, "
      "{key: gpu, operator: In, values: [b]}]");
  const auto all = requirements_in(list.root());
  Conjunction base;
  CHECK(base.add(all[0]).empty());
  CHECK(Conjunction(&base).add(all[1]).empty());
  CHECK(Conjunction(&base).add(all[2]).empty());
}

TEST_CASE("ignores more than 100 requirements on one label") {
  std::vector<std::string> many(200, "operator: Exists");
  many.emplace_back("operator: DoesNotExist");
  CHECK(contradiction(many).empty());
}

}  // namespace cnsched::k8s::exclusion_test

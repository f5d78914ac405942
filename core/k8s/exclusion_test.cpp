#include "core/k8s/exclusion.h"

#include <doctest/doctest.h>

#include "testdata/support.h"

namespace cnsched::k8s {

namespace {

/// Whether two requirements on the label `gpu`, written without their key, exclude each other; the
/// answer may not depend on their order.
bool exclude(const std::string& a, const std::string& b, const std::string& key = "gpu") {
  const test::Parsed list("[{key: gpu, " + a + "}, {key: " + key + ", " + b + "}]");
  const auto requirements = requirements_in(list.root());
  REQUIRE(requirements.size() == 2);
  const bool result = exclude_each_other(requirements[0], requirements[1]);
  CHECK(result == exclude_each_other(requirements[1], requirements[0]));
  return result;
}

}  // namespace

TEST_CASE("sets of values exclude each other if no value is in both") {
  CHECK(exclude("operator: In, values: [a]", "operator: In, values: [b, c]"));
  CHECK_FALSE(exclude("operator: In, values: [a, b]", "operator: In, values: [b, c]"));
  CHECK(exclude("operator: In, values: [a, b]", "operator: NotIn, values: [a, b, c]"));
  CHECK_FALSE(exclude("operator: In, values: [a, d]", "operator: NotIn, values: [a, b, c]"));
  CHECK_FALSE(exclude("operator: NotIn, values: [a]", "operator: NotIn, values: [b]"));
}

TEST_CASE("what asks for a label and what forbids it exclude each other") {
  CHECK(exclude("operator: DoesNotExist", "operator: Exists"));
  CHECK(exclude("operator: DoesNotExist", "operator: In, values: [a]"));
  CHECK(exclude("operator: DoesNotExist", "operator: Gt, values: ['3']"));
  CHECK_FALSE(exclude("operator: DoesNotExist", "operator: NotIn, values: [a]"));
  CHECK_FALSE(exclude("operator: DoesNotExist", "operator: DoesNotExist"));
  CHECK_FALSE(exclude("operator: Exists", "operator: NotIn, values: [a]"));
  CHECK_FALSE(exclude("operator: Exists", "operator: In, values: [a]"));
}

TEST_CASE("intervals exclude each other if no whole number lies in both") {
  CHECK(exclude("operator: Gt, values: ['4']", "operator: Lt, values: ['5']"));
  CHECK_FALSE(exclude("operator: Gt, values: ['3']", "operator: Lt, values: ['5']"));
  CHECK(exclude("operator: In, values: ['2', a]", "operator: Gt, values: ['2']"));
  CHECK_FALSE(exclude("operator: In, values: ['2', '8']", "operator: Gt, values: ['2']"));
  CHECK_FALSE(exclude("operator: Gt, values: ['2']", "operator: NotIn, values: ['3']"));
  CHECK_FALSE(exclude("operator: Gt, values: ['2']", "operator: Gt, values: ['9']"));
}

TEST_CASE("a requirement that no node satisfies is not blamed on another") {
  CHECK_FALSE(exclude("operator: In, values: []", "operator: In, values: [a]"));
  CHECK_FALSE(exclude("operator: Gt, values: [many]", "operator: In, values: [a]"));
  CHECK_FALSE(exclude("operator: Lt, values: ['0']", "operator: Gt, values: ['3']"));
  CHECK_FALSE(
      exclude("operator: Gt, values: ['9223372036854775807']", "operator: Lt, values: ['3']"));
  CHECK_FALSE(exclude("operator: in, values: [b]", "operator: In, values: [a]"));
}

TEST_CASE("placeholders and other labels are never judged") {
  CHECK_FALSE(exclude("operator: In, values: ['${GPU}']", "operator: In, values: [a]"));
  CHECK_FALSE(exclude("operator: In, values: [a]", "operator: In, values: [b]", "cpu"));
}

TEST_CASE("a deprecated label has the value of its successor") {
  const test::Parsed labels("{beta.kubernetes.io/arch: amd64, kubernetes.io/arch: arm64}");
  const auto selector = labels_in(labels.root());
  CHECK(exclude_each_other(requirement_of(selector[0]), requirement_of(selector[1])));
  CHECK_FALSE(exclude_each_other(requirement_of(selector[0]), requirement_of(selector[0])));
}

}  // namespace cnsched::k8s

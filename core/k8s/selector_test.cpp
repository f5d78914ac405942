#include "core/k8s/selector.h"
#include "testdata/support.h"

namespace cnsched::k8s::selector_test {

/// Whether a node with these labels satisfies the requirement; both are written as YAML.
bool matches(const std::string& requirement, const std::string& labels) {
  const Parsed expressions("[" + requirement + "]");
  const Parsed node(labels);
  const auto requirements = requirements_in(expressions.root());
  REQUIRE(requirements.size() == 1);
  return requirements.front().matches(labels_in(node.root()));
}

TEST_CASE("In requires the label with one of the values") {
  const char* in = "{key: gpu, operator: In, values: [a100, h100]}";
  CHECK(matches(in, "{gpu: a100}"));
  CHECK(matches(in, "{gpu: h100}"));
  CHECK_FALSE(matches(in, "{gpu: A100}"));
  CHECK_FALSE(matches(in, "{gpu: t4}"));
  CHECK_FALSE(matches(in, "{}"));
  CHECK_FALSE(matches("{key: gpu, operator: In, values: []}", "{gpu: a100}"));
  CHECK(matches(R"({key: gpu, operator: In, values: [""]})", R"({gpu: ""})"));
}

TEST_CASE("NotIn also matches nodes without the label") {
  const char* not_in = "{key: gpu, operator: NotIn, values: [a100]}";
  CHECK_FALSE(matches(not_in, "{gpu: a100}"));
  CHECK(matches(not_in, "{gpu: t4}"));
  CHECK(matches(not_in, "{}"));
}

TEST_CASE("Exists and DoesNotExist compare the key only") {
  CHECK(matches("{key: gpu, operator: Exists}", R"({gpu: ""})"));
  CHECK_FALSE(matches("{key: gpu, operator: Exists}", "{GPU: x}"));
  CHECK(matches("{key: gpu, operator: DoesNotExist}", "{}"));
  CHECK_FALSE(matches("{key: gpu, operator: DoesNotExist}", R"({gpu: ""})"));
}

TEST_CASE("Gt and Lt are strict and compare whole numbers") {
  const char* more = R"({key: memory, operator: Gt, values: ["40000"]})";
  CHECK(matches(more, R"({memory: "40001"})"));
  CHECK_FALSE(matches(more, R"({memory: "40000"})"));
  CHECK_FALSE(matches(more, "{}"));
  const char* less = R"({key: memory, operator: Lt, values: ["40000"]})";
  CHECK(matches(less, R"({memory: "39999"})"));
  CHECK_FALSE(matches(less, R"({memory: "40000"})"));
  CHECK_FALSE(matches(less, "{}"));
}

TEST_CASE("Gt never matches a label or value that is not an integer") {
  CHECK_FALSE(matches(R"({key: memory, operator: Gt, values: ["40"]})", "{memory: 64G}"));
  CHECK_FALSE(matches(R"({key: memory, operator: Gt, values: ["40Gi"]})", R"({memory: "64000"})"));
  CHECK_FALSE(matches(R"({key: memory, operator: Gt, values: ["15.5"]})", R"({memory: "16"})"));
}

TEST_CASE("Gt and Lt take exactly one value") {
  CHECK_FALSE(matches(R"({key: memory, operator: Gt, values: []})", R"({memory: "16"})"));
  CHECK_FALSE(matches(R"({key: memory, operator: Gt})", R"({memory: "16"})"));
  CHECK_FALSE(matches(R"({key: memory, operator: Gt, values: ["1", "2"]})", R"({memory: "16"})"));
}

TEST_CASE("an unknown operator is never satisfied") {
  for (const std::string op : {"in", "Equals", "NotEquals", "'='", "Gte", "''"}) {
    CAPTURE(op);
    const std::string requirement = "{key: gpu, values: [a100], operator: " + op + "}";
    CHECK_FALSE(matches(requirement, "{gpu: a100}"));
    CHECK_FALSE(matches(requirement, "{}"));
  }
}

TEST_CASE("some operators require the label to exist") {
  const Parsed list(
      "[{operator: In}, {operator: Exists}, {operator: Gt}, {operator: Lt},"
      " {operator: NotIn}, {operator: DoesNotExist}, {operator: in}]");
  const auto requirements = requirements_in(list.root());
  REQUIRE(requirements.size() == 7);
  for (std::size_t i = 0; i < requirements.size(); ++i) {
    CAPTURE(i);
    CHECK(requirements[i].requires_label() == (i < 4));
  }
}

TEST_CASE("integers are read as Go reads them, base 10 and 64 bits") {
  CHECK(parse_int64("0") == 0);
  CHECK(parse_int64("007") == 7);
  CHECK(parse_int64("+5") == 5);
  CHECK(parse_int64("-5") == -5);
  CHECK(parse_int64("9223372036854775807") == 9223372036854775807);
  CHECK(parse_int64("-9223372036854775808") == -9223372036854775807 - 1);
  for (const std::string text :
       {"", "+", "-", "+-5", "-+5", "++5", "1.5", "1e3", "64G", "1_000", " 1", "1 ", "0x10",
        "9223372036854775808", "-9223372036854775809"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_int64(text));
  }
}

TEST_CASE("the last of duplicate labels counts, with its own position") {
  const Parsed parsed("gpu: a100\ngpu: h100\npool: x\n");
  const auto labels = labels_in(parsed.root());
  REQUIRE(labels.size() == 2);
  CHECK(labels[0].value == "h100");
  CHECK(parsed.place(labels[0].node->span) == "2:6-10");
  CHECK(labels[1].key == "pool");
}

TEST_CASE(
    "a node that is not a mapping has no labels, and one that is not a list no requirements") {
  for (const std::string text : {"[a]", "gpu", "null"}) {
    const Parsed parsed(text);
    CAPTURE(text);
    CHECK(labels_in(parsed.root()).empty());
  }
  for (const std::string text : {"{key: a}", "gpu", "[a, null]"}) {
    const Parsed parsed(text);
    CAPTURE(text);
    CHECK(requirements_in(parsed.root()).empty());
  }
}

TEST_CASE("a labelSelector requires its matchLabels, then its matchExpressions") {
  const Parsed selector(
      "{matchLabels: {a: b, c: ''}, matchExpressions: [{key: d, operator: Exists}]}");
  const auto requirements = label_selector_in(selector.root());
  REQUIRE(requirements.size() == 3);
  CHECK(requirements[0].matches({{"a", "b"}}));
  CHECK_FALSE(requirements[0].matches({{"a", "c"}}));
  CHECK(requirements[1].matches({{"c", ""}}));
  CHECK_FALSE(requirements[1].matches({}));
  CHECK(requirements[2].matches({{"d", "any"}}));
  CHECK(label_selector_in(yaml::missing_node()).empty());
  CHECK(label_selector_in(Parsed("{}").root()).empty());
}

TEST_CASE("a matcher with many values agrees with the requirement") {
  for (const std::string op : {"In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt", "Equals"}) {
    for (const std::string values : {"[]", "[a]", "[a, b]", "['5']"}) {
      const Parsed parsed("[{key: k, operator: " + op + ", values: " + values + "}]");
      const Requirement requirement = requirements_in(parsed.root()).front();
      const ValueMatcher matcher(requirement);
      using Value = std::optional<std::string_view>;
      for (const Value value :
           {Value(), Value("a"), Value("c"), Value(""), Value("4"), Value("6")}) {
        CAPTURE(op);
        CAPTURE(values);
        CHECK(matcher(value) == requirement.matches_value(value));
      }
    }
  }
}

}  // namespace cnsched::k8s::selector_test

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

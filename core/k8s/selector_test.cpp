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

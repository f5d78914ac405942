#include "testdata/scenario.h"

namespace cnsched::sim::node_affinity_test {

constexpr const char* kAffinity = "node(s) didn't match Pod's node affinity/selector";
constexpr const char* kByName = "node(s) didn't satisfy plugin(s) [NodeAffinity]";
constexpr const char* kUnknown =
    "unknown whether the pool's nodes have the required labels: the pool does not list them";

std::string required(const std::string& terms) {
  return pod(
      "containers: [], affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
      "{nodeSelectorTerms: [" +
      terms + "]}}}");
}

std::string selecting(const std::string& labels) {
  return pod("containers: [], nodeSelector: {" + labels + "}");
}

/// The verdict on a pod with these terms on a node with these labels.
std::string on(const std::string& labels, const std::string& terms) {
  return Scenario(node("a", labels), required(terms)).on("a");
}

std::string on_number(const std::string& label, const std::string& op, const std::string& value) {
  return on("n: '" + label + "'",
            "{matchExpressions: [{key: n, operator: " + op + ", values: ['" + value + "']}]}");
}

std::string named(const std::string& op, const std::string& name) {
  return "{key: metadata.name, operator: " + op + ", values: [" + name + "]}";
}

TEST_CASE("requires every entry of nodeSelector to match exactly") {
  const auto on_node = [](const std::string& labels, const std::string& selector) {
    return Scenario(node("a", labels), selecting(selector)).on("a");
  };
  CHECK(on_node("pool: gpu, zone: z", "pool: gpu") == "ok");
  CHECK(on_node("pool: gpu, zone: z", "pool: gpu, zone: z") == "ok");
  CHECK(on_node("pool: gpu", "pool: gpu, zone: z") == kAffinity);
  CHECK(on_node("pool: gpu", "pool: GPU") == kAffinity);
  CHECK(on_node("pool: gpu", "pool: ''") == kAffinity);
  CHECK(on_node("pool: ''", "pool: ''") == "ok");
  CHECK(on_node("", "pool: ''") == kAffinity);
  CHECK(on_node("", "") == "ok");
}

TEST_CASE("requires a node to match nodeSelector and one of the terms") {
  const std::string both = pod(
      "containers: [], nodeSelector: {pool: p}, affinity: {nodeAffinity: "
      "{requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: "
      "[{key: gpu, operator: Exists}]}, {matchExpressions: [{key: tpu, operator: Exists}]}]}}}");
  CHECK(Scenario(node("a", "pool: p, gpu: x"), both).on("a") == "ok");
  CHECK(Scenario(node("a", "pool: p, tpu: x"), both).on("a") == "ok");
  CHECK(Scenario(node("a", "pool: p"), both).on("a") == kAffinity);
  CHECK(Scenario(node("a", "gpu: x"), both).on("a") == kAffinity);
}

TEST_CASE("requires a node to match all expressions of a term, even several with one key") {
  const std::string term =
      "{matchExpressions: [{key: n, operator: Gt, values: ['3']}, {key: n, operator: Lt, values: "
      "['5']}]}";
  CHECK(on("n: '3'", term) == kAffinity);
  CHECK(on("n: '4'", term) == "ok");
  CHECK(on("n: '5'", term) == kAffinity);
}

TEST_CASE("compares strict base-10 int64 values for Gt and Lt") {
  CHECK(on_number("41", "Gt", "40") == "ok");
  CHECK(on_number("40", "Gt", "40") == kAffinity);
  CHECK(on_number("39", "Lt", "40") == "ok");
  CHECK(on_number("40", "Lt", "40") == kAffinity);
  CHECK(on_number("0041", "Gt", "00040") == "ok");
  CHECK(on_number("8", "Gt", "010") == kAffinity);
  CHECK(on_number("11", "Gt", "010") == "ok");
  CHECK(on_number("9223372036854775807", "Gt", "9223372036854775806") == "ok");
  CHECK(on_number("9223372036854775808", "Gt", "1") == kAffinity);
  CHECK(on_number("1", "Lt", "9223372036854775807") == "ok");
  CHECK(on_number("1", "Lt", "9223372036854775808") == kAffinity);
  CHECK(on_number("0", "Gt", "-9223372036854775808") == "ok");
  CHECK(on_number("0", "Gt", "-9223372036854775809") == kAffinity);
  CHECK(on_number("5", "Gt", "+3") == "ok");
  for (const std::string text : {"64G", "15.5", "1e3", "0x10", "1_0", " 5", "5 ", "", "-", "+-5"}) {
    CAPTURE(text);
    CHECK(on_number(text, "Gt", "1") == kAffinity);
    CHECK(on_number("99", "Gt", text) == kAffinity);
    CHECK(on_number("-99", "Lt", text) == kAffinity);
  }
  CHECK(on("", "{matchExpressions: [{key: n, operator: Gt, values: ['1']}]}") == kAffinity);
  CHECK(on("n: '5'", "{matchExpressions: [{key: n, operator: Gt, values: ['1', '2']}]}") ==
        kAffinity);
}

TEST_CASE("matches no node with an empty term or a list of empty terms") {
  CHECK(on("a: b", "{}") == kAffinity);
  CHECK(on("a: b", "{matchExpressions: []}") == kAffinity);
  CHECK(on("a: b", "{}, {matchExpressions: [{key: a, operator: Exists}]}") == "ok");
  CHECK(on("a: b", "") == kAffinity);
}

TEST_CASE("matches no node with a term that has an invalid expression, but with other terms") {
  const std::string bad = "{matchExpressions: [{key: a, operator: Equals, values: [b]}]}";
  CHECK(on("a: b", bad) == kAffinity);
  CHECK(on("a: b", bad + ", {matchExpressions: [{key: a, operator: In, values: [b]}]}") == "ok");
}

TEST_CASE("matches a long list of values like a short one") {
  std::string values;
  for (int i = 0; i < 300; ++i) values += "v" + std::to_string(i) + ", ";
  CHECK(on("a: v299", "{matchExpressions: [{key: a, operator: In, values: [" + values + "]}]}") ==
        "ok");
  CHECK(on("a: v299", "{matchExpressions: [{key: a, operator: NotIn, values: [" + values +
                          "]}]}") == kAffinity);
}

TEST_CASE("if every term names nodes, PreFilter rejects all others") {
  const std::string nodes = node("a") + node("b", "", "unschedulable: true");
  const Scenario one(nodes, required("{matchFields: [" + named("In", "a") + "]}"));
  CHECK(one.on("a") == "ok");
  CHECK(one.on("b") == kByName);
  const Scenario two(nodes, required("{matchFields: [" + named("In", "a") + "]}, {matchFields: [" +
                                     named("In", "b") + "]}"));
  CHECK(two.on("a") == "ok");
  CHECK(two.on("b") == "node(s) were unschedulable");
  const Scenario gone(nodes, required("{matchFields: [" + named("In", "gone") + "]}"));
  CHECK(gone.event() == std::string("0/2 nodes are available: 2 ") + kByName + ".");
}

TEST_CASE("if a term names no node, PreFilter rejects none") {
  const std::string nodes = node("a") + node("b", "pool: p");
  const Scenario mixed(nodes, required("{matchFields: [" + named("In", "a") +
                                       "]}, {matchExpressions: [{key: pool, operator: Exists}]}"));
  CHECK(mixed.on("a") == "ok");
  CHECK(mixed.on("b") == "ok");
  const Scenario without(nodes, required("{matchFields: [" + named("NotIn", "a") + "]}"));
  CHECK(without.on("a") == kAffinity);
  CHECK(without.on("b") == "ok");
  const Scenario empty(nodes, required("{}, {matchFields: [" + named("In", "a") + "]}"));
  CHECK(empty.on("b") == kAffinity);
}

TEST_CASE("conflicting names reject the pod, unless another term remains") {
  const std::string conflict =
      "{matchFields: [" + named("In", "a") + ", " + named("In", "b") + "]}";
  const std::string nodes = node("a") + node("b");
  CHECK(Scenario(nodes, required(conflict)).event() ==
        "0/2 nodes are available: pod affinity terms conflict.");
  CHECK(
      Scenario(nodes, required(conflict + ", {matchFields: [" + named("In", "b") + "]}")).on("b") ==
      "ok");
}

TEST_CASE("requires a node to match both the fields and the expressions of a term") {
  const std::string term = "{matchFields: [" + named("In", "a") +
                           "], matchExpressions: [{key: pool, operator: Exists}]}";
  CHECK(Scenario(node("a", "pool: p"), required(term)).on("a") == "ok");
  CHECK(Scenario(node("a"), required(term)).on("a") == kAffinity);
}

TEST_CASE("labels that an incomplete pool does not list are unknown") {
  const auto on_pool = [](const std::string& labels, const std::string& selector) {
    const Scenario scenario(node_pool("pool", labels), selecting(selector));
    const std::string on = scenario.on("pool");
    return has(on, kUnknown) ? "?" : on.starts_with(kAffinity) ? "no" : "ok";
  };
  CHECK(on_pool("pool: p", "pool: p") == "ok");
  CHECK(on_pool("pool: p", "pool: q") == "no");
  CHECK(on_pool("pool: p", "other: q") == "?");
}

TEST_CASE("NotIn and DoesNotExist match labels that a pool does not list") {
  const std::string term = "{matchExpressions: [{key: a, operator: DoesNotExist}]}";
  const std::string on = Scenario(node_pool("pool"), required(term)).on("pool");
  CHECK_FALSE(has(on, kUnknown));
}

TEST_CASE("explains the difference in the manifest's terms") {
  CHECK(Scenario(node("a", "pool: train"), selecting("pool: infer")).explained("a") ==
        "label 'pool' is 'train', not 'infer'");
  CHECK(Scenario(node("a"), selecting("pool: infer")).explained("a") ==
        "has no label 'pool' (required: 'infer')");
  CHECK(Scenario(node("a", "n: '3'"),
                 required("{matchExpressions: [{key: n, operator: Gt, values: ['5']}]}"))
            .explained("a") == "label 'n' is '3' (required: more than '5')");
  CHECK(Scenario(node("a"), required("{}")).explained("a") ==
        "required node affinity has only empty terms, which match no node");
  CHECK(Scenario(node("a"), required("{matchFields: [" + named("NotIn", "a") + "]}"))
            .explained("a") == "the node's name is not anything but 'a'");
  CHECK(Scenario(node("b"), required("{matchFields: [" + named("In", "a") + "]}")).explained("b") ==
        "the node's name is not 'a'");
  CHECK(Scenario(node("a", "pool: p"), selecting("pool: p")).explained("a").empty());
}

TEST_CASE("explains the term with the fewest unmet requirements") {
  const std::string far =
      "{matchExpressions: [{key: a, operator: Exists}, {key: b, operator: Exists}]}";
  const std::string near = "{matchExpressions: [{key: c, operator: Exists}]}";
  CHECK(Scenario(node("n"), required(far + ", " + near)).explained("n") ==
        "has no label 'c' (required: any value)");
}

}  // namespace cnsched::sim::node_affinity_test


#include "testdata/scenario.h"

namespace cnsched::sim::plugin_test {

using Scores = std::vector<std::int64_t>;

std::string preferring(const std::string& terms, const std::string& more = "") {
  return pod(
      "containers: [], affinity: {nodeAffinity: "
      "{preferredDuringSchedulingIgnoredDuringExecution: [" +
      terms + "]}}" + more);
}

std::string term(int weight, const std::string& key) {
  return "{weight: " + std::to_string(weight) + ", preference: {matchExpressions: [{key: " + key +
         ", operator: Exists}]}}";
}

Scores scores_of(const Scenario& scenario) {
  return scores(scenario.pod(), scenario.cluster(), scenario.diagnosis().feasible());
}

TEST_CASE("scales raw scores to integers up to 100") {
  const NodeSet all = NodeSet::all(3);
  CHECK(normalized({0, 1, 2}, all, Better::more) == Scores{0, 50, 100});
  CHECK(normalized({0, 1, 2}, all, Better::less) == Scores{100, 50, 0});
  CHECK(normalized({1, 3, 3}, all, Better::more) == Scores{33, 100, 100});
  CHECK(normalized({1, 3, 3}, all, Better::less) == Scores{67, 0, 0});
  CHECK(normalized({0, 0, 0}, all, Better::more) == Scores{0, 0, 0});
  CHECK(normalized({0, 0, 0}, all, Better::less) == Scores{100, 100, 100});
}

TEST_CASE("scales by the feasible nodes only") {
  NodeSet feasible(3);
  feasible.insert(0);
  feasible.insert(2);
  CHECK(normalized({1, 100, 2}, feasible, Better::more) == Scores{50, 100});
}

TEST_CASE("matching preferred terms add their weights; an empty term adds nothing") {
  const std::string nodes = node("a", "x: y") + node("b", "z: y") + node("c", "x: y, z: y");
  CHECK(scores_of(Scenario(nodes, preferring(term(1, "x") + ", " + term(3, "z")))) ==
        Scores{300 + 2 * 25, 300 + 2 * 75, 300 + 2 * 100});
  CHECK(scores_of(Scenario(nodes, preferring(term(1, "x") + ", {weight: 100, preference: {}}"))) ==
        Scores{500, 300, 500});
}

TEST_CASE("lowers the score for more untolerated PreferNoSchedule taints") {
  const std::string one = "{key: k, effect: PreferNoSchedule}";
  const std::string nodes =
      node("a") + node("b", "", "taints: [" + one + "]") +
      node("c", "", "taints: [" + one + ", {key: l, effect: PreferNoSchedule}]");
  CHECK(scores_of(Scenario(nodes, pod("containers: []"))) == Scores{300, 150, 0});
  CHECK(scores_of(Scenario(nodes, pod("containers: [], tolerations: [{key: k, operator: "
                                      "Exists}]"))) == Scores{300, 300, 0});
  CHECK(scores_of(Scenario(nodes, pod("containers: [], tolerations: [{key: k, operator: "
                                      "Exists, effect: NoSchedule}]"))) == Scores{300, 150, 0});
}

TEST_CASE("only feasible nodes have a score") {
  const Scenario scenario(node("a", "", "unschedulable: true") + node("b"), pod("containers: []"));
  CHECK_FALSE(scenario.diagnosis().score(0));
  CHECK(scenario.diagnosis().score(1) == 300);
}

TEST_CASE("without steps, it is unknown which nodes a plugin rejects") {
  const std::string nodes = node("a", "", "unschedulable: true") + node("b");
  const std::string spread = pod(
      "containers: [], topologySpreadConstraints: [{maxSkew: 1, topologyKey: x, whenUnsatisfiable: "
      "DoNotSchedule, labelSelector: {}}]");
  const std::string why = "the 1 steps of the run do not suffice (--max-steps permits more)";
  const Scenario none(nodes, spread, {.steps = std::make_shared<Steps>(1)});
  CHECK(none.on("a") == "? " + why);
  CHECK(none.explained("b") == why);
  CHECK(none.event() == "0/2 nodes are available: 2 unknown.");
  // What the first plugins reject stays rejected; the one that does not end says nothing.
  const auto steps = std::make_shared<Steps>(60);
  const Scenario some(nodes, spread, {.steps = steps});
  CHECK(some.on("a") == "node(s) were unschedulable");
  CHECK(some.on("b") == "? " + steps->text());
  CHECK(steps->were_spent());
}

}  // namespace cnsched::sim::plugin_test

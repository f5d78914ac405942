#include "core/sim/running_pods.h"
#include "testdata/scenario.h"

namespace cnsched::sim::running_pods_test {

/// The names of the candidates for a selector.
std::multiset<std::string> candidates(const Scenario& scenario, const std::string& selector) {
  const Parsed holder("{labelSelector: {" + selector + "}}");
  const Pod owner;
  std::multiset<std::string> names;
  scenario.cluster().running_pods().each_candidate(
      PodSelector(holder.root(), owner),
      [&](const RunningPod& pod) { names.insert(std::string(pod.pod.name)); });
  return names;
}

const std::string kAnti =
    "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: "
    "zone, labelSelector: {matchLabels: {app: x}}, matchLabelKeys: [rev]}]}}";

TEST_CASE("finds pods by their rarest label, each once") {
  using Names = std::multiset<std::string>;
  const Scenario scenario(node("a") + running_pod("p", "a", "app: x, tier: t") +
                              running_pod("q", "a", "app: x") + running_pod("r", "a", "app: y"),
                          test::pod("containers: []"));
  CHECK(candidates(scenario, "matchLabels: {app: x}") == Names{"p", "q"});
  CHECK(candidates(scenario, "matchLabels: {app: x, tier: t}") == Names{"p"});
  CHECK(candidates(scenario, "matchLabels: {none: x}").empty());
  CHECK(candidates(scenario, "matchLabels: {app: z}").empty());
  CHECK(candidates(scenario, "matchExpressions: [{key: app, operator: In, values: [x, y, x]}]") ==
        Names{"p", "q", "r"});
  CHECK(candidates(scenario, "matchExpressions: [{key: app, operator: NotIn, values: [x]}]") ==
        Names{"p", "q", "r"});
  CHECK(candidates(scenario, "") == Names{"p", "q", "r"});
}

TEST_CASE("shares an anti-affinity term among replicas, not among namespaces or revisions") {
  const auto terms = [](const std::string& pods) {
    return Scenario(node("a") + pods, test::pod("containers: []"))
        .cluster()
        .running_pods()
        .anti_affinities()
        .size();
  };
  const std::string first = running_pod("p", "a", "rev: '1'", kAnti);
  CHECK(terms(first + running_pod("q", "a", "rev: '1'", kAnti)) == 1);
  CHECK(terms(first + running_pod("q", "a", "rev: '2'", kAnti)) == 2);
  CHECK(terms(first + running_pod("q", "a", "rev: '1'", kAnti, "other")) == 2);
  std::string other = kAnti;
  other.replace(other.find("zone"), 4, "host");
  CHECK(terms(first + running_pod("q", "a", "rev: '1'", other)) == 2);
  other = kAnti;
  other.replace(other.find("app: x"), 6, "app: y");
  CHECK(terms(first + running_pod("q", "a", "rev: '1'", other)) == 2);
}

TEST_CASE("names some pods of a sample and counts the others") {
  const Scenario scenario(node("a") + running_pod("p", "a") + running_pod("q", "a") +
                              running_pod("r", "a") + running_pod("s", "a", "", "", ""),
                          test::pod("containers: []"));
  const auto text = [&](const std::vector<std::size_t>& places) {
    PodSample sample;
    for (const std::size_t place : places) sample.add(scenario.cluster().pods().at(place));
    return sample.text();
  };
  CHECK(text({0}) == "pod 'ml/p'");
  CHECK(text({3}) == "pod 's'");
  CHECK(text({0, 1}) == "pods 'ml/p' and 'ml/q'");
  CHECK(text({0, 1, 2, 3}) == "pods 'ml/p', 'ml/q', 'ml/r' and 1 more");
}

TEST_CASE("replicas on one node share an entry with a count") {
  const Scenario scenario(node("a") + node("b"), test::pod("containers: []", "app: x"));
  Cluster cluster = scenario.cluster();
  for (int i = 0; i < 5; ++i) cluster.place(scenario.pod(), 0);
  cluster.place(scenario.pod(), 1);
  REQUIRE(cluster.pods().size() == 2);
  PodSample sample;
  for (const RunningPod& pod : cluster.pods()) sample.add(pod);
  CHECK(sample.count() == 6);
  CHECK(sample.text() == "pods 'ml/new', 'ml/new' and 4 more");
}

}  // namespace cnsched::sim::running_pods_test

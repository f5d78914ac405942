// Verdicts of kube-scheduler: the hand-written ones of testdata/oracle, which follow [P2], [P8] to
// [P13], [P20] to [P25] and [P39] to [P40], and, where it is present, the recorded ones of a real
// kube-scheduler in ../shared/oracle/scheduling.

#include <nlohmann/json.hpp>

#include "testdata/scenario.h"

namespace cnsched::sim::oracle_test {

using Json = nlohmann::json;

/// The reasons in a verdict, separated by semicolons: "Too many pods; Insufficient cpu".
std::set<std::string> reasons_in(const std::string& verdict) {
  std::set<std::string> reasons;
  for (std::size_t begin = 0; begin <= verdict.size();) {
    const std::size_t end = std::min(verdict.find("; ", begin), verdict.size());
    reasons.insert(verdict.substr(begin, end - begin));
    begin = end + 2;
  }
  return reasons;
}

/// Compares the simulation with every verdict of a folder and returns their number.
std::size_t compare_with(const std::string& oracle) {
  const Scenario scenario(read_all(oracle + "/nodes.yaml"), read_all(oracle + "/pods.yaml"),
                          {.extended_resource_toleration = true});
  std::map<std::string, std::size_t> place_of;
  for (std::size_t i = 0; i < scenario.simulation().workloads().size(); ++i) {
    place_of[std::string(scenario.workload(i).workload->object->name)] = i;
  }
  std::ifstream verdicts(oracle + "/verdicts.jsonl");
  std::size_t pairs = 0;
  for (std::string line; std::getline(verdicts, line);) {
    const Json pod = Json::parse(line);
    if (!pod["admitted"].get<bool>()) continue;
    for (const auto& [node, verdict] : pod["nodes"].items()) {
      CAPTURE(pod["pod"].get<std::string>());
      CAPTURE(node);
      const std::string got = scenario.on(node, place_of.at(pod["pod"].get<std::string>()));
      ++pairs;
      if (verdict == "infeasible") {
        CHECK(got != "ok");
      } else {
        CHECK(reasons_in(got) == reasons_in(verdict.get<std::string>()));
      }
    }
  }
  return pairs;
}

TEST_CASE("every pod of testdata/oracle has kube-scheduler's verdicts and reasons on every node") {
  CHECK(compare_with(project_file("testdata/oracle")) == 100);
}

TEST_CASE("every pod of the recorded oracle has kube-scheduler's verdicts and reasons") {
  const std::string oracle = project_file("../shared/oracle/scheduling");
  if (!std::filesystem::exists(oracle + "/verdicts.jsonl")) return;
  CHECK(compare_with(oracle) > 0);
}

}  // namespace cnsched::sim::oracle_test

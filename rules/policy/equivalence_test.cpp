// Built-in rules written as policies: both find the same in the manifests of all rules' tests, and
// in the corpus if there is one.
#include "rules/engine/run.h"
#include "rules/engine/selection.h"
#include "rules/policy/policy_reader.h"
#include "testdata/support.h"

namespace cnsched::rules::equivalence_test {

/// A policy has the id of its rule with this in front.
constexpr std::string_view kPrefix = "as-policy-";

std::shared_ptr<const SourceFile> policies_file() {
  const std::string path = project_file("testdata/equivalent_policies.yaml");
  return std::make_shared<SourceFile>(0, path, read_all(path));
}

/// Every manifest below a directory.
std::vector<MemoryFile> manifests_below(const std::string& directory) {
  std::vector<MemoryFile> files;
  for (const std::string& path : files_below(directory, {".yaml"})) {
    const std::string name = fs::path(path).filename();
    if (!name.starts_with('.')) files.push_back({path, read_all(path), name != "cluster.yaml"});
  }
  return files;
}

using Places = std::set<std::string>;

/// The part of a rule that its policy expresses: findings whose message has these words.
bool is_expressed(const Diagnostic& finding) {
  static const std::map<std::string_view, std::string_view> kParts = {
      {"deployment-mode", "unknown deployment mode"},
      {"seldon-dead-field", "' has no effect: "},
      {"invalid-node-affinity", "at least one node selector term"},
      {"accelerator-annotation", "KFServing's old key"},
      {"non-integer-comparison", "must be an integer"},
  };
  const auto part = kParts.find(finding.rule);
  return part == kParts.end() || has(finding.message, part->second);
}

/// The objects with findings, by rule or policy.
std::map<std::string, Places> places_of(const RuleSet& rules, std::vector<MemoryFile> files) {
  Workspace workspace;
  workspace.load({.memory_files = std::move(files)});
  std::vector<Listed> chosen;
  for (const Listed& policy : rules.policies()) {
    chosen.push_back(policy);
    chosen.push_back(*find_rule(policy.rule->id.substr(kPrefix.size())));
  }
  const auto selection = Selection::from({}, rules);
  // Policies are not for pods that no controller builds.
  Places unbuilt;
  const auto name_of = [&](Span where, std::string_view kind, std::string_view name) {
    return fmt::format("{}: {} {}", workspace.file_of(where).path(), kind, name);
  };
  for (const Workload* pod : all_workloads(workspace)) {
    const k8s::Object& object = *pod->object;
    if (pod->never_created) unbuilt.insert(name_of(object.root->span, object.kind, object.name));
  }
  std::map<std::string, Places> places;
  for (const Diagnostic& d : run(workspace, *selection, chosen).findings) {
    if (!is_expressed(d)) continue;
    const std::string object = name_of(d.where, d.subject.kind, d.subject.name);
    if (!unbuilt.contains(object)) places[std::string(d.rule)].insert(object);
  }
  return places;
}

/// `is_complete`: every rule finds something there.
void check_same(const RuleSet& rules, const std::string& directory, bool is_complete) {
  std::map<std::string, Places> all;
  // Each directory by itself, so that facts of one test are not those of another.
  for (const auto& entry : fs::directory_iterator(directory)) {
    std::vector<MemoryFile> files =
        entry.is_directory() ? manifests_below(entry.path().string()) : std::vector<MemoryFile>();
    for (auto& [rule, places] : places_of(rules, std::move(files))) {
      all[rule].insert(places.begin(), places.end());
    }
  }
  for (const Listed& policy : rules.policies()) {
    const std::string id(policy.rule->id);
    const Places& by_policy = all[id];
    const Places& by_rule = all[id.substr(kPrefix.size())];
    CAPTURE(id);
    if (is_complete) CHECK_FALSE(by_rule.empty());
    for (const std::string& place : by_rule) {
      CAPTURE(place);
      CHECK_MESSAGE(by_policy.contains(place), "only by the rule");
    }
    for (const std::string& place : by_policy) {
      CAPTURE(place);
      CHECK_MESSAGE(by_rule.contains(place), "only by the policy");
    }
  }
}

TEST_CASE("built-in rules as policies find the same") {
  const auto file = policies_file();
  std::vector<Error> errors;
  const auto policies = read_policies(*file, errors);
  REQUIRE_MESSAGE(errors.empty(), joined(errors).message);
  CHECK(policies.size() >= 10);
  const RuleSet rules(policies);
  check_same(rules, project_file("testdata/rules"), true);
  const std::string corpus = project_file("../shared/corpus");
  if (fs::exists(corpus)) check_same(rules, corpus, false);
}

}  // namespace cnsched::rules::equivalence_test

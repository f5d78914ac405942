// Built-in rules written as policies: both find the same in the manifests of all rules' tests, and
// in the corpus if there is one.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "rules/engine/rule_set.h"
#include "rules/engine/run.h"
#include "rules/policy/policy_reader.h"
#include "testdata/support.h"

namespace cnsched::rules {

namespace fs = std::filesystem;

namespace {

/// A policy has the id of its rule with this in front.
constexpr std::string_view kPrefix = "as-policy-";

std::shared_ptr<const SourceFile> policies_file() {
  const std::string path = test::project_file("testdata/equivalent_policies.yaml");
  return std::make_shared<SourceFile>(0, path, test::read_all(path));
}

/// Every manifest below a directory.
std::vector<MemoryFile> manifests_below(const std::string& directory) {
  std::vector<MemoryFile> files;
  for (const auto& entry : fs::recursive_directory_iterator(directory)) {
    const std::string name = entry.path().filename().string();
    const bool is_manifest = entry.path().extension() == ".yaml" && !name.starts_with('.');
    if (!entry.is_regular_file() || !is_manifest) continue;
    files.push_back({entry.path().string(), test::read_all(entry.path().string())});
  }
  std::ranges::sort(files, {}, &MemoryFile::path);
  return files;
}

using Places = std::set<std::string>;

/// The objects and lines with findings, by rule or policy.
std::map<std::string, Places> places_of(const RuleSet& rules, std::vector<MemoryFile> files) {
  Workspace workspace;
  workspace.load({.memory_files = std::move(files)});
  std::vector<Listed> chosen;
  for (const Listed& policy : rules.policies()) {
    chosen.push_back(policy);
    chosen.push_back(*find_rule(policy.rule->id.substr(kPrefix.size())));
  }
  const auto selection = Selection::from({}, rules);
  std::map<std::string, Places> places;
  for (const Diagnostic& d : run(workspace, *selection, chosen).findings) {
    const SourceFile& file = workspace.file_of(d.where);
    places[std::string(d.rule)].insert(
        fmt::format("{}:{}", file.path(), file.line_of(d.where.begin)));
  }
  return places;
}

void check_same(const RuleSet& rules, const std::string& directory) {
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
    CHECK_FALSE(by_rule.empty());
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

}  // namespace

TEST_CASE("built-in rules as policies find the same") {
  const auto file = policies_file();
  std::vector<Error> errors;
  const auto policies = read_policies(*file, errors);
  REQUIRE_MESSAGE(errors.empty(), joined(errors).message);
  CHECK(policies.size() >= 10);
  const RuleSet rules(policies);
  check_same(rules, test::project_file("testdata/rules"));
}

}  // namespace cnsched::rules

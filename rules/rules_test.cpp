// Holds every rule to its page, and its data in testdata/rules/NAME/ to what was recorded.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <span>
#include <sstream>
#include <variant>
#include <vector>

#include "cli/output/output.h"
#include "core/base/text.h"
#include "rules/engine/config.h"
#include "rules/engine/example.h"
#include "rules/engine/fix.h"
#include "rules/engine/run.h"
#include "rules/registry.h"
#include "testdata/support.h"

namespace cnsched::rules {

namespace fs = std::filesystem;

namespace {

std::string data_directory(std::string_view rule) {
  return test::project_file(fmt::format("testdata/rules/{}", rule));
}

/// The manifests of a case: `bad.yaml`, or every file of `bad/`; their names as findings show them.
std::vector<MemoryFile> manifests_of(const std::string& directory, const std::string& name) {
  std::vector<MemoryFile> files;
  const fs::path one = fs::path(directory) / (name + ".yaml");
  if (fs::exists(one)) files.push_back({name + ".yaml", test::read_all(one.string())});
  const fs::path many = fs::path(directory) / name;
  if (fs::is_directory(many)) {
    for (const auto& entry : fs::directory_iterator(many)) {
      if (entry.path().filename() == kConfigName) continue;
      files.push_back({fmt::format("{}/{}", name, entry.path().filename().string()),
                       test::read_all(entry.path().string())});
    }
  }
  std::ranges::sort(files, {}, &MemoryFile::path);
  return files;
}

/// What a user sees of the findings.
std::vector<Diagnostic> unsuppressed(std::vector<Diagnostic> findings) {
  std::erase_if(findings, [](const Diagnostic& d) { return d.suppression.has_value(); });
  return findings;
}

/// A case as it is linted: the manifests, `cluster.yaml` and `.cnsched.yaml` beside them.
struct Case {
  Case(const std::string& directory, const std::string& name,
       std::span<const Listed> rules = all_rules()) {
    std::vector<MemoryFile> files = manifests_of(directory, name);
    REQUIRE_FALSE(files.empty());
    const std::string cluster = directory + "/cluster.yaml";
    if (fs::exists(cluster)) files.push_back({"cluster.yaml", test::read_all(cluster), false});
    if (fs::exists(fmt::format("{}/{}", directory, kConfigName))) {
      // Findings name the configuration as it is named here.
      const test::WorkingDirectory here(directory);
      auto read = Configs::only(std::string(kConfigName), workspace.sources);
      REQUIRE(read);
      configs = *std::move(read);
    }
    workspace.load({.memory_files = std::move(files),
                    .config_for = [&](const std::string& path) -> const ClusterConfig* {
                      const Config* found = configs.find(path);
                      return found == nullptr ? nullptr : &found->cluster;
                    }});
    findings = unsuppressed(run(workspace, selection, rules).findings);
  }

  std::string concise() const {
    std::ostringstream out;
    cli::write_concise({workspace, findings}, false, out);
    return out.str();
  }
  std::string pretty() const {
    std::ostringstream out;
    cli::write_pretty({workspace, findings}, 80, false, out);
    return out.str();
  }

  /// What the fixes of one rule make of it.
  Fixed fixed(std::string_view rule) const {
    const Find find = [&](const Workspace& run_again) {
      return Found{of(rule, run(run_again, selection).findings)};
    };
    return fix_all(workspace, {of(rule, findings)}, Safety::unsafe, find);
  }

  static std::vector<Diagnostic> of(std::string_view rule, std::vector<Diagnostic> findings) {
    std::erase_if(findings, [&](const Diagnostic& d) { return d.rule != rule; });
    return findings;
  }

  Workspace workspace;
  Configs configs;
  Selection selection = Selection::everything();
  std::vector<Diagnostic> findings;
};

/// The rules that report errors.
std::set<std::string_view> rules_of_errors(const std::vector<Diagnostic>& findings) {
  std::set<std::string_view> rules;
  for (const Diagnostic& d : findings) {
    if (d.severity == Severity::error) rules.insert(d.rule);
  }
  return rules;
}

/// The safest fix of `findings`, if there is any.
std::optional<Safety> safest(const std::vector<Diagnostic>& findings) {
  std::optional<Safety> best;
  for (const Diagnostic& d : findings) {
    if (d.fix && (!best || *best < d.fix->safety)) best = d.fix->safety;
  }
  return best;
}

template <typename... Args>
void make_hollow(void (*&check)(Args...)) {
  check = [](Args...) {};
}

/// The rule with a check that finds nothing.
Rule emptied(Rule rule) {
  std::visit([](auto& check) { make_hollow(check); }, rule.check);
  return rule;
}

std::string listed_findings(const Workspace& workspace, const std::vector<Diagnostic>& findings) {
  std::ostringstream out;
  cli::write_concise({workspace, findings}, false, out);
  return out.str();
}

}  // namespace

TEST_CASE("every rule is complete, and its id is its own") {
  std::set<std::string_view> ids;
  for (const Listed& listed : all_rules()) {
    const Rule& rule = *listed.rule;
    INFO(rule.id);
    CHECK(ids.insert(rule.id).second);
    for (const std::string_view field : {rule.id, rule.summary, rule.why, rule.bad, rule.good}) {
      CHECK_FALSE(field.empty());
    }
    CHECK(rule.source.starts_with("https://"));
    CHECK(std::ranges::all_of(rule.id, [](char c) { return c == '-' || (c >= 'a' && c <= 'z'); }));
    CHECK_FALSE(rule.summary.ends_with('.'));
    CHECK(rule.why.ends_with('.'));
  }
}

TEST_CASE("no rule file is missing from the table") {
  std::size_t files = 0;
  for (const std::string_view group : all_groups()) {
    for (const auto& entry :
         fs::directory_iterator(test::project_file(fmt::format("rules/{}", group)))) {
      const std::string name = entry.path().filename().string();
      if (name.ends_with(".cpp") && !name.ends_with("_test.cpp")) ++files;
    }
  }
  CHECK(files == all_rules().size());
}

TEST_CASE("a rule's bad example is found, and its good one is clean under every rule") {
  for (const Listed& listed : all_rules()) {
    const Rule& rule = *listed.rule;
    INFO(rule.id);
    Workspace bad;
    CHECK_FALSE(lint_example(rule, rule.bad, bad).empty());
    Workspace good;
    good.load({.memory_files = example_files(rule.good)});
    CHECK(listed_findings(good, unsuppressed(run(good, Selection::everything()).findings)) == "");
    CHECK(good.ledger().objects > 0);
  }
}

TEST_CASE("bad.yaml of every rule gives what was recorded, and good.yaml nothing at all") {
  for (const Listed& listed : all_rules()) {
    const Rule& rule = *listed.rule;
    INFO(rule.id);
    const std::string directory = data_directory(rule.id);
    REQUIRE(fs::is_directory(directory));
    const Case bad(directory, "bad");
    CHECK(
        std::ranges::any_of(bad.findings, [&](const Diagnostic& d) { return d.rule == rule.id; }));
    test::check_recorded(directory + "/expected.txt", bad.pretty());
    const Case good(directory, "good");
    CHECK(good.concise() == "");
  }
}

TEST_CASE("the fixes of a rule make of bad.yaml what was recorded, and leave nothing to fix") {
  for (const Listed& listed : all_rules()) {
    const Rule& rule = *listed.rule;
    INFO(rule.id);
    const std::string directory = data_directory(rule.id);
    const Case bad(directory, "bad");
    CHECK(safest(Case::of(rule.id, bad.findings)) == rule.fix);
    if (!rule.fix) continue;
    const Fixed fixed = bad.fixed(rule.id);
    CHECK(fixed.failures.empty());
    CHECK_FALSE(safest(fixed.findings));
    for (const auto& [path, text] : fixed.texts) {
      INFO(path);
      // bad.yaml becomes fixed.yaml, bad/x.yaml fixed/x.yaml.
      test::check_recorded(fmt::format("{}/fixed{}", directory, path.substr(3)), text);
    }
    // Nothing new is refused.
    const auto before = rules_of_errors(bad.findings);
    for (const std::string_view id :
         rules_of_errors(unsuppressed(run(*fixed.workspace, bad.selection).findings))) {
      INFO(id);
      CHECK(before.contains(id));
    }
  }
}

TEST_CASE("what was recorded for a rule is not what comes out when its check is emptied") {
  for (const Listed& listed : all_rules()) {
    INFO(listed.rule->id);
    const Rule hollow = emptied(*listed.rule);
    std::vector<Listed> rules(all_rules().begin(), all_rules().end());
    std::ranges::find(rules, listed.rule, &Listed::rule)->rule = &hollow;
    const std::string directory = data_directory(hollow.id);
    const Case bad(directory, "bad", rules);
    CHECK(bad.pretty() != test::read_all(directory + "/expected.txt"));
  }
}

TEST_CASE("further cases of a rule, in folders of their own, give what was recorded") {
  for (const Listed& listed : all_rules()) {
    for (const auto& entry : fs::directory_iterator(data_directory(listed.rule->id))) {
      const std::string name = entry.path().filename().string();
      if (!entry.is_directory() || name == "bad" || name == "good") continue;
      INFO(entry.path().string());
      const Case extra(entry.path().string(), "in");
      test::check_recorded(entry.path().string() + "/expected.txt", extra.pretty());
    }
  }
}

}  // namespace cnsched::rules

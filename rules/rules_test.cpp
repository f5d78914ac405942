// Checks the page of every rule and its recorded findings in testdata/rules/NAME/.
#include <variant>

#include "cli/output/output.h"
#include "core/base/text.h"
#include "rules/config/config.h"
#include "rules/engine/example.h"
#include "rules/engine/fix.h"
#include "rules/engine/run.h"
#include "rules/page.h"
#include "rules/registry.h"
#include "testdata/support.h"

namespace cnsched::rules::rules_test {

std::string data_directory(std::string_view rule) {
  return project_file(fmt::format("testdata/rules/{}", rule));
}

/// The manifests of a case, `bad.yaml` or every file of `bad/`, with the names that findings show.
std::vector<MemoryFile> manifests_of(const std::string& directory, const std::string& name) {
  std::vector<MemoryFile> files;
  const fs::path one = fs::path(directory) / (name + ".yaml");
  if (fs::exists(one)) files.push_back({name + ".yaml", read_all(one.string())});
  const fs::path many = fs::path(directory) / name;
  for (const std::string& path : files_below(many)) {
    if (path.ends_with(kConfigName)) continue;
    files.push_back({name + path.substr(many.string().size()), read_all(path)});
  }
  return files;
}

/// The findings that are not suppressed.
std::vector<Diagnostic> unsuppressed(std::vector<Diagnostic> findings) {
  std::erase_if(findings, [](const Diagnostic& d) { return d.suppression.has_value(); });
  return findings;
}

/// A text without quoted parts and numbers, which differ from finding to finding.
std::string shape_of(std::string_view text) {
  std::string shape;
  bool is_quoted = false;
  for (const char c : text) {
    if (c == '\'') is_quoted = !is_quoted;
    if (!is_quoted && !(c >= '0' && c <= '9')) shape += c;
  }
  return shape;
}

/// A linted case: the manifests, with `cluster.yaml` and `.cnsched.yaml` beside them.
struct Case {
  Case(const std::string& directory, const std::string& name,
       std::span<const Listed> rules = all_rules()) {
    std::vector<MemoryFile> files = manifests_of(directory, name);
    REQUIRE_FALSE(files.empty());
    const std::string cluster = directory + "/cluster.yaml";
    if (fs::exists(cluster)) files.push_back({"cluster.yaml", read_all(cluster), false});
    if (fs::exists(fmt::format("{}/{}", directory, kConfigName))) {
      // Findings name the configuration relative to this directory.
      const WorkingDirectory here(directory);
      auto read = Configs::only(std::string(kConfigName), workspace.sources);
      REQUIRE(read);
      configs = *std::move(read);
    }
    workspace.load({.memory_files = std::move(files),
                    .config_for = [&](const std::string& path) -> const facts::ClusterConfig* {
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
  /// "bad.yaml:3:1: error: message [rule] help: what to write; unsafe fix".
  std::string on_one_line(const Diagnostic& finding) const {
    const std::vector<Diagnostic> only = {finding};
    std::ostringstream out;
    cli::write_concise({workspace, only}, false, out);
    std::string line(trim(out.str()));
    if (!finding.help.empty()) line += " help: " + finding.help;
    if (finding.fix) line += finding.fix->safety == Safety::safe ? "; safe fix" : "; unsafe fix";
    return line;
  }

  /// The first finding of each shape of message and help in full, at most ten of each rule, then
  /// every other finding on one line.
  std::string recorded() const {
    constexpr std::size_t kMaxExamples = 10;
    std::map<std::string_view, std::set<std::string>> shapes;
    std::vector<Diagnostic> examples;
    std::vector<Diagnostic> others;
    for (const Diagnostic& finding : findings) {
      std::set<std::string>& known = shapes[finding.rule];
      const bool is_example = known.size() < kMaxExamples &&
                              known.insert(shape_of(finding.message + finding.help)).second;
      (is_example ? examples : others).push_back(finding);
    }
    std::ostringstream out;
    cli::write_pretty({workspace, examples}, 80, false, out);
    for (const Diagnostic& finding : others) out << on_one_line(finding) << '\n';
    return out.str();
  }

  /// The manifests after the fixes of one rule.
  FixResult fixed(std::string_view rule) const {
    const Find find = [&](const Workspace& again) {
      return RunResult{of(rule, run(again, selection).findings)};
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

/// The rules with errors among the findings.
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
void make_empty(void (*&check)(Args...)) {
  check = [](Args...) {};
}

void make_empty(const PolicyRule*& /*check*/) {}

/// The rule with a check that finds nothing.
Rule emptied(Rule rule) {
  std::visit([](auto& check) { make_empty(check); }, rule.check);
  return rule;
}

/// Counts the ends of sentences: a '.', '?' or '!' before a space or the end, but not the one in
/// "e.g. this", which no capital letter follows.
std::size_t sentences_in(std::string_view paragraph) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < paragraph.size(); ++i) {
    if (paragraph[i] != '.' && paragraph[i] != '?' && paragraph[i] != '!') continue;
    const bool at_end = i + 1 == paragraph.size();
    const char next = i + 2 < paragraph.size() ? paragraph[i + 2] : 'A';
    if (at_end || (paragraph[i + 1] == ' ' && !(next >= 'a' && next <= 'z'))) ++count;
  }
  return count;
}

std::string listed_findings(const Workspace& workspace, const std::vector<Diagnostic>& findings) {
  std::ostringstream out;
  cli::write_concise({workspace, findings}, false, out);
  return out.str();
}

TEST_CASE("every rule has all fields and a unique id") {
  std::set<std::string_view> ids;
  for (const Listed& listed : all_rules()) {
    const Rule& rule = *listed.rule;
    INFO(rule.id);
    CHECK(ids.insert(rule.id).second);
    CHECK_FALSE(rule.id.empty());
    const Page& page = page_of(rule);
    for (const std::string& field : {page.summary, page.why, page.bad, page.good}) {
      CHECK_FALSE(field.empty());
    }
    CHECK(page.source.starts_with("https://"));
    CHECK(std::ranges::all_of(rule.id, [](char c) { return c == '-' || (c >= 'a' && c <= 'z'); }));
    CHECK_FALSE(page.summary.ends_with('.'));
    CHECK(page.why.ends_with('.'));
  }
}

TEST_CASE("every rule page states its limits, in paragraphs of at most four sentences") {
  for (const Listed& listed : all_rules()) {
    const Rule& rule = *listed.rule;
    INFO(rule.id);
    const Page& page = page_of(rule);
    CHECK(page.limits.ends_with('.'));
    for (const std::string& text : {page.details, page.why, page.limits}) {
      for (std::string_view rest = text; !rest.empty();) {
        const std::size_t end = std::min(rest.find("\n\n"), rest.size());
        INFO(std::string(rest.substr(0, end)));
        CHECK(sentences_in(rest.substr(0, end)) <= 4);
        rest.remove_prefix(std::min(end + 2, rest.size()));
      }
    }
  }
}

TEST_CASE("the domain of a rule names only what applies to the parameter of its check") {
  for (const Listed& listed : all_rules()) {
    const Rule& rule = *listed.rule;
    INFO(rule.id);
    if (std::holds_alternative<WorkloadCheck>(rule.check)) continue;
    if (std::holds_alternative<LastCheck>(rule.check)) continue;
    const bool is_of_objects = std::holds_alternative<ObjectCheck>(rule.check) ||
                               std::holds_alternative<ShapeCheck>(rule.check);
    const Domain most = is_of_objects ? Domain::kserve | Domain::no_patches : Domain::all;
    CHECK((rule.of | most) == most);
  }
}

TEST_CASE("every rule file is listed in rules.def") {
  std::size_t files = 0;
  for (const std::string_view group : all_groups()) {
    for (const auto& entry : fs::directory_iterator(project_file(fmt::format("rules/{}", group)))) {
      const std::string name = entry.path().filename().string();
      if (name.ends_with(".cpp") && !name.ends_with("_test.cpp")) ++files;
    }
  }
  CHECK(files == all_rules().size());
}

TEST_CASE("every rule reports its bad example, and no rule reports its good one") {
  for (const Listed& listed : all_rules()) {
    const Rule& rule = *listed.rule;
    INFO(rule.id);
    Workspace bad;
    CHECK_FALSE(lint_example(rule, page_of(rule).bad, bad).empty());
    Workspace good;
    good.load({.memory_files = example_files(page_of(rule).good)});
    CHECK(listed_findings(good, unsuppressed(run(good, Selection::everything()).findings)) == "");
    CHECK(good.stats().objects > 0);
  }
}

TEST_CASE("bad.yaml of every rule has the recorded findings, and good.yaml has none") {
  for (const Listed& listed : all_rules()) {
    const Rule& rule = *listed.rule;
    INFO(rule.id);
    const std::string directory = data_directory(rule.id);
    REQUIRE(fs::is_directory(directory));
    const Case bad(directory, "bad");
    CHECK(
        std::ranges::any_of(bad.findings, [&](const Diagnostic& d) { return d.rule == rule.id; }));
    check_recorded(directory + "/expected.txt", bad.recorded());
    const Case good(directory, "good");
    CHECK(good.concise() == "");
  }
}

TEST_CASE("the fixes of every rule change bad.yaml as recorded and leave nothing to fix") {
  for (const Listed& listed : all_rules()) {
    const Rule& rule = *listed.rule;
    INFO(rule.id);
    const std::string directory = data_directory(rule.id);
    const Case bad(directory, "bad");
    CHECK(safest(Case::of(rule.id, bad.findings)) == rule.fix);
    if (!rule.fix) continue;
    const FixResult fixed = bad.fixed(rule.id);
    CHECK(fixed.failures.empty());
    CHECK_FALSE(safest(fixed.findings));
    for (const auto& [path, text] : fixed.texts) {
      INFO(path);
      // bad.yaml becomes fixed.yaml, bad/x.yaml fixed/x.yaml.
      check_recorded(fmt::format("{}/fixed{}", directory, path.substr(3)), text);
    }
    // The fixes cause no new errors.
    const auto before = rules_of_errors(bad.findings);
    for (const std::string_view id :
         rules_of_errors(unsuppressed(run(*fixed.workspace, bad.selection).findings))) {
      INFO(id);
      CHECK(before.contains(id));
    }
  }
}

TEST_CASE("the recorded findings of every rule depend on its check") {
  for (const Listed& listed : all_rules()) {
    INFO(listed.rule->id);
    const Rule empty_rule = emptied(*listed.rule);
    std::vector<Listed> rules(all_rules().begin(), all_rules().end());
    std::ranges::find(rules, listed.rule, &Listed::rule)->rule = &empty_rule;
    const std::string directory = data_directory(empty_rule.id);
    const Case bad(directory, "bad", rules);
    CHECK(bad.recorded() != read_all(directory + "/expected.txt"));
  }
}

TEST_CASE("further cases of a rule, in subfolders, have the recorded findings") {
  for (const Listed& listed : all_rules()) {
    for (const auto& entry : fs::directory_iterator(data_directory(listed.rule->id))) {
      const std::string name = entry.path().filename().string();
      if (!entry.is_directory() || name == "bad" || name == "good") continue;
      INFO(entry.path().string());
      const Case extra(entry.path().string(), "in");
      check_recorded(entry.path().string() + "/expected.txt", extra.recorded());
    }
  }
}

}  // namespace cnsched::rules::rules_test

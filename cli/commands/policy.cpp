#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>

#include "cli/commands/commands.h"
#include "cli/commands/project.h"
#include "cli/output/output.h"
#include "core/base/text.h"
#include "core/source/read_file.h"
#include "rules/engine/example.h"
#include "rules/policy/policy_reader.h"

namespace cnsched::cli {

namespace fs = std::filesystem;

namespace {

struct PolicyOptions {
  MessageOptions messages;
  std::vector<std::string> paths;
};

using Policies = std::vector<std::shared_ptr<const rules::Policy>>;

constexpr std::size_t kSizeLimit = std::size_t{1} << 20U;

/// The policies that the paths of a command name.
class PolicySearch {
 public:
  /// A configuration, a file of policies, or a directory with either.
  void add(const std::string& path) {
    std::error_code error;
    const std::string config = (fs::path(path) / rules::kConfigName).lexically_normal().string();
    if (fs::is_directory(path, error)) {
      if (!fs::exists(config, error)) return add_files(path);
      return add(rules::Configs::discover({config}, sources_));
    }
    if (!fs::exists(path, error)) return fail(path, "no such file or directory");
    add_file(path, true);
  }

  void add_config(const std::string& path) { add(rules::Configs::only(path, sources_)); }

  const Policies& found() const { return policies_; }
  const std::vector<Error>& errors() const { return errors_; }

 private:
  void add(const Result<rules::Configs>& configs) {
    if (!configs) return errors_.push_back(configs.error());
    for (const auto& [config, policy] : configs->policies()) take(policy);
  }

  void add_files(const std::string& directory) {
    const auto files = rules::policy_files(directory);
    if (!files) return fail(directory, files.error().message);
    for (const std::string& file : *files) add_file(file, false);
  }

  /// `named`: not found in a directory. Such a file is a configuration if it has no policies.
  void add_file(const std::string& path, bool named) {
    if (named && fs::path(path).filename() == rules::kConfigName) return add_config(path);
    Result<std::string> bytes = read_input(path, std::nullopt, kSizeLimit);
    if (!bytes) return fail(path, bytes.error().message);
    sources_.push_back(std::make_unique<SourceFile>(static_cast<FileId>(sources_.size()), path,
                                                    *std::move(bytes)));
    std::vector<Error> errors;
    const Policies policies = rules::read_policies(*sources_.back(), errors);
    if (named && policies.empty() && errors.empty()) return add_config(path);
    errors_.insert(errors_.end(), errors.begin(), errors.end());
    for (const auto& policy : policies) take(policy);
  }

  void take(const std::shared_ptr<const rules::Policy>& policy) {
    if (places_.insert(policy->place).second) policies_.push_back(policy);
  }

  void fail(const std::string& path, const std::string& message) {
    errors_.push_back({fmt::format("{}: {}", printable(path), message)});
  }

  Sources sources_;
  Policies policies_;
  std::set<std::string> places_;
  std::vector<Error> errors_;
};

/// The policies of the options; nothing, after messages, if there is a mistake.
std::optional<Policies> read_all(const PolicyOptions& options, Console& console) {
  PolicySearch search;
  if (options.paths.empty()) {
    LoadedProject project;
    if (open_configs({}, {"./."}, project, console)) return std::nullopt;
    Policies policies;
    for (const auto& [config, policy] : project.configs.policies()) policies.push_back(policy);
    return policies;
  }
  for (const std::string& path : options.paths) search.add(path);
  for (const Error& error : search.errors()) say_error(console, error.message);
  if (!search.errors().empty()) return std::nullopt;
  return search.found();
}

/// How often the manifests of the policies were as expected.
struct Score {
  std::size_t manifests = 0;
  std::size_t failed = 0;
};

/// What a manifest shows against the policy; empty if nothing.
std::string failure_of(bool is_good, bool is_left_out, const Workspace& workspace,
                       const std::vector<Diagnostic>& findings) {
  const RunStats& stats = workspace.stats();
  if (stats.broken > 0) return "the manifest is not valid YAML";
  if (stats.objects == 0) return "the manifest has no object that cnsched checks";
  const auto found = std::ranges::count_if(findings, [](const auto& d) { return !d.undecided; });
  if (is_good && found > 0) return "the policy reports a good manifest";
  if (!is_good && found == 0) {
    if (is_left_out) return "'match', 'exclude' or 'when' leaves it out";
    return findings.empty() ? "the policy does not report it" : "the policy cannot decide it";
  }
  return {};
}

class PolicyTest {
 public:
  PolicyTest(const rules::Policy& policy, Console& console, Score& score)
      : policy_(policy), console_(console), score_(score) {}

  void run() {
    console_.out << fmt::format("{} ({})\n", policy_.id, policy_.place);
    for (const rules::PolicyExample& example : policy_.good) run(example, true);
    for (const rules::PolicyExample& example : policy_.bad) run(example, false);
    if (policy_.good.empty()) console_.out << "  has no good manifests\n";
    if (policy_.bad.empty()) console_.out << "  has no bad manifests\n";
  }

 private:
  void run(const rules::PolicyExample& example, bool is_good) {
    Workspace workspace;
    const auto findings = rules::lint_policy_example(policy_, example, workspace);
    const bool is_left_out = findings.empty() && !rules::is_for_example(policy_, example);
    const std::string failure = failure_of(is_good, is_left_out, workspace, findings);
    ++score_.manifests;
    if (!failure.empty()) ++score_.failed;
    const std::string name = example.name.starts_with("good") || example.name.starts_with("bad")
                                 ? example.name
                                 : fmt::format("{}: {}", is_good ? "good" : "bad", example.name);
    console_.out << fmt::format("  {}: {}\n", printable(name),
                                !failure.empty() ? "FAILED, " + failure
                                : is_left_out    ? "ok, left out by 'match', 'exclude' or 'when'"
                                                 : "ok");
    std::ostringstream text;
    write_concise({workspace, findings}, false, text);
    const std::string lines = text.str();
    for (const std::string_view line : split(trim(lines), '\n')) {
      if (!line.empty()) console_.out << "    " << line << '\n';
    }
  }

  const rules::Policy& policy_;
  Console& console_;
  Score& score_;
};

/// Runs each policy over its good and bad manifests.
Exit test_policies(const PolicyOptions& options, Console& console) {
  const auto policies = read_all(options, console);
  if (!policies) return Exit::usage;
  Score score;
  for (const auto& policy : *policies) PolicyTest(*policy, console, score).run();
  if (!options.messages.quiet) {
    console.err << fmt::format("{} with {}: {} failed\n",
                               policies->size() == 1 ? std::string("1 policy")
                                                     : fmt::format("{} policies", policies->size()),
                               count_of(score.manifests, "manifest"), score.failed);
  }
  return exit_of(false, score.failed > 0);
}

/// Reads the policies and reports mistakes in them.
Exit check_policies(const PolicyOptions& options, Console& console) {
  const auto policies = read_all(options, console);
  if (!policies) return Exit::usage;
  for (const auto& policy : *policies) {
    console.out << fmt::format("{}: {} ({}): {}\n", policy->place, policy->id,
                               name_of(policy->severity), printable(policy->summary));
  }
  if (policies->empty() && !options.messages.quiet) console.err << "no policies\n";
  return Exit::clean;
}

void declare_paths(Command& command, PolicyOptions& options) {
  command.positional("PATH", options.paths,
                     "configurations, files of policies, and directories with such files "
                     "(default: the configuration of the working directory)");
  declare_messages(command, options.messages);
}

}  // namespace

void declare_policy_test(Command& command) { declare_paths(command, command.runs(test_policies)); }

void declare_policy_check(Command& command) {
  declare_paths(command, command.runs(check_policies));
}

/// Lists the policies of the working directory's configuration.
void declare_policy(Command& command) {
  declare_messages(command, command.runs(check_policies).messages);
}

}  // namespace cnsched::cli

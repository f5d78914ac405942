#include "cli/commands/export.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cli/build_info.h"
#include "cli/commands/lint.h"
#include "cli/output/help_link.h"
#include "cli/output/verbatim.h"
#include "core/k8s/object_name.h"
#include "core/workloads/cluster_scope.h"
#include "rules/admission/vap.h"

namespace cnsched::cli {

namespace {

/// The files whose configuration holds: any in the working directory.
constexpr const char* kAnyFile = "./.";

/// The rules that the options and the configuration select. Prints why a rule is not exported with
/// -v, or if its id is selected.
std::vector<rules::ExportedRule> exported_rules(const rules::Selection& selection,
                                                const ExportVapOptions& options, Console& console) {
  const rules::RuleSettings settings = selection.settings_of(kAnyFile);
  const std::vector<std::string>& named = options.selection.select;
  std::vector<rules::ExportedRule> exported;
  std::string reason;
  for (const rules::Listed& listed : selection.rules().all()) {
    const rules::Rule& rule = *listed.rule;
    const auto level = selection.level_of(rule.id, settings, {});
    if (!selection.runs(rule.id) || level == rules::Level::off) continue;
    if (rule.admission) {
      exported.push_back({.rule = &rule,
                          .group = listed.group,
                          .configured = level ? rules::severity_of(*level) : std::nullopt,
                          .docs = help_link(rule)});
      continue;
    }
    const bool is_named = std::ranges::find(named, rule.id) != named.end();
    if (options.messages.quiet || !(options.messages.verbose || is_named)) continue;
    const std::string last = std::exchange(
        reason, is_policy(rule) ? std::string(rule.not_exported)
                                : fmt::format("not exported: {}: {}", rule.id, rule.not_exported));
    if (reason != last) console.err << reason << '\n';  // policies have one reason
  }
  return exported;
}

/// The rules in Markdown: which are exported, for what kinds, or why not.
void list_exports(const rules::RuleSet& all, Console& console) {
  console.out << "| Rule | Severity | Exported |\n|---|---|---|\n";
  for (const rules::Listed& listed : all.all()) {
    const rules::Rule& rule = *listed.rule;
    std::string exported = fmt::format("no: {}", rule.not_exported);
    if (rule.admission) {
      const std::string_view kinds = rule.admission->kinds;
      exported = fmt::format("yes, for {}", kinds.empty() ? "all pods" : kinds);
      if (!rule.admission->without.empty()) {
        exported += fmt::format(", without {}", rule.admission->without);
      }
    }
    console.out << fmt::format("| `{}` | {} | {} |\n", rule.id, name_of(rule.severity), exported);
  }
}

rules::AdmissionAction action_of(const ExportVapOptions& options) {
  if (options.action == "deny") return rules::AdmissionAction::deny;
  return options.action == "warn" ? rules::AdmissionAction::warn : rules::AdmissionAction::audit;
}

ClusterFacts facts_of(const Opened& opened) {
  const rules::Config* config = opened.configs.find(kAnyFile);
  return opened.workspace.scopes().front().facts_by(config == nullptr ? nullptr : &config->cluster);
}

}  // namespace

void declare_export(Command& command, ExportOptions& options) {
  declare_messages(command, options.messages);
}

Exit export_nothing(const ExportOptions& /*options*/, Console& console) {
  say_error(console, "the format is missing: write 'cnsched export vap'");
  return Exit::usage;
}

void declare_export_vap(Command& command, ExportVapOptions& options) {
  declare_facts(command, options.facts);
  declare_selection(command, options.selection);
  ArgumentGroup output = command.group("Policies");
  output.one_of(
      "--action", "NAME", options.action, {"audit", "warn", "deny"},
      "what happens to a request with findings: audit writes them into the audit log; "
      "warn also warns the client of errors and warnings; deny rejects errors, but no Node "
      "and no Pod (default: audit)");
  output.flag("--pods", options.pods,
              "also check pods, Deployments, StatefulSets, LeaderWorkerSets and Knative Services "
              "that KServe or Seldon makes");
  output.flag("--honor-ignore", options.honor_ignore,
              "do not check objects whose annotation cnsched/ignore names the rule; any author "
              "can set it");
  output.one_of("--failure-policy", "NAME", options.failure_policy, {"ignore", "fail"},
                "what happens to a request if an expression fails (default: ignore)");
  output
      .option("--params-namespace", "NAMESPACE", options.params_namespace,
              "the namespace of the ConfigMap with facts about the cluster (default: cnsched)")
      .store = [&options](const std::string& name) {
    options.params_namespace = name;
    return k8s::is_dns_part(name) ? std::string() : "is not the name of a namespace";
  };
  output.flag("--list", options.list,
              "list the rules, and why some are not exported, as a table in Markdown");
  declare_messages(command, options.messages);
  declare_verbose(command, options.messages, "list the rules that are not exported, with reasons");
}

Exit export_vap(const ExportVapOptions& options, Console& console) {
  Opened opened;
  if (const auto failed = open_configs(options.facts, {kAnyFile}, opened, console)) return *failed;
  if (options.list) {
    list_exports(opened.rules(), console);
    return Exit::clean;
  }
  auto selected = rules::Selection::from(options.selection, opened.rules());
  if (!selected) {
    say_error(console, selected.error().message);
    return Exit::usage;
  }
  rules::Selection selection = *std::move(selected);
  selection.follow(opened.configs);
  opened.workspace.load({.cluster_files = options.facts.cluster,
                         .config_files = opened.configs.cluster_files(),
                         .limits = options.facts.limits,
                         .config_for = config_of(opened.configs),
                         .releases = options.facts.releases});
  const bool is_unreadable = report_unreadable(opened.workspace.unreadable(), console);
  if (is_unreadable) return Exit::failure;
  const std::vector<rules::ExportedRule> rules = exported_rules(selection, options, console);
  const rules::VapOptions vap{.action = action_of(options),
                              .made_objects = options.pods,
                              .honors_ignore = options.honor_ignore,
                              .fails_closed = options.failure_policy == "fail",
                              .params_namespace = options.params_namespace,
                              .version = std::string(kBuildInfo.version)};
  write_verbatim(rules::vap_documents(rules, facts_of(opened), vap), console);
  return Exit::clean;
}

}  // namespace cnsched::cli

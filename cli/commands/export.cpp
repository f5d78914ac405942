#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cli/build_info.h"
#include "cli/commands/commands.h"
#include "cli/commands/project.h"
#include "cli/output/rule_page.h"
#include "cli/output/safe_text.h"
#include "core/base/text.h"
#include "core/k8s/object.h"
#include "core/workspace/cluster_scope.h"
#include "rules/admission/admission_check.h"
#include "rules/admission/admission_policy.h"
#include "rules/page.h"

namespace cnsched::cli {

namespace {

struct ExportOptions {
  MessageOptions messages;
};

struct ExportVapOptions {
  MessageOptions messages;
  FactOptions facts;
  rules::SelectionOptions selection;
  rules::AdmissionAction action = rules::AdmissionAction::audit;
  bool fails_closed = false;
  std::string params_namespace = "cnsched";
  bool pods = false;
  bool honor_ignore = false;
  bool list = false;
};

/// The files whose configuration holds: any in the working directory.
constexpr const char* kAnyFile = "./.";

/// The rules that the options and the configuration select. Prints why a rule is not exported with
/// -v, or if its id is selected.
std::vector<rules::ExportedRule> exported_rules(const rules::Selection& selection,
                                                const ExportVapOptions& options, Console& console) {
  const rules::RuleSettings settings = selection.settings_of(kAnyFile);
  const std::string named = fmt::format("{}", fmt::join(options.selection.select, ","));
  std::vector<rules::ExportedRule> exported;
  std::string reason;
  for (const rules::Listed& listed : selection.rules().all()) {
    const rules::Rule& rule = *listed.rule;
    const auto level = selection.level_of(rule.id, settings, {});
    if (!selection.runs(rule.id) || level == rules::Level::off) continue;
    if (admission_of(rule) != nullptr) {
      exported.push_back({.rule = &rule,
                          .group = listed.group,
                          .configured = level ? rules::severity_of(*level) : std::nullopt,
                          .docs = help_link(rule)});
      continue;
    }
    const bool is_named = std::ranges::any_of(
        split(named, ','), [&](std::string_view word) { return trim(word) == rule.id; });
    if (options.messages.quiet || !(options.messages.verbose || is_named)) continue;
    const std::string& why_not = page_of(rule).not_exported;
    const std::string last = std::exchange(
        reason, is_policy(rule) ? why_not : fmt::format("not exported: {}: {}", rule.id, why_not));
    if (reason != last) console.err << reason << '\n';  // policies have one reason
  }
  return exported;
}

/// The rules in Markdown: which are exported, for what kinds, or why not.
void list_exports(const rules::RuleSet& all, Console& console) {
  console.out << "| Rule | Severity | Exported |\n|---|---|---|\n";
  for (const rules::Listed& listed : all.all()) {
    const rules::Rule& rule = *listed.rule;
    std::string exported = fmt::format("no: {}", page_of(rule).not_exported);
    if (const rules::AdmissionCheck* check = admission_of(rule)) {
      const std::string_view kinds = check->kinds;
      exported = fmt::format("yes, for {}", kinds.empty() ? "all pods" : kinds);
      if (!check->without.empty()) {
        exported += fmt::format(", without {}", check->without);
      }
    }
    console.out << fmt::format("| `{}` | {} | {} |\n", rule.id, name_of(rule.severity), exported);
  }
}

facts::ClusterFacts facts_of(const LoadedProject& project) {
  const rules::Config* config = project.configs.find(kAnyFile);
  const facts::ClusterConfig* cluster = config == nullptr ? nullptr : &config->cluster;
  return project.workspace.scopes().front().facts_by(cluster);
}

/// Reports that the format is missing.
Exit export_nothing(const ExportOptions& /*options*/, Console& console) {
  return fail(console, "the format is missing: write 'cnsched export vap'");
}

/// Prints the rules as ValidatingAdmissionPolicies.
Exit export_vap(const ExportVapOptions& options, Console& console) {
  LoadedProject project;
  auto failed = open_configs(options.facts, {kAnyFile}, project, console);
  if (failed) return *failed;
  if (options.list) {
    list_exports(project.rules(), console);
    return Exit::clean;
  }
  failed = select_rules(options.selection, project, console);
  if (!failed) {
    failed = load_facts(load_options(options.facts, project.configs), project, console);
  }
  if (failed) return *failed;
  const std::vector<rules::ExportedRule> rules =
      exported_rules(project.selection, options, console);
  const rules::VapOptions vap{.action = options.action,
                              .made_objects = options.pods,
                              .honors_ignore = options.honor_ignore,
                              .fails_closed = options.fails_closed,
                              .params_namespace = options.params_namespace,
                              .version = std::string(kBuildInfo.version)};
  write_verbatim(rules::vap_documents(rules, facts_of(project), vap), console);
  return Exit::clean;
}

}  // namespace

void declare_export(Command& command) {
  declare_messages(command, command.runs(export_nothing).messages);
}

void declare_export_vap(Command& command) {
  auto& options = command.runs(export_vap);
  declare_facts(command, options.facts);
  declare_selection(command, options.selection);
  ArgumentGroup output = command.group("Policies");
  output.one_of(
      "--action", "NAME", options.action,
      {{"audit", rules::AdmissionAction::audit},
       {"warn", rules::AdmissionAction::warn},
       {"deny", rules::AdmissionAction::deny}},
      "what happens to a request with findings: audit writes them into the audit log; "
      "warn also warns the client of errors and warnings; deny rejects errors, but no Node "
      "and no Pod (default: {1})");
  output.flag("--pods", options.pods,
              "also check pods, Deployments, StatefulSets, LeaderWorkerSets and Knative Services "
              "that KServe or Seldon makes");
  output.flag("--honor-ignore", options.honor_ignore,
              "do not check objects whose annotation cnsched/ignore names the rule; any author "
              "can set it");
  output.one_of("--failure-policy", "NAME", options.fails_closed,
                {{"ignore", false}, {"fail", true}},
                "what happens to a request if an expression fails (default: {1})");
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

}  // namespace cnsched::cli

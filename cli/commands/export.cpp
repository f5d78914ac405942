#include "cli/commands/export.h"

#include <fmt/format.h>

#include "cli/build_info.h"
#include "cli/commands/lint.h"
#include "cli/output/help_link.h"
#include "cli/output/markdown.h"
#include "cli/output/rule_page.h"
#include "cli/output/verbatim.h"
#include "core/k8s/object_name.h"
#include "core/workloads/cluster_scope.h"
#include "rules/admission/admission_check.h"
#include "rules/admission/vap.h"

namespace cnsched::cli {

namespace {

/// The files whose configuration holds: any in the working directory.
constexpr const char* kAnyFile = "./.";

/// The rules that the options and the configuration select.
class ExportedRules {
 public:
  ExportedRules(const rules::RuleSet& all, const rules::Selection& selection, bool made)
      : selection_(selection), settings_(selection.settings_of(kAnyFile)), made_(made) {
    for (const rules::Listed& listed : all.all()) add(listed);
  }

  const std::vector<rules::ExportedRule>& exported() const { return exported_; }
  /// "id: reason"
  const std::vector<std::string>& others() const { return others_; }

 private:
  void add(const rules::Listed& listed) {
    const rules::Rule& rule = *listed.rule;
    const auto level = selection_.level_of(rule.id, settings_, {});
    if (!selection_.runs(rule.id) || level == rules::Level::off) return;
    rules::ExportedRule exported{.rule = &rule,
                                 .group = listed.group,
                                 .configured = level ? rules::severity_of(*level) : std::nullopt,
                                 .docs = help_link(rule)};
    if (const rules::Policy* policy = rules::policy_of(rule)) {
      auto check = rules::policy_check(*policy, made_);
      if (!check) return add_other(rule, check.error().message);
      exported.policy = *std::move(check);
    } else if (admission_of(rule) == nullptr) {
      return add_other(rule, why_not_exported(rule));
    }
    exported_.push_back(std::move(exported));
  }

  void add_other(const rules::Rule& rule, std::string_view reason) {
    others_.push_back(fmt::format("{}: {}", rule.id, reason));
  }

  const rules::Selection& selection_;
  rules::RuleSettings settings_;
  bool made_;
  std::vector<rules::ExportedRule> exported_;
  std::vector<std::string> others_;
};

/// The rules in Markdown: which are exported, for what kinds, or why not.
void list_exports(const rules::RuleSet& all, Console& console) {
  console.out << "| Rule | Severity | Exported |\n|---|---|---|\n";
  for (const rules::Listed& listed : all.all()) {
    const rules::Rule& rule = *listed.rule;
    const std::string why_not = why_not_exported(rule);
    std::string exported =
        why_not.empty() ? "yes" : "no: " + (is_policy(rule) ? markdown_text(why_not) : why_not);
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
  const ExportedRules rules(opened.rules(), selection, options.pods);
  const rules::VapOptions vap{.action = action_of(options),
                              .made_objects = options.pods,
                              .honors_ignore = options.honor_ignore,
                              .fails_closed = options.failure_policy == "fail",
                              .params_namespace = options.params_namespace,
                              .version = std::string(kBuildInfo.version)};
  write_verbatim(rules::vap_documents(rules.exported(), facts_of(opened), vap), console);
  if (!options.messages.quiet) {
    for (const std::string& line : rules.others()) {
      console.err << fmt::format("not exported: {}\n", line);
    }
  }
  return Exit::clean;
}

}  // namespace cnsched::cli
